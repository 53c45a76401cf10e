// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Fixed sizes for a wired bottleneck of constant rate (Showail 2016, 2.3.1).
//!
//! The premises: rate and round trip are constant, and several packets are under way on a link at once. On a Wi-Fi
//! link none of this holds: every transmission contends, and waits for its ACK.
//!
//! What it does not do: no size here follows a rate that changes.

use super::{Quantity, SizingError};

/// B = RTT C: one flow, or several that halve their windows together. Packets, not rounded.
///
/// # Errors
/// A capacity, a round trip or a packet that is not above 0.
pub fn product(capacity_mbps: f64, round_trip_us: f64, packet_bytes: f64) -> Result<f64, SizingError> {
    let bits = Quantity::Rate.of(capacity_mbps)? * Quantity::RoundTrip.of(round_trip_us)?;
    Ok(bits / (Quantity::Packet.of(packet_bytes)? * 8.0))
}

/// B = RTT C / sqrt(N): N flows whose windows have nothing to do with each other. Packets, not rounded.
///
/// # Errors
/// As [`product`]; fewer than one flow.
pub fn many_flows(
    capacity_mbps: f64,
    round_trip_us: f64,
    packet_bytes: f64,
    flows: f64,
) -> Result<f64, SizingError> {
    let product = product(capacity_mbps, round_trip_us, packet_bytes)?;
    Ok(product / Quantity::Flows.of(flows)?.sqrt())
}

/// B = O(log W): what is enough for a part of the link, if packets come spread out. Packets, not rounded.
///
/// The dissertation gives the order alone, and 10 to 20 packets at a utilisation of 85 to 90 %. The constant is that of
/// Enachescu, Ganjali, Goel, McKeown and Roughgarden ("Routers with very small buffers", INFOCOM 2006):
/// log(W^2 / (2 (1 - utilisation))) to the base 1 / load, where `load` is what the flows would send at their largest
/// windows, over the capacity. [verify before quoting]
///
/// # Errors
/// A window below 1 packet; a utilisation or a load that is not above 0 and below 1.
pub fn tiny(window_packets: f64, utilisation: f64, load: f64) -> Result<f64, SizingError> {
    let window = Quantity::Window.of(window_packets)?;
    let missed = 1.0 - Quantity::Utilisation.of(utilisation)?;
    let load = Quantity::Utilisation.of(load)?;
    Ok((libm::log(window * window / (2.0 * missed)) / -libm::log(load)).max(1.0))
}
