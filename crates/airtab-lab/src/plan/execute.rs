// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The one loop over runs. What comes out depends neither on the number of threads, nor on what was stored, nor on how
//! often it was stopped.
//!
//! What it does not do: no order of what is handed over ([`super::Whole`]).

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

use airtab_scenario::Measured;
use airtab_scenario::digits::count;

use super::agenda::{Agenda, Round};
use super::brake::ends;
use super::{Brake, Budget, Job, Plan};
use crate::store::Store;

/// Makes the runs of a plan.
pub trait Work: Sync {
    /// Why a run cannot be made.
    type Error: Send;

    /// Makes a run; None if the brake ended it.
    ///
    /// # Errors
    /// Why it cannot be made: no further one is begun.
    fn run(&self, job: &Job, brake: &mut Brake) -> Result<Option<Measured>, Self::Error>;

    /// Whether a stored run is as good as one that is made now.
    fn takes_stored(&self, _job: &Job) -> bool {
        true
    }
}

/// How to go through a plan.
#[derive(Clone, Copy)]
pub struct Pace<'a> {
    /// Threads; 0 takes one per processor.
    pub jobs: usize,
    /// Set by anybody at any time: runs under way are ended, no further one is begun.
    pub stop: &'a AtomicBool,
    /// Processor time that runs may take; what is over it ends them as a stop does.
    pub budget: Option<&'a Budget>,
    /// Called after each run, from any thread.
    pub progress: &'a (dyn Fn(Step) + Sync),
}

/// A run is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub job: Job,
    /// How many are, this one counted.
    pub done: usize,
    /// Whether it was stored.
    pub stored: bool,
}

/// It was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped after {done} of {}", count(*total, "run"))]
pub struct Stopped {
    /// Runs finished.
    pub done: usize,
    /// Runs asked for.
    pub total: usize,
}

/// Why not all runs are there.
#[derive(Debug)]
pub enum Halt<E> {
    /// The flag was set, or the budget was spent.
    Stopped(Stopped),
    /// A run could not be made.
    Failed(E),
}

/// Hands every run of the plan to `each`, as they end, on the thread of the caller: those of the store, and those that
/// are not there, which are made and put there first.
///
/// # Errors
/// [`Halt`]; what was made is stored, as far as the store takes it.
///
/// # Panics
/// If threads cannot be started, or a run panics.
pub fn execute<W: Work>(
    plan: &Plan,
    work: &W,
    store: &dyn Store,
    pace: &Pace,
    each: &mut dyn FnMut(Job, Measured),
) -> Result<(), Halt<W::Error>> {
    let alone = &mut |job, measured| {
        each(job, measured);
        Ok(None)
    };
    execute_rounds(plan, work, store, pace, alone).map(|_| ())
}

/// The same, where a run may show that its point needs another round: `each` says so. What rounds there are must depend on
/// whole rounds alone, or it depends on who ends first. Returns how many runs there were.
///
/// # Errors
/// As [`execute`], and the first error of `each`.
///
/// # Panics
/// As [`execute`].
pub fn execute_rounds<W: Work>(
    plan: &Plan,
    work: &W,
    store: &dyn Store,
    pace: &Pace,
    each: &mut dyn FnMut(Job, Measured) -> Result<Option<Round>, W::Error>,
) -> Result<usize, Halt<W::Error>> {
    let crew = Crew { agenda: Agenda::new(plan), plan, work, store, pace, failed: Mutex::new(None) };
    let done = AtomicUsize::new(0);
    let threads = match pace.jobs {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        jobs => jobs,
    };
    let threads = threads.min(plan.all());
    let mut take = |job, measured| match each(job, measured) {
        Ok(round) => crew.agenda.led_to(round),
        Err(e) => crew.fail(e),
    };
    if threads == 1 {
        crew.work_on(&done, |job, measured| {
            take(job, measured);
            true
        });
    } else {
        // Who takes what was made may be slower than those who make it.
        let (send, receive) = mpsc::sync_channel(2 * threads);
        thread::scope(|scope| {
            for _ in 0..threads {
                let (send, crew, done) = (send.clone(), &crew, &done);
                scope.spawn(move || crew.work_on(done, |job, measured| send.send((job, measured)).is_ok()));
            }
            drop(send);
            let _closes = crew.agenda.until_dropped();
            receive.into_iter().for_each(|(job, measured)| take(job, measured));
        });
    }
    let total = plan.total() + crew.agenda.added();
    if let Some(e) = crew.failed.into_inner().expect("nobody panics with it") {
        return Err(Halt::Failed(e));
    }
    let done = done.into_inner();
    if done < total { Err(Halt::Stopped(Stopped { done, total })) } else { Ok(total) }
}

