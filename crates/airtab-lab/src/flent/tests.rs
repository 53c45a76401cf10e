// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is written of which scenario, and of a run whose figures are known.

use airtab_core::{Discipline, Params};
use airtab_scenario::{ScenarioFile, measure};
use airtab_sim::Delivery;

use super::document::rounded;
use super::*;

const MS: u64 = 1_000_000;

/// One station on the emulated link; `apps`: name, kind and other lines of each.
fn scenario(apps: &[(&str, &str)]) -> Scenario {
    let mut text = "duration = \"30s\"\nmeasure = [\"10s\", \"24s\"]\n[wifi]\nmedium = \"emulator\"\n\
                    [[station]]\nname = \"s\"\nfer = 0\n"
        .to_string();
    for (name, rest) in apps {
        text.push_str(&format!("[[app]]\nname = \"{name}\"\nstation = \"s\"\n{rest}\n"));
    }
    ScenarioFile::parse("house.toml", &text).unwrap_or_else(|e| panic!("{e}")).scenario
}

fn run(plan: &Plan) -> Trace {
    airtab_sim::run(plan.scenario(), &Params::new(Discipline::named("fifo").unwrap()), 1)
}

fn document(apps: &[(&str, &str)]) -> Document {
    let plan = Plan::of(&scenario(apps)).unwrap();
    plan.document(&run(&plan), &Origin { title: "fifo", note: "seed 1", start_unix_ns: 0 })
}

fn names(document: &Document) -> Vec<&str> {
    document.series.iter().map(|series| series.name.as_str()).collect()
}

#[test]
fn kinds_and_their_series() {
    let got = document(&[
        ("fetch", "kind = \"download\""),
        ("send", "kind = \"upload\""),
        ("swarm", "kind = \"p2p\"\nupload = true"),
        ("film", "kind = \"streaming\""),
        ("call", "kind = \"voip\""),
        ("cast", "kind = \"udp\"\nrate = \"1Mb/s\""),
    ]);
    let all = [
        "TCP download BE fetch",
        "TCP upload BE send",
        "TCP download BE swarm",
        "TCP upload BE swarm",
        "TCP download BE film",
        "Ping (ms) ICMP call",
    ];
    assert_eq!(names(&got), all);
    assert_eq!((got.test, got.hosts.join(" ").as_str()), ("rtt_fair_var", "fetch send swarm film call"));
    // 5 s on each side of the measured part.
    assert_eq!((got.start_unix_ns, got.loaded_s, got.total_s), (5_000_000_000, 14.0, 24.0));
}

/// Names of flent's own make a file of its test; one more application makes it another.
#[test]
fn names_of_rrul_are_kept() {
    let rrul = [("TCP download BK", "kind = \"download\""), ("Ping (ms) ICMP", "kind = \"ping\"")];
    let got = document(&rrul);
    assert_eq!((got.test, names(&got)), ("rrul", vec!["TCP download BK", "Ping (ms) ICMP"]));
    assert_eq!(document(&[rrul[0], rrul[1], ("call", "kind = \"voip\"")]).test, "rtt_fair_var");
    // A download is no upload, whatever its name.
    assert_eq!(document(&[("TCP upload BE", "kind = \"download\"")]).test, "rtt_fair_var");
}

#[test]
fn what_has_no_series_is_refused() {
    let one = |rest| Plan::of(&scenario(&[("a", rest)])).map(|_| ());
    assert_eq!(one("kind = \"udp\"\nrate = \"1Mb/s\""), Err(Unwritten::Nothing));
    assert_eq!(one("kind = \"game\"\nusers = 2"), Err(Unwritten::Nothing));
    let short = airtab_scenario::short(&scenario(&[("a", "kind = \"game\"")]));
    assert_eq!(Plan::of(&short).map(|_| ()), Err(Unwritten::Short));
}

/// Bytes of the course are those of the run, in the time in which there is something to send; pings over an idle way of
/// 11 ms (the trunk has one of them) take 22 and what the air takes; nothing is changed by looking.
#[test]
fn values_are_those_of_the_run() {
    let plain = scenario(&[
        ("fetch", "kind = \"download\"\nstart = \"12s\"\nstop = \"20s\""),
        ("ask", "kind = \"ping\"\ninterval = \"200ms\"\nlatency = \"10ms\""),
    ]);
    let plan = Plan::of(&plain).unwrap();
    let (trace, bare) =
        (run(&plan), airtab_sim::run(&plain, &Params::new(Discipline::named("fifo").unwrap()), 1));
    assert_eq!(trace.fingerprint, bare.fingerprint);
    assert_eq!(measure(&plain, &trace).apps, measure(&plain, &bare).apps);
    let got = plan.document(&trace, &Origin { title: "fifo", note: "", start_unix_ns: 0 });
    let [rate, ping] = &got.series[..] else { panic!("{:?}", names(&got)) };
    // From 5 s on: 12 s to 20 s are steps that end at 7.2 to 15.
    let ends: Vec<f64> = rate.points.iter().map(|point| point.0).collect();
    assert_eq!((ends.len(), rounded(ends[0]), rounded(ends[39])), (40, 7.2, 15.0));
    let bytes: f64 = rate.points.iter().map(|point| point.1 * 1e6 / 8.0 * 0.2).sum();
    let window = &trace.apps[0].windows[0];
    let course = &window.course.as_ref().unwrap().bytes;
    // What was in the queue when it stopped comes later.
    assert_eq!(course.each_ref().map(|of| of.len()), [120; 2]);
    assert_eq!(course.each_ref().map(|of| of.iter().sum::<u64>()), [window.down.bytes, window.up.bytes]);
    let active: u64 = course[0][35..75].iter().sum();
    assert!((bytes - active as f64).abs() < 1.0 && active > 20_000_000, "{bytes}, {active}");
    let idle: Vec<f64> = ping.points.iter().filter(|(t, _)| *t < 7.0).map(|(_, ms)| *ms).collect();
    assert!(idle.len() == 35 && idle.iter().all(|ms| (22.0..22.5).contains(ms)), "{idle:?}");
    let loaded = ping.points.iter().map(|point| point.1).fold(0.0, f64::max);
    assert!(loaded > 40.0, "behind the download: {loaded}");
}

/// An echo has its own request's way up, in whichever order; without one there is no round trip.
#[test]
fn a_round_trip_is_both_ways() {
    let at = |sent: u64, received: u64| Delivery { sent_ns: sent * MS, received_ns: received * MS };
    let plan = Plan::of(&scenario(&[("ask", "kind = \"ping\"")])).unwrap();
    let mut window = run(&plan).apps.remove(0).windows.remove(0);
    // The second request is lost on its way back, the third overtakes nobody, the last answer has no request.
    window.up.deliveries = vec![at(0, 10), at(100, 130), at(200, 204)];
    window.down.deliveries = vec![at(5, 6), at(10, 25), at(204, 205)];
    assert_eq!(round_trips(&window, 0), [(0.025, 25.0), (0.205, 5.0)]);
}
