// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Ways through a mesh: from each node to its neighbours, and on as its ways say (`wifi/ways`), to its nodes and to the hosts
//! behind these.
//!
//! What it does not do: no host is behind two nodes of a mesh.

use airtab_core::{Handle, Params};

use super::topology::{ChannelSpec, NodeId, Step, Topology};
use super::{Carried, Place, Report, Tag, World};
use crate::wifi::{Loss, MeshConfig, Output, Speed, Ways};

/// The steps between the nodes of a mesh.
pub(super) fn steps(
    channel: u16,
    spec: &ChannelSpec,
    config: &MeshConfig,
    steps: &mut [Vec<(Step, NodeId)>],
) {
    for (from, (at, _)) in (0..).zip(&spec.stations) {
        for (neighbour, (other, _)) in (0..).zip(config.neighbours(from)) {
            let node = spec.stations[usize::from(other)].0;
            steps[at.index()].push((Step::Across { channel, from, neighbour, node }, node));
        }
    }
}

/// The first steps of one mesh: by node, to which node, and what is there.
pub(super) struct Routes {
    ways: Ways,
    nodes: Vec<NodeId>,
    ends: Vec<Vec<NodeId>>,
    steps: Vec<Vec<(Step, NodeId)>>,
}

impl Routes {
    /// Of all meshes; `steps`: all there are.
    ///
    /// # Errors
    /// Says what is wrong with the routes of one.
    pub(super) fn new(topology: &Topology, steps: &[Vec<(Step, NodeId)>]) -> Result<Vec<Routes>, String> {
        let of_mesh = |(spec, config): (&ChannelSpec, &MeshConfig)| {
            let nodes: Vec<NodeId> = spec.stations.iter().map(|(node, _)| *node).collect();
            Ok(Routes {
                ways: Ways::new(config).map_err(|errors| errors[0].to_string())?,
                ends: nodes.iter().map(|node| ends(*node, steps)).collect(),
                steps: nodes.iter().map(|node| steps[node.index()].clone()).collect(),
                nodes,
            })
        };
        let meshes = topology.channels.iter().filter_map(|spec| Some((spec, spec.medium.mesh()?)));
        meshes.map(of_mesh).collect()
    }

    /// The first steps from a node, by where they lead to.
    pub(super) fn lead(&self, node: NodeId, first: &mut [Option<Step>]) {
        let Some(from) = self.nodes.iter().position(|own| *own == node) else { return };
        for (to, ends) in self.ends.iter().enumerate() {
            let Some(next) = self.ways.next(from as u16, to as u16) else { continue };
            let next = self.nodes[usize::from(next)];
            let step =
                self.steps[from].iter().find(|(step, to)| *to == next && matches!(step, Step::Across { .. }));
            let (step, _) = step.expect("who is next is a neighbour");
            ends.iter().for_each(|to| first[to.index()] = Some(*step));
        }
    }
}

/// A node of a mesh and what is behind it on wires.
fn ends(node: NodeId, steps: &[Vec<(Step, NodeId)>]) -> Vec<NodeId> {
    let mut all = vec![node];
    let mut next = 0;
    while next < all.len() {
        for (step, to) in &steps[all[next].index()] {
            if matches!(step, Step::Wire(_)) && !all.contains(to) {
                all.push(*to);
            }
        }
        next += 1;
    }
    all
}

impl<B: Tag, T: Copy> World<B, T> {
    /// A packet comes to the queue of a mesh's node, for one of its neighbours.
    #[inline(never)]
    pub(super) fn cross(
        &mut self,
        packet: Handle,
        (channel, from): (u16, u16),
        (neighbour, node): (u16, NodeId),
    ) {
        self.pool.body_mut(packet).enter(node, neighbour, self.now);
        self.pool.set_sta(packet, neighbour);
        self.reports.push(Report::Queued { at: Place::Node(from), packet });
        let own = &mut self.channels[usize::from(channel)];
        own.medium.send_from(&mut self.pool, from, packet, self.now);
        own.max_packets = own.max_packets.max(own.medium.queued());
        self.heed(channel);
    }

    /// Whether what is at node `at` of a mesh, by its number, and goes to `to` is at its node `next` next.
    pub fn leads(&self, at: NodeId, next: NodeId, to: NodeId) -> bool {
        at != to && matches!(self.topology.step(at, to), Step::Across { node, .. } if node == next)
    }

    /// [`Medium::change_queue`](crate::wifi::Medium::change_queue).
    pub fn change_queue(&mut self, channel: u16, node: u16, params: &Params) {
        let medium = &mut self.channels[usize::from(channel)].medium;
        medium.change_queue(&mut self.pool, node, params, self.now);
        self.listen(channel.into());
    }

    /// [`Medium::set_link`](crate::wifi::Medium::set_link).
    pub fn set_link(&mut self, channel: u16, link: usize, speed: impl Into<Speed>, loss: Loss) {
        self.channels[usize::from(channel)].medium.set_link(link, speed, loss, self.now);
        self.look_on_air();
    }

    /// What a mesh says.
    #[inline(never)]
    pub(super) fn on_mesh(&mut self, output: Output) -> Option<Report<T>> {
        Some(match output {
            Output::Across(packet) => {
                let carried = self.pool.body_mut(packet);
                carried.crossed_ns = self.now;
                let &mut Carried { at, to, .. } = carried;
                self.pass(packet, at, to, None);
                return None;
            }
            Output::NodeDropped(node, packet, why) => {
                // One of the books' two, as in a cell.
                *if node == 0 { &mut self.books.dropped_ap } else { &mut self.books.dropped_uplink } += 1;
                Report::Dropped { at: Place::Node(node), packet, why }
            }
            Output::NodeDequeued(node, packet) => Report::Dequeued { at: Place::Node(node), packet },
            Output::NodeSent { hop, label: tag, tx, way } => {
                Report::Sent { at: Place::Hop(hop.0, hop.1), tag, tx, way }
            }
            _ => return None,
        })
    }
}
