// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Nodes that pass packets on: a mesh whose nodes all hear each other is a cell; what a chain gets (Showail 2016, 4.3.1),
//! what hidden senders lose, and where the time goes.

use crate::common;

use airtab_core::{Params, PhyChange, Rate, RateSpec};
use airtab_model::sizing::chain::{serial_mbps, strict_mbps};
use airtab_model::sizing::domain::two_hop;
use airtab_model::sizing::exchange::DNB_11B;
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::udp;
use airtab_sim::traffic::{Download, Udp};
use airtab_sim::wifi::{
    Aggregation, Backoff, CellConfig, DnbConfig, DriverConfig, Loss, MediumConfig, MeshConfig, NodeAir,
    Ranges,
};
use airtab_sim::{
    App, AppKind, Change, Changed, Latency, Scenario, Servers, Shape, Simulation, Station, Trace, Wired, run,
};
use common::{MS, S, home, phy, queue, station};

/// 802.11b as the formulas have it, without beacons.
fn cell() -> CellConfig {
    CellConfig { beacon: None, ..CellConfig::new(phy("dnb-11b")) }
}

fn node(name: &str) -> Station {
    Station { loss: Loss::None, ..station(name, 11_000, 1.0) }
}

/// TCP as the sources' simulator has it: NewReno with SACK, an ACK for each segment.
fn ns2() -> Config {
    Config { ack_every: 1, ..Config::home() }
}

fn app(name: &str, kind: AppKind, from: u16, to: usize, seconds: u64) -> App {
    App {
        name: name.into(),
        kind,
        station: to,
        servers: Servers::Behind(from, Latency::both(0)),
        active_ns: 0..seconds * S,
        ..home().apps[0].clone()
    }
}

fn download() -> AppKind {
    AppKind::Download(Download::endless(Algorithm::NewReno))
}

/// A mesh for so many seconds, all of them but the first two measured.
fn scenario(mesh: MeshConfig, names: &[String], apps: Vec<App>, seconds: u64) -> Scenario {
    Scenario {
        name: "mesh".into(),
        duration_ns: seconds * S,
        measure_ns: 2 * S..seconds * S,
        medium: MediumConfig::Mesh(Box::new(mesh)),
        wired: Wired { trunk: Latency::both(0), ..Wired::default() },
        stations: names.iter().map(|name| node(name)).collect(),
        apps,
        tcp: ns2(),
        ..home()
    }
}

/// A mesh by name, at 11 Mb/s.
fn shape(name: &str, apps: Vec<App>, seconds: u64) -> Scenario {
    let Shape { names, places, ranges } = Shape::named(name).expect("it has a name");
    scenario(MeshConfig::new(cell(), &places, &ranges, None, 11_000), &names, apps, seconds)
}

fn mesh(scenario: &mut Scenario) -> &mut MeshConfig {
    match &mut scenario.medium {
        MediumConfig::Mesh(mesh) => mesh,
        other => panic!("{other:?} is no mesh"),
    }
}

/// Goodput of an application's data, kb/s: segments of 1460 bytes in packets of 1500.
fn goodput(trace: &Trace, app: usize) -> f64 {
    let bytes = trace.apps[app].down.bytes as f64 * 1460.0 / 1500.0;
    bytes * 8e6 / (trace.measure_ns.end - trace.measure_ns.start) as f64
}

/// Every packet is somewhere, and every nanosecond of every node and of the channel is on one account.
fn checked(scenario: &Scenario, queue: &Params, seed: u64) -> Trace {
    let mut simulation = Simulation::new(scenario, queue, seed);
    for part in 1..=4 {
        simulation.advance(scenario.duration_ns * part / 4);
        assert!(simulation.packets().balanced(), "{:?}", simulation.packets());
    }
    let trace = simulation.finish();
    let air = trace.ap.air;
    let all = air.down_ns + air.up_ns + air.beacon_ns + air.collision_ns + air.idle_ns;
    assert_eq!(all, scenario.duration_ns);
    assert_eq!(trace.nodes.len(), scenario.stations.len());
    for node in &trace.nodes {
        let own = node.air;
        assert_eq!(own.own_ns + own.busy_ns + own.idle_ns, scenario.duration_ns, "{}", node.name);
        assert!(own.collided <= own.attempts);
    }
    let attempts: u64 = trace.nodes.iter().map(|node| node.air.attempts).sum();
    assert_eq!(attempts, air.attempts);
    trace
}

