// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Nodes, wires, access points and the air between them, with packets of any host:
//! the simulator's, whose applications are simulated, or the live access point's,
//! whose packets are real.
//!
//! A [`World`] is built from a [`Topology`] ([`Home`] is today's). Its host puts packets
//! in by [`World::send`], lets one thing after the other happen by [`World::advance`], and
//! takes what happened out of [`World::poll`]. The world reports and never calls; a packet that
//! came to its end, whichever it was, is the host's to take ([`World::take`]).
//!
//! One event per packet on the wired side of a home: a drop-tail wire knows when a packet
//! will leave it, and behind a switch that one wire alone leads to, so does the next one.
//!
//! At equal times: wires and the host's timers in the order of their making, then packets
//! that reach an access point, then the channels.
//!
//! What it does not do: no multicast, and no way changes while it runs.

mod books;
mod disciplines;
mod home;
mod mesh;
mod packet;
mod report;
mod topology;
mod way;
mod wire;

use std::collections::VecDeque;

use airtab_core::{Acks, Handle, Meta, Params, Pool, Qdisc};

use crate::engine::{EventQueue, NEVER, Outbox, Stream};
use crate::net::Link;
use crate::wifi::{Attempt, Loss, Medium, Output, Speed, WireConfig};

pub use books::Books;
pub use home::{Home, HomeHost};
use packet::CarriedAcks;
pub use packet::{Carried, Tag};
pub use report::{Place, Report};
pub use topology::{ChannelSpec, Node, NodeId, Topology, WireQueue, WireSpec};

use wire::{NearEnd, Queue, Wire};

/// All packets of `B` and where they are; `T` is what the host's timers carry.
pub struct World<B, T> {
    now: u64,
    topology: Topology,
    pool: Pool<Carried<B>>,
    wires: Vec<Wire>,
    channels: Vec<Channel>,
    hops: EventQueue<Hop<T>>,
    /// Packets that reach an access point next, in order of time, where it is and where they go. No
    /// queue of events: a home's run takes 2 to 4 % longer with one.
    arriving: VecDeque<(u64, Handle, NodeId, NodeId)>,
    /// When the first of them does, or [`NEVER`].
    next_arrival: u64,
    /// Packets on wires, queues of disciplines apart.
    on_wires: u64,
    books: Books,
    reports: Outbox<Report<T>>,
    /// The first so many channels have nothing to say; all: none has.
    silent: usize,
    /// The first event of all channels, and whose it is.
    on_air: (u64, usize),
}

/// An access point and what is between it and its stations.
struct Channel {
    medium: Medium,
    /// Seeds of its disciplines.
    seeds: Stream,
    max_packets: u32,
}

/// What happens on wires, and the host's timers among it.
#[derive(Clone, Copy)]
enum Hop<T> {
    Timer(T),
    /// A packet is at a node, on its way to another one or there.
    Arrive(Handle, NodeId, NodeId),
    /// A wire's discipline may have something to do.
    Look(u32),
}

