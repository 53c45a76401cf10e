// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Applications and flows under way.

use std::ops::Range;

use airtab_core::Key;

use crate::engine::{NEVER, Stream};
use crate::histogram::Histogram;
use crate::meter::AppMeter;
use crate::net::address::{self, FiveTuple, Protocol};
use crate::scenario::{App, Scenario};
use crate::tcp::{Config, Endpoint, Stats};
use crate::trace::{AppTrace, SenderTrace, delays};
use crate::traffic::{Application, Progress, Seen, Setting, User};
use crate::volume::Volumes;
use crate::world::{Home, HomeHost, NodeId};

/// A flow: a server, a station, a five-tuple.
pub(crate) struct Flow {
    pub(crate) app: u16,
    /// Which of all users, and which of his flows.
    pub(crate) user: u32,
    pub(crate) number: u16,
    pub(crate) server: NodeId,
    /// Where what goes down begins: at the server, or at the access point.
    pub(crate) source: NodeId,
    pub(crate) station: NodeId,
    /// Senders that queues tell apart: of what goes down, of what goes up.
    pub(crate) senders: [u32; 2],
    pub(crate) class: u8,
    /// What all of its packets carry.
    dscp: u8,
    /// The hash that disciplines see.
    pub(crate) hash: u32,
    /// Which connection this is: packets of an earlier one go to nobody.
    pub(crate) life: u16,
    pub(crate) connection: Option<Connection>,
    tuple: FiveTuple,
    /// What queues see instead of `tuple`: the tunnel's.
    outer: Option<FiveTuple>,
    /// What a classifier sees of the packets that it sends now, down and up.
    keys: [Key; 2],
}

impl Flow {
    /// Flow number `i` of the scenario: the flow `own` of (application, user, number), between the server and the station of those numbers.
    /// Each has an address of its own, whoever shares the server's link.
    pub(crate) fn new(
        i: u16,
        own: (u16, u32, u16),
        app: &App,
        (home, server, station): (Home, u16, u16),
        key: u64,
    ) -> Flow {
        let (app_number, user, number) = own;
        let client = address::computer(station, app.computer);
        let tuple = FiveTuple {
            source: (address::server(i), app.kind.port()),
            destination: (client, FIRST_PORT + i % PORTS),
            protocol: app.kind.protocol(),
        };
        // One for all flows of the application to that computer.
        let outer = app.tunnel.then(|| FiveTuple {
            source: (address::server(app_number), TUNNEL_PORT),
            destination: (client, TUNNEL_PORT),
            protocol: Protocol::Udp,
        });
        let [server, station] =
            [HomeHost::Server(server), HomeHost::Station(station)].map(|host| home.node(host));
        let source = if app.kind.saturates(false) { home.gateway(app.servers) } else { server };
        // Nodes have numbers below 2^24.
        let senders = [source.0, u32::from(app.computer - 1) << 24 | station.0];
        let mut flow = Flow {
            app: app_number,
            user,
            number,
            server,
            source,
            station,
            senders,
            class: app.class,
            dscp: app.access.dscp(),
            hash: 0,
            life: 0,
            connection: None,
            tuple,
            outer,
            keys: Default::default(),
        };
        flow.show(key);
        flow
    }

    /// A new connection takes the place of the last one: another client port,
    /// so another flow to everybody who looks.
    pub(crate) fn reopen(&mut self, mut connection: Connection, key: u64) {
        if let Some(old) = self.connection.take() {
            connection.server.endpoint.adopt(old.server.endpoint);
            connection.client.endpoint.adopt(old.client.endpoint);
        }
        self.life = self.life.wrapping_add(1);
        let port = &mut self.tuple.destination.1;
        *port = FIRST_PORT + (*port - FIRST_PORT + 1) % PORTS;
        self.connection = Some(connection);
        self.show(key);
    }

