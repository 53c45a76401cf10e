// SPDX-License-Identifier: MIT OR GPL-2.0-only
mod causes;
mod largest;
mod limits;

use super::*;
use crate::fixture::evening;
use crate::snapshot::{FlowView, Score, StationView};

fn delay(p50_s: f64, p99_s: f64) -> Quantiles {
    Quantiles { p50_s, p99_s, count: 1000 }
}

/// Nothing happens: only beacons.
fn idle() -> Snapshot {
    let air = AirView { beacon_ratio: 0.002, idle_ratio: 0.998, ..AirView::default() };
    Snapshot { air, ..Snapshot::default() }
}

fn flow(app: Option<&str>, air: f64, backlog: u32, wait_s: f64) -> FlowView {
    FlowView {
        app: app.map(String::from),
        tuple: "tcp 10.0.0.9:1 198.18.0.9:2".into(),
        station: "laptop".into(),
        backlog_packets: backlog,
        rates: Rates { down_air_ratio: air, sojourn_p50_s: wait_s, ..Rates::default() },
        ..FlowView::default()
    }
}

fn app(name: &str, metric: &str, value: f64, text: &str) -> AppView {
    let score = Score { metric: metric.into(), value, text: text.into(), ..Score::default() };
    AppView { name: name.into(), score: Some(score), ..AppView::default() }
}

/// Whether there is trouble, and the sentence.
fn said(s: &Snapshot) -> (bool, String) {
    let blame = blame(s);
    (blame.trouble, blame.text)
}

fn is(s: &Snapshot, trouble: bool, text: &str) {
    assert_eq!(said(s), (trouble, text.into()));
}

#[test]
fn nothing_happens() {
    is(&idle(), false, "Idle: the air is 100 % free");
    is(&Snapshot::default(), false, "Idle: the air is 100 % free");
    let mut ping = idle();
    ping.hops.wired = delay(0.004, 0.005);
    is(&ping, false, "Idle: the air is 100 % free");
}

#[test]
fn traffic_without_delay() {
    let mut s = idle();
    s.air.down_ratio = 0.2;
    s.hops.wired = delay(0.004, 0.006);
    s.hops.queue = delay(0.002, 0.010);
    is(&s, false, "All quick: packets take 6.0 ms");
    s.air.down_ratio = 0.6;
    s.flows = vec![flow(Some("update"), 0.58, 0, 0.001), flow(None, 0.02, 0, 0.001)];
    is(&s, false, "All quick: packets take 6.0 ms; update (laptop) uses 58 % of the air");
}

#[test]
fn a_long_queue_at_a_station() {
    let mut s = idle();
    s.air.up_ratio = 0.2;
    (s.hops.uplink_queue, s.hops.wired) = (delay(0.366, 0.4), delay(0.002, 0.003));
    let rates = Rates { up_bps: 31e6, ..Rates::default() };
    s.stations = vec![StationView { name: "laptop".into(), rates, ..StationView::default() }];
    let text = "A station's own queue takes 366 ms of 368 ms (1 packet in 100: over 400 ms), laptop sends \
                most: 31.0 Mb/s";
    is(&s, true, text);
}

#[test]
fn the_way_up_behind_the_queue() {
    let mut s = idle();
    s.hops.uplink_air = delay(0.040, 0.090);
    let air = "The air from the stations takes 40 ms of 40 ms (1 packet in 100: over 90 ms)";
    is(&s, true, air);
    s.air.collision_ratio = 0.12;
    is(&s, true, &format!("{air}, collisions take 12 % of the air"));
    s.hops.uplink_wired = delay(0.070, 0.080);
    let text =
        "Not the Wi-Fi: the wired line to the servers took 70 ms of 110 ms (1 packet in 100: over 80 ms)";
    is(&s, false, text);
    // Three that are not the Wi-Fi are more than half of it.
    (s.hops.wired, s.hops.server) = (delay(0.071, 0.08), delay(0.072, 0.08));
    assert!(!said(&s).0);
}

