// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `aarf` and `ideal` step by step; all of them on channels that stay as they are.

use airtab_core::{Phy, RateSpec};
use proptest::prelude::*;

use super::*;
use crate::engine::Stream;
use crate::wifi::config::Aggregation;

const US: u64 = 1000;
const MS: u64 = 1000 * US;
const S: u64 = 1000 * MS;

/// Of a window of 64.
fn aggregation(frames: u16, bytes: u32, time_ns: u32) -> Aggregation {
    Aggregation { frames, bytes, time_ns, window: 64, amsdu_bytes: 0, bar: false }
}

/// 802.11n at 20 MHz, 800 ns: 8 rates of each number of streams; aggregates of 4 ms.
pub(super) fn ht20(streams: u8) -> Arc<[Candidate]> {
    let phy = Phy::named("std-11n").expect("a profile of the core");
    let spec = RateSpec { mcs: 7, streams: Some(streams), ..RateSpec::default() };
    let top = phy.rate(&spec).expect("a rate of 802.11n");
    // AIFS and 7.5 slots.
    Candidate::all(&phy, &top, Some(&aggregation(64, 65_535, 4_000_000)), 43_000 + 67_500)
}

/// By hand: 52 N_SD, preamble 36 us for one stream and 40 for two, 16 us, a BLOCK ACK of 32 us.
#[test]
fn candidates_have_the_times_of_the_standard() {
    let rates = ht20(2);
    assert_eq!(rates.len(), 16);
    let mcs_7 = &rates[7];
    assert_eq!((mcs_7.kbps, mcs_7.group, mcs_7.share_db, mcs_7.most), (65_000, 0, 0.0, 20));
    // 1542 bytes: (8 * 1542 + 22) / 260 = 47.5, 48 symbols. 33 MPDUs: 50950 bytes, 1567.8. 32 MPDUs: 1520 symbols.
    assert_eq!(mcs_7.mpdu_ns, 190_000);
    assert_eq!(mcs_7.fixed_ns, 110_500 + 36_000 + 48 * 4000 - 190_000 + 16_000 + 32_000);
    // MCS 8 of the standard: 13 Mb/s, 1542 bytes in 238 symbols, 33 MPDUs in 7839. 4 ms: 990 symbols, 6432 bytes.
    let mcs_8 = &rates[8];
    assert_eq!((mcs_8.kbps, mcs_8.group, mcs_8.most), (13_000, 1, 4));
    assert!((mcs_8.share_db - 3.0103).abs() < 1e-4);
    assert_eq!(mcs_8.mpdu_ns, 7601 * 4000 / 32);
    // Its BLOCK ACK has 6 Mb/s: 278 bits in 12 symbols.
    assert_eq!(mcs_8.fixed_ns, 110_500 + 40_000 + 238 * 4000 - 950_125 + 16_000 + 68_000);
}

#[test]
fn candidates_are_what_the_profile_has_up_to_the_top() {
    let all = |profile: &str, spec: RateSpec, limits: Option<Aggregation>| {
        let phy = Phy::named(profile).expect("a profile of the core");
        Candidate::all(&phy, &phy.rate(&spec).expect("a rate of it"), limits.as_ref(), 0)
    };
    let limits = Some(aggregation(64, 1_048_575, 5_484_000));
    let wide = RateSpec { mcs: 9, streams: Some(2), width: Some(80), gi: Some(400), ..RateSpec::default() };
    let rates = all("std-11ac", wide, limits);
    // MCS 9 is missing at 20 MHz with one stream and with two.
    let count = |group: usize| rates.iter().filter(|rate| rate.group == group).count();
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(count), [9, 9, 10, 10, 10, 10, 0]);
    assert!(rates.iter().all(|rate| rate.rate.gi_ns() == 400));
    let last = rates.last().expect("58 rates");
    assert_eq!((last.rate.width_mhz(), last.rate.streams(), last.rate.mcs()), (80, 2, 9));
    assert_eq!((last.most, last.share_db), (64, 6.0 + 10.0 * libm::log10(2.0)));
    let lower = RateSpec { mcs: 4, width: Some(40), ..RateSpec::default() };
    assert_eq!(all("std-11ac", lower, limits).len(), 10);
    // Each limit by itself.
    let most = |limits| all("std-11n", RateSpec { mcs: 7, ..RateSpec::default() }, limits)[7].most;
    assert_eq!(most(limits), 28);
    assert_eq!(most(Some(aggregation(5, 1_048_575, 5_484_000))), 5);
    assert_eq!(most(Some(aggregation(64, 6174, 5_484_000))), 4);
    assert_eq!(most(Some(aggregation(64, 6173, 5_484_000))), 3);
    assert_eq!(most(Some(aggregation(64, 65_535, 100_000))), 1, "one always");
    // Without aggregation one, and an ACK of 28 us in the place of a BLOCK ACK of 32.
    let alone = all("std-11n", RateSpec { mcs: 7, ..RateSpec::default() }, None)[7];
    assert_eq!((alone.most, alone.fixed_ns), (1, ht20(1)[7].fixed_ns - 110_500 - 4000));
}

