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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every parameter says how many values it takes, whether it may change, and where it comes from.
    #[test]
    fn each_parameter_is_told_by_its_row() {
        let (mut many, mut fixed) = (0, 0);
        for d in airtab_core::disciplines() {
            let text = in_full(d, 1000);
            assert!(text.starts_with(&format!("{}: {}\n\nParameters, with", d.name(), d.about())), "{text}");
            let lines: Vec<&str> = text.lines().collect();
            for p in d.params() {
                let start = format!("  {}={} ", p.name, p.format(p.default));
                let at = lines
                    .iter()
                    .position(|line| line.starts_with(&start))
                    .unwrap_or_else(|| panic!("{start}"));
                let line = lines[at];
                assert!(line.contains(&p.allowed().to_string()), "{line}");
                assert_eq!(line.contains(&format!(", up to {} values", p.max_len)), p.max_len > 1, "{line}");
                assert_eq!(line.contains(", up to "), p.max_len > 1, "{line}");
                assert_eq!(line.ends_with("; fixed once it runs"), p.fixed, "{line}");
                let source = if p.source.is_empty() { String::new() } else { format!(" [{}]", p.source) };
                assert_eq!(lines[at + 1].trim_start(), format!("{}{source}", p.help));
                (many, fixed) = (many + usize::from(p.max_len > 1), fixed + usize::from(p.fixed));
            }
            for (title, stats) in
                [("Statistics", d.stats()), ("Columns of its table of flows or classes", d.row_stats())]
            {
                let at = lines.iter().position(|line| *line == title);
                assert_eq!(at.is_some(), !stats.is_empty(), "{}: {title}", d.name());
                for (i, s) in stats.iter().enumerate() {
                    let words: Vec<&str> = lines[at.expect("a title") + 1 + i].split_whitespace().collect();
                    assert_eq!(words[0], s.name);
                    assert_eq!(words[1..].join(" "), s.help.split_whitespace().collect::<Vec<_>>().join(" "));
                }
            }
        }
        assert!(many > 0 && fixed > 0, "{many} {fixed}");
    }

    /// Texts begin in one column, behind the longest name.
    #[test]
    fn a_list_has_two_columns() {
        let all: Vec<Discipline> = airtab_core::disciplines().collect();
        let text = list(&all);
        let longest = all.iter().map(|d| d.name().len()).max().expect("some");
        for (d, line) in all.iter().zip(text.lines()) {
            assert_eq!(line, format!("{}{}  {}", d.name(), " ".repeat(longest - d.name().len()), d.about()));
        }
        assert_eq!(text.lines().count(), all.len() + 2);
    }
}
