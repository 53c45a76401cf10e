//! Puts cell, wired links, TCP and traffic together and runs them.
//!
//! ```text
//! server --access link--+                        cell
//! server --access link--+--switch--trunk-- AP ~~~~~~~~ stations
//! ```
//! One event per packet on the wired side: an access link knows when a packet
//! reaches the switch; the trunk is FIFO, so what is on it waits in a list; the
//! way up is known as a whole when a packet leaves the cell.

mod applications;
mod observe;

use std::collections::VecDeque;
use std::ops::Range;

use airtab_core::{Handle, Meta, Params, Pool, Qdisc, Tcp};

use crate::engine::{EventQueue, NEVER, Stream};
use crate::net::Link;
use crate::running::{Flow, Running};
use crate::scenario::Scenario;
use crate::tcp::{Config, Segment};
use crate::trace::{ApTrace, Trace};
use crate::traffic::AppKind;
use crate::wifi::{Label, Medium, Output};

use observe::Tap;
pub use observe::{AirFrame, AirPacket, Content};

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
            cell: Medium::new(scenario.medium.clone(), &stations, qdisc, seed),
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
            Event::Stop { app } => self.stop(app),
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
