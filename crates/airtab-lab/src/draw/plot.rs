// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Lines, means with intervals, and clouds of points over two axes.
//!
//! What it does not do: no legend (`mod.rs`).

use std::fmt::Write;

use super::axis::{Axis, Scale};
use super::look::Look;
use super::svg::{self, Anchor, TEXT, coordinate, line, text, text_within, width};
use super::{Drawing, WIDTH};

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Along the horizontal axis.
    pub x: f64,
    /// Along the vertical one.
    pub y: f64,
    /// Both ends of an interval around `y`; `y` itself where there is none.
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

impl Point {
    /// One without an interval.
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, low: y, high: y }
    }
}

/// How points are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Many, joined by a line.
    Course,
    /// Few, each marked and with its interval, joined by a line: that between two is not measured.
    Means,
    /// Each for itself.
    Cloud,
    /// What a source printed: open marks; with an interval, where it gives one.
    Published,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What they are, for the legend.
    pub name: String,
    /// How they are told from others.
    pub look: Look,
    /// What they look like.
    pub kind: Kind,
    /// In order of x; a gap where there is None.
    pub points: Vec<Option<Point>>,
}

/// Lines over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is on them, the last on top.
    pub lines: Vec<Line>,
    /// A line across at this x.
    pub mark: Option<f64>,
}

const HEIGHT: f64 = 250.0;
const TOP: f64 = 10.0;
const RIGHT: f64 = WIDTH - 12.0;
const BOTTOM: f64 = HEIGHT - 42.0;
/// With so many lines or more, those without markers get some.
const MANY: usize = 7;

/// A line with more points than this is thin.
const DENSE: usize = 300;

/// The panel's area for points: left, right, top and bottom, and both scales.
struct Frame {
    left: f64,
    x: Scale,
    y: Scale,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        self.left + self.x.place(value) * (RIGHT - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - self.y.place(value) * (BOTTOM - TOP)
    }
}

impl Plot {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.points.iter().all(Option::is_none))
    }

    /// Whether a line has markers.
    pub(super) fn is_marked(&self, line: &Line) -> bool {
        line.kind == Kind::Means || line.kind == Kind::Course && self.lines.len() >= MANY
    }

    pub(super) fn draw(&self) -> Drawing {
        let (x, y) = (self.x.scale(), self.y.scale());
        let widest = y.ticks.iter().map(|(_, text)| width(text)).fold(0.0, f64::max);
        let frame = Frame { left: TEXT + 12.0 + widest, x, y };
        let mut body = self.axes(&frame);
        if let Some(mark) = self.mark {
            body.push_str(&line("mark", (frame.x(mark), TOP), (frame.x(mark), BOTTOM)));
        }
        for (i, line) in self.lines.iter().enumerate() {
            let _ = writeln!(body, "<g class=\"{}\">", line.look.class());
            match line.kind {
                Kind::Course => course(&mut body, &frame, line, self.is_marked(line).then_some(i)),
                Kind::Means => means(&mut body, &frame, line),
                Kind::Cloud => cloud(&mut body, &frame, line),
                Kind::Published => {
                    for point in line.points.iter().flatten() {
                        let y = [frame.y(point.low), frame.y(point.high)];
                        body.push_str(&published(frame.x(point.x), y));
                    }
                }
            }
            body.push_str("</g>\n");
        }
        Drawing { height: HEIGHT, body }
    }

    fn axes(&self, frame: &Frame) -> String {
        let mut body = String::new();
        for (value, words) in &frame.y.ticks {
            let y = frame.y(*value);
            body.push_str(&line("grid", (frame.left, y), (RIGHT, y)));
            body.push_str(&text(words, frame.left - 5.0, y + 4.0, Anchor::End));
        }
        let mut until = 0.0;
        for (value, words) in &frame.x.ticks {
            let x = frame.x(*value);
            body.push_str(&line("grid", (x, TOP), (x, BOTTOM)));
            // A label that would touch the last one is left out; its line stays.
            let half = width(words) / 2.0;
            if x - half >= until {
                body.push_str(&text_within(words, x, BOTTOM + TEXT + 4.0, (0.0, WIDTH)));
                until = x + half + 3.0;
            }
        }
        body.push_str(&line("axis", (frame.left, BOTTOM), (RIGHT, BOTTOM)));
        body.push_str(&line("axis", (frame.left, TOP), (frame.left, BOTTOM)));
        let middle = (frame.left + RIGHT) / 2.0;
        body.push_str(&text_within(self.x.label(), middle, HEIGHT - 8.0, (0.0, WIDTH)));
        let _ = writeln!(
            body,
            "<text transform=\"translate({TEXT} {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            coordinate((TOP + BOTTOM) / 2.0),
            svg::escape(self.y.label())
        );
        body
    }
}

