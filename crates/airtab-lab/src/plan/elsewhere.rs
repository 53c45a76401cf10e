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
