// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A wireless mesh: nodes with a radio each on one channel, links between those that decode each other, and who is
//! next to whom (Showail 2016, 4.2.1, 5.7). Each node has what an access point has: discipline, driver, MAC.
//!
//! A node numbers its neighbours from 0 on, in their order: these are the stations that its discipline and its driver
//! know. Both directions of a link have one rate and one loss.
//!
//! Where all sense each other, the nodes share the slots of a cell (`channel`); else, and in full duplex, each has its own
//! (`apart`).
//!
//! What it does not do: no routing protocol, no beacons, no access categories; who leads where is `world`'s to say.

use std::collections::HashSet;

use airtab_core::{Link, Rate};

use super::access::AccessMethod;
use super::apart::Apart;
use super::config::{CellConfig, DriverConfig, Loss, Speed};
use super::dnb::DnbConfig;
use super::edca::Edca;
use super::phy::Radios;
use super::reach::{MAX_NODES, Ranges, Reach};
use super::ways::Ways;

/// A mesh, as plain data.
#[derive(Clone, Debug)]
pub struct MeshConfig {
    /// MAC and driver of every node, without beacons.
    pub cell: CellConfig,
    /// Who reaches whom.
    pub reach: Reach,
    /// Whether who receives a frame may send another one (`duplex`).
    pub duplex: bool,
    /// Links, each between two nodes that decode each other.
    pub links: Vec<MeshLink>,
    /// What nodes have of their own; of as many as there are in `reach`.
    pub nodes: Vec<MeshNode>,
    /// Ways that are not to be the shortest ones: nodes, from the first to the last.
    pub routes: Vec<Vec<u16>>,
    /// What `reach` follows from, for who asks; None: from lists.
    pub layout: Option<Layout>,
    /// How limits of its nodes' `dnb` queues are set while it runs; None: they stay.
    pub dnb: Option<DnbConfig>,
}

/// Where nodes are, and what follows from that.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Of each node, metres.
    pub places: Vec<(f64, f64)>,
    /// How far frames reach.
    pub ranges: Ranges,
    /// How much stronger a frame has to be to survive another one, dB; None: it never does.
    pub capture_db: Option<f64>,
}

/// A link of a mesh, the same both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshLink {
    /// The nodes at its ends, the lower number first.
    pub ends: (u16, u16),
    /// How fast its frames go.
    pub speed: Speed,
    /// Which of them are lost beside those that others disturb.
    pub loss: Loss,
}

/// What a node has of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshNode {
    /// Whether it sends aggregates, where the cell has any.
    pub aggregates: bool,
    /// Packets that its driver takes; None: as the cell says.
    pub ring: Option<usize>,
}

impl Default for MeshNode {
    /// As the cell says.
    fn default() -> MeshNode {
        MeshNode { aggregates: true, ring: None }
    }
}

impl MeshConfig {
    /// Nodes at those places, metres, with a link of that speed between all that decode each other.
    pub fn new(
        cell: CellConfig,
        places: &[(f64, f64)],
        ranges: &Ranges,
        capture_db: Option<f64>,
        speed: impl Into<Speed>,
    ) -> MeshConfig {
        let (reach, speed) = (Reach::of_positions(places, ranges, capture_db), speed.into());
        let nodes = 0..places.len() as u16;
        let pairs = nodes.clone().flat_map(|a| nodes.clone().skip(usize::from(a) + 1).map(move |b| (a, b)));
        let near = pairs.filter(|(a, b)| reach.decodes(usize::from(*a)).has(usize::from(*b)));
        let links = near.map(|ends| MeshLink { ends, speed, loss: Loss::None }).collect();
        let cell = CellConfig { beacon: None, edca: Edca::Off, txop: false, ..cell };
        let layout = Some(Layout { places: places.to_vec(), ranges: *ranges, capture_db });
        let nodes = vec![MeshNode::default(); places.len()];
        MeshConfig { cell, reach, duplex: false, links, nodes, routes: Vec::new(), layout, dnb: None }
    }

    /// How long it takes to sense that somebody sends, ns: 15 us where slots are 20 us, else 4 us (IEEE 802.11-2020
    /// aCCATime, less what the radio needs to turn).
    pub fn sense_ns(&self) -> u64 {
        if self.cell.phy.slot_ns() >= 20_000 { 15_000 } else { 4_000 }
    }

    /// Whether each node counts slots of its own: not all sense each other, or some send while others do.
    fn is_apart(&self) -> bool {
        self.duplex || !self.reach.is_one_domain()
    }

    /// Number of the link between two nodes.
    pub fn link_between(&self, a: u16, b: u16) -> Option<usize> {
        self.links.iter().position(|link| link.ends == (a.min(b), a.max(b)))
    }

