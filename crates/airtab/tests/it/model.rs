// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model` as a user has it: figures of the sources, JSON, pictures, errors.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn model(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.arg("model").args(args).env("COLUMNS", "80").env_remove("NO_COLOR").stdin(Stdio::null());
    command.output().expect("airtab starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

/// The figures of each line that begins with one.
fn rows(output: &Output) -> Vec<Vec<String>> {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    let text = stdout(output);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
    let begins = |row: &Vec<String>| row.len() > 2 && row[0].starts_with(|c: char| c.is_ascii_digit());
    text.lines().map(words).filter(begins).filter(|row| row[1].parse::<f64>().is_ok()).collect()
}

fn as_json(args: &[&str]) -> Value {
    let output = model(&[args, &["--json"]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["schema"], 1);
    json
}

#[test]
fn credits_of_the_worked_example() {
    let found = rows(&model(&["chap", "credits", "--rates", "2:3:5", "--increment", "10ms"]));
    assert_eq!(found[0], ["1", "2", "1", "20.0", "12.00", "14.00", "16.00", "3.00", "0.9167"]);
    assert_eq!(found[1], ["2", "3", "1", "30.0", "8.00", "11.00", "14.00", "6.00", "0.9667"]);
    assert_eq!(found[2], ["3", "5", "1", "50.0", "0.00", "5.00", "10.00", "-", "1.0000"]);
    let json = as_json(&["chap", "credits", "--costs", "15:3:5"]);
    assert_eq!((&json["triggered_by_flow"], &json["increment_ns"]), (&json!(1), &json!(25_000_000)));
    assert_eq!(json["flows"][1]["high_ns"], json!(42_500_000.0));
    assert_eq!(json["flows"][0]["burst_ns"], Value::Null);
}

#[test]
fn delays_of_figure_5_4() {
    let found = rows(&model(&["chap", "delay", "--kappa", "0.5,0.8,1", "--rho", "0.5,0.8"]));
    let waits: Vec<&[String]> = found.iter().map(|row| &row[1..4]).collect();
    assert_eq!(waits[0], ["0.9999", "0.3001", "0.7500"]);
    assert_eq!(waits[1], ["0.7750", "0.4389", "0.7279"]);
    assert_eq!(waits[2], ["0.5000", "0.5962", "0.5962"]);
    assert_eq!(waits[4], ["0.7750", "0.9839", "2.5580"]);
}

#[test]
fn the_discipline_stands_beside_the_model() {
    let args = ["chap", "delay", "--kappa", "1/9,1", "--duration", "100s", "--seeds", "2"];
    let queues = "--engine=chap:profile=faithful,spq,fifo";
    let json = as_json(&[&args[..], &[queues]].concat());
    let mean = |point: usize, queue: usize, flow: &str| {
        json["points"][point]["engine"][queue][flow]["mean"].as_f64().expect("a number")
    };
    assert!(mean(0, 0, "slow") < 0.6 * mean(0, 0, "fast"), "CHAP prefers the slow flow");
    assert!(mean(1, 1, "slow") < 0.6 * mean(1, 1, "fast"), "strict priority too, at any ratio");
    for queue in [0, 2] {
        assert!((mean(1, queue, "slow") / mean(1, queue, "fast") - 1.0).abs() < 0.1, "equal rates");
    }
    assert_eq!(json["points"][0]["engine"][2]["queue"], "fifo");
    // Columns that do not fit go into further tables, each with its kappa.
    let text = model(&[&args[..], &[queues]].concat());
    assert_eq!(rows(&text).iter().filter(|row| row[0] == "1/9").count(), 3);
    assert!(stderr(&text).starts_with("12 runs ..."), "{}", stderr(&text));
    assert!(stdout(&text).contains("Disciplines: 2 runs of 100 s, ± half"));
}

#[test]
fn drops_are_said() {
    let args = ["chap", "delay", "--rho", "0.9", "--kappa", "1", "--duration", "5s", "--seeds", "1"];
    let output = model(&[&args[..], &["--engine=fifo:limit=2"]].concat());
    assert!(stdout(&output).contains("packets were dropped"), "{}", stdout(&output));
}

#[test]
fn bursts_wait_as_long_as_the_bound() {
    let found = rows(&model(&["chap", "burst"]));
    assert_eq!(
        found,
        [["1", "50.00", "50.17", "113"], ["2", "100.00", "100.34", "226"], ["3", "150.00", "150.52", "339"]]
    );
    let json = as_json(&["chap", "burst", "--flows", "1", "--service", "500us"]);
    assert_eq!(json["waits"][0]["wait_ns"], 50_000_000);
}

#[test]
fn the_increment_has_two_bounds() {
    let output = model(&["chap", "increment"]);
    assert!(stdout(&output).contains("So I is from 22.22 to 25.00 ms."), "{}", stdout(&output));
    let output = model(&["chap", "increment", "--noticed", "20ms"]);
    assert!(stdout(&output).contains("No I does both"), "{}", stdout(&output));
    assert_eq!(as_json(&["chap", "increment"])["high_ns"], json!(25_000_000.0));
}

#[test]
fn bianchi_for_a_profile() {
    let found = rows(&model(&["bianchi", "--stations", "1,10"]));
    // A lone station: 1500 bytes each 281.93 us of exchange, 28 us of DIFS and 7.5 slots of 9 us.
    assert_eq!(found[0], ["1", "31.794", "0.00", "0.00", "0.1176"]);
    assert_eq!(found[1][..3], ["10", "28.845", "38.44"]);
    assert_eq!(as_json(&["bianchi"])["cells"][0]["p_attempt_collides"], 0.0);
}

/// A lone station: AIFS 43 + 7.5 slots of 9 us + PPDU + SIFS 16 + answer, worked out by hand for each.
#[test]
fn bianchi_with_aggregates() {
    for (args, goodput) in [
        (&["--profile", "std-11n"][..], "31.373"),
        (&["--profile", "std-11n", "--mcs", "7", "--frames", "2"], "41.487"),
        (&["--profile", "std-11n", "--frames", "8"], "55.863"),
        (&["--profile", "std-11n", "--frames", "20"], "60.023"),
        (&["--profile", "std-11n", "--frames", "28"], "60.886"),
        (
            &["--profile", "std-11n", "--streams", "2", "--width", "40", "--gi", "400", "--frames", "42"],
            "261.072",
        ),
        (&["--profile", "std-11ac", "--frames", "64"], "344.936"),
        (&["--profile", "std-11ac", "--gi", "400", "--frames", "64"], "378.979"),
        (&["--profile", "std-11ax", "--frames", "256"], "559.920"),
        (&["--profile", "std-11ax", "--gi", "3200", "--frames", "224"], "476.385"),
    ] {
        let found = rows(&model(&[&["bianchi", "--stations", "1,10"], args].concat()));
        assert_eq!(found[0], ["1", goodput, "0.00", "0.00", "0.1176"], "{args:?}");
        assert_eq!(found[1][2], "38.44", "how often ten collide is not what they send");
    }
    // 43 + 5360 us; SIFS and a BLOCK ACK at 24 Mb/s are 48 us.
    let json = as_json(&["bianchi", "--profile", "std-11n", "--frames", "28"]);
    assert_eq!((&json["collision_ns"], &json["busy_ns"]), (&json!(5_403_000), &json!(5_451_000)));
}

#[test]
fn aggregates_when_frames_are_lost() {
    // A window of 2 at p = 1/2: lengths of 1 and 2 are 1 to 2, and take 382.5 and 578.5 us; 10,000 bits in 513.17 us.
    let exact = as_json(&["blockack", "--window", "2", "--frames", "2", "--error", "0.5"]);
    let cell = &exact["cells"][0];
    assert!((cell["mean_frames"].as_f64().expect("a number") - 5.0 / 3.0).abs() < 1e-9);
    assert!((cell["goodput_bps"].as_f64().expect("a rate") - 10_000e9 * 3.0 / 1_539_500.0).abs() < 1.0);
    assert_eq!(exact["exact"], true);
    let full = rows(&model(&["blockack", "--frames", "28", "--error", "0"]));
    assert_eq!(full[0], ["0", "28.00", "100.00", "0.000", "60.886"]);
    let wide = as_json(&["blockack", "--window", "64", "--frames", "28", "--error", "0.1"]);
    assert_eq!((&wide["exact"], &wide["attempts"]), (&json!(false), &Value::Null));
    let goodput = wide["cells"][0]["goodput_bps"].as_f64().expect("a rate");
    assert!((54.6e6..54.8e6).contains(&goodput), "nearly 0.9 of 60.886 Mb/s: {goodput}");
    let limited =
        as_json(&["blockack", "--window", "4", "--frames", "4", "--error", "0.5", "--attempts", "2"]);
    assert!((limited["cells"][0]["given_up"].as_f64().expect("a share") - 0.25).abs() < 1e-9);
}

#[test]
fn the_anomaly_of_the_paper() {
    let output = model(&["anomaly"]);
    let found = rows(&output);
    assert_eq!(found[0], ["144.4", "6892", "10.0", "9.55", "28434", "33.3", "42.04"]);
    assert_eq!(found[2], ["7.2", "2914", "78.8", "5.23", "2914", "33.3", "2.21"]);
    let sums = stdout(&output).lines().last().expect("the sums").split_whitespace();
    assert_eq!(sums.collect::<Vec<_>>(), ["all", "25.95", "86.31"]);
    let json = as_json(&[
        "anomaly",
        "--rates",
        "12.352Mb/s",
        "--aggregates",
        "1500B",
        "--fair-aggregates",
        "1500B",
        "--preamble",
        "250us",
        "--overhead",
        "750us",
    ]);
    assert_eq!(json["in_turn"]["stations"][0]["air"], json!(1.0));
    assert_eq!(json["fair"]["goodput_bps"].as_f64().expect("a rate").round(), 6e6);
}

#[test]
fn figures_are_whole_files() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let folder = dir.path().join("new/figures");
    let out = folder.to_str().expect("UTF-8");
    for args in [
        &["chap", "credits", "--out", out][..],
        &["chap", "delay", "--rho", "0.2,0.5,0.8", "--out", out],
        &["chap", "delay", "--engine", "--duration", "1s", "--seeds", "1", "--out", out],
    ] {
        let output = model(args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
        let path = folder.join(args[1]).with_extension("svg");
        let svg = std::fs::read_to_string(&path).expect("it was written");
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains("prefers-color-scheme: dark") && svg.contains("<polyline"), "{svg}");
        assert_eq!(svg.matches("<svg ").count(), svg.matches("</svg>").count());
    }
    // The name of a file, by the old name of the option, for one version more.
    let file = dir.path().join("mine.svg");
    let output = model(&["chap", "credits", "--plot", file.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stderr(&output).starts_with("warning: --plot of airtab model is now --out"),
        "{}",
        stderr(&output)
    );
    assert!(file.is_file() && file.with_extension("csv").is_file());
    let made = dir.path().join("in-the-way/credits.svg");
    std::fs::create_dir_all(&made).unwrap();
    let output = model(&["chap", "credits", "--out", dir.path().join("in-the-way").to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write"), "{}", stderr(&output));
}

#[test]
fn wrong_values_are_named() {
    for (args, expected) in [
        (
            &["chap", "credits", "--rates", "2:x"][..],
            "'x' is not a number; write numbers with colons, as 2:3:5",
        ),
        (&["chap", "credits", "--rates=-2:3"], "rate -2 of flow 1: rates are 0 or more"),
        (&["chap", "credits", "--costs", "1:2"], "2 costs for 3 rates: give one for each"),
        (&["chap", "credits", "--increment", "25"], "'25' is not a time with its unit"),
        (&["chap", "credits", "--increment", "0ms"], "'0ms' is nothing; give more than 0"),
        (&["chap", "delay", "--rho", "1"], "'1' is no load: above 0 and below 1, such as 0.5"),
        (
            &["chap", "delay", "--kappa", "9/8"],
            "'9/8' is no ratio: above 0 and at most 1, such as 0.5 or 8/9",
        ),
        (&["chap", "delay", "--engine=chop"], "no discipline 'chop'; did you mean `chap`?"),
        (&["chap", "delay", "--duration", "10s"], "--engine"),
        (&["chap", "delay", "--rho", "0.1,0.2,0.3,0.4", "--out", "x"], "3 loads at most"),
        (&["chap", "burst", "--queue", "fifo"], "--queue fifo: it has no credits to burst with; take chap"),
        (
            &["chap", "burst", "--service", "30ms"],
            "--service 30ms: a packet costs at most the increment, 25ms",
        ),
        (
            &["chap", "burst", "--flows", "100", "--service", "10us"],
            "error: 100 bursts of 5000 packets: chap: limit: ",
        ),
        (
            &["bianchi", "--phy", "phy-z"],
            "--profile: 'phy-z' is not known; did you mean `phy-a`? (known: phy-a,",
        ),
        (&["bianchi", "--frames", "2"], "--frames: phy-a has no rates by MCS, and no aggregates"),
        (&["bianchi", "--gi", "800"], "--gi: phy-a has no rates by MCS, and no aggregates"),
        (
            &["bianchi", "--profile", "std-11n", "--rate", "65Mb/s"],
            "--rate: std-11n has rates by MCS; give --mcs",
        ),
        (
            &["bianchi", "--profile", "std-11n", "--frames", "29"],
            "--frames: 29 is above 28, the most in an aggregate at HT20 MCS 7, 1 stream, 800 ns",
        ),
        (&["bianchi", "--profile", "std-11n", "--size", "3kB"], "--size: 3kB is not 1 to 2296 bytes"),
        (&["bianchi", "--profile", "std-11n", "--mcs", "8", "--gi", "3200"], "--mcs 8: "),
        (&["blockack", "--profile", "phy-a"], "--profile: phy-a has no rates by MCS, and no aggregates"),
        (&["blockack", "--error", "1"], "'1' is no error rate: from 0 to below 1, such as 0.1"),
        (
            &["blockack", "--window", "8", "--frames", "9"],
            "aggregates of 9 frames: they are from 1 to the window's 8",
        ),
        (&["blockack", "--attempts", "7"], "a limit of attempts is for windows of at most 10, not of 64"),
        (&["bianchi", "--rate", "11Mb/s"], "error: --rate: '11Mb/s' is no rate of phy-a: 6, 9, 12,"),
        (&["bianchi", "--rate", "54"], "error: --rate: '54' is not a rate"),
        (&["bianchi", "--phy", "std-11b", "--rate", "54Mb/s"], "no rate of std-11b: 1, 2, 5.5 or 11Mb/s"),
        (&["bianchi", "--size", "70kB"], "error: --size: 70kB is not 1 to 65535 bytes"),
        (&["anomaly", "--rates", "54Mb/s,6Mb/s"], "--aggregates: 3 sizes for 2 --rates; give one for each"),
        (&["anomaly", "--rates", "54"], "'54' is not a rate"),
        (&["anomaly", "--aggregates", "0B,1B,1B"], "'0B' is nothing; give more than 0"),
        (&["bianchi", "--stations", "0"], "give a whole number from 1 to 1000"),
    ] {
        let output = model(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn help_has_examples() {
    for args in [
        &["--help"][..],
        &["chap", "--help"],
        &["chap", "credits", "--help"],
        &["chap", "delay", "--help"],
        &["chap", "burst", "--help"],
        &["chap", "increment", "--help"],
        &["bianchi", "--help"],
        &["blockack", "--help"],
        &["anomaly", "--help"],
    ] {
        assert!(stdout(&model(args)).contains("Examples:"), "{args:?}");
    }
}

/// The published and derived figures of contention, by subject.
#[test]
fn contention_by_subject() {
    let found = rows(&model(&["contention", "waste", "--lost", "68", "--n", "2,15"]));
    assert_eq!(found[0], ["2", "15", "9.6905", "23", "8.5501", "0.10815", "8.2462", "0.2163", "8.2462"]);
    assert_eq!(found[1][6], "11.5510");
    let json = as_json(&["contention", "airtime", "--n", "6", "--covered", "1460,5840"]);
    let eta = |row: usize| json["rows"][row]["ack"].as_f64().expect("a number");
    assert_eq!((format!("{:.1}", eta(0)), format!("{:.1}", eta(1))), ("2411.1".into(), "7620.5".into()));
    let json = as_json(&["contention", "access", "--n", "2,15", "--successes", "200000"]);
    let window = json["rows"][0]["effective_window"].as_f64().expect("a number");
    assert!((window / 33.0 - 1.0).abs() < 0.05, "{json}");
    assert_eq!((&json["rows"][0]["better_than_h"], &json["rows"][1]["n"]), (&json!("yes"), &json!(15)));
    assert_eq!(json, as_json(&["contention", "access", "--n", "2,15", "--successes", "200000"]));
    let pipe = as_json(&["contention", "pipe"]);
    assert_eq!(pipe["rows"][2]["regime"], "large");
}

/// The source's words for subjects, a command line each, and a figure of each beside it.
#[test]
fn contention_by_the_sources_words() {
    let figure = |args: &str, name: &str| {
        let words: Vec<&str> = std::iter::once("contention").chain(args.split(' ')).collect();
        let json = as_json(&words);
        json["rows"][0][name].as_f64().unwrap_or_else(|| panic!("{args}: {json}"))
    };
    for (args, name, expected, share) in [
        ("automaton --n 2 --successes 200000", "collisions", 0.0313, 0.03),
        ("h --window 32 --n 2", "wait_success", 10.0, 1e-9),
        ("ps --n 5 --d 5 --method h --window 32 --successes 200000", "again", 0.672, 0.01),
        ("jain --n 15 --k 10 --successes 200000", "jain", 0.744, 0.02),
        ("pdf --time 4 --t 0", "density", 1.082, 0.001),
        ("airtime --n 6", "ack", 2411.1, 1e-4),
        ("permutation --station 1", "share", 0.75, 1e-9),
        ("shares --uploads 3", "ratio", 4.0, 1e-9),
    ] {
        let value = figure(args, name);
        assert!((value / expected - 1.0).abs() < share, "{args}: {value}");
    }
    let regimes = as_json(&["contention", "regimes", "--flows", "6", "--packets", "60"]);
    assert_eq!(regimes["rows"][0]["regime"], "large");
    // As a user asks who knows no option: C_eff of 802.11, a column of the default table.
    let json = as_json(&["contention", "effective"]);
    for (n, window) in [(2, 33.0), (4, 25.1), (15, 34.3)] {
        let rows = json["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["n"] == n).expect("2, 4 and 15 are among the defaults");
        let found = row["effective_window"].as_f64().expect("a number");
        assert!((found / window - 1.0).abs() < 0.02, "N = {n}: {found}");
    }
    let output = model(&["contention", "--help"]);
    let help = stdout(&output);
    for word in ["effective", "automaton", "ps", "jain", "pdf", "permutation", "regimes", "shares"] {
        assert!(
            help.split(|c: char| !c.is_ascii_alphanumeric()).any(|found| found == word),
            "{word}: {help}"
        );
    }
}

#[test]
fn contention_is_drawn() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let svg = dir.path().join("waste.svg");
    let out = dir.path().to_str().expect("UTF-8");
    let output = model(&["contention", "waste", "--n", "2,5,10", "--out", out]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let drawn = std::fs::read_to_string(&svg).expect("written");
    assert!(drawn.contains("<svg") && svg.with_extension("csv").exists());
    let output = model(&["contention", "waste", "--n", "2", "--out", out]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("give a list of numbers to draw over"), "{}", stderr(&output));
}

#[test]
fn contention_refuses_with_range_and_cure() {
    for (args, message) in [
        (
            &["contention", "slots", "--law", "weights", "--weights", "0:0"][..],
            "all 2 weights are 0: give one slot",
        ),
        (&["contention", "slots", "--hazard", "1"], "'1' is not a number above 0 and below 1"),
        (&["contention", "access", "--cwmin", "0"], "'0' is not a whole number from 1 to 65536"),
        (&["contention", "access", "--cwmin", "64", "--cwmax", "32"], "the largest is at least the smallest"),
        (&["contention", "access", "--offset", "0"], "'0' is not a whole number from 1 to 65536"),
        (&["contention", "turns", "--slots", "1:2"], "give 2 or more sequences of slots"),
        (&["contention", "acess"], "access"),
    ] {
        let output = model(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
    }
    let output = model(&["contention", "access", "--help"]);
    let help = stdout(&output);
    let unbroken = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["Examples:", "--method", "possible values: dcf", "better than H"] {
        assert!(unbroken.contains(word), "{help}");
    }
}

/// Each figure of the JSON is that of the table, in the unit that its name says.
#[test]
fn tables_and_json_have_the_same_figures() {
    let ms = |value: &Value| value.as_f64().map_or("-".into(), |ns| format!("{:.2}", ns / 1e6));
    let number = |value: &Value| value.as_f64().expect("a number");
    let args = ["chap", "credits", "--rates", "2:3:5", "--costs", "15:3:7"];
    let json = as_json(&args);
    let table = rows(&model(&args));
    let flows = json["flows"].as_array().expect("flows");
    assert_eq!((flows.len(), json["triggered_by_flow"].as_u64()), (3, Some(3)));
    for (i, flow) in flows.iter().enumerate() {
        let expected = [
            (i + 1).to_string(),
            number(&flow["rate"]).to_string(),
            number(&flow["cost"]).to_string(),
            format!("{:.1}", number(&flow["air_share"]) * 100.0),
            ms(&flow["low_ns"]),
            ms(&flow["mean_ns"]),
            ms(&flow["high_ns"]),
            ms(&flow["burst_ns"]),
            format!("{:.4}", number(&flow["p_above_all_faster"])),
        ];
        assert_eq!(table[i], expected);
        // 30, 9 and 35 of 74.
        assert!((number(&flow["air_share"]) - [30.0, 9.0, 35.0][i] / 74.0).abs() < 1e-12);
        // Halfway between what it has before and after a boost, which are apart.
        let [low, mean, high] = ["low_ns", "mean_ns", "high_ns"].map(|key| number(&flow[key]));
        assert!(low < high && ((low + high) / 2.0 - mean).abs() < 1e-3, "{flow}");
    }
    assert!(flows[0]["burst_ns"] != flows[1]["burst_ns"]);

    let found = rows(&model(&["chap", "burst", "--flows", "2"]));
    let waits = as_json(&["chap", "burst", "--flows", "2"])["waits"].clone();
    for (row, wait) in found.iter().zip(waits.as_array().expect("waits")) {
        let packets = wait["wait_ns"].as_u64().expect("ns") / 444_000;
        assert_eq!(
            row,
            &[wait["bursts"].to_string(), ms(&wait["bound_ns"]), ms(&wait["wait_ns"]), packets.to_string()]
        );
        assert!(wait["credit_ns"].as_u64().is_some_and(|left| left < 444_000), "less than a packet: {wait}");
    }
    assert_eq!(waits[1]["bursts"], 2);

    let shown = model(&["chap", "increment"]);
    let lines = stdout(&shown).lines().map(|line| line.split_whitespace().map(String::from).collect());
    let found: Vec<Vec<String>> = lines.filter(|row: &Vec<String>| row.len() == 4).collect();
    let activity = as_json(&["chap", "increment"])["activity"].clone();
    let of = |name: &str| found.iter().find(|row| row[0] == name).expect("a row");
    for one in activity.as_array().expect("activities") {
        let [p, second, third] = ["p", "second", "third"].map(|key| number(&one[key]));
        let expected = [format!("{p:.4}"), format!("{second:.2e}"), format!("{third:.2e}")];
        assert_eq!(of(one["traffic"].as_str().expect("a name"))[1..], expected);
        // p^2 and 3/2 p^3 (equations 5.38 and 5.39).
        assert!((second / p.powi(2) - 1.0).abs() < 1e-9 && (third / p.powi(3) - 1.5).abs() < 1e-9, "{one}");
    }
    assert!(number(&activity[0]["p"]) != number(&activity[1]["p"]), "pages and films");

    let anomaly =
        ["anomaly", "--rates", "65Mb/s,6.5Mb/s", "--aggregates", "12kB,3kB", "--fair-aggregates", "30kB,4kB"];
    let json = as_json(&anomaly);
    let table = rows(&model(&anomaly));
    for (key, at) in [("in_turn", 1), ("fair", 4)] {
        for (i, station) in json[key]["stations"].as_array().expect("stations").iter().enumerate() {
            let [air, goodput, alone] = ["air", "goodput_bps", "alone_bps"].map(|key| number(&station[key]));
            let expected = [
                station["aggregate_bytes"].to_string(),
                format!("{:.1}", air * 100.0),
                format!("{:.2}", goodput / 1e6),
            ];
            assert_eq!(table[i][at..at + 3], expected, "{key}");
            // Goodput is the share of airtime times the goodput of a station that sends alone.
            assert!((goodput / (air * alone) - 1.0).abs() < 1e-9, "{key}: {station}");
        }
        let sum: f64 = json[key]["stations"]
            .as_array()
            .expect("stations")
            .iter()
            .map(|s| number(&s["goodput_bps"]))
            .sum();
        assert!((number(&json[key]["goodput_bps"]) / sum - 1.0).abs() < 1e-12);
    }
    assert_eq!(json["fair"]["stations"][1]["aggregate_bytes"], 4_000);
    assert_eq!(json["in_turn"]["stations"][1]["rate_bps"], 6_500_000);

    let bianchi = ["bianchi", "--stations", "2,7", "--profile", "std-11n", "--frames", "8"];
    for (row, cell) in
        rows(&model(&bianchi)).iter().zip(as_json(&bianchi)["cells"].as_array().expect("cells"))
    {
        let [rate, p, busy, tau] = ["throughput_bps", "p_attempt_collides", "p_busy_is_collision", "tau"]
            .map(|key| number(&cell[key]));
        let percent = |p: f64| format!("{:.2}", p * 100.0);
        assert_eq!(
            row[..],
            [
                cell["stations"].to_string(),
                format!("{:.3}", rate / 1e6),
                percent(p),
                percent(busy),
                format!("{tau:.4}")
            ]
        );
    }
}

/// A lone station: 7.5 slots of 9 us and one exchange for each packet, or for each aggregate of so many.
#[test]
fn a_lone_station_gets_a_packet_through_in_a_cycle() {
    for (args, bits, what) in [
        (&["--size", "700B", "--rate", "18Mb/s"][..], 5_600.0, "phy-a: frames of 700B at 18Mbit,"),
        (
            &["--profile", "std-11n", "--size", "300B"],
            2_400.0,
            "std-11n: frames of 300B at HT20 MCS 7, 1 stream",
        ),
        (
            &["--profile", "std-11n", "--size", "300B", "--frames", "5", "--mcs", "3"],
            12_000.0,
            "std-11n: aggregates of 5 frames of 300B at HT20 MCS 3, 1 stream",
        ),
    ] {
        let args = [&["bianchi", "--stations", "3,1"], args].concat();
        let json = as_json(&args);
        let stations: Vec<Option<u64>> =
            json["cells"].as_array().expect("cells").iter().map(|cell| cell["stations"].as_u64()).collect();
        assert_eq!(stations, [Some(3), Some(1)]);
        let [busy, collision] = ["busy_ns", "collision_ns"].map(|key| json[key].as_f64().expect("a time"));
        let rate = json["cells"][1]["throughput_bps"].as_f64().expect("a rate");
        assert!((rate / (bits * 1e9 / (67_500.0 + busy)) - 1.0).abs() < 1e-6, "{args:?}: {rate} {busy}");
        assert_eq!(collision < busy, args.contains(&"std-11n"), "a collision has no answer: {args:?}");
        let output = model(&args);
        assert!(stdout(&output).starts_with(what), "{}", stdout(&output));
    }
}

/// Goodput is what is delivered over the time of an aggregate: the mean over its lengths, and that of BARs.
#[test]
fn goodput_follows_from_lengths() {
    let args = [
        "blockack",
        "--window",
        "4",
        "--frames",
        "3",
        "--error",
        "0.3,0.6",
        "--attempts",
        "2",
        "--size",
        "700B",
    ];
    let json = as_json(&args);
    let number = |value: &Value| value.as_f64().expect("a number");
    assert_eq!(
        [&json["profile"], &json["window"], &json["frames"], &json["attempts"], &json["exact"]],
        [&json!("std-11n"), &json!(4), &json!(3), &json!(2), &json!(true)]
    );
    // Times of 1 to 3 frames, by the other command, and of a BAR with its answer: 43 + 67.5 + 32 + 16 + 32 us.
    let cycles = ["1", "2", "3"].map(|frames| {
        let args =
            ["bianchi", "--profile", "std-11n", "--size", "700B", "--stations", "1", "--frames", frames];
        number(&as_json(&args)["busy_ns"]) + 67_500.0
    });
    let table = rows(&model(&args));
    for (i, cell) in json["cells"].as_array().expect("cells").iter().enumerate() {
        let lengths: Vec<f64> = cell["lengths"].as_array().expect("lengths").iter().map(number).collect();
        assert_eq!(lengths.len(), 4);
        let mean: f64 = lengths.iter().zip(0..).map(|(p, n)| p * f64::from(n)).sum();
        assert!((number(&cell["mean_frames"]) / mean - 1.0).abs() < 1e-9);
        let air: f64 = lengths[1..].iter().zip(&cycles).map(|(p, ns)| p * ns).sum();
        let bars = number(&cell["bars_per_aggregate"]);
        let delivered = number(&cell["delivered_per_aggregate"]);
        let error = number(&cell["error"]);
        // What is delivered is what is not lost; with two attempts a frame is given up with the square of that.
        assert!((delivered / (mean * (1.0 - error)) - 1.0).abs() < 1e-9, "{cell}");
        assert!((number(&cell["given_up"]) / error.powi(2) - 1.0).abs() < 1e-9, "{cell}");
        let goodput = delivered * 5_600.0 * 1e9 / (air + bars * 190_500.0);
        assert!(
            bars > 0.0 && (number(&cell["goodput_bps"]) / goodput - 1.0).abs() < 1e-9,
            "{cell} {goodput}"
        );
        let expected = [
            format!("{}", error * 100.0),
            format!("{mean:.2}"),
            format!("{:.2}", lengths[3] * 100.0),
            format!("{:.3}", number(&cell["given_up"]) * 100.0),
            format!("{:.3}", goodput / 1e6),
        ];
        assert_eq!(table[i], expected);
    }
    let output = model(&args);
    let first =
        "HT20 MCS 7, 1 stream, 800 ns: a window of 4,\naggregates of at most 3 frames of 700B, one sender";
    assert!(
        stdout(&output).starts_with(first) && !stdout(&output).contains("approximation"),
        "{}",
        stdout(&output)
    );
    // The window of the profile, and the most frames of both limits, are the defaults.
    for (args, window, frames) in [
        (&["--size", "40B"][..], 64, 64),
        (&[], 64, 28),
        (&["--window", "9"], 9, 9),
        (&["--profile", "std-11ax"], 256, 256),
    ] {
        let json = as_json(&[&["blockack"], args].concat());
        assert_eq!((&json["window"], &json["frames"]), (&json!(window), &json!(frames)), "{args:?}");
        let wide = stdout(&model(&[&["blockack"], args].concat())).contains("this wide is an approximation");
        assert_eq!((wide, &json["exact"]), (window > 10, &json!(window <= 10)));
    }
}

/// A burst fits into I, and bursts of all idle flows together into what users notice.
#[test]
fn the_sentences_on_the_increment_have_their_own_figures() {
    let args = [
        "chap",
        "increment",
        "--page",
        "45kB",
        "--throughput",
        "20Mb/s",
        "--noticed",
        "180ms",
        "--bursts",
        "3",
    ];
    let json = as_json(&args);
    // 30 packets of 12,000 bits at 20 Mb/s; 180 ms for 3 flows of 2 I each.
    let [low, high] = ["low_ns", "high_ns"].map(|key| json[key].as_f64().expect("a time"));
    assert!((low - 18e6).abs() < 1.0 && (high - 30e6).abs() < 1.0, "{low} {high}");
    let output = model(&args);
    let shown = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "A burst of 45kB, in packets of 1500 bytes at 20Mbit, takes 18.00 ms: I covers it (eq. 5.40).",
        "3 idle flows that burst hold up one without credit for 6 I, within 180ms: I is 30.00 ms at most.",
        "So I is from 18.00 to 30.00 ms.",
    ] {
        assert!(shown.contains(sentence), "{sentence}\n{shown}");
    }
    // 74,172 bytes at 27 Mb/s and two round trips of 0.1 s, of these and 39.7 s of reading.
    let active = 74_172.0 * 8.0 / 27e6 + 0.2;
    let web = &json["activity"][0];
    assert_eq!(web["traffic"], "web");
    assert!((web["p"].as_f64().expect("a share") / (active / (active + 39.7)) - 1.0).abs() < 1e-6, "{web}");
    // The largest frame of the four films, 63,092 bytes, every 16 of 30 pictures a second.
    let video = &json["activity"][1];
    assert_eq!(video["traffic"], "video");
    let largest = 63_092.0 * 8.0 / 27e6;
    assert!(
        (video["p"].as_f64().expect("a share") / (largest / (16.0 / 30.0)) - 1.0).abs() < 1e-6,
        "{video}"
    );
    let equal =
        model(&["chap", "increment", "--page", "99kB", "--throughput", "31680kb/s", "--noticed", "100ms"]);
    assert!(stdout(&equal).contains("So I is from 25.00 to 25.00 ms."), "{}", stdout(&equal));
}

/// The source's rule: 2 n I, whatever a packet costs; JSON has what was asked.
#[test]
fn bursts_have_a_bound_for_each_number_of_flows() {
    let args = [
        "chap",
        "burst",
        "--flows",
        "2",
        "--service",
        "500us",
        "--queue",
        "chap:profile=faithful:increment=10ms",
    ];
    let json = as_json(&args);
    assert_eq!((&json["increment_ns"], &json["service_ns"]), (&json!(10_000_000), &json!(500_000)));
    assert_eq!(json["queue"], "chap:profile=faithful:increment=10ms");
    for (i, bursts) in [1.0, 2.0].into_iter().enumerate() {
        let wait = &json["waits"][i];
        assert_eq!((wait["bursts"].as_f64(), wait["bound_ns"].as_f64()), (Some(bursts), Some(bursts * 20e6)));
        assert_eq!(wait["wait_ns"].as_f64(), Some(bursts * 20e6));
    }
    let output = model(&args);
    assert!(stdout(&output).contains("I = 10ms, 500us a packet, chap:profile=faithful:increment=10ms."));
    // A packet may cost all of the increment, and no more.
    let whole = model(&["chap", "burst", "--service", "25ms", "--flows", "1"]);
    assert_eq!(rows(&whole), [["1", "50.00", "50.00", "2"]]);
    let stations = as_json(&["anomaly", "--preamble", "40us", "--overhead", "170us"]);
    assert_eq!((&stations["preamble_ns"], &stations["overhead_ns"]), (&json!(40_000), &json!(170_000)));
    let output = model(&["anomaly", "--preamble", "40us", "--overhead", "170us"]);
    assert!(stdout(&output).contains("40us of preamble and 170us of overhead for an aggregate."));
}

/// Each answer names its model, its subject, and what it is of.
#[test]
fn answers_name_their_model() {
    for (args, model, key, value) in [
        (&["chap", "credits"][..], "chap credits", "increment_ns", json!(25_000_000)),
        (&["chap", "delay", "--kappa", "1"], "chap delay", "unit", json!("services")),
        (&["chap", "burst"], "chap burst", "queue", json!("chap:profile=faithful")),
        (&["chap", "increment"], "chap increment", "schema", json!(1)),
        (&["bianchi", "--profile", "std-11b"], "bianchi", "phy", json!("std-11b")),
        (&["blockack"], "blockack", "rate", json!("HT20 MCS 7, 1 stream, 800 ns")),
        (&["anomaly"], "anomaly", "overhead_ns", json!(150_000)),
        (&["contention", "waste", "--n", "2"], "contention", "subject", json!("waste")),
        (&["contention", "regimes"], "contention", "subject", json!("pipe")),
        (&["cbt", "thresholds"], "cbt", "subject", json!("thresholds")),
        (&["cbt", "shares"], "cbt", "subject", json!("shares")),
        (&["cbt", "borrow"], "cbt", "subject", json!("borrow")),
        (&["cbt", "latency"], "cbt", "subject", json!("latency")),
        (&["cbt", "burst"], "cbt", "subject", json!("burst")),
        (&["cbt", "red"], "cbt", "subject", json!("red")),
        (&["cbt", "fred"], "cbt", "subject", json!("fred")),
        (&["cbt", "frames"], "cbt", "subject", json!("frames")),
        (&["cbt", "rate"], "cbt", "subject", json!("rate")),
        (&["size", "bdp"], "size", "subject", json!("bdp")),
        (&["size", "sqrt"], "size", "subject", json!("sqrt")),
        (&["size", "tiny"], "size", "subject", json!("tiny")),
        (&["size", "ebdp"], "size", "subject", json!("ebdp")),
        (&["size", "alt"], "size", "subject", json!("alt")),
        (&["size", "astar"], "size", "subject", json!("astar")),
        (&["wqm"], "wqm", "subject", json!("limits")),
        (&["dnb", "--rates", "11"], "dnb", "subject", json!("hops")),
    ] {
        let json = as_json(args);
        assert_eq!((&json["model"], &json[key]), (&json!(model), &value), "{args:?}");
    }
}
