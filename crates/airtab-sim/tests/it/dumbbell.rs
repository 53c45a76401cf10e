// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The dumbbell: a narrow wire in the place of the cell. Times to the nanosecond, books after everything that happens,
//! what saturated and flooding sources get, under every discipline.

use crate::common;

use airtab_core::{Meta, Params, Tx};
use airtab_quality::jain;
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::{Download, Udp};
use airtab_sim::wifi::{Loss, MediumConfig, WireConfig};
use airtab_sim::world::{Home, HomeHost, Report, Tag, World};
use airtab_sim::{Access, App, AppKind, AppTrace, Latency, Scenario, Servers, Wired, run};
use common::{MS, S, disciplines, home, queue, roomy, station};

/// 10 Mb/s: 800 ns for a byte.
const ETHERNET: WireConfig = WireConfig { rate_bps: 10_000_000, overhead: WireConfig::ETHERNET };

/// A dumbbell of two sinks with those applications, one at each in turn.
fn dumbbell(wire: WireConfig, kinds: Vec<AppKind>) -> Scenario {
    let of = |(i, kind): (usize, AppKind)| App {
        name: format!("{}{i}", kind.name()),
        kind,
        station: i % 2,
        active_ns: 0..20 * S,
        class: (i % 3) as u8,
        ..home().apps[0].clone()
    };
    let mut stations = ["left", "right"].map(|name| station(name, 10_000, 1.0)).to_vec();
    stations.iter_mut().for_each(|station| station.loss = Loss::None);
    Scenario {
        duration_ns: 20 * S,
        measure_ns: 2 * S..20 * S,
        medium: MediumConfig::Wire(wire),
        wired: Wired { rate_bps: 100_000_000, ..Wired::default() },
        apps: kinds.into_iter().enumerate().map(of).collect(),
        stations,
        ..home()
    }
}

fn udp(bytes: u32, rate: Rate) -> AppKind {
    Udp { rate, bytes, gaps: Gaps::Constant, upload: false }.into()
}

/// A packet's number.
#[derive(Clone, Copy)]
struct Number(u32);

impl Tag for Number {
    fn tag(&self, _peer: u16) -> u32 {
        self.0
    }
}

/// Three packets to two sinks at once, and one back: when each is where.
#[test]
fn packets_are_on_time_to_the_nanosecond() {
    let scenario = dumbbell(ETHERNET, vec![udp(1500, Rate::Max)]);
    let access = Access { rate_bps: 10_000_000, latency: Latency { down_ns: 0, up_ns: 7 * MS }, hop: 0 };
    for name in disciplines() {
        let (home, topology) = Home::new(&scenario, [access], &roomy(name, 100)).unwrap();
        let mut world: World<Number, u32> = World::new(topology, 1);
        let [server, left, right] =
            [HomeHost::Server(0), HomeHost::Station(0), HomeHost::Station(1)].map(|host| home.node(host));
        for (number, (to, bytes)) in (0..).zip([(left, 1500), (right, 200), (left, 1061)]) {
            let meta = Meta { bytes, flow: 1, ..Meta::default() };
            world.send(0, server, to, meta, Number(number));
        }
        let meta = Meta { bytes: 40, flow: 1, ..Meta::default() };
        world.send(0, left, server, meta, Number(9));
        let (mut arrived, mut sent) = (Vec::new(), Vec::new());
        loop {
            while let Some(report) = world.poll() {
                match report {
                    Report::Arrived { packet, node } => {
                        arrived.push((world.now(), node, world.take(packet).body.0));
                    }
                    Report::Sent { tx, .. } => sent.push((world.now(), tx)),
                    _ => {}
                }
            }
            assert!(world.books().balanced(), "{name}");
            if !world.advance(S) {
                break;
            }
        }
        // On the access link IP bytes alone; 80 ns for a byte on the trunk, and 1 ms. Each comes when the one before has
        // long left the narrow wire or is on it.
        let at_router = |bits_before: u64, bytes: u64| bits_before * 800 + bytes * 80 + MS;
        let at = [at_router(1500, 1500), at_router(1700, 200), at_router(2761, 1061)];
        let mut free = 0;
        let mut leave = |i: usize, bytes: u64| {
            free = at[i].max(free) + (bytes + 38) * 800;
            free
        };
        let expected = [(leave(0, 1500), left, 0), (leave(1, 200), right, 1), (leave(2, 1061), left, 2)];
        let down: Vec<_> = arrived.iter().copied().filter(|a| a.2 != 9).collect();
        assert_eq!(down, expected, "{name}");
        let tx =
            |bytes: u64| Tx { air: (bytes + 38) * 800, span: (bytes + 38) * 800, attempts: 1, acked: true };
        assert_eq!(sent, [(expected[0].0, tx(1500)), (expected[1].0, tx(200)), (expected[2].0, tx(1061))]);
        // The way back: the trunk, then the access link.
        let back = arrived.iter().find(|a| a.2 == 9).expect("it comes");
        assert_eq!((back.0, back.1), (40 * 80 + MS + 40 * 800 + 7 * MS, server), "{name}");
        assert_eq!((world.books().received, world.books().inside), (4, 0));
    }
}

