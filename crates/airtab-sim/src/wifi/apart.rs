// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The air where not all nodes hear each other: each counts down while nothing that it senses is on the air, and what
//! becomes of a frame is known when it is over.
//!
//! Events are starts and ends of transmissions, the moment at which one is sensed, and what follows after SIFS or when
//! no answer comes. A node's slots begin when its own idle time does: there is no common clock. A frame is lost where
//! its receiver sends, and where another one overlaps it that reaches there (`reach`).
//!
//! Who decodes a frame that is not for it takes the channel for busy as long as the frame reserves it (NAV): after
//! DATA and CTS until the ACK is over, after RTS until DATA should have begun, which is sensed then (IEEE 802.11-2020
//! 10.3.2.4). Who senses one and does not decode it waits EIFS.
//!
//! In full duplex (`duplex`) the receiver of a frame may send one, too, once it has the header. The two exchanges are a
//! pair: neither's frames disturb the other's at who sends, and both are acknowledged after the later one's DATA.
//!
//! What it does not do: it knows no packets and no rates (`cell/apart` has these). A receiver takes no notice of
//! what began before the frame that it receives but as a disturbance; no losses are drawn for who overhears.

use std::ops::Range;

use super::air::{AirTrace, Ledger, Use};
use super::config::Backoff;
use super::mesh::MeshConfig;
use super::reach::{NodeSet, Reach};
use crate::engine::NEVER;

/// A part of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Rts,
    Cts,
    Data,
    /// What keeps others away until the rest of a pair is over.
    Tone,
    Answer,
}

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) step: Step,
    /// Whose exchange it is.
    pub(super) owner: usize,
    /// Who sends, and for whom; None: for all.
    pub(super) from: usize,
    pub(super) to: Option<usize>,
    /// How long it lasts, and for how long it reserves the channel after that, ns.
    pub(super) ns: u64,
    pub(super) reserves_ns: u64,
    /// Its receiver gets it in error, whoever else sends.
    pub(super) lost: bool,
}

/// Something that happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A node's wait is over: its exchange begins.
    Begins(usize),
    /// A transmission is over; `received`: its addressee has it; `disturbed`: another one reached there.
    Over { sent: Sent, received: bool, disturbed: bool },
    /// Whoever somebody's DATA is for has its header.
    Header(usize),
    /// It is time for the next part of somebody's exchange.
    Next(Step, usize),
    /// Somebody's exchange got no answer.
    TimedOut(usize),
}

/// One that is on the air.
struct Transmission {
    sent: Sent,
    since: u64,
    until: u64,
    /// When it is sensed; NEVER: it is already.
    sensed: u64,
    /// Where it is not received.
    spoiled: NodeSet,
    /// Nodes that sent while it was on the air.
    talked: NodeSet,
}

/// While this another one reached the receiver of an exchange's part, ns from the start of that part.
#[derive(Clone, Debug)]
struct Overlap {
    owner: usize,
    at: Range<u64>,
}

/// A node's radio, and its wait.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Transmissions that it senses.
    heard: u32,
    sending: bool,
    /// It has begun an exchange and does not know yet how it ends.
    engaged: bool,
    /// It has a frame to send.
    ready: bool,
    nav: u64,
    /// End of EIFS after the last frame, if that was in error.
    eifs_until: u64,
    /// When it received a frame last, in full duplex.
    decoded: u64,
    idle_since: u64,
    /// From when on it counts, and slots to go then. None: its backoff is over, and it had nothing to send.
    counts_from: u64,
    left: Option<u64>,
    /// Start of its exchange.
    began: u64,
    /// Whose exchange its own one is a pair with, and when the DATA of both is over; none, and 0: it goes alone.
    along: Option<usize>,
    closes: u64,
    attempts: u64,
    collided: u64,
    /// Its time so far: its own exchanges and answers, others', none; and since when the present part runs.
    own_ns: u64,
    busy_ns: u64,
    idle_ns: u64,
    since: u64,
}

impl Node {
    fn is_idle(&self) -> bool {
        self.heard == 0 && !self.sending
    }

