// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who wins the channel, who receives from its parent, and how often a queue overflows (Showail 2016, 4.3.2).
//!
//! M nodes; each has nothing to send with probability pi_0, and of those that have something, one wins, all alike.
//!
//! The chain of equation 4.12 is no way to pi_0: its states sum to 1 - (1 - pi_0) (p_1,+ / p_0)^b, which is 1 only where
//! pi_0 is. The source goes on with the saturated limit, as [`overflow_saturated`] does.
//!
//! What it does not do: no backoff windows, no collisions.

use super::{Quantity, SizingError};

/// Binomial weights of i - 1 others among `others` that have something, for i = 1, 2, ...
fn weighed(nodes: usize, idle: f64, others: usize, one_of: fn(f64) -> f64) -> Result<f64, SizingError> {
    Quantity::Nodes.of(nodes as f64)?;
    let (idle, busy) = (Quantity::Idle.of(idle)?, 1.0 - idle);
    let (mut choices, mut sum) = (1.0, 0.0);
    for k in 0..=others {
        let with = choices * libm::pow(idle, (others - k) as f64) * libm::pow(busy, k as f64);
        sum += with * one_of(k as f64 + 1.0);
        choices *= (others - k) as f64 / (k as f64 + 1.0);
    }
    Ok(sum)
}

/// p_0: that a node with something to send is the one that sends (eq. 4.7).
///
/// # Errors
/// No nodes, or more than 256; an idle share outside 0 to 1.
pub fn win(nodes: usize, idle: f64) -> Result<f64, SizingError> {
    weighed(nodes, idle, nodes.saturating_sub(1), |i| 1.0 / i)
}

/// p_1,0: that a node without a packet receives one from its parent (eq. 4.8); 0 of a node that has no other.
///
/// The printed expansion has exponent M - 2 in its third term; the sum, with M - 4 there, is right.
///
/// # Errors
/// As [`win`].
pub fn receive_empty(nodes: usize, idle: f64) -> Result<f64, SizingError> {
    received(nodes, idle, |i| 1.0 / i)
}

/// p_1,+: the same of a node that has packets, and contends itself (eq. 4.9).
///
/// # Errors
/// As [`win`].
pub fn receive_backlogged(nodes: usize, idle: f64) -> Result<f64, SizingError> {
    received(nodes, idle, |i| 1.0 / (i + 1.0))
}

/// The parent has a packet, and wins among those others that have.
fn received(nodes: usize, idle: f64, one_of: fn(f64) -> f64) -> Result<f64, SizingError> {
    let sum = weighed(nodes, idle, nodes.saturating_sub(2), one_of)?;
    Ok(if nodes == 1 { 0.0 } else { (1.0 - idle) * sum })
}

/// pi_k for k = 0 to b, the length of a queue as it is printed (eq. 4.12). They do not sum to 1.
///
/// # Errors
/// As [`win`].
pub fn states(nodes: usize, idle: f64, limit: u32) -> Result<Vec<f64>, SizingError> {
    let win = win(nodes, idle)?;
    let (ratio, first) = (receive_backlogged(nodes, idle)? / win, receive_empty(nodes, idle)? / win);
    let state = |k: u32| match k {
        0 => idle,
        k => idle * libm::pow(ratio, f64::from(k - 1)) * first,
    };
    Ok((0..=limit).map(state).collect())
}

/// p_of = pi_b p_1,+ (eq. 4.10), of a queue that is full with probability `full`.
///
/// # Errors
/// As [`win`]; a probability outside 0 to 1.
pub fn overflow(nodes: usize, idle: f64, full: f64) -> Result<f64, SizingError> {
    Ok(Quantity::Probability.of(full)? * receive_backlogged(nodes, idle)?)
}

/// p_of = 1 / ((b + 1) M) (eq. 4.13): every node always has a packet, so that each wins and receives one time in M, and
/// all lengths are as likely.
///
/// # Errors
/// No nodes, or more than 256.
pub fn overflow_saturated(nodes: usize, limit: u32) -> Result<f64, SizingError> {
    Ok(1.0 / ((f64::from(limit) + 1.0) * Quantity::Nodes.of(nodes as f64)?))
}
