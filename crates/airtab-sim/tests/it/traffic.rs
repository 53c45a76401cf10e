// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What applications send, seen in whole runs.

use crate::common;

use airtab_sim::tcp::{Algorithm, Config, SYN};
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::{Download, Game, P2p, Ping, Streaming, Udp, Upload, Voip, Volume};
use airtab_sim::wifi::{Category, CellConfig, DeliverOn, End, Loss};
use airtab_sim::{
    Access, App, AppKind, Content, Latency, Scenario, Server, Servers, Simulation, Users, Wired, run,
};
use common::{MS, S, cell, phy, queue, station};

/// Applications of one name each, all on a station of their own at 1 m, for
/// 100 s, of which all but the ends are measured. No beacons.
fn scenario(kinds: Vec<AppKind>) -> Scenario {
    let mut cell = CellConfig::new(phy("phy-a"));
    cell.beacon = None;
    let app = |(i, kind): (usize, &AppKind)| App {
        name: format!("app{i}"),
        kind: kind.clone(),
        station: i,
        active_ns: 0..100 * S,
        class: 0,
        users: Users::ONE,
        measure_ns: None,
        servers: Servers::Own(Latency::both(MS)),
        access: Category::default(),
        computer: 1,
        tunnel: false,
        arrivals: false,
        phase_ns: None,
        requirement: None,
        tcp: None,
    };
    Scenario {
        name: "traffic".into(),
        duration_ns: 100 * S,
        measure_ns: 10 * S..90 * S,
        medium: cell.into(),
        wired: Wired::default(),
        servers: Vec::new(),
        tcp: Config::home(),
        scored: Default::default(),
        windows: Vec::new(),
        changes: Vec::new(),
        stations: (0..kinds.len()).map(|i| station(&format!("sta{i}"), 54_000, 1.0)).collect(),
        apps: kinds.iter().enumerate().map(app).collect(),
    }
}

/// Transfers of 1 MB, one after the other: all of it arrives of each, over a connection of its own; once is once.
#[test]
fn transfers_of_a_volume_follow_each_other() {
    const VOLUME: u64 = 1_000_000;
    let arrived = |volume, upload| {
        let kind: AppKind = match upload {
            true => Upload { volume, ..Upload::endless(CUBIC) }.into(),
            false => Download { volume, ..Download::endless(CUBIC) }.into(),
        };
        let mut one = scenario(vec![kind]);
        one.apps[0].active_ns = 500 * MS..8 * S;
        one.measure_ns = 0..20 * S;
        let mut simulation = Simulation::new(&one, &queue("fifo", 35), 1);
        simulation.watch_air(true);
        simulation.advance(20 * S);
        // By client port: the data that the air has carried, without what was sent again.
        let mut ports = std::collections::BTreeMap::new();
        for frame in simulation.frames().filter(|f| f.end == End::Acked && f.down != upload) {
            let Content::Packet(p) = frame.content else { continue };
            let segment = p.segment.expect("TCP");
            let port = if upload { p.tuple.source.1 } else { p.tuple.destination.1 };
            let end: &mut u64 = ports.entry(port).or_default();
            *end = (*end).max(segment.seq + u64::from(segment.payload));
        }
        ports.into_values().collect::<Vec<u64>>()
    };
    for upload in [false, true] {
        assert_eq!(arrived(Volume::Once(VOLUME), upload), [1 + VOLUME]);
        let again = arrived(Volume::Repeated(VOLUME), upload);
        let (last, whole) = again.split_last().expect("some");
        assert!(whole.len() > 10 && whole.iter().all(|end| *end == 1 + VOLUME), "{again:?}");
        assert!(*last <= 1 + VOLUME);
    }
}

