// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Houses: recorded ones, played by their own times, and what is said of those that are not there.

use crate::common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use airtab_serve::{Options, Replay, Server};
use common::{Event, Running, options};
use serde_json::json;

fn line(now_s: f64, queue: &str) -> String {
    let station = json!({ "name": "tv", "rate_kbps": 54_000, "frame_error_rate": 0.0 });
    let snapshot = json!({
        "house": "home", "queue": queue, "now_s": now_s, "stations": [station], "flows": [{ "station": "tv" }],
    });
    format!("{snapshot}\n")
}

fn recording(folder: &Path, lines: &[String]) -> PathBuf {
    let path = folder.join("home.jsonl");
    std::fs::write(&path, lines.concat()).unwrap();
    path
}

/// Ten snapshots, a second apart; the discipline is another one from the sixth on.
fn evening(folder: &Path) -> PathBuf {
    let queue = |now| if now < 6 { "fifo" } else { "chap" };
    let lines: Vec<String> = (1..=10).map(|now| line(now as f64, queue(now))).collect();
    recording(folder, &lines)
}

fn replay(path: &Path, speed: f64) -> Replay {
    Replay::open(path, speed).unwrap()
}

fn playing(path: PathBuf, speed: f64) -> Running {
    Running::start(Options { replay: vec![replay(&path, speed)], ..options() })
}

fn names(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.name.as_str()).collect()
}

#[test]
fn a_recording_is_played_by_its_own_times() {
    let folder = tempfile::tempdir().unwrap();
    let server = playing(evening(folder.path()), 10.0);
    assert_eq!(server.get("/api/live").json(), json!(["home"]));
    // It waits for somebody who looks.
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    // How many there are depends on whether the first snapshot is there when the history is written.
    let mut events: Vec<Event> = Vec::new();
    for event in server.events("/api/live/home/events", None) {
        events.push(event);
        if events.last().is_some_and(|event| event.name == "down") {
            break;
        }
    }
    let took = start.elapsed();
    assert!((Duration::from_millis(880)..Duration::from_millis(1600)).contains(&took), "{took:?}");
    let first = events[0].data.as_array().expect("a list");
    let shown = first.iter().chain(events.iter().filter(|e| e.name == "snapshot").map(|e| &e.data));
    let times: Vec<f64> = shown.map(|snapshot| snapshot["now_s"].as_f64().unwrap()).collect();
    assert!(times.len() >= 10 && times.is_sorted_by(|a, b| a < b), "{times:?}");
    assert_eq!(events[0].name, "history");
    let mark = events.iter().find(|event| event.name == "mark").expect("the discipline changed");
    assert_eq!(mark.data, json!({ "at_ns": 6_000_000_000_u64, "what": "the discipline is chap now" }));
    let end = events.iter().find(|event| event.name == "down").expect("it ends");
    assert_eq!(end.data, json!({ "why": "the recording ends here" }));
}

#[test]
fn who_comes_later_gets_the_past_and_who_comes_again_what_it_missed() {
    let folder = tempfile::tempdir().unwrap();
    let server = playing(evening(folder.path()), 1e6);
    let first: Vec<Event> =
        server.events("/api/live/home/events", None).take_while(|e| e.name != "down").collect();
    assert_eq!(first[0].name, "history");
    let mut later = server.events("/api/live/home/events", None);
    let history = later.next().unwrap();
    let past = history.data.as_array().expect("a list");
    let times: Vec<f64> = past.iter().map(|snapshot| snapshot["now_s"].as_f64().unwrap()).collect();
    assert_eq!(times, (1..=10).map(f64::from).collect::<Vec<_>>());
    assert_eq!((&past[0]["flows"], &past[9]["flows"]), (&json!([]), &json!([{ "station": "tv" }])));
    let mark = later.next().unwrap();
    assert_eq!((mark.name.as_str(), mark.id), ("mark", None));
    let end = later.next().unwrap();
    assert_eq!((end.name.as_str(), end.id), ("down", None), "who comes after the end is told of it");
    // News are numbered: ten snapshots, a mark, the end.
    assert_eq!(history.id, Some(12));
    let again: Vec<Event> = server.events("/api/live/home/events", Some(9)).take(3).collect();
    assert_eq!(names(&again), ["snapshot", "snapshot", "down"]);
    assert_eq!(again.iter().map(|event| event.id.unwrap()).collect::<Vec<_>>(), [10, 11, 12]);
    let anew = server.events("/api/live/home/events", Some(99)).next().unwrap();
    assert_eq!(anew.name, "history", "a number of another server");
}

