// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the access point's driver says of packets that it is done with, and when: one by one or an
//! aggregate at a time, late, not at all, or when it gets them (it lets go of them: it orphans them).
//!
//! What it does not do: who is told is said elsewhere (`below`); a report is late by the same time each.

use std::collections::VecDeque;

use airtab_core::{Ticket, Tx};

use super::config::{Completions, DriverConfig};
use super::exchange::Part;
use crate::engine::{Chance, NEVER, Stream};

/// The driver is done with a packet.
#[derive(Clone, Copy)]
pub(super) struct Report {
    pub(super) ticket: Ticket,
    /// Its record at the governor; 0: none.
    pub(super) record: u64,
    /// Number of the aggregate that it was in first.
    pub(super) aggregate: u32,
    /// What it took; None: the driver let go of it, and nobody knows.
    pub(super) tx: Option<Tx>,
}

/// Reports on their way.
pub(super) struct Reports {
    completions: Completions,
    delay_ns: u64,
    lost: Chance,
    orphan: bool,
    draws: Stream,
    /// Of aggregates that are not over.
    gathered: Vec<Report>,
    /// With the times when they come, the first in front.
    coming: VecDeque<(u64, Report)>,
}

impl Reports {
    /// None under way; `draws` says which are lost.
    pub(super) fn new(driver: &DriverConfig, draws: Stream) -> Reports {
        Reports {
            completions: driver.completions,
            delay_ns: driver.completion_delay_ns,
            lost: Chance::new(driver.completions_lost),
            orphan: driver.orphan,
            draws,
            gathered: Vec::with_capacity(1024),
            coming: VecDeque::with_capacity(1024),
        }
    }

    /// Whether all of an aggregate are told at once.
    pub(super) fn gathers(&self) -> bool {
        self.completions == Completions::Aggregate
    }

    /// The driver got a packet with a record.
    pub(super) fn got(&mut self, record: u64, now: u64) {
        if self.orphan {
            self.send(Report { ticket: Ticket::default(), record, aggregate: 0, tx: None }, now);
        }
    }

    /// A packet's fate is decided; `last`: the last one's of its aggregate.
    pub(super) fn over(&mut self, report: Report, last: bool, now: u64) {
        if self.orphan {
            return;
        }
        if !self.gathers() {
            return self.send(report, now);
        }
        self.gathered.push(report);
        if last {
            let mut kept = 0;
            for i in 0..self.gathered.len() {
                let one = self.gathered[i];
                if one.aggregate == report.aggregate {
                    self.send(one, now);
                } else {
                    self.gathered[kept] = one;
                    kept += 1;
                }
            }
            self.gathered.truncate(kept);
        }
    }

    /// When the next one comes.
    #[inline]
    pub(super) fn due(&self) -> u64 {
        self.coming.front().map_or(NEVER, |(at, _)| *at)
    }

    /// The next one that has come by `now`.
    pub(super) fn come(&mut self, now: u64) -> Option<Report> {
        if self.due() > now {
            return None;
        }
        self.coming.pop_front().map(|(_, report)| report)
    }

    /// Tickets are worth nothing any more.
    pub(super) fn forget_tickets(&mut self) {
        let coming = self.coming.iter_mut().map(|(_, report)| report);
        self.gathered.iter_mut().chain(coming).for_each(|report| report.ticket = Ticket::default());
    }

    fn send(&mut self, report: Report, now: u64) {
        if self.lost == Chance::NONE || !self.draws.happens(self.lost) {
            self.coming.push_back((now + self.delay_ns, report));
        }
    }
}

/// How many packets of each aggregate are not decided yet.
pub(super) struct Undecided {
    /// Number of an aggregate, and how many, the oldest in front.
    aggregates: VecDeque<(u32, u32)>,
    made: u32,
}

impl Undecided {
    pub(super) fn new() -> Undecided {
        Undecided { aggregates: VecDeque::with_capacity(64), made: 0 }
    }

    /// An aggregate is made: those that were in none before are in this one.
    pub(super) fn made(&mut self, parts: &mut [Part]) {
        self.made = self.made.wrapping_add(1).max(1);
        let mut packets = 0;
        for part in parts.iter_mut().filter(|part| part.aggregate == 0) {
            part.aggregate = self.made;
            packets += 1;
        }
        if packets > 0 {
            self.aggregates.push_back((self.made, packets));
        }
    }

    /// A packet's fate is decided. True: it was the last one of its aggregate.
    pub(super) fn decided(&mut self, aggregate: u32) -> bool {
        let place = self.aggregates.iter().position(|(number, _)| *number == aggregate);
        let place = place.expect("it was made");
        let left = &mut self.aggregates[place].1;
        *left -= 1;
        let last = *left == 0;
        if last {
            self.aggregates.remove(place);
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(record: u64, aggregate: u32) -> Report {
        Report { ticket: Ticket::default(), record, aggregate, tx: Some(Tx::default()) }
    }

    fn come(reports: &mut Reports, now: u64) -> Vec<u64> {
        std::iter::from_fn(|| reports.come(now)).map(|report| report.record).collect()
    }

    #[test]
    fn one_by_one_and_late() {
        let driver = DriverConfig { completion_delay_ns: 10, ..DriverConfig::default() };
        let mut reports = Reports::new(&driver, Stream::new(1, "completions"));
        assert_eq!(reports.due(), NEVER);
        reports.over(report(1, 1), false, 0);
        reports.over(report(2, 1), true, 5);
        reports.got(3, 5);
        assert_eq!((reports.due(), come(&mut reports, 9)), (10, vec![]));
        assert_eq!(come(&mut reports, 10), [1]);
        assert_eq!((reports.due(), come(&mut reports, 20)), (15, vec![2]));
    }

    #[test]
    fn an_aggregate_at_a_time() {
        let driver = DriverConfig { completions: Completions::Aggregate, ..DriverConfig::default() };
        let mut reports = Reports::new(&driver, Stream::new(1, "completions"));
        for (record, aggregate) in [(1, 1), (2, 2), (3, 1)] {
            reports.over(report(record, aggregate), false, 0);
        }
        assert_eq!(come(&mut reports, 0), []);
        reports.over(report(4, 1), true, 7);
        assert_eq!(come(&mut reports, 7), [1, 3, 4]);
        reports.over(report(5, 2), true, 8);
        assert_eq!(come(&mut reports, 8), [2, 5]);
    }

    #[test]
    fn who_lets_go_tells_at_once_and_never_again() {
        let driver = DriverConfig { orphan: true, ..DriverConfig::default() };
        let mut reports = Reports::new(&driver, Stream::new(1, "completions"));
        reports.got(1, 4);
        let report_of_1 = reports.come(4).expect("at once");
        assert!(report_of_1.record == 1 && report_of_1.tx.is_none());
        reports.over(report(1, 1), true, 9);
        assert_eq!(come(&mut reports, 99), []);
    }

    #[test]
    fn as_many_are_lost_as_are_said_to_be() {
        let driver = DriverConfig { completions_lost: 0.25, ..DriverConfig::default() };
        let mut reports = Reports::new(&driver, Stream::new(1, "completions"));
        (0..10_000).for_each(|record| reports.over(report(record, 1), true, 0));
        let come = come(&mut reports, 0).len();
        assert!((7300..7700).contains(&come), "{come} of 10000; 7500 +- 4 sigma of 43");
    }
}
