// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Looking at a run changes nothing, and what is seen agrees with its trace.

use crate::common;

use airtab_core::disciplines;
use airtab_sim::address::Protocol;
use airtab_sim::tcp::Config;
use airtab_sim::wifi::{End, Loss};
use airtab_sim::{Content, Observer, Probe, Quantity, Scenario, Simulation, Users, course, run, watch};
use common::{MS, queue, quick_home};

fn rough_home() -> Scenario {
    let mut scenario = quick_home();
    for s in &mut scenario.stations {
        s.loss = Loss::at(14.0);
    }
    scenario
}

#[test]
fn a_watched_run_is_the_same_run() {
    let scenario = rough_home();
    let alone = run(&scenario, &queue("chap", 35), 1);
    let mut watched = Simulation::new(&scenario, &queue("chap", 35), 1);
    watched.watch_air(true);
    let mut bytes = [0; 3];
    for step in 1..=scenario.duration_ns / (100 * MS) {
        watched.advance(step * 100 * MS);
        watched.column("flow");
        watched.frames().count();
        if step * 100 * MS == scenario.measure_ns.start {
            bytes = [0, 1, 2].map(|app| watched.received_bytes(app, false));
        }
        if step * 100 * MS == scenario.measure_ns.end {
            bytes = [0, 1, 2].map(|app| watched.received_bytes(app, false) - bytes[app]);
        }
    }
    assert_eq!(watched.air().idle_ns, alone.ap.air.idle_ns);
    let trace = watched.finish();
    assert_eq!((trace.fingerprint, trace.exchanges), (alone.fingerprint, alone.exchanges));
    assert_eq!(bytes, [0, 1, 2].map(|app| alone.apps[app].down.bytes));
}

/// The samples against the trace of a run that nobody looked at.
#[test]
fn a_course_is_that_of_the_run() {
    let scenario = rough_home();
    let alone = run(&scenario, &queue("fifo", 35), 1);
    let course = course(&scenario, &queue("fifo", 35), 1, 100 * MS);
    assert_eq!(course.trace.fingerprint, alone.fingerprint);
    let at = |ns: u64| (ns / (100 * MS)) as usize - 1;
    let (start, end) = (at(scenario.measure_ns.start), at(scenario.measure_ns.end));
    assert_eq!(course.queue_packets.len(), 330);
    for (app, trace) in course.apps.iter().zip(&alone.apps) {
        assert_eq!(app.name, trace.name);
        assert_eq!(app.received_bytes[end] - app.received_bytes[start], trace.down.bytes);
        let rates = app.rate_bps(course.step_ns, 10);
        assert_eq!(rates.len(), 33);
        let whole: f64 = rates.iter().sum();
        let received = *app.received_bytes.last().expect("330 samples") as f64 * 8.0;
        assert!((whole - received).abs() < 1e-6 * received, "bins of a second");
    }
    // The mean of the samples is the time average, but for what 100 ms miss.
    let held: u32 = course.queue_packets[start..end].iter().sum();
    let mean = f64::from(held) / (end - start) as f64;
    assert!((mean - alone.ap.mean_packets).abs() < 2.0, "{mean} {}", alone.ap.mean_packets);
    assert!(course.queue_packets.iter().all(|n| *n <= alone.ap.max_packets));
    // The game has no window; the download has one while it is up, from its three segments on.
    assert!(course.apps[0].flows[0].cwnd_bytes.iter().all(Option::is_none));
    let flow = &course.apps[2].flows[0];
    let up: Vec<usize> = (0..330).filter(|i| flow.cwnd_bytes[*i].is_some()).collect();
    assert_eq!((up[0], up.len()), (start, end - start), "from 9 s to 27 s");
    assert_eq!(flow.cwnd_bytes[start], Some(3 * 1460));
    assert!(flow.cwnd_bytes[start..end].iter().flatten().max() > Some(&(35 * 1460)));
    assert!(flow.stats.recoveries > 0 && flow.stats.segments > 1000);
}

