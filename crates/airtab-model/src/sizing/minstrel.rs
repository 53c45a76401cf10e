// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What Minstrel, Linux' rate control, holds of a rate (Showail 2016, 2.2.2).
//!
//! What it does not do: it samples nothing, and chooses none.

use super::{Quantity, SizingError};

/// Throughput of a rate: the bits of one try over its time, times the share of tries that got through, Mb/s.
///
/// # Errors
/// A packet or a time that is not above 0; a probability outside 0 to 1.
pub fn throughput_mbps(packet_bytes: f64, try_us: f64, delivered: f64) -> Result<f64, SizingError> {
    let bits = Quantity::Packet.of(packet_bytes)? * 8.0;
    Ok(bits / Quantity::Service.of(try_us)? * Quantity::Probability.of(delivered)?)
}

/// The share of tries that got through, of those since the last look.
///
/// # Errors
/// More are delivered than were tried, or none was tried.
pub fn delivered(delivered: u32, tried: u32) -> Result<f64, SizingError> {
    Quantity::Probability.of(f64::from(delivered) / f64::from(tried))
}
