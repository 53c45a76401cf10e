// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Results as text tables.
//!
//! What it does not do: it does not find out how wide a terminal is or whether
//! it has colours; the caller says so.

use std::fmt::Write;
use std::ops::Range;

use airtab_scenario::{About, Direction, Metric, OfPath, QueueScores, Relevance, Scores, Summary};
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::change::{AppChange, is_tied};
use crate::compare::{Comparison, NODE};
use crate::{bulk, classes};
use airtab_scenario::digits::{self, count};

/// How text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Characters of a line.
    pub width: usize,
    /// Whether the best are shown in bold.
    pub colour: bool,
}

/// What marks the best of a row.
pub(crate) const MARK: char = '*';

/// One row for each figure that matters to an application, one column for each
/// discipline; `mean ± half width` of the 95 % interval, best marked. Then what
/// each discipline changes against the first one. Columns that do not fit into
/// the width go into a further table.
pub fn comparison(c: &Comparison, style: Style) -> String {
    let rows = rows(c);
    let lines: Vec<Vec<String>> = rows.iter().map(|row| cells(c, *row)).collect();
    let stubs = rows.iter().map(|row| [name_of(c, row.0), row.1.label()]).collect();
    let labels = c.queues.iter().map(|q| q.label.as_str()).collect();
    let mut text = Grid { labels, stubs, lines: &lines }.text(style);
    text.push('\n');
    if let Some(changes) = changes(c, style) {
        text.push_str(&changes);
        text.push('\n');
    }
    notes(c, &rows, &lines).lines().for_each(|line| text.push_str(&(wrap(line, style.width) + "\n")));
    text
}

/// What each discipline changes against the first one; None where nothing can be told.
fn changes(c: &Comparison, style: Style) -> Option<String> {
    let changes = c.changes();
    let first = changes.first()?;
    let stubs = first.apps.iter().map(|app| [app.name, app.metric.label()]).collect();
    let cell = |app: &AppChange| app.change.map_or("-".into(), |change| change.text(app.metric));
    let line = |row: usize| changes.iter().map(|change| cell(&change.apps[row])).collect();
    let lines: Vec<Vec<String>> = (0..first.apps.len()).map(line).collect();
    if lines.iter().flatten().all(|cell| cell == "-") {
        return None;
    }
    let labels = changes.iter().map(|change| change.queue).collect();
    let heading = format!(
        "Against {}, by the differences of the same seeds: better or worse where their 95 % interval leaves out 0 and their mean \
         exceeds {}",
        first.against,
        Relevance::words_of(first.apps.iter().map(|app| app.metric))
    );
    Some(format!("{}\n{}", wrap(&heading, style.width), Grid { labels, stubs, lines: &lines }.text(style)))
}

/// Texts in rows with two words in front of each, and columns with a discipline's label above.
struct Grid<'a> {
    labels: Vec<&'a str>,
    stubs: Vec<[&'a str; 2]>,
    lines: &'a [Vec<String>],
}

impl Grid<'_> {
    /// As many tables below each other as the width asks for.
    fn text(&self, style: Style) -> String {
        let longest =
            |texts: &mut dyn Iterator<Item = &str>| texts.map(|t| t.chars().count() + 2).max().unwrap_or(0);
        let stub: usize = [0, 1].map(|k| longest(&mut self.stubs.iter().map(|stub| stub[k]))).iter().sum();
        let widths = self.labels.iter().enumerate().map(|(k, label)| {
            longest(&mut self.lines.iter().map(|line| line[k].as_str()).chain(label.split(':')))
        });
        let mut text = String::new();
        let (mut from, mut used) = (0, stub);
        for (k, width) in widths.enumerate() {
            if used + width > style.width && k > from {
                text.push_str(&self.block(from..k, style));
                text.push('\n');
                (from, used) = (k, stub);
            }
            used += width;
        }
        text + &self.block(from..self.labels.len(), style)
    }

    fn block(&self, columns: Range<usize>, style: Style) -> String {
        let headings = self.labels[columns.clone()].iter().map(|label| Cell::new(heading(label)));
        let mut table = empty_table();
        table.set_header([Cell::new(""), Cell::new("")].into_iter().chain(headings));
        let mut above = None;
        for ([name, label], line) in self.stubs.iter().zip(self.lines) {
            let shown = if above == Some(name) { "" } else { name };
            above = Some(name);
            let cells = line[columns.clone()].iter().map(|text| {
                let cell = Cell::new(text).set_alignment(CellAlignment::Left);
                if style.colour && text.ends_with(MARK) { cell.add_attribute(Attribute::Bold) } else { cell }
            });
            table.add_row([Cell::new(shown), Cell::new(label)].into_iter().chain(cells));
        }
        finish_table(table, style)
    }
}

