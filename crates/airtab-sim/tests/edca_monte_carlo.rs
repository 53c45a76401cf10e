// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The cell with aggregates and EDCA against a slot-by-slot Monte Carlo: saturated stations of best effort,
//! one slot after the other, every counter by itself. It shares no code with the cell: constants, random
//! numbers and rules are written out here, from IEEE 802.11-2020 10.23.2.4 (the counter goes down on each slot
//! boundary after AIFS, that on which somebody else begins included) and 10.3.2.3.7 (EIFS). And against the
//! model of Bianchi.

mod common;

use airtab_core::RateSpec;
use airtab_model::bianchi::BianchiInput;
use airtab_sim::wifi::{Aggregation, Category, CellConfig, DriverConfig, Edca, Loss, Order};
use common::{S, Saturated, phy};

/// ns, as 5 GHz has them: AIFS of best effort, and what EIFS is longer than it after DATA (SIFS and an
/// ACK of 44 us at 6 Mb/s).
const SLOT: u64 = 9_000;
const AIFS: u64 = 43_000;
const ERROR: u64 = 16_000 + 44_000;

/// What goes out at once: MPDUs of 1500 bytes, their PPDU, and SIFS with the answer, ns.
#[derive(Clone, Copy)]
struct Burst {
    profile: &'static str,
    mcs: u8,
    width: u16,
    frames: u16,
    ppdu: u64,
    answer: u64,
}

const SINGLE: Burst =
    Burst { profile: "std-11n", mcs: 7, width: 20, frames: 1, ppdu: 228_000, answer: 16_000 + 28_000 };
const HT: Burst =
    Burst { profile: "std-11n", mcs: 7, width: 20, frames: 28, ppdu: 5_360_000, answer: 16_000 + 32_000 };
const VHT: Burst =
    Burst { profile: "std-11ac", mcs: 9, width: 80, frames: 64, ppdu: 2_068_000, answer: 16_000 + 32_000 };

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

struct Node {
    window: u64,
    counter: u64,
    wait: u64,
}

/// Bursts that arrived within `ns`, and attempts.
fn monte_carlo(burst: Burst, n: usize, ns: u64) -> (u64, u64) {
    let mut dice = Dice(1);
    let mut nodes: Vec<Node> =
        (0..n).map(|_| Node { window: 15, counter: dice.below(16), wait: 0 }).collect();
    let (mut now, mut arrived, mut attempts) = (AIFS, 0, 0);
    while now < ns {
        let due = |node: &Node| node.wait == 0 && node.counter == 0;
        let senders: Vec<usize> = (0..n).filter(|i| due(&nodes[*i])).collect();
        for (i, node) in nodes.iter_mut().enumerate() {
            match node.wait {
                0 if senders.contains(&i) => {}
                0 => node.counter -= 1,
                _ if senders.is_empty() => node.wait -= 1,
                _ => {}
            }
        }
        attempts += senders.len() as u64;
        match senders[..] {
            [] => now += SLOT,
            [sender] => {
                arrived += 1;
                nodes[sender].window = 15;
                nodes[sender].counter = dice.below(16);
                nodes.iter_mut().for_each(|node| node.wait = 0);
                now += burst.ppdu + burst.answer + AIFS;
            }
            _ => {
                // The senders go on after the wait for the answer, the others after EIFS.
                let first = burst.answer.min(if senders.len() < n { ERROR } else { burst.answer });
                for (i, node) in nodes.iter_mut().enumerate() {
                    let own = if senders.contains(&i) { burst.answer } else { ERROR };
                    node.wait = (own - first).div_ceil(SLOT);
                    if senders.contains(&i) {
                        node.window = (2 * node.window + 1).min(1023);
                        node.counter = dice.below(node.window + 1);
                    }
                }
                now += burst.ppdu + first + AIFS;
            }
        }
    }
    (arrived, attempts)
}

/// The same by the cell: packets that arrived, frames and collided ones.
fn cell(burst: Burst, n: usize, ns: u64, eifs: bool) -> (u64, u64, u64) {
    let phy = phy(burst.profile);
    let rate = phy
        .rate(&RateSpec { mcs: burst.mcs, width: Some(burst.width), ..RateSpec::default() })
        .expect("a rate of the profile");
    let aggregation = Aggregation {
        frames: burst.frames,
        bytes: phy.ampdu_bytes(),
        time_ns: 5_484_000,
        window: phy.window(),
        amsdu_bytes: 0,
        bar: false,
    };
    let config = CellConfig {
        beacon: None,
        eifs,
        attempts: u8::MAX,
        aggregation: Some(aggregation),
        edca: Edca::Standard,
        driver: DriverConfig {
            ring: 2 * usize::from(burst.frames),
            order: Order::Fifo,
            ..DriverConfig::default()
        },
        ..CellConfig::new(phy)
    };
    let depth = 3 * usize::from(burst.frames);
    let stations = vec![(rate, Loss::None); n];
    let mut run = Saturated::deep(config, &stations, 1500, false, 1, depth, Category::BestEffort);
    run.run(ns);
    let air = run.cell.air(ns);
    (run.arrived.iter().sum(), air.attempts, air.collided)
}

fn agree(burst: Burst, seconds: u64) {
    for n in [2, 5, 10, 20, 50] {
        let ns = seconds * S;
        let (arrived, attempts) = monte_carlo(burst, n, ns);
        let (packets, frames, collided) = cell(burst, n, ns, true);
        let name = format!("{}, {} MPDUs, {n} stations", burst.profile, burst.frames);
        let throughput = packets as f64 / (arrived * u64::from(burst.frames)) as f64 - 1.0;
        assert!(throughput.abs() < 0.005, "{name}: throughput {:+.2} %", 100.0 * throughput);
        let expected = 1.0 - arrived as f64 / attempts as f64;
        let p = collided as f64 / frames as f64 / expected - 1.0;
        // Collisions are at least pairs, counted on both sides.
        let error = (4.0 / collided as f64).sqrt();
        assert!(p.abs() < 0.005 + 3.0 * error, "{name}: p {:+.2} %", 100.0 * p);
        // In the model everybody goes on after a collision's DATA and AIFS.
        let (packets, ..) = cell(burst, n, ns / 3, false);
        let model = BianchiInput {
            n: n as u32,
            cw_min: 15,
            cw_max: 1023,
            slot_ns: SLOT,
            t_success_ns: burst.ppdu + burst.answer + AIFS,
            t_collision_ns: burst.ppdu + AIFS,
            payload_bits: 12_000 * u64::from(burst.frames),
        };
        let expected = model.solve().expect("windows that double").throughput_bps * seconds as f64 / 3.0;
        let distance = packets as f64 * 12_000.0 / expected - 1.0;
        assert!(distance.abs() < 0.03, "{name}: {:+.2} % from the model", 100.0 * distance);
    }
}

#[test]
fn single_frames() {
    agree(SINGLE, 60);
}

#[test]
fn aggregates_of_28() {
    agree(HT, 600);
}

#[test]
fn aggregates_of_64() {
    agree(VHT, 300);
}
