// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files that a scenario names, copied beside its results: a folder of results stands alone, wherever it is moved to.
//!
//! A file keeps its name, unless another file of the folder has that. What it does not do: which values name files is
//! `airtab-scenario`'s.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use airtab_lab::text_hash;
use airtab_scenario::open_file;
use anyhow::Context;

use crate::files::{FIGURE, Files};

/// What results are called: how names of their files begin.
const RESULTS: [&str; 7] =
    ["manifest.json", "index.html", "scenario.toml", "input.toml", "report.", "results.", FIGURE];

/// Files on their way into a folder.
#[derive(Default)]
pub struct Inputs {
    /// Where each is, and its name there.
    found: Vec<(PathBuf, String)>,
    /// How names of further files there begin.
    taken: Vec<String>,
    /// A folder that has results of others, too.
    shared: Option<PathBuf>,
}

impl Inputs {
    /// None yet, for a folder in which names that begin so are somebody else's, and so are files of another content.
    pub fn beside(taken: &[String], folder: &Path) -> Inputs {
        Inputs { found: Vec::new(), taken: taken.to_vec(), shared: Some(folder.into()) }
    }

    /// The name that a file gets there; None if that is the one by which it is named.
    pub fn rename(&mut self, path: &Path, written: &str) -> Option<String> {
        let known = self.found.iter().find(|(known, _)| known == path).map(|(_, name)| name.clone());
        let name = known.unwrap_or_else(|| {
            let name = self.free(path);
            self.found.push((path.into(), name.clone()));
            name
        });
        (name != written).then_some(name)
    }

    fn free(&self, path: &Path) -> String {
        let own = path.file_name().map_or("file".into(), |name| name.to_string_lossy().into_owned());
        let theirs = |name: &str| {
            let begins = |start: &str| name.starts_with(start);
            RESULTS.iter().any(|start| begins(start)) || self.taken.iter().any(|start| begins(start))
        };
        let others = |name: &str| {
            let there = self.shared.as_ref().and_then(|folder| std::fs::read(folder.join(name)).ok());
            there.is_some_and(|there| read(path).ok() != Some(there))
        };
        let names = std::iter::once(own.clone()).chain((1..).map(|i| format!("input-{i}-{own}")));
        let mut free = names.filter(|name| {
            !theirs(name) && !others(name) && self.found.iter().all(|(_, other)| other != name)
        });
        free.next().expect("there is no end of numbers")
    }

    /// Copies them; gives a hash of each by its name.
    ///
    /// # Errors
    /// Names the file that cannot be read or written, or that is somebody's own; no file is there then.
    pub fn copy(self, files: &mut Files) -> anyhow::Result<BTreeMap<String, String>> {
        let mut hashes = BTreeMap::new();
        for (path, name) in self.found {
            let bytes = read(&path).with_context(|| format!("cannot copy {}", path.display()))?;
            hashes.insert(name.clone(), text_hash(&bytes));
            // Who writes results beside their scenario has the file there.
            if files.has(&name, &path) {
                continue;
            }
            files.spare(&name, &bytes)?;
            files.add(&name, |out| out.write_all(&bytes))?;
        }
        Ok(hashes)
    }
}

/// With the rights of whoever asks, as it was read before.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_file(path, "a file that the scenario names").map_err(anyhow::Error::msg);
    file?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_where_they_are_free() {
        let mut inputs = Inputs::beside(&["mine.".into()], Path::new("/nowhere"));
        let mut name = |path: &str, written: &str| inputs.rename(Path::new(path), written);
        assert_eq!(name("a/call.pcapng", "call.pcapng"), None);
        assert_eq!(name("a/../b/call.pcapng", "../b/call.pcapng").as_deref(), Some("input-1-call.pcapng"));
        assert_eq!(name("/x/call.pcapng", "/x/call.pcapng").as_deref(), Some("input-2-call.pcapng"));
        assert_eq!(name("a/call.pcapng", "./call.pcapng").as_deref(), Some("call.pcapng"), "the same file");
        for own in ["results.txt", "manifest.json", "mine.html", "figure-film.txt"] {
            assert_eq!(name(own, own), Some(format!("input-1-{own}")), "{own}");
        }
    }

    /// In a folder with results of others a name is free where its file is the same one.
    #[test]
    fn others_keep_their_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for (name, content) in [
            ("out/a.txt", "one"),
            ("out/b.txt", "one"),
            ("a.txt", "one"),
            ("b.txt", "two"),
            ("c.txt", "three"),
        ] {
            std::fs::create_dir_all(path("out")).expect("made");
            std::fs::write(path(name), content).expect("written");
        }
        let renamed =
            |mut inputs: Inputs| ["a.txt", "b.txt", "c.txt"].map(|name| inputs.rename(&path(name), name));
        assert_eq!(renamed(Inputs::beside(&[], &path("out"))), [None, Some("input-1-b.txt".into()), None]);
        assert_eq!(renamed(Inputs::default()), [None, None, None], "a folder of its own");
        // A name that is given away is free no more, whoever has it there.
        std::fs::write(path("out/input-1-b.txt"), "another").expect("written");
        assert_eq!(renamed(Inputs::beside(&[], &path("out")))[1].as_deref(), Some("input-2-b.txt"));
    }

    #[test]
    fn copies_have_the_hashes_of_their_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["one", "two", "out"] {
            std::fs::create_dir(path(name)).expect("made");
        }
        for (name, content) in [("one/film.txt", "1"), ("two/film.txt", "22"), ("out/there.txt", "333")] {
            std::fs::write(path(name), content).expect("written");
        }
        let mut inputs = Inputs::default();
        for (name, new) in
            [("one/film.txt", None), ("two/film.txt", Some("input-1-film.txt")), ("out/there.txt", None)]
        {
            let own = name.rsplit('/').next().expect("a name");
            assert_eq!(inputs.rename(&path(name), own).as_deref(), new);
        }
        let mut files = Files::new(&path("out")).expect("it is there");
        let hashes = inputs.copy(&mut files).expect("copied");
        let expected = [("film.txt", "1"), ("input-1-film.txt", "22"), ("there.txt", "333")];
        let expected = expected.map(|(name, content)| (name.to_string(), text_hash(content.as_bytes())));
        assert_eq!(hashes, BTreeMap::from(expected));
        // What is there already is not written again.
        assert_eq!(files.names(), ["film.txt", "input-1-film.txt"]);
        files.finish().expect("renamed");
        assert_eq!(std::fs::read_to_string(path("out/input-1-film.txt")).expect("it is there"), "22");
        let mut inputs = Inputs::default();
        inputs.rename(&path("gone.txt"), "gone.txt");
        let mut files = Files::new(&path("out")).expect("it is there");
        let said = inputs.copy(&mut files).expect_err("it is not there").to_string();
        assert_eq!(said, format!("cannot copy {}", path("gone.txt").display()));
        // A file of a user's is not replaced.
        let mut inputs = Inputs::default();
        std::fs::write(path("out/film.txt"), "mine").expect("written");
        inputs.rename(&path("one/film.txt"), "film.txt");
        let said = inputs.copy(&mut files).expect_err("it is mine").to_string();
        assert!(said.contains("film.txt is not as an earlier result left it"), "{said}");
    }
}
