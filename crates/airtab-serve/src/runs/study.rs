// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One study: what was asked for, how far it is, who reads.
//!
//! What it does not do: it does not run by itself ([`super::work`]), and knows of no other ([`super::board`]).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use airtab_core::Params;
use airtab_lab::plan::Step;
use airtab_scenario::ScenarioFile;
use axum::body::Bytes;
use tokio::sync::watch;

use super::log::{Entry, Log, What};

/// What to compare.
pub struct Task {
    /// The scenario.
    pub file: ScenarioFile,
    /// Disciplines by label, with their parameters.
    pub queues: Vec<(String, Params)>,
    /// Seeds 1 to so many.
    pub seeds: u64,
    /// Whether all times are divided by 10.
    pub short: bool,
}

impl Task {
    /// Runs in all.
    pub fn total(&self) -> usize {
        self.queues.len() * self.seeds as usize
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Others run.
    Waiting,
    /// It runs.
    Running,
    /// All is there.
    Done,
    /// It was stopped.
    Stopped,
    /// It could not be made.
    Failed,
}

impl State {
    /// As answers name it.
    pub fn name(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Running => "running",
            State::Done => "done",
            State::Stopped => "stopped",
            State::Failed => "failed",
        }
    }

    /// Whether nothing more will happen.
    pub fn is_over(self) -> bool {
        !matches!(self, State::Waiting | State::Running)
    }
}

/// The files of `airtab compare --out` and `--format`.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// `report.html`.
    pub report: Bytes,
    /// `results.parquet`.
    pub parquet: Bytes,
    /// `results.csv`.
    pub csv: Bytes,
    /// `results.json`.
    pub json: Bytes,
}

impl Files {
    /// Of all together.
    pub fn bytes(&self) -> u64 {
        [&self.report, &self.parquet, &self.csv, &self.json].iter().map(|file| file.len() as u64).sum()
    }
}

/// How far a study is.
pub struct Progress {
    /// In a word.
    pub state: State,
    /// Runs that are there.
    pub done: usize,
    /// What happened.
    pub log: Log,
    /// Once it is done.
    pub files: Option<Files>,
}

/// A study.
pub struct Study {
    /// Its number.
    pub id: u64,
    /// What to compare.
    pub task: Task,
    /// Set by whoever wants it to end.
    pub stop: AtomicBool,
    /// Bytes that its results take: an estimate while it runs.
    pub weight: AtomicU64,
    progress: Mutex<Progress>,
    changed: watch::Sender<()>,
    readers: Mutex<Readers>,
}

