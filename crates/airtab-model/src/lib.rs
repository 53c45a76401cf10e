// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Closed forms of the literature, to hold the simulator against.
//!
//! | module | model |
//! |---|---|
//! | [`anomaly`] | what a slow station leaves of a cell that sends aggregates |
//! | [`bianchi`] | throughput and collision probability of a saturated 802.11 cell |
//! | [`blockack`] | lengths of aggregates and goodput when MPDUs are lost |
//! | [`cbt`] | thresholds, rates and waits of Class-Based Thresholds, and of what its study sets beside it |
//! | [`chap`] | credits, delays and bursts under CHAP |
//! | [`contention`] | waits, collisions and short-term fairness of channel access methods; what a packet costs |
//! | [`sizing`] | how much may be queued: by round trip, service time, collision domain (DNB), drain time (WQM) |
//!
//! Pure functions of plain numbers; nothing here knows the simulator. `docs/model.md`,
//! `docs/model-aggregates.md`, `docs/model-cbt.md`, `docs/model-chap.md`, `docs/model-contention.md` and
//! `docs/model-sizing.md` explain the formulas.

pub mod anomaly;
pub mod bianchi;
pub mod blockack;
pub mod cbt;
pub mod chap;
pub mod contention;
pub mod sizing;

/// A number for the sources of this crate, and for the versions of what it uses: part of what stored runs are known by.
pub const SOURCES: &str = env!("AIRTAB_SOURCES");
