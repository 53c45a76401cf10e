//! Puts cell, wired links, TCP and traffic together and runs them.
//!
//! ```text
//! server --access link--+                        cell
//! server --access link--+--switch--trunk-- AP ~~~~~~~~ stations
//! ```
//! One event per packet on the wired side: an access link knows when a packet
//! reaches the switch; the trunk is FIFO, so what is on it waits in a list; the
//! way up is known as a whole when a packet leaves the cell.

use std::collections::VecDeque;

use airtab_core::{Handle, Meta, Params, Pool, Qdisc, Tcp};

use crate::engine::{EventQueue, NEVER, Stream};
use crate::net::Link;
use crate::net::address::{self, FiveTuple, Protocol};
use crate::scenario::{App, AppKind, Scenario};
use crate::tcp::Segment;
use crate::trace::{ApTrace, AppTrace, Delivery, QueueTrace, StreamTrace, Trace};
use crate::traffic::download::{self, Connection};
use crate::traffic::{Constant, game, voip};
use crate::wifi::{Cell, Output};

/// Runs a scenario under a discipline to its end.
///
/// # Panics
/// If the scenario or the parameters break a rule of theirs
/// ([`Scenario::check`], [`Params::check`]).
pub fn run(scenario: &Scenario, queue: &Params, seed: u64) -> Trace {
    let mut simulation = Simulation::new(scenario, queue, seed);
    simulation.advance(scenario.duration_ns);
    simulation.finish()
}

/// A run under way.
pub struct Simulation {
    now: u64,
    measure: std::ops::Range<u64>,
    events: EventQueue<Event>,
    pool: Pool<Body>,
    cell: Cell,
    trunk_down: Link,
    trunk_up: Link,
    /// Packets on the trunk and when they reach the access point.
    arriving: VecDeque<(u64, Handle)>,
    apps: Vec<Running>,
    /// From the flow of a packet to its application, in order of flows. Two
    /// applications whose hashes collide are one flow to every discipline.
    flows: Vec<(u32, u16)>,
    max_packets: u32,
    packets: Packets,
    fingerprint: u64,
}

/// Where the packets of a run went. At any time
/// `made == received + lost + dropped_ap + dropped_uplink + dropped_wired + inside`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packets {
    /// Sent by a server or a station.
    pub made: u64,
    /// Received at the other end.
    pub received: u64,
    /// Given up by a MAC after the last attempt.
    pub lost: u64,
    /// Dropped by the access point's discipline.
    pub dropped_ap: u64,
    /// Dropped by a station's uplink queue.
    pub dropped_uplink: u64,
    /// Dropped by a wired queue.
    pub dropped_wired: u64,
    /// On their way, counted where they are.
    pub inside: u64,
}

#[derive(Clone, Copy)]
enum Event {
    Start { app: u16 },
    Stop { app: u16 },
    Tick { app: u16, up: bool },
    Timer { app: u16, server: bool },
    AtSwitch(Handle),
    AtServer(Handle),
}

/// The host's part of a packet.
#[derive(Clone, Copy)]
struct Body {
    app: u16,
    up: bool,
    sent_ns: u64,
    queued_ns: u64,
    segment: Segment,
}

/// An application under way.
struct Running {
    app: App,
    flow: u32,
    /// Offset of its first packets, down and up, ns.
    phase: [u64; 2],
    active: bool,
    connection: Option<Connection>,
    access_down: Link,
    access_up: Link,
    down: StreamTrace,
    up: StreamTrace,
    queue: QueueMeter,
    air_ns: u64,
}

/// An application's places in the access point's queue over time.
#[derive(Default)]
struct QueueMeter {
    trace: QueueTrace,
    held: u64,
    since: u64,
    area: u64,
}

impl QueueMeter {
    fn change(&mut self, now: u64, measure: &std::ops::Range<u64>, held: u64) {
        let from = self.since.max(measure.start);
        let to = now.min(measure.end);
        self.area += self.held * to.saturating_sub(from);
        self.held = held;
        self.since = now;
    }
}

