// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A sweep: an experiment without checks, or any scenario, along axes of a command line.
//!
//! Its points may be many: they are handed over one by one, in their order, and need not fit into memory. It may be dealt
//! to several machines ([`RunOptions::part`]), each of which fills a folder of packs, and put together from these
//! ([`RunOptions::only_stored`]).
//!
//! What it does not do: no verdicts, no files (`crate::frame`).

use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::Path;

use airtab_scenario::{FileError, QueueSpec};
use siphasher::sip128::{Hasher128, SipHasher24};
use toml::{Table, Value as Toml};

use super::file::{MAX_POINTS, Names, read_values};
use super::run::{RunError, RunOptions, each_point, each_run};
use super::scores::PointScores;
use super::task::Task;
use super::until::{self, Asked};
use super::workload::Kind;
use super::{Axis, Experiment, compose};
use crate::frame::{AxisColumn, COLUMNS};

/// Points of one sweep.
pub const MAX_SWEEP: usize = 100_000;

/// What cannot be said of an experiment; one or more lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SweepError(String);

impl Experiment {
    /// Any scenario, to be varied by [`Experiment::vary`]. `file` is its name in messages, and where what it names is
    /// looked for.
    ///
    /// # Errors
    /// It is no TOML, or no scenario.
    pub fn of_scenario(file: &str, text: &str) -> Result<Experiment, FileError> {
        let unreadable = |reason: String| FileError::Unreadable { file: file.into(), reason };
        let scenario: Table =
            toml::from_str(text).map_err(|e| unreadable(e.message().replace('\n', ", ")))?;
        let path = Path::new(file);
        let id = path.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let title = scenario.get("name").and_then(Toml::as_str).unwrap_or(&id).to_string();
        let e = Experiment {
            title,
            toml: text.into(),
            scenario,
            plain: true,
            folder: path.parent().unwrap_or(Path::new("")).into(),
            named: file.into(),
            ..Experiment::empty(id)
        };
        // What is wrong in it is so at every point: it is told with its lines.
        airtab_scenario::ScenarioFile::parse(file, text)?;
        Ok(e)
    }

    /// Without what only judges and draws.
    #[must_use]
    pub fn without_checks(self) -> Experiment {
        Experiment {
            checks: Vec::new(),
            figures: Vec::new(),
            courses: Vec::new(),
            scatters: Vec::new(),
            remarks: BTreeMap::new(),
            ..self
        }
    }

    /// Sets a key of the scenario, such as `queue.chap.limit`, at all points: by [`airtab_scenario::set`], as `airtab compare`
    /// does. Servers and models have tables of their own.
    ///
    /// # Errors
    /// There is no such place, or an axis sets it.
    ///
    /// # Panics
    /// Never: what was read can be written, and read again.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), SweepError> {
        let wrong = |reason: String| SweepError(format!("--set {path}={value}: {reason}"));
        self.free(path).map_err(wrong)?;
        if self.kind != Kind::Home {
            compose::set(&mut self.scenario, path, read_value(value));
            return Ok(());
        }
        let text = toml::to_string(&self.scenario).expect("what was read can be written");
        let text = airtab_scenario::set(&text, path, value).map_err(|e| wrong(e.message))?;
        self.scenario = toml::from_str(&text).expect("it is TOML, with another value");
        Ok(())
    }

    /// Adds an axis of that name, which sets that key to these values.
    ///
    /// # Errors
    /// There is no such place, another axis sets it, or there are no values, or too many.
    pub fn vary(&mut self, path: &str, values: &[&str]) -> Result<(), SweepError> {
        let wrong = |reason: String| SweepError(format!("--axis {path}: {reason}"));
        self.free(path).map_err(wrong)?;
        if self.axes.iter().any(|axis| axis.name == path) {
            return Err(wrong("there is an axis of that name".into()));
        }
        if values.iter().any(|value| value.trim().is_empty()) {
            let example = format!("give values, as in --axis {path}=1,2,3");
            return Err(wrong(format!("an axis needs at least one value, and none is empty: {example}")));
        }
        let items = values.iter().map(|value| read_value(value)).collect();
        let keys = vec![path.to_string()];
        let values = read_values(items, &keys, &[], None).map_err(wrong)?;
        self.axes.push(Axis { name: path.into(), label: path.into(), log: false, keys, values });
        Ok(())
    }

    /// Whether that key is there to be set.
    fn free(&self, path: &str) -> Result<(), String> {
        compose::find(&self.scenario, path)?;
        match self.axes.iter().find(|axis| axis.keys.iter().any(|key| key == path)) {
            Some(axis) => Err(format!("axis `{}` sets it already", axis.name)),
            None => Ok(()),
        }
    }

    /// Gives every point as many seeds as that asks for, in place of what the file says of it.
    ///
    /// # Errors
    /// There is no such figure, or a number cannot be.
    pub fn ask_until(&mut self, asked: &Asked) -> Result<(), SweepError> {
        self.until = until::put(asked, self.until.take(), &Names::of(self)).map_err(SweepError)?;
        Ok(())
    }

    /// Other disciplines.
    ///
    /// # Errors
    /// One is there twice.
    pub fn under(&mut self, queues: &[QueueSpec]) -> Result<(), SweepError> {
        for (i, q) in queues.iter().enumerate() {
            if queues[..i].iter().any(|other| other.label == q.label) {
                return Err(SweepError(format!("--queues names {} twice", q.label)));
            }
        }
        self.queues = queues.to_vec();
        Ok(())
    }

    /// Its axes as columns of results.
    ///
    /// # Errors
    /// An axis has the name of another column, or there are too many points.
    pub fn columns(&self) -> Result<Vec<AxisColumn>, SweepError> {
        if let Some(axis) = self.axes.iter().find(|axis| COLUMNS.contains(&axis.name.as_str())) {
            return Err(SweepError(format!(
                "axis '{}': results have a column of that name; give the axis another one",
                axis.name
            )));
        }
        let points = self.axes.iter().map(|axis| axis.values.len() as u128).product::<u128>();
        if points > MAX_SWEEP as u128 {
            return Err(SweepError(format!(
                "{points} points: at most {MAX_SWEEP}; make several sweeps, with --set for what one of the axes has"
            )));
        }
        let column = |axis: &Axis| AxisColumn::new(&axis.name, axis.values.iter().map(|v| v.text.as_str()));
        Ok(self.axes.iter().map(column).collect())
    }
}

