// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Finished runs in packs: what is read is what was run; what is damaged or of other sources is none; a stop ends a run
//! from inside.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use airtab_core::{Discipline, Params};
use airtab_lab::frame::Csv;
use airtab_lab::plan::{
    Budget, Cell, Halt, Job, Pace, Plan, RunKey, Step, Whole, Work, execute, execute_rounds,
};
use airtab_lab::store::{NoStore, Packs, Store, Unusable, sources, tidy};
use airtab_lab::{
    Options, Origin, Report, Stopped, Study, compare, compare_kept, figures, flent, frame, html,
    scenario_hash, study, table, why, write_parquet,
};
use airtab_scenario::{Measured, ScenarioFile, short};
use airtab_sim::Scenario;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn fifo() -> Params {
    Params::new(Discipline::named("fifo").unwrap())
}

/// A run of the built-in home, with all kinds of applications.
fn run(seed: u64) -> Measured {
    airtab_lab::run(&short(&ScenarioFile::home().scenario), &fifo(), seed)
}

/// As it is kept: only videos have seconds.
fn kept(mut run: Measured) -> Measured {
    for seconds in &mut run.seconds {
        seconds.retain(|second| second.playable_frames.is_some());
    }
    run
}

fn packs(dir: &TempDir) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn runs_are_read_as_they_were_kept() {
    let dir = folder();
    let runs: Vec<Measured> = (1..=3).map(run).collect();
    assert!(runs[0].pages.iter().any(|pages| !pages.is_empty()), "it has pages");
    assert!(kept(runs[0].clone()).seconds.iter().any(|seconds| !seconds.is_empty()), "and a video");
    let store = Packs::open(dir.path()).unwrap();
    assert!(packs(&dir).is_empty(), "a pack is made for the first run");
    for (i, run) in runs.iter().enumerate() {
        store.put(RunKey(i as u128), run);
    }
    // Those who have it open, those who open it now, and those who put folders together.
    let (second, merged) = (Packs::open(dir.path()).unwrap(), Packs::merge(&[dir.path().into()]).unwrap());
    for store in [&store, &second, &merged] {
        for (i, run) in runs.iter().enumerate() {
            assert_eq!(store.get(RunKey(i as u128)), Some(kept(run.clone())));
        }
        assert!(!store.has(RunKey(3)) && store.get(RunKey(3)).is_none() && store.failure().is_none());
    }
    second.put(RunKey(3), &runs[0]);
    assert_eq!(packs(&dir).len(), 2, "no file has two writers");
    assert!(
        packs(&dir).iter().all(|pack| pack.file_name().unwrap().to_string_lossy().starts_with(sources()))
    );
}

