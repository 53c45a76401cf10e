// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The `[[app]]` tables of a scenario file.
//!
//! What it does not do: keys that only some kinds have are read by `kinds`, the
//! rest of the file by `scenario_file`.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_sim::address::Protocol;
use airtab_sim::tcp::Algorithm;
use airtab_sim::wifi::Category;
use airtab_sim::{App, AppKind, MAX_STATIONS, MAX_USERS, Server, Station, Users};

use crate::kinds::{self, Context};
use crate::reader::{Section, Value, choice, flag, instead, quantity, unused};
use crate::scenario_file::{LONGEST_NS, measured};
use crate::wired::{read_behind, read_place};

/// Each application keeps its packets' times, some MB an hour.
const MAX_APPS: usize = 10_000;
/// Longer than a frame of any profile, and shorter than most round trips.
const BEGIN_NS: u64 = 10 * MS;
/// What results call the access point, beside the applications.
pub const ACCESS_POINT: &str = "ap";

/// All of them.
pub(crate) fn read_apps(
    top: &Section,
    context: &Context,
    hosts: (&[Station], &[Server]),
    duration_ns: u64,
) -> Vec<App> {
    let sections = top.sections("app");
    if top.lacks("app") {
        top.problem("no application: at least one [[app]] is needed".into());
    }
    if sections.len() > MAX_APPS {
        top.problem(format!("{} applications; at most {MAX_APPS} fit", sections.len()));
        return Vec::new();
    }
    let mut apps = Vec::new();
    for s in &sections {
        let app = read_app(s, context, hosts, &apps, duration_ns);
        apps.extend(app);
    }
    sections.iter().for_each(Section::finish);
    apps
}

