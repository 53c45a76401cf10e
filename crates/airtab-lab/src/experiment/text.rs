// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Experiments for a terminal: the list, what one is about, its verdicts.
//!
//! What it does not do: no verdict is found here (`judge`).

use std::fmt::Write;

use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table};

use super::columns::{columns, figure};
use super::judge::{State, Verdict};
use super::record::Records;
use super::{Compared, Experiment, Outcome, Standing};
use crate::table::{Style, empty_table, finish_table, wrap};
use airtab_scenario::digits::count;

/// All of them: id, title, how many runs and checks; with `records`, whether the stored result is current.
pub fn list(experiments: &[Experiment], records: Option<&Records>, style: Style) -> String {
    let head = ["experiment", "what it shows", "runs", "quick", "checks", "result"];
    let columns = if records.is_some() { 6 } else { 5 };
    let mut table = table(style, &head[..columns]);
    let mut row = |cells: [String; 6]| _ = table.add_row(&cells[..columns]);
    let mut stale = 0;
    let mut all = [0, 0, 0];
    for e in experiments {
        let numbers = [runs(e, false), runs(e, true), e.checks.len()];
        all.iter_mut().zip(numbers).for_each(|(sum, n)| *sum += n);
        let [full, quick, checks] = numbers.map(|n| n.to_string());
        let title = if e.live { format!("live: {}", e.title) } else { e.title.clone() };
        let standing = e.standing(records.and_then(|records| records.get(&e.id)));
        stale += usize::from(standing == Standing::Stale);
        row([e.id.clone(), title, full, quick, checks, standing.word().into()]);
    }
    let [full, quick, checks] = all.map(|n| n.to_string());
    row([
        format!("{} experiments", experiments.len()),
        "all; shared runs count twice".into(),
        full,
        quick,
        checks,
        format!("{stale} stale"),
    ]);
    // A name is there to be copied.
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    finish_table(table, style)
}

fn runs(e: &Experiment, quick: bool) -> usize {
    match quick {
        true => e.checked_points() * e.queues_of(true).len() * e.quick_seeds as usize,
        false => e.size() * e.queues.len() * e.seeds as usize,
    }
}

/// So many runs of so many seeds.
pub(super) fn size(runs: usize, seeds: u64) -> String {
    format!("{}, {}", count(runs, "run"), count(seeds as usize, "seed"))
}

/// What one is about.
pub fn show(e: &Experiment, style: Style) -> String {
    let mut text = format!("{}: {}\n{}\n\n", e.id, e.title, e.source);
    let _ = writeln!(text, "{}\n", paragraph(&e.about, style.width));
    let queues: Vec<&str> = e.queues.iter().map(|q| q.label.as_str()).collect();
    let _ = writeln!(text, "Disciplines: {}.", queues.join(", "));
    for axis in &e.axes {
        let values: Vec<&str> = axis.values.iter().map(|v| v.text.as_str()).collect();
        let _ = writeln!(text, "{} ({}): {}.", axis.name, axis.label, values.join(", "));
    }
    let (full, quick) = (size(runs(e, false), e.seeds), size(runs(e, true), e.quick_seeds));
    let live = if e.live { " In real time, as root; not part of --all." } else { "" };
    let _ = writeln!(text, "In full {full}; quick {quick}.{live}\n");
    let mut checks = table(style, &["what", "source says", "section", "expected"]);
    for c in &e.checks {
        let compared = match &c.compared {
            Compared::Value => "",
            Compared::DividedBy(_) => " (quotient)",
            Compared::Minus(_) => " (difference)",
            Compared::Times(_) => " (product)",
            Compared::Spread(_) => " (spread)",
        };
        let band = super::told::expected(&c.expect);
        checks.add_row([format!("{}{compared}", c.what), c.reported.clone(), c.section.clone(), band]);
    }
    text.push_str(&finish_table(checks, style));
    for (subject, remark) in &e.remarks {
        let _ = writeln!(text, "\n{}", paragraph(&format!("{subject}: {remark}"), style.width));
    }
    text
}

/// Without an indent of its further lines.
fn paragraph(text: &str, width: usize) -> String {
    wrap(&one_line(text), width).replace("\n  ", "\n")
}

