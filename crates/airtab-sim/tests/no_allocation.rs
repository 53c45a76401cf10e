// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! In its steady state the simulator allocates nothing per event.
#![allow(unsafe_code)] // a global allocator that counts

#[path = "it/common/mod.rs"]
mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use airtab_core::{Phy, RateSpec};
use airtab_sim::traffic::trace::{Packet, Packets};
use airtab_sim::traffic::{Replay, Udp, udp::Rate};
use airtab_sim::wifi::{
    Aggregation, Ask, Candidate, CellConfig, DriverConfig, Edca, ErrorTable, GovernorConfig, Loss, Mean,
    MediumConfig, Outcome, RateAlgorithm, RateControl, Signal, Snr, Speed, WireConfig,
};
use airtab_sim::{App, AppKind, Simulation};
use common::{MS, S, cell, disciplines, home, other_home, queue, study_home};

struct Counting;

thread_local! {
    /// By thread: the one that watches the tests says so when one of them takes long, and allocates for that.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn allocations() -> u64 {
    ALLOCATIONS.get()
}

// SAFETY: hands every call to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// 70 s of game, call and download, and of a UDP stream and a film: a quarter of a
/// million exchanges and a seventh of it, no allocation. One station of each has a discipline of its own; the
/// first also with a driver's ring and a governor.
#[test]
fn the_steady_state_allocates_nothing() {
    let mut film = other_home();
    // Under losses now and then a list of TCP's grows.
    film.apps.retain(|app| matches!(app.kind, AppKind::Udp(_) | AppKind::Streaming(_)));
    film.stations[0].uplink = Some(queue("chap", 35));
    let mut home = home();
    home.stations[1].uplink = Some(queue("fq_codel", 35));
    let mut governed = home.clone();
    cell(&mut governed).driver =
        DriverConfig { ring: 100, governor: Some(GovernorConfig::default()), ..DriverConfig::default() };
    governed.name = "governed".into();
    let mut study = study_home();
    study.apps.retain(|app| matches!(app.kind, AppKind::Proshare(_)));
    study.name = "study".into();
    // A capture of 0.7 s in the place of the call, again and again.
    let packet = |i: u32| Packet { at_ns: u64::from(i) * 7 * MS, bytes: 100 + i, up: i.is_multiple_of(3) };
    let packets = Packets::new((0..100).map(packet).collect()).expect("packets");
    let mut capture = home.clone();
    capture.apps.truncate(2);
    capture.apps[1].kind = Replay { rounds: None, ..Replay::once(packets) }.into();
    capture.name = "capture".into();
    for (scenario, least) in
        [(home, 140_000), (film, 20_000), (governed, 140_000), (study, 2_400), (capture, 13_000)]
    {
        for discipline in disciplines() {
            let mut simulation = Simulation::new(&scenario, &queue(discipline, 35), 1);
            simulation.advance(180 * S); // past the first losses: lists of TCP grow with them
            let (before, packets) = (allocations(), simulation.packets().made);
            simulation.advance(250 * S);
            let made = allocations() - before;
            assert!(simulation.packets().made - packets > least);
            assert_eq!(made, 0, "{}: {discipline}", scenario.name);
        }
    }
}

/// Four stations of 802.11ax on tones of their own, with losses: from when the longest aggregates have been.
#[test]
fn several_stations_at_once_allocate_nothing() {
    let mut home = other_home();
    let phy = Phy::named("std-11ax").expect("a profile of the core");
    let rate = phy.rate(&RateSpec { mcs: 7, ..RateSpec::default() }).expect("a rate of it");
    home.medium = CellConfig {
        aggregation: Some(Aggregation {
            frames: 64,
            bytes: phy.ampdu_bytes(),
            time_ns: 4_000_000,
            window: phy.window(),
            amsdu_bytes: 0,
            bar: false,
        }),
        edca: Edca::Ieee2012,
        ofdma: Some(4),
        // As long as a list of the driver is from the start; a longer one grows up to its longest backlog.
        driver: DriverConfig { ring: 64, ..DriverConfig::default() },
        ..CellConfig::new(phy)
    }
    .into();
    home.wired.rate_bps = 1_000_000_000;
    let stream = home.apps[0].clone();
    home.apps.clear();
    for (station, of) in home.stations.iter_mut().enumerate() {
        (of.speed, of.loss) = (Speed { rate, control: RateAlgorithm::Fixed }, Loss::Fer(0.1));
        let AppKind::Udp(udp) = &stream.kind else { unreachable!("the first is a stream") };
        let kind = AppKind::Udp(Udp { rate: Rate::Mean(60_000_000), ..*udp });
        home.apps.push(App { name: of.name.clone(), kind, station, ..stream.clone() });
    }
    for discipline in disciplines() {
        let mut simulation = Simulation::new(&home, &queue(discipline, 1000), 1);
        simulation.advance(50 * S);
        simulation.watch_air(true);
        simulation.advance(51 * S);
        assert!(simulation.frames().any(|frame| frame.rate.ru() > 0), "{discipline}");
        simulation.watch_air(false);
        simulation.advance(60 * S);
        let (before, packets) = (allocations(), simulation.packets().made);
        simulation.advance(70 * S);
        let made = allocations() - before;
        assert!(simulation.packets().made - packets > 100_000, "{}", simulation.packets().made - packets);
        assert_eq!(made, 0, "{discipline}");
    }
}

