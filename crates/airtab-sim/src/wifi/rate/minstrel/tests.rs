// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Statistics, chain and samples by hand.

use std::sync::Arc;

use super::*;
use crate::wifi::rate::tests::ht20;

const MS: u64 = 1_000_000;

struct Bench {
    rates: Arc<[Candidate]>,
    minstrel: Minstrel,
}

impl Bench {
    fn new(streams: u8) -> Bench {
        let rates = ht20(streams);
        let minstrel = Minstrel::new(&rates, 1, "a");
        let mut bench = Bench { rates, minstrel };
        // The first 50 ms begin.
        bench.choose(2, 0);
        bench
    }

    fn choose(&mut self, attempt: u32, now: u64) -> Choice {
        self.minstrel.choose(&self.rates, &Ask { attempt, mpdus: 64, snr_db: 0.0, now })
    }

    fn result(&mut self, rate: usize, sent: u32, acked: u32, now: u64) {
        self.minstrel.result(&self.rates, &Outcome { rate, sent, acked, now });
    }

    /// Statistics of rates: number, sent, acknowledged; then they are taken.
    fn window(&mut self, now: u64, results: &[(usize, u32, u32)]) -> Chain {
        for &(rate, sent, acked) in results {
            self.result(rate, sent, acked, now - 1);
        }
        self.choose(2, now);
        self.minstrel.chain
    }

    fn mean(&self, rate: usize) -> Option<f64> {
        self.minstrel.statistics[rate].mean
    }
}

/// In 4096ths: 1173 of the new share, 5273 of the last value, -2350 of the one before.
#[test]
fn success_passes_a_filter_of_second_order() {
    let mut bench = Bench::new(1);
    bench.result(3, 10, 5, MS);
    bench.result(3, 10, 3, 2 * MS);
    bench.choose(2, 50 * MS - 1);
    assert_eq!(bench.mean(3), None, "not before 50 ms");
    bench.choose(2, 50 * MS);
    assert_eq!(bench.mean(3), Some(0.4), "the first is the mean");
    let is = |bench: &Bench, expected: f64| {
        let mean = bench.mean(3).unwrap();
        assert!((mean - expected).abs() < 1e-12, "{mean} instead of {expected}");
    };
    bench.window(100 * MS, &[(3, 4, 4)]);
    let second = (1173.0 + 5273.0 * 0.4 - 2350.0 * 0.4) / 4096.0;
    is(&bench, second);
    bench.window(150 * MS, &[(2, 4, 4)]);
    assert_eq!(bench.mean(3), Some(second), "what was not used stays");
    bench.window(200 * MS, &[(3, 7, 0)]);
    let third = (5273.0 * second - 2350.0 * 0.4) / 4096.0;
    is(&bench, third);
    assert_eq!(bench.mean(4), None);
    // Results bring statistics, too.
    bench.result(3, 1, 0, 250 * MS);
    is(&bench, (5273.0 * third - 2350.0 * second) / 4096.0);
}

/// The filter has poles a e^(+-i w), a = exp(-pi sqrt(2) / 16), w = 2 pi sqrt(2) / 16. Its response to a step from 1 to 0 is
/// a^n (cos n w + c sin n w), c from the first value, which is 2 a cos w - a^2. Overshoot is cut off.
#[test]
fn a_step_is_followed_in_four_windows() {
    use std::f64::consts::{PI, SQRT_2};
    let (a, w) = ((-PI * SQRT_2 / 16.0).exp(), 2.0 * PI * SQRT_2 / 16.0);
    let c = (2.0 * w.cos() - a - w.cos()) / w.sin();
    let step = |n: f64| a.powf(n) * ((n * w).cos() + c * (n * w).sin());
    for falls in [true, false] {
        let mut bench = Bench::new(1);
        let share = |falling: bool| if falls == falling { 4 } else { 0 };
        bench.window(50 * MS, &[(3, 4, share(true))]);
        for n in 1..=8 {
            bench.window((50 + 50 * n) * MS, &[(3, 4, share(false))]);
            let left = if n < 4 { step(n as f64) } else { 0.0 };
            let expected = if falls { left } else { 1.0 - left };
            let seen = bench.mean(3).unwrap();
            assert!((seen - expected).abs() < 1e-3, "window {n}: {seen} instead of {expected}");
        }
        assert!(step(3.0) > 0.0 && step(4.0) < 0.0);
    }
}

