// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options reach what is run: a value given by an option equals the same value in the file, and differs from another one.

use std::path::Path;

use serde_json::Value;

use crate::common::{airtab, scratch, text};

/// A call and a download for 900 ms.
const HOUSE: &str = r#"
name = "house"
duration = "1s"
measure = ["100ms", "1s"]
station = [{ name = "near" }, { name = "far", distance = 9 }]
app = [
  { name = "call", kind = "voip", station = "near" },
  { name = "load", kind = "download", station = "far", latency = "5ms" },
]

[queue.fifo]
limit = 60

[queue.chap]
limit = 60
"#;

fn printed(dir: &Path, words: &[&str]) -> Value {
    let run = airtab(dir, "cache", words);
    assert_eq!(run.status.code(), Some(0), "{words:?}: {}", text(&run.stderr));
    serde_json::from_slice(&run.stdout).unwrap_or_else(|e| panic!("{words:?}: {e}"))
}

/// The figures of the first discipline: of each application, and of the access point.
fn figures(of: &Value) -> [Value; 2] {
    let queue = &of["queues"][0];
    assert!(queue["ap"]["metrics"].is_object(), "{of:#}");
    [queue["apps"].clone(), queue["ap"].clone()]
}

/// The value of each metric with seed number `i` of those that were run.
fn of_seed(of: &Value, i: usize) -> Vec<(String, Value)> {
    let apps = of["queues"][0]["apps"].as_array().expect("applications");
    let parts = apps.iter().chain([&of["queues"][0]["ap"]]);
    let metrics = parts.flat_map(|part| part["metrics"].as_object().expect("metrics"));
    metrics.map(|(name, metric)| (name.clone(), metric["values"][i].clone())).collect()
}

/// A comparison begins with a sentence on what its disciplines differ in, which one discipline or one seed cannot tell.
#[test]
fn the_headline_is_of_several_disciplines_and_seeds() {
    let scratch = scratch(HOUSE);
    for (seeds, queues, headline) in
        [("2", "fifo,chap", true), ("1", "fifo,chap", false), ("2", "chap", false)]
    {
        let run =
            airtab(scratch.path(), "cache", &["compare", "sweep.toml", "--seeds", seeds, "--queues", queues]);
        let printed = text(&run.stdout);
        let second = printed.split("\n\n").nth(1).expect("two paragraphs");
        let is_table = second.contains('\u{2500}');
        assert_eq!(!is_table && second.ends_with('.'), headline, "{seeds} seeds of {queues}: {second}");
        assert_ne!(is_table, headline, "{seeds} seeds of {queues}: {second}");
    }
}

#[test]
fn an_option_of_a_scenario_equals_the_same_in_the_file() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let plain = figures(&printed(dir, &["run", "sweep.toml", "--json"]));
    for (was, is, options) in [
        ("[queue.chap]\nlimit = 60", "[queue.chap]\nlimit = 3", &["--set", "queue.chap.limit=3"][..]),
        ("[queue.chap]\nlimit = 60", "[queue.chap]\nlimit = 3", &["--queue", "chap:limit=3"]),
        ("distance = 9", "distance = 14", &["--set", "station.far.distance=14"]),
        ("latency = \"5ms\"", "latency = \"45ms\"", &["--set", "app.load.latency=45ms"]),
        (
            "duration = \"1s\"",
            "duration = \"800ms\"",
            &["--set", "measure=[\"100ms\",\"800ms\"]", "--set", "duration=800ms"],
        ),
        // The last of two.
        (
            "distance = 9",
            "distance = 14",
            &["--set", "station.far.distance=2", "--set", "station.far.distance=14"],
        ),
    ] {
        let mut text = HOUSE.replace(was, is);
        if options.concat().contains("duration") {
            text = text.replace("\"100ms\", \"1s\"", "\"100ms\", \"800ms\"");
        }
        assert_ne!(text, HOUSE);
        std::fs::write(dir.join("other.toml"), &text).expect("written");
        let of_file = figures(&printed(dir, &["run", "other.toml", "--json"]));
        for form in
            [&["run", "sweep.toml", "--json"][..], &["compare", "sweep.toml", "--seeds", "1", "--json"]]
        {
            let options: Vec<&str> = match form[0] {
                // The option of `compare` has another name, and more disciplines by default.
                "compare" if options[0] == "--queue" => vec!["--queues", options[1]],
                "compare" => [options, &["--queues", "chap"]].concat(),
                _ => options.to_vec(),
            };
            let of_option = figures(&printed(dir, &[form, &options].concat()));
            assert!(of_option == of_file, "{form:?} {options:?}");
            assert!(of_option != plain, "{options:?}");
        }
    }
    let run = |words: &[&str]| figures(&printed(dir, &[&["run", "sweep.toml", "--json"], words].concat()));
    // --short divides every time by 10.
    let tenth = HOUSE.replace("\"1s\"", "\"100ms\"").replace("\"100ms\", \"100ms\"", "\"10ms\", \"100ms\"");
    std::fs::write(dir.join("tenth.toml"), tenth).expect("written");
    assert_eq!(run(&["--short"]), figures(&printed(dir, &["run", "tenth.toml", "--json"])));
}

