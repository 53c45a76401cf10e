// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The governor between a discipline and the driver below it: what leaves is estimated and counted, what
//! is reported is charged to who left (`airtab/governor.h`).
//!
//! A packet's estimate is its share of the longest aggregate of full-size packets at its station's rate, by
//! bytes, with the wait for the channel before it.
//!
//! What it does not do: no reports (`reports`); what a group's frame takes is the core's nominal time.

use airtab_core::{
    Governor, GovernorNow, GovernorParams, GovernorStats, Link, Pool, Qdisc, Ticket, Tx, time::MS,
};

use super::config::GovernorConfig;
use super::links::FULL;
use super::reports::Report;
use crate::engine::NEVER;

/// A governor, and what its host has to keep.
pub(super) struct Governed {
    governor: Governor,
    /// Each aggregate with the wait before it.
    links: Vec<Link>,
    access_ns: u32,
    /// By the places of the governor's records.
    kept: Vec<Kept>,
}

/// What is to be told once it is known what a packet took.
#[derive(Clone, Copy, Default)]
struct Kept {
    record: u64,
    ticket: Ticket,
    tx: Tx,
}

impl Governed {
    /// With nothing outstanding, at time 0; `access_ns`: how long the channel has to be free, on average,
    /// before an aggregate goes.
    ///
    /// # Panics
    /// If [`GovernorConfig::check`] would fail.
    pub(super) fn new(config: &GovernorConfig, links: &[Link], access_ns: u32) -> Governed {
        let params = config.params(links.len());
        let governor = Governor::new(&params, 0).expect("it was checked");
        let kept = vec![Kept::default(); params.records as usize];
        let mut governed = Governed { governor, links: links.to_vec(), access_ns, kept };
        links.iter().for_each(|link| governed.link(link, 0));
        governed
    }

    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        self.governor.wake().unwrap_or(NEVER)
    }

    /// Whether a packet may leave.
    pub(super) fn is_open(&self) -> bool {
        self.governor.open()
    }

    /// A packet of a user priority left: its record, 0: none.
    pub(super) fn left(&mut self, sta: u16, bytes: u32, up: u16, now: u64) -> u64 {
        let link = self.links.get(usize::from(sta)).filter(|link| link.ampdu_frames > 0);
        let share =
            |link: &Link| u64::from(bytes) * u64::from(link.ampdu_ns) / u64::from(link.ampdu_frames * FULL);
        let record = self.governor.left(sta, bytes, link.map_or(0, share), up, now).unwrap_or(0);
        if record > 0 {
            self.kept[Governor::place(record)] = Kept { record, ..Kept::default() };
        }
        record
    }

    /// The driver is done with a packet.
    pub(super) fn done(&mut self, report: &Report, now: u64) {
        let kept = &mut self.kept[Governor::place(report.record)];
        if let Some(tx) = report.tx.filter(|_| kept.record == report.record) {
            (kept.ticket, kept.tx) = (report.ticket, tx);
        }
        self.governor.done(report.record, report.tx.is_some(), now);
    }

    /// All packets of the batch are reported.
    pub(super) fn settle(&mut self) {
        self.governor.settle();
    }

    /// A frame that was not this driver's ended, which took so long.
    pub(super) fn heard(&mut self, ns: u64, now: u64) {
        self.governor.heard(ns, now);
    }

    /// A station's link is another one.
    pub(super) fn link(&mut self, link: &Link, now: u64) {
        let wait = if link.here { self.access_ns } else { 0 };
        let link = Link { ampdu_ns: link.ampdu_ns + wait, ..*link };
        self.links[usize::from(link.sta)] = link;
        self.governor.link(&link, now);
    }

    /// PHY rate by which a station's packets are estimated, kb/s.
    pub(super) fn kbps(&self, station: u16) -> u32 {
        self.links[usize::from(station)].rate_kbps
    }

    /// Tells the discipline what has become known by `now`.
    pub(super) fn tell<T: Copy>(&mut self, queue: &mut Qdisc, pool: &mut Pool<T>, now: u64) {
        self.governor.tick(now);
        while let Some((record, air)) = self.governor.air() {
            let kept = &self.kept[Governor::place(record)];
            if kept.record == record {
                queue.sent(&kept.ticket, &Tx { air, ..kept.tx }, now);
            }
        }
        while let Some((station, open)) = self.governor.gates() {
            queue.gate(pool, station, open, now);
        }
    }

    /// Another discipline took over: the old one's tickets are worth nothing, and all of its gates are open.
    pub(super) fn swapped(&mut self) {
        self.kept.iter_mut().for_each(|kept| kept.ticket = Ticket::default());
        self.governor.retell();
    }

    pub(super) fn read(&self) -> (GovernorStats, GovernorNow) {
        self.governor.read()
    }
}