/// A source that always has one more packet has the rate of the wire, overheads included, under every discipline.
#[test]
fn a_saturated_source_has_the_whole_wire() {
    for wire in [ETHERNET, WireConfig { rate_bps: 1_234_567, overhead: 0 }] {
        for name in disciplines() {
            let scenario = dumbbell(wire, vec![udp(1500, Rate::Max)]);
            let trace = run(&scenario, &queue(name, 1000), 1);
            let app = &trace.apps[0];
            // One packet after the other for 18 s.
            let packets = (18 * S).div_ceil(wire.packet_ns(1500));
            let got = app.down.bytes / 1500;
            assert!(got.abs_diff(packets) <= 1, "{name}: {got} of {packets}");
            assert_eq!((trace.ap.wired_dropped, app.queue.dropped), (0, 0), "{name}");
            let air = &trace.ap.air;
            assert_eq!(air.down_ns + air.idle_ns, 20 * S, "{name}");
            assert_eq!(app.air_ns, wire.packet_ns(1500) * app.attempts.frames(), "{name}");
            assert_eq!((air.up_ns, air.collision_ns, air.attempts), (0, 0, 0));
        }
    }
}

/// Two streams of which each alone would fill the wire: it is full, what does not fit is dropped, and nothing else is lost.
#[test]
fn a_flooded_wire_is_full() {
    let kinds = || vec![udp(1500, Rate::Mean(9_000_000)), udp(700, Rate::Mean(9_000_000))];
    for name in disciplines() {
        let trace = run(&dumbbell(ETHERNET, kinds()), &queue(name, 60), 1);
        let [busy, idle] = [trace.ap.air.down_ns, trace.ap.air.idle_ns];
        assert!(idle < 20 * MS, "{name}: {idle} ns idle");
        assert_eq!(busy + idle, 20 * S);
        let served: u64 = [1500, 700]
            .iter()
            .zip(&trace.apps)
            .map(|(bytes, app)| {
                let frames = app.attempts.frames();
                assert_eq!(app.air_ns, frames * ETHERNET.packet_ns(*bytes), "{name}");
                app.air_ns
            })
            .sum();
        assert!(served.abs_diff(18 * S) < 2 * MS, "{name}: {served}");
        for app in &trace.apps {
            assert_eq!(app.paths[0].lost[0] + app.paths[0].lost[2], 0, "{name}: only the queue loses");
            assert_eq!(
                app.down.sent,
                app.down.received + app.down.under_way + app.paths[0].lost[1],
                "{name}"
            );
        }
        assert_eq!(trace.ap.wired_dropped, 0);
    }
}

