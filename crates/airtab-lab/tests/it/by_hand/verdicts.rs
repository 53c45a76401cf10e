// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Values of checks to verdicts: bounds, orders, what is known, what the seeds leave open, and how they are told.

use Metric::*;
use airtab_lab::experiment::{
    Experiment, Outcome, Record, Records, State, Verdict, judge, page, scoreboard, text,
};
use airtab_lab::table::Style;
use airtab_scenario::Metric;

use super::near;
use super::runs::{HEAD, Which, check, experiment, host, outcome, read, told_apart, verdict};

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
    assert_eq!(
        words,
        ["reproduced", "inconclusive", "not reproduced", "not reproduced, known", "reproduced again"]
    );
}

/// Of two applications: what arrives of both by what both send, not a sum of shares, and of each seed.
#[test]
fn efficiency_of_several_is_that_of_their_sums() {
    let made = |w: &Which| {
        // 3, 5 and 7 of 10; 1 of 30.
        let (a, b) = ([1.0 + 2.0 * w.seed, 10.0], [1.0, 30.0]);
        let of = |app, [over, under]: [f64; 2]| {
            [(app, Throughput, over), (app, Load, under), (app, Efficiency, over / under)]
        };
        of(0, a).into_iter().chain(of(1, b)).collect()
    };
    let of = |of: &str| {
        verdict(&format!("of = {of}\nqueue = \"fifo\"\nat = {{ q = 20, d = 1 }}\nleast = 0"), &made)
    };
    let both = "[\"game.efficiency_ratio\", \"load.efficiency_ratio\"]";
    // 4, 6 and 8 of 40: 10, 15 and 20 %.
    assert_eq!(of(both).measured, "15 ± 12");
    assert_eq!(of("\"game.efficiency_ratio\"").measured, "50 ± 50");
    let wrong = "of = [\"game.efficiency_ratio\", \"load.load_bytes_per_second\"]";
    let wrong =
        read(&format!("{HEAD}\n{}", check(&format!("{wrong}\nqueue = \"fifo\"\nleast = 0")))).unwrap_err();
    assert!(
        wrong.contains(
            "of: sums efficiency_ratio and another metric: a quotient goes with others of its kind alone"
        ),
        "{wrong}"
    );
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
    assert!(page.contains("<tr><th>point<th>discipline<th>game <br>MOS</tr>"), "{page}");
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
        "3 of 5 reproduced, 1 not reproduced (known), 1 not reproduced, 1 of the reproduced listed as known not to be: take it off the list"
    );
    assert_eq!(text::summary(verdicts[..1].iter()), "1 of 1 reproduced");
    let style = Style { width: 100, colour: false };
    let table = text::result(&e, &o, &verdicts, style);
    assert!(table.contains("it is reproduced, and listed as known not to be: because"), "{table}");
    // 6 points, 3 disciplines, 3 seeds; quick: 1 point, 1 discipline, 2 seeds.
    let list = text::list(std::slice::from_ref(&e), None, style);
    let row = list.lines().find(|line| line.starts_with("mine")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["mine", "live:", "Made", "up", "54", "2", "5"]);
    let (overview, board) = pages(&e, &o, &verdicts);
    assert!(
        overview.contains("| `claim`: the source states it without a number | 5 | 3 | 0 | 0 | 2 |  |\n"),
        "{overview}"
    );
    assert!(
        overview.contains("| [mine](results/mine.md) | by hand | 1 | 0 |  | 3 / 0 / 0 / 2 |  |  |  |\n"),
        "{overview}"
    );
    assert!(overview.contains("\n- mine, by hand: [mine](results/mine.md#mine) 2\n"), "{overview}");
    assert!(board.contains("| [mine](mine.md#mine) | Made up | 5 | 3 | 0 | 0 | 2 | current |\n"), "{board}");
    let row = "| it | claim | 7 | much | at least 4 | 3.00 ± 0.00 |  | **not reproduced, cause open** |\n";
    assert_eq!(board.matches(row).count(), 2, "{board}");
    assert!(board.contains("\n- it (not reproduced, cause open): because\n"), "{board}");
    assert!(board.contains("\n- it (reproduced): because\n"), "{board}");
    // A trial that confirms the cause is named in the file.
    let mut shown = e.clone();
    shown.checks[2].cause_shown = true;
    let (overview, _) = pages(&shown, &o, &verdicts);
    assert!(overview.contains("| 5 | 3 | 0 | 1 | 1 |  |\n"), "{overview}");
}

