// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The loop over runs that others make, such as the workers of a cluster. What comes out is what [`super::execute`] gives:
//! it depends neither on who makes a run, nor on when it comes.
//!
//! An [`Order`] has all that decides on a run, so that whoever makes it needs no file of this machine. What comes back is
//! packs of runs, in the form of the store.
//!
//! What it does not do: it knows no cluster ([`Elsewhere`] does), and what is in an order is `crate::order`'s.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_scenario::Measured;

use super::agenda::{Agenda, Round};
use super::execute::{Halt, Step, Stopped};
use super::{Job, Plan, RunKey};
use crate::store::{Store, unpacked};

/// A run that is to be made elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// What is run; equal for many orders.
    pub study: Arc<[u8]>,
    /// Under which queue, with which seed, and what it is known by.
    pub run: String,
}

/// What came back.
#[derive(Debug, Default)]
pub struct Back {
    /// Packs of runs that have ended since.
    pub packs: Vec<Vec<u8>>,
    /// How many more orders are wanted now; above 0 where none is under way.
    pub room: usize,
}

/// Runs cannot be made elsewhere; the words say why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// Makes runs, on other machines say.
pub trait Elsewhere: Sync {
    /// Takes orders, and gives what has ended since. Where nothing has, it waits for a moment: a stop must be seen
    /// within 0.1 s.
    ///
    /// # Errors
    /// Why there will be no more.
    fn exchange(&self, orders: Vec<Order>) -> Result<Back, Broken>;
}

/// How to go through a plan with runs of others.
#[derive(Clone, Copy)]
pub struct Afar<'a> {
    /// Who makes runs.
    pub elsewhere: &'a dyn Elsewhere,
    /// Set by anybody at any time: no run is waited for any more.
    pub stop: &'a AtomicBool,
    /// Called after each run.
    pub progress: &'a (dyn Fn(Step) + Sync),
}

