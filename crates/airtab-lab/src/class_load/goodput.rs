// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Bytes of a TCP flow that come for the first time: what is neither sent again nor there twice (Parris 2001, A.7).
//!
//! What it does not do: it takes no ACKs into account. Bytes that come for the first time reach the receiver if nothing is
//! lost behind the capture.

use std::collections::BTreeMap;

use airtab_capture::Segment;

/// Pieces that wait for the bytes before them. With more, the oldest hole counts as never filled.
const MOST_PIECES: usize = 1024;
/// Where sequence numbers are taken to begin, so that none before the first is below 0.
const BEGIN: u64 = 1 << 32;

/// What was seen of one direction of a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Behind the last byte so far; none before the first segment.
    high: Option<u64>,
    /// Pieces, from where to where, without those that touch.
    pieces: BTreeMap<u64, u64>,
}

impl Seen {
    /// How many of its bytes are new. A SYN begins anew: ports are used again.
    pub(super) fn new_bytes(&mut self, segment: &Segment) -> u64 {
        if segment.syn {
            *self = Seen::default();
        }
        let sequence = segment.sequence.wrapping_add(u32::from(segment.syn));
        let high = self.high.unwrap_or(BEGIN + u64::from(sequence));
        // Within 2 GiB around the last byte.
        let from = high.wrapping_add_signed(i64::from(sequence.wrapping_sub(high as u32) as i32));
        let to = from + u64::from(segment.payload);
        self.high = Some(high.max(to));
        let new = self.insert(from, to);
        if self.pieces.len() > MOST_PIECES {
            self.forget_hole();
        }
        new
    }

    /// Adds a piece; how many of its bytes were not there.
    fn insert(&mut self, mut from: u64, mut to: u64) -> u64 {
        if from == to {
            return 0;
        }
        let mut new = to - from;
        // From the last piece that can touch it, down.
        while let Some((&start, &end)) = self.pieces.range(..=to).next_back() {
            if end < from {
                break;
            }
            new -= end.min(to).saturating_sub(start.max(from));
            (from, to) = (from.min(start), to.max(end));
            self.pieces.remove(&start);
        }
        self.pieces.insert(from, to);
        new
    }

    /// Joins the two oldest pieces.
    fn forget_hole(&mut self) {
        let Some((start, _)) = self.pieces.pop_first() else { return };
        if let Some((_, end)) = self.pieces.pop_first() {
            self.pieces.insert(start, end);
        }
    }
}
