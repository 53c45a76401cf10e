//! The access point and the wires to its servers, sans-IO: packets as bytes go
//! in and come out, time is passed in.
//!
//! ```text
//! server --access link--+                          medium
//! server --access link--+--switch--trunk-- AP ~~~~~~~~~~~~ stations
//! ```
//! The same wires, medium and disciplines as in the simulator
//! (`airtab_sim::Simulation`), with real packets in place of simulated ones. A
//! packet between two stations crosses the air twice; one for the access point's
//! own address ends there.
//!
//! What it does not do: no clock, no sockets (`driver`), no fragmentation: all
//! links have the same MTU.

mod report;

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use airtab_core::{Handle, Meta, ParamError, Pool, Qdisc};
use airtab_scenario::QueueSpec;
use airtab_sim::engine::{EventQueue, Stream};
use airtab_sim::meter::AppMeter;
use airtab_sim::net::Link;
use airtab_sim::trace::{AirTrace, ApTrace, AppTrace};
use airtab_sim::wifi::{Label, Loss, Medium, Output};
use serde::Serialize;

use crate::flows::{self, Flows, Spread, Tally};
use crate::house::{self, House, Owner, Port};
use crate::packet::{FlowKey, MTU, Parsed, Refusal, mark_ce, parse};
use crate::snapshot::Books;
use crate::source;

/// The access point of one house.
pub struct AccessPoint {
    house: House,
    /// The discipline, as it was asked for.
    queue: String,
    now: u64,
    events: EventQueue<Event>,
    pool: Pool<Body>,
    medium: Medium,
    buffers: Buffers,
    trunk_down: Link,
    trunk_up: Link,
    /// Access links of each application's server, to and from the switch.
    servers: Vec<[Link; 2]>,
    /// Packets that have reached their end.
    out: VecDeque<Arrival>,
    given_out: Option<u32>,
    flows: Flows,
    /// Keys what disciplines see of senders.
    source_key: u64,
    stations: Vec<Tally>,
    meters: Vec<AppMeter>,
    spreads: Spreads,
    books: Books,
    refused: [u64; Refusal::ALL.len()],
    wired_inside: u64,
    max_packets: u32,
    radios: Vec<(u32, Loss)>,
    /// Of each station: why it is there no more.
    ended: Vec<Option<String>>,
    seeds: Stream,
    last: report::Last,
    changes: Vec<Change>,
}

/// Something that was changed while it ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// When, ns.
    pub at_ns: u64,
    /// What, in words.
    pub what: String,
}

/// A packet that has reached its end.
#[derive(Clone, Copy)]
struct Arrival {
    port: Port,
    at: u64,
    buffer: u32,
    bytes: u32,
}

/// Where packets spend their time, of the interval.
#[derive(Default)]
struct Spreads {
    server: Spread,
    wired: Spread,
    queue: Spread,
    air: Spread,
    uplink: Spread,
}

/// Where a packet on a wire arrives.
#[derive(Clone, Copy)]
enum Event {
    Switch(Handle),
    AccessPoint(Handle),
    Server(Handle),
}

/// Where a packet goes.
#[derive(Clone, Copy)]
enum To {
    Server(u16),
    Station(u16),
    AccessPoint,
}

/// The host's part of a packet.
#[derive(Clone, Copy)]
struct Body {
    buffer: u32,
    flow: u32,
    /// Past the end of the list: of no application.
    app: u16,
    /// The station on its way: where it comes from first, where it goes then.
    station: u16,
    /// Towards the access point still, from a station.
    up: bool,
    to: To,
    read_ns: u64,
    queued_ns: u64,
    dequeued_ns: u64,
}

impl Label for Body {
    fn label(&self) -> u32 {
        u32::from(self.station) << 16 | self.flow
    }
}

const NO_APP: u16 = u16::MAX;
/// Of packets that belong to no application: not the first.
const OTHER_CLASS: u8 = 1;

