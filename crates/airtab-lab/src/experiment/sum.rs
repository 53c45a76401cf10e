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

#[cfg(test)]
mod tests {
    use Metric::{Efficiency, Goodput, Load, Throughput};

    use super::*;
    use crate::made::{app, queue};

    /// Seed by seed: of quotients that of the sums, of one alone its own, and none of nothing by nothing.
    #[test]
    fn sums_are_of_each_seed() {
        let of_app = |name: &str, over: [f64; 3], under: [f64; 3]| {
            app(
                name,
                "download",
                &[(Throughput, over), (Load, under), (Efficiency, [0.5; 3]), (Goodput, over)],
            )
        };
        let q = queue(
            "fifo",
            vec![
                of_app("a", [1.0, 2.0, 0.0], [4.0, 2.0, 0.0]),
                of_app("b", [3.0, 4.0, 5.0], [4.0, 6.0, 0.0]),
            ],
        );
        let of = |apps: &[&str], metric| {
            let of: Figures = apps.iter().map(|app| (app.to_string(), metric)).collect();
            sum(&q, &of, |_, value| 100.0 * value)
        };
        assert_eq!(of(&["a", "b"], Efficiency), Some(vec![Some(50.0), Some(75.0), None]));
        assert_eq!(of(&["b", "b", "a"], Throughput), Some(vec![Some(700.0), Some(1000.0), Some(1000.0)]));
        assert_eq!(of(&["a"], Efficiency), Some(vec![Some(50.0); 3]), "as it was measured");
        assert_eq!(
            (of(&["a", "x"], Goodput), of(&["a"], Metric::Delay), of(&[], Goodput)),
            (None, None, None)
        );
        // Each by its own metric.
        let both = [("a".to_string(), Goodput), ("b".to_string(), Load)];
        let of = sum(&q, &both, |metric, value| if metric == Load { -value } else { value });
        assert_eq!(of, Some(vec![Some(-3.0), Some(-4.0), Some(0.0)]));
    }
}