#[test]
fn the_chain_is_best_second_and_most_probable() {
    let mut bench = Bench::new(1);
    let chain = |best, second, probable| Chain { best, second, probable };
    assert_eq!(bench.window(50 * MS, &[]), chain(0, 0, 0), "nothing known: the slowest");
    // One MPDU each: (194.5 + 1900.3) / 0.9 = 2328 us, (194.5 + 950.2) / 0.5 = 2289, (194.5 + 190.0) / 0.2 = 1923.
    let ones = |rate, acked| (0..20).map(move |i| (rate, 1, u32::from(i < acked)));
    let known: Vec<_> = ones(0, 20).chain(ones(1, 10)).chain(ones(7, 4)).collect();
    let seen = bench.window(100 * MS, &known);
    assert_eq!(seen, chain(7, 1, 0), "0 alone brings more than 3 in 4");
    // What brings nothing is no second best.
    assert_eq!(Bench::new(1).window(50 * MS, &[(4, 9, 9), (6, 9, 0)]), chain(4, 0, 4));
    let mut attempt = |n| bench.choose(n, 101 * MS).rate;
    let tried = attempt(1);
    assert_ne!(tried, 7, "the first tries another");
    bench.minstrel.trying = false;
    assert_eq!([1, 2, 3, 4, 5, 6, 7].map(|n| bench.choose(n, 102 * MS).rate), [7, 7, 1, 1, 0, 0, 0]);
}

#[test]
fn below_a_tenth_nothing_counts_and_above_nine_tenths_no_more() {
    // 9 in 100 at 65 Mb/s would be more than 30 in 100 at 6.5.
    let mut bench = Bench::new(1);
    assert_eq!(bench.window(50 * MS, &[(0, 100, 30), (7, 100, 9)]).best, 0);
    let mut bench = Bench::new(1);
    assert_eq!(bench.window(50 * MS, &[(0, 100, 30), (7, 100, 10)]).best, 7, "10 in 100 count");
    // 21 MPDUs take 199.3 us each at MCS 7, 18 at MCS 6 221.9: 90 and 100 in 100 are alike, 80 are less.
    let mut bench = Bench::new(1);
    let mut own = |seven, six| bench.window(50 * MS, &[(7, 100, seven), (6, 100, six)]).best;
    assert_eq!(own(90, 100), 7);
    let mut bench = Bench::new(1);
    assert_eq!(bench.window(50 * MS, &[(7, 100, 80), (6, 100, 90)]).best, 6);
}

#[test]
fn the_most_probable_is_the_fastest_of_the_safe() {
    let most_probable = |results: &[(usize, u32, u32)]| Bench::new(1).window(50 * MS, results).probable;
    // 3 in 4 is not more than 3 in 4.
    assert_eq!(most_probable(&[(2, 100, 100), (4, 100, 76), (5, 100, 75)]), 4);
    // None is safe: what brings most, fast or not.
    assert_eq!(most_probable(&[(2, 100, 50), (4, 100, 60), (5, 100, 40)]), 4);
    assert_eq!(most_probable(&[(2, 100, 61), (4, 100, 60), (5, 100, 40)]), 2);
    // Of equals the slower.
    assert_eq!(most_probable(&[(2, 100, 60), (4, 100, 60)]), 2);
}

/// What does not depend on the rate is shared by more MPDUs.
#[test]
fn longer_aggregates_make_fast_rates_better() {
    // 4: 238.66 / 0.75 = 318.2 us at MCS 7, 286.16 / 0.9 = 318.0 at MCS 5. 16: 269.6 and 277.4.
    let best = |mpdus: u32| {
        let mut bench = Bench::new(1);
        bench.window(50 * MS, &[(7, mpdus, mpdus * 3 / 4), (5, mpdus, mpdus)]).best
    };
    assert_eq!([best(4), best(16)], [5, 7]);
    // A quarter of each window enters.
    let mut bench = Bench::new(1);
    bench.window(50 * MS, &[(7, 16, 16), (7, 8, 8)]);
    assert_eq!(bench.minstrel.length, Some(12.0));
    bench.window(100 * MS, &[(7, 4, 4)]);
    assert_eq!(bench.minstrel.length, Some(10.0));
    bench.window(150 * MS, &[]);
    assert_eq!(bench.minstrel.length, Some(10.0));
}

/// Which rates samples try, from a chain of the rates 2, 1 and 0 of one stream, and none beside known.
fn sampled(streams: u8, known: &[(usize, u32, u32)], n: usize) -> Vec<usize> {
    let mut bench = Bench::new(streams);
    bench.window(50 * MS, known);
    let chain = bench.minstrel.chain;
    let mut rates = Vec::new();
    // Each in a window of its own.
    for i in 0..n as u64 {
        let choice = bench.choose(1, (100 + 50 * i) * MS);
        assert_eq!(bench.minstrel.chain, chain);
        if bench.minstrel.trying {
            assert_eq!(choice.mpdus, 1);
            rates.push(choice.rate);
        }
        bench.minstrel.trying = false;
    }
    rates
}

