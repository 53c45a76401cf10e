// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of what a discipline's table says of flows, named after its columns.
//!
//! What it does not do: which columns those are, the tables say
//! (`airtab_core::Discipline::flow_columns`).

use std::sync::LazyLock;

use airtab_core::{Column, Unit, disciplines};

use super::{Metric, Row, Sense};

/// Names of the columns of flows of all disciplines, sorted.
static COLUMNS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let columns = disciplines().flat_map(|discipline| discipline.flow_columns());
    let mut names: Vec<_> = columns.map(|column| column.name).collect();
    names.sort_unstable();
    names.dedup();
    names
});

/// A figure of one column. Small, as a run has hundreds of figures and a comparison thousands of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ColumnFigure {
    /// The place of the column's name in [`COLUMNS`]: figures are in the order of the names.
    column: u16,
    of: Of,
    unit: Unit,
}

/// What is said of a column's values over a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// Mean over an application's flows and over time.
    Mean,
    /// Least value of its flow; before a server of fixed times only, as the next two.
    Least,
    /// Greatest value of its flow.
    Most,
    /// Value of its flow at the end.
    Last,
}

impl Of {
    const ALL: [Of; 4] = [Of::Mean, Of::Least, Of::Most, Of::Last];

    /// In names.
    fn word(self) -> &'static str {
        match self {
            Of::Mean => "mean",
            Of::Least => "least",
            Of::Most => "most",
            Of::Last => "last",
        }
    }

    /// Around the column's name in labels.
    fn around(self, name: &str) -> String {
        match self {
            Of::Mean => name.into(),
            Of::Least => format!("least {name}"),
            Of::Most => format!("greatest {name}"),
            Of::Last => format!("{name} at the end"),
        }
    }
}

impl Metric {
    /// A figure of a column of flows, in the base unit.
    ///
    /// # Panics
    /// If no discipline has a column of flows by that name.
    pub fn of_column(column: &Column, of: Of) -> Metric {
        // Signed or not: the same unit.
        let unit = if column.unit == Unit::SignedNs { Unit::Ns } else { column.unit };
        let place = COLUMNS.binary_search(&column.name).expect("a column of flows");
        let column = u16::try_from(place).expect("disciplines have fewer columns");
        Metric::Column(ColumnFigure { column, of, unit })
    }
}

/// Unit in tables, factor to it from the base unit, decimals.
pub fn shown(unit: Unit) -> (&'static str, f64, usize) {
    match unit {
        Unit::Ns | Unit::SignedNs => ("ms", 1e3, 2),
        Unit::Bytes => ("kB", 1e-3, 2),
        Unit::Bps => ("Mb/s", 1e-6, 2),
        Unit::Ppm => ("%", 1e2, 2),
        Unit::Q16 | Unit::Count | Unit::Bool | Unit::Choice | Unit::Hex | Unit::Rule | Unit::Weight => {
            ("", 1.0, 2)
        }
    }
}

/// Every figure of every discipline's columns.
pub(super) fn rows() -> Vec<Row> {
    let columns = disciplines().flat_map(|discipline| discipline.flow_columns());
    let figures = columns.flat_map(|column| Of::ALL.map(|of| (Metric::of_column(&column, of), column, of)));
    // Disciplines share columns. The first of each, before its names are made, which nothing frees.
    let mut figures: Vec<_> = figures.collect();
    figures.sort_by_key(|figure| figure.0);
    figures.dedup_by_key(|figure| figure.0);
    let row = |(metric, column, of): (Metric, Column, Of)| {
        let with = |text: String, mark: &str, unit: &str| match unit {
            "" => text,
            unit => text + mark + unit,
        };
        let name = with(format!("{}_{}", column.name, of.word()), "_", column.unit.base());
        let (unit, factor, decimals) = shown(column.unit);
        let label = with(of.around(column.name), ", ", unit);
        // Once for each: they are as long there as the tables that they come from.
        (metric, &*name.leak(), &*label.leak(), factor, decimals, Sense::Neither)
    };
    figures.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second in ms, a kilobyte, a megabit a second and a half in the units of tables; counts as they are.
    #[test]
    fn columns_are_shown_in_the_units_of_tables() {
        for (unit, value, expected) in [
            (Unit::Ns, 0.25, (250.0, "ms")),
            (Unit::SignedNs, -0.25, (-250.0, "ms")),
            (Unit::Bytes, 1500.0, (1.5, "kB")),
            (Unit::Bps, 54e6, (54.0, "Mb/s")),
            (Unit::Ppm, 0.5, (50.0, "%")),
            (Unit::Count, 7.0, (7.0, "")),
            (Unit::Q16, 1.5, (1.5, "")),
        ] {
            let (name, factor, decimals) = shown(unit);
            assert_eq!(((value * factor * 1e9).round() / 1e9, name), expected, "{unit:?}");
            assert_eq!(decimals, 2);
        }
    }

    /// Each column has four figures, each with the words of what it is of.
    #[test]
    fn figures_of_a_column_are_told_apart() {
        let column =
            disciplines().flat_map(|discipline| discipline.flow_columns()).next().expect("one has columns");
        let around = [("mean", ""), ("least", "least "), ("most", "greatest "), ("last", "")];
        for (of, (word, before)) in Of::ALL.into_iter().zip(around) {
            let metric = Metric::of_column(&column, of);
            let after = if word == "last" { " at the end" } else { "" };
            assert!(metric.name().starts_with(&format!("{}_{word}", column.name)), "{}", metric.name());
            let label = metric.label().split(", ").next().unwrap();
            assert_eq!(label, format!("{before}{}{after}", column.name));
        }
    }
}
