// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who may send when: the slotted part of DCF, for any number of contenders.
//!
//! Slots are counted by one clock for the whole run, and the clock stands while
//! the channel is busy. A backoff is the absolute slot at which it is over, so
//! nothing has to be decremented: whoever loses a contention keeps its residual
//! by itself. IEEE 802.11 10.3.4 (backoff), VFQ thesis 8.2 (both decrement rules).
//!
//! Under EDCA (IEEE 802.11-2020 10.23.2.4) a contender's AIFS is the shortest of all and a standing wait of
//! whole slots, in every idle period, and the slot boundary on which somebody else begins counts for who is past
//! his AIFS.
//!
//! After EIFS or an ACK timeout a contender counts slots of its own from the end of that wait, to the nanosecond, until
//! the channel is busy again. Times of an idle period are ticks of the clock ([`TICK`]). Two
//! contenders collide if they are due at the same nanosecond: carrier sense takes no time.
//!
//! Limits: a frame that finds the channel idle is sent at the next boundary, up to one slot later than by a real card.

use super::config::Backoff;
use crate::engine::NEVER;

/// Bits of a time in slots and ns: those below have the ns, less than a slot, those above the slots.
const TICK: u32 = 20;
/// The bits that have the ns.
const NS: u64 = (1 << TICK) - 1;

pub(super) struct Contention {
    slot_ns: u64,
    difs_ns: u64,
    /// Slots that a busy period itself takes off every backoff.
    busy_slots: u64,
    /// By EDCA's rule: only off those that are past their wait.
    edca: bool,
    /// Contenders with a longer wait in every idle period, and how much longer it is.
    standing: Vec<(usize, u64)>,
    /// Slot number at time `counting_from`.
    slot: u64,
    counting_from: u64,
    /// Per contender: the slot at which its backoff is over.
    backoff: Vec<u64>,
    /// When those send that have a frame, NEVER for the others.
    ready: Vec<u64>,
    /// The smallest of them.
    first: First,
    /// Per contender: how long it waits before it counts its slots in this idle period, usually 0.
    wait: Vec<u64>,
    /// Whose `wait` is not 0.
    waiting: Vec<usize>,
    /// Of these, who got a frame while it waited and has no backoff.
    bare: Vec<usize>,
}

/// Time of the first start.
#[derive(Clone, Copy)]
struct First {
    at: u64,
    /// Whose it is, and whether it is others', too.
    winner: usize,
    tie: bool,
}

impl First {
    const NOBODY: First = First { at: NEVER, winner: 0, tie: false };

    /// Contender `i` may be the first, or one of several. A tie that is none costs a look at all.
    #[inline]
    fn with(self, i: usize, ready: u64) -> First {
        let (at, winner) = if ready < self.at { (ready, i) } else { (self.at, self.winner) };
        First { at, winner, tie: (self.tie && ready >= self.at) || ready == self.at }
    }
}

impl Contention {
    /// By DCF's rules.
    pub(super) fn new(contenders: usize, slot_ns: u64, difs_ns: u64, rule: Backoff) -> Contention {
        debug_assert!(slot_ns <= NS, "a slot has its place below the slots");
        Contention {
            slot_ns,
            difs_ns,
            busy_slots: match rule {
                Backoff::Standard => 0,
                Backoff::Bianchi => 1,
            },
            edca: false,
            standing: Vec::new(),
            slot: 0,
            counting_from: difs_ns,
            backoff: vec![0; contenders],
            ready: vec![NEVER; contenders],
            first: First::NOBODY,
            wait: vec![0; contenders],
            waiting: Vec::with_capacity(contenders),
            bare: Vec::with_capacity(contenders),
        }
    }

    /// By EDCA's rules: for each contender the slots that its AIFS is longer than `aifs_ns`.
    pub(super) fn edca(slot_ns: u64, aifs_ns: u64, longer: &[u64]) -> Contention {
        let contention = Contention::unequal(slot_ns, aifs_ns, longer, Backoff::Bianchi);
        Contention { edca: true, ..contention }
    }

