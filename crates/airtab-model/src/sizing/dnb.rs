// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Distributed Neighborhood Buffer: one size for all queues that share a bottleneck's air (Showail 2016, 4.3.1).
//!
//! B covers a round trip: a sender that lost a packet halves its window and pauses while B drains. The round trip is
//! what transmissions take, without a queue; the rate is that of the domain's slowest link. Both are upper bounds, so
//! that B is rather too large.
//!
//! What it does not do: which links are a domain is in [`domain`](super::domain), who gets how much in
//! [`split`](super::split). It knows no aggregates: with them its queues are too short (see [`floored`]).

use super::exchange::Constants;
use super::{MAX_PACKETS, Quantity, SizingError, rates};

/// To whole packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The nearest, which gives the sizes that the source prints.
    Nearest,
    /// The next above: no less than the bound.
    Up,
}

/// Which queue is node 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The sender's own: each hop has one.
    FirstQueue,
    /// The first relay's: the sender keeps what it has.
    FirstRelay,
}

/// How B is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// What exchanges take.
    pub exchange: Constants,
    /// L in lambda = w_min / L, bytes.
    pub packet_bytes: f64,
    /// To whole packets.
    pub rounding: Rounding,
    /// Fixed delay beside the domain, such as that of an access line, us.
    pub extra_us: f64,
    /// Which queue is node 1.
    pub origin: Origin,
}

impl Rule {
    /// As the source: L is 1460 bytes, nearest, nothing beside the domain.
    pub fn new(exchange: Constants) -> Rule {
        Rule {
            exchange,
            packet_bytes: exchange.packet_bytes - super::exchange::TCP_IP_BYTES,
            rounding: Rounding::Nearest,
            extra_us: 0.0,
            origin: Origin::FirstQueue,
        }
    }

    /// The buffer of a domain whose links have these rates, in the order of the flow.
    ///
    /// # Errors
    /// No rate, too many, or one of 0; packets of 0 bytes; no relay, where that is node 1; more than a million packets.
    pub fn neighborhood(&self, rates_mbps: &[f64]) -> Result<Neighborhood, SizingError> {
        rates(rates_mbps)?;
        let hop = |rate: &f64| -> Result<Hop, SizingError> {
            let (data_us, ack_us) = (self.exchange.data_us(*rate, 1)?, self.exchange.ack_us(*rate, 1)?);
            Ok(Hop { rate_mbps: *rate, data_us, ack_us })
        };
        let hops: Vec<Hop> = rates_mbps.iter().map(hop).collect::<Result<_, _>>()?;
        let slowest = rates_mbps.iter().copied().fold(f64::INFINITY, f64::min);
        let nodes = match self.origin {
            Origin::FirstQueue => hops.len(),
            Origin::FirstRelay => hops.len() - 1,
        };
        Quantity::Nodes.of(nodes as f64)?;
        let round_trip_us = round_trip_us(&hops) + Quantity::Time.of(self.extra_us)?;
        let packets_per_s = slowest * 1e6 / (Quantity::Packet.of(self.packet_bytes)? * 8.0);
        let product = product(round_trip_us, packets_per_s);
        let whole = match self.rounding {
            Rounding::Nearest => product.round(),
            Rounding::Up => product.ceil(),
        };
        if whole > f64::from(MAX_PACKETS) {
            return Err(SizingError::Large(whole));
        }
        Ok(Neighborhood {
            hops,
            nodes,
            round_trip_us,
            packets_per_s,
            product,
            packets: (whole as u32).max(nodes as u32),
        })
    }
}

/// One hop of a domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hop {
    /// Its rate.
    pub rate_mbps: f64,
    /// T_d_DATA, us.
    pub data_us: f64,
    /// T_d_ACK, us.
    pub ack_us: f64,
}

impl Hop {
    /// Both, us.
    pub fn round_us(&self) -> f64 {
        self.data_us + self.ack_us
    }
}

/// What a domain holds, and how that comes about.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighborhood {
    /// In the order of the flow.
    pub hops: Vec<Hop>,
    /// M, nodes that share B.
    pub nodes: usize,
    /// Through the domain and back without a queue, us.
    pub round_trip_us: f64,
    /// lambda, packets/s.
    pub packets_per_s: f64,
    /// RTT lambda, packets.
    pub product: f64,
    /// B: that in whole packets, one for each node at least.
    pub packets: u32,
}

/// RTT, the sum of T_d_DATA and T_d_ACK of all hops (eq. 4.6), us.
pub fn round_trip_us(hops: &[Hop]) -> f64 {
    hops.iter().map(Hop::round_us).sum()
}

/// B >= RTT lambda (eq. 4.3), of B >= W / 2 (eq. 4.1) and W / 2 >= RTT lambda (eq. 4.2) for a largest window W.
/// Packets, not rounded.
pub fn product(round_trip_us: f64, packets_per_s: f64) -> f64 {
    round_trip_us * 1e-6 * packets_per_s
}

/// "DNB+floor", which is ours: no queue shorter than an aggregate of so many frames. Without it, aggregates starve.
///
/// # Errors
/// No frames, or too many.
pub fn floored(limits: &[u32], frames: u32) -> Result<Vec<u32>, SizingError> {
    Quantity::Frames.of(f64::from(frames))?;
    Ok(limits.iter().map(|limit| (*limit).max(frames)).collect())
}
