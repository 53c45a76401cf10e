// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab sweep`.

pub mod args;
pub mod write;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use airtab_lab::count;
use airtab_lab::experiment::{self, Asked, Experiment, FindError, RunError, RunOptions};
use airtab_lab::plan::{Budget, Elsewhere, Part, Stopped};
use airtab_lab::store::{Packs, Store};
use indicatif::ProgressBar;

use self::args::Sweep;
use self::write::Results;
use super::kept::Kept;
use super::progress::{INTERRUPTED, growing_bar, progress_bar, stop_on_interrupt};
use super::reading::is_piped;
use super::{Found, refused, shipped, unread};
use crate::files::Files;
use crate::form::Format;
use crate::output;

/// So many points are put together within two seconds.
const AT_ONCE: usize = 10_000;

/// Where runs are kept.
enum Runs {
    Cache(Kept),
    Packs(Packs),
}

impl Runs {
    fn store(&self) -> &dyn Store {
        match self {
            Runs::Cache(kept) => kept.store(),
            Runs::Packs(packs) => packs,
        }
    }
}

/// Who makes runs of a cluster: its name as `--cluster` has it, and `--jobs`; or why there is nobody.
pub type Join<'a> = &'a dyn Fn(&str, Option<u16>) -> Result<Box<dyn Elsewhere>, String>;

/// What a program without Python says.
pub fn no_cluster(_: &str, _: Option<u16>) -> Result<Box<dyn Elsewhere>, String> {
    Err("the command of the package for Python has it: pip install 'airtab[dask]', then the same command there \
         (python -m airtab sweep ...). Without it, --shard and --merge divide a sweep among machines"
        .into())
}