impl AccessPoint {
    /// An access point at time 0, whose discipline is `queue`.
    ///
    /// # Errors
    /// If a parameter is refused.
    ///
    /// # Panics
    /// If the scenario breaks a rule of its own.
    pub fn new(house: House, queue: &QueueSpec, seed: u64) -> Result<AccessPoint, ParamError> {
        let scenario = &house.file.scenario;
        scenario.check().expect("the scenario was checked before it is run");
        let params = queue.build(&house.file.queues)?;
        let pool = Pool::new();
        let mut seeds = Stream::new(seed, "qdisc");
        let qdisc = Qdisc::new(&pool, &params, seeds.below(u64::MAX), 0);
        let stations: Vec<_> =
            scenario.stations.iter().map(|s| (s.name.as_str(), s.rate_kbps, s.loss)).collect();
        let wired = &scenario.wired;
        let trunk = || Link::new(wired.rate_bps, wired.trunk_ns, wired.queue_packets);
        let access = |latency_ns| Link::new(wired.rate_bps, latency_ns, wired.queue_packets);
        Ok(AccessPoint {
            medium: Medium::new(scenario.medium.clone(), &stations, qdisc, seed),
            trunk_down: trunk(),
            trunk_up: trunk(),
            servers: scenario.apps.iter().map(|a| [access(a.latency_ns), access(a.latency_ns)]).collect(),
            meters: scenario.apps.iter().map(|app| AppMeter::new(app, scenario)).collect(),
            radios: stations.iter().map(|s| (s.1, s.2)).collect(),
            stations: flows::tallies(stations.len()),
            ended: vec![None; stations.len()],
            flows: Flows::new(Stream::new(seed, "flows").below(u64::MAX)),
            source_key: Stream::new(seed, "sources").below(u64::MAX),
            queue: queue.label.clone(),
            now: 0,
            events: EventQueue::new(),
            pool,
            buffers: Buffers::default(),
            out: VecDeque::with_capacity(64),
            given_out: None,
            spreads: Spreads::default(),
            books: Books::default(),
            refused: Default::default(),
            wired_inside: 0,
            max_packets: 0,
            seeds,
            last: report::Last::default(),
            changes: Vec::new(),
            house,
        })
    }

    /// When [`AccessPoint::advance`] has something to do.
    pub fn next_event(&self) -> u64 {
        self.events.next_at().min(self.medium.next_event())
    }

    /// Lets everything happen that is due by `now`, ns, each at its own time.
    pub fn advance(&mut self, now: u64) {
        loop {
            let at = self.next_event();
            if at > now {
                break;
            }
            self.now = at;
            // At equal times wires first, then the channel, as in the simulator.
            if self.events.next_at() == at {
                let (_, event) = self.events.pop().expect("there is a next event");
                self.wired_inside -= 1;
                match event {
                    Event::Switch(packet) => {
                        let at = self.trunk_down.send(at, self.pool.bytes(packet));
                        self.on_the_wire(at, packet, Event::AccessPoint);
                    }
                    Event::AccessPoint(packet) => self.arrive(packet),
                    Event::Server(packet) => self.deliver(packet, Port::Internet),
                }
            } else {
                self.medium.advance(&mut self.pool, at);
            }
            self.drain_medium();
        }
        self.now = self.now.max(now);
    }

    /// Takes a packet that a port sent at `now`, which is not before the last
    /// call's. Call [`AccessPoint::advance`] first.
    pub fn receive(&mut self, from: Port, packet: &[u8], now: u64) {
        debug_assert!(now >= self.now);
        self.now = self.now.max(now);
        self.books.taken += 1;
        if let Err(refusal) = parse(packet).and_then(|parsed| self.admit(from, packet, &parsed)) {
            self.refused[refusal as usize] += 1;
        }
    }

    /// The next packet that has reached its end: which port, when it was there,
    /// and its bytes.
    pub fn transmit(&mut self) -> Option<(Port, u64, &[u8])> {
        if let Some(buffer) = self.given_out.take() {
            self.buffers.give_back(buffer);
        }
        let arrival = self.out.pop_front()?;
        self.given_out = Some(arrival.buffer);
        let bytes = &self.buffers.get(arrival.buffer)[..arrival.bytes as usize];
        Some((arrival.port, arrival.at, bytes))
    }

    /// A port did not take what [`AccessPoint::transmit`] gave.
    pub fn unwritten(&mut self) {
        self.books.unwritten += 1;
    }

    /// Replaces the discipline; what waits is handed over.
    ///
    /// # Errors
    /// If a parameter is refused; nothing has changed then.
    pub fn set_queue(&mut self, queue: &QueueSpec) -> Result<(), ParamError> {
        let params = queue.build(&self.house.file.queues)?;
        let seed = self.seeds.below(u64::MAX);
        self.medium.swap_queue(&mut self.pool, &params, seed, self.now);
        self.queue.clone_from(&queue.label);
        self.changes.push(Change { at_ns: self.now, what: format!("the discipline became {}", queue.label) });
        self.drain_medium();
        Ok(())
    }

