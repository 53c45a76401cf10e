// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab disciplines`: the tables of the core, as text or JSON.

use std::fmt::Write;
use std::process::ExitCode;

use airtab_core::Discipline;
use airtab_lab::catalogue;
use airtab_scenario::reader::instead;
use serde_json::Value;

use crate::args::{Disciplines, USAGE};
use crate::output;

/// All disciplines, or one in full.
pub fn disciplines(args: &Disciplines) -> anyhow::Result<ExitCode> {
    let wanted: Vec<Discipline> = match &args.name {
        None => airtab_core::disciplines().collect(),
        Some(name) => match Discipline::named(name) {
            Some(d) => vec![d],
            None => {
                let known: Vec<_> = airtab_core::disciplines().map(|d| d.name()).collect();
                output::error(&format!("no discipline '{name}'{}", instead(name, &known)));
                return Ok(ExitCode::from(USAGE));
            }
        },
    };
    let text = match (args.form.is_json(), &args.name) {
        (true, None) => pretty(&catalogue::disciplines()),
        (true, Some(_)) => pretty(&catalogue::discipline(wanted[0])),
        (false, None) => list(&wanted),
        (false, Some(_)) => in_full(wanted[0], output::stdout_style().width),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn list(disciplines: &[Discipline]) -> String {
    let width = disciplines.iter().map(|d| d.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for d in disciplines {
        let _ = writeln!(text, "{:width$}  {}", d.name(), d.about());
    }
    text + "\nParameters and statistics of one: airtab disciplines NAME\n"
}

fn in_full(d: Discipline, width: usize) -> String {
    let mut text = format!("{}: {}\n\nParameters, with their defaults\n", d.name(), d.about());
    for p in d.params() {
        let many = if p.max_len > 1 { format!(", up to {} values", p.max_len) } else { String::new() };
        let fixed = if p.fixed { "; fixed once it runs" } else { "" };
        let default = format!("{}={}", p.name, p.format(p.default));
        let _ = writeln!(text, "  {default:22} {}{many}{fixed}", p.allowed());
        let source = if p.source.is_empty() { String::new() } else { format!(" [{}]", p.source) };
        let _ = writeln!(text, "{}", output::wrap(&format!("      {}{source}", p.help), width));
    }
    for (title, stats) in
        [("Statistics", d.stats()), ("Columns of its table of flows or classes", d.row_stats())]
    {
        if !stats.is_empty() {
            let _ = writeln!(text, "\n{title}");
        }
        for s in stats {
            let _ = writeln!(text, "{}", output::wrap(&format!("  {:22} {}", s.name, s.help), width));
        }
    }
    text
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
