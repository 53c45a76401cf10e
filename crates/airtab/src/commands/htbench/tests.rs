// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures as text and JSON: each field has a value of its own.

use std::collections::BTreeMap;

use airtab_probe::htbench::analysis::Row;
use airtab_probe::htbench::connection::Failure;

use super::*;

const TWO: &str = "[[class]]\nname = 'dl'\nserver = '192.0.2.1'\npath = '/'\n\
                   [[class]]\nname = 'ul'\nserver = '192.0.2.1'\npath = '/'\n";

fn config() -> Config {
    Config::parse("x", TWO).expect("good")
}

fn spread(from: f64) -> Option<Spread> {
    let [min, p10, p50, mean, p90, p99, max] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(|k| from * k);
    Some(Spread { mean, min, p10, p50, p90, p99, max })
}

fn figures() -> Vec<ClassFigures> {
    let dl = ClassFigures {
        name: "dl".into(),
        done: 11,
        failed: 2,
        unfinished: 3,
        bytes: 45_678_000,
        bps: Some(12_345_000.0),
        request_bps: spread(1_111_000.0),
        request_ns: spread(250_000_000.0),
        errors: BTreeMap::from([("status 404".into(), 2)]),
    };
    let none = ClassFigures {
        name: "ul".into(),
        done: 0,
        failed: 0,
        unfinished: 0,
        bytes: 0,
        bps: None,
        request_bps: None,
        request_ns: None,
        errors: BTreeMap::new(),
    };
    vec![dl, none]
}

/// Indices of 0.5 and 0.75 between connections, of 0.9 between classes.
fn series() -> Series {
    let row = |connections, classes| Row {
        t_ns: 1_000_000_000,
        bps: Vec::new(),
        jain_connections: Some(connections),
        jain_classes: classes,
    };
    Series { flows: vec![(0, 1), (1, 1)], rows: vec![row(0.5, Some(0.9)), row(0.75, None)] }
}

fn outcome(stopped: bool) -> Outcome {
    Outcome { started_ns: 77, duration_ns: 12_345_000_000, stopped, requests: Vec::new() }
}

#[test]
fn each_figure_of_a_class_has_its_key() {
    let all = |from: f64| {
        json!({ "mean": from * 4.0, "min": from, "p10": from * 2.0, "p50": from * 3.0,
        "p90": from * 5.0, "p99": from * 6.0, "max": from * 7.0 })
    };
    assert_eq!(
        summary_json(&config(), &outcome(true), &figures(), &series()),
        json!({
            "schema": 1, "event": "summary", "start": "now", "started_ns": 77, "duration_ns": 12_345_000_000u64,
            "stopped": true,
            "classes": [
                { "class": "dl", "done": 11, "failed": 2, "unfinished": 3, "bytes": 45_678_000,
                    "bits_per_second": 12_345_000.0, "request_bits_per_second": all(1_111_000.0),
                    "request_ns": all(250_000_000.0), "errors": { "status 404": 2 } },
                { "class": "ul", "done": 0, "failed": 0, "unfinished": 0, "bytes": 0, "bits_per_second": null,
                    "request_bits_per_second": null, "request_ns": null, "errors": {} },
            ],
            "mean_jain_connections_ratio": 0.625,
            "mean_jain_classes_ratio": 0.9,
        })
    );
    let waiting = Config { start: Start::Broadcast(4711), ..config() };
    assert_eq!(summary_json(&waiting, &outcome(false), &[], &series())["start"], "broadcast:4711");
}

/// Failures of any class; an interrupt goes before them.
#[test]
fn the_exit_code_is_of_all_classes() {
    let failed = |numbers: &[u64]| -> Vec<ClassFigures> {
        let one = |failed: &u64| ClassFigures { failed: *failed, ..figures().remove(1) };
        numbers.iter().map(one).collect()
    };
    for (numbers, of_end) in [
        (&[][..], ExitCode::SUCCESS),
        (&[0, 0], ExitCode::SUCCESS),
        (&[1, 0], ExitCode::from(1)),
        (&[0, 2], ExitCode::from(1)),
    ] {
        assert_eq!(code(false, &failed(numbers)), of_end, "{numbers:?}");
        assert_eq!(code(true, &failed(numbers)), ExitCode::from(130), "{numbers:?}");
    }
    // Unfinished ones are no failures.
    let unfinished = ClassFigures { unfinished: 5, ..figures().remove(1) };
    assert_eq!(code(false, &[unfinished]), ExitCode::SUCCESS);
}

