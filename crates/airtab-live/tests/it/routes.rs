// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where packets go, in virtual time: who may speak to whom, what a discipline is told of a packet,
//! whose application it is, from when on a change holds.
//!
//! Durations by hand, as in `figures.rs`.

use crate::common;

use airtab_live::metrics::{Format, encode};
use airtab_live::{AccessPoint, Port};
use airtab_sim::wifi::Loss;
use common::frames::Ip;
use common::{EMULATOR, Inner, MS, S, address, deadline::deadline, house, packet, queue, roomy};

/// 1500 bytes at 54 Mb/s on the emulated link, ns.
const EMULATED: u64 = 399_259;

const CELL: &str = "beacon_interval = \"off\"";
const CONSOLE: u16 = 0;
const LAPTOP: u16 = 1;

fn ap(wifi: &str, wired: &str, spec: &str) -> AccessPoint {
    AccessPoint::new(house("routes", wifi, wired), &queue(spec), 1).unwrap()
}

/// Addresses of [`address`]: the game's and the download's server, the stations,
/// the access point.
const GAME: usize = 0;
const DOWNLOAD: usize = 1;
const AT_CONSOLE: usize = 2;
const AT_LAPTOP: usize = 3;
const HERE: usize = 4;

/// UDP from one to the other, with this port at the receiver.
fn udp(from: usize, to: usize, port: u16, bytes: usize) -> Vec<u8> {
    packet(address(from, false), address(to, false), Inner::Udp, port, 0, bytes, 0)
}

/// What comes out until `now`: port and time.
fn outputs(ap: &mut AccessPoint, now: u64) -> Vec<(Port, u64)> {
    ap.advance(now);
    std::iter::from_fn(|| ap.transmit().map(|(port, at, _)| (port, at))).collect()
}

/// What the access point itself says to servers is nobody's application, and no answer of a server.
#[test]
fn the_access_point_is_no_application() {
    let _in_time = deadline(300);
    let tcp = |from, to| packet(address(from, false), address(to, false), Inner::Tcp, 443, 0, 500, 0);
    for (port, from, to) in [(Port::Internet, GAME, HERE), (Port::AccessPoint, HERE, GAME)] {
        let mut ap = ap(EMULATOR, "", "fifo");
        for at in [0, 50 * MS] {
            ap.advance(at);
            ap.receive(port, &tcp(from, to), at);
        }
        assert_eq!(outputs(&mut ap, S).len(), 2);
        let s = ap.snapshot();
        assert_eq!([s.hops.server.count, s.hops.wired.count, s.hops.queue.count], [0; 3]);
        let (apps, _) = ap.finish();
        for stream in [&apps[0].down, &apps[0].up] {
            assert_eq!((stream.sent, stream.received, stream.under_way), (0, 0, 0));
        }
        assert_eq!(apps[0].queue.arrived, 0);
    }
}

/// Who may speak to whom, by which port it leaves, and why not.
#[test]
fn routes_and_refusals() {
    let _in_time = deadline(300);
    let cases: [(Port, usize, usize, Result<Port, &str>); 18] = [
        (Port::Internet, GAME, AT_LAPTOP, Ok(Port::Station(LAPTOP))),
        (Port::Internet, DOWNLOAD, HERE, Ok(Port::AccessPoint)),
        (Port::Internet, GAME, DOWNLOAD, Err("no_route")),
        (Port::Internet, HERE, AT_LAPTOP, Err("no_route")),
        (Port::Internet, AT_CONSOLE, AT_LAPTOP, Err("no_route")),
        (Port::Internet, 5, AT_LAPTOP, Err("no_route")),
        (Port::Internet, 7, AT_LAPTOP, Err("no_route")),
        (Port::Internet, GAME, 6, Err("no_route")),
        (Port::Internet, GAME, 8, Err("multicast")),
        (Port::AccessPoint, HERE, AT_CONSOLE, Ok(Port::Station(CONSOLE))),
        (Port::AccessPoint, HERE, GAME, Ok(Port::Internet)),
        (Port::AccessPoint, HERE, HERE, Err("no_route")),
        (Port::Station(LAPTOP), AT_LAPTOP, HERE, Ok(Port::AccessPoint)),
        (Port::Station(LAPTOP), AT_LAPTOP, DOWNLOAD, Ok(Port::Internet)),
        (Port::Station(LAPTOP), AT_LAPTOP, AT_CONSOLE, Ok(Port::Station(CONSOLE))),
        (Port::Station(LAPTOP), AT_LAPTOP, AT_LAPTOP, Err("no_route")),
        (Port::Station(LAPTOP), AT_LAPTOP, 5, Err("no_route")),
        (Port::Station(LAPTOP), AT_LAPTOP, 7, Err("no_route")),
    ];
    for (port, from, to, expected) in cases {
        for six in [false, true] {
            let case = format!("{port:?}: {from} to {to}, IPv6 {six}");
            let mut ap = ap(EMULATOR, "", "chap");
            let mut bytes = packet(address(from, six), address(to, six), Inner::Tcp, 7, 0, 100, 0);
            let length = bytes.len();
            bytes.resize(length + 6, 0); // padding does not go on
            ap.receive(port, &bytes, 0);
            ap.advance(S);
            let out = ap.transmit().map(|(port, _, out)| (port, out.to_vec()));
            assert_eq!(out, expected.ok().map(|port| (port, bytes[..length].to_vec())), "{case}");
            let refused: Vec<_> = ap.books().refused.into_iter().filter(|(_, n)| *n > 0).collect();
            let why: Vec<_> = expected.err().into_iter().map(|why| (why.to_string(), 1)).collect();
            assert_eq!(refused, why, "{case}");
        }
    }
    let mut ap = ap(EMULATOR, "", "chap");
    ap.receive(Port::Station(LAPTOP), &[0x45; 30], 0);
    ap.receive(Port::Station(LAPTOP), &[0x45; 1501], 0);
    let refused = [("malformed", 1), ("multicast", 0), ("no_route", 0), ("too_long", 1)];
    assert!(ap.books().refused.iter().map(|(why, n)| (why.as_str(), *n)).eq(refused));
}

