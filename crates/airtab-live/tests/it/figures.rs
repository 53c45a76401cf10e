// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What an access point shows of itself, in virtual time, against figures that are
//! computed by hand beside each: airtime of both directions by station, flow and
//! application, shares, delays by hop, drops and losses by whose they are.
//!
//! Durations used (docs/airtime.md). `phy-a` at 54 Mb/s, a packet of 1500 bytes: DATA 20 us +
//! 1534 * 8 / 54 = 247.259, SIFS 10, ACK at 24 Mb/s 20 + 112 / 24 = 24.667: 281.926 us.
//! The emulated link `d7.1`: DIFS 50 + 1534 * 8 / 54 + SIFS 10 + ACK at 1 Mb/s 112: 399.259 us;
//! of 500 bytes 251.111 us.

use crate::common;

use std::collections::BTreeMap;

use airtab_live::{AccessPoint, AppView, FlowView, Port, Snapshot, StationView, Totals};
use airtab_scenario::ScenarioFile;
use airtab_sim::wifi::Loss;
use airtab_sim::{Scored, Servers};
use common::frames::{Ip, TcpHeader};
use common::{EMULATOR, Inner, MS, S, address, deadline::deadline, house, packet, queue};

/// A frame exchange of 1500 bytes in the cell, ns, and its parts.
const EXCHANGE: u64 = 281_926;
const DATA: u64 = 247_259;
/// The same on the emulated link, and of 500 bytes.
const EMULATED: u64 = 399_259;
const EMULATED_500: u64 = 251_111;

const CELL: &str = "beacon_interval = \"off\"";
const CONSOLE: u16 = 0;
const LAPTOP: u16 = 1;

fn ap(wifi: &str, wired: &str, spec: &str) -> AccessPoint {
    AccessPoint::new(house("figures", wifi, wired), &queue(spec), 1).unwrap()
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

fn totals(s: &Snapshot, station: u16) -> Totals {
    s.stations[usize::from(station)].totals
}

/// Numbers that are equal but for their last digits.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

/// Everything of the flows, and everything of the stations, is the same.
fn flows_are_the_stations(s: &Snapshot) {
    let sum = |all: Vec<Totals>| {
        let mut sum = Totals::default();
        for t in all {
            sum.down_bytes += t.down_bytes;
            sum.up_bytes += t.up_bytes;
            sum.down_air_ns += t.down_air_ns;
            sum.up_air_ns += t.up_air_ns;
            sum.frames += t.frames;
            sum.attempts += t.attempts;
            sum.dropped += t.dropped;
            sum.lost += t.lost;
            sum.uplink_dropped += t.uplink_dropped;
        }
        sum
    };
    let of_flows = |f: &[FlowView]| sum(f.iter().map(|f| f.totals).collect());
    let of_stations = |f: &[StationView]| sum(f.iter().map(|f| f.totals).collect());
    assert_eq!(of_flows(&s.flows), of_stations(&s.stations));
}

#[test]
fn downlink_of_two_stations() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo");
    for _ in 0..3 {
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), 0);
    }
    for _ in 0..2 {
        ap.receive(Port::AccessPoint, &udp(HERE, AT_CONSOLE, 7, 500), 0);
    }
    let out = outputs(&mut ap, 2 * S);
    assert_eq!(out[4], (Port::Station(CONSOLE), 3 * EMULATED + 2 * EMULATED_500));
    let s = ap.snapshot();
    assert_eq!((s.now_s, s.interval_s), (2.0, 2.0));
    let (big, small) = (3 * EMULATED, 2 * EMULATED_500); // 1,197,777 and 502,222 ns
    let expected = Totals { down_bytes: 4500, down_air_ns: big, frames: 3, attempts: 3, ..Totals::default() };
    assert_eq!(totals(&s, LAPTOP), expected);
    let expected =
        Totals { down_bytes: 1000, down_air_ns: small, frames: 2, attempts: 2, ..Totals::default() };
    assert_eq!(totals(&s, CONSOLE), expected);
    flows_are_the_stations(&s);
    // In 2 s: 4500 * 8 / 2 = 18 kb/s; 1.197777 ms / 2 s.
    let rates = s.stations[usize::from(LAPTOP)].rates;
    assert!(near(rates.down_bps, 18_000.0) && near(rates.down_air_ratio, 0.000_598_888_5), "{rates:?}");
    assert!(near(rates.attempts_mean, 1.0) && rates.up_bps == 0.0 && rates.up_air_ratio == 0.0);
    assert!(
        near(s.air.down_ratio, 0.000_849_999_5) && near(s.air.idle_ratio, 0.999_150_000_5),
        "{:?}",
        s.air
    );
    assert_eq!((s.air_totals.down_ns, s.air_totals.idle_ns), (1_699_999, 2 * S - 1_699_999));
    // Most airtime first.
    let stations: Vec<&str> = s.flows.iter().map(|f| f.station.as_str()).collect();
    assert_eq!(stations, ["laptop", "console"]);
    // Nothing happens in the third second: totals stay, the rest is of the interval.
    ap.advance(3 * S);
    let s = ap.snapshot();
    assert_eq!((s.now_s, s.interval_s, s.flows.len()), (3.0, 1.0, 0));
    assert_eq!(totals(&s, LAPTOP).down_air_ns, big);
    assert_eq!(s.stations[usize::from(LAPTOP)].rates, Default::default());
    assert_eq!((s.air.down_ratio, s.air.idle_ratio), (0.0, 1.0));
}

