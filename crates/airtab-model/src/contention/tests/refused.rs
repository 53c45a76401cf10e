// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What has no answer, and what is said then.

use super::super::automaton::{Draw, Growth, Losers, Rules, run};
use super::super::law::SlotLaw;
use super::super::{
    ContentionError, airtime, correlation, cost, density, effective, hash, jain, link, methods, schedule,
};

fn said<T>(result: Result<T, ContentionError>) -> String {
    result.err().expect("refused").to_string()
}

#[test]
fn laws() {
    assert_eq!(said(SlotLaw::uniform(0)), "window 0: 1 to 65536 slots");
    assert_eq!(said(SlotLaw::ramp(70_000)), "window 70000: 1 to 65536 slots");
    assert_eq!(said(SlotLaw::weights(&[0.0; 3])), "all 3 weights are 0: give one slot a weight above 0");
    assert_eq!(said(SlotLaw::weights(&[])), "window 0: 1 to 65536 slots");
    let negative = said(SlotLaw::weights(&[1.0, -2.0]));
    assert_eq!(negative, "weight -2 of slot 1: weights are finite, and 0 or more");
    assert!(SlotLaw::weights(&[1.0, f64::NAN]).is_err());
    for hazard in [0.0, 1.0, -0.1, f64::NAN, 1e-9] {
        assert!(
            said(SlotLaw::geometric(hazard))
                .ends_with("above 0 and below 1, such as 0.1 of those who still wait")
        );
    }
    assert!(SlotLaw::hazards(&[2.0, 1.0]).is_err() && SlotLaw::hazards(&[]).is_err());
}

#[test]
fn cells_and_costs() {
    let law = SlotLaw::uniform(8).unwrap();
    assert_eq!(said(hash::hash(&law, 1)), "stations 1: 2 to 1000 contend here");
    assert!(hash::hash(&law, 1001).is_err());
    assert!(said(cost::per_cycle(&law, 2, 0.0)).starts_with("lost time 0: slots above 0"));
    assert!(cost::constant_hazard(1.0, 2, 68.0).is_err() && cost::fixed_window(0, 68.0).is_err());
    assert!(said(effective::effective(0.0, 2)).starts_with("collision probability 0: above"));
    assert!(effective::effective(1.1, 2).is_err() && effective::effective(f64::NAN, 2).is_err());
    assert!(airtime::contention(0).is_err() && link::corrupted(1.5, 1).is_err());
    assert!(density::density(1.5, 4.0).is_err() && density::effective_time(60.0, 0).is_err());
    assert!(schedule::turns(&[vec![1]], 4).is_err() && schedule::turns(&[vec![1], vec![]], 4).is_err());
    assert!(correlation::measured(&[0, 1], 2).is_err() && jain::sliding(&[0, 1], 2, 0).is_err());
    assert!(jain::sliding(&[0, 7], 2, 1).is_err() && jain::sliding(&[0, 1], 2, 3).is_err());
}

#[test]
fn rules() {
    let plain = methods::dcf(32, 1024);
    for (rules, message) in [
        (methods::dcf(0, 1024), "window 0: 1 to 65536 slots"),
        (
            methods::dcf(32, 16),
            "windows from 32 to 16: the largest is at least the smallest; give a larger cw_max",
        ),
        (methods::dcf(32, 100_000), "window 100000: 1 to 65536 slots"),
        (Rules { noise: 1.0, ..plain.clone() }, "noise 1: 0 (clean) to below 1; at 1 nothing gets through"),
        (
            Rules { losers: Losers::Shorten, draw: Draw::Ramp, growth: Growth::None, ..plain.clone() },
            "a redraw in the shortened window is for uniform draws without offset: take those, or keep the rest",
        ),
    ] {
        assert_eq!(said(rules.check()), message);
    }
    let none = said(methods::dcf_offset(32, 1024, 0));
    assert_eq!(none, "offset 0: 1 to 65536 slots; for none, take 802.11 without an offset");
    let half = || 0.5;
    assert!(run(&plain, &mut [half; 0], &mut { half }, 1, |_| ()).is_err(), "nobody contends");
}
