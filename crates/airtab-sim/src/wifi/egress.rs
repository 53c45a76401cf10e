// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where a transmitter's packets wait before they are sent: under a discipline of
//! the core, which can be replaced under traffic, or in a plain FIFO.
//!
//! What it does not do: what waits below is the driver's business (`driver`), and what is told of it is `below`'s.

use std::collections::VecDeque;

use airtab_core::{Handle, Heard, Link, Params, Pool, Qdisc, Reason, Ticket};

use super::below::Below;
use super::links::Links;
use super::reports::Report;
use crate::engine::NEVER;

/// A packet that leaves a queue.
pub(super) struct Left {
    pub(super) packet: Handle,
    pub(super) ticket: Ticket,
    /// Its record at a governor; 0: none.
    pub(super) record: u64,
}

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

    /// As much of it as a packet that leaves may change.
    #[inline(always)]
    pub(super) fn wish(&self) -> u64 {
        match self {
            Egress::Managed(managed) => managed.wish(),
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

    /// The next packet to send.
    #[inline(always)]
    pub(super) fn dequeue<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        now: u64,
        shed: impl FnMut(Handle, Reason),
    ) -> Option<Left> {
        match self {
            Egress::Managed(managed) => managed.dequeue(pool, now, shed),
            Egress::Fifo { packets, .. } => {
                let packet = packets.pop_front()?;
                Some(Left { packet, ticket: Ticket::default(), record: 0 })
            }
        }
    }

    /// A packet of so many bytes is over; `sta`: whom it was for; `last`: of its aggregate.
    #[inline]
    pub(super) fn sent(&mut self, sta: u16, bytes: u32, report: Report, last: bool, now: u64) {
        if let Egress::Managed(managed) = self {
            managed.sent(sta, bytes, report, last, now);
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
    /// What there is below it; None: it is told of everything at once.
    below: Option<Box<Below>>,
    /// Packets are sent in the access category of their ticket.
    categories: bool,
}

impl Managed {
    /// `queue` at time 0, with the links that it is told of.
    pub(super) fn new(mut queue: Qdisc, mut links: Links) -> Managed {
        links.begin(&mut queue, 0, 0);
        Managed { queue, wake: NEVER, links, below: None, categories: false }
    }

    /// The same above something.
    pub(super) fn above(self, below: Option<Box<Below>>) -> Managed {
        Managed { below, ..self }
    }

    /// Sends packets in the access category of their ticket.
    pub(super) fn with_categories(mut self) -> Managed {
        self.queue.set_categories(true);
        Managed { categories: true, ..self }
    }

    /// When [`Managed::tick`] has something to do, if nothing else happens.
    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        self.wish().min(self.links.due)
    }

    /// The same, but for what the discipline is told of the links.
    #[inline(always)]
    fn wish(&self) -> u64 {
        self.wake.min(self.below.as_ref().map_or(NEVER, |below| below.next_event()))
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
    ) -> Option<Left> {
        if let Some(below) = &mut self.below {
            below.tell(&mut self.queue, pool, now);
            if !below.is_open() {
                return None;
            }
        }
        let next = self.queue.dequeue(pool, now);
        self.tell_drops(shed);
        let Some((packet, ticket)) = next else {
            self.wake = self.queue.wake(now).map_or(NEVER, |at| at.max(now + 1));
            return None;
        };
        self.wake = NEVER;
        self.links.left(pool, packet);
        let below = self.below.as_mut();
        let record = below.map_or(0, |below| below.left(&mut self.queue, pool, packet, ticket.up, now));
        Some(Left { packet, ticket, record })
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
        if let Some(below) = &mut self.below {
            below.tell(&mut self.queue, pool, now);
        }
        if self.links.due == now {
            self.links.sample(&mut self.queue, free_ns, now);
        }
        if self.wake == now {
            self.wake = NEVER;
            self.queue.tick(pool, now);
            self.tell_drops(shed);
        }
    }

    /// Whether the discipline is told of all links now.
    pub(super) fn samples_links(&self, now: u64) -> bool {
        self.links.due == now
    }

    /// What it is told of a station's link at the next sample.
    pub(super) fn look_up(&mut self, link: &Link) {
        self.links.renew(link);
    }

    /// A station's link becomes another one.
    pub(super) fn set_station(&mut self, link: &Link, now: u64) {
        self.links.set(&mut self.queue, link, now);
        self.estimate(link, now);
    }

    /// A station's packets are estimated by another link.
    pub(super) fn estimate(&mut self, link: &Link, now: u64) {
        if let Some(below) = &mut self.below {
            below.link(link, now);
        }
    }

    /// A station left.
    pub(super) fn end_station(&mut self, station: usize, now: u64) {
        let gone = self.links.end(&mut self.queue, station, now);
        self.estimate(&gone, now);
    }

    #[inline]
    pub(super) fn sent(&mut self, sta: u16, bytes: u32, report: Report, last: bool, now: u64) {
        self.links.sent(sta, bytes);
        match (&mut self.below, &report.tx) {
            (Some(below), _) => below.over(&mut self.queue, report, last, now),
            (None, Some(tx)) => self.queue.sent(&report.ticket, tx, now),
            (None, None) => {}
        }
    }

    /// What there is below it.
    pub(super) fn below(&self) -> Option<&Below> {
        self.below.as_deref()
    }

    /// A frame ended that was not the driver's, which took so long.
    pub(super) fn overheard(&mut self, ns: u64, now: u64) {
        if let Some(below) = &mut self.below {
            below.heard(ns, now);
        }
    }

    #[inline]
    pub(super) fn heard(&mut self, frame: &Heard, now: u64) {
        self.queue.heard(frame, now);
    }

    /// Other parameters under traffic.
    pub(super) fn change<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        params: &Params,
        now: u64,
        shed: impl FnMut(Handle, Reason),
    ) {
        self.queue.change(pool, params, now);
        self.tell_drops(shed);
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
        self.queue.set_categories(self.categories);
        if let Some(below) = &mut self.below {
            below.swapped();
        }
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