/// The pieces of a line between gaps.
fn pieces<'a>(line: &'a Line, frame: &'a Frame) -> impl Iterator<Item = Vec<(f64, f64)>> + 'a {
    let pieces = line.points.split(Option::is_none).filter(|piece| !piece.is_empty());
    pieces.map(|piece| piece.iter().flatten().map(|p| (frame.x(p.x), frame.y(p.y))).collect())
}

fn join(body: &mut String, frame: &Frame, line: &Line) {
    let fine = if line.points.len() > DENSE { " class=\"fine\"" } else { "" };
    for piece in pieces(line, frame) {
        let points = svg::points(piece.into_iter());
        let _ = writeln!(body, "<polyline{fine}{} points=\"{points}\"/>", line.look.dashes());
    }
}

/// `number`: with markers here and there, of many lines each at another place.
fn course(body: &mut String, frame: &Frame, line: &Line, number: Option<usize>) {
    join(body, frame, line);
    let Some(number) = number else { return };
    const EVERY: f64 = 70.0;
    let mut next = frame.left + (number * 11 % EVERY as usize) as f64;
    for point in line.points.iter().flatten() {
        let x = frame.x(point.x);
        if x >= next {
            body.push_str(&line.look.marker(x, frame.y(point.y)));
            next = x + EVERY;
        }
    }
}

fn means(body: &mut String, frame: &Frame, line: &Line) {
    join(body, frame, line);
    for point in line.points.iter().flatten() {
        let (x, (low, whole), high) = (frame.x(point.x), frame.y.low_end(point.low), frame.y(point.high));
        let low = BOTTOM - low * (BOTTOM - TOP);
        if point.high > point.low {
            // What goes on below the axis has no end.
            let (left, end) = if whole { (3.0, "h6m-3 0") } else { (0.0, "") };
            let _ = writeln!(
                body,
                "<path class=\"interval\" d=\"M{0} {1}{end}V{2}m-3 0h6\"/>",
                coordinate(x - left),
                coordinate(low),
                coordinate(high)
            );
        }
        body.push_str(&line.look.marker(x, frame.y(point.y)));
    }
    body.push('\n');
}

fn cloud(body: &mut String, frame: &Frame, line: &Line) {
    for point in line.points.iter().flatten() {
        let (x, y) = (coordinate(frame.x(point.x)), coordinate(frame.y(point.y)));
        let _ = writeln!(body, "<circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"2\"/>");
    }
}

/// The mark of a published value at `x`, or of a range of them from one `y` to the other.
pub(super) fn published(x: f64, [low, high]: [f64; 2]) -> String {
    let [x, low, high] = [x, low, high].map(|v| (v * 10.0).round() / 10.0);
    if low == high {
        let (top, right) = (coordinate(low - 5.0), coordinate(x));
        return format!("<path class=\"published\" d=\"M{right} {top}l5 5l-5 5l-5 -5z\"/>\n");
    }
    let (x, y, height) = (coordinate(x - 4.0), coordinate(high), coordinate(low - high));
    format!("<rect class=\"published\" x=\"{x}\" y=\"{y}\" width=\"8\" height=\"{height}\"/>\n")
}
