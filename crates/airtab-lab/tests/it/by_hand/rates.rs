// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Why a rate is what it is: a sentence for each case of bulk data, from figures made up for it.

use Metric::*;
use airtab_scenario::{Metric, OfPath};

use super::made::{app, bulk, down, up};
use super::reasons::{beside, reasons};

#[test]
fn a_film_plays_or_stands_still() {
    let film = |stalled| {
        let mut film = bulk(2.0e6, 3.0, 0.009, 0.06, 0.01, 0.01);
        film.extend([(BitRate, 1.87e6), (Stalled, stalled), (Switches, 5.0)]);
        let peers = app("peers", "p2p", &bulk(20e6, 30.0, 0.012, 0.6, 0.01, 0.01));
        reasons(vec![app("film", "streaming", &film), peers]).swap_remove(0)
    };
    let air = "peers uses 60 % of the air, it gets 6.0 %; it holds 3 of the 35 places, and 1.0 % of its packets \
               are dropped";
    assert_eq!(
        film(0.0),
        format!("film 1.87 Mb/s under fifo: it never stands still and changes its rate 5 times; {air}")
    );
    assert_eq!(
        film(0.2),
        format!(
            "film 1.87 Mb/s under fifo: it stands still for 20 % of its time and changes its rate 5 times; {air}"
        )
    );
    assert_eq!(
        reasons(vec![app("film", "streaming", &[(Goodput, 1e5)])]),
        ["film under fifo: its first segment was not complete in time"]
    );
}

#[test]
fn an_upload_is_not_queued_here() {
    let figures = [
        (UplinkGoodput, 17.5e6),
        (UplinkAir, 0.52),
        (Air, 0.09),
        (QueueDelayP50, 0.0004),
        (QueueDelay, 0.002),
    ];
    let apps = vec![
        app("backup", "upload", &figures),
        app("download", "download", &bulk(7e6, 3.0, 0.009, 0.2, 0.0, 0.0)),
    ];
    assert_eq!(
        reasons(apps)[0],
        "backup 17.50 Mb/s under fifo: it sends for 52 % of the time, downlinks for 29 %; its ACKs wait 2.0 ms in \
         the queue"
    );
}

#[test]
fn what_slows_a_download() {
    let of = |kind, figures: &[(Metric, f64)]| reasons(vec![app("d", kind, figures)]).remove(0);
    // 2 Mb/s in 5.5 ms are 1.4 kB.
    assert_eq!(
        of("download", &bulk(2e6, 3.0, 0.005, 0.4, 0.05, 0.0)),
        "d 2.00 Mb/s under fifo: losses cut its window: the channel on the way down, on which 5.0 % of its packets are \
         lost; it has 1 kB under way, and 91 % of its round trip of 5.5 ms is the access point's queue, where a packet \
         waits 5.0 ms: it holds 3 of the 35 places itself"
    );
    // 5 Mb/s in 50 ms are 31.25 kB.
    let mut far = bulk(5e6, 0.2, 0.0001, 0.12, 0.0, 0.0);
    far.push((up(OfPath::Wires), 0.0494));
    let trip = "it has 31 kB under way, and 99 % of its round trip of 50 ms is the wired line, where a packet takes 49 ms";
    assert_eq!(
        of("download", &far),
        format!(
            "d 5.00 Mb/s under fifo: nothing is lost and it seldom queues: its window sets its rate; {trip}"
        )
    );
    // A film asks for no more than its buffer holds.
    far.extend([(BitRate, 4e6), (Stalled, 0.0)]);
    assert!(
        of("streaming", &far)
            .ends_with(&format!(": its window, or what its buffer asks for, sets its rate; {trip}")),
        "{}",
        of("streaming", &far)
    );
    // A few losses in the queue, which is seldom used, are what cuts it: all the air would not help.
    far.retain(|(metric, _)| ![QueueDropped, down(OfPath::QueueLoss)].contains(metric));
    far.extend([(QueueDropped, 0.004), (down(OfPath::QueueLoss), 0.004)]);
    assert_eq!(
        of("p2p", &far),
        format!(
            "d 5.00 Mb/s under fifo: losses cut its window: the access point's queue, which drops 0.4 % of its packets, \
             though on the mean 0 of the 35 places are taken; {trip}"
        )
    );
}

