// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One line of blame: who suffers and of what, which hop holds the delay, who uses the air.
//!
//! The delay of a hop is its median; medians are added, which is near enough to
//! say which is large. Who suffers does so of what its own packets met (`cause`), and
//! while somebody suffers nothing is praised. Every number in the line is in the snapshot or
//! follows from it; the rules that choose the words are the constants below, rules of thumb that
//! `docs/live-view.md` lists.
//!
//! What it does not do: no advice, no history, and it knows no discipline.

mod cause;

use std::collections::BTreeMap;

use airtab_scenario::Metric;
use serde::Serialize;

use crate::snapshot::{AirView, AppView, Pace, Quantiles, Rates, Snapshot};
use crate::text::{list, percent, seconds};

/// Delay below this is not worth a name, s: a picture of a 60-Hz screen takes 17 ms.
pub const NOTICEABLE_S: f64 = 0.020;
/// One packet in a hundred later than this is, even if the others are quick, s:
/// it is a gap in a call whose buffer holds 60 to 100 ms.
pub const SPIKE_S: f64 = 0.100;
/// A hop with this share of the delay is to blame alone.
pub const ALONE: f64 = 0.60;
/// Two hops with this share of it together are to blame both.
pub const TOGETHER: f64 = 0.80;
/// An air with this much use is worth saying who uses it.
pub const BUSY: f64 = 0.30;
/// With less use than this, nothing happens.
pub const IDLE: f64 = 0.05;
/// Whoever has this share of the used air is named as its user.
pub const USER: f64 = 0.33;
/// Whoever holds this share of the queued packets owns the queue.
pub const OWNER: f64 = 0.50;
/// Where others wait less than this part of the owner's wait, the wait is the owner's own.
pub const OWN_WAIT: f64 = 0.25;
/// Attempts per frame that are worth a name: every other frame is repeated.
pub const REPEATS: f64 = 1.5;
/// Share of the air that collisions may take before they are named.
pub const COLLISIONS: f64 = 0.10;
/// So many who suffer are told with their cause.
pub const TOLD: usize = 3;
/// Where users begin to suffer, by metric. 3.6 is where ITU-T G.107 (annex B) goes from
/// "some users dissatisfied" to "many"; half of a film's 30 frames/s; pages of
/// 3 s; a hundredth of the time standing still.
pub const SUFFERS: [(Metric, f64); 6] = [
    (Metric::GameMos, 3.6),
    (Metric::VoipMos, 3.6),
    (Metric::VoipMosG107, 3.6),
    (Metric::FrameRate, 15.0),
    (Metric::PageTime, 3.0),
    (Metric::Stalled, 0.01),
];

/// What is to be said about a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Blame {
    /// Somebody may feel it.
    pub trouble: bool,
    /// The sentence.
    pub text: String,
}

/// Judges a snapshot.
pub fn blame(s: &Snapshot) -> Blame {
    if s.pace.late_p99_s > Pace::BEHIND_S {
        let late = seconds(s.pace.late_p99_s);
        let text = format!(
            "Do not trust these figures: this machine is too slow, 1 packet in 100 goes on more than {late} late"
        );
        return Blame { trouble: true, text };
    }
    let hops = hops(s);
    let total: f64 = hops.iter().map(|h| h.delay.p50_s).sum();
    let used = used(&s.air);
    let suffering: Vec<&AppView> = scored(&s.apps, true).collect();
    let fine: Vec<String> = scored(&s.apps, false).map(|app| app.name.clone()).collect();
    let (mut trouble, mut clauses) = match &suffering[..] {
        [] => {
            let (trouble, text) = match () {
                () if used < IDLE && total < NOTICEABLE_S && tail(&hops).is_none() => {
                    (false, format!("Idle: the air is {} free", percent(1.0 - used)))
                }
                () if total < NOTICEABLE_S => quick(&hops, total),
                () => slow(s, &hops, total),
            };
            (trouble, vec![text])
        }
        some => (true, suffer(some, s, &hops, total)),
    };
    if used >= BUSY {
        clauses.push(users_of_the_air(s, used));
    }
    if suffering.is_empty() && total >= NOTICEABLE_S && !fine.is_empty() {
        trouble = false;
        let verb = if fine.len() == 1 { "does" } else { "do" };
        clauses.push(format!("{} {verb} not feel it", list(&fine)));
    }
    Blame { trouble, text: clauses.join("; ") }
}

