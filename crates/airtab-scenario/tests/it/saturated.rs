// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Studies of DCF as scenario files: sources that always have a packet, against the cell alone, packet by packet
//! from a driver that knows neither applications nor wires.

use airtab_core::time::{MS, SECOND as S};
use airtab_core::{Discipline, Meta, Params, Phy, Pool, Qdisc};
use airtab_scenario::{Metric, ScenarioFile, measure};
use airtab_sim::wifi::{Cell, CellConfig, Loss, Output};
use airtab_sim::{Trace, run};

const ANOMALY: &str = include_str!("../../../../scenarios/anomaly.toml");

fn fifo() -> Params {
    Params::new(Discipline::named("fifo").expect("registered"))
}

/// Packets that arrive in 60 s after the first second from two stations of these rates that always have a packet.
fn cell_alone(rates: [u32; 2], seed: u64) -> [u64; 2] {
    let config = CellConfig { beacon: None, ..CellConfig::new(Phy::named("std-11g").expect("a profile")) };
    let links = [("fast", rates[0], Loss::None), ("slow", rates[1], Loss::None)];
    let mut pool: Pool<u32> = Pool::new();
    let mut cell = Cell::new(config, &links, Qdisc::new(&pool, &fifo(), 1, 0), seed);
    let packet = |pool: &mut Pool<u32>, station: u32| {
        pool.insert(Meta { bytes: 1500, flow: station, ..Meta::default() }, station)
    };
    for station in [0, 1, 0, 1] {
        let next = packet(&mut pool, station);
        cell.send_up(&mut pool, station as usize, next, 0);
    }
    let mut arrived = [0; 2];
    while cell.next_event() < 61 * S {
        let now = cell.next_event();
        cell.advance(&mut pool, now);
        while let Some(output) = cell.poll() {
            match output {
                Output::Up(packet) => arrived[pool.remove(packet) as usize] += u64::from(now >= S),
                Output::Lost(packet) => drop(pool.remove(packet)),
                Output::Sent { label, .. } => {
                    let next = packet(&mut pool, label);
                    cell.send_up(&mut pool, label as usize, next, now);
                }
                _ => {}
            }
        }
    }
    arrived
}

fn scenario(rates: [u32; 2], seed: u64) -> (ScenarioFile, Trace) {
    let slow = format!("rate = \"{}Mb/s\"", rates[1] / 1000);
    let file = ScenarioFile::parse("anomaly.toml", &ANOMALY.replace("rate = \"6Mb/s\"", &slow)).unwrap();
    assert_eq!(file.scenario.stations.iter().map(|s| s.speed.kbps()).collect::<Vec<_>>(), rates);
    let trace = run(&file.scenario, &fifo(), seed);
    (file, trace)
}

/// A saturated 802.11g pair, and the anomaly's: what arrives is what the cell lets through, and no queue is flooded.
#[test]
fn a_saturated_source_sends_what_the_cell_lets_through() {
    for rates in [[54_000, 54_000], [54_000, 6_000]] {
        let (file, trace) = scenario(rates, 1);
        let figures = measure(&file.scenario, &trace);
        for (i, expected) in cell_alone(rates, 1).into_iter().enumerate() {
            let expected = expected as f64 * 1500.0 * 8.0 / 60.0;
            let f = &figures.apps[i];
            let rate = f[&Metric::IpThroughput];
            assert!((rate / expected - 1.0).abs() < 0.01, "{rates:?}: {rate} for {expected} bit/s");
            assert_eq!(f[&Metric::UplinkIpThroughput], rate);
            assert!((f[&Metric::Goodput] / rate - 1472.0 / 1500.0).abs() < 1e-12);
            assert_eq!(f[&Metric::Loss], f[&Metric::UplinkLoss]);
            assert!(f[&Metric::UplinkAir] > 0.05 && f[&Metric::Air] == 0.0);
        }
        assert_eq!((trace.ap.uplink_dropped, trace.ap.wired_dropped), (0, 0));
        // Two at the station, and what is on the wires for 2 ms.
        assert!(trace.apps.iter().all(|app| app.up.under_way <= 2 + 2 * MS / 200_000));
    }
}
