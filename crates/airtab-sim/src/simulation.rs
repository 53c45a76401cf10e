// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Puts cell, wired links, TCP and traffic together and runs them.
//!
//! ```text
//! server --access link--+                        cell
//! server --access link--+--switch--trunk-- AP ~~~~~~~~ stations
//! ```
//! A [`World`] with applications: packets are the world's, what becomes of them is told
//! to the applications (`applications`) and their meters, and hashed.

mod applications;
mod body;
mod dnb;
mod fingerprint;
mod nodes;
mod observe;
mod send_jitter;
#[cfg(test)]
mod tests;

use std::ops::Range;
#[cfg(feature = "trial")]
use std::sync::atomic::{AtomicUsize, Ordering};

use airtab_core::{Meta, NO_STATION, Params, Reason, Tcp};

use crate::backlog::Backlog;
use crate::engine::Stream;
use crate::meter::AppMeter;
use crate::running::{Flow, Member, Running, room};
use crate::scenario::{App, Change, Scenario, Servers};
use crate::tcp::{Config, Segment};
use crate::trace::{ApTrace, Leg, Trace};
use crate::traffic::{Io, Setting};
use crate::world::{AirHost, Books, Carried, Home, Place, Report, Topology, World, poll_air};

use body::{Body, Load, SegmentAcks};
use dnb::Controller;
use fingerprint::Fingerprint;
use nodes::Nodes;
use observe::Tap;
pub use observe::{AirFrame, AirPacket, Content};
use send_jitter::SendJitter;

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

#[cfg(feature = "trial")]
static SET_UP: AtomicUsize = AtomicUsize::new(0);

/// How many simulations this process has set up, on all threads.
#[cfg(feature = "trial")]
pub fn simulations() -> usize {
    SET_UP.load(Ordering::Relaxed)
}

/// A run under way.
pub struct Simulation {
    now: u64,
    measure: Range<u64>,
    home: Home,
    world: World<Body, Event>,
    apps: Vec<Running>,
    users: Vec<Member>,
    flows: Vec<Flow>,
    flow_key: u64,
    tcp: Config,
    send_jitter: Option<SendJitter>,
    io: Io,
    tap: Tap,
    backlog: Backlog,
    /// Those of a mesh.
    nodes: Nodes,
    changes: Vec<Change>,
    /// Sets limits of a mesh's queues.
    dnb: Option<Box<Controller>>,
    fingerprint: Fingerprint,
}

/// What the world's timers are for.
#[derive(Clone, Copy)]
enum Event {
    Start {
        app: u16,
    },
    Stop {
        app: u16,
    },
    /// A user begins.
    Begin {
        user: u32,
    },
    /// An application's.
    Tick {
        user: u32,
        key: u16,
    },
    /// TCP's.
    Timer {
        flow: u16,
        server: bool,
    },
    /// A server's TCP sends.
    Send {
        flow: u16,
    },
    /// A link becomes another one, by the change's number.
    Change(u16),
    /// Limits of queues may have to be others.
    SizeQueues,
}

impl Simulation {
    /// Sets everything up at time 0. Panics as [`run`] does.
    pub fn new(scenario: &Scenario, queue: &Params, seed: u64) -> Simulation {
        let (access, _) = scenario.access_links(App::flows);
        let (home, topology) =
            Home::new(scenario, access, queue).expect("scenario and parameters are checked before a run");
        Simulation::over(scenario, (home, topology), queue, seed)
    }

