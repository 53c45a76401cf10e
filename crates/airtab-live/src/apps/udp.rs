// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Games, calls, videos, pings, captures and plain UDP streams: sockets around the
//! application that the simulator runs, too ([`Application`]).
//!
//! So sizes, periods, phases and frames are the simulator's; so is the
//! bookkeeping ([`AppMeter`]). A packet carries its number, what its receiver is
//! told of it and its time of sending, which is that of the house: delays
//! are exact. The application's timers are absolute deadlines; how late they were is reported,
//! so that a machine that is too busy is seen.
//!
//! A packet must hold these 16 bytes: the last packet of a video frame and a
//! packet of a capture that would be shorter are made as long.
//!
//! What it does not do: no codec, no play-out buffer, no duplicates (the cell
//! makes none).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::net::{SocketAddr, SocketAddrV4, UdpSocket};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use airtab_core::time::SECOND;
use airtab_quality::Window;
use airtab_quality::emodel::{self, VoiceMeter};
use airtab_quality::gmodel::GameMeter;
use airtab_quality::video as quality;
use airtab_scenario::{Metric, video_frames};
use airtab_sim::traffic::video::{FrameKind, HEADERS};
use airtab_sim::traffic::{self, Action, Application, Io, Setting, User};
use airtab_sim::{AppKind, AppMeter, AppTrace, Delivery, Histogram, Scored, datagram_payload};

use super::work::{LOOK, LOOK_NS, Work, lock, timed_out};
use super::{ActiveApp, AppReport, Ends, bits, score};
use crate::driver::real_time;
use crate::error::LiveError;
use crate::snapshot::{Quantiles, Score};

/// Number, tag and time at the beginning of each payload.
pub(super) const HEADER: usize = 16;
/// What views are about: packets sent in this time before the last second, ns.
const RECENT_NS: u64 = 10_000_000_000;
/// Packets may be on their way for this long before a view misses them, ns.
const UNDER_WAY_NS: u64 = 1_000_000_000;
/// Ports of clients: the dynamic ones (RFC 6335).
const FIRST_PORT: u16 = 49_152;
/// More than a packet.
const PACKET: usize = 1 << 16;

/// One application of such a kind.
pub(crate) struct Udp {
    app: String,
    active_ns: Range<u64>,
    /// Of the server and of the client.
    sockets: [(UdpSocket, SocketAddrV4); 2],
    state: Mutex<State>,
    /// A timer was set that comes before all others.
    wake: Condvar,
}

/// The application and what both of its ends record.
struct State {
    user: User,
    io: Io,
    timers: Timers,
    /// Packets sent so far, down and up.
    sent: [u32; 2],
    /// Sending failed, down and up.
    failed: [bool; 2],
    /// None once the trace was taken.
    meter: Option<AppMeter>,
    late_ns: Histogram,
    /// What scores are about.
    scored: Scored,
    /// Its packets go up alone, and so does what it is judged by.
    judged_up: bool,
    /// Of late: what arrived and what was sent, down and up, and the bytes of
    /// each packet that arrived the way that it is judged by.
    recent: [VecDeque<Delivery>; 2],
    recent_sent: [VecDeque<u64>; 2],
    recent_bytes: VecDeque<(u64, u32)>,
}

/// The timers that an application set, in order of time and then of their making.
#[derive(Default)]
struct Timers {
    heap: BinaryHeap<Reverse<(u64, u64, u16)>>,
    made: u64,
}

impl Timers {
    /// True: it comes before all others.
    fn set(&mut self, at: u64, key: u16) -> bool {
        let first = self.next_ns().is_none_or(|next| at < next);
        self.heap.push(Reverse((at, self.made, key)));
        self.made += 1;
        first
    }

    fn next_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    /// Takes the next one if it is due.
    fn due(&mut self, now: u64) -> Option<(u64, u16)> {
        self.next_ns().filter(|at| *at <= now)?;
        self.heap.pop().map(|Reverse((at, _, key))| (at, key))
    }
}

