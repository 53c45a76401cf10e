//! Figures from input made by hand, each with its value worked out beside it:
//! nothing is simulated, and nothing that judges here is shared with what it judges.
//!
//! - `traces`: a run's trace to the figures of one run
//! - `seeds`: runs to means, intervals, common pages
//! - `verdicts`: runs to the verdicts of an experiment
//! - `reasons`, `sentences`, `marks`: figures to words and to what is best

mod marks;
mod reasons;
mod scores;
mod seeds;
mod sentences;
mod traces;
mod verdicts;

/// Equal but for the last bits of a sum.
#[track_caller]
fn near(found: f64, expected: f64) {
    let reach = 1e-12 * expected.abs().max(1.0);
    assert!((found - expected).abs() <= reach, "{found}, not {expected}");
}