/// What came out: a row for each check, then the causes of what does not hold.
pub fn result(e: &Experiment, outcome: &Outcome, verdicts: &[Verdict], style: Style) -> String {
    let quick = if outcome.quick { ", a quick look" } else { "" };
    let mut text = wrap(&format!("{}: {}", e.id, e.title), style.width);
    let _ = write!(text, "\n{}; {}{quick}\n\n", e.source, size(outcome.runs, outcome.seeds));
    if e.checks.is_empty() {
        return text + &figures(e, outcome, style);
    }
    let mut table = table(style, &["what", "source", "expected", "measured", "verdict"]);
    for v in verdicts {
        let mut state = Cell::new(v.state.word());
        if style.colour {
            state = match v.state {
                State::Holds | State::HoldsAgain => state.fg(Color::Green),
                State::Undecided => state.fg(Color::Cyan),
                State::Red => state.fg(Color::Red).add_attribute(Attribute::Bold),
                State::KnownRed => state.fg(Color::Yellow),
            };
        }
        table.add_row([
            Cell::new(&v.what),
            Cell::new(&v.reported),
            Cell::new(&v.expected),
            Cell::new(&v.measured),
            state,
        ]);
    }
    text.push_str(&finish_table(table, style));
    for v in verdicts {
        let Some(cause) = v.cause.as_ref() else { continue };
        let said = match v.state {
            State::HoldsAgain => format!("{} is reproduced, and listed as known not to be: {cause}", v.what),
            _ => format!("{}: {cause}", v.what),
        };
        let _ = writeln!(text, "{}", wrap(&format!("  {}", one_line(&said)), style.width));
    }
    text
}

/// What came out of a sweep: a row for each point and discipline.
pub fn sweep(e: &Experiment, outcome: &Outcome, style: Style) -> String {
    let least = outcome.points.iter().map(|point| point.seeds as u64).min().unwrap_or(outcome.seeds);
    let size = match least == outcome.seeds {
        true => size(outcome.runs, outcome.seeds),
        false => {
            format!("{}, {least} to {}", count(outcome.runs, "run"), count(outcome.seeds as usize, "seed"))
        }
    };
    let title = wrap(&format!("{}: {size}", e.title), style.width);
    format!("{title}\n\n{}", figures(e, outcome, style))
}

/// What there is to see where nothing is checked: a row for each point and discipline.
fn figures(e: &Experiment, outcome: &Outcome, style: Style) -> String {
    let columns = columns(e, outcome);
    let at = e.axes.iter().map(|axis| axis.name.clone());
    let names = columns.iter().map(|of| format!("{}\n{}", of.app, of.metric.label()));
    let head: Vec<String> = at.chain(["discipline".into()]).chain(names).collect();
    let mut table = table(style, &head.iter().map(String::as_str).collect::<Vec<_>>());
    for point in &outcome.points {
        for q in &point.queues {
            let at = point.at.iter().zip(&e.axes).map(|(value, axis)| axis.values[*value].text.clone());
            let figures = columns.iter().map(|column| figure(q, column));
            table.add_row(at.chain([q.label.clone()]).chain(figures));
        }
    }
    finish_table(table, style)
}

/// How many checks ended how, in a line.
pub fn summary<'a>(verdicts: impl Iterator<Item = &'a Verdict> + Clone) -> String {
    let count = |state: State| verdicts.clone().filter(|v| v.state == state).count();
    let holds = count(State::Holds) + count(State::HoldsAgain);
    let mut text = match verdicts.clone().count() {
        0 => return "nothing is checked".into(),
        all => format!("{holds} of {all} reproduced"),
    };
    for (n, words) in [
        (count(State::Undecided), "inconclusive"),
        (count(State::KnownRed), "not reproduced (known)"),
        (count(State::Red), "not reproduced"),
        (count(State::HoldsAgain), "of the reproduced listed as known not to be: take it off the list"),
    ] {
        if n > 0 {
            let _ = write!(text, ", {n} {words}");
        }
    }
    text
}

/// A text of several lines as one.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// With columns that break where they must.
fn table(style: Style, head: &[&str]) -> Table {
    let mut table = empty_table();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(style.width as u16);
    table.set_header(head.iter().map(Cell::new));
    table
}

