// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Closed forms to the last printed digit.

use super::super::airtime::{Ack, Airtime, contention};
use super::super::hash::hash;
use super::super::law::SlotLaw;
use super::super::regimes::{Regime, regime};
use super::super::{correlation, cost, density, effective, idle_sense, jain, link, schedule, shares};
use super::{digits, near};

/// 9.3 in slots.
#[test]
fn contention_time() {
    let known = [
        (1, "15.493"),
        (2, "8.048"),
        (3, "5.361"),
        (4, "4.210"),
        (5, "3.586"),
        (6, "3.168"),
        (7, "2.850"),
        (8, "2.592"),
        (9, "2.378"),
        (10, "2.197"),
        (12, "1.915"),
        (15, "1.628"),
        (20, "1.357"),
        (25, "1.208"),
        (30, "1.112"),
        (40, "0.980"),
        (50, "0.880"),
    ];
    for (n, slots) in known {
        assert_eq!(digits(contention(n).unwrap(), 3), slots, "N = {n}");
    }
    assert_eq!(digits(contention(64).unwrap(), 4), "0.7667");
    assert_eq!(contention(1000), contention(64));
}

/// 802.11b at 11 Mb/s, MAC ACK at `ack` Mb/s behind its own preamble: 9.2's constants by hand.
fn cell(n: u32, ack: u64) -> Airtime<impl Fn(u32) -> u64> {
    let exchange = move |bytes: u32| {
        let frame = (u64::from(bytes) + 36) * 8 * 1_000_000 / 11_000;
        50_000 + 192_000 + frame + 10_000 + 192_000 + 112_000 / ack
    };
    Airtime::new(n, 20_000, exchange).unwrap()
}

#[test]
fn costs_of_packets_and_acks() {
    let us = |ns: f64| digits(ns / 1e3, 1);
    assert_eq!(us(cell(1, 1).packet_ns(1500)), "1982.9");
    assert_eq!(us(cell(7, 2).packet_ns(40)), "612.3");
    for (ack, data, covered) in [
        (1, "2411.1", [(1500, "2411.1"), (2000, "3420.3"), (3000, "4147.6"), (6000, "7620.5")]),
        (2, "2299.1", [(1500, "2299.1"), (2000, "3252.3"), (3000, "3979.6"), (6000, "7340.5")]),
    ] {
        let cell = cell(6, ack);
        assert_eq!(us(cell.data_ns(1500, 40)), data);
        for (covered, eta) in covered {
            let ack = Ack { bytes: 40, covered, mtu: 1500, header: 0 };
            assert_eq!(us(cell.ack_ns(&ack)), eta, "{covered} bytes");
        }
    }
    // Of TCP payload: pieces have headers.
    let cell = cell(6, 1);
    for (header, covered, eta) in [
        (40, 1460, "2411.1"),
        (40, 2920, "4147.6"),
        (40, 5840, "7620.5"),
        (40, 11_680, "14566.3"),
        (52, 1448, "2419.8"),
        (52, 5792, "7629.2"),
    ] {
        let ack = Ack { bytes: header, covered, mtu: 1500, header };
        assert_eq!(us(cell.ack_ns(&ack)), eta, "{covered} bytes");
    }
    near(
        cell.data_ns(1500, 40),
        cell.ack_ns(&Ack { bytes: 40, covered: 1460, mtu: 1500, header: 40 }),
        1e-12,
    );
}

