// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Small formulas of a radio link (Starzetz 2006, 3.3.2).
//!
//! What it does not do: bit errors are independent here; the cell's own link is `airtab_sim::wifi::Loss`.

use super::ContentionError;

/// Speed of light, rounded as the thesis has it, m/s.
const LIGHT: f64 = 3e8;

/// The probability that a frame of `bytes` is corrupted at a bit error rate: 1 - (1 - p)^n.
///
/// The thesis prints (1 - p)^n, which is the chance that it survives.
///
/// # Errors
/// No probability.
pub fn corrupted(bit_error: f64, bytes: u32) -> Result<f64, ContentionError> {
    if !(0.0..=1.0).contains(&bit_error) {
        return Err(ContentionError::Probability(bit_error));
    }
    Ok(-libm::expm1(8.0 * f64::from(bytes) * libm::log1p(-bit_error)))
}

/// How far apart stations may be to hear each other within a slot, m.
pub fn range_m(slot_ns: u64) -> f64 {
    LIGHT * slot_ns as f64 / 1e9
}
