// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A test that hangs fails, and says which it was.

use std::io::{Write, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// While this lives, its test has time left.
pub struct Deadline(#[allow(dead_code)] Sender<()>);

/// Ends the process, as a failed test, if the test still runs after so many seconds.
#[must_use]
pub fn deadline(seconds: u64) -> Deadline {
    let (alive, ended) = channel();
    let test = thread::current().name().unwrap_or("a test").to_owned();
    thread::spawn(move || {
        if ended.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
            // Past the harness, which keeps what tests print until they end.
            let _ = writeln!(stderr(), "{test} still runs after {seconds} s: it hangs");
            std::process::exit(101);
        }
    });
    Deadline(alive)
}
