// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What meters count where disciplines are on wires, too.

use airtab_core::time::{MS, SECOND as S};
use airtab_core::{Discipline, Phy};

use super::*;
use crate::scenario::{Latency, Station, Users, Wired};
use crate::tcp::Algorithm;
use crate::trace::AppTrace;
use crate::traffic::{AppKind, Download, Game, P2p, Upload};
use crate::wifi::{Category, CellConfig, Loss};

/// A game, a download and an upload on a station each.
fn home() -> Scenario {
    let congestion = Algorithm::Cubic;
    let kinds: [AppKind; 3] =
        [Game.into(), Download::endless(congestion).into(), Upload::endless(congestion).into()];
    let app = |(station, kind): (usize, AppKind)| App {
        name: kind.name().into(),
        kind,
        users: Users::ONE,
        station,
        active_ns: 0..3 * S,
        measure_ns: None,
        class: 0,
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
        name: "home".into(),
        duration_ns: 3 * S,
        measure_ns: S..3 * S,
        medium: CellConfig::new(Phy::named("phy-a").expect("a profile of the core")).into(),
        wired: Wired::default(),
        servers: Vec::new(),
        stations: ["console", "laptop", "phone"]
            .map(|name| Station {
                name: name.into(),
                speed: 54_000.into(),
                loss: Loss::None,
                uplink: None,
                asleep: None,
                walk: None,
                access: None,
            })
            .to_vec(),
        apps: kinds.into_iter().enumerate().map(app).collect(),
        tcp: Config::home(),
        scored: Default::default(),
        windows: Vec::new(),
        changes: Vec::new(),
    }
}

/// A wire that asks a FIFO is as good as one that drops the tail, and neither its queue nor its time is
/// the access point's.
#[test]
fn what_disciplines_on_wires_do_is_not_the_access_points() {
    let scenario = home();
    let fifo = |limit: usize| {
        let mut params = Params::new(Discipline::named("fifo").expect("registered"));
        params.set("limit", &limit.to_string()).expect("in range");
        params
    };
    let plain = run(&scenario, &fifo(35), 1);
    let (access, _) = scenario.access_links(App::flows);
    let (home, topology) = Home::new(&scenario, access, &fifo(35)).expect("it is right");
    let topology = topology.with_disciplines(&fifo(scenario.wired.queue_packets));
    let mut queued = Simulation::over(&scenario, (home, topology), &fifo(35), 1);
    queued.advance(scenario.duration_ns);
    assert!((0..8).all(|wire| queued.world.wire_queue(wire).is_some()));
    let queued = queued.finish();
    for (app, expected) in queued.apps.iter().zip(&plain.apps) {
        assert!(app.down.received > 0 && app.up.received > 0, "{}", app.name);
        assert_eq!(format!("{app:?}"), format!("{expected:?}"));
    }
    assert_eq!(queued.ap.mean_packets, plain.ap.mean_packets);
    assert_eq!(queued.fingerprint, plain.fingerprint);
}

/// What packets did on each part of their way is all of what they did, and each part is in its place: wires are
/// known, a game that is alone at its station waits for nobody there, an upload waits for itself.
#[test]
fn parts_of_the_way_are_all_of_it() {
    let mut fifo = Params::new(Discipline::named("fifo").expect("registered"));
    fifo.set("limit", "35").expect("in range");
    let trace = run(&home(), &fifo, 1);
    for app in &trace.apps {
        for (path, stream) in app.paths.iter().zip([&app.down, &app.up]) {
            assert!(path.arrived > 20, "{}", app.name);
            assert_eq!(path.arrived, stream.received);
            assert_eq!(stream.delay_ns.len() + stream.deliveries.len() as u64, stream.received);
            let lost: u64 = path.lost.iter().sum();
            assert_eq!(path.arrived + lost + stream.under_way, stream.sent, "{}", app.name);
            let mean = path.total.sum_ns() as f64 / path.arrived as f64;
            let known = stream.delay_ns.mean() / mean;
            assert!(!stream.deliveries.is_empty() || (known - 1.0).abs() < 1e-2, "{}: {known}", app.name);
            assert!(path.attempts >= path.frames && path.frames > 0);
        }
    }
    let [game, download, upload] = &trace.apps[..] else { panic!("three applications") };
    for (path, stream, bytes) in [(&game.paths[0], &game.down, 100), (&game.paths[1], &game.up, 72)] {
        let took = stream.deliveries.iter().map(|d| d.received_ns - d.sent_ns);
        assert_eq!(path.total.sum_ns(), took.clone().sum::<u64>());
        // The minimum of each part; they may be of different packets.
        let (least, fastest) = (path.least.sum_ns(), took.min().expect("packets"));
        assert!((fastest - 100_000..=fastest).contains(&least), "{least} {fastest}");
        // Two links of 100 Mb/s and 1 ms; others may be sending, no more than one full packet at the least.
        let empty = 2 * (MS + bytes * 80);
        assert!((empty..=empty + 120_000).contains(&path.least.wires_ns), "{:?}", path.least);
        let wires = path.total.wires_ns / path.arrived;
        assert!((empty..empty + 300_000).contains(&wires), "{wires}");
        assert!(path.total.channel_ns > path.arrived * 20_000, "a frame takes its time");
    }
    assert!(game.paths[1].total.queue_ns < game.paths[1].arrived * MS / 10, "alone at its station");
    let dequeued = |app: &AppTrace| app.queue.delay_ns.mean() * app.queue.delay_ns.len() as f64;
    for app in [game, download] {
        let share = app.paths[0].total.queue_ns as f64 / dequeued(app);
        assert!((0.98..1.02).contains(&share), "{}: {share}", app.name);
        assert!(app.paths[0].total.queue_ns > 2 * app.paths[0].total.channel_ns, "{}", app.name);
    }
    let own = upload.paths[1].total;
    assert!(own.queue_ns > 2 * (own.wires_ns + own.channel_ns), "{own:?}");
    let [wires, queue, channel] = download.paths[0].lost;
    assert!(queue > 20 && (wires, channel) == (0, 0), "TCP fills 35 places; nobody is far away");
}

