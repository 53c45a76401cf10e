// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Stations that go through fixed sequences of slots, all of them one step further in every cycle, whoever sends.
//!
//! - TCF (Starzetz 2006, 2.2 in the notation of 8.1): H(i, j) = (i + j) mod N: never a collision, everybody in turn.
//! - Permutations (8.1.2), a trial of the thesis that failed: 1:2:3:4 and 2:3:4:1 share the channel 75 to 25.
//!
//! What it does not do: no permutation is changed after a collision.

use super::{ContentionError, stations};

/// What stations get.
#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// Who succeeded, cycle by cycle; None of a collision.
    pub winners: Vec<Option<u16>>,
    /// Share of the successes of each; 0 for all where there are none.
    pub shares: Vec<f64>,
    /// Share of cycles that end in a collision.
    pub p_collision: f64,
}

/// Slots of TCF for `n` stations, one sequence each.
///
/// # Errors
/// Fewer than 2 stations, or too many.
pub fn tcf(n: u64) -> Result<Vec<Vec<u32>>, ContentionError> {
    let n = stations(n)?;
    Ok((0..n).map(|i| (0..n).map(|j| (i + j) % n).collect()).collect())
}

/// `cycles` cycles of stations with these sequences, each repeated from its start.
///
/// # Errors
/// Fewer than two sequences, or an empty one.
pub fn turns(sequences: &[Vec<u32>], cycles: usize) -> Result<Turns, ContentionError> {
    if sequences.len() < 2 {
        return Err(ContentionError::Sequences("one station alone"));
    }
    if sequences.iter().any(Vec::is_empty) {
        return Err(ContentionError::Sequences("a station without slots"));
    }
    let winners: Vec<Option<u16>> = (0..cycles).map(|cycle| winner(sequences, cycle)).collect();
    let successes = winners.iter().flatten().count();
    let share = |i: usize| {
        let own = winners.iter().flatten().filter(|winner| usize::from(**winner) == i).count();
        own as f64 / successes.max(1) as f64
    };
    let shares = (0..sequences.len()).map(share).collect();
    let p_collision = (cycles - successes) as f64 / cycles.max(1) as f64;
    Ok(Turns { winners, shares, p_collision })
}

/// One whole round, after which all sequences begin anew together; of at most a million cycles.
///
/// # Errors
/// As [`turns`].
pub fn round(sequences: &[Vec<u32>]) -> Result<Turns, ContentionError> {
    const MOST: usize = 1_000_000;
    let common =
        |a: usize, s: &Vec<u32>| a.max(1).saturating_mul(s.len().max(1) / gcd(a.max(1), s.len().max(1)));
    turns(sequences, sequences.iter().fold(1, common).min(MOST))
}

/// Operator M: the one station with the least slot; None if several have it.
fn winner(sequences: &[Vec<u32>], cycle: usize) -> Option<u16> {
    let slot = |s: &Vec<u32>| s[cycle % s.len()];
    let least = sequences.iter().map(slot).min()?;
    let mut holders = sequences.iter().enumerate().filter(|(_, s)| slot(s) == least);
    let first = holders.next()?.0;
    holders.next().is_none().then_some(first as u16)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
