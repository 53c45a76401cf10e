// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab completions` and `airtab man`: what shells and `man` know of the command line.
//!
//! Source: the options themselves (`args`). What it does not do: it installs nothing.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Command, CommandFactory, Parser};
use clap_complete::{Shell, generate};
use clap_mangen::Man as Page;

use crate::args::Args;
use crate::files::Files;
use crate::output;

/// Print what a shell needs to complete commands and options
#[derive(Parser)]
#[command(after_help = "Examples:
  source <(airtab completions bash)            for this shell
  airtab completions bash > ~/.local/share/bash-completion/completions/airtab
  airtab completions zsh > ~/.zfunc/_airtab
  airtab completions fish > ~/.config/fish/completions/airtab.fish")]
pub struct Completions {
    /// For this shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write a manual page for every command
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab man --out man && man man/airtab-compare.1
  airtab man --out ~/.local/share/man/man1     and then: man airtab-compare")]
pub struct Man {
    /// Into this directory: airtab.1, airtab-compare.1 and so on
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Prints completions.
pub fn completions(args: &Completions) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    generate(args.shell, &mut Args::command(), "airtab", &mut text);
    output::print(&String::from_utf8(text)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages.
pub fn man(args: &Man) -> anyhow::Result<ExitCode> {
    let mut files = Files::new(&args.out)?;
    let mut command = Args::command();
    // Names of the parts, and options that all of them have, are made by this.
    command.build();
    add(&mut files, &command)?;
    let pages = files.names().len();
    files.finish()?;
    output::note(&format!("Wrote {pages} pages into {}.", args.out.display()));
    Ok(ExitCode::SUCCESS)
}

/// The page of a command, and those of its parts.
fn add(files: &mut Files, command: &Command) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let source = format!("airtab {}", env!("CARGO_PKG_VERSION"));
    let page = Page::new(command.clone()).title(name.to_uppercase()).source(source);
    let mut roff = Vec::new();
    page.render(&mut roff)?;
    let roff = as_written(&String::from_utf8(roff)?);
    files.add(format!("{name}.1"), |out| out.write_all(roff.as_bytes()))?;
    let parts = command.get_subcommands().filter(|part| part.get_name() != "help");
    parts.into_iter().try_for_each(|part| add(files, part))
}

/// What follows the options stays in the lines that it was written in: commands with words behind them.
fn as_written(roff: &str) -> String {
    let Some((before, rest)) = roff.split_once(".SH EXTRA\n") else { return roff.into() };
    let (extra, after) = rest.split_at(rest.find("\n.SH").map_or(rest.len(), |at| at + 1));
    let (name, extra) = extra.strip_prefix("Examples:\n").map_or(("NOTES", extra), |rest| ("EXAMPLES", rest));
    format!("{before}.SH {name}\n.nf\n{}\n.fi\n{after}", extra.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples and notes keep their lines; sections behind them stay as they are.
    #[test]
    fn examples_stay_in_their_lines() {
        let head = ".TH X 1\n.SH OPTIONS\n-a\n";
        for (extra, name, lines) in [
            ("Examples:\n  x one   first\n  x two\n", "EXAMPLES", "  x one   first\n  x two"),
            ("A session:\n  x one\n\n", "NOTES", "A session:\n  x one"),
            ("Exit codes: 0\nExamples:\n  x\n", "NOTES", "Exit codes: 0\nExamples:\n  x"),
        ] {
            let made = format!("{head}.SH {name}\n.nf\n{lines}\n.fi\n");
            assert_eq!(as_written(&format!("{head}.SH EXTRA\n{extra}")), made);
            let after = ".SH VERSION\n0.1\n";
            assert_eq!(as_written(&format!("{head}.SH EXTRA\n{extra}{after}")), format!("{made}{after}"));
        }
        assert_eq!(as_written(head), head);
    }
}