/// Who suffers of what, and beside it where all packets' delay is. Nothing is praised here.
fn suffer(suffering: &[&AppView], s: &Snapshot, hops: &[Place; 8], total: f64) -> Vec<String> {
    let said = |app: &&AppView| {
        let text = app.score.as_ref().map_or("", |score| &score.text);
        format!("{} ({text}) suffers{}", app.name, cause::cause(app, s.hops.server.p50_s))
    };
    let mut clauses: Vec<String> = suffering.iter().take(TOLD).map(said).collect();
    match suffering.len().saturating_sub(TOLD) {
        0 => (),
        1 => clauses.push("1 more suffers".into()),
        more => clauses.push(format!("{more} more suffer")),
    }
    match tail(hops) {
        _ if total >= NOTICEABLE_S => {
            let [first, ..] = hops;
            let (place, half, all) = (first.hop.words(), seconds(first.delay.p50_s), seconds(total));
            clauses.push(format!("of all packets' delay {place} takes most, {half} of {all}"));
        }
        Some(tail) => clauses.push(tail),
        None => (),
    }
    clauses
}

#[derive(Clone, Copy, PartialEq)]
enum Hop {
    Server,
    Wired,
    Queue,
    Ring,
    Air,
    UplinkQueue,
    UplinkAir,
    UplinkWired,
}

impl Hop {
    fn words(self) -> &'static str {
        match self {
            Hop::Server => "the servers",
            Hop::Wired => "the wired line",
            Hop::Queue => "the Wi-Fi queue",
            Hop::Ring => "the driver's ring below the queue",
            Hop::Air => "the air",
            Hop::UplinkQueue => "a station's own queue",
            Hop::UplinkAir => "the air from the stations",
            Hop::UplinkWired => "the wired line to the servers",
        }
    }

    /// What its delay is counted by.
    fn unit(self) -> &'static str {
        if self == Hop::Server { "answer" } else { "packet" }
    }
}

struct Place {
    hop: Hop,
    delay: Quantiles,
}

/// The hops, slowest first.
fn hops(s: &Snapshot) -> [Place; 8] {
    let place = |hop, delay| Place { hop, delay };
    let mut hops = [
        place(Hop::Server, s.hops.server),
        place(Hop::Wired, s.hops.wired),
        place(Hop::Queue, s.hops.queue),
        place(Hop::Ring, s.hops.ring),
        place(Hop::Air, s.hops.air),
        place(Hop::UplinkQueue, s.hops.uplink_queue),
        place(Hop::UplinkAir, s.hops.uplink_air),
        place(Hop::UplinkWired, s.hops.uplink_wired),
    ];
    hops.sort_by(|a, b| b.delay.p50_s.total_cmp(&a.delay.p50_s));
    hops
}

