// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `minstrel`: Minstrel-HT, as Linux has it since 5.12 (F. Fietkau; the text of its change "significantly
//! redesign the rate probing strategy", 2021).
//!
//! *Statistics.* They are updated every 50 ms for each rate that was used since. The share of its MPDUs that was
//! acknowledged passes a low-pass filter of second order with a period of 16 intervals, limited to 0 to 1 (`filtered`). The first
//! share is taken as it is. A new length of aggregates enters its mean with a quarter. A rate's throughput is
//! min(p, 0.9) / channel time of an MPDU, the mean number of MPDUs of an aggregate taken into account; 0 below p = 0.1.
//! The bound of 0.9 keeps collisions from deciding between good rates.
//!
//! *Chain.* Attempts 1 and 2 go out at the best rate by throughput, 3 and 4 at the second best,
//! all later ones at the most probable: of those that bring more than 3 in 4 MPDUs the one of
//! most throughput; if there is none, the one that brings most.
//!
//! *Samples.* Every 20 ms a first attempt tries another rate, with one MPDU. Three of six *upward*: the slowest rate that
//! is faster than the best, of the next group that has one. Two *random*: any that is faster than the best, of the
//! next group that has one. One *slow*: any between the best and the slowest of the chain, of the next
//! group that has one, if it is not known to bring more than 95 of 100 MPDUs. A rate is tried
//! once in 50 ms; where a kind has none, it is the next kind's turn.
//!
//! What it does not do: a collision counts as a loss; where a group collapses, its statistics find out
//! (Linux has a shortcut); no fallback to fewer streams for the most probable rate.

use super::{Ask, Candidate, Choice, Outcome};
use crate::engine::Stream;

/// How often statistics are taken, and another rate is tried; ns.
const STATISTICS_NS: u64 = 50_000_000;
const SAMPLE_NS: u64 = 20_000_000;
/// Weight of the old mean number of MPDUs of an aggregate.
const WEIGHT: f64 = 0.75;
/// Weights of the last value of the filter and of the one before it, in Linux' 12 bits: 2 a cos(2 pi sqrt(2) / 16) and
/// -a^2, a = exp(-pi sqrt(2) / 16). The new share has the rest of 1.
const LAST: f64 = 5273.0 / 4096.0;
const BEFORE: f64 = -2350.0 / 4096.0;
/// Minimum of the filter: one step of 12 bits.
const LEAST: f64 = 1.0 / 4096.0;
/// Shares of MPDUs: more does not count; less counts nothing; the most probable rate brings more; what is
/// slower and brings more need not be tried.
const ENOUGH: f64 = 0.9;
const TOO_FEW: f64 = 0.1;
const SAFE: f64 = 0.75;
const SURE: f64 = 0.95;
/// Attempts at the best and at the second best rate.
const TRIES: u32 = 2;

/// What another rate is tried for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sample {
    Upward,
    Random,
    Slow,
}

/// In turn.
const SAMPLES: [Sample; 6] =
    [Sample::Upward, Sample::Random, Sample::Upward, Sample::Random, Sample::Upward, Sample::Slow];

#[derive(Clone, Default)]
struct Statistics {
    /// MPDUs since statistics were taken.
    sent: u32,
    acked: u32,
    /// Filtered share of MPDUs that arrive, if any was sent, and its value before that.
    mean: Option<f64>,
    before: f64,
    /// Tried since statistics were taken.
    tried: bool,
}

impl Statistics {
    /// Next value of the filter, for a new share.
    fn filtered(&self, share: f64) -> f64 {
        let Some(last) = self.mean else { return share };
        let value = (1.0 - LAST - BEFORE) * share + LAST * last + BEFORE * self.before;
        value.clamp(LEAST, 1.0)
    }
}

/// Rates by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chain {
    best: usize,
    second: usize,
    probable: usize,
}

pub(super) struct Minstrel {
    statistics: Vec<Statistics>,
    chain: Chain,
    /// MPDUs of an aggregate: mean, sum and number since statistics were taken.
    length: Option<f64>,
    mpdus: u32,
    aggregates: u32,
    /// When statistics are taken, and another rate is tried, next.
    statistics_at: u64,
    sample_at: u64,
    /// Of `SAMPLES`, the next.
    turn: usize,
    /// Groups, and of each kind of sample the one that had the last.
    groups: usize,
    last_group: [usize; 3],
    /// The attempt under way only tries its rate.
    trying: bool,
    draws: Stream,
}

impl Minstrel {
    pub(super) fn new(rates: &[Candidate], seed: u64, name: &str) -> Minstrel {
        let slowest = (0..rates.len()).rev().max_by_key(|&i| rates[i].mpdu_ns).expect("at least one rate");
        Minstrel {
            statistics: vec![Statistics::default(); rates.len()],
            chain: Chain { best: slowest, second: slowest, probable: slowest },
            length: None,
            mpdus: 0,
            aggregates: 0,
            statistics_at: 0,
            sample_at: 0,
            turn: 0,
            groups: rates.iter().map(|rate| rate.group + 1).max().unwrap_or(0),
            last_group: [0; 3],
            trying: false,
            draws: Stream::new(seed, &format!("minstrel/{name}")),
        }
    }

