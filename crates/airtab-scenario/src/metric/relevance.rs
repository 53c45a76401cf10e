// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Smallest difference of each metric that counts as better or worse: the one table of all commands.
//!
//! A difference counts if its 95 % interval excludes 0 (`airtab-lab`, `change`) and its mean exceeds the limit. A limit has an
//! absolute part and a part of the larger of the two values, and both must be exceeded. A change from `a` to `b` counts if one from
//! `b` to `a` does. `docs/quality.md` has the reasons.

use super::Metric;
use super::Metric::*;

/// Limit of relevance of a sort of metrics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relevance {
    /// Text of the limit, such as "10 % and 2 ms of a delay".
    pub words: &'static str,
    /// Least difference, in the metric's own unit.
    pub absolute: f64,
    /// Least difference, part of the larger of the two values.
    pub share: f64,
}

const OPINION: Relevance = Relevance { words: "0.05 MOS", absolute: 0.05, share: 0.0 };
const RATE: Relevance = Relevance { words: "3 % of a rate", absolute: 0.0, share: 0.03 };
const PAGE: Relevance = Relevance { words: "10 % of a page or start-up time", absolute: 0.0, share: 0.10 };
const DELAY: Relevance = Relevance { words: "10 % and 2 ms of a delay", absolute: 0.002, share: 0.10 };
const LOSS: Relevance = Relevance { words: "0.5 % of the packets", absolute: 0.005, share: 0.0 };
const STALLED: Relevance = Relevance { words: "1 % of the playing time", absolute: 0.01, share: 0.0 };

impl Relevance {
    /// Every limit, in the order of `docs/quality.md`.
    pub const ALL: [Relevance; 6] = [OPINION, RATE, PAGE, DELAY, LOSS, STALLED];

    /// The limits of some metrics, in a sentence: "0.05 MOS, 3 % of a rate".
    pub fn words_of(metrics: impl Iterator<Item = Metric> + Clone) -> String {
        let of = |limit: &Relevance| metrics.clone().any(|metric| metric.relevance() == Some(*limit));
        let words: Vec<&str> =
            Relevance::ALL.iter().filter(|limit| of(limit)).map(|limit| limit.words).collect();
        words.join(", ")
    }
}

impl Metric {
    /// The limit of a difference of this metric; None for metrics without a limit, whose differences count if tables show them.
    pub fn relevance(self) -> Option<Relevance> {
        let name = self.name();
        Some(match self {
            GameMos | GameMosWindow | VoipMos | VoipMosG107 | VoipMosDownlink | VoipMosUplink => OPINION,
            PageTime | PageTimeWithHandshake | Startup => PAGE,
            Loss | UplinkLoss | WorseLoss => LOSS,
            Stalled => STALLED,
            Rpm | RpmDown | RpmUp => RATE,
            _ if name.ends_with("_per_second") => RATE,
            _ if name.ends_with("_seconds") => DELAY,
            _ => return None,
        })
    }

    /// True if the difference of two values exceeds the limit of this metric, or is shown by tables if it has no limit.
    pub fn matters(self, a: f64, b: f64) -> bool {
        let shown = |x: f64| format!("{:.*}", self.decimals(), self.shown(x));
        let (by, larger) = ((a - b).abs(), a.abs().max(b.abs()));
        let above = self.relevance().is_none_or(|limit| by > limit.absolute && by > limit.share * larger);
        above && shown(a) != shown(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both sides of each limit, in both directions, with limits written here a second time.
    #[test]
    fn a_difference_matters_beyond_its_limit_alone() {
        for (metric, from, within, beyond) in [
            (GameMos, 3.0, 3.049, 3.051),
            (VoipMos, 4.40, 4.36, 4.34),
            // 3 % of the larger: 97 of 100, and 100 of 103.09.
            (Goodput, 100e6, 97.1e6, 96.9e6),
            (Goodput, 100e6, 103.0e6, 103.2e6),
            (FrameRate, 30.0, 29.2, 29.0),
            (BitRate, 1e6, 1.02e6, 1.04e6),
            (Rpm, 1000.0, 971.0, 969.0),
            (PageTime, 1.0, 0.901, 0.899),
            (PageTime, 1.0, 1.11, 1.12),
            (Startup, 2.0, 1.81, 1.79),
            // 2 ms of short delays, 10 % of long ones.
            (Ping, 0.004, 0.0059, 0.0061),
            (QueueDelayP99, 0.300, 0.271, 0.269),
            (WorseDelayP99, 0.317, 0.290, 0.0025),
            (WorseLoss, 0.010, 0.0149, 0.0151),
            (Stalled, 0.0, 0.009, 0.011),
        ] {
            let name = metric.name();
            assert!(
                !metric.matters(from, within) && !metric.matters(within, from),
                "{name}: {from}, {within}"
            );
            assert!(metric.matters(from, beyond) && metric.matters(beyond, from), "{name}: {from}, {beyond}");
        }
    }

    /// Without a limit the digits of tables decide.
    #[test]
    fn a_metric_without_limit_goes_by_its_table() {
        assert_eq!([Qoo, FramesWhole, Fairness, QueuePackets].map(Metric::relevance), [None; 4]);
        assert!(Qoo.matters(62.4, 62.6) && !Qoo.matters(62.6, 63.4));
        // 3 % and more that no table shows.
        assert!(!Goodput.matters(20e3, 21e3) && Goodput.matters(20e3, 30e3));
    }

    #[test]
    fn words_have_the_values_of_the_limits() {
        for Relevance { words, absolute, share } in Relevance::ALL {
            let parts =
                [(absolute, "MOS", 1.0), (absolute, "ms", 1e3), (absolute, "%", 100.0), (share, "%", 100.0)];
            let said = parts.map(|(x, unit, factor)| {
                (x > 0.0).then(|| format!("{} {unit}", (x * factor * 1e3).round() / 1e3))
            });
            let said: Vec<String> =
                said.into_iter().flatten().filter(|part| words.contains(part.as_str())).collect();
            let expected = usize::from(absolute > 0.0) + usize::from(share > 0.0);
            assert_eq!(said.len(), expected, "{words}: {said:?}");
        }
        let some = [Goodput, FrameRate, Qoo, GameMos];
        assert_eq!(Relevance::words_of(some.into_iter()), "0.05 MOS, 3 % of a rate");
    }
}