/// The same servers and stations, once as a cell and once as a mesh in which all decode each other: the same events at
/// the same times, packet by packet.
#[test]
fn all_in_range_are_a_cell() {
    let stations = ["console", "phone", "laptop"];
    let cell = CellConfig { beacon: None, ..CellConfig::new(phy("phy-a")) };
    for rts in [None, Some(500)] {
        let cell = CellConfig { rts_bytes: rts, ..cell.clone() };
        let mut home = home();
        (home.duration_ns, home.measure_ns) = (5 * S, S..5 * S);
        for app in &mut home.apps {
            app.active_ns = 0..5 * S;
        }
        home.stations.iter_mut().for_each(|station| station.loss = Loss::None);
        let mut upload = home.apps[2].clone();
        upload.kind = AppKind::Upload(airtab_sim::traffic::Upload::endless(Algorithm::Cubic));
        (upload.name, upload.station) = ("upload".into(), 1);
        home.apps.push(upload);
        home.medium = cell.clone().into();
        let uplink = queue("fifo", 1000);
        home.stations.iter_mut().for_each(|station| station.uplink = Some(uplink.clone()));
        let mut meshed = home.clone();
        let places: Vec<(f64, f64)> = (0..=stations.len()).map(|i| (i as f64, 0.0)).collect();
        let ranges = Ranges { tx_m: 9.0, sense_m: 9.0, interference_m: 9.0 };
        let config = MeshConfig::new(cell, &places, &ranges, None, 54_000);
        assert!(config.reach.is_one_domain());
        meshed.medium = MediumConfig::Mesh(Box::new(config));
        meshed.stations.insert(0, Station { uplink: None, ..home.stations[0].clone() });
        meshed.stations[0].name = "gateway".into();
        for app in &mut meshed.apps {
            app.station += 1;
            app.servers = Servers::Behind(0, Latency::both(MS));
        }
        for discipline in ["fifo", "chap", "fq_codel"] {
            let params = queue(discipline, 100);
            let (one, other) = (run(&home, &params, 3), checked(&meshed, &params, 3));
            assert_eq!(one.fingerprint, other.fingerprint, "{discipline}, {rts:?}");
            assert_eq!(one.exchanges, other.exchanges);
            assert_eq!(one.ap.air, other.ap.air);
            assert!(one.apps[2].down.bytes > 1_000_000, "something is sent");
        }
    }
}

/// A chain of one domain, an ACK for each segment: near what accesses in series take, never above what they take
/// without a backoff.
#[test]
fn chains() {
    for hops in 1..=4 {
        let name = if hops == 1 { "one-hop".into() } else { format!("chain-{hops}") };
        let scenario = shape(&name, vec![app("tcp", download(), 0, hops, 22)], 22);
        let trace = checked(&scenario, &queue("fifo", 50), 1);
        let rates = vec![11.0; hops];
        let [serial, strict] = [serial_mbps, strict_mbps]
            .map(|model| model(&DNB_11B, &rates, 1460.0, 1.0).expect("hops have rates") * 1e3);
        let got = goodput(&trace, 0);
        println!("{name}: {got:.0} kb/s, serial {serial:.0}, strict {strict:.0}, {:.3}", got / serial);
        assert!((0.75..=1.2).contains(&(got / serial)), "{name}: {got} kb/s, {serial} in series");
        assert!(got < strict, "{name}: {got} kb/s, {strict} without backoffs");
        assert!(trace.nodes.iter().all(|node| (node.arrived > 0) == (node.air.attempts > 0)));
    }
}

/// A saturated chain of four hops (Showail 2016, table 4.2): queues of 50 packets, and limits 2, 2, 3, 3 that follow
/// the flow. Printed are round trips of 316 and 22 ms, and 5.6 % less goodput.
#[test]
fn a_controller_shortens_round_trips() {
    let mut own = shape("chain-4", vec![app("tcp", download(), 0, 4, 62)], 62);
    let mut params = Params::new(airtab_core::Discipline::named("dnb").expect("registered"));
    params.set("limits", "50").expect("in range");
    let plain = checked(&own, &params, 1);
    assert_eq!(plain.fingerprint, run(&own, &queue("fifo", 50), 1).fingerprint, "one class is a FIFO");
    let config = mesh(&mut own);
    config.dnb = Some(DnbConfig::new(&config.cell.phy));
    let sized = checked(&own, &params, 1);
    let trip = |trace: &Trace| {
        let sender = &trace.apps[0].tcp[0];
        sender.srtt_sum_ns as f64 / sender.acks as f64 / 1e6
    };
    let [long, short] = [&plain, &sized].map(trip);
    let share = goodput(&sized, 0) / goodput(&plain, 0);
    let most: Vec<u64> = sized.nodes.iter().map(|node| node.max_packets).collect();
    println!("{long:.1} and {short:.1} ms, goodput {share:.3}, queues {most:?}");
    assert!(long / short >= 7.0, "{long} and {short} ms");
    assert!((0.88..=1.0).contains(&share), "{share}");
    let dropped: Vec<u64> = sized.nodes.iter().map(|node| node.dropped).collect();
    assert!(dropped[1] * 2 > dropped.iter().sum::<u64>(), "most at the first relay: {dropped:?}");
}

