// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What TCP gets by its losses or its window, and what the study's browsers ask for (Parris 2001, II, III, A.3.4).
//!
//! What it does not do: timeouts, slow start. Both formulas are of long transfers with few losses.

use super::{CbtError, Quantity};

/// Windows of the study's hosts, bytes.
pub const WINDOW: f64 = 16.0 * 1024.0;
/// Browsers of the study's web traffic.
pub const BROWSERS: f64 = 3000.0;

/// r = 1.22 M / (RTT sqrt(l)), bytes/s: what a flow that yields as TCP does gets (eq. 2.1).
///
/// # Errors
/// A segment or a round trip that is not above 0; a loss that is not above 0, or is above 1.
pub fn friendly(segment: f64, round_trip_s: f64, loss: f64) -> Result<f64, CbtError> {
    by_loss(1.22, segment, round_trip_s, loss)
}

/// T <= 1.5 sqrt(2/3) B / (R sqrt(p)), bytes/s: the most that TCP gets (eq. 3.1).
///
/// # Errors
/// As [`friendly`].
pub fn at_most(segment: f64, round_trip_s: f64, loss: f64) -> Result<f64, CbtError> {
    by_loss(1.5 * libm::sqrt(2.0 / 3.0), segment, round_trip_s, loss)
}

fn by_loss(constant: f64, segment: f64, round_trip_s: f64, loss: f64) -> Result<f64, CbtError> {
    let (segment, trip) = (Quantity::Packet.of(segment)?, Quantity::RoundTrip.of(round_trip_s)?);
    if Quantity::Loss.of(loss)? == 0.0 {
        return Err(CbtError::Value { quantity: Quantity::Loss, value: loss });
    }
    Ok(constant * segment / (trip * libm::sqrt(loss)))
}

/// W / RTT, bytes/s: what a window lets through.
///
/// # Errors
/// A window or a round trip that is not above 0.
pub fn by_window(window: f64, round_trip_s: f64) -> Result<f64, CbtError> {
    Ok(Quantity::Packet.of(window)? / Quantity::RoundTrip.of(round_trip_s)?)
}

/// Flows of that window that fill a link of `capacity` bytes/s.
///
/// # Errors
/// As [`by_window`]; a capacity that is not above 0.
pub fn flows_that_fill(capacity: f64, window: f64, round_trip_s: f64) -> Result<f64, CbtError> {
    Ok(Quantity::Capacity.of(capacity)? / by_window(window, round_trip_s)?)
}

/// What browsers of the study ask for, bytes/s: 2.9546 kb/s each, less 53.596 (a line through hour-long runs, A.3.4.1);
/// 0 below 19 browsers, where the line is.
pub fn browsers(browsers: f64) -> f64 {
    ((2.9546 * browsers - 53.596) * 1000.0 / 8.0).max(0.0)
}
