// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options that mean the same in every command: `--short`, `--format`, `--out`, `--why`, `-q`, `-v`, `--color`; and the names
//! that they had before.

use crate::common;

use common::{airtab, results, scratch, text};
use serde_json::Value;

/// A game beside a download for 6 s; as an experiment, too.
const HOME: &str = r#"
name = "small"
duration = "60s"
measure = ["10s", "60s"]
station = [{ name = "console" }, { name = "laptop" }]
app = [
  { name = "game", kind = "game", station = "console" },
  { name = "download", kind = "download", station = "laptop", start = "5s" },
]
"#;
const EXPERIMENT: &str = include_str!("../../../airtab-lab/tests/it/game-beside-download.toml");
const SMALL: [&str; 6] = ["--short", "--seeds", "2", "--queues", "fifo,chap", "--no-cache"];

fn compare<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["compare", "sweep.toml"], &SMALL[..], more].concat()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|e| panic!("{e}: {}", text(bytes)))
}

/// The program's name is no word of it.
fn run(dir: &tempfile::TempDir, words: &[&str]) -> (Option<i32>, String, String) {
    let output = airtab(dir.path(), "kept", words);
    (output.status.code(), text(&output.stdout).into(), text(&output.stderr).into())
}

#[test]
fn old_names_mean_the_new_ones_and_say_so() {
    let dir = scratch(HOME);
    let (code, new, said) = run(&dir, &compare(&["--json"]));
    assert!(code == Some(0) && !said.contains("warning"), "{said}");
    let mut words = compare(&["--json"]);
    words[2] = "--quick";
    let (code, old, said) = run(&dir, &words);
    assert!(code == Some(0) && old == new, "{said}");
    assert!(
        said.starts_with("warning: --quick of airtab compare is now --short (all times of the"),
        "{said}"
    );
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    // An experiment's has always been fewer seeds.
    std::fs::write(dir.path().join("e.toml"), EXPERIMENT).expect("written");
    let (code, _, said) = run(&dir, &["experiment", "run", "e.toml", "--quick"]);
    assert!(code == Some(0) && !said.contains("warning"), "{said}");
}

#[test]
fn a_short_run_is_that_of_a_short_comparison() {
    let dir = scratch(HOME);
    let (code, one, said) =
        run(&dir, &["run", "sweep.toml", "--queue", "fifo", "--short", "--seeds", "2", "--json"]);
    assert_eq!(code, Some(0), "{said}");
    let both = json(run(&dir, &compare(&["--json"])).1.as_bytes());
    let one = json(one.as_bytes());
    assert_eq!((&one["short"], &one["duration_ns"]), (&true.into(), &6_000_000_000u64.into()));
    assert_eq!(one["queues"][0], both["queues"][0]);
}

/// JSON says which airtab it comes from; CSV has the rows of results.parquet.
#[test]
fn every_form_of_results() {
    let dir = scratch(HOME);
    let (_, printed, _) = run(&dir, &compare(&["--format", "json"]));
    assert_eq!(run(&dir, &compare(&["--json"])).1, printed, "--json is short for it");
    let results = json(printed.as_bytes());
    for results in [&results, &json(run(&dir, &["run", "sweep.toml", "--short", "--json"]).1.as_bytes())] {
        assert_eq!((&results["schema"], &results["version"]), (&1.into(), &env!("CARGO_PKG_VERSION").into()));
        assert_eq!(results["git"], env!("AIRTAB_GIT"));
    }
    let (code, csv, said) = run(&dir, &compare(&["--format", "csv", "--out", "out"]));
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(std::fs::read_to_string(dir.path().join("out/results.csv")).expect("it is there"), csv);
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("queue,discipline,application,kind,metric,seed,value"));
    let mos = &results["queues"][1]["apps"][0]["metrics"]["game_mos"]["values"][1];
    let row = format!("chap,chap,game,game,game_mos,2,{mos}");
    assert!(lines.any(|line| line == row), "{row} in\n{csv}");
    // Of one run the rows of its discipline.
    let (_, one, _) =
        run(&dir, &["run", "sweep.toml", "--short", "--seed", "2", "--queue", "chap", "--format", "csv"]);
    assert!(one.lines().any(|line| line == row) && !one.contains("fifo"), "{one}");
    let (code, printed, said) = run(&dir, &compare(&["--format", "parquet", "--out", "parquet"]));
    assert_eq!((code, printed.as_str()), (Some(0), ""), "{said}");
    assert!(dir.path().join("parquet/results.parquet").is_file());
}