#[test]
fn what_is_damaged_or_of_others_is_none() {
    let dir = folder();
    let store = Packs::open(dir.path()).unwrap();
    (1..=3).for_each(|seed| store.put(RunKey(seed.into()), &run(seed)));
    let pack = packs(&dir).remove(0);
    let whole = fs::read(&pack).unwrap();
    // While somebody may be writing it, nothing is tidied.
    assert_eq!(tidy::prune(dir.path(), true).unwrap().in_use, 1);
    assert!(pack.exists());
    drop(store);
    let size = tidy::size(dir.path()).unwrap();
    assert_eq!((size.packs, size.runs, size.bytes, size.other_packs), (1, 3, whole.len() as u64, 0));
    // A bit of the second run's body.
    let third = (24..whole.len()).rev().find(|at| whole[*at..].starts_with(b"\xa7run")).unwrap();
    let mut flipped = whole.clone();
    flipped[third - 1] ^= 4;
    fs::write(&pack, &flipped).unwrap();
    let has = |runs: [bool; 3]| {
        let store = Packs::open(dir.path()).unwrap();
        assert_eq!([1, 2, 3].map(|seed| store.get(RunKey(seed)).is_some()), runs);
    };
    has([true, false, true]);
    let verdict = tidy::verify(dir.path()).unwrap();
    assert_eq!((verdict.whole, verdict.damaged.len(), verdict.damaged[0].what), (2, 1, tidy::What::Body));
    // Another pack has it whole: before that one, or behind it.
    for name in ["!.pack", "~.pack"] {
        let copy = dir.path().join(name);
        fs::write(&copy, &whole).unwrap();
        has([true, true, true]);
        fs::remove_file(&copy).unwrap();
    }
    // A last run that was not written to its end.
    fs::write(&pack, &whole[..whole.len() - 1]).unwrap();
    has([true, true, false]);
    let verdict = tidy::verify(dir.path()).unwrap();
    assert_eq!((verdict.whole, verdict.damaged[0].what), (2, tidy::What::Torn));
    assert_eq!(
        (verdict.damaged[0].at, verdict.damaged[0].bytes),
        (third as u64, (whole.len() - 1 - third) as u64)
    );
    // The same run twice, of others, and no pack at all.
    fs::write(dir.path().join("copy.pack"), &whole).unwrap();
    let mut foreign = whole.clone();
    foreign[8..24].copy_from_slice(b"0123456789abcdef");
    fs::write(dir.path().join("foreign.pack"), &foreign).unwrap();
    fs::write(dir.path().join("noise.pack"), "noise").unwrap();
    // A pack that was begun and not written, long ago; and a folder of that suffix.
    let begun = fs::File::create(dir.path().join("begun.pack")).unwrap();
    begun.set_modified(SystemTime::now() - Duration::from_secs(61)).unwrap();
    fs::create_dir(dir.path().join("folder.pack")).unwrap();
    has([true, true, true]);
    let size = tidy::size(dir.path()).unwrap();
    assert_eq!((size.packs, size.runs, size.other_packs, size.foreign), (2, 3, 2, 1));
    let damaged = tidy::verify(dir.path()).unwrap().damaged;
    let of = |name: &str| damaged.iter().find(|damage| damage.pack.ends_with(name)).map(|damage| damage.what);
    assert_eq!((of("begun.pack"), of("noise.pack")), (Some(tidy::What::Headless), Some(tidy::What::Foreign)));
    match Packs::merge(&[dir.path().into()]) {
        Err(Unusable::OtherSources { path, theirs }) => {
            assert_eq!((path, theirs.as_str()), (dir.path().join("foreign.pack"), "0123456789abcdef"));
        }
        other => panic!("{:?}", other.err()),
    }
    let pruned = tidy::prune(dir.path(), false).unwrap();
    assert_eq!((pruned.put_together, pruned.other_packs, pruned.runs, pruned.in_use), (2, 2, 3, 0));
    // Others give their packs the same suffix: git does.
    assert_eq!((pruned.foreign, fs::read(dir.path().join("noise.pack")).unwrap()), (1, b"noise".to_vec()));
    fs::remove_file(dir.path().join("noise.pack")).unwrap();
    fs::remove_dir(dir.path().join("folder.pack")).unwrap();
    assert_eq!(packs(&dir).len(), 1);
    assert_eq!(tidy::size(dir.path()).unwrap().bytes, whole.len() as u64, "each once");
    has([true, true, true]);
    assert_eq!(tidy::prune(dir.path(), true).unwrap().runs, 0);
    assert!(packs(&dir).is_empty());
}

/// Name and bytes of each output of a comparison.
fn outputs(scenario: &Scenario, seen: &Study) -> Vec<(&'static str, Vec<u8>)> {
    let origin = Origin {
        version: "1.2.3".into(),
        git: "unknown".into(),
        command: "airtab compare".into(),
        scenario_hash: scenario_hash(scenario),
    };
    let Study { comparison: c, stories, documents, .. } = seen;
    let report = Report { comparison: c, scenario, stories, origin: &origin };
    let mut parquet = Vec::new();
    write_parquet(c, &origin, &mut parquet).unwrap();
    let batch = frame(c);
    let mut csv = Csv::new(Vec::new(), &batch.schema()).unwrap();
    csv.write(&batch).unwrap();
    let style = table::Style { width: 100, colour: false };
    let mut flent = Vec::new();
    documents.iter().for_each(|document| document.write("mine.flent", &mut flent).unwrap());
    vec![
        ("json", serde_json::to_vec(&c.data(origin.build())).unwrap()),
        ("table", table::comparison(c, style).into()),
        ("runs", c.queues.iter().map(|q| table::run(q, style)).collect::<String>().into()),
        ("reasons", why(c).join("\n").into()),
        ("page", html(&report).into()),
        ("figures", figures(&report).iter().map(|figure| figure.svg()).collect::<String>().into()),
        ("parquet", parquet),
        ("csv", csv.close().unwrap()),
        ("flent", flent),
    ]
}

