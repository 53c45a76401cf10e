//! The access point's discipline as every medium uses it: packets go in and come
//! out one at a time, drops are reported, and another discipline can take over.

use std::collections::VecDeque;

use airtab_core::{Handle, Heard, Params, Phy, Pool, Qdisc, Ticket, Tx};

use super::links::Links;
use super::output::Output;
use crate::engine::NEVER;

pub(super) struct Downlink {
    queue: Qdisc,
    /// When the discipline wants to be asked again, if nothing else happens.
    wake: u64,
    links: Links,
}

impl Downlink {
    /// `queue` at time 0, with stations of a PHY rate each, kb/s.
    pub(super) fn new(mut queue: Qdisc, phy: Phy, rates: impl Iterator<Item = u32>) -> Downlink {
        let mut links = Links::new(phy, rates);
        links.begin(&mut queue, 0, 0);
        Downlink { queue, wake: NEVER, links }
    }

    /// When [`Downlink::tick`] has something to do, if nothing else happens.
    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        self.wake.min(self.links.due)
    }

    pub(super) fn queue(&self) -> &Qdisc {
        &self.queue
    }

    #[inline]
    pub(super) fn enqueue<T>(
        &mut self,
        pool: &mut Pool<T>,
        packet: Handle,
        now: u64,
        outputs: &mut VecDeque<Output>,
    ) {
        self.queue.enqueue(pool, packet, now);
        self.report_drops(outputs);
    }

    /// The next packet to send; None sets `wake`.
    #[inline]
    pub(super) fn dequeue<T: Copy>(
        &mut self,
        pool: &mut Pool<T>,
        now: u64,
        outputs: &mut VecDeque<Output>,
    ) -> Option<(Handle, Ticket)> {
        let next = self.queue.dequeue(pool, now);
        self.report_drops(outputs);
        match next {
            Some((packet, _)) => {
                self.wake = NEVER;
                self.links.left(pool, packet);
                outputs.push_back(Output::Dequeued(packet));
            }
            None => self.wake = self.queue.wake(now).map_or(NEVER, |at| at.max(now + 1)),
        }
        next
    }

    /// It is time for what the discipline asked for, or to tell it of the links. The
    /// medium has been free for `free_ns` so far.
    pub(super) fn tick<T>(
        &mut self,
        pool: &mut Pool<T>,
        free_ns: u64,
        now: u64,
        outputs: &mut VecDeque<Output>,
    ) {
        if self.links.due == now {
            self.links.sample(&mut self.queue, free_ns, now);
        }
        if self.wake == now {
            self.wake = NEVER;
            self.queue.tick(pool, now);
            self.report_drops(outputs);
        }
    }

    /// A station's PHY rate becomes another one, kb/s.
    pub(super) fn set_station(&mut self, station: usize, kbps: u32, now: u64) {
        self.links.set(&mut self.queue, station, kbps, now);
    }

    /// A station left.
    pub(super) fn end_station(&mut self, station: usize, now: u64) {
        self.links.end(&mut self.queue, station, now);
    }

    #[inline]
    pub(super) fn sent(&mut self, ticket: &Ticket, tx: &Tx, now: u64) {
        self.links.sent();
        self.queue.sent(ticket, tx, now);
    }

    #[inline]
    pub(super) fn heard(&mut self, frame: &Heard, now: u64) {
        self.queue.heard(frame, now);
    }

    /// Hands the packets over to a new discipline. Tickets of the old one must
    /// not come back: the new one could take them for its own. The medium has been
    /// free for `free_ns` so far.
    pub(super) fn swap<T>(
        &mut self,
        pool: &mut Pool<T>,
        params: &Params,
        seed: u64,
        free_ns: u64,
        now: u64,
        outputs: &mut VecDeque<Output>,
    ) {
        let mut old = std::mem::replace(&mut self.queue, Qdisc::new(pool, params, seed, now));
        self.links.begin(&mut self.queue, free_ns, now);
        while let Some(packet) = old.drain(pool) {
            self.enqueue(pool, packet, now, outputs);
        }
        self.wake = NEVER;
    }

    #[inline]
    fn report_drops(&mut self, outputs: &mut VecDeque<Output>) {
        for dropped in self.queue.dropped() {
            outputs.push_back(Output::Dropped(dropped.packet, dropped.reason));
        }
    }
}
