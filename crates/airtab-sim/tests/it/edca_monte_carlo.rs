// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The cell with aggregates and EDCA against a slot-by-slot Monte Carlo: saturated stations of best effort,
//! one slot after the other, every counter by itself. It shares no code with the cell: constants, random
//! numbers and rules are written out here, from IEEE 802.11-2020 10.23.2.4 (the counter goes down on each slot
//! boundary after AIFS, that on which somebody else begins included) and 10.3.2.3.7 (EIFS). And against the
//! model of Bianchi.

use crate::common;

use airtab_core::RateSpec;
use airtab_model::bianchi::BianchiInput;
use airtab_sim::wifi::{Aggregation, Category, CellConfig, DriverConfig, Edca, Loss, Order};
use common::{S, Saturated, phy};

/// ns, as 5 GHz has them: AIFS of best effort, and what EIFS is longer than it after DATA (SIFS and an
/// ACK of 44 us at 6 Mb/s).
const SLOT: u64 = 9_000;
const AIFS: u64 = 43_000;
const ERROR: u64 = 16_000 + 44_000;

/// What goes out at once: MPDUs of 1500 bytes, what of it is sent before anybody answers (a PPDU or an RTS), how long
/// its sender waits for that answer, and all of it from the first bit to the BLOCK ACK's last, ns.
#[derive(Clone, Copy, Debug)]
struct Burst {
    profile: &'static str,
    mcs: u8,
    width: u16,
    frames: u16,
    rts: bool,
    sent: u64,
    timeout: u64,
    whole: u64,
}

impl Burst {
    /// Without RTS: a PPDU, and SIFS with the answer.
    const fn new(profile: &'static str, mcs: u8, width: u16, frames: u16, ppdu: u64, answer: u64) -> Burst {
        Burst { profile, mcs, width, frames, rts: false, sent: ppdu, timeout: answer, whole: ppdu + answer }
    }

    /// RTS and CTS (20 and 14 bytes at 24 Mb/s: 28 us each) and SIFS after each come before it.
    const fn guarded(self) -> Burst {
        Burst { rts: true, sent: 28_000, timeout: 16_000 + 28_000, whole: 88_000 + self.whole, ..self }
    }
}

const SINGLE: Burst = Burst::new("std-11n", 7, 20, 1, 228_000, 16_000 + 28_000);
const HT: Burst = Burst::new("std-11n", 7, 20, 28, 5_360_000, 16_000 + 32_000);
const VHT: Burst = Burst::new("std-11ac", 9, 80, 64, 2_068_000, 16_000 + 32_000);
/// As many as 5.484 ms have room for: 3086 bytes, 951 symbols of 26 bits.
const SLOW: Burst = Burst::new("std-11n", 0, 20, 2, 3_840_000, 16_000 + 32_000);

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

/// Of the stations, which send these bursts in turn: bursts that arrived within `ns`, by station, and attempts.
fn monte_carlo(bursts: &[Burst], n: usize, ns: u64) -> (Vec<u64>, u64) {
    let mut dice = Dice(1);
    let mut nodes: Vec<Node> =
        (0..n).map(|_| Node { window: 15, counter: dice.below(16), wait: 0 }).collect();
    let burst = |i: usize| bursts[i % bursts.len()];
    let (mut now, mut arrived, mut attempts) = (AIFS, vec![0; n], 0);
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
                arrived[sender] += 1;
                nodes[sender].window = 15;
                nodes[sender].counter = dice.below(16);
                nodes.iter_mut().for_each(|node| node.wait = 0);
                now += burst(sender).whole + AIFS;
            }
            _ => {
                // The senders go on after the wait for the answer to what each has sent, if nobody sends any more, the
                // others after EIFS.
                let end = senders.iter().map(|i| burst(*i).sent).max().expect("several");
                let own = |i: usize| match senders.contains(&i) {
                    true => (burst(i).sent + burst(i).timeout).saturating_sub(end),
                    false => ERROR,
                };
                let first = (0..n).map(own).min().expect("several");
                for (i, node) in nodes.iter_mut().enumerate() {
                    node.wait = (own(i) - first).div_ceil(SLOT);
                    if senders.contains(&i) {
                        node.window = (2 * node.window + 1).min(1023);
                        node.counter = dice.below(node.window + 1);
                    }
                }
                now += end + first + AIFS;
            }
        }
    }
    (arrived, attempts)
}

