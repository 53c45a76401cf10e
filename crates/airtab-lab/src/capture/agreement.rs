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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use airtab_core::Rate;
    use airtab_sim::AirPacket;
    use airtab_sim::address::{FiveTuple, Protocol};

    use super::*;

    fn seen(down: bool, station: usize, category: Category, number: u64, end: End) -> AirFrame {
        let host = (Ipv4Addr::new(10, 0, 0, 1), 1);
        let tuple = FiveTuple { source: host, destination: host, protocol: Protocol::Udp };
        AirFrame {
            start_ns: 0,
            data_ns: 0,
            rest_ns: 0,
            kbps: 6000,
            rate: Rate::legacy(6000),
            down,
            station: Some(station),
            category,
            sequence: Some(number),
            attempt: 1,
            end,
            content: Content::Packet(AirPacket { tuple, bytes: 100, segment: None }),
        }
    }

    /// IEEE 802.11-2020, table 10-1 and 9.2.4.4.
    #[test]
    fn tids_and_numbers_of_headers() {
        use Category::{Background, BestEffort, Video, Voice};
        assert_eq!([Background, BestEffort, Video, Voice].map(tid), [1, 0, 5, 6]);
        assert_eq!([BestEffort, Voice].map(control), [[0x04, 0x00], [0x04, 0x60]]);
        // The number above four bits of the fragment, modulo 4096.
        assert_eq!(sequence_control(0x123, 0), [0x30, 0x12]);
        assert_eq!(sequence_control(4096 + 0x123, 4), [0x34, 0x12]);
    }

    #[test]
    fn a_bitmap_has_what_was_received_on_that_way() {
        let mut boards = Scoreboards::default();
        let voice = Category::Voice;
        for (number, end) in [
            (100, End::Acked),
            (101, End::DataLost),
            (103, End::AckLost),
            (109, End::Acked),
            (102, End::Collision),
        ] {
            boards.hear(&seen(true, 2, voice, number, end));
        }
        // The same numbers on other ways.
        boards.hear(&seen(false, 2, voice, 101, End::Acked));
        boards.hear(&seen(true, 3, voice, 102, End::Acked));
        boards.hear(&seen(true, 2, Category::Video, 104, End::Acked));
        boards.hear(&AirFrame { content: Content::BlockAckRequest, ..seen(true, 2, voice, 105, End::Acked) });
        let of = |way: Way, start, window| boards.block_ack(&way, start, window);
        let here = (true, Some(2), voice);
        // BA control, 99 in its place above the fragment, 8 octets: 100, 103 and 109 are bits 1, 4 and 10.
        let short = [&[0x04, 0x60, 0x30, 0x06][..], &[1 << 1 | 1 << 4, 1 << 2], &[0; 6]].concat();
        assert_eq!(of(here, 99, 64), short);
        let long = [&[0x04, 0x60, 0x34, 0x06][..], &[1 << 1 | 1 << 4, 1 << 2], &[0; 30]].concat();
        assert_eq!((of(here, 99, 65), of(here, 99, 256)), (long.clone(), long));
        assert_eq!(of((false, Some(2), voice), 100, 64)[4..6], [1 << 1, 0]);
        assert_eq!(of((true, Some(3), voice), 100, 64)[4..6], [1 << 2, 0]);
        assert_eq!(of((true, Some(4), voice), 100, 64)[4..], [0; 8], "nobody sent there");
        // No window is longer than 256: what is further back is forgotten.
        boards.hear(&seen(true, 2, voice, 359, End::Acked));
        let first = |boards: &Scoreboards| boards.block_ack(&here, 96, 64)[4] >> 4;
        assert_eq!(first(&boards), 0b1000, "103, and 100 no more");
        boards.hear(&seen(true, 2, voice, 360, End::Acked));
        assert_eq!(boards.block_ack(&here, 96, 64)[4..6], [0, 1 << 5], "109 alone");
    }
}
