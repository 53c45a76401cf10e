// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames written byte by byte.

use airtab_capture::{DataLink, Interface};

use super::super::look::Guess;
use super::*;

pub(in crate::fingerprint) const AP: Mac = [2, 0, 0, 0, 0, 0xaa];
const STATION: Mac = [2, 0, 0, 0, 0, 7];

/// A radiotap header: time, flags, rate and channel.
pub(in crate::fingerprint) fn radiotap(tsft_us: u64, flags: u8, half_mbps: u8, mhz: u16) -> Vec<u8> {
    let mut bytes = vec![0, 0, 22, 0, 0x0f, 0, 0, 0];
    bytes.extend(tsft_us.to_le_bytes());
    bytes.extend([flags, half_mbps]);
    bytes.extend(mhz.to_le_bytes());
    bytes.extend([0xa0, 0]);
    bytes
}

/// A MAC header of three addresses, then `rest`.
pub(in crate::fingerprint) fn mac_header(
    control: u8,
    flags: u8,
    to: Mac,
    sequence: u16,
    rest: &[u8],
) -> Vec<u8> {
    let mut bytes = vec![control, flags, 0, 0];
    bytes.extend([to, STATION, AP].as_flattened());
    bytes.extend((sequence << 4 | 3).to_le_bytes());
    bytes.extend(rest);
    bytes
}

pub(in crate::fingerprint) fn packet<'a>(number: u64, bytes: &'a [u8], length: usize) -> Packet<'a> {
    let link = DataLink::IEEE802_11_RADIOTAP;
    Packet { number, at_ns: Some(77_000), length: length as u32, bytes, link, interface: None }
}

/// One frame at 11 Mb/s, of as many bytes as there are.
fn read(mac: &[u8]) -> Frame {
    let bytes = [radiotap(500, 0x10, 22, 2412), mac.to_vec()].concat();
    let mut frames = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::Radio);
    frames.frame(&packet(1, &bytes, bytes.len())).unwrap().unwrap()
}

#[test]
fn kinds_of_frames_are_told_by_their_control_field() {
    for (control, kind, queue) in [
        (0x80, Kind::Sends, Queue::Management),
        (0x08, Kind::Sends, Queue::Plain),
        (0x48, Kind::Sends, Queue::Plain),
        (0xb4, Kind::Asks, Queue::Plain),
        (0xa4, Kind::Asks, Queue::Plain),
        (0x84, Kind::Asks, Queue::Plain),
        (0x94, Kind::Answers, Queue::Plain),
        (0xd4, Kind::Answers, Queue::Plain),
        (0xc4, Kind::Clears, Queue::Plain),
        (0xe4, Kind::Unknown, Queue::Plain),
    ] {
        let found = read(&mac_header(control, 0, AP, 0, &[]));
        assert_eq!((found.kind, found.queue), (kind, queue), "{control:02x}");
    }
    // Cut before its sender: an answer needs none.
    let cut = |control, length| read(&mac_header(control, 0, AP, 0, &[])[..length]).kind;
    assert_eq!([cut(0xd4, 10), cut(0xd4, 9), cut(0x08, 16), cut(0x08, 15)], {
        [Kind::Answers, Kind::Unknown, Kind::Sends, Kind::Unknown]
    });
}

/// IEEE 802.11-2020, table 10-1.
#[test]
fn a_tid_is_of_a_category() {
    use Category::{Background, BestEffort, Video, Voice};
    let of = [BestEffort, Background, Background, BestEffort, Video, Video, Voice, Voice];
    for (tid, category) in of.into_iter().enumerate() {
        let found = read(&mac_header(0x88, 0x01, AP, 0, &[tid as u8, 0]));
        assert_eq!(found.queue, Queue::Category(category), "TID {tid}");
        // Behind a fourth address.
        let rest = [&[9; 6][..], &[tid as u8, 0]].concat();
        let found = read(&mac_header(0x88, 0x03, AP, 0, &rest));
        assert_eq!((found.queue, found.from_ap), (Queue::Category(category), false), "TID {tid}");
    }
}

#[test]
fn who_sent_it_and_whether_again() {
    for (flags, from_ap, retry) in [
        (0x00, false, false),
        (0x01, false, false),
        (0x02, true, false),
        (0x03, false, false),
        (0x0a, true, true),
        (0x49, false, true),
    ] {
        let found = read(&mac_header(0x08, flags, AP, 1234, &[]));
        assert_eq!((found.from_ap, found.retry, found.from), (from_ap, retry, STATION), "{flags:02x}");
        assert_eq!(found.sequence, 1234, "without its fragment");
    }
}

