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

    /// The next exchange follows none.
    pub(super) fn restart(&mut self) {
        self.before = None;
        self.senders.values_mut().for_each(|seen| seen.last = None);
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

#[cfg(test)]
mod tests {
    use airtab_sim::wifi::Category;

    use super::super::exchange::Queue;
    use super::*;

    const US: u64 = 1000;
    const SLOT: i64 = 20;
    /// SIFS and an ACK, us.
    const ANSWER: u64 = 258;

    /// Senders; time from the earliest start of all others, us; end of the exchange.
    type Step<'a> = (&'a [u8], i64, End);

    #[derive(Clone, Copy, PartialEq)]
    enum End {
        Answered,
        Lost,
        /// Sent to a group: no ACK.
        Group,
    }
    use End::{Answered, Group, Lost};

    const A: &[u8] = &[1];
    const B: &[u8] = &[2];

    fn of(id: u8, queue: Queue) -> Sender {
        Sender { mac: [id; 6], queue }
    }

    /// 802.11b; each frame takes 700 us. Several senders at once have collided.
    fn manners(queue: Queue, steps: impl IntoIterator<Item = Step<'static>>) -> Manners {
        let mut survey = Survey::new(&Phy::named("std-11b").unwrap());
        let mut due = 10_000;
        for (ids, idle, end) in steps {
            let start_ns = u64::try_from(due + idle).unwrap() * US;
            let sent_ns = start_ns + 700 * US;
            let access = |id: &u8| Access {
                sender: of(*id, queue),
                from_ap: false,
                end_ns: sent_ns,
                answer_ns: if end == Group { 0 } else { ANSWER * US },
                retry: false,
                sequence: 0,
                aggregate: false,
            };
            let answered = end == Answered;
            let end_ns = sent_ns + if answered { ANSWER * US } else { 0 };
            let collided = ids.len() > 1;
            survey.add(&Exchange {
                start_ns,
                end_ns,
                accesses: ids.iter().map(access).collect(),
                answered,
                collided,
            });
            due = (end_ns / US + 50 + if end == Lost { ANSWER } else { 0 }) as i64;
        }
        survey.manners()
    }

    fn plain(steps: impl IntoIterator<Item = Step<'static>>) -> (Manner, Manners) {
        let found = manners(Queue::Plain, steps);
        (found.senders[&of(1, Queue::Plain)], found)
    }

    /// The first tooth of a sender is its offset only where it lies before its due.
    #[test]
    fn an_offset_is_that_of_who_begins_early() {
        let background = Queue::Category(Category::Background);
        for (queue, first, offset) in [
            (Queue::Plain, 0, 0),
            (Queue::Plain, 4, 0),
            (Queue::Plain, -2, -2),
            (background, 5, 5),
            (background, 9, 5),
            (background, 3, 3),
        ] {
            let steps = (0..40).map(|i| (A, (first + i % 7) * SLOT, Answered));
            let found = manners(queue, steps);
            let manner = found.senders[&of(1, queue)];
            assert_eq!((manner.offset, manner.accesses), (offset, 40), "{first}");
            assert_eq!((manner.decrement, found.phase), (Decrement::Unknown, 0));
            assert!(manner.contrast.is_some_and(|contrast| contrast > 0.999), "{:?}", manner.contrast);
        }
        // Behind a frame of its own that was lost it may wait for less: that tells nothing.
        let lost = (0..40).map(|i| {
            (A, if i % 2 == 1 { -3 * SLOT } else { 2 * SLOT }, if i % 2 == 0 { Lost } else { Answered })
        });
        assert_eq!(plain(lost).0.offset, 0);
    }

    /// A sender interrupted during its backoff has a slot left under 802.11, and none in Bianchi's model.
    #[test]
    fn an_interrupted_sender_tells_how_it_counts() {
        // Others begin between two frames of A, of which the first ends so; A has so many slots left.
        let told = |first: End, between: End, left: i64| {
            let steps = (0..10).flat_map(move |_| {
                [(A, 5 * SLOT, first), (B, 3 * SLOT, between), (A, left * SLOT, Answered)]
            });
            plain(steps).0.decrement
        };
        assert_eq!(told(Answered, Answered, 0), Decrement::Bianchi);
        assert_eq!(told(Answered, Answered, 1), Decrement::Standard);
        assert_eq!(told(Group, Answered, 0), Decrement::Bianchi, "nothing was to be waited for");
        // Whose own frame was lost may have begun to count at another time, and so may all behind one that was.
        assert_eq!(told(Lost, Answered, 0), Decrement::Unknown);
        assert_eq!(told(Answered, Lost, 0), Decrement::Unknown);
        // The other one began before A had begun to count.
        let early = (0..10).flat_map(|_| [(A, 5 * SLOT, Answered), (B, -SLOT, Answered), (A, 0, Answered)]);
        assert_eq!(plain(early).0.decrement, Decrement::Unknown);
    }

    /// 364 us of EIFS are 15 slots beyond DIFS, 300 us: who begins there has waited so long.
    #[test]
    fn eifs_is_told_by_who_did_not_collide() {
        let told = |idle: i64, others: i64| {
            let steps = (0..10).flat_map(move |i| {
                let idle = if i < 6 { idle } else { others };
                [(&[1, 2][..], 5 * SLOT, Lost), (&[3][..], idle - ANSWER as i64, Answered)]
            });
            let found = plain(steps).1;
            found.waits.eifs
        };
        assert_eq!(
            [told(299, 299), told(300, 300), told(299, 300), told(300, 299)],
            [false, true, false, true]
        );
        assert!(plain((0..10).map(|_| (A, SLOT, Answered))).1.waits.eifs, "nobody collided");
    }

    /// Each sender has a comb of its own; what follows a collision is in none.
    #[test]
    fn combs_are_those_of_each_sender() {
        // A at whole slots, B at any time, a while each.
        let of_a = (0..60).map(|i| (A, (i % 5) * SLOT, Answered));
        let of_b = (0..60).map(|i| (B, (i % 5) * SLOT + i % 20, Answered));
        let found = manners(Queue::Plain, of_a.chain(of_b));
        let contrast = |id| found.senders[&of(id, Queue::Plain)].contrast.unwrap();
        assert!(contrast(1) > 0.99 && contrast(2) < 0.3, "{} {}", contrast(1), contrast(2));
        let collisions = (0..60).flat_map(|i| {
            [(A, (i % 5) * SLOT, Answered), (&[1, 2][..], SLOT, Lost), (A, (i % 5) * SLOT + i % 20, Answered)]
        });
        let (manner, found) = plain(collisions);
        assert!(manner.contrast.unwrap() > 0.99 && found.phase == 0, "{:?} {}", manner.contrast, found.phase);
    }
}
