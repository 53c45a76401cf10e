// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Distributed Neighborhood Buffer in a mesh: which collision domains its flows cross, which of these bounds each flow, and
//! what each node holds of that flow (Showail 2016, 4.2.1 to 4.3.2).
//!
//! Who is in a domain follows from who decodes whom (the two-hop model) or, as measured maps of interference would have it,
//! from who disturbs whom. A domain is as full as the busier end of its link finds the channel; where nobody measured,
//! as if all flows sent at one rate, the largest that no domain refuses. Each flow has a buffer as if it were alone
//! (4.4.1), shared by its own nodes of the domain in the order of its way; the formulas are `airtab-model`'s.
//!
//! What it does not do: when a plan is made, and of which flows, is the run's to say (`simulation/dnb`). Costs are
//! linear in the hops. Nobody sends a message: what a node would overhear is taken from the mesh.

use airtab_core::{Phy, Rate};
use airtab_model::sizing::dnb::{Origin, Rule};
use airtab_model::sizing::domain::{self, Crossed, THRESHOLD, two_hop, utilisation};
use airtab_model::sizing::exchange::{DNB_11B, WQM_11N};
use airtab_model::sizing::split::Split;
use airtab_model::sizing::{MAX_PACKETS, SizingError};

use super::mesh::MeshConfig;

/// At most once a second (4.2.3).
const LEAST_INTERVAL_NS: u64 = 1_000_000_000;

/// Which links cannot be used at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interference {
    /// An end of one decodes an end of the other.
    TwoHop,
    /// An end of one disturbs an end of the other, whether it decodes it or not.
    Measured,
}

impl Interference {
    /// Every variant with its name in scenario files.
    pub const NAMES: [(&'static str, Interference); 2] =
        [("two_hop", Interference::TwoHop), ("measured", Interference::Measured)];
}

/// How limits are set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DnbConfig {
    /// Who contends with whom.
    pub interference: Interference,
    /// Share of time from which on a domain is a bottleneck.
    pub threshold: f64,
    /// B of a flow by the rates of its links.
    pub rule: Rule,
    /// B of each flow instead, packets.
    pub buffer: Option<u32>,
    /// How its nodes share B.
    pub split: Split,
    /// No limit below one aggregate of its node: "DNB+floor", which is not in the study.
    pub floor_to_ampdu: bool,
    /// From one look at flows, rates and channel to the next, ns.
    pub interval_ns: u64,
}

impl DnbConfig {
    /// As the study has it, with its 802.11b, or its 802.11n where rates are by MCS.
    pub fn new(phy: &Phy) -> DnbConfig {
        DnbConfig {
            interference: Interference::TwoHop,
            threshold: THRESHOLD,
            rule: Rule::new(if phy.has_mcs() || phy.name() == "wqm-11n" { WQM_11N } else { DNB_11B }),
            buffer: None,
            split: Split::Ratio,
            floor_to_ampdu: false,
            interval_ns: LEAST_INTERVAL_NS,
        }
    }

    /// The rules that it breaks.
    ///
    /// # Errors
    /// Says what is allowed.
    pub(super) fn check(&self) -> Result<(), String> {
        let Rule { packet_bytes, extra_us, .. } = self.rule;
        let unless = |ok: bool, message: &str| if ok { Ok(()) } else { Err(format!("dnb: {message}")) };
        unless(self.threshold > 0.0 && self.threshold <= 1.0, "threshold: above 0, up to 1")?;
        unless(packet_bytes.is_finite() && packet_bytes >= 1.0, "packet: 1 byte at least")?;
        unless(extra_us.is_finite() && extra_us >= 0.0, "extra: 0 at least")?;
        unless(self.buffer != Some(0), "buffer: 1 packet at least")?;
        unless(self.interval_ns >= LEAST_INTERVAL_NS, "interval: 1 s at least")
    }

