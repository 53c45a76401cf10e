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
    App, AppCourse, AppKind, Course, FlowCourse, Latency, Scenario, Scored, Servers, Station, StreamTrace,
    Users, Wired, course,
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
    let step = step_ns(args.seconds);
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

/// The sampling interval of a run of `seconds`, ns.
fn step_ns(seconds: u64) -> u64 {
    (seconds * SECOND).div_ceil(SAMPLES).next_multiple_of(STEP_NS)
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
        computer: 1,
        tunnel: false,
        arrivals: false,
        phase_ns: None,
        requirement: None,
        tcp: None,
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
fn throughputs(args: &Trace, course: &Course) -> Vec<f64> {
    rates(args, course, |down| down.bytes)
}

/// Bit/s of what `bytes` counts of each download in the measured part.
fn rates(args: &Trace, course: &Course, bytes: impl Fn(&StreamTrace) -> u64) -> Vec<f64> {
    let Range { start, end } = measured(args);
    let seconds = (end - start) as f64 / SECOND as f64;
    course.trace.apps.iter().map(|app| bytes(&app.down) as f64 * 8.0 / seconds).collect()
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
        let rates = throughputs(args, course);
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
    let (rates, goodputs) = (throughputs(args, course), rates(args, course, |down| down.payload_bytes));
    let flow = |(i, app): (usize, &AppCourse)| {
        let flow = &app.flows[0];
        json!({
            "latency_ns": latencies[i],
            "goodput_bits_per_second": goodputs[i],
            "throughput_bits_per_second": rates[i],
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

#[cfg(test)]
mod tests {
    use airtab_lab::draw::Content;

    use super::*;

    fn parsed(words: &[&str]) -> Trace {
        let words = [&["tcp", "trace"], words].concat();
        let TcpCommand::Trace(args) = Tcp::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command;
        args
    }

    /// The options, latencies and runs for these arguments.
    fn traced(words: &[&str]) -> (Trace, Vec<u64>, Vec<Traced>) {
        let args = parsed(words);
        let latencies = latencies(&args).expect("they fit");
        let tcp = tcp_settings(&args.tcp).unwrap_or_else(|_| panic!("{:?}", args.tcp));
        let queue = args.queue.build(&QueueSettings::default()).expect("a queue");
        let run = |congestion: &Algorithm| {
            let scenario = scenario(&args, &latencies, (*congestion, tcp));
            let course = course(&scenario, &queue, args.seed, step_ns(args.seconds));
            Traced { congestion: *congestion, course, mss: tcp.mss.into() }
        };
        let runs = args.congestion.iter().map(run).collect();
        (args, latencies, runs)
    }

    /// A near and a far download under two congestion controls, whose short queue drops.
    const TWO: [&str; 9] = [
        "--latency",
        "2ms,60ms",
        "--queue",
        "5",
        "--congestion",
        "newreno,cubic",
        "--duration=8s",
        "--seed=9",
        "--tcp=mss=1000",
    ];

    #[test]
    fn a_run_has_at_most_3000_samples_at_whole_tenths_of_a_second() {
        for (seconds, step_ms) in
            [(4, 100), (299, 100), (300, 100), (301, 200), (600, 200), (601, 300), (86_400, 28_800)]
        {
            assert_eq!(step_ns(seconds), step_ms * 1_000_000, "{seconds} s");
            assert!(seconds * SECOND / step_ns(seconds) <= 3000);
        }
    }

    #[test]
    fn downloads_are_as_many_as_latencies_unless_all_have_the_same() {
        let ms = |all: &[u64]| Ok(all.iter().map(|ms| ms * 1_000_000).collect::<Vec<_>>());
        let sixteen = vec!["7ms"; 16].join(",");
        let seventeen = vec!["7ms"; 17].join(",");
        for (words, expected) in [
            (&[][..], ms(&[125])),
            (&["--flows", "3"], ms(&[125, 125, 125])),
            (&["--latency", "1ms,9ms,4ms"], ms(&[1, 9, 4])),
            (&["--latency", "1ms,9ms", "--flows", "2"], ms(&[1, 9])),
            (&["--latency", "9ms", "--flows", "1"], ms(&[9])),
            (&["--latency", &sixteen], ms(&[7; 16])),
            (&["--latency", &seventeen], Err("--latency has 17 values: at most 16 downloads".into())),
            (
                &["--latency", "1ms,9ms", "--flows", "3"],
                Err("--flows 3 and 2 latencies: give one latency, or 3".into()),
            ),
        ] {
            assert_eq!(latencies(&parsed(words)), expected, "{words:?}");
        }
        assert_eq!((latency("10s"), latency("10001ms")), (Ok(10_000_000_000), Err("0 to 10s".into())));
        assert_eq!(queue("77").map(|q| q.label), Ok("fifo:limit=77".into()));
        assert_eq!(queue("chap:limit=7").map(|q| q.label), Ok("chap:limit=7".into()));
        assert_eq!((rate("5500kb/s").is_err(), rate("9Mb/s"), rate("48Mb/s")), (true, Ok(9_000), Ok(48_000)));
    }

    #[test]
    fn the_title_says_what_runs_have_in_common() {
        let of = |words: &[&str]| {
            let args = parsed(words);
            title(&args, &latencies(&args).expect("they fit"))
        };
        assert_eq!(of(&[]), "1 download, latency 125ms; fifo:limit=35, 54 Mb/s, seed 1");
        assert_eq!(
            of(&[
                "--latency",
                "1ms,30ms",
                "--rate",
                "6Mb/s",
                "--seed",
                "8",
                "--queue",
                "chap",
                "--tcp",
                "mss=900,prr=false"
            ]),
            "2 downloads, latency 1ms, 30ms; chap, 6 Mb/s, tcp mss=900 prr=false, seed 8"
        );
    }

    /// The last three quarters are measured; each download is that of its latency, active to the last sample.
    #[test]
    fn the_scenario_is_the_one_asked_for() {
        let args = parsed(&["--latency", "1ms,30ms", "--rate", "18Mb/s", "--duration", "10s"]);
        let tcp = tcp_settings(&["mss=700".to_string()]).unwrap_or_else(|_| panic!("a setting"));
        let scenario = scenario(&args, &[1_000_000, 30_000_000], (Algorithm::ALL[0], tcp));
        assert_eq!((scenario.duration_ns, scenario.measure_ns), (10 * SECOND, 2_500_000_000..10 * SECOND));
        let of = |app: &App| (app.name.clone(), app.station, app.active_ns.clone());
        let apps: Vec<_> = scenario.apps.iter().map(of).collect();
        assert_eq!(
            apps,
            [("download 1".into(), 0, 0..10 * SECOND + 1), ("download 2".into(), 1, 0..10 * SECOND + 1)]
        );
        let names: Vec<&str> = scenario.stations.iter().map(|station| station.name.as_str()).collect();
        assert_eq!((names, scenario.tcp.mss), (vec!["station 1", "station 2"], 700));
    }

    /// Each figure of the table and of the JSON is that of its run, in the order of latencies and of congestion controls.
    #[test]
    fn figures_are_those_of_the_runs() {
        let (args, latencies, runs) = traced(&TWO);
        let json = as_json(&args, &latencies, &runs);
        let text = table(&args, &latencies, &runs);
        let rows: Vec<Vec<&str>> = text
            .lines()
            .skip(3)
            .take_while(|line| !line.is_empty())
            .map(|l| l.split_whitespace().collect())
            .collect();
        assert_eq!((rows.len(), &json["rate_kbps"], &json["tcp"]), (4, &json!(54_000), &json!(["mss=1000"])));
        assert_eq!((&json["seed"], &json["queue"]), (&json!(9), &json!("fifo:limit=5")));
        for (r, run) in runs.iter().enumerate() {
            let of = &json["runs"][r];
            let ap = &run.course.trace.ap;
            assert!(ap.mean_packets > 0.0 && ap.mean_packets < ap.max_packets as f64);
            assert_eq!(of["congestion"], ["newreno", "cubic"][r]);
            assert_eq!(of["queue_mean_packets"].as_f64(), Some(ap.mean_packets));
            assert_eq!(of["queue_max_packets"].as_u64(), Some(ap.max_packets as u64));
            let rates: Vec<f64> = (0..2)
                .map(|i| {
                    let received = &run.course.apps[i].received_bytes;
                    // Samples are at 0.1 s, 0.2 s and so on: from 2 s to 8 s.
                    (received[79] - received[19]) as f64 * 8.0 / 6.0
                })
                .collect();
            assert!(rates[0] > 1.5 * rates[1], "the near one gets more: {rates:?}");
            let jain = (rates[0] + rates[1]).powi(2) / (2.0 * (rates[0].powi(2) + rates[1].powi(2)));
            assert!((of["jain_ratio"].as_f64().expect("a ratio") / jain - 1.0).abs() < 1e-9);
            for (i, rate) in rates.iter().enumerate() {
                let (flow, stats) = (&of["flows"][i], &run.course.apps[i].flows[0].stats);
                assert_eq!(flow["latency_ns"], [2_000_000, 60_000_000][i]);
                assert!(
                    (flow["throughput_bits_per_second"].as_f64().expect("a rate") / rate - 1.0).abs() < 1e-9
                );
                let counts = [stats.segments, stats.retransmits, stats.recoveries, stats.timeouts];
                let told =
                    ["segments", "retransmits", "recoveries", "timeouts"].map(|key| flow[key].as_u64());
                assert_eq!(told, counts.map(Some));
                let windows = &run.course.apps[i].flows[0].cwnd_bytes;
                let windows: Vec<f64> =
                    windows[19..].iter().filter_map(|w| Some((*w)? as f64 / 1000.0)).collect();
                let mean = windows.iter().sum::<f64>() / windows.len() as f64;
                assert!((flow["mean_cwnd_segments"].as_f64().expect("a mean") / mean - 1.0).abs() < 1e-9);
                let mut row = vec![
                    ["2ms", "60ms"][i].to_string(),
                    format!("{:.2}", rate / 1e6),
                    format!("{mean:.1}"),
                    stats.retransmits.to_string(),
                    stats.timeouts.to_string(),
                ];
                if i == 0 {
                    row.insert(0, ["newreno", "cubic"][r].into());
                    row.extend([
                        format!("{:.1}", ap.mean_packets),
                        ap.max_packets.to_string(),
                        format!("{jain:.3}"),
                    ]);
                }
                assert_eq!(rows[2 * r + i], row);
            }
        }
        let all: Vec<_> =
            runs.iter().flat_map(|run| &run.course.apps).map(|app| app.flows[0].stats).collect();
        assert!(
            all.iter().any(|s| s.retransmits != s.recoveries
                && s.recoveries != s.timeouts
                && s.retransmits != s.timeouts),
            "{all:?}"
        );
        // One download has no evenness.
        let (args, latencies, runs) = traced(&["--latency=9ms", "--congestion=cubic", "--duration=4s"]);
        let text = table(&args, &latencies, &runs);
        assert!(text.contains("; from 1 s to 4 s\n"), "{text}");
        assert_eq!(text.lines().nth(3).map(|row| row.split_whitespace().count()), Some(8));
    }

    /// Rows are throughput, queue and window, columns the runs; a throughput is that of the second before its point.
    #[test]
    fn the_figure_has_each_sample_at_its_time() {
        let (_, latencies, runs) = traced(&TWO);
        let drawn = figure::figure(&runs, &latencies, "title");
        let panels: Vec<(&str, &str)> =
            drawn.panels().iter().map(|panel| (panel.name.as_str(), panel.caption.as_str())).collect();
        let expected =
            ["throughput", "queue", "window"].map(|what| [("newreno", what), ("cubic", what)]).concat();
        assert_eq!(panels, expected);
        let lines = |panel: usize| -> Vec<(String, Vec<(f64, f64)>)> {
            let Content::Plot(plot) = &drawn.panels()[panel].content else { panic!("a plot") };
            let points =
                |line: &airtab_lab::draw::Line| line.points.iter().flatten().map(|p| (p.x, p.y)).collect();
            plot.lines.iter().map(|line| (line.name.clone(), points(line))).collect()
        };
        let most = runs[1].course.queue_packets.iter().max().expect("samples");
        assert_eq!(drawn.panels()[3].alt, format!("cubic: queue, packets over time, most {most}.0"));
        let near = |a: &[(f64, f64)], b: &[(f64, f64)]| {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-6 * b.1.max(1.0))
        };
        for (r, run) in runs.iter().enumerate() {
            let names = ["download 1: 2ms", "download 2: 60ms"];
            for (i, (name, points)) in lines(r).iter().enumerate() {
                let received = &run.course.apps[i].received_bytes;
                let at = |second: usize| if second == 0 { 0 } else { received[10 * second - 1] };
                let rate = |second: usize| (at(second) - at(second - 1)) as f64 * 8.0 / 1e6;
                let expected: Vec<(f64, f64)> = (1..=8).map(|second| (second as f64, rate(second))).collect();
                assert_eq!(name, names[i]);
                assert!(near(points, &expected), "{points:?} {expected:?}");
            }
            let queue = &lines(2 + r);
            let expected: Vec<(f64, f64)> = (1..)
                .zip(&run.course.queue_packets)
                .map(|(k, n)| (f64::from(k) / 10.0, f64::from(*n)))
                .collect();
            assert_eq!((queue.len(), queue[0].0.as_str()), (1, "queue"));
            assert!(near(&queue[0].1, &expected));
            for (i, (name, points)) in lines(4 + r).iter().enumerate() {
                let windows = (1..).zip(&run.course.apps[i].flows[0].cwnd_bytes);
                let expected: Vec<(f64, f64)> =
                    windows.filter_map(|(k, w)| Some((f64::from(k) / 10.0, (*w)? as f64 / 1000.0))).collect();
                assert_eq!(name, names[i]);
                assert!(near(points, &expected));
            }
        }
    }
}
