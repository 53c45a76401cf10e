// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The best slot law as a density on [0, 1) (Starzetz 2006, 8.1.2, eq. 8.15 to 8.20), by calculus of variations.
//!
//! The functional (8.15) is the integral of F = T p^2 + 2 t p (1 - c), c the distribution and p its density, with A = T
//! constant. Euler and Lagrange give T c'' = c - 1 (8.18), and with c(0) = 0, c(1) = 1
//!
//!   c(t) = 1 - sinh((1 - t) / sqrt T) / sinh(1 / sqrt T)                        (8.19)
//!
//! which is the thesis' 1 + coth sinh - cosh in one quotient. With A = T + t the equation is (8.17).
//!
//! Units: the functional leaves out that of C slots each is hit with p / C. For C slots and T of them the time to put
//! in is T / C^2 ([`effective_time`]); then (8.19) is the exact optimum of `cost::fixed_window` to six digits.
//!
//! What it does not do: (8.17) has solutions in Bessel functions and is not solved here.

use super::{ContentionError, lost_time, stations};

/// T_eff of `lost` slots in a window of `window`.
///
/// # Errors
/// A time that is not above 0; a window of 0.
pub fn effective_time(lost: f64, window: u32) -> Result<f64, ContentionError> {
    if window == 0 {
        return Err(ContentionError::Window(0.0));
    }
    Ok(lost_time(lost)? / (f64::from(window) * f64::from(window)))
}

/// c(t) of eq. 8.19, `t` in [0, 1].
///
/// # Errors
/// A time that is not above 0; a `t` outside.
pub fn distribution(t: f64, time: f64) -> Result<f64, ContentionError> {
    let a = 1.0 / lost_time(time)?.sqrt();
    within(t)?;
    // sinh((1-t) a) / sinh(a), without overflow: e^(-ta) (1 - e^(-2(1-t)a)) / (1 - e^(-2a)).
    Ok(1.0 - libm::exp(-t * a) * libm::expm1(-2.0 * (1.0 - t) * a) / libm::expm1(-2.0 * a))
}

/// p(t), its density: cosh((1 - t) / sqrt T) / (sqrt T sinh(1 / sqrt T)).
///
/// # Errors
/// As [`distribution`].
pub fn density(t: f64, time: f64) -> Result<f64, ContentionError> {
    let a = 1.0 / lost_time(time)?.sqrt();
    within(t)?;
    let even = 1.0 + libm::exp(-2.0 * (1.0 - t) * a);
    Ok(a * libm::exp(-t * a) * even / -libm::expm1(-2.0 * a))
}

/// F of two stations (8.15): A p^2 + 2 B p (1 - c) with A = t + T and B = t.
pub fn integrand(t: f64, time: f64, p: f64, c: f64) -> f64 {
    (t + time) * p * p + 2.0 * t * p * (1.0 - c)
}

/// F of `n` stations (8.20, 11.1): (t + T) sum over i of binom(N, i) p^(N-i) (1-c)^i, i = 0 to N - 2, and t N p (1-c)^(N-1).
///
/// The compact sum is printed with binom(N, i+1); the line above it, which is taken here, gives (8.15) for N = 2.
///
/// # Errors
/// Fewer than 2 stations, or too many.
pub fn integrand_of(n: u64, t: f64, time: f64, p: f64, c: f64) -> Result<f64, ContentionError> {
    let n = stations(n)?;
    // As many at t as there are more than one: stations added one after the other, as in `hash`.
    let (mut none, mut one, mut more) = (1.0, 0.0, 0.0);
    for _ in 0..n {
        more = more * (p + (1.0 - c)) + one * p;
        one = one * (1.0 - c) + none * p;
        none *= 1.0 - c;
    }
    Ok((t + time) * more + t * one)
}

/// How far c is from solving (8.17), -2c' - 2tc'' - 2Tc'' - 2 + 2c = 0, given both derivatives.
pub fn residue_full(t: f64, time: f64, c: f64, first: f64, second: f64) -> f64 {
    -2.0 * first - 2.0 * t * second - 2.0 * time * second - 2.0 + 2.0 * c
}

/// How far c is from solving (8.18), -Tc'' + c - 1 = 0.
pub fn residue(time: f64, c: f64, second: f64) -> f64 {
    -time * second + c - 1.0
}

fn within(t: f64) -> Result<(), ContentionError> {
    if (0.0..=1.0).contains(&t) { Ok(()) } else { Err(ContentionError::Time(t)) }
}
