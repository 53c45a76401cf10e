// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What CI stands on: a step that fails or hangs is named, a build's words and exit code come through, and the bare
//! machine is never this one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// One of `tools/`.
fn tool(name: &str) -> Command {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools").join(name);
    let mut command = Command::new(file);
    command.stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn steps(args: &[&str]) -> (Option<i32>, String, String) {
    let output = tool("steps").args(args).output().expect("bash");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn steps_have_their_times_and_a_sum() {
    let (code, said, _) = steps(&["9s sleep 2", "9s true"]);
    assert_eq!(code, Some(0), "{said}");
    let rows: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    let table = rows.iter().position(|row| *row == ["step", "clock", "processors"]).expect("a table");
    let [sleep, short, sum] = &rows[table + 1..] else { panic!("{said}") };
    assert!(sleep[..2] == ["sleep", "2"] && ["0:02", "0:03"].contains(&sleep[2]), "{said}");
    assert!(short[0] == "true" && sum[0] == "sum" && sum[1] >= "0:02", "{said}");
}

#[test]
fn processor_time_counts_what_a_step_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("count");
    fs::write(&script, "sh -c 'i=0; while [ $i -lt 4000000 ]; do i=$((i+1)); done'; sleep 0")
        .expect("a file");
    let (code, said, _) = steps(&[&format!("300s sh {}", script.display())]);
    let row = said.lines().find(|line| line.starts_with("sum ")).expect("a sum");
    assert!(code == Some(0) && !row.ends_with("0:00  "), "{said}");
}

#[test]
fn a_step_that_fails_is_named_and_ends_the_run() {
    let (code, said, errors) = steps(&["9s true", "9s false", "9s sleep 1"]);
    assert_eq!((code, errors.as_str()), (Some(1), "FAILED: false\n"), "{said}");
    assert!(said.contains("FAILED: exit code 1") && !said.contains("sleep"), "{said}");
}

#[test]
fn after_a_failure_others_go_on_when_asked_to() {
    let (code, said, errors) = steps(&["--keep-going", "9s false", "1s sleep 60", "9s sleep 0"]);
    assert_eq!((code, errors.as_str()), (Some(1), "FAILED: false\nFAILED: sleep 60\n"), "{said}");
    assert!(said.contains("FAILED: not done within 1s") && said.contains("== sleep 0 =="), "{said}");
}

/// A cargo that prints what cargo does, and ends with that code.
fn build(code: i32) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let cargo = folder.path().join("cargo");
    let words = "   Compiling one v1.0.0\\n    Building [=>  ] 1/3: one   \\rwarning: odd\\n --> here\\n   \
                 Compiling two v1.0.0\\n    Building [==> ] 2/3: two   \\r";
    fs::write(&cargo, format!("#!/bin/sh\nprintf '{words}' >&2\nsleep 11\necho $1\nexit {code}\n"))
        .expect("a file");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("ours");
    // `make soak SECONDS=60` hands that down, which bash would begin its clock with
    tool("progress")
        .args(["Building it", "build"])
        .envs([("CARGO", cargo.as_os_str()), ("SECONDS", "60".as_ref())])
        .output()
        .expect("bash")
}

#[test]
fn a_build_says_how_far_it_is() {
    let output = build(101);
    assert_eq!(output.status.code(), Some(101));
    assert_eq!(text(&output.stdout), "build\n", "what it prints");
    let said = text(&output.stderr);
    let (messages, progress) = said.split_at(said.find("Building it").expect("progress"));
    assert_eq!(messages, "warning: odd\n --> here\n");
    assert!(progress.lines().count() == 1 && progress.ends_with(" s: 2 of 3 steps, now two\n"), "{progress}");
}

