// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What happened in a study, numbered, for readers who come, go and come again.
//!
//! Its memory is bounded: of results only the last are kept, of steps the last [`STEPS`]; each says all that those before
//! it said.
//!
//! What it does not do: it waits for nobody.

use std::collections::VecDeque;
use std::sync::Arc;

/// Steps that are kept: 2 MiB.
const STEPS: usize = 1 << 16;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// From 1, without gaps where nothing was superseded.
    pub id: u64,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A run is there.
    Step {
        /// How many are.
        done: usize,
        /// Its seed.
        seed: u64,
        /// The number of its queue.
        queue: usize,
    },
    /// The comparison of all whole seeds so far, as JSON.
    Results(Arc<str>),
    /// The end: all runs are there.
    Done,
    /// The end: why there are no results.
    Failed(Arc<str>),
    /// The end: somebody stopped it, or nobody was left to read.
    Stopped,
}

/// The log of one study.
#[derive(Default)]
pub struct Log {
    last: u64,
    steps: VecDeque<Entry>,
    results: Option<Entry>,
    end: Option<Entry>,
}

impl Log {
    /// Adds what happened.
    pub fn add(&mut self, what: What) {
        self.last += 1;
        let entry = Entry { id: self.last, what };
        match entry.what {
            What::Step { .. } => {
                self.steps.push_back(entry);
                if self.steps.len() > STEPS {
                    self.steps.pop_front();
                }
            }
            What::Results(_) => self.results = Some(entry),
            What::Done | What::Failed(_) | What::Stopped => self.end = Some(entry),
        }
    }

    /// At most so many of those that come after the one of that number, in their order.
    pub fn after(&self, id: u64, most: usize) -> Vec<Entry> {
        let from = self.steps.partition_point(|entry| entry.id <= id);
        let steps = self.steps.range(from..).take(most);
        let others = [&self.results, &self.end].into_iter().flatten().filter(|entry| entry.id > id);
        let mut all: Vec<Entry> = steps.chain(others).cloned().collect();
        all.sort_by_key(|entry| entry.id);
        all.truncate(most);
        all
    }

    /// The comparison of all whole seeds so far, as JSON.
    pub fn results(&self) -> Option<&Arc<str>> {
        match &self.results.as_ref()?.what {
            What::Results(json) => Some(json),
            _ => None,
        }
    }

    /// Whether nothing more will happen.
    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(done: usize) -> What {
        What::Step { done, seed: 1, queue: 0 }
    }

    fn ids(log: &Log, after: u64, most: usize) -> Vec<u64> {
        log.after(after, most).iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn a_reader_gets_what_it_missed_and_no_results_that_are_superseded() {
        let mut log = Log::default();
        log.add(step(1));
        log.add(What::Results("a".into()));
        log.add(step(2));
        log.add(What::Results("b".into()));
        log.add(What::Done);
        assert_eq!(ids(&log, 0, 9), [1, 3, 4, 5]);
        assert_eq!(ids(&log, 1, 9), [3, 4, 5]);
        assert_eq!(ids(&log, 0, 2), [1, 3]);
        assert_eq!((ids(&log, 5, 9), log.has_ended()), (vec![], true));
        assert_eq!(log.results().map(|json| &**json), Some("b"));
    }

    /// Results between steps keep their place, also in a part of the log.
    #[test]
    fn each_kind_of_entry_has_its_place() {
        let mut log = Log::default();
        log.add(What::Results("a".into()));
        assert!(!log.has_ended());
        (1..=3).for_each(|done| log.add(step(done)));
        log.add(What::Failed("why".into()));
        assert_eq!(log.after(0, 1), [Entry { id: 1, what: What::Results("a".into()) }]);
        assert_eq!(ids(&log, 0, 3), [1, 2, 3]);
        assert_eq!(log.after(2, 1), [Entry { id: 3, what: step(2) }]);
        assert_eq!(log.after(4, 9), [Entry { id: 5, what: What::Failed("why".into()) }]);
        assert!(log.has_ended());
    }

    #[test]
    fn its_memory_is_bounded() {
        let mut log = Log::default();
        (1..=STEPS + 10).for_each(|done| log.add(step(done)));
        assert_eq!(log.steps.len(), STEPS);
        assert_eq!(ids(&log, 0, 1), [11]);
    }
}
