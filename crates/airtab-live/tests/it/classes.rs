// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Classes of a discipline through the access point, in virtual time: what a snapshot says of each, and a change from one
//! discipline of classes to another under traffic.

use crate::common;

use std::collections::BTreeMap;

use airtab_core::disciplines;
use airtab_live::{AccessPoint, ClassView, Port, Snapshot};
use airtab_sim::wifi::Category;
use common::{EMULATOR, Inner, MS, S, address, deadline::deadline, house, packet, queue};

/// A packet of 1000 bytes for the console, of class 0, and one for the laptop, of class 1, from their servers, each `gap`
/// from `from` to `to`.
fn feed(ap: &mut AccessPoint, from: u64, to: u64, gap: u64) {
    let mut now = from;
    while now < to {
        ap.advance(now);
        while ap.transmit().is_some() {}
        for app in 0..2 {
            let bytes = packet(address(app, false), address(2 + app, false), Inner::Udp, 4321, 0, 1000, 7);
            ap.receive(Port::Internet, &bytes, now);
        }
        now += gap;
    }
    ap.advance(to);
    while ap.transmit().is_some() {}
}

fn ap(spec: &str) -> AccessPoint {
    AccessPoint::new(house("classes", EMULATOR, ""), &queue(spec), 1).unwrap()
}

fn class(s: &Snapshot, name: &str) -> usize {
    s.qdisc
        .classes
        .classes
        .iter()
        .position(|class| class.class == name)
        .unwrap_or_else(|| panic!("class {name}"))
}

/// The emulator takes 60 + (1000 + 34) * 8 / 54 + 112 us = 325.2 us for a packet: 3075 a second, of 8000 that come. Two classes
/// that ask for more than they have: shares of 75 and 25 % of it, and 30 ms of queue.
#[test]
fn a_snapshot_tells_what_classes_get() {
    let _in_time = deadline(300);
    let mut ap = ap(
        "cbt:classes=2:share=75%,25%:th_min=22500,7500:th_max=22500,7500:mode=airtime:station_rate=54Mb/s",
    );
    feed(&mut ap, 0, 3 * S, 250_000);
    ap.snapshot();
    feed(&mut ap, 3 * S, 5 * S, 250_000);
    let s = ap.snapshot();
    let own = &s.qdisc.classes;
    let (first, second) = (&own.classes[class(&s, "0")], &own.classes[class(&s, "1")]);
    assert_eq!(own.classes.len(), 2, "nothing urgent came: {own:?}");
    let all = first.sent_bps.unwrap() + second.sent_bps.unwrap();
    assert!((all / (8000.0 / 325.2e-6) - 1.0).abs() < 0.01, "{all} b/s");
    let share = first.sent_bps.unwrap() / all;
    assert!((share - 0.75).abs() < 0.03, "{share}");
    for own in [first, second] {
        let wait = own.wait_mean_s.unwrap();
        // Thresholds are of what packets are expected to cost, 8.2 slots of 20 us of contention included, which the emulator
        // has not: 30 ms by 325.2 of 488 us.
        assert!((0.018..0.022).contains(&wait), "{wait} s");
        assert!((own.threshold_ratio.unwrap() - 1.0).abs() < 0.15, "{own:?}");
    }
    // One of them swings about its threshold.
    assert!(first.backlog_packets + second.backlog_packets > 20.0, "{own:?}");
    // What did not leave was dropped: 4000 of each came in a second.
    let dropped = first.drops_per_s.unwrap() + second.drops_per_s.unwrap();
    assert!((dropped - (8000.0 - all / 8000.0)).abs() < 50.0, "{dropped}");
    // The lines of a reader in another process say the same.
    let read: Snapshot = serde_json::from_str(&serde_json::to_string(&s).unwrap()).unwrap();
    assert_eq!(read, s);
    let text = airtab_live::plain::text(&s);
    assert!(text.contains("\n  class 0 ") && text.contains("\n  class 1 "), "{text}");
}

