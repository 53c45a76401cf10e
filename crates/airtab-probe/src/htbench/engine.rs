// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One thread serves all connections (Starzetz 6.3.2).
//!
//! In each service cycle the connections that are ready are served once each, in random order, so that no
//! order of service synchronises them. Buffers are allocated and touched before the first connection is made.
//!
//! What it does not do: no state of HTTP, which is [`super::connection`]'s; no files.

use std::io::{self, ErrorKind, Read, Write};
use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{Timespec, epoll};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::config::{Class, Config};
use super::connection::{Exchange, Failure, State};
use crate::clock::{LOOK_NS, monotonic_ns, system_ns};
use crate::tcp_info::bytes_acked;

/// Read at once, and the block of random bytes that uploads repeat.
const BUFFER_BYTES: usize = 256 * 1024;
/// Connections served in a cycle.
const CYCLE: usize = 1024;
/// After a failure the next request waits so long, ns: a server that is gone is not flooded.
const PAUSE_NS: u64 = 100_000_000;
/// From one progress report to the next, ns.
const PROGRESS_NS: u64 = 1_000_000_000;

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With a whole response.
    Done,
    /// Not so.
    Failed(Failure),
    /// It was under way when the run ended.
    Unfinished,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Index into the configuration's classes.
    pub class: usize,
    /// Within its class, from 1.
    pub number: u64,
    /// Which of the class's concurrent connections, from 1: requests of the same follow each other.
    pub connection: u32,
    /// When its connection stood, ns from the start of the run; none if it never did.
    pub t0_ns: Option<u64>,
    /// When it ended, ns from the start of the run.
    pub end_ns: u64,
    /// How.
    pub end: End,
    /// What the server answered.
    pub status: Option<u16>,
    /// What TCP carried, bytes: received of a download, acknowledged of an upload.
    pub volume_bytes: u64,
    /// V(t): ns since `t0_ns`, bytes. Empty without a connection.
    pub points: Vec<(u64, u64)>,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// System time at the start, ns since 1970.
    pub started_ns: u64,
    /// How long it took, ns.
    pub duration_ns: u64,
    /// Whether it was told to stop.
    pub stopped: bool,
    /// In the order in which they ended.
    pub requests: Vec<Request>,
}

/// How a class is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Requests under way.
    pub running: u64,
    /// Requests done.
    pub done: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Volume of all of them so far, bytes.
    pub bytes: u64,
}

/// What the engine has to say while it runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A request ended.
    Request(&'a Request),
    /// Once a second: time since the start in ns, and each class.
    Progress(u64, &'a [Progress]),
}

/// A request under way.
struct Running {
    socket: TcpStream,
    exchange: Exchange,
    number: u64,
    /// Acknowledged before any data.
    acked_before: u64,
    writing: bool,
}

/// One of the concurrent connections of a class.
struct Slot {
    class: usize,
    connection: u32,
    running: Option<Running>,
    not_before_ns: u64,
}

struct Engine<'a> {
    config: &'a Config,
    epoll: OwnedFd,
    slots: Vec<Slot>,
    /// Requests begun, for each class.
    begun: Vec<u64>,
    progress: Vec<Progress>,
    start_ns: u64,
    /// Random bytes.
    body: Vec<u8>,
    buffer: Vec<u8>,
    ended: Vec<Request>,
    /// How many of them were reported.
    told: usize,
}