/// TCP over the dumbbell: ACKs pass at once, and the whole wire is used.
#[test]
fn a_download_fills_the_wire() {
    let mut scenario = home();
    scenario =
        Scenario { apps: vec![scenario.apps[2].clone()], ..dumbbell(ETHERNET, vec![udp(1500, Rate::Max)]) };
    scenario.apps[0] = App { station: 1, active_ns: 0..20 * S, ..scenario.apps[0].clone() };
    let trace = run(&scenario, &queue("fifo", 60), 1);
    let rate = trace.apps[0].down.bytes as f64 * 8.0 / 18.0;
    let most = 10e6 * 1500.0 / 1538.0;
    // To a packet.
    assert!((0.98 * most..=most + 12_000.0 / 18.0).contains(&rate), "{rate} of {most}");
    assert_eq!(trace.apps[0].paths[1].lost, [0; 3], "no ACK is lost");
    assert_eq!(trace.ap.air.up_ns, 0);
}

/// Downloads over the dumbbell with a queue of `queue_packets`, measured from 20 to 120 s; begun 137 ms after each other.
fn downloads(n: usize, queue_packets: u32, latency_ns: u64, tcp: Config, seed: u64) -> Vec<AppTrace> {
    let mut scenario = dumbbell(ETHERNET, vec![Download::endless(Algorithm::NewReno).into(); n]);
    (scenario.duration_ns, scenario.measure_ns) = (120 * S, 20 * S..120 * S);
    scenario.tcp = tcp;
    for (app, i) in scenario.apps.iter_mut().zip(0..) {
        (app.active_ns, app.class) = (i * 137 * MS..120 * S, 0);
        app.servers = Servers::Own(Latency::both(latency_ns));
    }
    run(&scenario, &queue("fifo", queue_packets), seed).apps
}

/// One segment a round trip: each round trip is longer by the mean of a uniform time. By default that is half of 1538 bytes at
/// 10 Mb/s, 615.2 us; with a key of 4 ms it is 2 ms.
#[test]
fn a_server_sends_after_a_uniform_time() {
    let round_trip_us = |send_jitter_ns| {
        let tcp = Config { receive_window_segments: 1, ack_every: 1, send_jitter_ns, ..Config::home() };
        let app = downloads(1, 60, 5 * MS, tcp, 1).remove(0);
        let segments = app.down.payload_bytes / 1460;
        println!("{send_jitter_ns:?}: {segments} segments");
        100e6 / segments as f64
    };
    let without = round_trip_us(Some(0));
    // The standard deviation of the mean of some 7000 round trips is 4 and 14 us.
    for (key, most_us) in [(None, 1538.0 * 0.8), (Some(4 * MS), 4000.0)] {
        let longer = round_trip_us(key) - without;
        assert!((longer / (most_us / 2.0) - 1.0).abs() < 0.04, "{key:?}: {longer} us longer");
    }
}

/// The segments of a burst leave in their order: what a window of 64 segments brings needs no duplicate acknowledgement.
#[test]
fn send_jitter_keeps_the_order_of_a_flow() {
    let tcp = Config { receive_window_segments: 64, send_jitter_ns: Some(10 * MS), ..Config::home() };
    let app = downloads(1, 100, 20 * MS, tcp, 1).remove(0);
    assert_eq!((app.tcp[0].retransmits, app.queue.dropped), (0, 0));
    assert!(app.down.payload_bytes > 50_000_000, "{} bytes", app.down.payload_bytes);
}

