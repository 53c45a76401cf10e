// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Vegas: Brakmo, Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", JSAC 13(8), 1995, section
//! III; the constants of Starzetz 2006, T-4.5.1 and Tab-7.1.
//!
//! Once per round trip the segments that the path holds in queues are estimated: `diff = cwnd (1 - base RTT / RTT)`, with the
//! mean of the round trip's samples. In congestion avoidance the window grows by a segment if they are fewer than alpha,
//! shrinks by one if they are more than beta, else it stays. Slow start doubles in every other round trip only, so that the
//! one between is measured with a constant window; it ends, with an eighth less, when they are more than gamma.
//!
//! Losses are found early: the sender looks at the age of the oldest segment against a fine timeout (`sent_times`). Loss
//! leaves three quarters, at most once per round trip; a timeout leaves two segments.
//!
//! Where the window is not what bounds the sender it does not grow, and what was acknowledged in the round trip takes its
//! place in `diff`. Not done: the spike suppression of later versions, a base RTT that is forgotten when the route changes.

use super::window::Window;
use super::{Ack, Congestion, slow_start_growth};
use crate::tcp::Config;

/// Constants of Vegas: segments that it wants to have in the path's queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VegasConfig {
    /// With fewer the window grows.
    pub alpha: u32,
    /// With more it shrinks.
    pub beta: u32,
    /// With more slow start ends.
    pub gamma: u32,
    /// Its window after the handshake, segments; None: as any other's.
    pub initial_window: Option<u32>,
}

impl VegasConfig {
    /// Starzetz 2006, Tab-7.1: 2, 4, 1.
    pub const fn standard() -> Self {
        VegasConfig { alpha: 2, beta: 4, gamma: 1, initial_window: None }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// Names the setting that is out of range, the range, and what to do.
    pub fn check(&self) -> Result<(), String> {
        let VegasConfig { alpha, beta, gamma, initial_window } = *self;
        for (name, value) in [("alpha", alpha), ("beta", beta), ("gamma", gamma)] {
            if !(1..=1000).contains(&value) {
                return Err(format!("vegas.{name} is {value}: 1 to 1000 segments in the path's queues"));
            }
        }
        if alpha > beta {
            return Err(format!(
                "vegas.alpha is {alpha} and vegas.beta {beta}: the window grows below alpha and shrinks above beta, so \
                 alpha must be 1 to {beta}, or beta {alpha} and more"
            ));
        }
        match initial_window {
            Some(0) => Err("vegas.initial_window is 0: at least 1 segment".into()),
            _ => Ok(()),
        }
    }
}

/// What a round trip has shown so far.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// Sum of the round-trip times, ns, and how many they are.
    sum_ns: u64,
    samples: u64,
    /// Bytes acknowledged.
    acked: u64,
}

/// Smoothed round-trip time and its deviation, of every sample, ns.
#[derive(Clone, Copy, Debug)]
struct Fine {
    smoothed: u64,
    deviation: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Vegas {
    config: VegasConfig,
    window: Window,
    /// None: it begins with the next acknowledgement that ends one.
    round: Option<Round>,
    /// Slow start grows in this round trip.
    grows: bool,
    /// Least round-trip time of data, ns.
    base_ns: u64,
    fine: Option<Fine>,
    /// Time of the last acknowledgement, and of the last reduction, ns.
    now: u64,
    reduced_at: Option<u64>,
}

impl Vegas {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        Vegas {
            config: VegasConfig::standard(),
            window: Window::new(mss, window),
            round: None,
            grows: true,
            base_ns: u64::MAX,
            fine: None,
            now: 0,
            reduced_at: None,
        }
    }

    /// The same with other constants.
    pub fn with_config(config: VegasConfig, mss: u64, window: u64) -> Self {
        Vegas { config, ..Vegas::new(mss, window) }
    }

