// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a discipline is told of the stations' links (`airtab/qdisc.h`, `link`): of
//! each station at the start, whenever its link changes, and every 100 ms. A
//! discipline that does not want to know costs nothing.
//!
//! What it does not do: no aggregates and one spatial stream, as the media have them.

use airtab_core::{Handle, Link, Phy, Pool, Qdisc, time::MS};

use crate::engine::NEVER;

/// From one sample to the next, ns.
const EVERY_NS: u64 = 100 * MS;
/// The longest packet that a link carries as a rule, bytes.
const FULL: u32 = 1500;

/// The links of all stations.
pub(super) struct Links {
    phy: Phy,
    /// By station, what changes with the station alone.
    links: Vec<Link>,
    /// The packet that left the queue and is not sent yet: its station and bytes.
    below: Option<(u16, u32)>,
    /// How long the medium had been free at the last sample, ns.
    free_ns: u64,
    free_ppm: u32,
    /// When the next sample is due; NEVER: nobody wants one.
    pub(super) due: u64,
}

impl Links {
    /// Links to stations with a PHY rate each, kb/s, not 0. Nobody is told yet.
    pub(super) fn new(phy: Phy, rates: impl Iterator<Item = u32>) -> Links {
        let mut links = Links { phy, links: Vec::new(), below: None, free_ns: 0, free_ppm: 0, due: NEVER };
        links.links = rates.enumerate().map(|(station, kbps)| links.link(station, kbps)).collect();
        links
    }

    /// A discipline begins at `now`; the medium has been free for `free_ns` so far.
    pub(super) fn begin(&mut self, queue: &mut Qdisc, free_ns: u64, now: u64) {
        let told = queue.wants_links() && !self.links.is_empty();
        self.due = if told { now + EVERY_NS } else { NEVER };
        (self.free_ns, self.free_ppm) = (free_ns, 0);
        self.tell_all(queue, now);
    }

    /// A station's rate is another one, kb/s, not 0.
    pub(super) fn set(&mut self, queue: &mut Qdisc, station: usize, kbps: u32, now: u64) {
        if self.links[station].here {
            self.links[station] = self.link(station, kbps);
            self.tell(queue, station, now);
        }
    }

    /// A station left, for good.
    pub(super) fn end(&mut self, queue: &mut Qdisc, station: usize, now: u64) {
        self.links[station] = gone(station);
        self.tell(queue, station, now);
    }

    /// A packet left the queue for the medium.
    pub(super) fn left<T: Copy>(&mut self, pool: &Pool<T>, packet: Handle) {
        if self.due != NEVER {
            self.below = Some((pool.sta(packet), pool.bytes(packet)));
        }
    }

    /// It is sent, or given up.
    pub(super) fn sent(&mut self) {
        self.below = None;
    }

    /// The sample that is due; the medium has been free for `free_ns` so far.
    pub(super) fn sample(&mut self, queue: &mut Qdisc, free_ns: u64, now: u64) {
        let free_ppm = (free_ns - self.free_ns) * 1_000_000 / EVERY_NS;
        self.free_ppm = u32::try_from(free_ppm.max(1)).expect("no more than all of it");
        self.free_ns = free_ns;
        self.due = now + EVERY_NS;
        self.tell_all(queue, now);
    }

    fn tell_all(&self, queue: &mut Qdisc, now: u64) {
        if self.due == NEVER {
            return;
        }
        for station in (0..self.links.len()).filter(|s| self.links[*s].here) {
            self.tell(queue, station, now);
        }
    }

    fn tell(&self, queue: &mut Qdisc, station: usize, now: u64) {
        let mut link = self.links[station];
        if link.here {
            link.free_ppm = self.free_ppm;
            if let Some((_, bytes)) = self.below.filter(|(sta, _)| *sta == link.sta) {
                link.below_bytes = bytes;
                link.below_ns = self.exchange_ns(link.rate_kbps, bytes);
            }
        }
        queue.link(&link, now);
    }

    fn link(&self, station: usize, kbps: u32) -> Link {
        Link {
            here: true,
            phy: self.phy.number(),
            nss: 1,
            rate_kbps: kbps,
            ampdu_frames: 1,
            ampdu_ns: self.exchange_ns(kbps, FULL),
            ..gone(station)
        }
    }

    /// DATA, SIFS and ACK, ns.
    fn exchange_ns(&self, kbps: u32, bytes: u32) -> u32 {
        let ns = self.phy.data_ns(kbps, bytes) + self.phy.sifs_ns() + self.phy.ack_ns(kbps);
        u32::try_from(ns).expect("a frame lasts less than 4 s")
    }
}

fn gone(station: usize) -> Link {
    Link { sta: u16::try_from(station).expect("stations are few"), ..Link::default() }
}
