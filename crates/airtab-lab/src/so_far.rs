// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison before its end, for whoever shows how it grows.
//!
//! What it does not do: it is no other comparison. With the last run it says what the comparison itself says.

use std::collections::BTreeMap;

use airtab_core::Params;
use airtab_scenario::Measured;
use airtab_sim::Scenario;

use crate::compare::{Comparison, comparison};
use crate::plan::{Budget, Job};

/// Somebody looks at a comparison on its way.
pub struct Watch<'a> {
    /// Processor time that its runs may take; what is over it stops them.
    pub budget: Option<&'a Budget>,
    /// Called after each run, on the thread that compares.
    pub each: &'a mut dyn FnMut(&SoFar),
}

/// What is there of a comparison.
pub struct SoFar<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) queues: &'a [(String, Params)],
    pub(crate) seeds: &'a [u64],
    pub(crate) short: bool,
    pub(crate) job: Job,
    /// By queue and place of the seed.
    pub(crate) runs: &'a BTreeMap<(usize, usize), Measured>,
}

impl SoFar<'_> {
    /// The last run.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Its figures.
    pub fn measured(&self) -> &Measured {
        &self.runs[&(self.job.queue, self.job.place)]
    }

    /// Whether every queue has its run with the last run's seed.
    pub fn is_whole_seed(&self) -> bool {
        self.has(self.job.place)
    }

    fn has(&self, place: usize) -> bool {
        (0..self.queues.len()).all(|queue| self.runs.contains_key(&(queue, place)))
    }

    /// The comparison of those seeds of which every queue has its run, in the order of the plan; None if there is none.
    pub fn comparison(&self) -> Option<Comparison> {
        let places: Vec<usize> = (0..self.seeds.len()).filter(|place| self.has(*place)).collect();
        let seeds: Vec<u64> = places.iter().map(|place| self.seeds[*place]).collect();
        let of = |queue| places.iter().map(move |place| self.runs[&(queue, *place)].clone());
        let runs = (0..self.queues.len()).flat_map(of).collect();
        (!seeds.is_empty()).then(|| comparison(self.scenario, self.queues, &seeds, self.short, runs))
    }
}
