// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The web server of a house: one nginx in the namespace of the servers, with a
//! configuration and a folder of its own. Nothing of the machine's nginx is read
//! or written.
//!
//! It serves `/b/N`, N bytes, from sparse files that are made when they are first
//! wanted. It runs without rights: it starts in its folder, which it could not
//! come to by its path, may read what is there, and writes into `var` alone; its
//! port is open to all in its namespace. Congestion control is that of the routes.
//!
//! What it does not do: no TLS, no HTTP/2, no compression.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io;
use std::net::{SocketAddrV4, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use airtab_sim::AppKind;
use rustix::process::Signal;
use tempfile::TempDir;

use super::Ends;
use super::program::{Home, Program, Start, find, how};
use super::work::{LOOK_NS, Work, lock};
use crate::error::LiveError;
use crate::netns::NetnsRef;
use crate::routes::linux_name;
use crate::user::User;

/// Its port at every server's address.
pub(crate) const PORT: u16 = 80;
/// How it is called where an application's name is wanted.
const NAME: &str = "web server";
/// How long it may take to listen, ns.
const START_NS: u64 = 10_000_000_000;

/// The running server.
pub(crate) struct Nginx {
    folder: TempDir,
    user: User,
    offered: Mutex<BTreeSet<u64>>,
}

impl Nginx {
    /// Starts it, if an application of the house needs it, and waits until it listens.
    pub(crate) fn start(
        work: &Work,
        internet: &NetnsRef,
        all: &[Arc<Ends>],
    ) -> Result<Option<Nginx>, LiveError> {
        let serves = |ends: &&Arc<Ends>| matches!(ends.app.kind, AppKind::Web(_) | AppKind::Streaming(_));
        let mut addresses = Vec::new();
        for ends in all.iter().filter(serves) {
            let wanted = ends.congestion().map(linux_name).transpose();
            wanted.map_err(|e| ends.failed(e))?;
            addresses.push(SocketAddrV4::new(ends.server, PORT));
        }
        if addresses.is_empty() {
            return Ok(None);
        }
        let file = find("nginx", "nginx-light")?;
        in_namespace(internet, "opening port 80 to all", || {
            fs::write("/proc/sys/net/ipv4/ip_unprivileged_port_start", PORT.to_string())
        })?;
        let folder =
            TempDir::with_prefix_in("nginx-", &work.folder).map_err(LiveError::system("making a folder"))?;
        let server = Nginx { folder, user: work.user, offered: Mutex::default() };
        server.write_configuration(&addresses).map_err(LiveError::system("writing nginx.conf"))?;
        let own = server.folder.path().to_path_buf();
        let ns = internet.clone();
        work.spawn(NAME, internet, move |work| {
            let args = ["-p", "./", "-c", "nginx.conf", "-e", "stderr"].map(String::from);
            let said = |said: String| LiveError::App { app: NAME.into(), said };
            let (user, stdout) = (work.user, Stdio::null());
            let start = Start { ns: &ns, user, file: &file, args: &args, stdout, home: Home::Folder(&own) };
            let mut program = Program::start(start).map_err(|e| said(format!("nginx: {e}")))?;
            while work.wait_until(work.clock.now() + LOOK_NS) {
                if let Some(status) = program.ended() {
                    return Err(said(format!(
                        "nginx ended ({}): {}",
                        how(status),
                        last_lines(&program.complaint())
                    )));
                }
            }
            program.end(Signal::TERM);
            Ok(())
        })?;
        server.wait_until_it_listens(work, internet, addresses[0])?;
        Ok(Some(server))
    }

    /// The path of an object of `bytes`.
    pub(crate) fn object(&self, bytes: u64) -> io::Result<String> {
        if lock(&self.offered).insert(bytes) {
            let path = self.root().join(format!("b/{bytes}"));
            File::create(&path)?.set_len(bytes)?;
            self.share(&path)?;
        }
        Ok(format!("/b/{bytes}"))
    }

    /// The folder whose files it serves.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Lets nginx read a file or a folder that we made, whatever the umask.
    pub(crate) fn share(&self, path: &Path) -> io::Result<()> {
        chown(path, None, Some(self.user.number()))?;
        let mode = if path.is_dir() { 0o750 } else { 0o640 };
        fs::set_permissions(path, Permissions::from_mode(mode))
    }

    fn write_configuration(&self, addresses: &[SocketAddrV4]) -> io::Result<()> {
        let own = self.folder.path();
        let var = own.join("var");
        fs::create_dir(&var)?;
        chown(&var, Some(self.user.number()), None)?;
        let listen: String = addresses.iter().map(|a| format!("    listen {a};\n")).collect();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("  {kind}_temp_path var/{kind};\n"))
            .concat();
        let text = format!(
            "daemon off;\nmaster_process off;\npid var/pid;\nerror_log stderr;\n\
             worker_rlimit_nofile 8192;\nevents {{ worker_connections 4096; }}\n\
             http {{\n{temporary}  access_log off;\n  sendfile on;\n  tcp_nodelay on;\n  keepalive_requests 100000;\n  \
             types {{ text/html html; image/gif gif; text/css css; }}\n  default_type application/octet-stream;\n  \
             server {{\n{listen}    root root;\n  }}\n}}\n"
        );
        let file = own.join("nginx.conf");
        fs::write(&file, text)?;
        let folders = [own.to_path_buf(), self.root(), self.root().join("b"), self.root().join("page")];
        for folder in &folders {
            fs::create_dir_all(folder)?;
            self.share(folder)?;
        }
        self.share(&file)
    }

    fn wait_until_it_listens(
        &self,
        work: &Work,
        ns: &NetnsRef,
        address: SocketAddrV4,
    ) -> Result<(), LiveError> {
        let end = work.clock.now() + START_NS;
        loop {
            work.take_fault()?;
            let tried =
                in_namespace(ns, "connecting to nginx", move || Ok(TcpStream::connect(address).is_ok()));
            if tried? {
                return Ok(());
            }
            if !work.wait_until(work.clock.now() + LOOK_NS / 4) || work.clock.now() > end {
                return Err(LiveError::App { app: NAME.into(), said: "nginx does not listen".into() });
            }
        }
    }
}

/// Runs `what` on a thread inside a namespace and waits for it.
fn in_namespace<T: Send + 'static>(
    ns: &NetnsRef,
    name: &str,
    what: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, LiveError> {
    let ended = ns
        .spawn(name, what)
        .and_then(|thread| thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread panicked"))));
    ended.map_err(LiveError::system(format!("{name} in {}", ns.name())))
}

/// The end of what a program complained of.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(3)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_three_lines_are_told() {
        for (text, told) in [("", ""), ("a", "a"), ("a\nb\nc\n", "a\nb\nc"), ("a\nb\nc\nd", "b\nc\nd")] {
            assert_eq!(last_lines(text), told);
        }
    }
}
