// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Experiments from their files to their verdicts, as a user has them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use airtab_lab::Stopped;
use airtab_lab::experiment::{Experiment, Outcome, RunError, RunOptions, figures, jobs, page, run, text};
use airtab_lab::experiment::{State, Verdict, judge};
use airtab_lab::store::{NoStore, Packs, Store};
use airtab_lab::table::Style;
use tempfile::TempDir;

/// A game beside a download, at two limits; 6 s each.
const RIGHT: &str = include_str!("game-beside-download.toml");

fn experiment(text: &str) -> Result<Experiment, String> {
    let dir = folder();
    let path = dir.path().join("mine.toml");
    std::fs::write(&path, text).unwrap();
    let read = Experiment::load(&path).and_then(|e| e.points().map(|_| e));
    read.map_err(|e| e.to_string().replace(&format!("{}/", dir.path().display()), ""))
}

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Runs it; also how many runs were not stored.
fn outcome(e: &Experiment, store: &dyn Store, quick: bool, jobs: usize) -> (Outcome, usize) {
    let (stop, made) = (AtomicBool::new(false), AtomicUsize::new(0));
    let progress = || {
        made.fetch_add(1, Ordering::Relaxed);
    };
    let options = RunOptions { quick, jobs, progress: &progress, ..RunOptions::new(store, &stop) };
    let outcome = run(e, &options).unwrap();
    (outcome, made.into_inner())
}

#[test]
fn points_are_the_product_of_the_axes() {
    let e = experiment(RIGHT).unwrap();
    assert_eq!(e.points().unwrap().len(), 3);
    let two = RIGHT.replace("at = { q = [20, 80] }", "at = { d = 9 }");
    let two = two.replace(
        "[[figure]]",
        "[[axis]]\nname = \"d\"\nkeys = [\"station.far.distance\"]\nvalues = [1, 5, 9, 12]\n\n[[figure]]",
    );
    let e = experiment(&two).unwrap();
    let points = e.points().unwrap();
    assert_eq!(points.len(), 12);
    assert_eq!(e.place(&points[5].at), "q = 40, d = 5");
}

/// Sums by the beginning of names, and figures of a window: those of a run in which it is the measured time.
#[test]
fn names_with_a_star_and_windows() {
    let file = |keys: &str, of: &str| {
        format!(
            "title = \"t\"\nsource = \"s\"\nseeds = 1\nqueues = [\"fifo\"]\n[scenario]\nduration = \"6s\"\n{keys}\n\
             station = [{{ name = \"a\" }}]\napp = [\n\
             {{ name = \"udp one\", kind = \"udp\", rate = \"1Mb/s\", station = \"a\" }},\n\
             {{ name = \"udp two\", kind = \"udp\", rate = \"2Mb/s\", station = \"a\" }},\n\
             {{ name = \"other\", kind = \"udp\", rate = \"4Mb/s\", station = \"a\", start = \"3s\" }},\n]\n\
             [[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"r\"\nof = {of}\nqueue = \"fifo\"\nleast = 0\n"
        )
    };
    let measured = |keys: &str, of: &str| {
        let e = experiment(&file(keys, of)).unwrap_or_else(|e| panic!("{e}"));
        judge(&e, &outcome(&e, &NoStore, false, 1).0).remove(0).measured
    };
    let windows = "windows = { early = [\"1s\", \"3s\"], late = [\"4s\", \"6s\"] }";
    let rate = |app: &str| format!("\"{app}.goodput_bits_per_second\"");
    assert_eq!(
        measured(windows, &rate("udp*")),
        measured(windows, &format!("[{}, {}]", rate("udp one"), rate("udp two")))
    );
    assert_eq!(measured(windows, &rate("udp*@early")), measured("measure = [\"1s\", \"3s\"]", &rate("udp*")));
    assert_eq!(measured(windows, &rate("*@late")), measured("measure = [\"4s\", \"6s\"]", &rate("*")));
    assert_eq!(
        measured(windows, &rate("other@late")),
        measured("measure = [\"4s\", \"6s\"]", &rate("other"))
    );
    let wrong = experiment(&file(windows, &rate("tcp*"))).unwrap_err();
    assert!(wrong.contains("no application 'tcp*'"), "{wrong}");
    let wrong = experiment(&file(windows, &rate("other@noon"))).unwrap_err();
    assert!(wrong.contains("no application 'other@noon' (known: udp one"), "{wrong}");
}

