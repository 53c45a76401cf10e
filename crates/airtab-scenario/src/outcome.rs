// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Quality of Outcome of an application, from what it saw: each direction by itself, the worse of the two counts.
//!
//! Source: draft-ietf-ippm-qoo-10 (`airtab_quality::qoo`); readings in `docs/measures.md`.
//!
//! What it does not do: packets of several users are judged together; where one direction says too little, the
//! other's parts are told, and a score only if it is 0.

use airtab_quality::qoo::{Percentile, Requirement, Seen, Unscored};
use airtab_sim::AppTrace;

use crate::kinds;
use crate::latencies::Latencies;
use crate::measure::{Figures, lost};
use crate::metric::{Direction, Metric};
use crate::scores::Scores;

/// Adds its score and the parts of it. Its rate counts only in a direction in which it takes all that it can get.
pub(crate) fn add(f: &mut Figures, requirement: &Requirement, seen: &AppTrace) {
    let streams = [(Direction::Down, &seen.down), (Direction::Up, &seen.up)];
    let mut worst: Result<f64, Unscored> = Err(Unscored::NothingSeen);
    for (direction, stream) in streams {
        let latencies = Latencies::of(stream);
        let latency_s = |p: Percentile| latencies.at(p).unwrap_or(0) as f64 * 1e-9;
        let rate_bps =
            f.get(&Metric::throughput(direction)).copied().filter(|_| kinds::greedy(&seen.kind, direction));
        let samples = latencies.count();
        match requirement.outcome(&Seen { samples, latency_s: &latency_s, loss: lost(stream), rate_bps }) {
            Ok(outcome) => {
                let parts = outcome.parts.iter();
                f.extend(parts.map(|(part, score)| (Metric::of_outcome(direction, *part), *score)));
                worst = match worst {
                    // Nothing is worse, whatever the other direction would be.
                    _ if outcome.score == 0.0 => Ok(0.0),
                    Err(Unscored::NothingSeen) => Ok(outcome.score),
                    known => known.map(|score| score.min(outcome.score)),
                };
            }
            // A direction that nothing goes.
            Err(Unscored::NothingSeen) => {}
            Err(few) if worst != Ok(0.0) => worst = Err(few),
            Err(_) => {}
        }
    }
    f.extend(worst.map(|score| (Metric::Qoo, score)));
}

/// "QoO 63, decided by p98 of its delay up": its score, where that is not full, and the worst part of it.
pub fn outcome_words(app: &Scores) -> Option<String> {
    let score = app.mean(Metric::Qoo).filter(|score| *score < 99.5)?;
    let parts = app.metrics.iter().filter_map(|(metric, summary)| match metric {
        Metric::Outcome(figure) => Some((*figure, summary.mean)),
        _ => None,
    });
    let worst = parts.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(format!("QoO {score:.0} of 100, decided by {}", worst.0.words()))
}
