// SPDX-License-Identifier: MIT OR GPL-2.0-only
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

mod admission;
mod buffers;
mod classes;
mod fate;
mod outcomes;
mod paths;
mod report;

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;

use airtab_core::ParamError;
use airtab_scenario::QueueSpec;
use airtab_sim::wifi::{AirTrace, Loss, Speed};
use airtab_sim::world::{Home, HomeHost, World};
use airtab_sim::{ApTrace, AppMeter, AppTrace, Stream};
use serde::Serialize;

use admission::Body;
use buffers::Buffers;
use outcomes::Outcomes;
use paths::Paths;

use crate::flows::{self, Flows, Spread, Tally};
use crate::house::{House, Port};
use crate::packet::{MTU, Refusal, parse};
use crate::snapshot::Books;

/// The access point of one house.
pub struct AccessPoint {
    house: House,
    /// The discipline, as it was asked for.
    queue: String,
    world: World<Body, Infallible>,
    home: Home,
    /// Of each application: the number of the server behind whose link its own is.
    servers: Vec<u16>,
    buffers: Buffers,
    /// Packets that have reached their end.
    out: VecDeque<Arrival>,
    /// The one that was handed over last.
    given: [u8; MTU],
    flows: Flows,
    /// Keys what disciplines see of senders.
    source_key: u64,
    stations: Vec<Tally>,
    meters: Vec<AppMeter>,
    /// What packets of each application met of late.
    paths: Vec<Paths>,
    outcomes: Outcomes,
    spreads: Spreads,
    /// Below the discipline there is a driver's ring.
    driven: bool,
    /// Packets that ports sent, and that they did not take.
    taken: u64,
    unwritten: u64,
    refused: [u64; Refusal::ALL.len()],
    radios: Vec<(Speed, Loss)>,
    /// Of each station: why it is there no more.
    ended: Vec<Option<String>>,
    last: report::Last,
    changes: Vec<Change>,
}

/// Changes that are remembered.
const CHANGES: usize = 256;

/// Something that was changed while it ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// When, ns.
    pub at_ns: u64,
    /// What, in words.
    pub what: String,
}

/// Where packets are in memory. What they took is used again and never given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Packets that are on their way: as many as [`Books::inside`].
    pub packets: usize,
    /// Packets that have reached their end and are not handed over yet.
    pub arrived: usize,
    /// Buffers that hold the bytes of a packet: of these two.
    pub buffers: usize,
    /// Buffers that there are: the most that held bytes at a time so far.
    pub places: usize,
}