/// The flows of all users of an application.
#[test]
fn a_course_has_every_user() {
    let mut scenario = quick_home();
    scenario.apps.retain(|app| app.name == "download");
    scenario.apps[0].users = Users::at_one(3, 0);
    let course = course(&scenario, &queue("fifo", 35), 1, 100 * MS);
    assert_eq!(course.apps[0].flows.len(), 3);
    for flow in &course.apps[0].flows {
        assert_eq!(flow.cwnd_bytes.len(), 330);
        assert!(flow.stats.segments > 100 && flow.cwnd_bytes.iter().any(Option::is_some), "{flow:?}");
    }
    let segments = course.apps[0].flows.iter().map(|flow| flow.stats.segments).sum::<u64>();
    assert!(segments >= course.trace.apps[0].down.received, "{segments}");
}

/// An acknowledgement for every segment, or for every second one.
#[test]
fn other_tcp_settings_reach_both_ends() {
    let mut scenario = quick_home();
    scenario.apps.retain(|app| app.name == "download");
    let acks_per_segment = |ack_every| {
        let scenario = Scenario { tcp: Config { ack_every, ..Config::home() }, ..scenario.clone() };
        let trace = run(&scenario, &queue("fifo", 35), 1);
        trace.apps[0].up.sent as f64 / trace.apps[0].down.received as f64
    };
    assert!((acks_per_segment(1) - 1.0).abs() < 0.01);
    // Every segment is answered while one is missing.
    assert!((0.5..0.7).contains(&acks_per_segment(2)));
}

#[test]
fn every_attempt_is_seen_once() {
    let scenario = rough_home();
    let mut simulation = Simulation::new(&scenario, &queue("fifo", 35), 1);
    simulation.watch_air(true);
    simulation.advance(scenario.duration_ns);
    let frames: Vec<_> = simulation.frames().collect();
    assert_eq!(simulation.frames().count(), 0, "taken once");
    let trace = simulation.finish();
    // A collision is one exchange of several frames that begin together.
    let mut starts: Vec<u64> = frames.iter().map(|f| f.start_ns).collect();
    assert!(starts.is_sorted());
    starts.dedup();
    assert_eq!(starts.len() as u64, trace.exchanges);
    let count = |end: End| frames.iter().filter(|f| f.end == end).count();
    assert!(count(End::DataLost) > 1000 && count(End::AckLost) > 1000 && count(End::Collision) > 100);
    let beacons = frames.iter().filter(|f| f.content == Content::Beacon).count();
    assert!([322, 323].contains(&beacons), "{beacons}: one every 102.4 ms of 33 s");
    // Repetitions carry what the first attempt carried; at most seven of them.
    let mut sending = [None; 4];
    for f in &frames {
        let sender = if f.down { 0 } else { f.station.unwrap() + 1 };
        if f.attempt > 1 {
            assert_eq!(sending[sender], Some((f.attempt - 1, f.content)));
        }
        sending[sender] = Some((f.attempt, f.content));
        assert!((1..=7).contains(&f.attempt));
        if let Content::Packet(p) = f.content {
            assert_eq!(p.tuple.protocol == Protocol::Tcp, f.station == Some(2), "the laptop downloads");
            assert_eq!(f.kbps, 54_000);
            assert_eq!(f.data_ns, scenario.medium.phy().unwrap().data_ns(f.kbps, p.bytes));
            assert_eq!(p.segment.map(|s| s.ip_bytes()), p.segment.map(|_| p.bytes));
            assert_eq!(p.tuple.source.0.octets()[0], if f.down { 198 } else { 10 });
        }
    }
}

