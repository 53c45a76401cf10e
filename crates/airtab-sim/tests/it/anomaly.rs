// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One slow station among fast ones, all with more UDP than the air carries: who has how much of it under
//! `fifo` and under `airtime_fq`, beside the closed form for the one-frame cell.

use crate::common;

use airtab_core::{Discipline, Params};
use airtab_sim::traffic::Udp;
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::wifi::CellConfig;
use airtab_sim::{App, AppKind, Scenario, Trace, run};
use common::{S, home, phy, station};

const RATES_KBPS: [u32; 3] = [54_000, 54_000, 6_000];

/// A download of `bits_per_second` to each of three stations, 5 of 6 s counted.
fn three(bits_per_second: u64) -> Scenario {
    let mut scenario = home();
    scenario.duration_ns = 6 * S;
    scenario.measure_ns = S..6 * S;
    scenario.medium = CellConfig::new(phy("std-11g")).into();
    scenario.stations =
        RATES_KBPS.iter().enumerate().map(|(i, &kbps)| station(&format!("sta{i}"), kbps, 1.0)).collect();
    let udp = Udp { rate: Rate::Mean(bits_per_second), bytes: 1500, gaps: Gaps::Exponential, upload: false };
    let app = |i: usize| App {
        name: format!("udp{i}"),
        kind: AppKind::Udp(udp.clone()),
        station: i,
        active_ns: 0..6 * S,
        class: 0,
        ..scenario.apps[0].clone()
    };
    scenario.apps = (0..3).map(app).collect();
    scenario
}

fn under(name: &str) -> Trace {
    run(&three(30_000_000), &Params::new(Discipline::named(name).expect("registered")), 1)
}

fn shares(trace: &Trace) -> Vec<f64> {
    let air: Vec<f64> = trace.apps.iter().map(|app| app.air_ns as f64).collect();
    let sum: f64 = air.iter().sum();
    air.iter().map(|air| air / sum).collect()
}

/// Frames of the measured part, all of them sent once.
fn megabits(trace: &Trace) -> Vec<f64> {
    let rate = |app: &airtab_sim::AppTrace| {
        let path = &app.paths[0];
        assert_eq!(path.attempts, path.frames, "a frame was lost");
        path.frames as f64 * 1500.0 * 8.0 / 5e6
    };
    trace.apps.iter().map(rate).collect()
}

/// The channel time of a packet of 1500 bytes, us: preamble 20, symbols of 4 for 16 + 8 x 1536 + 6 bits,
/// signal extension 6; SIFS 10 and an ACK of 14 bytes at 24 or 6 Mb/s.
fn air_us(bits_a_symbol: f64, ack_us: f64) -> f64 {
    20.0 + 4.0 * ((16.0 + 8.0 * 1536.0 + 6.0) / bits_a_symbol).ceil() + 6.0 + 10.0 + ack_us
}

fn fast_us() -> f64 {
    air_us(216.0, 20.0 + 8.0 + 6.0) // 134 bits: 2 symbols of 96
}

fn slow_us() -> f64 {
    air_us(24.0, 20.0 + 24.0 + 6.0) // 6 symbols of 24
}

/// Nobody's: the wait before a packet, mean backoff of 7.5 slots of 9 and DIFS, us.
const WAIT_US: f64 = 67.5 + 28.0;

/// As many packets for each: the slow one's take most of the air.
#[test]
fn a_fifo_gives_the_air_to_the_slow_station() {
    let trace = under("fifo");
    let expected = slow_us() / (2.0 * fast_us() + slow_us());
    let slow = shares(&trace)[2];
    assert!((slow - expected).abs() < 0.02, "{slow} of the air, not {expected}");
    assert!(slow > 0.75);
}

/// As much air for each, so that for each ns of it a packet goes by, and a wait, for as many ns as it takes.
#[test]
fn airtime_fq_gives_each_a_third() {
    let trace = under("airtime_fq");
    for (i, share) in shares(&trace).iter().enumerate() {
        assert!((share - 1.0 / 3.0).abs() < 0.005, "station {i} has {share} of the air");
    }
    let air_us = [fast_us(), fast_us(), slow_us()];
    let round_us: f64 = air_us.iter().map(|us| (us + WAIT_US) / us).sum();
    let rates = megabits(&trace);
    for (rate, us) in rates.iter().zip(air_us) {
        let expected = 12_000.0 / us / round_us;
        assert!((rate / expected - 1.0).abs() < 0.02, "{rate} Mb/s, not {expected}");
    }
    let sum: f64 = rates.iter().sum();
    let anomaly = 3.0 * 12_000.0 / (2.0 * fast_us() + slow_us() + 3.0 * WAIT_US);
    assert!(sum > 1.9 * anomaly, "{sum} Mb/s, {anomaly} with as many packets for each");
}
