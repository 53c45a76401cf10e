// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs that others make: a crew in this process, which takes its time and hands back in any order, by the very functions
//! that workers of a cluster call.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use airtab_lab::experiment::{Asked, Experiment, PointScores, RunError, RunOptions, Sweep};
use airtab_lab::make;
use airtab_lab::plan::{Back, Broken, Elsewhere, Order};
use airtab_lab::store::{NoStore, Packs};

const SCENARIO: &str = r#"
name = "small"
duration = "2s"
measure = ["500ms", "2s"]
station = [{ name = "console" }, { name = "laptop" }]
app = [
  { name = "game", kind = "game", station = "console" },
  { name = "download", kind = "download", station = "laptop" },
]
"#;

/// What becomes of a pack on its way.
type Way<'a> = &'a (dyn Fn(Vec<u8>) -> Vec<u8> + Sync);

/// Makes the last order first, a few at a time.
struct Crew<'a> {
    room: usize,
    waiting: Mutex<Vec<Order>>,
    orders: AtomicUsize,
    way: Way<'a>,
}

impl<'a> Crew<'a> {
    fn new(room: usize, way: Way<'a>) -> Crew<'a> {
        Crew { room, waiting: Mutex::default(), orders: AtomicUsize::new(0), way }
    }
}

impl Elsewhere for Crew<'_> {
    fn exchange(&self, orders: Vec<Order>) -> Result<Back, Broken> {
        let mut waiting = self.waiting.lock().unwrap();
        self.orders.fetch_add(orders.len(), Ordering::Relaxed);
        waiting.extend(orders);
        let left = waiting.len().saturating_sub(3);
        let batch = waiting.split_off(left);
        let room = self.room.saturating_sub(waiting.len());
        if batch.is_empty() {
            return Ok(Back { packs: Vec::new(), room });
        }
        let batch: Vec<(&[u8], &str)> = batch.iter().map(|o| (&*o.study, o.run.as_str())).collect();
        let pack = make(&batch, &AtomicBool::new(false))?.expect("nobody stops it");
        Ok(Back { packs: vec![(self.way)(pack)], room })
    }
}

fn experiment() -> Experiment {
    let mut experiment = Experiment::of_scenario("small.toml", SCENARIO).unwrap();
    experiment.vary("station.laptop.distance", &["1", "9"]).unwrap();
    // Nothing under chap: its runs are the same twice.
    experiment.vary("queue.fifo.limit", &["35", "70"]).unwrap();
    experiment.under(&["fifo".parse().unwrap(), "chap:limit=70".parse().unwrap()]).unwrap();
    experiment
}

fn run(experiment: &Experiment, options: &RunOptions) -> Result<Vec<PointScores>, RunError> {
    let mut points = Vec::new();
    Sweep::new(experiment, options)?.run(&|| (), &mut |point| points.push(point))?;
    Ok(points)
}

#[test]
fn what_comes_back_is_what_is_made_here() {
    let stop = AtomicBool::new(false);
    for until in [None, Some(("game.game_mos".to_string(), 0.02))] {
        let mut experiment = experiment();
        let (first, most) = until.as_ref().map_or((None, None), |_| (Some(2), Some(8)));
        experiment.ask_until(&Asked { width: until, first, most }).unwrap();
        let seeds = [4, 5, 6];
        let rounds = experiment.until.is_some();
        let options = RunOptions {
            seeds: if rounds { None } else { Some(&seeds[..]) },
            ..RunOptions::new(&NoStore, &stop)
        };
        let here = run(&experiment, &options).unwrap();
        for room in [1, 7, 1000] {
            let crew = Crew::new(room, &|pack| pack);
            let elsewhere = RunOptions { elsewhere: Some(&crew), ..options };
            assert_eq!(run(&experiment, &elsewhere).unwrap(), here, "room for {room}");
        }
    }
}

