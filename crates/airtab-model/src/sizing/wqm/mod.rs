// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Wireless Queue Management: a limit that follows how long the queue takes to drain (Showail 2016, 5.3).
//!
//! R is the rate, K the frames of an aggregate, F the share of time that the channel is free for this sender, BL what
//! waits. [`law`] moves the limit, [`radio`] is of several queues that share one radio.
//!
//! What it does not do: R, K, F and BL are measured elsewhere.

pub mod law;
pub mod radio;

use super::exchange::Constants;
use super::{Quantity, SizingError};

/// The drain time that is aimed at, us: about one exchange at the lowest rate, without aggregation.
pub const DRAIN_US: f64 = 2_500.0;
/// B_max of 802.11n, packets. It is what 600 Mb/s need with 64 frames if a round trip takes 1.9 ms, as the text says; table
/// 5.1 gives 1784 us and 90 packets, and the 42 frames that fit into an aggregate 67.
pub const MOST: u32 = 95;
/// How often the law looks, us.
pub const INTERVAL_US: f64 = 100_000.0;
/// The least that F is taken for.
pub const FREE_FLOOR: f64 = 0.05;
/// Round trip of the largest limit where rates are above those of 802.11n, us.
pub const MOST_ROUND_US: f64 = 5_000.0;

/// R ARTT, a window's worth over one hop, packets, not rounded: B_initial before it is rounded up (eq. 5.1), and the bound
/// lambda ARTT (eq. 5.5, of B >= W / 2 and W / 2 >= lambda ARTT, eq. 5.3 and 5.4; print has a factor of 2 on one side of
/// 5.4 alone).
///
/// # Errors
/// A rate of 0; no frames, or too many.
pub fn bound(exchange: &Constants, rate_mbps: f64, frames: u32) -> Result<f64, SizingError> {
    Ok(rate_mbps * exchange.round_us(rate_mbps, frames)? / exchange.packet_bits())
}

/// B_initial = R ARTT, in whole packets (eq. 5.1).
///
/// # Errors
/// As [`bound`].
pub fn initial(exchange: &Constants, rate_mbps: f64, frames: u32) -> Result<u32, SizingError> {
    Ok(whole(bound(exchange, rate_mbps, frames)?))
}

/// The largest limit by a round trip: R T / L in whole packets.
///
/// # Errors
/// A rate, a time or a packet that is not above 0.
pub fn most_within(rate_mbps: f64, round_trip_us: f64, packet_bytes: f64) -> Result<u32, SizingError> {
    Ok(whole(super::bdp::product(rate_mbps, round_trip_us, packet_bytes)?))
}

/// Rounded up, at least 1.
fn whole(packets: f64) -> u32 {
    packets.ceil().clamp(1.0, f64::from(super::MAX_PACKETS)) as u32
}

/// T = (BL / R) / F (eq. 5.2), us.
///
/// # Errors
/// A backlog below 0, a rate of 0, a free share that is not above 0 and at most 1.
pub fn drain_us(backlog_bits: f64, rate_mbps: f64, free: f64) -> Result<f64, SizingError> {
    let rate = Quantity::Rate.of(rate_mbps)?;
    Ok(Quantity::Packets.of(backlog_bits)? / rate / Quantity::Free.of(free)?)
}

/// The same with what aggregates of `mean_frames` have around them: (ceil(n / Kavg) (T_BO + T_DIFS + 2 T_PHY + T_SIFS +
/// T_BACK) + n (L_MAC + L_DATA) / R) / F, us. Ours, after the text, which says that Kavg makes the estimate better and
/// prints no formula.
///
/// # Errors
/// As [`drain_us`]; fewer than one frame.
pub fn drain_aggregated_us(
    exchange: &Constants,
    packets: u32,
    mean_frames: f64,
    rate_mbps: f64,
    free: f64,
) -> Result<f64, SizingError> {
    let accesses = (f64::from(packets) / Quantity::Frames.of(mean_frames)?).ceil();
    let one = exchange.data_us(rate_mbps, 1)?;
    let frame = exchange.aggregate_us(rate_mbps, 1)? - exchange.preamble_us;
    let all = accesses * (one - frame) + f64::from(packets) * frame;
    Ok(all / Quantity::Free.of(free)?)
}

/// Packets that drain in that time, not rounded: T R F / L.
///
/// # Errors
/// A time, a rate, a free share or a packet that is not above 0.
pub fn packets_within(
    drain_us: f64,
    rate_mbps: f64,
    free: f64,
    packet_bytes: f64,
) -> Result<f64, SizingError> {
    super::bdp::product(rate_mbps, Quantity::Drain.of(drain_us)? * Quantity::Free.of(free)?, packet_bytes)
}

/// F by what a radio counts: 1 - (busy - own) / active, from the floor to 1. Its own sending is no time that others take.
///
/// # Errors
/// A time below 0, no active time.
pub fn free_by_survey(active_us: f64, busy_us: f64, own_us: f64, floor: f64) -> Result<f64, SizingError> {
    let (busy, own) = (Quantity::Time.of(busy_us)?, Quantity::Time.of(own_us)?);
    let free = 1.0 - (busy - own) / Quantity::Service.of(active_us)?;
    Ok(free.clamp(Quantity::Free.of(floor)?, 1.0))
}

/// F by how many contend, oneself among them: 1 / n, at least the floor.
///
/// # Errors
/// Nobody, or more than 256; a floor that is not above 0 and at most 1.
pub fn free_by_active(nodes: usize, floor: f64) -> Result<f64, SizingError> {
    Ok((1.0 / Quantity::Nodes.of(nodes as f64)?).max(Quantity::Free.of(floor)?))
}
