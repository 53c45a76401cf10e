// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[model] task = "contention"`: a subject of the contention models, with its parameters as keys. Each output is an
//! application; where a parameter is a list, an output has its value behind its name. A parameter that is not there has
//! its default, of several the first.
//!
//! What it does not do: no subject is known here (`crate::contention`).

use airtab_scenario::{Figures, Metric};
use toml::{Table, Value};

use crate::contention::{Cell, Runs, Subject};

/// Keys that are no parameters.
const OWN: [&str; 2] = ["task", "subject"];

/// What is asked, one cell for each combination of values.
#[derive(Clone, Debug)]
pub(super) struct Contention(Vec<Cell>);

impl Contention {
    /// Of a table `[model]`.
    ///
    /// # Errors
    /// What is wrong in it.
    pub(super) fn read(table: &Table) -> Result<Contention, String> {
        let named = table.get("subject").and_then(Value::as_str);
        let subject = Subject::named(named.ok_or("[model] lacks the key `subject`, such as \"access\"")?)?;
        let params = table.iter().filter(|(key, _)| !OWN.contains(&key.as_str()));
        let mut lists: Vec<(String, Vec<String>)> =
            params.map(|(key, value)| (key.clone(), items(value))).collect();
        // Only what is written varies: of a default that is a list the first.
        let missing = subject.params().filter(|param| !table.contains_key(param.name));
        lists.extend(missing.map(|param| (param.name.into(), param.defaults()[..1].to_vec())));
        subject.cells(&lists).map(Contention)
    }

    /// A name for each figure.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().flat_map(Cell::names).collect()
    }

    /// With that seed, where there is chance; a figure that has no value is left out.
    ///
    /// # Errors
    /// What parameters cannot be together.
    pub(super) fn figures(&self, seed: u64) -> Result<Vec<Figures>, String> {
        let mut runs = Runs::default();
        let figure =
            |value: f64| Some((Metric::Value, value)).filter(|_| !value.is_nan()).into_iter().collect();
        let of = |cell: &Cell| {
            let seeded = Cell { given: cell.given.clone().with_seed(seed), ..cell.clone() };
            let values = seeded.figures(&mut runs).map_err(|e| format!("{}: {e}", cell.subject.name))?;
            Ok(values.into_iter().map(figure).collect::<Vec<Figures>>())
        };
        let all: Result<Vec<_>, String> = self.0.iter().map(of).collect();
        Ok(all?.concat())
    }
}

fn items(value: &Value) -> Vec<String> {
    let one = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    value.as_array().map_or_else(|| vec![one(value)], |list| list.iter().map(one).collect())
}
