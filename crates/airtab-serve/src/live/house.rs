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
