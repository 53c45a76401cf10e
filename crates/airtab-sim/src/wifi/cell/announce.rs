// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! EDCA parameters of best effort that the access point adapts to the number of stations that upload (`airtab/announce.h`).
//!
//! The access point counts what it receives from each station, and each second chooses the parameters. The stations adopt
//! new ones with the next beacon; without beacons, at once.

use airtab_core::{
    ANNOUNCE_CW_MIN, ANNOUNCE_NS, ANNOUNCE_TXOP_NS, Received, announce_bounds, announce_recent,
};

use super::*;

/// State of the announcement.
pub(super) struct Announcement {
    /// Received in this interval, and intervals for which it counts, by station.
    stations: Vec<(Received, u32)>,
    /// End of the interval, ns.
    until: u64,
    /// TXOP limit, ns, 0: one exchange, and CWmin, slots: while fewer than two stations upload.
    base: (u64, u32),
    /// TXOP limit and CWmin of the next beacon.
    next: (u64, u32),
}

impl Announcement {
    /// None: the parameters are constant.
    pub(super) fn new(config: &CellConfig, stations: usize) -> Option<Box<Announcement>> {
        config.adapts_announced.then(|| {
            let access = Category::BestEffort.access(config, false);
            let base = (access.txop_ns, access.least);
            Box::new(Announcement {
                stations: vec![Default::default(); stations],
                until: ANNOUNCE_NS,
                base,
                next: base,
            })
        })
    }

    /// The end of the interval, ns.
    pub(super) fn until(&self) -> u64 {
        self.until
    }

    /// Counts a packet that a station has sent.
    pub(super) fn receive(&mut self, station: u16, bytes: u32, kbps: u32) {
        let (received, _) = &mut self.stations[usize::from(station)];
        received.bytes += u64::from(bytes);
        received.packets += 1;
        received.kbps = kbps;
    }

    /// Chooses the parameters at the end of an interval.
    fn choose(&mut self) {
        for (received, recent) in &mut self.stations {
            *recent = announce_recent(*recent, std::mem::take(received));
        }
        let uploads = self.stations.iter().filter(|(_, recent)| *recent > 0).count();
        self.next = match (announce_bounds(uploads as u32), self.base) {
            (false, base) => base,
            (true, (0, cw_min)) => (ANNOUNCE_TXOP_NS, cw_min.max(ANNOUNCE_CW_MIN)),
            (true, (txop_ns, cw_min)) => (txop_ns.min(ANNOUNCE_TXOP_NS), cw_min.max(ANNOUNCE_CW_MIN)),
        };
        self.until += ANNOUNCE_NS;
    }
}

impl Cell {
    /// Ends an interval of the announcement if it is over. False: it is not.
    pub(super) fn announce(&mut self, now: u64) -> bool {
        let Some(own) = self.announcement.as_mut().filter(|own| own.until == now) else { return false };
        own.choose();
        if self.config.beacon.is_none() {
            self.adopt();
        }
        self.set_alarm();
        true
    }

    /// The stations adopt the announced parameters.
    pub(super) fn adopt(&mut self) {
        let Some(own) = &self.announcement else { return };
        let best_effort = self.categories + Category::BestEffort as usize;
        for contender in self.contenders[best_effort..].iter_mut().step_by(self.categories) {
            contender.txop_ns = own.next.0;
            contender.rule.set_least(own.next.1);
        }
    }
}
