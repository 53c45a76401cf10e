// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The cell against a Monte Carlo of DCF: saturated stations, every counter and every wait by itself, in ns.
//! It shares no code with the cell: constants, random numbers and rules are written out here, from
//! IEEE 802.11-2020 10.3.2.3.7 (EIFS), 10.3.4.3 (backoff).

use crate::common;

use airtab_sim::wifi::{Backoff, CellConfig, Loss};
use common::{S, Saturated, phy};

/// Constants of a PHY, ns, and of 1500 bytes of IP at a rate of it.
#[derive(Clone, Copy)]
struct Times {
    profile: &'static str,
    slot: u64,
    difs: u64,
    /// EIFS - DIFS: SIFS and an ACK at the lowest rate.
    error: u64,
    windows: (u32, u32),
}

const PHY_A: Times =
    Times { profile: "phy-a", slot: 9_000, difs: 28_000, error: 10_000 + 38_667, windows: (15, 1023) };
const STD_11G: Times =
    Times { profile: "std-11g", slot: 9_000, difs: 28_000, error: 10_000 + 304_000, windows: (15, 1023) };
const STD_11B: Times =
    Times { profile: "std-11b", slot: 20_000, difs: 50_000, error: 10_000 + 304_000, windows: (31, 1023) };

/// PHY rate, kb/s; how long 1500 bytes of IP take, and the wait for their ACK, ns.
type Rate = (u32, u64, u64);
/// 1534 bytes behind 20 us; an ACK of 14 bytes at 24 Mb/s, or 6.
const A_54: Rate = (54_000, 20_000 + 227_259, 10_000 + 20_000 + 4_667);
const A_6: Rate = (6_000, 20_000 + 2_045_333, 10_000 + 20_000 + 18_667);
/// 57 symbols of 4 us and a silence of 6; an ACK of 2 symbols.
const G_54: Rate = (54_000, 20_000 + 57 * 4_000 + 6_000, 10_000 + 20_000 + 2 * 4_000 + 6_000);
/// 1536 bytes behind 192 us; an ACK at 2 Mb/s, or 1.
const B_11: Rate = (11_000, 192_000 + 1_117_091, 10_000 + 192_000 + 56_000);
const B_1: Rate = (1_000, 192_000 + 12_288_000, 10_000 + 192_000 + 112_000);

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn happens(&mut self, p: f64) -> bool {
        (self.roll() as f64) < p * 18_446_744_073_709_551_616.0
    }
}

#[derive(Default)]
struct Node {
    window: u32,
    tries: u32,
    /// Slots of its backoff to go, and when it begins to count them, ns.
    counter: u32,
    from: u64,
    sent: u64,
    attempts: u64,
    arrived: u64,
    /// Its receiver has the frame at its MAC.
    received: bool,
}

impl Node {
    fn next(&mut self, window: u32, dice: &mut Dice) {
        self.window = window;
        self.counter = (dice.roll() % u64::from(window + 1)) as u32;
    }

    /// The attempt is over: on to the next frame, or the same again.
    fn ends(&mut self, acked: bool, limit: u32, windows: (u32, u32), dice: &mut Dice) {
        self.attempts += 1;
        self.tries += 1;
        if acked || self.tries == limit {
            (self.tries, self.received) = (0, false);
            self.sent += 1;
            self.next(windows.0, dice);
        } else {
            self.next((2 * self.window + 1).min(windows.1), dice);
        }
    }
}

/// How the stations contend.
#[derive(Clone, Copy)]
struct Rules {
    eifs: bool,
    /// Losers of a contention count the busy slot, too.
    bianchi: bool,
    limit: u32,
}

/// What a station got: frames done with, attempts, and frames that arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Got {
    sent: u64,
    attempts: u64,
    arrived: u64,
}

/// So long, ns, every station sends to the access point, which sends nothing: stations with a
/// rate and a frame error rate each.
fn monte_carlo(times: Times, rules: Rules, stations: &[(Rate, f64)], ns: u64, seed: u64) -> Vec<Got> {
    let mut dice = Dice(seed);
    let mut nodes: Vec<Node> = stations.iter().map(|_| Node::default()).collect();
    for node in &mut nodes {
        node.next(times.windows.0, &mut dice);
        node.from = times.difs;
    }
    // When each may go on, from the end of the last DATA, ns.
    let mut from = vec![0; nodes.len()];
    let error = if rules.eifs { times.error } else { 0 };
    loop {
        let due = |node: &Node| node.from + u64::from(node.counter) * times.slot;
        let now = nodes.iter().map(due).min().unwrap();
        if now >= ns {
            break;
        }
        let senders: Vec<usize> = (0..nodes.len()).filter(|i| due(&nodes[*i]) == now).collect();
        for node in nodes.iter_mut().filter(|node| due(node) > now) {
            let slots = now.saturating_sub(node.from) / times.slot + u64::from(rules.bianchi);
            node.counter = node.counter.saturating_sub(slots as u32);
        }
        let data = senders.iter().map(|s| stations[*s].0.1).max().unwrap();
        if let [sender] = senders[..] {
            let ((_, _, ack), p) = stations[sender];
            let garbled = dice.happens(p);
            let acked = !garbled && !dice.happens(p);
            // After the ACK, all go on; without it, when it would be over. Whoever
            // has the last frame in error goes on EIFS - DIFS after it.
            for (i, &(_, p)) in stations.iter().enumerate() {
                let erred = match i == sender {
                    true => !garbled && !acked,
                    false => dice.happens(p),
                };
                from[i] = match garbled {
                    true if erred => error,
                    true => ack,
                    false if erred => ack + error,
                    false => ack,
                };
            }
            let node = &mut nodes[sender];
            node.arrived += u64::from(!garbled && !node.received);
            node.received |= !garbled;
            node.ends(acked, rules.limit, times.windows, &mut dice);
        } else {
            from.fill(error);
            for &sender in &senders {
                let (_, own, ack) = stations[sender].0;
                from[sender] = (own + ack).saturating_sub(data);
                nodes[sender].ends(false, rules.limit, times.windows, &mut dice);
            }
        }
        for (node, from) in nodes.iter_mut().zip(&from) {
            node.from = now + data + from + times.difs;
        }
    }
    nodes.iter().map(|n| Got { sent: n.sent, attempts: n.attempts, arrived: n.arrived }).collect()
}

