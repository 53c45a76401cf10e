// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab run`.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use airtab_lab::store::NoStore;
use airtab_lab::{Options, compare_kept, count, table};
use anyhow::Context;

use super::flent::Target;
use crate::args::Run;
use crate::output;

/// One discipline, one run or several: a row for each application.
pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    let file = super::load_set(Some(&args.scenario), &args.set)?;
    let queues = super::build(std::slice::from_ref(&args.queue), &file.queues)?;
    let target = match &args.flent {
        Some(path) => match Target::begin(path, &file.scenario, &[&args.queue.label], false) {
            Ok(target) => Some(target),
            Err(message) => return Ok(super::refused(&message)),
        },
        None => None,
    };
    let stop = AtomicBool::new(false);
    let seeds: Vec<u64> = match args.seeds {
        Some(n) => (1..=n).collect(),
        None => vec![args.seed],
    };
    let options =
        Options { seeds: &seeds, quick: false, jobs: 0, stop: &stop, store: &NoStore, progress: &|_| () };
    let (result, documents) =
        compare_kept(&file.scenario, &queues, &options, target.as_ref().map(Target::plan))?;
    if let Some(target) = target {
        target.write(&documents)?;
    }
    if args.json {
        output::print(&(serde_json::to_string_pretty(&result).context("results as JSON")? + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = output::stdout_style();
    let (of, table) = match seeds.as_slice() {
        [one] => (format!("seed {one}"), table::run(&result.queues[0], style)),
        all => (count(all.len(), "seed"), table::comparison(&result, style)),
    };
    let mut text = format!("{} under {}, {of}\n\n{table}", result.scenario, args.queue.label);
    text.push_str(&output::reasons(&result, args.why, style));
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
