// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! NaN, infinity, numbers beyond 64-bit floating point and a negative zero: in TOML, on the command line, in JSON.

use std::path::Path;

use super::common::{airtab, scratch, text};

/// A scenario with a key of its station.
fn write(dir: &Path, key: &str) {
    let text = format!(
        "name = \"n\"\nduration = \"1s\"\n[[station]]\nname = \"s\"\n{key}\n[[app]]\nname = \"a\"\nkind = \"download\"\n\
         station = \"s\"\n"
    );
    std::fs::write(dir.join("n.toml"), text).expect("written");
}

/// Standard error of a command that must fail with one line for its problem, besides the excerpt of a file.
fn refused(dir: &Path, args: &[&str], value: &str) {
    let output = airtab(dir, "cache", args);
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {said}");
    assert!(said.contains(&format!("'{value}")) && !said.contains("panicked"), "{args:?}: {said}");
}

#[test]
fn numbers_that_are_not_finite_are_refused_as_they_are_written() {
    let dir = scratch("");
    for value in ["nan", "-nan", "inf", "-inf", "1e400", "-1e400"] {
        for key in ["fer", "distance"] {
            write(dir.path(), &format!("{key} = {value}"));
            refused(dir.path(), &["scenario", "check", "n.toml"], value);
            write(dir.path(), &format!("{key} = 0.5"));
            refused(dir.path(), &["run", "n.toml", "--set", &format!("station.s.{key}={value}")], value);
        }
        refused(dir.path(), &["model", "chap", "delay", &format!("--rho={value}")], value);
        refused(dir.path(), &["model", "chap", "credits", &format!("--rates={value}:3")], value);
    }
}

/// A distance must be above 0, of either sign; a share of lost frames may be 0, and is the same with a sign.
#[test]
fn a_negative_zero_is_zero() {
    let dir = scratch("");
    let run = |fer: &str| {
        write(dir.path(), &format!("fer = {fer}"));
        let output = airtab(dir.path(), "cache", &["run", "n.toml", "--queue", "fifo", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{fer}: {}", text(&output.stderr));
        text(&output.stdout).to_string()
    };
    let zero = run("0.0");
    let json: serde_json::Value = serde_json::from_str(&zero).expect("JSON");
    assert!(json.is_object() && !zero.contains("NaN") && !zero.contains("-0.0"), "{zero}");
    for other in ["-0.0", "-0", "1e-400", "-1e-400"] {
        assert_eq!(run(other), zero, "{other}");
    }
    for distance in ["0.0", "-0.0", "1e-400"] {
        write(dir.path(), &format!("distance = {distance}"));
        refused(dir.path(), &["scenario", "check", "n.toml"], distance);
    }
}

/// Lines of a recorded house: JSON has neither NaN nor infinity, and no number beyond the largest.
#[cfg(all(has_live, has_serve))]
#[test]
fn json_has_finite_numbers() {
    let dir = scratch("");
    for (value, why) in
        [("NaN", "expected value"), ("Infinity", "expected value"), ("1e400", "number out of range")]
    {
        let line = format!("{{\"house\": \"h\", \"now_s\": {value}}}\n");
        std::fs::write(dir.path().join("h.jsonl"), line).expect("written");
        let output = airtab(dir.path(), "cache", &["serve", "--replay", "h.jsonl"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains("line 1: is no snapshot of airtab live") && said.contains(why),
            "{value}: {said}"
        );
    }
}
