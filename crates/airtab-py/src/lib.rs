// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! airtab for Python: the module `airtab._airtab` behind the package in `python/airtab`.
//!
//! - `scenario`: scenarios, checked; `values`: Python's values as TOML and back
//! - `task`: runs with the GIL free, which Ctrl-C ends
//! - `results`: what came out, as JSON, text, files and Arrow
//! - `errors`: the package's exceptions
//!
//! Everything is run, summarised and written by `airtab::calls`, as the command line is. What it does not do: no words for
//! people, no progress bar, no figures (`python/airtab`).

mod errors;
mod results;
mod scenario;
mod task;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// The command `airtab`: does what the words ask for, the program's name first, and gives its exit code.
#[pyfunction]
fn main(py: Python, words: Vec<OsString>) -> u8 {
    let code = py.detach(|| airtab::main(words.into_iter()));
    // An exit code shows its number to nobody but the system.
    (0..=u8::MAX).find(|n| ExitCode::from(*n) == code).unwrap_or(1)
}

/// The tables of all disciplines, as JSON.
#[pyfunction]
fn disciplines() -> String {
    airtab::calls::disciplines().to_string()
}

/// Version and commit.
#[pyfunction]
fn version() -> (&'static str, &'static str) {
    airtab::calls::version()
}

#[pymodule]
mod _airtab {
    #[pymodule_export]
    use super::results::{Results, compare, experiment, fill, sweep};
    #[pymodule_export]
    use super::scenario::{Text, check_queue};
    #[pymodule_export]
    use super::task::panics;
    #[pymodule_export]
    use super::{disciplines, main, version};
}
