// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A slow and a fast flow: figure 5.4 of the CHAP dissertation (5.2.3).
//!
//! Two Poisson flows share the load rho; kappa is the slow flow's rate over the fast one's; every service
//! takes 1. The slow flow goes first with the probability that its credit is the higher one.

use super::ChapError;
use super::ppdq::{Class, Ppdq};

/// The source takes no p_1 above this, since its form of eq. 5.25 divides by 1 - p_1. Ours does not; figures
/// are computed as there.
pub const P_1_CAP: f64 = 0.9999;

/// p_1, the probability that the slow flow has the higher credit: 1 up to kappa = 1/2, where the ranges
/// begin to meet, then (-4 kappa^2 + 6 kappa - 1) / (2 kappa) (eq. 5.37, which is eq. 5.33 for two flows).
///
/// # Errors
/// kappa is not above 0, or above 1.
pub fn p_1(kappa: f64) -> Result<f64, ChapError> {
    if !(kappa > 0.0 && kappa <= 1.0) {
        return Err(ChapError::Kappa(kappa));
    }
    Ok(if kappa <= 0.5 { 1.0 } else { (-4.0 * kappa * kappa + 6.0 * kappa - 1.0) / (2.0 * kappa) })
}

/// The queue of figure 5.4: its waits are in services.
///
/// # Errors
/// The load is not above 0 and below 1, or kappa not above 0 and 1 at most.
pub fn two_flows(rho: f64, kappa: f64) -> Result<Ppdq, ChapError> {
    let p_1 = p_1(kappa)?.min(P_1_CAP);
    if !(rho > 0.0 && rho < 1.0) {
        return Err(ChapError::Load(rho));
    }
    let fast = rho / (1.0 + kappa);
    Ppdq::new([Class::fixed(fast * kappa, 1.0), Class::fixed(fast, 1.0)], p_1)
}
