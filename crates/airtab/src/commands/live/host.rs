// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What runs live experiments for the laboratory's runner.
//!
//! What it does not do: no verdict, and no run is kept (`airtab_lab::experiment`).

use std::sync::atomic::{AtomicBool, Ordering};

use airtab_lab::experiment::LiveHost;
use airtab_live::{House, blame, trial};
use airtab_scenario::{Measured, QueueSpec, ScenarioFile};

use super::run::bar;
use crate::output;

/// Houses on this machine.
pub struct Host<'a> {
    /// Ends the run under way; its house is taken down.
    pub stop: &'a AtomicBool,
}

impl LiveHost for Host<'_> {
    fn run(
        &self,
        what: &str,
        home: &ScenarioFile,
        queue: &QueueSpec,
        seed: u64,
    ) -> Result<Option<Measured>, String> {
        let house = House::new(home.clone()).map_err(|e| e.to_string())?;
        let bar = bar(what, home.scenario.duration_ns / 1_000_000_000);
        let trial = trial::run(
            house,
            queue,
            seed,
            self.stop,
            &mut |snapshot| {
                bar.set_position(snapshot.now_s as u64);
                bar.set_message(blame(snapshot).text);
            },
            &mut |text| bar.suspend(|| output::note(text)),
        );
        bar.finish_and_clear();
        match trial.map_err(|e| e.to_string())? {
            Some(trial) => Ok(Some(trial.measured(&home.scenario))),
            None if self.stop.load(Ordering::Relaxed) => Ok(None),
            None => Err("the house was taken down before its end".into()),
        }
    }
}
