// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Class-Based Queueing, the source's gold standard: a queue for each class and a scheduler (Parris 2001, III.4.1, B.7).
//!
//! What it does not do: borrowing order. With proportional borrowing the rates are those of
//! [`borrow`](super::borrow), too; what differs is that each class has a wait of its own.

use super::{CbtError, Quantity};

/// Packets that each class's queue holds; the source does not say how many.
pub const LIMIT: f64 = 60.0;

/// What a whole percent of `capacity` is; the source's CBQ takes no fractions.
///
/// # Errors
/// A capacity that is not above 0.
pub fn rate(percent: u32, capacity: f64) -> Result<f64, CbtError> {
    Ok(f64::from(percent) / 100.0 * Quantity::Capacity.of(capacity)?)
}

/// The wait of a class that sends `load` and gets `rate`, s: about 0 while it gets all it sends; else its own queue of
/// `limit` packets fills and drains at `rate`.
///
/// # Errors
/// A packet, a limit or a rate that is not above 0, a load below 0.
pub fn latency_s(load: f64, rate: f64, packet: f64, limit: f64) -> Result<f64, CbtError> {
    let bytes = Quantity::Packet.of(packet)? * Quantity::Limit.of(limit)?;
    if Quantity::Load.of(load)? <= rate {
        return Ok(0.0);
    }
    Ok(bytes / Quantity::Rate.of(rate)?)
}