/// What a reader of the table has to know, one line each.
pub(crate) fn notes(c: &Comparison, rows: &[(usize, Metric)], lines: &[Vec<String>]) -> String {
    let mut text = legend(c, lines.iter().flatten().any(|cell| cell.ends_with(MARK)));
    let best: Vec<Vec<bool>> = rows.iter().filter_map(|row| best(c, *row)).collect();
    text.push_str(&bulk::notes(c, &|number| best.iter().any(|row| row[number])));
    text.push_str(&classes::notes(c));
    if rows.iter().any(|row| FAIRNESS.contains(&row.1)) {
        text.push_str(EVEN);
    }
    text.push_str(&limits(c));
    if rows.iter().any(|row| row.1 == Metric::PageTime) {
        text.push_str(&pages(c));
    }
    text
}

/// How evenly bulk traffic shares, in the order of rows.
const FAIRNESS: [Metric; 3] = [Metric::FlowsRateJain, Metric::FlowsAirJain, Metric::StationsAirJain];

/// Which of them says what.
const EVEN: &str = "Jain's index is 1 where all have the same and 1/n where one of n has it all: of the rates of bulk \
                    flows, of the air that these flows use (down and up), and of the air of their stations. Who shares \
                    the air evenly gives a slow station fewer bits; equal bits give it more air.\n";

/// Which figures are rows: application (or, after the last, the access point) and metric.
pub(crate) fn rows(c: &Comparison) -> Vec<(usize, Metric)> {
    use Metric::*;
    let apps = c.queues.first().map_or(&[][..], |q| &q.apps);
    let of_apps =
        apps.iter().enumerate().flat_map(|(i, app)| app_metrics(app.kind).iter().map(move |m| (i, *m)));
    let of_ap = [QueuePackets].into_iter().chain(FAIRNESS).chain([UplinkDropped, WiredDropped]);
    of_apps.chain(of_ap.map(|m| (apps.len(), m))).filter(|row| worth_showing(c, *row)).collect()
}

/// What is shown of one direction: its one-way delays, and what TCP sent again.
const WAY: [OfPath; 9] = {
    use OfPath::*;
    let [a, b, c, d] = OfPath::PERCENTILES;
    let [a, b, c, d] = [Percentile(a), Percentile(b), Percentile(c), Percentile(d)];
    [a, b, c, d, RetransmitRatio, Retransmits, MostRetransmits, Timeouts, MostTimeouts]
};

/// Which figures are rows of a table of both directions: application by application, and of each what it has. What the
/// most of one flow is says something where there are several.
pub(crate) fn ways(c: &Comparison) -> Vec<(usize, Metric)> {
    let apps = 0..c.queues.first().map_or(0, |q| q.apps.len());
    let of = apps.flat_map(|app| Direction::BOTH.map(|direction| (app, direction)));
    let row = |((app, direction), of): ((usize, Direction), OfPath)| {
        let metric = |of| Metric::of_path(direction, of);
        let mean = |q: &QueueScores, of| scores(q, app).mean(metric(of));
        let shown = match of {
            OfPath::MostRetransmits => c.queues.iter().any(|q| mean(q, of) < mean(q, OfPath::Retransmits)),
            OfPath::MostTimeouts => c.queues.iter().any(|q| mean(q, of) < mean(q, OfPath::Timeouts)),
            of => c.queues.iter().any(|q| mean(q, of).is_some()),
        };
        shown.then_some((app, metric(of)))
    };
    of.flat_map(|way| WAY.map(|of| (way, of))).filter_map(row).collect()
}

/// The figures of an application; the first is its score.
pub(crate) fn app_metrics(kind: &str) -> &'static [Metric] {
    About::named(kind).map_or(&[], |about| about.columns)
}

