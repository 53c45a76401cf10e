// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What `--out DIR` leaves stands alone: moved elsewhere, without what it was made of, the command that it names makes the
//! same again, files that the scenario names included.

use crate::common;

use std::fs;
use std::path::Path;

use common::{airtab, results, scratch, text};
use serde_json::Value;

/// A film of a trace in another folder beside a call, and what the call needs by a file.
const SCENARIO: &str = r#"
requirements = "needs.toml" # ours
name = "alone"
duration = "300ms"
measure = ["100ms", "300ms"]
station = [{ name = "tv" }, { name = "phone" }]

[[app]]
name = "film"
kind = "video"
station = "tv"
trace = "../films/film.txt"

[[app]]
name = "call"
kind = "voip"
station = "phone"
requirement = "calm"
"#;
const NEEDS: &str = "[[requirement]]\nname = \"calm\"\nabout = \"a calm call\"\n\
    latency = [{ percentile = 98, optimal = \"100ms\", unusable = \"400ms\" }]\nloss = { optimal = \"1%\", unusable = \"3%\" }\n";
const FILM: &str = "1 I 6000\n2 P 2000\n3 P 2000\n";

/// `own/` with that file, `needs.toml` beside it, and the film in `films/`.
fn house(name: &str, content: &str) -> tempfile::TempDir {
    let dir = scratch("");
    for folder in ["own", "films"] {
        fs::create_dir(dir.path().join(folder)).expect("a folder");
    }
    let write = |name: &str, content: &str| fs::write(dir.path().join(name), content).expect("written");
    write(&format!("own/{name}"), content);
    write("own/needs.toml", NEEDS);
    write("films/film.txt", FILM);
    dir
}

fn ran(dir: &Path, cache: &str, words: &[&str]) -> String {
    let output = airtab(dir, cache, words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout).into()
}

/// Moves `out` away, removes all else, and repeats the command of its manifest there, into the folder `again`.
fn again(dir: &tempfile::TempDir, out: &str) -> tempfile::TempDir {
    let moved = scratch("");
    fs::remove_file(moved.path().join("sweep.toml")).expect("it is there");
    let there = moved.path().join("moved");
    fs::rename(dir.path().join(out), &there).expect("renamed");
    for folder in ["own", "films"] {
        fs::remove_dir_all(dir.path().join(folder)).expect("removed");
    }
    let manifest: Value =
        serde_json::from_slice(&fs::read(there.join("manifest.json")).expect("it is there")).expect("JSON");
    let command = manifest["command"].as_str().expect("a command").to_string();
    let mut words: Vec<&str> = command.split(' ').skip(1).collect();
    words.extend(["--out", "again"]);
    ran(&there, "fresh", &words);
    moved
}

