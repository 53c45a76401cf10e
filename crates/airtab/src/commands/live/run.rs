// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab live run`.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use airtab_lab::flent::{Document, Origin};
use airtab_lab::{Build, Comparison, SCHEMA, comparison, frame, table};
use airtab_live::trial::{self, Slippage, Trial};
use airtab_live::{AppReport, Change, House, blame, running};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::args::RunHouse;
use super::exporter;
use crate::args::{BUSY, Why};
use crate::commands::flent::Target;
use crate::commands::progress::INTERRUPTED;
use crate::commands::reading::is_piped;
use crate::commands::{experiment, refused};
use crate::form::Format;
use crate::{output, stop};

/// What `--json` prints.
#[derive(Serialize)]
struct Results<'a> {
    schema: u32,
    #[serde(flatten)]
    build: Build<'a>,
    comparison: &'a Comparison,
    runs: Vec<RunResult<'a>>,
}

#[derive(Serialize)]
struct RunResult<'a> {
    queue: &'a str,
    applications: &'a [AppReport],
    slippage: Slippage,
    changes: &'a [Change],
}

pub fn run(args: &RunHouse) -> anyhow::Result<ExitCode> {
    let named = crate::commands::shipped(&args.house).is_some();
    if !named && !is_piped(&args.house) && args.house.extension().is_none_or(|ending| ending != "toml") {
        if args.flent.is_some() {
            return Ok(refused("--flent: not of an experiment, whose runs are many: name a house file"));
        }
        if args.short {
            return Ok(refused(
                "--short: not of an experiment, whose times are its own: --quick takes fewer points and seeds",
            ));
        }
        return experiment::run_live(&args.house.to_string_lossy(), args.quick, args.form);
    }
    if args.quick {
        output::warn(
            "--quick of a house is now --short (all times of the schedule / 10); the old name goes with the \
             next version",
        );
    }
    let short = args.short || args.quick;
    if args.form.get() == Format::Parquet {
        return Ok(refused("--format parquet: not of a house, which writes no files: table, csv or json"));
    }
    let mut file = crate::commands::load(&args.house)?;
    if short {
        file.scenario = airtab_scenario::short(&file.scenario);
    }
    let queues = crate::commands::build(&args.queues, &file.queues)?;
    let scenario = file.scenario.clone();
    let target = match &args.flent {
        Some(path) => {
            let labels: Vec<&str> = args.queues.iter().map(|q| q.label.as_str()).collect();
            match Target::begin(path, &scenario, &labels, labels.len() > 1) {
                Ok(target) => Some(target),
                Err(message) => return Ok(refused(&message)),
            }
        }
        None => None,
    };
    if let Some(target) = &target {
        file.scenario = target.plan().scenario().clone();
    }
    let house = House::new(file)?;
    running::check_root()?;
    let exporter = exporter(args.metrics_port)?;
    let stop = stop::flag(false)?;
    let mut trials: Vec<Trial> = Vec::new();
    let mut documents: Vec<Document> = Vec::new();
    for queue in args.queues.iter() {
        let seconds = house.file.scenario.duration_ns / 1_000_000_000;
        let bar = bar(&queue.label, seconds);
        let trial = trial::run(
            house.clone(),
            queue,
            args.seed,
            &stop,
            &mut |snapshot| {
                bar.set_position(snapshot.now_s as u64);
                bar.set_message(blame(snapshot).text);
                if let Some(exporter) = &exporter {
                    exporter.publish(snapshot.clone());
                }
            },
            &mut |text| bar.suspend(|| output::note(text)),
        );
        bar.finish_and_clear();
        match trial? {
            Some(trial) => {
                documents.extend(target.as_ref().map(|target| {
                    let note = format!("airtab in real time, seed {}", args.seed);
                    let title = format!("{}, live", queue.label);
                    let origin = Origin { title: &title, note: &note, start_unix_ns: trial.start_unix_ns };
                    target.plan().document(&trial.trace, &origin)
                }));
                trials.push(trial);
            }
            None if stop.load(Ordering::Relaxed) => {
                output::tell("stopped; the house is down");
                return Ok(ExitCode::from(INTERRUPTED));
            }
            None => anyhow::bail!("the house was taken down before its end"),
        }
    }
    if let Some(target) = target {
        target.write(&documents)?;
    }
    let measured = trials.iter().map(|t| t.measured(&scenario)).collect();
    let comparison = comparison(&scenario, &queues, &[args.seed], short, measured);
    let labels = args.queues.iter().map(|q| q.label.as_str());
    let json = || -> serde_json::Result<String> {
        let runs = labels.zip(&trials);
        let runs = runs.map(|(queue, t)| RunResult {
            queue,
            applications: &t.reports,
            slippage: t.slippage,
            changes: &t.changes,
        });
        let (schema, build) = (SCHEMA, output::BUILD);
        let results = Results { schema, build, comparison: &comparison, runs: runs.collect() };
        Ok(serde_json::to_string_pretty(&results)? + "\n")
    };
    match args.form.get() {
        Format::Json => output::print(&json()?)?,
        Format::Csv => output::print_csv(&frame(&comparison))?,
        _ => output::print(&report(&comparison, args.reasons.get(output::to_terminal())))?,
    }
    for (queue, trial) in args.queues.iter().zip(&trials) {
        output::note(&pace(&queue.label, &trial.slippage));
        if !trial.slippage.is_fine() {
            output::warn(&busy(&trial.slippage));
        }
        for change in &trial.changes {
            output::warn(&format!(
                "after {:.1} s {}: the figures under {} mix before and after",
                change.at_ns as f64 * 1e-9,
                change.what,
                queue.label
            ));
        }
    }
    let runs: Vec<_> =
        trials.iter().map(|trial| (!trial.changes.is_empty(), trial.slippage.is_fine())).collect();
    Ok(ExitCode::from(code(&runs)))
}