/// A frame of each station to its server, one after the other. A channel that is
/// idle takes a frame at the next slot boundary: 28 us + k * 9 us.
#[test]
fn uplink_of_two_stations() {
    let _in_time = deadline(300);
    let mut ap = ap(CELL, "", "fifo");
    let at = 1_005_000; // k = 108 is 1000 us, 109 is 1009 us
    ap.advance(at);
    ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, GAME, 7, 1500), at);
    // It is received at the end of DATA, before its ACK.
    let end = 1_009_000 + DATA;
    // 500 bytes later: DATA 20 + 534 * 8 / 54 = 99.111, SIFS, ACK: 133.778 us.
    ap.advance(10 * MS);
    ap.receive(Port::Station(LAPTOP), &udp(AT_LAPTOP, DOWNLOAD, 7, 500), 10 * MS);
    let out = outputs(&mut ap, S);
    // Trunk 1 ms, access links 1 and 10 ms; 1500 bytes take 120 us on each of two wires.
    assert_eq!(out[0], (Port::Internet, end + 2 * 120_000 + 2 * MS));
    let s = ap.snapshot();
    let expected = Totals { up_bytes: 1500, up_air_ns: EXCHANGE, ..Totals::default() };
    assert_eq!(totals(&s, CONSOLE), expected);
    let expected = Totals { up_bytes: 500, up_air_ns: 133_778, ..Totals::default() };
    assert_eq!(totals(&s, LAPTOP), expected);
    flows_are_the_stations(&s);
    let apps: Vec<_> = s.flows.iter().map(|f| (f.app.as_deref(), f.totals.up_air_ns)).collect();
    assert_eq!(apps, [(Some("game"), EXCHANGE), (Some("download"), 133_778)]);
    let rates = s.stations[usize::from(CONSOLE)].rates;
    assert!(near(rates.up_bps, 12_000.0) && near(rates.up_air_ratio, 0.000_281_926), "{rates:?}");
    assert_eq!((rates.down_bps, rates.down_air_ratio, rates.attempts_mean), (0.0, 0.0, 0.0));
    assert_eq!((s.air_totals.up_ns, s.air_totals.down_ns), (EXCHANGE + 133_778, 0));
    assert!(near(s.air.up_ratio, 0.000_415_704) && s.air.down_ratio == 0.0, "{:?}", s.air);
    // From the station's sending to the access point: 1009 - 1005 us and the exchange.
    assert_eq!((s.hops.uplink_queue.count, s.hops.queue.count, s.hops.wired.count), (2, 0, 0));
    let about = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
    assert!(about(s.hops.uplink_air.p99_s, 0.000_251_259), "{:?}", s.hops.uplink_air);
    // From there on wires alone: 500 bytes take 40 us on each of two, and 1 and 10 ms.
    let wired = s.hops.uplink_wired;
    assert!(wired.count == 2 && about(wired.p50_s, 0.002_24) && about(wired.p99_s, 0.011_08), "{wired:?}");
    let (apps, trace) = ap.finish();
    assert_eq!((apps[0].up_air_ns, apps[0].air_ns), (EXCHANGE, 0));
    assert_eq!((apps[1].up_air_ns, apps[1].air_ns), (133_778, 0));
    assert_eq!((apps[0].up.sent, apps[0].up.received, apps[0].up.bytes), (1, 1, 1500));
    assert_eq!((apps[0].down.sent, apps[0].down.received), (0, 0));
    assert_eq!(trace.air.up_ns, EXCHANGE + 133_778);
    let times: Vec<_> = apps[0].up.deliveries.iter().map(|d| (d.sent_ns, d.received_ns)).collect();
    assert_eq!(times, [(at, end + 2 * 120_000 + 2 * MS)]);
}

