// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of a cell's contentions, whole run: Starzetz 2006, 8.1 (collisions for each success, idle slots before
//! either), 8.2 (self-correlation), equation 7.1 over the winners.
//!
//! What it does not do: it counts nothing (`airtab_sim::wifi` does).

use airtab_sim::Trace;
use airtab_sim::wifi::WinnersTrace;

use crate::measure::{Figures, share};
use crate::metric::Metric;

/// Of J by the windows of [`WinnersTrace::WINDOWS`].
const JAIN: [Metric; WinnersTrace::WINDOWS.len()] = [
    Metric::WinnersJain1,
    Metric::WinnersJain2,
    Metric::WinnersJain5,
    Metric::WinnersJain10,
    Metric::WinnersJain20,
    Metric::WinnersJain50,
    Metric::WinnersJain100,
];

/// All that there are.
pub(crate) fn add(trace: &Trace, f: &mut Figures) {
    let of = &trace.ap.air.contention;
    let means = [
        (Metric::CollisionsPerSuccess, share(of.collisions, of.successes)),
        (Metric::IdleBeforeSuccess, share(of.slots_before_successes, of.successes)),
        (Metric::IdleBeforeCollision, share(of.slots_before_collisions, of.collisions)),
    ];
    f.extend(means.into_iter().filter_map(|(metric, x)| Some((metric, x?))));
    let Some(winners) = &trace.ap.winners else { return };
    let n = winners.contenders;
    let within = [
        (Metric::SelfCorrelation1, 1),
        (Metric::SelfCorrelationHalfN, n / 2),
        (Metric::SelfCorrelationN, n),
        (Metric::SelfCorrelation2N, 2 * n),
        (Metric::SelfCorrelation4N, 4 * n),
    ];
    let p_s = |wins: usize| winners.self_correlation.get(wins.checked_sub(1)?).copied();
    f.extend(within.into_iter().filter_map(|(metric, wins)| Some((metric, p_s(wins)?))));
    f.extend(JAIN.into_iter().zip(winners.jain).filter_map(|(metric, jain)| Some((metric, jain?))));
}