    /// What queues see of its packets from now on.
    fn show(&mut self, key: u64) {
        let seen = self.outer.unwrap_or(self.tuple);
        self.hash = seen.flow(key);
        self.keys = [seen, seen.reversed()].map(|way| Key { dscp: self.dscp, ..way.key() });
    }

    /// What a classifier sees of the packets that it sends now.
    pub(crate) fn key(&self, up: bool) -> Key {
        self.keys[usize::from(up)]
    }

    /// Whether queues see its TCP headers.
    pub(crate) fn is_open(&self) -> bool {
        self.outer.is_none()
    }

    /// Five-tuple of the downlink of an earlier connection, or of this one.
    pub(crate) fn tuple(&self, life: u16) -> FiveTuple {
        let (address, port) = self.tuple.destination;
        let age = self.life.wrapping_sub(life) % PORTS;
        let port = FIRST_PORT + (port - FIRST_PORT + PORTS - age) % PORTS;
        FiveTuple { destination: (address, port), ..self.tuple }
    }
}

/// WireGuard's.
const TUNNEL_PORT: u16 = 51_820;
/// Ports that clients use: the dynamic ones (RFC 6335).
const FIRST_PORT: u16 = 49_152;
const PORTS: u16 = 16_384;

/// Both ends of a connection, with the timer event of each.
pub(crate) struct Connection {
    pub(crate) server: Socket,
    pub(crate) client: Socket,
}

/// A TCP endpoint and the time of its timer event, [`NEVER`] if none is under way.
pub(crate) struct Socket {
    pub(crate) endpoint: Endpoint,
    pub(crate) timer_at: u64,
    /// Time of its next transmission, [`NEVER`] if none is delayed.
    pub(crate) send_at: u64,
    /// What its sender had done when that was counted last.
    counted: Stats,
    /// Retransmissions and timeouts in the measured part.
    retransmits: u32,
    timeouts: u32,
}

impl Socket {
    fn new(endpoint: Endpoint) -> Socket {
        Socket {
            endpoint,
            timer_at: NEVER,
            send_at: NEVER,
            counted: Stats::default(),
            retransmits: 0,
            timeouts: 0,
        }
    }
}

impl Connection {
    /// A connection that the client opens; its server has `down` bytes to send, itself it has `up`. `configs`: the server's and
    /// the client's.
    pub(crate) fn open(configs: [Config; 2], down: u64, up: u64) -> Connection {
        let mut server = Endpoint::server(configs[0]);
        server.write(down);
        let mut client = Endpoint::client(configs[1]);
        client.open();
        client.write(up);
        let [server, client] = [server, client].map(Socket::new);
        Connection { server, client }
    }

    pub(crate) fn socket(&mut self, server: bool) -> &mut Socket {
        if server { &mut self.server } else { &mut self.client }
    }

    pub(crate) fn progress(&self) -> Progress {
        let (client, server) = (&self.client.endpoint, &self.server.endpoint);
        Progress {
            established: client.established(),
            at_server: server.delivered(),
            at_client: client.delivered(),
            sent_down: server.sent(),
            sent_up: client.sent(),
        }
    }
}

/// An entry of the scenario.
pub(crate) struct Running {
    pub(crate) app: App,
    /// Its users, and the flows of all of them.
    pub(crate) users: Range<u32>,
    pub(crate) flows: Range<u16>,
    pub(crate) active: bool,
    /// It is told what is over.
    pub(crate) saturates: bool,
    /// It is told how far its connections are.
    pub(crate) follows: bool,
    /// Hops of their way in a mesh, and what the slowest carries, bit/s.
    pub(crate) way: Option<(u32, u64)>,
    /// Their packets.
    pub(crate) meter: AppMeter,
    /// Their TCP senders: the servers', the stations'.
    tcp: [SenderTrace; 2],
    round_trips_ns: Histogram,
    /// What was acknowledged of its flows.
    pub(crate) volumes: Volumes,
}

/// One user of an entry.
pub(crate) struct Member {
    pub(crate) app: u16,
    /// His first flow.
    pub(crate) flow: u16,
    /// From the application's start until he begins, ns.
    pub(crate) after_ns: u64,
    pub(crate) user: User,
}

