// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Standard output as it is: terminal, pipe, closed pipe; a figure as a file. Files: `files`.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use airtab_lab::draw::Figure;
use airtab_lab::table::Style;
pub use airtab_lab::table::wrap;
use airtab_lab::{Comparison, why, why_short};

use crate::args::Why;

use crate::files::Files;

/// Width of reports that no terminal shows.
const FILE_WIDTH: usize = 100;

/// How to lay out text for standard output: the terminal's width, or
/// `COLUMNS`; bold only in a terminal, and not if `NO_COLOR` is set.
pub fn stdout_style() -> Style {
    let terminal = io::stdout().is_terminal();
    let wanted = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let found = || terminal.then(terminal_size::terminal_size).flatten().map(|(w, _)| usize::from(w.0));
    Style {
        width: wanted.or_else(found).unwrap_or(FILE_WIDTH).max(20),
        colour: terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    }
}

/// How to lay out text for a file.
pub fn file_style() -> Style {
    Style { width: FILE_WIDTH, colour: false }
}

/// Name of a file that gets a figure.
///
/// # Errors
/// It does not end in `.svg`.
pub fn svg(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg")) {
        true => Ok(path),
        false => Err("an SVG is written: the name must end in .svg".into()),
    }
}

/// Files of one figure: an SVG, and its data beside it.
pub struct Drawing {
    files: Files,
    svg: PathBuf,
}

impl Drawing {
    /// For that SVG; its directory is checked before the work begins.
    ///
    /// # Errors
    /// Names the directory that cannot be written to.
    pub fn open(svg: &Path) -> anyhow::Result<Drawing> {
        let dir = svg.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = svg.file_name().with_context(|| format!("{} names no file", svg.display()))?;
        Ok(Drawing { files: Files::new(dir)?, svg: name.into() })
    }

    /// Writes both.
    ///
    /// # Errors
    /// Names the file; none is there then.
    pub fn write(mut self, figure: &Figure) -> anyhow::Result<()> {
        let data = self.svg.with_extension("csv");
        self.files.add(&self.svg.to_string_lossy(), |out| out.write_all(figure.svg().as_bytes()))?;
        self.files.add(&data.to_string_lossy(), |out| out.write_all(figure.csv().as_bytes()))?;
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

/// Writes to standard output.
///
/// # Errors
/// Says that it was standard output; of the same kind as the one below.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(unwritten)
}

fn unwritten(e: io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("cannot write to standard output: {e}"))
}

/// The exit code of a text that was shown, or was to be.
pub fn shown(written: io::Result<()>) -> i32 {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            note(&format!("error: {}", unwritten(e)));
            1
        }
        _ => 0,
    }
}

/// Writes a line to standard error. That nobody reads it any more is no reason
/// to fail: what was asked for is elsewhere.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
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

    use super::message;

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

    #[test]
    fn causes_are_said_once() {
        assert_eq!(message(&anyhow!("alone")), "alone");
        assert_eq!(message(&Bind(io::Error::other("taken")).into()), "cannot use UDP :9: taken");
        let e = Err::<(), _>(anyhow!("full")).context("cannot write a").context("no page").unwrap_err();
        assert_eq!(message(&e), "no page: cannot write a: full");
    }
}
