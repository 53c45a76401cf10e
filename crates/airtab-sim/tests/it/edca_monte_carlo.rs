// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The cell with aggregates and EDCA against a Monte Carlo: saturated stations of one category or of several,
//! every counter and every wait by itself, in ns. It shares no code with the cell: constants, random
//! numbers and rules are written out here, from IEEE 802.11-2020 10.23.2.4 (the counter goes down on each slot
//! boundary after AIFS, that on which somebody else begins included) and 10.3.2.3.7 (EIFS). And against the
//! model of Bianchi.

use crate::common;

use airtab_core::RateSpec;
use airtab_model::bianchi::BianchiInput;
use airtab_sim::wifi::{
    AccessMethod, AccessRule, Aggregation, Backoff, Category, CategoryChange, CellConfig, DriverConfig, Edca,
    Loss, Order, Windows,
};
use common::{S, Saturated, phy};

/// ns, as 5 GHz has them: AIFS of best effort, and what EIFS is longer than it after DATA (SIFS and an
/// ACK of 44 us at 6 Mb/s).
const SLOT: u64 = 9_000;
const SIFS: u64 = 16_000;
const AIFS: u64 = SIFS + 3 * SLOT;
const ERROR: u64 = SIFS + 44_000;

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
/// The largest aggregate within 5.484 ms: 3086 bytes, 951 symbols of 26 bits. The BLOCK ACK of 32 bytes goes at 6 Mb/s.
const SLOW: Burst = Burst::new("std-11n", 0, 20, 2, 3_840_000, 16_000 + 68_000);

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

/// A category's AIFSN and windows.
type Class = (u64, u64, u64);
const BEST_EFFORT: Class = (3, 15, 1023);

struct Node {
    window: u64,
    counter: u64,
    /// End of its AIFS, ns: the first boundary that counts.
    from: u64,
}

/// Bursts that arrived within `ns`, by station, and attempts. Station i sends burst i modulo their number.
fn monte_carlo(bursts: &[Burst], classes: &[Class], ns: u64) -> (Vec<u64>, u64) {
    let mut dice = Dice(1);
    let (n, burst) = (classes.len(), |i: usize| bursts[i % bursts.len()]);
    let aifs = |i: usize| SIFS + classes[i].0 * SLOT;
    let first = |i: usize, dice: &mut Dice| dice.below(classes[i].1 + 1);
    let node = |i: usize| Node { window: classes[i].1, counter: first(i, &mut dice), from: aifs(i) };
    let mut nodes: Vec<Node> = (0..n).map(node).collect();
    let (mut arrived, mut attempts) = (vec![0; n], 0);
    loop {
        let due = |node: &Node| node.from + node.counter * SLOT;
        let now = nodes.iter().map(due).min().expect("one at least");
        if now >= ns {
            return (arrived, attempts);
        }
        let senders: Vec<usize> = (0..n).filter(|i| due(&nodes[*i]) == now).collect();
        for node in nodes.iter_mut().filter(|node| due(node) > now && node.from <= now) {
            node.counter -= (now - node.from) / SLOT + 1;
        }
        attempts += senders.len() as u64;
        if let [sender] = senders[..] {
            arrived[sender] += 1;
            nodes[sender].window = classes[sender].1;
            nodes[sender].counter = first(sender, &mut dice);
            (0..n).for_each(|i| nodes[i].from = now + burst(sender).whole + aifs(i));
            continue;
        }
        // The senders go on after the wait for the answer to what each has sent, if no other station sends any more, the
        // others after EIFS.
        let end = senders.iter().map(|i| now + burst(*i).sent).max().expect("several");
        nodes.iter_mut().enumerate().for_each(|(i, node)| node.from = end + ERROR + aifs(i));
        for i in senders {
            let node = &mut nodes[i];
            node.from = end.max(now + burst(i).sent + burst(i).timeout) + aifs(i);
            node.window = (2 * node.window + 1).min(classes[i].2);
            node.counter = dice.below(node.window + 1);
        }
    }
}