/// Shares of stations: without collisions they are what the channel was used for; a collision counts
/// once for the channel, and for each of those who collided (docs/live-view.md).
#[test]
fn shares_of_stations_and_of_the_channel() {
    let _in_time = deadline(300);
    let run = |senders: &[(Port, Vec<u8>)]| {
        let mut ap = ap(CELL, "", "fifo:limit=1000");
        for _ in 0..300 {
            senders.iter().for_each(|(port, bytes)| ap.receive(*port, bytes, 0));
        }
        ap.advance(S);
        let s = ap.snapshot();
        flows_are_the_stations(&s);
        let sum: f64 =
            [s.air.down_ratio, s.air.up_ratio, s.air.collision_ratio, s.air.beacon_ratio].iter().sum();
        assert!(near(sum + s.air.idle_ratio, 1.0));
        let stations: f64 = s.stations.iter().map(|s| s.rates.down_air_ratio + s.rates.up_air_ratio).sum();
        (s, stations)
    };
    let up = (Port::Station(CONSOLE), udp(AT_CONSOLE, HERE, 7, 1500));
    let down = (Port::AccessPoint, udp(HERE, AT_LAPTOP, 7, 1500));
    // 300 frames of 281.926 us, alone.
    let (s, stations) = run(std::slice::from_ref(&up));
    assert!(near(stations, 0.084_577_8) && near(s.air.up_ratio, 0.084_577_8), "{stations}, {:?}", s.air);
    let (s, stations) = run(std::slice::from_ref(&down));
    assert!(near(stations, 0.084_577_8) && near(s.air.down_ratio, 0.084_577_8), "{stations}, {:?}", s.air);
    assert_eq!(s.air.stations_jain_ratio, None, "one is not even with anybody");
    // Both at once: every collision is of two frames of equal length, and each pays for it and for
    // its next backoff: DIFS and whole slots.
    let (s, stations) = run(&[up, down]);
    assert_eq!(s.air_totals.down_ns, 300 * EXCHANGE);
    assert_eq!(s.air_totals.up_ns, 300 * EXCHANGE);
    let collisions = s.air_totals.collision_ns / EXCHANGE;
    assert!(collisions > 10 && s.air_totals.collision_ns == collisions * EXCHANGE);
    let paid: u64 = s.stations.iter().map(|s| s.totals.down_air_ns + s.totals.up_air_ns).sum();
    let waits = paid - 600 * EXCHANGE - 2 * collisions * EXCHANGE - 2 * collisions * 28_000;
    assert_eq!(waits % 9_000, 0, "whole slots");
    // Windows of 32 to 1024 slots, 15.5 in the mean of the first.
    assert!((2 * collisions..2 * collisions * 1023).contains(&(waits / 9_000)), "{}", waits / 9_000);
    assert!(near(stations, paid as f64 * 1e-9));
    let own: Vec<f64> = s.stations.iter().map(|s| s.rates.down_air_ratio + s.rates.up_air_ratio).collect();
    let even = stations * stations / (2.0 * own.iter().map(|x| x * x).sum::<f64>());
    assert!(even > 0.95 && s.air.stations_jain_ratio.is_some_and(|jain| near(jain, even)), "{:?}", s.air);
    let used = s.air.down_ratio + s.air.up_ratio + s.air.collision_ratio;
    assert!(stations > used + s.air.collision_ratio, "each of two pays for a collision");
    assert_eq!(totals(&s, LAPTOP).frames, 300);
    assert_eq!(totals(&s, LAPTOP).attempts, 300 + collisions);
}

/// Nothing gets through: five attempts, with four backoffs of whole slots of 20 us.
#[test]
fn losses_are_their_stations() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo");
    ap.set_station(usize::from(LAPTOP), 54_000, Loss::Fer(1.0));
    ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 0);
    ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 0);
    assert_eq!(outputs(&mut ap, S).len(), 1);
    let s = ap.snapshot();
    let lost = totals(&s, LAPTOP);
    assert_eq!((lost.lost, lost.frames, lost.attempts, lost.down_bytes, lost.dropped), (1, 1, 5, 0, 0));
    assert_eq!((lost.down_air_ns - 5 * EMULATED) % 20_000, 0);
    assert_eq!((totals(&s, CONSOLE).lost, totals(&s, CONSOLE).down_air_ns), (0, EMULATED));
    assert_eq!((s.books.lost, s.books.given, s.books.dropped, s.books.inside), (1, 1, 0, 0));
    assert_eq!(s.stations[usize::from(LAPTOP)].rates.attempts_mean, 5.0);
    assert_eq!(s.stations[usize::from(LAPTOP)].frame_error_rate, 1.0);
    assert_eq!(s.stations[usize::from(LAPTOP)].rates.drops_per_s, 0.0, "the queue dropped none");
    flows_are_the_stations(&s);
    let flow = s.flows.iter().find(|f| f.station == "laptop").unwrap();
    assert_eq!(flow.totals, lost);
    let (apps, _) = ap.finish();
    assert_eq!((apps[1].attempts.given_up, apps[0].attempts.acked[0]), (1, 1));
    // Sent at 0; two wires of 120 us and 1 ms each, no wait, the emulated frame.
    let times: Vec<_> = apps[0].down.deliveries.iter().map(|d| (d.sent_ns, d.received_ns)).collect();
    assert_eq!(times, [(0, 2_240_000 + EMULATED)]);
    assert!(apps[0].queue.delay_ns.len() == 1 && apps[0].queue.delay_ns.max() < 1_000);
    assert_eq!((apps[1].air_ns, apps[0].air_ns), (lost.down_air_ns, EMULATED));
    // Up in the cell: 7 attempts, DIFS 28 us and slots of 9 us between them.
    let mut ap = self::ap(CELL, "", "fifo");
    ap.set_station(usize::from(CONSOLE), 54_000, Loss::Fer(1.0));
    ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, GAME, 7, 1500), 0);
    assert_eq!(outputs(&mut ap, S), []);
    let s = ap.snapshot();
    let lost = totals(&s, CONSOLE);
    assert_eq!((lost.lost, lost.up_bytes, lost.frames, s.books.lost), (1, 0, 0, 1));
    assert_eq!((lost.up_air_ns - 7 * EXCHANGE - 6 * 28_000) % 9_000, 0);
    assert_eq!(s.air_totals.up_ns, 7 * EXCHANGE, "the channel was busy for the attempts only");
}

