// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What classes get of what others leave (Parris 2001, IV.3.1.2, IV.5.2).
//!
//! Nothing is lent in the queue: a busy class holds its threshold whatever the others do, and of a shorter queue that
//! is a larger part. Ratios between busy classes stay as they are, so what comes out is weighted max-min sharing.
//!
//! Eq. 4.17 is printed with min(Load, ...) in the iteration that raises a class. What a class cannot use would be lost
//! then, and table 4.7 would end with 272 where it has 365: here it counts as excess in the next iteration.
//!
//! What it does not do: how fast classes get there. It takes the time in which the averages move, tenths of seconds.

use super::{CbtError, Quantity, of_classes};

/// Rates after an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// B'_n of each class, bytes/s.
    pub rates: Vec<f64>,
    /// What each has above its load, bytes/s.
    pub excess: Vec<f64>,
}

/// Excess that is no more than rounding, of the sum of the rates.
const ROUNDING: f64 = 1e-12;

/// E_i = max(B_i - Load_i, 0) (eq. 4.12).
pub fn excess(rate: f64, load: f64) -> f64 {
    (rate - load).max(0.0)
}

/// What class `j` has if class `i` alone has excess: B_j + s_j / (1 - s_i) (B_i - Load_i), s being shares of the sum of
/// the rates (eq. 4.13).
pub fn beside_one(rates: &[f64], i: usize, load_i: f64, j: usize) -> f64 {
    let capacity: f64 = rates.iter().sum();
    rates[j] + rates[j] / (capacity - rates[i]) * (rates[i] - load_i)
}

/// What all classes have above their loads (eq. 4.14).
pub fn all_excess(rates: &[f64], loads: &[f64]) -> f64 {
    rates.iter().zip(loads).map(|(rate, load)| excess(*rate, *load)).sum()
}

/// What class `j` gets of that: its share among those that have less than their load now, by the rates that were
/// allocated (eq. 4.15); 0 if it is none of them.
pub fn part(allocated: &[f64], now: &[f64], loads: &[f64], j: usize) -> f64 {
    let wants = |i: &usize| now[*i] < loads[*i];
    let all: f64 = (0..now.len()).filter(wants).map(|i| allocated[i]).sum();
    if wants(&j) { allocated[j] / all } else { 0.0 }
}

/// The rates after the next iteration (eq. 4.16, and 4.17 as the module says).
pub fn next(allocated: &[f64], now: &[f64], loads: &[f64]) -> Vec<f64> {
    let spare = all_excess(now, loads);
    let one = |j: usize| now[j].min(loads[j]) + part(allocated, now, loads, j) * spare;
    (0..now.len()).map(one).collect()
}

/// Every iteration, the allocation itself first; the last has no excess (eq. 4.18). Rates and loads in any one unit; a
/// load is infinite where a class always has a packet.
///
/// An iteration satisfies at least one class more, so that there are at most as many as classes. Where all classes are
/// satisfied, the link is not full, and the rates are the loads.
///
/// # Errors
/// No class; a rate that is not above 0, a load below 0, not as many loads as rates.
pub fn steps(rates: &[f64], loads: &[f64]) -> Result<Vec<Step>, CbtError> {
    of_classes(Quantity::Rate, rates, rates.len())?;
    of_classes(Quantity::Load, loads, rates.len())?;
    let step = |rates: Vec<f64>| {
        let excess = rates.iter().zip(loads).map(|(rate, load)| excess(*rate, *load)).collect();
        Step { rates, excess }
    };
    let least = ROUNDING * rates.iter().sum::<f64>();
    let mut steps = vec![step(rates.into())];
    while steps.len() <= rates.len() {
        let last = &steps[steps.len() - 1];
        if last.excess.iter().sum::<f64>() <= least {
            break;
        }
        steps.push(step(next(rates, &last.rates, loads)));
    }
    Ok(steps)
}

/// B', what each class gets: the last of [`steps`].
///
/// # Errors
/// As [`steps`].
pub fn predict(rates: &[f64], loads: &[f64]) -> Result<Vec<f64>, CbtError> {
    let last = steps(rates, loads)?.pop().expect("the allocation is the first");
    Ok(last.rates)
}

/// The first class that has less than its load, if the link is full.
pub fn busy(rates: &[f64], loads: &[f64]) -> Option<usize> {
    (0..rates.len()).find(|&i| loads[i] > rates[i] * (1.0 + 1e-9))
}
