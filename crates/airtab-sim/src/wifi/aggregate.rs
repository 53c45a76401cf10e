// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How long frames made of packets are: MPDU, A-MSDU, A-MPDU (IEEE 802.11-2020 9.3.2.2.2, 9.7.1).
//!
//! What it does not do: which packets wait, and how many may go at once, is said elsewhere (`driver`, `phy`).

use airtab_core::{ampdu_add, ampdu_bytes};

use super::exchange::Part;

/// LLC and SNAP before each packet, bytes.
const LLC: u32 = 8;
/// Before each packet of an A-MSDU, bytes.
const SUBFRAME: u32 = 14 + LLC;

/// What an aggregate to a receiver may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// MPDUs.
    pub(super) frames: usize,
    /// Longest PSDU, bytes.
    pub(super) psdu: u32,
    /// Longest A-MSDU, bytes; 0: a packet each.
    pub(super) amsdu: u32,
    /// What is around one packet: MAC header, LLC and SNAP, FCS, encryption, bytes.
    pub(super) mac: u32,
}

/// Packets in one MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mpdu {
    pub(super) packets: usize,
    pub(super) bytes: u32,
}

/// An aggregate so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) mpdus: usize,
    /// As an A-MPDU.
    pub(super) psdu: u32,
    /// Of its only MPDU.
    lone: u32,
}

impl Bounds {
    /// One packet, however long.
    pub(super) fn single(mac: u32) -> Bounds {
        Bounds { frames: 1, psdu: u32::MAX, amsdu: 0, mac }
    }
}

impl Mpdu {
    /// The one that the first of these packets are in: what has a number already keeps its company.
    pub(super) fn first_of<'a>(mut packets: impl Iterator<Item = &'a Part>, bounds: &Bounds) -> Mpdu {
        let first = packets.next().expect("there is a packet");
        if first.sequence.is_none() && bounds.amsdu == 0 {
            return Mpdu { packets: 1, bytes: bounds.mac + first.bytes };
        }
        let (mut count, mut msdu) = (1, SUBFRAME + first.bytes);
        for part in packets.take_while(|part| part.sequence == first.sequence) {
            let longer = msdu.next_multiple_of(4) + SUBFRAME + part.bytes;
            if first.sequence.is_none() && (longer > bounds.amsdu || longer + bounds.mac > bounds.psdu) {
                break;
            }
            (count, msdu) = (count + 1, longer);
        }
        let bytes = bounds.mac + if count == 1 { first.bytes } else { msdu - LLC };
        Mpdu { packets: count, bytes }
    }
}

impl Length {
    /// With another MPDU.
    pub(super) fn with(self, mpdu: &Mpdu) -> Length {
        Length { mpdus: self.mpdus + 1, psdu: ampdu_add(self.psdu, mpdu.bytes), lone: mpdu.bytes }
    }

    /// That of so many MPDUs, one at least, of equal size.
    pub(super) fn equal(mpdus: usize, bytes: u32) -> Length {
        Length { mpdus, psdu: ampdu_bytes(mpdus as u32, bytes), lone: bytes }
    }

    /// That of all these parts.
    pub(super) fn of(mut parts: &[Part], bounds: &Bounds) -> Length {
        let mut length = Length::default();
        while !parts.is_empty() {
            let mpdu = Mpdu::first_of(parts.iter(), bounds);
            length = length.with(&mpdu);
            parts = &parts[mpdu.packets..];
        }
        length
    }

    /// Whether it may be sent.
    pub(super) fn is_within(&self, bounds: &Bounds) -> bool {
        self.psdu <= bounds.psdu && self.mpdus <= bounds.frames
    }

    /// As it is sent: a single MPDU as it is, where single ones may go out so.
    pub(super) fn sent(&self, singles: bool) -> u32 {
        if self.mpdus == 1 && singles { self.lone } else { self.psdu }
    }
}
