// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Template: one sentence on how the window grows and what loss takes off it.
//!
//! Source: where the algorithm was published, section by section. This one is Scalable TCP (Kelly, CCR 33(2), 2003): a
//! hundredth of a segment for each one acknowledged, an eighth off at loss, and Reno's half below 16 segments.
//!
//! What it does not do: what a reader might expect and will not find here.

use super::{Ack, Congestion, slow_start};

/// Segments acknowledged for one more in the window.
const PER_SEGMENT: f64 = 100.0;
/// What remains of the window after loss.
const REMAINS: f64 = 0.875;
/// Window below which it is Reno, segments.
const LOW_WINDOW: f64 = 16.0;

/// See the module.
#[derive(Clone, Debug)]
pub struct Template {
    mss: f64,
    /// Segments.
    cwnd: f64,
    /// Segments; infinite before the first congestion.
    ssthresh: f64,
}

impl Template {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        let mss = mss as f64;
        Template { mss, cwnd: window as f64 / mss, ssthresh: f64::INFINITY }
    }

    fn reduce(&mut self, flight: u64) {
        let remains = if self.cwnd < LOW_WINDOW { 0.5 } else { REMAINS };
        self.ssthresh = (remains * flight as f64 / self.mss).max(2.0);
    }
}

impl Congestion for Template {
    fn on_ack(&mut self, ack: &Ack) {
        if !ack.window_limited {
            return;
        }
        if let Some(segments) = slow_start(&mut self.cwnd, self.ssthresh, self.mss, ack) {
            self.cwnd += segments / PER_SEGMENT.min(self.cwnd);
        }
    }

    fn on_congestion_event(&mut self, flight: u64) {
        self.reduce(flight);
        self.cwnd = self.ssthresh;
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        if !repeated {
            self.reduce(flight);
        }
        self.cwnd = 1.0;
    }

    fn on_idle(&mut self, restart: u64) {
        self.cwnd = self.cwnd.min(restart as f64 / self.mss);
    }

    fn cwnd(&self) -> u64 {
        (self.cwnd * self.mss) as u64
    }

    fn ssthresh(&self) -> u64 {
        (self.ssthresh * self.mss) as u64 // saturates
    }

    fn set_ssthresh(&mut self, bytes: u64) {
        self.ssthresh = bytes as f64 / self.mss;
    }
}
