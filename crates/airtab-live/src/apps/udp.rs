//! Games, calls, videos, pings and plain UDP streams: own endpoints over UDP.
//!
//! Sizes, periods and phases are the simulator's (`airtab_sim::traffic`), so is
//! the bookkeeping ([`AppMeter`]). A packet carries its number, the number of
//! its video frame and its time of sending, which is that of the house: delays
//! are exact. Senders keep absolute deadlines; how late they were is reported,
//! so that a machine that is too busy is seen.
//!
//! A packet must hold these 16 bytes: the last packet of a video frame that
//! would be shorter is made as long.
//!
//! What it does not do: no codec, no play-out buffer, no duplicates (the cell
//! makes none).

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::{Arc, Mutex};

use airtab_quality::emodel::VoiceMeter;
use airtab_quality::gmodel::GameMeter;
use airtab_quality::video as quality;
use airtab_quality::window::Window;
use airtab_scenario::{Metric, video_frames};
use airtab_sim::engine::Stream;
use airtab_sim::meter::{AppMeter, constant};
use airtab_sim::traffic::udp::Source;
use airtab_sim::traffic::video::{self, HEADERS};
use airtab_sim::traffic::{game, ping, udp, voip};
use airtab_sim::{AppKind, AppTrace, Delivery, FrameTrace};
use hdrhistogram::Histogram;

use super::work::{LOOK, Work, lock, timed_out};
use super::{AppReport, Ends, Running, bits, quantiles, score};
use crate::driver::real_time;
use crate::error::LiveError;
use crate::snapshot::Score;

/// Number, frame and time at the beginning of each payload.
const HEADER: usize = 16;
/// What views are about: packets sent in this time before the last second, ns.
const RECENT_NS: u64 = 10_000_000_000;
/// Packets may be on their way for this long before a view misses them, ns.
const UNDER_WAY_NS: u64 = 1_000_000_000;
/// Ports of clients: the dynamic ones (RFC 6335).
const FIRST_PORT: u16 = 49_152;

/// One application of such a kind.
pub(crate) struct Udp {
    kind: AppKind,
    start_ns: u64,
    state: Mutex<State>,
}

/// What both of its ends record.
struct State {
    /// None once the trace was taken.
    meter: Option<AppMeter>,
    frames: Vec<FrameTrace>,
    late_ns: Histogram<u64>,
    /// Of late: what arrived, down and up, what was sent down, and the bytes of
    /// each packet that arrived down.
    recent: [VecDeque<Delivery>; 2],
    recent_sent: VecDeque<u64>,
    recent_bytes: VecDeque<(u64, u32)>,
}

impl Udp {
    /// Opens the sockets of both ends and starts their threads.
    pub(crate) fn start(work: &Work, ends: &Arc<Ends>) -> Result<Arc<Udp>, LiveError> {
        let app = &ends.app;
        let port = match app.kind {
            AppKind::Game(_) => game::PORT,
            AppKind::Voip(_) => voip::PORT,
            AppKind::Video(_) => video::PORT,
            AppKind::Ping(_) => ping::PORT,
            _ => udp::PORT,
        };
        if let AppKind::Udp(udp::Udp { bytes, .. }) | AppKind::Ping(ping::Ping { bytes, .. }) = app.kind
            && bytes < HEADERS + HEADER as u32
        {
            let least = HEADERS + HEADER as u32;
            let said = format!("bytes = {bytes}: its packets carry their time, at least {least} bytes");
            return Err(LiveError::App { app: app.name.clone(), said });
        }
        let server = SocketAddrV4::new(ends.server, port);
        let client = SocketAddrV4::new(ends.client, FIRST_PORT + ends.index);
        let sockets = [(&ends.internet, server), (&ends.station, client)].map(|(ns, at)| {
            let opened = ns.spawn("socket", move || {
                let socket = UdpSocket::bind(at)?;
                socket.set_read_timeout(Some(LOOK))?;
                Ok(socket)
            });
            let said = |e: io::Error| LiveError::App {
                app: app.name.clone(),
                said: format!("UDP port {at} in {}: {e}", ns.name()),
            };
            let ended = opened.map_err(said)?.join();
            ended.unwrap_or_else(|_| Err(io::Error::other("the thread panicked"))).map_err(said)
        });
        let [at_server, at_client] = sockets;
        let (at_server, at_client) = (Arc::new(at_server?), Arc::new(at_client?));
        let state = State {
            meter: Some(AppMeter::new(app, &ends.scenario)),
            frames: Vec::new(),
            late_ns: Histogram::new_with_bounds(1_000, 100_000_000_000, 3).expect("bounds are in order"),
            recent: Default::default(),
            recent_sent: VecDeque::new(),
            recent_bytes: VecDeque::new(),
        };
        let own = Udp { kind: app.kind.clone(), start_ns: app.active_ns.start, state: Mutex::new(state) };
        let own = Arc::new(own);

        // Servers send down; stations, and the echo of a server, are driven by what they get.
        let [down, up] = match app.kind {
            AppKind::Game(_) | AppKind::Voip(_) => [true, true],
            AppKind::Ping(_) => [false, true],
            _ => [true, false],
        };
        let link = |socket: &Arc<UdpSocket>, to, up| Link {
            own: own.clone(),
            ends: ends.clone(),
            socket: socket.clone(),
            to,
            up,
        };
        if down {
            let link = link(&at_server, client, false);
            work.spawn(&app.name, &ends.internet, move |work| link.send_all(work))?;
        }
        if up {
            let link = link(&at_client, server, true);
            work.spawn(&app.name, &ends.station, move |work| link.send_all(work))?;
        }
        let at_station = link(&at_client, server, false);
        work.spawn(&app.name, &ends.station, move |work| at_station.receive_all(work))?;
        let at_server = link(&at_server, client, true);
        work.spawn(&app.name, &ends.internet, move |work| at_server.receive_all(work))?;
        Ok(own)
    }
}

