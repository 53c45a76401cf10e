// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An experiment as a plan: which points, what each run is known by, and how it is made.
//!
//! A point is put together when the plan is made, so that what is wrong in the last one is said before the first is run,
//! and again when it is run: of a large sweep not all fit into memory.
//!
//! What it does not do: no loop over runs (`crate::plan`), no figures (`scores`), no rule of how many seeds are enough
//! (`until`).

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use airtab_core::Params;
use airtab_scenario::reader::Problem;
use airtab_scenario::{FileError, Measured, QueueSpec};

use super::live;
use super::run::{RunError, RunOptions};
use super::scores::PointScores;
use super::{Check, Experiment, Point};
use crate::order::{Study, order};
use crate::plan::{Brake, Cell, Job, Order, Plan, Round, Stopped, Whole, Work};

/// Points that were put together last: a few for each thread that is at work on them.
const RECENT: usize = 32;

/// Everything to run.
pub(crate) struct Task<'a> {
    experiment: &'a Experiment,
    options: &'a RunOptions<'a>,
    /// What is run.
    pub(crate) plan: Plan,
    /// The numbers of the values of each point.
    points: Vec<Vec<usize>>,
    /// Whether each is run in real time.
    live: Vec<bool>,
    specs: Vec<QueueSpec>,
    recent: Mutex<VecDeque<(usize, Arc<Composed>)>>,
}

/// A point with its disciplines.
pub(crate) struct Composed {
    pub(super) point: Point,
    /// Label and parameters of each.
    pub(super) params: Vec<(String, Params)>,
}

impl Composed {
    /// What is run, for each discipline.
    fn cells(&self) -> impl Iterator<Item = Cell> {
        let workload = &self.point.workload;
        let number = if self.point.live { live::number(workload) } else { workload.number() };
        self.params.iter().map(move |(_, params)| Cell::new(number, params))
    }
}