#[test]
fn what_was_interrupted_goes_on_and_ends_the_same() {
    let e = experiment(RIGHT).unwrap();
    let (whole, made) = outcome(&e, &NoStore, false, 2);
    assert_eq!((made, whole.runs), (18, 18));
    let dir = folder();
    let store = Packs::open(dir.path()).unwrap();
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let after_five = || {
        if done.fetch_add(1, Ordering::Relaxed) == 4 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let options = RunOptions { jobs: 1, progress: &after_five, ..RunOptions::new(&store, &stop) };
    match run(&e, &options) {
        Err(RunError::Stopped(Stopped { done: 5, total: 18 })) => {}
        other => panic!("{other:?}"),
    }
    stop.store(false, Ordering::Relaxed);
    assert_eq!(jobs(&e, &options).unwrap(), (18, 5));
    let (resumed, made) = outcome(&e, &store, false, 2);
    assert_eq!(made, 13, "five were stored");
    assert!(resumed == whole, "the outcome depends on an interrupt");
    let (again, made) = outcome(&e, &store, false, 1);
    assert!(made == 0 && again == whole, "{made} runs were made again");
    drop(store);
    // A pack that is cut lacks its last run.
    let mut packs: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|pack| pack.unwrap().path()).collect();
    packs.sort();
    assert_eq!(packs.len(), 1, "one process, one pack");
    let bytes = std::fs::read(&packs[0]).unwrap();
    std::fs::write(&packs[0], &bytes[..bytes.len() - 1]).unwrap();
    let store = Packs::open(dir.path()).unwrap();
    assert_eq!(store.len(), 17);
    let (mended, made) = outcome(&e, &store, false, 1);
    assert!(made == 1 && mended == whole, "{made} runs were made again");
}

#[test]
fn quick_runs_what_checks_look_at() {
    let e = experiment(RIGHT).unwrap();
    let (quick, made) = outcome(&e, &NoStore, true, 0);
    assert_eq!(made, 8, "2 of 3 limits, 2 disciplines, 2 seeds");
    let places: Vec<String> = quick.points.iter().map(|p| e.place(&p.at)).collect();
    assert_eq!(places, ["q = 20", "q = 80"]);
    let fine = |v: &Verdict| matches!(v.state, State::Holds | State::Undecided);
    assert!(judge(&e, &quick).iter().all(fine), "{:?}", judge(&e, &quick));
}

/// A quick look at it has no interval, which would leave all open.
fn of_one_seed(text: &str) -> String {
    text.replace("quick_seeds = 2", "quick_seeds = 1")
}

#[test]
fn what_does_not_hold_is_red_and_says_where() {
    let impossible = RIGHT.replace("least = 1.1", "most = 1.1");
    let known = impossible.replace("most = 1.1", "most = 1.1\nknown = \"because\"");
    let in_vain = RIGHT.replace("least = 1.1", "least = 1.1\nknown = \"because\"");
    let rises = RIGHT.replace("order = \"falls\"", "order = \"rises\"");
    let states = |text: &str| {
        let e = experiment(&of_one_seed(text)).unwrap();
        let (outcome, _) = outcome(&e, &NoStore, true, 0);
        let verdicts = judge(&e, &outcome);
        let states: Vec<State> = verdicts.iter().map(|v| v.state).collect();
        (states, verdicts.into_iter().filter_map(|v| v.cause).collect::<Vec<_>>())
    };
    assert_eq!(states(&impossible), (vec![State::Holds, State::Red], vec![]));
    assert_eq!(states(&known), (vec![State::Holds, State::KnownRed], vec!["because".into()]));
    assert_eq!(states(&in_vain), (vec![State::Holds, State::HoldsAgain], vec!["because".into()]));
    let (red, causes) = states(&rises);
    assert_eq!(red, [State::Red, State::Holds]);
    assert!(causes[0].starts_with("not so: ") && causes[0].ends_with("at q = 80"), "{causes:?}");
}