    /// Over the topology of a home, with whatever queues on its wires.
    fn over(
        scenario: &Scenario,
        (home, topology): (Home, Topology),
        queue: &Params,
        seed: u64,
    ) -> Simulation {
        #[cfg(feature = "trial")]
        SET_UP.fetch_add(1, Ordering::Relaxed);
        let mut world = World::new(topology, seed);
        world.lend_acks(SegmentAcks);
        let flow_key = Stream::new(seed, "flows").below(u64::MAX);
        let (mut apps, (mut users, mut flows)) = (Vec::new(), room(scenario));
        let (_, servers) = scenario.access_links(App::flows);
        for ((number, app), mut server) in (0..).zip(&scenario.apps).zip(servers) {
            let (first_user, first_flow) = (users.len() as u32, flows.len() as u16);
            let active = app.active_ns.end.min(scenario.duration_ns).saturating_sub(app.active_ns.start);
            let setting = Setting {
                seed,
                app: &app.name,
                user: 0,
                users: app.users.count,
                active_ns: active,
                phase_ns: app.phase_ns,
                outstanding: scenario.outstanding(),
            };
            for user in 0..setting.users {
                let (own, first) = (users.len() as u32, flows.len() as u16);
                let station = app.station as u16 + (user % app.users.stations) as u16;
                for i in 0..app.kind.flows() {
                    let ends = (home, server, station);
                    flows.push(Flow::new(first + i, (number, own, i), app, ends, flow_key));
                    server += u16::from(!matches!(app.servers, Servers::Shared(_)));
                }
                users.push(Member::new(number, app, first, &Setting { user, ..setting }));
            }
            let (all, flows) = (first_user..users.len() as u32, first_flow..flows.len() as u16);
            apps.push(Running::new(app, all, flows, scenario));
            world.timer(app.active_ns.start, Event::Start { app: number });
        }
        for (number, change) in (0..).zip(&scenario.changes) {
            world.timer(change.at_ns, Event::Change(number));
        }
        let dnb = Controller::new(scenario, queue).map(Box::new);
        if let Some(dnb) = &dnb {
            world.timer(dnb.interval_ns(), Event::SizeQueues);
        }
        Simulation {
            now: 0,
            changes: scenario.changes.clone(),
            measure: scenario.measure_ns.clone(),
            home,
            world,
            apps,
            users,
            flows,
            flow_key,
            tcp: scenario.tcp,
            send_jitter: SendJitter::of(scenario, seed),
            io: Io::default(),
            tap: Tap::default(),
            backlog: Backlog::new(scenario.measure_ns.clone()),
            nodes: Nodes::new(scenario),
            dnb,
            fingerprint: Fingerprint::default(),
        }
    }

    /// Lets everything happen that is due by `until`, ns.
    pub fn advance(&mut self, until: u64) {
        while self.world.advance(until) {
            self.now = self.world.now();
            if self.tap.on {
                self.look_at_attempts();
            }
            // As `World::poll`, but reports of ways and of channels are handled by code of their own, and not moved out of
            // what holds them: else they would be copied.
            loop {
                while let Some(report) = &self.world.poll_ways() {
                    self.handle(report);
                }
                if !poll_air(self) {
                    break;
                }
            }
        }
        self.now = self.world.now();
    }

    /// The run's trace.
    pub fn finish(mut self) -> Trace {
        let pool = self.world.pool();
        for packet in pool.handles().map(|packet| pool.body(packet)) {
            self.apps[usize::from(packet.body.app)].meter.under_way(packet.body.up, packet.sent_ns);
        }
        let (books, medium) = (self.world.books(), self.world.medium(0));
        let mut users = self.users.into_iter().map(|member| member.user);
        let finish = |running: Running| {
            let own = users.by_ref().take(running.users.len());
            running.finish(own, self.now)
        };
        let (apps, places): (_, Vec<f64>) = self.apps.into_iter().map(finish).unzip();
        Trace {
            ap: ApTrace {
                mean_packets: places.iter().sum(),
                deviation_packets: Some(self.backlog.deviation(self.now)),
                max_packets: self.world.max_packets(0),
                counters: medium.counters(),
                air: medium.air(self.now),
                winners: medium.winners(),
                wired_dropped: books.dropped_wired,
                uplink_dropped: books.dropped_uplink,
            },
            apps,
            measure_ns: self.measure,
            fingerprint: self.fingerprint.0,
            exchanges: medium.exchanges(),
            nodes: self.nodes.finish(&medium.nodes(self.now), self.now),
        }
    }

    /// Where the packets went so far.
    pub fn packets(&self) -> Books {
        self.world.books()
    }