#[test]
fn an_experiment_in_every_form() {
    let dir = scratch(HOME);
    std::fs::write(dir.path().join("e.toml"), EXPERIMENT).expect("written");
    let words = |more: &[&'static str]| [&["experiment", "run", "e.toml", "--seeds", "1"], more].concat();
    let (_, csv, said) = run(&dir, &words(&["--format", "csv"]));
    let all = json(run(&dir, &words(&["--json"])).1.as_bytes());
    assert_eq!((&all[0]["schema"], &all[0]["git"]), (&1.into(), &env!("AIRTAB_GIT").into()), "{said}");
    let point = &all[0]["outcome"]["points"][1];
    let value = &point["queues"][0]["apps"][0]["metrics"]["game_mos"]["values"][0];
    let at = point["at"][0].as_u64().expect("a number") as usize;
    let row = format!(
        "{},fifo,fifo,game,game,game_mos,1,{value}",
        all[0]["axes"][0]["values"][at].as_str().expect("text")
    );
    assert!(csv.lines().any(|line| line == row), "{row} in\n{csv}");
    let (code, _, said) = run(&dir, &words(&["--format", "csv", "--out", "out"]));
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(std::fs::read_to_string(dir.path().join("out/e.csv")).expect("it is there"), csv);
    let (code, _, said) = run(&dir, &words(&["--format", "parquet", "--out", "out"]));
    assert_eq!(code, Some(0), "{said}");
    assert!(std::fs::read(dir.path().join("out/e.parquet")).expect("it is there").starts_with(b"PAR1"));
}

#[test]
fn what_no_form_can_be_is_refused() {
    let dir = scratch(HOME);
    std::fs::write(dir.path().join("e.toml"), EXPERIMENT).expect("written");
    std::fs::write(dir.path().join("f.toml"), EXPERIMENT).expect("written");
    for (words, expected) in [
        (
            &["compare", "--format", "parquet"][..],
            "--format parquet: name a directory for the file with --out",
        ),
        (&["run", "sweep.toml", "--format", "parquet"], "airtab compare --queues chap --out DIR does"),
        (&["sweep", "sweep.toml", "--format", "parquet"], "--format parquet: name a directory"),
        (&["experiment", "run", "e.toml", "--format", "parquet"], "--format parquet: name a directory"),
        (
            &["experiment", "run", "e.toml", "f.toml", "--format", "csv"],
            "2 experiments have columns of their own each",
        ),
        (&["compare", "--format", "jsn"], "a similar value exists: 'json'"),
        (&["compare", "--json", "--format", "csv"], "cannot be used with"),
        (&["compare", "--color", "red"], "invalid value 'red' for '--color <WHEN>'"),
        (&["compare", "-q", "-v"], "cannot be used with"),
    ] {
        let (code, out, said) = run(&dir, words);
        assert!(code == Some(2) && out.is_empty() && said.contains(expected), "{words:?}: {said}");
    }
}

/// Files and pipes have all sentences; a terminal has one for each application (see the unit test of `args`).
#[test]
fn the_report_has_every_sentence() {
    let dir = scratch(HOME);
    let (_, shown, _) = run(&dir, &compare(&["--out", "out"]));
    let report = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect("it is there");
    let sentences = |text: &str| text.matches("under fifo: ").count() + text.matches("under chap: ").count();
    assert_eq!((sentences(&shown), sentences(&report("out/report.txt"))), (4, 4), "{shown}");
    let (_, shown, _) = run(&dir, &compare(&["--out", "short", "--why", "short"]));
    assert_eq!((sentences(&shown), sentences(&report("short/report.txt"))), (2, 2), "{shown}");
}

#[test]
fn as_much_is_said_as_is_wanted() {
    let dir = scratch(HOME);
    let words = ["compare", "sweep.toml", "--short", "--seeds", "2", "--queues", "fifo,chap"];
    let (_, shown, usual) = run(&dir, &words);
    assert!(usual.contains("4 runs ...") && usual.contains("4 runs of 6 s in"), "{usual}");
    // Before the command, too; results are the same.
    for quiet in [[&["-q"], &words[..]].concat(), [&words[..], &["--quiet"]].concat()] {
        assert_eq!(run(&dir, &quiet), (Some(0), shown.clone(), String::new()));
    }
    // Not what is wrong, or doubtful.
    let (code, _, said) = run(&dir, &["-q", "compare", "--queues", "chop"]);
    assert!(code == Some(2) && said.contains("no discipline 'chop'"), "{said}");
    let (_, _, said) =
        run(&dir, &["-q", "compare", "sweep.toml", "--quick", "--seeds", "1", "--queues", "fifo"]);
    assert!(said.starts_with("warning: --quick") && said.lines().count() == 1, "{said}");
    // Which runs there were, and where.
    let (_, printed, said) = run(&dir, &[&words[..], &["-v"]].concat());
    assert_eq!(printed, shown);
    for line in
        ["chap, seed 2: known from before", "fifo, seed 1: known from before", "Finished runs are kept in "]
    {
        assert!(said.contains(line) && !usual.contains(line), "{line} in\n{said}");
    }
    // Files are about what was run alone.
    let axis = ["--axis", "app.download.start=5s,6s", "--seeds", "1", "--queues", "fifo"];
    let of = |out: &str, more: &[&str]| results(dir.path(), "kept", out, &[&axis[..], more].concat());
    assert!(of("quiet", &["-q"]) == of("loud", &["-v"]));
    let (_, _, said) = run(&dir, &[&words[..], &["--verbose", "--no-cache"]].concat());
    assert!(said.contains("chap, seed 2: made") && !said.contains("known from before"), "{said}");
}

#[test]
fn colours_are_as_asked_for() {
    let dir = scratch(HOME);
    let bold = '\u{1b}';
    let words = |colour: &'static str| compare(&["--why", "none", "--color", colour]);
    let (_, plain, _) = run(&dir, &compare(&["--why", "none"]));
    let (_, coloured, _) = run(&dir, &words("always"));
    assert!(!plain.contains(bold) && coloured.contains(bold), "{coloured}");
    assert_eq!(run(&dir, &words("never")).1, plain);
    assert_eq!(run(&dir, &words("auto")).1, plain, "no terminal");
    // Errors, of whoever finds them; what is asked for goes before NO_COLOR.
    for wrong in
        [&["compare", "--nope", "--color=always"][..], &["--color", "always", "compare", "none.toml"]]
    {
        let output =
            common::command(dir.path(), "kept", wrong).env("NO_COLOR", "1").output().expect("it starts");
        let said = text(&output.stderr);
        assert!(said.contains(bold) && said.contains("error:"), "{said:?}");
        let plain: Vec<&str> =
            wrong.iter().copied().filter(|word| !word.contains("always") && *word != "--color").collect();
        assert!(!run(&dir, &plain).2.contains(bold));
    }
}
