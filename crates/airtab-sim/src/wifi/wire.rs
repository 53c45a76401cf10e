// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The narrow wire of a dumbbell in the place of the channel, sans-IO like [`Cell`](super::Cell) and with the same
//! methods.
//!
//! What the access point is in a home is a router here, and its discipline waits for a wire of a fixed rate: a packet
//! takes its bytes and what a frame has around them over the rate, which is also its charge. M. Parris, "Class-Based
//! Thresholds" (UNC 2001), V.1.1 and A.2: the link of all of its experiments, 10 Mb/s Ethernet in full duplex.
//!
//! The wire holds one packet, everything else waits in the discipline, which is told of no links. Packets from
//! stations pass at once: the way back has room for all.
//!
//! What it does not do: nothing is lost, it has no latency of its own (the trunk and the access links have), and there
//! is no queue on the way back.

use airtab_core::{Handle, Heard, Params, Pool, Qdisc, Ticket, Tx, time::SECOND};

use super::air::AirTrace;
use super::egress::{Left, Managed};
use super::links::Links;
use super::output::{Label, Output, Way};
use super::reports::Report;
use crate::engine::{NEVER, Outbox};

/// A wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireConfig {
    /// bit/s, of everything that is on it.
    pub rate_bps: u64,
    /// Bytes of a frame and the gap behind it beside its IP packet.
    pub overhead: u32,
}

impl WireConfig {
    /// Ethernet: header 14, checksum 4, preamble 8, gap 12 bytes.
    pub const ETHERNET: u32 = 38;

    /// How long it takes for an IP packet of `bytes`, ns, rounded down.
    pub fn packet_ns(&self, bytes: u32) -> u64 {
        (u64::from(bytes) + u64::from(self.overhead)) * 8 * SECOND / self.rate_bps
    }

    /// The rules that it breaks.
    ///
    /// # Errors
    /// Says what is allowed.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.rate_bps {
            0 => Err("the rate of the bottleneck must not be 0".into()),
            _ => Ok(()),
        }
    }
}

/// The router, the wire, the stations behind it.
pub struct Wire {
    config: WireConfig,
    down: Managed,
    sending: Option<Sending>,
    /// When its last bit has left, NEVER when nothing is sent.
    done: u64,
    /// Time of all packets that are over, ns.
    busy_ns: u64,
    packets: u64,
    outputs: Outbox<Output>,
}

/// The packet on the wire.
#[derive(Clone, Copy)]
struct Sending {
    packet: Handle,
    ticket: Ticket,
    tx: Tx,
}

impl Wire {
    /// A wire to any number of stations.
    pub fn new(config: WireConfig, queue: Qdisc) -> Wire {
        let outputs = Outbox::with_capacity(64);
        let down = Managed::new(queue, Links::none());
        Wire { config, down, sending: None, done: NEVER, busy_ns: 0, packets: 0, outputs }
    }

    /// When [`Wire::advance`] has something to do, if nothing is sent before.
    #[inline]
    pub fn next_event(&self) -> u64 {
        self.done.min(self.down.next_event())
    }

    /// Lets everything happen that is due by `now`, ns. Call it before packets
    /// are sent at `now`.
    pub fn advance<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        loop {
            let at = self.next_event();
            if at > now {
                return;
            }
            if self.down.next_event() == at {
                let free_ns = self.air(at).idle_ns;
                self.down.tick(pool, free_ns, at, |p, why| self.outputs.push(Output::Dropped(p, why)));
            } else {
                self.finish(pool, at);
            }
            self.load(pool, at);
        }
    }

    /// Hands a packet to the router's discipline.
    pub fn send_down<T: Label>(&mut self, pool: &mut Pool<T>, packet: Handle, now: u64) {
        self.down.enqueue(pool, packet, now, |p, why| self.outputs.push(Output::Dropped(p, why)));
        self.load(pool, now);
    }

    /// Passes a packet of a station on to the router.
    pub fn send_up<T: Label>(&mut self, pool: &mut Pool<T>, station: usize, packet: Handle, now: u64) {
        self.down.heard(&Heard { flow: pool.flow(packet), sta: station as u16, air: 0 }, now);
        pool.body_mut(packet).dequeued(now);
        self.outputs.push(Output::Up(packet));
    }

    /// As [`Cell::swap_queue`](super::Cell::swap_queue).
    ///
    /// # Panics
    /// If [`Params::check`] would fail.
    pub fn swap_queue<T: Label>(&mut self, pool: &mut Pool<T>, params: &Params, seed: u64, now: u64) {
        if let Some(sending) = &mut self.sending {
            sending.ticket = Ticket::default();
        }
        let free_ns = self.air(now).idle_ns;
        self.down.swap(pool, params, seed, free_ns, now, |p, why| self.outputs.push(Output::Dropped(p, why)));
        self.load(pool, now);
    }

    /// As [`Cell::speaks`](super::Cell::speaks).
    #[inline]
    pub fn speaks(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// What happened since the last look.
    #[inline]
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop()
    }

    /// What [`Medium::poll`](super::Medium::poll) takes.
    #[inline(always)]
    pub(super) fn outputs(&mut self) -> &mut Outbox<Output> {
        &mut self.outputs
    }

    /// The router's discipline.
    pub fn queue(&self) -> &Qdisc {
        self.down.queue()
    }

    /// Where the wire's time went until `now`: to the stations, or idle.
    pub fn air(&self, now: u64) -> AirTrace {
        let since = |sending: &Sending| now.min(self.done) - (self.done - sending.tx.air);
        let down_ns = self.busy_ns + self.sending.as_ref().map_or(0, since);
        AirTrace { down_ns, idle_ns: now - down_ns, ..AirTrace::default() }
    }

    /// Packets that have left.
    pub fn exchanges(&self) -> u64 {
        self.packets
    }

    /// Packets on the wire: 0 or 1.
    pub fn held(&self) -> usize {
        self.sending.iter().len()
    }

    /// Gives the free wire its next packet, if there is one.
    fn load<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        if self.sending.is_some() {
            return;
        }
        let shed = |p, why| self.outputs.push(Output::Dropped(p, why));
        let Some(Left { packet, ticket, .. }) = self.down.dequeue(pool, now, shed) else { return };
        pool.body_mut(packet).dequeued(now);
        self.outputs.push(Output::Dequeued(packet));
        let ns = self.config.packet_ns(pool.bytes(packet));
        self.sending =
            Some(Sending { packet, ticket, tx: Tx { air: ns, span: ns, attempts: 1, acked: true } });
        self.done = now + ns;
    }

    /// The last bit of a packet has left.
    fn finish<T: Label>(&mut self, pool: &Pool<T>, now: u64) {
        let Sending { packet, ticket, tx } = self.sending.take().expect("one is being sent");
        self.done = NEVER;
        self.busy_ns += tx.air;
        self.packets += 1;
        self.outputs.push(Output::Down(packet));
        let report = Report { ticket, record: 0, aggregate: 0, tx: Some(tx) };
        self.down.sent(pool.sta(packet), pool.bytes(packet), report, true, now);
        let label = pool.body(packet).label();
        self.outputs.push(Output::Sent { down: true, label, tx, way: Way::default() });
    }
}
