// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What an application is to whoever runs it: a state machine without packets,
//! sockets or clock.
//!
//! A [`Kind`] is the configuration, plain data; each of its users runs an
//! [`Application`], which is both ends: the server and the client on a station.
//! It is told what happens and when, and says through [`Io`] what it wants. The
//! simulator carries that out on its wires, a live access point on sockets.
//!
//! ```
//! use airtab_sim::traffic::{Action, Application, AppKind, Game, Io, Setting};
//!
//! let setting = Setting { seed: 1, app: "game", user: 0, users: 1, active_ns: 1_000_000_000, phase_ns: None, outstanding: 2 };
//! let mut game = AppKind::from(Game).user(&setting);
//! let mut io = Io::default();
//! game.start(io.at(0)); // a timer for each direction
//! let Some(Action::Timer { at, key }) = io.poll() else { panic!("a timer") };
//! game.timer(at, key, io.at(at));
//! ```
//!
//! What it does not do: it counts no packets (`meter`) and scores nothing.

use std::fmt;

use super::responsiveness::TestTrace;
use super::streaming::SegmentTrace;
use super::video::FrameTrace;
use super::web::PageTrace;
use crate::engine::{Outbox, Stream};
use crate::tcp::Algorithm;

use super::Constant;

/// A kind of application, with its configuration.
pub trait Kind {
    /// What one user of it does.
    type Application: Application;

    /// Server port.
    const PORT: u16;

    /// Whether what still comes for a connection that a user has left counts as received.
    const COUNTS_LATE: bool = true;

    /// Whether it is kept what each of its flows had acknowledged in each second: of bulk flows, which are compared.
    const VOLUMES: bool = true;

    /// What must hold before it can run.
    ///
    /// # Errors
    /// Says what is wrong and what is allowed.
    fn check(&self) -> Result<(), Broken> {
        Ok(())
    }

    /// Flows that a user has at a time: TCP connections, or what his packets belong to.
    fn flows(&self) -> u16 {
        1
    }

    /// Congestion control of its TCP connections, where the scenario's is `default`; None: it speaks UDP.
    fn congestion(&self, _default: Algorithm) -> Option<Algorithm> {
        None
    }

    /// Whether it always has a packet to send, down or `up`, paced by [`Application::over`]. What it sends down begins
    /// at the access point, as wires would empty the queue there, or flood it.
    fn saturates(&self, _up: bool) -> bool {
        false
    }

    /// Whether its users look at [`Application::progress`]: those that do not are not told.
    fn follows(&self) -> bool {
        true
    }

    /// Its constant stream, down or `up`, if it has one.
    fn constant(&self, _up: bool) -> Option<Constant> {
        None
    }

    /// Packets that a user sends down, or `up`, within so long, where each delivery of them is worth a record of its own;
    /// None: a histogram tells of them. Those of a constant stream are.
    fn recorded(&self, up: bool, within_ns: u64) -> Option<u64> {
        self.constant(up).map(|stream| within_ns / stream.period_ns + 2)
    }

    /// The application of one user.
    fn user(&self, setting: &Setting) -> Self::Application;
}

/// A rule that an application breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What scenario files call that which is wrong.
    pub key: &'static str,
    /// What must hold.
    pub message: String,
}

impl Broken {
    /// Ok where the rule holds.
    ///
    /// # Errors
    /// Where it does not.
    pub fn unless(holds: bool, key: &'static str, message: impl Into<String>) -> Result<(), Broken> {
        if holds { Ok(()) } else { Err(Broken { key, message: message.into() }) }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

/// For whom an application runs.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Seed of the run.
    pub seed: u64,
    /// Name of its entry in the scenario.
    pub app: &'a str,
    /// Which of the entry's users.
    pub user: u32,
    /// How many there are.
    pub users: u32,
    /// For how long it will send, ns: there is to be room for what it records.
    pub active_ns: u64,
    /// When the first packets of his streams are sent after his start, ns, where it is not to be drawn.
    pub phase_ns: Option<u64>,
    /// Packets that a saturated source keeps in flight, to the end of their last attempt.
    pub outstanding: usize,
}

/// Records that there is room for from the start, of all users of an entry together: 9 hours of a video have fewer.
/// Beyond them it grows.
pub(crate) const ROOM: u64 = 1 << 20;

impl Setting<'_> {
    /// A name for random streams that no other user has; the first user has his entry's.
    pub fn name(&self) -> String {
        match self.user {
            0 => self.app.into(),
            user => format!("{}/user/{user}", self.app),
        }
    }

    /// Records that there is room for from the start, of `records` that he may make.
    pub(super) fn room(&self, records: u64) -> usize {
        records.min(ROOM / u64::from(self.users.max(1))) as usize
    }

    /// When the first packet of a stream of one packet each `period_ns` is sent, ns after the start: the next draw,
    /// if that is not fixed.
    pub fn phase(&self, draws: &mut Stream, period_ns: u64) -> u64 {
        self.phase_ns.unwrap_or_else(|| draws.below(period_ns))
    }

