// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Batches of results as a file of CSV, batch by batch, so that results need not fit into memory.
//!
//! What it does not do: no other columns than those of the batches.

use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};

/// With its kind, by which a reader that has gone is known.
fn of_csv(e: csv::Error) -> io::Error {
    match e.into_kind() {
        csv::ErrorKind::Io(e) => e,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

/// A file of CSV: a line of names, then one for each row; what has no value is empty.
pub struct Csv<W: Write>(csv::Writer<W>);

impl<W: Write> Csv<W> {
    /// Begins it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, schema: &SchemaRef) -> io::Result<Csv<W>> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(schema.fields().iter().map(|field| field.name())).map_err(of_csv)?;
        Ok(Csv(writer))
    }

    /// Adds rows.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        for row in 0..batch.num_rows() {
            for column in batch.columns() {
                let number: String;
                let field = match column.data_type() {
                    _ if column.is_null(row) => "",
                    DataType::Dictionary(..) => {
                        let column = column.as_dictionary::<Int32Type>();
                        column.values().as_string::<i32>().value(column.keys().value(row) as usize)
                    }
                    of => {
                        number = match of {
                            DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_string(),
                            DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).to_string(),
                            _ => column.as_primitive::<Int64Type>().value(row).to_string(),
                        };
                        &number
                    }
                };
                self.0.write_field(field).map_err(of_csv)?;
            }
            self.0.write_record(None::<&[u8]>).map_err(of_csv)?;
        }
        Ok(())
    }

    /// Ends it; gives what it was written to.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn close(mut self) -> io::Result<W> {
        self.0.flush()?;
        self.0.into_inner().map_err(|e| io::Error::new(e.error().kind(), e.to_string()))
    }
}
