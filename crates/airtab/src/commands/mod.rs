// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One file per command.

pub mod airsim;
pub mod airtime;
pub mod cbr;
pub mod classes;
pub mod compare;
pub mod disciplines;
pub mod drain;
pub mod equal_access;
pub mod experiment;
pub mod fingerprint;
pub mod htbench;
mod kept;
pub mod live;
pub mod mesh;
pub mod model;
mod progress;
pub mod run;
pub mod scenario;
mod study;
pub mod tcp;

use std::path::Path;

use airtab_scenario::{FileError, QueueSettings, QueueSpec, ScenarioFile};
use anyhow::Context;

use crate::output;

/// The scenario of a file; what is most likely not meant is told.
fn load(path: &Path) -> Result<ScenarioFile, FileError> {
    let file = ScenarioFile::load(path)?;
    tell_warnings(&file);
    Ok(file)
}

fn tell_warnings(file: &ScenarioFile) {
    for warning in &file.warnings {
        output::note(&format!("warning: {warning}"));
    }
}

/// The first that is there twice.
fn twice<T: PartialEq>(all: &[T]) -> Option<&T> {
    all.iter().enumerate().find(|(i, one)| all[..*i].contains(one)).map(|(_, one)| one)
}

/// The parameters of each queue, with its column's name.
fn build(
    queues: &[QueueSpec],
    settings: &QueueSettings,
) -> anyhow::Result<Vec<(String, airtab_core::Params)>> {
    let one = |q: &QueueSpec| {
        let params = q.build(settings).with_context(|| format!("queue {}", q.label))?;
        params.warnings().iter().for_each(|warning| output::note(&format!("warning: {warning}")));
        Ok((q.label.clone(), params))
    };
    queues.iter().map(one).collect()
}
