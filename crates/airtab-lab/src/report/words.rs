//! The report's sentences: what was compared, and what came out.
//!
//! What it does not do: no causes (`why`), and no discipline is known by name.

use airtab_core::Phy;
use airtab_sim::wifi::Loss;
use airtab_sim::{App, AppKind, Scenario, Station};

use crate::compare::{Comparison, Summary};
use crate::metric::Metric;
use crate::table;

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
        Metric::BitRate => "bit rate of the film, Mb/s (more is better)".into(),
        other => other.label().into(),
    }
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
    let phy: &Phy = &scenario.cell.phy;
    format!(
        "{} behind one access point ({}: {}), servers on wires of {} Mb/s.",
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
        AppKind::Game => "online game".into(),
        AppKind::Voip => "voice call".into(),
        AppKind::Video { .. } => "video over UDP".into(),
        AppKind::Web => "web pages, one after the other".into(),
        AppKind::Udp { rate_bps, .. } => format!("UDP packets, {} Mb/s", *rate_bps as f64 / 1e6),
        AppKind::Download { congestion } => format!("endless download ({})", congestion.name()),
        AppKind::Upload { congestion } => format!("endless upload ({})", congestion.name()),
        AppKind::P2p { flows, congestion, upload } => {
            let uploads = if *upload { " and uploads" } else { "" };
            format!("{flows} endless downloads{uploads} ({})", congestion.name())
        }
        AppKind::Streaming { ladder, .. } => {
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

/// One sentence: which disciplines serve the most applications best, and where
/// they differ most. Best means: alone, or with all that cannot be told apart.
pub(super) fn result(c: &Comparison) -> String {
    let apps = c.queues.first().map_or(&[][..], |q| &q.apps);
    if c.queues.len() < 2 || apps.is_empty() {
        return String::new();
    }
    let mut wins = vec![0; c.queues.len()];
    let mut widest: Option<(f64, String)> = None;
    for (i, app) in apps.iter().enumerate() {
        let metric = score(app.kind);
        let row: Vec<Option<&Summary>> = c.queues.iter().map(|q| q.apps[i].metrics.get(&metric)).collect();
        let cells = table::cells(c, (i, metric));
        let marked = cells.iter().any(|cell| cell.ends_with(table::MARK));
        for (won, cell) in wins.iter_mut().zip(&cells) {
            *won += usize::from(!marked || cell.ends_with(table::MARK));
        }
        let better = |s: &Summary| metric.sense() * s.mean;
        let mut present: Vec<(&str, &Summary)> =
            c.queues.iter().zip(row).filter_map(|(q, s)| Some((q.label.as_str(), s?))).collect();
        present.sort_by(|a, b| better(b.1).total_cmp(&better(a.1)));
        let (Some(best), Some(worst)) = (present.first(), present.last()) else { continue };
        if !marked && c.seeds.len() > 1 {
            continue; // no difference that the seeds could show
        }
        let size = best.1.mean.abs().max(worst.1.mean.abs());
        let gap = (best.1.mean - worst.1.mean).abs() / size.max(f64::MIN_POSITIVE);
        if widest.as_ref().is_none_or(|(g, _)| gap > *g) {
            widest = Some((gap, difference(&app.name, metric, *best, *worst)));
        }
    }
    let most = wins.iter().copied().max().unwrap_or(0);
    let winners: Vec<&str> =
        c.queues.iter().zip(&wins).filter(|(_, won)| **won == most).map(|(q, _)| q.label.as_str()).collect();
    let difference = widest.map_or(String::new(), |(_, what)| format!(" The widest gap: {what}."));
    if c.seeds.len() < 2 {
        return format!("One seed cannot tell which discipline is best.{difference}");
    }
    let verb = if winners.len() == 1 { "is" } else { "are" };
    let how_many = if most == apps.len() {
        "every application".into()
    } else {
        format!("{most} of {} applications", apps.len())
    };
    format!("{} {verb} best, or as good as the best, for {how_many}.{difference}", list(&winners))
}

/// "a page of web takes 52 ms under spq, 134 ms under fifo".
fn difference(app: &str, metric: Metric, best: (&str, &Summary), worst: (&str, &Summary)) -> String {
    let (does, unit) = match metric {
        Metric::GameMos | Metric::VoipMos => (format!("{app} scores"), " MOS"),
        Metric::FrameRate => (format!("{app} shows"), " frames a second"),
        Metric::PageTime => (format!("a page of {app} takes"), " ms"),
        Metric::BitRate => (format!("{app} plays at"), " Mb/s"),
        Metric::UplinkGoodput => (format!("{app} sends"), " Mb/s"),
        _ => (format!("{app} receives"), " Mb/s"),
    };
    let shown = |s: &Summary| format!("{:.*}{unit}", metric.decimals(), metric.shown(s.mean));
    format!("{does} {} under {}, {} under {}", shown(best.1), best.0, shown(worst.1), worst.0)
}
