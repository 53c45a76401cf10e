// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab contest` as a user has it: a directory of one small home, and directories and options that it refuses.

use std::path::Path;

use serde_json::Value;

use crate::common::{airtab, text};

const HOME: &str = r#"
duration = "2s"
measure = ["1s", "2s"]
station = [{ name = "near", mcs = 7 }, { name = "far", mcs = 0 }]
app = [
  { name = "call", kind = "voip", station = "near" },
  { name = "download", kind = "download", station = "far" },
]
[wifi]
phy = "std-11ac"
"#;

fn told(dir: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let named = more.first().is_some_and(|word| !word.starts_with('-'));
    let words = if named { &["contest"][..] } else { &["contest", "."] };
    let output = airtab(dir, "cache", &[words, more].concat());
    (output.status.code(), text(&output.stdout).into(), text(&output.stderr).into())
}

#[test]
fn a_directory_of_homes_is_counted() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("small.toml"), HOME).expect("written");
    std::fs::write(dir.path().join("notes.txt"), "not a scenario").expect("written");
    let words = ["--queues", "chap,airtime_fq", "--seeds", "2"];
    let (code, page, said) = told(dir.path(), &words);
    assert_eq!(code, Some(0), "{said}");
    assert!(page.starts_with("1 home, 2 applications, 2 seeds\n"), "{page}");
    assert_eq!(page.matches("### Driver ").count(), 3, "{page}");
    let (code, json, said) = told(dir.path(), &[&words[..], &["--json"]].concat());
    assert_eq!(code, Some(0), "{said}");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let against = &json["drivers"][1]["against"];
    assert_eq!((&against[0]["discipline"], &against[0]["null"]), (&"airtime_fq".into(), &false.into()));
    assert_eq!(
        (&against[1]["null"], &against[0]["applications"][1]["home"]),
        (&true.into(), &"small".into())
    );
    let count = |verdict: &str| against[0][verdict].as_u64().expect("a count");
    assert_eq!(count("worse") + count("same") + count("better"), 2, "{against:#}");
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir(at("old")).expect("made");
    let plain = HOME.replace(", mcs = 7", "").replace(", mcs = 0", "").replace("std-11ac", "std-11g");
    std::fs::write(at("old/plain.toml"), plain).expect("written");
    std::fs::create_dir(at("none")).expect("made");
    std::fs::create_dir(at("good")).expect("made");
    std::fs::write(at("good/small.toml"), HOME).expect("written");
    for (dir, words, expected) in [
        ("none", &[][..], ". has no scenario file: name a directory with files *.toml"),
        ("none", &["missing"], "error: cannot read the directory missing: "),
        ("old", &[], "plain.toml:11:21: [wifi.driver] aggregates: only where packets wait at the driver"),
        ("good", &["--seeds", "7,"], "--seeds: a verdict takes at least 2 seeds"),
        ("good", &["--queues", "chap"], "--queues: name two disciplines or more"),
        ("good", &["--queues", "chap,fifo,chap"], "--queues names chap twice"),
    ] {
        let (code, page, said) = told(&at(dir), words);
        assert!(code == Some(2) && page.is_empty() && said.contains(expected), "{dir} {words:?}: {said}");
    }
}
