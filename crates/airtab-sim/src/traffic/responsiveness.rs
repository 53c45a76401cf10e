// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A test of responsiveness: transfers that fill the way, and probes beside and on them.
//!
//! Source: draft-ietf-ippm-responsiveness; its course is `airtab_quality::rpm`'s, which `airtab rpm` runs too. Idle probes
//! come first, 20 of them, then each direction, with a second of calm between two. A connection has TCP's handshake and
//! TLS 1.3's, of one round trip. A foreign probe opens one and asks for one byte; a self probe asks on a loaded one: its
//! request, up, or its answer, down, goes behind what the sender has sent and 80 KiB that its host holds.
//!
//! What it does not do: nobody computes anything (a real TLS handshake takes half a millisecond); connections end without
//! a word on the wire; and when 128 probes wait, the next ones are left out.

use std::collections::VecDeque;

use airtab_core::time::{MS, SECOND};
use airtab_quality::rpm::{Foreign, Outcome, Parameters, Test, Want};

use super::{Application, Broken, Io, Kind, Progress, Seen, Setting};
use crate::engine::Stream;
use crate::tcp::Algorithm;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Responsiveness {
    /// Down is tested.
    pub down: bool,
    /// Up is tested, after it.
    pub up: bool,
    /// Congestion control of its connections.
    pub congestion: Algorithm,
}

/// Idle probes, and from the end of one to the next, ns: as `airtab rpm` has them.
pub const IDLE: usize = 20;
const IDLE_GAP_NS: u64 = 50 * MS;
/// Between two directions, ns.
const CALM_NS: u64 = SECOND;
/// TLS: what the client says first, and what the server answers, bytes, with a small certificate.
const HELLO: u64 = 280;
const FLIGHT: u64 = 900;
/// A request on a new connection, with the end of TLS's handshake and the beginning of HTTP/2; on an open one.
const REQUEST: u64 = 260;
const NEXT_REQUEST: u64 = 60;
/// What is answered on a new connection, each in a packet of its own, as servers write it: settings, a window, an
/// acknowledgement of settings, the answer's head, its byte.
const ANSWERS: [u64; 5] = [55, 35, 31, 84, 39];
/// The answer on an open one: head and byte.
const ANSWER: u64 = ANSWERS[3] + ANSWERS[4];
/// What a host holds of a stream that TCP has not sent, bytes, as `airtab rpm` on Linux: 32 KiB of TCP on the mean (`TCP_NOTSENT_LOWAT` of 16
/// is looked at once a buffer of 64 is full; by ss), 16 of TLS, and two frames of HTTP/2, 16 each, which are not divided.
const HELD: u64 = 80 << 10;
/// Foreign probes at a time.
const SLOTS: u16 = 128;
/// Flows of the load.
const LOADS: u16 = Parameters::DRAFT.most;

/// One direction's test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestTrace {
    /// Whose.
    pub user: u32,
    /// From the station.
    pub up: bool,
    /// Handshakes before there was a load, ns.
    pub idle_ns: Vec<u64>,
    /// What it came to.
    pub outcome: Outcome,
}

impl Kind for Responsiveness {
    type Application = Tester;
    const PORT: u16 = 4043;
    /// Its connections come and go: nobody asks how evenly they share.
    const VOLUMES: bool = false;

    fn check(&self) -> Result<(), Broken> {
        Broken::unless(self.down || self.up, "direction", "down, up or both")
    }

    fn flows(&self) -> u16 {
        LOADS + SLOTS
    }

    fn congestion(&self, _: Algorithm) -> Option<Algorithm> {
        Some(self.congestion)
    }

    fn user(&self, setting: &Setting) -> Tester {
        let ways = [(false, self.down), (true, self.up)];
        Tester {
            draws: setting.draws(),
            ways: ways.into_iter().filter(|(_, asked)| *asked).map(|(up, _)| up).collect(),
            idle: Vec::with_capacity(IDLE),
            phase: Phase::Idle,
            loads: Vec::with_capacity(LOADS.into()),
            probes: vec![None; SLOTS.into()],
            wake: u64::MAX,
            now: 0,
            tests: Vec::with_capacity(2),
        }
    }
}

/// One user's test, and its server.
pub struct Tester {
    draws: Stream,
    /// Directions that are not tested yet: whether up.
    ways: VecDeque<bool>,
    idle: Vec<Foreign>,
    phase: Phase,
    loads: Vec<Load>,
    probes: Vec<Option<Probe>>,
    /// When its timer comes.
    wake: u64,
    /// When it was told something last.
    now: u64,
    tests: Vec<TestTrace>,
}

