// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison as data for other programs: `results.parquet`, one row for
//! each discipline, seed, application and metric, and `manifest.json`, which
//! says what made it.
//!
//! `docs/report.md` lists the columns. What it does not do: no time series
//! (those of one run are in the report), no reading.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::io::{self, Write};

use airtab_scenario::QueueScores;
use airtab_sim::Scenario;
use arrow_array::RecordBatch;
use schemars::JsonSchema;
use serde::Serialize;
use siphasher::sip128::{Hasher128, SipHasher24};

use crate::compare::{Comparison, SCHEMA};
use crate::frame::{Parquet, Rows};

/// Which airtab made a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Build<'a> {
    /// Its version.
    pub version: &'a str,
    /// Commit that it was built from, or `unknown`.
    pub git: &'a str,
}

/// What made a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// Version of airtab.
    pub version: String,
    /// Commit that it was built from, or `unknown`.
    pub git: String,
    /// The command line to repeat it.
    pub command: String,
    /// [`scenario_hash`].
    pub scenario_hash: String,
}

impl Origin {
    /// Without the command.
    pub fn build(&self) -> Build<'_> {
        Build { version: &self.version, git: &self.git }
    }
}

/// A number that is equal for scenarios that are equal however their files are
/// written: SipHash-2-4-128, key 0, of all values. One version of airtab may
/// number a scenario otherwise than the next one.
pub fn scenario_hash(scenario: &Scenario) -> String {
    text_hash(format!("{scenario:?}").as_bytes())
}

/// SipHash-2-4-128, key 0, of a text.
pub fn text_hash(text: &[u8]) -> String {
    let mut hasher = SipHasher24::new();
    hasher.write(text);
    let hash = hasher.finish128();
    format!("{:016x}{:016x}", hash.h1, hash.h2)
}

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Manifest<'a> {
    /// Version of this form and of the columns of `results.parquet`.
    pub schema: u32,
    /// What made the files.
    #[serde(flatten)]
    pub origin: &'a Origin,
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Whether it ran by the short schedule.
    pub short: bool,
    /// Simulated time of each run, ns.
    pub duration_ns: u64,
    /// Measured part of it, ns.
    pub measure_ns: [u64; 2],
    /// Seeds.
    pub seeds: &'a [u64],
    /// Disciplines with all their parameters.
    pub queues: Vec<Queue<'a>>,
    /// Names of the files beside it, in alphabetical order.
    pub files: Vec<String>,
    /// [`text_hash`] of `scenario.toml` as it was written: whoever finds another text there knows that it is
    /// somebody's own.
    pub scenario_text_hash: String,
    /// The same of each file that the scenario names and that was copied beside it, by its name there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
}

/// A discipline of a [`Manifest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Queue<'a> {
    /// As asked for.
    pub label: &'a str,
    /// Name of the discipline.
    pub discipline: &'a str,
    /// All its parameters, as text with units.
    pub params: &'a BTreeMap<&'static str, String>,
}

impl<'a> Manifest<'a> {
    /// The manifest of a comparison and of the files written for it; `text` is that of `scenario.toml`, `inputs` has the
    /// hashes of files that it names.
    pub fn new(
        c: &'a Comparison,
        origin: &'a Origin,
        mut files: Vec<String>,
        (text, inputs): (&str, BTreeMap<String, String>),
    ) -> Manifest<'a> {
        files.sort_unstable();
        let queue =
            |q: &'a QueueScores| Queue { label: &q.label, discipline: q.discipline, params: &q.params };
        Manifest {
            schema: SCHEMA,
            origin,
            scenario: &c.scenario,
            short: c.short,
            duration_ns: c.duration_ns,
            measure_ns: c.measure_ns,
            seeds: &c.seeds,
            queues: c.queues.iter().map(queue).collect(),
            files,
            scenario_text_hash: text_hash(text.as_bytes()),
            inputs,
        }
    }
}

/// A comparison as rows.
pub fn frame(c: &Comparison) -> RecordBatch {
    let mut rows = Rows::new(&[], &c.seeds);
    c.queues.iter().for_each(|q| rows.add(&[], q));
    rows.batch()
}

/// Writes `results.parquet`.
///
/// # Errors
/// Those of `out`.
pub fn write_parquet(c: &Comparison, origin: &Origin, out: &mut (dyn Write + Send)) -> io::Result<()> {
    let about = [
        ("airtab.schema", SCHEMA.to_string()),
        ("airtab.version", origin.version.clone()),
        ("airtab.git", origin.git.clone()),
        ("airtab.command", origin.command.clone()),
        ("airtab.scenario", c.scenario.clone()),
        ("airtab.scenario_hash", origin.scenario_hash.clone()),
        ("airtab.short", c.short.to_string()),
        ("airtab.measure_ns", format!("{} {}", c.measure_ns[0], c.measure_ns[1])),
    ];
    let batch = frame(c);
    let mut file = Parquet::new(out, batch.schema(), &about)?;
    file.write(&batch)?;
    file.close().map(|_| ())
}