/// A packet that the application wants to be sent.
#[derive(Clone, Copy)]
struct Packet {
    up: bool,
    bytes: u32,
    tag: u32,
}

impl Udp {
    /// Opens the sockets of both ends and starts their threads.
    pub(crate) fn start(work: &Work, ends: &Arc<Ends>) -> Result<Arc<Udp>, LiveError> {
        let app = &ends.app;
        let server = SocketAddrV4::new(ends.server, app.kind.port());
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
        let own = Arc::new(Udp {
            app: app.name.clone(),
            active_ns: app.active_ns.clone(),
            sockets: [(at_server?, server), (at_client?, client)],
            state: Mutex::new(State::new(ends, work.seed)),
            wake: Condvar::new(),
        });
        let (timers, at_station, at_server) = (own.clone(), own.clone(), own.clone());
        work.spawn(&app.name, &ends.internet, move |work| timers.run_timers(work))?;
        work.spawn(&app.name, &ends.station, move |work| at_station.receive_all(work, false))?;
        work.spawn(&app.name, &ends.internet, move |work| at_server.receive_all(work, true))?;
        Ok(own)
    }

    fn failed(&self, what: &str, other: SocketAddrV4) -> impl FnOnce(io::Error) -> LiveError {
        let (app, what) = (self.app.clone(), format!("{what} {other}"));
        move |e| LiveError::App { app, said: format!("{what}: {e}") }
    }

    /// Lets the application act by its timers, from its start to its end.
    fn run_timers(&self, work: &Work) -> Result<(), LiveError> {
        // Its delays are the cell's, not those of a busy machine; where that is not
        // allowed, as others.
        let _ = real_time();
        let (start, end) = (self.active_ns.start, self.active_ns.end);
        let (mut packet, mut wanted) = (vec![0; PACKET], Vec::new());
        if !work.wait_until(start) {
            return Ok(());
        }
        let mut state = lock(&self.state);
        // By its own schedule, as if nobody were late.
        state.tell(start, &mut wanted, |user, io| user.start(io));
        while !work.stopped() {
            let now = work.clock.now();
            // What was due before the end is sent, however late.
            if let Some((due, key)) = state.timers.due(now.min(end - 1)) {
                state.late_ns.record(now - due);
                state.tell(now, &mut wanted, |user, io| user.timer(due, key, io));
            } else if now >= end {
                return Ok(());
            }
            if wanted.is_empty() {
                let next = state.timers.next_ns().unwrap_or(end).min(end).min(now + LOOK_NS);
                state = self.wait(state, next.saturating_sub(work.clock.now()));
                continue;
            }
            drop(state);
            for one in wanted.drain(..) {
                self.send(work, &mut packet, one);
            }
            state = lock(&self.state);
        }
        Ok(())
    }