/// Pages, a video, two windows; and a mesh with its nodes.
#[test]
fn stored_runs_lead_to_the_bytes_of_fresh_ones() {
    let apps = ["game", "web", "video", "download"]
        .map(|kind| format!("[[app]]\nname = \"{kind}\"\nkind = \"{kind}\"\nstation = \"s\"\n"));
    let house = format!(
        "duration = \"14s\"\nmeasure = [\"4s\", \"12s\"]\n[windows]\nearly = [\"2s\", \"7s\"]\nlate = [\"6s\", \"13s\"]\n\
         [[station]]\nname = \"s\"\ndistance = 12\n{}",
        apps.concat()
    );
    let mesh = "duration = \"14s\"\nmeasure = [\"2s\", \"13s\"]\ntopology = \"chain-2\"\n[wifi]\nphy = \"std-11b\"\n\
                [[app]]\nname = \"load\"\nkind = \"download\"\nfrom = \"n0\"\nto = \"n2\"\n";
    for text in [house.as_str(), mesh] {
        let scenario = ScenarioFile::parse("mine.toml", text).unwrap().scenario;
        let plan = flent::Plan::of(&scenario).unwrap();
        let queues = ["fifo", "fq_codel"]
            .map(|name| (name.to_string(), Params::new(Discipline::named(name).unwrap())));
        let stop = AtomicBool::new(false);
        let seen = |store: &dyn Store, seeds: &[u64]| {
            let stored = Mutex::new(Vec::new());
            let progress = |step: Step| {
                stored.lock().unwrap().extend(step.stored.then_some((step.job.queue, step.job.seed)));
            };
            let options = Options { seeds, short: false, jobs: 1, stop: &stop, store, progress: &progress };
            let Ok(seen) = study(&scenario, &queues, &options, Vec::new(), Some(&plan), None) else {
                panic!()
            };
            (outputs(&scenario, &seen), stored.into_inner().unwrap())
        };
        let (fresh, none) = seen(&NoStore, &[5, 3, 9]);
        assert!(none.is_empty() && fresh.iter().all(|(_, bytes)| bytes.len() > 100));
        let dir = folder();
        // One of the seeds, and one that is not asked for.
        seen(&Packs::open(dir.path()).unwrap(), &[3, 2]);
        for stored in [vec![(0, 3), (1, 3)], vec![(0, 3), (0, 9), (1, 3), (1, 9)]] {
            let (found, from_store) = seen(&Packs::open(dir.path()).unwrap(), &[5, 3, 9]);
            assert_eq!(from_store, stored, "stories and files of the first seed need its run");
            for ((name, fresh), (_, found)) in fresh.iter().zip(&found) {
                assert!(fresh == found, "{name} differs");
            }
        }
        // No timeline and no file needs a run: the store has all of them.
        let store = Packs::open(dir.path()).unwrap();
        let steps = Mutex::new(Vec::new());
        let progress = |step: Step| steps.lock().unwrap().push((step.job.seed, step.stored));
        let seeds = [5, 3, 9];
        let options =
            Options { seeds: &seeds, short: false, jobs: 1, stop: &stop, store: &store, progress: &progress };
        let plain = compare(&scenario, &queues, &options).unwrap();
        assert!(steps.lock().unwrap().iter().all(|(_, stored)| *stored));
        let options = Options { store: &NoStore, progress: &|_| (), ..options };
        assert_eq!(plain, compare(&scenario, &queues, &options).unwrap());
        let (_, documents) = compare_kept(&scenario, &queues, &options, Some(&plan)).unwrap();
        let options = Options { store: &store, ..options };
        let (kept, again) = compare_kept(&scenario, &queues, &options, Some(&plan)).unwrap();
        assert_eq!(kept, plain);
        assert!(again.len() == queues.len() && again == documents, "files for flent");
    }
}

/// An hour of the built-in home: minutes of a processor.
#[test]
fn a_stop_ends_a_run_from_inside() {
    let mut scenario = ScenarioFile::home().scenario;
    (scenario.duration_ns, scenario.measure_ns) = (3_600_000_000_000, 0..3_600_000_000_000);
    scenario.apps.iter_mut().for_each(|app| app.active_ns.end = 3_600_000_000_000);
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: false, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let (asked, ended) = std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let ended = compare(&scenario, &[("fifo".into(), fifo())], &options);
            assert_eq!(ended.map(|_| ()), Err(Stopped { done: 0, total: 1 }));
            Instant::now()
        });
        std::thread::sleep(Duration::from_millis(200));
        let asked = Instant::now();
        stop.store(true, Ordering::Relaxed);
        (asked, run.join().unwrap())
    });
    // Of a busy machine; `docs/sweeps.md` has what an idle one takes.
    assert!(ended - asked < Duration::from_secs(2), "{:?}", ended - asked);
}

/// Runs of nothing, each of which takes some processor time.
struct Spin {
    made: AtomicUsize,
}

impl Work for Spin {
    type Error = String;

    fn run(&self, job: &Job, brake: &mut airtab_lab::plan::Brake) -> Result<Option<Measured>, String> {
        self.made.fetch_add(1, Ordering::Relaxed);
        if job.seed == 99 {
            return Err("seed 99 is none".into());
        }
        let mut sum = 0u64;
        while !brake.is_on() && sum < 2_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
        Ok((!brake.is_on()).then(|| run_of_nothing(job.seed as usize)))
    }
}

fn run_of_nothing(apps: usize) -> Measured {
    Measured {
        apps: vec![Default::default(); apps],
        pages: Vec::new(),
        seconds: Vec::new(),
        ap: Default::default(),
        nodes: Vec::new(),
    }
}