/// What a discipline knows of a packet: its class by the application, its flow by
/// both directions, its TCP header.
#[test]
fn what_disciplines_know() {
    let _in_time = deadline(300);
    // Strict priority: the game is class 0, what belongs to no application 1. It comes a
    // nanosecond after the others, the first of which is being sent.
    let order = |ap: &mut AccessPoint| outputs(ap, S).into_iter().map(|(port, _)| port).collect::<Vec<_>>();
    let (laptop, console) = (Port::Station(LAPTOP), Port::Station(CONSOLE));
    let mut ap = ap(EMULATOR, "trunk_latency = \"0ms\"\nrate = \"100Gb/s\"", "spq");
    ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 0);
    ap.advance(MS - 1);
    for _ in 0..2 {
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), MS - 1);
        ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, AT_LAPTOP, 7, 1500), MS - 1);
    }
    assert_eq!(order(&mut ap), [laptop, console, laptop, laptop, laptop]);

    // An idle flow of TCP is remembered for an hour, of anything else for 100 ms.
    let mut ap = self::ap(EMULATOR, "", "chap:udp_timeout=100ms");
    let tcp = packet(address(GAME, false), address(AT_CONSOLE, false), Inner::Tcp, 7, 0, 500, 0);
    let other = udp(GAME, AT_CONSOLE, 7, 500);
    let mut made = |at: u64, bytes: &[u8]| {
        ap.advance(at);
        ap.receive(Port::Internet, bytes, at);
        ap.advance(at + 50 * MS);
        ap.snapshot().qdisc.stats.iter().find(|s| s.name == "new_flows").unwrap().value
    };
    assert_eq!([made(0, &tcp), made(60 * MS, &other)], [1.0, 2.0]);
    assert_eq!([made(S, &tcp), made(2 * S, &other)], [2.0, 3.0], "UDP's record is made anew");
}

/// What a device did not take was given all the same.
#[test]
fn packets_that_are_not_taken_are_counted() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo");
    for n in 1..=3 {
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 100), n * MS);
        assert_eq!(outputs(&mut ap, (n + 1) * MS).len(), 1);
        ap.unwritten();
        let books = ap.books();
        assert_eq!((books.unwritten, books.given, books.balanced()), (n, n, true));
    }
}

/// With `uplink`, chap charges a flow's uplink frames to the record that its
/// downlink has: the same flow's, and no other's.
#[test]
fn uplink_frames_are_charged_to_their_flow() {
    let _in_time = deadline(300);
    let credit = |from: usize, own: u16, frames: usize| {
        let mut ap = ap(CELL, "", "chap:uplink=on");
        let down = packet(address(GAME, false), address(AT_CONSOLE, false), Inner::Udp, 4321, 0, 500, 0);
        // Twice: a flow that came back stands for itself.
        for at in [0, 50 * MS] {
            ap.advance(at);
            ap.receive(Port::Internet, &down, at);
        }
        ap.advance(100 * MS);
        // Down it was from 5000 to 4321.
        let up = Ip::new(address(from, false), address(GAME, false)).udp(own, 5000, &[0; 1472]);
        for _ in 0..frames {
            ap.receive(Port::Station(from as u16 - 2), &up, 100 * MS);
        }
        ap.advance(S);
        let s = ap.snapshot();
        let flow = s.flows.iter().find(|f| f.tuple == "udp 10.0.0.1:4321 198.18.0.1:5000").unwrap();
        flow.columns["credit_s"].unwrap()
    };
    let untouched = credit(AT_LAPTOP, 4321, 100);
    assert_eq!(credit(AT_CONSOLE, 4322, 100), untouched, "another flow's frames");
    // Frames of 281.926 us; a hundred are more than the credit of 25 ms.
    for (frames, cost) in [(10, 0.002_819_26), (100, 0.028_192_6)] {
        let charged = credit(AT_CONSOLE, 4321, frames);
        assert!((untouched - charged - cost).abs() < 1e-9, "{untouched} to {charged}");
        assert_eq!(charged < 0.0, frames == 100);
    }
}

