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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use crate::args::Args;

    /// The kind of error for arguments of `airtab`. The command is built once.
    fn refusals() -> impl FnMut(&str) -> Option<ErrorKind> {
        let mut command = Args::command();
        move |words| {
            let words = format!("airtab {words}");
            command.try_get_matches_from_mut(words.split(' ')).err().map(|e| e.kind())
        }
    }

    /// The first and the last value that an option takes, and one beside each.
    #[test]
    fn options_end_at_their_limits() {
        let mut refused = refusals();
        for (words, option, (low, high)) in [
            ("model chap burst", "flows", (1, 100)),
            ("model chap increment", "bursts", (1, 65_535)),
            ("model chap delay --engine", "seeds", (1, 10_000)),
            ("model bianchi", "stations", (1, 1_000)),
            ("model bianchi", "frames", (1, 256)),
            ("model blockack", "window", (1, 256)),
            ("model blockack", "frames", (1, 256)),
            ("model blockack", "attempts", (1, 250)),
            ("model blockack", "mcs", (0, 11)),
            ("model blockack", "streams", (1, 8)),
            ("model blockack", "width", (20, 160)),
            ("model blockack", "gi", (400, 3_200)),
            ("model size sqrt", "flows", (1, 1_000_000)),
            ("model size tiny", "window", (1, 1_000_000)),
            ("model size alt", "steps", (1, 10_000)),
            ("model wqm", "frames", (1, 1_024)),
            ("model wqm", "cap", (1, 64)),
            ("model wqm", "queue", (0, 1_000_000)),
            ("model wqm", "ticks", (0, 10_000)),
            ("model wqm", "least", (1, 1_000_000)),
            ("model wqm", "most", (1, 1_000_000)),
            ("model wqm", "first", (1, 1_000_000)),
            ("model wqm", "confirm", (1, 1_000)),
            ("model dnb --rates=11", "buffer", (1, 1_000_000)),
            ("model dnb --rates=11", "least", (1, 1_024)),
            ("model cbt burst", "guard", (0, 10_000)),
            ("model cbt burst", "limit", (1, 1_000_000)),
            ("model cbt red", "count", (0, 1_000_000_000)),
            ("model cbt red", "limit", (1, 1_000_000)),
            ("model cbt rate", "browsers", (0, 10_000_000)),
            ("tcp trace", "flows", (1, 16)),
            ("airtime std-11n", "frames", (1, 65_535)),
            ("airtime std-11n", "bytes", (1, 2_296)),
            ("airtime std-11n", "mcs", (0, 255)),
            ("airtime std-11n", "ru", (1, 65_535)),
            ("sweep x", "first", (2, 100_000)),
            ("sweep x", "most", (2, 100_000)),
            ("sweep x", "jobs", (1, 1_024)),
            ("experiment run x", "jobs", (1, 1_024)),
            ("experiment run x", "seeds", (1, 100_000)),
        ] {
            let mut of = |value: i64| refused(&format!("{words} --{option}={value}"));
            assert_eq!((of(low), of(high)), (None, None), "{words} --{option}");
            let wrong = Some(ErrorKind::ValueValidation);
            assert_eq!((of(low - 1), of(high + 1)), (wrong, wrong), "{words} --{option}");
        }
        for (duration, wrong) in [("3s", true), ("4s", false), ("86400s", false), ("86401s", true)] {
            assert_eq!(refused(&format!("tcp trace --duration={duration}")).is_some(), wrong, "{duration}");
        }
    }

    /// Options that exclude or need each other.
    #[test]
    fn options_that_do_not_go_together_are_refused() {
        let mut refused = refusals();
        let (both, alone) = (Some(ErrorKind::ArgumentConflict), Some(ErrorKind::MissingRequiredArgument));
        for (words, kind) in [
            ("model wqm --frames=3 --phy=std-11n", both),
            ("model wqm --frames=3 --cap=9", both),
            ("model wqm --phy=std-11n --cap=9", None),
            ("model chap delay --service=1ms", alone),
            ("model chap delay --duration=1s", alone),
            ("model chap delay --seeds=3", alone),
            ("model chap delay --engine --service=1ms --duration=1s --seeds=3", None),
            ("model cbt thresholds --mix=ramp --class=a=2Mb/s", both),
            ("model cbt shares --threshold=a=3 --mix=ramp", both),
            ("model cbt shares --threshold=a=3 --class=a=2Mb/s", both),
            ("model cbt plan --link=1Mb/s --latency=1ms --class=a=rest --wire=none", alone),
            ("model cbt plan --link=1Mb/s --latency=1ms --class=a=rest --wire=none --from=x", None),
            ("model cbt plan --link=1Mb/s --latency=1ms", alone),
            ("sweep x --shard=1/2", alone),
            ("sweep x --shard=1/2 --out=d", None),
            ("sweep x --shard=1/2 --out=d --no-cache", both),
            ("sweep x --shard=1/2 --out=d --budget=1s", None),
            ("sweep x --merge d --shard=1/2 --out=d", both),
            ("sweep x --merge d --no-cache", both),
            ("sweep x --merge d --budget=1s", both),
            ("sweep x --merge d e --out=f", None),
            ("sweep x --cluster=local --shard=1/2 --out=d", both),
            ("sweep x --cluster=local --merge d", both),
            ("sweep x --cluster=local --budget=1s", both),
            ("sweep x --cluster=local --no-cache", None),
            ("experiment run", alone),
            ("experiment run --all", None),
            ("experiment run --stale", None),
            ("experiment run --all x", both),
            ("experiment run --stale x", None),
            ("experiment run --stale --all", both),
            ("experiment run --stale --quick", both),
            ("experiment run --stale --seeds=3", both),
            ("experiment run --resume --no-cache x", both),
            ("experiment run --quick --seeds=3 --resume x", None),
        ] {
            assert_eq!(refused(words), kind, "{words}");
        }
    }
}

/// Shared by the tests of several models.
#[cfg(test)]
mod given {
    use airtab_lab::draw::{Content, Figure};
    use clap::Parser;

    use super::ModelCommand;
    use crate::args::{Args, Command};

    /// The model that these words behind `airtab model` ask for.
    pub fn command(words: &[&str]) -> ModelCommand {
        let words = [&["airtab", "model"], words].concat();
        match Args::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command {
            Command::Model(args) => args.command,
            _ => panic!("another command"),
        }
    }

    /// Name and points of each line of a panel.
    pub fn lines(figure: &Figure, panel: usize) -> Vec<(String, Vec<(f64, f64)>)> {
        let Content::Plot(plot) = &figure.panels()[panel].content else { panic!("it is a plot") };
        let points =
            |line: &airtab_lab::draw::Line| line.points.iter().flatten().map(|p| (p.x, p.y)).collect();
        plot.lines.iter().map(|line| (line.name.clone(), points(line))).collect()
    }
}