    /// Waits for so many ns, or until an earlier timer was set.
    fn wait<'s>(&self, state: MutexGuard<'s, State>, ns: u64) -> MutexGuard<'s, State> {
        if ns == 0 {
            return state;
        }
        self.wake.wait_timeout(state, Duration::from_nanos(ns)).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Sends one packet; a device that has no room loses it like any other. A direction that
    /// fails is a fault, and over; the other one goes on.
    fn send(&self, work: &Work, packet: &mut [u8], wanted: Packet) {
        let Packet { up, bytes, tag } = wanted;
        let ((from, _), (_, to)) = match up {
            true => (&self.sockets[1], &self.sockets[0]),
            false => (&self.sockets[0], &self.sockets[1]),
        };
        let payload = &mut packet[..(bytes.saturating_sub(HEADERS) as usize).max(HEADER)];
        let now = work.clock.now();
        let Some(number) = lock(&self.state).sent(up, payload.len() as u32 + HEADERS, now) else { return };
        payload[..4].copy_from_slice(&number.to_be_bytes());
        payload[4..8].copy_from_slice(&tag.to_be_bytes());
        payload[8..HEADER].copy_from_slice(&now.to_be_bytes());
        match from.send_to(payload, to) {
            Err(e)
                if e.raw_os_error() != Some(rustix::io::Errno::NOBUFS.raw_os_error()) && !timed_out(&e) =>
            {
                lock(&self.state).failed[usize::from(up)] = true;
                work.fault(self.failed("sending to", *to)(e));
            }
            _ => {}
        }
    }

    /// Receives at the station, or with `up` at the server, what the other end sends, until everything is over.
    fn receive_all(&self, work: &Work, up: bool) -> Result<(), LiveError> {
        let _ = real_time(); // as the sender's
        let ((socket, _), (_, other)) = match up {
            true => (&self.sockets[0], &self.sockets[1]),
            false => (&self.sockets[1], &self.sockets[0]),
        };
        let (mut packet, mut wanted) = (vec![0; PACKET], Vec::new());
        while !work.stopped() {
            let (length, from) = match socket.recv_from(&mut packet) {
                Ok(got) => got,
                Err(e) if timed_out(&e) => continue,
                Err(e) => return Err(self.failed("receiving from", *other)(e)),
            };
            let now = work.clock.now();
            if from != SocketAddr::V4(*other) || length < HEADER {
                continue; // somebody else's
            }
            let tag = u32::from_be_bytes(packet[4..8].try_into().expect("four bytes"));
            let sent_ns = u64::from_be_bytes(packet[8..HEADER].try_into().expect("eight bytes"));
            let bytes = length as u32 + HEADERS;
            let mut state = lock(&self.state);
            state.received(up, bytes, sent_ns, now);
            let earlier = state.tell(now, &mut wanted, |user, io| user.datagram(up, bytes, tag, io));
            drop(state);
            if earlier {
                self.wake.notify_all();
            }
            for one in wanted.drain(..).filter(|_| self.active_ns.contains(&now)) {
                self.send(work, &mut packet, one);
            }
        }
        Ok(())
    }
}

impl State {
    fn new(ends: &Ends, seed: u64) -> State {
        let (app, scenario) = (&ends.app, &ends.scenario);
        let active_ns = app.active_ns.end.min(scenario.duration_ns).saturating_sub(app.active_ns.start);
        let (user, users, phase_ns) = (0, 1, app.phase_ns);
        let setting = Setting { seed, app: &app.name, user, users, active_ns, phase_ns, outstanding: 2 };
        State {
            user: app.kind.user(&setting),
            io: Io::default(),
            timers: Timers::default(),
            sent: [0; 2],
            failed: [false; 2],
            meter: Some(AppMeter::new(app, scenario)),
            late_ns: Histogram::new(100 * SECOND, 3),
            scored: scenario.scored,
            judged_up: match &app.kind {
                AppKind::Udp(traffic::Udp { upload, .. }) => *upload,
                AppKind::Replay(replay) => replay.packets.count(false) == 0,
                _ => false,
            },
            recent: Default::default(),
            recent_sent: Default::default(),
            recent_bytes: VecDeque::new(),
        }
    }

    /// Tells the application something at `now`: sets its timers, and adds the packets that it wants to be sent. True:
    /// the next timer is an earlier one than before.
    fn tell(&mut self, now: u64, wanted: &mut Vec<Packet>, what: impl FnOnce(&mut User, &mut Io)) -> bool {
        let mut earlier = false;
        what(&mut self.user, self.io.at(now));
        while let Some(action) = self.io.poll() {
            match action {
                Action::Timer { at, key } => earlier |= self.timers.set(at, key),
                Action::Send { up, bytes, tag } => wanted.push(Packet { up, bytes, tag }),
                // Those of kinds that speak TCP.
                Action::Open { .. } | Action::Write { .. } => {}
            }
        }
        earlier
    }

    /// A packet is sent: its number; None: nothing is sent this way any more.
    fn sent(&mut self, up: bool, bytes: u32, now: u64) -> Option<u32> {
        if self.failed[usize::from(up)] {
            return None;
        }
        self.meter.iter_mut().for_each(|meter| meter.sent(up, bytes, now));
        let recent = &mut self.recent_sent[usize::from(up)];
        recent.push_back(now);
        let old = now.saturating_sub(2 * RECENT_NS);
        while recent.front().is_some_and(|at| *at < old) {
            recent.pop_front();
        }
        let next = &mut self.sent[usize::from(up)];
        Some(std::mem::replace(next, next.wrapping_add(1)))
    }

