// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs an experiment: every point, discipline and seed that is not stored yet.
//!
//! The result does not depend on the number of jobs, on what was stored, or on
//! how often it was interrupted.
//!
//! What it does not do: no verdicts (`judge`).

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use airtab_core::Params;
use airtab_quality::web::{self, Page};
use airtab_scenario::reader::Problem;
use airtab_scenario::{FileError, Measured, QueueScores, QueueSpec, Second};
use rayon::prelude::*;
use serde::Serialize;

use super::live::{self, LiveHost};
use super::store::{RunKey, Store};
use super::{Check, Experiment, Point};
use crate::compare::{add_page_times, summarise};
use airtab_scenario::digits::count;

/// How to run.
pub struct RunOptions<'a> {
    /// Only the points that checks look at, with fewer seeds.
    pub quick: bool,
    /// Runs of each point and discipline, where the experiment's own number is not wanted.
    pub seeds: Option<u64>,
    /// Threads; 0 takes one per processor.
    pub jobs: usize,
    /// Where finished runs are kept.
    pub store: &'a Store,
    /// Set by anybody at any time: no further run is started.
    pub stop: &'a AtomicBool,
    /// Called after each run that was not stored yet, from any thread.
    pub progress: &'a (dyn Fn() + Sync),
    /// What runs experiments in real time, one run after the other.
    pub live: Option<&'a dyn LiveHost>,
    /// Take stored live runs, too. No two live runs are equal: else all are made anew.
    pub resume: bool,
}

/// The figures of one point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointScores {
    /// The number of the value of each axis.
    pub at: Vec<usize>,
    /// One entry per discipline, in the order of the experiment.
    pub queues: Vec<QueueScores>,
    /// The course of videos: by discipline, seed and application.
    #[serde(skip)]
    pub(super) seconds: Vec<Vec<Vec<Vec<Second>>>>,
    /// Pages that all disciplines completed: by discipline, seed and application.
    #[serde(skip)]
    pub(super) pages: Vec<Vec<Vec<Vec<Page>>>>,
}