/// Disciplines that know classes show them; the others show none.
#[test]
fn every_discipline_of_classes_shows_them() {
    let _in_time = deadline(300);
    for discipline in disciplines() {
        let mut ap = ap(discipline.name());
        feed(&mut ap, 0, S / 10, 250_000);
        let s = ap.snapshot();
        let own = &s.qdisc.classes;
        let has = ["cbt", "cbq", "spq", "dnb"].contains(&discipline.name());
        assert_eq!(own.is_empty(), !has, "{}", discipline.name());
        let queued: f64 = own.classes.iter().map(|class| class.backlog_packets).sum();
        assert!(!has || queued == f64::from(s.qdisc.packets), "{}: {queued}", discipline.name());
        assert!(own.classes.iter().all(|class| class.values.len() == own.columns.len()));
    }
}

/// `airtab live queue cbt:...` while packets come: all that waits within the new caps is handed over, in order, and
/// everything is in the books; counters of the new one begin anew.
#[test]
fn a_change_under_traffic_loses_nothing_that_fits() {
    let _in_time = deadline(300);
    let specs = [
        "cbt:latency=30ms",
        "cbt:latency=40ms:rules=udp:1-65535=1,*=0",
        "cbt:latency=80ms:share=60%,30%,10%",
    ];
    let mut ap = ap(specs[0]);
    feed(&mut ap, 0, S, 250_000);
    for spec in specs.iter().cycle().skip(1).take(20) {
        let (before, queued) = (ap.books(), ap.snapshot().qdisc.packets);
        ap.set_queue(&queue(&format!("{spec}:cap=0"))).unwrap();
        let after = ap.books();
        assert!(after.balanced() && queued > 20, "{queued} packets");
        assert_eq!(
            (before.dropped, before.inside),
            (after.dropped, after.inside),
            "{spec}: {queued} packets"
        );
        let now = ap.snapshot();
        assert_eq!(now.qdisc.packets, queued);
        assert!(
            now.qdisc.classes.classes.iter().all(|class| class.sent_bps == Some(0.0)),
            "{:?}",
            now.qdisc.classes
        );
        let from = (ap.snapshot().now_s * 1e9).round() as u64;
        feed(&mut ap, from, from + 50 * MS, 250_000);
        assert!(ap.books().balanced());
    }
}

/// A class of `cbt` as a snapshot shows it: what it holds in what is counted (of airtime nothing), its average, arrivals, drops,
/// marks, packets since the last of these, and what else must be right at any time.
fn held_up(s: &Snapshot, class: &ClassView) -> (Option<f64>, f64, [f64; 4]) {
    let of =
        |name: &str| class.values[s.qdisc.classes.columns.iter().position(|c| c.name == name).expect(name)];
    let unit = s.qdisc.stats.iter().find(|stat| stat.name == "unit").expect("a statistic").value;
    let drops: f64 = ["forced_drops", "full_drops", "cap_drops", "early_drops"].map(of).iter().sum();
    // Nothing urgent comes, so that no packet is dropped but as it comes.
    assert_eq!(of("arrivals"), drops + of("sent") + of("backlog"), "{class:?}");
    assert!(of("th_min") <= of("th_max") && [0.0, 1.0, 2.0].contains(&of("mode")), "{class:?}");
    let held = [Some(of("backlog")), Some(of("backlog_bytes") + 38.0 * of("backlog")), None][unit as usize];
    (held, of("average"), [of("arrivals"), drops, of("marks"), of("count")])
}