#[test]
fn a_tail_is_named() {
    let mut s = idle();
    s.hops.wired = delay(0.004, 0.006);
    s.hops.queue = delay(0.002, 0.140);
    is(&s, true, "Quick for most (6.0 ms), but 1 packet in 100 takes over 140 ms in the Wi-Fi queue");
}

#[test]
fn the_queue_alone() {
    let mut s = idle();
    s.hops.queue = delay(0.210, 0.380);
    s.hops.wired = delay(0.030, 0.032);
    s.air.down_ratio = 0.9;
    s.qdisc.packets = 100;
    let queue = "The Wi-Fi queue takes 210 ms of 240 ms (1 packet in 100: over 380 ms)";
    is(&s, true, &format!("{queue}; 90 % of the air is in use"));
    s.flows = vec![flow(Some("update"), 0.71, 90, 0.25), flow(Some("film"), 0.1, 10, 0.2)];
    let air = "update (laptop) uses 71 % of the air";
    is(&s, true, &format!("{queue}, most of its packets are those of update (laptop); {air}"));
    // No one's queue: two hold it.
    s.flows[0].backlog_packets = 40;
    is(&s, true, &format!("{queue}; {air}"));
}

#[test]
fn a_queue_that_only_its_owner_waits_in() {
    let mut s = idle();
    s.hops.queue = delay(0.300, 0.480);
    s.hops.wired = delay(0.010, 0.012);
    s.qdisc.packets = 100;
    s.flows = vec![flow(Some("update"), 0.0, 98, 0.30), flow(Some("game"), 0.0, 2, 0.0013)];
    is(
        &s,
        false,
        "The Wi-Fi queue takes 300 ms of 310 ms (1 packet in 100: over 480 ms), but only from update (laptop); others wait 1.3 ms at most",
    );
}

#[test]
fn the_air_alone_and_why() {
    let mut s = idle();
    s.hops.air = delay(0.040, 0.090);
    let air = "The air takes 40 ms of 40 ms (1 packet in 100: over 90 ms)";
    is(&s, true, air);
    s.air.collision_ratio = 0.12;
    is(&s, true, &format!("{air}, collisions take 12 % of the air"));
    let rates = Rates { down_air_ratio: 0.2, attempts_mean: 2.34, ..Rates::default() };
    s.stations = vec![StationView { name: "tablet".into(), rates, ..StationView::default() }];
    is(&s, true, &format!("{air}, tablet needs 2.3 attempts for a frame"));
}

#[test]
fn not_the_wifi() {
    let mut s = idle();
    s.hops.wired = delay(0.060, 0.065);
    s.hops.queue = delay(0.004, 0.009);
    is(&s, false, "Not the Wi-Fi: the wired line took 60 ms of 64 ms (1 packet in 100: over 65 ms)");
    s.hops.server = delay(0.800, 1.4);
    is(&s, false, "Not the Wi-Fi: the servers took 800 ms of 864 ms (1 answer in 100: over 1.4 s)");
}

#[test]
fn two_hops_share_it() {
    let mut s = idle();
    s.hops.wired = delay(0.050, 0.060);
    s.hops.queue = delay(0.060, 0.090);
    is(&s, true, "The Wi-Fi queue and the wired line share the delay: 60 ms and 50 ms of 110 ms");
    s.hops.queue = delay(0.048, 0.090);
    is(&s, true, "The wired line and the Wi-Fi queue share the delay: 50 ms and 48 ms of 98 ms");
    s.hops.queue = Quantiles::default();
    s.hops.server = delay(0.040, 0.050);
    is(&s, false, "The wired line and the servers share the delay: 50 ms and 40 ms of 90 ms");
}

