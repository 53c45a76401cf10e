// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files that a scenario names, wherever they are: on disk, in memory, nowhere.
//!
//! No more of a text is read than a file of the wanted kind could have.
//!
//! What it does not do: who may read what on disk is `disk_file`'s.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Opens a file: its path, and what it should be, for messages; or says why it cannot be read.
pub type OpenFile<'a> = &'a dyn Fn(&Path, &str) -> Result<Box<dyn Read>, String>;

/// Where files that a scenario names are looked for.
pub(crate) struct Folder<'a> {
    path: &'a Path,
    open: OpenFile<'a>,
}

impl<'a> Folder<'a> {
    /// The folder of the scenario `file`.
    pub(crate) fn of(file: &'a str, open: OpenFile<'a>) -> Folder<'a> {
        Folder { path: Path::new(file).parent().unwrap_or(Path::new("")), open }
    }

    /// A file of that name there.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a file that should be `what`.
    pub(crate) fn open(&self, path: &Path, what: &str) -> Result<Box<dyn Read>, String> {
        (self.open)(path, what)
    }

    /// Its text, of at most `max_mib` MiB.
    pub(crate) fn text(&self, path: &Path, max_mib: u64, what: &str) -> Result<String, String> {
        text_of(self.open(path, what)?, max_mib, what)
    }
}

/// The text of a file of at most `max_mib` MiB that should be `what`.
pub(crate) fn text_of(file: Box<dyn Read>, max_mib: u64, what: &str) -> Result<String, String> {
    let max = max_mib << 20;
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes).map_err(|e| plain_io_error(&e))?;
    if bytes.len() as u64 > max {
        return Err(format!("is larger than {max_mib} MiB; is it {what}?"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
        format!("is not UTF-8 text: byte {at} (line {line})")
    })
}

/// An I/O error without the number that the operating system gave it.
pub(crate) fn plain_io_error(e: &io::Error) -> String {
    let text = e.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
