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
