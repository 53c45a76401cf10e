// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Requests that a server echoes, over UDP (CHAP dissertation 7.3.3: a game's
//! server browser asks each server and shows how long its answer took).
//!
//! The station asks at constant intervals; the server answers each request at
//! once with a packet of the same length.
//!
//! What it does not do: a request is never repeated, and none waits for an answer.

use super::video::HEADERS;
use super::{Application, Broken, Constant, Io, Kind, Setting};

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping {
    /// From one request to the next, ns.
    pub interval_ns: u64,
    /// IP packet, each way, bytes.
    pub bytes: u32,
}

impl Kind for Ping {
    type Application = Requests;
    /// The echo protocol's (RFC 862).
    const PORT: u16 = 7;

    fn check(&self) -> Result<(), Broken> {
        Broken::unless(self.interval_ns > 0, "interval", "must not be 0")?;
        check_bytes(self.bytes)
    }

    /// The downlink is the echo.
    fn constant(&self, _: bool) -> Option<Constant> {
        Some(Constant { period_ns: self.interval_ns, bytes: self.bytes })
    }

    fn user(&self, setting: &Setting) -> Requests {
        let stream = Constant { period_ns: self.interval_ns, bytes: self.bytes };
        let mut draws = setting.draws();
        let [_, phase_ns] = [(); 2].map(|()| setting.phase(&mut draws, stream.period_ns));
        Requests { stream, phase_ns }
    }
}

/// What must hold for the length of an IP packet.
pub(super) fn check_bytes(bytes: u32) -> Result<(), Broken> {
    Broken::unless(bytes >= HEADERS, "bytes", format!("{bytes}: at least {HEADERS}"))
}

/// Requests, and the server that answers them.
#[derive(Debug)]
pub struct Requests {
    stream: Constant,
    phase_ns: u64,
}

impl Application for Requests {
    fn start(&mut self, io: &mut Io) {
        io.timer(io.now() + self.phase_ns, 0);
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        self.stream.send(true, due, key, io);
    }

    fn datagram(&mut self, up: bool, bytes: u32, tag: u32, io: &mut Io) {
        if up {
            io.send(false, bytes, tag);
        }
    }
}
