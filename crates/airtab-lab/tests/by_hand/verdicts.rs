// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of made-up runs to verdicts. A host of live experiments hands them in
//! as it would a run of its own: by discipline, point and seed.

use std::sync::atomic::AtomicBool;

use Metric::*;
use airtab_lab::experiment::{Experiment, LiveHost, Outcome, RunOptions, Store, page, run, scoreboard, text};
use airtab_lab::experiment::{State, Verdict, judge};
use airtab_lab::table::Style;
use airtab_quality::web::Page;
use airtab_scenario::{Figures, Measured, Metric, QueueSpec, ScenarioFile, Second};

use crate::near;

/// Two axes: q of 20, 40, 80 and d of 1, 5.
pub const HEAD: &str = r#"
title = "Made up"
source = "nobody"
live = true
queues = ["spq", "fifo", "chap"]
seeds = 3
quick_seeds = 2

[scenario]
duration = "6s"
measure = ["1s", "5s"]
station = [{ name = "far", distance = 1 }]
app = [
  { name = "game", kind = "game", station = "far" },
  { name = "load", kind = "download", station = "far" },
  { name = "web", kind = "web", station = "far" },
  { name = "film", kind = "ping", station = "far" },
]

[[axis]]
name = "q"
keys = ["queue.limit"]
values = [20, 40, 80]

[[axis]]
name = "d"
keys = ["station.far.distance"]
values = [1, 5]
"#;

/// Which run.
pub struct Which<'a> {
    pub queue: &'a str,
    pub q: f64,
    pub d: f64,
    pub seed: f64,
}

/// Its figures: application (by its place, 4 is the access point), metric, value.
pub type Made<'a> = &'a (dyn Fn(&Which) -> Vec<(usize, Metric, f64)> + Sync);

pub struct Host<'a> {
    pub made: Made<'a>,
    pub pages: &'a (dyn Fn(&Which) -> Vec<Page> + Sync),
    pub seconds: &'a (dyn Fn(&Which) -> Vec<Second> + Sync),
}

impl LiveHost for Host<'_> {
    fn run(
        &self,
        what: &str,
        _: &ScenarioFile,
        queue: &QueueSpec,
        seed: u64,
    ) -> Result<Option<Measured>, String> {
        // "mine, q = 20, d = 1, fifo, seed 1"
        let of = |key: &str| -> f64 {
            let rest = what.split(&format!(", {key} = ")).nth(1).unwrap_or_else(|| panic!("{key} of {what}"));
            rest.split(',').next().unwrap().parse().unwrap()
        };
        let which = Which { queue: &queue.label, q: of("q"), d: of("d"), seed: seed as f64 };
        let mut figures = vec![Figures::new(); 5];
        for (app, metric, value) in (self.made)(&which) {
            figures[app].insert(metric, value);
        }
        let ap = figures.pop().unwrap();
        let pages = vec![vec![], vec![], (self.pages)(&which), vec![]];
        let seconds = vec![vec![], vec![], vec![], (self.seconds)(&which)];
        Ok(Some(Measured { apps: figures, pages, seconds, ap }))
    }
}

fn experiment(checks: &str) -> Experiment {
    read(&format!("{HEAD}\n{checks}")).unwrap_or_else(|e| panic!("{e}"))
}

pub fn read(text: &str) -> Result<Experiment, String> {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("mine.toml");
    std::fs::write(&path, text).unwrap();
    Experiment::load(&path).map_err(|e| e.to_string())
}

pub fn outcome(e: &Experiment, quick: bool, host: &Host) -> Outcome {
    let (stop, store) = (AtomicBool::new(false), Store::default());
    let live = Some(host as &dyn LiveHost);
    let options = RunOptions {
        quick,
        seeds: None,
        jobs: 1,
        store: &store,
        stop: &stop,
        progress: &|| {},
        live,
        resume: false,
    };
    run(e, &options).unwrap_or_else(|e| panic!("{e}"))
}

pub fn host<'a>(made: Made<'a>) -> Host<'a> {
    Host { made, pages: &|_| Vec::new(), seconds: &|_| Vec::new() }
}

