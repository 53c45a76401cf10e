// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab run`.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use airtab_lab::store::NoStore;
use airtab_lab::{Options, compare_kept, count, frame, table};
use airtab_scenario::short;
use anyhow::Context;

use super::flent::Target;
use crate::args::Run;
use crate::form::Format;
use crate::output;

/// One discipline, one run or several: a row for each application.
pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    if args.form.get() == Format::Parquet {
        return Ok(super::refused(&format!(
            "--format parquet: a run writes no files: airtab compare --queues {} --out DIR does",
            args.queue.label
        )));
    }
    let mut file = super::load_set(Some(&args.scenario), &args.set)?;
    let whole = file.scenario.clone();
    if args.short {
        file.scenario = short(&whole);
    }
    if let Some(message) = super::unread(&args.set, std::slice::from_ref(&args.queue)) {
        return Ok(super::refused(&message));
    }
    let queues = super::build(std::slice::from_ref(&args.queue), &file.queues)?;
    super::warn_limited_twice(&file.scenario, &queues);
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
    let options = Options {
        seeds: &seeds,
        short: args.short,
        jobs: 0,
        stop: &stop,
        store: &NoStore,
        progress: &|_| (),
    };
    let (result, documents) = compare_kept(&whole, &queues, &options, target.as_ref().map(Target::plan))?;
    if let Some(target) = target {
        target.write(&documents)?;
    }
    match args.form.get() {
        Format::Json => {
            let data = result.data(output::BUILD);
            output::print(&(serde_json::to_string_pretty(&data).context("results as JSON")? + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        Format::Csv => {
            output::print_csv(&frame(&result))?;
            return Ok(ExitCode::SUCCESS);
        }
        Format::Table | Format::Parquet => {}
    }
    let style = output::stdout_style();
    let (of, table) = match seeds.as_slice() {
        [one] => (format!("seed {one}"), table::run(&result.queues[0], style)),
        all => (count(all.len(), "seed"), table::comparison(&result, style)),
    };
    let mut text = format!("{} under {}, {of}\n\n{table}", result.scenario, args.queue.label);
    text.push_str(&output::reasons(&result, args.reasons.get(output::to_terminal()), style));
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
