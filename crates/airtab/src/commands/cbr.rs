// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab cbr`: UDP at a constant rate, and what arrives of it (Starzetz 6.3.1).
//!
//! Measuring is `airtab-probe`'s; here are addresses, columns, JSON and files.

pub mod args;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_core::Unit;
use airtab_probe::cbr::listener::Listener;
use airtab_probe::cbr::sender::{self, Pings, Rtt, Sample, Step, Sweep};
use airtab_probe::cbr::socket::{Event, send};
use airtab_probe::cbr::{header_bytes, max_payload_bytes, receiver};
use anyhow::{Context, bail};
use args::Cbr;
use serde_json::{Value, json};

use super::progress::{INTERRUPTED, stop_on_interrupt};
use crate::args::USAGE;
use crate::output;

/// Sends or receives until it is over or interrupted.
pub fn cbr(args: &Cbr) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    if args.listen {
        listen(args, &stop)?;
    } else {
        let target = target(args)?;
        let config = config(args, &target);
        let longest = max_payload_bytes(&target);
        let problem = match config.check() {
            Err(e) => Some(e.to_string()),
            Ok(()) if config.payload_bytes > longest => {
                Some(format!("a payload of {} bytes: {target} takes at most {longest}", config.payload_bytes))
            }
            Ok(()) => None,
        };
        if let Some(problem) = problem {
            output::error(&problem.to_string());
            return Ok(ExitCode::from(USAGE));
        }
        transmit(args, target, &config, &stop)?;
    }
    Ok(if stop.load(Ordering::Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Where to send to: IPv6 if asked for, else what the name has first, IPv4 before IPv6.
fn target(args: &Cbr) -> anyhow::Result<SocketAddr> {
    let (host, port) = (args.host.as_deref().unwrap_or_default(), args.port.unwrap_or_default());
    let found: Vec<SocketAddr> =
        (host, port).to_socket_addrs().with_context(|| format!("cannot find the host {host}"))?.collect();
    let wanted = found.iter().find(|a| a.is_ipv6() == args.ipv6);
    match wanted.or(found.first().filter(|_| !args.ipv6)) {
        Some(address) => Ok(*address),
        None => bail!("{host} has no IPv6 address: leave out -6, or give one"),
    }
}

/// The local end: what was asked for, of the same IP version as `ipv6` says.
fn local(args: &Cbr, ipv6: bool) -> anyhow::Result<SocketAddr> {
    let any = if ipv6 { IpAddr::from([0u16; 8]) } else { IpAddr::from([0u8; 4]) };
    let ip = args.bind.unwrap_or(any);
    if ip.is_ipv6() != ipv6 {
        bail!("--bind {ip} is of the other IP version: -6 is for IPv6");
    }
    Ok(SocketAddr::new(ip, args.source_port.unwrap_or(0)))
}

fn config(args: &Cbr, target: &SocketAddr) -> sender::Config {
    let step = args.add.map_or(Step::Count(args.steps.unwrap_or(0)), Step::Add);
    let sweep = args.max_rate.zip(args.step_time);
    let Cbr { ratio, random, .. } = *args;
    sender::Config {
        rate_bps: args.rate.unwrap_or(0),
        peak_bps: args.peak,
        sweep: sweep.map(|(max_bps, step_ns)| Sweep { max_bps, step, step_ns }),
        payload_bytes: args.length as usize,
        burst_bytes: args.burst,
        header_bytes: if args.headers { header_bytes(target) } else { 0 },
        report_ns: args.interval,
        pings: args.rtt.then_some(Pings { ratio, random, depth: args.depth.0 }),
        duration_ns: args.duration,
    }
}

fn receiver_config(args: &Cbr, address: &SocketAddr) -> receiver::Config {
    receiver::Config {
        echo: args.rtt,
        header_bytes: if args.headers { header_bytes(address) } else { 0 },
        report_ns: args.interval,
        duration_ns: args.duration,
    }
}

/// Prints lines until the reader has gone; the run stops then.
struct Lines<'a> {
    json: bool,
    stop: &'a AtomicBool,
    failed: Option<io::Error>,
}

impl Lines<'_> {
    fn print(&mut self, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) {
        let line = if self.json { json().to_string() } else { text() };
        self.note(output::print(&(line + "\n")));
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(e) = result {
            self.failed.get_or_insert(e);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn end(self) -> anyhow::Result<()> {
        self.failed.map_or(Ok(()), |e| Err(e.into()))
    }
}

fn transmit(
    args: &Cbr,
    target: SocketAddr,
    config: &sender::Config,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let source = local(args, target.is_ipv6())?;
    let mut samples = match &args.rtt_file {
        None => None,
        Some(path) => {
            let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            let mut file = BufWriter::new(file);
            writeln!(file, "# sent[s] rtt[s] there[s], by both system clocks: nan where they disagree")?;
            Some(file)
        }
    };
    let mut lines = Lines { json: args.form.is_json(), stop, failed: None };
    let rate = Unit::Bps.format(config.rate_bps);
    output::note(&format!("Sending to {target}, {} bytes each, at {rate} ...", config.payload_bytes));
    if !args.form.is_json() && !args.no_header {
        lines.note(output::print(&(sender_header(args.rtt) + "\n")));
    }
    let mut report = |event: Event<'_>| match event {
        Event::Interval(i) => {
            lines.print(|| sender_row(i, args.rtt), || event_json("interval", sender_json(i)));
        }
        Event::Sample(sample) => {
            if let Some(file) = &mut samples {
                lines.note(writeln!(file, "{}", sample_row(sample)));
            }
        }
    };
    let summary = send(target, Some(source), config, stop, &mut report)?;
    if let Some(file) = &mut samples {
        lines.note(file.flush());
    }
    lines.print(|| sender_summary(&summary, args.rtt), || summary_json(&summary));
    if unanswered(args, &summary) {
        output::note("No echo came: run the receiver with -R, and see that UDP gets through both ways.");
    }
    if let (Some(path), n @ 1..) = (&args.rtt_file, summary.impossible) {
        output::note(&disagreement(n, summary.echoes.answered, path));
    }
    lines.end()
}

/// Note on impossible one-way times.
fn disagreement(impossible: u64, answered: u64, file: &Path) -> String {
    format!(
        "{impossible} of {answered} one-way times are below 0 or above their round trip, and nan in {}: the system \
         clocks differ, or one was set meanwhile. Round trips are right all the same.",
        file.display()
    )
}

fn listen(args: &Cbr, stop: &AtomicBool) -> anyhow::Result<()> {
    let mut arrivals = arrivals(args)?;
    let listener = Listener::bind(local(args, args.ipv6)?)?;
    let listener = if arrivals.is_some() { listener.with_kernel_stamps()? } else { listener };
    let address = listener.address();
    let config = receiver_config(args, &address);
    output::note(&format!("Receiving on {address} ..."));
    let mut lines = Lines { json: args.form.is_json(), stop, failed: None };
    if !args.form.is_json() && !args.no_header {
        lines.note(output::print(&(receiver_header() + "\n")));
    }
    let mut hinted = args.rtt;
    let mut unwritten = None;
    let mut arrived = |ns: u64| {
        if let Some(file) = &mut arrivals
            && let Err(e) = writeln!(file, "{}", exact(ns))
        {
            unwritten.get_or_insert(e);
            stop.store(true, Ordering::Relaxed);
        }
    };
    let mut report = |i: &receiver::Interval| {
        lines.print(|| receiver_row(i), || event_json("interval", receiver_json(i)));
        if i.pings > 0 && !std::mem::replace(&mut hinted, true) {
            output::note("PINGs arrive: with -R they would be answered.");
        }
    };
    let total = listener.run(&config, stop, &mut report, &mut arrived)?;
    let written = unwritten.map_or_else(|| arrivals.as_mut().map_or(Ok(()), Write::flush), Err);
    written.context("cannot write the arrival times")?;
    lines.print(
        || format!("\n{}\n{}", receiver_header(), receiver_row(&total)),
        || event_json("summary", receiver_json(&total)),
    );
    lines.end()
}

fn mbps(bps: u64) -> String {
    format!("{:.3}", bps as f64 / 1e6)
}

fn ms(ns: f64) -> String {
    format!("{:.3}", ns / 1e6)
}

fn seconds(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e9)
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".into())
}