/// A queue of five: of ten packets one is at the MAC, five wait, four are refused.
#[test]
fn drops_are_their_stations() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo:limit=5");
    for _ in 0..10 {
        ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 0);
    }
    // 120 us on the access link and on the trunk, latencies 10 and 1 ms; the link serves one in 399 us.
    ap.advance(11 * MS + 240_000 + 9 * 120_000);
    let s = ap.snapshot();
    // They come at 0, 120, ... 1080 us; those of 0, 399, 799 us have left the queue, five wait: 2 refused.
    assert_eq!((s.qdisc.packets, s.qdisc.bytes, s.stations[1].backlog_packets), (5, 7500, 5));
    assert_eq!((s.stations[0].backlog_packets, s.flows[0].backlog_packets), (0, 5));
    assert_eq!((totals(&s, LAPTOP).dropped, totals(&s, CONSOLE).dropped), (2, 0));
    assert_eq!(s.qdisc.dropped.into_iter().collect::<Vec<_>>(), [("limit".to_string(), 2)]);
    assert_eq!((s.books.dropped, s.books.given, s.books.inside), (2, 2, 6));
    // 2 in 12.32 ms.
    assert!(near(s.stations[1].rates.drops_per_s, 2.0 / 0.012_32), "{:?}", s.stations[1].rates);
    ap.advance(S);
    let s = ap.snapshot();
    assert_eq!((s.qdisc.packets, s.stations[1].backlog_packets, s.books.given), (0, 0, 8));
    let (apps, trace) = ap.finish();
    assert_eq!((apps[1].queue.arrived, apps[1].queue.dropped, apps[0].queue.arrived), (10, 2, 0));
    assert_eq!((trace.max_packets, trace.counters.dropped[0]), (5, 2));
    // A station's own queue of three: one is at its MAC, so four of six go on.
    let wifi = format!("{CELL}\nuplink_packets = 3");
    let mut ap = self::ap(&wifi, "", "fifo");
    for _ in 0..6 {
        ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, GAME, 7, 1500), 0);
    }
    ap.advance(S);
    let s = ap.snapshot();
    let of = totals(&s, CONSOLE);
    assert_eq!((of.uplink_dropped, of.dropped, of.up_bytes, of.up_air_ns), (2, 0, 6000, 4 * EXCHANGE));
    assert_eq!((s.stations[0].rates.drops_per_s, s.books.uplink_dropped), (2.0, 2));
    flows_are_the_stations(&s);
    assert_eq!(ap.finish().1.uplink_dropped, 2);
}

/// Two applications at one server: what their programs send shares that server's access link, both ways.
#[test]
fn applications_share_a_servers_link() {
    let _in_time = deadline(300);
    let far = "[[server]]\nname = \"far\"\nrate = \"10Mb/s\"\nlatency = \"20ms\"\nlatency_up = \"40ms\"";
    // 1500 bytes take 1.2 ms at 10 Mb/s and 0.12 ms at 100; the trunk adds 0.12 and 1 ms. In the cell a frame's
    // exchange takes less than a millisecond, contention included.
    for (shared, second_ms) in [(true, 22.32 + 1.2), (false, 22.32)] {
        let mut house = house("shared", CELL, far);
        let servers = if shared { [0, 0] } else { [0, 1] };
        if !shared {
            let far = house.file.scenario.servers[0].clone();
            house.file.scenario.servers.push(far);
        }
        for (app, server) in house.file.scenario.apps.iter_mut().zip(servers) {
            app.servers = Servers::Shared(server);
        }
        let mut ap = AccessPoint::new(house, &queue("fifo"), 1).unwrap();
        ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 0);
        ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 0);
        let down = outputs(&mut ap, S);
        assert_eq!([down[0].0, down[1].0], [Port::Station(CONSOLE), Port::Station(LAPTOP)]);
        for ((_, at), wires_ms) in down.iter().zip([22.32, second_ms]) {
            let air_ms = *at as f64 / 1e6 - wires_ms;
            assert!((0.2..1.0).contains(&air_ms), "{shared}: {at} ns");
        }
        ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, GAME, 7, 1500), 2 * S);
        ap.receive(Port::Station(LAPTOP), &udp(AT_LAPTOP, DOWNLOAD, 7, 1500), 2 * S);
        let up = outputs(&mut ap, 3 * S);
        let gap_ms = (up[1].1 - up[0].1) as f64 / 1e6;
        // They cross the air less than 1.2 ms after each other, and a shared link takes one after the other.
        assert_eq!((gap_ms - 1.2).abs() < 1e-6, shared, "{gap_ms} ms");
        assert!(up.iter().all(|(port, at)| *port == Port::Internet && *at > 2 * S + 42 * MS));
    }
}

/// A station's own discipline decides who goes first among what its programs send: the last packet of another flow
/// passes what waits of the first one. Under chap both flows are new: the first one goes on for a twelfth of the
/// increment, 2.08 ms or 8 packets of 282 us.
#[test]
fn a_station_has_a_discipline_of_its_own() {
    let _in_time = deadline(300);
    for (uplink, place) in [("", 20), ("uplink = \"fq_codel\"", 2), ("uplink = \"chap:limit=30\"", 8)] {
        let mut house = house("own", CELL, "");
        let station = format!("duration = \"1s\"\n[[station]]\nname = \"s\"\n{uplink}\n");
        let app = "[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n";
        let own = ScenarioFile::parse("own.toml", &format!("{station}{app}")).unwrap();
        house.file.scenario.stations[0].uplink = own.scenario.stations[0].uplink.clone();
        let mut ap = AccessPoint::new(house, &queue("fifo"), 1).unwrap();
        for _ in 0..20 {
            ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, GAME, 7, 1500), 0);
        }
        ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, GAME, 8, 100), 0);
        ap.advance(S);
        let lengths = std::iter::from_fn(|| ap.transmit().map(|(_, _, bytes)| bytes.len()));
        let order: Vec<_> = lengths.collect();
        assert_eq!(order.len(), 21);
        let at = order.iter().position(|bytes| *bytes == 100).unwrap();
        assert_eq!(at, place, "{uplink}");
        assert_eq!(ap.snapshot().books.uplink_dropped, 0);
    }
}

