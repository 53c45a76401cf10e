// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An experiment as one HTML page: what was expected and what came out, the
//! source's figure, the numbers. Style and rules are those of `report`.
//!
//! What it does not do: no verdict and no figure is computed here.

use std::fmt::Write;

use super::columns::{columns, figure as number};
use super::judge::{State, Verdict};
use super::run::Done;
use super::{Experiment, Outcome};
use crate::draw::{Figure, escape};
use crate::report::{END, Wide, begin};
use airtab_scenario::digits::count;

macro_rules! put {
    ($page:expr, $($arguments:tt)*) => {
        let _ = writeln!($page, $($arguments)*);
    };
}

/// The page. `figures`: those of [`figures`]; `command`: what makes it; `built`: the version and commit of airtab.
pub fn page(
    e: &Experiment,
    outcome: &Outcome,
    verdicts: &[Verdict],
    figures: &[Figure],
    command: &str,
    built: &str,
) -> String {
    let mut page = begin(&if e.id == e.title { e.id.clone() } else { format!("{}: {}", e.id, e.title) });
    if !e.checks.is_empty() || !e.source.is_empty() {
        put!(page, "<p class=\"lead\">{}.</p>", escape(&super::text::summary(verdicts.iter())));
    }
    if !e.source.is_empty() {
        put!(page, "<p>{}. {}</p>", escape(&e.source), escape(&e.about));
    }
    if outcome.quick {
        put!(
            page,
            "<p class=\"note\">A quick look: only the points that verdicts need, with fewer seeds.</p>"
        );
    }
    if !verdicts.is_empty() {
        expected(&mut page, verdicts);
    }
    figures.iter().for_each(|figure| page.push_str(&figure.html()));
    if !e.remarks.is_empty() {
        put!(page, "<h2>Remarks</h2>");
    }
    for (subject, remark) in &e.remarks {
        put!(page, "<p>{}: {}</p>", escape(subject), escape(remark));
    }
    match outcome.points.is_empty() {
        true => page.push_str(&format!("<p class=\"note\">{} points: too many for a page.</p>\n", e.size())),
        false => numbers(&mut page, e, outcome),
    }
    put!(
        page,
        "<h2>To reproduce</h2>\n<pre>{}</pre>\n<p class=\"note\">airtab {}; {}.</p>\n<details><summary>Its \
         file</summary>\n<pre>{}</pre></details>",
        escape(command),
        escape(built),
        super::text::size(outcome.runs, outcome.seeds),
        escape(&e.toml)
    );
    page.push_str(END);
    page
}

/// What the title of an index begins with.
const INDEX: &str = "Experiments of airtab";

/// A page that leads to those of several experiments, each in a folder of its family beside it.
pub fn index(done: &[Done], built: &str) -> String {
    let mut page = begin(INDEX);
    let verdicts = done.iter().flat_map(|(.., verdicts)| verdicts);
    put!(
        page,
        "<p class=\"lead\">{}: {}.</p>",
        count(done.len(), "experiment"),
        escape(&super::text::summary(verdicts))
    );
    let mut table = Wide::new("numbers", "Experiments", "<th>experiment<th>what it shows<th>verdicts");
    for (e, _, verdicts) in done {
        let said = if e.checks.is_empty() { "-".into() } else { super::text::summary(verdicts.iter()) };
        table.rows(&format!(
            "<tr class=\"first\"><th><a href=\"{0}.html\">{0}</a><td>{1}<td>{2}</tr>\n",
            escape(&e.id),
            escape(&e.title),
            escape(&said)
        ));
    }
    page.push_str(&table.html());
    put!(page, "<p class=\"note\">airtab {}.</p>", escape(built));
    page.push_str(END);
    page
}

/// Whether a page is one of these.
pub fn is_index(page: &str) -> bool {
    page.contains(&format!("<title>{INDEX}"))
}

