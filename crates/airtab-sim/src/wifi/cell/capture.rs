// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A collision that one frame survives: which one, whether its answer comes through, and how the busy period ends.
//!
//! The receiver passes the frame up when the longest frame is over, and its answer ends the busy period if that is later.
//!
//! Limits: a CTS is not overlapped.

use super::*;
use crate::wifi::exchange::Answer;

/// Sender whose frame survives those of the others; None: no frame does.
pub(super) fn survivor(
    capture: &Capture,
    senders: &[usize],
    contenders: &[Contender],
    categories: usize,
) -> Option<usize> {
    let radio = |transmitter: usize| (transmitter / categories).checked_sub(1);
    let of = |sender: usize| radio(contenders[sender].transmitter);
    senders.iter().copied().find(|sender| {
        let mut receivers = contenders[*sender].together().map(|own| own.to);
        receivers.all(|to| {
            let mut others = senders.iter().filter(|other| *other != sender);
            let survives = |to| others.all(|other| capture.survives(of(*sender), radio(to), of(*other)));
            to.is_some_and(survives)
        })
    })
}

/// Spoils a survivor's answer that overlaps a frame which is not weaker by the margin.
pub(super) fn overlap_answer(
    capture: &Capture,
    (survivor, senders): (usize, &[usize]),
    contenders: &mut [Contender],
    (categories, sifs_ns): (usize, u64),
) {
    let radio = |transmitter: usize| (transmitter / categories).checked_sub(1);
    let of = |contenders: &[Contender], sender: usize| radio(contenders[sender].transmitter);
    let own = of(contenders, survivor);
    let begins_ns = contenders[survivor].exchange.on_air_ns() + sifs_ns;
    for other in senders.iter().filter(|other| **other != survivor) {
        let still = contenders[*other].exchange.on_air_ns() > begins_ns;
        let disturber = of(contenders, *other);
        for exchange in contenders[survivor].together_mut().filter(|_| still) {
            let receiver = exchange.to.and_then(radio);
            if exchange.answer == Answer::Ack && !capture.survives(receiver, own, disturber) {
                exchange.spoil_answer();
            }
        }
    }
}

impl Cell {
    /// All DATA of a collision with a survivor is over. False: nothing of it arrived, and the collision is as any other.
    pub(super) fn land_survivor(&mut self, survivor: usize, now: u64) -> bool {
        self.arrive(survivor, now);
        let contender = &self.contenders[survivor];
        if contender.answer() == Answer::Missing {
            return false;
        }
        let known = self.channel.busy_from() + contender.exchange.known_ns();
        self.channel.landed(known.max(now));
        true
    }
}
