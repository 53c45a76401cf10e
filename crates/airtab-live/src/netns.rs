// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Network namespaces: made, entered, and removed with all that runs in them.
//!
//! A namespace is a name under `/run/netns` (iproute2), so `ip netns exec` works
//! on it while the house is up. Whatever carries the name of a house's namespace
//! (`house::owns`) was made here, and [`Netns::sweep`] removes it, even after a
//! `kill -9`; nothing else on the machine is touched.
//!
//! What it does not do: no addresses and no devices (`tun`).

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::error::LiveError;

const FOLDER: &str = "/run/netns";

/// A network namespace that this process made; removed when dropped.
pub struct Netns {
    name: String,
}

impl Netns {
    /// Makes one. Its loopback is up.
    ///
    /// The `ip` that makes it does not end with us if we are killed: it may make the name after
    /// that. It has `open` as its standard input: a lock that it holds with us tells others to wait.
    ///
    /// # Errors
    /// If this machine does not let us: not root, no iproute2, no namespaces.
    pub fn make(name: &str, open: impl Into<Stdio>) -> Result<Netns, LiveError> {
        run(&["netns", "add", name], open.into())?;
        let ns = Netns { name: name.into() };
        ip(&["-n", name, "link", "set", "lo", "up"])?;
        Ok(ns)
    }

    /// Its name, as `ip netns list` shows it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Tells iproute2 lines for its `-batch` inside the namespace.
    ///
    /// # Errors
    /// What it says.
    pub fn batch(&self, lines: &[String]) -> Result<(), LiveError> {
        if lines.is_empty() {
            return Ok(());
        }
        let failed = |said: String| LiveError::Ip { command: format!("ip -n {} -batch -", self.name), said };
        let mut ip = Command::new("ip")
            .args(["-n", &self.name, "-batch", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| failed(e.to_string()))?;
        let mut stdin = ip.stdin.take().expect("it is piped");
        stdin.write_all((lines.join("\n") + "\n").as_bytes()).map_err(|e| failed(e.to_string()))?;
        drop(stdin);
        let output = ip.wait_with_output().map_err(|e| failed(e.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        Err(failed(String::from_utf8_lossy(&output.stderr).trim().into()))
    }

    /// A reference that threads and applications can keep.
    pub fn handle(&self) -> NetnsRef {
        NetnsRef { name: self.name.clone() }
    }

    /// Kills what runs in every namespace whose name is `ours`, and removes them.
    /// Gives the names of those removed.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn sweep(ours: impl Fn(&str) -> bool) -> Result<Vec<String>, LiveError> {
        let mut names: Vec<String> = match std::fs::read_dir(FOLDER) {
            Ok(entries) => entries
                .filter_map(|e| e.ok()?.file_name().into_string().ok())
                .filter(|name| ours(name))
                .collect(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(LiveError::System { what: format!("reading {FOLDER}"), cause: e }),
        };
        names.sort();
        for name in &names {
            remove(name)?;
        }
        Ok(names)
    }
}

impl Drop for Netns {
    fn drop(&mut self) {
        // Nobody to tell; the next start sweeps what is left.
        let _ = remove(&self.name);
    }
}

/// The name of a namespace that somebody else keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetnsRef {
    name: String,
}

impl NetnsRef {
    /// The namespace of that name, which somebody made or will make.
    pub fn named(name: impl Into<String>) -> NetnsRef {
        NetnsRef { name: name.into() }
    }

    /// Its name, as `ip netns list` shows it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Moves the calling thread into it, for good: sockets that the thread opens
    /// belong to it. Threads that it starts are in it, too.
    ///
    /// # Errors
    /// If the namespace is gone, or we are not root.
    pub fn enter(&self) -> io::Result<()> {
        let file = File::open(PathBuf::from(FOLDER).join(&self.name))?;
        Ok(move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?)
    }

    /// Runs `work` on a thread of its own inside the namespace.
    ///
    /// # Errors
    /// If the thread cannot be started. What `enter` says is passed to `work`'s
    /// caller through its result.
    pub fn spawn<T: Send + 'static>(
        &self,
        title: &str,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<JoinHandle<io::Result<T>>> {
        let ns = self.clone();
        thread::Builder::new().name(title.into()).spawn(move || {
            ns.enter()?;
            work()
        })
    }

    /// A command that runs `program` inside it with our own rights, and is killed
    /// when the thread that starts it ends, however that happens: start it from a
    /// thread that lives as long as the program should. Applications' programs
    /// have a user of their own (`apps`).
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, "setpriv", "--pdeathsig", "KILL", program]);
        command
    }
}

/// Kills what runs in a namespace, waits for its end, removes the name.
fn remove(name: &str) -> Result<(), LiveError> {
    for _ in 0..200 {
        let pids = ip(&["netns", "pids", name])?;
        let pids = String::from_utf8_lossy(&pids.stdout).into_owned();
        let own = std::process::id().to_string();
        let others: Vec<&str> = pids.split_whitespace().filter(|pid| *pid != own).collect();
        if others.is_empty() {
            break;
        }
        for pid in others.iter().filter_map(|pid| pid.parse().ok()).filter_map(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        thread::sleep(Duration::from_millis(10));
    }
    ip(&["netns", "del", name]).map(drop)
}

/// Runs iproute2's `ip`.
pub(crate) fn ip(args: &[&str]) -> Result<Output, LiveError> {
    run(args, Stdio::null())
}

fn run(args: &[&str], stdin: Stdio) -> Result<Output, LiveError> {
    let said = |what: &str| LiveError::Ip { command: format!("ip {}", args.join(" ")), said: what.into() };
    let output = Command::new("ip").args(args).stdin(stdin).output().map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => said("not found: install iproute2"),
        _ => said(&e.to_string()),
    })?;
    if output.status.success() {
        return Ok(output);
    }
    Err(said(String::from_utf8_lossy(&output.stderr).trim()))
}
