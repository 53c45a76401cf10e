// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures from input made by hand, each with its value worked out beside it:
//! nothing is simulated, and nothing that judges here is shared with what it judges.
//!
//! - `metrics`: names, units and senses of all figures
//! - `meters`: what happened to single packets to the trace of a run
//! - `traces`: a run's trace to the figures of one run
//! - `seeds`: runs to means, intervals, common pages
//! - `runs`: runs made up; `values`: their figures to the values of an experiment's checks
//! - `verdicts`: those values to verdicts
//! - `scores`: the server of fixed times, and credits
//! - `reasons`, `rates`: figures to sentences, and to those about bulk data
//! - `marks`, `page`, `ways`: figures to what is best, to a page, and both directions there
//! - `told`: what is said once, to which digit, and of whom
//! - `drawn`: the figures of an experiment

mod drawn;
mod made;
mod marks;
mod meters;
mod metrics;
mod page;
mod rates;
mod reasons;
mod runs;
mod scores;
mod seeds;
mod told;
mod traces;
mod values;
mod verdicts;
mod ways;

/// Equal but for the last bits of a sum.
#[track_caller]
fn near(found: f64, expected: f64) {
    let reach = 1e-12 * expected.abs().max(1.0);
    assert!((found - expected).abs() <= reach, "{found}, not {expected}");
}
