// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab experiment`.

pub mod args;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use airtab_lab::experiment::record::RESULTS;
use airtab_lab::experiment::scoreboard::{self, Page};
use airtab_lab::experiment::{
    self, Done, Experiment, FindError, LiveHost, Outcome, RunError, RunOptions, figures, page, text,
};
use airtab_lab::experiment::{Record, Records, Standing, State, Verdict, judge};
use airtab_lab::frame::{Parquet, Rows};
use airtab_lab::{SCHEMA, catalogue, count, quoted};
use anyhow::Context;
use arrow_array::RecordBatch;
use glob::Pattern;
use indicatif::{HumanDuration, ProgressBar};
use serde_json::json;

use self::args::{EXPERIMENTS, ExperimentCommand, RunExperiments};
use super::Found;
use super::kept::Kept;
use super::progress::{INTERRUPTED, progress_bar, stop_on_interrupt};
use super::reading::is_piped;
use crate::args::USAGE;
use crate::files::{Files, PAGE};
use crate::form::Format;
use crate::inputs::Inputs;
use crate::output;

/// Lists, shows or runs experiments.
pub fn experiment(args: &args::Experiment) -> anyhow::Result<ExitCode> {
    match &args.command {
        ExperimentCommand::List { form } => list(form.is_json()),
        ExperimentCommand::Show { experiment, toml, form } => show(experiment, *toml, form.is_json()),
        ExperimentCommand::Run(args) => run(args),
        ExperimentCommand::Scoreboard { check, dir } => scoreboard(dir, *check),
    }
}

