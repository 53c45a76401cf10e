// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The exact chain: every set of sequence numbers that can be outstanding.
//!
//! A state is a list from the window's beginning to the last MPDU that was sent: how often each was lost, 0 if it is
//! through. Without a limit of attempts only lost or not matters, so that counts stay at 1. The list begins with a
//! lost one, or is empty. States are found from the empty one on, and their probabilities iterated until they stay;
//! from every state all MPDUs may come through at once, so that the chain forgets where it began.
//!
//! What it does not do: no windows above `EXACT_WINDOW`; states double with each sequence number.

use std::collections::HashMap;

use super::{Aggregates, BlockAck};

/// Probabilities that stay to this in a step are stationary.
const STAYS: f64 = 1e-14;

/// How often each MPDU was lost.
type State = Vec<u8>;

/// What may follow a state.
struct Step {
    length: usize,
    given_up: f64,
    bar: f64,
    next: Vec<(usize, f64)>,
}

pub(super) fn solve(cell: &BlockAck) -> Aggregates {
    let steps = steps(cell);
    let mut chances = vec![0.0; steps.len()];
    chances[0] = 1.0;
    loop {
        let mut next = vec![0.0; steps.len()];
        for (step, chance) in steps.iter().zip(&chances) {
            step.next.iter().for_each(|(state, p)| next[*state] += chance * p);
        }
        let moved: f64 = next.iter().zip(&chances).map(|(a, b)| (a - b).abs()).sum();
        chances = next;
        if moved <= STAYS * steps.len() as f64 {
            break;
        }
    }
    let mut lengths = vec![0.0; cell.frames as usize + 1];
    let (mut given_up, mut bars) = (0.0, 0.0);
    for (step, chance) in steps.iter().zip(&chances) {
        lengths[step.length] += chance;
        given_up += chance * step.given_up;
        bars += chance * step.bar;
    }
    let mut solved = Aggregates { lengths, delivered: 0.0, given_up, bars };
    solved.delivered = solved.mean_frames() * (1.0 - cell.error);
    solved
}

/// All states that can be reached, the empty one first.
fn steps(cell: &BlockAck) -> Vec<Step> {
    let mut known: HashMap<State, usize> = HashMap::from([(State::new(), 0)]);
    let (mut states, mut steps) = (vec![State::new()], Vec::new());
    while let Some(state) = states.get(steps.len()) {
        let (length, outcomes) = outcomes(cell, state);
        let mut step = Step { length, given_up: 0.0, bar: 0.0, next: Vec::new() };
        let mut next: HashMap<usize, f64> = HashMap::new();
        for (mut after, chance) in outcomes {
            let lost_too_often = |lost: &u8| cell.attempts.is_some_and(|limit| u32::from(*lost) >= limit);
            let given_up = after.iter().filter(|lost| lost_too_often(lost)).count();
            after.iter_mut().filter(|lost| lost_too_often(lost)).for_each(|lost| *lost = 0);
            step.given_up += chance * given_up as f64;
            step.bar += if given_up > 0 { chance } else { 0.0 };
            let through = after.iter().take_while(|lost| **lost == 0).count();
            let after = after.split_off(through);
            let number = *known.entry(after).or_insert_with_key(|after| {
                states.push(after.clone());
                states.len() - 1
            });
            *next.entry(number).or_default() += chance;
        }
        step.next = next.into_iter().collect();
        step.next.sort_unstable_by_key(|(number, _)| *number);
        steps.push(step);
    }
    steps
}

/// MPDUs in the aggregate that follows a state, and what may become of them, with its probability.
fn outcomes(cell: &BlockAck, state: &State) -> (usize, Vec<(State, f64)>) {
    let outstanding = state.iter().filter(|lost| **lost > 0).count();
    let more = (cell.frames as usize - outstanding).min(cell.window as usize - state.len());
    let mut found = vec![(state.clone(), 1.0)];
    found[0].0.resize(state.len() + more, 0);
    let sent = (0..state.len() + more).filter(|i| *i >= state.len() || state[*i] > 0);
    for i in sent {
        let both = found.into_iter().flat_map(|(state, chance)| {
            let (mut through, mut lost) = (state.clone(), state);
            through[i] = 0;
            // More than the limit is not counted, and without one no more than the first.
            lost[i] = if cell.attempts.is_some() { lost[i].saturating_add(1) } else { 1 };
            [(through, chance * (1.0 - cell.error)), (lost, chance * cell.error)]
        });
        found = both.filter(|(_, chance)| *chance > 0.0).collect();
    }
    (outstanding + more, found)
}
