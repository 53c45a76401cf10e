// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Fast recovery without SACK: what duplicate and partial acknowledgements are worth.
//!
//! Sources: RFC 5681 3.2 (Reno: inflation of the window by what has left the network, and its end with the first new
//! acknowledgement), RFC 6582 3.2 (NewReno: a partial acknowledgement repairs the next loss; "careful" and
//! "impatient"), RFC 3042 (limited transmit).
//!
//! What it does not do: the window and its reduction (`congestion`), retransmission itself (`sender`).

use super::config::{Config, Recovery};

/// New segments that limited transmit lets go (RFC 3042).
const LIMITED: u64 = 2;

/// What a sender without SACK knows of the packets that have left the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duplicates {
    mss: i64,
    partial: bool,
    limited: bool,
    /// Bytes that may be in flight beyond the window in a recovery; less than 0 when more was acknowledged.
    inflation: i64,
    /// Partial acknowledgements of this recovery.
    partials: u32,
    /// Bytes that duplicates have told of, which an acknowledgement will tell of again.
    told: u64,
}

/// What an acknowledgement of new data means in a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The recovery is over.
    Over,
    /// The next segment is lost too.
    Partial,
}

impl Duplicates {
    pub fn new(config: &Config) -> Self {
        Duplicates {
            mss: config.mss.into(),
            partial: config.recovery == Recovery::NewReno,
            limited: config.limited_transmit,
            inflation: 0,
            partials: 0,
            told: 0,
        }
    }

    /// Bytes of which an acknowledgement tells first that they arrived: of `bytes` new ones, or as it `repeats` the last, of a
    /// segment behind a hole.
    pub fn delivered(&mut self, bytes: u64, repeats: bool) -> u64 {
        if repeats {
            self.told += self.mss as u64;
            return self.mss as u64;
        }
        let again = bytes.min(self.told);
        self.told -= again;
        bytes - again
    }

    /// Whether three duplicate acknowledgements of `una` begin a recovery: with NewReno not for data that the last
    /// recovery, or a timeout, has sent again (RFC 6582 3.2, step 1).
    pub fn may_begin(&self, una: u64, last_point: u64) -> bool {
        !self.partial || una > last_point
    }

    /// A recovery begins with so many duplicate acknowledgements: as many segments have left the network (RFC 5681 3.2,
    /// step 3).
    pub fn begin(&mut self, duplicates: u32) {
        self.inflation = i64::from(duplicates) * self.mss;
        self.partials = 0;
    }

    /// Another duplicate acknowledgement in a recovery: one more segment has left the network.
    pub fn left(&mut self) {
        self.inflation += self.mss;
    }

    /// `bytes` were acknowledged in a recovery, `whole` if all that was outstanding when it began.
    pub fn acknowledged(&mut self, bytes: u64, whole: bool) -> Progress {
        if whole || !self.partial {
            return Progress::Over;
        }
        self.partials += 1;
        let bytes = i64::try_from(bytes).expect("less than a window");
        self.inflation -= bytes;
        if bytes >= self.mss {
            self.inflation += self.mss;
        }
        Progress::Partial
    }

    /// Whether the retransmission timer keeps its time: only the first partial acknowledgement of a recovery sets it
    /// anew.
    pub fn keeps_timer(&self) -> bool {
        self.partials > 1
    }

    /// What may be in flight with a window of `cwnd` in a recovery.
    pub fn inflated(&self, cwnd: u64) -> u64 {
        cwnd.saturating_add_signed(self.inflation)
    }

    /// What may be in flight before a recovery, with so many duplicate acknowledgements.
    pub fn limited(&self, cwnd: u64, duplicates: u32) -> u64 {
        match self.limited {
            true => cwnd + LIMITED.min(duplicates.into()) * self.mss as u64,
            false => cwnd,
        }
    }
}