/// Each second another connection, from the next port; it ends with the application.
#[test]
fn a_download_connects_anew_from_another_port() {
    let mut one =
        scenario(vec![AppKind::Download(Download { reconnect_ns: Some(S), ..Download::endless(CUBIC) })]);
    one.apps[0].active_ns = 500 * MS..8 * S + 250 * MS;
    one.measure_ns = 0..20 * S;
    let mut simulation = Simulation::new(&one, &queue("chap", 35), 1);
    simulation.watch_air(true);
    simulation.advance(20 * S);
    let frames: Vec<_> = simulation
        .frames()
        .filter_map(|f| match f.content {
            Content::Packet(p) if f.end == End::Acked => Some((f.start_ns + f.data_ns, f.down, p)),
            _ => None,
        })
        .collect();
    // The client's SYNs: each second, from port after port, to the one server.
    let syns: Vec<_> =
        frames.iter().filter(|(_, down, p)| !down && p.segment.unwrap().flags == SYN).collect();
    assert_eq!(syns.len(), 8, "at 0.5 s, and so on up to 7.5 s");
    for (i, (at, _, syn)) in (0..).zip(&syns) {
        assert!((0..10 * MS).contains(&(at - (500 * MS + i * S))), "SYN {i} at {at} ns");
        let (first, tuple) = (syns[0].2.tuple, syn.tuple);
        assert_eq!(tuple.destination, first.destination);
        assert_eq!(tuple.source, (first.source.0, first.source.1 + i as u16));
    }
    // Each connection carries its second: nothing new of it after 20 ms of the next one, and no ACK at all.
    let (mut of_use, mut of_none) = (0, 0);
    for (at, down, packet) in &frames {
        let port = if *down { packet.tuple.destination.1 } else { packet.tuple.source.1 };
        let number = u64::from(port - syns[0].2.tuple.source.1);
        let (from, to) = (500 * MS + number * S, (500 * MS + (number + 1) * S).min(8 * S + 250 * MS));
        let late = if *down { 20 * MS } else { 5 * MS };
        assert!((from..to + late).contains(at), "connection {number} at {at} ns, down: {down}");
        if *down {
            *(if *at < to || number == 7 { &mut of_use } else { &mut of_none }) += u64::from(packet.bytes);
        }
    }
    let flows = simulation.column("flow").expect("a column of chap").len();
    assert_eq!(flows, 8, "the discipline knows eight flows");
    // Every connection begins anew: with the first byte, and gets what is there.
    for number in 0..8u64 {
        let port = syns[0].2.tuple.source.1 + number as u16;
        let data = frames.iter().filter(|(_, down, p)| *down && p.tuple.destination.1 == port);
        let bytes: u64 = data.clone().map(|(_, _, p)| u64::from(p.segment.unwrap().payload)).sum();
        assert_eq!(data.map(|(_, _, p)| p.segment.unwrap().seq).filter(|s| *s == 1).count(), 1);
        let seconds = if number < 7 { 1.0 } else { 0.75 };
        let rate = bytes as f64 * 8.0 / seconds / 1e6;
        assert!((15.0..27.0).contains(&rate), "connection {number}: {rate} Mb/s");
    }
    // What arrives for a connection that was left is no goodput.
    assert!(of_none > 7 * 1500, "there is some: {of_none} bytes");
    assert_eq!(simulation.finish().apps[0].down.bytes, of_use);
}

fn udp(rate_bps: u64, gaps: Gaps) -> AppKind {
    AppKind::Udp(Udp { rate: Rate::Mean(rate_bps), bytes: 1500, gaps, upload: false })
}

/// 5 Mb/s alone: a packet every 2.4 ms, of which each finds the MAC idle.
#[test]
fn a_constant_stream_below_the_rate_of_the_link_never_waits() {
    let trace = run(&scenario(vec![udp(5_000_000, Gaps::Constant)]), &queue("fifo", 35), 1);
    let app = &trace.apps[0];
    assert!((33_333..=33_334).contains(&app.down.sent), "80 s of 416.67 packets: {}", app.down.sent);
    assert_eq!(app.down.received, app.down.sent);
    assert_eq!(app.queue.delay_ns.len(), app.queue.arrived);
    assert!(app.queue.delay_ns.max() < 1000, "0 in the histogram's resolution");
    assert_eq!((app.up.sent, app.queue.dropped), (0, 0));
}

