// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An experiment's figures: a metric over an axis, a line for each discipline,
//! as the source draws it; or bars, where nothing varies.
//!
//! What it does not do: no page (`page`), and no drawing (`report::chart`).

use airtab_scenario::Metric;
use airtab_scenario::reader::{Section, number, text};

use super::file::Names;
use super::{Axis, Experiment, Outcome, PointScores};
use crate::report::chart::{self, Bar, Curve, Line};
use crate::table::with_interval;

/// What to draw.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows, and which figure of the source it stands for.
    pub title: String,
    /// Over which axis; None: a bar for each discipline.
    x: Option<usize>,
    /// Application and metric; with several, they are the lines and every
    /// discipline has a picture of its own.
    y: Vec<(String, Metric)>,
    /// Where the axis of `y` begins, in the unit of tables.
    from: f64,
    /// What the axis of `y` says, where the metric's own name does not fit.
    label: Option<String>,
    /// What one unit of that axis is, in the unit of tables.
    per: f64,
    queues: Vec<String>,
    at: Vec<(usize, Vec<usize>)>,
}

/// One picture.
pub(super) struct Picture {
    /// What is special about it; may be empty.
    pub caption: String,
    /// Names of its lines, in the order of their colours; empty for bars.
    pub lines: Vec<String>,
    /// The picture itself.
    pub svg: String,
}

/// Reads `[[figure]]`.
pub(super) fn read(s: &Section, names: &Names) -> Option<Figure> {
    let title = s.require("title", text);
    let y = s.require("y", |v| names.metrics(v));
    let x = s.read("x", |v| names.axis(&v.written));
    let from = s.read("from", number(-1e6..=1e6, "a number")).unwrap_or(0.0);
    let label = s.read("label", text);
    let per = s.read("per", number(1e-9..=1e9, "a number above 0")).unwrap_or(1.0);
    if x.is_none() && (label.is_some() || s.get("per").is_some()) {
        s.problem("label and per are for a figure over an axis: name it as x".into());
    }
    let queues = s.read("queues", |v| names.queues(v));
    let at = names.at(s)?;
    s.finish();
    let queues = queues.unwrap_or_else(|| names.labels());
    Some(Figure { title: title?, x, y: y?, from, label, per, queues, at })
}

