// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The commands as functions, for other faces than a terminal: the package for Python is one.
//!
//! What each gives is what its command prints and writes, by the same code. Nothing is printed here; what a command would
//! say beside its results is in `warnings`.
//!
//! What it does not do: no words are read, no Ctrl-C is listened for.

mod compare;
mod experiment;
mod sweep;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use airtab_core::Params;
use airtab_lab::experiment::RunError;
use airtab_lab::plan::Stopped;
use airtab_lab::store::{NoStore, Packs, Store};
use airtab_scenario::{About, FileError, Metric, QueueSettings, QueueSpec};

pub use airtab_lab::plan::{Back, Broken, Elsewhere, Order};

pub use self::compare::{Compared, compare};
pub use self::experiment::{Judged, experiment, find};
pub use self::sweep::{Asked, From, Swept, fill, sweep};
pub use crate::commands::Found;
use crate::commands::kept;
pub use crate::commands::sweep::Join;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// What is wrong in a scenario or in the file of an experiment.
    #[error(transparent)]
    Scenario(#[from] FileError),
    /// There is no such discipline, or it does not take its parameters.
    #[error("{0}")]
    Queue(String),
    /// What was asked for cannot be.
    #[error("{0}")]
    Wrong(String),
    /// It was stopped; what was done is stored, as far as the store keeps it.
    #[error("{0}")]
    Stopped(Stopped),
    /// The folder of finished runs cannot be used.
    #[error("{0}")]
    Store(String),
    /// There is nobody who makes runs elsewhere, or what came back cannot be used.
    #[error("{0}")]
    Elsewhere(String),
    /// Files cannot be written, or a run failed.
    #[error("{0}")]
    Failed(String),
}

impl std::convert::From<RunError> for CallError {
    fn from(e: RunError) -> CallError {
        match e {
            RunError::Stopped(stopped) => CallError::Stopped(stopped),
            RunError::Wrong(e) => CallError::Scenario(e),
            RunError::Queue(e) => CallError::Queue(e),
            RunError::Until(e) => CallError::Wrong(e),
            RunError::Elsewhere(e) => CallError::Elsewhere(e.0),
            e => CallError::Failed(e.to_string()),
        }
    }
}

/// Metrics as tables show them: name, label with its unit, factor to that unit. Without attempts beyond the usual ones.
pub fn metrics() -> Vec<(&'static str, &'static str, f64)> {
    Metric::usual().map(|metric| (metric.name(), metric.label(), metric.shown(1.0))).collect()
}

/// Score of a kind of application, by its name in results; None of an unknown kind.
pub fn score(kind: &str) -> Option<&'static str> {
    About::named(kind).map(|about| about.metric().name())
}

fn failed(e: &anyhow::Error) -> CallError {
    CallError::Failed(crate::output::message(e))
}

/// Where finished runs are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// Nowhere.
    Off,
    /// Where the commands keep them. Where nothing can be kept, a warning says so.
    #[default]
    Usual,
    /// In this folder, which must be usable.
    At(PathBuf),
}

/// How to go through the runs.
pub struct How<'a> {
    /// Threads; 0 takes one per processor.
    pub jobs: usize,
    /// Where finished runs are kept.
    pub cache: Cache,
    /// Set by anybody at any time: runs under way are ended.
    pub stop: &'a AtomicBool,
    /// Called after runs, from any thread: how many are done, and of how many; 0 if nobody knows.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
    /// Who makes runs, if not this machine.
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

/// An open [`Cache`].
struct Open {
    packs: Option<Packs>,
    folder: PathBuf,
    usual: bool,
}

impl Open {
    fn new(cache: &Cache, warnings: &mut Vec<String>) -> Result<Open, CallError> {
        let (folder, usual) = match cache {
            Cache::Off => return Ok(Open { packs: None, folder: PathBuf::new(), usual: true }),
            Cache::Usual => (kept::packs(&kept::folder()), true),
            Cache::At(folder) => (folder.clone(), false),
        };
        match Packs::open(&folder) {
            Ok(packs) => Ok(Open { packs: Some(packs), folder, usual }),
            Err(e) if usual => {
                warnings.push(unkept(&folder, &e));
                Ok(Open { packs: None, folder, usual })
            }
            Err(e) => Err(CallError::Store(format!("cannot keep runs in {}: {e}", folder.display()))),
        }
    }

