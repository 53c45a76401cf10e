// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A TCP upload: a [download](super::download) with the client as the
//! one that sends.

use super::download::PORT;
use super::{Broken, Kind, Setting, Transfers, Volume};
use crate::tcp::Algorithm;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Congestion control of its sender.
    pub congestion: Algorithm,
    /// How much it brings.
    pub volume: Volume,
}

impl Upload {
    /// One that never ends.
    pub const fn endless(congestion: Algorithm) -> Upload {
        Upload { congestion, volume: Volume::Endless }
    }
}

impl Kind for Upload {
    type Application = Transfers;
    const PORT: u16 = PORT;

    fn check(&self) -> Result<(), Broken> {
        self.volume.check()
    }

    fn congestion(&self, _: Algorithm) -> Option<Algorithm> {
        Some(self.congestion)
    }

    fn follows(&self) -> bool {
        self.volume.repeats()
    }

    fn user(&self, _: &Setting) -> Transfers {
        Transfers { flows: 1, down: false, up: true, volume: self.volume, reconnect_ns: None }
    }
}
