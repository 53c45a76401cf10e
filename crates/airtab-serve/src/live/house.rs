// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A house that is looked at, wherever its snapshots come from: what it showed, who looks, when to end.
//!
//! What it does not do: it brings no snapshots ([`super::replay`], [`super::running`]).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use super::history::{Glance, History};

/// A house.
pub struct House {
    history: Mutex<History>,
    last: Mutex<Option<Instant>>,
    changed: watch::Sender<()>,
    seen: Mutex<Seen>,
    woken: Condvar,
}

#[derive(Default)]
struct Seen {
    /// Somebody looked, once.
    looked: bool,
    closed: bool,
}

impl House {
    /// That nobody looks at yet.
    pub fn new() -> House {
        House {
            history: Mutex::default(),
            last: Mutex::default(),
            changed: watch::Sender::new(()),
            seen: Mutex::default(),
            woken: Condvar::new(),
        }
    }

    /// What it showed.
    pub fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A snapshot came.
    pub fn add(&self, line: &str, glance: Glance) {
        self.history().add(line, glance);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.tell();
    }

    /// The last snapshot, and when it came.
    #[cfg(has_live)]
    pub fn latest(&self) -> Option<(std::sync::Arc<str>, Instant)> {
        let at = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.history().latest().zip(at)
    }

    /// Wakes readers.
    pub fn tell(&self) {
        self.changed.send_replace(());
    }

    /// Tells when something came.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.seen().looked = true;
        self.woken.notify_all();
        self.changed.subscribe()
    }

    /// Waits until somebody looks; false: it was closed.
    pub fn wait_for_reader(&self) -> bool {
        let seen = self.woken.wait_while(self.seen(), |seen| !seen.looked && !seen.closed);
        !seen.unwrap_or_else(PoisonError::into_inner).closed
    }

    /// Waits; false: it was closed.
    pub fn wait_until(&self, due: Instant) -> bool {
        let left = due.saturating_duration_since(Instant::now());
        let seen = self.woken.wait_timeout_while(self.seen(), left, |seen| !seen.closed);
        !seen.unwrap_or_else(PoisonError::into_inner).0.closed
    }

    /// Whoever brings snapshots ends.
    pub fn close(&self) {
        self.seen().closed = true;
        self.woken.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source of snapshots starts with the first reader, and ends when the house is closed.
    #[test]
    fn a_house_waits_for_a_reader_and_ends_when_closed() {
        let read = House::new();
        drop(read.changes());
        assert!(read.wait_for_reader());
        assert!(read.wait_until(Instant::now()), "it is not closed");
        read.close();
        assert!(!read.wait_for_reader() && !read.wait_until(Instant::now()));
        let closed = House::new();
        closed.close();
        let far = Instant::now() + std::time::Duration::from_secs(3600);
        assert!(!closed.wait_for_reader() && !closed.wait_until(far), "at once");
    }

    /// Readers are woken by each snapshot; the last one is there with its time.
    #[test]
    fn a_snapshot_wakes_readers() {
        let house = House::new();
        let mut changes = house.changes();
        for second in 1..=2 {
            changes.mark_unchanged();
            let line = format!(r#"{{"house":"h","queue":"q","now_s":{second},"stations":[]}}"#);
            house.add(&line, Glance::of(&line).unwrap());
            assert!(changes.has_changed().unwrap());
            assert_eq!(house.history().latest().as_deref(), Some(&*line));
        }
        #[cfg(has_live)]
        assert!(
            house.latest().is_some_and(|(line, at)| line.contains("\"now_s\":2") && at <= Instant::now())
        );
    }
}
