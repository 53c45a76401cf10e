// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The course of an application by the second, and its figures.

use airtab_core::{Discipline, Params};
use airtab_scenario::{Measured, Metric, ScenarioFile, Second};

/// A video whose rate crosses the fair share of eleven flows, 2.3 Mb/s, after
/// 170 s; ten downloads (CHAP dissertation 6.10).
const EDGE: &str = r#"
    duration = "332s"
    measure = ["90s", "270s"]
    queue.limit = 35
    [[station]]
    name = "television"
    [[station]]
    name = "laptop"
    [[app]]
    name = "video"
    kind = "video"
    trace = "synthetic-two-phase"
    station = "television"
    start = "30s"
    stop = "330s"
    [[app]]
    name = "peers"
    kind = "p2p"
    station = "laptop"
    start = "90s"
    stop = "270s"
    class = 1
"#;

fn run(queue: &str) -> Measured {
    let file = ScenarioFile::parse("edge.toml", EDGE).unwrap();
    let mut params = Params::new(Discipline::named(queue).unwrap());
    params.set("limit", "35").unwrap();
    if queue == "chap" {
        for (name, value) in [("share", "flow"), ("uplink", "off"), ("target", "5ms")] {
            params.set(name, value).unwrap();
        }
    }
    airtab_lab::run(&file.scenario, &params, 1)
}

/// Mean frames shown in the seconds that satisfy `which`, and how many these are.
fn frames(seconds: &[Second], which: impl Fn(f64) -> bool) -> (f64, usize) {
    let shown: Vec<f64> = seconds
        .iter()
        .filter(|s| which(s.sent_bits / 1e6))
        .map(|s| f64::from(s.playable_frames.expect("a video")))
        .collect();
    (shown.iter().sum::<f64>() / shown.len() as f64, shown.len())
}

#[test]
fn seconds_agree_with_the_figures() {
    let measured = run("fifo");
    for (app, seconds) in measured.apps.iter().zip(&measured.seconds) {
        assert_eq!(seconds.len(), 180);
        assert_eq!((seconds[0].from_ns, seconds[179].from_ns), (90_000_000_000, 269_000_000_000));
        let received: f64 = seconds.iter().map(|s| s.received_bits).sum();
        assert!((received / 180.0 / app[&Metric::IpThroughput] - 1.0).abs() < 1e-12);
    }
    let (shown, _) = frames(&measured.seconds[0], |_| true);
    assert!((shown - measured.apps[0][&Metric::FrameRate]).abs() < 1e-9);
    assert!(measured.seconds[1].iter().all(|s| s.playable_frames.is_none()), "peers show no frames");
}

/// Below the fair share nothing is missing, well above it most is; without
/// fairness nearly all is missing, everywhere.
#[test]
fn a_video_at_the_edge_of_the_fair_share() {
    let chap = run("chap");
    let share = (chap.apps[0][&Metric::IpThroughput] + chap.apps[1][&Metric::IpThroughput]) / 11.0 / 1e6;
    assert!((2.2..2.45).contains(&share), "{share} Mb/s");
    let (below, n) = frames(&chap.seconds[0], |rate| rate < 0.95 * share);
    let (above, m) = frames(&chap.seconds[0], |rate| rate > 1.1 * share);
    assert!(n > 30 && below >= 28.0, "{below} frames in {n} seconds");
    assert!(m > 60 && above <= 15.0, "{above} frames in {m} seconds");
    let (fifo, _) = frames(&run("fifo").seconds[0], |_| true);
    assert!(fifo <= 2.0, "{fifo}");
}
