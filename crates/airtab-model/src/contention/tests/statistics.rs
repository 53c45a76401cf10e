// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The automaton: against what is exact, and against the tables of another automaton (other code, other random
//! numbers, a million successes).

use super::super::automaton::{Decrement, Losers, Rules};
use super::super::hash::hash;
use super::super::law::SlotLaw;
use super::super::{airtime, correlation, cost, effective, idle_sense, jain, methods};
use super::{near, run};

const MANY: u64 = 1_000_000;

fn dcf() -> Rules {
    methods::dcf(methods::CW_MIN, methods::CW_MAX)
}

fn fixed_idle_sense(n: usize) -> Rules {
    let zeta = idle_sense::attempts(idle_sense::COLLISION_SLOTS).unwrap();
    methods::idle_sense(idle_sense::window(zeta, n as u64).unwrap())
}

/// N, R, W_T, W_C, C_eff of 802.11.
#[test]
fn dcf_waits_and_collides() {
    for (n, r, wait, wait_collision, window) in [
        (2, 0.0312, 7.96, 10.50, 33.0),
        (3, 0.0592, 5.51, 6.39, 26.5),
        (4, 0.0846, 4.30, 4.78, 25.1),
        (5, 0.1070, 3.58, 3.88, 25.2),
        (10, 0.1942, 2.16, 2.22, 29.2),
        (15, 0.2557, 1.67, 1.70, 34.3),
        (30, 0.3801, 1.12, 1.13, 49.1),
    ] {
        let (tally, _) = run(&dcf(), n, MANY);
        near(tally.collisions_per_success(), r, 0.015);
        near(tally.wait_success(), wait, 0.005);
        near(tally.wait_collision(), wait_collision, 0.015);
        let found = effective::effective(tally.p_collision(), n as u64).unwrap();
        near(found.window, window, 0.02);
        // (9.3) is a fit to it.
        near(tally.wait_success(), airtime::contention(n as u32).unwrap(), 0.06);
    }
}

/// The other decrement, and a window of 16: what (9.3) is not about.
#[test]
fn decrement_and_window_decide_on_waits() {
    let slots = Rules { decrement: Decrement::Slots, ..dcf() };
    for (n, wait) in [(2, 8.43), (3, 6.15), (5, 4.35), (10, 3.00)] {
        near(run(&slots, n, MANY).0.wait_success(), wait, 0.01);
    }
    let narrow = methods::dcf(16, 1024);
    for (n, wait) in [(1, 7.51), (2, 3.98), (5, 2.05), (20, 1.00)] {
        near(run(&narrow, n, MANY).0.wait_success(), wait, 0.01);
    }
    near(run(&dcf(), 1, MANY).0.wait_success(), 15.5, 0.003);
}

/// Memoryless schemes are what `hash` computes.
#[test]
fn without_memory_it_is_h() {
    for (n, rules, law) in [
        (2, methods::h(32.0), SlotLaw::uniform(32).unwrap()),
        (10, methods::h(64.0), SlotLaw::uniform(64).unwrap()),
        (5, methods::hash1(32.0), SlotLaw::ramp(32).unwrap()),
        (3, methods::memoryless(SlotLaw::geometric(0.1).unwrap()), SlotLaw::geometric(0.1).unwrap()),
    ] {
        let (tally, winners) = run(&rules, n, MANY);
        let exact = hash(&law, n as u64).unwrap();
        near(tally.p_collision(), exact.p_collision, 0.02);
        near(tally.wait_success(), exact.wait_success, 0.005);
        near(tally.wait_collision(), exact.wait_collision, 0.02);
        near(tally.wasted(68.0), cost::per_success(&law, n as u64, 68.0).unwrap(), 0.01);
        let again = correlation::measured(&winners, 10).unwrap();
        near(again[9], correlation::memoryless(n as u64, 10).unwrap(), 0.005);
    }
}

/// Residual backoff is a redraw in the shortened window, but for who wins (8.1.2).
#[test]
fn what_is_left_is_a_redraw() {
    for n in [2, 5, 15] {
        let (kept, _) = run(&dcf(), n, MANY);
        let shortened = Rules { losers: Losers::Shorten, ..dcf() };
        let (redrawn, _) = run(&shortened, n, MANY);
        near(redrawn.collisions_per_success(), kept.collisions_per_success(), 0.015);
        near(redrawn.wait_success(), kept.wait_success(), 0.01);
        near(redrawn.wait_collision(), kept.wait_collision(), 0.015);
    }
}

