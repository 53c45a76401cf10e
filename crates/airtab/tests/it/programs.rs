// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every program that the crates start is known to `tools/require`, under a rule that `make test` asks for: else a
//! bare machine lacks it, and whoever has it by chance does not see that.
//!
//! Source: the crates' tokens, so that comments do not count and what is inside macros does. A program is named by a
//! literal, or `ELSEWHERE` says what it is. What it does not do: look into shell scripts and makefiles, or into what
//! a started program starts in its turn; `tools/bare make test` does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proc_macro2::{TokenStream, TokenTree};

/// Places that start a program without naming it in a literal (the expression, in brackets), or a shell: file, what
/// stands there, what it starts.
const ELSEWHERE: &[(&str, &str, &[&str])] = &[
    ("crates/airtab/tests/it/experiment.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/experiment.rs", "sh", &[]),
    ("crates/airtab/tests/it/experiment.rs", "unshare", &["unshare", "mount"]),
    ("crates/airtab/tests/it/airtime.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/captures.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/captures.rs", "bash", &["cat"]),
    ("crates/airtab/tests/it/cli.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/drain.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/files.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/mesh.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/model.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/model_cbt.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/model_sizing.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/pages.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/pages.rs", "(check)", &["zsh", "fish"]),
    ("crates/airtab/tests/it/probe.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/schema.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/common/mod.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/serve.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/sweep.rs", "unshare", &["unshare", "mount"]),
    ("crates/airtab/tests/it/tcp.rs", AIRTAB, &[]),
    ("crates/airtab/tests/it/rpm.rs", "(BINARY)", &[]),
    ("crates/airtab/tests/it/live.rs", "(BINARY)", &[]),
    ("crates/airtab/tests/it/live.rs", "(& binary)", &[]),
    ("crates/airtab-lab/benches/results.rs", "(this)", &[]),
    ("crates/airtab-sim/benches/sim.rs", "(this)", &[]),
    // The system's own opener of pages, where it has one.
    ("crates/airtab/src/commands/serve.rs", "(program)", &[]),
    // The project's own tools.
    ("crates/airtab/tests/it/tools.rs", "(file)", &[]),
    ("crates/airtab/tests/it/tools.rs", "(& copy)", &[]),
    ("crates/airtab/tests/it/release.rs", "(self . path (\"tools/release\"))", &[]),
    ("crates/airtab/tests/it/programs.rs", "(root () . join (\"tools/require\"))", &[]),
    // Shells: what their scripts start that is not built into them.
    ("crates/airtab/tests/it/documentation.rs", "sh", &[]),
    ("crates/airtab/tests/it/files.rs", "sh", &[]),
    ("crates/airtab/tests/it/passed_on.rs", "sh", &[]),
    ("crates/airtab/tests/it/surroundings.rs", "sh", &[]),
    ("crates/airtab-live/src/apps/program.rs", "sh", &[]),
    // Every Debian has it, and one that nobody has.
    ("crates/airtab/tests/it/experiment.rs", "date", &[]),
    ("crates/airtab-live/src/apps/program.rs", "airtab-no-such-program", &[]),
    ("crates/airtab/tests/it/pages.rs", "bash", &[]),
    ("crates/airtab/tests/it/release.rs", "sh", &[]),
    ("crates/airtab/tests/it/live.rs", "sh", &["grep", "sort"]),
    ("crates/airtab-live/src/folder.rs", "sh", &[]),
    ("crates/airtab-live/tests/soak.rs", "sh", &["sleep"]),
    // Helpers hand on what they are given; who calls them is looked at.
    ("crates/airtab-live/src/apps/program.rs", "ip netns exec", &["mount"]),
    ("crates/airtab-live/src/user.rs", "(setpriv)", &["setpriv", "sleep"]),
    ("crates/airtab-live/tests/it/common/mod.rs", "ip netns exec", &[]),
    ("crates/airtab-live/tests/it/needs_root/hardened.rs", "(words . next () . expect (\"a program\"))", &[]),
    ("crates/airtab-live/tests/it/needs_root/apps.rs", "{shaped}", &["tc"]),
];
const AIRTAB: &str = "(env ! (\"CARGO_BIN_EXE_airtab\"))";

/// Helpers of the live access point that start what an argument names: number of that argument.
const HELPERS: [(&str, usize); 4] = [("find", 0), ("command", 0), ("run_in", 1), ("run_in_host", 0)];

/// A test may do without these, and says so.
const OPTIONAL: [&str; 4] = ["chromium", "fish", "groff", "zsh"];

/// Other doors to starting programs: the test would have to learn them first.
const UNKNOWN: [&str; 7] = ["execv", "execve", "execvp", "execvpe", "fexecve", "posix_spawn", "posix_spawnp"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Rust sources below a folder, without what was built.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()) {
        if entry.is_dir() && !entry.ends_with("target") {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            found.push(entry);
        }
    }
}

/// What stands between the commas of a group.
fn elements(group: &TokenTree) -> Vec<TokenStream> {
    let TokenTree::Group(group) = group else { return Vec::new() };
    let mut elements = vec![TokenStream::new()];
    for token in group.stream() {
        match &token {
            TokenTree::Punct(p) if p.as_char() == ',' => elements.push(TokenStream::new()),
            _ => elements.last_mut().expect("one").extend([token]),
        }
    }
    elements
}

