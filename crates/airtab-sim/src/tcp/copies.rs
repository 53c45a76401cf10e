// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Retransmissions that are on their way, and which of them are lost.
//!
//! RFC 6675 sends a segment again once and cannot tell that the copy is lost: a timeout follows. Here a copy is lost by the
//! evidence by which an original is (IsLost, section 4): more than `DUP_THRESH - 1` segments' worth of data that was *sent
//! later* has arrived. Originals leave in sequence, so that of an original it is enough to know what was next to be sent when
//! the copy left; of other copies their order tells.
//!
//! The oldest copy has all the evidence that there is. Each keeps what arrived of the time between it and the next, so that
//! an acknowledgement costs a search and not a walk. What it does not do: marking by time, which RACK does (`rack`).

use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Copy {
    start: u64,
    end: u64,
    /// What was next to be sent for the first time when the copy left.
    next: u64,
    /// Bytes that were sent after it and before the next copy, and have arrived.
    later: u64,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    /// In the order of sending; empty ones have arrived.
    log: VecDeque<Copy>,
    /// All of `later`.
    evidence: u64,
}

impl Copies {
    /// `start..end` was sent again when `next` was the next new byte.
    pub fn on_sent(&mut self, start: u64, end: u64, next: u64) {
        self.log.push_back(Copy { start, end, next, later: 0 });
    }

    /// Forgets what earlier copies have of `start..end`, which is about to be sent once more.
    pub fn replace(&mut self, start: u64, end: u64) {
        for copy in self.log.iter_mut().filter(|copy| copy.start < end && copy.end > start) {
            if copy.start >= start {
                copy.start = copy.end.min(end);
            } else {
                copy.end = start;
            }
        }
    }

    /// Takes over the storage of another log.
    pub fn adopt(&mut self, mut old: Copies) {
        if self.log.capacity() == 0 {
            old.log.clear();
            self.log = old.log;
        }
    }

    /// A timeout: what was sent again before is not waited for.
    pub fn clear(&mut self) {
        self.log.clear();
        self.evidence = 0;
    }

    /// `start..end` has arrived, as a block tells that was not known before (`sacked`), or is below the cumulative
    /// acknowledgement.
    pub fn on_delivered(&mut self, start: u64, end: u64, sacked: bool) {
        if self.log.is_empty() {
            return;
        }
        let mut originals = end - start;
        for i in 0..self.log.len() {
            let copy = &mut self.log[i];
            let (from, to) = (start.max(copy.start), end.min(copy.end));
            if from >= to {
                continue;
            }
            if from == copy.start {
                copy.start = to;
            } else {
                copy.end = from;
            }
            originals -= to - from;
            self.count(i, to - from);
            if originals == 0 {
                break;
            }
        }
        if sacked && originals > 0 {
            let before = self.log.partition_point(|copy| copy.next <= start);
            self.count(before, originals);
        }
        while self.log.front().is_some_and(|copy| copy.start == copy.end) {
            self.forget();
        }
    }

    /// The oldest copy, if it is lost; it is forgotten here.
    pub fn take_lost(&mut self, mss: u64) -> Option<(u64, u64)> {
        if self.evidence <= 2 * mss {
            return None;
        }
        let copy = self.forget()?;
        Some((copy.start, copy.end))
    }

    /// `bytes` have arrived that were sent after the first `before` copies.
    fn count(&mut self, before: usize, bytes: u64) {
        if let Some(copy) = before.checked_sub(1).and_then(|last| self.log.get_mut(last)) {
            copy.later += bytes;
            self.evidence += bytes;
        }
    }

    fn forget(&mut self) -> Option<Copy> {
        let copy = self.log.pop_front()?;
        self.evidence -= copy.later;
        Some(copy)
    }
}
