// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A G.711 call (CHAP dissertation 6.1.2): 160 bytes of voice every 20 ms, both
//! ways, in RTP, UDP and IPv4 (40 bytes): 80 kb/s each way. No silence
//! suppression, no play-out buffer.

use super::{Constant, Kind, Setting, TwoWay};

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voip;

/// Either direction.
pub const BOTH: Constant = Constant { period_ns: 20_000_000, bytes: 160 + 40 };

impl Kind for Voip {
    type Application = TwoWay;
    const PORT: u16 = 5004;

    fn constant(&self, _: bool) -> Option<Constant> {
        Some(BOTH)
    }

    fn user(&self, setting: &Setting) -> TwoWay {
        TwoWay::new(BOTH, BOTH, setting)
    }
}
