// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of made-up runs to the values of checks and their intervals: of one figure, of sums, of what is compared with
//! another, of seconds and pages.

use Metric::*;
use airtab_lab::experiment::{State, judge};
use airtab_quality::web::Page;
use airtab_scenario::Metric;

use super::near;
use super::runs::{
    Host, Which, check, experiment, host, means, outcome, places, second, told_apart, verdict,
};

#[test]
fn another_point_is_what_it_is_divided_by() {
    // At q = 80, d = 5: 8 + 5 = 13; at q = 20, d = 5: 2 + 5 = 7.
    let v = verdict(
        "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 80, d = 5 }\ndivided_by = { at = { q = 20 } }\nmost = 1.9",
        &told_apart,
    );
    // What is not named, d, is as in the check.
    assert_eq!(places(&v), ["q = 80, d = 5"]);
    near(v.values[0].mean.unwrap(), 13.0 / 7.0);
    assert_eq!((v.measured.as_str(), v.state), ("1.86 ± 0.00", State::Holds));
    // And at q = 20, d = 1: 3.
    let v = verdict(
        "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 80, d = 5 }\ndivided_by = { at = { q = 20, d = 1 } }\nmost = 4",
        &told_apart,
    );
    near(v.values[0].mean.unwrap(), 13.0 / 3.0);
    assert_eq!(v.state, State::Red);
}

#[test]
fn another_point_is_what_it_is_less() {
    let v = verdict(
        "of = \"game.game_mos\"\nqueue = \"chap\"\nat = { d = 1 }\nminus = { at = { d = 5 } }\nmost = -7",
        &told_apart,
    );
    // Twice (1 - 5) at every q.
    assert_eq!(places(&v), ["q = 20, d = 1", "q = 40, d = 1", "q = 80, d = 1"]);
    assert_eq!(means(&v), [Some(-8.0); 3]);
    assert_eq!(v.state, State::Holds);
    // Another discipline there: 2 (2 + 1) - (2 + 5) and so on.
    let v = verdict(
        "of = \"game.game_mos\"\nqueue = \"chap\"\nat = { d = 1 }\nminus = { queue = \"fifo\", at = { d = 5 } }\nleast = -2",
        &told_apart,
    );
    assert_eq!(means(&v), [Some(-1.0), Some(1.0), Some(5.0)]);
}

#[test]
fn another_discipline_at_the_same_points() {
    let v = verdict(
        "of = \"game.game_mos\"\nqueue = \"chap\"\nat = { q = [20, 80], d = 1 }\ndivided_by = { queue = \"fifo\" }\nleast = 2\nmost = 2",
        &told_apart,
    );
    assert_eq!((means(&v), v.state), (vec![Some(2.0); 2], State::Holds));
    let v = verdict(
        "of = \"game.game_mos\"\nqueue = \"chap\"\nat = { q = [20, 80], d = 1 }\nminus = { queue = \"fifo\" }\nleast = 3\nmost = 9",
        &told_apart,
    );
    assert_eq!((means(&v), v.state), (vec![Some(3.0), Some(9.0)], State::Holds));
}

#[test]
fn another_figure() {
    let made = |w: &Which| vec![(0, Delay, 0.006 * w.seed), (0, Jitter, 0.002)];
    let lines = |how: &str| {
        format!(
            "of = \"game.delay_seconds\"\nqueue = \"fifo\"\nat = {{ q = 20, d = 1 }}\n{how} = {{ of = \"game.jitter_seconds\" }}\nleast = 1"
        )
    };
    // (6 + 12 + 18) / 3 = 12 ms, by 2 ms and less 2 ms.
    near(verdict(&lines("divided_by"), &made).values[0].mean.unwrap(), 6.0);
    near(verdict(&lines("minus"), &made).values[0].mean.unwrap(), 10.0);
}

