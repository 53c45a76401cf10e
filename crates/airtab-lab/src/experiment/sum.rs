// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One number of figures of several applications: their sum, seed by seed; of a quotient, such as the efficiency of all TCP
//! applications, that of the sums.
//!
//! What it does not do: no mean over the seeds.

use airtab_scenario::{Metric, QueueScores};

use super::file::Figures;

/// Each figure as `value` makes it of its base unit. None where the discipline's outcome lacks one of them.
pub(super) fn sum(
    q: &QueueScores,
    of: &[(String, Metric)],
    value: impl Fn(Metric, f64) -> f64,
) -> Option<Vec<Option<f64>>> {
    match (of, of.first()?.1.quotient()) {
        ([_, _, ..], Some(parts)) => {
            let sums = parts.map(|part| {
                let of: Figures = of.iter().map(|(app, _)| (app.clone(), part)).collect();
                added(q, &of, |_, v| v)
            });
            let [over, under] = sums;
            let one = |(over, under): (Option<f64>, Option<f64>)| {
                let quotient = over? / under?;
                quotient.is_finite().then(|| value(of[0].1, quotient))
            };
            Some(over?.into_iter().zip(under?).map(one).collect())
        }
        _ => added(q, of, value),
    }
}

fn added(
    q: &QueueScores,
    of: &[(String, Metric)],
    value: impl Fn(Metric, f64) -> f64,
) -> Option<Vec<Option<f64>>> {
    let values = |(app, metric): &(String, Metric)| Some((*metric, &q.app(app)?.metrics.get(metric)?.values));
    let all: Vec<(Metric, &Vec<Option<f64>>)> = of.iter().map(values).collect::<Option<_>>()?;
    let seeds = all.iter().map(|(_, values)| values.len()).min()?;
    let one = |seed: usize| all.iter().map(|(metric, values)| Some(value(*metric, values[seed]?))).sum();
    Some((0..seeds).map(one).collect())
}
