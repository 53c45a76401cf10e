// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model size`, `wqm` and `dnb` as a user has them: figures of the source, JSON, pictures, errors.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn model(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.arg("model").args(args).env("COLUMNS", "100").env_remove("NO_COLOR").stdin(Stdio::null());
    command.output().expect("airtab starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

fn text(args: &[&str]) -> String {
    let output = model(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    let text = stdout(&output);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    text.into()
}

fn as_json(args: &[&str]) -> Value {
    let output = model(&[args, &["--json"]].concat());
    let json: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", stderr(&output)));
    assert_eq!((&json["schema"], &json["model"]), (&json!(1), &json!(args[0])));
    json
}

/// A figure of each row, in tables' decimals.
fn figures(rows: &Value, name: &str, scale: f64, decimals: usize) -> Vec<String> {
    let figure = |row: &Value| format!("{:.decimals$}", row[name].as_f64().expect("a number") * scale);
    rows.as_array().expect("rows").iter().map(figure).collect()
}

#[test]
fn sizes() {
    let sizes = |args: &[&str]| figures(&as_json(args)["rows"], "buffer_packets", 1.0, 1);
    assert_eq!(sizes(&["size", "bdp"]), ["900.0"]);
    assert_eq!(
        sizes(&["size", "bdp", "--rate", "54,5.4Mb/s", "--rtt", "200ms,20ms"]),
        ["900.0", "90.0", "90.0", "9.0"]
    );
    assert_eq!(sizes(&["size", "sqrt"]), ["900.0", "284.6", "90.0"]);
    assert_eq!(sizes(&["size", "tiny", "--window", "64", "--utilisation", "0.9"]), ["14.3"]);
    assert_eq!(sizes(&["size", "ebdp"]), ["400.0", "105.0"]);
    assert_eq!(sizes(&["size", "alt"]), ["100.0", "102.3"]);
    let both = ["size", "astar", "--service", "2ms"];
    assert_eq!(sizes(&both), ["100.0", "102.0"]);
    let json = as_json(&both);
    assert_eq!(figures(&json["rows"], "ebdp_packets", 1.0, 1), ["105.0", "105.0"]);
    assert_eq!(figures(&json["rows"], "alt_packets", 1.0, 1), ["100.0", "102.3"]);
    // From 350 packets to 100, if the queue is never empty: 250 s.
    let slow = as_json(&["size", "alt", "--size", "350", "--idle", "0", "--steps", "250"]);
    let last = slow["rows"].as_array().and_then(|rows| rows.last()).expect("rows");
    assert_eq!((&last["time_s"], &last["buffer_packets"]), (&json!(250.0), &json!(100.0)));
}

/// K by the formula, and by exact times.
#[test]
fn frames_of_rates() {
    let of = |phy| {
        let rates = "6.5,13,26,52,65,78,104,130,144.4,300";
        figures(&as_json(&["wqm", "--rate", rates, "--phy", phy])["rows"], "frames", 1.0, 0)
    };
    assert_eq!(of("wqm-11n"), ["1", "4", "8", "16", "21", "25", "32", "32", "32", "32"]);
    assert_eq!(of("std-11n"), ["1", "4", "8", "16", "20", "25", "32", "32", "32", "32"]);
    let json = as_json(&["wqm", "--rate", "130,144.4,600", "--phy", "std-11n", "--cap", "64"]);
    assert_eq!(figures(&json["rows"], "frames", 1.0, 0), ["41", "42", "42"]);
}

#[test]
fn limits_of_rates() {
    let json = as_json(&["wqm", "--rate", "6.5,13,65,144.4,300,450", "--profile", "faithful"]);
    let rows = &json["rows"];
    assert_eq!(figures(rows, "first_packets", 1.0, 0), ["2", "5", "25", "39", "45", "51"]);
    let round_trips = ["2378.9", "4319.8", "4513.9", "3233.8", "1783.7", "1335.1"];
    assert_eq!(figures(rows, "round_trip_s", 1e6, 1), round_trips);
    assert_eq!(json["looks"], json!([]));
    let drains = as_json(&["wqm", "--rate", "600,300,144.4,65,13,6.5", "--queue", "1000"]);
    let ms = ["20.0", "40.0", "83.1", "184.6", "923.1", "1846.2"];
    assert_eq!(figures(&drains["rows"], "drain_s", 1e3, 1), ms);
    let third = as_json(&["wqm", "--rate", "65", "--queue", "100", "--free", "1/3"]);
    assert_eq!(figures(&third["rows"], "drain_s", 1e3, 2), ["55.38"]);
    let mean = as_json(&["wqm", "--queue", "45", "--kavg", "32"]);
    assert_eq!(figures(&mean["rows"], "drain_s", 1e3, 3), ["2.284"]);
}

/// A limit look by look: full queues, an idle one, the law's two profiles.
#[test]
fn looks() {
    let of = |args: &[&str]| figures(&as_json(&[&["wqm"], args].concat())["looks"], "limit_packets", 1.0, 0);
    let given = ["--rate", "300Mb/s", "--frames", "32", "--ticks", "60"];
    for profile in ["faithful", "hardened"] {
        let sawtooth = of(&[&given[..], &["--profile", profile]].concat());
        for (look, limit) in [
            (1, "45"),
            (2, "46"),
            (19, "63"),
            (20, "63"),
            (21, "32"),
            (22, "32"),
            (23, "33"),
            (53, "63"),
            (54, "63"),
            (55, "32"),
        ] {
            assert_eq!(sawtooth[look - 1], limit, "{look}");
        }
    }
    assert_eq!(
        of(&[&given[..], &["--queue", "45", "--free", "0.5"]].concat())[..4],
        ["45", "32", "32", "32"]
    );
    let idle = ["--queue", "0", "--ticks", "5"];
    assert_eq!(of(&[&idle[..], &["--profile", "faithful"]].concat()), ["45", "46", "47", "48", "49"]);
    assert_eq!(of(&idle), ["45"; 5]);
    let slow = ["--rate", "6.5", "--ticks", "8", "--profile", "faithful"];
    assert_eq!(of(&slow), ["2", "1", "1", "2", "2", "1", "1", "2"]);
    let json = as_json(&["wqm", "--rate", "6.5,65", "--ticks", "2", "--profile", "faithful"]);
    assert_eq!(figures(&json["looks"], "rate_bps", 1e-6, 1), ["6.5", "6.5", "65.0", "65.0"]);
    assert_eq!(json["looks"][0]["action"], "arm high");
}

#[test]
fn neighborhoods() {
    let json = as_json(&["dnb", "--rates", "11,5.5,2,11"]);
    assert_eq!(figures(&json["rows"], "exchange_s", 1e6, 1), ["2680.7", "3873.5", "8048.0", "2680.7"]);
    assert_eq!((&json["buffer_packets"], &json["nodes"]), (&json!(4), &json!(4)));
    assert_eq!(figures(&json["rows"], "limit_packets", 1.0, 0), ["1"; 4]);
    let limits = |args: &[&str]| {
        let json = as_json(&[&["dnb", "--rates"], args].concat());
        (
            json["buffer_packets"].as_u64().expect("B"),
            figures(&json["rows"], "limit_packets", 1.0, 0).join(","),
        )
    };
    assert_eq!(limits(&["11,11,11"]), (8, "2,3,3".into()));
    assert_eq!(limits(&["11,11,11,11"]), (10, "2,2,3,3".into()));
    assert_eq!(limits(&["11,11,11,11", "--split", "greedy"]), (10, "1,2,3,4".into()));
    assert_eq!(limits(&["11,11,11,11", "--rounding", "up", "--split", "equal"]), (11, "2,3,3,3".into()));
    assert_eq!(limits(&["65,65,65,65", "--phy", "wqm-11n"]), (14, "2,3,4,5".into()));
    assert_eq!(limits(&["65,65,65,65", "--phy", "wqm-11n", "--buffer", "85"]), (85, "14,19,24,28".into()));
    assert_eq!(limits(&["65,65,65,65", "--phy", "wqm-11n", "--least", "21"]), (14, "21,21,21,21".into()));
    let one = as_json(&["dnb", "--rates", "11,11,11,11", "--buffer", "12", "--split", "equal"]);
    assert_eq!(figures(&one["rows"], "overflow", 1.0, 4), ["0.0625"; 4]);
    let idle = as_json(&["dnb", "--rates", "11,11,11,11", "--idle", "0.5", "--load", "2.75"]);
    let p = ["p_win", "p_receive_empty", "p_receive_backlogged"]
        .map(|name| format!("{:.6}", idle[name].as_f64().unwrap()));
    assert_eq!(p, ["0.468750", "0.291667", "0.177083"]);
    assert_eq!(idle["utilisation"], 1.0);
    assert_eq!(format!("{:.0}", idle["goodput_serial_bps"].as_f64().unwrap() / 1e3), "1089");
    assert_eq!(format!("{:.0}", idle["goodput_most_bps"].as_f64().unwrap() / 1e3), "1403");
    let relay = as_json(&["dnb", "--rates", "11,11,11", "--origin", "relay"]);
    assert_eq!((&relay["nodes"], &relay["rows"][0]["limit_packets"]), (&json!(2), &Value::Null));
}

#[test]
fn tables_as_text() {
    for (name, args) in [
        ("bdp", &["size", "bdp", "--rate", "6.5,65,600"][..]),
        ("sqrt", &["size", "sqrt"]),
        ("tiny", &["size", "tiny"]),
        ("ebdp", &["size", "ebdp"]),
        ("alt", &["size", "alt", "--idle", "0,300ms", "--steps", "3"]),
        ("astar", &["size", "astar"]),
        (
            "wqm",
            &["wqm", "--rate", "300Mb/s", "--frames", "32", "--queue", "45", "--ticks", "6", "--free", "0.5"],
        ),
        ("wqm_rates", &["wqm", "--rate", "6.5,65,300", "--phy", "std-11n", "--profile", "faithful"]),
        ("dnb", &["dnb", "--rates", "11,5.5,2,11", "--split", "greedy"]),
        (
            "dnb_splits",
            &["dnb", "--rates", "11,11,11,11", "--split", "ratio,greedy,equal", "--load", "1Mb/s"],
        ),
    ] {
        insta::assert_snapshot!(name, text(args));
    }
}

#[test]
fn figures_are_drawn() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let out = dir.path().to_str().expect("UTF-8");
    for args in [
        &["size", "bdp", "--rate", "6.5,65,600"][..],
        &["size", "sqrt"],
        &["size", "tiny"],
        &["size", "ebdp"],
        &["size", "alt", "--steps", "20"],
        &["size", "astar", "--steps", "20"],
        &["wqm"],
        &["wqm", "--rate", "65,300", "--ticks", "40"],
        &["dnb", "--rates", "11,11,11"],
        &["dnb", "--rates", "11,11,11", "--split", "ratio,greedy,exact,equal"],
    ] {
        text(&[args, &["--out", out]].concat());
        let all = std::fs::read_dir(&dir).expect("the folder").map(|entry| entry.expect("an entry").path());
        let svgs: Vec<_> =
            all.filter(|path| path.extension().is_some_and(|ending| ending == "svg")).collect();
        let [svg] = svgs.as_slice() else { panic!("{args:?}: {svgs:?}") };
        let drawn = std::fs::read_to_string(svg).expect("written");
        assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"), "{args:?}");
        assert!(drawn.contains("<polyline"), "{args:?}: {drawn}");
        std::fs::remove_file(svg.with_extension("csv")).expect("its data");
        std::fs::remove_file(svg).expect("it is there");
    }
    for (args, cure) in [
        (&["size", "bdp"][..], "--out: give several rates or round trips, such as"),
        (&["wqm", "--ticks", "1"], "--out: give several looks, such as --ticks 60"),
        (&["wqm", "--rate", "65,300"], "--out: give several looks"),
        (&["dnb", "--rates", "11"], "--out: give several hops, such as"),
    ] {
        let output = model(&[args, &["--out", out]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(cure), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn refused_with_place_value_and_cure() {
    let many = vec!["11"; 257].join(",");
    let long = vec!["11"; 101].join(",");
    let numbers = |n: u32| (1..=n).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    for (args, expected) in [
        (&["wqm", "--rate", "0"][..], "'0' is nothing; give more than 0"),
        (&["wqm", "--rate", "0Mb/s"], "'0Mb/s' is nothing; give more than 0"),
        (&["wqm", "--rate", "-1"], "'-1'"),
        (&["wqm", "--rate", "inf"], "'inf' is no rate: above 0, such as 300Mb/s"),
        (&["wqm", "--rate", "300Mbps"], "did you mean 300Mb/s?"),
        (&["wqm", "--frames", "0"], "give a whole number from 1 to 1024"),
        (&["wqm", "--free", "0"], "'0' is no free share: above 0 and at most 1, such as 0.5"),
        (&["wqm", "--free", "1.5"], "'1.5' is no free share"),
        (&["wqm", "--free", "1/0"], "'1/0' is no free share"),
        (&["wqm", "--drain", "0ms"], "'0ms' is nothing; give more than 0"),
        (
            &["wqm", "--least", "50", "--most", "40"],
            "--least 50 is above most 40; give a larger most, or a smaller least",
        ),
        (&["wqm", "--first", "20"], "--first 20: 32 to 125, between least and most"),
        (&["wqm", "--first", "126"], "--first 126: 32 to 125, between least and most"),
        (
            &["wqm", "--rate", "65,300", "--first", "30"],
            "--first 30: 21 to 28, between least and most (at 65 Mb/s)",
        ),
        (&["wqm", "--law", "amid"], "no law 'amid'; did you mean `aimd`? (known: aimd, aiad, miad, mimd)"),
        (&["wqm", "--confirm", "0"], "give a whole number from 1 to 1000"),
        (&["wqm", "--kavg", "0.5"], "'0.5' is no mean aggregate: 1 to 1024 frames"),
        (&["wqm", "--frames", "32", "--phy", "std-11n"], "cannot be used with"),
        (
            &["wqm", "--phy", "std-11n", "--rate", "310"],
            "--rate: 802.11n has no rate of 310 Mb/s; the nearest is 300",
        ),
        (&["wqm", "--rate", "65,300", "--ticks", "6000"], "12000 rows: at most 10000; give shorter lists"),
        (&["wqm", "--profile", "harsh"], "hardened, faithful"),
        (&["dnb"], "--rates"),
        (&["dnb", "--rates", "11,0"], "'0' is nothing; give more than 0"),
        (&["dnb", "--rates", "11,,11"], "--rates"),
        (&["dnb", "--rates", &many], "--rates: rate: 257 values, at most 256 are taken; give fewer"),
        (
            &["dnb", "--rates", "65,65"],
            "--rates: 65 Mb/s is no rate of 802.11b (dnb-11b); give --phy wqm-11n",
        ),
        (&["dnb", "--rates", "11,11", "--split", "ration"], "no split 'ration'; did you mean `ratio`?"),
        (
            &["dnb", "--rates", "11,11", "--buffer", "1"],
            "--buffer: 1 packets for 2 nodes: each has at least 1; give 2 to",
        ),
        (&["dnb", "--rates", "11,11", "--buffer", "0"], "give a whole number from 1 to 1000000"),
        (
            &["dnb", "--rates", "11", "--origin", "relay"],
            "--origin relay: one hop has no relay; give two rates",
        ),
        (
            &["dnb", "--rates", "11,11", "--idle", "2"],
            "'2' is no idle share: 0 (every node always has a packet) to 1",
        ),
        (&["dnb", "--rates", "11,11", "--packet", "0B"], "'0B' is nothing; give more than 0"),
        (&["dnb", "--rates", "11,11", "--least", "0"], "give a whole number from 1 to 1024"),
        (&["dnb", "--rates", "11", "--extra", "400h"], "--extra"),
        (&["dnb", "--rates", "11", "--extra", "100000min"], "packets: 1000000 at most; give lower rates"),
        (&["size", "bdp", "--rtt", "0ms"], "'0ms' is nothing; give more than 0"),
        (
            &["size", "bdp", "--rate", &long, "--rtt", &vec!["1ms"; 100].join(",")],
            "10100 rows: at most 10000; give shorter lists",
        ),
        (
            &["size", "sqrt", "--rate", &long, "--rtt", "1ms,2ms,3ms,4ms,5ms", "--flows", &numbers(20)],
            "10100 rows: at most 10000; give shorter lists",
        ),
        (
            &["size", "tiny", "--window", &numbers(101), "--utilisation", &vec!["0.5"; 100].join(",")],
            "10100 rows: at most 10000; give shorter lists",
        ),
        (
            &["size", "alt", "--idle", "0,1ms", "--steps", "5000"],
            "10002 rows: at most 10000; give shorter lists",
        ),
        (
            &["size", "astar", "--service", "1ms,2ms", "--idle", "0,1ms", "--steps", "2500"],
            "10004 rows: at most 10000; give shorter lists",
        ),
        (
            &["dnb", "--rates", &vec!["11"; 250].join(","), "--split", &vec!["equal"; 41].join(",")],
            "10250 rows: at most 10000; give shorter lists",
        ),
        (&["size", "sqrt", "--flows", "0"], "give a whole number from 1 to 1000000"),
        (
            &["size", "tiny", "--utilisation", "1"],
            "'1' is no part of a link: above 0 and below 1, such as 0.9",
        ),
        (&["size", "ebdp", "--service", "0ms"], "'0ms' is nothing; give more than 0"),
        (&["size", "ebdp", "--most", "-1"], "'-1'"),
        (
            &["size", "alt", "--idle", "2s"],
            "--idle 2s: an interval is 1s; give at most that, or a longer --interval",
        ),
        (&["size", "alt", "--grow", "x"], "'x' is no gain: 0 to 1000000 packets/s"),
        (&["size", "astr"], "astar"),
    ] {
        let output = model(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn help_teaches() {
    for args in [&["size"][..], &["wqm"], &["dnb"]] {
        assert!(text(&[args, &["--help"]].concat()).contains("Examples:"), "{args:?}");
    }
    for subject in ["bdp", "sqrt", "tiny", "ebdp", "alt", "astar"] {
        assert!(text(&["size", subject, "--help"]).contains("Examples:"), "{subject}");
    }
}

/// Sums of `dnb` follow from its rows.
#[test]
fn sums_of_a_neighborhood_follow_from_its_hops() {
    let json = as_json(&["dnb", "--rates", "11,5.5,2,11", "--buffer", "9", "--split", "ratio,greedy"]);
    let of = |value: &Value| value.as_f64().expect("a number");
    let rows = json["rows"].as_array().expect("rows");
    let hops: Vec<&Value> = rows.iter().filter(|row| row["split"] == rows[0]["split"]).collect();
    assert_eq!((hops.len(), rows.len()), (4, 8));
    let round: f64 = hops.iter().map(|hop| of(&hop["exchange_s"])).sum();
    assert!((of(&json["round_trip_s"]) / round - 1.0).abs() < 1e-9);
    // The slowest hop, packets of 1460 bytes.
    assert!((of(&json["rate_packets_per_s"]) / (2e6 / 11_680.0) - 1.0).abs() < 1e-9);
    assert!((of(&json["round_trip_packets"]) / (round * 2e6 / 11_680.0) - 1.0).abs() < 1e-9);
    assert_eq!(
        (&json["buffer_packets"], &json["nodes"], &json["p_idle"]),
        (&json!(9), &json!(4), &json!(0.0))
    );
    for (i, hop) in hops.iter().enumerate() {
        assert_eq!(hop["hop"], (i + 1) as f64);
        assert_eq!(hop["rate_bps"], [11e6, 5.5e6, 2e6, 11e6][i]);
        let cost = (i + 1) as f64 / (of(&hop["limit_packets"]) + 1.0);
        assert!((of(&hop["cost"]) / cost - 1.0).abs() < 1e-12, "{hop}");
        assert!((of(&hop["data_s"]) + of(&hop["ack_s"]) - of(&hop["exchange_s"])).abs() < 1e-12);
    }
    for (name, cost) in json["cost"].as_object().expect("costs") {
        let own = rows.iter().filter(|row| row["split"] == *name);
        let sum: f64 = own.map(|row| of(&row["hop"]) / (of(&row["limit_packets"]) + 1.0)).sum();
        assert!((of(cost) / sum - 1.0).abs() < 1e-12, "{name}");
    }
    assert_eq!(json["cost"].as_object().map(|costs| costs.len()), Some(2));
}

/// The x axis of a figure is the longest list; each combination of the others is a line.
#[test]
fn figures_are_drawn_over_the_longest_list() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let out = dir.path().to_str().expect("UTF-8");
    for (args, name, over, lines) in [
        (
            &["size", "bdp", "--rate", "6.5,65,600", "--rtt", "20ms,9ms"][..],
            "bdp",
            "rate, Mb/s",
            &["RTT, ms 20", "RTT, ms 9"][..],
        ),
        (&["size", "bdp", "--rate", "6.5", "--rtt", "20ms,9ms"], "bdp", "RTT, ms", &["rate, Mb/s 6.5"]),
        (
            &["size", "sqrt", "--rate", "6.5,65", "--flows", "1,4,16"],
            "sqrt",
            "flows",
            &["rate, Mb/s 6.5, RTT, ms 200", "rate, Mb/s 65, RTT, ms 200"],
        ),
        (
            &["size", "tiny", "--window", "16", "--utilisation", "80%,90%"],
            "tiny",
            "used, %",
            &["window, packets 16"],
        ),
        (&["size", "ebdp", "--service", "1ms,2ms,5ms"], "ebdp", "service, ms", &["buffer, packets"]),
        (
            &["size", "alt", "--idle", "0,1ms", "--steps", "3"],
            "alt",
            "after, s",
            &["empty for, ms 0", "empty for, ms 1"],
        ),
        (
            &["size", "astar", "--service", "1ms,2ms", "--steps", "3"],
            "astar",
            "after, s",
            &["service, ms 1, empty for, ms 300", "service, ms 2, empty for, ms 300"],
        ),
        (&["size", "astar", "--service", "2ms"], "astar", "after, s", &["service, ms 2, empty for, ms 300"]),
        (
            &["size", "astar", "--service", "1ms,2ms"],
            "astar",
            "service, ms",
            &["empty for, ms 300, after, s 0", "empty for, ms 300, after, s 1"],
        ),
        (&["wqm", "--rate", "65,300", "--ticks", "3"], "looks", "look", &["R, Mb/s 65", "R, Mb/s 300"]),
        (&["dnb", "--rates", "11,5.5", "--split", "ratio,equal"], "hops", "hop", &["ratio", "equal"]),
        (&["cbt", "rate", "--rtt", "20ms", "--loss", "1%,2%"], "rate", "loss, %", &["RTT, ms 20"]),
        (
            &["cbt", "rate", "--rtt", "20ms,30ms", "--loss", "1%,2%"],
            "rate",
            "RTT, ms",
            &["loss, % 1", "loss, % 2"],
        ),
        (&["cbt", "red", "--average", "9", "--count", "0,8"], "red", "count", &["average, packets 9"]),
        (
            &["cbt", "fred", "--th-min", "2,3", "--th-max", "40,50"],
            "fred",
            "Th_max, packets",
            &["Th_min, packets 2", "Th_min, packets 3"],
        ),
        (
            &["cbt", "red", "--average", "9,12", "--count", "0,8"],
            "red",
            "average, packets",
            &["count 0", "count 8"],
        ),
        (
            &["cbt", "fred", "--th-min", "2,3", "--th-max", "40"],
            "fred",
            "Th_min, packets",
            &["Th_max, packets 40"],
        ),
        (
            &["cbt", "fred", "--th-min", "2", "--th-max", "40,50"],
            "fred",
            "Th_max, packets",
            &["Th_min, packets 2"],
        ),
        (
            &["cbt", "latency", "--latency", "20ms,30ms", "--path", "1ms"],
            "latency",
            "L, ms",
            &["all busy, ms", "with path, ms"],
        ),
        (
            &["cbt", "latency", "--latency", "20ms,30ms", "--load", "mm=1KB/s"],
            "latency",
            "L, ms",
            &["mean wait, ms"],
        ),
        (
            &["cbt", "frames", "--loss", "1,2"],
            "frames",
            "lost, packets/s",
            &["whole, frames/s", "playable, frames/s"],
        ),
        (
            &["cbt", "borrow", "--load", "other=0,1KB/s"],
            "borrow",
            "load of, other, KB/s",
            &["tcp, KB/s", "mm, KB/s", "other, KB/s"],
        ),
    ] {
        text(&[args, &["--out", out]].concat());
        let csv = dir.path().join(format!("{name}.csv"));
        let drawn = std::fs::read_to_string(&csv).unwrap_or_else(|e| panic!("{args:?}: {e}"));
        std::fs::remove_file(&csv).expect("it is there");
        // panel,series,kind,over,x,quantity,value,low,high; names with a comma are quoted.
        let field = |line: &str, at: usize| -> String {
            let mut fields = vec![String::new()];
            let mut quoted = false;
            for c in line.chars() {
                match c {
                    '"' => quoted = !quoted,
                    ',' if !quoted => fields.push(String::new()),
                    c => fields.last_mut().expect("one").push(c),
                }
            }
            fields[at].clone()
        };
        let mut series: Vec<String> = Vec::new();
        for line in drawn.lines().skip(1) {
            assert_eq!(field(line, 3), over, "{args:?}: {line}");
            // With loads the wait is that of the loads, not that of all busy classes, which is the latency.
            let [x, value] = [4, 6].map(|at| field(line, at).parse::<f64>().expect("a number"));
            let is_busy = (value / x - 1.0).abs() < 1e-6;
            assert!(name != "latency" || is_busy == (field(line, 1) == "all busy, ms"), "{args:?}: {line}");
            let name = field(line, 1);
            if !series.contains(&name) {
                series.push(name);
            }
        }
        assert_eq!(series, lines, "{args:?}");
    }
}

/// Sizes by hand, of values that are not the defaults.
#[test]
fn sizes_by_hand() {
    let sizes = |args: &[&str]| figures(&as_json(args)["rows"], "buffer_packets", 1.0, 3);
    // 8 Mb/s for 30 ms are 30 packets of 1000 bytes; of 9 flows a third.
    let pipe = ["--rate", "8", "--rtt", "30ms", "--packet", "1000B"];
    assert_eq!(sizes(&[&["size", "bdp"], &pipe[..]].concat()), ["30.000"]);
    assert_eq!(sizes(&[&["size", "sqrt", "--flows", "9,1"], &pipe[..]].concat()), ["10.000", "30.000"]);
    // log(W^2 / (2 (1 - used))) to the base 1 / load.
    let tiny = as_json(&["size", "tiny", "--window", "32,100", "--utilisation", "80%,95%", "--load", "25%"]);
    for (i, (window, used)) in
        [(32.0, 0.8), (32.0, 0.95), (100.0, 0.8), (100.0, 0.95)].into_iter().enumerate()
    {
        let row = &tiny["rows"][i];
        let of = |key: &str| row[key].as_f64().expect("a number");
        assert_eq!((of("window_packets"), of("utilisation")), (window, used));
        let size = (window * window / (2.0 * (1.0 - used))).ln() / 4.0f64.ln();
        assert!((of("buffer_packets") / size - 1.0).abs() < 1e-9, "{row}");
    }
    let about = text(&["size", "tiny", "--load", "25%"]);
    assert!(about.contains("at their largest windows send 25 % of what the link\n"), "{about}");
    // 60 ms of 3 ms each, and 7 packets; 20 at most.
    let served = ["--service", "3ms,10ms", "--wait", "60ms", "--burst", "7"];
    assert_eq!(sizes(&[&["size", "ebdp"], &served[..]].concat()), ["27.000", "13.000"]);
    assert_eq!(sizes(&[&["size", "ebdp", "--most", "20"], &served[..]].concat()), ["20.000", "13.000"]);
    // 0.5 s with and 1.5 s without a packet: 4 more for each second of the first, 2 fewer for each of the other.
    let used = [
        "--size",
        "50",
        "--interval",
        "2s",
        "--idle",
        "500ms,1500ms",
        "--grow",
        "4",
        "--shrink",
        "2",
        "--steps",
        "2",
    ];
    let alt = as_json(&[&["size", "alt"], &used[..]].concat());
    assert_eq!(
        figures(&alt["rows"], "buffer_packets", 1.0, 1),
        ["50.0", "49.0", "48.0", "50.0", "55.0", "60.0"]
    );
    assert_eq!(figures(&alt["rows"], "time_s", 1.0, 1), ["0.0", "2.0", "4.0", "0.0", "2.0", "4.0"]);
    assert_eq!(figures(&alt["rows"], "idle_s", 1.0, 1), ["0.5", "0.5", "0.5", "1.5", "1.5", "1.5"]);
    let both = as_json(&[&["size", "astar"], &served[..], &used[..]].concat());
    let least = |ebdp: f64| {
        ["50.0", "49.0", "48.0", "50.0", "55.0", "60.0"]
            .map(|alt| alt.parse::<f64>().expect("a number").min(ebdp))
    };
    let expected: Vec<String> =
        [27.0, 13.0].iter().flat_map(|ebdp| least(*ebdp)).map(|size| format!("{size:.1}")).collect();
    assert_eq!(figures(&both["rows"], "buffer_packets", 1.0, 1), expected);
    assert_eq!(figures(&both["rows"], "service_s", 1e3, 0)[5..7], ["3", "10"]);
    assert_eq!(figures(&both["rows"], "ebdp_packets", 1.0, 0)[5..7], ["27", "13"]);
}
