// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A house that runs on this machine, by its control socket, with the rights that the server was started with.
//!
//! What it does not do: it starts no house.

use std::time::{Duration, Instant};

use airtab_live::control::{self, Request};
use airtab_live::{LiveError, feed};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::history::Glance;
use super::house::House;

/// Between two tries to reach a house.
const AGAIN: Duration = Duration::from_secs(1);
/// Longest time until a close is seen.
const TICK: Duration = Duration::from_millis(100);

/// Takes its snapshots, now and whenever it is up again, until the house is closed.
pub fn watch(name: &str, house: &House) {
    let mut said = String::new();
    while house.wait_until(Instant::now()) {
        let why = match control::watch_house(name) {
            Ok(lines) => {
                said.clear();
                let (shown, _) = feed::from_lines(lines);
                while house.wait_until(Instant::now()) {
                    match shown.recv_timeout(TICK) {
                        Ok(snapshot) => {
                            let line = feed::json_line(&snapshot);
                            match Glance::of(&line) {
                                Ok(glance) => house.add(&line, glance),
                                Err(e) => house.history().down(&e),
                            }
                        }
                        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                        Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                    }
                }
                format!("house {name} is down")
            }
            Err(e) => e.to_string(),
        };
        if said != why {
            house.history().down(&why);
            house.tell();
            said = why;
        }
        house.wait_until(Instant::now() + AGAIN);
    }
}

/// Asks it for something: what its control socket answers.
pub fn ask(name: &str, house: &House, request: Value) -> (StatusCode, Value) {
    let request = match serde_json::from_value(request) {
        Ok(Request::Watch) => return refused(StatusCode::BAD_REQUEST, "snapshots come as events".into()),
        Ok(request) => request,
        Err(e) => return refused(StatusCode::BAD_REQUEST, format!("no request that is understood: {e}")),
    };
    match control::ask(name, &request) {
        Ok(done) => {
            if let Request::Set { .. } = request {
                house.history().changed(&done);
                house.tell();
            }
            (StatusCode::OK, json!({ "done": done }))
        }
        Err(LiveError::Refused(why)) => refused(StatusCode::CONFLICT, why),
        Err(e) => refused(StatusCode::SERVICE_UNAVAILABLE, e.to_string()),
    }
}

fn refused(status: StatusCode, why: String) -> (StatusCode, Value) {
    (status, json!({ "refused": why, "error": why }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request that is none is refused as such, one for a house that is not there as that; nothing is told of a change.
    #[test]
    fn what_cannot_be_asked_is_refused_and_changes_nothing() {
        let house = House::new();
        let asked = |request: Value| {
            let (status, answer) = ask("no-such-house", &house, request);
            assert_eq!(answer["refused"], answer["error"], "{answer}");
            (status.as_u16(), answer["error"].as_str().expect("a text").to_string())
        };
        assert_eq!(asked(json!("watch")), (400, "snapshots come as events".into()));
        let (status, told) = asked(json!({ "no": "request" }));
        assert!(status == 400 && told.starts_with("no request that is understood: "), "{status} {told}");
        let set = json!({ "set": { "station": "tv", "key": "distance", "value": "3" } });
        assert!(matches!(serde_json::from_value(set.clone()), Ok(Request::Set { .. })));
        let (status, told) = asked(set);
        assert!(status == 503 && told.contains("no-such-house"), "{status} {told}");
        assert_eq!(house.history().past().marks.len(), 0);
    }
}