    /// What it was doing until now is booked.
    fn book(&mut self, now: u64) {
        let ns = now - std::mem::replace(&mut self.since, now);
        *match (self.sending || self.engaged, self.heard) {
            (true, _) => &mut self.own_ns,
            (false, 0) => &mut self.idle_ns,
            (false, _) => &mut self.busy_ns,
        } += ns;
    }
}

/// All nodes, and what is on the air.
pub(super) struct Apart {
    slot_ns: u64,
    difs_ns: u64,
    /// None: nobody waits EIFS.
    eifs_ns: Option<u64>,
    sense_ns: u64,
    /// Who sends may receive.
    duplex: bool,
    /// Slots that a busy period itself takes off a backoff.
    busy_slots: u64,
    nodes: Vec<Node>,
    /// By node, when it begins to send if nothing comes between.
    starts: Vec<u64>,
    on_air: Vec<Transmission>,
    /// Of those that are on the air.
    overlaps: Vec<Overlap>,
    plans: Vec<(u64, Event)>,
    ledger: Ledger,
    /// Nodes whose exchange is under way.
    engaged: Vec<usize>,
    exchanges: u64,
    /// In full duplex: bytes of the packets sent so far, and those of them in pairs.
    bytes: u64,
    paired_bytes: u64,
}

impl Apart {
    /// Nobody sends at time 0.
    pub(super) fn new(config: &MeshConfig) -> Apart {
        let (cell, nodes) = (&config.cell, config.reach.nodes());
        let phy = &cell.phy;
        let node = Node { counts_from: phy.difs_ns(), ..Node::default() };
        Apart {
            slot_ns: phy.slot_ns(),
            difs_ns: phy.difs_ns(),
            eifs_ns: cell.eifs.then(|| phy.eifs_ns()),
            sense_ns: config.sense_ns(),
            duplex: config.duplex,
            busy_slots: u64::from(cell.backoff == Backoff::Bianchi),
            nodes: vec![node; nodes],
            starts: vec![NEVER; nodes],
            on_air: Vec::new(),
            overlaps: Vec::new(),
            plans: Vec::new(),
            ledger: Ledger::new(nodes),
            engaged: Vec::new(),
            exchanges: 0,
            bytes: 0,
            paired_bytes: 0,
        }
    }

    /// When something happens next.
    pub(super) fn next_event(&self) -> u64 {
        let starts = self.starts.iter().copied().fold(NEVER, u64::min);
        let air = self.on_air.iter().fold(NEVER, |at, own| at.min(own.until).min(own.sensed));
        self.plans.iter().fold(starts.min(air), |at, plan| at.min(plan.0))
    }

    /// What happens at `now`, one thing after the other; None: nothing more. `draw`: a node's backoff.
    pub(super) fn happens(
        &mut self,
        now: u64,
        reach: &Reach,
        mut draw: impl FnMut(usize) -> u64,
    ) -> Option<Event> {
        loop {
            if let Some(place) = self.on_air.iter().position(|own| own.until == now) {
                return Some(self.ends(place, reach, now, &mut draw));
            }
            if let Some(place) = self.plans.iter().position(|plan| plan.0 == now) {
                return Some(self.plans.remove(place).1);
            }
            if let Some(node) = self.starts.iter().position(|start| *start == now) {
                return Some(Event::Begins(node));
            }
            let sensed = self.on_air.iter_mut().find(|own| own.sensed == now)?;
            sensed.sensed = NEVER;
            for node in reach.senses(sensed.sent.from).iter() {
                self.suspend(node, now);
                self.nodes[node].heard += 1;
            }
        }
    }

    /// A node has no frame any more; what is left of its backoff stays.
    pub(super) fn withdraw(&mut self, node: usize) {
        self.nodes[node].ready = false;
        self.starts[node] = NEVER;
    }

