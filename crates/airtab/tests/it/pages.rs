// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab completions` and `airtab man`: every command is in them, and shells and troff take them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn airtab(args: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_airtab")).args(args).output().expect("airtab starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The commands that the help of one names, but for `help`.
fn parts(of: &[&str]) -> Vec<String> {
    let output = airtab(&[of, &["--help"]].concat());
    let help = text(&output.stdout);
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let list = list.lines().take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    let names = names.filter_map(|rest| rest.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_string).collect()
}

/// Every command, as its page is named.
fn commands(of: &[&str], found: &mut BTreeSet<String>) {
    found.insert([&["airtab"], of].concat().join("-"));
    for part in parts(of) {
        commands(&[of, &[part.as_str()]].concat(), found);
    }
}

#[test]
fn every_command_has_a_page_that_troff_takes() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    airtab(&["man", "--out", dir.path().to_str().expect("UTF-8")]);
    let pages = std::fs::read_dir(dir.path()).expect("it is there").map(|e| e.expect("readable").path());
    let pages: Vec<_> = pages.collect();
    let names: BTreeSet<String> = pages
        .iter()
        .map(|path| path.file_name().and_then(|name| name.to_str()).expect("UTF-8").to_string())
        .collect();
    let mut expected = BTreeSet::new();
    commands(&[], &mut expected);
    assert!(expected.contains("airtab-experiment-run") && expected.len() > 50, "{expected:?}");
    assert_eq!(names, expected.iter().map(|name| format!("{name}.1")).collect());

    let compare = std::fs::read_to_string(dir.path().join("airtab-compare.1")).expect("it is there");
    for word in [".TH AIRTAB-COMPARE 1", "\\-\\-queues", "airtab compare \\-\\-short"] {
        assert!(compare.contains(word), "no {word} in\n{compare}");
    }
    for path in &pages {
        rendered(path);
    }
}

/// Troff says nothing against it and writes its name. Where there is none, nothing is looked at.
fn rendered(page: &Path) {
    let groff = Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(page).stdin(Stdio::null()).output();
    let Ok(groff) = groff else { return println!("no groff: {} is not rendered", page.display()) };
    let said = String::from_utf8_lossy(&groff.stderr);
    assert!(groff.status.success() && said.is_empty(), "{}: {said}", page.display());
    let name = page.file_stem().and_then(|name| name.to_str()).expect("UTF-8");
    let shown = text(&groff.stdout);
    assert!(shown.contains(name), "{name}");
    // Examples are in the lines that they were written in, also where these are longer than the page is wide.
    if name == "airtab-sweep" {
        let example = "airtab sweep my-sweep.toml --merge packs --out results  once their packs are in one folder, or --merge a b c ...";
        assert!(shown.lines().any(|line| line.trim() == example), "{shown}");
    }
}

#[test]
fn shells_take_their_completions() {
    for (shell, check) in [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")] {
        let completions = airtab(&["completions", shell]).stdout;
        for word in ["experiment", "scoreboard", "equal-access"] {
            assert!(text(&completions).contains(word), "{shell}: no {word}");
        }
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("completions.{shell}"));
        std::fs::write(&path, &completions).expect("it can be written");
        match Command::new(check).arg("-n").arg(&path).output() {
            Ok(told) => assert!(told.status.success(), "{shell}: {}", text(&told.stderr)),
            Err(_) => println!("no {shell}: its completions are not looked at"),
        }
    }
    // What bash would offer behind the beginning of a word.
    let script = format!(
        "source {}/completions.bash; COMP_WORDS=(airtab comp); COMP_CWORD=1; _airtab airtab comp airtab; echo ${{COMPREPLY[@]}}",
        env!("CARGO_TARGET_TMPDIR")
    );
    let offered = Command::new("bash").args(["-c", &script]).output().expect("bash starts");
    assert_eq!(text(&offered.stdout), "compare completions\n", "{}", text(&offered.stderr));
}
