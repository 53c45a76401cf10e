// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs made up, and what experiments make of them. A host of live experiments hands them in as it would a run of its
//! own: by discipline, point and seed.

use std::sync::atomic::AtomicBool;

use Metric::*;
use airtab_lab::experiment::{Experiment, LiveHost, Outcome, RunOptions, Verdict, judge, run};
use airtab_lab::store::NoStore;
use airtab_quality::web::Page;
use airtab_scenario::{Figures, Measured, Metric, QueueSpec, ScenarioFile, Second};

/// Two axes: q of 20, 40, 80 and d of 1, 5.
pub const HEAD: &str = r#"
title = "Made up"
source = "nobody"
live = true
queues = ["spq", "fifo", "chap"]
seeds = 3
quick_seeds = 2

[scenario]
duration = "6s"
measure = ["1s", "5s"]
station = [{ name = "far", distance = 1 }]
app = [
  { name = "game", kind = "game", station = "far" },
  { name = "load", kind = "download", station = "far" },
  { name = "web", kind = "web", station = "far" },
  { name = "film", kind = "ping", station = "far" },
]

[[axis]]
name = "q"
keys = ["queue.limit"]
values = [20, 40, 80]

[[axis]]
name = "d"
keys = ["station.far.distance"]
values = [1, 5]
"#;

/// Which run.
pub struct Which<'a> {
    pub queue: &'a str,
    pub q: f64,
    pub d: f64,
    pub seed: f64,
}

/// Its figures: application (by its place, 4 is the access point), metric, value.
pub type Made<'a> = &'a (dyn Fn(&Which) -> Vec<(usize, Metric, f64)> + Sync);

pub struct Host<'a> {
    pub made: Made<'a>,
    pub pages: &'a (dyn Fn(&Which) -> Vec<Page> + Sync),
    pub seconds: &'a (dyn Fn(&Which) -> Vec<Second> + Sync),
}

impl LiveHost for Host<'_> {
    fn run(
        &self,
        what: &str,
        _: &ScenarioFile,
        queue: &QueueSpec,
        seed: u64,
    ) -> Result<Option<Measured>, String> {
        // "mine, q = 20, d = 1, fifo, seed 1"
        let of = |key: &str| -> f64 {
            let rest = what.split(&format!(", {key} = ")).nth(1).unwrap_or_else(|| panic!("{key} of {what}"));
            rest.split(',').next().unwrap().parse().unwrap()
        };
        let which = Which { queue: &queue.label, q: of("q"), d: of("d"), seed: seed as f64 };
        let mut figures = vec![Figures::new(); 5];
        for (app, metric, value) in (self.made)(&which) {
            figures[app].insert(metric, value);
        }
        let ap = figures.pop().unwrap();
        let pages = vec![vec![], vec![], (self.pages)(&which), vec![]];
        let seconds = vec![vec![], vec![], vec![], (self.seconds)(&which)];
        Ok(Some(Measured { apps: figures, pages, seconds, ap, nodes: Vec::new() }))
    }
}

pub fn experiment(checks: &str) -> Experiment {
    read(&format!("{HEAD}\n{checks}")).unwrap_or_else(|e| panic!("{e}"))
}

pub fn read(text: &str) -> Result<Experiment, String> {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("mine.toml");
    std::fs::write(&path, text).unwrap();
    Experiment::load(&path).map_err(|e| e.to_string())
}

pub fn outcome(e: &Experiment, quick: bool, host: &Host) -> Outcome {
    let (stop, store) = (AtomicBool::new(false), NoStore);
    let live = Some(host as &dyn LiveHost);
    let options = RunOptions { quick, jobs: 1, live, ..RunOptions::new(&store, &stop) };
    run(e, &options).unwrap_or_else(|e| panic!("{e}"))
}

pub fn host<'a>(made: Made<'a>) -> Host<'a> {
    Host { made, pages: &|_| Vec::new(), seconds: &|_| Vec::new() }
}

/// A check with these lines, besides its names.
pub fn check(lines: &str) -> String {
    format!("[[check]]\nwhat = \"it\"\nsection = \"7\"\nreported = \"much\"\n{lines}\n")
}

/// The verdict on one check, from made-up figures.
pub fn verdict(lines: &str, made: Made) -> Verdict {
    let e = experiment(&check(lines));
    judge(&e, &outcome(&e, false, &host(made))).remove(0)
}

pub fn means(v: &Verdict) -> Vec<Option<f64>> {
    v.values.iter().map(|v| v.mean.map(|x| (x * 1e9).round() / 1e9)).collect()
}

pub fn places(v: &Verdict) -> Vec<&str> {
    v.values.iter().map(|v| v.at.as_str()).collect()
}

/// A score that tells each point from each other: q / 10 + d, the same in every seed, twice as much under chap.
pub fn told_apart(w: &Which) -> Vec<(usize, Metric, f64)> {
    let score = w.q / 10.0 + w.d;
    vec![(0, GameMos, if w.queue == "chap" { 2.0 * score } else { score })]
}

/// Of a course.
pub fn second(mbps: f64, frames: u32) -> Second {
    Second { from_ns: 0, sent_bits: mbps * 1e6, received_bits: 0.0, playable_frames: Some(frames) }
}
