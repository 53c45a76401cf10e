// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Westwood's window: Mascolo, Casetti, Gerla, Sanadidi, Wang, "TCP Westwood: Bandwidth Estimation for Enhanced Transport
//! over Wireless Links", MobiCom 2001; by default Westwood+: Grieco, Mascolo, "Performance Evaluation and Comparison of
//! Westwood+, New Reno, and Vegas TCP Congestion Control", CCR 34(2), 2004, section 2.
//!
//! It grows as `newreno` does. Loss does not halve it but leaves what the path was seen to carry: the rate at which data
//! was delivered, times the least round-trip time. Duplicate acknowledgements deliver too, and those of a recovery; so a
//! loss on a radio link, which no queue has caused, costs little. A timeout sets the threshold to the same and begins with
//! one segment. The two differ in the filter that makes the rate: [`WestwoodFilter`].
//!
//! Before the first estimate it is NewReno. What it does not do: Linux's shortest interval of 50 ms, its second filter and
//! its restart of the least round-trip time after a timeout.

use airtab_core::time::{MS, SECOND};

use super::{Ack, Congestion, NewReno};
use crate::tcp::Config;

/// What makes the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WestwoodFilter {
    /// Westwood+: the rate of each round trip, with a tenth of the weight.
    RoundTrip,
    /// Westwood: a sample with every acknowledgement through a low-pass filter. One of `d` bytes that comes `dt` after
    /// the last is `b = d / dt`, and with `a = (2 tau - dt) / (2 tau + dt)`, tau 0.5 s, the rate becomes
    /// `a rate + (1 - a) (b + last b) / 2`. Where none comes for tau / 2, one of nothing counts.
    EachAck,
}

/// tau, ns: 1 / tau is the filter's cut-off.
const TAU_NS: u64 = 500 * MS;
/// After so long without an acknowledgement one of nothing counts, ns: tau / m, m = 2.
const SILENT_NS: u64 = TAU_NS / 2;

/// The rate of either filter.
#[derive(Clone, Debug)]
struct Rate {
    filter: WestwoodFilter,
    /// Bytes per second; None before there is an estimate.
    rate: Option<f64>,
    /// When the round trip under way began, or the last acknowledgement came, ns; what was delivered since.
    since: Option<u64>,
    delivered: u64,
    /// The last sample of each acknowledgement's, bytes per second.
    last: f64,
}

impl Rate {
    /// `bytes` more were delivered, where a round trip takes `rtt_ns`.
    fn on_delivered(&mut self, now: u64, bytes: u64, rtt_ns: u64) {
        let Some(since) = self.since else {
            (self.since, self.delivered) = (Some(now), 0); // what came before it is unknown
            return;
        };
        self.delivered += bytes;
        let took = now - since;
        match self.filter {
            WestwoodFilter::RoundTrip if took > 0 && took >= rtt_ns => {
                let sample = self.delivered * SECOND / took;
                let rate = self.rate.map_or(sample, |rate| (9 * rate as u64 + sample) / 10);
                self.rate = Some(rate as f64);
            }
            WestwoodFilter::EachAck if took > 0 => self.each(took),
            _ => return,
        }
        (self.since, self.delivered) = (Some(now), 0);
    }

    /// An acknowledgement came `took` > 0 after the last one.
    fn each(&mut self, mut took: u64) {
        while took > SILENT_NS {
            self.low_pass(0.0, SILENT_NS);
            took -= SILENT_NS;
        }
        let sample = self.delivered as f64 * SECOND as f64 / took as f64;
        self.low_pass(sample, took);
    }

    fn low_pass(&mut self, sample: f64, dt: u64) {
        let (two_tau, dt) = (2.0 * TAU_NS as f64, dt as f64);
        let a = (two_tau - dt) / (two_tau + dt);
        let rate = a * self.rate.unwrap_or(0.0) + (1.0 - a) * (sample + self.last) / 2.0;
        (self.rate, self.last) = (Some(rate), sample);
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Westwood {
    reno: NewReno,
    rate: Rate,
    /// The last round-trip time, and the least, ns.
    rtt_ns: u64,
    least_ns: u64,
}

impl Westwood {
    /// Segments of `mss` bytes, a first window of `window` bytes; Westwood+'s filter.
    pub fn new(mss: u64, window: u64) -> Self {
        Westwood::with_filter(WestwoodFilter::RoundTrip, mss, window)
    }

    /// The same with that filter.
    pub fn with_filter(filter: WestwoodFilter, mss: u64, window: u64) -> Self {
        Westwood {
            reno: NewReno::new(mss, window),
            rate: Rate { filter, rate: None, since: None, delivered: 0, last: 0.0 },
            rtt_ns: u64::MAX,
            least_ns: u64::MAX,
        }
    }

    /// Estimate of what the path carries, bytes per second; None before there is one.
    pub fn rate(&self) -> Option<u64> {
        self.rate.rate.map(|rate| rate as u64)
    }

    /// What the path carries in its least round-trip time, bytes.
    fn carried(&self) -> Option<u64> {
        let known = self.rate().filter(|_| self.least_ns < u64::MAX)?;
        let bytes = u128::from(known) * u128::from(self.least_ns) / u128::from(SECOND);
        Some(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

impl Congestion for Westwood {
    fn configure(&mut self, config: &Config) {
        self.rate.filter = config.westwood;
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.reno.on_ack(ack);
    }

    fn on_congestion_event(&mut self, flight: u64) {
        match self.carried() {
            Some(bytes) => self.reno.leave(bytes),
            None => self.reno.on_congestion_event(flight),
        }
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        self.reno.on_timeout(flight, repeated);
        if let (Some(bytes), false) = (self.carried(), repeated) {
            self.reno.leave(bytes);
        }
    }

    fn on_idle(&mut self, restart: u64) {
        self.reno.on_idle(restart);
        self.rate.since = None; // the wait was no round trip
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

    fn on_rtt_sample(&mut self, rtt_ns: u64) {
        self.rtt_ns = rtt_ns;
        self.least_ns = self.least_ns.min(rtt_ns);
    }

    fn on_delivered(&mut self, now: u64, bytes: u64) {
        self.rate.on_delivered(now, bytes, self.rtt_ns);
    }
}