/// Two senders that do not hear each other, with always a packet of 1500 bytes for a node between them.
#[test]
fn hidden_senders() {
    let lost = |kbps: u32, rts: Option<u32>| {
        let full = || {
            AppKind::Udp(Udp { rate: udp::Rate::Max, bytes: 1500, gaps: udp::Gaps::Constant, upload: false })
        };
        let ranges = Ranges { tx_m: 250.0, sense_m: 250.0, interference_m: 250.0 };
        let places = [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)];
        let cell = CellConfig { rts_bytes: rts, ..cell() };
        let config = MeshConfig::new(cell, &places, &ranges, None, Rate::legacy(kbps));
        let apps = vec![app("one", full(), 0, 1, 40), app("other", full(), 2, 1, 40)];
        let names = ["a", "between", "b"].map(String::from);
        let trace = checked(&scenario(config, &names, apps, 40), &queue("fifo", 50), 1);
        for end in [0, 2] {
            assert!(trace.nodes[end].air.attempts > 500, "{:?}", trace.nodes[end]);
        }
        assert_eq!(trace.nodes[1].air.attempts, 0);
        let ratio = trace.ap.air.collision_ratio().expect("frames were sent");
        println!("{kbps} kb/s, RTS {rts:?}: {ratio:.3}");
        ratio
    };
    for (kbps, rts, from, to) in [
        (11_000, None, 0.35, 0.55),
        (1_000, None, 0.85, 1.0),
        (11_000, Some(500), 0.18, 0.35),
        (1_000, Some(500), 0.18, 0.35),
    ] {
        let ratio = lost(kbps, rts);
        assert!((from..=to).contains(&ratio), "{kbps} kb/s, RTS {rts:?}: {ratio}");
    }
}

fn full() -> AppKind {
    AppKind::Udp(Udp { rate: udp::Rate::Max, bytes: 1500, gaps: udp::Gaps::Constant, upload: false })
}

/// The shared slots of a domain and the events of nodes that each count for themselves agree where both hold: among
/// nodes that all hear each other. Capture that no frame here is strong enough for takes the slots away.
#[test]
fn events_and_slots_agree() {
    let ranges = Ranges { tx_m: 250.0, sense_m: 250.0, interference_m: 250.0 };
    let of = |cw_min: u16, backoff: Backoff, eifs: bool, capture: Option<f64>| {
        let phy = phy("dnb-11b").with(&PhyChange { cw_min: Some(cw_min), ..PhyChange::default() });
        let cell = CellConfig { beacon: None, backoff, eifs, ..CellConfig::new(phy) };
        let places = [(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)];
        let config = MeshConfig::new(cell, &places, &ranges, capture, 11_000);
        assert_eq!(config.reach.is_one_domain(), capture.is_none());
        let apps = vec![app("one", full(), 0, 1, 30), app("other", full(), 2, 1, 30)];
        let names = ["a", "b", "c"].map(String::from);
        let trace = checked(&scenario(config, &names, apps, 30), &queue("fifo", 50), 1);
        let own = |node: usize| (trace.nodes[node].air.attempts, trace.nodes[node].air.collided);
        ([0, 1].map(|i| goodput(&trace, i)), [own(0), own(2)])
    };
    for backoff in [Backoff::Standard, Backoff::Bianchi] {
        for cw_min in [31, 7, 3, 1] {
            for eifs in [false, true] {
                let (slots, events) =
                    (of(cw_min, backoff, eifs, None), of(cw_min, backoff, eifs, Some(60.0)));
                println!("{backoff:?}, {cw_min}, EIFS {eifs}: {slots:?}");
                assert_eq!(slots, events, "{backoff:?}, a window of {cw_min}, EIFS {eifs}");
                assert!(slots.1[0].1 > 100, "some collide");
            }
        }
    }
}

