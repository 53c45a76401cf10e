// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which commit the program is built from, for manifests and reports:
//! `AIRTAB_GIT` if it is set (packagers), else the checkout's own, with `-dirty`
//! if sources differ from it, else `unknown`. The program is built again when
//! another commit is checked out or a source changes, and not otherwise.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=AIRTAB_GIT");
    let given = std::env::var("AIRTAB_GIT").ok().filter(|git| !git.is_empty());
    let git = given.or_else(commit).unwrap_or_else(|| "unknown".into());
    println!("cargo:rustc-env=AIRTAB_GIT={git}");
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
