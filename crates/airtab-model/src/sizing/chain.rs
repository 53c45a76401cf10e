// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What one TCP flow gets through hops that share a channel, one of which sends at a time (after Showail 2016, 4.3.1).
//!
//! Two figures. *Serial*: each access waits for a mean backoff of its own. *Strict*: nobody waits for any, which nothing
//! exceeds. The backoffs of nodes that contend run at the same time, so that a chain may be above the serial figure;
//! collisions and TCP's pauses take it below.
//!
//! What it does not do: no losses, no spatial reuse.

use super::exchange::Constants;
use super::{Quantity, SizingError, rates};

/// Goodput where nothing is aggregated, Mb/s: a segment and its TCP ACKs over every hop, with mean backoffs.
///
/// # Errors
/// No rate, too many, or one of 0; a payload that is not above 0; no ACK, or more than one for a segment.
pub fn serial_mbps(
    exchange: &Constants,
    rates_mbps: &[f64],
    payload_bytes: f64,
    acks_per_segment: f64,
) -> Result<f64, SizingError> {
    rates(rates_mbps)?;
    let bits = Quantity::Packet.of(payload_bytes)? * 8.0;
    let times = rates_mbps.iter().map(|rate| exchange.segment_us(*rate, acks_per_segment));
    Ok(bits / times.sum::<Result<f64, _>>()?)
}

/// The same without any backoff, Mb/s: no chain of one domain has more.
///
/// # Errors
/// As [`serial_mbps`].
pub fn strict_mbps(
    exchange: &Constants,
    rates_mbps: &[f64],
    payload_bytes: f64,
    acks_per_segment: f64,
) -> Result<f64, SizingError> {
    serial_mbps(&Constants { cw_min: 1, ..*exchange }, rates_mbps, payload_bytes, acks_per_segment)
}

/// Goodput with aggregates of so many segments, and of the TCP ACKs for them, over every hop, Mb/s.
///
/// # Errors
/// As [`serial_mbps`]; no frames, or too many.
pub fn aggregated_mbps(
    exchange: &Constants,
    rates_mbps: &[f64],
    payload_bytes: f64,
    frames: u32,
) -> Result<f64, SizingError> {
    rates(rates_mbps)?;
    let bits = Quantity::Packet.of(payload_bytes)? * 8.0 * f64::from(frames);
    let times = rates_mbps.iter().map(|rate| exchange.round_us(*rate, frames));
    Ok(bits / times.sum::<Result<f64, _>>()?)
}

/// Goodput over one hop whose two ends always have a frame, segments and TCP ACKs, nothing aggregated and no collisions,
/// Mb/s.
///
/// # Errors
/// A rate or a payload of 0; no ACK, or more than one for a segment.
pub fn contended_mbps(
    exchange: &Constants,
    rate_mbps: f64,
    payload_bytes: f64,
    acks_per_segment: f64,
) -> Result<f64, SizingError> {
    let bits = Quantity::Packet.of(payload_bytes)? * 8.0;
    Ok(bits / exchange.contended_segment_us(rate_mbps, acks_per_segment)?)
}