/// A value of a command line: TOML, if it is, else text. `5ms` is text.
fn read_value(written: &str) -> Toml {
    let written = written.trim();
    let read = toml::from_str::<Table>(&format!("v = {written}")).ok().filter(|table| table.len() == 1);
    read.and_then(|mut table| table.remove("v")).unwrap_or_else(|| written.into())
}

/// A sweep that can be run: everything that is wrong in it has been said.
pub struct Sweep<'a> {
    experiment: &'a Experiment,
    options: &'a RunOptions<'a>,
    task: Task<'a>,
}

impl<'a> Sweep<'a> {
    /// Puts every point together once.
    ///
    /// # Errors
    /// A value of an axis is wrong, a discipline does not take its parameters, or it was stopped.
    pub fn new(experiment: &'a Experiment, options: &'a RunOptions) -> Result<Sweep<'a>, RunError> {
        Ok(Sweep { experiment, options, task: Task::new(experiment, options)? })
    }

    /// How many runs are this machine's, and how many of them are stored; of rounds the first.
    pub fn counts(&self) -> (usize, usize) {
        self.task.counts()
    }

    /// Seeds, in their order: those that a point has at most.
    pub fn seeds(&self) -> &[u64] {
        self.task.plan.seeds()
    }

    /// Values of an axis with which the same is run wherever the others are, under every discipline: most likely its key means
    /// nothing there. A sentence for each axis.
    pub fn without_effect(&self) -> Vec<String> {
        let axes = &self.experiment.axes;
        let mut apart = 1;
        let mut said = Vec::new();
        for axis in axes.iter().rev() {
            let mut of = vec![SipHasher24::new(); axis.values.len()];
            for point in 0..self.task.plan.points() {
                self.task.plan.cells(point).hash(&mut of[point / apart % axis.values.len()]);
            }
            apart *= axis.values.len();
            let of: Vec<u128> = of.into_iter().map(|hasher| hasher.finish128().as_u128()).collect();
            let same = (1..of.len()).find_map(|b| Some((of[..b].iter().position(|a| *a == of[b])?, b)));
            if let Some((a, b)) = same {
                let [a, b] = [a, b].map(|i| &axis.values[i].text);
                said.push(format!(
                    "axis {}: with {a} and {b} the same is run, under every discipline: does anything read what it sets?",
                    axis.name
                ));
            }
        }
        said.reverse();
        said
    }

    /// How many runs (of rounds: of the first) are not stored, and where the first of them is; None if all are.
    pub fn missing(&self) -> Option<(usize, String)> {
        let plan = &self.task.plan;
        let mut missing = plan.jobs().filter(|job| !self.options.store.has(plan.key(job)));
        let first = missing.next()?;
        Some((missing.count() + 1, self.task.place(&first)))
    }

    /// Makes what is not stored, and hands over every point, in their order. `progress` is called after each run that is
    /// made, from any thread.
    ///
    /// # Errors
    /// [`RunError`].
    ///
    /// # Panics
    /// If threads cannot be started.
    pub fn run(
        &self,
        progress: &(dyn Fn() + Sync),
        each: &mut dyn FnMut(PointScores),
    ) -> Result<(), RunError> {
        each_point(self.experiment, &RunOptions { progress, ..*self.options }, &self.task, each)
    }

    /// Makes what is not stored, and no more: a part of a sweep need have no whole points. Returns how many runs the part has.
    ///
    /// # Errors
    /// [`RunError`].
    ///
    /// # Panics
    /// If threads cannot be started.
    pub fn fill(&self, progress: &(dyn Fn() + Sync)) -> Result<usize, RunError> {
        each_run(self.experiment, &RunOptions { progress, ..*self.options }, &self.task)
    }
}

/// Points that an experiment's file may have, where it is read for this.
pub(super) fn most_points(sweep: bool) -> usize {
    if sweep { MAX_SWEEP } else { MAX_POINTS }
}
