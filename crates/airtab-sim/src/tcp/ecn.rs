// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Explicit congestion notification: RFC 3168 6.1.
//!
//! Both ends say in the handshake that they want it (6.1.1). New data then leaves as ECN-capable; retransmissions, which an
//! attacker could have made (6.1.5), and segments without data (6.1.4) do not. Who receives data that the network marked
//! says so with every segment (ECE) until its peer answers (CWR) that it has reduced its window (6.1.3). Who is told so
//! reduces it as for a loss, without sending anything again, once for each window of data (6.1.2).
//!
//! What it does not do: the reduction itself (`congestion`), accurate ECN (RFC 9768), a gentler reduction (RFC 8511), ECN
//! on SYN-ACKs (RFC 5562), an acknowledgement at once for a mark.

use super::config::Config;
use super::segment::{ACK, CWR, ECE, SYN, Segment};

/// What both halves of an end have in common: whether ECN is used, and what the receiver has to say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ecn {
    wanted: bool,
    /// The peer wants it too.
    used: bool,
    /// A mark came that the peer has not answered yet.
    echoes: bool,
}

impl Ecn {
    pub fn new(config: &Config) -> Ecn {
        Ecn { wanted: config.ecn, used: false, echoes: false }
    }

    pub fn used(&self) -> bool {
        self.used
    }

    /// Flags of a segment of the handshake that has `flags`: of a SYN both, of a SYN-ACK that answers such a one ECE.
    pub fn of_syn(&self, flags: u8) -> u8 {
        match flags & ACK != 0 {
            false if self.wanted => ECE | CWR,
            true if self.used => ECE,
            _ => 0,
        }
    }

    /// A SYN or SYN-ACK of the peer.
    pub fn on_syn(&mut self, flags: u8) {
        let asks = if flags & ACK == 0 { ECE | CWR } else { ECE };
        self.used = self.wanted && flags & (ECE | CWR) == asks;
    }

    /// Data came.
    pub fn on_data(&mut self, segment: &Segment) {
        if segment.flags & CWR != 0 {
            self.echoes = false;
        }
        self.echoes |= self.used && segment.ce;
    }

    /// A segment leaves that is no SYN.
    pub fn mark(&self, segment: &mut Segment) {
        if self.echoes {
            segment.flags |= ECE;
        }
    }
}

/// What the sender does with what it is told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reduced {
    /// End of what had been sent when the window was reduced last.
    point: u64,
    /// The next new data tells the peer of it.
    tells: bool,
}

impl Reduced {
    /// Whether the window was reduced for data of which the byte `una` is the first that is not acknowledged.
    pub fn covers(&self, una: u64) -> bool {
        una <= self.point
    }

    /// The window is reduced, for whatever reason; the next new byte is `next`.
    pub fn reduce(&mut self, next: u64) {
        *self = Reduced { point: next, tells: true };
    }

    /// New data leaves: whether it tells the peer.
    pub fn tell(&mut self) -> bool {
        std::mem::take(&mut self.tells)
    }
}

/// Whether a segment says that its sender got marked data.
pub(super) fn echoes(segment: &Segment) -> bool {
    segment.flags & (ECE | SYN) == ECE
}
