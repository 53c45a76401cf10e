// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab sweep` and `airtab cache` as a user has them: equal results however they came about, texts, exit codes, and what
//! is damaged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, kill_process};

use common::{airtab, command, interrupt_signal, results, scratch, text};

use crate::common;

/// 2 x 2 x 2 points, 2 disciplines, 2 seeds: 32 runs of 1 s.
const SWEEP: &str = r#"
queues = ["fifo", "chap"]
seeds = 2

[scenario]
duration = "1s"
measure = ["200ms", "1s"]
station = [{ name = "near" }, { name = "far" }]
app = [
  { name = "call", kind = "voip", station = "near" },
  { name = "load", kind = "download", station = "far" },
]

[[axis]]
name = "limit"
keys = ["queue.fifo.limit", "queue.chap.limit"]
range = { from = 20, to = 80, count = 2 }

[[axis]]
name = "distance"
keys = ["station.far.distance"]
values = [1.5, 5]

[[axis]]
name = "latency"
keys = ["app.load.latency"]
values = ["5ms", "20ms"]
"#;

fn packs(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("readable").path());
    let mut packs: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "pack")).collect();
    packs.sort();
    packs
}

/// One thread or two, in one go or with two stops, on one machine or on seven: one file.
#[test]
fn a_sweep_is_the_same_file_however_it_came_about() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let serial = results(dir, "none", "serial", &["--no-cache", "--jobs", "1"]);
    assert!(results(dir, "none", "two", &["--no-cache", "--jobs", "2"]) == serial, "two jobs");
    let other = results(dir, "none", "other", &["--no-cache", "--seeds", "2,3"]);
    assert!(other != serial, "other seeds are another file");

    // Stopped twice, by what it may take: so much that it gets on, whatever the machine.
    let (mut known, mut stops, mut budget) = (0, 0, 5);
    while stops < 2 {
        let allowed = format!("{budget}ms");
        let args = ["sweep", "sweep.toml", "--out", "stopped", "--jobs", "1", "--budget", &allowed];
        let stopped = airtab(dir, "stopped-cache", &args);
        let said = text(&stopped.stderr);
        assert_eq!(stopped.status.code(), Some(1), "{allowed}: {said}");
        let spent =
            format!("--budget: {} s of processor time are spent; stopped after ", f64::from(budget) / 1e3);
        assert!(said.contains(&spent), "{said}");
        assert!(said.contains("the same command goes on from here"), "{said}");
        let done = said.split("stopped after ").nth(1).and_then(|rest| rest.split(' ').next());
        let done: usize = done.and_then(|done| done.parse().ok()).expect("a number");
        assert!(known <= done && done < 32, "{done} after {known}");
        (stops, budget) = if done > known { (stops + 1, budget) } else { (stops, budget + budget / 2) };
        known = done;
    }
    assert!(!dir.join("stopped/results.parquet").exists(), "nothing half-written");
    assert!(results(dir, "stopped-cache", "stopped", &[]) == serial, "stopped twice");

    // Seven machines.
    for shard in 1..=7 {
        let (shard, out) = (format!("{shard}/7"), format!("shard{shard}"));
        let made = airtab(dir, "none", &["sweep", "sweep.toml", "--shard", &shard, "--out", &out]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        assert!(text(&made.stderr).contains(&format!("Shard {shard}: ")), "{}", text(&made.stderr));
    }
    let folders: Vec<String> = (1..=7).map(|shard| format!("shard{shard}")).collect();
    let merge: Vec<&str> = ["--merge"].into_iter().chain(folders.iter().map(String::as_str)).collect();
    assert!(results(dir, "none", "merged", &merge) == serial, "seven folders");
    assert!(!dir.join("none/runs").exists(), "a merge makes no run, and --no-cache keeps none");
    std::fs::create_dir(dir.join("together")).unwrap();
    for folder in &folders {
        for pack in packs(&dir.join(folder)) {
            std::fs::copy(&pack, dir.join("together").join(pack.file_name().unwrap())).unwrap();
        }
    }
    assert!(results(dir, "none", "merged", &["--merge", "together"]) == serial, "put together by hand");

    // What is missing is named, and what is damaged.
    let without = airtab(dir, "none", &["sweep", "sweep.toml", "--merge", "shard1", "shard2"]);
    let said = text(&without.stderr);
    assert_eq!(without.status.code(), Some(2), "{said}");
    let first = "the first: limit = 20, distance = 5, latency = 5ms, fifo, seed 1.";
    assert!(said.contains("of 32 runs are not in these folders") && said.contains(first), "{said}");
    let pack = &packs(&dir.join("shard1"))[0];
    let mut bytes = std::fs::read(pack).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(pack, &bytes).unwrap();
    let args = [&["sweep", "sweep.toml"][..], &merge].concat();
    let damaged = airtab(dir, "none", &args);
    assert_eq!(damaged.status.code(), Some(2));
    assert!(text(&damaged.stderr).contains("this run is not there, or damaged"), "{}", text(&damaged.stderr));
    let verify = airtab(dir, "none", &["cache", "verify", "shard1"]);
    assert_eq!(verify.status.code(), Some(1));
    assert!(text(&verify.stdout).contains("a run that is damaged"), "{}", text(&verify.stdout));
    // The same shard again makes that run anew.
    let again = airtab(dir, "none", &["sweep", "sweep.toml", "--shard", "1/7", "--out", "shard1"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(results(dir, "none", "mended", &merge) == serial, "mended");
    // Of other sources.
    bytes[8..24].copy_from_slice(b"0123456789abcdef");
    std::fs::write(pack, &bytes).unwrap();
    let foreign = airtab(dir, "none", &args);
    assert_eq!(foreign.status.code(), Some(2));
    assert!(
        text(&foreign.stderr)
            .contains("its runs are of another version of airtab (sources 0123456789abcdef;"),
        "{}",
        text(&foreign.stderr)
    );
}

/// What is killed loses the run that was being made, and no other.
#[test]
fn what_is_killed_goes_on() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let long = SWEEP.replace("\"1s\"", "\"20s\"");
    std::fs::write(dir.join("sweep.toml"), long).unwrap();
    let args = ["sweep", "sweep.toml", "--jobs", "1", "--queues", "fifo", "--seeds", "100"];
    let start = |args: &[&str]| -> Child {
        command(dir, "kept", args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("airtab starts")
    };
    let size =
        || packs(&dir.join("kept/runs")).iter().map(|pack| pack.metadata().unwrap().len()).sum::<u64>();
    let wait_for_more_than = |bytes: u64| {
        let start = Instant::now();
        while size() <= bytes && start.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(size() > bytes, "no run was kept");
    };
    let mut child = start(&args);
    wait_for_more_than(24);
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
    let verify = airtab(dir, "kept", &["cache", "verify", "--json"]);
    let verify: serde_json::Value = serde_json::from_slice(&verify.stdout).expect("JSON");
    let whole = verify["cache"]["whole"].as_u64().expect("a number");
    assert!(whole > 0, "{verify}");
    // A stop from inside a run: it takes a moment, and says what is known.
    let child = start(&args);
    wait_for_more_than(size());
    let asked = Instant::now();
    kill_process(Pid::from_child(&child), interrupt_signal()).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).starts_with(&format!("{whole} of 800 runs are known from before.")),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(packs(&dir.join("kept/runs")).len(), 2, "a pack for each process");
    let pruned = airtab(dir, "kept", &["cache", "prune", "--json"]);
    let pruned: serde_json::Value = serde_json::from_slice(&pruned.stdout).expect("JSON");
    assert!(pruned["cache"]["runs"].as_u64() > Some(whole), "{pruned}");
    assert_eq!(packs(&dir.join("kept/runs")).len(), 1);
    let size = airtab(dir, "kept", &["cache", "size", "--json"]);
    let size: serde_json::Value = serde_json::from_slice(&size.stdout).expect("JSON");
    assert_eq!(size["cache"]["runs"], pruned["cache"]["runs"]);
    airtab(dir, "kept", &["cache", "prune", "--all"]);
    assert_eq!(packs(&dir.join("kept/runs")).len(), 0);
}

/// A comparison that was made is there at once, and what a sweep has run it does not run again.
#[test]
fn a_comparison_is_made_once() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let args = ["compare", "--short", "--seeds", "2", "--queues", "fifo,chap", "--json"];
    let fresh = airtab(dir, "none", &[&args[..], &["--no-cache"]].concat());
    let first = airtab(dir, "kept", &args);
    let second = airtab(dir, "kept", &args);
    assert!(fresh.stdout == first.stdout && first.stdout == second.stdout, "stored runs are other runs");
    assert!(text(&second.stderr).contains("4 of them are known from before."), "{}", text(&second.stderr));
    assert!(!text(&first.stderr).contains("known"), "{}", text(&first.stderr));
    let more = airtab(dir, "kept", &["compare", "--short", "--seeds", "3", "--queues", "chap", "--json"]);
    assert!(text(&more.stderr).contains("2 of them are known from before."), "{}", text(&more.stderr));
}