/// Drop-tail: without a random time some flows have all the losses for ever (Floyd and Jacobson 1991), by equal paths as by paths of
/// different length. With it they share evenly; rates as 1 / RTT of the different paths have an index of 0.95.
#[test]
fn drop_tail_is_even_with_send_jitter() {
    let stz = (Config::stz(), 10_000_000, 60);
    let ns2 = |rate_bps| (Config::ns2(), rate_bps, 20);
    for ((tcp, rate_bps, packets), flows, apart_ns) in [
        (stz, 5, 0),
        (stz, 10, 0),
        (stz, 10, 3 * MS),
        (ns2(10_000_000), 5, 3 * MS),
        (ns2(2_000_000), 10, 3 * MS),
    ] {
        let index = |send_jitter_ns, seed| {
            let wire = WireConfig { rate_bps, ..ETHERNET };
            let mut scenario = dumbbell(wire, vec![Download::endless(Algorithm::NewReno).into(); flows]);
            (scenario.duration_ns, scenario.measure_ns) = (60 * S, 10 * S..60 * S);
            scenario.tcp = Config { send_jitter_ns, ..tcp };
            for (app, i) in scenario.apps.iter_mut().zip(0..) {
                (app.active_ns, app.class) = (i * 100 * MS..60 * S, 0);
                app.servers = Servers::Own(Latency::both(10 * MS + i * apart_ns));
            }
            let apps = run(&scenario, &queue("fifo", packets), seed).apps;
            jain(&apps.iter().map(|app| app.down.payload_bytes as f64).collect::<Vec<_>>()).expect("rates")
        };
        let without = index(Some(0), 1);
        let with: Vec<f64> = (1..=5).map(|seed| index(None, seed)).collect();
        let mean = with.iter().sum::<f64>() / 5.0;
        println!("{flows} flows, {packets} packets at {rate_bps} bit/s: {without:.3}, then {with:.3?}");
        assert!(without < 0.8, "no phase effects: {without}");
        assert!(mean > 0.94, "{mean}");
    }
}

/// RED marks a download that can be marked, and drops nothing; of one that cannot it drops. Either way the wire is full.
#[test]
fn a_download_is_marked_instead() {
    let mut scenario = dumbbell(ETHERNET, vec![udp(1500, Rate::Max)]);
    scenario.apps[0] = App { station: 1, active_ns: 0..20 * S, ..home().apps[2].clone() };
    let mut params = queue("red", 1000);
    params.set("hard", "false").unwrap();
    for (ecn, tunnel) in [(false, false), (true, false), (true, true)] {
        scenario.tcp.ecn = ecn;
        scenario.apps[0].tunnel = tunnel;
        let trace = run(&scenario, &params, 1);
        let app = &trace.apps[0];
        assert_eq!(app.paths[0].lost[1] == 0, ecn, "{:?} lost", app.paths[0].lost);
        assert_eq!(app.tcp[0].retransmits == 0, ecn, "{} sent again", app.tcp[0].retransmits);
        assert!(app.queue.mean_packets < 40.0, "{} packets", app.queue.mean_packets);
        assert!(app.down.bytes as f64 * 8.0 / 18.0 > 0.97 * 10e6 * 1500.0 / 1538.0, "{}", app.down.bytes);
    }
}

/// Narrow wires in a row, each with the discipline: from where a server is, a packet passes those that are before it, to the
/// nanosecond. The way back passes none.
#[test]
fn packets_pass_the_wires_before_them() {
    let mut scenario = dumbbell(ETHERNET, vec![udp(1500, Rate::Max)]);
    scenario.wired.hops = 2;
    for name in disciplines() {
        let at = |hop| Access { rate_bps: 100_000_000, latency: Latency::both(0), hop };
        let (home, topology) = Home::new(&scenario, [0, 1, 2].map(at), &roomy(name, 100)).unwrap();
        let mut world: World<Number, u32> = World::new(topology, 1);
        let sink = home.node(HomeHost::Station(0));
        let servers = [0, 1, 2].map(|i| home.node(HomeHost::Server(i)));
        let meta = |bytes| Meta { bytes, flow: 1, ..Meta::default() };
        world.send(0, servers[0], sink, meta(1500), Number(0));
        world.send(0, sink, servers[0], meta(40), Number(9));
        // The others' meet it nowhere.
        world.send(0, servers[1], sink, meta(200), Number(1));
        world.send(0, servers[2], sink, meta(100), Number(2));
        let mut arrived = Vec::new();
        loop {
            while let Some(report) = world.poll() {
                if let Report::Arrived { packet, .. } = report {
                    arrived.push((world.take(packet).body.0, world.now()));
                }
            }
            assert!(world.books().balanced(), "{name}");
            if !world.advance(S) {
                break;
            }
        }
        let narrow = |bytes: u64| (bytes + 38) * 800;
        // The access link and the trunk; the wires before the last one have the trunk's latency, too.
        let wide = |bytes: u64| 2 * bytes * 80 + MS;
        arrived.sort_unstable();
        let expected = [
            (0, wide(1500) + 3 * narrow(1500) + 2 * MS),
            (1, wide(200) + 2 * narrow(200) + MS),
            (2, wide(100) + narrow(100)),
            (9, 2 * 40 * 80 + MS),
        ];
        assert_eq!(arrived, expected, "{name}");
    }
}