/// p_c, W_T, W_C of the uniform law.
#[test]
fn h_by_windows() {
    let known: [(u32, [[&str; 3]; 5]); 6] = [
        (
            8,
            [
                [".1250", "2.000", "3.500"],
                [".1797", "1.400", "2.130"],
                [".2865", ".796", "1.107"],
                [".5095", ".282", ".375"],
                [".6747", ".120", ".163"],
            ],
        ),
        (
            16,
            [
                [".0625", "4.667", "7.500"],
                [".0918", "3.387", "4.787"],
                [".1497", "2.106", "2.686"],
                [".2833", ".958", "1.129"],
                [".4011", ".544", ".627"],
            ],
        ),
        (
            32,
            [
                [".0312", "10.00", "15.50"],
                [".0464", "7.381", "10.12"],
                [".0765", "4.761", "5.876"],
                [".1489", "2.388", "2.706"],
                [".2173", "1.506", "1.658"],
            ],
        ),
        (
            64,
            [
                [".0156", "20.67", "31.50"],
                [".0233", "15.38", "20.78"],
                [".0387", "10.09", "12.27"],
                [".0763", "5.285", "5.895"],
                [".1129", "3.487", "3.773"],
            ],
        ),
        (
            128,
            [
                [".0078", "42.00", "63.50"],
                [".0117", "31.38", "42.11"],
                [".0194", "20.75", "25.07"],
                [".0386", "11.10", "12.29"],
                [".0575", "7.478", "8.031"],
            ],
        ),
        (
            256,
            [
                [".0039", "84.67", "127.5"],
                [".0059", "63.38", "84.78"],
                [".0097", "42.08", "50.67"],
                [".0194", "22.73", "25.09"],
                [".0290", "15.47", "16.56"],
            ],
        ),
    ];
    for (window, row) in known {
        for (n, want) in [2, 3, 5, 10, 15].into_iter().zip(row) {
            let found = hash(&SlotLaw::uniform(window).unwrap(), n).unwrap();
            let found = [found.p_collision, found.wait_success, found.wait_collision];
            for (found, want) in found.into_iter().zip(want) {
                let decimals = want.len() - want.find('.').unwrap() - 1;
                let half = 0.5 * libm::pow(10.0, -(decimals as f64)) * 1.000_001;
                assert!(
                    (found - want.parse::<f64>().unwrap()).abs() <= half,
                    "C = {window}, N = {n}: {found}, {want}"
                );
            }
        }
    }
}

#[test]
fn h_by_hand() {
    let of = |window, n| hash(&SlotLaw::uniform(window).unwrap(), n).unwrap();
    for (window, want) in
        [(2, [0.5, 0.0, 0.5]), (3, [1.0 / 3.0, 1.0 / 3.0, 1.0]), (32, [0.03125, 10.0, 15.5])]
    {
        let found = of(window, 2);
        for (found, want) in [found.p_collision, found.wait_success, found.wait_collision].iter().zip(want) {
            assert!((found - want).abs() < 1e-12, "C = {window}: {found}, {want}");
        }
    }
    assert!((of(3, 2).collisions() - 0.5).abs() < 1e-12);
    let ramp = |n| {
        let found = hash(&SlotLaw::ramp(32).unwrap(), n).unwrap();
        (digits(found.p_collision, 4), digits(found.wait_success, 3), digits(found.wait_collision, 3))
    };
    let text = |a: &str, b: &str, c: &str| (a.to_string(), b.to_string(), c.to_string());
    assert_eq!(ramp(2), text("0.0417", "5.841", "7.506"));
    assert_eq!(ramp(5), text("0.1339", "2.393", "2.710"));
    assert_eq!(ramp(10), text("0.2697", "1.051", "1.141"));
    // Weights, hazards and a distribution are three ways to say one thing.
    let uniform = SlotLaw::uniform(4).unwrap();
    let again = [
        SlotLaw::weights(&[3.0; 4]).unwrap(),
        SlotLaw::hazards(&[0.25, 1.0 / 3.0, 0.5, 1.0]).unwrap(),
        SlotLaw::distribution(4, |t| t).unwrap(),
    ];
    for law in again {
        assert!(law.p().iter().zip(uniform.p()).all(|(a, b)| (a - b).abs() < 1e-15), "{law:?}");
    }
}

