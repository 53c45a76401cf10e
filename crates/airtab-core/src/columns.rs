// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a discipline's table says of single flows or classes, by the names of its columns.
//!
//! A column called [`FLOW`] holds the hash of the flow that a row is about
//! (`airtab/qdisc.h`). Beside it, hosts and reports show the gauges that have a
//! unit, whatever they are called: what the discipline decides by. Numbers of
//! packets and bytes that wait are left out: every host counts those itself.
//!
//! A column called [`CLASS`] says which class a row is about.
//!
//! What it does not do: tables of classes or queues alone say nothing of a flow.

use crate::params::{Discipline, Stat};
use crate::units::Unit;

/// The column that tells which flow a row is about.
pub const FLOW: &str = "flow";
/// The column that tells which class a row is about; that of urgent packets is [`crate::URGENT`].
pub const CLASS: &str = "class";
/// Columns of what waits begin so.
const BACKLOG: &str = "backlog";

/// A column of a discipline's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// Its place in a row.
    pub place: usize,
    /// Its name, unique in its table.
    pub name: &'static str,
    /// Unit of its values.
    pub unit: Unit,
    /// What it says.
    pub help: &'static str,
}

impl Column {
    /// Its value in a row of [`crate::Qdisc::rows`], in its own unit.
    pub fn value(&self, row: &[u64]) -> i64 {
        match self.unit {
            Unit::SignedNs => row[self.place] as i64,
            _ => i64::try_from(row[self.place]).unwrap_or(i64::MAX),
        }
    }

    /// Whether it is worth showing beside a flow.
    fn tells(&self, counter: bool) -> bool {
        !counter && self.unit.has_dimension() && !self.name.starts_with(BACKLOG)
    }
}

impl Discipline {
    /// The column of that name in its table.
    pub fn column(self, name: &str) -> Option<Column> {
        self.columns().find(|(column, _)| column.name == name).map(|(column, _)| column)
    }

    /// What its table says of a flow, in the table's order; empty if no column
    /// tells which flow a row is about.
    pub fn flow_columns(self) -> Vec<Column> {
        if self.column(FLOW).is_none() {
            return Vec::new();
        }
        self.columns().filter(|(column, counter)| column.tells(*counter)).map(|(column, _)| column).collect()
    }

    /// The column of that name, where its table has a row for each class.
    pub fn class_column(self, name: &str) -> Option<Column> {
        self.column(CLASS).and_then(|_| self.column(name))
    }

    fn columns(self) -> impl Iterator<Item = (Column, bool)> {
        let column = |(place, stat): (usize, Stat)| {
            (Column { place, name: stat.name, unit: stat.unit, help: stat.help }, stat.counter)
        };
        self.row_stats().into_iter().enumerate().map(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_signed_where_the_unit_says_so() {
        let column = |unit| Column { place: 1, name: "x", unit, help: "" };
        assert_eq!(column(Unit::SignedNs).value(&[1, -5i64 as u64]), -5);
        assert_eq!(column(Unit::Ns).value(&[1, 5]), 5);
        assert_eq!(column(Unit::Hex).value(&[1, u64::MAX]), i64::MAX);
    }
}
