// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! TCP transfers, endless or of a volume: what downloads, uploads and peers are.
//!
//! A transfer of a volume is over when its last byte has arrived. Where it repeats the next one begins at once, over a
//! connection of its own, as a benchmark's client does (Starzetz 2006, section T-6.3.2): handshake, a new flow to the
//! access point. What it does not do: requests before the data.

use super::{Application, Broken, Io, Progress};

/// How much a transfer brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// It never ends.
    Endless,
    /// So many bytes, and nothing more.
    Once(u64),
    /// So many bytes, again and again.
    Repeated(u64),
}

impl Volume {
    /// Bytes of one transfer; `u64::MAX`: it never ends.
    fn bytes(self) -> u64 {
        match self {
            Volume::Endless => u64::MAX,
            Volume::Once(bytes) | Volume::Repeated(bytes) => bytes,
        }
    }

    /// Whether the end of one transfer is the beginning of another.
    pub(super) fn repeats(self) -> bool {
        matches!(self, Volume::Repeated(_))
    }

    /// What must hold.
    pub(super) fn check(self) -> Result<(), Broken> {
        Broken::unless(self.bytes() > 0, "volume", "0 bytes are no transfer: at least 1")
    }
}

/// Transfers over some connections at once.
#[derive(Debug)]
pub struct Transfers {
    pub(super) flows: u16,
    /// From the servers.
    pub(super) down: bool,
    /// From the station.
    pub(super) up: bool,
    /// Of each.
    pub(super) volume: Volume,
    /// Time after which they leave their connections for new ones, ns.
    pub(super) reconnect_ns: Option<u64>,
}

impl Transfers {
    fn open(&self, flow: u16, io: &mut Io) {
        let bytes = |sends| if sends { self.volume.bytes() } else { 0 };
        io.open(flow, bytes(self.down), bytes(self.up));
    }
}

impl Application for Transfers {
    fn start(&mut self, io: &mut Io) {
        self.timer(io.now(), 0, io);
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        if let Some(ns) = self.reconnect_ns {
            io.timer(due + ns, key);
        }
        for flow in 0..self.flows {
            self.open(flow, io);
        }
    }

    fn progress(&mut self, flow: u16, at: &Progress, io: &mut Io) {
        let Volume::Repeated(bytes) = self.volume else { return };
        let whole = |sends: bool, arrived| !sends || arrived >= bytes;
        if whole(self.down, at.at_client) && whole(self.up, at.at_server) {
            self.open(flow, io);
        }
    }
}
