// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An outcome against what was expected.
//!
//! A value is the mean over the seeds; its 95 % interval, also that of quotients,
//! differences and spreads, is the jackknife's (Student), which for a mean is the
//! usual one. A mean outside of the bounds is red, whatever its interval; one
//! within holds if its interval is, too, and is undecided if not. The same seeds
//! give the same verdict on every machine.
//!
//! What it does not do: no bounds are known here.

use airtab_quality::Interval;
use airtab_scenario::{Metric, QueueScores};
use serde::{Deserialize, Serialize};

use super::distance::{self, Distance};
use super::sum::sum;
use super::told::{expected, measured, number, shown};
use super::{Check, Compared, Expect, Experiment, Outcome, PointScores, Seconds, Term};

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// What was looked at.
    pub what: String,
    /// Where the source says so.
    pub section: String,
    /// What the source says.
    pub reported: String,
    /// What had to hold, in words.
    pub expected: String,
    /// What was measured, in words.
    pub measured: String,
    /// The same as numbers, point by point.
    pub values: Vec<PointValue>,
    /// How far the value that is farthest from the source's number is from it, in the unit of tables; None where the
    /// source gives none.
    pub distance: Option<f64>,
    /// The same in words, with the share.
    #[serde(skip)]
    pub off: String,
    /// Distance to the number of the source, %; None without a number, or if it is 0.
    #[serde(skip)]
    pub off_percent: Option<f64>,
    /// How far the value that is farthest from it is from what somebody else's simulation gave; None where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun_distance: Option<f64>,
    /// What that gave, and the same in words.
    #[serde(skip)]
    pub off_rerun: String,
    /// How it ended.
    pub state: State,
    /// Why it does not hold: where it is known, the cause; else, the points.
    pub cause: Option<String>,
}

/// One value of a check, in the unit of tables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointValue {
    /// Which point, `q = 35`.
    pub at: String,
    /// None where it has no meaning.
    pub mean: Option<f64>,
    /// Half width of its 95 % interval; None with one seed.
    pub half_width_95: Option<f64>,
    /// Whether it is within the bounds; of an order, whether the step to it is.
    pub holds: bool,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It holds, and so does every value of its interval.
    Holds,
    /// It holds, but its interval goes beyond the bounds: more seeds could tell.
    Undecided,
    /// It does not.
    Red,
    /// It does not, as is known.
    KnownRed,
    /// It holds, though it is known not to.
    HoldsAgain,
}

impl State {
    /// For tables: the words of the scoreboard.
    pub fn word(self) -> &'static str {
        match self {
            State::Holds => "reproduced",
            State::Undecided => "inconclusive",
            State::Red => "not reproduced",
            State::KnownRed => "not reproduced, known",
            State::HoldsAgain => "reproduced again",
        }
    }
}

/// Of a mean: what the sums of floating point leave is no spread.
pub(super) const REST: f64 = 1e-9;

/// Judges every check that has a point among those that were run.
pub fn judge(experiment: &Experiment, outcome: &Outcome) -> Vec<Verdict> {
    let checks = experiment.checks.iter().filter(|check| check.quick || !outcome.quick);
    checks.map(|check| verdict(experiment, check, outcome)).collect()
}