/// Of two runs for three machines one has none, and its folder is merged as the others are.
#[test]
fn a_shard_without_runs_is_one() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let one = SWEEP.split("[[axis]]").next().expect("a beginning");
    std::fs::write(dir.join("sweep.toml"), one).expect("written");
    let whole = results(dir, "none", "whole", &["--no-cache"]);
    for shard in ["1/3", "2/3", "3/3"] {
        let out = format!("s{}", &shard[..1]);
        let made = airtab(dir, "none", &["sweep", "sweep.toml", "--shard", shard, "--out", &out]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        assert_eq!(packs(&dir.join(&out)).len(), 1, "{shard}");
    }
    assert!(results(dir, "none", "merged", &["--merge", "s1", "s2", "s3"]) == whole);
}

/// An axis that changes nothing is told, with two of its values; one that changes something is not.
#[test]
fn an_axis_without_effect_is_told() {
    let scratch = scratch(SWEEP);
    let warned = |args: &[&str]| {
        let common = ["sweep", "sweep.toml", "--seeds", "7,", "--format", "csv"];
        let run = airtab(scratch.path(), "kept", &[&common[..], args].concat());
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        text(&run.stderr).lines().find_map(|line| line.strip_prefix("warning: ")).map(str::to_string)
    };
    assert_eq!(warned(&[]), None);
    let said = "axis queue.codel.interval: with 100ms and 200ms the same is run, under every discipline: does anything \
                read what it sets?";
    let axis = "queue.codel.interval=100ms,200ms";
    assert_eq!(warned(&["--queues", "fifo", "--axis", axis]).as_deref(), Some(said));
    assert_eq!(warned(&["--queues", "fifo,codel", "--axis", axis]), None);
}

