// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The published tables and figures to their last digit, and every equation against those it comes from.

use super::burst::*;
use super::credit::{Credits, Range};
use super::overlap::outranks;
use super::ppdq::{Class, Ppdq};
use super::two_flows::{p_1, two_flows};
use super::*;

/// Equal to the last of `digits` decimals.
#[track_caller]
fn printed(found: f64, expected: f64, digits: i32) {
    let half = 0.5 * 10f64.powi(-digits) * (1.0 + 1e-9);
    assert!((found - expected).abs() <= half, "{found}, not {expected}");
}

#[track_caller]
fn equal(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{found}, not {expected}");
}

fn credits(rates: &[f64], increment: f64) -> Credits {
    Credits::new(rates, increment).expect("fine rates")
}

#[test]
fn ranges_means_and_bursts_of_the_example() {
    let c = credits(&[2.0, 3.0, 5.0], 10.0);
    let range = |low, high| Range { low, high };
    assert_eq!([0, 1, 2].map(|i| c.range(i)), [range(12.0, 16.0), range(8.0, 14.0), range(0.0, 10.0)]);
    assert_eq!([0, 1, 2].map(|i| c.mean(i)), [14.0, 11.0, 5.0]);
    assert_eq!([0, 1, 2].map(|i| c.burst(i)), [Some(3.0), Some(6.0), None]);
    assert_eq!((c.capacity(), c.fastest(), c.boost_interval()), (10.0, 2, 20.0));
    equal([0, 1, 2].iter().map(|i| c.drain_rate(*i)).sum(), 1.0);
    let in_ms = credits(&[2.0, 3.0, 5.0], 25.0);
    assert_eq!([0, 1, 2].map(|i| in_ms.range(i)), [range(30.0, 40.0), range(20.0, 35.0), range(0.0, 25.0)]);
    let pair = credits(&[0.1, 0.9], 25.0);
    printed(pair.low(0), 44.44, 2);
    printed(pair.high(0), 47.22, 2);
    assert_eq!(credits(&[1.0, 2.0], 25.0).range(0), range(25.0, 37.5));
    // Flows are numbered as they are given, not by rate.
    let turned = credits(&[5.0, 2.0, 3.0], 10.0);
    assert_eq!([0, 1, 2].map(|i| turned.burst(i)), [None, Some(3.0), Some(6.0)]);
}

/// Spend what eq. 5.5 says, halve, add I: again and again.
#[test]
fn boosts_lead_to_the_upper_bound() {
    let c = credits(&[2.0, 3.0, 5.0], 10.0);
    for i in 0..3 {
        for start in [-40.0, 0.0, 10.0, 20.0] {
            let mut x = start;
            for y in 0..60 {
                equal(c.after(i, start, y), x);
                x = (x - c.drain(i)) / 2.0 + 10.0;
            }
            equal(x, c.high(i));
            equal(c.after(i, start, 5000), c.high(i));
        }
    }
}

/// Dissertation 5.3: what counts is the airtime. Flow 1 of the example with costs 15, 3 and 5 drains fastest.
#[test]
fn costs_make_the_drain() {
    let c = Credits::with_costs(&[2.0, 3.0, 5.0], &[15.0, 3.0, 5.0], 10.0).expect("fine");
    assert_eq!((c.fastest(), c.capacity()), (0, 64.0));
    assert_eq!((c.range(0), c.range(1)), (Range { low: 0.0, high: 10.0 }, Range { low: 14.0, high: 17.0 }));
    assert_eq!(c, credits(&[30.0, 9.0, 25.0], 10.0));
}

#[test]
fn overlaps_of_the_table() {
    for (rates, expected) in [
        (&[2.0, 3.0, 5.0][..], &[0.91667, 0.96667, 1.0][..]),
        (&[4.0, 5.0, 6.0], &[0.73056, 0.73333, 1.0]),
        (&[7.0, 8.0, 9.0, 10.0], &[0.55800, 0.55972, 0.64444, 1.0]),
        (&[1.0, 1.0, 1.0], &[1.0 / 3.0, 0.5, 1.0]),
        (&[3.0, 4.0, 5.0, 5.0], &[0.79694, 0.64000, 0.50000, 1.0]),
        (&[1.0, 2.0], &[1.0, 1.0]),
        (&[0.0, 0.0, 1.0], &[1.0, 1.0, 1.0]),
    ] {
        let c = credits(rates, 1.0);
        for (i, p) in expected.iter().enumerate() {
            printed(outranks(&c, i), *p, 5);
        }
    }
}