    /// Changes a station's rate (kb/s) and losses, from its next frame on.
    ///
    /// # Panics
    /// If there is no such station, or the rate is 0.
    pub fn set_station(&mut self, station: usize, kbps: u32, loss: Loss) {
        self.medium.set_station(station, kbps, loss, self.now);
        self.radios[station] = (kbps, loss);
        let name = &self.house.file.scenario.stations[station].name;
        let lost = 100.0 * loss.frame_error_rate();
        let what = format!("station {name} became {kbps} kb/s, {lost:.2} % of frames lost");
        self.changes.push(Change { at_ns: self.now, what });
    }

    /// A station is there no more: nobody has its addresses, as if it had never
    /// been. What is under way to or from it still goes its way.
    pub fn end_station(&mut self, station: usize, why: &str) {
        let name = &self.house.file.scenario.stations[station].name;
        self.changes.push(Change { at_ns: self.now, what: format!("station {name} ended: {why}") });
        self.ended[station] = Some(why.into());
        self.medium.end_station(station, self.now);
    }

    /// Stations that have ended, and why.
    pub fn ended(&self) -> Vec<(String, String)> {
        let stations = self.house.file.scenario.stations.iter().zip(&self.ended);
        stations.filter_map(|(s, why)| Some((s.name.clone(), why.clone()?))).collect()
    }

    /// A station's rate, kb/s, and losses.
    pub fn station(&self, station: usize) -> (u32, Loss) {
        self.radios[station]
    }

    /// The house.
    pub fn house(&self) -> &House {
        &self.house
    }

    /// What was changed since the start.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Where the channel's time went so far.
    pub fn air(&self) -> AirTrace {
        self.medium.air(self.now)
    }

    /// Where every packet went.
    pub fn books(&self) -> Books {
        let refused = Refusal::ALL.iter().map(|r| (r.name().to_owned(), self.refused[*r as usize]));
        let held = self.medium.held() as u64 + u64::from(self.medium.queue().len());
        Books {
            refused: refused.collect::<BTreeMap<_, _>>(),
            inside: self.wired_inside + held,
            ..self.books.clone()
        }
    }

