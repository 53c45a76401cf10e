//! One access point, its stations, one channel: IEEE 802.11 DCF, sans-IO.
//!
//! Packets go in by [`Cell::send_down`] and [`Cell::send_up`]; time passes by
//! [`Cell::advance`]; what happened comes out of [`Cell::poll`]. The simulator
//! drives a cell in virtual time, the live access point by the wall clock.
//!
//! One frame exchange is one busy period of the channel, resolved as a whole
//! when it starts: who sends (one, or several that collide), whether DATA and
//! ACK arrive, when it ends. No event per slot, none per receiver.
//!
//! A sender tries a frame up to [`CellConfig::attempts`] times and backs off by
//! its rule (`rule`); it holds one frame (the access point's discipline holds the rest).
//! After a frame received in error its receiver waits EIFS; after a collision
//! all who did not send do. Receivers filter duplicates.
//!
//! Contender 0 is the access point, contender i + 1 is station i.
//!
//! What it does not do: see the module's page (`wifi`).

use std::collections::VecDeque;

use airtab_core::{GROUP, Handle, Heard, Params, Pool, Qdisc, Ticket, Tx};

use super::config::{CellConfig, DeliverOn, Loss};
use super::contention::Contention;
use super::downlink::Downlink;
use super::link::Radios;
use super::output::{Attempt, Carried, End, Label, Output};
use super::rule::Rule;
use crate::engine::{NEVER, Stream};
use crate::trace::AirTrace;

/// The access point, the stations and the channel.
pub struct Cell {
    config: CellConfig,
    radios: Radios,
    contention: Contention,
    /// Backoff draws, per contender.
    draws: Vec<Stream>,
    /// The frame each contender works on.
    frames: Vec<Option<Frame>>,
    /// How each contender backs off.
    rules: Vec<Rule>,
    down: Downlink,
    uplinks: Vec<VecDeque<Handle>>,
    next_beacon: u64,
    beacon_due: bool,
    senders: Vec<usize>,
    /// Scratch: who was cut off in its EIFS.
    cut: Vec<usize>,
    /// End of the busy period, NEVER when the channel is idle.
    busy_until: u64,
    busy_from: u64,
    idle_since: u64,
    outcome: End,
    garbled: Garbled,
    /// How many slots EIFS ends later than the wait for the ACK and DIFS.
    eifs_slots: u64,
    air: AirTrace,
    exchanges: u64,
    /// Attempts not looked at yet; None while the tap is off.
    attempts: Option<Vec<Attempt>>,
    outputs: VecDeque<Output>,
}

/// What a contender is trying to send.
#[derive(Clone, Copy)]
struct Frame {
    /// None: a beacon.
    packet: Option<Handle>,
    /// The station at the other end; None: broadcast, no ACK.
    station: Option<usize>,
    flow: u32,
    label: u32,
    ticket: Ticket,
    kbps: u32,
    /// Probability that one of its DATA or ACKs is lost.
    error_rate: f64,
    data_ns: u64,
    /// SIFS and ACK, or the wait for it.
    ack_ns: u64,
    attempts: u8,
    /// Its receiver has it.
    received: bool,
    /// Start of the first attempt.
    since: u64,
    /// Channel time of its own attempts and backoffs so far.
    air: u64,
    /// As much of it as the discipline has been told of.
    heard: u64,
}

/// Who received a frame in error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Garbled {
    Nowhere,
    At(usize),
    Everywhere,
}

impl Cell {
    /// A cell of stations with a PHY rate (kb/s) and losses each; `names` are
    /// those of their random streams. `queue` is the access point's discipline.
    pub fn new(config: CellConfig, stations: &[(&str, u32, Loss)], queue: Qdisc, seed: u64) -> Cell {
        let contenders = stations.len() + 1;
        let names = stations.iter().map(|s| format!("backoff/station/{}", s.0));
        let names = std::iter::once("backoff/access point".into()).chain(names);
        Cell {
            contention: Contention::new(
                contenders,
                config.phy.slot_ns(),
                config.phy.difs_ns(),
                config.backoff,
            ),
            draws: names.map(|name: String| Stream::new(seed, &name)).collect(),
            frames: vec![None; contenders],
            rules: vec![Rule::dcf(&config.phy); contenders],
            uplinks: stations
                .iter()
                .map(|_| VecDeque::with_capacity(config.uplink_packets.min(4096)))
                .collect(),
            next_beacon: config.beacon.map_or(NEVER, |b| b.interval_ns),
            radios: Radios::new(config.phy, stations, seed),
            down: Downlink::new(queue, config.phy, stations.iter().map(|s| s.1)),
            config,
            beacon_due: false,
            senders: Vec::with_capacity(contenders),
            cut: Vec::with_capacity(contenders),
            busy_until: NEVER,
            busy_from: 0,
            idle_since: 0,
            outcome: End::Broadcast,
            garbled: Garbled::Nowhere,
            eifs_slots: 0,
            air: AirTrace::default(),
            exchanges: 0,
            attempts: None,
            outputs: VecDeque::with_capacity(64),
        }
    }

