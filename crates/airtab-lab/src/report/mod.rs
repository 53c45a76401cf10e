// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison as one HTML page: nothing to load, no script, readable on a
//! phone and in the dark.
//!
//! Scores and table are over all seeds; what happens over time is the story of
//! one run of each discipline, and says so.
//!
//! What it does not do: no figure is computed here.

mod figures;
mod wide;
mod words;

use std::fmt::Write;

use airtab_scenario::{Metric, Relevance};
use airtab_sim::Scenario;

use crate::compare::Comparison;
use crate::draw::{self, Figure, escape};
use crate::results::Origin;
use crate::story::Story;
use crate::table;
use crate::why::why;
pub(crate) use figures::bar;
pub(crate) use wide::{Wide, preformatted};
pub use words::result as headline;

/// What goes into the page.
pub struct Report<'a> {
    /// The scores.
    pub comparison: &'a Comparison,
    /// What was simulated, before any division of its times.
    pub scenario: &'a Scenario,
    /// One run of each discipline, in the order of the comparison.
    pub stories: &'a [Story],
    /// What made it.
    pub origin: &'a Origin,
}

const STYLE: &str = include_str!("report.css");

/// The page.
pub fn html(report: &Report) -> String {
    let c = report.comparison;
    let mut page = begin(&words::title(c));
    head(&mut page, report);
    page.push_str(&figures::scores(c).html());
    changes(&mut page, c);
    reasons(&mut page, c);
    if !report.stories.is_empty() {
        figures::over_time(report).iter().for_each(|figure| page.push_str(&figure.html()));
        let air = figures::air(report);
        page.push_str(&air.figure.html());
        shares(&mut page, &air);
    }
    numbers(&mut page, c);
    ways(&mut page, c);
    reproduce(&mut page, report);
    page.push_str(END);
    page
}

/// What the page shows, for files of their own.
pub fn figures(report: &Report) -> Vec<Figure> {
    let mut figures = vec![figures::scores(report.comparison)];
    figures.extend(figures::over_time(report));
    figures.extend((!report.stories.is_empty()).then(|| figures::air(report).figure));
    figures.retain(|figure| !figure.is_empty());
    figures
}

/// Everything before a page's own content.
pub(crate) fn begin(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
        draw::STYLE
    )
}

/// Everything after it.
pub(crate) const END: &str = "</main>\n</body>\n</html>\n";

macro_rules! put {
    ($page:expr, $($arguments:tt)*) => {
        let _ = writeln!($page, $($arguments)*);
    };
}

fn head(page: &mut String, report: &Report) {
    let c = report.comparison;
    let result = words::result(c);
    if !result.is_empty() {
        put!(page, "<p class=\"lead\">{}</p>", escape(&result));
    }
    let s = |ns: u64| ns as f64 / 1e9;
    let seeds = if c.seeds.len() == 1 { "one seed".into() } else { format!("{} seeds", c.seeds.len()) };
    put!(
        page,
        "<p>{} {} s simulated, measured from {} s to {} s, {seeds} for each discipline.</p>",
        escape(&words::network(report.scenario)),
        s(c.duration_ns),
        s(c.measure_ns[0]),
        s(c.measure_ns[1])
    );
    if c.short {
        put!(
            page,
            "<p class=\"note\">Short: all times of the schedule were divided by {}. A first look, not for conclusions.</p>",
            airtab_scenario::SHORT_DIVISOR
        );
    }
    let headings = "<th>application<th>what<th>on<th>server away<th>needs, for its QoO";
    let mut table = Wide::new("apps", "Applications", headings);
    for (i, app) in report.scenario.apps.iter().enumerate() {
        table.rows(&format!(
            "<tr><th>{}{}<td>{}<td>{}<td>{}<td>{}</tr>\n",
            draw::key_of_app(i),
            escape(&app.name),
            escape(&airtab_scenario::words(&app.kind)),
            escape(&words::station(&report.scenario.stations[app.station])),
            words::latency(app, report.scenario),
            escape(app.requirement.as_ref().map_or("", |requirement| &requirement.name))
        ));
    }
    page.push_str(&table.html());
}

/// Better, same or worse against the first discipline; nothing where no seeds can tell.
fn changes(page: &mut String, c: &Comparison) {
    let changes = c.changes();
    let Some(first) = changes.first() else { return };
    if changes.iter().flat_map(|of| &of.apps).all(|app| app.change.is_none()) {
        return;
    }
    put!(
        page,
        "<h3>Against {}</h3>\n<p>Mean difference over the same seeds and half the width of its 95 % interval; better or \
         worse where that leaves out 0 and the mean exceeds {}.</p>",
        escape(first.against),
        Relevance::words_of(first.apps.iter().map(|app| app.metric))
    );
    let about = format!("Differences from {}", escape(first.against));
    let mut table = Wide::new(
        "numbers changes",
        &about,
        &headings(["application", "figure"], changes.iter().map(|of| of.queue)),
    );
    for (i, app) in first.apps.iter().enumerate() {
        let mut row = format!("<tr><th>{}<td>{}", escape(app.name), escape(app.metric.label()));
        for app in changes.iter().map(|of| &of.apps[i]) {
            let _ = match &app.change {
                Some(change) => {
                    write!(row, "<td class=\"{}\">{}", change.verdict.word(), change.text(app.metric))
                }
                None => write!(row, "<td>-"),
            };
        }
        table.rows(&(row + "</tr>\n"));
    }
    page.push_str(&table.html());
}

