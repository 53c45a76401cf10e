// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! CUBIC's window: RFC 9438 with C = 0.4, beta = 0.7, fast convergence and the Reno-friendly region.
//!
//! Windows are in segments and times in seconds here, as in the RFC, in `f64`: sums, products, quotients and
//! `libm::cbrt`, which give the same bits on every machine. Slow start is that of RFC 3465. Where the RFC speaks of
//! "each acknowledgement", segments acknowledged count, so that delayed acknowledgements do not slow growth.
//! Not done: ECN, spurious-loss undo.

use super::{Ack, Congestion, slow_start};
use crate::tcp::Config;

/// Aggressiveness, segments / s^3 (RFC 9438 5.1).
const C: f64 = 0.4;
/// What remains of the window after loss (RFC 9438 4.6).
const BETA: f64 = 0.7;

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began, ns; moved on by the time during which the window could not grow (RFC 9438 4.2).
    start: u64,
    /// K: seconds until the window is back at `w_max`.
    k: f64,
    /// W_est: the window that Reno would have, segments.
    w_est: f64,
    /// Since when something else limits the sender, ns.
    paused: Option<u64>,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Cubic {
    mss: f64,
    beta: f64,
    /// Additive increase that gives Reno's mean window with this beta, segments per round trip (RFC 9438 4.3).
    alpha: f64,
    cwnd: f64,
    /// Infinite before the first congestion.
    ssthresh: f64,
    /// W_max: the window at the last reduction, lower with fast convergence; 0 if there is none to return to.
    w_max: f64,
    /// The window before the last reduction.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
}

impl Cubic {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        let mss = mss as f64;
        let cwnd = window as f64 / mss;
        let mut cubic = Cubic {
            mss,
            beta: 0.0,
            alpha: 0.0,
            cwnd,
            ssthresh: f64::INFINITY,
            w_max: 0.0,
            cwnd_prior: cwnd,
            epoch: None,
        };
        cubic.set_beta(BETA);
        cubic
    }

    /// What is to remain of the window after loss, 0 to 1: 0.7 in the RFC, 0.8 in its first descriptions.
    pub fn set_beta(&mut self, beta: f64) {
        self.beta = beta;
        self.alpha = 3.0 * (1.0 - beta) / (1.0 + beta);
    }

    /// Sets the threshold to beta of the flight, at least two segments.
    fn reduce(&mut self, flight: u64) {
        self.ssthresh = (self.beta * flight as f64 / self.mss).max(2.0);
        self.cwnd_prior = self.cwnd;
        self.epoch = None;
    }

    /// Congestion avoidance (RFC 9438 4.2 to 4.5).
    fn avoid(&mut self, ack: &Ack, segments: f64) {
        let cwnd = self.cwnd;
        let w_max = &mut self.w_max;
        let epoch = self.epoch.get_or_insert_with(|| {
            *w_max = w_max.max(cwnd);
            Epoch { start: ack.now, k: libm::cbrt((*w_max - cwnd) / C), w_est: cwnd, paused: None }
        });
        if let Some(since) = epoch.paused.take() {
            epoch.start += ack.now - since;
        }
        let share = (segments / cwnd).min(1.0); // of a window
        let alpha = if epoch.w_est < self.cwnd_prior { self.alpha } else { 1.0 };
        epoch.w_est += alpha * share;

        let w_cubic = |ns: u64| {
            let t = ns as f64 * 1e-9 - epoch.k;
            C * (t * t * t) + *w_max
        };
        let elapsed = ack.now - epoch.start;
        self.cwnd = if w_cubic(elapsed) < epoch.w_est {
            cwnd.max(epoch.w_est)
        } else {
            let target = w_cubic(elapsed + ack.srtt_ns).clamp(cwnd, 1.5 * cwnd);
            cwnd + share * (target - cwnd)
        };
    }
}

impl Congestion for Cubic {
    fn configure(&mut self, config: &Config) {
        self.set_beta(f64::from(config.cubic_beta_percent) / 100.0);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if !ack.window_limited {
            if let Some(epoch) = &mut self.epoch {
                epoch.paused.get_or_insert(ack.now);
            }
            return;
        }
        if let Some(segments) = slow_start(&mut self.cwnd, self.ssthresh, self.mss, ack) {
            self.avoid(ack, segments);
        }
    }

    fn on_congestion_event(&mut self, flight: u64) {
        let converge = self.cwnd < self.w_max; // fast convergence (RFC 9438 4.7)
        self.w_max = if converge { self.cwnd * (1.0 + self.beta) / 2.0 } else { self.cwnd };
        self.reduce(flight);
        self.cwnd = self.ssthresh;
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        if !repeated {
            self.reduce(flight);
        }
        self.w_max = 0.0; // the next stage begins at its own W_max with K = 0 (RFC 9438 4.8)
        self.cwnd = 1.0;
        self.epoch = None;
    }

    fn on_idle(&mut self, restart: u64) {
        self.cwnd = self.cwnd.min(restart as f64 / self.mss);
        self.epoch = None;
    }

    fn cwnd(&self) -> u64 {
        (self.cwnd * self.mss) as u64
    }

    fn ssthresh(&self) -> u64 {
        (self.ssthresh * self.mss) as u64 // infinity becomes u64::MAX
    }

    fn set_ssthresh(&mut self, bytes: u64) {
        self.ssthresh = bytes as f64 / self.mss;
    }
}