/// Each hop has its packets and its time, to the two digits that are kept.
#[test]
fn delays_are_their_hops() {
    let _in_time = deadline(300);
    let about = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
    let mut ap = ap(EMULATOR, "", "fifo");
    // One wire of 100 Mb/s after the other: 120 + 120 us, 10 + 1 ms.
    let (wired, air) = (0.01124, 0.000_399_259);
    ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 0);
    ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 0);
    ap.advance(S);
    let h = ap.snapshot().hops;
    assert_eq!([h.server, h.wired, h.queue, h.air, h.uplink_queue].map(|q| q.count), [0, 2, 2, 2, 0]);
    assert!(about(h.wired.p50_s, wired) && about(h.wired.p99_s, wired + 0.000_12), "{h:?}");
    assert!(about(h.air.p50_s, air) && about(h.air.p99_s, air), "{h:?}");
    // The second comes 120 us after the first and waits for it.
    assert!(h.queue.p50_s < 2e-6 && about(h.queue.p99_s, air - 0.000_12), "{h:?}");
    // The access point's own packets were on no wire, those of stations on none before the queue.
    ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), S);
    ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, AT_LAPTOP, 7, 1500), S);
    ap.advance(2 * S);
    let h = ap.snapshot().hops;
    assert_eq!([h.server, h.wired, h.queue, h.air, h.uplink_queue].map(|q| q.count), [0, 0, 2, 2, 1]);
    ap.advance(3 * S);
    assert_eq!(ap.snapshot().hops, Default::default(), "all is of the interval");
    // The same packets later take as long, each way of a hop.
    ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 3 * S);
    ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 3 * S);
    ap.advance(4 * S);
    let h = ap.snapshot().hops;
    assert!(about(h.wired.p50_s, wired) && about(h.wired.p99_s, wired + 0.000_12), "{h:?}");
    assert!(about(h.air.p99_s, air) && about(h.queue.p99_s, air - 0.000_12), "{h:?}");
}

/// A request, its answer 50 ms after it came, and more of it: one wait at the server, which is not
/// on its wires. What asks: a SYN, or data; what answers: likewise.
#[test]
fn servers_answer() {
    let _in_time = deadline(300);
    let say = |from, to, flags, data: &[u8]| {
        let (near, far) = (5555, 443);
        let (a, b) = if from == AT_LAPTOP { (near, far) } else { (far, near) };
        let header = TcpHeader { from: a, to: b, flags, ..TcpHeader::default() };
        Ip::new(address(from, true), address(to, true)).tcp(&header, data)
    };
    let (syn, ack) = (2, 0x10);
    for (asks, answers) in [
        (say(AT_LAPTOP, DOWNLOAD, syn, &[]), say(DOWNLOAD, AT_LAPTOP, syn | ack, &[])),
        (say(AT_LAPTOP, DOWNLOAD, ack, &[1]), say(DOWNLOAD, AT_LAPTOP, ack, &[2; 1000])),
    ] {
        let mut ap = ap(EMULATOR, "", "fifo");
        ap.receive(Port::Station(LAPTOP), &asks, 0);
        let out = outputs(&mut ap, 20 * MS);
        let [(Port::Internet, at)] = out[..] else { panic!("{out:?}") };
        ap.advance(at + 10 * MS);
        // A pure ACK answers nothing, and asks nothing.
        ap.receive(Port::Internet, &say(DOWNLOAD, AT_LAPTOP, ack, &[]), at + 10 * MS);
        ap.advance(at + 50 * MS);
        ap.receive(Port::Internet, &answers, at + 50 * MS);
        ap.receive(Port::Internet, &answers, at + 50 * MS);
        ap.receive(Port::Station(LAPTOP), &say(AT_LAPTOP, DOWNLOAD, ack, &[]), at + 50 * MS);
        ap.advance(at + 90 * MS);
        ap.receive(Port::Internet, &answers, at + 90 * MS);
        ap.advance(S);
        let server = ap.snapshot().hops.server;
        assert_eq!(server.count, 1);
        assert!((server.p50_s / 0.05 - 1.0).abs() < 0.01, "{server:?}");
    }
}

