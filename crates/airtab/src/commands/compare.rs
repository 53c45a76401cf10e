// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab compare`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use airtab_lab::table::{self, Style};
use airtab_lab::{Comparison, Options, compare_kept, count, frame, headline};
use airtab_scenario::short;
use anyhow::Context;

use super::flent::Target;
use super::kept::Kept;
use super::progress::{INTERRUPTED, progress_bar, stop_on_interrupt};
use super::study::{self, Job};
use crate::args::{Compare, USAGE, Why};
use crate::files::Files;
use crate::form::Format;
use crate::output;

/// Runs everything, prints the table and the reasons, and writes the files.
pub fn compare(args: &Compare) -> anyhow::Result<ExitCode> {
    let file = super::load_set(args.scenario.as_deref(), &args.set)?;
    let labels: Vec<&String> = args.queues.iter().map(|q| &q.label).collect();
    if let Some(label) = super::twice(&labels) {
        output::error(&format!("--queues names {label} twice"));
        return Ok(ExitCode::from(USAGE));
    }
    let form = args.form.get();
    if form == Format::Parquet && args.out.is_none() {
        return Ok(super::refused("--format parquet: name a directory for the file with --out"));
    }
    if args.pcap.is_some() && file.scenario.medium.cell().is_none() {
        output::error(match file.scenario.medium.wire() {
            None => {
                "--pcap: this scenario's medium is the emulator, which puts no frame on the air: \
                     leave --pcap out, or the file's medium"
            }
            Some(_) => {
                "--pcap: this scenario is a dumbbell, which puts no frame on the air: leave --pcap out"
            }
        });
        return Ok(ExitCode::from(USAGE));
    }
    if let Some(message) = super::unread(&args.set, &args.queues) {
        return Ok(super::refused(&message));
    }
    let queues = super::build(&args.queues, &file.queues)?;
    super::warn_limited_twice(&file.scenario, &queues);
    let target = match &args.flent {
        Some(path) => {
            let run = if args.short { short(&file.scenario) } else { file.scenario.clone() };
            let labels: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
            match Target::begin(path, &run, &labels, true) {
                Ok(target) => Some(target),
                Err(message) => return Ok(super::refused(&message)),
            }
        }
        None => None,
    };
    let plan = target.as_ref().map(Target::plan);
    let files = args.out.as_deref().map(Files::new).transpose()?;
    let seeds = &args.seeds.all;
    let stop = stop_on_interrupt()?;
    let kept = if args.no_cache { Kept::default() } else { Kept::open() };
    let bar = progress_bar(queues.len() * seeds.len());
    let known = AtomicUsize::new(0);
    let options = Options {
        seeds,
        short: args.short,
        jobs: args.jobs.map_or(0, usize::from),
        stop: &stop,
        store: kept.store(),
        progress: &|step| {
            bar.set_position(step.done as u64);
            known.fetch_add(usize::from(step.stored), Ordering::Relaxed);
            let how = if step.stored { "known from before" } else { "made" };
            bar.suspend(|| {
                output::detail(&format!("{}, seed {}: {how}", queues[step.job.queue].0, step.job.seed))
            });
            kept.look(&bar);
        },
    };
    let start = Instant::now();
    let folder = args.scenario.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let mut job = files
        .map(|files| Job::new((study::command(args), args.pcap), (&file, folder), &queues, files))
        .transpose()?;
    let compared = match &mut job {
        Some(job) => job.run(&options, plan),
        None => compare_kept(&file.scenario, &queues, &options, plan),
    };
    let (comparison, documents) = match compared {
        Ok(compared) => compared,
        Err(stopped) => {
            bar.finish_and_clear();
            output::tell(&format!("{stopped}; nothing was written; {}", kept.goes_on()));
            return Ok(ExitCode::from(INTERRUPTED));
        }
    };
    let took = start.elapsed().as_secs_f64();
    bar.finish_and_clear();

    let json =
        serde_json::to_string_pretty(&comparison.data(output::BUILD)).context("results as JSON")? + "\n";
    let text = || report(&comparison, args.reasons.get(false), output::file_style());
    let written = job.map(|job| job.write(&comparison, (&json, &text(), form == Format::Csv)));
    let printed = match form {
        Format::Json => output::print(&json),
        Format::Csv => output::print_csv(&frame(&comparison)),
        Format::Parquet => Ok(()),
        Format::Table => output::print(&report(
            &comparison,
            args.reasons.get(output::to_terminal()),
            output::stdout_style(),
        )),
    };
    if let (Some(reason), true) = (&comparison.no_difference, form != Format::Table) {
        output::warn(reason);
    }
    let runs = queues.len() * seeds.len();
    output::note(&summary(runs, comparison.duration_ns, known.into_inner(), took));
    if let (Some(names), Some(dir)) = (written.transpose()?, &args.out) {
        output::note(&study::summary(&names, dir, args.pcap));
    }
    if let Some(target) = target {
        target.write(&documents)?;
    }
    printed?;
    Ok(ExitCode::SUCCESS)
}

/// What is printed, and `report.txt`.
pub fn report(c: &Comparison, why: Why, style: Style) -> String {
    let s = |ns: u64| ns as f64 / 1e9;
    let [from, until] = c.measure_ns;
    let mut text = format!(
        "{}: {} s simulated, measured from {} s to {} s\n\n",
        c.scenario,
        s(c.duration_ns),
        s(from),
        s(until)
    );
    // Of one seed the table says all that there is to say, but that no discipline can differ.
    let result = if c.seeds.len() > 1 || c.no_difference.is_some() { headline(c) } else { String::new() };
    if c.queues.len() > 1 && !result.is_empty() {
        text.push_str(&format!("{}\n\n", output::wrap(&result, style.width)));
    }
    text.push_str(&table::comparison(c, style));
    text + &output::reasons(c, why, style)
}

/// Number and length of the runs, and how many of them were stored.
fn summary(runs: usize, duration_ns: u64, known: usize, took: f64) -> String {
    let each = duration_ns as f64 / 1e9;
    let how = match known {
        0 => format!("{:.0} simulated seconds a second", runs as f64 * each / took.max(1e-9)),
        _ => format!("{known} of them {} known from before", if known == 1 { "is" } else { "are" }),
    };
    format!("\n{} of {each} s in {took:.1} s: {how}.", count(runs, "run"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_runs_and_simulated_time() {
        let two_minutes = 120_000_000_000;
        for (runs, known, took, said) in [
            (8, 0, 4.0, "8 runs of 120 s in 4.0 s: 240 simulated seconds a second."),
            (1, 0, 0.5, "1 run of 120 s in 0.5 s: 240 simulated seconds a second."),
            (8, 1, 4.0, "8 runs of 120 s in 4.0 s: 1 of them is known from before."),
            (8, 3, 0.0, "8 runs of 120 s in 0.0 s: 3 of them are known from before."),
        ] {
            assert_eq!(summary(runs, two_minutes, known, took), format!("\n{said}"));
        }
    }
}
