// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Random snapshots: what is named is the largest part that was measured, by arithmetic worked out here, and
//! nothing is praised while somebody suffers.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::snapshot::{Hops, Parts, PathView};

/// None, little, much; no two alike.
fn time() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 1e-5..0.004, 0.004..0.9]
}

fn quantiles() -> impl Strategy<Value = Quantiles> {
    (time(), 1.0..9.0).prop_map(|(p50_s, more)| delay(p50_s, p50_s * more))
}

fn hops() -> impl Strategy<Value = Hops> {
    prop::array::uniform8(quantiles()).prop_map(
        |[server, wired, queue, ring, air, uplink_queue, uplink_air, last]| Hops {
            server,
            wired,
            queue,
            ring,
            air,
            uplink_queue,
            uplink_air,
            uplink_wired: last,
        },
    )
}

fn path() -> impl Strategy<Value = PathView> {
    let lost = prop_oneof![Just(0u64), 0..5u64, 0..400u64];
    let lost = prop::array::uniform3(lost);
    let arrived = prop_oneof![1 => Just(0u64), 9 => 1..500u64];
    let ring = prop_oneof![Just(0.0), 0.0..1.2];
    (prop::array::uniform3(time()), prop::array::uniform3(0.0..1.0), ring, lost, arrived).prop_map(
        |(mean, least, ring, lost, arrived)| {
            let seen = f64::from(u8::from(arrived > 0));
            let of = |[wires, queue, channel]: [f64; 3]| Parts { wires, queue, channel };
            let [wires, queue, channel] = lost;
            PathView {
                arrived,
                mean_s: of(mean.map(|s| s * seen)),
                least_s: of([0, 1, 2].map(|i| mean[i] * least[i] * seen)),
                ring_s: ring * mean[2] * seen,
                lost: Parts { wires, queue, channel },
            }
        },
    )
}

/// Who suffers, or not.
fn an_app() -> impl Strategy<Value = AppView> {
    let metrics = ["game_mos", "voip_mos", "playable_frames_per_second", "page_seconds", "stalled_ratio"];
    let score = (prop::sample::select(metrics.to_vec()), 1.0..4.5, 1.0..4.5);
    (score, path(), path(), any::<bool>()).prop_map(|((metric, a, b), down, up, down_alone)| {
        let value: f64 = match metric {
            "voip_mos" if !down_alone => f64::min(a, b),
            "playable_frames_per_second" => 7.0 * a,
            "stalled_ratio" => a / 100.0 - 0.01,
            _ => a,
        };
        let mut app = AppView { down, up, down_alone, ..app("app", metric, value, "s") };
        if let (true, Some(score)) = (metric == "voip_mos", &mut app.score) {
            (score.down, score.up) = (Some(a), Some(b).filter(|_| !down_alone));
        }
        app
    })
}

fn snapshots() -> impl Strategy<Value = Snapshot> {
    let backlog = prop::array::uniform2(0..100u32);
    (hops(), prop::collection::vec(an_app(), 0..3), backlog, prop::array::uniform2(time()), 0.0..1.0)
        .prop_map(|(hops, mut apps, backlog, waits, used)| {
            (0..).zip(&mut apps).for_each(|(i, app)| app.name = format!("app{i}"));
            let air = AirView { down_ratio: used, idle_ratio: 1.0 - used, ..AirView::default() };
            let users = ["film", "update"].into_iter().zip(backlog.into_iter().zip(waits));
            let flows = users.map(|(name, (n, s))| flow(Some(name), used / 3.0, n, s)).collect();
            let mut s = Snapshot { hops, apps, air, flows, ..Snapshot::default() };
            s.qdisc.packets = backlog.iter().sum();
            s
        })
}

