// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What sets the rate of bulk data, as a sentence: the air that it gets, where its packets stand in line for it; else its
//! window, what cuts that, and the round trip in which it comes through.
//!
//! A window is no figure of a trace; what is under way is, by Little's law: the rate times the round trip.
//!
//! What it does not do: no advice, and no law of TCP: no rate is worked out here.

use super::About;
use super::cause::Parts;
use super::reason::{NOTABLE_LOSS, SILENT, for_whom, held, mean_ms, percent, places};
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
    if lossy || !stands_in_line(app, Direction::Down, held(app)) {
        return of_window(q, app, Direction::Down);
    }
    let whose = if dropped > NOTABLE_LOSS { for_whom(q, app, true) } else { String::new() };
    format!(
        "{}; it holds {:.0} {}, and {} of its packets are dropped{whose}",
        of_air(q, app),
        held(app),
        places(q),
        percent(dropped)
    )
}

/// Of data that goes up: it is not queued at the access point; its ACKs are.
pub(super) fn of_upload(q: &QueueScores, app: &Scores) -> String {
    let Some(own) = app.mean(Metric::UplinkAir).filter(|air| *air > 0.0) else { return SILENT.into() };
    if let Some(held) = app.mean(Metric::UplinkPackets)
        && !stands_in_line(app, Direction::Up, held)
    {
        return of_window(q, app, Direction::Up);
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
fn stands_in_line(app: &Scores, direction: Direction, held: f64) -> bool {
    let [wait, channel] =
        [OfPath::Queue, OfPath::Channel].map(|part| app.mean(Metric::of_path(direction, part)));
    held >= 1.0 && wait.zip(channel).is_none_or(|(wait, channel)| wait >= channel)
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

#[cfg(test)]
mod tests {
    use super::super::made::{app, down, queue, up};
    use super::*;
    use crate::scores::QueueScores;

    /// The limit is that of one node's queue, and the packets are in the queues of several.
    #[test]
    fn places_in_a_mesh_have_no_common_limit() {
        let figures = [
            (Metric::Goodput, 1e6),
            (Metric::Air, 0.5),
            (Metric::QueuePackets, 46.0),
            (Metric::QueueDropped, 0.02),
            (down(OfPath::Queue), 0.3),
            (down(OfPath::Channel), 0.02),
            (down(OfPath::QueueLoss), 0.02),
            (up(OfPath::Queue), 0.4),
        ];
        let tcp = app("tcp", "download", &figures);
        let home = queue(vec![tcp.clone()]);
        let mesh = QueueScores { nodes: vec![app("node/a", "node", &[])], ..home.clone() };
        let air = "it has 100 % of the air that is used; it holds 46";
        assert_eq!(
            of_download(&home, &tcp),
            format!(
                "{air} of the 10 places, and 2.0 % of its packets are dropped: its own packets fill the queue, 46 of the 10 places"
            )
        );
        assert_eq!(
            of_download(&mesh, &tcp),
            format!(
                "{air} places in the nodes' queues, and 2.0 % of its packets are dropped: its own packets hold 46 places in the nodes' queues"
            )
        );
        // Each node has one queue for both directions.
        let said = |q: &QueueScores| Parts::of_round_trip(&tcp).words(q, &tcp).unwrap();
        assert!(
            said(&home).ends_with(
                "is its station's uplink queue, where a packet waits 400 ms behind its own packets"
            )
        );
        assert!(said(&mesh).ends_with(
            "is the nodes' queues on the way up, where a packet waits 400 ms: it holds 46 places in the nodes' queues itself"
        ), "{}", said(&mesh));
        let lost = |q: &QueueScores| Parts::of_losses(&tcp, Direction::Down).words(q, &tcp).unwrap();
        assert!(
            lost(&mesh)
                .contains("is the nodes' queues on the way down, which drop 2.0 % of its packets: its own")
        );
    }
}
