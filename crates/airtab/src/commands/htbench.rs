// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab htbench`: concurrent HTTP transfers, each as volume over time (Starzetz 6.3.2).
//!
//! Measuring is `airtab-probe`'s; here are lines, JSON and the order of things.

pub mod args;
mod merge;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_probe::htbench::analysis::{ClassFigures, Series, Spread, classes};
use airtab_probe::htbench::config::{Config, EXAMPLE, Start};
use airtab_probe::htbench::engine::{self, End, Event, Outcome, Progress, Request};
use airtab_probe::htbench::{files, ini, start};
use anyhow::{Context, anyhow};
use args::Htbench;
use serde_json::{Value, json};

use super::progress::{INTERRUPTED, spinner, stop_on_interrupt};
use super::reading::{named, text};
use crate::output;

/// Runs a configuration, or helps with it.
pub fn htbench(args: &Htbench) -> anyhow::Result<ExitCode> {
    if args.example {
        output::print(EXAMPLE)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &args.convert {
        output::print(&ini::to_toml(&named(path), &content(path)?)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(target) = args.trigger {
        start::trigger(target).with_context(|| format!("cannot send to {target}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.merge.is_empty() {
        return merge::merge(args);
    }
    let path = args.config.as_deref().unwrap_or(Path::new(""));
    let mut config = Config::parse(&named(path), &content(path)?)?;
    config.duration_ns = args.duration.or(config.duration_ns);
    let out = args.out.clone().or_else(|| config.out.clone());
    match &out {
        Some(dir) => files::prepare(dir).with_context(|| format!("cannot use {}", dir.display()))?,
        None => output::note("No --out: volumes over time are not kept."),
    }
    let stop = stop_on_interrupt()?;
    if let Start::Broadcast(port) = config.start {
        let trigger = start::Trigger::bind(port).with_context(|| format!("cannot use UDP port {port}"))?;
        output::note(&format!("Waiting for a datagram on UDP port {port} ..."));
        if !trigger.wait(&stop)? {
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    let outcome = run(args, &config, out.as_deref(), &stop)?;
    let (figures, series) = (classes(&config, &outcome), Series::new(&outcome));
    let json = summary_json(&config, &outcome, &figures, &series);
    if let Some(dir) = &out {
        let written = files::write_series(dir, &config.class_names(), &series)
            .and_then(|()| std::fs::write(dir.join("summary.json"), format!("{json:#}\n")));
        written.with_context(|| format!("cannot write into {}", dir.display()))?;
    }
    output::print(&if args.form.is_json() {
        format!("{json}\n")
    } else {
        summary_text(&outcome, &figures, &series)
    })?;
    Ok(code(outcome.stopped, &figures))
}

fn code(stopped: bool, figures: &[ClassFigures]) -> ExitCode {
    match (stopped, figures.iter().any(|f| f.failed > 0)) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (_, true) => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    }
}

/// The text of a configuration.
fn content(path: &Path) -> anyhow::Result<String> {
    text(path, "a configuration").map_err(|reason| anyhow!("{}: {reason}", named(path)))
}

/// The run itself, with a file and, as JSON, a line for each request that ends.
fn run(args: &Htbench, config: &Config, out: Option<&Path>, stop: &AtomicBool) -> anyhow::Result<Outcome> {
    let bar = spinner();
    let mut failed: Option<anyhow::Error> = None;
    let outcome = engine::run(config, stop, &mut |event| match event {
        Event::Progress(ns, progress) => {
            bar.set_message(progress_text(ns, config, progress));
            bar.tick();
        }
        Event::Request(request) => {
            if let Err(e) = keep(args, config, out, request) {
                failed.get_or_insert(e);
                stop.store(true, Ordering::Relaxed);
            }
        }
    })?;
    bar.finish_and_clear();
    failed.map_or(Ok(outcome), Err)
}

fn keep(args: &Htbench, config: &Config, out: Option<&Path>, request: &Request) -> anyhow::Result<()> {
    if let Some(dir) = out {
        let written = files::write_request(dir, config, request);
        written.with_context(|| format!("cannot write into {}", dir.display()))?;
    }
    // Without --json each error is in the summary, once with its count.
    if args.form.is_json() {
        let class = &config.classes[request.class].name;
        let printed: io::Result<()> = output::print(&format!("{}\n", request_json(class, config, request)));
        printed?;
    }
    Ok(())
}

fn mbps(bps: f64) -> String {
    format!("{:.3}", bps / 1e6)
}

fn progress_text(ns: u64, config: &Config, progress: &[Progress]) -> String {
    let class = |(class, p): (&_, &Progress)| {
        let airtab_probe::htbench::config::Class { name, .. } = class;
        let failed = if p.failed > 0 { format!(", {} failed", p.failed) } else { String::new() };
        format!("{name} {} running, {} done{failed}, {:.1} MB", p.running, p.done, p.bytes as f64 / 1e6)
    };
    let classes: Vec<String> = config.classes.iter().zip(progress).map(class).collect();
    format!("{:.0} s: {}", ns as f64 / 1e9, classes.join("; "))
}

fn request_json(class: &str, config: &Config, request: &Request) -> Value {
    let (end, error) = match &request.end {
        End::Done => ("done", None),
        End::Failed(failure) => ("failed", Some(failure.to_string())),
        End::Unfinished => ("unfinished", None),
    };
    json!({
        "schema": 1,
        "event": "request",
        "class": class,
        "request": request.number,
        "connection": request.connection,
        "connected_ns": request.t0_ns,
        "end_ns": request.end_ns,
        "end": end,
        "error": error,
        "status": request.status,
        "bytes": request.volume_bytes,
        "file": files::name(config, request),
    })
}

fn summary_json(config: &Config, outcome: &Outcome, figures: &[ClassFigures], series: &Series) -> Value {
    let spread = |spread: &Option<Spread>| {
        spread.map(|s| {
            json!({ "mean": s.mean, "min": s.min, "p10": s.p10, "p50": s.p50, "p90": s.p90, "p99": s.p99,
                "max": s.max })
        })
    };
    let class = |f: &ClassFigures| {
        json!({
            "class": f.name,
            "done": f.done,
            "failed": f.failed,
            "unfinished": f.unfinished,
            "bytes": f.bytes,
            "bits_per_second": f.bps,
            "request_bits_per_second": spread(&f.request_bps),
            "request_ns": spread(&f.request_ns),
            "errors": f.errors,
        })
    };
    let (connections, between) = series.mean_jain();
    json!({
        "schema": 1,
        "event": "summary",
        "start": match config.start {
            Start::Now => "now".into(),
            Start::Broadcast(port) => format!("broadcast:{port}"),
        },
        "started_ns": outcome.started_ns,
        "duration_ns": outcome.duration_ns,
        "stopped": outcome.stopped,
        "classes": figures.iter().map(class).collect::<Vec<_>>(),
        "mean_jain_connections_ratio": connections,
        "mean_jain_classes_ratio": between,
    })
}

fn summary_text(outcome: &Outcome, figures: &[ClassFigures], series: &Series) -> String {
    let stopped = if outcome.stopped { ", interrupted" } else { "" };
    let mut text = format!("{:.3} s{stopped}\n", outcome.duration_ns as f64 / 1e9);
    text += &format!(
        "{:<12} {:>6} {:>6} {:>10} {:>10} {:>9}   {:>9} {:>9} {:>9} {:>9}   {:>8}\n",
        "class", "done", "failed", "unfinished", "MB", "Mb/s", "request:", "p10", "p50", "p90", "p50, s"
    );
    for f in figures {
        let rate = |of: fn(&Spread) -> f64| f.request_bps.as_ref().map_or("-".into(), |s| mbps(of(s)));
        text += &format!(
            "{:<12} {:>6} {:>6} {:>10} {:>10.3} {:>9}   {:>9} {:>9} {:>9} {:>9}   {:>8}\n",
            f.name,
            f.done,
            f.failed,
            f.unfinished,
            f.bytes as f64 / 1e6,
            f.bps.map_or("-".into(), mbps),
            rate(|s| s.mean),
            rate(|s| s.p10),
            rate(|s| s.p50),
            rate(|s| s.p90),
            f.request_ns.map_or("-".into(), |s| format!("{:.3}", s.p50 / 1e9)),
        );
    }
    for f in figures {
        for (error, n) in &f.errors {
            text += &format!("{}: {n} times {error}\n", f.name);
        }
    }
    let (connections, between) = series.mean_jain();
    let index = |what: &str, index: Option<f64>| {
        index.map_or(String::new(), |j| format!("Jain's index between {what}, mean over time: {j:.3}\n"))
    };
    text += &index("connections", connections);
    text += &index("classes", between);
    text
}

#[cfg(test)]
mod tests;
