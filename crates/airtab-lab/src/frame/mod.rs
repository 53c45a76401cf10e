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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use airtab_scenario::{Metric, Summary};

    use super::*;

    fn axis(name: &str, values: &[&str]) -> AxisColumn {
        AxisColumn::new(name, values.iter().copied())
    }

    #[test]
    fn an_axis_is_numbers_where_all_of_its_values_are() {
        for (values, expected) in [
            (&["20", "-3"][..], Values::Whole(vec![20, -3])),
            (&["20", "2.5", "1e3"], Values::Numbers(vec![20.0, 2.5, 1000.0])),
            // More than 64 bits.
            (&["1", "9223372036854775808"], Values::Numbers(vec![1.0, 9_223_372_036_854_775_808.0])),
            (&["1", "inf"], Values::Texts(vec!["1".into(), "inf".into()])),
            (&["0.5", "off", "1"], Values::Texts(vec!["0.5".into(), "off".into(), "1".into()])),
        ] {
            assert_eq!(axis("q", values), AxisColumn { name: "q".into(), values: expected });
        }
    }

    fn summary(values: &[Option<f64>]) -> Summary {
        Summary { mean: -1.0, half_width_95: None, values: values.to_vec() }
    }

    fn scores(name: &str, kind: &'static str, metrics: &[(Metric, &[Option<f64>])]) -> Scores {
        let metrics = metrics.iter().map(|(metric, values)| (*metric, summary(values))).collect();
        Scores { name: name.into(), kind, station: "s".into(), metrics }
    }

    fn queue(
        label: &str,
        discipline: &'static str,
        apps: Vec<Scores>,
        ap: Scores,
        nodes: Vec<Scores>,
    ) -> QueueScores {
        QueueScores { label: label.into(), discipline, params: BTreeMap::new(), apps, ap, nodes }
    }

    fn csv(batches: &[RecordBatch]) -> Vec<String> {
        let mut file = Csv::new(Vec::new(), &batches[0].schema()).unwrap();
        batches.iter().for_each(|batch| file.write(batch).unwrap());
        let text = String::from_utf8(file.close().unwrap()).unwrap();
        text.lines().map(str::to_string).collect()
    }

    /// Each seed of each figure beside the values of its point, those of the access point and of nodes too.
    #[test]
    fn rows_are_those_of_each_point_and_seed() {
        use Metric::{GameMos, Goodput, QueueMax};
        let axes = [axis("q", &["20", "40"]), axis("d", &["1", "2.5"]), axis("site", &["near", "far, away"])];
        let mut rows = Rows::new(&axes, &[7, 9]);
        let game = scores("play", "game", &[(GameMos, &[Some(1.5), None])]);
        let ap = scores("ap", "ap", &[(QueueMax, &[Some(3.0)])]);
        let node = scores("node/n", "node", &[(QueueMax, &[Some(4.0), Some(5.0), Some(99.0)])]);
        rows.add(&[1, 0, 1], &queue("fifo:limit=3", "fifo", vec![game], ap, vec![node]));
        let load = scores("load", "download", &[(Goodput, &[Some(0.25), Some(1e6)])]);
        rows.add(&[0, 1, 0], &queue("chap", "chap", vec![load.clone()], scores("ap", "ap", &[]), vec![]));
        let first = rows.batch();
        // The next batch has what was added since.
        rows.add(&[1, 1, 0], &queue("red", "red", vec![load], scores("ap", "ap", &[]), vec![]));
        let [mos, rate, queue] = [GameMos, Goodput, QueueMax].map(Metric::name);
        let expected = [
            "q,d,site,queue,discipline,application,kind,metric,seed,value".to_string(),
            format!("40,1,\"far, away\",fifo:limit=3,fifo,play,game,{mos},7,1.5"),
            format!("40,1,\"far, away\",fifo:limit=3,fifo,play,game,{mos},9,"),
            format!("40,1,\"far, away\",fifo:limit=3,fifo,ap,ap,{queue},7,3"),
            format!("40,1,\"far, away\",fifo:limit=3,fifo,node/n,node,{queue},7,4"),
            format!("40,1,\"far, away\",fifo:limit=3,fifo,node/n,node,{queue},9,5"),
            format!("20,2.5,near,chap,chap,load,download,{rate},7,0.25"),
            format!("20,2.5,near,chap,chap,load,download,{rate},9,1000000"),
            format!("40,2.5,near,red,red,load,download,{rate},7,0.25"),
            format!("40,2.5,near,red,red,load,download,{rate},9,1000000"),
        ];
        assert_eq!(csv(&[first.clone(), rows.batch()]), expected);
        assert_eq!(csv(&[first]), expected[..8]);
    }

    /// Seeds of 64 bits are whole, and all of a file are of one type.
    #[test]
    fn seeds_above_what_is_signed_are_whole() {
        let most = i64::MAX as u64;
        for (seeds, wide) in [([1, most], false), ([1, most + 1], true), ([u64::MAX, 2], true)] {
            let mut rows = Rows::new(&[], &seeds);
            let load = scores("load", "download", &[(Metric::Goodput, &[Some(1.0), Some(2.0)])]);
            rows.add(&[], &queue("fifo", "fifo", vec![load], scores("ap", "ap", &[]), vec![]));
            let batch = rows.batch();
            let seed = batch.schema().field_with_name("seed").unwrap().data_type().clone();
            assert_eq!(seed, if wide { DataType::UInt64 } else { DataType::Int64 }, "{seeds:?}");
            let lines = csv(&[batch]);
            assert!(lines[1].ends_with(&format!(",{},1", seeds[0])), "{lines:?}");
            assert!(lines[2].ends_with(&format!(",{},2", seeds[1])), "{lines:?}");
        }
    }
}
