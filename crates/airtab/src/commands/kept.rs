// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where commands keep finished runs, and what they say where they cannot.
//!
//! What it does not do: it is no reason to fail. A run that is not kept is made
//! again when it is next asked for.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_lab::store::{NoStore, Packs, Store};
use indicatif::ProgressBar;

use crate::output;

/// A folder of finished runs.
#[derive(Default)]
pub struct Kept {
    packs: Option<Packs>,
    folder: PathBuf,
    said: AtomicBool,
}

/// The folder that the environment names.
pub fn folder() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    // The XDG base directory specification ignores relative paths.
    let caches = || set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let home = || Some(std::env::home_dir().filter(|home| home.is_absolute())?.join(".cache"));
    let usual = || Some(caches().or_else(home)?.join("airtab"));
    // A user without a home directory gets a warning that runs are not cached.
    // A path that not even root can create.
    set("AIRTAB_CACHE").or_else(usual).unwrap_or_else(|| "/dev/null/airtab".into())
}

/// The folder of packs in it: other things may be cached beside them.
pub fn packs(folder: &Path) -> PathBuf {
    folder.join("runs")
}

impl Kept {
    /// The folder that the environment names. Where it cannot be made, nothing is kept.
    pub fn open() -> Kept {
        let folder = folder();
        let kept = Kept { folder: folder.clone(), ..Kept::default() };
        match Packs::open(&packs(&folder)) {
            Ok(packs) => {
                output::detail(&format!("Finished runs are kept in {}.", kept.folder.display()));
                Kept { packs: Some(packs), ..kept }
            }
            Err(e) => {
                output::warn(&kept.warning(&e));
                kept
            }
        }
    }

    /// The runs.
    pub fn store(&self) -> &dyn Store {
        match &self.packs {
            Some(packs) => packs,
            None => &NoStore,
        }
    }

    /// Whether every run that it was given is there.
    pub fn keeps(&self) -> bool {
        self.packs.is_some() && self.failure().is_none()
    }

    fn failure(&self) -> Option<&io::Error> {
        self.packs.as_ref().and_then(Packs::failure)
    }

    /// What becomes of a command that was stopped.
    pub fn goes_on(&self) -> &'static str {
        match self.keeps() {
            true => "what is done is kept: the same command goes on from here",
            false => "not all that is done is kept",
        }
    }

    /// Says, once, that a run could not be kept. Call it after each.
    pub fn look(&self, bar: &ProgressBar) {
        if let Some(e) = self.failure()
            && !self.said.swap(true, Ordering::Relaxed)
        {
            bar.suspend(|| output::warn(&self.warning(e)));
        }
    }

    fn warning(&self, e: &dyn Display) -> String {
        format!(
            "finished runs cannot be kept in {}: {e}. The results are whole, but the next command makes \
             these runs again; AIRTAB_CACHE names another folder",
            self.folder.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command that was stopped goes on only where its runs are stored.
    #[test]
    fn what_is_kept_is_told() {
        let none = Kept::default();
        assert_eq!((none.keeps(), none.goes_on()), (false, "not all that is done is kept"));
        let dir = tempfile::tempdir().expect("a directory");
        let opened = Packs::open(&packs(dir.path())).expect("a folder");
        let kept = Kept { packs: Some(opened), folder: dir.path().into(), said: false.into() };
        assert_eq!(
            (kept.keeps(), kept.goes_on()),
            (true, "what is done is kept: the same command goes on from here")
        );
        assert_eq!(packs(Path::new("d")), Path::new("d/runs"));
        let said = Kept { folder: "d/e".into(), ..Kept::default() }.warning(&"full");
        assert!(
            said.starts_with("finished runs cannot be kept in d/e: full. The results are whole"),
            "{said}"
        );
    }
}
