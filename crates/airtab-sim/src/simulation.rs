//! Puts cell, wired links, TCP and traffic together and runs them.
//!
//! ```text
//! server --access link--+                        cell
//! server --access link--+--switch--trunk-- AP ~~~~~~~~ stations
//! ```
//! One event per packet on the wired side: an access link knows when a packet
//! reaches the switch; the trunk is FIFO, so what is on it waits in a list; the
//! way up is known as a whole when a packet leaves the cell.

mod observe;

use std::collections::VecDeque;
use std::ops::Range;

use airtab_core::{Handle, Meta, Params, Pool, Qdisc, Tcp};

use crate::engine::{EventQueue, NEVER, Stream};
use crate::meter::constant;
use crate::net::Link;
use crate::running::{Flow, Running, plan};
use crate::scenario::Scenario;
use crate::tcp::{Algorithm, Config, Segment};
use crate::trace::{ApTrace, FrameTrace, Trace};
use crate::traffic::download::Connection;
use crate::traffic::streaming::Player;
use crate::traffic::udp::Source;
use crate::traffic::video;
use crate::traffic::web::Visit;
use crate::traffic::{AppKind, Download, P2p, Streaming, Udp, Upload, Video, Web};
use crate::wifi::{Label, Medium, Output};

use observe::Tap;
pub use observe::{AirFrame, AirPacket, Content, Rows};

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
    seed: u64,
    measure: Range<u64>,
    events: EventQueue<Event>,
    pool: Pool<Body>,
    cell: Medium,
    trunk_down: Link,
    trunk_up: Link,
    /// Packets on the trunk and when they reach the access point.
    arriving: VecDeque<(u64, Handle)>,
    apps: Vec<Running>,
    flows: Vec<Flow>,
    flow_key: u64,
    tcp: Config,
    max_packets: u32,
    packets: Packets,
    tap: Tap,
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
    Start {
        app: u16,
    },
    Stop {
        app: u16,
    },
    /// The next packet, frame, page or connection of an application.
    Tick {
        app: u16,
        up: bool,
    },
    Timer {
        flow: u16,
        server: bool,
    },
    AtSwitch(Handle),
    AtServer(Handle),
}

/// The host's part of a packet.
#[derive(Clone, Copy)]
struct Body {
    flow: u16,
    life: u16,
    up: bool,
    /// Video: which frame it belongs to.
    frame: u32,
    sent_ns: u64,
    queued_ns: u64,
    segment: Segment,
}

impl Label for Body {
    fn label(&self) -> u32 {
        self.flow.into()
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
        let (mut apps, mut flows, mut events) = (Vec::new(), Vec::new(), EventQueue::new());
        for (number, app) in (0..).zip(&scenario.apps) {
            let first = flows.len() as u16;
            let own = first..first + app.kind.flows();
            flows.extend(own.clone().map(|i| Flow::new(i, number, app, scenario, flow_key)));
            apps.push(Running::new(app, own, scenario, seed));
            events.push(app.active_ns.start, Event::Start { app: number });
        }
        Simulation {
            now: 0,
            seed,
            measure: scenario.measure_ns.clone(),
            events,
            cell: Medium::new(scenario.cell.clone(), &stations, qdisc, seed),
            pool,
            trunk_down: trunk(),
            trunk_up: trunk(),
            arriving: VecDeque::with_capacity(wired.queue_packets + 1),
            apps,
            flows,
            flow_key,
            tcp: scenario.tcp,
            max_packets: 0,
            packets: Packets::default(),
            tap: Tap::default(),
            fingerprint: 0xcbf2_9ce4_8422_2325,
        }
    }

