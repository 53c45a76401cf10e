// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a discipline changes for an application against another one: better, same or worse, by the paired
//! differences over the seeds. What the seeds have in common (the pages, the arrivals) falls out of them, so
//! that a difference shows which two intervals side by side would hide. A difference counts if its interval excludes 0
//! and its mean exceeds the limit of its metric ([`Metric::matters`]). [`Change`] is the rule of every command.
//!
//! What it does not do: no causes (`why`), and no sentence (`report::words`).

use airtab_quality::Interval;
use airtab_scenario::{About, Metric, QueueScores, Summary};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use crate::compare::Comparison;
use crate::results::Build;
use airtab_scenario::digits;

/// How an application is served, beside another discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Better: the 95 % interval of the difference excludes 0, and its mean exceeds the limit of the metric.
    Better,
    /// Neither.
    Same,
    /// Worse, likewise.
    Worse,
}

impl Verdict {
    /// In tables.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Same => "same",
            Verdict::Worse => "worse",
        }
    }
}

/// A difference of two disciplines, in the metric's own unit.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Change {
    /// What it means.
    pub verdict: Verdict,
    /// Mean of the differences over the seeds that both have.
    pub mean: f64,
    /// Half width of its 95 % interval (Student).
    pub half_width_95: f64,
}

impl Change {
    /// From `old` to `new`; None where fewer than two seeds have a value of both.
    pub fn new(metric: Metric, new: &Summary, old: &Summary) -> Option<Change> {
        let Difference { of: [now, then], mean, half_width_95 } = difference(new, old)?;
        let verdict = match metric.sense() * mean {
            _ if mean.abs() <= half_width_95 || !metric.matters(now, then) => Verdict::Same,
            gain if gain > 0.0 => Verdict::Better,
            gain if gain < 0.0 => Verdict::Worse,
            _ => Verdict::Same,
        };
        Some(Change { verdict, mean, half_width_95 })
    }

    /// `better, +0.73 ± 0.01`.
    pub(crate) fn text(&self, metric: Metric) -> String {
        let (mean, half) = (metric.shown(self.mean), metric.shown(self.half_width_95));
        let digits = digits::estimate(mean, Some(half), metric.decimals());
        let sign = if mean > 0.0 { "+" } else { "" };
        format!("{}, {sign}{digits}", self.verdict.word())
    }
}

/// Whether `top`, the best of a row, cannot be told from `other`.
pub(crate) fn is_tied(metric: Metric, top: &Summary, other: &Summary) -> bool {
    Change::new(metric, top, other).is_none_or(|change| change.verdict != Verdict::Better)
}

/// Difference of two disciplines over the seeds that have a value of both.
struct Difference {
    /// Means of both over these seeds.
    of: [f64; 2],
    mean: f64,
    half_width_95: f64,
}

fn difference(new: &Summary, old: &Summary) -> Option<Difference> {
    let pairs = new.values.iter().zip(&old.values).filter_map(|(new, old)| Some(((*new)?, (*old)?)));
    let (new, old): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let interval = Interval::of_differences(&new, &old)?;
    let of = [&new, &old].map(|values| values.iter().sum::<f64>() / values.len() as f64);
    Some(Difference { of, mean: interval.mean, half_width_95: interval.half_width? })
}

/// One discipline against the first one: a change for each scored figure of each application, in their order.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Changes<'a> {
    /// Label of the discipline.
    pub queue: &'a str,
    /// Label of the one that it is held against.
    pub against: &'a str,
    /// Changes of each application's score and of its further scored figures.
    pub apps: Vec<AppChange<'a>>,
}

/// Change of one scored figure of an application.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct AppChange<'a> {
    /// Its name.
    pub name: &'a str,
    /// The figure: the score of the application, or a further one.
    pub metric: Metric,
    /// None where fewer than two seeds have a value under both disciplines.
    #[serde(flatten)]
    pub change: Option<Change>,
}

impl Comparison {
    /// Every discipline but the first against the first.
    pub fn changes(&self) -> Vec<Changes<'_>> {
        let Some((first, others)) = self.queues.split_first() else { return Vec::new() };
        others
            .iter()
            .map(|q| Changes { queue: &q.label, against: &first.label, apps: of(q, first) })
            .collect()
    }

    /// For programs: the comparison, [`Comparison::changes`], and which airtab made it.
    pub fn data<'a>(&'a self, build: Build<'a>) -> impl Serialize + use<'a> {
        Data { build, comparison: self, changes: self.changes() }
    }
}

