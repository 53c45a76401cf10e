// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What `airtab compare --out` leaves behind, when all goes well and when not.

use std::path::Path;
use std::process::{Command, Output};

fn airtab(args: &[&str]) -> Output {
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/files-cache");
    Command::new(env!("CARGO_BIN_EXE_airtab"))
        .args(args)
        .env("AIRTAB_CACHE", cache)
        .output()
        .expect("airtab starts")
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("the directory");
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const STUDY: [&str; 7] = ["compare", "--short", "--seeds", "2", "--queues", "fifo,chap:limit=70", "--out"];

fn study(dir: &Path, more: &[&str]) -> Output {
    airtab(&[&STUDY[..], &[dir.to_str().unwrap()], more].concat())
}

#[test]
fn the_manifest_lists_what_is_there() {
    let dir = scratch();
    let output = study(dir.path(), &["--pcap=200ms"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let manifest = std::fs::read(dir.path().join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["files"], serde_json::json!(names(dir.path())));
    assert!(names(dir.path()).contains(&"air-chap-limit=70.pcapng".to_string()));
    assert_eq!(
        manifest["command"],
        "airtab compare scenario.toml --queues fifo,chap:limit=70 --seeds 2 --short"
    );
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let git = manifest["git"].as_str().unwrap();
    assert!(git == "unknown" || git.trim_end_matches("-dirty").len() == 40, "{git}");
    assert!(stderr(&output).contains("the first 200ms of the measured part"), "{}", stderr(&output));
    let page = std::fs::read_to_string(dir.path().join("report.html")).unwrap();
    assert!(page.contains("airtab compare scenario.toml --queues fifo,chap:limit=70 --seeds 2 --short"));
}

/// The emulated link has no frames on the air: said before anything is run.
#[test]
fn no_capture_of_an_emulated_link() {
    let dir = scratch();
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/emulated-link.toml");
    let out = dir.path().to_str().unwrap();
    let output = airtab(&["compare", scenario, "--short", "--out", out, "--pcap"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("leave --pcap out"), "{}", stderr(&output));
    assert!(names(dir.path()).is_empty() && output.stdout.is_empty());
}

#[test]
fn the_same_study_writes_the_same_bytes() {
    let (one, two) = (scratch(), scratch());
    for dir in [&one, &two] {
        assert_eq!(study(dir.path(), &["--pcap=100ms"]).status.code(), Some(0));
    }
    for name in names(one.path()) {
        let read = |dir: &tempfile::TempDir| std::fs::read(dir.path().join(&name)).unwrap();
        assert!(read(&one) == read(&two), "{name}");
    }
}

#[test]
fn captures_of_an_earlier_study_go() {
    let dir = scratch();
    let path = |name: &str| dir.path().join(name);
    // Of the user, whatever a manifest may say; and of a study with other disciplines.
    for name in [
        "air-mine.pcapng",
        "notes.txt",
        "air-spq.pcapng",
        "air-chap-limit=70.pcapng",
        "figure-old.svg",
        "results.csv",
    ] {
        std::fs::write(path(name), "from before").unwrap();
    }
    let outside = scratch();
    std::fs::write(outside.path().join("air-x.pcapng"), "another's").unwrap();
    let above = format!("../{}/air-x.pcapng", outside.path().file_name().unwrap().to_str().unwrap());
    let files = [
        "air-chap-limit=70.pcapng",
        "air-spq.pcapng",
        "figure-old.svg",
        "results.csv",
        "notes.txt",
        "manifest.json",
        &above,
    ];
    std::fs::write(path("manifest.json"), serde_json::json!({ "files": files }).to_string()).unwrap();
    let output = study(dir.path(), &["--pcap=100ms"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let there = names(dir.path());
    assert!(there.contains(&"air-fifo.pcapng".into()) && there.contains(&"air-chap-limit=70.pcapng".into()));
    assert!(!path("air-spq.pcapng").exists(), "{there:?}");
    assert!(path("air-mine.pcapng").exists() && path("notes.txt").exists(), "{there:?}");
    assert!(outside.path().join("air-x.pcapng").exists());
    // What is no result of its own leaves one as it is.
    let pages =
        Command::new(env!("CARGO_BIN_EXE_airtab")).args(["man", "--out"]).arg(path("")).output().unwrap();
    assert_eq!(pages.status.code(), Some(0), "{}", stderr(&pages));
    assert!(path("air-fifo.pcapng").exists() && path("figure-scores.svg").exists());
    for page in names(dir.path()).iter().filter(|name| name.ends_with(".1")) {
        std::fs::remove_file(path(page)).unwrap();
    }
    // Without captures, those of before would belong to other results.
    assert_eq!(study(dir.path(), &[]).status.code(), Some(0));
    let (figures, others): (Vec<String>, Vec<String>) =
        names(dir.path()).into_iter().partition(|name| name.starts_with("figure-"));
    let of = |name: &str| ["csv", "svg"].map(|ending| format!("figure-{name}.{ending}"));
    assert_eq!(figures, ["air", "column-credit", "queue-delay", "received", "scores"].map(of).concat());
    let left = [
        "air-mine.pcapng",
        "index.html",
        "manifest.json",
        "notes.txt",
        "report.html",
        "report.txt",
        "results.json",
        "results.parquet",
        "scenario.toml",
    ];
    assert_eq!(others, left);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let dir = scratch();
    std::fs::write(dir.path().join("results.json"), "from before").unwrap();
    // Files of more than 40 kB cannot be written, as on a full disk.
    let script = "trap '' XFSZ; ulimit -f 80; exec \"$@\"";
    let program = env!("CARGO_BIN_EXE_airtab");
    let output = Command::new("sh")
        .args(["-c", script, "sh", program])
        .args(STUDY)
        .arg(dir.path())
        .args(["--pcap", "--no-cache"])
        .output()
        .expect("sh starts");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("error: cannot write ") && stderr(&output).contains("File too large"),
        "{}",
        stderr(&output)
    );
    assert_eq!(names(dir.path()), ["results.json"]);
    assert_eq!(std::fs::read_to_string(dir.path().join("results.json")).unwrap(), "from before");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Why"), "the table is printed all the same");
}

/// The scenario as it was written, which runs again to the same figures; nobody's own is replaced.
#[test]
fn results_hold_the_scenario_itself() {
    let dir = scratch();
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scenarios/game-call-download.toml"
    ));
    let text = text.unwrap() + "# a remark\n";
    let path = |name: &str| dir.path().join(name);
    let compare = |file: &str, out: &str| {
        let (file, out) = (path(file), path(out));
        let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
        airtab(&["compare", file, "--short", "--seeds", "1", "--queues", "fifo", "--out", out])
    };
    std::fs::write(path("mine.toml"), &text).unwrap();
    assert_eq!(compare("mine.toml", "one").status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(path("one/scenario.toml")).unwrap(), text);
    assert_eq!(compare("one/scenario.toml", "two").status.code(), Some(0));
    let read = |name| std::fs::read_to_string(path(name)).unwrap();
    assert_eq!(read("one/results.json"), read("two/results.json"));
    // The hash of the scenario depends on values, not on remarks.
    let hash = |folder: &str| -> String {
        let manifest = std::fs::read(path(folder).join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
        manifest["scenario_hash"].as_str().unwrap().into()
    };
    std::fs::write(path("other.toml"), text.replacen("duration = \"", "duration = \"1", 1)).unwrap();
    assert_eq!(compare("other.toml", "other").status.code(), Some(0));
    std::fs::write(path("remark.toml"), text.clone() + "# more\n").unwrap();
    assert_eq!(compare("remark.toml", "remark").status.code(), Some(0));
    assert!(hash("one") == hash("two") && hash("one") == hash("remark") && hash("one") != hash("other"));
    // An earlier result's may be replaced, somebody's own not.
    std::fs::write(path("mine.toml"), format!("{text}# another\n")).unwrap();
    assert_eq!(compare("mine.toml", "one").status.code(), Some(0));
    assert!(read("one/scenario.toml").ends_with("# another\n"));
    // Not what was changed there since, be it a remark: nothing is run, nothing is written.
    let manifest = read("one/manifest.json");
    std::fs::write(path("one/scenario.toml"), format!("{text}# mine\n")).unwrap();
    let refused = compare("mine.toml", "one");
    assert_eq!(refused.status.code(), Some(1));
    let expected = "one/scenario.toml is not as an earlier result left it and would be replaced";
    assert!(stderr(&refused).contains(expected) && refused.stdout.is_empty(), "{}", stderr(&refused));
    assert!(read("one/scenario.toml").ends_with("# mine\n") && read("one/manifest.json") == manifest);
    // It may be what is run, and is the earlier result's then.
    assert_eq!(compare("one/scenario.toml", "one").status.code(), Some(0));
    assert_eq!(compare("mine.toml", "one").status.code(), Some(0));
    assert!(read("one/scenario.toml").ends_with("# another\n"));
    std::fs::create_dir(path("own")).unwrap();
    std::fs::write(path("own/scenario.toml"), "own").unwrap();
    let refused = compare("mine.toml", "own");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("own/scenario.toml is not as an earlier result left it"),
        "{}",
        stderr(&refused)
    );
    assert_eq!((read("own/scenario.toml").as_str(), names(&path("own")).len()), ("own", 1));
}

#[test]
fn a_file_in_the_way_is_found_before_anything_runs() {
    let dir = scratch();
    let file = dir.path().join("results");
    std::fs::write(&file, "").unwrap();
    let output = airtab(&["compare", "--seeds", "2000", "--out", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: cannot make the directory "), "{}", stderr(&output));
}

#[test]
fn captures_want_a_directory_and_a_time() {
    for (args, expected) in [
        (&["compare", "--pcap"][..], "--out <DIR>"),
        (&["compare", "--out", "x", "--pcap=3"], "'3' is not a time with its unit"),
        (&["compare", "--out", "x", "--pcap=0s"], "at least 1ns"),
    ] {
        let output = airtab(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
}

/// The umask decides who may read and write results.
#[cfg(unix)]
#[test]
fn results_have_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    for (umask, mode) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
        let dir = scratch();
        let airtab = env!("CARGO_BIN_EXE_airtab");
        let run = format!(
            "umask {umask}; exec {airtab} compare --short --seeds 1 --queues fifo --no-cache --out out --flent a.flent.gz"
        );
        let output =
            Command::new("sh").args(["-c", &run]).current_dir(dir.path()).output().expect("sh starts");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        for name in ["out/results.json", "out/index.html", "a-fifo.flent.gz"] {
            let of =
                std::fs::metadata(dir.path().join(name)).expect("it is there").permissions().mode() & 0o777;
            assert_eq!(of, mode, "{name} under {umask}: {of:o}");
        }
    }
}

/// The run cache is at an absolute path unless AIRTAB_CACHE says otherwise.
#[test]
fn finished_runs_are_kept_in_absolute_places() {
    let dir = scratch();
    let folder = |name: &str, value: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
        command
            .args(["cache", "size"])
            .current_dir(dir.path())
            .env_remove("AIRTAB_CACHE")
            .env_remove("XDG_CACHE_HOME");
        command.env("HOME", "/nonexistent/home");
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
        let output = command.output().expect("airtab starts");
        format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output))
    };
    assert!(folder("XDG_CACHE_HOME", Some("here")).contains("/nonexistent/home/.cache/airtab/runs"));
    assert!(folder("XDG_CACHE_HOME", Some("/var/x")).contains("/var/x/airtab/runs"));
    assert!(folder("AIRTAB_CACHE", Some("here")).contains("here/runs"), "who names this one means it");
    // One variable goes before the next; an empty one is none.
    let of = |own: &str, caches: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
        command.args(["cache", "size"]).current_dir(dir.path()).env("HOME", "/nonexistent/home");
        let output =
            command.env("AIRTAB_CACHE", own).env("XDG_CACHE_HOME", caches).output().expect("airtab starts");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(of("/nonexistent/a", "/nonexistent/b").starts_with("/nonexistent/a/runs: 0 runs in 0 packs"));
    assert!(of("", "/nonexistent/b").starts_with("/nonexistent/b/airtab/runs: "));
    assert!(of("", "").starts_with("/nonexistent/home/.cache/airtab/runs: "));
    let homeless = folder("HOME", None);
    assert!(homeless.contains("/.cache/airtab/runs") && !homeless.contains(".airtab"), "{homeless}");
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 0);
}