/// The exit code of runs, each `(changed by another command, kept to the wall clock)`.
fn code(runs: &[(bool, bool)]) -> u8 {
    match runs {
        _ if runs.iter().any(|(changed, _)| *changed) => 1,
        _ if runs.iter().any(|(_, fine)| !fine) => BUSY,
        _ => 0,
    }
}

fn report(c: &Comparison, why: Why) -> String {
    let style = output::stdout_style();
    let mut text = format!("{}: {} s in real time\n\n", c.scenario, c.duration_ns as f64 / 1e9);
    match c.queues.as_slice() {
        [one] => text.push_str(&table::run(one, style)),
        _ => text.push_str(&table::comparison(c, style)),
    }
    text + &output::reasons(c, why, style)
}

/// Whether the run can be believed.
fn pace(queue: &str, s: &Slippage) -> String {
    format!(
        "{queue}: packets handed over at most {:.2} ms late (p99 of the worst second {:.2} ms), {:.0} % of a processor",
        1e3 * s.late_max_s,
        1e3 * s.late_p99_s,
        100.0 * s.cpu_ratio
    )
}

/// Why it cannot.
fn busy(s: &Slippage) -> String {
    format!(
        "{:.2} % of packets were more than 2 ms late, or lost unread: this machine was too busy, \
         and delays above are partly its own. Run it again with less going on.",
        100.0 * s.behind_ratio
    )
}

/// A bar in seconds on a terminal, one plain line otherwise.
pub fn bar(queue: &str, seconds: u64) -> ProgressBar {
    if output::is_quiet() || !std::io::stderr().is_terminal() {
        output::note(&format!("{queue}: {seconds} s in real time ..."));
        return ProgressBar::hidden();
    }
    let form = "{prefix} {bar:20} {pos} of {len} s  {wide_msg}";
    ProgressBar::new(seconds)
        .with_prefix(queue.to_owned())
        .with_style(ProgressStyle::with_template(form).expect("the template is right"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A changed run goes before a busy machine, whichever comes first.
    #[test]
    fn the_exit_code_is_of_all_runs() {
        for (runs, expected) in [
            (&[(false, true)][..], 0),
            (&[(false, false)], BUSY),
            (&[(true, true)], 1),
            (&[(true, false)], 1),
            (&[(false, true), (false, false)], BUSY),
            (&[(false, false), (false, true)], BUSY),
            (&[(false, false), (true, true)], 1),
            (&[(true, true), (false, false)], 1),
            (&[(false, true), (false, true)], 0),
        ] {
            assert_eq!(code(runs), expected, "{runs:?}");
        }
    }

    /// Words for one discipline, or a comparison of several; sentences only where they are wanted.
    #[test]
    fn a_report_has_the_form_of_a_simulation() {
        let file = crate::commands::load(std::path::Path::new("game-call-download")).expect("it is brought");
        let scenario = airtab_scenario::short(&file.scenario);
        let queue = |label: &str| {
            let spec: airtab_scenario::QueueSpec = label.parse().expect("a discipline");
            (label.to_string(), spec.build(&file.queues).expect("right"))
        };
        let stop = std::sync::atomic::AtomicBool::new(false);
        let compared = |labels: &[&str]| {
            let options = airtab_lab::Options {
                seeds: &[1],
                short: false,
                jobs: 1,
                stop: &stop,
                store: &airtab_lab::store::NoStore,
                progress: &|_| (),
            };
            let queues: Vec<_> = labels.iter().map(|label| queue(label)).collect();
            airtab_lab::compare(&scenario, &queues, &options).expect("it runs")
        };
        let style = output::stdout_style();
        let seconds = scenario.duration_ns as f64 / 1e9;
        for labels in [&["fifo"][..], &["fifo", "chap"]] {
            let c = compared(labels);
            let head = format!("{}: {seconds} s in real time\n\n", scenario.name);
            let table = match labels.len() {
                1 => table::run(&c.queues[0], style),
                _ => table::comparison(&c, style),
            };
            assert_eq!(report(&c, Why::None), head + &table);
            let full = report(&c, Why::Full);
            let (_, why) = full.split_once("\nWhy\n").expect("reasons");
            let sentences = why.lines().filter(|line| !line.starts_with("    ")).count();
            assert_eq!(sentences, airtab_lab::why(&c).len());
        }
    }

    #[test]
    fn each_figure_of_the_pace_is_told_in_its_unit() {
        let slippage =
            Slippage { late_p99_s: 0.00125, late_max_s: 0.0175, behind_ratio: 0.0345, cpu_ratio: 0.268 };
        assert_eq!(
            pace("chap", &slippage),
            "chap: packets handed over at most 17.50 ms late (p99 of the worst second 1.25 ms), 27 % of a processor"
        );
        assert!(
            busy(&slippage).starts_with("3.45 % of packets were more than 2 ms late"),
            "{}",
            busy(&slippage)
        );
    }
}
