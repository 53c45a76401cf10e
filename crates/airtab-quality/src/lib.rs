// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a user of the network feels, computed from plain numbers.
//!
//! Sources: CHAP dissertation 2.5 (G-model, E-model, frame rate, response time) and 6.13 (fairness),
//! ITU-T G.107 and G.113 (E-model in full), draft-ietf-ippm-qoo-10 (Quality of Outcome),
//! draft-ietf-ippm-responsiveness (RPM). `docs/quality.md` explains the formulas and the readings chosen.
//!
//! | module | question it answers |
//! |---|---|
//! | [`Window`] | over which stretch of time is measured, and at what rate was data received? |
//! | [`gmodel`] | how good is a network game? |
//! | [`emodel`] | how good is a phone call? |
//! | [`video`] | how many frames a second can be shown? |
//! | [`streaming`] | how does a streamed video play: rate, stalls, start? |
//! | [`web`] | how long does a page take? |
//! | [`qoo`] | how far is what the network did from what an application needs? |
//! | [`rpm`] | how many round trips a minute are there while transfers fill the way? |
//! | [`Delays`] | how long do packets take: mean, percentiles, maximum? |
//! | [`jain`] | how evenly is something shared? |
//! | [`fingerprint`] | does a Wi-Fi card draw its backoff as it should? |
//! | [`spearman`] | do two things grow together? |
//! | [`Interval`] | how sure is a mean over replications? |
//!
//! Pure functions and small accumulators: no I/O, no clock, and no knowledge of where the numbers come
//! from, so that a simulator and a live access point are judged by the same code. What has no meaning (the
//! mean of nothing) is `None`, never NaN. Everything but the Student quantile of [`Interval`] and the
//! chances of [`fingerprint`] is computed with IEEE basic operations and `libm`, hence gives the same bits on every machine.

mod delay;
pub mod emodel;
mod fairness;
pub mod fingerprint;
pub mod gmodel;
mod interval;
pub mod qoo;
mod rank;
pub mod rpm;
pub mod streaming;
pub mod video;
pub mod web;
mod window;

pub use delay::Delays;
pub use fairness::jain;
pub use interval::Interval;
pub use rank::{ranks, spearman};
pub use window::Window;

/// A number for the sources of this crate, and for the versions of what it uses: part of what stored runs are known by.
pub const SOURCES: &str = env!("AIRTAB_SOURCES");

/// Nanoseconds in a millisecond.
pub(crate) const NS_PER_MS: f64 = 1e6;
/// Nanoseconds in a second.
pub(crate) const NS_PER_S: f64 = 1e9;