/// As [`super::execute_rounds`], with runs of others; `order` puts down what is to be run.
///
/// # Errors
/// [`Halt`]; what came back is stored, as far as the store takes it.
pub fn execute_elsewhere<E: From<Broken>>(
    plan: &Plan,
    order: &mut dyn FnMut(&Job) -> Result<Order, E>,
    store: &dyn Store,
    afar: &Afar,
    each: &mut dyn FnMut(Job, Measured) -> Result<Option<Round>, E>,
) -> Result<usize, Halt<E>> {
    let agenda = Agenda::new(plan);
    let (mut done, mut room) = (0, 0);
    // Several jobs may be the same run.
    let mut open: HashMap<RunKey, Vec<Job>> = HashMap::new();
    let mut hand_over = |job: Job, measured: Measured, stored: bool| {
        done += 1;
        (afar.progress)(Step { job, done, stored });
        agenda.led_to(each(job, measured)?);
        Ok::<_, E>(())
    };
    loop {
        let mut orders = Vec::new();
        while orders.len() < room
            && !afar.stop.load(Ordering::Relaxed)
            && let Some(job) = agenda.next_now()
        {
            let run = plan.key(&job);
            if let Some(measured) = store.get(run) {
                hand_over(job, measured, true).map_err(Halt::Failed)?;
                continue;
            }
            let same = open.entry(run).or_default();
            same.push(job);
            if same.len() == 1 {
                orders.push(order(&job).map_err(Halt::Failed)?);
            }
        }
        if afar.stop.load(Ordering::Relaxed) {
            return Err(Halt::Stopped(Stopped { done, total: plan.total() + agenda.added() }));
        }
        if open.is_empty() && room > 0 {
            return Ok(plan.total() + agenda.added());
        }
        let back = afar.elsewhere.exchange(orders).map_err(|e| Halt::Failed(e.into()))?;
        room = back.room;
        for pack in &back.packs {
            for (run, measured) in unpacked(pack).map_err(|e| Halt::Failed(e.into()))? {
                // A cluster may make one twice.
                let Some(jobs) = open.remove(&run) else { continue };
                store.put(run, &measured);
                for job in jobs {
                    hand_over(job, measured.clone(), false).map_err(Halt::Failed)?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use super::super::Cell;
    use super::*;
    use crate::store::packed;

    /// A run with `seed` applications.
    fn run(seed: u64) -> Measured {
        let apps = vec![Default::default(); seed as usize];
        Measured { apps, pages: Vec::new(), seconds: Vec::new(), ap: Default::default(), nodes: Vec::new() }
    }

    /// Hands back what it is told to, and notes what it was sent.
    struct Script {
        backs: Mutex<VecDeque<Back>>,
        sent: Mutex<Vec<Vec<String>>>,
    }

    impl Elsewhere for Script {
        fn exchange(&self, orders: Vec<Order>) -> Result<Back, Broken> {
            self.sent.lock().unwrap().push(orders.into_iter().map(|order| order.run).collect());
            self.backs.lock().unwrap().pop_front().ok_or(Broken("there is no more".into()))
        }
    }

    /// Keeps runs, by how many applications they have.
    struct Kept(Mutex<HashMap<RunKey, usize>>);

    impl Store for Kept {
        fn get(&self, key: RunKey) -> Option<Measured> {
            self.0.lock().unwrap().get(&key).map(|apps| run(*apps as u64))
        }

        fn has(&self, key: RunKey) -> bool {
            self.0.lock().unwrap().contains_key(&key)
        }

        fn put(&self, key: RunKey, measured: &Measured) {
            let old = self.0.lock().unwrap().insert(key, measured.apps.len());
            assert_eq!(old, None, "it was kept before");
        }
    }

    /// Two points, of which the queues of the first are the same run; seeds 3 and 4. The second one's first run is stored.
    #[test]
    fn runs_are_ordered_once_and_handed_over_as_they_come() {
        let fifo = airtab_core::Params::new(airtab_core::Discipline::named("fifo").unwrap());
        let cells = [1, 1, 2, 3].map(|workload| Cell::new(workload, &fifo)).to_vec();
        let plan = Plan::new(cells, 2, vec![3, 4]);
        let job = |point, queue, place| Job { point, queue, place, seed: 3 + place as u64 };
        let pack = |runs: &[(Job, usize)]| {
            let of = |(job, apps): &(Job, usize)| (plan.key(job), run(*apps as u64));
            packed(&runs.iter().map(of).collect::<Vec<_>>()).unwrap()
        };
        // Nothing is asked for before there is room; the last comes twice, and one that nobody asked for.
        let all = vec![
            Back { packs: Vec::new(), room: 2 },
            Back { packs: vec![pack(&[(job(0, 0, 1), 4)])], room: 2 },
            Back { packs: vec![pack(&[(job(0, 0, 1), 4), (job(0, 0, 0), 3)])], room: 9 },
            Back {
                packs: vec![pack(&[(job(1, 0, 1), 6)]), pack(&[(job(1, 1, 1), 8), (job(1, 1, 0), 7)])],
                room: 9,
            },
        ];
        let script = Script { backs: Mutex::new(all.into()), sent: Mutex::default() };
        let store = Kept(Mutex::new(HashMap::from([(plan.key(&job(1, 0, 0)), 9)])));
        let steps = Mutex::new(Vec::new());
        let progress = |step: Step| steps.lock().unwrap().push((step.job, step.done, step.stored));
        let stop = AtomicBool::new(false);
        let afar = Afar { elsewhere: &script, stop: &stop, progress: &progress };
        let mut order = |job: &Job| {
            let run = format!("{} {} {}", job.point, job.queue, job.seed);
            Ok::<_, Broken>(Order { study: Arc::new([]), run })
        };
        let mut handed = Vec::new();
        let ended = execute_elsewhere(&plan, &mut order, &store, &afar, &mut |job, measured| {
            handed.push((job, measured.apps.len()));
            Ok(None)
        });
        assert!(matches!(ended, Ok(8)), "{ended:?}");
        // The third and the fourth job are the first two runs, of which the second is there by then; the fifth is stored.
        assert_eq!(
            *script.sent.lock().unwrap(),
            [&[][..], &["0 0 3", "0 0 4"], &["1 0 4", "1 1 3"], &["1 1 4"]]
        );
        let expected = [
            (job(0, 0, 1), 4, false),
            (job(0, 1, 1), 4, true),
            (job(1, 0, 0), 9, true),
            (job(0, 0, 0), 3, false),
            (job(0, 1, 0), 3, false),
            (job(1, 0, 1), 6, false),
            (job(1, 1, 1), 8, false),
            (job(1, 1, 0), 7, false),
        ];
        let told = (1..).zip(expected).map(|(done, (job, _, stored))| (job, done, stored));
        assert_eq!(*steps.lock().unwrap(), told.collect::<Vec<_>>());
        assert_eq!(handed, expected.map(|(job, apps, _)| (job, apps)));
        let kept = [(0, 0, 0, 3), (0, 0, 1, 4), (1, 0, 0, 9), (1, 0, 1, 6), (1, 1, 0, 7), (1, 1, 1, 8)];
        let kept = kept.map(|(point, queue, place, apps)| (plan.key(&job(point, queue, place)), apps));
        assert_eq!(store.0.into_inner().unwrap(), HashMap::from(kept));
    }

    /// Runs of a further round count, as asked for and as done.
    #[test]
    fn a_stop_says_how_many_came_back() {
        let fifo = airtab_core::Params::new(airtab_core::Discipline::named("fifo").unwrap());
        let plan = Plan::new(vec![Cell::new(1, &fifo)], 1, vec![5, 6, 7]).in_rounds(2);
        let stop = AtomicBool::new(false);
        let job = |place| Job { point: 0, queue: 0, place, seed: 5 + place as u64 };
        let pack = |places: &[usize]| {
            let of = |place: &usize| (plan.key(&job(*place)), run(1));
            packed(&places.iter().map(of).collect::<Vec<_>>()).unwrap()
        };
        let backs = [
            Back { packs: Vec::new(), room: 5 },
            Back { packs: vec![pack(&[0, 1])], room: 5 },
            Back { packs: vec![pack(&[2])], room: 5 },
        ];
        for (stops_at, ended) in [(3, Some((3, 3))), (2, Some((2, 3))), (9, None)] {
            stop.store(false, Ordering::Relaxed);
            let packs = backs.iter().map(|b| Back { packs: b.packs.clone(), room: b.room });
            let script = Script { backs: Mutex::new(packs.collect()), sent: Mutex::default() };
            let afar = Afar { elsewhere: &script, stop: &stop, progress: &|_| () };
            let mut order =
                |job: &Job| Ok::<_, Broken>(Order { study: Arc::new([]), run: job.seed.to_string() });
            let mut seen = 0;
            let all = execute_elsewhere(&plan, &mut order, &crate::store::NoStore, &afar, &mut |job, _| {
                seen += 1;
                stop.store(seen == stops_at, Ordering::Relaxed);
                Ok((job.place == 1).then_some(Round { point: 0, from: 2, to: 3 }))
            });
            match (all, ended) {
                (Err(Halt::Stopped(stopped)), Some((done, total))) => {
                    assert_eq!(stopped, Stopped { done, total })
                }
                (Ok(3), None) => {}
                (other, _) => panic!("{stops_at}: {other:?}"),
            }
        }
    }
}