/// C_eff turns H round; the ramp's windows at Idle Sense's p_c.
#[test]
fn windows_of_equal_collisions() {
    for (window, n) in [(8, 2), (25, 4), (34, 15), (190, 30)] {
        let h = hash(&SlotLaw::uniform(window).unwrap(), n).unwrap();
        let found = effective::effective(h.p_collision, n).unwrap();
        near(found.window, window.into(), 1e-9);
        near(found.hash.wait_success, h.wait_success, 1e-9);
    }
    for (n, window, waits) in
        [(2, 33.0, ["10.34", "16.01"]), (5, 25.2, ["3.63", "4.52"]), (15, 34.3, ["1.65", "1.81"])]
    {
        // p_c of 802.11, printed to three digits.
        let p = [(2, 0.0303), (5, 0.0967), (15, 0.2036)].into_iter().find(|known| known.0 == n).unwrap().1;
        let found = effective::effective(p, n).unwrap();
        near(found.window, window, 0.002);
        near(found.hash.wait_success, waits[0].parse().unwrap(), 0.003);
        near(found.hash.wait_collision, waits[1].parse().unwrap(), 0.003);
    }
    assert_eq!(effective::effective(1.0, 3).unwrap().window, 1.0);
    let ramp = hash(&SlotLaw::ramp(32).unwrap(), 2).unwrap();
    assert!(effective::better_than_h(&ramp, 2).unwrap(), "{ramp:?}");
    near(effective::ramp(ramp.p_collision, 2).unwrap().window, 32.0, 1e-9);
}

/// C = 32, T = 60, two stations (8.8): uniform, both scalings of (8.19), the ramp, and the optimum.
#[test]
fn costs_of_a_window() {
    let zeta = |law: &SlotLaw| cost::per_cycle(law, 2, 60.0).unwrap();
    let of_density =
        |time: f64| SlotLaw::distribution(32, |t| density::distribution(t, time).unwrap()).unwrap();
    assert_eq!(digits(zeta(&SlotLaw::uniform(32).unwrap()), 2), "12.05");
    assert_eq!(digits(zeta(&of_density(60.0 / 32.0)), 2), "11.35");
    assert_eq!(digits(zeta(&SlotLaw::ramp(32).unwrap()), 2), "8.41");
    let scaled = of_density(density::effective_time(60.0, 32).unwrap());
    assert_eq!(digits(zeta(&scaled), 6), "7.266119");
    let (law, least) = cost::fixed_window(32, 60.0).unwrap();
    assert_eq!(digits(least, 6), "7.266117");
    near(zeta(&law), least, 1e-12);
    let p: Vec<String> = law.p()[..4].iter().map(|p| digits(*p, 4)).collect();
    assert_eq!(
        (p.join(" "), digits(law.p()[31], 5)),
        ("0.1211 0.1065 0.0936 0.0823".into(), "0.00417".into())
    );
    // A wide window leads to V (V + 1) = T.
    let wide = cost::fixed_window(10_000, 60.0).unwrap().1;
    near(wide * (wide + 1.0), 60.0, 1e-9);
    assert!((law.p()[10] / law.p()[9] - libm::exp(-1.0 / 60f64.sqrt())).abs() < 0.01);
}

#[test]
fn nothing_beats_the_best_law_of_a_window() {
    let (law, least) = cost::fixed_window(8, 20.0).unwrap();
    for (i, j) in [(0, 1), (0, 7), (3, 4), (6, 7)] {
        let mut p = law.p().to_vec();
        (p[i], p[j]) = (p[i] - 1e-3, p[j] + 1e-3);
        assert!(cost::per_cycle(&SlotLaw::weights(&p).unwrap(), 2, 20.0).unwrap() > least, "{i} to {j}");
    }
}

/// T = 68: the best uniform window, the best ramp, the best hazard.
#[test]
fn least_waste() {
    let cases = [
        (2, "9.690", 15, "8.550", Some(23), "0.10815", "8.2462"),
        (5, "10.864", 34, "10.685", Some(61), "0.03565", "10.6271"),
        (10, "11.388", 65, "11.341", Some(123), "0.01697", "11.3259"),
        (15, "11.579", 95, "11.558", Some(185), "0.01114", "11.5510"),
    ];
    for (n, uniform, c, ramp, cw, hazard, waste) in cases {
        let best = cost::best_window(SlotLaw::uniform, n, 68.0).unwrap();
        assert_eq!((best.0, digits(best.1, 3)), (c, uniform.into()), "N = {n}");
        let best = cost::best_window(SlotLaw::ramp, n, 68.0).unwrap();
        assert_eq!((Some(best.0), digits(best.1, 3)), (cw, ramp.into()), "N = {n}");
        let (h, w) = cost::best_hazard(n, 68.0).unwrap();
        assert_eq!((digits(h, 5), digits(w, 4)), (hazard.into(), waste.into()), "N = {n}");
        near(cost::per_success(&SlotLaw::geometric(h).unwrap(), n, 68.0).unwrap(), w, 1e-9);
    }
    for (n, hazard, waste) in [(3, "0.06408", "9.6305"), (30, "0.00549", "11.7725")] {
        let (h, w) = cost::best_hazard(n, 68.0).unwrap();
        assert_eq!((digits(h, 5), digits(w, 4)), (hazard.into(), waste.into()), "N = {n}");
    }
    for lost in [4.0, 60.0, 68.0] {
        let (h, w) = cost::best_hazard(2, lost).unwrap();
        near(h, 1.0 / (1.0 + lost.sqrt()), 1e-12);
        near(w, lost.sqrt(), 1e-12);
    }
}