/// 40 Mb/s through a cell that carries some 32: the rest is dropped.
#[test]
fn a_stream_above_the_rate_of_the_link_is_cut_to_it() {
    let trace = run(&scenario(vec![udp(40_000_000, Gaps::Constant)]), &queue("fifo", 35), 1);
    let app = &trace.apps[0];
    let goodput = app.down.bytes as f64 * 8.0 / 80.0 / 1e6;
    // Exchange, DIFS and 7.5 slots on the mean: 1500 bytes in 377.4 us.
    assert!((goodput / 31.8 - 1.0).abs() < 0.002, "{goodput} Mb/s");
    let dropped = app.queue.dropped as f64 / app.queue.arrived as f64;
    assert!((dropped - (1.0 - goodput / 40.0)).abs() < 0.001, "{dropped}");
    assert!((app.queue.mean_packets - 35.0).abs() < 0.5, "always full: {}", app.queue.mean_packets);
}

/// Down, a saturated source is at the access point: one packet at the MAC, one in the queue, none dropped.
#[test]
fn a_saturated_downlink_keeps_one_packet_waiting() {
    let max = AppKind::Udp(Udp { rate: Rate::Max, bytes: 1500, gaps: Gaps::Constant, upload: false });
    for discipline in common::disciplines() {
        let trace = run(&scenario(vec![max.clone()]), &queue(discipline, 35), 1);
        let app = &trace.apps[0];
        let goodput = app.down.bytes as f64 * 8.0 / 80.0 / 1e6;
        assert!((goodput / 31.8 - 1.0).abs() < 0.002, "{discipline}: {goodput} Mb/s");
        assert_eq!((app.queue.mean_packets, trace.ap.max_packets), (1.0, 1), "{discipline}");
        assert_eq!((app.queue.dropped, trace.ap.wired_dropped), (0, 0), "{discipline}");
        assert!((2..=3).contains(&(app.down.sent.abs_diff(app.queue.arrived) + 2)), "no wire between");
    }
}

/// A queue that is too short for all saturated sources is asked again after a millisecond, not at once.
#[test]
fn a_saturated_source_that_is_refused_waits_a_millisecond() {
    let max = AppKind::Udp(Udp { rate: Rate::Max, bytes: 1500, gaps: Gaps::Constant, upload: false });
    let trace = run(&scenario(vec![max; 3]), &queue("fifo", 1), 1);
    let dropped: u64 = trace.apps.iter().map(|app| app.queue.dropped).sum();
    // Six packets: one at the MAC, one that waits, four that try again each millisecond.
    assert!((4 * 70_000..=4 * 80_000).contains(&dropped), "{dropped}");
    let goodput: u64 = trace.apps.iter().map(|app| app.down.bytes).sum();
    assert!((goodput as f64 * 8.0 / 80.0 / 31.8e6 - 1.0).abs() < 0.01, "the air is full: {goodput} bytes");
}

/// A stream from the station takes the way up, all of it through the station's queue and the wires.
#[test]
fn a_stream_may_go_up() {
    let up =
        AppKind::Udp(Udp { rate: Rate::Mean(5_000_000), bytes: 1500, gaps: Gaps::Constant, upload: true });
    let trace = run(&scenario(vec![up]), &queue("fifo", 35), 1);
    let app = &trace.apps[0];
    assert!((33_333..=33_334).contains(&app.up.sent), "{}", app.up.sent);
    assert_eq!((app.up.received, app.down.sent, app.queue.arrived), (app.up.sent, 0, 0));
}

