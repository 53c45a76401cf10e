// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Quality of Outcome: how far what a network did is from what an application needs, 0 to 100.
//!
//! Source: draft-ietf-ippm-qoo-10, 3.2 and 3.3. A requirement says of some percentiles of latency, and of packet loss,
//! what is optimal (100) and from where on the application is unusable (0); in between the score is linear. The worst
//! of them is the score, and it is 0 where the least throughput is missed. `docs/measures.md` has the readings chosen.
//!
//! What it does not do: it knows no application (requirements are read by `airtab-scenario`), weights no sample - the
//! draft has no weights - and composes no distributions of several hops.

use std::fmt;

/// A percentile of latency, in tenths of a per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percentile(u16);

impl Percentile {
    /// Those that requirements may have: what the draft recommends to report (3.1.1), and the 98th, by which 3GPP
    /// states what a packet may take.
    pub const ALL: [Percentile; 11] = [
        Percentile(0),
        Percentile(100),
        Percentile(250),
        Percentile(500),
        Percentile(750),
        Percentile(900),
        Percentile(950),
        Percentile(980),
        Percentile(990),
        Percentile(999),
        Percentile(1000),
    ];

    /// The one of so many per cent; None if requirements have none such.
    pub fn of_percent(percent: f64) -> Option<Percentile> {
        Percentile::ALL.into_iter().find(|p| p.percent() == percent)
    }

    /// Per cent, 0 to 100.
    pub fn percent(self) -> f64 {
        f64::from(self.0) / 10.0
    }

    /// Its place among `samples` in order, 1 the least; None of none.
    pub fn rank(self, samples: u64) -> Option<u64> {
        let rank = (u128::from(samples) * u128::from(self.0)).div_ceil(1000) as u64;
        (samples > 0).then_some(rank.max(1))
    }

    /// Samples without which nothing lies beyond it: 50 for the 98th, 1000 for the 99.9th. Of the least and the
    /// greatest one is enough.
    pub fn samples(self) -> u64 {
        match self.0 {
            0 | 1000 => 1,
            tenths => u64::from(1000 / (1000 - tenths).min(tenths)),
        }
    }
}

impl fmt::Display for Percentile {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.percent())
    }
}

/// From what is optimal (the draft's ROP) to what is unusable (its CPUP).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    optimal: f64,
    unusable: f64,
}

impl Span {
    /// None unless 0 <= `optimal` < `unusable` < infinity: the score divides by their distance.
    pub fn new(optimal: f64, unusable: f64) -> Option<Span> {
        (0.0 <= optimal && optimal < unusable && unusable.is_finite()).then_some(Span { optimal, unusable })
    }

    /// Up to here the score is 100.
    pub fn optimal(self) -> f64 {
        self.optimal
    }

    /// From here on it is 0.
    pub fn unusable(self) -> f64 {
        self.unusable
    }

    /// 0 to 100, linear in between.
    pub fn score(self, measured: f64) -> f64 {
        let part = 1.0 - (measured - self.optimal) / (self.unusable - self.optimal);
        part.clamp(0.0, 1.0) * 100.0
    }
}

/// What an application needs of each direction of its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// Its name.
    pub name: String,
    /// One-way latency, s, by percentile; each percentile at most once.
    pub latency: Vec<(Percentile, Span)>,
    /// Packets lost, share of those sent.
    pub loss: Option<Span>,
    /// Least throughput, bit/s.
    pub rate_bps: Option<f64>,
}

/// What a score is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A percentile of latency.
    Latency(Percentile),
    /// Packet loss.
    Loss,
    /// Throughput: 0 or 100.
    Rate,
}

/// What was measured of one direction.
pub struct Seen<'a> {
    /// Packets whose latency is known.
    pub samples: u64,
    /// Their latency, s, at a percentile; asked only if there are samples.
    pub latency_s: &'a dyn Fn(Percentile) -> f64,
    /// Packets lost, share of those sent; None if none was sent.
    pub loss: Option<f64>,
    /// Throughput, bit/s; None where it was no more than the application asked for, and says nothing of what it
    /// could have had.
    pub rate_bps: Option<f64>,
}

/// A score.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// 0 to 100.
    pub score: f64,
    /// The part that decided: the worst, of equals the first.
    pub decided: Part,
    /// Every part's own score: latency in the order of the requirement, loss, throughput.
    pub parts: Vec<(Part, f64)>,
}

/// Why there is no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unscored {
    /// No packet was seen.
    NothingSeen,
    /// A percentile lies beyond what so few packets tell.
    TooFew {
        /// Which.
        percentile: Percentile,
        /// How many there are.
        samples: u64,
    },
}

