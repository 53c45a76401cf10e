// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Commands of README.md and docs/tutorial.md, each as it is printed. A shell runs those of `airtab` in a directory
//! with a clone's files; for the others, the place that runs them is checked.
//!
//! Source: lines of code blocks without a language, and code spans that begin with a program. A span of two words names a
//! command: its help is run.
//!
//! Limits: figures that a page quotes are not compared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::text;

const PAGES: [&str; 2] = ["README.md", "docs/tutorial.md"];

/// Commands that need root, a network, a build or an end from outside: the file that runs each, and its text there.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    // Its command is printed beside it.
    ("make demo", "Makefile", "@$(AIRTAB) compare scenarios/homes/family-evening.toml --seeds 10\n"),
    ("make test", ".ci/run", " make test-all "),
    ("make live", ".ci/run", "'20m make live'"),
    ("sudo make live", ".ci/run", "'20m make live'"),
    ("pip install .", "tools/test-python", "/pip\" --python "),
    ("target/release/airtab serve --open", "crates/airtab/tests/it/serve.rs", "command.arg(\"serve\")"),
    (
        "sudo apt install build-essential linux-headers-$(uname -r)",
        "kernel/deb/test",
        ",linux-headers-amd64,",
    ),
    ("sudo insmod kernel/build/$(uname -r)/sch_airtab.ko", GUEST, "insmod /ko/sch_airtab.ko"),
    // A guest has one user, root, and the plugin in its own place.
    ("sudo -s", "kernel/test/guest/init", "export PATH=/bin HOME=/ "),
    ("export TC_LIB_DIR=$PWD/kernel/build/tc", "kernel/test/guest/init", " TC_LIB_DIR=/tc"),
];
/// The test of the tutorial in a guest: `tc` and what stands beside it, line by line.
const GUEST: &str = "kernel/test/tests/tutorial.sh";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// A command of a page.
struct Printed {
    line: String,
    /// Output that the page prints below it; empty if it prints none.
    output: String,
    /// True for a span of two words, such as the name of a command.
    name: bool,
}

fn printed(line: &str, span: bool) -> Printed {
    Printed { line: line.into(), output: String::new(), name: span && line.split(' ').count() == 2 }
}

/// A line of a code block without its comment; None: it is only a comment.
fn without_comment(line: &str) -> Option<&str> {
    let end = if line.starts_with('#') { 0 } else { line.find(" #").unwrap_or(line.len()) };
    Some(line[..end].trim()).filter(|line| !line.is_empty())
}

/// Commands of a page in their order.
fn commands(page: &str) -> Vec<Printed> {
    let mut all: Vec<Printed> = Vec::new();
    // Language of the fenced block that is open.
    let mut fence: Option<&str> = None;
    let mut answered = false;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
            answered = false;
            continue;
        }
        let code = match fence {
            Some("") => Some(line),
            Some(_) => continue,
            None => line.strip_prefix("    "),
        };
        match code {
            Some(code) if code.starts_with("$ ") => {
                all.push(printed(&code[2..], false));
                answered = true;
            }
            Some(code) if answered => {
                let last = all.last_mut().expect("a command is above");
                last.output += &format!("{code}\n");
            }
            Some(code) => all.extend(without_comment(code).map(|line| printed(line, false))),
            None => {
                answered = false;
                let spans = line.split('`').skip(1).step_by(2);
                all.extend(spans.filter(|span| is_command(span)).map(|line| printed(line, true)));
            }
        }
    }
    all
}

/// True for a span of a program and what it is given, and for a bare `make`.
fn is_command(span: &str) -> bool {
    const PROGRAMS: [&str; 7] = ["airtab", "target/release/airtab", "make", "sudo", "tc", "pip", "export"];
    span == "make" || span.split_once(' ').is_some_and(|(program, _)| PROGRAMS.contains(&program))
}

/// A directory like a clone in which `make build` has run.
fn clone() -> tempfile::TempDir {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let release = dir.path().join("target/release");
    std::fs::create_dir_all(&release).expect("made");
    let links = [
        (PathBuf::from(env!("CARGO_BIN_EXE_airtab")), release.join("airtab")),
        (root().join("scenarios"), dir.path().join("scenarios")),
    ];
    for (there, link) in links {
        std::os::unix::fs::symlink(std::fs::canonicalize(there).expect("it is there"), link).expect("made");
    }
    dir
}

