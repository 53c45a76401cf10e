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
  { name = "load", kind = "download", station = "far", latency = "5ms", within = "10ms" },
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
    let tenth = HOUSE
        .replace("\"1s\"", "\"100ms\"")
        .replace("\"100ms\", \"100ms\"", "\"10ms\", \"100ms\"")
        .replace("within = \"10ms\"", "within = \"1ms\"");
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
    // Bytes that were received from 1 s to 4 s, at 8 bits each: what the samples say is the throughput.
    let trace = of(&base[3..]);
    assert_eq!(trace["measure_ns"], serde_json::json!([1_000_000_000u64, 4_000_000_000u64]));
    let flow = &trace["runs"][0]["flows"][0];
    let received: Vec<f64> =
        flow["received_bytes"].as_array().expect("samples").iter().filter_map(Value::as_f64).collect();
    assert_eq!((received.len(), &trace["runs"][0]["step_ns"]), (40, &Value::from(100_000_000)));
    let throughput = flow["throughput_bits_per_second"].as_f64().expect("a rate");
    // Samples are at 100 ms, 200 ms and so on.
    let rate = (received[39] - received[9]) * 8.0 / 3.0;
    assert_eq!(throughput, rate);
    let cwnd: Vec<f64> =
        flow["cwnd_bytes"].as_array().expect("samples").iter().filter_map(Value::as_f64).collect();
    let mean = cwnd[9..].iter().sum::<f64>() / 31.0 / 1460.0;
    let told = flow["mean_cwnd_segments"].as_f64().expect("a mean");
    assert!((mean / told - 1.0).abs() < 1e-9, "{mean} {told}");
}

/// A ping and an upload for two seconds.
const PING: &str = r#"
name = "house"
duration = "12s"
measure = ["5s", "7s"]
station = [{ name = "near" }, { name = "far", distance = 9 }]
app = [
  { name = "ping", kind = "ping", station = "near", start = "5s", stop = "7s" },
  { name = "load", kind = "upload", station = "far", start = "5s", stop = "5500ms", latency = "5ms" },
]
"#;

/// A file for flent is that of its discipline and of the first seed; `run` writes the one that is named.
#[test]
fn each_file_for_flent_is_of_its_discipline() {
    let scratch = scratch(PING);
    let dir = scratch.path();
    for name in ["both", "one", "other"] {
        std::fs::create_dir(dir.join(name)).expect("a folder");
    }
    let said = |words: &[&str]| {
        let run = airtab(dir, "cache", words);
        assert_eq!(run.status.code(), Some(0), "{words:?}: {}", text(&run.stderr));
        text(&run.stderr).to_string()
    };
    let wrote = said(&[
        "compare",
        "sweep.toml",
        "--queues",
        "fifo,chap",
        "--seeds",
        "3,1",
        "--flent",
        "both/a.flent.gz",
    ]);
    let sentence = "Wrote 2 files for flent (as its test ";
    let files = "): both/a-fifo.flent.gz, both/a-chap.flent.gz. Its plots: flent -i both/a-fifo.flent.gz -i \
                 both/a-chap.flent.gz -p ping_cdf -o plot.png\n";
    assert!(wrote.contains(sentence) && wrote.contains(files), "{wrote}");
    let read = |name: &str| std::fs::read(dir.join(name)).expect("it was written");
    for queue in ["fifo", "chap"] {
        let file = format!("one/a-{queue}.flent.gz");
        let wrote = said(&["run", "sweep.toml", "--queue", queue, "--seed", "3", "--flent", &file]);
        assert!(
            wrote.contains("Wrote 1 file for flent") && wrote.contains(&format!("): {file}. Its plots: ")),
            "{wrote}"
        );
        let other = format!("other/a-{queue}.flent.gz");
        said(&["run", "sweep.toml", "--queue", queue, "--seed", "1", "--flent", &other]);
        assert!(read(&file) == read(&format!("both/a-{queue}.flent.gz")), "{queue}");
        assert!(read(&file) != read(&other), "{queue}");
    }
}

/// Times of the frames of a capture, ns.
fn times(path: &Path) -> Vec<u64> {
    let bytes = std::fs::read(path).expect("it was written");
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let (mut at, mut times) = (0, Vec::new());
    while at < bytes.len() {
        if word(at) == 6 {
            times.push(u64::from(word(at + 12)) << 32 | u64::from(word(at + 16)));
        }
        at += word(at + 4) as usize;
    }
    times
}

