// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which figures of an experiment are shown as numbers, and as which text.
//!
//! What it does not do: no table (`text`, `page`).

use airtab_scenario::{About, QueueScores};

use super::figure::Drawn;
use super::{Experiment, Outcome};
use crate::table;

/// What figures and checks are about, each once; where there are none, the score of every application. And what decides on the
/// number of seeds.
pub(super) fn columns(e: &Experiment, outcome: &Outcome) -> Vec<Drawn> {
    let of_figures = e.figures.iter().flat_map(|f| f.shown()).cloned();
    let of_checks = e.checks.iter().flat_map(|c| c.terms()).flat_map(|t| &t.of).map(Drawn::from);
    let mut columns: Vec<Drawn> = Vec::new();
    for column in of_figures.chain(of_checks) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        let first = outcome.points.first().and_then(|point| point.queues.first());
        let score = |about: &About| about.metric();
        let apps = first.into_iter().flat_map(|q| &q.apps);
        let of = apps.filter_map(|app| Some((app.name.clone(), About::named(app.kind).map(score)?)));
        columns.extend(of.map(|of| Drawn::from(&of)));
    }
    let until = e.until.iter().map(|until| until.of());
    columns.extend(until.filter(|of| !columns.contains(of)).cloned().collect::<Vec<_>>());
    columns
}

/// One of them under a discipline, with its interval.
pub(super) fn figure(q: &QueueScores, of: &Drawn) -> String {
    of.summary(q).map_or("-".into(), |s| table::with_interval(of.metric, &s))
}