#[cfg(test)]
mod tests {
    use super::super::judge::judge;
    use super::super::made::{HOME, parse, point};
    use super::super::{PointScores, Record};
    use super::*;

    const STYLE: Style = Style { width: 100, colour: false };

    fn check(what: &str, lines: &str) -> String {
        format!(
            "[[check]]\nwhat = \"{what}\"\nsection = \"{what}.1\"\nreported = \"{what} said\"\nof = \"g.game_mos\"\n{lines}\n"
        )
    }

    fn text(checks: &str) -> String {
        format!(
            "title = \"A title\"\nsource = \"A source\"\nabout = \"\"\"What\n  is done\"\"\"\nqueues = [\"fifo\", \"chap\"]\nseeds = 3\n\
             remarks = {{ chap = \"re mark\" }}\n{HOME}[[axis]]\nname = \"q\"\nlabel = \"limit, packets\"\nkeys = \"queue.limit\"\nvalues = [20, 40]\n{checks}"
        )
    }

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    /// Runs in full and in a quick look, of each and of all of them.
    #[test]
    fn a_list_counts_runs_and_checks() {
        let one = parse(&text(&check("w", "queue = \"fifo\"\nat = { q = 40 }\nleast = 0")));
        let mut two = parse(&format!(
            "title = \"B\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\", \"red\"]\nseeds = 7\nlive = true\n{HOME}"
        ));
        two.id = "chap/two".into();
        let outcome = Outcome { quick: false, seeds: 1, runs: 1, points: Vec::new() };
        let record = Record { sources: None, ..Record::new(&one, &outcome, &[], "c", "d") };
        let records = Records::from([("mine".to_string(), record)]);
        let all = [one, two];
        let shown = list(&all, Some(&records), STYLE);
        let row = |text: &str, begin: &str| {
            let line = text.lines().find(|line| line.starts_with(begin)).unwrap_or_else(|| panic!("{text}"));
            words(line).join(" ")
        };
        // 2 points x 2 x 3, and 1 x 2 x 2; 1 x 3 x 7 and 1 x 3 x 2.
        assert_eq!(row(&shown, "mine"), "mine A title 12 4 1 stale");
        assert_eq!(row(&shown, "chap/two"), "chap/two live: B 21 6 0 none");
        assert_eq!(
            row(&shown, "2 experiments"),
            "2 experiments all; shared runs count twice 33 10 1 1 stale"
        );
        let bare = list(&all, None, STYLE);
        assert_eq!(row(&bare, "2 experiments"), "2 experiments all; shared runs count twice 33 10 1");
        assert!(!bare.contains("stale"), "{bare}");
    }

