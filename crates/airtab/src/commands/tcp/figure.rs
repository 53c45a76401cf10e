// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The course of each run as one SVG: a column for each congestion control;
//! throughput, queue and congestion window one below the other, on the same axes.
//!
//! What it does not do: no figure is computed here.

use airtab_core::Unit;
use airtab_lab::chart::{GRID, colour};
use airtab_sim::AppCourse;
use airtab_sim::tcp::Config;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{SECOND, Traced};

const QUEUE: RGBColor = RGBColor(0x55, 0x55, 0x55);
const COLUMN: u32 = 330;
const PANEL: u32 = 190;
const HEAD: u32 = 62;
/// Plotters divides sizes of text by 1.24.
const TEXT: f64 = 14.0;
const DRAWN: &str = "drawing into a string does not fail";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Points = Vec<(f64, f64)>;

/// A line and its colour.
struct Line(RGBColor, Points);

/// Draws the runs; `title` says what they have in common.
pub fn draw(runs: &[Traced], latencies: &[u64], title: &str) -> String {
    let mut svg = String::new();
    let columns = runs.len().max(1) as u32;
    {
        let size = (columns * COLUMN, HEAD + 3 * PANEL);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).expect(DRAWN);
        let (head, body) = area.split_vertically(HEAD);
        text(&head, title.into(), (8, 4), 1.2 * TEXT, &BLACK);
        legend(&head, latencies);
        let panels = body.split_evenly((3, columns as usize));
        let rows: [(&str, Vec<Vec<Line>>); 3] = [
            ("Mb/s", runs.iter().map(throughput).collect()),
            ("queue, packets", runs.iter().map(queue).collect()),
            ("cwnd, segments", runs.iter().map(windows).collect()),
        ];
        for (row, (label, lines)) in rows.iter().enumerate() {
            let points = || lines.iter().flatten().flat_map(|line| &line.1);
            let most = points().map(|p| p.1).fold(1.0, f64::max) * 1.05;
            let end = points().map(|p| p.0).fold(1.0, f64::max);
            for (column, lines) in lines.iter().enumerate() {
                let caption = if row == 0 { runs[column].congestion.name() } else { "" };
                panel(&panels[row * columns as usize + column], caption, label, (end, most), lines);
            }
        }
        area.present().expect(DRAWN);
    }
    svg
}

/// In bins of a second, or of a sample if that is longer.
fn throughput(run: &Traced) -> Vec<Line> {
    let step = run.course.step_ns;
    let steps = (SECOND / step).max(1);
    let bin_s = (steps * step) as f64 / SECOND as f64;
    let line = |(i, app): (usize, &AppCourse)| {
        let rates = app.rate_bps(step, steps as usize);
        Line(colour(i), rates.iter().zip(1..).map(|(bps, k)| (f64::from(k) * bin_s, bps / 1e6)).collect())
    };
    run.course.apps.iter().enumerate().map(line).collect()
}

fn queue(run: &Traced) -> Vec<Line> {
    let packets = run.course.queue_packets.iter().zip(1..);
    vec![Line(QUEUE, packets.map(|(n, k)| (seconds(k, run), f64::from(*n))).collect())]
}

fn windows(run: &Traced) -> Vec<Line> {
    let mss = f64::from(Config::home().mss);
    let line = |(i, app): (usize, &AppCourse)| {
        let samples = app.flows[0].cwnd_bytes.iter().zip(1..);
        let points = samples.filter_map(|(cwnd, k)| Some((seconds(k, run), (*cwnd)? as f64 / mss)));
        Line(colour(i), points.collect())
    };
    run.course.apps.iter().enumerate().map(line).collect()
}

/// Time of sample number `k`, counted from 1.
fn seconds(k: u64, run: &Traced) -> f64 {
    (k * run.course.step_ns) as f64 / SECOND as f64
}

fn panel(area: &Area, caption: &str, label: &str, (end, most): (f64, f64), lines: &[Line]) {
    let mut chart = ChartBuilder::on(area)
        .margin_top(if caption.is_empty() { 8 } else { 2 })
        .margin_right(14)
        .x_label_area_size(34)
        .y_label_area_size(54)
        .caption(caption, ("sans-serif", 1.2 * TEXT))
        .build_cartesian_2d(0.0..end, 0.0..most)
        .expect(DRAWN);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(BLACK)
        .label_style(("sans-serif", TEXT).into_font().color(&BLACK))
        .x_labels(6)
        .y_labels(5)
        .x_label_formatter(&|v| format!("{v:.0}"))
        .y_label_formatter(&|v| format!("{v:.0}"))
        .x_desc("time, s")
        .y_desc(label)
        .draw()
        .expect(DRAWN);
    for Line(colour, points) in lines {
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(1))).expect(DRAWN);
    }
}

/// Which colour is which flow.
fn legend(area: &Area, latencies: &[u64]) {
    for (i, ns) in latencies.iter().enumerate() {
        let at = (8 + 150 * i as i32, 30);
        text(area, format!("download {}: {}", i + 1, Unit::Ns.format(*ns)), at, TEXT, &colour(i));
    }
}

fn text(area: &Area, words: String, at: (i32, i32), size: f64, colour: &RGBColor) {
    let style = ("sans-serif", size).into_font().color(colour).pos(Pos::new(HPos::Left, VPos::Top));
    area.draw(&Text::new(words, at, style)).expect(DRAWN);
}
