// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What acknowledgements do to a sender without SACK, and losses that are found by a segment's age.
//!
//! Sources: RFC 5681 3.2, RFC 6582 (`duplicates`); Brakmo, Peterson, JSAC 13(8), 1995, III.A (`sent_times`), with SACK
//! too. What it does not do: recovery with SACK is `sender`'s.

use super::{DUP_THRESH, Sender, State};
use crate::tcp::congestion::Congestion;
use crate::tcp::duplicates::Progress;

impl Sender {
    /// Moves between the states after an acknowledgement of `bytes` new bytes, or one that `repeats` the last (RFC 5681 2).
    pub(super) fn react_to_duplicates(&mut self, now: u64, bytes: u64, repeats: bool, rtt_ns: Option<u64>) {
        let known = self.without_sack.as_mut().expect("the caller has looked");
        let whole = self.board.una() >= self.recovery_point;
        if self.state == State::Recovery {
            if repeats {
                known.left();
                if self.overdue(now, bytes, repeats) {
                    self.repeat_oldest();
                }
            } else if bytes > 0 {
                let progress = known.acknowledged(bytes, whole);
                let (keeps, deadline) = (known.keeps_timer(), self.deadline);
                self.progress(now);
                match progress {
                    Progress::Over => {
                        self.state = State::Open;
                        self.retransmit_now = false;
                        self.congestion.on_recovered(now);
                    }
                    Progress::Partial => self.retransmit_now = true,
                }
                if keeps && progress == Progress::Partial {
                    self.deadline = deadline;
                }
                if progress == Progress::Over && self.overdue(now, bytes, repeats) {
                    self.begin_recovery();
                }
            }
            return; // what a recovery repaired does not open the window
        }
        if bytes > 0 {
            let after_timeout = self.state == State::Repair;
            self.progress(now);
            if whole {
                self.state = State::Open;
            }
            self.grow(now, bytes, rtt_ns, after_timeout);
            if self.state == State::Open && self.overdue(now, bytes, repeats) {
                self.begin_recovery();
            }
        } else if repeats && self.state == State::Open {
            self.duplicates += 1;
            let third = self.duplicates == DUP_THRESH;
            let begins = third && known.may_begin(self.board.una(), self.recovery_point);
            if begins || self.overdue(now, bytes, repeats) {
                self.begin_recovery();
            }
        } else if repeats && self.overdue(now, bytes, repeats) {
            self.repeat_oldest();
        }
    }

    /// A recovery without SACK begins: the oldest segment is lost.
    fn begin_recovery(&mut self) {
        self.without_sack.iter_mut().for_each(|known| known.begin(self.duplicates));
        self.timed = None;
        self.enter_recovery();
        self.retransmit_now = true;
    }

    /// Retransmits the oldest segment within a recovery or after a timeout. If a retransmission of it was lost, the window is
    /// reduced: the lost segment was sent after the last reduction.
    pub(super) fn repeat_oldest(&mut self) {
        if self.board.retransmitted() > self.board.una() && !self.reduces() {
            self.congestion.on_congestion_event(self.flight());
        }
        self.retransmit_now = true;
    }

    /// True if the oldest segment is checked and older than the congestion control's fine timeout (`sent_times`). It is
    /// checked after a `duplicate` acknowledgement, and after some that acknowledge `bytes` new bytes.
    pub(super) fn overdue(&mut self, now: u64, bytes: u64, duplicate: bool) -> bool {
        let Some(times) = &mut self.sent_times else { return false };
        let looks = if bytes > 0 { times.watches() } else { duplicate };
        looks
            && times
                .oldest_ns(now)
                .zip(self.congestion.fine_timeout_ns())
                .is_some_and(|(age, fine)| age > fine)
    }
}
