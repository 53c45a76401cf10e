// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a medium reports: packets that arrived or did not, frames that are over,
//! and every attempt on the air for those who want to see it.

use airtab_core::{Handle, Rate, Reason, Tx};

use super::edca::Category;
use crate::engine::Outbox;

/// What a medium reports, in the order in which it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A packet arrived at its station (multicast: at all).
    Down(Handle),
    /// A packet of a station arrived at the access point.
    Up(Handle),
    /// A packet was given up after the last attempt; nobody received it.
    Lost(Handle),
    /// The access point's discipline dropped a packet.
    Dropped(Handle, Reason),
    /// A station's uplink queue dropped a packet.
    UplinkDropped(Handle, Reason),
    /// A packet left the access point's queue for the MAC; it is still on its way.
    Dequeued(Handle),
    /// A frame is over.
    Sent {
        /// From the access point.
        down: bool,
        /// The packet's [`Label`].
        label: u32,
        /// What it took.
        tx: Tx,
        /// How it went out.
        way: Way,
    },
    /// A packet arrived at the other end of a link of a mesh.
    Across(Handle),
    /// A node's discipline dropped a packet.
    NodeDropped(u16, Handle, Reason),
    /// A packet left a node's queue for the MAC; it is still on its way.
    NodeDequeued(u16, Handle),
    /// A frame of a mesh is over.
    NodeSent {
        /// From which node to which one.
        hop: (u16, u16),
        /// The packet's [`Label`].
        label: u32,
        /// What it took.
        tx: Tx,
        /// How it went out.
        way: Way,
    },
}

/// How a packet went out, beside what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// From leaving its queue to the start of its first attempt, ns.
    pub below_ns: u64,
    /// MPDUs of the frame that it was in at its last attempt; 0: it had none.
    pub mpdus: u32,
    /// PHY rate of that frame, kb/s; 0: it had none.
    pub kbps: u32,
}

/// Where packets come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The access point: they go down.
    AccessPoint,
    /// A station, by number: they go up.
    Station(u16),
    /// A node of a mesh, by number: they go to whoever is next.
    Node(u16),
}

impl Side {
    #[inline]
    pub(super) fn is_down(self) -> bool {
        self == Side::AccessPoint
    }

    /// A packet of its own arrived.
    #[inline]
    pub(super) fn arrived(self, packet: Handle) -> Output {
        match self {
            Side::AccessPoint => Output::Down(packet),
            Side::Station(_) => Output::Up(packet),
            Side::Node(_) => Output::Across(packet),
        }
    }

    /// Reports that a frame of its own is over; `to`: the transmitter that it was for.
    #[inline]
    pub(super) fn sent(self, outputs: &mut Outbox<Output>, to: Option<usize>, label: u32, tx: Tx, way: Way) {
        // Each kind is written in place: a choice between two would be copied.
        match self {
            Side::AccessPoint | Side::Station(_) => {
                outputs.push(Output::Sent { down: self.is_down(), label, tx, way });
            }
            Side::Node(node) => {
                let hop = (node, to.map_or(node, |to| to as u16));
                outputs.push(Output::NodeSent { hop, label, tx, way });
            }
        }
    }

    /// Its queue dropped a packet.
    #[inline]
    pub(super) fn dropped(self, packet: Handle, why: Reason) -> Output {
        match self {
            Side::AccessPoint => Output::Dropped(packet, why),
            Side::Station(_) => Output::UplinkDropped(packet, why),
            Side::Node(node) => Output::NodeDropped(node, packet, why),
        }
    }
}

/// Where the time of a node of a mesh went, ns, and how often it tried. The parts sum to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeAir {
    /// Exchanges that it began.
    pub attempts: u64,
    /// Of these, those that others overlapped.
    pub collided: u64,
    /// Its own exchanges, the waits for answers included, and where not all sense each other its answers, too.
    pub own_ns: u64,
    /// It sensed others.
    pub busy_ns: u64,
    /// It sensed nobody.
    pub idle_ns: u64,
}

/// One MPDU with DATA (of an A-MSDU one for each packet), beacon, RTS or BAR on the air, for captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When its PPDU began, ns; the MPDUs of an aggregate began at once.
    pub start_ns: u64,
    /// What it carried.
    pub carried: FrameBody,
    /// How long its PPDU lasted, ns.
    pub data_ns: u32,
    /// What its sender had reserved the channel for after it, ns: SIFS and ACK, or all that follows an RTS.
    pub rest_ns: u32,
    /// PHY rate, kb/s.
    pub kbps: u32,
    /// The same, with its MCS where it has one.
    pub rate: Rate,
    /// Transmitter: 0 the access point, i + 1 station i.
    pub sender: u16,
    /// The station at the other end, or [`airtab_core::GROUP`].
    pub station: u16,
    /// Access category of its sender; best effort where there is but one.
    pub category: Category,
    /// Sequence number under a block acknowledgement agreement: its own, a BAR's the window's first. On the
    /// air it is taken modulo 4096. The packets of an A-MSDU have the same one, and follow each other.
    pub sequence: Option<u64>,
    /// 1 for the first time that the frame was on the air.
    pub number: u8,
    /// How it ended.
    pub end: End,
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameBody {
    /// Nothing of the host's.
    Beacon,
    /// A packet.
    Packet(Handle),
    /// A packet that has been received already: that of the same sender, category, station and number,
    /// or where it has no number the last one of sender and category.
    Duplicate,
    /// Nothing: a block ACK request.
    Bar,
    /// Nothing: a request to send.
    Rts,
}

/// How an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// DATA and ACK were received.
    Acked,
    /// DATA was lost.
    DataLost,
    /// DATA was received, its ACK was lost.
    AckLost,
    /// Received; nobody acknowledges.
    Broadcast,
    /// Others sent at the same time.
    Collision,
}

/// The host's data of a packet, as far as the cell hands it back with reports
/// that come after the packet has been received, or notes in it what it does not report.
pub trait Label: Copy {
    /// A number that means something to the host.
    fn label(&self) -> u32;

    /// It leaves its sender's queue for the MAC at `now`, ns.
    #[inline]
    fn dequeued(&mut self, now: u64) {
        let _ = now;
    }
}

impl Label for u32 {
    fn label(&self) -> u32 {
        *self
    }
}