    #[test]
    fn an_experiment_is_shown_with_what_it_expects() {
        let checks = [
            check("a", "queue = \"fifo\"\nleast = 1"),
            check("b", "queue = \"fifo\"\nmost = 2\ndivided_by = { queue = \"chap\" }"),
            check("c", "queue = \"fifo\"\nleast = 1\nmost = 2\nminus = { queue = \"chap\" }"),
            check("d", "queue = \"fifo\"\norder = \"falls\"\ntimes = { queue = \"chap\" }"),
            check("e", "spread = [\"fifo\", \"chap\"]\nmost = 0.5"),
        ];
        let e = parse(&text(&checks.concat()));
        let shown = show(&e, STYLE);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[..4], ["mine: A title", "A source", "", "What is done"], "{shown}");
        for line in [
            "Disciplines: fifo, chap.",
            "q (limit, packets): 20, 40.",
            "In full 12 runs, 3 seeds; quick 8 runs, 2 seeds.",
            "chap: re mark",
        ] {
            assert!(lines.contains(&line), "{line}: {shown}");
        }
        let rows: Vec<String> =
            lines.iter().filter(|line| line.contains(" said ")).map(|line| words(line).join(" ")).collect();
        assert_eq!(
            rows,
            [
                "a a said a.1 at least 1",
                "b (quotient) b said b.1 at most 2",
                "c (difference) c said c.1 1 to 2",
                "d (product) d said d.1 falls",
                "e (spread) e said e.1 at most 0.5",
            ]
        );
        let labels = parse(&text("").replace("[\"fifo\", \"chap\"]", "[\"fifo\", \"chap:limit=70\"]"));
        assert!(show(&labels, STYLE).contains("\nDisciplines: fifo, chap:limit=70.\n"));
        let live = super::super::Experiment { live: true, ..e };
        assert!(show(&live, STYLE).contains("2 seeds. In real time, as root; not part of --all.\n"));
    }

    #[test]
    fn a_result_has_a_row_for_each_verdict_and_its_cause() {
        let checks = [
            check("a", "queue = \"fifo\"\nmost = 3"),
            check("b", "queue = \"fifo\"\nmost = 1"),
            check("c", "queue = \"fifo\"\nmost = 3\nknown = \"be  cause\""),
        ];
        let e = parse(&text(&checks.concat()));
        let points = vec![
            point(&[0], &[("fifo", [1.0; 3]), ("chap", [5.0; 3])]),
            point(&[1], &[("fifo", [2.0; 3]), ("chap", [5.0; 3])]),
        ];
        let of = |quick| {
            let outcome = Outcome { quick, seeds: 3, runs: 12, points: points.clone() };
            result(&e, &outcome, &judge(&e, &outcome), STYLE)
        };
        let shown = of(true);
        let lines: Vec<String> = shown.lines().map(|line| words(line).join(" ")).collect();
        for line in [
            "mine: A title",
            "A source; 12 runs, 3 seeds, a quick look",
            "a a said at most 3 1.00, 2.00 reproduced",
            "b b said at most 1 1.00, 2.00 not reproduced",
            "c c said at most 3 1.00, 2.00 reproduced again",
            "b: not so: 2.00 at q = 40",
            "c is reproduced, and listed as known not to be: be cause",
        ] {
            assert!(lines.iter().any(|l| l == line), "{line}: {shown}");
        }
        assert!(of(false).contains("A source; 12 runs, 3 seeds\n"));
        assert!(!lines.iter().any(|line| line.starts_with("a:")));
    }

    #[test]
    fn a_sweep_says_how_many_seeds_its_points_have() {
        let e = parse(&text(""));
        let of = |seeds: [usize; 2], most: u64, runs| {
            let points = [0, 1].map(|q| PointScores {
                seeds: seeds[q],
                ..point(&[q], &[("fifo", [1.0 + q as f64; 3]), ("chap", [5.0; 3])])
            });
            sweep(&e, &Outcome { quick: false, seeds: most, runs, points: points.to_vec() }, STYLE)
        };
        let some = of([12, 3], 12, 30);
        assert!(some.starts_with("A title: 30 runs, 3 to 12 seeds\n"), "{some}");
        assert!(of([12, 12], 12, 48).starts_with("A title: 48 runs, 12 seeds\n"));
        assert!(of([1, 1], 1, 1).starts_with("A title: 1 run, 1 seed\n"));
        let rows: Vec<String> = some.lines().map(|line| words(line).join(" ")).collect();
        for row in [
            "20 fifo 1.00 ± 0.00 -",
            "20 chap 5.00 ± 0.00 -",
            "40 fifo 2.00 ± 0.00 -",
            "40 chap 5.00 ± 0.00 -",
        ] {
            assert!(rows.iter().any(|r| r == row.trim_end_matches(" -")), "{row}: {some}");
        }
    }

    #[test]
    fn a_summary_counts_each_state() {
        let e = parse(&text(&check("a", "queue = \"fifo\"\nleast = 0")));
        let outcome =
            Outcome { quick: false, seeds: 3, runs: 12, points: vec![point(&[0], &[("fifo", [1.0; 3])])] };
        let one = judge(&e, &outcome).remove(0);
        let states = [
            (State::Holds, 5),
            (State::Undecided, 4),
            (State::KnownRed, 3),
            (State::Red, 2),
            (State::HoldsAgain, 1),
        ];
        let all: Vec<Verdict> = states
            .iter()
            .flat_map(|(state, n)| std::iter::repeat_n(Verdict { state: *state, ..one.clone() }, *n))
            .collect();
        assert_eq!(
            summary(all.iter()),
            "6 of 15 reproduced, 4 inconclusive, 3 not reproduced (known), 2 not reproduced, 1 of the reproduced listed as known not to be: \
             take it off the list"
        );
        assert_eq!(summary(all[5..9].iter()), "0 of 4 reproduced, 4 inconclusive");
    }
}