#[derive(Debug)]
enum Phase {
    Idle,
    Load { up: bool, test: Box<Test> },
    Calm,
}

/// How far a connection is: who waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Opening,
    Hello,
    Flight,
    Request,
    /// What was asked for is under way.
    Answered,
}

/// A connection up to its request.
#[derive(Clone, Copy, Debug)]
struct Handshake {
    stage: Stage,
    /// When the stage before was over at the client, ns.
    since: u64,
    tcp_ns: u64,
    tls_ns: u64,
}

impl Handshake {
    /// Opens the connection of a flow.
    fn open(flow: u16, io: &mut Io) -> Handshake {
        io.open(flow, 0, 0);
        Handshake { stage: Stage::Opening, since: io.now(), tcp_ns: 0, tls_ns: 0 }
    }

    /// It came further; `request`: bytes that it asks with; `answers`: what comes back, write by write.
    fn progress(&mut self, flow: u16, at: &Progress, request: u64, answers: &[u64], io: &mut Io) {
        loop {
            let (next, up, writes) = match self.stage {
                Stage::Opening if at.established => (Stage::Hello, true, &[HELLO][..]),
                Stage::Hello if at.at_server >= HELLO => (Stage::Flight, false, &[FLIGHT][..]),
                Stage::Flight if at.at_client >= FLIGHT => (Stage::Request, true, &[request][..]),
                Stage::Request if at.at_server >= HELLO.saturating_add(request.min(REQUEST)) => {
                    (Stage::Answered, false, answers)
                }
                _ => return,
            };
            let took = io.now() - self.since;
            match self.stage {
                Stage::Opening => (self.tcp_ns, self.since) = (took, io.now()),
                Stage::Flight => (self.tls_ns, self.since) = (took, io.now()),
                _ => {}
            }
            self.stage = next;
            writes.iter().for_each(|bytes| io.write(flow, up, *bytes));
        }
    }
}

/// A foreign probe.
type Probe = Handshake;

/// A load-generating connection.
#[derive(Debug)]
struct Load {
    handshake: Handshake,
    last: Progress,
    /// Bytes that the client, and the server, have written or will have by the last of its probes.
    written: [u64; 2],
    probes: VecDeque<Own>,
}

/// A self probe.
#[derive(Debug)]
struct Own {
    asked_ns: u64,
    /// It is at the server when so many bytes are.
    at_server: u64,
    /// And its answer at the client, once the server has the request.
    at_client: Option<u64>,
}

impl Load {
    /// Bytes that it has moved.
    fn moved(&self, up: bool) -> u64 {
        if up { self.last.at_server.saturating_sub(HELLO) } else { self.last.at_client.saturating_sub(FLIGHT) }
    }

    fn is_moving(&self) -> bool {
        self.handshake.stage == Stage::Answered
    }

    /// Asks for one byte.
    fn ask(&mut self, flow: u16, up: bool, io: &mut Io) {
        if up {
            self.written[0] = self.written[0].max(self.last.sent_up + HELD) + NEXT_REQUEST;
        } else {
            self.written[0] += NEXT_REQUEST;
            io.write(flow, true, NEXT_REQUEST);
        }
        self.probes.push_back(Own { asked_ns: io.now(), at_server: self.written[0], at_client: None });
    }

    /// It came further: what self probes took that are over.
    fn progress(&mut self, flow: u16, up: bool, at: &Progress, io: &mut Io, mut over: impl FnMut(u64)) {
        self.last = *at;
        let (request, answers) = if up { (u64::MAX, &[][..]) } else { (REQUEST, &[u64::MAX][..]) };
        self.handshake.progress(flow, at, request, answers, io);
        for probe in self.probes.iter_mut().filter(|probe| probe.at_client.is_none()) {
            if at.at_server < probe.at_server {
                break;
            }
            if up {
                self.written[1] += ANSWER;
                io.write(flow, false, ANSWER);
            } else {
                self.written[1] = self.written[1].max(at.sent_down + HELD) + ANSWER;
            }
            probe.at_client = Some(self.written[1]);
        }
        while self.probes.front().is_some_and(|probe| probe.at_client.is_some_and(|end| at.at_client >= end)) {
            over(self.probes.pop_front().map_or(0, |probe| io.now() - probe.asked_ns));
        }
    }
}

/// Sends a foreign probe, if a place is free.
fn probe(places: &mut [Option<Probe>], io: &mut Io) {
    if let Some(free) = places.iter().position(Option::is_none) {
        places[free] = Some(Handshake::open(LOADS + free as u16, io));
    }
}

