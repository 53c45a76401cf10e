// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What may be sent next.
//!
//! Sources: RFC 6675 4 (NextSeg) and 5, before it what is lost again (`copies`); without SACK RFC 5681 3.2. It changes
//! nothing that is in the network: the sender records what leaves.

use super::{Sender, State};
use crate::tcp::congestion::Congestion;

/// What a segment is; decides the bookkeeping.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    New,
    Retransmission,
    /// The last segment once more (4, rule 4).
    Rescue,
}

impl Sender {
    /// The lowest outstanding segment, whatever the window.
    pub(super) fn first_hole(&mut self, max: u64) -> Option<(u64, u64, Kind)> {
        let hole = self.board.hole(self.board.una(), self.board.next());
        self.retransmit_now = hole.is_some();
        hole.map(|(start, end)| (start, (end - start).min(max), Kind::Retransmission))
    }

    /// What may be sent next, if the window has room for it.
    pub(super) fn fitting(&mut self, max: u64) -> Option<(u64, u64, Kind)> {
        let Some(candidate) = self.candidate(max) else {
            self.window_limited = false;
            return None;
        };
        let (used, most) = self.room();
        if used + candidate.1 > most {
            self.window_limited = true;
            return None;
        }
        Some(candidate)
    }

    /// What is in the network, and what may be.
    fn room(&self) -> (u64, u64) {
        let cwnd = self.congestion.cwnd();
        match (&self.without_sack, self.state) {
            (None, State::Recovery) => (self.board.pipe(), self.prr.map_or(cwnd, |prr| prr.window())),
            (None, _) | (_, State::Repair) => (self.board.pipe(), cwnd),
            (Some(known), State::Recovery) => (self.board.flight(), known.inflated(cwnd)),
            (Some(known), State::Open) => (self.board.flight(), known.limited(cwnd, self.duplicates)),
        }
    }

    /// What may be sent next if the congestion window lets it (4, NextSeg).
    fn candidate(&self, max: u64) -> Option<(u64, u64, Kind)> {
        let board = &self.board;
        let hole = |limit| {
            let (start, end) = board.hole(board.retransmitted(), limit)?;
            Some((start, (end - start).min(max), Kind::Retransmission))
        };
        let new = || {
            let len = (self.written - board.next()).min(max);
            (len > 0 && board.next() + len <= self.window_edge).then_some((board.next(), len, Kind::New))
        };
        let again = || {
            let (start, end) = board.lost_again()?;
            Some((start, (end - start).min(max), Kind::Retransmission))
        };
        let rescue = || {
            let (start, end) = board.hole(board.highest_sacked(), board.next())?;
            let len = (end - start).min(max);
            (board.una() > self.rescued).then_some((end - len, len, Kind::Rescue))
        };
        match self.state {
            State::Open => new(),
            State::Recovery if self.without_sack.is_some() => new(),
            State::Recovery => again()
                .or_else(|| hole(board.loss_edge()))
                .or_else(new)
                .or_else(|| hole(board.highest_sacked()))
                .or_else(rescue),
            State::Repair => again().or_else(|| hole(board.loss_edge())).or_else(new),
        }
    }
}
