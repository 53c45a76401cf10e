// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scores made up for tests of sentences.
//!
//! What it does not do: no run gives them.

use crate::metric::{Direction, Metric, OfPath};
use crate::scores::{QueueScores, Scores, Summary};

/// An application with these figures, each with the half width of its interval.
pub(super) fn with_intervals(
    name: &str,
    kind: &'static str,
    figures: &[(Metric, f64, Option<f64>)],
) -> Scores {
    let summary = |(metric, mean, half_width_95): &(Metric, f64, Option<f64>)| {
        (*metric, Summary { mean: *mean, half_width_95: *half_width_95, values: Vec::new() })
    };
    Scores { name: name.into(), kind, station: "s".into(), metrics: figures.iter().map(summary).collect() }
}

/// An application whose figures have no interval.
pub(super) fn app(name: &str, kind: &'static str, figures: &[(Metric, f64)]) -> Scores {
    let figures: Vec<_> = figures.iter().map(|(metric, mean)| (*metric, *mean, None)).collect();
    with_intervals(name, kind, &figures)
}

/// A discipline with a queue of 10 places.
pub(super) fn queue(apps: Vec<Scores>) -> QueueScores {
    let ap = Scores { name: "ap".into(), kind: "ap", station: String::new(), metrics: Default::default() };
    let params = [("limit", "10".to_string())].into();
    QueueScores { label: "fifo".into(), discipline: "fifo", params, apps, ap, nodes: Vec::new() }
}

pub(super) fn down(of: OfPath) -> Metric {
    Metric::of_path(Direction::Down, of)
}

pub(super) fn up(of: OfPath) -> Metric {
    Metric::of_path(Direction::Up, of)
}