/// Latency by direction: a packet down takes the trunk's and the access link's down, one up those up.
#[test]
fn wires_have_a_latency_for_each_direction() {
    let kind = AppKind::Ping(Ping { interval_ns: 100 * MS, bytes: 84 });
    let mut one = scenario(vec![kind]);
    one.wired.trunk = Latency { down_ns: 3 * MS, up_ns: 10 * MS };
    one.apps[0].servers = Servers::Own(Latency { down_ns: 5 * MS, up_ns: 100 * MS });
    let trace = run(&one, &queue("fifo", 35), 1);
    let app = &trace.apps[0];
    for (stream, latency) in [(&app.down, 8 * MS), (&app.up, 110 * MS)] {
        assert!(stream.deliveries.len() >= 798);
        for delivery in &stream.deliveries {
            let air = delivery.received_ns - delivery.sent_ns - latency - 2 * 84 * 80;
            assert!((30_000..200_000).contains(&air), "one exchange: {air} ns");
        }
    }
}

/// Two streams of 8 Mb/s through one server's link of 10 share it; through links of their own they do not.
#[test]
fn applications_may_have_one_server_in_common() {
    let mut two = scenario(vec![udp(8_000_000, Gaps::Constant); 2]);
    let link = Access { rate_bps: 10_000_000, latency: Latency::both(20 * MS), hop: 0 };
    two.servers = vec![Server { name: "far".into(), access: link }];
    let goodput = |scenario: &Scenario| {
        let trace = run(scenario, &queue("fifo", 350), 1);
        let rates = trace.apps.iter().map(|app| app.down.bytes as f64 * 8.0 / 80.0 / 1e6);
        (rates.collect::<Vec<_>>(), trace.ap.wired_dropped)
    };
    let (apart, dropped) = goodput(&two);
    assert!(dropped == 0 && apart.iter().all(|rate| (rate / 8.0 - 1.0).abs() < 0.001), "{apart:?}");
    two.apps.iter_mut().for_each(|app| app.servers = Servers::Shared(0));
    let (shared, dropped) = goodput(&two);
    let sum: f64 = shared.iter().sum();
    assert!((sum / 10.0 - 1.0).abs() < 0.001 && shared.iter().all(|rate| *rate > 1.0), "{shared:?}");
    assert!(dropped > 40_000, "what is too much for the link: {dropped} packets");
    // Apart, the second one's link has the wires' rate: it is no matter of names.
    two.apps[1].servers = Servers::Own(link.latency);
    let (one, _) = goodput(&two);
    assert!(one.iter().all(|rate| (rate / 8.0 - 1.0).abs() < 0.001), "{one:?}");
}

/// A fixed phase is when the first packet is sent, both ways; what others draw stays.
#[test]
fn streams_begin_at_a_fixed_phase() {
    let ping = AppKind::Ping(Ping { interval_ns: 100 * MS, bytes: 84 });
    let mut all = scenario(vec![AppKind::Voip(Voip), ping, AppKind::Game(Game)]);
    all.apps.iter_mut().for_each(|app| app.active_ns = 7 * MS..100 * S);
    let drawn = run(&all, &queue("fifo", 35), 1);
    all.apps[0].phase_ns = Some(3 * MS);
    all.apps[1].phase_ns = Some(250 * MS);
    let fixed = run(&all, &queue("fifo", 35), 1);
    let phases = |trace: &airtab_sim::Trace, app: usize, period: u64| {
        let app = &trace.apps[app];
        [&app.down, &app.up].map(|stream| (stream.deliveries[0].sent_ns + S - 7 * MS) % period)
    };
    assert_eq!(phases(&fixed, 0, 20 * MS), [3 * MS; 2]);
    assert_eq!(phases(&fixed, 1, 100 * MS)[1], 50 * MS, "250 ms, and each 100 ms");
    assert_ne!(phases(&drawn, 0, 20 * MS), [3 * MS; 2]);
    assert_eq!(phases(&fixed, 2, 40 * MS), phases(&drawn, 2, 40 * MS), "not the others'");
}

