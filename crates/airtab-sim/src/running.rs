//! Applications and flows under way.

use std::ops::Range;

use crate::engine::Stream;
use crate::net::Link;
use crate::net::address::{self, FiveTuple, Protocol};
use crate::scenario::{App, AppKind, Scenario};
use crate::trace::{
    AppTrace, AttemptTrace, FrameTrace, PageTrace, QueueTrace, SecondTrace, SegmentTrace, StreamTrace,
};
use crate::traffic::download::{self, Connection};
use crate::traffic::streaming::{self, Plan, Player};
use crate::traffic::web::{self, Visit};
use crate::traffic::{Constant, game, udp, video, voip};

/// A flow: a server with its access link, a station, a five-tuple.
pub(crate) struct Flow {
    pub(crate) app: u16,
    pub(crate) station: usize,
    pub(crate) class: u8,
    /// The hash that disciplines see.
    pub(crate) hash: u32,
    /// Which connection this is: packets of an earlier one go to nobody.
    pub(crate) life: u16,
    pub(crate) connection: Option<Connection>,
    pub(crate) access_down: Link,
    pub(crate) access_up: Link,
    tuple: FiveTuple,
}

impl Flow {
    /// Flow number `i` of the scenario, one of application `app`.
    pub(crate) fn new(i: u16, number: u16, app: &App, scenario: &Scenario, key: u64) -> Flow {
        let (port, protocol) = match app.kind {
            AppKind::Game => (game::PORT, Protocol::Udp),
            AppKind::Voip => (voip::PORT, Protocol::Udp),
            AppKind::Video { .. } => (video::PORT, Protocol::Udp),
            AppKind::Web => (web::PORT, Protocol::Tcp),
            AppKind::Udp { .. } => (udp::PORT, Protocol::Udp),
            AppKind::Streaming { .. } => (streaming::PORT, Protocol::Tcp),
            AppKind::Download { .. } | AppKind::Upload { .. } | AppKind::P2p { .. } => {
                (download::PORT, Protocol::Tcp)
            }
        };
        let tuple = FiveTuple {
            source: (address::server(i), port),
            destination: (address::station(app.station as u16), FIRST_PORT + i % PORTS),
            protocol,
        };
        let wired = &scenario.wired;
        let access = || Link::new(wired.rate_bps, app.latency_ns, wired.queue_packets);
        Flow {
            app: number,
            station: app.station,
            class: app.class,
            hash: tuple.flow(key),
            life: 0,
            connection: None,
            access_down: access(),
            access_up: access(),
            tuple,
        }
    }

    /// A new connection takes the place of the last one: another client port,
    /// so another flow to everybody who looks.
    pub(crate) fn reopen(&mut self, connection: Connection, key: u64) {
        self.life = self.life.wrapping_add(1);
        let port = &mut self.tuple.destination.1;
        *port = FIRST_PORT + (*port - FIRST_PORT + 1) % PORTS;
        self.hash = self.tuple.flow(key);
        self.connection = Some(connection);
    }

    /// Five-tuple of the downlink of an earlier connection, or of this one.
    pub(crate) fn tuple(&self, life: u16) -> FiveTuple {
        let (address, port) = self.tuple.destination;
        let age = self.life.wrapping_sub(life) % PORTS;
        let port = FIRST_PORT + (port - FIRST_PORT + PORTS - age) % PORTS;
        FiveTuple { destination: (address, port), ..self.tuple }
    }
}

/// Ports that clients use: the dynamic ones (RFC 6335).
const FIRST_PORT: u16 = 49_152;
const PORTS: u16 = 16_384;

/// Of [`SecondTrace`], ns.
const SECOND: u64 = 1_000_000_000;

/// An application.
pub(crate) struct Running {
    pub(crate) app: App,
    /// Its flows.
    pub(crate) flows: Range<u16>,
    pub(crate) active: bool,
    /// When it is measured.
    pub(crate) measure: Range<u64>,
    /// Offset of its first packets, down and up, ns.
    pub(crate) phase: [u64; 2],
    pub(crate) down: StreamTrace,
    pub(crate) up: StreamTrace,
    pub(crate) queue: QueueMeter,
    pub(crate) air_ns: u64,
    pub(crate) up_air_ns: u64,
    pub(crate) attempts: AttemptTrace,
    pub(crate) seconds: Vec<SecondTrace>,
    /// IP bytes of the downlink received so far.
    pub(crate) received_bytes: u64,
    /// Video: the next frame, and what became of the others.
    pub(crate) frames: Vec<FrameTrace>,
    /// UDP: when its packets are sent.
    pub(crate) source: Option<udp::Source>,
    /// Web: the page under way and its number, and the complete ones.
    pub(crate) visit: Option<Visit>,
    pub(crate) page: u32,
    pub(crate) pages: Vec<PageTrace>,
    /// Streaming: the player, and what it received.
    pub(crate) player: Option<Player>,
    pub(crate) segments: Vec<SegmentTrace>,
}