/// The same by the cell: packets that arrived, by station, frames and collided ones.
fn cell(bursts: &[Burst], n: usize, ns: u64, eifs: bool) -> (Vec<u64>, u64, u64) {
    let phy = phy(bursts[0].profile);
    let rate = |burst: &Burst| {
        let spec = RateSpec { mcs: burst.mcs, width: Some(burst.width), ..RateSpec::default() };
        phy.rate(&spec).expect("a rate of the profile")
    };
    let frames = bursts.iter().map(|burst| burst.frames).max().expect("one at least");
    let aggregation = Aggregation {
        frames,
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
        edca: Edca::Ieee2012,
        rts_bytes: bursts[0].rts.then_some(0),
        driver: DriverConfig { ring: 2 * usize::from(frames), order: Order::Fifo, ..DriverConfig::default() },
        ..CellConfig::new(phy)
    };
    let depth = 3 * usize::from(frames);
    let stations: Vec<_> = bursts.iter().cycle().take(n).map(|burst| (rate(burst), Loss::None)).collect();
    let mut run = Saturated::deep(config, &stations, 1500, false, 1, depth, Category::BestEffort);
    run.run(ns);
    let air = run.cell.air(ns);
    (run.arrived[1..].to_vec(), air.attempts, air.collided)
}

/// Throughput, and the share of the attempts that collide.
fn agree_with_dice(bursts: &[Burst], n: usize, ns: u64) {
    let (arrived, attempts) = monte_carlo(bursts, n, ns);
    let (packets, frames, collided) = cell(bursts, n, ns, true);
    let name = format!("{}, {} MPDUs, {n} stations", bursts[0].profile, bursts[0].frames);
    for (i, burst) in bursts.iter().enumerate() {
        let sum = |of: &[u64]| of.iter().skip(i).step_by(bursts.len()).sum::<u64>() as f64;
        let throughput = sum(&packets) / (sum(&arrived) * f64::from(burst.frames)) - 1.0;
        assert!(throughput.abs() < 0.005, "{name}: {burst:?}: throughput {:+.2} %", 100.0 * throughput);
    }
    let expected = 1.0 - arrived.iter().sum::<u64>() as f64 / attempts as f64;
    let p = collided as f64 / frames as f64 / expected - 1.0;
    // Collisions are at least pairs, counted on both sides.
    let error = (4.0 / collided as f64).sqrt();
    assert!(p.abs() < 0.005 + 3.0 * error, "{name}: p {:+.2} %", 100.0 * p);
}

fn agree(burst: Burst, seconds: u64) {
    for n in [2, 5, 10, 20, 50] {
        let ns = seconds * S;
        agree_with_dice(&[burst], n, ns);
        // In the model everybody goes on after a collision's DATA (or RTS) and AIFS.
        let (packets, ..) = cell(&[burst], n, ns / 3, false);
        let model = BianchiInput {
            n: n as u32,
            cw_min: 15,
            cw_max: 1023,
            slot_ns: SLOT,
            t_success_ns: burst.whole + AIFS,
            t_collision_ns: burst.sent + AIFS,
            payload_bits: 12_000 * u64::from(burst.frames),
        };
        let expected = model.solve().expect("windows that double").throughput_bps * seconds as f64 / 3.0;
        let distance = packets.iter().sum::<u64>() as f64 * 12_000.0 / expected - 1.0;
        assert!(distance.abs() < 0.03, "{burst:?}, {n} stations: {:+.2} % from the model", 100.0 * distance);
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

/// A collision costs an RTS and the wait for its CTS.
#[test]
fn aggregates_of_28_behind_an_rts() {
    agree(HT.guarded(), 200);
}

/// Where bursts of unequal length collide, the sender of the shorter one has long waited for its answer when the other's
/// is over, and goes on first.
#[test]
fn long_bursts_beside_short_ones() {
    for n in [2, 4] {
        agree_with_dice(&[HT, SLOW], n, 5000 * S);
    }
}
