// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The figure of a subject: a panel for each output over the parameter that has most values, a line for each
//! combination of the others.
//!
//! What it does not do: no drawing (`airtab_lab::draw`).

use airtab_lab::contention::{Output, Subject};
use airtab_lab::draw::{Axis, Content, Figure, Kind, Line, Look, Panel, Plot, Point};

use super::Rows;

/// Lines of a panel that can be told apart.
const MOST_LINES: usize = 24;

/// Draws the rows.
///
/// # Errors
/// No parameter with several numbers, or too many lines.
pub fn figure(subject: &Subject, rows: &Rows) -> Result<Figure, String> {
    let over = over(rows).ok_or("--out: give a list of numbers to draw over, such as --n 2,5,10")?;
    let lines = lines(rows, over);
    if lines.len() > MOST_LINES {
        return Err(format!(
            "--out: {} lines, {MOST_LINES} at most can be told apart; give shorter lists",
            lines.len()
        ));
    }
    let x = rows.varied[over].name;
    let panels = subject.outputs.iter().enumerate().filter(|(_, output)| output.words.is_empty());
    let panels = panels.map(|(i, output)| panel(output, x, &lines, |row| rows.values[row][i])).collect();
    Ok(Figure::new(subject.name, subject.about, "", panels))
}

/// Of the parameters with several numbers the one with most.
fn over(rows: &Rows) -> Option<usize> {
    let numbers = |i: &usize| rows.cells.iter().all(|cell| cell.varied[*i].parse::<f64>().is_ok());
    // The first of several that have as many.
    (0..rows.varied.len()).rev().filter(numbers).max_by_key(|i| rows.varied[*i].values)
}

/// A name, and the rows that have it with their places.
type Rest = (String, Vec<(f64, usize)>);

fn lines(rows: &Rows, over: usize) -> Vec<Rest> {
    let mut lines: Vec<Rest> = Vec::new();
    for (row, cell) in rows.cells.iter().enumerate() {
        let others = rows.varied.iter().zip(&cell.varied).enumerate().filter(|(i, _)| *i != over);
        let name = |(_, (varied, value)): (usize, (&super::Varied, &String))| match value.parse::<f64>() {
            Ok(_) => format!("{} = {value}", varied.name),
            Err(_) => value.clone(),
        };
        let name = others.map(name).collect::<Vec<_>>().join(", ");
        let place = (cell.varied[over].parse().unwrap_or(0.0), row);
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, places)) => places.push(place),
            None => lines.push((name, vec![place])),
        }
    }
    lines.iter_mut().for_each(|(_, places)| places.sort_by(|a, b| a.0.total_cmp(&b.0)));
    lines
}

fn panel(output: &Output, x: &str, lines: &[Rest], value: impl Fn(usize) -> f64) -> Panel {
    let label = output.heading.trim().replace('\n', ", ");
    let line = |(i, (name, places)): (usize, &Rest)| {
        let point = |(x, row): &(f64, usize)| Some(Point::new(*x, value(*row))).filter(|p| !p.y.is_nan());
        let name = if name.is_empty() { label.clone() } else { name.clone() };
        Line { name, look: Look::of_app(i), kind: Kind::Means, points: places.iter().map(point).collect() }
    };
    let lines: Vec<Line> = lines.iter().enumerate().map(line).collect();
    let all = || lines.iter().flat_map(|line| line.points.iter().flatten());
    let x_axis = Axis::new(x).covering([0.0]).covering(all().map(|p| p.x));
    let y_axis = Axis::new(&label).covering([0.0]).covering(all().map(|p| p.y));
    let alt = format!("{label} over {x}");
    let content = Content::Plot(Plot { x: x_axis, y: y_axis, lines, mark: None });
    Panel { name: String::new(), caption: label, alt, content }
}
