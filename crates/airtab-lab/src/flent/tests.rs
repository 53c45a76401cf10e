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
    assert_eq!((got.host.as_str(), got.hosts.join(" ").as_str()), ("airtab", "airtab"));
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
    let course = &window.course.as_ref().unwrap().payload_bytes;
    // What was in the queue when it stopped comes later.
    assert_eq!(course.each_ref().map(|of| of.len()), [120; 2]);
    assert_eq!(
        course.each_ref().map(|of| of.iter().sum::<u64>()),
        [window.down.payload_bytes, window.up.payload_bytes]
    );
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
    // In whichever order packets were noted, and whichever overtakes another.
    window.up.deliveries = vec![at(208, 211), at(200, 204), at(0, 10), at(100, 203), at(150, 165)];
    window.down.deliveries = vec![at(210, 230), at(10, 25), at(212, 214), at(170, 172), at(5, 6)];
    let trips = round_trips(&window, 5 * MS).into_iter().map(|(s, ms)| (rounded(s), rounded(ms)));
    assert_eq!(trips.collect::<Vec<_>>(), [(0.02, 25.0), (0.167, 17.0), (0.209, 5.0), (0.225, 24.0)]);
}

/// Each direction of an application has a series of its own bytes; the title, the note and the start are those of the run.
#[test]
fn both_directions_have_their_own_rates() {
    let plain = scenario(&[
        ("swarm", "kind = \"p2p\"\nupload = true"),
        ("send", "kind = \"upload\"\nstart = \"12100ms\""),
    ]);
    let plan = Plan::of(&plain).unwrap();
    let trace = run(&plan);
    let got = plan.document(&trace, &Origin { title: "chap", note: "seed 4", start_unix_ns: 3_000_000_000 });
    assert_eq!((got.title.as_str(), got.note.as_str(), got.start_unix_ns), ("chap", "seed 4", 8_000_000_000));
    assert_eq!((got.host.as_str(), got.hosts.join(" ").as_str()), ("airtab", "swarm send"));
    let sums = |app: usize| {
        trace.apps[app].windows[0]
            .course
            .as_ref()
            .unwrap()
            .payload_bytes
            .each_ref()
            .map(|b| b.iter().sum::<u64>())
    };
    let of = |series: &Series| series.points.iter().map(|point| point.1 * 1e6 / 8.0 * 0.2).sum::<f64>();
    let [down, up, send] = &got.series[..] else { panic!("{:?}", names(&got)) };
    assert_eq!([down.sort, up.sort, send.sort], [Sort::Download, Sort::Upload, Sort::Upload]);
    let [received, sent] = sums(0);
    assert!(received != sent && received > 1_000_000 && sent > 1_000_000, "{received} {sent}");
    assert!((of(down) - received as f64).abs() < 1.0 && (of(up) - sent as f64).abs() < 1.0);
    assert!((of(send) - sums(1)[1] as f64).abs() < 1.0 && sums(1)[1] > 1_000_000);
    // From 12.1 s on, in the middle of a step that ends at 7.2 s of the file.
    assert_eq!((rounded(send.points[0].0), send.points.len(), up.points.len()), (7.2, 85, 120));
}

/// The file is of its own window, behind those of the scenario; its last step is as long as it is.
#[test]
fn the_span_is_cut_at_the_ends_of_the_run() {
    let mut plain = scenario(&[("fetch", "kind = \"download\"")]);
    plain.windows.push(MeasureWindow { name: "early".into(), part_ns: 0..1000 * MS, step_ns: None });
    (plain.duration_ns, plain.measure_ns) = (20_100 * MS, 3000 * MS..18_000 * MS);
    plain.apps[0].active_ns = 0..plain.duration_ns;
    let plan = Plan::of(&plain).unwrap();
    let own = plan.scenario().windows.last().unwrap();
    assert_eq!((plan.scenario().windows.len(), own.part_ns.clone()), (2, 0..20_100 * MS));
    let trace = run(&plan);
    let got = plan.document(&trace, &Origin { title: "", note: "", start_unix_ns: 0 });
    assert_eq!((got.start_unix_ns, got.loaded_s, got.total_s), (0, 15.0, 20.1));
    let points = &got.series[0].points;
    assert_eq!((points.len(), rounded(points[99].0), rounded(points[100].0)), (101, 20.0, 20.1));
    let bytes = trace.apps[0].windows[1].course.as_ref().unwrap().payload_bytes[0][100];
    assert!((points[100].1 - bytes as f64 * 8.0 / 0.1 / 1e6).abs() < 1e-9 && bytes > 10_000, "{bytes}");
    // With nothing but the first and the last 5 s there is nothing to see.
    for (end, expected) in [(10_000, Err(Unwritten::Short)), (10_001, Ok(()))] {
        (plain.duration_ns, plain.measure_ns) = (end * MS, 2000 * MS..8000 * MS);
        assert_eq!(Plan::of(&plain).map(|_| ()), expected, "{end} ms");
    }
}

/// An application of several users has no round trip, one that sends one way neither.
#[test]
fn pings_are_of_one_user_and_both_ways() {
    let series = |rest: &str| {
        let plan = Plan::of(&scenario(&[("a", rest), ("fetch", "kind = \"download\"")])).unwrap();
        plan.series.iter().filter(|(app, _)| *app == 0).map(|(_, sort)| *sort).collect::<Vec<_>>()
    };
    assert_eq!(series("kind = \"game\""), [Sort::Ping]);
    assert_eq!(series("kind = \"game\"\nusers = 2"), []);
    assert_eq!(series("kind = \"udp\"\nrate = \"1Mb/s\"\nupload = true"), []);
    assert_eq!(series("kind = \"video\""), []);
    assert_eq!(series("kind = \"web\""), [Sort::Download]);
}

/// A name of flent's own that is about something else is none of its test.
#[test]
fn names_of_rrul_are_of_their_own_sort() {
    for (name, kind, rrul) in [
        ("TCP upload EF", "upload", true),
        ("TCP download EF", "upload", false),
        ("Ping (ms) UDP BE", "ping", true),
        ("Ping (ms) UDP CS5", "ping", false),
    ] {
        let plan = Plan::of(&scenario(&[(name, &format!("kind = \"{kind}\""))])).unwrap();
        assert_eq!(plan.rrul, rrul, "{name} of a {kind}");
    }
}
