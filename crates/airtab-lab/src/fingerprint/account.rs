// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Second reading of a capture: what each sender drew, as the idle slots between two of its accesses.
//!
//! Of a sender that waits while others have the channel the slots of several idle periods add up: the first
//! counts from its own exchange, the others from those of others. These are the same for all who wait alike, so
//! they are summed once for each interframe space: a sender reads a difference.
//!
//! What it does not do: gaps in which a sender's own frame is missing (by its sequence number) are left out;
//! that frames of others are missing shows only in the comb.

use std::collections::BTreeMap;

use airtab_core::Phy;
use airtab_quality::fingerprint::{Draws, Line, Retries};

use super::exchange::{Access, Exchange, Sender};
use super::survey::{Decrement, Manner, Manners};
use super::waits::Waits;

/// Interframe spaces that are told apart: DIFS and so many slots less and more.
const OFFSETS: i64 = 8;

/// What a sender drew.
pub(super) struct Drawn {
    pub(super) draws: Draws,
    pub(super) retries: Retries,
    /// Gaps between two exchanges of its own, over their slots.
    pub(super) line: Line,
    manner: Manner,
    last: Option<Last>,
}

/// A sender's last access.
#[derive(Clone, Copy)]
struct Last {
    sequence: u16,
    attempt: u32,
    /// From when on it counts then.
    own_ns: u64,
    /// Slots before others began, and what others have counted at that time.
    first: Option<(Count, Count)>,
}

/// Backoff slots and busy periods that a waiting sender has counted.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    slots: u64,
    /// Exchanges that began at the end of its interframe space or later. Where a busy slot counts, each takes one.
    busy: u64,
}

impl Count {
    /// Counts an idle period: slots from the end of the interframe space to the start of others, below 0 before it.
    fn add(&mut self, slots: i64) {
        self.slots += slots.max(0) as u64;
        self.busy += u64::from(slots >= 0);
    }
}

impl Drawn {
    fn offset(&self) -> i64 {
        self.manner.offset.clamp(-OFFSETS, OFFSETS)
    }

    /// Whether it has been heard enough to be judged among others.
    pub(super) fn is_enough(&self) -> bool {
        self.draws.len() >= 10 * self.draws.window() as u64
    }

    /// Which attempt an access is; `None` if a frame in between was missed.
    fn attempt(&self, last: &Last, access: &Access) -> Option<u32> {
        let same = access.sequence == last.sequence;
        if access.retry && (same || access.aggregate) {
            return Some(last.attempt + 1);
        }
        let next = access.sequence == (last.sequence + 1) & 0xfff;
        let known = next || access.from_ap || access.aggregate;
        (!access.retry && known).then_some(1)
    }

    fn take(&mut self, attempt: Option<u32>, draw: Option<u64>, gap: Option<(i64, i64)>) {
        match (attempt, draw) {
            (Some(1), Some(draw)) => {
                self.draws.push(draw);
                if let Some((slots, ns)) = gap {
                    self.line.add(slots, ns);
                }
            }
            (Some(attempt), Some(draw)) => {
                self.retries.push(attempt, draw);
                self.draws.pause();
            }
            _ => self.draws.pause(),
        }
    }
}

pub(super) struct Account {
    pub(super) cards: BTreeMap<Sender, Drawn>,
    waits: Waits,
    difs_ns: u64,
    phase: i64,
    /// End of the last exchange, and from when on who did not send in it counts.
    before: Option<(u64, u64)>,
    /// Who sent in it.
    waiting: Vec<Sender>,
    /// Count of a sender that waited, for each interframe space.
    sums: [Count; 2 * OFFSETS as usize + 1],
}

impl Account {
    pub(super) fn new(phy: &Phy, manners: &Manners) -> Account {
        let card = |(sender, manner): (&Sender, &Manner)| {
            let draws = Draws::new(manner.due.window);
            let (retries, line) = (Retries::default(), Line::default());
            (*sender, Drawn { draws, retries, line, manner: *manner, last: None })
        };
        Account {
            cards: manners.senders.iter().map(card).collect(),
            waits: manners.waits,
            difs_ns: phy.difs_ns(),
            phase: manners.phase,
            before: None,
            waiting: Vec::new(),
            sums: [Count::default(); 2 * OFFSETS as usize + 1],
        }
    }

