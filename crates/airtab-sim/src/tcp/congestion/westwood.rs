// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Westwood+'s window: Grieco, Mascolo, "Performance Evaluation and Comparison of Westwood+, New Reno, and Vegas TCP
//! Congestion Control", CCR 34(2), 2004, section 2.
//!
//! It grows as `newreno` does. Loss does not halve it but leaves what the path was seen to carry: the rate at which data
//! was delivered, times the least round-trip time. Once per round trip the rate of that round trip goes into the estimate
//! with a tenth of the weight. Duplicate acknowledgements deliver too, and those of a recovery; so a loss on a radio link,
//! which no queue has caused, costs little. A timeout sets the threshold to the same and begins with one segment.
//!
//! Before the first estimate it is NewReno. What it does not do: Linux's shortest interval of 50 ms, its second filter and
//! its restart of the least round-trip time after a timeout.

use airtab_core::time::SECOND;

use super::{Ack, Congestion, NewReno};

/// See the module.
#[derive(Clone, Debug)]
pub struct Westwood {
    reno: NewReno,
    /// Bytes per second; None before the first round trip is over.
    rate: Option<u64>,
    /// When the round trip under way began, ns, and what it has delivered.
    since: Option<u64>,
    delivered: u64,
    /// The last round-trip time, and the least, ns.
    rtt_ns: u64,
    least_ns: u64,
}

impl Westwood {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        Westwood {
            reno: NewReno::new(mss, window),
            rate: None,
            since: None,
            delivered: 0,
            rtt_ns: u64::MAX,
            least_ns: u64::MAX,
        }
    }

    /// Estimate of what the path carries, bytes per second; None before a round trip is over.
    pub fn rate(&self) -> Option<u64> {
        self.rate
    }

    /// What the path carries in its least round-trip time, bytes.
    fn carried(&self) -> Option<u64> {
        let bytes = u128::from(self.rate?) * u128::from(self.least_ns) / u128::from(SECOND);
        Some(bytes as u64) // less than was ever in flight
    }
}

impl Congestion for Westwood {
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
        self.since = None; // the wait was no round trip
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
        let Some(since) = self.since else {
            (self.since, self.delivered) = (Some(now), 0); // what came before it is unknown
            return;
        };
        self.delivered += bytes;
        let took = now - since;
        if took > 0 && took >= self.rtt_ns {
            let sample = self.delivered * SECOND / took;
            self.rate = Some(self.rate.map_or(sample, |rate| (9 * rate + sample) / 10));
            (self.since, self.delivered) = (Some(now), 0);
        }
    }
}