struct Readers {
    now: usize,
    /// When somebody last looked.
    last: Instant,
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Study {
    /// Waits for its turn.
    pub fn new(id: u64, task: Task) -> Study {
        let progress = Progress { state: State::Waiting, done: 0, log: Log::default(), files: None };
        Study {
            id,
            task,
            stop: AtomicBool::new(false),
            weight: AtomicU64::new(0),
            progress: Mutex::new(progress),
            changed: watch::Sender::new(()),
            readers: Mutex::new(Readers { now: 0, last: Instant::now() }),
        }
    }

    /// How far it is.
    pub fn progress(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }

    /// Tells when something happened.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Runs now.
    pub fn begin(&self) {
        self.progress().state = State::Running;
    }

    /// A run is there.
    pub fn step(&self, step: &Step) {
        let mut progress = self.progress();
        // Threads may come here in another order than they counted.
        progress.done = progress.done.max(step.done);
        let done = progress.done;
        progress.log.add(What::Step { done, seed: step.job.seed, queue: step.job.queue });
        drop(progress);
        self.changed.send_replace(());
    }

    /// Results of all whole seeds so far.
    pub fn results(&self, json: String) {
        self.progress().log.add(What::Results(json.into()));
        self.changed.send_replace(());
    }

    /// Nothing more happens.
    pub fn end(&self, state: State, files: Option<Files>, why: &str) {
        let mut progress = self.progress();
        if progress.state.is_over() {
            return;
        }
        let last = progress.log.results().map_or(0, |json| json.len() as u64);
        self.weight.store(last + files.as_ref().map_or(0, Files::bytes), Ordering::Relaxed);
        progress.state = state;
        progress.files = files;
        progress.log.add(match state {
            State::Done => What::Done,
            State::Stopped => What::Stopped,
            _ => What::Failed(why.into()),
        });
        drop(progress);
        self.changed.send_replace(());
    }

    /// What happened after the event of that number.
    pub fn after(&self, id: u64, most: usize) -> (Vec<Entry>, bool) {
        let progress = self.progress();
        let entries = progress.log.after(id, most);
        let all = entries.len() < most;
        (entries, all && progress.log.has_ended())
    }

    /// Somebody looked.
    pub fn looked(&self) {
        lock(&self.readers).last = Instant::now();
    }

    /// Since when nobody reads; none if somebody does.
    pub fn left_alone(&self) -> Option<Duration> {
        let readers = lock(&self.readers);
        (readers.now == 0).then(|| readers.last.elapsed())
    }
}

/// Somebody who reads events.
pub struct Reader(pub Arc<Study>);

impl Reader {
    /// From now until it is dropped.
    pub fn new(study: Arc<Study>) -> Reader {
        lock(&study.readers).now += 1;
        Reader(study)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut readers = lock(&self.0.readers);
        readers.now -= 1;
        readers.last = Instant::now();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use airtab_lab::plan::Job;

    use super::*;

    /// A study of two disciplines and three seeds.
    pub fn study(id: u64) -> Study {
        let queues = ["fifo", "chap"].map(|label| {
            let discipline = airtab_core::Discipline::named(label).expect("a discipline");
            (label.to_string(), Params::new(discipline))
        });
        Study::new(id, Task { file: ScenarioFile::home(), queues: queues.into(), seeds: 3, short: false })
    }

    #[test]
    fn runs_are_counted_and_the_first_end_is_the_end() {
        let study = study(7);
        assert_eq!((study.id, study.task.total(), study.progress().state.name()), (7, 6, "waiting"));
        study.begin();
        assert_eq!(study.progress().state.name(), "running");
        let mut changes = study.changes();
        // A thread that comes late has counted fewer.
        for (done, seed, queue) in [(2, 3, 1), (1, 2, 0)] {
            changes.mark_unchanged();
            study.step(&Step { job: Job { point: 0, queue, place: 0, seed }, done, stored: false });
            assert!(changes.has_changed().unwrap());
        }
        let (all, ended) = study.after(0, 9);
        let steps = [What::Step { done: 2, seed: 3, queue: 1 }, What::Step { done: 2, seed: 2, queue: 0 }];
        assert_eq!(all.into_iter().map(|entry| entry.what).collect::<Vec<_>>(), steps);
        assert!(!ended);
        study.results("12345".into());
        let bytes = |n: usize| Bytes::from(vec![0; n]);
        let files = Files { report: bytes(100), parquet: bytes(20), csv: bytes(3000), json: bytes(40_000) };
        study.end(State::Done, Some(files), "");
        study.end(State::Failed, None, "too late");
        assert_eq!(study.weight.load(Ordering::Relaxed), 43_125, "the results and each file");
        let progress = study.progress();
        assert_eq!((progress.state, progress.files.is_some()), (State::Done, true));
        drop(progress);
        // A batch that is full may not be the last.
        assert_eq!((study.after(2, 2).0.len(), study.after(2, 2).1, study.after(2, 3).1), (2, false, true));
        assert_eq!(study.after(3, 9).0[0].what, What::Done);
    }

    #[test]
    fn ends_are_told_by_their_kind() {
        for (state, told, name) in [
            (State::Done, What::Done, "done"),
            (State::Stopped, What::Stopped, "stopped"),
            (State::Failed, What::Failed("why".into()), "failed"),
        ] {
            let study = study(1);
            assert!(!study.progress().state.is_over());
            study.end(state, None, "why");
            assert_eq!(study.after(0, 1).0[0].what, told);
            let state = study.progress().state;
            assert_eq!((state.name(), state.is_over()), (name, true));
        }
    }

    /// The time that a study is left alone begins when its last reader leaves it.
    #[test]
    fn the_grace_time_begins_after_the_last_reader() {
        let (study, pause) = (Arc::new(study(1)), Duration::from_millis(60));
        std::thread::sleep(pause);
        assert!(study.left_alone().unwrap() >= pause, "it was never read");
        let readers = [(); 2].map(|()| Reader::new(study.clone()));
        assert_eq!(study.left_alone(), None);
        std::thread::sleep(pause);
        let [first, second] = readers;
        drop(first);
        assert_eq!(study.left_alone(), None, "one reads");
        let before = Instant::now();
        drop(second);
        let alone = study.left_alone().unwrap();
        assert!(alone <= before.elapsed(), "{alone:?}");
        std::thread::sleep(pause);
        assert!(study.left_alone().unwrap() >= pause);
        let before = Instant::now();
        study.looked();
        assert!(study.left_alone().unwrap() <= before.elapsed());
    }
}
