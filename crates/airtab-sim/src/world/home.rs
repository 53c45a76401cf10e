// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Today's home as a topology.
//!
//! ```text
//! server --access link--+                     channel
//! server --access link--+--switch--trunk-- AP ~~~~~~~~ stations
//! ```
//! The switch is two nodes, one for each direction: servers talk to each other by
//! way of the access point, so that a packet on its way up meets no other on the
//! access link but those that came over the trunk.
//!
//! A dumbbell may have narrow wires in a row: routers before the last one, each with the discipline on the wire to the
//! next. A server's access link leads to one of them, so that what it sends meets there what comes from further away.
//! The way back is the switch's.
//!
//! ```text
//! server --access link--router--narrow--router--narrow--switch--trunk-- AP --narrow-- stations
//!                        server --access link--+          +--access link-- server
//! ```
//!
//! A mesh has nodes in the place of access point and stations, and before each of them such a switch for the servers
//! behind it.

use airtab_core::Params;

use super::topology::{ChannelSpec, Node, NodeId, Topology, WireQueue, WireSpec};
use crate::scenario::{Access, Scenario, Servers};
use crate::wifi::WireConfig;

/// A host of a home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeHost {
    /// The access point.
    AccessPoint,
    /// A station by its number.
    Station(u16),
    /// A server by its number.
    Server(u16),
}

/// Who is which node.
#[derive(Clone, Copy, Debug)]
pub struct Home {
    /// Routers before the last one.
    hops: u32,
    stations: u32,
    /// Its stations are the nodes of a mesh, each with a switch for each direction before the hosts behind it.
    mesh: bool,
}

const ACCESS_POINT: NodeId = NodeId(0);
const DOWN_SWITCH: NodeId = NodeId(1);
const UP_SWITCH: NodeId = NodeId(2);
const FIRST_ROUTER: u32 = 3;

impl Home {
    /// The node of a host.
    pub fn node(self, host: HomeHost) -> NodeId {
        match host {
            HomeHost::AccessPoint => ACCESS_POINT,
            HomeHost::Station(i) if self.mesh => NodeId(i.into()),
            HomeHost::Station(i) => NodeId(self.first_station() + u32::from(i)),
            HomeHost::Server(i) => NodeId(self.first_station() + self.stations + u32::from(i)),
        }
    }

    fn first_station(self) -> u32 {
        if self.mesh { 2 * self.stations } else { FIRST_ROUTER + self.hops }
    }

    /// Where the packets of an application's servers come to a queue before the air: the access point, or a mesh's node.
    pub(crate) fn gateway(self, servers: Servers) -> NodeId {
        match servers {
            Servers::Behind(node, _) => NodeId(u32::from(node)),
            _ => ACCESS_POINT,
        }
    }

    /// Where what has so many narrow wires behind it comes on its way down: a router, or the switch before the last. Of a
    /// mesh: the switch before that node.
    fn entry(self, hop: u16) -> NodeId {
        if self.mesh {
            return NodeId(self.stations + 2 * u32::from(hop));
        }
        if u32::from(hop) < self.hops { NodeId(FIRST_ROUTER + u32::from(hop)) } else { DOWN_SWITCH }
    }

    /// Where what goes back to such a server leaves.
    fn exit(self, hop: u16) -> NodeId {
        if self.mesh { NodeId(self.entry(hop).0 + 1) } else { UP_SWITCH }
    }

    /// The host of a node; None of a switch.
    pub fn host(self, node: NodeId) -> Option<HomeHost> {
        if self.mesh && node.0 < self.stations {
            return Some(HomeHost::Station(node.0 as u16));
        }
        match node {
            _ if self.mesh => {
                let server = node.0.checked_sub(self.first_station() + self.stations)?;
                Some(HomeHost::Server(server as u16))
            }
            ACCESS_POINT => Some(HomeHost::AccessPoint),
            NodeId(n) => {
                let i = n.checked_sub(self.first_station())?;
                Some(match i.checked_sub(self.stations) {
                    None => HomeHost::Station(i as u16),
                    Some(i) => HomeHost::Server(i as u16),
                })
            }
        }
    }

