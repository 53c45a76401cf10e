// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs in real time: what makes them is handed in, as nothing here knows of
//! namespaces and clocks.
//!
//! What it does not do: no verdict (`judge`, which turns red what a busy machine
//! has measured).

use std::hash::Hasher;

use airtab_scenario::{Measured, Metric, QueueSpec, ScenarioFile};
use siphasher::sip128::{Hasher128, SipHasher24};

use super::{RunError, Workload};

/// Runs a home in real time.
pub trait LiveHost: Sync {
    /// One run, from start to end; `what` says which, for people. None if it was
    /// stopped. The figures of the access point have [`Metric::Behind`].
    ///
    /// # Errors
    /// Why it could not be run, and what to do.
    fn run(
        &self,
        what: &str,
        home: &ScenarioFile,
        queue: &QueueSpec,
        seed: u64,
    ) -> Result<Option<Measured>, String>;
}

/// One run; a second one where the machine was too busy for the first.
pub(super) fn run(
    host: Option<&dyn LiveHost>,
    id: &str,
    place: &str,
    workload: &Workload,
    queue: &QueueSpec,
    seed: u64,
) -> Result<Option<Measured>, RunError> {
    let failed = |e: String| RunError::Live(format!("{id}: {e}"));
    let host = host.ok_or_else(|| failed("is run in real time, and nothing here can do that".into()))?;
    let Workload::Home(home) = workload else { unreachable!("refused when the file was read") };
    let what = [id, place, &queue.label].into_iter().filter(|part| !part.is_empty());
    let what = format!("{}, seed {seed}", what.collect::<Vec<_>>().join(", "));
    let once = |what: &str| host.run(what, home, queue, seed).map_err(failed);
    match once(&what)? {
        Some(measured) if is_late(&measured) => once(&format!("{what}, again: the machine was too busy")),
        measured => Ok(measured),
    }
}

fn is_late(measured: &Measured) -> bool {
    measured.ap.get(&Metric::Behind).is_some_and(|late| *late > Metric::LATE_TOLERATED)
}

/// What a live run is known by: never what a simulated one is.
pub(super) fn number(workload: &Workload) -> u128 {
    let mut hasher = SipHasher24::new();
    hasher.write(b"live");
    hasher.write_u128(workload.number());
    hasher.finish128().as_u128()
}
