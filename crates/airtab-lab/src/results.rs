// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison as data for other programs: `results.parquet`, one row for
//! each discipline, seed, application and metric, and `manifest.json`, which
//! says what made it.
//!
//! `docs/report.md` lists the columns. What it does not do: no time series
//! (those of one run are in the report), no reading.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::Hasher;
use std::io::{self, Write};
use std::sync::Arc;

use airtab_scenario::{QueueScores, Scores};
use airtab_sim::Scenario;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde::Serialize;
use siphasher::sip128::{Hasher128, SipHasher24};

use crate::compare::{Comparison, SCHEMA};

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
    pub quick: bool,
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
    /// The manifest of a comparison and of the files written for it; `text` is that of `scenario.toml`.
    pub fn new(c: &'a Comparison, origin: &'a Origin, mut files: Vec<String>, text: &str) -> Manifest<'a> {
        files.sort_unstable();
        let queue =
            |q: &'a QueueScores| Queue { label: &q.label, discipline: q.discipline, params: &q.params };
        Manifest {
            schema: SCHEMA,
            origin,
            scenario: &c.scenario,
            quick: c.quick,
            duration_ns: c.duration_ns,
            measure_ns: c.measure_ns,
            seeds: &c.seeds,
            queues: c.queues.iter().map(queue).collect(),
            files,
            scenario_text_hash: text_hash(text.as_bytes()),
        }
    }
}

/// Writes `results.parquet`.
///
/// # Errors
/// Those of `out`.
pub fn write_parquet(c: &Comparison, origin: &Origin, out: &mut (dyn Write + Send)) -> io::Result<()> {
    write(c, origin, out).map_err(|e| match e {
        ParquetError::External(e) => e.downcast::<io::Error>().map_or_else(io::Error::other, |e| *e),
        e => io::Error::other(e),
    })
}

const TEXTS: [&str; 5] = ["queue", "discipline", "application", "kind", "metric"];

fn schema() -> Result<Type, ParquetError> {
    let text = |name: &str| {
        Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::String))
            .build()
    };
    let number = |name: &str, physical, repetition| {
        Type::primitive_type_builder(name, physical).with_repetition(repetition).build()
    };
    let mut fields = TEXTS.map(text).into_iter().collect::<Result<Vec<_>, _>>()?;
    fields.push(number("seed", Physical::INT64, Repetition::REQUIRED)?);
    fields.push(number("value", Physical::DOUBLE, Repetition::OPTIONAL)?);
    Type::group_type_builder("results").with_fields(fields.into_iter().map(Arc::new).collect()).build()
}

fn write(c: &Comparison, origin: &Origin, out: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
    let mut texts: [Vec<ByteArray>; TEXTS.len()] = Default::default();
    let (mut seeds, mut values, mut present) = (Vec::new(), Vec::new(), Vec::new());
    for (queue, app) in c.queues.iter().flat_map(|q| q.all().map(move |a| (q, a))) {
        let Scores { name, kind, metrics, .. } = app;
        for (metric, summary) in metrics {
            for (seed, value) in c.seeds.iter().zip(&summary.values) {
                let row = [&queue.label, queue.discipline, name, *kind, metric.name()];
                for (column, text) in texts.iter_mut().zip(row) {
                    column.push(text.into());
                }
                seeds.push(*seed as i64);
                values.extend(*value);
                present.push(i16::from(value.is_some()));
            }
        }
    }
    let mut measured = String::new();
    let _ = write!(measured, "{} {}", c.measure_ns[0], c.measure_ns[1]);
    let about = [
        ("airtab.schema", SCHEMA.to_string()),
        ("airtab.version", origin.version.clone()),
        ("airtab.git", origin.git.clone()),
        ("airtab.command", origin.command.clone()),
        ("airtab.scenario", c.scenario.clone()),
        ("airtab.scenario_hash", origin.scenario_hash.clone()),
        ("airtab.quick", c.quick.to_string()),
        ("airtab.measure_ns", measured),
    ];
    let about = about.map(|(key, value)| KeyValue::new(key.into(), value)).to_vec();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(about)).build();
    let mut file = SerializedFileWriter::new(out, Arc::new(schema()?), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for texts in &texts {
        column::<ByteArrayType, _>(&mut group, texts, None)?;
    }
    column::<Int64Type, _>(&mut group, &seeds, None)?;
    column::<DoubleType, _>(&mut group, &values, Some(&present))?;
    group.close()?;
    file.close()?;
    Ok(())
}

fn column<T: parquet::data_type::DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<W>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("the schema has this column");
    column.typed::<T>().write_batch(values, present, None)?;
    column.close()
}
