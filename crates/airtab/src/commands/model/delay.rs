// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model chap delay`.

use std::process::ExitCode;

use airtab_lab::draw::{self, Axis, Content, Figure, Kind, Line, Look, Panel, Plot};
use airtab_lab::estimate;
use airtab_lab::table::{self, Style};
use airtab_model::chap::ppdq::Ppdq;
use airtab_model::chap::two_flows::{p_1, two_flows};
use airtab_quality::Interval;
use airtab_scenario::QueueSettings;
use airtab_sim::server::Server;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::columns::{self, Columns};
use super::{Answer, args, wrong_usage};
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
    if args.form.out.is_some() && args.rho.len() > 3 {
        return wrong_usage(format!("--out: 3 loads at most can be told apart, not {}", args.rho.len()));
    }
    let points = points(args)?;
    if let Some(path) = &args.form.out {
        output::Drawing::open(path)?.write(&figure(args, &points)?)?;
    }
    Answer { text: text(args, &points), json: as_json(args, &points)? }.print(args.form.printed.is_json())
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

/// The model's columns and those of each discipline.
fn tables(args: &args::Delay, points: &[Point], style: Style) -> String {
    let stub = Columns {
        headings: vec!["kappa".into()],
        rows: points.iter().map(|p| vec![p.kappa.written.clone()]).collect(),
    };
    let queues = (0..args.engine.len()).map(|k| of_queue(args, points, k));
    columns::tables(&stub, std::iter::once(of_model(points)).chain(queues), style)
}

fn of_model(points: &[Point]) -> Columns {
    let row = |p: &Point| {
        let mut row = vec![format!("{:.4}", p.model.weight(0))];
        row.extend([0, 1].map(|i| shown(p.model.wait(i))));
        row.extend([0, 1].map(|i| shown(Some(p.model.priority_wait(i)))));
        row
    };
    let headings = ["p_1", "model\nslow", "fast", "priority\nslow", "fast"].map(String::from).into();
    Columns { headings, rows: points.iter().map(row).collect() }
}

