// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is between the access point and its stations: a cell or the emulator,
//! behind the same methods.

use std::ops::Range;

use airtab_core::{Counters, Handle, Params, Pool, Qdisc, Rate};

use super::access::AccessMethod;
use super::air::AirTrace;
use super::cell::Cell;
use super::config::{Loss, MediumConfig, Speed};
use super::emulator::EmulatedLink;
use super::output::{Attempt, Label, Output};
use super::walk::Walk;
use super::winners::WinnersTrace;

/// One access point and its stations. Each method is that of the medium.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each channel, and nearly always it is the larger"
)]
pub enum Medium {
    /// 802.11 DCF on one channel.
    Cell(Cell),
    /// The CHAP dissertation's emulated link.
    Emulator(EmulatedLink),
}

macro_rules! either {
    ($self:ident, $medium:ident => $call:expr) => {
        match $self {
            Medium::Cell($medium) => $call,
            Medium::Emulator($medium) => $call,
        }
    };
}

impl Medium {
    /// The medium that `config` chooses: see [`Cell::new`].
    pub fn new<S: Into<Speed> + Copy>(
        config: MediumConfig,
        stations: &[(&str, S, Loss)],
        queue: Qdisc,
        seed: u64,
    ) -> Medium {
        let stations: Vec<(&str, Speed, Loss)> = stations.iter().map(|s| (s.0, s.1.into(), s.2)).collect();
        match config {
            MediumConfig::Dcf(cell) => Medium::Cell(Cell::new(cell, &stations, queue, seed)),
            MediumConfig::Emulator(link) => {
                Medium::Emulator(EmulatedLink::new(&link, &stations, queue, seed))
            }
        }
    }

    /// [`Cell::set_uplink`].
    ///
    /// # Panics
    /// If it does, and of the emulator, whose stations have no queue.
    pub fn set_uplink(&mut self, station: usize, queue: Qdisc) {
        match self {
            Medium::Cell(cell) => cell.set_uplink(station, queue),
            Medium::Emulator(_) => panic!("a station of the emulated link has no queue"),
        }
    }

    /// [`Cell::set_access`].
    ///
    /// # Panics
    /// If it does, and of the emulator, where nobody contends.
    pub fn set_access(&mut self, station: usize, access: &AccessMethod) {
        match self {
            Medium::Cell(cell) => cell.set_access(station, access),
            Medium::Emulator(_) => panic!("nobody contends on the emulated link"),
        }
    }

    /// [`Cell::winners`]; None of the emulator.
    pub fn winners(&self) -> Option<WinnersTrace> {
        match self {
            Medium::Cell(cell) => cell.winners(),
            Medium::Emulator(_) => None,
        }
    }

    /// [`Cell::next_event`].
    #[inline]
    pub fn next_event(&self) -> u64 {
        either!(self, m => m.next_event())
    }