    fn received(&mut self, up: bool, bytes: u32, sent_ns: u64, now: u64) {
        if let Some(meter) = &mut self.meter {
            meter.received(up, (bytes, datagram_payload(bytes)), sent_ns, now);
        }
        let old = now.saturating_sub(2 * RECENT_NS);
        let recent = &mut self.recent[usize::from(up)];
        recent.push_back(Delivery { sent_ns, received_ns: now });
        while recent.front().is_some_and(|d| d.sent_ns < old) {
            recent.pop_front();
        }
        if up == self.judged_up {
            self.recent_bytes.push_back((now, datagram_payload(bytes) as u32)); // of a packet
            while self.recent_bytes.front().is_some_and(|(at, _)| *at < old) {
                self.recent_bytes.pop_front();
            }
        }
    }
}

impl ActiveApp for Udp {
    fn score(&self, now: u64) -> Option<Score> {
        let until = now.saturating_sub(UNDER_WAY_NS);
        let window = Window::new(until.saturating_sub(RECENT_NS).max(self.active_ns.start), until)?;
        let state = lock(&self.state);
        let sent =
            |up: bool| state.recent_sent[usize::from(up)].iter().copied().filter(|at| window.contains(*at));
        let took = |up: bool| {
            let sent_then = state.recent[usize::from(up)].iter().filter(|d| window.contains(d.sent_ns));
            sent_then.map(|d| (d.sent_ns, d.received_ns - d.sent_ns))
        };
        match &state.user {
            User::Game(_) => {
                sent(false).next()?;
                let mut meter = GameMeter::new(window, window.length_ns())?;
                if state.scored == Scored::Both {
                    meter = meter.both_ways();
                }
                took(false).for_each(|(at, ns)| meter.downlink(at, ns));
                took(true).for_each(|(at, ns)| meter.uplink(at, ns));
                let mos = meter.score().mos_binned;
                Some(score(Metric::GameMos, mos, format!("{mos:.2} MOS")))
            }
            User::Voip(_) => {
                let heard = |up: bool| {
                    let mut meter = VoiceMeter::new(window);
                    sent(up).for_each(|at| meter.sent(at));
                    took(up).for_each(|(at, ns)| meter.delivered(at, ns));
                    meter.score().map(|score| score.mos_simple)
                };
                let (down, up) = (heard(false), heard(true).filter(|_| state.scored == Scored::Both));
                let mos = emodel::worse(down.into_iter().chain(up))?;
                let text = match (down, up) {
                    (Some(down), Some(up)) => format!("{mos:.2} MOS (down {down:.2}, up {up:.2})"),
                    _ => format!("{mos:.2} MOS"),
                };
                Some(Score { down, up, ..score(Metric::VoipMos, mos, text) })
            }
            User::Ping(_) => {
                let mean = |up| {
                    let (n, sum) = took(up).fold((0, 0), |(n, sum), (_, ns)| (n + 1, sum + ns));
                    (n > 0).then(|| sum as f64 / n as f64 * 1e-9)
                };
                let ping = mean(false)? + mean(true)?;
                Some(score(Metric::Ping, ping, format!("{:.1} ms ping", ping * 1e3)))
            }
            User::Video(_) | User::Mpeg(_) => {
                let all = match &state.user {
                    User::Video(show) => show.frames(),
                    User::Mpeg(film) => film.frames(),
                    _ => &[],
                };
                // In the order of sending: only the end is recent, with the I frame that it is coded from.
                let recent = all.partition_point(|f| f.sent_ns < window.from_ns());
                let from = all[..recent].iter().rposition(|f| f.kind == FrameKind::I).unwrap_or(recent);
                let frames = video_frames(&all[from..]);
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
            adopt(trace, meter.finish(trace.measure_ns.end).0);
        }
        trace.frames = state.user.seen().frames;
        report.late = Quantiles::of(&state.late_ns);
    }
}

/// What its two ends saw, in each window; what is still on its way only the access point knows.
fn adopt(trace: &mut AppTrace, own: AppTrace) {
    let under_way = (trace.down.under_way, trace.up.under_way);
    (trace.down, trace.up) = (own.down, own.up);
    (trace.down.under_way, trace.up.under_way) = under_way;
    trace.windows.iter_mut().zip(own.windows).for_each(|(window, own)| adopt(window, own));
}

#[cfg(test)]
mod tests {
    use airtab_sim::traffic::Game;

