// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every rule's draws against its law, and what it makes of failures and of what it hears.

use airtab_core::Phy;

use super::*;
use crate::wifi::access::{IdleWindow, SlotLaw, Windows};

fn phy() -> Phy {
    Phy::named("std-11b").expect("a profile of the core")
}

fn rule_of(rule: &AccessRule, contenders: usize) -> Rule {
    Rule::new(rule, &Contest { phy: &phy(), kbps: None, number: 0, contenders })
}

fn dcf() -> Rule {
    rule_of(&AccessRule::default(), 1)
}

fn law(weights: &[f64]) -> SlotLaw {
    SlotLaw { weights: weights.to_vec(), residual: true, doubles: true, counter: false }
}

/// Largest of many draws: the window itself.
fn largest(rule: &mut Rule) -> u64 {
    let mut random = Stream::new(1, "rule");
    (0..200_000).map(|_| rule.draw(&mut random)).max().expect("some were drawn")
}

/// Draws have the probabilities `expected` of slot 0, 1, ..., what is left of 1 behind: chi-squared within five
/// standard deviations of its mean, and nothing where there should be nothing.
fn follows(rule: &mut Rule, expected: &[f64]) {
    const DRAWS: u32 = 400_000;
    let mut random = Stream::new(2, "rule");
    let mut counts = vec![0u32; expected.len() + 1];
    for _ in 0..DRAWS {
        let slot = rule.draw(&mut random) as usize;
        counts[slot.min(expected.len())] += 1;
    }
    let behind = (1.0 - expected.iter().sum::<f64>()).max(0.0);
    let (mut chi2, mut freedom) = (0.0, -1.0f64);
    for (count, p) in counts.iter().zip(expected.iter().copied().chain([behind])) {
        if p < 1e-9 {
            assert_eq!(*count, 0, "{rule:?}: {counts:?}");
            continue;
        }
        let mean = p * f64::from(DRAWS);
        chi2 += (f64::from(*count) - mean).powi(2) / mean;
        freedom += 1.0;
    }
    assert!(
        chi2 < freedom + 5.0 * (2.0 * freedom).sqrt() + 1e-9,
        "{rule:?}: {chi2} of {freedom}: {counts:?}"
    );
}

#[test]
fn the_window_doubles_to_its_bound_and_begins_anew() {
    let mut rule = dcf();
    let mut windows = Vec::new();
    for _ in 0..8 {
        windows.push(largest(&mut rule));
        rule.failed();
    }
    assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023, 1023]);
    rule.done();
    assert_eq!(largest(&mut rule), 31);
}

#[test]
fn draws_follow_their_law() {
    follows(&mut dcf(), &[1.0 / 32.0; 32]);
    let offset = |offset| AccessRule::DcfM { windows: Windows::default(), offset };
    let moved = |by: usize| [vec![0.0; by], vec![1.0 / 32.0; 32]].concat();
    follows(&mut rule_of(&offset(Some(7)), 3), &moved(7));
    follows(&mut rule_of(&offset(None), 5), &moved(10));
    // A window that ends within a slot.
    let fixed = AccessRule::IdleSense(IdleWindow::Fixed(20.25));
    follows(&mut rule_of(&fixed, 3), &[vec![1.0 / 20.25; 20], vec![0.25 / 20.25]].concat());
    follows(&mut rule_of(&AccessRule::H { slots: Some(20) }, 3), &[0.05; 20]);
    let ramp: Vec<f64> = (0..32).map(|i| f64::from(2 * (32 - i) - 1) / 1024.0).collect();
    follows(&mut rule_of(&AccessRule::Hash1 { slots: Some(32) }, 3), &ramp);
    let geometric: Vec<f64> = (0..60).map(|i| 0.1 * 0.9f64.powi(i)).collect();
    follows(&mut rule_of(&AccessRule::Geometric { hazard: Some(0.1) }, 3), &geometric);
    let slots = AccessRule::Slots(law(&[3.0, 0.0, 2.0, 1.0, 0.0]));
    follows(&mut rule_of(&slots, 3), &[0.5, 0.0, 1.0 / 3.0, 1.0 / 6.0, 0.0]);
}

