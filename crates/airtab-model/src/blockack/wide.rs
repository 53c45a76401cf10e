// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The approximate chain for wide windows.
//!
//! Whether an MPDU is outstanding depends on how often it was sent, and on nothing else: given the ages of the MPDUs in
//! the window, they are lost independently of each other. The exact state is therefore the ages, which are too many.
//! This chain keeps of them what decides most: how far the window's beginning is from the next new MPDU, how often
//! the beginning has stayed where it is (up to [`STAYS`]), and how many new MPDUs came last (in [`BINS`]). Given these,
//! MPDUs are taken to be lost independently, each with the mean probability of its place in the window, and that
//! profile is part of the solution: probabilities and profiles are iterated together until the mean length stays.
//!
//! What is lost is how ages at two places in the window go together beyond what these three tell. Without it all places
//! would be old or young each on its own, the window would open somewhat less far, and aggregates come out too
//! short; `docs/model-aggregates.md` has the measure of it.
//!
//! What it does not do: no limit of attempts, for which ages would be needed.

use super::{Aggregates, BlockAck};

/// How often the window's beginning may have stayed, at most.
const STAYS: usize = 4;
/// Sizes into which the number of new MPDUs is sorted, beside none.
const BINS: usize = 4;
/// Histories less probable than this are left out.
const NEVER: f64 = 1e-12;
/// The mean length stays to this (relative), in `SURE` steps on end.
const SAME: f64 = 1e-9;
const SURE: u32 = 20;

/// What is known of the window before an aggregate.
#[derive(Clone, Copy)]
struct Known {
    /// From the oldest outstanding MPDU to the next new one; 0: nothing is outstanding.
    used: usize,
    stays: usize,
    /// Bin of the new MPDUs of the last aggregate that had some.
    bin: usize,
}

/// Probabilities of all that may be known, and profiles: for each the probability that it is so and that a place is
/// outstanding.
struct Chain {
    window: usize,
    chance: Vec<f64>,
    outstanding: Vec<f64>,
}

impl Chain {
    fn new(window: usize) -> Chain {
        let all = (window + 1) * (STAYS + 1) * (BINS + 1);
        Chain { window, chance: vec![0.0; all], outstanding: vec![0.0; all * window] }
    }

    fn all(&self) -> impl Iterator<Item = Known> + use<> {
        (0..=self.window).flat_map(|used| {
            (0..=STAYS).flat_map(move |stays| (0..=BINS).map(move |bin| Known { used, stays, bin }))
        })
    }

    fn number(known: Known) -> usize {
        (known.used * (STAYS + 1) + known.stays) * (BINS + 1) + known.bin
    }

    /// Probability of each place from the oldest on to be outstanding.
    fn profile(&self, known: Known) -> Vec<f64> {
        let number = Chain::number(known);
        let places = &self.outstanding[number * self.window..][..known.used];
        let mut profile: Vec<f64> = places.iter().map(|both| both / self.chance[number]).collect();
        // That is what the oldest is.
        profile.iter_mut().take(1).for_each(|oldest| *oldest = 1.0);
        profile
    }

    fn add(&mut self, known: Known, chance: f64, profile: &[f64]) {
        let number = Chain::number(known);
        self.chance[number] += chance;
        let places = &mut self.outstanding[number * self.window..][..known.used];
        places.iter_mut().zip(profile).for_each(|(sum, lost)| *sum += chance * lost);
    }
}

pub(super) fn solve(cell: &BlockAck) -> Aggregates {
    let window = cell.window as usize;
    let mut chain = Chain::new(window);
    chain.add(Known { used: 0, stays: 0, bin: 0 }, 1.0, &[]);
    let (mut mean, mut same) = (0.0, 0);
    loop {
        let mut lengths = vec![0.0; cell.frames as usize + 1];
        chain = step(cell, &chain, &mut lengths);
        let all: f64 = lengths.iter().sum();
        lengths.iter_mut().for_each(|chance| *chance /= all);
        let mut solved = Aggregates { lengths, delivered: 0.0, given_up: 0.0, bars: 0.0 };
        let next = solved.mean_frames();
        same = if (next - mean).abs() <= SAME * next { same + 1 } else { 0 };
        mean = next;
        if same == SURE {
            solved.delivered = mean * (1.0 - cell.error);
            return solved;
        }
    }
}

/// The chain after one more aggregate; its length is added to `lengths`.
fn step(cell: &BlockAck, chain: &Chain, lengths: &mut [f64]) -> Chain {
    let (window, frames) = (cell.window as usize, cell.frames as usize);
    let mut after = Chain::new(window);
    for known in chain.all() {
        let chance = chain.chance[Chain::number(known)];
        if chance < NEVER {
            continue;
        }
        let profile = chain.profile(known);
        // How likely there is room for so many new ones.
        let mut rooms = vec![0.0; frames + 1];
        for (outstanding, p) in how_many(&profile).into_iter().enumerate() {
            // Independent places may come to more than were sent.
            let outstanding = outstanding.min(frames);
            let more = (frames - outstanding).min(window - known.used);
            rooms[more] += p;
            lengths[outstanding + more] += chance * p;
        }
        for (more, p) in rooms.into_iter().enumerate() {
            let both = chance * p;
            if both >= NEVER {
                sent(cell, known, both, &profile, more, &mut after);
            }
        }
    }
    after
}

/// What follows if outstanding MPDUs are as in `profile` and `more` new ones are sent behind them.
fn sent(cell: &BlockAck, known: Known, chance: f64, profile: &[f64], more: usize, after: &mut Chain) {
    let used = known.used + more;
    let mut lost: Vec<f64> = profile.iter().map(|outstanding| outstanding * cell.error).collect();
    lost.resize(used, cell.error);
    let bin = if more > 0 { 1 + (more - 1) * BINS / cell.window as usize } else { known.bin };
    let mut through = chance;
    for oldest in 0..used {
        let here = through * lost[oldest];
        through -= here;
        if here >= NEVER {
            let stays = if oldest == 0 && known.used > 0 { (known.stays + 1).min(STAYS) } else { 0 };
            after.add(Known { used: used - oldest, stays, bin }, here, &lost[oldest..]);
        }
    }
    after.add(Known { used: 0, stays: 0, bin: 0 }, through, &[]);
}

/// Probability of 0, 1, ... of independent things.
fn how_many(chances: &[f64]) -> Vec<f64> {
    let mut of = vec![1.0];
    for p in chances {
        of.push(0.0);
        for n in (0..of.len()).rev() {
            of[n] = of[n] * (1.0 - p) + if n > 0 { of[n - 1] * p } else { 0.0 };
        }
    }
    of
}