#[test]
fn the_bare_machine_is_never_this_one() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("ours");
    let trace = folder.path().join("was-here");
    let refused = |command: &mut Command, reason: &str| {
        let output = command.arg("touch").arg(&trace).output().expect("it starts");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{said}");
        assert!(said.contains("tools/bare: ") && said.contains(reason), "{said}");
        assert!(!trace.exists(), "it ran here");
    };
    if !fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0) {
        return refused(&mut tool("bare"), "needs root");
    }
    // A copy: our own folder need not be open to that user.
    let copy = folder.path().join("bare");
    fs::copy(tool("bare").get_program(), &copy).expect("a copy");
    let mut nobody = Command::new("setpriv");
    nobody.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&copy);
    refused(&mut nobody, "needs root");
    refused(tool("bare").env("PATH", "/usr/bin:/bin"), "Rust toolchain");
    refused(&mut Command::new(&copy), "no git repository");
}

#[test]
fn bench_ratios_names_a_commit_that_is_none() {
    for (args, said) in
        [(&["nope"][..], "no commit 'nope'"), (&["HEAD", "0"], "'0' rounds"), (&[], "BASE=COMMIT")]
    {
        let output = tool("bench-ratios").args(args).output().expect("bash");
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(said), "{args:?}: {errors}");
    }
}

/// A folder that is all of `PATH`: some of this machine's programs, and these scripts.
fn programs(linked: &[&str], scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let found =
        |name: &str| ["/usr/bin", "/bin"].map(|f| Path::new(f).join(name)).into_iter().find(|f| f.exists());
    for name in linked {
        let program = found(name).unwrap_or_else(|| panic!("no {name}"));
        std::os::unix::fs::symlink(program, folder.path().join(name)).expect("a link");
    }
    for (name, script) in scripts {
        let file = folder.path().join(name);
        fs::write(&file, script).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a script");
    }
    folder
}

/// A package manager whose lock somebody holds for the first two times, then installs
/// `patch`; or says something else.
#[test]
fn who_needs_a_package_waits_for_the_package_manager() {
    let linked = ["awk", "bash", "cat", "chmod", "env", "grep", "mktemp", "rm", "sed", "sleep", "tail"];
    let apt = |says: &str| {
        format!(
            "#!/bin/bash\necho x >>${{0%/*}}/asked\nif [ $(grep -c x ${{0%/*}}/asked) -le 2 ]; then\n\
             echo 'E: {says} /var/lib/dpkg/lock-frontend. It is held by process 7' >&2; exit 100; fi\n\
             : >${{0%/*}}/patch; chmod +x ${{0%/*}}/patch\n"
        )
    };
    let require = |says: &str| {
        let folder = programs(&linked, &[("id", "#!/bin/bash\necho 0\n"), ("apt-get", &apt(says))]);
        let output = tool("require").arg("patch").env("PATH", folder.path()).output().expect("bash");
        let asked = fs::read_to_string(folder.path().join("asked")).expect("apt-get was asked");
        (output.status.code(), text(&output.stderr), asked.lines().count())
    };
    // Twice in vain, then once each to update and to install.
    let (code, errors, asked) = require("Could not get lock");
    assert_eq!((code, asked), (Some(0), 4), "{errors}");
    assert_eq!(errors.matches("is busy; waiting for it").count(), 1, "{errors}");
    assert!(errors.contains("lock-frontend. It is held by process 7"), "{errors}");
    let (code, errors, asked) = require("Could not open file");
    assert_eq!((code, asked), (Some(1), 1), "{errors}");
    assert!(errors.contains("patch is missing") && !errors.contains("waiting"), "{errors}");
}

/// A repository with one of `tools/` in it, nothing else.
fn with_tool(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let git = Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status();
    assert!(git.expect("git").success());
    fs::create_dir(folder.path().join("tools")).expect("a folder");
    let copy = folder.path().join("tools").join(name);
    fs::copy(tool(name).get_program(), &copy).expect("a copy");
    (folder, copy)
}