    /// With other TCP settings than the scenario's at both ends of every
    /// connection, before the run begins. Its congestion control is not looked
    /// at: that is the application's.
    ///
    /// # Panics
    /// If the settings do not pass [`Config::check`].
    #[must_use]
    pub fn with_tcp(self, tcp: Config) -> Simulation {
        if let Err(error) = tcp.check() {
            panic!("tcp: {error}");
        }
        Simulation { tcp, ..self }
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
        for packet in self.pool.handles() {
            let body = self.pool.body(packet);
            let app = usize::from(self.flows[usize::from(body.flow)].app);
            self.apps[app].meter.under_way(body.up, body.sent_ns);
        }
        let (apps, places): (_, Vec<f64>) =
            self.apps.into_iter().map(|running| running.finish(self.now)).unzip();
        Trace {
            ap: ApTrace {
                mean_packets: places.iter().sum(),
                max_packets: self.max_packets,
                counters: self.cell.queue().counters(),
                air: self.cell.air(self.now),
                wired_dropped: self.packets.dropped_wired,
                uplink_dropped: self.packets.dropped_uplink,
            },
            apps,
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
                let running = &mut self.apps[usize::from(app)];
                running.active = false;
                running.visit = None;
                running.player = None;
                for flow in running.flows.clone() {
                    self.flows[usize::from(flow)].connection = None;
                }
            }
            Event::Tick { app, up } => self.tick(app, up),
            Event::Timer { flow, server } => self.timer(flow, server),
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
            AppKind::Game(_) | AppKind::Voip(_) => {
                for up in [false, true] {
                    let at = self.now + running.phase[usize::from(up)];
                    self.events.push(at, Event::Tick { app, up });
                }
            }
            AppKind::Video(_) => {
                self.events.push(self.now + running.phase[0], Event::Tick { app, up: false });
            }
            AppKind::Udp(Udp { rate_bps, bytes, gaps }) => {
                let mut source = Source::start(rate_bps, bytes, gaps, self.seed, &running.app.name, self.now);
                self.events.push(source.next_ns(self.now), Event::Tick { app, up: false });
                running.source = Some(source);
            }
            AppKind::Web(_) => self.open_page(app),
            AppKind::Ping(_) => {
                self.events.push(self.now + running.phase[1], Event::Tick { app, up: true });
            }
            AppKind::Download(_) => self.download(app),
            AppKind::Upload(Upload { congestion }) => self.transfer(app, congestion, false, true),
            AppKind::P2p(P2p { congestion, upload, .. }) => self.transfer(app, congestion, true, upload),
            AppKind::Streaming(Streaming { congestion, .. }) => {
                let mut connection = Connection::open(self.tcp.with_congestion(congestion), 0);
                let plan = plan(&running.app.kind).expect("it streams");
                running.player = Some(Player::start(&plan, self.now, &mut connection));
                let flow = running.flows.start;
                self.flows[usize::from(flow)].reopen(connection, self.flow_key);
                self.pump(flow, false);
            }
        }
    }

    /// Opens a download's connection in the place of the one before, if there is one.
    fn download(&mut self, app: u16) {
        let AppKind::Download(Download { congestion, reconnect_ns }) = self.apps[usize::from(app)].app.kind
        else {
            return;
        };
        if let Some(ns) = reconnect_ns {
            self.events.push(self.now + ns, Event::Tick { app, up: false });
        }
        self.transfer(app, congestion, true, false);
    }

    /// Opens endless transfers on all flows of an application.
    fn transfer(&mut self, app: u16, congestion: Algorithm, down: bool, up: bool) {
        let bytes = |endless| if endless { u64::MAX } else { 0 };
        for flow in self.apps[usize::from(app)].flows.clone() {
            let mut connection = Connection::open(self.tcp.with_congestion(congestion), bytes(down));
            connection.client.endpoint.write(bytes(up));
            self.flows[usize::from(flow)].reopen(connection, self.flow_key);
            self.pump(flow, false);
        }
    }

    fn tick(&mut self, app: u16, up: bool) {
        let running = &mut self.apps[usize::from(app)];
        if !running.active {
            return;
        }
        let flow = running.flows.start;
        match &running.app.kind {
            AppKind::Web(_) => self.open_page(app),
            AppKind::Download(_) => self.download(app),
            AppKind::Streaming(_) => {
                let connection = self.flows[usize::from(flow)].connection.as_mut();
                if let (Some(player), Some(connection)) = (&mut running.player, connection) {
                    let plan = plan(&running.app.kind).expect("it streams");
                    player.request(&plan, self.now, connection);
                    self.pump(flow, false);
                }
            }
            AppKind::Video(Video { frames, fec }) => {
                let number = running.frames.len();
                let frame = frames.0[number % frames.0.len()];
                let (fec, (needed, _)) = (*fec, fec.packets(frame));
                running.frames.push(FrameTrace {
                    sent_ns: self.now,
                    kind: frame.kind,
                    needed: needed as u16,
                    received: 0,
                });
                self.events.push(self.now + video::PERIOD_NS, Event::Tick { app, up });
                for payload in fec.payloads(frame) {
                    self.send(flow, up, payload + video::HEADERS, number as u32, None);
                }
            }
            AppKind::Udp(Udp { bytes, .. }) => {
                let bytes = *bytes;
                let source = running.source.as_mut().expect("made at the start");
                self.events.push(source.next_ns(self.now), Event::Tick { app, up });
                self.send(flow, up, bytes, 0, None);
            }
            kind => {
                let stream = constant(kind, up).expect("nothing else ticks");
                self.events.push(self.now + stream.period_ns, Event::Tick { app, up });
                self.send(flow, up, stream.bytes, 0, None);
            }
        }
    }

    /// The next page of a web application, over a connection of its own.
    fn open_page(&mut self, app: u16) {
        let running = &mut self.apps[usize::from(app)];
        let AppKind::Web(Web { pages, .. }) = &running.app.kind else { return };
        let page = pages.page(self.seed, &running.app.name, running.page);
        let mut connection = Connection::open(self.tcp.for_pages(), 0);
        running.visit = Some(Visit::open(page, running.page, self.now, &mut connection));
        running.page += 1;
        let flow = running.flows.start;
        self.flows[usize::from(flow)].reopen(connection, self.flow_key);
        self.pump(flow, false);
    }

    /// Looks whether a page made progress.
    fn browse(&mut self, flow: u16) {
        let app = self.flows[usize::from(flow)].app;
        let running = &mut self.apps[usize::from(app)];
        let Some(visit) = &mut running.visit else { return };
        let connection = self.flows[usize::from(flow)].connection.as_mut();
        let connection = connection.expect("a visit has a connection");
        let Some(page) = visit.progress(self.now, connection) else {
            self.pump(flow, true);
            self.pump(flow, false);
            return;
        };
        self.events.push(self.now + visit.reading_ns(), Event::Tick { app, up: false });
        running.pages.push(page);
        running.visit = None;
    }

    /// Looks whether a streamed video made progress.
    fn stream(&mut self, flow: u16) {
        let app = self.flows[usize::from(flow)].app;
        let running = &mut self.apps[usize::from(app)];
        let connection = self.flows[usize::from(flow)].connection.as_mut();
        let (Some(player), Some(connection)) = (&mut running.player, connection) else { return };
        let plan = plan(&running.app.kind).expect("it streams");
        if let Some((segment, next_ns)) = player.progress(&plan, self.now, connection) {
            running.segments.push(segment);
            self.events.push(next_ns, Event::Tick { app, up: false });
        }
        self.pump(flow, true);
    }

    fn timer(&mut self, flow: u16, server: bool) {
        let Some(connection) = &mut self.flows[usize::from(flow)].connection else { return };
        let socket = connection.socket(server);
        if socket.timer_at != self.now {
            return; // an earlier one took its place
        }
        socket.timer_at = NEVER;
        // The deadline may have moved on since the event was made.
        if socket.endpoint.next_timeout().is_some_and(|at| at <= self.now) {
            socket.endpoint.on_timeout(self.now);
        }
        self.pump(flow, server);
    }

    /// Sends what an endpoint has to send and sees to its timer.
    fn pump(&mut self, flow: u16, server: bool) {
        let now = self.now;
        loop {
            let Some(connection) = &mut self.flows[usize::from(flow)].connection else { return };
            let socket = connection.socket(server);
            let Some(segment) = socket.endpoint.poll_transmit(now) else {
                if let Some(at) = socket.endpoint.next_timeout()
                    && at < socket.timer_at
                {
                    socket.timer_at = at.max(now);
                    self.events.push(socket.timer_at, Event::Timer { flow, server });
                }
                return;
            };
            self.send(flow, !server, segment.ip_bytes(), 0, Some(segment));
        }
    }

    /// One end of a flow sends a packet.
    fn send(&mut self, flow: u16, up: bool, bytes: u32, frame: u32, segment: Option<Segment>) {
        let f = &mut self.flows[usize::from(flow)];
        let tcp = segment.map(|s| Tcp {
            seq: s.seq as u32,
            ack: s.ack as u32,
            payload: s.payload,
            window: s.window,
            flags: s.flags,
        });
        let (sta, class) = (f.station as u16, f.class);
        // each application has a server of its own
        let source = if up { u32::from(sta) } else { u32::from(f.app) | 1 << 16 };
        let meta = Meta { bytes, flow: f.hash, source, sta, class, ecn: false, tcp };
        let segment = segment.unwrap_or_default();
        let body = Body { flow, life: f.life, up, frame, sent_ns: self.now, queued_ns: 0, segment };
        let packet = self.pool.insert(meta, body);
        self.packets.made += 1;
        let running = &mut self.apps[usize::from(f.app)];
        running.meter.sent(up, bytes, self.now);
        if up {
            self.cell.send_up(&mut self.pool, f.station, packet, self.now);
        } else if let Some(at) = f.access_down.send(self.now, bytes) {
            self.packets.inside += 1;
            self.events.push(at, Event::AtSwitch(packet));
        } else {
            self.drop_wired(packet);
        }
    }

    fn app_of(&self, flow: u16) -> usize {
        self.flows[usize::from(flow)].app.into()
    }

    fn at_access_point(&mut self, packet: Handle) {
        let body = self.pool.body_mut(packet);
        body.queued_ns = self.now;
        let flow = body.flow;
        let app = self.app_of(flow);
        self.apps[app].meter.arrived(self.now);
        self.note(3, flow.into());
        self.cell.send_down(&mut self.pool, packet, self.now);
        self.max_packets = self.max_packets.max(self.cell.queue().len());
    }

    fn drain_cell(&mut self) {
        if self.tap.on {
            self.look_at_attempts();
        }
        while let Some(output) = self.cell.poll() {
            match output {
                Output::Down(packet) => self.receive(packet),
                Output::Up(packet) => self.forward_up(packet),
                Output::Lost(packet) => {
                    self.packets.lost += 1;
                    let flow = self.pool.remove(packet).flow;
                    self.note(4, flow.into());
                }
                Output::Dropped(packet, reason) => {
                    self.packets.dropped_ap += 1;
                    let body = self.pool.remove(packet);
                    self.note(5, u64::from(body.flow) << 8 | reason as u64);
                    let app = self.app_of(body.flow);
                    self.apps[app].meter.dropped(self.now);
                }
                Output::UplinkDropped(packet) => {
                    self.packets.dropped_uplink += 1;
                    let flow = self.pool.remove(packet).flow;
                    self.note(6, flow.into());
                }
                Output::Dequeued(packet) => {
                    let body = self.pool.body(packet);
                    let (queued, app) = (body.queued_ns, self.app_of(body.flow));
                    self.apps[app].meter.dequeued(queued, self.now);
                }
                Output::Sent { down, label, tx } => {
                    self.note(7, u64::from(tx.attempts) << 8 | u64::from(down) << 1 | u64::from(tx.acked));
                    let app = self.app_of(label as u16);
                    self.apps[app].meter.transmitted(!down, &tx, self.now);
                }
            }
        }
    }

    /// From the access point to the server.
    fn forward_up(&mut self, packet: Handle) {
        let bytes = self.pool.bytes(packet);
        let flow = self.pool.body(packet).flow;
        let at_switch = self.trunk_up.send(self.now, bytes);
        let access = &mut self.flows[usize::from(flow)].access_up;
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
        let flow = self.pool.remove(packet).flow;
        self.note(8, flow.into());
    }

    /// A packet is at its end: station or server.
    fn receive(&mut self, packet: Handle) {
        let bytes = self.pool.bytes(packet);
        let body = self.pool.remove(packet);
        self.packets.received += 1;
        self.note(9, u64::from(body.flow) << 1 | u64::from(body.up));
        let now = self.now;
        let flow = &mut self.flows[usize::from(body.flow)];
        let running = &mut self.apps[usize::from(flow.app)];
        // What comes for a connection that a download has left is of use to nobody.
        let left = flow.life != body.life && matches!(running.app.kind, AppKind::Download(_));
        running.meter.received(body.up, if left { 0 } else { bytes }, body.sent_ns, now);
        if let Some(frame) = running.frames.get_mut(body.frame as usize) {
            frame.received += 1;
        }
        if body.up && running.active && matches!(running.app.kind, AppKind::Ping(_)) {
            self.send(body.flow, false, bytes, 0, None);
            return;
        }
        if let Some(connection) = &mut flow.connection
            && flow.life == body.life
        {
            connection.socket(body.up).endpoint.on_segment(now, &body.segment);
            let (page, player) = (running.visit.is_some(), running.player.is_some());
            self.pump(body.flow, body.up);
            if page {
                self.browse(body.flow);
            }
            if player {
                self.stream(body.flow);
            }
        }
    }
}
