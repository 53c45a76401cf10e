// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A receiver's reordering buffer: packets are passed up in the order of their sequence numbers
//! (IEEE 802.11-2020 10.25.6.6). One that is missing holds up those behind it until it comes, until one beyond
//! the window does, until its sender says by a BAR that it will not come, or for 100 ms.
//!
//! Several packets may have one number (A-MSDU); they come together.
//!
//! What it does not do: 100 ms is what receivers in use take, not the standard's; a number that comes
//! after its place has been given up is thrown away.

use std::collections::VecDeque;

use airtab_core::Handle;
use airtab_core::time::MS;

use crate::engine::NEVER;

/// How long a missing number holds up others, ns.
const HOLD_NS: u64 = 100 * MS;

/// The recipient's end of a block acknowledgement agreement.
pub(super) struct Reorder {
    size: u64,
    /// What is passed up next.
    next: u64,
    /// What waits for others, by number.
    held: VecDeque<Waiting>,
    /// Since the oldest of `held` has been here, when it is passed up.
    deadline: u64,
}

struct Waiting {
    sequence: u64,
    packet: Handle,
    since: u64,
}

impl Reorder {
    /// For a window of so many numbers.
    pub(super) fn new(size: u16) -> Reorder {
        Reorder { size: size.into(), next: 0, held: VecDeque::with_capacity(size.into()), deadline: NEVER }
    }

    /// When it has to be looked at again ([`Reorder::expire`]).
    pub(super) fn deadline(&self) -> u64 {
        self.deadline
    }

    /// How many packets wait here.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// The packets of one number that was not received before arrived: tells what is passed up. False: it
    /// came too late.
    pub(super) fn receive(
        &mut self,
        sequence: u64,
        packets: impl Iterator<Item = Handle>,
        now: u64,
        up: impl FnMut(Handle),
    ) -> bool {
        if sequence < self.next {
            return false;
        }
        if sequence == self.next && self.held.is_empty() {
            packets.for_each(up);
            self.next += 1;
            return true;
        }
        let place = self.held.partition_point(|waiting| waiting.sequence < sequence);
        debug_assert!(self.held.get(place).is_none_or(|waiting| waiting.sequence != sequence));
        for (i, packet) in packets.enumerate() {
            self.held.insert(place + i, Waiting { sequence, packet, since: now });
        }
        self.pass((sequence + 1).saturating_sub(self.size), up);
        true
    }

    /// The sender says that what is before a number will not come.
    pub(super) fn bar(&mut self, sequence: u64, up: impl FnMut(Handle)) {
        self.pass(sequence, up);
    }

    /// Whoever waits for longer than it may at `now` waits no longer.
    pub(super) fn expire(&mut self, now: u64, up: impl FnMut(Handle)) {
        let late = self.held.iter().rev().find(|waiting| waiting.since + HOLD_NS <= now);
        let until = late.map_or(0, |waiting| waiting.sequence);
        self.pass(until, up);
    }