impl<B: Tag, T: Copy> World<B, T> {
    /// Everything at rest at time 0. Random streams are keyed by `seed` and the entities' names.
    pub fn new(mut topology: Topology, seed: u64) -> World<B, T> {
        let pool = Pool::new();
        let (wires, channels) = (std::mem::take(&mut topology.wires), std::mem::take(&mut topology.channels));
        let wires = (0..).zip(wires).map(|(i, spec)| {
            let end = match spec.queue {
                WireQueue::DropTail(n) => NearEnd::DropTail(Link::new(spec.rate_bps, spec.latency_ns, n)),
                WireQueue::Discipline(params) => {
                    let seed = Stream::new(seed, &format!("qdisc/wire/{i}")).below(u64::MAX);
                    let qdisc = Qdisc::new(&pool, &params, seed, 0);
                    let wire = WireConfig { rate_bps: spec.rate_bps, overhead: spec.overhead };
                    let queue = Queue::new(Place::Wire(i), wire, spec.latency_ns, qdisc);
                    NearEnd::Discipline(Box::new(queue))
                }
            };
            Wire {
                to: spec.to,
                access_point: topology.has_access_point(spec.to),
                in_order: topology.in_order(spec.to),
                end,
            }
        });
        let wires = wires.collect();
        let channels = (0..).zip(channels).map(|(i, spec)| {
            // The names of the first one's streams are those of a home, which has no other.
            let (own, name) = match i {
                0 => (seed, "qdisc".into()),
                _ => (Stream::new(seed, &format!("channel/{i}")).below(u64::MAX), format!("qdisc/{i}")),
            };
            let mut seeds = Stream::new(seed, &name);
            let qdisc = Qdisc::new(&pool, &spec.queue, seeds.below(u64::MAX), 0);
            let stations: Vec<_> =
                spec.stations.iter().map(|(_, s)| (s.name.as_str(), s.speed, s.loss)).collect();
            let is_mesh = spec.medium.mesh().is_some();
            let mut medium = Medium::new(spec.medium, &stations, qdisc, own);
            for (number, (_, station)) in spec.stations.iter().enumerate() {
                station.plan(number, &mut medium);
                // A node of a mesh has what an access point has, if it does not say otherwise; the first one has it.
                let meshed = is_mesh && number > 0;
                if let Some(uplink) = station.uplink.as_ref().or(meshed.then_some(&spec.queue)) {
                    let seed = Stream::new(own, &format!("qdisc/station/{}", station.name)).below(u64::MAX);
                    medium.set_uplink(number, Qdisc::new(&pool, uplink, seed, 0));
                }
                if let Some(access) = &station.access {
                    medium.set_access(number, access);
                }
            }
            Channel { medium, seeds, max_packets: 0 }
        });
        let channels = channels.collect();
        let mut world = World {
            silent: Vec::len(&channels),
            now: 0,
            topology,
            pool,
            wires,
            channels,
            hops: EventQueue::new(),
            arriving: VecDeque::with_capacity(64),
            next_arrival: NEVER,
            on_wires: 0,
            books: Books::default(),
            // What one moment brings: one report for each output of a channel.
            reports: Outbox::with_capacity(1024),
            on_air: (NEVER, 0),
        };
        world.look_on_air();
        world
    }

    /// The time of what happened last, or up to which nothing was left to happen, ns.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// When [`World::advance`] has something to do, if nothing is sent before.
    #[inline]
    pub fn next_event(&self) -> u64 {
        self.hops.next_at().min(self.next_arrival).min(self.on_air.0)
    }

    /// Lets one thing after the other happen that is due by `until`, ns, each at its own time, until
    /// there is something to say. False: nothing is left, and it is `until` now. Look at
    /// [`World::poll`] after each call: what follows from what happened must be said before the next
    /// thing happens.
    #[inline]
    pub fn advance(&mut self, until: u64) -> bool {
        let last = until.min(NEVER - 1);
        loop {
            let (hop, arrival, (air, channel)) = (self.hops.next_at(), self.next_arrival, self.on_air);
            let at = hop.min(arrival).min(air);
            if at > last {
                self.now = self.now.max(until);
                return false;
            }
            self.now = at;
            if at == hop {
                let (_, hop) = self.hops.pop().expect("there is a next event");
                match hop {
                    Hop::Timer(timer) => self.reports.push(Report::Timer(timer)),
                    Hop::Arrive(packet, node, to) => {
                        self.on_wires -= 1;
                        self.pass(packet, node, to, None);
                    }
                    Hop::Look(wire) => self.look(wire),
                }
            } else if at == arrival {
                let (_, packet, node, to) = self.arriving.pop_front().expect("there is a next arrival");
                self.next_arrival = self.arriving.front().map_or(NEVER, |arrival| arrival.0);
                self.on_wires -= 1;
                self.pass(packet, node, to, None);
            } else {
                // Of several channels the next event may be another's.
                let alone = self.channels.len() == 1;
                let until = if alone { last.min(hop.min(arrival) - 1) } else { at };
                let next;
                (self.now, next) = self.channels[channel].medium.run(&mut self.pool, at, until);
                self.listen(channel);
                if alone {
                    self.on_air = (next, 0);
                } else {
                    self.look_on_air();
                }
            }
            if self.speaks() {
                return true;
            }
        }
    }

    /// Whether there is something to poll, or an attempt to look at.
    #[inline]
    fn speaks(&self) -> bool {
        !self.reports.is_empty() || self.silent < self.channels.len()
    }

    /// To be called when a channel may have something to say.
    #[inline(always)]
    fn listen(&mut self, channel: usize) {
        if self.channels[channel].medium.speaks() {
            self.silent = self.silent.min(channel);
        }
    }

