// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs of the automaton with the project's random streams, one for each station; the last few are remembered, as a
//! table often asks several things of one.
//!
//! What it does not do: no rules are known here.

use std::collections::VecDeque;
use std::rc::Rc;

use airtab_model::contention::ContentionError;
use airtab_model::contention::automaton::{self, Rules, Tally};
use airtab_sim::Stream;

/// What came out of a run.
pub(super) struct Run {
    pub(super) tally: Tally,
    pub(super) winners: Vec<u16>,
}

/// The last runs.
#[derive(Default)]
pub struct Runs(VecDeque<(Key, Rc<Run>)>);

/// Rules, stations, successes, seed.
type Key = (Rules, u64, u64, u64);

/// As many as one figure asks for.
const KEPT: usize = 2;

impl Runs {
    /// A run of `n` stations; adding one changes no draw of the others.
    pub(super) fn run(
        &mut self,
        rules: &Rules,
        n: u64,
        successes: u64,
        seed: u64,
    ) -> Result<Rc<Run>, ContentionError> {
        let key = (rules.clone(), n, successes, seed);
        if let Some((_, run)) = self.0.iter().find(|(known, _)| *known == key) {
            return Ok(run.clone());
        }
        let run = Rc::new(fresh(rules, n, successes, seed)?);
        self.0.truncate(KEPT - 1);
        self.0.push_front((key, run.clone()));
        Ok(run)
    }
}

fn fresh(rules: &Rules, n: u64, successes: u64, seed: u64) -> Result<Run, ContentionError> {
    let stream = |name: String| {
        let mut stream = Stream::new(seed, &name);
        move || stream.unit()
    };
    let mut streams: Vec<_> = (1..=n).map(|i| stream(format!("contender {i}"))).collect();
    let mut winners = Vec::with_capacity(successes as usize);
    let won = |winner| winners.push(winner);
    let tally = automaton::run(rules, &mut streams, &mut stream("noise".into()), successes, won)?;
    Ok(Run { tally, winners })
}