/// Columns of a discipline's table go by their names there, whichever discipline it is: in the snapshot, in its
/// JSON, and for Prometheus.
#[test]
fn what_a_disciplines_table_says_of_a_flow_is_shown() {
    let _in_time = deadline(300);
    let mut told = Vec::new();
    for discipline in airtab_core::disciplines() {
        let spec = format!("{}{}", discipline.name(), roomy(discipline.name()));
        let mut ap = ap(EMULATOR, "", &spec);
        let down = packet(address(GAME, false), address(AT_CONSOLE, false), Inner::Udp, 4321, 0, 1500, 0);
        // Each takes some 0.3 ms of the line: some still wait when they are looked at, for a millisecond.
        for _ in 0..20 {
            ap.receive(Port::Internet, &down, 0);
        }
        ap.advance(4 * MS);
        let snapshot = ap.snapshot();
        let names: Vec<&str> = discipline.flow_columns().iter().map(|column| column.name).collect();
        assert!(snapshot.qdisc.columns.iter().map(|column| &*column.name).eq(names), "{}", discipline.name());
        let [flow] = &snapshot.flows[..] else { panic!("one flow: {:?}", snapshot.flows) };
        assert!(flow.backlog_packets > 2, "{flow:?}");
        let json: serde_json::Value =
            serde_json::from_str(&serde_json::to_string(&snapshot).expect("JSON")).expect("JSON");
        for column in &snapshot.qdisc.columns {
            let value = flow.columns[&column.key()].unwrap_or_else(|| panic!("it is known: {flow:?}"));
            assert_eq!(json["flows"][0][column.key()], value);
            told.push((discipline.name(), column.key(), value));
        }
        assert_eq!(flow.columns.len(), snapshot.qdisc.columns.len());
        let text = encode(Some(snapshot.clone().into()), Format::OpenMetrics);
        let own =
            text.lines().filter(|line| line.starts_with("# HELP airtab_flow") && line.contains("Discipline"));
        assert_eq!(own.count(), flow.columns.len(), "{text}");
    }
    let value =
        |name: &str, key: &str| told.iter().find(|told| (told.0, &*told.1) == (name, key)).map(|told| told.2);
    assert!(value("fq_codel", "sojourn_s").is_some_and(|s| (0.001..0.005).contains(&s)), "{told:?}");
    assert!(value("chap", "credit_s").is_some_and(|s| (-0.01..0.025).contains(&s)), "{told:?}");
}

/// What was changed, when, and from when on it holds.
#[test]
fn changes_hold_from_the_next_frame_on() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo");
    for _ in 0..3 {
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), 0);
    }
    ap.advance(100_000);
    // At 6 Mb/s: 50 + 1534 * 8 / 6 + 10 + 112 = 2217.333 us.
    ap.set_station(usize::from(LAPTOP), 6_000, Loss::Fer(0.0));
    let out: Vec<u64> = outputs(&mut ap, S).into_iter().map(|(_, at)| at).collect();
    assert_eq!(out, [EMULATED, EMULATED + 2_217_333, EMULATED + 2 * 2_217_333]);
    ap.set_queue(&queue("chap:limit=70")).unwrap();
    let s = ap.snapshot();
    assert_eq!((s.stations[1].rate_kbps, s.stations[0].rate_kbps), (6_000, 54_000));
    assert_eq!(
        (s.queue.as_str(), s.medium.as_str(), s.house.as_str()),
        ("chap:limit=70", "emulator", "routes")
    );
    let changes: Vec<_> = ap.changes().iter().map(|c| (c.at_ns, c.what.as_str())).collect();
    let slow = "station laptop became 6 Mb/s, 0.00 % of frames lost";
    assert_eq!(changes, [(100_000, slow), (S, "the discipline became chap:limit=70")]);
    assert_eq!((ap.station(1), ap.exchanges()), ((6_000.into(), Loss::Fer(0.0)), 3));
}
