// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model contention`: a table of any subject, a row for each combination of values.
//!
//! What it does not do: no subject is known here (`airtab_lab::contention`).

mod asked;
mod figure;

use std::process::ExitCode;

use airtab_lab::contention::{Cell, Runs};
pub use asked::Asked;
use indicatif::ProgressBar;
use serde_json::{Map, Value, json};

use super::columns::{self, Columns};
use super::{Answer, wrong_usage};
use crate::commands::progress::progress_bar;
use crate::output;

/// Rows of one table.
const MOST_ROWS: usize = 10_000;

/// A parameter that has several values, and its number among those.
struct Varied {
    name: &'static str,
    values: usize,
}

/// What came out.
struct Rows {
    varied: Vec<Varied>,
    cells: Vec<Cell>,
    /// A value for each output, row by row.
    values: Vec<Vec<f64>>,
}

/// Works out every combination and shows it.
pub fn contention(asked: &Asked) -> anyhow::Result<ExitCode> {
    let rows = match rows(asked) {
        Ok(rows) => rows,
        Err(message) => return wrong_usage(message),
    };
    if let Some(path) = &asked.form.out {
        match figure::figure(asked.subject, &rows) {
            Ok(figure) => output::Drawing::open(path)?.write(&figure)?,
            Err(message) => return wrong_usage(message),
        }
    }
    Answer { text: text(asked, &rows), json: as_json(asked, &rows) }.print(asked.form.printed.is_json())
}

fn rows(asked: &Asked) -> Result<Rows, String> {
    let cells = asked.subject.cells(&asked.lists)?;
    if cells.len() > MOST_ROWS {
        return Err(format!("{} rows: at most {MOST_ROWS}; give shorter lists", cells.len()));
    }
    let several = |(name, values): &(String, Vec<String>)| {
        let param = asked.subject.params().find(|param| param.name == name)?;
        (values.len() > 1).then_some(Varied { name: param.name, values: values.len() })
    };
    let varied: Vec<Varied> = asked.lists.iter().filter_map(several).collect();
    let bar = if asked.subject.random { progress_bar(cells.len()) } else { ProgressBar::hidden() };
    let mut runs = Runs::default();
    let mut value = |cell: &Cell| {
        let values = cell.figures(&mut runs).map_err(|e| e.to_string());
        bar.inc(1);
        values
    };
    let values = cells.iter().map(&mut value).collect::<Result<_, _>>();
    bar.finish_and_clear();
    Ok(Rows { varied, values: values?, cells })
}

fn text(asked: &Asked, rows: &Rows) -> String {
    let style = output::stdout_style();
    let stub = Columns {
        headings: rows.varied.iter().map(|varied| varied.name.into()).collect(),
        rows: rows.cells.iter().map(|cell| cell.varied.clone()).collect(),
    };
    let column = |(i, output): (usize, &airtab_lab::contention::Output)| Columns {
        headings: vec![output.heading.into()],
        rows: rows.values.iter().map(|row| vec![output.shown(row[i])]).collect(),
    };
    let columns = asked.subject.outputs.iter().enumerate().map(column);
    let head = airtab_lab::table::wrap(&format!("{}.", asked.subject.about), style.width);
    format!("{head}\n\n{}", columns::tables(&stub, columns, style))
}

fn as_json(asked: &Asked, rows: &Rows) -> Value {
    let row = |(cell, values): (&Cell, &Vec<f64>)| {
        let given = asked.lists.iter().filter(|(_, values)| values.len() == 1);
        let given = given.map(|(name, values)| (name.clone(), number(&values[0])));
        let varied = rows.varied.iter().zip(&cell.varied).map(|(v, value)| (v.name.into(), number(value)));
        let values = asked.subject.outputs.iter().zip(values).map(|(o, value)| {
            let word = o.words.get(*value as usize).filter(|_| !value.is_nan());
            (o.name.into(), word.map_or_else(|| json!(value), |word| json!(word)))
        });
        Value::Object(given.chain(varied).chain(values).collect::<Map<_, _>>())
    };
    let rows: Vec<Value> = rows.cells.iter().zip(&rows.values).map(row).collect();
    json!({ "model": "contention", "subject": asked.subject.name, "rows": rows })
}

/// As a number, if it is one.
fn number(text: &str) -> Value {
    let whole = text.parse::<u64>().map(Value::from);
    whole.or_else(|_| text.parse::<f64>().map(Value::from)).unwrap_or_else(|_| text.into())
}
