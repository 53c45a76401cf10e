// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab experiment` as a user has it: texts, exit codes, files, an interrupt.

use std::io::BufRead;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, kill_process};

use crate::common::interrupt_signal;

/// 18 runs of 6 s.
const SMALL: &str = include_str!("../../../airtab-lab/tests/it/game-beside-download.toml");

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory")
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.arg("experiment").args(args).current_dir(dir).stdin(Stdio::null());
    command.env("COLUMNS", "80").env("AIRTAB_CACHE", dir.join("kept"));
    command
}

fn airtab(dir: &Path, args: &[&str]) -> Output {
    command(dir, args).output().expect("airtab starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn list_and_show_know_every_experiment() {
    let dir = scratch();
    let list = airtab(dir.path(), &["list", "--json"]);
    let all: serde_json::Value = serde_json::from_slice(&list.stdout).expect("JSON");
    let ids: Vec<&str> = all.as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"chap/qsize-game") && ids.contains(&"chap/multi-none"), "{ids:?}");
    let table = airtab(dir.path(), &["list"]);
    assert!(ids.iter().all(|id| text(&table.stdout).contains(id)));
    for id in ids {
        let show = airtab(dir.path(), &["show", id]);
        assert!(text(&show.stdout).starts_with(&format!("{id}: ")), "{id}");
    }
    let toml = airtab(dir.path(), &["show", "chap/qsize-game", "--toml"]);
    assert!(text(&toml.stdout).starts_with("title = "));
    // A copy can be changed and used anywhere.
    std::fs::write(dir.path().join("copy.toml"), &toml.stdout).unwrap();
    let copy = airtab(dir.path(), &["show", "copy.toml"]);
    assert!(text(&copy.stdout).starts_with("copy: A game beside"), "{}", text(&copy.stderr));
    let unknown = airtab(dir.path(), &["show", "chap/qsize-gane"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("did you mean `chap/qsize-game`?"), "{}", text(&unknown.stderr));
}

#[test]
fn live_experiments_are_marked_and_run_as_such() {
    let dir = scratch();
    let table = airtab(dir.path(), &["list"]);
    let table = text(&table.stdout);
    let (_, below) = table.split_once("live/lnx-cpu").expect("in the list");
    assert!(below.lines().next().unwrap().contains("live: "), "{table}");
    let show = airtab(dir.path(), &["show", "live/lnx-clean"]);
    assert!(text(&show.stdout).contains("In real time, as root"), "{}", text(&show.stdout));
    // By the other command, too; which refuses what is simulated.
    let live = |id: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
        command.args(["live", "run", id]).current_dir(dir.path()).output().expect("airtab starts")
    };
    for (id, says) in
        [("chap/link", "airtab experiment run chap/link"), ("live/lnx-clear", "`live/lnx-clean`")]
    {
        let refused = live(id);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(says), "{}", text(&refused.stderr));
    }
}

