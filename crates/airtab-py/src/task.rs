// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Work on a thread of its own, with the GIL free. The thread that called waits, looks for signals, and tells how far it is.
//!
//! The first exception of a signal's handler or of `progress` ends the runs, and is raised when they have ended; Ctrl-C's
//! becomes `Stopped`. A panic becomes a `RuntimeError`. Threads live no longer than their call, so that a process may fork
//! between calls.
//!
//! What it does not do: no second Ctrl-C is needed, so none is listened for.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use airtab::calls::{Cache, CallError, Elsewhere, How};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use crate::crew::Crew;
use crate::errors::of_call;

/// Between two looks: Ctrl-C is seen within 0.1 s, and runs look every 2 ms.
const LOOK: Duration = Duration::from_millis(20);

/// How to run, as Python says it.
pub struct Wanted {
    pub jobs: usize,
    pub cache: Cache,
    /// Called with how many runs are done, and of how many.
    pub progress: Option<Py<PyAny>>,
    /// Takes orders of runs (`crew`), if this machine is not to make them.
    pub exchange: Option<Py<PyAny>>,
}

/// Does the work.
pub fn run<T: Send>(
    py: Python,
    wanted: Wanted,
    work: impl FnOnce(&How) -> Result<T, CallError> + Send,
) -> PyResult<T> {
    let Wanted { jobs, cache, progress, exchange } = wanted;
    let crew = exchange.map(Crew::new);
    let (stop, done, total) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let count = |so_far: usize, all: usize| {
        done.fetch_max(so_far, Ordering::Relaxed);
        total.store(all, Ordering::Relaxed);
    };
    let elsewhere = crew.as_ref().map(|crew| crew as &dyn Elsewhere);
    let how = How { jobs, cache, stop: &stop, progress: &count, elsewhere };
    let (ended, raised) = py.detach(|| {
        thread::scope(|scope| {
            let (send, receive) = sync_channel::<()>(1);
            let how = &how;
            let worker = scope.spawn(move || {
                // Dropped when the work has ended, however it did.
                let _ends = send;
                work(how)
            });
            let (mut raised, mut told) = (None, 0);
            loop {
                let waits = receive.recv_timeout(LOOK);
                let so_far = done.load(Ordering::Relaxed);
                if raised.is_none() {
                    let tell = progress.as_ref().filter(|_| so_far != told);
                    told = so_far;
                    raised = Python::attach(|py| -> PyResult<()> {
                        py.check_signals()?;
                        tell.map_or(Ok(()), |f| {
                            f.call1(py, (so_far, total.load(Ordering::Relaxed))).map(drop)
                        })
                    })
                    .err();
                    if raised.is_some() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                if !matches!(waits, Err(RecvTimeoutError::Timeout)) {
                    break;
                }
            }
            (worker.join(), raised)
        })
    });
    let raised = raised.or_else(|| crew.and_then(Crew::raised));
    match (ended, raised) {
        (Err(panic), _) => Err(PyRuntimeError::new_err(format!(
            "a defect of airtab, please report it: {}",
            words(panic.as_ref())
        ))),
        (Ok(Err(CallError::Stopped(stopped))), Some(e)) if e.is_instance_of::<PyKeyboardInterrupt>(py) => {
            Err(of_call(py, CallError::Stopped(stopped)))
        }
        (Ok(_), Some(e)) => Err(e),
        (Ok(Err(e)), None) => Err(of_call(py, e)),
        (Ok(Ok(value)), None) => Ok(value),
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no words").into()
}

/// Work that panics: shows the tests what becomes of one.
#[pyfunction]
pub fn panics(py: Python) -> PyResult<()> {
    let wanted = Wanted { jobs: 1, cache: Cache::Off, progress: None, exchange: None };
    run(py, wanted, |_| panic!("as asked for"))
}