/// Every request is echoed once. Each way: 1 ms of access link and 1 ms of trunk,
/// two links of 100 Mb/s, and the channel.
#[test]
fn a_ping_alone_takes_its_way_there_and_back() {
    let kind = AppKind::Ping(Ping { interval_ns: 100 * MS, bytes: 84 });
    let trace = run(&scenario(vec![kind]), &queue("fifo", 35), 1);
    let app = &trace.apps[0];
    assert_eq!((app.up.sent, app.up.received), (800, 800));
    assert_eq!((app.down.sent, app.down.received, app.down.deliveries.len()), (800, 800, 800));
    let wired = 2 * (2 * MS + 2 * 84 * 80);
    for (request, echo) in app.up.deliveries.iter().zip(&app.down.deliveries) {
        assert_eq!(request.received_ns, echo.sent_ns, "at once");
        let air = echo.received_ns - request.sent_ns - wired;
        // Two frames of 84 bytes at least.
        assert!((75_000..400_000).contains(&air), "two frames: {air} ns");
    }
}

/// Exponential gaps bring what constant ones of the same rate do not: waits.
/// Neither does the one stream's draws change with the other's presence.
#[test]
fn exponential_gaps_make_packets_wait() {
    let kind = || udp(13_500_000, Gaps::Exponential);
    let trace = run(&scenario(vec![kind()]), &queue("fifo", 350), 1);
    let app = &trace.apps[0];
    let sent = app.down.sent as f64;
    assert!((sent / 90_000.0 - 1.0).abs() < 4.0 / 300.0, "80 s of 1125 packets: {sent}");
    assert_eq!(app.queue.dropped, 0);
    assert!(app.queue.delay_ns.mean() > 50_000.0, "{} ns", app.queue.delay_ns.mean());
    let mut with_guest = scenario(vec![kind(), udp(1_000_000, Gaps::Exponential)]);
    with_guest.stations[1].loss = Loss::None;
    let other = run(&with_guest, &queue("fifo", 350), 1);
    assert_eq!(other.apps[0].down.sent, app.down.sent);
}

/// CHAP dissertation 6.4: UDP to a station at a distance, 1 to 30 m. Share of
/// frames (percent) acknowledged at each attempt and given up: the closed form
/// within half a point, and the printed figures within one.
#[test]
fn attempts_by_distance() {
    for (metres, printed) in [
        (1.0, &[(1, 100.0), (8, 0.0)][..]),
        (5.0, &[(1, 92.9), (2, 6.5)]),
        (10.0, &[(1, 48.3), (2, 24.9), (3, 12.9), (8, 1.0)]),
        (30.0, &[(8, 97.3)]),
    ] {
        let mut far = scenario(vec![udp(40_000_000, Gaps::Constant)]);
        far.stations[0].loss = Loss::at(metres);
        (far.duration_ns, far.apps[0].active_ns, far.measure_ns) = (601 * S, 0..601 * S, S..600 * S);
        let seen = run(&far, &queue("fifo", 35), 1).apps.remove(0).attempts;
        let frames = seen.frames() as f64;
        assert!(frames >= 50_000.0, "{metres} m: {frames}");
        assert_eq!(seen.acked.len(), 7);
        let percent =
            |n: usize| 100.0 * seen.acked.get(n - 1).copied().unwrap_or(seen.given_up) as f64 / frames;
        let s = (1.0 - far.stations[0].loss.frame_error_rate()).powi(2);
        for n in 1..=8 {
            let last = if n < 8 { s } else { 1.0 };
            let form = 100.0 * (1.0 - s).powi(n as i32 - 1) * last;
            assert!((percent(n) - form).abs() < 0.5, "{metres} m, {n}: {} %, formula {form}", percent(n));
        }
        for &(n, printed) in printed {
            assert!((percent(n) - printed).abs() < 1.0, "{metres} m, {n}: {} %", percent(n));
        }
    }
}