/// The same by the cell: packets that arrived, by station, frames and collided ones.
fn cell(bursts: &[Burst], n: usize, ns: u64, eifs: bool, class: Class) -> (Vec<u64>, u64, u64) {
    let mut run = saturated(bursts, n, |config| {
        config.eifs = eifs;
        if class != BEST_EFFORT {
            let (aifsn, least, most) = class;
            config.announced[Category::BestEffort as usize] = CategoryChange {
                aifsn: Some(aifsn as u8),
                cw_min: Some(least as u16),
                cw_max: Some(most as u16),
                txop_ns: None,
            };
        }
    });
    run.run(ns);
    let air = run.cell.air(ns);
    (run.arrived[1..].to_vec(), air.attempts, air.collided)
}

/// A cell of stations that always have packets.
fn saturated(bursts: &[Burst], n: usize, change: impl Fn(&mut CellConfig)) -> Saturated {
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
    let mut config = CellConfig {
        beacon: None,
        attempts: u8::MAX,
        aggregation: Some(aggregation),
        edca: Edca::Ieee2012,
        rts_bytes: bursts[0].rts.then_some(0),
        driver: DriverConfig { ring: 2 * usize::from(frames), order: Order::Fifo, ..DriverConfig::default() },
        ..CellConfig::new(phy)
    };
    change(&mut config);
    let depth = 3 * usize::from(frames);
    let stations: Vec<_> = bursts.iter().cycle().take(n).map(|burst| (rate(burst), Loss::None)).collect();
    Saturated::deep(config, &stations, 1500, false, 1, depth, Category::BestEffort)
}

/// Frames that arrive of n stations of each of best effort, video and voice, all saturated. Most exchanges of best effort
/// follow a collision of voice, so that a rounded wait shows.
#[test]
fn categories_beside_each_other() {
    let categories = [Category::BestEffort, Category::Video, Category::Voice];
    for (n, ns) in [(1, 60 * S), (2, 120 * S)] {
        let all: Vec<usize> = (0..categories.len()).flat_map(|of| [of].repeat(n)).collect();
        let classes = all.iter().map(|of| [BEST_EFFORT, (2, 7, 15), (2, 3, 7)][*of]);
        let (expected, _) = monte_carlo(&[SINGLE], &classes.collect::<Vec<_>>(), ns);
        let config = CellConfig {
            beacon: None,
            attempts: u8::MAX,
            edca: Edca::Ieee2012,
            ..CellConfig::new(phy(SINGLE.profile))
        };
        let rate = config.phy.rate(&RateSpec { mcs: SINGLE.mcs, ..RateSpec::default() }).expect("a rate");
        let stations = vec![(rate, Loss::None); all.len()];
        let of_each: Vec<Category> = all.iter().map(|of| categories[*of]).collect();
        let mut run = Saturated::of_categories(config, &stations, 1500, false, 1, 3, &of_each);
        run.run(ns);
        for (of, category) in categories.iter().enumerate() {
            let sum = |got: &[u64]| got[of * n..(of + 1) * n].iter().sum::<u64>() as f64;
            let (seen, expected) = (sum(&run.arrived[1..]), sum(&expected));
            let bound = 0.005 + 5.0 * (2.0 / expected).sqrt();
            let deviation = seen / expected - 1.0;
            assert!(deviation.abs() < bound, "{n} of each: {category:?}: {seen}, not {expected}");
        }
    }
}

/// Times that the Monte Carlo is longer than the run of the cell, so that its own error is a third of the cell's.
const LONGER: u64 = 8;

/// Throughput within 0.5 %, and the share of the attempts that collide.
///
/// The standard error of the cell's throughput is 0.05 % of 2 stations and 0.2 % of 50 in 600 s (8 seeds).
fn agree_with_dice(bursts: &[Burst], n: usize, ns: u64, class: Class) {
    let (arrived, attempts) = monte_carlo(bursts, &vec![class; n], LONGER * ns);
    let (packets, frames, collided) = cell(bursts, n, ns, true, class);
    let name = format!("{}, {} MPDUs, {n} stations", bursts[0].profile, bursts[0].frames);
    let expected = 1.0 - arrived.iter().sum::<u64>() as f64 / attempts as f64;
    for (i, burst) in bursts.iter().enumerate() {
        let sum = |of: &[u64]| of.iter().skip(i).step_by(bursts.len()).sum::<u64>() as f64;
        let expected = sum(&arrived) / LONGER as f64 * f64::from(burst.frames);
        let throughput = sum(&packets) / expected - 1.0;
        println!("{name}: {} MPDUs: throughput {:+.3} %", burst.frames, 100.0 * throughput);
        assert!(throughput.abs() < 0.005, "{name}: {burst:?}: throughput {:+.2} %", 100.0 * throughput);
    }
    let p = collided as f64 / frames as f64 / expected - 1.0;
    // Collisions are at least pairs.
    let error = (2.0 * (1.0 + 1.0 / LONGER as f64) / collided as f64).sqrt();
    assert!(p.abs() < 0.005 + 3.0 * error, "{name}: p {:+.2} %", 100.0 * p);
}