    /// A node without a frame got one.
    pub(super) fn ready(&mut self, node: usize, now: u64, draw: impl FnOnce() -> u64) {
        let own = &mut self.nodes[node];
        own.ready = true;
        if !own.is_idle() {
            own.left = own.left.or_else(|| Some(draw()));
            return;
        }
        let passed = now.saturating_sub(own.counts_from).div_ceil(self.slot_ns);
        if now == own.idle_since {
            // What arrives with the end of a frame found the channel busy.
            own.left = own.left.or_else(|| Some(draw()));
        } else if now >= own.counts_from && own.left.is_some_and(|left| left <= passed) {
            own.left = None;
        }
        self.starts[node] = own.counts_from + own.left.unwrap_or(0).max(passed) * self.slot_ns;
    }

    /// A node begins its exchange.
    pub(super) fn begin(&mut self, node: usize, now: u64) {
        self.suspend(node, now);
        let own = &mut self.nodes[node];
        own.book(now);
        (own.engaged, own.ready, own.began) = (true, false, now);
        (own.along, own.closes) = (None, 0);
        own.attempts += 1;
        self.starts[node] = NEVER;
        self.exchanges += 1;
        self.engaged.push(node);
        self.turn(now);
    }

    /// Whether who sends may receive.
    pub(super) fn is_duplex(&self) -> bool {
        self.duplex
    }

    /// Whether the receiver of somebody's DATA, whose header is over, may send something itself: it has had the header, it
    /// waits, and hears nobody else.
    pub(super) fn may_join(&self, primary: usize, to: usize, now: u64) -> bool {
        let (own, is_its) = (&self.nodes[to], |sent: &Sent| sent.step == Step::Data && sent.owner == primary);
        let got = |on_air: &Transmission| is_its(&on_air.sent) && !on_air.spoiled.has(to);
        own.nav <= now && !own.engaged && !own.sending && own.heard == 1 && self.on_air.iter().any(got)
    }

    /// A node begins its exchange along with one whose frame it is receiving; its DATA takes so long.
    pub(super) fn join(&mut self, node: usize, primary: usize, data_ns: u64, now: u64) {
        self.begin(node, now);
        let of_primary = self.on_air.iter().find(|own| own.sent.owner == primary);
        let closes = of_primary.map_or(now, |own| own.until).max(now + data_ns);
        (self.nodes[node].along, self.nodes[primary].along) = (Some(primary), Some(node));
        (self.nodes[node].closes, self.nodes[primary].closes) = (closes, closes);
        self.turn(now);
    }

    /// Whose exchange a node's own one is a pair with.
    pub(super) fn along(&self, owner: usize) -> Option<usize> {
        self.nodes[owner].along
    }

    /// When the DATA of both exchanges of a pair is over; 0: a node's exchange goes alone.
    pub(super) fn closes(&self, owner: usize) -> u64 {
        self.nodes[owner].closes
    }

    /// When a node's exchange began.
    pub(super) fn began(&self, node: usize) -> u64 {
        self.nodes[node].began
    }

    /// Others overlapped a part of a node's exchange.
    pub(super) fn collided(&mut self, node: usize) {
        self.nodes[node].collided += 1;
    }

    /// A node knows how its exchange ended: its next backoff, and whether it has another frame or the same again.
    pub(super) fn resolved(&mut self, node: usize, slots: u64, more: bool, now: u64) {
        let own = &mut self.nodes[node];
        own.book(now);
        (own.engaged, own.ready, own.left) = (false, more, Some(slots));
        own.closes = 0;
        let other = own.along.take();
        // After an answer that did not come it counts from then.
        own.counts_from = own.counts_from.max(now + self.difs_ns);
        if let Some(other) = other {
            self.nodes[other].along = None;
        }
        self.engaged.retain(|other| *other != node);
        self.turn(now);
        self.count(node);
    }

    /// The next part of an exchange is due then.
    pub(super) fn plan(&mut self, at: u64, event: Event) {
        self.plans.push((at, event));
    }

    /// Whether a node answers an RTS.
    pub(super) fn would_answer(&self, node: usize, now: u64) -> bool {
        let own = &self.nodes[node];
        own.nav <= now && !own.engaged && !own.sending
    }