/// The same probability from its meaning: the mean over the own range of the chances that the others are
/// below, by the midpoint rule.
#[test]
fn overlaps_are_mean_products_of_chances() {
    const STEPS: u32 = 200_000;
    for rates in
        [&[4.0, 5.0, 6.0][..], &[7.0, 8.0, 9.0, 10.0], &[3.0, 4.0, 5.0, 5.0], &[9.0, 9.5, 9.7, 9.9, 10.0]]
    {
        let c = credits(rates, 25.0);
        for i in 0..rates.len() {
            let own = c.range(i);
            let chance = |at: f64, j| ((at - c.low(j)) / c.drain(j)).clamp(0.0, 1.0);
            let product = |step| {
                let at = own.low + (f64::from(step) + 0.5) / f64::from(STEPS) * (own.high - own.low);
                (i + 1..rates.len()).map(|j| chance(at, j)).product::<f64>()
            };
            let mean = (0..STEPS).map(product).sum::<f64>() / f64::from(STEPS);
            assert!((outranks(&c, i) - mean).abs() < 1e-9, "{rates:?} {i}: {mean}");
        }
    }
}

#[test]
fn two_flows_overlap_as_the_closed_form_says() {
    for (kappa, expected) in [
        (0.5, 1.0),
        (0.55, 0.9909),
        (0.6, 0.9667),
        (0.65, 0.9308),
        (0.7, 0.8857),
        (0.75, 0.8333),
        (0.8, 0.7750),
        (0.85, 0.7118),
        (0.9, 0.6444),
        (0.95, 0.5737),
        (1.0, 0.5),
    ] {
        printed(p_1(kappa).expect("fine"), expected, 4);
        equal(p_1(kappa).expect("fine"), outranks(&credits(&[kappa, 1.0], 25.0), 0));
    }
    assert_eq!(p_1(0.2), Ok(1.0));
}

#[test]
fn figure_5_4() {
    for (kappa, waits) in [
        (0.1, [[0.1019, 0.1455], [0.2620, 0.5682], [0.4315, 2.2182]]),
        (0.2, [[0.1035, 0.1625], [0.2728, 0.6250], [0.4616, 2.4000]]),
        (0.3, [[0.1049, 0.1769], [0.2827, 0.6731], [0.4907, 2.5538]]),
        (0.4, [[0.1061, 0.1893], [0.2917, 0.7143], [0.5186, 2.6856]]),
        (0.5, [[0.1072, 0.2000], [0.3001, 0.7500], [0.5456, 2.7999]]),
        (0.55, [[0.1090, 0.2041], [0.3085, 0.7631], [0.5692, 2.8391]]),
        (0.6, [[0.1130, 0.2064], [0.3246, 0.7694], [0.6125, 2.8490]]),
        (0.7, [[0.1252, 0.2061], [0.3735, 0.7616], [0.7556, 2.7737]]),
        (0.8, [[0.1405, 0.2001], [0.4389, 0.7279], [0.9839, 2.5580]]),
        (0.9, [[0.1571, 0.1892], [0.5149, 0.6712], [1.3153, 2.2012]]),
        (1.0, [[0.1741, 0.1741], [0.5962, 0.5962], [1.7485, 1.7485]]),
    ] {
        for (rho, [slow, fast]) in [0.2, 0.5, 0.8].into_iter().zip(waits) {
            let queue = two_flows(rho, kappa).expect("fine");
            printed(queue.wait(0).expect("an answer"), slow, 4);
            printed(queue.wait(1).expect("an answer"), fast, 4);
        }
    }
    let fifo = [0.2, 0.5, 0.8].map(|rho| two_flows(rho, 0.3).expect("fine").fifo_wait());
    fifo.into_iter().zip([0.125, 0.5, 2.0]).for_each(|(found, expected)| equal(found, expected));
}

