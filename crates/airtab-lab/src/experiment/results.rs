// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What `manifest.json` of a sweep says, and, with all of its points, `airtab sweep --format json`.
//!
//! What it does not do: no rows of figures (`crate::frame`).

use std::collections::BTreeMap;

use airtab_scenario::QueueScores;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

use super::{Experiment, PointScores};
use crate::results::Build;

/// A sweep for other programs; serialises in a stable form.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SweepResults<'a> {
    /// Version of this form and of the columns of `results.parquet`; grows when a reader of the older form would be misled.
    pub schema: u32,
    /// What made it.
    #[serde(flatten)]
    pub build: Build<'a>,
    /// Number of the sources: runs of other sources are other runs.
    pub sources: &'a str,
    /// The command line that makes the same in a folder of its files.
    pub command: String,
    /// What it is called.
    pub title: &'a str,
    /// What varies, in the order of the columns.
    pub axes: Vec<AxisValues<'a>>,
    /// Labels of the disciplines.
    pub queues: Vec<&'a str>,
    /// Seeds, as many as the point has that has most.
    pub seeds: &'a [u64],
    /// How many runs there are.
    pub runs: usize,
    /// Where each point got as many seeds as its figure needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilReached<'a>>,
    /// The figures of every point: of `--format json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<PointResults<'a>>>,
    /// Names of the files: of `manifest.json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// A hash of each file that was copied, by its name: of `manifest.json`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
}

/// An axis.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AxisValues<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its values, as they were written.
    pub values: Vec<&'a str>,
}

/// A point: the value of each axis by its name.
pub type At<'a> = BTreeMap<&'a str, &'a str>;

/// What was asked for by `--until` or `[until]`, and how far each point came.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UntilReached<'a> {
    /// The figure.
    pub metric: &'a str,
    /// Half the width that its 95 % interval was to have, in the unit of results.
    pub half_width: f64,
    /// Seeds of the first round.
    pub first: usize,
    /// Seeds of the last one.
    pub most: usize,
    /// Every point.
    pub points: Vec<UntilPoint<'a>>,
}

/// How far a point came.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UntilPoint<'a> {
    /// Which.
    pub at: At<'a>,
    /// Its seeds.
    pub seeds: usize,
    /// The discipline with the widest interval.
    pub widest: &'a str,
    /// Half of that; None where there is no interval.
    pub half_width: Option<f64>,
    /// Whether it is narrow enough.
    pub met: bool,
}

/// The figures of a point.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PointResults<'a> {
    /// Which.
    pub at: At<'a>,
    /// One for each discipline.
    pub queues: &'a [QueueScores],
}

/// What [`SweepResults`] serialises, as JSON Schema (draft 2020-12).
pub fn sweep_results_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<SweepResults>();
    airtab_scenario::schema::titled("Results of a sweep of airtab", "docs/sweeps.md", schema.into())
}

impl Experiment {
    /// The values of the axes at a point.
    pub fn at(&self, at: &[usize]) -> At<'_> {
        let at = at.iter().zip(&self.axes);
        at.map(|(i, axis)| (axis.name.as_str(), axis.values[*i].text.as_str())).collect()
    }

    /// All axes.
    pub fn axis_values(&self) -> Vec<AxisValues<'_>> {
        let axes = self.axes.iter().map(|axis| AxisValues {
            name: &axis.name,
            values: axis.values.iter().map(|value| value.text.as_str()).collect(),
        });
        axes.collect()
    }

    /// The figures of points.
    pub fn point_results<'a>(&'a self, points: &'a [PointScores]) -> Vec<PointResults<'a>> {
        points.iter().map(|point| PointResults { at: self.at(&point.at), queues: &point.queues }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{HOME, parse, point};
    use super::*;

    /// Values by the names of their axes, figures by their points.
    #[test]
    fn points_are_told_by_their_axes() {
        let e = parse(&format!(
            "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\"]\n{HOME}[[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [20, 40]\n\
             [[axis]]\nname = \"a\"\nkeys = \"app.g.start\"\nvalues = [\"0s\", \"1s\", \"2s\"]\nnames = [\"x\", \"y\", \"z\"]\n"
        ));
        assert_eq!(e.at(&[1, 2]), BTreeMap::from([("q", "40"), ("a", "z")]));
        let axes: Vec<_> = e.axis_values().into_iter().map(|axis| (axis.name, axis.values)).collect();
        assert_eq!(axes, [("q", vec!["20", "40"]), ("a", vec!["x", "y", "z"])]);
        let points = [point(&[0, 2], &[("fifo", [1.0; 3])]), point(&[1, 0], &[("fifo", [2.0; 3])])];
        let told = e.point_results(&points);
        let of =
            |i: usize| (told[i].at.clone(), told[i].queues[0].apps[0].metrics.values().next().unwrap().mean);
        assert_eq!(of(0), (BTreeMap::from([("q", "20"), ("a", "z")]), 1.0));
        assert_eq!(of(1), (BTreeMap::from([("q", "40"), ("a", "x")]), 2.0));
    }
}
