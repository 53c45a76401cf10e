// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How much may wait below a discipline: the core's governor, safely.
//! `airtab/governor.h` has the rules and the order in which a host calls;
//! `docs/governor.md` the measurements.
//!
//! What it does not do: it has no packets and no timer; the host keeps both.

use std::ptr::NonNull;

use crate::ffi::{self, GovernorParams, GovernorStation, GovernorStats, Link};
use crate::params::text;

impl Default for GovernorParams {
    fn default() -> GovernorParams {
        // SAFETY: a constant of the core.
        unsafe { ffi::at_governor_defaults }
    }
}

impl GovernorParams {
    /// What is wrong with the values, if anything is.
    pub fn check(&self) -> Result<(), &'static str> {
        // SAFETY: the record is valid for the call.
        let wrong = unsafe { ffi::at_governor_check(self) };
        if wrong.is_null() { Ok(()) } else { Err(text(wrong)) }
    }
}

/// What a governor's budgets look like now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GovernorNow {
    /// No backpressure below: packets are paced by their estimates.
    pub paced: bool,
    /// A packet may leave for a station whose gate is open.
    pub open: bool,
    /// Packets outstanding.
    pub frames: u32,
    /// Packets that may be outstanding whatever they cost.
    pub floor: u32,
    /// Airtime outstanding, ns.
    pub outstanding: u64,
    /// Airtime that may be, ns: `inflight`, or two and a half of the largest batch lately.
    pub budget: u64,
}

/// Who may hand packets to a driver, and who pays for what the driver did with them.
///
/// A host calls, in this order: [`link`](Governor::link), [`done`](Governor::done),
/// [`heard`](Governor::heard), [`settle`](Governor::settle), [`tick`](Governor::tick);
/// then [`air`](Governor::air) and [`gates`](Governor::gates) until None; while
/// [`open`](Governor::open) it takes a packet from the discipline, calls
/// [`left`](Governor::left), and `gates` until None; at [`wake`](Governor::wake) it
/// is back at the latest. Times are ns and never decrease.
pub struct Governor {
    state: NonNull<ffi::Governor>,
    /// Where `state` lies.
    _memory: Vec<u64>,
    records: u32,
    stations: u32,
}

// SAFETY: the state lies in memory that the governor owns, and refers to nothing else.
unsafe impl Send for Governor {}