/// Every frame counts once, in one of as many entries as attempts: each of 20 attempts succeeds with a chance of 0.25.
#[test]
fn every_frame_ends_in_one_way() {
    for attempts in [1, 20] {
        let mut rough = scenario(vec![udp(1_000_000, Gaps::Constant)]);
        rough.stations[0].loss = Loss::Fer(0.5);
        cell(&mut rough).attempts = attempts;
        let seen = run(&rough, &queue("fifo", 35), 1).apps.remove(0).attempts;
        assert!((6_666..=6_668).contains(&seen.frames()), "80 s of 83.3 frames: {seen:?}");
        assert_eq!(seen.acked.len(), usize::from(attempts));
        let given_up = seen.given_up as f64;
        match attempts {
            1 => {
                assert!((given_up / 6_667.0 - 0.75).abs() < 0.022, "four standard errors: {seen:?}");
            }
            _ => {
                for (n, acked) in (0..).zip(&seen.acked) {
                    let share: f64 = 0.25 * 0.75_f64.powi(n);
                    let error = (share * (1.0 - share) * 6_667.0).sqrt();
                    let off = *acked as f64 - share * 6_667.0;
                    assert!(off.abs() < 4.0 * error + 1.0, "attempt {}: {seen:?}", n + 1);
                }
                // 0.75^20 = 0.0032 never.
                assert!(given_up < 50.0, "{seen:?}");
            }
        }
    }
}

/// An application's own measured part moves its figures and nobody else's.
#[test]
fn applications_can_be_measured_at_times_of_their_own() {
    let common = scenario(vec![udp(5_000_000, Gaps::Exponential), udp(20_000_000, Gaps::Exponential)]);
    let mut own = common.clone();
    own.apps[1].measure_ns = Some(20 * S..40 * S);
    let (common, own) = [&common, &own].map(|s| run(s, &queue("fifo", 35), 1)).into();
    assert_eq!(common.fingerprint, own.fingerprint);
    assert_eq!(
        (own.apps[0].measure_ns.clone(), own.apps[1].measure_ns.clone()),
        (10 * S..90 * S, 20 * S..40 * S)
    );
    assert_eq!(own.apps[0].down.bytes, common.apps[0].down.bytes);
    assert_eq!(own.apps[0].queue.mean_packets, common.apps[0].queue.mean_packets);
    assert_eq!(own.ap.mean_packets, common.ap.mean_packets, "the queue is measured as before");
    let mut moved = scenario(vec![udp(5_000_000, Gaps::Exponential), udp(20_000_000, Gaps::Exponential)]);
    moved.measure_ns = 20 * S..40 * S;
    let moved = run(&moved, &queue("fifo", 35), 1);
    let figures = |t: &airtab_sim::AppTrace| {
        let q = &t.queue;
        (
            t.down.sent,
            t.down.received,
            t.down.bytes,
            t.air_ns,
            t.attempts.clone(),
            q.arrived,
            q.dropped,
            q.delay_ns.len(),
        )
    };
    assert_eq!(figures(&own.apps[1]), figures(&moved.apps[1]));
    assert_eq!(own.apps[1].queue.mean_packets, moved.apps[1].queue.mean_packets);
}

/// Bytes by the second sum to those of the whole run.
#[test]
fn seconds_sum_to_the_run() {
    let mut s = scenario(vec![udp(5_000_000, Gaps::Constant), AppKind::Voip(Voip)]);
    (s.duration_ns, s.measure_ns) = (99 * S + S / 2, 10 * S..91 * S);
    s.apps.iter_mut().for_each(|app| app.active_ns = 10 * S..90 * S);
    let trace = run(&s, &queue("fifo", 35), 1);
    for app in &trace.apps {
        assert_eq!(app.seconds.len(), 100, "the last is half a second");
        let sum = |f: fn(&airtab_sim::SecondTrace) -> u64| app.seconds.iter().map(f).sum::<u64>();
        assert_eq!(sum(|s| s.sent_bytes), app.down.sent * if app.name == "app0" { 1500 } else { 200 });
        assert_eq!(sum(|s| s.received_bytes), app.down.bytes);
        assert!(app.seconds[..10].iter().chain(&app.seconds[91..]).all(|s| s.sent_bytes == 0));
        assert!(app.seconds[10..90].iter().all(|s| s.received_bytes > 0));
    }
}

