// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Equations to their last printed digit (`exact`), the automaton against what is exact and against tables of another
//! automaton (`statistics`), and what is refused.

mod exact;
mod refused;
mod statistics;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::automaton::{self, Rules, Tally};

/// As printed.
fn digits(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}")
}

fn near(value: f64, want: f64, relative: f64) {
    assert!((value / want - 1.0).abs() <= relative, "{value}, not {want}");
}

/// A run, with its winners.
fn run(rules: &Rules, n: usize, successes: u64) -> (Tally, Vec<u16>) {
    let stream = |i: usize| {
        let mut random = ChaCha8Rng::seed_from_u64(i as u64);
        move || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut streams: Vec<_> = (0..n).map(stream).collect();
    let mut winners = Vec::new();
    let tally = automaton::run(rules, &mut streams, &mut stream(n), successes, |winner| winners.push(winner));
    (tally.unwrap(), winners)
}