/// What [`Comparison::data`] serialises, as JSON Schema (draft 2020-12): the form of `results.json` and of `--json`.
pub fn results_schema() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Data>();
    airtab_scenario::schema::titled("Results of airtab", "docs/report.md", schema.into())
}

#[derive(JsonSchema, Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    build: Build<'a>,
    #[serde(flatten)]
    comparison: &'a Comparison,
    changes: Vec<Changes<'a>>,
}

fn of<'a>(new: &'a QueueScores, old: &QueueScores) -> Vec<AppChange<'a>> {
    let changes = |(new, old): (&'a airtab_scenario::Scores, &airtab_scenario::Scores)| {
        let change = |(metric, _)| {
            let summaries = new.metrics.get(&metric).zip(old.metrics.get(&metric));
            let change = summaries.and_then(|(new, old)| Change::new(metric, new, old));
            AppChange { name: &new.name, metric, change }
        };
        let scored = About::named(new.kind).into_iter().flat_map(About::scored);
        scored.map(change).collect::<Vec<_>>()
    };
    new.apps.iter().zip(&old.apps).flat_map(changes).collect()
}

#[cfg(test)]
mod tests {
    use Metric::{Delay, GameMos, Loss, PageTime, QueuePackets};
    use serde_json::json;

    use super::*;
    use crate::made::{app, comparison, queue, summary};

    /// To four decimals.
    fn change(metric: Metric, new: &[Option<f64>], old: &[Option<f64>]) -> Option<(Verdict, String)> {
        let change = Change::new(metric, &summary(new), &summary(old))?;
        Some((change.verdict, format!("{:.4} {:.4}", change.mean, change.half_width_95)))
    }

    #[test]
    fn a_change_is_from_the_old_to_the_new() {
        // 2, 2 and 2.5 more: s^2 = 1 / 12, t(0.975, 2) = 4.302653: 4.302653 sqrt(1 / 36) = 0.7171.
        let (new, old) = ([3.0, 4.0, 5.5].map(Some), [1.0, 2.0, 3.0].map(Some));
        let told = |verdict, sign: &str| Some((verdict, format!("{sign}2.1667 0.7171")));
        assert_eq!(change(GameMos, &new, &old), told(Verdict::Better, ""));
        assert_eq!(change(GameMos, &old, &new), told(Verdict::Worse, "-"));
        assert_eq!(change(PageTime, &new, &old), told(Verdict::Worse, ""));
        assert_eq!(change(PageTime, &old, &new), told(Verdict::Better, "-"));
        assert_eq!(change(QueuePackets, &new, &old), told(Verdict::Same, ""), "neither way is better");
        let text = |metric, new: &[Option<f64>], old: &[Option<f64>]| {
            Change::new(metric, &summary(new), &summary(old)).map(|change| change.text(metric)).unwrap()
        };
        assert_eq!(text(GameMos, &new, &old), "better, +2.17 ± 0.72");
        assert_eq!(text(GameMos, &old, &new), "worse, -2.17 ± 0.72");
        assert_eq!(text(PageTime, &old, &new), "better, -2170 ± 720", "ms");
        assert_eq!(text(GameMos, &new, &new), "same, 0.00 ± 0.00");
    }

