// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A measurement: the configuration document, idle latency, then each direction by itself, one after the other.
//!
//! Idle latency is the median of [`IDLE`] TCP handshakes, each of a whole probe, before there is a load. Goodput down is
//! what HTTP delivered; up, what the server's TCP has acknowledged (`TCP_INFO`). A load-generating connection that fails
//! ends the measurement, as the draft has it; a probe that does is counted.
//!
//! Each wait for the server ends after 10 s; a direction ends at its time limit. The stop flag ends every wait within
//! 100 ms.
//!
//! What it does not do: when connections are added, and when a test is over, is `airtab_quality::rpm`'s.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::net::{SocketAddr, ToSocketAddrs};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use airtab_quality::rpm::{Foreign, Outcome, Parameters, Test, Want, median};
use hyper::client::conn::http2::SendRequest;
use rustls::ClientConfig;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{LocalSet, spawn_local};

use super::connection::{Open, PATIENCE, Remote, Zeros, chain, in_time, open, read, request};
use super::document::{Config, Host, MOST, target};
use super::server::connection_runtime;
use super::trust::Trust;
use super::{Error, Way};
use crate::tcp_info::bytes_acked;

/// Idle probes, and the time from one to the next.
pub const IDLE: usize = 20;
const IDLE_GAP: Duration = Duration::from_millis(50);
/// For queues to empty after a load.
const CALM: Duration = Duration::from_secs(1);
/// From one [`Event::Moved`] to the next, at least.
pub const MOVED: Duration = Duration::from_millis(200);
/// From one look at the stop flag to the next.
const LOOK: Duration = Duration::from_millis(100);

/// What to measure.
#[derive(Clone, Debug)]
pub struct Job {
    /// Host, address or URL.
    pub target: String,
    /// Whom to believe.
    pub trust: Trust,
    /// Directions, in this order.
    pub ways: Vec<Way>,
    /// The test's.
    pub parameters: Parameters,
}

/// What happens meanwhile.
#[derive(Debug)]
pub enum Event {
    /// An idle probe is done; so many are.
    Idle(usize, Foreign),
    /// A probe on a connection of its own is done.
    Foreign(Foreign),
    /// So many bytes the load-generating connections have moved since the direction's start; [`MOVED`] apart.
    Moved(Way, u64),
    /// Another interval of a direction is over.
    Interval(Way, Outcome),
    /// The load of a direction has ended.
    End(Way),
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Who was measured: host, port and address.
    pub server: String,
    /// Idle probes.
    pub idle: Vec<Foreign>,
    /// Down, if it was measured.
    pub down: Option<Measured>,
    /// Up.
    pub up: Option<Measured>,
    /// It was told to stop before its end.
    pub stopped: bool,
}

impl Report {
    /// Idle latency, ns: the median handshake; None if there was none.
    pub fn idle_ns(&self) -> Option<u64> {
        median(&self.idle.iter().map(|probe| probe.tcp_ns).collect::<Vec<u64>>())
    }
}

/// One direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// What its test came to.
    pub outcome: Outcome,
    /// Probes that failed.
    pub failed: u64,
}

/// Measures, in the network namespace of the calling thread, until it is done or told to stop.
///
/// # Errors
/// Unknown server, certificate that is not trusted, other protocol, no answer in time, or a connection that ends early.
pub fn run(job: &Job, stop: &AtomicBool, told: &mut dyn FnMut(Event)) -> Result<Report, Error> {
    let (host, uri) = target(&job.target)?;
    let tls = job.trust.client()?;
    let runtime = connection_runtime()?;
    let mut report = Report { server: host.to_string(), ..Report::default() };
    let found = runtime.block_on(LocalSet::new().run_until(unless(stop, find(host, &uri, tls))));
    let Some((remote, config)) = found.transpose()? else {
        report.stopped = true;
        return Ok(report);
    };
    report.server = remote.place();
    let run = Run { remote, config, parameters: job.parameters, stop };
    report.idle = runtime.block_on(LocalSet::new().run_until(run.idle(told)))?;
    for (i, way) in job.ways.iter().enumerate() {
        if i > 0 {
            runtime.block_on(run.pause(CALM));
        }
        if run.stopped() {
            break;
        }
        // All tasks and connections of a direction end with its set.
        let measured = runtime.block_on(LocalSet::new().run_until(run.load(*way, told)))?;
        told(Event::End(*way));
        match way {
            Way::Down => report.down = Some(measured),
            Way::Up => report.up = Some(measured),
        }
    }
    report.stopped = run.stopped();
    Ok(report)
}

