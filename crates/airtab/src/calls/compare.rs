// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab compare` and `airtab run`.
//!
//! What it does not do: no captures, no files for flent.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use airtab_core::Params;
use airtab_lab::store::NoStore;
use airtab_lab::{Comparison, Options, compare_command, frame, quoted, why, why_short};
use airtab_scenario::{QueueSpec, ScenarioFile};
use arrow_array::RecordBatch;

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
    quick: bool,
    how: &How,
) -> Result<Compared, CallError> {
    let file = found.parse()?;
    let mut warnings: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
    let queues = build(queues, &file.queues, &mut warnings)?;
    let open = Open::new(&how.cache, &mut warnings)?;
    let total = queues.len() * seeds.len();
    let options = Options {
        seeds,
        quick,
        jobs: how.jobs,
        stop: how.stop,
        store: open.store(),
        progress: &|step| (how.progress)(step.done, total),
    };
    let comparison = airtab_lab::compare(&file.scenario, &queues, &options).map_err(CallError::Stopped)?;
    open.look(&mut warnings)?;
    let folder = Path::new(&found.name).parent().map_or_else(PathBuf::new, Path::to_path_buf);
    Ok(Compared { comparison, warnings, file, folder, queues })
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
            Options { seeds: &c.seeds[..1], quick: c.quick, jobs, stop, store: &NoStore, progress: &|_| () };
        job.run(&options, None).map_err(CallError::Stopped)?;
        let json = self.json().map_err(|e| CallError::Failed(e.to_string()))?;
        let text = crate::commands::compare::report(c, Why::Full, file_style());
        job.write(c, (&json, &text, false)).map_err(|e| failed(&e))
    }

    /// The command that makes the same of the scenario beside the files.
    fn command(&self) -> String {
        let c = &self.comparison;
        let labels: Vec<&str> = self.queues.iter().map(|(label, _)| label.as_str()).collect();
        let plain = c.seeds.iter().copied().eq(1..=c.seeds.len() as u64);
        if !plain {
            // compare takes the first seeds alone
            let seeds: Vec<String> = c.seeds.iter().map(ToString::to_string).collect();
            let seeds = format!("{}{}", seeds.join(","), if seeds.len() == 1 { "," } else { "" });
            return format!("airtab sweep {SCENARIO} --queues {} --seeds {seeds}", quoted(&labels.join(",")));
        }
        compare_command(Some(SCENARIO), &labels, c.seeds.len() as u64, c.quick)
    }
}