impl Running {
    pub(crate) fn new(app: &App, flows: Range<u16>, scenario: &Scenario, seed: u64) -> Running {
        let mut draws = Stream::new(seed, &format!("app/{}", app.name));
        let period = |up| match app.kind {
            AppKind::Video { .. } => video::PERIOD_NS,
            _ => constant(&app.kind, up).map_or(1, |s| s.period_ns),
        };
        let phase = [false, true].map(|up| draws.below(period(up)));
        // Room for everything that will be recorded: recording allocates nothing.
        let measure = app.measured(scenario);
        let measured = measure.end - measure.start;
        let stream = |up| StreamTrace {
            deliveries: Vec::with_capacity(
                constant(&app.kind, up).map_or(0, |s| (measured / s.period_ns) as usize + 2),
            ),
            ..StreamTrace::default()
        };
        let active = app.active_ns.end.min(scenario.duration_ns).saturating_sub(app.active_ns.start);
        let (frames, pages, segments) = match app.kind {
            AppKind::Video { .. } => ((active / video::PERIOD_NS) as usize + 2, 0, 0),
            AppKind::Web => (0, 4096, 0),
            // What was played, and what the buffer holds.
            AppKind::Streaming { segment_ns, buffer_ns, .. } => {
                (0, 0, ((active + buffer_ns) / segment_ns) as usize + 2)
            }
            _ => (0, 0, 0),
        };
        Running {
            app: app.clone(),
            flows,
            active: false,
            phase,
            down: stream(false),
            up: stream(true),
            queue: QueueMeter::new(measure.clone(), &scenario.measure_ns),
            measure,
            air_ns: 0,
            up_air_ns: 0,
            attempts: AttemptTrace::default(),
            seconds: vec![SecondTrace::default(); scenario.duration_ns.div_ceil(SECOND) as usize],
            received_bytes: 0,
            frames: Vec::with_capacity(frames),
            source: None,
            visit: None,
            page: 0,
            pages: Vec::with_capacity(pages),
            player: None,
            segments: Vec::with_capacity(segments),
        }
    }

    pub(crate) fn stream(&mut self, up: bool) -> &mut StreamTrace {
        if up { &mut self.up } else { &mut self.down }
    }

    pub(crate) fn air(&mut self, down: bool) -> &mut u64 {
        if down { &mut self.air_ns } else { &mut self.up_air_ns }
    }

    /// Whether each delivery is worth a record of its own.
    pub(crate) fn records_deliveries(&self) -> bool {
        constant(&self.app.kind, false).is_some()
    }

    /// The second that `now` lies in; None at the end of the run.
    pub(crate) fn second(&mut self, now: u64) -> Option<&mut SecondTrace> {
        self.seconds.get_mut((now / SECOND) as usize)
    }

    pub(crate) fn finish(self) -> AppTrace {
        AppTrace {
            name: self.app.name,
            kind: self.app.kind,
            measure_ns: self.measure,
            down: self.down,
            up: self.up,
            queue: self.queue.trace,
            air_ns: self.air_ns,
            up_air_ns: self.up_air_ns,
            attempts: self.attempts,
            seconds: self.seconds,
            frames: self.frames,
            pages: self.pages,
            segments: self.segments,
        }
    }
}

/// What the player of a streaming application is given.
pub(crate) fn plan(kind: &AppKind) -> Option<Plan<'_>> {
    match kind {
        AppKind::Streaming { ladder, segment_ns, buffer_ns, .. } => {
            Some(Plan { ladder, segment_ns: *segment_ns, buffer_ns: *buffer_ns })
        }
        _ => None,
    }
}

/// The constant stream of an application, if it has one.
pub(crate) fn constant(kind: &AppKind, up: bool) -> Option<Constant> {
    match kind {
        AppKind::Game => Some(if up { game::UP } else { game::DOWN }),
        AppKind::Voip => Some(voip::BOTH),
        _ => None,
    }
}

/// An application's places in the access point's queue over time.
pub(crate) struct QueueMeter {
    pub(crate) trace: QueueTrace,
    held: u64,
    since: u64,
    own: Area,
    /// In the scenario's measured part, if that is another one.
    common: Option<Area>,
}

/// Places held, times how long, within a part of the run.
struct Area {
    part: Range<u64>,
    area: u64,
}

impl Area {
    fn new(part: Range<u64>) -> Area {
        Area { part, area: 0 }
    }

    fn add(&mut self, held: u64, since: u64, now: u64) {
        let (from, to) = (since.max(self.part.start), now.min(self.part.end));
        self.area += held * to.saturating_sub(from);
    }

    fn mean(&self) -> f64 {
        self.area as f64 / (self.part.end - self.part.start) as f64
    }
}

impl QueueMeter {
    fn new(own: Range<u64>, common: &Range<u64>) -> QueueMeter {
        QueueMeter {
            trace: QueueTrace::default(),
            held: 0,
            since: 0,
            common: (own != *common).then(|| Area::new(common.clone())),
            own: Area::new(own),
        }
    }

    pub(crate) fn arrive(&mut self, now: u64) {
        self.change(now, self.held + 1);
    }

    pub(crate) fn leave(&mut self, now: u64) {
        self.change(now, self.held - 1);
    }

    /// At the end of the run: the mean number of places held in the scenario's
    /// measured part; that in its own one is in the trace.
    pub(crate) fn close(&mut self, now: u64) -> f64 {
        self.change(now, 0);
        self.trace.mean_packets = self.own.mean();
        self.common.as_ref().map_or(self.trace.mean_packets, Area::mean)
    }

    fn change(&mut self, now: u64, held: u64) {
        self.own.add(self.held, self.since, now);
        if let Some(common) = &mut self.common {
            common.add(self.held, self.since, now);
        }
        self.held = held;
        self.since = now;
    }
}