fn of_queue(args: &args::Delay, points: &[Point], k: usize) -> Columns {
    let cell = |flow: &Interval| estimate(flow.mean, flow.half_width, 4);
    let headings = vec![format!("{}\nslow", args.engine[k].label.replace(':', "\n")), "fast".into()];
    Columns { headings, rows: points.iter().map(|p| p.engine[k].flows.iter().map(cell).collect()).collect() }
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

/// Figure 5.4, and one panel like it for each discipline that was run.
fn figure(args: &args::Delay, points: &[Point]) -> anyhow::Result<Figure> {
    const STEPS: u32 = 100;
    // Of each load the slow flow and the fast one.
    let flows: Vec<(usize, f64, usize)> =
        args.rho.iter().enumerate().flat_map(|(k, rho)| [0, 1].map(|i| (2 * k + i, rho.0, i))).collect();
    let line = |(k, rho, i): (usize, f64, usize), kind, points| {
        let name = format!("{} flow, load {rho}", ["slow", "fast"][i]);
        Line { name, look: Look::of_app(k), kind, points }
    };
    let mut model = Vec::new();
    for (k, rho, i) in &flows {
        let at = |step: u32| -> anyhow::Result<Option<draw::Point>> {
            let kappa = f64::from(step) / f64::from(STEPS);
            Ok(two_flows(*rho, kappa)?.wait(*i).map(|wait| draw::Point::new(kappa, wait)))
        };
        let points = (1..=STEPS).map(at).collect::<anyhow::Result<_>>()?;
        model.push(line((*k, *rho, *i), Kind::Course, points));
    }
    let mut panels = vec![panel("Model, eq. 5.30", model)];
    for (q, queue) in args.engine.iter().enumerate() {
        let measured = |(k, rho, i): (usize, f64, usize)| {
            let of = |p: &Point| {
                let Interval { mean, half_width, .. } = p.engine[q].flows[i];
                let half = half_width.unwrap_or(0.0);
                draw::Point { x: p.kappa.value, y: mean, low: mean - half, high: mean + half }
            };
            let mut waits: Vec<draw::Point> = points.iter().filter(|p| p.rho == rho).map(of).collect();
            waits.sort_by(|a, b| a.x.total_cmp(&b.x));
            line((k, rho, i), Kind::Means, waits.into_iter().map(Some).collect())
        };
        panels.push(panel(&queue.label, flows.iter().copied().map(measured).collect()));
    }
    Ok(Figure::new("delay", "Waiting times of a slow and a fast flow", "", panels))
}

fn panel(name: &str, lines: Vec<Line>) -> Panel {
    let all = || lines.iter().flat_map(|line| line.points.iter().flatten());
    let x = Axis::new("kappa: rate of the slow flow over the fast one's").covering([0.0, 1.0]);
    let y = Axis::new("mean wait, services").covering([0.0]).covering(all().flat_map(|p| [p.low, p.high]));
    let content = Content::Plot(Plot { x, y, lines, mark: None });
    Panel { name: name.into(), caption: String::new(), alt: format!("{name}: mean wait over kappa"), content }
}

#[cfg(test)]
mod tests {
    use super::super::args::{Chap, ChapCommand, ModelCommand};
    use super::super::given;
    use super::*;

    fn parsed(words: &[&str]) -> args::Delay {
        let words = [&["chap", "delay"], words].concat();
        let ModelCommand::Chap(Chap { command: ChapCommand::Delay(args) }) = given::command(&words) else {
            panic!("another model")
        };
        args
    }

    const TWO_LOADS: [&str; 8] = [
        "--rho",
        "0.5,0.9",
        "--kappa",
        "1,1/4",
        "--engine=spq,fifo:limit=2",
        "--seeds=3",
        "--service=400us",
        "--duration=2s",
    ];

    /// One server of fixed times: a mean residual of rho / 2 services. FIFO waits it over 1 - rho; with strict priority the
    /// first flow waits it over 1 - rho 1, and the second that over 1 - rho.
    #[test]
    fn waits_are_those_of_a_server_of_fixed_times() {
        let args = parsed(&["--rho", "0.5,0.8", "--kappa", "1/4,1"]);
        let points = points(&args).expect("waits");
        let json = as_json(&args, &points).expect("JSON");
        let places = [(0.5, 0.25), (0.5, 1.0), (0.8, 0.25), (0.8, 1.0)];
        for (point, (rho, kappa)) in json["points"].as_array().expect("points").iter().zip(places) {
            assert_eq!((point["rho"].as_f64(), point["kappa"].as_f64()), (Some(rho), Some(kappa)));
            let residual = rho / 2.0;
            let slow = residual / (1.0 - rho * kappa / (1.0 + kappa));
            let near = |value: &Value, expected: f64| {
                (value.as_f64().expect("a wait") / expected - 1.0).abs() < 1e-9
            };
            assert!(near(&point["fifo"], residual / (1.0 - rho)), "{point}");
            assert!(near(&point["priority"]["slow"], slow), "{point}");
            assert!(near(&point["priority"]["fast"], slow / (1.0 - rho)), "{point}");
            let [slow, fast] = ["slow", "fast"].map(|flow| point["model"][flow].as_f64().expect("a wait"));
            assert_eq!(slow < fast, kappa < 1.0, "{point}");
            assert_eq!(point["engine"], json!([]));
        }
        let text = text(&args, &points);
        for (load, wait) in [("0.5", "0.5000"), ("0.8", "2.0000")] {
            let sentence =
                format!("Mean waits in services; load {load}. In one FIFO queue both flows wait {wait}.");
            assert_eq!(text.matches(&sentence).count(), 1, "{text}");
        }
        assert!(!text.contains("Disciplines: ") && !text.contains("dropped"), "{text}");
    }

    /// Means over the seeds from 1 on, in services, of both flows under each discipline; drops of all of them.
    #[test]
    fn disciplines_have_the_means_of_their_runs() {
        let args = parsed(&TWO_LOADS);
        let points = points(&args).expect("waits");
        let json = as_json(&args, &points).expect("JSON");
        let queues = crate::commands::build(&args.engine, &QueueSettings::default()).expect("disciplines");
        let mut all = 0;
        for (i, (rho, kappa)) in [(0.5, 1.0), (0.5, 0.25), (0.9, 1.0), (0.9, 0.25)].into_iter().enumerate() {
            let server = Server::two_flows(rho, kappa, 400_000, 2_000_000_000);
            for (k, (label, params)) in queues.iter().enumerate() {
                let runs: Vec<_> = (1..=3).map(|seed| server.run(params, seed)).collect();
                let of = &json["points"][i]["engine"][k];
                assert_eq!(of["queue"], *label);
                let mut dropped = 0;
                for (flow, name) in ["slow", "fast"].into_iter().enumerate() {
                    let waits: Vec<f64> =
                        runs.iter().map(|run| run[flow].mean_wait_ns() / 400_000.0).collect();
                    let mean = waits.iter().sum::<f64>() / 3.0;
                    let found = of[name]["mean"].as_f64().expect("a mean");
                    assert!((found - mean).abs() < 1e-9 * mean.max(1.0), "{label} {name}: {found} {mean}");
                    assert!(of[name]["half_width_95"].as_f64().is_some_and(|half| half > 0.0));
                    dropped += runs.iter().map(|run| run[flow].dropped).sum::<u64>();
                }
                assert_eq!(of["dropped"], dropped, "{label}");
                all += dropped;
            }
        }
        assert!(all > 0 && json["points"][0]["engine"][0]["dropped"] == 0, "a FIFO of two packets drops");
        let text = text(&args, &points);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("Disciplines: 3 runs of 2 s, ± half the width of the mean's 95 % interval."),
            "{text}"
        );
        assert!(words.contains(&format!("{all} packets were dropped")), "{text}");
        // One run has no interval.
        let args = parsed(&["--rho=0.5", "--kappa=1", "--engine=fifo", "--seeds=1", "--duration=1s"]);
        let text = super::text(&args, &super::points(&args).expect("waits"));
        assert!(text.contains("Disciplines: 1 runs of 1 s.\n") && !text.contains('±'), "{text}");
    }

    /// A panel for the model and one for each discipline; points of a load from left to right, with their intervals.
    #[test]
    fn a_figure_has_a_panel_for_each_discipline() {
        let args = parsed(&TWO_LOADS);
        let points = points(&args).expect("waits");
        let figure = figure(&args, &points).expect("a figure");
        let names: Vec<&str> = figure.panels().iter().map(|panel| panel.name.as_str()).collect();
        assert_eq!(names, ["Model, eq. 5.30", "spq", "fifo:limit=2"]);
        let flows =
            ["slow flow, load 0.5", "fast flow, load 0.5", "slow flow, load 0.9", "fast flow, load 0.9"];
        for panel in 0..3 {
            let lines: Vec<String> = given::lines(&figure, panel).into_iter().map(|(name, _)| name).collect();
            assert_eq!(lines, flows, "{panel}");
        }
        let model = given::lines(&figure, 0);
        for (i, (rho, flow)) in [(0.5, 0), (0.5, 1), (0.9, 0), (0.9, 1)].into_iter().enumerate() {
            let at = |kappa: f64| two_flows(rho, kappa).expect("a model").wait(flow).expect("a wait");
            assert!(model[i].1.iter().any(|p| *p == (0.25, at(0.25))), "{:?}", model[i]);
            assert_eq!(model[i].1.last(), Some(&(1.0, at(1.0))));
        }
        for (panel, queue) in [(1, 0), (2, 1)] {
            let Content::Plot(plot) = &figure.panels()[panel].content else { panic!("a plot") };
            for (i, line) in plot.lines.iter().enumerate() {
                let (load, flow) = (i / 2, i % 2);
                let drawn: Vec<draw::Point> = line.points.iter().flatten().copied().collect();
                let of = |point: usize| &points[2 * load + point].engine[queue].flows[flow];
                // Kappa 1 is given first.
                for (drawn, (kappa, of)) in drawn.iter().zip([(0.25, of(1)), (1.0, of(0))]) {
                    let half = of.half_width.expect("three seeds");
                    assert_eq!((drawn.x, drawn.y), (kappa, of.mean));
                    assert_eq!((drawn.low, drawn.high), (of.mean - half, of.mean + half));
                }
                assert_eq!(drawn.len(), 2);
            }
        }
    }
}