impl Tester {
    /// Does what the test wants now.
    fn run(&mut self, io: &mut Io) {
        let Phase::Load { up, test } = &mut self.phase else { return };
        let (now, up) = (io.now(), *up);
        while let Some(want) = test.poll(now, self.loads.iter().map(|load| load.moved(up)).sum()) {
            match want {
                Want::Load => {
                    let handshake = Handshake::open(self.loads.len() as u16, io);
                    let written = if up { [HELLO, FLIGHT] } else { [HELLO + REQUEST, FLIGHT] };
                    let (last, probes) = (Progress::default(), VecDeque::new());
                    self.loads.push(Load { handshake, last, written, probes });
                }
                Want::Probes => {
                    let moving = self.loads.iter().filter(|load| load.is_moving()).count() as u64;
                    if moving > 0 {
                        let nth = self.draws.below(moving) as usize;
                        let mut all = (0..).zip(&mut self.loads).filter(|(_, load)| load.is_moving());
                        all.nth(nth).into_iter().for_each(|(flow, load)| load.ask(flow, up, io));
                    }
                    probe(&mut self.probes, io);
                }
                Want::End => {
                    let outcome = test.outcome(now);
                    self.end(up, outcome, io);
                    return;
                }
            }
        }
        let next = test.next();
        self.wake_at(next, io);
    }

    /// A direction is over: its connections carry nothing any more.
    fn end(&mut self, up: bool, outcome: Outcome, io: &mut Io) {
        self.keep(up, outcome);
        (0..).zip(self.loads.drain(..)).for_each(|(flow, _)| io.open(flow, 0, 0));
        self.probes.fill(None);
        self.phase = Phase::Calm;
        if !self.ways.is_empty() {
            self.wake_at(io.now() + CALM_NS, io);
        }
    }

    fn keep(&mut self, up: bool, outcome: Outcome) {
        let idle_ns = self.idle.iter().map(|probe| probe.tcp_ns).collect();
        self.tests.push(TestTrace { user: 0, up, idle_ns, outcome });
    }

    /// The next direction.
    fn begin(&mut self, io: &mut Io) {
        if let Some(up) = self.ways.pop_front() {
            self.phase = Phase::Load { up, test: Box::new(Test::new(Parameters::DRAFT, io.now())) };
            self.run(io);
        }
    }

    /// A timer, unless an earlier one comes.
    fn wake_at(&mut self, at: u64, io: &mut Io) {
        if at < self.wake {
            self.wake = at;
            io.timer(at, 0);
        }
    }
}

impl Application for Tester {
    fn start(&mut self, io: &mut Io) {
        self.now = io.now();
        probe(&mut self.probes, io);
    }

    fn timer(&mut self, due: u64, _: u16, io: &mut Io) {
        self.now = io.now();
        if due >= self.wake {
            self.wake = u64::MAX;
        }
        match self.phase {
            Phase::Idle if self.idle.len() < IDLE => probe(&mut self.probes, io),
            Phase::Idle | Phase::Calm => self.begin(io),
            Phase::Load { .. } => self.run(io),
        }
    }

    fn progress(&mut self, flow: u16, at: &Progress, io: &mut Io) {
        self.now = io.now();
        let now = io.now();
        if let Some(load) = self.loads.get_mut(usize::from(flow)) {
            if let Phase::Load { up, test } = &mut self.phase {
                load.progress(flow, *up, at, io, |took_ns| test.own(now, took_ns));
            }
            return;
        }
        let slot = flow.checked_sub(LOADS).and_then(|slot| self.probes.get_mut(usize::from(slot)));
        let Some(Some(probe)) = slot else { return };
        probe.progress(flow, at, REQUEST, &ANSWERS, io);
        let whole = FLIGHT + ANSWERS.iter().sum::<u64>();
        if probe.stage != Stage::Answered || at.at_client < whole {
            return;
        }
        let took = Foreign { tcp_ns: probe.tcp_ns, tls_ns: Some(probe.tls_ns), http_ns: now - probe.since };
        self.probes[usize::from(flow - LOADS)] = None;
        match &mut self.phase {
            Phase::Idle => {
                self.idle.push(took);
                self.wake_at(now + IDLE_GAP_NS, io);
            }
            Phase::Load { test, .. } => test.foreign(now, took),
            Phase::Calm => {}
        }
    }