    use super::*;

    /// Who waits for the next timer is woken by an earlier one alone.
    #[test]
    fn only_an_earlier_timer_wakes() {
        let setting = Setting {
            seed: 1,
            app: "game",
            user: 0,
            users: 1,
            active_ns: SECOND,
            phase_ns: None,
            outstanding: 2,
        };
        let mut state = State {
            user: AppKind::from(Game).user(&setting),
            io: Io::default(),
            timers: Timers::default(),
            sent: [0; 2],
            failed: [false; 2],
            meter: None,
            late_ns: Histogram::new(100 * SECOND, 3),
            scored: Scored::Both,
            judged_up: false,
            recent: Default::default(),
            recent_sent: Default::default(),
            recent_bytes: VecDeque::new(),
        };
        let mut sets = |all: &[u64]| {
            let mut wanted = Vec::new();
            state.tell(0, &mut wanted, |_, io| all.iter().for_each(|at| io.timer(*at, 0)))
        };
        assert!(sets(&[50]), "the first");
        assert!(!sets(&[]), "none");
        assert!(!sets(&[50, 60]), "none that is earlier");
        assert!(sets(&[70, 40, 80]), "one among others");
        assert!(!sets(&[41]));
    }

    const MS: u64 = 1_000_000;

    /// One application with sockets that nothing is sent to.
    fn udp(app: &str) -> Udp {
        let ends = super::super::fixture::ends(app);
        let socket = || (UdpSocket::bind("127.0.0.1:0").unwrap(), SocketAddrV4::new(ends.server, 1));
        Udp {
            app: "a".into(),
            active_ns: ends.app.active_ns.clone(),
            sockets: [socket(), socket()],
            state: Mutex::new(State::new(&ends, 1)),
            wake: Condvar::new(),
        }
    }

    /// At 30 s scores are of what was sent from 19 s to 29 s.
    const NOW: u64 = 30 * SECOND;

    /// A packet that was sent at that time, ms, and took so long, ms.
    fn passed(own: &Udp, up: bool, at_ms: u64, took_ms: u64, bytes: u32) {
        let mut state = lock(&own.state);
        state.sent(up, bytes, at_ms * MS).unwrap();
        state.received(up, bytes, at_ms * MS, (at_ms + took_ms) * MS);
    }

    #[test]
    fn a_ping_is_the_sum_of_both_means() {
        let own = udp("kind = \"ping\"");
        for (at_ms, took_ms) in [(18_900, 900), (20_000, 3), (21_000, 6)] {
            passed(&own, false, at_ms, took_ms, 100);
        }
        assert_eq!(own.score(NOW), None, "one direction is no round trip");
        for (at_ms, took_ms) in [(19_000, 10), (28_999, 20), (29_000, 500)] {
            passed(&own, true, at_ms, took_ms, 100);
        }
        let score = own.score(NOW).unwrap();
        assert!((score.value - 0.0195).abs() < 1e-12 && score.text == "19.5 ms ping", "{score:?}");
        assert_eq!(score.metric, "ping_seconds");
    }

