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