/// The text of an expression that is one literal, or `format!` of one.
fn literal(expression: &TokenStream) -> Option<String> {
    let text = expression.to_string();
    let text = text.trim_start_matches("& ").trim_start_matches("format ! (");
    Some(text.strip_prefix('"')?.split_once('"')?.0.to_string())
}

/// The program of a command line, by its first word; of an expression that is no literal, the expression in brackets.
fn program(expression: &TokenStream) -> String {
    let line = literal(expression).unwrap_or_default();
    line.split_whitespace().next().map_or_else(|| format!("({expression})"), Into::into)
}

/// What a file starts.
fn started(file: &str, tokens: TokenStream, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let texts: Vec<String> = tokens
        .iter()
        .map(|token| match token {
            TokenTree::Group(_) => String::new(),
            other => other.to_string(),
        })
        .collect();
    let text = |i: usize| texts.get(i).map_or("", String::as_str);
    for (i, token) in tokens.iter().enumerate() {
        let before = text(i.wrapping_sub(1));
        let helper =
            HELPERS.iter().find(|(name, _)| text(i) == *name && file.starts_with("crates/airtab-live/"));
        match (token, text(i)) {
            (_, "Command") if [text(i + 1), text(i + 2), text(i + 3)] == [":", ":", "new"] => {
                let called = tokens.get(i + 4).map(elements).filter(|arguments| !arguments.is_empty());
                let arguments =
                    called.unwrap_or_else(|| panic!("{file}: Command::new is handed on: name a program"));
                found.insert(program(&arguments[0]));
            }
            (_, "Command") if text(i + 1) == "as" => panic!("{file}: Command is renamed: call it Command"),
            (_, "type") if texts[i..].iter().take_while(|t| *t != ";").any(|t| t == "Command") => {
                panic!("{file}: Command is renamed: call it Command")
            }
            (_, word) if UNKNOWN.contains(&word) => panic!("{file}: {word}: start programs by Command"),
            (_, "command") if before != "." => {}
            // some type's own find
            (_, "find") if before == "." || text(i.wrapping_sub(3)).starts_with(char::is_uppercase) => {}
            (_, _)
                if let Some((_, number)) = helper
                    && before != "fn" =>
            {
                found.extend(tokens.get(i + 1).map(elements).unwrap_or_default().get(*number).map(program));
            }
            (TokenTree::Literal(_), line) if line.contains("netns exec ") => {
                let mut words = line.trim_matches('"').split_whitespace().skip_while(|word| *word != "exec");
                found.extend(words.nth(2).map(Into::into));
            }
            (TokenTree::Group(group), _) => {
                let words = elements(token);
                let is = |at: usize, word| literal(&words[at]).as_deref() == Some(word);
                if let Some(at) = (1..words.len()).find(|at| is(at - 1, "netns") && is(*at, "exec")) {
                    found.insert(words.get(at + 2).map_or_else(|| "ip netns exec".into(), program));
                }
                started(file, group.stream(), found);
            }
            _ => {}
        }
    }
}

/// Programs of the rules that `make test` asks for, and of what a bare machine has; no shells, which may start anything.
fn known() -> BTreeSet<String> {
    let script = fs::read_to_string(root().join("tools/test")).expect("the script of make test");
    let asked = script.lines().filter_map(|line| Some(line.split_once("tools/require ")?.1));
    let rules: Vec<&str> = asked.flat_map(str::split_whitespace).chain(["bare"]).collect();
    let output = Command::new(root().join("tools/require")).arg("--programs").output().expect("bash");
    assert!(output.status.success(), "{output:?}");
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    let rows = table.lines().map(|line| line.split_once(' ').expect("rule and program"));
    let rows = rows.filter(|(rule, program)| rules.contains(rule) && *program != "sh");
    let known: BTreeSet<String> = rows.map(|(_, program)| program.into()).collect();
    assert!(["ping", "tshark", "git"].iter().all(|program| known.contains(*program)), "{rules:?}: {known:?}");
    known
}

#[test]
fn every_program_that_is_started_is_known_to_tools_require() {
    let mut files = Vec::new();
    ["crates", "fuzz"].iter().for_each(|folder| sources(&root().join(folder), &mut files));
    let known = known();
    let mut seen = [false; ELSEWHERE.len()];
    let mut wrong = Vec::new();
    for path in files {
        let file = path.strip_prefix(root()).expect("below it").to_str().expect("UTF-8");
        let text = fs::read_to_string(&path).expect("a source");
        let mut found = BTreeSet::new();
        started(file, text.parse().unwrap_or_else(|e| panic!("{file}: {e}")), &mut found);
        for what in found {
            let place = ELSEWHERE.iter().position(|(f, w, _)| (*f, *w) == (file, what.as_str()));
            place.iter().for_each(|i| seen[*i] = true);
            let programs = place.map_or(vec![what.as_str()], |i| ELSEWHERE[i].2.to_vec());
            let unknown = programs.into_iter().filter(|p| !known.contains(*p) && !OPTIONAL.contains(p));
            wrong.extend(unknown.map(|p| format!("{file} starts {p}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{wrong:#?}\nA program: add it to a rule of tools/require that `make test` asks for. Another \
         expression, or a shell: say what it starts in ELSEWHERE."
    );
    let gone: Vec<_> = ELSEWHERE.iter().zip(seen).filter(|(_, seen)| !seen).collect();
    assert!(gone.is_empty(), "nothing of this is there any more: {gone:?}");
}
