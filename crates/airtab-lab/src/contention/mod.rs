// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The contention models as a table: what each subject takes, what it gives, and the function between.
//!
//! `airtab model contention`, its help and `[model] task = "contention"` of experiments come from [`SUBJECTS`]: a new
//! subject is an entry there. A parameter may have several values; every combination is a [`Cell`].
//!
//! What it does not do: no formula is here (`airtab_model::contention`); `runs` gives automata the project's random
//! streams, `methods` and `closed` call formulas by name.

mod closed;
mod given;
mod methods;
mod runs;
mod subjects;

use airtab_model::contention::ContentionError;
use airtab_scenario::reader::instead;

pub use given::{Given, Kind, Param};
pub use runs::Runs;
pub use subjects::SUBJECTS;

/// Something that can be asked.
pub struct Subject {
    /// By which it is asked for.
    pub name: &'static str,
    /// Other names, after the quantity or the source's word.
    pub also: &'static [&'static str],
    /// What it says, in a line, with the section of the source.
    pub about: &'static str,
    /// Command lines, and what there is to know.
    pub help: &'static str,
    /// What it takes.
    pub params: &'static [&'static [Param]],
    /// What it gives.
    pub outputs: &'static [Output],
    /// Whether it draws random numbers.
    pub random: bool,
    compute: Compute,
}

/// A value for each output; NaN where there is none.
type Compute = fn(&Given, &mut Runs) -> Result<Vec<f64>, ContentionError>;

/// A number that a subject gives.
pub struct Output {
    /// In JSON and in experiments.
    pub name: &'static str,
    /// Above a column, with the unit.
    pub heading: &'static str,
    /// Decimals in tables.
    pub decimals: usize,
    /// What numbers from 0 on stand for; empty where they are numbers.
    pub words: &'static [&'static str],
}

impl Output {
    /// For a table.
    pub fn shown(&self, value: f64) -> String {
        match self.words.get(value as usize).filter(|_| !value.is_nan()) {
            Some(word) => (*word).into(),
            None if value.is_nan() => "-".into(),
            None => format!("{value:.*}", self.decimals),
        }
    }
}

/// A subject with a value for each parameter.
#[derive(Clone)]
pub struct Cell {
    /// What is asked.
    pub subject: &'static Subject,
    /// The parameters.
    pub given: Given,
    /// Values of those parameters that have several, in the order of the subject's parameters.
    pub varied: Vec<String>,
}

impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.subject.name, self.given)
    }
}

impl Subject {
    /// The one of that name, or of that other name.
    ///
    /// # Errors
    /// There is none; which there are.
    pub fn named(name: &str) -> Result<&'static Subject, String> {
        let names: Vec<&str> = SUBJECTS.iter().flat_map(Subject::names).collect();
        let found = SUBJECTS.iter().find(|subject| subject.names().any(|known| known == name));
        found.ok_or_else(|| format!("no subject '{name}'{}", instead(name, &names)))
    }

    /// All that it is asked for by.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.also.iter().copied())
    }

    /// All parameters.
    pub fn params(&self) -> impl Iterator<Item = &'static Param> {
        self.params.iter().flat_map(|group| group.iter())
    }

    /// Every combination of these values, the last parameter fastest; a parameter that is not given has its default.
    ///
    /// # Errors
    /// A name that is no parameter, a value that it cannot have; with the name in front.
    pub fn cells(&'static self, lists: &[(String, Vec<String>)]) -> Result<Vec<Cell>, String> {
        let names: Vec<&str> = self.params().map(|param| param.name).collect();
        if let Some((unknown, _)) = lists.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            return Err(format!("{}: no such parameter '{unknown}'{}", self.name, instead(unknown, &names)));
        }
        let mut cells = vec![Cell { subject: self, given: Given::default(), varied: Vec::new() }];
        for param in self.params() {
            let values = match lists.iter().find(|(name, _)| name == param.name) {
                Some((_, values)) => values.clone(),
                None => param.defaults(),
            };
            let longer = |cell: &Cell| {
                let one = |value: &String| cell.with(param, value, values.len() > 1);
                values.iter().map(one).collect::<Vec<_>>()
            };
            cells = cells.iter().flat_map(longer).collect::<Result<_, _>>()?;
        }
        Ok(cells)
    }
}

impl Cell {
    fn with(&self, param: &'static Param, value: &str, varied: bool) -> Result<Cell, String> {
        let mut cell = self.clone();
        cell.given.set(param, value)?;
        if varied {
            cell.varied.push(value.into());
        }
        Ok(cell)
    }

    /// A value for each output of the subject, NaN where there is none.
    ///
    /// # Errors
    /// What parameters cannot be together.
    pub fn figures(&self, runs: &mut Runs) -> Result<Vec<f64>, ContentionError> {
        (self.subject.compute)(&self.given, runs)
    }

    /// Names of the outputs, with the values of what varies behind them: `effective_window_idle_sense`.
    pub fn names(&self) -> Vec<String> {
        let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let behind: String = self
            .varied
            .iter()
            .map(|value| format!("_{}", value.chars().map(word).collect::<String>()))
            .collect();
        self.subject.outputs.iter().map(|output| format!("{}{behind}", output.name)).collect()
    }
}

#[cfg(test)]
mod tests;