/// One end of the application, one direction.
struct Link {
    own: Arc<Udp>,
    ends: Arc<Ends>,
    socket: Arc<UdpSocket>,
    /// The other end.
    to: SocketAddrV4,
    up: bool,
}

impl Link {
    fn failed(&self, what: &str) -> impl FnOnce(io::Error) -> LiveError {
        let (app, what) = (self.ends.app.name.clone(), format!("{what} {}", self.to));
        move |e| LiveError::App { app, said: format!("{what}: {e}") }
    }

    fn send_all(&self, work: &Work) -> Result<(), LiveError> {
        // Its delays are the cell's, not those of a busy machine; where that is not
        // allowed, as others.
        let _ = real_time();
        let (app, active) = (&self.ends.app, self.ends.app.active_ns.clone());
        let mut draws = Stream::new(work.seed, &format!("app/{}", app.name));
        let period = |up| match app.kind {
            AppKind::Video(_) => video::PERIOD_NS,
            _ => constant(&app.kind, up).map_or(1, |s| s.period_ns),
        };
        // The same draws as in the simulator: down first.
        let phase = [false, true].map(|up| draws.below(period(up)))[usize::from(self.up)];
        let mut source = match app.kind {
            AppKind::Udp(udp::Udp { rate_bps, bytes, gaps }) => {
                Some(Source::start(rate_bps, bytes, gaps, work.seed, &app.name, active.start))
            }
            _ => None,
        };
        let mut number = 0;
        let mut due = match &mut source {
            Some(source) => source.next_ns(active.start),
            None => active.start + phase,
        };
        let mut packet = vec![0; 1 << 16];
        while due < active.end && work.wait_until(due) {
            let now = work.clock.now();
            lock(&self.own.state).late_ns.saturating_record(now - due);
            match &app.kind {
                AppKind::Video(video::Video { frames, fec }) => {
                    let frame = frames.0[number as usize % frames.0.len()];
                    let needed = fec.packets(frame).0 as u16;
                    let trace = FrameTrace { sent_ns: now, kind: frame.kind, needed, received: 0 };
                    lock(&self.own.state).frames.push(trace);
                    for payload in fec.payloads(frame) {
                        self.send(work, &mut packet, payload as usize, number, number)?;
                    }
                }
                AppKind::Udp(udp::Udp { bytes, .. }) => {
                    self.send(work, &mut packet, (bytes - HEADERS) as usize, number, 0)?;
                }
                kind => {
                    let bytes = constant(kind, self.up).map_or(0, |s| s.bytes.saturating_sub(HEADERS));
                    self.send(work, &mut packet, bytes as usize, number, 0)?;
                }
            }
            number += 1;
            due = match &mut source {
                Some(source) => source.next_ns(due),
                None => due + period(self.up),
            };
        }
        Ok(())
    }

    /// Sends one packet; a device that has no room loses it like any other.
    fn send(
        &self,
        work: &Work,
        packet: &mut [u8],
        payload: usize,
        number: u32,
        frame: u32,
    ) -> Result<(), LiveError> {
        let payload = &mut packet[..payload.max(HEADER)];
        let now = work.clock.now();
        payload[..4].copy_from_slice(&number.to_be_bytes());
        payload[4..8].copy_from_slice(&frame.to_be_bytes());
        payload[8..16].copy_from_slice(&now.to_be_bytes());
        lock(&self.own.state).sent(self.up, payload.len() as u32 + HEADERS, now);
        match self.socket.send_to(payload, self.to) {
            Err(e)
                if e.raw_os_error() != Some(rustix::io::Errno::NOBUFS.raw_os_error()) && !timed_out(&e) =>
            {
                Err(self.failed("sending to")(e))
            }
            _ => Ok(()),
        }
    }