#[test]
fn page_table_and_board_have_it_all() {
    let e = experiment(&of_one_seed(RIGHT)).unwrap();
    let (outcome, _) = outcome(&e, &NoStore, true, 0);
    let verdicts = judge(&e, &outcome);
    let html = page(
        &e,
        &outcome,
        &verdicts,
        &figures(&e, &outcome, "mine"),
        "airtab experiment run mine.toml",
        "0 (commit 0)",
    );
    for part in [
        "A game beside a download",
        "2 of 2 reproduced",
        "<svg",
        "Opinion score",
        "q = 80",
        "game, chap by fifo",
        "<circle",
    ] {
        assert!(html.contains(part), "no {part}");
    }
    // The verdict is beside what it is about, where a phone shows it; tables are those of reports.
    let head = "<thead>\n<tr><th>what<th>verdict<th>measured<th>expected<th>source<th>off the source<th>section</tr>";
    assert!(html.contains(head), "{html}");
    assert!(html.contains("<th>game, chap by fifo<td class=\"holds\">reproduced<td>"), "{html}");
    assert_eq!(html.matches("<div class=\"fit\"><p class=\"note sideways\">").count(), 2, "{html}");
    assert_eq!(html.matches("<table ").count(), 2, "{html}");
    assert!(
        !html.contains("http://")
            || html.matches("http://").count() == html.matches("http://www.w3.org").count()
    );
    let style = Style { width: 80, colour: false };
    let table = text::result(&e, &outcome, &verdicts, style);
    assert!(table.lines().all(|l| l.chars().count() <= 80), "{table}");
    assert!(table.contains("reproduced") && table.contains("at least 1.1"), "{table}");
    assert!(text::show(&e, style).contains("limit, packets"));
}

/// Web pages and a video: clouds are drawn from stored runs as from fresh ones, and halves of pages are judged.
#[test]
fn clouds_of_pages_and_seconds() {
    let text = RIGHT
        .replace("kind = \"game\"", "kind = \"web\"")
        .replace("kind = \"download\"", "kind = \"video\"")
        .replace("game.game_mos", "game.page_seconds")
        .replace("at = { q = 80 }", "at = { q = 80 }\npages = \"larger\"")
        .replace(
            "[[check]]\nwhat = \"game, ",
            "[[scatter]]\ntitle = \"Pages\"\napp = \"game\"\ny = \"pages\"\n\n[[scatter]]\ntitle = \"Seconds\"\n\
             app = \"load\"\ny = \"frames\"\nmark = 2.5\n\n[[check]]\nwhat = \"game, ",
        );
    let e = experiment(&text).unwrap();
    let dir = folder();
    let store = Packs::open(dir.path()).unwrap();
    let drawn = || {
        let (outcome, made) = outcome(&e, &store, false, 0);
        let verdicts = judge(&e, &outcome);
        assert!(verdicts[1].values[0].mean.is_some_and(|v| v > 0.0), "{:?}", verdicts[1]);
        (made, page(&e, &outcome, &verdicts, &figures(&e, &outcome, "mine"), "", ""))
    };
    let (fresh, stored) = (drawn(), drawn());
    assert_eq!((fresh.0, stored.0), (18, 0));
    assert_eq!(fresh.1, stored.1);
    // 3 limits, 2 disciplines, 3 seeds, 4 whole seconds.
    let seconds = fresh.1.split("<h2>Seconds</h2>").nth(1).unwrap().split("<h2>").next().unwrap();
    assert_eq!(
        (seconds.matches("<svg role=").count(), seconds.matches("<circle class=\"dot\"").count()),
        (6, 72 + 2)
    );
    let pages = fresh.1.split("<h2>Pages</h2>").nth(1).unwrap().split("<h2>").next().unwrap();
    assert!(pages.contains("<circle") && pages.contains("response time, s"));
}