/// Captures begin with the measured part, of a short run too, and end after what was asked for, or with the run.
#[test]
fn captures_are_of_the_measured_part() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let capture = |words: &[&str]| {
        let base = ["compare", "sweep.toml", "--queues", "fifo", "--seeds", "1", "--out", "out"];
        printed(dir, &[&base[..], &["--json"], words].concat());
        times(&dir.join("out/air-fifo.pcapng"))
    };
    const MS: u64 = 1_000_000;
    for (words, from, to) in [
        (&["--pcap=200ms"][..], 100, 300),
        (&["--pcap=50ms"], 100, 150),
        (&["--pcap=5s"], 100, 1_000),
        (&["--pcap=30ms", "--short"], 10, 40),
    ] {
        let times = capture(words);
        let (first, last) = (times[0], *times.last().expect("frames"));
        // A frame that is on the air when the measured part begins is whole in the capture.
        assert!(first + 2 * MS > from * MS && first < (from + 8) * MS, "{words:?}: {first}");
        assert!(last <= to * MS + MS && last > (to - 12) * MS, "{words:?}: {last}");
    }
}

/// The heading of a comparison has the times of what was run.
#[test]
fn the_heading_has_the_times_of_the_run() {
    let scratch = scratch(HOUSE);
    let heading = |words: &[&str]| {
        let base = ["compare", "sweep.toml", "--queues", "fifo", "--seeds", "1"];
        let run = airtab(scratch.path(), "cache", &[&base[..], words].concat());
        text(&run.stdout).lines().next().expect("a line").to_string()
    };
    assert_eq!(heading(&[]), "house: 1 s simulated, measured from 0.1 s to 1 s");
    assert_eq!(heading(&["--short"]), "house: 0.1 s simulated, measured from 0.01 s to 0.1 s");
    let set = ["--set", "measure=[\"200ms\",\"700ms\"]", "--set", "duration=800ms"];
    assert_eq!(heading(&set), "house: 0.8 s simulated, measured from 0.2 s to 0.7 s");
}

/// Only a radio has frames: of the emulator and of a wire a capture is refused with the reason.
#[test]
fn a_capture_of_no_radio_is_refused() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let wire = HOUSE.replace("name = \"house\"", "name = \"house\"\ntopology = \"dumbbell\"")
        + "\n[bottleneck]\nrate = \"20Mb/s\"\n";
    std::fs::write(dir.join("wire.toml"), wire.replace(", distance = 9", "")).expect("written");
    let emulator = HOUSE.to_string() + "\n[wifi]\nmedium = \"emulator\"\n";
    std::fs::write(dir.join("emulator.toml"), emulator.replace(", distance = 9", "")).expect("written");
    for (file, said) in
        [("wire.toml", "this scenario is a dumbbell"), ("emulator.toml", "medium is the emulator")]
    {
        let run = airtab(dir, "cache", &["compare", file, "--pcap", "--out", "out", "--seeds", "1"]);
        assert_eq!(run.status.code(), Some(2), "{file}: {}", text(&run.stderr));
        assert!(text(&run.stderr).contains(said), "{file}: {}", text(&run.stderr));
    }
}

/// The value behind a key in the metadata of a Parquet file: Thrift has the length of a text in front of it.
fn metadata(bytes: &[u8], key: &str) -> String {
    let mut key_of_thrift = vec![key.len() as u8];
    key_of_thrift.extend(key.as_bytes());
    key_of_thrift.push(0x18);
    let at = bytes.windows(key_of_thrift.len()).position(|window| window == key_of_thrift);
    let at = at.unwrap_or_else(|| panic!("no {key}")) + key_of_thrift.len();
    let (length, begins) = match bytes[at] {
        short @ 0..128 => (usize::from(short), at + 1),
        long => (usize::from(long & 127) | usize::from(bytes[at + 1]) << 7, at + 2),
    };
    text(&bytes[begins..begins + length]).into()
}