/// The most airtime first, and no more than twenty.
#[test]
fn twenty_flows_are_shown() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo:limit=1000");
    for port in 0..30 {
        for _ in 0..=port % 7 {
            ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 6000 + port, 500), 0);
        }
    }
    ap.advance(S);
    let s = ap.snapshot();
    // Ports 0..30 by port % 7: of 6, 5, 4, 3, 2 four each, of 1 and 0 five.
    let frames: Vec<u64> = s.flows.iter().map(|f| f.totals.frames).collect();
    assert_eq!(frames, [7, 7, 7, 7, 6, 6, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3]);
    assert!(s.flows.iter().all(|f| f.totals.down_air_ns == f.totals.frames * EMULATED_500));
    assert!(s.flows.iter().all(|f| f.app.is_none() && f.station == "laptop"));
    // Both directions count: three frames up are more than two down.
    let mut ap = self::ap(CELL, "", "fifo");
    for _ in 0..3 {
        ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, GAME, 7, 1500), 0);
    }
    for _ in 0..2 {
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), 0);
    }
    ap.advance(S);
    let stations: Vec<_> = ap.snapshot().flows.into_iter().map(|f| f.station).collect();
    assert_eq!(stations, ["console", "laptop"]);
}

/// Thousands of flows at a time: airtime goes to the one whose frame it was.
#[test]
fn many_flows_are_told_apart() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo:limit=5000");
    for port in 0..4096 {
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 6000 + port, 500), 0);
    }
    // There is no record left for two of another station, each with a packet of 1500 bytes.
    for port in 0..2 {
        ap.receive(Port::AccessPoint, &udp(HERE, AT_CONSOLE, 6000 + port, 1500), 0);
    }
    ap.advance(2 * S);
    let others = ap.snapshot().flows.remove(0);
    assert_eq!((&*others.tuple, &*others.station, others.app), ("many other flows", "", None));
    assert_eq!((others.totals.down_bytes, others.totals.down_air_ns), (3000, 2 * EMULATED));
    ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 10_095, 1500), 2 * S);
    ap.advance(3 * S);
    let s = ap.snapshot();
    assert_eq!(s.flows.len(), 1, "only what sent in the interval");
    assert_eq!(s.flows[0].tuple, "udp 10.0.0.2:10095 10.0.255.1:5000");
    assert_eq!((s.flows[0].totals.down_air_ns, s.flows[0].totals.frames), (EMULATED_500 + EMULATED, 2));
}

/// The run ends with packets on wires, in the queue, at the MAC: they are under way, not lost.
#[test]
fn packets_under_way_at_the_end() {
    let _in_time = deadline(300);
    let mut ap = ap(CELL, "", "fifo");
    ap.advance(100 * MS);
    for _ in 0..4 {
        ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 100 * MS);
    }
    // Four arrive 2.24 ms later and 120 us apart; a frame takes 282 us and its backoff.
    ap.advance(102 * MS + 600_000);
    for _ in 0..2 {
        ap.receive(Port::Station(LAPTOP), &udp(AT_LAPTOP, DOWNLOAD, 7, 1500), 102 * MS + 600_000);
    }
    ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 102 * MS + 600_000);
    let given = outputs(&mut ap, 102 * MS + 700_000).len() as u64;
    assert_eq!((given, ap.books().inside), (1, 6));
    let (apps, trace) = ap.finish();
    let of = |stream: &airtab_sim::StreamTrace| (stream.sent, stream.received, stream.under_way);
    assert_eq!((of(&apps[0].down), of(&apps[0].up)), ((5, 1, 4), (0, 0, 0)));
    assert_eq!((of(&apps[1].down), of(&apps[1].up)), ((0, 0, 0), (2, 0, 2)));
    assert_eq!(trace.max_packets, 2);
}

/// Each use's share is what its time grew by in the interval, and the times are all of the time.
#[test]
fn each_use_of_the_air_has_its_share_of_the_interval() {
    let _in_time = deadline(300);
    let mut ap = ap("", "", "fifo:limit=2000");
    let mut last = airtab_live::AirTotals::default();
    let mut beacons = Vec::new();
    // More down than up, then the other way.
    for (end, down, up) in [(1, 900, 300), (3, 200, 1000)] {
        let now = (ap.snapshot().now_s * 1e9) as u64;
        for n in 0..f64::max(f64::from(down), f64::from(up)) as u32 {
            if n < down {
                ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), now);
            }
            if n < up {
                ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, HERE, 7, 1500), now);
            }
        }
        ap.advance(end * S);
        let s = ap.snapshot();
        let (now, air, interval) = (s.air_totals, s.air, s.interval_s * 1e9);
        for (name, share, total, before) in [
            ("down", air.down_ratio, now.down_ns, last.down_ns),
            ("up", air.up_ratio, now.up_ns, last.up_ns),
            ("collision", air.collision_ratio, now.collision_ns, last.collision_ns),
            ("beacon", air.beacon_ratio, now.beacon_ns, last.beacon_ns),
            ("idle", air.idle_ratio, now.idle_ns, last.idle_ns),
        ] {
            assert!(total > before && near(share, (total - before) as f64 / interval), "{name}: {air:?}");
        }
        let all = now.down_ns + now.up_ns + now.collision_ns + now.beacon_ns + now.idle_ns;
        assert_eq!(all, end * S);
        assert_eq!(now.down_ns - last.down_ns, u64::from(down) * EXCHANGE);
        beacons.push(now.beacon_ns);
        last = now;
    }
    // Nine in the first second, one each 102.4 ms; 29 in three, less those that collided.
    let each = beacons[0] / 9;
    assert_eq!([beacons[0] % each, beacons[1] % each], [0; 2]);
    assert!((20..=29).contains(&(beacons[1] / each)), "{beacons:?}");
}

