// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One access point, its stations, one channel: IEEE 802.11 DCF, sans-IO.
//!
//! Packets go in by [`Cell::send_down`] and [`Cell::send_up`]; time passes by
//! [`Cell::advance`]; what happened comes out of [`Cell::poll`]. The simulator
//! drives a cell in virtual time, the live access point by the wall clock.
//!
//! Here the parts meet: a transmitter's queue (`egress`), and what it holds below it
//! (`driver`), fills an exchange (`exchange`), its contender contends for the channel
//! (`channel`), and each busy period is resolved as a whole when it starts (`busy`).
//!
//! Without access categories transmitter 0 is the access point and transmitter i + 1 is
//! station i; with them each has four in their place, one for each category, in ascending
//! order. A transmitter has the contender of its number.
//!
//! What it does not do: see the module's page (`wifi`).

use airtab_core::{Format, GROUP, Handle, Heard, Params, Pool, Qdisc, Ticket};

use super::access::{AccessRule, Contest};
use super::aggregate::{Bounds, Length};
use super::air::{AirTrace, Use};
use super::below::Below;
use super::capture::Capture;
use super::channel::{ChannelAccess, Phase};
use super::config::{CellConfig, Loss, Speed};
use super::edca::{Category, Edca};
use super::egress::{Egress, Left, Managed};
use super::exchange::{Exchange, Kind, Part};
use super::links::Links;
use super::mesh::Mesh;
use super::output::{Attempt, Label, Output, Side, Way};
use super::overhearing::Overhearing;
use super::phy::Radios;
use super::rule::Rule;
use super::tap::Tap;
use super::transmitter::{Contender, Transmitter};
use super::winners::Winners;
use crate::engine::{NEVER, Outbox, Stream};

/// Room for what one moment brings: an aggregate of 256 that closes a hole before 256, with what is told of each.
const OUTPUTS: usize = 1024;

/// The access point, the stations and the channel.
pub struct Cell {
    config: CellConfig,
    /// Transmitters of the access point, and of each station.
    categories: usize,
    radios: Radios,
    overhearing: Overhearing,
    channel: ChannelAccess,
    contenders: Vec<Contender>,
    transmitters: Vec<Transmitter>,
    /// Of these, who has events of its own: beacons, or a discipline.
    timed: Vec<usize>,
    /// The first of these events and of late senders' timeouts.
    alarm: u64,
    /// Contenders that received the last frame on the channel in error; its sender is not in it.
    errored: Vec<usize>,
    /// Transmitters of the access point that got a packet of another one's queue, or whose packet another one sent: a bit
    /// for each. They are served at the end of the event.
    stirred: u8,
    /// The cell's next event: this one or the channel's.
    next: u64,
    /// Contenders that hear of every busy period, and those that draw again after it.
    listening: Vec<usize>,
    forgetful: Vec<usize>,
    /// None: a collision spoils all frames in it.
    capture: Option<Box<Capture>>,
    /// Contender whose frame survives the others of the busy period.
    survivor: Option<usize>,
    /// None: nobody asks who wins.
    winners: Option<Box<Winners>>,
    /// None: the announced TXOP limit is constant.
    announcement: Option<Box<Announcement>>,
    tap: Tap,
    outputs: Outbox<Output>,
    /// Nothing comes between the end of a packet and what the disciplines are told of it.
    tells_at_once: bool,
    /// Drivers build an aggregate when its sender wins.
    builds_late: bool,
    /// Who will sleep, the next one last.
    naps: Vec<Nap>,
    walks: Vec<Walking>,
    /// Who is next to whom; None: all are next to the access point.
    mesh: Option<Box<Mesh>>,
    /// What each node of it has, and the seed of its streams.
    of_nodes: Vec<(CellConfig, u64)>,
}

