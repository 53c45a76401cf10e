// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Inputs of a command: files, named pipes, the pipe of `<(COMMAND)`, or standard input (`-`).
//!
//! Each is opened once. A file is read again from its beginning; a pipe that is read more than once is first copied
//! into a temporary file. [`text`] and [`bytes`] read small inputs whole: scenarios, configurations, certificates.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// Files that take longer than a moment, bytes.
const LONG: u64 = 50_000_000;

/// Limit of inputs that are read whole, MiB; far above any scenario or configuration.
const MOST_MIB: u64 = 4;

/// Directories with the pipes that shells open for `<(COMMAND)`.
const PIPES: [&str; 2] = ["/dev/fd", "/proc/self/fd"];

/// An input of a command.
pub struct Reading {
    source: Source,
    bar: ProgressBar,
}

enum Source {
    File(File),
    Pipe(Option<Box<dyn Read>>),
}

/// True for standard input and for the pipe of `<(COMMAND)`: it can be read once, and has no directory.
pub fn is_piped(path: &Path) -> bool {
    let of_shell = path.parent().is_some_and(|folder| PIPES.iter().any(|pipes| folder == Path::new(pipes)));
    path == Path::new("-") || path == Path::new("/dev/stdin") || of_shell
}

/// Name of an input in messages.
pub fn named(path: &Path) -> String {
    if !is_piped(path) {
        return path.display().to_string();
    }
    match path.file_name().and_then(|number| number.to_str()) {
        None | Some("-" | "0" | "stdin") => "standard input".into(),
        Some(number) => format!("pipe {number}"),
    }
}

/// Reads the bytes of an input that should be `what`, of at most 4 MiB.
///
/// # Errors
/// It cannot be read, is larger, or is standard input once more.
pub fn bytes(path: &Path, what: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = Reading::open(path, 1)?.begin()?.take((MOST_MIB << 20) + 1).read_to_end(&mut bytes);
    read.context("cannot read it")?;
    if bytes.len() as u64 > MOST_MIB << 20 {
        bail!("is larger than {MOST_MIB} MiB; is it {what}?");
    }
    Ok(bytes)
}

/// Reads the text of an input that should be `what`, of at most 4 MiB.
///
/// # Errors
/// As [`bytes`]; or it is not UTF-8.
pub fn text(path: &Path, what: &str) -> Result<String, String> {
    airtab_scenario::utf8_text(bytes(path, what).map_err(|e| output::message(&e))?)
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

    /// The file, or a temporary one with the bytes of a pipe.
    ///
    /// # Errors
    /// A pipe cannot be read or kept, or has more than `most_mib` MiB.
    #[cfg(any(has_serve, test))]
    pub fn into_file(mut self, most_mib: u64) -> io::Result<File> {
        if let Source::Pipe(pipe) = &mut self.source {
            *pipe = pipe.take().map(|pipe| Box::new(pipe.take((most_mib << 20) + 1)) as Box<dyn Read>);
        }
        let piped = self.is_pipe();
        self.keep()?;
        match self.source {
            Source::File(file) if piped && file.metadata()?.len() > most_mib << 20 => Err(io::Error::other(
                format!("a pipe of more than {most_mib} MiB: write it into a file first"),
            )),
            Source::File(file) => Ok(file),
            Source::Pipe(_) => unreachable!("a pipe was copied to a file"),
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
        for (path, name, piped) in [
            ("-", "standard input", true),
            ("/dev/stdin", "standard input", true),
            ("/dev/fd/0", "standard input", true),
            ("/dev/fd/63", "pipe 63", true),
            ("/proc/self/fd/12", "pipe 12", true),
            ("./-", "./-", false),
            ("/dev/fd", "/dev/fd", false),
            ("/dev/null", "/dev/null", false),
        ] {
            let path = Path::new(path);
            assert_eq!((named(path), is_piped(path)), (name.into(), piped), "{}", path.display());
        }
    }

    /// The largest input is read whole, one byte more is refused, as text and as bytes.
    #[test]
    fn small_inputs_have_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let read = |content: &[u8]| {
            std::fs::write(&path, content).expect("written");
            let bytes = bytes(&path, "a list").map_err(|e| output::message(&e));
            (text(&path, "a list").map(String::into_bytes), bytes)
        };
        let most = vec![b'x'; 4 << 20];
        assert_eq!(read(&most), (Ok(most.clone()), Ok(most.clone())));
        let large: Result<Vec<u8>, String> = Err("is larger than 4 MiB; is it a list?".into());
        assert_eq!(read(&[&most[..], b"x"].concat()), (large.clone(), large));
        assert_eq!(read(b"\xff"), (Err("is not UTF-8 text: byte 0 (line 1)".into()), Ok(b"\xff".into())));
    }

    /// A pipe is copied into a file up to the limit; a file has none.
    #[test]
    fn a_pipe_becomes_a_file_up_to_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let content = vec![b'x'; (1 << 20) + 1];
        std::fs::write(&path, &content).expect("written");
        let read = |file: io::Result<File>| {
            let mut bytes = Vec::new();
            let read = file.and_then(|mut file| {
                file.rewind()?;
                file.read_to_end(&mut bytes)
            });
            read.map_err(|e| e.to_string())
        };
        let pipe = |bytes: usize| Reading::pipe(Box::new(io::Cursor::new(vec![b'x'; bytes]))).into_file(1);
        assert_eq!(read(Reading::open(&path, 1).expect("it is there").into_file(1)), Ok((1 << 20) + 1));
        assert_eq!(read(pipe(1 << 20)), Ok(1 << 20));
        let refused = "a pipe of more than 1 MiB: write it into a file first";
        assert_eq!(read(pipe((1 << 20) + 1)), Err(refused.into()));
    }
}
