// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Results as Arrow: a row for each discipline, seed, application and metric, with a column for each axis in front. Every
//! file of results is written from it.
//!
//! `docs/report.md` lists the columns; texts are dictionaries, as there are few of them in many rows.
//!
//! What it does not do: nothing is averaged or left out here.

mod csv;
mod parquet;

use std::sync::Arc;

use airtab_scenario::{QueueScores, Scores};
use arrow_array::builder::{
    ArrayBuilder, Float64Builder, Int64Builder, StringDictionaryBuilder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

pub use csv::Csv;
pub use parquet::Parquet;

/// Columns of texts, after those of axes.
const TEXTS: [&str; 5] = ["queue", "discipline", "application", "kind", "metric"];
/// Columns after these.
const SEED: &str = "seed";
const VALUE: &str = "value";

/// Names that no axis may have.
pub const COLUMNS: [&str; 7] = [TEXTS[0], TEXTS[1], TEXTS[2], TEXTS[3], TEXTS[4], SEED, VALUE];

/// An axis as a column: numbers where all of its values are, else texts as they were written.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisColumn {
    name: String,
    values: Values,
}

/// The values of an axis.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    Whole(Vec<i64>),
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl AxisColumn {
    /// Of an axis of that name and with these values, as they were written.
    pub fn new<'a>(name: &str, values: impl Iterator<Item = &'a str> + Clone) -> AxisColumn {
        let whole = values.clone().map(|text| text.parse().ok()).collect();
        let numbers =
            || values.clone().map(|text| text.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        let values = match whole {
            Some(whole) => Values::Whole(whole),
            None => match numbers() {
                Some(numbers) => Values::Numbers(numbers),
                None => Values::Texts(values.map(str::to_string).collect()),
            },
        };
        AxisColumn { name: name.into(), values }
    }

    fn data_type(&self) -> DataType {
        match &self.values {
            Values::Whole(_) => DataType::Int64,
            Values::Numbers(_) => DataType::Float64,
            Values::Texts(_) => text(),
        }
    }
}

fn text() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The columns of results that vary along these axes.
fn schema(axes: &[AxisColumn], wide_seeds: bool) -> SchemaRef {
    let axes = axes.iter().map(|axis| Field::new(&axis.name, axis.data_type(), false));
    let texts = TEXTS.iter().map(|name| Field::new(*name, text(), false));
    let seed = if wide_seeds { DataType::UInt64 } else { DataType::Int64 };
    let rest = [Field::new(SEED, seed, false), Field::new(VALUE, DataType::Float64, true)];
    Arc::new(Schema::new(axes.chain(texts).chain(rest).collect::<Vec<_>>()))
}

/// Rows on their way into a [`RecordBatch`].
pub struct Rows<'a> {
    axes: &'a [AxisColumn],
    seeds: &'a [u64],
    schema: SchemaRef,
    along: Vec<Along>,
    texts: [StringDictionaryBuilder<Int32Type>; TEXTS.len()],
    seed: SeedBuilder,
    value: Float64Builder,
}

/// The column of an axis.
enum Along {
    Whole(Int64Builder),
    Numbers(Float64Builder),
    Texts(StringDictionaryBuilder<Int32Type>),
}

/// Seeds are INT64, as most readers like best, unless one is larger.
enum SeedBuilder {
    Usual(Int64Builder),
    Wide(UInt64Builder),
}

impl<'a> Rows<'a> {
    /// None yet; `seeds`: those of every summary.
    pub fn new(axes: &'a [AxisColumn], seeds: &'a [u64]) -> Rows<'a> {
        let wide = seeds.iter().any(|seed| i64::try_from(*seed).is_err());
        let along = |axis: &AxisColumn| match axis.values {
            Values::Whole(_) => Along::Whole(Int64Builder::new()),
            Values::Numbers(_) => Along::Numbers(Float64Builder::new()),
            Values::Texts(_) => Along::Texts(StringDictionaryBuilder::new()),
        };
        Rows {
            axes,
            seeds,
            schema: schema(axes, wide),
            along: axes.iter().map(along).collect(),
            texts: Default::default(),
            seed: match wide {
                true => SeedBuilder::Wide(UInt64Builder::new()),
                false => SeedBuilder::Usual(Int64Builder::new()),
            },
            value: Float64Builder::new(),
        }
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Adds the figures of a discipline; `at`: the number of the value of each axis.
    ///
    /// # Panics
    /// If there is no such value.
    pub fn add(&mut self, at: &[usize], q: &QueueScores) {
        for Scores { name, kind, metrics, .. } in q.all() {
            for (metric, summary) in metrics {
                let n = self.seeds.len().min(summary.values.len());
                for ((axis, column), i) in self.axes.iter().zip(&mut self.along).zip(at) {
                    match (&axis.values, column) {
                        (Values::Whole(values), Along::Whole(column)) => column.append_value_n(values[*i], n),
                        (Values::Numbers(values), Along::Numbers(column)) => {
                            column.append_value_n(values[*i], n);
                        }
                        (Values::Texts(values), Along::Texts(column)) => append_n(column, &values[*i], n),
                        _ => unreachable!("a column is made of its axis"),
                    }
                }
                let row = [q.label.as_str(), q.discipline, name, kind, metric.name()];
                for (column, text) in self.texts.iter_mut().zip(row) {
                    append_n(column, text, n);
                }
                match &mut self.seed {
                    SeedBuilder::Usual(column) => {
                        self.seeds[..n].iter().for_each(|seed| column.append_value(*seed as i64));
                    }
                    SeedBuilder::Wide(column) => column.append_slice(&self.seeds[..n]),
                }
                summary.values[..n].iter().for_each(|value| self.value.append_option(*value));
            }
        }
    }

    /// What was added since the last batch.
    ///
    /// # Panics
    /// Never: the columns are those of the schema.
    pub fn batch(&mut self) -> RecordBatch {
        let along = self.along.iter_mut().map(|column| -> ArrayRef {
            match column {
                Along::Whole(column) => Arc::new(column.finish()),
                Along::Numbers(column) => Arc::new(column.finish()),
                Along::Texts(column) => Arc::new(column.finish()),
            }
        });
        let mut columns: Vec<ArrayRef> = along.collect();
        columns.extend(self.texts.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
        columns.push(match &mut self.seed {
            SeedBuilder::Usual(column) => ArrayBuilder::finish(column),
            SeedBuilder::Wide(column) => ArrayBuilder::finish(column),
        });
        columns.push(Arc::new(self.value.finish()));
        RecordBatch::try_new(self.schema(), columns).expect("columns are those of the schema")
    }
}

/// A text so many times, which is looked up once.
fn append_n(column: &mut StringDictionaryBuilder<Int32Type>, text: &str, n: usize) {
    if n > 0 {
        column.append_n(text, n).expect("there are fewer texts than keys");
    }
}