impl PointScores {
    /// Those of one discipline and application, seed by seed.
    pub(super) fn pages_of(&self, queue: usize, app: usize) -> Vec<Vec<Page>> {
        self.pages[queue].iter().map(|apps| apps[app].clone()).collect()
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Whether it was a quick look.
    pub quick: bool,
    /// Seeds: 1 to this.
    pub seeds: u64,
    /// Runs that it is made of.
    pub runs: usize,
    /// The points that were run, in the order of [`Experiment::points`].
    pub points: Vec<PointScores>,
}

/// Why there is no outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was stopped; what was done is stored, as far as [`Store::keeps`] says.
    #[error("stopped after {done} of {}", count(*total, "run"))]
    Stopped {
        /// Runs finished.
        done: usize,
        /// Runs asked for.
        total: usize,
    },
    /// A value of an axis is wrong.
    #[error(transparent)]
    Wrong(#[from] FileError),
    /// A discipline does not take its parameters.
    #[error("{0}")]
    Queue(String),
    /// A live run failed, or there is nothing that makes one.
    #[error("{0}")]
    Live(String),
}

/// How many runs `options` ask for, and how many of them are stored.
///
/// # Errors
/// As [`run`], except for [`RunError::Stopped`].
pub fn jobs(experiment: &Experiment, options: &RunOptions) -> Result<(usize, usize), RunError> {
    let plan = Plan::new(experiment, options)?;
    let usable = |cell: usize| options.resume || !plan.point(cell).live;
    let stored = plan.jobs().filter(|(cell, _, run)| usable(*cell) && options.store.has(*run)).count();
    Ok((plan.total(), stored))
}

/// Runs it.
///
/// # Errors
/// [`RunError`].
///
/// # Panics
/// If threads cannot be started.
pub fn run(experiment: &Experiment, options: &RunOptions) -> Result<Outcome, RunError> {
    let plan = Plan::new(experiment, options)?;
    let jobs: Vec<_> = plan.jobs().collect();
    let done = AtomicUsize::new(0);
    let failed: Mutex<Option<RunError>> = Mutex::new(None);
    let fail = |e: RunError| {
        failed.lock().expect("nobody panics with it").get_or_insert(e);
    };
    let one = |(cell, seed, run): &(usize, u64, RunKey)| {
        let failed = || failed.lock().expect("nobody panics with it").is_some();
        if options.stop.load(Ordering::Relaxed) || failed() {
            return None;
        }
        let point = plan.point(*cell);
        let stored = if point.live && !options.resume { None } else { options.store.get(*run) };
        let measured = match stored {
            Some(measured) => measured,
            None => {
                let measured = match point.live {
                    false => {
                        let place = format!("{}, at {}", experiment.id, experiment.place(&point.at));
                        let wrong = |e| RunError::Wrong(FileError::Wrong(vec![Problem::of_file(&place, e)]));
                        let params = &plan.params[*cell].1;
                        point.workload.run(params, *seed).map_err(wrong).map_err(&fail).ok()?
                    }
                    true => {
                        let place = experiment.place(&point.at);
                        let queue = &plan.specs[cell % plan.queues()];
                        live::run(options.live, &experiment.id, &place, &point.workload, queue, *seed)
                            .map_err(&fail)
                            .ok()??
                    }
                };
                options.store.put(*run, &measured);
                (options.progress)();
                measured
            }
        };
        done.fetch_add(1, Ordering::Relaxed);
        Some(measured)
    };
    // Two houses at once would be in each other's way.
    let threads = if experiment.live { 1 } else { options.jobs };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let runs: Option<Vec<Measured>> =
        pool.expect("threads can be started").install(|| jobs.par_iter().with_max_len(1).map(one).collect());
    if let Some(e) = failed.into_inner().expect("nobody panics with it") {
        return Err(e);
    }
    let total = jobs.len();
    let mut runs = runs.ok_or_else(|| RunError::Stopped { done: done.load(Ordering::Relaxed), total })?;
    let seeds = plan.seeds as usize;
    let of_point = plan.queues() * seeds;
    let score = |(i, runs): (usize, &mut [Measured])| {
        let point = &plan.points[i];
        for (seed, scenario) in
            (0..seeds).zip(std::iter::repeat(point.workload.home()).map_while(|home| home))
        {
            let mut same_seed: Vec<&mut Measured> = runs.iter_mut().skip(seed).step_by(seeds).collect();
            add_page_times(scenario, &mut same_seed);
        }
        let apps = point.workload.apps();
        let of_queue = |(k, runs): (usize, &[Measured])| {
            let (label, params) = &plan.params[i * plan.queues() + k];
            summarise(&apps, label, params, runs)
        };
        let of_videos = |seconds: &Vec<Second>| {
            seconds.iter().filter(|s| s.playable_frames.is_some()).copied().collect::<Vec<_>>()
        };
        let of_run = |run: &Measured| run.seconds.iter().map(of_videos).collect();
        let seconds_of = |runs: &[Measured]| runs.iter().map(of_run).collect();
        let common = |(seed, run): (usize, &Measured)| -> Vec<Vec<Page>> {
            let lists = |app: usize| -> Vec<Vec<Page>> {
                runs.iter().skip(seed).step_by(seeds).map(|other| other.pages[app].clone()).collect()
            };
            run.pages.iter().enumerate().map(|(app, pages)| web::common(pages, &lists(app))).collect()
        };
        PointScores {
            at: point.at.clone(),
            queues: runs.chunks(seeds).enumerate().map(of_queue).collect(),
            seconds: runs.chunks(seeds).map(seconds_of).collect(),
            pages: runs.chunks(seeds).map(|runs| runs.iter().enumerate().map(common).collect()).collect(),
        }
    };
    let points = runs.chunks_mut(of_point).enumerate().map(score).collect();
    Ok(Outcome { quick: options.quick, seeds: plan.seeds, runs: total, points })
}

/// Everything to run.
struct Plan {
    points: Vec<Point>,
    specs: Vec<QueueSpec>,
    /// Discipline by discipline, point by point.
    params: Vec<(String, Params)>,
    /// What the workload of each point is known by.
    numbers: Vec<u128>,
    seeds: u64,
}

impl Plan {
    fn new(experiment: &Experiment, options: &RunOptions) -> Result<Plan, RunError> {
        let checked = if options.quick { experiment.checked() } else { BTreeSet::new() };
        let wanted = |at: &Vec<usize>| !options.quick || checked.contains(at);
        let points = experiment.combinations().into_iter().filter(wanted).map(|at| experiment.point(at));
        let points: Vec<Point> = points.collect::<Result<_, _>>()?;
        let specs = experiment.queues_of(options.quick);
        let mut params = Vec::new();
        for point in &points {
            for spec in &specs {
                let place = experiment.place(&point.at);
                let built = spec.build(point.workload.queues());
                let built = built.map_err(|e| RunError::Queue(format!("{}, {place}: {e}", experiment.id)))?;
                params.push((spec.label.clone(), built));
            }
        }
        let own = if options.quick { experiment.quick_seeds } else { experiment.seeds };
        let number = |p: &Point| if p.live { live::number(&p.workload) } else { p.workload.number() };
        let numbers = points.iter().map(number).collect();
        Ok(Plan { points, specs, params, numbers, seeds: options.seeds.unwrap_or(own) })
    }

    fn queues(&self) -> usize {
        self.specs.len()
    }

    fn point(&self, cell: usize) -> &Point {
        &self.points[cell / self.queues()]
    }

    fn total(&self) -> usize {
        self.params.len() * self.seeds as usize
    }

    /// Number of point and discipline, seed, and what the run is known by.
    fn jobs(&self) -> impl Iterator<Item = (usize, u64, RunKey)> {
        let queues = self.queues();
        self.params.iter().enumerate().flat_map(move |(cell, (_, params))| {
            let workload = self.numbers[cell / queues];
            (1..=self.seeds).map(move |seed| (cell, seed, RunKey::new(workload, params, seed)))
        })
    }
}

impl Experiment {
    /// How many points checks look at.
    pub(super) fn checked_points(&self) -> usize {
        self.checked().len()
    }

    /// The points on which the checks of a quick look rest; all where nothing is checked.
    fn checked(&self) -> BTreeSet<Vec<usize>> {
        let points = self.combinations();
        if self.checks.is_empty() {
            return points.into_iter().collect();
        }
        let own = |check: &'_ Check| points.iter().filter(|at| check.term.is_at(at)).collect::<Vec<_>>();
        let checks = self.checks.iter().filter(|check| check.quick);
        let cells = checks.flat_map(|check| own(check).into_iter().flat_map(|at| check.cells(at)));
        cells.map(|(at, _)| at).collect()
    }

    /// Its disciplines. Live runs take their time: a quick look leaves out those
    /// that no check is about.
    pub(super) fn queues_of(&self, quick: bool) -> Vec<QueueSpec> {
        let checks = || self.checks.iter().filter(|check| check.quick);
        let wanted = |q: &&QueueSpec| {
            !(quick && self.live)
                || self.checks.is_empty()
                || checks().any(|check| check.queues().contains(&&q.label))
        };
        self.queues.iter().filter(wanted).cloned().collect()
    }
}
