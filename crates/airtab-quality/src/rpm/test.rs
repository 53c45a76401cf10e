// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The course of a test in one direction ("Final Algorithm"): connections are added until goodput is stable, and more
//! until responsiveness is.
//!
//! Every interval the moving average of the goodput is taken, bytes of so many intervals over so many intervals, those
//! before the start with none; it is stable when the standard deviation of the last of them is less than the tolerance
//! of the current one. From then on, or from half the time limit on, the same is asked of responsiveness, of probes that
//! ended in the last intervals. Probes begin with the second interval: before it nobody knows what they may take.
//!
//! What it does not do: whether a connection fails is who runs it to see; the draft then gives the test up.

use super::{Confidence, Foreign, Outcome, PAIR_BYTES, Parameters, Rpm};
use crate::NS_PER_S;

/// Something that a test wants now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// One more load-generating connection.
    Load,
    /// A foreign probe, and a self probe on one of the load-generating connections, drawn evenly.
    Probes,
    /// Nothing more: it has ended.
    End,
}

/// A test under way. Calls come in order of time, ns on a clock of its host.
#[derive(Clone, Debug)]
pub struct Test {
    own: Parameters,
    started: u64,
    /// Of the interval under way: when it began, and bytes moved until then.
    began: u64,
    moved: u64,
    /// Bytes and ns of each interval that is over.
    intervals: Vec<(u64, u64)>,
    averages: Vec<f64>,
    /// Intervals after which the goodput's stage was over; whether it was stable.
    loaded: Option<(usize, bool)>,
    /// Responsiveness of each interval since.
    rates: Vec<Option<f64>>,
    stable: bool,
    ended: Option<u64>,
    connections: u16,
    wanted: u16,
    next_probes: Option<u64>,
    probes_gap: u64,
    foreign: Vec<(u64, Foreign)>,
    own_ns: Vec<(u64, u64)>,
}

impl Test {
    /// One that begins now.
    pub fn new(own: Parameters, now: u64) -> Test {
        Test {
            own,
            started: now,
            began: now,
            moved: 0,
            intervals: Vec::new(),
            averages: Vec::new(),
            loaded: None,
            rates: Vec::new(),
            stable: false,
            ended: None,
            connections: 0,
            wanted: own.initial.min(own.most),
            next_probes: None,
            probes_gap: own.interval_ns,
            foreign: Vec::new(),
            own_ns: Vec::new(),
        }
    }

    /// What it wants at `now`, one thing after the other until None; `moved`: bytes that its load-generating
    /// connections have moved since the start, all together.
    pub fn poll(&mut self, now: u64, moved: u64) -> Option<Want> {
        if self.ended.is_none() && now >= self.began + self.own.interval_ns {
            self.close(now, moved);
        }
        if self.ended.is_some() {
            return Some(Want::End);
        }
        if self.connections < self.wanted {
            self.connections += 1;
            return Some(Want::Load);
        }
        let due = self.next_probes.filter(|at| *at <= now)?;
        // Late probes are not made up for.
        self.next_probes = Some((due + self.probes_gap).max(now));
        Some(Want::Probes)
    }

    /// When it is to be asked again, ns.
    pub fn next(&self) -> u64 {
        let interval = self.began + self.own.interval_ns;
        self.next_probes.map_or(interval, |at| at.min(interval))
    }

    /// A foreign probe ended at `now`.
    pub fn foreign(&mut self, now: u64, took: Foreign) {
        self.foreign.push((now, took));
    }

    /// A self probe ended at `now`.
    pub fn own(&mut self, now: u64, took_ns: u64) {
        self.own_ns.push((now, took_ns));
    }

    /// Whether it has ended.
    pub fn ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether goodput has had its stage, and responsiveness is watched.
    pub fn is_loaded(&self) -> bool {
        self.loaded.is_some()
    }