    /// By DCF's rules, for each contender the slots that it waits longer than `ifs_ns`; by `bianchi` a busy slot
    /// counts, as under EDCA, for those who are past their wait.
    pub(super) fn unequal(slot_ns: u64, ifs_ns: u64, longer: &[u64], rule: Backoff) -> Contention {
        let mut contention = Contention::new(longer.len(), slot_ns, ifs_ns, rule);
        contention.edca = rule == Backoff::Bianchi && longer.iter().any(|slots| *slots > 0);
        let standing = longer.iter().map(|slots| slots << TICK).enumerate();
        contention.standing = standing.filter(|(_, wait)| *wait > 0).collect();
        contention.stand();
        contention
    }

    /// When the next frame starts if nothing else arrives, ns, or NEVER.
    pub(super) fn next_start(&self) -> u64 {
        let First { at, .. } = self.first;
        if at == NEVER {
            return NEVER;
        }
        self.counting_from + ((at >> TICK) - self.slot) * self.slot_ns + (at & NS)
    }

    /// A wait in ns as [`Contention::defer`] takes it.
    pub(super) fn wait(&self, ns: u64) -> u64 {
        (ns / self.slot_ns) << TICK | (ns % self.slot_ns)
    }

    /// A frame arrived at contender `i` while the channel was idle: no backoff
    /// beyond what is left of an earlier one.
    pub(super) fn ready_when_idle(&mut self, i: usize, now: u64) {
        // Offset of its slots to the others', ns.
        let phase = self.wait[i] & NS;
        let passed = now.saturating_sub(self.counting_from + phase).div_ceil(self.slot_ns);
        if self.wait[i] > 0 && self.backoff[i] <= self.slot {
            self.bare.push(i);
        }
        self.ready_from(i, (self.slot + passed) << TICK | phase);
    }

    /// A frame arrived at contender `i` while the channel was busy. `draw`: the
    /// backoff it takes unless one is still running.
    pub(super) fn ready_when_busy(&mut self, i: usize, draw: impl FnOnce() -> u64) {
        if self.backoff[i] <= self.slot {
            self.backoff[i] = self.slot + draw();
        }
        self.ready_from(i, 0);
    }

    fn ready_from(&mut self, i: usize, at: u64) {
        self.ready[i] = ((self.backoff[i].max(self.slot) << TICK) + self.wait[i]).max(at);
        self.first = self.first.with(i, self.ready[i]);
    }

    /// Contender `i` has no frame any more; its residual backoff stays.
    pub(super) fn withdraw(&mut self, i: usize) {
        self.ready[i] = NEVER;
        self.bare.retain(|bare| *bare != i);
        self.find_first();
    }

    /// The channel becomes busy at [`Contention::next_start`]: lists who starts
    /// to send, and who had a frame without a backoff cut off in its wait: each
    /// of these takes a backoff now ([`Contention::sent`]). Returns the slots that were idle before.
    #[inline(always)]
    pub(super) fn start(&mut self, senders: &mut Vec<usize>, cut: &mut Vec<usize>) -> u64 {
        senders.clear();
        let First { at, winner, tie } = self.first;
        match tie {
            false => senders.push(winner),
            true => senders.extend((0..self.ready.len()).filter(|&i| self.ready[i] == at)),
        }
        let before = self.slot;
        self.slot = (at >> TICK) + self.busy_slots;
        cut.clear();
        if !self.waiting.is_empty() {
            self.count_past_waits(before, cut);
        }
        (at >> TICK) - before
    }

    /// Counts the slots of contenders with a wait of their own since slot `before`; `cut` are those that have to draw.
    #[inline(never)]
    fn count_past_waits(&mut self, before: u64, cut: &mut Vec<usize>) {
        let First { at, .. } = self.first;
        cut.extend(self.bare.drain(..).filter(|i| self.ready[*i] != at));
        for i in self.waiting.drain(..) {
            let from = (before << TICK) + std::mem::take(&mut self.wait[i]);
            // Slots count only once the wait is over; by EDCA's rule its end counts, too.
            let left = self.backoff[i].saturating_sub(before);
            let slots = at.saturating_sub(from) >> TICK;
            let counted = match self.edca {
                false => slots + self.busy_slots,
                true => slots + u64::from(at >= from),
            };
            self.backoff[i] = self.slot + left.saturating_sub(counted);
            if self.ready[i] != NEVER && self.ready[i] != at {
                self.ready[i] = self.backoff[i] << TICK;
            }
        }
    }