/// `run`, `compare` and `sweep` give the same figures for a seed, in the order of the option.
#[test]
fn each_seed_is_the_run_of_that_seed() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let seeds = [9u64, 1, 4, 5];
    let alone: Vec<Vec<(String, Value)>> = seeds
        .iter()
        .map(|seed| of_seed(&printed(dir, &["run", "sweep.toml", "--json", "--seed", &seed.to_string()]), 0))
        .collect();
    for (i, one) in alone.iter().enumerate() {
        assert!(alone[..i].iter().all(|other| other != one), "seeds {} and another draw the same", seeds[i]);
    }
    let compared = ["compare", "sweep.toml", "--json", "--queues", "chap", "--seeds", "9,1,4-5"];
    let one_job = [&compared[..], &["--jobs", "1", "--no-cache"]].concat();
    let swept = [
        "sweep",
        "sweep.toml",
        "--json",
        "--queues",
        "chap",
        "--seeds",
        "9,1,4-5",
        "--axis",
        "wifi.attempts=7",
    ];
    let plain = printed(dir, &compared);
    assert_eq!(plain["seeds"], serde_json::json!(seeds));
    let point = printed(dir, &swept)["points"][0].clone();
    for (what, of) in [("compare", &plain), ("one job", &printed(dir, &one_job)), ("sweep", &point)] {
        for (i, one) in alone.iter().enumerate() {
            assert!(of_seed(of, i) == *one, "{what}, seed {}", seeds[i]);
        }
    }
    let first = printed(dir, &["run", "sweep.toml", "--json", "--seeds", "2"]);
    assert_eq!(of_seed(&first, 0), alone[1], "seeds 1 and 2");
    assert_eq!(first["seeds"], serde_json::json!([1, 2]));
}

/// Disciplines are in the order of the option; each is the run of that discipline alone.
#[test]
fn each_column_is_the_run_of_its_discipline() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let labels = ["chap", "fifo:limit=7", "fifo"];
    let all =
        printed(dir, &["compare", "sweep.toml", "--json", "--seeds", "1", "--queues", &labels.join(",")]);
    for (i, label) in labels.iter().enumerate() {
        let alone = printed(dir, &["run", "sweep.toml", "--json", "--queue", label]);
        assert!(all["queues"][i] == alone["queues"][0], "{label}");
        assert_eq!(all["queues"][i]["label"], *label);
    }
    assert_ne!(all["queues"][1]["apps"], all["queues"][2]["apps"]);
}

/// A file in the working directory goes before the bundled scenario of the same name.
#[test]
fn a_file_goes_before_a_shipped_scenario_of_its_name() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let name = |words: &[&str]| printed(dir, words)["scenario"].clone();
    assert_eq!(name(&["run", "anomaly", "--json", "--short"]), "anomaly");
    std::fs::write(dir.join("anomaly"), HOUSE).expect("written");
    assert_eq!(name(&["run", "anomaly", "--json"]), "house");
    let swept = airtab(
        dir,
        "cache",
        &["sweep", "anomaly", "--axis", "wifi.attempts=7", "--queues", "fifo", "--seeds", "1"],
    );
    assert!(
        text(&swept.stdout).starts_with("house: 1 run"),
        "{} {}",
        text(&swept.stdout),
        text(&swept.stderr)
    );
}

/// Each option of a trace changes its samples; what is not changed stays.
#[test]
fn each_option_of_a_trace_reaches_the_run() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let base = ["tcp", "trace", "--json", "--duration", "4s", "--congestion", "cubic", "--latency", "10ms"];
    let samples = |more: &[&str]| {
        let trace = printed(dir, &[&base[..], more].concat());
        let run = &trace["runs"][0];
        let flows = run["flows"].as_array().expect("flows");
        let received: Vec<Value> = flows.iter().map(|flow| flow["received_bytes"].clone()).collect();
        (run["queue_packets"].clone(), received)
    };
    let plain = samples(&[]);
    for same in [
        &["--seed", "1"][..],
        &["--queue", "35"],
        &["--queue", "fifo:limit=35"],
        &["--rate", "54Mb/s"],
        &["--flows", "1"],
    ] {
        assert!(samples(same) == plain, "{same:?}");
    }
    for other in [
        &["--seed", "2"][..],
        &["--queue", "12"],
        &["--queue", "chap:limit=35"],
        &["--rate", "12Mb/s"],
        &["--flows", "2"],
        &["--tcp", "mss=700"],
        &["--tcp", "prr=false,mss=900"],
    ] {
        assert!(samples(other) != plain, "{other:?}");
    }
    let of = |words: &[&str]| printed(dir, &[&["tcp", "trace", "--json"], words].concat());
    let reno = of(&["--duration", "4s", "--congestion", "newreno", "--latency", "10ms"]);
    assert_eq!(reno["runs"][0]["congestion"], "newreno");
    assert_ne!(reno["runs"][0]["queue_packets"], plain.0);
    // Bytes that were received from 1 s to 4 s, at 8 bits each: what the samples say is the goodput.
    let trace = of(&base[3..]);
    assert_eq!(trace["measure_ns"], serde_json::json!([1_000_000_000u64, 4_000_000_000u64]));
    let flow = &trace["runs"][0]["flows"][0];
    let received: Vec<f64> =
        flow["received_bytes"].as_array().expect("samples").iter().filter_map(Value::as_f64).collect();
    assert_eq!((received.len(), &trace["runs"][0]["step_ns"]), (40, &Value::from(100_000_000)));
    let goodput = flow["goodput_bits_per_second"].as_f64().expect("a rate");
    // Samples are at 100 ms, 200 ms and so on.
    let rate = (received[39] - received[9]) * 8.0 / 3.0;
    assert_eq!(goodput, rate);
    let cwnd: Vec<f64> =
        flow["cwnd_bytes"].as_array().expect("samples").iter().filter_map(Value::as_f64).collect();
    let mean = cwnd[9..].iter().sum::<f64>() / 31.0 / 1460.0;
    let told = flow["mean_cwnd_segments"].as_f64().expect("a mean");
    assert!((mean / told - 1.0).abs() < 1e-9, "{mean} {told}");
}
