// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Compiles every C file of the core, where a new discipline needs no line, and
//! the layouts that a test compares with `ffi.rs`. And a number for the sources, `SOURCES`.

use std::path::{Path, PathBuf};

fn main() {
    // Asked when it runs: a clone may have been moved since this was compiled.
    let crate_dir = std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo");
    let core = airtab_sources::folder("core");
    let parts = ["src".into(), format!("{core}/src"), format!("{core}/include")];
    airtab_sources::emit(&parts.each_ref().map(String::as_str), false);
    let core = Path::new(&crate_dir).join(core);
    let mut sources: Vec<PathBuf> = std::fs::read_dir(core.join("src"))
        .expect("core/src is readable")
        .map(|entry| entry.expect("core/src is readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    sources.sort();
    let trial = ["told", "links"].map(|name| core.join(format!("tests/{name}.c")));
    if std::env::var_os("CARGO_FEATURE_TRIAL").is_some() {
        sources.extend(trial.clone());
    }
    cc::Build::new()
        .files(&sources)
        .file("src/abi.c") // layouts, for a test
        .include(core.join("include"))
        .define("AT_HOST_H", "\"airtab/host_user.h\"")
        .std("c11")
        .flag("-ffreestanding")
        .flag("-fbuiltin") // memcpy() of a word is no call
        .flag("-fno-tree-slp-vectorize") // two words put together in a vector wait for each other
        .flag("-Wconversion")
        .warnings(true)
        .extra_warnings(true)
        .opt_level(2)
        .compile("airtab");
    println!("cargo:rerun-if-changed=src/abi.c");
    for source in trial {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    println!("cargo:rerun-if-changed={}", core.join("src").display());
    println!("cargo:rerun-if-changed={}", core.join("include").display());
}
