// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How the nodes of a domain share B (Showail 2016, 4.3.2).
//!
//! Nodes are numbered 1 to M from the flow's source on. A drop at node i throws away i transmissions, so that later nodes
//! get more: with p_i = 1 / ((b_i + 1) M) the cost is the sum of i / (b_i + 1), over M (eq. 4.14).
//!
//! The printed solution has B + 5 (eq. 4.18), which is right for five nodes; it is B + M.
//!
//! What it does not do: costs that are not linear in the hops.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::str::FromStr;

use super::{MAX_PACKETS, Quantity, SizingError};

/// Which integers stand for the solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// b_i = B sqrt(i) / S, by largest remainder: what the source uses.
    Ratio,
    /// The integers of least cost, found packet by packet.
    Greedy,
    /// b_i = sqrt(i) (B + M) / S - 1, at least 1, by largest remainder.
    Exact,
    /// The same for all, what is left to the later nodes.
    Equal,
}

impl Split {
    /// All there are.
    pub const ALL: [Split; 4] = [Split::Ratio, Split::Greedy, Split::Exact, Split::Equal];

    /// As it is written: `ratio`.
    pub fn name(self) -> &'static str {
        ["ratio", "greedy", "exact", "equal"][self as usize]
    }

    /// Whole packets of each node, at least 1 (a queue without one sends nothing).
    ///
    /// They sum to B, but for `ratio` beyond 10 nodes: there one that would have 0 is lifted to 1, and nobody gives a
    /// packet for it.
    ///
    /// # Errors
    /// No node, or more than 256; fewer packets than nodes, or more than a million.
    pub fn of(self, packets: u32, nodes: usize) -> Result<Vec<u32>, SizingError> {
        let (b, m) = checked(packets, nodes)?;
        Ok(match self {
            Split::Ratio => whole(&ratio(b, m), packets),
            Split::Greedy => greedy(packets, nodes),
            Split::Exact => whole(&least_cost(b, m, 1.0), packets),
            Split::Equal => whole(&vec![b / m as f64; m], packets),
        })
    }
}

impl FromStr for Split {
    type Err = SizingError;

    fn from_str(text: &str) -> Result<Split, SizingError> {
        let known = Split::ALL.into_iter().find(|split| split.name() == text);
        known.ok_or_else(|| SizingError::Split(text.into()))
    }
}

/// B and M: at least a packet for each.
fn checked(packets: u32, nodes: usize) -> Result<(f64, usize), SizingError> {
    Quantity::Nodes.of(nodes as f64)?;
    if packets > MAX_PACKETS {
        return Err(SizingError::Large(packets.into()));
    }
    if (packets as usize) < nodes {
        return Err(SizingError::Scarce { packets, nodes });
    }
    Ok((packets.into(), nodes))
}

/// sqrt(i) for i = 1..M.
fn roots(nodes: usize) -> impl Iterator<Item = f64> {
    (1..=nodes).map(|i| (i as f64).sqrt())
}

/// b_i = B sqrt(i) / S, S the sum of sqrt(j): 1 : sqrt(2) : ... : sqrt(M), right for large B (eq. 4.19). Packets, not
/// rounded.
pub fn ratio(packets: f64, nodes: usize) -> Vec<f64> {
    let sum: f64 = roots(nodes).sum();
    roots(nodes).map(|root| packets * root / sum).collect()
}

/// b_i = sqrt(i) (B + M) / S - 1 (eq. 4.18 with M for its 5): the least cost of real numbers. Nodes that it would leave
/// below 0 have 0 (eq. 4.16), and the others share B alone. Packets, not rounded.
pub fn exact(packets: f64, nodes: usize) -> Vec<f64> {
    least_cost(packets, nodes, 0.0)
}

/// The same with so many packets for each at least.
fn least_cost(packets: f64, nodes: usize, least: f64) -> Vec<f64> {
    // sqrt(i) grows with i: those that have no more than that are the first ones.
    let solved = |first: usize| {
        let sum: f64 = roots(nodes).skip(first).sum();
        let all = packets - first as f64 * least + (nodes - first) as f64;
        let share = |(i, root): (usize, f64)| if i < first { least } else { root * all / sum - 1.0 };
        roots(nodes).enumerate().map(share).collect::<Vec<_>>()
    };
    (0..nodes).map(solved).find(|all| all.iter().all(|b| *b >= least)).unwrap_or_else(|| vec![least; nodes])
}

/// Largest remainder: the floor of each, what is missing to the largest fractions (of equal ones to the later), and 1 to
/// who has 0.
fn whole(shares: &[f64], packets: u32) -> Vec<u32> {
    let mut limits: Vec<u32> = shares.iter().map(|share| share.floor() as u32).collect();
    let missing = packets.saturating_sub(limits.iter().sum());
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let fraction = |i: usize| shares[i] - shares[i].floor();
    order.sort_by(|a, b| fraction(*b).total_cmp(&fraction(*a)).then(b.cmp(a)));
    order.iter().take(missing as usize).for_each(|i| limits[*i] += 1);
    limits.iter().map(|limit| (*limit).max(1)).collect()
}

/// What one more packet at a node saves, i (1 / (b + 1) - 1 / (b + 2)), exactly: i over (b + 1) (b + 2).
#[derive(PartialEq, Eq)]
struct Saving {
    node: u64,
    held: u64,
}

impl Ord for Saving {
    fn cmp(&self, other: &Saving) -> Ordering {
        let below = |saving: &Saving| (saving.held + 1) * (saving.held + 2);
        // A million packets squared, times 256 nodes, fit.
        (self.node * below(other)).cmp(&(other.node * below(self))).then(self.node.cmp(&other.node))
    }
}

impl PartialOrd for Saving {
    fn partial_cmp(&self, other: &Saving) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// One packet each, and the rest where it saves most, of equal ones to the later: the least cost of integers.
fn greedy(packets: u32, nodes: usize) -> Vec<u32> {
    let mut savings: BinaryHeap<Saving> = (1..=nodes as u64).map(|node| Saving { node, held: 1 }).collect();
    let mut limits = vec![1; nodes];
    for _ in nodes..packets as usize {
        let Saving { node, held } = savings.pop().expect("there are nodes");
        limits[node as usize - 1] += 1;
        savings.push(Saving { node, held: held + 1 });
    }
    limits
}

/// What drops cost, the sum of i / (b_i + 1), which 4.14 divides by M.
pub fn cost(limits: &[f64]) -> f64 {
    limits.iter().zip(1..).map(|(limit, i)| f64::from(i) / (limit + 1.0)).sum()
}

/// A cross: so many equal edges share B, and each edge's part goes to its nodes as the ratio says, rounded node by node,
/// at least 1. The edges together may have some packets more or less than B: four edges of two nodes have 20 of 18.
///
/// # Errors
/// No edges or nodes, or more than 256 nodes in all; fewer packets than nodes.
pub fn of_edge(packets: u32, edges: usize, nodes: usize) -> Result<Vec<u32>, SizingError> {
    Quantity::Nodes.of(edges as f64)?;
    checked(packets, edges.saturating_mul(nodes))?;
    let shares = ratio(f64::from(packets) / edges as f64, nodes);
    Ok(shares.iter().map(|share| (share.round() as u32).max(1)).collect())
}