/// (8.19) and its density; both solve (8.18); (8.20) is (8.15) for two.
#[test]
fn densities() {
    let row = |time: f64, of: fn(f64, f64) -> f64, decimals| {
        [0.0, 0.25, 0.5, 0.75, 1.0].map(|t| digits(of(t, time), decimals)).join(" ")
    };
    let p = |t, time| density::density(t, time).unwrap();
    let c = |t, time| density::distribution(t, time).unwrap();
    assert_eq!(row(4.0, p, 4), "1.0820 1.0278 0.9897 0.9670 0.9595");
    assert_eq!(row(4.0, c, 4), "0.0000 0.2634 0.5152 0.7595 1.0000");
    assert_eq!(row(1.0, p, 4), "1.3130 1.1017 0.9595 0.8776 0.8509");
    assert_eq!(row(0.25, p, 4), "2.0746 1.2972 0.8509 0.6218 0.5514");
    assert_eq!((digits(p(0.0, 16.0), 4), digits(p(1.0, 16.0), 4)), ("1.0207".into(), "0.9897".into()));
    for time in [0.25, 1.0, 4.0] {
        for t in [0.1, 0.5, 0.9] {
            let step = 1e-4;
            let second = (c(t + step, time) - 2.0 * c(t, time) + c(t - step, time)) / (step * step);
            assert!(density::residue(time, c(t, time), second).abs() < 1e-6, "T = {time}, t = {t}");
            let slope = (c(t + step, time) - c(t - step, time)) / (2.0 * step);
            near(slope, p(t, time), 1e-6);
            // What (8.18) leaves out of (8.17): it is not solved by (8.19).
            let full = density::residue_full(t, time, c(t, time), slope, second);
            near(full, -2.0 * slope - 2.0 * t * second, 1e-3);
            let two = density::integrand_of(2, t, time, 0.7, 0.3).unwrap();
            near(two, density::integrand(t, time, 0.7, 0.3), 1e-12);
        }
    }
    // The expanded line for three: (T + t) (p^3 + 3 p^2 (1-c)) + t 3 p (1-c)^2.
    let (t, time, p, c) = (0.5, 4.0, 0.7, 0.3);
    let q: f64 = 1.0 - c;
    let three = (time + t) * (p * p * p + 3.0 * p * p * q) + t * 3.0 * p * q * q;
    near(density::integrand_of(3, t, time, p, c).unwrap(), three, 1e-12);
}

#[test]
fn self_correlation() {
    let of = |n, d| digits(correlation::memoryless(n, d).unwrap(), 4);
    let row = |n, ds: [u32; 5]| ds.map(|d| of(n, d)).join(" ");
    assert_eq!(row(5, [1, 2, 5, 10, 20]), "0.2000 0.3600 0.6723 0.8926 0.9885");
    assert_eq!(row(15, [1, 7, 15, 30, 60]), "0.0667 0.3830 0.6447 0.8738 0.9841");
    // TCF: a step at d = N, 1/8 of a look-ahead of 8 N.
    for n in [2, 5, 15] {
        let turns = schedule::turns(&schedule::tcf(n).unwrap(), 1000).unwrap();
        assert_eq!(turns.p_collision, 0.0);
        let winners: Vec<u16> = turns.winners.into_iter().flatten().collect();
        let p = correlation::measured(&winners, 8 * n as usize).unwrap();
        let step: Vec<f64> = (1..=8 * n).map(|d| if d < n { 0.0 } else { 1.0 }).collect();
        assert_eq!(p, step, "N = {n}");
        near(jain::sliding(&winners, n, n as usize).unwrap(), 1.0, 1e-12);
    }
}

