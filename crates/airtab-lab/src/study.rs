// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison with everything that is shown of it: the first seed's run of each
//! discipline tells its story and fills its capture while it is measured. Nothing
//! is simulated twice.
//!
//! What it does not do: no files are made here, no page (`report`).

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Mutex;

use airtab_core::Params;
use airtab_scenario::{Measured, quick};
use airtab_sim::{Observer, Scenario};

use crate::capture::Watcher;
use crate::compare::{Comparison, Options, Stopped, comparison, runs, simulated};
use crate::flent::{Document, Plan};
use crate::measure::run_watched;
use crate::story::{Story, Teller};

/// A comparison, and what was seen of each discipline's run with the first seed.
pub struct Study {
    /// The comparison.
    pub comparison: Comparison,
    /// The story of each discipline, in their order.
    pub stories: Vec<Story>,
    /// How many frames each of the captures has, in their order.
    pub captured: Vec<io::Result<u64>>,
    /// The file for flent of each discipline, in their order, if there is a plan.
    pub documents: Vec<Document>,
}

/// Where a discipline's frames go.
pub struct Capture<'a> {
    /// Of which part of the run, ns.
    pub span: Range<u64>,
    /// The file.
    pub out: &'a mut (dyn Write + Send),
}

/// Compares, with the stories, captures and files for flent of the first seed's runs. `captures`:
/// one for each discipline, or none at all; `plan`: of the scenario as it is run, or none.
///
/// # Errors
/// [`Stopped`] as [`crate::compare()`]; captures are incomplete then.
///
/// # Panics
/// As [`crate::compare()`] does.
pub fn study(
    scenario: &Scenario,
    queues: &[(String, Params)],
    options: &Options,
    captures: Vec<Capture>,
    plan: Option<&Plan>,
) -> Result<Study, Stopped> {
    let scenario = &if options.quick { quick(scenario) } else { scenario.clone() };
    // One run alone takes each.
    let captures: Vec<Mutex<Capture>> = captures.into_iter().map(Mutex::new).collect();
    let run = |queue: usize, seed: usize| {
        let (label, params) = &queues[queue];
        let number = options.seeds[seed];
        if seed > 0 {
            let (measured, _) = run_watched(scenario, scenario, params, number, &mut []);
            return Run { measured, story: None, captured: None, document: None };
        }
        let mut capture = captures.get(queue).map(|capture| capture.lock().expect("nobody panics with it"));
        let mut watcher = capture.as_deref_mut().map(|capture| {
            let Capture { span, out } = capture;
            Watcher::new(scenario, label, number, span, *out)
        });
        let mut teller = Teller::new(scenario, params);
        let mut observers: Vec<&mut dyn Observer> = teller.observers().into();
        if let Some(Ok(watcher)) = &mut watcher {
            observers.push(watcher);
        }
        let run = plan.map_or(scenario, Plan::scenario);
        let (measured, trace) = run_watched(scenario, run, params, number, &mut observers);
        Run {
            measured,
            story: Some(teller.tell(label, number, &trace)),
            captured: watcher.map(|watcher| watcher.and_then(|watcher| watcher.written)),
            document: plan.map(|plan| simulated(plan, &trace, label, number)),
        }
    };
    let mut all: Vec<Run> = runs(queues.len(), options, &run)?;
    let stories = all.iter_mut().filter_map(|run| run.story.take()).collect();
    let captured = all.iter_mut().filter_map(|run| run.captured.take()).collect();
    let documents = all.iter_mut().filter_map(|run| run.document.take()).collect();
    let measured = all.into_iter().map(|run| run.measured).collect();
    let comparison = comparison(scenario, queues, options.seeds, options.quick, measured);
    Ok(Study { comparison, stories, captured, documents })
}

/// What is left of a run.
struct Run {
    measured: Measured,
    /// Of the first seed's alone.
    story: Option<Story>,
    captured: Option<io::Result<u64>>,
    document: Option<Document>,
}
