// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs to points: as runs end in any order, and what is made of them is about all runs of a point.
//!
//! What it does not do: nothing is averaged (`compare`).

use std::collections::BTreeMap;

use airtab_scenario::Measured;

use super::{Job, Plan};

/// Points on their way. A run is kept until its point, and those before it, have theirs.
pub struct Whole<'a> {
    plan: &'a Plan,
    /// The first point that is not whole.
    next: usize,
    /// Runs by their places, of points that have some of them, and how many are missing.
    begun: BTreeMap<usize, (Vec<Option<Measured>>, usize)>,
}

impl<'a> Whole<'a> {
    /// Without any.
    pub fn new(plan: &'a Plan) -> Whole<'a> {
        Whole { plan, next: 0, begun: BTreeMap::new() }
    }

    /// Takes a run; hands over what is whole now, in the order of the plan: the number of a point, and its runs queue by
    /// queue, seed by seed.
    pub fn add(&mut self, job: &Job, measured: Measured, mut each: impl FnMut(usize, Vec<Measured>)) {
        let of_point = self.plan.of_point();
        let (runs, missing) = self.begun.entry(job.point).or_insert_with(|| (vec![None; of_point], of_point));
        if runs[self.plan.within(job)].replace(measured).is_none() {
            *missing -= 1;
        }
        while self.begun.get(&self.next).is_some_and(|(_, missing)| *missing == 0) {
            let (runs, _) = self.begun.remove(&self.next).expect("seen above");
            each(self.next, runs.into_iter().flatten().collect());
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cell;
    use super::*;

    #[test]
    fn points_come_whole_and_in_order() {
        let plan = Plan::new((0..3).map(Cell).collect(), 1, vec![7, 9]);
        let run = |n: usize| Measured {
            apps: vec![Default::default(); n],
            pages: Vec::new(),
            seconds: Vec::new(),
            ap: Default::default(),
            nodes: Vec::new(),
        };
        let jobs: Vec<Job> = plan.jobs().collect();
        let (mut whole, mut seen) = (Whole::new(&plan), Vec::new());
        for i in [3, 5, 2, 1, 0, 4] {
            whole.add(&jobs[i], run(i), |point, runs| {
                seen.push((i, point, runs.iter().map(|run| run.apps.len()).collect::<Vec<_>>()));
            });
        }
        assert_eq!(seen, [(0, 0, vec![0, 1]), (0, 1, vec![2, 3]), (4, 2, vec![4, 5])]);
    }
}
