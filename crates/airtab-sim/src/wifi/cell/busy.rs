// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A busy period of the channel, from who sends to what everybody makes of it: it starts, its DATA is over
//! (what arrived is passed up), its ACK is. No event per slot, none per receiver.
//!
//! A contender tries a part up to [`CellConfig::attempts`] times and backs off by its rule (`rule`). Who
//! received the last frame in error waits EIFS: after a collision all who did not send, after DATA without an
//! ACK its addressee, after an ACK the sender of the DATA, and of the others who overheard it so
//! (`overhearing`). Receivers filter duplicates.
//!
//! Who has a TXOP goes on after SIFS while what comes next fits in (IEEE 802.11-2020 10.23.2.8).
//!
//! What it does not do: a TXOP ends with the first failure (no recovery after PIFS); an internal collision
//! costs no attempt.

use super::*;
use crate::wifi::exchange::Answer;
use crate::wifi::tap::Seen;

impl Cell {
    /// The channel becomes busy: decides how it will end.
    pub(super) fn start(&mut self, now: u64) {
        let senders = self.channel.start(|contender, collided| {
            let contender = &mut self.contenders[contender];
            if collided {
                contender.rule.failed();
            }
            contender.draw()
        });
        let collided = senders.len() > 1;
        let (mut used, mut data_ns) = (Use::Idle, 0);
        for &sender in senders {
            let Contender { exchange, transmitter, txop_ns, txop_until, .. } = &mut self.contenders[sender];
            exchange.begin(&mut self.radios, collided, now);
            *txop_until = now + *txop_ns;
            data_ns = exchange.on_air_ns().max(data_ns);
            used = match exchange.kind {
                _ if collided => Use::Collision,
                Kind::Beacon => Use::Beacon(*transmitter),
                Kind::Data | Kind::Bar => Use::Frame(*transmitter),
            };
        }
        self.channel.occupy(used, now, data_ns);
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
        let until = match *self.channel.senders() {
            [sender] => {
                self.arrive(sender, now);
                let Exchange { to, answer, .. } = self.contenders[sender].exchange;
                if self.overhearing.frame() {
                    self.overhear(sender, to);
                }
                let until = self.known(sender);
                match (answer, to) {
                    (Answer::Missing, Some(to)) => {
                        self.errored.extend(to..to + self.categories);
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

    /// The only sender's frame is over: what its receiver passes up.
    fn arrive(&mut self, sender: usize, now: u64) {
        let Contender { exchange, transmitter, .. } = &mut self.contenders[sender];
        let Transmitter { side, driver, .. } = &mut self.transmitters[*transmitter];
        let (side, outputs) = (*side, &mut self.outputs);
        let Some(driver) = driver else {
            return exchange.land(&self.config, |packet| outputs.push(side.arrived(packet)));
        };
        let receiver = receiver_of(side, exchange.link);
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

    /// The attempts under way, for who looks at them.
    #[cold]
    fn note(&mut self) {
        let senders = self.channel.senders();
        for &sender in senders {
            let Contender { exchange, transmitter, .. } = &self.contenders[sender];
            let Transmitter { side, driver, .. } = &self.transmitters[*transmitter];
            let receiver = receiver_of(*side, exchange.link);
            let seen = Seen {
                exchange,
                radio: *transmitter / self.categories,
                category: match self.categories {
                    1 => Category::BestEffort,
                    _ => Category::ALL[sender % self.categories],
                },
                oldest: receiver.zip(driver.as_ref()).and_then(|(receiver, driver)| driver.oldest(receiver)),
            };
            self.tap.note(&seen, self.channel.busy_from(), senders.len() > 1);
        }
    }

    /// Some overhear the last frame of an exchange in error.
    #[cold]
    fn overhear(&mut self, sender: usize, to: Option<usize>) {
        let categories = self.categories;
        self.overhearing.in_error(|station| {
            let first = (station + 1) * categories;
            if first != sender / categories * categories && Some(first) != to {
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
            [sender] => self.contenders[sender].exchange.answer == Answer::Missing,
            _ => true,
        };
        if silent || !self.errored.is_empty() {
            self.defer(now, silent);
        }
        for i in 0..self.channel.senders().len() {
            let sender = self.channel.senders()[i];
            match self.known(sender) {
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
        if !silent {
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
        let Contender { exchange, rule, .. } = &mut self.contenders[sender];
        let garbled = exchange.answer == Answer::Garbled;
        match again {
            Again::Failed => rule.failed(),
            _ => rule.done(),
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
        match again {
            Again::Failed => {
                contender.exchange.charge(self.channel.wait_ns(sender, slots, garbled));
                if self.transmitters[transmitter].driver.is_some() {
                    self.aim(transmitter, now);
                    self.pull(pool, transmitter, now);
                }
            }
            Again::Done => contender.exchange.close(),
        }
        if garbled {
            self.channel.errored(sender, now);
        }
        let more = again == Again::Failed || self.load(pool, transmitter, now);
        self.channel.sent(sender, slots, more);
    }

    /// Says to everybody what became of an attempt, and whether its exchange goes out again.
    fn settle(&mut self, sender: usize, now: u64) -> Again {
        let again = self.decide(sender, now);
        if !self.config.driver.tells_at_once() {
            self.tell_governors(sender, now);
        }
        again
    }

    fn decide(&mut self, sender: usize, now: u64) -> Again {
        let Contender { exchange, transmitter, .. } = &mut self.contenders[sender];
        let (transmitter, category) = (*transmitter, sender % self.categories);
        let side = self.transmitters[transmitter].side;
        let (to, receiver) = (exchange.to, receiver_of(side, exchange.link));
        let sta = exchange.link.unwrap_or(GROUP);
        let lone_bar = exchange.kind == Kind::Bar && exchange.is_empty();
        let driven = self.transmitters[transmitter].driver.is_some();
        let mut way = match exchange.kind {
            Kind::Data => Way { below_ns: 0, mpdus: 1, kbps: exchange.frame.kbps },
            _ => Way::default(),
        };
        if let (true, Kind::Data, Some(link)) = (driven, exchange.kind, exchange.link) {
            let (sent, acked) = exchange.mpdus();
            way.mpdus = sent;
            self.radios.ended(link, side.is_down(), &exchange.frame, sent, acked, now);
        }
        let failed = exchange.settle(&self.config, |part, settled| {
            if let (true, Side::Station(station), Some(to)) = (settled.arrived, side, to) {
                let heard = Heard { flow: part.flow, sta: station, air: part.hear() };
                self.transmitters[to + category].egress.heard(&heard, now);
            }
            if settled.over {
                let tx = part.tx(settled.acked, now);
                let Transmitter { egress, driver, .. } = &mut self.transmitters[transmitter];
                let driver = driver.as_mut();
                let last = driver.is_none_or(|driver| driver.decided(receiver, part, !settled.acked));
                egress.sent(sta, part.bytes, part.report(tx), last, now);
                self.outputs.push(Output::Sent {
                    down: side.is_down(),
                    label: part.label,
                    tx,
                    way: Way { below_ns: part.below_ns(), ..way },
                });
                if !part.received {
                    self.outputs.push(Output::Lost(part.packet));
                }
            }
        });
        let Some(driver) = &mut self.transmitters[transmitter].driver else {
            return if failed { Again::Failed } else { Again::Done };
        };
        let answered = exchange.answer == Answer::Ack;
        match receiver {
            Some(receiver) if lone_bar => {
                if !answered && exchange.asked() < self.config.attempts {
                    return Again::Failed;
                }
                driver.bar_over(receiver);
            }
            Some(receiver) if answered => {
                while let Some(part) = exchange.pop() {
                    driver.take_back(receiver, part);
                }
            }
            Some(_) if !exchange.is_empty() => {
                let bar = self.config.aggregation.is_some_and(|a| a.bar);
                exchange.kind = if bar { exchange.other_kind() } else { Kind::Data };
                exchange.failures += 1;
                return Again::Failed;
            }
            _ => {}
        }
        Again::Done
    }

    /// Chooses the rate of an attempt; what would take too long at it goes back to the driver.
    pub(super) fn aim(&mut self, transmitter: usize, now: u64) {
        let Transmitter { side, driver, contender, .. } = &mut self.transmitters[transmitter];
        let Contender { exchange, txop_ns, .. } = &mut self.contenders[*contender];
        let (Some(link), Some(driver)) = (exchange.link, driver) else {
            let bytes = exchange.parts.first().map_or(0, |part| part.bytes);
            exchange.frame = self.radios.frame(None, bytes);
            return;
        };
        let receiver = receiver_of(*side, exchange.link).expect("it has a link");
        let down = side.is_down();
        if exchange.kind == Kind::Bar {
            exchange.frame = self.radios.bar(link, &self.radios.rate(link, down));
            return;
        }
        let mut length = Length::of(&exchange.parts, &Bounds::single(self.config.phy.mac_bytes()));
        let plan = self.radios.plan(link, down, length.mpdus, exchange.failures, now);
        let bounds = plan.bounded(self.radios.bounds(&plan.rate, *txop_ns));
        while length.mpdus > 1 && (length.psdu > bounds.psdu || length.mpdus > bounds.frames) {
            let number = exchange.parts.last().and_then(|part| part.sequence);
            while exchange.parts.last().is_some_and(|part| part.sequence == number) {
                driver.take_back(receiver, exchange.pop().expect("it has a last one"));
            }
            length = Length::of(&exchange.parts, &bounds);
        }
        exchange.frame = self.radios.aimed(link, &plan, &length, exchange.parts[0].bytes, now);
    }

    /// A sender that was answered keeps the channel if what it has next fits into its TXOP. False: it does
    /// not, and nothing is settled.
    fn keeps<T: Label>(&mut self, pool: &mut Pool<T>, sender: usize, now: u64) -> bool {
        if self.contenders[sender].exchange.answer != Answer::Ack || self.channel.has_late() {
            return false;
        }
        let again = self.settle(sender, now);
        debug_assert_eq!(again, Again::Done);
        let Contender { exchange, rule, transmitter, txop_until, .. } = &mut self.contenders[sender];
        let (transmitter, until) = (*transmitter, *txop_until);
        rule.done();
        exchange.close();
        let next = now + self.config.phy.sifs_ns();
        let more = self.load(pool, transmitter, now);
        if more && next + self.contenders[sender].exchange.frame.known_ns() <= until {
            self.channel.gap(next);
        } else {
            self.let_go(sender, more, now);
        }
        true
    }

    /// A TXOP is over whose sender has settled its last exchange; `more`: it has another one.
    fn let_go(&mut self, sender: usize, more: bool, now: u64) {
        self.channel.release(now);
        if !self.errored.is_empty() {
            self.defer(now, false);
        }
        let slots = self.contenders[sender].draw();
        self.channel.sent(sender, slots, more);
        self.channel.idle(now);
    }

    /// The gap within a TXOP is over.
    pub(super) fn go_on(&mut self, now: u64) {
        let sender = self.channel.senders()[0];
        let exchange = &mut self.contenders[sender].exchange;
        exchange.begin(&mut self.radios, false, now);
        self.channel.go_on(now, exchange.on_air_ns());
    }
}

/// What comes of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Again {
    /// It failed and goes out again.
    Failed,
    /// It is over.
    Done,
}

/// Who receives what a side sends over a link, by its number at a driver.
fn receiver_of(side: Side, link: Option<u16>) -> Option<usize> {
    match side {
        Side::AccessPoint => link.map(usize::from),
        Side::Station(_) => link.map(|_| 0),
    }
}
