// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The command line as a user has it: texts, exit codes, files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, kill_process};

use crate::common::interrupt_signal;

fn airtab(args: &[&str]) -> Output {
    command(args).output().expect("airtab starts")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.args(args).env("COLUMNS", "80").env_remove("NO_COLOR").stdin(Stdio::null());
    command.env("AIRTAB_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cli-cache"));
    command
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

/// A fresh directory of the test.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory")
}

fn file(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, content).expect("the file can be written");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The built-in scenario, short enough to be run as it is.
fn short_home(dir: &Path) -> PathBuf {
    let home = stdout(&airtab(&["scenario", "show"])).to_string();
    let short = home.replace("0s\"", "00ms\""); // 330s -> 3300ms
    file(dir, "short.toml", short)
}

#[test]
fn compare_shows_table_and_reasons() {
    let output = airtab(&["compare", "--short", "--seeds", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for expected in [
        "home: 33 s simulated",
        "fifo",
        "fq_codel",
        "cake",
        "airtime_fq",
        "chap",
        "MOS",
        "playable frames/s",
        "page, ms",
        "Mb/s",
        "Limits, packets: fifo 35, fq_codel 10240, cake 10240, airtime_fq 8192, chap 35.",
        "Short: all times",
        "Why\n",
    ] {
        assert!(text.contains(expected), "no '{expected}' in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours outside a terminal");
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert!(stderr(&output).contains("10 runs of 33 s in "), "{}", stderr(&output));
}

#[test]
fn jobs_change_no_byte() {
    let one = airtab(&["compare", "--short", "--seeds", "2", "--jobs", "1"]);
    let two = airtab(&["compare", "--short", "--seeds", "2", "--jobs", "2"]);
    assert_eq!(stdout(&one), stdout(&two));
    assert_eq!(one.status.code(), Some(0));
}

#[test]
fn json_has_the_promised_form() {
    let output = airtab(&["compare", "--short", "--seeds", "2", "--queues", "fifo,chap:limit=70", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["schema"], 1);
    assert_eq!(json["scenario"], "home");
    assert_eq!(json["seeds"], serde_json::json!([1, 2]));
    assert_eq!(json["measure_ns"], serde_json::json!([9_000_000_000u64, 27_000_000_000u64]));
    let chap = &json["queues"][1];
    assert_eq!((&chap["label"], &chap["discipline"]), (&"chap:limit=70".into(), &"chap".into()));
    assert_eq!(chap["params"]["limit"], "70");
    let game = &chap["apps"][0];
    assert_eq!((&game["name"], &game["kind"]), (&"game".into(), &"game".into()));
    let mos = &game["metrics"]["game_mos"];
    assert!(mos["mean"].is_f64() && mos["half_width_95"].is_f64());
    assert_eq!(mos["values"].as_array().map(Vec::len), Some(2));
    assert!(chap["ap"]["metrics"]["idle_ratio"]["mean"].is_f64());
    let change = &json["changes"][0];
    assert_eq!((&change["queue"], &change["against"]), (&"chap:limit=70".into(), &"fifo".into()));
    let game = &change["apps"][0];
    assert_eq!((&game["name"], &game["metric"]), (&"game".into(), &"game_mos".into()));
    let [mean, half] = ["mean", "half_width_95"].map(|key| game[key].as_f64().expect("a number"));
    // Of MOS 0.05 matter.
    let verdict = if mean.abs() <= half.max(0.05) {
        "same"
    } else if mean > 0.0 {
        "better"
    } else {
        "worse"
    };
    assert_eq!(game["verdict"], verdict, "{mean} {half}");
}

#[test]
fn out_writes_whole_files() {
    let dir = scratch();
    let out = dir.path().join("new/results");
    let output = airtab(&["compare", "--short", "--seeds", "2", "--out", text(&out)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let mut names: Vec<_> =
        std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    // Which figures there are is the report's matter; each is a picture and its data.
    let figures: Vec<_> = names.extract_if(.., |name| name.starts_with("figure-")).collect();
    let pictures = figures.iter().filter_map(|name| name.strip_suffix(".svg"));
    let data = figures.iter().filter_map(|name| name.strip_suffix(".csv"));
    assert!(figures.len() >= 2 && pictures.eq(data), "{figures:?}");
    let written = ["report.html", "report.txt", "results.json", "results.parquet", "scenario.toml"];
    assert_eq!(names, [&["index.html", "manifest.json"], &written[..]].concat());
    let json = std::fs::read(out.join("results.json")).unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok());
    assert!(std::fs::read_to_string(out.join("report.txt")).unwrap().contains("Why"));
}

#[test]
fn out_says_early_that_it_cannot() {
    let dir = scratch();
    let in_the_way = file(dir.path(), "file", "");
    let output = airtab(&["compare", "--seeds", "2000", "--out", text(&in_the_way.join("results"))]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(
        message.starts_with("error: cannot make the directory ") && message.contains("results: "),
        "{message}"
    );
}

#[test]
fn run_shows_every_application() {
    let dir = scratch();
    let scenario = short_home(dir.path());
    let output = airtab(&["run", text(&scenario), "--queue", "fifo", "--seed", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    for expected in [
        "home under fifo, seed 3",
        "game",
        "call",
        "video",
        "web",
        "download",
        "score",
        "access point",
        "Why",
    ] {
        assert!(shown.contains(expected), "no '{expected}' in\n{shown}");
    }
    assert!(shown.lines().all(|l| l.chars().count() <= 80), "{shown}");
    let json = airtab(&["run", text(&scenario), "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((&json["seeds"], &json["queues"][0]["label"]), (&serde_json::json!([1]), &"chap".into()));
}

#[test]
fn run_takes_several_seeds() {
    let dir = scratch();
    let scenario = short_home(dir.path());
    let output = airtab(&["run", text(&scenario), "--seeds", "2", "--why", "none"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(shown.starts_with("home under chap, 2 seeds\n"), "{shown}");
    assert!(
        shown.contains("Mean of 2 seeds ±") && shown.contains("MOS") && !shown.contains("Why"),
        "{shown}"
    );
    assert!(shown.lines().all(|l| l.chars().count() <= 80), "{shown}");
    // Those of one are those of that seed alone.
    let json = |args: &[&str]| -> serde_json::Value {
        let output = airtab(&[&["run", text(&scenario), "--json"], args].concat());
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    assert_eq!(json(&["--seeds", "1"]), json(&["--seed", "1"]));
    assert_eq!(json(&["--seeds", "2"])["seeds"], serde_json::json!([1, 2]));
    let both = airtab(&["run", text(&scenario), "--seeds", "2", "--seed", "1"]);
    assert_eq!(both.status.code(), Some(2));
}

/// The sentences below a table: all of them, one for each application, or none.
#[test]
fn reasons_are_as_many_as_asked_for() {
    let sentences = |how: &str| {
        let output = airtab(&["compare", "--short", "--seeds", "2", "--queues", "fifo,chap", "--why", how]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let shown = stdout(&output).to_string();
        let why = shown.split_once("\nWhy\n").map(|(_, why)| why.to_string());
        // The further lines of one are indented by more.
        why.map(|why| why.lines().filter(|line| !line.starts_with("    ")).count())
    };
    assert_eq!(sentences("none"), None);
    assert_eq!(sentences("short"), Some(5));
    assert!(sentences("full").unwrap() > 5);
    let wrong = airtab(&["compare", "--why", "long"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("none, short, full"), "{}", stderr(&wrong));
}

#[test]
fn check_tells_right_from_wrong() {
    let dir = scratch();
    let good = short_home(dir.path());
    let bad = file(dir.path(), "bad.toml", "duration = 3\n");
    let output = airtab(&["scenario", "check", text(&good)]);
    assert_eq!(output.status.code(), Some(0));
    let expected =
        "short.toml: ok: home, 3.3 s, 5 stations, 5 applications\n  video: 9000 frames, 300 s, 2.47 Mb/s\n";
    assert!(stdout(&output).ends_with(expected), "{}", stdout(&output));
    let output = airtab(&["scenario", "check", text(&bad), text(&good)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("bad.toml: 3 problems\n") && stdout(&output).contains("short.toml: ok"));
    assert!(stderr(&output).contains("bad.toml:1:12: duration: '3' is not a time"), "{}", stderr(&output));
}

/// Warnings of a scenario come from each command that reads it, those of a discipline from each that builds it.
#[test]
fn doubts_about_a_scenario_are_told() {
    let dir = scratch();
    let content = "name = \"odd\"\nduration = \"200ms\"\nmeasure = [\"0s\", \"200ms\"]\n[wifi.driver]\nstop = false\n\
                   ring = 5\n[[station]]\nname = \"s\"\n[[app]]\nname = \"g\"\nstation = \"s\"\nkind = \"game\"\n";
    let odd = file(dir.path(), "odd.toml", content);
    let of_file =
        format!("warning: {}:6:8: [wifi.driver] ring: with stop = false the access point's", odd.display());
    let of_queue = "warning: spq: rules: rule 2, 'tcp=1', is never reached";
    let rules = "spq:rules=*=0,tcp=1";
    for (args, queue) in [
        (&["scenario", "check", text(&odd)][..], false),
        (&["run", text(&odd), "--queue", rules], true),
        (&["compare", text(&odd), "--no-cache", "--seeds", "1", "--queues", rules], true),
    ] {
        let output = airtab(args);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        assert!(said.contains(&of_file), "{args:?}: {said}");
        assert_eq!(said.contains(of_queue), queue, "{args:?}: {said}");
        assert_eq!(said.matches("warning: ").count(), 1 + usize::from(queue), "{args:?}: {said}");
    }
}

/// Numbers of stations and applications, and the notes of each application; each file by itself, in the order of the words.
#[test]
fn check_counts_what_is_in_each_file() {
    let dir = scratch();
    let station = |name: &str| format!("[[station]]\nname = \"{name}\"\n");
    let app = |name: &str, keys: &str| format!("[[app]]\nname = \"{name}\"\nstation = \"s\"\n{keys}\n");
    let head = |name: &str, duration: &str| format!("name = \"{name}\"\nduration = \"{duration}\"\n");
    let one = head("one", "2500ms") + &station("s") + &app("g", "kind = \"game\"");
    let rpm = "kind = \"responsiveness\"\nstart = \"1s\"\nstop = \"4s\"";
    let two = head("two", "10s")
        + &station("s")
        + &station("t")
        + &station("u")
        + &app("v", rpm)
        + &app("w", "kind = \"responsiveness\"");
    let [one, two, bad] = [("one.toml", one), ("two.toml", two), ("bad.toml", "x = 1\ny = 2\n".into())]
        .map(|(name, text)| file(dir.path(), name, text));
    let output = airtab(&["scenario", "check", text(&two), text(&bad), text(&one)]);
    assert_eq!(output.status.code(), Some(1));
    let shown = stdout(&output);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], format!("{}: ok: two, 10 s, 3 stations, 2 applications", two.display()));
    for (line, start) in [(1, "  v: it has 3 s, and may need "), (2, "  w: it has 10 s, and may need ")] {
        assert!(lines[line].starts_with(start), "{shown}");
    }
    assert!(
        lines[3].starts_with(&format!("{}: ", bad.display())) && lines[3].ends_with(" problems"),
        "{shown}"
    );
    assert_eq!(lines[4], format!("{}: ok: one, 2.5 s, 1 station, 1 application", one.display()));
    assert_eq!(lines.len(), 5, "{shown}");
    let missing = dir.path().join("missing.toml");
    let output = airtab(&["scenario", "check", text(&missing), text(&one)]);
    assert!(
        stdout(&output).starts_with(&format!("{}: unreadable\n", missing.display())),
        "{}",
        stdout(&output)
    );
    assert_eq!(output.status.code(), Some(1), "an earlier file is wrong");
}

/// One line for what all copies of a station, or several applications, have.
#[cfg(target_os = "linux")]
#[test]
fn a_check_says_the_same_once() {
    let dir = scratch();
    let app = |name: &str| {
        format!("[[app]]\nname = \"{name}\"\nkind = \"udp\"\nrate = \"max\"\nbytes = 1500\nstation = \"s\"\n")
    };
    let stations = "[[station]]\nname = \"s\"\ncount = 20\n";
    let path =
        file(dir.path(), "many.toml", format!("duration = \"9s\"\n{stations}{}{}", app("a"), app("b")));
    let output = airtab(&["scenario", "check", text(&path)]);
    let lines: Vec<&str> = stdout(&output).lines().skip(1).collect();
    assert_eq!(lines.len(), 2, "{}", stdout(&output));
    assert!(
        lines[0].starts_with("  not in airtab live up: names \"s 2\", \"s 3\", \"s 4\" and 16 more: "),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("  not in airtab live run: applications a, b: rate = \"max\": "),
        "{lines:?}"
    );
}

/// What `airtab live` refuses, said where nobody has to be root; it is no error: it can be simulated.
#[test]
fn check_tells_what_live_would_refuse() {
    let dir = scratch();
    let stations: String = (0..201).map(|i| format!("[[station]]\nname = \"s{i}\"\n")).collect();
    let text_of = |name: &str, stations: &str, keys: &str| {
        format!(
            "name = \"{name}\"\nduration = \"3s\"\n{stations}\n[[app]]\nname = \"a\"\nstation = \"s0\"\n{keys}\n"
        )
    };
    let one = "[[station]]\nname = \"s0\"\n";
    for (name, stations, keys, said) in [
        ("x", &stations[..], "kind = \"game\"", "up: 201 stations: a live house takes at most 200"),
        ("my home", one, "kind = \"game\"", "up: name \"my home\": a live house names namespaces with it"),
        ("x", one, "kind = \"p2p\"\nflows = 129", "run: application a: 129 flows: iperf3 takes at most 128"),
        (
            "x",
            one,
            "kind = \"download\"\nreconnect = \"1s\"",
            "run: application a: `reconnect` is the simulator's",
        ),
        ("x", one, "kind = \"upload\"\nvolume = \"1MB\"", "run: application a: `volume` is the simulator's"),
        ("x", one, "kind = \"game\"\nusers = 2", "run: application a: 2 users: more than one"),
        (
            "x",
            one,
            "kind = \"udp\"\nrate = \"max\"",
            "run: application a: rate = \"max\": only the simulator",
        ),
        (
            "x",
            one,
            "kind = \"udp\"\nrate = \"1Mb/s\"\nbytes = 43",
            "run: application a: bytes = 43: its packets",
        ),
    ] {
        let path = file(dir.path(), "x.toml", text_of(name, stations, keys));
        let output = airtab(&["scenario", "check", text(&path)]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let refusals: Vec<&str> =
            stdout(&output).lines().filter(|l| l.contains("not in airtab live")).collect();
        let expected = format!("  not in airtab live {said}");
        assert!(refusals.len() == 1 && refusals[0].starts_with(&expected), "{}", stdout(&output));
        // The same words where it is refused; who is not root learns of applications later.
        let (command, why) = said.split_once(": ").unwrap();
        let refused = airtab(&["live", command, text(&path)]);
        let told = stderr(&refused).contains(why);
        assert!(told || command == "run" && stderr(&refused).contains("needs root"), "{}", stderr(&refused));
    }
}

#[test]
fn files_that_are_none() {
    let dir = scratch();
    let latin = file(dir.path(), "latin.toml", b"# caf\xe9\n");
    let missing = dir.path().join("missing.toml");
    let large = file(dir.path(), "large.toml", vec![b'#'; (4 << 20) + 1]);
    for (path, reason) in [
        (missing.as_path(), "no such file or directory"),
        (dir.path(), "is a directory; name a scenario file (TOML)"),
        (latin.as_path(), "is not UTF-8 text: byte 5 (line 1)"),
        (large.as_path(), "is larger than 4 MiB; is it a scenario file (TOML)?"),
        (
            Path::new("/dev/zero"),
            "is no regular file but a pipe, a socket or a device; name a scenario file (TOML)",
        ),
    ] {
        for args in
            [vec!["compare", text(path)], vec!["run", text(path)], vec!["scenario", "check", text(path)]]
        {
            let output = airtab(&args);
            assert_eq!(output.status.code(), Some(1), "{args:?}");
            let expected = format!("{}: {reason}", path.display());
            assert!(stderr(&output).contains(&expected), "{}", stderr(&output));
        }
    }
}

#[test]
fn show_can_be_run() {
    let dir = scratch();
    let shown = airtab(&["scenario", "show"]);
    let path = file(dir.path(), "mine.toml", &shown.stdout);
    assert_eq!(airtab(&["scenario", "check", text(&path)]).status.code(), Some(0));
}

#[test]
fn wrong_usage_is_2() {
    for (args, expected) in [
        (
            &["compare", "--queues", "fifo,chop"][..],
            "no discipline 'chop'; did you mean `chap`? (known: fifo, spq, chap",
        ),
        (&["compare", "--queues", "chap:increment=1"], "'1' is not a time with its unit"),
        (&["compare", "--queues", "chap:size=1"], "chap: no parameter 'size' (known: profile, increment"),
        (&["compare", "--queues", "chap:incremnt=5ms"], "'incremnt'; did you mean `increment`? (known: "),
        (&["compare", "--out", "x", "--pcap", "5s"], "error: --pcap 5s: did you mean --pcap=5s?"),
        (&["compare", "--pcap", "5s", "my.toml"], "error: --pcap 5s: did you mean --pcap=5s?"),
        (
            &["compare", "--queues", "fifo:limit=1:limit=2"],
            "fifo: limit: given twice in 'fifo:limit=1:limit=2'",
        ),
        (&["compare", "--queues", "chap:limit=5000"], "(flows is 4096, limit is 5000)"),
        (&["compare", "--queues", "chap:limit"], "'limit' is not parameter=value"),
        (&["compare", "--queues", ""], "'' names no discipline (known: fifo, spq, chap"),
        (&["compare", "--queues", "fifo,"], "'' names no discipline (known: fifo"),
        (&["compare", "--queues", ":limit=5"], "':limit=5' names no discipline (known: fifo"),
        (&["compare", "--queues", "CHAP"], "no discipline 'CHAP'; did you mean `chap`? (known: fifo"),
        (
            &["compare", "--seeds", "0"],
            "invalid value '0' for '--seeds <N|A-B|LIST>': 0 seeds: give 1 to 100000",
        ),
        (
            &["compare", "--seeds", "abc"],
            "invalid value 'abc' for '--seeds <N|A-B|LIST>': 'abc' is no seed: give 20, 1-20 or 1,5,9",
        ),
        (&["compare", "--set", "wifi.attempts"], "write PATH=VALUE, as in wifi.attempts=4"),
        (&["compare", "--jobs", "1025"], "'1025' for '--jobs <N>': give a whole number from 1 to 1024"),
        (&["run", "x.toml", "--flent", "d/out.gz"], "names end with .flent.gz: write d/out.flent.gz"),
        (&["compare", "--flent", ".flent.gz"], "names end with .flent.gz: write out.flent.gz"),
        (
            &["run", "rrul", "--flent", "/nowhere/out.flent.gz"],
            "--flent /nowhere/out.flent.gz: cannot write there: No such file or directory (os error 2): name a file in a \
             folder that is there",
        ),
        (&["run", "anomaly", "--flent", "a.flent.gz"], "add one of kind download, upload or ping"),
        (
            &["compare", "rrul", "--short", "--flent", "a.flent.gz"],
            "first and last 5 s, and this run has no more",
        ),
        (
            &["run", "rrul", "--short", "--flent", "a.flent.gz"],
            "first and last 5 s, and this run has no more",
        ),
        (&["live", "run", "chap/fair", "--flent", "a.flent.gz"], "--flent: not of an experiment"),
        (
            &["live", "run", "chap/fair", "--short"],
            "--short: not of an experiment, whose times are its own: --quick",
        ),
        (
            &["live", "run", "rrul", "--format", "parquet"],
            "--format parquet: not of a house, which writes no files: table, csv or json",
        ),
        (
            &["live", "run", "rrul", "--flent", "/nowhere/out.flent.gz"],
            "--flent /nowhere/out.flent.gz: cannot write there",
        ),
        (&["run", "x.toml", "--seed", "-1"], "'-1' for '--seed <N>': give a whole number from 0 on"),
        (&["run", "x.toml", "--seed", "1.5"], "'1.5' for '--seed <N>': give a whole number from 0 on"),
        (&["compare", "--fast"], "unexpected argument '--fast'"),
        (&["run"], "SCENARIO.toml"),
        (&["dissciplines"], "disciplines"),
    ] {
        let output = airtab(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
    let twice = airtab(&["compare", "--queues", "chap,chap"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(stderr(&twice).contains("--queues names chap twice"), "{}", stderr(&twice));
}

#[test]
fn values_are_set_from_the_command_line() {
    let run = |sets: &[&str]| {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let args: Vec<&str> =
            ["run", "family", "--queue", "fifo", "--why", "none"].into_iter().chain(sets).collect();
        airtab(&args)
    };
    let short = ["duration=4s", "measure=[\"1s\", \"4s\"]", "app.shooter.start=500ms", "name=short"];
    let late = ["racing", "call", "update", "backup"].map(|app| format!("app.{app}.start=1s"));
    let short: Vec<&str> = short.into_iter().chain(late.iter().map(String::as_str)).collect();
    let usual = run(&short);
    assert_eq!(usual.status.code(), Some(0), "{}", stderr(&usual));
    assert!(stdout(&usual).starts_with("short under fifo, seed 1\n"), "{}", stdout(&usual));
    let deep = run(&[&short[..], &["queue.fifo.limit=3"]].concat());
    assert_eq!(deep.status.code(), Some(0), "{}", stderr(&deep));
    assert_ne!(stdout(&usual), stdout(&deep), "with another limit there are other figures");

    for (set, expected) in [
        (
            "station.tabelt.distance=5",
            "station.tabelt.distance: no [[station]] 'tabelt'; did you mean `tablet`?",
        ),
        ("wfi.attempts=5", "wfi.attempts: a scenario has no table 'wfi'; did you mean `wifi`?"),
        ("wifi.atempts=5", "family.toml with --set:"),
        ("wifi.atempts=5", "[wifi] atempts: no such key; did you mean `attempts`?"),
        ("station.tablet.distance=far", "[[station]] distance: 'far' is not"),
    ] {
        let output = run(&[set]);
        assert_eq!(output.status.code(), Some(1), "{set}");
        assert!(stderr(&output).contains(expected), "{set}: {}", stderr(&output));
    }

    // The kept scenario is the one that was run, and the command of the page makes it again.
    let dir = scratch();
    let out = dir.path().join("results");
    let args =
        ["compare", "--short", "--seeds", "1", "--queues", "fifo", "--set", "station.phone.distance=9"];
    let output = airtab(&[&args[..], &["--out", text(&out)]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let kept = std::fs::read_to_string(out.join("scenario.toml")).unwrap();
    let read: toml::Table = kept.parse().expect("TOML");
    let stations = read["station"].as_array().expect("a list");
    let phone =
        stations.iter().find(|station| station["name"].as_str() == Some("phone")).expect("it is there");
    assert_eq!(phone["distance"].as_integer(), Some(9));
    assert_eq!(kept.lines().count(), stdout(&airtab(&["scenario", "show"])).lines().count(), "{kept}");
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let command = "airtab compare scenario.toml --queues fifo --seeds 1 --short";
    assert!(manifest.contains(command), "{manifest}");
}

/// The reason and the key come before the table, also with one seed, and not for one discipline. After the change of that key a
/// discipline can differ. A short schedule has no headline.
#[test]
fn a_comparison_says_first_that_no_discipline_can_differ() {
    let dir = scratch();
    let house = "duration = \"3s\"\nmeasure = [\"1s\", \"3s\"]\n[wired]\nrate = \"10Mb/s\"\n[wifi]\nphy = \"std-11g\"\n\
                 [[station]]\nname = \"s\"\nrate = \"54Mb/s\"\nfer = 0\n\
                 [[app]]\nname = \"update\"\nkind = \"download\"\nstation = \"s\"\n\
                 [[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"s\"\n";
    let path = file(dir.path(), "house.toml", house);
    let second = |more: &[&str]| {
        let args = ["compare", text(&path), "--queues", "fifo,chap", "--why", "none"];
        let output = airtab(&[&args[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        // Both of the lines that it is broken into.
        let paragraph = stdout(&output).split("\n\n").nth(1).unwrap_or_default();
        paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for seeds in ["1", "2"] {
        let said = second(&["--seeds", seeds]);
        assert!(
            said.starts_with("No discipline can differ here: the access point's queue is empty ("),
            "{said}"
        );
        assert!(
            said.contains("The wired link of 10Mbit is the bottleneck")
                && said.ends_with("raise `rate` in [wired]."),
            "{said}"
        );
    }
    let wide = ["--seeds", "2", "--set", "wired.rate=1Gb/s"];
    let said = second(&wide);
    assert!(said.contains("best") && !said.contains("No discipline can differ"), "{said}");
    let said = second(&[&wide[..], &["--short"]].concat());
    assert!(said.contains('\u{2500}'), "a table, without a headline: {said}");
    // Where no text is printed, a warning says it.
    let output = airtab(&["compare", text(&path), "--queues", "fifo,chap", "--seeds", "1", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let reason = json["no_difference"].as_str().expect("a reason");
    assert!(
        reason.ends_with("raise `rate` in [wired].") && stderr(&output).contains(reason),
        "{}",
        stderr(&output)
    );
    let output = airtab(&["compare", text(&path), "--queues", "fifo", "--seeds", "1", "--json"]);
    assert!(
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")["no_difference"].is_null()
    );
}

#[test]
fn airtime_fq_with_aql_under_a_governor_is_warned_of() {
    let dir = scratch();
    let house = |queue: &str| {
        let text = format!(
            "duration = \"500ms\"\n[wifi]\nphy = \"std-11n\"\ndriver = {{ inflight = \"8ms\" }}\n{queue}\n[[station]]\nname = \"s\"\n\
             mcs = 7\nfer = 0\n[[app]]\nname = \"update\"\nkind = \"download\"\nstation = \"s\"\n"
        );
        file(dir.path(), "house.toml", text)
    };
    let warned = |args: &[&str]| {
        let output = airtab(args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
            .contains("airtime_fq: AQL and the governor (`inflight` in [wifi.driver]) both limit the airtime")
    };
    let path = house("");
    let compare = |queues| ["compare", text(&path), "--seeds", "1", "--queues", queues, "--why", "none"];
    assert!(warned(&compare("fq_codel,airtime_fq")));
    assert!(!warned(&compare("fq_codel,airtime_fq:aql=off")));
    assert!(warned(&["run", text(&path), "--queue", "airtime_fq"]));
    assert!(warned(&["scenario", "check", text(&path)]));
    let path = house("[queue.airtime_fq]\naql = \"off\"");
    assert!(
        !warned(&["scenario", "check", text(&path)])
            && !warned(&["run", text(&path), "--queue", "airtime_fq"])
    );
}

#[test]
fn a_scenario_comes_from_standard_input() {
    let home = airtab(&["scenario", "show"]).stdout;
    let dir = scratch();
    let piped = std::fs::File::open(file(dir.path(), "piped.toml", &home)).unwrap();
    let args = ["compare", "-", "--short", "--seeds", "1", "--queues", "fifo", "--why", "none"];
    let output = command(&args).stdin(piped).output().expect("airtab starts");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let usual = airtab(&["compare", "--short", "--seeds", "1", "--queues", "fifo", "--why", "none"]);
    assert_eq!(stdout(&output), stdout(&usual));
    // Nothing is there.
    let output = airtab(&args);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("standard input: the file lacks the key `duration`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_version_has_its_commit() {
    let version = airtab(&["--version"]);
    let expected = format!("airtab {}\ncommit {}\n", env!("CARGO_PKG_VERSION"), env!("AIRTAB_GIT"));
    assert_eq!(stdout(&version), expected);
    assert_eq!(stdout(&airtab(&["-V"])), format!("airtab {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn disciplines_come_from_the_tables() {
    let list = airtab(&["disciplines"]);
    for d in airtab_core::disciplines() {
        assert!(stdout(&list).contains(d.about()), "{}", d.name());
        let one = airtab(&["disciplines", d.name()]);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for p in d.params() {
            let expected = format!("{}={}", p.name, p.format(p.default));
            assert!(stdout(&one).contains(&expected), "{expected}");
            assert!(words(stdout(&one)).contains(&words(p.help)), "{}: {}", p.name, p.help);
            assert!(words(stdout(&one)).contains(&words(p.source)), "{}: {}", p.name, p.source);
        }
        for s in d.stats().iter().chain(&d.row_stats()) {
            assert!(words(stdout(&one)).contains(&words(s.help)), "{}: {}", s.name, s.help);
        }
        let json = airtab(&["disciplines", d.name(), "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
        assert_eq!(json["params"].as_array().map(Vec::len), Some(d.params().len()));
        assert_eq!(json["stats"].as_array().map(Vec::len), Some(d.stats().len()));
    }
    let unknown = airtab(&["disciplines", "chpa"]);
    assert_eq!(unknown.status.code(), Some(2));
    let expected = "error: no discipline 'chpa'; did you mean `chap`? (known: fifo, ";
    assert!(stderr(&unknown).starts_with(expected), "{}", stderr(&unknown));
    let shouted = airtab(&["disciplines", "CHAP"]);
    let expected = "error: no discipline 'CHAP'; did you mean `chap`? (known: fifo, ";
    assert!(stderr(&shouted).starts_with(expected), "{}", stderr(&shouted));
}

/// Text is as wide as `COLUMNS` says, but not below 20; 100 where that is no number.
#[test]
fn texts_are_as_wide_as_it_is_said() {
    let shown = |columns: Option<&str>| {
        let mut command = command(&["disciplines", "chap"]);
        match columns {
            Some(columns) => command.env("COLUMNS", columns),
            None => command.env_remove("COLUMNS"),
        };
        stdout(&command.output().expect("airtab starts")).to_string()
    };
    let usual = shown(None);
    for wide in ["100", "wide", "", "-5"] {
        assert_eq!(shown(Some(wide)), usual, "{wide}");
    }
    assert_eq!(shown(Some("1")), shown(Some("20")));
    let lines = |columns: &str| shown(Some(columns)).lines().count();
    assert!(lines("20") > lines("21") && lines("40") > usual.lines().count() && lines("300") < lines("100"));
    assert!(
        shown(Some("60"))
            .lines()
            .filter(|line| line.starts_with("      "))
            .all(|line| line.chars().count() <= 60)
    );
}

/// What does not get through is an error, and says of what; help too.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_named() {
    for args in [&["disciplines", "chap"][..], &["--help"], &["compare", "--help"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let output = command(args).stdout(full).stderr(Stdio::piped()).output().expect("airtab starts");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let expected = "error: cannot write to standard output: No space left on device";
        assert!(stderr(&output).starts_with(expected), "{args:?}: {}", stderr(&output));
        assert_eq!(airtab(args).status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn help_has_examples() {
    for command in ["compare", "run", "scenario", "disciplines"] {
        let output = airtab(&[command, "--help"]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("Examples:"), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    // The reader is gone before anything is printed.
    for args in [&["disciplines", "chap"][..], &["compare", "--short", "--seeds", "2"], &["--help"]] {
        let mut child =
            command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("airtab starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("airtab ends");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stderr(&output).contains("panic"), "{}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_cleanly() {
    use std::io::{BufRead, BufReader, Read};
    let dir = scratch();
    let args = ["compare", "--short", "--seeds", "2000", "--jobs", "1", "--out", text(dir.path())];
    let mut child =
        command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("airtab starts");
    let mut messages = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    messages.read_line(&mut line).expect("airtab says what it does");
    assert_eq!(line, "10000 runs ...\n");
    kill_process(Pid::from_child(&child), interrupt_signal()).expect("it runs");
    assert_eq!(child.wait().expect("airtab ends").code(), Some(130));
    let mut rest = String::new();
    messages.read_to_string(&mut rest).expect("UTF-8");
    assert!(
        rest.starts_with("stopped after ") && rest.contains(" of 10000 runs; nothing was written"),
        "{rest}"
    );
    assert_eq!(std::fs::read_dir(dir.path()).expect("the directory").count(), 0, "nothing half-written");
}

#[test]
fn nobody_reads_the_errors() {
    let dir = scratch();
    let wrong = file(dir.path(), "wrong.toml", "duration = 3");
    for (args, expected) in [
        (&["scenario", "check", text(&wrong)][..], 1),
        (&["run", text(&wrong)], 1),
        (&["compare", "--queues", "fifo,fifo"], 2),
        (&["disciplines", "lifo"], 2),
        (&["compare", "--short", "--seeds", "1", "--queues", "fifo"], 0),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command(args).stderr(writer).output().expect("airtab starts");
        assert_eq!(output.status.code(), Some(expected), "{args:?}");
    }
}