/// A relay that draws no slots for what came while it was busy goes on after DIFS: in events as in slots.
#[test]
fn relays_agree() {
    let of = |capture: Option<f64>| {
        let ranges = Ranges { tx_m: 250.0, sense_m: 500.0, interference_m: 500.0 };
        let places = [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)];
        let config = MeshConfig::new(CellConfig { eifs: false, ..cell() }, &places, &ranges, capture, 1_000);
        let names = ["a", "relay", "b"].map(String::from);
        let slow = AppKind::Udp(Udp {
            rate: udp::Rate::Mean(100_000),
            bytes: 1500,
            gaps: udp::Gaps::Constant,
            upload: false,
        });
        checked(&scenario(config, &names, vec![app("one", slow, 0, 2, 60)], 60), &queue("fifo", 50), 1)
    };
    let (slots, events) = (of(None), of(Some(60.0)));
    assert!(slots.apps[0].down.bytes > 500_000, "something is sent");
    assert_eq!(slots.fingerprint, events.fingerprint);
}

/// Two that do not hear each other and are as near to their receiver: of two frames at the same time one may survive
/// where it is stronger, never both.
#[test]
fn equal_frames_do_not_both_survive() {
    let of = |capture: Option<f64>| {
        let ranges = Ranges { tx_m: 250.0, sense_m: 250.0, interference_m: 250.0 };
        let places = [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)];
        let config = MeshConfig::new(cell(), &places, &ranges, capture, 11_000);
        let apps = vec![app("one", full(), 0, 1, 20), app("other", full(), 2, 1, 20)];
        let names = ["a", "between", "b"].map(String::from);
        checked(&scenario(config, &names, apps, 20), &queue("fifo", 50), 1).fingerprint
    };
    assert_eq!(of(None), of(Some(0.0)));
    assert_eq!(of(None), of(Some(3.0)));
}

/// Short frames of somebody whom the sender does not hear cost its aggregates the packets that they meet.
#[test]
fn a_short_overlap_is_not_an_aggregate() {
    let phy = phy("std-11n");
    let rate = phy.rate(&RateSpec { mcs: 7, ..RateSpec::default() }).expect("it has MCS 7");
    let aggregation = Aggregation {
        frames: 20,
        bytes: phy.ampdu_bytes(),
        time_ns: 4 * MS as u32,
        window: phy.window(),
        amsdu_bytes: 0,
        bar: false,
    };
    let cell = CellConfig {
        beacon: None,
        aggregation: Some(aggregation),
        driver: DriverConfig { ring: 64, aggregates: 2, ..DriverConfig::default() },
        ..CellConfig::new(phy)
    };
    let ranges = Ranges { tx_m: 250.0, sense_m: 250.0, interference_m: 250.0 };
    let places = [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)];
    let config = MeshConfig::new(cell, &places, &ranges, None, rate);
    let udp = |bits, bytes| {
        AppKind::Udp(Udp { rate: udp::Rate::Mean(bits), bytes, gaps: udp::Gaps::Constant, upload: false })
    };
    let apps = vec![app("film", udp(60_000_000, 1500), 0, 1, 12), app("voice", udp(40_000, 100), 2, 1, 12)];
    let names = ["a", "between", "b"].map(String::from);
    let mut own = scenario(config, &names, apps, 12);
    own.stations.iter_mut().for_each(|station| station.speed = rate.into());
    let trace = checked(&own, &queue("fifo", 500), 1);
    // 50 packets a second, asked for again and again, as nearly all meet an aggregate of 4 ms; each spoils one MPDU or two.
    let mbps = trace.apps[0].down.bytes as f64 * 8.0 / 10e6;
    let air = trace.nodes[2].air;
    println!("{mbps:.1} Mb/s; of {} short frames {} overlapped", air.attempts, air.collided);
    assert!(air.collided * 10 > air.attempts * 7);
    let one = air.attempts as f64 / 12.0 * 12e-3;
    assert!(mbps > 57.0 - 2.0 * one && mbps < 57.0 - 0.8 * one, "{mbps} Mb/s, {one} for an MPDU each");
}

/// Packets that the changed link is offered in a second, one each 200 ms: all attempts at one are over before the next.
const OFFERED: u64 = 5;

