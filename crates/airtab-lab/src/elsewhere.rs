// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison whose runs others make.
//!
//! What it does not do: no stories, captures or files for flent, which are made where the run is.

use std::path::Path;

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
    (file, text): (&Path, &str),
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use airtab_core::Discipline;
    use airtab_scenario::{Metric, ScenarioFile};

    use super::*;
    use crate::plan::{Back, Order, Step};
    use crate::store::NoStore;
    use crate::{compare, make};

    const TEXT: &str = r#"
        name = "few"
        duration = "2s"
        measure = ["500ms", "2s"]
        station = [{ name = "s" }]
        app = [{ name = "a", kind = "ping", station = "s", interval = "7ms" }]
    "#;

    /// Makes all orders at once.
    #[derive(Default)]
    struct Crew(Mutex<usize>);

    impl Elsewhere for Crew {
        fn exchange(&self, orders: Vec<Order>) -> Result<Back, Broken> {
            *self.0.lock().unwrap() += orders.len();
            let orders: Vec<(&[u8], &str)> = orders.iter().map(|o| (&*o.study, o.run.as_str())).collect();
            let packs = make(&orders, &AtomicBool::new(false))?.into_iter().collect();
            Ok(Back { packs, room: 3 })
        }
    }

    /// By the whole schedule and by the short one: the results are those of runs that are made here.
    #[test]
    fn runs_of_others_are_compared_as_own_ones() {
        let scenario = ScenarioFile::parse("few.toml", TEXT).unwrap().scenario;
        let of = |name: &str, label: &str| {
            let mut params = Params::new(Discipline::named(name).unwrap());
            params.set("limit", "17").unwrap();
            (label.to_string(), params)
        };
        let queues = [of("chap", "chap:limit=17"), of("fifo", "fifo:limit=17")];
        let stop = AtomicBool::new(false);
        let options =
            Options { seeds: &[5, 3], short: true, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
        for short in [false, true] {
            let steps = Mutex::new(Vec::new());
            let progress = |step: Step| steps.lock().unwrap().push((step.done, step.stored));
            let options = Options { short, progress: &progress, ..options };
            let crew = Crew::default();
            let there = compare_elsewhere((Path::new("few.toml"), TEXT), &scenario, &queues, &options, &crew)
                .unwrap();
            assert_eq!(*steps.lock().unwrap(), [1, 2, 3, 4].map(|done| (done, false)));
            assert_eq!(crew.0.into_inner().unwrap(), 4);
            assert_eq!(there, compare(&scenario, &queues, &options).unwrap());
            let whole_ns = 2_000_000_000;
            assert_eq!(
                (there.short, there.duration_ns),
                (short, if short { whole_ns / 10 } else { whole_ns })
            );
            assert!(there.mean("fifo:limit=17", "a", Metric::Ping).is_some());
        }
        stop.store(true, Ordering::Relaxed);
        match compare_elsewhere((Path::new("few.toml"), TEXT), &scenario, &queues, &options, &Crew::default())
        {
            Err(Failure::Stopped(stopped)) => assert_eq!(stopped, Stopped { done: 0, total: 4 }),
            other => panic!("{other:?}"),
        }
    }
}
