// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Rate control: at which rate the next attempt to a station goes out. Sans-IO: it is asked
//! before an attempt and told how it ended.
//!
//! | algorithm | module | what it does |
//! |---|---|---|
//! | `fixed` | - | one rate, always |
//! | `ideal` | `ideal` | knows the channel: the best expected rate |
//! | `aarf` | `aarf` | a step up after successes, down after failures |
//! | `minstrel` | `minstrel` | measures what arrives at each rate, and tries others from time to time |
//!
//! Rates are numbers: places in the list of [`Candidate`]s that it is made with.
//!
//! What it does not do: it sends nothing, and limits no aggregate but those that try a rate; no RTS, no power.

mod aarf;
mod candidate;
mod ideal;
mod minstrel;

use std::sync::Arc;

use self::aarf::Aarf;
use self::ideal::Ideal;
use self::minstrel::Minstrel;
use super::errors::ErrorTable;

pub use candidate::Candidate;

/// Which algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateAlgorithm {
    /// One rate.
    Fixed,
    /// Best expected rate, by the true signal-to-noise ratio.
    Ideal,
    /// Adaptive auto rate fallback.
    Aarf,
    /// Minstrel-HT.
    Minstrel,
}

impl RateAlgorithm {
    /// All.
    pub const ALL: [RateAlgorithm; 4] =
        [RateAlgorithm::Fixed, RateAlgorithm::Ideal, RateAlgorithm::Aarf, RateAlgorithm::Minstrel];

    /// As scenarios call it.
    pub fn name(self) -> &'static str {
        ["fixed", "ideal", "aarf", "minstrel"][self as usize]
    }
}

/// What an attempt is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// 1: it is the first, or the one before was acknowledged in part. One more for each failure
    /// in succession, of which nothing was acknowledged.
    pub attempt: u32,
    /// MPDUs that wait for the station, at least 1.
    pub mpdus: u32,
    /// Signal-to-noise ratio at 20 MHz and one stream, dB. `ideal` alone looks at it.
    pub snr_db: f64,
    /// ns; does not go back.
    pub now: u64,
}

/// How an attempt goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Which of the candidates.
    pub rate: usize,
    /// At most so many MPDUs: what fits at the rate, or 1 if it is only tried.
    pub mpdus: u32,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// That of the choice.
    pub rate: usize,
    /// MPDUs in it, at least 1.
    pub sent: u32,
    /// Of these acknowledged; 0 also if there was no answer.
    pub acked: u32,
    /// ns; does not go back.
    pub now: u64,
}

/// The rate control of one sender to one receiver. It allocates nothing once it is made.
pub struct RateControl {
    rates: Arc<[Candidate]>,
    algorithm: Algorithm,
}

enum Algorithm {
    Fixed(usize),
    Ideal(Ideal),
    Aarf(Aarf),
    Minstrel(Box<Minstrel>),
}

impl RateControl {
    /// The one rate of number `rate`.
    pub fn fixed(rates: Arc<[Candidate]>, rate: usize) -> RateControl {
        assert!(rate < rates.len(), "rate {rate} of {}", rates.len());
        RateControl { rates, algorithm: Algorithm::Fixed(rate) }
    }

    /// Best expected rate by the errors of `table`.
    pub fn ideal(rates: Arc<[Candidate]>, table: Arc<ErrorTable>) -> RateControl {
        let ideal = Ideal::new(&rates, table);
        RateControl { rates, algorithm: Algorithm::Ideal(ideal) }
    }

    /// AARF, from the slowest rate on. Its steps are the rates that need, by `table`, less signal than
    /// every faster one.
    pub fn aarf(rates: Arc<[Candidate]>, table: &ErrorTable) -> RateControl {
        let aarf = Aarf::new(candidate::steps(&rates, table));
        RateControl { rates, algorithm: Algorithm::Aarf(aarf) }
    }

    /// Minstrel-HT, from the slowest rate on; `name` is that of its random stream.
    pub fn minstrel(rates: Arc<[Candidate]>, seed: u64, name: &str) -> RateControl {
        let minstrel = Minstrel::new(&rates, seed, name);
        RateControl { rates, algorithm: Algorithm::Minstrel(Box::new(minstrel)) }
    }

    /// What can be chosen.
    pub fn rates(&self) -> &[Candidate] {
        &self.rates
    }

    /// How the next attempt goes out.
    #[inline]
    pub fn choose(&mut self, ask: &Ask) -> Choice {
        debug_assert!(ask.attempt > 0 && ask.mpdus > 0);
        let rate = match &mut self.algorithm {
            Algorithm::Fixed(rate) => *rate,
            Algorithm::Ideal(ideal) => ideal.choose(&self.rates, ask),
            Algorithm::Aarf(aarf) => aarf.choose(),
            Algorithm::Minstrel(minstrel) => return minstrel.choose(&self.rates, ask),
        };
        Choice { rate, mpdus: self.rates[rate].most }
    }

    /// The attempt is over. Once for each choice, before the next.
    #[inline]
    pub fn result(&mut self, outcome: &Outcome) {
        debug_assert!(outcome.sent > 0 && outcome.acked <= outcome.sent);
        match &mut self.algorithm {
            Algorithm::Fixed(_) | Algorithm::Ideal(_) => {}
            Algorithm::Aarf(aarf) => aarf.result(outcome),
            Algorithm::Minstrel(minstrel) => minstrel.result(&self.rates, outcome),
        }
    }
}

#[cfg(test)]
mod tests;