/// SIFS and an ACK of 14 bytes at 2 Mb/s behind 192 us.
#[test]
fn who_is_answered() {
    let ack_ns = 10_000 + 192_000 + 56_000;
    let group = [1, 0, 0x5e, 0, 0, 1];
    for (what, mac, answer_ns) in [
        ("data", mac_header(0x08, 1, AP, 0, &[]), ack_ns),
        ("to a group", mac_header(0x08, 2, group, 0, &[]), 0),
        ("an RTS", mac_header(0xb4, 0, AP, 0, &[]), ack_ns),
        ("QoS data", mac_header(0x88, 1, AP, 0, &[0x00, 0]), ack_ns),
        ("without an ACK", mac_header(0x88, 1, AP, 0, &[0x20, 0]), 0),
        ("by a block ACK", mac_header(0x88, 1, AP, 0, &[0x60, 0]), ack_ns),
        ("an ACK", mac_header(0xd4, 0, AP, 0, &[]), 0),
    ] {
        assert_eq!(read(&mac).answer_ns, answer_ns, "{what}");
    }
}

/// Duration of a frame: 192 us and all of its bytes at 11 Mb/s, also of a frame that the capture cuts.
#[test]
fn a_frame_lasts_as_long_as_its_bytes() {
    let phy = Phy::named("std-11b").unwrap();
    let mac = mac_header(0x08, 1, AP, 0, &[]);
    let of = |flags, length: usize| {
        let bytes = [radiotap(500, flags, 22, 2412), mac.clone()].concat();
        let mut frames = Frames::new(&phy, Stamps::Radio);
        let frame = frames.frame(&packet(1, &bytes, 22 + length)).unwrap().unwrap();
        (frame.start_ns, frame.end_ns, frame.kind, frames.unknown)
    };
    let end_ns = 500_000 + 192_000 + (1088u64 * 8_000).div_ceil(11);
    assert_eq!(of(0x10, 1088), (500_000, end_ns, Kind::Sends, 0), "with its FCS");
    assert_eq!(of(0x00, 1084), (500_000, end_ns, Kind::Sends, 0), "without it");
    // Damaged: its kind is unknown.
    assert_eq!(of(0x50, 1088), (500_000, end_ns, Kind::Unknown, 1));
}

/// Packets of 4 GiB, as the capture states, do not overflow the bytes that a profile counts around them.
#[test]
fn the_longest_packet_has_a_duration() {
    for phy in ["std-11g", "std-11b", "phy-a"] {
        let bytes = [radiotap(500, 0x10, 22, 2412), mac_header(0x08, 1, AP, 0, &[])].concat();
        let mut frames = Frames::new(&Phy::named(phy).unwrap(), Stamps::Radio);
        let frame = frames.frame(&packet(1, &bytes, u32::MAX as usize)).unwrap().unwrap();
        assert!(frame.end_ns > 1_000_000_000_000, "{phy}: {}", frame.end_ns);
    }
}

#[test]
fn time_stamps_of_one_moment_may_be_a_tick_apart() {
    let mac = mac_header(0x08, 1, AP, 0, &[]);
    let mut frames = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::Radio);
    let mut starts = |us, number| {
        let bytes = [radiotap(us, 0x10, 22, 2412), mac.clone()].concat();
        frames.frame(&packet(number, &bytes, bytes.len())).map(|frame| frame.unwrap().start_ns)
    };
    assert_eq!(starts(500, 1).ok(), Some(500_000));
    // SIFS is 10 us.
    assert_eq!(starts(490, 2).ok(), Some(500_000));
    assert_eq!(starts(520, 3).ok(), Some(520_000));
    // By the file's time stamps alone.
    let mut of_file = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::File);
    let bytes = [radiotap(500, 0x10, 22, 2412), mac.clone()].concat();
    let mut starts = |at_ns, number| {
        let packet = Packet { at_ns: Some(at_ns), ..packet(number, &bytes, bytes.len()) };
        of_file.frame(&packet).map(|frame| frame.unwrap().start_ns)
    };
    assert_eq!(starts(77_000, 1).ok(), Some(77_000));
    assert_eq!(starts(67_000, 2).ok(), Some(77_000));
    let said = starts(64_000, 3).unwrap_err().to_string();
    assert!(said.starts_with("frame 3 is 13 us earlier than the one before"), "{said}");
}

