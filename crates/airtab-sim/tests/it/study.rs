// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The traffic of the CBT study alone, in whole runs: what it loads a link with (M. Parris, "Class-Based Thresholds", UNC
//! 2001, A.3.4, E39 and E41 of its runs), with its TCP and its round trips.

use crate::common;

use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::{Download, Http};
use airtab_sim::wifi::CellConfig;
use airtab_sim::{App, AppKind, AppTrace, Latency, Scenario, Servers, Users, Wired, run};
use common::{MS, S, home, phy, queue, station};

/// Ethernet's header, which the study's monitor counts, bytes.
const ETHERNET: f64 = 14.0;

/// Applications at one station, behind a wire of that rate with a queue of so many packets: a cell that is faster than
/// either of the study's links. Each with the way of its acknowledgements, ms.
fn alone(
    kinds: &[(AppKind, u32, u64)],
    rate_bps: u64,
    packets: usize,
    measured: std::ops::Range<u64>,
) -> Scenario {
    let mut home = home();
    let cell = CellConfig::new(phy("std-11ac"));
    let top = cell.phy.rate(&airtab_core::RateSpec { mcs: 8, streams: Some(2), ..Default::default() });
    let of = |(i, (kind, users, up_ms)): (usize, &(AppKind, u32, u64))| App {
        name: format!("{}{i}", kind.name()),
        kind: kind.clone(),
        station: 0,
        active_ns: 0..measured.end,
        users: Users::at_one(*users, 0),
        servers: Servers::Own(Latency { down_ns: MS, up_ns: up_ms * MS }),
        ..home.apps[0].clone()
    };
    let apps = kinds.iter().enumerate().map(of).collect();
    home.stations = vec![station("a", 54_000, 1.0)];
    home.stations[0].speed = top.expect("a rate of it").into();
    home.stations[0].loss = airtab_sim::wifi::Loss::None;
    Scenario {
        duration_ns: measured.end,
        measure_ns: measured,
        medium: cell.into(),
        wired: Wired { rate_bps, trunk: Latency::both(MS / 2), queue_packets: packets, hops: 0 },
        tcp: Config::bsd44(),
        apps,
        ..home
    }
}

/// What servers sent in the measured time: packets, and bytes of Ethernet frames a second.
fn load(apps: &[AppTrace]) -> (f64, f64) {
    let (mut packets, mut bytes, mut seconds) = (0.0, 0.0, 0.0);
    for app in apps {
        let (from, until) = (app.measure_ns.start / S, app.measure_ns.end / S);
        seconds = (until - from) as f64;
        packets += app.down.sent as f64;
        bytes += app.seconds[from as usize..until as usize].iter().map(|s| s.sent_bytes as f64).sum::<f64>();
    }
    (packets / seconds, (bytes + ETHERNET * packets) / seconds)
}

/// 3000 browsers are 1.1 MB/s on 100 Mb/s, in frames of 1053 to 1100 bytes, and 500 and 1500 their part of it.
#[test]
fn browsers_load_a_link_by_their_number() {
    let of = |browsers: u16| {
        let crowd = Http { browsers, connections: 1500, ..Http::STUDY };
        // The mean of the study's ways, 55.6 ms.
        let alone = alone(&[(crowd.into(), 1, 55)], 100_000_000, 1000, 120 * S..420 * S);
        let trace = run(&alone, &queue("fifo", 1000), 1);
        let pages = trace.apps[0].pages.iter().filter(|page| page.requested_ns > 120 * S).count();
        let (packets, bytes) = load(&trace.apps);
        println!(
            "{browsers}: {bytes:.0} bytes/s, {packets:.0} packets/s, {pages} pages, {:?}",
            trace.apps[0].tcp[0]
        );
        assert_eq!(trace.ap.wired_dropped, 0);
        (packets, bytes)
    };
    let (packets, bytes) = of(3000);
    assert!((bytes / 1.10e6 - 1.0).abs() < 0.03, "{bytes} bytes/s");
    assert!((1053.0..1100.0).contains(&(bytes / packets)), "{} bytes a frame", bytes / packets);
    for browsers in [500, 1500] {
        let part = of(browsers).1 / f64::from(browsers) / (bytes / 3000.0);
        // 10,000 objects for 500 browsers: a standard error of 2.2 %, with the 3000's of 0.9.
        assert!((part - 1.0).abs() < 0.06, "{browsers}: {part} of a browser's");
    }
}

/// The study's delays of acknowledgements by source and sink, ms (table A.1).
const DELAYS: [[u64; 6]; 5] = [
    [15, 0, 14, 60, 98, 30],
    [30, 15, 28, 112, 42, 50],
    [10, 45, 80, 84, 154, 60],
    [73, 126, 30, 70, 56, 70],
    [40, 5, 96, 15, 49, 110],
];

/// 360 downloads of 16 KB windows, twelve by pair of source and sink, offer 10 Mb/s of Ethernet 1.5 MB/s: more than it carries.
#[test]
fn bulk_transfers_offer_more_than_the_link_carries() {
    let download = AppKind::from(Download::endless(Algorithm::Reno));
    let all: Vec<_> = DELAYS.as_flattened().iter().map(|ms| (download.clone(), 12, *ms)).collect();
    // 38 bytes of each frame are no IP packet's.
    let alone = alone(&all, 10_000_000 * 1500 / 1538, 60, 30 * S..90 * S);
    assert_eq!(alone.apps.iter().map(|app| app.users.count).sum::<u32>(), 360);
    let trace = run(&alone, &queue("fifo", 1000), 1);
    let (packets, bytes) = load(&trace.apps);
    let sent: u64 = trace.apps.iter().map(|app| app.down.bytes).sum();
    println!("{bytes:.0} bytes/s in {packets:.0} packets/s, {:.0} arrive", sent as f64 / 60.0);
    assert!((bytes / 1.5e6 - 1.0).abs() < 0.08, "{bytes} bytes/s");
    assert!(sent as f64 / 60.0 > 1.15e6, "the link is full");
}
