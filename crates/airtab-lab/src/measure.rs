// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of a run. Most are those of its trace (`airtab_scenario::measure`); means of the discipline's table over
//! the applications' flows, and its own statistics, come from looks into the run.
//!
//! What it does not do: nothing is averaged over runs here.

use std::hash::Hasher;
use std::ops::Range;

use airtab_core::Params;
use airtab_scenario::{Measured, Metric, Of, measure};
use airtab_sim::{NEVER, Observer, Probe, Quantity, Scenario, Simulation, Trace, watch_or_end};
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
    let own = OWN_MEANS.map(|(quantity, _)| quantity);
    let quantities: Vec<Quantity> = columns.iter().copied().map(Quantity::Column).chain(own).collect();
    let mut probe = Probe::new(STEP_NS, from..to, &quantities);
    let mut counters = Counters::new(&scenario.measure_ns);
    let mut observers: Vec<&mut dyn Observer> = vec![&mut probe, &mut counters];
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
    for ((_, metric), series) in OWN_MEANS.iter().zip(&probe.series()[columns.len()..]) {
        // Of an access point with a queue for each category it would be one of them.
        let one = series.values.len() == 1 || scenario.medium.mesh().is_some();
        let means = series.values.iter().map(|values| mean(values.iter().copied()).filter(|_| one));
        add(&mut measured, scenario, *metric, means.collect());
    }
    for (metric, counts) in counters.counts() {
        add(&mut measured, scenario, metric, counts);
    }
    Some((measured, trace))
}

/// Statistics of a discipline whose means are figures of the access point, or of each node of a mesh.
const OWN_MEANS: [(Quantity, Metric); 2] =
    [(Quantity::Limit, Metric::LimitMean), (Quantity::Average, Metric::AverageMean)];

/// Statistics of a discipline that count, by name, and the figure of each.
const OWN_COUNTS: [(&str, Metric); 2] =
    [("early_drops", Metric::EarlyDrops), ("forced_drops", Metric::ForcedDrops)];

/// Adds a figure to each node of a mesh, else to the access point: the sum over its queues.
fn add(measured: &mut Measured, scenario: &Scenario, metric: Metric, of_queues: Vec<Option<f64>>) {
    if scenario.medium.mesh().is_some() {
        for ((_, figures), value) in measured.nodes.iter_mut().zip(of_queues) {
            figures.extend(value.map(|value| (metric, value)));
        }
    } else {
        let sum = of_queues.into_iter().flatten().reduce(|a, b| a + b);
        measured.ap.extend(sum.map(|value| (metric, value)));
    }
}

/// Reads the counts of [`OWN_COUNTS`] at the start and the end of the measured time.
struct Counters {
    /// Times of reading, ns.
    times: [u64; 2],
    /// One value for each queue, at each time that has passed, of each statistic.
    read: Vec<[Vec<Option<f64>>; OWN_COUNTS.len()]>,
}

impl Counters {
    fn new(measured: &Range<u64>) -> Counters {
        Counters { times: [measured.start, measured.end], read: Vec::new() }
    }

    /// Each figure and what was counted in the measured time, queue by queue.
    fn counts(&self) -> Vec<(Metric, Vec<Option<f64>>)> {
        let [from, to] = self.read.as_slice() else { return Vec::new() };
        let difference = |(a, b): (&Option<f64>, &Option<f64>)| Some(b.as_ref()? - a.as_ref()?);
        OWN_COUNTS
            .iter()
            .zip(from.iter().zip(to))
            .map(|((_, metric), (from, to))| (*metric, from.iter().zip(to).map(difference).collect()))
            .collect()
    }
}

impl Observer for Counters {
    fn next_at(&self) -> u64 {
        self.times.get(self.read.len()).copied().unwrap_or(NEVER)
    }

    fn look(&mut self, _: u64, simulation: &mut Simulation) {
        self.read.push(OWN_COUNTS.map(|(name, _)| simulation.stat(name)));
    }
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
        for (queue, seed) in [("chap", 3), ("wqm", 4), ("red", 5), ("fred", 6)] {
            let params = Params::new(Discipline::named(queue).unwrap());
            let columns = params.discipline().flow_columns();
            let own = [Quantity::Limit, Quantity::Average];
            let quantities: Vec<Quantity> =
                columns.iter().copied().map(Quantity::Column).chain(own).collect();
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
            for (series, metric) in
                probe.series()[columns.len()..].iter().zip([Metric::LimitMean, Metric::AverageMean])
            {
                let values = series.values[0].iter().copied().flatten().collect();
                near(found.ap.get(&metric).copied(), values, &format!("{queue} {metric:?}"));
            }
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
