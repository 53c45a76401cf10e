// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Wires with a discipline: when they are looked at, and what leaves them.
//!
//! What it does not do: what such a wire does when it is looked at (`wire`).

use airtab_core::{Handle, Qdisc};

use super::wire::{self, NearEnd};
use super::{Carried, Hop, Place, Report, Tag, World};
use crate::engine::NEVER;

impl<B: Tag, T: Copy> World<B, T> {
    /// The discipline of a wire; None of a drop-tail one.
    ///
    /// # Panics
    /// If there is no such wire.
    pub fn wire_queue(&self, wire: u32) -> Option<&Qdisc> {
        match &self.wires[wire as usize].end {
            NearEnd::DropTail(_) => None,
            NearEnd::Discipline(queue) => Some(queue.qdisc()),
        }
    }

    /// A packet comes to a wire's discipline.
    #[inline(never)]
    pub(super) fn queue(&mut self, packet: Handle, wire: u32) {
        self.reports.push(Report::Queued { at: Place::Wire(wire), packet });
        let NearEnd::Discipline(queue) = &mut self.wires[wire as usize].end else { return };
        queue.send(&mut self.pool, packet, self.now, &mut self.reports);
        self.look_again(wire);
    }

    /// It may be time for a wire's discipline to do something.
    #[inline(never)]
    pub(super) fn look(&mut self, wire: u32) {
        let near = &mut self.wires[wire as usize];
        let NearEnd::Discipline(queue) = &mut near.end else { return };
        if queue.look != self.now {
            return; // an earlier look took its place
        }
        queue.look = NEVER;
        if queue.next_event() == self.now
            && let Some(packet) = queue.advance(&mut self.pool, self.now, &mut self.reports)
        {
            let at = self.now + queue.latency_ns;
            let &Carried { to, bytes, .. } = self.pool.body(packet);
            let fare = wire::behind(&mut self.wires, &self.topology, wire, (to, bytes), at);
            self.ride(packet, to, fare);
        }
        self.look_again(wire);
    }

    /// Sees to it that a wire's discipline is looked at when it has something to do.
    fn look_again(&mut self, wire: u32) {
        let NearEnd::Discipline(queue) = &mut self.wires[wire as usize].end else { return };
        let at = queue.next_event();
        if at < queue.look {
            queue.look = at;
            self.hops.push(at, Hop::Look(wire));
        }
    }
}
