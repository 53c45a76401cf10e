// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab experiment run`.
//!
//! What it does not do: one experiment at a time, and none in real time.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use airtab_lab::experiment::{self, Experiment, FindError, Outcome, RunOptions, Verdict, judge, text};
use airtab_lab::table::Style;
use arrow_array::RecordBatch;

use super::{CallError, How, Open, failed};
use crate::commands::experiment::args::RunExperiments;
use crate::commands::experiment::{data, rows, write};

/// An experiment that was run, and what its source says of it.
pub struct Judged {
    /// What a command would say beside it.
    pub warnings: Vec<String>,
    experiment: Experiment,
    outcome: Outcome,
    verdicts: Vec<Verdict>,
    args: RunExperiments,
}

/// The experiment of that name, or of a file.
///
/// # Errors
/// [`CallError`].
pub fn find(name: &str) -> Result<Experiment, CallError> {
    experiment::find(name).map_err(|e| match e {
        FindError::Unknown(message) => CallError::Wrong(message),
        FindError::File(e) => CallError::Scenario(e),
    })
}

/// Runs it with seeds 1 to `seeds`, or with its own.
///
/// # Errors
/// [`CallError`].
///
/// # Panics
/// If threads cannot be started.
pub fn experiment(
    experiment: Experiment,
    quick: bool,
    seeds: Option<u64>,
    how: &How,
) -> Result<Judged, CallError> {
    if experiment.live {
        return Err(CallError::Wrong(format!(
            "{} is run in real time: sudo airtab experiment run {0}",
            experiment.named()
        )));
    }
    let mut warnings = Vec::new();
    let open = Open::new(&how.cache, &mut warnings)?;
    let all = seeds.map(|n| (1..=n).collect::<Vec<u64>>());
    let options = RunOptions {
        quick,
        seeds: all.as_deref(),
        jobs: how.jobs,
        ..RunOptions::new(open.store(), how.stop)
    };
    let (all, stored) = experiment::jobs(&experiment, &options)?;
    let done = AtomicUsize::new(0);
    let progress = || (how.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, all - stored);
    let outcome = experiment::run(&experiment, &RunOptions { progress: &progress, ..options })?;
    open.look(&mut warnings)?;
    let verdicts = judge(&experiment, &outcome);
    let args = RunExperiments { quick, seeds, ..RunExperiments::default() };
    Ok(Judged { warnings, experiment, outcome, verdicts, args })
}

impl Judged {
    /// What `experiment run --json` prints of this one.
    ///
    /// # Errors
    /// None that is known.
    pub fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(&data(&self.experiment, &self.outcome, &self.verdicts))? + "\n")
    }

    /// What `experiment run` prints.
    pub fn text(&self, width: usize) -> String {
        text::result(&self.experiment, &self.outcome, &self.verdicts, Style { width, colour: false })
    }

    /// A row for each figure of each seed.
    ///
    /// # Errors
    /// [`CallError::Wrong`]: an axis has the name of another column.
    pub fn frame(&self) -> Result<RecordBatch, CallError> {
        rows(&self.experiment, &self.outcome).map_err(|e| CallError::Wrong(crate::output::message(&e)))
    }

    /// Writes the files of `experiment run --out`.
    ///
    /// # Errors
    /// [`CallError::Failed`]; none of the files is there then.
    pub fn save(&self, dir: &Path) -> Result<(), CallError> {
        let written = write(dir, &self.args, &self.experiment, &self.outcome, &self.verdicts);
        written.map(drop).map_err(|e| failed(&e))
    }
}
