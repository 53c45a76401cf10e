// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The figures of a report: scores over all seeds, what happened over time in one
//! run of each discipline, who used the air.
//!
//! What it does not do: no drawing (`draw`).

use airtab_core::Column;
use airtab_scenario::{About, Metric, QueueScores, Score, Summary, column_unit};

use super::{Report, words};
use crate::compare::Comparison;
use crate::draw::{Axis, Bar, Bars, Content, Figure, Kind, Line, Look, Panel, Part, Plot, Point, Shares};
use crate::story::{AppStory, COLUMN_SPAN_NS, COLUMN_STEP_NS, Story};
use crate::table;

/// What each application felt.
pub(super) fn scores(c: &Comparison) -> Figure {
    let intervals = if c.seeds.len() > 1 { ", with 95 % intervals" } else { "" };
    let labels: Vec<String> = c.queues.iter().map(|q| q.label.clone()).collect();
    let apps = c.queues.first().map_or(&[][..], |q| &q.apps);
    let panel = |i: usize, app: &airtab_scenario::Scores, (metric, score): (Metric, &Score)| {
        let of = |q: &QueueScores| {
            Some(bar(
                &q.label,
                Look::of_discipline(&q.label, &labels),
                metric,
                q.apps[i].metrics.get(&metric)?,
            ))
        };
        let bars: Vec<Bar> = c.queues.iter().filter_map(of).collect();
        let what = score.caption;
        let values: Vec<String> = bars.iter().map(|b| format!("{} {}", b.label, b.text)).collect();
        Panel {
            name: app.name.clone(),
            caption: what.into(),
            alt: format!("{}, {what}: {}", app.name, values.join("; ")),
            content: Content::Bars(Bars::new(what, score.axis, bars).not_below(metric.least())),
        }
    };
    let mut panels = Vec::new();
    for (i, app) in apps.iter().enumerate() {
        let scored = About::named(app.kind).into_iter().flat_map(About::scored);
        for (place, of) in scored.enumerate() {
            // Further figures only where there is something to see: stalls, losses.
            let any = || c.queues.iter().any(|q| q.apps[i].mean(of.0).is_some_and(|x| x > 0.0));
            if place == 0 || any() {
                panels.push(panel(i, app, of));
            }
        }
    }
    Figure::new("scores", "What each application felt", format!("Means over the seeds{intervals}."), panels)
}

/// A bar of a figure that a table has too, with the same words.
pub(crate) fn bar(label: &str, look: Look, metric: Metric, s: &Summary) -> Bar {
    let half_width = s.half_width_95.map(|half| metric.shown(half));
    let text = table::with_interval(metric, s);
    Bar { label: label.into(), look, value: metric.shown(s.mean), half_width, text, published: None }
}

/// What happened over time; nothing without stories.
pub(super) fn over_time(report: &Report) -> Vec<Figure> {
    let Some(first) = report.stories.first() else { return Vec::new() };
    let mut figures = vec![queue_delay(report.stories, first), received(report, first)];
    figures.extend(columns(report.stories));
    figures
}

/// Name and points of a line.
type Named = (String, Vec<Option<Point>>);

/// A panel for each story, a line for each application.
fn panels(
    stories: &[&Story],
    (x, y): (&Axis, &Axis),
    alt: &dyn Fn(&Story) -> String,
    line: &dyn Fn(&Story, usize, &AppStory) -> Named,
) -> Vec<Panel> {
    let panel = |story: &&Story| {
        let line = |(i, app): (usize, &AppStory)| {
            let (name, points) = line(story, i, app);
            Line { name, look: Look::of_app(i), kind: Kind::Course, points }
        };
        let lines: Vec<Line> = story.apps.iter().enumerate().map(line).collect();
        let shown = || lines.iter().flat_map(|line| line.points.iter().flatten());
        let (x, y) = (x.clone().covering(shown().map(|p| p.x)), y.clone().covering(shown().map(|p| p.y)));
        let content = Content::Plot(Plot { x, y, lines, mark: None });
        Panel { name: story.label.clone(), caption: String::new(), alt: alt(story), content }
    };
    stories.iter().map(panel).collect()
}

/// Shorter waits are drawn as this, ms.
const LEAST_MS: f64 = 0.01;

