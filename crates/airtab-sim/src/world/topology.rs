// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is connected to what, as plain data: nodes, simplex wires, radio channels,
//! and the shortest ways from everywhere to everywhere.
//!
//! What it does not do: nothing moves here (`world`), and ways do not change while
//! packets are under way. Shortest is by hops, not by time.

use std::collections::VecDeque;
use std::hash::Hasher;

use airtab_core::{NO_STATION, Params};
use siphasher::sip::SipHasher13;

use super::mesh;
use crate::scenario::Station;
use crate::wifi::MediumConfig;

/// A node, by its place in [`Topology::new`]'s list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// Packets begin and end here; it passes on those of others, too.
    Host,
    /// Passes packets on: none begins or ends here.
    Switch,
}

/// One direction of a wire.
#[derive(Clone, Debug)]
pub struct WireSpec {
    /// Where packets enter it.
    pub from: NodeId,
    /// Where they leave it.
    pub to: NodeId,
    /// bit/s of IP packets and `overhead`, above 0.
    pub rate_bps: u64,
    /// Bytes that each IP packet has around it; 0 of a drop-tail wire.
    pub overhead: u32,
    /// One-way latency, ns.
    pub latency_ns: u64,
    /// What holds packets while it is busy.
    pub queue: WireQueue,
}

/// What holds the packets that a wire cannot send at once.
#[derive(Clone, Debug)]
pub enum WireQueue {
    /// First in, first out, so many packets; the one being sent apart.
    DropTail(usize),
    /// A discipline of the core.
    Discipline(Params),
}

/// An access point and its stations.
#[derive(Clone, Debug)]
pub struct ChannelSpec {
    /// Where the access point is.
    pub access_point: NodeId,
    /// Stations, in the order of their numbers, and where they are. Of a mesh: its nodes, the first one at
    /// `access_point`.
    pub stations: Vec<(NodeId, Station)>,
    /// How frames are carried.
    pub medium: MediumConfig,
    /// The access point's discipline.
    pub queue: Params,
}

/// Nodes and what connects them. Every host reaches every other one.
#[derive(Clone, Debug)]
pub struct Topology {
    nodes: Vec<Node>,
    pub(super) wires: Vec<WireSpec>,
    pub(super) channels: Vec<ChannelSpec>,
    /// By node: its first steps. Behind each other, those of all nodes.
    routes: Vec<Routes>,
    steps: Vec<Step>,
    /// By node: packets leave it in the order in which one wire brings them.
    in_order: Vec<bool>,
    /// By node: it has an access point.
    access_points: Vec<bool>,
    /// By node: its number as a station.
    stations: Vec<u16>,
}

/// The first step from a node to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Onto a wire.
    Wire(u32),
    /// From an access point to one of its stations, which is at `node`.
    Down { channel: u16, station: u16, node: NodeId },
    /// From a station to its access point, which is at `node`.
    Up { channel: u16, station: u16, node: NodeId },
    /// From a node of a mesh, by its number, to its neighbour of another number, which is at `node`.
    Across { channel: u16, from: u16, neighbour: u16, node: NodeId },
}

/// What nobody asks for: the step from a host to itself, or to a switch that nothing leads to. There is no such wire.
const NOWHERE: Step = Step::Wire(u32::MAX);

/// Where the first steps from a node are in [`Topology::steps`].
#[derive(Clone, Copy, Debug)]
struct Routes {
    first: usize,
    /// All ones: there is one for each node that it may go to; 0: there is one way only.
    by: usize,
}

impl Topology {
    /// Looks at all parts and finds the ways.
    ///
    /// # Errors
    /// Says which part is wrong and what is allowed.
    pub fn new(
        nodes: Vec<Node>,
        wires: Vec<WireSpec>,
        channels: Vec<ChannelSpec>,
    ) -> Result<Topology, String> {
        let (access_points, stations) = (vec![false; nodes.len()], vec![NO_STATION; nodes.len()]);
        let (routes, all, in_order) = (Vec::new(), Vec::new(), Vec::new());
        let mut topology =
            Topology { nodes, wires, channels, routes, steps: all, in_order, access_points, stations };
        topology.check()?;
        for channel in &topology.channels {
            topology.access_points[channel.access_point.index()] = true;
            for (number, (node, _)) in (0..).zip(&channel.stations) {
                match channel.medium.mesh() {
                    None => topology.stations[node.index()] = number,
                    Some(_) => topology.access_points[node.index()] = true,
                }
            }
        }
        let steps = topology.ways();
        topology.check_ways(&steps)?;
        let routes = mesh::Routes::new(&topology, &steps)?;
        for (node, own) in (0..).map(NodeId).zip(&steps) {
            topology.routes.push(Routes {
                first: topology.steps.len(),
                by: if own.len() == 1 { 0 } else { usize::MAX },
            });
            match own[..] {
                [(step, _)] => topology.steps.push(step),
                _ => {
                    let mut first = reached(node, &steps);
                    routes.iter().for_each(|own| own.lead(node, &mut first));
                    topology.steps.extend(first.into_iter().map(|s| s.unwrap_or(NOWHERE)));
                }
            }
        }
        let mut ways_in = vec![0u32; steps.len()];
        for (_, to) in steps.iter().flatten() {
            ways_in[to.index()] += 1;
        }
        let switches = topology.nodes.iter().map(|node| *node == Node::Switch);
        topology.in_order = switches.zip(ways_in).map(|(switch, ways)| switch && ways == 1).collect();
        Ok(topology)
    }

    /// The same with a discipline on each of its wires.
    #[cfg(test)]
    pub(crate) fn with_disciplines(mut self, params: &Params) -> Topology {
        self.wires.iter_mut().for_each(|wire| wire.queue = WireQueue::Discipline(params.clone()));
        self
    }

