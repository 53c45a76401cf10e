// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! airtab for Python: the module `airtab._airtab` behind the package in `python/airtab`.
//!
//! - `scenario`: scenarios, checked; `values`: Python's values as TOML and back
//! - `task`: runs with the GIL free, which Ctrl-C ends
//! - `results`: what came out, as JSON, text, files and Arrow
//! - `crew`: runs that a cluster makes
//! - `errors`: the package's exceptions
//!
//! Everything is run, summarised and written by `airtab::calls`, as the command line is. What it does not do: no words for
//! people, no progress bar, no figures (`python/airtab`).

mod crew;
mod errors;
mod results;
mod scenario;
mod task;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

use crate::crew::Crew;

/// The command `airtab`: does what the words ask for, the program's name first, and gives its exit code. `join` is called
/// with a cluster's name and how many jobs it is to have, and gives what `exchange` of a `How` is.
#[pyfunction]
fn main(py: Python, words: Vec<OsString>, join: Py<PyAny>) -> u8 {
    let join = |cluster: &str, jobs: Option<u16>| Crew::join(&join, cluster, jobs);
    let code = py.detach(|| airtab::main_with(words.into_iter(), &join));
    // An exit code shows its number to nobody but the system.
    (0..=u8::MAX).find(|n| ExitCode::from(*n) == code).unwrap_or(1)
}

/// The tables of all disciplines, as JSON.
#[pyfunction]
fn disciplines() -> String {
    airtab::calls::disciplines().to_string()
}

/// Metrics as tables show them: name, label with its unit, factor to that unit.
#[pyfunction]
fn metrics() -> Vec<(&'static str, &'static str, f64)> {
    airtab::calls::metrics()
}

/// Score of a kind of application, by its name in results.
#[pyfunction]
fn score(kind: &str) -> Option<&'static str> {
    airtab::calls::score(kind)
}

/// Version, commit, and the number of the sources that runs come from.
#[pyfunction]
fn version() -> (&'static str, &'static str, &'static str) {
    airtab::calls::version()
}

#[pymodule]
mod _airtab {
    #[pymodule_export]
    use super::crew::make;
    #[pymodule_export]
    use super::results::{Results, compare, experiment, fill, sweep};
    #[pymodule_export]
    use super::scenario::{Text, check_queue};
    #[pymodule_export]
    use super::task::panics;
    #[pymodule_export]
    use super::{disciplines, main, metrics, score, version};
}