fn queue_delay(stories: &[Story], first: &Story) -> Figure {
    let about = format!(
        "One run of each discipline (seed {}): which share of an application's packets waited so long or less. \
         Further left is better.",
        first.seed
    );
    let x = Axis::new("time in the queue, ms").log().covering([LEAST_MS, 10.0]);
    let y = Axis::new("share of packets, %").covering([0.0, 100.0]);
    let alt = |story: &Story| {
        let median = |app: &AppStory| app.queue_delay.get(app.queue_delay.len() / 2).map(|p| p.0 * 1e3);
        let medians = story.apps.iter().filter_map(|a| Some(format!("{} {:.2} ms", a.name, median(a)?)));
        format!(
            "Time in the queue under {}, medians: {}",
            story.label,
            medians.collect::<Vec<_>>().join("; ")
        )
    };
    let line = |_: &Story, _: usize, app: &AppStory| {
        let point = |(s, share): &(f64, f64)| Some(Point::new((s * 1e3).max(LEAST_MS), share * 1e2));
        (app.name.clone(), app.queue_delay.iter().map(point).collect())
    };
    let stories: Vec<&Story> = stories.iter().collect();
    let panels = panels(&stories, (&x, &y), &alt, &line);
    Figure::new("queue-delay", "Time in the access point's queue", about, panels)
}

/// Lower edge of the received rates: a call has eight times as much.
const LEAST_MBPS: f64 = 0.01;

/// Of each application, whether its data goes up: at least twice as much as comes down, in all runs together.
fn uploads(stories: &[Story]) -> Vec<bool> {
    let apps = stories.first().map_or(0, |s| s.apps.len());
    let sum =
        |of: &dyn Fn(&AppStory) -> f64, i: usize| stories.iter().filter_map(|s| s.apps.get(i)).map(of).sum();
    let goes_up = |i: usize| {
        let down: f64 = sum(&|a| a.received_bps.iter().sum(), i);
        let up: f64 = sum(&|a| a.uploaded_bps.iter().sum(), i);
        up > 2.0 * down
    };
    (0..apps).map(goes_up).collect()
}

fn received(report: &Report, first: &Story) -> Figure {
    let stories = report.stories;
    let uploads = uploads(stories);
    let what = if uploads.contains(&true) { ", or at its server what an upload sends" } else { "" };
    let about = format!(
        "The same runs, in steps of {} s: what arrives at the station{what}. Each line of the grid is ten times the \
         one below; at the lower edge is what received {LEAST_MBPS} Mb/s or less.",
        first.step_ns as f64 / 1e9
    );
    let rates = |i: usize, app: &AppStory| match uploads[i] {
        true => app.uploaded_bps.clone(),
        false => app.received_bps.clone(),
    };
    let x = Axis::new("time, s").exact().covering([0.0, report.comparison.duration_ns as f64 / 1e9]);
    let y = Axis::new("received, Mb/s").log().covering([LEAST_MBPS, 1.0]);
    let alt = |story: &Story| {
        let peak = |(i, app)| rates(i, app).into_iter().fold(0.0, f64::max) / 1e6;
        let peaks =
            story.apps.iter().enumerate().map(|(i, a)| format!("{} {:.1} Mb/s", a.name, peak((i, a))));
        format!("Received over time under {}, highest: {}", story.label, peaks.collect::<Vec<_>>().join("; "))
    };
    let line = |story: &Story, i: usize, app: &AppStory| {
        let at = |step: usize| (step as f64 + 0.5) * story.step_ns as f64 / 1e9;
        let point = |(n, bps): (usize, f64)| Some(Point::new(at(n), (bps / 1e6).max(LEAST_MBPS)));
        let name = if uploads[i] { format!("{} (up)", app.name) } else { app.name.clone() };
        (name, rates(i, app).into_iter().enumerate().map(point).collect())
    };
    let all: Vec<&Story> = stories.iter().collect();
    Figure::new("received", "Received over time", about, panels(&all, (&x, &y), &alt, &line))
}

/// What the disciplines' tables say of flows: a figure for each column, with those that have it.
fn columns(stories: &[Story]) -> Vec<Figure> {
    let all = stories.iter().filter(|s| !s.columns_at_ns.is_empty()).flat_map(|s| &s.columns);
    let mut columns: Vec<Column> = Vec::new();
    for column in all {
        if columns.iter().all(|known| known.name != column.name) {
            columns.push(*column);
        }
    }
    let of = |column: Column| {
        let with: Vec<&Story> = stories.iter().filter(|s| place(s, &column).is_some()).collect();
        one_column(&column, &with)
    };
    columns.into_iter().map(of).collect()
}

/// Where a story has a column.
fn place(story: &Story, column: &Column) -> Option<usize> {
    story.columns.iter().position(|known| known.name == column.name)
}

