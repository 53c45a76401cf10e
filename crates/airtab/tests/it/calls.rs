// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Calls of the library give what the commands print and write.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use airtab::calls::{self, Asked, Back, Broken, Cache, CallError, Elsewhere, Found, From, How, Order};

use crate::common::{airtab, scratch, text};

const HOUSE: &str = r#"
name = "house"
duration = "1s"
measure = ["100ms", "1s"]
station = [{ name = "near" }, { name = "far", distance = 9 }]
app = [
  { name = "call", kind = "voip", station = "near" },
  { name = "load", kind = "download", station = "far", latency = "5ms" },
]
"#;

static GO: AtomicBool = AtomicBool::new(false);

fn how(cache: Cache, progress: &(dyn Fn(usize, usize) + Sync)) -> How<'_> {
    How { jobs: 2, cache, stop: &GO, progress, elsewhere: None }
}

fn labels(all: &[&str]) -> Vec<airtab_scenario::QueueSpec> {
    let labels: Vec<String> = all.iter().map(|label| label.to_string()).collect();
    calls::queues(&labels).expect("disciplines")
}

fn printed(dir: &Path, words: &[&str]) -> String {
    let run = airtab(dir, "none", words);
    assert_eq!(run.status.code(), Some(0), "{words:?}: {}", text(&run.stderr));
    text(&run.stdout).into()
}

/// Rows as the commands print them.
fn csv(rows: &arrow_array::RecordBatch) -> String {
    let mut csv = airtab_lab::frame::Csv::new(Vec::new(), &rows.schema()).expect("a header");
    csv.write(rows).expect("rows");
    String::from_utf8(csv.close().expect("an end")).expect("UTF-8")
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("readable"));
    let file = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().expect("UTF-8"), std::fs::read(entry.path()).expect("readable"))
    };
    entries.map(file).collect()
}

#[test]
fn a_comparison_is_that_of_the_command() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let found = Found::of(Some(&dir.join("sweep.toml"))).expect("a scenario");
    let queues = labels(&["fifo:limit=50", "chap"]);
    for (seeds, short, options) in [
        (vec![1, 2], false, &["--seeds", "2"][..]),
        (vec![5], false, &["--seeds", "5,"]),
        (vec![2, 7], true, &["--seeds", "2,7", "--short"]),
    ] {
        let steps = Mutex::new(Vec::new());
        let note = |done, total| steps.lock().expect("whole").push((done, total));
        let made = calls::compare(&found, &queues, &seeds, short, &how(Cache::Off, &note)).expect("it runs");
        let runs = 2 * seeds.len();
        let mut seen = steps.into_inner().expect("whole");
        seen.sort_unstable();
        assert_eq!(seen, (1..=runs).map(|done| (done, runs)).collect::<Vec<_>>());
        let command = ["compare", "sweep.toml", "--queues", "fifo:limit=50,chap"];
        let command = [&command[..], options].concat();
        let json = printed(dir, &[&command[..], &["--json"]].concat());
        assert!(made.json().expect("JSON") == json && made.run_json().expect("JSON") == json, "{options:?}");
        let full = printed(dir, &[&command[..], &["--why", "full"]].concat());
        assert!(full.contains(&made.text(100)), "{}", made.text(100));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (how, whole) in [("short", false), ("full", true)] {
            let said = printed(dir, &[&command[..], &["--why", how]].concat());
            let (_, reasons) = said.split_once("\nWhy\n").expect("reasons");
            assert_eq!(words(&made.why(whole).join(" ")), words(reasons), "{how}");
        }
        let rows = printed(dir, &[&command[..], &["--format", "csv"]].concat());
        assert_eq!(csv(&made.frame()), rows);
        printed(dir, &[&command[..], &["--out", "command"]].concat());
        let names = made.save(&dir.join("call"), 1, &GO).expect("written");
        let (call, command) = (files(&dir.join("call")), files(&dir.join("command")));
        assert_eq!(call.keys().collect::<Vec<_>>(), command.keys().collect::<Vec<_>>());
        assert!(names.iter().all(|name| call.contains_key(name)) && names.len() == call.len());
        let other: Vec<&String> = call.keys().filter(|name| call[*name] != command[*name]).collect();
        assert!(other.is_empty(), "{options:?}: {other:?}");
        std::fs::remove_dir_all(dir.join("call")).expect("removed");
        // The time series have the duration of the runs.
        let results: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let courses = made.courses(&how(Cache::Off, &|_, _| ())).expect("it runs");
        // Of the first seed, whichever others there are.
        assert_eq!(courses["seed"], seeds[0]);
        let first = calls::compare(&found, &queues, &seeds[..1], short, &how(Cache::Off, &|_, _| ()));
        let first = first.expect("it runs").courses(&how(Cache::Off, &|_, _| ())).expect("it runs");
        assert!(first == courses, "{options:?}");
        let steps = courses["queues"][1]["apps"][0]["received"].as_array().expect("rates").len() as f64;
        let step_s = courses["step_s"].as_f64().expect("a step");
        let ran_s = results["duration_ns"].as_f64().expect("a time") * 1e-9;
        assert!((steps * step_s - ran_s).abs() < step_s, "{options:?}: {steps} of {step_s} s in {ran_s} s");
    }
}

