// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The receiving half: reassembly, SACK blocks, when to acknowledge.
//!
//! Sources: RFC 5681 4.2 (generating acknowledgements), RFC 2018 3-4 (SACK blocks, most recent first). Data out of
//! order, or filling a gap, is acknowledged at once; data in order every `ack_every` segments or after the delay.
//! The application reads at once, so that the window never shrinks. Not done: quick-ACK, DSACK, reneging.

use super::config::{Config, Recovery};
use super::ranges::Ranges;
use super::segment::{SACK_BLOCKS, SACK_BLOCKS_TIMED, Segment, sack_option_bytes};

/// A deadline that is not set.
const NEVER: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub(super) struct Receiver {
    /// Next byte expected; all below it is delivered.
    next: u64,
    /// Bytes of data that have arrived, each counted once.
    distinct: u64,
    window: u64,
    /// Data above `next`.
    early: Ranges,
    /// Ranges of `early` in the order in which they last grew, most recent first.
    recent: [(u64, u64); SACK_BLOCKS],
    recent_len: u8,
    /// Segments received in order since the last acknowledgement.
    unacknowledged: u32,
    ack_due: bool,
    ack_deadline: u64,
    ack_every: u32,
    ack_delay: u64,
    /// Blocks that an acknowledgement tells at most; 0 without SACK.
    blocks: usize,
    /// TS.Recent: the timestamp that is echoed.
    timestamp: Option<u32>,
    /// Last.ACK.sent.
    acknowledged: u64,
}

impl Receiver {
    pub fn new(config: &Config) -> Self {
        Receiver {
            next: 1, // after the SYN
            distinct: 0,
            window: config.receive_window_bytes(),
            early: Ranges::default(),
            recent: [(0, 0); SACK_BLOCKS],
            recent_len: 0,
            unacknowledged: 0,
            ack_due: false,
            ack_deadline: NEVER,
            ack_every: config.ack_every,
            ack_delay: config.delayed_ack_ns,
            blocks: match config.recovery {
                Recovery::Sack if config.timestamps => SACK_BLOCKS_TIMED,
                Recovery::Sack => SACK_BLOCKS,
                Recovery::NewReno | Recovery::Reno => 0,
            },
            timestamp: None,
            acknowledged: 0,
        }
    }

    /// Takes over the storage of another receiver.
    pub fn adopt(&mut self, old: Receiver) {
        self.early.adopt(old.early);
    }

    /// Bytes delivered in order.
    pub fn delivered(&self) -> u64 {
        self.next - 1
    }

    /// Bytes received, in order or behind a hole, each counted once.
    pub fn distinct(&self) -> u64 {
        self.distinct
    }

    /// When a held acknowledgement becomes due; `u64::MAX` if none is held.
    pub fn deadline(&self) -> u64 {
        self.ack_deadline
    }

    pub fn on_timeout(&mut self, now: u64) {
        if now >= self.ack_deadline {
            self.acknowledge_now();
        }
    }

    pub fn ack_due(&self) -> bool {
        self.ack_due
    }

    /// An acknowledgement is to leave without waiting for the delay.
    pub fn acknowledge_now(&mut self) {
        self.ack_due = true;
        self.ack_deadline = NEVER;
    }

    /// A segment from `seq` on brought a timestamp. That of the first segment that is not acknowledged yet is echoed, so that
    /// the time for which an acknowledgement is held counts (RFC 7323 4.3).
    pub fn on_timestamp(&mut self, seq: u64, tsval: u32) {
        let newer = self.timestamp.is_none_or(|last| tsval.wrapping_sub(last) < 1 << 31);
        if seq <= self.acknowledged && newer {
            self.timestamp = Some(tsval);
        }
    }

    /// Data bytes `start..end` arrived.
    pub fn on_data(&mut self, now: u64, start: u64, end: u64) {
        debug_assert!(start < end);
        if end <= self.next || end > self.next + self.window {
            self.acknowledge_now(); // a copy, or beyond the window (RFC 9293 3.10.7.4)
        } else if start > self.next {
            self.store(start, end);
            self.acknowledge_now();
        } else if self.early.is_empty() {
            self.distinct += end - self.next;
            self.next = end;
            self.unacknowledged += 1;
            if self.unacknowledged >= self.ack_every {
                self.acknowledge_now();
            } else if !self.ack_due && self.ack_deadline == NEVER {
                self.ack_deadline = now + self.ack_delay;
            }
        } else {
            self.fill_gap(end);
            self.acknowledge_now();
        }
    }

    /// Bytes that the SACK option of the next segment takes.
    pub fn option_bytes(&self) -> u32 {
        sack_option_bytes(self.recent_len)
    }

