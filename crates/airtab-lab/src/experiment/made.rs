// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Experiments and points made up for tests.

use std::path::Path;

use airtab_scenario::{Metric, Scores};

use super::file::Purpose;
use super::{Experiment, PointScores};
use crate::made::{app, queue};

/// An experiment of this text, named `mine`.
pub(crate) fn parse(text: &str) -> Experiment {
    read("mine", text, Purpose::Judge).unwrap_or_else(|e| panic!("{e}"))
}

/// The experiment `id` for a purpose, or its problems. Its folder has no other file.
pub(super) fn read(id: &str, text: &str, purpose: Purpose) -> Result<Experiment, String> {
    let none = |_: &Path| Err("is not there".to_string());
    Experiment::parse(format!("{id}.toml"), id, text, &none, purpose).map_err(|e| e.to_string())
}

/// A scenario with a game and a call, both of one station.
pub(super) const HOME: &str = r#"
[scenario]
duration = "600ms"
measure = ["100ms", "500ms"]
station = [{ name = "s" }]
app = [
  { name = "g", kind = "game", station = "s" },
  { name = "v", kind = "voip", station = "s" },
]
"#;

/// The scores of a game under each discipline at a point, of three seeds.
pub(super) fn point<'a>(at: &[usize], queues: &[(&'a str, [f64; 3])]) -> PointScores {
    let one =
        |(label, mos): &(&'a str, [f64; 3])| (*label, vec![app("g", "game", &[(Metric::GameMos, *mos)])]);
    of_queues(at, queues.iter().map(one).collect())
}

/// A point of these applications, by discipline.
pub(super) fn of_queues(at: &[usize], queues: Vec<(&str, Vec<Scores>)>) -> PointScores {
    let n = queues.len();
    PointScores {
        at: at.to_vec(),
        seeds: 3,
        settled: None,
        queues: queues.into_iter().map(|(label, apps)| queue(label, apps)).collect(),
        seconds: vec![vec![Vec::new(); 3]; n],
        pages: vec![vec![Vec::new(); 3]; n],
    }
}