    /// Passes up what is before `until`, and what comes next without a gap.
    fn pass(&mut self, until: u64, mut up: impl FnMut(Handle)) {
        self.next = self.next.max(until);
        while let Some(first) = self.held.pop_front_if(|first| first.sequence <= self.next) {
            up(first.packet);
            let last = self.held.front().is_none_or(|second| second.sequence != first.sequence);
            if last && first.sequence == self.next {
                self.next += 1;
            }
        }
        let oldest = self.held.iter().map(|waiting| waiting.since).min();
        self.deadline = oldest.map_or(NEVER, |since| since + HOLD_NS);
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::{Meta, Pool};
    use proptest::prelude::*;

    use super::*;

    /// Packets by number.
    fn packets(n: usize) -> Vec<Handle> {
        let mut pool: Pool<u32> = Pool::new();
        (0..n as u32).map(|i| pool.insert(Meta::default(), i)).collect()
    }

    struct Receiver {
        reorder: Reorder,
        packets: Vec<Handle>,
        up: Vec<usize>,
    }

    impl Receiver {
        fn new(size: u16) -> Receiver {
            Receiver { reorder: Reorder::new(size), packets: packets(64), up: Vec::new() }
        }

        fn receive(&mut self, sequence: u64, now: u64) -> bool {
            let packet = self.packets[sequence as usize];
            self.reorder.receive(sequence, std::iter::once(packet), now, |p| self.up.push(p.index()))
        }
    }

    #[test]
    fn a_hole_holds_up_what_is_behind_it() {
        let mut r = Receiver::new(8);
        assert!([0, 2, 3].into_iter().all(|sequence| r.receive(sequence, 7)));
        assert_eq!((&r.up[..], r.reorder.len(), r.reorder.deadline()), (&[0][..], 2, 7 + HOLD_NS));
        assert!(r.receive(1, 9));
        assert_eq!((&r.up[..], r.reorder.len(), r.reorder.deadline()), (&[0, 1, 2, 3][..], 0, NEVER));
    }

    #[test]
    fn the_window_moves_with_the_newest() {
        let mut r = Receiver::new(4);
        assert!([1, 2, 3].into_iter().all(|sequence| r.receive(sequence, 0)));
        assert!(r.up.is_empty());
        assert!(r.receive(4, 1), "0 is out of the window now");
        assert_eq!(r.up, [1, 2, 3, 4]);
        assert!(!r.receive(0, 2), "too late");
        assert!(r.receive(6, 3) && r.receive(9, 4));
        assert_eq!(r.up, [1, 2, 3, 4, 6], "5 is out, 7 and 8 may come");
    }

    #[test]
    fn a_bar_and_time_give_up_what_is_missing() {
        let mut r = Receiver::new(16);
        r.reorder.bar(3, |_| panic!("nothing waits"));
        assert!(!r.receive(2, 0));
        assert!([5, 8].into_iter().all(|sequence| r.receive(sequence, 10)) && r.receive(7, 20));
        let Receiver { reorder, up, .. } = &mut r;
        reorder.expire(HOLD_NS + 9, |p| up.push(p.index()));
        assert!(up.is_empty());
        reorder.bar(5, |p| up.push(p.index()));
        assert_eq!((&up[..], reorder.deadline()), (&[5][..], 10 + HOLD_NS));
        reorder.expire(HOLD_NS + 10, |p| up.push(p.index()));
        assert_eq!((&up[..], reorder.deadline()), (&[5, 7, 8][..], NEVER), "8 was due, and 7 is before it");
    }

    #[test]
    fn packets_of_one_number_go_together() {
        let all = packets(4);
        let (mut reorder, mut up) = (Reorder::new(8), Vec::new());
        reorder.receive(1, all[2..].iter().copied(), 0, |p| up.push(p));
        assert!(up.is_empty());
        reorder.receive(0, all[..2].iter().copied(), 0, |p| up.push(p));
        assert_eq!(up, all);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// Whatever is lost and repeated: in order, none twice, and all that came in time; as a receiver
        /// does it that keeps a list of what it has and looks through it each time.
        #[test]
        fn as_a_plain_receiver(
            size in 1u64..9,
            numbers in prop::collection::vec((0u64..40, 0u64..30, prop::bool::weighted(0.1)), 0..80),
        ) {
            let mut r = Receiver::new(size as u16);
            let (mut seen, mut next, mut up) = (vec![false; 64], 0u64, Vec::new());
            let mut now = 0;
            for (number, ms, bar) in numbers {
                now += ms * MS;
                let waits = |seen: &[bool], next: u64| (next..64).find(|n| seen[*n as usize]);
                r.reorder.expire(now, |p| r.up.push(p.index()));
                prop_assert!(r.reorder.deadline() > now);
                // Of the plain receiver: what time gives up is what the other has passed up.
                while r.up.len() > up.len() {
                    let n = r.up[up.len()] as u64;
                    prop_assert_eq!(Some(n), waits(&seen, next));
                    up.push(n as usize);
                    next = n + 1;
                }
                let floor = if bar {
                    let Receiver { reorder, up, .. } = &mut r;
                    reorder.bar(number, |p| up.push(p.index()));
                    number
                } else {
                    let new = number >= next && !seen[number as usize];
                    if seen[number as usize] && number >= next {
                        continue;
                    }
                    prop_assert_eq!(r.receive(number, now), new);
                    if !new {
                        continue;
                    }
                    seen[number as usize] = true;
                    (number + 1).saturating_sub(size)
                };
                while next < floor || seen[next as usize] {
                    if seen[next as usize] {
                        up.push(next as usize);
                    }
                    next += 1;
                }
                prop_assert_eq!(&r.up, &up);
            }
        }
    }
}