#[test]
fn idle_sense_has_a_constant_collision_rate() {
    for (n, r, window) in [(2, 0.0446, 23.5), (5, 0.0692, 38.0), (10, 0.0775, 68.0), (15, 0.0806, 98.2)] {
        let (tally, _) = run(&fixed_idle_sense(n), n, MANY);
        near(tally.collisions_per_success(), r, 0.015);
        near(effective::effective(tally.p_collision(), n as u64).unwrap().window, window, 0.02);
    }
}

/// Its control loop, from 802.11's window: mean window, mean idle slots.
#[test]
fn idle_sense_controls() {
    let zeta = idle_sense::attempts(idle_sense::COLLISION_SLOTS).unwrap();
    let rules = methods::idle_sense_control(idle_sense::idle_slots(zeta));
    for (n, window, idle) in
        [(2, 33.0, 7.76), (5, 72.4, 6.76), (10, 129.6, 5.99), (15, 179.9, 5.51), (20, 226.7, 5.18)]
    {
        let (tally, _) = run(&rules, n, MANY);
        near(tally.window(), window, 0.01);
        near(tally.idle(), idle, 0.01);
    }
}

#[test]
fn an_offset_makes_short_term_fairness() {
    for (n, r, window) in [(2, 0.0251, 40.8), (5, 0.0741, 35.6), (15, 0.1453, 56.7)] {
        let rules = methods::dcf_offset(32, 1024, 2 * n as u32).unwrap();
        let (tally, _) = run(&rules, n, MANY);
        near(tally.collisions_per_success(), r, 0.015);
        near(effective::effective(tally.p_collision(), n as u64).unwrap().window, window, 0.02);
    }
}

/// J(kN) of 802.11, 802.11-M, Idle Sense, H, and p_s, at N = 15.
#[test]
fn short_term_fairness() {
    let n = 15;
    let zeta_window = fixed_idle_sense(n);
    for (rules, jains, again) in [
        (dcf(), [0.442, 0.540, 0.660, 0.744, 0.819, 0.901, 0.944], [0.072, 0.520, 0.789, 0.966]),
        (
            methods::dcf_offset(32, 1024, 30).unwrap(),
            [0.684, 0.799, 0.891, 0.934, 0.962, 0.983, 0.991],
            [0.000, 0.120, 0.748, 0.989],
        ),
        (zeta_window, [0.646, 0.812, 0.922, 0.961, 0.980, 0.992, 0.996], [0.035, 0.247, 0.547, 0.999]),
        (methods::h(98.0), [0.533, 0.691, 0.846, 0.916, 0.956, 0.982, 0.991], [0.067, 0.382, 0.645, 0.984]),
    ] {
        let (_, winners) = run(&rules, n, MANY);
        for (k, want) in [1, 2, 5, 10, 20, 50, 100].into_iter().zip(jains) {
            let found = jain::sliding(&winners, n as u64, k * n).unwrap();
            assert!((found - want).abs() < 0.003, "{rules:?}, k = {k}: {found}, {want}");
        }
        let found = correlation::measured(&winners, 8 * n).unwrap();
        for (d, want) in [1, 7, 15, 60].into_iter().zip(again) {
            assert!((found[d - 1] - want).abs() < 0.003, "{rules:?}, d = {d}: {}, {want}", found[d - 1]);
        }
    }
}

/// Noise looks like collisions to everybody: windows grow, and as many cycles are lost as it spoils.
#[test]
fn noise_is_taken_for_collisions() {
    let rules = methods::h(64.0);
    let (clean, _) = run(&rules, 5, MANY);
    let (noisy, _) = run(&Rules { noise: 0.25, ..rules }, 5, MANY);
    let p = 1.0 - (1.0 - clean.p_collision()) * 0.75;
    near(noisy.p_collision(), p, 0.01);
    let (noisy, _) = run(&Rules { noise: 0.25, ..dcf() }, 5, MANY);
    let (clean, _) = run(&dcf(), 5, MANY);
    assert!(noisy.wait_success() > 1.1 * clean.wait_success());
}

/// A run is its seeds and its rules; one more station changes no draw of the others.
#[test]
fn runs_repeat() {
    assert_eq!(run(&dcf(), 5, 10_000), run(&dcf(), 5, 10_000));
    assert_ne!(run(&dcf(), 5, 10_000), run(&dcf(), 6, 10_000));
}
