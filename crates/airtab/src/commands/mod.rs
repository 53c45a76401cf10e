// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One file per command.

pub mod airsim;
pub mod airtime;
pub mod cache;
pub mod cbr;
pub mod classes;
pub mod compare;
pub mod disciplines;
pub mod drain;
pub mod equal_access;
pub mod experiment;
pub mod fingerprint;
mod flent;
pub mod htbench;
mod kept;
pub mod live;
pub mod mesh;
pub mod model;
mod progress;
pub mod rpm;
pub mod run;
pub mod scenario;
mod study;
pub mod sweep;
pub mod tcp;

use std::path::Path;
use std::process::ExitCode;

use airtab_scenario::reader::instead;
use airtab_scenario::{FileError, QueueSettings, QueueSpec, ScenarioFile};
use anyhow::Context;

use crate::args::USAGE;
use crate::output;

/// The scenarios of the repository: name and text.
static SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// The scenario of the repository that is meant, where no file of that name is.
fn shipped(path: &Path) -> Option<&'static (&'static str, &'static str)> {
    SHIPPED.iter().find(|(name, _)| Path::new(name) == path && !path.exists())
}

/// The scenario of a file, or of the repository by its name; what is most likely not meant is told.
fn load(path: &Path) -> Result<ScenarioFile, FileError> {
    let file = match (shipped(path), path.to_str()) {
        (Some((name, text)), _) => {
            let none = |_: &Path, _, _: &str| Err("a scenario that airtab brings names no file".into());
            ScenarioFile::parse_with(&format!("{name}.toml"), text, &none)?
        }
        (None, Some(name)) if !name.contains(['.', '/', '\\']) && !path.exists() => {
            let known: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
            let reason = format!("no such file, and no scenario that airtab brings{}", instead(name, &known));
            return Err(FileError::Unreadable { file: name.into(), reason });
        }
        _ => ScenarioFile::load(path)?,
    };
    tell_warnings(&file);
    Ok(file)
}

/// Wrong usage that only what is in files shows.
fn refused(message: &str) -> ExitCode {
    output::note(&format!("error: {message}"));
    ExitCode::from(USAGE)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every one can be read without its folder, and one that is misspelt is guessed.
    #[test]
    fn scenarios_by_name() {
        for (name, _) in SHIPPED {
            load(Path::new(name)).unwrap_or_else(|e| panic!("{e}"));
        }
        assert_eq!(load(Path::new("rrul")).map(|file| file.scenario.apps.len()).ok(), Some(12));
        let said = load(Path::new("rull")).map(|_| ()).expect_err("there is none").to_string();
        let expected =
            "rull: no such file, and no scenario that airtab brings; did you mean `rrul`? (known: anomaly, ";
        assert!(said.starts_with(expected), "{said}");
        let said = load(Path::new("rull.toml")).map(|_| ()).expect_err("there is none").to_string();
        assert!(!said.contains("rrul"), "a file was meant: {said}");
    }
}
