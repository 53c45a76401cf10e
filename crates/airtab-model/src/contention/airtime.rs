// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a packet costs a cell in which N stations contend (Starzetz 2006, 9.2, eq. 9.1 to 9.4).
//!
//! T80211(n) = contention(N) slot + phy_time(n) + overhead (9.2). The last two are an exchange of a lone sender, which
//! is a profile's (the core's `starzetz-11b` for the thesis' figures) and given here as a function of the packet's
//! length. (9.3) has no unit and names no window: it is the automaton's W_T in slots for CWmin 32, and of one station
//! 15.5, the mean of a draw from it.
//!
//! What it does not do: no retries, no fragments, no flows: what a released ACK covers is the caller's to know.

use super::{ContentionError, MAX_STATIONS};

/// Beyond so many stations contention stays as it is.
pub const MOST: u32 = 64;

/// (9.3): mean contention time of `n` stations, slots.
///
/// # Errors
/// 0 stations, or more than 1000.
pub fn contention(n: u32) -> Result<f64, ContentionError> {
    if !(1..=MAX_STATIONS).contains(&n) {
        return Err(ContentionError::Stations(n.into()));
    }
    let n = f64::from(n.min(MOST));
    let term = |weight: f64, stations: f64| weight * libm::exp(-n / stations);
    Ok(term(31.43747, 0.85404) + term(5.03185, 5.48378) + term(1.24346, 61.45172) + 0.32783)
}

/// A cell as the cost function sees it.
pub struct Airtime<F> {
    /// Mean contention time, ns.
    contention_ns: f64,
    /// DIFS, packet, SIFS and MAC ACK of a lone sender, ns, by IP bytes.
    exchange_ns: F,
}

impl<F: Fn(u32) -> u64> Airtime<F> {
    /// Of `n` stations that contend in slots of `slot_ns`.
    ///
    /// # Errors
    /// As [`contention`].
    pub fn new(n: u32, slot_ns: u64, exchange_ns: F) -> Result<Airtime<F>, ContentionError> {
        Ok(Airtime { contention_ns: contention(n)? * slot_ns as f64, exchange_ns })
    }

    /// T80211 of `bytes` at the IP level (9.2), ns.
    pub fn packet_ns(&self, bytes: u32) -> f64 {
        self.contention_ns + (self.exchange_ns)(bytes) as f64
    }

    /// eta of a data packet (9.1): it and the ACK of `ack` bytes that it will bring, ns.
    pub fn data_ns(&self, bytes: u32, ack: u32) -> f64 {
        self.packet_ns(bytes) + self.packet_ns(ack)
    }

    /// eta of a pure ACK (9.4): it and the segments that it proves to have been sent, ns.
    pub fn ack_ns(&self, ack: &Ack) -> f64 {
        let full = self.packet_ns(ack.mtu) * f64::from(ack.full());
        let rest = if ack.rest() > 0 { self.packet_ns(ack.rest() + ack.header) } else { 0.0 };
        self.packet_ns(ack.bytes) + full + rest
    }
}

/// A pure ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Its own IP bytes.
    pub bytes: u32,
    /// Payload that it newly acknowledges, bytes.
    pub covered: u32,
    /// IP bytes of a full packet.
    pub mtu: u32,
    /// Headers of a packet of that flow: 40, with timestamps 52; 0 for segments that have none, as ns-2's. Below `mtu`.
    ///
    /// (9.4) divides by the MTU what is payload; pieces of the MTU less its headers are what was sent.
    pub header: u32,
}

impl Ack {
    /// Full packets.
    fn full(&self) -> u32 {
        self.covered / self.segment()
    }

    /// Payload of the last one, if that is shorter.
    fn rest(&self) -> u32 {
        self.covered % self.segment()
    }

    fn segment(&self) -> u32 {
        self.mtu.saturating_sub(self.header).max(1)
    }
}