fn one_column(column: &Column, stories: &[&Story]) -> Figure {
    let [before, after] = COLUMN_SPAN_NS.map(|ns| ns as f64 / 1e9);
    let name = words::begin(column.name);
    let about = format!(
        "The same runs, looked at every {} ms from {before} s before to {after} s after second {}: mean of the flows \
         of each application, where the discipline's table knows one.",
        COLUMN_STEP_NS as f64 / 1e6,
        stories[0].busy_ns as f64 / 1e9
    );
    let (unit, factor, decimals) = column_unit(column.unit);
    let label = if unit.is_empty() { column.name.into() } else { format!("{}, {unit}", column.name) };
    let (x, y) = (Axis::new("time, s").exact(), Axis::new(label).covering([0.0, 1.0]).open());
    let values = |story: &Story, app: &AppStory| {
        let values =
            place(story, column).and_then(|place| app.columns.get(place).cloned()).unwrap_or_default();
        values.into_iter().map(|value| value.map(|v| v * factor)).collect::<Vec<_>>()
    };
    let alt = |story: &Story| {
        let mean = |app: &AppStory| {
            let known: Vec<f64> = values(story, app).into_iter().flatten().collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let digits = decimals.min(1);
            (!known.is_empty()).then(|| format!("{} {mean:.digits$} {unit}", app.name).trim_end().to_string())
        };
        let means: Vec<String> = story.apps.iter().filter_map(mean).collect();
        format!("{name} over time under {}, means: {}", story.label, means.join("; "))
    };
    let line = |story: &Story, _: usize, app: &AppStory| {
        let time = |i: usize| story.columns_at_ns[i] as f64 / 1e9;
        let values = values(story, app).into_iter().enumerate();
        (app.name.clone(), values.map(|(n, value)| Some(Point::new(time(n), value?))).collect())
    };
    let title = format!("{name}: {}", column.help);
    Figure::new(format!("column-{}", column.name), title, about, panels(stories, (&x, &y), &alt, &line))
}

/// Who used the air.
pub(super) struct Air {
    /// As stacked bars.
    pub figure: Figure,
    /// Names of the applications in them.
    pub names: Vec<String>,
    /// For each discipline its label, and the shares of each application, down and up.
    pub rows: Vec<(String, Vec<[f64; 2]>)>,
    /// Applications that are measured in a time of their own, whose shares cannot be added to these.
    pub elsewhere: Vec<String>,
}

pub(super) fn air(report: &Report) -> Air {
    let (c, scenario) = (report.comparison, report.scenario);
    let (common, other): (Vec<usize>, Vec<usize>) =
        (0..scenario.apps.len()).partition(|i| scenario.apps[*i].measured(scenario) == scenario.measure_ns);
    let names = |of: &[usize]| of.iter().map(|i| scenario.apps[*i].name.clone()).collect::<Vec<_>>();
    let shares = |q: &QueueScores| {
        let share = |i: &usize| [Metric::Air, Metric::UplinkAir].map(|m| q.apps[*i].mean(m).unwrap_or(0.0));
        (q.label.clone(), common.iter().map(share).collect::<Vec<_>>())
    };
    let rows: Vec<(String, Vec<[f64; 2]>)> = c.queues.iter().map(shares).collect();
    let parts = |(label, shares): &(String, Vec<[f64; 2]>)| {
        let parts = [false, true].into_iter().flat_map(|pale| {
            let part = move |(i, share): (&usize, &[f64; 2])| Part {
                name: scenario.apps[*i].name.clone(),
                look: Look::of_app(*i),
                pale,
                share: share[usize::from(pale)],
            };
            common.iter().zip(shares).map(part)
        });
        (label.clone(), parts.collect::<Vec<_>>())
    };
    let bars: Vec<(String, Vec<Part>)> = rows.iter().map(parts).collect();
    let words = |(label, shares): &(String, Vec<[f64; 2]>)| {
        let one = |(i, [down, up]): (&usize, &[f64; 2])| {
            format!("{} {:.1} % down, {:.1} % up", scenario.apps[*i].name, down * 1e2, up * 1e2)
        };
        format!("{label}: {}", common.iter().zip(shares).map(one).collect::<Vec<_>>().join(", "))
    };
    let panel = Panel {
        name: String::new(),
        caption: "share of the measured time".into(),
        alt: format!("Airtime. {}", rows.iter().map(words).collect::<Vec<_>>().join("; ")),
        content: Content::Shares(Shares { bars }),
    };
    let about = format!(
        "Share of the measured time, {} s, mean over the seeds: attempts and backoffs of each application's downlink, \
         then of its uplink. The rest is idle, contention, collisions and beacons.",
        (c.measure_ns[1] - c.measure_ns[0]) as f64 / 1e9
    );
    Air {
        figure: Figure::new("air", "Who used the air", about, vec![panel]),
        names: names(&common),
        rows,
        elsewhere: names(&other),
    }
}
