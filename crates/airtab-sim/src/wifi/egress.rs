// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where a transmitter's packets wait before they are sent: under a discipline of
//! the core, which can be replaced under traffic, or in a plain FIFO.
//!
//! What it does not do: what waits below is the driver's business (`driver`).

use std::collections::VecDeque;

use airtab_core::{Handle, Heard, Link, Params, Pool, Qdisc, Reason, Ticket, Tx};

use super::links::Links;
use crate::engine::NEVER;

/// A transmitter's queue.
#[expect(clippy::large_enum_variant, reason = "transmitters are few, and the busiest one has the larger")]
pub(super) enum Egress {
    /// Under a discipline.
    Managed(Managed),
    /// First in, first out; a full one drops what arrives.
    Fifo { packets: VecDeque<Handle>, limit: usize },
}

impl Egress {
    /// A FIFO for so many packets.
    pub(super) fn fifo(limit: usize) -> Egress {
        Egress::Fifo { packets: VecDeque::with_capacity(limit.min(4096)), limit }
    }

    /// When [`Managed::tick`] has something to do, if nothing else happens.
    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        match self {
            Egress::Managed(managed) => managed.next_event(),
            Egress::Fifo { .. } => NEVER,
        }
    }

    /// Takes a packet in; `shed` is told what has to go.
    #[inline]
    pub(super) fn enqueue<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        packet: Handle,
        now: u64,
        mut shed: impl FnMut(Handle, Reason),
    ) {
        match self {
            Egress::Managed(managed) => managed.enqueue(pool, packet, now, shed),
            Egress::Fifo { packets, limit } if packets.len() >= *limit => shed(packet, Reason::Limit),
            Egress::Fifo { packets, .. } => packets.push_back(packet),
        }
    }

    /// The next packet to send, with its ticket.
    #[inline]
    pub(super) fn dequeue<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        now: u64,
        shed: impl FnMut(Handle, Reason),
    ) -> Option<(Handle, Ticket)> {
        match self {
            Egress::Managed(managed) => managed.dequeue(pool, now, shed),
            Egress::Fifo { packets, .. } => Some((packets.pop_front()?, Ticket::default())),
        }
    }

    /// A packet of a ticket, and so many bytes, is over; `sta`: whom it was for.
    #[inline]
    pub(super) fn sent(&mut self, ticket: &Ticket, sta: u16, bytes: u32, tx: &Tx, now: u64) {
        if let Egress::Managed(managed) = self {
            managed.sent(ticket, sta, bytes, tx, now);
        }
    }

    /// A frame of somebody else was received here.
    #[inline]
    pub(super) fn heard(&mut self, frame: &Heard, now: u64) {
        if let Egress::Managed(managed) = self {
            managed.heard(frame, now);
        }
    }

    /// Packets that wait.
    pub(super) fn len(&self) -> usize {
        match self {
            Egress::Managed(managed) => managed.queue.len() as usize,
            Egress::Fifo { packets, .. } => packets.len(),
        }
    }

    /// What is under a discipline, if there is one.
    pub(super) fn managed(&self) -> Option<&Managed> {
        match self {
            Egress::Managed(managed) => Some(managed),
            Egress::Fifo { .. } => None,
        }
    }

    /// [`Egress::managed`], to change it.
    pub(super) fn managed_mut(&mut self) -> Option<&mut Managed> {
        match self {
            Egress::Managed(managed) => Some(managed),
            Egress::Fifo { .. } => None,
        }
    }
}

/// A queue under a discipline: packets go in and come out one at a time, drops
/// are told, and another discipline can take over.
pub(super) struct Managed {
    queue: Qdisc,
    /// When the discipline wants to be asked again, if nothing else happens.
    wake: u64,
    links: Links,
}

impl Managed {
    /// `queue` at time 0, with the links that it is told of.
    pub(super) fn new(mut queue: Qdisc, mut links: Links) -> Managed {
        links.begin(&mut queue, 0, 0);
        Managed { queue, wake: NEVER, links }
    }

    /// When [`Managed::tick`] has something to do, if nothing else happens.
    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        self.wake.min(self.links.due)
    }

    pub(super) fn queue(&self) -> &Qdisc {
        &self.queue
    }

    #[inline]
    pub(super) fn enqueue<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        packet: Handle,
        now: u64,
        shed: impl FnMut(Handle, Reason),
    ) {
        self.queue.enqueue(pool, packet, now);
        self.tell_drops(shed);
    }

    /// The next packet to send; None sets the time of [`Managed::next_event`].
    #[inline]
    pub(super) fn dequeue<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        now: u64,
        shed: impl FnMut(Handle, Reason),
    ) -> Option<(Handle, Ticket)> {
        let next = self.queue.dequeue(pool, now);
        self.tell_drops(shed);
        match next {
            Some((packet, _)) => {
                self.wake = NEVER;
                self.links.left(pool, packet);
            }
            None => self.wake = self.queue.wake(now).map_or(NEVER, |at| at.max(now + 1)),
        }
        next
    }

    /// It is time for what the discipline asked for, or to tell it of the links. The
    /// medium has been free for `free_ns` so far.
    pub(super) fn tick<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        free_ns: u64,
        now: u64,
        shed: impl FnMut(Handle, Reason),
    ) {
        if self.links.due == now {
            self.links.sample(&mut self.queue, free_ns, now);
        }
        if self.wake == now {
            self.wake = NEVER;
            self.queue.tick(pool, now);
            self.tell_drops(shed);
        }
    }

    /// A station's link becomes another one.
    pub(super) fn set_station(&mut self, link: &Link, now: u64) {
        self.links.set(&mut self.queue, link, now);
    }

    /// A station left.
    pub(super) fn end_station(&mut self, station: usize, now: u64) {
        self.links.end(&mut self.queue, station, now);
    }

    #[inline]
    pub(super) fn sent(&mut self, ticket: &Ticket, sta: u16, bytes: u32, tx: &Tx, now: u64) {
        self.links.sent(sta, bytes);
        self.queue.sent(ticket, tx, now);
    }

    #[inline]
    pub(super) fn heard(&mut self, frame: &Heard, now: u64) {
        self.queue.heard(frame, now);
    }

    /// Hands the packets over to a new discipline. Tickets of the old one must
    /// not come back: the new one could take them for its own. The medium has been
    /// free for `free_ns` so far.
    pub(super) fn swap<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        params: &Params,
        seed: u64,
        free_ns: u64,
        now: u64,
        mut shed: impl FnMut(Handle, Reason),
    ) {
        let mut old = std::mem::replace(&mut self.queue, Qdisc::new(pool, params, seed, now));
        self.links.begin(&mut self.queue, free_ns, now);
        while let Some(packet) = old.drain(pool) {
            self.enqueue(pool, packet, now, &mut shed);
        }
        self.wake = NEVER;
    }

    #[inline]
    fn tell_drops(&mut self, mut shed: impl FnMut(Handle, Reason)) {
        if !self.queue.has_dropped() {
            return;
        }
        for dropped in self.queue.dropped() {
            shed(dropped.packet, dropped.reason);
        }
    }
}
