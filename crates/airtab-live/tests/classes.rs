// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Classes of a discipline through the access point, in virtual time: what a snapshot says of each, and a change from one
//! discipline of classes to another under traffic.

mod common;

use airtab_core::disciplines;
use airtab_live::{AccessPoint, Port, Snapshot};
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