impl GovernorConfig {
    /// The governor's parameters for this number of stations. Others have their defaults; `expiry` is longer where `stale` is.
    fn params(&self, stations: usize) -> GovernorParams {
        let default = GovernorParams::default();
        GovernorParams {
            inflight: self.inflight_ns,
            inflight_station: self.inflight_station_ns,
            stale: self.stale_ns,
            expiry: default.expiry.max(self.stale_ns.saturating_add(MS as u32)),
            stations: u32::try_from(stations).expect("stations are few"),
            ..default
        }
    }

    /// What is wrong with the values, if anything is.
    ///
    /// # Errors
    /// Says what is allowed.
    pub fn check(&self) -> Result<(), &'static str> {
        self.params(1).check()
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::{Discipline, Meta, Params};

    use super::*;

    /// A station whose budget is full is closed to the discipline that takes over, too, and what the old one's
    /// packets took is told to nobody.
    #[test]
    fn another_discipline_is_told_of_closed_gates_and_of_no_old_tickets() {
        let mut pool: Pool<u32> = Pool::new();
        let queue = |pool: &Pool<u32>| {
            let chap = Discipline::named("chap").expect("registered");
            Qdisc::new(pool, &Params::new(chap), 1, 0)
        };
        let mut old = queue(&pool);
        let link = Link { sta: 0, here: true, ampdu_frames: 10, ampdu_ns: 4_000_000, ..Link::default() };
        let mut governed = Governed::new(&GovernorConfig::default(), &[link], 0);
        let send = |pool: &mut Pool<u32>, queue: &mut Qdisc| {
            let meta = Meta { bytes: FULL, flow: 1, sta: 0, ..Meta::default() };
            let packet = pool.insert(meta, 0);
            queue.enqueue(pool, packet, 0);
        };
        (0..11).for_each(|_| send(&mut pool, &mut old));
        let mut reports = Vec::new();
        while let Some((packet, ticket)) = old.dequeue(&mut pool, 0) {
            pool.remove(packet);
            let record = governed.left(0, FULL, 0, 0);
            reports.push(Report {
                ticket,
                record,
                aggregate: 0,
                tx: Some(Tx { attempts: 1, ..Tx::default() }),
            });
            governed.tell(&mut old, &mut pool, 0);
        }
        assert_eq!((reports.len(), old.len()), (10, 1), "an aggregate of 4 ms is outstanding");
        // One is reported, and what it took is not known yet.
        governed.done(&reports[0], 400_000);
        governed.tell(&mut old, &mut pool, 400_000);
        send(&mut pool, &mut old);
        while let Some((packet, _)) = old.dequeue(&mut pool, 400_000) {
            pool.remove(packet);
            governed.left(0, FULL, 0, 400_000);
            governed.tell(&mut old, &mut pool, 400_000);
        }
        let mut new = queue(&pool);
        governed.swapped();
        send(&mut pool, &mut new);
        governed.tell(&mut new, &mut pool, 400_000);
        assert!(new.dequeue(&mut pool, 400_000).is_none() && new.len() == 1, "its gate is closed");
        governed.settle();
        governed.tell(&mut new, &mut pool, 400_000);
        let stale =
            new.discipline().stats().iter().position(|s| s.name == "stale").expect("chap counts them");
        assert_eq!(new.stats(400_000)[stale], 0);
    }
}
