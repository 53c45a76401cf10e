// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a sender does when it is told that data was marked: RFC 3168 6.1.2.
//!
//! What it does not do: what is told in which segment is `ecn`'s, how much is left of the window `congestion`'s.

use super::{Sender, State};
use crate::tcp::congestion::Congestion;
use crate::tcp::ecn::{Reduced, echoes};
use crate::tcp::segment::Segment;

impl Sender {
    /// Whether both ends want ECN.
    pub fn use_ecn(&mut self, used: bool) {
        if used != self.ecn.is_some() {
            self.ecn = used.then(Reduced::default);
        }
    }

    /// New data leaves: whether it tells the peer that the window was reduced.
    pub fn tells(&mut self) -> bool {
        self.ecn.as_mut().is_some_and(Reduced::tell)
    }

    /// An acknowledgement came when `flight` bytes were outstanding. If it says that data was marked, the window is reduced,
    /// unless it was for the same data, and it does not grow.
    pub(super) fn on_echo(&mut self, segment: &Segment, flight: u64) {
        self.closed = self.ecn.is_some() && echoes(segment);
        if !self.closed {
            return;
        }
        let una = self.board.una();
        let repairs = self.state != State::Open && una < self.recovery_point;
        let next = self.board.next();
        let Some(reduced) = self.ecn.as_mut().filter(|reduced| !reduced.covers(una)) else { return };
        reduced.reduce(next);
        if !repairs {
            self.hystart = None;
            self.congestion.on_congestion_event(flight.min(self.congestion.cwnd()));
        }
    }

    /// A loss reduces the window: whether a mark has done so for the same data.
    pub(super) fn reduces(&mut self) -> bool {
        let (una, next) = (self.board.una(), self.board.next());
        let Some(reduced) = &mut self.ecn else { return false };
        let covered = reduced.covers(una);
        reduced.reduce(next);
        covered
    }
}