#[test]
fn the_table_names_the_flows_of_the_applications() {
    let scenario = quick_home();
    let mut simulation = Simulation::new(&scenario, &queue("chap", 35), 1);
    simulation.advance(scenario.measure_ns.end - MS);
    let known = simulation.column("flow").unwrap();
    for app in 0..3 {
        assert!(simulation.flows(app).all(|flow| known.contains(&flow.into())), "{app}: {known:?}");
    }
    assert_eq!(simulation.column("credit").unwrap().len(), known.len());
    assert_eq!(simulation.column("nonesuch"), None);
}

/// Of TCP alone: what was acknowledged is no more than what arrived, and that of the trace; round trips are those of
/// the end that sends data.
#[test]
fn volumes_and_round_trips_are_those_of_tcp() {
    let scenario = quick_home();
    let params = queue("fifo", 35);
    let second = 1000 * MS;
    let quantities = [Quantity::Volume, Quantity::FlowVolumes, Quantity::Srtt, Quantity::Received];
    let mut probe = Probe::new(second, second..scenario.duration_ns + 1, &quantities);
    let trace = watch(Simulation::new(&scenario, &params, 1), scenario.duration_ns, &mut [&mut probe]);
    let [volumes, flows, round_trips, received] = [0, 1, 2, 3].map(|i| &probe.series()[i].values);
    let tcp: Vec<usize> = (0..scenario.apps.len()).filter(|app| !trace.apps[*app].acked.is_empty()).collect();
    assert_eq!(flows.len(), tcp.iter().map(|app| scenario.apps[*app].flows()).sum::<usize>());
    assert!(!tcp.is_empty() && tcp.len() < scenario.apps.len(), "some are, some are not");
    for (app, seen) in trace.apps.iter().enumerate() {
        let last = |values: &[Vec<Option<f64>>]| values[app].last().copied().flatten();
        if !tcp.contains(&app) {
            assert_eq!((last(volumes), last(round_trips)), (None, None), "{}", seen.name);
            continue;
        }
        let acked: f64 = seen.acked.iter().flatten().map(|bytes| f64::from(*bytes)).sum();
        assert_eq!(last(volumes), Some(acked), "{}", seen.name);
        assert!(acked > 1e6 && acked < last(received).unwrap(), "{}: {acked}", seen.name);
        // 35 places of 1500 bytes at some 25 Mb/s, and the way.
        let ms = round_trips[app].iter().flatten().fold(0.0f64, |most, s| most.max(s * 1e3));
        assert!((10.0..500.0).contains(&ms), "{}: {ms} ms", seen.name);
    }
    let deviation = trace.ap.deviation_packets.unwrap();
    assert!(deviation > 0.5 && deviation < 35.0, "{deviation}");
}

