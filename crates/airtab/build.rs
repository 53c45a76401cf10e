// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which commit the program is built from, for manifests and reports:
//! `AIRTAB_GIT` if it is set (packagers), else the checkout's own, with `-dirty`
//! if sources differ from it, else `unknown`. The program is built again when
//! another commit is checked out or a source changes, and not otherwise. And the
//! scenarios of the repository, put into the program by their names. And which
//! commands it has: `has_live`, `has_probe`, `has_serve`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=AIRTAB_GIT");
    let given = std::env::var("AIRTAB_GIT").ok().filter(|git| !git.is_empty());
    let git = given.or_else(commit).unwrap_or_else(|| "unknown".into());
    println!("cargo:rustc-env=AIRTAB_GIT={git}");
    scenarios();
    let linux = std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|os| os == "linux");
    for (feature, anywhere) in [("live", false), ("probe", false), ("serve", true)] {
        println!("cargo:rustc-check-cfg=cfg(has_{feature})");
        if (linux || anywhere)
            && std::env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_some()
        {
            println!("cargo:rustc-cfg=has_{feature}");
        }
    }
}

/// `scenarios.rs`: names and texts.
fn scenarios() {
    let folder =
        Path::new(&airtab_sources::folder("scenarios")).canonicalize().expect("they are in the crate");
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = folder.read_dir().expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("the folder can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path.file_stem().expect("it has an extension").to_str().expect("names are UTF-8");
        writeln!(list, "    ({name:?}, include_str!({path:?})),").expect("writing into a string");
    }
    list.push(']');
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    std::fs::write(out.join("scenarios.rs"), list).expect("the folder of the build can be written to");
}

fn commit() -> Option<String> {
    // Cargo runs this in the folder of the crate.
    let root = Path::new("../..").canonicalize().ok()?;
    // Not the commit of another repository around an unpacked archive.
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != root {
        return None;
    }
    // The log of HEAD grows with every commit and checkout.
    let log = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo:rerun-if-changed={log}");
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    let sources = [":/core/*.[ch]", ":/crates/*/src/*", ":/crates/*.toml", ":/Cargo.*"];
    for source in git(&[&["ls-files", "--full-name", "--"][..], &sources].concat())?.lines() {
        println!("cargo:rerun-if-changed={}", root.join(source).display());
    }
    let status = ["status", "--porcelain", "--untracked-files=no", "--"];
    let changed = git(&[&status[..], &sources].concat())?;
    Some(if changed.is_empty() { commit } else { commit + "-dirty" })
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
