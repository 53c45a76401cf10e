// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How long packets wait when not all classes are busy (Parris 2001, IV.5.2.3).
//!
//! A class that has less than its load holds its threshold (eq. 4.19 with equality); one that has all it wants holds
//! less (eq. 4.21), and the queue is shorter by that. All classes wait the same time: it is one FIFO queue.
//!
//! What it does not do: between the loads of table 4.9 the source draws straight lines; the wait is L B / B'.

use super::borrow::busy;
use super::share::Busy;
use super::{CbtError, Quantity, of_classes};

/// Whether averages are within the thresholds: each (eq. 4.19), hence their sum (eq. 4.20).
pub fn within(averages: &[f64], queue: &Busy) -> bool {
    averages.iter().zip(queue.held()).all(|(average, held)| *average <= held.threshold)
}

/// Whether a class holds less than its threshold: it has more than it sends (eq. 4.21).
pub fn is_short(rate: f64, load: f64) -> bool {
    rate > load
}

/// D_i = Th_i - q_i, what class `i` holds less than it may, packets (eq. 4.22).
pub fn deficit(queue: &Busy, i: usize, average: f64) -> f64 {
    queue.held()[i].threshold - average
}

/// D_i P_i / C, by how much that shortens the wait, s (eq. 4.23).
pub fn deficit_s(queue: &Busy, i: usize, average: f64) -> f64 {
    deficit(queue, i, average) * queue.held()[i].packet / queue.capacity()
}

/// L' = L less all of these, s (eq. 4.24): what averages say that were measured. The same as the sum of q_i P_i / C.
///
/// # Errors
/// An average below 0, not as many averages as classes.
pub fn by_averages(queue: &Busy, averages: &[f64]) -> Result<f64, CbtError> {
    of_classes(Quantity::Average, averages, queue.held().len())?;
    let shorter: f64 = averages.iter().enumerate().map(|(i, average)| deficit_s(queue, i, *average)).sum();
    Ok(queue.latency_s() - shorter)
}

/// L = Th_i P_i / B_i: what the wait of all busy classes is by one of them (eq. 4.26), s.
pub fn by_class(queue: &Busy, i: usize) -> f64 {
    queue.held()[i].bytes() / queue.rate(i)
}

/// L' = Th_i P_i / B'_i for any class `i` that has less than its load (eq. 4.27), s; about 0 if there is none, because
/// no queue forms. `rates` is what classes get ([`predict`](super::borrow::predict)).
///
/// # Errors
/// Not as many rates or loads as classes; a rate or a load below 0.
pub fn by_rates(queue: &Busy, rates: &[f64], loads: &[f64]) -> Result<f64, CbtError> {
    let classes = queue.held().len();
    of_classes(Quantity::Load, rates, classes)?;
    of_classes(Quantity::Load, loads, classes)?;
    Ok(busy(rates, loads).map_or(0.0, |i| queue.held()[i].bytes() / rates[i]))
}