impl Cell {
    /// A cell of stations with a speed ([`Speed`]; a number is a PHY rate in kb/s) and losses each; `names`
    /// are those of their random streams. `queue` is the access point's discipline; where there are access
    /// categories, each has one like it.
    pub fn new<S: Into<Speed> + Copy>(
        config: CellConfig,
        stations: &[(&str, S, Loss)],
        queue: Qdisc,
        seed: u64,
    ) -> Cell {
        let stations: Vec<(&str, Speed, Loss)> = stations.iter().map(|s| (s.0, s.1.into(), s.2)).collect();
        let radios = Radios::new(&config, &stations, seed);
        let categories = if config.edca == Edca::Off { 1 } else { Category::ALL.len() };
        let managed = |queue, number, category: Category| {
            let draws = Stream::new(seed, &format!("completions/{number}"));
            let links = radios.links();
            let below = Below::new(&config.driver, links.all(), config.access_ns(category), draws);
            let managed = Managed::new(queue, links).above(below);
            let promotes = categories > 1 && category == Category::BestEffort;
            Egress::Managed(if promotes { managed.with_categories() } else { managed })
        };
        let fifos = (0..categories * stations.len()).map(|_| Egress::fifo(config.uplink_packets));
        let mut queues: Vec<Egress> = (1..categories as u64)
            .zip([Category::Background, Category::Video, Category::Voice])
            .map(|(i, category)| managed(queue.like(seed.wrapping_add(i), 0), i, category))
            .collect();
        // The one that was given is best effort's.
        let best_effort = Category::BestEffort;
        queues.insert(best_effort as usize % categories, managed(queue, 0, best_effort));
        queues.extend(fifos);
        Cell::with_queues(config, &stations, radios, queues, seed)
    }

    /// A queue for each transmitter.
    fn with_queues(
        config: CellConfig,
        stations: &[(&str, Speed, Loss)],
        radios: Radios,
        queues: Vec<Egress>,
        seed: u64,
    ) -> Cell {
        let categories = queues.len() / (stations.len() + 1);
        let all = queues.len();
        let mut contenders = Vec::with_capacity(all);
        let mut transmitters = Vec::with_capacity(queues.len());
        let mut aifsn = Vec::with_capacity(queues.len());
        for (number, queue) in queues.into_iter().enumerate() {
            let (radio, category) = (number / categories, number % categories);
            let station = radio.checked_sub(1).map(|station| &stations[station]);
            let mut name =
                station.map_or("backoff/access point".into(), |s| format!("backoff/station/{}", s.0));
            let kbps = station.map(|s| s.1.kbps());
            let contest = Contest { phy: &config.phy, kbps, number, contenders: all };
            let mut rule = Rule::new(&AccessRule::default(), &contest);
            let mut txop_ns = 0;
            if categories > 1 {
                let access = Category::ALL[category].access(&config, radio == 0);
                rule = Rule::edca(&access);
                txop_ns = access.txop_ns;
                aifsn.push(access.aifsn);
                name = format!("{name}/{}", Category::NAMES[category]);
            }
            contenders.push(Contender::new(number, rule, txop_ns, Stream::new(seed, &name)));
            let side =
                radio.checked_sub(1).map_or(Side::AccessPoint, |station| Side::Station(station as u16));
            let receivers = if side.is_down() { stations.len() } else { 1 };
            // Beacons go out with the greatest priority.
            let beacons = (number + 1 == categories).then(|| Stream::new(seed, "beacons"));
            let mut own = Transmitter::new(side, queue, number, receivers, beacons, &config);
            let older = |i: &usize| stations[*i].1.rate.format() == Format::Legacy;
            let all = if side.is_down() { 0..stations.len() } else { radio - 1..radio };
            for (receiver, _) in all.enumerate().filter(|(_, station)| older(station)) {
                own.driver.iter_mut().for_each(|driver| driver.forget_agreement(receiver));
            }
            transmitters.push(own);
        }
        let aifsn = Some(&aifsn[..]).filter(|aifsn| !aifsn.is_empty());
        let overhearing = Overhearing::new(stations.iter().map(|s| (s.0, s.2)), seed);
        let capture = Capture::new(&config, stations.iter().map(|s| &s.2));
        let announcement = Announcement::new(&config, stations.len());
        let cell =
            Cell::assemble(config, (radios, overhearing), contenders, transmitters, (categories, aifsn));
        let mut cell = Cell { capture, announcement, ..cell };
        cell.set_alarm();
        cell.look_ahead();
        cell
    }

