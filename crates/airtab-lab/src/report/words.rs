// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The report's sentences: what was compared, and what came out.
//!
//! What it does not do: no causes (`why`), and no discipline is known by name;
//! what goes by classes is known by its parameter.

use airtab_core::{Phy, Unit};
use airtab_scenario::{About, QueueScores, Summary};
use airtab_sim::wifi::{Loss, MediumConfig};
use airtab_sim::{App, Scenario, Station};

use crate::compare::Comparison;
use crate::table;

/// What the page is about.
pub(super) fn title(c: &Comparison) -> String {
    let apps: Vec<&str> = c.queues.first().map_or(Vec::new(), |q| q.apps.iter().map(|a| &*a.name).collect());
    let who = match apps.len() {
        7.. => format!("{} applications", apps.len()),
        _ => list(&apps),
    };
    let labels: Vec<&str> = c.queues.iter().map(|q| q.label.as_str()).collect();
    format!("{}: what {who} felt under {}", c.scenario, list(&labels))
}

/// A word that begins a sentence.
pub(super) fn begin(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// "a, b and c".
pub(super) fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// What the network is.
pub(super) fn network(scenario: &Scenario) -> String {
    let phy: Phy = scenario.medium.phy();
    let link = match &scenario.medium {
        MediumConfig::Dcf(_) => String::new(),
        MediumConfig::Emulator(link) if link.extra_ns == 0 => ", an emulated link".into(),
        MediumConfig::Emulator(link) => {
            format!(", an emulated link that adds {} to every packet", Unit::Ns.format(link.extra_ns))
        }
    };
    format!(
        "{} behind one access point ({}: {}{link}), servers on wires of {} Mb/s.",
        match scenario.stations.len() {
            1 => "One station".into(),
            n => format!("{n} stations"),
        },
        phy.name(),
        phy.about(),
        scenario.wired.rate_bps as f64 / 1e6
    )
}

/// Where an application runs.
pub(super) fn station(station: &Station) -> String {
    let rate = f64::from(station.rate_kbps) / 1e3;
    let link = match station.loss {
        Loss::None => "no loss".into(),
        Loss::Fer(p) => format!("{} % of frames lost", p * 1e2),
        Loss::Shadowing { distance_m, .. } => format!("{distance_m} m away"),
    };
    format!("{}: {rate} Mb/s, {link}", station.name)
}

/// One-way latency between an application's server and the access point.
pub(super) fn latency(app: &App, scenario: &Scenario) -> String {
    let (access, trunk) = (app.latency(scenario), scenario.wired.trunk);
    let [down, up] = [access.down_ns + trunk.down_ns, access.up_ns + trunk.up_ns].map(|ns| ns as f64 / 1e6);
    if down == up { format!("{down} ms") } else { format!("{down} ms down, {up} ms up") }
}

/// The result: which disciplines serve the most applications best (alone, or
/// with all that cannot be told apart), and what the best one that needs no
/// classes set by hand gives instead of what the first column gives.
pub(super) fn result(c: &Comparison) -> String {
    let apps = c.queues.first().map_or(&[][..], |q| &q.apps);
    if c.queues.len() < 2 || apps.is_empty() {
        return String::new();
    }
    let labels: Vec<&str> = c.queues.iter().map(|q| q.label.as_str()).collect();
    if c.seeds.len() < 2 {
        return format!("One seed cannot tell which of {} is best.", list(&labels));
    }
    let mut wins = vec![0; c.queues.len()];
    let mut differ = false;
    for (i, app) in apps.iter().enumerate() {
        let Some(about) = About::named(app.kind) else { continue };
        let cells = table::cells(c, (i, about.metric()));
        let marked = cells.iter().any(|cell| cell.ends_with(table::MARK));
        differ |= marked;
        for (won, cell) in wins.iter_mut().zip(&cells) {
            *won += usize::from(!marked || cell.ends_with(table::MARK));
        }
    }
    if !differ {
        return format!("No application can tell {} apart.", list(&labels));
    }
    let best_of = |which: &dyn Fn(&QueueScores) -> bool| {
        let of = || c.queues.iter().zip(&wins).filter(|(q, _)| which(q));
        let most = of().map(|(_, won)| *won).max().unwrap_or(0);
        (most, of().filter(|(_, won)| **won == most).map(|(q, _)| q).collect::<Vec<_>>())
    };
    let (most, winners) = best_of(&|_| true);
    let mut text = best(&winners, most, apps.len()) + ".";
    let untold = |q: &QueueScores| !q.params.contains_key(CLASSES);
    let mut heroes: Vec<&QueueScores> = winners.iter().copied().filter(|q| untold(q)).collect();
    if heroes.is_empty() {
        let (most, next) = best_of(&untold);
        if next.is_empty() {
            return text;
        }
        let who = if winners.len() == 1 { "It goes" } else { "They go" };
        let best = best(&next, most, apps.len());
        text.push_str(&format!(
            " {who} by classes that were set by hand; of those that are told nothing, {best}."
        ));
        heroes = next;
    }
    let reference = &c.queues[0];
    let Some(hero) = heroes.into_iter().find(|q| q.label != reference.label) else { return text };
    let gains: Vec<String> = (0..apps.len()).filter_map(|i| gain(hero, reference, i)).take(GAINS).collect();
    let gains: Vec<&str> = gains.iter().map(String::as_str).collect();
    if !gains.is_empty() {
        let gains = list(&gains);
        text.push_str(&format!(" What {} changes against {}: {gains}.", hero.label, reference.label));
    }
    text
}

/// The parameter of disciplines that go by the classes of packets.
const CLASSES: &str = "classes";

/// So many differences can be read in one sentence.
const GAINS: usize = 4;

fn best(winners: &[&QueueScores], most: usize, apps: usize) -> String {
    let labels: Vec<&str> = winners.iter().map(|q| q.label.as_str()).collect();
    let verb = if winners.len() == 1 { "is" } else { "are" };
    let how_many =
        if most == apps { "every application".into() } else { format!("{most} of {apps} applications") };
    format!("{} {verb} best, or as good as the best, for {how_many}", list(&labels))
}

/// "a page of web takes 52 ms instead of 134", if the seeds show that it is better.
fn gain(hero: &QueueScores, reference: &QueueScores, app: usize) -> Option<String> {
    let name = &hero.apps[app].name;
    let about = About::named(hero.apps[app].kind)?;
    let metric = about.metric();
    let [new, old]: [&Summary; 2] =
        [hero.apps[app].metrics.get(&metric)?, reference.apps[app].metrics.get(&metric)?];
    let reach = new.half_width_95? + old.half_width_95?;
    if metric.sense() * (new.mean - old.mean) <= reach {
        return None;
    }
    let (before, does) = about.score.gain;
    let unit = about.score.unit_of_gain;
    let shown = |s: &Summary| format!("{:.*}", metric.decimals(), metric.shown(s.mean));
    Some(format!("{before}{name}{does} {}{unit} instead of {}", shown(new), shown(old)))
}