    /// The wires, the access point and the stations of a scenario, with a server for each
    /// access link. `queue` is the access point's discipline.
    ///
    /// # Errors
    /// If the scenario or the parameters break a rule of theirs.
    pub fn new(
        scenario: &Scenario,
        access: impl IntoIterator<Item = Access>,
        queue: &Params,
    ) -> Result<(Home, Topology), String> {
        scenario.check()?;
        let wired = &scenario.wired;
        let mesh = scenario.medium.mesh().is_some();
        let home = Home { hops: wired.hops.into(), stations: scenario.stations.len() as u32, mesh };
        let wire = |from, to, rate_bps, latency_ns| WireSpec {
            from,
            to,
            rate_bps,
            overhead: 0,
            latency_ns,
            queue: WireQueue::DropTail(wired.queue_packets),
        };
        let trunk = |before: NodeId, at: NodeId, behind: NodeId| {
            [
                wire(before, at, wired.rate_bps, wired.trunk.down_ns),
                wire(at, behind, wired.rate_bps, wired.trunk.up_ns),
            ]
        };
        let (mut wires, mut nodes) = (Vec::new(), Vec::new());
        if mesh {
            nodes.extend(scenario.stations.iter().map(|_| Node::Host));
            for node in (0..=u16::MAX).take(scenario.stations.len()) {
                nodes.extend([Node::Switch, Node::Switch]);
                wires.extend(trunk(home.entry(node), NodeId(node.into()), home.exit(node)));
            }
        } else {
            nodes.extend([Node::Host, Node::Switch, Node::Switch]);
            wires.extend(trunk(DOWN_SWITCH, ACCESS_POINT, UP_SWITCH));
            nodes.extend((0..wired.hops).map(|_| Node::Switch));
            nodes.extend(scenario.stations.iter().map(|_| Node::Host));
        }
        for (i, Access { rate_bps, latency, hop }) in (0..=u16::MAX).zip(access) {
            nodes.push(Node::Host);
            wires.push(wire(home.node(HomeHost::Server(i)), home.entry(hop), rate_bps, latency.down_ns));
            wires.push(wire(home.exit(hop), home.node(HomeHost::Server(i)), rate_bps, latency.up_ns));
        }
        if let Some(WireConfig { rate_bps, overhead }) = scenario.medium.wire() {
            wires.extend((0..wired.hops).map(|hop| WireSpec {
                from: home.entry(hop),
                to: home.entry(hop + 1),
                rate_bps,
                overhead,
                latency_ns: wired.trunk.down_ns,
                queue: WireQueue::Discipline(queue.clone()),
            }));
        }
        let channel = ChannelSpec {
            access_point: ACCESS_POINT,
            stations: (0..)
                .map(|i| home.node(HomeHost::Station(i)))
                .zip(scenario.stations.iter().cloned())
                .collect(),
            medium: scenario.medium.clone(),
            queue: queue.clone(),
        };
        Ok((home, Topology::new(nodes, wires, vec![channel])?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_a_node_of_its_own() {
        let home = Home { hops: 0, stations: 2, mesh: false };
        let hosts = [
            HomeHost::AccessPoint,
            HomeHost::Station(0),
            HomeHost::Station(1),
            HomeHost::Server(0),
            HomeHost::Server(1),
        ];
        let nodes = hosts.map(|host| home.node(host).0);
        assert_eq!(nodes, [0, 3, 4, 5, 6]);
        assert_eq!(hosts.map(|host| home.host(home.node(host))), hosts.map(Some));
        assert_eq!([DOWN_SWITCH, UP_SWITCH].map(|node| home.host(node)), [None; 2]);
    }

    #[test]
    fn every_node_of_a_mesh_has_its_switches() {
        let home = Home { hops: 0, stations: 3, mesh: true };
        let hosts = [HomeHost::Station(0), HomeHost::Station(2), HomeHost::Server(0), HomeHost::Server(1)];
        let nodes = hosts.map(|host| home.node(host).0);
        assert_eq!(nodes, [0, 2, 9, 10]);
        assert_eq!(hosts.map(|host| home.host(home.node(host))), hosts.map(Some));
        let switches = [0, 1, 2].map(|node| [home.entry(node).0, home.exit(node).0]);
        assert_eq!(switches, [[3, 4], [5, 6], [7, 8]]);
        assert!(switches.iter().flatten().all(|node| home.host(NodeId(*node)).is_none()));
    }

    #[test]
    fn routers_are_nobodys() {
        let home = Home { hops: 2, stations: 2, mesh: false };
        assert_eq!([0, 1, 2, 3].map(|hop| home.entry(hop).0), [3, 4, 1, 1]);
        let hosts = [HomeHost::Station(0), HomeHost::Station(1), HomeHost::Server(0)];
        let nodes = hosts.map(|host| home.node(host).0);
        assert_eq!(nodes, [5, 6, 7]);
        assert_eq!(hosts.map(|host| home.host(home.node(host))), hosts.map(Some));
        assert_eq!([3, 4].map(|node| home.host(NodeId(node))), [None; 2]);
    }
}
