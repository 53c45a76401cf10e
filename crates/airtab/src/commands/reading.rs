// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures and arrival times that a command reads: from a file, a named pipe, or standard input (`-`).
//!
//! Each is opened once. A file is read again from its beginning; a pipe that is read more than once is first copied
//! into a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// Files that take longer than a moment, bytes.
const LONG: u64 = 50_000_000;

/// An input of a command.
pub struct Reading {
    source: Source,
    bar: ProgressBar,
}

enum Source {
    File(File),
    Pipe(Option<Box<dyn Read>>),
}

/// Name of a file in messages.
pub fn named(path: &Path) -> String {
    if path == Path::new("-") { "standard input".into() } else { path.display().to_string() }
}

impl Reading {
    /// Opens a file, with a bar on a terminal that grows by `times` its length.
    ///
    /// # Errors
    /// It cannot be opened, or is standard input once more.
    pub fn open(path: &Path, times: u64) -> anyhow::Result<Reading> {
        static PIPED: AtomicBool = AtomicBool::new(false);
        if path == Path::new("-") {
            if PIPED.swap(true, Ordering::Relaxed) {
                bail!("it is read already: give - once");
            }
            return Ok(Reading::pipe(Box::new(io::stdin())));
        }
        let file = File::open(path).context("cannot read it")?;
        let is = file.metadata().context("cannot read it")?;
        if !is.is_file() {
            return Ok(Reading::pipe(Box::new(file)));
        }
        Ok(Reading { source: Source::File(file), bar: bar(path, is.len(), times) })
    }

    fn pipe(pipe: Box<dyn Read>) -> Reading {
        Reading { source: Source::Pipe(Some(pipe)), bar: ProgressBar::hidden() }
    }

    /// True for a pipe, whose name has no ending.
    pub fn is_pipe(&self) -> bool {
        matches!(self.source, Source::Pipe(_))
    }

    /// Makes it readable more than once.
    ///
    /// # Errors
    /// A pipe cannot be read or kept.
    pub fn keep(&mut self) -> io::Result<()> {
        if let Source::Pipe(pipe) = &mut self.source {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut pipe.take().unwrap_or_else(|| Box::new(io::empty())), &mut file)?;
            self.source = Source::File(file);
        }
        Ok(())
    }

    /// First byte of a file, or of a pipe that is kept.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn first(&mut self) -> io::Result<Option<u8>> {
        let Source::File(file) = &mut self.source else { return Ok(None) };
        file.rewind()?;
        let mut first = [0];
        Ok((file.read(&mut first)? > 0).then_some(first[0]))
    }

    /// Bytes from the beginning; of a pipe that is not kept, once.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn begin(&mut self) -> io::Result<Box<dyn Read>> {
        match &mut self.source {
            Source::File(file) => {
                file.rewind()?;
                Ok(Box::new(self.bar.wrap_read(file.try_clone()?)))
            }
            Source::Pipe(pipe) => pipe.take().ok_or_else(|| io::Error::other("a pipe is read once")),
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn bar(path: &Path, bytes: u64, times: u64) -> ProgressBar {
    use std::io::IsTerminal;
    if bytes > LONG && !io::stderr().is_terminal() {
        output::note(&format!("Reading {} ...", path.display()));
    }
    if output::is_quiet() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left");
    ProgressBar::new(times * bytes).with_style(style.expect("the template is right"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(reading: &mut Reading) -> String {
        let mut text = String::new();
        reading.begin().and_then(|mut bytes| bytes.read_to_string(&mut text)).expect("read");
        text
    }

    #[test]
    fn a_file_is_read_again_and_a_pipe_if_it_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "abc").expect("written");
        let mut file = Reading::open(&path, 2).expect("it is there");
        assert_eq!(
            (all(&mut file), file.first().ok(), all(&mut file)),
            ("abc".into(), Some(Some(b'a')), "abc".into())
        );
        assert!(!file.is_pipe());
        let mut pipe = Reading::pipe(Box::new(&b"abc"[..]));
        assert!(pipe.is_pipe() && pipe.first().ok() == Some(None));
        assert_eq!(all(&mut pipe), "abc");
        assert_eq!(pipe.begin().map(|_| ()).expect_err("once").to_string(), "a pipe is read once");
        let mut kept = Reading::pipe(Box::new(&b"abc"[..]));
        kept.keep().expect("kept");
        assert_eq!(
            (all(&mut kept), kept.first().ok(), all(&mut kept)),
            ("abc".into(), Some(Some(b'a')), "abc".into())
        );
        let none = Reading::open(&folder.path().join("none"), 1).map(|_| ()).expect_err("it is not there");
        assert_eq!(none.to_string(), "cannot read it");
    }

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!((named(Path::new("-")), named(Path::new("./-"))), ("standard input".into(), "./-".into()));
    }
}
