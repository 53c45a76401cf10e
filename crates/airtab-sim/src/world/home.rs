//! Today's home as a topology.
//!
//! ```text
//! server --access link--+                     channel
//! server --access link--+--switch--trunk-- AP ~~~~~~~~ stations
//! ```
//! The switch is two nodes, one for each direction: servers talk to each other by
//! way of the access point, so that a packet on its way up meets no other on the
//! access link but those that came over the trunk.

use airtab_core::Params;

use super::topology::{ChannelSpec, Node, NodeId, Topology, WireQueue, WireSpec};
use crate::scenario::Scenario;

/// Who is which node.
#[derive(Clone, Copy, Debug)]
pub struct Home {
    stations: u32,
}

const DOWN_SWITCH: NodeId = NodeId(1);
const UP_SWITCH: NodeId = NodeId(2);
const FIRST_STATION: u32 = 3;

impl Home {
    /// The access point.
    pub const ACCESS_POINT: NodeId = NodeId(0);

    /// A station by its number.
    pub fn station(self, i: u16) -> NodeId {
        NodeId(FIRST_STATION + u32::from(i))
    }

    /// A server by its number.
    pub fn server(self, i: u16) -> NodeId {
        NodeId(FIRST_STATION + self.stations + u32::from(i))
    }

    /// The wires, the access point and the stations of a scenario, with a server for each
    /// latency of an access link, one way, ns. `queue` is the access point's discipline.
    ///
    /// # Errors
    /// If the scenario or the parameters break a rule of theirs.
    pub fn new(
        scenario: &Scenario,
        access_ns: impl IntoIterator<Item = u64>,
        queue: &Params,
    ) -> Result<(Home, Topology), String> {
        scenario.check()?;
        let home = Home { stations: scenario.stations.len() as u32 };
        let wired = &scenario.wired;
        let wire = |from, to, latency_ns| WireSpec {
            from,
            to,
            rate_bps: wired.rate_bps,
            latency_ns,
            queue: WireQueue::DropTail(wired.queue_packets),
        };
        let mut wires = vec![
            wire(DOWN_SWITCH, Home::ACCESS_POINT, wired.trunk_ns),
            wire(Home::ACCESS_POINT, UP_SWITCH, wired.trunk_ns),
        ];
        let mut nodes = vec![Node::Host, Node::Switch, Node::Switch];
        nodes.extend(scenario.stations.iter().map(|_| Node::Host));
        for (i, latency_ns) in (0..).zip(access_ns) {
            nodes.push(Node::Host);
            wires.push(wire(home.server(i), DOWN_SWITCH, latency_ns));
            wires.push(wire(UP_SWITCH, home.server(i), latency_ns));
        }
        let channel = ChannelSpec {
            access_point: Home::ACCESS_POINT,
            stations: (0..).map(|i| home.station(i)).zip(scenario.stations.iter().cloned()).collect(),
            medium: scenario.medium.clone(),
            queue: queue.clone(),
        };
        Ok((home, Topology::new(nodes, wires, vec![channel])?))
    }
}
