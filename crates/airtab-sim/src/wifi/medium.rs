// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is between the access point and its stations: a cell, the emulator or a wire,
//! behind the same methods.

use std::ops::Range;

use airtab_core::{Counters, EmulatorConfig, Handle, Params, Phy, Pool, Qdisc, Rate};

use super::access::AccessMethod;
use super::air::AirTrace;
use super::cell::Cell;
use super::config::{CellConfig, Loss, Speed};
use super::emulator::EmulatedLink;
use super::mesh::MeshConfig;
use super::output::{Attempt, Label, NodeAir, Output};
use super::walk::Walk;
use super::winners::WinnersTrace;
use super::wire::{Wire, WireConfig};
use crate::engine::Outbox;

/// What carries the frames between access point and stations, with its parameters.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a scenario has one")]
pub enum MediumConfig {
    /// A channel shared by contention ([`Cell`]).
    Dcf(CellConfig),
    /// One server of drawn times ([`EmulatedLink`]).
    Emulator(EmulatorConfig),
    /// A wire of a fixed rate ([`Wire`]).
    Wire(WireConfig),
    /// A channel with nodes that pass packets on ([`Cell::mesh`]).
    Mesh(Box<MeshConfig>),
}

impl MediumConfig {
    /// The CHAP studies' emulated link: 5 attempts; `extra_ns` is added to the
    /// time of every packet.
    pub fn emulator(phy: Phy, extra_ns: u64) -> MediumConfig {
        MediumConfig::Emulator(EmulatorConfig { phy, attempts: 5, extra_ns })
    }

    /// Its cell, or that of each node of a mesh; None of the others.
    pub fn cell(&self) -> Option<&CellConfig> {
        match self {
            MediumConfig::Dcf(cell) => Some(cell),
            MediumConfig::Mesh(mesh) => Some(&mesh.cell),
            MediumConfig::Emulator(_) | MediumConfig::Wire(_) => None,
        }
    }

    /// The wire; None of the others.
    pub fn wire(&self) -> Option<WireConfig> {
        match self {
            MediumConfig::Wire(wire) => Some(*wire),
            MediumConfig::Dcf(_) | MediumConfig::Emulator(_) | MediumConfig::Mesh(_) => None,
        }
    }

    /// The mesh; None of the others.
    pub fn mesh(&self) -> Option<&MeshConfig> {
        match self {
            MediumConfig::Mesh(mesh) => Some(mesh),
            MediumConfig::Dcf(_) | MediumConfig::Emulator(_) | MediumConfig::Wire(_) => None,
        }
    }

    /// The rules that it breaks.
    ///
    /// # Errors
    /// Says what is allowed.
    pub fn check(&self) -> Result<(), String> {
        match self {
            MediumConfig::Dcf(cell) => cell.check(),
            MediumConfig::Emulator(link) if link.phy.has_mcs() => {
                Err(format!("{} has rates by MCS, which the emulated link does not send", link.phy.name()))
            }
            MediumConfig::Emulator(_) => Ok(()),
            MediumConfig::Wire(wire) => wire.check(),
            MediumConfig::Mesh(mesh) => mesh.check(),
        }
    }

    /// 802.11 constants; None of a wire.
    pub fn phy(&self) -> Option<Phy> {
        match self {
            MediumConfig::Dcf(cell) => Some(cell.phy),
            MediumConfig::Emulator(link) => Some(link.phy),
            MediumConfig::Mesh(mesh) => Some(mesh.cell.phy),
            MediumConfig::Wire(_) => None,
        }
    }

    /// Whether more than one packet waits between a queue and the air.
    pub fn has_driver(&self) -> bool {
        self.cell().is_some_and(|cell| cell.driver.ring > 1)
    }

    /// Attempts per frame, or per packet of the emulator and a wire.
    pub fn attempts(&self) -> u8 {
        match self {
            MediumConfig::Dcf(cell) => cell.attempts,
            MediumConfig::Emulator(link) => link.attempts,
            MediumConfig::Mesh(mesh) => mesh.cell.attempts,
            MediumConfig::Wire(_) => 1,
        }
    }
}

impl From<CellConfig> for MediumConfig {
    fn from(cell: CellConfig) -> MediumConfig {
        MediumConfig::Dcf(cell)
    }
}

