// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab tcp trace` as a user has it: table, JSON, figure, wrong usage.

use std::process::{Command, Output, Stdio};

use serde_json::json;

fn trace(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.args(["tcp", "trace", "--duration", "20s"]).args(args).stdin(Stdio::null());
    command.output().expect("airtab starts")
}

fn stdout(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

#[test]
fn the_table_has_a_row_for_each_flow() {
    let output =
        trace(&["--latency", "1ms,49ms", "--congestion", "bic,compound", "--queue", "chap:limit=35"]);
    let text = stdout(&output);
    assert!(
        text.starts_with("2 downloads, latency 1ms, 49ms; chap:limit=35, 54 Mb/s, seed 1; from 5 s to 20 s")
    );
    let rows: Vec<&str> = text.lines().skip(3).take_while(|l| !l.is_empty()).collect();
    let words: Vec<Vec<&str>> = rows.iter().map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(words.iter().map(Vec::len).collect::<Vec<_>>(), [9, 5, 9, 5], "{text}");
    assert_eq!((words[0][..2].to_vec(), words[2][0]), (vec!["bic", "1ms"], "compound"));
    assert_eq!(words[1][0], "49ms");
    let total: f64 = words[0][2].parse::<f64>().unwrap() + words[1][1].parse::<f64>().unwrap();
    assert!((22.0..27.5).contains(&total), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
}

#[test]
fn the_samples_are_those_of_the_figures() {
    let output = trace(&["--latency", "9ms", "--flows", "2", "--congestion", "cubic", "--json"]);
    let json: serde_json::Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!((&json["schema"], &json["queue"]), (&1.into(), &"fifo:limit=35".into()));
    assert_eq!(json["measure_ns"], serde_json::json!([5_000_000_000u64, 20_000_000_000u64]));
    let run = &json["runs"][0];
    assert_eq!((&run["congestion"], &run["step_ns"]), (&"cubic".into(), &100_000_000.into()));
    assert_eq!(run["queue_packets"].as_array().map(Vec::len), Some(200));
    assert!(run["jain_ratio"].as_f64().is_some_and(|j| (0.5..=1.0).contains(&j)));
    assert_eq!(run["flows"].as_array().map(Vec::len), Some(2));
    for flow in run["flows"].as_array().unwrap() {
        let received = |i: usize| flow["received_bytes"][i].as_f64().unwrap();
        let throughput = (received(199) - received(49)) * 8.0 / 15.0;
        assert!((flow["throughput_bits_per_second"].as_f64().unwrap() - throughput).abs() < 1.0);
        let windows = flow["cwnd_bytes"].as_array().unwrap();
        let mean: f64 = windows[49..].iter().map(|w| w.as_f64().unwrap() / 1460.0).sum::<f64>() / 151.0;
        assert!((flow["mean_cwnd_segments"].as_f64().unwrap() - mean).abs() < 1e-6);
    }
}

/// In bursts a window that opens overflows a queue of ten early; at a rate it opens twice as far.
#[test]
fn pacing_spares_a_short_queue() {
    let run = |args: &[&str]| {
        let common = ["--latency", "24ms", "--queue", "10", "--congestion", "newreno", "--json"];
        let output = trace(&[&common, args].concat());
        serde_json::from_str::<serde_json::Value>(stdout(&output)).expect("JSON")
    };
    let (bursts, paced) = (run(&[]), run(&["--tcp", "pacing=true"]));
    assert_eq!((&bursts["tcp"], &paced["tcp"]), (&json!([]), &json!(["pacing=true"])));
    let window = |json: &serde_json::Value| json["runs"][0]["flows"][0]["cwnd_bytes"][4].as_f64().unwrap();
    assert!(window(&paced) > 2.0 * window(&bursts), "half a second: {} {}", window(&paced), window(&bursts));
}

/// Each setting reaches the senders, and windows are counted in the segments that there are.
#[test]
fn settings_are_those_of_a_scenario() {
    let flow = |args: &[&str]| {
        let common = ["--latency", "49ms", "--queue", "10", "--congestion", "cubic", "--json"];
        let output = trace(&[&common, args].concat());
        let json: serde_json::Value = serde_json::from_str(stdout(&output)).expect("JSON");
        json["runs"][0]["flows"][0].clone()
    };
    let count = |flow: &serde_json::Value, what: &str| flow[what].as_u64().unwrap();
    let plain = flow(&[]);
    assert!(count(&plain, "retransmits") > 0 && count(&plain, "segments") > 10_000, "{plain}");
    let small = flow(&["--tcp", "mss=500,initial_window=20", "--tcp", "initial_ssthresh=30"]);
    assert_eq!(small["cwnd_bytes"][0], 20 * 500, "before the first round trip is over");
    let windows: Vec<f64> =
        small["cwnd_bytes"].as_array().unwrap()[49..].iter().map(|w| w.as_f64().unwrap() / 500.0).collect();
    let mean = windows.iter().sum::<f64>() / windows.len() as f64;
    assert!((small["mean_cwnd_segments"].as_f64().unwrap() - mean).abs() < 1e-6, "{mean}");
    let bsd44 = flow(&["--tcp", "profile=bsd44,receive_window=64"]);
    assert!(count(&bsd44, "timeouts") > count(&plain, "timeouts"), "{bsd44}");
    let title = trace(&["--congestion", "cubic", "--tcp", "prr=false,min_rto=1s"]);
    assert!(stdout(&title).contains("54 Mb/s, tcp prr=false min_rto=1s, seed 1;"), "{title:?}");
}

#[test]
fn a_figure_is_written() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let path = dir.path().join("tcp.svg");
    stdout(&trace(&["--latency", "1ms,9ms", "--out", dir.path().to_str().expect("UTF-8")]));
    let svg = std::fs::read_to_string(&path).expect("the figure");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    // A column for each, of a throughput, a queue and a window panel.
    let n = airtab_sim::tcp::Algorithm::ALL.len();
    for (words, times) in
        [(">time, s<", 3 * n), (">queue, packets<", n), (">cwnd, segments<", n), (">cubic: window<", 1)]
    {
        assert_eq!(svg.matches(words).count(), times, "{words}");
    }
    assert!(svg.contains("download 2: 9ms"));
    let data = std::fs::read_to_string(dir.path().join("tcp.csv")).expect("its data");
    assert!(data.starts_with("panel,series,kind,over,x,quantity,value,low,high\n"), "{data}");
    assert!(
        data.contains("cubic: window,download 2: 9ms,measured,\"time, s\",0.1,\"cwnd, segments\","),
        "{data}"
    );
    assert!(svg.contains("prefers-color-scheme: dark"));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "nothing else is left there");
}

