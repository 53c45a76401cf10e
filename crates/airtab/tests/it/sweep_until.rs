// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab sweep --until` as a user has it: more seeds where they are needed and nowhere else, equal files however they came
//! about, what is told at the end, and what cannot be asked for.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use common::{airtab, results, scratch, text};

use crate::common;

/// Three points of two disciplines, runs of 1 s. What a download gets varies with the distance.
const SWEEP: &str = r#"
queues = ["fifo", "chap"]

[scenario]
duration = "1s"
measure = ["200ms", "1s"]
station = [{ name = "near" }, { name = "far" }]
app = [
  { name = "call", kind = "voip", station = "near" },
  { name = "load", kind = "download", station = "far" },
]

[[axis]]
name = "distance"
keys = "station.far.distance"
values = [1, 8, 12]

[until]
metric = "load.goodput_bits_per_second"
half_width = 500_000
first = 3
most = 12
"#;

/// `airtab sweep` with these words.
fn sweep(dir: &Path, cache: &str, args: &[&str]) -> Output {
    airtab(dir, cache, &[&["sweep"], args].concat())
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("it was written")).expect("JSON")
}

/// Seeds of each point.
fn seeds(manifest: &Value) -> Vec<u64> {
    let points = manifest["until"]["points"].as_array().expect("a list");
    points.iter().map(|point| point["seeds"].as_u64().expect("a number")).collect()
}

/// One thread or two, in one go or stopped, on one machine or on more than there are points: one file, one manifest.
#[test]
fn rounds_are_the_same_however_they_came_about() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let serial = results(dir, "none", "serial", &["--no-cache", "--jobs", "1"]);
    let manifest = json(&dir.join("serial/manifest.json"));
    let each = seeds(&manifest);
    assert!(each.contains(&3) && each.iter().any(|n| *n > 3), "rounds differ: {each:?}");
    assert_eq!(manifest["runs"].as_u64(), Some(2 * each.iter().sum::<u64>()));
    let same = |out: &str, cache: &str, args: &[&str]| {
        assert!(results(dir, cache, out, args) == serial, "{args:?}");
        assert_eq!(json(&dir.join(out).join("manifest.json")), manifest, "{args:?}");
    };
    same("two", "none", &["--no-cache", "--jobs", "2"]);
    same("eight", "none", &["--no-cache", "--jobs", "8"]);

    // Stopped until it is through: each time it may take twice as much, so that it gets on, whatever the machine.
    let (mut stops, mut budget) = (0, 1);
    loop {
        let allowed = format!("{budget}ms");
        let run = sweep(dir, "kept", &["sweep.toml", "--out", "x", "--jobs", "1", "--budget", &allowed]);
        match run.status.code() {
            Some(1) => (stops, budget) = (stops + 1, 2 * budget),
            code => break assert_eq!(code, Some(0), "{}", text(&run.stderr)),
        }
    }
    assert!(stops > 1, "it was stopped {stops} times");
    same("stopped", "kept", &[]);

    // Four machines for three points: one has nothing to do.
    let (mut folders, mut told) = (vec!["--merge".to_string()], 0);
    for shard in 1..=4 {
        let (shard, out) = (format!("{shard}/4"), format!("shard{shard}"));
        let made = sweep(dir, "none", &["sweep.toml", "--shard", &shard, "--out", &out]);
        let said = text(&made.stderr);
        assert_eq!(made.status.code(), Some(0), "{said}");
        let rest = said.split(&format!("Shard {shard}: ")).nth(1).unwrap_or_else(|| panic!("{said}"));
        folders.push(out);
        match rest.split(' ').next().and_then(|n| n.parse::<u64>().ok()) {
            Some(runs) => told += runs,
            None => assert!(shard == "4/4" && rest.starts_with("nothing to do"), "{said}"),
        }
    }
    assert_eq!(Some(told), manifest["runs"].as_u64(), "each run is one machine's");
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    same("merged", "none", &folders);
    assert!(!dir.join("none/runs").exists(), "a merge makes no run, and --no-cache keeps none");
    let without = sweep(dir, "none", &["sweep.toml", "--merge", "shard1", "shard2"]);
    assert_eq!(without.status.code(), Some(2));
    let said = "6 of 18 runs are not in these folders; the first: distance = 12, fifo, seed 1.";
    assert!(text(&without.stderr).contains(said), "{}", text(&without.stderr));
    // Runs of further rounds are missed, too.
    let first = sweep(dir, "none", &["sweep.toml", "--most", "3", "--shard", "1/1", "--out", "first"]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let merged = sweep(dir, "none", &["sweep.toml", "--merge", "first", "--jobs", "1"]);
    assert_eq!(merged.status.code(), Some(2));
    let said = "distance = 8, fifo, seed 4: this run is not there, or damaged";
    assert!(text(&merged.stderr).contains(said), "{}", text(&merged.stderr));
}