fn same(moved: &tempfile::TempDir, names: &[&str]) {
    for name in names {
        let read = |folder: &str| fs::read(moved.path().join("moved").join(folder).join(name)).expect(name);
        assert!(read("") == read("again"), "{name} differs");
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

#[test]
fn a_comparison() {
    let dir = house("home.toml", SCENARIO);
    let set = "app.call.start=20ms";
    ran(
        dir.path(),
        "kept",
        &["compare", "own/home.toml", "--set", set, "--queues", "fifo,chap", "--seeds", "2", "--out", "out"],
    );
    let there = names(&dir.path().join("out"));
    for name in ["film.txt", "needs.toml", "index.html", "report.html", "scenario.toml"] {
        assert!(there.contains(&name.to_string()), "{name}: {there:?}");
    }
    // Only what must be is another.
    let written = fs::read_to_string(dir.path().join("out/scenario.toml")).expect("it is there");
    let expected = SCENARIO.replace("../films/film.txt", "film.txt") + "start = \"20ms\"\n";
    assert_eq!(written, expected);
    let moved = again(&dir, "out");
    same(
        &moved,
        &["results.json", "results.parquet", "scenario.toml", "film.txt", "index.html", "manifest.json"],
    );
}

/// Whatever is named like a result, or like another file, has a name of its own there; what is somebody's stays.
#[test]
fn files_do_not_get_in_each_others_way() {
    let scenario = SCENARIO.replace("needs.toml", "results.json");
    let dir = house("home.toml", &scenario);
    fs::rename(dir.path().join("own/needs.toml"), dir.path().join("own/results.json")).expect("renamed");
    let words = ["compare", "own/home.toml", "--queues", "fifo", "--seeds", "1", "--out", "out"];
    ran(dir.path(), "kept", &words);
    let read = |name: &str| fs::read_to_string(dir.path().join("out").join(name)).expect("it is there");
    assert_eq!(read("input-1-results.json"), NEEDS);
    assert!(read("scenario.toml").contains("requirements = \"input-1-results.json\" # ours"));
    // Of an earlier result it is replaced, and nothing that was changed since.
    fs::write(dir.path().join("films/film.txt"), FILM.replace("6000", "6001")).expect("written");
    ran(dir.path(), "kept", &words);
    assert!(read("film.txt").contains("6001"));
    fs::write(dir.path().join("out/film.txt"), "mine").expect("written");
    let refused = airtab(dir.path(), "kept", &words);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(
        said.contains("out/film.txt is not as an earlier result left it and would be replaced"),
        "{said}"
    );
    assert_eq!(read("film.txt"), "mine");
}

/// An experiment's file with its scenario in another folder, which names files beside itself.
const SWEEP: &str = r#"
title = "A film and a call"
queues = ["fifo", "chap"]
seeds = 2
base = "../films/base.toml"

[[axis]]
name = "film"
keys = "app.film.trace"
values = ["../films/film.txt", "other.txt", "synthetic"]
"#;

fn based(content: &str) -> tempfile::TempDir {
    let dir = house("sweep.toml", content);
    let base = SCENARIO.replace("../films/film.txt", "film.txt");
    fs::write(dir.path().join("films/base.toml"), base).expect("written");
    fs::rename(dir.path().join("own/needs.toml"), dir.path().join("films/needs.toml")).expect("renamed");
    fs::write(dir.path().join("own/other.txt"), FILM.replace("2000", "3000")).expect("written");
    dir
}

#[test]
fn a_sweep() {
    let dir = based(SWEEP);
    let more = ["--axis", "app.call.start=0s,20ms", "--set", "wifi.attempts=4"];
    ran(dir.path(), "kept", &[&["sweep", "own/sweep.toml", "--out", "out", "--json"], &more[..]].concat());
    let expected = [
        "figure-1.csv",
        "figure-1.svg",
        "figure-2.csv",
        "figure-2.svg",
        "film.txt",
        "index.html",
        "input.toml",
        "manifest.json",
        "needs.toml",
        "other.txt",
        "results.json",
        "results.parquet",
    ];
    let out = dir.path().join("out");
    assert_eq!(names(&out), expected);
    let manifest: Value =
        serde_json::from_slice(&fs::read(out.join("manifest.json")).expect("it is there")).expect("JSON");
    assert_eq!(manifest["files"], serde_json::json!(expected));
    let command = "airtab sweep input.toml --axis app.call.start=0s,20ms --set wifi.attempts=4";
    assert_eq!(manifest["command"], command);
    // The page has the numbers, the figures and the command; the axis has the values as they were written.
    let page = fs::read_to_string(out.join("index.html")).expect("it is there");
    for part in ["A film and a call", command, "film: ", "call: ", "../films/film.txt", "<svg"] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert_eq!(
        manifest["axes"][0]["values"],
        serde_json::json!(["../films/film.txt", "other.txt", "synthetic"])
    );
    // Inputs of an earlier result are replaced, unless a user has changed them.
    let (words, input) = (["sweep", "own/sweep.toml", "--out", "again"], dir.path().join("again/input.toml"));
    ran(dir.path(), "kept", &words);
    let before = fs::read_to_string(&input).expect("it is there");
    let file = dir.path().join("own/sweep.toml");
    let was = fs::read_to_string(&file).expect("it is there");
    fs::write(&file, was.replace("A film and a call", "A call and a film")).expect("written");
    ran(dir.path(), "kept", &words);
    let after = fs::read_to_string(&input).expect("it is there");
    assert!(before != after && after.contains("A call and a film"), "{after}");
    fs::write(&input, &before).expect("written");
    let refused = airtab(dir.path(), "kept", &words);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(
        text(&refused.stderr).contains("is not as an earlier result left it"),
        "{}",
        text(&refused.stderr)
    );
    assert_eq!(fs::read_to_string(&input).expect("it is there"), before);
    fs::write(&file, was).expect("written");
    let moved = again(&dir, "out");
    same(&moved, &["results.parquet", "figure-1.csv", "figure-2.svg", "film.txt", "other.txt"]);
    // By a file of that name in the folder itself, too.
    let there = moved.path().join("moved");
    fs::copy(there.join("input.toml"), there.join("sweep.toml")).expect("copied");
    let rows = results(&there, "fresh", "more", &more);
    assert!(rows == fs::read(there.join("results.parquet")).expect("it is there"));
}

/// Files of the command line's axis, a scenario with its comments, and a sweep too large for a page.
#[test]
fn a_sweep_of_a_scenario() {
    let dir = house("home.toml", SCENARIO);
    fs::write(dir.path().join("films/next.txt"), FILM.replace("2000", "3000")).expect("written");
    let axis = "app.film.trace=../films/film.txt,../films/next.txt";
    let words = ["sweep", "own/home.toml", "--axis", axis, "--seeds", "1", "--queues", "fifo"];
    fs::write(dir.path().join("films/calm.toml"), NEEDS).expect("written");
    ran(
        dir.path(),
        "kept",
        &[&words[..], &["--set", "requirements=\"../films/calm.toml\"", "--out", "out"]].concat(),
    );
    assert_eq!(fs::read_to_string(dir.path().join("out/calm.toml")).expect("it is there"), NEEDS);
    let input = fs::read_to_string(dir.path().join("out/input.toml")).expect("it is there");
    assert_eq!(input, SCENARIO.replace("../films/film.txt", "film.txt"));
    let many = (1..=501).map(|us| format!("{us}us")).collect::<Vec<_>>().join(",");
    let large = [
        "sweep",
        "own/home.toml",
        "--axis",
        &format!("app.call.start={many}"),
        "--seeds",
        "1",
        "--queues",
        "fifo",
        "--out",
        "large",
    ];
    ran(dir.path(), "kept", &large);
    let page = fs::read_to_string(dir.path().join("large/index.html")).expect("it is there");
    assert!(page.contains("501 points: too many for a page.") && !page.contains("<svg"), "{page}");
    // Values that are files of the command line have the names of these there.
    let figures = |dir: &Path| {
        let rows = fs::read_to_string(dir.join("figure-1.csv")).expect("it is there");
        rows.replace("../films/", "")
    };
    let moved = again(&dir, "out");
    let there = moved.path().join("moved");
    assert_eq!(figures(&there), figures(&there.join("again")));
}

/// What a scenario names is there already where results go beside it: it stays, as the link that it is.
#[cfg(unix)]
#[test]
fn results_beside_their_scenario() {
    let dir = house("home.toml", &SCENARIO.replace("../films/film.txt", "film.txt"));
    let link = dir.path().join("own/film.txt");
    std::os::unix::fs::symlink("../films/film.txt", &link).expect("a link");
    ran(dir.path(), "kept", &["sweep", "own/home.toml", "--seeds", "1", "--queues", "fifo", "--out", "own"]);
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    // A file of another experiment's in one folder has a name of its own.
    let experiment = |folder: &str, name: &str| {
        let content = format!("source = \"nobody\"\n{SWEEP}")
            .replace("\"other.txt\", ", "")
            .replace("../films/base.toml", "../own/home.toml");
        fs::write(dir.path().join(folder).join(name), content.replace("../films/film.txt", "next.txt"))
            .expect("written");
        fs::write(dir.path().join(folder).join("next.txt"), format!("# {folder}\n{FILM}")).expect("written");
    };
    experiment("own", "one.toml");
    experiment("films", "two.toml");
    ran(
        dir.path(),
        "kept",
        &["experiment", "run", "own/one.toml", "films/two.toml", "--quick", "--out", "both"],
    );
    let read = |name: &str| fs::read_to_string(dir.path().join("both").join(name)).expect("it is there");
    assert!(read("next.txt").starts_with("# own") && read("input-1-next.txt").starts_with("# films"));
    assert!(
        read("two.experiment.toml").contains("\"input-1-next.txt\"")
            && read("one.experiment.toml").contains("\"next.txt\"")
    );
}

#[test]
fn an_experiment() {
    let dir = based(&format!("source = \"nobody\"\n{SWEEP}"));
    let words = ["experiment", "run", "own/sweep.toml", "chap/link", "--quick", "--out", "out"];
    ran(dir.path(), "kept", &words);
    let out = dir.path().join("out");
    let there = names(&out);
    for name in
        ["chap", "film.txt", "index.html", "needs.toml", "other.txt", "sweep.experiment.toml", "sweep.html"]
    {
        assert!(there.contains(&name.to_string()), "{name}: {there:?}");
    }
    let index = fs::read_to_string(out.join("index.html")).expect("it is there");
    for id in ["sweep", "chap/link"] {
        assert!(
            index.contains(&format!("<a href=\"{id}.html\">{id}</a>"))
                && out.join(format!("{id}.html")).is_file()
        );
    }
    let page = fs::read_to_string(out.join("sweep.html")).expect("it is there");
    assert!(page.contains("airtab experiment run sweep.experiment.toml --quick"), "{page}");
    let moved = scratch("");
    let there = moved.path().join("moved");
    fs::rename(&out, &there).expect("renamed");
    fs::remove_dir_all(dir.path().join("films")).expect("removed");
    ran(&there, "fresh", &["experiment", "run", "sweep.experiment.toml", "--quick", "--out", "again"]);
    let points = |name: &str| -> Value {
        let json: Value = serde_json::from_slice(&fs::read(there.join(name)).expect(name)).expect("JSON");
        json["outcome"]["points"].clone()
    };
    assert_eq!(points("sweep.json"), points("again/sweep.json"));
    // A page of somebody else's stays.
    fs::write(there.join("index.html"), "mine").expect("written");
    let run =
        airtab(&there, "fresh", &["experiment", "run", "sweep.experiment.toml", "--quick", "--out", "."]);
    assert!(
        run.status.success() && text(&run.stderr).contains("index.html is not airtab's"),
        "{}",
        text(&run.stderr)
    );
    assert_eq!(fs::read_to_string(there.join("index.html")).expect("it is there"), "mine");
}

/// What nothing would read is refused, whichever command sets it; paths are the same in all of them.
#[test]
fn what_is_set_is_read() {
    let dir = house("home.toml", SCENARIO);
    fs::write(
        dir.path().join("sweep.toml"),
        SCENARIO
            .replace("../films/film.txt", "synthetic")
            .replace("requirements", "# ")
            .replace("requirement =", "# "),
    )
    .expect("written");
    for command in ["compare", "run", "sweep"] {
        let queues: &[&str] = if command == "run" {
            &["--queue", "chap:limit=70"]
        } else {
            &["--queues", "fifo,chap:limit=70"]
        };
        for (set, said) in [
            ("queue.red.limit=9", "nothing reads it: red is not among the disciplines ("),
            ("queue.chap.limit=9", "nothing reads it: chap:limit=70 says itself what limit is; set it there"),
            ("wfi.attempts=4", "a scenario has no table 'wfi'; did you mean `wifi`?"),
            ("wifi.atempts=4", "atempts: no such key; did you mean `attempts`?"),
            ("app.nobody.start=1s", "no [[app]] 'nobody'"),
            ("app.\"call.start=1s", "is no path such as wifi.attempts"),
        ] {
            let output =
                airtab(dir.path(), "kept", &[&[command, "sweep.toml", "--set", set], queues].concat());
            let errors = text(&output.stderr);
            assert!(!output.status.success() && errors.contains(said), "{command} {set}: {errors}");
            assert!(output.stdout.is_empty(), "{command} {set}: something ran");
        }
    }
    // A name with a blank goes in quotes, and the last value is the one of the file, so that both are one sweep.
    let blank = fs::read_to_string(dir.path().join("sweep.toml"))
        .expect("it is there")
        .replace("\"call\"", "\"our call\"");
    fs::write(dir.path().join("sweep.toml"), blank).expect("written");
    let rows = |more: &[&str]| {
        let common = ["sweep", "sweep.toml", "--queues", "fifo", "--seeds", "1", "--format", "csv"];
        ran(dir.path(), "kept", &[&common[..], &["--axis", "app.\"our call\".start=0s,10ms"], more].concat())
    };
    let plain = rows(&[]);
    let moved = rows(&["--set", "app.\"our call\".latency=9ms"]);
    assert!(plain.contains("app.\"\"our call\"\".start"), "{plain}");
    assert_ne!(plain, moved);
    assert_eq!(rows(&["--set", "app.'our call'.latency='9ms'"]), moved, "quotes of either sort");
}