fn read_app(
    s: &Section,
    context: &Context,
    (stations, servers): (&[Station], &[Server]),
    others: &[App],
    duration_ns: u64,
) -> Option<App> {
    let name = s.require("name", |v| match unused(v, others, |a| &a.name)? {
        name if name == ACCESS_POINT => {
            Err(format!("'{name}' is taken: results call the access point so; choose another name"))
        }
        name => Ok(name),
    });
    let tcp = s.section("tcp").map(|own| Box::new(crate::tcp::read(own, *context.tcp)));
    let congestion = tcp.as_ref().map_or(context.congestion, |own| own.congestion);
    let kind = kinds::read(s, &Context { congestion, ..*context });
    if tcp.is_some() && kind.as_ref().is_some_and(|kind| kind.protocol() != Protocol::Tcp) {
        s.problem_of("tcp", "this kind sends UDP: take it away");
    }
    // Where the stations or their names are wrong, that is problem enough.
    let unknown = stations.is_empty() || stations.iter().any(|station| station.name.is_empty());
    let (place, other) = if context.meshed { ("to", "station") } else { ("station", "to") };
    let what = if context.meshed { "node" } else { "station" };
    let named = |v: &Value| {
        let found = stations.iter().position(|station| station.name == v.written);
        if found.is_some() || unknown {
            return Ok(found);
        }
        let names: Vec<&str> = stations.iter().map(|s| s.name.as_str()).take(20).collect();
        Err(format!("no {what} '{}'{}", v.written, instead(&v.written, &names)))
    };
    let station = s.require(place, named);
    let from = if context.meshed { s.require("from", named) } else { None };
    if let (Some(Some(from)), Some(Some(to))) = (from, station)
        && from == to
    {
        s.problem_of("to", &format!("'{}' is where it comes from: give another node", stations[to].name));
    }
    refuse_places(s, context.meshed, other);
    let start = s.read("start", quantity(Unit::Ns, 0..=duration_ns)).unwrap_or(0);
    let stop = s.read("stop", quantity(Unit::Ns, 0..=duration_ns)).unwrap_or(duration_ns);
    let left = station.flatten().map_or(MAX_STATIONS, |first| stations.len() - first);
    let usual =
        |count| kind.as_ref().map_or(0, |kind| begins_within(kind, count, stop.saturating_sub(start)));
    let users = read_users(s, left, usual);
    let measure_ns = s.read("measure", |v| measured(v, duration_ns));
    if measure_ns.as_ref().is_some_and(|m| m.end <= start || m.start >= stop) {
        let (start, stop) = (Unit::Ns.format(start), Unit::Ns.format(stop));
        s.problem_of("measure", &format!("nothing is sent then: it sends from {start} to {stop}"));
    }
    let class = s.read("class", quantity(Unit::Count, 0..=254)).unwrap_or(0);
    let names = Category::NAMES.into_iter().zip(Category::ALL).rev().collect();
    let access = s.read("access", choice(names)).unwrap_or_default();
    let computer = s.read("computer", quantity(Unit::Count, 1..=u8::MAX.into())).unwrap_or(1) as u8;
    let tunnel = s.read("tunnel", flag).unwrap_or(false);
    let arrivals = s.read("arrivals", flag).unwrap_or(false);
    if arrivals && users.count > 1 {
        s.problem_of(
            "arrivals",
            "not with several users: the gap from one user's packet to another's says nothing",
        );
    }
    let phased = kind.as_ref().is_none_or(|kind| kinds::About::of(kind).takes("phase"));
    let phase_ns = if phased { s.read("phase", quantity(Unit::Ns, 0..=10 * SECOND)) } else { None };
    let named = s.read("requirement", |v| context.requirements.chosen(v));
    let usual =
        || kinds::About::of(kind.as_ref()?).requirement.and_then(|name| context.requirements.named(name));
    if let (Some(Some(_)), Some(kind)) = (&named, &kind)
        && !kinds::About::of(kind).outcome
    {
        let why = format!(
            "a {} application has no Quality of Outcome; its quality is bit rate, stalls, start-up and switches: leave it out",
            kind.name()
        );
        s.problem_of("requirement", &why);
    }
    let requirement = named.unwrap_or_else(usual);
    let servers = match context.meshed {
        true => read_behind(s, from.flatten().map(|node| node as u16)),
        false => read_place(s, servers),
    };
    let app = App {
        name: name?,
        kind: kind?,
        users,
        station: station??,
        active_ns: start..stop,
        measure_ns,
        class: class as u8,
        access,
        computer,
        tunnel,
        arrivals,
        servers: servers?,
        phase_ns,
        requirement,
        tcp,
    };
    let longer = |cell, at: usize| app.fits_txop(cell, stations[at].speed, context.tcp.mss).err();
    let longer = context.cell.and_then(|cell| app.stations().find_map(|at| longer(cell, at)));
    for broken in app.broken().chain(longer) {
        // Who names no end has begun too late.
        let key = if broken.key == "stop" && s.get("stop").is_none() { "start" } else { broken.key };
        s.problem_of(key, &broken.message);
    }
    Some(app)
}

/// Where it is cannot be said in this way.
fn refuse_places<'s>(s: &Section<'s, '_>, meshed: bool, other: &'s str) {
    let (keys, why) = match meshed {
        true => (vec![other, "stations"], "a mesh has nodes: an application is between from and to"),
        false => (vec![other, "from"], "only with medium = \"mesh\": here an application is at its station"),
    };
    keys.into_iter().for_each(|key| s.refuse(key, why));
}

/// Default time from the start of an application within which each user begins. Frames of one instant collide, and so do
/// their repetitions after equal times. Kinds with streams draw a phase; a capture with one user has no random times.
fn begins_within(kind: &AppKind, users: u32, active_ns: u64) -> u64 {
    let tcp = kind.congestion(Algorithm::Cubic).is_some();
    let several = users > 1 && matches!(kind, AppKind::Replay(_));
    if tcp || several { BEGIN_NS.min(active_ns / 2) } else { 0 }
}

/// Users of an application: their number, the stations from its own (of `left`) on that they are at, and the time in which
/// they begin, by default that of `usual`.
fn read_users(s: &Section, left: usize, usual: impl FnOnce(u32) -> u64) -> Users {
    let stations = s.read("stations", quantity(Unit::Count, 1..=left.max(1) as u64)).unwrap_or(1);
    let count = s.read("users", quantity(Unit::Count, 1..=MAX_USERS.into())).unwrap_or(stations) as u32;
    let within_ns = s.read("within", quantity(Unit::Ns, 0..=LONGEST_NS)).unwrap_or_else(|| usual(count));
    Users { count, within_ns, stations: stations as u32 }
}