fn sender_header(rtt: bool) -> String {
    let first = format!("{:>10} {:>11} {:>11} {:>9}", "time, s", "asked, Mb/s", "sent, Mb/s", "packets");
    let times = ["rtt mean, ms", "min", "max", "count", "received, Mb/s"];
    let [mean, min, max, count, rx] = times;
    match rtt {
        false => first,
        true => format!("{first} {mean:>13} {min:>9} {max:>9} {count:>7} {rx:>15}"),
    }
}

fn sender_row(i: &sender::Interval, rtt: bool) -> String {
    let (time, asked, sent) = (seconds(i.end_ns), mbps(i.asked_bps), mbps(i.sent_bps));
    let first = format!("{time:>10} {asked:>11} {sent:>11} {:>9}", i.packets);
    let figure = |of: fn(&Rtt) -> f64| or_dash(i.rtt.as_ref().map(|rtt| ms(of(rtt))));
    let row = match rtt {
        false => first,
        true => format!(
            "{first} {:>13} {:>9} {:>9} {:>7} {:>15}",
            figure(|r| r.mean_ns),
            figure(|r| r.min_ns as f64),
            figure(|r| r.max_ns as f64),
            i.rtt.map_or(0, |r| r.count),
            or_dash(i.rx_bps.map(mbps)),
        ),
    };
    match i.errors {
        0 => row,
        n => format!("{row}  {n} refused"),
    }
}

