//! Puts the parts together and runs them.

use airtab_core::Params;

use crate::{Scenario, Trace};

/// Runs a scenario under a discipline.
pub fn run(_scenario: &Scenario, _queue: &Params, _seed: u64) -> Trace {
    unreachable!("being written")
}
