// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Slot laws: with which probability a station draws which slot (Starzetz 2006, 8.1 and 8.2).
//!
//! Any law may be given by weights, by hazards (the chance to send in a slot, having waited so far) or by a
//! cumulative distribution over the window.
//!
//! What it does not do: no random numbers; [`SlotLaw::slot`] turns one into a slot.

use super::{ContentionError, MAX_WINDOW};

/// Of a geometric law: what is left out beyond its last slot.
const TAIL: f64 = 1e-15;

/// Probabilities of slots 0, 1, ...; they sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotLaw {
    p: Vec<f64>,
    /// P(slot <= i).
    upto: Vec<f64>,
}

impl SlotLaw {
    /// H and 802.11: every slot of the window is as likely.
    ///
    /// # Errors
    /// A window of 0 slots, or too wide.
    pub fn uniform(window: u32) -> Result<SlotLaw, ContentionError> {
        SlotLaw::distribution(window, |t| t)
    }

    /// HASH1: density 2 (1 - t) over the window, low slots first (8.2).
    ///
    /// # Errors
    /// A window of 0 slots, or too wide.
    pub fn ramp(window: u32) -> Result<SlotLaw, ContentionError> {
        SlotLaw::distribution(window, |t| 1.0 - (1.0 - t) * (1.0 - t))
    }

    /// Slots in these proportions.
    ///
    /// # Errors
    /// A weight that is negative or not finite; all of them 0; none, or too many.
    pub fn weights(weights: &[f64]) -> Result<SlotLaw, ContentionError> {
        checked(weights.len() as f64)?;
        if let Some((slot, value)) = weights.iter().enumerate().find(|(_, w)| !(w.is_finite() && **w >= 0.0))
        {
            return Err(ContentionError::Weight { slot, value: *value });
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(ContentionError::NoWeight(weights.len()));
        }
        // In units of the largest: the sum cannot overflow.
        let sum: f64 = weights.iter().map(|w| w / largest).sum();
        Ok(SlotLaw::of(weights.iter().map(|w| w / largest / sum).collect()))
    }

    /// The same chance in every slot, and no window: p(i) = h (1 - h)^i, up to where 1e-15 is left.
    ///
    /// # Errors
    /// A hazard that is not above 0 and below 1, or so small that 65536 slots do not hold it.
    pub fn geometric(hazard: f64) -> Result<SlotLaw, ContentionError> {
        if !(hazard > 0.0 && hazard < 1.0) {
            return Err(ContentionError::Hazard(hazard));
        }
        let slots = libm::ceil(libm::log(TAIL) / libm::log1p(-hazard)).max(1.0);
        checked(slots).map_err(|_| ContentionError::Hazard(hazard))?;
        SlotLaw::hazards(&vec![hazard; slots as usize])
    }

    /// The chance to send in each slot, having waited until there; in the last one, whatever is left.
    ///
    /// # Errors
    /// One but the last that is not within 0 and 1; none, or too many.
    pub fn hazards(hazards: &[f64]) -> Result<SlotLaw, ContentionError> {
        checked(hazards.len() as f64)?;
        let mut left = 1.0;
        let mut p = Vec::with_capacity(hazards.len());
        for hazard in &hazards[..hazards.len() - 1] {
            if !(0.0..=1.0).contains(hazard) {
                return Err(ContentionError::Hazard(*hazard));
            }
            p.push(left * hazard);
            left *= 1.0 - hazard;
        }
        p.push(left);
        Ok(SlotLaw::of(p))
    }

    /// A continuous law: `cdf` is P(t' <= t) on [0, 1], and a slot is floor(t window).
    ///
    /// # Errors
    /// A window of 0 slots, or too wide.
    pub fn distribution(window: u32, cdf: impl Fn(f64) -> f64) -> Result<SlotLaw, ContentionError> {
        checked(f64::from(window))?;
        let upto = |i: u32| cdf(f64::from(i) / f64::from(window));
        Ok(SlotLaw::of((0..window).map(|i| upto(i + 1) - upto(i)).collect()))
    }

    fn of(p: Vec<f64>) -> SlotLaw {
        let mut sum = 0.0;
        let upto = p.iter().map(|p| {
            sum += p;
            sum
        });
        SlotLaw { upto: upto.collect(), p }
    }

    /// The probability of each slot.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// The slot of a number in [0, 1): the inverse of the cumulative distribution.
    pub fn slot(&self, u: f64) -> u64 {
        (self.upto.partition_point(|upto| *upto <= u) as u64).min(self.p.len() as u64 - 1)
    }
}

fn checked(slots: f64) -> Result<(), ContentionError> {
    match (1.0..=f64::from(MAX_WINDOW)).contains(&slots) {
        true => Ok(()),
        false => Err(ContentionError::Window(slots)),
    }
}
