// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab schema`: what files may hold, as JSON Schema.
//!
//! What it does not do: schemas come from the readers (`airtab_scenario::schema`) and from the data itself
//! (`airtab_lab::results_schema`); no key is known here.

use std::process::ExitCode;

use airtab_lab::{experiment, results_schema};
use airtab_scenario::schema;
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
  airtab schema results                              the form of compare --json and of results.json")]
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
}

/// Prints it.
pub fn schema(args: &Schema) -> anyhow::Result<ExitCode> {
    let schema = match args.what {
        What::Scenario => schema::scenario(),
        What::Experiment => experiment::schema(),
        What::Sweep => experiment::sweep_schema(),
        What::Results => results_schema(),
    };
    output::print(&(serde_json::to_string_pretty(&schema).context("a schema as JSON")? + "\n"))?;
    Ok(ExitCode::SUCCESS)
}
