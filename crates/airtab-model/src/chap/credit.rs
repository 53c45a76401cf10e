// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Between which bounds credits move in steady state (CHAP dissertation 5.1, with 5.3).
//!
//! The assumptions: the link is busy all the time, every flow is backlogged, rates are steady, and a packet
//! of a flow always costs the same. Then the flow that drains fastest, k, triggers every boost, and each
//! flow moves between an upper and a lower bound.
//!
//! Credits are in the unit of the increment, whatever it is; rates in any unit, since only their ratios
//! count. With unequal costs the rate that counts is rate times cost, the flow's share of the airtime
//! (5.3). Flows are numbered from 0 here, in the order they are given.
//!
//! What it does not do: a flow that is not backlogged goes up to 2I however much it sends now and then.

use super::ChapError;

/// Flows that share a link, and the increment I.
#[derive(Clone, Debug, PartialEq)]
pub struct Credits {
    /// r_i, or r_i times the cost of a packet.
    rates: Vec<f64>,
    increment: f64,
}

/// Bounds of a credit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// alpha^l, just before a boost.
    pub low: f64,
    /// alpha^h, just after one.
    pub high: f64,
}

impl Credits {
    /// Flows of these rates, whose packets cost the same.
    ///
    /// # Errors
    /// No flow, a negative rate, all rates 0, an increment that is not above 0.
    pub fn new(rates: &[f64], increment: f64) -> Result<Credits, ChapError> {
        Credits::with_costs(rates, &vec![1.0; rates.len()], increment)
    }

    /// Flows whose packets cost differently (5.3).
    ///
    /// # Errors
    /// As [`Credits::new`]; a cost that is not above 0, or not as many costs as rates.
    pub fn with_costs(rates: &[f64], costs: &[f64], increment: f64) -> Result<Credits, ChapError> {
        if rates.is_empty() {
            return Err(ChapError::NoFlows);
        }
        if rates.len() != costs.len() {
            return Err(ChapError::Lengths { rates: rates.len(), costs: costs.len() });
        }
        for (i, (&rate, &cost)) in rates.iter().zip(costs).enumerate() {
            if !(rate.is_finite() && rate >= 0.0) {
                return Err(ChapError::Rate { flow: i + 1, value: rate });
            }
            if !(cost.is_finite() && cost > 0.0) {
                return Err(ChapError::Cost { flow: i + 1, value: cost });
            }
        }
        if rates.iter().all(|r| *r == 0.0) {
            return Err(ChapError::Rate { flow: 1, value: 0.0 });
        }
        if !(increment.is_finite() && increment > 0.0) {
            return Err(ChapError::Increment(increment));
        }
        let rates = rates.iter().zip(costs).map(|(r, c)| r * c).collect();
        Ok(Credits { rates, increment })
    }

    /// How many flows there are, at least 1.
    pub fn flows(&self) -> usize {
        self.rates.len()
    }

    /// C, what the link carries: the sum of the rates (eq. 5.1).
    pub fn capacity(&self) -> f64 {
        self.rates.iter().sum()
    }

    /// theta_i, the credit that flow `i` spends in a unit of time: its share of the link (eq. 5.3). The
    /// shares sum to 1 (eq. 5.2).
    pub fn drain_rate(&self, i: usize) -> f64 {
        self.rates[i] / self.capacity()
    }

    /// k, the first of the flows that drain fastest: it triggers the boosts.
    pub fn fastest(&self) -> usize {
        let faster = |best: usize, i: usize| if self.rates[i] > self.rates[best] { i } else { best };
        (0..self.flows()).fold(0, faster)
    }

    /// t = I / theta_k, the time between boosts (eq. 5.4), in the unit of the increment.
    pub fn boost_interval(&self) -> f64 {
        self.increment / self.drain_rate(self.fastest())
    }

    /// What flow `i` spends between two boosts, (r_i / r_k) I (eq. 5.5): at the same time the width of its
    /// range.
    pub fn drain(&self, i: usize) -> f64 {
        self.rates[i] / self.rates[self.fastest()] * self.increment
    }

    /// Credit of flow `i` just after a boost, `boosts` boosts after it was `start` there (eq. 5.6 to 5.9).
    ///
    /// Eq. 5.9 is printed with 2^(y-1) where the three lines before it lead to 2^y: spending dB and then
    /// halving, y times, divides the start by 2^y.
    pub fn after(&self, i: usize, start: f64, boosts: u32) -> f64 {
        let left = libm::exp2(-f64::from(boosts));
        left * start - (1.0 - left) * self.drain(i) + 2.0 * (1.0 - left) * self.increment
    }

    /// alpha_i^h = 2I - (r_i / r_k) I: where [`Credits::after`] leads, from any start (eq. 5.10).
    pub fn high(&self, i: usize) -> f64 {
        2.0 * self.increment - self.drain(i)
    }

    /// alpha_i^l = 2I - 2 (r_i / r_k) I: just before a boost (eq. 5.11).
    pub fn low(&self, i: usize) -> f64 {
        self.high(i) - self.drain(i)
    }

    /// Both bounds (eq. 5.12).
    pub fn range(&self, i: usize) -> Range {
        Range { low: self.low(i), high: self.high(i) }
    }

    /// E(alpha_i) = 2I - 3/2 (r_i / r_k) I: the middle of the range (eq. 5.13).
    pub fn mean(&self, i: usize) -> f64 {
        2.0 * self.increment - 1.5 * self.drain(i)
    }

    /// The mean time that flow `i` may burst before the next faster one outranks it: the difference of their
    /// mean credits (eq. 5.14). None for the last, which outranks nobody.
    pub fn burst(&self, i: usize) -> Option<f64> {
        let order = self.by_rate();
        let place = order.iter().position(|&j| j == i).expect("the order has every flow");
        order.get(place + 1).map(|&next| self.mean(i) - self.mean(next))
    }

    /// The flows from the slowest to the fastest; equal ones in the order they were given.
    pub fn by_rate(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.flows()).collect();
        order.sort_by(|&a, &b| self.rates[a].total_cmp(&self.rates[b]));
        order
    }
}
