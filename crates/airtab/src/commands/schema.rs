// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab schema`: what files may hold, as JSON Schema.
//!
//! What it does not do: no key is known here (`airtab_lab::catalogue`).

use std::process::ExitCode;

use airtab_lab::catalogue;
use anyhow::Context;
use clap::{Parser, ValueEnum};

use crate::output;

/// Print what a scenario, an experiment, a sweep or results may hold, as JSON Schema (draft 2020-12)
///
/// For editors, which then know keys and words, and for other programs. What depends on other values, such as a station's
/// name, only `airtab scenario check` tells.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab schema scenario > scenario.schema.json      and in the first line of a scenario:
                                                     #:schema ./scenario.schema.json
  airtab schema results                              the form of compare --json and of results.json
  airtab schema sweep-results                        the same of a sweep")]
pub struct Schema {
    /// Of what
    #[arg(value_enum, value_name = "WHAT")]
    what: What,
}

/// A form that has a schema.
#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Scenario files.
    Scenario,
    /// Files of experiments.
    Experiment,
    /// Files of sweeps.
    Sweep,
    /// What `compare --json` prints.
    Results,
    /// What `sweep --json` prints, and, without points, its manifest.json.
    SweepResults,
}

/// Prints it.
pub fn schema(args: &Schema) -> anyhow::Result<ExitCode> {
    let name = args.what.to_possible_value().expect("none is skipped");
    let schema = catalogue::schema(name.get_name()).expect("each has one");
    output::print(&(serde_json::to_string_pretty(&schema).context("a schema as JSON")? + "\n"))?;
    Ok(ExitCode::SUCCESS)
}
