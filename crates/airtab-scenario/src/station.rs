// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The `[[station]]` tables of a scenario file, and one key of a station that changes while
//! it runs.
//!
//! What it does not do: which rates there are is `phy_rates`' and the core's.

use airtab_sim::wifi::{CellConfig, Loss, MediumConfig, Shadowing, Speed};
use airtab_sim::{MAX_STATIONS, Station};

use crate::copies;
use crate::queues::{QueueSettings, QueueSpec};
use crate::reader::{Section, Value, number, text, unused};
use crate::scenario_file::{ScenarioFile, measured};
use crate::speed::Speeds;

/// Without a `medium` any rate will do.
pub(crate) fn read_stations(
    top: &Section,
    medium: Option<&MediumConfig>,
    by: Shadowing,
    duration_ns: u64,
) -> Vec<Station> {
    let speeds = medium.map(|medium| Speeds::of(&medium.phy()));
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
    let mut stations: Vec<Station> = Vec::new();
    for s in sections {
        let name = s.require("name", |v| unused(v, &stations, |s| &s.name)).unwrap_or_default();
        let speed = Speeds::read(speeds.as_ref(), &s);
        let loss = read_loss(&s, by);
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
        let station = Station { name, speed, loss, uplink, asleep };
        let copies = copies::read(&s, station, &stations);
        s.finish();
        stations.extend(copies);
    }
    stations
}

/// Which of its frames are lost.
fn read_loss(s: &Section, by: Shadowing) -> Loss {
    let distance = s.read("distance", metres);
    let fer = s.read("fer", number(0.0..=1.0, "a share of frames such as 0.1"));
    if s.get("distance").is_some() && s.get("fer").is_some() {
        s.problem_of("fer", "give distance or fer, not both: the distance sets the frame error rate");
    }
    match fer {
        Some(0.0) => Loss::None,
        Some(p) => Loss::Fer(p),
        None => Loss::Shadowing { distance_m: distance.unwrap_or(1.0), by },
    }
}

/// Changes one key of a station of the running house of a file: what it would say.
///
/// # Errors
/// Names the key or the value that is wrong, and what is allowed.
pub fn station_change(
    file: &ScenarioFile,
    (speed, loss): (Speed, Loss),
    key: &str,
    value: &str,
) -> Result<(Speed, Loss), String> {
    match key {
        "distance" => Ok((speed, Loss::Shadowing { distance_m: parse_metres(value)?, by: file.shadowing })),
        "fer" => match value.parse() {
            Ok(0.0) => Ok((speed, Loss::None)),
            Ok(p) if (0.0..=1.0).contains(&p) => Ok((speed, Loss::Fer(p))),
            _ => Err(format!("fer: '{value}' is not a share of frames such as 0.1 (0 to 1)")),
        },
        key if Speeds::KEYS.contains(&key) => {
            Ok((Speeds::of(&file.scenario.medium.phy()).change(speed, key, value)?, loss))
        }
        _ => Err(format!("no key '{key}' of a station: distance, fer or {}", Speeds::KEYS.join(", "))),
    }
}

/// `1.5` or `"1.5 m"`; above 0.
fn metres(v: &Value) -> Result<f64, String> {
    parse_metres(&v.written)
}

fn parse_metres(written: &str) -> Result<f64, String> {
    let wrong = || {
        format!("'{written}' is not a distance in metres above 0 and up to 1000, such as 1.5 or \"1.5 m\"")
    };
    let digits = written.strip_suffix('m').map_or(written, str::trim_end);
    let plain = digits.starts_with(|c: char| c.is_ascii_digit());
    let distance: f64 = digits.parse().ok().filter(|_| plain).ok_or_else(wrong)?;
    (distance > 0.0 && distance <= 1000.0).then_some(distance).ok_or_else(wrong)
}