/// The result of some work; None if the flag is set before it is done.
async fn unless<T>(stop: &AtomicBool, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    while !stop.load(Ordering::Relaxed) {
        if let Ok(done) = tokio::time::timeout(LOOK, work.as_mut()).await {
            return Some(done);
        }
    }
    None
}

/// The server of the measurement, and its configuration document.
async fn find(host: Host, uri: &hyper::Uri, tls: Arc<ClientConfig>) -> Result<(Remote, Config), Error> {
    let remote = Remote { address: resolve(&host).await?, host, tls };
    let config = fetch(&remote, uri).await?;
    if config.host == remote.host {
        return Ok((remote, config));
    }
    let (address, host) = (resolve(&config.host).await?, config.host.clone());
    Ok((Remote { address, host, tls: remote.tls }, config))
}

/// The first address of a host. The system's resolver cannot be stopped, so it gets a thread that is not joined.
async fn resolve(host: &Host) -> Result<SocketAddr, Error> {
    let unknown = |said| Error::Unknown { host: host.name.clone(), said };
    let (answer, answered) = oneshot::channel();
    let asked = (host.name.clone(), host.port);
    std::thread::Builder::new()
        .name("airtab-resolve".into())
        .spawn(move || {
            // A measurement that has ended does not listen.
            let _ = answer.send(asked.to_socket_addrs());
        })
        .map_err(unknown)?;
    let late = || Err(std::io::ErrorKind::TimedOut.into());
    let found = tokio::time::timeout(PATIENCE, answered).await;
    let mut all = found.ok().and_then(Result::ok).unwrap_or_else(late).map_err(unknown)?;
    all.next().ok_or_else(|| unknown(std::io::Error::other("it has none")))
}

/// The configuration document.
async fn fetch(remote: &Remote, uri: &hyper::Uri) -> Result<Config, Error> {
    let Open { mut requests, socket: _socket, .. } = open(remote).await?;
    let bad = |why| Error::Document { place: uri.to_string(), why };
    let fetching = async {
        let answer = requests.send_request(request(uri, false)).await.map_err(|e| chain(&e))?;
        let mut json = Vec::new();
        read(answer, |piece| {
            json.extend_from_slice(piece);
            if json.len() > MOST { Err(format!("more than {MOST} bytes")) } else { Ok(()) }
        })
        .await?;
        Config::parse(&json)
    };
    in_time(fetching).await.map_err(bad)
}

struct Run<'a> {
    remote: Remote,
    config: Config,
    parameters: Parameters,
    stop: &'a AtomicBool,
}

/// What tasks tell.
enum News {
    Foreign(Result<Foreign, Error>),
    Own(Result<u64, String>),
    Failed(Error),
}

/// The load-generating connections.
#[derive(Default)]
struct Load {
    /// Bytes that HTTP delivered.
    delivered: Cell<u64>,
    open: RefCell<Vec<(SendRequest<Zeros>, socket2::Socket)>>,
}

impl Load {
    /// Bytes that they have moved.
    fn moved(&self, way: Way) -> u64 {
        match way {
            Way::Down => self.delivered.get(),
            Way::Up => self.open.borrow().iter().filter_map(|(_, socket)| bytes_acked(socket).ok()).sum(),
        }
    }

    /// One of them, drawn evenly.
    fn any(&self) -> Option<SendRequest<Zeros>> {
        let open = self.open.borrow();
        (!open.is_empty()).then(|| open[fastrand::usize(..open.len())].0.clone())
    }
}

