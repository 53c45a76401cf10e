// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab serve`.
//!
//! What it does not do: the server itself is a crate of its own (`airtab-serve`).

pub mod args;

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use airtab_lab::store::{NoStore, Packs, Store};
use airtab_serve::{Limits, Options, Replay, Server};
use anyhow::Context;
use tempfile::NamedTempFile;

use super::kept;
use super::progress::stop_on_interrupt;
use super::reading::{Reading, named};
use crate::output;
use args::Serve;

/// Limit of a recording from a pipe, which is copied to a temporary file, MiB.
const RECORDING_MIB: u64 = 1 << 10;

/// Serves until Ctrl-C.
pub fn serve(args: &Serve) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let server = Server::bind(options(args, store())?)?;
    output::print(&format!("{}\n", server.link()))?;
    output::note("Whoever has this address may run studies here. Ctrl-C ends it.");
    let page = args.open.then(|| open(&server.link())).transpose();
    if let Err(e) = &page {
        output::warn(&format!("no browser could be asked ({e}): open the address above"));
    }
    server.run(&stop)?;
    output::note("ended");
    Ok(ExitCode::SUCCESS)
}

/// The server's options; finished runs are kept in `store`.
///
/// # Errors
/// A recording cannot be read.
fn options(args: &Serve, store: Arc<dyn Store + Send + Sync>) -> anyhow::Result<Options> {
    let replay = args.replay.iter().map(|path| recording(path, args.speed));
    Ok(Options {
        listen: args.listen,
        port: args.port,
        names: args.allow_host.clone(),
        files: args.files.clone(),
        scenarios: super::SHIPPED,
        version: env!("CARGO_PKG_VERSION").into(),
        git: env!("AIRTAB_GIT").into(),
        live: args.live.clone(),
        replay: replay.collect::<Result<_, _>>()?,
        store,
        jobs: args.jobs.map_or(0, usize::from),
        limits: Limits::default(),
    })
}

/// A recording, which is read to its end before it is played: that of a pipe is copied into a temporary file.
fn recording(path: &Path, speed: f64) -> anyhow::Result<Replay> {
    let wrong = || format!("--replay {}", named(path));
    let reading = Reading::open(path, 1).with_context(wrong)?;
    if reading.is_pipe() {
        output::note(&format!("Reading the recording of {} to its end ...", named(path)));
    }
    let file = reading.into_file(RECORDING_MIB).context("cannot read it").with_context(wrong)?;
    Replay::of_file(file, speed).map_err(anyhow::Error::msg).with_context(wrong)
}

/// The runs of the folder that the environment names.
fn store() -> Arc<dyn Store + Send + Sync> {
    let folder = kept::packs(&kept::folder());
    match Packs::open(&folder) {
        Ok(packs) => Arc::new(packs),
        Err(e) => {
            output::warn(&format!(
                "finished runs cannot be kept in {}: {e}; AIRTAB_CACHE names another folder",
                folder.display()
            ));
            Arc::new(NoStore)
        }
    }
}

/// Asks the system to show an address: by a page that leads there, which only its owner may read. What stands in a command
/// line everybody on the machine can see, and the address has a token in it. The page is there until it is dropped.
fn open(address: &str) -> io::Result<NamedTempFile> {
    let mut page = tempfile::Builder::new().prefix("airtab-").suffix(".html").tempfile()?;
    write!(page, "<!DOCTYPE html>\n<meta http-equiv=\"refresh\" content=\"0; url={address}\">\n")?;
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(page.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn()?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn options_of(words: &str) -> Options {
        let words = ["airtab", "serve"].into_iter().chain(words.split_whitespace());
        match Args::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command {
            Command::Serve(args) => options(&args, Arc::new(NoStore)).unwrap_or_else(|e| panic!("{e:#}")),
            _ => panic!("another command"),
        }
    }

    #[test]
    fn each_option_reaches_the_server() {
        let plain = options_of("");
        assert_eq!(
            (plain.listen.to_string().as_str(), plain.port),
            ("127.0.0.1", airtab_serve::DEFAULT_PORT)
        );
        assert!(plain.names.is_empty() && plain.live.is_empty() && plain.replay.is_empty());
        assert_eq!((&plain.files, plain.jobs), (&None, 0));
        assert_eq!(
            (plain.version.as_str(), plain.git.as_str()),
            (env!("CARGO_PKG_VERSION"), env!("AIRTAB_GIT"))
        );
        let names: Vec<&str> = plain.scenarios.iter().map(|(name, _)| *name).collect();
        assert!(names.contains(&"rrul") && names.len() == super::super::SHIPPED.len(), "{names:?}");
        let folder = tempfile::tempdir().expect("a folder");
        let [x, y] = ["x", "y"].map(|house| {
            let path = folder.path().join(house);
            let line = format!("{{\"house\":\"{house}\",\"queue\":\"fifo\",\"now_s\":1,\"stations\":[]}}\n");
            std::fs::write(&path, line).expect("written");
            path.display().to_string()
        });
        let all = options_of(&format!(
            "--listen 192.0.2.1 --port 9 --allow-host a --allow-host b --files traces --live one --live two \
             --replay {x} --replay {y} --speed 2.5 --jobs 3",
        ));
        assert_eq!((all.listen.to_string().as_str(), all.port), ("192.0.2.1", 9));
        assert_eq!(
            (&all.names[..], &all.live[..]),
            (&["a".to_string(), "b".into()][..], &["one".to_string(), "two".into()][..])
        );
        assert_eq!((all.files.as_deref(), all.jobs), (Some(Path::new("traces")), 3));
        let played = |options: &Options| -> Vec<(String, f64)> {
            options.replay.iter().map(|replay| (replay.house.clone(), replay.speed)).collect()
        };
        assert_eq!(played(&all), [("x".into(), 2.5), ("y".into(), 2.5)]);
        assert_eq!(played(&options_of(&format!("--replay {x}"))), [("x".into(), 1.0)]);
    }

    #[test]
    fn a_speed_has_both_ends_of_its_range() {
        let read = |speed: &str| {
            let words = ["airtab", "serve", "--replay", "x", "--speed", speed];
            Args::try_parse_from(words).map(|_| ()).map_err(|e| e.to_string())
        };
        assert_eq!([read("0.1"), read("1000000")], [Ok(()), Ok(())]);
        for wrong in ["0.09", "1000001", "nan", "x"] {
            assert!(read(wrong).is_err_and(|e| e.contains("give a number from 0.1 to 1000000")), "{wrong}");
        }
    }
}
