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
    /// For what the rest is, dB.
    snr_db: f64,
    /// Probability that an MPDU arrives, of each rate.
    arrives: Vec<f64>,
    /// The best rate for each number of MPDUs, up to what fits at any rate; None: nobody asked.
    best: Vec<Option<usize>>,
}

impl Ideal {
    pub(super) fn new(rates: &[Candidate], table: Arc<ErrorTable>) -> Ideal {
        let most = rates.iter().map(|rate| rate.most).max().expect("at least one rate") as usize;
        Ideal { table, snr_db: f64::NAN, arrives: vec![0.0; rates.len()], best: vec![None; most + 1] }
    }

    #[inline]
    pub(super) fn choose(&mut self, rates: &[Candidate], ask: &Ask) -> usize {
        if ask.snr_db != self.snr_db {
            self.snr_db = ask.snr_db;
            self.best.fill(None);
            for (arrives, rate) in self.arrives.iter_mut().zip(rates) {
                *arrives = 1.0 - rate.error_rate(&self.table, ask.snr_db, MPDU_BYTES);
            }
        }
        let mpdus = (ask.mpdus as usize).min(self.best.len() - 1);
        if let Some(best) = self.best[mpdus] {
            return best;
        }
        let best = self.look(rates, mpdus as f64);
        self.best[mpdus] = Some(best);
        best
    }

    /// Of equals the slower: where nothing arrives at all, the slowest.
    fn look(&self, rates: &[Candidate], mpdus: f64) -> usize {
        let value = |i: usize| (i, self.arrives[i] / rates[i].ns_each(mpdus), rates[i].mpdu_ns);
        let better = |a: &(usize, f64, u32), b: &(usize, f64, u32)| a.1.total_cmp(&b.1).then(a.2.cmp(&b.2));
        (0..rates.len()).map(value).max_by(better).expect("at least one rate").0
    }
}
