// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model`: what the literature's formulas say, and the core's disciplines beside them.
//!
//! One file for each model. Formulas are `airtab-model`'s, the queue that runs a discipline is
//! `airtab-sim`'s; here are tables, JSON and figures.

mod anomaly;
pub mod args;
mod bianchi;
mod blockack;
mod burst;
mod cbt;
mod columns;
mod contention;
mod credits;
mod delay;
mod exchange;
mod increment;
mod sheet;
mod sizing;

use std::process::ExitCode;

use args::{ChapCommand, Form, Model, ModelCommand};
use serde_json::Value;
use sheet::{Drawn, Sheet};

use crate::args::USAGE;
use crate::output;

/// Computes one model and shows it.
pub fn model(args: &Model) -> anyhow::Result<ExitCode> {
    match &args.command {
        ModelCommand::Chap(chap) => match &chap.command {
            ChapCommand::Credits(args) => credits::credits(args),
            ChapCommand::Delay(args) => delay::delay(args),
            ChapCommand::Burst(args) => burst::burst(args),
            ChapCommand::Increment(args) => increment::increment(args),
        },
        ModelCommand::Bianchi(args) => bianchi::bianchi(args),
        ModelCommand::Blockack(args) => blockack::blockack(args),
        ModelCommand::Anomaly(args) => anomaly::anomaly(args),
        ModelCommand::Contention(args) => contention::contention(&args.asked),
        ModelCommand::Cbt(args) => cbt::cbt(args),
        ModelCommand::Size(args) => sizing::size(args),
        ModelCommand::Wqm(args) => sizing::wqm(args),
        ModelCommand::Dnb(args) => sizing::dnb(args),
    }
}

/// What a model came to.
struct Answer {
    text: String,
    json: Value,
}

impl Answer {
    fn print(mut self, json: bool) -> anyhow::Result<ExitCode> {
        self.json["schema"] = 1.into();
        output::print(&if json { format!("{:#}\n", self.json) } else { self.text })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Shows a sheet of a model that is drawn as lines.
fn show(model: &str, made: Result<Sheet, String>, form: &Form, drawn: &Drawn) -> anyhow::Result<ExitCode> {
    let sheet = match made {
        Ok(sheet) => sheet,
        Err(message) => return wrong_usage(message),
    };
    if let Some(path) = &form.out {
        match sheet.figure(drawn) {
            Ok(figure) => output::Drawing::open(path)?.write(&figure)?,
            Err(message) => return wrong_usage(message),
        }
    }
    Answer { text: sheet.text(output::stdout_style()), json: sheet.json(model) }.print(form.printed.is_json())
}

/// Options that are fine one by one but not together.
fn wrong_usage(message: impl std::fmt::Display) -> anyhow::Result<ExitCode> {
    output::error(&message.to_string());
    Ok(ExitCode::from(USAGE))
}

/// Nanoseconds as milliseconds.
fn ms(ns: f64) -> String {
    format!("{:.2}", ns / 1e6)
}