fn verdict(experiment: &Experiment, check: &Check, outcome: &Outcome) -> Verdict {
    let decimals = decimals(check);
    let points: Vec<&PointScores> = outcome.points.iter().filter(|p| check.term.is_at(&p.at)).collect();
    let mut values: Vec<PointValue> = points.iter().map(|p| value(experiment, check, outcome, p)).collect();
    let holds = match &check.expect {
        Expect::Within(bounds) => {
            for v in &mut values {
                v.holds = v.mean.is_some_and(|mean| bounds.contains(&mean));
            }
            values.iter().all(|v| v.holds)
        }
        Expect::Rises => in_order(&mut values, 1.0),
        Expect::Falls => in_order(&mut values, -1.0),
    };
    let holds = holds && !values.is_empty();
    let open = if holds { open(&check.expect, &values) } else { Vec::new() };
    let broken: Vec<&PointValue> = values.iter().filter(|v| !v.holds).collect();
    let busy = too_busy(check, outcome);
    let state = match (holds, &check.known) {
        _ if busy.is_some() => State::Red,
        (true, _) if !open.is_empty() => State::Undecided,
        (true, None) => State::Holds,
        (true, Some(_)) => State::HoldsAgain,
        (false, None) => State::Red,
        (false, Some(_)) => State::KnownRed,
    };
    let listed = |what: &str, some: &[&PointValue], text: fn(&PointValue, &Expect, usize) -> String| {
        let one = |v: &&PointValue| format!("{} at {}", text(v, &check.expect, decimals), v.at);
        (values.len() > 1).then(|| format!("{what}: {}", some.iter().map(one).collect::<Vec<_>>().join("; ")))
    };
    let places = |broken: &[&PointValue]| {
        if broken.is_empty() && !values.is_empty() {
            return Some("its ends are not in that order".into());
        }
        listed("not so", broken, |v, expect, decimals| number(v.mean, expect, decimals))
    };
    let cause = match (state, &check.known) {
        _ if busy.is_some() => busy,
        (State::Holds, _) => None,
        (_, Some(known)) => Some(known.clone()),
        (State::Undecided, None) => listed("open", &open, shown),
        (_, None) => places(&broken),
    };
    let source = check.published.or_else(|| distance::numbers(&check.reported));
    let from = |source: Option<(f64, f64)>| {
        let distances = values.iter().filter_map(|v| Some(Distance::new(source?, v.mean?, v.half_width_95)));
        distances.max_by(|a, b| a.by.abs().total_cmp(&b.by.abs()))
    };
    let (farthest, from_rerun) = (from(source), from(check.rerun));
    let text = |distance: Option<Distance>| distance.map_or(String::new(), |d| d.text(decimals));
    Verdict {
        what: check.what.clone(),
        section: check.section.clone(),
        reported: check.reported.clone(),
        expected: expected(&check.expect),
        measured: measured(&check.expect, &values, decimals),
        values,
        distance: farthest.map(|d| d.by),
        off: text(farthest),
        off_percent: farthest.and_then(|d| d.percent()),
        rerun_distance: from_rerun.map(|d| d.by),
        off_rerun: check.rerun.map_or(String::new(), |(low, high)| {
            let said = if low < high { format!("{low} to {high}") } else { low.to_string() };
            format!("{said}: {}", text(from_rerun))
        }),
        state,
        cause,
    }
}

/// Of values that hold, those whose interval says that others could not.
fn open<'a>(expect: &Expect, values: &'a [PointValue]) -> Vec<&'a PointValue> {
    let reach = |v: &PointValue| {
        let least = REST * v.mean.unwrap_or(0.0).abs();
        v.half_width_95.filter(|half| *half > least).unwrap_or(0.0)
    };
    match expect {
        Expect::Within(bounds) => {
            let inside = |v: &PointValue| {
                v.mean.is_some_and(|mean| {
                    bounds.contains(&(mean - reach(v))) && bounds.contains(&(mean + reach(v)))
                })
            };
            values.iter().filter(|v| !inside(v)).collect()
        }
        Expect::Rises | Expect::Falls => match values {
            [first, .., last] => {
                let change = last.mean.zip(first.mean).map_or(0.0, |(last, first)| (last - first).abs());
                if change > reach(first) + reach(last) { Vec::new() } else { vec![first, last] }
            }
            _ => Vec::new(),
        },
    }
}

/// Why runs that a check rests on cannot be believed: a live access point that
/// was late too often measures the machine.
fn too_busy(check: &Check, outcome: &Outcome) -> Option<String> {
    let own = outcome.points.iter().filter(|p| check.term.is_at(&p.at));
    let cells = own.flat_map(|p| check.cells(&p.at));
    let queues = cells.filter_map(|(at, queue)| {
        let point = outcome.points.iter().find(|p| p.at == at)?;
        point.queues.iter().find(|q| q.label == *queue)
    });
    let late = queues.filter_map(|q| q.ap.metrics.get(&Metric::Behind)).flat_map(|s| &s.values).flatten();
    let worst = late.copied().fold(0.0, f64::max);
    (worst > Metric::LATE_TOLERATED).then(|| {
        format!(
            "machine too busy: up to {:.2} % of a run's packets were more than 2 ms late, {:.1} % may be; run it \
             again with less going on",
            100.0 * worst,
            100.0 * Metric::LATE_TOLERATED
        )
    })
}

