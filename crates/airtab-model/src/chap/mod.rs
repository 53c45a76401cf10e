// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The analysis of CHAP: what credits, delays and bursts its author expects.
//!
//! Source: C.-S. Lee, "Credit-based Home Access Point (CHAP)", PhD dissertation, Worcester Polytechnic
//! Institute 2010, chapter 5. One function for each equation; where the print is wrong, the function says
//! what is computed instead and why.
//!
//! | module | section | equations |
//! |---|---|---|
//! | [`credit`] | 5.1, 5.3 | 5.1 to 5.14: between which bounds credits move |
//! | [`overlap`] | 5.2.2 | 5.31 to 5.36: how often a flow outranks all faster ones |
//! | [`ppdq`] | 5.2.1 | 5.15 to 5.30: waiting times of two classes with probabilistic priority |
//! | [`two_flows`] | 5.2.3 | 5.37: both together, figure 5.4 |
//! | [`burst`] | 5.4 | 5.38 to 5.41: starvation by bursts, and the choice of I |
//!
//! What it does not do: it is not exact. `docs/model-chap.md` sets it beside the algorithm itself.

pub mod burst;
pub mod credit;
pub mod overlap;
pub mod ppdq;
pub mod two_flows;

/// Why there is no answer. Each names the value, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ChapError {
    /// A rate is negative or no number, or all are 0.
    #[error("rate {value} of flow {flow}: rates are 0 or more, and one is above 0")]
    Rate {
        /// Which flow, from 1.
        flow: usize,
        /// Its rate.
        value: f64,
    },
    /// A cost is not above 0.
    #[error("cost {value} of flow {flow}: costs are above 0")]
    Cost {
        /// Which flow, from 1.
        flow: usize,
        /// Its cost.
        value: f64,
    },
    /// As many costs as rates are needed.
    #[error("{costs} costs for {rates} rates: give one for each")]
    Lengths {
        /// Rates given.
        rates: usize,
        /// Costs given.
        costs: usize,
    },
    /// There is no flow.
    #[error("at least one flow is needed")]
    NoFlows,
    /// The increment is not above 0.
    #[error("increment {0}: it is above 0")]
    Increment(f64),
    /// The queue has no steady state.
    #[error("load {0}: it is above 0 and below 1")]
    Load(f64),
    /// A class does not do what a class of a queue does.
    #[error(
        "class {class}: arrival rate {arrival_rate}, mean service {service}, its second moment {service_square}: all are above 0, the last at least the mean's square"
    )]
    Class {
        /// Which class, from 1.
        class: usize,
        /// Its arrival rate.
        arrival_rate: f64,
        /// Its mean service.
        service: f64,
        /// Its second moment.
        service_square: f64,
    },
    /// No probability.
    #[error("probability {0}: it is 0 to 1")]
    Probability(f64),
    /// No ratio of a slow flow to a fast one.
    #[error("kappa {0}: the slow flow's rate over the fast one's is above 0, and 1 at most")]
    Kappa(f64),
}

#[cfg(test)]
mod tests;
