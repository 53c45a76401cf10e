// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Points x queues x seeds: what a comparison, an experiment and a sweep have in common.
//!
//! - [`Plan`]: how many there are of each, and what each [`Job`]'s run is known by
//! - [`execute()`]: every run that is not in the store yet, on some threads; runs are handed over as they end
//! - [`execute_rounds()`], [`Rounds`]: the same, where points get more seeds as long as they are found to need them
//! - [`execute_elsewhere()`]: the same with runs that others make
//! - [`Whole`]: puts runs together, point by point, in the order of the plan
//! - [`Brake`]: ends a run from inside it
//!
//! A comparison is a plan of one point; an experiment is one with checks.
//!
//! What it does not do: it knows no scenario ([`Work`] makes a run), no file, and no figure.

mod agenda;
mod brake;
mod elsewhere;
mod execute;
mod rounds;
mod whole;

use std::hash::Hasher;

use airtab_core::Params;
use siphasher::sip128::{Hasher128, SipHasher24};

pub use agenda::Round;
pub use brake::{Brake, Budget};
pub use elsewhere::{Afar, Back, Broken, Elsewhere, Order, execute_elsewhere};
pub use execute::{Halt, Pace, Step, Stopped, Work, execute, execute_rounds};
pub use rounds::Rounds;
pub use whole::Whole;

/// What a run is known by: a number for all that decides on its figures but the sources (`store`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunKey(pub u128);

/// What is run at a point under a queue, before there is a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell(u128);

impl Cell {
    /// `workload`: the number of what is run; a queue is known by its discipline and the values of all parameters.
    pub fn new(workload: u128, params: &Params) -> Cell {
        let mut hasher = SipHasher24::new();
        hasher.write_u128(workload);
        hasher.write(params.discipline().name().as_bytes());
        for param in params.discipline().params() {
            hasher.write(format!("{}{:?}", param.name, params.get(param.name)).as_bytes());
        }
        Cell(hasher.finish128().as_u128())
    }

    /// The run with that seed.
    pub(crate) fn run(self, seed: u64) -> RunKey {
        let mut hasher = SipHasher24::new();
        hasher.write_u128(self.0);
        hasher.write_u64(seed);
        RunKey(hasher.finish128().as_u128())
    }
}

/// One run of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The number of its point.
    pub point: usize,
    /// The number of its queue.
    pub queue: usize,
    /// The place of its seed among the plan's.
    pub place: usize,
    /// Its seed.
    pub seed: u64,
}

/// Points x queues x seeds.
#[derive(Clone, Debug)]
pub struct Plan {
    cells: Vec<Cell>,
    queues: usize,
    seeds: Vec<u64>,
    rounds: Rounds,
    part: Part,
    seeds_first: bool,
}

/// Which of a plan's runs are one machine's: so many machines, and the number of this one, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// From 0.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl Part {
    /// All of it.
    pub const WHOLE: Part = Part { number: 0, of: 1 };
}

impl Plan {
    /// `cells`: point by point one for each queue.
    ///
    /// # Panics
    /// If there is no queue or no seed, or cells are missing.
    pub fn new(cells: Vec<Cell>, queues: usize, seeds: Vec<u64>) -> Plan {
        assert!(!seeds.is_empty(), "at least one seed is needed");
        assert!(queues > 0 && cells.len().is_multiple_of(queues), "a cell for each point and queue");
        let rounds = Rounds::one(seeds.len());
        Plan { cells, queues, seeds, rounds, part: Part::WHOLE, seeds_first: false }
    }

