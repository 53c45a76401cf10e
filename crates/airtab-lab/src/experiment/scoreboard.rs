// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! All experiments together, as Markdown: every number with its section, what
//! was expected, what came out; a line for each experiment first.
//!
//! What it does not do: no date is taken from a clock; the caller gives it.

use std::fmt::Write;

use super::judge::{State, Verdict};
use super::text::{one_line, size, summary};
use super::{Experiment, Outcome};
use airtab_scenario::digits::count;

/// One experiment and what came out.
pub type Done = (Experiment, Outcome, Vec<Verdict>);

/// The board. `built`: version and commit of airtab; `date`: of the day.
pub fn board(done: &[Done], built: &str, date: &str) -> String {
    let mut text = format!(
        "# Experiments: measured against published\n\n\
         Written by `airtab experiment scoreboard`; do not edit. airtab {built}, {date}.\n\n\
         {}\n\n\
         {}. A result outside its band stays red, with its likely cause; no knob is turned to please one\n\
         figure. How to run them and what the bands mean: [docs/experiments.md](../docs/experiments.md).\n",
        extent(done),
        summary(done.iter().flat_map(|(.., verdicts)| verdicts))
    );
    overview(&mut text, done);
    numbers(&mut text, done);
    text
}

/// Whether it is the full board.
fn extent(done: &[Done]) -> String {
    let ids: Vec<String> = super::all().into_iter().filter(|e| !e.live).map(|e| e.id).collect();
    let there = ids.iter().filter(|id| done.iter().any(|(e, ..)| e.id == **id)).count();
    let runs = done.iter().map(|(_, outcome, _)| outcome.runs).sum();
    match (there == ids.len(), done.iter().any(|(_, outcome, _)| outcome.quick)) {
        (true, false) => format!(
            "**This is the full board**: all {there} experiments that are simulated, every point, every seed; {}.",
            count(runs, "run")
        ),
        (_, true) => {
            "**This is a quick look and not the full board**: only the points that verdicts need, with fewer \
                      seeds."
                .into()
        }
        (false, _) => format!("**This is a part of the board**: {there} of {} experiments.", ids.len()),
    }
}

/// Where the live part begins.
const LIVE: &str = "\n# Live experiments\n";

/// The live part: what was measured in real time on one machine.
pub fn live(done: &[Done], built: &str, date: &str) -> String {
    let mut text = format!(
        "{LIVE}\n\
         Written by `airtab experiment scoreboard --live`; do not edit. airtab {built}, {date}.\n\n\
         {}. Measured in real time with real programs: another machine, or another day, gives other figures\n\
         ([docs/experiments-live.md](../docs/experiments-live.md)).\n",
        summary(done.iter().flat_map(|(.., verdicts)| verdicts))
    );
    overview(&mut text, done);
    numbers(&mut text, done);
    text
}

/// A board with that live part instead of its own.
pub fn with_live(board: &str, live: &str) -> String {
    format!("{}{live}", board.split_once(LIVE).map_or(board, |(simulated, _)| simulated))
}

/// A board with the live part of an older one.
pub fn with_live_of(board: &str, old: &str) -> String {
    old.split_once(LIVE).map_or(board.into(), |(_, live)| format!("{board}{LIVE}{live}"))
}

/// A table for each experiment.
fn numbers(text: &mut String, done: &[Done]) {
    for (e, outcome, verdicts) in done {
        let _ = write!(text, "\n## {}\n\n{}. {}; {}.\n\n", e.id, e.title, e.source, runs(outcome));
        // A column only where something would be in it.
        let rerun = verdicts.iter().any(|v| !v.off_rerun.is_empty());
        let (heading, line) = if rerun { (" a rerun, and how far from it |", "---|") } else { ("", "") };
        let _ = writeln!(
            text,
            "| what | section | source | expected | measured | off the source |{heading} |\n|---|---|---|---|---|---|{line}---|"
        );
        for v in verdicts {
            let off = if rerun { format!("{} | {}", v.off, v.off_rerun) } else { v.off.clone() };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {off} | {} |",
                cell(&v.what),
                cell(&v.section),
                cell(&v.reported),
                cell(&v.expected),
                cell(&v.measured),
                word(v.state)
            );
        }
        for v in verdicts {
            if let Some(cause) = &v.cause {
                let _ = write!(text, "\n- {} ({}): {}", v.what, v.state.word(), one_line(cause));
            }
        }
        if verdicts.iter().any(|v| v.cause.is_some()) {
            text.push('\n');
        }
        if let Some(today) = &e.today {
            let _ = write!(text, "\n**fq_codel.** {}\n", one_line(today));
        }
    }
}

/// A line for each experiment, with a link to its numbers.
fn overview(text: &mut String, done: &[Done]) {
    text.push_str("\n| experiment | what it shows | holds | |\n|---|---|---|---|\n");
    for (e, _, verdicts) in done {
        let count = |wanted: fn(&State) -> bool| verdicts.iter().filter(|v| wanted(&v.state)).count();
        let holds = count(|s| matches!(s, State::Holds | State::HoldsAgain));
        let red = match (count(|s| *s == State::KnownRed), count(|s| *s == State::Red)) {
            (0, 0) => String::new(),
            (known, 0) => format!("{known} red, known"),
            (known, new) => format!("**{new} RED**, {known} known"),
        };
        let open = match count(|s| *s == State::Undecided) {
            0 => String::new(),
            n => format!("{n} undecided"),
        };
        let rest = [red, open].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        let anchor: String = e.id.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
        let _ = writeln!(
            text,
            "| [{}](#{anchor}) | {} | {holds} of {} | {rest} |",
            e.id,
            cell(&e.title),
            verdicts.len()
        );
    }
}

fn runs(outcome: &Outcome) -> String {
    let quick = if outcome.quick { ", quick" } else { "" };
    format!("{}{quick}", size(outcome.runs, outcome.seeds))
}

fn word(state: State) -> String {
    match state {
        State::Holds | State::Undecided => state.word().into(),
        other => format!("**{}**", other.word()),
    }
}

fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}