fn agree(burst: Burst, seconds: u64) {
    for n in [2, 5, 10, 20, 50] {
        let ns = seconds * S;
        agree_with_dice(&[burst], n, ns, BEST_EFFORT);
        // In the model everybody goes on after a collision's DATA (or RTS) and AIFS.
        let (packets, ..) = cell(&[burst], n, ns / 3, false, BEST_EFFORT);
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

/// Stations have the constants that the access point announces.
#[test]
fn announced_constants() {
    for n in [2, 10] {
        agree_with_dice(&[SINGLE], n, 60 * S, (6, 31, 127));
    }
}

/// A TXOP limit of 1024 us and a CWmin of 31 while several stations upload, from the end of the first second on: four MPDUs
/// in 800 us and their BLOCK ACK.
#[test]
fn adapted_constants() {
    const SHORT: Burst = Burst::new("std-11n", 7, 20, 4, 800_000, 16_000 + 32_000);
    for n in [2, 10] {
        let ns = 120 * S;
        let (expected, _) = monte_carlo(&[SHORT], &vec![(3, 31, 1023); n], LONGER * ns);
        let mut run = saturated(&[HT], n, |config| (config.txop, config.adapts_announced) = (true, true));
        let mut arrived = |until: u64| {
            run.run(until);
            run.arrived[1..].iter().sum::<u64>()
        };
        let before = arrived(2 * S);
        let seen = (arrived(2 * S + ns) - before) as f64;
        let expected = expected.iter().sum::<u64>() as f64 / LONGER as f64 * f64::from(SHORT.frames);
        let off = seen / expected - 1.0;
        assert!(off.abs() < 0.005, "{n} stations: throughput {:+.2} %", 100.0 * off);
    }
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
        agree_with_dice(&[HT, SLOW], n, 5000 * S, BEST_EFFORT);
    }
}

/// DCF with best effort's AIFS and windows is EDCA with that category alone, where a busy slot counts: EDCA's counter goes
/// down on the boundary on which another station begins. By DCF's own rule it does not.
#[test]
fn one_category_is_dcf_with_its_waits_and_windows() {
    let profile = phy("std-11n");
    let rate =
        profile.rate(&RateSpec { mcs: 7, width: Some(20), ..RateSpec::default() }).expect("a rate of it");
    let windows = Windows { least: Some(15), most: Some(1023) };
    let access = AccessMethod { rule: AccessRule::Dcf(windows), ifs_ns: Some(AIFS) };
    let base = CellConfig { beacon: None, attempts: u8::MAX, ..CellConfig::new(profile) };
    let edca = CellConfig { edca: Edca::Hostapd, ..base.clone() };
    let dcf = |backoff| CellConfig { access: access.clone(), backoff, ..base.clone() };
    for n in 1..=20 {
        let arrived = |config: CellConfig| {
            let stations = vec![(rate, Loss::None); n];
            let mut run = Saturated::deep(config, &stations, 1500, false, 1, 3, Category::BestEffort);
            run.run(100 * S);
            run.arrived.iter().sum::<u64>() as f64
        };
        let (with, without) = (arrived(edca.clone()), arrived(dcf(Backoff::Bianchi)));
        let off = with / without - 1.0;
        assert!(off.abs() < 0.005, "{n} stations: {:+.2} %", 100.0 * off);
        let own = with / arrived(dcf(Backoff::Standard)) - 1.0;
        println!(
            "{n} stations: {:+.2} % from DCF with a busy slot, {:+.2} % from DCF",
            100.0 * off,
            100.0 * own
        );
    }
}