/// Makes the requests of `config`, now, until all are made, its duration has passed, or `stop`. Blocks;
/// `report` is called from this thread.
///
/// # Errors
/// If the system fails; a request that fails is none, but a [`Request`] that says so.
pub fn run(config: &Config, stop: &AtomicBool, report: &mut dyn FnMut(Event<'_>)) -> io::Result<Outcome> {
    let mut random = fastrand::Rng::new();
    let mut engine = Engine::new(config, &mut random)?;
    let mut events = [const { MaybeUninit::<epoll::Event>::uninit() }; CYCLE];
    let mut ready: Vec<usize> = Vec::with_capacity(CYCLE);
    let mut next_progress_ns = engine.start_ns + PROGRESS_NS;
    let end_ns = engine.start_ns.saturating_add(config.duration_ns.unwrap_or(u64::MAX));
    let mut stopped = false;
    loop {
        stopped = stopped || stop.load(Ordering::Relaxed);
        let now = monotonic_ns();
        if stopped || now >= end_ns || engine.is_finished() {
            break;
        }
        engine.begin_requests(now);
        let wake = engine.wake_ns(now).min(end_ns).min(next_progress_ns);
        let pause = wake.saturating_sub(monotonic_ns());
        let timeout = Timespec { tv_sec: 0, tv_nsec: pause.min(LOOK_NS) as _ };
        match epoll::wait(&engine.epoll, &mut events, Some(&timeout)) {
            Ok((events, _)) => {
                ready.clear();
                ready.extend(events.iter().map(|e| e.data.u64() as usize));
            }
            Err(rustix::io::Errno::INTR) => ready.clear(),
            Err(e) => return Err(e.into()),
        }
        random.shuffle(&mut ready);
        for i in ready.drain(..) {
            engine.serve(i)?;
        }
        let now = monotonic_ns();
        engine.check(now);
        engine.collect(now);
        engine.tell(report);
        if now >= next_progress_ns {
            next_progress_ns = now + PROGRESS_NS;
            report(Event::Progress(now - engine.start_ns, &engine.progress()));
        }
    }
    let now = monotonic_ns();
    engine.give_up(now);
    engine.tell(report);
    let duration_ns = now - engine.start_ns;
    let started_ns = system_ns().saturating_sub(duration_ns);
    Ok(Outcome { started_ns, duration_ns, stopped, requests: engine.ended })
}

impl<'a> Engine<'a> {
    fn new(config: &'a Config, random: &mut fastrand::Rng) -> io::Result<Engine<'a>> {
        let slots = config.classes.iter().enumerate().flat_map(|(class, c)| {
            let slot = move |connection| Slot { class, connection, running: None, not_before_ns: 0 };
            (1..=c.concurrency).map(slot)
        });
        let mut body = vec![0; BUFFER_BYTES];
        random.fill(&mut body);
        Ok(Engine {
            config,
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            slots: slots.collect(),
            begun: vec![0; config.classes.len()],
            progress: vec![Progress::default(); config.classes.len()],
            start_ns: monotonic_ns(),
            // Both are written to: their pages are there.
            buffer: body.clone(),
            body,
            ended: Vec::new(),
            told: 0,
        })
    }

    /// Whether all counted requests have ended.
    fn is_finished(&self) -> bool {
        let counts = self.config.classes.iter().zip(&self.progress);
        let mut counted = counts.filter_map(|(class, p)| Some((class.count?, p.done + p.failed))).peekable();
        counted.peek().is_some() && counted.all(|(count, ended)| ended >= count)
    }

    fn begin_requests(&mut self, now: u64) {
        for i in 0..self.slots.len() {
            let slot = &self.slots[i];
            let class = slot.class;
            let left = self.config.classes[class].count.is_none_or(|count| self.begun[class] < count);
            if slot.running.is_some() || now < slot.not_before_ns || !left {
                continue;
            }
            self.begun[class] += 1;
            let number = self.begun[class];
            let mut exchange = Exchange::new(&self.config.classes[class], self.config.sampling, now);
            let socket = match self.connect(class, i) {
                Ok(socket) => socket,
                Err(e) => {
                    exchange.fail(Failure::Connect(e.to_string()), now);
                    self.end(i, number, exchange, None, now);
                    continue;
                }
            };
            exchange.connecting();
            let running = Running { socket, exchange, number, acked_before: 0, writing: true };
            self.slots[i].running = Some(running);
        }
    }

    /// A socket that connects, and is watched.
    fn connect(&self, class: usize, slot: usize) -> io::Result<TcpStream> {
        let socket = connect(&self.config.classes[class])?;
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT;
        epoll::add(&self.epoll, &socket, epoll::EventData::new_u64(slot as u64), flags)?;
        Ok(socket)
    }

    /// When something is to be done even if no socket is ready, ns.
    fn wake_ns(&self, now: u64) -> u64 {
        let wake = |slot: &Slot| match &slot.running {
            Some(running) => running.exchange.next_sample_ns(),
            None => Some(slot.not_before_ns).filter(|at| *at > now),
        };
        self.slots.iter().filter_map(wake).min().unwrap_or(u64::MAX)
    }

    /// Serves a connection once: a read, and a write.
    fn serve(&mut self, i: usize) -> io::Result<()> {
        let Some(running) = &mut self.slots[i].running else { return Ok(()) };
        running.serve(&mut self.buffer, &self.body);
        let writing = running.exchange.wants_to_write();
        if writing != running.writing && !running.exchange.is_over() {
            running.writing = writing;
            let flags = epoll::EventFlags::IN;
            epoll::modify(&self.epoll, &running.socket, epoll::EventData::new_u64(i as u64), flags)?;
        }
        Ok(())
    }

    /// Samples uploads, and fails what takes too long.
    fn check(&mut self, now: u64) {
        for running in self.slots.iter_mut().filter_map(|slot| slot.running.as_mut()) {
            if running.exchange.next_sample_ns().is_some_and(|at| at <= now) {
                running.sample();
            }
            running.exchange.check_time(now, self.config.timeout_ns);
        }
    }

    /// Takes ended requests out of their slots.
    fn collect(&mut self, now: u64) {
        for i in 0..self.slots.len() {
            let over = |running: &mut Running| running.exchange.is_over();
            if let Some(running) = self.slots[i].running.take_if(over) {
                self.end(i, running.number, running.exchange, None, now);
            }
        }
    }

    /// Reports what ended since the last call.
    fn tell(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        for request in &self.ended[self.told..] {
            report(Event::Request(request));
        }
        self.told = self.ended.len();
    }

    fn give_up(&mut self, now: u64) {
        for i in 0..self.slots.len() {
            if let Some(mut running) = self.slots[i].running.take() {
                running.sample();
                running.exchange.give_up(now);
                self.end(i, running.number, running.exchange, Some(End::Unfinished), now);
            }
        }
    }

    fn end(&mut self, i: usize, number: u64, exchange: Exchange, end: Option<End>, now: u64) {
        let slot = &mut self.slots[i];
        let progress = &mut self.progress[slot.class];
        let end = end.unwrap_or_else(|| match exchange.failure() {
            None => End::Done,
            Some(failure) => End::Failed(failure.clone()),
        });
        match end {
            End::Done => progress.done += 1,
            End::Failed(_) => {
                progress.failed += 1;
                slot.not_before_ns = now + PAUSE_NS;
            }
            End::Unfinished => {}
        }
        progress.bytes += exchange.volume();
        let t0_ns = exchange.t0_ns().map(|t0| t0 - self.start_ns);
        self.ended.push(Request {
            class: slot.class,
            number,
            connection: slot.connection,
            t0_ns,
            end_ns: now - self.start_ns,
            end,
            status: exchange.status(),
            volume_bytes: exchange.volume(),
            points: t0_ns.map_or_else(Vec::new, |_| exchange.into_samples().points().to_vec()),
        });
    }

    /// With what is under way.
    fn progress(&self) -> Vec<Progress> {
        let mut progress = self.progress.clone();
        for slot in &self.slots {
            if let Some(running) = &slot.running {
                progress[slot.class].running += 1;
                progress[slot.class].bytes += running.exchange.volume();
            }
        }
        progress
    }
}

impl Running {
    fn serve(&mut self, buffer: &mut [u8], body: &[u8]) {
        if self.exchange.state() == State::Connecting && !self.connected() {
            return;
        }
        self.sample();
        match self.socket.read(buffer) {
            Ok(0) => self.exchange.closed(monotonic_ns()),
            Ok(n) => self.exchange.received(&buffer[..n], monotonic_ns()),
            Err(e) => self.lost(&e),
        }
        let bytes = self.exchange.to_write(body);
        if !bytes.is_empty() {
            match self.socket.write(bytes) {
                Ok(n) => self.exchange.wrote(n, monotonic_ns()),
                Err(e) => self.lost(&e),
            }
        }
    }

    /// Whether the handshake is over, and well.
    fn connected(&mut self) -> bool {
        let now = monotonic_ns();
        match self.socket.take_error() {
            Ok(None) if self.socket.peer_addr().is_err() => return false,
            Ok(None) => self.exchange.connected(now),
            Ok(Some(e)) | Err(e) => self.exchange.fail(Failure::Connect(e.to_string()), now),
        }
        if self.exchange.is_upload() && !self.exchange.is_over() {
            match bytes_acked(&self.socket) {
                Ok(bytes) => self.acked_before = bytes,
                Err(e) => self.exchange.fail(Failure::Lost(format!("no TCP_INFO: {e}")), now),
            }
        }
        !self.exchange.is_over()
    }

    /// Asks how much of an upload has arrived.
    fn sample(&mut self) {
        if !self.exchange.is_upload() || self.exchange.t0_ns().is_none() {
            return;
        }
        if let Ok(bytes) = bytes_acked(&self.socket) {
            self.exchange.acknowledged(bytes.saturating_sub(self.acked_before), monotonic_ns());
        }
    }

    fn lost(&mut self, e: &io::Error) {
        if !matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) {
            self.exchange.fail(Failure::Lost(e.to_string()), monotonic_ns());
        }
    }
}

fn connect(class: &Class) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(class.server), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    socket.set_tcp_nodelay(true)?;
    if let Some(ip) = class.bind {
        socket.bind(&SockAddr::from(std::net::SocketAddr::new(ip, 0)))?;
    }
    match socket.connect(&SockAddr::from(class.server)) {
        Err(e) if e.raw_os_error() != Some(libc::EINPROGRESS) => Err(e),
        _ => Ok(socket.into()),
    }
}