    /// What followed from the last thing that happened and from the host's calls since; None: nothing more. First
    /// what happened on wires and ways, and the host's timer; then what the channels say, one after the other. Each
    /// part is in order.
    #[inline]
    pub fn poll(&mut self) -> Option<Report<T>> {
        loop {
            if let Some(report) = self.poll_ways() {
                return Some(report);
            }
            let mut taken = Taken { world: self, report: None };
            if !poll_air(&mut taken) {
                return None;
            }
            if taken.report.is_some() {
                return taken.report;
            }
        }
    }

    /// [`World::poll`], of wires, ways and the host's timers alone.
    #[inline]
    pub(crate) fn poll_ways(&mut self) -> Option<Report<T>> {
        self.reports.pop()
    }

    /// A host sends a packet to another one at `now`, which is not before [`World::now`];
    /// what was due by then has happened. The station in `meta` is the world's to say.
    #[inline(always)]
    pub fn send(&mut self, now: u64, from: NodeId, to: NodeId, mut meta: Meta, body: B) -> Handle {
        debug_assert!(now >= self.now);
        debug_assert!(self.topology.is_host(from) && self.topology.is_host(to));
        debug_assert!(from != to, "a host's packets to itself reach no network");
        self.now = self.now.max(now);
        meta.sta = self.topology.station(to);
        let (bytes, sent_ns) = (meta.bytes, self.now);
        let carried = Carried::new(body, bytes, (from, to), sent_ns);
        let packet = self.pool.insert(meta, carried);
        self.books.made += 1;
        self.forward(packet, from, to, Some(bytes));
        packet
    }

    /// Reports [`Report::Timer`] at `at`, ns, not before [`World::now`].
    pub fn timer(&mut self, at: u64, timer: T) {
        self.hops.push(at, Hop::Timer(timer));
    }

    /// Takes out a packet that has come to its end.
    ///
    /// # Panics
    /// If it is in a discipline, or no packet of this world.
    pub fn take(&mut self, packet: Handle) -> Carried<B> {
        self.pool.remove(packet)
    }

    /// The host's part of a packet, to change.
    pub fn body_mut(&mut self, packet: Handle) -> &mut B {
        &mut self.pool.body_mut(packet).body
    }

    /// Disciplines can have acknowledgements made from now on, and let them go with data.
    pub fn lend_acks(&mut self, acks: impl Acks<B> + 'static)
    where
        B: 'static,
    {
        self.pool.lend_acks(CarriedAcks(acks));
    }

    /// All packets.
    pub fn pool(&self) -> &Pool<Carried<B>> {
        &self.pool
    }

    /// Where every packet went, once [`World::poll`] has nothing more to say.
    pub fn books(&self) -> Books {
        let held = |c: &Channel| c.medium.held() as u64 + u64::from(c.medium.queued());
        let queued = self.wires.iter().map(|wire| match &wire.end {
            NearEnd::DropTail(_) => (0, 0),
            NearEnd::Discipline(queue) => (queue.held(), queue.dropped()),
        });
        let (queued, dropped) = queued.fold((0, 0), |sum, wire| (sum.0 + wire.0, sum.1 + wire.1));
        Books {
            made: self.books.made + self.pool.acks_made(),
            inside: self.on_wires + self.channels.iter().map(held).sum::<u64>() + queued,
            dropped_wired: self.books.dropped_wired + dropped,
            ..self.books
        }
    }

    /// What is between an access point and its stations.
    ///
    /// # Panics
    /// If there is no such channel; so do all that take one.
    pub fn medium(&self, channel: u16) -> &Medium {
        &self.channels[usize::from(channel)].medium
    }

    /// The largest number of packets in an access point's queue so far.
    pub fn max_packets(&self, channel: u16) -> u32 {
        self.channels[usize::from(channel)].max_packets
    }

    /// [`Medium::set_station`].
    pub fn set_station(&mut self, channel: u16, station: usize, speed: impl Into<Speed>, loss: Loss) {
        self.channels[usize::from(channel)].medium.set_station(station, speed, loss, self.now);
        self.look_on_air();
    }

    /// [`Medium::end_station`].
    pub fn end_station(&mut self, channel: u16, station: usize) {
        self.channels[usize::from(channel)].medium.end_station(station, self.now);
        self.look_on_air();
    }

    /// [`Medium::swap_queue`], with the next seed of the channel's.
    pub fn swap_queue(&mut self, channel: u16, params: &Params) {
        self.silent = 0;
        let channel = &mut self.channels[usize::from(channel)];
        let seed = channel.seeds.below(u64::MAX);
        channel.medium.swap_queue(&mut self.pool, params, seed, self.now);
        self.look_on_air();
    }

    /// [`Medium::tap`].
    pub fn tap(&mut self, channel: u16, on: bool) {
        self.channels[usize::from(channel)].medium.tap(on);
    }

    /// [`Medium::attempts`]; look before [`World::poll`].
    pub fn attempts(&mut self, channel: u16) -> Option<Vec<Attempt>> {
        self.channels[usize::from(channel)].medium.attempts()
    }

    /// To be called when a channel's next event may be another one.
    #[inline(always)]
    fn look_on_air(&mut self) {
        self.on_air = match &self.channels[..] {
            [alone] => (alone.medium.next_event(), 0),
            all => first_on_air(all),
        };
    }
}

/// A host of a world, which takes what happens on the air.
pub(crate) trait AirHost<B, T> {
    /// The world of the host.
    fn world(&mut self) -> &mut World<B, T>;

