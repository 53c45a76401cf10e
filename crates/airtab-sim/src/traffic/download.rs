// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A TCP download (CHAP dissertation 6.1.5), endless or of a volume: the client connects, the
//! server sends as fast as TCP lets it. In an upload the client does; peer-to-peer
//! traffic is several downloads from different servers, in its symmetric form
//! with data both ways in each connection. When the application stops, both ends forget the
//! connection; what is on its way is received by nobody.
//!
//! A download can leave its connection for a new one at equal intervals, from another port of the client: who does that
//! is a new flow to the access point each time, and so finds out what it gives to newcomers. No end tells the other: data
//! of the old connection that is on its way takes its time in the cell, and that which arrives counts as received.

use super::{Broken, Kind, Setting, Transfers, Volume};
use crate::tcp::Algorithm;

/// Server port, also of uploads and peers.
pub(super) const PORT: u16 = 80;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Download {
    /// Congestion control of its sender.
    pub congestion: Algorithm,
    /// Time after which it leaves its connection for a new one, again and again, ns.
    pub reconnect_ns: Option<u64>,
    /// How much it brings; of a volume, it does not leave its connection before.
    pub volume: Volume,
}

impl Download {
    /// One that never ends, over one connection.
    pub const fn endless(congestion: Algorithm) -> Download {
        Download { congestion, reconnect_ns: None, volume: Volume::Endless }
    }
}

impl Kind for Download {
    type Application = Transfers;
    const PORT: u16 = PORT;
    /// What is left over is of use to nobody.
    const COUNTS_LATE: bool = false;

    fn check(&self) -> Result<(), Broken> {
        Broken::unless(self.reconnect_ns != Some(0), "reconnect", "0 ns until it connects anew: at least 1")?;
        let one = self.reconnect_ns.is_none() || self.volume == Volume::Endless;
        Broken::unless(one, "reconnect", "a volume ends its connection: take one of both away")?;
        self.volume.check()
    }

    fn congestion(&self, _: Algorithm) -> Option<Algorithm> {
        Some(self.congestion)
    }

    fn follows(&self) -> bool {
        self.volume.repeats()
    }

    fn user(&self, _: &Setting) -> Transfers {
        let Download { volume, reconnect_ns, .. } = *self;
        Transfers { flows: 1, down: true, up: false, volume, reconnect_ns }
    }
}