/// A control on a channel of its own: attempt after attempt, each MPDU by itself.
struct Link {
    control: RateControl,
    dice: Stream,
    snr_db: f64,
    now: u64,
    attempt: u32,
}

impl Link {
    fn new(control: RateControl, snr_db: f64, seed: u64) -> Link {
        Link { control, dice: Stream::new(seed, "dice"), snr_db, now: 0, attempt: 1 }
    }

    /// With the probability of an MPDU's arrival at each rate, and as many waiting as are asked for.
    fn step(&mut self, waiting: u32, arrives: &[f64]) -> Outcome {
        let ask = Ask { attempt: self.attempt, mpdus: waiting, snr_db: self.snr_db, now: self.now };
        let Choice { rate, mpdus } = self.control.choose(&ask);
        let sent = mpdus.min(waiting);
        let acked = (0..sent).filter(|_| self.dice.unit() < arrives[rate]).count() as u32;
        let of = &self.control.rates()[rate];
        self.now += u64::from(of.fixed_ns) + u64::from(sent * of.mpdu_ns);
        let outcome = Outcome { rate, sent, acked, now: self.now };
        self.control.result(&outcome);
        self.attempt = if acked > 0 { 1 } else { self.attempt + 1 };
        outcome
    }

    /// Rates and MPDUs of the attempts until then.
    fn until(&mut self, end: u64, waiting: u32, arrives: &[f64]) -> Vec<Outcome> {
        std::iter::from_fn(|| (self.now < end).then(|| self.step(waiting, arrives))).collect()
    }
}

fn aarf(rates: &Arc<[Candidate]>) -> RateControl {
    RateControl::aarf(rates.clone(), &ErrorTable::new())
}

/// Attempts that end so, 1 MPDU each; the rate of each, and of the next.
fn ladder(control: &mut RateControl, ends: &str) -> Vec<usize> {
    let mut rates = Vec::new();
    for end in ends.bytes() {
        let Choice { rate, .. } = control.choose(&Ask { attempt: 1, mpdus: 1, snr_db: 0.0, now: 0 });
        control.result(&Outcome { rate, sent: 1, acked: u32::from(end == b'+'), now: 0 });
        rates.push(rate);
    }
    rates.push(control.choose(&Ask { attempt: 1, mpdus: 1, snr_db: 0.0, now: 0 }).rate);
    rates
}

#[test]
fn names_are_those_of_the_algorithms() {
    let names = RateAlgorithm::ALL.map(|algorithm| (algorithm, algorithm.name()));
    use RateAlgorithm::*;
    assert_eq!(names, [(Fixed, "fixed"), (Ideal, "ideal"), (Aarf, "aarf"), (Minstrel, "minstrel")]);
}

#[test]
fn fixed_stays() {
    let mut control = RateControl::fixed(ht20(1), 3);
    for acked in [0, 1, 0, 0, 7] {
        let choice = control.choose(&Ask { attempt: 9, mpdus: 50, snr_db: -5.0, now: 0 });
        // 4 ms at 26 Mb/s: 475.08 us each.
        assert_eq!(choice, Choice { rate: 3, mpdus: 8 });
        control.result(&Outcome { rate: 3, sent: 8, acked, now: 0 });
    }
}

#[test]
fn aarf_goes_up_after_ten_and_down_after_two() {
    let rates = ht20(1);
    let mut control = aarf(&rates);
    // Nine and a failure begin anew; ten bring a step, and ten more the next.
    assert_eq!(ladder(&mut control, "+++++++++-"), [0; 11]);
    assert_eq!(ladder(&mut control, "+++++++++"), [0; 10]);
    assert_eq!(ladder(&mut control, "+"), [0, 1]);
    assert_eq!(ladder(&mut control, "+++++++++"), [1; 10]);
    assert_eq!(ladder(&mut control, "++"), [1, 2, 2]);
    // Two failures in succession bring a step down each time, one does not.
    assert_eq!(ladder(&mut control, "-+-+-+"), [2; 7]);
    assert_eq!(ladder(&mut control, "--"), [2, 2, 1]);
    assert_eq!(ladder(&mut control, "--"), [1, 1, 0]);
    assert_eq!(ladder(&mut control, "-----"), [0; 6]);
}