/// A point has another round just if one of its intervals after a whole round is wider; figures are those of as many seeds.
#[test]
fn only_points_that_are_too_wide_get_more_seeds() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    // Half the widest interval of each point with so many seeds, each as often as they are asked for.
    let widest = |n: u64| -> Vec<f64> {
        let plain = SWEEP.split("[until]").next().expect("its beginning");
        std::fs::write(dir.join("plain.toml"), plain).expect("written");
        let run = sweep(dir, "kept", &["plain.toml", "--seeds", &n.to_string(), "--format", "json"]);
        let all: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        let of = |q: &Value| {
            q["apps"][1]["metrics"]["goodput_bits_per_second"]["half_width_95"].as_f64().expect("a width")
        };
        let points = all["points"].as_array().expect("a list").iter();
        points
            .map(|point| point["queues"].as_array().expect("a list").iter().map(of).fold(0.0, f64::max))
            .collect()
    };
    let rounds = [3, 6, 12].map(|n| (n, widest(n)));
    // Wide enough for some at once; too narrow for some at the end.
    let (mut kinds, mut short) = (Vec::new(), 0);
    for width in [1_000_000.0, 500_000.0, 420_000.0, 300_000.0] {
        let asked = format!("load.goodput_bits_per_second={width}");
        let run = sweep(dir, "kept", &["sweep.toml", "--until", &asked, "--format", "json"]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let until: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        for (i, point) in until["until"]["points"].as_array().expect("a list").iter().enumerate() {
            let enough = rounds.iter().find(|(_, widths)| widths[i] <= width);
            let (n, widths) = enough.unwrap_or(&rounds[2]);
            assert_eq!(point["seeds"].as_u64(), Some(*n), "{point}: {rounds:?}");
            assert_eq!(point["half_width"].as_f64(), Some(widths[i]));
            assert_eq!(point["met"].as_bool(), Some(enough.is_some()));
            kinds.push(*n);
            short += usize::from(enough.is_none());
            for q in until["points"][i]["queues"].as_array().expect("a list") {
                let values = q["apps"][1]["metrics"]["goodput_bits_per_second"]["values"].as_array();
                let values = values.map(|values| values.len() as u64);
                assert_eq!(values, Some(*n), "all disciplines have the same seeds");
            }
        }
        let used = until["seeds"].as_array().map(|all| all.len() as u64);
        assert_eq!(used, seeds(&until).into_iter().max());
    }
    assert!([3, 6, 12].iter().all(|n| kinds.contains(n)) && short > 0, "{kinds:?}, {short}: {rounds:?}");
}