#[test]
fn what_cannot_be_swept_is_told() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    std::fs::write(dir.join("bad.toml"), SWEEP.replace("count = 2", "cuont = 2")).unwrap();
    std::fs::write(
        dir.join("many.toml"),
        SWEEP.replace("count = 2", "step = 1").replace("to = 80", "to = 99999999"),
    )
    .unwrap();
    std::fs::write(dir.join("column.toml"), SWEEP.replace("\"limit\"", "\"seed\"")).unwrap();
    std::fs::create_dir(dir.join("empty")).unwrap();
    std::fs::create_dir(dir.join("noise")).unwrap();
    std::fs::write(dir.join("noise/x.pack"), "noise").unwrap();
    let axis = "app.call.start";
    for (args, said) in [
        (
            &["sweep.toml", "--shard", "0/4", "--out", "x"][..],
            "there is no shard 0 of 4: the first of 4 is 1/4",
        ),
        (&["sweep.toml", "--shard", "1/4"], "--out <DIR>"),
        (&["sweep.toml", "--seeds", "0"], "0 seeds: give 1 to 100000"),
        (&["sweep.toml", "--seeds", "3-1"], "3-1 has no seed: write 1-3"),
        (&["sweep.toml", "--axis", axis], "give a key of the scenario and its values, as in"),
        (&["sweep.toml", "--axis", "app.call.start="], "an axis needs at least one value"),
        (&["sweep.toml", "--axis", "app.call.start=0s,1s,0s"], "'0s' is there twice"),
        (&["sweep.toml", "--axis", "station.far.distance=3"], "axis `distance` sets it already"),
        (&["sweep.toml", "--axis", "distance=3"], "there is an axis of that name"),
        (&["sweep.toml", "--axis", "app.nobody.start=0s"], "no [[app]] 'nobody' (known: call, load)"),
        (
            &["sweep.toml", "--axis", "app.call.sart=0s"],
            "at limit = 20, distance = 1.5, latency = 5ms, app.call.sart = 0s: ",
        ),
        (&["sweep.toml", "--set", "app.call.start=1parsec"], "limit = 20, distance = 1.5, latency = 5ms: "),
        (
            &["sweep.toml", "--cluster", "local"],
            "error: --cluster: the command of the package for Python has it: pip install 'airtab[dask]'",
        ),
        (&["sweep.toml", "--cluster", "local", "--budget", "1s"], "cannot be used with"),
        (&["sweep.toml", "--queues", "fifo,fifo"], "--queues names fifo twice"),
        (&["sweep.toml", "--format", "parquet"], "name a directory for the file with --out"),
        (&["sweep.toml", "--merge", "empty"], "empty: holds no pack of runs"),
        (&["sweep.toml", "--merge", "noise"], "noise/x.pack: is no pack of runs"),
        (&["sweep.toml", "--merge", "nowhere"], "cannot read nowhere: "),
        (&["sweep.toml", "--out", "sweep.toml/x"], "cannot make the directory sweep.toml/x"),
        (&["bad.toml"], "did you mean `count`?"),
        (&["many.toml"], "at most 100000"),
        (&["column.toml"], "axis 'seed': results have a column of that name"),
        (&["nothing.toml"], "nothing.toml: "),
        (&["family2"], "no such file, and no scenario that airtab brings"),
        (&["live/lnx-cpu"], "is run in real time: airtab experiment run live/lnx-cpu"),
    ] {
        let run = airtab(dir, "kept", &[&["sweep"], args].concat());
        let errors = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains(said), "{args:?}: {errors}");
        assert!(run.stdout.is_empty() && packs(&dir.join("kept/runs")).is_empty(), "{args:?}: something ran");
    }
}

