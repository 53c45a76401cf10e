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
