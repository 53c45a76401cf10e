// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Python's values as TOML, and back; places of TOML by their keys.
//!
//! What it does not do: no key is known here.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::Value;
use toml::de::{DeTable, DeValue};

/// A value of Python as one of TOML; `path` is its place, for messages.
pub fn to_toml(value: &Bound<PyAny>, path: &str) -> PyResult<Value> {
    let at = |message: String| if path.is_empty() { message } else { format!("{path}: {message}") };
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(value.extract()?));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Value::String(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        let number: Result<i64, _> = value.extract();
        return match number {
            Ok(number) => Ok(Value::Integer(number)),
            Err(_) => Err(PyValueError::new_err(at(format!("{value} is beyond what TOML has (64 bits)")))),
        };
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let mut table = toml::Table::new();
        for (key, value) in dict {
            let key: String = key
                .extract()
                .map_err(|_| PyTypeError::new_err(at(format!("a key is a str, not {}", type_name(&key)))))?;
            let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            table.insert(key, to_toml(&value, &below)?);
        }
        return Ok(Value::Table(table));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.enumerate();
        let items = items.map(|(i, item)| to_toml(&item?, &format!("{path}[{i}]")));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    // Numbers of others, such as numpy's: an int has `__index__`, a float `__float__`.
    let foreign = !value.is_instance_of::<PyFloat>();
    if let (true, Ok(number)) = (foreign, value.extract::<i64>()) {
        return Ok(Value::Integer(number));
    }
    match value.extract::<f64>() {
        Ok(number) if number.is_finite() => Ok(Value::Float(number)),
        Ok(number) => Err(PyValueError::new_err(at(format!(
            "{} is no number that a scenario can have; give a finite one",
            if number.is_nan() { "NaN" } else { "infinity" }
        )))),
        Err(_) => Err(PyTypeError::new_err(at(format!(
            "{} is no value of a scenario: str, int, float, bool, list or dict",
            type_name(value)
        )))),
    }
}

fn type_name(value: &Bound<PyAny>) -> String {
    match value.is_none() {
        true => "None".into(),
        false => value.get_type().name().map_or_else(|_| "this".into(), |name| name.to_string()),
    }
}

/// A value of TOML as one of Python.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => PyFloat::new(py, *number).into_any(),
        Value::Boolean(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Datetime(time) => PyString::new(py, &time.to_string()).into_any(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| to_python(py, item)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Table(table) => {
            let dict = PyDict::new(py);
            for (key, value) in table {
                dict.set_item(key, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// The keys that lead to a place of a text: `station[0].distance`. None for the text as a whole.
pub fn path_at(text: &str, line: usize, column: usize) -> Option<String> {
    let before = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
    let on_line = text.get(before..)?.chars().take(column - 1).map(char::len_utf8).sum::<usize>();
    let table = DeTable::parse(text).ok()?;
    let mut places = Vec::new();
    walk(table.get_ref(), "", &mut places);
    // Of those at the same place the innermost, which was found last.
    places.sort_by_key(|(start, _)| *start);
    let last = places.into_iter().rev().find(|(start, _)| *start <= before + on_line)?;
    Some(last.1)
}

fn walk(table: &DeTable, path: &str, places: &mut Vec<(usize, String)>) {
    for (key, value) in table {
        let name = key.get_ref();
        let below = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        places.push((key.span().start, below.clone()));
        inside(value.get_ref(), value.span().start, &below, places);
    }
}

fn inside(value: &DeValue, start: usize, path: &str, places: &mut Vec<(usize, String)>) {
    places.push((start, path.into()));
    match value {
        DeValue::Table(table) => walk(table, path, places),
        DeValue::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                inside(item.get_ref(), item.span().start, &format!("{path}[{i}]"), places);
            }
        }
        _ => {}
    }
}
