// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Exchanges of nodes that do not all hear each other: RTS, CTS, DATA and the answer are transmissions of their own,
//! and each is lost or received by itself.
//!
//! How a frame would end if nobody else sent is drawn when its attempt begins, as in a cell. What others do to it is
//! known when it is over: then the attempt is spoiled.
//!
//! What it does not do: who senses, and who waits how long, is `wifi/apart`'s.

use super::busy::Again;
use super::*;
use crate::wifi::apart::{Apart, Event, Sent, Step};
use crate::wifi::exchange::Answer;
use crate::wifi::reach::Reach;

impl Cell {
    /// All that happens at `now`.
    #[inline(never)]
    pub(super) fn apart<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        while let Some(node) = self.channel.take_came() {
            let contender = &mut self.contenders[node];
            let (_, air) = self.mesh.as_mut().and_then(|mesh| mesh.parts()).expect("it is a mesh");
            air.ready(node, now, || contender.draw());
        }
        loop {
            let contenders = &mut self.contenders;
            let (reach, air) = self.mesh.as_mut().and_then(|mesh| mesh.parts()).expect("it is a mesh");
            let Some(event) = air.happens(now, reach, |node| contenders[node].draw()) else {
                return self.channel.wait_until(air.next_event());
            };
            match event {
                Event::Begins(node) => self.begin_apart(pool, node, now),
                Event::Over { sent, received, disturbed } => self.over(pool, &sent, received, disturbed, now),
                Event::Header(owner) => self.join(owner, now),
                Event::Next(step, owner) => self.next_step(step, owner, now),
                Event::TimedOut(owner) => self.resolve_apart(pool, owner, now),
            }
        }
    }

    pub(super) fn on_the_air(&mut self) -> (&Reach, &mut Apart) {
        self.mesh.as_mut().and_then(|mesh| mesh.parts()).expect("it is a mesh")
    }

    /// A node's wait is over.
    fn begin_apart<T: Label>(&mut self, pool: &mut Pool<T>, node: usize, now: u64) {
        if self.builds_late {
            self.build(pool, node, now);
        }
        self.contenders[node].begin(&mut self.radios, false, now);
        let step = if self.contenders[node].exchange.frame.rts_ns > 0 { Step::Rts } else { Step::Data };
        self.on_the_air().1.begin(node, now);
        self.next_step(step, node, now);
    }

    /// A part of a node's exchange goes out.
    pub(super) fn next_step(&mut self, step: Step, owner: usize, now: u64) {
        let tone_ns = self.on_the_air().1.closes(owner).saturating_sub(now);
        let exchange = &self.contenders[owner].exchange;
        let (frame, to, cut) = (&exchange.frame, exchange.to, exchange.cut_short());
        let (gap_ns, ack_ns) = (frame.gap_ns, u64::from(frame.ack_ns));
        let cts_ns = (frame.cts_ns - frame.rts_ns).saturating_sub(gap_ns);
        // Whoever hears it takes the channel for busy until the next part begins, or the last one is over.
        let (ns, reserves_ns, lost) = match step {
            Step::Rts => (frame.rts_ns, cts_ns + 2 * gap_ns + self.config.phy.slot_ns(), cut == Some(true)),
            Step::Cts => (cts_ns, gap_ns + frame.data_ns + ack_ns, cut == Some(false)),
            Step::Data => (frame.data_ns, ack_ns, exchange.answer == Answer::Missing),
            Step::Answer => {
                let lost = exchange.answer == Answer::Garbled;
                (ack_ns.saturating_sub(self.config.phy.sifs_ns()), 0, lost)
            }
            Step::Tone => (tone_ns, 0, false),
        };
        let from = match step {
            Step::Rts | Step::Data | Step::Tone => owner,
            Step::Cts | Step::Answer => to.expect("somebody answers"),
        };
        let answers = matches!(step, Step::Cts | Step::Answer);
        let to = match step {
            Step::Tone => None,
            _ if answers => Some(owner),
            _ => to,
        };
        if self.on_the_air().1.is_sending(from) {
            // It sends something else.
            let exchange = &mut self.contenders[owner].exchange;
            match step {
                Step::Rts | Step::Cts => exchange.cut(true),
                Step::Data | Step::Tone => exchange.spoil(),
                Step::Answer => exchange.spoil_answer(),
            }
            let known_ns = exchange.known_ns();
            let air = self.on_the_air().1;
            let at = (air.began(owner) + known_ns).max(air.closes(owner) + ack_ns);
            return air.plan(at.max(now), Event::TimedOut(owner));
        }
        let reserves_ns = reserves_ns + self.joins(step, owner, now + ns, now);
        let (reach, air) = self.on_the_air();
        air.transmit(Sent { step, owner, from, to, ns, reserves_ns, lost }, reach, now);
    }

    /// A part is over.
    fn over<T: Label>(&mut self, pool: &mut Pool<T>, sent: &Sent, received: bool, disturbed: bool, now: u64) {
        let owner = sent.owner;
        if disturbed {
            self.on_the_air().1.collided(owner);
        }
        let sifs_ns = self.config.phy.sifs_ns();
        match sent.step {
            Step::Rts => {
                let air = self.on_the_air().1;
                if received && sent.to.is_some_and(|to| air.would_answer(to, now)) {
                    air.plan(now + sifs_ns, Event::Next(Step::Cts, owner));
                } else {
                    let exchange = &mut self.contenders[owner].exchange;
                    let cts_ns = exchange.frame.cts_ns;
                    exchange.cut(true);
                    let air = self.on_the_air().1;
                    let at = air.began(owner) + cts_ns;
                    air.plan(at, Event::TimedOut(owner));
                }
            }
            Step::Cts if received => self.on_the_air().1.plan(now + sifs_ns, Event::Next(Step::Data, owner)),
            Step::Cts => {
                self.contenders[owner].exchange.cut(false);
                self.resolve_apart(pool, owner, now);
            }
            Step::Data => {
                let (exchange, mesh) = (&mut self.contenders[owner].exchange, &self.mesh);
                if disturbed && exchange.answer != Answer::None {
                    let air = mesh.as_ref().and_then(|mesh| mesh.air()).expect("it is a mesh");
                    exchange.spoil_during(&self.config.phy, air.overlaps(owner));
                }
                let (answer, ack_ns) = (exchange.answer, u64::from(exchange.frame.ack_ns));
                self.arrive(owner, now);
                let closes = self.close(owner, now);
                let air = self.on_the_air().1;
                match answer {
                    Answer::None => self.resolve_apart(pool, owner, now),
                    Answer::Missing => air.plan(closes + ack_ns, Event::TimedOut(owner)),
                    Answer::Garbled | Answer::Ack => {
                        air.plan(closes + sifs_ns, Event::Next(Step::Answer, owner))
                    }
                }
            }
            Step::Tone => {}
            Step::Answer => {
                if disturbed {
                    self.contenders[owner].exchange.spoil_answer();
                }
                self.resolve_apart(pool, owner, now);
            }
        }
        self.on_the_air().1.forget_overlaps(owner);
    }

    /// A sender knows what became of its attempt, and takes its next backoff, for the same exchange or the next one.
    fn resolve_apart<T: Label>(&mut self, pool: &mut Pool<T>, sender: usize, now: u64) {
        let again = self.settle(sender, now);
        let contender = &mut self.contenders[sender];
        let garbled = contender.answer() == Answer::Garbled;
        let failed = again == Again::Failed;
        match failed {
            true => contender.rule.failed(),
            false => contender.rule.done(),
        }
        let (slots, transmitter) = (contender.draw(), contender.transmitter);
        if failed {
            contender.exchange.charge(self.channel.wait_ns(sender, slots, garbled));
            self.prepare_again(pool, transmitter, now);
        } else {
            contender.close();
        }
        let more = failed || self.load(pool, transmitter, now);
        self.on_the_air().1.resolved(sender, slots, more, now);
    }
}
