// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is to be run next: the first rounds in the order of the plan, and in front of them what was found to be needed since.
//!
//! What it does not do: it runs nothing, and does not find out what is needed ([`super::execute_rounds`]).

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};

use super::{Job, Plan};

/// The seeds that a further round adds at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The number of the point.
    pub point: usize,
    /// Seeds that it had.
    pub from: usize,
    /// Seeds that it has now.
    pub to: usize,
}

/// Runs on their way.
pub(super) struct Agenda<'a> {
    plan: &'a Plan,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of the next run of a first round.
    next: usize,
    /// Runs of further rounds.
    more: VecDeque<Job>,
    /// How many such there ever were.
    added: usize,
    /// Runs that were taken, and of which nobody has said yet what they lead to.
    open: usize,
    closed: bool,
}

impl<'a> Agenda<'a> {
    pub(super) fn new(plan: &'a Plan) -> Agenda<'a> {
        Agenda { plan, state: Mutex::default(), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }

    /// The next run. Waits where a run under way may lead to more. None: there is none any more.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.state();
        while !state.closed {
            if let Some(job) = self.take(&mut state) {
                return Some(job);
            }
            if state.open == 0 {
                return None;
            }
            state = self.changed.wait(state).expect("nobody panics with it");
        }
        None
    }

    /// The next run; None where there is none now.
    pub(super) fn next_now(&self) -> Option<Job> {
        self.take(&mut self.state())
    }

    fn take(&self, state: &mut State) -> Option<Job> {
        let first = || {
            let mut numbers = state.next..self.plan.all();
            let job = numbers.find_map(|number| self.plan.job(number));
            state.next = numbers.start;
            job
        };
        let job = state.more.pop_front().or_else(first)?;
        state.open += 1;
        Some(job)
    }

    /// A run that was taken led to this.
    pub(super) fn led_to(&self, round: Option<Round>) {
        let mut state = self.state();
        state.open -= 1;
        if let Some(round) = round {
            let jobs = self.plan.round(round);
            state.added += jobs.len();
            state.more.extend(jobs);
        }
        self.changed.notify_all();
    }

    /// Runs of further rounds so far.
    pub(super) fn added(&self) -> usize {
        self.state().added
    }

    /// Hands out nothing any more, as soon as what this gives is dropped: nobody waits for somebody who has gone, even by
    /// a panic.
    pub(super) fn until_dropped(&self) -> Closes<'_> {
        Closes(self)
    }

    pub(super) fn close(&self) {
        // In a panic there may be another one on its way.
        if let Ok(mut state) = self.state.lock() {
            state.closed = true;
        }
        self.changed.notify_all();
    }
}

/// Closes an agenda.
pub(super) struct Closes<'a>(&'a Agenda<'a>);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
