//! Applications and flows under way.

use std::ops::Range;

use crate::engine::Stream;
use crate::meter::{AppMeter, constant};
use crate::net::address::{self, FiveTuple, Protocol};
use crate::scenario::{App, Scenario};
use crate::trace::{AppTrace, FrameTrace, PageTrace, SegmentTrace};
use crate::traffic::download::{self, Connection};
use crate::traffic::streaming::{self, Plan, Player};
use crate::traffic::web::{self, Visit};
use crate::traffic::{AppKind, Streaming, game, ping, udp, video, voip};
use crate::world::{Home, HomeHost, NodeId};

/// A flow: a server, a station, a five-tuple.
pub(crate) struct Flow {
    pub(crate) app: u16,
    pub(crate) server: NodeId,
    pub(crate) station: NodeId,
    pub(crate) class: u8,
    /// The hash that disciplines see.
    pub(crate) hash: u32,
    /// Which connection this is: packets of an earlier one go to nobody.
    pub(crate) life: u16,
    pub(crate) connection: Option<Connection>,
    tuple: FiveTuple,
}

impl Flow {
    /// Flow number `i` of the scenario, one of application `app`.
    pub(crate) fn new(i: u16, number: u16, app: &App, home: Home, key: u64) -> Flow {
        let (port, protocol) = match app.kind {
            AppKind::Game(_) => (game::PORT, Protocol::Udp),
            AppKind::Voip(_) => (voip::PORT, Protocol::Udp),
            AppKind::Video(_) => (video::PORT, Protocol::Udp),
            AppKind::Web(_) => (web::PORT, Protocol::Tcp),
            AppKind::Udp(_) => (udp::PORT, Protocol::Udp),
            AppKind::Ping(_) => (ping::PORT, Protocol::Udp),
            AppKind::Streaming(_) => (streaming::PORT, Protocol::Tcp),
            AppKind::Download(_) | AppKind::Upload(_) | AppKind::P2p(_) => (download::PORT, Protocol::Tcp),
        };
        let tuple = FiveTuple {
            source: (address::server(i), port),
            destination: (address::station(app.station as u16), FIRST_PORT + i % PORTS),
            protocol,
        };
        Flow {
            app: number,
            server: home.node(HomeHost::Server(i)),
            station: home.node(HomeHost::Station(app.station as u16)),
            class: app.class,
            hash: tuple.flow(key),
            life: 0,
            connection: None,
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

/// An application.
pub(crate) struct Running {
    pub(crate) app: App,
    /// Its flows.
    pub(crate) flows: Range<u16>,
    pub(crate) active: bool,
    /// Offset of its first packets, down and up, ns.
    pub(crate) phase: [u64; 2],
    /// Its packets.
    pub(crate) meter: AppMeter,
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
            AppKind::Video(_) => video::PERIOD_NS,
            _ => constant(&app.kind, up).map_or(1, |s| s.period_ns),
        };
        let phase = [false, true].map(|up| draws.below(period(up)));
        let active = app.active_ns.end.min(scenario.duration_ns).saturating_sub(app.active_ns.start);
        // Room for everything that will be recorded: recording allocates nothing.
        let (frames, pages, segments) = match app.kind {
            AppKind::Video(_) => ((active / video::PERIOD_NS) as usize + 2, 0, 0),
            AppKind::Web(_) => (0, 4096, 0),
            // What was played, and what the buffer holds.
            AppKind::Streaming(Streaming { segment_ns, buffer_ns, .. }) => {
                (0, 0, ((active + buffer_ns) / segment_ns) as usize + 2)
            }
            _ => (0, 0, 0),
        };
        Running {
            app: app.clone(),
            flows,
            active: false,
            phase,
            meter: AppMeter::new(app, scenario),
            frames: Vec::with_capacity(frames),
            source: None,
            visit: None,
            page: 0,
            pages: Vec::with_capacity(pages),
            player: None,
            segments: Vec::with_capacity(segments),
        }
    }

    /// Its trace, and the mean number of places that it held.
    pub(crate) fn finish(self, now: u64) -> (AppTrace, f64) {
        let (trace, mean_packets) = self.meter.finish(now);
        let (frames, pages, segments) = (self.frames, self.pages, self.segments);
        (AppTrace { frames, pages, segments, ..trace }, mean_packets)
    }
}

/// What the player of a streaming application is given.
pub(crate) fn plan(kind: &AppKind) -> Option<Plan<'_>> {
    match kind {
        AppKind::Streaming(Streaming { ladder, segment_ns, buffer_ns, .. }) => {
            Some(Plan { ladder, segment_ns: *segment_ns, buffer_ns: *buffer_ns })
        }
        _ => None,
    }
}