#[test]
fn a_run_ends_in_verdicts_files_and_an_exit_code() {
    let dir = scratch();
    std::fs::write(dir.path().join("mine.toml"), SMALL).unwrap();
    let run = airtab(dir.path(), &["run", "mine.toml", "--seeds", "1", "--out", "results"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(text(&run.stdout).contains("reproduced"), "{}", text(&run.stdout));
    let html = std::fs::read_to_string(dir.path().join("results/mine.html")).unwrap();
    assert!(html.contains("game, chap by fifo"));
    // What there is, and nothing else, is said to be written.
    let wrote =
        "Wrote a page (.html), the data (.json), the figures (.svg, .csv) and the file (.experiment.toml) of";
    assert!(text(&run.stderr).contains(wrote), "{}", text(&run.stderr));
    let (head, tail) = SMALL.split_once("[[figure]]").unwrap();
    let bare = format!("{head}{}", &tail[tail.find("[[check]]").unwrap()..]);
    std::fs::write(dir.path().join("bare.toml"), bare).unwrap();
    let run = airtab(dir.path(), &["run", "bare.toml", "--seeds", "1", "--out", "bare"]);
    assert!(text(&run.stderr).contains("the data (.json) and the file (.experiment.toml) of"));
    let names = std::fs::read_dir(dir.path().join("bare")).unwrap().map(|e| e.unwrap().file_name());
    assert!(!names.into_iter().any(|name| name.to_string_lossy().ends_with(".svg")));
    let json = std::fs::read(dir.path().join("results/mine.json")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["id"], &json["checks"][1]["state"]), (&"mine".into(), &"holds".into()));
    assert_eq!(json["outcome"]["points"].as_array().unwrap().len(), 3);
    // Another bound runs nothing again, and is red.
    std::fs::write(dir.path().join("mine.toml"), SMALL.replace("least = 1.1", "most = 1.1")).unwrap();
    let red = airtab(dir.path(), &["run", "mine.toml", "--seeds", "1", "--json"]);
    assert_eq!(red.status.code(), Some(1));
    assert!(text(&red.stderr).contains("6 of 6 runs are known"), "{}", text(&red.stderr));
    let json: serde_json::Value = serde_json::from_slice(&red.stdout).unwrap();
    assert_eq!(json[0]["checks"][1]["state"], "red");
    // Known to be so, it is no failure.
    let known = SMALL.replace("least = 1.1", "most = 1.1\nknown = \"because\"");
    std::fs::write(dir.path().join("mine.toml"), known).unwrap();
    let known = airtab(dir.path(), &["run", "mine.toml", "--quick"]);
    assert_eq!(known.status.code(), Some(0));
    assert!(text(&known.stdout).contains("not reproduced, known") && text(&known.stdout).contains("because"));
}

/// An experiment without checks shows its figures, quick or not, and names a command that makes them again.
#[test]
fn figures_without_checks() {
    let dir = scratch();
    let (bare, _) = SMALL.split_once("[[check]]").unwrap();
    let path = dir.path().join("my own.toml");
    std::fs::write(&path, bare).unwrap();
    let run = airtab(dir.path(), &["run", "my own.toml", "--quick", "--seeds", "1", "--out", "results"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let shown = text(&run.stdout);
    assert!(
        shown.contains("nobody; 6 runs, 1 seed, a quick look") && shown.contains("discipline"),
        "{shown}"
    );
    for at in ["20", "40", "80"] {
        let rows = shown.lines().filter(|line| line.split_whitespace().next() == Some(at)).count();
        assert_eq!(rows, 2, "{at}: {shown}");
    }
    let html = std::fs::read_to_string(dir.path().join("results/my own.html")).unwrap();
    let command = html.split("<h2>To reproduce</h2>\n<pre").nth(1).unwrap().split("</pre>").next().unwrap();
    let command = command.split_once('>').unwrap().1;
    assert_eq!(command, "airtab experiment run 'my own.experiment.toml' --quick --seeds 1");
    // As a shell takes it, with what is kept gone.
    std::fs::remove_dir_all(dir.path().join("kept")).unwrap();
    let airtab = Path::new(env!("CARGO_BIN_EXE_airtab")).display().to_string();
    let mut again = Command::new("sh");
    again.arg("-c").arg(command.replacen("airtab", &airtab, 1)).current_dir(dir.path().join("results"));
    let again = again.env("COLUMNS", "80").env("AIRTAB_CACHE", dir.path().join("kept")).output().unwrap();
    assert_eq!(text(&again.stdout), shown, "{}", text(&again.stderr));
}

#[test]
fn names_that_are_none_are_met_with_one_that_is() {
    let dir = scratch();
    std::fs::write(dir.path().join("mine.toml"), SMALL).unwrap();
    for (names, expected) in [
        (
            &["qsize-game"][..],
            "no experiment 'qsize-game'; did you mean `chap/qsize-game`? airtab experiment list",
        ),
        (&["chap/qsize-gam"], "no experiment 'chap/qsize-gam'; did you mean `chap/qsize-game`? airtab"),
        (&["CHAP/QSIZE-GAME"], "did you mean `chap/qsize-game`?"),
        (
            &["none-at-all-of-these"],
            "no experiment 'none-at-all-of-these'; airtab experiment list has them all\n",
        ),
        (&["mine.toml", "mine.toml"], "error: mine.toml is named twice\n"),
        (&["stz", "stz/s3"], "error: stz/s3 is named twice\n"),
        (&["chap/work?d-*", "chap/worked-example"], "error: chap/worked-example is named twice\n"),
        (&["chap/none-*"], "error: no experiment fits 'chap/none-*'; airtab experiment list has them all\n"),
        // Real time is not for whoever writes a star.
        (&["*/lnx-*"], "error: no experiment fits '*/lnx-*'; "),
        (&["live/lnx-cpu", "live/lnx-c*"], "error: live/lnx-cpu is named twice\n"),
        (&["chap/[a"], "error: 'chap/[a' is no pattern such as 'chap/dapp-*': "),
    ] {
        let run = airtab(dir.path(), &[&["run"], names].concat());
        assert_eq!(run.status.code(), Some(2), "{names:?}");
        let said = text(&run.stderr);
        assert!(said.contains(expected) && said.lines().count() == 1, "{names:?}: {said}");
    }
}

/// What is one is not called several.
#[test]
fn one_run_is_one_run() {
    let dir = scratch();
    let (bare, _) = SMALL.split_once("[[check]]").unwrap();
    let one = bare.replace("[20, 40, 80]", "[20]").replace("[\"fifo\", \"chap\"]", "[\"fifo\"]");
    std::fs::write(dir.path().join("one.toml"), one).unwrap();
    let first = airtab(dir.path(), &["run", "one.toml", "--seeds", "1"]);
    assert!(text(&first.stderr).starts_with("1 run ...\n"), "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("nobody; 1 run, 1 seed\n"), "{}", text(&first.stdout));
    let again = airtab(dir.path(), &["run", "one.toml", "--seeds", "1"]);
    assert!(text(&again.stderr).starts_with("1 of 1 run is known from before.\n"), "{}", text(&again.stderr));
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let dir = scratch();
    std::fs::write(dir.path().join("mine.toml"), SMALL).unwrap();
    std::fs::write(dir.path().join("bad.toml"), SMALL.replace("[20, 40, 80]", "[20, 0, 80]")).unwrap();
    let run = airtab(dir.path(), &["run", "mine.toml", "bad.toml"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("bad, at q = 0: "), "{}", text(&run.stderr));
    assert!(run.stdout.is_empty());
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_done() {
    let dir = scratch();
    let long = SMALL.replace("\"6s\"", "\"200s\"").replace("\"5s\"", "\"199s\"");
    std::fs::write(dir.path().join("mine.toml"), long).unwrap();
    let mut command = command(dir.path(), &["run", "mine.toml", "--jobs", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // As soon as the first run is kept.
    let kept = || {
        let versions = std::fs::read_dir(dir.path().join("kept")).into_iter().flatten().flatten();
        versions.flat_map(|version| std::fs::read_dir(version.path()).unwrap()).count()
    };
    while kept() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), interrupt_signal()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("the same command goes on from here"), "{}", text(&output.stderr));
    assert!(kept() > 0);
}

/// The whole of `run mine.toml`, with its cache on a file system of these options.
fn run_with_cache_on(options: &str) -> Output {
    let dir = scratch();
    std::fs::write(dir.path().join("mine.toml"), SMALL).unwrap();
    std::fs::create_dir(dir.path().join("kept")).unwrap();
    let mounted = |run: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &format!("mount -t tmpfs -o {options} none kept && {run}")]);
        command.args([env!("CARGO_BIN_EXE_airtab"), "experiment", "run", "mine.toml"]);
        command.env("COLUMNS", "80").env("AIRTAB_CACHE", dir.path().join("kept"));
        command.current_dir(dir.path()).stdin(Stdio::null()).output().expect("unshare starts")
    };
    let tried = mounted("true");
    assert!(tried.status.success(), "nothing can be mounted, which needs root: {}", text(&tried.stderr));
    mounted("exec \"$0\" \"$@\"")
}

/// Results do not hang on the cache: it is full after some of the runs, or cannot be written at all.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs root: a file system that is mounted"]
fn needs_root_a_cache_that_is_full_or_cannot_be_written_is_a_warning() {
    for (options, why) in [("size=4k", "No space left on device"), ("ro", "Read-only file system")] {
        let run = run_with_cache_on(options);
        let errors = text(&run.stderr);
        assert_eq!(run.status.code(), Some(0), "{errors}");
        assert!(text(&run.stdout).contains("at least 1.1"), "{}", text(&run.stdout));
        assert_eq!(errors.matches("warning: finished runs cannot be kept in ").count(), 1, "{errors}");
        assert!(errors.contains(why) && errors.contains("AIRTAB_CACHE"), "{errors}");
    }
}

/// What lies beside the results is the experiment, base and all: it comes to the same runs.
#[test]
fn results_hold_the_experiment_itself() {
    let dir = scratch();
    let (head, scenario) = SMALL.split_once("[scenario]\n").expect("it has one");
    let (scenario, rest) = scenario.split_once("\n[[axis]]").expect("and then axes");
    std::fs::write(dir.path().join("base.toml"), scenario.replace("scenario.", "")).unwrap();
    let own = format!("base = \"base.toml\"\n{head}\n[[axis]]{rest}");
    std::fs::write(dir.path().join("mine.toml"), &own).unwrap();
    let run = airtab(dir.path(), &["run", "mine.toml", "--quick", "--out", "."]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert_eq!(std::fs::read_to_string(dir.path().join("mine.toml")).unwrap(), own);
    std::fs::remove_file(dir.path().join("base.toml")).unwrap();
    let again = airtab(dir.path(), &["run", "mine.experiment.toml", "--quick"]);
    assert_eq!(text(&again.stdout).replace("mine.experiment", "mine"), text(&run.stdout));
    assert!(text(&again.stderr).contains("8 of 8 runs are known from before"), "{}", text(&again.stderr));
}

/// A directory like the root of a checkout, without results.
fn checkout() -> tempfile::TempDir {
    let dir = scratch();
    std::fs::create_dir_all(dir.path().join("experiments/results")).unwrap();
    dir
}

fn record(dir: &Path, id: &str) -> std::path::PathBuf {
    dir.join(format!("experiments/results/{id}.json"))
}

#[test]
fn full_runs_in_a_checkout_are_stored() {
    let dir = checkout();
    let path = record(dir.path(), "chap/constants");
    std::fs::write(dir.path().join("mine.toml"), SMALL).unwrap();
    for args in [&["run", "chap/constants", "--quick"][..], &["run", "chap/constants", "--seeds", "1"]] {
        assert_eq!(airtab(dir.path(), args).status.code(), Some(0));
        assert!(!path.exists(), "{args:?}");
    }
    let today = || {
        let date = Command::new("date").args(["-u", "+%F"]).output().expect("date starts");
        text(&date.stdout).trim().to_string()
    };
    let before = today();
    let run = airtab(dir.path(), &["run", "chap/constants", "mine.toml"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let days = [before, today()];
    let stored: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(stored["id"], "chap/constants");
    assert!(days.iter().any(|day| stored["date"] == **day), "{days:?} {}", stored["date"]);
    assert_eq!(stored["commit"], env!("AIRTAB_GIT"));
    assert_eq!((&stored["runs"], stored["date"].as_str().unwrap().len()), (&stored["seeds"], 10));
    let check = &stored["checks"][0];
    assert_eq!((&check["reported"], &check["state"]), (&"22.22".into(), &"holds".into()), "{stored}");
    assert_eq!(check["values"].as_array().unwrap().len(), 1);
    let files = std::fs::read_dir(dir.path().join("experiments/results")).unwrap().count();
    assert_eq!(files, 1, "mine.toml is not of the repository");
    // Where it cannot be stored the verdicts are there, and a warning.
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path.parent().unwrap(), "").unwrap();
    let run = airtab(dir.path(), &["run", "chap/constants"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert_eq!(text(&run.stdout).matches("  reproduced\n").count(), 9, "{}", text(&run.stdout));
    assert!(text(&run.stderr).contains("warning: the result is not stored: "), "{}", text(&run.stderr));
    // Elsewhere, no file is written.
    let dir = scratch();
    assert_eq!(airtab(dir.path(), &["run", "chap/constants"]).status.code(), Some(0));
    assert!(!dir.path().join("experiments").exists());
}

#[test]
fn stale_runs_what_is_stale_and_nothing_else() {
    let dir = scratch();
    let refused = airtab(dir.path(), &["run", "--stale"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--stale: no directory experiments/results here"));
    let dir = checkout();
    std::fs::write(dir.path().join("mine.toml"), SMALL).unwrap();
    for (name, says) in [
        ("mine.toml", "--stale: mine.toml is not an experiment of the repository: leave --stale out"),
        ("live/lnx-clean", "--stale: in real time no result is repeated by itself: leave --stale out"),
    ] {
        let refused = airtab(dir.path(), &["run", "--stale", name]);
        assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(2), ""));
        assert!(text(&refused.stderr).contains(says), "{}", text(&refused.stderr));
    }
    let stale =
        || airtab(dir.path(), &["run", "--stale", "chap/constants", "chap/model-waits", "live/lnx-clean"]);
    let standing = |id: &str| {
        let list = airtab(dir.path(), &["list", "--json"]);
        let all: serde_json::Value = serde_json::from_slice(&list.stdout).expect("JSON");
        let one = all.as_array().unwrap().iter().find(|e| e["id"] == id).unwrap();
        one["result"].as_str().unwrap().to_string()
    };
    assert_eq!(standing("chap/constants"), "none");
    let first = stale();
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert!(text(&first.stderr).starts_with("2 experiments to run.\n"), "{}", text(&first.stderr));
    assert!(text(&first.stderr).contains("\nchap/constants: 9 of 9 reproduced"), "{}", text(&first.stderr));
    let sums = text(&first.stdout);
    assert!(sums.starts_with("2 experiments: ") && sums.lines().count() == 1, "no table of each: {sums}");
    assert!(text(&stale().stderr).contains("No simulated result is stale."));
    let none = airtab(dir.path(), &["run", "--stale", "chap/constants", "--json"]);
    assert_eq!((none.status.code(), text(&none.stdout)), (Some(0), "[]\n"));
    // Of another experiment, and of another simulator.
    for key in ["experiment", "sources"] {
        let path = record(dir.path(), "chap/model-waits");
        let constants = record(dir.path(), "chap/constants");
        let before = std::fs::metadata(&constants).unwrap().modified().unwrap();
        let mut stored: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let whole = stored.clone();
        stored[key] = "0123456789abcdef".into();
        std::fs::write(&path, stored.to_string()).unwrap();
        assert_eq!((&*standing("chap/model-waits"), &*standing("chap/constants")), ("stale", "current"));
        let again = stale();
        assert!(text(&again.stderr).starts_with("1 experiment to run.\n"), "{}", text(&again.stderr));
        assert_eq!(
            serde_json::from_slice::<serde_json::Value>(&std::fs::read(&path).unwrap()).unwrap(),
            whole
        );
        assert_eq!(std::fs::metadata(&constants).unwrap().modified().unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_of_stale_results_keeps_those_that_ended() {
    let dir = checkout();
    let mut command = command(dir.path(), &["run", "--stale", "chap/constants", "chap/fair", "--jobs", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !record(dir.path(), "chap/constants").exists() {
        assert!(std::time::Instant::now() < end, "it has no result");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // A run of the other is kept.
    let kept = || {
        let packs = glob::glob(dir.path().join("kept/**/*.pack").to_str().unwrap()).unwrap();
        packs.map_while(Result::ok).any(|pack| pack.metadata().is_ok_and(|m| m.len() > 1000))
    };
    while !kept() {
        assert!(std::time::Instant::now() < end, "no run is kept");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), interrupt_signal()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("the same command goes on from here"), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains(" left"), "a time estimate: {}", text(&output.stderr));
    let table = airtab(dir.path(), &["list"]);
    let row = |id: &str| text(&table.stdout).lines().find(|line| line.starts_with(id)).unwrap().to_string();
    assert!(row("chap/constants").ends_with("current"), "{}", row("chap/constants"));
    assert!(row("chap/fair").ends_with("none"), "{}", row("chap/fair"));
    // The same command continues: what was run of the other is known.
    let mut again = self::command(dir.path(), &["run", "--stale", "chap/constants", "chap/fair"]);
    let mut child = again.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert_eq!(lines.next().as_deref(), Some("1 experiment to run."));
    let known = lines.next().expect("another line");
    assert!(known.ends_with(" runs are known from before."), "{known}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_scoreboard_follows_from_the_results() {
    let dir = checkout();
    assert_eq!(airtab(dir.path(), &["run", "chap/constants"]).status.code(), Some(0));
    let check = || airtab(dir.path(), &["scoreboard", "--check"]);
    let readme = dir.path().join("experiments/README.md");
    let missing = check();
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("experiments/README.md: differs from the results\n"));
    assert!(!readme.exists(), "a check writes no page");
    let pages = text(&missing.stderr).matches("differs from the results").count();
    assert!(text(&missing.stderr).ends_with("`airtab experiment scoreboard` generates the pages\n"));
    let there = airtab(dir.path(), &["scoreboard", "--check", "--dir", "./experiments"]);
    assert!(
        text(&there.stderr)
            .ends_with("`airtab experiment scoreboard --dir ./experiments` generates the pages\n")
    );
    let wrote = airtab(dir.path(), &["scoreboard"]);
    assert_eq!(wrote.status.code(), Some(0));
    assert_eq!(text(&wrote.stderr), format!("Wrote {pages} of {pages} pages.\n"));
    assert_eq!(check().status.code(), Some(0), "{}", text(&check().stderr));
    let page = std::fs::read_to_string(&readme).unwrap();
    assert!(page.contains("| [chap](results/chap.md) | Lee 2010 | "), "{page}");
    std::fs::write(&readme, page.replace("Lee 2010", "Lee 2011")).unwrap();
    let other = check();
    assert_eq!((other.status.code(), text(&other.stderr).matches("differs").count()), (Some(1), 1));
    let wrote = airtab(dir.path(), &["scoreboard"]);
    assert_eq!(wrote.status.code(), Some(0));
    assert_eq!(text(&wrote.stderr), format!("Wrote 1 of {pages} pages.\n"));
    assert_eq!(std::fs::read_to_string(&readme).unwrap(), page, "the same bytes");
    // Each file that is not a result is named, with what to do.
    let path = record(dir.path(), "chap/constants");
    let good = std::fs::read_to_string(&path).unwrap();
    for (name, content, says) in [
        (
            "chap/constants",
            good.replace("\"seeds\"", "\"sedes\""),
            "constants.json: not a result of an experiment: unknown field `sedes`",
        ),
        (
            "chap/constants",
            good.replace("chap/constants", "chap/link"),
            "constants.json: has the result of chap/link: rename it to",
        ),
        (
            "chap/constant",
            good.replace("chap/constants", "chap/constant"),
            "constant.json: no experiment 'chap/constant': remove the file",
        ),
        (
            "chap/constants",
            good.replace("\"schema\": 1", "\"schema\": 2"),
            "constants.json: version 2 of the format, known is 1: use the airtab that wrote it",
        ),
        (
            "chap/constants",
            good.replace("\"22.22\"", "\"22.23\""),
            "constants.json: its checks are not those of the experiment: restore it",
        ),
    ] {
        assert_ne!(content, good, "{says}");
        std::fs::write(record(dir.path(), name), content).unwrap();
        let wrong = check();
        assert_eq!(wrong.status.code(), Some(1));
        assert!(text(&wrong.stderr).contains(says), "{}", text(&wrong.stderr));
        // The list and other experiments work nevertheless.
        let list = airtab(dir.path(), &["list"]);
        assert_eq!(list.status.code(), Some(0));
        assert!(
            text(&list.stderr).contains("warning: no results are shown: experiments/results"),
            "{}",
            text(&list.stderr)
        );
        let run = airtab(dir.path(), &["run", "chap/model-waits"]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        _ = std::fs::remove_file(record(dir.path(), name));
        std::fs::write(&path, &good).unwrap();
    }
    // A program that was built with other experiments refuses, and so does any outside of a checkout.
    let other = dir.path().join("experiments/chap/link.toml");
    std::fs::create_dir_all(other.parent().unwrap()).unwrap();
    std::fs::write(&other, "title = \"another\"\n").unwrap();
    for args in [&["scoreboard"][..], &["scoreboard", "--check"], &["run", "--stale"]] {
        let refused = airtab(dir.path(), args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        let says = "experiments/chap/link.toml is not as airtab was built with: build it again (make build)";
        assert!(text(&refused.stderr).contains(says), "{}", text(&refused.stderr));
    }
    // A result of its own is not stored there, whatever else it is.
    let before = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "another").unwrap();
    let run = airtab(dir.path(), &["run", "chap/constants"]);
    let says =
        "warning: the result is not stored: experiments/chap/link.toml is not as airtab was built with";
    assert!(run.status.code() == Some(0) && text(&run.stderr).contains(says), "{}", text(&run.stderr));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "another");
    std::fs::write(&path, before).unwrap();
    let dir = scratch();
    for args in [&["scoreboard"][..], &["scoreboard", "--check", "--dir", "nowhere"]] {
        let refused = airtab(dir.path(), args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        assert!(
            text(&refused.stderr).contains("/results here: run it in the root of a checkout"),
            "{}",
            text(&refused.stderr)
        );
    }
    assert_eq!(
        std::fs::read_dir(dir.path())
            .unwrap()
            .filter(|e| e.as_ref().unwrap().file_name() == "nowhere")
            .count(),
        0
    );
}

/// One failed experiment of several sets exit code 1, and one with figures prints the sentence on figures, at any position.
/// Output is in the order of the arguments.
#[test]
fn the_first_of_several_experiments_counts_as_the_last() {
    let dir = scratch();
    let short = SMALL.replace("\"6s\"", "\"400ms\"").replace("[\"1s\", \"5s\"]", "[\"100ms\", \"400ms\"]");
    let (head, tail) = short.split_once("[[figure]]").unwrap();
    let checks = &tail[tail.find("[[check]]").unwrap()..];
    let (first, _) = checks[9..]
        .split_once("[[check]]")
        .map(|(first, _)| (format!("{head}[[check]]{first}"), ()))
        .unwrap();
    // Scores are below 5 for certain, and above 1.
    let bound = |bound: &str| {
        first.replace("order = \"falls\"", bound).replace("at = { q = [20, 80] }", "at = { q = 20 }")
    };
    std::fs::write(dir.path().join("red.toml"), bound("least = 7")).unwrap();
    std::fs::write(dir.path().join("good.toml"), bound("most = 7")).unwrap();
    let drawn = format!("{head}[[figure]]{}", tail.split("[[check]]").next().unwrap());
    std::fs::write(dir.path().join("drawn.toml"), drawn).unwrap();
    let run = |names: &[&str], more: &[&str]| {
        let run = airtab(dir.path(), &[&["run"], names, &["--seeds", "1"], more].concat());
        (run.status.code(), text(&run.stdout).to_string(), text(&run.stderr).to_string())
    };
    for (names, code, sums) in [
        (["red.toml", "good.toml"], 1, "2 experiments: 1 of 2 "),
        (["good.toml", "red.toml"], 1, "2 experiments: 1 of 2 "),
        (["good.toml", "drawn.toml"], 0, "2 experiments: 1 of 1 "),
    ] {
        let (found, shown, said) = run(&names, &[]);
        assert_eq!(found, Some(code), "{names:?}: {said}");
        assert!(shown.lines().last().is_some_and(|line| line.starts_with(sums)), "{names:?}: {shown}");
        let places =
            names.map(|name| shown.find(&format!("{}: ", &name[..name.len() - 5])).expect("its title"));
        assert!(places[0] < places[1], "{shown}");
        // Runs of both are counted: each has six.
        if names == ["red.toml", "good.toml"] {
            assert!(said.starts_with("12 runs ...\n"), "{said}");
        } else {
            assert!(said.starts_with("12 of 12 runs are known from before.\n"), "{said}");
        }
    }
    let (_, json, _) = run(&["red.toml", "good.toml"], &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let states = [0, 1].map(|i| json[i]["checks"][0]["state"].as_str().unwrap().to_string());
    assert_eq!(
        (json[0]["id"].as_str(), states.as_slice()),
        (Some("red"), &["red".into(), "holds".into()][..])
    );
    let (_, alone, _) = run(&["good.toml"], &[]);
    assert!(!alone.contains("1 experiment"), "{alone}");
    for (i, (names, figures)) in [
        (["drawn.toml", "good.toml"], true),
        (["good.toml", "drawn.toml"], true),
        (["good.toml", "red.toml"], false),
    ]
    .into_iter()
    .enumerate()
    {
        let (_, _, said) = run(&names, &["--out", &format!("out{i}")]);
        assert_eq!(said.contains("the figures (.svg, .csv)"), figures, "{names:?}: {said}");
        assert!(said.contains(&format!("of each into out{i}: open out{i}/index.html.")), "{said}");
    }
}

/// All and all that are stale are those that are simulated; a file may have the signs of a pattern in its name.
#[test]
fn names_and_switches_choose_experiments() {
    let dir = scratch();
    let list = airtab(dir.path(), &["list", "--json"]);
    let all: serde_json::Value = serde_json::from_slice(&list.stdout).expect("JSON");
    let ids: Vec<&str> = all.as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
    let simulated = ids.iter().filter(|id| !id.starts_with("live/")).count();
    assert!(simulated < ids.len());
    for switch in ["--all", "--stale"] {
        let run = airtab(dir.path(), &["run", switch, "--format", "csv"]);
        assert_eq!(run.status.code(), Some(2));
        let said = format!("error: --format csv: {simulated} experiments have columns of their own each");
        assert!(text(&run.stderr).starts_with(&said), "{switch}: {}", text(&run.stderr));
    }
    let family = airtab(dir.path(), &["run", "stz", "chap/link", "--format", "csv"]);
    let n = ids.iter().filter(|id| id.starts_with("stz/")).count() + 1;
    assert!(
        text(&family.stderr).contains(&format!(": {n} experiments have columns")),
        "{}",
        text(&family.stderr)
    );
    let shown = airtab(dir.path(), &["show", "chap/link", "--json"]);
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(shown["id"], "chap/link");
    std::fs::write(dir.path().join("own[1].toml"), SMALL).unwrap();
    let run = airtab(dir.path(), &["run", "own[1].toml", "own[1].toml"]);
    assert_eq!(text(&run.stderr), "error: own[1].toml is named twice\n");
    // Whether results can be written is found out before anything runs.
    let run = airtab(dir.path(), &["run", "own[1].toml", "--out", "own[1].toml/results"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).starts_with("error: cannot make the directory "), "{}", text(&run.stderr));
    assert!(run.stdout.is_empty() && !dir.path().join("kept").exists());
}
