// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What receivers of aggregates have got, and the BLOCK ACKs that say so: IEEE 802.11-2020 9.3.1.7, 9.3.1.8,
//! 10.25.6.3 (the scoreboard).
//!
//! A scoreboard has what was received since the capture began; its sequence numbers count on for ever, those
//! of a frame are taken modulo 4096.
//!
//! What it does not do: one TID for each access category; compressed bitmaps alone.

use std::collections::{BTreeMap, BTreeSet};

use airtab_sim::wifi::{Category, End};
use airtab_sim::{AirFrame, Content};

/// An agreement's place: from the access point (else from the station), the station, the category.
pub(super) type Way = (bool, Option<usize>, Category);

/// That of a frame.
pub(super) fn way(seen: &AirFrame) -> Way {
    (seen.down, seen.station, seen.category)
}

/// The TID that packets of a category have.
pub(super) fn tid(category: Category) -> u8 {
    match category {
        Category::Background => 1,
        Category::BestEffort => 0,
        Category::Video => 5,
        Category::Voice => 6,
    }
}

/// A sequence number beside its fragment number, as a header has them.
pub(super) fn sequence_control(number: u64, fragment: u16) -> [u8; 2] {
    (((number & 0xfff) as u16) << 4 | fragment).to_le_bytes()
}

/// No window is longer.
const LONGEST: u64 = 256;

/// What has been received, of all agreements.
#[derive(Default)]
pub(super) struct Scoreboards(BTreeMap<Way, BTreeSet<u64>>);

impl Scoreboards {
    /// A frame is over.
    pub(super) fn hear(&mut self, seen: &AirFrame) {
        let (Content::Packet(_), Some(number), End::Acked | End::AckLost) =
            (seen.content, seen.sequence, seen.end)
        else {
            return;
        };
        let received = self.0.entry(way(seen)).or_default();
        received.insert(number);
        while received.first().is_some_and(|first| first + LONGEST < number) {
            received.pop_first();
        }
    }

    /// BA control, starting sequence control and bitmap of a BLOCK ACK from `start` on under a window of so
    /// many MPDUs.
    pub(super) fn block_ack(&self, way: &Way, start: u64, window: u16) -> Vec<u8> {
        let (bytes, fragment) = if window <= 64 { (8, 0) } else { (32, 4) };
        let mut frame = control(way.2).to_vec();
        frame.extend(sequence_control(start, fragment));
        let received = |number: u64| self.0.get(way).is_some_and(|numbers| numbers.contains(&number));
        frame.extend((0..bytes).map(|byte| {
            (0..8).fold(0, |bits, bit| bits | u8::from(received(start + 8 * byte + bit)) << bit)
        }));
        frame
    }
}

/// BAR control and BA control: compressed, of one TID.
pub(super) fn control(category: Category) -> [u8; 2] {
    [0x04, tid(category) << 4]
}
