// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What large results cost: a million rows as Parquet, a million stored runs, and a stop that may come.
//! `cargo bench -p airtab-lab --bench results`, as `make bench-users` does; exit code 1 if a bar is missed.
//!
//! What it does not do: the package for Python and the command are measured by `tools/bench-users`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use airtab_core::Params;
use airtab_lab::plan::RunKey;
use airtab_lab::store::{NoStore, Packs, Store};
use airtab_lab::{Options, Origin, compare, comparison, scenario_hash, write_parquet};
use airtab_scenario::{Measured, QueueSpec, ScenarioFile, short};
use airtab_sim::Scenario;
use cpu_time::ProcessTime;

/// Runs that are stored.
const RUNS: u64 = 1_000_000;
/// Names the folder with them to a process of its own.
const FOLDER: &str = "AIRTAB_BENCH_STORED";
/// Rows that are written, about.
const ROWS: usize = 1_000_000;
/// Rounds in turns of what is compared; the least of each counts.
const ROUNDS: usize = 40;

fn row(name: &str, value: f64, unit: &str, bar: f64) -> bool {
    let missed = value > bar;
    let end = if missed { "  MISSED" } else { "" };
    println!("{name:52} {value:9.3} {unit:3} bar {bar}{end}");
    missed
}

/// MB of memory: what `/proc/self/status` says by that name.
fn memory_mb(name: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with(name)).expect("it is there");
    line.split_whitespace().nth(1).expect("a number").parse::<f64>().expect("a number") / 1024.0
}

/// From here on the peak of memory is counted anew.
fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("Linux");
}

fn chap(file: &ScenarioFile) -> (String, Params) {
    let spec: QueueSpec = "chap".parse().expect("a name");
    (spec.label.clone(), spec.build(&file.queues).expect("its defaults are right"))
}

/// As many runs, in which no figure but 0 is another one's: little repeats that a file could be smaller by.
fn runs(one: &Measured, n: usize) -> Vec<Measured> {
    let other = |i: usize| {
        let mut run = one.clone();
        for value in run.apps.iter_mut().flat_map(|app| app.values_mut()) {
            *value *= 1.0 + i as f64 * 1e-9;
        }
        run
    };
    (0..n).map(other).collect()
}

fn parquet(scenario: &Scenario, queue: &(String, Params), one: &Measured) -> bool {
    let each = one.apps.iter().map(|app| app.len()).sum::<usize>();
    let seeds: Vec<u64> = (1..=(ROWS / each) as u64).collect();
    let made = runs(one, seeds.len());
    let c = comparison(scenario, std::slice::from_ref(queue), &seeds, true, made);
    let origin = Origin {
        version: "0.0.0".into(),
        git: "unknown".into(),
        command: "a bench".into(),
        scenario_hash: scenario_hash(scenario),
    };
    let (mut took, mut bytes) = (Duration::MAX, 0);
    forget_peak();
    let before = memory_mb("VmRSS");
    for _ in 0..3 {
        let mut file = Vec::new();
        let begun = ProcessTime::now();
        write_parquet(&c, &origin, &mut file).expect("memory takes it");
        took = took.min(begun.elapsed());
        bytes = file.len();
    }
    let metrics = c.queues[0].apps.iter().map(|app| app.metrics.len()).sum::<usize>();
    let per = 1e6 / (metrics * seeds.len()) as f64;
    let mut missed = row("Parquet of 1,000,000 rows", took.as_secs_f64() * per, "s", 1.0);
    missed |= row("  its size", bytes as f64 / 1e6 * per, "MB", 15.0);
    missed |= row("  peak of memory, beyond the results", memory_mb("VmHWM") - before, "MB", 300.0);
    missed
}

fn stored(folder: &Path, one: &Measured) -> bool {
    let store = Packs::open(folder).expect("it can be written");
    (0..RUNS).for_each(|run| store.put(RunKey((u128::from(run) << 64) + 7), one));
    assert!(store.failure().is_none());
    drop(store);
    // A process of its own: what this one gave back is still its own.
    let this = std::env::current_exe().expect("Linux");
    Command::new(this).env(FOLDER, folder).status().expect("it is this program").code() != Some(0)
}

/// The same folder in a new process.
fn opened(folder: &Path) -> bool {
    let before = memory_mb("VmRSS");
    let begun = Instant::now();
    let store = Packs::open(folder).expect("it was written before");
    let took = begun.elapsed();
    assert!(store.len() as u64 == RUNS && store.has(RunKey((5 << 64) + 7)));
    let mut missed = row("1,000,000 stored runs: opened", took.as_secs_f64(), "s", 3.0);
    missed |= row("  peak of memory", memory_mb("VmHWM") - before, "MB", 100.0);
    missed
}

fn stop(scenario: &Scenario, queue: &(String, Params)) -> bool {
    let flag = AtomicBool::new(false);
    let options =
        |jobs, stop| Options { seeds: &[1], short: false, jobs, stop, store: &NoStore, progress: &|_| () };
    let queues = std::slice::from_ref(queue);
    let (mut with, mut without) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let begun = ProcessTime::now();
        std::hint::black_box(airtab_lab::run(scenario, &queue.1, 1));
        without = without.min(begun.elapsed());
        let begun = ProcessTime::now();
        assert!(compare(scenario, queues, &options(1, &flag)).is_ok());
        with = with.min(begun.elapsed());
    }
    let cost = 100.0 * (with.as_secs_f64() / without.as_secs_f64() - 1.0);
    let mut missed = row("a stop that may come costs a run of the home", cost, "%", 0.5);

    let mut long = scenario.clone();
    (long.duration_ns, long.measure_ns) = (3_600_000_000_000, 0..3_600_000_000_000);
    long.apps.iter_mut().for_each(|app| app.active_ns.end = long.duration_ns);
    let (asked, ended) = std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            assert!(compare(&long, queues, &options(1, &flag)).is_err());
            Instant::now()
        });
        std::thread::sleep(Duration::from_millis(500));
        let asked = Instant::now();
        flag.store(true, Ordering::Relaxed);
        (asked, run.join().expect("it ends"))
    });
    missed |= row("  seen within", (ended - asked).as_secs_f64(), "s", 0.1);
    missed
}

fn main() -> ExitCode {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return ExitCode::from(u8::from(opened(Path::new(&folder))));
    }
    let file = ScenarioFile::home();
    let queue = chap(&file);
    let brief = short(&file.scenario);
    let one = airtab_lab::run(&brief, &queue.1, 1);
    let folder = tempfile::tempdir().expect("a folder");
    let mut missed = parquet(&brief, &queue, &one);
    std::io::stdout().flush().expect("it is read");
    missed |= stored(folder.path(), &one);
    missed |= stop(&file.scenario, &queue);
    ExitCode::from(u8::from(missed))
}
