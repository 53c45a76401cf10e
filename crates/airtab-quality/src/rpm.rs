// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Responsiveness under working conditions: round trips a minute (RPM) while transfers fill the way.
//!
//! Source: draft-ietf-ippm-responsiveness, "Test Parameters", "Aggregating the Measurements" and "Final Algorithm", as
//! the group's repository has them after version 08. [`Test`] is the course of a measurement in one direction; the
//! simulator and `airtab rpm` run the same one. `docs/measures.md` has the readings chosen.
//!
//! What it does not do: no clock, no sockets and no draws: who runs a [`Test`] opens its connections, sends its probes
//! and says what they took.

mod test;

use std::fmt;

pub use test::{Test, Want};

use crate::NS_PER_S;

/// Nanoseconds in a minute.
const NS_PER_MINUTE: f64 = 60.0 * NS_PER_S;

/// What the draft calls its test parameters, beside a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// MAD: intervals of a moving average, and values that have to agree.
    pub distance: usize,
    /// ID: from one look at the test to the next, ns.
    pub interval_ns: u64,
    /// TMP: probes that count, per cent, the fastest.
    pub kept_percent: u64,
    /// SDT: standard deviation that is stable, per cent of the current value.
    pub tolerance_percent: u64,
    /// INP: load-generating connections at the start.
    pub initial: u16,
    /// INC: how many more at each interval.
    pub added: u16,
    /// MNP: how many at most.
    pub most: u16,
    /// MPS: probes a second at most, of both kinds together.
    pub probes_per_s: u64,
    /// PTC: what probes may take of the goodput, per cent.
    pub probes_percent: u64,
    /// How long it takes at most, ns; goodput has half of it to become stable.
    pub limit_ns: u64,
}

impl Parameters {
    /// The draft's defaults, and 20 s a direction, as in its example of a test of 40 s.
    pub const DRAFT: Parameters = Parameters {
        distance: 4,
        interval_ns: 1_000_000_000,
        kept_percent: 95,
        tolerance_percent: 5,
        initial: 1,
        added: 1,
        most: 16,
        probes_per_s: 100,
        probes_percent: 5,
        limit_ns: 20_000_000_000,
    };
}

/// What a foreign probe and a self probe take of the way together, bytes, as the draft has it.
pub const PAIR_BYTES: u64 = 5000 + 1000;

/// A probe on a connection of its own, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// TCP's handshake.
    pub tcp_ns: u64,
    /// TLS's, by round trip; None: there was none.
    pub tls_ns: Option<u64>,
    /// From the request for one byte to all of the answer.
    pub http_ns: u64,
}

/// Mean of the fastest, ns: of 100 % less `kept_percent` the slowest are left out, rounded down. None of none.
pub fn trimmed_mean(times_ns: &[u64], kept_percent: u64) -> Option<f64> {
    let mut times = times_ns.to_vec();
    times.sort_unstable();
    let left_out = times.len() as u64 * (100 - kept_percent.min(100)) / 100;
    times.truncate(times.len() - left_out as usize);
    let sum: u128 = times.iter().map(|ns| u128::from(*ns)).sum();
    (!times.is_empty()).then(|| sum as f64 / times.len() as f64)
}

/// The median, of an even number the lower one; None of none: idle latency of handshakes before there is a load, loaded
/// latency of those beside it.
pub fn median(handshakes_ns: &[u64]) -> Option<u64> {
    let mut all = handshakes_ns.to_vec();
    all.sort_unstable();
    all.get(all.len().checked_sub(1)? / 2).copied()
}

/// Round trips a minute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rpm {
    /// On connections of their own.
    pub foreign: f64,
    /// On the load-generating ones.
    pub own: f64,
}

impl Rpm {
    /// The one figure of the draft.
    pub fn both(self) -> f64 {
        (self.foreign + self.own) / 2.0
    }

    /// Of what probes took.
    ///
    /// # Errors
    /// There were none of one kind, or they took no time at all: nothing is guessed.
    pub fn of(foreign: &[Foreign], own_ns: &[u64], kept_percent: u64) -> Result<Rpm, Unmeasured> {
        let part = |of: &dyn Fn(&Foreign) -> Option<u64>| {
            trimmed_mean(&foreign.iter().filter_map(of).collect::<Vec<u64>>(), kept_percent)
        };
        let tcp = part(&|probe| Some(probe.tcp_ns)).ok_or(Unmeasured::NoForeign)?;
        let http = part(&|probe| Some(probe.http_ns)).ok_or(Unmeasured::NoForeign)?;
        let own = trimmed_mean(own_ns, kept_percent).ok_or(Unmeasured::NoOwn)?;
        let foreign = match part(&|probe| probe.tls_ns) {
            Some(tls) => (tcp + tls + http) / 3.0,
            // Without TLS the other two have equal weight.
            None => (tcp + http) / 2.0,
        };
        if foreign <= 0.0 || own <= 0.0 {
            return Err(Unmeasured::NoTime);
        }
        Ok(Rpm { foreign: NS_PER_MINUTE / foreign, own: NS_PER_MINUTE / own })
    }
}

/// Why there is no figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmeasured {
    /// No probe on a connection of its own was answered.
    NoForeign,
    /// None on a load-generating connection was.
    NoOwn,
    /// They took no time: the clock stands.
    NoTime,
}

