// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Closed forms of the literature, to hold the simulator against.
//!
//! | module | model |
//! |---|---|
//! | [`bianchi`] | throughput and collision probability of a saturated 802.11 cell |
//! | [`chap`] | credits, delays and bursts under CHAP |
//!
//! Pure functions of plain numbers; nothing here knows the simulator. `docs/model.md` and
//! `docs/model-chap.md` explain the formulas.

pub mod bianchi;
pub mod chap;
