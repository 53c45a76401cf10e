// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Live experiments through the runner: a host that simulates stands for the one
//! that takes its time, so that what the runner itself does can be seen.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_lab::experiment::{Experiment, LiveHost, Outcome, RunError, RunOptions, jobs, run};
use airtab_lab::experiment::{State, judge};
use airtab_lab::store::{NoStore, Packs, Store};
use airtab_scenario::{Measured, Metric, QueueSpec, ScenarioFile};
use tempfile::TempDir;

/// The game beside a download of the other tests, on both hosts.
fn experiment(head: &str) -> Experiment {
    let text = include_str!("game-beside-download.toml");
    let axis = "[[axis]]\nname = \"host\"\nkeys = [\"live\"]\nvalues = [true, false]\nnames = [\"live\", \"sim\"]\n\n[[figure]]";
    let text = format!("{head}\n{}", text.replacen("[[figure]]", axis, 1));
    let text = text.replace("order = \"falls\"", "most = 4.4");
    let dir = folder();
    let path = dir.path().join("mine.toml");
    std::fs::write(&path, text).unwrap();
    Experiment::load(&path).unwrap_or_else(|e| panic!("{e}"))
}

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Simulates, says how late it was, and remembers what it was asked for.
struct Host<'a> {
    /// Share of late packets of each run, one after the other; then none.
    late: Mutex<Vec<f64>>,
    asked: Mutex<Vec<String>>,
    /// Set after so many runs.
    stop: (&'a AtomicBool, usize),
    says: Option<&'a str>,
}

impl<'a> Host<'a> {
    fn new(stop: &'a AtomicBool) -> Host<'a> {
        Host { late: Mutex::default(), asked: Mutex::default(), stop: (stop, usize::MAX), says: None }
    }

    fn asked(self) -> Vec<String> {
        self.asked.into_inner().unwrap()
    }
}

impl LiveHost for Host<'_> {
    fn run(
        &self,
        what: &str,
        home: &ScenarioFile,
        queue: &QueueSpec,
        seed: u64,
    ) -> Result<Option<Measured>, String> {
        let mut asked = self.asked.try_lock().expect("one run at a time");
        if let Some(says) = self.says {
            return Err(says.into());
        }
        if asked.len() == self.stop.1 {
            self.stop.0.store(true, Ordering::Relaxed);
            return Ok(None);
        }
        asked.push(what.into());
        let mut measured = airtab_lab::run(&home.scenario, &queue.build(&home.queues).unwrap(), seed);
        let mut late = self.late.lock().unwrap();
        let late = if late.is_empty() { 0.0 } else { late.remove(0) };
        measured.ap.insert(Metric::Behind, late);
        Ok(Some(measured))
    }
}

fn options<'a>(store: &'a dyn Store, stop: &'a AtomicBool, host: Option<&'a Host<'a>>) -> RunOptions<'a> {
    let live = host.map(|host| host as &dyn LiveHost);
    RunOptions { quick: true, seeds: Some(&[1]), jobs: 4, live, ..RunOptions::new(store, stop) }
}

