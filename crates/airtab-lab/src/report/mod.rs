// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison as one HTML page: nothing to load, no script, readable on a
//! phone and in the dark.
//!
//! Scores and table are over all seeds; what happens over time is the story of
//! one run of each discipline, and says so.
//!
//! What it does not do: no figure is computed here.

pub mod chart;
mod words;

use std::fmt::Write;

use airtab_core::Column;
use airtab_scenario::{About, Metric, QueueScores, Summary, column_unit};
use airtab_sim::Scenario;

use crate::compare::Comparison;
use crate::results::Origin;
use crate::story::{AppStory, COLUMN_SPAN_NS, COLUMN_STEP_NS, Story};
use crate::table;
use crate::why::why;
use chart::{Axis, Bar, Line};
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
    scores(&mut page, c);
    reasons(&mut page, c);
    over_time(&mut page, report);
    numbers(&mut page, c);
    reproduce(&mut page, report);
    page.push_str(END);
    page
}

/// Everything before a page's own content.
pub(crate) fn begin(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    )
}

/// Everything after it.
pub(crate) const END: &str = "</main>\n</body>\n</html>\n";

/// HTML text or attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

macro_rules! put {
    ($page:expr, $($arguments:tt)*) => {
        let _ = writeln!($page, $($arguments)*);
    };
}

fn head(page: &mut String, report: &Report) {
    let c = report.comparison;
    put!(page, "<p class=\"lead\">{}</p>", escape(&words::result(c)));
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
    if c.quick {
        put!(
            page,
            "<p class=\"note\">A quick look: all times of the schedule were divided by {}. Not for conclusions.</p>",
            airtab_scenario::QUICK_DIVISOR
        );
    }
    page.push_str(
        "<div class=\"wide\"><table class=\"apps\">\n<tr><th>application<th>what<th>on<th>server away</tr>\n",
    );
    for (i, app) in report.scenario.apps.iter().enumerate() {
        put!(
            page,
            "<tr><th>{}{}<td>{}<td>{}<td>{}</tr>",
            swatch(i),
            escape(&app.name),
            escape(&airtab_scenario::words(&app.kind)),
            escape(&words::station(&report.scenario.stations[app.station])),
            words::latency(app, report.scenario)
        );
    }
    page.push_str("</table></div>\n");
}

/// The colour of application `i`.
pub(crate) fn swatch(i: usize) -> String {
    format!("<span class=\"swatch c{}\"></span>", i % chart::PALETTE.len())
}

pub(crate) fn figure(page: &mut String, caption: &str, svg: &str) {
    put!(page, "<figure><figcaption>{caption}</figcaption>\n{svg}</figure>");
}

