// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Standard output as it is: terminal, pipe, closed pipe; a figure as a file. Files: `files`.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style as Look};
use clap::ColorChoice;
use log::LevelFilter;

use airtab_lab::draw::Figure;
use airtab_lab::frame::Csv;
use airtab_lab::table::Style;
pub use airtab_lab::table::wrap;
use airtab_lab::{Build, Comparison, why, why_short};
pub use airtab_scenario::reader::harmless;
use arrow_array::RecordBatch;

use crate::args::Why;

use crate::files::Files;

/// Width of reports that no terminal shows.
const FILE_WIDTH: usize = 100;
/// As clap has them.
const ERROR: Look = AnsiColor::Red.on_default().bold();
const WARNING: Look = AnsiColor::Yellow.on_default().bold();

/// How to lay out text for standard output: the terminal's width, or
/// `COLUMNS`; bold as `--color` has it: by default in a terminal, and not if `NO_COLOR` is set.
pub fn stdout_style() -> Style {
    let terminal = io::stdout().is_terminal();
    let wanted = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let found = || terminal.then(terminal_size::terminal_size).flatten().map(|(w, _)| usize::from(w.0));
    Style {
        width: wanted.or_else(found).unwrap_or(FILE_WIDTH).max(20),
        colour: anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
    }
}

/// How to lay out text for a file.
pub fn file_style() -> Style {
    Style { width: FILE_WIDTH, colour: false }
}

/// Files of one figure: an SVG, and its data beside it.
pub struct Drawing {
    files: Files,
    /// Of the SVG, where it is not that of the figure.
    name: Option<PathBuf>,
}

impl Drawing {
    /// For that directory, which is checked before the work begins. A name that ends in `.svg` is the file's, as in
    /// earlier versions.
    ///
    /// # Errors
    /// Names the directory that cannot be written to.
    pub fn open(out: &Path) -> anyhow::Result<Drawing> {
        if out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("svg")) {
            return Ok(Drawing { files: Files::new(out)?, name: None });
        }
        let dir = out.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Drawing { files: Files::new(dir)?, name: out.file_name().map(PathBuf::from) })
    }

    /// Writes both.
    ///
    /// # Errors
    /// Names the file; none is there then.
    pub fn write(mut self, figure: &Figure) -> anyhow::Result<()> {
        let svg = self.name.unwrap_or_else(|| format!("{}.svg", figure.name).into());
        let data = svg.with_extension("csv");
        self.files.add(svg, |out| out.write_all(figure.svg().as_bytes()))?;
        self.files.add(data, |out| out.write_all(figure.csv().as_bytes()))?;
        self.files.finish()
    }
}

/// The part of a report that says why.
pub fn reasons(c: &Comparison, how: Why, style: Style) -> String {
    let sentences = match how {
        Why::None => return String::new(),
        Why::Short => why_short(c),
        Why::Full => why(c),
    };
    let mut text = "\nWhy\n".to_string();
    for sentence in sentences {
        text.push_str(&wrap(&format!("  {sentence}"), style.width));
        text.push('\n');
    }
    text
}

/// What this program is.
pub const BUILD: Build<'static> = Build { version: env!("CARGO_PKG_VERSION"), git: env!("AIRTAB_GIT") };

/// Writes a row for each figure to standard output, as CSV.
///
/// # Errors
/// As [`print`].
pub fn print_csv(rows: &RecordBatch) -> io::Result<()> {
    write_csv(rows, io::stdout().lock()).map_err(unwritten)
}

/// The same to a file.
///
/// # Errors
/// Those of `out`.
pub fn write_csv(rows: &RecordBatch, out: impl Write) -> io::Result<()> {
    let mut csv = Csv::new(out, &rows.schema())?;
    csv.write(rows)?;
    csv.close()?.flush()
}

/// Whether a terminal shows standard output.
pub fn to_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Bold type of tables, on and off.
const BOLD: [&str; 2] = ["\x1b[1m", "\x1b[0m"];

/// Writes to standard output, where foreign text drives no terminal: [`harmless`], except for bold type.
///
/// # Errors
/// Says that it was standard output; of the same kind as the one below.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(shown_text(text).as_bytes()).and_then(|()| out.flush()).map_err(unwritten)
}

fn shown_text(text: &str) -> String {
    let plain = |text: &str| text.split(BOLD[1]).map(harmless).collect::<Vec<_>>().join(BOLD[1]);
    text.split(BOLD[0]).map(plain).collect::<Vec<_>>().join(BOLD[0])
}

fn unwritten(e: io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("cannot write to standard output: {e}"))
}

/// The exit code of a text that was shown, or was to be.
pub fn shown(written: io::Result<()>) -> i32 {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            error(&unwritten(e).to_string());
            1
        }
        _ => 0,
    }
}

