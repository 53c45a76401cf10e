// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files that scenarios name: those below one folder, or none at all.
//!
//! A name is relative, has no `..`, and leads nowhere else by a symbolic link. Where one does,
//! nothing tells whether the file is there.
//!
//! What it does not do: who may read what there is the system's to say.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use airtab_scenario::open_file;

/// Where files are looked for.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// As the system spells it, without symbolic links.
    folder: Option<PathBuf>,
}

impl Named {
    /// Below a folder; without one nowhere.
    ///
    /// # Errors
    /// It is no folder.
    pub fn below(folder: Option<&Path>) -> std::io::Result<Named> {
        let folder = folder.map(Path::canonicalize).transpose()?;
        match &folder {
            Some(folder) if !folder.is_dir() => Err(std::io::ErrorKind::NotADirectory.into()),
            _ => Ok(Named { folder }),
        }
    }

    /// Opens a file that should be `what`.
    ///
    /// # Errors
    /// Why not, for messages.
    pub fn open(&self, path: &Path, what: &str) -> Result<Box<dyn Read>, String> {
        let Some(folder) = &self.folder else {
            return Err(
                "no file is read here: start `airtab serve` with --files DIR, and name one of that folder"
                    .into(),
            );
        };
        if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(
                "only files below the folder of --files are read: name one of them, without ..".into()
            );
        }
        let real = folder.join(path).canonicalize().ok().filter(|real| real.starts_with(folder));
        open_file(&real.ok_or("no such file or directory")?, what)
    }
}