    /// Writes the acknowledgement fields into a segment that leaves now.
    pub fn acknowledge(&mut self, segment: &mut Segment) {
        segment.flags |= super::segment::ACK;
        segment.ack = self.next;
        segment.window = self.window as u32; // Config::check bounds it
        segment.sack = self.recent;
        segment.sack_len = self.recent_len;
        segment.tsecr = self.timestamp.unwrap_or(0);
        self.acknowledged = self.next;
        self.unacknowledged = 0;
        self.ack_due = false;
        self.ack_deadline = NEVER;
    }

    fn store(&mut self, start: u64, end: u64) {
        let distinct = &mut self.distinct;
        let merged = self.early.insert(start, end, |start, end| *distinct += end - start);
        if self.blocks == 0 {
            return;
        }
        let mut recent = [(0, 0); SACK_BLOCKS];
        recent[0] = merged;
        let mut len = 1;
        for &block in &self.recent[..usize::from(self.recent_len)] {
            let outside = block.1 < merged.0 || block.0 > merged.1;
            if outside && len < self.blocks {
                recent[len] = block;
                len += 1;
            }
        }
        self.recent = recent;
        self.recent_len = len as u8;
    }

    fn fill_gap(&mut self, end: u64) {
        self.distinct += end - self.next - self.early.covered(self.next, end);
        self.next = end;
        while let Some(end) = self.early.take_front_at(self.next) {
            self.next = self.next.max(end);
        }
        let mut len = 0;
        for i in 0..usize::from(self.recent_len) {
            if self.recent[i].0 > self.next {
                self.recent[len] = self.recent[i];
                len += 1;
            }
        }
        self.recent[len..].fill((0, 0));
        self.recent_len = len as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks(receiver: &mut Receiver) -> (u64, Vec<(u64, u64)>) {
        let mut segment = Segment::default();
        receiver.acknowledge(&mut segment);
        (segment.ack, segment.sack_blocks().to_vec())
    }

    #[test]
    fn sack_blocks_come_most_recent_first() {
        let mut receiver = Receiver::new(&Config::home());
        for start in [11, 31, 51, 71, 91] {
            receiver.on_data(0, start, start + 10);
        }
        assert_eq!(blocks(&mut receiver), (1, vec![(91, 101), (71, 81), (51, 61), (31, 41)]));
        receiver.on_data(0, 41, 51); // joins two blocks
        assert_eq!(blocks(&mut receiver), (1, vec![(31, 61), (91, 101), (71, 81)]));
        receiver.on_data(0, 1, 11);
        assert_eq!(blocks(&mut receiver), (21, vec![(31, 61), (91, 101), (71, 81)]));
        receiver.on_data(0, 21, 31);
        assert_eq!(blocks(&mut receiver), (61, vec![(91, 101), (71, 81)]));
        assert_eq!(receiver.delivered(), 60);
    }

    #[test]
    fn acknowledges_every_second_segment_or_after_the_delay() {
        let mut receiver = Receiver::new(&Config::home());
        receiver.on_data(1000, 1, 11);
        assert!(!receiver.ack_due());
        assert_eq!(receiver.deadline(), 1000 + 40_000_000);
        receiver.on_data(2000, 11, 21);
        assert!(receiver.ack_due());
        assert_eq!(blocks(&mut receiver), (21, vec![]));
        assert_eq!((receiver.ack_due(), receiver.deadline()), (false, NEVER));
        receiver.on_data(3000, 21, 31);
        receiver.on_timeout(40_002_999);
        assert!(!receiver.ack_due());
        receiver.on_timeout(40_003_000);
        assert!(receiver.ack_due());
    }

    #[test]
    fn copies_and_data_beyond_the_window_change_nothing() {
        let mut receiver = Receiver::new(&Config { mss: 100, receive_window_segments: 2, ..Config::home() });
        receiver.on_data(0, 1, 101);
        blocks(&mut receiver);
        for (start, end) in [(1, 101), (201, 302)] {
            receiver.on_data(0, start, end);
            assert!(receiver.ack_due());
            assert_eq!(blocks(&mut receiver), (101, vec![]));
        }
        receiver.on_data(0, 201, 301);
        assert_eq!(blocks(&mut receiver), (101, vec![(201, 301)]));
    }

    proptest! {
        /// Segments in any order, that overlap and repeat each other: the bytes that have arrived are counted in a set.
        #[test]
        fn each_byte_counts_once(segments in prop::collection::vec((1u64..200, 1u64..40), 1..60)) {
            let mut receiver = Receiver::new(&Config::home());
            let mut seen = std::collections::BTreeSet::new();
            for (start, len) in segments {
                receiver.on_data(0, start, start + len);
                seen.extend(start..start + len);
                prop_assert_eq!(receiver.distinct(), seen.len() as u64);
            }
        }
    }
}
