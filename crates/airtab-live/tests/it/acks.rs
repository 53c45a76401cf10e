// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What vfq does to acknowledgements, in the bytes that come out: pieces that it makes, data
//! that takes an acknowledgement with it.

use crate::common;

use airtab_live::{AccessPoint, Port};
use common::frames::{Ip, TcpHeader, ones_sum};
use common::{EMULATOR, S, address, house, queue};

const ACK: u8 = 16;
const PUSH: u8 = 8;
/// Two of padding, then time stamps of these values.
const STAMPS: [u8; 12] = [1, 1, 8, 10, 0, 0, 1, 0, 0, 0, 2, 0];

/// Payload of a full packet.
fn mss(six: bool) -> u32 {
    if six { 1428 } else { 1448 }
}

/// A segment from the server of the download to its station.
fn segment(six: bool, seq: u32, ack: u32, flags: u8, data: &[u8]) -> Vec<u8> {
    let options = STAMPS.to_vec();
    let header = TcpHeader { from: 443, to: 5000, seq, ack, flags, window: 500, options };
    Ip::new(address(1, six), address(3, six)).tcp(&header, data)
}

/// The packets that come out of a house whose discipline is `spec`, in order; all go in at once behind one that
/// acknowledges number 1.
fn out(spec: &str, six: bool, packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut ap = AccessPoint::new(house("acks", EMULATOR, ""), &queue(spec), 1).expect("good parameters");
    ap.receive(Port::Internet, &segment(six, 70, 1, ACK, b""), 0);
    ap.advance(S);
    // The others wait behind this one.
    ap.receive(Port::Internet, &segment(six, 70, 1, ACK | PUSH, b"first"), S);
    for packet in packets {
        ap.receive(Port::Internet, packet, S);
    }
    ap.advance(2 * S);
    let mut all = Vec::new();
    while let Some((port, _, bytes)) = ap.transmit() {
        assert_eq!(port, Port::Station(1));
        all.push(bytes.to_vec());
    }
    let books = ap.books();
    assert!(books.balanced() && books.inside == 0, "{books:?}");
    assert_eq!(ap.room().buffers, 0);
    assert_eq!(books.made, all.len() as u64 + books.dropped - books.taken);
    all.split_off(2)
}

/// Each piece is what its sender would have sent: to the byte.
#[test]
fn pieces_are_as_their_sender_would_have_sent_them() {
    for six in [false, true] {
        for data in [&b""[..], b"odd"] {
            let number = 1 + 3 * mss(six) + 100;
            let flags = if data.is_empty() { ACK } else { ACK | PUSH };
            let whole = segment(six, 70, number, flags, data);
            let got = out("vfq:ack_burst=1:uplink=ack:charge=packet", six, std::slice::from_ref(&whole));
            let pieces = (1..=3).map(|n| segment(six, 70, 1 + n * mss(six), ACK, b""));
            assert_eq!(got, pieces.chain([whole]).collect::<Vec<_>>(), "IPv6: {six}, {data:?}");
        }
    }
}

/// Data says what the acknowledgements beside it said; a duplicate goes on its own.
#[test]
fn data_takes_acknowledgements_with_it() {
    for six in [false, true] {
        let data = |n| segment(six, 70, 1 + n * mss(six), ACK | PUSH, b"hello");
        let pure = |n| segment(six, 75, 1 + n * mss(six), ACK, b"");
        let got = out("vfq", six, &[data(1), pure(2), pure(2), pure(3), data(3)]);
        assert_eq!(got, [data(2), pure(2), data(3)], "IPv6: {six}");
        let apart = out("vfq:merge=off", six, &[data(1), pure(2)]);
        assert_eq!(apart, [data(1), pure(2)], "IPv6: {six}");
    }
}

/// Acknowledgements that went on with data have arrived: none waits, none is lost, none counts as a drop of its flow.
#[test]
fn what_data_took_along_is_in_no_queue_and_lost_nowhere() {
    let data = |n| segment(false, 70, 1 + n * mss(false), ACK | PUSH, b"hello");
    let pure = |n| segment(false, 75, 1 + n * mss(false), ACK, b"");
    let mut ap = AccessPoint::new(house("merged", EMULATOR, ""), &queue("vfq"), 1).expect("good parameters");
    for packet in [data(0), data(1), pure(2), pure(3), data(3), pure(4)] {
        ap.receive(Port::Internet, &packet, 0);
    }
    ap.advance(S);
    let out = std::iter::from_fn(|| ap.transmit().map(drop)).count() as u64;
    let s = ap.snapshot();
    let merged = 6 - out;
    assert!(merged > 0 && s.books.dropped == merged, "{:?}", s.books);
    let [flow] = &s.flows[..] else { panic!("{:?}", s.flows) };
    for (backlog, totals) in
        [(s.stations[1].backlog_packets, s.stations[1].totals), (flow.backlog_packets, flow.totals)]
    {
        assert_eq!((backlog, totals.dropped, totals.lost, totals.frames), (0, 0, 0, out));
    }
    let mut apps = vec![airtab_live::AppView::default(); 2];
    ap.put_paths(&mut apps);
    assert_eq!((apps[1].down.arrived, apps[1].down.lost()), (out, 0));
    let (apps, _) = ap.finish();
    let down = &apps[1].down;
    assert_eq!((down.sent, down.received, down.under_way, apps[1].queue.dropped), (6, 6, 0, 0));
}

/// What was damaged before stays so; signed segments are left alone.
#[test]
fn damage_and_signatures_stay() {
    let mut damaged = segment(false, 70, 1 + 2 * mss(false), ACK | PUSH, b"hello");
    *damaged.last_mut().expect("bytes") ^= 1;
    let got = out("vfq:ack_burst=1:uplink=ack", false, std::slice::from_ref(&damaged));
    assert_eq!(got.len(), 2);
    let pseudo = [&got[0][12..20], &[0, 6, 0, 32], &got[0][20..]].concat();
    assert_ne!(ones_sum(&pseudo), 0xffff, "its receiver finds it");
    assert_eq!(got[1], damaged);
    let mut options = vec![1, 1, 19, 18];
    options.extend([7; 16]);
    let header =
        TcpHeader { from: 443, to: 5000, seq: 70, ack: 1 + 4 * mss(false), flags: ACK, window: 500, options };
    let signed = Ip::new(address(1, false), address(3, false)).tcp(&header, b"");
    assert_eq!(
        out("vfq:ack_burst=1:uplink=ack", false, std::slice::from_ref(&signed)),
        std::slice::from_ref(&signed)
    );
}