    /// Receives what the other end sends, until everything is over.
    fn receive_all(&self, work: &Work) -> Result<(), LiveError> {
        let _ = real_time(); // as the sender's
        let mut packet = vec![0; 1 << 16];
        let echoes = self.up && matches!(self.ends.app.kind, AppKind::Ping(_));
        while !work.stopped() {
            let (length, from) = match self.socket.recv_from(&mut packet) {
                Ok(got) => got,
                Err(e) if timed_out(&e) => continue,
                Err(e) => return Err(self.failed("receiving from")(e)),
            };
            let now = work.clock.now();
            if from != SocketAddr::V4(self.to) || length < HEADER {
                continue; // somebody else's
            }
            let word = |at: usize| u32::from_be_bytes(packet[at..at + 4].try_into().expect("four bytes"));
            let (number, frame) = (word(0), word(4));
            let sent_ns = u64::from_be_bytes(packet[8..HEADER].try_into().expect("eight bytes"));
            lock(&self.own.state).received(self.up, length as u32 + HEADERS, sent_ns, frame, now);
            if echoes && self.ends.app.active_ns.contains(&now) {
                let reply = Link {
                    own: self.own.clone(),
                    ends: self.ends.clone(),
                    socket: self.socket.clone(),
                    to: self.to,
                    up: false,
                };
                reply.send(work, &mut packet, length, number, frame)?;
            }
        }
        Ok(())
    }
}

impl State {
    fn sent(&mut self, up: bool, bytes: u32, now: u64) {
        self.meter.iter_mut().for_each(|meter| meter.sent(up, bytes, now));
        if !up {
            self.recent_sent.push_back(now);
            let old = now.saturating_sub(2 * RECENT_NS);
            while self.recent_sent.front().is_some_and(|at| *at < old) {
                self.recent_sent.pop_front();
            }
        }
    }

    fn received(&mut self, up: bool, bytes: u32, sent_ns: u64, frame: u32, now: u64) {
        self.meter.iter_mut().for_each(|meter| meter.received(up, bytes, sent_ns, now));
        if let Some(frame) = self.frames.get_mut(frame as usize) {
            frame.received += 1;
        }
        let old = now.saturating_sub(2 * RECENT_NS);
        let recent = &mut self.recent[usize::from(up)];
        recent.push_back(Delivery { sent_ns, received_ns: now });
        while recent.front().is_some_and(|d| d.sent_ns < old) {
            recent.pop_front();
        }
        if !up {
            self.recent_bytes.push_back((now, bytes));
            while self.recent_bytes.front().is_some_and(|(at, _)| *at < old) {
                self.recent_bytes.pop_front();
            }
        }
    }
}

impl Running for Udp {
    fn score(&self, now: u64) -> Option<Score> {
        let until = now.saturating_sub(UNDER_WAY_NS);
        let window = Window::new(until.saturating_sub(RECENT_NS).max(self.start_ns), until)?;
        let state = lock(&self.state);
        let sent = || state.recent_sent.iter().copied().filter(|at| window.contains(*at));
        let took = |up: bool| {
            let sent_then = state.recent[usize::from(up)].iter().filter(|d| window.contains(d.sent_ns));
            sent_then.map(|d| (d.sent_ns, d.received_ns - d.sent_ns))
        };
        match self.kind {
            AppKind::Game(_) => {
                sent().next()?;
                let mut meter = GameMeter::new(window, window.length_ns())?;
                took(false).for_each(|(at, ns)| meter.downlink(at, ns));
                took(true).for_each(|(at, ns)| meter.uplink(at, ns));
                let mos = meter.score().mos_binned;
                Some(score(Metric::GameMos, mos, format!("{mos:.2} MOS")))
            }
            AppKind::Voip(_) => {
                let mut meter = VoiceMeter::new(window);
                sent().for_each(|at| meter.sent(at));
                took(false).for_each(|(at, ns)| meter.delivered(at, ns));
                let mos = meter.score()?.mos_simple;
                Some(score(Metric::VoipMos, mos, format!("{mos:.2} MOS")))
            }
            AppKind::Ping(_) => {
                let mean = |up| {
                    let (n, sum) = took(up).fold((0, 0), |(n, sum), (_, ns)| (n + 1, sum + ns));
                    (n > 0).then(|| sum as f64 / n as f64 * 1e-9)
                };
                let ping = mean(false)? + mean(true)?;
                Some(score(Metric::Ping, ping, format!("{:.1} ms ping", ping * 1e3)))
            }
            AppKind::Video(_) => {
                // In the order of sending: only the end is recent.
                let from = state.frames.partition_point(|f| f.sent_ns < window.from_ns());
                let frames = video_frames(&state.frames[from..]);
                let rate = quality::score(&frames, window)?.frames_per_second;
                Some(score(Metric::FrameRate, rate, format!("{rate:.1} frames/s")))
            }
            _ => {
                let arrived = state.recent_bytes.iter().filter(|(at, _)| window.contains(*at));
                let bps = window.rate_bps(arrived.map(|(_, bytes)| u64::from(*bytes)).sum());
                Some(score(Metric::Goodput, bps, bits(bps)))
            }
        }
    }

    fn finish(&self, trace: &mut AppTrace, report: &mut AppReport) {
        let mut state = lock(&self.state);
        if let Some(meter) = state.meter.take() {
            let own = meter.finish(trace.measure_ns.end).0;
            // What is still on its way only the access point knows.
            let under_way = (trace.down.under_way, trace.up.under_way);
            (trace.down, trace.up) = (own.down, own.up);
            (trace.down.under_way, trace.up.under_way) = under_way;
        }
        trace.frames = std::mem::take(&mut state.frames);
        report.late = quantiles(&state.late_ns);
    }
}