    /// Whether packets begin and end at a node.
    pub(super) fn is_host(&self, node: NodeId) -> bool {
        self.nodes.get(node.index()) == Some(&Node::Host)
    }

    /// The first step from `at` to `to`, another node.
    #[inline]
    pub(super) fn step(&self, at: NodeId, to: NodeId) -> Step {
        let Routes { first, by } = self.routes[at.index()];
        self.steps[first + (to.index() & by)]
    }

    /// Whether packets leave a node in the order in which one wire brings them, so
    /// that it is known ahead when they do.
    #[inline]
    pub(super) fn in_order(&self, node: NodeId) -> bool {
        self.in_order[node.index()]
    }

    /// Whether an access point is at a node.
    #[inline]
    pub(super) fn has_access_point(&self, node: NodeId) -> bool {
        self.access_points[node.index()]
    }

    /// A node's number as a station; [`NO_STATION`] of others.
    #[inline]
    pub(super) fn station(&self, node: NodeId) -> u16 {
        self.stations[node.index()]
    }

    fn check(&self) -> Result<(), String> {
        let unless = |ok: bool, message: String| if ok { Ok(()) } else { Err(message) };
        let there = |node: NodeId, whose: &str| {
            unless(node.index() < self.nodes.len(), format!("{whose}: no node number {}", node.0))
        };
        for (i, wire) in self.wires.iter().enumerate() {
            there(wire.from, &format!("wire {i}"))?;
            there(wire.to, &format!("wire {i}"))?;
            unless(wire.from != wire.to, format!("wire {i}: leads to where it begins"))?;
            unless(wire.rate_bps > 0, format!("wire {i}: the rate must not be 0"))?;
            match &wire.queue {
                WireQueue::DropTail(_) => {
                    unless(
                        wire.overhead == 0,
                        format!("wire {i}: only with a discipline has it an overhead"),
                    )?;
                }
                WireQueue::Discipline(params) => {
                    params.check().map_err(|error| format!("wire {i}: {error}"))?;
                }
            }
        }
        let mut taken = vec![false; self.nodes.len()];
        for (i, channel) in self.channels.iter().enumerate() {
            let stations = channel.stations.iter().map(|(node, _)| *node);
            // The first node of a mesh is where others have the access point.
            let ap = Some(channel.access_point).filter(|_| channel.medium.mesh().is_none());
            for node in ap.into_iter().chain(stations) {
                there(node, &format!("channel {i}"))?;
                unless(self.is_host(node), format!("channel {i}: node {} is a switch", node.0))?;
                let twice = std::mem::replace(&mut taken[node.index()], true);
                unless(!twice, format!("channel {i}: node {} has a radio already", node.0))?;
            }
            channel.queue.check().map_err(|error| format!("channel {i}: {error}"))?;
        }
        Ok(())
    }

    /// By node: the steps from it and where they lead.
    fn ways(&self) -> Vec<Vec<(Step, NodeId)>> {
        let mut steps = vec![Vec::new(); self.nodes.len()];
        for (i, wire) in (0..).zip(&self.wires) {
            steps[wire.from.index()].push((Step::Wire(i), wire.to));
        }
        for (channel, spec) in (0..).zip(&self.channels) {
            let access_point = spec.access_point;
            if let Some(config) = spec.medium.mesh() {
                mesh::steps(channel, spec, config, &mut steps);
                continue;
            }
            for (station, &(node, _)) in (0..).zip(&spec.stations) {
                steps[access_point.index()].push((Step::Down { channel, station, node }, node));
                let up = Step::Up { channel, station, node: access_point };
                steps[node.index()].push((up, access_point));
            }
        }
        steps
    }

    /// All hosts reach the first one, and it reaches all.
    fn check_ways(&self, steps: &[Vec<(Step, NodeId)>]) -> Result<(), String> {
        if self.channels.iter().any(|channel| channel.medium.mesh().is_some()) {
            // It may have two parts.
            return Ok(());
        }
        let hosts = || (0..).map(NodeId).take(self.nodes.len()).filter(|node| self.is_host(*node));
        let Some(first) = hosts().next() else { return Err("at least one host is needed".into()) };
        let mut back = vec![Vec::new(); steps.len()];
        for (from, steps) in (0..).zip(steps) {
            for (step, to) in steps {
                back[to.index()].push((*step, NodeId(from)));
            }
        }
        let (to, from) = (reached(first, steps), reached(first, &back));
        for host in hosts() {
            for (ways, from, to) in [(&to, first, host), (&from, host, first)] {
                if ways[host.index()].is_none() && host != first {
                    return Err(format!("no way leads from node {} to node {}", from.0, to.0));
                }
            }
        }
        Ok(())
    }
}

impl NodeId {
    /// When its clock ticks, of one that does each `grid` ns: another time for each node and each key.
    pub(crate) fn phase(self, key: u64, grid: u64) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(key, 1);
        hasher.write(&self.0.to_be_bytes());
        hasher.finish().checked_rem(grid).unwrap_or(0)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// By node: the first step of a shortest way there from `start`; of several the one
/// that comes first in the lists.
fn reached(start: NodeId, steps: &[Vec<(Step, NodeId)>]) -> Vec<Option<Step>> {
    let mut first = vec![None; steps.len()];
    let mut next = VecDeque::new();
    for &(step, to) in &steps[start.index()] {
        if to != start && first[to.index()].is_none() {
            first[to.index()] = Some(step);
            next.push_back(to);
        }
    }
    while let Some(node) = next.pop_front() {
        for &(_, to) in &steps[node.index()] {
            if to != start && first[to.index()].is_none() {
                first[to.index()] = first[node.index()];
                next.push_back(to);
            }
        }
    }
    first
}