/// A scenario by its name, along an axis of the command line: a row for each figure, and a table.
#[test]
fn forms_of_results() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let common = ["sweep", "sweep.toml", "--queues", "fifo", "--seeds", "7,", "--set", "app.call.start=50ms"];
    let csv = airtab(dir, "kept", &[&common[..], &["--format", "csv"]].concat());
    let lines: Vec<&str> = text(&csv.stdout).lines().collect();
    assert_eq!(lines[0], "limit,distance,latency,queue,discipline,application,kind,metric,seed,value");
    assert!(lines[1].starts_with("20,1.5,5ms,fifo,fifo,call,voip,voip_mos,7,"), "{}", lines[1]);
    assert!(lines.last().unwrap().starts_with("80,5,20ms,fifo,fifo,ap,ap,"), "{:?}", lines.last());
    let json = airtab(dir, "kept", &[&common[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((json["runs"].as_u64(), json["points"].as_array().map(Vec::len)), (Some(8), Some(8)));
    assert_eq!(json["points"][7]["at"]["latency"], "20ms");
    // Every row is a value of the JSON's, and every value of the JSON's is a row.
    let mut of_json = BTreeMap::new();
    for point in json["points"].as_array().expect("points") {
        let at = ["limit", "distance", "latency"].map(|axis| point["at"][axis].as_str().expect("a text"));
        let queue = &point["queues"][0];
        for part in queue["apps"].as_array().expect("parts").iter().chain([&queue["ap"]]) {
            for (metric, figure) in part["metrics"].as_object().expect("figures") {
                let name = format!("{},{},{metric}", at.join(","), part["name"].as_str().expect("a name"));
                assert_eq!(figure["values"].as_array().map(Vec::len), Some(1), "{name}");
                of_json.insert(name, figure["values"][0].as_f64().expect("a number"));
            }
        }
    }
    let of_csv = lines[1..].iter().map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let [limit, distance, latency, "fifo", "fifo", part, _, metric, "7", value] = cells[..] else {
            panic!("{line}")
        };
        (format!("{limit},{distance},{latency},{part},{metric}"), value.parse().expect("a number"))
    });
    assert!(of_json.len() > 8 * 30, "{}", of_json.len());
    assert_eq!(of_csv.collect::<BTreeMap<_, f64>>(), of_json);
    let table = airtab(dir, "kept", &common);
    assert!(text(&table.stdout).starts_with("sweep: 8 runs, 1 seed\n"), "{}", text(&table.stdout));
    assert!(text(&table.stderr).starts_with("8 of 8 runs are known from before."), "{}", text(&table.stderr));
    // A scenario, without a file of a sweep.
    let scenario = "name = \"alone\"\nduration = \"1s\"\nmeasure = [\"200ms\", \"1s\"]\nstation = [{ name = \"a\" }]\n\
                    app = [{ name = \"load\", kind = \"download\", station = \"a\" }]\n";
    std::fs::write(dir.join("alone.toml"), scenario).unwrap();
    let args =
        ["sweep", "alone.toml", "--seeds", "1", "--queues", "fifo", "--axis", "queue.fifo.limit=50,500"];
    let alone = airtab(dir, "kept", &args);
    assert_eq!(alone.status.code(), Some(0), "{}", text(&alone.stderr));
    let shown = text(&alone.stdout);
    assert!(shown.starts_with("alone: 2 runs, 1 seed\n") && shown.contains("queue.fifo.limit"), "{shown}");
}

