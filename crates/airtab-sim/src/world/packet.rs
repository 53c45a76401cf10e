// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A packet as the world carries it: the host's part, and its way so far.

use super::topology::NodeId;
use crate::wifi::Label;

/// A packet in a world.
#[derive(Clone, Copy, Debug)]
pub struct Carried<B> {
    /// The host's part.
    pub body: B,
    /// Length of the IP packet, bytes.
    pub bytes: u32,
    /// Where it goes to.
    pub to: NodeId,
    /// The station at the other end of its last or present way over the air;
    /// [`airtab_core::NO_STATION`] before the first.
    pub peer: u16,
    /// When it was sent, ns.
    pub sent_ns: u64,
    /// When it came to its last discipline, ns; 0 before the first.
    pub queued_ns: u64,
    /// Where it is, or arrives next.
    pub(super) at: NodeId,
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
}