    /// [`Cell::advance`].
    #[inline]
    pub fn advance<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        either!(self, m => m.advance(pool, now));
    }

    /// Lets what is due at `at` happen, and what comes after it by `until`, ns, as long as there is nothing to say: when
    /// it was last due.
    #[inline(never)]
    pub fn run<T: Label>(&mut self, pool: &mut Pool<T>, mut at: u64, until: u64) -> u64 {
        either!(self, m => {
            loop {
                m.advance(pool, at);
                let next = m.next_event();
                if m.speaks() || next > until {
                    return at;
                }
                at = next;
            }
        })
    }

    /// [`Cell::send_down`].
    #[inline]
    pub fn send_down<T: Label>(&mut self, pool: &mut Pool<T>, packet: Handle, now: u64) {
        either!(self, m => m.send_down(pool, packet, now));
    }

    /// [`Cell::send_up`]; [`EmulatedLink::send_up`].
    #[inline]
    pub fn send_up<T: Label>(&mut self, pool: &mut Pool<T>, station: usize, packet: Handle, now: u64) {
        either!(self, m => m.send_up(pool, station, packet, now));
    }

    /// [`Cell::set_station`].
    ///
    /// # Panics
    /// If there is no such station, or a rate is 0.
    pub fn set_station(&mut self, station: usize, speed: impl Into<Speed>, loss: Loss, now: u64) {
        let speed = speed.into();
        either!(self, m => m.set_station(station, speed, loss, now));
    }

    /// [`Cell::end_station`].
    ///
    /// # Panics
    /// If there is no such station.
    pub fn end_station(&mut self, station: usize, now: u64) {
        either!(self, m => m.end_station(station, now));
    }

    /// [`Cell::sleep`].
    ///
    /// # Panics
    /// If it does, and of the emulator, where nobody sleeps.
    pub fn sleep(&mut self, station: usize, asleep: bool, now: u64) {
        match self {
            Medium::Cell(cell) => cell.sleep(station, asleep, now),
            Medium::Emulator(_) => panic!("a station of the emulated link has no driver to sleep before"),
        }
    }

    /// [`Cell::set_asleep`].
    ///
    /// # Panics
    /// As [`Medium::sleep`] does.
    pub fn set_asleep(&mut self, station: usize, time: Range<u64>) {
        match self {
            Medium::Cell(cell) => cell.set_asleep(station, time),
            Medium::Emulator(_) => panic!("a station of the emulated link has no driver to sleep before"),
        }
    }

    /// [`Cell::set_walk`].
    ///
    /// # Panics
    /// If it does, and of the emulator, where nobody walks.
    pub fn set_walk(&mut self, station: usize, link: (Speed, Loss), walk: Walk) {
        match self {
            Medium::Cell(cell) => cell.set_walk(station, link, walk),
            Medium::Emulator(_) => panic!("nobody walks on the emulated link"),
        }
    }

    /// [`Cell::swap_queue`].
    ///
    /// # Panics
    /// If [`Params::check`] would fail.
    pub fn swap_queue<T: Label>(&mut self, pool: &mut Pool<T>, params: &Params, seed: u64, now: u64) {
        either!(self, m => m.swap_queue(pool, params, seed, now));
    }

    /// [`Cell::speaks`].
    #[inline]
    pub fn speaks(&self) -> bool {
        either!(self, m => m.speaks())
    }

    /// [`Cell::poll`].
    #[inline]
    pub fn poll(&mut self) -> Option<Output> {
        either!(self, m => m.poll())
    }

    /// [`Cell::queue`].
    #[inline]
    pub fn queue(&self) -> &Qdisc {
        either!(self, m => m.queue())
    }

    /// Its disciplines: one, or one for each access category.
    pub fn queues(&self) -> impl Iterator<Item = &Qdisc> {
        let (cell, link) = match self {
            Medium::Cell(cell) => (Some(cell.queues()), None),
            Medium::Emulator(link) => (None, Some(link.queue())),
        };
        cell.into_iter().flatten().chain(link)
    }

    /// What its disciplines count, taken together: one, or one for each access category.
    pub fn counters(&self) -> Counters {
        self.queues().map(Qdisc::counters).reduce(|a, b| a + b).unwrap_or_default()
    }

    /// Packets in all of them.
    #[inline]
    pub fn queued(&self) -> u32 {
        match self {
            Medium::Cell(cell) => cell.queues().map(Qdisc::len).sum(),
            Medium::Emulator(link) => link.queue().len(),
        }
    }

    /// [`Cell::air`]; [`EmulatedLink::air`].
    pub fn air(&self, now: u64) -> AirTrace {
        either!(self, m => m.air(now))
    }

    /// [`Cell::rate`]; None of the emulator.
    ///
    /// # Panics
    /// If there is no such station.
    pub fn rate(&self, station: usize) -> Option<Rate> {
        match self {
            Medium::Cell(cell) => Some(cell.rate(station)),
            Medium::Emulator(_) => None,
        }
    }

    /// [`Cell::exchanges`]; [`EmulatedLink::exchanges`].
    pub fn exchanges(&self) -> u64 {
        either!(self, m => m.exchanges())
    }

    /// [`Cell::tap`]. The emulator has no single attempts to report.
    pub fn tap(&mut self, on: bool) {
        if let Medium::Cell(cell) = self {
            cell.tap(on);
        }
    }

    /// [`Cell::attempts`]; None of the emulator.
    pub fn attempts(&mut self) -> Option<Vec<Attempt>> {
        match self {
            Medium::Cell(cell) => cell.attempts(),
            Medium::Emulator(_) => None,
        }
    }

    /// [`Cell::held`]; [`EmulatedLink::held`].
    pub fn held(&self) -> usize {
        either!(self, m => m.held())
    }
}