impl Figure {
    /// Its pictures: one for each combination of the other axes' values.
    pub(super) fn draw(&self, experiment: &Experiment, outcome: &Outcome) -> Vec<Picture> {
        let mut groups: Vec<(Vec<usize>, Vec<&PointScores>)> = Vec::new();
        for point in outcome.points.iter().filter(|p| self.shows(&p.at)) {
            let mut key = point.at.clone();
            self.x.into_iter().for_each(|x| key[x] = 0);
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, points)) => points.push(point),
                None => groups.push((key, vec![point])),
            }
        }
        let of_group = |(_, points): &(Vec<usize>, Vec<&PointScores>)| {
            let caption = self.caption(experiment, &points[0].at);
            match self.x {
                Some(x) => self.curves(&experiment.axes[x], x, points, &caption),
                None => self.bars(points, &caption),
            }
        };
        // One point is no line: a quick look may have run no other of its group.
        let worth = groups.iter().filter(|(_, points)| self.x.is_none() || points.len() > 1);
        worth.flat_map(of_group).collect()
    }

    /// Application and metric of everything that it shows.
    pub(super) fn shown(&self) -> impl Iterator<Item = &(String, Metric)> {
        self.y.iter()
    }

    fn shows(&self, at: &[usize]) -> bool {
        self.at.iter().all(|(axis, values)| values.contains(&at[*axis]))
    }

    /// The values of the axes that are not shown otherwise.
    fn caption(&self, experiment: &Experiment, at: &[usize]) -> String {
        let others = experiment.axes.iter().enumerate().filter(|(i, _)| Some(*i) != self.x);
        others
            .map(|(i, axis)| format!("{} = {}", axis.name, axis.values[at[i]].text))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn curves(&self, axis: &Axis, x: usize, points: &[&PointScores], caption: &str) -> Vec<Picture> {
        if self.y.len() == 1 {
            let curves = self.queues.iter().map(|q| (q.clone(), q.clone(), self.y[0].clone()));
            return vec![self.picture(axis, x, points, caption.into(), &curves.collect::<Vec<_>>())];
        }
        let of_queue = |queue: &String| {
            let curves: Vec<_> = self.y.iter().map(|y| (self.name(y), queue.clone(), y.clone())).collect();
            let caption = if caption.is_empty() { queue.clone() } else { format!("{caption}, {queue}") };
            self.picture(axis, x, points, caption, &curves)
        };
        self.queues.iter().map(of_queue).collect()
    }

    /// Of a line: by what it differs from the others.
    fn name(&self, (app, metric): &(String, Metric)) -> String {
        match (self.y.iter().all(|y| y.0 == *app), self.y.iter().all(|y| y.1 == *metric)) {
            (true, _) => metric.label().into(),
            (false, true) => app.clone(),
            (false, false) => format!("{app}: {}", metric.label()),
        }
    }

    /// `curves`: name, discipline, what of it.
    fn picture(
        &self,
        axis: &Axis,
        x: usize,
        points: &[&PointScores],
        caption: String,
        curves: &[(String, String, (String, Metric))],
    ) -> Picture {
        let place = |p: &PointScores| {
            let at = axis.values[p.at[x]].x.unwrap_or(p.at[x] as f64);
            if axis.log { at.max(f64::MIN_POSITIVE).log10() } else { at }
        };
        let line = |(i, (_, queue, (app, metric))): (usize, &(String, String, (String, Metric)))| {
            let of = |p: &&PointScores| {
                let s = p.queues.iter().find(|q| q.label == *queue)?.app(app)?.metrics.get(metric)?;
                let shown = |v: f64| metric.shown(v) / self.per;
                Some((place(p), shown(s.mean), s.half_width_95.map_or(0.0, shown)))
            };
            let values: Vec<Option<(f64, f64, f64)>> = points.iter().map(of).collect();
            Curve {
                line: Line {
                    colour: chart::colour(i),
                    points: values.iter().map(|v| v.map(|(x, y, _)| (x, y))).collect(),
                },
                whiskers: values.iter().flatten().map(|(x, y, half)| (*x, y - half, y + half)).collect(),
            }
        };
        let lines: Vec<Curve> = curves.iter().enumerate().map(line).collect();
        let label = self.label.as_deref().unwrap_or(self.y[0].1.label());
        let ys = || lines.iter().flat_map(|l| l.line.points.iter().flatten().map(|p| p.1));
        let top = ys().fold(f64::MIN, f64::max);
        let low = ys().fold(self.from, f64::min);
        let top = if top > low { low + (top - low) * 1.05 } else { low + 1.0 };
        let xs = || points.iter().map(|p| place(p));
        let (left, right) = (xs().fold(f64::MAX, f64::min), xs().fold(f64::MIN, f64::max));
        let range = if axis.log { (left.floor(), right.ceil()) } else { (left.min(0.0), right) };
        let range = if range.1 > range.0 { range } else { (range.0, range.0 + 1.0) };
        let x_axis = chart::Axis { label: &axis.label, range, powers: axis.log };
        let y_axis = chart::Axis { label, range: (low, top), powers: false };
        let last = |l: &Curve| {
            l.line.points.iter().flatten().next_back().map_or("none".into(), |p| format!("{:.2}", p.1))
        };
        let ends: Vec<String> =
            curves.iter().zip(&lines).map(|(c, l)| format!("{} {}", c.0, last(l))).collect();
        let alt = format!("{}: {label} over {}; last: {}", self.title, axis.label, ends.join(", "));
        Picture {
            caption,
            lines: curves.iter().map(|(name, ..)| name.clone()).collect(),
            svg: chart::curves(&alt, &x_axis, &y_axis, &lines),
        }
    }

    fn bars(&self, points: &[&PointScores], caption: &str) -> Vec<Picture> {
        let of = |(i, (app, metric)): (usize, &(String, Metric))| {
            let bar = |label: &String| {
                let s = points[0].queues.iter().find(|q| q.label == *label)?.app(app)?.metrics.get(metric)?;
                let half_width = s.half_width_95.map(|half| metric.shown(half));
                let text = with_interval(*metric, s);
                Some(Bar { label: label.clone(), value: metric.shown(s.mean), half_width, text })
            };
            let bars: Vec<Bar> = self.queues.iter().filter_map(bar).collect();
            let caption = [caption, app, metric.label()].into_iter().filter(|part| !part.is_empty());
            let caption = caption.collect::<Vec<_>>().join(", ");
            let values: Vec<String> = bars.iter().map(|b| format!("{} {}", b.label, b.text)).collect();
            let alt = format!("{}, {caption}: {}", self.title, values.join("; "));
            let svg = chart::bars(&alt, &bars, (self.from, self.from + 1.0), chart::colour(i));
            Picture { caption, lines: Vec::new(), svg }
        };
        self.y.iter().enumerate().map(of).collect()
    }
}