    /// What the applications' packets did, for each application of the house,
    /// and what the queue and the channel did.
    pub fn finish(mut self) -> (Vec<AppTrace>, ApTrace) {
        let books = self.books();
        for packet in self.pool.handles() {
            let body = self.pool.body(packet);
            if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
                meter.under_way(matches!(body.to, To::Server(_)), body.read_ns);
            }
        }
        let (apps, places): (_, Vec<f64>) = self.meters.into_iter().map(|m| m.finish(self.now)).unzip();
        let ap = ApTrace {
            mean_packets: places.iter().sum(),
            max_packets: self.max_packets,
            counters: self.medium.queue().counters(),
            air: self.medium.air(self.now),
            wired_dropped: books.wired_dropped,
            uplink_dropped: books.uplink_dropped,
        };
        (apps, ap)
    }

    /// Frame exchanges so far.
    pub fn exchanges(&self) -> u64 {
        self.medium.exchanges()
    }

    /// Finds out where a packet goes and sends it on its way.
    fn admit(&mut self, from: Port, bytes: &[u8], parsed: &Parsed) -> Result<(), Refusal> {
        let to = self.route(parsed.destination)?;
        let up = matches!(from, Port::Station(_));
        let server = match (from, to) {
            // Servers have each their own wire: whose is it?
            (Port::Internet, _) => Some(self.route(parsed.source).and_then(|owner| match owner {
                To::Server(i) => Ok(i),
                _ => Err(Refusal::NoRoute),
            })?),
            (_, To::Server(i)) => Some(i),
            _ => None,
        };
        let station = match (from, to) {
            (Port::Station(i), _) | (_, To::Station(i)) => i,
            // Between servers and the access point: no air, and nothing to learn.
            (Port::Internet | Port::AccessPoint, To::Server(_) | To::AccessPoint) => 0,
        };
        if matches!((from, to), (Port::Internet, To::Server(_)) | (Port::AccessPoint, To::AccessPoint)) {
            return Err(Refusal::NoRoute);
        }
        // An application is between a station and its server: not what the access point says.
        let here = from == Port::AccessPoint || matches!(to, To::AccessPoint);
        let owner = server.filter(|_| !here);
        let app = owner.unwrap_or(NO_APP);
        let key = FlowKey::of(parsed, up);
        let (flow, hash) = self.flows.enter(key, owner, station, self.now);
        if !up
            && from == Port::Internet
            && let Some(ns) = self.flows.answered(flow, parsed, self.now)
        {
            self.spreads.server.record(ns);
        }
        let class = self.house.file.scenario.apps.get(usize::from(app)).map_or(OTHER_CLASS, |a| a.class);
        let meta = Meta {
            bytes: parsed.bytes,
            flow: hash,
            source: source::hash(parsed.source, self.source_key),
            sta: station,
            class,
            ecn: parsed.ecn,
            tcp: parsed.tcp,
        };
        let body = Body {
            buffer: self.buffers.keep(&bytes[..parsed.bytes as usize]),
            flow,
            app,
            station,
            up,
            to,
            read_ns: self.now,
            queued_ns: 0,
            dequeued_ns: 0,
        };
        let packet = self.pool.insert(meta, body);
        if let Some(meter) = self.meters.get_mut(usize::from(app)) {
            meter.sent(up, parsed.bytes, self.now);
        }
        match from {
            Port::Station(i) => self.medium.send_up(&mut self.pool, usize::from(i), packet, self.now),
            Port::Internet => {
                let wire = server.expect("its source was looked up");
                let at = self.servers[usize::from(wire)][0].send(self.now, parsed.bytes);
                self.on_the_wire(at, packet, Event::Switch);
            }
            Port::AccessPoint => self.arrive(packet),
        }
        self.drain_medium();
        Ok(())
    }

    fn route(&self, address: IpAddr) -> Result<To, Refusal> {
        let scenario = &self.house.file.scenario;
        match house::owner(address) {
            Some(Owner::Server(i)) if usize::from(i) < scenario.apps.len() => Ok(To::Server(i)),
            Some(Owner::Station(i)) if self.ended.get(usize::from(i)) == Some(&None) => Ok(To::Station(i)),
            Some(Owner::AccessPoint) => Ok(To::AccessPoint),
            _ => Err(Refusal::NoRoute),
        }
    }

    fn on_the_wire(&mut self, at: Option<u64>, packet: Handle, event: fn(Handle) -> Event) {
        match at {
            Some(at) => {
                self.wired_inside += 1;
                self.events.push(at, event(packet));
            }
            None => {
                self.books.wired_dropped += 1;
                self.discard(packet);
            }
        }
    }

    /// A packet is at the access point, from a wire, from itself or from the air.
    fn arrive(&mut self, mut packet: Handle) {
        let now = self.now;
        let bytes = self.pool.bytes(packet);
        let body = self.pool.body_mut(packet);
        match body.to {
            To::AccessPoint => self.deliver(packet, Port::AccessPoint),
            To::Server(i) => {
                let links = &mut self.servers[usize::from(i)];
                let at = self.trunk_up.send(now, bytes).and_then(|at| links[1].send(at, bytes));
                self.on_the_wire(at, packet, Event::Server);
            }
            To::Station(i) => {
                let up = std::mem::take(&mut body.up);
                body.queued_ns = now;
                let (app, flow, read_ns) = (body.app, body.flow, body.read_ns);
                if up {
                    packet = self.readdress(packet, i);
                } else if app != NO_APP {
                    // The access point's own packets were on no wire.
                    self.spreads.wired.record(now - read_ns);
                }
                self.flows.tally(flow).backlog += 1;
                self.stations[usize::from(i)].backlog += 1;
                if let Some(meter) = self.meters.get_mut(usize::from(app)) {
                    meter.arrived(now);
                }
                self.medium.send_down(&mut self.pool, packet, now);
                self.max_packets = self.max_packets.max(self.medium.queue().len());
            }
        }
    }

    fn drain_medium(&mut self) {
        while let Some(output) = self.medium.poll() {
            match output {
                Output::Down(packet) => {
                    let body = *self.pool.body(packet);
                    self.spreads.air.record(self.now - body.dequeued_ns);
                    let bytes = u64::from(self.pool.bytes(packet));
                    for tally in both(&mut self.flows, &mut self.stations, &body) {
                        tally.totals.down_bytes += bytes;
                    }
                    self.deliver(packet, Port::Station(body.station));
                }
                Output::Up(packet) => {
                    let body = *self.pool.body(packet);
                    self.spreads.uplink.record(self.now - body.read_ns);
                    let bytes = u64::from(self.pool.bytes(packet));
                    for tally in both(&mut self.flows, &mut self.stations, &body) {
                        tally.totals.up_bytes += bytes;
                    }
                    self.arrive(packet);
                }
                Output::Lost(packet) => {
                    self.books.lost += 1;
                    let body = *self.pool.body(packet);
                    for tally in both(&mut self.flows, &mut self.stations, &body) {
                        tally.totals.lost += 1;
                    }
                    self.discard(packet);
                }
                Output::Dropped(packet, _) => {
                    self.books.dropped += 1;
                    let body = *self.pool.body(packet);
                    for tally in both(&mut self.flows, &mut self.stations, &body) {
                        tally.totals.dropped += 1;
                        tally.backlog -= 1;
                    }
                    if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
                        meter.dropped(self.now);
                    }
                    self.discard(packet);
                }
                Output::UplinkDropped(packet) => {
                    self.books.uplink_dropped += 1;
                    let body = *self.pool.body(packet);
                    for tally in both(&mut self.flows, &mut self.stations, &body) {
                        tally.totals.uplink_dropped += 1;
                    }
                    self.discard(packet);
                }
                Output::Dequeued(packet) => {
                    let now = self.now;
                    let body = self.pool.body_mut(packet);
                    body.dequeued_ns = now;
                    let body = *body;
                    let waited = now - body.queued_ns;
                    self.spreads.queue.record(waited);
                    for tally in both(&mut self.flows, &mut self.stations, &body) {
                        tally.waited(waited);
                        tally.backlog -= 1;
                    }
                    if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
                        meter.dequeued(body.queued_ns, now);
                    }
                }
                Output::Sent { down, label, tx } => {
                    let (station, flow) = ((label >> 16) as usize, label & 0xffff);
                    let app = self.flows.app(flow);
                    for tally in [self.flows.tally_if_known(flow), self.stations.get_mut(station)] {
                        let Some(tally) = tally else { continue };
                        let totals = &mut tally.totals;
                        if down {
                            totals.down_air_ns += tx.air;
                            totals.frames += 1;
                            totals.attempts += u64::from(tx.attempts);
                        } else {
                            totals.up_air_ns += tx.air;
                        }
                    }
                    if let Some(meter) = app.and_then(|app| self.meters.get_mut(usize::from(app))) {
                        meter.transmitted(!down, &tx, self.now);
                    }
                }
            }
        }
    }

    /// A packet from one station to another crosses the air again: to the
    /// medium it is a new packet of its receiver's.
    fn readdress(&mut self, packet: Handle, station: u16) -> Handle {
        let (bytes, flow) = (self.pool.bytes(packet), self.pool.flow(packet));
        let body = Body { station, ..self.pool.remove(packet) };
        let parsed = parse(&self.buffers.get(body.buffer)[..bytes as usize]).ok();
        let source = parsed.map_or(0, |p| source::hash(p.source, self.source_key));
        let (ecn, tcp) = parsed.map_or((false, None), |p| (p.ecn, p.tcp));
        self.pool.insert(Meta { bytes, flow, source, sta: station, class: OTHER_CLASS, ecn, tcp }, body)
    }

    fn deliver(&mut self, packet: Handle, port: Port) {
        if self.pool.marked_ce(packet) {
            let buffer = self.pool.body(packet).buffer;
            mark_ce(self.buffers.get_mut(buffer));
        }
        let bytes = self.pool.bytes(packet);
        let body = self.pool.remove(packet);
        self.books.given += 1;
        let up = port == Port::Internet;
        if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
            meter.received(up, bytes, body.read_ns, self.now);
        }
        if up && let Ok(parsed) = parse(&self.buffers.get(body.buffer)[..bytes as usize]) {
            self.flows.asked(body.flow, &parsed, self.now);
        }
        self.flows.leave(body.flow, self.now);
        self.out.push_back(Arrival { port, at: self.now, buffer: body.buffer, bytes });
    }

    fn discard(&mut self, packet: Handle) {
        let body = self.pool.remove(packet);
        self.flows.leave(body.flow, self.now);
        self.buffers.give_back(body.buffer);
    }
}

/// The tallies that a packet counts in: its flow's and its station's.
fn both<'a>(flows: &'a mut Flows, stations: &'a mut [Tally], body: &Body) -> [&'a mut Tally; 2] {
    [flows.tally(body.flow), &mut stations[usize::from(body.station)]]
}

/// Places for the bytes of packets; they are used again and again.
#[derive(Default)]
struct Buffers {
    places: Vec<[u8; MTU]>,
    free: Vec<u32>,
}

impl Buffers {
    fn keep(&mut self, bytes: &[u8]) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push([0; MTU]);
            self.places.len() as u32 - 1
        });
        self.places[number as usize][..bytes.len()].copy_from_slice(bytes);
        number
    }

    fn get(&self, number: u32) -> &[u8; MTU] {
        &self.places[number as usize]
    }

    fn get_mut(&mut self, number: u32) -> &mut [u8; MTU] {
        &mut self.places[number as usize]
    }

    fn give_back(&mut self, number: u32) {
        self.free.push(number);
    }
}

#[cfg(test)]
mod tests;
