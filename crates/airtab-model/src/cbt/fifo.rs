// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! FIFO with a limit, under overload (Parris 2001, III.3.1, B.2).
//!
//! What it does not do: no loss, no load. A queue that is not always full is shorter.

use super::{CbtError, Quantity};

/// P maxq / C, s: the wait behind a full queue of packets of `packet` bytes (eq. B.1). The same for the limit that any
/// other discipline has.
///
/// # Errors
/// A packet, a limit or a capacity that is not above 0.
pub fn latency_s(packet: f64, limit: f64, capacity: f64) -> Result<f64, CbtError> {
    let bytes = Quantity::Packet.of(packet)? * Quantity::Limit.of(limit)?;
    Ok(bytes / Quantity::Capacity.of(capacity)?)
}
