// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Opening a connection: the three-way handshake with its retransmission (RFC 9293 3.5, RFC 6298 5.7).
//!
//! Not done: simultaneous open, resets, giving up, TCP Fast Open.

use super::config::Config;
use super::segment::{ACK, SYN, Segment};

const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// A client before `open`.
    Closed,
    /// A server.
    Listen,
    SynSent,
    SynReceived,
    Established,
}

/// The handshake ended with this segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    /// Round-trip time, ns, if our half was sent once only.
    pub rtt: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct Handshake {
    phase: Phase,
    due: bool,
    transmissions: u32,
    sent_at: u64,
    deadline: u64,
    rto: u64,
    max_rto: u64,
}

impl Handshake {
    pub fn client(config: &Config) -> Self {
        Self::new(config, Phase::Closed)
    }

    pub fn server(config: &Config) -> Self {
        Self::new(config, Phase::Listen)
    }

    fn new(config: &Config, phase: Phase) -> Self {
        Handshake {
            phase,
            due: false,
            transmissions: 0,
            sent_at: 0,
            deadline: NEVER,
            rto: config.initial_rto_ns,
            max_rto: config.max_rto_ns,
        }
    }

    pub fn established(&self) -> bool {
        self.phase == Phase::Established
    }

    pub fn deadline(&self) -> u64 {
        self.deadline
    }

    /// Transmissions of our SYN.
    pub fn transmissions(&self) -> u32 {
        self.transmissions
    }

    /// The client's SYN becomes due; no effect later.
    pub fn open(&mut self) {
        if self.phase == Phase::Closed {
            self.phase = Phase::SynSent;
            self.due = true;
        }
    }

    pub fn on_segment(&mut self, now: u64, segment: &Segment) -> Option<Opened> {
        let syn = segment.flags & SYN != 0;
        let acks_ours = segment.flags & ACK != 0 && segment.ack >= 1;
        match self.phase {
            Phase::Listen if syn && !acks_ours => {
                self.phase = Phase::SynReceived;
                self.due = true;
            }
            Phase::SynReceived if syn && !acks_ours => self.due = true,
            Phase::SynSent if syn && acks_ours => return Some(self.finish(now)),
            Phase::SynReceived if acks_ours => return Some(self.finish(now)),
            _ => {}
        }
        None
    }

    fn finish(&mut self, now: u64) -> Opened {
        self.phase = Phase::Established;
        self.due = false;
        self.deadline = NEVER;
        Opened { rtt: (self.transmissions == 1).then(|| now - self.sent_at) }
    }

    pub fn on_timeout(&mut self, now: u64) {
        if now >= self.deadline {
            self.deadline = NEVER;
            self.due = true;
        }
    }

    /// The flags of the SYN or SYN-ACK to send now.
    pub fn poll(&mut self, now: u64) -> Option<u8> {
        if !self.due {
            return None;
        }
        self.due = false;
        let backoff = 1u64.checked_shl(self.transmissions).unwrap_or(u64::MAX);
        self.deadline = now + self.rto.saturating_mul(backoff).min(self.max_rto);
        self.transmissions += 1;
        self.sent_at = now;
        Some(if self.phase == Phase::SynSent { SYN } else { SYN | ACK })
    }
}
