// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures over seeds, by discipline and application.
//!
//! What it does not do: it summarises nothing (`airtab-lab`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::metric::Metric;

/// One metric over all seeds.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Summary {
    /// Mean over the seeds that have a value.
    pub mean: f64,
    /// Half width of its 95 % interval (Student); None for a single value.
    pub half_width_95: Option<f64>,
    /// The value of each seed, in their order; None where it has no meaning.
    pub values: Vec<Option<f64>>,
}

/// One application, or the access point, under one discipline.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Scores {
    /// Name of the application, `ap`, or `node/NAME`.
    pub name: String,
    /// What it is: a kind of scenario files, `ap`, or `node`.
    pub kind: &'static str,
    /// Its station's name; none of `ap`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub station: String,
    /// Its metrics.
    pub metrics: BTreeMap<Metric, Summary>,
}

/// Everything under one discipline.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct QueueScores {
    /// As asked for, such as `chap:limit=70`.
    pub label: String,
    /// Name of the discipline.
    pub discipline: &'static str,
    /// All its parameters, as text with units.
    pub params: BTreeMap<&'static str, String>,
    /// The applications, in the order of the scenario.
    pub apps: Vec<Scores>,
    /// The access point and the channel.
    pub ap: Scores,
    /// The nodes of a mesh, in the order of the scenario, each by the name `node/NAME`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Scores>,
}

impl QueueScores {
    /// The application of that name, the access point for `ap`, or a node of a mesh for `node/NAME`.
    pub fn app(&self, name: &str) -> Option<&Scores> {
        self.all().find(|a| a.name == name)
    }

    /// All of them: applications, access point, nodes.
    pub fn all(&self) -> impl Iterator<Item = &Scores> {
        self.apps.iter().chain([&self.ap]).chain(&self.nodes)
    }
}

impl Scores {
    /// Mean of one metric.
    pub fn mean(&self, metric: Metric) -> Option<f64> {
        self.metrics.get(&metric).map(|s| s.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applications, the access point and nodes by their names, each with its own figures.
    #[test]
    fn scores_are_found_by_name() {
        let of = |name: &str, mean: f64| {
            let summary = Summary { mean, half_width_95: Some(9.0), values: vec![Some(7.0)] };
            let metrics = [(Metric::Loss, summary)].into();
            Scores { name: name.into(), kind: "game", station: String::new(), metrics }
        };
        let scores = QueueScores {
            label: "fifo:limit=9".into(),
            discipline: "fifo",
            params: BTreeMap::new(),
            apps: vec![of("a", 1.0), of("b", 2.0)],
            ap: of("ap", 3.0),
            nodes: vec![of("node/a", 4.0), of("node/b", 5.0)],
        };
        let mean = |name: &str| scores.app(name).and_then(|app| app.mean(Metric::Loss));
        let found = ["a", "b", "ap", "node/a", "node/b", "c"].map(mean);
        assert_eq!(found, [Some(1.0), Some(2.0), Some(3.0), Some(4.0), Some(5.0), None]);
        assert_eq!(scores.app("a").unwrap().mean(Metric::Delay), None);
        let names: Vec<&str> = scores.all().map(|scores| scores.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "ap", "node/a", "node/b"]);
    }
}
