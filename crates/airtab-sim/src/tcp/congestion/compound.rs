// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Compound TCP's window: Tan, Song, Zhang, Sridharan, "A Compound TCP Approach for High-speed and Long Distance
//! Networks", INFOCOM 2006, section III; draft-sridharan-tcpm-ctcp-02, section 3.
//!
//! The window is the sum of two: *cwnd*, which is Reno's, and *dwnd*, which looks at delay. Once per round trip the
//! packets that the path holds in queues are estimated as in Vegas, `diff = win (1 - base RTT / RTT)`. While they are
//! fewer than gamma, dwnd grows so that the window gains `alpha win^k`; else it gives way by `zeta diff`. Loss leaves
//! `(1 - beta) win`, and never less than Reno's half of cwnd.
//!
//! The base RTT is the least that any of the connection's data had. The RTT is that of the round trip's timed segment. dwnd is 0
//! in slow start, which is that of RFC 3465 and ends when *cwnd* is at its threshold. The power is `libm::pow`, so that
//! the bits are the same everywhere. Not done: the draft's tuning of gamma, which is 30 here as in the paper; its wait
//! for a new base RTT when the route changes.

use super::{Ack, Congestion, slow_start};

/// Constants of Compound TCP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompoundConfig {
    /// Growth per round trip: `alpha win^k` segments.
    pub alpha: f64,
    /// What loss takes off the window, 0 to 1.
    pub beta: f64,
    /// See `alpha`.
    pub k: f64,
    /// Packets in queues from which on dwnd gives way.
    pub gamma: f64,
    /// How much it gives way, segments per packet in queues.
    pub zeta: f64,
}

impl Default for CompoundConfig {
    /// The paper's alpha 1/8, beta 1/2, k 3/4 and gamma 30; zeta 1.
    fn default() -> Self {
        CompoundConfig { alpha: 0.125, beta: 0.5, k: 0.75, gamma: 30.0, zeta: 1.0 }
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Compound {
    config: CompoundConfig,
    mss: f64,
    /// The loss window, segments.
    cwnd: f64,
    /// The delay window, segments.
    dwnd: f64,
    /// Threshold of the loss window, segments; infinite before the first congestion.
    ssthresh: f64,
    /// Least round-trip time of data, ns.
    base_ns: u64,
}

impl Compound {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        Compound::with_config(CompoundConfig::default(), mss, window)
    }

    /// The same with other constants.
    pub fn with_config(config: CompoundConfig, mss: u64, window: u64) -> Self {
        let mss = mss as f64;
        let cwnd = window as f64 / mss;
        Compound { config, mss, cwnd, dwnd: 0.0, ssthresh: f64::INFINITY, base_ns: u64::MAX }
    }

    /// The delay window, bytes; the loss window is the rest of [`Congestion::cwnd`].
    pub fn dwnd(&self) -> u64 {
        (self.dwnd * self.mss) as u64
    }

    /// A round trip took `rtt_ns`.
    fn delay(&mut self, rtt_ns: u64) {
        let CompoundConfig { alpha, k, gamma, zeta, .. } = self.config;
        let win = self.cwnd + self.dwnd;
        let diff = win * (1.0 - self.base_ns as f64 / rtt_ns as f64);
        let change = if diff < gamma { (alpha * libm::pow(win, k) - 1.0).max(0.0) } else { -zeta * diff };
        self.dwnd = (self.dwnd + change).max(0.0);
    }
}

impl Congestion for Compound {
    fn on_ack(&mut self, ack: &Ack) {
        if !ack.window_limited {
            return;
        }
        let Some(segments) = slow_start(&mut self.cwnd, self.ssthresh, self.mss, ack) else { return };
        self.cwnd += (segments / (self.cwnd + self.dwnd)).min(1.0);
        if let Some(rtt) = ack.rtt_ns {
            self.delay(rtt);
        }
    }

    fn on_rtt_sample(&mut self, rtt_ns: u64) {
        self.base_ns = self.base_ns.min(rtt_ns);
    }

    fn on_congestion_event(&mut self, flight: u64) {
        let win = flight as f64 / self.mss;
        self.cwnd *= win / (self.cwnd + self.dwnd) / 2.0;
        self.dwnd = (win * (1.0 - self.config.beta) - self.cwnd).max(0.0);
        self.cwnd = self.cwnd.max(2.0 - self.dwnd);
        self.ssthresh = self.cwnd;
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        if !repeated {
            self.ssthresh = (flight as f64 / self.mss / 2.0).max(2.0);
        }
        (self.cwnd, self.dwnd) = (1.0, 0.0);
    }

    fn on_idle(&mut self, restart: u64) {
        let restart = restart as f64 / self.mss;
        if self.cwnd + self.dwnd > restart {
            (self.cwnd, self.dwnd) = (restart, 0.0);
        }
    }

    fn cwnd(&self) -> u64 {
        ((self.cwnd + self.dwnd) * self.mss) as u64
    }

    fn ssthresh(&self) -> u64 {
        (self.ssthresh * self.mss) as u64 // infinity becomes u64::MAX
    }

    fn set_ssthresh(&mut self, bytes: u64) {
        self.ssthresh = bytes as f64 / self.mss;
    }
}