/// Of a quotient, a spread, a figure; and as many as the bounds have, up to four.
fn decimals(check: &Check) -> usize {
    let usual = match check.compared {
        Compared::DividedBy(_) | Compared::Times(_) => 2,
        Compared::Spread(_) => 3,
        _ if check.term.seconds == Some(Seconds::Correlation) => 2,
        Compared::Value | Compared::Minus(_) => {
            check.term.of.iter().map(|(_, metric)| metric.decimals()).max().unwrap_or(0)
        }
    };
    let of = |bound: f64| bound.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    match &check.expect {
        Expect::Within(bounds) => usual.max(of(*bounds.start())).max(of(*bounds.end())).min(4),
        Expect::Rises | Expect::Falls => usual,
    }
}

fn value(experiment: &Experiment, check: &Check, outcome: &Outcome, point: &PointScores) -> PointValue {
    let samples = samples(check, outcome, point);
    let (mean, half_width_95) = samples.map_or((None, None), |samples| estimate(&check.compared, &samples));
    PointValue { at: experiment.place(&point.at), mean, half_width_95, holds: false }
}

/// The values of the seeds, one list for each term that takes part.
fn samples(check: &Check, outcome: &Outcome, point: &PointScores) -> Option<Vec<Vec<Option<f64>>>> {
    let other = |term: &Term| {
        let at = term.beside(&point.at);
        let point = outcome.points.iter().find(|p| p.at == at)?;
        of(point, term, &term.queue)
    };
    let own = || of(point, &check.term, &check.term.queue);
    match &check.compared {
        Compared::Value => Some(vec![own()?]),
        Compared::DividedBy(term) | Compared::Minus(term) | Compared::Times(term) => {
            Some(vec![own()?, other(term)?])
        }
        Compared::Spread(queues) => queues.iter().map(|queue| of(point, &check.term, queue)).collect(),
    }
}

/// The sum of some figures under one discipline, seed by seed, in the unit of tables.
fn of(point: &PointScores, term: &Term, queue: &str) -> Option<Vec<Option<f64>>> {
    let number = point.queues.iter().position(|q| q.label == queue)?;
    let queue: &QueueScores = &point.queues[number];
    if let Some(seconds) = &term.seconds {
        let app = queue.apps.iter().position(|a| a.name == term.of[0].0)?;
        return Some(point.seconds[number].iter().map(|seed| seconds.of(&seed[app])).collect());
    }
    if let Some(pages) = term.pages {
        let app = queue.apps.iter().position(|a| a.name == term.of[0].0)?;
        let values = pages.of(&point.pages_of(number, app)).into_iter();
        return Some(values.map(|v| v.map(|v| Metric::PageTime.shown(v))).collect());
    }
    sum(queue, &term.of, Metric::shown)
}

/// Mean and half width of the 95 % interval.
fn estimate(compared: &Compared, samples: &[Vec<Option<f64>>]) -> (Option<f64>, Option<f64>) {
    let without = |left_out: Option<usize>| {
        let mean = |values: &Vec<Option<f64>>| {
            let kept = values.iter().enumerate().filter(|(i, _)| Some(*i) != left_out);
            let present: Vec<f64> = kept.filter_map(|(_, v)| *v).collect();
            (!present.is_empty()).then(|| present.iter().sum::<f64>() / present.len() as f64)
        };
        let means: Vec<f64> = samples.iter().map(mean).collect::<Option<_>>()?;
        let value = match compared {
            Compared::Value => means[0],
            Compared::DividedBy(_) => means[0] / means[1],
            Compared::Times(_) => means[0] * means[1],
            Compared::Minus(_) => means[0] - means[1],
            Compared::Spread(_) => {
                let most = means.iter().copied().fold(f64::MIN, f64::max);
                let least = means.iter().copied().fold(f64::MAX, f64::min);
                if most > least { (most - least) / most } else { 0.0 }
            }
        };
        value.is_finite().then_some(value)
    };
    let all = without(None);
    // Seeds that have a value: leaving out another changes nothing.
    let seeds: Vec<usize> =
        (0..samples[0].len()).filter(|i| samples.iter().any(|values| values[*i].is_some())).collect();
    let n = seeds.len() as f64;
    let pseudo: Option<Vec<f64>> =
        seeds.iter().map(|i| Some(n * all? - (n - 1.0) * without(Some(*i))?)).collect();
    let half_width = pseudo.and_then(|values| Interval::of(&values)?.half_width);
    (all, half_width)
}

