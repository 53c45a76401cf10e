// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Names that are paths.

use std::path::Path;

use airtab_live::control::{self, Request};
use airtab_live::{House, running};

use crate::common::house;

/// Names that lead out of the directory below `/run` are refused before any file is read.
#[test]
fn names_cannot_lead_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("lock"), "1").expect("a file");
    let inside = format!("../..{}", folder.path().display());
    for name in [folder.path().to_str().expect("UTF-8"), &inside, "..", ".", ""] {
        let said = running::down(name).unwrap_err().to_string();
        assert!(said.contains(&format!("{name:?}")), "{said}");
        assert!(control::ask(name, &Request::Down).unwrap_err().to_string().contains(&format!("{name:?}")));
    }
    assert!(folder.path().join("lock").exists() && Path::new("/run").exists());
    let mut file = house("x", "", "").file;
    file.scenario.name = "..".into();
    assert!(House::new(file).is_err());
}