impl Member {
    pub(crate) fn new(number: u16, app: &App, flow: u16, setting: &Setting) -> Member {
        let after_ns = match app.users.within_ns {
            0 => 0,
            within => Stream::new(setting.seed, &format!("app/{}/begins", setting.name())).below(within),
        };
        Member { app: number, flow, after_ns, user: app.kind.user(setting) }
    }
}

/// Room for a scenario's users and flows, as many as there will be: twice a large crowd is much.
pub(crate) fn room(scenario: &Scenario) -> (Vec<Member>, Vec<Flow>) {
    let users = scenario.apps.iter().map(|app| app.users.count as usize).sum();
    (Vec::with_capacity(users), Vec::with_capacity(scenario.apps.iter().map(App::flows).sum()))
}

impl Running {
    pub(crate) fn new(app: &App, users: Range<u32>, flows: Range<u16>, scenario: &Scenario) -> Running {
        let (saturates, follows) = (app.kind.is_saturated(), app.kind.follows());
        let meter = AppMeter::new(app, scenario);
        let kept = app.kind.protocol() == Protocol::Tcp && app.kind.keeps_volumes();
        let connected = if kept { flows.len() } else { 0 };
        let volumes = Volumes::new(connected, scenario.duration_ns);
        let (way, app, tcp) = (scenario.way(app), app.clone(), Default::default());
        Running {
            app,
            users,
            flows,
            active: false,
            saturates,
            follows,
            way,
            meter,
            tcp,
            round_trips_ns: delays(2),
            volumes,
        }
    }

    /// An end of one of its connections has done what it had to do now.
    pub(crate) fn count(&mut self, server: bool, socket: &mut Socket, now: u64) {
        // Number by number: as a whole it would be read in pieces that had just been written as others.
        let (before, after) = (&socket.counted, socket.endpoint.counters());
        let (segments, acks) = (after.segments - before.segments, after.acks - before.acks);
        let (timeouts, retransmits) =
            (after.timeouts - before.timeouts, after.retransmits - before.retransmits);
        // Nothing else that is counted changes without one of these.
        if segments + acks + timeouts == 0 {
            return;
        }
        let srtt_sum_ns = after.srtt_sum_ns - before.srtt_sum_ns;
        let measured = after.round_trips > before.round_trips;
        let (round_trip, window) = (after.round_trip_ns, socket.endpoint.cwnd());
        socket.counted = *after;
        if !self.meter.measures(now) {
            return;
        }
        let all = &mut self.tcp[usize::from(!server)];
        all.segments += segments;
        all.retransmits += retransmits;
        all.timeouts += timeouts;
        all.acks += acks;
        all.srtt_sum_ns += srtt_sum_ns;
        all.most_window = all.most_window.max(window);
        if measured {
            self.round_trips_ns.record(round_trip); // one at a time
        }
        socket.retransmits += retransmits as u32; // at one time
        socket.timeouts += timeouts as u32;
        all.most_retransmits = all.most_retransmits.max(socket.retransmits.into());
        all.most_timeouts = all.most_timeouts.max(socket.timeouts.into());
    }

    /// Its trace with what its users saw, and the mean number of places that it held.
    pub(crate) fn finish(self, users: impl Iterator<Item = User>, now: u64) -> (AppTrace, f64) {
        let (mut trace, mean_packets) = self.meter.finish(now);
        let Seen { frames, pages, segments, tests } = Seen::of_all(users.map(|mut user| user.seen()));
        let acked = self.volumes.finish();
        for window in &mut trace.windows {
            (window.frames, window.pages, window.segments, window.tests) =
                (frames.clone(), pages.clone(), segments.clone(), tests.clone());
        }
        let (tcp, round_trips_ns) = (self.tcp, self.round_trips_ns);
        (AppTrace { frames, pages, segments, tests, tcp, round_trips_ns, acked, ..trace }, mean_packets)
    }
}
