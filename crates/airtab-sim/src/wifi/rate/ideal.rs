// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `ideal`: the rate at which most MPDUs of 1538 bytes are expected to arrive per channel time, by the true
//! signal-to-noise ratio, for as many as wait. The mark for others; nobody can have it.
//!
//! What it does not do: it knows no collisions.

use std::sync::Arc;

use super::candidate::MPDU_BYTES;
use super::{Ask, Candidate};
use crate::wifi::errors::ErrorTable;

pub(super) struct Ideal {
    table: Arc<ErrorTable>,
    /// For what `best` is: signal-to-noise ratio, dB, and MPDUs.
    snr_db: f64,
    mpdus: u32,
    best: usize,
    /// Probability that an MPDU arrives, of each rate.
    arrives: Vec<f64>,
}

impl Ideal {
    pub(super) fn new(rates: &[Candidate], table: Arc<ErrorTable>) -> Ideal {
        Ideal { table, snr_db: f64::NAN, mpdus: 0, best: 0, arrives: vec![0.0; rates.len()] }
    }

    #[inline]
    pub(super) fn choose(&mut self, rates: &[Candidate], ask: &Ask) -> usize {
        if ask.snr_db != self.snr_db {
            for (arrives, rate) in self.arrives.iter_mut().zip(rates) {
                *arrives = 1.0 - rate.error_rate(&self.table, ask.snr_db, MPDU_BYTES);
            }
        }
        if (ask.snr_db, ask.mpdus) != (self.snr_db, self.mpdus) {
            (self.snr_db, self.mpdus) = (ask.snr_db, ask.mpdus);
            self.best = self.look(rates);
        }
        self.best
    }

    /// Where nothing arrives at all, the rate that needs least.
    fn look(&self, rates: &[Candidate]) -> usize {
        let goodput = |i: usize| self.arrives[i] / rates[i].ns_each(self.mpdus.into());
        let slow = |i: usize| rates[i].mpdu_ns;
        let better = |a: &usize, b: &usize| goodput(*a).total_cmp(&goodput(*b)).then(slow(*a).cmp(&slow(*b)));
        (0..rates.len()).max_by(better).expect("at least one rate")
    }
}
