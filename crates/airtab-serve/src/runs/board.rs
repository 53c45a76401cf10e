// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! All studies: which run, which wait, which are remembered.
//!
//! What it does not do: nothing is computed here ([`super::work`]).

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::study::{State, Study, Task};
use super::work::{self, Kit};
use crate::Limits;

/// Finished studies that are remembered, however small.
const REMEMBERED: usize = 64;

/// All studies.
pub struct Board {
    kit: Kit,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    last: u64,
    all: BTreeMap<u64, Arc<Study>>,
    waiting: VecDeque<Arc<Study>>,
    running: BTreeMap<u64, JoinHandle<()>>,
    closed: bool,
}

impl Board {
    /// Without any.
    pub fn new(kit: Kit) -> Arc<Board> {
        Arc::new(Board { kit, inner: Mutex::default() })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limits(&self) -> &Limits {
        &self.kit.limits
    }

    /// Takes a study in; None if too many wait.
    pub fn add(self: &Arc<Board>, task: Task) -> Option<Arc<Study>> {
        let mut inner = self.inner();
        if inner.closed
            || (inner.running.len() >= self.limits().running && inner.waiting.len() >= self.limits().waiting)
        {
            return None;
        }
        inner.last += 1;
        let study = Arc::new(Study::new(inner.last, task));
        inner.all.insert(study.id, study.clone());
        inner.waiting.push_back(study.clone());
        self.start(&mut inner);
        self.forget(&mut inner);
        Some(study)
    }

    /// The study of that number, if it is remembered.
    pub fn get(&self, id: u64) -> Option<Arc<Study>> {
        self.inner().all.get(&id).cloned()
    }

    /// Starts those whose turn it is.
    fn start(self: &Arc<Board>, inner: &mut Inner) {
        while !inner.closed && inner.running.len() < self.limits().running {
            let Some(study) = inner.waiting.pop_front() else { return };
            if study.progress().state.is_over() {
                continue;
            }
            study.begin();
            let (board, own) = (self.clone(), study.clone());
            let made = thread::Builder::new().name(format!("study {}", study.id)).spawn(move || {
                work::run(&board.kit, &own, || board.fits(&own));
                board.ended(own.id);
            });
            match made {
                Ok(thread) => _ = inner.running.insert(study.id, thread),
                Err(e) => study.end(State::Failed, None, &format!("no thread for it: {e}")),
            }
        }
    }

    /// A thread is through with its study.
    fn ended(self: &Arc<Board>, id: u64) {
        let mut inner = self.inner();
        // Dropped, not joined: it is this thread.
        inner.running.remove(&id);
        self.start(&mut inner);
        self.forget(&mut inner);
    }

    /// Whether a study that grows may go on: the oldest that are over make room for it.
    fn fits(&self, study: &Study) -> bool {
        let mut inner = self.inner();
        self.forget(&mut inner);
        drop(inner);
        let all: u64 = self.inner().all.values().map(|one| one.weight.load(Ordering::Relaxed)).sum();
        all <= self.limits().result_bytes || study.weight.load(Ordering::Relaxed) == 0
    }

    /// Lets the oldest go that are over, until the others are within limits.
    fn forget(&self, inner: &mut Inner) {
        loop {
            let weight: u64 = inner.all.values().map(|study| study.weight.load(Ordering::Relaxed)).sum();
            let over = inner.all.values().filter(|study| study.progress().state.is_over());
            let many = over.clone().count() > REMEMBERED;
            if weight <= self.limits().result_bytes && !many {
                return;
            }
            let Some(oldest) = over.map(|study| study.id).next() else { return };
            inner.all.remove(&oldest);
        }
    }

    /// Ends a study.
    pub fn stop(&self, study: &Study) {
        study.stop.store(true, Ordering::Relaxed);
        if study.progress().state == State::Waiting {
            study.end(State::Stopped, None, "");
        }
        self.inner().waiting.retain(|one| !one.progress().state.is_over());
    }

    /// Ends those that nobody reads any more.
    pub fn look_after(&self) {
        let alone = |study: &&Arc<Study>| {
            !study.progress().state.is_over()
                && study.left_alone().is_some_and(|time| time > self.limits().unread)
        };
        let all: Vec<_> = self.inner().all.values().filter(alone).cloned().collect();
        all.iter().for_each(|study| self.stop(study));
    }

    /// Ends all, and waits for it.
    pub fn close(&self) {
        let (all, threads) = {
            let mut inner = self.inner();
            inner.closed = true;
            let all: Vec<_> = inner.all.values().cloned().collect();
            (all, std::mem::take(&mut inner.running))
        };
        all.iter().for_each(|study| self.stop(study));
        // A panic was told already.
        threads.into_values().for_each(|thread| _ = thread.join());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use airtab_lab::store::NoStore;

    use super::super::study::Reader;
    use super::*;

    /// A board on which nothing runs.
    fn board(limits: Limits) -> Arc<Board> {
        let limits = Limits { running: 0, ..limits };
        let (version, git) = Default::default();
        Board::new(Kit { version, git, store: Arc::new(NoStore), jobs: 1, limits })
    }

    fn add(board: &Arc<Board>) -> Option<Arc<Study>> {
        board.add(super::super::study::tests::study(0).task)
    }

    fn end(study: &Study, weight: u64) {
        study.end(State::Done, None, "");
        study.weight.store(weight, Ordering::Relaxed);
    }

    fn remembered(board: &Board) -> Vec<u64> {
        (0..200).filter(|id| board.get(*id).is_some()).collect()
    }

    #[test]
    fn a_stopped_study_makes_room_for_one_that_waits() {
        let board = board(Limits { waiting: 3, ..Limits::default() });
        let ids = || add(&board).map(|study| study.id);
        assert_eq!([ids(), ids(), ids(), ids()], [Some(1), Some(2), Some(3), None]);
        let second = board.get(2).unwrap();
        board.stop(&second);
        assert!(second.stop.load(Ordering::Relaxed) && second.progress().state == State::Stopped);
        assert_eq!([ids(), ids()], [Some(4), None], "no number is used again");
        assert_eq!(board.get(1).unwrap().progress().state, State::Waiting);
        board.close();
        assert_eq!(ids(), None);
        let states = [1, 2, 3, 4].map(|id| board.get(id).unwrap().progress().state);
        assert_eq!(states, [State::Stopped; 4]);
    }

    /// Results of 100 bytes fit, those of 101 do not; the oldest study that is over goes, and none that waits.
    #[test]
    fn the_oldest_results_make_room() {
        let board = board(Limits { result_bytes: 100, ..Limits::default() });
        let all: Vec<_> = (0..5).map(|_| add(&board).unwrap()).collect();
        end(&all[1], 60);
        end(&all[2], 30);
        all[4].weight.store(10, Ordering::Relaxed);
        assert!(board.fits(&all[4]));
        assert_eq!(remembered(&board), [1, 2, 3, 4, 5]);
        all[4].weight.store(11, Ordering::Relaxed);
        assert!(board.fits(&all[4]));
        assert_eq!(remembered(&board), [1, 3, 4, 5], "41 bytes are left");
        all[4].weight.store(101, Ordering::Relaxed);
        assert!(!board.fits(&all[4]));
        assert!(board.fits(&all[3]), "it has no results yet");
        assert_eq!(remembered(&board), [1, 4, 5]);
    }

    #[test]
    fn at_most_64_finished_studies_are_remembered() {
        let board = board(Limits { waiting: 100, ..Limits::default() });
        let all: Vec<_> = (0..66).map(|_| add(&board).unwrap()).collect();
        all[1..].iter().for_each(|study| end(study, 0));
        let last = add(&board).unwrap();
        let mut expected: Vec<u64> = (3..=66).collect();
        expected.insert(0, 1);
        expected.push(last.id);
        assert_eq!(remembered(&board), expected);
    }

    #[test]
    fn only_studies_that_nobody_reads_are_ended() {
        let board = board(Limits { unread: Duration::from_millis(50), ..Limits::default() });
        let all: Vec<_> = (0..3).map(|_| add(&board).unwrap()).collect();
        let _reader = Reader::new(all[1].clone());
        board.look_after();
        let states = || all.iter().map(|study| study.progress().state.name()).collect::<Vec<_>>();
        assert_eq!(states(), ["waiting"; 3]);
        thread::sleep(Duration::from_millis(60));
        all[2].looked();
        board.look_after();
        assert_eq!(states(), ["stopped", "waiting", "waiting"]);
    }
}
