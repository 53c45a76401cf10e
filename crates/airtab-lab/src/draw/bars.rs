// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Bars: a value for each, or the parts of a whole.
//!
//! What it does not do: no value is rounded here; texts come with the bars.

use std::fmt::Write;

use super::axis::Axis;
use super::look::Look;
use super::svg::{Anchor, TEXT, coordinate, line, rectangle, text, text_within};
use super::{Drawing, WIDTH};

/// A bar with its label.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Above it.
    pub label: String,
    /// Its colour.
    pub look: Look,
    /// Its length, in the unit of the axis.
    pub value: f64,
    /// Half width of its interval.
    pub half_width: Option<f64>,
    /// Its value in words, at the end of its label's line.
    pub text: String,
    /// What the source printed: from, to.
    pub published: Option<(f64, f64)>,
}

/// Horizontal bars over one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// The axis.
    pub axis: Axis,
    /// Where bars begin.
    pub from: f64,
    /// From top to bottom.
    pub bars: Vec<Bar>,
}

impl Bars {
    /// Over an axis that begins at `from` and reaches to `least` or further.
    pub fn new(label: &str, (from, least): (f64, f64), bars: Vec<Bar>) -> Bars {
        let ends = |bar: &Bar| {
            let half = bar.half_width.unwrap_or(0.0);
            let (low, high) = bar.published.unwrap_or((bar.value, bar.value));
            [bar.value - half, bar.value + half, low, high]
        };
        let axis = Axis::new(label).covering([from, least]).covering(bars.iter().flat_map(ends));
        Bars { axis, from, bars }
    }

    /// Over an axis that does not go below `floor`.
    pub fn not_below(self, floor: Option<f64>) -> Bars {
        Bars { axis: self.axis.not_below(floor), ..self }
    }

    pub(super) fn draw(&self) -> Drawing {
        let height = TOP + ROW * self.bars.len() as f64 + FOOT;
        let scale = self.axis.scale();
        let x = |value: f64| LEFT + scale.place(value) * (RIGHT - LEFT);
        let mut body = String::new();
        ticks(&mut body, height, scale.ticks.iter().map(|(value, words)| (x(*value), words.as_str())));
        for (i, bar) in self.bars.iter().enumerate() {
            let top = TOP + ROW * i as f64;
            body.push_str(&text(&bar.label, LEFT + 4.0, top + TEXT, Anchor::Start));
            body.push_str(&text(&bar.text, RIGHT, top + TEXT, Anchor::End));
            let (from, end) = (x(self.from.min(bar.value)), x(self.from.max(bar.value)));
            let _ = writeln!(body, "<g class=\"{}\">", bar.look.class());
            area(&mut body, &bar.look, "bar", from, top + BAR, (end - from).max(1.0));
            if let Some((low, high)) = bar.published {
                body.push_str(&published(x(low), x(high), top + BAR + THICK / 2.0));
            }
            body.push_str("</g>\n");
            if let Some(half) = bar.half_width {
                let (low, whole) = scale.low_end(bar.value - half);
                let (low, high, y) =
                    (LEFT + low * (RIGHT - LEFT), x(bar.value + half), top + BAR + THICK / 2.0);
                // What goes on below the axis has no end.
                let (up, end) = if whole { (4.0, "v8m0 -4") } else { (0.0, "") };
                let _ = writeln!(
                    body,
                    "<path class=\"whisker\" d=\"M{0} {1}{end}H{2}m0 -4v8\"/>",
                    coordinate(low),
                    coordinate(y - up),
                    coordinate(high)
                );
            }
        }
        body.push_str(&line("axis", (x(self.from), TOP), (x(self.from), height - FOOT)));
        Drawing { height, body }
    }
}

/// A part of a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Whose it is, for the legend.
    pub name: String,
    /// Its colour.
    pub look: Look,
    /// Drawn paler: the second part of the same one.
    pub pale: bool,
    /// From 0 to 1.
    pub share: f64,
}

/// One bar for each label, of parts that sum to 1 or less.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// Labels and parts.
    pub bars: Vec<(String, Vec<Part>)>,
}

impl Shares {
    pub(super) fn draw(&self) -> Drawing {
        let height = TOP + ROW * self.bars.len() as f64 + FOOT;
        let sum = |parts: &[Part]| parts.iter().map(|part| part.share).sum::<f64>();
        let whole = self.bars.iter().map(|(_, parts)| sum(parts)).fold(1.0, f64::max);
        let x = |share: f64| LEFT + share / whole * (RIGHT - LEFT);
        let mut body = String::new();
        let percent = ["0 %", "25 %", "50 %", "75 %", "100 %"];
        ticks(&mut body, height, percent.iter().zip(0..).map(|(words, i)| (x(f64::from(i) / 4.0), *words)));
        for (i, (label, parts)) in self.bars.iter().enumerate() {
            let top = TOP + ROW * i as f64;
            body.push_str(&text(label, LEFT, top + TEXT, Anchor::Start));
            let mut from = 0.0;
            for part in parts {
                let _ = writeln!(body, "<g class=\"{}\">", part.look.class());
                let class = if part.pale { "bar pale" } else { "bar" };
                area(&mut body, &part.look, class, x(from), top + BAR, x(from + part.share) - x(from));
                body.push_str("</g>\n");
                from += part.share;
                body.push_str(&line("gap", (x(from), top + BAR), (x(from), top + BAR + THICK)));
            }
        }
        Drawing { height, body }
    }
}

const TOP: f64 = 4.0;
/// A label and the bar below it.
const ROW: f64 = 40.0;
/// From the top of a row to its bar, and that bar's thickness.
const BAR: f64 = 18.0;
const THICK: f64 = 14.0;
/// For the ticks' labels.
const FOOT: f64 = 22.0;
const LEFT: f64 = 6.0;
const RIGHT: f64 = WIDTH - 6.0;

fn ticks<'a>(body: &mut String, height: f64, ticks: impl Iterator<Item = (f64, &'a str)>) {
    for (x, words) in ticks {
        body.push_str(&line("grid", (x, TOP), (x, height - FOOT)));
        body.push_str(&text_within(words, x, height - 6.0, (1.0, WIDTH - 1.0)));
    }
}

fn area(body: &mut String, look: &Look, class: &str, x: f64, y: f64, width: f64) {
    body.push_str(&rectangle(class, x, y, width, THICK));
    body.push_str(&look.hatching(x, y, width, THICK));
}

/// The mark of what was published, across a bar.
fn published(low: f64, high: f64, y: f64) -> String {
    match high - low < 0.05 {
        true => super::plot::published(low, [y, y]),
        false => {
            let (x, width, y) = (coordinate(low), coordinate(high - low), coordinate(y - 4.0));
            format!("<rect class=\"published\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"8\"/>\n")
        }
    }
}
