//! Which disciplines to run, with which parameters: those of the scenario
//! file, then those of the command line.
//!
//! What it does not do: no parameter has a rule here; the tables of
//! `airtab-core` know name, unit and range.

use std::str::FromStr;

use airtab_core::{Discipline, ParamError, Params};

use crate::reader::instead;

/// The `[queue]` table of a scenario file: texts that the disciplines accept.
#[derive(Clone, Debug, Default)]
pub struct QueueSettings {
    pub(crate) limit: Option<String>,
    own: Vec<(Discipline, String, String)>,
}

impl QueueSettings {
    pub(crate) fn set(&mut self, discipline: Discipline, param: &str, value: &str) {
        self.own.push((discipline, param.into(), value.into()));
    }

    /// Whether the file has a table of this discipline with something in it.
    pub(crate) fn names(&self, discipline: Discipline) -> bool {
        self.own.iter().any(|(d, ..)| *d == discipline)
    }

    /// Defaults, then the common limit where the discipline has one, then its
    /// own table. Rules between parameters are not checked yet.
    ///
    /// # Errors
    /// A value that the discipline refuses.
    pub fn params(&self, discipline: Discipline) -> Result<Params, ParamError> {
        let mut params = Params::new(discipline);
        if let Some(limit) = self.limit.as_ref().filter(|_| params.get("limit").is_some()) {
            params.set("limit", limit)?;
        }
        for (_, param, value) in self.own.iter().filter(|(d, ..)| *d == discipline) {
            params.set(param, value)?;
        }
        Ok(params)
    }
}

/// A discipline as asked for: `chap`, or `chap:increment=50ms:limit=70`.
#[derive(Clone, Debug)]
pub struct QueueSpec {
    /// As written; the name of its column.
    pub label: String,
    discipline: Discipline,
    overrides: Vec<(String, String)>,
}

impl FromStr for QueueSpec {
    type Err = String;

    fn from_str(label: &str) -> Result<QueueSpec, String> {
        let mut parts = label.split(':');
        let name = parts.next().unwrap_or("").trim();
        let discipline = Discipline::named(name).ok_or_else(|| {
            let known: Vec<&str> = airtab_core::disciplines().map(|d| d.name()).collect();
            format!("no discipline '{name}'{}", instead(name, &known))
        })?;
        let mut spec = QueueSpec { label: label.trim().into(), discipline, overrides: Vec::new() };
        for part in parts {
            let (param, value) = part
                .split_once('=')
                .ok_or_else(|| format!("'{part}' is not parameter=value, as in chap:limit=70"))?;
            if spec.overrides.iter().any(|(other, _)| other == param.trim()) {
                return Err(format!("{name}: {}: given twice in '{}'", param.trim(), spec.label));
            }
            spec.overrides.push((param.trim().into(), value.trim().into()));
        }
        spec.build(&QueueSettings::default()).map_err(|e| e.to_string())?;
        Ok(spec)
    }
}

impl QueueSpec {
    /// The parameters to run with: those of the scenario, then its own.
    ///
    /// # Errors
    /// A value that the discipline refuses, on its own or beside the others.
    pub fn build(&self, settings: &QueueSettings) -> Result<Params, ParamError> {
        let mut params = settings.params(self.discipline)?;
        for (param, value) in &self.overrides {
            params.set(param, value)?;
        }
        params.check()?;
        Ok(params)
    }
}
