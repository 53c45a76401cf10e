//! The web server of a house: one nginx in the namespace of the servers, with a
//! configuration and a folder of its own. Nothing of the machine's nginx is read
//! or written.
//!
//! It serves `/b/N`, N bytes, from sparse files that are made when they are first
//! wanted. Its TCP uses the namespace's congestion control, which is set here:
//! nginx cannot choose one by address, so all pages and films of a house share it.
//!
//! What it does not do: no TLS, no HTTP/2, no compression.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::net::{SocketAddrV4, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use airtab_sim::AppKind;
use airtab_sim::tcp::Algorithm;
use rustix::process::Signal;
use tempfile::TempDir;

use super::program::{Program, find, how};
use super::work::{LOOK_NS, Work, lock};
use super::{Ends, iperf};
use crate::error::LiveError;
use crate::netns::NetnsRef;

/// Its port at every server's address.
pub(crate) const PORT: u16 = 80;
/// How it is called where an application's name is wanted.
const NAME: &str = "web server";
/// How long it may take to listen, ns.
const START_NS: u64 = 10_000_000_000;

/// The running server.
pub(crate) struct Nginx {
    folder: TempDir,
    offered: Mutex<BTreeSet<u64>>,
}

impl Nginx {
    /// Starts it, if an application of the house needs it, and waits until it listens.
    pub(crate) fn start(
        work: &Work,
        internet: &NetnsRef,
        all: &[Arc<Ends>],
    ) -> Result<Option<Nginx>, LiveError> {
        let mut addresses = Vec::new();
        let mut congestion: Option<(Algorithm, &Ends)> = None;
        for ends in all {
            let wanted = match ends.app.kind {
                AppKind::Web { .. } => Algorithm::NewReno, // as the simulator's pages
                AppKind::Streaming { congestion, .. } => congestion,
                _ => continue,
            };
            match congestion {
                Some((other, first)) if other != wanted => {
                    return Err(ends.failed(format!(
                        "congestion control {} beside {} of {}: all pages and films of a live house share one \
                         web server; give the films congestion = \"{}\"",
                        wanted.name(),
                        other.name(),
                        first.app.name,
                        Algorithm::NewReno.name()
                    )));
                }
                _ => congestion = Some((wanted, ends)),
            }
            addresses.push(SocketAddrV4::new(ends.server, PORT));
        }
        let Some((congestion, first)) = congestion else { return Ok(None) };
        let file = find("nginx", "nginx-light")?;
        let congestion = iperf::linux_name(first, congestion)?;
        in_namespace(internet, "congestion control", move || {
            fs::write("/proc/sys/net/ipv4/tcp_congestion_control", congestion)
        })?;
        let folder =
            TempDir::with_prefix_in("nginx-", &work.folder).map_err(LiveError::system("making a folder"))?;
        let server = Nginx { folder, offered: Mutex::default() };
        server.write_configuration(&addresses).map_err(LiveError::system("writing nginx.conf"))?;
        let own = server.folder.path().to_path_buf();
        let (ns, log) = (internet.clone(), own.join("error.log"));
        work.spawn(NAME, internet, move |work| {
            let args = [("-p", own.join("")), ("-c", own.join("nginx.conf")), ("-e", log.clone())];
            let args: Vec<String> =
                args.iter().flat_map(|(key, path)| [(*key).into(), path.display().to_string()]).collect();
            let said = |said: String| LiveError::App { app: NAME.into(), said };
            let mut program =
                Program::start(&ns, &file, &args, Stdio::null()).map_err(|e| said(format!("nginx: {e}")))?;
            while work.wait_until(work.clock.now() + LOOK_NS) {
                if let Some(status) = program.ended() {
                    let words = [program.complaint(), last_lines(&log)].join("\n");
                    return Err(said(format!("nginx ended ({}): {}", how(status), words.trim())));
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
            File::create(self.root().join(format!("b/{bytes}")))?.set_len(bytes)?;
        }
        Ok(format!("/b/{bytes}"))
    }

    /// The folder whose files it serves.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn write_configuration(&self, addresses: &[SocketAddrV4]) -> io::Result<()> {
        let own = self.folder.path();
        fs::create_dir_all(self.root().join("b"))?;
        fs::create_dir_all(self.root().join("page"))?;
        let listen: String = addresses.iter().map(|a| format!("    listen {a};\n")).collect();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("  {kind}_temp_path {}/{kind};\n", own.display()))
            .concat();
        let text = format!(
            "daemon off;\nmaster_process off;\npid {0}/nginx.pid;\nerror_log {0}/error.log;\n\
             worker_rlimit_nofile 8192;\nevents {{ worker_connections 4096; }}\n\
             http {{\n{temporary}  access_log off;\n  sendfile on;\n  tcp_nodelay on;\n  keepalive_requests 100000;\n  \
             types {{ text/html html; image/gif gif; text/css css; }}\n  default_type application/octet-stream;\n  \
             server {{\n{listen}    root {0}/root;\n  }}\n}}\n",
            own.display()
        );
        fs::write(own.join("nginx.conf"), text)
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
                let said =
                    format!("nginx does not listen: {}", last_lines(&self.folder.path().join("error.log")));
                return Err(LiveError::App { app: NAME.into(), said });
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

/// The end of a log.
fn last_lines(log: &std::path::Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(3)..].join("\n")
}
