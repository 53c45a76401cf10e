// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Ignored signals, names of files that are not UTF-8, and foreign text that is written to a terminal.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{command, text};

/// A fresh directory of the test.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory")
}

/// `airtab` with words of any bytes.
fn airtab(dir: &Path, words: &[&OsStr]) -> Output {
    command(dir, "cache", &[]).args(words).output().expect("airtab starts")
}

/// A long study that has begun, in a process that ignores a signal.
fn study_ignoring(dir: &Path, ignored: &str) -> Child {
    let script = format!("trap '' {ignored}; exec \"$0\" \"$@\"");
    let mut study = Command::new("sh");
    study.args(["-c", &script, env!("CARGO_BIN_EXE_airtab")]);
    study.args(["compare", "--short", "--seeds", "2000", "--jobs", "1", "--no-cache"]);
    study.current_dir(dir).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = study.spawn().expect("sh");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("piped")).read_line(&mut line).expect("it says what it does");
    assert_eq!(line, "10000 runs ...\n");
    child
}

fn ended(child: &mut Child, most: Duration) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < most {
        if let Some(status) = child.try_wait().expect("ours") {
            return status.code();
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

/// `nohup` ignores SIGHUP, a shell without job control SIGINT: what was ignored at the start does nothing. Each of the others
/// ends the study in good order.
#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let dir = scratch();
    for (ignored, signal) in [("HUP", Signal::HUP), ("INT", Signal::INT), ("TERM", Signal::TERM)] {
        let mut study = study_ignoring(dir.path(), ignored);
        let pid = Pid::from_child(&study);
        kill_process(pid, signal).expect("it runs");
        let code = ended(&mut study, Duration::from_millis(700));
        assert_eq!(code, None, "SIG{ignored} was ignored");
        let other = if ignored == "TERM" { Signal::HUP } else { Signal::TERM };
        kill_process(pid, other).expect("it runs");
        assert_eq!(ended(&mut study, Duration::from_secs(30)), Some(130), "{other:?}");
    }
}

/// A name in Latin-1: no UTF-8.
fn latin(name: &str) -> PathBuf {
    let bytes: Vec<u8> = name.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
    Path::new(OsStr::from_bytes(&bytes)).into()
}

fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("readable").file_name().into())
        .collect();
    names.sort();
    names
}

fn words<'a>(words: &'a [&'a str], path: &'a Path) -> Vec<&'a OsStr> {
    words.iter().map(|word| if *word == "@" { path.as_os_str() } else { OsStr::new(word) }).collect()
}

#[test]
fn files_have_the_names_that_were_asked_for() {
    let dir = scratch();
    let run = |asked: &[&str], name: &str| {
        let folder = tempfile::tempdir_in(dir.path()).expect("a folder");
        let output = airtab(dir.path(), &words(asked, &folder.path().join(latin(name))));
        assert_eq!(output.status.code(), Some(0), "{asked:?}: {}", text(&output.stderr));
        names(folder.path())
    };
    let figure = ["model", "chap", "credits", "--rates", "2:3:5", "--out", "@"];
    assert_eq!(run(&figure, "été.svg"), ["été.csv", "été.svg"].map(latin));
    assert_eq!(run(&figure, "été"), ["été"].map(latin));
    let flent = ["run", "two-speeds", "--short", "--why", "none", "--flent", "@"];
    assert_eq!(run(&flent, "été.flent.gz"), ["été.flent.gz"].map(latin));
    let flent = ["compare", "--short", "--seeds", "1", "--queues", "fifo,chap", "--flent", "@"];
    assert_eq!(run(&flent, "é.flent.gz"), ["é-chap.flent.gz", "é-fifo.flent.gz"].map(latin));
}