    pub(super) fn add(&mut self, exchange: &Exchange) {
        for access in &exchange.accesses {
            self.access(exchange.start_ns, access);
        }
        if let Some((_, from_ns)) = self.before {
            let idle = self.waits.slots(exchange.start_ns, from_ns, self.phase);
            for (offset, sum) in (-OFFSETS..).zip(&mut self.sums) {
                sum.add(idle - offset);
            }
        }
        self.interrupt(exchange);
        self.before = Some((exchange.end_ns, self.waits.bystander_ns(exchange)));
        self.waiting.clear();
        for access in &exchange.accesses {
            self.remember(exchange, access);
        }
    }

    /// The next exchange follows none.
    pub(super) fn restart(&mut self) {
        self.before = None;
        self.waiting.clear();
        for card in self.cards.values_mut() {
            card.last = None;
            card.draws.pause();
        }
    }

    /// A sender has the channel: what it drew is known.
    fn access(&mut self, start_ns: u64, access: &Access) {
        let Some(card) = self.cards.get_mut(&access.sender) else { return };
        let (Some(last), Some((end_ns, from_ns))) = (card.last, self.before) else { return };
        let offset = card.offset();
        let attempt = card.attempt(&last, access);
        let Some((first, sum)) = last.first else {
            let slots = self.waits.slots(start_ns, last.own_ns, self.phase) - offset;
            // What the wait for an answer adds is no part of the comb's base.
            let gap =
                (last.own_ns == end_ns + self.difs_ns).then_some((slots, start_ns as i64 - end_ns as i64));
            return card.take(attempt, u64::try_from(slots).ok(), gap);
        };
        let rest = self.waits.slots(start_ns, from_ns, self.phase) - offset;
        let now = self.sums[(offset + OFFSETS) as usize];
        let waited = first.slots + now.slots - sum.slots;
        let busy =
            if card.manner.decrement == Decrement::Bianchi { first.busy + now.busy - sum.busy } else { 0 };
        let draw = u64::try_from(rest).ok().map(|rest| waited + rest + busy);
        card.take(attempt, draw, None);
    }

    /// Those who sent in the exchange before wait for this one: their first idle period is over.
    fn interrupt(&mut self, exchange: &Exchange) {
        for sender in &self.waiting {
            let again = exchange.accesses.iter().any(|access| access.sender == *sender);
            let Some(card) = self.cards.get_mut(sender).filter(|_| !again) else { continue };
            let offset = card.offset();
            if let Some(last) = &mut card.last {
                let slots = self.waits.slots(exchange.start_ns, last.own_ns, self.phase) - offset;
                let mut first = Count::default();
                first.add(slots);
                last.first = Some((first, self.sums[(offset + OFFSETS) as usize]));
            }
        }
    }

    fn remember(&mut self, exchange: &Exchange, access: &Access) {
        let Some(card) = self.cards.get_mut(&access.sender) else { return };
        let attempt = card.last.and_then(|last| card.attempt(&last, access)).unwrap_or(1);
        card.last = Some(Last {
            sequence: access.sequence,
            attempt,
            own_ns: self.waits.own_ns(exchange, access),
            first: None,
        });
        self.waiting.push(access.sender);
    }
}

#[cfg(test)]
mod tests {
    use super::super::exchange::Queue;
    use super::super::waits::Due;
    use super::*;

    const SENDER: Sender = Sender { mac: [2; 6], queue: Queue::Plain };

    fn drawn() -> Drawn {
        let due = Due::new(&Phy::named("std-11b").unwrap(), &SENDER, false);
        let manner = Manner { due, offset: 0, decrement: Decrement::Standard, contrast: None, accesses: 0 };
        let (retries, line) = (Retries::default(), Line::default());
        Drawn { draws: Draws::new(32), retries, line, manner, last: None }
    }

    fn access(sequence: u16, retry: bool, from_ap: bool, aggregate: bool) -> Access {
        Access { sender: SENDER, from_ap, end_ns: 0, answer_ns: 0, retry, sequence, aggregate }
    }