impl<'a> Task<'a> {
    /// Puts every point together once.
    ///
    /// # Errors
    /// A value of an axis is wrong, a discipline does not take its parameters, or it was stopped.
    pub(crate) fn new(experiment: &'a Experiment, options: &'a RunOptions) -> Result<Task<'a>, RunError> {
        let checked = if options.quick { experiment.checked() } else { BTreeSet::new() };
        let wanted = |at: &Vec<usize>| !options.quick || checked.contains(at);
        let points: Vec<Vec<usize>> = experiment.combinations().filter(wanted).collect();
        let specs = experiment.queues_of(options.quick);
        let own = if options.quick { experiment.quick_seeds } else { experiment.seeds };
        let (seeds, first) = match &experiment.until {
            Some(until) => until.seeds(options.seeds).map_err(RunError::Until)?,
            None => {
                let seeds = options.seeds.map_or_else(|| (1..=own).collect(), <[u64]>::to_vec);
                let all = seeds.len();
                (seeds, all)
            }
        };
        let (mut cells, mut live) = (Vec::with_capacity(points.len() * specs.len()), Vec::new());
        for at in &points {
            if options.stop.load(Ordering::Relaxed) {
                return Err(Stopped { done: 0, total: points.len() * specs.len() * first }.into());
            }
            let composed = compose(experiment, at, &specs)?;
            cells.extend(composed.cells());
            live.push(composed.point.live);
        }
        let plan = Plan::new(cells, specs.len(), seeds).in_rounds(first).part(options.part);
        Ok(Task { experiment, options, plan, points, live, specs, recent: Mutex::default() })
    }

    /// How many runs there are, and how many of them are stored and will do.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let stored = |job: &Job| self.takes_stored(job) && self.options.store.has(self.plan.key(job));
        (self.plan.total(), self.plan.jobs().filter(stored).count())
    }

    /// Takes a run; where its point has a whole round by it that is not enough, the next one.
    pub(super) fn another(
        &self,
        whole: &mut Whole,
        job: &Job,
        measured: Measured,
    ) -> Result<Option<Round>, RunError> {
        let Some(runs) = whole.add(job, measured) else { return Ok(None) };
        let Some(until) = &self.experiment.until else { return Ok(None) };
        let scores = PointScores::new(&*self.composed(job.point)?, runs.cloned().collect());
        let settled = until.settled(&scores).ok_or_else(|| {
            let place = self.experiment.place(&scores.at);
            RunError::Until(until.undefined(&place))
        })?;
        Ok(if settled.met { None } else { whole.again(job.point) })
    }

    /// A point of its runs: queue by queue, seed by seed.
    ///
    /// # Errors
    /// As [`Task::composed`].
    pub(super) fn scores(&self, point: usize, runs: Vec<Measured>) -> Result<PointScores, RunError> {
        let scores = PointScores::new(&*self.composed(point)?, runs);
        let settled = self.experiment.until.as_ref().and_then(|until| until.settled(&scores));
        Ok(PointScores { settled, ..scores })
    }

    /// A point of the plan.
    ///
    /// # Errors
    /// A file that it names is another one, or gone, since the plan was made.
    pub(crate) fn composed(&self, number: usize) -> Result<Arc<Composed>, RunError> {
        let mut recent = self.recent.lock().expect("nobody panics with it");
        if let Some((_, composed)) = recent.iter().find(|(of, _)| *of == number) {
            return Ok(Arc::clone(composed));
        }
        drop(recent);
        let composed = Arc::new(compose(self.experiment, &self.points[number], &self.specs)?);
        if !composed.cells().eq(self.plan.cells(number).iter().copied()) {
            let Experiment { id, .. } = self.experiment;
            let place = self.experiment.place(&self.points[number]);
            return Err(RunError::Changed([id.clone(), place].join(" ").trim_end().into()));
        }
        recent = self.recent.lock().expect("nobody panics with it");
        recent.truncate(RECENT - 1);
        recent.push_front((number, Arc::clone(&composed)));
        Ok(composed)
    }

    /// A run for somebody else to make; `last` has the study of the last one.
    pub(super) fn order(&self, job: &Job, last: &mut Option<(usize, Arc<[u8]>)>) -> Result<Order, RunError> {
        let study = match last.take() {
            Some((point, study)) if point == job.point => study,
            _ => {
                let (written, _) = self.experiment.written(&self.points[job.point])?;
                let study = Study::new(self.experiment.kind, &written.file, &written.text, false);
                study.map_err(RunError::from)?.sent()
            }
        };
        let order = order(&study, &self.specs[job.queue].label, job.seed, self.plan.key(job));
        *last = Some((job.point, study));
        Ok(order)
    }

    /// Where a run is, for people.
    pub(crate) fn place(&self, job: &Job) -> String {
        let at = self.experiment.place(&self.points[job.point]);
        let parts = [at, self.specs[job.queue].label.clone(), format!("seed {}", job.seed)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

fn compose(experiment: &Experiment, at: &[usize], specs: &[QueueSpec]) -> Result<Composed, RunError> {
    let point = experiment.point(at.to_vec())?;
    let build = |spec: &QueueSpec| {
        let built = spec.build(point.workload.queues());
        let place = || experiment.place(at);
        let built = built.map_err(|e| RunError::Queue(format!("{}, {}: {e}", experiment.id, place())))?;
        Ok::<_, RunError>((spec.label.clone(), built))
    };
    let params = specs.iter().map(build).collect::<Result<_, _>>()?;
    Ok(Composed { point, params })
}

impl Work for Task<'_> {
    type Error = RunError;

    fn run(&self, job: &Job, brake: &mut Brake) -> Result<Option<Measured>, RunError> {
        if self.options.only_stored {
            return Err(RunError::Missing(self.place(job)));
        }
        let (experiment, composed) = (self.experiment, self.composed(job.point)?);
        let point = &composed.point;
        let place = experiment.place(&point.at);
        if point.live {
            let queue = &self.specs[job.queue];
            return live::run(self.options.live, &experiment.id, &place, &point.workload, queue, job.seed);
        }
        let wrong = |e| {
            let place = format!("{}, at {place}", experiment.id);
            RunError::Wrong(FileError::Wrong(vec![Problem::of_file(&place, e)]))
        };
        point.workload.run(&composed.params[job.queue].1, job.seed, brake).map_err(wrong)
    }

    /// No two live runs are equal.
    fn takes_stored(&self, job: &Job) -> bool {
        !self.live[job.point] || self.options.resume
    }
}

impl Experiment {
    /// How many points checks look at.
    pub(super) fn checked_points(&self) -> usize {
        self.checked().len()
    }

    /// The points on which the checks of a quick look rest; all where nothing is checked.
    fn checked(&self) -> BTreeSet<Vec<usize>> {
        let points: Vec<Vec<usize>> = self.combinations().collect();
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::made::{HOME, parse};
    use super::*;
    use crate::store::NoStore;

    fn text(lines: &str) -> String {
        let check = |lines: &str| {
            format!(
                "[[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"r\"\nleast = 0\nof = \"g.game_mos\"\n{lines}\n"
            )
        };
        format!(
            "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\", \"red\"]\nseeds = 4\nquick_seeds = 3\n{lines}\n{HOME}\
             [[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [20, 40, 80]\n\
             [[axis]]\nname = \"n\"\nkeys = \"app.g.class\"\nvalues = [1, 2]\n{}{}",
            check("queue = \"chap\"\nat = { q = 80, n = 2 }\nminus = { at = { q = 20 } }"),
            check("queue = \"red\"\nat = { q = 40, n = 1 }\nquick = false")
        )
    }

    /// A quick look has the points that its checks rest on; live, the disciplines alone that these are about.
    #[test]
    fn a_quick_look_has_what_its_checks_need() {
        let stop = AtomicBool::new(false);
        let of = |lines: &str, quick: bool, seeds: Option<&'static [u64]>| {
            let e = parse(&text(lines));
            let options = RunOptions { quick, seeds, ..RunOptions::new(&NoStore, &stop) };
            let task = Task::new(&e, &options).unwrap_or_else(|e| panic!("{e}"));
            let labels: Vec<String> = task.specs.iter().map(|q| q.label.clone()).collect();
            (task.points.clone(), labels.join(" "), task.plan.seeds().to_vec(), task.counts())
        };
        let all: Vec<Vec<usize>> = (0..6).map(|i| vec![i / 2, i % 2]).collect();
        let needed = vec![vec![0, 1], vec![2, 1]];
        assert_eq!(of("", false, None), (all.clone(), "fifo chap red".into(), vec![1, 2, 3, 4], (72, 0)));
        assert_eq!(of("", true, None), (needed.clone(), "fifo chap red".into(), vec![1, 2, 3], (18, 0)));
        assert_eq!(
            of("", true, Some(&[9, 8])),
            (needed.clone(), "fifo chap red".into(), vec![9, 8], (12, 0))
        );
        assert_eq!(of("live = true", true, None), (needed, "chap".into(), vec![1, 2, 3], (6, 0)));
        assert_eq!(of("live = true", false, Some(&[5])), (all, "fifo chap red".into(), vec![5], (18, 0)));
        let e = parse(&text(""));
        assert_eq!(e.checked_points(), 2);
    }

    #[test]
    fn a_run_is_placed_and_a_stop_counts_all() {
        let e = parse(&text(""));
        let stop = AtomicBool::new(false);
        let options = RunOptions { quick: true, ..RunOptions::new(&NoStore, &stop) };
        let task = Task::new(&e, &options).unwrap();
        let job = Job { point: 1, queue: 2, place: 1, seed: 2 };
        assert_eq!(task.place(&job), "q = 80, n = 2, red, seed 2");
        // Looked for by its number, whichever was put together last.
        for number in [1, 0, 1, 0] {
            assert_eq!(task.composed(number).unwrap().point.at, [2 * number, 1]);
        }
        let labels: Vec<String> =
            task.composed(0).unwrap().params.iter().map(|(label, _)| label.clone()).collect();
        assert_eq!(labels, ["fifo", "chap", "red"]);
        // What is not stored is missed at its place.
        let only = RunOptions { only_stored: true, ..options };
        let task = Task::new(&e, &only).unwrap();
        let missing = task.run(&job, &mut Brake::new(&stop, None)).map(|_| ()).unwrap_err().to_string();
        assert_eq!(missing, "q = 80, n = 2, red, seed 2: this run is not there, or damaged");
        stop.store(true, Ordering::Relaxed);
        match Task::new(&e, &options).map(|_| ()) {
            Err(RunError::Stopped(stopped)) => assert_eq!(stopped, Stopped { done: 0, total: 18 }),
            other => panic!("{other:?}"),
        }
        let alone = "title = \"t\"\nsource = \"s\"\nqueues = [\"chap\"]\n";
        let e = parse(&format!("{alone}{HOME}"));
        stop.store(false, Ordering::Relaxed);
        let whole = RunOptions { quick: false, ..options };
        let task = Task::new(&e, &whole).unwrap();
        assert_eq!(task.place(&Job { point: 0, queue: 0, place: 3, seed: 4 }), "chap, seed 4");
    }

    /// A parameter that a discipline does not take is told with its point.
    #[test]
    fn a_discipline_that_cannot_be_is_told() {
        let bad = text("").replace("queue.limit", "queue.chap.limit").replace("80", "99999999");
        let stop = AtomicBool::new(false);
        let options = RunOptions::new(&NoStore, &stop);
        let said = Task::new(&parse(&bad), &options).map(|_| ()).unwrap_err().to_string();
        assert!(said.starts_with("mine, ") && said.contains("q = 99999999, n = 1"), "{said}");
    }
}
