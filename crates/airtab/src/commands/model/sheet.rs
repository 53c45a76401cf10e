// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Rows of figures as a text table, as JSON, and as lines over one of the columns.
//!
//! JSON has every value in the base unit that its name says; tables have it in that of the heading.
//!
//! What it does not do: no figure is computed here.

use airtab_lab::draw::{Axis, Content, Figure, Kind, Line, Look, Panel, Plot, Point};
use airtab_lab::table::{Style, wrap};
use serde_json::{Map, Value, json};

use super::columns::{self, Columns};

/// Lines of a figure that can be told apart.
const MOST_LINES: usize = 24;

/// A table that answers a question.
pub struct Sheet {
    pub subject: &'static str,
    /// Above it.
    pub about: String,
    pub columns: Vec<Column>,
    /// So many columns say what a row is about.
    pub stub: usize,
    pub rows: Vec<Vec<Cell>>,
    /// Below it.
    pub notes: Vec<String>,
    /// What JSON has beside the rows.
    pub more: Map<String, Value>,
}

/// What values of a column are.
#[derive(Clone)]
pub struct Column {
    /// In JSON, with the base unit.
    pub name: String,
    /// With the unit of tables.
    pub heading: String,
    /// From JSON to tables.
    pub scale: f64,
    /// Of tables; None for as many as the value has.
    pub decimals: Option<usize>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Text(String),
    Number(f64),
    None,
}