    /// Differences are taken seed by seed; one within its interval, or within the limit of its metric, is "same".
    #[test]
    fn a_change_is_that_of_each_seed() {
        let wide = [10.0, 200.0, 3000.0].map(Some);
        let by = |more: f64| [10.0 + more, 200.0 + more, 3000.0 + more].map(Some);
        assert_eq!(change(Delay, &by(200.0), &wide), Some((Verdict::Worse, "200.0000 0.0000".into())));
        // 100 of 1170: within a tenth.
        assert_eq!(change(Delay, &by(100.0), &wide), Some((Verdict::Same, "100.0000 0.0000".into())));
        // 1, 2 and 3: 2 ± 2.4841.
        let more = change(GameMos, &[1.0, 2.0, 3.0].map(Some), &[0.0; 3].map(Some));
        assert_eq!(more, Some((Verdict::Same, "2.0000 2.4841".into())));
        assert_eq!(change(GameMos, &[4.311; 3].map(Some), &[4.262; 3].map(Some)).unwrap().0, Verdict::Same);
        assert_eq!(change(GameMos, &[4.313; 3].map(Some), &[4.262; 3].map(Some)).unwrap().0, Verdict::Better);
        assert_eq!(change(Loss, &[0.00012; 3].map(Some), &[0.00008; 3].map(Some)).unwrap().0, Verdict::Same);
        // 2 to 5 and 4 to 6 alone: -2.5 ± 12.7062 sqrt(0.5 / 2).
        let new = [None, Some(2.0), Some(9.0), Some(4.0)];
        let old = [Some(1.0), Some(5.0), None, Some(6.0)];
        assert_eq!(change(Delay, &new, &old), Some((Verdict::Same, "-2.5000 6.3531".into())));
        assert_eq!(change(Delay, &new[..3], &old[..3]), None, "one seed has both");
        assert!(is_tied(Delay, &summary(&new[..3]), &summary(&old[..3])), "nothing tells them apart");
        let (low, high) = ([1.0, 2.0].map(Some), [3.0, 4.0].map(Some));
        assert!(is_tied(GameMos, &summary(&low), &summary(&high)), "it is no better");
        assert!(!is_tied(GameMos, &summary(&high), &summary(&low)));
    }

    #[test]
    fn each_discipline_is_held_against_the_first() {
        let under = |label: &str, mos: [f64; 3], page: Option<[f64; 3]>| {
            let page: Vec<_> = page.map(|page| (PageTime, page)).into_iter().collect();
            queue(label, vec![app("g", "game", &[(GameMos, mos), (Delay, mos)]), app("w", "web", &page)])
        };
        let c = comparison(vec![
            under("a", [1.0, 2.0, 3.0], Some([0.5; 3])),
            under("b", [3.0, 4.0, 5.0], Some([0.25; 3])),
            under("c", [0.5, 1.5, 2.5], None),
        ]);
        let told = |name, metric, verdict, mean| json!({ "name": name, "metric": metric, "verdict": verdict, "mean": mean, "half_width_95": 0.0 });
        let expected = json!([
            { "queue": "b", "against": "a", "apps": [
                told("g", "game_mos", "better", 2.0), told("w", "page_seconds", "better", -0.25),
            ] },
            { "queue": "c", "against": "a", "apps": [
                told("g", "game_mos", "worse", -0.5), { "name": "w", "metric": "page_seconds" },
            ] },
        ]);
        assert_eq!(serde_json::to_value(c.changes()).unwrap(), expected);
        let data = serde_json::to_value(c.data(Build { version: "1.2.3", git: "abc" })).unwrap();
        assert_eq!(data["changes"], expected);
        assert_eq!([&data["version"], &data["git"]], [&json!("1.2.3"), &json!("abc")]);
        assert_eq!((&data["queues"][2]["label"], &data["measure_ns"]), (&json!("c"), &json!([2, 7])));
        assert_eq!(comparison(c.queues[..1].to_vec()).changes(), []);
    }

    /// A packet stream of a capture is scored by delay and losses, a streamed video by its rate and stalls.
    #[test]
    fn each_scored_figure_has_its_change() {
        let under = |label: &str, p99: f64, lost: f64| {
            let call =
                app("call", "trace", &[(Metric::WorseDelayP99, [p99; 3]), (Metric::WorseLoss, [lost; 3])]);
            queue(label, vec![call, app("film", "streaming", &[(Metric::BitRate, [3e6; 3])])])
        };
        let c = comparison(vec![under("a", 0.317, 0.02), under("b", 0.0025, 0.03)]);
        let told = |app: &AppChange| {
            format!("{:?}", (app.name, app.metric, app.change.map(|change| change.verdict)))
        };
        let changes: Vec<String> = c.changes()[0].apps.iter().map(told).collect();
        let expected = [
            "(\"call\", WorseDelayP99, Some(Better))",
            "(\"call\", WorseLoss, Some(Worse))",
            "(\"film\", BitRate, Some(Same))",
            "(\"film\", Stalled, None)",
        ];
        assert_eq!(changes, expected);
    }
}
