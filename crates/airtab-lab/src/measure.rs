// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A run to figures: those of its trace (`airtab_scenario::measure`), and means of
//! what the discipline's table says of the applications' flows, which only looks
//! into the run show.
//!
//! What it does not do: nothing is averaged over runs here.

use std::hash::Hasher;
use std::ops::Range;

use airtab_core::Params;
use airtab_scenario::{Figures, Measured, Metric, Of, measure};
use airtab_sim::{Observer, Probe, Quantity, Scenario, Simulation, Trace, watch_or_end};
use siphasher::sip128::{Hasher128, SipHasher24};

/// Time between two samples of a mean, ns: shares no beat with what recurs in a
/// home (beacons every 100 ms, frames of a video every 33.3 ms).
const STEP_NS: u64 = 293_003_001;

/// Runs `scenario` once and measures it: all of [`measure`]'s, and for each
/// application the mean of its flows' columns over its measured part, while it
/// was active.
///
/// # Panics
/// As [`airtab_sim::run`] does.
pub fn run(scenario: &Scenario, params: &Params, seed: u64) -> Measured {
    run_watched(scenario, scenario, params, seed, &mut []).expect("nobody ends it").0
}

/// A number for everything that a scenario says but its name, which no figure depends on.
pub(crate) fn number(scenario: &Scenario) -> u128 {
    text_number(&format!("{:?}", Scenario { name: String::new(), ..scenario.clone() }))
}

/// A number for a text.
pub(crate) fn text_number(text: &str) -> u128 {
    let mut hasher = SipHasher24::new();
    hasher.write(text.as_bytes());
    hasher.finish128().as_u128()
}

/// The same run with other observers in it; its trace, too; None if one of them ended it. `run` is the scenario, perhaps with more windows at the end,
/// of which the trace alone tells.
pub(crate) fn run_watched(
    scenario: &Scenario,
    run: &Scenario,
    params: &Params,
    seed: u64,
    others: &mut [&mut dyn Observer],
) -> Option<(Measured, Trace)> {
    let parts: Vec<Range<u64>> = scenario
        .apps
        .iter()
        .map(|app| {
            let part = app.measured(scenario);
            part.start.max(app.active_ns.start)..part.end.min(app.active_ns.end)
        })
        .collect();
    let from = parts.iter().map(|p| p.start).min().unwrap_or(0);
    let to = parts.iter().map(|p| p.end).max().unwrap_or(0);
    let columns = params.discipline().flow_columns();
    let quantities = columns.iter().copied().map(Quantity::Column).chain([Quantity::Limit]);
    let quantities: Vec<Quantity> = quantities.collect();
    let mut probe = Probe::new(STEP_NS, from..to, &quantities);
    let mut observers: Vec<&mut dyn Observer> = vec![&mut probe];
    observers.extend(others.iter_mut().map(|other| &mut **other as &mut dyn Observer));
    let trace = watch_or_end(Simulation::new(run, params, seed), scenario.duration_ns, &mut observers)?;
    let mut measured = measure(scenario, &trace);
    for (column, series) in columns.iter().zip(probe.series()) {
        let metric = Metric::of_column(column, Of::Mean);
        for ((figures, part), values) in measured.apps.iter_mut().zip(&parts).zip(&series.values) {
            let within = probe.at_ns().iter().zip(values).filter(|(at, _)| part.contains(at));
            figures.extend(mean(within.map(|(_, value)| *value)).map(|mean| (metric, mean)));
        }
    }
    let limits = probe.series().last().map_or(&[][..], |limits| &limits.values);
    // Of an access point with a queue for each category it would be one of them.
    let ap = if limits.len() == 1 { Some(&mut measured.ap) } else { None };
    let nodes = measured.nodes.iter_mut().map(|(_, figures)| figures);
    let owners: Vec<&mut Figures> =
        if scenario.medium.mesh().is_some() { nodes.collect() } else { ap.into_iter().collect() };
    for (figures, values) in owners.into_iter().zip(limits) {
        figures.extend(mean(values.iter().copied()).map(|mean| (Metric::LimitMean, mean)));
    }
    Some((measured, trace))
}

/// Of those that there are.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, n) = values.flatten().fold((0.0, 0u32), |(sum, n), x| (sum + x, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}