const CUBIC: Algorithm = Algorithm::Cubic;

fn mbps(bytes: u64) -> f64 {
    bytes as f64 * 8.0 / 80.0 / 1e6
}

/// An upload alone is a download with the roles of station and access point
/// exchanged: the same rate, other ends of the queues.
#[test]
fn an_upload_alone_has_the_rate_of_a_download_alone() {
    let alone = |kind| run(&scenario(vec![kind]), &queue("fifo", 350), 1);
    let (down, up) =
        (alone(AppKind::Download(Download::endless(CUBIC))), alone(AppKind::Upload(Upload::endless(CUBIC))));
    let (down_rate, up_rate) = (mbps(down.apps[0].down.bytes), mbps(up.apps[0].up.bytes));
    assert!((up_rate / down_rate - 1.0).abs() < 0.02, "{up_rate} and {down_rate} Mb/s");
    let (air, up_air) = (down.apps[0].air_ns as f64, up.apps[0].up_air_ns as f64);
    assert!((up_air / air - 1.0).abs() < 0.02, "data: {up_air} and {air} ns on the air");
    assert!(up.apps[0].air_ns < up.apps[0].up_air_ns / 2, "the downlink holds ACKs only");
    let places = (up.ap.mean_packets, down.ap.mean_packets);
    assert!(places.0 < 10.0 && places.1 > 200.0, "{places:?}");
}

/// Symmetric peers get data both ways on every connection.
#[test]
fn symmetric_peers_send_both_ways() {
    let peers = |upload| AppKind::P2p(P2p { flows: 3, congestion: CUBIC, upload });
    let [one_way, both] =
        [false, true].map(|upload| run(&scenario(vec![peers(upload)]), &queue("fifo", 35), 1));
    let rates = |t: &airtab_sim::Trace| (mbps(t.apps[0].down.bytes), mbps(t.apps[0].up.bytes));
    let ((down, acks), (less, up)) = (rates(&one_way), rates(&both));
    assert!(down > 24.0 && acks < 2.0, "{down} and {acks} Mb/s");
    assert!(less > 3.0 && up > 3.0 && less + up > 24.0, "{less} and {up} Mb/s");
}

/// With `uplink` on, CHAP charges a symmetric peer for the channel time of its
/// whole traffic: the sum of the charges is that of its frames, both ways, also
/// where ACKs are lost and it sends again what the access point has.
/// Off, it pays for the downlink only.
#[test]
fn a_symmetric_peer_pays_for_its_uplink() {
    let peers = AppKind::P2p(P2p { flows: 2, congestion: CUBIC, upload: true });
    let mut home = scenario(vec![peers, AppKind::Download(Download::endless(CUBIC))]);
    home.measure_ns = 0..home.duration_ns;
    let charges = |uplink: &str, fer: f64| {
        let mut home = home.clone();
        home.stations.iter_mut().for_each(|s| s.loss = Loss::Fer(fer));
        cell(&mut home).deliver_on = DeliverOn::Data;
        let mut params = queue("chap", 35);
        params.set("share", "flow").expect("one of the choices");
        params.set("uplink", uplink).expect("on or off");
        let mut simulation = Simulation::new(&home, &params, 1);
        simulation.advance(home.duration_ns - MS); // the flows are known until they stop
        let column = |name: &str| simulation.column(name).expect("a column of chap");
        let (flows, airtime) = (column("flow"), column("airtime"));
        let of = |app: usize| -> i64 {
            let own: Vec<i64> = simulation.flows(app).map(i64::from).collect();
            flows.iter().zip(&airtime).filter(|(flow, _)| own.contains(flow)).map(|(_, air)| air).sum()
        };
        let charged = [of(0), of(1)].map(|ns| ns as f64);
        let trace = simulation.finish();
        let air = [0, 1].map(|i| (trace.apps[i].air_ns as f64, trace.apps[i].up_air_ns as f64));
        (charged, air)
    };
    let close = |x: f64, y: f64| (x / y - 1.0).abs() < 1e-3;
    let (charged, air) = charges("off", 0.0);
    for (charged, (down, up)) in charged.into_iter().zip(air) {
        assert!(close(charged, down) && up > 0.05 * down, "{charged}: {down} down, {up} up");
    }
    let without = air[1].0 / air[0].0;
    let (charged, air) = charges("on", 0.05);
    for (charged, (down, up)) in charged.into_iter().zip(air) {
        // But for the few that are given up: nobody has heard those, and each took many attempts.
        let unheard = 1.0 - charged / (down + up);
        assert!((0.0..0.003).contains(&unheard), "{charged}: {down} down, {up} up, with losses");
    }
    let (charged, air) = charges("on", 0.0);
    for (charged, (down, up)) in charged.into_iter().zip(air) {
        assert!(close(charged, down + up), "{charged}: {down} down, {up} up");
    }
    let with = air[1].0 / air[0].0;
    assert!(with > 1.2 * without, "the download has {without}, then {with} of the peers' downlink");
}

