// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The nodes of a mesh in a run: their queues, and what becomes of a packet at each of them.
//!
//! The first node's events count in the fingerprint as an access point's, the others' as those of stations. A packet goes
//! down where it goes towards its application's clients.
//!
//! What it does not do: it hashes nothing of what becomes of a packet between two nodes but the end of each frame.

use airtab_core::{Handle, Reason, Tx};

use super::{Body, Simulation};
use crate::backlog::Backlog;
use crate::scenario::{Change, Changed, Scenario};
use crate::trace::NodeTrace;
use crate::wifi::{NodeAir, Way};
use crate::world::{Carried, HomeHost, Place};

/// All of them; none of a home.
pub(super) struct Nodes(Vec<Own>);

struct Own {
    name: String,
    backlog: Backlog,
    arrived: u64,
    dropped: u64,
    sent: u64,
    frames: f64,
}

impl Nodes {
    pub(super) fn new(scenario: &Scenario) -> Nodes {
        let meshed = scenario.medium.mesh().map(|_| scenario.stations.iter());
        let own = |name: &String| Own {
            name: name.clone(),
            backlog: Backlog::new(scenario.measure_ns.clone()),
            arrived: 0,
            dropped: 0,
            sent: 0,
            frames: 0.0,
        };
        Nodes(meshed.into_iter().flatten().map(|node| own(&node.name)).collect())
    }

    fn at(&mut self, node: u16) -> &mut Own {
        &mut self.0[usize::from(node)]
    }

    /// At the end of the run.
    pub(super) fn finish(self, air: &[NodeAir], now: u64) -> Vec<NodeTrace> {
        let node = |(mut own, air): (Own, &NodeAir)| NodeTrace {
            name: own.name,
            mean_packets: own.backlog.mean(now),
            max_packets: own.backlog.most(now),
            arrived: own.arrived,
            dropped: own.dropped,
            sent: own.sent,
            frames: own.frames,
            air: *air,
        };
        self.0.into_iter().zip(air).map(node).collect()
    }
}

impl Simulation {
    /// A link becomes another one.
    #[cold]
    pub(super) fn change(&mut self, number: u16) {
        let Change { link, speed, loss, .. } = self.changes[usize::from(number)];
        match link {
            Changed::Station(station) => self.world.set_station(0, station, speed, loss),
            Changed::Link(link) => self.world.set_link(0, link, speed, loss),
        }
    }

    #[inline(never)]
    pub(super) fn queued_at_node(&mut self, node: u16, packet: Handle) {
        let now = self.now;
        let Body { app, flow, up, ref load, .. } = self.world.pool().body(packet).body;
        if let (Some(dnb), true) = (&mut self.dnb, load.has_data()) {
            dnb.saw(flow, up);
        }
        self.meter(app).arrived(now);
        self.backlog.changed(true, now);
        let own = self.nodes.at(node);
        own.backlog.changed(true, now);
        own.arrived += u64::from(own.backlog.measures(now));
        if node == 0 {
            self.note(3, flow.into());
        }
    }

    #[inline(never)]
    pub(super) fn dequeued_at_node(&mut self, node: u16, packet: Handle) {
        let now = self.now;
        let &Carried { body: Body { app, made, .. }, queued_ns, .. } = self.world.pool().body(packet);
        if !made {
            self.meter(app).dequeued(queued_ns, now);
            self.backlog.changed(false, now);
            self.nodes.at(node).backlog.changed(false, now);
        }
    }

    #[inline(never)]
    pub(super) fn dropped_at_node(&mut self, at: Place, (app, flow, up): (u16, u16, bool), why: Reason) {
        let Place::Node(node) = at else { return };
        let now = self.now;
        match node {
            0 => self.note(5, u64::from(flow) << 8 | why as u64),
            _ => self.note(6, flow.into()),
        }
        self.meter(app).dropped(now);
        self.backlog.changed(false, now);
        let own = self.nodes.at(node);
        own.backlog.changed(false, now);
        own.dropped += u64::from(own.backlog.measures(now));
        if self.apps[usize::from(app)].saturates && self.is_source(flow, up, node) {
            self.settled(flow, true);
        }
    }

    /// A packet at a node, or an access point, went with another one.
    pub(super) fn merged_at(&mut self, at: Place) {
        if let Place::Node(node) = at {
            self.nodes.at(node).backlog.changed(false, self.now);
        }
    }

    #[inline(never)]
    pub(super) fn sent_by_node(&mut self, (node, next): (u16, u16), tag: u32, tx: Tx, way: Way) {
        let now = self.now;
        let at = |node| self.home.node(HomeHost::Station(node));
        let flow = tag as u16;
        let down = self.world.leads(at(node), at(next), self.flows[usize::from(flow)].station);
        self.note(7, u64::from(tx.attempts) << 8 | u64::from(down) << 1 | u64::from(tx.acked));
        let running = &mut self.apps[(tag >> 16) as usize];
        running.meter.transmitted(!down, tx, now);
        running.meter.went_out(!down, way, now);
        let own = self.nodes.at(node);
        if way.mpdus > 0 && own.backlog.measures(now) {
            own.sent += 1;
            own.frames += 1.0 / f64::from(way.mpdus);
        }
        if running.saturates && self.is_source(flow, !down, node) {
            self.settled(flow, false);
        }
    }

    /// Whether a flow's packets, those that go up or those that go down, come to their first queue at a node.
    fn is_source(&self, flow: u16, up: bool, node: u16) -> bool {
        let own = &self.flows[usize::from(flow)];
        self.home.node(HomeHost::Station(node)) == if up { own.station } else { own.source }
    }
}