/// Cells of a table's first row: what is in front, then a label each, its parameters below it.
fn headings<'a>(front: [&str; 2], labels: impl Iterator<Item = &'a str>) -> String {
    let mut cells = format!("<th>{}<th>{}", front[0], front[1]);
    for label in labels {
        let _ = write!(cells, "<th>{}", escape(label).replace(':', ":<br>"));
    }
    cells
}

fn reasons(page: &mut String, c: &Comparison) {
    page.push_str("<h2>Why</h2>\n<ul class=\"reasons\">\n");
    for sentence in why(c) {
        // A number stays with its unit.
        let sentence = escape(&sentence).replace(" %", "&nbsp;%").replace(" ms", "&nbsp;ms");
        put!(page, "<li>{sentence}</li>");
    }
    page.push_str("</ul>\n");
}

/// The shares of the air in numbers.
fn shares(page: &mut String, air: &figures::Air) {
    let names: String = air.names.iter().map(|name| format!("<th>{}", escape(name))).collect();
    let headings = format!("<th>share, %, down + up{names}<th>rest");
    let mut table = Wide::new("numbers", "Shares of the air", &headings);
    for (label, shares) in &air.rows {
        let mut row = format!("<tr><th>{}", escape(label));
        for [down, up] in shares {
            let _ = write!(row, "<td>{:.1} + {:.1}", down * 1e2, up * 1e2);
        }
        let rest = 1.0 - shares.iter().flatten().sum::<f64>();
        table.rows(&format!("{row}<td>{:.1}</tr>\n", rest * 1e2));
    }
    page.push_str(&table.html());
    if !air.elsewhere.is_empty() {
        let names: Vec<&str> = air.elsewhere.iter().map(String::as_str).collect();
        let names = escape(&words::list(&names));
        put!(page, "<p class=\"note\">Not here, for measured in a time of their own: {names}.</p>");
    }
}

fn numbers(page: &mut String, c: &Comparison) {
    let rows = table::rows(c);
    let lines: Vec<Vec<String>> = rows.iter().map(|row| table::cells(c, *row)).collect();
    put!(page, "<h2>Numbers</h2>");
    grid(page, "Numbers", c, &rows, &lines);
    for note in table::notes(c, &rows, &lines).lines() {
        put!(page, "<p class=\"note\">{}</p>", escape(note));
    }
}

/// Both directions of every application: how long packets took, and what TCP sent again.
fn ways(page: &mut String, c: &Comparison) {
    let rows = table::ways(c);
    if rows.is_empty() {
        return;
    }
    let lines: Vec<Vec<String>> = rows.iter().map(|row| table::cells(c, *row)).collect();
    put!(
        page,
        "<h2>One-way delay, and what TCP sent again</h2>\n<p>From sending to reception, of what was sent in the measured \
         time: of a hundred packets so many took no longer. Down is from the server to the station; acknowledgements are \
         packets too. Segments sent again and timeouts are those of the sender of that direction's data.</p>"
    );
    grid(page, "Both directions", c, &rows, &lines);
}

/// A row for each figure, a column for each discipline; the rows of an application together.
fn grid(page: &mut String, about: &str, c: &Comparison, rows: &[(usize, Metric)], lines: &[Vec<String>]) {
    let labels = c.queues.iter().map(|q| q.label.as_str());
    let mut table = Wide::new("numbers", about, &headings(["application", "figure"], labels));
    let both: Vec<_> = rows.iter().zip(lines).collect();
    for of_app in both.chunk_by(|(above, _), (row, _)| above.0 == row.0) {
        let mut text = String::new();
        for (i, (row, line)) in of_app.iter().enumerate() {
            let (class, name) =
                if i == 0 { (" class=\"first\"", table::name_of(c, row.0)) } else { ("", "") };
            // A row below the first has no heading of its own.
            let name = if i == 0 { format!("<th>{}", escape(name)) } else { "<td>".into() };
            let _ = write!(text, "<tr{class}>{name}<td>{}", escape(row.1.label()));
            for cell in *line {
                let best = cell.ends_with(table::MARK);
                let figure = escape(cell.trim_end_matches([table::MARK, ' ']));
                let _ =
                    if best { write!(text, "<td><b>{figure} *</b>") } else { write!(text, "<td>{figure}") };
            }
            text.push_str("</tr>\n");
        }
        table.rows(&text);
    }
    page.push_str(&table.html());
}

fn reproduce(page: &mut String, report: &Report) {
    let (c, origin) = (report.comparison, report.origin);
    let seeds: Vec<String> = c.seeds.iter().map(u64::to_string).collect();
    let seeds = match seeds.as_slice() {
        [first, .., last] if c.seeds.is_sorted_by(|a, b| a + 1 == *b) => format!("{first} to {last}"),
        all => all.join(", "),
    };
    put!(page, "<h2>To reproduce</h2>\n{}", preformatted("Command", &origin.command));
    put!(
        page,
        "<p class=\"note\">airtab {}, commit {}; seeds {seeds}; scenario {}, number {}. The same command gives the \
         same figures on every machine. The figures of each seed are in results.parquet and results.json.</p>",
        escape(&origin.version),
        escape(&origin.git),
        escape(&c.scenario),
        escape(&origin.scenario_hash)
    );
    let mut table = Wide::new("params", "Parameters of each discipline", "<th>discipline<th>parameters");
    for q in &c.queues {
        let params: Vec<String> = q.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        table.rows(&format!("<tr><th>{}<td>{}</tr>\n", escape(&q.label), escape(&params.join(" "))));
    }
    page.push_str(&table.html());
}
