// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `GET live/HOUSE/events`: an hour's history, then what comes, as server-sent events.
//!
//! The history is one event, written snapshot by snapshot: no reader makes the server hold all of it. Who comes again soon
//! enough with `Last-Event-ID` gets what it missed, and no history.
//!
//! What it does not do: what happened is in the house's history.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::watch;

use super::history::{News, Past};
use super::house::House;
use crate::runs::BEAT;

/// Bytes of the history that are written at once, about.
const CHUNK: usize = 64 << 10;

struct Cursor {
    house: Arc<House>,
    changes: watch::Receiver<()>,
    /// Number of the last news that was written.
    last: u64,
    /// The history, if it is to be written, and whether any of it was.
    past: Option<(Past, bool)>,
    ready: VecDeque<(u64, News)>,
}

/// Everything, or what came after the news of that number.
pub fn stream(house: Arc<House>, last: Option<u64>) -> Response {
    let changes = house.changes();
    let known = last.filter(|last| house.history().after(*last).is_some());
    let past = known.is_none().then(|| house.history().past());
    let last = known.or(past.as_ref().map(|past| past.number)).unwrap_or(0);
    let cursor =
        Cursor { house, changes, last, past: past.map(|past| (past, false)), ready: VecDeque::new() };
    let parts = stream::unfold(cursor, |mut cursor| async move {
        let part = cursor.next().await;
        Some((Ok::<_, Infallible>(Bytes::from(part)), cursor))
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(parts)).into_response()
}

impl Cursor {
    async fn next(&mut self) -> String {
        if let Some((past, begun)) = self.past.take() {
            return self.history(past, begun);
        }
        loop {
            if let Some((number, news)) = self.ready.pop_front() {
                self.last = number;
                let (name, data) = match news {
                    News::Snapshot(line) => ("snapshot", line),
                    News::Mark(mark) => ("mark", mark),
                    News::Down(why) => ("down", why),
                };
                return event(Some(number), name, &data);
            }
            self.changes.mark_unchanged();
            let news = self.house.history().after(self.last);
            match news {
                Some(news) if !news.is_empty() => self.ready = news.into(),
                // Too slow: from the beginning.
                None => {
                    let past = self.house.history().past();
                    self.last = past.number;
                    return self.history(past, false);
                }
                Some(_) => {
                    if tokio::time::timeout(BEAT, self.changes.changed()).await.is_err() {
                        return ":\n\n".into();
                    }
                }
            }
        }
    }

    /// A part of it.
    fn history(&mut self, mut past: Past, mut begun: bool) -> String {
        let mut part =
            if begun { String::new() } else { format!("id: {}\nevent: history\ndata: [", past.number) };
        while part.len() < CHUNK {
            let Some(line) = past.next() else {
                part.push_str("]\n\n");
                // What is of the past has its number: it is part of it.
                past.marks.iter().for_each(|mark| part.push_str(&event(None, "mark", mark)));
                past.down.iter().for_each(|why| part.push_str(&event(None, "down", why)));
                return part;
            };
            if begun {
                part.push(',');
            }
            part.push_str(&line);
            begun = true;
        }
        self.past = Some((past, begun));
        part
    }
}

fn event(number: Option<u64>, name: &str, data: &str) -> String {
    let id = number.map_or(String::new(), |number| format!("id: {number}\n"));
    format!("{id}event: {name}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::history::Glance;

    /// A history that is longer than what is written at once is one event: its parts are one list. Marks and the end
    /// follow it without numbers, and news after it have theirs.
    #[test]
    fn a_long_history_is_one_event_in_parts() {
        let time = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let house = Arc::new(House::new());
        let add = |second: u32, queue: &str| {
            let pad = "x".repeat(1000);
            let line =
                format!(r#"{{"house":"h","queue":"{queue}","now_s":{second},"stations":[],"pad":"{pad}"}}"#);
            house.add(&line, Glance::of(&line).expect("a snapshot"));
        };
        (1..=300).for_each(|second| add(second, if second < 100 { "fifo" } else { "chap" }));
        house.history().down("gone");
        let changes = house.changes();
        let past = house.history().past();
        let last = past.number;
        // A snapshot each, a mark, the end.
        assert_eq!(last, 302);
        let past = Some((past, false));
        let mut reader = Cursor { house: house.clone(), changes, last, past, ready: VecDeque::new() };
        let mut parts = Vec::new();
        while reader.past.is_some() {
            parts.push(time.block_on(reader.next()));
        }
        assert!(parts.len() > 4 && parts.iter().all(|part| part.len() < CHUNK + 2000), "{}", parts.len());
        let text = parts.concat();
        let (list, rest) = text.split_once("\n\n").expect("an end");
        let list = list.strip_prefix("id: 302\nevent: history\ndata: ").expect("its head");
        let list: Vec<serde_json::Value> = serde_json::from_str(list).expect("one list");
        let seconds: Vec<u64> =
            list.iter().map(|snapshot| snapshot["now_s"].as_u64().expect("a time")).collect();
        assert_eq!(seconds, (1..=300).collect::<Vec<_>>());
        let mark = r#"{"at_ns":100000000000,"what":"the discipline is chap now"}"#;
        assert_eq!(rest, format!("event: mark\ndata: {mark}\n\nevent: down\ndata: {{\"why\":\"gone\"}}\n\n"));
        add(301, "chap");
        let next = time.block_on(reader.next());
        assert!(next.starts_with("id: 303\nevent: snapshot\ndata: "), "{next}");
    }

    /// Events after a history are newer than it; a reader that names its last event gets the later ones.
    #[test]
    fn news_go_on_where_the_history_ends() {
        use futures_util::StreamExt;
        let time = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let house = Arc::new(House::new());
        let add = |second: u32| {
            let line = format!(r#"{{"house":"h","queue":"fifo","now_s":{second},"stations":[]}}"#);
            house.add(&line, Glance::of(&line).expect("a snapshot"));
        };
        (1..=3).for_each(add);
        let read = |last| stream(house.clone(), last).into_body().into_data_stream();
        let (mut fresh, mut known, mut foreign) = (read(None), read(Some(2)), read(Some(99)));
        let next = |of: &mut axum::body::BodyDataStream| {
            let part = time.block_on(of.next()).expect("a part").expect("no error");
            String::from_utf8(part.to_vec()).expect("a text")
        };
        let begins = |text: String, expected: &str| assert!(text.starts_with(expected), "{expected}: {text}");
        begins(next(&mut fresh), "id: 3\nevent: history\ndata: [{");
        begins(next(&mut foreign), "id: 3\nevent: history\ndata: [{");
        begins(next(&mut known), "id: 3\nevent: snapshot\ndata: {");
        add(4);
        for reader in [&mut fresh, &mut known, &mut foreign] {
            begins(next(reader), "id: 4\nevent: snapshot\ndata: {");
        }
    }

    /// A reader that fell behind gets the history once, then further snapshots.
    #[test]
    fn a_slow_reader_gets_the_history_once() {
        let time = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let house = Arc::new(House::new());
        let add = |second: u32| {
            let line = format!(r#"{{"house":"h","queue":"fifo","now_s":{second},"stations":[]}}"#);
            house.add(&line, Glance::of(&line).expect("a snapshot"));
        };
        add(1);
        let changes = house.changes();
        let last = house.history().past().number;
        let mut reader = Cursor { house: house.clone(), changes, last, past: None, ready: VecDeque::new() };
        add(2);
        let next = time.block_on(reader.next());
        assert!(next.contains("event: snapshot\n") && next.contains("\"now_s\":2"), "{next}");
        // More than wait for a slow reader.
        (3..60).for_each(add);
        let history = time.block_on(reader.next());
        assert!(history.contains("event: history\n") && history.contains("\"now_s\":59"), "{history}");
        add(60);
        let next = time.block_on(reader.next());
        assert!(next.contains("event: snapshot\n") && next.contains("\"now_s\":60"), "{next}");
    }
}
