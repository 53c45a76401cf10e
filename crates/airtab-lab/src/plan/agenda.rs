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

#[cfg(test)]
mod tests {
    use super::super::{Cell, Part};
    use super::*;

    fn number(cell: u128) -> Cell {
        let fifo = airtab_core::Discipline::named("fifo").unwrap();
        Cell::new(cell, &airtab_core::Params::new(fifo))
    }

    fn seeds(agenda: &Agenda, runs: usize) -> Vec<(usize, usize, u64)> {
        let next = |_| agenda.next_now().map(|job| (job.point, job.queue, job.seed));
        (0..runs).filter_map(next).collect()
    }

    /// Further rounds go before what is left of the first ones, in the order in which they were added.
    #[test]
    fn further_rounds_go_first() {
        let plan = Plan::new((0..6).map(number).collect(), 2, vec![4, 5, 6, 7]).in_rounds(1);
        let agenda = Agenda::new(&plan);
        assert_eq!(seeds(&agenda, 3), [(0, 0, 4), (0, 1, 4), (1, 0, 4)]);
        agenda.led_to(None);
        assert_eq!(agenda.added(), 0);
        agenda.led_to(Some(Round { point: 0, from: 1, to: 2 }));
        agenda.led_to(Some(Round { point: 1, from: 2, to: 4 }));
        assert_eq!(agenda.added(), 2 + 4);
        let further = [(0, 0, 5), (0, 1, 5), (1, 0, 6), (1, 0, 7), (1, 1, 6), (1, 1, 7)];
        assert_eq!(seeds(&agenda, 6), further);
        assert_eq!(seeds(&agenda, 9), [(1, 1, 4), (2, 0, 4), (2, 1, 4)], "then the rest");
    }

    /// The agenda ends when no run is in progress, or when it is closed; runs of other machines are left out.
    #[test]
    fn it_ends() {
        let plan = Plan::new((0..3).map(number).collect(), 1, vec![1, 2]).part(Part { number: 1, of: 3 });
        let agenda = Agenda::new(&plan);
        let all: Vec<_> = (0..2).filter_map(|_| agenda.next()).map(|job| (job.point, job.seed)).collect();
        assert_eq!(all, [(1, 1), (1, 2)]);
        agenda.led_to(None);
        agenda.led_to(None);
        assert_eq!(agenda.next(), None);
        let closed = Agenda::new(&plan);
        drop(closed.until_dropped());
        assert_eq!(closed.next(), None, "though two are left");
    }
}
