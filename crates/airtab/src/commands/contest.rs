// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab contest`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use airtab_lab::contest::{self, Entry};
use airtab_lab::plan::Pace;
use airtab_scenario::{QueueList, QueueSpec, ScenarioFile, scenario_text, set};
use anyhow::Context;
use clap::Parser;

use super::kept::Kept;
use super::progress::{INTERRUPTED, progress_bar, stop_on_interrupt};
use super::refused;
use super::sweep::args::{Seeds, seeds};
use crate::args::whole;
use crate::form::Printed;
use crate::output;

/// Count the applications that a discipline serves better or worse than others, over a directory of scenarios
///
/// Each scenario runs under three drivers: two aggregates below the queue; a governor, or AQL under disciplines that have it; the
/// same governor under all. The first discipline is compared with each of the others. In the null test it is compared with itself,
/// one time parameter being 1 us longer.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab contest
  airtab contest my-homes --queues chap,airtime_fq --seeds 6-15 --json")]
pub struct Contest {
    /// Directory of scenario files (*.toml) in cells with aggregates; they leave [wifi.driver] out
    #[arg(value_name = "DIR", default_value = "scenarios/homes")]
    pub dir: PathBuf,
    /// Disciplines; the first is compared with each of the others
    #[arg(long, value_name = "LIST", default_value = "chap,airtime_fq,cake,fq_codel")]
    pub queues: QueueList,
    /// Seeds of each scenario, driver and discipline: 1 to N, A to B, or a list such as 1,5,9; at least 2
    #[arg(long, value_name = "N|A-B|LIST", default_value = "5", value_parser = seeds)]
    pub seeds: Seeds,
    /// Runs at the same time; the results do not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub jobs: Option<u16>,
    /// Neither use nor keep finished runs
    #[arg(long)]
    pub no_cache: bool,
    #[command(flatten)]
    pub form: Printed,
}

/// Executes the runs that are not cached, and prints the counts.
pub fn contest(args: &Contest) -> anyhow::Result<ExitCode> {
    let labels: Vec<&String> = args.queues.iter().map(|q| &q.label).collect();
    if let Some(label) = super::twice(&labels) {
        return Ok(refused(&format!("--queues names {label} twice")));
    }
    if labels.len() < 2 {
        return Ok(refused("--queues: name two disciplines or more"));
    }
    let seeds = &args.seeds.all;
    if seeds.len() < 2 {
        return Ok(refused("--seeds: a verdict takes at least 2 seeds"));
    }
    let entries = match homes(&args.dir, &args.queues) {
        Ok(entries) => entries,
        Err(message) => return Ok(refused(&message)),
    };
    let stop = stop_on_interrupt()?;
    let kept = if args.no_cache { Kept::default() } else { Kept::open() };
    let bar = progress_bar(contest::runs(&entries, seeds));
    let pace = Pace {
        jobs: args.jobs.map_or(0, usize::from),
        stop: &stop,
        budget: None,
        progress: &|step| {
            bar.set_position(step.done as u64);
            kept.look(&bar);
        },
    };
    let held = contest::Contest::hold(&entries, seeds, kept.store(), &pace, output::BUILD);
    bar.finish_and_clear();
    let held = match held {
        Ok(held) => held,
        Err(stopped) => {
            output::tell(&format!("{stopped}; {}", kept.goes_on()));
            return Ok(ExitCode::from(INTERRUPTED));
        }
    };
    let text = match args.form.is_json() {
        true => serde_json::to_string_pretty(&held).context("results as JSON")? + "\n",
        false => held.page(),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The scenarios of a directory in alphabetical order, each under every driver.
fn homes(dir: &Path, queues: &[QueueSpec]) -> Result<Vec<Entry>, String> {
    let shown = dir.display();
    let files = dir.read_dir().map_err(|e| format!("cannot read the directory {shown}: {e}"))?;
    let paths = files.map(|file| file.map(|file| file.path())).collect::<Result<Vec<_>, _>>();
    let mut paths = paths.map_err(|e| format!("cannot read the directory {shown}: {e}"))?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    if paths.is_empty() {
        return Err(format!("{shown} has no scenario file: name a directory with files *.toml"));
    }
    let entries = paths.iter().map(|path| {
        let text = scenario_text(path).map_err(|e| e.to_string())?;
        let home = path.file_stem().unwrap_or_default().to_string_lossy();
        Entry::of_home(&home, queues, |settings| with(path, &text, settings))
    });
    Ok(entries.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// A scenario with values that it leaves out.
fn with(path: &Path, text: &str, settings: &[(&str, &str)]) -> Result<ScenarioFile, String> {
    let shown = path.display();
    let text = settings.iter().try_fold(text.to_string(), |text, (key, value)| set(&text, key, value));
    let text = text.map_err(|e| format!("{shown}: {e}"))?;
    ScenarioFile::parse(path, &text).map_err(|e| e.to_string())
}