    fn seen(&mut self) -> Seen {
        // Its time was over before the test was.
        if let Phase::Load { up, test } = std::mem::replace(&mut self.phase, Phase::Calm) {
            self.keep(up, test.outcome(self.now));
        }
        Seen { tests: std::mem::take(&mut self.tests), ..Seen::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Action;

    fn tester(down: bool, up: bool) -> Tester {
        let setting = Setting { seed: 1, app: "rpm", user: 0, users: 1, active_ns: 0, phase_ns: None, outstanding: 2 };
        Responsiveness { down, up, congestion: Algorithm::Cubic }.user(&setting)
    }

    fn actions(io: &mut Io) -> Vec<Action> {
        std::iter::from_fn(|| io.poll()).collect()
    }

    fn at(established: bool, at_server: u64, at_client: u64) -> Progress {
        Progress { established, at_server, at_client, ..Progress::default() }
    }

    /// TCP, TLS of one round trip, a request: three round trips, each timed at the client.
    #[test]
    fn a_foreign_probe_step_by_step() {
        let (mut own, mut io, flow) = (tester(true, false), Io::default(), LOADS);
        own.start(io.at(100));
        assert_eq!(actions(&mut io), [Action::Open { flow, down: 0, up: 0 }]);
        let mut step = |now, progress: Progress| {
            own.progress(flow, &progress, io.at(now));
            actions(&mut io)
        };
        assert_eq!(step(110, at(true, 0, 0)), [Action::Write { flow, up: true, bytes: HELLO }]);
        assert_eq!(step(116, at(true, HELLO - 1, 0)), [], "not all of it");
        assert_eq!(step(117, at(true, HELLO, 0)), [Action::Write { flow, up: false, bytes: FLIGHT }]);
        assert_eq!(step(130, at(true, HELLO, FLIGHT)), [Action::Write { flow, up: true, bytes: REQUEST }]);
        let asked = HELLO + REQUEST;
        let answers = ANSWERS.map(|bytes| Action::Write { flow, up: false, bytes });
        assert_eq!(step(140, at(true, asked, FLIGHT)), answers);
        let whole = FLIGHT + 244;
        assert_eq!(step(150, at(true, asked, whole - 1)), [], "not all of it");
        let next = Action::Timer { at: 160 + IDLE_GAP_NS, key: 0 };
        assert_eq!(step(160, at(true, asked, whole)), [next]);
        assert_eq!(own.idle, [Foreign { tcp_ns: 10, tls_ns: Some(20), http_ns: 30 }]);
    }

    /// Its answer, down, and its request, up, go behind what was sent and what the host holds.
    #[test]
    fn self_probes_wait_behind_what_was_sent() {
        let (mut io, flow) = (Io::default(), 0);
        for up in [false, true] {
            let handshake = Handshake { stage: Stage::Answered, since: 0, tcp_ns: 0, tls_ns: 0 };
            let written = if up { [HELLO, FLIGHT] } else { [HELLO + REQUEST, FLIGHT] };
            let last = Progress { sent_up: 50_000, ..Progress::default() };
            let mut load = Load { handshake, last, written, probes: VecDeque::new() };
            load.ask(flow, up, io.at(1000));
            let mut over = Vec::new();
            let mut step = |now, at_server, at_client, io: &mut Io| {
                let at = Progress { established: true, at_server, at_client, sent_down: 90_000, sent_up: 99_000 };
                load.progress(flow, up, &at, io.at(now), |ns| over.push(ns));
                actions(io)
            };
            if up {
                let there = 50_000 + HELD + NEXT_REQUEST;
                assert_eq!(step(1005, there - 1, FLIGHT, &mut io), []);
                assert_eq!(step(1010, there, FLIGHT, &mut io), [Action::Write { flow, up: false, bytes: ANSWER }]);
                step(1020, there, FLIGHT + ANSWER, &mut io);
            } else {
                let there = HELLO + REQUEST + NEXT_REQUEST;
                let asked = Action::Write { flow, up: true, bytes: NEXT_REQUEST };
                assert_eq!(step(1010, there, 0, &mut io), [asked], "the answer is a part of what has no end");
                step(1015, there, 90_000 + HELD + ANSWER - 1, &mut io);
                step(1020, there, 90_000 + HELD + ANSWER, &mut io);
            }
            assert_eq!(over, [20], "up: {up}");
        }
    }

    #[test]
    fn a_test_that_its_time_ends_is_kept() {
        let (mut own, mut io) = (tester(false, true), Io::default());
        assert_eq!(own.seen(), Seen::default(), "no direction was begun");
        own.begin(io.at(5 * SECOND));
        assert_eq!(actions(&mut io)[0], Action::Open { flow: 0, down: 0, up: 0 });
        own.timer(6 * SECOND, 0, io.at(6 * SECOND));
        let seen = own.seen();
        assert_eq!((seen.tests.len(), seen.tests[0].up), (1, true));
        assert_eq!((seen.tests[0].outcome.took_ns, seen.tests[0].outcome.connections), (SECOND, 2));
    }
}