/// Each application has the delays and losses of its own packets, in the order of the file; some are judged downlink only.
#[test]
fn paths_are_their_applications() {
    let _in_time = deadline(300);
    for down_alone in [false, true] {
        let mut house = house("paths", CELL, "");
        house.file.scenario.scored = if down_alone { Scored::Down } else { Scored::Both };
        let mut ap = AccessPoint::new(house, &queue("fifo"), 1).unwrap();
        for _ in 0..3 {
            ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 0);
        }
        ap.receive(Port::Station(LAPTOP), &udp(AT_LAPTOP, DOWNLOAD, 7, 500), 0);
        // Of no application.
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), 0);
        ap.advance(S);
        ap.snapshot();
        let mut apps = vec![AppView { name: "x".into(), ..AppView::default() }; 3];
        ap.put_paths(&mut apps);
        let arrived = apps.iter().map(|app| (app.down.arrived, app.up.arrived)).collect::<Vec<_>>();
        assert_eq!(arrived, [(3, 0), (0, 1), (0, 0)]);
        // 120 us for each before it on the first wire, of 0, 1 and 2.
        assert!(near(apps[0].down.mean_s.wires, 0.002_36) && near(apps[0].down.least_s.wires, 0.002_24));
        assert!(near(apps[1].up.mean_s.wires, 0.011_08), "{:?}", apps[1].up);
        assert_eq!(
            apps.iter().map(|app| app.down_alone).collect::<Vec<_>>(),
            [down_alone, down_alone, false]
        );
        // Eleven intervals are remembered beside the one under way.
        for second in 2..=12 {
            ap.advance(second * S);
            ap.snapshot();
            ap.put_paths(&mut apps);
            assert_eq!((apps[0].down.arrived, apps[1].up.arrived), if second < 12 { (3, 1) } else { (0, 0) });
        }
    }
}

/// The mean queue of the measured second is the sum of both applications'.
#[test]
fn the_mean_queue_is_that_of_all_applications() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo");
    (0..4).for_each(|_| ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 0));
    (0..3).for_each(|_| ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 0));
    ap.advance(S);
    let (apps, trace) = ap.finish();
    // They come 120 us apart and take 399.259 us each: the second waits 279.259, the third twice that.
    let each = (EMULATED - 120_000) as f64 * 1e-9;
    assert!(near(trace.mean_packets, (1.0 + 2.0 + 3.0 + 1.0 + 2.0) * each), "{}", trace.mean_packets);
    assert_eq!((apps[0].queue.arrived, apps[1].queue.arrived), (4, 3));
}

/// The trace has each packet's hops, the place of a loss, and the packets in flight at the end of the measured second.
#[test]
fn a_trace_has_the_ways_of_packets() {
    let _in_time = deadline(300);
    let mut ap = ap("beacon_interval = \"off\"\n[wifi.driver]\nring = 50", "queue = 5", "fifo");
    (0..8).for_each(|_| ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 0));
    ap.advance(S / 2);
    ap.set_station(usize::from(CONSOLE), 54_000, Loss::Fer(1.0));
    ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), S / 2);
    ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, GAME, 7, 1500), S / 2);
    ap.advance(S - 1);
    // They take 2.24 and 11.24 ms on wires.
    ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), S - 1);
    ap.advance(S);
    ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), S);
    ap.advance(S + MS);
    let (apps, _) = ap.finish();
    let [down, up] = &apps[0].paths;
    // One is being sent and five wait: two are lost on wires.
    assert_eq!((down.arrived, down.lost), (6, [2, 0, 1]));
    assert_eq!((up.arrived, up.lost), (0, [0, 0, 1]));
    assert_eq!(down.total.wires_ns, 6 * 2_240_000 + (1 + 2 + 3 + 4 + 5) * 120_000);
    assert_eq!((down.frames, down.attempts), (7, 6 + 7));
    assert_eq!((apps[0].down.sent, apps[0].down.under_way), (10, 1), "the eleventh is past the second");
    let below = apps[0].below.as_ref().expect("there is a ring");
    assert_eq!((below.packets, below.delay_ns.len()), (7, 7));
}

/// The share of exchanges that are the same contender's again: with one alone it is 1, with a second one half and less.
#[test]
fn who_wins_again_is_shown_where_it_is_counted() {
    let _in_time = deadline(300);
    let run = |wifi: &str, both: bool| {
        let mut ap = ap(wifi, "", "fifo:limit=1000");
        for _ in 0..300 {
            ap.receive(Port::Station(CONSOLE), &udp(AT_CONSOLE, HERE, 7, 1500), 0);
            if both {
                ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), 0);
            }
        }
        // Both have frames left.
        ap.advance(150 * MS);
        ap.snapshot().air.won_again_ratio
    };
    let counted = format!("{CELL}\nwinners = true");
    assert_eq!(run(CELL, true), None);
    assert_eq!(run(&counted, false), Some(1.0));
    let ratio = run(&counted, true).unwrap();
    assert!((0.1..0.6).contains(&ratio), "{ratio}");
}

