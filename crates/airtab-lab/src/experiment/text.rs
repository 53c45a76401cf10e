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
            State::HoldsAgain => format!("{} holds, though it is listed as known not to: {cause}", v.what),
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
        all => format!("{holds} of {all} hold"),
    };
    for (n, words) in [
        (count(State::Undecided), "undecided"),
        (count(State::KnownRed), "known not to"),
        (count(State::Red), "RED"),
        (count(State::HoldsAgain), "of them listed as known not to: take it off the list"),
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