/// One access point and its stations. Each method is that of the medium.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each channel, and nearly always it is the larger"
)]
#[repr(u8)] // asked for at every event: a byte of its own, not a value that a field never has
pub enum Medium {
    /// 802.11 DCF on one channel.
    Cell(Cell),
    /// The CHAP dissertation's emulated link.
    Emulator(EmulatedLink),
    /// The narrow wire of a dumbbell.
    Wire(Wire),
}

macro_rules! either {
    ($self:ident, $medium:ident => $call:expr) => {
        match $self {
            Medium::Cell($medium) => $call,
            Medium::Emulator($medium) => $call,
            Medium::Wire($medium) => $call,
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
            MediumConfig::Wire(wire) => Medium::Wire(Wire::new(wire, queue)),
            MediumConfig::Mesh(mesh) => {
                let names: Vec<&str> = stations.iter().map(|s| s.0).collect();
                Medium::Cell(Cell::mesh(&mesh, &names, queue, seed))
            }
        }
    }

    /// [`Cell::send_from`].
    ///
    /// # Panics
    /// Of the others, which have no nodes.
    #[inline]
    pub fn send_from<T: Label>(&mut self, pool: &mut Pool<T>, node: u16, packet: Handle, now: u64) {
        match self {
            Medium::Cell(cell) => cell.send_from(pool, node, packet, now),
            Medium::Emulator(_) | Medium::Wire(_) => panic!("only a mesh has nodes"),
        }
    }

    /// [`Cell::change_queue`].
    ///
    /// # Panics
    /// If it does, and of the others, which have no nodes.
    pub fn change_queue<T: Label>(&mut self, pool: &mut Pool<T>, node: u16, params: &Params, now: u64) {
        match self {
            Medium::Cell(cell) => cell.change_queue(pool, node, params, now),
            Medium::Emulator(_) | Medium::Wire(_) => panic!("only a mesh has nodes"),
        }
    }

    /// [`Cell::set_link`].
    ///
    /// # Panics
    /// If it does, and of the others.
    pub fn set_link(&mut self, link: usize, speed: impl Into<Speed>, loss: Loss, now: u64) {
        match self {
            Medium::Cell(cell) => cell.set_link(link, speed, loss, now),
            Medium::Emulator(_) | Medium::Wire(_) => panic!("only a mesh has links between nodes"),
        }
    }

    /// [`Cell::nodes`]; nothing of the others.
    pub fn nodes(&self, now: u64) -> Vec<NodeAir> {
        match self {
            Medium::Cell(cell) => cell.nodes(now),
            Medium::Emulator(_) | Medium::Wire(_) => Vec::new(),
        }
    }

    /// [`Cell::set_uplink`].
    ///
    /// # Panics
    /// If it does, and of the others, whose stations have no queue.
    pub fn set_uplink(&mut self, station: usize, queue: Qdisc) {
        match self {
            Medium::Cell(cell) => cell.set_uplink(station, queue),
            Medium::Emulator(_) | Medium::Wire(_) => panic!("only a station of a cell has a queue"),
        }
    }

    /// [`Cell::set_access`].
    ///
    /// # Panics
    /// If it does, and of the others, where nobody contends.
    pub fn set_access(&mut self, station: usize, access: &AccessMethod) {
        match self {
            Medium::Cell(cell) => cell.set_access(station, access),
            Medium::Emulator(_) | Medium::Wire(_) => panic!("nobody contends but in a cell"),
        }
    }

    /// [`Cell::winners`]; None of the others.
    pub fn winners(&self) -> Option<WinnersTrace> {
        match self {
            Medium::Cell(cell) => cell.winners(),
            Medium::Emulator(_) | Medium::Wire(_) => None,
        }
    }

    /// [`Cell::next_event`].
    #[inline(always)]
    pub fn next_event(&self) -> u64 {
        either!(self, m => m.next_event())
    }

    /// [`Cell::advance`].
    #[inline]
    pub fn advance<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        either!(self, m => m.advance(pool, now));
    }

    /// Lets what is due at `at` happen, and what comes after it by `until`, ns, as long as there is nothing to say: when
    /// it was last due, and when it will be next ([`Medium::next_event`]).
    #[inline(always)]
    pub fn run<T: Label>(&mut self, pool: &mut Pool<T>, mut at: u64, until: u64) -> (u64, u64) {
        either!(self, m => {
            loop {
                m.advance(pool, at);
                let next = m.next_event();
                if m.speaks() || next > until {
                    return (at, next);
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
    /// If there is no such station, or a rate is 0, and of a wire.
    pub fn set_station(&mut self, station: usize, speed: impl Into<Speed>, loss: Loss, now: u64) {
        let speed = speed.into();
        match self {
            Medium::Cell(cell) => cell.set_station(station, speed, loss, now),
            Medium::Emulator(link) => link.set_station(station, speed, loss, now),
            Medium::Wire(_) => panic!("a wire has no link to each station"),
        }
    }

    /// [`Cell::end_station`].
    ///
    /// # Panics
    /// If there is no such station, and of a wire.
    pub fn end_station(&mut self, station: usize, now: u64) {
        match self {
            Medium::Cell(cell) => cell.end_station(station, now),
            Medium::Emulator(link) => link.end_station(station, now),
            Medium::Wire(_) => panic!("a wire has no link to each station"),
        }
    }

    /// [`Cell::sleep`].
    ///
    /// # Panics
    /// If it does, and of the others, where nobody sleeps.
    pub fn sleep(&mut self, station: usize, asleep: bool, now: u64) {
        match self {
            Medium::Cell(cell) => cell.sleep(station, asleep, now),
            Medium::Emulator(_) | Medium::Wire(_) => {
                panic!("only in a cell is there a driver to sleep before")
            }
        }
    }

    /// [`Cell::set_asleep`].
    ///
    /// # Panics
    /// As [`Medium::sleep`] does.
    pub fn set_asleep(&mut self, station: usize, time: Range<u64>) {
        match self {
            Medium::Cell(cell) => cell.set_asleep(station, time),
            Medium::Emulator(_) | Medium::Wire(_) => {
                panic!("only in a cell is there a driver to sleep before")
            }
        }
    }

    /// [`Cell::set_walk`].
    ///
    /// # Panics
    /// If it does, and of the others, where nobody walks.
    pub fn set_walk(&mut self, station: usize, link: (Speed, Loss), walk: Walk) {
        match self {
            Medium::Cell(cell) => cell.set_walk(station, link, walk),
            Medium::Emulator(_) | Medium::Wire(_) => panic!("nobody walks but in a cell"),
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

    /// What [`Medium::poll`] takes.
    #[inline(always)]
    pub(crate) fn outputs(&mut self) -> &mut Outbox<Output> {
        either!(self, m => m.outputs())
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
            Medium::Wire(wire) => (None, Some(wire.queue())),
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
            Medium::Wire(wire) => wire.queue().len(),
        }
    }

    /// [`Cell::air`]; [`EmulatedLink::air`]; [`Wire::air`].
    pub fn air(&self, now: u64) -> AirTrace {
        either!(self, m => m.air(now))
    }

    /// [`Cell::rate`]; None of the others.
    ///
    /// # Panics
    /// If there is no such station.
    pub fn rate(&self, station: usize) -> Option<Rate> {
        match self {
            Medium::Cell(cell) => Some(cell.rate(station)),
            Medium::Emulator(_) | Medium::Wire(_) => None,
        }
    }

    /// [`Cell::exchanges`]; [`EmulatedLink::exchanges`]; [`Wire::exchanges`].
    pub fn exchanges(&self) -> u64 {
        either!(self, m => m.exchanges())
    }

    /// [`Cell::tap`]. The others have no attempts to report.
    pub fn tap(&mut self, on: bool) {
        if let Medium::Cell(cell) = self {
            cell.tap(on);
        }
    }

    /// [`Cell::attempts`]; None of the others.
    pub fn attempts(&mut self) -> Option<Vec<Attempt>> {
        match self {
            Medium::Cell(cell) => cell.attempts(),
            Medium::Emulator(_) | Medium::Wire(_) => None,
        }
    }

    /// [`Cell::held`]; [`EmulatedLink::held`]; [`Wire::held`].
    pub fn held(&self) -> usize {
        either!(self, m => m.held())
    }
}
