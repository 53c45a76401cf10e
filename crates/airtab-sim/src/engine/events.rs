// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Events in order of time; events of equal time in the order of their making.
//!
//! A 4-ary heap of plain data: no boxes, no closures, no cancellation (a timer
//! that moved is looked at again when it fires), and beside it sorted lanes for
//! events that are made in order, as packets on wires are. Two, for those that have
//! a long way and those that have a short one: each is in order by itself. Once grown,
//! it does not allocate.

use std::collections::VecDeque;

/// A queue of events of type `E`.
pub struct EventQueue<E> {
    heap: Vec<Entry<E>>,
    lanes: [Lane<E>; 2],
    /// Of the first event, and where it is: a lane's number, or that of the heap.
    next: (u128, usize),
    made: u64,
}

#[derive(Clone, Copy)]
struct Entry<E> {
    at: u64,
    order: u64,
    event: E,
}

impl<E: Copy> Entry<E> {
    /// Time and order as one number.
    #[inline]
    fn key(&self) -> u128 {
        u128::from(self.at) << 64 | u128::from(self.order)
    }
}

/// Where there is no event.
const NO_KEY: u128 = u128::MAX;

/// The heap, beside the lanes.
const HEAP: usize = 2;

/// Events that were made in order.
struct Lane<E> {
    entries: VecDeque<Entry<E>>,
    /// Of the first one.
    first_key: u128,
    /// Time of the last one that came.
    last_at: u64,
}

impl<E: Copy> Lane<E> {
    fn new() -> Lane<E> {
        // It begins small: a ring is walked through from end to end, whatever is in it.
        Lane { entries: VecDeque::with_capacity(64), first_key: NO_KEY, last_at: 0 }
    }

    #[inline]
    fn push(&mut self, entry: Entry<E>) {
        if self.entries.is_empty() {
            self.first_key = entry.key();
        }
        self.last_at = entry.at;
        self.entries.push_back(entry);
    }

    #[inline]
    fn pop(&mut self) -> Option<Entry<E>> {
        let first = self.entries.pop_front();
        self.first_key = self.entries.front().map_or(NO_KEY, Entry::key);
        first
    }
}

const WIDTH: usize = 4;

impl<E: Copy> EventQueue<E> {
    /// An empty queue.
    pub fn new() -> EventQueue<E> {
        let lanes = [Lane::new(), Lane::new()];
        EventQueue { heap: Vec::with_capacity(1024), lanes, next: (NO_KEY, HEAP), made: 0 }
    }

    /// Adds an event at `at`, ns.
    pub fn push(&mut self, at: u64, event: E) {
        let entry = self.entry(at, event, HEAP);
        self.raise(entry);
    }

    /// The same, for an event that comes after nearly all that were added in this way, or after those on as
    /// long a way; it only takes longer where it does not.
    #[inline(always)]
    pub fn push_in_turn(&mut self, at: u64, event: E) {
        match self.lanes.iter().position(|lane| lane.last_at <= at) {
            Some(lane) => {
                let entry = self.entry(at, event, lane);
                self.lanes[lane].push(entry);
            }
            None => self.push(at, event),
        }
    }

    /// Time of the first event, or [`NEVER`](super::NEVER).
    #[inline]
    pub fn next_at(&self) -> u64 {
        (self.next.0 >> 64) as u64
    }

    /// Takes the first event.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, E)> {
        let first = match self.lanes.get_mut(self.next.1) {
            Some(lane) => lane.pop(),
            None => self.pop_heap(),
        };
        let [one, other] = self.lanes.each_ref().map(|lane| lane.first_key);
        let in_lanes = if other < one { (other, 1) } else { (one, 0) };
        let in_heap = self.heap_key();
        self.next = if in_lanes.0 < in_heap { in_lanes } else { (in_heap, HEAP) };
        first.map(|entry| (entry.at, entry.event))
    }

    /// Of the heap's first event.
    #[inline]
    fn heap_key(&self) -> u128 {
        self.heap.first().map_or(NO_KEY, Entry::key)
    }

    /// An event that comes to a place.
    #[inline(always)]
    fn entry(&mut self, at: u64, event: E, place: usize) -> Entry<E> {
        self.made += 1;
        let entry = Entry { at, order: self.made, event };
        // Made later than all others: before them only by its time.
        if at < self.next_at() {
            self.next = (entry.key(), place);
        }
        entry
    }

    #[inline(never)]
    fn pop_heap(&mut self) -> Option<Entry<E>> {
        let last = self.heap.pop()?;
        match self.heap.first() {
            Some(&first) => {
                self.sink(last);
                Some(first)
            }
            None => Some(last),
        }
    }

    /// Puts `entry` at its place in the heap, from below.
    #[inline(never)]
    fn raise(&mut self, entry: Entry<E>) {
        let mut hole = self.heap.len();
        self.heap.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / WIDTH;
            if entry.key() > self.heap[parent].key() {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
    }

    /// Puts `entry` where the heap's first one was.
    fn sink(&mut self, entry: Entry<E>) {
        let heap = &mut self.heap[..];
        let (mut hole, key) = (0, entry.key());
        loop {
            let first = hole * WIDTH + 1;
            let Some(children) = heap.get(first..heap.len().min(first + WIDTH)) else { break };
            let (mut best, mut least) = (first, u128::MAX);
            for (child, entry) in (first..).zip(children) {
                let key = entry.key();
                (best, least) = if key < least { (child, key) } else { (best, least) };
            }
            if least > key {
                break;
            }
            heap[hole] = heap[best];
            hole = best;
        }
        heap[hole] = entry;
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::NEVER;

    #[test]
    fn equal_times_keep_their_order() {
        let mut queue = EventQueue::new();
        for i in 0..1000u32 {
            match i % 3 {
                0 => queue.push(u64::from(i % 7), i),
                _ => queue.push_in_turn(u64::from(i % 7), i),
            }
        }
        let mut popped = Vec::new();
        while let Some(entry) = queue.pop() {
            popped.push(entry);
        }
        let mut sorted: Vec<_> = (0..1000u32).map(|i| (u64::from(i % 7), i)).collect();
        sorted.sort_by_key(|e| e.0); // stable
        assert_eq!(popped, sorted);
        assert_eq!(queue.next_at(), NEVER);
    }

    /// However events are made and taken, in turn or far out of it.
    #[test]
    fn the_first_one_is_always_the_first() {
        let mut draws = crate::engine::Stream::new(1, "events");
        for spread in [1, 10, 100, 10_000] {
            let (mut queue, mut model, mut now, mut lane) = (EventQueue::new(), Vec::new(), 0, 0);
            for i in 0..20_000u32 {
                let (at, in_turn) = (now + draws.below(spread), draws.below(3) > 0);
                if in_turn {
                    queue.push_in_turn(at, i)
                } else {
                    queue.push(at, i)
                }
                model.push((at, i));
                lane = lane.max(queue.lanes[0].entries.len());
                // Grows and shrinks again.
                for _ in 0..draws.below(if i / 1000 % 2 == 0 { 2 } else { 5 }) {
                    model.sort_unstable();
                    assert_eq!(queue.next_at(), model.first().map_or(NEVER, |e| e.0));
                    let Some((at, event)) = queue.pop() else { break };
                    assert_eq!((at, event), model.remove(0), "spread {spread}");
                    now = at;
                }
            }
            let lanes = queue.lanes.iter().map(|lane| lane.entries.len()).sum::<usize>();
            assert!(lane > 0 && queue.heap.len() + lanes == model.len());
        }
    }
}