/// How much is said on standard error, and in which colours. Once, before anything is.
pub fn speak(quiet: bool, verbose: bool, colour: ColorChoice) {
    log::set_max_level(match (quiet, verbose) {
        (true, _) => LevelFilter::Warn,
        (_, true) => LevelFilter::Debug,
        _ => LevelFilter::Info,
    });
    match colour {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Whether progress and notes are unwanted.
pub fn is_quiet() -> bool {
    log::max_level() < LevelFilter::Info
}

/// Whether details are wanted.
pub fn is_verbose() -> bool {
    log::max_level() >= LevelFilter::Debug
}

/// Writes a line to standard error, also with `--quiet`, and [`harmless`]. A closed standard error is ignored: the results are
/// elsewhere.
pub fn tell(text: &str) {
    say("", text);
}

/// Writes such a line with a prefix that may have colours.
fn say(front: &str, text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{front}{}", harmless(text));
}

/// Reports a wrong command line.
pub fn usage(said: &clap::Error) {
    let plain = said.render().to_string();
    // Its colours would be escaped with foreign text.
    let written = match harmless(&plain) == plain {
        true => said.print(),
        false => write!(anstream::stderr().lock(), "{}", harmless(&plain)),
    };
    let _ = written;
}

/// What went wrong, so that there is no result, or not all of it.
pub fn error(text: &str) {
    say(&format!("{ERROR}error:{ERROR:#} "), text);
}

/// What is most likely not meant, or makes figures doubtful.
pub fn warn(text: &str) {
    say(&format!("{WARNING}warning:{WARNING:#} "), text);
}

/// What is good to know; not with `--quiet`.
pub fn note(text: &str) {
    if !is_quiet() {
        tell(text);
    }
}

/// What few want to know; with `--verbose`.
pub fn detail(text: &str) {
    if is_verbose() {
        tell(text);
    }
}

/// An error with its causes, each said once: some say in their own words what their cause says again.
pub fn message(e: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in e.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Whether the reader of our output went away.
pub fn is_broken_pipe(e: &anyhow::Error) -> bool {
    let kinds = e.chain().filter_map(|c| c.downcast_ref::<io::Error>());
    kinds.into_iter().any(|io| io.kind() == ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::{fmt, io};

    use anyhow::{Context, anyhow};

    use super::{is_broken_pipe, message, shown, shown_text, unwritten};

    /// Says what its cause says, and has it as its cause, too.
    #[derive(Debug)]
    struct Bind(io::Error);

    impl fmt::Display for Bind {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "cannot use UDP :9: {}", self.0)
        }
    }

    impl Error for Bind {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    /// A reader who has gone away is no failure, wherever the error is among its causes.
    #[test]
    fn a_reader_who_is_gone_is_known_by_the_kind() {
        let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "gone");
        let full = || io::Error::new(io::ErrorKind::StorageFull, "full");
        for (error, broken) in [
            (anyhow!(gone()), true),
            (anyhow!(gone()).context("cannot write a").context("no page"), true),
            (unwritten(gone()).into(), true),
            (anyhow!(full()), false),
            (anyhow!(full()).context("broken pipe"), false),
            (anyhow!("broken pipe"), false),
        ] {
            assert_eq!(is_broken_pipe(&error), broken, "{error:#}");
        }
        assert_eq!(unwritten(full()).to_string(), "cannot write to standard output: full");
        assert_eq!(unwritten(full()).kind(), io::ErrorKind::StorageFull);
        assert_eq!((shown(Ok(())), shown(Err(gone()))), (0, 0));
    }

    /// Bold type of tables stays, colours and window titles in foreign text do not.
    #[test]
    fn foreign_text_is_escaped_and_bold_type_is_not() {
        let table = "\u{1b}[1mbest \u{1b}[31m\u{1b}[0m\t1\r\n\u{1b}[1m\u{202e}\u{1b}[0m";
        let shown = "\u{1b}[1mbest \\u001b[31m\u{1b}[0m\t1\\u000d\n\u{1b}[1m\\u202e\u{1b}[0m";
        assert_eq!(shown_text(table), shown);
        assert_eq!(shown_text("plain\n"), "plain\n");
    }

    #[test]
    fn causes_are_said_once() {
        assert_eq!(message(&anyhow!("alone")), "alone");
        assert_eq!(message(&Bind(io::Error::other("taken")).into()), "cannot use UDP :9: taken");
        let e = Err::<(), _>(anyhow!("full")).context("cannot write a").context("no page").unwrap_err();
        assert_eq!(message(&e), "no page: cannot write a: full");
        // What is only within a text is said by itself.
        let e = Err::<(), _>(anyhow!("full")).context("full of errors").context("no page").unwrap_err();
        assert_eq!(message(&e), "no page: full of errors: full");
    }
}
