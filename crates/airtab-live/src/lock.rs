// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A house's name, held by one process, and the folder that goes with it.
//!
//! `/run/airtab/HOUSE` has the lock, the control socket and temporary files. The
//! kernel lets go of the lock when its holder ends, however that happens, and so have
//! the children that it gave the file to.
//!
//! What it does not do: it asks nobody to end (`control`).

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::LiveError;
use crate::folder::Folder;

/// Where houses that are up keep their folders.
pub(crate) const PLACE: &str = "/run/airtab";
const FILE: &str = "lock";
/// How often a lock is tried, 10 ms apart.
const PATIENCE: u32 = 300;

/// A house's name, held.
pub(crate) struct Lock {
    house: String,
    place: Folder,
    folder: Folder,
    file: File,
}

/// The folder of a house; None if there is none.
///
/// # Errors
/// If something else is in its place.
pub(crate) fn folder(house: &str) -> Result<Option<Folder>, LiveError> {
    let Some(place) = Folder::open(Path::new(PLACE))? else { return Ok(None) };
    place.open_inside(house)
}

/// Names of houses that have a folder.
pub(crate) fn houses() -> Vec<String> {
    let Ok(Some(place)) = Folder::open(Path::new(PLACE)) else { return Vec::new() };
    let mut names = place.names();
    names.sort();
    names
}

impl Lock {
    /// Waits until nobody holds the name, some seconds at most.
    ///
    /// # Errors
    /// If somebody does all that time, or something is in the way.
    pub(crate) fn take(house: &str) -> Result<Lock, LiveError> {
        let failed = || LiveError::system(format!("locking {PLACE}/{house}"));
        for tries in 0..PATIENCE {
            let place = Folder::make(Path::new(PLACE))?;
            let folder = place.make_inside(house)?;
            // Its last holder may have removed the folder just now.
            let Some(mut file) = folder.file(FILE, true)? else { continue };
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    // Somebody may only have looked, or not have written its number
                    // yet; and one that was killed takes a while to be gone.
                    if let Some(pid) = holder(house).filter(|pid| *pid != 0 && tries >= PATIENCE / 3) {
                        return Err(LiveError::Up { house: house.into(), pid });
                    }
                    thread::sleep(Duration::from_millis(10));
                    continue;
                }
                Err(e) => return Err(failed()(e.into())),
            }
            // The file of that name, not one that was removed before it was locked.
            let locked = file.metadata().map_err(failed())?.ino();
            let named = self::folder(house)?.and_then(|f| f.inside(FILE).symlink_metadata().ok());
            if named.is_none_or(|named| named.ino() != locked) {
                continue;
            }
            file.set_len(0).and_then(|()| file.rewind()).map_err(failed())?;
            writeln!(file, "{}", std::process::id()).map_err(failed())?;
            return Ok(Lock { house: house.into(), place, folder, file });
        }
        Err(failed()(io::ErrorKind::ResourceBusy.into()))
    }

    /// The folder that goes with it.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The lock's file for a child that must have ended before others have the name.
    ///
    /// # Errors
    /// If this process has too many open files.
    pub(crate) fn held_by_child(&self) -> Result<File, LiveError> {
        let failed = LiveError::system(format!("locking {PLACE}/{}", self.house));
        self.file.try_clone().map_err(failed)
    }

    /// Removes what else is in the folder: files of a run that was killed.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub(crate) fn clear(&self) -> Result<(), LiveError> {
        for name in self.folder.names().iter().filter(|name| *name != FILE) {
            let path = self.folder.path().join(name);
            self.folder.remove(name).map_err(LiveError::system(format!("removing {}", path.display())))?;
        }
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file goes while it is still locked: nobody can have it in between.
        let _ = self.place.remove(&self.house);
    }
}

/// The process that holds a name, if any does; 0 if it has not said its number yet.
pub(crate) fn holder(house: &str) -> Option<u32> {
    let mut file = folder(house).ok()??.file(FILE, false).ok()??;
    let free = flock(&file, FlockOperation::NonBlockingLockShared).is_ok();
    let mut pid = String::new();
    file.read_to_string(&mut pid).ok()?;
    if free { None } else { Some(pid.trim().parse().unwrap_or(0)) }
}