/// Runs it, and shows or writes what came out.
pub fn sweep(args: &Sweep, join: Join) -> anyhow::Result<ExitCode> {
    let experiment = match asked(args) {
        Ok(experiment) => experiment,
        Err(e) => return Ok(refused(&output::message(&e))),
    };
    if experiment.live {
        return Ok(refused(&format!(
            "{} is run in real time: airtab experiment run {0}",
            experiment.named()
        )));
    }
    let columns = match experiment.columns() {
        Ok(columns) => columns,
        Err(e) => return Ok(refused(&e.to_string())),
    };
    if args.form.get() == Format::Parquet && args.out.is_none() {
        return Ok(refused("--format parquet: name a directory for the file with --out"));
    }
    // Whether files can be written is found out before anything runs.
    if let Some(dir) = &args.out
        && let Err(e) = Files::new(dir)
    {
        return Ok(refused(&output::message(&e)));
    }
    let runs = match (args.merge.as_slice(), args.shard) {
        ([], Some(_)) => {
            let dir = args.out.as_deref().expect("clap has seen to it");
            match Packs::open(dir) {
                Ok(packs) => Runs::Packs(packs),
                Err(e) => return Ok(refused(&format!("cannot use the packs in {}: {e}", dir.display()))),
            }
        }
        ([], None) => Runs::Cache(if args.no_cache { Kept::default() } else { Kept::open() }),
        (folders, _) => match Packs::merge(folders) {
            Ok(packs) => Runs::Packs(packs),
            Err(e) => return Ok(refused(&format!("--merge: {e}"))),
        },
    };
    let elsewhere = match args.cluster.as_deref().map(|cluster| join(cluster, args.jobs)).transpose() {
        Ok(elsewhere) => elsewhere,
        Err(e) => return Ok(refused(&format!("--cluster: {e}"))),
    };
    let stop = stop_on_interrupt()?;
    let budget = args.budget.map(Budget::new);
    let options = RunOptions {
        seeds: args.seeds.as_ref().map(|seeds| seeds.all.as_slice()),
        jobs: args.jobs.map_or(0, usize::from),
        budget: budget.as_ref(),
        part: args.shard.unwrap_or(Part::WHOLE),
        only_stored: !args.merge.is_empty(),
        elsewhere: elsewhere.as_deref(),
        ..RunOptions::new(runs.store(), &stop)
    };
    if experiment.size() > AT_ONCE {
        output::note(&format!("Looking at {} ...", count(experiment.size(), "point")));
    }
    let sweep = match experiment::Sweep::new(&experiment, &options) {
        Ok(sweep) => sweep,
        Err(RunError::Stopped(stopped)) => return Ok(halted(&stopped, &runs, args, &stop)),
        Err(e) => return Ok(refused(&e.to_string())),
    };
    if options.only_stored
        && let Some((n, first)) = sweep.missing()
    {
        let are = if n == 1 { "is" } else { "are" };
        return Ok(refused(&format!(
            "--merge: {n} of {} {are} not in these folders; the first: {first}. Run the shards that are missing, or the \
             command without --merge, which makes them",
            count(sweep.counts().0, "run")
        )));
    }
    for warning in sweep.without_effect() {
        output::warn(&warning);
    }
    let (total, stored) = sweep.counts();
    let of_round = if experiment.until.is_some() { " of the first round" } else { "" };
    if stored > 0 && !options.only_stored {
        let are = if total == 1 { "is" } else { "are" };
        output::note(&format!("{stored} of {}{of_round} {are} known from before.", count(total, "run")));
    }
    let bar = match &experiment.until {
        _ if options.only_stored => ProgressBar::hidden(),
        Some(_) => growing_bar(total - stored),
        None if total == stored => ProgressBar::hidden(),
        None => progress_bar(total - stored),
    };
    let progress = || {
        bar.inc(1);
        match &runs {
            Runs::Cache(kept) => kept.look(&bar),
            // A shard is nothing but its packs.
            Runs::Packs(packs) if packs.failure().is_some() => stop.store(true, Ordering::Relaxed),
            Runs::Packs(_) => {}
        }
    };
    let start = Instant::now();
    let ended = match (&runs, args.shard) {
        (Runs::Packs(packs), Some(part)) => {
            let filled = sweep.fill(&progress);
            bar.finish_and_clear();
            let dir = args.out.as_deref().expect("clap has seen to it");
            // A shard without runs is one, too.
            let begun = if packs.is_empty() { packs.begin().err() } else { None };
            if let Some(e) = packs.failure().or(begun.as_ref()) {
                return Ok(refused(&format!(
                    "cannot write the packs in {}: {e}; what is done is there: make room, and the same command goes on",
                    dir.display()
                )));
            }
            filled.map(|total| {
                let shard = format!("Shard {}/{}", part.number + 1, part.of);
                output::note(&match total {
                    0 => format!("{shard}: nothing to do, as there are more shards than work."),
                    _ => format!("{shard}: {} in {}.", count(total, "run"), dir.display()),
                });
            })
        }
        _ => {
            let begun = Results::begin(args, &experiment, &columns, sweep.seeds());
            let mut results = match begun {
                Ok(results) => results,
                Err(e) => return Ok(refused(&output::message(&e))),
            };
            let mut failed = None;
            let ran = sweep.run(&progress, &mut |point| {
                if failed.is_none() {
                    failed = results.add(point).err();
                    if failed.is_some() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            });
            bar.finish_and_clear();
            let written = match (failed, &ran) {
                (Some(e), _) => Err(e),
                (None, Ok(())) => results.finish().map(|finished| {
                    finished.said.iter().for_each(|line| match line.strip_prefix("warning: ") {
                        Some(warning) => output::warn(warning),
                        None => output::note(line),
                    })
                }),
                (None, Err(_)) => Ok(()),
            };
            match written {
                Err(e) if output::is_broken_pipe(&e) => return Err(e),
                Err(e) => return Ok(refused(&output::message(&e))),
                Ok(()) => ran,
            }
        }
    };
    match ended {
        Ok(()) => {
            output::note(&format!("{:.1} s.", start.elapsed().as_secs_f64()));
            Ok(ExitCode::SUCCESS)
        }
        Err(RunError::Stopped(stopped)) => Ok(halted(&stopped, &runs, args, &stop)),
        Err(e @ RunError::Missing(_)) => {
            Ok(refused(&format!("--merge: {e}; airtab cache verify DIR tells more")))
        }
        Err(e) => Ok(refused(&e.to_string())),
    }
}

/// What is asked for, put together.
fn asked(args: &Sweep) -> anyhow::Result<Experiment> {
    put(found(&args.file)?, args)
}

/// An experiment with what is asked for.
pub fn put(mut experiment: Experiment, args: &Sweep) -> anyhow::Result<Experiment> {
    for (path, value) in &args.set {
        experiment.set(path, value)?;
    }
    for (path, values) in &args.axis {
        let values: Vec<&str> = values.split(',').collect();
        experiment.vary(path, &values)?;
    }
    if let Some(queues) = &args.queues {
        experiment.under(queues)?;
    }
    if let Some(message) = unread(&args.set, &experiment.queues) {
        anyhow::bail!(message);
    }
    experiment.ask_until(&Asked { width: args.until.clone(), first: args.first, most: args.most })?;
    Ok(experiment)
}

/// A bundled scenario, an experiment of the repository, or a file or pipe of either kind.
pub fn found(path: &Path) -> anyhow::Result<Experiment> {
    if is_piped(path) {
        let Found { name, text, .. } = Found::piped(path, "an experiment or a scenario")?;
        return Ok(Experiment::sweep_of_text(Path::new(&name), &text)?);
    }
    if let Some((name, text)) = shipped(path) {
        return Ok(Experiment::of_scenario(format!("{name}.toml"), text)?);
    }
    let name = path.to_str().filter(|name| !name.ends_with(".toml") && !path.exists());
    match name.map(experiment::find) {
        Some(Ok(experiment)) => Ok(experiment.without_checks()),
        Some(Err(FindError::Unknown(message))) => {
            Err(anyhow::anyhow!("no such file, and no scenario that airtab brings; {message}"))
        }
        Some(Err(e)) => Err(e.into()),
        None => Ok(Experiment::load_sweep(path)?),
    }
}

fn halted(stopped: &Stopped, runs: &Runs, args: &Sweep, stop: &AtomicBool) -> ExitCode {
    let goes_on = match runs {
        Runs::Cache(kept) => kept.goes_on(),
        Runs::Packs(_) => "what is done is kept: the same command goes on from here",
    };
    let interrupted = stop.load(Ordering::Relaxed);
    let why = match args.budget {
        Some(budget) if !interrupted => {
            format!("--budget: {} s of processor time are spent; ", budget.as_secs_f64())
        }
        _ => String::new(),
    };
    output::tell(&format!("{why}{stopped}; {goes_on}"));
    ExitCode::from(if interrupted { INTERRUPTED } else { 1 })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn parsed(words: &[&str]) -> Sweep {
        match Args::try_parse_from([&["airtab", "sweep"], words].concat()).map(|args| args.command) {
            Ok(Command::Sweep(args)) => args,
            Ok(_) => panic!("another command"),
            Err(e) => panic!("{e}"),
        }
    }

    /// A name is a scenario that airtab brings, else an experiment, of which neither checks nor figures are looked at.
    #[test]
    fn a_name_is_that_of_a_scenario_or_of_an_experiment() {
        let scenario = found(Path::new("rrul")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            (scenario.named(), scenario.axes.len(), scenario.title.as_str()),
            ("rrul.toml", 0, "rrul")
        );
        let own = experiment::find("chap/qsize-game").expect("it is of the repository");
        assert!(!own.checks.is_empty() && !own.figures.is_empty());
        let swept = found(Path::new("chap/qsize-game")).unwrap_or_else(|e| panic!("{e}"));
        assert!(swept.checks.is_empty() && swept.figures.is_empty());
        assert_eq!((&swept.id, swept.size(), swept.queues.len()), (&own.id, own.size(), own.queues.len()));
        let said = |name: &str| found(Path::new(name)).map(|_| ()).expect_err("there is none").to_string();
        let expected =
            "no such file, and no scenario that airtab brings; no experiment 'chap/qsize-gam'; did you mean";
        assert!(said("chap/qsize-gam").starts_with(expected), "{}", said("chap/qsize-gam"));
        assert!(!said("rrul.toml").contains("scenario that airtab brings"), "a file was meant");
    }

    /// Options go before the file: disciplines take the place of its own, axes come after its own, seeds of --until go to
    /// their places.
    #[test]
    fn options_go_before_the_file() {
        let file = "queues = [\"fifo\", \"spq\"]\n[scenario]\nduration = \"1s\"\nstation = [{ name = \"a\" }]\n\
                    app = [{ name = \"call\", kind = \"voip\", station = \"a\" }]\n\
                    [[axis]]\nname = \"d\"\nkeys = \"station.a.distance\"\nvalues = [1, 2]\n\
                    [until]\nmetric = \"call.voip_mos\"\nhalf_width = 0.5\nfirst = 3\nmost = 30\n";
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("own.toml");
        std::fs::write(&path, file).expect("written");
        let path = path.to_str().expect("UTF-8");
        let of =
            |words: &[&str]| asked(&parsed(&[&[path], words].concat())).unwrap_or_else(|e| panic!("{e}"));
        let labels = |e: &Experiment| e.queues.iter().map(|q| q.label.clone()).collect::<Vec<_>>();
        let names = |e: &Experiment| e.axes.iter().map(|axis| axis.name.clone()).collect::<Vec<_>>();
        let plain = of(&[]);
        assert_eq!((labels(&plain), names(&plain)), (vec!["fifo".into(), "spq".into()], vec!["d".into()]));
        let more = of(&[
            "--queues",
            "chap:limit=9",
            "--axis",
            "wifi.attempts=4,7,9",
            "--axis",
            "app.call.start=0s,9ms",
        ]);
        assert_eq!(labels(&more), ["chap:limit=9"]);
        assert_eq!(names(&more), ["d", "wifi.attempts", "app.call.start"]);
        assert_eq!(more.size(), 2 * 3 * 2);
        let values: Vec<&str> = more.axes[1].values.iter().map(|value| value.text.as_str()).collect();
        assert_eq!(values, ["4", "7", "9"]);
        let rounds = |words: &[&str]| {
            let until = of(words).until.expect("it has one");
            (until.metric, until.half_width, until.rounds.first, until.rounds.most)
        };
        let call = || "call.voip_mos".to_string();
        assert_eq!(rounds(&[]), (call(), 0.5, 3, 30));
        assert_eq!(rounds(&["--first", "4"]), (call(), 0.5, 4, 30));
        assert_eq!(rounds(&["--most", "40"]), (call(), 0.5, 3, 40));
        assert_eq!(rounds(&["--until", "call.voip_mos=0.25", "--most", "41"]), (call(), 0.25, 3, 41));
    }

    /// Only --cluster asks for a cluster, with its own address and --jobs; without one, nothing is run.
    #[test]
    fn a_cluster_is_asked_for_by_its_name() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("own.toml");
        let file = "duration = \"1s\"\nstation = [{ name = \"a\" }]\n\
                    app = [{ name = \"call\", kind = \"voip\", station = \"a\" }]\n";
        std::fs::write(&path, file).expect("written");
        let path = path.to_str().expect("UTF-8");
        let asked = std::cell::RefCell::new(Vec::new());
        let join = |name: &str, jobs: Option<u16>| -> Result<Box<dyn Elsewhere>, String> {
            asked.borrow_mut().push((name.to_string(), jobs));
            Err("it is far away".into())
        };
        let base = [path, "--no-cache", "--seeds", "1", "--queues", "fifo"];
        let run = |words: &[&str]| sweep(&parsed(&[&base[..], words].concat()), &join).expect("it is told");
        assert_eq!(run(&["--cluster", "tcp://x:1", "--jobs", "3"]), ExitCode::from(2));
        assert_eq!(run(&["--cluster", "local"]), ExitCode::from(2));
        // What is wrong with the sweep itself is told first.
        assert_eq!(run(&["--cluster", "local", "--format", "parquet"]), ExitCode::from(2));
        let both = [("tcp://x:1".to_string(), Some(3)), ("local".to_string(), None)];
        assert_eq!(asked.into_inner(), both);
        let said = no_cluster("local", None).map(|_| ()).expect_err("Python's");
        assert!(
            said.contains("pip install 'airtab[dask]'") && said.contains("--shard and --merge"),
            "{said}"
        );
    }
}
