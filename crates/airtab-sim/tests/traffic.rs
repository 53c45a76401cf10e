//! What applications send, seen in whole runs.

mod common;

use airtab_sim::traffic::udp::Gaps;
use airtab_sim::wifi::{CellConfig, Loss};
use airtab_sim::{App, AppKind, Scenario, Wired, run};
use common::{MS, S, phy, queue, station};

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
        latency_ns: MS,
    };
    Scenario {
        name: "traffic".into(),
        duration_ns: 100 * S,
        measure_ns: 10 * S..90 * S,
        cell,
        wired: Wired::default(),
        stations: (0..kinds.len()).map(|i| station(&format!("sta{i}"), 54_000, 1.0)).collect(),
        apps: kinds.iter().enumerate().map(app).collect(),
    }
}

fn udp(rate_bps: u64, gaps: Gaps) -> AppKind {
    AppKind::Udp { rate_bps, bytes: 1500, gaps }
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
