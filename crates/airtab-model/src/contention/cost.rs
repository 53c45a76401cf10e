// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What contention wastes: idle slots, and T slots for each collision (Starzetz 2006, 8.1.2, eq. 8.8).
//!
//! The thesis leaves the best law of N stations open. Among memoryless schemes it has a closed form, derived here:
//! after every idle slot the state is the same (N wait, nobody has sent), so the best hazard is the same in every slot,
//! and there is no window ([`best_hazard`]). In a window of C slots, two stations, the last slot must end it:
//! backwards from there, V_i being the cost from slot i on, ([`fixed_window`])
//!
//!   V_(C-1) = T,  1 / V_i = 1 / (1 + V_(i+1)) + 1 / T,  h_i = A / (A + T),  A = 1 + V_(i+1)
//!
//! What it does not do: residual backoff is not covered, and TCF (`schedule`) wastes nothing.

use super::hash::events;
use super::law::SlotLaw;
use super::{ContentionError, lost_time, stations};

/// zeta of eq. 8.8 for any number of stations: what a cycle costs, slots. A collision in slot i costs i + T, a success i.
///
/// # Errors
/// A time that is not above 0; too few stations.
pub fn per_cycle(law: &SlotLaw, n: u64, lost: f64) -> Result<f64, ContentionError> {
    let lost = lost_time(lost)?;
    let events = events(law, n)?;
    let cost =
        |(i, (success, collision)): (usize, &(f64, f64))| i as f64 * (success + collision) + lost * collision;
    Ok(events.iter().enumerate().map(cost).sum())
}

/// The same for each success.
///
/// # Errors
/// As [`per_cycle`].
pub fn per_success(law: &SlotLaw, n: u64, lost: f64) -> Result<f64, ContentionError> {
    let success: f64 = events(law, n)?.iter().map(|event| event.0).sum();
    Ok(per_cycle(law, n, lost)? / success)
}

/// The window of a law that wastes least, and what it wastes for each success, slots.
///
/// # Errors
/// As [`per_cycle`].
pub fn best_window(
    law: impl Fn(u32) -> Result<SlotLaw, ContentionError>,
    n: u64,
    lost: f64,
) -> Result<(u32, f64), ContentionError> {
    let cost = |window: u32| per_success(&law(window)?, n, lost);
    let mut best = (2, cost(2)?);
    // Collisions dominate below the best window, idle slots above it: what it wastes falls, then rises.
    for window in 3..=super::MAX_WINDOW {
        let cost = cost(window)?;
        if cost < best.1 {
            best = (window, cost);
        } else if window > 2 * best.0 {
            break;
        }
    }
    Ok(best)
}

/// w(h), what a constant hazard wastes for each success, slots:
/// [(1-h)^N + T P_col] / [N h (1-h)^(N-1)], P_col = 1 - (1-h)^N - N h (1-h)^(N-1).
///
/// # Errors
/// A hazard that is not above 0 and below 1; a time that is not above 0; too few stations.
pub fn constant_hazard(hazard: f64, n: u64, lost: f64) -> Result<f64, ContentionError> {
    let (n, lost) = (f64::from(stations(n)?), lost_time(lost)?);
    if !(hazard > 0.0 && hazard < 1.0) {
        return Err(ContentionError::Hazard(hazard));
    }
    let rest = libm::log1p(-hazard);
    let idle = libm::exp(n * rest);
    let success = n * hazard * libm::exp((n - 1.0) * rest);
    let collision = (-libm::expm1(n * rest) - success).max(0.0);
    Ok((idle + lost * collision) / success)
}

/// The hazard that wastes least, and what it wastes. For two stations 1 / (1 + sqrt T) and sqrt T.
///
/// # Errors
/// As [`constant_hazard`].
pub fn best_hazard(n: u64, lost: f64) -> Result<(f64, f64), ContentionError> {
    let (stations, lost) = (f64::from(stations(n)?), lost_time(lost)?);
    // w' has the sign of (T - 1) q^N + T (N h - 1), q = 1 - h, which rises with h from -1 at 0.
    let slope = |h: f64| (lost - 1.0) * libm::exp(stations * libm::log1p(-h)) + lost * (stations * h - 1.0);
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let h = f64::midpoint(low, high);
        if h <= low || h >= high {
            return Ok((high, constant_hazard(high, n, lost)?));
        }
        if slope(h) < 0.0 { low = h } else { high = h }
    }
}

/// The best law of two stations in a window of `window` slots by eq. 8.8, and what a cycle costs with it, V_0.
///
/// # Errors
/// No window; a time that is not above 0.
pub fn fixed_window(window: u32, lost: f64) -> Result<(SlotLaw, f64), ContentionError> {
    let lost = lost_time(lost)?;
    let mut hazards = vec![1.0; window as usize];
    let mut ahead = lost;
    for hazard in hazards.iter_mut().rev().skip(1) {
        let wait = 1.0 + ahead;
        *hazard = wait / (wait + lost);
        ahead = 1.0 / (1.0 / wait + 1.0 / lost);
    }
    Ok((SlotLaw::hazards(&hazards)?, ahead))
}