/// Files of rows say which command makes them, of what and of which airtab.
#[test]
fn rows_say_what_they_are_of() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let run = |words: &[&str]| {
        let run = airtab(dir, "cache", words);
        assert_eq!(run.status.code(), Some(0), "{words:?}: {}", text(&run.stderr));
    };
    let axis = "station.far.distance=1,9";
    run(&["sweep", "sweep.toml", "--axis", axis, "--seeds", "1", "--queues", "fifo", "--out", "swept"]);
    let own =
        "title = \"Own title\"\nsource = \"s\"\nseeds = 1\nqueues = [\"fifo\"]\nbase = \"sweep.toml\"\n";
    std::fs::write(dir.join("own.toml"), own).expect("written");
    run(&["experiment", "run", "own.toml", "--seeds", "2", "--format", "parquet", "--out", "judged"]);
    for (file, command, title) in [
        (
            "swept/results.parquet",
            "airtab sweep input.toml --axis station.far.distance=1,9 --queues fifo --seeds 1",
            "house",
        ),
        ("judged/own.parquet", "airtab experiment run own.experiment.toml --seeds 2", "Own title"),
    ] {
        let bytes = std::fs::read(dir.join(file)).expect("it was written");
        for (key, value) in [
            ("airtab.command", command),
            ("airtab.scenario", title),
            ("airtab.version", env!("CARGO_PKG_VERSION")),
            ("airtab.git", env!("AIRTAB_GIT")),
            ("airtab.schema", "1"),
        ] {
            assert_eq!(metadata(&bytes, key), value, "{file}: {key}");
        }
    }
}

/// Files of results have what the command prints in that form.
#[test]
fn files_have_what_is_printed() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let compare = ["compare", "sweep.toml", "--queues", "fifo,chap", "--seeds", "2"];
    let sweep =
        ["sweep", "sweep.toml", "--axis", "station.far.distance=1,9", "--queues", "chap", "--seeds", "2"];
    for (words, out) in [(&compare[..], "compared"), (&sweep[..], "swept")] {
        for (form, file) in [("json", "results.json"), ("csv", "results.csv")] {
            let words = [words, &["--format", form]].concat();
            let alone = airtab(dir, "cache", &words);
            let written = airtab(dir, "cache", &[&words[..], &["--out", out]].concat());
            assert_eq!(
                (alone.status.code(), written.status.code()),
                (Some(0), Some(0)),
                "{}",
                text(&written.stderr)
            );
            let read = std::fs::read_to_string(dir.join(out).join(file)).expect("it was written");
            // A command that is to be repeated in the folder names its file there.
            let same = |text: &str| text.replace("sweep.toml", "input.toml");
            assert_eq!(same(text(&alone.stdout)), read.replace("sweep.toml", "input.toml"), "{words:?}");
            let names: Vec<bool> = ["results.json", "results.csv"]
                .iter()
                .map(|name| dir.join(out).join(name).exists())
                .collect();
            assert_eq!(names, [out == "compared" || form == "json", form == "csv"], "{words:?}");
        }
    }
}

/// Results do not depend on the cache: where it cannot be made, or its file gets no longer than 1 KiB, one warning says so.
#[cfg(unix)]
#[test]
fn a_cache_that_cannot_be_written_is_one_warning() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let own =
        "title = \"t\"\nsource = \"s\"\nseeds = 2\nqueues = [\"fifo\", \"chap\"]\nbase = \"sweep.toml\"\n";
    std::fs::write(dir.join("own.toml"), own).expect("written");
    std::fs::write(dir.join("file"), "").expect("written");
    for words in [
        &["compare", "sweep.toml", "--queues", "fifo,chap", "--seeds", "2"][..],
        &["sweep", "sweep.toml", "--queues", "fifo,chap", "--seeds", "2"],
        &["experiment", "run", "own.toml"],
    ] {
        let without = airtab(dir, "none", &[words, &["--no-cache"]].concat());
        assert!(!text(&without.stderr).contains("warning"), "{}", text(&without.stderr));
        let no_folder = airtab(dir, "file", words);
        let script = "trap '' XFSZ; ulimit -f 2; exec \"$@\"";
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", script, "sh", env!("CARGO_BIN_EXE_airtab")]).args(words).current_dir(dir);
        limited.env("COLUMNS", "100").env("AIRTAB_CACHE", dir.join("short"));
        let too_large = limited.output().expect("sh starts");
        for (run, folder, why) in [(&no_folder, "file", ""), (&too_large, "short", "File too large")] {
            let said = text(&run.stderr);
            assert_eq!(run.status.code(), Some(0), "{words:?}: {said}");
            assert_eq!(text(&run.stdout), text(&without.stdout), "{words:?}");
            let begins = format!("warning: finished runs cannot be kept in {}: ", dir.join(folder).display());
            assert_eq!(said.matches(&begins).count(), 1, "{words:?}: {said}");
            assert!(said.contains(why) && said.contains("AIRTAB_CACHE names another folder"), "{said}");
        }
        std::fs::remove_dir_all(dir.join("short")).expect("it is there");
    }
}