/// Five packets of 1500 bytes a second, the first 50 ms after the start; the link becomes slow at 3 s, loses all at 6 s and nothing
/// from 9 to 12 s: what arrives in each second, how often its sender tries, and what that takes, to the nanosecond.
fn checked_changes(mut own: Scenario, link: Changed, rates: [u32; 2]) -> Trace {
    let [fast, slow] = rates;
    let change = |seconds: u64, loss| Change { at_ns: seconds * S, link, speed: slow.into(), loss };
    own.changes = vec![change(3, Loss::None), change(6, Loss::Fer(1.0)), change(9, Loss::None)];
    (own.duration_ns, own.measure_ns) = (12 * S, 0..12 * S);
    own.apps[0].phase_ns = Some(50 * MS);
    let trace = run(&own, &queue("fifo", 20), 1);
    let seconds: Vec<u64> = trace.apps[0].seconds.iter().map(|second| second.received_bytes).collect();
    let full = OFFERED * 1500;
    assert_eq!(seconds, [[full; 6].as_slice(), &[0; 3], &[full; 3]].concat());
    let phy = own.medium.phy().expect("it has a radio");
    let whole = |kbps| phy.data_ns(kbps, 1500) + phy.sifs_ns() + phy.ack_ns(kbps);
    // Three seconds of each: once, once, seven times without an ACK, once.
    let attempts = 3 * OFFERED * (1 + 1 + 7 + 1);
    let air = trace.ap.air;
    assert_eq!((air.attempts, air.collided), (attempts, 0));
    let took = 3 * OFFERED * (whole(fast) + 9 * whole(slow));
    assert_eq!(air.down_ns + air.up_ns, took, "the ACK is waited for where it does not come");
    trace
}

fn five_a_second() -> AppKind {
    AppKind::Udp(Udp {
        rate: udp::Rate::Mean(OFFERED * 1500 * 8),
        bytes: 1500,
        gaps: udp::Gaps::Constant,
        upload: false,
    })
}

/// A link that becomes slow, loses all, and nothing again: in shared slots, beside nodes that do not sense it (each with slots
/// of its own), and of a cell's station.
#[test]
fn links_change() {
    let mut shared = shape("one-hop", vec![app("udp", five_a_second(), 0, 1, 12)], 12);
    let own = checked_changes(shared.clone(), Changed::Link(0), [11_000, 1_000]).nodes[0].air;
    assert_eq!((own.attempts, own.collided), (3 * OFFERED * 10, 0));
    let places = [(0.0, 0.0), (200.0, 0.0), (9_000.0, 0.0), (9_200.0, 0.0)];
    let ranges = Ranges { tx_m: 250.0, sense_m: 550.0, interference_m: 550.0 };
    let apart = MeshConfig::new(cell(), &places, &ranges, None, 11_000);
    assert!(!apart.reach.is_one_domain());
    shared.medium = MediumConfig::Mesh(Box::new(apart));
    shared.stations = ["a", "b", "c", "d"].map(node).to_vec();
    let trace = checked_changes(shared, Changed::Link(0), [11_000, 1_000]);
    assert_eq!(trace.nodes[0].air, NodeAir { busy_ns: 0, ..trace.nodes[0].air }, "nobody else sends");
    assert_eq!(trace.nodes[2].air.own_ns, 0);
    let mut home = home();
    home.apps = vec![App { kind: five_a_second(), active_ns: 0..12 * S, ..home.apps[0].clone() }];
    home.stations.iter_mut().for_each(|station| station.loss = Loss::None);
    common::cell(&mut home).beacon = None;
    checked_changes(home, Changed::Station(0), [54_000, 6_000]);
}

/// The domains of the two-hop model (Showail 2016, 4.2.1) by who decodes whom.
#[test]
fn domains() {
    let of = |name: &str| {
        let mut own = shape(name, vec![app("tcp", download(), 0, 1, 3)], 3);
        let config = mesh(&mut own).clone();
        let links: Vec<(usize, usize)> =
            config.links.iter().map(|l| (l.ends.0.into(), l.ends.1.into())).collect();
        let reach = config.reach;
        let domain = move |link: usize| two_hop(&links, link, |a, b| reach.decodes(a).has(b));
        (config.links, domain)
    };
    let (links, domain) = of("chain-6");
    assert_eq!(
        links.iter().map(|link| link.ends).collect::<Vec<_>>(),
        (0..6).map(|i| (i, i + 1)).collect::<Vec<_>>()
    );
    assert_eq!(domain(2), [0, 1, 2, 3, 4], "links 1 to 5 contend with the third");
    // What all links of the gateway contend with: of each edge the two nodes next to it send there.
    let (links, domain) = of("cross");
    assert_eq!(links.len(), 20);
    let inner: Vec<usize> = (0..links.len()).filter(|i| links[*i].ends.0 == 0).collect();
    assert_eq!(inner.len(), 4);
    let shared: Vec<usize> =
        (0..links.len()).filter(|l| inner.iter().all(|i| domain(*i).contains(l))).collect();
    let mut senders: Vec<u16> = shared.iter().map(|l| links[*l].ends.1).collect();
    senders.sort_unstable();
    assert_eq!(senders, [1, 2, 6, 7, 11, 12, 16, 17]);
}
