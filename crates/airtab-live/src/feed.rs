// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Snapshots on their way to whoever shows them: in the process that runs the
//! access point through a [`channel`], in another one as lines of JSON that
//! [`from_lines`] reads. Either way the reader gets a [`Feed`], which ends when
//! the access point does.
//!
//! What it does not do: it opens no socket, and it keeps no history.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::Serialize;

use crate::blame::{Blame, blame};
use crate::error::LiveError;
use crate::snapshot::Snapshot;

/// Snapshots, oldest first; disconnected when there are no more.
pub type Feed = Receiver<Arc<Snapshot>>;

/// Snapshots that wait for a slow reader; further ones pass it by.
const WAITING: usize = 2;
/// Largest line that is read: 200 stations take some 100 kB.
const LINE_BYTES: u64 = 4 << 20;
/// Longest time until a stop is seen.
const TICK: Duration = Duration::from_millis(100);

/// The writing end of a feed.
#[derive(Clone, Debug)]
pub struct Publisher(SyncSender<Arc<Snapshot>>);

impl Publisher {
    /// Hands a snapshot over and never waits: a reader who is slow misses it.
    /// False: nobody reads any more.
    pub fn publish(&self, snapshot: Arc<Snapshot>) -> bool {
        !matches!(self.0.try_send(snapshot), Err(TrySendError::Disconnected(_)))
    }
}

/// A feed inside this process.
pub fn channel() -> (Publisher, Feed) {
    let (sender, feed) = sync_channel(WAITING);
    (Publisher(sender), feed)
}

/// What a line of JSON has.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    snapshot: &'a Snapshot,
    /// For readers who do not judge themselves.
    blame: Blame,
}

/// A snapshot and its [`blame()`] as one line of JSON, line break included.
pub fn json_line(snapshot: &Snapshot) -> String {
    let mut line = serde_json::to_string(&Line { snapshot, blame: blame(snapshot) })
        .expect("a snapshot has string keys only");
    line.push('\n');
    line
}

/// A feed of the lines that [`json_line`] wrote. The thread ends with the
/// reader; join it to learn whether the last line was the last one.
///
/// # Errors
/// In the thread's result: if reading fails, or a line is no snapshot.
pub fn from_lines(reader: impl Read + Send + 'static) -> (Feed, JoinHandle<Result<(), LiveError>>) {
    let (sender, feed) = sync_channel(WAITING);
    let thread = thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line);
            if read.map_err(LiveError::system("reading snapshots"))? == 0 {
                break;
            }
            let snapshot = serde_json::from_slice(&line).map_err(|e| LiveError::System {
                what: format!("snapshot {number} is not what this version of airtab writes"),
                cause: io::Error::new(io::ErrorKind::InvalidData, e),
            })?;
            if sender.send(Arc::new(snapshot)).is_err() {
                break;
            }
        }
        Ok(())
    });
    (feed, thread)
}

/// Why no more is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The feed ended: the access point did, or the connection to it.
    Feed,
    /// The user asked for it.
    Quit,
    /// Ctrl-C, or the stop flag.
    Interrupted,
}

/// Writes every snapshot as `form` words it: [`crate::plain::text`] or
/// [`json_line`].
///
/// # Errors
/// If writing fails; a closed pipe is `io::ErrorKind::BrokenPipe` in its cause.
pub fn print(
    feed: &Feed,
    stop: &AtomicBool,
    out: &mut impl io::Write,
    form: impl Fn(&Snapshot) -> String,
) -> Result<End, LiveError> {
    while !stop.load(Ordering::Relaxed) {
        match feed.recv_timeout(TICK) {
            Ok(snapshot) => {
                let written = out.write_all(form(&snapshot).as_bytes()).and_then(|()| out.flush());
                written.map_err(LiveError::system("writing a snapshot"))?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(End::Feed),
        }
    }
    Ok(End::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{EVENING, evening};

    #[test]
    fn what_was_written_is_read() {
        let lines: String = evening().iter().map(json_line).collect();
        assert_eq!(lines.lines().count(), 2);
        let (feed, thread) = from_lines(io::Cursor::new(lines.clone()));
        let read: Vec<Snapshot> = feed.iter().map(|s| (*s).clone()).collect();
        assert_eq!(read, evening());
        // With the sentence that the view shows.
        for (line, snapshot) in lines.lines().zip(evening()) {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let blame = blame(&snapshot);
            assert_eq!(line["blame"], serde_json::json!({ "trouble": blame.trouble, "text": blame.text }));
        }
        thread.join().unwrap().unwrap();
    }

    #[test]
    fn a_line_that_is_no_snapshot_ends_the_feed_and_is_named() {
        let (feed, thread) = from_lines(io::Cursor::new(format!("{EVENING}{{\"house\":1}}\n{EVENING}")));
        assert_eq!(feed.iter().count(), 2);
        assert!(thread.join().unwrap().unwrap_err().to_string().starts_with("snapshot 3 is not what"));
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let (feed, thread) = from_lines(io::repeat(b' '));
        assert_eq!(feed.iter().count(), 0);
        assert!(thread.join().unwrap().is_err());
    }

    #[test]
    fn nobody_waits_for_a_slow_reader() {
        let (publisher, feed) = channel();
        let snapshot = Arc::new(Snapshot::default());
        for _ in 0..100 {
            assert!(publisher.publish(Arc::clone(&snapshot)));
        }
        assert_eq!(feed.try_iter().count(), WAITING);
        drop(feed);
        assert!(!publisher.publish(snapshot));
    }

    #[test]
    fn printing_ends_with_the_feed_or_when_stopped() {
        let (publisher, feed) = channel();
        assert!(publisher.publish(Arc::new(evening()[0].clone())));
        drop(publisher);
        let mut out = Vec::new();
        let end = print(&feed, &AtomicBool::new(false), &mut out, json_line).unwrap();
        assert_eq!((end, String::from_utf8(out).unwrap()), (End::Feed, json_line(&evening()[0])));
        let (_publisher, feed) = channel();
        let end = print(&feed, &AtomicBool::new(true), &mut io::sink(), json_line).unwrap();
        assert_eq!(end, End::Interrupted);
    }
}
