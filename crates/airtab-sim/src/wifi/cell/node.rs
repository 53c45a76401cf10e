// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A cell whose transmitters are the nodes of a mesh: how it is made, and what is asked of single nodes.
//!
//! The first node has the random streams of an access point and the others those of stations, so that a mesh whose
//! nodes all decode each other, and talk to the first one alone, is that cell.
//!
//! What it does not do: who is next to whom is `mesh`'s, and the air where not all sense each other `apart`'s.

use super::*;
use crate::wifi::mesh::MeshConfig;
use crate::wifi::output::NodeAir;

impl Cell {
    /// Nodes of those names. `queue` is the first one's discipline; the others get theirs by [`Cell::set_uplink`].
    ///
    /// # Panics
    /// If the configuration breaks a rule of its own.
    pub fn mesh(config: &MeshConfig, names: &[&str], queue: Qdisc, seed: u64) -> Cell {
        let mesh = Mesh::new(config);
        let of_link = |(a, b): (u16, u16)| match (names[usize::from(a)], names[usize::from(b)]) {
            (_, other) if a == 0 => other.to_string(),
            (one, other) => format!("{one}/{other}"),
        };
        let of_links: Vec<String> = config.links.iter().map(|link| of_link(link.ends)).collect();
        let links: Vec<(&str, Speed, Loss)> = of_links
            .iter()
            .zip(&config.links)
            .map(|(name, link)| (name.as_str(), link.speed, link.loss))
            .collect();
        let radios = Radios::new(&config.cell, &links, seed);
        let cell = &config.cell;
        let (mut contenders, mut transmitters) = (Vec::new(), Vec::new());
        let mut queue = Some(queue);
        for (number, name) in names.iter().enumerate() {
            let slowest =
                config.neighbours(number as u16).iter().map(|own| links[usize::from(own.1)].1.kbps()).min();
            let kbps = slowest.filter(|_| number > 0);
            let contest = Contest { phy: &cell.phy, kbps, number, contenders: names.len() };
            let stream = match number {
                0 => "backoff/access point".into(),
                _ => format!("backoff/station/{name}"),
            };
            let rule = Rule::new(&AccessRule::default(), &contest);
            contenders.push(Contender::new(number, rule, 0, Stream::new(seed, &stream)));
            let own = Mesh::of_node(config, number);
            let egress = match queue.take() {
                Some(queue) => Egress::Managed(managed(&own, &mesh, (number, queue), &radios, seed)),
                None => Egress::fifo(cell.uplink_packets),
            };
            let side = Side::Node(number as u16);
            transmitters.push(Transmitter::new(side, egress, number, mesh.degree(number), None, &own));
        }
        let nobody = Overhearing::new(std::iter::empty(), seed);
        let mut own = Cell::assemble(cell.clone(), (radios, nobody), contenders, transmitters, (1, None));
        if mesh.air.is_some() {
            own.channel.come_apart();
        }
        own.mesh = Some(Box::new(mesh));
        own.of_nodes = (0..names.len()).map(|node| (Mesh::of_node(config, node), seed)).collect();
        own.set_alarm();
        own.look_ahead();
        own
    }

    /// A node's queue.
    pub(super) fn set_node_queue(&mut self, node: usize, queue: Qdisc) {
        let mesh = self.mesh.as_ref().expect("it is a mesh");
        let egress = &mut self.transmitters[node].egress;
        assert!(egress.len() == 0, "chosen once, before it is used");
        let (own, seed) = &self.of_nodes[node];
        *egress = Egress::Managed(managed(own, mesh, (node, queue), &self.radios, *seed));
        if !self.timed.contains(&node) {
            self.timed.push(node);
        }
        self.set_alarm();
        self.look_ahead();
    }

    /// Hands a packet to a node's queue, for its neighbour of the number that the packet has as a station.
    pub fn send_from<T: Label>(&mut self, pool: &mut Pool<T>, node: u16, packet: Handle, now: u64) {
        self.send(pool, Side::Node(node), packet, now);
    }

    /// A node's discipline has other parameters from now on.
    ///
    /// # Panics
    /// If it is no mesh, there is no such node, or [`Qdisc::change`] does.
    pub fn change_queue<T: Label>(&mut self, pool: &mut Pool<T>, node: u16, params: &Params, now: u64) {
        assert!(self.mesh.is_some(), "only a mesh has nodes");
        let Transmitter { side, egress, .. } = &mut self.transmitters[usize::from(node)];
        let queue = egress.managed_mut().expect("a node has a discipline");
        queue.change(pool, params, now, |p, why| self.outputs.push(side.dropped(p, why)));
    }

