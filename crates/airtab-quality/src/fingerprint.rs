// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A card's fingerprint: what the gaps between a saturated sender's frames say of its backoff.
//!
//! Source: Starzetz 2006, 6.4.1: a lone sender that always has a frame leaves gaps of a constant and a whole
//! number of slots, the backoff drawn, so that their histogram shows every slot. The thesis asks for tests of
//! the order of draws as future work: [`Draws`] keeps what they need. Which tests there are, and at what levels,
//! is derived in `docs/fingerprint.md`.
//!
//! | part | what |
//! |---|---|
//! | [`Phase`], [`Line`], [`first_tooth`] | the comb: where the teeth lie, how far apart, which is the first |
//! | [`Draws`], [`Retries`] | draws of first attempts in their order; draws after failures |
//! | [`Figures`] | masses, chi-squared, serial correlation, steps, repetition |
//! | [`judge`] | the verdict, and each fault in a sentence |
//!
//! What it does not do: no captures, no clocks; who sent what when is `airtab-lab`'s. Draws are those of a
//! window of slots equally likely; no other contention rule is recognised by its name.

mod comb;
mod draws;
mod figures;
mod judge;
mod significance;

pub use comb::{Line, Phase, first_tooth};
pub use draws::{Draws, Retries};
pub use figures::Figures;
pub use judge::{CONTRAST, Card, FALSE_ALARMS, Fault, Judgement, Verdict, judge};