fn scores(page: &mut String, c: &Comparison) {
    let intervals = if c.seeds.len() > 1 { ", with 95 % intervals" } else { "" };
    put!(
        page,
        "<h2>What each application felt</h2>\n<p>Means over the seeds{intervals}.</p>\n<div class=\"figures\">"
    );
    for (i, app) in c.queues.first().map_or(&[][..], |q| &q.apps).iter().enumerate() {
        let Some(about) = About::named(app.kind) else { continue };
        let metric = about.metric();
        let of = |q: &QueueScores| q.apps[i].metrics.get(&metric).map(|s| bar(&q.label, metric, s));
        let bars: Vec<Bar> = c.queues.iter().filter_map(of).collect();
        if bars.is_empty() {
            continue;
        }
        let what = about.score.caption;
        let values: Vec<String> = bars.iter().map(|b| format!("{} {}", b.label, b.text)).collect();
        let alt = format!("{}, {what}: {}", app.name, values.join("; "));
        let caption = format!("{}<b>{}</b>: {}", swatch(i), escape(&app.name), escape(what));
        figure(page, &caption, &chart::bars(&alt, &bars, about.score.axis, chart::colour(i)));
    }
    page.push_str("</div>\n");
    changes(page, c);
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
         worse where that leaves out 0.</p>\n{SIDEWAYS}<div class=\"wide\"><table class=\"numbers changes\">\n<tr><th><th>",
        escape(first.against)
    );
    for of in &changes {
        let _ = write!(page, "<th>{}", escape(of.queue).replace(':', "<br>"));
    }
    page.push_str("</tr>\n");
    for (i, app) in first.apps.iter().enumerate() {
        let _ = write!(page, "<tr><th>{}<td>{}", escape(app.name), escape(app.metric.label()));
        for app in changes.iter().map(|of| &of.apps[i]) {
            let _ = match &app.change {
                Some(change) => {
                    write!(page, "<td class=\"{}\">{}", change.verdict.word(), change.text(app.metric))
                }
                None => write!(page, "<td>-"),
            };
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
}

fn bar(label: &str, metric: Metric, s: &Summary) -> Bar {
    let half_width = s.half_width_95.map(|half| metric.shown(half));
    let text = table::with_interval(metric, s);
    Bar { label: label.into(), value: metric.shown(s.mean), half_width, text }
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

/// Lower edge of the received rates: a call has eight times as much.
const LEAST_MBPS: f64 = 0.01;

fn over_time(page: &mut String, report: &Report) {
    let (c, stories) = (report.comparison, report.stories);
    let Some(first) = stories.first() else { return };
    let mut legend = String::from("<p class=\"legend\">");
    for (i, app) in first.apps.iter().enumerate() {
        let _ = write!(legend, "<span>{}{}</span> ", swatch(i), escape(&app.name));
    }
    legend.push_str("</p>\n");

    put!(
        page,
        "<h2>Time in the access point's queue</h2>\n<p>One run of each discipline (seed {}): which share of an application's packets waited so long or less. Further left is better.</p>\n{legend}<div class=\"figures\">",
        first.seed
    );
    let longest = stories.iter().flat_map(|s| &s.apps).filter_map(|a| a.queue_delay.last()).map(|p| p.0);
    let decades = (longest.fold(0.0, f64::max) * 1e3).max(1.0).log10().ceil();
    let x = Axis { label: "time in the queue, ms", range: (-2.0, decades.max(1.0)), powers: true };
    let y = Axis { label: "share of packets, %", range: (0.0, 100.0), powers: false };
    for story in stories {
        let line = |(i, app): (usize, &AppStory)| Line {
            colour: chart::colour(i),
            points: app
                .queue_delay
                .iter()
                .map(|(s, share)| Some(((s * 1e3).max(0.01).log10(), share * 1e2)))
                .collect(),
        };
        let lines: Vec<Line> = story.apps.iter().enumerate().map(line).collect();
        let median = |app: &AppStory| app.queue_delay.get(app.queue_delay.len() / 2).map(|p| p.0 * 1e3);
        let medians = story.apps.iter().filter_map(|a| Some(format!("{} {:.2} ms", a.name, median(a)?)));
        let alt = format!(
            "Time in the queue under {}, medians: {}",
            story.label,
            medians.collect::<Vec<_>>().join("; ")
        );
        figure(page, &format!("under <b>{}</b>", escape(&story.label)), &chart::lines(&alt, &x, &y, &lines));
    }
    put!(
        page,
        "</div>\n<h2>Received over time</h2>\n<p>The same runs, in steps of {} s. Each line of the grid is ten times the one below; at the lower edge is what received {LEAST_MBPS} Mb/s or less.</p>\n{legend}<div class=\"figures\">",
        first.step_ns as f64 / 1e9
    );
    let most =
        stories.iter().flat_map(|s| &s.apps).flat_map(|a| &a.received_bps).fold(1e5, |m: f64, x| m.max(*x));
    let x = Axis { label: "time, s", range: (0.0, c.duration_ns as f64 / 1e9), powers: false };
    let top = (most / 1e6).log10().ceil();
    let y = Axis { label: "received, Mb/s", range: (LEAST_MBPS.log10(), top), powers: true };
    let mbps = |bps: f64| (bps / 1e6).max(LEAST_MBPS).log10();
    for story in stories {
        let at = |step: usize| (step as f64 + 0.5) * story.step_ns as f64 / 1e9;
        let line = |(i, app): (usize, &AppStory)| Line {
            colour: chart::colour(i),
            points: app.received_bps.iter().enumerate().map(|(n, bps)| Some((at(n), mbps(*bps)))).collect(),
        };
        let lines: Vec<Line> = story.apps.iter().enumerate().map(line).collect();
        let peak = |a: &AppStory| a.received_bps.iter().fold(0.0, |m: f64, x| m.max(*x)) / 1e6;
        let peaks: Vec<String> =
            story.apps.iter().map(|a| format!("{} {:.1} Mb/s", a.name, peak(a))).collect();
        let alt = format!("Received over time under {}, highest: {}", story.label, peaks.join("; "));
        figure(page, &format!("under <b>{}</b>", escape(&story.label)), &chart::lines(&alt, &x, &y, &lines));
    }
    page.push_str("</div>\n");
    columns(page, stories, &legend);
    air(page, report, &legend);
}

/// What the disciplines' tables say of flows: a part for each column, with those that have it.
fn columns(page: &mut String, stories: &[Story], legend: &str) {
    let all = stories.iter().filter(|s| !s.columns_at_ns.is_empty()).flat_map(|s| &s.columns);
    let mut columns: Vec<Column> = Vec::new();
    for column in all {
        if columns.iter().all(|known| known.name != column.name) {
            columns.push(*column);
        }
    }
    for column in columns {
        let of = |s: &Story| s.columns.iter().position(|c| c.name == column.name);
        let with: Vec<(&Story, usize)> = stories.iter().filter_map(|s| Some((s, of(s)?))).collect();
        one_column(page, &column, &with, legend);
    }
}

/// The stories with that column, each with its place.
fn one_column(page: &mut String, column: &Column, with: &[(&Story, usize)], legend: &str) {
    let [before, after] = COLUMN_SPAN_NS.map(|ns| ns as f64 / 1e9);
    let name = words::begin(column.name);
    put!(
        page,
        "<h2>{}: {}</h2>\n<p>The same runs, looked at every {} ms from {before} s before to {after} s after second {}: mean of the flows of each application, where the discipline's table knows one.</p>\n{legend}<div class=\"figures\">",
        escape(&name),
        escape(column.help),
        COLUMN_STEP_NS as f64 / 1e6,
        with[0].0.busy_ns as f64 / 1e9
    );
    let (unit, factor, decimals) = column_unit(column.unit);
    let label = if unit.is_empty() { column.name.into() } else { format!("{}, {unit}", column.name) };
    for (story, place) in with {
        let shown = |x: &f64| x * factor;
        let all = || story.apps.iter().flat_map(|a| &a.columns[*place]).flatten().map(shown);
        let (low, high) = (all().fold(0.0, f64::min), all().fold(1.0, f64::max));
        let time = |i: usize| story.columns_at_ns[i] as f64 / 1e9;
        let x =
            Axis { label: "time, s", range: (time(0), time(story.columns_at_ns.len() - 1)), powers: false };
        let y = Axis { label: &label, range: (low * 1.05, high * 1.05), powers: false };
        let line = |(i, app): (usize, &AppStory)| {
            let values = app.columns[*place].iter().enumerate();
            let points = values.map(|(n, value)| Some((time(n), shown(value.as_ref()?))));
            Line { colour: chart::colour(i), points: points.collect() }
        };
        let lines: Vec<Line> = story.apps.iter().enumerate().map(line).collect();
        let mean = |a: &AppStory| {
            let known: Vec<f64> = a.columns[*place].iter().flatten().map(shown).collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let digits = decimals.min(1);
            (!known.is_empty()).then(|| format!("{} {mean:.digits$} {unit}", a.name).trim_end().to_string())
        };
        let means: Vec<String> = story.apps.iter().filter_map(mean).collect();
        let alt = format!("{name} over time under {}, means: {}", story.label, means.join("; "));
        figure(page, &format!("under <b>{}</b>", escape(&story.label)), &chart::lines(&alt, &x, &y, &lines));
    }
    page.push_str("</div>\n");
}

fn air(page: &mut String, report: &Report, legend: &str) {
    let (c, scenario) = (report.comparison, report.scenario);
    let legend =
        legend.replace("</p>", "<span><span class=\"swatch others\"></span>uplink, all stations</span></p>");
    put!(
        page,
        "<h2>Who used the air</h2>\n<p>Share of the measured time, {} s: downlinks with their attempts and backoffs (mean over the seeds), uplink (one run). The rest is idle, contention, collisions of uplinks and beacons.</p>\n{legend}<div class=\"figures\">",
        (c.measure_ns[1] - c.measure_ns[0]) as f64 / 1e9
    );
    // Shares of another time cannot be added to these.
    let common = |i: &usize| scenario.apps[*i].measured(scenario) == scenario.measure_ns;
    let apps: Vec<usize> = (0..scenario.apps.len()).filter(common).collect();
    let mut alt = Vec::new();
    let mut table = String::from("<table class=\"numbers\">\n<tr><th>share, %");
    for i in &apps {
        let _ = write!(table, "<th>{}", escape(&scenario.apps[*i].name));
    }
    table.push_str("<th>uplink<th>rest</tr>\n");
    let mut bars = Vec::new();
    for (q, story) in c.queues.iter().zip(report.stories) {
        let share = |i: &usize| (chart::colour(*i), q.apps[*i].mean(Metric::Air).unwrap_or(0.0));
        let mut parts: Vec<_> = apps.iter().map(share).collect();
        parts.push((chart::OTHERS, story.uplink_air));
        let names = apps.iter().map(|i| q.apps[*i].name.as_str()).chain(["uplink"]);
        let texts = names.zip(&parts).map(|(name, (_, share))| format!("{name} {:.1} %", share * 1e2));
        alt.push(format!("{}: {}", q.label, texts.collect::<Vec<_>>().join(", ")));
        let _ = write!(table, "<tr><th>{}", escape(&q.label));
        let rest = 1.0 - parts.iter().map(|(_, share)| share).sum::<f64>();
        for share in parts.iter().map(|(_, share)| *share).chain([rest]) {
            let _ = write!(table, "<td>{:.1}", share * 1e2);
        }
        table.push_str("</tr>\n");
        bars.push((q.label.clone(), parts));
    }
    let svg = chart::shares(&format!("Airtime. {}", alt.join("; ")), &bars);
    figure(page, "share of the measured time", &svg);
    put!(page, "</div>\n{SIDEWAYS}<div class=\"wide\">{table}</table></div>");
    let elsewhere = scenario.apps.iter().enumerate().filter(|(i, _)| !common(i));
    let elsewhere: Vec<&str> = elsewhere.map(|(_, app)| app.name.as_str()).collect();
    if !elsewhere.is_empty() {
        let names = escape(&words::list(&elsewhere));
        put!(page, "<p class=\"note\">Not here, for measured in a time of their own: {names}.</p>");
    }
}

/// Shown on narrow screens, above tables that are wider.
const SIDEWAYS: &str = "<p class=\"note sideways\">More to the right: the table can be moved sideways.</p>\n";

fn numbers(page: &mut String, c: &Comparison) {
    let rows = table::rows(c);
    let lines: Vec<Vec<String>> = rows.iter().map(|row| table::cells(c, *row)).collect();
    put!(page, "<h2>Numbers</h2>\n{SIDEWAYS}<div class=\"wide\"><table class=\"numbers\">\n<tr><th><th>");
    for q in &c.queues {
        let _ = write!(page, "<th>{}", escape(&q.label).replace(':', "<br>"));
    }
    page.push_str("</tr>\n");
    let mut above = None;
    for (row, line) in rows.iter().zip(&lines) {
        let name = if above == Some(row.0) { "" } else { table::name_of(c, row.0) };
        let class = if above == Some(row.0) { "" } else { " class=\"first\"" };
        above = Some(row.0);
        let _ = write!(page, "<tr{class}><th>{}<td>{}", escape(name), escape(row.1.label()));
        for cell in line {
            let best = cell.ends_with(table::MARK);
            let text = escape(cell.trim_end_matches([table::MARK, ' ']));
            let _ = if best { write!(page, "<td><b>{text} *</b>") } else { write!(page, "<td>{text}") };
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
    for note in table::notes(c, &rows, &lines).lines() {
        put!(page, "<p class=\"note\">{}</p>", escape(note));
    }
}

fn reproduce(page: &mut String, report: &Report) {
    let (c, origin) = (report.comparison, report.origin);
    let seeds: Vec<String> = c.seeds.iter().map(u64::to_string).collect();
    let seeds = match seeds.as_slice() {
        [first, .., last] if c.seeds.is_sorted_by(|a, b| a + 1 == *b) => format!("{first} to {last}"),
        all => all.join(", "),
    };
    put!(page, "<h2>To reproduce</h2>\n<pre>{}</pre>", escape(&origin.command));
    put!(
        page,
        "<p class=\"note\">airtab {}, commit {}; seeds {seeds}; scenario {}, number {}. The same command gives the \
         same figures on every machine. The figures of each seed are in results.parquet and results.json.</p>",
        escape(&origin.version),
        escape(&origin.git),
        escape(&c.scenario),
        escape(&origin.scenario_hash)
    );
    page.push_str("<div class=\"wide\"><table class=\"params\">\n<tr><th>discipline<th>parameters</tr>\n");
    for q in &c.queues {
        let params: Vec<String> = q.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        put!(page, "<tr><th>{}<td>{}</tr>", escape(&q.label), escape(&params.join(" ")));
    }
    page.push_str("</table></div>\n");
}
