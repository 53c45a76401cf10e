// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[[change]]`: a key of a station, or of a mesh's link, that has another value from a time on.
//!
//! What it does not do: which values there are is `speed`'s and `links`'; how a link changes is the simulator's.

use airtab_core::Unit;
use airtab_sim::wifi::{Loss, MediumConfig, Speed};
use airtab_sim::{App, Change, Changed, Station};

use crate::links::{self, Errors};
use crate::mesh;
use crate::reader::{Section, Value, instead, label, quantity};
use crate::speed::Speeds;

/// Beyond any course.
const MOST: usize = 10_000;

/// All of them, in the order of their times.
pub(crate) fn read_changes(
    top: &Section,
    medium: Option<&MediumConfig>,
    (stations, errors): (&[Station], Option<Errors>),
    (apps, mss): (&[App], u32),
    duration_ns: u64,
) -> Vec<Change> {
    let sections = top.sections("change");
    if sections.len() > MOST {
        top.problem_of("change", &format!("{} changes: at most {MOST}", sections.len()));
        sections.iter().for_each(Section::ignore);
        return Vec::new();
    }
    let mut asked: Vec<(u64, Changed, usize, String, String)> = Vec::new();
    for (entry, s) in sections.iter().enumerate() {
        let at = s.require("at", |v| {
            let at = quantity(Unit::Ns, 0..=u64::MAX)(v)?;
            match at <= duration_ns {
                true => Ok(at),
                false => Err(format!(
                    "{} is past the end of the run ({})",
                    v.written,
                    Unit::Ns.format(duration_ns)
                )),
            }
        });
        let link = read_link(s, medium, stations);
        let key = s.require("key", label);
        let value = s.require("value", |v| Ok(v.written.clone()));
        s.finish();
        if let (Some(at), Some(link), Some(key), Some(value)) = (at, link, key, value) {
            asked.push((at, link, entry, key, value));
        }
    }
    // Those of one time in the order of the file.
    asked.sort_by_key(|change| change.0);
    let (Some(medium), Some(errors)) = (medium, errors) else { return Vec::new() };
    let mut changes: Vec<Change> = Vec::new();
    for (at_ns, link, entry, key, value) in asked {
        let before = changes.iter().rev().find(|change| change.link == link);
        let before =
            before.map_or_else(|| first(medium, stations, link), |change| Some((change.speed, change.loss)));
        let Some(before) = before else { continue };
        let changed = another(medium, errors, before, (&key, &value)).and_then(|(speed, loss)| {
            let users =
                apps.iter().filter(|app| matches!(link, Changed::Station(s) if app.stations().contains(&s)));
            let cell = medium.cell();
            links::captured(cell, loss).map_err(|message| format!("{key}: {message}"))?;
            for app in users {
                let fits = cell.map_or(Ok(()), |cell| app.fits_txop(cell, speed, mss));
                fits.map_err(|broken| format!("{key}: application {}: {broken}", app.name))?;
            }
            Ok((speed, loss))
        });
        match changed {
            Ok((speed, loss)) => changes.push(Change { at_ns, link, speed, loss }),
            Err(message) => sections[entry].problem_of("value", &message),
        }
    }
    changes
}

/// Which link; None: it has a problem.
fn read_link<'s>(
    s: &Section<'s, '_>,
    medium: Option<&MediumConfig>,
    stations: &[Station],
) -> Option<Changed> {
    let (is_mesh, is_wire) =
        (medium.is_some_and(|m| m.mesh().is_some()), medium.is_some_and(|m| m.wire().is_some()));
    let (own, other, why) = match is_mesh {
        true => ("link", "station", "a mesh has links: link = [\"a\", \"b\"]"),
        false => (
            "station",
            "link",
            "only with medium = \"mesh\": here each station has a link, station = \"NAME\"",
        ),
    };
    if s.get(other).is_some() {
        s.problem_of(other, why);
    }
    if is_wire && s.get(own).is_some() {
        s.problem_of(own, "behind a wire a station has no link of its own; leave the [[change]] out");
        return None;
    }
    if stations.is_empty() {
        s.get(own);
        return None; // that is problem enough
    }
    let names: Vec<&str> = stations.iter().map(|station| station.name.as_str()).collect();
    let read = |v: &Value<'s, '_>| match medium.and_then(MediumConfig::mesh) {
        Some(mesh) => {
            let (a, b) = mesh::pair(s, v, &names)?;
            let link = mesh.link_between(a, b).map(Changed::Link);
            link.ok_or_else(|| {
                format!(
                    "there is no link between '{}' and '{}'",
                    names[usize::from(a)],
                    names[usize::from(b)]
                )
            })
        }
        None => {
            let found = names.iter().position(|name| *name == v.written).map(Changed::Station);
            let known: Vec<&str> = names.iter().copied().take(20).collect();
            found.ok_or_else(|| format!("no station '{}'{}", v.written, instead(&v.written, &known)))
        }
    };
    s.require(own, read)
}

/// What a link is at the start.
fn first(medium: &MediumConfig, stations: &[Station], link: Changed) -> Option<(Speed, Loss)> {
    match link {
        Changed::Station(station) => stations.get(station).map(|station| (station.speed, station.loss)),
        Changed::Link(link) => medium.mesh()?.links.get(link).map(|link| (link.speed, link.loss)),
    }
}

/// The same with another value of one key.
fn another(
    medium: &MediumConfig,
    errors: Errors,
    link: (Speed, Loss),
    (key, value): (&str, &str),
) -> Result<(Speed, Loss), String> {
    let phy = medium.phy().ok_or("a station behind a wire has no link of its own")?;
    let of_links: &[&str] = if medium.mesh().is_some() { &["fer"] } else { &links::CHANGED };
    match key {
        key if of_links.contains(&key) => links::change(errors, &phy, link, key, value),
        key if Speeds::KEYS.contains(&key) => Ok((Speeds::of(&phy).change(link.0, key, value)?, link.1)),
        _ => Err(format!("no key '{key}' that changes{}", instead(key, &[of_links, &Speeds::KEYS].concat()))),
    }
}
