// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs an experiment: every point, discipline and seed that is not stored yet.
//!
//! What it does not do: no loop over runs (`crate::plan`), no verdicts (`judge`).

use std::sync::atomic::AtomicBool;

use airtab_scenario::{FileError, Measured};
use serde::Serialize;

use super::Experiment;
use super::judge::Verdict;
use super::live::LiveHost;
use super::scores::PointScores;
use super::task::Task;
use crate::order::NoOrder;
use crate::plan::{
    Afar, Broken, Budget, Elsewhere, Halt, Job, Pace, Part, Round, Step, Stopped, Whole, execute_elsewhere,
    execute_rounds,
};
use crate::store::Store;

/// How to run.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Only the points that checks look at, with fewer seeds.
    pub quick: bool,
    /// Seeds, where the experiment's own are not wanted.
    pub seeds: Option<&'a [u64]>,
    /// Threads; 0 takes one per processor.
    pub jobs: usize,
    /// Where finished runs are kept.
    pub store: &'a dyn Store,
    /// Set by anybody at any time: runs under way are ended.
    pub stop: &'a AtomicBool,
    /// Processor time that all runs may take.
    pub budget: Option<&'a Budget>,
    /// Which of the runs are this machine's.
    pub part: Part,
    /// Called after each run that was not stored yet, from any thread.
    pub progress: &'a (dyn Fn() + Sync),
    /// What runs experiments in real time, one run after the other.
    pub live: Option<&'a dyn LiveHost>,
    /// Who makes runs, if not this machine.
    pub elsewhere: Option<&'a dyn Elsewhere>,
    /// Make no run: one that is not stored is missed.
    pub only_stored: bool,
    /// Take stored live runs, too. No two live runs are equal: else all are made anew.
    pub resume: bool,
}

impl<'a> RunOptions<'a> {
    /// All of it, with one thread per processor.
    pub fn new(store: &'a dyn Store, stop: &'a AtomicBool) -> RunOptions<'a> {
        RunOptions {
            quick: false,
            seeds: None,
            jobs: 0,
            store,
            stop,
            budget: None,
            part: Part::WHOLE,
            progress: &|| (),
            live: None,
            elsewhere: None,
            only_stored: false,
            resume: false,
        }
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Whether it was a quick look.
    pub quick: bool,
    /// How many seeds; from 1 on, if no others were asked for.
    pub seeds: u64,
    /// Runs that it is made of.
    pub runs: usize,
    /// The points that were run, in the order of [`Experiment::points`].
    pub points: Vec<PointScores>,
}

/// One experiment, its outcome and its verdicts.
pub type Done = (Experiment, Outcome, Vec<Verdict>);

/// Why there is no outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was stopped; what was done is stored, as far as the store keeps it.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A value of an axis is wrong.
    #[error(transparent)]
    Wrong(#[from] FileError),
    /// A discipline does not take its parameters.
    #[error("{0}")]
    Queue(String),
    /// A run is not stored, or damaged there, and is not to be made.
    #[error("{0}: this run is not there, or damaged")]
    Missing(String),
    /// A file that the scenario names is another one than when the plan was made.
    #[error("{0}: a file that the scenario names has changed since the command began; run it again")]
    Changed(String),
    /// How many seeds a point needs cannot be told.
    #[error("{0}")]
    Until(String),
    /// There is nobody who makes runs elsewhere, or what came back cannot be used.
    #[error(transparent)]
    Elsewhere(#[from] Broken),
    /// A live run failed, or there is nothing that makes one.
    #[error("{0}")]
    Live(String),
}

impl From<NoOrder> for RunError {
    fn from(e: NoOrder) -> RunError {
        match e {
            NoOrder::Wrong(e) => RunError::Wrong(e),
            NoOrder::Large(e) => RunError::Elsewhere(e),
        }
    }
}

/// How many runs `options` ask for, and how many of them are stored.
///
/// # Errors
/// As [`run`], except for [`RunError::Stopped`].
pub fn jobs(experiment: &Experiment, options: &RunOptions) -> Result<(usize, usize), RunError> {
    Ok(Task::new(experiment, options)?.counts())
}

/// Runs it.
///
/// # Errors
/// [`RunError`].
///
/// # Panics
/// If threads cannot be started.
pub fn run(experiment: &Experiment, options: &RunOptions) -> Result<Outcome, RunError> {
    let task = Task::new(experiment, options)?;
    let mut points = Vec::new();
    each_point(experiment, options, &task, &mut |point| points.push(point))?;
    let seeds = task.plan.seeds().len() as u64;
    Ok(Outcome { quick: options.quick, seeds, runs: task.plan.total(), points })
}

/// Makes what is not stored; hands over every point that is whole, in their order.
pub(super) fn each_point(
    experiment: &Experiment,
    options: &RunOptions,
    task: &Task,
    each: &mut dyn FnMut(PointScores),
) -> Result<(), RunError> {
    let mut whole = Whole::new(&task.plan);
    through(experiment, options, task, &mut |job, measured| {
        let round = task.another(&mut whole, &job, measured)?;
        let mut changed = None;
        whole.hand_over(|point, runs| match task.scores(point, runs) {
            Ok(scores) if changed.is_none() => each(scores),
            Ok(_) => {}
            Err(e) => changed = changed.take().or(Some(e)),
        });
        changed.map_or(Ok(round), Err)
    })?;
    Ok(())
}

/// Makes what is not stored of a part that may have no whole points; returns how many runs that are.
pub(super) fn each_run(
    experiment: &Experiment,
    options: &RunOptions,
    task: &Task,
) -> Result<usize, RunError> {
    let mut whole = Whole::new(&task.plan);
    through(experiment, options, task, &mut |job, measured| {
        // Where a point may need more seeds, its runs are all here.
        if experiment.until.is_none() {
            return Ok(None);
        }
        let round = task.another(&mut whole, &job, measured)?;
        if round.is_none() {
            whole.forget_if_whole(job.point);
        }
        Ok(round)
    })
}

/// Makes what is not stored; hands over every run, as they end.
fn through(
    experiment: &Experiment,
    options: &RunOptions,
    task: &Task,
    each: &mut dyn FnMut(Job, Measured) -> Result<Option<Round>, RunError>,
) -> Result<usize, RunError> {
    let progress = |step: Step| {
        if !step.stored {
            (options.progress)();
        }
    };
    let halted = |halt| match halt {
        Halt::Stopped(stopped) => RunError::Stopped(stopped),
        Halt::Failed(e) => e,
    };
    if let Some(elsewhere) = options.elsewhere {
        let afar = Afar { elsewhere, stop: options.stop, progress: &progress };
        let mut last = None;
        let order = &mut |job: &Job| task.order(job, &mut last);
        return execute_elsewhere(&task.plan, order, options.store, &afar, each).map_err(halted);
    }
    let pace = Pace {
        // Two houses at once would be in each other's way.
        jobs: if experiment.live { 1 } else { options.jobs },
        stop: options.stop,
        budget: options.budget,
        progress: &progress,
    };
    execute_rounds(&task.plan, task, options.store, &pace, each).map_err(halted)
}
