// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Two things that the compiler cannot know: the experiments of the
//! repository, put into the program, and a number for the sources that make
//! figures, so that a stored run of another simulator is never taken for one
//! of this.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// What a run's figures depend on, from the root of the repository. What
/// judges and shows them is left out: runs outlive it.
const FIGURES: [&str; 16] = [
    "Cargo.lock",
    "core/include",
    "core/src",
    "crates/airtab-core/src",
    "crates/airtab-model/src",
    "crates/airtab-quality/src",
    "crates/airtab-sim/src",
    "crates/airtab-lab/src/contention",
    "crates/airtab-lab/src/experiment/contention.rs",
    "crates/airtab-lab/src/experiment/model.rs",
    "crates/airtab-lab/src/experiment/server.rs",
    "crates/airtab-lab/src/experiment/workload.rs",
    "crates/airtab-lab/src/measure.rs",
    "crates/airtab-scenario/src/frames.rs",
    "crates/airtab-scenario/src/kinds",
    "crates/airtab-scenario/src/measure.rs",
];

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../..");
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for part in FIGURES {
        let path = root.join(part);
        println!("cargo:rerun-if-changed={}", path.display());
        for file in files(&path).iter().filter(|file| is_source(file)) {
            hash.add(&fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display())));
        }
    }
    println!("cargo:rustc-env=AIRTAB_FIGURES={:016x}", hash.0);

    let experiments = root.join("experiments").canonicalize().expect("the experiments are in the repository");
    println!("cargo:rerun-if-changed={}", experiments.display());
    let mut list = String::from("&[\n");
    for path in files(&experiments).iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path.strip_prefix(&experiments).expect("found below it").with_extension("");
        let name = name.to_str().expect("names are UTF-8").replace('\\', "/");
        writeln!(list, "    ({name:?}, include_str!({path:?})),").expect("writing into a string");
    }
    list.push(']');
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("experiments.rs"), list).expect("the folder of the build can be written to");
}

/// Not what builds and editors leave beside.
fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["rs", "c", "h", "lock"].iter().any(|known| e == *known))
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

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