/// A flow is its server's application's and its own station's, whichever station the house gives the application.
#[test]
fn flows_have_the_station_that_they_reach() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo");
    for (from, to, n) in [(GAME, AT_LAPTOP, 3), (DOWNLOAD, AT_CONSOLE, 2), (DOWNLOAD, AT_LAPTOP, 1)] {
        (0..n).for_each(|_| ap.receive(Port::Internet, &udp(from, to, 7, 1500), 0));
    }
    ap.advance(S);
    let s = ap.snapshot();
    let told: Vec<_> = s.flows.iter().map(|f| (f.app.as_deref(), &*f.station, f.totals.frames)).collect();
    let (game, download) = (Some("game"), Some("download"));
    assert_eq!(told, [(game, "laptop", 3), (download, "console", 2), (download, "laptop", 1)]);
}

/// A discipline's drops by reason: one is shown, none is not.
#[test]
fn a_single_drop_is_shown() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo:limit=5");
    for n in 0..7 {
        assert_eq!(ap.snapshot().qdisc.dropped.len(), 0, "{n}");
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 7, 1500), 0);
    }
    let dropped: Vec<_> = ap.snapshot().qdisc.dropped.into_iter().collect();
    assert_eq!(dropped, [("limit".to_string(), 1)]);
}

/// Padding behind a packet is nobody's traffic.
#[test]
fn padding_is_not_counted() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fifo");
    let mut bytes = udp(GAME, AT_CONSOLE, 7, 500);
    bytes.resize(900, 0);
    ap.receive(Port::Internet, &bytes, 0);
    ap.advance(S);
    assert_eq!(ap.transmit().map(|(_, _, bytes)| bytes.len()), Some(500));
    assert_eq!(totals(&ap.snapshot(), CONSOLE).down_bytes, 500);
    let (apps, _) = ap.finish();
    assert_eq!((apps[0].down.sent_bytes, apps[0].down.bytes), (500, 500));
}

/// A game needs its 98 % point between 50 and 200 ms. At 6 Mb/s a packet takes 50 + 1534 * 8 / 6 + 10 + 112 = 2217.333 us.
#[test]
fn outcomes_are_of_the_whole_way_of_a_packet() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "queue = 100", "fifo:limit=100");
    ap.set_station(usize::from(CONSOLE), 6_000, Loss::Fer(0.0));
    (0..60).for_each(|_| ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 0));
    ap.receive(Port::Internet, &udp(DOWNLOAD, AT_LAPTOP, 7, 1500), 0);
    ap.advance(S);
    let outcomes = ap.snapshot().outcomes;
    let [game] = &outcomes[..] else { panic!("a download has no requirement: {outcomes:?}") };
    assert_eq!((&*game.station, &*game.kind, &*game.requirement), ("console", "game", "competitive-game"));
    // The 59th of 60: 2.24 + 59 * 2.217333 = 133.06 ms, the 111th step of 0.75 ms from 50 ms on.
    let expected = (200.0 - (50.0 + 111.0 * 0.75)) / 150.0 * 100.0;
    for score in [&game.last_10_s, &game.last_60_s] {
        let score = score.as_ref().expect("a score");
        assert!((score.score - expected).abs() < 0.051 && score.decided == "down p98", "{score:?}");
    }
    // One of 61 is lost on the air: 1.64 of 0.1 to 5 %, which is more than that.
    ap.set_station(usize::from(CONSOLE), 6_000, Loss::Fer(1.0));
    ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), S);
    ap.advance(2 * S);
    let score = ap.snapshot().outcomes[0].last_10_s.clone().expect("a score");
    assert_eq!(score.decided, "down p98", "{score:?}");
    // Four of 64: more than 5 %.
    (0..3).for_each(|_| ap.receive(Port::Internet, &udp(GAME, AT_CONSOLE, 7, 1500), 2 * S));
    ap.advance(3 * S);
    let score = ap.snapshot().outcomes[0].last_10_s.clone().expect("a score");
    assert_eq!((score.score, &*score.decided), (0.0, "down loss"));
}

/// Columns are their own flow's: `fq_codel` tells how old the oldest packet of each is.
#[test]
fn columns_are_their_flows() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "", "fq_codel");
    // The first takes 2.217 ms of the air; while it does, one of each of the others comes, 100 us apart, last port first.
    ap.set_station(usize::from(LAPTOP), 6_000, Loss::Fer(0.0));
    let step = 100_000;
    for n in 0..9 {
        ap.advance(u64::from(n) * step);
        ap.receive(Port::AccessPoint, &udp(HERE, AT_LAPTOP, 108 - n, 1500), u64::from(n) * step);
    }
    ap.advance(2 * MS);
    let s = ap.snapshot();
    let told: BTreeMap<_, _> = s.flows.iter().map(|f| (f.tuple.clone(), f.columns["sojourn_s"])).collect();
    let flow = |port: u16| format!("udp 10.0.0.2:{port} 10.0.255.1:5000");
    assert_eq!(told.len(), 8, "the first is on the air, of which nothing is known yet: {told:?}");
    for n in 1..9 {
        let age = told[&flow(108 - n)].expect("it waits");
        assert!(near(age, (2 * MS - u64::from(n) * step) as f64 * 1e-9), "{n}: {age}");
    }
    // When all have gone, the table knows none of those that are shown.
    ap.advance(S);
    let s = ap.snapshot();
    assert!(s.flows.len() == 9 && s.flows.iter().all(|flow| flow.columns["sojourn_s"].is_none()), "{s:?}");
}
