// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An experiment's file for a folder of its own: with its base in it, and with the names that files have there.
//!
//! What it does not do: no file is copied here.

use std::path::{Path, PathBuf};

use airtab_scenario::{is_file, named_files, names_file, rename_files};
use toml::{Table, Value};

use super::Experiment;
use super::workload::Kind;

/// Gives a file its new name: where it is, and how it is named now; None where it keeps that.
pub type Rename<'a> = &'a mut dyn FnMut(&Path, &str) -> Option<String>;

impl Experiment {
    /// A file of that name beside it.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Its text by itself. Where it has no base and no file gets another name, that is the text of its file; else it is
    /// without comments. Values of an axis that are files keep their names in results.
    ///
    /// # Panics
    /// Never: what was read can be read again, and written.
    pub fn alone(&self, rename: Rename) -> String {
        let mut rename = |name: &str| rename(&self.folder.join(name), name);
        if self.plain {
            return rename_files(&self.toml, &mut rename).expect("it was read");
        }
        let mut table: Table = toml::from_str(&self.toml).expect("it was read");
        let mut changed = table.remove("base").is_some();
        if self.kind == Kind::Home {
            let mut scenario = self.scenario.clone();
            named_files(&mut scenario, &mut |_, name| changed |= renamed(name, &mut rename));
            changed |= rename_axes(&mut table, &mut rename);
            table.insert("scenario".into(), scenario.into());
        }
        match changed {
            true => toml::to_string(&table).expect("what was read can be written"),
            false => self.toml.clone(),
        }
    }
}

/// Whether it has another name then.
fn renamed(name: &mut String, rename: &mut dyn FnMut(&str) -> Option<String>) -> bool {
    let new = rename(name);
    new.is_some_and(|new| std::mem::replace(name, new) != *name)
}

/// The same of values of axes whose keys name files.
fn rename_axes(top: &mut Table, rename: &mut dyn FnMut(&str) -> Option<String>) -> bool {
    let axes = top.get_mut("axis").and_then(Value::as_array_mut);
    let mut changed = false;
    for axis in axes.into_iter().flatten().filter_map(Value::as_table_mut) {
        let keys = match axis.get("keys") {
            Some(Value::String(key)) => vec![key.clone()],
            Some(Value::Array(keys)) => keys.iter().filter_map(Value::as_str).map(str::to_string).collect(),
            _ => Vec::new(),
        };
        let Some(values) = axis.get_mut("values").and_then(Value::as_array_mut) else { continue };
        let named =
            |value: &Value| value.as_array().map_or(value, |each| each.first().unwrap_or(value)).clone();
        let names: Vec<Value> = values.iter().map(named).collect();
        let mut of_axis = false;
        for value in values {
            // One value is that of all keys.
            let own: Vec<&mut Value> = match value {
                Value::Array(each) => each
                    .iter_mut()
                    .zip(&keys)
                    .filter(|(_, key)| names_file(key))
                    .map(|(own, _)| own)
                    .collect(),
                one => keys.iter().any(|key| names_file(key)).then_some(one).into_iter().collect(),
            };
            for own in own {
                if let Value::String(name) = own
                    && is_file(name)
                {
                    of_axis |= renamed(name, rename);
                }
            }
        }
        if of_axis && !axis.contains_key("names") {
            axis.insert("names".into(), names.into());
        }
        changed |= of_axis;
    }
    changed
}
