// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! When limits are computed anew, and that they come to the queues they are for.

use std::ops::Range;

use airtab_core::time::SECOND as S;
use airtab_core::{Discipline, Phy};

use super::*;
use crate::scenario::{App, Change, Changed, Latency, Station, Users, Wired};
use crate::shapes::Shape;
use crate::tcp::{Algorithm, Config};
use crate::traffic::AppKind;
use crate::traffic::{Download, Upload};
use crate::wifi::{Category, CellConfig, Loss, MediumConfig};

fn queue(text: &str) -> Params {
    let mut parts = text.split(':');
    let discipline = parts.next().and_then(Discipline::named).expect("registered");
    let mut params = Params::new(discipline);
    for (key, value) in parts.filter_map(|part| part.split_once('=')) {
        params.set(key, value).expect("in range");
    }
    params
}

fn app(name: &str, kind: impl Into<AppKind>, class: u8, (from, to): (u16, usize), active: Range<u64>) -> App {
    App {
        name: name.into(),
        kind: kind.into(),
        users: Users::ONE,
        station: to,
        active_ns: active.start * S..active.end * S,
        measure_ns: None,
        class,
        servers: Servers::Behind(from, Latency::both(0)),
        access: Category::default(),
        computer: 1,
        tunnel: false,
        arrivals: false,
        phase_ns: None,
        requirement: None,
        tcp: None,
    }
}

fn download() -> Download {
    Download::endless(Algorithm::NewReno)
}

/// A mesh by name at 11 Mb/s whose controller is as the study has it.
fn scenario(shape: &str, apps: Vec<App>, seconds: u64) -> Scenario {
    let Shape { names, places, ranges } = Shape::named(shape).expect("it has a name");
    let cell = CellConfig::new(Phy::named("dnb-11b").expect("a profile of the core"));
    let mut mesh = MeshConfig::new(cell, &places, &ranges, None, 11_000);
    mesh.dnb = Some(DnbConfig::new(&mesh.cell.phy));
    let node = |name: String| Station {
        name,
        speed: 11_000.into(),
        loss: Loss::None,
        uplink: None,
        asleep: None,
        walk: None,
        access: None,
    };
    Scenario {
        name: shape.into(),
        duration_ns: seconds * S,
        measure_ns: S..seconds * S,
        medium: MediumConfig::Mesh(Box::new(mesh)),
        wired: Wired { rate_bps: 1_000_000_000, trunk: Latency::both(0), ..Wired::default() },
        servers: Vec::new(),
        stations: names.into_iter().map(node).collect(),
        apps,
        tcp: Config { ack_every: 1, ..Config::home() },
        scored: Default::default(),
        windows: Vec::new(),
        changes: Vec::new(),
    }
}

/// Limits of a class in the queues of all nodes: an overflow of each shows its limit in the discipline's table, else it is
/// what the queue was set to last.
fn limits(simulation: &Simulation, class: usize) -> Vec<u64> {
    let queues = simulation.world.medium(0).queues();
    queues.map(|queue| queue.params().get("limits").map_or(0, |all| all[class.min(all.len() - 1)])).collect()
}

/// A saturated chain of four hops: after the first look its nodes that send data hold 2, 2, 3, 3, and the last one, which
/// sends acknowledgements alone, what it had. The discipline itself says so.
#[test]
fn limits_reach_the_queues() {
    let own = scenario("chain-4", vec![app("tcp", download(), 0, (0, 4), 0..4)], 4);
    let mut run = Simulation::new(&own, &queue("dnb:limits=50"), 1);
    run.advance(S - 1);
    assert_eq!(limits(&run, 0), [50; 5]);
    run.advance(S);
    assert_eq!(limits(&run, 0), [2, 2, 3, 3, 50]);
    assert_eq!(limits(&run, 1), [50; 5], "no flow is of class 1");
    run.advance(4 * S);
    assert_eq!(limits(&run, 0), [2, 2, 3, 3, 50]);
    let rows = |node| {
        let queue = run.world.medium(0).queues().nth(node).expect("each node has one");
        queue.rows(run.world.pool(), run.now)
    };
    // The columns of the first row: class, packets, bytes, limit, refused.
    assert_eq!((rows(0)[0][0], rows(0)[0][3]), (0, 2));
    assert!(rows(0)[0][4] > 0, "the source's window meets it");
    assert!(run.packets().balanced());
}

/// An upload's data goes the other way; a node under another discipline is left alone.
#[test]
fn the_source_is_where_data_begins() {
    let mut own =
        scenario("chain-4", vec![app("tcp", Upload::endless(Algorithm::NewReno), 0, (0, 4), 0..3)], 3);
    own.stations[2].uplink = Some(queue("fifo:limit=9"));
    own.stations[1].uplink = Some(queue("dnb:limits=7,8"));
    let mut run = Simulation::new(&own, &queue("dnb:limits=50"), 1);
    run.advance(2 * S);
    assert_eq!(limits(&run, 0), [50, 3, 0, 2, 2]);
    assert_eq!(limits(&run, 1), [50, 8, 0, 50, 50]);
    let fifo = run.world.medium(0).queues().nth(2).expect("it has one");
    assert_eq!(fifo.params().get("limit"), Some(&[9][..]));
}

