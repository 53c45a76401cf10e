//! The access point's discipline as every medium uses it: packets go in and come
//! out one at a time, drops are reported, and another discipline can take over.

use std::collections::VecDeque;

use airtab_core::{Handle, Heard, Params, Pool, Qdisc, Ticket, Tx};

use super::output::Output;
use crate::engine::NEVER;

pub(super) struct Downlink {
    queue: Qdisc,
    /// When the discipline wants to be asked again, if nothing else happens.
    pub(super) wake: u64,
}

impl Downlink {
    pub(super) fn new(queue: Qdisc) -> Downlink {
        Downlink { queue, wake: NEVER }
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
    pub(super) fn dequeue<T>(
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
                outputs.push_back(Output::Dequeued(packet));
            }
            None => self.wake = self.queue.wake(now).map_or(NEVER, |at| at.max(now + 1)),
        }
        next
    }

    /// It is time for what the discipline asked for.
    pub(super) fn tick<T>(&mut self, pool: &mut Pool<T>, now: u64, outputs: &mut VecDeque<Output>) {
        self.wake = NEVER;
        self.queue.tick(pool, now);
        self.report_drops(outputs);
    }

    #[inline]
    pub(super) fn sent(&mut self, ticket: &Ticket, tx: &Tx, now: u64) {
        self.queue.sent(ticket, tx, now);
    }

    #[inline]
    pub(super) fn heard(&mut self, frame: &Heard, now: u64) {
        self.queue.heard(frame, now);
    }

    /// Hands the packets over to a new discipline. Tickets of the old one must
    /// not come back: the new one could take them for its own.
    pub(super) fn swap<T>(
        &mut self,
        pool: &mut Pool<T>,
        params: &Params,
        seed: u64,
        now: u64,
        outputs: &mut VecDeque<Output>,
    ) {
        let mut old = std::mem::replace(&mut self.queue, Qdisc::new(pool, params, seed, now));
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
