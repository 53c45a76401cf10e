// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! TXOPs and internal collisions of access categories, within the busy periods of `busy`.
//!
//! Who has a TXOP goes on after SIFS while what comes next fits in (IEEE 802.11-2020 10.23.2.8). The first RTS of a TXOP
//! reserves the channel for all of it. Of two contenders of one radio that are due at once the higher category sends. For
//! the other one that is a failed attempt, in which nothing is sent (10.23.2.12.1).
//!
//! Limits: a TXOP ends with the first failure (no recovery after PIFS).

use super::busy::Again;
use super::*;
use crate::wifi::exchange::Answer;

impl Cell {
    /// An internal collision: a contender was due when one of higher priority of its radio sends. Its exchange has failed once.
    #[inline(never)]
    pub(super) fn give_way<T: Label>(&mut self, pool: &mut Pool<T>, sender: usize, now: u64) {
        self.build(pool, sender, now);
        let contender = &mut self.contenders[sender];
        let transmitter = contender.transmitter;
        contender.rule.failed();
        let parts = contender.exchange.parts.len();
        let mut again = true;
        // Beacons and groups have no attempts.
        if contender.exchange.link.is_some() && !contender.exchange.is_lone_bar() {
            contender.together_mut().for_each(|own| own.give_way(now));
            (0..contender.users()).for_each(|user| self.report(sender, user, now));
            if !self.tells_at_once {
                self.set_alarm();
            }
            let contender = &mut self.contenders[sender];
            if contender.together().all(Exchange::is_empty) {
                contender.rule.done();
                contender.close();
                again = false;
            }
        }
        let contender = &mut self.contenders[sender];
        let slots = contender.draw();
        let wait_ns = self.channel.wait_ns(sender, slots, false);
        if again && contender.joined > 0 {
            self.disband(sender, wait_ns);
            again = false;
        } else if contender.exchange.link.is_some() {
            contender.exchange.charge(wait_ns);
            // Without packets that have had all their attempts, it is shorter.
            if again && contender.exchange.parts.len() < parts {
                self.prepare_again(pool, transmitter, now);
            }
        }
        let more = again || self.load(pool, transmitter, now);
        self.channel.sent(sender, slots, more);
    }

    /// A sender that was answered keeps the channel if what it has next fits into its TXOP. False: it does
    /// not, and nothing is settled.
    #[inline(never)]
    pub(super) fn keeps<T: Label>(&mut self, pool: &mut Pool<T>, sender: usize, now: u64) -> bool {
        if self.contenders[sender].answer() != Answer::Ack || self.channel.has_late() {
            return false;
        }
        let again = self.settle(sender, now);
        debug_assert_eq!(again, Again::Done);
        let contender = &mut self.contenders[sender];
        let (transmitter, until) = (contender.transmitter, contender.txop_until);
        contender.rule.done();
        contender.close();
        let next = now + self.config.phy.sifs_ns();
        let more = self.load(pool, transmitter, now);
        if more && self.builds_late {
            self.build(pool, sender, now);
        }
        let Contender { exchange, guarded, .. } = &mut self.contenders[sender];
        // One RTS is enough for a TXOP.
        let frame = if *guarded { exchange.frame.unguarded() } else { exchange.frame };
        if more && next + frame.known_ns() <= until {
            exchange.frame = frame;
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
    #[inline(never)]
    pub(super) fn go_on(&mut self, now: u64) {
        let sender = self.channel.senders()[0];
        let contender = &mut self.contenders[sender];
        contender.begin(&mut self.radios, false, now);
        contender.guarded |= contender.exchange.frame.rts_ns > 0;
        self.channel.go_on(now, contender.exchange.on_air_ns());
    }
}