#[test]
fn wrong_usage_is_2() {
    for (args, expected) in [
        (
            &["--congestion", "tahoe"][..],
            "no congestion control 'tahoe' (known: reno, newreno, bic, cubic, compound",
        ),
        (&["--congestion", "cubik"], "no congestion control 'cubik'; did you mean `cubic`? (known: reno"),
        (&["--congestion", "cubic,reno,cubic"], "error: --congestion names cubic twice"),
        (&["--latency", "11s"], "0 to 10s"),
        (&["--flows", "3", "--latency", "1ms,2ms"], "--flows 3 and 2 latencies: give one latency, or 3"),
        (&["--queue", "chop"], "no discipline 'chop'"),
        (&["--queue", "0"], "limit"),
        (&["--rate", "11Mb/s"], "6, 9, 12, 18, 24, 36, 48 or 54Mb/s"),
        (&["--tcp", "ack_every=0"], "error: --tcp: [tcp] ack_every: '0' is outside 1 to 100"),
        (&["--tcp", "prr=maybe,min_rto=1s"], "error: --tcp: [tcp] prr: 'maybe' is not true or false"),
        (
            &["--tcp", "min_rto=1s,cubic_bata=0.8"],
            "[tcp] cubic_bata: no such key; did you mean `cubic_beta`?",
        ),
        (
            &["--tcp", "recovery=reno", "--tcp", "prr=true"],
            "[tcp] prr: it reduces the rate of a recovery with SACK",
        ),
        (&["--tcp", "mss=900,mss=1000"], "error: --tcp: \"mss\" = 1000: duplicate key"),
        (&["--tcp", "pacing"], "error: --tcp: 'pacing' is not KEY=VALUE, such as prr=false"),
    ] {
        let output = trace(args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}
