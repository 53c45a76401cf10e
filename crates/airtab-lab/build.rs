// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Puts into the program what the compiler does not know:
//!
//! - the experiments of the repository, which a packaged crate contains;
//! - `AIRTAB_SOURCES`, a hash of the sources of this crate that compute figures: part of the key of stored runs;
//! - `AIRTAB_JUDGE`, a hash of those that compute verdicts: part of the hash of a stored result.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// What a run's figures depend on here. What judges and shows them is left out: runs outlive it.
const FIGURES: [&str; 6] = [
    "src/contention",
    "src/experiment/contention.rs",
    "src/experiment/model.rs",
    "src/experiment/server.rs",
    "src/experiment/workload.rs",
    "src/measure.rs",
];

/// Sources of verdicts. A change makes stored results stale; their runs stay valid.
const JUDGE: [&str; 8] = [
    "src/compare.rs",
    "src/experiment/check.rs",
    "src/experiment/distance.rs",
    "src/experiment/judge.rs",
    "src/experiment/scores.rs",
    "src/experiment/seconds.rs",
    "src/experiment/sum.rs",
    "src/experiment/told.rs",
];

fn main() {
    airtab_sources::emit(&FIGURES, false);
    airtab_sources::emit_as("AIRTAB_JUDGE", &JUDGE, false);
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let experiments = root.join(airtab_sources::folder("experiments"));
    let experiments = experiments.canonicalize().expect("the experiments are in the crate");
    // Each family with its shared scenarios, and not the directory of them all: results are stored in that.
    for family in fs::read_dir(&experiments).expect("the directory can be read") {
        let family = family.expect("the directory can be read").path();
        if files(&family).iter().any(|path| path.extension().is_some_and(|e| e == "toml")) {
            println!("cargo:rerun-if-changed={}", family.display());
        }
    }
    // Name and text of each, both ended by a zero byte, which no TOML file has: a sixth of what they are.
    let mut pack = GzEncoder::new(Vec::new(), Compression::best());
    for path in files(&experiments).iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path.strip_prefix(&experiments).expect("found below it").with_extension("");
        let name = name.to_str().expect("names are UTF-8").replace('\\', "/");
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        write!(pack, "{name}\0{text}\0").expect("memory takes all");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let pack = pack.finish().expect("memory takes all");
    fs::write(out.join("experiments.gz"), pack).expect("the folder of the build can be written to");
}

/// All files below, or the file itself, in alphabetical order.
fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return vec![path.into()] };
    let mut entries: Vec<PathBuf> = entries.map(|e| e.expect("the folder can be read").path()).collect();
    entries.sort();
    entries.iter().flat_map(|path| files(path)).collect()
}