    fn store(&self) -> &dyn Store {
        match &self.packs {
            Some(packs) => packs,
            None => &NoStore,
        }
    }

    /// Whether all that was made could be kept.
    fn look(&self, warnings: &mut Vec<String>) -> Result<(), CallError> {
        match self.packs.as_ref().and_then(Packs::failure) {
            Some(e) if self.usual => warnings.push(unkept(&self.folder, e)),
            Some(e) => {
                return Err(CallError::Store(format!("cannot keep runs in {}: {e}", self.folder.display())));
            }
            None => {}
        }
        Ok(())
    }
}

fn unkept(folder: &Path, e: &dyn std::fmt::Display) -> String {
    format!(
        "finished runs cannot be kept in {}: {e}. The results are whole, but the next call makes these runs again; \
         AIRTAB_CACHE names another folder",
        folder.display()
    )
}

/// Reads disciplines as asked for, such as `chap:limit=70`.
///
/// # Errors
/// [`CallError::Queue`] of the first that is none, [`CallError::Wrong`] where there is none, or one twice.
pub fn queues(labels: &[String]) -> Result<Vec<QueueSpec>, CallError> {
    let specs = labels.iter().map(|label| label.parse().map_err(CallError::Queue));
    let specs: Vec<QueueSpec> = specs.collect::<Result<_, _>>()?;
    let labels: Vec<&str> = specs.iter().map(|q| q.label.as_str()).collect();
    match (crate::commands::twice(&labels), specs.is_empty()) {
        (Some(label), _) => Err(CallError::Wrong(format!("queues: names {label} twice"))),
        (None, true) => {
            Err(CallError::Wrong("queues: none is named; give one or more, as in [\"fifo\"]".into()))
        }
        (None, false) => Ok(specs),
    }
}

/// Reads seeds as `--seeds` of a sweep has them: `20`, `3-7`, `1,5,9`.
///
/// # Errors
/// [`CallError::Wrong`]: what is none of these.
pub fn seeds(text: &str) -> Result<Vec<u64>, CallError> {
    let read = crate::commands::sweep::args::seeds(text);
    read.map(|seeds| seeds.all).map_err(|e| CallError::Wrong(format!("seeds: {e}")))
}

/// The parameters of each queue, with its column's name; what is most likely not meant.
fn build(
    queues: &[QueueSpec],
    settings: &QueueSettings,
    warnings: &mut Vec<String>,
) -> Result<Vec<(String, Params)>, CallError> {
    let one = |q: &QueueSpec| {
        let params = q.build(settings).map_err(|e| CallError::Queue(format!("queue {}: {e}", q.label)))?;
        warnings.extend(params.warnings().iter().map(ToString::to_string));
        Ok((q.label.clone(), params))
    };
    queues.iter().map(one).collect()
}

/// The tables of all disciplines, as `airtab disciplines --json` prints them.
pub fn disciplines() -> serde_json::Value {
    airtab_lab::catalogue::disciplines()
}

/// The built version, the commit, and the number of the sources that runs come from.
pub fn version() -> (&'static str, &'static str, &'static str) {
    (env!("CARGO_PKG_VERSION"), env!("AIRTAB_GIT"), airtab_lab::store::sources())
}

/// Makes runs that a call on another machine orders, study and run of each, on this thread; gives a pack of them.
///
/// # Errors
/// [`CallError::Elsewhere`]: what is no order of this build, or cannot be run. [`CallError::Stopped`].
pub fn make(orders: &[(&[u8], &str)], stop: &AtomicBool) -> Result<Vec<u8>, CallError> {
    match airtab_lab::make(orders, stop) {
        Ok(Some(pack)) => Ok(pack),
        Ok(None) => Err(CallError::Stopped(Stopped { done: 0, total: orders.len() })),
        Err(e) => Err(CallError::Elsewhere(e.0)),
    }
}
