// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Borrowing against weighted max-min by progressive filling, bursts against the discipline packet by packet. Neither
//! shares code with what it judges.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::{borrow, burst};
use super::{digits, near};

/// Raises what all have, in proportion to their rates, from one class's load to the next until the link is full.
fn filled(rates: &[f64], loads: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..rates.len()).collect();
    order.sort_by(|&a, &b| (loads[a] / rates[a]).total_cmp(&(loads[b] / rates[b])));
    let (mut left, mut weights): (f64, f64) = (rates.iter().sum(), rates.iter().sum());
    let mut got = vec![0.0; rates.len()];
    for i in order {
        let level = left / weights;
        got[i] = if loads[i] / rates[i] < level { loads[i] } else { level * rates[i] };
        left -= got[i];
        weights -= rates[i];
    }
    got
}

#[test]
fn borrowing_is_weighted_max_min() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    for _ in 0..20_000 {
        let n = 1 + (uniform() * 8.0) as usize;
        let rates: Vec<f64> = (0..n).map(|_| 1.0 + 999.0 * uniform()).collect();
        let load = |rate: &f64| match uniform() {
            x if x < 0.15 => 0.0,
            x if x < 0.3 => f64::INFINITY,
            _ => 3.0 * rate * uniform(),
        };
        let loads: Vec<f64> = rates.iter().map(load).collect();
        let steps = borrow::steps(&rates, &loads).unwrap();
        assert!(steps.len() <= n + 1, "{} iterations of {n} classes: {rates:?} {loads:?}", steps.len() - 1);
        let got = &steps[steps.len() - 1].rates;
        let capacity: f64 = rates.iter().sum();
        for (found, want) in got.iter().zip(filled(&rates, &loads)) {
            near(*found, want, 1e-9 * capacity);
        }
    }
}

/// Tables 4.6 and 4.7: three iterations, the first is the allocation.
#[test]
fn iterations_of_table_4_7() {
    let (rates, loads) = ([935.0, 140.0, 150.0], [700.0, 160.0, 1000.0]);
    let steps = borrow::steps(&rates, &loads).unwrap();
    let rounded: Vec<Vec<f64>> =
        steps.iter().map(|step| step.rates.iter().map(|rate| rate.round()).collect()).collect();
    assert_eq!(rounded, [[935.0, 140.0, 150.0], [700.0, 253.0, 272.0], [700.0, 160.0, 365.0]]);
    assert_eq!(steps[0].excess, [235.0, 0.0, 0.0]);
    assert_eq!(digits(steps[1].excess[1], 1), "93.4");
    assert_eq!(steps[2].excess, [0.0; 3]);
    near(steps[2].rates[2], 365.0, 1e-9);
    assert_eq!(borrow::part(&rates, &rates, &loads, 0), 0.0);
    near(borrow::part(&rates, &rates, &loads, 1), 140.0 / 290.0, 1e-15);
}

/// One class leaves some: eq. 4.13 is an iteration. Of 150 to spare, classes of 100 and 200 get 50 and 100.
#[test]
fn one_class_leaves_some() {
    let (rates, loads) = ([100.0, 200.0, 400.0], [f64::INFINITY, f64::INFINITY, 250.0]);
    let got = borrow::predict(&rates, &loads).unwrap();
    assert_eq!(
        got.iter().map(|x| digits(*x, 9)).collect::<Vec<_>>(),
        ["150.000000000", "300.000000000", "250.000000000"]
    );
    for j in [0, 1] {
        near(borrow::beside_one(&rates, 2, 250.0, j), got[j], 1e-9);
    }
    assert_eq!(borrow::all_excess(&rates, &loads), 150.0);
}

/// What a class lets in at once before it drops, arrival by arrival (figures 4.3 and 4.6).
fn counted(weight: f64, threshold: f64, guard: u64) -> u64 {
    let (mut queued, mut average) = (0u64, 0.0);
    loop {
        if queued > 0 {
            average = (1.0 - weight) * average + weight * queued as f64;
        }
        if queued > guard && average > threshold {
            return queued;
        }
        queued += 1;
    }
}

#[test]
fn bursts_of_the_study() {
    for (weight, threshold, packets) in [
        (256.0, 85.58, 242),
        (256.0, 59.11, 196),
        (256.0, 25.67, 124),
        (256.0, 17.73, 101),
        (256.0, 5.0, 52),
        (16.0, 22.45, 36),
        (16.0, 26.06, 40),
        (16.0, 6.74, 17),
        (16.0, 7.81, 19),
        (16.0, 6.66, 17),
        (4.0, 14.28, 18),
        (4.0, 14.29, 18),
        (4.0, 4.28, 7),
        (4.0, 4.29, 7),
        (256.0, 40.0, 158),
    ] {
        assert_eq!(burst::accepted(1.0 / weight, threshold, 1).unwrap(), packets, "1/{weight}, {threshold}");
        assert_eq!(counted(1.0 / weight, threshold, 1), packets);
    }
}

#[test]
fn bursts_as_counted() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    for _ in 0..2_000 {
        let (weight, threshold) = ((-9.0 * uniform()).exp2(), 0.01 + 200.0 * uniform());
        let guard = (4.0 * uniform()) as u32;
        let found = burst::accepted(weight, threshold, guard).unwrap();
        assert_eq!(found, counted(weight, threshold, guard.into()), "{weight} {threshold} {guard}");
    }
    assert_eq!(burst::accepted(1.0, 3.0, 1).unwrap(), 4, "no averaging: one more than the threshold");
    assert_eq!(burst::accepted(1.0, 0.5, 1).unwrap(), 2, "the guard lets in a second one");
    assert_eq!(burst::accepted(1e-300, 1.0, 1).unwrap(), 1 << 40, "an average that never moves");
}

/// Section B.3.2 prints 40.39, cut off.
#[test]
fn averages_after_bursts() {
    for (packets, average) in [(157, "39.935"), (158, "40.396"), (100, "17.410")] {
        assert_eq!(digits(burst::average_after(packets, 1.0 / 256.0).unwrap(), 3), average);
    }
    assert_eq!(burst::average_after(7, 1.0).unwrap(), 7.0);
}
