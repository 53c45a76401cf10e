// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Makes a study: the runs of `airtab compare`, and the files that `--out` and `--format` make of them.
//!
//! What it does not do: no figure is computed here (`airtab-lab`).

use std::mem::size_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use airtab_lab::frame::Csv;
use airtab_lab::plan::Budget;
use airtab_lab::store::Store;
use airtab_lab::{
    Build, Comparison, Options, Origin, Report, SoFar, Story, Watch, compare_command, frame, html,
    scenario_hash, study, write_parquet,
};
use airtab_scenario::{Measured, Metric};

use super::study::{Files, State, Study, Task};
use crate::Limits;
use crate::check::FILE;

/// Between two looks at results on their way.
const PAUSE: Duration = Duration::from_millis(250);
/// The part of a study's time that such looks may take.
const SHARE: u32 = 20;

/// What every study is made with.
pub struct Kit {
    /// Version of airtab.
    pub version: String,
    /// Commit that it was built from.
    pub git: String,
    /// Where finished runs are kept.
    pub store: Arc<dyn Store + Send + Sync>,
    /// Threads of a study; 0: one per processor.
    pub jobs: usize,
    /// What studies may take.
    pub limits: Limits,
}

impl Kit {
    fn build(&self) -> Build<'_> {
        Build { version: &self.version, git: &self.git }
    }
}

/// Runs a study to its end. `fits`: whether its results are still within limits.
pub fn run(kit: &Kit, study: &Study, fits: impl Fn() -> bool) {
    match catch_unwind(AssertUnwindSafe(|| made(kit, study, fits))) {
        Ok(Ok(files)) => study.end(State::Done, Some(files), ""),
        Ok(Err(None)) => study.end(State::Stopped, None, ""),
        Ok(Err(Some(why))) => study.end(State::Failed, None, &why),
        Err(_) => study.end(State::Failed, None, "this is a bug of airtab's: see its terminal"),
    }
}

/// The files; else why there are none, if it was not stopped.
fn made(kit: &Kit, own: &Study, fits: impl Fn() -> bool) -> Result<Files, Option<String>> {
    let Task { file, queues, seeds, short } = &own.task;
    let seeds: Vec<u64> = (1..=*seeds).collect();
    let budget = Budget::new(kit.limits.processor);
    let options = Options {
        seeds: &seeds,
        short: *short,
        jobs: kit.jobs,
        stop: &own.stop,
        store: &*kit.store,
        progress: &|step| own.step(&step),
    };
    let (mut next, mut too_large) = (Instant::now(), false);
    let each = &mut |so_far: &SoFar| {
        own.weight.fetch_add(weight(so_far.measured()), Ordering::Relaxed);
        if !fits() {
            too_large = true;
            own.stop.store(true, Ordering::Relaxed);
        }
        let now = Instant::now();
        if now >= next && so_far.is_whole_seed() {
            let comparison = so_far.comparison();
            if let Some(json) = comparison.and_then(|c| serde_json::to_string(&c.data(kit.build())).ok()) {
                own.results(json);
            }
            next = Instant::now() + PAUSE.max(now.elapsed() * SHARE);
        }
    };
    let watch = Watch { budget: Some(&budget), each };
    let compared = study(&file.scenario, queues, &options, Vec::new(), None, Some(watch));
    let (limits, took) = (&kit.limits, budget.used());
    let study = compared.map_err(|stopped| match (too_large, budget.is_spent()) {
        (true, _) => Some(format!(
            "{stopped}: results of more than {} MiB: ask for fewer seeds, disciplines or applications",
            limits.result_bytes >> 20
        )),
        (_, true) => Some(format!(
            "{stopped}: {:.0} s of processor time, of at most {:.0} s: ask for fewer seeds, or for a short look; what is \
             done is kept, so that asking again goes on from here; `airtab compare` has no such limit",
            took.as_secs_f64(),
            limits.processor.as_secs_f64()
        )),
        _ => None,
    })?;
    let files = files(kit, &own.task, &study.comparison, &study.stories).map_err(Some)?;
    own.results(serde_json::to_string(&study.comparison.data(kit.build())).map_err(|e| Some(e.to_string()))?);
    Ok(files)
}