    #[inline]
    pub(super) fn choose(&mut self, rates: &[Candidate], ask: &Ask) -> Choice {
        self.look(rates, ask.now);
        if ask.attempt == 1 && ask.now >= self.sample_at {
            self.sample_at = ask.now + SAMPLE_NS;
            if let Some(rate) = self.sample(rates) {
                self.trying = true;
                return Choice { rate, mpdus: 1 };
            }
        }
        let rate = match ask.attempt {
            ..=TRIES => self.chain.best,
            n if n <= 2 * TRIES => self.chain.second,
            _ => self.chain.probable,
        };
        Choice { rate, mpdus: rates[rate].most }
    }

    #[inline]
    pub(super) fn result(&mut self, rates: &[Candidate], outcome: &Outcome) {
        let of = &mut self.statistics[outcome.rate];
        of.sent += outcome.sent;
        of.acked += outcome.acked;
        // One MPDU that tries a rate says nothing about the length of aggregates.
        if !std::mem::take(&mut self.trying) {
            self.mpdus += outcome.sent;
            self.aggregates += 1;
        }
        self.look(rates, outcome.now);
    }

    /// Takes statistics if it is time.
    #[inline]
    fn look(&mut self, rates: &[Candidate], now: u64) {
        if now >= self.statistics_at {
            self.statistics_at = now + STATISTICS_NS;
            self.take_statistics(rates);
        }
    }

    fn take_statistics(&mut self, rates: &[Candidate]) {
        if self.aggregates > 0 {
            let mean = f64::from(self.mpdus) / f64::from(self.aggregates);
            self.length = Some(self.length.map_or(mean, |old| WEIGHT * old + (1.0 - WEIGHT) * mean));
        }
        (self.mpdus, self.aggregates) = (0, 0);
        for of in &mut self.statistics {
            if of.sent > 0 {
                let value = of.filtered(f64::from(of.acked) / f64::from(of.sent));
                (of.before, of.mean) = (of.mean.unwrap_or(value), Some(value));
            }
            *of = Statistics { mean: of.mean, before: of.before, ..Statistics::default() };
        }
        self.chain = self.rank(rates);
    }

    fn arrives(&self, rate: usize) -> f64 {
        self.statistics[rate].mean.unwrap_or(0.0)
    }

    /// MPDUs per ns that are expected to arrive.
    fn throughput(&self, rates: &[Candidate], rate: usize) -> f64 {
        match self.arrives(rate) {
            p if p < TOO_FEW => 0.0,
            p => p.min(ENOUGH) / rates[rate].ns_each(self.length.unwrap_or(1.0)),
        }
    }

    /// Of equals the slower: with no statistics at all, all three are the slowest. What brings nothing is no
    /// second best.
    fn rank(&self, rates: &[Candidate]) -> Chain {
        let throughput = |rate: &usize| (true, self.throughput(rates, *rate));
        let safe = |rate: &usize| match self.arrives(*rate) {
            p if p > SAFE => throughput(rate),
            p => (false, p),
        };
        let all = || (0..rates.len()).rev();
        let slower = |a: &usize, b: &usize| rates[*a].mpdu_ns.cmp(&rates[*b].mpdu_ns);
        let by = |value: &dyn Fn(&usize) -> (bool, f64), a: &usize, b: &usize| {
            let [(x_safe, x), (y_safe, y)] = [value(a), value(b)];
            x_safe.cmp(&y_safe).then(x.total_cmp(&y)).then(slower(a, b))
        };
        let slowest = all().max_by(slower).expect("at least one rate");
        let best = all().max_by(|a, b| by(&throughput, a, b)).unwrap_or(slowest);
        let second = all()
            .filter(|rate| *rate != best && throughput(rate).1 > 0.0)
            .max_by(|a, b| by(&throughput, a, b))
            .unwrap_or(slowest);
        Chain { best, second, probable: all().max_by(|a, b| by(&safe, a, b)).unwrap_or(slowest) }
    }

    /// A rate to be tried now.
    #[cold]
    fn sample(&mut self, rates: &[Candidate]) -> Option<usize> {
        for _ in 0..SAMPLES.len() {
            let kind = SAMPLES[self.turn];
            self.turn = (self.turn + 1) % SAMPLES.len();
            if let Some(rate) = self.pick(rates, kind) {
                self.statistics[rate].tried = true;
                return Some(rate);
            }
        }
        None
    }

    fn pick(&mut self, rates: &[Candidate], kind: Sample) -> Option<usize> {
        let Chain { best, second, probable } = self.chain;
        let ns = |rate: &usize| rates[*rate].mpdu_ns;
        let slowest = ns(&second).max(ns(&probable));
        let statistics = &self.statistics;
        let fits = |rate: &usize| {
            let in_range = match kind {
                Sample::Upward | Sample::Random => ns(rate) < ns(&best),
                Sample::Slow => {
                    let known = statistics[*rate].mean.is_some_and(|mean| mean > SURE);
                    *rate != best && (ns(&best)..=slowest).contains(&ns(rate)) && !known
                }
            };
            in_range && !statistics[*rate].tried
        };
        let last = &mut self.last_group[kind as usize];
        let groups = (*last + 1..*last + 1 + self.groups).map(|group| group % self.groups);
        for group in groups {
            let mut of_group = (0..rates.len()).filter(|&i| rates[i].group == group).filter(fits);
            let rate = match kind {
                Sample::Upward => of_group.max_by_key(ns),
                Sample::Random | Sample::Slow => match of_group.clone().count() as u64 {
                    0 => None,
                    n => of_group.nth(self.draws.below(n) as usize),
                },
            };
            if rate.is_some() {
                *last = group;
                return rate;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