#[test]
fn a_run_is_that_of_the_command() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let found = Found::of(Some(&dir.join("sweep.toml"))).expect("a scenario");
    let run = calls::compare(&found, &labels(&["chap"]), &[3], false, &how(Cache::Off, &|_, _| ()));
    let run = run.expect("it runs");
    let command = ["run", "sweep.toml", "--seed", "3"];
    assert!(run.run_json().expect("JSON") == printed(dir, &[&command[..], &["--json"]].concat()));
    assert!(printed(dir, &command).contains(&run.text(100)), "{}", run.text(100));
    // Several seeds of one discipline are a comparison.
    let two = calls::compare(&found, &labels(&["chap"]), &[1, 2], false, &how(Cache::Off, &|_, _| ()));
    let shown = printed(dir, &["run", "sweep.toml", "--seeds", "2", "--why", "none"]);
    assert!(shown.ends_with(&two.expect("it runs").text(100)), "{shown}");
    // Of the first seed, in the order of applications: the station receives the download and sends its half of the call.
    let courses = run.courses(&how(Cache::Off, &|_, _| ())).expect("it runs");
    assert_eq!((courses["seed"].as_u64(), courses["queues"][0]["label"].as_str()), (Some(3), Some("chap")));
    let rates = |app: usize, way: &str| -> Vec<f64> {
        let rates = courses["queues"][0]["apps"][app][way].as_array().expect("rates");
        rates.iter().filter_map(serde_json::Value::as_f64).collect()
    };
    let sum = |app, way| rates(app, way).iter().sum::<f64>() * courses["step_s"].as_f64().expect("a step");
    assert_eq!(courses["queues"][0]["apps"][1]["name"], "load");
    let json: serde_json::Value = serde_json::from_str(&run.json().expect("JSON")).expect("JSON");
    let goodput =
        json["queues"][0]["apps"][1]["metrics"]["goodput_bits_per_second"]["mean"].as_f64().expect("a rate");
    // 0.9 of 1 s are measured.
    let received = sum(1, "received");
    assert!(received > 0.9 * goodput && received < 1.4 * goodput, "{received} {goodput}");
    assert!(sum(1, "uploaded") < received / 4.0 && sum(0, "uploaded") > 0.0, "{courses:#}");
}

