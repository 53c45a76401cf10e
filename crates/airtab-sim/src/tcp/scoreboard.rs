// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the sender knows of the data in flight: the scoreboard of RFC 6675.
//!
//! The RFC defines its quantities octet by octet: which are lost (IsLost), how many are in the network (SetPipe),
//! which to send next (NextSeg). All are kept here as intervals and counters, so that an acknowledgement costs the
//! same whatever the window: the SACKed ranges, and two marks below which the SACKed bytes are counted. Everything
//! unSACKed below the loss edge is lost, because loss evidence for an octet is evidence for all below it:
//!
//! ```text
//! pipe = unSACKed bytes in [loss edge, next) + unSACKed bytes in [una, highest retransmitted) - lost again
//! ```
//!
//! The RFC sends a hole again once. Here a retransmission can be lost too, as its user finds out: its bytes leave `pipe`
//! and become holes again.
//!
//! After a timeout everything below the then highest byte is lost, except what was SACKed: the simulated receiver
//! never discards SACKed data (RFC 2018 8 asks to forget it because a receiver might).

use super::ranges::Ranges;

/// SACKed segments above an octet that make it lost.
const DUP_THRESH: usize = 3;

/// A position, and the SACKed bytes below it.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: u64,
    sacked: u64,
}

impl Mark {
    fn below(&self, start: u64, end: u64) -> u64 {
        end.min(self.at).saturating_sub(start)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Scoreboard {
    mss: u64,
    /// Lowest unacknowledged byte: HighACK + 1.
    una: u64,
    /// Next byte to send for the first time: HighData + 1.
    next: u64,
    /// SACKed data above `una`.
    ranges: Ranges,
    sacked: u64,
    /// End of what was retransmitted in sequence: HighRxt + 1, at least `una`.
    retransmitted: Mark,
    /// End of what a timeout declared lost, at least `una`.
    timed_out: Mark,
    /// Holes below `retransmitted` whose retransmission is lost and was not repeated yet.
    lost_again: Ranges,
    lost_again_bytes: u64,
}

impl Scoreboard {
    pub fn new(mss: u64) -> Self {
        let mark = Mark { at: 1, sacked: 0 }; // after the SYN
        Scoreboard {
            mss,
            una: 1,
            next: 1,
            ranges: Ranges::default(),
            sacked: 0,
            retransmitted: mark,
            timed_out: mark,
            lost_again: Ranges::default(),
            lost_again_bytes: 0,
        }
    }

    /// Takes over the storage of another one.
    pub fn adopt(&mut self, old: Scoreboard) {
        self.ranges.adopt(old.ranges);
        self.lost_again.adopt(old.lost_again);
    }

    pub fn una(&self) -> u64 {
        self.una
    }

    pub fn next(&self) -> u64 {
        self.next
    }

    /// Bytes sent and not acknowledged by the cumulative acknowledgement: FlightSize.
    pub fn flight(&self) -> u64 {
        self.next - self.una
    }

    /// Bytes known to have arrived, in sequence or not.
    pub fn arrived(&self) -> u64 {
        self.una - 1 + self.sacked
    }

    /// End of the SACKed data.
    pub fn highest_sacked(&self) -> u64 {
        self.ranges.end().unwrap_or(self.una)
    }

    pub fn retransmitted(&self) -> u64 {
        self.retransmitted.at
    }

    /// New data of `len` bytes was sent.
    pub fn on_sent(&mut self, len: u64) {
        self.next += len;
    }

    /// Data up to `end` was retransmitted.
    pub fn on_retransmitted(&mut self, end: u64) {
        let mark = &mut self.retransmitted;
        if end > mark.at {
            mark.sacked += self.ranges.covered(mark.at, end);
            mark.at = end;
        }
    }

    /// The retransmission of `start..end` is lost: what has not arrived of it is a hole again.
    pub fn lose_again(&mut self, start: u64, end: u64) {
        let (mut at, end) = (start, end.min(self.retransmitted.at));
        while let Some((from, to)) = self.hole(at, end) {
            let to = to.min(end);
            let bytes = &mut self.lost_again_bytes;
            self.lost_again.insert(from, to, |s, e| *bytes += e - s);
            at = to;
        }
    }

    /// The first hole whose retransmission is lost.
    pub fn lost_again(&self) -> Option<(u64, u64)> {
        self.lost_again.first()
    }

    /// `start..end` was retransmitted once more, or has arrived.
    pub fn settle(&mut self, start: u64, end: u64) {
        if self.lost_again_bytes > 0 {
            let bytes = &mut self.lost_again_bytes;
            self.lost_again.remove(start, end, |s, e| *bytes -= e - s);
        }
    }

    /// The timer expired: all that is not SACKed is lost, and nothing of it has been retransmitted.
    pub fn on_timeout(&mut self) {
        self.timed_out = Mark { at: self.next, sacked: self.sacked };
        self.retransmitted = Mark { at: self.una, sacked: 0 };
        self.lost_again.clear();
        self.lost_again_bytes = 0;
    }

    /// Everything below `ack` arrived; returns the bytes that this acknowledges newly.
    pub fn acknowledge(&mut self, ack: u64) -> u64 {
        if ack <= self.una || ack > self.next {
            return 0;
        }
        let Scoreboard { ranges, sacked, retransmitted, timed_out, .. } = self;
        ranges.remove_below(ack, |start, end| {
            *sacked -= end - start;
            retransmitted.sacked -= retransmitted.below(start, end);
            timed_out.sacked -= timed_out.below(start, end);
        });
        retransmitted.at = retransmitted.at.max(ack);
        timed_out.at = timed_out.at.max(ack);
        let newly = ack - self.una;
        self.settle(self.una, ack);
        self.una = ack;
        newly
    }

    /// The block `start..end` arrived; tells `new` every piece that was not known, and returns whether there was one.
    pub fn sack(&mut self, start: u64, end: u64, mut new: impl FnMut(u64, u64)) -> bool {
        let (start, end) = (start.max(self.una), end.min(self.next));
        if start >= end {
            return false;
        }
        let before = self.sacked;
        let Scoreboard { ranges, sacked, retransmitted, timed_out, lost_again, lost_again_bytes, .. } = self;
        ranges.insert(start, end, |start, end| {
            if *lost_again_bytes > 0 {
                lost_again.remove(start, end, |s, e| *lost_again_bytes -= e - s);
            }
            *sacked += end - start;
            retransmitted.sacked += retransmitted.below(start, end);
            timed_out.sacked += timed_out.below(start, end);
            new(start, end);
        });
        self.sacked > before
    }

    /// The position below which all that is not SACKed is lost, and the SACKed bytes above it. Without evidence it is
    /// `una`. IsLost of an octet asks for `DUP_THRESH` separate ranges above it, or more than `DUP_THRESH - 1`
    /// segments' worth of SACKed bytes.
    fn loss_edge_and_sacked(&self) -> (u64, u64) {
        if self.timed_out.at > self.una {
            return (self.timed_out.at, self.sacked - self.timed_out.sacked);
        }
        if self.sacked == 0 {
            return (self.una, 0);
        }
        let mut above = 0;
        for (count, (start, end)) in self.ranges.descending().enumerate() {
            above += end - start;
            if count + 1 == DUP_THRESH || above > (DUP_THRESH as u64 - 1) * self.mss {
                return (start, above);
            }
        }
        (self.una, self.sacked)
    }

    /// The position below which all that is not SACKed is lost; `una` if nothing is.
    pub fn loss_edge(&self) -> u64 {
        self.loss_edge_and_sacked().0
    }

    /// Bytes believed to be in the network (SetPipe).
    pub fn pipe(&self) -> u64 {
        let (edge, sacked_above) = self.loss_edge_and_sacked();
        let in_flight = self.next - edge - sacked_above;
        in_flight + (self.retransmitted.at - self.una - self.retransmitted.sacked) - self.lost_again_bytes
    }

    /// The first hole at or above `from` that begins below `limit`: start and end.
    pub fn hole(&self, from: u64, limit: u64) -> Option<(u64, u64)> {
        let (start, end) = self.ranges.gap_from(from.max(self.una));
        (start < limit).then(|| (start, end.unwrap_or(self.next)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u64 = 10;

    /// The RFC's definitions, octet by octet.
    struct Reference {
        una: u64,
        next: u64,
        high_rxt: u64,
        timed_out: u64,
        sacked: Vec<bool>,
        lost_again: Vec<bool>,
    }

    impl Reference {
        fn is_lost(&self, seq: u64) -> bool {
            if self.timed_out > self.una {
                return seq < self.timed_out;
            }
            let above = &self.sacked[seq as usize..];
            let bytes = above.iter().filter(|&&s| s).count() as u64;
            let ranges = above.windows(2).filter(|w| !w[0] && w[1]).count();
            ranges >= 3 || bytes > 2 * MSS
        }

        fn pipe(&self) -> u64 {
            let unsacked = (self.una..self.next).filter(|&s| !self.sacked[s as usize]);
            let again = |s: u64| s < self.high_rxt && !self.lost_again[s as usize];
            unsacked.map(|s| u64::from(!self.is_lost(s)) + u64::from(again(s))).sum()
        }
    }

    #[derive(Clone, Debug)]
    enum Op {
        Send(u64),
        Ack(u64),
        Sack(u64, u64),
        Retransmit(u64),
        LoseAgain(u64, u64),
        RetransmitAgain(u64),
        Timeout,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (1..=MSS).prop_map(Op::Send),
            2 => (0u64..30).prop_map(Op::Ack),
            6 => (0u64..100, 1u64..15).prop_map(|(s, l)| Op::Sack(s, l)),
            3 => (1..=MSS).prop_map(Op::Retransmit),
            2 => (0u64..60, 1u64..15).prop_map(|(s, l)| Op::LoseAgain(s, l)),
            2 => (1..=MSS).prop_map(Op::RetransmitAgain),
            1 => Just(Op::Timeout),
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_the_octet_definitions(ops in prop::collection::vec(op(), 1..120)) {
            let mut board = Scoreboard::new(MSS);
            let mut r = Reference { una: 1, next: 1, high_rxt: 1, timed_out: 1, sacked: vec![false; 2000], lost_again: vec![false; 2000] };
            for op in ops {
                match op {
                    Op::Send(len) => {
                        board.on_sent(len);
                        r.next += len;
                    }
                    Op::Ack(by) => {
                        // A receiver acknowledges all that it holds in sequence.
                        let mut ack = (r.una + by).min(r.next);
                        while ack < r.next && r.sacked[ack as usize] {
                            ack += 1;
                        }
                        prop_assert_eq!(board.acknowledge(ack), ack - r.una);
                        r.sacked[..ack as usize].fill(false);
                        r.una = ack;
                        r.high_rxt = r.high_rxt.max(ack);
                    }
                    Op::Sack(offset, len) => {
                        let start = r.una + 1 + offset;
                        let mut new = 0;
                        board.sack(start, start + len, |s, e| new += e - s);
                        for seq in start..(start + len).min(r.next) {
                            new -= u64::from(!r.sacked[seq as usize]);
                            r.sacked[seq as usize] = true;
                        }
                        prop_assert_eq!(new, 0);
                    }
                    Op::Retransmit(len) => {
                        let hole = board.hole(board.retransmitted(), r.next);
                        let start = (r.high_rxt.max(r.una)..r.next).find(|&s| !r.sacked[s as usize]);
                        prop_assert_eq!(hole.map(|h| h.0), start);
                        if let Some((start, end)) = hole {
                            let end = end.min(start + len);
                            board.on_retransmitted(end);
                            r.high_rxt = end;
                        }
                    }
                    Op::LoseAgain(offset, len) => {
                        let (start, end) = (r.una + offset, r.una + offset + len);
                        board.lose_again(start, end);
                        for seq in start..end.min(r.high_rxt).max(start) {
                            r.lost_again[seq as usize] |= !r.sacked[seq as usize];
                        }
                    }
                    Op::RetransmitAgain(len) => {
                        let missing = |s: &u64| r.lost_again[*s as usize] && !r.sacked[*s as usize];
                        let start = (r.una..r.high_rxt).find(missing);
                        prop_assert_eq!(board.lost_again().map(|h| h.0), start);
                        if let Some((start, end)) = board.lost_again() {
                            let end = end.min(start + len);
                            board.settle(start, end);
                            r.lost_again[start as usize..end as usize].fill(false);
                        }
                    }
                    Op::Timeout => {
                        board.on_timeout();
                        r.timed_out = r.next;
                        r.high_rxt = r.una;
                        r.lost_again.fill(false);
                    }
                }
                prop_assert_eq!(board.pipe(), r.pipe());
                let lost = (r.una..r.next).filter(|&s| !r.sacked[s as usize] && r.is_lost(s)).count() as u64;
                let edge = board.loss_edge();
                prop_assert_eq!(lost, edge - r.una - board.ranges.covered(r.una, edge));
            }
        }
    }
}