    /// When [`Cell::advance`] has something to do, if nothing is sent before.
    pub fn next_event(&self) -> u64 {
        let channel = if self.busy_until != NEVER { self.busy_until } else { self.contention.next_start() };
        channel.min(self.next_beacon).min(self.down.next_event())
    }

    /// Lets everything happen that is due by `now`, ns. Call it before packets
    /// are sent at `now`.
    pub fn advance<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        loop {
            let at = self.next_event();
            if at > now {
                return;
            }
            if self.next_beacon == at {
                self.beacon(at);
            } else if self.down.next_event() == at {
                let free_ns = self.air(at).idle_ns;
                self.down.tick(pool, free_ns, at, &mut self.outputs);
                self.load_down(pool, at);
            } else if self.busy_until == at {
                self.finish(pool, at);
            } else {
                self.start(at);
            }
        }
    }

    /// Hands a packet to the access point's discipline.
    pub fn send_down<T: Label>(&mut self, pool: &mut Pool<T>, packet: Handle, now: u64) {
        self.down.enqueue(pool, packet, now, &mut self.outputs);
        self.load_down(pool, now);
    }

    /// Hands a packet to a station's uplink queue.
    pub fn send_up<T: Label>(&mut self, pool: &mut Pool<T>, station: usize, packet: Handle, now: u64) {
        if self.uplinks[station].len() >= self.config.uplink_packets {
            self.outputs.push_back(Output::UplinkDropped(packet));
            return;
        }
        self.uplinks[station].push_back(packet);
        if self.frames[station + 1].is_none() {
            self.load_up(pool, station);
            self.make_ready(station + 1, now);
        }
    }

    /// A station's PHY rate (kb/s, not 0) and losses change, both ways, from the
    /// next frame on: one under way keeps its own.
    ///
    /// # Panics
    /// If there is no such station, or `kbps` is 0.
    pub fn set_station(&mut self, station: usize, kbps: u32, loss: Loss, now: u64) {
        self.radios.set(station, kbps, loss);
        self.down.set_station(station, kbps, now);
    }

    /// A station is there no more: the discipline is told. What is under way to or
    /// from it still goes its way.
    ///
    /// # Panics
    /// If there is no such station.
    pub fn end_station(&mut self, station: usize, now: u64) {
        self.down.end_station(station, now);
    }

    /// Another discipline takes over under traffic. It gets the packets queued,
    /// oldest first, as if they arrived at `now`; what is too much for it comes
    /// out as [`Output::Dropped`]. The frame at the MAC stays there and is
    /// charged to nobody. Counters begin anew.
    ///
    /// # Panics
    /// If [`Params::check`] would fail.
    pub fn swap_queue<T: Label>(&mut self, pool: &mut Pool<T>, params: &Params, seed: u64, now: u64) {
        if let Some(frame) = &mut self.frames[0] {
            frame.ticket = Ticket::default();
        }
        let free_ns = self.air(now).idle_ns;
        self.down.swap(pool, params, seed, free_ns, now, &mut self.outputs);
        self.load_down(pool, now);
    }

    /// What happened since the last look.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The access point's discipline.
    pub fn queue(&self) -> &Qdisc {
        self.down.queue()
    }

    /// Where the channel's time went until `now`; the parts sum to it.
    pub fn air(&self, now: u64) -> AirTrace {
        let mut air = self.air;
        if self.busy_until == NEVER {
            air.idle_ns += now - self.idle_since;
        } else {
            air.idle_ns += self.busy_from - self.idle_since;
            *self.share(&mut air) += now.min(self.busy_until) - self.busy_from;
        }
        air
    }

    /// Frame exchanges so far, collisions and beacons included.
    pub fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// Switches reports of every attempt on or off.
    pub fn tap(&mut self, on: bool) {
        self.attempts = on.then(Vec::new);
    }

    /// Takes the attempts that ended since the last look; None while the tap
    /// is off. Look before [`Cell::poll`]: the packets are still there then.
    pub fn attempts(&mut self) -> Option<Vec<Attempt>> {
        self.attempts.as_mut().map(std::mem::take)
    }

    /// Packets inside: held by the MACs and in uplink queues.
    pub fn held(&self) -> usize {
        let frames = self.frames.iter().flatten().filter(|f| f.packet.is_some() && !f.received).count();
        frames + self.uplinks.iter().map(VecDeque::len).sum::<usize>()
    }

    fn share<'a>(&self, air: &'a mut AirTrace) -> &'a mut u64 {
        match (self.outcome, self.senders[0]) {
            (End::Collision, _) => &mut air.collision_ns,
            (End::Broadcast, _) if self.frames[0].is_some_and(|f| f.packet.is_none()) => &mut air.beacon_ns,
            (_, 0) => &mut air.down_ns,
            _ => &mut air.up_ns,
        }
    }

    fn beacon(&mut self, now: u64) {
        let beacon = self.config.beacon.expect("only due when there is one");
        self.next_beacon = now + beacon.interval_ns;
        self.beacon_due = true;
        if self.frames[0].is_none() {
            self.load_beacon();
            self.make_ready(0, now);
        }
    }

    fn load_beacon(&mut self) {
        let beacon = self.config.beacon.expect("only due when there is one");
        let body = beacon.bytes.saturating_sub(self.config.phy.mac_bytes());
        self.beacon_due = false;
        self.frames[0] = Some(Frame {
            packet: None,
            station: None,
            flow: 0,
            label: 0,
            ticket: Ticket::default(),
            kbps: beacon.kbps,
            error_rate: 0.0,
            data_ns: self.config.phy.data_ns(beacon.kbps, body),
            ack_ns: 0,
            attempts: 0,
            received: false,
            since: 0,
            air: 0,
            heard: 0,
        });
    }

    /// Gives the idle access point its next frame, if there is one.
    fn load_down<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        if self.frames[0].is_none() && self.next_down(pool, now) {
            self.make_ready(0, now);
        }
    }

    fn next_down<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) -> bool {
        if self.beacon_due {
            self.load_beacon();
            return true;
        }
        let Some((packet, ticket)) = self.down.dequeue(pool, now, &mut self.outputs) else { return false };
        let sta = pool.sta(packet);
        let station = (sta != GROUP).then_some(usize::from(sta));
        self.frames[0] = Some(self.frame(pool, packet, station, ticket));
        true
    }

    /// Takes the next packet of a station's uplink queue.
    fn load_up<T: Label>(&mut self, pool: &Pool<T>, station: usize) -> bool {
        let Some(packet) = self.uplinks[station].pop_front() else { return false };
        self.frames[station + 1] = Some(self.frame(pool, packet, Some(station), Ticket::default()));
        true
    }

    fn frame<T: Label>(
        &self,
        pool: &Pool<T>,
        packet: Handle,
        station: Option<usize>,
        ticket: Ticket,
    ) -> Frame {
        let rate = self.radios.rate(station);
        Frame {
            packet: Some(packet),
            station,
            flow: pool.flow(packet),
            label: pool.body(packet).label(),
            ticket,
            kbps: rate.kbps(),
            error_rate: station.map_or(0.0, |s| self.radios.error_rate(s)),
            data_ns: rate.data_ns(pool.bytes(packet)),
            ack_ns: if station.is_some() { rate.ack_ns } else { 0 },
            attempts: 0,
            received: false,
            since: 0,
            air: 0,
            heard: 0,
        }
    }

    /// A contender without a frame got one.
    fn make_ready(&mut self, i: usize, now: u64) {
        // What arrives with the end of a busy period (a TCP ACK for the data
        // just received) found the channel busy.
        if self.busy_until == NEVER && now > self.idle_since {
            self.contention.ready_when_idle(i, now);
        } else {
            let (rule, random) = (self.rules[i], &mut self.draws[i]);
            self.contention.ready_when_busy(i, || rule.draw(random));
        }
    }

    /// The channel becomes busy: decides how it will end.
    fn start(&mut self, now: u64) {
        self.contention.start(&mut self.senders, &mut self.cut);
        for &i in &self.cut {
            let slots = self.rules[i].draw(&mut self.draws[i]);
            self.contention.draw(i, slots);
        }
        self.exchanges += 1;
        self.busy_from = now;
        let (mut busy, mut ack) = (0, 0);
        for &i in &self.senders {
            let frame = self.frames[i].as_mut().expect("a sender has a frame");
            if frame.attempts == 0 {
                frame.since = now;
            }
            frame.attempts += 1;
            frame.air += frame.data_ns + frame.ack_ns;
            busy = busy.max(frame.data_ns + frame.ack_ns);
            ack = ack.max(frame.ack_ns);
        }
        self.busy_until = now + busy;
        let first = self.senders[0];
        let Frame { station, error_rate, .. } = self.frames[first].expect("a sender has a frame");
        self.outcome = match station {
            _ if self.senders.len() > 1 => End::Collision,
            None => End::Broadcast,
            Some(station) if self.radios.loses(station, error_rate) => End::DataLost,
            Some(station) if self.radios.loses(station, error_rate) => End::AckLost,
            Some(_) => End::Acked,
        };
        self.garbled = match self.outcome {
            _ if !self.config.eifs => Garbled::Nowhere,
            End::Collision => Garbled::Everywhere,
            End::DataLost if first > 0 => Garbled::At(0),
            End::DataLost => Garbled::At(station.expect("broadcast is never lost") + 1),
            _ => Garbled::Nowhere,
        };
        if self.garbled != Garbled::Nowhere {
            let late = self.config.phy.eifs_ns().saturating_sub(ack + self.config.phy.difs_ns());
            self.eifs_slots = late.div_ceil(self.config.phy.slot_ns());
        }
    }

    /// The busy period is over.
    fn finish<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        self.air.idle_ns += self.busy_from - self.idle_since;
        let mut air = self.air;
        *self.share(&mut air) += now - self.busy_from;
        self.air = air;
        self.busy_until = NEVER;
        self.idle_since = now;
        let senders = std::mem::take(&mut self.senders);
        for &i in &senders {
            self.resolve(pool, i, now);
        }
        self.defer(&senders);
        self.senders = senders;
        self.contention.idle(now);
    }

    /// What the end of the busy period means for sender `i`.
    fn resolve<T: Label>(&mut self, pool: &mut Pool<T>, i: usize, now: u64) {
        let mut frame = self.frames[i].take().expect("a sender has a frame");
        if self.attempts.is_some() {
            self.note_attempt(i, &frame);
        }
        let acked = matches!(self.outcome, End::Acked | End::Broadcast);
        let arrived = acked || (self.outcome == End::AckLost && self.config.deliver_on == DeliverOn::Data);
        let last = acked || frame.station.is_none() || frame.attempts >= self.config.attempts;
        match last {
            true => self.rules[i].done(),
            false => self.rules[i].failed(),
        }
        let slots = self.rules[i].draw(&mut self.draws[i]);
        if arrived && !frame.received {
            frame.received = true;
            if let Some(packet) = frame.packet {
                self.outputs.push_back(if i == 0 { Output::Down(packet) } else { Output::Up(packet) });
            }
        }
        if let (true, Some(station), true) = (arrived, frame.station, i > 0) {
            let air = frame.air - frame.heard;
            self.down.heard(&Heard { flow: frame.flow, sta: station as u16, air }, now);
            frame.heard = frame.air;
        }
        if !last {
            frame.air += self.config.phy.difs_ns() + slots * self.config.phy.slot_ns();
            self.frames[i] = Some(frame);
            self.contention.sent(i, slots, true);
            return;
        }
        if let Some(packet) = frame.packet {
            let tx = Tx { air: frame.air, span: now - frame.since, attempts: frame.attempts, acked };
            if i == 0 {
                self.down.sent(&frame.ticket, &tx, now);
            }
            self.outputs.push_back(Output::Sent { down: i == 0, label: frame.label, tx });
            if !frame.received {
                self.outputs.push_back(Output::Lost(packet));
            }
        }
        let more = if i == 0 { self.next_down(pool, now) } else { self.load_up(pool, i - 1) };
        self.contention.sent(i, slots, more);
    }

    #[cold]
    fn note_attempt(&mut self, i: usize, frame: &Frame) {
        let carried = match frame.packet {
            None => Carried::Beacon,
            Some(_) if frame.received => Carried::Duplicate,
            Some(packet) => Carried::Packet(packet),
        };
        let attempt = Attempt {
            start_ns: self.busy_from,
            carried,
            data_ns: frame.data_ns.try_into().expect("a frame lasts less than 4 s"),
            kbps: frame.kbps,
            sender: i as u16,
            station: frame.station.map_or(GROUP, |s| s as u16),
            number: frame.attempts,
            end: self.outcome,
        };
        self.attempts.get_or_insert_default().push(attempt);
    }

    /// EIFS for those who received a frame in error.
    fn defer(&mut self, senders: &[usize]) {
        match self.garbled {
            Garbled::Nowhere => {}
            Garbled::At(i) => self.contention.defer(i, self.eifs_slots),
            Garbled::Everywhere => {
                for i in (0..self.frames.len()).filter(|i| !senders.contains(i)) {
                    self.contention.defer(i, self.eifs_slots);
                }
            }
        }
    }
}
