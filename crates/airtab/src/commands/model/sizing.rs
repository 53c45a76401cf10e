// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model size`, `wqm` and `dnb`: how much may be queued, by several rules.
//!
//! What they take is in `args`, values as they are written in `values`; a `Sheet` makes text, JSON and a figure.
//!
//! What it does not do: no formula is here (`airtab_model::sizing`).

pub mod args;
mod dnb;
mod follow;
mod size;
mod values;
mod wqm;

use std::process::ExitCode;

use args::SizeCommand;

use super::args::Form;
use super::sheet::{Cell, Drawn, Sheet};

pub use dnb::dnb;
pub use wqm::wqm;

/// Rows of one table.
const MOST_ROWS: usize = 10_000;

/// Works out one rule and shows it.
pub fn size(args: &args::Size) -> anyhow::Result<ExitCode> {
    match &args.command {
        SizeCommand::Bdp(args) => size::bdp(args),
        SizeCommand::Sqrt(args) => size::sqrt(args),
        SizeCommand::Tiny(args) => size::tiny(args),
        SizeCommand::Ebdp(args) => follow::ebdp(args),
        SizeCommand::Alt(args) => follow::alt(args),
        SizeCommand::Astar(args) => follow::a_star(args),
    }
}

fn show_size(made: Result<Sheet, String>, form: &Form, drawn: &Drawn) -> anyhow::Result<ExitCode> {
    super::show("size", made, form, drawn)
}

/// So many rows are not too many.
fn checked(rows: usize) -> Result<(), String> {
    match rows <= MOST_ROWS {
        true => Ok(()),
        false => Err(format!("{rows} rows: at most {MOST_ROWS}; give shorter lists")),
    }
}

fn cells<const N: usize>(values: [f64; N]) -> Vec<Cell> {
    values.map(Cell::Number).into()
}

/// Nanoseconds as microseconds.
fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_at_most_10000_rows() {
        assert_eq!(checked(10_000), Ok(()));
        assert_eq!(checked(10_001), Err("10001 rows: at most 10000; give shorter lists".into()));
        assert_eq!((us(1_500), cells([1.0, 2.5])), (1.5, vec![Cell::Number(1.0), Cell::Number(2.5)]));
    }
}