/// A check with these lines, besides its names.
fn check(lines: &str) -> String {
    format!("[[check]]\nwhat = \"it\"\nsection = \"7\"\nreported = \"much\"\n{lines}\n")
}

/// The verdict on one check, from made-up figures.
fn verdict(lines: &str, made: Made) -> Verdict {
    let e = experiment(&check(lines));
    judge(&e, &outcome(&e, false, &host(made))).remove(0)
}

fn means(v: &Verdict) -> Vec<Option<f64>> {
    v.values.iter().map(|v| v.mean.map(|x| (x * 1e9).round() / 1e9)).collect()
}

fn places(v: &Verdict) -> Vec<&str> {
    v.values.iter().map(|v| v.at.as_str()).collect()
}

/// A score that tells each point from each other: q / 10 + d, the same in every seed, twice as much under chap.
pub fn told_apart(w: &Which) -> Vec<(usize, Metric, f64)> {
    let score = w.q / 10.0 + w.d;
    vec![(0, GameMos, if w.queue == "chap" { 2.0 * score } else { score })]
}

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
fn bounds_are_within() {
    let state = |bounds: &str| {
        verdict(
            &format!("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = {{ q = 20, d = 1 }}\n{bounds}"),
            &told_apart,
        )
    };
    // The value is 3.
    for (bounds, expected, holds) in [
        ("least = 3", "at least 3", true),
        ("least = 3.001", "at least 3.001", false),
        ("most = 3", "at most 3", true),
        ("most = 2.999", "at most 2.999", false),
        ("least = 2\nmost = 4", "2 to 4", true),
        ("least = 3.5\nmost = 4", "3.5 to 4", false),
        ("least = 2\nmost = 2.5", "2 to 2.5", false),
    ] {
        let v = state(bounds);
        assert_eq!((v.expected.as_str(), v.state == State::Holds), (expected, holds), "{bounds}");
        assert_eq!(v.values[0].holds, holds);
    }
    // As many decimals as the bounds have.
    assert_eq!(state("least = 3.001").measured, "3.000 ± 0.000");
    assert_eq!(state("most = 2.12345").measured, "3.0000 ± 0.0000", "four at most");
}