impl Simulation {
    /// Sets everything up at time 0. Panics as [`run`] does.
    pub fn new(scenario: &Scenario, queue: &Params, seed: u64) -> Simulation {
        scenario.check().expect("the scenario was checked before it is run");
        let pool = Pool::new();
        let wired = &scenario.wired;
        let trunk = || Link::new(wired.rate_bps, wired.trunk_ns, wired.queue_packets);
        let qdisc = Qdisc::new(&pool, queue, Stream::new(seed, "qdisc").below(u64::MAX), 0);
        let stations: Vec<_> =
            scenario.stations.iter().map(|s| (s.name.as_str(), s.rate_kbps, s.loss)).collect();
        let flow_key = Stream::new(seed, "flows").below(u64::MAX);
        let number = |i: usize| u16::try_from(i).expect("checked: at most 65535 applications");
        let apps: Vec<_> = (scenario.apps.iter().enumerate())
            .map(|(i, app)| Running::new(app, tuple(app, number(i)).flow(flow_key), scenario, seed))
            .collect();
        let mut flows: Vec<_> = apps.iter().enumerate().map(|(i, a)| (a.flow, number(i))).collect();
        flows.sort_unstable();
        let mut events = EventQueue::new();
        for (i, running) in apps.iter().enumerate() {
            events.push(running.app.active_ns.start, Event::Start { app: i as u16 });
        }
        Simulation {
            now: 0,
            measure: scenario.measure_ns.clone(),
            events,
            cell: Cell::new(scenario.cell.clone(), &stations, qdisc, seed),
            pool,
            trunk_down: trunk(),
            trunk_up: trunk(),
            arriving: VecDeque::with_capacity(wired.queue_packets + 1),
            apps,
            flows,
            max_packets: 0,
            packets: Packets::default(),
            fingerprint: 0xcbf2_9ce4_8422_2325,
        }
    }

    /// Lets everything happen that is due by `until`, ns.
    pub fn advance(&mut self, until: u64) {
        loop {
            let event = self.events.next_at();
            let arrival = self.arriving.front().map_or(NEVER, |a| a.0);
            let cell = self.cell.next_event();
            let at = event.min(arrival).min(cell);
            if at > until {
                break;
            }
            self.now = at;
            // At equal times: timers and wires first, then the channel.
            if at == event {
                let (_, event) = self.events.pop().expect("there is a next event");
                self.handle(event);
            } else if at == arrival {
                let (_, packet) = self.arriving.pop_front().expect("there is a next arrival");
                self.at_access_point(packet);
            } else {
                self.cell.advance(&mut self.pool, at);
            }
            self.drain_cell();
        }
        self.now = until;
    }

    /// The run's trace.
    pub fn finish(mut self) -> Trace {
        let window = self.measure.end - self.measure.start;
        let mut mean = 0.0;
        let apps = std::mem::take(&mut self.apps)
            .into_iter()
            .map(|mut running| {
                running.queue.change(self.now, &self.measure, 0);
                let mut queue = running.queue.trace;
                queue.mean_packets = running.queue.area as f64 / window as f64;
                mean += queue.mean_packets;
                AppTrace {
                    name: running.app.name,
                    kind: running.app.kind,
                    down: running.down,
                    up: running.up,
                    queue,
                    air_ns: running.air_ns,
                }
            })
            .collect();
        Trace {
            apps,
            ap: ApTrace {
                mean_packets: mean,
                max_packets: self.max_packets,
                counters: self.cell.queue().counters(),
                air: self.cell.air(self.now),
                wired_dropped: self.packets.dropped_wired,
                uplink_dropped: self.packets.dropped_uplink,
            },
            measure_ns: self.measure,
            fingerprint: self.fingerprint,
            exchanges: self.cell.exchanges(),
        }
    }

    /// Where the packets went so far.
    pub fn packets(&self) -> Packets {
        let wired = self.arriving.len() as u64 + self.packets.inside;
        let inside = wired + self.cell.held() as u64 + u64::from(self.cell.queue().len());
        Packets { inside, ..self.packets }
    }

    fn note(&mut self, what: u64, value: u64) {
        let word = self.now ^ what << 56 ^ value << 40;
        self.fingerprint = (self.fingerprint ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Start { app } => self.start(app),
            Event::Stop { app } => {
                self.note(2, app.into());
                self.apps[usize::from(app)].active = false;
                self.apps[usize::from(app)].connection = None;
            }
            Event::Tick { app, up } => self.tick(app, up),
            Event::Timer { app, server } => self.timer(app, server),
            Event::AtSwitch(packet) => {
                self.packets.inside -= 1;
                match self.trunk_down.send(self.now, self.pool.bytes(packet)) {
                    Some(at) => self.arriving.push_back((at, packet)),
                    None => self.drop_wired(packet),
                }
            }
            Event::AtServer(packet) => {
                self.packets.inside -= 1;
                self.receive(packet);
            }
        }
    }

