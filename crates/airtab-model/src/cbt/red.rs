// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Random Early Detection: its early drops, and the wait behind it (Parris 2001, III.3.2, B.3). CBT with one class is
//! RED, and a class between its two thresholds drops like this.
//!
//! What it does not do: where TCP and RED settle together.

use super::{CbtError, Quantity};

/// The band in which drops are random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    min: f64,
    max: f64,
    max_p: f64,
}

impl Band {
    /// From `min` to `max` packets of the average, with `max_p` at its upper end.
    ///
    /// # Errors
    /// Thresholds that are no band; a probability that is not above 0, or is above 1.
    pub fn new(min: f64, max: f64, max_p: f64) -> Result<Band, CbtError> {
        if !(min >= 0.0 && max.is_finite() && max > min) {
            return Err(CbtError::Band { min, max });
        }
        Ok(Band { min, max, max_p: Quantity::MaxP.of(max_p)? })
    }

    /// p_b = max_p (avg - Th_min) / (Th_max - Th_min), 0 below the band and 1, a forced drop, above it.
    ///
    /// # Errors
    /// An average below 0.
    pub fn base(&self, average: f64) -> Result<f64, CbtError> {
        let average = Quantity::Average.of(average)?;
        Ok(match average {
            a if a <= self.min => 0.0,
            a if a > self.max => 1.0,
            a => self.max_p * (a - self.min) / (self.max - self.min),
        })
    }

    /// p_a = p_b / (1 - count p_b), once `count` packets have come since the last drop; 1 where the print divides by 0 or
    /// less, because a drop is certain there.
    ///
    /// # Errors
    /// As [`Band::base`].
    pub fn early(&self, average: f64, count: u64) -> Result<f64, CbtError> {
        let base = self.base(average)?;
        let rest = 1.0 - count as f64 * base;
        Ok(if base <= rest { base / rest } else { 1.0 })
    }

    /// ceil(1/p_b - 1): the count at which a drop is certain; none where there are no early drops.
    ///
    /// # Errors
    /// As [`Band::base`].
    pub fn certain(&self, average: f64) -> Result<Option<u64>, CbtError> {
        let base = self.base(average)?;
        // 1 / 0.1 - 1 is 9, whatever it rounds to.
        let count = libm::ceil(1.0 / base - 1.0 - 1e-9).max(0.0);
        Ok((base > 0.0).then_some(count as u64))
    }
}

/// P Th_max / C, s: the wait if the average stays at the upper threshold (eq. B.3).
///
/// # Errors
/// A packet, a threshold or a capacity that is not above 0.
pub fn latency_s(packet: f64, threshold: f64, capacity: f64) -> Result<f64, CbtError> {
    let bytes = Quantity::Packet.of(packet)? * Quantity::Threshold.of(threshold)?;
    Ok(bytes / Quantity::Capacity.of(capacity)?)
}
