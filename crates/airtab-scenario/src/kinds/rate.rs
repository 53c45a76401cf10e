// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What sets the rate of bulk data, as a sentence: the air that it gets, where its packets stand in line for it; else its
//! window, what cuts that, and the round trip in which it comes through.
//!
//! A window is no figure of a trace; what is under way is, by Little's law: the rate times the round trip.
//!
//! What it does not do: no advice, and no law of TCP: no rate is worked out here.

use super::About;
use super::cause::Parts;
use super::reason::{NOTABLE_LOSS, SILENT, for_whom, held, limit, mean_ms, percent};
use crate::metric::{Direction, Metric, OfPath};
use crate::scores::{QueueScores, Scores};

/// Of two applications with air so near to each other's, neither is the other's rival.
const NOTABLY_MORE: f64 = 1.25;

/// Of data that comes down.
pub(super) fn of_download(q: &QueueScores, app: &Scores) -> String {
    let Some(own) = app.mean(Metric::Air) else { return SILENT.into() };
    let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
    if app.mean(Metric::Goodput) == Some(0.0) {
        let uses = if own > 0.0 { "though it uses" } else { "and it uses" };
        return format!("nothing arrives, {uses} {} of the air", percent(own));
    }
    let lost_at = |at| app.mean(Metric::of_path(Direction::Down, at)).unwrap_or(0.0);
    let elsewhere = lost_at(OfPath::ChannelLoss).max(lost_at(OfPath::WiresLoss));
    let lossy = elsewhere > dropped && elsewhere > NOTABLE_LOSS;
    let wait = app.mean(Metric::QueueDelay);
    if lossy || !stands_in_line(app, Direction::Down, held(app), wait) {
        return of_window(q, app, Direction::Down);
    }
    let bound = limit(q).map_or(String::new(), |n| format!(" of the {n}"));
    let whose = if dropped > NOTABLE_LOSS { for_whom(q, app, true) } else { String::new() };
    format!(
        "{}; it holds {:.0}{bound} places, and {} of its packets are dropped{whose}",
        of_air(q, app),
        held(app),
        percent(dropped)
    )
}

/// Of data that goes up: it is not queued at the access point; its ACKs are.
pub(super) fn of_upload(q: &QueueScores, app: &Scores) -> String {
    let Some(own) = app.mean(Metric::UplinkAir).filter(|air| *air > 0.0) else { return SILENT.into() };
    if let Some(places) = app.mean(Metric::UplinkPackets) {
        let wait = app.mean(Metric::of_path(Direction::Up, OfPath::Queue));
        if !stands_in_line(app, Direction::Up, places, wait) {
            return of_window(q, app, Direction::Up);
        }
    }
    let wait = mean_ms(app, Metric::QueueDelay);
    let down: f64 = q.apps.iter().filter_map(|a| a.mean(Metric::Air)).sum();
    format!(
        "it sends for {} of the time, downlinks for {}; its ACKs wait {wait} in the queue",
        percent(own),
        percent(down)
    )
}

/// Whether there is always a packet of its own before the air: at least one on the mean, and each waits for another, as
/// long as one takes on the channel.
fn stands_in_line(app: &Scores, direction: Direction, places: f64, wait: Option<f64>) -> bool {
    let channel = app.mean(Metric::of_path(direction, OfPath::Channel));
    places >= 1.0 && wait.zip(channel).is_none_or(|(wait, channel)| wait >= channel)
}

/// Down and up.
fn air(app: &Scores) -> f64 {
    [Metric::Air, Metric::UplinkAir].iter().filter_map(|metric| app.mean(*metric)).sum()
}

/// Who has the air.
fn of_air(q: &QueueScores, app: &Scores) -> String {
    let rival = q.apps.iter().filter(|a| a.name != app.name).max_by(|a, b| air(a).total_cmp(&air(b)));
    match rival.map(|rival| (rival, air(rival))) {
        Some((rival, theirs)) if theirs >= NOTABLY_MORE * air(app) => {
            format!("{} uses {} of the air, it gets {}", rival.name, percent(theirs), percent(air(app)))
        }
        _ => {
            let all: f64 = q.apps.iter().map(air).sum();
            format!("it has {} of the air that is used", percent(air(app) / all))
        }
    }
}

/// What cuts its window, and the round trip in which that comes through.
fn of_window(q: &QueueScores, app: &Scores, direction: Direction) -> String {
    let cut = match Parts::of_losses(app, direction).where_lost(q, app, "") {
        Some(at) => format!("losses cut its window: {at}"),
        None => {
            let endless = About::named(app.kind).is_some_and(|about| about.bulk);
            let buffer = if endless { "" } else { ", or what its buffer asks for," };
            format!("nothing is lost and it seldom queues: its window{buffer} sets its rate")
        }
    };
    let trip = Parts::of_round_trip(app);
    let rate = app.mean(Metric::throughput(direction));
    match trip.words(q, app).zip(rate) {
        Some((words, bps)) => {
            format!("{cut}; it has {:.0} kB under way, and {words}", bps * trip.sum() / 8e3)
        }
        None => cut,
    }
}
