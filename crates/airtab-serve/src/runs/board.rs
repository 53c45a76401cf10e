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