/// Three TCP downloads in aggregates of 802.11ac, by minstrel, where the rates of the top are lost now and then: from when the
/// lists of TCP, of the driver and of the receivers have been as long as they get.
#[test]
fn downloads_in_aggregates_allocate_nothing() {
    downloads(1);
}

/// Three downloads as above, with aggregates that are built when their sender wins.
#[test]
fn downloads_in_late_aggregates_allocate_nothing() {
    downloads(0);
}

fn downloads(aggregates: usize) {
    let mut home = home();
    let phy = Phy::named("std-11ac").expect("a profile of the core");
    let rate = phy.rate(&RateSpec { mcs: 9, ..RateSpec::default() }).expect("a rate of it");
    let aggregation = Aggregation {
        frames: 64,
        bytes: phy.ampdu_bytes(),
        time_ns: 4_000_000,
        window: phy.window(),
        amsdu_bytes: 0,
        bar: false,
    };
    home.medium = CellConfig {
        aggregation: Some(aggregation),
        edca: Edca::Ieee2012,
        txop: true,
        driver: DriverConfig { ring: 128, aggregates, ..DriverConfig::default() },
        ..CellConfig::new(phy)
    }
    .into();
    home.wired.rate_bps = 1_000_000_000;
    let download = home.apps.swap_remove(2);
    home.apps.clear();
    for (station, of) in home.stations.iter_mut().enumerate() {
        of.speed = Speed { rate, control: RateAlgorithm::Minstrel };
        of.loss = Loss::Signal(Signal::steady(Mean::Distance(20.0)));
        home.apps.push(App { name: of.name.clone(), station, active_ns: 0..330 * S, ..download.clone() });
    }
    let simulation = Simulation::new(&home, &queue("fq_codel", 1000), 2);
    allocates_nothing(simulation, 60 * S..80 * S, 300_000);
}

/// In that part of its run it makes more packets than `least`, and allocates nothing for them.
fn allocates_nothing(mut simulation: Simulation, part: std::ops::Range<u64>, least: u64) {
    simulation.advance(part.start);
    let (before, packets) = (allocations(), simulation.packets().made);
    simulation.advance(part.end);
    let (allocated, made) = (allocations() - before, simulation.packets().made - packets);
    assert!(made > least, "{made} packets");
    assert_eq!(allocated, 0);
}

/// A narrow wire, and browsers behind it with the transport of the studies: from when its lists have grown.
#[test]
fn browsers_of_a_dumbbell_allocate_nothing() {
    let mut study = study_home();
    study.apps.retain(|app| matches!(app.kind, AppKind::Http(_)));
    study.medium = MediumConfig::Wire(WireConfig { rate_bps: 10_000_000, overhead: WireConfig::ETHERNET });
    study.stations.iter_mut().for_each(|station| station.loss = Loss::None);
    let simulation = Simulation::new(&study, &queue("fifo", 60), 1);
    allocates_nothing(simulation, 200 * S..300 * S, 40_000);
}

/// A link with shadows, from its first attempt on.
#[test]
fn rate_control_allocates_nothing() {
    let phy = Phy::named("std-11ax").expect("a profile of the core");
    let top = phy.rate(&RateSpec { mcs: 11, streams: Some(2), ..RateSpec::default() }).expect("a rate of it");
    let aggregation = Aggregation {
        frames: 256,
        bytes: 4_194_303,
        time_ns: 4_000_000,
        window: 256,
        amsdu_bytes: 0,
        bar: false,
    };
    let rates = Candidate::all(&phy, &top, Some(&aggregation), 110_500);
    let table = Arc::new(ErrorTable::new());
    for control in [
        RateControl::fixed(rates.clone(), 3),
        RateControl::ideal(rates.clone(), table.clone()),
        RateControl::aarf(rates.clone(), &table),
        RateControl::minstrel(rates.clone(), 1, "a"),
    ] {
        let signal = Signal { mean: Mean::Distance(20.0), deviation_db: 4.0, coherence_ns: 100_000_000 };
        let (mut control, mut snr) = (control, Snr::new(signal, 1, "a"));
        let before = allocations();
        let mut seen = 0;
        for now in (0..10_000).map(|ms| ms * 1_000_000) {
            let snr_db = snr.db(now);
            let choice = control.choose(&Ask { attempt: 1, mpdus: 100, snr_db, now });
            let of = &control.rates()[choice.rate];
            let lost = of.error_rate(&table, snr_db, 1538);
            seen += usize::from(lost < 1.0);
            let sent = choice.mpdus.min(100);
            let acked = f64::from(sent) * (1.0 - lost);
            control.result(&Outcome { rate: choice.rate, sent, acked: acked as u32, now });
        }
        assert_eq!(allocations() - before, 0);
        assert!(seen > 1000);
    }
}
