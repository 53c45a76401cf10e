// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Locked versions of the packages that a manifest's `[dependencies]` lead to.

use std::collections::BTreeSet;

use cargo_lock::{Lockfile, Package};
use toml::{Table, Value};

/// `name version` of each, except for crates of this workspace.
///
/// # Panics
/// If the manifest is not TOML.
pub(crate) fn used(manifest: &str, lock: &Lockfile) -> BTreeSet<String> {
    let manifest: Table = manifest.parse().unwrap_or_else(|e| panic!("Cargo.toml: {e}"));
    let own = |package: &Package| package.name.as_str().starts_with("airtab");
    let mut open: Vec<&Package> = Vec::new();
    for (name, dependency) in manifest.get("dependencies").and_then(Value::as_table).into_iter().flatten() {
        let name = dependency.get("package").and_then(Value::as_str).unwrap_or(name);
        open.extend(lock.packages.iter().filter(|package| package.name.as_str() == name));
    }
    let mut found = BTreeSet::new();
    while let Some(package) = open.pop() {
        if !own(package) && found.insert(format!("{} {}", package.name, package.version)) {
            let uses = |used: &Package| package.dependencies.iter().any(|of| of.matches(used));
            open.extend(lock.packages.iter().filter(|used| uses(used)));
        }
    }
    found
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const LOCK: &str = r#"
version = 4

[[package]]
name = "airtab-x"
version = "0.1.0"
dependencies = [
 "airtab-y",
 "a",
 "test-only",
]

[[package]]
name = "airtab-y"
version = "0.1.0"

[[package]]
name = "a"
version = "1.0.0"
dependencies = [
 "b 2.0.0",
]

[[package]]
name = "b"
version = "1.0.0"

[[package]]
name = "b"
version = "2.0.0"

[[package]]
name = "test-only"
version = "9.0.0"
"#;

    #[test]
    fn packages_that_dependencies_lead_to() {
        let own = "[package]\nname = \"airtab-x\"\n[dependencies]\nairtab-y = { workspace = true }\n# none\na.workspace = true\n\n\
                   [dev-dependencies]\ntest-only = \"9\"\n";
        let packaged = "[dependencies.airtab-y]\nversion = \"0.1\"\n\n[dependencies.a]\nversion = \"1\"\n\n\
                        [dev-dependencies.test-only]\nversion = \"9\"\n";
        let renamed = "dependencies = { z = { package = \"a\", version = \"1\" } }\n";
        for manifest in [own, packaged, renamed] {
            assert_eq!(Vec::from_iter(used(manifest, &LOCK.parse().unwrap())), ["a 1.0.0", "b 2.0.0"]);
        }
    }
}
