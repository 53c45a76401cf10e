// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What vfq does to acknowledgements, in the bytes that come out: pieces that it makes, data
//! that takes an acknowledgement with it; and that the kernel's own TCP gets every byte
//! through it, over IPv4 and IPv6. The part that is for real needs root.

use crate::common;

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use airtab_live::{AccessPoint, NetnsRef, Port};
use common::frames::{Ip, TcpHeader, ones_sum};
use common::{EMULATOR, S, address, deadline::deadline, house, houses_can_be_built, queue, up};

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

/// Bytes that look like nothing else.
fn bytes(seed: u64, n: usize) -> Vec<u8> {
    let mut word = seed;
    let next = |_| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (word >> 56) as u8
    };
    (0..n).map(next).collect()
}

/// Both ends write while they read, in pieces, and get what the other one wrote.
fn exchange(mut stream: TcpStream, out: Vec<u8>, pause: Duration) -> std::io::Result<Vec<u8>> {
    let mut writer = stream.try_clone()?;
    let writing = thread::spawn(move || {
        for piece in out.chunks(20_000) {
            writer.write_all(piece)?;
            thread::sleep(pause);
        }
        writer.shutdown(Shutdown::Write)
    });
    let mut got = Vec::new();
    stream.read_to_end(&mut got)?;
    writing.join().expect("no panic")?;
    Ok(got)
}

/// An upload with data the other way, over both families at once: every byte arrives, both ways. How many
/// acknowledgements were made and merged.
fn every_byte_gets_through(name: &str, spec: &str) -> [f64; 2] {
    let mut running = up(house(name, EMULATOR, ""), spec);
    let netns = |port| running.house().netns(port);
    let (internet, laptop) = (netns(Port::Internet), netns(Port::Station(1)));
    let (up, down) = (bytes(1, 6_000_000), bytes(2, 400_000));
    let ends = [false, true].map(|six| {
        let to = SocketAddr::new(address(1, six), 5001);
        let (down, up) = (down.clone(), up.clone());
        let (listening, listens) = std::sync::mpsc::channel();
        let server = NetnsRef::named(&internet).spawn("server", move || {
            let listener = TcpListener::bind(to)?;
            listening.send(()).expect("somebody waits");
            exchange(listener.accept()?.0, down, Duration::from_millis(50))
        });
        listens.recv().expect("it listens");
        let client = NetnsRef::named(&laptop)
            .spawn("client", move || exchange(TcpStream::connect(to)?, up, Duration::ZERO));
        (server.expect("a thread"), client.expect("a thread"))
    });
    for (server, client) in ends {
        let at_server = server.join().expect("no panic").expect("it is served");
        let at_client = client.join().expect("no panic").expect("it is served");
        assert!(at_server == up, "{} of {} bytes up", at_server.len(), up.len());
        assert!(at_client == down, "{} of {} bytes down", at_client.len(), down.len());
    }
    let stats = running.remote().order(|ap| ap.snapshot().qdisc.stats).expect("it runs");
    let counts =
        ["split", "merged"].map(|name| stats.iter().find(|s| s.name == name).expect("it is there").value);
    println!("{spec}: {} acknowledgements made, {} merged", counts[0], counts[1]);
    assert!(running.stop().expect("it ran").books().balanced());
    counts
}

#[test]
fn tcp_gets_every_byte_through_pieces_of_one_segment() {
    let _in_time = deadline(300);
    if houses_can_be_built() {
        let [split, _] = every_byte_gets_through("qa-split", "vfq:ack_burst=1:uplink=ack");
        assert!(split >= 1000.0, "{split}");
    }
}

#[test]
fn tcp_gets_every_byte_through_merges() {
    let _in_time = deadline(300);
    if houses_can_be_built() {
        let [_, merged] = every_byte_gets_through("qa-merge", "vfq:ack_burst=0");
        assert!(merged >= 10.0, "{merged}");
    }
}