/// Two rates, segments of 4 s, a buffer of 40 s (reservoir 15 s, line to 36 s).
fn streaming() -> AppKind {
    AppKind::Streaming(Streaming {
        ladder: [1_000_000, 2_000_000].into(),
        segment_ns: 4 * S,
        buffer_ns: 40 * S,
        congestion: CUBIC,
    })
}

/// Alone, a player fills its buffer and then takes one segment every 4 s.
#[test]
fn a_player_alone_fills_its_buffer_and_waits_for_room() {
    let trace = run(&scenario(vec![streaming()]), &queue("fifo", 35), 1);
    let segments = &trace.apps[0].segments;
    let rates: Vec<u64> = segments.iter().map(|s| s.rate_bps / 1_000_000).collect();
    // 0, 4, ..., 36 s in the buffer when requested, less the 2 s played by then; from there on
    // the player waits for room, and has 36 s when it asks: the highest rate.
    assert_eq!(rates[..10], [1; 10]);
    assert_eq!(rates[10..], [2].repeat(rates.len() - 10), "{rates:?}");
    let start = segments[0].done_ns;
    for (i, s) in segments.iter().enumerate().skip(10) {
        // Playing since `start`: it has 36 s left when segment i is requested.
        assert_eq!(s.requested_ns, start + (4 * i as u64 - 36) * S, "segment {i}");
        assert!(s.done_ns < s.requested_ns + S, "1 MB at some 20 Mb/s");
    }
    assert_eq!(segments.len(), 34, "10 at once, then one every 4 s up to 100 s");
    let bytes: u64 = segments.iter().map(|s| s.rate_bps * 4 / 8).sum();
    let sent: u64 = trace.apps[0].seconds.iter().map(|s| s.received_bytes).sum();
    assert!(
        sent > bytes && (sent as f64) < 1.035 * bytes as f64,
        "{sent} for {bytes}: 40 of 1500 are headers"
    );
}

/// On a link that carries less than the lowest rate, a segment takes longer than
/// it plays.
#[test]
fn a_player_on_a_thin_link_takes_the_lowest_rate() {
    let mut thin = scenario(vec![streaming()]);
    thin.wired.rate_bps = 500_000;
    let trace = run(&thin, &queue("chap", 35), 1);
    let segments = &trace.apps[0].segments;
    assert!(segments.iter().all(|s| s.rate_bps == 1_000_000));
    // 500 kB and 40 bytes of headers for each 1460 take 8.22 s at 500 kb/s, and a round trip each.
    for pair in segments.windows(2).skip(1) {
        assert_eq!(pair[1].requested_ns, pair[0].done_ns, "no wait: the buffer is empty");
        let took = (pair[1].done_ns - pair[1].requested_ns) as f64 / 1e9;
        assert!((8.21..8.60).contains(&took), "{took} s");
    }
    assert!((10..=12).contains(&segments.len()), "{}", segments.len());
}