/// Against the definition, loop by loop.
#[test]
fn self_correlation_and_jain_by_their_definitions() {
    let winners = [0u16, 1, 1, 2, 0, 0, 2, 1, 0, 2, 2, 1];
    let window = 4;
    let by_hand = |d: usize| {
        let places = winners.len() - window;
        let again = (0..places).filter(|k| winners[k + 1..=k + d].contains(&winners[*k])).count();
        again as f64 / places as f64
    };
    let want: Vec<f64> = (1..=window).map(by_hand).collect();
    assert_eq!(correlation::measured(&winners, window).unwrap(), want);
    let index = |wins: &[u16]| {
        let x = [0, 1, 2].map(|i| wins.iter().filter(|w| **w == i).count() as f64);
        let sum: f64 = x.iter().sum();
        sum * sum / (3.0 * x.iter().map(|x| x * x).sum::<f64>())
    };
    let places: Vec<f64> = winners.windows(window).map(index).collect();
    near(
        jain::sliding(&winners, 3, window).unwrap(),
        places.iter().sum::<f64>() / places.len() as f64,
        1e-12,
    );
    assert_eq!(digits(jain::memoryless(15, 150).unwrap(), 4), "0.9146");
}

#[test]
fn turns_of_permutations() {
    let turns = schedule::round(&[vec![1, 2, 3, 4], vec![2, 3, 4, 1]]).unwrap();
    assert_eq!((turns.shares, turns.p_collision, turns.winners.len()), (vec![0.75, 0.25], 0.0, 4));
    // Lengths 2 and 3 make a round of 6; equal slots collide.
    let turns = schedule::round(&[vec![1, 2], vec![1, 2, 3]]).unwrap();
    assert_eq!(turns.winners.len(), 6);
    near(turns.p_collision, 2.0 / 6.0, 1e-12);
}

#[test]
fn rules_of_thumb() {
    let of = shares::shares(3, 3).unwrap();
    assert_eq!((of.upload, of.download, of.ratio()), (0.25, 0.0625, 4.0));
    let flows = of.flows(3, 3);
    let (sum, squares) = (flows.iter().sum::<f64>(), flows.iter().map(|x| x * x).sum::<f64>());
    assert_eq!(digits(sum * sum / (6.0 * squares), 3), "0.735");
    near(sum, 0.9375, 1e-12);
    let of = |packets| regime(6, packets);
    assert_eq!(
        [of(5), of(6), of(18), of(19)],
        [Regime::Small, Regime::Intermediate, Regime::Intermediate, Regime::Large]
    );
    assert_eq!(digits(link::corrupted(1e-5, 1500).unwrap(), 4), "0.1131");
    assert_eq!(digits(link::corrupted(1e-5, 40).unwrap(), 5), "0.00319");
    assert_eq!(link::range_m(20_000), 6000.0);
}

#[test]
fn idle_sense_aims() {
    let zeta = idle_sense::attempts(idle_sense::COLLISION_SLOTS).unwrap();
    // zeta is printed as 0.16217, which is that of n* = 5.68.
    near(zeta, 0.16217, 5e-5);
    assert_eq!(
        (digits(idle_sense::idle_slots(zeta), 2), digits(2.0 / zeta, 2)),
        ("5.68".into(), "12.33".into())
    );
    near(idle_sense::window(zeta, 15).unwrap(), 12.333 * 15.0 - 1.0, 1e-4);
    // The constant hazard that wastes least attempts so often, for many: N h falls to zeta.
    let of = |n: u64| n as f64 * cost::best_hazard(n, idle_sense::COLLISION_SLOTS).unwrap().0;
    assert!(of(2) > of(10) && of(10) > of(1000));
    near(of(1000), zeta, 0.002);
}
