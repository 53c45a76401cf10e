// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab equal-access`: packet rates of two saturated cards (Starzetz 2006, 6.4.2).
//!
//! Counting and judging are `airtab-probe`'s; here are addresses, columns, JSON and the sentence.

pub mod args;

use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_probe::cbr::listener::{Listener, Sink};
use airtab_probe::cbr::sender;
use airtab_probe::cbr::socket::send;
use airtab_probe::clock::monotonic_ns;
use airtab_probe::equal::judge::{EQUAL, Judge, Report, StepFigures, Verdict};
use airtab_probe::equal::plan::Plan;
use anyhow::{Context, bail};
use args::{EqualAccess, EqualAccessCommand, Role};
use serde_json::{Value, json};

use super::progress::{INTERRUPTED, stop_on_interrupt};
use crate::args::USAGE;
use crate::output;

/// Receives and judges, or sends.
pub fn equal_access(args: &EqualAccess) -> anyhow::Result<ExitCode> {
    let (EqualAccessCommand::Listen { plan, .. } | EqualAccessCommand::Send { plan, .. }) = &args.command;
    let plan = plan.plan();
    if let Err(problem) = plan.check() {
        output::error(&problem.to_string());
        return Ok(ExitCode::from(USAGE));
    }
    let stop = stop_on_interrupt()?;
    match &args.command {
        EqualAccessCommand::Listen { port, bind, form, .. } => {
            listen(SocketAddr::new(*bind, *port), plan, form.is_json(), &stop)
        }
        EqualAccessCommand::Send { role, target, .. } => transmit(*role, target, &plan, &stop),
    }
}

fn transmit(role: Role, target: &str, plan: &Plan, stop: &AtomicBool) -> anyhow::Result<ExitCode> {
    let found = target.to_socket_addrs().with_context(|| format!("cannot find {target} (HOST:PORT)"))?;
    let Some(address) = found.min_by_key(SocketAddr::is_ipv6) else { bail!("{target} has no address") };
    let (config, what) = sent(role, plan);
    output::note(&format!("Sending to {address}, {} bytes each, {what} ...", config.payload_bytes));
    let summary = send(address, None, &config, stop, &mut |_| ())?;
    let seconds = summary.total.end_ns as f64 / 1e9;
    output::note(&format!("{} packets in {seconds:.1} s", summary.total.packets));
    Ok(sender_code(role, stop.load(Ordering::Relaxed)))
}

/// The load of a sender, and the words for it.
fn sent(role: Role, plan: &Plan) -> (sender::Config, String) {
    match role {
        Role::Be => (plan.best_effort(), "as fast as they go".to_string()),
        Role::Ef => {
            let seconds = plan.steps() as f64 * plan.step_ns as f64 / 1e9;
            (plan.expedited(), format!("{} steps, {seconds:.0} s", plan.steps()))
        }
    }
}

/// Best effort has no other end than Ctrl-C.
fn sender_code(role: Role, stopped: bool) -> ExitCode {
    let interrupted = stopped && role == Role::Ef;
    if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
}

/// Tells each step as it ends.
struct Telling<'a> {
    judge: Judge,
    told: usize,
    tell: &'a mut dyn FnMut(usize, &StepFigures),
}

impl Telling<'_> {
    fn tell(&mut self) {
        // Figures of a step are there when it is whole: when the next one has begun, or all are over.
        let begun = self.judge.step().unwrap_or(0) + usize::from(self.judge.is_done());
        if begun > self.told {
            for (step, figures) in self.judge.report().steps.iter().enumerate().skip(self.told) {
                (self.tell)(step, figures);
                self.told = step + 1;
            }
        }
    }
}

impl Sink for Telling<'_> {
    fn advance(&mut self, now_ns: u64) {
        self.judge.advance(now_ns);
        self.tell();
    }

    fn deadline_ns(&self) -> u64 {
        self.judge.deadline_ns()
    }

    fn is_done(&self) -> bool {
        self.judge.is_done()
    }

    fn handle(&mut self, arrived_ns: u64, from: SocketAddr, datagram: &mut [u8]) -> bool {
        self.judge.handle(arrived_ns, from, datagram)
    }
}

