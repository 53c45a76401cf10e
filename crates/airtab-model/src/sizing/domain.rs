// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Collision domains: links that cannot be used at the same time (Showail 2016, 4.2.1, 4.2.3).
//!
//! Two links contend if an end of one is in range of an end of the other (the two-hop model). It counts too many of the
//! near ones, and too few of those that interfere from farther away than they are understood.
//!
//! What it does not do: ranges, routes and measured utilisations are the caller's.

use std::ops::RangeInclusive;

use super::{Quantity, SizingError};

/// Utilisation from which on a domain is a bottleneck; the source's example.
pub const THRESHOLD: f64 = 0.90;
/// The most links of a chain that are one domain.
pub const CHAIN_LINKS: usize = 5;

/// A link of a domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// r, what all flows send over it, Mb/s.
    pub load_mbps: f64,
    /// R, its PHY rate, Mb/s.
    pub rate_mbps: f64,
}

/// U, the sum of r / R over a domain's links: at most 1 if the flows are feasible, 1 if it is saturated. Headers and
/// contention are left out.
///
/// # Errors
/// A load below 0, a rate of 0.
pub fn utilisation(links: &[Link]) -> Result<f64, SizingError> {
    let one = |(i, link): (usize, &Link)| {
        Ok(Quantity::Load.of_place(i, link.load_mbps)? / Quantity::Rate.of_place(i, link.rate_mbps)?)
    };
    links.iter().enumerate().map(one).sum()
}

/// What a flow gets of a domain if it is alone there: the rate at which utilisation is 1, Mb/s.
///
/// # Errors
/// No rate, too many, or one of 0.
pub fn alone_mbps(rates_mbps: &[f64]) -> Result<f64, SizingError> {
    super::rates(rates_mbps)?;
    Ok(1.0 / rates_mbps.iter().map(|rate| 1.0 / rate).sum::<f64>())
}

/// A domain that has a link of some flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossed {
    /// Its utilisation, measured or computed.
    pub utilisation: f64,
    /// What it gives that flow, Mb/s.
    pub flow_mbps: f64,
    /// M, nodes that transmit on its links.
    pub nodes: usize,
}

/// Which domain bounds a flow: of those used at least as much as the threshold, the one that gives it the lowest rate (of
/// equal ones the largest); if there is none, the one that is used most. None for a flow that crosses none.
pub fn bottleneck(crossed: &[Crossed], threshold: f64) -> Option<usize> {
    let all = || crossed.iter().enumerate();
    let lowest = all()
        .filter(|(_, domain)| domain.utilisation >= threshold)
        .min_by(|(_, a), (_, b)| a.flow_mbps.total_cmp(&b.flow_mbps).then(b.nodes.cmp(&a.nodes)));
    let fullest =
        || all().min_by(|(_, a), (_, b)| b.utilisation.total_cmp(&a.utilisation).then(b.nodes.cmp(&a.nodes)));
    lowest.or_else(fullest).map(|(i, _)| i)
}

/// The domain of a link in a chain of so many, numbered from 1: two to either side.
///
/// # Errors
/// No hops, or more than 256; a link that is not one of them.
pub fn of_chain(hops: usize, link: usize) -> Result<RangeInclusive<usize>, SizingError> {
    Quantity::Hops.of(hops as f64)?;
    if !(1..=hops).contains(&link) {
        return Err(SizingError::Link { link, hops });
    }
    Ok(link.saturating_sub(2).max(1)..=(link + 2).min(hops))
}

/// M, links of the largest domain of a chain: min(H, 5).
///
/// # Errors
/// As [`of_chain`].
pub fn largest_of_chain(hops: usize) -> Result<usize, SizingError> {
    Quantity::Hops.of(hops as f64)?;
    Ok(hops.min(CHAIN_LINKS))
}

/// The domain of a link among `links`, each the two nodes at its ends, on one channel: places of those that contend with
/// it, its own among them. `in_range` says whether one node decodes another.
///
/// # Panics
/// There is no such link.
pub fn two_hop(links: &[(usize, usize)], link: usize, in_range: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let (a, b) = links[link];
    let near = |x: usize, y: usize| x == y || in_range(x, y);
    let contends = |(c, d): (usize, usize)| near(a, c) || near(a, d) || near(b, c) || near(b, d);
    (0..links.len()).filter(|i| *i == link || contends(links[*i])).collect()
}