/// The ends in order, and no step against it but those that the intervals of
/// both sides explain and that are small beside the whole change.
fn in_order(values: &mut [PointValue], sense: f64) -> bool {
    let step = |a: &PointValue, b: &PointValue| Some(sense * (b.mean? - a.mean?));
    let [first, .., last] = &*values else { return false };
    let change = step(first, last).unwrap_or(0.0);
    for i in 0..values.len() {
        let ahead = i == 0 || {
            let (a, b) = (&values[i - 1], &values[i]);
            let noise = a.half_width_95.unwrap_or(0.0) + b.half_width_95.unwrap_or(0.0);
            step(a, b).is_some_and(|d| d >= -noise.min(SMALL * change))
        };
        values[i].holds = ahead && values[i].mean.is_some();
    }
    change > 0.0 && values.iter().all(|v| v.holds)
}

/// Part of a change that a step against it may have.
const SMALL: f64 = 0.1;

impl Check {
    /// What it is compared with, if that is a figure of its own.
    fn other(&self) -> Option<&Term> {
        match &self.compared {
            Compared::DividedBy(term) | Compared::Minus(term) | Compared::Times(term) => Some(term),
            Compared::Value | Compared::Spread(_) => None,
        }
    }

    /// Everything that it looks at.
    pub(super) fn terms(&self) -> impl Iterator<Item = &Term> {
        [&self.term].into_iter().chain(self.other())
    }

    /// Every point and discipline on which its value at one of its points rests.
    pub(super) fn cells(&self, at: &[usize]) -> Vec<(Vec<usize>, &String)> {
        let spread = match &self.compared {
            Compared::Spread(queues) => &queues[..],
            _ => &[],
        };
        let own = [&self.term.queue].into_iter().chain(spread).map(|queue| (at.to_vec(), queue));
        own.chain(self.other().map(|term| (term.beside(at), &term.queue))).collect()
    }

    /// Labels of the disciplines that it is about.
    pub(super) fn queues(&self) -> Vec<&String> {
        self.cells(&[]).into_iter().map(|(_, queue)| queue).collect()
    }
}

impl Term {
    /// Whether it is about that point.
    pub(super) fn is_at(&self, at: &[usize]) -> bool {
        self.at.iter().all(|(axis, values)| values.contains(&at[*axis]))
    }

