// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Peer-to-peer traffic: several [downloads](super::download) from different
//! servers at once, in its symmetric form with data both ways in each connection.

use super::download::PORT;
use super::{Broken, Kind, Setting, Transfers, Volume};
use crate::tcp::Algorithm;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P2p {
    /// How many connections.
    pub flows: u16,
    /// Congestion control of their senders.
    pub congestion: Algorithm,
    /// Whether each connection is an endless upload, too.
    pub upload: bool,
}

impl Kind for P2p {
    type Application = Transfers;
    const PORT: u16 = PORT;

    fn check(&self) -> Result<(), Broken> {
        Broken::unless(self.flows > 0, "flows", "0: at least 1")
    }

    fn flows(&self) -> u16 {
        self.flows
    }

    fn congestion(&self, _: Algorithm) -> Option<Algorithm> {
        Some(self.congestion)
    }

    fn follows(&self) -> bool {
        false
    }

    fn user(&self, _: &Setting) -> Transfers {
        let volume = Volume::Endless;
        Transfers { flows: self.flows, down: true, up: self.upload, volume, reconnect_ns: None }
    }
}