/// Name of the case, text to replace, its replacement.
const CASES: &[(&str, &str, &str)] = &[
    ("unknown key", "seeds = 3", "sedes = 3"),
    ("no title", "title = \"A game beside a download\"", ""),
    ("no seed", "seeds = 3", "seeds = 0"),
    ("more quick seeds than seeds", "quick_seeds = 2", "quick_seeds = 4"),
    ("unknown discipline", "\"chap\"]", "\"chop\"]"),
    ("discipline twice", "\"chap\"]", "\"fifo\"]"),
    ("no discipline", "[\"fifo\", \"chap\"]", "[]"),
    ("base that is not there", "about = \"Short.\"", "base = \"no.toml\""),
    ("scenario and server", "[scenario]", "[server]\ntask = \"bursts\"\n[scenario]"),
    ("wrong value in the scenario", "duration = \"6s\"", "duration = 6"),
    ("unknown key in the scenario", "distance = 5", "distanse = 5"),
    ("axis without values", "values = [20, 40, 80]", "values = []"),
    ("axis with a wrong value", "values = [20, 40, 80]", "values = [20, 0, 80]"),
    ("axis with a value twice", "values = [20, 40, 80]", "values = [20, 40, 20]"),
    ("axis with too few names", "values = [20, 40, 80]", "values = [20, 40, 80]\nnames = [\"a\"]"),
    ("axis of no station", "queue.fifo.limit\"", "station.nera.distance\""),
    ("axis of an unknown parameter", "queue.fifo.limit\"", "queue.fifo.limt\""),
    ("axis of no key", "queue.fifo.limit\"", "queue..limit\""),
    ("axis of a list", "queue.fifo.limit\"", "station.distance\""),
    ("figure over no axis", "x = \"q\"", "x = \"p\""),
    ("figure of no metric", "y = \"game.game_mos\"", "y = \"game.gane_mos\""),
    ("figure of no application", "y = \"game.game_mos\"", "y = \"gane.game_mos\""),
    ("figure of half a name", "y = \"game.game_mos\"", "y = \"game\""),
    ("check at no axis", "at = { q = 80 }", "at = { p = 80 }"),
    ("check at no value", "at = { q = 80 }", "at = { q = 81 }"),
    ("check of a discipline that is not run", "queue = \"chap\"", "queue = \"spq\""),
    ("check that expects nothing", "least = 1.1", ""),
    ("check that expects the impossible", "least = 1.1", "least = 1.1\nmost = 1"),
    ("check of a bound that is a text", "least = 1.1", "least = \"1.1\""),
    ("check with two comparisons", "least = 1.1", "minus = { queue = \"fifo\" }\nleast = 1.1"),
    ("check with order and bounds", "order = \"falls\"", "order = \"falls\"\nleast = 1"),
    ("check with an unknown order", "order = \"falls\"", "order = \"down\""),
    ("order at one point", "at = { q = [20, 80] }", "at = { q = 20 }"),
    ("published that is a text", "least = 1.1", "published = \"many\"\nleast = 1.1"),
    ("published that is no range", "least = 1.1", "published = [3, 2]\nleast = 1.1"),
    ("published of a quotient", "least = 1.1", "published = 2\nleast = 1.1"),
    ("rerun that is a text", "least = 1.1", "rerun = \"many\"\nleast = 1.1"),
    ("rerun that is no range", "least = 1.1", "rerun = [3, 2]\nleast = 1.1"),
    ("rerun of three numbers", "least = 1.1", "rerun = [1, 2, 3]\nleast = 1.1"),
    ("rerun that is infinite", "least = 1.1", "rerun = inf\nleast = 1.1"),
    ("rerun of nothing", "least = 1.1", "rerun = []\nleast = 1.1"),
    ("rerun of an order", "order = \"falls\"", "order = \"falls\"\nrerun = 3"),
    ("check without section", "section = \"2\"\n", ""),
    ("queue and spread", "queue = \"chap\"", "queue = \"chap\"\nspread = [\"fifo\", \"chap\"]"),
    ("seconds of a game", "least = 1.1", "seconds = { below = 2 }\nleast = 1.1"),
    ("pages of a game", "least = 1.1", "pages = \"smaller\"\nleast = 1.1"),
    (
        "pages with a mark",
        "[[figure]]",
        "[[scatter]]\ntitle = \"x\"\napp = \"gane\"\ny = \"pages\"\nmark = 2\n\n[[figure]]",
    ),
    ("figure of bars with a label", "x = \"q\"", "label = \"y\""),
    (
        "course that one of its disciplines has not",
        "[[figure]]",
        "[[course]]\ntitle = \"x\"\ny = \"credit\"\nqueues = [\"chap\", \"fifo\"]\n\n[[figure]]",
    ),
    ("course that none has", "[[figure]]", "[[course]]\ntitle = \"x\"\ny = \"mode\"\n\n[[figure]]"),
    ("live is a text", "about = \"Short.\"", "live = \"yes\""),
    (
        "who runs a point of an experiment that is simulated",
        "\"queue.fifo.limit\", \"queue.chap.limit\"",
        "\"live\"",
    ),
    ("class of a check", "least = 1.1", "class = \"publised\"\nleast = 1.1"),
    ("class of all checks", "about = \"Short.\"", "class = \"ours\""),
    ("cause without known", "least = 1.1", "cause = \"shown\"\nleast = 1.1"),
    ("cause that is neither", "least = 1.1", "known = \"k\"\ncause = \"tried\"\nleast = 1.1"),
    ("remark on an unknown discipline", "about = \"Short.\"", "remarks = { chop = \"r\", fq_codel = \"r\" }"),
    ("remark that is a number", "about = \"Short.\"", "remarks = { comparison = 1 }"),
    ("not TOML", "[[figure]]", "[[figure]"),
];

