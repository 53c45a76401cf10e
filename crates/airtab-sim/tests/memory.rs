// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What an application costs in memory.
#![allow(unsafe_code)] // a global allocator that counts

#[path = "it/common/mod.rs"]
mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use airtab_sim::traffic::Http;
use airtab_sim::wifi::{Loss, MediumConfig, WireConfig};
use airtab_sim::{Access, App, Latency, Scenario, Server, Servers, Simulation, Users, Wired};
use common::{S, home, other_home, queue, study_home, whole_home};

struct Counting;

/// Bytes that are allocated.
static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands every call to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test at a time counts.
fn alone() -> impl Drop {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of a simulation at `at`.
fn held(scenario: &Scenario, at: u64) -> usize {
    let before = HELD.load(Ordering::Relaxed);
    let mut simulation = Simulation::new(scenario, &queue("fifo", 35), 1);
    simulation.advance(at);
    let held = HELD.load(Ordering::Relaxed) - before;
    drop(simulation);
    held
}

/// Of every kind at least one.
fn every_app() -> impl Iterator<Item = App> {
    // Of a course that begins later nothing is sent while these tests look; the other home has a stream.
    let study = study_home().apps.into_iter().filter(|app| app.kind.name() != "udp");
    whole_home().apps.into_iter().chain(other_home().apps).chain(study)
}

/// An application takes less than 33 kB when it has worked, and less than 11 before: its wires, its meter and a flow,
/// with records of 60 seconds, of a second of packets, of 4 s of video and, 2 kB, of the round trips that its TCP measured. Further flows take less than 4 kB each.
#[test]
fn an_application_takes_less_than_33_kb() {
    let _alone = alone();
    for app in every_app() {
        let copies = |count: usize| Scenario {
            duration_ns: 60 * S,
            measure_ns: 51 * S..52 * S,
            apps: (0..count)
                .map(|i| App { name: format!("{i}"), station: 0, active_ns: 50 * S..54 * S, ..app.clone() })
                .collect(),
            ..home()
        };
        let of_one = |at| (held(&copies(12), at) - held(&copies(4), at)) / 8;
        let (kind, further) = (app.kind.name(), 4_000 * (usize::from(app.kind.flows()) - 1));
        let (idle, busy) = (of_one(0), of_one(60 * S));
        assert!((3_000..11_000 + further).contains(&idle), "{kind}: {idle} bytes");
        assert!((idle + 1_000..33_000 + further).contains(&busy), "{kind}: {busy} bytes");
    }
}

/// A crowd for a day makes room for no more records than one user for hours: 10,000 users take less than 20 kB each
/// before they begin, whatever they do.
#[test]
fn a_crowd_makes_no_room_for_a_day() {
    let _alone = alone();
    for app in every_app().filter(|app| app.kind.flows() == 1) {
        let day = 86_400 * S;
        let kind = app.kind.name();
        let users = Users::at_one(10_000, S);
        let app = App { station: 0, active_ns: S..day, users, ..app };
        let crowd = Scenario { duration_ns: day, measure_ns: S..day, apps: vec![app], ..home() };
        let each = held(&crowd, 0) / 10_000;
        assert!((1_000..20_000).contains(&each), "{kind}: {each} bytes");
    }
}

/// A browser that thinks takes at most 256 bytes beside the records of its pages (40 bytes each), and a connection that is or was
/// open less than 3 KB: both ends of it and the flow; with a server of its own, which has two wires, less than 4.
#[test]
fn a_browser_takes_little_and_a_connection_not_much() {
    let _alone = alone();
    let study = study_home();
    let http = study.apps.iter().find(|app| app.kind.name() == "http").expect("there is one").clone();
    let server = |name: &str| {
        let access = Access { rate_bps: 100_000_000, latency: Latency::both(S / 1000), hop: 0 };
        Server { name: name.into(), access }
    };
    let of = |browsers: u16, connections: u16, shared: bool, at: u64| {
        // Each browser opens a page within some seconds, and every connection is used.
        let kind = Http { browsers, connections, think_ns: 2 * S, ..Http::STUDY }.into();
        let servers = if shared { Servers::Shared(0) } else { http.servers };
        let app = App { kind, servers, active_ns: S..6 * S, ..http.clone() };
        let servers = vec![server("one")];
        held(
            &Scenario {
                duration_ns: 60 * S,
                measure_ns: S..2 * S,
                servers,
                apps: vec![app],
                ..study.clone()
            },
            at,
        )
    };
    let records = 40 * 3; // 5 s by 2 s, and one
    let idle = [0, S + 1000].map(|at| (of(9000, 100, true, at) - of(1000, 100, true, at)) / 8000 - records);
    let [shared, own] =
        [true, false].map(|shared| (of(500, 1300, shared, 5 * S) - of(500, 300, shared, 5 * S)) / 1000);
    println!("a browser: {idle:?} bytes, a connection: {shared} bytes, with its server {own}");
    assert!(idle.iter().all(|bytes| *bytes <= 256), "{idle:?} bytes");
    assert!(shared < 3 << 10 && own < 4 << 10, "{shared} and {own} bytes");
}

/// Flow numbers are of 16 bits, and so is the number of a flow's connection: four browsers whose only connection is opened more
/// than 65,536 times, over a dumbbell. Each object comes, every packet is in the books, and in the
/// second half no memory is taken but the records of pages.
#[test]
fn flow_numbers_are_used_again() {
    let _alone = alone();
    const GIGABIT: u64 = 1_000_000_000;
    const END: u64 = 8 * S;
    let study = study_home();
    let http = study.apps.iter().find(|app| app.kind.name() == "http").expect("there is one").clone();
    let kind = Http {
        browsers: 4,
        connections: 1,
        think_ns: 1000,
        objects_ppm: 1_000_000,
        median_bytes: 500,
        sigma_ppm: 0,
        ..Http::STUDY
    };
    let near = Latency::both(10_000);
    let access = Access { rate_bps: GIGABIT, latency: near, hop: 0 };
    let mut stations = study.stations[..1].to_vec();
    stations[0].loss = Loss::None;
    let app = App { kind: kind.into(), station: 0, servers: Servers::Shared(0), active_ns: 0..END, ..http };
    let scenario = Scenario {
        duration_ns: END,
        measure_ns: 0..END,
        medium: MediumConfig::Wire(WireConfig { rate_bps: GIGABIT, overhead: 38 }),
        wired: Wired { rate_bps: GIGABIT, trunk: near, ..Wired::default() },
        servers: vec![Server { name: "one".into(), access }],
        stations,
        apps: vec![app],
        ..study
    };
    let mut simulation = Simulation::new(&scenario, &queue("cbt", 240), 1);
    assert_eq!(simulation.flows(0).count(), 1, "one flow number");
    // Every eighth of a second of the second half.
    let held = (0..=32).map(|i| {
        simulation.advance(END / 2 + i * END / 64);
        HELD.load(Ordering::Relaxed) as i64
    });
    let held: Vec<i64> = held.collect();
    // But for the one step at which the list of pages makes room for twice as many.
    let mut steps: Vec<i64> = held.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    let twice = steps.pop();
    let more: i64 = steps.iter().sum();
    let trace = simulation.finish();
    let app = &trace.apps[0];
    let pages = [END / 2, END].map(|at| app.pages.iter().filter(|page| page.done_ns <= at).count());
    println!("{pages:?} connections, {twice:?} bytes at once and {more} more");
    assert!(pages[1] > 66_000 && pages[1] - pages[0] > 30_000, "{pages:?} connections");
    assert!(more.abs() < 16 << 10, "{more} bytes more after {pages:?} connections");
    assert!(app.pages.iter().all(|page| page.bytes == 750), "an object of 500 bytes, and its header");
    for (way, path) in [&app.down, &app.up].into_iter().zip(&app.paths) {
        assert_eq!(way.sent, way.received + way.under_way + path.lost.iter().sum::<u64>());
        // Handshake, object and acknowledgements of each connection.
        assert!(way.sent >= 2 * pages[1] as u64, "{} packets", way.sent);
    }
}