fn named_hops(h: &Hops) -> [(&'static str, Quantiles); 8] {
    [
        ("the servers", h.server),
        ("the wired line", h.wired),
        ("the wi-fi queue", h.queue),
        (RING, h.ring),
        ("the air", h.air),
        ("a station's own queue", h.uplink_queue),
        ("the air from the stations", h.uplink_air),
        ("the wired line to the servers", h.uplink_wired),
    ]
}

const PRAISE: [&str; 5] = ["quick", "idle", "but only from", "not feel it", "not the wi-fi"];

/// The place that a part of a sentence names: the first, and the longest name that begins there.
fn first_named(text: &str, names: &[&'static str]) -> Option<&'static str> {
    let found = names.iter().filter_map(|name| Some((text.find(name)?, usize::MAX - name.len(), *name)));
    found.min().map(|(.., name)| name)
}

/// Sizes by place, and whether they are losses, of what lowers its score.
fn sizes(app: &AppView, server_s: f64) -> BTreeMap<(&'static str, bool), f64> {
    let mut sizes = BTreeMap::new();
    let mut add = |place, lost, size: f64| *sizes.entry((place, lost)).or_insert(0.0) += size;
    let parts = |p: &Parts<f64>, up, ring: f64| {
        [
            ("the wired line", p.wires),
            (if up { OWN } else { "the wi-fi queue" }, p.queue),
            (RING, p.channel * ring),
            ("the air", p.channel * (1.0 - ring)),
        ]
    };
    let ways = [(false, &app.down), (true, &app.up)];
    let score = app.score.as_ref().unwrap();
    let worse_up = score.up.is_some() && score.up < score.down;
    let varies = |p: &PathView| {
        let (a, b) = (p.mean_s, p.least_s);
        a.wires - b.wires + a.queue - b.queue + a.channel - b.channel
    };
    for (up, path) in ways {
        let n = path.lost.wires + path.lost.queue + path.lost.channel;
        let share = |lost: u64| if n > 0 { lost as f64 / (n + path.arrived) as f64 } else { 0.0 };
        let lost = Parts {
            wires: share(path.lost.wires),
            queue: share(path.lost.queue),
            channel: share(path.lost.channel),
        };
        let lost = parts(&lost, up, 0.0);
        let ring = if path.ring_s > 0.0 { f64::min(path.ring_s / path.mean_s.channel, 1.0) } else { 0.0 };
        let (mean, least) = (parts(&path.mean_s, up, ring), parts(&path.least_s, up, ring));
        match &*score.metric {
            "game_mos" => {
                let worse = up == (!app.down_alone && varies(&app.up) > varies(&app.down));
                for i in 0..4 {
                    let varies = if worse { mean[i].1 - least[i].1 } else { 0.0 };
                    add(mean[i].0, false, 0.104 * mean[i].1 + varies);
                }
            }
            "voip_mos" if up == worse_up => {
                let (ms, l) =
                    (1e3 * mean.iter().map(|p| p.1).sum::<f64>(), lost.iter().map(|p| p.1).sum::<f64>());
                let by_delay = 0.024 * ms + 0.11 * (ms - 177.3).max(0.0);
                let by_loss = 30.0 * (1.0 + 15.0 * l).ln();
                for i in 0..4 {
                    add(mean[i].0, false, if ms > 0.0 { by_delay * mean[i].1 * 1e3 / ms } else { 0.0 });
                    add(lost[i].0, true, if l > 0.0 { by_loss * lost[i].1 / l } else { 0.0 });
                }
            }
            "playable_frames_per_second" if !up && n > 0 => lost.iter().for_each(|p| add(p.0, true, p.1)),
            "playable_frames_per_second" if !up => mean.iter().for_each(|p| add(p.0, false, p.1)),
            "page_seconds" | "stalled_ratio" => mean.iter().for_each(|p| add(p.0, false, p.1)),
            _ => {}
        }
    }
    if ["page_seconds", "stalled_ratio"].contains(&&*score.metric) {
        add("the servers", false, server_s);
    }
    sizes
}

const OWN: &str = "its station's own queue";
const RING: &str = "the driver's ring below the queue";

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_largest_hop_is_named_first(hops in hops(), used in 0.0..1.0) {
        let air = AirView { down_ratio: used, idle_ratio: 1.0 - used, ..AirView::default() };
        let s = Snapshot { hops, air, ..Snapshot::default() };
        let text = said(&s).1.to_lowercase();
        let all = named_hops(&hops);
        let names = all.map(|(name, _)| name);
        let largest = |of: fn(&Quantiles) -> f64| all.into_iter().max_by(|a, b| of(&a.1).total_cmp(&of(&b.1))).unwrap();
        let total: f64 = all.iter().map(|(_, q)| q.p50_s).sum();
        // Each is called what it is, and the one it shares words with is another.
        let named = first_named(&text, &names);
        match largest(|q| q.p99_s) {
            _ if total >= 0.020 => prop_assert_eq!(named, Some(largest(|q| q.p50_s).0), "{}", text),
            (tail, q) if q.p99_s >= 0.100 => prop_assert_eq!(named, Some(tail), "{}", text),
            _ => prop_assert!(text.starts_with("all quick") || text.starts_with("idle"), "{}", text),
        }
    }

    #[test]
    fn who_suffers_is_told_the_largest_part(s in snapshots()) {
        let (trouble, text) = said(&s);
        let lower = text.to_lowercase();
        let suffering: Vec<_> = s.apps.iter().filter(|app| suffers(app) == Some(true)).collect();
        if suffering.is_empty() {
            return Ok(());
        }
        prop_assert!(trouble, "{}", text);
        prop_assert!(!PRAISE.iter().any(|praise| lower.contains(praise)), "{}", text);
        for app in suffering {
            let own = text.split("; ").find(|clause| clause.starts_with(&format!("{} (s) suffers", app.name)));
            let own = own.expect("a clause for each").to_lowercase();
            let places = ["the servers", "the wired line", "the wi-fi queue", OWN, RING, "the air"];
            let named = first_named(&own, &places);
            if own.contains("nothing of it arrives") {
                let path = if own.contains("way down") { app.down } else { app.up };
                prop_assert_eq!(path.arrived, 0);
                let lost = [path.lost.wires, path.lost.queue, path.lost.channel];
                let most = *lost.iter().max().unwrap();
                let queue = if own.contains("way down") { "the wi-fi queue" } else { OWN };
                let place = ["the wired line", queue, "the air"].iter().position(|p| Some(*p) == named);
                prop_assert_eq!(lost[place.expect("it is one of them")], most, "{}", own);
                continue;
            }
            let sizes = sizes(app, s.hops.server.p50_s);
            let largest = sizes.values().copied().fold(0.0, f64::max);
            if largest == 0.0 {
                prop_assert!(own.contains("none of its packets was seen"), "{}", own);
                continue;
            }
            let size = sizes.get(&(named.unwrap(), own.contains("from losses")));
            prop_assert!(size.is_some_and(|size| *size > 0.999 * largest), "{}: {:?}", own, sizes);
        }
    }
}
