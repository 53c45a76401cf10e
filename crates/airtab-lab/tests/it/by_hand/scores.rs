// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The queue before a server of fixed times: waits and credits that can be counted on fingers.

use std::sync::atomic::AtomicBool;

use Metric::*;
use airtab_lab::experiment::{Experiment, Outcome, RunOptions, run};
use airtab_lab::store::NoStore;
use airtab_scenario::Metric;

/// Three flows, of which the last sends nothing; 1 ms for a packet.
const BATCH: &str = r#"
title = "A batch"
source = "nobody"
seeds = 1
queues = ["fifo", "chap"]

[server]
task = "batch"
service = "1ms"
packets = [2, 3, 0]
costs = ["5ms", "3ms", "1ms"]
queue = { chap = { limit = 64, flows = 65, increment = "20ms", profile = "faithful" } }

[[check]]
what = "it"
section = "1"
reported = "1"
of = "flow1.queue_delay_mean_seconds"
queue = "fifo"
least = 0
"#;

fn outcome(text: &str) -> Outcome {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("batch.toml");
    std::fs::write(&path, text).unwrap();
    let e = Experiment::load(&path).unwrap_or_else(|e| panic!("{e}"));
    let (stop, store) = (AtomicBool::new(false), NoStore);
    let options = RunOptions { jobs: 1, ..RunOptions::new(&store, &stop) };
    run(&e, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// ms, to the microsecond.
fn ms(outcome: &Outcome, queue: usize, app: &str, metric: Metric) -> Option<f64> {
    outcome.points[0].queues[queue].app(app)?.mean(metric).map(|s| (s * 1e6).round() / 1e3)
}

#[test]
fn waits_of_a_batch() {
    let o = outcome(BATCH);
    let waits = ["flow1", "flow2", "flow3", "ap"].map(|app| ms(&o, 0, app, QueueDelay));
    // All come at once, by turns: 1 2 1 2 2. So 0 and 2 ms; 1, 3 and 4 ms; nobody; (0 + 1 + 2 + 3 + 4) / 5.
    assert_eq!(waits, [Some(1.0), Some(2.667), None, Some(2.0)], "who was not served waits no 0 ms");
    assert_eq!(credits().map(|m| ms(&o, 0, "flow1", m)), [None; 3]);
}

/// Least, most and last of the column.
fn credits() -> [Metric; 3] {
    ["least", "most", "last"].map(|of| Metric::named(&format!("credit_{of}_seconds")).unwrap())
}

#[test]
fn credits_of_a_batch() {
    let o = outcome(BATCH);
    let of = |app| credits().map(|m| ms(&o, 1, app, m));
    // From 20 ms down: least, most, last. Less 2 x 5 and less 3 x 3 ms.
    assert_eq!(of("flow1"), [Some(10.0), Some(20.0), Some(10.0)]);
    assert_eq!(of("flow2"), [Some(11.0), Some(20.0), Some(11.0)]);
    assert_eq!(of("flow3"), [None; 3], "it is not known");
}