#[test]
fn every_message() {
    let mut all = String::new();
    for (case, from, to) in CASES {
        assert!(RIGHT.contains(from), "{case}: '{from}' is not in the experiment");
        let message = match experiment(&RIGHT.replacen(from, to, 1)) {
            Ok(_) => panic!("{case}: accepted"),
            Err(message) => message,
        };
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    insta::assert_snapshot!(all);
}

/// Without air: the queue before a server, and formulas.
const SERVER: &str = include_str!("server-and-model.toml");

#[test]
fn servers_and_models() {
    let e = experiment(SERVER).unwrap();
    let (outcome, made) = outcome(&e, &NoStore, true, 0);
    assert_eq!(made, 2);
    let verdicts = judge(&e, &outcome);
    assert!(verdicts.iter().all(|v| v.state == State::Holds), "{verdicts:?}");
    let mut all = String::new();
    for (case, from, to) in [
        ("no such task", "task = \"batch\"", "task = \"batsh\""),
        ("no costs", "costs = [\"5ms\", \"3ms\"]", ""),
        ("a cost too few", "costs = [\"5ms\", \"3ms\"]", "costs = [\"5ms\"]"),
        ("a cost that is none", "costs = [\"5ms\", \"3ms\"]", "costs = [\"5ms\", \"0ms\"]"),
        ("a key of another task", "service", "rho = 0.5\nservice"),
        ("five flows", "packets = [1, 2]", "packets = [1, 2, 3, 4, 5]"),
        ("both", "[server]", "[model]\ntask = \"constants\"\n[server]"),
        (
            "a model without load",
            "[server]",
            "[model]\ntask = \"waits\"\nservice = \"1ms\"\nkappa = 0.5\n[other]",
        ),
    ] {
        assert!(SERVER.contains(from), "{case}: '{from}' is not in the experiment");
        let message = match experiment(&SERVER.replacen(from, to, 1)) {
            Ok(_) => panic!("{case}: accepted"),
            Err(message) => message,
        };
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_cut_file_is_refused_or_whole() {
    for end in (0..RIGHT.len()).step_by(7) {
        let _ = experiment(&RIGHT[..end]);
    }
    assert!(Experiment::load(Path::new("no/such.toml")).unwrap_err().to_string().contains("no/such.toml"));
}

/// A subject of the contention models: a list makes a figure for each of its values, seeds are of random numbers.
const CONTENTION: &str = r#"
title = "Collisions of two methods"
source = "none"
queues = ["fifo"]
seeds = 2

[model]
task = "contention"
subject = "access"
method = ["dcf", "h"]
window = 16
successes = 20000

[[axis]]
name = "n"
keys = ["n"]
values = [2, 5]

[[figure]]
title = "Collisions"
x = "n"
y = ["collisions_dcf.value", "collisions_h.value"]

[[check]]
what = "without memory, a window of 16"
section = "8.1.1"
reported = "0.0625"
of = "p_collision_h.value"
queue = "fifo"
at = { n = 2 }
least = 0.055
most = 0.07
"#;

#[test]
fn contention_models() {
    let e = experiment(CONTENTION).unwrap();
    let (outcome, made) = outcome(&e, &NoStore, false, 1);
    assert_eq!(made, 4, "two points, two seeds");
    let verdict = &judge(&e, &outcome)[0];
    assert_eq!(verdict.state, State::Holds, "{verdict:?}");
    assert!(verdict.values[0].half_width_95.is_some_and(|half| half > 0.0), "seeds differ");
    assert!(figures(&e, &outcome, "mine")[0].panels()[0].caption.is_empty(), "formulas have no discipline");
    for (from, to, message) in [
        ("subject = \"access\"", "", "[model] lacks the key `subject`"),
        ("\"access\"", "\"acess\"", "no subject 'acess'; did you mean `access`?"),
        ("window = 16", "windw = 16", "no such parameter 'windw'; did you mean `window`?"),
        ("window = 16", "window = 0", "window: '0' is not a number from 1 to 65536"),
        ("values = [2, 5]", "values = [2, 0]", "n: '0' is not a whole number from 1 to 1000"),
    ] {
        let said = experiment(&CONTENTION.replace(from, to)).unwrap_err();
        assert!(said.contains(message), "{said}");
    }
    // What values cannot be together is found when they are.
    let e = experiment(&CONTENTION.replace("window = 16", "cwmin = 64\ncwmax = 32")).unwrap();
    let stop = AtomicBool::new(false);
    let options = RunOptions { jobs: 1, ..RunOptions::new(&NoStore, &stop) };
    let said = run(&e, &options).unwrap_err().to_string();
    assert!(said.contains("n = 2: access: windows from 64 to 32"), "{said}");
}

/// Formulas of the CBT study: thresholds beside printed ones, what is borrowed, a burst, frames.
const CLASSES: &str = r#"
title = "Thresholds"
source = "none"
queues = ["fifo"]
seeds = 1

[model]
task = "cbt"
subject = "thresholds"
rate = [575, 150, 500]
packet = [1507, 807, 1075]
latency = "100ms"
printed = [39.07, 19.04, 47.63]

[[axis]]
name = "L"
keys = ["latency"]
values = ["100ms"]

[[check]]
what = "the farthest from what is printed"
section = "T 4.3"
reported = "0"
of = "off.value"
queue = "fifo"
most = 0.05
"#;

#[test]
fn class_models() {
    let of = |changed: &[(&str, &str)]| {
        let text = changed.iter().fold(CLASSES.to_string(), |text, (from, to)| {
            assert!(text.contains(from), "'{from}' is not in the experiment");
            text.replacen(from, to, 1)
        });
        let e = experiment(&text)?;
        let (outcome, _) = outcome(&e, &NoStore, false, 1);
        Ok::<_, String>(judge(&e, &outcome).remove(0).values[0].mean.unwrap())
    };
    let near = |value: Result<f64, String>, wanted: f64| {
        let value = value.unwrap();
        assert!((value - wanted).abs() < 0.005, "{value} where {wanted} is wanted");
    };
    near(of(&[]), 0.007);
    near(of(&[("off.value", "threshold_2.value")]), 19.033);
    let borrow = ("subject = \"thresholds\"", "subject = \"borrow\"\nload = [1600, 340, 0]");
    let none = ("printed = [39.07, 19.04, 47.63]\n", "");
    near(of(&[borrow, none, ("off.value", "rate_1.value")]), 971.552);
    near(of(&[borrow, none, ("off.value", "wait.value")]), 60.603);
    near(of(&[borrow, none, ("off.value", "wait.value"), ("1600, 340", "100, 20")]), 0.0);
    let others = "rate = [575, 150, 500]\npacket = [1507, 807, 1075]\nlatency = \"100ms\"\nprinted = [39.07, 19.04, 47.63]\n";
    let axis = "[[axis]]\nname = \"L\"\nkeys = [\"latency\"]\nvalues = [\"100ms\"]\n";
    let burst = [
        ("subject = \"thresholds\"", "subject = \"burst\"\nweight = 0.00390625\npackets = 158"),
        (others, ""),
        (axis, ""),
    ];
    near(of(&[&burst[..], &[("off.value", "average.value")]].concat()), 40.396);
    let frames = [("subject = \"thresholds\"", "subject = \"frames\"\nloss = 0.1"), (others, ""), (axis, "")];
    for (app, wanted) in [("spoilt", 5.167), ("spoilt_by_packets", 43.056), ("spoilt_by_frames", 86.111)] {
        near(of(&[&frames[..], &[("off.value", &format!("{app}.value"))]].concat()), wanted);
    }
    let mut all = String::new();
    for (case, from, to) in [
        ("no such subject", "\"thresholds\"", "\"treshold\""),
        ("a packet too few", "[1507, 807, 1075]", "[1507, 807]"),
        ("printed too many", "[39.07, 19.04, 47.63]", "[39.07, 19.04, 47.63, 1]"),
        ("a rate of 0", "[575, 150, 500]", "[575, 0, 500]"),
        ("a rate that is none", "[575, 150, 500]", "[575, \"x\", 500]"),
        ("no classes", "[575, 150, 500]", "[]"),
        ("no latency", "values = [\"100ms\"]", "values = [\"0ms\"]"),
        ("a key of another subject", "printed", "load = [1, 2, 3]\nprinted"),
        ("nothing printed", "printed = [39.07, 19.04, 47.63]", ""),
    ] {
        let message = match of(&[(from, to)]) {
            Ok(_) => panic!("{case}: accepted"),
            Err(message) => message,
        };
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    insta::assert_snapshot!(all);
}