impl Requirement {
    /// The score of one direction. Where everything is lost nothing arrived in time: losses score 0, or, of a requirement
    /// that says nothing of losses, every percentile does. Percentiles that too few packets tell have no part in a score
    /// that is 0 without them.
    ///
    /// # Errors
    /// Nothing was seen, or too little for one of the percentiles and the rest is above 0: nothing is guessed.
    pub fn outcome(&self, seen: &Seen) -> Result<Outcome, Unscored> {
        let lost = seen.samples == 0 && seen.loss.is_some_and(|loss| loss > 0.0);
        if seen.samples == 0 && !lost {
            return Err(Unscored::NothingSeen);
        }
        let mut parts = Vec::with_capacity(self.latency.len() + 2);
        let mut unknown = None;
        for (percentile, span) in self.latency.iter().filter(|_| !lost || self.loss.is_none()) {
            if !lost && seen.samples < percentile.samples() {
                unknown.get_or_insert(Unscored::TooFew { percentile: *percentile, samples: seen.samples });
                continue;
            }
            let score = if lost { 0.0 } else { span.score((seen.latency_s)(*percentile)) };
            parts.push((Part::Latency(*percentile), score));
        }
        parts.extend(self.loss.zip(seen.loss).map(|(span, loss)| (Part::Loss, span.score(loss))));
        let rate = self.rate_bps.zip(seen.rate_bps);
        parts.extend(rate.map(|(least, rate)| (Part::Rate, if rate >= least { 100.0 } else { 0.0 })));
        // `min_by` takes the first of equals.
        let worst = parts.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        let (decided, score) = match (worst, unknown) {
            (Some(worst), None) => worst,
            (Some(worst), Some(_)) if worst.1 == 0.0 => worst,
            (_, unknown) => return Err(unknown.unwrap_or(Unscored::NothingSeen)),
        };
        Ok(Outcome { score, decided, parts })
    }
}

