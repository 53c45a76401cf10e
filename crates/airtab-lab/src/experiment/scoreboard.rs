//! All experiments together, as Markdown: every number with its section, what
//! was expected, what came out; and for each family a page with the tables.
//!
//! What it does not do: no date is taken from a clock; the caller gives it.

use std::fmt::Write;

use super::judge::{State, Verdict};
use super::text::{one_line, summary};
use super::{Experiment, Outcome};

/// One experiment and what came out.
pub type Done = (Experiment, Outcome, Vec<Verdict>);

/// The board. `built`: version and commit of airtab; `date`: of the day.
pub fn board(done: &[Done], built: &str, date: &str) -> String {
    let mut text = format!(
        "# Experiments: measured against published\n\n\
         Written by `airtab experiment scoreboard`; do not edit. airtab {built}, {date}.\n\n\
         {}. A result outside its band stays red, with its likely cause; no knob is turned to please one\n\
         figure. How to run them and what the bands mean: [docs/experiments.md](../docs/experiments.md).\n",
        summary(done.iter().flat_map(|(.., verdicts)| verdicts))
    );
    for (e, outcome, verdicts) in done {
        let _ = write!(text, "\n## {}\n\n{}. {}; {}.\n\n", e.id, e.title, e.source, runs(outcome));
        text.push_str("| what | section | source | expected | measured | |\n|---|---|---|---|---|---|\n");
        for v in verdicts {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
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
    text
}

fn runs(outcome: &Outcome) -> String {
    let quick = if outcome.quick { ", quick" } else { "" };
    let seeds = if outcome.seeds == 1 { "one seed".into() } else { format!("{} seeds", outcome.seeds) };
    format!("{} runs, {seeds}{quick}", outcome.runs)
}

fn word(state: State) -> String {
    match state {
        State::Holds => "holds".into(),
        other => format!("**{}**", other.word()),
    }
}

fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}