/// Losses and drops are rows only where there are some.
fn worth_showing(c: &Comparison, row: (usize, Metric)) -> bool {
    let shown = |q: &QueueScores| {
        let s = summary(q, row)?;
        let nought = format!("{:.*}", row.1.decimals(), 0.0);
        Some(format!("{:.*}", row.1.decimals(), row.1.shown(s.mean)) != nought)
    };
    use Metric::*;
    let optional = matches!(row.1, Loss | UplinkLoss | WorseLoss | UplinkDropped | WiredDropped);
    c.queues.iter().any(|q| shown(q).is_some_and(|some| some || !optional))
}

fn scores(q: &QueueScores, app: usize) -> &Scores {
    q.apps.get(app).unwrap_or(&q.ap)
}

fn summary(q: &QueueScores, (app, metric): (usize, Metric)) -> Option<&Summary> {
    scores(q, app).metrics.get(&metric)
}

pub(crate) fn name_of(c: &Comparison, app: usize) -> &str {
    match c.queues[0].apps.get(app) {
        Some(scores) => &scores.name,
        None => "queue",
    }
}

/// The parameters of a column go under its discipline, one a line.
fn heading(label: &str) -> String {
    label.replace(':', "\n")
}

/// One row: a text for each discipline, all of one form.
pub(crate) fn cells(c: &Comparison, row: (usize, Metric)) -> Vec<String> {
    let text = |q: &QueueScores| summary(q, row).map_or("-".into(), |s| with_interval(row.1, s));
    let best = best(c, row).unwrap_or_default();
    let marked = |(k, q): (usize, &QueueScores)| best.get(k) == Some(&true) && bulk::may_be_best(c, q);
    let marks: Vec<bool> = c.queues.iter().enumerate().map(marked).collect();
    let any = marks.contains(&true);
    let cell = |(q, best): (&QueueScores, bool)| match any {
        true => format!("{} {}", text(q), if best { MARK } else { ' ' }),
        false => text(q),
    };
    c.queues.iter().zip(marks).map(cell).collect()
}

/// `3.50 ± 0.01`, or a mean alone.
pub(crate) fn with_interval(metric: Metric, s: &Summary) -> String {
    let half = s.half_width_95.map(|half| metric.shown(half));
    digits::estimate(metric.shown(s.mean), half, metric.decimals())
}

/// True for the best of a row and for all that the differences of the same seeds do not distinguish from it.
/// None if that is all of them, or without intervals.
pub(crate) fn best(c: &Comparison, row: (usize, Metric)) -> Option<Vec<bool>> {
    let metric = row.1;
    let summaries: Vec<Option<&Summary>> = c.queues.iter().map(|q| summary(q, row)).collect();
    let better = |s: &Summary| metric.sense() * s.mean;
    let present = || summaries.iter().copied().enumerate().filter_map(|(i, s)| Some((i, s?)));
    let (_, top) =
        present().max_by(|a, b| better(a.1).total_cmp(&better(b.1))).filter(|_| metric.sense() != 0.0)?;
    if present().any(|(_, s)| s.half_width_95.is_none()) {
        return None;
    }
    let best: Vec<bool> = summaries.iter().map(|s| s.is_some_and(|s| is_tied(metric, top, s))).collect();
    (!present().all(|(i, _)| best[i])).then_some(best)
}

pub(crate) fn empty_table() -> Table {
    let mut table = Table::new();
    let rule = LineStyle { left: None, fill: Some('─'), junction: None, right: None };
    table.load_style(TableStyle::new().header_separator(rule));
    table.set_content_arrangement(ContentArrangement::Disabled);
    table
}

