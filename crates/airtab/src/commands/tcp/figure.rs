// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The course of each run as one figure: a column for each congestion control;
//! throughput, queue and congestion window one below the other, on the same axes.
//!
//! What it does not do: no drawing (`airtab_lab::draw`).

use airtab_core::Unit;
use airtab_lab::draw::{Axis, Content, Figure, Kind, Line, Look, Panel, Plot, Point};
use airtab_sim::AppCourse;

use super::{SECOND, Traced};

/// The figure of these runs; `title` says what they have in common.
pub fn figure(runs: &[Traced], latencies: &[u64], title: &str) -> Figure {
    let rows: [Row; 3] = [
        ("throughput", "Mb/s", throughput),
        ("queue", "queue, packets", queue),
        ("window", "cwnd, segments", windows),
    ];
    let panel = |(what, label, of): Row, run: &Traced| {
        let line = |(i, points): (usize, Series)| Line {
            name: match what {
                "queue" => "queue".into(),
                _ => format!("download {}: {}", i + 1, Unit::Ns.format(latencies[i])),
            },
            look: if what == "queue" { Look::neutral() } else { Look::of_app(i) },
            kind: Kind::Course,
            points: points.into_iter().map(|(x, y)| Some(Point::new(x, y))).collect(),
        };
        let lines: Vec<Line> = of(run).into_iter().enumerate().map(line).collect();
        let all = || lines.iter().flat_map(|line| line.points.iter().flatten());
        let x = Axis::new("time, s").exact().covering([0.0]).covering(all().map(|p| p.x));
        let y = Axis::new(label).covering([0.0, 1.0]).covering(all().map(|p| p.y));
        let most = all().map(|p| p.y).fold(0.0, f64::max);
        let name = run.congestion.name();
        let content = Content::Plot(Plot { x, y, lines, mark: None });
        Panel {
            name: name.into(),
            caption: what.into(),
            alt: format!("{name}: {label} over time, most {most:.1}"),
            content,
        }
    };
    let panels = rows.into_iter().flat_map(|row| runs.iter().map(move |run| panel(row, run))).collect();
    Figure::new("tcp", title, "", panels).columns(runs.len())
}

/// What a row of panels shows, its axis, and its lines.
type Row = (&'static str, &'static str, fn(&Traced) -> Vec<Series>);

/// Time, s, and value.
type Series = Vec<(f64, f64)>;

/// In bins of a second, or of a sample if that is longer.
fn throughput(run: &Traced) -> Vec<Series> {
    let step = run.course.step_ns;
    let steps = (SECOND / step).max(1);
    let bin_s = (steps * step) as f64 / SECOND as f64;
    let series = |app: &AppCourse| {
        let rates = app.rate_bps(step, steps as usize);
        rates.iter().zip(1..).map(|(bps, k)| (f64::from(k) * bin_s, bps / 1e6)).collect()
    };
    run.course.apps.iter().map(series).collect()
}

fn queue(run: &Traced) -> Vec<Series> {
    let packets = run.course.queue_packets.iter().zip(1..);
    vec![packets.map(|(n, k)| (seconds(k, run), f64::from(*n))).collect()]
}

fn windows(run: &Traced) -> Vec<Series> {
    let series = |app: &AppCourse| {
        let samples = app.flows[0].cwnd_bytes.iter().zip(1..);
        samples.filter_map(|(cwnd, k)| Some((seconds(k, run), (*cwnd)? as f64 / run.mss))).collect()
    };
    run.course.apps.iter().map(series).collect()
}

/// Time of sample number `k`, counted from 1.
fn seconds(k: u64, run: &Traced) -> f64 {
    (k * run.course.step_ns) as f64 / SECOND as f64
}