    /// Contender `i` has sent, or was cut off: its next backoff, and whether it has
    /// another frame (or the same again).
    #[inline]
    pub(super) fn sent(&mut self, i: usize, slots: u64, more: bool) {
        self.backoff[i] = self.slot + slots;
        self.ready[i] = if more { (self.backoff[i] << TICK) + self.wait[i] } else { NEVER };
        self.first = self.first.with(i, self.ready[i]);
    }

    /// The busy period is over, and contender `i`, who did not send, begins anew: what it has left of a backoff
    /// gives way to another one.
    pub(super) fn forget(&mut self, i: usize, draw: impl FnOnce() -> u64) {
        let ready = self.is_ready(i);
        if ready || self.backoff[i] > self.slot {
            self.backoff[i] = self.slot + draw();
        }
        if ready {
            // Who is first is looked for when the channel is idle.
            self.ready[i] = (self.backoff[i] << TICK) + self.wait[i];
        }
    }

    /// Contender `i` has sent and does not know yet what became of it: nothing of its
    /// starts before [`Contention::sent`], nor in the first `wait` of this idle period.
    /// Call it when [`Contention::defer`] may be called.
    pub(super) fn hold(&mut self, i: usize, wait: u64) {
        self.ready[i] = NEVER;
        self.defer(i, wait);
    }

    /// Whether contender `i` has something to send.
    pub(super) fn is_ready(&self, i: usize) -> bool {
        self.ready[i] != NEVER
    }

    /// An idle period begins: before [`Contention::defer`] and [`Contention::sent`].
    #[inline]
    pub(super) fn stand(&mut self) {
        for place in 0..self.standing.len() {
            let (i, wait) = self.standing[place];
            self.defer(i, wait);
        }
    }

    /// Contender `i` waits `wait` ([`Contention::wait`]), not 0, more before it counts its slots in the next idle
    /// period. Call it at most once between the end of a frame and [`Contention::idle`].
    pub(super) fn defer(&mut self, i: usize, wait: u64) {
        if self.wait[i] == 0 {
            self.waiting.push(i);
        }
        self.wait[i] += wait;
        if self.ready[i] != NEVER {
            self.ready_from(i, 0);
        }
    }

    /// The channel became idle at `now`.
    pub(super) fn idle(&mut self, now: u64) {
        self.counting_from = now + self.difs_ns;
        self.find_first();
    }

