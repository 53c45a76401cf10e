// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures as SVG: bars, lines, stacked bars, drawn by plotters.
//!
//! Drawn small, so that a phone shows one across and a desk several. Colours
//! are names here: the page's style sheet selects `[fill="#000000"]` and the
//! like, and gives each its colour for light and for dark. Seen alone, an SVG
//! has the light colours.
//!
//! What it does not do: no scripts, no fonts.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Text and axes.
const INK: RGBColor = BLACK;
/// Lines across a figure.
pub const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// What belongs to no application.
pub const OTHERS: RGBColor = RGBColor(0x99, 0x99, 0x99);
/// Applications or flows, in turn: colours that the colour-blind can tell apart (Okabe and Ito).
pub const PALETTE: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
];

const WIDTH: u32 = 400;
/// Plotters divides sizes of text by 1.24: 14.5 here, 12 on a phone of 360 pixels.
const TEXT: f64 = 18.0;
/// Above the first label: the letters of some fonts reach higher than their box.
const TOP: i32 = 4;
/// A label and the bar below it.
const ROW: i32 = 44;
/// Where bars begin, and the length of the longest; its text is behind it.
const LEFT: i32 = 4;
const LONGEST: f64 = 270.0;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Colour of application or flow number `i`.
pub fn colour(i: usize) -> RGBColor {
    PALETTE[i % PALETTE.len()]
}

/// A bar with its label.
pub struct Bar {
    /// Above it.
    pub label: String,
    /// Its length, in the unit of the axis.
    pub value: f64,
    /// Half width of its interval.
    pub half_width: Option<f64>,
    /// Behind it.
    pub text: String,
}

/// Horizontal bars over an axis from `range.0` to `range.1`, or further if a bar
/// needs it; `alt` says what they show.
pub fn bars(alt: &str, bars: &[Bar], range: (f64, f64), colour: RGBColor) -> String {
    let height = TOP + ROW * bars.len() as i32 + 26;
    let from = range.0;
    let most = bars.iter().map(|b| b.value + b.half_width.unwrap_or(0.0)).fold(range.1, f64::max);
    let step = step(most - from);
    let x = |value: f64| LEFT + ((value - from).max(0.0) / (most - from) * LONGEST).round() as i32;
    draw(alt, height as u32, |area| {
        let mut tick = from;
        while tick <= most {
            line(area, &[(x(tick), 0), (x(tick), height - 22)], GRID, 1);
            text(area, number(tick, step), (x(tick), height - 19), HPos::Center);
            tick += step;
        }
        for (i, bar) in (0..).zip(bars) {
            let (top, end) = (TOP + i * ROW, x(bar.value));
            text(area, bar.label.clone(), (LEFT, top), HPos::Left);
            let rectangle = [(LEFT, top + 20), (end.max(LEFT + 1), top + 34)];
            area.draw(&Rectangle::new(rectangle, colour.filled())).expect(DRAWN);
            let mut right = end;
            if let Some(half) = bar.half_width {
                let (low, high) = (x(bar.value - half), x(bar.value + half));
                right = high;
                line(area, &[(low, top + 27), (high, top + 27)], INK, 1);
                for whisker in [low, high] {
                    line(area, &[(whisker, top + 23), (whisker, top + 31)], INK, 1);
                }
            }
            text(area, bar.text.clone(), (right + 6, top + 21), HPos::Left);
        }
    })
}

/// One bar for each label, of parts that sum to 1 or less.
pub fn shares(alt: &str, bars: &[(String, Vec<(RGBColor, f64)>)]) -> String {
    let height = TOP + ROW * bars.len() as i32 + 26;
    let x = |share: f64| LEFT + (share * 384.0).round() as i32;
    draw(alt, height as u32, |area| {
        for percent in [0, 25, 50, 75, 100] {
            let at = x(f64::from(percent) / 100.0);
            line(area, &[(at, 0), (at, height - 22)], GRID, 1);
            let anchor = match percent {
                0 => HPos::Left,
                100 => HPos::Right,
                _ => HPos::Center,
            };
            text(area, format!("{percent} %"), (at, height - 19), anchor);
        }
        for (i, (label, parts)) in (0..).zip(bars) {
            let top = TOP + i * ROW;
            text(area, label.clone(), (LEFT, top), HPos::Left);
            let mut sum = 0.0;
            for (colour, share) in parts {
                let ends = [(x(sum), top + 20), (x(sum + share), top + 34)];
                area.draw(&Rectangle::new(ends, colour.filled())).expect(DRAWN);
                sum += share;
            }
        }
    })
}