impl fmt::Display for Unscored {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unscored::NothingSeen => write!(f, "no packet was seen"),
            Unscored::TooFew { percentile, samples } => {
                let needed = percentile.samples();
                write!(f, "{samples} packets tell no {percentile} % point; {needed} are needed")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percentile(percent: f64) -> Percentile {
        Percentile::of_percent(percent).expect("requirements may have it")
    }

    fn span(optimal: f64, unusable: f64) -> Span {
        Span::new(optimal, unusable).expect("in order")
    }

    /// The requirement of the draft's example (3.4).
    fn example() -> Requirement {
        Requirement {
            name: "example".into(),
            latency: vec![(percentile(99.0), span(0.2, 0.5)), (percentile(99.9), span(0.3, 0.6))],
            loss: Some(span(0.01, 0.05)),
            rate_bps: Some(4e6),
        }
    }

    fn outcome(p99: f64, p999: f64, loss: f64, rate: f64) -> Outcome {
        let latency_s = |p: Percentile| if p == percentile(99.0) { p99 } else { p999 };
        let seen = Seen { samples: 100_000, latency_s: &latency_s, loss: Some(loss), rate_bps: Some(rate) };
        example().outcome(&seen).expect("enough was seen")
    }

    #[test]
    fn the_drafts_example() {
        let got = outcome(0.350, 0.375, 0.02, 28e6);
        let scores: Vec<f64> = got.parts.iter().map(|part| part.1).collect();
        for (score, expected) in scores.iter().zip([50.0, 75.0, 75.0, 100.0]) {
            assert!((score - expected).abs() < 1e-9, "{scores:?}");
        }
        assert!((got.score - 50.0).abs() < 1e-9);
        assert_eq!(got.decided, Part::Latency(percentile(99.0)));
    }

    /// The draft's three scenarios (3.3), and both ends of each span.
    #[test]
    fn optimal_unusable_and_too_slow() {
        assert_eq!(outcome(0.2, 0.3, 0.01, 4e6).score, 100.0);
        assert_eq!(outcome(0.0, 0.0, 0.0, 1e9).score, 100.0);
        assert_eq!(outcome(0.5, 0.3, 0.0, 4e6).score, 0.0);
        assert_eq!(outcome(9.0, 9.0, 0.0, 4e6).score, 0.0);
        let lossy = outcome(0.2, 0.3, 0.05, 4e6);
        assert_eq!((lossy.score, lossy.decided), (0.0, Part::Loss));
        let slow = outcome(0.2, 0.3, 0.0, 4e6 - 1.0);
        assert_eq!((slow.score, slow.decided), (0.0, Part::Rate));
    }

    #[test]
    fn of_equals_the_first_decides() {
        assert_eq!(outcome(0.2, 0.3, 0.0, 1e9).decided, Part::Latency(percentile(99.0)));
        assert_eq!(outcome(0.9, 0.9, 1.0, 0.0).decided, Part::Latency(percentile(99.0)));
    }

    #[test]
    fn nothing_is_guessed() {
        let seen = |samples, loss| Seen { samples, latency_s: &|_| 0.1, loss, rate_bps: None };
        assert_eq!(example().outcome(&seen(0, None)), Err(Unscored::NothingSeen));
        assert_eq!(example().outcome(&seen(0, Some(0.0))), Err(Unscored::NothingSeen));
        let too_few = Unscored::TooFew { percentile: percentile(99.0), samples: 1 };
        assert_eq!(example().outcome(&seen(1, Some(0.0))), Err(too_few));
        assert_eq!(too_few.to_string(), "1 packets tell no 99 % point; 100 are needed");
        let too_few = Unscored::TooFew { percentile: percentile(99.9), samples: 999 };
        assert_eq!(example().outcome(&seen(999, Some(0.0))), Err(too_few));
        assert!(example().outcome(&seen(1000, Some(0.0))).is_ok());
        // Nearly all of it lost, or far too slow: what few packets took cannot change it.
        let nearly = example().outcome(&seen(5, Some(0.95))).expect("losses decide");
        assert_eq!((nearly.score, nearly.decided, nearly.parts.len()), (0.0, Part::Loss, 1));
        assert!(example().outcome(&seen(5, Some(0.049))).is_err(), "latency could still make it worse");
        let slow = Seen { samples: 5, latency_s: &|_| 0.1, loss: Some(0.0), rate_bps: Some(1e6) };
        let slow = example().outcome(&slow).expect("its rate decides");
        assert_eq!((slow.score, slow.decided), (0.0, Part::Rate));
        let late = Seen { samples: 100, latency_s: &|_| 0.5, loss: Some(0.0), rate_bps: None };
        let late = example().outcome(&late).expect("one percentile decides");
        assert_eq!((late.score, late.decided), (0.0, Part::Latency(percentile(99.0))));
        // All of it lost: no latency, and loss decides.
        let lost = example().outcome(&seen(0, Some(1.0))).expect("loss is known");
        assert_eq!((lost.score, lost.decided, lost.parts.len()), (0.0, Part::Loss, 1));
        let of_latency = Requirement { loss: None, ..example() };
        let lost = of_latency.outcome(&seen(0, Some(1.0))).expect("loss is known");
        assert_eq!((lost.score, lost.decided, lost.parts.len()), (0.0, Part::Latency(percentile(99.0)), 2));
        // A rate that is not known does not count.
        let quiet = example().outcome(&seen(1000, Some(0.0))).expect("enough was seen");
        assert_eq!((quiet.score, quiet.parts.len()), (100.0, 3));
        // One sample is the least and the greatest of itself.
        let least = Requirement { latency: vec![(percentile(100.0), span(0.0, 0.2))], ..example() };
        assert_eq!(least.outcome(&seen(1, Some(0.0))).map(|o| o.score), Ok(50.0));
        // Nothing that could be judged.
        let empty = Requirement { latency: vec![], loss: None, ..example() };
        assert_eq!(empty.outcome(&seen(10, None)), Err(Unscored::NothingSeen));
    }

    #[test]
    fn spans_are_in_order() {
        assert_eq!(Span::new(1.0, 1.0), None);
        assert_eq!(Span::new(2.0, 1.0), None);
        assert_eq!(Span::new(-1.0, 1.0), None);
        assert_eq!(Span::new(0.0, f64::INFINITY), None);
        assert_eq!(Span::new(f64::NAN, 1.0), None);
        assert_eq!(span(0.0, 1.0).score(0.25), 75.0);
    }

    #[test]
    fn percentiles_and_their_ranks() {
        assert_eq!(Percentile::of_percent(97.0), None);
        assert_eq!(percentile(99.9).to_string(), "99.9");
        assert_eq!(percentile(98.0).to_string(), "98");
        let needed = [0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 98.0, 99.0, 99.9, 100.0]
            .map(|p| percentile(p).samples());
        assert_eq!(needed, [1, 10, 4, 2, 4, 10, 20, 50, 100, 1000, 1]);
        assert_eq!(
            [0.0, 50.0, 98.0, 100.0].map(|p| percentile(p).rank(100)),
            [Some(1), Some(50), Some(98), Some(100)]
        );
        assert_eq!(percentile(99.9).rank(1001), Some(1000));
        assert_eq!(percentile(50.0).rank(0), None);
    }
}