/// A source that fills the first wire, and one that joins before the second: each wire drops what does not fit it, and
/// the first source's loss is that of both.
#[test]
fn each_wire_of_a_row_has_a_discipline() {
    let kinds = vec![udp(1500, Rate::Mean(12_000_000)), udp(1500, Rate::Mean(12_000_000))];
    let mut scenario = dumbbell(ETHERNET, kinds);
    scenario.wired.hops = 1;
    scenario.servers = [0, 1]
        .map(|hop| airtab_sim::Server {
            name: format!("before {hop}"),
            access: Access { rate_bps: 100_000_000, latency: Latency::both(MS), hop },
        })
        .to_vec();
    for (app, server) in scenario.apps.iter_mut().zip(0..) {
        app.servers = airtab_sim::Servers::Shared(server);
    }
    let trace = run(&scenario, &queue("fq_codel", 100), 1);
    let rate = |app: usize| trace.apps[app].down.bytes as f64 * 8.0 / 18.0;
    let wire = 10e6 * 1500.0 / 1538.0;
    // Turns: half of the second wire each.
    for app in 0..2 {
        assert!((rate(app) / wire - 0.5).abs() < 0.01, "{app}: {} of {wire}", rate(app));
    }
    let [wires, router, _] = trace.apps[0].paths[0].lost;
    let share = |lost: u64| lost as f64 / trace.apps[0].down.sent as f64;
    assert!((share(wires) - (1.0 - wire / 12e6)).abs() < 0.01, "{}", share(wires));
    assert!((share(router) - wire / 12e6 / 2.0).abs() < 0.01, "{}", share(router));
    assert_eq!(trace.apps[1].paths[0].lost[0], 0, "it does not pass the first");
}

/// What a station behind a wire cannot have is refused, as is what no queue there could be for.
#[test]
fn a_wire_has_no_radio() {
    let plain = dumbbell(ETHERNET, vec![udp(1500, Rate::Max)]);
    assert_eq!(plain.check(), Ok(()));
    let broken = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = plain.clone();
        change(&mut scenario);
        scenario.check().unwrap_err()
    };
    let radio = "station left: behind a wire it has no radio, loses nothing, and has no queue of its own";
    assert_eq!(broken(&|s| s.stations[0].loss = Loss::Fer(0.1)), radio);
    assert_eq!(broken(&|s| s.stations[0].uplink = Some(queue("fifo", 10))), radio);
    assert_eq!(broken(&|s| s.stations[0].asleep = Some(0..S)), radio);
    let far = airtab_sim::Server {
        name: "far".into(),
        access: Access { rate_bps: 1_000_000, latency: Latency::both(MS), hop: 1 },
    };
    assert_eq!(
        broken(&|s| s.servers.push(far.clone())),
        "server far: 0 narrow wires are before the last one, and it is behind 1"
    );
    let slow = MediumConfig::Wire(WireConfig { rate_bps: 0, overhead: 38 });
    assert_eq!(broken(&|s| s.medium = slow.clone()), "the rate of the bottleneck must not be 0");
    let up: AppKind = Udp { rate: Rate::Max, bytes: 1500, gaps: Gaps::Constant, upload: true }.into();
    assert_eq!(
        broken(&|s| s.apps[0].kind = up.clone()),
        "application udp0: rate: the wire has no uplink queue that could be kept full"
    );
    assert!(
        run(&plain, &Params::new(airtab_core::Discipline::named("fifo").unwrap()), 1).ap.air.idle_ns < 2 * MS
    );
}
