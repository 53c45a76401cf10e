// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a medium reports: packets that arrived or did not, frames that are over,
//! and every attempt on the air for those who want to see it.

use airtab_core::{Handle, Reason, Tx};

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
}

impl Side {
    #[inline]
    pub(super) fn is_down(self) -> bool {
        self == Side::AccessPoint
    }

    /// A packet of its own arrived.
    #[inline]
    pub(super) fn arrived(self, packet: Handle) -> Output {
        if self.is_down() { Output::Down(packet) } else { Output::Up(packet) }
    }

    /// Its queue dropped a packet.
    #[inline]
    pub(super) fn dropped(self, packet: Handle, why: Reason) -> Output {
        if self.is_down() { Output::Dropped(packet, why) } else { Output::UplinkDropped(packet, why) }
    }
}

/// One DATA frame or beacon on the air, for captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When it began, ns.
    pub start_ns: u64,
    /// What it carried.
    pub carried: FrameBody,
    /// How long it lasted, its ACK not included, ns.
    pub data_ns: u32,
    /// PHY rate, kb/s.
    pub kbps: u32,
    /// Transmitter: 0 the access point, i + 1 station i.
    pub sender: u16,
    /// The station at the other end, or [`airtab_core::GROUP`].
    pub station: u16,
    /// 1 for the first attempt of a frame.
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
    /// A packet of its sender's that has been received already.
    Duplicate,
    /// Nothing: a block ACK request.
    Bar,
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