/// The places that it did not get are somebody's, if many of its packets are dropped.
#[test]
fn who_has_the_places_of_a_download() {
    let of = |dropped| {
        let own = bulk(5e6, 3.0, 0.009, 0.125, dropped, dropped);
        beside(app("d", "download", &own), 30.0, 0.010, 0.1)
    };
    let air = "d 5.00 Mb/s under fifo: it has 56 % of the air that is used; it holds 3 of the 35 places, and";
    assert_eq!(of(0.01), format!("{air} 1.0 % of its packets are dropped"));
    assert_eq!(
        of(0.02),
        format!("{air} 2.0 % of its packets are dropped: download holds 30 of the 35 places")
    );
}

/// Data that goes up is a rival, too.
#[test]
fn air_is_used_both_ways() {
    let with = |theirs| {
        let backup = [(UplinkGoodput, 9e6), (UplinkAir, theirs), (Air, 0.05)];
        let mut own = bulk(12e6, 15.0, 0.009, 0.25, 0.0, 0.0);
        own.push((UplinkAir, 0.15));
        reasons(vec![app("d", "download", &own), app("backup", "upload", &backup)]).remove(0)
    };
    // 0.05 and 0.45 are a quarter more than 0.25 and 0.15.
    assert!(with(0.46).contains(": backup uses 51 % of the air, it gets 40 %; "), "{}", with(0.46));
    assert!(with(0.35).contains(": it has 50 % of the air that is used; "), "{}", with(0.35));
}

/// At home in its station's queue, or not: then what cuts its window there, and the way to and fro.
#[test]
fn an_upload_stands_in_line_or_not() {
    let of = |places: f64, wait: f64, lost: f64| {
        let figures = [
            (UplinkGoodput, 8e6),
            (UplinkIpThroughput, 8e6),
            (UplinkAir, 0.25),
            (UplinkPackets, places),
            (up(OfPath::Queue), wait),
            (up(OfPath::Channel), 0.001),
            (up(OfPath::QueueLoss), lost),
            (down(OfPath::Wires), 0.04),
        ];
        let reason = reasons(vec![app("x", "upload", &figures)]).swap_remove(0);
        reason
            .strip_prefix("x 8.00 Mb/s up under fifo: ")
            .or(reason.strip_prefix("x 8.00 Mb/s under fifo: "))
            .unwrap()
            .to_string()
    };
    let sends = "it sends for 25 % of the time, downlinks for 0 %; its ACKs wait 0 ms in the queue";
    assert_eq!(of(1.0, 0.001, 0.01), sends);
    // 8 Mb/s in 42 ms are 42 kB.
    let trip = "it has 42 kB under way, and 95 % of its round trip of 42 ms is the wired line, where a packet takes 40 ms";
    let lost = "losses cut its window: its station's uplink queue, which drops 1.0 % of its packets, behind its own packets";
    assert_eq!(of(0.99, 0.001, 0.01), format!("{lost}; {trip}"));
    assert_eq!(of(1.0, 0.0009, 0.01), format!("{lost}; {trip}"));
    assert_eq!(
        of(0.5, 0.001, 0.0),
        format!("nothing is lost and it seldom queues: its window sets its rate; {trip}")
    );
}

/// Packets that nothing slows are lost before their station's air.
#[test]
fn packets_up_are_lost() {
    let of = |loss| {
        let figures = [
            (Goodput, 3e6),
            (UplinkGoodput, 3e6),
            (UplinkAir, 0.5),
            (UplinkLoss, loss),
            (up(OfPath::QueueLoss), loss),
        ];
        reasons(vec![app("x", "udp", &figures)]).swap_remove(0)
    };
    assert_eq!(of(0.01), "x 3.00 Mb/s under fifo: it sends for 50 % of the time");
    assert_eq!(
        of(0.25),
        "x 3.00 Mb/s under fifo: 100 % of its losses is its station's uplink queue, which drops 25 % of its packets, \
         behind its own packets; it sends for 50 % of the time"
    );
}

