//! Comparisons of a few short runs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_lab::{Comparison, Metric, Options, QueueSpec, ScenarioFile, Stopped, compare};

fn queues(names: &[&str]) -> Vec<(String, airtab_core::Params)> {
    let settings = ScenarioFile::home().queues;
    let one = |name: &&str| {
        let spec: QueueSpec = name.parse().unwrap();
        (spec.label.clone(), spec.build(&settings).unwrap())
    };
    names.iter().map(one).collect()
}

fn quick(names: &[&str], jobs: usize) -> Comparison {
    let stop = AtomicBool::new(false);
    let options = Options { seeds: &[1, 2, 3], quick: true, jobs, stop: &stop, progress: &|_| () };
    compare(&ScenarioFile::home().scenario, &queues(names), &options).unwrap()
}

#[test]
fn jobs_do_not_change_a_byte() {
    let one = serde_json::to_string(&quick(&["fifo", "chap"], 1)).unwrap();
    let three = serde_json::to_string(&quick(&["fifo", "chap"], 3)).unwrap();
    assert_eq!(one, three);
}

#[test]
fn other_queues_in_the_comparison_do_not_matter() {
    let together = quick(&["fifo", "spq", "chap"], 2);
    let alone = quick(&["chap"], 2);
    assert_eq!(together.queue("chap"), alone.queue("chap"));
}

#[test]
fn every_metric_can_be_reached() {
    let c = quick(&["fifo", "chap:limit=70"], 2);
    assert_eq!((c.seeds.as_slice(), c.duration_ns, c.quick), (&[1, 2, 3][..], 33_000_000_000, true));
    let chap = c.queue("chap:limit=70").unwrap();
    assert_eq!((chap.discipline, chap.params["limit"].as_str()), ("chap", "70"));
    for (app, metric) in [
        ("game", Metric::GameMos),
        ("game", Metric::GameMosWindow),
        ("game", Metric::Ping),
        ("call", Metric::VoipMos),
        ("call", Metric::VoipRG107),
        ("call", Metric::VoipMosG107),
        ("call", Metric::Loss),
        ("download", Metric::Goodput),
        ("download", Metric::QueueDelayP99),
        ("download", Metric::Air),
        ("ap", Metric::QueueMax),
        ("ap", Metric::Idle),
    ] {
        let s = c.get("fifo", app, metric).unwrap_or_else(|| panic!("{app} has no {}", metric.name()));
        assert_eq!(s.values.len(), 3);
        let mean = s.values.iter().map(|v| v.unwrap()).sum::<f64>() / 3.0;
        assert!((s.mean - mean).abs() <= 1e-12 * mean.abs() && s.half_width_95.is_some());
    }
    assert!(c.get("fifo", "download", Metric::GameMos).is_none());
    assert!(c.get("red", "game", Metric::GameMos).is_none());
    assert!(c.get("fifo", "video", Metric::GameMos).is_none());
    let places: f64 =
        ["game", "call", "download"].iter().map(|a| c.mean("fifo", a, Metric::QueuePackets).unwrap()).sum();
    assert!((places - c.mean("fifo", "ap", Metric::QueuePackets).unwrap()).abs() < 1e-9);
}

#[test]
fn a_stop_is_heeded_and_counted() {
    let stop = AtomicBool::new(false);
    let progress = |done| stop.store(done == 2, Ordering::Relaxed);
    let options = Options { seeds: &[1, 2, 3], quick: true, jobs: 1, stop: &stop, progress: &progress };
    let stopped = compare(&ScenarioFile::home().scenario, &queues(&["fifo", "spq"]), &options).unwrap_err();
    assert_eq!(stopped, Stopped { done: 2, total: 6 });
    assert_eq!(stopped.to_string(), "stopped after 2 of 6 runs");
}

#[test]
fn progress_counts_every_run_once() {
    let seen = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    let progress = |done| seen.lock().unwrap().push(done);
    let options = Options { seeds: &[1, 2], quick: true, jobs: 2, stop: &stop, progress: &progress };
    compare(&ScenarioFile::home().scenario, &queues(&["fifo", "spq"]), &options).unwrap();
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, [1, 2, 3, 4]);
}

#[test]
fn an_application_outside_the_measured_time_has_no_figures() {
    let mut scenario = ScenarioFile::home().scenario;
    scenario.apps[0].active_ns = 300_000_000_000..330_000_000_000;
    let stop = AtomicBool::new(false);
    let options = Options { seeds: &[1], quick: true, jobs: 1, stop: &stop, progress: &|_| () };
    let c = compare(&scenario, &queues(&["chap"]), &options).unwrap();
    assert!(c.queues[0].apps[0].metrics.is_empty());
    assert_eq!(airtab_lab::why::why(&c)[0], "game under chap: it sent nothing while measured");
    assert!(c.get("chap", "call", Metric::VoipMos).unwrap().half_width_95.is_none(), "one seed");
}