/// Every check with its verdict, then the causes.
fn expected(page: &mut String, verdicts: &[Verdict]) {
    put!(page, "<h2>Expected and measured</h2>");
    // A column only where something would be in it.
    let rerun = verdicts.iter().any(|v| !v.off_rerun.is_empty());
    let (heading, cell) = if rerun { ("<th>a rerun, and how far from it", "<td>") } else { ("", "") };
    let headings = format!(
        "<th>what<th>verdict<th>measured<th>expected<th>source<th>off the source{heading}<th>section"
    );
    let mut table = Wide::new("numbers verdicts", "Expected and measured", &headings);
    for v in verdicts {
        let class = match v.state {
            State::Holds | State::HoldsAgain => "holds",
            State::Undecided => "open",
            State::Red => "red",
            State::KnownRed => "known",
        };
        table.rows(&format!(
            "<tr class=\"first\"><th>{}<td class=\"{class}\">{}<td>{}<td>{}<td>{}<td>{}{cell}{}<td>{}</tr>\n",
            escape(&v.what),
            v.state.word(),
            escape(&v.measured),
            escape(&v.expected),
            escape(&v.reported),
            escape(&v.off),
            escape(&v.off_rerun),
            escape(&v.section)
        ));
    }
    page.push_str(&table.html());
    for v in verdicts {
        let Some(cause) = &v.cause else { continue };
        put!(
            page,
            "<p class=\"note\"><b>{}</b> ({}): {}</p>",
            escape(&v.what),
            v.state.word(),
            escape(cause)
        );
    }
}

/// What the experiment's page shows: figures, courses (which are simulated for it) and clouds, without
/// those that have nothing to show. `name` is what their files begin with.
pub fn figures(e: &Experiment, outcome: &Outcome, name: &str) -> Vec<Figure> {
    let figures = e.figures.iter().map(|f| (&f.title, f.draw(e, outcome)));
    let courses = e.courses.iter().map(|c| &c.title).zip(super::course::draw(e));
    let scatters = e.scatters.iter().map(|s| (&s.title, s.draw(e, outcome)));
    let all = figures.chain(courses).chain(scatters).zip(1..);
    let one = |((title, panels), i)| Figure::new(format!("{name}-figure-{i}"), title, "", panels);
    all.map(one).filter(|figure| !figure.is_empty()).collect()
}

/// What the page of a sweep shows: each application's score over the axis with most values, or as bars.
pub fn sweep_figures(e: &Experiment, outcome: &Outcome) -> Vec<Figure> {
    let all = super::figure::of_sweep(e, columns(e, outcome));
    let drawn = all.iter().map(|figure| (&figure.title, figure.draw(e, outcome)));
    let drawn = drawn.zip(1..).map(|((title, panels), i)| Figure::new(i.to_string(), title, "", panels));
    drawn.filter(|figure| !figure.is_empty()).collect()
}

/// Every point, with the metrics that figures and checks are about.
fn numbers(page: &mut String, e: &Experiment, outcome: &Outcome) {
    let columns = columns(e, outcome);
    put!(page, "<h2>Numbers</h2>\n<p>Mean over the seeds and half the width of its 95 % interval.</p>");
    let mut headings = String::from("<th>point<th>discipline");
    for column in &columns {
        let _ = write!(headings, "<th>{}<br>{}", escape(&column.app), escape(column.metric.label()));
    }
    let mut table = Wide::new("numbers", "Numbers", &headings);
    for point in &outcome.points {
        let mut rows = String::new();
        for (k, q) in point.queues.iter().enumerate() {
            let (class, place) = match k {
                0 => (" class=\"first\"", escape(&e.place(&point.at))),
                _ => ("", String::new()),
            };
            let _ = write!(rows, "<tr{class}><th>{place}<td>{}", escape(&q.label));
            for column in &columns {
                let _ = write!(rows, "<td>{}", number(q, column));
            }
            rows.push_str("</tr>\n");
        }
        table.rows(&rows);
    }
    page.push_str(&table.html());
}
