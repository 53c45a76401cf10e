// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! TCP-AP, adaptive pacing for multihop wireless networks: NewReno whose segments leave at a rate that lets each get
//! four hops away before the next one goes. Sources: S. ElRakabawy, A. Klemm and C. Lindemann, MobiHoc 2005; as A.
//! Showail, KAUST 2016, 2.3.2 compares it.
//!
//! ```text
//! t_q = (RTT / h - (s_data + s_ack) / b) / 2      what a hop takes beside sending
//! FHD = 4 (t_q + s_data / b)                      four hops' delay
//! rate = 1 / (FHD (1 + 2 cov))                    segments/s
//! ```
//!
//! RTT and cov are mean, and standard deviation over mean, of the last 50 round trips, one for each acknowledgement of new
//! data; before the first of them the handshake's, and 0. h and b are those of the way ([`TcpApConfig`]); without them it is NewReno.
//!
//! Derived, as the dissertation does not say: the RTT is the mean of what cov is about; t_q is 0 at least; a segment that
//! is shorter than the MSS keeps the next one back for less; the window stays the limit where it is the smaller one.
//! What it does not do: find h and b out; the other senders' round trips.

use super::{Ack, Congestion, NewReno};
use crate::tcp::Config;
use airtab_core::time::SECOND;

/// Round trips that are looked at together.
const SAMPLES: usize = 50;
/// Hops until a segment no longer disturbs the next.
const APART: f64 = 4.0;
/// Longer round trips count as this, us: 50 squares of it are a 64-bit number.
const LONGEST_US: u64 = 60_000_000;
/// Headers of a segment and of an acknowledgement without options, bytes.
const HEADERS: u32 = 40;
/// What timestamps add to both, bytes.
const TIMESTAMPS: u32 = 12;

/// The way of a TCP-AP sender. In a mesh what is None is that of its connection's way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpApConfig {
    /// h, hops.
    pub hops: Option<u32>,
    /// b, what a hop carries, bit/s.
    pub rate_bps: Option<u64>,
}

impl TcpApConfig {
    /// Nothing known.
    pub const fn standard() -> Self {
        TcpApConfig { hops: None, rate_bps: None }
    }

    /// What is not known is that of a way of so many hops, the slowest of which carries `rate_bps`.
    pub fn or_way(self, hops: u32, rate_bps: u64) -> Self {
        TcpApConfig { hops: self.hops.or(Some(hops)), rate_bps: self.rate_bps.or(Some(rate_bps)) }
    }

    /// Checks the ranges.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        match self.hops == Some(0) || self.rate_bps == Some(0) {
            true => Err("hops and rate of tcp_ap must be above 0"),
            false => Ok(()),
        }
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct TcpAp {
    reno: NewReno,
    mss: u64,
    way: TcpApConfig,
    data_bits: f64,
    ack_bits: f64,
    /// The last round trips, us, the next to be replaced at `next`.
    round_trips: Box<[u32; SAMPLES]>,
    known: usize,
    next: usize,
    sum: u64,
    squares: u64,
}

impl TcpAp {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        TcpAp {
            reno: NewReno::new(mss, window),
            mss,
            way: TcpApConfig::standard(),
            data_bits: 0.0,
            ack_bits: 0.0,
            round_trips: Box::new([0; SAMPLES]),
            known: 0,
            next: 0,
            sum: 0,
            squares: 0,
        }
    }

    /// Mean of the round trips, s, and how they vary; those of a handshake of `srtt_ns` before there are any.
    fn round_trip(&self, srtt_ns: u64) -> (f64, f64) {
        if self.known == 0 {
            return (srtt_ns as f64 * 1e-9, 0.0);
        }
        let (n, sum) = (self.known as f64, self.sum as f64);
        // Whole numbers: exact, and never below 0.
        let spread = u128::from(self.squares) * self.known as u128 - u128::from(self.sum).pow(2);
        (sum / n * 1e-6, (spread as f64).sqrt() / sum)
    }

    /// Segments per second; None: the way is not known.
    fn segments_per_s(&self, srtt_ns: u64) -> Option<f64> {
        let (hops, rate) = (f64::from(self.way.hops?), self.way.rate_bps? as f64);
        let (round_trip, variation) = self.round_trip(srtt_ns);
        let waits = (0.5 * (round_trip / hops - (self.data_bits + self.ack_bits) / rate)).max(0.0);
        let four_hops = APART * (waits + self.data_bits / rate);
        Some(1.0 / (four_hops * (1.0 + 2.0 * variation)))
    }
}

impl Congestion for TcpAp {
    fn configure(&mut self, config: &Config) {
        let headers = HEADERS + if config.timestamps { TIMESTAMPS } else { 0 };
        self.way = config.tcp_ap;
        self.data_bits = f64::from(8 * (config.mss + headers));
        self.ack_bits = f64::from(8 * headers);
    }

