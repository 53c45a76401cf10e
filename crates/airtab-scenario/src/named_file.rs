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
    pub(crate) fn of(file: &'a Path, open: OpenFile<'a>) -> Folder<'a> {
        Folder { path: file.parent().unwrap_or(Path::new("")), open }
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
    utf8_text(bytes)
}

/// Bytes of a file as text.
///
/// # Errors
/// Names the first byte that is not UTF-8, and its line.
pub fn utf8_text(bytes: Vec<u8>) -> Result<String, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of the largest size is read, one byte more is refused; bytes that are not UTF-8 are named by their line.
    #[test]
    fn texts_have_a_size_and_are_utf_8() {
        let read = |bytes: Vec<u8>, mib| text_of(Box::new(io::Cursor::new(bytes)), mib, "a list");
        assert_eq!(read(b"a\nb".to_vec(), 1), Ok("a\nb".into()));
        assert_eq!(read(vec![b'x'; 2 << 20], 2).map(|text| text.len()), Ok(2 << 20));
        let large = "is larger than 2 MiB; is it a list?";
        assert_eq!(read(vec![b'x'; (2 << 20) + 1], 2), Err(large.into()));
        for (bytes, place) in [
            (&b"\xff"[..], "byte 0 (line 1)"),
            (b"ab\xff\n", "byte 2 (line 1)"),
            (b"ab\n\xff", "byte 3 (line 2)"),
            (b"a\n\nbc\xff\n\n", "byte 5 (line 3)"),
        ] {
            assert_eq!(read(bytes.to_vec(), 1), Err(format!("is not UTF-8 text: {place}")));
        }
    }

    /// A file is looked for beside the scenario that names it, unless its path is a whole one.
    #[test]
    fn files_are_beside_their_scenario() {
        let open: OpenFile = &|_, _| Err("none".into());
        for (file, name, expected) in [
            ("a/b/house.toml", "x.txt", "a/b/x.txt"),
            ("house.toml", "c/x.txt", "c/x.txt"),
            ("a/house.toml", "../x.txt", "a/../x.txt"),
            ("a/house.toml", "/d/x.txt", "/d/x.txt"),
            ("", "x.txt", "x.txt"),
        ] {
            assert_eq!(Folder::of(Path::new(file), open).path(name), Path::new(expected), "{file} {name}");
        }
    }

    #[test]
    fn errors_of_the_system_have_no_numbers() {
        let error = io::Error::from_raw_os_error(2);
        assert_eq!(plain_io_error(&error), "no such file or directory");
        assert_eq!(plain_io_error(&io::Error::other("It broke")), "It broke");
    }
}
