//! What meters count where disciplines are on wires, too.

use airtab_core::time::{MS, SECOND as S};
use airtab_core::{Discipline, Phy};

use super::*;
use crate::scenario::{Latency, Station, Users, Wired};
use crate::tcp::Algorithm;
use crate::traffic::{AppKind, Download, Game, Upload};
use crate::wifi::{CellConfig, Loss};

/// A game, a download and an upload on a station each.
fn home() -> Scenario {
    let congestion = Algorithm::Cubic;
    let kinds: [AppKind; 3] =
        [Game.into(), Download { congestion, reconnect_ns: None }.into(), Upload { congestion }.into()];
    let app = |(station, kind): (usize, AppKind)| App {
        name: kind.name().into(),
        kind,
        users: Users::ONE,
        station,
        active_ns: 0..3 * S,
        measure_ns: None,
        class: 0,
        servers: Servers::Own(Latency::both(MS)),
        phase_ns: None,
    };
    Scenario {
        name: "home".into(),
        duration_ns: 3 * S,
        measure_ns: S..3 * S,
        medium: CellConfig::new(Phy::named("phy-a").expect("a profile of the core")).into(),
        wired: Wired::default(),
        servers: Vec::new(),
        stations: ["console", "laptop", "phone"]
            .map(|name| Station { name: name.into(), rate_kbps: 54_000, loss: Loss::None })
            .to_vec(),
        apps: kinds.into_iter().enumerate().map(app).collect(),
        tcp: Config::home(),
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
    let mut queued = Simulation::over(&scenario, home, topology, 1);
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
