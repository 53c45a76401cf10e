// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Proportional rate reduction: how much a recovery with SACK may send for each acknowledgement.
//!
//! Source: RFC 6937 section 3, with the slow-start reduction bound (PRR-SSRB). While more is in the network than the
//! congestion control wants, what is sent is to what was delivered as the new window to the old one, so that the reduction
//! is spread over the round trip; below that, each acknowledgement lets a segment more go than it delivers, until the
//! window is there.
//!
//! The flight at the beginning (RecoverFS) is what the reduction was for: without what limited transmit sent beyond the
//! window. It counts bytes and rounds up to whole segments, as the RFC's examples do. Not done: the conservative bound, which RFC 9937 takes while losses go on; a
//! second reduction when a retransmission is lost (RFC 5681 4.3), which stacks in use do not make either.

/// One recovery; all in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prr {
    /// RecoverFS.
    flight: u64,
    delivered: u64,
    out: u64,
    /// What may be in the network until the next acknowledgement: pipe and sndcnt.
    window: u64,
}

impl Prr {
    /// A recovery begins with `flight` outstanding.
    pub fn begin(&mut self, flight: u64) {
        *self = Prr { flight, ..Prr::default() };
    }

    /// An acknowledgement tells of `delivered` more; `pipe` is in the network now, and should be `target`.
    pub fn on_ack(&mut self, delivered: u64, pipe: u64, target: u64, mss: u64) {
        self.delivered += delivered;
        let send = if pipe > target {
            let share = u128::from(self.delivered) * u128::from(target);
            let segments = share.div_ceil(u128::from(self.flight.max(1)) * u128::from(mss)) as u64;
            (segments * mss).saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(delivered) + mss;
            limit.min(target - pipe)
        };
        self.window = pipe + send;
    }

    /// What may be in the network.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// A segment of `len` bytes leaves, new or again.
    pub fn on_sent(&mut self, len: u64) {
        self.out += len;
    }
}
