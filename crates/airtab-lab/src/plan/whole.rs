// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs to points: as runs end in any order, and what is made of them is about all runs of a point.
//!
//! What it does not do: nothing is averaged (`compare`), and how many seeds a point needs is not found here.

use std::collections::BTreeMap;
use std::collections::btree_map::Values;

use airtab_scenario::Measured;

use super::{Job, Plan, Round};

/// Points on their way. A run is kept until its point, and those before it, have theirs.
pub struct Whole<'a> {
    plan: &'a Plan,
    /// The first point that was not handed over.
    next: usize,
    /// Points that have some of their runs.
    begun: BTreeMap<usize, Begun>,
}

/// Of one point.
struct Begun {
    /// Seeds of its last round.
    seeds: usize,
    /// By queue and place of the seed.
    runs: BTreeMap<(usize, usize), Measured>,
}

impl Begun {
    fn is_whole(&self, plan: &Plan) -> bool {
        self.runs.len() == plan.queues() * self.seeds
    }
}

impl<'a> Whole<'a> {
    /// Without any.
    pub fn new(plan: &'a Plan) -> Whole<'a> {
        Whole { plan, next: 0, begun: BTreeMap::new() }
    }

    /// Takes a run. Where its round is whole by it: the runs of the point, queue by queue, seed by seed.
    pub fn add(&mut self, job: &Job, measured: Measured) -> Option<Values<'_, (usize, usize), Measured>> {
        let first = || Begun { seeds: self.plan.rounds().first, runs: BTreeMap::new() };
        let begun = self.begun.entry(job.point).or_insert_with(first);
        begun.runs.insert((job.queue, job.place), measured);
        begun.is_whole(self.plan).then(|| begun.runs.values())
    }

    /// What is there of a point that was not handed over: runs by queue and place of the seed.
    pub fn so_far(&self, point: usize) -> Option<&BTreeMap<(usize, usize), Measured>> {
        self.begun.get(&point).map(|begun| &begun.runs)
    }

    /// A point that has a whole round needs another one; None if it had its last.
    pub fn again(&mut self, point: usize) -> Option<Round> {
        let begun = self.begun.get_mut(&point)?;
        let (from, to) = (begun.seeds, self.plan.rounds().after(begun.seeds)?);
        begun.seeds = to;
        Some(Round { point, from, to })
    }

    /// Hands over what is whole now, in the order of the plan: the number of a point, and its runs queue by queue, seed by
    /// seed.
    pub fn hand_over(&mut self, mut each: impl FnMut(usize, Vec<Measured>)) {
        while let Some(begun) = self.begun.first_entry()
            && *begun.key() == self.next
            && begun.get().is_whole(self.plan)
        {
            each(self.next, begun.remove().runs.into_values().collect());
            self.next += 1;
        }
    }

    /// Forgets a point if it is whole: nobody wants it handed over.
    pub fn forget_if_whole(&mut self, point: usize) {
        if self.begun.get(&point).is_some_and(|begun| begun.is_whole(self.plan)) {
            self.begun.remove(&point);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cell;
    use super::*;

    fn run(n: usize) -> Measured {
        Measured {
            apps: vec![Default::default(); n],
            pages: Vec::new(),
            seconds: Vec::new(),
            ap: Default::default(),
            nodes: Vec::new(),
        }
    }

    #[test]
    fn points_come_whole_and_in_order() {
        let plan = Plan::new((0..3).map(Cell).collect(), 1, vec![7, 9]);
        let jobs: Vec<Job> = plan.jobs().collect();
        let (mut whole, mut seen) = (Whole::new(&plan), Vec::new());
        for i in [3, 5, 2, 1, 0, 4] {
            whole.add(&jobs[i], run(i));
            whole.hand_over(|point, runs| {
                seen.push((i, point, runs.iter().map(|run| run.apps.len()).collect::<Vec<_>>()));
            });
        }
        assert_eq!(seen, [(0, 0, vec![0, 1]), (0, 1, vec![2, 3]), (4, 2, vec![4, 5])]);
    }

    /// Two queues; the second round comes in any order, too.
    #[test]
    fn a_point_with_another_round_comes_when_that_is_whole() {
        let plan = Plan::new((0..2).map(Cell).collect(), 2, vec![5, 6, 7]).in_rounds(1);
        let mut whole = Whole::new(&plan);
        let job = |queue, place| Job { point: 0, queue, place, seed: 5 + place as u64 };
        assert!(whole.add(&job(1, 0), run(10)).is_none());
        let runs = whole.add(&job(0, 0), run(0)).expect("a whole round");
        assert_eq!(runs.map(|run| run.apps.len()).collect::<Vec<_>>(), [0, 10]);
        assert_eq!(whole.again(0), Some(Round { point: 0, from: 1, to: 2 }));
        whole.hand_over(|_, _| panic!("it is not whole"));
        whole.add(&job(0, 1), run(1));
        assert!(whole.add(&job(1, 1), run(11)).is_some());
        assert_eq!(whole.again(0), Some(Round { point: 0, from: 2, to: 3 }));
        whole.add(&job(1, 2), run(12));
        assert!(whole.add(&job(0, 2), run(2)).is_some());
        assert_eq!(whole.again(0), None, "that was the last");
        let mut seen = Vec::new();
        whole.hand_over(|point, runs| {
            seen.push((point, runs.iter().map(|run| run.apps.len()).collect::<Vec<_>>()));
        });
        assert_eq!(seen, [(0, vec![0, 1, 2, 10, 11, 12])]);
    }

    #[test]
    fn a_point_is_forgotten_once_it_is_whole() {
        let plan = Plan::new((0..2).map(Cell).collect(), 1, vec![5, 6]);
        let mut whole = Whole::new(&plan);
        let job = |point, place| Job { point, queue: 0, place, seed: 5 + place as u64 };
        let had =
            |whole: &Whole, point| whole.so_far(point).map(|runs| runs.keys().copied().collect::<Vec<_>>());
        whole.add(&job(1, 1), run(3));
        whole.forget_if_whole(1);
        assert_eq!((had(&whole, 0), had(&whole, 1)), (None, Some(vec![(0, 1)])), "one of two seeds");
        let runs = whole.add(&job(1, 0), run(2)).expect("it is whole now");
        assert_eq!(runs.map(|run| run.apps.len()).collect::<Vec<_>>(), [2, 3]);
        whole.forget_if_whole(0);
        assert!(had(&whole, 1).is_some(), "another one");
        whole.forget_if_whole(1);
        assert_eq!(had(&whole, 1), None);
        assert_eq!(whole.again(1), None, "of a point that is not there");
    }
}
