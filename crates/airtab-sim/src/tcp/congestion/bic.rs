// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! BIC's window: Xu, Harfoush, Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance Networks",
//! INFOCOM 2004, section III.
//!
//! The window that was lost is the maximum, the window that remained the minimum. Per round trip the window goes to the
//! middle between itself and the maximum, but by no more than S_max (*additive increase*) and no less than S_min; the
//! minimum follows it with every acknowledgement, as in the paper's listing. At the maximum it has found that there is
//! more, and probes for a new one in steps of 1, 2, 4, .. up to S_max per round trip, then by S_max. A window lost
//! before it was back at the maximum is in a downward trend: the next maximum is half-way down to what remained (*fast
//! convergence*). Below `low_window` it is Reno.
//!
//! Where the paper is silent: after a timeout no maximum is known, and the window probes from the slow start threshold
//! on; so does one that has lost only below `low_window`. Slow start is that of RFC 3465, and where the paper counts
//! acknowledgements, segments acknowledged count. Not done: the smoothing of increments by a quarter of the distance
//! that Linux has; spurious-loss undo.

use super::{Ack, Congestion, slow_start};

/// Constants of BIC, windows and increments in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BicConfig {
    /// Window below which it is Reno.
    pub low_window: f64,
    /// S_max: largest increment per round trip.
    pub max_increment: f64,
    /// S_min: smallest increment per round trip; above 0, at most `max_increment`.
    pub min_increment: f64,
    /// What remains of the window after loss, 0 to 1 (the paper's beta is what is taken off).
    pub beta: f64,
    /// Whether the maximum gives way in a downward trend.
    pub fast_convergence: bool,
}

impl Default for BicConfig {
    /// Linux: low window 14, S_max 16, beta 0.8, fast convergence; S_min 0.01 as in the paper.
    fn default() -> Self {
        BicConfig {
            low_window: 14.0,
            max_increment: 16.0,
            min_increment: 0.01,
            beta: 0.8,
            fast_convergence: true,
        }
    }
}

/// Where congestion avoidance stands, in segments.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Towards the window that was lost.
    Search { max: f64 },
    /// Past it, or without one: `step` per round trip until `gained` is as much.
    Probe { step: f64, gained: f64 },
    /// S_max per round trip.
    Linear,
}

const PROBE: Stage = Stage::Probe { step: 1.0, gained: 0.0 };

/// See the module.
#[derive(Clone, Debug)]
pub struct Bic {
    config: BicConfig,
    mss: f64,
    cwnd: f64,
    /// Infinite before the first congestion.
    ssthresh: f64,
    stage: Stage,
}

impl Bic {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        Bic::with_config(BicConfig::default(), mss, window)
    }

    /// The same with other constants.
    pub fn with_config(config: BicConfig, mss: u64, window: u64) -> Self {
        let mss = mss as f64;
        Bic { config, mss, cwnd: window as f64 / mss, ssthresh: f64::INFINITY, stage: PROBE }
    }

    /// Sets the threshold to what remains of the flight, at least two segments.
    fn reduce(&mut self, flight: u64) {
        let beta = if self.cwnd < self.config.low_window { 0.5 } else { self.config.beta };
        self.ssthresh = (beta * flight as f64 / self.mss).max(2.0);
    }

    /// Congestion avoidance.
    fn avoid(&mut self, segments: f64) {
        let BicConfig { low_window, max_increment, min_increment, .. } = self.config;
        let share = (segments / self.cwnd).min(1.0); // of a window
        if self.cwnd < low_window {
            self.cwnd += share;
            return;
        }
        match &mut self.stage {
            Stage::Search { max } => {
                let increment = ((*max - self.cwnd) / 2.0).min(max_increment).max(min_increment);
                self.cwnd += share * increment;
                if self.cwnd >= *max {
                    self.stage = PROBE;
                }
            }
            Stage::Probe { step, gained } => {
                self.cwnd += share * *step;
                *gained += share * *step;
                if *gained >= *step {
                    (*step, *gained) = (2.0 * *step, 0.0);
                    if *step >= max_increment {
                        self.stage = Stage::Linear;
                    }
                }
            }
            Stage::Linear => self.cwnd += share * max_increment,
        }
    }
}

impl Congestion for Bic {
    fn on_ack(&mut self, ack: &Ack) {
        if !ack.window_limited {
            return;
        }
        if let Some(segments) = slow_start(&mut self.cwnd, self.ssthresh, self.mss, ack) {
            self.avoid(segments);
        }
    }

    fn on_congestion_event(&mut self, flight: u64) {
        let BicConfig { low_window, beta, fast_convergence, .. } = self.config;
        if self.cwnd >= low_window {
            let falling = matches!(self.stage, Stage::Search { max } if self.cwnd < max);
            let converge = falling && fast_convergence;
            let max = if converge { self.cwnd * (1.0 + beta) / 2.0 } else { self.cwnd };
            self.stage = Stage::Search { max };
        }
        self.reduce(flight);
        self.cwnd = self.ssthresh;
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        if !repeated {
            self.reduce(flight);
        }
        self.stage = PROBE;
        self.cwnd = 1.0;
    }

    fn on_idle(&mut self, restart: u64) {
        self.cwnd = self.cwnd.min(restart as f64 / self.mss);
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