    fn start(&mut self, app: u16) {
        self.note(1, app.into());
        let running = &mut self.apps[usize::from(app)];
        running.active = true;
        self.events.push(running.app.active_ns.end, Event::Stop { app });
        match running.app.kind {
            AppKind::Game | AppKind::Voip => {
                for up in [false, true] {
                    let at = self.now + running.phase[usize::from(up)];
                    self.events.push(at, Event::Tick { app, up });
                }
            }
            AppKind::Download { congestion } => {
                running.connection = Some(Connection::open(congestion));
                self.pump(app, false);
            }
        }
    }

    /// The next packet of a constant stream.
    fn tick(&mut self, app: u16, up: bool) {
        let running = &self.apps[usize::from(app)];
        if !running.active {
            return;
        }
        let stream = constant(running.app.kind, up).expect("only constant streams tick");
        self.events.push(self.now + stream.period_ns, Event::Tick { app, up });
        self.send(app, up, stream.bytes, Segment::default(), None);
    }

    fn timer(&mut self, app: u16, server: bool) {
        let Some(connection) = &mut self.apps[usize::from(app)].connection else { return };
        let socket = connection.socket(server);
        if socket.timer_at != self.now {
            return; // an earlier one took its place
        }
        socket.timer_at = NEVER;
        // The deadline may have moved on since the event was made.
        if socket.endpoint.next_timeout().is_some_and(|at| at <= self.now) {
            socket.endpoint.on_timeout(self.now);
        }
        self.pump(app, server);
    }

    /// Sends what an endpoint has to send and sees to its timer.
    fn pump(&mut self, app: u16, server: bool) {
        let now = self.now;
        loop {
            let Some(connection) = &mut self.apps[usize::from(app)].connection else { return };
            let Some(segment) = connection.socket(server).endpoint.poll_transmit(now) else { break };
            let tcp = Tcp {
                seq: segment.seq as u32,
                ack: segment.ack as u32,
                payload: segment.payload,
                window: segment.window,
                flags: segment.flags,
            };
            self.send(app, !server, segment.ip_bytes(), segment, Some(tcp));
        }
        let Some(connection) = &mut self.apps[usize::from(app)].connection else { return };
        let socket = connection.socket(server);
        if let Some(at) = socket.endpoint.next_timeout()
            && at < socket.timer_at
        {
            socket.timer_at = at.max(now);
            self.events.push(socket.timer_at, Event::Timer { app, server });
        }
    }

    /// An application sends a packet.
    fn send(&mut self, app: u16, up: bool, bytes: u32, segment: Segment, tcp: Option<Tcp>) {
        let running = &mut self.apps[usize::from(app)];
        let station = running.app.station;
        let meta = Meta {
            bytes,
            flow: running.flow,
            sta: station as u16,
            class: running.app.class,
            ecn: false,
            tcp,
        };
        let body = Body { app, up, sent_ns: self.now, queued_ns: 0, segment };
        let packet = self.pool.insert(meta, body);
        self.packets.made += 1;
        if self.measure.contains(&self.now) {
            running.stream(up).sent += 1;
        }
        if up {
            self.cell.send_up(&mut self.pool, station, packet, self.now);
        } else if let Some(at) = running.access_down.send(self.now, bytes) {
            self.packets.inside += 1;
            self.events.push(at, Event::AtSwitch(packet));
        } else {
            self.drop_wired(packet);
        }
    }

    fn at_access_point(&mut self, packet: Handle) {
        let body = self.pool.body_mut(packet);
        body.queued_ns = self.now;
        let app = body.app;
        let queue = &mut self.apps[usize::from(app)].queue;
        queue.change(self.now, &self.measure, queue.held + 1);
        if self.measure.contains(&self.now) {
            queue.trace.arrived += 1;
        }
        self.note(3, app.into());
        self.cell.send_down(&mut self.pool, packet, self.now);
        self.max_packets = self.max_packets.max(self.cell.queue().len());
    }

    fn drain_cell(&mut self) {
        while let Some(output) = self.cell.poll() {
            match output {
                Output::Down(packet) => self.receive(packet),
                Output::Up(packet) => self.forward_up(packet),
                Output::Lost(packet) => {
                    self.packets.lost += 1;
                    let app = self.pool.remove(packet).app;
                    self.note(4, app.into());
                }
                Output::Dropped(packet, reason) => {
                    self.packets.dropped_ap += 1;
                    let body = self.pool.remove(packet);
                    self.note(5, u64::from(body.app) << 8 | reason as u64);
                    let queue = &mut self.apps[usize::from(body.app)].queue;
                    queue.change(self.now, &self.measure, queue.held - 1);
                    if self.measure.contains(&self.now) {
                        queue.trace.dropped += 1;
                    }
                }
                Output::UplinkDropped(packet) => {
                    self.packets.dropped_uplink += 1;
                    let app = self.pool.remove(packet).app;
                    self.note(6, app.into());
                }
                Output::Dequeued(packet) => {
                    let body = self.pool.body(packet);
                    let queue = &mut self.apps[usize::from(body.app)].queue;
                    queue.change(self.now, &self.measure, queue.held - 1);
                    if self.measure.contains(&body.queued_ns) {
                        queue.trace.delay_ns.saturating_record(self.now - body.queued_ns);
                    }
                }
                Output::Sent { down, flow, tx } => {
                    self.note(7, u64::from(tx.attempts) << 8 | u64::from(down) << 1 | u64::from(tx.acked));
                    if down && self.measure.contains(&self.now) {
                        let at = self.flows.binary_search_by_key(&flow, |f| f.0).expect("a known flow");
                        self.apps[usize::from(self.flows[at].1)].air_ns += tx.air;
                    }
                }
            }
        }
    }