fn list(as_json: bool) -> anyhow::Result<ExitCode> {
    let records = stored().unwrap_or_else(|e| {
        output::warn(&format!("no results are shown: {e}"));
        None
    });
    let all = experiment::all();
    if as_json {
        let mut list = catalogue::experiments();
        for (e, entry) in all.iter().zip(list.as_array_mut().into_iter().flatten()) {
            if let Some(records) = &records {
                entry["result"] = e.standing(records.get(&e.id)).word().into();
            }
        }
        output::print(&(serde_json::to_string_pretty(&list)? + "\n"))?;
    } else {
        output::print(&text::list(&all, records.as_ref(), output::stdout_style()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(name: &str, toml: bool, json: bool) -> anyhow::Result<ExitCode> {
    let Some(experiment) = find(name)? else { return Ok(ExitCode::from(USAGE)) };
    output::print(&match (toml, json) {
        (true, _) => experiment.portable_toml(),
        (_, true) => format!("{:#}\n", catalogue::experiment(&experiment)),
        _ => text::show(&experiment, output::stdout_style()),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The experiment of an id, a file or a pipe; None if no experiment has that name, which has been said then.
fn find(name: &str) -> anyhow::Result<Option<Experiment>> {
    if is_piped(Path::new(name)) {
        let Found { name, text, .. } = Found::piped(Path::new(name), "an experiment")?;
        return Ok(Some(Experiment::of_text(Path::new(&name), &text)?));
    }
    match experiment::find(name) {
        Ok(experiment) => Ok(Some(experiment)),
        Err(FindError::Unknown(message)) => {
            output::error(&message);
            Ok(None)
        }
        Err(e) => Err(e.into()),
    }
}

/// Whether the command runs in the root of a checkout.
fn in_checkout() -> bool {
    Path::new(EXPERIMENTS).join(RESULTS).is_dir()
}

/// Results of the checkout in whose root the command runs; None outside of one.
fn stored() -> anyhow::Result<Option<Records>> {
    if !in_checkout() {
        return Ok(None);
    }
    Ok(Some(experiment::read_records(Path::new(EXPERIMENTS))?))
}

/// Reason why this program does not store or score results here; None if its experiments are those of the directory.
fn outdated(experiments: &Path) -> Option<String> {
    let path = experiment::differing(experiments)?;
    Some(format!("{} is not as airtab was built with: build it again (make build)", path.display()))
}

/// Stores the result of a full run of one of the repository's experiments, in a checkout.
fn store(e: &Experiment, outcome: &Outcome, verdicts: &[Verdict]) -> anyhow::Result<()> {
    let record = Record::new(e, outcome, verdicts, env!("AIRTAB_GIT"), &today());
    let path = Path::new(EXPERIMENTS).join(experiment::record_path(&e.id));
    let (folder, name) = (path.parent().expect("a family"), path.file_name().expect("a name"));
    let mut files = Files::new(folder)?;
    files.add(name, |out| out.write_all(record.json().as_bytes()))?;
    files.finish()?;
    output::note(&format!("Stored {}.", path.display()));
    Ok(())
}

/// The one of that name, all of a family, or all that a pattern fits; None as [`find`].
fn of_name(name: &str) -> anyhow::Result<Option<Vec<Experiment>>> {
    if name.contains(['*', '?', '[']) && !name.ends_with(".toml") {
        return of_pattern(name);
    }
    let within = |e: &Experiment| e.id.split_once('/').is_some_and(|(family, _)| family == name);
    let family: Vec<_> = experiment::all().into_iter().filter(within).collect();
    match family.is_empty() {
        true => Ok(find(name)?.map(|one| vec![one])),
        false => Ok(Some(family)),
    }
}

/// All of the repository's that a pattern fits; those in real time only where it begins with `live/`.
fn of_pattern(name: &str) -> anyhow::Result<Option<Vec<Experiment>>> {
    let pattern = match Pattern::new(name) {
        Ok(pattern) => pattern,
        Err(e) => {
            output::error(&format!("'{name}' is no pattern such as 'chap/dapp-*': {e}"));
            return Ok(None);
        }
    };
    // Whoever writes `*` does not ask for root and real time.
    let named = |e: &Experiment| !e.live || name.starts_with("live/");
    let fits: Vec<_> = experiment::all().into_iter().filter(|e| pattern.matches(&e.id) && named(e)).collect();
    if fits.is_empty() {
        output::error(&format!("no experiment fits '{name}'; airtab experiment list has them all"));
        return Ok(None);
    }
    Ok(Some(fits))
}

/// Those of these names, or all that are simulated; None as [`find`].
fn chosen(names: &[String], all: bool) -> anyhow::Result<Option<Vec<Experiment>>> {
    if all {
        return Ok(Some(experiment::all().into_iter().filter(|e| !e.live).collect()));
    }
    let found: anyhow::Result<Option<Vec<_>>> = names.iter().map(|name| of_name(name)).collect();
    let Some(found) = found? else { return Ok(None) };
    let found = found.concat();
    let named: Vec<String> = found.iter().map(|e| e.named().to_string()).collect();
    if let Some(name) = super::twice(&named) {
        output::error(&format!("{name} is named twice"));
        return Ok(None);
    }
    Ok(Some(found))
}

fn run(args: &RunExperiments) -> anyhow::Result<ExitCode> {
    let all = args.all || args.stale && args.experiments.is_empty();
    let Some(mut experiments) = chosen(&args.experiments, all)? else { return Ok(ExitCode::from(USAGE)) };
    let form = args.form.get();
    if let Some(reason) = unfit(form, args, &experiments) {
        return Ok(super::refused(&reason));
    }
    let own = if full(args) && in_checkout() { ids() } else { Vec::new() };
    if args.stale {
        if let Some(reason) = stale_alone(&mut experiments)? {
            return Ok(super::refused(&reason));
        }
        if experiments.is_empty() {
            output::note("No simulated result is stale.");
            if form == Format::Json {
                output::print("[]\n")?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        output::note(&format!("{} to run.", count(experiments.len(), "experiment")));
        Files::new(&Path::new(EXPERIMENTS).join(RESULTS))?;
    }
    // Whether the files can be written is found out before anything runs.
    if let Some(dir) = &args.out {
        Files::new(dir)?;
    }
    let kept = if args.no_cache { Kept::default() } else { Kept::open() };
    let start = Instant::now();
    let mut done: Vec<Done> = Vec::new();
    let (quick, resume, mut drawn) = (args.quick, args.resume, false);
    let seeds = args.seeds.map(|n| (1..=n).collect::<Vec<u64>>());
    let how = How { quick, seeds: seeds.as_deref(), jobs: args.jobs, kept: &kept, resume };
    let changed = if own.is_empty() { None } else { outdated(Path::new(EXPERIMENTS)) };
    let stopped = run_all(experiments, &how, |e, outcome, verdicts, left| {
        if args.stale {
            store(e, outcome, verdicts)?;
            output::note(&format!("{}: {}{left}", e.id, text::summary(verdicts.iter())));
        }
        match form {
            Format::Table if args.stale => {}
            Format::Table => {
                let style = output::stdout_style();
                output::print(&format!("{}\n", text::result(e, outcome, verdicts, style)))?;
            }
            Format::Csv if args.out.is_none() => output::print_csv(&rows(e, outcome)?)?,
            _ => {}
        }
        if let Some(dir) = &args.out {
            drawn |= write(dir, args, e, outcome, verdicts)?;
        }
        done.push((e.clone(), outcome.clone(), verdicts.to_vec()));
        if !args.stale && own.contains(&e.id) {
            // The verdicts are printed: a result that cannot be stored is a warning.
            let stored =
                changed.clone().map_or_else(|| store(e, outcome, verdicts), |why| Err(anyhow::anyhow!(why)));
            if let Err(why) = stored {
                output::warn(&format!("the result is not stored: {why:#}"));
            }
        }
        Ok(())
    })?;
    if form == Format::Json {
        let all: Vec<_> = done.iter().map(|(e, outcome, verdicts)| data(e, outcome, verdicts)).collect();
        output::print(&(serde_json::to_string_pretty(&all).context("results as JSON")? + "\n"))?;
    }
    let verdicts = done.iter().flat_map(|(.., verdicts)| verdicts);
    if done.len() > 1 && form == Format::Table {
        output::print(&format!("{} experiments: {}.\n", done.len(), text::summary(verdicts.clone())))?;
    }
    output::note(&format!("{:.1} s.", start.elapsed().as_secs_f64()));
    if let (Some(dir), false) = (&args.out, done.is_empty()) {
        list_pages(dir, &done)?;
        let figures = if drawn { ", the figures (.svg, .csv)" } else { "" };
        output::note(&format!(
            "Wrote a page (.html), the data (.json){figures} and the file (.experiment.toml) of each into {0}: open {0}/{PAGE}.",
            dir.display()
        ));
    }
    if let Some(stopped) = stopped {
        return Ok(stopped);
    }
    let red = verdicts.into_iter().any(|v| v.state == State::Red);
    Ok(ExitCode::from(u8::from(red)))
}

/// Keeps those of the repository that are simulated and whose results are stale. Says why there can be none of them.
fn stale_alone(experiments: &mut Vec<Experiment>) -> anyhow::Result<Option<String>> {
    let Some(records) = stored()? else {
        return Ok(Some(format!(
            "--stale: no directory {EXPERIMENTS}/{RESULTS} here: run it in the root of a checkout of airtab"
        )));
    };
    if let Some(reason) = outdated(Path::new(EXPERIMENTS)) {
        return Ok(Some(format!("--stale: {reason}")));
    }
    let ids = ids();
    if let Some(file) = experiments.iter().find(|e| !ids.contains(&e.id)) {
        return Ok(Some(format!(
            "--stale: {} is not an experiment of the repository: leave --stale out",
            file.named()
        )));
    }
    if !experiments.is_empty() && experiments.iter().all(|e| e.live) {
        return Ok(Some("--stale: in real time no result is repeated by itself: leave --stale out".into()));
    }
    experiments.retain(|e| !e.live && e.standing(records.get(&e.id)) != Standing::Current);
    Ok(None)
}

/// True if the runs are all those of the experiments.
fn full(args: &RunExperiments) -> bool {
    !args.quick && args.seeds.is_none()
}

/// Ids of the repository's experiments.
fn ids() -> Vec<String> {
    experiment::all().into_iter().map(|e| e.id).collect()
}

/// Why it cannot come out in that form.
fn unfit(form: Format, args: &RunExperiments, experiments: &[Experiment]) -> Option<String> {
    if args.out.is_none() && form == Format::Parquet {
        return Some("--format parquet: name a directory for the file with --out".into());
    }
    if args.out.is_none() && form == Format::Csv && experiments.len() > 1 {
        return Some(format!(
            "--format csv: {} experiments have columns of their own each: name one, or a directory for a file of each with --out",
            experiments.len()
        ));
    }
    if !matches!(form, Format::Csv | Format::Parquet) {
        return None;
    }
    experiments.iter().find_map(|e| Some(format!("--format: {}: {}", e.id, e.columns().err()?)))
}

/// A row for each figure of each seed.
pub fn rows(e: &Experiment, outcome: &Outcome) -> anyhow::Result<RecordBatch> {
    let columns = e.columns()?;
    let seeds: Vec<u64> = (1..=outcome.seeds).collect();
    let mut rows = Rows::new(&columns, &seeds);
    for point in &outcome.points {
        point.queues.iter().for_each(|q| rows.add(&point.at, q));
    }
    Ok(rows.batch())
}

/// A live experiment, as `airtab live run` takes it.
#[cfg(has_live)]
pub fn run_live(id: &str, quick: bool, form: crate::form::Form) -> anyhow::Result<ExitCode> {
    let Some(found) = find(id)? else { return Ok(ExitCode::from(USAGE)) };
    if !found.live {
        output::error(&format!("{id} is simulated: airtab experiment run {id}"));
        return Ok(ExitCode::from(USAGE));
    }
    run(&RunExperiments { experiments: vec![id.into()], quick, form, ..RunExperiments::default() })
}

/// Generates the pages of the results in `experiments`, or compares them with those that are there.
fn scoreboard(experiments: &Path, check: bool) -> anyhow::Result<ExitCode> {
    let results = experiments.join(RESULTS);
    if !results.is_dir() {
        return Ok(super::refused(&format!(
            "no directory {} here: run it in the root of a checkout of airtab, or name its experiments with --dir",
            results.display()
        )));
    }
    if let Some(reason) = outdated(experiments) {
        return Ok(super::refused(&reason));
    }
    let records = experiment::read_records(experiments)?;
    let pages = scoreboard::pages(&experiment::all(), &records);
    let differs = |page: &&Page| {
        std::fs::read_to_string(experiments.join(&page.path)).ok().as_ref() != Some(&page.text)
    };
    let different: Vec<&Page> = pages.iter().filter(differs).collect();
    if check {
        for page in &different {
            output::error(&format!("{}: differs from the results", experiments.join(&page.path).display()));
        }
        if !different.is_empty() {
            let there = experiments.to_string_lossy();
            let dir = if there == EXPERIMENTS { String::new() } else { format!(" --dir {}", quoted(&there)) };
            output::tell(&format!("`airtab experiment scoreboard{dir}` generates the pages"));
        }
        return Ok(ExitCode::from(u8::from(!different.is_empty())));
    }
    for page in &different {
        let path = experiments.join(&page.path);
        let (folder, name) = (path.parent().expect("the directory"), path.file_name().expect("a name"));
        let mut files = Files::new(folder)?;
        files.add(name, |out| out.write_all(page.text.as_bytes()))?;
        files.finish()?;
    }
    output::note(&format!("Wrote {} of {}.", different.len(), count(pages.len(), "page")));
    Ok(ExitCode::SUCCESS)
}

struct How<'a> {
    quick: bool,
    seeds: Option<&'a [u64]>,
    jobs: Option<u16>,
    kept: &'a Kept,
    resume: bool,
}

impl<'a> How<'a> {
    fn options(
        &self,
        stop: &'a AtomicBool,
        progress: &'a (dyn Fn() + Sync),
        live: Option<&'a dyn LiveHost>,
    ) -> RunOptions<'a> {
        RunOptions {
            quick: self.quick,
            seeds: self.seeds,
            jobs: self.jobs.map_or(0, usize::from),
            progress,
            live,
            resume: self.resume,
            ..RunOptions::new(self.kept.store(), stop)
        }
    }
}

/// Runs one after the other; `each` gets the outcome, the verdicts and, while further runs are to be made, an estimate of
/// their time. Returns an exit code if it was interrupted.
fn run_all(
    experiments: Vec<Experiment>,
    how: &How,
    mut each: impl FnMut(&Experiment, &Outcome, &[Verdict], &str) -> anyhow::Result<()>,
) -> anyhow::Result<Option<ExitCode>> {
    let stop = stop_on_interrupt()?;
    // What is wrong in the last is said before the first is run.
    let quiet = || {};
    let (mut total, mut stored) = (0, 0);
    for e in &experiments {
        let (runs, known) = experiment::jobs(e, &how.options(&stop, &quiet, None))?;
        total += runs;
        stored += known;
    }
    if stored > 0 {
        let are = if total == 1 { "is" } else { "are" };
        output::note(&format!("{stored} of {} {are} known from before.", count(total, "run")));
    }
    // Live runs have a bar each.
    let quiet = total == stored || experiments.iter().any(|e| e.live);
    let bar = if quiet { ProgressBar::hidden() } else { progress_bar(total - stored) };
    let (start, made) = (Instant::now(), AtomicUsize::new(0));
    let progress = || {
        bar.inc(1);
        made.fetch_add(1, Ordering::Relaxed);
        how.kept.look(&bar);
    };
    // Experiments that share runs make each once: there may be fewer to go than that.
    let left = || left(total - stored, made.load(Ordering::Relaxed), start.elapsed().as_secs_f64());
    #[cfg(has_live)]
    let host = &crate::commands::live::Host { stop: &stop };
    #[cfg(has_live)]
    let host: Option<&dyn LiveHost> = Some(host);
    #[cfg(not(has_live))]
    let host: Option<&dyn LiveHost> = None;
    for e in &experiments {
        match experiment::run(e, &how.options(&stop, &progress, host)) {
            Ok(outcome) => {
                bar.suspend(|| each(e, &outcome, &judge(e, &outcome), &left()))?;
            }
            Err(RunError::Stopped(stopped)) => {
                // A bar that stood still would promise an end.
                bar.finish_and_clear();
                let goes_on = match how.kept.keeps() && e.live {
                    true => "what is done is kept: the same command with --resume goes on from here",
                    false => how.kept.goes_on(),
                };
                output::tell(&format!("{}: {stopped}; {goes_on}", e.id));
                return Ok(Some(ExitCode::from(INTERRUPTED)));
            }
            Err(e) => return Err(e.into()),
        }
    }
    bar.finish_and_clear();
    Ok(None)
}

/// The runs of `all` that are left after `made` in `took` seconds, and an estimate of their time.
fn left(all: usize, made: usize, took: f64) -> String {
    let runs = all.saturating_sub(made);
    let seconds = took / made.max(1) as f64 * runs as f64;
    match runs > 0 && made > 0 {
        true => {
            format!(
                "; {}, about {} left",
                count(runs, "run"),
                HumanDuration(Duration::from_secs_f64(seconds))
            )
        }
        false => String::new(),
    }
}

/// The page that leads to those of all that were run.
fn list_pages(dir: &Path, done: &[Done]) -> anyhow::Result<()> {
    let mut files = Files::new(dir)?;
    let page = experiment::index(done, &built());
    if std::fs::read_to_string(dir.join(PAGE)).is_ok_and(|there| !experiment::is_index(&there)) {
        output::warn(&format!("{} is not airtab's, and stays as it is", dir.join(PAGE).display()));
        return Ok(());
    }
    files.add(PAGE, |out| out.write_all(page.as_bytes()))?;
    files.finish()
}

/// The page and the data of one experiment; whether there were figures.
pub fn write(
    dir: &Path,
    args: &RunExperiments,
    e: &Experiment,
    outcome: &Outcome,
    verdicts: &[Verdict],
) -> anyhow::Result<bool> {
    let (folder, name) = e.id.rsplit_once('/').unwrap_or(("", &e.id));
    let folder = dir.join(folder);
    let mut files = Files::new(&folder)?;
    let mut inputs = Inputs::beside(&[format!("{name}."), format!("{name}-")], &folder);
    let text = e.alone(&mut |path, written| inputs.rename(path, written));
    inputs.copy(&mut files)?;
    let root = if e.live { "sudo " } else { "" };
    // One of the repository's is there wherever airtab is.
    let own = format!("{name}.experiment.toml");
    let run = if e.named() == e.id { &e.id } else { &own };
    let mut command = format!("{root}airtab experiment run {}", quoted(run));
    if args.quick {
        command.push_str(" --quick");
    }
    if let Some(seeds) = args.seeds {
        command.push_str(&format!(" --seeds {seeds}"));
    }
    let figures = figures(e, outcome, name);
    let page = page(e, outcome, verdicts, &figures, &command, &built());
    files.add_figures("", &figures)?;
    files.add(format!("{name}.html"), |out| out.write_all(page.as_bytes()))?;
    let data = serde_json::to_string_pretty(&data(e, outcome, verdicts)).context("results as JSON")? + "\n";
    files.add(format!("{name}.json"), |out| out.write_all(data.as_bytes()))?;
    match args.form.get() {
        Format::Csv => {
            let rows = rows(e, outcome)?;
            files.add(format!("{name}.csv"), |out| output::write_csv(&rows, out))?;
        }
        Format::Parquet => {
            let about = [
                ("airtab.schema", SCHEMA.to_string()),
                ("airtab.version", output::BUILD.version.into()),
                ("airtab.git", output::BUILD.git.into()),
                ("airtab.command", command.clone()),
                ("airtab.scenario", e.title.clone()),
            ];
            let rows = rows(e, outcome)?;
            files.add(format!("{name}.parquet"), |out| {
                let mut file = Parquet::new(out, rows.schema(), &about)?;
                file.write(&rows)?;
                file.close().map(drop)
            })?;
        }
        Format::Table | Format::Json => {}
    }
    // Not its own name: that may be the file that was run. Who runs this one keeps it as it is.
    if files.has(&own, Path::new(e.named())) {
        files.finish()?;
        return Ok(!figures.is_empty());
    }
    files.add(&own, |out| out.write_all(text.as_bytes()))?;
    files.finish()?;
    Ok(!figures.is_empty())
}

/// What `--json` has of one.
pub fn data(e: &Experiment, outcome: &Outcome, verdicts: &[Verdict]) -> serde_json::Value {
    let axes = e.axes.iter().map(|axis| {
        let values: Vec<&str> = axis.values.iter().map(|v| v.text.as_str()).collect();
        json!({ "name": axis.name, "label": axis.label, "values": values })
    });
    json!({
        "schema": 1,
        "id": e.id,
        "title": e.title,
        "source": e.source,
        "version": env!("CARGO_PKG_VERSION"),
        "git": env!("AIRTAB_GIT"),
        "axes": axes.collect::<Vec<_>>(),
        "checks": verdicts,
        "outcome": outcome,
    })
}

pub fn built() -> String {
    let git = env!("AIRTAB_GIT");
    format!("{} (commit {})", env!("CARGO_PKG_VERSION"), &git[..git.len().min(12)])
}

/// The date, UTC, `2010-06-01`.
fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86_400)
}

/// From days since 1970-01-01: the calendar counts 400 years of 146,097 days
/// from a March 1st, so that a leap day comes last.
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..10 => (400 * era + year, month + 3),
        _ => (400 * era + year + 1, month - 9),
    };
    format!("{year:04}-{month:02}-{of_month:02}")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn parsed(words: &[&str]) -> RunExperiments {
        match Args::try_parse_from([&["airtab", "experiment", "run"], words].concat())
            .map(|args| args.command)
        {
            Ok(Command::Experiment(args::Experiment { command: ExperimentCommand::Run(args) })) => args,
            Ok(_) => panic!("another command"),
            Err(e) => panic!("{e}"),
        }
    }

    fn nothing() -> Outcome {
        Outcome { quick: false, seeds: 3, runs: 0, points: Vec::new() }
    }

    #[test]
    fn dates() {
        let known =
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_819, "2027-01-01")];
        for (days, text) in known {
            assert_eq!(super::date(days), text);
        }
        // Day by day, by the lengths of months, for 440 years: with 2000 and 2400, and years such as 2100 that do not leap.
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..440 * 365 {
            assert_eq!(super::date(days), format!("{year:04}-{month:02}-{day:02}"));
            let leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + u32::from(leaps),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    /// The time of the runs that are left is that of as many of those that were made.
    #[test]
    fn what_is_left_takes_as_long_as_what_was_made() {
        for (all, made, took, said) in [
            (10, 4, 8.0, "; 6 runs, about 12 seconds left"),
            (3, 2, 120.0, "; 1 run, about 60 seconds left"),
            (12, 2, 60.0, "; 10 runs, about 5 minutes left"),
            (10, 0, 8.0, ""),
            (10, 10, 8.0, ""),
            (10, 11, 8.0, ""),
        ] {
            assert_eq!(left(all, made, took), said, "{made} of {all}");
        }
    }

    #[test]
    fn all_are_those_that_are_simulated() {
        let ids = |found: Vec<Experiment>| found.into_iter().map(|e| e.id).collect::<Vec<String>>();
        let known = experiment::all();
        let simulated: Vec<String> = known.iter().filter(|e| !e.live).map(|e| e.id.clone()).collect();
        assert!(simulated.len() < known.len());
        assert_eq!(chosen(&[], true).expect("read").map(ids), Some(simulated));
    }

    /// A single table needs a single experiment; files are one for each.
    #[test]
    fn rows_of_several_experiments_need_files() {
        let two = ["chap/link", "chap/fair"].map(|id| experiment::find(id).expect("of the repository"));
        for (words, n, said) in [
            (&["--format", "csv"][..], 1, None),
            (
                &["--format", "csv"],
                2,
                Some("--format csv: 2 experiments have columns of their own each: name one"),
            ),
            (&["--format", "csv", "--out", "x"], 2, None),
            (&["--format", "parquet"], 1, Some("--format parquet: name a directory for the file with --out")),
            (&["--format", "parquet", "--out", "x"], 2, None),
            (&["--json"], 2, None),
            (&[], 2, None),
        ] {
            let args = parsed(&[&["a"], words].concat());
            let reason = unfit(args.form.get(), &args, &two[..n]);
            match said {
                None => assert_eq!(reason, None, "{words:?}"),
                Some(said) => assert!(reason.as_deref().is_some_and(|r| r.starts_with(said)), "{reason:?}"),
            }
        }
        // An axis of a name that rows have already.
        let text = "title = \"t\"\nsource = \"s\"\n[scenario]\nduration = \"1s\"\nstation = [{ name = \"a\" }]\n\
                    app = [{ name = \"c\", kind = \"voip\", station = \"a\" }]\n\
                    [[axis]]\nname = \"seed\"\nkeys = \"station.a.distance\"\nvalues = [1, 2]\n";
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("own.toml");
        std::fs::write(&path, text).expect("written");
        let own = Experiment::load(&path).unwrap_or_else(|e| panic!("{e}"));
        let csv = parsed(&["a", "--format", "csv", "--out", "x"]);
        let reason = unfit(Format::Csv, &csv, &[two[0].clone(), own.clone()]).expect("refused");
        assert!(reason.contains("own: axis 'seed': results have a column of that name"), "{reason}");
        assert_eq!(unfit(Format::Json, &csv, &[own]), None);
    }

    #[test]
    fn a_full_run_has_all_points_and_seeds() {
        for (words, whole) in [
            (&["a"][..], true),
            (&["a", "--jobs", "1"], true),
            (&["a", "--quick"], false),
            (&["a", "--seeds", "3"], false),
        ] {
            assert_eq!(full(&parsed(words)), whole, "{words:?}");
        }
    }

    #[test]
    fn data_has_each_axis_with_its_label_and_values() {
        let own = experiment::find("chap/qsize-game").expect("of the repository");
        let mut e = own.clone();
        e.axes = vec![own.axes[0].clone(), own.axes[0].clone()];
        (e.axes[1].name, e.axes[1].label) = ("other".into(), "other, ms".into());
        e.axes[1].values.truncate(1);
        let data = data(&e, &nothing(), &[]);
        let values: Vec<&str> = own.axes[0].values.iter().map(|value| value.text.as_str()).collect();
        assert!(values.len() > 1 && own.axes[0].name != own.axes[0].label);
        assert_eq!(
            data["axes"],
            json!([
                { "name": own.axes[0].name, "label": own.axes[0].label, "values": values },
                { "name": "other", "label": "other, ms", "values": values[..1] },
            ])
        );
        assert_eq!(
            [&data["id"], &data["title"], &data["source"]],
            [&json!(e.id), &json!(e.title), &json!(e.source)]
        );
        assert_eq!([&data["version"], &data["git"]], [env!("CARGO_PKG_VERSION"), env!("AIRTAB_GIT")]);
        assert_eq!((&data["outcome"]["seeds"], &data["checks"]), (&json!(3), &json!([])));
    }

    /// The command of a page is that of the file beside it, or of the experiment's name; of real time, as root.
    #[test]
    fn a_page_has_the_command_that_makes_it() {
        let dir = tempfile::tempdir().expect("a directory");
        for (id, words, command) in [
            ("live/lnx-cpu", &["a"][..], "sudo airtab experiment run live/lnx-cpu\n"),
            ("chap/link", &["a", "--quick"], "airtab experiment run chap/link --quick\n"),
            ("chap/link", &["a", "--seeds", "4"], "airtab experiment run chap/link --seeds 4\n"),
        ] {
            let e = experiment::find(id).expect("of the repository");
            write(dir.path(), &parsed(words), &e, &nothing(), &[]).unwrap_or_else(|e| panic!("{e}"));
            let page = std::fs::read_to_string(dir.path().join(id).with_extension("html")).expect("written");
            let shown = page.split("<h2>To reproduce</h2>\n<pre").nth(1).expect("a command");
            let shown = shown.split("</pre>").next().and_then(|shown| shown.split_once('>'));
            assert_eq!(shown.map(|shown| shown.1), Some(command.trim_end()), "{id}");
            assert!(dir.path().join(format!("{id}.experiment.toml")).is_file());
        }
        let commit = built();
        let commit =
            commit.strip_prefix(concat!(env!("CARGO_PKG_VERSION"), " (commit ")).expect("the version");
        let commit = commit.strip_suffix(')').expect("its commit");
        assert!(
            env!("AIRTAB_GIT").starts_with(commit) && commit.len() == env!("AIRTAB_GIT").len().min(12),
            "{commit}"
        );
    }
}