fn listen(address: SocketAddr, plan: Plan, json: bool, stop: &AtomicBool) -> anyhow::Result<ExitCode> {
    let listener = Listener::bind(address)?;
    output::note(&format!("Receiving on {} ...", listener.address()));
    if !json {
        output::print(&format!(
            "{:>4} {:>14} {:>17} {:>19}  {}\n",
            "step", "offered, pkt/s", "expedited, pkt/s", "best effort, pkt/s", "channel"
        ))?;
    }
    let mut failed = None;
    let mut tell = |step: usize, figures: &StepFigures| {
        let line = if json { step_json(step, figures).to_string() } else { step_row(step, figures) };
        if let Err(e) = output::print(&(line + "\n")) {
            failed.get_or_insert(e);
            stop.store(true, Ordering::Relaxed);
        }
    };
    let mut telling = Telling { judge: Judge::new(plan, monotonic_ns()), told: 0, tell: &mut tell };
    listener.serve(stop, &mut telling)?;
    let report = telling.judge.report();
    if let Some(e) = failed {
        return Err(e.into());
    }
    output::print(&if json { format!("{}\n", report_json(&report)) } else { report_text(&report) })?;
    Ok(receiver_code(stop.load(Ordering::Relaxed), report.verdict))
}

fn receiver_code(stopped: bool, verdict: Verdict) -> ExitCode {
    match (stopped, verdict) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, Verdict::Equal) => ExitCode::SUCCESS,
        (false, _) => ExitCode::from(1),
    }
}

fn step_row(step: usize, f: &StepFigures) -> String {
    let full = if f.saturated { "full" } else { "carries it" };
    let (offered, expedited, best_effort) = (f.offered, f.expedited, f.best_effort);
    format!("{:>4} {offered:>14.1} {expedited:>17.1} {best_effort:>19.1}  {full}", step + 1)
}

fn report_text(report: &Report) -> String {
    let mut text = "\n".to_string();
    if let Some(alone) = report.alone {
        text += &format!("Best effort alone: {alone:.1} packets/s\n");
    }
    if let Some(together) = report.together {
        text += &format!("Both together, channel full: {together:.1} packets/s");
        text +=
            &report.alone.map_or("\n".into(), |alone| format!(", {:.2} times as many\n", together / alone));
    }
    let ratio = report.ratio.map_or(String::new(), |r| {
        let width = r.half_width.map_or(String::new(), |width| format!(" +- {width:.4}"));
        format!("{:.4}{width} expedited packets for each best-effort one", r.mean)
    });
    text + &match report.verdict {
        Verdict::Equal => format!("Equal access: {ratio}.\n"),
        Verdict::Unequal => {
            let more = if report.ratio.is_some_and(|r| r.mean > 1.0) { "expedited" } else { "best-effort" };
            format!(
                "Unequal access: {ratio}, and 1 +- {EQUAL} is equal. The {more} sender's card has more than its share.\n"
            )
        }
        Verdict::NotSaturated => {
            "No verdict: each step carried what was offered. Raise --to, here and at both senders.\n".into()
        }
        Verdict::TooFew { slices, needed } => format!(
            "No verdict: both were heard in {slices} of the {needed} stretches of a full channel that it takes. Run both senders, with the same options.\n"
        ),
    }
}

fn step_json(step: usize, f: &StepFigures) -> Value {
    json!({
        "schema": 1,
        "event": "step",
        "step": step + 1,
        "offered_packets_per_second": f.offered,
        "expedited_packets_per_second": f.expedited,
        "best_effort_packets_per_second": f.best_effort,
        "saturated": f.saturated,
    })
}

fn report_json(report: &Report) -> Value {
    let verdict = match report.verdict {
        Verdict::Equal => "equal",
        Verdict::Unequal => "unequal",
        Verdict::NotSaturated => "not_saturated",
        Verdict::TooFew { .. } => "too_few_samples",
    };
    json!({
        "schema": 1,
        "event": "summary",
        "verdict": verdict,
        "best_effort_alone_packets_per_second": report.alone,
        "together_packets_per_second": report.together,
        "ratio": report.ratio.map(|r| r.mean),
        "ratio_half_width": report.ratio.and_then(|r| r.half_width),
        "foreign": report.foreign,
    })
}

#[cfg(test)]
mod tests;
