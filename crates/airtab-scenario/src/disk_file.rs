// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files on disk that users name.
//!
//! Only regular files are read: a pipe, a device or a directory is refused at once. Where
//! somebody called sudo, doas or pkexec, the file is opened with the rights of
//! that person, not with root's: who may only run airtab as root must not read
//! others' files by it. (That is Linux's. Elsewhere files are opened by whoever runs it.)
//! Whether messages quote a file is up to who parses it, how much of it is read too.
//!
//! What it does not do: files that airtab writes are written with the rights it has.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::{io, thread};

#[cfg(target_os = "linux")]
use rustix::fs::{CWD, Mode, OFlags, openat};

#[cfg(target_os = "linux")]
use crate::caller::Caller;
use crate::named_file::{plain_io_error, text_of};

/// The text of a file of at most `max_mib` MiB that should be `what`.
///
/// # Errors
/// Why it cannot be read, without its name.
pub fn read_text(path: &Path, max_mib: u64, what: &str) -> Result<String, String> {
    text_of(open_file(path, what)?, max_mib, what)
}

/// Opens a file that should be `what`.
///
/// # Errors
/// As [`read_text`].
pub fn open_file(path: &Path, what: &str) -> Result<Box<dyn Read>, String> {
    #[cfg(target_os = "linux")]
    let file = open_as(Caller::of_root()?, path)?;
    #[cfg(not(target_os = "linux"))]
    let file = {
        // Looked at first: who opens a pipe waits for its writer.
        regular(&std::fs::metadata(path).map_err(|e| plain_io_error(&e))?, what)?;
        File::open(path).map_err(|e| plain_io_error(&e))?
    };
    regular(&file.metadata().map_err(|e| plain_io_error(&e))?, what)?;
    Ok(Box::new(file))
}

fn regular(is: &Metadata, what: &str) -> Result<(), String> {
    match (is.is_dir(), is.is_file()) {
        (true, _) => Err(format!("is a directory; name {what}")),
        (_, false) => Err(format!("is no regular file but a pipe, a socket or a device; name {what}")),
        _ => Ok(()),
    }
}

/// Opens it with the rights of who called the program that made us root, if somebody did.
#[cfg(target_os = "linux")]
fn open_as(caller: Option<Caller>, path: &Path) -> Result<File, String> {
    let who = caller.as_ref().map(|caller| caller.to_string());
    let file = match caller {
        Some(caller) => thread::scope(|scope| {
            // Rights are a thread's: this one keeps them to its end.
            let opened = scope.spawn(|| caller.enter().and_then(|()| open(path)));
            opened.join().expect("it does not panic")
        }),
        None => open(path),
    };
    file.map_err(|e| match (&who, e.kind()) {
        (Some(who), io::ErrorKind::PermissionDenied) => format!("{who} may not read it"),
        _ => plain_io_error(&e),
    })
}

/// Opens a file for reading without waiting for anybody, as a pipe's writer.
#[cfg(target_os = "linux")]
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    fn refused(path: &str) -> String {
        let start = Instant::now();
        let refused = read_text(Path::new(path), 1, "a trace").unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(2), "{path}: at once");
        refused
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let other = "is no regular file but a pipe, a socket or a device; name a trace";
        for path in [pipe.to_str().unwrap(), "/dev/zero", "/dev/null"] {
            assert_eq!(refused(path), other, "{path}");
        }
        assert_eq!(refused(folder.path().to_str().unwrap()), "is a directory; name a trace");
        assert_eq!(refused("/no/such"), "no such file or directory");
        // Larger than all memory, on paper.
        let huge = folder.path().join("huge");
        File::create(&huge).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(refused(huge.to_str().unwrap()), "is larger than 1 MiB; is it a trace?");
        File::create(&huge).unwrap().set_len(1 << 20).unwrap();
        assert_eq!(read_text(&huge, 1, "a trace").unwrap().len(), 1 << 20, "the largest that may be");
    }

    fn caller(key: &str, value: &str) -> Result<Option<Caller>, String> {
        Caller::named(|asked| (asked == key).then(|| value.to_string()))
    }

    #[test]
    #[ignore = "needs root: reads as another user"]
    fn needs_root_a_file_is_read_with_the_rights_of_who_called_sudo() {
        assert!(rustix::process::geteuid().is_root(), "needs root: run it with sudo");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "root:$y$j9T$secret").unwrap();
        let mode =
            |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        let read = |key, value| {
            let file = open_as(caller(key, value).unwrap(), &path)?;
            text_of(Box::new(file), 1, "a trace")
        };
        let denied = |by: &str| Err(format!("user 65534, who called {by}, may not read it"));
        for (folder_mode, file_mode) in [(0o755, 0o600), (0o700, 0o644)] {
            mode(folder.path(), folder_mode);
            mode(&path, file_mode);
            for (by, key, value) in [
                ("sudo", "SUDO_UID", "65534"),
                ("pkexec", "PKEXEC_UID", "65534"),
                ("doas", "DOAS_USER", "nobody"),
            ] {
                assert_eq!(read(key, value), denied(by));
            }
            assert!(read("SUDO_UID", "0").is_ok() && read("HOME", "65534").is_ok(), "root reads it");
        }
        mode(folder.path(), 0o755);
        assert_eq!(read("SUDO_UID", "65534").unwrap(), "root:$y$j9T$secret");
        // By a group of the caller's; nobody's is nogroup.
        mode(&path, 0o640);
        assert_eq!(read("SUDO_UID", "65534"), denied("sudo"), "its group is root's, as ours is");
        std::os::unix::fs::chown(&path, None, Some(65_534)).unwrap();
        assert!(read("SUDO_UID", "65534").is_ok());
        assert_eq!(read("SUDO_UID", "61000"), Ok("root:$y$j9T$secret".into()), "in nobody's group");
        mode(&path, 0o600);
        assert_eq!(read("SUDO_UID", "61000"), Err("user 61000, who called sudo, may not read it".into()));
        assert!(caller("DOAS_USER", "no such user").err().unwrap().contains("names no user"));
        assert!(rustix::process::geteuid().is_root(), "it was another thread");
        std::fs::write(&path, "still root's").unwrap();
    }
}