    /// Packets count from the application's start on, and only once they can have arrived.
    #[test]
    fn an_application_that_began_late_is_judged_from_its_start_on() {
        let own = udp("kind = \"udp\"\nrate = \"1Mb/s\"\nstart = \"25s\"");
        for at_ms in [25_100, 28_000, 29_500] {
            passed(&own, false, at_ms, 5, 1000);
        }
        // 1944 bytes of payload from 25 to 29 s; then 2916 to 30 s.
        let told = own.score(NOW).unwrap();
        assert_eq!((told.value, told.metric.as_str()), (3888.0, "goodput_bits_per_second"));
        assert_eq!(own.score(NOW + SECOND).unwrap().value, 4665.6);
        assert_eq!([own.score(26 * SECOND), own.score(SECOND / 2)], [None, None]);
    }

    /// Each kind in its own words.
    #[test]
    fn scores_are_told_in_words() {
        for (kind, metric) in [("game", "game_mos"), ("voip", "voip_mos")] {
            let own = udp(&format!("kind = \"{kind}\""));
            assert_eq!(own.score(NOW), None, "{kind}");
            for i in 0..400 {
                passed(&own, false, 20_000 + 20 * i, 10, 100);
                passed(&own, true, 20_000 + 20 * i, 200, 100);
            }
            let told = own.score(NOW).unwrap();
            let mut text = format!("{:.2} MOS", told.value);
            if kind == "voip" {
                let (down, up) = (told.down.unwrap(), told.up.unwrap());
                assert!(down > up + 0.1, "{told:?}");
                text += &format!(" (down {down:.2}, up {up:.2})");
                lock(&own.state).scored = Scored::Down;
                assert_eq!(own.score(NOW).unwrap().text, format!("{down:.2} MOS"));
            }
            assert_eq!((told.metric.as_str(), told.text), (metric, text));
        }
        let own = udp("kind = \"udp\"\nrate = \"1Mb/s\"");
        (0..100).for_each(|i| passed(&own, false, 20_000 + 50 * i, 10, 62_500));
        assert_eq!(own.score(NOW).unwrap().text, "5.00 Mb/s");
    }

    /// In windows, too, what both ends saw counts, and what is under way stays the access point's.
    #[test]
    fn windows_have_what_their_ends_saw() {
        let text = "name = \"x\"\nduration = \"60s\"\n[windows]\nq = [\"10s\", \"20s\"]\nr = [\"30s\", \"50s\"]\n\
            [[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"ping\"\nstation = \"s\"\n";
        let scenario = airtab_scenario::ScenarioFile::parse("x.toml", text).unwrap().scenario;
        let seen = |times: &[(bool, u64)]| {
            let mut meter = AppMeter::new(&scenario.apps[0], &scenario);
            for (up, at) in times {
                meter.sent(*up, 100, at * SECOND);
                meter.received(*up, (100, 72), at * SECOND, at * SECOND + MS);
            }
            meter.finish(60 * SECOND).0
        };
        let mut trace = seen(&[(false, 12)]);
        (trace.windows[0].down.under_way, trace.windows[1].up.under_way) = (4, 6);
        adopt(&mut trace, seen(&[(true, 15), (false, 31), (false, 32), (true, 33), (false, 55)]));
        let of = |trace: &AppTrace| {
            [&trace.down, &trace.up].map(|stream| (stream.sent, stream.received, stream.under_way))
        };
        assert_eq!(of(&trace), [(3, 3, 0), (2, 2, 0)]);
        assert_eq!(of(&trace.windows[0]), [(0, 0, 4), (1, 1, 0)]);
        assert_eq!(of(&trace.windows[1]), [(2, 2, 0), (1, 1, 6)]);
    }

    /// 1600 bytes in two packets down and 5000 in one up in 10 s, of each 28 bytes of headers; others arrived before or after it.
    #[test]
    fn goodput_is_of_the_direction_that_is_judged() {
        for (more, bps) in [("", 1235.2), ("\nupload = true", 3977.6)] {
            let own = udp(&format!("kind = \"udp\"\nrate = \"1Mb/s\"{more}"));
            for up in [false, true] {
                passed(&own, up, 18_990, 9, 70);
            }
            passed(&own, false, 18_990, 10, 1000);
            passed(&own, true, 22_000, 5, 5000);
            passed(&own, false, 25_000, 5, 600);
            for up in [false, true] {
                passed(&own, up, 28_990, 10, 80);
            }
            assert_eq!(own.score(NOW).unwrap().value, bps, "{more}");
        }
    }