/// The model's half of figure 6.5: kappa = 1/9 .. 1, load 0.5.
#[test]
fn figure_6_5() {
    let slow = [0.2632, 0.2751, 0.2858, 0.2955, 0.3099, 0.3551, 0.4232, 0.5061, 0.5962];
    let fast = [0.5750, 0.6363, 0.6875, 0.7307, 0.7642, 0.7671, 0.7375, 0.6785, 0.5962];
    for (j, (slow, fast)) in (1..).zip(slow.into_iter().zip(fast)) {
        let queue = two_flows(0.5, f64::from(j) / 9.0).expect("fine");
        printed(queue.wait(0).expect("an answer"), slow, 4);
        printed(queue.wait(1).expect("an answer"), fast, 4);
    }
}

#[test]
fn what_lies_between() {
    let queue = two_flows(0.5, 0.8).expect("fine");
    for (found, expected) in [
        (queue.weight(0), 0.7750),
        (queue.occupied(0), 0.2407),
        (queue.occupied(1), 0.3415),
        (queue.chance(0), 0.9232),
        (queue.chance(1), 0.8134),
        (queue.residual(), 0.25),
    ] {
        printed(found, expected, 4);
    }
}

/// Queues with services of different length and spread.
fn queues() -> Vec<Ppdq> {
    let mut queues = Vec::new();
    for (s, s2) in [(1.0, 1.0), (0.3, 0.2), (2.0, 8.0)] {
        for rho in [0.1, 0.5, 0.9] {
            for p_1 in [0.5, 0.7, 0.9999, 1.0] {
                let slow = Class { arrival_rate: 0.3 * rho / s, service: s, service_square: s2 };
                queues.push(Ppdq::new([slow, Class::fixed(0.7 * rho, 1.0)], p_1).expect("fine"));
            }
        }
    }
    queues
}

/// Eq. 5.18, 5.21 to 5.23 and 5.26 to 5.28, from the solutions back to the equations.
#[test]
fn occupancies_solve_their_equations() {
    for queue in queues() {
        equal(queue.weight(0) + queue.weight(1), 1.0);
        for i in 0..2 {
            let (q, other) = (queue.occupied(i), queue.occupied(1 - i));
            equal(q * (queue.weight(i) * other + 1.0 - other), queue.class(i).load());
            equal(q * (1.0 - queue.weight(1 - i) * other), queue.class(i).load());
            equal(queue.chance(i), 1.0 - queue.weight(1 - i) * other);
            let p = |l| queue.overtaken_by(i, l);
            assert!(((0..2000).map(p).sum::<f64>() - 1.0).abs() < 1e-9);
            let mean: f64 = (0..2000).map(|l| f64::from(l) * p(l)).sum();
            assert!((queue.overtakers(i) - mean).abs() < 1e-9, "{mean}");
        }
    }
}

/// Eq. 5.30 solves 5.19 with 5.16 and 5.29; with s_i in it, as printed, it does not unless services are equal.
#[test]
fn waits_solve_their_equation() {
    for queue in queues() {
        for i in 0..2 {
            let Some(wait) = queue.wait(i) else { continue };
            let (own, other) = (queue.class(i), queue.class(1 - i));
            let n = queue.backlog(i).expect("as the wait");
            let n_other = queue.served_meanwhile(i).expect("as the wait");
            equal(n, own.arrival_rate * wait);
            equal(wait, queue.residual() + own.service * n + other.service * n_other);
            equal(queue.sojourn(i).expect("as the wait"), wait + own.service);
        }
    }
}

/// What overtakes must fit into what is left of the time; a rare class of tiny services cannot wait for
/// nine of ten long ones.
#[test]
fn no_answer_where_the_approximation_has_none() {
    let rare = Class::fixed(1.0, 0.01);
    let queue = Ppdq::new([Class::fixed(0.5, 1.8), rare], 1.0).expect("the load is 0.91");
    assert!(queue.wait(0).is_some());
    assert_eq!((queue.wait(1), queue.work()), (None, None));
}

/// At p_1 = 1 the first class is served as under strict priority, to the last digit; the second is not.
#[test]
fn strict_priority_is_the_end_of_the_scale() {
    for rho in [0.2, 0.5, 0.8] {
        let capped = two_flows(rho, 0.4).expect("fine");
        let queue = Ppdq::new([capped.class(0), capped.class(1)], 1.0).expect("fine");
        equal(queue.wait(0).expect("an answer"), queue.priority_wait(0));
        assert!(queue.wait(1).expect("an answer") > queue.priority_wait(1));
        let work: f64 = (0..2).map(|i| queue.class(i).load() * queue.priority_wait(i)).sum();
        equal(work, queue.conserved_work());
        equal(queue.load() * queue.fifo_wait(), queue.conserved_work());
    }
}