/// A shard whose disk is full says so, and keeps what it could.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs root: a file system that is mounted"]
fn needs_root_a_full_disk_is_told() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    std::fs::create_dir(dir.join("packs")).unwrap();
    let mounted = |run: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &format!("mount -t tmpfs -o size=4k none packs && {run}")]);
        command.args([
            env!("CARGO_BIN_EXE_airtab"),
            "sweep",
            "sweep.toml",
            "--shard",
            "1/1",
            "--out",
            "packs",
        ]);
        command.current_dir(dir).stdin(Stdio::null()).output().expect("unshare starts")
    };
    let tried = mounted("true");
    assert!(tried.status.success(), "nothing can be mounted, which needs root: {}", text(&tried.stderr));
    let run = mounted("exec \"$0\" \"$@\"");
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write the packs in packs: No space left on device"), "{said}");
    assert!(said.contains("make room, and the same command goes on"), "{said}");
}

/// A sweep of one axis with that key and range, 50 ms of a call at each value.
fn of_range(dir: &Path, key: &str, range: &str) -> Output {
    let text = format!(
        "queues = [\"fifo\"]\nseeds = 1\n[scenario]\nduration = \"60ms\"\nmeasure = [\"10ms\", \"60ms\"]\n\
         station = [{{ name = \"a\" }}]\napp = [{{ name = \"call\", kind = \"voip\", station = \"a\" }}]\n\
         [[axis]]\nname = \"v\"\nkeys = [\"{key}\"]\nrange = {{ {range} }}\n"
    );
    std::fs::write(dir.join("range.toml"), text).expect("written");
    airtab(dir, "none", &["sweep", "range.toml", "--no-cache", "--format", "json"])
}

