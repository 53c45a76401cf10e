// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! EDCA parameters that the access point announces: the stations have them, the access point does not. The expected
//! lengths and rates are computed by hand.

use crate::common;

use airtab_core::RateSpec;
use airtab_sim::wifi::{
    Aggregation, Attempt, Beacon, Category, CategoryChange, CellConfig, DriverConfig, Edca, FrameBody, Loss,
};
use common::{MS, S, Saturated, phy};

const NONE: CategoryChange = CategoryChange { aifsn: None, cw_min: None, cw_max: None, txop_ns: None };

/// HT20 MCS 7, aggregates of up to 4 ms.
fn config(aggregates: usize) -> CellConfig {
    let phy = phy("std-11n");
    let aggregation = Aggregation {
        frames: 64,
        bytes: phy.ampdu_bytes(),
        time_ns: 4_000_000,
        window: 64,
        amsdu_bytes: 0,
        bar: false,
    };
    CellConfig {
        beacon: None,
        aggregation: Some(aggregation),
        edca: Edca::Ieee2012,
        txop: true,
        driver: DriverConfig { ring: 128, aggregates, ..DriverConfig::default() },
        ..CellConfig::new(phy)
    }
}

fn announcing(change: CategoryChange, base: CellConfig) -> CellConfig {
    let mut config = base;
    config.announced[Category::BestEffort as usize] = change;
    config
}

fn saturated(config: CellConfig, stations: usize, down: bool) -> Saturated {
    let rate = config.phy.rate(&RateSpec { mcs: 7, width: Some(20), ..RateSpec::default() }).expect("a rate");
    let stations = vec![(rate, Loss::None); stations];
    Saturated::deep(config, &stations, 1500, down, 1, 200, Category::BestEffort)
}

/// Starts and MPDUs of the frames with DATA.
fn frames(run: &mut Saturated) -> Vec<(u64, usize)> {
    let attempts = run.cell.attempts().expect("the tap is on");
    let data: Vec<Attempt> = attempts
        .into_iter()
        .filter(|a| matches!(a.carried, FrameBody::Packet(_) | FrameBody::Duplicate))
        .collect();
    let same = |a: &Attempt, b: &Attempt| (a.start_ns, a.sender) == (b.start_ns, b.sender);
    data.chunk_by(same).map(|frame| (frame[0].start_ns, frame.len())).collect()
}

/// A TXOP limit of 1024 us, which is 1024 - 16 - 32 us for a PPDU: 36 us and 235 symbols of 260 bits, 7634 bytes; four MPDUs
/// of 1538 bytes have 6174 with delimiters and padding, five 7718. Four take 36 + 4 * 191 us, and after SIFS and the
/// BLOCK ACK 176 us are left, less than SIFS and the 228 us of one: a cycle of 848 + 43 + 7.5 * 9 us. The access point has
/// 4000 us: 20 MPDUs, 36 + 4 * 951 us.
#[test]
fn stations_have_the_announced_txop_limit() {
    for aggregates in [0, 1, 2] {
        let announced = announcing(CategoryChange { txop_ns: Some(1_024_000), ..NONE }, config(aggregates));
        for (down, mpdus, cycle_us) in [(false, 4, 848.0 + 110.5), (true, 20, 3840.0 + 48.0 + 110.5)] {
            let mut run = saturated(announced.clone(), 1, down);
            run.cell.tap(true);
            run.run(20 * S);
            let frames = frames(&mut run);
            assert!(frames[10..].iter().all(|(_, n)| *n == mpdus), "{aggregates}, down {down}");
            let expected = 20e6 / cycle_us;
            let off = frames.len() as f64 / expected - 1.0;
            assert!(off.abs() < 0.005, "{aggregates}, down {down}: {} frames, not {expected}", frames.len());
        }
    }
}

/// Two stations that always have packets have aggregates of at most 1024 us from the end of the first second on; with
/// beacons, from the first beacon after it. One station keeps its aggregates of 20.
#[test]
fn an_adaptive_limit_follows_the_stations_that_upload() {
    for (stations, beacons) in [(1, false), (2, false), (2, true)] {
        let beacon = Beacon { interval_ns: 300 * MS, first_ns: Some(50 * MS), bytes: 100, kbps: 6_000 };
        let config = CellConfig { adapts_announced: true, beacon: beacons.then_some(beacon), ..config(0) };
        let mut run = saturated(config, stations, false);
        run.cell.tap(true);
        run.run(2 * S);
        let frames = frames(&mut run);
        // Beacons are due at 950 and 1250 ms; one waits for two frames of 4 ms at most.
        let (from, until) = if beacons { (1_249 * MS, 1_260 * MS) } else { (S, S + 5 * MS) };
        let longest = |from: u64, until: u64| {
            let inside = frames.iter().filter(|(at, _)| (from..until).contains(at));
            inside.map(|(_, n)| *n).max().expect("some frames")
        };
        assert_eq!(longest(0, from), 20, "{stations} stations, beacons {beacons}");
        let expected = if stations == 1 { 20 } else { 4 };
        assert_eq!(longest(until, 2 * S), expected, "{stations} stations, beacons {beacons}");
    }
}

/// An adaptive limit is never longer than the one that is announced without uploads: of 512 us, 464 us are for a PPDU, 36 us
/// and 107 symbols, 3474 bytes, two MPDUs.
#[test]
fn an_adaptive_limit_is_at_most_the_constant_one() {
    let change = CategoryChange { txop_ns: Some(512_000), ..NONE };
    let config = CellConfig { adapts_announced: true, ..announcing(change, config(0)) };
    let mut run = saturated(config, 2, false);
    run.cell.tap(true);
    run.run(3 * S);
    let frames = frames(&mut run);
    assert_eq!(frames.iter().map(|(_, n)| *n).max(), Some(2));
}