    /// From the access point to the server.
    fn forward_up(&mut self, packet: Handle) {
        let bytes = self.pool.bytes(packet);
        let app = self.pool.body(packet).app;
        let at_switch = self.trunk_up.send(self.now, bytes);
        let access = &mut self.apps[usize::from(app)].access_up;
        match at_switch.and_then(|at| access.send(at, bytes)) {
            Some(at) => {
                self.packets.inside += 1;
                self.events.push(at, Event::AtServer(packet));
            }
            None => self.drop_wired(packet),
        }
    }

    fn drop_wired(&mut self, packet: Handle) {
        self.packets.dropped_wired += 1;
        let app = self.pool.remove(packet).app;
        self.note(8, app.into());
    }

    /// A packet is at its end: station or server.
    fn receive(&mut self, packet: Handle) {
        let bytes = self.pool.bytes(packet);
        let body = self.pool.remove(packet);
        self.packets.received += 1;
        self.note(9, u64::from(body.app) << 1 | u64::from(body.up));
        let now = self.now;
        let running = &mut self.apps[usize::from(body.app)];
        let tcp = matches!(running.app.kind, AppKind::Download { .. });
        let stream = running.stream(body.up);
        if self.measure.contains(&now) {
            stream.bytes += u64::from(bytes);
        }
        if self.measure.contains(&body.sent_ns) {
            stream.received += 1;
            if !tcp {
                stream.deliveries.push(Delivery { sent_ns: body.sent_ns, received_ns: now });
            }
        }
        if let Some(connection) = &mut running.connection {
            connection.socket(body.up).endpoint.on_segment(now, &body.segment);
            self.pump(body.app, body.up);
        }
    }
}

impl Running {
    fn new(app: &App, flow: u32, scenario: &Scenario, seed: u64) -> Running {
        let wired = &scenario.wired;
        let access = || Link::new(wired.rate_bps, app.latency_ns, wired.queue_packets);
        let mut draws = Stream::new(seed, &format!("app/{}", app.name));
        let measured = scenario.measure_ns.end - scenario.measure_ns.start;
        // Room for every delivery, so that recording one allocates nothing.
        let stream = |up| StreamTrace {
            deliveries: Vec::with_capacity(
                constant(app.kind, up).map_or(0, |s| (measured / s.period_ns) as usize + 2),
            ),
            ..StreamTrace::default()
        };
        Running {
            flow,
            phase: [false, true].map(|up| constant(app.kind, up).map_or(0, |s| draws.below(s.period_ns))),
            active: false,
            connection: None,
            access_down: access(),
            access_up: access(),
            down: stream(false),
            up: stream(true),
            queue: QueueMeter::default(),
            air_ns: 0,
            app: app.clone(),
        }
    }

    fn stream(&mut self, up: bool) -> &mut StreamTrace {
        if up { &mut self.up } else { &mut self.down }
    }
}

/// The downlink half of an application's flow; server `i` is its own.
fn tuple(app: &App, i: u16) -> FiveTuple {
    let (port, protocol) = match app.kind {
        AppKind::Game => (game::PORT, Protocol::Udp),
        AppKind::Voip => (voip::PORT, Protocol::Udp),
        AppKind::Download { .. } => (download::PORT, Protocol::Tcp),
    };
    let client = 49_152 + i % 16_384;
    FiveTuple {
        source: (address::server(i), port),
        destination: (address::station(app.station as u16), client),
        protocol,
    }
}

fn constant(kind: AppKind, up: bool) -> Option<Constant> {
    match kind {
        AppKind::Game => Some(if up { game::UP } else { game::DOWN }),
        AppKind::Voip => Some(voip::BOTH),
        AppKind::Download { .. } => None,
    }
}