    /// What it has come to at `now`, of a test that ended or one that is broken off.
    pub fn outcome(&self, now: u64) -> Outcome {
        let end = self.ended.unwrap_or(now);
        let enough = |n: usize| if n >= self.own.distance { Confidence::Medium } else { Confidence::Low };
        let saturated = self.loaded.is_some_and(|(_, stable)| stable);
        let goodput_bps = self.recent_bps();
        // Without bytes there is no load, and an interval without an answered probe of each sort gives no value.
        let loaded = |confidence| if goodput_bps > 0 { confidence } else { Confidence::Low };
        let rated = self.rates.iter().rev().take_while(|rate| rate.is_some()).count();
        let from = end.saturating_sub(self.own.distance as u64 * self.own.interval_ns);
        Outcome {
            took_ns: end - self.started,
            connections: self.connections,
            goodput_bps,
            goodput: loaded(if saturated { Confidence::High } else { enough(self.averages.len()) }),
            responsiveness: loaded(if self.stable { Confidence::High } else { enough(rated) }),
            foreign: self.foreign.iter().filter(|(at, _)| *at > from).map(|(_, probe)| *probe).collect(),
            own_ns: self.own_ns.iter().filter(|(at, _)| *at > from).map(|(_, ns)| *ns).collect(),
            kept_percent: self.own.kept_percent,
        }
    }

    /// An interval is over.
    fn close(&mut self, now: u64, moved: u64) {
        self.intervals.push((moved.saturating_sub(self.moved), now - self.began));
        (self.began, self.moved) = (now, moved);
        let recent = self.recent();
        // A look that comes late has a longer interval.
        let ns = recent.1.max(self.own.distance as u64 * self.own.interval_ns);
        self.averages.push(recent.0 as f64 / ns as f64);
        match self.loaded {
            None => {
                let stable = self.is_stable(&self.averages);
                if stable || now - self.started >= self.own.limit_ns / 2 {
                    self.loaded = Some((self.intervals.len(), stable));
                }
            }
            Some(_) => {
                let seen = self.outcome(now);
                self.rates.push(seen.rpm().ok().map(Rpm::both));
                let known: Option<Vec<f64>> =
                    self.rates.iter().rev().take(self.own.distance).copied().collect();
                self.stable = known.is_some_and(|latest_first| {
                    self.is_stable(&latest_first.into_iter().rev().collect::<Vec<f64>>())
                });
            }
        }
        if self.stable || now - self.started >= self.own.limit_ns {
            self.ended = Some(now);
        }
        self.wanted = (self.wanted + self.own.added).min(self.own.most);
        self.pace(now);
    }

    /// How often probes may go out by the latest goodput.
    fn pace(&mut self, now: u64) {
        let pairs_at_most = self.own.probes_per_s as f64 / 2.0;
        let share = self.own.probes_percent as f64 / 100.0;
        let pairs = (self.recent_bps() as f64 * share / (8 * PAIR_BYTES) as f64).min(pairs_at_most);
        // One an interval at least, or slow ways would not be measured at all.
        self.probes_gap = if pairs > 0.0 { (NS_PER_S / pairs) as u64 } else { self.own.interval_ns }
            .min(self.own.interval_ns);
        let soonest = now + self.probes_gap;
        self.next_probes = Some(self.next_probes.map_or(now, |at| at.min(soonest)));
    }

    /// Bytes and ns of the last intervals.
    fn recent(&self) -> (u64, u64) {
        let last = self.intervals.iter().rev().take(self.own.distance);
        last.fold((0, 0), |(bytes, ns), (b, n)| (bytes + b, ns + n))
    }

    /// Goodput over them, bit/s.
    fn recent_bps(&self) -> u64 {
        let (bytes, ns) = self.recent();
        if ns == 0 { 0 } else { (u128::from(bytes) * 8_000_000_000 / u128::from(ns)) as u64 }
    }

