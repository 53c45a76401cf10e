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

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;
    use airtab_scenario::{Figures, Metric, ScenarioFile};

    use super::*;

    /// Two disciplines and three seeds; the goodput of a run is ten times its discipline and its seed.
    #[test]
    fn a_seed_counts_once_every_discipline_has_it() {
        let text = "duration = \"1s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"download\"\nstation = \"s\"\n";
        let scenario = ScenarioFile::parse("mine.toml", text).unwrap().scenario;
        let queues = ["fifo", "chap"].map(|q| (q.to_string(), Params::new(Discipline::named(q).unwrap())));
        let seeds = [7, 5, 9];
        let run = |queue: usize, place: usize| Measured {
            apps: vec![Figures::from([(Metric::Goodput, (10 * queue) as f64 + seeds[place] as f64)])],
            pages: vec![Vec::new()],
            seconds: vec![Vec::new()],
            ap: Figures::new(),
            nodes: Vec::new(),
        };
        let mut runs = BTreeMap::new();
        let mut seen = Vec::new();
        for (queue, place) in [(0, 1), (1, 2), (0, 2), (1, 1), (0, 0), (1, 0)] {
            runs.insert((queue, place), run(queue, place));
            let job = Job { point: 0, queue, place, seed: seeds[place] };
            let so_far =
                SoFar { scenario: &scenario, queues: &queues, seeds: &seeds, short: true, job, runs: &runs };
            assert_eq!(so_far.measured(), &run(queue, place));
            let c = so_far.comparison();
            assert!(c.as_ref().is_none_or(|c| c.short && c.queues.len() == 2));
            assert_eq!((so_far.job().queue, so_far.job().seed), (queue, seeds[place]));
            let values = |c: &Comparison, queue: &str| {
                let values = &c.get(queue, "a", Metric::Goodput).unwrap().values;
                values.iter().map(|x| x.unwrap()).collect::<Vec<_>>()
            };
            seen.push((
                so_far.is_whole_seed(),
                c.map(|c| (c.seeds.clone(), values(&c, "fifo"), values(&c, "chap"))),
            ));
        }
        assert_eq!(seen[..2], [(false, None), (false, None)]);
        assert_eq!(seen[2], (true, Some((vec![9], vec![9.0], vec![19.0]))));
        let both = Some((vec![5, 9], vec![5.0, 9.0], vec![15.0, 19.0]));
        assert_eq!(seen[3..5], [(true, both.clone()), (false, both)]);
        let all = (vec![7, 5, 9], vec![7.0, 5.0, 9.0], vec![17.0, 15.0, 19.0]);
        assert_eq!(seen[5], (true, Some(all)));
    }
}
