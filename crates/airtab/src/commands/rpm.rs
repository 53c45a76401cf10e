// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab rpm`: responsiveness of a real network (draft-ietf-ippm-responsiveness), and the other end of it.
//!
//! Measuring is `airtab-probe`'s, figures are `airtab-quality`'s; here are the table, the verdict and JSON.

pub mod args;
mod flent;
mod show;

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

use airtab_probe::rpm::Way;
use airtab_probe::rpm::client::{self, Event, IDLE, Job};
use airtab_probe::rpm::server::{CONNECTIONS, DEADLINE, Server};
use airtab_probe::rpm::trust::Trust;
use airtab_quality::rpm::Parameters;
use args::Rpm;
use serde_json::json;

use super::flent::Files;
use super::progress::{INTERRUPTED, spinner, stop_on_interrupt};
use crate::output;

/// Measures, or serves.
pub fn rpm(args: &Rpm) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    if let Some(at) = args.serve {
        serve(at, args.form.is_json(), &stop)?;
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let trust = match (args.trust, &args.ca) {
        (Some(one), _) => Trust::Fingerprint(one),
        (None, Some(file)) => Trust::File(file.clone()),
        (None, None) => Trust::System,
    };
    let ways = [(Way::Down, args.down), (Way::Up, args.up)].into_iter();
    let job = Job {
        target: args.target.clone().unwrap_or_default(),
        trust,
        ways: ways.filter(|(_, asked)| *asked || !(args.down || args.up)).map(|(way, _)| way).collect(),
        parameters: Parameters { limit_ns: args.seconds * 1_000_000_000, ..Parameters::DRAFT },
    };
    let files = match args.flent.iter().cloned().map(|path| Files::begin(vec![path])).next().transpose() {
        Ok(files) => files,
        Err(message) => return Ok(super::refused(&message)),
    };
    let most = IDLE as u64 / 10 + args.seconds * job.ways.len() as u64;
    output::note(&format!("Measuring {}, for {most} s at most ...", job.target));
    let bar = spinner();
    let (mut printed, mut recorder) = (Ok(()), flent::Recorder::default());
    let (began, start) = (SystemTime::now(), Instant::now());
    let report = client::run(&job, &stop, &mut |event| {
        recorder.note(start.elapsed().as_nanos() as u64, &event);
        if let Some(line) = show::progress(&event) {
            bar.set_message(line);
            bar.tick();
        }
        if let (true, Event::Interval(way, outcome)) = (args.form.is_json() && printed.is_ok(), &event) {
            printed = output::print(&format!("{}\n", show::interval(*way, outcome)));
        }
    });
    bar.finish_and_clear();
    printed?;
    let report = report?;
    output::print(&if args.form.is_json() {
        format!("{}\n", show::json(&report))
    } else {
        show::text(&report)
    })?;
    if let Some(files) = files {
        let began_unix_ns =
            began.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        match recorder.document(&report, began_unix_ns) {
            Some(document) => files.write(&[document])?,
            None => output::note("--flent: it ended before there was a load: nothing was written"),
        }
    }
    Ok(if report.stopped { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Is the other end until it is interrupted.
fn serve(at: std::net::SocketAddr, json: bool, stop: &AtomicBool) -> anyhow::Result<()> {
    let server = Server::bind(at)?;
    let (at, fingerprint) = (server.address(), server.fingerprint());
    let shown = match at.ip().is_unspecified() {
        true => format!("ADDRESS-OF-THIS-MACHINE:{}", at.port()),
        false => at.to_string(),
    };
    let whom = match at.ip().is_loopback() {
        true => "Only this machine reaches it (--serve 0.0.0.0: all that reach this machine).",
        false => "Whoever reaches this machine can use its network, nothing else.",
    };
    let deadline = DEADLINE.as_secs();
    output::print(&match json {
        true => {
            let serving = json!({ "schema": 1, "event": "serving", "address": at.to_string(),
                "fingerprint": fingerprint.to_string() });
            format!("{serving}\n")
        }
        false => format!(
            "Serving on {at}: one byte, a download without end and uploads that are thrown away, over HTTP/2 and TLS;
{CONNECTIONS} connections at a time, {deadline} s each. {whom} Ctrl-C ends it. On the other machine:

  airtab rpm {shown} --trust {fingerprint}

"
        ),
    })?;
    let mut refused = 0u64;
    server.run(stop, &mut |from, served| {
        if !served {
            refused += 1;
            if refused == 1 {
                output::note(&format!(
                    "{from} found no room: {CONNECTIONS} connections are open. Others are not told."
                ));
            }
        }
    })?;
    Ok(())
}
