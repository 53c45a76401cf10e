// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The package's exceptions, which are written in Python (`airtab._errors`), made of the errors of Rust.
//!
//! What it does not do: no message is written here.

use airtab::calls::CallError;
use airtab_scenario::{FileError, Problem};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::values;

/// An exception of the package, by its name.
pub fn of_package(py: Python, name: &str, args: impl for<'py> pyo3::call::PyCallArgs<'py>) -> PyErr {
    let made = py.import("airtab._errors").and_then(|module| module.getattr(name)?.call1(args));
    made.map_or_else(|e| e, PyErr::from_value)
}

/// What is wrong in a scenario; `dict`: its text was made of one, so that places in it are told by its keys.
pub fn of_file(py: Python, e: &FileError, dict: Option<&str>) -> PyErr {
    match e {
        FileError::Unreadable { .. } => match dict {
            None => PyFileNotFoundError::new_err(e.to_string()),
            Some(_) => PyValueError::new_err(e.to_string()),
        },
        FileError::Wrong(problems) => {
            let rows: Vec<_> = problems.iter().map(|problem| row(problem, dict)).collect();
            of_package(py, "ScenarioError", (e.to_string(), rows))
        }
    }
}

type Row = (String, usize, usize, String, String, usize, Option<String>);

/// File, line, column, message, the line itself, how many characters of it are meant, the dict's path.
fn row(problem: &Problem, dict: Option<&str>) -> Row {
    let Problem { file, line, column, message, text, width } = problem.clone();
    let path = dict.and_then(|of| values::path_at(of, line, column));
    (file, line, column, message, text, width, path)
}

/// Any error of a call.
pub fn of_call(py: Python, e: CallError) -> PyErr {
    match e {
        CallError::Scenario(e) => of_file(py, &e, None),
        CallError::Queue(message) => of_package(py, "QueueError", (message,)),
        CallError::Wrong(message) => PyValueError::new_err(message),
        CallError::Stopped(stopped) => {
            of_package(py, "Stopped", (stopped.to_string(), stopped.done, stopped.total))
        }
        CallError::Store(message) => of_package(py, "CacheError", (message,)),
        CallError::Elsewhere(message) => of_package(py, "ClusterError", (message,)),
        CallError::Failed(message) => PyOSError::new_err(message),
    }
}
