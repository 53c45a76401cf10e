// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Batches of results as a file of Parquet: row groups of [`GROUP_ROWS`] or more, so that results need not fit into memory.
//!
//! Column by column: the `arrow` feature of `parquet`, which would take a batch as it is, doubles what there is to compile.
//!
//! What it does not do: no other columns than those of the batches, and no Arrow schema in the file: texts are strings to
//! its readers.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, SchemaRef};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type as Int64};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

/// A row group is written as soon as so many rows wait.
const GROUP_ROWS: usize = 1 << 18;

/// A file of Parquet.
pub struct Parquet<W: Write + Send> {
    file: SerializedFileWriter<W>,
    waiting: Vec<RecordBatch>,
}

impl<W: Write + Send> Parquet<W> {
    /// Begins it; `about`: keys and values that say what made it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, schema: SchemaRef, about: &[(&str, String)]) -> io::Result<Parquet<W>> {
        let about = about.iter().map(|(key, value)| KeyValue::new((*key).into(), value.clone())).collect();
        let properties = WriterProperties::builder().set_key_value_metadata(Some(about)).build();
        let begin = || {
            let fields = schema.fields().iter().map(|field| Ok(Arc::new(column_type(field)?)));
            let fields = fields.collect::<Result<_, ParquetError>>()?;
            let all = Type::group_type_builder("results").with_fields(fields).build()?;
            SerializedFileWriter::new(out, Arc::new(all), Arc::new(properties))
        };
        Ok(Parquet { file: begin().map_err(as_io)?, waiting: Vec::new() })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.waiting.push(batch.clone());
        let rows: usize = self.waiting.iter().map(RecordBatch::num_rows).sum();
        if rows >= GROUP_ROWS { self.group().map_err(as_io) } else { Ok(()) }
    }

    /// Ends it; gives what it was written to.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn close(mut self) -> io::Result<W> {
        if self.waiting.iter().any(|batch| batch.num_rows() > 0) {
            self.group().map_err(as_io)?;
        }
        self.file.into_inner().map_err(as_io)
    }

    /// Writes what waits.
    fn group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        let mut number = 0;
        while let Some(mut column) = group.next_column()? {
            for batch in &self.waiting {
                write_column(&mut column, batch.column(number))?;
            }
            column.close()?;
            number += 1;
        }
        group.close()?;
        self.waiting.clear();
        Ok(())
    }
}

/// The column of a field.
fn column_type(field: &Field) -> Result<Type, ParquetError> {
    let (physical, logical) = match field.data_type() {
        DataType::Dictionary(..) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        DataType::Float64 => (Physical::DOUBLE, None),
        DataType::UInt64 => (Physical::INT64, Some(LogicalType::integer(64, false))),
        _ => (Physical::INT64, None),
    };
    let repetition = if field.is_nullable() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let column = Type::primitive_type_builder(field.name(), physical);
    column.with_repetition(repetition).with_logical_type(logical).build()
}

/// A part of a column.
fn write_column(column: &mut SerializedColumnWriter, part: &dyn Array) -> Result<(), ParquetError> {
    match part.data_type() {
        DataType::Dictionary(..) => {
            let part = part.as_dictionary::<Int32Type>();
            let words: Vec<ByteArray> =
                part.values().as_string::<i32>().iter().flatten().map(ByteArray::from).collect();
            let texts: Vec<ByteArray> =
                part.keys().values().iter().map(|key| words[*key as usize].clone()).collect();
            column.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
        }
        DataType::Float64 => {
            let part = part.as_primitive::<Float64Type>();
            let present: Vec<i16> = part.iter().map(|value| i16::from(value.is_some())).collect();
            let values: Vec<f64> = part.iter().flatten().collect();
            column.typed::<DoubleType>().write_batch(&values, Some(&present), None)?;
        }
        DataType::UInt64 => {
            let values: Vec<i64> =
                part.as_primitive::<UInt64Type>().values().iter().map(|seed| *seed as i64).collect();
            column.typed::<Int64>().write_batch(&values, None, None)?;
        }
        _ => {
            let values = part.as_primitive::<Int64Type>().values();
            column.typed::<Int64>().write_batch(values, None, None)?;
        }
    }
    Ok(())
}