#[test]
fn a_budget_and_an_error_end_a_plan() {
    let cells = vec![Cell::new(1, &fifo()), Cell::new(2, &fifo())];
    let plan = |seeds| Plan::new(cells.clone(), 1, seeds);
    let stop = AtomicBool::new(false);
    let done = AtomicUsize::new(0);
    let progress = |step: Step| done.store(step.done, Ordering::Relaxed);
    let pace = Pace { jobs: 1, stop: &stop, budget: None, progress: &progress };
    let spin = || Spin { made: AtomicUsize::new(0) };
    // Without any, all of them, each once.
    let (work, mut seen) = (spin(), Vec::new());
    execute(&plan(vec![1, 2]), &work, &NoStore, &pace, &mut |job, run| {
        seen.push((job.point, run.apps.len()))
    })
    .unwrap();
    assert_eq!((seen, done.load(Ordering::Relaxed)), (vec![(0, 1), (0, 2), (1, 1), (1, 2)], 4));
    let budget = Budget::new(Duration::ZERO);
    let spent = Pace { budget: Some(&budget), ..pace };
    match execute(&plan(vec![1, 2]), &spin(), &NoStore, &spent, &mut |_, _| panic!("nothing is made")) {
        Err(Halt::Stopped(Stopped { done: 0, total: 4 })) => {}
        other => panic!("{other:?}"),
    }
    let budget = Budget::new(Duration::from_micros(1));
    let spent = Pace { budget: Some(&budget), jobs: 2, ..pace };
    match execute(&plan((1..=50).collect()), &spin(), &NoStore, &spent, &mut |_, _| ()) {
        Err(Halt::Stopped(Stopped { done, total: 100 })) => assert!(done <= 2, "{done}"),
        other => panic!("{other:?}"),
    }
    assert!(budget.is_spent() && budget.used() > Duration::ZERO);
    for jobs in [1, 2] {
        let (work, pace) = (spin(), Pace { jobs, ..pace });
        match execute(&plan(vec![1, 99, 3]), &work, &NoStore, &pace, &mut |_, _| ()) {
            Err(Halt::Failed(e)) => assert_eq!(e, "seed 99 is none"),
            other => panic!("{other:?}"),
        }
        assert!(work.made.load(Ordering::Relaxed) < 6, "no further one is begun");
    }
}

/// Two points of three seeds at most: the second needs all of them. Threads wait for what another one's run leads to, and
/// for nobody who has gone.
#[test]
fn a_point_gets_the_rounds_that_it_is_found_to_need() {
    let cells = vec![Cell::new(1, &fifo()), Cell::new(2, &fifo())];
    let plan = |seeds| Plan::new(cells.clone(), 1, seeds).in_rounds(1);
    let stop = AtomicBool::new(false);
    for jobs in [1, 2, 5] {
        let pace = Pace { jobs, stop: &stop, budget: None, progress: &|_| () };
        let rounds = |plan: &Plan, stops_at: Option<u64>| {
            let (mut whole, mut seen) = (Whole::new(plan), Vec::new());
            let work = Spin { made: AtomicUsize::new(0) };
            let ended = execute_rounds(plan, &work, &NoStore, &pace, &mut |job, run| {
                seen.push((job.point, job.seed));
                if stops_at == Some(job.seed) {
                    return Err(format!("no more after {}", job.seed));
                }
                let is_whole = whole.add(&job, run).is_some();
                Ok(if is_whole && job.point == 1 { whole.again(1) } else { None })
            });
            seen.sort_unstable();
            (ended, seen)
        };
        let (ended, seen) = rounds(&plan(vec![1, 2, 3]), None);
        assert!(matches!(ended, Ok(4)), "{ended:?}");
        assert_eq!(seen, [(0, 1), (1, 1), (1, 2), (1, 3)], "{jobs} threads");
        // What takes runs fails, and what makes one of a further round.
        for (seeds, stops_at, said) in
            [(vec![1, 2, 3], Some(2), "no more after 2"), (vec![1, 99, 3], None, "seed 99 is none")]
        {
            match rounds(&plan(seeds), stops_at).0 {
                Err(Halt::Failed(e)) => assert_eq!(e, said),
                other => panic!("{other:?}"),
            }
        }
    }
    let budget = Budget::new(Duration::ZERO);
    let pace = Pace { jobs: 2, stop: &stop, budget: Some(&budget), progress: &|_| () };
    let ended = execute_rounds(
        &plan(vec![1, 2]),
        &Spin { made: AtomicUsize::new(0) },
        &NoStore,
        &pace,
        &mut |_, _| Ok(None),
    );
    assert!(matches!(ended, Err(Halt::Stopped(Stopped { done: 0, total: 2 }))), "{ended:?}");
}