/// In a repository of its own: with the first line, without it, below `#!`, and no source at all.
#[test]
fn a_source_without_its_licence_is_named() {
    let (folder, copy) = with_tool("licences");
    let place = |name: &str| folder.path().join(name);
    let check = || {
        let output = Command::new(&copy).output().expect("bash");
        (output.status.code(), text(&output.stderr))
    };
    // In parts: else these lines were this file's.
    let says = concat!("SPDX-License-", "Identifier: MIT OR GPL-2.0-only\n");
    fs::write(place("a.rs"), format!("// {says}//! Doc.\n")).expect("a file");
    fs::write(place("run"), format!("#!/bin/sh\n# {says}true\n")).expect("a file");
    fs::write(place("notes.md"), "Words.\n").expect("a file");
    assert_eq!(check(), (Some(0), String::new()));
    for (name, content) in [
        ("b.rs", "//! Doc.\n".to_string()),
        ("b.h", concat!("/* SPDX-License-", "Identifier: Apache-2.0 */\n").into()),
        ("late.c", format!("int x;\n/* {says} */\n")),
        ("script", "#!/bin/sh\ntrue\n".into()),
    ] {
        fs::write(place(name), content).expect("a file");
        let (code, errors) = check();
        assert!(code == Some(1) && errors.starts_with(&format!("{name}: no licence")), "{name}: {errors}");
        fs::remove_file(place(name)).expect("it was there");
    }
}

/// A book in which every page is, one that lacks a page, one that has a page twice, and one with a page that is not there.
#[test]
fn a_page_that_the_book_lacks_is_named() {
    let (folder, copy) = with_tool("book");
    let docs = folder.path().join("docs");
    fs::create_dir(&docs).expect("a folder");
    for page in ["one.md", "two.md"] {
        fs::write(docs.join(page), "# A page\n").expect("a file");
    }
    for (summary, said) in [
        ("- [One](one.md)\n  - [Two](two.md)\n", ""),
        ("- [One](one.md)\n", "docs/SUMMARY.md: lacks two.md"),
        ("- [One](one.md)\n- [Two](two.md)\n- [Again](one.md)\n", "docs/SUMMARY.md: has one.md twice"),
        ("- [One](one.md)\n- [Two](two.md)\n- [Three](three.md)\n", "docs/SUMMARY.md: there is no three.md"),
    ] {
        fs::write(docs.join("SUMMARY.md"), summary).expect("a file");
        let output = Command::new(&copy).arg("--check").output().expect("bash");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(i32::from(!said.is_empty())), "{summary}: {errors}");
        assert!(
            errors.starts_with(said) && errors.lines().count() == usize::from(!said.is_empty()),
            "{errors}"
        );
    }
}

/// Every licence that a file names is there as a text, and `REUSE.toml` has the files that name none: what `reuse lint`
/// looks at, where that is not there.
#[test]
fn every_licence_that_is_named_has_its_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output().expect("git");
    let says = concat!("SPDX-License-", "Identifier:");
    let mut named = std::collections::BTreeSet::new();
    for name in text(&listed.stdout).split_terminator('\0') {
        // What is no text names nothing.
        let Ok(content) = fs::read_to_string(root.join(name)) else { continue };
        let lines = content.lines().filter_map(|line| Some(line.split_once(says)?.1));
        let words =
            lines.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || "-.".contains(c))));
        // What closes a comment of HTML is no word.
        let is_name = |word: &&str| {
            word.contains(|c: char| c.is_ascii_alphanumeric()) && !["OR", "AND", "WITH"].contains(word)
        };
        named.extend(words.filter(is_name).map(String::from));
    }
    let texts = fs::read_dir(root.join("LICENSES")).expect("the folder").map(|entry| {
        let path = entry.expect("readable").path();
        assert!(fs::read_to_string(&path).is_ok_and(|text| text.len() > 500), "{}", path.display());
        path.file_stem().expect("a name").to_str().expect("UTF-8").to_string()
    });
    assert_eq!(named, texts.collect());
    let reuse: toml::Table =
        fs::read_to_string(root.join("REUSE.toml")).expect("it is there").parse().expect("TOML");
    let all = &reuse["annotations"][0];
    assert_eq!(all["path"].as_str(), Some("**"));
    assert_eq!(all["SPDX-License-Identifier"].as_str(), Some("MIT OR GPL-2.0-only"));
    let holder = all["SPDX-FileCopyrightText"].as_str().expect("a text");
    let licence = fs::read_to_string(root.join("LICENSE-MIT")).expect("it is there");
    assert!(licence.contains(&format!("Copyright (c) {holder}\n")), "{holder}");
}