/// Several share a run, each with steps of its own, and what they see is what one alone sees. Columns go by the
/// names of the discipline's table, whichever it is.
#[test]
fn probes_share_a_run_and_know_columns_by_name() {
    let scenario = quick_home();
    let end = scenario.duration_ns;
    let busy = scenario.measure_ns.end - 1000 * MS..scenario.measure_ns.end;
    let mut told = Vec::new();
    for discipline in disciplines() {
        let params = queue(discipline.name(), 35);
        let columns: Vec<Quantity> = discipline.flow_columns().into_iter().map(Quantity::Column).collect();
        let probes = || {
            [
                Probe::new(3 * MS, busy.clone(), &columns),
                Probe::new(100 * MS, 0..end + 1, &[Quantity::Received, Quantity::Queue]),
                Probe::new(7 * MS, busy.clone(), &[]),
            ]
        };
        let (mut alone, mut shared) = (probes(), probes());
        let run_of = |observers: &mut [&mut dyn Observer]| {
            watch(Simulation::new(&scenario, &params, 1), end, observers)
        };
        let prints: Vec<u64> = alone.iter_mut().map(|probe| run_of(&mut [probe]).fingerprint).collect();
        let [first, second, third] = &mut shared;
        let trace = run_of(&mut [first, second, third]);
        assert_eq!(prints, [trace.fingerprint; 3], "{}", discipline.name());
        assert_eq!(trace.fingerprint, run(&scenario, &params, 1).fingerprint, "looking changes nothing");
        for (alone, shared) in alone.iter().zip(&shared) {
            assert_eq!((alone.at_ns(), alone.series()), (shared.at_ns(), shared.series()));
        }
        assert_eq!(shared[1].at_ns().len() as u64, end / (100 * MS) + 1, "the end is looked at, too");
        assert!(shared[2].at_ns().is_empty(), "nothing to note, nothing to look at");
        for series in shared[0].series() {
            assert_eq!(shared[0].at_ns().len(), 334);
            let Quantity::Column(column) = series.quantity else { panic!("{series:?}") };
            assert_eq!(Quantity::named(column.name, discipline), Some(series.quantity));
            // The download's flow is known all the time, and its queue is never empty for long.
            let known: Vec<f64> = series.values[2].iter().flatten().copied().collect();
            assert!(known.len() > 300, "{}: {}", column.name, known.len());
            told.push((discipline.name(), column.name, known.into_iter().fold(f64::MIN, f64::max)));
        }
    }
    let of =
        |name: &str| told.iter().find(|(discipline, ..)| *discipline == name).map(|told| (told.1, told.2));
    // Half of the credit of a flow alone; CoDel keeps waits near its target, and 35 packets below 30 ms.
    assert!(
        of("chap").is_some_and(|(name, most)| name == "credit" && most > 0.0 && most <= 0.05),
        "{told:?}"
    );
    assert!(
        of("fq_codel").is_some_and(|(name, most)| name == "sojourn" && (0.001..0.05).contains(&most)),
        "{told:?}"
    );
    assert_eq!(of("fifo"), None);
}

/// With `uplink` on, the ACKs that a download's client sends are charged to the
/// download itself: no other flow appears, and the difference is their airtime.
#[test]
fn uplink_frames_are_charged_to_their_own_flow() {
    let mut scenario = quick_home();
    scenario.apps.retain(|app| app.name == "download");
    let charged = |uplink: &str| {
        let mut params = queue("chap", 35);
        params.set("uplink", uplink).expect("on or off");
        let mut simulation = Simulation::new(&scenario, &params, 1);
        simulation.advance(scenario.measure_ns.end - MS);
        let air = simulation.air();
        let charges = simulation.column("airtime").expect("a column of chap");
        assert_eq!(charges.len(), 1, "one flow");
        (charges[0] as u64, air.up_ns)
    };
    let ((with, up_ns), (without, _)) = (charged("on"), charged("off"));
    let difference = with - without;
    assert!(up_ns > 500 * MS);
    // Collisions are in the charge and not in up_ns; the SYN came before its flow.
    assert!(difference > up_ns && difference < up_ns * 3 / 2, "{difference} ns for {up_ns} ns on the air");
}

/// What a classifier sees of each packet, in the order in which the queue gave them.
#[test]
fn a_discipline_is_told_of_ports() {
    let mut simulation = Simulation::new(&quick_home(), &queue("told", 1000), 1);
    simulation.watch_air(true);
    let mut sent = Vec::new();
    for step in 1..=200 {
        simulation.advance(step * 100 * MS);
        for frame in simulation.frames().filter(|frame| frame.down && frame.attempt == 1) {
            if let Content::Packet(packet) = frame.content {
                let (tuple, protocol) = (packet.tuple, packet.tuple.protocol as i64);
                sent.push([1, protocol, 0, tuple.source.1.into(), tuple.destination.1.into()]);
            }
        }
    }
    let columns = ["ip", "protocol", "dscp", "sport", "dport"];
    let [ip, protocol, dscp, sport, dport] = columns.map(|name| simulation.column(name).expect("it is told"));
    let told: Vec<[i64; 5]> =
        (0..ip.len()).map(|i| [ip[i], protocol[i], dscp[i], sport[i], dport[i]]).collect();
    assert_eq!(told.len(), 64);
    assert_eq!(told, sent[..64]);
}
