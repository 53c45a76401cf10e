// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! When the next segment may leave, if they are to leave at a rate.
//!
//! As Linux's `sch_fq` and its TCP's own pacing: a segment of `b` bytes keeps the next one back for `b / rate`. Intervals
//! are whole nanoseconds, what is left over counts in the next, so that a train keeps its rate. Time in which nothing was
//! sent is not made up for.
//!
//! What it does not do: the rate (`congestion`); Linux's first ten segments without pacing, its bunches of 1 ms for large
//! rates.

use airtab_core::time::SECOND;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacer {
    next: u64,
    /// What the last interval was cut by: less than 1 ns, in ns times bytes per second.
    rest: u64,
}

impl Pacer {
    /// When the next segment may leave, ns.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// A segment of `bytes` leaves at `now`; `rate` in bytes per second, above 0.
    pub fn on_sent(&mut self, now: u64, bytes: u64, rate: u64) {
        if now > self.next {
            *self = Pacer { next: now, rest: 0 };
        }
        let work = bytes * SECOND + self.rest;
        self.next += work / rate;
        self.rest = work % rate;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 bytes/s, a byte each: a third of a second, and after three a whole one.
    #[test]
    fn a_train_keeps_its_rate() {
        let mut pacer = Pacer::default();
        let mut leave = |now| {
            pacer.on_sent(now, 1, 3);
            pacer.next()
        };
        assert_eq!(leave(0), 333_333_333);
        assert_eq!(leave(333_333_333), 666_666_666);
        assert_eq!(leave(666_666_666), SECOND);
        assert_eq!(leave(3 * SECOND), 3 * SECOND + 333_333_333, "a new train");
    }
}
