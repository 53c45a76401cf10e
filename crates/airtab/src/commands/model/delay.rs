// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model chap delay`.

use std::process::ExitCode;

use airtab_lab::chart::{self, Axis, Line};
use airtab_lab::estimate;
use airtab_lab::table::{self, Style};
use airtab_model::chap::ppdq::Ppdq;
use airtab_model::chap::two_flows::{p_1, two_flows};
use airtab_quality::Interval;
use airtab_scenario::QueueSettings;
use airtab_sim::server::Server;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::figure::{Figure, Panel};
use super::{Answer, args, write_figure, wrong_usage};
use crate::commands::progress::progress_bar;
use crate::output;

/// Waits at one load and ratio.
struct Point<'a> {
    rho: f64,
    kappa: &'a args::Kappa,
    model: Ppdq,
    /// Waits of slow and fast flow under each discipline that was run.
    engine: Vec<Waits>,
}

/// Mean waits over the seeds, in services.
struct Waits {
    flows: [Interval; 2],
    dropped: u64,
}

/// Waiting times of the model, of strict priority, and of the disciplines asked for.
pub fn delay(args: &args::Delay) -> anyhow::Result<ExitCode> {
    if args.form.plot.is_some() && args.rho.len() > 3 {
        return wrong_usage(format!("--plot: 3 loads at most can be told apart, not {}", args.rho.len()));
    }
    let points = points(args)?;
    if let Some(path) = &args.form.plot {
        write_figure(path, &figure(args, &points)?)?;
    }
    Answer { text: text(args, &points), json: as_json(args, &points)? }.print(args.form.json)
}

fn points(args: &args::Delay) -> anyhow::Result<Vec<Point<'_>>> {
    let queues = crate::commands::build(&args.engine, &QueueSettings::default())?;
    let runs = args.rho.len() * args.kappa.len() * queues.len() * args.seeds as usize;
    let bar = if runs == 0 { ProgressBar::hidden() } else { progress_bar(runs) };
    let mut points = Vec::new();
    for rho in args.rho.iter().map(|r| r.0) {
        for kappa in &args.kappa {
            let server = Server::two_flows(rho, kappa.value, args.service, args.length);
            let engine = queues.iter().map(|(_, params)| {
                let (mut slow, mut fast, mut dropped) = (Vec::new(), Vec::new(), 0);
                for seed in 1..=args.seeds {
                    let traces = server.run(params, seed);
                    slow.push(traces[0].mean_wait_ns() / args.service as f64);
                    fast.push(traces[1].mean_wait_ns() / args.service as f64);
                    dropped += traces[0].dropped + traces[1].dropped;
                    bar.inc(1);
                }
                let flows = [slow, fast].map(|s| Interval::of(&s).expect("there is at least one seed"));
                Waits { flows, dropped }
            });
            let engine = engine.collect();
            points.push(Point { rho, kappa, model: two_flows(rho, kappa.value)?, engine });
        }
    }
    bar.finish_and_clear();
    Ok(points)
}

/// A wait of the model; none where it has no answer.
fn shown(wait: Option<f64>) -> String {
    wait.map_or("-".into(), |w| format!("{w:.4}"))
}

fn text(args: &args::Delay, points: &[Point]) -> String {
    let style = output::stdout_style();
    let mut text = String::new();
    for at_load in points.chunk_by(|a, b| a.rho == b.rho) {
        let first = &at_load[0];
        text += &format!(
            "Mean waits in services; load {}. In one FIFO queue both flows wait {}.\n\n",
            first.rho,
            shown(Some(first.model.fifo_wait()))
        );
        text += &tables(args, at_load, style);
    }
    let mut notes = vec![
        "kappa: the slow flow's rate over the fast one's. p_1: how often the slow one has more credit, \
         if credits were independent (eq. 5.37)."
            .to_string(),
        "model: eq. 5.30; priority: exact, the slow flow always first.".into(),
    ];
    if !args.engine.is_empty() {
        let (n, s) = (args.seeds, args.length as f64 / 1e9);
        let interval = if n > 1 { ", ± half the width of the mean's 95 % interval" } else { "" };
        notes.push(format!("Disciplines: {n} runs of {s} s{interval}."));
    }
    let dropped: u64 = points.iter().flat_map(|p| &p.engine).map(|w| w.dropped).sum();
    if dropped > 0 {
        notes.push(format!("{dropped} packets were dropped: the queue's limit is too low for this load."));
    }
    for note in notes {
        text += &(table::wrap(&note, style.width) + "\n");
    }
    text
}

