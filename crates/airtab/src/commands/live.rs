// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab live`.

pub mod args;
mod host;
mod run;

pub use host::Host;

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use airtab_live::control::{self, Request};
use airtab_live::feed::{self, End, Feed, Publisher};
use airtab_live::{House, LiveError, Remote, Running, Snapshot, plain, running, view};
use airtab_serve::Exporter;
use anyhow::bail;

use super::progress::INTERRUPTED;
use crate::{output, stop};
use args::{Down, Live, LiveCommand, Of, Show, Up, Watch};

pub fn live(args: &Live) -> anyhow::Result<ExitCode> {
    match &args.command {
        LiveCommand::Up(args) => up(args),
        LiveCommand::Run(args) => run::run(args),
        LiveCommand::Watch(args) => watch(args),
        LiveCommand::Down(args) => down(args),
        LiveCommand::Set(args) => {
            let (station, key, value) = (args.station.clone(), args.key.clone(), args.value.clone());
            ask(&args.of, &Request::Set { station, key, value })
        }
        LiveCommand::Queue(args) => ask(&args.of, &Request::Queue(args.queue.label.clone())),
    }
}

fn up(args: &Up) -> anyhow::Result<ExitCode> {
    let house = House::new(super::load(&args.house)?)?;
    let stop = stop::flag(false)?;
    let point = &args.access_point;
    let exporter = exporter(point.metrics_port)?;
    let mut running = Running::up(house, &point.queue, point.seed, &mut |text| output::note(text))?;
    let name = running.house().name().to_owned();
    output::note(&format!("house {name} is up; Ctrl-C or `airtab live down` takes it down"));
    let (publisher, shown) = feed::channel();
    let remote = running.remote().clone();
    thread::spawn(move || publish(&remote, &publisher, exporter.as_ref()));
    let shown = show(&point.show, &shown, &stop);
    let ended = running.stop().map(|ap| ap.books());
    drop(running);
    shown?;
    let books = ended?;
    if !books.balanced() {
        bail!("packets are unaccounted for: {books:?}; this is a bug of airtab's");
    }
    output::note(&format!("house {name} is down"));
    Ok(ExitCode::SUCCESS)
}

/// Snapshots to the view and to Prometheus, until the access point ends.
fn publish(remote: &Remote, publisher: &Publisher, exporter: Option<&Exporter>) {
    let mut seen = Arc::new(Snapshot::default());
    while let Some(next) = remote.next_snapshot(&seen) {
        if let Some(exporter) = exporter {
            exporter.publish(next.clone());
        }
        publisher.publish(next.clone());
        seen = next;
    }
}

fn exporter(port: Option<u16>) -> anyhow::Result<Option<Exporter>> {
    let exporter = port.map(Exporter::start).transpose()?;
    if let Some(exporter) = &exporter {
        output::note(&format!("metrics: http://{}/metrics", exporter.address()));
    }
    Ok(exporter)
}

fn watch(args: &Watch) -> anyhow::Result<ExitCode> {
    let house = house(&args.of)?;
    let stop = stop::flag(false)?;
    let (shown, reader) = feed::from_lines(control::watch_house(&house)?);
    let end = show(&args.show, &shown, &stop)?;
    drop(shown);
    match end {
        End::Feed => {
            reader.join().expect("it does not panic")?;
            output::note(&format!("house {house} is down"));
            Ok(ExitCode::SUCCESS)
        }
        End::Quit => Ok(ExitCode::SUCCESS),
        End::Interrupted => Ok(ExitCode::from(INTERRUPTED)),
    }
}

/// As the view on a terminal, as text or JSON elsewhere.
fn show(how: &Show, feed: &Feed, stop: &AtomicBool) -> anyhow::Result<End> {
    let mut out = io::stdout();
    let end = match (how.form.is_json(), how.plain || !out.is_terminal()) {
        (true, _) => feed::print(feed, stop, &mut out, feed::json_line),
        (_, true) => feed::print(feed, stop, &mut out, plain::text),
        _ => view::run(feed, stop),
    };
    match end {
        // `airtab live watch | head`: the reader has seen enough.
        Err(LiveError::System { cause, .. }) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(End::Quit),
        end => Ok(end?),
    }
}

fn down(args: &Down) -> anyhow::Result<ExitCode> {
    let houses = match &args.house {
        Some(house) => vec![house.clone()],
        None => running::left(),
    };
    if houses.is_empty() {
        output::note("no house is up, and nothing is left of one");
    }
    let mut code = ExitCode::SUCCESS;
    for house in houses {
        match running::down(&house) {
            Ok(done) => output::note(&done),
            // The others are to go all the same.
            Err(e) => {
                output::error(&e.to_string());
                code = ExitCode::from(1);
            }
        }
    }
    Ok(code)
}

fn ask(of: &Of, request: &Request) -> anyhow::Result<ExitCode> {
    output::print(&(control::ask(&house(of)?, request)? + "\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The house that is meant.
fn house(of: &Of) -> anyhow::Result<String> {
    running::check_root()?;
    chosen(of.house.as_deref(), running::houses)
}

/// `named`, else the only house that is up.
fn chosen(named: Option<&str>, up: impl FnOnce() -> Vec<String>) -> anyhow::Result<String> {
    if let Some(house) = named {
        return Ok(house.to_owned());
    }
    match up().as_slice() {
        [] => bail!("no house is up; start one with `airtab live up`"),
        [house] => Ok(house.clone()),
        several => bail!("several houses are up: {}; name one with --house", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_house_is_chosen_where_one_is_up() {
        let of = |named: Option<&str>, up: &[&str]| {
            chosen(named, || up.iter().map(|name| name.to_string()).collect()).map_err(|e| e.to_string())
        };
        assert_eq!(of(None, &["home"]), Ok("home".into()));
        // The house that is named says itself that it is not up.
        assert_eq!(of(Some("attic"), &["home"]), Ok("attic".into()));
        assert_eq!(of(Some("attic"), &["home", "attic"]), Ok("attic".into()));
        assert_eq!(of(None, &[]), Err("no house is up; start one with `airtab live up`".into()));
        assert_eq!(
            of(None, &["home", "attic"]),
            Err("several houses are up: home, attic; name one with --house".into())
        );
    }
}