#[test]
fn a_mean_of_seeds_has_students_interval() {
    // 2, 4 and 9 ms: 5 ± 8.9567, as worked out in `seeds`.
    let ms = [2.0, 4.0, 9.0];
    let made = |w: &Which| vec![(0, Delay, ms[w.seed as usize - 1] * 1e-3)];
    let v = verdict("of = \"game.delay_seconds\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\nmost = 5", &made);
    near(v.values[0].mean.unwrap(), 5.0);
    assert_eq!(format!("{:.4}", v.values[0].half_width_95.unwrap()), "8.9567");
    assert_eq!((v.measured.as_str(), v.expected.as_str()), ("5.0 ± 9.0", "at most 5"));
    assert_eq!((v.what.as_str(), v.section.as_str(), v.reported.as_str()), ("it", "7", "much"));
}

#[test]
fn a_quotient_has_the_jackknifes_interval() {
    // 2, 4, 9 by 1, 1, 4: 15 / 6 = 2.5. Without a seed: 13 / 5, 11 / 5, 6 / 2.
    // 3 * 2.5 - 2 of each: 2.3, 3.1, 1.5: mean 2.3, s = 0.8; 4.302653 * 0.8 / sqrt 3 = 1.9873.
    let (up, down) = ([2.0, 4.0, 9.0], [1.0, 1.0, 4.0]);
    let made = |w: &Which| vec![(0, Delay, up[w.seed as usize - 1]), (0, Jitter, down[w.seed as usize - 1])];
    let v = verdict(
        "of = \"game.delay_seconds\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\ndivided_by = { of = \"game.jitter_seconds\" }\nleast = 2.5",
        &made,
    );
    near(v.values[0].mean.unwrap(), 2.5);
    assert_eq!(format!("{:.4}", v.values[0].half_width_95.unwrap()), "1.9873");
}

#[test]
fn a_seed_with_half_of_a_quotient_has_its_part_in_the_interval() {
    // 2, none, 9 by 1, 1, 4: 5.5 / 2 = 2.75. Without a seed: 9 / 2.5, 5.5 / 2.5, 2 / 1.
    // 3 * 2.75 - 2 of each: 1.05, 3.85, 4.25: mean 3.05, s^2 = (4 + 0.64 + 1.44) / 2; 4.302653 sqrt(3.04 / 3) = 4.3312.
    let (up, down) = ([Some(2.0), None, Some(9.0)], [1.0, 1.0, 4.0]);
    let made = |w: &Which| {
        let seed = w.seed as usize - 1;
        up[seed].map(|up| (0, Delay, up)).into_iter().chain([(0, Jitter, down[seed])]).collect()
    };
    let v = verdict(
        "of = \"game.delay_seconds\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\ndivided_by = { of = \"game.jitter_seconds\" }\nleast = 2.5",
        &made,
    );
    near(v.values[0].mean.unwrap(), 2.75);
    assert_eq!(format!("{:.4}", v.values[0].half_width_95.unwrap()), "4.3312");
}

#[test]
fn a_value_that_is_missing_is_not_counted() {
    // Seed 2 has none: (2 + 9) / 2.
    let ms = [Some(2.0), None, Some(9.0)];
    let made = |w: &Which| ms[w.seed as usize - 1].map(|ms| (0, Delay, ms * 1e-3)).into_iter().collect();
    let v =
        verdict("of = \"game.delay_seconds\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\nleast = 5.5", &made);
    near(v.values[0].mean.unwrap(), 5.5);
    // Two values: s^2 = 24.5, 12.7062 sqrt(24.5 / 2) = 44.4717.
    assert_eq!(format!("{:.4}", v.values[0].half_width_95.unwrap()), "44.4717");
}

#[test]
fn a_sum_with_a_missing_part_is_missing() {
    // Sums of seeds 1 to 3: 2 + 1, nothing, 9 + 1: (3 + 10) / 2 (with 0 for what is missing: 13.x / 3).
    let rates = [Some(2e6), None, Some(9e6)];
    let made = |w: &Which| {
        let part = rates[w.seed as usize - 1].map(|bps| (1, Goodput, bps));
        part.into_iter().chain([(2, Goodput, 1e6)]).collect()
    };
    let sum = "of = [\"load.goodput_bits_per_second\", \"web.goodput_bits_per_second\"]\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\nleast = 1";
    near(verdict(sum, &made).values[0].mean.unwrap(), 6.5);
    // A part that no seed has.
    let v = verdict(sum, &|_| vec![(1, Goodput, 5e6)]);
    assert_eq!((v.values[0].mean, v.measured.as_str(), v.state), (None, "no value", State::Red));
    let v = verdict(sum, &|_| vec![(1, Goodput, 5e6), (2, Goodput, 0.5e6)]);
    near(v.values[0].mean.unwrap(), 5.5);
}