/// As `airtab compare scenario.toml --out DIR` writes them.
fn files(kit: &Kit, task: &Task, comparison: &Comparison, stories: &[Story]) -> Result<Files, String> {
    let Task { file, queues, seeds, short } = task;
    let labels: Vec<&str> = queues.iter().map(|(label, _)| label.as_str()).collect();
    let origin = Origin {
        version: kit.version.clone(),
        git: kit.git.clone(),
        command: compare_command(Some(FILE), &labels, &seeds.to_string(), *short),
        scenario_hash: scenario_hash(&file.scenario),
    };
    let report = html(&Report { comparison, scenario: &file.scenario, stories, origin: &origin });
    let mut parquet = Vec::new();
    write_parquet(comparison, &origin, &mut parquet).map_err(|e| e.to_string())?;
    let batch = frame(comparison);
    let mut csv = Csv::new(Vec::new(), &batch.schema()).map_err(|e| e.to_string())?;
    csv.write(&batch).map_err(|e| e.to_string())?;
    let csv = csv.close().map_err(|e| e.to_string())?;
    let json = serde_json::to_string_pretty(&comparison.data(kit.build())).map_err(|e| e.to_string())? + "\n";
    Ok(Files { report: report.into(), parquet: parquet.into(), csv: csv.into(), json: json.into() })
}

/// About how many bytes a run takes in memory.
fn weight(measured: &Measured) -> u64 {
    // A tree of pairs is two thirds full.
    let figures = |n: usize| n * size_of::<(Metric, f64)>() * 3 / 2;
    let apps: usize = measured.apps.iter().chain([&measured.ap]).map(|of| figures(of.len())).sum();
    let nodes: usize = measured.nodes.iter().map(|(name, of)| name.len() + figures(of.len())).sum();
    let pages: usize = measured.pages.iter().map(|of| size_of_val(&of[..])).sum();
    let seconds: usize = measured.seconds.iter().map(|of| size_of_val(&of[..])).sum();
    (apps + nodes + pages + seconds) as u64
}

#[cfg(test)]
mod tests {
    use airtab_scenario::{Figures, Second};

    use super::*;

    /// Figures take 24 bytes each, a third more than a metric and its value; nodes their names, too; pages and seconds
    /// their own size.
    #[test]
    fn a_run_weighs_what_it_holds() {
        let metrics = [Metric::Loss, Metric::Delay, Metric::Ping, Metric::Jitter, Metric::Air];
        let figures = |n: usize| metrics[..n].iter().map(|metric| (*metric, 0.5)).collect::<Figures>();
        let second = Second { from_ns: 0, sent_bits: 0.0, received_bits: 0.0, playable_frames: None };
        let empty = || Measured {
            apps: Vec::new(),
            pages: Vec::new(),
            seconds: Vec::new(),
            ap: Figures::new(),
            nodes: Vec::new(),
        };
        assert_eq!(weight(&empty()), 0);
        assert_eq!(weight(&Measured { apps: vec![figures(2), figures(3)], ..empty() }), 5 * 24);
        assert_eq!(weight(&Measured { ap: figures(4), ..empty() }), 4 * 24);
        assert_eq!(weight(&Measured { nodes: vec![("abc".into(), figures(1))], ..empty() }), 3 + 24);
        // A page has a number of 32 bits and four of 64.
        let page = || (1, 0, 0, 0, 0).into();
        let pages = vec![vec![page(), page(), page()], vec![page()]];
        assert_eq!(weight(&Measured { pages, ..empty() }), 4 * 40);
        let seconds = weight(&Measured { seconds: vec![vec![second], vec![second; 6]], ..empty() });
        assert_eq!(seconds, 7 * size_of_val(&second) as u64);
    }
}
