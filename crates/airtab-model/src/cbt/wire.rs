// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a link carries of frames, if each has bytes on the wire that nobody counts.
//!
//! The source's packets are Ethernet frames without their FCS. Each takes 24 byte times more: FCS 4, preamble and
//! delimiter 8, gap 12. A 10 Mb/s Ethernet so carries 1220.8 to 1226.7 KB/s of the frames of its mixes: the 1225 to
//! which its allocations sum is the whole link. With thresholds from KB of 1024 bytes busy classes wait 1.024 L.
//!
//! What it does not do: no other framing is known; give its bytes.

use super::share::{Busy, Held};
use super::{CbtError, Quantity, of_classes};

/// Byte times of Ethernet that a frame of the source has beside its bytes.
pub const ETHERNET: f64 = 24.0;

/// What a link of `capacity` bytes/s carries of frames, bytes/s, if classes have these shares of the frames' bytes.
///
/// # Errors
/// No class; a share, a packet or a capacity that is not above 0; not as many packets as shares.
pub fn frame_capacity(
    shares: &[f64],
    packets: &[f64],
    capacity: f64,
    overhead: f64,
) -> Result<f64, CbtError> {
    of_classes(Quantity::Share, shares, shares.len())?;
    of_classes(Quantity::Packet, packets, shares.len())?;
    let wire = shares.iter().zip(packets).map(|(share, packet)| share * on_wire(1.0, *packet, overhead));
    Ok(Quantity::Capacity.of(capacity)? / wire.sum::<f64>())
}

/// What a rate of frames of `packet` bytes is on the wire.
pub fn on_wire(rate: f64, packet: f64, overhead: f64) -> f64 {
    rate * (packet + overhead) / packet
}

/// What a rate on the wire is in frames of `packet` bytes.
pub fn in_frames(rate: f64, packet: f64, overhead: f64) -> f64 {
    rate * packet / (packet + overhead)
}

/// Classes as the wire has them: packets with their overhead, before a link of `capacity` bytes/s.
///
/// # Errors
/// As [`Busy::new`].
pub fn busy(held: &[Held], capacity: f64, overhead: f64) -> Result<Busy, CbtError> {
    let longer = |held: &Held| Held { packet: held.packet + overhead, ..*held };
    Busy::new(&held.iter().map(longer).collect::<Vec<_>>(), capacity)
}
