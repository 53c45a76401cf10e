// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tables with more columns than fit: the first columns again, and the rest below.
//!
//! What it does not do: no figure is known here.

use airtab_lab::table::{self, Style};

/// Columns that belong together: their headings, and a row for each point.
#[derive(Clone)]
pub struct Columns {
    pub headings: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// Columns beside those of `stub`; what does not fit into the width goes into a further table.
pub fn tables(stub: &Columns, groups: impl Iterator<Item = Columns>, style: Style) -> String {
    let (mut text, mut open) = (String::new(), stub.clone());
    for group in groups {
        let wider = open.beside(&group);
        let fits = wider.table(style).lines().all(|line| line.chars().count() <= style.width);
        if fits || open.headings.len() == stub.headings.len() {
            open = wider;
            continue;
        }
        text += &(open.table(style) + "\n");
        open = stub.beside(&group);
    }
    text + &open.table(style) + "\n"
}

impl Columns {
    fn beside(&self, more: &Columns) -> Columns {
        Columns {
            headings: [&self.headings[..], &more.headings].concat(),
            rows: self.rows.iter().zip(&more.rows).map(|(a, b)| [&a[..], b].concat()).collect(),
        }
    }

    fn table(&self, style: Style) -> String {
        // Headings end on one line.
        let breaks = |heading: &String| heading.matches('\n').count();
        let most = self.headings.iter().map(breaks).max().unwrap_or(0);
        let lowered = |heading: &String| "\n".repeat(most - breaks(heading)) + heading;
        table::figures(&self.headings.iter().map(lowered).collect::<Vec<_>>(), &self.rows, style)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(headings: &[&str], rows: [&str; 2]) -> Columns {
        let row = |value: &str| headings.iter().map(|_| value.to_string()).collect();
        Columns { headings: headings.iter().map(|h| h.to_string()).collect(), rows: rows.map(row).into() }
    }

    /// Groups stay whole; each further table begins with the columns of the stub, and the last one ends the text.
    #[test]
    fn what_does_not_fit_goes_into_a_further_table() {
        let stub = columns(&["key"], ["k1", "k2"]);
        let groups = [
            columns(&["one\nms", "uno"], ["11", "12"]),
            columns(&["two"], ["21", "22"]),
            columns(&["three"], ["31", "32"]),
        ];
        let style = |width: usize| Style { width, colour: false };
        let of = |width: usize| -> Vec<Vec<Vec<String>>> {
            let text = tables(&stub, groups.iter().cloned(), style(width));
            let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
            text.trim_end().split("\n\n").map(|table| table.lines().map(words).collect()).collect()
        };
        let last = |width: usize| -> Vec<Vec<String>> {
            of(width).into_iter().map(|table| table.last().expect("a row").clone()).collect()
        };
        let width = |all: &[&Columns]| {
            let table = all.iter().fold(stub.clone(), |table, more| table.beside(more)).table(style(200));
            table.lines().map(|line| line.chars().count()).max().expect("lines")
        };
        let [one, two, three] = &groups;
        assert_eq!(last(width(&[one, two, three])), [["k2", "12", "12", "22", "32"]]);
        let two_tables = last(width(&[one, two, three]) - 1);
        assert_eq!(two_tables, [vec!["k2", "12", "12", "22"], vec!["k2", "32"]]);
        assert_eq!(last(width(&[one, two])), two_tables);
        assert_eq!(last(width(&[one, two]) - 1), [vec!["k2", "12", "12"], vec!["k2", "22", "32"]]);
        // However narrow it is, a table has a group.
        assert_eq!(last(1), [vec!["k2", "12", "12"], vec!["k2", "22"], vec!["k2", "32"]]);
        // Headings of one line stand beside the last line of others.
        let first = &of(200)[0];
        assert!(first[0] == ["one"] && first[1] == ["key", "ms", "uno", "two", "three"], "{first:?}");
    }
}