impl fmt::Display for Unmeasured {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Unmeasured::NoForeign => "no probe on a connection of its own was answered",
            Unmeasured::NoOwn => "no probe on a load-generating connection was answered",
            Unmeasured::NoTime => "the probes took no time: the clock stands",
        })
    }
}

/// How far a figure is to be believed ("Confidence of Test-Results").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Not as many values as have to agree, or none of late.
    Low,
    /// They did not agree.
    Medium,
    /// They did.
    High,
}

impl Confidence {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// What a test of one direction came to. Probes are those of the last intervals of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How long it took, ns.
    pub took_ns: u64,
    /// Load-generating connections at the end.
    pub connections: u16,
    /// What they moved, bit/s, over the last intervals.
    pub goodput_bps: u64,
    /// How far that is to be believed.
    pub goodput: Confidence,
    /// How far round trips a minute are.
    pub responsiveness: Confidence,
    /// Probes on connections of their own.
    pub foreign: Vec<Foreign>,
    /// What probes on load-generating connections took, ns.
    pub own_ns: Vec<u64>,
    /// Probes that count, per cent.
    pub kept_percent: u64,
}

impl Outcome {
    /// Round trips a minute.
    ///
    /// # Errors
    /// There were no probes, see [`Rpm::of`].
    pub fn rpm(&self) -> Result<Rpm, Unmeasured> {
        Rpm::of(&self.foreign, &self.own_ns, self.kept_percent)
    }

    /// TCP handshakes of its probes, ns: one round trip of packets that wait behind the load, without the work of servers.
    pub fn handshakes_ns(&self) -> Vec<u64> {
        self.foreign.iter().map(|probe| probe.tcp_ns).collect()
    }

    /// Loaded latency, ns: the median of its handshakes. Those whose packets were lost took a second more and say nothing of
    /// how long packets wait; they are in the round trips a minute.
    pub fn loaded_ns(&self) -> Option<u64> {
        median(&self.handshakes_ns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn foreign(tcp: u64, tls: Option<u64>, http: u64) -> Foreign {
        Foreign { tcp_ns: tcp * MS, tls_ns: tls.map(|ms| ms * MS), http_ns: http * MS }
    }

    /// "1000 RPM or 60 ms RTT", "6000 RPM (10 ms)": the draft's own pairs.
    #[test]
    fn round_trips_of_the_draft() {
        for (ms, rpm) in [(60, 1000.0), (10, 6000.0), (600, 100.0), (1, 60_000.0)] {
            let got = Rpm::of(&[foreign(ms, Some(ms), ms)], &[ms * MS], 95).unwrap();
            assert_eq!((got.foreign, got.own, got.both()), (rpm, rpm, rpm));
        }
    }

    #[test]
    fn each_part_has_the_weight_that_the_formula_gives_it() {
        let probes = [foreign(20, Some(30), 40), foreign(40, Some(50), 60)];
        // Trimmed means of 30, 40 and 50 ms: 40 ms; self probes of 100 and 300: 200 ms.
        let got = Rpm::of(&probes, &[100 * MS, 300 * MS], 95).unwrap();
        assert_eq!((got.foreign, got.own, got.both()), (1500.0, 300.0, 900.0));
        // The mean of both rates, not the rate of the mean: that would be 500.
        let clear = [foreign(20, None, 40), foreign(40, None, 60)];
        assert_eq!(Rpm::of(&clear, &[200 * MS], 95).unwrap().foreign, 1500.0, "TCP and HTTP, half each");
    }

    #[test]
    fn the_slowest_twentieth_is_left_out() {
        let times: Vec<u64> = (1..=20).rev().collect();
        assert_eq!(trimmed_mean(&times, 95), Some(10.0), "1 to 19");
        assert_eq!(trimmed_mean(&times[1..], 95), Some(10.0), "19 have no twentieth: all of 1 to 19");
        assert_eq!(trimmed_mean(&times[..10], 95), Some(15.5));
        let outlier: Vec<u64> = std::iter::repeat_n(7, 95).chain(std::iter::repeat_n(u64::MAX, 5)).collect();
        assert_eq!(trimmed_mean(&outlier, 95), Some(7.0));
        assert_eq!(trimmed_mean(&[u64::MAX; 3], 95), Some(u64::MAX as f64), "sums do not overflow");
        assert_eq!(trimmed_mean(&times, 100), Some(10.5));
    }

    #[test]
    fn few_none_and_degenerate_samples_are_said() {
        assert_eq!((median(&[]), median(&[7]), median(&[9, 1, 5, 7])), (None, Some(7), Some(5)));
        assert_eq!(trimmed_mean(&[], 95), None);
        assert_eq!(trimmed_mean(&[42], 95), Some(42.0), "one is its own mean");
        let one = foreign(10, Some(10), 10);
        assert_eq!(Rpm::of(&[], &[MS], 95), Err(Unmeasured::NoForeign));
        assert_eq!(Rpm::of(&[one], &[], 95), Err(Unmeasured::NoOwn));
        assert_eq!(Rpm::of(&[foreign(0, Some(0), 0)], &[MS], 95), Err(Unmeasured::NoTime));
        assert_eq!(Rpm::of(&[one], &[0, 0], 95), Err(Unmeasured::NoTime));
        assert_eq!(Rpm::of(&[one; 50], &[20 * MS; 50], 95).unwrap(), Rpm { foreign: 6000.0, own: 3000.0 });
        let said = Unmeasured::NoOwn.to_string();
        assert_eq!(said, "no probe on a load-generating connection was answered");
    }
}
