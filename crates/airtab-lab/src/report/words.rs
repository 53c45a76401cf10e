//! The report's sentences: what was compared, and what came out.
//!
//! What it does not do: no causes (`why`), and no discipline is known by name;
//! what goes by classes is known by its parameter.

use airtab_core::{Phy, Unit};
use airtab_sim::traffic::web::Pages;
use airtab_sim::traffic::{Download, P2p, Ping, Streaming, Udp, Upload, Web};
use airtab_sim::wifi::{Loss, MediumConfig};
use airtab_sim::{App, AppKind, Scenario, Station};

use crate::compare::{Comparison, QueueScores, Summary};
use crate::table;
use airtab_scenario::Metric;

/// The score of an application of that kind.
pub(super) fn score(kind: &str) -> Metric {
    table::app_metrics(kind)[0]
}

/// The score of a kind, in words with its unit.
pub(super) fn score_in_words(metric: Metric) -> String {
    match metric {
        Metric::GameMos => "opinion score of the game (MOS, 1 to 4.4, more is better)".into(),
        Metric::VoipMos => "opinion score of the call (MOS, 1 to 4.5, more is better)".into(),
        Metric::FrameRate => "playable frames per second (more is better)".into(),
        Metric::PageTime => "time to load a page, ms (less is better)".into(),
        Metric::Goodput => "received, Mb/s (more is better)".into(),
        Metric::UplinkGoodput => "received from the station, Mb/s (more is better)".into(),
        Metric::BitRate => "bit rate of what is played, Mb/s (more is better)".into(),
        other => other.label().into(),
    }
}

/// Axis of a score: opinion scores and frame rates always have the same one, so
/// that figures can be compared; no axis is without length.
pub(super) fn axis(metric: Metric) -> (f64, f64) {
    match metric {
        Metric::GameMos | Metric::VoipMos => (1.0, 4.5),
        Metric::FrameRate => (0.0, 30.0),
        _ => (0.0, 1.0),
    }
}

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

/// What an application does.
pub(super) fn kind(kind: &AppKind) -> String {
    match kind {
        AppKind::Game(_) => "online game".into(),
        AppKind::Voip(_) => "voice call".into(),
        AppKind::Video(_) => "video over UDP".into(),
        AppKind::Web(Web { pages: Pages::Drawn, .. }) => "web pages, one after the other".into(),
        AppKind::Web(Web { pages: Pages::Site { site, .. }, .. }) => {
            format!("visits of one page ({})", site.name)
        }
        AppKind::Ping(Ping { interval_ns, .. }) => {
            format!("requests to a distant host, one each {}", Unit::Ns.format(*interval_ns))
        }
        AppKind::Udp(Udp { rate_bps, .. }) => format!("UDP packets, {} Mb/s", *rate_bps as f64 / 1e6),
        AppKind::Download(Download { congestion, reconnect_ns }) => {
            let anew = reconnect_ns.map(|ns| format!(", a new connection each {}", Unit::Ns.format(ns)));
            format!("endless download ({}{})", congestion.name(), anew.unwrap_or_default())
        }
        AppKind::Upload(Upload { congestion }) => format!("endless upload ({})", congestion.name()),
        AppKind::P2p(P2p { flows, congestion, upload }) => {
            let uploads = if *upload { " and uploads" } else { "" };
            format!("{flows} endless downloads{uploads} ({})", congestion.name())
        }
        AppKind::Streaming(Streaming { ladder, .. }) => {
            let mbps = |rate: Option<&u64>| rate.map_or(0.0, |bps| *bps as f64 / 1e6);
            format!("streamed video, {} to {} Mb/s", mbps(ladder.first()), mbps(ladder.last()))
        }
    }
}

/// Where an application runs.
pub(super) fn station(station: &Station) -> String {
    let rate = f64::from(station.rate_kbps) / 1e3;
    let link = match station.loss {
        Loss::None => "no loss".into(),
        Loss::Fer(p) => format!("{} % of frames lost", p * 1e2),
        Loss::Shadowing { distance_m } => format!("{distance_m} m away"),
    };
    format!("{}: {rate} Mb/s, {link}", station.name)
}

/// One-way latency between an application's server and the access point.
pub(super) fn latency(app: &App, scenario: &Scenario) -> String {
    format!("{} ms", (app.latency_ns + scenario.wired.trunk_ns) as f64 / 1e6)
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
        let cells = table::cells(c, (i, score(app.kind)));
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
    let metric = score(hero.apps[app].kind);
    let [new, old]: [&Summary; 2] =
        [hero.apps[app].metrics.get(&metric)?, reference.apps[app].metrics.get(&metric)?];
    let reach = new.half_width_95? + old.half_width_95?;
    if metric.sense() * (new.mean - old.mean) <= reach {
        return None;
    }
    let (does, unit) = match metric {
        Metric::GameMos | Metric::VoipMos => (format!("{name} scores"), ""),
        Metric::FrameRate => (format!("{name} shows"), " frames a second"),
        Metric::PageTime => (format!("a page of {name} takes"), " ms"),
        Metric::BitRate => (format!("{name} plays at"), " Mb/s"),
        Metric::UplinkGoodput => (format!("{name} sends"), " Mb/s"),
        _ => (format!("{name} receives"), " Mb/s"),
    };
    let shown = |s: &Summary| format!("{:.*}", metric.decimals(), metric.shown(s.mean));
    Some(format!("{does} {}{unit} instead of {}", shown(new), shown(old)))
}