    /// Whether the last values agree.
    fn is_stable(&self, values: &[f64]) -> bool {
        let Some(last) = values.len().checked_sub(self.own.distance).map(|from| &values[from..]) else {
            return false;
        };
        let n = last.len() as f64;
        let mean = last.iter().sum::<f64>() / n;
        let variance = last.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let current = last.last().copied().unwrap_or(0.0);
        libm::sqrt(variance) < current * self.own.tolerance_percent as f64 / 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;
    const MS: u64 = 1_000_000;

    /// A way with a rate for so many connections and a round trip, looked at each 10 ms: what it wanted and when.
    fn run(
        own: Parameters,
        bytes_per_s: impl Fn(u64, u16) -> u64,
        took_ms: impl Fn(u64) -> u64,
    ) -> (Test, Vec<(u64, Want)>) {
        let (mut test, mut now, mut moved, mut loads, mut wants) =
            (Test::new(own, 7 * S), 7 * S, 0, 0, vec![]);
        loop {
            while let Some(want) = test.poll(now, moved) {
                wants.push((now - 7 * S, want));
                match want {
                    Want::Load => loads += 1,
                    Want::Probes => {
                        let ns = took_ms(now - 7 * S) * MS;
                        test.foreign(now, Foreign { tcp_ns: ns, tls_ns: Some(ns), http_ns: ns });
                        test.own(now, ns);
                    }
                    Want::End => return (test, wants),
                }
            }
            assert!(test.next() > now, "it wants to be asked later");
            now += 10 * MS;
            moved += bytes_per_s(now - 7 * S, loads) / 100;
        }
    }

    fn times(wants: &[(u64, Want)], what: Want) -> Vec<u64> {
        wants.iter().filter(|(_, want)| *want == what).map(|(at, _)| *at).collect()
    }

    /// Averages over four intervals, 1/4, 2/4, 3/4 and then 1 of the rate: the first four equal ones are the 4th to the
    /// 7th. Four values of responsiveness later it is stable, too.
    #[test]
    fn a_steady_way_is_stable_as_soon_as_the_averages_are() {
        let (test, wants) = run(Parameters::DRAFT, |_, _| 12_500_000, |_| 60);
        let outcome = test.outcome(100 * S);
        assert_eq!(times(&wants, Want::End), [11 * S]);
        assert_eq!((outcome.took_ns, outcome.goodput_bps), (11 * S, 100_000_000));
        assert_eq!((outcome.goodput, outcome.responsiveness), (Confidence::High, Confidence::High));
        assert_eq!(outcome.rpm().unwrap().both(), 1000.0);
        assert_eq!(outcome.loaded_ns(), Some(60 * MS));
        // One at the start and one more after each second; not when it has ended.
        let loads: Vec<u64> = (0..11).map(|n| n * S).collect();
        assert_eq!((times(&wants, Want::Load), outcome.connections), (loads, 11));
    }

    #[test]
    fn no_more_connections_than_the_most() {
        let (test, wants) = run(Parameters::DRAFT, |at, _| at / 1000, |at| 10 + at / 10_000_000);
        assert_eq!(times(&wants, Want::Load).len(), 16);
        let few = Parameters { most: 3, ..Parameters::DRAFT };
        assert_eq!(run(few, |_, _| 1000, |_| 1).0.outcome(0).connections, 3);
        // A goodput that grows with time, and a delay that does: both had the time, neither was stable.
        let outcome = test.outcome(0);
        assert_eq!(outcome.took_ns, 20 * S);
        assert_eq!((outcome.goodput, outcome.responsiveness), (Confidence::Medium, Confidence::Medium));
    }

    /// Goodput that connections add to is not stable: it is once they add no more.
    #[test]
    fn connections_are_added_until_goodput_is_stable() {
        // 1 MB/s a connection, up to 5: the rates of seconds are 1, 2, 3, 4, 5, 5, ... Averages of the 6th to the 9th
        // second: 4.25, 4.75, 5, 5, whose standard deviation is 0.306, more than 0.25; a second later 0.108.
        let (test, _) = run(Parameters::DRAFT, |_, loads| 1_000_000 * u64::from(loads.min(5)), |_| 20);
        assert_eq!(test.outcome(0).took_ns, 14 * S, "10 s, and four values of responsiveness");
        assert_eq!(test.outcome(0).goodput_bps, 40_000_000);
    }

    /// 100 probes a second at most are 50 pairs; 4.8 Mb/s have room for 5 pairs; 1 kb/s for one an interval.
    #[test]
    fn probes_take_a_twentieth_at_most() {
        for (bytes_per_s, pairs) in [(125_000_000, 50), (600_000, 5), (125, 1)] {
            let (test, wants) = run(Parameters::DRAFT, |_, _| bytes_per_s, |_| 20);
            let probes = times(&wants, Want::Probes);
            assert!(probes.iter().all(|at| *at >= S), "not before the first interval is over");
            let in_second = |s: u64| probes.iter().filter(|at| (s * S..(s + 1) * S).contains(at)).count();
            for s in 2..10 {
                assert!(in_second(s).abs_diff(pairs) <= 1, "{bytes_per_s}: {} in second {s}", in_second(s));
            }
            assert!(test.outcome(0).foreign.len().abs_diff(4 * pairs) <= 2, "those of four intervals");
        }
    }

    #[test]
    fn what_was_not_measured_is_said() {
        let own = Parameters::DRAFT;
        let mut test = Test::new(own, 0);
        let nothing = test.outcome(S);
        assert_eq!((nothing.goodput_bps, nothing.goodput), (0, Confidence::Low));
        assert_eq!((nothing.responsiveness, nothing.rpm().is_err()), (Confidence::Low, true));
        assert_eq!((nothing.loaded_ns(), nothing.took_ns), (None, S));
        // Nothing moves, and nothing answers: it ends by its limit all the same.
        let mut now = 0;
        while test.poll(now, 0) != Some(Want::End) {
            now = now.max(test.next().min(now + 10 * MS));
            now += MS;
        }
        let outcome = test.outcome(now);
        assert!((20 * S..21 * S).contains(&outcome.took_ns), "{}", outcome.took_ns);
        assert_eq!((outcome.goodput, outcome.responsiveness), (Confidence::Low, Confidence::Low));
        assert_eq!(outcome.rpm(), Err(super::super::Unmeasured::NoForeign));
        // Broken off in the middle: what there is.
        let mut test = Test::new(own, 0);
        while test.poll(0, 0).is_some() {}
        test.poll(S, 1_000_000);
        test.own(S, 5);
        assert_eq!((test.outcome(S).goodput_bps, test.outcome(S).own_ns), (8_000_000, vec![5]));
    }

    /// Goodput stops after it was stable, and later probes are not answered: four intervals without one give no value.
    #[test]
    fn a_way_that_falls_silent_has_low_confidence() {
        let own = Parameters::DRAFT;
        let mut test = Test::new(own, 0);
        let (mut now, mut took) = (0, 10 * MS);
        while test.poll(now, now.min(8 * S) / 1000) != Some(Want::End) {
            now += 10 * MS;
            if now < 9 * S {
                // Delays that grow are not stable.
                took += MS;
                test.foreign(now, Foreign { tcp_ns: took, tls_ns: Some(took), http_ns: took });
                test.own(now, took);
            }
        }
        let outcome = test.outcome(now);
        assert_eq!((outcome.took_ns, outcome.goodput_bps), (20 * S, 0));
        assert_eq!((outcome.goodput, outcome.responsiveness), (Confidence::Low, Confidence::Low));
    }

    #[test]
    fn late_looks_do_not_make_goodput() {
        let mut test = Test::new(Parameters::DRAFT, 0);
        test.poll(0, 0);
        test.poll(3 * S, 3_000_000);
        assert_eq!(test.outcome(3 * S).goodput_bps, 8_000_000, "bytes over the time that they took");
    }
}