    /// The same, of whose seeds a point has so many at first, and more if it needs them ([`execute_rounds()`]). One machine
    /// must know all seeds of a point then: only points are dealt.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn in_rounds(self, first: usize) -> Plan {
        assert!(
            (1..=self.seeds.len()).contains(&first),
            "a first round has seeds, but not more than there are"
        );
        Plan { rounds: Rounds { first, most: self.seeds.len() }, ..self }
    }

    /// The same, made seed by seed: all queues of a seed, then those of the next. Whoever looks at results before the end
    /// has whole seeds early.
    #[must_use]
    pub fn seed_by_seed(self) -> Plan {
        Plan { seeds_first: true, ..self }
    }

    /// The same, of which one machine makes a part: points are dealt in turn, or, where there are fewer of them than
    /// machines, points and seeds. Runs of equal point and seed stay together.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn part(self, part: Part) -> Plan {
        assert!(part.number < part.of, "parts are counted from 0");
        Plan { part, ..self }
    }

    /// Points, those of other machines too.
    pub fn points(&self) -> usize {
        self.cells.len() / self.queues
    }

    /// Queues of each point.
    pub fn queues(&self) -> usize {
        self.queues
    }

    /// Seeds, in their order: those that a point has at most.
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// How many of them a point has, round by round.
    pub fn rounds(&self) -> Rounds {
        self.rounds
    }

    /// Runs of the first round, those of other machines left out.
    pub fn total(&self) -> usize {
        if self.part == Part::WHOLE { self.all() } else { self.jobs().count() }
    }

    /// Runs of the first round, those of every machine.
    fn all(&self) -> usize {
        self.cells.len() * self.rounds.first
    }

    /// Runs of the first round in their order: point by point, queue by queue, seed by seed (or seed by seed, queue by
    /// queue: [`Plan::seed_by_seed`]); those of other machines left out.
    pub fn jobs(&self) -> impl Iterator<Item = Job> {
        (0..self.all()).filter_map(|number| self.job(number))
    }

    /// The run of that number, of the first round; None if it is another machine's.
    fn job(&self, number: usize) -> Option<Job> {
        let first = self.rounds.first;
        let (point, within) = (number / (first * self.queues), number % (first * self.queues));
        let (queue, place) = match self.seeds_first {
            true => (within % self.queues, within / self.queues),
            false => (within / first, within % first),
        };
        let job = self.at(point, queue, place);
        let dealt = match self.points() >= self.part.of || first < self.rounds.most {
            true => job.point,
            false => job.point * first + place,
        };
        (dealt % self.part.of == self.part.number).then_some(job)
    }

    /// What is run at a point: a cell for each queue.
    pub fn cells(&self, point: usize) -> &[Cell] {
        &self.cells[point * self.queues..][..self.queues]
    }

    fn at(&self, point: usize, queue: usize, place: usize) -> Job {
        Job { point, queue, place, seed: self.seeds[place] }
    }

    /// Runs of a further round: queue by queue, seed by seed.
    fn round(&self, round: Round) -> Vec<Job> {
        let places = |queue| (round.from..round.to).map(move |place| self.at(round.point, queue, place));
        (0..self.queues).flat_map(places).collect()
    }

    /// What a run is known by.
    pub fn key(&self, job: &Job) -> RunKey {
        self.cells(job.point)[job.queue].run(job.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(points: usize, seeds: u64) -> Plan {
        let cells = (0..2 * points as u128).map(Cell).collect();
        Plan::new(cells, 2, (1..=seeds).collect())
    }

    #[test]
    fn runs_go_seed_by_seed_queue_by_queue_point_by_point() {
        let jobs: Vec<_> = plan(2, 2).jobs().map(|j| (j.point, j.queue, j.seed)).collect();
        let first = [(0, 0, 1), (0, 0, 2), (0, 1, 1), (0, 1, 2), (1, 0, 1)];
        assert_eq!((jobs.len(), &jobs[..5]), (8, &first[..]));
        let mut keys: Vec<_> = plan(2, 2).jobs().map(|job| plan(2, 2).key(&job)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 8, "each has its own");
    }

    #[test]
    fn whole_seeds_may_come_early() {
        let jobs = plan(2, 2).seed_by_seed();
        let jobs: Vec<_> = jobs.jobs().map(|j| (j.point, j.queue, j.seed)).collect();
        let first = [(0, 0, 1), (0, 1, 1), (0, 0, 2), (0, 1, 2), (1, 0, 1)];
        assert_eq!((jobs.len(), &jobs[..5]), (8, &first[..]));
    }

    /// Where a point may get more seeds, one machine has all of it, even if others have nothing to do.
    #[test]
    fn rounds_are_one_machines() {
        let whole = plan(2, 8).in_rounds(2);
        let points = |number| {
            let jobs = whole.clone().part(Part { number, of: 3 });
            jobs.jobs().map(|job| (job.point, job.queue, job.seed)).collect::<Vec<_>>()
        };
        assert_eq!(points(0), [(0, 0, 1), (0, 0, 2), (0, 1, 1), (0, 1, 2)]);
        assert_eq!(points(1), [(1, 0, 1), (1, 0, 2), (1, 1, 1), (1, 1, 2)]);
        assert_eq!(points(2), []);
        let more = whole.round(Round { point: 1, from: 2, to: 4 });
        let more: Vec<_> = more.iter().map(|job| (job.point, job.queue, job.seed)).collect();
        assert_eq!(more, [(1, 0, 3), (1, 0, 4), (1, 1, 3), (1, 1, 4)]);
    }

    /// Every run is one machine's, with all queues of its point and seed.
    #[test]
    fn parts_are_disjoint_and_whole() {
        for (points, seeds, of) in [(7, 3, 3), (2, 3, 4), (1, 5, 5), (1, 2, 4), (5, 1, 5)] {
            let whole = plan(points, seeds);
            let mut dealt = Vec::new();
            for number in 0..of {
                let part = whole.clone().part(Part { number, of });
                let own: Vec<Job> = part.jobs().collect();
                assert_eq!(own.len(), part.total());
                for job in &own {
                    let beside = Job { queue: 1 - job.queue, ..*job };
                    assert!(own.contains(&beside), "{job:?} of part {number} of {of}");
                }
                dealt.extend(own);
            }
            dealt.sort_by_key(|job| (job.point, job.queue, job.place));
            assert_eq!(dealt, whole.jobs().collect::<Vec<_>>(), "{points} points, {seeds} seeds, {of} parts");
        }
        let part = plan(7, 3).part(Part { number: 2, of: 3 });
        assert!(part.jobs().all(|job| job.point % 3 == 2) && part.total() == 12, "points are dealt in turn");
    }

    /// With as many machines as points, each machine has one point with all its seeds.
    #[test]
    fn as_many_machines_as_points_have_a_point_each() {
        let own = |number| plan(3, 2).part(Part { number, of: 3 });
        for number in 0..3 {
            let points: Vec<usize> = own(number).jobs().map(|job| job.point).collect();
            assert_eq!(points, [number; 4]);
        }
        // Seeds of one point are dealt in turn, too: those of a part are whole for both queues.
        let part = plan(1, 5).part(Part { number: 1, of: 2 });
        let jobs: Vec<_> = part.jobs().map(|job| (job.queue, job.place, job.seed)).collect();
        assert_eq!(jobs, [(0, 1, 2), (0, 3, 4), (1, 1, 2), (1, 3, 4)]);
        assert_eq!((part.total(), part.points(), part.queues()), (4, 1, 2));
    }

    /// Equal parameters of another discipline, or of another workload, are other runs.
    #[test]
    fn cells_are_known_by_workload_and_discipline() {
        let params = |name| Params::new(airtab_core::Discipline::named(name).unwrap());
        let mut cells: Vec<Cell> =
            airtab_core::disciplines().map(|d| Cell::new(1, &Params::new(d))).collect();
        let all = cells.len();
        cells.extend([Cell::new(2, &params("fifo")), Cell::new(1 << 100 | 1, &params("fifo"))]);
        cells.sort_unstable_by_key(|cell| cell.0);
        cells.dedup();
        assert_eq!(cells.len(), all + 2);
        assert_eq!(Cell::new(1, &params("fifo")), Cell::new(1, &params("fifo")));
    }
}