#[test]
fn every_point_must_hold() {
    // q / 10 + 1: 3, 5 and 9.
    let v = verdict("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { d = 1 }\nmost = 4", &told_apart);
    assert_eq!(v.values.iter().map(|v| v.holds).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(v.cause.as_deref(), Some("not so: 5.00 at q = 40, d = 1; 9.00 at q = 80, d = 1"));
    let v = verdict("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { d = 1 }\nmost = 9", &told_apart);
    assert_eq!((v.state, v.cause), (State::Holds, None));
}

#[test]
fn what_is_known_has_its_cause() {
    let v = verdict(
        "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\nmost = 2\nknown = \" because \"",
        &told_apart,
    );
    assert_eq!((v.state, v.cause.as_deref()), (State::KnownRed, Some("because")));
    let v = verdict(
        "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\nmost = 3\nknown = \"because\"",
        &told_apart,
    );
    assert_eq!((v.state, v.cause.as_deref()), (State::HoldsAgain, Some("because")));
    let words =
        [State::Holds, State::Undecided, State::Red, State::KnownRed, State::HoldsAgain].map(State::word);
    assert_eq!(words, ["holds", "undecided", "RED", "red, known", "holds again"]);
}

/// Seeds at 4, 5 and 6 ms: 5 ± 2.484.
#[test]
fn what_the_seeds_leave_open_does_not_hold() {
    let made = |w: &Which| vec![(0, Delay, 1e-3 * (3.0 + w.seed))];
    let of = |lines: &str| {
        let at = "of = \"game.delay_seconds\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }";
        let v = verdict(&format!("{at}\n{lines}"), &made);
        (v.state, v.cause)
    };
    assert_eq!(of("most = 7.49"), (State::Holds, None));
    assert_eq!(of("most = 7.48"), (State::Undecided, None), "above");
    assert_eq!(of("least = 2.51"), (State::Holds, None));
    assert_eq!(of("least = 2.52"), (State::Undecided, None), "below");
    assert_eq!(of("least = 2.51\nmost = 7.49"), (State::Holds, None));
    // The mean decides what is red, however wide its interval.
    assert_eq!(of("least = 5.01"), (State::Red, None));
    assert_eq!(of("least = 5.01\nknown = \"because\""), (State::KnownRed, Some("because".into())));
    // What is known not to hold does not hold again before it is decided.
    assert_eq!(of("most = 7.48\nknown = \"because\""), (State::Undecided, Some("because".into())));
    assert_eq!(of("most = 7.49\nknown = \"because\""), (State::HoldsAgain, Some("because".into())));
    // Of several points, those that are open.
    let lines = "of = \"game.delay_seconds\"\nqueue = \"fifo\"\nat = { d = 1 }\nmost = 9";
    let far = |w: &Which| {
        vec![(0, Delay, 1e-3 * (3.0 + w.seed) * w.q / 20.0 / if w.q == 80.0 { 2.0 } else { 1.0 })]
    };
    let v = verdict(lines, &far);
    assert_eq!(
        (v.state, v.cause),
        (State::Red, Some("not so: 10.00 at q = 40, d = 1; 10.00 at q = 80, d = 1".into()))
    );
    let v = verdict(&lines.replace("most = 9", "most = 12"), &far);
    let open = "open: 10.0 ± 5.0 at q = 40, d = 1; 10.0 ± 5.0 at q = 80, d = 1";
    assert_eq!((v.state, v.cause.as_deref()), (State::Undecided, Some(open)));
}

#[test]
fn an_order_within_its_intervals_is_open() {
    // 0.4968 are the half widths of both ends together.
    assert_eq!(steps("rises", [1.0, 1.2, 1.5].map(Some), 0.1).state, State::Holds);
    let v = steps("falls", [1.49, 1.2, 1.0].map(Some), 0.1);
    let open = "open: 1.49 ± 0.25 at q = 20, d = 1; 1.00 ± 0.25 at q = 80, d = 1";
    assert_eq!((v.state, v.cause.as_deref()), (State::Undecided, Some(open)));
}

#[test]
fn the_distance_to_the_source_is_of_the_farthest_point() {
    // 3, 5 and 9.
    let lines = |reported: &str| {
        let check = check("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { d = 1 }\nleast = 1");
        check.replace("much", reported)
    };
    let of = |reported: &str| {
        let e = experiment(&lines(reported));
        let v = judge(&e, &outcome(&e, false, &host(&told_apart))).remove(0);
        (v.distance, v.off)
    };
    assert_eq!(of("about 6"), (Some(3.0), "+3.00 (+50 %)".into()), "of equals the last");
    assert_eq!(of("4 to 5"), (Some(4.0), "+4.00 (+80 %)".into()));
    assert_eq!(of("much"), (None, String::new()));
}

/// Scores of q = 20, 40, 80 at d = 1, so much up and down in the seeds 1 and 3.
fn steps(order: &str, scores: [Option<f64>; 3], wobble: f64) -> Verdict {
    let made = |w: &Which| {
        let i = [20.0, 40.0, 80.0].iter().position(|q| *q == w.q).unwrap();
        scores[i].map(|x| (0, GameMos, x + wobble * (w.seed - 2.0))).into_iter().collect()
    };
    let lines = format!("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = {{ d = 1 }}\norder = \"{order}\"");
    verdict(&lines, &made)
}

#[test]
fn an_order_has_its_ends_in_order() {
    let holds = |order: &str, scores: [f64; 3]| steps(order, scores.map(Some), 0.0).state == State::Holds;
    assert!(holds("rises", [1.0, 2.0, 3.0]) && holds("falls", [3.0, 2.0, 1.0]));
    assert!(!holds("falls", [1.0, 2.0, 3.0]) && !holds("rises", [3.0, 2.0, 1.0]));
    assert!(holds("rises", [1.0, 1.0, 3.0]), "a step may be level");
    assert!(!holds("rises", [2.0, 2.0, 2.0]), "not all of them");
    assert!(!holds("rises", [2.0, 1.0, 3.0]), "no interval explains that");
    let v = steps("falls", [2.0, 1.0, 2.0].map(Some), 0.0);
    assert_eq!(v.cause.as_deref(), Some("not so: 2.00 at q = 80, d = 1"));
    assert_eq!((v.expected.as_str(), v.measured.as_str()), ("falls", "2.00, 1.00, 2.00"));
    let v = steps("rises", [2.0, 2.0, 2.0].map(Some), 0.0);
    assert_eq!(v.cause.as_deref(), Some("its ends are not in that order"));
    let v = steps("rises", [Some(1.0), None, Some(3.0)], 0.0);
    assert_eq!(v.values.iter().map(|v| v.holds).collect::<Vec<_>>(), [true, false, false]);
}

#[test]
fn a_step_against_the_order_is_explained_or_small() {
    // Seeds at x - 0.1, x, x + 0.1: s = 0.1, half width 4.302653 * 0.1 / sqrt 3 = 0.2484; two of them 0.4968.
    let holds = |scores: [f64; 3]| steps("rises", scores.map(Some), 0.1).state == State::Holds;
    // A whole change of 2: a tenth, 0.2, is less than the intervals.
    assert!(holds([1.0, 0.81, 3.0]), "0.19 down of 2");
    assert!(!holds([1.0, 0.79, 3.0]), "0.21 down of 2");
    // Of 10: a tenth is 1, the intervals 0.4968.
    assert!(holds([1.0, 0.51, 11.0]), "0.49 down");
    assert!(!holds([1.0, 0.50, 11.0]), "0.50 down");
    assert!(!steps("rises", [Some(1.0), Some(0.9), Some(11.0)], 0.0).values[1].holds, "without intervals");
    // One seed has no interval: nothing explains a step.
    assert!(holds([1.0, 10.51, 11.0]) && !holds([1.0, 12.0, 11.0]), "the last step, too");
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

pub fn second(mbps: f64, frames: u32) -> Second {
    Second { from_ns: 0, sent_bits: mbps * 1e6, received_bits: 0.0, playable_frames: Some(frames) }
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

#[test]
fn a_quick_look_leaves_checks_out() {
    let two = check(
        "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\nleast = 1\nquick = false",
    ) + &check(
        "of = \"game.game_mos\"\nqueue = \"chap\"\nat = { q = 80, d = 1 }\ndivided_by = { at = { q = 40 } }\nleast = 1",
    );
    let e = experiment(&two);
    let quick = outcome(&e, true, &host(&told_apart));
    let verdicts = judge(&e, &quick);
    assert_eq!(verdicts.len(), 1);
    near(verdicts[0].values[0].mean.unwrap(), 9.0 / 5.0);
    let places: Vec<String> = quick.points.iter().map(|p| e.place(&p.at)).collect();
    assert_eq!(places, ["q = 40, d = 1", "q = 80, d = 1"], "and no point that no check rests on");
    let labels: Vec<&str> = quick.points[0].queues.iter().map(|q| q.label.as_str()).collect();
    assert_eq!(labels, ["chap"], "nor a live run of a discipline that no check is about");
    let full = outcome(&e, false, &host(&told_apart));
    assert_eq!((judge(&e, &full).len(), full.points.len(), full.points[0].queues.len()), (2, 6, 3));
    // What checks are about is in the page's table.
    let page = page(&e, &full, &judge(&e, &full), &[], "", "");
    assert!(page.contains("<tr><th>point<th>discipline<th>game<br>MOS</tr>"), "{page}");
}

#[test]
fn many_points_are_summed_up() {
    // 3, 5, 9 at d = 1 and 7, 9, 13 at d = 5.
    let v = verdict("of = \"game.game_mos\"\nqueue = \"fifo\"\nleast = 3", &told_apart);
    assert_eq!((v.measured.as_str(), v.state), ("3.00 to 13.00 at 6 points", State::Holds));
    let some = |w: &Which| if w.q == 20.0 { vec![] } else { told_apart(w) };
    let v = verdict("of = \"game.game_mos\"\nqueue = \"fifo\"\nleast = 3", &some);
    assert_eq!((v.measured.as_str(), v.state), ("5.00 to 13.00 at 6 points, 2 without value", State::Red));
    let v = verdict("of = \"game.game_mos\"\nqueue = \"fifo\"\nleast = 3", &|_| Vec::new());
    assert_eq!((v.measured.as_str(), v.state), ("no value", State::Red));
    let v =
        verdict("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = [20, 40] }\nleast = 3", &told_apart);
    assert_eq!(v.measured, "3.00, 7.00, 5.00, 9.00", "four are listed");
}

#[test]
fn a_busy_machine_turns_what_rests_on_it_red() {
    // Late under chap at q = 80, d = 5, in seed 2: 0.2 % of the packets.
    let late = |w: &Which| {
        let late = w.queue == "chap" && w.q == 80.0 && w.d == 5.0 && w.seed == 2.0;
        let mut figures = told_apart(w);
        figures.push((4, Behind, if late { 0.002 } else { 0.001 }));
        figures
    };
    let of = |lines: &str| verdict(&format!("of = \"game.game_mos\"\n{lines}"), &late);
    let red = of("queue = \"chap\"\nat = { q = 80, d = 5 }\nleast = 1\nknown = \"because\"");
    assert_eq!(red.state, State::Red, "though it holds");
    let cause = red.cause.unwrap();
    assert!(
        cause.starts_with(
            "machine too busy: up to 0.20 % of a run's packets were more than 2 ms late, 0.1 % may be; run it again"
        ),
        "{cause}"
    );
    assert_eq!(
        of("queue = \"fifo\"\nat = { q = 80, d = 5 }\nleast = 1").state,
        State::Holds,
        "another discipline"
    );
    assert_eq!(
        of("queue = \"chap\"\nat = { q = 40, d = 5 }\nleast = 1").state,
        State::Holds,
        "another point"
    );
    assert_eq!(of("spread = [\"fifo\", \"chap\"]\nat = { q = 80, d = 5 }\nmost = 1").state, State::Red);
    // What it is compared with rests on it, too: but only that.
    let with = |queue: &str, q: u64| {
        of(&format!(
            "queue = \"fifo\"\nat = {{ q = 20, d = 5 }}\nminus = {{ queue = \"{queue}\", at = {{ q = {q} }} }}\nmost = 9"
        ))
        .state
    };
    assert_eq!(with("chap", 80), State::Red);
    assert_eq!(with("fifo", 80), State::Holds, "another discipline there");
    assert_eq!(with("chap", 40), State::Holds);
    let elsewhere = of(
        "queue = \"fifo\"\nat = { q = 20, d = 1 }\nminus = { queue = \"chap\", at = { q = 80 } }\nmost = 9",
    );
    assert_eq!(elsewhere.state, State::Holds, "at d = 1 the machine was not busy");
}

#[test]
fn lists_without_anything_are_refused() {
    let lines = "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 20 }\nleast = 1";
    for (from, to, says) in [
        ("\"game.game_mos\"", "[]", "names nothing"),
        ("q = 20", "q = []", "names nothing"),
        ("queue = \"fifo\"", "spread = []", "names nothing"),
        ("queue = \"fifo\"", "spread = [\"fifo\"]", "two or more"),
        ("least = 1", "least = 1\nminus = { at = { q = [20, 40] } }", "name one value"),
        ("least = 1", "least = 1\nminus = { at = { q = 20 } }", "with itself"),
        ("least = 1", "least = 1\ndivided_by = { queue = \"fifo\" }", "with itself"),
        ("least = 1", "least = 1\ndivided_by = {}", "with itself"),
    ] {
        let message = read(&format!("{HEAD}\n{}", check(&lines.replace(from, to)))).expect_err(to);
        assert!(message.contains(says), "{to}: {message}");
    }
}

#[test]
fn verdicts_are_counted() {
    // The value is 3 at q = 20, d = 1: it holds, is red, is known to be red, and holds again.
    let of = |lines: &str| {
        check(&format!("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = {{ q = 20, d = 1 }}\n{lines}"))
    };
    let known = "known = \"because\"";
    let checks = [
        of("least = 3"),
        of("least = 4"),
        of(&format!("least = 4\n{known}")),
        of(&format!("least = 3\n{known}")),
        of("most = 3"),
    ];
    let e = experiment(&checks.concat());
    let o = outcome(&e, false, &host(&told_apart));
    let verdicts = judge(&e, &o);
    assert_eq!(
        text::summary(verdicts.iter()),
        "3 of 5 hold, 1 known not to, 1 RED, 1 of them listed as known not to: take it off the list"
    );
    assert_eq!(text::summary(verdicts[..1].iter()), "1 of 1 hold");
    let style = Style { width: 100, colour: false };
    let table = text::result(&e, &o, &verdicts, style);
    assert!(table.contains("it holds, though it is listed as known not to: because"), "{table}");
    // 6 points, 3 disciplines, 3 seeds; quick: 1 point, 1 discipline, 2 seeds.
    let list = text::list(std::slice::from_ref(&e), style);
    let row = list.lines().find(|line| line.starts_with("mine")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["mine", "live:", "Made", "up", "54", "2", "5"]);
    let mut quick = o.clone();
    quick.quick = true;
    let done = [(e.clone(), quick, verdicts.clone())];
    let board = scoreboard::board(&done, "0", "2010-06-01");
    assert!(board.contains("**This is a quick look and not the full board**"), "{board}");
    let all = airtab_lab::experiment::all().into_iter().filter(|e| !e.live);
    let all: Vec<_> = all.map(|e| (e, o.clone(), Vec::new())).collect();
    let board = scoreboard::board(&all, "0", "2010-06-01");
    let n = all.len();
    assert!(
        board.contains(&format!(
            "**This is the full board**: all {n} experiments that are simulated, every point, every seed; {} runs.",
            54 * n
        )),
        "{board}"
    );
    let board = scoreboard::board(&[(e, o, verdicts)], "0", "2010-06-01");
    assert!(board.contains(&format!("**This is a part of the board**: 0 of {n} experiments.")), "{board}");
    assert!(board.contains("| [mine](#mine) | Made up | 3 of 5 | **1 RED**, 1 known |\n"), "{board}");
    assert!(board.contains("| it | 7 | much | at least 4 | 3.00 ± 0.00 |  | **red, known** |\n"), "{board}");
    assert!(board.contains("\n- it (red, known): because"), "{board}");
}

/// Nothing is expected: everything is there to see, all the more in a quick look.
#[test]
fn without_checks_there_are_figures() {
    let e = experiment("");
    let made = |w: &Which| vec![(0, GameMos, told_apart(w)[0].2 + 0.1 * w.seed), (1, Goodput, 1e6 * w.seed)];
    let quick = outcome(&e, true, &host(&made));
    assert_eq!((quick.points.len(), quick.points[0].queues.len(), quick.seeds), (6, 3, 2));
    let full = outcome(&e, false, &host(&made));
    let style = Style { width: 100, colour: false };
    let table = text::result(&e, &full, &judge(&e, &full), style);
    // 20 / 10 + 1, and 0.2 of the seeds: 3.2 ± 0.1 * 2.484; 2 Mb/s ± 2.484.
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(
        rows.contains(&vec!["20", "1", "fifo", "3.20", "±", "0.25", "2.0", "±", "2.5", "-", "-"]),
        "{table}"
    );
    assert!(
        rows.contains(&vec!["80", "5", "chap", "26.20", "±", "0.25", "2.0", "±", "2.5", "-", "-"]),
        "{table}"
    );
    assert_eq!(text::summary([].iter()), "nothing is checked");
    let page = page(&e, &full, &[], &[], "airtab experiment run it", "");
    assert!(page.contains("nothing is checked.") && !page.contains("Expected and measured"), "{page}");
    assert!(page.contains("<th>game<br>MOS<th>load<br>Mb/s<th>web<br>page, ms"), "{page}");
}
