// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Sweeps of scenarios that name files and servers: a file that is replaced while they run, what a budget pays for, and that
//! tables other than of stations and applications are there at every point.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use airtab_lab::experiment::{Experiment, PointScores, RunError, RunOptions, Sweep};
use airtab_lab::plan::Budget;
use airtab_lab::store::{NoStore, Packs, Store};
use airtab_scenario::{Metric, QueueSpec};

/// A video of the trace beside it, 60 ms.
const VIDEO: &str = r#"
duration = "60ms"
measure = ["0s", "60ms"]
station = [{ name = "tv" }]
app = [{ name = "film", kind = "video", station = "tv", trace = "film.txt", latency = "1ms" }]
"#;
const FRAMES: &str = "1 I 6000\n2 P 2000\n3 P 2000\n";

/// More points than are kept between the first look and the run.
const POINTS: usize = 40;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn fifo() -> QueueSpec {
    "fifo".parse().unwrap()
}

/// That scenario, beside a trace, under fifo, with so many latencies.
fn latencies(dir: &Path) -> Experiment {
    fs::write(dir.join("film.txt"), FRAMES).unwrap();
    let mut sweep = Experiment::of_scenario(dir.join("s.toml").to_str().unwrap(), VIDEO).unwrap();
    sweep.under(&[fifo()]).unwrap();
    let values: Vec<String> = (1..=POINTS).map(|ms| format!("{ms}ms")).collect();
    sweep.vary("app.film.latency", &values.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    sweep
}

#[test]
fn a_file_that_is_replaced_meanwhile_is_an_error() {
    let dir = folder();
    let experiment = latencies(dir.path());
    let stop = AtomicBool::new(false);
    let options = RunOptions { seeds: Some(&[1]), jobs: 1, ..RunOptions::new(&NoStore, &stop) };
    let run = |after: &dyn Fn(&Path)| {
        fs::write(dir.path().join("film.txt"), FRAMES).unwrap();
        let sweep = Sweep::new(&experiment, &options).unwrap();
        after(&dir.path().join("film.txt"));
        let mut points = 0;
        sweep.run(&|| (), &mut |_| points += 1).map(|()| points)
    };
    assert_eq!(run(&|_| ()).unwrap(), POINTS);
    match run(&|trace| fs::write(trace, FRAMES.replace("6000", "6001")).unwrap()) {
        Err(RunError::Changed(place)) => assert_eq!(place, "s app.film.latency = 1ms"),
        other => panic!("{other:?}"),
    }
    let gone = run(&|trace| fs::remove_file(trace).unwrap()).unwrap_err().to_string();
    assert!(gone.contains("film.txt"), "{gone}");
}

#[test]
fn a_budget_does_not_pay_for_what_is_stored() {
    let (dir, runs) = (folder(), folder());
    let experiment = latencies(dir.path());
    let stop = AtomicBool::new(false);
    let store = Packs::open(runs.path()).unwrap();
    let options = RunOptions { seeds: Some(&[1]), jobs: 1, ..RunOptions::new(&store as &dyn Store, &stop) };
    let run = |budget: Option<&Budget>| {
        let options = RunOptions { budget, ..options };
        Sweep::new(&experiment, &options).unwrap().fill(&|| ())
    };
    let none = Budget::new(Duration::ZERO);
    assert!(matches!(run(Some(&none)), Err(RunError::Stopped(_))));
    assert_eq!(run(None).unwrap(), POINTS);
    let little = Budget::new(Duration::from_nanos(1));
    assert_eq!(run(Some(&little)).unwrap(), POINTS, "all are stored");
    assert!(!little.is_spent(), "{:?}", little.used());
}

/// Before the first run: a hundred thousand points take seconds to put together.
#[test]
fn points_are_put_together_until_a_stop() {
    let dir = folder();
    let experiment = latencies(dir.path());
    let stop = AtomicBool::new(true);
    let options = RunOptions::new(&NoStore, &stop);
    match Sweep::new(&experiment, &options).map(|_| ()) {
        Err(RunError::Stopped(stopped)) => assert_eq!(stopped.done, 0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn servers_are_there_at_every_point() {
    let text = r#"
        duration = "1s"
        measure = ["0s", "1s"]
        topology = "dumbbell"
        bottleneck = { rate = "10Mb/s" }
        server = [{ name = "source", rate = "1Mb/s" }, { name = "other", rate = "2Mb/s" }]
        station = [{ name = "sink" }]
        app = [{ name = "bulk", kind = "download", station = "sink", server = "source" }]
    "#;
    let mut experiment = Experiment::of_scenario("s.toml", text).unwrap();
    experiment.under(&[fifo()]).unwrap();
    experiment.vary("server.source.rate", &["1Mb/s", "4Mb/s"]).unwrap();
    experiment.vary("app.bulk.server", &["source", "other"]).unwrap();
    let stop = AtomicBool::new(false);
    let options = RunOptions { seeds: Some(&[1]), jobs: 1, ..RunOptions::new(&NoStore, &stop) };
    let sweep = Sweep::new(&experiment, &options).unwrap();
    let mut rates = Vec::new();
    let goodput = |point: PointScores| point.queues[0].apps[0].metrics[&Metric::Goodput].mean;
    sweep.run(&|| (), &mut |point| rates.push(goodput(point))).unwrap();
    for (rate, of) in rates.iter().zip([1e6, 2e6, 4e6, 2e6]) {
        assert!(*rate > 0.7 * of && *rate < of, "{rates:?}");
    }
    assert_eq!((rates.len(), rates[1]), (4, rates[3]), "who does not use it does not see its rate");
}
