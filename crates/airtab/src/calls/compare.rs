// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab compare` and `airtab run`.
//!
//! What it does not do: no captures, no files for flent.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use airtab_core::Params;
use airtab_lab::store::NoStore;
use airtab_lab::{
    AppStory, Comparison, Failure, Options, Story, compare_command, compare_elsewhere, frame, study, why,
    why_short,
};
use airtab_scenario::{QueueSpec, ScenarioFile, limited_twice};
use arrow_array::RecordBatch;
use serde_json::{Value, json};

use super::{CallError, Found, How, Open, build, failed};
use crate::args::Why;
use crate::commands::study::Job;
use crate::files::{Files, SCENARIO};
use crate::output::{BUILD, file_style};

/// A comparison, with what its files are made of.
pub struct Compared {
    /// The comparison.
    pub comparison: Comparison,
    /// What a command would say beside it.
    pub warnings: Vec<String>,
    file: ScenarioFile,
    /// Where files that it names are.
    folder: PathBuf,
    queues: Vec<(String, Params)>,
}

/// Runs a scenario under each discipline with every seed.
///
/// # Errors
/// [`CallError`].
///
/// # Panics
/// If threads cannot be started.
pub fn compare(
    found: &Found,
    queues: &[QueueSpec],
    seeds: &[u64],
    short: bool,
    how: &How,
) -> Result<Compared, CallError> {
    let file = found.parse()?;
    let mut warnings: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
    let queues = build(queues, &file.queues, &mut warnings)?;
    warnings.extend(queues.iter().filter_map(|(_, params)| limited_twice(&file.scenario, params)));
    let open = Open::new(&how.cache, &mut warnings)?;
    let total = queues.len() * seeds.len();
    let options = Options {
        seeds,
        short,
        jobs: how.jobs,
        stop: how.stop,
        store: open.store(),
        progress: &|step| (how.progress)(step.done, total),
    };
    let comparison = match how.elsewhere {
        None => airtab_lab::compare(&file.scenario, &queues, &options).map_err(CallError::Stopped),
        Some(elsewhere) => {
            let text = (found.name.as_path(), found.text.as_str());
            compare_elsewhere(text, &file.scenario, &queues, &options, elsewhere).map_err(CallError::from)
        }
    }?;
    open.look(&mut warnings)?;
    warnings.extend(comparison.no_difference.clone());
    let folder = found.name.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    Ok(Compared { comparison, warnings, file, folder, queues })
}

impl From<Failure> for CallError {
    fn from(e: Failure) -> CallError {
        match e {
            Failure::Stopped(stopped) => CallError::Stopped(stopped),
            Failure::Wrong(e) => CallError::Scenario(e),
            Failure::Elsewhere(e) => CallError::Elsewhere(e.0),
        }
    }
}

impl Compared {
    /// What `compare --json` prints.
    ///
    /// # Errors
    /// None that is known.
    pub fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(&self.comparison.data(BUILD))? + "\n")
    }

    /// What `run --json` prints.
    ///
    /// # Errors
    /// None that is known.
    pub fn run_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(&self.comparison.data(BUILD))? + "\n")
    }

    /// The table and the reasons, as `report.txt` has them; of a run alone no reasons.
    pub fn text(&self, width: usize) -> String {
        let style = airtab_lab::table::Style { width, colour: false };
        match (self.comparison.queues.as_slice(), self.comparison.seeds.len()) {
            ([one], 1) => airtab_lab::table::run(one, style),
            _ => airtab_lab::table::comparison(&self.comparison, style),
        }
    }

    /// A sentence for each application and discipline; or one for each application.
    pub fn why(&self, full: bool) -> Vec<String> {
        if full { why(&self.comparison) } else { why_short(&self.comparison) }
    }

    /// A row for each figure of each seed.
    pub fn frame(&self) -> RecordBatch {
        frame(&self.comparison)
    }

    /// What each application received and sent over time in each discipline's run with the first seed, which is made once more,
    /// as JSON: `seed`, `step_s` and `queues`, each with `label` and `apps`: `name` and a rate in bits per second for each step,
    /// `received` by the station and `uploaded` to its server.
    ///
    /// # Errors
    /// [`CallError::Stopped`].
    ///
    /// # Panics
    /// If threads cannot be started.
    pub fn courses(&self, how: &How) -> Result<Value, CallError> {
        let c = &self.comparison;
        let options = Options {
            seeds: &c.seeds[..1],
            short: c.short,
            jobs: how.jobs,
            stop: how.stop,
            store: &NoStore,
            progress: &|_| (),
        };
        let study = study(&self.file.scenario, &self.queues, &options, Vec::new(), None, None);
        let stories = study.map_err(CallError::Stopped)?.stories;
        let app = |app: &AppStory| json!({ "name": app.name, "received": app.received_bps, "uploaded": app.uploaded_bps });
        let queue = |story: &Story| json!({ "label": story.label, "apps": story.apps.iter().map(app).collect::<Vec<_>>() });
        Ok(json!({
            "seed": c.seeds[0],
            "step_s": stories[0].step_ns as f64 / 1e9,
            "queues": stories.iter().map(queue).collect::<Vec<_>>(),
        }))
    }

    /// Writes the files of `compare --out`; gives their names. Each discipline's run with the first seed is made once more, as
    /// it tells its story.
    ///
    /// # Errors
    /// [`CallError`]; none of the files is there then.
    ///
    /// # Panics
    /// If threads cannot be started.
    pub fn save(&self, dir: &Path, jobs: usize, stop: &AtomicBool) -> Result<Vec<String>, CallError> {
        let files = Files::new(dir).map_err(|e| failed(&e))?;
        let job = Job::new((self.command(), None), (&self.file, &self.folder), &self.queues, files);
        let mut job = job.map_err(|e| failed(&e))?;
        let c = &self.comparison;
        let options =
            Options { seeds: &c.seeds[..1], short: c.short, jobs, stop, store: &NoStore, progress: &|_| () };
        job.run(&options, None).map_err(CallError::Stopped)?;
        let json = self.json().map_err(|e| CallError::Failed(e.to_string()))?;
        let text = crate::commands::compare::report(c, Why::Full, file_style());
        job.write(c, (&json, &text, false)).map_err(|e| failed(&e))
    }

    /// The command that makes the same of the scenario beside the files.
    fn command(&self) -> String {
        let c = &self.comparison;
        let labels: Vec<&str> = self.queues.iter().map(|(label, _)| label.as_str()).collect();
        let seeds = match c.seeds.as_slice() {
            all if all.iter().copied().eq(1..=all.len() as u64) => all.len().to_string(),
            // It is no number of seeds.
            [one] => format!("{one},"),
            all => all.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        };
        compare_command(Some(SCENARIO), &labels, &seeds, c.short)
    }
}
