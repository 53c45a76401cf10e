// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scores made up for tests: each value of each seed is given, means are taken of those that are there.

use airtab_quality::Interval;
use airtab_scenario::{Metric, QueueScores, Scores, Summary};

use crate::compare::Comparison;

/// The mean and interval of one value for each seed; None: a seed without a value.
pub(crate) fn summary(values: &[Option<f64>]) -> Summary {
    let present: Vec<f64> = values.iter().flatten().copied().collect();
    let interval = Interval::of(&present).expect("a seed has a value");
    Summary { mean: interval.mean, half_width_95: interval.half_width, values: values.to_vec() }
}

/// An application with the values of three seeds for each metric.
pub(crate) fn app(name: &str, kind: &'static str, figures: &[(Metric, [f64; 3])]) -> Scores {
    let of = |(metric, values): &(Metric, [f64; 3])| (*metric, summary(&values.map(Some)));
    Scores { name: name.into(), kind, station: String::new(), metrics: figures.iter().map(of).collect() }
}

/// Without figures of its access point.
pub(crate) fn queue(label: &str, apps: Vec<Scores>) -> QueueScores {
    QueueScores {
        label: label.into(),
        discipline: "fifo",
        params: Default::default(),
        apps,
        ap: app("ap", "ap", &[]),
        nodes: Vec::new(),
    }
}

/// A comparison of these disciplines, all applications of class 0.
pub(crate) fn comparison(queues: Vec<QueueScores>) -> Comparison {
    Comparison {
        schema: 1,
        scenario: "made up".into(),
        short: false,
        duration_ns: 9,
        measure_ns: [2, 7],
        seeds: vec![1, 2, 3],
        classes: vec![0; queues[0].apps.len()],
        no_difference: None,
        queues,
    }
}