#[test]
fn ranges_by_hand() {
    let scratch = scratch(SWEEP);
    let (limit, latency, distance) = ("queue.fifo.limit", "app.call.latency", "station.a.distance");
    for (key, range, values) in [
        (limit, "from = 10, to = 60, step = 20", &["10", "30", "50"][..]),
        (limit, "from = 3, to = 1, step = -1", &["3", "2", "1"]),
        (limit, "from = 1, to = 3, count = 9", &["1", "2", "3"]),
        (limit, "from = 10, to = 1000, count = 5, log = true", &["10", "32", "100", "316", "1000"]),
        (limit, "from = 5, to = 80, step = 2, log = true", &["5", "10", "20", "40", "80"]),
        (latency, "from = \"10ms\", to = \"12ms\", count = 3", &["10ms", "11ms", "12ms"]),
        (latency, "from = \"1ms\", to = \"1.3ms\", step = \"0.1ms\"", &["1ms", "1.1ms", "1.2ms", "1.3ms"]),
        (distance, "from = 1.0, to = 2, count = 4", &["1", "1.33333333333", "1.66666666667", "2"]),
    ] {
        let run = of_range(scratch.path(), key, range);
        assert_eq!(run.status.code(), Some(0), "{range}: {}", text(&run.stderr));
        let json: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert_eq!(json["axes"][0]["values"], serde_json::json!(values), "{range}");
    }
    for (range, said) in [
        ("from = 1, to = 3", "a range has either a `count` of values or a `step`"),
        ("from = 1, to = 3, count = 2, step = 1", "a range has either a `count` of values or a `step`"),
        ("from = 3, to = 1, step = 1", "step: never comes from `from` to `to`"),
        ("from = 1, to = 3, step = 0", "step: never comes from `from` to `to`"),
        ("from = 0, to = 3, count = 3, log = true", "from: must be above 0"),
        ("from = 1, to = \"3ms\", count = 3", "to: must have the unit of `from`"),
        ("from = \"x\", to = 3, count = 3", "from: 'x' does not begin with a number"),
        ("from = 1, to = 3, count = 1", "count: '1' is outside 2 to 100000"),
        ("from = 1, to = 3, count = 100000000", "is outside 2 to 100000"),
    ] {
        let run = of_range(scratch.path(), limit, range);
        assert_eq!(run.status.code(), Some(2), "{range}: {}", text(&run.stderr));
        assert!(text(&run.stderr).contains(said), "{range}: {}", text(&run.stderr));
    }
}

