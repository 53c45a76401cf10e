// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Sizes that follow what an access point sees of its queue (Showail 2016, 2.3.1; T. Li, D. Leith and D. Malone, "Buffer
//! sizing for 802.11 based networks").
//!
//! The constants are Li's as far as they are remembered: the dissertation has none of them but T_max.
//!
//! What it does not do: the service time is measured, and smoothed, elsewhere.

use super::{Quantity, SizingError};

/// T_max, how long packets may wait, us.
pub const MOST_WAIT_US: f64 = 200_000.0;
/// c, what is added for bursts, packets.
pub const BURST: f64 = 5.0;
/// Q_max, the largest size, packets.
pub const MOST: f64 = 400.0;
/// a, packets that are added for each second of an empty queue.
pub const GROW_PER_S: f64 = 10.0;
/// b, packets that are taken for each second of a queue that is not empty.
pub const SHRINK_PER_S: f64 = 1.0;
/// How often ALT looks, us.
pub const INTERVAL_US: f64 = 1_000_000.0;

/// eBDP: Q = min(T_max / T_serv + c, Q_max) (eq. 2.1), packets. T_serv is the mean time from the head of the queue to
/// the report that the packet is delivered.
///
/// # Errors
/// A service time or a largest wait that is not above 0; a burst or a largest size below 0.
pub fn ebdp(service_us: f64, most_wait_us: f64, burst: f64, most: f64) -> Result<f64, SizingError> {
    let packets = Quantity::Drain.of(most_wait_us)? / Quantity::Service.of(service_us)?;
    Ok((packets + Quantity::Packets.of(burst)?).min(Quantity::Packets.of(most)?))
}

/// ALT: q(k+1) = q(k) + a t_i(k) - b t_b(k) (eq. 2.2), packets; 0 at least. t_i and t_b are how long the *queue* was
/// empty and not empty in interval k, not the channel.
///
/// # Errors
/// A size, a time or a gain below 0.
pub fn alt(
    size: f64,
    idle_us: f64,
    busy_us: f64,
    grow_per_s: f64,
    shrink_per_s: f64,
) -> Result<f64, SizingError> {
    let grown = Quantity::Gain.of(grow_per_s)? * Quantity::Time.of(idle_us)? / 1e6;
    let shrunk = Quantity::Gain.of(shrink_per_s)? * Quantity::Time.of(busy_us)? / 1e6;
    Ok((Quantity::Packets.of(size)? + grown - shrunk).max(0.0))
}

/// A*: the smaller of the two (eq. 2.3), in whole packets, 1 at least.
///
/// # Errors
/// A size below 0.
pub fn a_star(ebdp: f64, alt: f64) -> Result<u32, SizingError> {
    let smaller = Quantity::Packets.of(ebdp)?.min(Quantity::Packets.of(alt)?);
    Ok(smaller.floor().clamp(1.0, f64::from(super::MAX_PACKETS)) as u32)
}