/// Threads that work on one plan.
struct Crew<'a, W: Work> {
    agenda: Agenda<'a>,
    plan: &'a Plan,
    work: &'a W,
    store: &'a dyn Store,
    pace: &'a Pace<'a>,
    failed: Mutex<Option<W::Error>>,
}

impl<W: Work> Crew<'_, W> {
    /// One run after the other, while `take` wants them.
    fn work_on(&self, done: &AtomicUsize, mut take: impl FnMut(Job, Measured) -> bool) {
        // Who leaves does so because there is nothing more to do for anybody.
        let _closes = self.agenda.until_dropped();
        while let Some(job) = self.agenda.next() {
            let Some((measured, stored)) = self.one(&job) else { return };
            (self.pace.progress)(Step { job, done: done.fetch_add(1, Ordering::Relaxed) + 1, stored });
            if !take(job, measured) {
                return;
            }
        }
    }

    /// The first error counts; no further run is begun.
    fn fail(&self, e: W::Error) {
        self.failed.lock().expect("nobody panics with it").get_or_insert(e);
        self.agenda.close();
    }

    /// A run, and whether it was stored; None if there is to be no further one.
    fn one(&self, job: &Job) -> Option<(Measured, bool)> {
        let Pace { stop, budget, .. } = *self.pace;
        if ends(stop, budget) || self.failed.lock().expect("nobody panics with it").is_some() {
            return None;
        }
        let key = self.plan.key(job);
        if self.work.takes_stored(job)
            && let Some(measured) = self.store.get(key)
        {
            return Some((measured, true));
        }
        // From here on: what is stored costs nothing of a budget.
        let mut brake = Brake::new(stop, budget);
        match self.work.run(job, &mut brake) {
            Ok(Some(measured)) => {
                self.store.put(key, &measured);
                Some((measured, false))
            }
            Ok(None) => None,
            Err(e) => {
                self.fail(e);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::{Cell, RunKey};
    use super::*;

    /// A run with `apps` applications.
    fn run(apps: usize) -> Measured {
        let apps = vec![Default::default(); apps];
        Measured { apps, pages: Vec::new(), seconds: Vec::new(), ap: Default::default(), nodes: Vec::new() }
    }

    /// Makes runs of as many applications as the seed says, but none of seed 0; takes no stored run of the first seed.
    struct Maker(Mutex<Vec<(usize, u64)>>);

    impl Work for Maker {
        type Error = String;

        fn run(&self, job: &Job, _: &mut Brake) -> Result<Option<Measured>, String> {
            self.0.lock().unwrap().push((job.point, job.seed));
            match job.seed {
                0 => Err(format!("point {} has no seed 0", job.point)),
                seed => Ok(Some(run(seed as usize))),
            }
        }

        fn takes_stored(&self, job: &Job) -> bool {
            job.place > 0
        }
    }

    #[derive(Default)]
    struct Kept(Mutex<HashMap<RunKey, usize>>);

    impl Store for Kept {
        fn get(&self, key: RunKey) -> Option<Measured> {
            self.0.lock().unwrap().get(&key).map(|apps| run(*apps))
        }

        fn has(&self, key: RunKey) -> bool {
            self.0.lock().unwrap().contains_key(&key)
        }

        fn put(&self, key: RunKey, measured: &Measured) {
            self.0.lock().unwrap().insert(key, measured.apps.len());
        }
    }

    fn plan(seeds: &[u64]) -> Plan {
        let fifo = airtab_core::Params::new(airtab_core::Discipline::named("fifo").unwrap());
        Plan::new(vec![Cell::new(1, &fifo), Cell::new(2, &fifo)], 1, seeds.to_vec())
    }

    /// A stored run is taken where it will do, and what is made is kept in its place.
    #[test]
    fn each_run_is_made_or_taken_and_counted() {
        let (plan, store, stop) = (plan(&[3, 5]), Kept::default(), AtomicBool::new(false));
        let jobs: Vec<Job> = plan.jobs().collect();
        // Of both seeds of the first point, and of none of the second.
        for (job, apps) in [(jobs[0], 30), (jobs[1], 50)] {
            store.put(plan.key(&job), &run(apps));
        }
        let steps = Mutex::new(Vec::new());
        let progress = |step: Step| steps.lock().unwrap().push((step.job, step.done, step.stored));
        let pace = Pace { jobs: 1, stop: &stop, budget: None, progress: &progress };
        let (work, mut seen) = (Maker(Mutex::default()), Vec::new());
        execute(&plan, &work, &store, &pace, &mut |job, run| seen.push((job, run.apps.len()))).unwrap();
        assert_eq!(seen, [(jobs[0], 3), (jobs[1], 50), (jobs[2], 3), (jobs[3], 5)]);
        let stored = [false, true, false, false];
        let told: Vec<_> =
            jobs.iter().zip(1..).zip(stored).map(|((job, done), stored)| (*job, done, stored)).collect();
        assert_eq!(*steps.lock().unwrap(), told);
        assert_eq!(*work.0.lock().unwrap(), [(0, 3), (1, 3), (1, 5)]);
        let kept = jobs.iter().zip([3, 50, 3, 5]).map(|(job, apps)| (plan.key(job), apps)).collect();
        assert_eq!(*store.0.lock().unwrap(), kept);
    }

    /// The first error ends it, whoever has it: no further run is begun, and those before it are kept.
    #[test]
    fn an_error_ends_a_plan_and_a_stop_counts_what_is_done() {
        let stop = AtomicBool::new(false);
        let pace = Pace { jobs: 1, stop: &stop, budget: None, progress: &|_| () };
        let (store, work) = (Kept::default(), Maker(Mutex::default()));
        match execute(&plan(&[4, 0, 6]), &work, &store, &pace, &mut |_, _| ()) {
            Err(Halt::Failed(e)) => assert_eq!(e, "point 0 has no seed 0"),
            other => panic!("{other:?}"),
        }
        assert_eq!((work.0.into_inner().unwrap(), store.0.lock().unwrap().len()), (vec![(0, 4), (0, 0)], 1));
        let (store, work) = (Kept::default(), Maker(Mutex::default()));
        let each =
            &mut |job: Job, _| if job.seed == 6 { Err(format!("enough at {}", job.point)) } else { Ok(None) };
        match execute_rounds(&plan(&[4, 6]), &work, &store, &pace, each) {
            Err(Halt::Failed(e)) => assert_eq!(e, "enough at 0"),
            other => panic!("{other:?}"),
        }
        assert_eq!((work.0.into_inner().unwrap(), store.0.lock().unwrap().len()), (vec![(0, 4), (0, 6)], 2));
        for (after, done) in [(1, Some(1)), (3, Some(3)), (4, None)] {
            stop.store(false, Ordering::Relaxed);
            let progress = |step: Step| stop.store(step.done == after, Ordering::Relaxed);
            let pace = Pace { progress: &progress, ..pace };
            let ended =
                execute(&plan(&[4, 6]), &Maker(Mutex::default()), &Kept::default(), &pace, &mut |_, _| ());
            match (ended, done) {
                (Err(Halt::Stopped(stopped)), Some(done)) => assert_eq!(stopped, Stopped { done, total: 4 }),
                // All of them are there: nothing was stopped.
                (Ok(()), None) => {}
                other => panic!("{after}: {other:?}"),
            }
        }
        let one = |done, total| Stopped { done, total }.to_string();
        assert_eq!([one(0, 1), one(1, 2)], ["stopped after 0 of 1 run", "stopped after 1 of 2 runs"]);
    }
}