/// Packets of all sizes to both stations, in rushes: after each of them the classes' packets are the queue's, no average is above
/// what its class has held at most, what was dropped was what came, and each station gets its packets in order (Parris 2001,
/// IV.3). By packets, by bytes, and by airtime as the access point tells it.
#[test]
fn classes_are_right_in_every_snapshot() {
    let _in_time = deadline(300);
    // The largest packet in what is counted.
    for (spec, limit, size) in [
        ("cbt", 1000, 0.0),
        ("cbt:mode=byte:limit=60", 60, 1538.0),
        ("cbt:average=sampled:mode=packet:weight=1/4:limit=240", 240, 1.0),
        ("cbt:average=all:mode=byte:cap=1.5:guard=3", 1000, 1538.0),
        ("cbt:profile=faithful:limit=240:rules=udp:4321=0,*=1", 240, 1.0),
    ] {
        let (mut ap, mut draws) = (ap(spec), 1u64);
        let mut below = |most: u64| {
            draws = draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (draws >> 33) % most
        };
        let (mut most, mut before) = (BTreeMap::new(), BTreeMap::<String, ([f64; 4], f64)>::new());
        let (mut now, mut last, mut seen) = (0, [0; 2], [0.0; 2]);
        for id in 1..4000u32 {
            now += below(if (id / 300).is_multiple_of(2) { 300_000 } else { 1_200_000 });
            ap.advance(now);
            while let Some((port, _, bytes)) = ap.transmit() {
                assert_ne!(port, Port::Internet);
                let id = u32::from_be_bytes(bytes[bytes.len() - 4..].try_into().unwrap());
                let last = &mut last[usize::from(id.is_multiple_of(3))];
                assert!(id > *last, "{spec}: {id} after {last}");
                *last = id;
            }
            let (to, bytes) = (usize::from(id.is_multiple_of(3)), 60 + below(1441) as usize);
            let ecn = if below(2) == 0 { 2 } else { 0 };
            let bytes = packet(address(to, false), address(2 + to, false), Inner::Udp, 4321, ecn, bytes, id);
            ap.receive(Port::Internet, &bytes, now);
            let s = ap.snapshot();
            assert!(s.qdisc.packets <= limit && ap.books().balanced(), "{spec}: {} packets", s.qdisc.packets);
            let queued: f64 = s.qdisc.classes.classes.iter().map(|class| class.backlog_packets).sum();
            assert_eq!(queued, f64::from(s.qdisc.packets), "{spec}: the classes', and the queue's");
            for class in &s.qdisc.classes.classes {
                let (held, average, counts) = held_up(&s, class);
                let [came, dropped, marked, count] = counts;
                let held = held.unwrap_or(f64::INFINITY);
                let (was, had) = before.insert(class.class.clone(), (counts, held)).unwrap_or_default();
                // What came since may have been there together with what was.
                let between = had + (came - was[0]) * size;
                let most = most.entry(class.class.clone()).or_insert(0.0f64);
                *most = most.max(between).max(held);
                assert!((0.0..=*most + 1e-3).contains(&average), "{spec}: {average} of {most} held");
                if came == was[0] + 1.0 && (dropped > was[1] || marked > was[2]) {
                    assert_eq!(count, 0.0, "{spec}: since the last drop or mark, which is this one");
                }
                seen = [seen[0] + dropped - was[1], seen[1] + marked - was[2]];
            }
        }
        let marks = !spec.contains("faithful");
        assert!(seen[0] > 100.0 && (seen[1] > 0.0) == marks, "{spec}: {seen:?} dropped and marked");
    }
}

/// Each access category has a discipline of its own, with classes of its own: what each has sent in an interval is
/// told of both.
#[test]
fn classes_are_their_access_categorys() {
    let _in_time = deadline(300);
    let mut house = house("categories", "phy = \"std-11n\"\nbeacon_interval = \"off\"", "");
    house.file.scenario.apps[0].access = Category::Voice;
    let mut ap = AccessPoint::new(house, &queue("cbt"), 1).unwrap();
    let mut now = 0;
    // Packets of the game by voice and of the download by best effort, in two seconds of which the first has more.
    for (game, download) in [(70, 90), (30, 10)] {
        for (app, n) in [(0, game), (1, download)] {
            let bytes = packet(address(app, false), address(2 + app, false), Inner::Udp, 4321, 0, 1000, 7);
            (0..n).for_each(|_| ap.receive(Port::Internet, &bytes, now));
        }
        now += S;
        ap.advance(now);
        while ap.transmit().is_some() {}
        let s = ap.snapshot();
        let sent: BTreeMap<_, _> = s
            .qdisc
            .classes
            .classes
            .iter()
            .filter(|class| class.is_active())
            .map(|own| ((own.category.as_str(), own.class.as_str()), own.sent_bps.unwrap()))
            .collect();
        let bits = |n: i32| 8.0 * 1000.0 * f64::from(n);
        assert_eq!(sent, BTreeMap::from([(("be", "1"), bits(download)), (("vo", "0"), bits(game))]));
    }
}