fn as_io(e: ParquetError) -> io::Error {
    match e {
        ParquetError::External(e) => e.downcast::<io::Error>().map_or_else(io::Error::other, |e| *e),
        e => io::Error::other(e),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, UInt64Array};
    use arrow_schema::Schema;
    use bytes::Bytes;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;

    /// Texts, a seed above what is signed, a number, a number that is not there.
    fn batch(rows: usize) -> RecordBatch {
        let words: DictionaryArray<Int32Type> = (0..rows).map(|i| Some(["fifo", "chap"][i % 2])).collect();
        let columns: [(&str, ArrayRef, bool); 5] = [
            ("queue", Arc::new(words), false),
            ("limit", Arc::new((0..rows as i64).map(Some).collect::<Int64Array>()), false),
            ("distance", Arc::new((0..rows).map(|i| Some(i as f64 / 2.0)).collect::<Float64Array>()), false),
            ("seed", Arc::new((0..rows).map(|i| Some(u64::MAX - i as u64)).collect::<UInt64Array>()), false),
            (
                "value",
                Arc::new((0..rows).map(|i| (i % 3 > 0).then_some(i as f64)).collect::<Float64Array>()),
                true,
            ),
        ];
        let field = |(name, column, null): &(&str, ArrayRef, bool)| {
            Field::new(*name, column.data_type().clone(), *null)
        };
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        RecordBatch::try_new(Arc::new(schema), columns.map(|(_, column, _)| column).into()).unwrap()
    }

    fn written(batches: &[RecordBatch]) -> SerializedFileReader<Bytes> {
        let mut file = Parquet::new(Vec::new(), batches[0].schema(), &[("key", "of it".into())]).unwrap();
        batches.iter().for_each(|batch| file.write(batch).unwrap());
        SerializedFileReader::new(Bytes::from(file.close().unwrap())).unwrap()
    }

    #[test]
    fn each_row_of_each_batch_in_order() {
        let file = written(&[batch(3), batch(0), batch(2)]);
        assert_eq!(file.num_row_groups(), 1);
        let rows: Vec<String> =
            file.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(
            rows,
            [
                "{queue: \"fifo\", limit: 0, distance: 0E0, seed: 18446744073709551615, value: null}",
                "{queue: \"chap\", limit: 1, distance: 0.5, seed: 18446744073709551614, value: 1.0}",
                "{queue: \"fifo\", limit: 2, distance: 1.0, seed: 18446744073709551613, value: 2.0}",
                "{queue: \"fifo\", limit: 0, distance: 0E0, seed: 18446744073709551615, value: null}",
                "{queue: \"chap\", limit: 1, distance: 0.5, seed: 18446744073709551614, value: 1.0}",
            ]
        );
        let about = file.metadata().file_metadata().key_value_metadata().unwrap();
        assert_eq!((about[0].key.as_str(), about[0].value.as_deref()), ("key", Some("of it")));
    }

    #[test]
    fn groups_of_many_rows_and_none_without() {
        let rows = |file: &SerializedFileReader<Bytes>| -> Vec<i64> {
            file.metadata().row_groups().iter().map(|group| group.num_rows()).collect()
        };
        let most = GROUP_ROWS as i64;
        let file = written(&[batch(GROUP_ROWS - 1), batch(5), batch(7)]);
        assert_eq!(rows(&file), [most + 4, 7]);
        let last = file.get_row_iter(None).unwrap().last().unwrap().unwrap();
        assert_eq!(last.get_long(1).unwrap(), 6);
        assert_eq!(rows(&written(&[batch(GROUP_ROWS)])), [most]);
        assert_eq!(rows(&written(&[batch(0)])), [0; 0]);
    }
}