impl Governor {
    /// A governor, or what is wrong with the values.
    pub fn new(params: &GovernorParams, now: u64) -> Result<Governor, &'static str> {
        params.check()?;
        // SAFETY: the record is valid for the call.
        let bytes = unsafe { ffi::at_governor_size(params) };
        let mut memory = vec![0u64; bytes.div_ceil(8) as usize];
        // SAFETY: the memory has the size that was asked for, is 8-aligned and outlives
        // the governor; on the heap, it stays where it is.
        let state = unsafe { ffi::at_governor_init(memory.as_mut_ptr().cast(), params, now) };
        let state = NonNull::new(state).expect("init gives the memory back");
        Ok(Governor { state, _memory: memory, records: params.records, stations: params.stations })
    }

    /// Other values; those of `records` and `stations` stay.
    pub fn change(&mut self, params: &GovernorParams, now: u64) -> Result<(), &'static str> {
        let params = GovernorParams { records: self.records, stations: self.stations, ..*params };
        params.check()?;
        // SAFETY: as in `left`; the values are checked, and the memory is large enough.
        unsafe { ffi::at_governor_change(self.state.as_ptr(), &params, now) };
        Ok(())
    }

    /// The driver was emptied: nothing is outstanding.
    pub fn reset(&mut self, now: u64) {
        // SAFETY: as in `left`.
        unsafe { ffi::at_governor_reset(self.state.as_ptr(), now) }
    }

    /// Whether a packet may leave for a station whose gate is open.
    pub fn open(&self) -> bool {
        // SAFETY: as in `left`.
        unsafe { ffi::at_governor_open(self.state.as_ptr()) }
    }

    /// A packet of `bytes` left for a station; the host's model says that it takes `est`
    /// ns, as share of an aggregate if it will be in one, 0: not known. `up` is its user priority:
    /// packets of one access category are sent in order. Its record;
    /// None: there was no place for one (never while [`open`](Governor::open)).
    pub fn left(&mut self, sta: u16, bytes: u32, est: u64, up: u16, now: u64) -> Option<u64> {
        // SAFETY: `state` was initialised, its memory lives as long as the governor, and
        // nobody else calls while it is borrowed.
        let record = unsafe { ffi::at_governor_left(self.state.as_ptr(), sta, bytes, est, up, now) };
        (record != 0).then_some(record)
    }

    /// The place of a record: below [`GovernorParams::records`], that of no other one
    /// that is not over.
    pub fn place(record: u64) -> usize {
        record as u32 as usize
    }

    /// The driver is done with a packet. `sent`: it says that it was on the air.
    pub fn done(&mut self, record: u64, sent: bool, now: u64) {
        // SAFETY: as in `left`; any number will do.
        unsafe { ffi::at_governor_done(self.state.as_ptr(), record, sent, now) }
    }

    /// A frame of somebody else ended, which took `air` ns.
    pub fn heard(&mut self, air: u64, now: u64) {
        // SAFETY: as in `left`.
        unsafe { ffi::at_governor_heard(self.state.as_ptr(), air, now) }
    }

    /// No more completions belong to the batch.
    pub fn settle(&mut self) {
        // SAFETY: as in `left`.
        unsafe { ffi::at_governor_settle(self.state.as_ptr()) }
    }

    /// What the next packet took, ns, as its share of a batch, with its record.
    pub fn air(&mut self) -> Option<(u64, u64)> {
        let mut air = ffi::GovernorAir::default();
        // SAFETY: as in `left`; the record is valid for the call.
        let is = unsafe { ffi::at_governor_air(self.state.as_ptr(), &mut air) };
        is.then_some((air.record, air.ns))
    }

    /// The next station whose gate is to be turned, and whether it is open then.
    pub fn gates(&mut self) -> Option<(u16, bool)> {
        let (mut sta, mut open) = (0, false);
        // SAFETY: as in `left`; both are valid for the call.
        let is = unsafe { ffi::at_governor_gates(self.state.as_ptr(), &mut sta, &mut open) };
        is.then_some((sta, open))
    }

    /// Another discipline, with all gates open: the closed ones are told again.
    pub fn retell(&mut self) {
        // SAFETY: as in `left`.
        unsafe { ffi::at_governor_retell(self.state.as_ptr()) }
    }

    /// A station's link, at the start, when it changes, and when it leaves.
    pub fn link(&mut self, link: &Link, now: u64) {
        // SAFETY: as in `left`; the record is valid for the call.
        unsafe { ffi::at_governor_link(self.state.as_ptr(), link, now) }
    }

    /// When to call [`tick`](Governor::tick) at the latest; None: never.
    pub fn wake(&self) -> Option<u64> {
        // SAFETY: as in `left`.
        let at = unsafe { ffi::at_governor_wake(self.state.as_ptr()) };
        (at != u64::MAX).then_some(at)
    }

    /// What time brings: expiries, paced packets, the end of a batch.
    pub fn tick(&mut self, now: u64) {
        // SAFETY: as in `left`.
        unsafe { ffi::at_governor_tick(self.state.as_ptr(), now) }
    }

    /// Counters since the start, and what there is now.
    pub fn read(&self) -> (GovernorStats, GovernorNow) {
        let mut stats = GovernorStats::default();
        let mut now = ffi::GovernorNow::default();
        // SAFETY: as in `left`; the records are valid for the call.
        unsafe { ffi::at_governor_read(self.state.as_ptr(), &mut stats, &mut now) };
        let ffi::GovernorNow { mode, open, frames, floor, outstanding, budget } = now;
        (stats, GovernorNow { paced: mode != 0, open, frames, floor, outstanding, budget })
    }

    /// One station; [`NO_STATION`](crate::NO_STATION): all without a number of their own.
    pub fn station(&self, sta: u16) -> GovernorStation {
        let mut station = GovernorStation::default();
        // SAFETY: as in `left`; the record is valid for the call.
        unsafe { ffi::at_governor_read_station(self.state.as_ptr(), sta, &mut station) };
        station
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn one_packet_there_and_back() {
        let params = GovernorParams { stations: 4, ..GovernorParams::default() };
        let mut g = Governor::new(&params, 0).unwrap();
        assert_eq!((g.open(), g.wake(), g.gates(), g.air()), (true, None, None, None));
        let first = g.left(2, 1500, 2 * MS, 0, 0).unwrap();
        let second = g.left(2, 1500, 2 * MS, 0, 0).unwrap();
        assert_ne!(Governor::place(first), Governor::place(second));
        assert_eq!((g.gates(), g.gates()), (Some((2, false)), None), "4 ms outstanding");
        assert_eq!(g.wake(), Some(25 * MS));
        g.done(first, true, 3 * MS);
        g.settle();
        g.tick(3 * MS);
        assert_eq!((g.air(), g.air()), (Some((first, 3 * MS)), None));
        assert_eq!(g.gates(), Some((2, true)));
        g.done(first, true, 3 * MS);
        let (stats, now) = g.read();
        assert_eq!((stats.valid, stats.unknown), (1, 1));
        let want = GovernorNow {
            paced: false,
            open: true,
            frames: 1,
            floor: 2,
            outstanding: 2 * MS,
            budget: 8 * MS,
        };
        assert_eq!(now, want);
        let station = g.station(2);
        assert_eq!((station.rate_kbps, station.air, station.scale), (4000, 3 * MS, 1536));
        g.reset(3 * MS);
        assert_eq!(g.read().1.outstanding, 0);
    }

    #[test]
    fn links_gates_and_values() {
        let params = GovernorParams { stations: 4, floor: 1, ..GovernorParams::default() };
        let mut g = Governor::new(&params, 0).unwrap();
        let link = Link { sta: 1, here: true, ampdu_ns: 6_000_000, ..Link::default() };
        g.link(&link, 0);
        g.left(1, 1500, 5 * MS, 0, 0);
        assert_eq!(g.gates(), None, "an aggregate is 6 ms");
        g.left(1, 1500, MS, 0, 0);
        assert_eq!(g.gates(), Some((1, false)));
        g.retell();
        assert_eq!(g.gates(), Some((1, false)));
        let wide =
            GovernorParams { inflight: 20_000_000, inflight_station: 20_000_000, records: 1, ..params };
        g.change(&wide, 0).unwrap();
        assert_eq!(g.gates(), Some((1, true)));
        let wrong = GovernorParams { inflight: 0, ..params };
        assert_eq!(g.change(&wrong, 0), Err("inflight and inflight_station must be at least 1 ns"));
        assert!(Governor::new(&wrong, 0).is_err());
        g.heard(MS, MS);
    }
}
