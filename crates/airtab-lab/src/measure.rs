//! A run to figures: those of its trace (`airtab_scenario::measure`), and what
//! only a look into the run shows.
//!
//! What it does not do: nothing is averaged over runs here.

use airtab_core::Params;
use airtab_scenario::{Measured, Metric, measure};
use airtab_sim::Scenario;

use crate::credit;

/// Runs `scenario` once and measures it: all of [`measure`]'s, and what only a
/// look into the run shows (mean credits).
///
/// # Panics
/// As [`airtab_sim::run`] does.
pub fn run(scenario: &Scenario, params: &Params, seed: u64) -> Measured {
    let (trace, credits) = credit::run(scenario, params, seed);
    let mut measured = measure(scenario, &trace);
    for (f, credit) in measured.apps.iter_mut().zip(credits) {
        f.extend(credit.map(|x| (Metric::Credit, x)));
    }
    measured
}
