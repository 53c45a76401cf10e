// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Repeated commands: every form of output from stored runs equals that from fresh ones, and a command with another option
//! uses no stored run of the first one.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{airtab, scratch, text};

/// A ping and an upload for two seconds: short, and long enough for a file of flent.
const HOUSE: &str = r#"
name = "house"
duration = "12s"
measure = ["5s", "7s"]
station = [{ name = "near" }, { name = "far", distance = 9 }]
app = [
  { name = "ping", kind = "ping", station = "near", start = "5s", stop = "7s" },
  { name = "load", kind = "upload", station = "far", start = "5s", stop = "5500ms", latency = "5ms" },
]

[queue.chap]
limit = 60
"#;

/// The files of a directory, by their names.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("readable").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries
        .filter(|path| path.is_file())
        .map(|path| (name(&path), std::fs::read(&path).expect("readable")))
        .collect()
}

/// The output of a command, the files that it writes into the directory `out`, and its messages.
fn made(dir: &Path, cache: &str, words: &[&str]) -> (String, BTreeMap<String, Vec<u8>>, String) {
    let out = dir.join("out");
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir(&out).expect("made");
    let run = airtab(dir, cache, words);
    assert_eq!(run.status.code(), Some(0), "{words:?}: {}", text(&run.stderr));
    (text(&run.stdout).into(), files(&out), text(&run.stderr).into())
}

const COMPARE: [&str; 5] = ["compare", "sweep.toml", "--seeds", "1-2", "--queues"];
const SWEEP: [&str; 6] = ["sweep", "sweep.toml", "--axis", "station.far.distance=1,9", "--seeds", "1-2"];

