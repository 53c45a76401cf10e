// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `GET runs/N/events`: what happens in a study, as server-sent events.
//!
//! Source: the HTML standard, 9.2. A reader that comes again says the last number that it saw, and gets what it missed;
//! results that others have superseded are left out. A slow reader costs no memory: it holds a number.
//!
//! What it does not do: what happened is in the study's log.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::json;
use tokio::sync::watch;

use super::log::{Entry, What};
use super::study::{Reader, Study};

/// Events taken from the log at once.
const BATCH: usize = 256;
/// After so long without an event a comment shows that somebody is there.
pub const BEAT: Duration = Duration::from_secs(10);

struct Cursor {
    reader: Reader,
    changes: watch::Receiver<()>,
    last: u64,
    ready: VecDeque<Entry>,
    /// Nothing comes behind what is ready.
    ended: bool,
}

/// Everything after the event of that number.
pub fn stream(study: Arc<Study>, last: u64) -> Response {
    let changes = study.changes();
    let reader = Reader::new(study);
    let cursor = Cursor { reader, changes, last, ready: VecDeque::new(), ended: false };
    let events = stream::unfold(cursor, |mut cursor| async move {
        loop {
            if let Some(entry) = cursor.ready.pop_front() {
                cursor.last = entry.id;
                let queues = &cursor.reader.0.task;
                let event = event(entry, queues.total(), |queue| &queues.queues[queue].0);
                return Some((Ok::<_, Infallible>(event), cursor));
            }
            if cursor.ended {
                return None;
            }
            cursor.changes.mark_unchanged();
            let (entries, ended) = cursor.reader.0.after(cursor.last, BATCH);
            (cursor.ready, cursor.ended) = (entries.into(), ended);
            if cursor.ready.is_empty()
                && !cursor.ended
                && tokio::time::timeout(BEAT, cursor.changes.changed()).await.is_err()
            {
                return Some((Ok(Event::default().comment("")), cursor));
            }
        }
    });
    Sse::new(events).into_response()
}

fn event<'a>(entry: Entry, total: usize, label: impl Fn(usize) -> &'a String) -> Event {
    let (name, data) = match entry.what {
        What::Step { done, seed, queue } => {
            let step = json!({ "done": done, "total": total, "seed": seed, "queue": label(queue) });
            ("step", step.to_string())
        }
        What::Results(json) => ("results", json.to_string()),
        What::Done => ("done", "{}".into()),
        What::Stopped => ("stopped", "{}".into()),
        What::Failed(why) => ("failed", json!({ "error": &*why }).to_string()),
    };
    Event::default().id(entry.id.to_string()).event(name).data(data)
}