pub(crate) fn finish_table(mut table: Table, style: Style) -> String {
    if style.colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let mut text = String::new();
    for line in table.lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn legend(c: &Comparison, marked: bool) -> String {
    let mut text = match c.seeds.len() {
        1 => "One seed: no interval, nothing is marked as best.\n".into(),
        n => format!("Mean of {n} seeds ± half the width of its 95 % interval.\n"),
    };
    if c.short {
        let n = airtab_scenario::SHORT_DIVISOR;
        let _ = writeln!(
            text,
            "Short: all times of the schedule were divided by {n}; a first look, not for conclusions."
        );
    }
    if marked {
        text.push_str(
            "* best: alone, or with all that the differences of the same seeds and the limits of each figure do not tell from it.\n",
        );
    }
    text
}

/// How long each queue could get.
fn limits(c: &Comparison) -> String {
    let limit = |q: &QueueScores| Some(format!("{} {}", q.label, q.params.get("limit")?));
    let limits: Vec<String> = c.queues.iter().filter_map(limit).collect();
    if limits.is_empty() { String::new() } else { format!("Limits, packets: {}.\n", limits.join(", ")) }
}

/// Number of pages in the page times, over all applications of all seeds, and number of seeds that have any.
fn pages(c: &Comparison) -> String {
    let (apps, windows) = c.queues[0].apps.split_at(c.applications().min(c.queues[0].apps.len()));
    let compared: Vec<&Summary> =
        apps.iter().filter_map(|app| app.metrics.get(&Metric::PagesCompared)).collect();
    let of_seed = |seed: usize| {
        let pages = compared.iter().filter_map(|summary| summary.values.get(seed).copied().flatten());
        pages.reduce(|sum, pages| sum + pages)
    };
    let pages_of_seeds: Vec<f64> = (0..c.seeds.len()).filter_map(of_seed).collect();
    let all = if c.queues.len() > 1 { " under every discipline" } else { "" };
    // A window overlaps the measured time or another window: its pages are in neither sum.
    let when = if windows.is_empty() { "" } else { " in the measured time" };
    if pages_of_seeds.is_empty() {
        return format!("Page times: no page was completed{all}{when}.\n");
    }
    let pages = count(pages_of_seeds.iter().sum::<f64>() as usize, "page");
    let seeds = count(pages_of_seeds.len(), "seed");
    format!("Page times: the {pages} of {seeds} completed{all}{when}.\n")
}

/// An application's score with its unit, for text.
fn score(app: &Scores) -> String {
    let shown = |about: &About| {
        let (metric, unit) = (about.metric(), about.score.unit?); // a rate has a column of its own
        app.mean(metric).map(|x| format!("{:.*} {unit}", metric.decimals(), metric.shown(x)))
    };
    About::named(app.kind).and_then(shown).unwrap_or("-".into())
}

/// One row for each direction of each application of one discipline: its one-way delays, and what TCP sent again.
fn run_ways(q: &QueueScores, style: Style) -> Option<String> {
    use OfPath::*;
    const COLUMNS: [(&str, OfPath); 6] = [
        ("p50\nms", Percentile(50)),
        ("p90\nms", Percentile(90)),
        ("p95\nms", Percentile(95)),
        ("p99\nms", Percentile(99)),
        ("sent again\n%", RetransmitRatio),
        ("\ntimeouts", Timeouts),
    ];
    let mut table = empty_table();
    let right = |text: &str| Cell::new(text).set_alignment(CellAlignment::Right);
    let stub = ["\none-way delay", ""].map(Cell::new);
    table.set_header(stub.into_iter().chain(COLUMNS.map(|(heading, _)| right(heading))));
    for (app, direction) in q.apps.iter().flat_map(|app| Direction::BOTH.map(|direction| (app, direction))) {
        let figures = COLUMNS.map(|(_, of)| {
            let metric = Metric::of_path(direction, of);
            app.mean(metric).map(|x| format!("{:.*}", metric.decimals(), metric.shown(x)))
        });
        if figures.iter().any(Option::is_some) {
            let stub = [&*app.name, direction.word()].map(Cell::new);
            table.add_row(stub.into_iter().chain(figures.map(|text| right(text.as_deref().unwrap_or("-")))));
        }
    }
    (table.row_count() > 0).then(|| finish_table(table, style))
}

/// What the columns of [`run`] are about.
const OF_RUN: &str = "Mb/s, lost: of its data, of an upload those that it sends. wait, places: in the access point's \
                      queue, of an upload those of its ACKs. air: both ways.";

/// One row for each application of one discipline, then one for each direction: the figures of `airtab run`.
pub fn run(q: &QueueScores, style: Style) -> String {
    use Metric::*;
    const HEADINGS: [&str; 6] =
        ["\nMb/s", "lost\n%", "wait p50\nms", "wait p99\nms", "places\nheld", "air\n%"];
    let mut table = empty_table();
    let numbers = HEADINGS.map(|heading| Cell::new(heading).set_alignment(CellAlignment::Right));
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let score_heading = right("\nscore".into());
    let stub = ["\napplication", "\nkind"].map(Cell::new).into_iter().chain([score_heading]);
    table.set_header(stub.chain(numbers));
    for app in &q.apps {
        let (rate, loss) = About::named(app.kind).map_or((&[Goodput][..], Loss), |about| about.data);
        let columns: [&[Metric]; 6] =
            [rate, &[loss], &[QueueDelayP50], &[QueueDelayP99], &[QueuePackets], &[Air, UplinkAir]];
        let figures = columns.map(|of| right(sum(app, of)));
        let stub = [Cell::new(&app.name), Cell::new(app.kind), right(score(app))];
        table.add_row(stub.into_iter().chain(figures));
    }
    let mut text = finish_table(table, style);
    let _ = writeln!(text, "\n{}", wrap(OF_RUN, style.width));
    text.extend(run_ways(q, style).map(|ways| format!("\n{ways}")));
    text.push_str("\naccess point\n");
    // Two spaces behind the longest label.
    let width = q.ap.metrics.keys().map(|metric| metric.label().len() + 2).fold(26, usize::max);
    for (metric, summary) in &q.ap.metrics {
        let (label, digits, value) = (metric.label(), metric.decimals(), metric.shown(summary.mean));
        let _ = writeln!(text, "  {label:width$}{value:.digits$}");
    }
    text.extend(run_nodes(q, style).map(|nodes| format!("\n{nodes}")));
    text
}

/// One row for each node of a mesh; None: there are none.
fn run_nodes(q: &QueueScores, style: Style) -> Option<String> {
    use Metric::*;
    const COLUMNS: [Metric; 7] =
        [QueuePackets, QueueMax, LimitMean, QueueDropped, DropShare, AmpduFrames, CollidedAttempts];
    const HEADINGS: [&str; 7] = [
        "mean\nqueue",
        "largest",
        "limit",
        "dropped\n%",
        "of all\ndrops, %",
        "MPDUs an\naggregate",
        "attempts that\ncollide, %",
    ];
    let mut table = empty_table();
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let stub = std::iter::once(Cell::new("node"));
    table.set_header(stub.chain(HEADINGS.map(|heading| right(heading.into()))));
    for node in &q.nodes {
        let figures = COLUMNS.map(|metric| right(sum(node, &[metric])));
        table.add_row(std::iter::once(Cell::new(&node.name[NODE.len()..])).chain(figures));
    }
    (table.row_count() > 0).then(|| finish_table(table, style))
}

/// The sum of those figures that it has, as one of them is shown.
fn sum(app: &Scores, of: &[Metric]) -> String {
    let present: Vec<f64> = of.iter().filter_map(|metric| app.mean(*metric)).collect();
    match present.is_empty() {
        true => "-".into(),
        false => format!("{:.*}", of[0].decimals(), of[0].shown(present.iter().sum())),
    }
}

/// A table of figures: headings (more than one line if they hold a line break), then rows, to the right.
pub fn figures(headings: &[String], rows: &[Vec<String>], style: Style) -> String {
    let right = |text: &String| Cell::new(text).set_alignment(CellAlignment::Right);
    let mut table = empty_table();
    table.set_header(headings.iter().map(right));
    for row in rows {
        table.add_row(row.iter().map(right));
    }
    finish_table(table, style)
}

/// Breaks a paragraph at spaces so that it fits; its further lines are
/// indented by two more than its first.
pub fn wrap(text: &str, width: usize) -> String {
    let words = text.trim_start();
    let indent = text.len() - words.len();
    let mut wrapped = " ".repeat(indent);
    let mut column = indent;
    let mut first = true;
    for word in words.split(' ') {
        let length = word.chars().count();
        if !first && column + 1 + length > width {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent + 2));
            column = indent + 2;
        } else if !first {
            wrapped.push(' ');
            column += 1;
        }
        first = false;
        wrapped.push_str(word);
        column += length;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_spaces_and_indents() {
        assert_eq!(wrap("one two three four", 9), "one two\n  three\n  four");
        assert_eq!(wrap("  one two three", 9), "  one two\n    three");
        assert_eq!(wrap("a-word-longer-than-the-line", 9), "a-word-longer-than-the-line");
        assert_eq!(wrap("short", 9), "short");
        // A further line has its two blanks, too.
        assert_eq!(wrap("a bbbb cc dd", 6), "a bbbb\n  cc\n  dd");
        assert_eq!(wrap("a bbbb cc d", 6), "a bbbb\n  cc d");
    }
}
