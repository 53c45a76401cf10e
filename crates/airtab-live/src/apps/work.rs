// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The threads of applications: started inside namespaces, ended together, and
//! what they fail of is kept until somebody asks.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::thread::set_current_timer_slack;

use crate::clock::Clock;
use crate::error::LiveError;
use crate::netns::NetnsRef;
use crate::user::User;

/// How long a blocking call may take before a thread looks whether it is over, ns.
pub(crate) const LOOK_NS: u64 = 100_000_000;
/// The same for sockets.
pub(crate) const LOOK: Duration = Duration::from_nanos(LOOK_NS);

/// What all applications of a house share.
#[derive(Clone)]
pub(crate) struct Work {
    pub(crate) clock: Clock,
    pub(crate) seed: u64,
    /// For files of programs.
    pub(crate) folder: Arc<Path>,
    /// Whom programs run as.
    pub(crate) user: User,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    stopped: Mutex<bool>,
    wake: Condvar,
    faults: Mutex<Vec<LiveError>>,
    /// Applications that have no station any more, and why.
    excused: Mutex<BTreeMap<String, String>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Work {
    pub(crate) fn new(clock: Clock, seed: u64, folder: &Path, user: User) -> Work {
        Work { clock, seed, folder: folder.into(), user, shared: Arc::default() }
    }

    /// Runs `work` of an application on a thread inside a namespace. What it
    /// fails of, or that it panicked, is kept as a fault.
    pub(crate) fn spawn(
        &self,
        app: &str,
        ns: &NetnsRef,
        work: impl FnOnce(&Work) -> Result<(), LiveError> + Send + 'static,
    ) -> Result<(), LiveError> {
        let (own, name) = (self.clone(), app.to_string());
        let failed = LiveError::system(format!("application {app}: starting a thread in {}", ns.name()));
        let thread = ns.spawn(app, move || {
            // Else the kernel may wake us 50 us late, to save energy.
            set_current_timer_slack(std::num::NonZero::new(1))?;
            let ended = catch_unwind(AssertUnwindSafe(|| work(&own)));
            let panicked = |_| Err(LiveError::App { app: name, said: "its thread panicked".into() });
            ended.unwrap_or_else(panicked).unwrap_or_else(|fault| own.fault(fault));
            Ok(())
        });
        let (own, name) = (self.clone(), app.to_string());
        let thread = thread.map_err(failed)?;
        // One that could not enter its namespace says so through its result.
        let guard = std::thread::Builder::new().name(format!("{app} end")).spawn(move || {
            if let Ok(Err(e)) = thread.join() {
                own.fault(LiveError::App { app: name, said: format!("its namespace: {e}") });
            }
        });
        let guard = guard.map_err(LiveError::system("starting a thread"))?;
        lock(&self.shared.threads).push(guard);
        Ok(())
    }

    /// Waits until `at`, ns: whether the applications still run then.
    pub(crate) fn wait_until(&self, at: u64) -> bool {
        let mut stopped = lock(&self.shared.stopped);
        while !*stopped {
            let left = at.saturating_sub(self.clock.now());
            if left == 0 {
                return true;
            }
            let woken = self.shared.wake.wait_timeout(stopped, Duration::from_nanos(left));
            stopped = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// Whether everything is to end.
    pub(crate) fn stopped(&self) -> bool {
        *lock(&self.shared.stopped)
    }

    /// Whether everything is to end, or `end`, ns, is past.
    pub(crate) fn over(&self, end: u64) -> bool {
        self.stopped() || self.clock.now() >= end
    }

    /// Keeps what went wrong. Nothing does once everything is to end: what
    /// threads say then is about the end.
    pub(crate) fn fault(&self, fault: LiveError) {
        if !self.stopped() {
            lock(&self.shared.faults).push(fault);
        }
    }

    /// What an application fails of from now on, or has failed of unnoticed, is no
    /// fault: its station has ended.
    pub(crate) fn excuse(&self, app: &str, why: &str) {
        lock(&self.shared.excused).insert(app.into(), why.into());
    }

    /// Why an application's station ended, if it has.
    pub(crate) fn excused(&self, app: &str) -> Option<String> {
        lock(&self.shared.excused).get(app).cloned()
    }

    /// Takes the first fault that is left.
    pub(crate) fn take_fault(&self) -> Result<(), LiveError> {
        let mut faults = lock(&self.shared.faults);
        let excused = lock(&self.shared.excused);
        faults.retain(|fault| !matches!(fault, LiveError::App { app, .. } if excused.contains_key(app)));
        if faults.is_empty() { Ok(()) } else { Err(faults.remove(0)) }
    }

    /// Ends every thread, and with them their programs.
    pub(crate) fn stop(&self) {
        *lock(&self.shared.stopped) = true;
        self.shared.wake.notify_all();
        let threads = std::mem::take(&mut *lock(&self.shared.threads));
        // Panics were caught and kept.
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}

/// Locks; a thread that panicked while it held the lock changes nothing.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A blocking call that came to its time limit.
pub(crate) fn timed_out(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// Faults of an application whose station has ended are dropped, also those of before; others stay in their order.
    #[test]
    fn only_the_excused_application_has_no_fault() {
        let work = fixture::work();
        let fault = |app: &str| work.fault(LiveError::App { app: app.into(), said: "x".into() });
        let taken = || work.take_fault().err().map(|e| e.to_string());
        ["film", "game", "call"].into_iter().for_each(fault);
        assert_eq!(work.excused("game"), None);
        work.excuse("film", "its station ended");
        fault("film");
        assert_eq!(
            (work.excused("film").as_deref(), work.excused("game")),
            (Some("its station ended"), None)
        );
        let told = [taken(), taken(), taken()];
        assert_eq!(told, [Some("application game: x".into()), Some("application call: x".into()), None]);
        assert!(work.wait_until(0) && !work.over(u64::MAX) && work.over(0));
        work.stop();
        fault("call");
        assert_eq!((taken(), work.wait_until(0), work.over(u64::MAX)), (None, false, true));
    }
}