#[test]
fn without_a_value_nothing_holds() {
    let made = |w: &Which| if w.q == 40.0 { vec![] } else { vec![(0, GameMos, 3.0)] };
    let v = verdict("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { d = 1 }\nleast = 1\nmost = 4", &made);
    assert_eq!(means(&v), [Some(3.0), None, Some(3.0)]);
    assert_eq!(v.values.iter().map(|v| v.holds).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!((v.state, v.measured.as_str()), (State::Red, "3.00, no value, 3.00"));
    assert_eq!(v.cause.as_deref(), Some("not so: no value at q = 40, d = 1"));
    // By nothing, and by nought.
    for (jitter, least) in [(None, -1e9), (Some(0.0), 0.0)] {
        let made = |_: &Which| {
            [Some((0, Delay, 0.004)), jitter.map(|j| (0, Jitter, j))].into_iter().flatten().collect()
        };
        let lines = format!(
            "of = \"game.delay_seconds\"\nqueue = \"fifo\"\nat = {{ q = 20, d = 1 }}\n\
             divided_by = {{ of = \"game.jitter_seconds\" }}\nleast = {least}"
        );
        let v = verdict(&lines, &made);
        assert_eq!((v.values[0].mean, v.values[0].half_width_95, v.state), (None, None, State::Red));
        assert_eq!(v.cause, None, "one point: its value says it all");
    }
}

#[test]
fn a_check_without_any_point_does_not_hold() {
    for expect in ["least = 1", "order = \"rises\"", "most = 9\nknown = \"because\""] {
        let e = experiment(&check(&format!(
            "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = {{ d = 1 }}\n{expect}"
        )));
        let mut outcome = outcome(&e, false, &host(&told_apart));
        outcome.points.retain(|p| p.at[1] == 1);
        assert_eq!(outcome.points.len(), 3, "those of d = 5");
        let v = judge(&e, &outcome).remove(0);
        let known = expect.contains("known");
        assert_eq!(v.state, if known { State::KnownRed } else { State::Red }, "{expect}");
        assert_eq!((v.measured.as_str(), v.values.len()), ("not run", 0));
        assert_eq!(v.cause.as_deref(), known.then_some("because"));
    }
}

#[test]
fn a_point_to_compare_with_that_was_not_run_is_no_value() {
    let e = experiment(&check(
        "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 80, d = 5 }\ndivided_by = { at = { q = 20 } }\nmost = 9",
    ));
    let mut outcome = outcome(&e, false, &host(&told_apart));
    outcome.points.retain(|p| p.at == [2, 1]);
    let v = judge(&e, &outcome).remove(0);
    assert_eq!((v.measured.as_str(), v.state), ("no value", State::Red));
}

#[test]
fn disciplines_differ_by_so_much() {
    let of = |scores: [f64; 3]| {
        let made = |w: &Which| {
            let i = ["spq", "fifo", "chap"].iter().position(|q| *q == w.queue).unwrap();
            vec![(1, Goodput, scores[i] * 1e6)]
        };
        let lines = "of = \"load.goodput_bits_per_second\"\nspread = [\"spq\", \"fifo\", \"chap\"]\nat = { q = 20, d = 1 }\nmost = 0.4";
        verdict(lines, &made)
    };
    let v = of([4.0, 5.0, 3.0]);
    near(v.values[0].mean.unwrap(), 0.4); // (5 - 3) / 5
    assert_eq!((v.measured.as_str(), v.state), ("0.400 ± 0.000", State::Holds));
    assert_eq!(of([4.0, 4.0, 4.0]).values[0].mean, Some(0.0));
    assert_eq!(of([0.0, 0.0, 0.0]).values[0].mean, Some(0.0));
    assert_eq!(of([0.0, 4.0, 2.0]).state, State::Red, "1: all of it");
}

#[test]
fn seconds_of_a_video() {
    // Seed 1: 30, 20 below 2.5 Mb/s and 8 above; seed 2: 10 below; seed 3: 4 above.
    let seconds = |w: &Which| match w.seed as u64 {
        1 => vec![second(1.0, 30), second(2.0, 20), second(3.0, 8)],
        2 => vec![second(2.4, 10)],
        _ => vec![second(2.6, 4)],
    };
    let of = |taken: &str| {
        let lines = format!(
            "of = \"film.playable_frames_per_second\"\nqueue = \"chap\"\nat = {{ q = 20, d = 1 }}\nseconds = {{ {taken} }}\nleast = -1"
        );
        let e = experiment(&check(&lines));
        let host = Host { made: &|_| Vec::new(), pages: &|_| Vec::new(), seconds: &seconds };
        judge(&e, &outcome(&e, false, &host)).remove(0)
    };
    near(of("below = 2.5").values[0].mean.unwrap(), 17.5); // (25 + 10) / 2
    // Of two values: 12.7062 * sqrt(112.5 / 2) = 95.2965.
    assert_eq!(of("below = 2.5").measured, "18 ± 95");
    near(of("above = 2.5").values[0].mean.unwrap(), 6.0); // (8 + 4) / 2
    let rank = of("correlation = true");
    near(rank.values[0].mean.unwrap(), -1.0); // of seed 1 alone: the others do not vary
    assert_eq!(rank.measured, "-1.00");
}

#[test]
fn halves_of_the_pages() {
    // Sizes of all seeds: 1, 1, 1, 2, 2, 2, 8, 8, 8 kB: up to 2 kB, and above.
    let pages = |w: &Which| {
        let page = |number: u32, kb: u64, ms: f64| Page {
            number,
            opened_ns: 0,
            requested_ns: 1_000_000,
            done_ns: 1_000_000 + (ms * 1e6) as u64,
            bytes: kb * 1000,
        };
        let slow = if w.queue == "fifo" { 2.0 } else { 1.0 };
        vec![page(1, 1, 10.0 * slow), page(2, 2, 30.0 * slow), page(3, 8, 100.0 * slow * w.seed)]
    };
    let of = |half: &str, queue: &str| {
        let lines = format!(
            "of = \"web.page_seconds\"\nqueue = \"{queue}\"\nat = {{ q = 20, d = 1 }}\npages = \"{half}\"\nleast = 0"
        );
        let e = experiment(&check(&lines));
        let host = Host { made: &|_| Vec::new(), pages: &pages, seconds: &|_| Vec::new() };
        judge(&e, &outcome(&e, false, &host)).remove(0).values[0].mean.unwrap()
    };
    near(of("smaller", "chap"), 20.0); // (10 + 30) / 2 ms
    near(of("smaller", "fifo"), 40.0);
    near(of("larger", "chap"), 200.0); // 100, 200, 300 ms
    near(of("larger", "fifo"), 400.0);
}

#[test]
fn the_median_size_is_that_of_all_seeds() {
    // 1 and 2, 4 and 8, 16 and 32 kB: half of them up to 4 kB. 10 ms for each kB.
    let pages = |w: &Which| {
        let kb = [[1, 2], [4, 8], [16, 32]][w.seed as usize - 1];
        let page = |kb: u64| Page {
            number: kb as u32,
            opened_ns: 0,
            requested_ns: 1_000_000,
            done_ns: 1_000_000 + kb * 10_000_000,
            bytes: kb * 1000,
        };
        kb.map(page).to_vec()
    };
    let of = |half: &str| {
        let lines = format!(
            "of = \"web.page_seconds\"\nqueue = \"chap\"\nat = {{ q = 20, d = 1 }}\npages = \"{half}\"\nleast = 0"
        );
        let e = experiment(&check(&lines));
        let host = Host { made: &|_| Vec::new(), pages: &pages, seconds: &|_| Vec::new() };
        judge(&e, &outcome(&e, false, &host)).remove(0).values[0].mean.unwrap()
    };
    near(of("smaller"), 27.5); // (10 + 20) / 2 = 15, and 40: of two seeds
    near(of("larger"), 160.0); // 80, and (160 + 320) / 2 = 240
}
