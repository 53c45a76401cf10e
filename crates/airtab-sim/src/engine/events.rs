// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Events in order of time; events of equal time in the order of their making.
//!
//! A 4-ary heap of plain data: no boxes, no closures, no cancellation (a timer
//! that moved is looked at again when it fires), and beside it a sorted lane for
//! events that are made nearly in order, as packets on wires are: such a one costs
//! a look at its neighbours. Once grown, it does not allocate.

use std::collections::VecDeque;

use super::NEVER;

/// A queue of events of type `E`.
pub struct EventQueue<E> {
    heap: Vec<Entry<E>>,
    lane: VecDeque<Entry<E>>,
    /// Time of the lane's first event, or [`NEVER`].
    lane_at: u64,
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

const WIDTH: usize = 4;
/// So many events of the lane a new one may go before; else the heap takes it.
const REACH: usize = 16;

impl<E: Copy> EventQueue<E> {
    /// An empty queue.
    pub fn new() -> EventQueue<E> {
        // The lane begins small: a ring is walked through from end to end, whatever is in it.
        let (heap, lane) = (Vec::with_capacity(1024), VecDeque::with_capacity(64));
        EventQueue { heap, lane, lane_at: NEVER, made: 0 }
    }

    /// Adds an event at `at`, ns.
    pub fn push(&mut self, at: u64, event: E) {
        let entry = self.entry(at, event);
        self.raise(entry);
    }

    /// The same, for an event that comes after nearly all that were added in this way; it only
    /// takes longer where it does not.
    #[inline(always)]
    pub fn push_in_turn(&mut self, at: u64, event: E) {
        let entry = self.entry(at, event);
        if self.lane.back().is_some_and(|last| last.at > at) {
            return self.push_before(entry);
        }
        self.lane_at = self.lane_at.min(at);
        self.lane.push_back(entry);
    }

    /// Time of the first event, or [`NEVER`].
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.heap.first().map_or(NEVER, |e| e.at).min(self.lane_at)
    }

    /// Takes the first event.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, E)> {
        let heap_first = self.heap.first().map_or(u128::MAX, Entry::key);
        let first = match self.lane.front() {
            Some(lane) if lane.key() < heap_first => self.pop_lane(),
            None if self.heap.is_empty() => return None,
            _ => self.pop_heap(),
        };
        Some((first.at, first.event))
    }

    /// Adds an event that the lane's last one comes after.
    #[inline(never)]
    fn push_before(&mut self, entry: Entry<E>) {
        let mut place = self.lane.len() - 1;
        let least = place.saturating_sub(REACH);
        while place > least && self.lane[place - 1].at > entry.at {
            place -= 1;
        }
        if place > 0 && self.lane[place - 1].at > entry.at {
            return self.raise(entry);
        }
        self.lane_at = self.lane_at.min(entry.at);
        self.lane.insert(place, entry);
    }

    #[inline]
    fn entry(&mut self, at: u64, event: E) -> Entry<E> {
        self.made += 1;
        Entry { at, order: self.made, event }
    }

    #[inline]
    fn pop_lane(&mut self) -> Entry<E> {
        let first = self.lane.pop_front().expect("the caller has looked");
        self.lane_at = self.lane.front().map_or(NEVER, |e| e.at);
        first
    }

    #[inline(never)]
    fn pop_heap(&mut self) -> Entry<E> {
        let last = self.heap.pop().expect("the caller has looked");
        match self.heap.first() {
            Some(&first) => {
                self.sink(last);
                first
            }
            None => last,
        }
    }

    /// Puts `entry` at its place in the heap, from below.
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
                lane = lane.max(queue.lane.len());
                // Grows and shrinks again.
                for _ in 0..draws.below(if i / 1000 % 2 == 0 { 2 } else { 5 }) {
                    model.sort_unstable();
                    assert_eq!(queue.next_at(), model.first().map_or(NEVER, |e| e.0));
                    let Some((at, event)) = queue.pop() else { break };
                    assert_eq!((at, event), model.remove(0), "spread {spread}");
                    now = at;
                }
            }
            assert!(lane > 0 && queue.heap.len() + queue.lane.len() == model.len());
        }
    }
}