    /// B of links of these rates, in the order of the flow, Mb/s, and how many nodes share it.
    fn packets(&self, rates: &[f64], nodes: usize) -> u32 {
        let rule = Rule { origin: Origin::FirstQueue, ..self.rule };
        let own = match (self.buffer, rule.neighborhood(rates)) {
            (Some(packets), _) => packets,
            (None, Ok(own)) => own.packets,
            (None, Err(SizingError::Large(_))) => MAX_PACKETS,
            (None, Err(e)) => panic!("links have rates, and the rule was checked: {e}"),
        };
        own.max(nodes as u32)
    }
}

/// The collision domain of a link that some flow uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// The link, by its number in the mesh.
    pub link: usize,
    /// Those of the links in use that contend with it, itself among them.
    pub links: Vec<usize>,
    /// Nodes that send on them.
    pub senders: Vec<usize>,
    /// Share of time that it is busy.
    pub utilisation: f64,
    /// B of all of its links, packets.
    pub packets: u32,
}

/// What bounds a flow, and what its nodes hold of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighborhood {
    /// Number of its bottleneck among the domains.
    pub bottleneck: usize,
    /// B, packets.
    pub packets: u32,
    /// Its nodes in there that share B, from its source on, with the packets that each may hold.
    pub limits: Vec<(u16, u32)>,
    /// Its links in there.
    pub links: Vec<usize>,
}

/// Domains and flows at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct DnbPlan {
    /// Of each link in use, in the order of their numbers.
    pub domains: Vec<Domain>,
    /// Of each flow, in their order.
    pub flows: Vec<Neighborhood>,
}

impl DnbPlan {
    /// For flows with these ways, from the source on, over links of these rates; `busy`: share of time that each node
    /// found the channel busy, None: nobody measured.
    ///
    /// # Panics
    /// If a way has a single node, or two in a row without a link.
    pub fn new(
        mesh: &MeshConfig,
        config: &DnbConfig,
        ways: &[Vec<u16>],
        rates: &[Rate],
        busy: Option<&[f64]>,
    ) -> DnbPlan {
        let traffic = Traffic::new(mesh, config, ways, rates);
        let all: Vec<(usize, Vec<usize>)> = traffic.contending().collect();
        let fullest = all.iter().map(|(_, links)| traffic.per_mbps(links)).fold(0.0, f64::max);
        let domain = |(link, links): (usize, Vec<usize>)| {
            let (one, other) = mesh.links[link].ends;
            let measured = busy.map(|busy| busy[usize::from(one)].max(busy[usize::from(other)]));
            traffic.domain(link, links, measured, fullest)
        };
        let domains: Vec<Domain> = all.into_iter().map(domain).collect();
        let flows = traffic.ways.iter().map(|way| traffic.neighborhood(way, &domains)).collect();
        DnbPlan { domains, flows }
    }
}

/// Flows on their ways.
struct Traffic<'a> {
    mesh: &'a MeshConfig,
    config: &'a DnbConfig,
    rates: &'a [Rate],
    /// Of each flow, who sends it over which link.
    ways: Vec<Vec<(u16, usize)>>,
    /// By link, how many there are.
    flows_over: Vec<u32>,
}