#[test]
fn what_is_stored_is_not_asked_for() {
    let (experiment, stop) = (experiment(), AtomicBool::new(false));
    let folder = tempfile::tempdir().unwrap();
    let mut packs = Packs::open(folder.path()).unwrap();
    let seeds = [1, 2];
    // At each distance a fifo's two, and one of chap.
    for (queues, orders) in [(&seeds[..1], 6), (&seeds[..], 6), (&seeds[..], 0)] {
        let crew = Crew::new(5, &|pack| pack);
        let options =
            RunOptions { seeds: Some(queues), elsewhere: Some(&crew), ..RunOptions::new(&packs, &stop) };
        run(&experiment, &options).unwrap();
        assert_eq!(crew.orders.into_inner(), orders);
        packs = Packs::open(folder.path()).unwrap();
    }
    assert_eq!(packs.len(), 12);
}

#[test]
fn what_is_damaged_or_of_others_is_refused() {
    let (experiment, stop) = (experiment(), AtomicBool::new(false));
    let flipped = |mut pack: Vec<u8>| {
        *pack.last_mut().unwrap() ^= 1;
        pack
    };
    let cut = |mut pack: Vec<u8>| {
        pack.truncate(pack.len() - 1);
        pack
    };
    let theirs = |mut pack: Vec<u8>| {
        pack[8..24].copy_from_slice(b"0123456789abcdef");
        pack
    };
    let cases: [(Way, &str); 4] = [
        (&flipped, "some are damaged"),
        (&cut, "some are damaged"),
        (&theirs, "are of another version of airtab (sources 0123456789abcdef; this program's are "),
        (&|_| Vec::new(), "some are damaged"),
    ];
    for (way, said) in cases {
        let crew = Crew::new(5, way);
        let options = RunOptions { elsewhere: Some(&crew), ..RunOptions::new(&NoStore, &stop) };
        let e = run(&experiment, &options).expect_err("it cannot be used").to_string();
        assert!(e.contains(said), "{e}");
    }
}

#[test]
fn a_stop_is_seen() {
    let (experiment, stop) = (experiment(), AtomicBool::new(false));
    let way = |pack| {
        stop.store(true, Ordering::Relaxed);
        pack
    };
    let crew = Crew::new(5, &way);
    let options = RunOptions { elsewhere: Some(&crew), ..RunOptions::new(&NoStore, &stop) };
    let stopped = run(&experiment, &options).expect_err("stopped");
    let RunError::Stopped(stopped) = stopped else { panic!("{stopped}") };
    assert_eq!(stopped.total, 40);
    assert!((1..40).contains(&stopped.done), "{stopped}");
}

#[test]
fn orders_of_others_are_refused() {
    let stop = AtomicBool::new(false);
    let crew = Crew::new(1, &|pack| pack);
    let experiment = experiment();
    let options =
        RunOptions { seeds: Some(&[1]), elsewhere: Some(&crew), ..RunOptions::new(&NoStore, &stop) };
    run(&experiment, &options).unwrap();
    /// Keeps the first order.
    struct First(Mutex<Option<Order>>);
    impl Elsewhere for First {
        fn exchange(&self, orders: Vec<Order>) -> Result<Back, Broken> {
            match orders.into_iter().next() {
                None => Ok(Back { packs: Vec::new(), room: 1 }),
                Some(order) => {
                    *self.0.lock().unwrap() = Some(order);
                    Err(Broken("enough".into()))
                }
            }
        }
    }
    let first = First(Mutex::default());
    let options = RunOptions { elsewhere: Some(&first), ..options };
    assert_eq!(run(&experiment, &options).expect_err("broken").to_string(), "enough");
    let order = first.0.into_inner().unwrap().expect("there was one");
    let said = |study: &[u8], run: &str| make(&[(study, run)], &stop).expect_err("refused").to_string();
    assert!(said(b"", &order.run).contains("no order of this version"));
    assert!(said(&order.study[..order.study.len() - 1], &order.run).contains("no order of this version"));
    assert!(said(&order.study, "{}").contains("no order of this version"));
    let other = order.run.replace("\"seed\":1,", "\"seed\":2,");
    assert_ne!(other, order.run);
    assert!(said(&order.study, &other).contains("this is another run than the one that was asked for"));
    assert!(make(&[(&order.study, &order.run)], &AtomicBool::new(true)).unwrap().is_none(), "stopped");
}
