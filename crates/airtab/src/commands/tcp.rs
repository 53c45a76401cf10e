// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab tcp trace`: downloads through one Wi-Fi cell, over time (CHAP
//! dissertation 6.12 and 6.13).
//!
//! What it does not do: averages over seeds.

mod figure;

use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use airtab_core::time::SECOND;
use airtab_core::{Phy, Unit};
use airtab_quality::jain;
use airtab_scenario::reader::instead;
use airtab_scenario::{QueueSettings, QueueSpec, tcp_settings};
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::Download;
use airtab_sim::wifi::{Category, CellConfig, Loss};
use airtab_sim::{
    App, AppCourse, AppKind, Course, FlowCourse, Latency, Scenario, Scored, Servers, Station, Users, Wired,
    course,
};
use anyhow::Context;
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::args::{USAGE, seconds, whole};
use crate::form::Printed;
use crate::output;

/// How TCP's congestion controls behave behind a Wi-Fi access point
#[derive(Parser)]
pub struct Tcp {
    #[command(subcommand)]
    pub command: TcpCommand,
}

#[derive(Subcommand)]
pub enum TcpCommand {
    Trace(Trace),
}

/// Trace downloads: congestion window, queue length and throughput over time
///
/// A station one metre from the access point downloads from a server; with several
/// flows, each has a station and a server of its own. The downloads last the whole
/// run. The table is about its last three quarters, the figure about all of it.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab tcp trace --out figures                        one download 125 ms away, each control
  airtab tcp trace --queue 350 --out deep               the same with a deep queue
  airtab tcp trace --latency 1ms,149ms --queue chap:limit=35 --congestion newreno,cubic
                                                        near and far share a cell
  airtab tcp trace --tcp profile=linux,pacing=true      another stack, whose segments leave at a rate
  airtab tcp trace --tcp prr=false --tcp ack_every=1    an acknowledgement for every segment")]
pub struct Trace {
    /// Congestion controls; by default all that there are
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = ALGORITHMS.as_str(),
        value_parser = congestion)]
    pub congestion: Vec<Algorithm>,
    /// One-way latency of each server's access link; another 1 ms leads from there to the access
    /// point. Several values are several downloads
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "125ms", value_parser = latency)]
    pub latency: Vec<u64>,
    /// Downloads, if all have the same latency [default: one for each latency]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=16))]
    pub flows: Option<u16>,
    /// Queue of the access point: packets that a FIFO holds, or a discipline with parameters as in
    /// `airtab compare`
    #[arg(long, value_name = "N|NAME", default_value = "35", value_parser = queue)]
    pub queue: QueueSpec,
    /// PHY rate of the stations, of 802.11g
    #[arg(long, value_name = "RATE", default_value = "54Mb/s", value_parser = rate)]
    pub rate: u32,
    /// Settings of TCP at both ends, by the keys of a scenario's `[tcp]`, such as prr=false,cubic_beta=0.8;
    /// may be repeated. A key that there is not lists all that there are
    #[arg(long, value_name = "KEY=VALUE,...", value_delimiter = ',')]
    pub tcp: Vec<String>,
    /// Simulated time
    #[arg(long = "duration", value_name = "TIME", default_value = "240s", value_parser = seconds(4..=86_400))]
    pub seconds: u64,
    /// Seed of all random draws; same seed, same result, on every machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    pub seed: u64,
    /// Also draw it, a column for each congestion control, as tcp.svg with its data as tcp.csv, into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub form: Printed,
}

/// All that there are, as `--congestion` takes them.
static ALGORITHMS: LazyLock<String> = LazyLock::new(|| Algorithm::ALL.map(Algorithm::name).join(","));

/// From one sample to the next, ns, unless the run is too long for that.
const STEP_NS: u64 = 100_000_000;
/// Samples of a run that a figure can show.
const SAMPLES: u64 = 3000;
const RATES_KBPS: [u32; 8] = [6_000, 9_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];

fn latency(text: &str) -> Result<u64, String> {
    let ns = Unit::Ns.parse(text).map_err(|e| e.to_string())?;
    if ns > 10 * SECOND { Err("0 to 10s".into()) } else { Ok(ns) }
}

fn congestion(text: &str) -> Result<Algorithm, String> {
    let names = Algorithm::ALL.map(Algorithm::name);
    let known = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == text);
    known.ok_or_else(|| format!("no congestion control '{text}'{}", instead(text, &names)))
}

fn queue(text: &str) -> Result<QueueSpec, String> {
    match text.bytes().all(|b| b.is_ascii_digit()) {
        true => format!("fifo:limit={text}").parse(),
        false => text.parse(),
    }
}

