// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Programs that applications run: found, started inside a namespace as a user
//! without rights, ended.
//!
//! A program belongs to the thread that started it: should that thread end in
//! any way, the kernel kills the program. It is the head of a process group of
//! its own, so that Ctrl-C in a terminal reaches the access point alone. Of our
//! environment it gets nothing, of our files its three standard ones.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::LiveError;
use crate::netns::NetnsRef;
use crate::user::User;

/// Where administrators' programs are, which are not always in `PATH`.
const MORE_FOLDERS: &str = ":/usr/local/sbin:/usr/sbin:/sbin";
/// How long a program may take to end when asked to.
const GRACE: Duration = Duration::from_secs(2);

/// The file of a program.
pub(crate) fn find(program: &str, package: &str) -> Result<PathBuf, LiveError> {
    let files = folders();
    let mut files = files.split(':').map(|folder| Path::new(folder).join(program));
    files
        .find(|file| file.is_file())
        .ok_or(LiveError::Missing { program: program.into(), package: package.into() })
}

fn folders() -> String {
    std::env::var("PATH").unwrap_or_default() + MORE_FOLDERS
}

/// A program to be started.
pub(crate) struct Start<'a> {
    pub(crate) ns: &'a NetnsRef,
    pub(crate) user: User,
    pub(crate) file: &'a Path,
    pub(crate) args: &'a [String],
    pub(crate) stdout: Stdio,
    pub(crate) home: Home<'a>,
}

/// The folder that a program starts in.
pub(crate) enum Home<'a> {
    /// The root of the file system.
    None,
    /// One that the program need not be able to come back to.
    Folder(&'a Path),
    /// A `/tmp` of its own, in memory, which ends with it.
    Tmp,
}

/// Mounts a folder of user `$0` on /tmp, which nobody outside sees (`ip netns exec`
/// has made a mount namespace), and runs the rest.
const OWN_TMP: &str =
    "mount -t tmpfs -o mode=0700,uid=$0,gid=$0,nosuid,nodev airtab /tmp && cd /tmp && exec \"$@\"";

/// A program under way; killed when dropped.
pub(crate) struct Program {
    child: Child,
    stderr: Option<JoinHandle<String>>,
}

impl Program {
    /// Starts one.
    pub(crate) fn start(start: Start) -> std::io::Result<Program> {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", start.ns.name()]);
        let home = match start.home {
            Home::None => Path::new("/"),
            Home::Folder(folder) => folder,
            Home::Tmp => {
                command.args(["sh", "-c", OWN_TMP, &start.user.number().to_string()]);
                Path::new("/tmp")
            }
        };
        command.args(start.user.confine()).arg(start.file).args(start.args);
        command.env_clear().env("PATH", folders()).env("LC_ALL", "C").env("HOME", home).current_dir(home);
        command.stdin(Stdio::null()).stdout(start.stdout).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn()?;
        let stderr = child.stderr.take().map(|pipe| thread::spawn(move || read_all(pipe)));
        Ok(Program { child, stderr })
    }

    /// What it writes; None unless asked for at the start, and once only.
    pub(crate) fn stdout(&mut self) -> Option<std::process::ChildStdout> {
        self.child.stdout.take()
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Asks it to end, waits, kills it if it does not.
    pub(crate) fn end(&mut self, signal: Signal) -> Option<ExitStatus> {
        self.signal(signal);
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if let Some(status) = self.ended() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.signal(Signal::KILL);
        self.child.wait().ok()
    }

    /// What it complained of, once it has ended.
    pub(crate) fn complaint(&mut self) -> String {
        self.stderr.take().and_then(|reader| reader.join().ok()).unwrap_or_default().trim().into()
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.child.id() as i32) {
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.ended().is_none() {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// Everything from a pipe, as text.
pub(crate) fn read_all(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How a program ended, for people.
pub(crate) fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_by_code_or_signal() {
        let told = [0, 3 << 8, 9].map(|raw| how(ExitStatus::from_raw(raw)));
        assert_eq!(told, ["exit code 0", "exit code 3", "killed by signal 9"]);
    }

    #[test]
    fn a_missing_program_names_its_package() {
        let told = find("airtab-no-such-program", "some-package").unwrap_err().to_string();
        let missing =
            "airtab-no-such-program is missing: install the package some-package, or run tools/require live";
        assert_eq!(told, missing);
        assert!(find("sh", "dash").unwrap().ends_with("sh"));
    }
}