/// What is drawn: a line for each of some columns and each text of the others in the stub.
pub struct Drawn {
    pub over: String,
    pub lines: Vec<String>,
    /// Of the vertical axis.
    pub label: String,
    /// What it is a list of, if there are not enough to draw over.
    pub cure: &'static str,
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::Number(value)
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Cell {
        value.map_or(Cell::None, Cell::Number)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

/// A column in the unit of its heading.
pub fn column(name: impl Into<String>, heading: impl Into<String>, decimals: usize) -> Column {
    Column { name: name.into(), heading: heading.into(), scale: 1.0, decimals: Some(decimals) }
}

impl Column {
    /// With a factor from JSON to tables.
    pub fn times(self, scale: f64) -> Column {
        Column { scale, ..self }
    }

    /// With all digits that a value has.
    pub fn whole(self) -> Column {
        Column { decimals: None, ..self }
    }

    fn shown(&self, cell: &Cell) -> String {
        match (cell, self.decimals) {
            (Cell::Text(text), _) => text.clone(),
            (Cell::None, _) => "-".into(),
            (Cell::Number(value), Some(decimals)) => format!("{:.decimals$}", value * self.scale),
            // Twelve digits are more than anybody writes, and none that a scale leaves behind.
            (Cell::Number(value), None) => {
                format!("{:.12}", value * self.scale).trim_end_matches('0').trim_end_matches('.').into()
            }
        }
    }

    fn label(&self) -> String {
        self.heading.trim().replace('\n', ", ")
    }
}

impl Sheet {
    /// Without notes.
    pub fn new(subject: &'static str, about: impl Into<String>, stub: usize, columns: Vec<Column>) -> Sheet {
        Sheet {
            subject,
            about: about.into(),
            columns,
            stub,
            rows: Vec::new(),
            notes: Vec::new(),
            more: Map::new(),
        }
    }

    /// As text of that width.
    pub fn text(&self, style: Style) -> String {
        let notes: String = self.notes.iter().map(|note| wrap(note, style.width) + "\n").collect();
        format!("{}\n\n{}{notes}", wrap(&self.about, style.width), self.table(style))
    }

    /// The table alone.
    pub fn table(&self, style: Style) -> String {
        let of = |columns: &[Column], from: usize| Columns {
            headings: columns.iter().map(|column| column.heading.clone()).collect(),
            rows: self
                .rows
                .iter()
                .map(|row| {
                    columns.iter().zip(&row[from..]).map(|(column, cell)| column.shown(cell)).collect()
                })
                .collect(),
        };
        let (stub, rest) = self.columns.split_at(self.stub);
        let groups = rest.iter().enumerate().map(|(i, one)| of(std::slice::from_ref(one), self.stub + i));
        columns::tables(&of(stub, 0), groups, style)
    }

    /// The rows as objects.
    pub fn json_rows(&self) -> Vec<Value> {
        let value = |cell: &Cell| match cell {
            Cell::Text(text) => json!(text),
            Cell::Number(value) => json!(value),
            Cell::None => Value::Null,
        };
        let row = |row: &Vec<Cell>| {
            let cells = self.columns.iter().zip(row);
            cells.map(|(column, cell)| (column.name.clone(), value(cell))).collect::<Map<_, _>>().into()
        };
        self.rows.iter().map(row).collect()
    }

    /// All of it, as an answer of that model.
    pub fn json(&self, model: &str) -> Value {
        let mut json = json!({ "model": model, "subject": self.subject, "rows": self.json_rows() });
        self.more.iter().for_each(|(name, value)| json[name] = value.clone());
        json
    }

    /// Lines over a column.
    ///
    /// # Errors
    /// Fewer than two numbers to draw over; too many lines.
    pub fn figure(&self, drawn: &Drawn) -> Result<Figure, String> {
        let place = |name: &String| self.columns.iter().position(|column| column.name == *name);
        let over = place(&drawn.over).ok_or_else(|| format!("--out: give {}", drawn.cure))?;
        let mut lines: Vec<(String, Vec<Point>)> = Vec::new();
        for name in &drawn.lines {
            let Some(y) = place(name) else { continue };
            for row in &self.rows {
                let at = |i: usize| match row[i] {
                    Cell::Number(value) => Some(value * self.columns[i].scale),
                    _ => None,
                };
                let Some((x, y_value)) = at(over).zip(at(y)) else { continue };
                let name = self.name_of(row, over, (drawn.lines.len() > 1).then_some(y));
                let point = Point::new(x, y_value);
                match lines.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, points)) => points.push(point),
                    None => lines.push((name, vec![point])),
                }
            }
        }
        if lines.iter().all(|(_, points)| points.windows(2).all(|pair| pair[0].x == pair[1].x)) {
            return Err(format!("--out: give {}", drawn.cure));
        }
        if lines.len() > MOST_LINES {
            let n = lines.len();
            return Err(format!(
                "--out: {n} lines, {MOST_LINES} at most can be told apart; give shorter lists"
            ));
        }
        let line = |(i, (name, mut points)): (usize, (String, Vec<Point>))| {
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let name = if name.is_empty() { drawn.label.clone() } else { name };
            Line {
                name,
                look: Look::of_app(i),
                kind: Kind::Means,
                points: points.into_iter().map(Some).collect(),
            }
        };
        Ok(self.panel(&self.columns[over].label(), drawn, lines.into_iter().enumerate().map(line).collect()))
    }

    fn panel(&self, over: &str, drawn: &Drawn, lines: Vec<Line>) -> Figure {
        let all = || lines.iter().flat_map(|line| line.points.iter().flatten());
        let x = Axis::new(over).covering([0.0]).covering(all().map(|point| point.x));
        let y = Axis::new(&drawn.label).covering([0.0]).covering(all().map(|point| point.y));
        let alt = format!("{} over {over}", drawn.label);
        let content = Content::Plot(Plot { x, y, lines, mark: None });
        let panel = Panel { name: String::new(), caption: String::new(), alt, content };
        Figure::new(self.subject, self.about.clone(), "", vec![panel])
    }

    /// What a row is about beside the column that is drawn over, and which column is drawn.
    fn name_of(&self, row: &[Cell], over: usize, drawn: Option<usize>) -> String {
        let about = (0..self.stub).filter(|i| *i != over).map(|i| match &row[i] {
            Cell::Text(text) => text.clone(),
            cell => format!("{} {}", self.columns[i].label(), self.columns[i].shown(cell)),
        });
        about.chain(drawn.map(|i| self.columns[i].label())).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(rows: &[(&str, f64, Option<f64>)]) -> Sheet {
        let columns = vec![
            column("method", "method", 0),
            column("time_s", "time\nms", 1).times(1e3).whole(),
            column("rate_bps", "rate\nMb/s", 2).times(1e-6),
        ];
        let mut sheet = Sheet::new("x", "about", 2, columns);
        for (name, at, rate) in rows {
            sheet.rows.push(vec![(*name).into(), (*at).into(), (*rate).into()]);
        }
        sheet
    }

    fn drawn(lines: &[&str]) -> Drawn {
        let lines = lines.iter().map(|line| line.to_string()).collect();
        Drawn { over: "time_s".into(), lines, label: "rate, Mb/s".into(), cure: "times" }
    }

    /// Tables have the unit of the heading, JSON the base unit; a missing value is "-" and null.
    #[test]
    fn units_of_tables_and_of_json() {
        let sheet = sheet(&[("a", 0.0125, Some(1_234_567.0)), ("b", 2.0, None)]);
        let text = sheet.table(Style { width: 80, colour: false });
        let words = |name: &str| -> Vec<String> {
            let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
            line.split_whitespace().map(String::from).collect()
        };
        assert_eq!(words("a "), ["a", "12.5", "1.23"]);
        assert_eq!(words("b "), ["b", "2000", "-"]);
        assert_eq!(
            sheet.json("m"),
            json!({ "model": "m", "subject": "x", "rows": [
                { "method": "a", "time_s": 0.0125, "rate_bps": 1_234_567.0 },
                { "method": "b", "time_s": 2.0, "rate_bps": null },
            ] })
        );
    }

    /// A line for each text of the stub, in the order of rows, its points from left to right; missing values have no point.
    #[test]
    fn lines_have_their_points_in_order() {
        let rows = [
            ("b", 0.003, Some(3e6)),
            ("a", 0.002, Some(20e6)),
            ("b", 0.001, Some(1e6)),
            ("b", 0.002, None),
            ("a", 0.001, Some(10e6)),
        ];
        let figure = sheet(&rows).figure(&drawn(&["rate_bps"])).expect("it can be drawn");
        let Content::Plot(plot) = &figure.panels()[0].content else { panic!("it is a plot") };
        let lines: Vec<(&str, Vec<(f64, f64)>)> = plot
            .lines
            .iter()
            .map(|line| (line.name.as_str(), line.points.iter().flatten().map(|p| (p.x, p.y)).collect()))
            .collect();
        assert_eq!(lines, [("b", vec![(1.0, 1.0), (3.0, 3.0)]), ("a", vec![(1.0, 10.0), (2.0, 20.0)])]);
        // Two columns are two lines of each.
        let both = sheet(&rows).figure(&drawn(&["rate_bps", "time_s"])).expect("it can be drawn");
        let Content::Plot(plot) = &both.panels()[0].content else { panic!("it is a plot") };
        let names: Vec<&str> = plot.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["b, rate, Mb/s", "a, rate, Mb/s", "b, time, ms", "a, time, ms"]);
    }

    #[test]
    fn a_figure_takes_two_points_and_24_lines() {
        let one = [("a", 0.001, Some(1e6)), ("b", 0.002, Some(1e6))];
        assert_eq!(sheet(&one).figure(&drawn(&["rate_bps"])).err().as_deref(), Some("--out: give times"));
        let nothing = Drawn { over: "x".into(), ..drawn(&["rate_bps"]) };
        assert_eq!(sheet(&one).figure(&nothing).err().as_deref(), Some("--out: give times"));
        let names: Vec<String> = (0..25).map(|i| format!("m{i}")).collect();
        let rows = |n: usize| -> Vec<(&str, f64, Option<f64>)> {
            names[..n]
                .iter()
                .flat_map(|name| [(name.as_str(), 0.001, Some(1.0)), (name.as_str(), 0.002, Some(2.0))])
                .collect()
        };
        assert!(sheet(&rows(24)).figure(&drawn(&["rate_bps"])).is_ok());
        let Err(said) = sheet(&rows(25)).figure(&drawn(&["rate_bps"])) else { panic!("too many") };
        assert!(said.starts_with("--out: 25 lines, 24 at most"), "{said}");
    }

    /// A line of a number is named by its column, with its unit; what is drawn has the unit of the heading.
    #[test]
    fn lines_of_numbers_are_named_with_their_unit() {
        let columns = vec![
            column("rate_bps", "rate\nMb/s", 0).times(1e-6).whole(),
            column("time_s", "RTT\nms", 1).times(1e3),
            column("size", "buffer\npackets", 0),
        ];
        let mut sheet = Sheet::new("x", "about", 2, columns);
        for (rate, time, size) in
            [(6_500_000.0, 0.02, 1.0), (6_500_000.0, 0.02, 2.0), (65e6, 0.02, 3.0), (65e6, 0.2, 4.0)]
        {
            sheet.rows.push([rate, time, size].map(Cell::Number).into());
        }
        let of = |over: &str| {
            let drawn = Drawn { over: over.into(), lines: vec!["size".into()], label: "b".into(), cure: "" };
            let figure = sheet.figure(&drawn).expect("it can be drawn");
            let alt = figure.panels()[0].alt.clone();
            (super::super::given::lines(&figure, 0), alt)
        };
        let line = |name: &str, points: &[(f64, f64)]| (name.to_string(), points.to_vec());
        let (lines, alt) = of("rate_bps");
        assert_eq!(
            lines,
            [
                line("RTT, ms 20.0", &[(6.5, 1.0), (6.5, 2.0), (65.0, 3.0)]),
                line("RTT, ms 200.0", &[(65.0, 4.0)]),
            ]
        );
        assert_eq!(alt, "b over rate, Mb/s");
        let (lines, _) = of("time_s");
        assert_eq!(
            lines,
            [
                line("rate, Mb/s 6.5", &[(20.0, 1.0), (20.0, 2.0)]),
                line("rate, Mb/s 65", &[(20.0, 3.0), (200.0, 4.0)]),
            ]
        );
    }

    /// The title is above the table, notes are below in order; JSON has the other members beside the rows.
    #[test]
    fn notes_are_below_the_table() {
        let mut sheet = sheet(&[("a", 0.0125, Some(1e6))]);
        sheet.notes = vec!["First note.".into(), "Second note.".into()];
        sheet.more.insert("extra".into(), 7.into());
        let text = sheet.text(Style { width: 80, colour: false });
        assert!(text.starts_with("about\n\n") && text.ends_with("First note.\nSecond note.\n"), "{text}");
        assert!(text.contains(&sheet.table(Style { width: 80, colour: false })), "{text}");
        let json = sheet.json("m");
        assert_eq!((&json["extra"], json["rows"].as_array().map(Vec::len)), (&json!(7), Some(1)));
    }

    /// Twelve decimals at most, and no zeros at their end.
    #[test]
    fn whole_values_have_their_own_digits() {
        let of =
            |value: f64, scale: f64| column("a", "a", 0).times(scale).whole().shown(&Cell::Number(value));
        for (value, scale, shown) in [
            (0.1, 1e2, "10"),
            (144.4e6, 1e-6, "144.4"),
            (0.0, 1.0, "0"),
            (200.0, 1.0, "200"),
            (0.000_35, 1e3, "0.35"),
            (0.123_456_789, 1.0, "0.123456789"),
        ] {
            assert_eq!(of(value, scale), shown);
        }
        assert_eq!(column("a", "a", 2).times(1e3).shown(&Cell::Number(0.001_234_5)), "1.23");
    }
}