/// A clock that is set back, wraps after 32 bits, or jumps ahead of the file's has made a step. A 0 among others is not a time.
#[test]
fn steps_of_a_radios_clock_are_counted() {
    let mac = mac_header(0x08, 1, AP, 0, &[]);
    let mut frames = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::Radio);
    let second = 1_000_000_000;
    for (us, at_ns, steps, start_ns) in [
        (0, second, 0, Some(0)),
        (5_000, second + 5_000_000, 0, Some(5_000_000)),
        (0, second + 6_000_000, 0, None),
        (4_900, second + 7_000_000, 1, Some(4_900_000)),
        (6_000, second + 8_000_000, 1, Some(6_000_000)),
        // A second without a frame, by either clock.
        (2_006_000, 3 * second, 1, Some(2_006_000_000)),
        ((1 << 32) - 100, 3 * second + 1_000, 2, Some(((1 << 32) - 100) * 1000)),
        (100, 3 * second + 201_000, 3, Some(100_000)),
        (50_000_000, 0, 3, Some(50_000_000_000)),
    ] {
        let bytes = [radiotap(us, 0x10, 22, 2412), mac.clone()].concat();
        let packet = Packet { at_ns: Some(at_ns), ..packet(1, &bytes, bytes.len()) };
        let frame = frames.frame(&packet).unwrap();
        assert_eq!((frames.steps, frame.map(|frame| frame.start_ns)), (steps, start_ns), "{us}");
    }
    assert_eq!(frames.notes(), ["The radio's clock was set 3 times: no gap is counted across that."]);
}

#[test]
fn frames_without_a_rate_or_a_time_are_counted() {
    let mac = mac_header(0x08, 1, AP, 0, &[]);
    let mut frames = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::Radio);
    let without_rate = [radiotap(500, 0x10, 0, 2412), mac.clone()].concat();
    assert!(frames.frame(&packet(1, &without_rate, 60)).unwrap().is_none());
    let mut without_time = vec![0, 0, 9, 0, 0x04, 0, 0, 0, 22];
    without_time.extend(&mac);
    assert!(frames.frame(&packet(2, &without_time, 60)).unwrap().is_none());
    let good = [radiotap(600, 0x10, 22, 2412), mac.clone()].concat();
    assert!(frames.frame(&packet(3, &good, 60)).unwrap().is_some());
    assert_eq!((frames.count, frames.unknown), (3, 2));
    // The first name of an address stays.
    let mut named = |name: &str, mac| {
        let (name, address) = (Some(name.to_string()), Some(mac));
        let interface = Interface { name, address, ..Interface::default() };
        let packet = Packet { interface: Some(&interface), ..packet(4, &good, 60) };
        frames.frame(&packet).unwrap();
    };
    named("one", STATION);
    named("two", STATION);
    named("ap", AP);
    assert_eq!([STATION, AP, [1; 6]].map(|mac| frames.name(mac)), [Some("one"), Some("ap"), None]);
}

/// 802.11be has the constants of 802.11ax, and no rates that are read.
#[test]
fn frames_of_802_11be_are_counted() {
    let mut bytes = vec![0, 0, 0, 0];
    bytes.extend((0x0bu32 | 1 << 28).to_le_bytes());
    bytes.extend(500u64.to_le_bytes());
    bytes.extend([0x10, 0]);
    bytes.extend(5955u16.to_le_bytes());
    bytes.extend([0, 0, 0, 0]);
    bytes.extend([34, 0, 4, 0, 1, 2, 3, 4]);
    bytes[2] = bytes.len() as u8;
    bytes.extend(mac_header(0x88, 1, AP, 0, &[0, 0]));
    let mut guess = Guess::default();
    guess.add(&packet(1, &bytes, 60)).unwrap();
    assert_eq!(guess.end().unwrap().guess.name(), "std-11ax");
    let mut frames = Frames::new(&Phy::named("std-11ax").unwrap(), Stamps::Radio);
    assert!(frames.frame(&packet(1, &bytes, 60)).unwrap().is_none());
    assert_eq!((frames.count, frames.unknown, frames.eht), (1, 1, 1));
    assert_eq!(frames.notes(), ["1 frame is of 802.11be (EHT), whose rates are not read."]);
}
