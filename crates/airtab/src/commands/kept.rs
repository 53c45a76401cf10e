// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where `airtab experiment` keeps finished runs, and what it says where it cannot.
//!
//! What it does not do: it is no reason to fail. A run that is not kept is made
//! again when it is next asked for.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_lab::experiment::Store;
use indicatif::ProgressBar;

use crate::output;

/// A folder of finished runs.
#[derive(Default)]
pub struct Kept {
    pub store: Store,
    folder: PathBuf,
    said: AtomicBool,
}

impl Kept {
    /// The folder that the environment names. Where it cannot be made, nothing is kept.
    pub fn open() -> Kept {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let home =
            || Some(set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?.join("airtab"));
        let folder = set("AIRTAB_CACHE").or_else(home).unwrap_or_else(|| ".airtab".into());
        match Store::open(&folder) {
            Ok(store) => Kept { store, folder, said: AtomicBool::new(false) },
            Err(e) => {
                let kept = Kept { folder, ..Kept::default() };
                output::note(&kept.warning(&e));
                kept
            }
        }
    }

    /// Says, once, that a run could not be kept. Call it after each.
    pub fn look(&self, bar: &ProgressBar) {
        if let Some(e) = self.store.failure()
            && !self.said.swap(true, Ordering::Relaxed)
        {
            bar.suspend(|| output::note(&self.warning(e)));
        }
    }

    fn warning(&self, e: &dyn Display) -> String {
        format!(
            "warning: finished runs cannot be kept in {}: {e}. The results are whole, but the next command makes \
             these runs again; AIRTAB_CACHE names another folder",
            self.folder.display()
        )
    }
}
