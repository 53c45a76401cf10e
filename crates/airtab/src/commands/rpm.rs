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
use anyhow::Context;
use args::Rpm;
use serde_json::json;

use super::flent::Files;
use super::progress::{INTERRUPTED, spinner, stop_on_interrupt};
use super::reading::{bytes, named};
use crate::output;

/// Measures, or serves.
pub fn rpm(args: &Rpm) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    if let Some(at) = args.serve {
        serve(at, args.form.is_json(), &stop)?;
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let job = job(args)?;
    let files = match args.flent.iter().cloned().map(|path| Files::begin(vec![path])).next().transpose() {
        Ok(files) => files,
        Err(message) => return Ok(super::refused(&message)),
    };
    output::note(&format!("Measuring {}, for {} s at most ...", job.target, longest_s(&job)));
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

/// The measurement that the options ask for.
///
/// # Errors
/// The file of `--ca` cannot be read.
fn job(args: &Rpm) -> anyhow::Result<Job> {
    let trust = match (args.trust, &args.ca) {
        (Some(one), _) => Trust::Fingerprint(one),
        (None, Some(file)) => {
            let pem =
                bytes(file, "a file of certificates").with_context(|| format!("--ca {}", named(file)))?;
            Trust::Authorities { file: named(file), pem }
        }
        (None, None) => Trust::System,
    };
    let ways = [(Way::Down, args.down), (Way::Up, args.up)].into_iter();
    Ok(Job {
        target: args.target.clone().unwrap_or_default(),
        trust,
        ways: ways.filter(|(_, asked)| *asked || !(args.down || args.up)).map(|(way, _)| way).collect(),
        parameters: Parameters { limit_ns: args.seconds * 1_000_000_000, ..Parameters::DRAFT },
    })
}

/// The limit of a measurement, s.
fn longest_s(job: &Job) -> u64 {
    IDLE as u64 / 10 + job.parameters.limit_ns / 1_000_000_000 * job.ways.len() as u64
}

/// Is the other end until it is interrupted.
fn serve(at: std::net::SocketAddr, json: bool, stop: &AtomicBool) -> anyhow::Result<()> {
    let server = Server::bind(at)?;
    output::print(&greeting(server.address(), &server.fingerprint().to_string(), json))?;
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

/// The address and fingerprint of a server: a line of JSON, or a text with the command for the client.
fn greeting(at: std::net::SocketAddr, fingerprint: &str, json: bool) -> String {
    let shown = match at.ip().is_unspecified() {
        true => format!("ADDRESS-OF-THIS-MACHINE:{}", at.port()),
        false => at.to_string(),
    };
    let whom = match at.ip().is_loopback() {
        true => "Only this machine reaches it (--serve 0.0.0.0: all that reach this machine).",
        false => "Whoever reaches this machine can use its network, nothing else.",
    };
    let deadline = DEADLINE.as_secs();
    match json {
        true => {
            let serving = json!({ "schema": 1, "event": "serving", "address": at.to_string(),
                "fingerprint": fingerprint });
            format!("{serving}\n")
        }
        false => format!(
            "Serving on {at}: one byte, a download without end and uploads that are thrown away, over HTTP/2 and TLS;
{CONNECTIONS} connections at a time, {deadline} s each. {whom} Ctrl-C ends it. On the other machine:

  airtab rpm {shown} --trust {fingerprint}

"
        ),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn parsed(words: &str) -> Rpm {
        let words = ["airtab", "rpm"].into_iter().chain(words.split(' '));
        match Args::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command {
            Command::Rpm(args) => args,
            _ => panic!("another command"),
        }
    }

    #[test]
    fn each_option_reaches_the_measurement() {
        use Way::{Down, Up};
        for (words, ways, limit_s, longest) in [
            ("h", &[Down, Up][..], 20, 42),
            ("h --down", &[Down], 20, 22),
            ("h --up --duration 7s", &[Up], 7, 9),
            ("h --up --down --duration 30s", &[Down, Up], 30, 62),
        ] {
            let job = job(&parsed(words)).expect("no file");
            assert_eq!((job.target.as_str(), job.ways.as_slice()), ("h", ways), "{words}");
            let limit_ns = limit_s * 1_000_000_000;
            assert_eq!(job.parameters, Parameters { limit_ns, ..Parameters::DRAFT }, "{words}");
            assert_eq!(longest_s(&job), longest, "{words}");
        }
        let trust = |words: &str| job(&parsed(words)).expect("the file is there").trust;
        assert!(matches!(trust("h"), Trust::System));
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        match trust(&format!("h --ca {own}")) {
            Trust::Authorities { file, pem } => {
                assert_eq!((&*file, pem), (own, std::fs::read(own).expect("it is there")));
            }
            other => panic!("{other:?}"),
        }
        let hex = "0123456789abcdef".repeat(4);
        match trust(&format!("h --trust {hex}")) {
            Trust::Fingerprint(one) => assert_eq!(one.to_string(), hex),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_server_listens_where_it_is_told() {
        for (words, at) in [
            ("--serve", "127.0.0.1:4043"),
            ("--serve 192.0.2.1", "192.0.2.1:4043"),
            ("--serve 192.0.2.1:99", "192.0.2.1:99"),
            ("--serve ::1", "[::1]:4043"),
            ("--serve [::]", "[::]:4043"),
            ("--serve [2001:db8::1]:7", "[2001:db8::1]:7"),
        ] {
            assert_eq!(parsed(words).serve.map(|at| at.to_string()).as_deref(), Some(at), "{words}");
        }
    }

    /// The command for the other machine has an address that it can reach.
    #[test]
    fn a_server_says_who_reaches_it_and_how() {
        for (at, shown, alone) in [
            ("127.0.0.1:4043", "127.0.0.1:4043", true),
            ("[::1]:99", "[::1]:99", true),
            ("192.0.2.1:4043", "192.0.2.1:4043", false),
            ("0.0.0.0:99", "ADDRESS-OF-THIS-MACHINE:99", false),
            ("[::]:4043", "ADDRESS-OF-THIS-MACHINE:4043", false),
        ] {
            let address = at.parse().expect("an address");
            let said = greeting(address, "5f0c", false);
            assert!(said.starts_with(&format!("Serving on {at}: one byte")), "{said}");
            assert!(said.ends_with(&format!("\n\n  airtab rpm {shown} --trust 5f0c\n\n")), "{said}");
            let limits = format!("\n{CONNECTIONS} connections at a time, {} s each. ", DEADLINE.as_secs());
            assert!(said.contains(&limits), "{said}");
            assert_eq!(said.contains("Only this machine reaches it"), alone, "{said}");
            assert_eq!(said.contains("Whoever reaches this machine"), !alone, "{said}");
            let told: serde_json::Value =
                serde_json::from_str(&greeting(address, "5f0c", true)).expect("JSON");
            assert_eq!(
                told,
                json!({ "schema": 1, "event": "serving", "address": at, "fingerprint": "5f0c" })
            );
        }
    }
}
