// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Aggregates that are built when their sender wins the channel (`aggregates = 0` of a driver).

use crate::common;

use std::collections::HashMap;

use airtab_core::{Meta, Params, Pool, Qdisc, RateSpec};
use airtab_sim::wifi::{
    Aggregation, Attempt, CellConfig, DriverConfig, Edca, End, FrameBody, Loss, Medium, Output, Speed,
};
use common::{MS, S, phy, queue};

const BYTES: u32 = 1500;

/// A cell of std-11n at MCS 7, its packets, and each PPDU with DATA on the air.
struct Host {
    cell: Medium,
    pool: Pool<u32>,
    ppdus: Vec<Vec<Attempt>>,
    arrived: Vec<u32>,
    dropped: usize,
    now: u64,
}

impl Host {
    fn new(aggregates: usize, stations: usize, seed: u64) -> Host {
        Host::with(aggregates, 128, stations, &queue("fifo", 1000), seed)
    }

    fn with(aggregates: usize, ring: usize, stations: usize, params: &Params, seed: u64) -> Host {
        let phy = phy("std-11n");
        let aggregation = Aggregation {
            frames: 64,
            bytes: phy.ampdu_bytes(),
            time_ns: 4_000_000,
            window: 64,
            amsdu_bytes: 0,
            bar: false,
        };
        let config = CellConfig {
            beacon: None,
            aggregation: Some(aggregation),
            edca: Edca::Ieee2012,
            driver: DriverConfig { ring, aggregates, ..DriverConfig::default() },
            ..CellConfig::new(phy)
        };
        let rate: Speed = phy.rate(&RateSpec { mcs: 7, ..RateSpec::default() }).expect("a rate").into();
        let names: Vec<String> = (0..stations).map(|i| format!("sta{i}")).collect();
        let stations: Vec<_> = names.iter().map(|name| (name.as_str(), rate, Loss::None)).collect();
        let pool = Pool::new();
        let qdisc = Qdisc::new(&pool, params, 0, 0);
        let mut cell = Medium::new(config.into(), &stations, qdisc, seed);
        cell.tap(true);
        Host { cell, pool, ppdus: Vec::new(), arrived: Vec::new(), dropped: 0, now: 0 }
    }

    fn send(&mut self, station: u16, bytes: u32, up: bool, label: u32, at: u64) {
        let meta = Meta { bytes, sta: station, flow: u32::from(station), ..Meta::default() };
        let packet = self.pool.insert(meta, label);
        match up {
            true => self.cell.send_up(&mut self.pool, station.into(), packet, at),
            false => self.cell.send_down(&mut self.pool, packet, at),
        }
    }

    /// Advances to the next event, and returns the packets that came to stations.
    fn step(&mut self) -> Vec<(u16, u32)> {
        self.now = self.cell.next_event();
        self.cell.advance(&mut self.pool, self.now);
        let attempts = self.cell.attempts().expect("the tap is on");
        let data =
            attempts.iter().filter(|a| matches!(a.carried, FrameBody::Packet(_) | FrameBody::Duplicate));
        let data: Vec<Attempt> = data.copied().collect();
        let same = |a: &Attempt, b: &Attempt| (a.start_ns, a.sender) == (b.start_ns, b.sender);
        self.ppdus.extend(data.chunk_by(same).map(<[Attempt]>::to_vec));
        let mut down = Vec::new();
        while let Some(output) = self.cell.poll() {
            match output {
                Output::Down(packet) => {
                    let station = self.pool.sta(packet);
                    let label = self.pool.remove(packet);
                    self.arrived.push(label);
                    down.push((station, label));
                }
                Output::Up(packet) => self.arrived.push(self.pool.remove(packet)),
                Output::Lost(packet) => panic!("{packet:?} is lost"),
                Output::Dropped(packet, _) => {
                    self.dropped += 1;
                    self.pool.remove(packet);
                }
                _ => {}
            }
        }
        down
    }

    fn run(&mut self, until: u64) {
        while self.cell.next_event() <= until {
            self.step();
        }
    }
}

/// Two packets find the channel busy, one after the other: the second one comes when the first one contends.
#[test]
fn an_aggregate_has_what_came_during_its_backoff() {
    for (aggregates, expected) in [(0, vec![1, 2]), (1, vec![1, 1, 1]), (2, vec![1, 1, 1])] {
        for seed in 0..20 {
            let mut host = Host::new(aggregates, 1, seed);
            host.send(0, BYTES, false, 0, S);
            host.step(); // it is on the air
            host.send(0, BYTES, false, 1, host.now + 1000);
            while host.arrived.is_empty() {
                host.step();
            }
            host.step(); // its ACK is over, and AIFS begins
            host.send(0, BYTES, false, 2, host.now + 40_000);
            host.run(2 * S);
            let lengths: Vec<usize> = host.ppdus.iter().map(Vec::len).collect();
            assert_eq!(
                (lengths, &host.arrived),
                (expected.clone(), &vec![0, 1, 2]),
                "{aggregates}, seed {seed}"
            );
        }
    }
}

