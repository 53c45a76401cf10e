//! Closed forms of the literature, to hold the simulator against.
//!
//! | module | model |
//! |---|---|
//! | [`bianchi`] | throughput and collision probability of a saturated 802.11 cell |
//!
//! Pure functions of plain numbers; nothing here knows the simulator. `docs/model.md` explains the
//! formulas.

pub mod bianchi;
