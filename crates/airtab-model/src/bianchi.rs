// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Bianchi's model of the 802.11 distributed coordination function under saturation.
//!
//! Source: G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE
//! JSAC 18(3), 2000, eq. 7, 9 and 13. n stations always have a frame to send on an ideal channel; each
//! attempt collides with the same probability p, whatever happened before; a station sends in a slot with
//! probability tau. Backoff counters count slots of the model: an idle slot, a success or a collision is
//! one slot, so a station that lost a contention has moved on by one when the medium falls idle again.
//!
//! What it does not do: no retry limit (a frame stays at the largest window until it is through), no
//! channel errors, no hidden stations, no frames of different length.

/// A saturated cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BianchiInput {
    /// Stations that contend, at least 1; an access point counts as one.
    pub n: u32,
    /// Smallest contention window as in the standard: a first backoff is uniform over 0..=cw_min slots.
    pub cw_min: u32,
    /// Largest contention window; `cw_max + 1` is `cw_min + 1` doubled a whole number of times.
    pub cw_max: u32,
    /// An idle backoff slot, ns, above 0.
    pub slot_ns: u64,
    /// What a success keeps the medium from counting idle slots (frame, SIFS, ACK, DIFS), ns, above 0.
    pub t_success_ns: u64,
    /// The same for a collision (the longest frame, then DIFS or EIFS), ns, above 0.
    pub t_collision_ns: u64,
    /// Payload that a success carries, in bits.
    pub payload_bits: u64,
}

/// The stationary state of the cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bianchi {
    /// Probability that a given station sends in a slot of the model.
    pub tau: f64,
    /// Probability that an attempt collides.
    pub p: f64,
    /// Probability that somebody sends in a slot of the model.
    pub p_transmit: f64,
    /// Probability that a transmission on the medium is a success; the rest are collisions. A collision of
    /// k stations is one transmission here and k attempts in `p`.
    pub p_success: f64,
    /// Payload of all stations together, bit/s.
    pub throughput_bps: f64,
}

/// Why a cell has no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BianchiError {
    /// There is nobody to send.
    #[error("at least one station is needed")]
    NoStations,
    /// The windows do not double from the smallest to the largest.
    #[error("cw_max + 1 = {} is not cw_min + 1 = {} doubled a whole number of times", .cw_max + 1, .cw_min + 1)]
    Windows {
        /// The smallest window given.
        cw_min: u64,
        /// The largest window given.
        cw_max: u64,
    },
    /// A slot, a success or a collision takes no time.
    #[error("slot, success and collision must take time")]
    NoTime,
}

impl BianchiInput {
    /// Solves the model for the cell.
    pub fn solve(&self) -> Result<Bianchi, BianchiError> {
        if self.n == 0 {
            return Err(BianchiError::NoStations);
        }
        if self.slot_ns == 0 || self.t_success_ns == 0 || self.t_collision_ns == 0 {
            return Err(BianchiError::NoTime);
        }
        let (window, stages) = self.window_and_stages()?;
        let p = fixed_point(self.n, window, stages);
        let tau = attempt_probability(p, window, stages);

        let p_transmit = some_send(self.n, tau);
        let p_single = f64::from(self.n) * tau * (1.0 - p);
        let mean_slot_ns = (1.0 - p_transmit) * self.slot_ns as f64
            + p_single * self.t_success_ns as f64
            + (p_transmit - p_single).max(0.0) * self.t_collision_ns as f64;
        Ok(Bianchi {
            tau,
            p,
            p_transmit,
            p_success: (p_single / p_transmit).min(1.0),
            throughput_bps: p_single * self.payload_bits as f64 * 1e9 / mean_slot_ns,
        })
    }

    /// W, the number of values of a first backoff, and m, how many times it doubles.
    fn window_and_stages(&self) -> Result<(f64, u32), BianchiError> {
        let (first, last) = (u64::from(self.cw_min) + 1, u64::from(self.cw_max) + 1);
        let factor = last / first;
        if last % first != 0 || !factor.is_power_of_two() {
            return Err(BianchiError::Windows { cw_min: first - 1, cw_max: last - 1 });
        }
        Ok((first as f64, factor.ilog2()))
    }
}

/// tau of a station whose attempts collide with probability `p` (eq. 7). The paper's fraction is 0/0 at p =
/// 1/2; the geometric sum that it came from is not.
fn attempt_probability(p: f64, window: f64, stages: u32) -> f64 {
    let mut sum = 0.0;
    let mut power = 1.0;
    for _ in 0..stages {
        sum += power;
        power *= 2.0 * p;
    }
    2.0 / (1.0 + window + p * window * sum)
}

/// Probability that at least one of `stations` (at least 1) sends: 1 - (1 - tau)^stations. An attempt
/// collides if one of the n - 1 others sends too (eq. 9).
fn some_send(stations: u32, tau: f64) -> f64 {
    -libm::expm1(f64::from(stations) * libm::log1p(-tau))
}

/// The p at which both equations hold. tau falls as p grows, and p grows with tau, so that there is one
/// crossing: halve the interval that holds it until no number lies between its ends.
fn fixed_point(n: u32, window: f64, stages: u32) -> f64 {
    if n == 1 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let p = (low + high) / 2.0;
        if p <= low || p >= high {
            return high;
        }
        if some_send(n - 1, attempt_probability(p, window, stages)) > p {
            low = p;
        } else {
            high = p;
        }
    }
}

#[cfg(test)]
mod tests;
