//! `airtab live`.

pub mod args;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_lab::ScenarioFile;
use airtab_live::control::{self, Request};
use airtab_live::{House, Running, Snapshot, running};
use anyhow::bail;

use crate::output;
use args::{Down, Live, LiveCommand, Of, Up};

pub fn live(args: &Live) -> anyhow::Result<ExitCode> {
    match &args.command {
        LiveCommand::Up(args) => up(args),
        LiveCommand::Down(args) => down(args),
        LiveCommand::Set(args) => {
            let (station, key, value) = (args.station.clone(), args.key.clone(), args.value.clone());
            ask(&args.of, &Request::Set { station, key, value })
        }
        LiveCommand::Queue(args) => ask(&args.of, &Request::Queue(args.queue.label.clone())),
    }
}

fn up(args: &Up) -> anyhow::Result<ExitCode> {
    let house = House::new(ScenarioFile::load(&args.house)?)?;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;
    let point = &args.access_point;
    let running = Running::up(house, &point.queue, point.seed, &mut |text| output::note(text))?;
    output::note(&format!("house {} is up", running.house().name()));
    let mut seen = Arc::new(Snapshot::default());
    while running.is_up() && !stop.load(Ordering::Relaxed) {
        let Some(next) = running.remote().next_snapshot(&seen) else { continue };
        seen = next;
        if point.json {
            output::print(&(serde_json::to_string(&*seen)? + "\n"))?;
        }
    }
    running.down()?;
    Ok(ExitCode::SUCCESS)
}

fn down(args: &Down) -> anyhow::Result<ExitCode> {
    let houses = match &args.house {
        Some(house) => vec![house.clone()],
        None => running::houses(),
    };
    if houses.is_empty() {
        output::note("no house is up");
    }
    for house in houses {
        output::note(&running::down(&house)?);
    }
    Ok(ExitCode::SUCCESS)
}

fn ask(of: &Of, request: &Request) -> anyhow::Result<ExitCode> {
    output::print(&(control::ask(&house(of)?, request)? + "\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The house that is meant.
fn house(of: &Of) -> anyhow::Result<String> {
    if let Some(house) = &of.house {
        return Ok(house.clone());
    }
    match running::houses().as_slice() {
        [] => bail!("no house is up; start one with `airtab live up`"),
        [house] => Ok(house.clone()),
        several => bail!("several houses are up: {}; name one with --house", several.join(", ")),
    }
}