    /// Losses of one direction make a call worse, and jitter upwards a game, if both directions count.
    #[test]
    fn a_call_is_the_worse_of_the_directions_that_count() {
        for (kind, lost_up) in [("voip", true), ("voip", false), ("game", true)] {
            let own = udp(&format!("kind = \"{kind}\""));
            for i in 0..400 {
                let at_ms = 20_000 + 20 * i;
                for up in [false, true] {
                    match up == lost_up && i % 2 == 1 && kind == "voip" {
                        true => _ = lock(&own.state).sent(up, 100, at_ms * MS),
                        false => passed(
                            &own,
                            up,
                            at_ms,
                            if up && kind == "game" { 10 + 40 * (i % 2) } else { 10 },
                            100,
                        ),
                    }
                }
            }
            let both = own.score(NOW).unwrap();
            lock(&own.state).scored = Scored::Down;
            let down = own.score(NOW).unwrap();
            if kind == "game" {
                assert!(both.value < down.value, "{both:?} {down:?}");
                continue;
            }
            let (of_down, of_up) = (both.down.unwrap(), both.up.unwrap());
            assert_eq!((of_down > of_up, both.value), (lost_up, of_down.min(of_up)), "{both:?}");
            assert_eq!((down.value, down.down, down.up), (of_down, Some(of_down), None));
        }
    }

    /// A direction in which nothing was sent has no score.
    #[test]
    fn a_call_that_is_sent_down_alone_has_no_score_upwards() {
        let own = udp("kind = \"voip\"");
        (0..100).for_each(|i| passed(&own, false, 20_000 + 20 * i, 10, 100));
        let score = own.score(NOW).unwrap();
        assert_eq!((score.down, score.up), (Some(score.value), None));
    }

    /// 30 frames each second, in virtual time: those that are sent from 24 s on are lost, half of the window. Frames at
    /// its beginning are coded from an I frame before it.
    #[test]
    fn frames_in_the_window_have_their_references_before_it() {
        let own = udp("kind = \"video\"");
        let mut state = lock(&own.state);
        let mut wanted = Vec::new();
        state.tell(0, &mut wanted, |user, io| user.start(io));
        while let Some((at, key)) = state.timers.due(NOW) {
            state.tell(at, &mut wanted, |user, io| user.timer(at, key, io));
            let mut more = Vec::new();
            for one in wanted.drain(..).filter(|_| at < 24 * SECOND) {
                state.tell(at, &mut more, |user, io| user.datagram(one.up, one.bytes, one.tag, io));
            }
        }
        drop(state);
        let rate = own.score(NOW).unwrap().value;
        // B frames at the end lack the reference after them.
        let ends = super::super::fixture::ends("kind = \"video\"");
        let mut trace = AppMeter::new(&ends.app, &ends.scenario).finish(60 * SECOND).0;
        own.finish(&mut trace, &mut AppReport::default());
        let frames = trace.frames;
        let sent =
            |from: u64| frames.iter().filter(move |f| (from * SECOND..24 * SECOND).contains(&f.sent_ns));
        let last = sent(0).rev().take_while(|f| f.kind == FrameKind::B).count();
        assert!(sent(19).count() >= 149 && last <= 3 && sent(19).next().unwrap().kind != FrameKind::I);
        assert!((rate - (sent(19).count() - last) as f64 / 10.0).abs() < 1e-9, "{rate}, {last}");
    }

