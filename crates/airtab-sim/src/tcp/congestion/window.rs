// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A window in bytes that loss halves: RFC 5681 3.1, what `reno` and `newreno` share.
//!
//! What it does not do: growth, in which the two differ.

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// Bytes of a segment.
    pub mss: u64,
    /// cwnd, bytes.
    pub size: u64,
    /// ssthresh, bytes.
    pub threshold: u64,
}

impl Window {
    pub fn new(mss: u64, size: u64) -> Self {
        Window { mss, size, threshold: u64::MAX }
    }

    /// Equation 4: half of the flight, at least two segments.
    fn halve(&mut self, flight: u64) {
        self.threshold = (flight / 2).max(2 * self.mss);
    }

    /// Fast retransmit.
    pub fn lost(&mut self, flight: u64) {
        self.halve(flight);
        self.size = self.threshold;
    }

    /// The loss window; the threshold stays when the timer expires again for the same data.
    pub fn timed_out(&mut self, flight: u64, repeated: bool) {
        if !repeated {
            self.halve(flight);
        }
        self.size = self.mss;
    }
}
