//! The credit that applications have, of disciplines that know one: at a time,
//! and on the mean over a run.
//!
//! The mean is over samples taken while the run is under way. Looking changes
//! nothing (`airtab_sim::Simulation::rows`), so a sampled run is the same run.
//!
//! What it does not do: no course over time (`story`).

use airtab_core::{Params, Unit};
use airtab_sim::{Rows, Scenario, Simulation, Trace};

/// Time between two samples of a mean, ns: shares no beat with what recurs in a
/// home (beacons every 100 ms, frames of a video every 33.3 ms).
const STEP_NS: u64 = 293_003_001;

/// Whether the discipline of a run has credits.
pub(crate) fn has_credits(rows: &Rows) -> bool {
    rows.columns.iter().any(|c| c.name == "credit" && c.unit == Unit::SignedNs)
}

/// Mean credit of some flows, s; None while none of them is known.
pub(crate) fn mean(rows: &Rows, flows: impl Iterator<Item = u32>) -> Option<f64> {
    let known: Vec<(u64, i64)> = rows.column("flow")?.zip(rows.column("credit")?.map(|c| c as i64)).collect();
    let credit = |flow: u32| known.iter().find(|(f, _)| *f == u64::from(flow)).map(|(_, credit)| *credit);
    let credits: Vec<i64> = flows.filter_map(credit).collect();
    let sum: i64 = credits.iter().sum();
    (!credits.is_empty()).then(|| sum as f64 * 1e-9 / credits.len() as f64)
}

/// Runs `scenario` once: its trace, and for each application the mean credit of
/// its flows over its measured part while it was active, s; None without credits.
///
/// # Panics
/// As [`airtab_sim::run`] does.
pub(crate) fn run(scenario: &Scenario, params: &Params, seed: u64) -> (Trace, Vec<Option<f64>>) {
    let mut simulation = Simulation::new(scenario, params, seed);
    let apps = &scenario.apps;
    // Sum and number of the samples of each.
    let mut samples = vec![(0.0, 0u32); apps.len()];
    if has_credits(&simulation.rows()) {
        let parts = apps.iter().map(|app| {
            let part = app.measured(scenario);
            part.start.max(app.active_ns.start)..part.end.min(app.active_ns.end)
        });
        let parts: Vec<_> = parts.collect();
        let from = parts.iter().map(|p| p.start).min().unwrap_or(0);
        let to = parts.iter().map(|p| p.end).max().unwrap_or(0);
        for now in (from..to).step_by(STEP_NS as usize) {
            simulation.advance(now);
            let rows = simulation.rows();
            for (i, _) in parts.iter().enumerate().filter(|(_, part)| part.contains(&now)) {
                if let Some(credit) = mean(&rows, simulation.flows(i)) {
                    samples[i].0 += credit;
                    samples[i].1 += 1;
                }
            }
        }
    }
    simulation.advance(scenario.duration_ns);
    let means = samples.into_iter().map(|(sum, n)| (n > 0).then(|| sum / f64::from(n)));
    (simulation.finish(), means.collect())
}

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;

    use super::*;
    use airtab_scenario::ScenarioFile;

    /// The rows of a discipline, with these in their place: flow, credit.
    fn rows(discipline: &str, known: &[(u64, i64)]) -> Rows {
        let params = Params::new(Discipline::named(discipline).unwrap());
        let mut rows = Simulation::new(&ScenarioFile::home().scenario, &params, 1).rows();
        let column = |name: &str| rows.columns.iter().position(|c| c.name == name);
        let (flow, credit) = (column("flow"), column("credit"));
        let row = |(f, c): &(u64, i64)| {
            let mut row = vec![0; rows.columns.len()];
            flow.into_iter().for_each(|i| row[i] = *f);
            credit.into_iter().for_each(|i| row[i] = *c as u64);
            row
        };
        rows.rows = known.iter().map(row).collect();
        rows
    }

    #[test]
    fn a_mean_is_of_the_flows_that_are_known() {
        let rows = rows("chap", &[(7, 30_000_000), (8, -10_000_000), (9, 5_000_000)]);
        assert!(has_credits(&rows));
        // (30 - 10) / 2 = 10 ms; a flow that is not known has no credit, not 0.
        assert_eq!(mean(&rows, [7, 8].into_iter()), Some(0.010));
        assert_eq!(mean(&rows, [7, 8, 1].into_iter()), Some(0.010));
        assert_eq!(mean(&rows, [8].into_iter()), Some(-0.010));
        assert_eq!(mean(&rows, [1, 2].into_iter()), None);
        assert_eq!(mean(&rows, [].into_iter()), None);
    }

    #[test]
    fn other_disciplines_have_none() {
        for other in ["fifo", "fq_codel", "spq"] {
            let rows = rows(other, &[(7, 30_000_000)]);
            assert!(!has_credits(&rows) && mean(&rows, [7].into_iter()).is_none(), "{other}");
        }
    }
}
