// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab run`.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use airtab_lab::{Options, table, why};
use airtab_scenario::ScenarioFile;
use anyhow::Context;

use crate::args::Run;
use crate::output;

/// One run: a row for each application.
pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    let file = ScenarioFile::load(&args.scenario)?;
    let queues = super::build(std::slice::from_ref(&args.queue), &file.queues)?;
    let stop = AtomicBool::new(false);
    let options = Options { seeds: &[args.seed], quick: false, jobs: 1, stop: &stop, progress: &|_| () };
    let result = airtab_lab::compare(&file.scenario, &queues, &options)?;
    if args.json {
        output::print(&(serde_json::to_string_pretty(&result).context("results as JSON")? + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = output::stdout_style();
    let mut text = format!("{} under {}, seed {}\n\n", result.scenario, args.queue.label, args.seed);
    text.push_str(&table::run(&result.queues[0], style));
    text.push_str("\nWhy\n");
    for sentence in why(&result) {
        text.push_str(&output::wrap(&format!("  {sentence}"), style.width));
        text.push('\n');
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
