// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab sweep`.
//!
//! What it does not do: no budget. All points are in memory.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use airtab_lab::experiment::{self, Experiment, PointScores, RunOptions};
use airtab_lab::frame::{AxisColumn, Rows};
use airtab_lab::plan::Part;
use airtab_lab::store::{Packs, Store};
use airtab_scenario::{QueueList, QueueSpec};
use arrow_array::RecordBatch;

use super::{Cache, CallError, How, Open, failed};
use crate::commands::sweep as command;
use crate::commands::sweep::args::Sweep;
use crate::commands::sweep::write::Results;
use crate::form::Form;
use crate::output::message;

/// What is swept.
pub enum From {
    /// A file of a sweep, an experiment or a scenario, or the name of one that airtab brings.
    File(PathBuf),
    /// The text of a scenario, and its name.
    Text(PathBuf, String),
}

/// What is asked for.
#[derive(Default)]
pub struct Asked {
    /// Path and values of each axis.
    pub axes: Vec<(String, Vec<String>)>,
    /// Disciplines, where those of the file are not wanted.
    pub queues: Option<Vec<QueueSpec>>,
    /// As `--seeds` has them, where those of the file are not wanted.
    pub seeds: Option<String>,
    /// A figure, and half the width of its interval.
    pub until: Option<(String, f64)>,
    /// Seeds of the first round, and of the last.
    pub rounds: (Option<u64>, Option<u64>),
    /// Folders of packs: no run is made then.
    pub merge: Vec<PathBuf>,
}

/// A sweep, with what its files are made of.
pub struct Swept {
    /// What a command would say beside it.
    pub warnings: Vec<String>,
    args: Sweep,
    experiment: Experiment,
    columns: Vec<AxisColumn>,
    seeds: Vec<u64>,
    points: Vec<PointScores>,
}

/// Where messages speak of options.
fn wrong(e: &str) -> CallError {
    CallError::Wrong(e.trim_start_matches("--").into())
}

fn ask(from: &From, asked: Asked) -> Result<(Sweep, Experiment, Vec<AxisColumn>), CallError> {
    let axis = |(path, values): (String, Vec<String>)| match values.iter().find(|value| value.contains(',')) {
        Some(value) => {
            Err(CallError::Wrong(format!("axis {path}: '{value}': values of an axis have no comma")))
        }
        None => Ok((path, values.join(","))),
    };
    let seeds = asked.seeds.map(|text| command::args::seeds(&text)).transpose();
    let args = Sweep {
        file: match from {
            From::File(path) => path.clone(),
            From::Text(name, _) => name.into(),
        },
        axis: asked.axes.into_iter().map(axis).collect::<Result<_, _>>()?,
        set: Vec::new(),
        queues: asked.queues.map(QueueList::from),
        seeds: seeds.map_err(|e| CallError::Wrong(format!("seeds: {e}")))?,
        until: asked.until,
        first: asked.rounds.0,
        most: asked.rounds.1,
        jobs: None,
        shard: None,
        merge: asked.merge,
        budget: None,
        cluster: None,
        form: Form::JSON,
        out: None,
        no_cache: false,
    };
    let experiment = match from {
        From::File(path) => command::found(path).map_err(|e| match e.downcast() {
            Ok(e) => CallError::Scenario(e),
            Err(e) => wrong(&message(&e)),
        })?,
        From::Text(name, text) => Experiment::of_scenario(name, text)?,
    };
    let experiment = command::put(experiment, &args).map_err(|e| wrong(&message(&e)))?;
    if experiment.live {
        return Err(CallError::Wrong(format!("{} is run in real time", experiment.named())));
    }
    let columns = experiment.columns().map_err(|e| wrong(&e.to_string()))?;
    Ok((args, experiment, columns))
}

