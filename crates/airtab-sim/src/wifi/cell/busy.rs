// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A busy period of the channel, from who sends to what everybody makes of it: it starts, its DATA is over
//! (what arrived is passed up), its ACK is. No event per slot, none per receiver.
//!
//! A contender tries a part up to [`CellConfig::attempts`] times and backs off by its rule (`rule`). Who
//! received the last frame in error waits EIFS: after a collision all who did not send, after DATA without an
//! ACK its addressee, after an ACK the sender of the DATA, and of the others who overheard it so
//! (`overhearing`). Receivers filter duplicates.
//!
//! Limits: TXOPs and internal collisions are in `edca`.

use super::capture::{overlap_answer, survivor};
use super::node::{receiver_at, receiver_of};
use super::*;
use crate::wifi::config::LostBar;
use crate::wifi::exchange::Answer;

impl Cell {
    /// The channel becomes busy: decides how it will end.
    pub(super) fn start<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        self.channel.start(|contender| self.contenders[contender].draw());
        while let Some(beaten) = self.channel.take_beaten() {
            self.give_way(pool, beaten, now);
        }
        if self.builds_late {
            for i in 0..self.channel.senders().len() {
                self.build(pool, self.channel.senders()[i], now);
            }
        }
        let senders = self.channel.senders();
        let collided = senders.len() > 1;
        self.survivor = None;
        if let (true, Some(capture)) = (collided, &self.capture) {
            self.survivor = survivor(capture, senders, &self.contenders, self.categories);
        }
        if let Some(winners) = &mut self.winners
            && let Some(winner) = if collided { self.survivor } else { Some(senders[0]) }
        {
            winners.won(winner);
        }
        let (mut used, mut data_ns) = (Use::Idle, 0);
        for &sender in senders {
            let contender = &mut self.contenders[sender];
            contender.begin(&mut self.radios, collided && self.survivor != Some(sender), now);
            contender.txop_until = now + contender.txop_ns;
            contender.guarded = contender.exchange.frame.rts_ns > 0;
            data_ns = contender.exchange.on_air_ns().max(data_ns);
            used = match contender.exchange.kind {
                _ if collided => Use::Collision,
                Kind::Beacon => Use::Beacon(contender.transmitter),
                Kind::Data | Kind::Bar => Use::Frame(contender.transmitter),
            };
        }
        if let (Some(survivor), Some(capture)) = (self.survivor, &self.capture) {
            used = Use::Frame(self.contenders[survivor].transmitter);
            let times = (self.categories, self.config.phy.sifs_ns());
            overlap_answer(capture, (survivor, senders), &mut self.contenders, times);
        }
        if let Some(mesh) = &mut self.mesh {
            mesh.tried(senders);
        }
        if let Use::Beacon(_) = used {
            self.adopt();
        }
        self.channel.occupy(used, now, data_ns);
        if !self.listening.is_empty() {
            self.hear();
        }
        if self.channel.has_late() {
            self.set_alarm();
        }
    }

    /// DATA is over: who has received it, and when the busy period ends.
    pub(super) fn land(&mut self, now: u64) {
        if self.tap.is_on() {
            self.note();
        }
        self.errored.clear();
        if let Some(survivor) = self.survivor {
            if self.land_survivor(survivor, now) {
                return;
            }
            self.survivor = None;
        }
        let until = match *self.channel.senders() {
            [sender] => {
                self.arrive(sender, now);
                if self.overhearing.frame() {
                    self.overhear(sender);
                }
                let (sent, until) = (&self.contenders[sender], self.known(sender));
                if let Some(mesh) = &self.mesh {
                    let answered = sent.answer() != Answer::Missing;
                    mesh.undecoded(sender, sent.exchange.to, answered, &mut self.errored);
                }
                match sent.answer() {
                    Answer::Missing => {
                        let to = sent.together().filter_map(|own| own.to);
                        self.errored.extend(to.flat_map(|to| to..to + self.categories));
                        self.channel.silent_until(until, &self.errored)
                    }
                    _ => until,
                }
            }
            ref senders => {
                let timeouts = senders.iter().map(|s| self.known(*s));
                let first = timeouts.min().expect("several collided");
                self.errored.extend(self.channel.bystanders());
                self.channel.silent_until(first, &self.errored)
            }
        };
        self.channel.landed(until);
    }

    /// The only sender's frame is over: what its receivers pass up.
    pub(super) fn arrive(&mut self, sender: usize, now: u64) {
        let contender = &mut self.contenders[sender];
        let Transmitter { side, driver, .. } = &self.transmitters[contender.transmitter];
        if driver.is_none() {
            let (side, outputs) = (*side, &mut self.outputs);
            return contender.exchange.land(&self.config, |packet| outputs.push(side.arrived(packet)));
        }
        for user in 0..contender.users() {
            self.arrive_numbered(sender, user, now);
        }
    }

    /// What one of a driver's receivers passes up.
    #[inline(never)]
    fn arrive_numbered(&mut self, sender: usize, user: usize, now: u64) {
        let contender = &mut self.contenders[sender];
        let Transmitter { side, driver, .. } = &mut self.transmitters[contender.transmitter];
        let driver = driver.as_mut().expect("its sender has one");
        let exchange = contender.user(user);
        let (side, outputs) = (*side, &mut self.outputs);
        let receiver = receiver_of(self.mesh.as_deref(), side, exchange.link);
        let before = driver.deadline();
        match (exchange.kind, receiver) {
            (Kind::Bar, Some(receiver)) if exchange.answer != Answer::Missing => {
                driver.asked(receiver, |packet| outputs.push(side.arrived(packet)));
            }
            (Kind::Data, _) => exchange.land_numbered(&self.config, |sequence, parts| {
                let packets = parts.iter().map(|part| part.packet);
                let (Some(receiver), Some(sequence)) = (receiver, sequence) else {
                    return packets.for_each(|packet| outputs.push(side.arrived(packet)));
                };
                let up = |packet| outputs.push(side.arrived(packet));
                if !driver.receive(receiver, sequence, packets, now, up) {
                    parts.iter().for_each(|part| outputs.push(Output::Lost(part.packet)));
                }
            }),
            _ => {}
        }
        if driver.deadline() != before {
            self.set_alarm();
        }
    }

    /// Some overhear the last frame of an exchange in error.
    #[cold]
    fn overhear(&mut self, sender: usize) {
        let (categories, sent) = (self.categories, &self.contenders[sender]);
        self.overhearing.in_error(|station| {
            let first = (station + 1) * categories;
            let is_for_it = || sent.together().any(|own| own.to == Some(first));
            if first != sender / categories * categories && !is_for_it() {
                self.errored.extend(first..first + categories);
            }
        });
    }

    /// When a sender has waited for its ACK, or knows that there is none.
    fn known(&self, sender: usize) -> u64 {
        self.channel.busy_from() + self.contenders[sender].exchange.known_ns()
    }

    /// The busy period is over.
    pub(super) fn finish<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        if let [sender] = *self.channel.senders()
            && self.contenders[sender].txop_until > now
            && self.keeps(pool, sender, now)
        {
            return;
        }
        self.channel.release(now);
        // Who waited for an ACK and heard this instead.
        while let Some(sender) = self.channel.timed_out(NEVER) {
            self.resolve(pool, sender, now);
        }
        let silent = match *self.channel.senders() {
            [sender] => self.contenders[sender].answer() == Answer::Missing,
            _ => self.survivor.is_none(),
        };
        if silent || !self.errored.is_empty() {
            self.defer(now, silent);
        }
        for i in 0..self.channel.senders().len() {
            let sender = self.channel.senders()[i];
            match self.known(sender) {
                timeout
                    if timeout > now && (silent || self.contenders[sender].answer() == Answer::Missing) =>
                {
                    self.channel.hold(sender, timeout);
                }
                _ => self.resolve(pool, sender, now),
            }
        }
        if self.channel.has_late() {
            self.set_alarm();
        }
        if !self.forgetful.is_empty() {
            self.forget();
        }
        self.channel.idle(now);
    }

    /// Who did not send, and from when on it counts: from EIFS if it received the last
    /// frame in error, else from when the channel was reserved to. `silent`: that frame was DATA.
    #[inline(never)]
    pub(super) fn defer(&mut self, now: u64, silent: bool) {
        let last = if silent { self.channel.data_until() } else { now };
        self.channel.errored(&self.errored, last);
        // In most collisions nobody reserved the channel for longer than it was busy.
        if !silent || self.channel.senders().iter().all(|sender| self.known(*sender) <= now) {
            return;
        }
        // Where several sent, the others are among these, but for those beside a sender.
        for contender in 0..self.contenders.len() {
            let beside = self.channel.sender_beside(contender);
            if beside != Some(contender) && !self.errored.contains(&contender) {
                let reserved = self.known(beside.unwrap_or(self.channel.senders()[0]));
                if reserved > now {
                    self.channel.reserved(contender, reserved);
                }
            }
        }
    }

    /// A sender knows what became of its attempt.
    pub(super) fn resolve<T: Label>(&mut self, pool: &mut Pool<T>, sender: usize, now: u64) {
        let again = self.settle(sender, now);
        let contender = &mut self.contenders[sender];
        let garbled = contender.answer() == Answer::Garbled;
        match again {
            Again::Failed => contender.rule.failed(),
            _ => contender.rule.done(),
        }
        self.contend(pool, sender, again, garbled, now);
    }

    /// A sender takes its next backoff, for the same exchange or the next one.
    fn contend<T: Label>(
        &mut self,
        pool: &mut Pool<T>,
        sender: usize,
        again: Again,
        garbled: bool,
        now: u64,
    ) {
        let contender = &mut self.contenders[sender];
        let (slots, transmitter) = (contender.draw(), contender.transmitter);
        let mut failed = again == Again::Failed;
        match again {
            Again::Failed if contender.joined > 0 => {
                self.disband(sender, self.channel.wait_ns(sender, slots, garbled));
                failed = false;
            }
            Again::Failed => {
                contender.exchange.charge(self.channel.wait_ns(sender, slots, garbled));
                self.prepare_again(pool, transmitter, now);
            }
            Again::Done => contender.close(),
        }
        if garbled {
            self.channel.errored(&[sender], now);
        }
        let more = failed || self.load(pool, transmitter, now);
        self.channel.sent(sender, slots, more);
    }

    /// Says to everybody what became of an attempt, and whether its exchange goes out again.
    #[inline(always)]
    pub(super) fn settle(&mut self, sender: usize, now: u64) -> Again {
        let contender = &self.contenders[sender];
        let promotes = !self.tells_at_once && contender.promotes();
        let again = if self.transmitters[contender.transmitter].driver.is_none() {
            self.decide_single(sender, now)
        } else if contender.joined > 0 {
            self.decide_together(sender, now)
        } else {
            self.decide(sender, now)
        };
        if !self.tells_at_once {
            self.tell_governors(sender, promotes, now);
        }
        again
    }

    /// Says what became of the packet of a transmitter without a driver: it has one at a time, or sent a beacon.
    #[inline(always)]
    fn decide_single(&mut self, sender: usize, now: u64) -> Again {
        let category = sender & (self.categories - 1);
        let Contender { exchange, transmitter, .. } = &mut self.contenders[sender];
        let (own, to, link, kbps) = (*transmitter, exchange.to, exchange.link, exchange.frame.kbps);
        let Some(part) = exchange.single() else { return Again::Done };
        let settled = part.settle(link.is_some(), &self.config);
        let side = self.transmitters[own].side;
        if let (true, Side::Station(station), Some(to)) = (settled.arrived, side, to) {
            let heard = Heard { flow: part.flow, sta: station, air: part.hear() };
            self.transmitters[to + category].egress.heard(&heard, now);
        }
        let mut sta = link.unwrap_or(GROUP);
        if let (Side::Node(node), Some(mesh), Some(link)) = (side, &self.mesh, link) {
            sta = mesh.number(node, link);
            if let (true, Some(to)) = (settled.arrived, to) {
                let heard = Heard { flow: part.flow, sta: mesh.number(to as u16, link), air: part.hear() };
                self.transmitters[to].egress.heard(&heard, now);
            }
        }
        if !settled.over {
            return Again::Failed;
        }
        let tx = part.tx(settled.acked, now);
        if let Some(managed) = self.transmitters[own].egress.managed_mut() {
            managed.sent(sta, part.bytes, part.report(tx), true, now);
        }
        let way = Way { below_ns: part.below_ns(), mpdus: 1, kbps };
        side.sent(&mut self.outputs, to, part.label, tx, way);
        if !part.received {
            self.outputs.push(Output::Lost(part.packet));
        }
        exchange.let_go();
        Again::Done
    }

    /// Says what became of the parts of a driver's exchange, of one of those that were sent together.
    pub(super) fn report(&mut self, sender: usize, user: usize, now: u64) {
        let contender = &mut self.contenders[sender];
        let (transmitter, category) = (contender.transmitter, sender & (self.categories - 1));
        let exchange = contender.user(user);
        let side = self.transmitters[transmitter].side;
        let (to, receiver) = (exchange.to, receiver_of(self.mesh.as_deref(), side, exchange.link));
        let sta = receiver_at(side, exchange.link, receiver);
        // Those of a mesh have one rate control for each way, too.
        let (forward, back) = match (side, &self.mesh, exchange.link) {
            (Side::Node(node), Some(mesh), Some(link)) => (mesh.is_first(node, link), mesh.back(node, link)),
            _ => (side.is_down(), GROUP),
        };
        let mut way = match exchange.kind {
            Kind::Data => Way { below_ns: 0, mpdus: 1, kbps: exchange.frame.kbps },
            _ => Way::default(),
        };
        if let (Kind::Data, Some(link)) = (exchange.kind, exchange.link) {
            let (sent, acked) = exchange.mpdus();
            way.mpdus = sent;
            // Rate controls learn of what was on the air.
            if exchange.on_air_ns() > 0 {
                self.radios.ended(link, forward, &exchange.frame, sent, acked, now);
            }
        }
        exchange.settle(&self.config, |part, settled| {
            if let (true, Side::Station(station), Some(to)) = (settled.arrived, side, to) {
                let heard = Heard { flow: part.flow, sta: station, air: part.hear() };
                self.transmitters[to + category].egress.heard(&heard, now);
                if let Some(own) = &mut self.announcement {
                    own.receive(station, part.bytes, way.kbps);
                }
            }
            if let (true, Side::Node(_), Some(to)) = (settled.arrived, side, to) {
                let heard = Heard { flow: part.flow, sta: back, air: part.hear() };
                self.transmitters[to].egress.heard(&heard, now);
            }
            if settled.over {
                let tx = part.tx(settled.acked, now);
                let driver = self.transmitters[transmitter].driver.as_mut().expect("its sender has one");
                let last = driver.decided(receiver, part, !settled.acked) || part.promoted;
                let queue = Cell::queue_of(transmitter, part);
                if part.promoted {
                    self.stirred |= 1 << queue;
                }
                self.transmitters[queue].egress.sent(sta, part.bytes, part.report(tx), last, now);
                let way = Way { below_ns: part.below_ns(), ..way };
                side.sent(&mut self.outputs, to, part.label, tx, way);
                if !part.received {
                    self.outputs.push(Output::Lost(part.packet));
                }
            }
        });
    }

    #[inline(never)]
    fn decide(&mut self, sender: usize, now: u64) -> Again {
        let lone_bar = self.contenders[sender].exchange.is_lone_bar();
        self.report(sender, 0, now);
        let Contender { exchange, transmitter, .. } = &mut self.contenders[sender];
        let transmitter = *transmitter;
        let side = self.transmitters[transmitter].side;
        let receiver = receiver_of(self.mesh.as_deref(), side, exchange.link);
        let driver = self.transmitters[transmitter].driver.as_mut().expect("its sender has one");
        let answered = exchange.answer == Answer::Ack;
        match receiver {
            Some(receiver) if lone_bar => {
                match self.config.lost_bar {
                    _ if answered => driver.answered(receiver),
                    LostBar::AfterSuccess => driver.postpone_bar(receiver),
                    _ if exchange.asked() < self.config.attempts => return Again::Failed,
                    _ => {}
                }
                driver.bar_over(receiver);
            }
            Some(receiver) if answered => {
                exchange.give_back(|part| driver.take_back(receiver, part));
                driver.answered(receiver);
            }
            Some(receiver) if !exchange.is_empty() => {
                // A node that aggregates nothing has no agreement to ask for.
                let numbered = exchange.parts.iter().any(|part| part.sequence.is_some());
                let bar = self.config.aggregation.is_some_and(|a| a.bar) && numbered;
                let again = exchange.asked() < self.config.attempts;
                let next = match (exchange.kind, self.config.lost_bar) {
                    (Kind::Data, _) if bar => Kind::Bar,
                    (Kind::Bar, LostBar::Repeat) if again => Kind::Bar,
                    (Kind::Bar, LostBar::AfterSuccess) => {
                        driver.postpone_bar(receiver);
                        Kind::Data
                    }
                    _ => Kind::Data,
                };
                exchange.become_kind(next);
                exchange.failures += 1;
                return Again::Failed;
            }
            _ => {}
        }
        Again::Done
    }

    /// Chooses the rate of an attempt; what would take too long at it goes back to the driver.
    pub(super) fn aim(&mut self, transmitter: usize, now: u64) {
        if self.aim_together(transmitter, now) {
            return;
        }
        let Transmitter { side, driver, contender, .. } = &mut self.transmitters[transmitter];
        let Contender { exchange, txop_ns, .. } = &mut self.contenders[*contender];
        let (Some(link), Some(driver)) = (exchange.link, driver) else {
            let bytes = exchange.parts.first().map_or(0, |part| part.bytes);
            exchange.frame = self.radios.frame(None, bytes);
            return;
        };
        let mesh = self.mesh.as_deref();
        let receiver = receiver_of(mesh, *side, exchange.link).expect("it has a link");
        let down = match (*side, mesh) {
            (Side::Node(node), Some(mesh)) => mesh.is_first(node, link),
            (side, _) => side.is_down(),
        };
        if exchange.kind == Kind::Bar {
            exchange.frame = self.radios.bar(link, &self.radios.rate(link, down));
            return;
        }
        let length = exchange.length(self.config.phy.mac_bytes());
        let plan = self.radios.plan(link, down, length.mpdus, exchange.failures, now);
        let bounds = plan.bounded(self.radios.bounds(&plan.rate, *txop_ns));
        let length = driver.trim(receiver, exchange, length, &bounds);
        exchange.frame = self.radios.aimed(link, &plan, &length, exchange.parts[0].bytes, now);
    }
}

/// What comes of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// It failed and goes out again.
    Failed,
    /// It is over.
    Done,
}
