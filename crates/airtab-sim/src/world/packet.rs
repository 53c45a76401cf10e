// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A packet as the world carries it: the host's part, and its way so far.

use airtab_core::{Acks, NO_STATION};

use super::topology::NodeId;
use crate::trace::Legs;
use crate::wifi::Label;

/// A packet in a world. Laid out as it stands, the host's part last.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Carried<B> {
    /// When it was sent, ns.
    pub sent_ns: u64,
    /// When it came to the queue before its last or present way over the air, ns; 0 before the first.
    pub queued_ns: u64,
    /// When it left that queue for the MAC, ns.
    pub dequeued_ns: u64,
    /// When the other end of that way had it, ns.
    pub crossed_ns: u64,
    /// Length of the IP packet, bytes.
    pub bytes: u32,
    /// Where it goes to.
    pub to: NodeId,
    /// Where it is, or arrives next.
    pub(super) at: NodeId,
    /// The station at the other end of its last or present way over the air;
    /// [`airtab_core::NO_STATION`] before the first.
    pub peer: u16,
    /// The host's part.
    pub body: B,
}

impl<B> Carried<B> {
    /// One of `bytes` that is sent at `sent_ns` from a node to another one.
    #[inline]
    pub(super) fn new(body: B, bytes: u32, (at, to): (NodeId, NodeId), sent_ns: u64) -> Carried<B> {
        let (queued_ns, dequeued_ns, crossed_ns) = (0, 0, 0);
        Carried { body, bytes, to, peer: NO_STATION, sent_ns, queued_ns, dequeued_ns, crossed_ns, at }
    }

    /// Where it spent its time, once it has come to its end at `now`: after one way over the air at most, or what
    /// came before the last one is the wires'.
    #[inline]
    pub fn legs(&self, now: u64) -> Legs {
        if self.peer == NO_STATION {
            return Legs { wires_ns: now - self.sent_ns, ..Legs::default() };
        }
        Legs {
            wires_ns: self.queued_ns - self.sent_ns + (now - self.crossed_ns),
            queue_ns: self.dequeued_ns - self.queued_ns,
            channel_ns: self.crossed_ns - self.dequeued_ns,
        }
    }
}

/// The host's part of a packet, as far as a report that may come after the packet's end
/// says whose it was.
pub trait Tag: Copy {
    /// Whether the host wants to be told of [`Report::Crossed`](super::Report::Crossed).
    const CROSSINGS: bool = false;

    /// A number that means something to the host, of a packet whose [`Carried::peer`] is `peer`.
    fn tag(&self, peer: u16) -> u32;
}

impl<B: Tag> Label for Carried<B> {
    fn label(&self) -> u32 {
        self.body.tag(self.peer)
    }

    #[inline]
    fn dequeued(&mut self, now: u64) {
        self.dequeued_ns = now;
    }
}

/// What a host does with acknowledgements, of packets in a world.
pub(super) struct CarriedAcks<A>(pub(super) A);

impl<B: Copy, A: Acks<B>> Acks<Carried<B>> for CarriedAcks<A> {
    fn make(&mut self, packet: &Carried<B>, number: u32) -> Option<(Carried<B>, u32)> {
        let (body, bytes) = self.0.make(&packet.body, number)?;
        Some((Carried { body, bytes, ..*packet }, bytes))
    }

    fn merge(&mut self, data: &mut Carried<B>, ack: &Carried<B>) -> bool {
        self.0.merge(&mut data.body, &ack.body)
    }
}