/// Sentences on runs that are stored, and on those that a merge lacks: one run is not several.
#[test]
fn what_is_one_is_not_called_several() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let small = "seeds = 1\nqueues = [\"fifo\"]\n[scenario]\nduration = \"60ms\"\nmeasure = [\"10ms\", \"60ms\"]\n\
                 station = [{ name = \"a\" }]\napp = [{ name = \"call\", kind = \"voip\", station = \"a\" }]\n";
    std::fs::write(dir.join("one.toml"), small).expect("written");
    let run = |args: &[&str]| {
        let run = airtab(dir, "kept", &[&["sweep", "one.toml"], args].concat());
        (run.status.code(), text(&run.stderr).to_string(), text(&run.stdout).to_string())
    };
    let (_, first, shown) = run(&[]);
    assert!(first.starts_with("1 run ...\n") && shown.starts_with("one: 1 run, 1 seed\n"), "{first}{shown}");
    let (_, again, _) = run(&[]);
    assert!(again.starts_with("1 of 1 run is known from before.\n"), "{again}");
    let (_, more, _) = run(&["--queues", "fifo,chap", "--seeds", "1-2"]);
    assert!(more.starts_with("1 of 4 runs are known from before.\n3 runs ...\n"), "{more}");
    // Of a sweep with rounds, the first is what is known of.
    let until = ["--until", "call.voip_mos=5", "--first", "3", "--most", "9", "--queues", "fifo,chap"];
    let (_, rounds, _) = run(&until);
    let said = "4 of 6 runs of the first round are known from before.\n2 runs of the first round ...\n";
    assert!(rounds.starts_with(said), "{rounds}");
    // Shards: so many runs each; one that lacks a run is told.
    let (_, shard, _) = run(&["--seeds", "3", "--shard", "1/2", "--out", "s1"]);
    assert!(
        shard.contains("Shard 1/2: 2 runs in s1.\n") || shard.contains("Shard 1/2: 1 run in s1.\n"),
        "{shard}"
    );
    let made = if shard.contains("2 runs") { 2 } else { 1 };
    let (_, shard, _) = run(&["--seeds", "3", "--shard", "2/2", "--out", "s2"]);
    let other = if made == 2 { "1 run" } else { "2 runs" };
    assert!(shard.contains(&format!("Shard 2/2: {other} in s2.\n")), "{shard}");
    let folders = if made == 2 { ["s1", "s2"] } else { ["s2", "s1"] };
    let (code, one, _) = run(&["--seeds", "3", "--merge", folders[0]]);
    assert!(
        code == Some(2)
            && one.contains("--merge: 1 of 3 runs is not in these folders; the first: fifo, seed "),
        "{one}"
    );
    let (code, two, _) = run(&["--seeds", "3", "--merge", folders[1]]);
    assert!(code == Some(2) && two.contains("--merge: 2 of 3 runs are not in these folders; "), "{two}");
    let (code, whole, _) = run(&["--seeds", "3", "--merge", "s1", "s2"]);
    assert!(code == Some(0) && !whole.contains("known from before"), "{whole}");
}

/// A missing directory of packs is no message; of another directory only its own packs are listed.
#[test]
fn another_folder_of_packs_is_looked_at() {
    let scratch = scratch(SWEEP);
    let dir = scratch.path();
    let cache = |words: &[&str]| {
        let run = airtab(dir, "kept", &[&["cache"], words].concat());
        (run.status.code(), text(&run.stdout).to_string())
    };
    for (word, said) in [
        ("size", "nowhere: 0 runs in 0 packs, 0 bytes\n"),
        ("verify", "nowhere: 0 runs can be read\n"),
        ("prune", "nowhere: 0 bytes smaller; 0 runs left; 0 packs removed, 0 put together\n"),
    ] {
        assert_eq!(cache(&[word, "nowhere"]), (Some(0), said.into()));
    }
    assert!(!dir.join("nowhere").exists() && !dir.join("kept").exists());
    let one = SWEEP.split("[[axis]]").next().expect("a beginning");
    std::fs::write(dir.join("sweep.toml"), one).expect("written");
    for (seeds, out) in [("1", "own"), ("3", "other")] {
        let made =
            airtab(dir, "kept", &["sweep", "sweep.toml", "--seeds", seeds, "--shard", "1/1", "--out", out]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    }
    std::fs::create_dir(dir.join("kept")).expect("a folder");
    std::fs::rename(dir.join("other"), dir.join("kept/runs")).expect("renamed");
    let json = |words: &[&str]| -> serde_json::Value { serde_json::from_str(&cache(words).1).expect("JSON") };
    for (words, folder, runs) in
        [(&["size", "own", "--json"][..], "own", 2), (&["size", "--json"], "kept/runs", 6)]
    {
        let size = json(words);
        assert!(size["folder"].as_str().is_some_and(|path| path.ends_with(folder)), "{size}");
        assert_eq!((&size["cache"]["runs"], &size["cache"]["packs"]), (&runs.into(), &1.into()));
    }
    // Runs of this version stay, unless all are to go.
    let runs = |words: &[&str]| json(&[words, &["--json"]].concat())["cache"]["runs"].clone();
    assert_eq!((runs(&["prune", "own"]), runs(&["size", "own"])), (2.into(), 2.into()));
    assert_eq!(
        (runs(&["prune", "own", "--all"]), runs(&["size", "own"]), runs(&["size"])),
        (0.into(), 0.into(), 6.into())
    );
}
