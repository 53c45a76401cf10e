// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which disciplines to run, with which parameters: those of the scenario
//! file, then those of the command line. Texts become values once, where they
//! are read.
//!
//! What it does not do: no parameter has a rule here; the tables of
//! `airtab-core` know name, unit and range.

use std::str::FromStr;

use airtab_core::{Discipline, ParamError, Params};

use crate::reader::instead;

/// Names of the disciplines that a study has where it names none: the CHAP studies' three and what Linux
/// installs today. `airtab disciplines` lists all.
pub const USUAL_QUEUES: [&str; 4] = ["fifo", "spq", "chap", "fq_codel"];

/// The `[queue]` table of a scenario file: parameters of the disciplines that it
/// says something of.
#[derive(Clone, Debug, Default)]
pub struct QueueSettings(Vec<Params>);

impl QueueSettings {
    /// Puts in what a file says of a discipline.
    pub(crate) fn insert(&mut self, params: Params) {
        self.0.push(params);
    }

    /// What the file says of that discipline.
    pub(crate) fn get(&self, discipline: Discipline) -> Option<&Params> {
        self.0.iter().find(|params| params.discipline() == discipline)
    }

    /// The same, or the defaults.
    pub fn params(&self, discipline: Discipline) -> Params {
        self.get(discipline).cloned().unwrap_or_else(|| Params::new(discipline))
    }
}

/// A discipline as asked for: `chap`, or `chap:increment=50ms:limit=70`.
#[derive(Clone, Debug)]
pub struct QueueSpec {
    /// As written; the name of its column.
    pub label: String,
    /// Names of the parameters that were given, and their values; others have their defaults.
    given: Vec<String>,
    values: Params,
}

impl FromStr for QueueSpec {
    type Err = String;

    fn from_str(label: &str) -> Result<QueueSpec, String> {
        let mut parts = label.split(':');
        let name = parts.next().unwrap_or("").trim();
        let discipline = Discipline::named(name).ok_or_else(|| {
            let known: Vec<&str> = airtab_core::disciplines().map(|d| d.name()).collect();
            match name.is_empty() {
                true => format!("'{label}' names no discipline (known: {})", known.join(", ")),
                false => format!("no discipline '{name}'{}", instead(name, &known)),
            }
        })?;
        let label = label.trim();
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in parts {
            let (param, value) = part
                .split_once('=')
                .ok_or_else(|| format!("'{part}' is not parameter=value, as in chap:limit=70"))?;
            let (param, value) = (param.trim(), value.trim());
            if pairs.iter().any(|(other, _)| *other == param) {
                return Err(format!("{name}: {param}: given twice in '{label}'"));
            }
            pairs.push((param, value));
        }
        let mut values = Params::new(discipline);
        let known: Vec<&str> = discipline.params().iter().map(|p| p.name).collect();
        for (param, value) in &pairs {
            if !known.contains(param) {
                return Err(format!("{name}: no parameter '{param}'{}", instead(param, &known)));
            }
            values.set(param, value).map_err(|e| e.to_string())?;
        }
        values.check().map_err(|e| e.to_string())?;
        let given = pairs.into_iter().map(|(param, _)| param.into()).collect();
        Ok(QueueSpec { label: label.into(), given, values })
    }
}

impl QueueSpec {
    /// The parameters to run with: those of the scenario, then its own.
    ///
    /// # Errors
    /// Values that the discipline does not take beside each other.
    pub fn build(&self, settings: &QueueSettings) -> Result<Params, ParamError> {
        let mut params = settings.params(self.values.discipline());
        self.given.iter().for_each(|name| params.copy(name, &self.values));
        params.check()?;
        Ok(params)
    }
}
