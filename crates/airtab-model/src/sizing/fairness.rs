// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of a run, from its goodputs and round trips (Showail 2016, 2.2.7, 5.2; Little 1961).
//!
//! What it does not do: measure them. `airtab_quality::jain` is what runs are judged by, with its own care for shares
//! that are 0.

use super::{Quantity, SizingError};

/// Jain's index (sum x)^2 / (n sum x^2) of goodputs: 1 if all are equal, 1/n if one has it all.
///
/// # Errors
/// No goodput, one below 0, or none above it.
pub fn jain(goodputs: &[f64]) -> Result<f64, SizingError> {
    let quantity = Quantity::Load;
    goodputs.iter().enumerate().try_for_each(|(i, x)| quantity.of_place(i, *x).map(|_| ()))?;
    let squares: f64 = goodputs.iter().map(|x| x * x).sum();
    if squares == 0.0 {
        return Err(SizingError::None { quantity });
    }
    let sum: f64 = goodputs.iter().sum();
    Ok(sum * sum / (goodputs.len() as f64 * squares))
}

/// Packets under way, queues included: goodput times round trip (Little's law), over the bits of a packet.
///
/// # Errors
/// A goodput or a packet that is not above 0; no round trip.
pub fn in_flight(goodput_mbps: f64, round_trip_us: f64, packet_bytes: f64) -> Result<f64, SizingError> {
    super::bdp::product(goodput_mbps, round_trip_us, packet_bytes)
}