    /// Whether a node sends.
    pub(super) fn is_sending(&self, node: usize) -> bool {
        self.nodes[node].sending
    }

    /// A transmission begins.
    pub(super) fn transmit(&mut self, sent: Sent, reach: &Reach, now: u64) {
        self.suspend(sent.from, now);
        let own = &mut self.nodes[sent.from];
        debug_assert!(!own.sending);
        own.book(now);
        own.sending = true;
        self.starts[sent.from] = NEVER;
        let (mut spoiled, mut talked) = (NodeSet::default(), NodeSet::default());
        for i in 0..self.on_air.len() {
            let (other, together) = (self.on_air[i].sent, self.are_together(&sent, &self.on_air[i].sent));
            // Who sends receives nothing, but the other half of its pair.
            let lost = |from: usize, by: usize| match together {
                true => reach.loses(from, by).without(&NodeSet::of(by)),
                false => reach.loses(from, by),
            };
            spoiled = spoiled | lost(sent.from, other.from);
            self.on_air[i].spoiled = self.on_air[i].spoiled | lost(other.from, sent.from);
            if !together {
                talked.insert(other.from);
                self.on_air[i].talked.insert(sent.from);
            }
        }
        let until = now + sent.ns;
        let sensed = (now + self.sense_ns).min(until - 1);
        self.on_air.push(Transmission { sent, since: now, until, sensed, spoiled, talked });
    }

    /// While others reached the receiver of the part of an exchange that is just over, ns from its start.
    pub(super) fn overlaps(&self, owner: usize) -> impl Iterator<Item = Range<u64>> {
        self.overlaps.iter().filter(move |overlap| overlap.owner == owner).map(|overlap| overlap.at.clone())
    }

    /// Nobody asks for these any more.
    pub(super) fn forget_overlaps(&mut self, owner: usize) {
        self.overlaps.retain(|overlap| overlap.owner != owner);
    }

    /// One that is over reached the receivers of others on the air, and they its own.
    fn note_overlaps(&mut self, over: &Transmission, reach: &Reach, now: u64) {
        let together = |a: &Sent, b: &Sent| a.owner == b.owner || self.nodes[a.owner].along == Some(b.owner);
        for other in self.on_air.iter().filter(|other| !together(&over.sent, &other.sent)) {
            for (own, by) in [(over, other), (other, over)] {
                let Some(to) = own.sent.to.filter(|to| reach.loses(own.sent.from, by.sent.from).has(*to))
                else {
                    continue;
                };
                let from = own.since.max(by.since) - own.since;
                // Who sends itself is not in step any more.
                let until = if by.sent.from == to { NEVER } else { now - own.since };
                self.overlaps.push(Overlap { owner: own.sent.owner, at: from..until });
            }
        }
    }

    /// Whether two are of the same pair of exchanges.
    fn are_together(&self, one: &Sent, other: &Sent) -> bool {
        one.owner == other.owner || self.nodes[one.owner].along == Some(other.owner)
    }

    /// A transmission is over.
    fn ends(&mut self, place: usize, reach: &Reach, now: u64, draw: &mut impl FnMut(usize) -> u64) -> Event {
        let over = self.on_air.remove(place);
        self.note_overlaps(&over, reach, now);
        let Transmission { sent, spoiled, talked, .. } = over;
        let decodes = reach.decodes(sent.from);
        for node in reach.senses(sent.from).iter() {
            let own = &mut self.nodes[node];
            own.book(now);
            own.heard -= 1;
            if own.sending {
                continue;
            }
            let is_for_it = sent.to == Some(node);
            if sent.step == Step::Tone {
                // Nothing to be decoded.
            } else if talked.has(node) {
                // It received nothing of it, not even errors: the channel is free for it when it is over.
            } else if !decodes.has(node) || spoiled.has(node) || (is_for_it && sent.lost) {
                // Both ACKs of a pair are over at once: who has one of them had the other one as a disturbance.
                if !self.duplex || own.decoded != now {
                    own.eifs_until = self.eifs_ns.map_or(0, |ns| now + ns);
                }
            } else {
                (own.eifs_until, own.decoded) = (0, now);
                if !is_for_it {
                    own.nav = own.nav.max(now + sent.reserves_ns);
                }
            }
            if own.heard == 0 {
                self.resume(node, now, draw);
            }
        }
        let own = &mut self.nodes[sent.from];
        own.book(now);
        own.sending = false;
        if own.heard == 0 {
            self.resume(sent.from, now, draw);
        }
        let disturbed = sent.to.is_some_and(|to| spoiled.has(to));
        let received = !disturbed && !sent.lost && sent.to.is_some_and(|to| decodes.has(to));
        Event::Over { sent, received, disturbed }
    }

