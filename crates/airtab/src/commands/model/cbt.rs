// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt`: what Class-Based Thresholds give classes, and what its study sets beside it.
//!
//! One file for each subject: what it takes comes from `args`, classes with their rates from `classes`, and a `Sheet` makes
//! text, JSON and a figure of its rows.
//!
//! What it does not do: no formula is here (`airtab_model::cbt`).

pub mod args;
mod borrow;
mod burst;
mod captured;
mod classes;
mod frames;
mod fred;
mod latency;
mod plan;
mod rate;
mod red;
mod shares;
mod tc;
mod thresholds;
mod values;
mod verify;

use std::process::ExitCode;

use args::CbtCommand;

use super::args::Form;
use super::sheet::{self, Drawn, Sheet};

/// Works out one subject and shows it.
pub fn cbt(args: &args::Cbt) -> anyhow::Result<ExitCode> {
    match &args.command {
        CbtCommand::Thresholds(args) => thresholds::thresholds(args),
        CbtCommand::Shares(args) => shares::shares(args),
        CbtCommand::Borrow(args) => borrow::borrow(args),
        CbtCommand::Latency(args) => latency::latency(args),
        CbtCommand::Burst(args) => burst::burst(args),
        CbtCommand::Red(args) => red::red(args),
        CbtCommand::Fred(args) => fred::fred(args),
        CbtCommand::Frames(args) => frames::frames(args),
        CbtCommand::Rate(args) => rate::rate(args),
        CbtCommand::Plan(args) => plan::plan(args),
    }
}

/// Shows a sheet that is drawn as lines.
fn show(made: Result<Sheet, String>, form: &Form, drawn: &Drawn) -> anyhow::Result<ExitCode> {
    super::show("cbt", made, form, drawn)
}
