// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Bytes of libFuzzer's as what others give airtab in files and requests: a folder's pack of runs, and an edit of a
//! scenario (`--set`, `/api/edit`). Of a damaged pack no run may come out that was not put in; an edit is told or leaves
//! TOML that says what was set. `make fuzz` at the top.
//!
//! Input: what it is to be, then a pack's damage, a pack itself, or text, path and value between bytes of 0.
//! What it does not do: HTTP (`airtab-serve`'s tests), captures and packets (`live.rs`).

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use airtab_core::{Discipline, Params};
use airtab_lab::plan::RunKey;
use airtab_lab::store::{Packs, Store, tidy};
use airtab_scenario::{HOME, Measured, ScenarioFile, assignment, remove, set};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const RUNS: u128 = 3;

/// A pack of three runs, its name, and the runs.
struct Good {
    name: String,
    pack: Vec<u8>,
    runs: Vec<Measured>,
}

static GOOD: LazyLock<Good> = LazyLock::new(|| {
    let house = "duration = \"1s\"\n[[station]]\nname = \"a\"\n[[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"a\"\n";
    let house = ScenarioFile::parse("house.toml", house).expect("a good file").scenario;
    let fifo = Params::new(Discipline::named("fifo").expect("there is"));
    let folder = memory();
    let store = Packs::open(folder.path()).expect("a new folder");
    for run in 0..RUNS {
        store.put(RunKey(run), &airtab_lab::run(&house, &fifo, run as u64));
    }
    let runs = (0..RUNS).map(|run| store.get(RunKey(run)).expect("as put")).collect();
    let path = fs::read_dir(folder.path()).expect("a folder").next().expect("a pack").expect("readable").path();
    let name = path.file_name().expect("it has one").to_str().expect("plain").into();
    Good { name, pack: fs::read(path).expect("a file"), runs }
});

/// A new folder in memory.
fn memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").expect("a folder")
}

fuzz_target!(|data: &[u8]| {
    let Some((&what, rest)) = data.split_first() else { return };
    match what % 4 {
        0 => damaged(rest),
        1 => pack(rest),
        _ => edit(rest),
    }
});

/// Damage of the good pack: each five bytes are an operation, a place, and a value.
fn damaged(operations: &[u8]) {
    let mut bytes = GOOD.pack.clone();
    for operation in operations.chunks_exact(5) {
        let at = u32::from_le_bytes([operation[1], operation[2], operation[3], 0]) as usize % (bytes.len() + 1);
        match operation[0] % 4 {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, operation[4]),
            2 if at < bytes.len() => bytes[at] ^= operation[4],
            // A part of it once more, elsewhere.
            _ => {
                let copy = bytes[at..(at + 256 * usize::from(operation[4])).min(bytes.len())].to_vec();
                bytes.extend_from_slice(&copy);
            }
        }
        bytes.truncate(1 << 20);
    }
    pack(&bytes);
}

/// A folder with that as its pack: runs are as they were put, or not there.
fn pack(bytes: &[u8]) {
    let folder = memory();
    fs::write(folder.path().join(&GOOD.name), bytes).expect("room");
    let path: &Path = folder.path();
    let stores = [Packs::open(path).ok(), Packs::merge(&[path.into()]).ok()];
    for store in stores.iter().flatten() {
        for (run, good) in GOOD.runs.iter().enumerate() {
            assert!(store.get(RunKey(run as u128)).is_none_or(|read| read == *good), "run {run} is another one");
        }
    }
    tidy::size(path).expect("a folder");
    tidy::verify(path).expect("a folder");
    // Nothing is lost: what could be read before can be read after.
    let before: Vec<bool> = (0..RUNS).map(|run| stores[0].as_ref().is_some_and(|s| s.get(RunKey(run)).is_some())).collect();
    tidy::prune(path, false).expect("a folder");
    let after = Packs::open(path).expect("a folder");
    for (run, was) in before.iter().enumerate() {
        assert!(!was || after.get(RunKey(run as u128)).is_some_and(|read| read == GOOD.runs[run]), "run {run} is lost");
    }
    let left = tidy::verify(path).expect("a folder").damaged;
    // What is not airtab's is left alone, and so is what may just be begun.
    assert!(left.iter().all(|damage| matches!(damage.what, tidy::What::Foreign | tidy::What::Headless)), "damage is left: {left:?}");
}

/// Text, path and value. What is set is there, and setting it again changes nothing.
fn edit(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut parts = text.splitn(3, '\0');
    let (text, path, value) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let _ = assignment(path);
    for text in [text, HOME] {
        if let Ok(changed) = set(text, path, value) {
            let table: Result<toml::Table, _> = toml::from_str(&changed);
            assert!(table.is_ok(), "no TOML: {changed:?}");
            assert_eq!(set(&changed, path, value).as_deref(), Ok(changed.as_str()), "a second time");
            let _ = ScenarioFile::parse("edited.toml", &changed);
        }
        if let Ok(changed) = remove(text, path) {
            let table: Result<toml::Table, _> = toml::from_str(&changed);
            assert!(table.is_ok(), "no TOML: {changed:?}");
            let _ = ScenarioFile::parse("edited.toml", &changed);
        }
    }
}
