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

#[cfg(test)]
mod tests {
    use super::super::super::args::ModelCommand;
    use super::super::super::given;
    use super::super::{Asked, as_json, rows};
    use super::*;

    fn asked(words: &[&str]) -> Asked {
        let words = [&["contention"], words].concat();
        let ModelCommand::Contention(args) = given::command(&words) else { panic!("another model") };
        args.asked
    }

    /// The parameter with most values is drawn over, the first of two that have as many; each combination of the others is a
    /// line, its points from left to right.
    #[test]
    fn the_longest_list_of_numbers_is_drawn_over() {
        for (words, over, names) in [
            (&["waste", "--n", "2,15", "--lost", "68,10,30"][..], "lost", &["n = 2", "n = 15"][..]),
            (&["waste", "--n", "15,2,5", "--lost", "68,10"], "n", &["lost = 68", "lost = 10"]),
            (&["waste", "--n", "15,2", "--lost", "68,10"], "n", &["lost = 68", "lost = 10"]),
            (
                &["access", "--method", "dcf,idle-sense,hash1", "--n", "3,2", "--successes", "200"],
                "n",
                &["dcf", "idle-sense", "hash1"],
            ),
        ] {
            let asked = asked(words);
            let rows = rows(&asked).expect("rows");
            let figure = figure(asked.subject, &rows).expect("a figure");
            let place = rows.varied.iter().position(|varied| varied.name == over).expect("it varies");
            let numbers =
                asked.subject.outputs.iter().enumerate().filter(|(_, output)| output.words.is_empty());
            let numbers: Vec<usize> = numbers.map(|(i, _)| i).collect();
            assert_eq!(figure.panels().len(), numbers.len(), "{words:?}");
            for (panel, output) in numbers.into_iter().enumerate() {
                let label = asked.subject.outputs[output].heading.trim().replace('\n', ", ");
                assert_eq!(figure.panels()[panel].caption, label);
                assert_eq!(figure.panels()[panel].alt, format!("{label} over {over}"));
                let lines = given::lines(&figure, panel);
                assert_eq!(
                    lines.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
                    names,
                    "{words:?}"
                );
                for (name, points) in &lines {
                    let other = name.rsplit(' ').next().expect("a value");
                    let of_line = rows
                        .cells
                        .iter()
                        .zip(&rows.values)
                        .filter(|(cell, _)| cell.varied[1 - place] == other);
                    let mut expected: Vec<(f64, f64)> = of_line
                        .map(|(cell, values)| (cell.varied[place].parse().expect("a number"), values[output]))
                        .filter(|(_, value)| !value.is_nan())
                        .collect();
                    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
                    assert_eq!(points, &expected, "{words:?} {label} {name}");
                }
            }
        }
        let one = asked(&["waste", "--n", "2,5,9", "--lost", "68"]);
        let lines = given::lines(&figure(one.subject, &rows(&one).expect("rows")).expect("a figure"), 1);
        assert_eq!(lines[0].0, "wasted, slots", "a lone line has the name of its quantity");
    }

    #[test]
    fn a_figure_has_at_most_24_lines() {
        let numbers = |n: u32| (1..=n).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
        let drawn = |lines: u32| {
            let asked = asked(&["link", "--bytes", &numbers(lines), "--slot", &numbers(lines + 1)]);
            figure(asked.subject, &rows(&asked).expect("rows")).map(|_| ())
        };
        assert_eq!(drawn(24), Ok(()));
        let said = "--out: 25 lines, 24 at most can be told apart; give shorter lists";
        assert_eq!(drawn(25), Err(said.into()));
        let words = asked(&["access", "--method", "dcf,idle-sense", "--n", "2", "--successes", "200"]);
        let said = figure(words.subject, &rows(&words).expect("rows")).map(|_| ()).expect_err("no numbers");
        assert!(said.contains("give a list of numbers to draw over"), "{said}");
    }

    /// JSON has what was given once as well as what varies, numbers as numbers, and words in place of their numbers.
    #[test]
    fn json_has_what_was_given() {
        let waste = asked(&["waste", "--n", "2,15", "--lost", "68.5"]);
        let found = rows(&waste).expect("rows");
        let json = as_json(&waste, &found);
        for (row, n) in [(0, 2), (1, 15)] {
            let of = &json["rows"][row];
            assert_eq!((&of["n"], &of["lost"]), (&n.into(), &68.5.into()));
            assert_eq!(of["ramp"].as_f64(), Some(found.values[row][3]));
        }
        assert_ne!(found.values[0][3], found.values[1][3]);
        let pipe = asked(&["pipe", "--flows", "6", "--packets", "5,12,60"]);
        let json = as_json(&pipe, &rows(&pipe).expect("rows"));
        let regimes: Vec<&str> =
            json["rows"].as_array().expect("rows").iter().filter_map(|row| row["regime"].as_str()).collect();
        assert_eq!(regimes, ["small", "intermediate", "large"]);
    }

    #[test]
    fn a_table_has_at_most_10000_rows() {
        let numbers =
            |from: u32, n: u32| (from..from + n).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
        let of = |packets: u32| {
            let asked = asked(&["pipe", "--flows", &numbers(1, 100), "--packets", &numbers(1, packets)]);
            rows(&asked).map(|rows| rows.values.len())
        };
        assert_eq!(of(100), Ok(10_000));
        assert_eq!(of(101), Err("10100 rows: at most 10000; give shorter lists".into()));
    }
}