#[test]
fn stored_runs_give_every_form_of_output() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let compare = |more: &[&'static str]| [&COMPARE[..], &["fifo,chap"], more].concat();
    let sweep = |more: &[&'static str]| [&SWEEP[..], &["--queues", "chap"], more].concat();
    for (i, (words, names)) in [
        (compare(&[]), &[][..]),
        (compare(&["--why", "full"]), &[]),
        (compare(&["--json"]), &[]),
        (compare(&["--format", "csv"]), &[]),
        (compare(&["--format", "csv", "--out", "out"]), &["results.csv", "results.parquet", "index.html"]),
        (
            compare(&["--format", "parquet", "--out", "out"]),
            &["results.json", "results.parquet", "manifest.json"],
        ),
        (compare(&["--out", "out", "--pcap=100ms"]), &["air-fifo.pcapng", "air-chap.pcapng", "report.txt"]),
        (compare(&["--flent", "out/a.flent.gz"]), &["a-fifo.flent.gz", "a-chap.flent.gz"]),
        (compare(&["--flent", "out/a.flent.gz", "--out", "out"]), &["a-chap.flent.gz", "results.json"]),
        (sweep(&[]), &[]),
        (sweep(&["--json"]), &[]),
        (sweep(&["--format", "csv"]), &[]),
        (sweep(&["--format", "csv", "--out", "out"]), &["results.csv", "results.parquet", "index.html"]),
        (sweep(&["--format", "json", "--out", "out"]), &["results.json", "results.parquet", "manifest.json"]),
    ]
    .into_iter()
    .enumerate()
    {
        let cache = format!("cache-{i}");
        let without = made(dir, "none", &[&words[..], &["--no-cache"]].concat());
        let first = made(dir, &cache, &words);
        let again = made(dir, &cache, &words);
        assert!(!first.2.contains("known from before"), "{words:?}: {}", first.2);
        for (run, which) in [(&first, "kept"), (&again, "stored")] {
            assert_eq!(run.0, without.0, "{which}: {words:?}");
            assert!(run.1 == without.1, "{which}: {words:?}: {:?} {:?}", run.1.keys(), without.1.keys());
        }
        assert!(
            names.iter().all(|name| without.1.get(*name).is_some_and(|bytes| !bytes.is_empty())),
            "{words:?}"
        );
        let known =
            again.2.contains("4 of them are known from before") || again.2.contains("4 of 4 runs are known");
        // Files of flent and the timelines of a page need runs with traces, which are not stored.
        assert_eq!(
            known,
            !words.contains(&"--flent") && !words.contains(&"--out") || words[0] == "sweep",
            "{}",
            again.2
        );
    }
    assert!(!dir.join("none").exists(), "--no-cache keeps runs");
}

/// After a command has stored its runs, one with another option gives what it gives without any stored run.
#[test]
fn a_changed_option_is_not_answered_by_a_stored_run() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let compare = |more: &[&'static str]| [&COMPARE[..], &["chap", "--json"], more].concat();
    let sweep = |more: &[&'static str]| [&SWEEP[..], &["--json", "--queues", "chap"], more].concat();
    // Of what is printed the figures alone: labels and paths differ by themselves.
    let figures = |printed: &str| {
        let json: serde_json::Value = serde_json::from_str(printed).expect("JSON");
        let queues = match json["points"].as_array() {
            Some(points) => points.iter().map(|point| point["queues"].clone()).collect(),
            None => vec![json["queues"].clone()],
        };
        let metrics = |queue: &serde_json::Value| format!("{} {}", queue["apps"], queue["ap"]);
        queues.iter().map(|all| metrics(&all[0])).collect::<Vec<_>>()
    };
    for base in [compare as fn(&[&'static str]) -> Vec<&'static str>, sweep] {
        let before = figures(&made(dir, "cache", &base(&[])).0);
        for more in [
            &["--set", "wifi.attempts=2"][..],
            &["--set", "station.near.distance=12"],
            &["--set", "app.load.latency=40ms"],
            &["--set", "app.load.start=5300ms"],
            &["--set", "app.load.congestion=vegas"],
            &["--set", "queue.chap.limit=5"],
            &["--set", "measure=[\"5400ms\", \"7s\"]"],
            &["--set", "duration=8s", "--set", "measure=[\"5s\", \"8s\"]"],
            &["--set", "tcp.mss=700"],
        ] {
            let without = figures(&made(dir, "none", &[&base(more)[..], &["--no-cache"]].concat()).0);
            let stored = figures(&made(dir, "cache", &base(more)).0);
            assert!(stored == without, "{more:?}");
            assert!(stored != before, "{more:?}");
        }
        // What was stored first is there still.
        assert!(figures(&made(dir, "cache", &base(&[])).0) == before);
    }
    let whole = figures(&made(dir, "cache", &compare(&[])).0);
    for (words, option) in [
        (["compare", "sweep.toml", "--queues", "chap", "--json", "--seeds", "3-4"].as_slice(), "--seeds"),
        (&["compare", "sweep.toml", "--queues", "chap:limit=5", "--json", "--seeds", "1-2"], "--queues"),
        (&["compare", "sweep.toml", "--queues", "chap", "--json", "--seeds", "1-2", "--short"], "--short"),
    ] {
        let without = figures(&made(dir, "none", &[words, &["--no-cache"]].concat()).0);
        let stored = figures(&made(dir, "cache", words).0);
        assert!(stored == without, "{option}");
        assert!(stored != whole, "{option}");
    }
}

/// Each key of the tables [server] and [model] is part of the key of a stored run.
#[test]
fn a_changed_key_of_a_server_or_model_is_not_answered_by_a_stored_run() {
    let flows = "task = \"two-flows\"\nservice = \"1ms\"\nrho = 0.5\nkappa = 0.4\nduration = \"300ms\"\n";
    let batch = "task = \"batch\"\nservice = \"1ms\"\npackets = [2, 3]\ncosts = [\"1ms\", \"2ms\"]\n";
    let contention =
        "task = \"contention\"\nsubject = \"access\"\nmethod = \"dcf\"\nn = 3\nsuccesses = 500\n";
    for (table, keys, changes) in [
        (
            "server",
            flows,
            &[
                ("\"1ms\"", "\"2ms\""),
                ("0.5", "0.6"),
                ("0.4", "0.3"),
                ("\"300ms\"", "\"400ms\""),
                ("[queue]", ""),
            ][..],
        ),
        (
            "server",
            "task = \"bursts\"\nservice = \"1ms\"\nbursts = 2\n",
            &[("\"1ms\"", "\"2ms\""), ("bursts = 2", "bursts = 3")],
        ),
        ("server", batch, &[("\"1ms\"\np", "\"3ms\"\np"), ("[2, 3]", "[3, 2]"), ("\"2ms\"]", "\"3ms\"]")]),
        (
            "server",
            "task = \"shares\"\nservice = \"306us\"\nshares = [0.3, 0.7]\n",
            &[("306", "307"), ("0.3, 0.7", "0.4, 0.6")],
        ),
        ("model", contention, &[("\"dcf\"", "\"idle-sense\""), ("n = 3", "n = 4"), ("500", "600")]),
    ] {
        let scratch = scratch("");
        let dir = scratch.path();
        let known = |keys: &str| {
            let queue = if table == "server" { "queues = [\"chap\"]\n" } else { "" };
            let file = format!("title = \"t\"\nsource = \"s\"\nseeds = 1\n{queue}[{table}]\n{keys}");
            std::fs::write(dir.join("own.toml"), file).expect("written");
            let run = airtab(dir, "cache", &["experiment", "run", "own.toml"]);
            assert_eq!(run.status.code(), Some(0), "{keys}: {}", text(&run.stderr));
            text(&run.stderr).contains(" known from before.")
        };
        assert!(!known(keys), "{keys}");
        assert!(known(keys), "{keys}");
        for (from, to) in changes {
            let changed = match from.starts_with("[queue") {
                true => format!("{keys}queue = {{ chap = {{ limit = 70, flows = 80 }} }}\n"),
                false => keys.replacen(from, to, 1),
            };
            assert_ne!(changed, *keys, "{from}");
            assert!(!known(&changed), "{changed}");
        }
    }
}