/// Errors of each class, and no index where it has no meaning.
#[test]
fn errors_are_told_of_each_class() {
    let mut both = figures();
    both[0].errors = BTreeMap::from([("a".into(), 2), ("b".into(), 1)]);
    both[1].errors = BTreeMap::from([("a".into(), 7)]);
    let none = Series { flows: Vec::new(), rows: Vec::new() };
    let text = summary_text(&outcome(false), &both, &none);
    let end = "\ndl: 2 times a\ndl: 1 times b\nul: 7 times a\n";
    assert!(text.ends_with(end), "{text}");
    let json = summary_json(&config(), &outcome(false), &both, &none);
    assert_eq!(json["classes"][1]["errors"], json!({ "a": 7 }));
    assert!(json["mean_jain_connections_ratio"].is_null() && json["mean_jain_classes_ratio"].is_null());
    assert_eq!(json["stopped"], false);
}

#[test]
fn each_figure_of_a_class_is_in_its_column() {
    let text = summary_text(&outcome(true), &figures(), &series());
    let lines: Vec<&str> = text.lines().collect();
    let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
    assert_eq!(lines[0], "12.345 s, interrupted");
    assert_eq!(
        words(lines[2]),
        ["dl", "11", "2", "3", "45.678", "12.345", "4.444", "2.222", "3.333", "5.555", "0.750"]
    );
    assert_eq!(words(lines[3]), ["ul", "0", "0", "0", "0.000", "-", "-", "-", "-", "-", "-"]);
    assert_eq!(
        lines[4..],
        [
            "dl: 2 times status 404",
            "Jain's index between connections, mean over time: 0.625",
            "Jain's index between classes, mean over time: 0.900",
        ]
    );
    assert!(lines[1].chars().count() == lines[2].chars().count(), "{text}");
    assert!(summary_text(&outcome(false), &figures(), &series()).starts_with("12.345 s\n"));
}

#[test]
fn a_request_and_the_progress_have_their_own_figures() {
    let request = Request {
        class: 1,
        number: 12,
        connection: 3,
        t0_ns: Some(5_000),
        end_ns: 9_000,
        end: End::Failed(Failure::Status(503)),
        status: Some(503),
        volume_bytes: 456,
        points: vec![(0, 0)],
    };
    let expected = |end: &str, error: Value, file: Value| {
        json!({ "schema": 1, "event": "request", "class": "ul", "request": 12, "connection": 3, "connected_ns": 5_000,
            "end_ns": 9_000, "end": end, "error": error, "status": 503, "bytes": 456, "file": file })
    };
    let json = request_json("ul", &config(), &request);
    let error = json!("the server answered with status 503");
    assert_eq!(json, expected("failed", error, json!("ul-0012.failed.txt")));
    let done = Request { end: End::Done, ..request.clone() };
    assert_eq!(request_json("ul", &config(), &done), expected("done", Value::Null, json!("ul-0012.txt")));
    let unfinished = Request { end: End::Unfinished, ..request };
    let file = json!("ul-0012.unfinished.txt");
    assert_eq!(request_json("ul", &config(), &unfinished), expected("unfinished", Value::Null, file));
    let progress = [
        Progress { running: 4, done: 15, failed: 0, bytes: 1_250_000 },
        Progress { running: 1, done: 2, failed: 3, bytes: 70_000_000 },
    ];
    assert_eq!(
        progress_text(12_400_000_000, &config(), &progress),
        "12 s: dl 4 running, 15 done, 1.2 MB; ul 1 running, 2 done, 3 failed, 70.0 MB"
    );
}
