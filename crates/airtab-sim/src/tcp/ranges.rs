// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A sorted set of disjoint byte ranges: the receiver's out-of-order data, the sender's SACKed data.
//!
//! Ranges are half open. The common operations touch one end and are O(1); the others cost a binary search and, when
//! the number of ranges changes, a move of the shorter side of the ring. The storage is kept, so that the steady state
//! does not allocate.

use std::collections::VecDeque;

#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    list: VecDeque<(u64, u64)>,
}

impl Ranges {
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes over the storage of another set, and nothing of what is in it.
    pub fn adopt(&mut self, mut old: Ranges) {
        if self.list.capacity() == 0 {
            old.list.clear();
            self.list = old.list;
        }
    }

    /// End of the highest range.
    pub fn end(&self) -> Option<u64> {
        self.list.back().map(|r| r.1)
    }

    /// The ranges from the highest down.
    pub fn descending(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.list.iter().rev().copied()
    }

    /// Adds `start..end`, tells `new` every piece of it that was missing, and returns the range that it is now part of.
    pub fn insert(&mut self, start: u64, end: u64, mut new: impl FnMut(u64, u64)) -> (u64, u64) {
        debug_assert!(start < end);
        let first = match self.list.back() {
            Some(&(_, e)) if e < start => self.list.len(),
            Some(&(s, _)) if s <= start => self.list.len() - 1,
            _ => self.list.partition_point(|r| r.1 < start),
        };
        let mut merged = (start, end);
        let mut cursor = start; // below it, all of start..end is reported or was there
        let mut last = first;
        while let Some(&(s, e)) = self.list.get(last)
            && s <= end
        {
            if s > cursor {
                new(cursor, s);
            }
            cursor = cursor.max(e);
            merged = (merged.0.min(s), merged.1.max(e));
            last += 1;
        }
        if cursor < end {
            new(cursor, end);
        }
        if first == last {
            self.list.insert(first, merged);
        } else {
            self.list[first] = merged;
            if last > first + 1 {
                self.list.drain(first + 1..last);
            }
        }
        merged
    }

    /// Removes everything below `edge` and tells `gone` every piece removed.
    pub fn remove_below(&mut self, edge: u64, mut gone: impl FnMut(u64, u64)) {
        while let Some(front) = self.list.front_mut()
            && front.0 < edge
        {
            if front.1 > edge {
                gone(front.0, edge);
                front.0 = edge;
                return;
            }
            gone(front.0, front.1);
            self.list.pop_front();
        }
    }

    /// Removes `start..end`, tells `gone` every piece of it that was there.
    pub fn remove(&mut self, start: u64, end: u64, mut gone: impl FnMut(u64, u64)) {
        let mut at = self.list.partition_point(|r| r.1 <= start);
        while let Some(&(s, e)) = self.list.get(at)
            && s < end
        {
            gone(s.max(start), e.min(end));
            match (s < start, e > end) {
                (true, true) => {
                    self.list[at].1 = start;
                    self.list.insert(at + 1, (end, e));
                    return;
                }
                (true, false) => {
                    self.list[at].1 = start;
                    at += 1;
                }
                (false, true) => {
                    self.list[at].0 = end;
                    return;
                }
                (false, false) => {
                    self.list.remove(at);
                }
            }
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The lowest range.
    pub fn first(&self) -> Option<(u64, u64)> {
        self.list.front().copied()
    }

    /// The first gap at or above `from`: its start, and its end unless it is open above.
    pub fn gap_from(&self, from: u64) -> (u64, Option<u64>) {
        let mut at = self.list.partition_point(|r| r.1 <= from);
        let mut start = from;
        if let Some(&(s, e)) = self.list.get(at)
            && s <= from
        {
            start = e;
            at += 1;
        }
        (start, self.list.get(at).map(|r| r.0))
    }

    /// Bytes of `from..to` that are in the set; linear in the number of ranges that overlap it.
    pub fn covered(&self, from: u64, to: u64) -> u64 {
        let at = self.list.partition_point(|r| r.1 <= from);
        self.list.range(at..).take_while(|r| r.0 < to).map(|r| r.1.min(to) - r.0.max(from)).sum()
    }

    /// Removes the lowest range if it begins at or below `edge`, and returns its end.
    pub fn take_front_at(&mut self, edge: u64) -> Option<u64> {
        match self.list.front() {
            Some(&(s, e)) if s <= edge => {
                self.list.pop_front();
                Some(e)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges(list: &[(u64, u64)]) -> Ranges {
        Ranges { list: list.iter().copied().collect() }
    }

    #[test]
    fn insert_reports_what_was_missing() {
        let mut set = ranges(&[(10, 20), (30, 40), (50, 60)]);
        let mut new = Vec::new();
        assert_eq!(set.insert(15, 55, |s, e| new.push((s, e))), (10, 60));
        assert_eq!(new, [(20, 30), (40, 50)]);
        assert_eq!(set.descending().collect::<Vec<_>>(), [(10, 60)]);
    }

    proptest! {
        /// Against a set of single bytes.
        #[test]
        fn agrees_with_a_set_of_bytes(
            inserts in prop::collection::vec((0u64..60, 1u64..9), 0..30), edge in 0u64..70, from in 0u64..70
        ) {
            let mut set = Ranges::default();
            let mut bytes = [false; 80];
            for (start, len) in inserts {
                let mut new = 0;
                let merged = set.insert(start, start + len, |s, e| new += e - s);
                let missing = (start..start + len).filter(|&b| !bytes[b as usize]).count() as u64;
                prop_assert_eq!(new, missing);
                bytes[start as usize..(start + len) as usize].fill(true);
                prop_assert!(bytes[merged.0 as usize..merged.1 as usize].iter().all(|&b| b));
                prop_assert!(!bytes[merged.1 as usize] && (merged.0 == 0 || !bytes[merged.0 as usize - 1]));
            }
            let count = |a: u64, b: u64| bytes[a as usize..b as usize].iter().filter(|&&b| b).count() as u64;
            if from < edge {
                prop_assert_eq!(set.covered(from, edge), count(from, edge));
            }
            let start = (from..).find(|&b| !bytes[b as usize]).unwrap();
            let end = (start..80).find(|&b| bytes[b as usize]);
            prop_assert_eq!(set.gap_from(from), (start, end));
            if from < edge {
                let (mut less, mut gone) = (set.clone(), 0);
                less.remove(from, edge, |s, e| gone += e - s);
                prop_assert_eq!(gone, count(from, edge));
                prop_assert_eq!((less.covered(0, from), less.covered(from, edge)), (count(0, from), 0));
                prop_assert_eq!(less.covered(edge, 80), count(edge, 80));
                prop_assert!(less.list.iter().all(|r| r.0 < r.1));
            }
            let mut gone = 0;
            set.remove_below(edge, |s, e| gone += e - s);
            prop_assert_eq!(gone, count(0, edge));
            prop_assert_eq!(set.covered(0, 80), count(edge, 80));
        }
    }
}
