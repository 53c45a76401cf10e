// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! First reading of a capture: how its senders wait, before their draws can be counted.
//!
//! - *Offset*: the first tooth of a sender's gaps, if it lies before the standard's. A later one means that
//!   its first slots are missing.
//! - *Decrement*: a sender that was interrupted while it counted has a slot left at least, if the slot in which others
//!   began does not count (IEEE 802.11); none, if it does (Bianchi's model, Starzetz 2006, 8.2). Who begins before it
//!   counts, as one that waits less does, interrupts nothing.
//! - *EIFS*: whether who did not send in a collision begins after it more often than before. Without EIFS nearly all
//!   begin before (a residual is seldom so long), with it those alone who wait too little.
//! - *Phase*: where the teeth lie, of all senders together.
//!
//! Derived from the rules of contention; the thesis has one sender and no capture.

use std::collections::BTreeMap;

use airtab_core::Phy;
use airtab_quality::fingerprint::Phase;

use super::exchange::{Access, Exchange, Sender};
use super::teeth::Teeth;
use super::waits::{Due, Waits};

/// Teeth before DIFS, and in all.
const FROM: i64 = -8;
const TEETH: usize = 72;
/// Interframe spaces beyond DIFS that are told apart, slots.
const LATE: usize = 8;
/// Senders that are followed.
pub(super) const SENDERS: usize = 4096;

/// Whether the slot in which another one begins counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decrement {
    /// It does not: IEEE 802.11.
    Standard,
    /// It does: Bianchi's model, and the thesis's.
    Bianchi,
    /// Nobody interrupted it.
    Unknown,
}

/// How a sender waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) due: Due,
    pub(super) offset: i64,
    pub(super) decrement: Decrement,
    pub(super) contrast: Option<f64>,
    pub(super) accesses: u64,
}

/// How all do.
pub(super) struct Manners {
    pub(super) senders: BTreeMap<Sender, Manner>,
    pub(super) waits: Waits,
    pub(super) phase: i64,
}

struct Seen {
    due: Due,
    accesses: u64,
    /// Its last access: in which exchange, and whether that was answered.
    last: Option<(u64, bool)>,
    /// Gaps behind its own exchange, and behind another's since which it had waited before.
    own: Teeth,
    interrupted: Teeth,
    phase: Phase,
}

pub(super) struct Survey {
    phy: Phy,
    waits: Waits,
    number: u64,
    before: Option<Exchange>,
    senders: BTreeMap<Sender, Seen>,
    phase: Phase,
    /// Who did not send in a collision began before EIFS was over, and after.
    after_collision: [u64; 2],
    /// The last exchange that began when who waits DIFS and so many slots more had begun to count.
    late: [u64; LATE],
}

impl Survey {
    pub(super) fn new(phy: &Phy) -> Survey {
        let waits = Waits::new(phy, true);
        let (phase, after_collision) = (Phase::default(), [0; 2]);
        let (senders, late) = (BTreeMap::new(), [0; LATE]);
        Survey { phy: *phy, waits, number: 0, before: None, senders, phase, after_collision, late }
    }

    pub(super) fn add(&mut self, exchange: &Exchange) {
        self.number += 1;
        let before = self.before.take();
        for access in &exchange.accesses {
            if self.senders.len() < SENDERS || self.senders.contains_key(&access.sender) {
                self.access(exchange, access, before.as_ref());
            }
        }
        if let Some(before) = &before {
            let idle = self.waits.slots(exchange.start_ns, self.waits.bystander_ns(before), 0);
            self.late
                .iter_mut()
                .zip(0..)
                .filter(|(_, slots)| idle >= *slots)
                .for_each(|(last, _)| *last = self.number);
        }
        // Its buffer is used again.
        let mut kept = before.unwrap_or_default();
        kept.clone_from(exchange);
        self.before = Some(kept);
    }

    fn access(&mut self, exchange: &Exchange, access: &Access, before: Option<&Exchange>) {
        let slot_ns = self.waits.slot_ns;
        let seen = self.senders.entry(access.sender).or_insert_with(|| Seen {
            due: Due::new(&self.phy, &access.sender, access.from_ap),
            accesses: 0,
            last: None,
            own: Teeth::new(slot_ns, FROM, TEETH),
            interrupted: Teeth::new(slot_ns, FROM, TEETH),
            phase: Phase::default(),
        });
        seen.accesses += 1;
        let last = seen.last.replace((self.number, exchange.answered || access.answer_ns == 0));
        let Some(before) = before else { return };
        let since = |from_ns: u64| exchange.start_ns as i64 - from_ns as i64;
        if let Some(own) = before.accesses.iter().find(|a| a.sender == access.sender) {
            let gap = since(self.waits.own_ns(before, own));
            if !before.collided {
                seen.phase.add(gap, slot_ns);
                self.phase.add(gap, slot_ns);
            }
            if before.answered {
                seen.own.add(gap);
            }
            return;
        }
        if before.collided {
            let early =
                since(before.end_ns + self.phy.difs_ns()) < (self.waits.eifs_slots() * slot_ns) as i64;
            self.after_collision[usize::from(!early)] += 1;
            return;
        }
        let gap = since(self.waits.bystander_ns(before));
        seen.phase.add(gap, slot_ns);
        self.phase.add(gap, slot_ns);
        let late = self.late[seen.due.offset.clamp(0, LATE as i64 - 1) as usize];
        if before.answered && last.is_some_and(|(number, answered)| answered && late > number) {
            seen.interrupted.add(gap);
        }
    }

    pub(super) fn manners(self) -> Manners {
        let phase = self.phase.ns(self.waits.slot_ns);
        let [early, late] = self.after_collision;
        let eifs = early <= late;
        let manner = |(sender, seen): (Sender, Seen)| {
            let (own, interrupted) = (seen.own.lowest(phase), seen.interrupted.lowest(phase));
            let offset = [own, interrupted].into_iter().flatten().fold(seen.due.offset, i64::min);
            let decrement = match interrupted {
                None => Decrement::Unknown,
                Some(lowest) if lowest <= offset => Decrement::Bianchi,
                Some(_) => Decrement::Standard,
            };
            let contrast = seen.phase.contrast();
            (sender, Manner { due: seen.due, offset, decrement, contrast, accesses: seen.accesses })
        };
        Manners {
            senders: self.senders.into_iter().map(manner).collect(),
            waits: Waits::new(&self.phy, eifs),
            phase,
        }
    }
}
