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

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;
    use airtab_scenario::ScenarioFile;
    use airtab_sim::watch;

    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_mean_is_of_what_is_known() {
        assert_eq!(mean([None, Some(2.0), Some(7.0), None].into_iter()), Some(4.5));
        assert_eq!(mean([Some(3.0), None].into_iter()), Some(3.0));
        assert_eq!(mean([None, None].into_iter()), None);
    }

    /// Each application by the samples of its own part, in which it is active; the limit by all of them, of each node by
    /// its own. Another probe tells them.
    #[test]
    fn means_of_tables_are_of_each_ones_own_part() {
        let text = "duration = \"3s\"\nmeasure = [\"500ms\", \"2600ms\"]\n[wifi]\nphy = \"std-11n\"\nedca = \"off\"\n[[station]]\nname = \"s\"\n\
                    [[app]]\nname = \"a\"\nkind = \"download\"\nstation = \"s\"\nstop = \"1500ms\"\n\
                    [[app]]\nname = \"b\"\nkind = \"download\"\nstation = \"s\"\nstart = \"1s\"\n\
                    [[app]]\nname = \"c\"\nkind = \"game\"\nstation = \"s\"\nmeasure = [\"700ms\", \"2900ms\"]\n";
        let scenario = ScenarioFile::parse("mine.toml", text).unwrap_or_else(|e| panic!("{e}")).scenario;
        for (queue, seed) in [("chap", 3), ("wqm", 4)] {
            let params = Params::new(Discipline::named(queue).unwrap());
            let columns = params.discipline().flow_columns();
            let quantities: Vec<Quantity> =
                columns.iter().copied().map(Quantity::Column).chain([Quantity::Limit]).collect();
            // From the first part's start to the last one's end.
            let mut probe = Probe::new(293_003_001, 500 * MS..2900 * MS, &quantities);
            watch(Simulation::new(&scenario, &params, seed), scenario.duration_ns, &mut [&mut probe]);
            let found = run(&scenario, &params, seed);
            let parts = [500..1500, 1000..2600, 700..2900];
            let near = |found: Option<f64>, values: Vec<f64>, what: &str| {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                assert_eq!(found.is_some(), !values.is_empty(), "{what}");
                assert!(
                    found.is_none_or(|x| (x - mean).abs() <= 1e-9 * mean.abs()),
                    "{what}: {found:?}, {values:?}"
                );
            };
            for (column, series) in columns.iter().zip(probe.series()) {
                for (app, part) in parts.iter().enumerate() {
                    let within = probe.at_ns().iter().zip(&series.values[app]);
                    let within =
                        within.filter(|(at, _)| part.contains(&(**at / MS)) || **at == part.start * MS);
                    let values = within.filter_map(|(_, value)| *value).collect();
                    let metric = Metric::of_column(column, Of::Mean);
                    near(
                        found.apps[app].get(&metric).copied(),
                        values,
                        &format!("{queue} {} of {app}", column.name),
                    );
                }
            }
            let limits = probe.series().last().unwrap().values[0].iter().copied().flatten().collect();
            near(found.ap.get(&Metric::LimitMean).copied(), limits, queue);
        }
    }

    /// The hash of a scenario covers all but its name.
    #[test]
    fn a_number_is_of_all_but_the_name() {
        let home = ScenarioFile::home().scenario;
        let named = Scenario { name: "other".into(), ..home.clone() };
        assert_eq!(number(&home), number(&named));
        let mut other = home.clone();
        other.apps[1].active_ns.end -= 1;
        assert_ne!(number(&home), number(&other));
        let later = Scenario { measure_ns: home.measure_ns.start..home.measure_ns.end + 1, ..home.clone() };
        assert_ne!(number(&home), number(&later));
    }
}