    /// Takes a report.
    fn take_report(&mut self, report: &Report<T>);
}

/// The host of [`World::poll`].
struct Taken<'a, B, T> {
    world: &'a mut World<B, T>,
    report: Option<Report<T>>,
}

impl<B, T: Copy> AirHost<B, T> for Taken<'_, B, T> {
    fn world(&mut self) -> &mut World<B, T> {
        self.world
    }

    fn take_report(&mut self, report: &Report<T>) {
        self.report = Some(*report);
    }
}

/// [`World::poll`], of the next output of a channel, when [`World::poll_ways`] has none. True: look at both again. Each
/// kind of report is handed over where it is made: a choice between them would be copied.
#[inline(always)]
pub(crate) fn poll_air<B: Tag, T: Copy>(host: &mut impl AirHost<B, T>) -> bool {
    let world = host.world();
    let number = world.silent;
    let Some(outputs) = world.channels.get_mut(number).map(|channel| channel.medium.outputs()) else {
        return false;
    };
    // What makes it speak again says so.
    world.silent += usize::from(outputs.len() <= 1);
    let Some(output) = outputs.pop_ref() else { return true };
    let channel = number as u16;
    match *output {
        Output::Down(packet) => {
            let carried = world.pool.body_mut(packet);
            carried.crossed_ns = world.now;
            let &mut Carried { at: node, to, bytes, .. } = carried;
            if to != node {
                world.forward(packet, node, to, Some(bytes));
                return true;
            }
            world.books.received += 1;
            host.take_report(&Report::Arrived { node, packet });
        }
        Output::Up(packet) => {
            let carried = world.pool.body_mut(packet);
            carried.crossed_ns = world.now;
            let &mut Carried { at, to, bytes, peer: station, queued_ns, dequeued_ns, .. } = carried;
            world.pass(packet, at, to, Some(bytes));
            if B::CROSSINGS {
                let (queue_ns, channel_ns) = (dequeued_ns - queued_ns, world.now - dequeued_ns);
                host.take_report(&Report::Crossed { station, packet, queue_ns, channel_ns });
            }
        }
        Output::Lost(packet) => {
            world.books.lost += 1;
            host.take_report(&Report::Lost { packet });
        }
        Output::Dropped(packet, why) => {
            world.books.dropped_ap += 1;
            host.take_report(&Report::Dropped { at: Place::AccessPoint(channel), packet, why });
        }
        Output::UplinkDropped(packet, why) => {
            world.books.dropped_uplink += 1;
            host.take_report(&Report::Dropped { at: Place::Uplink(channel), packet, why });
        }
        Output::Dequeued(packet) => {
            host.take_report(&Report::Dequeued { at: Place::AccessPoint(channel), packet });
        }
        Output::Sent { down: true, label: tag, tx, way } => {
            host.take_report(&Report::Sent { at: Place::AccessPoint(channel), tag, tx, way });
        }
        Output::Sent { down: false, label: tag, tx, way } => {
            host.take_report(&Report::Sent { at: Place::Uplink(channel), tag, tx, way });
        }
        other => {
            if let Some(report) = world.on_mesh(other) {
                host.take_report(&report);
            }
        }
    }
    true
}

/// The first event of all channels, and whose it is.
#[inline(never)]
fn first_on_air(channels: &[Channel]) -> (u64, usize) {
    channels.iter().map(|own| own.medium.next_event()).zip(0..).min().unwrap_or((NEVER, 0))
}
