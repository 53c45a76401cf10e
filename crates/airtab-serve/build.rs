// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The files of the page, put into the program: those below `assets/`, each with a tag made of its content, by gzip
//! where that is smaller. And whether houses of this machine are shown: `has_live`.

use std::fmt::Write as _;
use std::fs;
use std::hash::Hasher;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use siphasher::sip128::{Hasher128, SipHasher24};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=assets");
    println!("cargo:rustc-check-cfg=cfg(has_live)");
    let linux = std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|os| os == "linux");
    if linux && std::env::var_os("CARGO_FEATURE_LIVE").is_some() {
        println!("cargo:rustc-cfg=has_live");
    }
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("assets");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let mut list = String::from("&[\n");
    for (number, path) in files(&root).iter().enumerate() {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path.strip_prefix(&root).expect("found below it").to_str().expect("names are UTF-8");
        let content = fs::read(path).expect("it can be read");
        let mut hasher = SipHasher24::new();
        hasher.write(&content);
        let tag = format!("\"{:032x}\"", hasher.finish128().as_u128());
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&content).expect("memory takes all");
        let gzip = gzip.finish().expect("memory takes all");
        let is_gzip = gzip.len() < content.len();
        let kept = match is_gzip {
            true => {
                let file = out.join(format!("{number}.gz"));
                fs::write(&file, gzip).expect("the folder of the build can be written to");
                file
            }
            false => path.clone(),
        };
        let name = name.replace('\\', "/");
        let asset =
            format!("name: {name:?}, tag: {tag:?}, content: include_bytes!({kept:?}), is_gzip: {is_gzip}");
        writeln!(list, "    Asset {{ {asset} }},").expect("writing into a string");
    }
    list.push(']');
    fs::write(out.join("assets.rs"), list).expect("the folder of the build can be written to");
}

/// All files below, in alphabetical order; none where there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = entries.map(|e| e.expect("the folder can be read").path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
