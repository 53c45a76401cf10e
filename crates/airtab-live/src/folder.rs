// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Folders that are this user's alone, whoever else may write around them.
//!
//! A folder is opened as such (never through a link in its place), must be ours,
//! and has mode 0700 whatever the umask; from then on it is reached by its file
//! descriptor, so that nothing put in its path's way leads elsewhere. The same
//! goes for what is made in it. Something else in its place is refused by name,
//! and never removed: we did not make it.
//!
//! What it does not do: the path of the outermost folder is taken as it is
//! (`/run` is root's).

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fchmod, fstat, mkdirat, openat, statat};
use rustix::io::Errno;

use crate::error::LiveError;

/// A folder that is ours.
pub struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder; None if there is none.
    ///
    /// # Errors
    /// If something else is in its place, or it is somebody else's.
    pub fn open(path: &Path) -> Result<Option<Folder>, LiveError> {
        Folder::open_at(CWD, path, path.to_path_buf())
    }

    /// Opens a folder, and makes it if there is none.
    ///
    /// # Errors
    /// As [`Folder::open`], or if it cannot be made.
    pub fn make(path: &Path) -> Result<Folder, LiveError> {
        Folder::make_at(CWD, path, path.to_path_buf())
    }

    /// [`Folder::open`] of one inside this one.
    ///
    /// # Errors
    /// As there.
    pub fn open_inside(&self, name: &str) -> Result<Option<Folder>, LiveError> {
        Folder::open_at(self.fd.as_fd(), Path::new(name), self.path.join(name))
    }

    /// [`Folder::make`] of one inside this one.
    ///
    /// # Errors
    /// As there.
    pub fn make_inside(&self, name: &str) -> Result<Folder, LiveError> {
        Folder::make_at(self.fd.as_fd(), Path::new(name), self.path.join(name))
    }

    fn open_at(at: BorrowedFd, name: &Path, path: PathBuf) -> Result<Option<Folder>, LiveError> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let fd = match openat(at, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(in_the_way(at, name, &path, e, "a folder")),
            Ok(fd) => fd,
        };
        check_ours(&fd, &path)?;
        fchmod(&fd, Mode::RWXU).map_err(|e| LiveError::system(path.display().to_string())(e.into()))?;
        Ok(Some(Folder { fd, path }))
    }

    fn make_at(at: BorrowedFd, name: &Path, path: PathBuf) -> Result<Folder, LiveError> {
        match mkdirat(at, name, Mode::RWXU) {
            // What is there is looked at when it is opened.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(LiveError::system(format!("making {}", path.display()))(e.into())),
        }
        let gone = || LiveError::system(format!("making {}", path.display()))(Errno::NOENT.into());
        Folder::open_at(at, name, path.clone())?.ok_or_else(gone)
    }

    /// Where it is, for people.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A path to something inside it that holds while it is open, whatever
    /// becomes of the names on the way to it.
    pub fn inside(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.fd.as_raw_fd())).join(name)
    }

    /// Opens a file of its own, mode 0600, for reading and writing; with `make`
    /// it is made if there is none.
    ///
    /// # Errors
    /// If there is none, or something is in its place that we never made: a link,
    /// a device, somebody else's file.
    pub fn file(&self, name: &str, make: bool) -> Result<Option<File>, LiveError> {
        let path = self.path.join(name);
        // A pipe must not make us wait.
        let mut flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        flags.set(OFlags::CREATE, make);
        let fd = match openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR) {
            // It is there no more, or the folder is not.
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(in_the_way(self.fd.as_fd(), Path::new(name), &path, e, "a file")),
            Ok(fd) => fd,
        };
        check_ours(&fd, &path)?;
        let stat = fstat(&fd).map_err(|e| LiveError::system(path.display().to_string())(e.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_nlink > 1 {
            return Err(refused(&path, "is not a file of airtab's own: remove it"));
        }
        fchmod(&fd, Mode::RUSR | Mode::WUSR)
            .map_err(|e| LiveError::system(path.display().to_string())(e.into()))?;
        Ok(Some(fd.into()))
    }

    /// Names of what is in it.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.inside("")).into_iter().flatten().flatten();
        entries.filter_map(|e| e.file_name().into_string().ok()).collect()
    }

    /// Removes something inside it with all that is in that. A link goes itself;
    /// what it leads to stays.
    ///
    /// # Errors
    /// If it cannot be removed; not if there is no such thing.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.inside(name);
        let gone = match fs::symlink_metadata(&path) {
            Ok(what) if what.is_dir() => fs::remove_dir_all(&path),
            Ok(_) => fs::remove_file(&path),
            Err(e) => Err(e),
        };
        gone.or_else(|e| if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) })
    }
}