#[test]
fn aarf_doubles_what_it_needs_when_the_first_there_fails() {
    let rates = ht20(1);
    let mut control = aarf(&rates);
    let climb = |control: &mut RateControl, successes: usize| {
        let rates = ladder(control, &"+".repeat(successes));
        let at = rates[0];
        assert_eq!(rates[..successes], vec![at; successes], "not sooner");
        assert_eq!(rates[successes], at + 1, "not later");
    };
    climb(&mut control, 10);
    // One failure there is enough; then it takes 20, 40, 60, and never more.
    for needed in [20, 40, 60, 60, 60] {
        assert_eq!(ladder(&mut control, "-"), [1, 0]);
        climb(&mut control, needed);
    }
    // A second attempt that fails is no longer the first: it needs two. They make it 10 again.
    assert_eq!(ladder(&mut control, "+-"), [1, 1, 1]);
    assert_eq!(ladder(&mut control, "-"), [1, 0]);
    climb(&mut control, 10);
    climb(&mut control, 10);
    // What was needed stays when a try succeeds.
    assert_eq!(ladder(&mut control, "-"), [2, 1]);
    climb(&mut control, 20);
    climb(&mut control, 20);
    climb(&mut control, 20);
    // A step back is a new start: of two failures it is not the first.
    assert_eq!(ladder(&mut control, "--+"), [4, 3, 3, 3]);
    assert_eq!(ladder(&mut control, "-+"), [3; 3]);
}

#[test]
fn aarf_counts_no_successes_before_a_step() {
    let mut control = aarf(&ht20(1));
    ladder(&mut control, &"+".repeat(10));
    // At the top, successes do not add up to more than what is there.
    assert_eq!(ladder(&mut control, &"+".repeat(200)).last(), Some(&7));
    assert_eq!(ladder(&mut control, "--"), [7, 7, 6]);
    assert_eq!(ladder(&mut control, &"+".repeat(10)), [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7]);
}

#[test]
fn an_aggregate_succeeds_if_half_of_it_arrives() {
    let mut control = aarf(&ht20(1));
    for (acked, rate) in [(8, 0), (8, 1), (7, 1)] {
        let halves = |control: &mut RateControl, n| {
            for _ in 0..n {
                let Choice { rate, .. } = control.choose(&Ask { attempt: 1, mpdus: 16, snr_db: 0.0, now: 0 });
                control.result(&Outcome { rate, sent: 16, acked, now: 0 });
            }
            control.choose(&Ask { attempt: 1, mpdus: 16, snr_db: 0.0, now: 0 }).rate
        };
        assert_eq!(halves(&mut control, 1), rate, "{acked} of 16");
        if acked == 8 && rate == 0 {
            assert_eq!(halves(&mut control, 9), 1);
        }
    }
}

/// Two streams: what a step needs and gives, by the thresholds of the MCS and 3.01 dB for the second stream.
#[test]
fn steps_are_rates_that_need_more_for_being_faster() {
    let rates = ht20(2);
    let steps = candidate::steps(&rates, &ErrorTable::new());
    // 6.5 at 3.97; 13 at 6.98 (two streams: 6.978, one: 6.978 + 0.002); 26 at 9.99 (two QPSK 1/2, not one
    // 16-QAM 1/2 at 13.51; nor 19.5 at 9.87, which needs less and stays); 39 at 12.88; 52 at 16.52; 78 at
    // 19.63; 104 at 24.37; 117 at 25.64; 130 at 26.80.
    let mbps: Vec<f64> = steps.iter().map(|&i| f64::from(rates[i].kbps) / 1000.0).collect();
    assert_eq!(mbps, [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 78.0, 104.0, 117.0, 130.0]);
    let groups: Vec<usize> = steps.iter().map(|&i| rates[i].group).collect();
    assert_eq!(groups[2..], [0, 1, 1, 1, 1, 1, 1, 1]);
}

/// Goodput by the exact error rates: another way than the table's.
fn best(rates: &[Candidate], snr_db: f64, waiting: u32) -> (usize, f64) {
    let goodput = |rate: &Candidate| {
        let n = f64::from(waiting.min(rate.most));
        let arrives = 1.0 - rate.coding.error_rate(snr_db - rate.share_db, 1538);
        n * arrives / (f64::from(rate.fixed_ns) + n * f64::from(rate.mpdu_ns))
    };
    let all = rates.iter().map(goodput).enumerate();
    all.max_by(|a, b| a.1.total_cmp(&b.1)).expect("rates")
}

