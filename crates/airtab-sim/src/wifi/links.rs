// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a discipline is told of the stations' links (`airtab/qdisc.h`, `link`): of
//! each station at the start, whenever its link changes, and every 100 ms. A
//! discipline that does not want to know costs nothing.
//!
//! What it does not do: a link's aggregates are those of full-size packets alone.

use airtab_core::{Handle, Link, Phy, Pool, Qdisc, time::MS};

use crate::engine::NEVER;

/// From one sample to the next, ns.
const EVERY_NS: u64 = 100 * MS;
/// The longest packet that a link carries as a rule, bytes.
pub(super) const FULL: u32 = 1500;

/// The links of all stations.
pub(super) struct Links {
    phy: Phy,
    /// By station, what changes with the station alone.
    links: Vec<Link>,
    /// By station, packets that left the queue and are not sent yet: how many, and their bytes.
    below: Vec<(u32, u32)>,
    /// How long the medium had been free at the last sample, ns.
    free_ns: u64,
    free_ppm: u32,
    /// When the next sample is due; NEVER: nobody wants one.
    pub(super) due: u64,
}

impl Links {
    /// One for each station. Nobody is told yet.
    pub(super) fn new(phy: Phy, links: Vec<Link>) -> Links {
        let below = vec![(0, 0); links.len()];
        Links { phy, links, below, free_ns: 0, free_ppm: 0, due: NEVER }
    }

    /// Of stations that have no radio: nobody is told of anything.
    pub(super) fn none() -> Links {
        Links::new(Phy::named("phy-a").expect("the default profile exists"), Vec::new())
    }

    /// A link to a station with a PHY rate, kb/s, not 0, that carries one packet at a time.
    pub(super) fn single(phy: Phy, station: usize, kbps: u32) -> Link {
        Link {
            here: true,
            phy: phy.number(),
            nss: 1,
            rate_kbps: kbps,
            ampdu_frames: 1,
            ampdu_ns: exchange_ns(phy, kbps, FULL),
            ..gone(station.try_into().expect("stations are few"))
        }
    }

    /// A discipline begins at `now`; the medium has been free for `free_ns` so far.
    pub(super) fn begin(&mut self, queue: &mut Qdisc, free_ns: u64, now: u64) {
        let told = queue.wants_links() && !self.links.is_empty();
        self.due = if told { now + EVERY_NS } else { NEVER };
        (self.free_ns, self.free_ppm) = (free_ns, 0);
        self.tell_all(queue, now);
    }

    /// A station's link is another one.
    pub(super) fn set(&mut self, queue: &mut Qdisc, link: &Link, now: u64) {
        if self.renew(link) {
            self.tell(queue, link.sta.into(), now);
        }
    }

    /// The same, to be told with the next sample. False: the station left.
    pub(super) fn renew(&mut self, link: &Link) -> bool {
        let own = &mut self.links[usize::from(link.sta)];
        if own.here {
            *own = *link;
        }
        own.here
    }

    /// A station left, for good: what is told of it from now on.
    pub(super) fn end(&mut self, queue: &mut Qdisc, station: usize, now: u64) -> Link {
        self.links[station] = gone(self.links[station].sta);
        self.tell(queue, station, now);
        self.links[station]
    }

    /// Of each station, what changes with it alone.
    pub(super) fn all(&self) -> &[Link] {
        &self.links
    }

    /// A packet left the queue for the medium.
    #[inline]
    pub(super) fn left<T: Copy>(&mut self, pool: &Pool<T>, packet: Handle) {
        let packet = pool.view(packet);
        if let Some((packets, bytes)) = self.below.get_mut(usize::from(packet.sta)) {
            (*packets, *bytes) = (*packets + 1, *bytes + packet.bytes);
        }
    }

    /// One of so many bytes is sent, or given up.
    #[inline]
    pub(super) fn sent(&mut self, sta: u16, size: u32) {
        if let Some((packets, bytes)) = self.below.get_mut(usize::from(sta)) {
            (*packets, *bytes) = (*packets - 1, *bytes - size);
        }
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
            let (packets, bytes) = self.below[station];
            link.below_bytes = bytes;
            link.below_ns = match (packets, link.ampdu_frames) {
                (0, _) => 0,
                (packets, 1) => {
                    packets.saturating_mul(exchange_ns(self.phy, link.rate_kbps, bytes / packets))
                }
                // As many aggregates as their bytes make.
                (_, frames) => {
                    let ns = u64::from(bytes) * u64::from(link.ampdu_ns) / u64::from(frames * FULL);
                    u32::try_from(ns).unwrap_or(u32::MAX)
                }
            };
        }
        queue.link(&link, now);
    }
}

/// DATA, SIFS and ACK, ns.
fn exchange_ns(phy: Phy, kbps: u32, bytes: u32) -> u32 {
    let ns = phy.data_ns(kbps, bytes) + phy.sifs_ns() + phy.ack_ns(kbps);
    u32::try_from(ns).expect("a frame lasts less than 4 s")
}

fn gone(sta: u16) -> Link {
    Link { sta, ..Link::default() }
}
