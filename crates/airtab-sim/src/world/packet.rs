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
    /// Time in queues before earlier ways over the air, and on the channel there, ns: in a mesh.
    earlier_queues_ns: u64,
    earlier_channels_ns: u64,
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
        let (earlier_queues_ns, earlier_channels_ns) = (0, 0);
        Carried {
            body,
            bytes,
            to,
            peer: NO_STATION,
            sent_ns,
            queued_ns,
            dequeued_ns,
            crossed_ns,
            earlier_queues_ns,
            earlier_channels_ns,
            at,
        }
    }

    /// Records that it comes to the queue before a way over the air, to the station `peer`, which is at `node`.
    #[inline]
    pub(super) fn enter(&mut self, node: NodeId, peer: u16, now: u64) {
        if self.peer != NO_STATION {
            (self.earlier_queues_ns, self.earlier_channels_ns) = self.on_air();
        }
        (self.at, self.peer, self.queued_ns) = (node, peer, now);
    }

    /// Time in the queues before the air, and on the channel, ns, once the last hop is over.
    #[inline]
    fn on_air(&self) -> (u64, u64) {
        if self.peer == NO_STATION {
            return (0, 0);
        }
        (
            self.earlier_queues_ns + (self.dequeued_ns - self.queued_ns),
            self.earlier_channels_ns + (self.crossed_ns - self.dequeued_ns),
        )
    }

    /// Time on each part of its way, once it has come to its end at `now`.
    #[inline]
    pub fn legs(&self, now: u64) -> Legs {
        let (queue_ns, channel_ns) = self.on_air();
        Legs { wires_ns: now - self.sent_ns - queue_ns - channel_ns, queue_ns, channel_ns }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 ns on a link, 5 in a queue, 11 on the air; 9 and 10 of the next hop; 7 on a link. Times of both hops count.
    #[test]
    fn each_hop_adds_its_times() {
        let mut packet = Carried::new((), 100, (NodeId(0), NodeId(9)), 10);
        assert_eq!(packet.legs(17), Legs { wires_ns: 7, queue_ns: 0, channel_ns: 0 });
        for (peer, queued_ns, dequeued_ns, crossed_ns) in [(1, 15, 20, 31), (0, 31, 40, 50)] {
            packet.enter(NodeId(peer), peer as u16, queued_ns);
            (packet.dequeued_ns, packet.crossed_ns) = (dequeued_ns, crossed_ns);
        }
        assert_eq!(packet.legs(57), Legs { wires_ns: 12, queue_ns: 14, channel_ns: 21 });
    }
}
