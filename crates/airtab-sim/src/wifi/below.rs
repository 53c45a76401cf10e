// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What an access point's discipline learns of the driver below it: by its reports (`reports`), or from the
//! governor that gets them in its place, and says when packets may leave (`governed`).
//!
//! What it does not do: without a governor nobody holds packets back but the driver's ring.

use airtab_core::{GovernorNow, GovernorStats, Handle, Link, Pool, Qdisc};

use super::config::DriverConfig;
use super::governed::Governed;
use super::reports::{Report, Reports};
use crate::engine::{NEVER, Stream};

/// One driver's reports, and the governor that is told of them.
pub(super) struct Below {
    reports: Reports,
    governed: Option<Governed>,
}

impl Below {
    /// None: the discipline is told of everything at once.
    pub(super) fn new(
        driver: &DriverConfig,
        links: &[Link],
        access_ns: u32,
        draws: Stream,
    ) -> Option<Box<Below>> {
        if driver.tells_at_once() {
            return None;
        }
        let governed = driver.governor.map(|config| Governed::new(&config, links, access_ns));
        Some(Box::new(Below { reports: Reports::new(driver, draws), governed }))
    }

    /// When [`Below::tell`] has something to tell, if nothing else happens.
    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        self.reports.due().min(self.governed.as_ref().map_or(NEVER, Governed::next_event))
    }

    /// Tells the discipline what there is to tell at `now`.
    pub(super) fn tell<T: Copy>(&mut self, queue: &mut Qdisc, pool: &mut Pool<T>, now: u64) {
        self.come(queue, now);
        if let Some(governed) = &mut self.governed {
            // Who reports one by one does not say which is the last.
            if self.reports.gathers() {
                governed.settle();
            }
            governed.tell(queue, pool, now);
        }
    }

    /// Whether a packet may leave.
    pub(super) fn is_open(&self) -> bool {
        self.governed.as_ref().is_none_or(Governed::is_open)
    }

    /// A packet of a user priority leaves for the driver: its record, 0: none.
    pub(super) fn left<T: Copy>(
        &mut self,
        queue: &mut Qdisc,
        pool: &Pool<T>,
        packet: Handle,
        up: u16,
        now: u64,
    ) -> u64 {
        let governed = self.governed.as_mut();
        let record = governed.map_or(0, |g| g.left(pool.sta(packet), pool.bytes(packet), up, now));
        self.reports.got(record, now);
        self.come(queue, now);
        record
    }

    /// A packet's fate is decided; `last`: the last one's of its aggregate.
    pub(super) fn over(&mut self, queue: &mut Qdisc, report: Report, last: bool, now: u64) {
        self.reports.over(report, last, now);
        self.come(queue, now);
    }

    /// A frame that was not this driver's ended, which took so long.
    pub(super) fn heard(&mut self, ns: u64, now: u64) {
        if let Some(governed) = &mut self.governed {
            governed.heard(ns, now);
        }
    }

    /// A station's link is another one.
    pub(super) fn link(&mut self, link: &Link, now: u64) {
        if let Some(governed) = &mut self.governed {
            governed.link(link, now);
        }
    }

    /// PHY rate by which a station's packets are estimated, kb/s, if they are.
    pub(super) fn kbps(&self, station: u16) -> Option<u32> {
        self.governed.as_ref().map(|governed| governed.kbps(station))
    }

    /// Another discipline took over.
    pub(super) fn swapped(&mut self) {
        self.reports.forget_tickets();
        if let Some(governed) = &mut self.governed {
            governed.swapped();
        }
    }

    /// The governor's counters, and what there is now.
    pub(super) fn governor(&self) -> Option<(GovernorStats, GovernorNow)> {
        self.governed.as_ref().map(Governed::read)
    }

    /// Reports that have come by `now`.
    fn come(&mut self, queue: &mut Qdisc, now: u64) {
        while let Some(report) = self.reports.come(now) {
            match (&mut self.governed, &report.tx) {
                (Some(governed), _) => governed.done(&report, now),
                (None, Some(tx)) => queue.sent(&report.ticket, tx, now),
                (None, None) => {}
            }
        }
    }
}
