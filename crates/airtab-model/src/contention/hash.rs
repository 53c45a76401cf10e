// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The H scheme, exact: in every cycle all N stations draw a slot anew by the same law; the lowest slot sends
//! (Starzetz 2006, 8.1.1; two nodes: 8.6, 8.7).
//!
//! With p the probability of slot i and G that of a later one, N stations succeed there with N p G^(N-1) and
//! collide with what is left of (p + G)^N - G^N. Here both come from adding one station after the other: sums of
//! products of probabilities, so that no digit is lost to a difference.
//!
//! What it does not do: it does not keep backoff (`automaton`).

use super::law::SlotLaw;
use super::{ContentionError, stations};

/// What a memoryless scheme comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hash {
    /// p_c, the probability that a cycle ends in a collision.
    pub p_collision: f64,
    /// W_T, mean idle slots before a success.
    pub wait_success: f64,
    /// W_C, mean idle slots before a collision.
    pub wait_collision: f64,
}

impl Hash {
    /// R, collisions for each success.
    pub fn collisions(&self) -> f64 {
        self.p_collision / (1.0 - self.p_collision)
    }
}

/// Success and collision in each slot: s_i and c_i.
///
/// # Errors
/// Fewer than 2 stations, or too many.
pub fn events(law: &SlotLaw, n: u64) -> Result<Vec<(f64, f64)>, ContentionError> {
    let n = stations(n)?;
    let mut above = 0.0;
    let mut all: Vec<(f64, f64)> = Vec::with_capacity(law.p().len());
    for p in law.p().iter().rev() {
        all.push(event(*p, above, n));
        above += p;
    }
    all.reverse();
    Ok(all)
}

/// Of a slot that is drawn with `p`, and a later one with `above`: exactly one of n there and none before, and two or
/// more.
fn event(p: f64, above: f64, n: u32) -> (f64, f64) {
    let (mut none, mut one, mut more) = (1.0, 0.0, 0.0);
    for _ in 0..n {
        more = more * (p + above) + one * p;
        one = one * above + none * p;
        none *= above;
    }
    (one, more)
}

/// p_c, W_T and W_C of `n` stations that draw by `law`.
///
/// # Errors
/// Fewer than 2 stations, or too many.
pub fn hash(law: &SlotLaw, n: u64) -> Result<Hash, ContentionError> {
    let events = events(law, n)?;
    let sum = |of: fn(&(f64, f64)) -> f64| events.iter().map(of).sum::<f64>();
    let weighted = |of: fn(&(f64, f64)) -> f64| {
        events.iter().enumerate().map(|(i, event)| i as f64 * of(event)).sum::<f64>()
    };
    let (success, collision) = (sum(|e| e.0), sum(|e| e.1));
    let wait = |weighted: f64, all: f64| if all > 0.0 { weighted / all } else { f64::NAN };
    Ok(Hash {
        p_collision: collision / (success + collision),
        wait_success: wait(weighted(|e| e.0), success),
        wait_collision: wait(weighted(|e| e.1), collision),
    })
}