    /// A gap in the numbers is a frame that was missed, unless they are those of several receivers or of an aggregate.
    #[test]
    fn attempts_are_known_by_number_and_retry() {
        for (what, before, access, attempt) in [
            ("the next", 7, access(8, false, false, false), Some(1)),
            ("the next, after 4095", 4095, access(0, false, false, false), Some(1)),
            ("again", 7, access(7, true, false, false), Some(4)),
            ("another one again", 7, access(8, true, false, false), None),
            ("the same, not again", 7, access(7, false, false, false), None),
            ("one is missing", 7, access(9, false, false, false), None),
            ("to another station", 7, access(900, false, true, false), Some(1)),
            ("another aggregate", 7, access(900, false, false, true), Some(1)),
            ("an aggregate again", 7, access(900, true, false, true), Some(4)),
        ] {
            let last = Last { sequence: before, attempt: 3, own_ns: 0, first: None };
            assert_eq!(drawn().attempt(&last, &access), attempt, "{what}");
        }
    }

    /// First attempts are draws of the first window; of later ones their attempt is kept.
    #[test]
    fn draws_are_kept_by_their_attempt() {
        let mut card = drawn();
        for (attempt, draw) in [
            (Some(1), Some(5)),
            (Some(2), Some(40)),
            (Some(3), Some(90)),
            (Some(2), Some(10)),
            (None, Some(9)),
            (Some(1), None),
        ] {
            card.take(attempt, draw, None);
        }
        assert_eq!(card.draws.len(), 1);
        let attempts: Vec<_> = card.retries.attempts().collect();
        assert_eq!(attempts, [(2, 2, 25.0, 40), (3, 1, 90.0, 90)]);
        // Ten draws for each slot are enough.
        (0..318).for_each(|_| card.take(Some(1), Some(3), None));
        assert!(!card.is_enough());
        card.take(Some(1), Some(3), Some((3, 110_000)));
        assert!(card.is_enough());
    }

    /// A lone sender of 802.11b whose frames take 700 us: number, whether again, slots that it waits, whether answered.
    fn alone(steps: &[(u16, bool, u64, bool)]) -> Drawn {
        let phy = Phy::named("std-11b").unwrap();
        let senders = BTreeMap::from([(SENDER, drawn().manner)]);
        let mut account = Account::new(&phy, &Manners { senders, waits: Waits::new(&phy, true), phase: 0 });
        let mut due_ns = 10_000_000;
        for (sequence, retry, slots, answered) in steps {
            let start_ns = due_ns + slots * 20_000;
            let sent_ns = start_ns + 700_000;
            let access =
                Access { end_ns: sent_ns, answer_ns: 258_000, ..access(*sequence, *retry, false, false) };
            let end_ns = sent_ns + if *answered { 258_000 } else { 0 };
            let accesses = vec![access];
            account.add(&Exchange { start_ns, end_ns, accesses, answered: *answered, collided: false });
            due_ns = sent_ns + 258_000 + 50_000;
        }
        account.cards.remove(&SENDER).unwrap()
    }

    /// Behind a frame that was missed nothing is known of a draw; a repetition of what follows is its second attempt.
    #[test]
    fn a_missed_frame_leaves_one_draw_out() {
        let card = alone(&[
            (5, false, 1, true),
            (6, false, 4, true),
            (8, false, 9, false),
            (8, true, 12, false),
            (8, true, 40, true),
            (9, false, 3, true),
            (10, false, 31, true),
        ]);
        assert_eq!(card.draws.len(), 3, "of 6, 9 and 10");
        assert_eq!(card.retries.attempts().collect::<Vec<_>>(), [(2, 1, 12.0, 12), (3, 1, 40.0, 40)]);
        assert_eq!(card.line.base_and_slot_ns(), Some((50_000.0, 20_000.0)));
        // Given up: the next frame is a first attempt, whose gap has the wait for an answer in it.
        let card = alone(&[
            (5, false, 1, true),
            (6, false, 4, false),
            (7, false, 8, true),
            (8, false, 2, true),
            (9, false, 5, true),
        ]);
        assert_eq!((card.draws.len(), card.retries.attempts().count()), (4, 0));
        assert_eq!(card.line.base_and_slot_ns(), Some((50_000.0, 20_000.0)));
    }
}