#[test]
fn a_rival_has_notably_more_air() {
    let with = |theirs| {
        let two = |air| bulk(12e6, 15.0, 0.009, air, 0.005, 0.005);
        reasons(vec![app("a", "download", &two(0.20)), app("b", "download", &two(theirs))]).remove(0)
    };
    assert!(with(0.24).contains(": it has 45 % of the air that is used; "), "{}", with(0.24));
    assert!(with(0.26).contains(": b uses 26 % of the air, it gets 20 %; "), "{}", with(0.26));
}

#[test]
fn a_download_at_the_bounds() {
    let of = |loss: f64, dropped: f64, places: f64, wait: f64| {
        let reason = reasons(vec![app("d", "download", &bulk(5e6, places, wait, 0.125, loss, dropped))]);
        reason[0].strip_prefix("d 5.00 Mb/s under fifo: ").unwrap().to_string()
    };
    let lost = |loss, dropped| of(loss, dropped, 3.0, 0.001);
    let slows = |reason: &str| reason.starts_with("losses cut its window: the channel on the way down, ");
    assert!(slows(&lost(0.05, 0.0)) && slows(&lost(0.0101, 0.0)) && !slows(&lost(0.01, 0.0)), "above 1 %");
    // 0.0625 in all, half of it in the queue: not more on the air; and less of it.
    assert!(!slows(&lost(0.0625, 0.03125)) && slows(&lost(0.0625, 0.03)) && !slows(&lost(0.0625, 0.04)));
    assert!(lost(0.0625, 0.03).contains("on which 3.2 % of its packets are lost"), "{}", lost(0.0625, 0.03));
    let held = |places, drops| {
        format!(
            "it has 100 % of the air that is used; it holds {places} of the 35 places, and {drops} of its packets are \
             dropped"
        )
    };
    // The channel takes half a millisecond.
    assert_eq!(of(0.0, 0.0, 1.0, 0.0005), held(1, "0 %"));
    assert_eq!(of(0.001, 0.001, 1.4, 0.0005), held(1, "0.1 %"));
    for (places, wait) in [(1.0, 0.0004), (0.9, 0.0005)] {
        let seldom = of(0.0, 0.0, places, wait);
        assert!(seldom.starts_with("nothing is lost and it seldom queues: "), "{seldom}");
    }
    // Air of an eighth: a rival has 5/32 or more.
    let rival =
        |air: f64| beside(app("d", "download", &bulk(5e6, 3.0, 0.001, 0.125, 0.0, 0.0)), 3.0, 0.001, air);
    assert!(rival(0.15625).contains("download uses 16 % of the air, it gets 12 %"), "{}", rival(0.15625));
    assert!(rival(0.156).contains("it has 44 % of the air that is used"), "{}", rival(0.156));
}

#[test]
fn what_has_no_air_or_no_data() {
    let one =
        |kind: &'static str, figures: &[(Metric, f64)]| reasons(vec![app("x", kind, figures)]).swap_remove(0);
    assert_eq!(
        one("download", &[(Goodput, 0.0), (Air, 0.0)]),
        "x 0.00 Mb/s under fifo: nothing arrives, and it uses 0 % of the air"
    );
    assert_eq!(one("p2p", &[]), "x under fifo: it sent nothing while measured");
    assert_eq!(one("streaming", &[(Goodput, 0.0)]), "x under fifo: it sent nothing while measured");
    assert_eq!(one("streaming", &[]), "x under fifo: it sent nothing while measured");
    assert_eq!(one("upload", &[(UplinkAir, 0.0)]), "x under fifo: it sent nothing while measured");
    assert_eq!(
        one("upload", &[(UplinkAir, 0.25), (Air, 0.125)]),
        "x under fifo: it sends for 25 % of the time, downlinks for 12 %; its ACKs wait 0 ms in the queue"
    );
}
