// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Senders that space their packets (Showail 2016, 2.3.2; TCP-AP: S. ElRakabawy, A. Klemm and C. Lindemann, "TCP with
//! adaptive pacing for multihop wireless networks", MobiHoc 2005, whose formula the dissertation only describes).
//!
//! TCP-AP lets a packet get four hops away, out of the range of interference, before the next one goes. How long that
//! takes comes from round trips; how much slower still, from how they vary.
//!
//! What it does not do: hops are given, not found.

use super::{Quantity, SizingError};

/// Round trips that are looked at together.
pub const SAMPLES: usize = 50;
/// Hops until a packet no longer disturbs the next.
const APART: f64 = 4.0;

/// Packets/s of a window that is spread over a round trip.
///
/// # Errors
/// A window below 1 packet, no round trip.
pub fn paced_per_s(window_packets: f64, round_trip_us: f64) -> Result<f64, SizingError> {
    Ok(Quantity::Window.of(window_packets)? / Quantity::RoundTrip.of(round_trip_us)? * 1e6)
}

/// A path of TCP-AP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// h.
    pub hops: f64,
    /// b, what a hop carries, Mb/s.
    pub rate_mbps: f64,
    /// s_data, a segment's IP packet, bytes.
    pub data_bytes: f64,
    /// s_ack, a TCP ACK's, bytes.
    pub ack_bytes: f64,
}

impl Path {
    fn checked(&self) -> Result<(), SizingError> {
        Quantity::Hops.of(self.hops)?;
        Quantity::Rate.of(self.rate_mbps)?;
        Quantity::Packet.of(self.data_bytes)?;
        Quantity::Packet.of(self.ack_bytes).map(|_| ())
    }

    /// t_q = (RTT / h - (s_data + s_ack) / b) / 2: what a hop takes beside sending, us; 0 at least.
    ///
    /// # Errors
    /// Hops, a rate, a packet or a round trip that is not above 0.
    pub fn hop_delay_us(&self, round_trip_us: f64) -> Result<f64, SizingError> {
        self.checked()?;
        let sent = (self.data_bytes + self.ack_bytes) * 8.0 / self.rate_mbps;
        Ok((0.5 * (Quantity::RoundTrip.of(round_trip_us)? / self.hops - sent)).max(0.0))
    }

    /// FHD = 4 (t_q + s_data / b): four hops, us.
    ///
    /// # Errors
    /// As [`Path::hop_delay_us`].
    pub fn four_hops_us(&self, round_trip_us: f64) -> Result<f64, SizingError> {
        let hop = self.hop_delay_us(round_trip_us)? + self.data_bytes * 8.0 / self.rate_mbps;
        Ok(APART * hop)
    }

    /// 1 / (FHD (1 + 2 cov)), segments/s.
    ///
    /// # Errors
    /// As [`Path::hop_delay_us`]; a variation below 0.
    pub fn segments_per_s(&self, round_trip_us: f64, variation: f64) -> Result<f64, SizingError> {
        let slower = 1.0 + 2.0 * Quantity::Variation.of(variation)?;
        Ok(1e6 / (self.four_hops_us(round_trip_us)? * slower))
    }
}

/// cov, standard deviation over mean of round trips (of all that are given, as a population).
///
/// # Errors
/// No round trip, or one that is not above 0.
pub fn variation(round_trips_us: &[f64]) -> Result<f64, SizingError> {
    let quantity = Quantity::RoundTrip;
    if round_trips_us.is_empty() {
        return Err(SizingError::None { quantity });
    }
    round_trips_us.iter().enumerate().try_for_each(|(i, rtt)| quantity.of_place(i, *rtt).map(|_| ()))?;
    let n = round_trips_us.len() as f64;
    let mean = round_trips_us.iter().sum::<f64>() / n;
    let squares: f64 = round_trips_us.iter().map(|rtt| (rtt - mean) * (rtt - mean)).sum();
    Ok((squares / n).sqrt() / mean)
}