/// A line: its points in order; a gap where there is None.
pub struct Line {
    /// Whose it is.
    pub colour: RGBColor,
    /// x and y.
    pub points: Vec<Option<(f64, f64)>>,
}

/// x and both ends of an interval there.
pub type Whisker = (f64, f64, f64);

/// A line with intervals.
pub struct Curve {
    /// Its means.
    pub line: Line,
    /// Around them.
    pub whiskers: Vec<Whisker>,
}

/// An axis.
pub struct Axis<'a> {
    /// What it shows, with its unit.
    pub label: &'a str,
    /// Its ends; powers of ten of it if `powers`.
    pub range: (f64, f64),
    /// Whether its values are exponents of 10.
    pub powers: bool,
}

/// Lines over two axes.
pub fn lines(alt: &str, x: &Axis, y: &Axis, lines: &[Line]) -> String {
    plot(alt, x, y, &lines.iter().map(|line| (line, &[][..])).collect::<Vec<_>>())
}

/// Lines with intervals over two axes.
pub fn curves(alt: &str, x: &Axis, y: &Axis, curves: &[Curve]) -> String {
    plot(alt, x, y, &curves.iter().map(|c| (&c.line, &c.whiskers[..])).collect::<Vec<_>>())
}

fn plot(alt: &str, x: &Axis, y: &Axis, lines: &[(&Line, &[Whisker])]) -> String {
    on_axes(alt, x, y, |chart| {
        for (l, whiskers) in lines {
            for (x, low, high) in *whiskers {
                let ends = [(*x, *low), (*x, *high)];
                chart.draw_series(LineSeries::new(ends, l.colour.stroke_width(1))).expect(DRAWN);
            }
            for piece in l.points.split(Option::is_none).filter(|piece| !piece.is_empty()) {
                let points = piece.iter().copied().flatten();
                chart.draw_series(LineSeries::new(points, l.colour.stroke_width(2))).expect(DRAWN);
            }
            // Where there are intervals there are few points: each is marked, so that a line between two is not
            // taken for what was measured.
            if !whiskers.is_empty() {
                let dots = l.points.iter().flatten().map(|at| Circle::new(*at, 3, l.colour.filled()));
                chart.draw_series(dots).expect(DRAWN);
            }
        }
    })
}

/// A cloud of points over two axes, and a line across at `mark` on the axis of x.
pub fn points(
    alt: &str,
    x: &Axis,
    y: &Axis,
    points: &[(f64, f64)],
    colour: RGBColor,
    mark: Option<f64>,
) -> String {
    on_axes(alt, x, y, |chart| {
        if let Some(mark) = mark {
            let ends = [(mark, y.range.0), (mark, y.range.1)];
            chart.draw_series(LineSeries::new(ends, INK.stroke_width(1))).expect(DRAWN);
        }
        let dots = points.iter().map(|at| Circle::new(*at, 2, colour.filled()));
        chart.draw_series(dots).expect(DRAWN);
    })
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

fn on_axes(alt: &str, x: &Axis, y: &Axis, content: impl FnOnce(&mut Chart)) -> String {
    draw(alt, 250, |area| {
        let (x_step, y_step) = (step(x.range.1 - x.range.0), step(y.range.1 - y.range.0));
        let mut chart = ChartBuilder::on(area)
            .margin_top(8)
            .margin_right(22)
            .x_label_area_size(46)
            .y_label_area_size(60)
            .build_cartesian_2d(x.range.0..x.range.1, y.range.0..y.range.1)
            .expect(DRAWN);
        let ticks = |axis: &Axis, step: f64| match axis.powers {
            true => (axis.range.1 - axis.range.0) as usize + 1,
            false => ((axis.range.1 - axis.range.0) / step) as usize + 1,
        };
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(("sans-serif", TEXT).into_font().color(&INK))
            .x_labels(ticks(x, x_step))
            .y_labels(ticks(y, y_step))
            .x_label_formatter(&|v| if x.powers { power(*v) } else { number(*v, x_step) })
            .y_label_formatter(&|v| if y.powers { power(*v) } else { number(*v, y_step) })
            .x_desc(x.label)
            .y_desc(y.label)
            .draw()
            .expect(DRAWN);
        content(&mut chart);
    })
}

const DRAWN: &str = "drawing into a string does not fail";

fn draw(alt: &str, height: u32, draw: impl FnOnce(&Area)) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        draw(&area);
        area.present().expect(DRAWN);
    }
    let size = format!("<svg width=\"{WIDTH}\" height=\"{height}\" ");
    let named = format!("<svg role=\"img\" aria-label=\"{}\" ", super::escape(alt));
    svg.replacen(&size, &named, 1).replace(" opacity=\"1\"", "")
}