/// The two pages of one experiment: the overview, and that of its family.
fn pages(e: &Experiment, o: &Outcome, verdicts: &[Verdict]) -> (String, String) {
    let mut e = e.clone();
    e.study = "by hand".into();
    let record = Record::new(&e, o, verdicts, "0123456789abcdef", "2010-06-01");
    // As they are read from their file.
    let record: Record = serde_json::from_str(&record.json()).unwrap();
    let records = Records::from([(e.id.clone(), record)]);
    let mut pages = scoreboard::pages(std::slice::from_ref(&e), &records).into_iter();
    (pages.next().unwrap().text, pages.next().unwrap().text)
}

/// Whichever way: 3 and 9 are 4 below and 2 above the 7 of a source. And the board says so, in its column.
#[test]
fn the_farthest_from_the_source_is_told() {
    let lines = "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = [20, 80], d = 1 }\nleast = 1";
    let e = experiment(&check(&format!("{lines}\npublished = 7")));
    let o = outcome(&e, false, &host(&told_apart));
    let verdicts = judge(&e, &o);
    assert_eq!(verdicts[0].distance, Some(-4.0));
    assert_eq!(verdicts[0].off_percent.map(f64::round), Some(-57.0));
    let (overview, board) = pages(&e, &o, &verdicts);
    let row = "| it | published | 7 | much | at least 1 | 3.00, 9.00 | -4.00 (-57 %) | reproduced |\n";
    assert!(board.contains(row), "{board}");
    assert!(
        overview.contains("| `published`: the source prints a number | 1 | 1 | 0 | 0 | 0 | 57.1 % of 1 |\n"),
        "{overview}"
    );
}

/// Beside it, where there is one, how far from somebody else's run: of a range from its nearer end, and of a quotient too.
#[test]
fn the_farthest_from_a_rerun_is_told() {
    let lines = "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = [20, 80], d = 1 }\nleast = 1";
    let quotient = "of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 80, d = 1 }\nmost = 9\nrerun = 2\n\
                    divided_by = { at = { q = 20 } }";
    let checks = [check(&format!("{lines}\nrerun = [2.5, 3.5]")), check(lines), check(quotient)].concat();
    let e = experiment(&checks);
    let o = outcome(&e, false, &host(&told_apart));
    let verdicts = judge(&e, &o);
    assert_eq!(verdicts.iter().map(|v| v.rerun_distance).collect::<Vec<_>>(), [Some(5.5), None, Some(1.0)]);
    assert_eq!(verdicts[0].distance, None, "the source has words");
    assert!(verdicts.iter().all(|v| v.state == State::Holds), "it decides nothing: {verdicts:?}");
    let json: Vec<_> = verdicts.iter().map(|v| serde_json::to_value(v).unwrap()).collect();
    assert_eq!((&json[0]["rerun_distance"], json[1].get("rerun_distance")), (&serde_json::json!(5.5), None));
    let page = page(&e, &o, &verdicts, &[], "airtab experiment run it", "");
    assert!(page.contains("<td>2.5 to 3.5: +5.50 (+157 %)<td>"), "{page}");
    let (_, board) = pages(&e, &o, &verdicts);
    let row = |off: &str| board.contains(&format!("|  | {off} | reproduced |\n"));
    assert!(board.contains(
        "| deviation | rerun, and distance to it | verdict |\n|---|---|---|---|---|---|---|---|---|\n"
    ));
    assert!(row("2.5 to 3.5: +5.50 (+157 %)") && row("") && row("2: +1.00 (+50 %)"), "{board}");
}

/// 2, 4 and 9 are 5 ± 9: at most 5, and yet no proof.
#[test]
fn what_is_open_does_not_hold() {
    let ms = [2.0, 4.0, 9.0];
    let made = |w: &Which| vec![(0, GameMos, ms[w.seed as usize - 1])];
    let e = experiment(&check("of = \"game.game_mos\"\nqueue = \"fifo\"\nat = { q = 20, d = 1 }\nmost = 5"));
    let o = outcome(&e, false, &host(&made));
    let verdicts = judge(&e, &o);
    assert_eq!(text::summary(verdicts.iter()), "0 of 1 reproduced, 1 inconclusive");
    let (_, board) = pages(&e, &o, &verdicts);
    assert!(board.contains("| Made up | 1 | 0 | 1 | 0 | 0 | current |\n"), "{board}");
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
    assert!(page.contains("<th>game <br>MOS<th>load <br>Mb/s<th>web <br>page, ms"), "{page}");
}
