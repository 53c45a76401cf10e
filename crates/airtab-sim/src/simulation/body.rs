// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the simulator keeps of a packet, and how a discipline edits its acknowledgements.
//!
//! What it does not do: what becomes of a packet is told by the world.

use airtab_core::Acks;

use crate::tcp::{ACK, Segment};
use crate::world::Tag;

/// The host's part of a packet. Laid out as it stands: what only some have comes last.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Body {
    pub(super) app: u16,
    pub(super) flow: u16,
    pub(super) life: u16,
    pub(super) up: bool,
    /// A discipline made it: it never came to a queue.
    pub(super) made: bool,
    pub(super) load: Load,
}

/// What its receiver is told of a packet. Of the smaller one no more is written than there is: a queue may hold so many
/// that no cache does.
#[derive(Clone, Copy)]
#[repr(u64)] // both begin where a word does: it is copied by words
pub(super) enum Load {
    /// Not TCP.
    Datagram(u32),
    Segment(Segment),
}

impl Load {
    /// Whether it is more than an acknowledgement.
    pub(super) fn has_data(&self) -> bool {
        match self {
            Load::Datagram(_) => true,
            Load::Segment(segment) => segment.payload > 0,
        }
    }
}

impl Tag for Body {
    fn tag(&self, _peer: u16) -> u32 {
        u32::from(self.app) << 16 | u32::from(self.flow)
    }
}

/// Edits of simulated segments.
pub(super) struct SegmentAcks;

impl Acks<Body> for SegmentAcks {
    /// The number, modulo 2^32, is before the packet's.
    fn make(&mut self, packet: &Body, number: u32) -> Option<(Body, u32)> {
        let Load::Segment(whole @ Segment { flags, ack, .. }) = packet.load else { return None };
        let before = u64::from((ack as u32).wrapping_sub(number));
        let segment = Segment { ack: ack.checked_sub(before)?, payload: 0, sack_len: 0, ..whole };
        let load = Load::Segment(segment);
        (flags == ACK).then_some((Body { load, made: true, ..*packet }, segment.ip_bytes()))
    }

    fn merge(&mut self, data: &mut Body, ack: &Body) -> bool {
        let same = (data.flow, data.life, data.up) == (ack.flow, ack.life, ack.up);
        let (Load::Segment(d), Load::Segment(a)) = (&mut data.load, &ack.load) else { return false };
        let plain =
            [&*d, a].iter().all(|s| s.flags == ACK && s.sack_len == 0) && d.timestamps == a.timestamps;
        if !same || !plain || a.payload > 0 {
            return false;
        }
        if a.ack > d.ack {
            (d.ack, d.window, d.tsval, d.tsecr) = (a.ack, a.window, a.tsval, a.tsecr);
        }
        true
    }
}
