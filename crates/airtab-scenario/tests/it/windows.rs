// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[windows]`: several parts of one run are measured, each as if it were the measured time, and what is refused.

use airtab_core::{Discipline, Params};
use airtab_scenario::{Direction, Metric, OfPath, ScenarioFile, measure, short};
use airtab_sim::run;

/// A house with something of each sort, with lines on top.
fn file(top: &str) -> Result<ScenarioFile, String> {
    let apps = ["game", "mpeg", "web", "download", "streaming", "ping"];
    let app = |kind: &str| {
        format!("[[app]]\nname = \"{kind}\"\nkind = \"{kind}\"\nstation = \"s\"\nstart = \"1s\"\n")
    };
    let text = format!(
        "duration = \"20s\"\n{top}\n[[station]]\nname = \"s\"\ndistance = 5\n{}",
        apps.map(app).concat()
    );
    ScenarioFile::parse("windows.toml", &text).map_err(|e| e.to_string())
}

/// What TCP sent again and its round trips, which windows do not have.
fn is_of_tcp(metric: &Metric) -> bool {
    let of = [OfPath::Retransmits, OfPath::RetransmitRatio, OfPath::Timeouts, OfPath::SmoothedRtt];
    let most = [OfPath::MostRetransmits, OfPath::MostTimeouts];
    let path = of.into_iter().chain(most).flat_map(|of| Direction::BOTH.map(|way| Metric::of_path(way, of)));
    let both = [
        Metric::Retransmits,
        Metric::RetransmitRatio,
        Metric::Timeouts,
        Metric::SmoothedRtt,
        Metric::Rtt,
        Metric::RttDeviation,
        Metric::RttP95,
        Metric::RttMax,
        Metric::CwndMax,
    ];
    path.chain(both).any(|of| of == *metric)
}

/// Each figure of each window is that of a run in which it is the measured time; the measured time's stay what they are.
#[test]
fn a_window_is_measured_as_the_measured_time_is() {
    let parts = ["[\"4s\", \"9s\"]", "[\"8s\", \"19500ms\"]"];
    let both =
        format!("measure = [\"2s\", \"18s\"]\nwindows = {{ early = {}, late = {} }}", parts[0], parts[1]);
    let params = Params::new(Discipline::named("fq_codel").unwrap());
    let measured = |top: &str| {
        let file = file(top).unwrap_or_else(|e| panic!("{e}"));
        let trace = run(&file.scenario, &params, 1);
        (measure(&file.scenario, &trace), trace.fingerprint)
    };
    let (whole, fingerprint) = measured(&both);
    assert_eq!((whole.apps.len(), whole.pages.len(), whole.seconds.len()), (18, 18, 18));
    let (plain, same) = measured("measure = [\"2s\", \"18s\"]");
    assert_eq!((fingerprint, &whole.apps[..6], &whole.ap), (same, &plain.apps[..], &plain.ap));
    for (part, place) in parts.iter().zip([6, 12]) {
        let (alone, _) = measured(&format!("measure = {part}"));
        for (app, (inside, alone)) in whole.apps[place..].iter().zip(&alone.apps).enumerate() {
            for (metric, value) in alone {
                match inside.get(metric) {
                    None => assert!(is_of_tcp(metric), "{app}: {} is missing", metric.name()),
                    Some(inside) => assert_eq!(inside, value, "{app}: {}", metric.name()),
                }
            }
            assert!(inside.keys().all(|metric| alone.contains_key(metric)), "{app}");
            assert!(inside.len() > 5, "{app}: {} figures", inside.len());
        }
        assert_eq!(whole.pages[place..place + 6], alone.pages[..]);
        assert_eq!(whole.seconds[place..place + 6], alone.seconds[..]);
    }
}

#[test]
fn windows_are_read_and_refused() {
    let read = file("windows = { mm = [\"2s\", \"3s\"], blast = [\"4s\", \"20s\"] }").unwrap();
    let windows: Vec<_> =
        read.scenario.windows.iter().map(|w| (w.name.as_str(), w.part_ns.clone())).collect();
    assert_eq!(windows, [("blast", 4_000_000_000..20_000_000_000), ("mm", 2_000_000_000..3_000_000_000)]);
    let short = short(&read.scenario);
    assert_eq!(
        (short.windows[0].part_ns.clone(), short.duration_ns),
        (400_000_000..2_000_000_000, 2_000_000_000)
    );
    // As many, and as long a name, as there may be.
    let most: String = (0..16).map(|i| format!("w{i} = [\"1s\", \"2s\"]\n")).collect();
    assert_eq!(file(&format!("[windows]\n{most}")).unwrap().scenario.windows.len(), 16);
    let long = format!("windows = {{ {} = [\"19999ms\", \"20s\"] }}", "a".repeat(40));
    assert_eq!(file(&long).unwrap().scenario.windows[0].part_ns, 19_999_000_000..20_000_000_000);
    let many: String = (0..17).map(|i| format!("w{i} = [\"1s\", \"2s\"]\n")).collect();
    for (top, expected) in [
        (
            "windows = { a = [\"2s\", \"21s\"] }",
            "[windows] a: [\"2s\", \"21s\"] goes past the end of the run (20s)",
        ),
        (
            "windows = { a = [\"3s\", \"3s\"] }",
            "[windows] a: [\"3s\", \"3s\"] is empty: the second time must be after the first",
        ),
        ("windows = { a = \"3s\" }", "[windows] a: 3s is not a pair of times such as [\"90s\", \"270s\"]"),
        (
            "windows = { \"a.b\" = [\"2s\", \"3s\"] }",
            "[windows] a.b: is no name of a window: 1 to 40 characters, without '.', '@' and '*'",
        ),
        ("windows = { \"a@b\" = [\"2s\", \"3s\"] }", "[windows] a@b: is no name of a window"),
        ("windows = { \"a*\" = [\"2s\", \"3s\"] }", "[windows] a*: is no name of a window"),
        ("windows = { \" a\" = [\"2s\", \"3s\"] }", "[windows]  a: is no name of a window"),
        (
            &format!("windows = {{ {} = [\"2s\", \"3s\"] }}", "a".repeat(41)),
            &format!("[windows] {}: is no name of a window", "a".repeat(41)),
        ),
        ("windows = { a = [\"3s\", \"2s\"] }", "[windows] a: [\"3s\", \"2s\"] is empty"),
        ("windows = 3", "windows: '3' is not a table [windows]"),
        (&format!("[windows]\n{many}"), "17 windows: at most 16"),
    ] {
        let message = file(top).expect_err(top);
        assert!(message.contains(expected), "{message}");
    }
}