/// A station answers every second packet of a download with 52 bytes, as TCP does: of bursts that arrive together the
/// answers go up together.
#[test]
fn answers_to_a_burst_go_up_together() {
    let lone = |aggregates| {
        let mut host = Host::new(aggregates, 1, 1);
        (0..150).for_each(|label| host.send(0, BYTES, false, label, 0));
        let mut came = 0;
        while host.now < 10 * S {
            for (station, _) in host.step() {
                came += 1;
                host.send(station, BYTES, false, 0, host.now);
                if came % 2 == 0 {
                    host.send(station, 52, true, 0, host.now);
                }
            }
        }
        let up: Vec<usize> = host.ppdus.iter().filter(|ppdu| ppdu[0].sender == 1).map(Vec::len).collect();
        let lone = up.iter().filter(|mpdus| **mpdus == 1).count();
        (lone as f64 / up.len() as f64, up.len())
    };
    let (late, exchanges) = lone(0);
    assert!(exchanges > 1000 && late < 0.01, "{late} of {exchanges}");
    let (early, exchanges) = lone(2);
    assert!(early > 0.3, "{early} of {exchanges}: the first of a burst goes before the others are there");
}

/// The next PPDU after a collision begins with the MPDUs that collided, in their order, and has newer ones behind them.
#[test]
fn an_aggregate_that_goes_out_again_keeps_its_frames() {
    let mut host = Host::new(0, 4, 1);
    let mut label = 0;
    for at in (0..4000u64).map(|i| i * MS / 2) {
        host.run(at);
        for station in 0..4 {
            host.send(station, 700, true, label, at);
            label += 1;
        }
    }
    host.run(5 * S);
    assert_eq!(host.arrived.len() as u32, label, "none is lost");
    let mut failed: HashMap<u16, Vec<u64>> = HashMap::new();
    let (mut again, mut longer) = (0, 0);
    for ppdu in &host.ppdus {
        let numbers: Vec<u64> = ppdu.iter().map(|mpdu| mpdu.sequence.expect("it has a number")).collect();
        if let Some(before) = failed.remove(&ppdu[0].sender) {
            assert!(numbers.starts_with(&before), "{before:?}, then {numbers:?}");
            again += 1;
            longer += u32::from(numbers.len() > before.len());
        }
        if ppdu[0].end == End::Collision {
            failed.insert(ppdu[0].sender, numbers);
        }
    }
    assert!(again > 100 && longer > 20, "{again}, {longer} of them with more");
}

/// CoDel drops nearly all that waited, and while a packet contends for the channel. Each exchange carries a packet, and
/// each packet arrives or is dropped.
#[test]
fn a_queue_that_drops_leaves_no_empty_frame() {
    let mut params = queue("codel", 1000);
    ["target", "interval"].iter().for_each(|key| params.set(key, "1us").expect("a parameter of it"));
    let mut host = Host::with(0, 3, 2, &params, 1);
    let (mut label, mut at) = (0, 0);
    while at < 2 * S {
        // Bursts of up to 40 packets, up to 8 ms apart.
        for _ in 0..1 + label * 7 % 40 {
            host.send((label % 2) as u16, BYTES, false, label, at);
            host.send((label % 2) as u16, 100, true, label, at);
            label += 1;
        }
        at += u64::from(label * 31 % 8) * MS + 1;
        host.run(at);
    }
    host.run(4 * S);
    assert_eq!((host.arrived.len() + host.dropped) as u32, 2 * label);
    assert!(host.dropped > 1000 && host.ppdus.iter().all(|ppdu| !ppdu.is_empty()), "{}", host.dropped);
    assert_eq!(host.cell.held(), 0);
    assert!(host.cell.next_event() > 4 * S + 50 * MS, "and nothing contends");
}

/// The receiver enters power save while the only packet contends: the packet is sent when the receiver wakes.
#[test]
fn who_sleeps_takes_nothing_from_who_contends() {
    let mut host = Host::new(0, 2, 1);
    host.send(0, BYTES, false, 7, S);
    host.cell.sleep(0, true, S);
    host.run(2 * S);
    assert!(host.ppdus.is_empty() && host.arrived.is_empty());
    host.send(1, BYTES, false, 8, 2 * S);
    host.run(3 * S);
    assert_eq!(host.arrived, [8]);
    host.cell.sleep(0, false, 3 * S);
    host.run(4 * S);
    assert_eq!(host.arrived, [8, 7]);
    assert_eq!(host.ppdus.len(), 2);
}