    /// A node does not count any more from now on.
    fn suspend(&mut self, node: usize, now: u64) {
        let own = &mut self.nodes[node];
        own.book(now);
        if !own.is_idle() || own.engaged {
            return;
        }
        if now >= own.counts_from {
            let passed = (now - own.counts_from) / self.slot_ns;
            own.left = own
                .left
                .filter(|left| own.ready || *left > passed)
                .map(|left| left.saturating_sub(passed + self.busy_slots));
            // The rest of these slots, if they go on, is counted anew.
            own.counts_from = NEVER;
        }
        self.starts[node] = NEVER;
    }

    /// A node senses nothing any more.
    fn resume(&mut self, node: usize, now: u64, draw: &mut impl FnMut(usize) -> u64) {
        let own = &mut self.nodes[node];
        own.idle_since = now.max(own.nav);
        own.counts_from = (own.idle_since + self.difs_ns).max(own.eifs_until);
        // It was about to send on a free channel, and was too late.
        if own.ready {
            own.left = own.left.or_else(|| Some(draw(node)));
        }
        self.count(node);
    }

    /// When a node sends, if nothing comes between.
    fn count(&mut self, node: usize) {
        let own = &self.nodes[node];
        if own.ready && !own.engaged && own.is_idle() {
            self.starts[node] = own.counts_from + own.left.unwrap_or(0) * self.slot_ns;
        }
    }

    /// The channel's time goes to who uses it alone, to the first of a pair, or to several together.
    fn turn(&mut self, now: u64) {
        let used = match self.engaged[..] {
            [] => Use::Idle,
            [node] => Use::Frame(node),
            [one, other] if self.nodes[other].along == Some(one) => Use::Frame(one),
            _ => Use::Collision,
        };
        self.ledger.turn(used, now);
    }

    /// Where the channel's time went, the first node's frames as if they went down; several exchanges at the same
    /// time, whether they disturb each other or not, are under collisions.
    pub(super) fn trace(&self, now: u64) -> AirTrace {
        let sum = |figure: fn(&Node) -> u64| self.nodes.iter().map(figure).sum();
        let (attempts, collided) = (sum(|node| node.attempts), sum(|node| node.collided));
        let (duplex_of_bytes, duplex_bytes) = (self.bytes, self.paired_bytes);
        AirTrace {
            attempts,
            collided,
            duplex_of_bytes,
            duplex_bytes,
            ..self.ledger.trace(now, |node| node == 0)
        }
    }

    /// So many bytes of packets were sent; `paired`: while another node of the pair sent.
    pub(super) fn count_bytes(&mut self, bytes: u64, paired: bool) {
        self.bytes += bytes;
        self.paired_bytes += if paired { bytes } else { 0 };
    }

    /// Exchanges so far.
    pub(super) fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// Frames that a node began, and those of them that others overlapped.
    pub(super) fn attempts(&self, node: usize) -> (u64, u64) {
        (self.nodes[node].attempts, self.nodes[node].collided)
    }

    /// A node's time until `now`, ns: its own exchanges and answers, others', none.
    pub(super) fn times(&self, node: usize, now: u64) -> [u64; 3] {
        let mut own = self.nodes[node];
        own.book(now);
        [own.own_ns, own.busy_ns, own.idle_ns]
    }
}
