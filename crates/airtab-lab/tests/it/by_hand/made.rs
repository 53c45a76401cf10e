// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scores made up: summaries, applications, disciplines, comparisons.

use std::collections::BTreeMap;

use Metric::*;
use airtab_lab::Comparison;
use airtab_scenario::{Direction, Metric, OfPath, QueueScores, Scores, Summary};

/// Of three seeds, in the same order under every discipline: the difference of two has a half width that is the
/// difference of theirs.
pub fn summary(mean: f64, half_width: f64) -> Summary {
    // Student's t for 95 % and two degrees of freedom is 4.302653.
    let off = half_width * 3f64.sqrt() / 4.302653;
    Summary {
        mean,
        half_width_95: Some(half_width),
        values: [-off, 0.0, off].map(|x| Some(mean + x)).to_vec(),
    }
}

pub fn app(name: &str, kind: &'static str, figures: &[(Metric, f64)]) -> Scores {
    let metrics = figures.iter().map(|(m, x)| (*m, summary(*x, 0.01 * x.abs()))).collect();
    Scores { name: name.into(), kind, station: format!("{name}'s"), metrics }
}

pub fn queue(label: &str, apps: Vec<Scores>) -> QueueScores {
    let params = BTreeMap::from([("limit", "35".to_string())]);
    let ap = Scores { name: "ap".into(), kind: "ap", station: String::new(), metrics: BTreeMap::new() };
    QueueScores { label: label.into(), discipline: "fifo", params, apps, ap, nodes: Vec::new() }
}

pub fn comparison(queues: Vec<QueueScores>) -> Comparison {
    Comparison {
        schema: 1,
        scenario: "made up".into(),
        short: false,
        duration_ns: 330_000_000_000,
        measure_ns: [90_000_000_000, 270_000_000_000],
        seeds: vec![1, 2, 3],
        classes: vec![0; queues.first().map_or(0, |q| q.apps.len())],
        no_difference: None,
        queues,
    }
}

pub fn down(of: OfPath) -> Metric {
    Metric::of_path(Direction::Down, of)
}

pub fn up(of: OfPath) -> Metric {
    Metric::of_path(Direction::Up, of)
}

/// Its packets, their delay and their wait in the queue, lost and dropped shares. All else of their way is the channel's.
pub fn stream(score: Metric, mos: f64, delay: f64, wait: f64, loss: f64, dropped: f64) -> Vec<(Metric, f64)> {
    vec![
        (score, mos),
        (Delay, delay),
        (UplinkDelay, 0.0),
        (Loss, loss),
        (QueueDelayP50, 0.5 * wait),
        (QueuePackets, 0.5),
        (QueueDropped, dropped),
        (Air, 0.01),
        (down(OfPath::Queue), wait),
        (down(OfPath::Channel), delay - wait),
        (down(OfPath::QueueLoss), dropped),
        (down(OfPath::ChannelLoss), loss - dropped),
        (QueueDelay, wait),
    ]
}

pub fn bulk(goodput: f64, places: f64, wait: f64, air: f64, loss: f64, dropped: f64) -> Vec<(Metric, f64)> {
    vec![
        (Goodput, goodput),
        (IpThroughput, goodput),
        (Loss, loss),
        (QueueDelayP50, 0.5 * wait),
        (QueuePackets, places),
        (QueueDropped, dropped),
        (Air, air),
        (down(OfPath::Queue), wait),
        (down(OfPath::Channel), 0.0005),
        (down(OfPath::QueueLoss), dropped),
        (down(OfPath::ChannelLoss), loss - dropped),
        (QueueDelay, wait),
    ]
}

pub fn video(fps: f64, whole: [f64; 4], dropped: f64) -> Vec<(Metric, f64)> {
    let kinds = [FramesWhole, IFramesWhole, PFramesWhole, BFramesWhole];
    let mut figures: Vec<_> = kinds.into_iter().zip(whole).collect();
    let rest = [
        (FrameRate, fps),
        (Loss, dropped),
        (QueueDropped, dropped),
        (QueueDelayP99, 0.012),
        (QueuePackets, 2.0),
        (down(OfPath::QueueLoss), dropped),
    ];
    figures.extend(rest);
    figures
}

pub fn web(page: f64, wait: f64, dropped: f64) -> Vec<(Metric, f64)> {
    let of_queue = [
        (QueueDelayP50, 0.5 * wait),
        (QueueDelayP99, 0.02),
        (QueueDropped, dropped),
        (QueuePackets, 0.1),
        (down(OfPath::Queue), wait),
        (down(OfPath::Channel), 0.001),
        (up(OfPath::Wires), 0.0025),
    ];
    let of_pages =
        [(QueueDelay, wait), (PageTime, page), (PageBytes, 91_000.0), (Pages, 20.0), (PagesCompared, 18.0)];
    of_queue.into_iter().chain(of_pages).collect()
}