/// The model does not conserve work: too much at light load, too little at heavy load.
#[test]
fn the_conservation_law_is_broken() {
    for (rho, kappa, model, law, digits) in
        [(0.5, 0.5, 0.300, 0.250, 3), (0.2, 1.0, 0.0348, 0.0250, 4), (0.8, 1.0, 1.399, 1.600, 3)]
    {
        let queue = two_flows(rho, kappa).expect("fine");
        printed(queue.work().expect("an answer"), model, digits);
        equal(queue.conserved_work(), law);
    }
}

#[test]
fn the_choice_of_the_increment() {
    equal(PAGE.bytes(), 74_172.0);
    printed(transfer_s(PAGE.bytes(), APPLICATION_BPS), 0.022, 3);
    printed(PAGE.activity_s(), 0.222, 3);
    printed(PAGE.activity(), 0.00556, 5);
    let largest = LARGEST_FRAMES.iter().map(|f| f.1).fold(0.0, f64::max);
    printed(transfer_s(largest, APPLICATION_BPS) * 1e3, 18.69, 2);
    printed(video_activity(largest), 0.0351, 4);
    let (low, high) = increment_range_s();
    printed(low * 1e3, 22.22, 2);
    equal(low, 50.0 * 1500.0 * 8.0 / 27e6);
    equal(high, 0.025);
    equal(increment_at_most(100.0, 2), 25.0);
    assert_eq!([1, 2, 3].map(|n| starvation(n, 25.0)), [50.0, 100.0, 150.0]);
}

#[test]
fn bursts_in_a_row() {
    // p, then p(2) in units of 1e-6 and p(3) in units of 1e-8, with the decimals that are printed.
    for (p, second, third) in [
        (0.0036, (12.96, 2), (7.00, 2)),
        (0.00556, (30.9, 1), (25.8, 1)),
        (0.0351, (1232.01, 2), (6.49e3, -1)),
    ] {
        printed(second_burst(p) * 1e6, second.0, second.1);
        printed(third_burst(p) * 1e8, third.0, third.1);
    }
    // The double integral, by the midpoint rule.
    let (p, steps) = (0.3, 10_000);
    let inner = |k: i32| p + (f64::from(k) + 0.5) / f64::from(steps) * p;
    let integral = (0..steps).map(inner).sum::<f64>() / f64::from(steps) * p;
    assert!((third_burst(p) - p * integral).abs() < 1e-12);
}

#[test]
fn errors_name_the_value() {
    let text = |e: ChapError| e.to_string();
    assert!(text(Credits::new(&[1.0, -2.0], 25.0).unwrap_err()).contains("rate -2 of flow 2"));
    assert!(text(Credits::new(&[0.0, 0.0], 25.0).unwrap_err()).contains("one is above 0"));
    assert!(text(Credits::new(&[f64::NAN], 25.0).unwrap_err()).contains("rate NaN of flow 1"));
    assert!(text(Credits::new(&[1.0], 0.0).unwrap_err()).contains("increment 0"));
    assert_eq!(Credits::new(&[], 25.0), Err(ChapError::NoFlows));
    let costs = Credits::with_costs(&[1.0, 2.0], &[1.0], 25.0).unwrap_err();
    assert_eq!(text(costs), "1 costs for 2 rates: give one for each");
    assert!(text(Credits::with_costs(&[1.0], &[0.0], 25.0).unwrap_err()).contains("cost 0 of flow 1"));
    assert!(text(two_flows(1.0, 0.5).unwrap_err()).contains("load 1"));
    assert!(text(two_flows(0.0, 0.5).unwrap_err()).contains("load 0"));
    assert!(text(two_flows(0.5, 1.5).unwrap_err()).contains("kappa 1.5"));
    let class = Class::fixed(0.5, 1.0);
    assert!(text(Ppdq::new([class, class], 0.5).unwrap_err()).contains("load 1"));
    assert!(text(Ppdq::new([class, Class::fixed(0.1, 1.0)], 1.5).unwrap_err()).contains("probability 1.5"));
    let narrow = Class { arrival_rate: 0.1, service: 2.0, service_square: 3.0 };
    assert!(text(Ppdq::new([class, narrow], 0.5).unwrap_err()).contains("class 2"));
}
