// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How far the access point's queue swings: the standard deviation of the packets in
//! it over the measured part of a run, by time.
//!
//! What it does not do: the access point's mean is its applications' (`meter`), which add up to it.

use std::ops::Range;

/// The queue over time.
pub(crate) struct Backlog {
    part: Range<u64>,
    held: u64,
    /// The most that it held for any time so far: a packet that is refused comes and leaves at once.
    most: u64,
    since: u64,
    /// Packets times ns, and their squares times ns.
    area: u128,
    squares: u128,
}

impl Backlog {
    pub(crate) fn new(part: Range<u64>) -> Backlog {
        Backlog { part, held: 0, most: 0, since: 0, area: 0, squares: 0 }
    }

    /// A packet came, or left in whatever way.
    pub(crate) fn changed(&mut self, came: bool, now: u64) {
        self.until(now);
        self.held = if came { self.held + 1 } else { self.held - 1 };
    }

    /// At the end of the run: the most that it ever held.
    pub(crate) fn most(&mut self, now: u64) -> u64 {
        self.until(now);
        self.most
    }

    /// Whether that time is in the measured part.
    pub(crate) fn measures(&self, now: u64) -> bool {
        self.part.contains(&now)
    }

    /// At the end of the run: how many it held, by time.
    pub(crate) fn mean(&mut self, now: u64) -> f64 {
        self.until(now);
        self.area as f64 / (self.part.end - self.part.start) as f64
    }

    fn until(&mut self, now: u64) {
        let ns = now.min(self.part.end).saturating_sub(self.since.max(self.part.start));
        self.area += u128::from(self.held * ns);
        self.squares += u128::from(self.held * ns) * u128::from(self.held);
        if now > self.since {
            self.most = self.most.max(self.held);
        }
        self.since = now;
    }

    /// At the end of the run.
    pub(crate) fn deviation(mut self, now: u64) -> f64 {
        self.until(now);
        let ns = u128::from(self.part.end - self.part.start);
        // Exact up to here: of a queue that stands still it is 0.
        ((self.squares * ns - self.area * self.area) as f64).sqrt() / ns as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(steps: &[(bool, u64)]) -> f64 {
        let mut backlog = Backlog::new(100..200);
        steps.iter().for_each(|(came, at)| backlog.changed(*came, *at));
        backlog.deviation(300)
    }

    /// Two wait; a third is refused. The last one is there until the end.
    #[test]
    fn the_most_is_what_waited() {
        let mut backlog = Backlog::new(100..200);
        for (came, at) in [(true, 10), (true, 20), (true, 30), (false, 30)] {
            backlog.changed(came, at);
        }
        assert_eq!(backlog.most(30), 2);
        backlog.changed(true, 40);
        assert_eq!((backlog.most(40), backlog.most(50)), (2, 3));
    }

    #[test]
    fn by_time_in_the_measured_part() {
        // Nothing, and one or five that stand still.
        assert_eq!(deviation(&[]), 0.0);
        assert_eq!(deviation(&[(true, 50)]), 0.0);
        assert_eq!(deviation(&[(true, 0); 5]), 0.0);
        // 0 and 2, half of the time each: 1. What is before and behind does not count.
        assert_eq!(deviation(&[(true, 150), (true, 150)]), 1.0);
        assert_eq!(deviation(&[(true, 10), (false, 99), (true, 150), (true, 150), (false, 200)]), 1.0);
        // 3 in a quarter of the time: 3 sqrt(1/4 3/4).
        let three = [(true, 120), (true, 120), (true, 120), (false, 145), (false, 145), (false, 145)];
        assert!((deviation(&three) - 3.0 * (3.0f64 / 16.0).sqrt()).abs() < 1e-12);
    }
}
