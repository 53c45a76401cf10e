// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A folder with a sweep in it, the program started there with a cache of its own, and what it wrote: what the tests of
//! `airtab sweep` share. The signal that interrupts the program.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder with `sweep.toml`.
pub fn scratch(sweep: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    std::fs::write(dir.path().join("sweep.toml"), sweep).expect("written");
    dir
}

/// `airtab` with these words in the folder, its cache in `cache` there.
pub fn command(dir: &Path, cache: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.args(args).current_dir(dir).stdin(Stdio::null());
    command.env("COLUMNS", "100").env("AIRTAB_CACHE", dir.join(cache));
    command
}

/// The signal of Ctrl-C; SIGTERM where that one is ignored, as in background commands of a shell without job control: what
/// is started inherits it.
#[cfg(unix)]
pub fn interrupt_signal() -> rustix::process::Signal {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    let ignored = u64::from_str_radix(mask.trim(), 16).unwrap_or(0) & 1 << (2 - 1) != 0;
    if ignored { rustix::process::Signal::TERM } else { rustix::process::Signal::INT }
}

/// That, to its end.
pub fn airtab(dir: &Path, cache: &str, args: &[&str]) -> Output {
    command(dir, cache, args).output().expect("airtab starts")
}

/// What was written, which must be text.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The results of `sweep.toml` into the folder `out`, which must come about.
pub fn results(dir: &Path, cache: &str, out: &str, args: &[&str]) -> Vec<u8> {
    let all = [&["sweep", "sweep.toml", "--out", out, "--format", "parquet"], args].concat();
    let run = airtab(dir, cache, &all);
    assert_eq!(run.status.code(), Some(0), "{args:?}: {}", text(&run.stderr));
    std::fs::read(dir.join(out).join("results.parquet")).expect("it was written")
}
