// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The example that says how two figures agree: pairs, their rank correlation by hand, who is furthest apart, and what is
//! refused.

#[allow(dead_code)] // its main
#[path = "../../examples/rank_correlation.rs"]
mod example;

use std::fs;

use serde_json::{Value, json};

/// An experiment over one axis, with a game and a call under one discipline.
fn data(id: &str, figures: &[(f64, f64)]) -> Value {
    let values: Vec<String> = (0..figures.len()).map(|i| format!("v{i}")).collect();
    let point = |(i, (mos, qoo)): (usize, &(f64, f64))| {
        let game =
            json!({"name": "game", "metrics": {"game_mos": {"mean": mos}, "qoo_score": {"mean": qoo}}});
        let call = json!({"name": "call", "metrics": {"qoo_score": {"mean": 1.0}}});
        json!({"at": [i], "queues": [{"label": "fifo", "apps": [game, call]}]})
    };
    let points: Vec<Value> = figures.iter().enumerate().map(point).collect();
    json!({"id": id, "axes": [{"label": "distance", "values": values}], "outcome": {"points": points}})
}

#[test]
fn ranks_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("chap")).expect("a folder");
    // Ranks 1 2 3 4 and 2 1 4 3: 1 - 6 * 4 / (4 * 15) = 0.6. Then 1 2 and 1 2; a constant.
    let all = [
        data("a", &[(1.0, 20.0), (2.0, 10.0), (3.0, 40.0), (4.0, 30.0)]),
        data("b", &[(1.5, 50.0), (2.5, 60.0)]),
        data("c", &[(4.5, 100.0), (4.2, 100.0)]),
    ];
    for (i, data) in all.iter().enumerate() {
        fs::write(folder.path().join(format!("chap/{i}.json")), data.to_string()).expect("a file");
    }
    fs::write(folder.path().join("chap/other.json"), data("d", &[]).to_string()).expect("a file");
    let said = example::run(folder.path(), "game_mos", "qoo_score").expect("they have both");
    let rows: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["a", "4", "0.60"]);
    assert_eq!(rows[2], ["b", "2", "1.00"]);
    assert_eq!(rows[3], ["c", "2", "one", "does", "not", "vary"]);
    assert_eq!(rows[4][..2], ["all", "8"]);
    // Of eight the one at 1.5 is second by its score and fifth by its outcome, and the one at 2.5 likewise.
    assert!(
        said.contains("  b: game under fifo, distance v0: game_mos 1.50 (2), qoo_score 50.00 (5)\n"),
        "{said}"
    );
}

#[test]
fn nothing_to_compare_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let message = example::run(folder.path(), "game_mos", "qoo_score").unwrap_err();
    assert!(
        message.contains("no application of an experiment there has both game_mos and qoo_score"),
        "{message}"
    );
    fs::write(folder.path().join("x.json"), "{").expect("a file");
    let message = example::run(folder.path(), "game_mos", "qoo_score").unwrap_err();
    assert!(message.contains("x.json: EOF while parsing"), "{message}");
}
