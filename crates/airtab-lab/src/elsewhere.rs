// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison whose runs others make.
//!
//! What it does not do: no stories, captures or files for flent, which are made where the run is.

use airtab_core::Params;
use airtab_scenario::{FileError, short};
use airtab_sim::Scenario;

use crate::compare::{Comparison, Options, comparison, needed};
use crate::experiment::Kind;
use crate::measure;
use crate::order::{NoOrder, Study, order};
use crate::plan::{Afar, Broken, Cell, Elsewhere, Halt, Job, Plan, Stopped, Whole, execute_elsewhere};

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It was stopped; what came back is stored, as far as the store keeps it.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A file that the scenario names is gone, or wrong, since it was read.
    #[error(transparent)]
    Wrong(#[from] FileError),
    /// There is nobody who makes runs, or what came back cannot be used.
    #[error(transparent)]
    Elsewhere(#[from] Broken),
}

impl From<NoOrder> for Failure {
    fn from(e: NoOrder) -> Failure {
        match e {
            NoOrder::Wrong(e) => Failure::Wrong(e),
            NoOrder::Large(e) => Failure::Elsewhere(e),
        }
    }
}

/// As [`crate::compare()`], with runs of others; `file` is the scenario's name and text. `options.jobs` is theirs to say.
///
/// # Errors
/// [`Failure`].
///
/// # Panics
/// As [`crate::compare()`] does.
pub fn compare_elsewhere(
    (file, text): (&str, &str),
    scenario: &Scenario,
    queues: &[(String, Params)],
    options: &Options,
    elsewhere: &dyn Elsewhere,
) -> Result<Comparison, Failure> {
    let scenario = &if options.short { short(scenario) } else { scenario.clone() };
    let number = measure::number(scenario);
    let cells = queues.iter().map(|(_, params)| Cell::new(number, params)).collect();
    let plan = Plan::new(cells, queues.len(), options.seeds.to_vec());
    let study = Study::new(Kind::Home, file, text, options.short).map_err(Failure::from)?.sent();
    let mut put_down =
        |job: &Job| Ok::<_, Failure>(order(&study, &queues[job.queue].0, job.seed, plan.key(job)));
    let afar = Afar { elsewhere, stop: options.stop, progress: options.progress };
    let (mut whole, mut runs) = (Whole::new(&plan), Vec::new());
    execute_elsewhere(&plan, &mut put_down, options.store, &afar, &mut |job, measured| {
        whole.add(&job, needed(measured));
        whole.hand_over(|_, all| runs = all);
        Ok(None)
    })
    .map_err(|halt| match halt {
        Halt::Stopped(stopped) => stopped.into(),
        Halt::Failed(e) => e,
    })?;
    Ok(comparison(scenario, queues, options.seeds, options.short, runs))
}