    #[inline(always)]
    fn handle(&mut self, report: &Report<Event>) {
        let now = self.now;
        match *report {
            Report::Timer(Event::Start { app }) => self.start(app),
            Report::Timer(Event::Stop { app }) => self.stop(app),
            Report::Timer(Event::Begin { user }) => self.begin(user),
            Report::Timer(Event::Tick { user, key }) => self.tick(user, key),
            Report::Timer(Event::Timer { flow, server }) => self.timer(flow, server),
            Report::Timer(Event::Send { flow }) => self.send_after_jitter(flow),
            Report::Timer(Event::Change(number)) => self.change(number),
            Report::Timer(Event::SizeQueues) => self.size_queues(),
            Report::Arrived { packet, .. } => self.arrived(packet),
            Report::Queued { at: Place::AccessPoint(_), packet } => {
                let Body { app, flow, .. } = self.world.pool().body(packet).body;
                self.meter(app).arrived(now);
                self.backlog.changed(true, now);
                self.note(3, flow.into());
            }
            Report::Dequeued { at: Place::AccessPoint(_), packet } => {
                let &Carried { body: Body { app, made, .. }, queued_ns, .. } = self.world.pool().body(packet);
                if !made {
                    self.meter(app).dequeued(queued_ns, now);
                    self.backlog.changed(false, now);
                }
            }
            Report::Lost { packet } => {
                let Carried { body: Body { app, flow, up, .. }, sent_ns, .. } = self.world.take(packet);
                self.meter(app).lost(up, sent_ns, Leg::Channel);
                self.note(4, flow.into());
            }
            Report::Dropped {
                at: at @ (Place::AccessPoint(_) | Place::Node(_)),
                packet,
                why: Reason::Merged,
            } => {
                self.merged_at(at);
                let Carried { body: Body { app, up, .. }, sent_ns, queued_ns, .. } = self.world.take(packet);
                self.meter(app).dequeued(queued_ns, now);
                self.meter(app).merged(up, sent_ns);
                self.backlog.changed(false, now);
            }
            Report::Dropped { at, packet, why } => {
                let Carried { body: Body { app, flow, up, .. }, sent_ns, .. } = self.world.take(packet);
                self.meter(app).lost(up, sent_ns, at.leg());
                match at {
                    Place::AccessPoint(_) => {
                        self.note(5, u64::from(flow) << 8 | why as u64);
                        self.meter(app).dropped(now);
                        self.backlog.changed(false, now);
                    }
                    Place::Uplink(_) => self.note(6, flow.into()),
                    Place::Wire(_) => self.note(8, flow.into()),
                    Place::Node(_) | Place::Hop(..) => return self.dropped_at_node(at, (app, flow, up), why),
                }
                if self.apps[usize::from(app)].saturates && !matches!(at, Place::Wire(_)) {
                    self.settled(flow, true);
                }
            }
            Report::Sent { at: at @ (Place::AccessPoint(_) | Place::Uplink(_)), tag, tx, way } => {
                let down = matches!(at, Place::AccessPoint(_));
                self.note(7, u64::from(tx.attempts) << 8 | u64::from(down) << 1 | u64::from(tx.acked));
                let running = &mut self.apps[(tag >> 16) as usize];
                running.meter.transmitted(!down, tx, now);
                running.meter.went_out(!down, way, now);
                if running.saturates {
                    self.settled(tag as u16, false);
                }
            }
            Report::Queued { at: Place::Node(node), packet } => self.queued_at_node(node, packet),
            Report::Dequeued { at: Place::Node(node), packet } => self.dequeued_at_node(node, packet),
            Report::Sent { at: Place::Hop(node, next), tag, tx, way } => {
                self.sent_by_node((node, next), tag, tx, way);
            }
            // On wires: neither in the access point's queue nor on the air.
            Report::Queued { .. }
            | Report::Dequeued { .. }
            | Report::Sent { .. }
            | Report::Crossed { .. } => {}
        }
    }

    fn meter(&mut self, app: u16) -> &mut AppMeter {
        &mut self.apps[usize::from(app)].meter
    }

    /// One end of a flow sends a packet of `bytes`: a segment, or else one whose receiver is told `tag`.
    #[inline(always)]
    fn send(&mut self, flow: u16, up: bool, bytes: u32, tag: u32, segment: Option<&Segment>) {
        let f = &self.flows[usize::from(flow)];
        let tcp = segment.filter(|_| f.is_open()).map(|s| Tcp {
            seq: s.seq as u32,
            ack: s.ack as u32,
            payload: s.payload,
            window: s.window,
            mss: 0,
            flags: s.flags,
            option: s.sack_len,
        });
        let (from, to) = if up { (f.station, f.server) } else { (f.source, f.station) };
        let (class, sta, source) = (f.class, NO_STATION, f.senders[usize::from(up)]);
        let (key, ecn) = (Some(f.key(up)), segment.is_some_and(|s| s.ect));
        let meta = Meta { bytes, flow: f.hash, source, sta, class, ecn, tcp, key };
        let load = segment.map_or(Load::Datagram(tag), |s| Load::Segment(*s));
        let body = Body { app: f.app, flow, life: f.life, up, made: false, load };
        self.apps[usize::from(f.app)].meter.sent(up, bytes, self.now);
        self.world.send(self.now, from, to, meta, body);
    }
}

impl AirHost<Body, Event> for Simulation {
    #[inline(always)]
    fn world(&mut self) -> &mut World<Body, Event> {
        &mut self.world
    }

    #[inline(always)]
    fn take_report(&mut self, report: &Report<Event>) {
        self.handle(report);
    }
}