fn line(area: &Area, points: &[(i32, i32)], colour: RGBColor, width: u32) {
    area.draw(&PathElement::new(points.to_vec(), colour.stroke_width(width))).expect(DRAWN);
}

fn text(area: &Area, text: String, at: (i32, i32), anchor: HPos) {
    let style = ("sans-serif", TEXT).into_font().color(&INK).pos(Pos::new(anchor, VPos::Top));
    area.draw(&Text::new(text, at, style)).expect(DRAWN);
}

/// Distance of about five ticks: 1, 2 or 5 times a power of ten.
fn step(range: f64) -> f64 {
    let power = 10f64.powf((range.max(1e-9) / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    power * steps.into_iter().find(|s| range <= 5.0 * s * power * 1.001).unwrap_or(10.0)
}

/// With the decimals that its ticks need.
fn number(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    format!("{:.decimals$}", value + 0.0)
}

fn power(exponent: f64) -> String {
    let decimals = (-exponent.round()).max(0.0) as usize;
    format!("{:.decimals$}", 10f64.powf(exponent.round()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!([4.4, 25.7, 30.0, 0.18, 1200.0].map(step), [1.0, 10.0, 10.0, 0.05, 500.0]);
        assert_eq!(
            (number(0.05, 0.05), number(20.0, 10.0), number(-0.0, 1.0)),
            ("0.05".into(), "20".into(), "0".into())
        );
        assert_eq!([-2.0, 0.0, 3.0].map(power), ["0.01", "1", "1000"]);
    }

    #[test]
    fn whiskers_and_texts_are_inside() {
        let bar = Bar { label: "a<b".into(), value: 4.0, half_width: Some(0.5), text: "4.0 ± 0.5".into() };
        let svg = bars("x: \"4\"", &[bar], (1.0, 4.5), PALETTE[0]);
        assert!(svg.contains("aria-label=\"x: &quot;4&quot;\"") && svg.contains("a&lt;b"), "{svg}");
        assert!(svg.contains("x=\"4\" y=\"24\" width=\"231\""), "3 of 3.5 parts of 270: {svg}");
        assert!(!svg.contains("<svg width"), "the page sets its size");
    }

    #[test]
    fn no_label_is_cut_off() {
        let bar = |label: &str| Bar { label: label.into(), value: 1.0, half_width: None, text: "1".into() };
        let parts = vec![(OTHERS, 0.5)];
        for svg in [
            bars("x", &[bar("a"), bar("b")], (0.0, 1.0), PALETTE[0]),
            shares("x", &[("a".into(), parts.clone()), ("b".into(), parts)]),
        ] {
            let of = |text: &str| text.split('"').next().unwrap().parse::<f64>().unwrap();
            let height = of(svg.split("viewBox=\"0 0 400 ").nth(1).unwrap());
            // A label hangs from its y: letters reach a tenth of their size above it,
            // and with it below.
            for text in svg.split("<text ").skip(1) {
                let y = of(text.split(" y=\"").nth(1).unwrap());
                assert!(y >= 2.0 && y + TEXT / 1.24 <= height, "{y} of {height}: {text}");
            }
        }
    }

    #[test]
    fn an_axis_has_a_length_though_all_bars_are_at_its_start() {
        let bar = Bar { label: "a".into(), value: 1.0, half_width: Some(0.0), text: "1.00 ± 0.00".into() };
        let svg = bars("x", &[bar], (1.0, 4.5), PALETTE[0]);
        let labels: Vec<&str> = svg.split("</text>").filter_map(|t| t.rsplit(">\n").next()).collect();
        assert_eq!(labels[..4].iter().map(|l| l.trim()).collect::<Vec<_>>(), ["1", "2", "3", "4"], "{svg}");
    }
}