#[test]
fn a_sweep_is_that_of_the_command() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let path = dir.join("sweep.toml");
    let file = path.to_str().expect("UTF-8");
    let asked = || Asked {
        axes: vec![("station.far.distance".into(), vec!["1".into(), "9".into()])],
        queues: Some(labels(&["chap"])),
        seeds: Some("2-3".into()),
        ..Asked::default()
    };
    let command = ["sweep", file, "--axis", "station.far.distance=1,9", "--queues", "chap", "--seeds", "2-3"];
    let json = printed(dir, &[&command[..], &["--json"]].concat());
    let from = || From::File(path.clone());
    let count = Mutex::new(Vec::new());
    let note = |done, total| count.lock().expect("whole").push((done, total));
    let kept = || Cache::At(dir.join("kept"));
    let first = calls::sweep(&from(), asked(), &how(kept(), &note)).expect("it runs");
    let mut seen = std::mem::take(&mut *count.lock().expect("whole"));
    seen.sort_unstable();
    assert_eq!(seen, [(1, 4), (2, 4), (3, 4), (4, 4)]);
    let again = calls::sweep(&from(), asked(), &how(kept(), &note)).expect("it runs");
    assert!(count.into_inner().expect("whole").is_empty(), "stored runs are run");
    let more = Asked { seeds: Some("1-3".into()), ..asked() };
    let count = Mutex::new(Vec::new());
    let note = |done, total| count.lock().expect("whole").push((done, total));
    calls::sweep(&from(), more, &how(kept(), &note)).expect("it runs");
    let mut seen = count.into_inner().expect("whole");
    seen.sort_unstable();
    assert_eq!(seen, [(1, 2), (2, 2)], "of 6 runs 4 are stored");
    let text = From::Text(file.into(), HOUSE.into());
    let of_text = calls::sweep(&text, asked(), &how(Cache::Off, &|_, _| ())).expect("it runs");
    for swept in [&first, &again, &of_text] {
        assert_eq!(swept.json().expect("JSON"), json);
        assert!(swept.warnings.is_empty(), "{:?}", swept.warnings);
    }
    let rows = printed(dir, &[&command[..], &["--format", "csv"]].concat());
    assert_eq!(csv(&first.frame()), rows);
    printed(dir, &[&command[..], &["--out", "command"]].concat());
    let names = first.save(&dir.join("call")).expect("written");
    let (call, of_command) = (files(&dir.join("call")), files(&dir.join("command")));
    assert!(call == of_command && names.len() == call.len(), "{names:?} {:?}", of_command.keys());
    // Seeds in rounds: until an interval is narrow, or there are enough.
    let until = |rounds| {
        let until = Some(("load.goodput_bits_per_second".into(), 1.0));
        let asked = Asked { until, rounds, seeds: None, ..asked() };
        calls::sweep(&from(), asked, &how(Cache::Off, &|_, _| ())).expect("it runs").json().expect("JSON")
    };
    let rounds = ["--until", "load.goodput_bits_per_second=1", "--first", "2", "--most", "5", "--json"];
    let json_of_rounds = printed(dir, &[&command[..6], &rounds].concat());
    assert_eq!(until((Some(2), Some(5))), json_of_rounds);
    let seeds = serde_json::from_str::<serde_json::Value>(&json_of_rounds).expect("JSON");
    assert_eq!(seeds["until"]["points"][0]["seeds"], 5, "{seeds:#}");
    // Two machines, and their packs together.
    let shards = ["1/2", "2/2"].map(|shard| {
        let packs = dir.join(shard.replace('/', "of"));
        let made =
            calls::fill(&from(), asked(), shard, &packs, &how(Cache::Off, &|_, _| ())).expect("it runs");
        assert!((1..4).contains(&made), "{made}");
        (packs, made)
    });
    assert_eq!(shards[0].1 + shards[1].1, 4);
    let merge = |folders: &[usize]| {
        let merge = folders.iter().map(|i| shards[*i].0.clone()).collect();
        calls::sweep(&from(), Asked { merge, ..asked() }, &how(Cache::Off, &|_, _| ()))
    };
    assert_eq!(merge(&[0, 1]).expect("all are there").json().expect("JSON"), json);
    match merge(&[1]).map(|_| ()) {
        Err(CallError::Store(said)) => {
            assert!(said.starts_with(&format!("merge: of 4 runs {} are not in", shards[0].1)), "{said}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_experiment_is_that_of_the_command() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let file = dir.join("small.toml");
    std::fs::write(&file, include_str!("../../../airtab-lab/tests/it/game-beside-download.toml"))
        .expect("written");
    let name = file.to_str().expect("UTF-8");
    for (quick, seeds, options, runs) in
        [(false, None, &[][..], 18), (true, None, &["--quick"], 8), (false, Some(1), &["--seeds", "1"], 6)]
    {
        let steps = Mutex::new(Vec::new());
        let note = |done, total| steps.lock().expect("whole").push((done, total));
        let found = calls::find(name).expect("an experiment");
        let made = calls::experiment(found, quick, seeds, &how(Cache::Off, &note)).expect("it runs");
        let mut seen = steps.into_inner().expect("whole");
        seen.sort_unstable();
        assert_eq!(seen, (1..=runs).map(|done| (done, runs)).collect::<Vec<_>>(), "{options:?}");
        let command = [&["experiment", "run", name, "--no-cache"], options].concat();
        let json = printed(dir, &[&command[..], &["--json"]].concat());
        let all: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let own: serde_json::Value = serde_json::from_str(&made.json().expect("JSON")).expect("JSON");
        assert_eq!(all, serde_json::json!([own]), "{options:?}");
        assert!(printed(dir, &command).starts_with(&made.text(100)), "{}", made.text(100));
        let rows = printed(dir, &[&command[..], &["--format", "csv"]].concat());
        assert_eq!(csv(&made.frame().expect("rows")), rows, "{options:?}");
        printed(dir, &[&command[..], &["--out", "command"]].concat());
        made.save(&dir.join("call")).expect("written");
        let (call, mut of_command) = (files(&dir.join("call")), files(&dir.join("command")));
        // The page that leads to those of all that a command has run.
        of_command.remove("index.html").expect("it is there");
        assert_eq!(call.keys().collect::<Vec<_>>(), of_command.keys().collect::<Vec<_>>());
        let other: Vec<&String> = call.keys().filter(|name| call[*name] != of_command[*name]).collect();
        assert!(other.is_empty(), "{options:?}: {other:?}");
    }
    // Runs that are stored are not counted; what is run in real time, or is none, is refused.
    let again = |note: &(dyn Fn(usize, usize) + Sync)| {
        let found = calls::find(name).expect("an experiment");
        calls::experiment(found, false, Some(1), &how(Cache::At(dir.join("kept")), note)).expect("it runs")
    };
    let steps = AtomicUsize::new(0);
    let note = |_, _| _ = steps.fetch_add(1, Ordering::Relaxed);
    assert_eq!(again(&note).json().expect("JSON"), again(&note).json().expect("JSON"));
    assert_eq!(steps.into_inner(), 6);
    let counted = Mutex::new(Vec::new());
    let note = |done, total| counted.lock().expect("whole").push((done, total));
    let found = calls::find(name).expect("an experiment");
    calls::experiment(found, false, Some(2), &how(Cache::At(dir.join("kept")), &note)).expect("it runs");
    let mut seen = counted.into_inner().expect("whole");
    seen.sort_unstable();
    assert_eq!(seen, (1..=6).map(|done| (done, 6)).collect::<Vec<_>>(), "of 12 runs 6 are stored");
    let live = calls::find("live/lnx-clean").expect("an experiment");
    let said =
        calls::experiment(live, true, None, &how(Cache::Off, &|_, _| ())).map(|_| ()).expect_err("refused");
    assert_eq!(
        said.to_string(),
        "live/lnx-clean is run in real time: sudo airtab experiment run live/lnx-clean"
    );
    let said = calls::find("chap/constant").map(|_| ()).expect_err("there is none").to_string();
    assert!(said.contains("chap/constants"), "{said}");
    assert!(matches!(calls::find("chap/constant"), Err(CallError::Wrong(_))));
    std::fs::write(dir.join("bad.toml"), "title = 3").expect("written");
    let bad = calls::find(dir.join("bad.toml").to_str().expect("UTF-8")).map(|_| ());
    assert!(matches!(bad, Err(CallError::Scenario(_))), "{bad:?}");
}

/// Another machine: it makes what is ordered, two runs at a time.
#[derive(Default)]
struct Machine {
    orders: Mutex<Vec<Order>>,
    broken: bool,
}

impl Elsewhere for Machine {
    fn exchange(&self, orders: Vec<Order>) -> Result<Back, Broken> {
        let runs: Vec<(&[u8], &str)> = orders.iter().map(|one| (&*one.study, one.run.as_str())).collect();
        let packs = match (self.broken, runs.is_empty()) {
            (true, _) => return Err(Broken("no cluster".into())),
            (_, true) => vec![],
            _ => vec![calls::make(&runs, &GO).map_err(|e| Broken(e.to_string()))?],
        };
        self.orders.lock().expect("whole").extend(orders);
        Ok(Back { packs, room: 2 })
    }
}

#[test]
fn runs_of_another_machine_give_the_same() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let found = Found::of(Some(&dir.join("sweep.toml"))).expect("a scenario");
    let queues = labels(&["chap", "fifo:limit=9"]);
    for short in [false, true] {
        let machine = Machine::default();
        let count = Mutex::new(Vec::new());
        let note = |done, total| count.lock().expect("whole").push((done, total));
        let afar = How { elsewhere: Some(&machine), ..how(Cache::Off, &note) };
        let there = calls::compare(&found, &queues, &[3, 8], short, &afar).expect("it runs");
        let here = calls::compare(&found, &queues, &[3, 8], short, &how(Cache::Off, &|_, _| ()));
        assert_eq!(there.json().expect("JSON"), here.expect("it runs").json().expect("JSON"));
        assert_eq!(machine.orders.into_inner().expect("whole").len(), 4);
        assert_eq!(count.into_inner().expect("whole"), [(1, 4), (2, 4), (3, 4), (4, 4)]);
    }
    let asked = || Asked {
        axes: vec![("station.far.distance".into(), vec!["1".into(), "9".into()])],
        queues: Some(labels(&["chap"])),
        seeds: Some("4,6".into()),
        ..Asked::default()
    };
    let from = From::File(dir.join("sweep.toml"));
    let machine = Machine::default();
    let afar = How { elsewhere: Some(&machine), ..how(Cache::Off, &|_, _| ()) };
    let there = calls::sweep(&from, asked(), &afar).expect("it runs").json().expect("JSON");
    let here = calls::sweep(&from, asked(), &how(Cache::Off, &|_, _| ())).expect("it runs");
    assert_eq!(there, here.json().expect("JSON"));
    let orders = machine.orders.into_inner().expect("whole");
    assert_eq!(orders.len(), 4);
    // A machine that stops, orders that are none, and no machine at all.
    let order: (&[u8], &str) = (&orders[0].study, &orders[0].run);
    match calls::make(&[order, order], &AtomicBool::new(true)) {
        Err(CallError::Stopped(stopped)) => assert_eq!((stopped.done, stopped.total), (0, 2)),
        other => panic!("{other:?}"),
    }
    for wrong in [(&b"x"[..], order.1), (order.0, "x")] {
        match calls::make(&[wrong], &GO) {
            Err(CallError::Elsewhere(said)) => assert_eq!(said, "this is no order of this version of airtab"),
            other => panic!("{other:?}"),
        }
    }
    let broken = Machine { broken: true, ..Machine::default() };
    let afar = How { elsewhere: Some(&broken), ..how(Cache::Off, &|_, _| ()) };
    let compared = calls::compare(&found, &queues, &[1], false, &afar).map(|_| ());
    let swept = calls::sweep(&from, asked(), &afar).map(|_| ());
    for failed in [compared, swept] {
        assert!(matches!(&failed, Err(CallError::Elsewhere(said)) if said == "no cluster"), "{failed:?}");
    }
}

/// Warnings of a command about the file, a discipline, a queue that is empty, an axis and intervals that are too wide.
#[test]
fn doubts_are_told_beside_the_results() {
    let driver = "[wifi.driver]\nstop = false\nring = 5\n";
    let found = |text: String| Found { name: "house.toml".into(), text, ours: false };
    let compared = |text: &str, queues: &[&str]| {
        calls::compare(&found(text.into()), &labels(queues), &[1], true, &how(Cache::Off, &|_, _| ()))
            .expect("it runs")
            .warnings
    };
    assert!(compared(HOUSE, &["chap", "fifo"]).is_empty());
    let said = compared(&format!("{HOUSE}{driver}"), &["spq:rules=*=0,tcp=1", "fifo"]);
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(
        said[2].starts_with("No discipline can differ here") && said[2].contains("`inflight"),
        "{said:?}"
    );
    assert!(said[0].contains("with stop = false the access point's driver takes everything"), "{said:?}");
    assert!(said[1].starts_with("spq: rules: rule 2, 'tcp=1', is never reached"), "{said:?}");
    let swept = |axis: &str, until: Option<f64>, rounds, queues: &[&str]| {
        let (path, values) = axis.split_once('=').expect("an axis");
        let values = values.split(',').map(String::from).collect();
        let asked = Asked {
            axes: vec![(path.into(), values)],
            queues: Some(labels(queues)),
            seeds: until.is_none().then(|| "1".into()),
            until: until.map(|width| ("load.goodput_bits_per_second".into(), width)),
            rounds,
            ..Asked::default()
        };
        let count = Mutex::new(Vec::new());
        let note = |done, total| count.lock().expect("whole").push((done, total));
        let from = From::Text("house.toml".into(), HOUSE.into());
        let swept = calls::sweep(&from, asked, &how(Cache::Off, &note)).expect("it runs");
        let mut seen = count.into_inner().expect("whole");
        seen.sort_unstable();
        (swept.warnings, seen)
    };
    let (said, seen) = swept("queue.codel.interval=100ms,200ms", None, (None, None), &["fifo"]);
    assert_eq!(
        said,
        [
            "axis queue.codel.interval: with 100ms and 200ms the same is run, under every discipline: does anything read \
          what it sets?"
        ]
    );
    assert!(seen.iter().all(|(_, total)| *total == 2), "{seen:?}");
    // How many runs rounds will take is not known.
    let (said, seen) = swept("wifi.attempts=4,7", Some(1.0), (Some(2), Some(3)), &["fifo"]);
    assert!(
        said.len() == 1 && said[0].starts_with("2 of 2 points with 3 seeds wider than ± 1 of load."),
        "{said:?}"
    );
    assert_eq!(seen, (1..=6).map(|done| (done, 0)).collect::<Vec<_>>());
    let (said, _) = swept("wifi.attempts=4,7", Some(1e9), (Some(2), Some(3)), &["fifo"]);
    assert!(said.is_empty(), "{said:?}");
}

/// Runs are kept in the folder that is named, and taken from there; a folder that cannot be used is an error.
#[test]
fn runs_are_kept_where_it_is_said() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    let found = Found::of(Some(&dir.join("sweep.toml"))).expect("a scenario");
    let kept = || Cache::At(dir.join("kept"));
    let compared = |seeds: &[u64], cache| {
        let made = calls::compare(&found, &labels(&["fifo"]), seeds, true, &how(cache, &|_, _| ()));
        made.expect("it runs").json().expect("JSON")
    };
    let bytes = || files(&dir.join("kept")).values().map(Vec::len).sum::<usize>();
    let first = compared(&[1, 2], kept());
    let one = bytes();
    assert!(one > 0);
    assert_eq!((compared(&[1, 2], kept()), bytes()), (first.clone(), one), "nothing is run again");
    assert_eq!(compared(&[1, 2], Cache::Off), first);
    compared(&[1, 2, 3], kept());
    assert!(bytes() > one, "the third is kept, too");
    let none = calls::compare(
        &found,
        &labels(&["fifo"]),
        &[1],
        true,
        &how(Cache::At(dir.join("sweep.toml")), &|_, _| ()),
    );
    match none.map(|_| ()) {
        Err(CallError::Store(said)) => {
            let start = format!("cannot keep runs in {}: ", dir.join("sweep.toml").display());
            assert!(said.starts_with(&start), "{said}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(Cache::default(), Cache::Usual);
}

/// Files that a scenario names are beside it, wherever the caller is; they go with its results.
#[test]
fn files_of_a_scenario_are_beside_it() {
    let scratch = scratch(HOUSE);
    let dir = scratch.path();
    std::fs::create_dir_all(dir.join("own")).expect("made");
    let film = "{ name = \"film\", kind = \"video\", station = \"near\", trace = \"film.txt\" },\n]\n";
    let house = HOUSE.trim_end().strip_suffix(']').expect("a list").to_string() + film;
    std::fs::write(dir.join("own/home.toml"), house).expect("written");
    std::fs::write(dir.join("own/film.txt"), "1 I 6000\n2 P 2000\n").expect("written");
    let found = Found::of(Some(&dir.join("own/home.toml"))).expect("a scenario");
    let made = calls::compare(&found, &labels(&["fifo"]), &[1], true, &how(Cache::Off, &|_, _| ()));
    let names = made.expect("it runs").save(&dir.join("call"), 1, &GO).expect("written");
    assert!(names.contains(&"film.txt".into()), "{names:?}");
    printed(
        dir,
        &["compare", "own/home.toml", "--queues", "fifo", "--seeds", "1", "--short", "--out", "command"],
    );
    assert_eq!(files(&dir.join("call")), files(&dir.join("command")));
}

#[test]
fn tables_and_versions_are_those_of_the_command() {
    let scratch = scratch(HOUSE);
    let (version, git, sources) = calls::version();
    let expected = format!("airtab {version}\ncommit {git}\n");
    assert_eq!(printed(scratch.path(), &["--version"]), expected);
    assert_eq!(sources, airtab_lab::store::sources());
    assert!(sources != git && !sources.is_empty(), "{sources}");
    let printed = printed(scratch.path(), &["disciplines", "--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).expect("JSON"), calls::disciplines());
    for (text, seeds) in
        [("3", &[1, 2, 3][..]), ("3-5", &[3, 4, 5]), ("9,1,4-5", &[9, 1, 4, 5]), ("7,", &[7])]
    {
        assert_eq!(calls::seeds(text).expect("seeds"), seeds, "{text}");
    }
}

#[test]
fn wrong_calls_are_named() {
    let wrong = |labels: &[&str]| {
        let labels: Vec<String> = labels.iter().map(|label| label.to_string()).collect();
        calls::queues(&labels).map(|_| ()).expect_err("wrong").to_string()
    };
    assert_eq!(wrong(&["fifo", "chap", "fifo"]), "queues: names fifo twice");
    assert!(wrong(&[]).starts_with("queues: none is named"));
    assert!(wrong(&["fifo", "chop"]).starts_with("no discipline 'chop'"));
    let queues = |labels: &[&str]| {
        calls::queues(&labels.iter().map(|label| label.to_string()).collect::<Vec<_>>()).map(|_| ())
    };
    assert!(matches!(queues(&["fifo", "chop"]), Err(CallError::Queue(_))));
    assert!(matches!(queues(&["fifo", "fifo"]), Err(CallError::Wrong(_))));
    assert!(matches!(queues(&[]), Err(CallError::Wrong(_))));
    assert_eq!(queues(&["fifo", "fifo:limit=9"]).ok(), Some(()));
    let order: Vec<String> =
        labels(&["pie", "chap:limit=9", "fifo"]).into_iter().map(|spec| spec.label).collect();
    assert_eq!(order, ["pie", "chap:limit=9", "fifo"]);
    assert_eq!(calls::seeds("3-5").expect("seeds"), [3, 4, 5]);
    assert!(calls::seeds("x").expect_err("wrong").to_string().starts_with("seeds: 'x' is no seed"));
    let ask = |axes: Vec<(String, Vec<String>)>| {
        let asked = Asked { axes, seeds: Some("1".into()), ..Asked::default() };
        let from = From::Text("house.toml".into(), HOUSE.into());
        calls::sweep(&from, asked, &how(Cache::Off, &|_, _| ())).map(|_| ()).expect_err("wrong").to_string()
    };
    let axis = |values: &[&str]| {
        let values = values.iter().map(|value| value.to_string()).collect();
        ask(vec![("wifi.attempts".into(), values)])
    };
    assert_eq!(axis(&["4", "5,6"]), "axis wifi.attempts: '5,6': values of an axis have no comma");
    assert!(axis(&[]).starts_with("axis wifi.attempts: an axis needs at least one value"));
    let live =
        calls::sweep(&From::File("live/lnx-clean".into()), Asked::default(), &how(Cache::Off, &|_, _| ()));
    assert_eq!(live.map(|_| ()).expect_err("refused").to_string(), "live/lnx-clean is run in real time");
    let from = From::Text("house.toml".into(), HOUSE.into());
    let shard = |shard: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let asked = Asked { seeds: Some("1".into()), ..Asked::default() };
        calls::fill(&from, asked, shard, folder.path(), &how(Cache::Off, &|_, _| ()))
            .expect_err("wrong")
            .to_string()
    };
    assert_eq!(shard("3/2"), "shard 3/2: there is no shard 3 of 2: the first of 4 is 1/4, the last 4/4");
    let house = || Found { name: "house.toml".into(), text: HOUSE.into(), ours: false };
    let compared = |found: &Found, queue: &str| {
        calls::compare(found, &labels(&[queue]), &[1], true, &how(Cache::Off, &|_, _| ())).map(|_| ())
    };
    // Each is right alone: a limit of the caller, and flows of the file.
    let few = Found { text: format!("{HOUSE}[queue.chap]\nflows = 3000\n"), ..house() };
    match compared(&few, "chap:limit=3000") {
        Err(CallError::Queue(said)) => assert!(said.starts_with("queue chap:limit=3000: "), "{said}"),
        other => panic!("{other:?}"),
    }
    let asked =
        Asked { queues: Some(labels(&["chap:limit=3000"])), seeds: Some("1".into()), ..Asked::default() };
    let from = From::Text(few.name, few.text);
    let swept = calls::sweep(&from, asked, &how(Cache::Off, &|_, _| ())).map(|_| ());
    assert!(matches!(&swept, Err(CallError::Queue(said)) if said.contains("limit is 3000")), "{swept:?}");
    let bad = compared(&Found { text: HOUSE.replace("voip", "vip"), ..house() }, "chap");
    assert!(matches!(&bad, Err(CallError::Scenario(e)) if e.to_string().contains("house.toml:")), "{bad:?}");
    // A stopped call says how far it came.
    let scratch = scratch(HOUSE);
    let found = Found::of(Some(&scratch.path().join("sweep.toml"))).expect("a scenario");
    let stop = AtomicBool::new(true);
    let how = How { stop: &stop, ..how(Cache::Off, &|_, _| ()) };
    let stopped = calls::compare(&found, &labels(&["fifo"]), &[1], false, &how).map(|_| ());
    assert!(matches!(stopped, Err(CallError::Stopped(_))), "{stopped:?}");
}