#[test]
fn ideal_is_the_best_of_the_exact_rates() {
    let rates = ht20(2);
    let table = Arc::new(ErrorTable::new());
    let mut control = RateControl::ideal(rates.clone(), table);
    let mut chosen = std::collections::BTreeSet::new();
    for step in 0..700 {
        let snr_db = 2.0 + f64::from(step) / 20.0;
        for waiting in [1, 2, 16, 64] {
            let Choice { rate, mpdus } = control.choose(&Ask { attempt: 1, mpdus: waiting, snr_db, now: 0 });
            let (_, goodput) = best(&rates, snr_db, waiting);
            let (_, own) = best(&rates[rate..=rate], snr_db, waiting);
            assert!(own >= 0.9999 * goodput, "{snr_db} dB, {waiting}: rate {rate}");
            assert_eq!(mpdus, rates[rate].most);
            chosen.insert(rate);
        }
    }
    assert!(chosen.len() >= 9, "{chosen:?}");
    // Where nothing arrives it is the slowest, that needs least.
    assert_eq!(control.choose(&Ask { attempt: 1, mpdus: 1, snr_db: -30.0, now: 0 }).rate, 0);
}

#[test]
fn ideal_looks_again_when_something_is_new() {
    let mut control = RateControl::ideal(ht20(1), Arc::new(ErrorTable::new()));
    let mut rate = |snr_db, mpdus| control.choose(&Ask { attempt: 1, mpdus, snr_db, now: 0 }).rate;
    assert_eq!([rate(30.0, 16), rate(4.5, 16), rate(4.5, 16), rate(30.0, 16)], [7, 0, 0, 7]);
    // An MPDU alone has all of the fixed time: a faster rate gains less.
    let found: Vec<(usize, usize)> = (0..400)
        .map(|i| 2.0 + f64::from(i) / 20.0)
        .map(|db| {
            let pair = (rate(db, 1), rate(db, 64));
            assert_eq!((rate(db, 1), rate(db, 64)), pair, "asked again");
            pair
        })
        .collect();
    assert!(found.iter().any(|(one, many)| one != many), "the number of MPDUs matters");
    assert!(found.iter().all(|(one, many)| one <= many));
}

/// Rates that bring all or nothing.
fn sharp(rates: &[Candidate], least: usize) -> Vec<f64> {
    (0..rates.len()).map(|i| if i <= least { 1.0 } else { 0.0 }).collect()
}

/// Channel time of attempts.
fn ns<'a>(rates: &[Candidate], outcomes: impl Iterator<Item = &'a Outcome>) -> f64 {
    let ns = |o: &Outcome| f64::from(rates[o.rate].fixed_ns) + f64::from(o.sent * rates[o.rate].mpdu_ns);
    outcomes.map(ns).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The slowest brings all; of the others each nothing, or 7 MPDUs of 10 and more.
    #[test]
    fn minstrel_finds_the_best_rate(
        arrives in proptest::collection::vec(13u32..=20, 15), waiting in 1u32..40, seed: u64,
    ) {
        let rates = ht20(2);
        let others = arrives.iter().map(|&p| if p == 13 { 0.0 } else { f64::from(p) / 20.0 });
        let arrives: Vec<f64> = std::iter::once(1.0).chain(others).collect();
        let mut link = Link::new(RateControl::minstrel(rates.clone(), seed, "a"), 0.0, seed);
        link.until(5 * S, waiting, &arrives);
        let usual = link.until(10 * S, waiting, &arrives);
        // What the channel time was worth at the rates it went to, next to what the best would make of it.
        let value = |rate: usize| {
            let n = f64::from(waiting.min(rates[rate].most));
            let ns = f64::from(rates[rate].fixed_ns) + n * f64::from(rates[rate].mpdu_ns);
            n * arrives[rate].min(0.9) / ns
        };
        let most = (0..16).map(value).fold(0.0, f64::max);
        let worth: f64 = usual.iter().map(|o| value(o.rate) * ns(&rates, std::iter::once(o))).sum();
        let share = worth / (most * ns(&rates, usual.iter()));
        prop_assert!(share >= 0.8, "{share}");
    }

    #[test]
    fn on_sharp_channels_all_find_the_fastest_that_brings_something(least in 0usize..8, seed: u64) {
        let rates = ht20(1);
        let arrives = sharp(&rates, least);
        for control in [aarf(&rates), RateControl::minstrel(rates.clone(), seed, "a")] {
            let mut link = Link::new(control, 0.0, seed);
            link.until(5 * S, 16, &arrives);
            let usual = link.until(15 * S, 16, &arrives);
            let there = ns(&rates, usual.iter().filter(|outcome| outcome.rate == least));
            prop_assert!(there >= 0.9 * ns(&rates, usual.iter()), "{there} ns at {least}");
        }
    }
}
