// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a world tells its host.

use airtab_core::{Handle, Reason, Tx};

use super::topology::NodeId;
use crate::trace::Leg;
use crate::wifi::Way;

/// Something that happened.
///
/// Fields are laid out as they stand here: what lies where the times of another report do would make every copy one of
/// single bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Report<T> {
    /// It is the time of a timer of the host's.
    Timer(T),
    /// A packet is at its end. The host takes it.
    Arrived {
        /// Where.
        node: NodeId,
        /// The packet.
        packet: Handle,
    },
    /// A packet of a station came over the air to its access point and goes on from there: told only where
    /// [`Tag::CROSSINGS`](super::Tag::CROSSINGS) asks for it.
    Crossed {
        /// The station.
        station: u16,
        /// The packet.
        packet: Handle,
        /// How long it was in the station's own queue, ns.
        queue_ns: u64,
        /// From leaving that queue to the access point, ns.
        channel_ns: u64,
    },
    /// A packet came to a discipline; it may be dropped at once.
    Queued {
        /// Where.
        at: Place,
        /// The packet.
        packet: Handle,
    },
    /// A packet left a discipline; it is still on its way.
    Dequeued {
        /// Where.
        at: Place,
        /// The packet.
        packet: Handle,
    },
    /// A packet was dropped by what queues there. The host takes it.
    Dropped {
        /// Why.
        why: Reason,
        /// Where.
        at: Place,
        /// The packet.
        packet: Handle,
    },
    /// A packet was given up by its MAC after the last attempt. The host takes it.
    Lost {
        /// The packet.
        packet: Handle,
    },
    /// A frame is over, or the last bit of a packet of a wire's discipline has left.
    Sent {
        /// By whom.
        at: Place,
        /// The packet's [`Tag::tag`](super::Tag::tag).
        tag: u32,
        /// What it took.
        tx: Tx,
        /// How it went out; on wires nothing of it is known.
        way: Way,
    },
}

/// What queues and sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The near end of a wire, by its place in the topology's list.
    Wire(u32),
    /// The access point of a channel.
    AccessPoint(u16),
    /// A station of a channel; which one is the packet's [`Carried::peer`](super::Carried::peer).
    Uplink(u16),
    /// A node of a mesh, by its number.
    Node(u16),
    /// A node of a mesh, and whom it sends to.
    Hop(u16, u16),
}

impl Place {
    /// The part of a packet's way that it queues for there.
    pub fn leg(self) -> Leg {
        match self {
            Place::Wire(_) => Leg::Wires,
            Place::AccessPoint(_) | Place::Uplink(_) | Place::Node(_) | Place::Hop(..) => Leg::Queue,
        }
    }
}