    /// Bytes of a window of `held` that are in queues, by the round trip's mean; None without samples.
    fn queued(&self, round: &Round, held: u64) -> Option<u64> {
        let mean_ns = round.sum_ns.checked_div(round.samples)?;
        let waited = u128::from(held) * u128::from(mean_ns - self.base_ns.min(mean_ns));
        Some(waited.checked_div(mean_ns.into())? as u64) // at most the window
    }

    /// A round trip is over: what it says of the window. `may_grow`: the window was what bounded it.
    fn decide(&mut self, round: &Round, may_grow: bool) {
        let in_use = if may_grow { self.window.size } else { round.acked.min(self.window.size) };
        let Some(queued) = self.queued(round, in_use) else { return };
        let Window { mss, size, threshold } = &mut self.window;
        let more_than = |segments: u32| queued > u64::from(segments) * *mss;
        if *size < *threshold {
            self.grows = !self.grows;
            if more_than(self.config.gamma) {
                *size = (*size - *size / 8).max(2 * *mss);
                *threshold = *size;
            }
        } else if more_than(self.config.beta) {
            *size = (*size - *mss).max(2 * *mss);
            *threshold = (*threshold).min(*size); // no slow start back
        } else if may_grow && queued < u64::from(self.config.alpha) * *mss {
            *size += *mss;
        }
    }

    /// What was measured so far says nothing; slow start goes on with a round trip in which it grows.
    fn restart(&mut self) {
        self.round = None;
        self.grows = true;
    }
}

impl Congestion for Vegas {
    fn configure(&mut self, config: &Config) {
        self.config = config.vegas;
    }

    fn times_each(&self) -> bool {
        true
    }

    fn on_rtt_sample(&mut self, rtt_ns: u64) {
        self.base_ns = self.base_ns.min(rtt_ns);
        if let Some(round) = &mut self.round {
            round.sum_ns += rtt_ns;
            round.samples += 1;
        }
        self.fine = Some(match self.fine {
            None => Fine { smoothed: rtt_ns, deviation: rtt_ns / 2 },
            Some(Fine { smoothed, deviation }) => Fine {
                smoothed: (7 * smoothed + rtt_ns) / 8,
                deviation: (3 * deviation + smoothed.abs_diff(rtt_ns)) / 4,
            },
        });
    }

    fn on_delivered(&mut self, now: u64, _bytes: u64) {
        self.now = now;
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.rtt_ns.is_some()
            && let Some(round) = self.round.replace(Round::default())
        {
            self.decide(&round, ack.window_limited);
        }
        self.round.iter_mut().for_each(|round| round.acked += ack.bytes);
        let Window { mss, size, threshold } = &mut self.window;
        if self.grows && ack.window_limited && *size < *threshold {
            *size += slow_start_growth(ack, *mss, *threshold - *size);
        }
    }

    fn on_congestion_event(&mut self, _flight: u64) {
        self.restart();
        let round_trip = self.fine_timeout_ns().unwrap_or(0);
        if self.reduced_at.is_some_and(|at| self.now - at <= round_trip) {
            return; // what was lost had been sent before
        }
        self.reduced_at = Some(self.now);
        let Window { mss, size, threshold } = &mut self.window;
        *size = (*size * 3 / 4).max(2 * *mss);
        *threshold = *size;
    }

    fn on_recovered(&mut self, _now: u64) {
        self.restart();
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        self.restart();
        self.window.timed_out(flight, repeated);
        self.window.size = 2 * self.window.mss;
    }

    fn on_idle(&mut self, restart: u64) {
        self.restart();
        self.window.size = self.window.size.min(restart);
    }

    fn fine_timeout_ns(&self) -> Option<u64> {
        self.fine.map(|fine| fine.smoothed + 4 * fine.deviation)
    }

    fn cwnd(&self) -> u64 {
        self.window.size
    }

    fn ssthresh(&self) -> u64 {
        self.window.threshold
    }

    fn set_ssthresh(&mut self, bytes: u64) {
        self.window.threshold = bytes;
    }
}