#[test]
fn samples_are_upward_random_and_slow() {
    // Best 5, second 4, most probable 1: it alone is safe.
    let known = [(5, 100, 70), (4, 100, 70), (1, 100, 100)];
    let seen = sampled(1, &known, 600);
    assert_eq!(seen.len(), 600);
    for six in seen.chunks(6) {
        let &[up, random, up_again, random_again, up_third, slow] = six else { panic!("six") };
        assert_eq!([up, up_again, up_third], [6; 3], "the next one up");
        assert!([random, random_again].iter().all(|rate| [6, 7].contains(rate)), "{six:?}");
        assert!([2, 3, 4].contains(&slow), "{six:?}");
    }
    // Of both about the same number.
    let sevens = seen.iter().filter(|rate| **rate == 7).count();
    assert!((70..130).contains(&sevens), "{sevens} of 200");
    let threes = seen.iter().filter(|rate| **rate == 3).count();
    assert!((18..50).contains(&threes), "{threes} of 100");
}

#[test]
fn samples_go_round_the_groups() {
    // Best 4 (39 Mb/s), second 3, most probable 0. Of two streams, 52 and more are faster: 11 to 15.
    let known = [(4, 100, 70), (3, 100, 70), (0, 100, 100)];
    let seen = sampled(2, &known, 600);
    let of = |kinds: &[usize]| -> Vec<usize> {
        seen.chunks(6).flat_map(|six| kinds.iter().map(|&i| six[i])).collect()
    };
    for (i, rate) in of(&[0, 2, 4]).into_iter().enumerate() {
        assert_eq!(rate, [11, 5][i % 2], "from one group to the other");
    }
    for (i, rate) in of(&[1, 3]).into_iter().enumerate() {
        assert!([11..16, 5..8][i % 2].contains(&rate), "{rate}");
    }
    // Slow: two streams have 13, 26 and 39, which is as fast as the best.
    for (i, rate) in of(&[5]).into_iter().enumerate() {
        assert!([8..11, 1..4][i % 2].contains(&rate), "{rate}");
    }
}

#[test]
fn where_a_kind_has_none_it_is_the_next_ones_turn() {
    // At the top nothing is faster: all are slow. Best 7, second 6, most probable 2.
    let known = [(7, 100, 70), (6, 100, 70), (2, 100, 100)];
    let seen = sampled(1, &known, 60);
    assert_eq!(seen.len(), 60);
    assert!(seen.iter().all(|rate| [3, 4, 5, 6].contains(rate)), "{seen:?}");
    // The three at the top, next to one another: there is nothing to try.
    let known = [(7, 100, 100), (6, 100, 96)];
    assert_eq!(sampled(1, &known, 60), [], "what is slower and good need not be tried");
    assert_eq!(sampled(1, &[(7, 100, 100), (6, 100, 95)], 60), [6; 60]);
    // A second best that is faster is tried: nothing else tells when it is better than it was.
    assert_eq!(sampled(1, &[(6, 100, 100), (7, 100, 50)], 60), [7; 60]);
    // From the bottom none is slow.
    let seen = sampled(1, &[(0, 100, 100)], 60);
    assert_eq!((seen.len(), seen.iter().min()), (60, Some(&1)));
}

#[test]
fn one_sample_every_20_ms_and_each_rate_once_in_50() {
    let mut bench = Bench::new(1);
    bench.window(50 * MS, &[(5, 100, 100), (4, 100, 100)]);
    let mut tried = Vec::new();
    for now in (100..350).map(|ms| ms * MS) {
        // Later attempts try nothing.
        bench.choose(2, now);
        assert!(!bench.minstrel.trying);
        let choice = bench.choose(1, now);
        if std::mem::take(&mut bench.minstrel.trying) {
            tried.push((now / MS, choice.rate));
        } else {
            assert_eq!(choice, Choice { rate: 5, mpdus: 16 });
        }
    }
    // 6 and 7, in windows from 100, 150, .. on: the third of a window finds nothing.
    let times: Vec<u64> = tried.iter().map(|(at, _)| *at).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 20), "{times:?}");
    for window in 2..7 {
        let mut rates: Vec<usize> =
            tried.iter().filter(|(at, _)| at / 50 == window).map(|(_, rate)| *rate).collect();
        rates.sort_unstable();
        assert_eq!(rates, [6, 7], "window {window}: {tried:?}");
    }
}

#[test]
fn a_sample_is_no_aggregate() {
    let mut bench = Bench::new(1);
    let choice = bench.choose(1, 0);
    assert_eq!(choice.mpdus, 1);
    assert!(bench.minstrel.trying);
    bench.result(choice.rate, 1, 1, MS);
    bench.window(50 * MS, &[(0, 2, 2)]);
    assert_eq!(bench.minstrel.length, Some(2.0));
    assert_eq!(bench.mean(choice.rate), Some(1.0), "but it counts");
    assert_eq!(bench.minstrel.chain.best, choice.rate);
}