    /// Of its parts; `aifsn`: that of each contender, where there are access categories.
    fn assemble(
        config: CellConfig,
        (radios, overhearing): (Radios, Overhearing),
        contenders: Vec<Contender>,
        transmitters: Vec<Transmitter>,
        (categories, aifsn): (usize, Option<&[u64]>),
    ) -> Cell {
        let tells_at_once = config.driver.tells_at_once();
        let builds_late = transmitters.iter().any(|t| t.driver.as_ref().is_some_and(|d| d.builds_late()));
        let mut cell = Cell {
            channel: ChannelAccess::new(&config, transmitters.len(), contenders.len(), aifsn),
            radios,
            overhearing,
            errored: Vec::with_capacity(contenders.len()),
            stirred: 0,
            timed: (0..transmitters.len()).filter(|i| transmitters[*i].is_timed()).collect(),
            categories,
            listening: Vec::new(),
            forgetful: Vec::new(),
            capture: None,
            survivor: None,
            announcement: None,
            winners: config.winners.then(|| Box::new(Winners::new(contenders.len()))),
            contenders,
            transmitters,
            config,
            tap: Tap::default(),
            outputs: Outbox::with_capacity(OUTPUTS),
            tells_at_once,
            builds_late,
            alarm: NEVER,
            next: NEVER,
            naps: Vec::new(),
            walks: Vec::new(),
            mesh: None,
            of_nodes: Vec::new(),
        };
        cell.take_all();
        cell.set_alarm();
        cell.look_ahead();
        cell
    }

    /// When [`Cell::advance`] has something to do, if nothing is sent before.
    #[inline]
    pub fn next_event(&self) -> u64 {
        self.next
    }