/// How much of what is sent to a station gets there, in words.
pub(crate) fn how_heard(loss: Loss) -> String {
    match loss {
        Loss::Signal(signal) => format!("{:.1} dB above the noise", signal.mean.db()),
        loss => format!("{:.2} % of frames lost", 100.0 * loss.data_error_rate()),
    }
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
    ring: Spread,
    air: Spread,
    uplink_queue: Spread,
    uplink_air: Spread,
    uplink_wired: Spread,
}

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
        let (access, servers) = scenario.access_links(|_| 1);
        let (home, topology) =
            Home::new(scenario, access, &params).expect("scenario and parameters were checked");
        let (mut world, buffers) = (World::new(topology, seed), Buffers::default());
        world.lend_acks(buffers.clone());
        Ok(AccessPoint {
            world,
            home,
            servers,
            paths: vec![Paths::default(); scenario.apps.len()],
            outcomes: Outcomes::new(scenario),
            driven: scenario.medium.has_driver(),
            meters: scenario.apps.iter().map(|app| AppMeter::new(app, scenario)).collect(),
            radios: scenario.stations.iter().map(|s| (s.speed, s.loss)).collect(),
            stations: flows::tallies(scenario.stations.len()),
            ended: vec![None; scenario.stations.len()],
            flows: Flows::new(Stream::new(seed, "flows").below(u64::MAX)),
            source_key: Stream::new(seed, "sources").below(u64::MAX),
            queue: queue.label.clone(),
            buffers,
            out: VecDeque::with_capacity(64),
            given: [0; MTU],
            spreads: Spreads::default(),
            taken: 0,
            unwritten: 0,
            refused: Default::default(),
            last: report::Last::default(),
            changes: Vec::new(),
            house,
        })
    }

    /// When [`AccessPoint::advance`] has something to do.
    pub fn next_event(&self) -> u64 {
        self.world.next_event()
    }

    /// Lets everything happen that is due by `now`, ns, each at its own time.
    pub fn advance(&mut self, now: u64) {
        while self.world.advance(now) {
            self.look();
        }
    }

    /// Takes a packet that a port sent at `now`, which is not before the last
    /// call's. Call [`AccessPoint::advance`] first.
    pub fn receive(&mut self, from: Port, packet: &[u8], now: u64) {
        self.taken += 1;
        match parse(packet).and_then(|parsed| self.admit(from, packet, &parsed, now)) {
            Ok(()) => self.look(),
            Err(refusal) => self.refused[refusal as usize] += 1,
        }
    }

    /// The next packet that has reached its end: which port, when it was there,
    /// and its bytes.
    pub fn transmit(&mut self) -> Option<(Port, u64, &[u8])> {
        let arrival = self.out.pop_front()?;
        let given = &mut self.given[..arrival.bytes as usize];
        let mut places = self.buffers.lock();
        given.copy_from_slice(&places.get(arrival.buffer)[..given.len()]);
        places.give_back(arrival.buffer);
        Some((arrival.port, arrival.at, given))
    }

    /// A port did not take what [`AccessPoint::transmit`] gave.
    pub fn unwritten(&mut self) {
        self.unwritten += 1;
    }

    /// Replaces the discipline; what waits is handed over.
    ///
    /// # Errors
    /// If a parameter is refused; nothing has changed then.
    pub fn set_queue(&mut self, queue: &QueueSpec) -> Result<(), ParamError> {
        let params = queue.build(&self.house.file.queues)?;
        self.world.swap_queue(0, &params);
        self.queue.clone_from(&queue.label);
        self.note(format!("the discipline became {}", queue.label));
        self.look();
        Ok(())
    }

    /// Changes a station's speed and losses, from its next frame on.
    ///
    /// # Panics
    /// If there is no such station, or a rate is 0.
    pub fn set_station(&mut self, station: usize, speed: impl Into<Speed>, loss: Loss) {
        let speed = speed.into();
        self.world.set_station(0, station, speed, loss);
        self.radios[station] = (speed, loss);
        let name = &self.house.file.scenario.stations[station].name;
        self.note(format!("station {name} became {speed}, {}", how_heard(loss)));
    }

    /// A station is there no more: nobody has its addresses, as if it had never
    /// been. What is under way to or from it still goes its way.
    pub fn end_station(&mut self, station: usize, why: &str) {
        let name = &self.house.file.scenario.stations[station].name;
        self.note(format!("station {name} ended: {why}"));
        self.ended[station] = Some(why.into());
        self.world.end_station(0, station);
    }

    /// Remembers a change, or that there were more than it remembers: somebody may make them for days.
    fn note(&mut self, what: String) {
        let what = match self.changes.len() {
            ..CHANGES => what,
            CHANGES => "came further changes".into(),
            _ => return,
        };
        self.changes.push(Change { at_ns: self.world.now(), what });
    }

    /// Stations that have ended, and why.
    pub fn ended(&self) -> Vec<(String, String)> {
        let stations = self.house.file.scenario.stations.iter().zip(&self.ended);
        stations.filter_map(|(s, why)| Some((s.name.clone(), why.clone()?))).collect()
    }

    /// A station's speed and losses.
    pub fn station(&self, station: usize) -> (Speed, Loss) {
        self.radios[station]
    }

    /// The house.
    pub fn house(&self) -> &House {
        &self.house
    }

    /// What was changed since the start: the first 256 changes, and that there were more.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Where the channel's time went so far.
    pub fn air(&self) -> AirTrace {
        self.world.medium(0).air(self.world.now())
    }

    /// Where every packet went.
    pub fn books(&self) -> Books {
        let refused = Refusal::ALL.iter().map(|r| (r.name().to_owned(), self.refused[*r as usize]));
        let world = self.world.books();
        Books {
            taken: self.taken,
            made: self.world.pool().acks_made(),
            given: world.received,
            dropped: world.dropped_ap,
            lost: world.lost,
            uplink_dropped: world.dropped_uplink,
            wired_dropped: world.dropped_wired,
            refused: refused.collect::<BTreeMap<_, _>>(),
            inside: world.inside,
            unwritten: self.unwritten,
        }
    }

    /// Where they are in memory.
    pub fn room(&self) -> Room {
        let places = self.buffers.lock();
        Room {
            packets: self.world.pool().len(),
            arrived: self.out.len(),
            buffers: places.all.len() - places.free.len(),
            places: places.all.len(),
        }
    }

    /// What the applications' packets did, for each application of the house,
    /// and what the queue and the channel did.
    pub fn finish(mut self) -> (Vec<AppTrace>, ApTrace) {
        let (pool, now) = (self.world.pool(), self.world.now());
        for packet in pool.handles().map(|packet| pool.body(packet)) {
            if let Some(meter) = self.meters.get_mut(usize::from(packet.body.app)) {
                let up = matches!(self.home.host(packet.to), Some(HomeHost::Server(_)));
                meter.under_way(up, packet.sent_ns);
            }
        }
        let (apps, places): (_, Vec<f64>) = self.meters.into_iter().map(|m| m.finish(now)).unzip();
        let (books, medium) = (self.world.books(), self.world.medium(0));
        let ap = ApTrace {
            mean_packets: places.iter().sum(),
            deviation_packets: None,
            max_packets: self.world.max_packets(0),
            counters: medium.counters(),
            air: medium.air(now),
            winners: medium.winners(),
            wired_dropped: books.dropped_wired,
            uplink_dropped: books.dropped_uplink,
        };
        (apps, ap)
    }

    /// Frame exchanges so far.
    pub fn exchanges(&self) -> u64 {
        self.world.medium(0).exchanges()
    }
}

#[cfg(test)]
mod tests;