    /// Who a node has links to, and their numbers, by the neighbour.
    pub fn neighbours(&self, node: u16) -> Vec<(u16, u16)> {
        let other = |(a, b): (u16, u16)| [(a, b), (b, a)].into_iter().find(|ends| ends.0 == node);
        let own = (0..).zip(&self.links).filter_map(|(i, link)| Some((other(link.ends)?.1, i)));
        let mut own: Vec<_> = own.collect();
        own.sort_unstable();
        own
    }

    /// Full packets that an aggregate of a node carries at that rate; 1 where it sends none.
    pub(super) fn aggregate_frames(&self, node: u16, rate: Rate) -> u32 {
        let link = [("link", Speed::from(rate), Loss::None)];
        let link = Radios::new(&self.cell, &link, 0).link(0);
        if self.nodes[usize::from(node)].aggregates { link.ampdu_frames } else { 1 }
    }

    /// The cell of one node.
    fn of_node(&self, node: usize) -> CellConfig {
        let MeshNode { aggregates, ring } = self.nodes[node];
        let cell = self.cell.clone();
        let aggregation = cell.aggregation.filter(|_| aggregates);
        let driver = DriverConfig { ring: ring.unwrap_or(cell.driver.ring), ..cell.driver };
        CellConfig { aggregation, driver, ..cell }
    }

    /// The rules that it breaks.
    ///
    /// # Errors
    /// Says what is wrong, and what is allowed.
    pub fn check(&self) -> Result<(), String> {
        let unless = |ok: bool, message: String| if ok { Ok(()) } else { Err(message) };
        self.cell.check()?;
        let (nodes, known) = (self.reach.nodes(), self.nodes.len());
        unless((2..=MAX_NODES).contains(&nodes), format!("{nodes} nodes of a mesh: 2 to {MAX_NODES}"))?;
        unless(nodes == known, format!("{known} nodes are described, {nodes} reach each other"))?;
        unless(self.nodes.iter().all(|node| node.ring != Some(0)), "the ring of a node: 1 at least".into())?;
        let CellConfig { edca, ofdma, beacon, access, ap_access, .. } = &self.cell;
        let plain = *access == AccessMethod::default() && ap_access.is_none();
        unless(*edca == Edca::Off, "edca: a mesh has no access categories: only \"off\"".into())?;
        unless(ofdma.is_none(), "ofdma: only an access point sends to several at once".into())?;
        unless(plain, "access: all nodes of a mesh draw by DCF".into())?;
        unless(beacon.is_none(), "beacons: a mesh has none".into())?;
        let phy = self.cell.phy;
        let single = format!("full duplex: {} has aggregates; only with rates in Mb/s", phy.name());
        unless(!self.duplex || !phy.has_mcs(), single)?;
        let rts = "full duplex: no RTS before DATA: the tone of its receiver keeps others away";
        unless(!self.duplex || self.cell.rts_bytes.is_none(), rts.into())?;
        let mut seen = HashSet::new();
        for (i, link) in self.links.iter().enumerate() {
            let (a, b) = link.ends;
            let good = a < b && usize::from(b) < nodes && self.reach.decodes(a.into()).has(b.into());
            unless(good, format!("link {i}: nodes {a} and {b} do not decode each other"))?;
            unless(seen.insert(link.ends), format!("link {i}: nodes {a} and {b} have one already"))?;
            let p = link.loss.data_error_rate();
            unless((0.0..=1.0).contains(&p), format!("link {i}: frame error rate {p}: 0 to 1"))?;
        }
        Ways::new(self).map_err(|errors| errors[0].to_string())?;
        self.dnb.as_ref().map_or(Ok(()), DnbConfig::check)
    }
}

/// A running mesh: who is next to whom.
pub(super) struct Mesh {
    reach: Reach,
    /// By link: its ends, and the number that each end has at the other one.
    links: Vec<Ends>,
    /// By node: its links, by the neighbour's number.
    own: Vec<Vec<u16>>,
    aggregates: Vec<bool>,
    /// All share the slots, and not all decode each other.
    faint: bool,
    /// By node, frames that it began, and those of them that collided, where all share the slots.
    tried: Vec<(u64, u64)>,
    /// None: all share the slots.
    pub(super) air: Option<Apart>,
}

#[derive(Clone, Copy)]
struct Ends {
    /// The lower one first.
    nodes: (u16, u16),
    /// Number of the second at the first, and of the first at the second.
    numbers: (u16, u16),
}

