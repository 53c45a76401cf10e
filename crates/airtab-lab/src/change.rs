// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a discipline changes for an application against another one: better, same or worse, by the paired
//! differences over the seeds. What the seeds have in common (the pages, the arrivals) falls out of them, so
//! that a difference shows which two intervals side by side would hide.
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
    /// Better, beyond the 95 % interval of the difference and as tables show it.
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
        let (mean, half_width_95) = difference(new, old)?;
        let verdict = match metric.sense() * mean {
            _ if mean.abs() <= half_width_95 || alike(metric, new, old) => Verdict::Same,
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

/// Mean and half width of `new - old` over the seeds that have both.
fn difference(new: &Summary, old: &Summary) -> Option<(f64, f64)> {
    let pairs = new.values.iter().zip(&old.values).filter_map(|(new, old)| Some(((*new)?, (*old)?)));
    let (new, old): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let interval = Interval::of_differences(&new, &old)?;
    Some((interval.mean, interval.half_width?))
}

/// The same number in tables.
fn alike(metric: Metric, a: &Summary, b: &Summary) -> bool {
    let text = |s: &Summary| format!("{:.*}", metric.decimals(), metric.shown(s.mean));
    text(a) == text(b)
}

/// One discipline against the first one: a change for each application, in their order.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Changes<'a> {
    /// Label of the discipline.
    pub queue: &'a str,
    /// Label of the one that it is held against.
    pub against: &'a str,
    /// Of each application's score.
    pub apps: Vec<AppChange<'a>>,
}

/// What became of one application's score.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct AppChange<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its score.
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
    let change = |(new, old): (&'a airtab_scenario::Scores, &airtab_scenario::Scores)| {
        let metric = About::named(new.kind)?.metric();
        let summaries = new.metrics.get(&metric).zip(old.metrics.get(&metric));
        let change = summaries.and_then(|(new, old)| Change::new(metric, new, old));
        Some(AppChange { name: &new.name, metric, change })
    };
    new.apps.iter().zip(&old.apps).filter_map(change).collect()
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

    /// Differences are taken seed by seed; one within its interval, or below a table's last digit, is "same".
    #[test]
    fn a_change_is_that_of_each_seed() {
        let wide = [10.0, 200.0, 3000.0].map(Some);
        let more = [11.0, 201.0, 3001.0].map(Some);
        assert_eq!(change(Delay, &more, &wide), Some((Verdict::Worse, "1.0000 0.0000".into())));
        // 1, 2 and 3: 2 ± 2.4841.
        let more = change(GameMos, &[1.0, 2.0, 3.0].map(Some), &[0.0; 3].map(Some));
        assert_eq!(more, Some((Verdict::Same, "2.0000 2.4841".into())));
        assert_eq!(change(GameMos, &[4.264; 3].map(Some), &[4.262; 3].map(Some)).unwrap().0, Verdict::Same);
        assert_eq!(change(GameMos, &[4.266; 3].map(Some), &[4.262; 3].map(Some)).unwrap().0, Verdict::Better);
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
}