/// Why something could not be opened: what is in its place.
fn in_the_way(at: BorrowedFd, name: &Path, path: &Path, e: Errno, wanted: &str) -> LiveError {
    let is = statat(at, name, AtFlags::SYMLINK_NOFOLLOW).map(|s| FileType::from_raw_mode(s.st_mode));
    match is {
        Ok(FileType::Symlink) => refused(path, "is a symbolic link, and airtab makes none: remove it"),
        Ok(_) if matches!(e, Errno::NOTDIR | Errno::ISDIR | Errno::NXIO) => {
            refused(path, &format!("is not {wanted} of airtab's: remove it"))
        }
        _ => LiveError::system(path.display().to_string())(e.into()),
    }
}

fn check_ours(fd: &OwnedFd, path: &Path) -> Result<(), LiveError> {
    let stat = fstat(fd).map_err(|e| LiveError::system(path.display().to_string())(e.into()))?;
    let (owner, own) = (stat.st_uid, rustix::process::geteuid().as_raw());
    if owner == own {
        return Ok(());
    }
    Err(refused(path, &format!("belongs to user {owner}, not to user {own} who runs airtab: remove it")))
}

fn refused(path: &Path, why: &str) -> LiveError {
    LiveError::system(path.display().to_string())(io::Error::other(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};
    use std::process::Command;
    use tempfile::{TempDir, tempdir};

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o7777
    }

    /// A folder of ours in a temporary one.
    fn ours() -> (TempDir, Folder) {
        let around = tempdir().unwrap();
        let folder = Folder::make(&around.path().join("house")).unwrap();
        (around, folder)
    }

    fn said<T>(refused: Result<T, LiveError>) -> String {
        refused.err().expect("it is refused").to_string()
    }

    /// The umask is the process's, so each is tried in a process of its own.
    #[test]
    fn modes_are_the_same_under_every_umask() {
        const NAME: &str = "AIRTAB_TEST_UMASK";
        if let Ok(place) = std::env::var(NAME) {
            let folder = Folder::make(Path::new(&place)).unwrap();
            folder.make_inside("inner").unwrap();
            folder.file("lock", true).unwrap().unwrap();
            return;
        }
        // Only root can enter what it may not read.
        let umasks = if rustix::process::geteuid().is_root() { 0..5 } else { 0..3 };
        for umask in &["000", "022", "077", "277", "777"][umasks] {
            let around = tempdir().unwrap();
            let place = around.path().join("house");
            let test = "folder::tests::modes_are_the_same_under_every_umask";
            let line = format!("umask {umask} && exec \"$0\" --exact {test}");
            let own = std::env::current_exe().unwrap();
            let child = Command::new("sh").args(["-c", &line]).arg(own).env(NAME, &place).output().unwrap();
            assert!(child.status.success(), "umask {umask}: {}", String::from_utf8_lossy(&child.stdout));
            assert_eq!((mode(&place), mode(&place.join("inner"))), (0o700, 0o700), "umask {umask}");
            assert_eq!(mode(&place.join("lock")), 0o600, "umask {umask}");
        }
    }

    /// What an earlier version or somebody's `chmod` opened is closed again.
    #[test]
    fn a_folder_that_was_open_to_others_is_closed() {
        let (_around, folder) = ours();
        folder.file("lock", true).unwrap();
        for path in [folder.path().to_path_buf(), folder.path().join("lock")] {
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        }
        let again = Folder::make(folder.path()).unwrap();
        again.file("lock", true).unwrap();
        assert_eq!((mode(again.path()), mode(&again.path().join("lock"))), (0o700, 0o600));
    }

    #[test]
    fn what_is_in_its_place_is_refused_by_name_and_left_alone() {
        let (around, folder) = ours();
        let elsewhere = around.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("lock"), "precious").unwrap();
        let before = (mode(&elsewhere), mode(&elsewhere.join("lock")));

        let link = around.path().join("link");
        symlink(&elsewhere, &link).unwrap();
        for refused in [said(Folder::make(&link)), said(Folder::open(&link))] {
            assert!(refused.starts_with(&link.display().to_string()), "{refused}");
            assert!(refused.contains("is a symbolic link") && refused.contains("remove it"), "{refused}");
        }
        symlink(&elsewhere, folder.path().join("inner")).unwrap();
        assert!(said(folder.make_inside("inner")).contains("house/inner: is a symbolic link"));
        assert!(said(folder.open_inside("inner")).contains("house/inner: is a symbolic link"));
        // One that leads nowhere must not be filled either.
        symlink(around.path().join("new"), folder.path().join("lock")).unwrap();
        assert!(said(folder.file("lock", true)).contains("house/lock: is a symbolic link"));
        assert!(said(folder.file("lock", false)).contains("house/lock: is a symbolic link"));
        assert!(!around.path().join("new").exists());
        fs::hard_link(elsewhere.join("lock"), folder.path().join("hard")).unwrap();
        assert!(said(folder.file("hard", true)).contains("house/hard: is not a file of airtab's own"));
        rustix::fs::mknodat(CWD, folder.path().join("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(said(folder.file("pipe", true)).contains("house/pipe: is not a file of airtab's own"));
        fs::write(around.path().join("plain"), "").unwrap();
        assert!(said(Folder::make(&around.path().join("plain"))).contains("plain: is not a folder"));

        assert_eq!(fs::read_to_string(elsewhere.join("lock")).unwrap(), "precious");
        assert_eq!((mode(&elsewhere), mode(&elsewhere.join("lock"))), before);
    }

    #[test]
    #[ignore = "needs root: gives files to another user"]
    fn needs_root_somebody_elses_folder_and_file_are_refused() {
        assert!(rustix::process::geteuid().is_root(), "needs root: run it with sudo");
        let (around, folder) = ours();
        folder.file("lock", true).unwrap();
        std::os::unix::fs::chown(folder.path().join("lock"), Some(65_534), None).unwrap();
        assert!(said(folder.file("lock", true)).contains("house/lock: belongs to user 65534, not to user 0"));
        std::os::unix::fs::chown(folder.path(), Some(65_534), None).unwrap();
        assert!(said(Folder::make(folder.path())).contains("house: belongs to user 65534"));
        drop(around);
    }

    /// Removing takes links, and never what they lead to; also when the folder's
    /// own place is taken by a link after it was opened.
    #[test]
    fn removing_never_leads_out_of_the_folder() {
        let (around, folder) = ours();
        let elsewhere = around.path().join("elsewhere");
        fs::create_dir_all(elsewhere.join("deep")).unwrap();
        fs::write(elsewhere.join("deep/file"), "precious").unwrap();
        let inner = folder.make_inside("inner").unwrap();
        symlink(&elsewhere, inner.path().join("out")).unwrap();
        symlink(&elsewhere, folder.path().join("out")).unwrap();
        symlink("/nowhere", folder.path().join("dangling")).unwrap();
        fs::write(folder.path().join("plain"), "").unwrap();
        let mut names = folder.names();
        names.sort();
        assert_eq!(names, ["dangling", "inner", "out", "plain"]);
        for name in ["inner", "out", "dangling", "plain", "never there"] {
            folder.remove(name).unwrap();
        }
        assert_eq!(folder.names(), Vec::<String>::new());
        assert!(elsewhere.join("deep/file").exists());
        let real = around.path().join("moved");
        fs::rename(folder.path(), &real).unwrap();
        symlink(&elsewhere, folder.path()).unwrap();
        folder.make_inside("deep").unwrap();
        folder.remove("deep").unwrap();
        assert!(elsewhere.join("deep/file").exists() && !real.join("deep").exists());
    }
}