    fn times_each(&self) -> bool {
        true
    }

    fn on_rtt_sample(&mut self, rtt_ns: u64) {
        let us = (rtt_ns / 1000).clamp(1, LONGEST_US) as u32;
        let old = std::mem::replace(&mut self.round_trips[self.next], us);
        self.next = (self.next + 1) % SAMPLES;
        self.known = (self.known + 1).min(SAMPLES);
        let square = |us: u32| u64::from(us).pow(2);
        self.sum = self.sum + u64::from(us) - u64::from(old);
        self.squares = self.squares + square(us) - square(old);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.reno.on_ack(ack);
    }

    fn on_congestion_event(&mut self, flight: u64) {
        self.reno.on_congestion_event(flight);
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        self.reno.on_timeout(flight, repeated);
    }

    fn on_idle(&mut self, restart: u64) {
        self.reno.on_idle(restart);
    }

    fn cwnd(&self) -> u64 {
        self.reno.cwnd()
    }

    fn ssthresh(&self) -> u64 {
        self.reno.ssthresh()
    }

    fn set_ssthresh(&mut self, bytes: u64) {
        self.reno.set_ssthresh(bytes);
    }

    fn pacing_rate(&self, srtt_ns: u64) -> Option<u64> {
        let segments = self.segments_per_s(srtt_ns)?;
        Some(((segments * self.mss as f64) as u64).clamp(1, SECOND * SECOND))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{Algorithm, Config};
    use airtab_core::time::MS;
    use airtab_model::sizing::pacing::{Path, variation};

    /// Four hops of 11 Mb/s.
    fn sender() -> TcpAp {
        let config = Config {
            tcp_ap: TcpApConfig { hops: Some(4), rate_bps: Some(11_000_000) },
            ..Config::ns2().with_congestion(Algorithm::TcpAp)
        };
        let mut sender = TcpAp::new(1460, 2920);
        sender.configure(&config);
        sender
    }

    /// 22 ms with cov 0.1, as 19.8 and 24.2 ms in turns have it: t_q 2.190 ms, FHD 13.124 ms, 63.50 segments/s.
    #[test]
    fn the_rate_of_the_vector() {
        let mut sender = sender();
        let path = Path { hops: 4.0, rate_mbps: 11.0, data_bytes: 1500.0, ack_bytes: 40.0 };
        let model = |variation| path.segments_per_s(22_000.0, variation).unwrap();
        let first = sender.pacing_rate(22 * MS).unwrap();
        assert_eq!(first, (model(0.0) * 1460.0) as u64, "the handshake's");
        (0..SAMPLES as u64).for_each(|i| sender.on_rtt_sample(19_800_000 + i % 2 * 4_400_000));
        let rate = sender.segments_per_s(0).unwrap();
        assert_eq!((rate * 100.0).round(), 6350.0, "{rate}");
        assert!((rate / model(0.1) - 1.0).abs() < 1e-9, "{rate}");
        assert_eq!(sender.pacing_rate(0), Some((model(0.1) * 1460.0) as u64));
    }

    /// Fewer than 50, and of more the last 50 alone; hops that take no time but for sending.
    #[test]
    fn the_last_50_round_trips_count() {
        let path = Path { hops: 4.0, rate_mbps: 11.0, data_bytes: 1500.0, ack_bytes: 40.0 };
        let mut sender = sender();
        let all: Vec<u64> = (0..120).map(|i| 4_000 + i * i * 7 % 9_001).collect();
        for (n, us) in all.iter().enumerate() {
            sender.on_rtt_sample(us * 1000);
            let last: Vec<f64> = all[..=n].iter().rev().take(SAMPLES).map(|us| *us as f64).collect();
            let mean = last.iter().sum::<f64>() / last.len() as f64;
            let model = path.segments_per_s(mean, variation(&last).unwrap()).unwrap();
            let rate = sender.segments_per_s(0).unwrap();
            assert!((rate / model - 1.0).abs() < 1e-9, "{n}: {rate} {model}");
        }
    }

    /// A way that nobody told of.
    #[test]
    fn without_a_way_it_is_not_paced() {
        let mut sender = TcpAp::new(1460, 2920);
        sender.configure(&Config::ns2());
        sender.on_rtt_sample(22 * MS);
        assert_eq!(sender.pacing_rate(22 * MS), None);
        let known = TcpApConfig::standard().or_way(3, 5);
        assert_eq!(known, TcpApConfig { hops: Some(3), rate_bps: Some(5) });
        assert_eq!(TcpApConfig { hops: Some(4), ..known }.or_way(1, 1).hops, Some(4));
    }
}
