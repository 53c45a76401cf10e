// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Stations with a discipline of their own, in whole runs.

use crate::common;

use airtab_core::{Discipline, Params};
use airtab_sim::tcp::Algorithm;
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::{Ping, Udp, Upload};
use airtab_sim::wifi::MediumConfig;
use airtab_sim::{AppKind, Delivery, Scenario, run};
use common::{MS, S, cell, other_home, phy, queue, quick, quick_home};

/// A laptop that uploads and pings, and another one that does the same; 33 s.
fn two_laptops() -> Scenario {
    let mut home = quick_home();
    home.stations.truncate(2);
    let upload = AppKind::Upload(Upload::endless(Algorithm::Cubic));
    let ping = AppKind::Ping(Ping { interval_ns: 20 * MS, bytes: 84 });
    let app = |name: &str, kind: &AppKind, station| {
        let (name, kind) = (name.into(), kind.clone());
        airtab_sim::App { name, kind, station, active_ns: 0..33 * S, ..home.apps[0].clone() }
    };
    home.apps =
        vec![app("a", &upload, 0), app("ping a", &ping, 0), app("b", &upload, 1), app("ping b", &ping, 1)];
    home
}

fn mean_ms(deliveries: &[Delivery]) -> f64 {
    let sum: u64 = deliveries.iter().map(|d| d.received_ns - d.sent_ns).sum();
    sum as f64 / deliveries.len() as f64 / 1e6
}

/// The core's FIFO at every station is the plain one, event by event.
#[test]
fn a_fifo_of_the_core_is_the_plain_fifo() {
    for mut home in [quick(other_home()), two_laptops()] {
        for limit in [3, 1000] {
            cell(&mut home).uplink_packets = limit;
            home.stations.iter_mut().for_each(|station| station.uplink = None);
            let plain = run(&home, &queue("chap", 35), 1);
            assert!(limit > 3 || plain.ap.uplink_dropped > 100, "{}", plain.ap.uplink_dropped);
            cell(&mut home).uplink_packets = 1;
            home.stations.iter_mut().for_each(|station| station.uplink = Some(queue("fifo", limit as u32)));
            let own = run(&home, &queue("chap", 35), 1);
            assert_eq!(own.fingerprint, plain.fingerprint);
            assert_eq!(format!("{:?}", own.apps), format!("{:?}", plain.apps));
            assert_eq!(own.ap.uplink_dropped, plain.ap.uplink_dropped);
        }
    }
}

/// Behind its own upload a ping waits as its station's queue says; the other station's queue is another one.
#[test]
fn each_station_has_its_own_discipline() {
    let mut home = two_laptops();
    for discipline in ["fq_codel", "chap"] {
        let own = Params::new(Discipline::named(discipline).expect("registered"));
        home.stations[0].uplink = Some(own);
        let trace = run(&home, &queue("fifo", 35), 1);
        let [a, b] = [1, 3].map(|app: usize| mean_ms(&trace.apps[app].up.deliveries));
        assert!(a < 10.0 && b > 100.0, "{discipline}: {a} and {b} ms");
        let [paths_a, paths_b] = [1, 3].map(|app: usize| trace.apps[app].paths[1]);
        let wait = |path: &airtab_sim::PathTrace| path.total.queue_ns as f64 / path.arrived as f64 / 1e6;
        assert!(wait(&paths_a) < 5.0 && wait(&paths_b) > 100.0, "where they wait");
    }
}

/// What a discipline drops and serves last is its own: strict classes at one station.
#[test]
fn classes_are_strict_where_the_station_has_classes() {
    let mut home = two_laptops();
    let max = AppKind::Udp(Udp { rate: Rate::Max, bytes: 1500, gaps: Gaps::Constant, upload: true });
    for (app, class) in home.apps.iter_mut().zip([0, 1, 0, 1]) {
        (app.kind, app.class) = (max.clone(), class);
    }
    home.stations[0].uplink = Some(queue("spq", 10));
    let trace = run(&home, &queue("fifo", 35), 1);
    let received = trace.apps.iter().map(|app| app.up.received).collect::<Vec<_>>();
    assert!(received[0] > 10_000 && received[1] <= 2, "{received:?}");
    assert!(received[2].abs_diff(received[3]) <= 2, "no classes in a FIFO: {received:?}");
    assert_eq!(trace.ap.uplink_dropped, 0);
}

/// Where there is no uplink queue, and where a parameter is wrong, a run is refused.
#[test]
fn an_uplink_that_cannot_be_is_refused() {
    let mut home = two_laptops();
    home.stations[1].uplink = Some(queue("chap", 35));
    assert_eq!(home.check(), Ok(()));
    home.medium = MediumConfig::emulator(phy("d7.1"), 0);
    let said = home.check().expect_err("no queue");
    assert!(said.starts_with("station phone: uplink: the emulated link"), "{said}");
}