/// Columns that belong together: their headings, and a row for each point.
struct Group {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The model's columns and those of each discipline; what does not fit into the width goes into a further
/// table.
fn tables(args: &args::Delay, points: &[Point], style: Style) -> String {
    let stub = || Group {
        headings: vec!["kappa".into()],
        rows: points.iter().map(|p| vec![p.kappa.written.clone()]).collect(),
    };
    let (mut text, mut open) = (String::new(), stub());
    for group in
        std::iter::once(of_model(points)).chain((0..args.engine.len()).map(|k| of_queue(args, points, k)))
    {
        let wider = Group {
            headings: open.headings.iter().chain(&group.headings).cloned().collect(),
            rows: open.rows.iter().zip(&group.rows).map(|(a, b)| [&a[..], &b[..]].concat()).collect(),
        };
        let fits = wider.table(style).lines().all(|line| line.chars().count() <= style.width);
        if fits || open.headings.len() == 1 {
            open = wider;
            continue;
        }
        text += &(open.table(style) + "\n");
        open = stub();
        open.headings.extend(group.headings);
        open.rows.iter_mut().zip(group.rows).for_each(|(row, more)| row.extend(more));
    }
    text + &open.table(style) + "\n"
}

impl Group {
    fn table(&self, style: Style) -> String {
        // Headings end on one line.
        let breaks = |heading: &String| heading.matches('\n').count();
        let most = self.headings.iter().map(breaks).max().unwrap_or(0);
        let lowered = |heading: &String| "\n".repeat(most - breaks(heading)) + heading;
        table::figures(&self.headings.iter().map(lowered).collect::<Vec<_>>(), &self.rows, style)
    }
}

fn of_model(points: &[Point]) -> Group {
    let row = |p: &Point| {
        let mut row = vec![format!("{:.4}", p.model.weight(0))];
        row.extend([0, 1].map(|i| shown(p.model.wait(i))));
        row.extend([0, 1].map(|i| shown(Some(p.model.priority_wait(i)))));
        row
    };
    let headings = ["p_1", "model\nslow", "fast", "priority\nslow", "fast"].map(String::from).into();
    Group { headings, rows: points.iter().map(row).collect() }
}

fn of_queue(args: &args::Delay, points: &[Point], k: usize) -> Group {
    let cell = |flow: &Interval| estimate(flow.mean, flow.half_width, 4);
    let headings = vec![format!("{}\nslow", args.engine[k].label.replace(':', "\n")), "fast".into()];
    Group { headings, rows: points.iter().map(|p| p.engine[k].flows.iter().map(cell).collect()).collect() }
}

fn as_json(args: &args::Delay, points: &[Point]) -> anyhow::Result<Value> {
    let point = |p: &Point| -> anyhow::Result<Value> {
        let engine = p.engine.iter().zip(&args.engine).map(|(waits, queue)| {
            let flow = |i: usize| {
                let Interval { mean, half_width, .. } = waits.flows[i];
                json!({ "mean": mean, "half_width_95": half_width })
            };
            json!({ "queue": queue.label, "slow": flow(0), "fast": flow(1), "dropped": waits.dropped })
        });
        Ok(json!({
            "rho": p.rho,
            "kappa": p.kappa.value,
            "p_1": p_1(p.kappa.value)?,
            "model": { "slow": p.model.wait(0), "fast": p.model.wait(1) },
            "priority": { "slow": p.model.priority_wait(0), "fast": p.model.priority_wait(1) },
            "fifo": p.model.fifo_wait(),
            "engine": engine.collect::<Vec<_>>(),
        }))
    };
    Ok(json!({
        "model": "chap delay",
        "unit": "services",
        "points": points.iter().map(point).collect::<anyhow::Result<Vec<_>>>()?,
    }))
}

/// Kappa and mean wait, in order; none where the model has no answer.
type Curve = Vec<Option<(f64, f64)>>;

/// Figure 5.4, and one chart like it for each discipline that was run.
fn figure(args: &args::Delay, points: &[Point]) -> anyhow::Result<String> {
    const STEPS: u32 = 100;
    let mut curves = Vec::new();
    for rho in &args.rho {
        for i in 0..2 {
            let at = |step: u32| -> anyhow::Result<Option<(f64, f64)>> {
                let kappa = f64::from(step) / f64::from(STEPS);
                Ok(two_flows(rho.0, kappa)?.wait(i).map(|wait| (kappa, wait)))
            };
            curves.push((1..=STEPS).map(at).collect::<anyhow::Result<Curve>>()?);
        }
    }
    let mut charts = vec![("Model, eq. 5.30".to_string(), curves)];
    for (k, queue) in args.engine.iter().enumerate() {
        let curve = |rho: f64, i: usize| {
            let mut curve: Vec<_> = points
                .iter()
                .filter(|p| p.rho == rho)
                .map(|p| (p.kappa.value, p.engine[k].flows[i].mean))
                .collect();
            curve.sort_by(|a, b| a.0.total_cmp(&b.0));
            curve.into_iter().map(Some).collect()
        };
        let curves = args.rho.iter().flat_map(|rho| [curve(rho.0, 0), curve(rho.0, 1)]).collect();
        charts.push((queue.label.clone(), curves));
    }
    let waits = charts.iter().flat_map(|c| c.1.iter().flatten().flatten());
    let most = 1.05 * waits.map(|(_, wait)| *wait).fold(0.0, f64::max);
    let x =
        Axis { label: "kappa: rate of the slow flow over the fast one's", range: (0.0, 1.0), powers: false };
    let y = Axis { label: "mean wait, services", range: (0.0, most), powers: false };
    let panel = |(title, curves): (String, Vec<Curve>)| {
        let line = |(i, points)| Line { colour: chart::colour(i), points };
        let lines: Vec<Line> = curves.into_iter().enumerate().map(line).collect();
        Panel { svg: chart::lines(&title, &x, &y, &lines), title }
    };
    let name = |i: usize| format!("{} flow, load {}", ["slow", "fast"][i % 2], args.rho[i / 2].0);
    Ok(Figure {
        title: "Waiting times of a slow and a fast flow",
        legend: (0..2 * args.rho.len()).map(|i| (i, name(i))).collect(),
        panels: charts.into_iter().map(panel).collect(),
    }
    .svg())
}
