// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A number for what a crate's results depend on: its files, and the locked versions of what it uses. Stored runs of
//! programs of equal numbers are equal, so that a program, a library and a server of one commit share them.
//!
//! Build scripts call [`emit`]; the crate then has the number as `env!("AIRTAB_SOURCES")`. A crate that has been packaged
//! has the same number as in the repository, as nothing outside it is looked at but the lock file.
//!
//! What it does not do: parts of this workspace have numbers of their own, which whoever uses them puts together
//! ([`together`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Where a folder of the repository is, seen from the crate whose build script this is: in the crate itself, which has it
/// by a symbolic link and is packaged with it, or two above where links are plain files, as in some clones on Windows.
///
/// # Panics
/// If `CARGO_MANIFEST_DIR` is not set, as cargo does.
pub fn folder(name: &str) -> String {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    if root.join(name).is_dir() { name.into() } else { format!("../../{name}") }
}

/// Tells cargo the number of the crate whose build script this is; `parts`: files and folders of it; `uses`: whether what
/// it depends on has a part in its results.
///
/// # Panics
/// If a part cannot be read.
pub fn emit(parts: &[&str], uses: bool) {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    for part in parts {
        println!("cargo:rerun-if-changed={}", root.join(part).display());
    }
    if uses {
        println!("cargo:rerun-if-changed={}", root.join("Cargo.toml").display());
        println!("cargo:rerun-if-changed={}", lock(&root).display());
    }
    println!("cargo:rustc-env=AIRTAB_SOURCES={}", number(&root, parts, uses));
}

/// The number of a crate: 16 hexadecimal digits.
///
/// # Panics
/// If a part cannot be read.
pub fn number(root: &Path, parts: &[&str], uses: bool) -> String {
    let mut hash = Fnv::default();
    for part in parts {
        let part = root.join(part);
        for file in files(&part).iter().filter(|file| is_source(file)) {
            let name = file.strip_prefix(&part).expect("found below it").to_string_lossy().replace('\\', "/");
            hash.add(name.as_bytes());
            hash.add(&fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display())));
        }
    }
    if uses {
        let read =
            |path: &Path| fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for version in versions(&read(&root.join("Cargo.toml")), &read(&lock(root))) {
            hash.add(version.as_bytes());
        }
    }
    hash.text()
}

/// One number for several.
pub fn together(numbers: &[&str]) -> String {
    let mut hash = Fnv::default();
    numbers.iter().for_each(|number| hash.add(number.as_bytes()));
    hash.text()
}

/// The lock file: that of the crate, if it has been packaged, or that of its workspace.
fn lock(root: &Path) -> PathBuf {
    let mut found = root.ancestors().map(|folder| folder.join("Cargo.lock")).filter(|path| path.exists());
    found.next().unwrap_or_else(|| panic!("{}: no Cargo.lock there or above", root.display()))
}

/// `name version` of everything that a manifest's `[dependencies]` come to, but for parts of this workspace.
fn versions(manifest: &str, lock: &str) -> BTreeSet<String> {
    let known = packages(lock);
    let mut found = BTreeSet::new();
    let mut open = dependencies(manifest);
    while let Some(name) = open.pop() {
        // `name`, or `name version` where several versions are used.
        let (name, version) = name.split_once(' ').unwrap_or((&name, ""));
        if name.starts_with("airtab") {
            continue;
        }
        for (own, uses) in known.get(name).into_iter().flatten() {
            if (version.is_empty() || *own == version) && found.insert(format!("{name} {own}")) {
                open.extend(uses.iter().map(|used| (*used).to_string()));
            }
        }
    }
    found
}

/// Names below `[dependencies]`, as people and as `cargo package` write them.
fn dependencies(manifest: &str) -> Vec<String> {
    let (mut names, mut inside) = (Vec::new(), false);
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            inside = section.starts_with("dependencies]");
            let table = section.strip_prefix("dependencies.").and_then(|name| name.strip_suffix(']'));
            names.extend(table.map(|name| name.trim_matches('"').to_string()));
        } else if inside && !line.starts_with('#') {
            let name: String =
                line.chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            names.extend(Some(name).filter(|name| !name.is_empty()));
        }
    }
    names
}

/// Version and dependencies of every package of a lock file, by its name.
fn packages(lock: &str) -> BTreeMap<&str, Vec<(&str, Vec<&str>)>> {
    let mut all: BTreeMap<&str, Vec<(&str, Vec<&str>)>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            line.and_then(|text| text.strip_suffix('"'))
        };
        let (Some(name), Some(version)) = (value("name"), value("version")) else { continue };
        let list = package.split("dependencies = [").nth(1).and_then(|list| list.split(']').next());
        let uses = list.into_iter().flat_map(|list| list.split('"').skip(1).step_by(2));
        // A third word is where it comes from.
        let short = |used: &'_ str| used.match_indices(' ').nth(1).map_or(used.len(), |(at, _)| at);
        all.entry(name).or_default().push((version, uses.map(|used| &used[..short(used)]).collect()));
    }
    all
}

/// Not what builds and editors leave beside.
fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["rs", "c", "h", "def", "toml"].iter().any(|known| e == *known))
}

/// All files below, or the file itself, in alphabetical order.
fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return vec![path.into()] };
    let mut entries: Vec<PathBuf> = entries.map(|e| e.expect("the folder can be read").path()).collect();
    entries.sort();
    entries.iter().flat_map(|path| files(path)).collect()
}

/// FNV-1a, 64 bits: equal on every machine.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// The bytes, and that they end there.
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().copied().chain((bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
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
    fn what_is_used_is_what_the_manifest_comes_to() {
        let own = "[package]\nname = \"airtab-x\"\n[dependencies]\nairtab-y = { workspace = true }\n# none\na.workspace = true\n\n\
                   [dev-dependencies]\ntest-only = \"9\"\n";
        let packaged = "[dependencies.airtab-y]\nversion = \"0.1\"\n\n[dependencies.a]\nversion = \"1\"\n\n\
                        [dev-dependencies.test-only]\nversion = \"9\"\n";
        for manifest in [own, packaged] {
            assert_eq!(Vec::from_iter(versions(manifest, LOCK)), ["a 1.0.0", "b 2.0.0"]);
        }
    }

    /// A crate that was moved keeps its number; another file, name or version gives another one.
    #[test]
    fn a_number_is_about_content() {
        let make = |source: &str, name: &str, lock: &str| {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().join("crates/x");
            fs::create_dir_all(root.join("src")).unwrap();
            fs::write(root.join("src").join(name), source).unwrap();
            fs::write(root.join("src/notes.txt"), name).unwrap();
            fs::write(root.join("Cargo.toml"), "[dependencies]\na = \"1\"\n").unwrap();
            fs::write(dir.path().join("Cargo.lock"), lock).unwrap();
            number(&root, &["src"], true)
        };
        let first = make("fn x() {}", "lib.rs", LOCK);
        assert_eq!(first, make("fn x() {}", "lib.rs", &LOCK.replace("9.0.0", "9.0.1")), "of a test alone");
        for other in [
            make("fn x() { }", "lib.rs", LOCK),
            make("fn x() {}", "bil.rs", LOCK),
            make("fn x() {}", "lib.rs", &LOCK.replace("b 2.0.0", "b 1.0.0")),
        ] {
            assert_ne!(first, other);
        }
        assert_ne!(together(&["ab", "c"]), together(&["a", "bc"]));
    }
}