/// A scenario in a directory whose name is not UTF-8 names a video trace next to it.
#[test]
fn a_file_beside_a_scenario_is_found() {
    let dir = scratch();
    let folder = dir.path().join(latin("maison à côté"));
    fs::create_dir(&folder).expect("made");
    let scenario = "duration = \"3s\"\n[[station]]\nname = \"tv\"\n[[app]]\nname = \"film\"\nkind = \"video\"\n\
                    station = \"tv\"\ntrace = \"film.txt\"\n";
    let file = folder.join(latin("été.toml"));
    fs::write(&file, scenario).expect("written");
    let frame = |i: u32| if i % 15 == 1 { format!("{i} I 9000\n") } else { format!("{i} P 1500\n") };
    let frames: String = (1..=300).map(frame).collect();
    fs::write(folder.join("film.txt"), &frames).expect("written");
    let out = folder.join(latin("résultats"));
    for asked in [
        &["scenario", "check", "@"][..],
        &["run", "@"],
        &["run", "@", "--set", "duration=2s"],
        &["compare", "@", "--seeds", "1", "--queues", "fifo", "--out", "OUT"],
        &["sweep", "@", "--axis", "queue.fifo.limit=35,70", "--queues", "fifo", "--seeds", "1"],
    ] {
        let mut all = words(asked, &file);
        all.iter_mut().filter(|word| **word == "OUT").for_each(|word| *word = out.as_os_str());
        let output = airtab(dir.path(), &all);
        assert_eq!(output.status.code(), Some(0), "{asked:?}: {}", text(&output.stderr));
    }
    let copy = fs::read(out.join("film.txt")).expect("copied beside the results");
    assert_eq!(copy, frames.as_bytes());
    // And without the file the message says which one is missing.
    fs::remove_file(folder.join("film.txt")).expect("removed");
    let output = airtab(dir.path(), &words(&["run", "@"], &file));
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("film.txt: no such file"), "{said}");
}

/// Colours, a title, a cleared screen, and text from right to left.
const FOREIGN: &str = "\u{1b}[31m\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}gnp\r";

/// Neither names of files nor their lines reach a terminal as they are, in messages, tables and JSON.
#[test]
fn foreign_text_drives_no_terminal() {
    let dir = scratch();
    let file = |name: &str, content: &str| {
        fs::write(dir.path().join(name), content).expect("written");
    };
    let named = |ending: &str| format!("a{FOREIGN}{ending}");
    file(&named(".toml"), &format!("duration = \"3s\" # {FOREIGN}\nx{FOREIGN} = 3\n"));
    file("key.toml", &format!("duration = \"3s\"\n\"k{}\" = \"{}\"\n", "\u{202e}", "\u{2066}"));
    file(&named(".txt"), &format!("1.5\n{FOREIGN}\n"));
    file("times.txt", &format!("# arrivals\n1.5\n1.6{FOREIGN}\n"));
    let (toml, txt) = (named(".toml"), named(".txt"));
    let (gone, option) = (named(".gone.toml"), format!("--{FOREIGN}"));
    for (words, code) in [
        (&["scenario", "check", &toml, "key.toml"][..], 1),
        (&["run", &toml], 1),
        (&["run", &gone], 1),
        (&["compare", "key.toml"], 1),
        (&["compare", "--queues", FOREIGN], 2),
        (&["compare", &option], 2),
        (&["run", "home", "--set", FOREIGN], 2),
        (&["fingerprint", &txt, "--phy", "std-11g"], 1),
        (&["fingerprint", "times.txt", "--phy", "std-11g"], 1),
        (&["classes", &txt], 1),
        (&["disciplines", FOREIGN], 2),
    ] {
        let output = command(dir.path(), "cache", words).output().expect("airtab starts");
        let all =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {all}");
        let harmful = |c: &char| (c.is_control() && !"\n\t".contains(*c)) || "\u{202e}\u{2066}".contains(*c);
        assert_eq!(all.chars().find(harmful), None, "{words:?}: {all:?}");
        assert!(all.contains("\\u202e"), "{words:?}: it is shown all the same: {all}");
    }
}
