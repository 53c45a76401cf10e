// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The `[[station]]` tables of a scenario file, and one key of a station that changes while
//! it runs.
//!
//! What it does not do: stations behind a wire are `bottleneck`'s; which rates there are is `phy_rates`' and the core's; losses and rate
//! control are `links`'.

use airtab_sim::wifi::{CellConfig, Loss, MediumConfig, Speed};
use airtab_sim::{MAX_STATIONS, Station};

use crate::access::{check_access, read_access};
use crate::bottleneck::read_sinks;
use crate::copies;
use crate::links::{self, Errors, read_loss, read_rate_control};
use crate::queues::{QueueSettings, QueueSpec};
use crate::reader::{Section, instead, text, unused};
use crate::scenario_file::{ScenarioFile, measured};
use crate::speed::Speeds;
use crate::wifi::refuse_hidden;

/// Without a `medium` any rate will do.
pub(crate) fn read_stations(
    top: &Section,
    medium: Option<&MediumConfig>,
    errors: Option<Errors>,
    duration_ns: u64,
) -> Vec<Station> {
    let phy = medium.and_then(MediumConfig::phy);
    let speeds = phy.as_ref().map(Speeds::of_stations);
    let dcf = medium.is_none_or(|medium| medium.cell().is_some());
    let sections = top.sections("station");
    if top.lacks("station") {
        top.problem("no station: at least one [[station]] is needed".into());
    }
    if sections.len() > MAX_STATIONS {
        let n = sections.len();
        top.problem(format!(
            "{n} stations: at most {MAX_STATIONS}, where the association numbers of 802.11 end"
        ));
        return Vec::new();
    }
    if let Some(wire) = medium.and_then(MediumConfig::wire) {
        return read_sinks(sections, wire);
    }
    let mut stations: Vec<Station> = Vec::new();
    for s in sections {
        let name = s.require("name", |v| unused(v, &stations, |s| &s.name)).unwrap_or_default();
        let speed = Speeds::read(speeds.as_ref(), &s);
        let (loss, walk) = read_loss(&s, errors, duration_ns);
        if walk.is_some() && !dcf {
            s.problem_of("walk", "only for medium dcf; nobody walks on the emulated link");
        }
        let captures = medium.and_then(MediumConfig::cell).is_some_and(|cell| cell.capture_db.is_some());
        if let (true, Some(key)) =
            (captures, ["fer", "mpdu_error_rate"].into_iter().find(|key| s.get(key).is_some()))
        {
            s.problem_of(key, links::CAPTURED);
        }
        let control = read_rate_control(&s, phy.as_ref(), errors, (&speed.rate, loss));
        let speed = Speed { control, ..speed };
        let uplink = s.read("uplink", |v| {
            let spec: QueueSpec = text(v)?.parse()?;
            spec.build(&QueueSettings::default()).map_err(|e| e.to_string())
        });
        if uplink.is_some() && !dcf {
            s.problem_of("uplink", "only for medium dcf; the emulated link has no uplink queue");
        }
        let asleep = s.read("asleep", |v| measured(v, duration_ns));
        let driven = medium.is_none_or(|medium| medium.cell().is_some_and(CellConfig::has_driver));
        if asleep.is_some() && !driven {
            s.problem_of(
                "asleep",
                "only where packets wait at the driver: medium dcf, and a profile with rates by MCS or a ring above 1 in [wifi.driver]",
            );
        }
        let access = read_access(&s, "access");
        match medium.map(MediumConfig::cell) {
            Some(Some(cell)) => check_access(&s, "access", cell, access.as_ref()),
            Some(None) if access.is_some() => {
                s.problem_of("access", "only for medium dcf; nobody contends on the emulated link");
            }
            _ => {}
        }
        let station = Station { name, speed, loss, uplink, asleep, walk, access };
        let copies = copies::read(&s, station, &stations);
        refuse_hidden(&s, &["hidden", "hidden_from", "hears", "sense", "senses", "x", "y"]);
        s.finish();
        stations.extend(copies);
    }
    stations
}

/// Changes one key of station number `station` of the running house of a file: what it would say.
///
/// # Errors
/// Names the key or the value that is wrong, and what is allowed.
pub fn station_change(
    file: &ScenarioFile,
    station: usize,
    (speed, loss): (Speed, Loss),
    key: &str,
    value: &str,
) -> Result<(Speed, Loss), String> {
    let phy = file.scenario.medium.phy().ok_or("a station behind a wire has no link of its own")?;
    match key {
        key if links::CHANGED.contains(&key) => {
            let (speed, loss) = links::change(file.errors, &phy, (speed, loss), key, value)?;
            links::captured(file.scenario.medium.cell(), loss)
                .map_err(|message| format!("{key}: {message}"))?;
            Ok((speed, loss))
        }
        key if Speeds::KEYS.contains(&key) => {
            let speed = Speeds::of(&phy).change(speed, key, value)?;
            fits_txops(file, station, speed).map_err(|message| format!("{key}: {message}"))?;
            Ok((speed, loss))
        }
        _ => {
            let known = [&links::CHANGED[..], &Speeds::KEYS].concat();
            Err(format!("no key '{key}' of a station that runs{}", instead(key, &known)))
        }
    }
}

/// Whether packets of a station's applications fit into their TXOPs at that speed.
fn fits_txops(file: &ScenarioFile, station: usize, speed: Speed) -> Result<(), String> {
    let Some(cell) = file.scenario.medium.cell() else { return Ok(()) };
    let mut apps = file.scenario.apps.iter().filter(|app| app.stations().contains(&station));
    apps.try_for_each(|app| {
        let fits = app.fits_txop(cell, speed, file.scenario.tcp.mss);
        fits.map_err(|broken| format!("application {}: {broken}", app.name))
    })
}