/// What stops short is told, with the place of the widest; the command line has the last word.
#[test]
fn what_is_not_reached_is_told() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let run = sweep(dir, "kept", &["sweep.toml", "--until", "load.goodput_bits_per_second=1", "--most", "4"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let said = text(&run.stderr);
    assert!(said.contains("warning: 3 of 3 points with 4 seeds wider than ± 1 of load.goodput_bits_per_second; the widest: distance = "), "{said}");
    assert!(text(&run.stdout).starts_with("sweep: 24 runs, 4 seeds\n"), "{}", text(&run.stdout));
    let quiet = ["sweep.toml", "-q", "--until", "load.goodput_bits_per_second=1", "--most", "4"];
    let quiet = sweep(dir, "kept", &quiet);
    let said = text(&quiet.stderr);
    assert!(said.starts_with("warning: 3 of 3 points with 4 seeds") && said.lines().count() == 1, "{said}");
    let wide = sweep(dir, "kept", &["sweep.toml", "--until", "load.goodput_bits_per_second=1e9"]);
    assert!(!text(&wide.stderr).contains("warning"), "{}", text(&wide.stderr));
    assert!(text(&wide.stdout).starts_with("sweep: 18 runs, 3 seeds\n"), "{}", text(&wide.stdout));
    // Of the seeds that are given, the first; no more than there are.
    let given = sweep(
        dir,
        "kept",
        &["sweep.toml", "--seeds", "7,5,3,1", "--until", "ap.idle_ratio=1e-9", "--format", "json"],
    );
    let given: Value =
        serde_json::from_slice(&given.stdout).unwrap_or_else(|_| panic!("{}", text(&given.stderr)));
    assert_eq!(
        (&given["seeds"], &given["until"]["most"]),
        (&serde_json::json!([7, 5, 3, 1]), &Value::from(4))
    );
}

/// The message names the point and the discipline with the widest interval of those that are too wide.
#[test]
fn the_widest_point_is_named() {
    let scratch = scratch(SWEEP);
    let run = sweep(
        scratch.path(),
        "kept",
        &["sweep.toml", "--until", "load.goodput_bits_per_second=1", "--most", "4", "--json"],
    );
    let json: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", text(&run.stderr)));
    let points = json["until"]["points"].as_array().expect("points");
    let half = |point: &Value| point["half_width"].as_f64().expect("a width");
    let widest = points.iter().max_by(|a, b| half(a).total_cmp(&half(b))).expect("three");
    assert!(points.len() == 3 && points.iter().filter(|point| half(point) < half(widest)).count() == 2);
    let (at, queue) =
        (widest["at"]["distance"].as_str().expect("text"), widest["widest"].as_str().expect("text"));
    let place = format!("the widest: distance = {at}, {queue}: ± ");
    let said = text(&run.stderr);
    let (_, width) = said.split_once(&place).unwrap_or_else(|| panic!("{place}\n{said}"));
    let width: f64 = width.split(". ").next().expect("a number").replace('_', "").parse().expect("a number");
    assert!((width / half(widest) - 1.0).abs() < 0.01, "{width} {}", half(widest));
}

#[test]
fn what_cannot_be_asked_for_is_told() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let write = |name: &str, from: &str, to: &str| {
        assert!(SWEEP.contains(from), "{from}");
        std::fs::write(dir.join(name), SWEEP.replace(from, to)).expect("written");
    };
    write("nought.toml", "half_width = 500_000", "half_width = 0");
    write("quoted.toml", "half_width = 500_000", "half_width = \"4\"");
    write("nan.toml", "half_width = 500_000", "half_width = nan");
    write("metric.toml", "load.goodput", "load.godput");
    write("less.toml", "most = 12", "most = 2");
    write("key.toml", "most = 12", "mots = 12");
    write("none.toml", "metric = ", "# metric = ");
    let plain = SWEEP.split("[until]").next().expect("its beginning");
    std::fs::write(dir.join("plain.toml"), plain).expect("written");
    let width = "give a figure and half the width of its interval, as in game.game_mos=0.05";
    let above =
        "half a width is a number above 0 (1e-15 to 1e15), in the unit of results, as in game.game_mos=0.05";
    for (args, said) in [
        (&["sweep.toml", "--until", "load.goodput_bits_per_second"][..], width),
        (&["sweep.toml", "--until", "load.goodput_bits_per_second=wide"], width),
        (&["sweep.toml", "--until", "call.voip_mos=0"], above),
        (&["sweep.toml", "--until", "call.voip_mos=-0.1"], above),
        (&["sweep.toml", "--until", "call.voip_mos=nan"], above),
        (&["sweep.toml", "--until", "call.voip_mos=inf"], above),
        (&["sweep.toml", "--until", "call.voip_mso=0.1"], "no metric 'voip_mso'; did you mean `voip_mos`?"),
        (&["sweep.toml", "--until", "cal.voip_mos=0.1"], "no application 'cal'; did you mean `call`?"),
        (&["sweep.toml", "--until", "voip_mos=0.1"], "'voip_mos' is not application.metric"),
        (&["sweep.toml", "--most", "1000000"], "give a whole number from 2 to 100000"),
        (&["sweep.toml", "--first", "1"], "give a whole number from 2 to 100000"),
        (
            &["sweep.toml", "--most", "2"],
            "at most 2 seeds, but the first round has 3: give most 3 or more, or a smaller first",
        ),
        (
            &["plain.toml", "--until", "call.voip_mos=0.1", "--most", "9"],
            "at most 9 seeds, but the first round has 10",
        ),
        (&["plain.toml", "--most", "20"], "--first and --most are seeds of --until"),
        (
            &["sweep.toml", "--seeds", "2"],
            "--seeds names 2, and the first round of --until has 3: name more, or give --first 2",
        ),
        (&["nought.toml"], above),
        (&["quoted.toml"], above),
        (&["nan.toml"], above),
        (&["metric.toml"], "no metric 'godput_bits_per_second'; did you mean `goodput_bits_per_second`?"),
        (&["less.toml"], "at most 2 seeds, but the first round has 3"),
        (&["key.toml"], "did you mean `most`?"),
        (&["none.toml"], "`metric`"),
    ] {
        let run = sweep(dir, "kept", args);
        let errors = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains(said), "{args:?}: {errors}");
        assert!(run.stdout.is_empty() && !errors.contains("..."), "{args:?}: something ran");
    }
    // An application that has no such figure, at one point: known when that was run.
    let kinds = plain
        .replace("station.far.distance", "app.load.kind")
        .replace("[1, 8, 12]", "[\"voip\", \"download\"]");
    std::fs::write(dir.join("kinds.toml"), kinds).expect("written");
    let run =
        sweep(dir, "kept", &["kinds.toml", "--until", "load.voip_mos=0.5", "--first", "2", "--jobs", "2"]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stderr));
    let said =
        "at distance = download: no run has load.voip_mos, so nobody can say how many seeds are enough";
    assert!(text(&run.stderr).contains(said), "{}", text(&run.stderr));
}