fn outcome(e: &Experiment, options: &RunOptions) -> Outcome {
    run(e, options).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn live_points_go_to_the_host_one_by_one_and_the_others_to_the_simulator() {
    let e = experiment("live = true");
    let (stop, store) = (AtomicBool::new(false), NoStore);
    let host = Host::new(&stop);
    let outcome = outcome(&e, &options(&store, &stop, Some(&host)));
    let asked = host.asked();
    assert_eq!(outcome.runs, 2 * asked.len(), "two hosts");
    assert!(asked.iter().all(|what| what.contains("host = live") && what.ends_with("seed 1")), "{asked:?}");
    assert!(judge(&e, &outcome).iter().all(|v| v.state == State::Holds), "{:?}", judge(&e, &outcome));
}

#[test]
fn live_runs_are_made_anew_unless_an_interrupted_set_goes_on() {
    let e = experiment("live = true");
    let dir = folder();
    let (stop, store) = (AtomicBool::new(false), Packs::open(dir.path()).unwrap());
    let host = Host { stop: (&stop, 1), ..Host::new(&stop) };
    match run(&e, &options(&store, &stop, Some(&host))) {
        Err(RunError::Stopped(_)) => {}
        other => panic!("{other:?}"),
    }
    stop.store(false, Ordering::Relaxed);
    let (going_on, all) = (Host::new(&stop), Host::new(&stop));
    outcome(&e, &RunOptions { resume: true, ..options(&store, &stop, Some(&going_on)) });
    outcome(&e, &options(&store, &stop, Some(&all)));
    let (going_on, all) = (going_on.asked().len(), all.asked().len());
    assert_eq!(going_on + 1, all, "one was stored");
    let known = |resume| jobs(&e, &RunOptions { resume, ..options(&store, &stop, None) }).unwrap().1;
    assert_eq!((known(true), known(false)), (2 * all, all), "what is simulated is always known");
}

#[test]
fn a_busy_machine_gets_a_second_chance_and_then_turns_verdicts_red() {
    let e = experiment("live = true");
    let (stop, store) = (AtomicBool::new(false), NoStore);
    let late = 2.0 * Metric::LATE_TOLERATED;
    let of = |late: Vec<f64>| {
        let host = Host { late: Mutex::new(late), ..Host::new(&stop) };
        let outcome = outcome(&e, &options(&store, &stop, Some(&host)));
        (judge(&e, &outcome), host.asked())
    };
    let (once, asked) = of(vec![late, 0.0]);
    assert!(asked[1].ends_with("again: the machine was too busy"), "{asked:?}");
    assert!(once.iter().all(|v| v.state == State::Holds), "the second run counts: {once:?}");
    let (twice, _) = of(vec![late; 100]);
    for verdict in twice {
        assert_eq!(verdict.state, State::Red, "{}", verdict.what);
        assert!(verdict.cause.unwrap().starts_with("machine too busy: up to 0.20 %"));
    }
}

#[test]
fn what_the_host_says_ends_the_set() {
    let e = experiment("live = true");
    let (stop, store) = (AtomicBool::new(false), NoStore);
    let host = Host { says: Some("making network namespaces needs root"), ..Host::new(&stop) };
    let error = run(&e, &options(&store, &stop, Some(&host))).unwrap_err().to_string();
    assert!(error.ends_with("mine: making network namespaces needs root"), "{error}");
    let error = run(&e, &options(&store, &stop, None)).unwrap_err().to_string();
    assert!(error.contains("nothing here can do that"), "{error}");
}

#[test]
fn who_runs_a_point_is_said_in_live_experiments_only() {
    let error = experiment("").points().unwrap_err().to_string();
    assert!(error.contains("live"), "{error}");
    let text = "title = \"t\"\nsource = \"s\"\nlive = true\n[server]\ntask = \"bursts\"\nservice = \"1ms\"\nbursts = 2\n";
    let dir = folder();
    let path = dir.path().join("server.toml");
    std::fs::write(&path, text).unwrap();
    let error = Experiment::load(Path::new(&path)).unwrap_err().to_string();
    assert!(error.contains("servers and models have no clock"), "{error}");
}

/// The hosts of `live/case-quake` are those of the source: a median of 133 ms, 70 % below 150 ms.
#[test]
fn twenty_hosts_answer_as_the_sources_did() {
    let text = include_str!("../../../../experiments/live/base/quake.toml");
    let text = text.replace("base = \"../../chap/base/chap.toml\"\n", "");
    let alone = text.replace("latency = \"15ms\"", "latency = \"15ms\"\nstart = \"13.8s\"");
    let home = ScenarioFile::parse("quake.toml", &alone).unwrap();
    let queue: QueueSpec = "fifo".parse().unwrap();
    let measured = airtab_lab::run(&home.scenario, &queue.build(&home.queues).unwrap(), 1);
    let median = measured.ap[&Metric::PingMedian];
    assert!((0.132..0.135).contains(&median), "{median}");
    assert_eq!(measured.ap[&Metric::PingPlayable], 0.7);
    // Nobody answers: no median, and nobody is near.
    let silent = alone.replace("name = \"console\"\nfer = 0", "name = \"console\"\nfer = 1");
    let home = ScenarioFile::parse("quake.toml", &silent).unwrap();
    let measured = airtab_lab::run(&home.scenario, &queue.build(&home.queues).unwrap(), 1);
    assert_eq!((measured.ap.get(&Metric::PingMedian), measured.ap[&Metric::PingPlayable]), (None, 0.0));
}