#[test]
fn what_is_not_shown_cannot_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let server = playing(evening(folder.path()), 1e6);
    assert_eq!(server.get("/api/live/other/events").status, 404);
    let answer = server.post("/api/live/other", &json!("down"));
    let told = "no house 'other' is shown here: `airtab serve --live other` shows it";
    assert_eq!((answer.status, answer.json()["error"].as_str()), (404, Some(told)));
    let answer = server.post("/api/live/home", &json!({ "queue": "chap" }));
    assert_eq!(
        (answer.status, answer.json()["error"].as_str()),
        (409, Some("home is a recording: nothing can be changed in it"))
    );
    assert_eq!(Running::start(options()).get("/api/live").json(), json!([]));
}

#[test]
fn what_is_no_recording_is_refused_before_it_listens() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), &[line(1.0, "fifo"), "{}\n".into()]);
    let told = Replay::open(&path, 1.0).expect_err("refused");
    assert!(told.starts_with("line 2: is no snapshot of airtab live: "), "{told}");
    let path = evening(folder.path());
    let twice = vec![replay(&path, 1.0), replay(&path, 1.0)];
    let refused = Server::bind(Options { replay: twice, ..options() }).err().expect("refused").to_string();
    assert_eq!(refused, "house home is there twice, by --live or --replay");
}

/// `/metrics` and `/health` have the last snapshot of the first recording.
#[cfg(feature = "live")]
#[test]
fn metrics_and_health_are_of_the_last_snapshot_of_the_first_house() {
    use airtab_live::metrics::{Format, encode};
    let empty = Running::start(options());
    assert_eq!((empty.get("/health").status, empty.get("/health").text()), (200, "ok\n".into()));
    assert_eq!(empty.get("/metrics").text(), "");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evening.jsonl");
    let text = include_str!("../../../airtab-live/fixtures/evening.jsonl");
    std::fs::write(&path, text).unwrap();
    let server = Running::start(Options {
        replay: vec![replay(&path, 1e6), replay(&evening(folder.path()), 1e6)],
        ..options()
    });
    let health = server.get("/health");
    assert_eq!((health.status, health.text()), (503, "the access point is starting\n".into()));
    assert_eq!(server.get("/metrics").text(), "");
    // The second one is played, and nothing of it is shown.
    server.events("/api/live/home/events", None).take_while(|e| e.name != "down").for_each(drop);
    assert_eq!(server.get("/health").status, 503);
    let name = server.get("/api/live").json()[0].as_str().unwrap().to_string();
    server.events(&format!("/api/live/{name}/events"), None).take_while(|e| e.name != "down").for_each(drop);
    let last: airtab_live::Snapshot = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let metrics = server.get("/metrics");
    assert_eq!(metrics.text(), encode(Some(last.clone().into()), Format::Text));
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let asked = server.head("GET", "/metrics") + "Accept: application/openmetrics-text;version=1.0.0\r\n\r\n";
    let open = server.send(asked.as_bytes());
    assert_eq!(open.text(), encode(Some(last.into()), Format::OpenMetrics));
    assert!(open.header("content-type").unwrap().starts_with("application/openmetrics-text; version=1.0.0"));
    assert_eq!((server.get("/health").status, server.get("/health").text()), (200, "ok\n".into()));
}