impl Run<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    async fn pause(&self, time: Duration) {
        let end = Instant::now() + time;
        while !self.stopped() && Instant::now() < end {
            tokio::time::sleep(LOOK.min(end - Instant::now().min(end))).await;
        }
    }

    /// Probes before there is a load.
    async fn idle(&self, told: &mut dyn FnMut(Event)) -> Result<Vec<Foreign>, Error> {
        let mut all = Vec::with_capacity(IDLE);
        while all.len() < IDLE {
            let probing = unless(self.stop, foreign(&self.remote, &self.config));
            let Some(probe) = probing.await.transpose()? else { break };
            all.push(probe);
            told(Event::Idle(all.len(), probe));
            self.pause(IDLE_GAP).await;
        }
        Ok(all)
    }

    /// One direction.
    async fn load(&self, way: Way, told: &mut dyn FnMut(Event)) -> Result<Measured, Error> {
        let start = Instant::now();
        let now = || start.elapsed().as_nanos() as u64;
        let (load, (tell, mut news)) = (Rc::new(Load::default()), mpsc::unbounded_channel());
        let mut test = Test::new(self.parameters, now());
        let (mut failed, mut shown, mut moved_at) = (0, 0, 0);
        told(Event::Moved(way, 0));
        while !self.stopped() {
            while let Some(want) = test.poll(now(), load.moved(way)) {
                let (remote, config, load, tell) =
                    (self.remote.clone(), self.config.clone(), Rc::clone(&load), tell.clone());
                match want {
                    Want::End => return Ok(Measured { outcome: test.outcome(now()), failed }),
                    Want::Load => {
                        spawn_local(async move {
                            if let Err(e) = generate(&remote, &config, way, &load).await {
                                let _ = tell.send(News::Failed(e));
                            }
                        });
                    }
                    Want::Probes => {
                        if let Some(requests) = load.any() {
                            let (config, tell) = (config.clone(), tell.clone());
                            spawn_local(async move {
                                let _ = tell.send(News::Own(small(requests, &config).await));
                            });
                        }
                        spawn_local(async move {
                            let _ = tell.send(News::Foreign(foreign(&remote, &config).await));
                        });
                    }
                }
            }
            if now() - moved_at >= MOVED.as_nanos() as u64 {
                moved_at = now();
                told(Event::Moved(way, load.moved(way)));
            }
            let interval = now() / self.parameters.interval_ns;
            if interval > shown {
                shown = interval;
                told(Event::Interval(way, test.outcome(now())));
            }
            let wait = Duration::from_nanos(test.next().saturating_sub(now())).min(LOOK);
            match tokio::time::timeout(wait, news.recv()).await {
                Ok(Some(News::Foreign(Ok(probe)))) => {
                    test.foreign(now(), probe);
                    told(Event::Foreign(probe));
                }
                Ok(Some(News::Own(Ok(ns)))) => test.own(now(), ns),
                Ok(Some(News::Foreign(Err(_)) | News::Own(Err(_)))) => failed += 1,
                Ok(Some(News::Failed(e))) => return Err(e),
                Ok(None) | Err(_) => {}
            }
        }
        Ok(Measured { outcome: test.outcome(now()), failed })
    }
}

/// A probe on a connection of its own.
async fn foreign(remote: &Remote, config: &Config) -> Result<Foreign, Error> {
    let Open { requests, tcp, tls, socket: _socket } = open(remote).await?;
    let stopped = |why| Error::Stopped { place: remote.place(), why, doing: "while it was probed".into() };
    let http_ns = small(requests, config).await.map_err(stopped)?;
    let ns = |time: Duration| time.as_nanos() as u64;
    Ok(Foreign { tcp_ns: ns(tcp), tls_ns: Some(ns(tls)), http_ns })
}

/// One byte: what it took, ns.
async fn small(mut requests: SendRequest<Zeros>, config: &Config) -> Result<u64, String> {
    let start = Instant::now();
    let answering = async {
        let answer = requests.send_request(request(&config.small, false)).await.map_err(|e| chain(&e))?;
        read(answer, |_| Ok(())).await
    };
    in_time(answering).await?;
    Ok(start.elapsed().as_nanos() as u64)
}

/// A load-generating connection: one transfer after the other, without end.
async fn generate(remote: &Remote, config: &Config, way: Way, load: &Load) -> Result<(), Error> {
    let stopped = |why| Error::Stopped {
        place: remote.place(),
        why,
        doing: match way {
            Way::Down => "while it sent".into(),
            Way::Up => "while it received".into(),
        },
    };
    let Open { mut requests, socket, .. } = open(remote).await.map_err(|e| match e {
        // The others say that there was a server.
        Error::NoAnswer { said, .. } if !load.open.borrow().is_empty() => stopped(said.to_string()),
        Error::Tls { why, .. } if !load.open.borrow().is_empty() => stopped(why),
        other => other,
    })?;
    load.open.borrow_mut().push((requests.clone(), socket));
    loop {
        let asked = match way {
            Way::Down => request(&config.large, false),
            Way::Up => request(&config.upload, true),
        };
        let answer = requests.send_request(asked).await.map_err(|e| stopped(chain(&e)))?;
        let status = answer.status();
        let before = load.delivered.get();
        read(answer, |piece| {
            load.delivered.set(load.delivered.get() + piece.len() as u64);
            Ok(())
        })
        .await
        .map_err(stopped)?;
        if way == Way::Up || load.delivered.get() == before {
            // An upload has no end, and a large object has more than nothing.
            return Err(stopped(format!("it answered {status} before the end")));
        }
    }
}