    /// Speed and losses of a link change, both ways, from the next attempt on.
    ///
    /// # Panics
    /// If it is no mesh, there is no such link, or a rate is 0.
    pub fn set_link(&mut self, link: usize, speed: impl Into<Speed>, loss: Loss, now: u64) {
        self.radios.set(link, speed.into(), loss, now);
        let mesh = self.mesh.as_ref().expect("only a mesh has links between nodes");
        let (a, b) = mesh.ends(link);
        for node in [a, b] {
            let told = airtab_core::Link { sta: mesh.number(node, link as u16), ..self.radios.link(link) };
            if let Some(queue) = self.transmitters[usize::from(node)].egress.managed_mut() {
                queue.set_station(&told, now);
            }
        }
    }

    /// Where the time of each node went until `now`, and how often it tried; nothing of a cell.
    pub fn nodes(&self, now: u64) -> Vec<NodeAir> {
        let Some(mesh) = &self.mesh else { return Vec::new() };
        let air = |node: usize| {
            let (attempts, collided) = mesh.attempts(node);
            let [own_ns, busy_ns, idle_ns] = match &mesh.air {
                Some(air) => air.times(node, now),
                None => {
                    let (own, idle) = (Use::Frame(node), Use::Idle);
                    let [own, idle] = [own, idle].map(|used| self.channel.ledger().ns(used, now));
                    [own, now - own - idle, idle]
                }
            };
            NodeAir { attempts, collided, own_ns, busy_ns, idle_ns }
        };
        (0..self.transmitters.len()).map(air).collect()
    }

    /// How long a node did not sense others, ns.
    pub(super) fn free_of_node_ns(&self, node: usize, now: u64) -> u64 {
        match self.mesh.as_ref().and_then(|mesh| mesh.air.as_ref()) {
            Some(air) => {
                let [own, _, idle] = air.times(node, now);
                own + idle
            }
            None => {
                [Use::Frame(node), Use::Idle].map(|used| self.channel.ledger().ns(used, now)).iter().sum()
            }
        }
    }

    /// The link that a node's packet takes to a neighbour, and whose transmitter it is for.
    pub(super) fn way_of_node(&self, node: u16, number: u16) -> (Option<u16>, Option<usize>) {
        let mesh = self.mesh.as_ref().expect("nodes are a mesh's");
        if number == GROUP {
            return (None, None);
        }
        let (link, _) = mesh.link(node, number);
        (Some(link), Some(mesh.other(node, link).into()))
    }

    /// A frame of a node is over: what the governors of those hear who sense it.
    pub(super) fn tell_nodes(&mut self, sender: u16, ns: u64, now: u64) {
        let Some(mesh) = &self.mesh else { return };
        for node in mesh.senses(sender) {
            if let Some(queue) = self.transmitters[node].egress.managed_mut() {
                queue.overheard(ns, now);
            }
        }
    }
}

/// A node's discipline over its driver.
fn managed(
    own: &CellConfig,
    mesh: &Mesh,
    (node, queue): (usize, Qdisc),
    radios: &Radios,
    seed: u64,
) -> Managed {
    let links = Links::new(own.phy, mesh.links(node, radios).collect());
    let draws = Stream::new(seed, &format!("completions/{node}"));
    let below = Below::new(&own.driver, links.all(), own.access_ns(Category::BestEffort), draws);
    Managed::new(queue, links).above(below)
}

/// Who receives what a side sends over a link, by its number at a driver.
pub(super) fn receiver_of(mesh: Option<&Mesh>, side: Side, link: Option<u16>) -> Option<usize> {
    match side {
        Side::AccessPoint => link.map(usize::from),
        Side::Station(_) => link.map(|_| 0),
        Side::Node(node) => mesh.zip(link).map(|(mesh, link)| mesh.number(node, link).into()),
    }
}

/// Whom a side sends to over a link, by the number that its discipline knows.
pub(super) fn receiver_at(side: Side, link: Option<u16>, receiver: Option<usize>) -> u16 {
    match side {
        Side::Node(_) => receiver.map_or(GROUP, |receiver| receiver as u16),
        _ => link.unwrap_or(GROUP),
    }
}