/// kb/s.
fn rate(text: &str) -> Result<u32, String> {
    let bps = Unit::Bps.parse(text).map_err(|e| e.to_string())?;
    RATES_KBPS
        .into_iter()
        .find(|kbps| u64::from(*kbps) * 1000 == bps)
        .ok_or_else(|| "6, 9, 12, 18, 24, 36, 48 or 54Mb/s".into())
}

/// A congestion control and what it did.
struct Traced {
    congestion: Algorithm,
    course: Course,
    /// Data of a full segment, bytes.
    mss: f64,
}

/// Runs each congestion control, prints the table and draws the figure.
pub fn tcp(args: &Tcp) -> anyhow::Result<ExitCode> {
    let TcpCommand::Trace(args) = &args.command;
    let latencies = match latencies(args) {
        Ok(latencies) => latencies,
        Err(error) => {
            output::error(&error);
            return Ok(ExitCode::from(USAGE));
        }
    };
    let tcp = match tcp_settings(&args.tcp) {
        Ok(tcp) => tcp,
        Err(problems) => {
            problems.iter().for_each(|problem| output::error(&format!("--tcp: {problem}")));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let names: Vec<&str> = args.congestion.iter().map(|algorithm| algorithm.name()).collect();
    if let Some(name) = super::twice(&names) {
        output::error(&format!("--congestion names {name} twice"));
        return Ok(ExitCode::from(USAGE));
    }
    let queue = args.queue.build(&QueueSettings::default())?;
    let file = args.out.as_deref().map(output::Drawing::open).transpose()?;
    let step = (args.seconds * SECOND).div_ceil(SAMPLES).next_multiple_of(STEP_NS);
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} runs, {eta} left");
    let bar = match output::is_quiet() {
        true => ProgressBar::hidden(),
        false => ProgressBar::new(args.congestion.len() as u64),
    };
    let bar = bar.with_style(style.expect("the template is right"));
    bar.tick();
    let mut runs = Vec::new();
    for congestion in &args.congestion {
        let scenario = scenario(args, &latencies, (*congestion, tcp));
        let course = course(&scenario, &queue, args.seed, step);
        runs.push(Traced { congestion: *congestion, course, mss: tcp.mss.into() });
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(file) = file {
        file.write(&figure::figure(&runs, &latencies, &title(args, &latencies)))?;
    }
    let text = match args.form.is_json() {
        true => serde_json::to_string(&as_json(args, &latencies, &runs)).context("results as JSON")? + "\n",
        false => table(args, &latencies, &runs),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// One for each download.
fn latencies(args: &Trace) -> Result<Vec<u64>, String> {
    match (args.flows.map(usize::from), args.latency.len()) {
        (None, n @ 17..) => Err(format!("--latency has {n} values: at most 16 downloads")),
        (Some(n), 1) => Ok(vec![args.latency[0]; n]),
        (Some(n), m) if n != m => Err(format!("--flows {n} and {m} latencies: give one latency, or {n}")),
        _ => Ok(args.latency.clone()),
    }
}

/// The part of the run that the table is about, ns.
fn measured(args: &Trace) -> Range<u64> {
    args.seconds * SECOND / 4..args.seconds * SECOND
}

fn scenario(args: &Trace, latencies: &[u64], (congestion, tcp): (Algorithm, Config)) -> Scenario {
    let end = args.seconds * SECOND;
    let station = |i| Station {
        name: format!("station {i}"),
        speed: args.rate.into(),
        loss: Loss::at(1.0),
        uplink: None,
        asleep: None,
        walk: None,
        access: None,
    };
    let app = |(i, latency_ns): (usize, &u64)| App {
        name: format!("download {}", i + 1),
        kind: AppKind::Download(Download::endless(congestion)),
        station: i,
        active_ns: 0..end + 1, // still there in the last sample
        class: 0,
        users: Users::ONE,
        measure_ns: None,
        servers: Servers::Own(Latency::both(*latency_ns)),
        access: Category::default(),
        tunnel: false,
        arrivals: false,
        phase_ns: None,
        requirement: None,
    };
    Scenario {
        name: "tcp trace".into(),
        duration_ns: end,
        measure_ns: measured(args),
        medium: CellConfig::new(Phy::named("phy-a").expect("a profile of the core")).into(),
        wired: Wired::default(),
        servers: Vec::new(),
        tcp,
        scored: Scored::default(),
        windows: Vec::new(),
        changes: Vec::new(),
        stations: (1..=latencies.len()).map(station).collect(),
        apps: latencies.iter().enumerate().map(app).collect(),
    }
}

fn title(args: &Trace, latencies: &[u64]) -> String {
    let times: Vec<String> = latencies.iter().map(|ns| Unit::Ns.format(*ns)).collect();
    let plural = if latencies.len() == 1 { "" } else { "s" };
    let tcp = if args.tcp.is_empty() { String::new() } else { format!(", tcp {}", args.tcp.join(" ")) };
    format!(
        "{} download{plural}, latency {}; {}, {} Mb/s{tcp}, seed {}",
        latencies.len(),
        times.join(", "),
        args.queue.label,
        args.rate / 1000,
        args.seed
    )
}

/// IP bit/s of each download in the measured part.
fn goodputs(args: &Trace, course: &Course) -> Vec<f64> {
    let Range { start, end } = measured(args);
    let seconds = (end - start) as f64 / SECOND as f64;
    course.trace.apps.iter().map(|app| app.down.bytes as f64 * 8.0 / seconds).collect()
}

/// Mean congestion window in the measured part, segments.
fn mean_window(args: &Trace, run: &Traced, flow: &FlowCourse) -> f64 {
    let samples =
        flow.cwnd_bytes.iter().zip(1..).filter(|(_, i)| i * run.course.step_ns >= measured(args).start);
    let windows: Vec<u64> = samples.filter_map(|(cwnd, _)| *cwnd).collect();
    windows.iter().sum::<u64>() as f64 / windows.len().max(1) as f64 / run.mss
}

fn table(args: &Trace, latencies: &[u64], runs: &[Traced]) -> String {
    let from = measured(args).start as f64 / SECOND as f64;
    let mut text = format!("{}; from {from} s to {} s\n\n", title(args, latencies), args.seconds);
    let _ = writeln!(
        text,
        "{:10} {:>8} {:>6} {:>10} {:>8} {:>8} {:>6} {:>5} {:>6}",
        "congestion", "latency", "Mb/s", "mean cwnd", "resent", "timeouts", "queue", "most", "Jain"
    );
    for run in runs {
        let Traced { congestion, course, .. } = run;
        let rates = goodputs(args, course);
        for (i, (app, rate)) in course.apps.iter().zip(&rates).enumerate() {
            let flow = &app.flows[0];
            let _ = write!(
                text,
                "{:10} {:>8} {:>6.2} {:>10.1} {:>8} {:>8}",
                if i == 0 { congestion.name() } else { "" },
                Unit::Ns.format(latencies[i]),
                rate / 1e6,
                mean_window(args, run, flow),
                flow.stats.retransmits,
                flow.stats.timeouts
            );
            if i == 0 {
                let ap = &course.trace.ap;
                let _ = write!(text, " {:>6.1} {:>5}", ap.mean_packets, ap.max_packets);
                if let Some(jain) = jain(&rates).filter(|_| rates.len() > 1) {
                    let _ = write!(text, " {jain:>6.3}");
                }
            }
            text.push('\n');
        }
    }
    text.push_str(
        "\nMb/s: IP bytes received. cwnd: segments. queue: mean packets. Of the whole run: resent\n\
         segments, timeouts, most packets in the queue.\n",
    );
    text
}

fn as_json(args: &Trace, latencies: &[u64], runs: &[Traced]) -> Value {
    let Range { start, end } = measured(args);
    json!({
        "schema": 1,
        "queue": args.queue.label,
        "rate_kbps": args.rate,
        "tcp": args.tcp,
        "seed": args.seed,
        "measure_ns": [start, end],
        "runs": runs.iter().map(|run| run_as_json(args, latencies, run)).collect::<Vec<_>>(),
    })
}

fn run_as_json(args: &Trace, latencies: &[u64], run: &Traced) -> Value {
    let Traced { congestion, course, .. } = run;
    let rates = goodputs(args, course);
    let flow = |(i, app): (usize, &AppCourse)| {
        let flow = &app.flows[0];
        json!({
            "latency_ns": latencies[i],
            "goodput_bits_per_second": rates[i],
            "mean_cwnd_segments": mean_window(args, run, flow),
            "segments": flow.stats.segments,
            "retransmits": flow.stats.retransmits,
            "recoveries": flow.stats.recoveries,
            "timeouts": flow.stats.timeouts,
            "cwnd_bytes": flow.cwnd_bytes,
            "received_bytes": app.received_bytes,
        })
    };
    json!({
        "congestion": congestion.name(),
        "queue_mean_packets": course.trace.ap.mean_packets,
        "queue_max_packets": course.trace.ap.max_packets,
        "jain_ratio": jain(&rates),
        "step_ns": course.step_ns,
        "queue_packets": course.queue_packets,
        "flows": course.apps.iter().enumerate().map(flow).collect::<Vec<_>>(),
    })
}
