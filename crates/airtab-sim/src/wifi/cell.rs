// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One access point, its stations, one channel: IEEE 802.11 DCF, sans-IO.
//!
//! Packets go in by [`Cell::send_down`] and [`Cell::send_up`]; time passes by
//! [`Cell::advance`]; what happened comes out of [`Cell::poll`]. The simulator
//! drives a cell in virtual time, the live access point by the wall clock.
//!
//! Here the parts meet: a transmitter's queue (`egress`) fills an exchange
//! (`exchange`), its contender contends for the channel (`channel`), and each
//! busy period is resolved as a whole when it starts: who sends (one, or several
//! that collide), what arrives, when it ends. No event per slot, none per receiver:
//! it starts, its DATA is over (what arrived is passed up), its ACK is.
//!
//! A contender tries a part up to [`CellConfig::attempts`] times and backs off by
//! its rule (`rule`). Who received the last frame in error waits EIFS: after a
//! collision all who did not send, after DATA without an ACK its addressee, after
//! an ACK the sender of the DATA, and of the others who overheard it so
//! (`overhearing`). Receivers filter duplicates.
//!
//! Transmitter 0 is the access point, transmitter i + 1 is station i; each has the
//! contender of its number.
//!
//! What it does not do: see the module's page (`wifi`).

use airtab_core::{GROUP, Handle, Heard, Params, Pool, Qdisc, Ticket};

use super::air::{AirTrace, Use};
use super::channel::{ChannelAccess, Phase};
use super::config::{CellConfig, Loss};
use super::egress::{Egress, Managed};
use super::exchange::{Answer, Part};
use super::output::{Attempt, Label, Output, Side};
use super::overhearing::Overhearing;
use super::phy::Radios;
use super::rule::Rule;
use super::tap::Tap;
use super::transmitter::{Contender, Transmitter};
use crate::engine::{NEVER, Outbox, Stream};

/// Number of the access point's transmitter.
const ACCESS_POINT: usize = 0;

/// Number of a station's transmitter.
fn transmitter_of(station: usize) -> usize {
    station + 1
}

/// The access point, the stations and the channel.
pub struct Cell {
    config: CellConfig,
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
    /// The cell's next event: this one or the channel's.
    next: u64,
    tap: Tap,
    outputs: Outbox<Output>,
}

impl Cell {
    /// A cell of stations with a PHY rate (kb/s) and losses each; `names` are
    /// those of their random streams. `queue` is the access point's discipline.
    pub fn new(config: CellConfig, stations: &[(&str, u32, Loss)], queue: Qdisc, seed: u64) -> Cell {
        let queue = Managed::new(queue, config.phy, stations.iter().map(|s| s.1));
        let fifos = stations.iter().map(|_| Egress::fifo(config.uplink_packets));
        let queues = std::iter::once(Egress::Managed(queue)).chain(fifos).collect();
        Cell::with_queues(config, stations, queues, seed)
    }