#[test]
fn all_hops_share_it() {
    let mut s = idle();
    (s.hops.server, s.hops.wired) = (delay(0.030, 0.04), delay(0.028, 0.04));
    (s.hops.queue, s.hops.air) = (delay(0.026, 0.04), delay(0.016, 0.04));
    is(
        &s,
        true,
        "No single place holds the delay of 100 ms: the servers 30 ms, the wired line 28 ms, the Wi-Fi queue 26 ms, the air 16 ms",
    );
}

#[test]
fn who_uses_the_air() {
    let mut s = idle();
    s.air.down_ratio = 0.8;
    let text = |s: &Snapshot| said(s).1.split_once("; ").map(|(_, air)| air.to_string()).unwrap();
    s.flows = vec![flow(Some("update"), 0.4, 0, 0.0), flow(None, 0.38, 0, 0.0)];
    assert_eq!(text(&s), "of the air, update (laptop) 40 % and tcp 10.0.0.9:1 198.18.0.9:2 38 %");
    // Flows of one application count as one.
    s.flows[1].app = Some("update".into());
    assert_eq!(text(&s), "update (laptop) uses 78 % of the air");
    s.flows = ["a", "b", "c", "d"].map(|name| flow(Some(name), 0.2, 0, 0.0)).into();
    assert_eq!(text(&s), "80 % of the air is in use, by many: a (laptop) has most, 20 %");
    // No flows known: stations.
    let rates = Rates { up_air_ratio: 0.7, ..Rates::default() };
    s.flows.clear();
    s.stations = vec![StationView { name: "tablet".into(), rates, ..StationView::default() }];
    assert_eq!(text(&s), "tablet uses 70 % of the air");
}

#[test]
fn who_suffers() {
    let mut s = idle();
    s.apps = vec![app("game", "game_mos", 2.1, "2.10 MOS"), app("call", "voip_mos", 4.4, "4.40 MOS")];
    let game = "game (2.10 MOS) suffers, and none of its packets was seen on the way";
    is(&s, true, game);
    s.apps.push(app("browser", "page_seconds", 6.2, "6.2 s page"));
    let browser = "browser (6.2 s page) suffers, and none of its packets was seen on the way";
    is(&s, true, &format!("{game}; {browser}"));
    s.hops.server = delay(0.015, 0.015);
    let browser = "browser (6.2 s page) suffers, 100 % of it from the servers (15 ms)";
    is(&s, true, &format!("{game}; {browser}"));
    // A rate has no limit below which users suffer; what is not known is not judged.
    s.apps = vec![app("update", "goodput_bits_per_second", 1.0, "0 Mb/s"), app("x", "no_such", 0.0, "0")];
    is(&s, false, "Idle: the air is 100 % free");
}

#[test]
fn who_does_not_feel_it() {
    let mut s = idle();
    s.hops.queue = delay(0.210, 0.380);
    s.apps = vec![app("game", "game_mos", 4.2, "4.20 MOS")];
    let queue = "The Wi-Fi queue takes 210 ms of 210 ms (1 packet in 100: over 380 ms)";
    is(&s, false, &format!("{queue}; game does not feel it"));
    s.apps.push(app("call", "voip_mos", 4.4, "4.40 MOS"));
    is(&s, false, &format!("{queue}; game and call do not feel it"));
}

#[test]
fn a_machine_that_is_too_slow_accuses_nobody() {
    let mut s = evening()[0].clone();
    s.pace.late_p99_s = 0.0051;
    is(
        &s,
        true,
        "Do not trust these figures: this machine is too slow, 1 packet in 100 goes on more than 5.1 ms late",
    );
}

#[test]
fn a_whole_evening() {
    is(
        &evening()[0],
        false,
        "The Wi-Fi queue takes 120 ms of 138 ms (1 packet in 100: over 165 ms), but only from update (laptop); others wait 4.2 ms at most; update (laptop) uses 63 % of the air; game, call, film and 1 more do not feel it",
    );
}
