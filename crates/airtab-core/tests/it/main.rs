// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Properties of the core, checked through the Rust binding with random
//! sequences of operations (`PROPTEST_CASES=5000` for a longer look).
//!
//! - `tables`: parameter and statistics tables, wording of errors
//! - `invariants`: what every registered discipline must keep
//! - `baselines`: fifo and spq decision for decision
//! - `chap`: chap against `reference`, an independent model of the published
//!   algorithm, decision for decision
//!
//! `ops` draws the sequences, `host` plays them and keeps books of its own.

mod baselines;
mod chap;
mod host;
mod invariants;
mod ops;
mod reference;
mod tables;