    /// Lets everything happen that is due by `now`, ns. Call it before packets
    /// are sent at `now`.
    pub fn advance<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        while self.next <= now {
            let at = self.next;
            if self.alarm == at {
                self.ring(pool, at);
            } else {
                match self.channel.phase() {
                    Phase::Idle => self.start(pool, at),
                    Phase::Data => self.land(at),
                    Phase::Answer => self.finish(pool, at),
                    Phase::Gap => self.go_on(at),
                    Phase::Apart => self.apart(pool, at),
                }
            }
            self.serve_stirred(pool, at);
            self.look_ahead();
        }
    }

    /// A station's queues are under a discipline, not FIFOs: told what transmissions took, but of no links. Of a mesh:
    /// a node's queue is under this one, and is told of links, too.
    ///
    /// # Panics
    /// If there is no such station, or it has packets or a discipline already.
    pub fn set_uplink(&mut self, station: usize, queue: Qdisc) {
        if self.mesh.is_some() {
            return self.set_node_queue(station, queue);
        }
        let first = self.first_of(Side::Station(station as u16));
        let like: Vec<Qdisc> = (1..self.categories as u64).map(|i| queue.like(i, 0)).collect();
        for (number, queue) in (first..).zip(std::iter::once(queue).chain(like)) {
            let egress = &mut self.transmitters[number].egress;
            assert!(
                matches!(egress, Egress::Fifo { .. }) && egress.len() == 0,
                "chosen once, before it is used"
            );
            *egress = Egress::Managed(Managed::new(queue, Links::new(self.config.phy, Vec::new())));
            if !self.timed.contains(&number) {
                self.timed.push(number);
            }
        }
    }

    /// Hands a packet to the access point's discipline.
    pub fn send_down<T: Label>(&mut self, pool: &mut Pool<T>, packet: Handle, now: u64) {
        self.send(pool, Side::AccessPoint, packet, now);
    }

    /// Hands a packet to a station's uplink queue.
    pub fn send_up<T: Label>(&mut self, pool: &mut Pool<T>, station: usize, packet: Handle, now: u64) {
        self.send(pool, Side::Station(station as u16), packet, now);
    }

    /// A station's speed and losses change, both ways, from the next attempt on.
    ///
    /// # Panics
    /// If there is no such station, or a rate is 0.
    pub fn set_station(&mut self, station: usize, speed: impl Into<Speed>, loss: Loss, now: u64) {
        self.radios.set(station, speed.into(), loss, now);
        self.overhearing.set(station, loss);
        self.capture.iter_mut().for_each(|capture| capture.set(station, &loss));
        let link = self.radios.link(station);
        self.access_points().for_each(|queue| queue.set_station(&link, now));
    }

    /// A station is there no more: the discipline is told. What is under way to or
    /// from it still goes its way.
    ///
    /// # Panics
    /// If there is no such station.
    pub fn end_station(&mut self, station: usize, now: u64) {
        self.access_points().for_each(|queue| queue.end_station(station, now));
    }

    /// Another discipline takes over under traffic. It gets the packets queued,
    /// oldest first, as if they arrived at `now`; what is too much for it comes
    /// out as [`Output::Dropped`]. What is below the queue stays there and is
    /// charged to nobody. Counters begin anew.
    ///
    /// # Panics
    /// If [`Params::check`] would fail.
    pub fn swap_queue<T: Label>(&mut self, pool: &mut Pool<T>, params: &Params, seed: u64, now: u64) {
        let free_ns = self.free_ns(now);
        for number in 0..self.served() {
            let Transmitter { side, egress, driver, contender, .. } = &mut self.transmitters[number];
            let below = driver.iter_mut().flat_map(|driver| driver.waiting_mut());
            let sent = self.contenders[*contender].together_mut().flat_map(|own| &mut own.parts);
            for part in below.chain(sent) {
                part.ticket = Ticket::default();
            }
            let queue = egress.managed_mut().expect("the access point has a discipline");
            queue.swap(pool, params, seed, free_ns, now, |p, why| self.outputs.push(side.dropped(p, why)));
        }
        self.set_alarm();
        (0..self.served()).for_each(|number| self.serve(pool, number, now));
        self.serve_stirred(pool, now);
        self.look_ahead();
    }

    /// Whether there is something to poll, or an attempt to look at.
    #[inline]
    pub fn speaks(&self) -> bool {
        !self.outputs.is_empty() || self.tap.is_on()
    }

    /// What happened since the last look.
    #[inline]
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop()
    }

    /// What [`Medium::poll`](super::Medium::poll) takes.
    #[inline(always)]
    pub(super) fn outputs(&mut self) -> &mut Outbox<Output> {
        &mut self.outputs
    }

    fn access_points(&mut self) -> impl Iterator<Item = &mut Managed> {
        self.transmitters[..self.categories].iter_mut().filter_map(|t| t.egress.managed_mut())
    }

    /// Number of the first transmitter of a side.
    #[inline]
    fn first_of(&self, side: Side) -> usize {
        match side {
            Side::AccessPoint => 0,
            Side::Station(station) => (usize::from(station) + 1) * self.categories,
            Side::Node(node) => node.into(),
        }
    }

    #[inline]
    fn send<T: Label>(&mut self, pool: &mut Pool<T>, side: Side, packet: Handle, now: u64) {
        let mut transmitter = self.first_of(side);
        if self.categories > 1 {
            transmitter += Category::of_dscp(pool.dscp(packet)) as usize;
        }
        let Transmitter { side, egress, .. } = &mut self.transmitters[transmitter];
        egress.enqueue(pool, packet, now, |p, why| self.outputs.push(side.dropped(p, why)));
        self.serve(pool, transmitter, now);
        self.serve_stirred(pool, now);
        self.look_ahead();
    }

    /// To be called when the next event may be another one.
    #[inline]
    fn look_ahead(&mut self) {
        self.next = self.channel.next_event().min(self.alarm);
    }

    /// To be called when a transmitter's own next event may be another one, or a late sender's.
    fn set_alarm(&mut self) {
        let events = self.timed.iter().map(|t| self.transmitters[*t].next_event());
        self.alarm = events.min().unwrap_or(NEVER).min(self.channel.next_timeout()).min(self.next_plan());
    }

    /// A transmitter's beacon is due, its discipline wants to be asked, or a late sender has
    /// waited long enough.
    #[inline(never)]
    fn ring<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        if self.channel.next_timeout() == now {
            let sender = self.channel.timed_out(now).expect("the timeout is somebody's");
            self.resolve(pool, sender, now);
            return self.set_alarm();
        }
        if self.nap(now) || self.step(now) || self.announce(now) {
            return;
        }
        let mut due = self.timed.iter().copied().filter(|t| self.transmitters[*t].next_event() == now);
        let transmitter = due.next().expect("the alarm is somebody's");
        let free_ns = match &self.mesh {
            None => self.free_ns(now),
            Some(_) => self.free_of_node_ns(transmitter, now),
        };
        let Transmitter { side, egress, beacons, driver, .. } = &mut self.transmitters[transmitter];
        let beacon = beacons.as_mut().is_some_and(|b| b.come(now));
        if let Some(driver) = driver.as_mut().filter(|driver| driver.deadline() <= now) {
            driver.expire(now, |packet| self.outputs.push(side.arrived(packet)));
        }
        if let (false, Some(queue)) = (beacon, egress.managed_mut()) {
            if queue.samples_links(now) {
                match &self.mesh {
                    None => self.radios.moving_links().for_each(|link| queue.look_up(&link)),
                    Some(mesh) => mesh.links(transmitter, &self.radios).for_each(|link| queue.look_up(&link)),
                }
            }
            queue.tick(pool, free_ns, now, |p, why| self.outputs.push(side.dropped(p, why)));
        }
        self.set_alarm();
        self.serve(pool, transmitter, now);
    }

    /// Serves those that promoted packets have come to, or were sent for.
    #[inline(always)]
    fn serve_stirred<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        while self.stirred != 0 {
            let transmitter = self.stirred.trailing_zeros() as usize;
            self.stirred &= self.stirred - 1;
            self.serve(pool, transmitter, now);
        }
    }

    /// Gives a transmitter's idle contender its next exchange, if there is one.
    #[inline(always)]
    fn serve<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) {
        let number = self.transmitters[transmitter].contender;
        let sending = self.contenders[number].exchange.is_under_way();
        if sending && self.transmitters[transmitter].driver.is_some() {
            self.pull(pool, transmitter, now);
        }
        if !sending && self.load(pool, transmitter, now) {
            self.channel.ready(number, now, || self.contenders[number].draw());
        }
    }

    /// A beacon that waits comes first, then the next packets. False: there is neither.
    fn load<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) -> bool {
        let from = &mut self.transmitters[transmitter];
        let (side, contender) = (from.side, from.contender);
        if let Some(beacon) = from.take_beacon() {
            let exchange = &mut self.contenders[contender].exchange;
            exchange.open(Kind::Beacon, None, None);
            exchange.frame = beacon;
            return true;
        }
        if from.driver.is_some() {
            self.pull(pool, transmitter, now);
            return self.load_next(transmitter, now);
        }
        let Some(left) = self.dequeue(pool, transmitter, now) else { return false };
        let packet = pool.view(left.packet);
        let (link, to) = self.way(side, packet.sta);
        let exchange = &mut self.contenders[contender].exchange;
        exchange.open(Kind::Data, link, to);
        self.radios.set_frame(&mut exchange.frame, link, packet.bytes);
        exchange.push(Part::new(&packet, left, now));
        true
    }

    /// The link that a packet takes, and whose transmitter it is for: of a station's to the access point, else
    /// to station `sta`.
    #[inline]
    fn way(&self, side: Side, sta: u16) -> (Option<u16>, Option<usize>) {
        match side {
            Side::Station(station) => (Some(station), Some(0)),
            Side::AccessPoint => {
                let station = Some(sta).filter(|sta| *sta != GROUP);
                (station, station.map(|station| self.first_of(Side::Station(station))))
            }
            Side::Node(node) => self.way_of_node(node, sta),
        }
    }

    /// The next packet of a queue.
    #[inline(always)]
    fn dequeue<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) -> Option<Left> {
        let Transmitter { side, egress, .. } = &mut self.transmitters[transmitter];
        let (side, before) = (*side, egress.wish());
        let left = egress.dequeue(pool, now, |p, why| self.outputs.push(side.dropped(p, why)));
        if egress.wish() != before {
            self.set_alarm();
        }
        let left = left?;
        pool.body_mut(left.packet).dequeued(now);
        match side {
            Side::AccessPoint => self.outputs.push(Output::Dequeued(left.packet)),
            Side::Station(_) => {}
            Side::Node(node) => self.outputs.push(Output::NodeDequeued(node, left.packet)),
        }
        Some(left)
    }
}

mod access;
mod announce;
mod apart;
mod below;
mod busy;
mod capture;
mod driven;
mod duplex;
mod edca;
mod node;
mod ofdma;
mod views;
mod walks;

use announce::Announcement;
use below::Nap;
use walks::Walking;
#[cfg(test)]
mod tests;
