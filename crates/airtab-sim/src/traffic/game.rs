// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A first-person game: the Halo 2 traffic model (CHAP dissertation 6.1.1).
//!
//! Two streams that do not answer each other: 72 bytes of payload to the client
//! and 44 bytes to the server every 40 ms, in UDP over IPv4 (28 bytes).

use super::{Constant, Kind, Setting, TwoWay};

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game;

/// Server to client.
pub const DOWN: Constant = Constant { period_ns: 40_000_000, bytes: 72 + 28 };
/// Client to server.
pub const UP: Constant = Constant { period_ns: 40_000_000, bytes: 44 + 28 };

impl Kind for Game {
    type Application = TwoWay;
    const PORT: u16 = 2302;

    fn constant(&self, up: bool) -> Option<Constant> {
        Some(if up { UP } else { DOWN })
    }

    fn user(&self, setting: &Setting) -> TwoWay {
        TwoWay::new(DOWN, UP, setting)
    }
}