fn shell(dir: &Path, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-e", "-c", line]).current_dir(dir).stdin(Stdio::null());
    command.env("AIRTAB_CACHE", dir.join("cache")).env("COLUMNS", "100").env_remove("NO_COLOR");
    command.output().expect("a shell starts")
}

/// Runs the commands of `airtab` on a page, in their order.
fn run(page: &str, dir: &Path) -> usize {
    let release = dir.join("target/release");
    let mut ran = 0;
    for Printed { line, output, name } in commands(&read(page)) {
        let words: Vec<&str> = line.split(' ').collect();
        let ours = ["airtab", "target/release/airtab"].contains(&words[0]);
        if !ours || ELSEWHERE.iter().any(|(other, ..)| *other == line) {
            continue;
        }
        // The page says how `airtab` is found, or means an installed one.
        let path = format!("PATH={}:$PATH", release.display());
        let help = if name { " --help" } else { "" };
        let result = shell(dir, &format!("export {path}; {line}{help}"));
        assert!(result.status.success(), "{page}: {line}: {}", text(&result.stderr));
        if !output.is_empty() {
            assert_eq!(text(&result.stdout), output, "{page}: {line}");
        }
        ran += 1;
    }
    ran
}

#[test]
fn commands_of_readme_run_as_printed() {
    let dir = clone();
    assert!(run("README.md", dir.path()) >= 9);
    for file in ["results/index.html", "home.toml"] {
        assert!(dir.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn commands_of_the_tutorial_run_as_printed() {
    let dir = clone();
    let page = read("docs/tutorial.md");
    let scenario = page.split_once("```toml\n").and_then(|(_, behind)| behind.split_once("```"));
    std::fs::write(dir.path().join("evening.toml"), scenario.expect("a scenario").0).expect("written");
    assert!(run("docs/tutorial.md", dir.path()) >= 9);
    for file in ["results/index.html", "results/figure-scores.svg"] {
        assert!(dir.path().join(file).is_file(), "{file}");
    }
    // The tutorial's own way to find `airtab` leads to the program.
    let export = "export PATH=$PWD/target/release:$PATH";
    assert!(commands(&page).iter().any(|command| command.line == export));
    let found = shell(dir.path(), &format!("{export}\ncommand -v airtab"));
    assert_eq!(text(&found.stdout).trim(), dir.path().join("target/release/airtab").display().to_string());
}

/// Each other command is run by a test, a step of CI, or a target of the Makefile.
#[test]
fn other_commands_are_run_elsewhere() {
    let mut used = BTreeSet::new();
    let makefile = read("Makefile");
    let guest = read(GUEST);
    for (page, Printed { line, .. }) in
        PAGES.iter().flat_map(|page| commands(&read(page)).into_iter().map(move |command| (page, command)))
    {
        if let Some((command, file, part)) = ELSEWHERE.iter().find(|(command, ..)| *command == line) {
            used.insert(*command);
            assert!(read(file).contains(part), "{page}: {line}: {file} has no {part:?}");
            continue;
        }
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "airtab" | "target/release/airtab" => {}
            "make" => {
                let target = words.get(1).map_or("help", |target| *target);
                assert!(makefile.contains(&format!("\n{target}: ")), "{page}: {line}");
            }
            // The line as printed, on a line of its own or in front of a redirection.
            "tc" | "rmmod" | "DEV=eth0" => {
                let there = guest.lines().any(|own| own == line || own.starts_with(&format!("{line} ")));
                assert!(there, "{page}: {GUEST} does not run: {line}");
            }
            "export" => assert_eq!(line, "export PATH=$PWD/target/release:$PATH", "{page}"),
            _ => panic!("{page}: no test runs: {line}"),
        }
    }
    let stale: Vec<&str> =
        ELSEWHERE.iter().map(|entry| entry.0).filter(|command| !used.contains(command)).collect();
    assert!(stale.is_empty(), "on no page: {stale:?}");
}

#[test]
fn commands_are_lines_of_blocks_and_spans() {
    let page = "Use `airtab x y` or `airtab`.\n\n    $ airtab a   b\n    said\n    # no command\n\n    airtab c # why\n\
                ```toml\nairtab = 1\n```\n```\n# comment\nmake demo    # builds\n```\n`make`, `tc -s qdisc`, `results/x`\n";
    let lines: Vec<String> = commands(page).into_iter().map(|command| command.line).collect();
    assert_eq!(lines, ["airtab x y", "airtab a   b", "airtab c", "make demo", "make", "tc -s qdisc"]);
    assert_eq!(commands(page)[1].output, "said\n# no command\n");
}