/// Flows of classes of their own, one class together, one flow that comes and one that goes. It is gone when two looks
/// saw none of its packets.
#[test]
fn flows_come_and_go() {
    let apps = vec![
        app("first", download(), 0, (4, 0), 0..9),
        app("second", download(), 1, (3, 0), 2..5),
        app("third", download(), 1, (2, 0), 2..5),
    ];
    let own = scenario("chain-4", apps, 9);
    let mut run = Simulation::new(&own, &queue("dnb:limits=40"), 1);
    run.advance(S);
    assert_eq!((limits(&run, 0), limits(&run, 1)), (vec![40, 3, 3, 2, 2], vec![40; 5]));
    // At 3 s both of class 1 are there: 2, 3, 3 from node 3 on and 2, 3 from node 2 on.
    run.advance(3 * S);
    assert_eq!((limits(&run, 0), limits(&run, 1)), (vec![40, 3, 3, 2, 2], vec![40, 6, 5, 2, 40]));
    // Their last packets came before the look at 5 s, or just after it.
    run.advance(5 * S);
    assert_eq!(limits(&run, 1), [40, 6, 5, 2, 40]);
    run.advance(8 * S);
    assert_eq!((limits(&run, 0), limits(&run, 1)), (vec![40, 3, 3, 2, 2], vec![40; 5]));
}

/// A controller alone, whose looks are told.
fn alone() -> (Controller, Vec<NodeAir>) {
    let own = scenario("chain-4", vec![app("tcp", download(), 0, (0, 4), 0..9)], 9);
    let controller = Controller::new(&own, &queue("dnb")).expect("it has one");
    (controller, vec![NodeAir::default(); 5])
}

/// A rate that differs by more than a tenth counts when two looks in a row find it, and one that differs by less never.
#[test]
fn rates_that_stay_count() {
    let (mut own, air) = alone();
    let mut at = 0;
    let mut look = |own: &mut Controller, kbps: [u32; 4]| {
        at += S;
        own.saw(0, false);
        own.look(&air, &kbps.map(Rate::legacy), at)
    };
    let limits = |own: &Controller| own.plan.as_ref().map(|plan| plan.flows[0].packets);
    let usual = [11_000; 4];
    assert!(look(&mut own, usual), "a flow came");
    assert_eq!(limits(&own), Some(10));
    assert!(!look(&mut own, usual));
    let slower = [11_000, 11_000, 5_500, 11_000];
    assert!(!look(&mut own, slower), "once");
    assert!(!look(&mut own, usual), "not in a row");
    assert!(!look(&mut own, slower));
    assert!(look(&mut own, slower), "twice in a row");
    // 3 x 2680.7 + 3873.5 us at 5.5 Mb/s.
    assert_eq!(limits(&own), Some(6));
    assert!(!look(&mut own, slower), "that is what was computed with");
    let tenth = [11_000, 11_000, 6_000, 11_000];
    assert!(!look(&mut own, tenth) && !look(&mut own, tenth) && !look(&mut own, tenth), "9 % are no change");
    // The fastest link of four decides nothing.
    let faster = [54_000, 11_000, 5_500, 11_000];
    assert!(!look(&mut own, faster) && !look(&mut own, faster));
}

/// What nobody sends for two looks in a row is gone, and what comes again in time was never away.
#[test]
fn silence_is_no_departure_at_once() {
    let (mut own, air) = alone();
    let rates = [Rate::legacy(11_000); 4];
    let mut at = 0;
    let mut look = |own: &mut Controller| {
        at += S;
        own.look(&air, &rates, at)
    };
    assert!(!look(&mut own), "nobody is there");
    own.saw(0, false);
    assert!(look(&mut own));
    assert_eq!(own.planned, [(0, 0)]);
    assert!(!look(&mut own), "silent once");
    own.saw(0, false);
    assert!(!look(&mut own) && !look(&mut own));
    assert!(look(&mut own), "silent twice");
    assert_eq!(own.planned, []);
    assert_eq!(own.params(0).expect("it is dnb").get("limits").map(|all| all[0]), Some(10));
    own.saw(0, true);
    assert!(look(&mut own), "what goes back is a flow of its own");
    assert_eq!(own.planned, [(0, 1)]);
}

/// How busy the channel was follows from the time that a node had since the last look.
#[test]
fn the_channel_is_looked_at_by_what_passed() {
    let (mut own, mut air) = alone();
    let rates = [Rate::legacy(11_000); 4];
    air.iter_mut().for_each(|node| node.idle_ns = S);
    own.look(&air, &rates, S);
    air.iter_mut().for_each(|node| node.idle_ns = S + S / 20);
    own.saw(0, false);
    assert!(own.look(&air, &rates, 2 * S));
    let plan = own.plan.as_ref().expect("a flow is there");
    assert!(plan.domains.iter().all(|domain| (domain.utilisation - 0.95).abs() < 1e-9));
}

/// A link that becomes slow while it runs: limits follow at the second look after it, and not before.
#[test]
fn a_change_of_the_run_is_followed() {
    let mut own = scenario("chain-4", vec![app("tcp", download(), 0, (0, 4), 0..9)], 9);
    let change =
        |at_ns, kbps: u32| Change { at_ns, link: Changed::Link(0), speed: kbps.into(), loss: Loss::None };
    own.changes = vec![change(3 * S + S / 2, 1_000)];
    let mut run = Simulation::new(&own, &queue("dnb"), 1);
    run.advance(4 * S);
    assert_eq!(limits(&run, 0)[..4], [2, 2, 3, 3]);
    run.advance(5 * S);
    // B is 1.9 packets: one each.
    assert_eq!(limits(&run, 0)[..4], [1, 1, 1, 1]);
}