    #[inline]
    fn find_first(&mut self) {
        let ready = self.ready.iter().enumerate();
        self.first = ready.fold(First::NOBODY, |first, (i, ready)| first.with(i, *ready));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: u64 = 10;
    const DIFS: u64 = 25;

    fn contention(rule: Backoff) -> Contention {
        Contention::new(3, SLOT, DIFS, rule)
    }

    /// Contender 0 needs 3 slots, contender 1 needs 5; 0 sends for 100 ns.
    fn residual(rule: Backoff) -> u64 {
        let mut c = contention(rule);
        let mut senders = Vec::new();
        c.ready_when_busy(0, || 3);
        c.ready_when_busy(1, || 5);
        c.idle(0);
        assert_eq!(c.next_start(), DIFS + 3 * SLOT);
        c.start(&mut senders, &mut Vec::new());
        assert_eq!(senders, [0]);
        c.sent(0, 9, false);
        c.idle(200);
        c.next_start() - 200 - DIFS
    }

    #[test]
    fn losers_keep_their_residual_by_the_rule() {
        assert_eq!(residual(Backoff::Standard), 2 * SLOT);
        assert_eq!(residual(Backoff::Bianchi), SLOT);
    }

    /// Contender 0 wins; 1 had 5 slots and draws 2, 2 has no backoff and no frame: nothing is drawn for it.
    #[test]
    fn who_forgets_draws_again() {
        for rule in [Backoff::Standard, Backoff::Bianchi] {
            let mut c = contention(rule);
            let mut senders = Vec::new();
            c.ready_when_busy(0, || 3);
            c.ready_when_busy(1, || 5);
            c.idle(0);
            assert_eq!(c.start(&mut senders, &mut Vec::new()), 3, "idle slots before");
            c.sent(0, 9, true);
            c.forget(1, || 2);
            c.forget(2, || panic!("it has nothing to forget"));
            c.idle(200);
            assert_eq!(c.next_start(), 200 + DIFS + 2 * SLOT);
        }
    }

    /// Contender 0 waits a slot less than the others, and begins at once: a busy slot counts for nobody who is in
    /// his wait.
    #[test]
    fn a_shorter_wait_goes_first() {
        for rule in [Backoff::Standard, Backoff::Bianchi] {
            let mut c = Contention::unequal(SLOT, DIFS - SLOT, &[0, 1, 1], rule);
            let mut senders = Vec::new();
            c.ready_when_busy(0, || 0);
            c.ready_when_busy(1, || 2);
            c.idle(0);
            assert_eq!(c.next_start(), DIFS - SLOT);
            c.start(&mut senders, &mut Vec::new());
            c.stand();
            c.sent(0, 50, true);
            c.idle(200);
            assert_eq!(c.next_start(), 200 + DIFS + 2 * SLOT);
        }
    }

    #[test]
    fn equal_slots_collide() {
        let mut c = contention(Backoff::Standard);
        let mut senders = Vec::new();
        c.ready_when_busy(0, || 4);
        c.ready_when_busy(2, || 4);
        c.idle(0);
        c.start(&mut senders, &mut Vec::new());
        assert_eq!(senders, [0, 2]);
    }

    #[test]
    fn an_idle_channel_is_taken_at_the_next_slot() {
        let mut c = contention(Backoff::Standard);
        c.idle(0);
        c.ready_when_idle(1, 1_001);
        assert_eq!(c.next_start(), DIFS + 980, "first boundary at or after 1001");
        let mut c = contention(Backoff::Standard);
        c.idle(0);
        c.ready_when_idle(1, 3);
        assert_eq!(c.next_start(), DIFS, "not before DIFS");
    }

    #[test]
    fn a_backoff_after_sending_runs_without_a_frame() {
        let mut c = contention(Backoff::Standard);
        let mut senders = Vec::new();
        c.ready_when_busy(0, || 0);
        c.idle(0);
        c.start(&mut senders, &mut Vec::new());
        c.sent(0, 8, false);
        c.idle(100);
        c.ready_when_idle(0, 100 + DIFS + 3 * SLOT);
        assert_eq!(c.next_start(), 100 + DIFS + 8 * SLOT, "five of eight slots are left");
    }

    /// It had no backoff, and somebody else was faster: it takes one.
    #[test]
    fn a_frame_cut_off_in_its_eifs_draws() {
        let mut c = contention(Backoff::Standard);
        let (mut senders, mut cut) = (Vec::new(), Vec::new());
        c.ready_when_busy(0, || 1);
        c.defer(1, c.wait(3 * SLOT));
        c.defer(2, c.wait(3 * SLOT));
        c.idle(0);
        c.ready_when_idle(1, 5);
        assert_eq!(c.next_start(), DIFS + SLOT, "contender 1 would start at 3 slots");
        c.start(&mut senders, &mut cut);
        assert_eq!((&senders[..], &cut[..]), (&[0][..], &[1][..]), "contender 2 has nothing to send");
        c.sent(1, 7, true);
        c.sent(0, 50, false);
        c.idle(1000);
        assert_eq!(c.next_start(), 1000 + DIFS + 7 * SLOT);
    }

    /// Contender 0 counts 3 slots past an AIFS of 1 slot more, contender 1 has 2 past the shortest.
    #[test]
    fn aifs_is_waited_in_every_idle_period() {
        let mut c = Contention::edca(SLOT, DIFS, &[1, 0, 6]);
        let (mut senders, mut cut) = (Vec::new(), Vec::new());
        c.ready_when_busy(0, || 3);
        c.ready_when_busy(1, || 2);
        c.ready_when_busy(2, || 4);
        c.idle(0);
        assert_eq!(c.next_start(), DIFS + 2 * SLOT);
        c.start(&mut senders, &mut cut);
        assert_eq!((&senders[..], cut.len()), (&[1][..], 0));
        c.stand();
        c.sent(1, 5, true);
        c.idle(1000);
        // 0 counted at the slots 1 and 2, on which the other began: 1 is left. 2 was not past its AIFS.
        assert_eq!(c.next_start(), 1000 + DIFS + 2 * SLOT, "its AIFS and one slot");
        c.start(&mut senders, &mut cut);
        assert_eq!(senders, [0]);
        c.stand();
        c.sent(0, 50, false);
        c.idle(2000);
        // 1 counted the slots 0, 1, 2 of its 5.
        assert_eq!(c.next_start(), 2000 + DIFS + 2 * SLOT);
        c.start(&mut senders, &mut cut);
        c.stand();
        c.sent(1, 50, false);
        c.idle(3000);
        assert_eq!(c.next_start(), 3000 + DIFS + 10 * SLOT, "six slots of AIFS and all four of its own");
    }

    /// A frame that finds the channel idle for longer than its AIFS is sent at once, else after it.
    #[test]
    fn an_idle_channel_is_taken_after_the_own_aifs() {
        let mut c = Contention::edca(SLOT, DIFS, &[4, 0, 0]);
        c.idle(0);
        c.ready_when_idle(0, 3);
        assert_eq!(c.next_start(), DIFS + 4 * SLOT);
        let mut c = Contention::edca(SLOT, DIFS, &[4, 0, 0]);
        c.idle(0);
        c.ready_when_idle(0, 1_001);
        assert_eq!(c.next_start(), DIFS + 980);
    }

    #[test]
    fn eifs_delays_once_and_only_as_long_as_it_lasts() {
        let mut c = contention(Backoff::Standard);
        let mut senders = Vec::new();
        c.ready_when_busy(0, || 1);
        c.ready_when_busy(1, || 2);
        c.defer(1, c.wait(2 * SLOT));
        c.idle(0);
        c.start(&mut senders, &mut Vec::new()); // contender 0 after 1 slot: 1 of the 2 extra slots has passed
        assert_eq!(senders, [0]);
        c.sent(0, 50, true);
        c.idle(1000);
        assert_eq!(c.next_start(), 1000 + DIFS + 2 * SLOT, "its own two slots are untouched");
        c.defer(1, c.wait(3 * SLOT));
        c.idle(1000);
        assert_eq!(c.next_start(), 1000 + DIFS + 5 * SLOT);
    }

    /// Contender 1 waits 17 ns longer than 0, which draws 3 slots and sends at 30 ns: it begins at 37, and has counted one
    /// slot; 2 has counted three. No two of them are due at once.
    #[test]
    fn slots_are_counted_from_the_end_of_the_own_wait() {
        for (edca, left) in [(false, [1, 1]), (true, [0, 0])] {
            let mut c = match edca {
                false => contention(Backoff::Standard),
                true => Contention::edca(SLOT, DIFS, &[0; 3]),
            };
            let mut senders = Vec::new();
            c.ready_when_busy(0, || 3);
            c.ready_when_busy(1, || 2);
            c.ready_when_busy(2, || 4);
            c.defer(1, c.wait(17));
            c.idle(0);
            assert_eq!(c.next_start(), DIFS + 30);
            assert_eq!((c.start(&mut senders, &mut Vec::new()), &senders[..]), (3, &[0][..]));
            c.sent(0, 50, true);
            c.idle(200);
            // By EDCA's rule the boundaries at 17 and 27 count, and those at 0, 10, 20 and 30.
            let [of_1, of_2] = left;
            assert_eq!(c.next_start(), 200 + DIFS + of_1.min(of_2) * SLOT, "{edca}");
            c.start(&mut senders, &mut Vec::new());
            assert_eq!(senders, [1, 2], "{edca}: they are due at the same time now");
        }
        // Contender 1 starts at a boundary of its own, and contender 2 keeps its boundaries.
        let mut c = contention(Backoff::Standard);
        let mut senders = Vec::new();
        c.ready_when_busy(1, || 1);
        c.ready_when_busy(2, || 5);
        c.defer(1, c.wait(17));
        c.idle(0);
        assert_eq!(c.next_start(), DIFS + 17 + SLOT);
        c.start(&mut senders, &mut Vec::new());
        assert_eq!(senders, [1]);
        c.sent(1, 50, true);
        c.idle(200);
        assert_eq!(c.next_start(), 200 + DIFS + 3 * SLOT, "two whole slots of five are over");
    }
}