/// Runs it.
///
/// # Errors
/// [`CallError`].
///
/// # Panics
/// If threads cannot be started.
pub fn sweep(from: &From, asked: Asked, how: &How) -> Result<Swept, CallError> {
    let (args, experiment, columns) = ask(from, asked)?;
    let mut warnings = Vec::new();
    let open = match args.merge.is_empty() {
        true => Open::new(&how.cache, &mut warnings)?,
        false => {
            let packs = Packs::merge(&args.merge).map_err(|e| CallError::Store(format!("merge: {e}")))?;
            Open { packs: Some(packs), folder: PathBuf::new(), usual: false }
        }
    };
    let merged = !args.merge.is_empty();
    let (seeds, points) = {
        let options = RunOptions { only_stored: merged, ..options(&args, how, open.store()) };
        let sweep = experiment::Sweep::new(&experiment, &options)?;
        if let (true, Some((n, first))) = (merged, sweep.missing()) {
            return Err(CallError::Store(format!(
                "merge: of {} runs {n} are not in these folders; the first: {first}. Run the shards that are missing",
                sweep.counts().0
            )));
        }
        warnings.extend(sweep.without_effect());
        let mut points = Vec::new();
        sweep.run(&counted(&sweep, &experiment, how), &mut |point| points.push(point))?;
        (sweep.seeds().to_vec(), points)
    };
    open.look(&mut warnings)?;
    let mut swept = Swept { warnings, args, experiment, columns, seeds, points };
    let short = swept.results(&swept.args).map_err(|e| failed(&e))?.short();
    swept.warnings.extend(short.map(|text| text.trim_start_matches("warning: ").into()));
    Ok(swept)
}

/// Makes one machine's runs, `I/N`, and leaves them as packs in a folder; gives how many there are.
///
/// # Errors
/// [`CallError`].
///
/// # Panics
/// If threads cannot be started.
pub fn fill(from: &From, asked: Asked, shard: &str, dir: &Path, how: &How) -> Result<usize, CallError> {
    let part: Part =
        command::args::shard(shard).map_err(|e| CallError::Wrong(format!("shard {shard}: {e}")))?;
    let (args, experiment, _) = ask(from, asked)?;
    let open = Open::new(&Cache::At(dir.into()), &mut Vec::new())?;
    let options = RunOptions { part, ..options(&args, how, open.store()) };
    let sweep = experiment::Sweep::new(&experiment, &options)?;
    let filled = sweep.fill(&counted(&sweep, &experiment, how))?;
    open.look(&mut Vec::new())?;
    let packs = open.packs.as_ref().filter(|packs| packs.is_empty());
    // A shard without runs is one, too.
    if let Some(Err(e)) = packs.map(Packs::begin) {
        return Err(CallError::Store(format!("cannot keep runs in {}: {e}", dir.display())));
    }
    Ok(filled)
}

fn options<'a>(args: &'a Sweep, how: &'a How, store: &'a dyn Store) -> RunOptions<'a> {
    let seeds = args.seeds.as_ref().map(|seeds| seeds.all.as_slice());
    RunOptions { seeds, jobs: how.jobs, elsewhere: how.elsewhere, ..RunOptions::new(store, how.stop) }
}

/// What counts the runs that are made; of rounds nobody knows how many there will be.
fn counted(sweep: &experiment::Sweep, experiment: &Experiment, how: &How) -> impl Fn() + Sync {
    let (all, stored) = sweep.counts();
    let total = if experiment.until.is_some() { 0 } else { all - stored };
    let done = AtomicUsize::new(0);
    move || (how.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total)
}

impl Swept {
    /// What is written as `args` say, with all points in it.
    fn results<'a>(&'a self, args: &'a Sweep) -> anyhow::Result<Results<'a>> {
        let mut results = Results::begin(args, &self.experiment, &self.columns, &self.seeds)?;
        self.points.iter().try_for_each(|point| results.add(point.clone()))?;
        Ok(results)
    }

    /// What `sweep --format json` prints.
    ///
    /// # Errors
    /// [`CallError::Failed`]; none that is known.
    pub fn json(&self) -> Result<String, CallError> {
        let mut results = self.results(&self.args).map_err(|e| failed(&e))?;
        results.json_text().map_err(|e| failed(&e))
    }

    /// A row for each figure of each seed.
    pub fn frame(&self) -> RecordBatch {
        let mut rows = Rows::new(&self.columns, &self.seeds);
        for point in &self.points {
            point.queues.iter().for_each(|q| rows.add(&point.at, q));
        }
        rows.batch()
    }

    /// Writes the files of `sweep --out`; gives their names.
    ///
    /// # Errors
    /// [`CallError::Failed`]; none of the files is there then.
    pub fn save(&self, dir: &Path) -> Result<Vec<String>, CallError> {
        let args = Sweep { out: Some(dir.into()), form: Form::PARQUET, ..self.args.clone() };
        let results = self.results(&args).map_err(|e| failed(&e))?;
        Ok(results.finish().map_err(|e| failed(&e))?.names)
    }
}