/// Acknowledgements that `vfq` makes take no place in its queue: of uploads that lose some, what is held stays within the limits.
#[test]
fn made_acknowledgements_were_never_queued() {
    let mut scenario = home();
    scenario.tcp = Config::stz();
    scenario.apps.iter_mut().for_each(|app| app.kind = Upload::endless(Algorithm::NewReno).into());
    let mut params = Params::new(Discipline::named("vfq").expect("registered"));
    for (key, value) in [("profile", "faithful"), ("ack_burst", "1"), ("station_limit", "3")] {
        params.set(key, value).expect("in range");
    }
    let mut simulation = Simulation::new(&scenario, &params, 1);
    simulation.advance(scenario.duration_ns);
    assert!(simulation.world.pool().acks_made() > 100, "{}", simulation.world.pool().acks_made());
    let ap = simulation.finish().ap;
    assert!((0.0..=9.0).contains(&ap.mean_packets), "{}", ap.mean_packets);
    assert!(ap.deviation_packets.is_some_and(|packets| packets < 9.0), "{:?}", ap.deviation_packets);
}

/// Queues see one flow of UDP, whatever the tunnel carries; TCP is in it all the same.
#[test]
fn a_tunnel_hides_what_is_in_it() {
    let params = Params::new(Discipline::named("fifo").expect("registered"));
    let mut scenario = home();
    scenario.apps.truncate(1);
    scenario.apps[0].kind = P2p { flows: 5, congestion: Algorithm::Cubic, upload: false }.into();
    let seen = |scenario: &Scenario| {
        let simulation = Simulation::new(scenario, &params, 1);
        let seen = simulation.flows.iter().map(|flow| (flow.hash, flow.key(false).protocol, flow.is_open()));
        seen.collect::<std::collections::BTreeSet<_>>()
    };
    let open = seen(&scenario);
    assert!(open.len() == 5 && open.iter().all(|flow| (flow.1, flow.2) == (6, true)), "{open:?}");
    scenario.apps[0].tunnel = true;
    let hidden = seen(&scenario);
    assert!(hidden.len() == 1 && hidden.iter().all(|flow| (flow.1, flow.2) == (17, false)), "{hidden:?}");
    assert!(run(&scenario, &params, 1).apps[0].down.bytes > 1_000_000);
}

/// Disciplines see other flows behind another computer, and another sender of what goes up; the station is the same.
#[test]
fn a_computer_is_a_host_behind_its_station() {
    let params = Params::new(Discipline::named("fifo").expect("registered"));
    let mut scenario = home();
    let seen = |scenario: &Scenario| {
        let simulation = Simulation::new(scenario, &params, 1);
        let flow = &simulation.flows[0];
        (flow.station, flow.hash, flow.senders, flow.tuple(0).destination.0.octets()[1])
    };
    let [first, second] = [1, 2].map(|computer| {
        scenario.apps[0].computer = computer;
        seen(&scenario)
    });
    assert_eq!((first.0, first.2[0]), (second.0, second.2[0]));
    assert!(first.1 != second.1 && first.2[1] != second.2[1], "{first:?} {second:?}");
    assert_eq!((first.3, second.3), (0, 1));
}