/// The same by the cell.
fn cell(times: Times, rules: Rules, stations: &[(Rate, f64)], ns: u64, seed: u64) -> Vec<Got> {
    let mut config = CellConfig::new(phy(times.profile));
    config.backoff = if rules.bianchi { Backoff::Bianchi } else { Backoff::Standard };
    (config.eifs, config.attempts, config.beacon) = (rules.eifs, rules.limit as u8, None);
    let stations: Vec<_> = stations.iter().map(|s| (s.0.0, Loss::Fer(s.1))).collect();
    let mut run = Saturated::new(config, &stations, 1500, false, seed);
    run.run(ns);
    let got = |(reports, arrived): (&Vec<airtab_core::Tx>, &u64)| Got {
        sent: reports.len() as u64,
        attempts: reports.iter().map(|tx| u64::from(tx.attempts)).sum(),
        arrived: *arrived,
    };
    run.reports.iter().zip(&run.arrived).skip(1).map(got).collect()
}

fn total(got: &[Got], what: fn(&Got) -> u64) -> f64 {
    got.iter().map(what).sum::<u64>() as f64
}

/// Throughput and collision probability of n stations, both readings of EIFS: the two agree
/// within 0.5 %; p, which is of a few thousand collisions, within three standard errors more.
fn saturated_stations(times: Times, rate: Rate, seconds: u64) {
    for eifs in [true, false] {
        for (n, longer) in [(2, 4), (5, 2), (10, 1), (20, 1), (50, 1)] {
            let rules = Rules { eifs, bianchi: false, limit: 7 };
            let (stations, ns) = (vec![(rate, 0.0); n], longer * seconds * S);
            let expected = monte_carlo(times, rules, &stations, ns, 1);
            let seen = cell(times, rules, &stations, ns, 1);
            let [frames, attempts] = [|g: &Got| g.arrived, |g: &Got| g.attempts]
                .map(|what| [&expected, &seen].map(|g| total(g, what)));
            let deviation = |[expected, seen]: [f64; 2]| seen / expected - 1.0;
            let name = format!("{}, eifs {eifs}, {n} stations", times.profile);
            let throughput = deviation(frames);
            assert!(throughput.abs() < 0.005, "{name}: throughput {:+.2} %", 100.0 * throughput);
            let p = deviation([0, 1].map(|i| 1.0 - frames[i] / attempts[i]));
            // Collisions are at least pairs, counted on both sides.
            let error = (4.0 / (attempts[0] - frames[0])).sqrt();
            assert!(p.abs() < 0.005 + 3.0 * error, "{name}: p {:+.2} %", 100.0 * p);
        }
    }
}

#[test]
fn saturated_stations_on_phy_a() {
    saturated_stations(PHY_A, A_54, 100);
}

#[test]
fn saturated_stations_on_std_11g() {
    saturated_stations(STD_11G, G_54, 100);
}

#[test]
fn saturated_stations_on_std_11b() {
    saturated_stations(STD_11B, B_11, 400);
}

/// Station by station, by both rules and readings: what each one gets beside others that are
/// slower, and beside others that err. A seldom one's share is not known better: its frames come in
/// bursts, so that eight standard errors of as many independent ones are allowed.
fn unequal_stations(times: Times, stations: &[(Rate, f64)], seconds: u64) {
    for (eifs, bianchi) in [(true, false), (false, false), (true, true)] {
        let rules = Rules { eifs, bianchi, limit: 7 };
        let expected = monte_carlo(times, rules, stations, seconds * S, 1);
        let seen = cell(times, rules, stations, seconds * S, 1);
        for (i, (expected, seen)) in expected.iter().zip(&seen).enumerate() {
            for what in [|g: &Got| g.sent, |g: &Got| g.attempts, |g: &Got| g.arrived] {
                let [expected, seen] = [what(expected), what(seen)].map(|n| n as f64);
                let deviation = seen / expected - 1.0;
                let name = format!("{}, eifs {eifs}, bianchi {bianchi}, station {i}", times.profile);
                let bound = 0.005 + 8.0 / expected.sqrt();
                assert!(deviation.abs() < bound, "{name}: {:+.2} %", 100.0 * deviation);
            }
        }
    }
}

#[test]
fn a_fast_and_a_slow_station() {
    unequal_stations(STD_11B, &[(B_11, 0.0), (B_1, 0.0)], 2000);
    unequal_stations(PHY_A, &[(A_54, 0.0), (A_6, 0.0), (A_54, 0.0)], 300);
}

#[test]
fn stations_that_err() {
    unequal_stations(PHY_A, &[(A_54, 0.0), (A_54, 0.1), (A_54, 0.3), (A_6, 0.5), (A_54, 0.8)], 300);
    unequal_stations(STD_11G, &[(G_54, 0.0), (G_54, 0.1), (G_54, 0.3), (G_54, 0.5), (G_54, 0.8)], 300);
}
