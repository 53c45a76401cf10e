// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One direction of a wire: a drop-tail queue that needs no events of its own, or a
//! discipline of the core, asked for the next packet whenever the wire is free.
//!
//! The airtime of a packet on a wire is its bits, and those around it, over the rate.
//!
//! What it does not do: no losses, no shared media.

use airtab_core::{Handle, Pool, Qdisc, Ticket, Tx};

use super::topology::{NodeId, Step, Topology};
use super::{Carried, Place, Report, Tag};
use crate::engine::{NEVER, Outbox};
use crate::net::Link;
use crate::wifi::{Label, Way, WireConfig};

pub(super) struct Wire {
    pub(super) to: NodeId,
    /// An access point is there.
    pub(super) access_point: bool,
    /// What it brings there goes on in the same order.
    pub(super) in_order: bool,
    pub(super) end: NearEnd,
}

/// What holds packets at the near end of a wire.
pub(super) enum NearEnd {
    DropTail(Link),
    Discipline(Box<Queue>),
}

/// A wire that asks a discipline.
pub(super) struct Queue {
    place: Place,
    wire: WireConfig,
    pub(super) latency_ns: u64,
    queue: Qdisc,
    sending: Option<Sending>,
    /// When the last bit has left; NEVER when nothing is sent.
    done: u64,
    /// When the discipline wants to be asked again, if nothing else happens.
    wake: u64,
    /// When the world will look next, as far as it has been told.
    pub(super) look: u64,
}

struct Sending {
    packet: Handle,
    ticket: Ticket,
    tx: Tx,
}

impl Queue {
    pub(super) fn new(place: Place, wire: WireConfig, latency_ns: u64, queue: Qdisc) -> Queue {
        Queue { place, wire, latency_ns, queue, sending: None, done: NEVER, wake: NEVER, look: NEVER }
    }

    pub(super) fn qdisc(&self) -> &Qdisc {
        &self.queue
    }

    /// Packets in the queue, and the one being sent.
    pub(super) fn held(&self) -> u64 {
        u64::from(self.queue.len()) + u64::from(self.sending.is_some())
    }

    /// Packets dropped so far.
    pub(super) fn dropped(&self) -> u64 {
        self.queue.counters().dropped.iter().sum()
    }

    pub(super) fn next_event(&self) -> u64 {
        self.done.min(self.wake)
    }

    /// Takes a packet; what is dropped for it is reported.
    pub(super) fn send<B: Tag, T: Copy>(
        &mut self,
        pool: &mut Pool<Carried<B>>,
        packet: Handle,
        now: u64,
        reports: &mut Outbox<Report<T>>,
    ) {
        self.queue.enqueue(pool, packet, now);
        self.report_drops(reports);
        self.load(pool, now, reports);
    }

    /// Does what is due at `now`; gives a packet whose last bit leaves.
    pub(super) fn advance<B: Tag, T: Copy>(
        &mut self,
        pool: &mut Pool<Carried<B>>,
        now: u64,
        reports: &mut Outbox<Report<T>>,
    ) -> Option<Handle> {
        if self.wake == now {
            self.wake = NEVER;
            self.queue.tick(pool, now);
            self.report_drops(reports);
        }
        let mut left = None;
        if self.done == now {
            self.done = NEVER;
            let Sending { packet, ticket, tx } = self.sending.take().expect("one is being sent");
            self.queue.sent(&ticket, &tx, now);
            let tag = pool.body(packet).label();
            reports.push(Report::Sent { at: self.place, tag, tx, way: Way::default() });
            left = Some(packet);
        }
        self.load(pool, now, reports);
        left
    }

    /// Gives the free wire its next packet, if there is one.
    fn load<B: Tag, T: Copy>(
        &mut self,
        pool: &mut Pool<Carried<B>>,
        now: u64,
        reports: &mut Outbox<Report<T>>,
    ) {
        if self.sending.is_some() {
            return;
        }
        let next = self.queue.dequeue(pool, now);
        self.report_drops(reports);
        let Some((packet, ticket)) = next else {
            self.wake = self.queue.wake(now).map_or(NEVER, |at| at.max(now + 1));
            return;
        };
        self.wake = NEVER;
        reports.push(Report::Dequeued { at: self.place, packet });
        let ns = self.wire.packet_ns(pool.bytes(packet));
        let tx = Tx { air: ns, span: ns, attempts: 1, acked: true };
        self.sending = Some(Sending { packet, ticket, tx });
        self.done = now + ns;
    }

    fn report_drops<T: Copy>(&mut self, reports: &mut Outbox<Report<T>>) {
        for dropped in self.queue.dropped() {
            reports.push(Report::Dropped { at: self.place, packet: dropped.packet, why: dropped.reason });
        }
    }
}

/// How a packet fares that is handed to a wire.
pub(super) enum Fare {
    /// It will be at a node at a time: behind the wire, or further on where the next wire takes
    /// packets in the order in which this one brings them.
    Arrives { node: NodeId, at: u64, access_point: bool },
    /// It finds this wire's queue full.
    Full(u32),
    /// It comes to this wire's discipline.
    Queued(u32),
}

/// Hands a packet of `bytes` for `to` to a wire at `at`.
#[inline(always)]
pub(super) fn send(
    wires: &mut [Wire],
    topology: &Topology,
    mut wire: u32,
    (to, bytes): (NodeId, u32),
    mut at: u64,
) -> Fare {
    loop {
        let near = &mut wires[wire as usize];
        let NearEnd::DropTail(link) = &mut near.end else { return Fare::Queued(wire) };
        let Some(arrival) = link.send(at, bytes) else { return Fare::Full(wire) };
        at = arrival;
        match onward(wires, topology, wire, to) {
            Some(next) => wire = next,
            None => return arrives(&wires[wire as usize], at),
        }
    }
}

/// What a packet of `bytes` for `to` does whose last bit leaves a wire at `at`.
#[inline(never)]
pub(super) fn behind(
    wires: &mut [Wire],
    topology: &Topology,
    wire: u32,
    packet: (NodeId, u32),
    at: u64,
) -> Fare {
    match onward(wires, topology, wire, packet.0) {
        Some(next) => send(wires, topology, next, packet, at),
        None => arrives(&wires[wire as usize], at),
    }
}

/// The wire that takes packets for `to` in the order in which this one brings them.
#[inline]
fn onward(wires: &[Wire], topology: &Topology, wire: u32, to: NodeId) -> Option<u32> {
    let Wire { to: node, in_order: true, .. } = wires[wire as usize] else { return None };
    let Step::Wire(next) = topology.step(node, to) else { return None };
    matches!(wires[next as usize].end, NearEnd::DropTail(_)).then_some(next)
}

#[inline]
fn arrives(wire: &Wire, at: u64) -> Fare {
    Fare::Arrives { node: wire.to, at, access_point: wire.access_point }
}