/// 16 equal weights are a card of CWmin 15, and in general the law is there once more.
#[test]
fn a_law_doubles_by_copies() {
    let mut even = rule_of(&AccessRule::Slots(law(&[1.0; 16])), 3);
    let mut windows = vec![largest(&mut even)];
    for _ in 0..7 {
        even.failed();
        windows.push(largest(&mut even));
    }
    assert_eq!(windows, [15, 31, 63, 127, 255, 511, 1023, 1023]);
    even.done();
    assert_eq!(largest(&mut even), 15);
    let mut gaps = rule_of(&AccessRule::Slots(law(&[1.0, 0.0, 1.0, 2.0])), 3);
    gaps.failed();
    follows(&mut gaps, &[0.125, 0.0, 0.125, 0.25, 0.125, 0.0, 0.125, 0.25]);
    let mut stays = rule_of(&AccessRule::Slots(SlotLaw { doubles: false, ..law(&[1.0; 4]) }), 3);
    stays.failed();
    assert_eq!(largest(&mut stays), 3);
}

#[test]
fn a_counter_leaves_out_what_its_law_lacks() {
    let counter = SlotLaw { counter: true, ..law(&[1.0, 0.0, 1.0, 1.0]) };
    let (mut rule, mut random) = (rule_of(&AccessRule::Slots(counter), 3), Stream::new(3, "rule"));
    let mut draws: Vec<u64> = (0..7).map(|_| rule.draw(&mut random)).collect();
    rule.failed();
    draws.extend((0..7).map(|_| rule.draw(&mut random)));
    let round = [0, 2, 3].into_iter().cycle();
    let long = [0, 2, 3, 4, 6, 7].into_iter().cycle();
    assert!(draws[..7].iter().copied().eq(round.skip_while(|slot| *slot != draws[0]).take(7)), "{draws:?}");
    let last = draws[6];
    assert!(
        draws[7..].iter().copied().eq(long.skip_while(|slot| *slot != last).skip(1).take(7)),
        "{draws:?}"
    );
}

/// Starzetz 2006, 2.2: H(i, j) = (i + j) mod N.
#[test]
fn turns_go_round() {
    let mut random = Stream::new(4, "rule");
    for number in 0..5 {
        let contest = Contest { phy: &phy(), kbps: None, number, contenders: 5 };
        let mut rule = Rule::new(&AccessRule::Tcf, &contest);
        for busy in 0..12 {
            assert_eq!(rule.draw(&mut random), (number as u64 + busy) % 5);
            rule.hear(3);
        }
    }
}

/// What follows from the number of contenders: the same chance of an attempt in a slot.
#[test]
fn defaults_are_idle_senses_optimum() {
    let Rule::IdleSense(own) = rule_of(&AccessRule::IdleSense(IdleWindow::Optimum), 15) else { panic!() };
    assert!((own.window - (12.33 * 15.0 - 1.0)).abs() < 0.05, "{own:?}");
    let table = |rule| match rule_of(&rule, 15) {
        Rule::Uniform { slots } | Rule::Ramp { slots } => slots,
        other => panic!("{other:?}"),
    };
    let all = [table(AccessRule::H { slots: None }), table(AccessRule::Hash1 { slots: None })];
    assert_eq!(all, [92, 185], "N / 0.16217 and twice that");
    let Rule::Geometric { ln_miss, .. } = rule_of(&AccessRule::Geometric { hazard: None }, 15) else {
        panic!()
    };
    assert!((ln_miss - (1.0f64 - 0.16217 / 15.0).ln()).abs() < 1e-12);
}

/// Mean windows of the AIMD over busy periods, by the contention automaton (Starzetz 2006, 8.2): a window that
/// steps by a fifteenth stays below the fixed optimum of 12.33 N - 1.
#[test]
fn idle_sense_finds_its_window() {
    for (n, expected) in [(2, 33.0), (5, 72.4), (10, 129.6), (15, 179.9), (20, 226.7)] {
        let mut rules = vec![rule_of(&AccessRule::IdleSense(IdleWindow::ADAPT), n); n];
        let mut random: Vec<Stream> = (0..n).map(|i| Stream::new(5, &format!("{n} {i}"))).collect();
        let mut left: Vec<u64> = rules.iter_mut().zip(&mut random).map(|(rule, r)| rule.draw(r)).collect();
        let (mut sum, busy_periods) = (0.0, 300_000);
        for _ in 0..busy_periods {
            let idle = *left.iter().min().expect("there are some");
            for ((rule, random), left) in rules.iter_mut().zip(&mut random).zip(&mut left) {
                rule.hear(idle);
                *left = if *left == idle { rule.draw(random) } else { *left - idle - 1 };
            }
            let Rule::IdleSense(own) = &rules[0] else { panic!("it changes its rule") };
            sum += own.window;
        }
        let mean = sum / f64::from(busy_periods);
        assert!((mean / expected - 1.0).abs() < 0.01, "{n}: {mean:.1} for {expected}");
    }
}