impl<'a> Traffic<'a> {
    fn new(mesh: &'a MeshConfig, config: &'a DnbConfig, ways: &[Vec<u16>], rates: &'a [Rate]) -> Traffic<'a> {
        let hop = |hop: &[u16]| (hop[0], mesh.link_between(hop[0], hop[1]).expect("ways are over links"));
        let ways: Vec<Vec<(u16, usize)>> = ways.iter().map(|way| way.windows(2).map(hop).collect()).collect();
        let mut flows_over = vec![0; mesh.links.len()];
        ways.iter().flatten().for_each(|(_, link)| flows_over[*link] += 1);
        Traffic { mesh, config, rates, ways, flows_over }
    }

    fn mbps(&self, link: usize) -> f64 {
        f64::from(self.rates[link].kbps()) / 1e3
    }

    /// How full links are together for each Mb/s of all flows: what n flows cross has n times the load.
    fn per_mbps(&self, links: &[usize]) -> f64 {
        links.iter().map(|link| f64::from(self.flows_over[*link]) / self.mbps(*link)).sum()
    }

    /// Links in use, each with those that contend with it.
    fn contending(&self) -> impl Iterator<Item = (usize, Vec<usize>)> {
        let reach = &self.mesh.reach;
        let near = |a: usize, b: usize| match self.config.interference {
            Interference::TwoHop => reach.decodes(a).has(b),
            Interference::Measured => reach.disturbs(a).has(b),
        };
        let ends: Vec<(usize, usize)> =
            self.mesh.links.iter().map(|link| (link.ends.0.into(), link.ends.1.into())).collect();
        let used = |link: &usize| self.flows_over[*link] > 0;
        (0..ends.len())
            .filter(used)
            .map(move |link| (link, two_hop(&ends, link, near).into_iter().filter(used).collect()))
    }

    /// `measured`: how much of the time it is used, else by the load at which the fullest is saturated.
    fn domain(&self, link: usize, links: Vec<usize>, measured: Option<f64>, fullest: f64) -> Domain {
        let inside = self.ways.iter().flatten().filter(|(_, link)| links.contains(link));
        let mut senders: Vec<usize> = inside.map(|(node, _)| usize::from(*node)).collect();
        senders.sort_unstable();
        senders.dedup();
        let load = |link: &usize| domain::Link {
            load_mbps: f64::from(self.flows_over[*link]) / fullest,
            rate_mbps: self.mbps(*link),
        };
        let loads = || links.iter().map(load).collect::<Vec<_>>();
        let utilisation = measured.unwrap_or_else(|| utilisation(&loads()).expect("links have rates"));
        let rates: Vec<f64> = links.iter().map(|link| self.mbps(*link)).collect();
        Domain { link, utilisation, packets: self.config.packets(&rates, senders.len()), senders, links }
    }

    /// What bounds a flow, and what its nodes hold of it.
    fn neighborhood(&self, way: &[(u16, usize)], domains: &[Domain]) -> Neighborhood {
        let outside = |d: &usize| way.iter().filter(|(_, link)| !domains[*d].links.contains(link)).count();
        let mut crossed: Vec<usize> = (0..domains.len()).filter(|d| outside(d) < way.len()).collect();
        // Of equal ones the one that has most of it: of a cross that of its own edge.
        crossed.sort_by_key(outside);
        let figures = |d: &usize| Crossed {
            utilisation: domains[*d].utilisation,
            flow_mbps: 1.0 / self.per_mbps(&domains[*d].links),
            nodes: domains[*d].senders.len(),
        };
        let figures: Vec<Crossed> = crossed.iter().map(figures).collect();
        let place = domain::bottleneck(&figures, self.config.threshold).expect("it crosses a link");
        let bottleneck = crossed[place];
        let is_inside = |hop: &&(u16, usize)| domains[bottleneck].links.contains(&hop.1);
        let inside: Vec<(u16, usize)> = way.iter().filter(is_inside).copied().collect();
        // The source keeps what it has where relays share B alone.
        let keeps = self.config.rule.origin == Origin::FirstRelay && inside[0] == way[0];
        let sharing = &inside[usize::from(keeps)..];
        let rates: Vec<f64> = inside.iter().map(|(_, link)| self.mbps(*link)).collect();
        let packets = self.config.packets(&rates, sharing.len());
        let shares = match sharing.len() {
            0 => Vec::new(),
            nodes => self.config.split.of(packets, nodes).expect("B has a packet for each node"),
        };
        let least = |(node, link): (u16, usize)| match self.config.floor_to_ampdu {
            true => self.mesh.aggregate_frames(node, self.rates[link]),
            false => 1,
        };
        let limits = sharing.iter().zip(shares).map(|(own, share)| (own.0, share.max(least(*own)))).collect();
        let links = inside.iter().map(|(_, link)| *link).collect();
        Neighborhood { bottleneck, packets, limits, links }
    }
}

#[cfg(test)]
mod tests;
