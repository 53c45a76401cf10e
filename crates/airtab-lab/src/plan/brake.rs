// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Ends a run from inside it: as soon as a flag is set, or the processor time of all runs is used up.
//!
//! A simulation has no clock. So the brake looks at the run after a slice of simulated time, and makes the next slice
//! longer or shorter, so that one takes about [`SLICE`] of the processor; looking changes nothing in a run.
//!
//! What it does not do: runs of formulas and of a server of fixed times take less than a moment, and have none.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use airtab_sim::{Observer, Simulation};
use cpu_time::ThreadTime;

/// Processor time between two looks: a fiftieth of the 0.1 s after which a stop must be seen, as what goes on in a
/// run may become many times as much from one slice to the next.
const SLICE: Duration = Duration::from_millis(2);
/// The first slice of simulated time, ns.
const FIRST_NS: u64 = 1_000_000;

/// Processor time that all runs of a plan may take together.
#[derive(Debug)]
pub struct Budget {
    whole: Duration,
    /// ns
    used: AtomicU64,
}

impl Budget {
    /// So much.
    pub fn new(whole: Duration) -> Budget {
        Budget { whole, used: AtomicU64::new(0) }
    }

    /// Whether it is used up.
    pub fn is_spent(&self) -> bool {
        self.used() >= self.whole
    }

    /// What was taken of it.
    pub fn used(&self) -> Duration {
        Duration::from_nanos(self.used.load(Ordering::Relaxed))
    }

    fn take(&self, time: Duration) {
        self.used.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// Whether runs are to end.
pub(super) fn ends(stop: &AtomicBool, budget: Option<&Budget>) -> bool {
    stop.load(Ordering::Relaxed) || budget.is_some_and(Budget::is_spent)
}

/// Looks at one run, on the thread that makes it.
pub struct Brake<'a> {
    stop: &'a AtomicBool,
    budget: Option<&'a Budget>,
    next_ns: u64,
    slice_ns: u64,
    /// Processor time of this thread at the last look.
    last: Duration,
}

impl<'a> Brake<'a> {
    /// For a run that begins now.
    pub fn new(stop: &'a AtomicBool, budget: Option<&'a Budget>) -> Brake<'a> {
        Brake { stop, budget, next_ns: FIRST_NS, slice_ns: FIRST_NS, last: thread_time() }
    }

    /// Whether runs are to end.
    pub fn is_on(&self) -> bool {
        ends(self.stop, self.budget)
    }

    /// Notes what the run took since the last look.
    fn note(&mut self) -> Duration {
        let now = thread_time();
        let took = now.saturating_sub(self.last);
        self.last = now;
        if let Some(budget) = self.budget {
            budget.take(took);
        }
        took
    }
}

impl Drop for Brake<'_> {
    fn drop(&mut self) {
        self.note();
    }
}

impl Observer for Brake<'_> {
    fn next_at(&self) -> u64 {
        self.next_ns
    }

    fn look(&mut self, now: u64, _: &mut Simulation) {
        self.slice_ns = match self.note() {
            took if took > SLICE => (self.slice_ns / 2).max(1),
            took if took < SLICE / 2 => self.slice_ns.saturating_mul(2),
            _ => self.slice_ns,
        };
        self.next_ns = now.saturating_add(self.slice_ns);
    }

    fn ends(&self) -> bool {
        self.is_on()
    }
}

/// Processor time of this thread.
fn thread_time() -> Duration {
    ThreadTime::now().as_duration()
}

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;
    use airtab_core::Params;
    use airtab_scenario::ScenarioFile;

    use super::*;

    #[test]
    fn a_budget_is_the_sum_of_what_is_taken() {
        let budget = Budget::new(Duration::from_millis(7));
        budget.take(Duration::from_millis(3));
        budget.take(Duration::from_nanos(3_999_999));
        assert_eq!((budget.used(), budget.is_spent()), (Duration::from_nanos(6_999_999), false));
        budget.take(Duration::from_nanos(1));
        assert!(budget.is_spent(), "all of it");
        let stop = AtomicBool::new(false);
        assert!(ends(&stop, Some(&budget)) && !ends(&stop, None));
        stop.store(true, Ordering::Relaxed);
        assert!(ends(&stop, None) && ends(&stop, Some(&Budget::new(Duration::MAX))));
    }

    /// However often it looks, it takes no more than the thread has used since it began.
    #[test]
    fn a_look_takes_what_was_used_since_the_last_one() {
        let params = Params::new(Discipline::named("fifo").unwrap());
        let mut simulation = Simulation::new(&ScenarioFile::home().scenario, &params, 1);
        let (budget, stop) = (Budget::new(Duration::MAX), AtomicBool::new(false));
        let begin = thread_time();
        let mut brake = Brake::new(&stop, Some(&budget));
        for now in 0..200 {
            brake.look(now, &mut simulation);
        }
        drop(brake);
        let used = budget.used();
        assert!(used > Duration::ZERO && used <= thread_time() - begin, "{used:?}");
        // The next run does not pay for what was before it, and no look is at a time that has gone.
        let mut brake = Brake::new(&stop, Some(&budget));
        assert_eq!(brake.next_at(), FIRST_NS);
        // What takes next to nothing is looked at twice as seldom each time.
        for (now, slice_ns) in
            [(5_000_000_000, 2 * FIRST_NS), (5_000_000_007, 4 * FIRST_NS), (6_000_000_000, 8 * FIRST_NS)]
        {
            brake.look(now, &mut simulation);
            assert_eq!(brake.next_at(), now + slice_ns);
        }
        drop(brake);
        assert!(budget.used() <= thread_time() - begin);
    }
}