    /// The point that a value at `at` is compared with, of the other term of a check:
    /// where it names the value of an axis, it is about that; else about the same.
    fn beside(&self, at: &[usize]) -> Vec<usize> {
        let named = |axis: usize| self.at.iter().find(|(a, _)| *a == axis).map(|(_, values)| values[0]);
        at.iter().enumerate().map(|(axis, value)| named(axis).unwrap_or(*value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_means_are_the_usual_ones() {
        let x = [1.0, 2.0, 4.0, 8.0];
        let samples = vec![x.map(Some).to_vec()];
        let (mean, half) = estimate(&Compared::Value, &samples);
        let usual = Interval::of(&x).unwrap();
        assert!((mean.unwrap() - usual.mean).abs() < 1e-12);
        assert!((half.unwrap() - usual.half_width.unwrap()).abs() < 1e-9);
    }

    #[test]
    fn quotients_of_what_varies_together_have_narrow_intervals() {
        let term = Term { of: Vec::new(), queue: String::new(), seconds: None, pages: None, at: Vec::new() };
        let a: Vec<Option<f64>> = [1.0, 2.0, 4.0].map(Some).to_vec();
        let twice: Vec<Option<f64>> = [2.0, 4.0, 8.0].map(Some).to_vec();
        let (mean, half) = estimate(&Compared::DividedBy(term), &[twice, a]);
        assert_eq!((mean, half.map(|h| h < 1e-9)), (Some(2.0), Some(true)));
    }

    #[test]
    fn differences_and_spreads() {
        let term = Term { of: Vec::new(), queue: String::new(), seconds: None, pages: None, at: Vec::new() };
        let of = |values: [f64; 2]| values.map(Some).to_vec();
        let (three, four, five) = (of([2.0, 4.0]), of([4.0, 4.0]), of([4.0, 6.0]));
        let (mean, half) = estimate(&Compared::Minus(term), &[three.clone(), five.clone()]);
        assert_eq!(mean, Some(-2.0), "the first less the second");
        assert!(half.unwrap() < 1e-9, "the same in every seed");
        let term = Term { of: Vec::new(), queue: String::new(), seconds: None, pages: None, at: Vec::new() };
        let (mean, half) = estimate(&Compared::Times(term), &[four.clone(), three.clone()]);
        assert_eq!((mean, half.is_some_and(|h| h > 1.0)), (Some(12.0), true), "4 times a mean of 3");
        let spread = Compared::Spread(Vec::new());
        assert_eq!(estimate(&spread, &[four.clone(), five, three]).0, Some(0.4), "(5 - 3) / 5");
        assert_eq!(estimate(&spread, &[four.clone(), four]).0, Some(0.0));
    }

    #[test]
    fn seeds_without_value_are_left_out() {
        let samples = vec![vec![Some(3.0), None, Some(5.0)]];
        let (mean, half) = estimate(&Compared::Value, &samples);
        assert_eq!(mean, Some(4.0));
        assert!((half.unwrap() - Interval::of(&[3.0, 5.0]).unwrap().half_width.unwrap()).abs() < 1e-9);
        assert_eq!(estimate(&Compared::Value, &[vec![None, None]]), (None, None));
    }

    fn values(means: &[Option<f64>]) -> Vec<PointValue> {
        let value = |mean: &Option<f64>| PointValue {
            at: String::new(),
            mean: *mean,
            half_width_95: Some(0.1),
            holds: false,
        };
        means.iter().map(value).collect()
    }

    #[test]
    fn an_order_bears_what_intervals_explain() {
        let falls = |means: &[Option<f64>]| in_order(&mut values(means), -1.0);
        assert!(falls(&[Some(3.0), Some(3.1), Some(1.0)]), "0.1 up, with 0.2 of intervals, of 2 in all");
        assert!(!falls(&[Some(3.0), Some(3.25), Some(1.0)]), "0.25 up");
        assert!(!falls(&[Some(3.0), Some(3.1), Some(2.8)]), "0.1 up of 0.2 in all");
        assert!(!falls(&[Some(3.0), Some(2.9), Some(3.0)]), "the ends are equal");
        assert!(!falls(&[Some(3.0), None, Some(1.0)]), "a value is missing");
        assert!(!falls(&[Some(3.0)]), "one value is no order");
    }

    /// The decimals of a quotient, a spread or a figure; as many as the bounds have, at most four, if those are more.
    #[test]
    fn a_value_has_the_decimals_of_its_kind() {
        let decimals = |lines: &str| {
            let text = format!(
                "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\"]\n{}\n\
                 [[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [1, 2]\n\
                 [[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"r\"\n{lines}\n",
                super::super::made::HOME
            );
            decimals(&super::super::made::parse(&text).checks[0])
        };
        // Of opinion scores two, of page times none.
        let (score, page) =
            ("of = \"g.game_mos\"\nqueue = \"fifo\"\n", "of = \"v.page_seconds\"\nqueue = \"fifo\"\n");
        let film = "of = \"v.playable_frames_per_second\"\nqueue = \"fifo\"\n";
        let usual = Metric::FrameRate.decimals();
        for (lines, expected) in [
            (format!("{score}least = 1"), 2),
            (format!("{page}least = 1"), 0),
            ("of = [\"v.page_seconds\", \"g.game_mos\"]\nqueue = \"fifo\"\nleast = 1".into(), 2),
            (format!("{page}least = 1\nminus = {{ queue = \"chap\" }}"), 0),
            (format!("{page}least = 1\ndivided_by = {{ queue = \"chap\" }}"), 2),
            (format!("{page}least = 1\ntimes = {{ queue = \"chap\" }}"), 2),
            ("of = \"v.page_seconds\"\nspread = [\"fifo\", \"chap\"]\nmost = 1".into(), 3),
            (format!("{film}least = 0\nseconds = {{ correlation = true }}"), 2),
            (format!("{film}least = 0\nseconds = {{ below = 2 }}"), usual),
            (format!("{page}least = 0.5"), 1),
            (format!("{page}most = 0.125"), 3),
            (format!("{page}least = 0.125\nmost = 2.5"), 3),
            (format!("{score}most = 1.00001"), 4),
            (format!("{score}most = 4.5"), 2),
            (format!("{page}order = \"rises\""), 0),
        ] {
            assert_eq!(decimals(&lines), expected, "{lines}");
        }
    }

    /// Both terms of a product and of a difference contribute to its interval.
    #[test]
    fn intervals_are_the_jackknifes() {
        let of = |values: [f64; 3]| values.map(Some).to_vec();
        let term =
            || Term { of: Vec::new(), queue: String::new(), seconds: None, pages: None, at: Vec::new() };
        let told = |compared, samples: &[Vec<Option<f64>>]| {
            let (mean, half) = estimate(&compared, samples);
            format!("{:.4} ± {:.4}", mean.unwrap(), half.unwrap())
        };
        let (a, b) = (of([2.0, 4.0, 9.0]), of([1.0, 1.0, 4.0]));
        // 1, 3 and 5: s = 2, 4.302653 x 2 / sqrt 3.
        assert_eq!(told(Compared::Minus(term()), &[a.clone(), b.clone()]), "3.0000 ± 4.9683");
        // 5 x 2; without a seed 6.5 x 2.5, 5.5 x 2.5, 3 x 1: pseudo values -2.5, 2.5, 24: s^2 = 198.25.
        assert_eq!(told(Compared::Times(term()), &[a.clone(), b.clone()]), "10.0000 ± 34.9770");
        // (5 - 2) / 5; without a seed (6.5 - 2.5) / 6.5, (5.5 - 2.5) / 5.5, (3 - 1) / 3.
        let pseudo = [4.0 / 6.5, 3.0 / 5.5, 2.0 / 3.0].map(|part| 3.0 * 0.6 - 2.0 * part);
        let mean = pseudo.iter().sum::<f64>() / 3.0;
        let s2 = pseudo.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 2.0;
        let half = 4.302653 * (s2 / 3.0).sqrt();
        assert_eq!(told(Compared::Spread(Vec::new()), &[b, a]), format!("0.6000 ± {half:.4}"));
        // One side has no value at all.
        assert_eq!(estimate(&Compared::Minus(term()), &[of([1.0; 3]), vec![None; 3]]), (None, None));
    }

    /// The number that a check names is before the one in its words; without either there is no distance.
    #[test]
    fn a_distance_is_from_what_is_published() {
        let distance = |lines: &str| {
            let text = format!(
                "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\"]\n{}\n[[check]]\nwhat = \"w\"\nsection = \"1\"\n\
                 of = \"g.game_mos\"\nqueue = \"fifo\"\nleast = 0\n{lines}\n",
                super::super::made::HOME
            );
            let e = super::super::made::parse(&text);
            let points = vec![super::super::made::point(&[], &[("fifo", [4.0; 3]), ("chap", [9.0; 3])])];
            let outcome = Outcome { quick: false, seeds: 3, runs: 6, points };
            let verdict = judge(&e, &outcome).remove(0);
            (verdict.distance, verdict.off_percent, verdict.off)
        };
        assert_eq!(distance("reported = \"about 8\""), (Some(-4.0), Some(-50.0), "-4.00 (-50 %)".into()));
        assert_eq!(
            distance("reported = \"about 8\"\npublished = 2"),
            (Some(2.0), Some(100.0), "+2.00 (+100 %)".into())
        );
        assert_eq!(
            distance("reported = \"many\"\npublished = [1, 5]"),
            (Some(0.0), Some(0.0), "0.00 (0 %)".into())
        );
        assert_eq!(distance("reported = \"many\"\nrerun = 2"), (None, None, String::new()));
    }
}
