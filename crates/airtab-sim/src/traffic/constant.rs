// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Two constant streams that do not answer each other: what games and calls are.

use super::{Application, Io, Setting};

/// A constant stream of equal packets, one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// From one packet to the next, ns.
    pub period_ns: u64,
    /// IP packet, bytes.
    pub bytes: u32,
}

impl Constant {
    /// Sends a packet that was due at `due`; the timer `key` will say when the next one is.
    pub(super) fn send(&self, up: bool, due: u64, key: u16, io: &mut Io) {
        io.timer(due + self.period_ns, key);
        io.send(up, self.bytes, 0);
    }
}

/// A stream from the server, and one from the station.
#[derive(Debug)]
pub struct TwoWay {
    streams: [Constant; 2],
    /// Of the first packets: streams do not march in step.
    phases: [u64; 2],
}

impl TwoWay {
    /// Of these streams.
    pub(super) fn new(down: Constant, up: Constant, setting: &Setting) -> TwoWay {
        let (streams, mut draws) = ([down, up], setting.draws());
        TwoWay { streams, phases: streams.map(|stream| setting.phase(&mut draws, stream.period_ns)) }
    }
}

impl Application for TwoWay {
    fn start(&mut self, io: &mut Io) {
        for (key, phase) in (0..).zip(self.phases) {
            io.timer(io.now() + phase, key);
        }
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        self.streams[usize::from(key)].send(key == 1, due, key, io);
    }
}
