// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Endless TCP transfers: what downloads, uploads and peers are.

use super::{Application, Io};

/// Endless transfers over some connections at once.
#[derive(Debug)]
pub struct Transfers {
    pub(super) flows: u16,
    /// From the servers.
    pub(super) down: bool,
    /// From the station.
    pub(super) up: bool,
    /// Time after which they leave their connections for new ones, ns.
    pub(super) reconnect_ns: Option<u64>,
}

impl Application for Transfers {
    fn start(&mut self, io: &mut Io) {
        self.timer(io.now(), 0, io);
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        if let Some(ns) = self.reconnect_ns {
            io.timer(due + ns, key);
        }
        let bytes = |endless| if endless { u64::MAX } else { 0 };
        for flow in 0..self.flows {
            io.open(flow, bytes(self.down), bytes(self.up));
        }
    }
}