    /// A queue for each transmitter.
    fn with_queues(
        config: CellConfig,
        stations: &[(&str, u32, Loss)],
        queues: Vec<Egress>,
        seed: u64,
    ) -> Cell {
        let names = stations.iter().map(|s| format!("backoff/station/{}", s.0));
        let names = std::iter::once("backoff/access point".into()).chain(names);
        let draws = names.map(|name: String| Stream::new(seed, &name));
        let rates = std::iter::once(None).chain(stations.iter().map(|s| Some(s.1)));
        let rules = rates.map(|kbps| Rule::dcf(&config.phy, kbps));
        let contender = |(transmitter, (rule, draws))| Contender::new(transmitter, rule, draws);
        let contenders: Vec<_> = rules.zip(draws).enumerate().map(contender).collect();
        let sides = std::iter::once(Side::AccessPoint).chain((0..stations.len() as u16).map(Side::Station));
        let transmitter = |(number, (side, queue))| Transmitter::new(side, queue, number, &config);
        let transmitters: Vec<_> = sides.zip(queues).enumerate().map(transmitter).collect();
        let mut cell = Cell {
            channel: ChannelAccess::new(&config, transmitters.len(), contenders.len()),
            radios: Radios::new(config.phy, stations, seed),
            overhearing: Overhearing::new(stations.iter().map(|s| (s.0, s.2)), seed),
            errored: Vec::with_capacity(contenders.len()),
            timed: (0..transmitters.len()).filter(|i| transmitters[*i].is_timed()).collect(),
            contenders,
            transmitters,
            config,
            tap: Tap::default(),
            outputs: Outbox::with_capacity(64),
            alarm: NEVER,
            next: NEVER,
        };
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
                    Phase::Idle => self.start(at),
                    Phase::Data => self.land(at),
                    Phase::Answer => self.finish(pool, at),
                }
            }
            self.look_ahead();
        }
    }

    /// A station's own queue is one under a discipline, instead of a FIFO. Like a driver's at a station it is told what
    /// transmissions took, but of no links.
    ///
    /// # Panics
    /// If there is no such station, or it has packets already.
    pub fn set_uplink(&mut self, station: usize, queue: Qdisc) {
        let number = transmitter_of(station);
        let transmitter = &mut self.transmitters[number];
        assert_eq!(transmitter.egress.len(), 0, "a queue is chosen before it is used");
        transmitter.egress = Egress::Managed(Managed::new(queue, self.config.phy, std::iter::empty()));
        if !self.timed.contains(&number) {
            self.timed.push(number);
        }
        self.set_alarm();
        self.look_ahead();
    }

    /// Hands a packet to the access point's discipline.
    pub fn send_down<T: Label>(&mut self, pool: &mut Pool<T>, packet: Handle, now: u64) {
        self.send(pool, ACCESS_POINT, packet, now);
    }

    /// Hands a packet to a station's uplink queue.
    pub fn send_up<T: Label>(&mut self, pool: &mut Pool<T>, station: usize, packet: Handle, now: u64) {
        self.send(pool, transmitter_of(station), packet, now);
    }

    /// A station's PHY rate (kb/s, not 0) and losses change, both ways, from the
    /// next frame on: one under way keeps its own.
    ///
    /// # Panics
    /// If there is no such station, or `kbps` is 0.
    pub fn set_station(&mut self, station: usize, kbps: u32, loss: Loss, now: u64) {
        self.radios.set(station, kbps, loss);
        self.overhearing.set(station, loss);
        self.access_point_mut().set_station(station, kbps, now);
    }

    /// A station is there no more: the discipline is told. What is under way to or
    /// from it still goes its way.
    ///
    /// # Panics
    /// If there is no such station.
    pub fn end_station(&mut self, station: usize, now: u64) {
        self.access_point_mut().end_station(station, now);
    }

    /// Another discipline takes over under traffic. It gets the packets queued,
    /// oldest first, as if they arrived at `now`; what is too much for it comes
    /// out as [`Output::Dropped`]. The frame at the MAC stays there and is
    /// charged to nobody. Counters begin anew.
    ///
    /// # Panics
    /// If [`Params::check`] would fail.
    pub fn swap_queue<T: Label>(&mut self, pool: &mut Pool<T>, params: &Params, seed: u64, now: u64) {
        let Transmitter { side, egress, contender, .. } = &mut self.transmitters[ACCESS_POINT];
        for part in &mut self.contenders[*contender].exchange.parts {
            part.ticket = Ticket::default();
        }
        let free_ns = self.channel.ledger().ns(Use::Idle, now);
        let queue = egress.managed_mut().expect("the access point has a discipline");
        queue.swap(pool, params, seed, free_ns, now, |p, why| self.outputs.push(side.dropped(p, why)));
        self.set_alarm();
        self.serve(pool, ACCESS_POINT, now);
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

    /// The access point's discipline.
    pub fn queue(&self) -> &Qdisc {
        let access_point = self.transmitters[ACCESS_POINT].egress.managed();
        access_point.expect("the access point has a discipline").queue()
    }

    /// Where the channel's time went until `now`; the parts sum to it. And how often it was tried.
    pub fn air(&self, now: u64) -> AirTrace {
        let (attempts, collided) = self.channel.attempts();
        let down = |transmitter: usize| self.transmitters[transmitter].side.is_down();
        AirTrace { attempts, collided, ..self.channel.ledger().trace(now, down) }
    }

    /// Frame exchanges so far, collisions and beacons included.
    pub fn exchanges(&self) -> u64 {
        self.channel.exchanges()
    }

    /// Switches reports of every attempt on or off.
    pub fn tap(&mut self, on: bool) {
        self.tap.switch(on);
    }

    /// Takes the attempts that ended since the last look; None while the tap
    /// is off. Look before [`Cell::poll`]: the packets are still there then.
    pub fn attempts(&mut self) -> Option<Vec<Attempt>> {
        self.tap.take()
    }

    /// Packets inside: held by the MACs and in uplink queues.
    pub fn held(&self) -> usize {
        let parts = self.contenders.iter().flat_map(|c| &c.exchange.parts);
        let stations = self.transmitters.iter().filter(|t| !t.side.is_down());
        parts.filter(|part| !part.received).count() + stations.map(|t| t.egress.len()).sum::<usize>()
    }

    fn access_point_mut(&mut self) -> &mut Managed {
        let access_point = self.transmitters[ACCESS_POINT].egress.managed_mut();
        access_point.expect("the access point has a discipline")
    }

    #[inline]
    fn send<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, packet: Handle, now: u64) {
        let Transmitter { side, egress, .. } = &mut self.transmitters[transmitter];
        egress.enqueue(pool, packet, now, |p, why| self.outputs.push(side.dropped(p, why)));
        self.serve(pool, transmitter, now);
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
        self.alarm = events.min().unwrap_or(NEVER).min(self.channel.next_timeout());
    }

    /// A transmitter's beacon is due, its discipline wants to be asked, or a late sender has
    /// waited long enough.
    fn ring<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        if self.channel.next_timeout() == now {
            let sender = self.channel.timed_out(now).expect("the timeout is somebody's");
            self.resolve(pool, sender, now);
            return self.set_alarm();
        }
        let mut due = self.timed.iter().copied().filter(|t| self.transmitters[*t].next_event() == now);
        let transmitter = due.next().expect("the alarm is somebody's");
        let Transmitter { side, egress, beacons, .. } = &mut self.transmitters[transmitter];
        let beacon = beacons.as_mut().is_some_and(|b| b.come(now));
        if let (false, Some(queue)) = (beacon, egress.managed_mut()) {
            let free_ns = self.channel.ledger().ns(Use::Idle, now);
            queue.tick(pool, free_ns, now, |p, why| self.outputs.push(side.dropped(p, why)));
        }
        self.set_alarm();
        self.serve(pool, transmitter, now);
    }

    /// Gives a transmitter's idle contender its next exchange, if there is one.
    #[inline(always)]
    fn serve<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) {
        let number = self.transmitters[transmitter].contender;
        if !self.contenders[number].exchange.is_under_way() && self.load(pool, transmitter, now) {
            self.channel.ready(number, now, || self.contenders[number].draw());
        }
    }

    /// A beacon that waits comes first, then the next packet. False: there is neither.
    fn load<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) -> bool {
        let from = &mut self.transmitters[transmitter];
        let (side, contender) = (from.side, from.contender);
        if let Some(beacon) = from.take_beacon() {
            self.contenders[contender].exchange.open(beacon, None, None);
            return true;
        }
        let before = from.egress.next_event();
        let next = from.egress.dequeue(pool, now, |p, why| self.outputs.push(side.dropped(p, why)));
        if from.egress.next_event() != before {
            self.set_alarm();
        }
        let Some((packet, ticket)) = next else { return false };
        pool.body_mut(packet).dequeued(now);
        let (link, to) = match side {
            Side::Station(station) => (Some(station), Some(ACCESS_POINT)),
            Side::AccessPoint => {
                self.outputs.push(Output::Dequeued(packet));
                let station = Some(pool.sta(packet)).filter(|sta| *sta != GROUP);
                (station, station.map(|sta| transmitter_of(sta.into())))
            }
        };
        let part = Part::new(pool, packet, ticket);
        let exchange = &mut self.contenders[contender].exchange;
        exchange.open(self.radios.frame(link, part.bytes), link, to);
        exchange.push(part);
        true
    }

    /// The channel becomes busy: decides how it will end.
    fn start(&mut self, now: u64) {
        let senders = self.channel.start(|contender| self.contenders[contender].draw());
        let collided = senders.len() > 1;
        let (mut used, mut data_ns) = (Use::Idle, 0);
        for &sender in senders {
            let Contender { exchange, transmitter, .. } = &mut self.contenders[sender];
            exchange.begin(&mut self.radios, collided, now);
            data_ns = exchange.frame.data_ns.max(data_ns);
            used = match exchange.is_empty() {
                _ if collided => Use::Collision,
                true => Use::Beacon(*transmitter),
                false => Use::Frame(*transmitter),
            };
        }
        self.channel.occupy(used, now, data_ns);
        if self.channel.has_late() {
            self.set_alarm();
        }
    }

    /// DATA is over: who has received it, and when the busy period ends.
    fn land(&mut self, now: u64) {
        if self.tap.is_on() {
            self.note();
        }
        self.errored.clear();
        let until = match *self.channel.senders() {
            [sender] => {
                let Contender { exchange, transmitter, .. } = &mut self.contenders[sender];
                let side = self.transmitters[*transmitter].side;
                exchange.land(&self.config, |packet| self.outputs.push(side.arrived(packet)));
                let (to, answer, ack_ns) = (exchange.to, exchange.answer, exchange.frame.ack_ns);
                if self.overhearing.frame() {
                    self.overhear(sender, to);
                }
                let until = now + u64::from(ack_ns);
                match (answer, to) {
                    (Answer::Missing, Some(to)) => {
                        self.errored.push(self.transmitters[to].contender);
                        self.channel.silent_until(until, &self.errored)
                    }
                    _ => until,
                }
            }
            ref senders => {
                let timeouts = senders.iter().map(|s| self.timeout(*s));
                let first = timeouts.min().expect("several collided");
                self.errored.extend(self.channel.bystanders());
                self.channel.silent_until(first, &self.errored)
            }
        };
        self.channel.landed(until);
    }

    /// The attempts under way, for who looks at them.
    #[cold]
    fn note(&mut self) {
        let senders = self.channel.senders();
        for &sender in senders {
            let Contender { exchange, transmitter, .. } = &self.contenders[sender];
            self.tap.note(exchange, *transmitter, self.channel.busy_from(), senders.len() > 1);
        }
    }

    /// Some overhear the last frame of an exchange in error.
    #[cold]
    fn overhear(&mut self, sender: usize, to: Option<usize>) {
        self.overhearing.in_error(|station| {
            let transmitter = transmitter_of(station);
            let contender = self.transmitters[transmitter].contender;
            if contender != sender && Some(transmitter) != to {
                self.errored.push(contender);
            }
        });
    }

    /// When a sender has waited for its ACK, or knows that there is none.
    fn timeout(&self, sender: usize) -> u64 {
        self.channel.busy_from() + self.contenders[sender].exchange.frame.air_ns()
    }

    /// The busy period is over.
    fn finish<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        self.channel.release(now);
        // Who waited for an ACK and heard this instead.
        while let Some(sender) = self.channel.timed_out(NEVER) {
            self.resolve(pool, sender, now);
        }
        let silent = match *self.channel.senders() {
            [sender] => self.contenders[sender].exchange.answer == Answer::Missing,
            _ => true,
        };
        if silent || !self.errored.is_empty() {
            self.defer(now, silent);
        }
        for i in 0..self.channel.senders().len() {
            let sender = self.channel.senders()[i];
            match self.timeout(sender) {
                timeout if silent && timeout > now => self.channel.hold(sender, timeout),
                _ => self.resolve(pool, sender, now),
            }
        }
        if self.channel.has_late() {
            self.set_alarm();
        }
        self.channel.idle(now);
    }

    /// Who did not send, and from when on it counts: from EIFS if it received the last
    /// frame in error, else from when the channel was reserved to. `silent`: that frame was DATA.
    fn defer(&mut self, now: u64, silent: bool) {
        let last = if silent { self.channel.data_until() } else { now };
        for &contender in &self.errored {
            self.channel.errored(contender, last);
        }
        // Where several sent, everybody else is among these.
        let reserved = self.timeout(self.channel.senders()[0]);
        if silent && reserved > now {
            for contender in 0..self.contenders.len() {
                if !self.errored.contains(&contender) && !self.channel.senders().contains(&contender) {
                    self.channel.reserved(contender, reserved);
                }
            }
        }
    }

    /// A sender knows what became of its attempt.
    fn resolve<T: Label>(&mut self, pool: &mut Pool<T>, sender: usize, now: u64) {
        let Contender { exchange, transmitter, rule, .. } = &mut self.contenders[sender];
        let transmitter = *transmitter;
        let garbled = exchange.answer == Answer::Garbled;
        let side = self.transmitters[transmitter].side;
        let to = exchange.to;
        let failed = exchange.settle(&self.config, |part, settled| {
            if let (true, Side::Station(station), Some(to)) = (settled.arrived, side, to) {
                let heard = Heard { flow: part.flow, sta: station, air: part.hear() };
                self.transmitters[to].egress.heard(&heard, now);
            }
            if settled.over {
                let tx = part.tx(settled.acked, now);
                self.transmitters[transmitter].egress.sent(&part.ticket, &tx, now);
                self.outputs.push(Output::Sent { down: side.is_down(), label: part.label, tx });
                if !part.received {
                    self.outputs.push(Output::Lost(part.packet));
                }
            }
        });
        match failed {
            true => rule.failed(),
            false => rule.done(),
        }
        let contender = &mut self.contenders[sender];
        let slots = contender.draw();
        let again = !contender.exchange.is_empty();
        match again {
            true => contender.exchange.charge(self.channel.wait_ns(slots, garbled)),
            false => contender.exchange.close(),
        }
        if garbled {
            self.channel.errored(sender, now);
        }
        let more = again || self.load(pool, transmitter, now);
        self.channel.sent(sender, slots, more);
    }
}

#[cfg(test)]
mod tests;
