// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A scenario's text, checked when it is made.
//!
//! What it does not do: what is a path, and what a text, Python tells.

use std::path::PathBuf;

use airtab::calls::{CallError, Found};
use airtab_lab::scenario_hash;
use airtab_scenario::ScenarioFile;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{of_call, of_file};
use crate::values::{to_python, to_toml};

/// A scenario that can be run.
#[pyclass(frozen, module = "airtab._airtab")]
#[derive(Clone)]
pub struct Text {
    pub found: Found,
    /// Places are told by keys of a dict.
    dict: bool,
    file: ScenarioFile,
}

impl Text {
    fn new(py: Python, found: Found, dict: bool) -> PyResult<Text> {
        match found.parse() {
            Ok(file) => Ok(Text { found, dict, file }),
            Err(e) => Err(of_file(py, &e, dict.then_some(found.text.as_str()))),
        }
    }
}

#[pymethods]
impl Text {
    /// Of a file, of a scenario that airtab brings, or the built-in home.
    #[staticmethod]
    #[pyo3(signature = (path=None))]
    fn of_path(py: Python, path: Option<PathBuf>) -> PyResult<Text> {
        if path.as_ref().is_some_and(|path| path.as_os_str() == "-") {
            return Err(PyValueError::new_err("-: standard input is the command line's; give the text"));
        }
        let found = Found::of(path.as_deref()).map_err(|e| of_file(py, &e, None))?;
        Text::new(py, found, false)
    }

    /// Of a text; `name` is its file's in messages.
    #[staticmethod]
    fn of_text(py: Python, name: String, text: String) -> PyResult<Text> {
        Text::new(py, Found { name: name.into(), text, ours: false }, false)
    }

    /// Of a dict.
    #[staticmethod]
    fn of_dict(py: Python, name: String, dict: &Bound<PyDict>) -> PyResult<Text> {
        let table = to_toml(dict.as_any(), "")?;
        let text = toml::to_string(&table).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Text::new(py, Found { name: name.into(), text, ours: false }, true)
    }

    /// The same with one value changed; `value` as on a command line, or of Python.
    fn set(&self, py: Python, path: &str, value: &Bound<PyAny>) -> PyResult<Text> {
        let value = match value.extract::<String>() {
            Ok(text) => text,
            Err(_) => to_toml(value, path)?.to_string(),
        };
        let text = airtab_scenario::set(&self.found.text, path, &value);
        let text = text.map_err(|e| PyValueError::new_err(e.to_string()))?;
        // What airtab brings names no file, and what is set may.
        Text::new(py, Found { name: self.found.name.clone(), text, ours: false }, self.dict)
    }

    #[getter]
    fn toml(&self) -> &str {
        &self.found.text
    }

    #[getter]
    fn file(&self) -> String {
        self.found.name.display().to_string()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.file.scenario.name
    }

    #[getter]
    fn hash(&self) -> String {
        scenario_hash(&self.file.scenario)
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.file.warnings.iter().map(ToString::to_string).collect()
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let table: toml::Table =
            toml::from_str(&self.found.text).map_err(|e| PyValueError::new_err(e.to_string()))?;
        to_python(py, &table.into())
    }
}

/// Whether there is such a discipline, and takes its parameters: `chap:limit=70`.
#[pyfunction]
pub fn check_queue(py: Python, label: &str) -> PyResult<()> {
    let read = airtab::calls::queues(&[label.into()]);
    read.map(drop).map_err(|e: CallError| of_call(py, e))
}