impl Mesh {
    pub(super) fn new(config: &MeshConfig) -> Mesh {
        let nodes = config.reach.nodes();
        let neighbours: Vec<_> = (0..nodes as u16).map(|node| config.neighbours(node)).collect();
        let number = |at: u16, of: u16| {
            let place = neighbours[usize::from(at)].iter().position(|own| own.0 == of);
            place.expect("a link's ends are neighbours") as u16
        };
        let ends = |(a, b): (u16, u16)| Ends { nodes: (a, b), numbers: (number(a, b), number(b, a)) };
        Mesh {
            links: config.links.iter().map(|link| ends(link.ends)).collect(),
            own: neighbours.iter().map(|own| own.iter().map(|(_, link)| *link).collect()).collect(),
            aggregates: config.nodes.iter().map(|node| node.aggregates).collect(),
            faint: !config.is_apart() && !config.reach.is_decoded_by_all(),
            tried: vec![(0, 0); nodes],
            air: config.is_apart().then(|| Apart::new(config)),
            reach: config.reach.clone(),
        }
    }

    /// Its own driver and aggregates.
    pub(super) fn of_node(config: &MeshConfig, node: usize) -> CellConfig {
        config.of_node(node)
    }

    /// Who reaches whom, and what is on the air where not all sense each other.
    pub(super) fn parts(&mut self) -> Option<(&Reach, &mut Apart)> {
        Some((&self.reach, self.air.as_mut()?))
    }

    /// Who reaches whom.
    pub(super) fn reach(&self) -> &Reach {
        &self.reach
    }

    /// What is on the air where not all sense each other.
    pub(super) fn air(&self) -> Option<&Apart> {
        self.air.as_ref()
    }

    /// The number that a node has for who is at the other end of one of its links.
    #[inline]
    pub(super) fn number(&self, node: u16, link: u16) -> u16 {
        let Ends { nodes, numbers } = self.links[usize::from(link)];
        if nodes.0 == node { numbers.0 } else { numbers.1 }
    }

    /// The number that this one has at the other end.
    pub(super) fn back(&self, node: u16, link: u16) -> u16 {
        let Ends { nodes, numbers } = self.links[usize::from(link)];
        if nodes.0 == node { numbers.1 } else { numbers.0 }
    }

    /// Whether a node is the first end of one of its links.
    #[inline]
    pub(super) fn is_first(&self, node: u16, link: u16) -> bool {
        self.links[usize::from(link)].nodes.0 == node
    }

    /// The link from a node to one of its neighbours, and whether it is that link's first end.
    #[inline]
    pub(super) fn link(&self, node: u16, number: u16) -> (u16, bool) {
        let link = self.own[usize::from(node)][usize::from(number)];
        (link, self.is_first(node, link))
    }

    /// The node at the other end of a link.
    #[inline]
    pub(super) fn other(&self, node: u16, link: u16) -> u16 {
        let (a, b) = self.links[usize::from(link)].nodes;
        if a == node { b } else { a }
    }

    /// The ends of a link.
    pub(super) fn ends(&self, link: usize) -> (u16, u16) {
        self.links[link].nodes
    }

    /// How many neighbours a node has.
    pub(super) fn degree(&self, node: usize) -> usize {
        self.own[node].len()
    }

    /// Whether a node sends aggregates, where there are any.
    pub(super) fn aggregates(&self, node: u16) -> bool {
        self.aggregates[usize::from(node)]
    }

    /// Who senses a node.
    pub(super) fn senses(&self, node: u16) -> impl Iterator<Item = usize> + use<> {
        self.reach.senses(node.into()).iter()
    }

    /// What a node's discipline is told of its links.
    pub(super) fn links(&self, node: usize, radios: &Radios) -> impl Iterator<Item = Link> {
        let told = |(number, link): (u16, &u16)| Link { sta: number, ..radios.link(usize::from(*link)) };
        (0..).zip(&self.own[node]).map(told)
    }

    /// Who begins to send where all share the slots.
    pub(super) fn tried(&mut self, senders: &[usize]) {
        let collided = u64::from(senders.len() > 1);
        for sender in senders {
            let (attempts, collisions) = &mut self.tried[*sender];
            (*attempts, *collisions) = (*attempts + 1, *collisions + collided);
        }
    }

    /// Frames that a node began, and those of them that collided.
    pub(super) fn attempts(&self, node: usize) -> (u64, u64) {
        self.air.as_ref().map_or(self.tried[node], |air| air.attempts(node))
    }

    /// Where all share the slots: who receives the last frame of an exchange in error, the addressee of a frame that
    /// was not answered apart, for it is too far from who sent it.
    pub(super) fn undecoded(
        &self,
        sender: usize,
        to: Option<usize>,
        answered: bool,
        errored: &mut Vec<usize>,
    ) {
        if !self.faint {
            return;
        }
        let last = to.filter(|_| answered).unwrap_or(sender);
        let far = self.reach.senses(last).without(&self.reach.decodes(last));
        errored.extend(far.iter().filter(|node| *node != sender && Some(*node) != to));
    }
}