    /// Each direction has its numbers; one that fails is over, and counts nothing more.
    #[test]
    fn directions_are_numbered_and_fail_apart() {
        let own = udp("kind = \"ping\"\nstop = \"50s\"");
        let sent = |up| lock(&own.state).sent(up, 100, SECOND);
        assert_eq!([sent(false), sent(false), sent(true)], [Some(0), Some(1), Some(0)]);
        lock(&own.state).failed[1] = true;
        assert_eq!([sent(true), sent(false)], [None, Some(2)]);
        lock(&own.state).received(true, 100, SECOND, SECOND + 7 * MS);
        lock(&own.state).late_ns.record(3 * MS);
        let ends = super::super::fixture::ends("kind = \"ping\"\nstop = \"50s\"");
        let mut trace = AppMeter::new(&ends.app, &ends.scenario).finish(60 * SECOND).0;
        (trace.down.under_way, trace.up.under_way) = (5, 7);
        let mut report = AppReport::default();
        own.finish(&mut trace, &mut report);
        let of = |stream: &airtab_sim::StreamTrace| (stream.sent, stream.received, stream.under_way);
        assert_eq!((of(&trace.down), of(&trace.up)), ((3, 0, 5), (1, 1, 7)));
        assert_eq!(trace.up.deliveries, [Delivery { sent_ns: SECOND, received_ns: SECOND + 7 * MS }]);
        assert_eq!(report.late.count, 1);
    }

    /// Records of packets are dropped 20 s after a packet was sent, or arrived.
    #[test]
    fn what_is_old_is_forgotten() {
        let own = udp("kind = \"udp\"\nrate = \"1Mb/s\"");
        let held = || {
            let state = lock(&own.state);
            [state.recent_sent[0].len(), state.recent[0].len(), state.recent_bytes.len()]
        };
        passed(&own, false, 1_000, 100, 10);
        passed(&own, false, 20_900, 100, 10);
        assert_eq!(held(), [2; 3]);
        passed(&own, false, 21_001, 0, 10);
        assert_eq!(held(), [2, 2, 3], "it arrived 19.9 s ago");
        passed(&own, false, 21_101, 0, 10);
        assert_eq!(held(), [3; 3]);
    }

    /// To the nanosecond: 20 s are not too old, and each record has its own age.
    #[test]
    fn records_of_twenty_seconds_are_kept() {
        for (later, held) in [(0, [2; 3]), (1, [1; 3])] {
            let own = udp("kind = \"udp\"\nrate = \"1Mb/s\"");
            passed(&own, false, 1_000, 0, 10);
            let mut state = lock(&own.state);
            let now = 21_000 * MS + later;
            state.sent(false, 10, now).unwrap();
            state.received(false, 10, now, now);
            let told = [state.recent_sent[0].len(), state.recent[0].len(), state.recent_bytes.len()];
            assert_eq!((told, state.recent_sent[1].len()), (held, 0));
        }
    }

    /// A capture without downlink packets is scored by its uplink: 1600 and 5000 bytes less 28 of headers in 10 s.
    #[test]
    fn a_capture_that_goes_up_alone_is_judged_upwards() {
        use airtab_sim::traffic::Replay;
        use airtab_sim::traffic::trace::{Packet, Packets};
        for (ways, bps) in [(&[true, true][..], 3977.6), (&[true, false], 1257.6), (&[false, false], 1257.6)]
        {
            let mut ends = super::super::fixture::ends("kind = \"ping\"");
            let packets = (0..).zip(ways).map(|(at_ns, up)| Packet { at_ns, bytes: 60, up: *up });
            ends.app.kind = Replay::once(Packets::new(packets.collect()).unwrap()).into();
            let own = Udp { state: Mutex::new(State::new(&ends, 1)), ..udp("kind = \"ping\"") };
            passed(&own, false, 20_000, 5, 1600);
            passed(&own, true, 20_000, 5, 5000);
            assert_eq!(own.score(NOW).unwrap().value, bps, "{ways:?}");
        }
    }

    #[test]
    fn timers_are_due_in_the_order_of_time_and_making() {
        let mut timers = Timers::default();
        for (at, key) in [(5, 9), (5, 1), (3, 4), (6, 0)] {
            timers.set(at, key);
        }
        assert_eq!((timers.due(2), timers.next_ns()), (None, Some(3)));
        assert_eq!(
            [timers.due(5), timers.due(5), timers.due(5), timers.due(5)],
            [Some((3, 4)), Some((5, 9)), Some((5, 1)), None]
        );
    }
}