    /// The stream that a user's first draws come from.
    pub fn draws(&self) -> Stream {
        Stream::new(self.seed, &format!("app/{}", self.name()))
    }
}

/// What one user does, at both ends. Calls come in order of time.
pub trait Application {
    /// It begins.
    fn start(&mut self, io: &mut Io);

    /// A timer has come that was to come at `due`, ns; the time now may be later.
    fn timer(&mut self, due: u64, key: u16, io: &mut Io);

    /// A packet arrived at the station, or with `up` at the server. After the application's end,
    /// nothing that it wants happens any more.
    fn datagram(&mut self, _up: bool, _bytes: u32, _tag: u32, _io: &mut Io) {}

    /// The last attempt of a packet that it sent over the air is over, whether it arrived or not, or a queue `dropped`
    /// it: for kinds that saturate.
    fn over(&mut self, _dropped: bool, _io: &mut Io) {}

    /// Something arrived at an end of the connection of flow `flow`.
    fn progress(&mut self, _flow: u16, _at: &Progress, _io: &mut Io) {}

    /// Takes what it saw.
    fn seen(&mut self) -> Seen {
        Seen::default()
    }
}

/// How far a connection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The client knows that it is open.
    pub established: bool,
    /// Bytes that the server received in sequence.
    pub at_server: u64,
    /// Bytes that the client received in sequence.
    pub at_client: u64,
    /// Bytes that the server's TCP has sent, each counted once.
    pub sent_down: u64,
    /// The same of the client's.
    pub sent_up: u64,
}

/// What an application saw of itself, beside its packets: each list of one user's in
/// order of time. Who it was that saw it is its host's to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Video frames sent.
    pub frames: Vec<FrameTrace>,
    /// Web pages completed.
    pub pages: Vec<PageTrace>,
    /// Segments of a streamed video completed.
    pub segments: Vec<SegmentTrace>,
    /// Tests of responsiveness, by direction.
    pub tests: Vec<TestTrace>,
}

impl Seen {
    /// What users saw together: their pages in order of time, all else user by user.
    pub(crate) fn of_all(users: impl Iterator<Item = Seen>) -> Seen {
        let numbered = (0..).zip(users).map(|(user, mut one)| {
            one.frames.iter_mut().for_each(|frame| frame.user = user);
            one.segments.iter_mut().for_each(|segment| segment.user = user);
            one.tests.iter_mut().for_each(|test| test.user = user);
            one
        });
        let all = numbered.reduce(|mut all, one| {
            all.frames.extend(one.frames);
            all.pages.extend(one.pages);
            all.segments.extend(one.segments);
            all.tests.extend(one.tests);
            all
        });
        let mut all = all.unwrap_or_default();
        all.pages.sort_by_key(|page| page.done_ns);
        all
    }
}

/// Something that an application wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// To be called at a time.
    Timer {
        /// When, ns.
        at: u64,
        /// What it is told then.
        key: u16,
    },
    /// A UDP packet, over its first flow.
    Send {
        /// From the station; else from the server.
        up: bool,
        /// IP packet, bytes.
        bytes: u32,
        /// What its receiver is told of it.
        tag: u32,
    },
    /// A TCP connection, opened by the client, in the place of the flow's last one: another port of
    /// the client, so another flow to the access point. No end tells the other that the last one is left.
    Open {
        /// The flow.
        flow: u16,
        /// Bytes that the server has to send; `u64::MAX`: it never ends.
        down: u64,
        /// Bytes that the client has to send.
        up: u64,
    },
    /// More bytes to send over a connection.
    Write {
        /// Its flow.
        flow: u16,
        /// For the client; else for the server.
        up: bool,
        /// How many.
        bytes: u64,
    },
}

/// The time, and what an application wants, in order.
#[derive(Debug)]
pub struct Io {
    now: u64,
    actions: Outbox<Action>,
}

impl Default for Io {
    fn default() -> Io {
        // More than a frame of a video has packets.
        Io { now: 0, actions: Outbox::with_capacity(64) }
    }
}

impl Io {
    /// For a call at `now`, ns.
    pub fn at(&mut self, now: u64) -> &mut Io {
        self.now = now;
        self
    }

    /// The time, ns.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// See [`Action::Timer`].
    pub fn timer(&mut self, at: u64, key: u16) {
        self.actions.push(Action::Timer { at, key });
    }

    /// See [`Action::Send`].
    pub fn send(&mut self, up: bool, bytes: u32, tag: u32) {
        self.actions.push(Action::Send { up, bytes, tag });
    }

    /// See [`Action::Open`].
    pub fn open(&mut self, flow: u16, down: u64, up: u64) {
        self.actions.push(Action::Open { flow, down, up });
    }

    /// See [`Action::Write`].
    pub fn write(&mut self, flow: u16, up: bool, bytes: u64) {
        self.actions.push(Action::Write { flow, up, bytes });
    }

    /// Takes the next action; None: there is none.
    pub fn poll(&mut self) -> Option<Action> {
        self.actions.pop()
    }
}