fn used(air: &AirView) -> f64 {
    air.down_ratio + air.up_ratio + air.collision_ratio + air.beacon_ratio
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The longest tail, if it is worth a name.
fn tail(hops: &[Place; 8]) -> Option<String> {
    let worst = hops.iter().max_by(|a, b| a.delay.p99_s.total_cmp(&b.delay.p99_s))?;
    (worst.delay.p99_s >= SPIKE_S).then(|| {
        let (p99, unit, place) = (seconds(worst.delay.p99_s), worst.hop.unit(), worst.hop.words());
        format!("1 {unit} in 100 takes over {p99} in {place}")
    })
}

/// The median is small: is the tail?
fn quick(hops: &[Place; 8], total: f64) -> (bool, String) {
    let all = seconds(total);
    match tail(hops) {
        Some(tail) => (true, format!("Quick for most ({all}), but {tail}")),
        None => (false, format!("All quick: packets take {all}")),
    }
}

/// The median is large: where?
fn slow(s: &Snapshot, hops: &[Place; 8], total: f64) -> (bool, String) {
    let [first, second, ..] = hops;
    let all = seconds(total);
    if first.delay.p50_s >= ALONE * total {
        let place = first.hop.words();
        let (half, tail) = (seconds(first.delay.p50_s), seconds(first.delay.p99_s));
        let takes = format!("{half} of {all} (1 {} in 100: over {tail})", first.hop.unit());
        return match first.hop {
            Hop::Server | Hop::Wired | Hop::UplinkWired => {
                (false, format!("Not the Wi-Fi: {place} took {takes}"))
            }
            Hop::Queue => {
                let (trouble, whose) = owner(s);
                (trouble, format!("{} takes {takes}{whose}", capital(place)))
            }
            Hop::Ring => (true, format!("{} takes {takes}, where no discipline orders it", capital(place))),
            Hop::Air => (true, format!("{} takes {takes}{}", capital(place), repeats(s))),
            Hop::UplinkQueue => (true, format!("{} takes {takes}{}", capital(place), uploader(s))),
            Hop::UplinkAir => (true, format!("{} takes {takes}{}", capital(place), collisions(s))),
        };
    }
    let wifi = |h: &Place| !matches!(h.hop, Hop::Server | Hop::Wired | Hop::UplinkWired);
    if first.delay.p50_s + second.delay.p50_s >= TOGETHER * total {
        let text = format!(
            "{} and {} share the delay: {} and {} of {all}",
            capital(first.hop.words()),
            second.hop.words(),
            seconds(first.delay.p50_s),
            seconds(second.delay.p50_s)
        );
        let air = if first.hop == Hop::Air || second.hop == Hop::Air { repeats(s) } else { String::new() };
        return (wifi(first) || wifi(second), text + &air);
    }
    let counted = hops.iter().filter(|h| h.delay.p50_s > 0.0);
    let all_of_them: Vec<String> =
        counted.map(|h| format!("{} {}", h.hop.words(), seconds(h.delay.p50_s))).collect();
    (
        hops[..3].iter().any(wifi),
        format!("No single place holds the delay of {all}: {}", all_of_them.join(", ")),
    )
}

/// Whoever is named: an application with its station, or a flow of none.
struct User {
    name: String,
    air: f64,
    backlog: u32,
    wait_s: f64,
}

/// Flows, those of one application together; stations, if no flow is known.
fn users(s: &Snapshot) -> Vec<User> {
    let mut users: BTreeMap<String, User> = BTreeMap::new();
    let mut add = |name: String, backlog: u32, rates: &Rates| {
        let user = users.entry(name.clone()).or_insert(User { name, air: 0.0, backlog: 0, wait_s: 0.0 });
        user.air += rates.down_air_ratio + rates.up_air_ratio;
        user.backlog += backlog;
        user.wait_s = user.wait_s.max(rates.sojourn_p50_s);
    };
    for f in &s.flows {
        let name = match &f.app {
            Some(app) => format!("{app} ({})", f.station),
            None => f.tuple.clone(),
        };
        add(name, f.backlog_packets, &f.rates);
    }
    if s.flows.is_empty() {
        for station in &s.stations {
            add(station.name.clone(), station.backlog_packets, &station.rates);
        }
    }
    users.into_values().collect()
}

fn users_of_the_air(s: &Snapshot, used: f64) -> String {
    let mut users = users(s);
    users.sort_by(|a, b| b.air.total_cmp(&a.air));
    let figure = |u: &User| format!("{} {}", u.name, percent(u.air));
    match &users[..] {
        [first, second, ..] if first.air >= USER * used && second.air >= USER * used => {
            format!("of the air, {} and {}", figure(first), figure(second))
        }
        [first, ..] if first.air >= USER * used => {
            format!("{} uses {} of the air", first.name, percent(first.air))
        }
        [first, ..] => {
            let (used, name, most) = (percent(used), &first.name, percent(first.air));
            format!("{used} of the air is in use, by many: {name} has most, {most}")
        }
        [] => format!("{} of the air is in use", percent(used)),
    }
}

/// Whose packets wait in the queue, and whether others do, too.
fn owner(s: &Snapshot) -> (bool, String) {
    let users = users(s);
    let Some(owner) = users.iter().max_by_key(|u| u.backlog) else {
        return (true, String::new());
    };
    if f64::from(owner.backlog) < OWNER * f64::from(s.qdisc.packets) || owner.backlog == 0 {
        return (true, String::new());
    }
    let others = users.iter().filter(|u| u.name != owner.name && u.wait_s > 0.0);
    match others.map(|u| u.wait_s).max_by(f64::total_cmp) {
        Some(wait) if wait < OWN_WAIT * owner.wait_s => {
            (false, format!(", but only from {}; others wait {} at most", owner.name, seconds(wait)))
        }
        _ => (true, format!(", most of its packets are those of {}", owner.name)),
    }
}

/// Which station's own queue is likely the long one.
fn uploader(s: &Snapshot) -> String {
    let most = s.stations.iter().max_by(|a, b| a.rates.up_bps.total_cmp(&b.rates.up_bps));
    let most = most.filter(|station| station.rates.up_bps > 0.0);
    most.map_or_else(String::new, |s| format!(", {} sends most: {:.1} Mb/s", s.name, s.rates.up_bps / 1e6))
}

/// Why a frame takes long once it is its turn.
fn repeats(s: &Snapshot) -> String {
    let air = |r: &Rates| r.down_air_ratio + r.up_air_ratio;
    let largest = s.stations.iter().max_by(|a, b| air(&a.rates).total_cmp(&air(&b.rates)));
    match largest {
        Some(one) if one.rates.attempts_mean >= REPEATS => {
            format!(", {} needs {:.1} attempts for a frame", one.name, one.rates.attempts_mean)
        }
        _ => collisions(s),
    }
}

/// Whether stations collide.
fn collisions(s: &Snapshot) -> String {
    match s.air.collision_ratio {
        share if share >= COLLISIONS => format!(", collisions take {} of the air", percent(share)),
        _ => String::new(),
    }
}

/// Whether its user suffers; None where no limit is known.
pub fn suffers(app: &AppView) -> Option<bool> {
    let score = app.score.as_ref()?;
    let metric = Metric::named(&score.metric)?;
    let (_, limit) = SUFFERS.iter().find(|(m, _)| *m == metric)?;
    Some((score.value - limit) * metric.sense() < 0.0)
}

fn scored(apps: &[AppView], wanted: bool) -> impl Iterator<Item = &AppView> {
    apps.iter().filter(move |app| suffers(app) == Some(wanted))
}

#[cfg(test)]
mod tests;
