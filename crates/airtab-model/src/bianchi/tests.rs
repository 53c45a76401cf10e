// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The model against its own equations, hand-solved cases, the Markov chain solved state by state, and
//! dice.

use super::*;

/// The FHSS cell of the paper's table II at 1 Mb/s, times in us = bits: 8184 bits of payload behind a MAC
/// header of 272 and a PHY header of 128, an ACK of 112 + 128, SIFS 28, DIFS 128, slot 50, propagation
/// delay 1.
fn fhss(n: u32, cw_min: u32, cw_max: u32) -> BianchiInput {
    let frame_us = 128 + 272 + 8184;
    BianchiInput {
        n,
        cw_min,
        cw_max,
        slot_ns: 50_000,
        t_success_ns: (frame_us + 28 + 1 + 240 + 128 + 1) * 1_000,
        t_collision_ns: (frame_us + 128 + 1) * 1_000,
        payload_bits: 8184,
    }
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

#[test]
fn the_fhss_times_are_the_papers() {
    let cell = fhss(1, 31, 255);
    assert_eq!((cell.t_success_ns, cell.t_collision_ns), (8_982_000, 8_713_000));
}

/// Eq. 7 and 9 as printed, for the windows of 802.11b, 802.11g and the paper.
#[test]
fn both_equations_hold() {
    for (cw_min, cw_max) in [(31, 1023), (15, 1023), (31, 255), (127, 1023), (0, 63), (3, 3)] {
        for n in 1..=50 {
            let Bianchi { tau, p, .. } = fhss(n, cw_min, cw_max).solve().unwrap();
            let w = f64::from(cw_min + 1);
            let m = f64::from((cw_max + 1) / (cw_min + 1)).log2();
            let q = 1.0 - 2.0 * p;
            let printed = 2.0 * q / (q * (w + 1.0) + p * w * (1.0 - (2.0 * p).powf(m)));
            assert!(close(tau, printed, 1e-12), "n {n}, W {w}: tau {tau}, not {printed}");
            let others = 1.0 - (1.0 - tau).powf(f64::from(n - 1));
            assert!(close(p, others, 1e-12), "n {n}, W {w}: p {p}, not {others}");
        }
    }
}

/// The printed fraction is 0/0 here, and the limit is 2 / (1 + W + m W / 2).
#[test]
fn one_half_is_no_singularity() {
    assert_eq!(attempt_probability(0.5, 32.0, 5), 2.0 / (33.0 + 80.0));
}

#[test]
fn a_station_alone_never_collides() {
    let cell = fhss(1, 31, 1023);
    let alone = cell.solve().unwrap();
    assert_eq!((alone.p, alone.tau, alone.p_success), (0.0, 2.0 / 33.0, 1.0));
    // A cycle is a mean backoff of 15.5 slots and one frame.
    let exact = 8184.0 / ((15.5 * 50.0 + 8982.0) * 1e-6);
    assert!(close(alone.throughput_bps, exact, 1e-12 * exact), "{}", alone.throughput_bps);
}

/// Without doubling, tau is 2 / (W + 1) whatever p is, and everything else follows by hand.
#[test]
fn a_constant_window() {
    for n in [2, 5, 20] {
        let cell = fhss(n, 15, 15).solve().unwrap();
        let tau = 2.0f64 / 17.0;
        let idle = (1.0 - tau).powi(n as i32);
        let single = f64::from(n) * tau * (1.0 - tau).powi(n as i32 - 1);
        let slot_us = idle * 50.0 + single * 8982.0 + (1.0 - idle - single) * 8713.0;
        let rate = single * 8184.0 / (slot_us * 1e-6);
        assert_eq!(cell.tau, tau);
        assert!(close(cell.p, 1.0 - (1.0 - tau).powi(n as i32 - 1), 1e-14));
        assert!(close(cell.p_transmit, 1.0 - idle, 1e-14));
        assert!(close(cell.p_success, single / (1.0 - idle), 1e-13));
        assert!(close(cell.throughput_bps, rate, 1e-12 * rate));
    }
}

/// Two stations and one doubling: p = tau solves W p^2 + (W + 1) p = 2.
#[test]
fn two_stations_and_one_doubling() {
    for cw_min in [0u32, 3, 15, 31] {
        let cell = fhss(2, cw_min, 2 * cw_min + 1).solve().unwrap();
        let w = f64::from(cw_min + 1);
        let exact = 4.0 / ((w + 1.0) + ((w + 1.0) * (w + 1.0) + 8.0 * w).sqrt());
        assert!(close(cell.p, exact, 1e-14) && close(cell.tau, exact, 1e-14), "W {w}: {cell:?}");
    }
}

/// Everybody sends in every slot: the extreme of eq. 9.
#[test]
fn a_window_of_one_slot_blocks_the_cell() {
    let cell = fhss(2, 0, 0).solve().unwrap();
    assert_eq!((cell.tau, cell.p, cell.throughput_bps), (1.0, 1.0, 0.0));
}

#[test]
fn more_stations_collide_more() {
    let p: Vec<f64> = (1..=200).map(|n| fhss(n, 15, 1023).solve().unwrap().p).collect();
    assert!(p.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(fhss(u32::MAX, 15, 1023).solve().unwrap().p <= 1.0);
}

#[test]
fn nonsense_is_refused() {
    assert_eq!(fhss(0, 15, 1023).solve(), Err(BianchiError::NoStations));
    for (cw_min, cw_max) in [(15, 1000), (31, 15), (15, 47), (15, 33)] {
        let error = fhss(2, cw_min, cw_max).solve().unwrap_err();
        assert_eq!(error, BianchiError::Windows { cw_min: cw_min.into(), cw_max: cw_max.into() });
    }
    assert_eq!(
        fhss(2, 15, 47).solve().unwrap_err().to_string(),
        "cw_max + 1 = 48 is not cw_min + 1 = 16 doubled a whole number of times"
    );
    assert!(fhss(2, 15, u32::MAX).solve().is_ok(), "a window of 2^32 slots");
    for field in 0..3 {
        let mut cell = fhss(2, 15, 1023);
        *[&mut cell.slot_ns, &mut cell.t_success_ns, &mut cell.t_collision_ns][field] = 0;
        assert_eq!(cell.solve(), Err(BianchiError::NoTime));
    }
}

/// The paper's backoff chain, state by state: (stage, counter) -> next. Its stationary
/// distribution, by Gaussian elimination, gives tau as the weight of the states with counter 0.
fn tau_of_chain(p: f64, window: usize, stages: usize) -> f64 {
    let size = |stage: usize| window << stage;
    let base = |stage: usize| (0..stage).map(size).sum::<usize>();
    let n = base(stages + 1);
    // Rows of (transposed transition matrix - identity) x = 0, the last one replaced by sum x = 1.
    let mut a = vec![vec![0.0; n + 1]; n];
    for stage in 0..=stages {
        for counter in 1..size(stage) {
            a[base(stage) + counter - 1][base(stage) + counter] += 1.0;
        }
        let next = (stage + 1).min(stages);
        for row in &mut a[..window] {
            row[base(stage)] += (1.0 - p) / window as f64;
        }
        for counter in 0..size(next) {
            a[base(next) + counter][base(stage)] += p / size(next) as f64;
        }
    }
    (0..n).for_each(|i| a[i][i] -= 1.0);
    a[n - 1] = vec![1.0; n + 1];

    for column in 0..n {
        let pivot = (column..n).max_by(|i, j| a[*i][column].abs().total_cmp(&a[*j][column].abs())).unwrap();
        a.swap(column, pivot);
        let (upper, lower) = a.split_at_mut(column + 1);
        let row = &upper[column];
        for other in lower {
            let factor = other[column] / row[column];
            for k in column..=n {
                other[k] -= factor * row[k];
            }
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| a[i][k] * x[k]).sum();
        x[i] = (a[i][n] - known) / a[i][i];
    }
    (0..=stages).map(|stage| x[base(stage)]).sum()
}

#[test]
fn the_markov_chain_gives_the_same_tau() {
    for (window, stages) in [(1, 3), (2, 0), (4, 2), (8, 1), (8, 3), (16, 3)] {
        for p in [0.0, 0.1, 0.35, 0.5, 0.8] {
            let chain = tau_of_chain(p, window, stages);
            let closed = attempt_probability(p, window as f64, stages as u32);
            assert!(close(closed, chain, 1e-12), "W {window}, m {stages}, p {p}: {closed}, not {chain}");
        }
    }
}

/// A small generator (splitmix64): uniform in 0..1.
fn dice(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Plays `slots` slots of the model: real counters and stages, nothing assumed about p. Returns throughput
/// in bit/s and the collided share of the attempts.
fn play(cell: &BianchiInput, slots: u32) -> (f64, f64) {
    let mut seed = u64::from(cell.n);
    let mut draw = |cw: u32| (dice(&mut seed) * f64::from(cw + 1)) as u32;
    let mut stations: Vec<(u32, u32)> = (0..cell.n).map(|_| (cell.cw_min, draw(cell.cw_min))).collect();
    let (mut time_ns, mut successes, mut attempts, mut collided) = (0u64, 0u64, 0u64, 0u64);
    for _ in 0..slots {
        let senders = stations.iter().filter(|s| s.1 == 0).count() as u64;
        time_ns += match senders {
            0 => cell.slot_ns,
            1 => cell.t_success_ns,
            _ => cell.t_collision_ns,
        };
        attempts += senders;
        successes += u64::from(senders == 1);
        collided += if senders > 1 { senders } else { 0 };
        for (cw, counter) in &mut stations {
            if *counter > 0 {
                *counter -= 1;
            } else {
                *cw = if senders == 1 { cell.cw_min } else { (2 * *cw + 1).min(cell.cw_max) };
                *counter = draw(*cw);
            }
        }
    }
    let rate = (successes * cell.payload_bits) as f64 * 1e9 / time_ns as f64;
    (rate, collided as f64 / attempts as f64)
}

/// The one approximation of the model is that stations are independent. Its error is known to be small: 1 %
/// of the throughput at most, 3 % of p from five stations on and 7 % for two.
#[test]
fn dice_agree() {
    for (n, p_tolerance) in [(2, 0.07), (5, 0.03), (10, 0.03), (50, 0.03)] {
        for (cw_min, cw_max) in [(15, 1023), (31, 1023)] {
            let cell = fhss(n, cw_min, cw_max);
            let model = cell.solve().unwrap();
            let (rate, p) = play(&cell, 2_000_000);
            let (rate_error, p_error) = (rate / model.throughput_bps - 1.0, p / model.p - 1.0);
            println!(
                "n {n:2} W {:2}: throughput {rate_error:+.4}, p {p_error:+.4} of {:.0} bit/s, {:.4}",
                cw_min + 1,
                model.throughput_bps,
                model.p
            );
            assert!(rate_error.abs() < 0.01, "n {n}, W {}: throughput {rate_error:+.4}", cw_min + 1);
            assert!(p_error.abs() < p_tolerance, "n {n}, W {}: p {p_error:+.4}", cw_min + 1);
        }
    }
}
