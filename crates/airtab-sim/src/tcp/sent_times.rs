// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! When each outstanding segment was sent, for a congestion control that wants a round-trip time with every
//! acknowledgement and finds losses before the third duplicate: Brakmo, Peterson, JSAC 13(8), 1995, section III.A.
//!
//! The oldest segment is checked at each duplicate acknowledgement, in a recovery too, and at the first two acknowledgements
//! of new data after a retransmission. If it was sent longer ago than the fine timeout, it is lost.
//!
//! What it does not do: the timeout itself (`congestion`), retransmission (`sender`).

use std::collections::VecDeque;

/// Acknowledgements of new data that are looked at after a retransmission.
const WATCHED: u8 = 2;

#[derive(Clone, Copy, Debug)]
struct Sent {
    /// The byte after its last one.
    end: u64,
    /// When it was sent last, ns.
    at: u64,
    /// More than once.
    again: bool,
}

/// The outstanding segments in sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct SentTimes {
    segments: VecDeque<Sent>,
    watched: u8,
}

impl SentTimes {
    /// Takes over the storage of another one.
    pub fn adopt(&mut self, mut old: SentTimes) {
        if self.segments.capacity() == 0 {
            old.segments.clear();
            self.segments = old.segments;
        }
    }

    /// A new segment that ends at `end` leaves.
    pub fn on_new(&mut self, end: u64, at: u64) {
        self.segments.push_back(Sent { end, at, again: false });
    }

    /// The bytes from `start` to `end` leave again.
    pub fn on_again(&mut self, start: u64, end: u64, at: u64) {
        self.watched = WATCHED;
        let first = self.segments.partition_point(|sent| sent.end <= start);
        let last = self.segments.partition_point(|sent| sent.end < end);
        for sent in self.segments.range_mut(first..(last + 1).min(self.segments.len())) {
            (sent.at, sent.again) = (at, true);
        }
    }

    /// All up to `una` has arrived: the round-trip time of the youngest segment, ns; None if one of them was sent again (Karn).
    pub fn acknowledged(&mut self, una: u64, now: u64) -> Option<u64> {
        let (mut last, mut again) = (None, false);
        while let Some(sent) = self.segments.pop_front_if(|sent| sent.end <= una) {
            again |= sent.again;
            last = Some(now - sent.at);
        }
        last.filter(|_| !again)
    }

    /// Whether the oldest segment is to be looked at with an acknowledgement of new data.
    pub fn watches(&mut self) -> bool {
        let watches = self.watched > 0;
        self.watched = self.watched.saturating_sub(1);
        watches
    }

    /// How long ago the oldest segment was sent, ns.
    pub fn oldest_ns(&self, now: u64) -> Option<u64> {
        self.segments.front().map(|sent| now - sent.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_is_that_of_the_youngest_and_of_none_sent_again() {
        let mut times = SentTimes::default();
        (1..=5).for_each(|n| times.on_new(1 + 100 * n, 10 * n));
        assert_eq!(times.acknowledged(201, 100), Some(80)); // the second
        assert_eq!(times.acknowledged(250, 110), None); // a part of the third
        assert_eq!(times.oldest_ns(110), Some(80));
        times.on_again(201, 301, 120);
        assert_eq!(times.oldest_ns(130), Some(10));
        assert_eq!(times.acknowledged(401, 200), None);
        assert_eq!(times.acknowledged(501, 210), Some(160));
        assert_eq!(times.oldest_ns(210), None);
    }

    #[test]
    fn two_acknowledgements_are_watched_after_a_retransmission() {
        let mut times = SentTimes::default();
        times.on_new(101, 0);
        assert!(!times.watches());
        times.on_again(1, 101, 10);
        assert_eq!([(); 3].map(|()| times.watches()), [true, true, false]);
    }
}