fn sender_summary(summary: &sender::Summary, rtt: bool) -> String {
    let total = &summary.total;
    let mut text = String::new();
    if summary.steps.len() > 1 {
        text += &format!("\nSteps\n{}\n", sender_header(rtt));
        for step in &summary.steps {
            text += &(sender_row(step, rtt) + "\n");
        }
    }
    text += &format!(
        "\n{} s: {} packets, {} bytes, {} Mb/s sent",
        seconds(total.end_ns),
        total.packets,
        total.bytes,
        mbps(total.sent_bps)
    );
    if total.errors > 0 {
        text += &format!(", {} refused by the system", total.errors);
    }
    if let Some(rx) = total.rx_bps {
        text += &format!("; {} Mb/s received at last", mbps(rx));
    }
    if let Some(r) = &total.rtt {
        let [p50, p95, p99] = [r.p50_ns, r.p95_ns, r.p99_ns].map(|ns| ms(ns as f64));
        let [min, mean, max] = [r.min_ns as f64, r.mean_ns, r.max_ns as f64].map(ms);
        text += &format!(
            "\nrtt, ms: min {min}, mean {mean}, median {p50}, 95 % {p95}, 99 % {p99}, max {max} ({} samples)",
            r.count
        );
    }
    if rtt {
        let e = &summary.echoes;
        text += &format!(
            "\nPINGs: {} sent, {} answered; echoes: {} late, {} duplicate, {} forged or foreign",
            e.pings, e.answered, e.late, e.duplicates, e.forged
        );
    }
    text
}

/// The file for arrival times, if one is wanted.
fn arrivals(args: &Cbr) -> anyhow::Result<Option<BufWriter<File>>> {
    let Some(path) = &args.arrivals else { return Ok(None) };
    let mut file =
        BufWriter::new(File::create(path).with_context(|| format!("cannot write {}", path.display()))?);
    writeln!(file, "# arrival[s], by the kernel's clock")?;
    Ok(Some(file))
}

/// Seconds, to the ns.
fn exact(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

fn sample_row(sample: &Sample) -> String {
    let sign = if sample.forward_ns < 0 { "-" } else { "" };
    let there = format!("{sign}{}", exact(sample.forward_ns.unsigned_abs()));
    // Behind a `#` no plotting program reads on.
    let there = if sample.clocks_agree() { there } else { format!("nan # {there}") };
    format!("{} {} {there}", exact(sample.sent_ns), exact(sample.rtt_ns))
}

fn receiver_header() -> String {
    format!(
        "{:>10} {:>14} {:>9} {:>10} {:>8} {:>7} {:>7} {:>8}",
        "time, s", "received, Mb/s", "packets", "packets/s", "lost", "late", "PINGs", "foreign"
    )
}

fn receiver_row(i: &receiver::Interval) -> String {
    let rate = i.packets as f64 * 1e9 / (i.end_ns - i.start_ns).max(1) as f64;
    format!(
        "{:>10} {:>14} {:>9} {rate:>10.1} {:>8} {:>7} {:>7} {:>8}",
        seconds(i.end_ns),
        mbps(i.rx_bps),
        i.packets,
        i.lost,
        i.late,
        i.pings,
        i.foreign
    )
}

fn event_json(event: &str, mut json: Value) -> Value {
    json["schema"] = 1.into();
    json["event"] = event.into();
    json
}

fn sender_json(i: &sender::Interval) -> Value {
    let rtt = i.rtt.map(|r| {
        json!({ "count": r.count, "mean_ns": r.mean_ns, "min_ns": r.min_ns, "p50_ns": r.p50_ns,
            "p95_ns": r.p95_ns, "p99_ns": r.p99_ns, "max_ns": r.max_ns })
    });
    json!({
        "start_ns": i.start_ns,
        "end_ns": i.end_ns,
        "asked_bits_per_second": i.asked_bps,
        "sent_bits_per_second": i.sent_bps,
        "packets": i.packets,
        "bytes": i.bytes,
        "refused": i.errors,
        "rtt": rtt,
        "received_bits_per_second": i.rx_bps,
    })
}

fn summary_json(summary: &sender::Summary) -> Value {
    let mut json = event_json("summary", sender_json(&summary.total));
    json["steps"] = summary.steps.iter().map(sender_json).collect();
    let e = summary.echoes;
    json["pings"] = json!({ "sent": e.pings, "answered": e.answered, "late": e.late,
        "duplicates": e.duplicates, "forged": e.forged, "impossible_one_way": summary.impossible });
    json
}

/// Whether PINGs were sent, and none came back.
fn unanswered(args: &Cbr, summary: &sender::Summary) -> bool {
    args.rtt && summary.echoes.pings > 0 && summary.echoes.answered == 0
}

fn receiver_json(i: &receiver::Interval) -> Value {
    json!({
        "start_ns": i.start_ns,
        "end_ns": i.end_ns,
        "received_bits_per_second": i.rx_bps,
        "packets": i.packets,
        "bytes": i.bytes,
        "lost": i.lost,
        "late": i.late,
        "pings": i.pings,
        "foreign": i.foreign,
    })
}

#[cfg(test)]
mod tests;
