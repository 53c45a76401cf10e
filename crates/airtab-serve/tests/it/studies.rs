// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Studies: their events, results, limits and ends.

use crate::common;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use airtab_lab::frame::Csv;
use airtab_lab::store::NoStore;
use airtab_lab::{Build, Options as Compare, compare, frame};
use airtab_scenario::{QueueSpec, ScenarioFile};
use airtab_serve::{Limits, Options};
use common::{Event, Running, SHORT, long, options};
use serde_json::{Value, json};

const QUEUES: [&str; 2] = ["fifo", "chap:limit=70"];

fn limited(limits: Limits) -> Running {
    Running::start(Options { limits, ..options() })
}

/// What the server says of itself.
const BUILD: Build<'static> = Build { version: "9.9.9", git: "abc" };

#[test]
fn a_study_from_its_beginning_to_its_files() {
    let server = Running::start(options());
    let asked = server.run(SHORT, &QUEUES, 3);
    assert_eq!((asked.status, asked.json()), (202, json!({ "id": 1, "total": 6 })));
    let events: Vec<Event> = server.events("/api/runs/1/events", None).collect();
    let ids: Vec<u64> = events.iter().map(|event| event.id.expect("each has one")).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    let named = |name: &str| events.iter().filter(|event| event.name == name).collect::<Vec<_>>();
    let steps = named("step");
    assert_eq!(steps.len(), 6);
    let mut runs: Vec<(u64, &str)> = Vec::new();
    for step in &steps {
        assert_eq!(step.data["total"], 6);
        runs.push((step.data["seed"].as_u64().unwrap(), step.data["queue"].as_str().unwrap()));
    }
    runs.sort_unstable();
    assert_eq!(runs, (1..=3).flat_map(|seed| [(seed, QUEUES[1]), (seed, QUEUES[0])]).collect::<Vec<_>>());
    // Each is counted when it is there; threads may come here in another order than they counted.
    let done: Vec<u64> = steps.iter().map(|step| step.data["done"].as_u64().unwrap()).collect();
    assert!(done.is_sorted() && (1..=3).contains(&done[0]), "{done:?}");
    assert_eq!(done[5], 6);
    assert_eq!(events.last().map(|event| (event.name.as_str(), &event.data)), Some(("done", &json!({}))));

    // What comes out is what the comparison is.
    let file = ScenarioFile::parse("scenario.toml", SHORT).unwrap();
    let queues = QUEUES
        .map(|label| (label.to_string(), label.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap()));
    let compared = |seeds: &[u64]| {
        let stop = Default::default();
        let options =
            Compare { seeds, short: false, jobs: 2, stop: &stop, store: &NoStore, progress: &|_| () };
        compare(&file.scenario, &queues, &options).unwrap()
    };
    let data = |seeds: &[u64]| serde_json::to_value(compared(seeds).data(BUILD)).unwrap();
    let results = named("results");
    assert_eq!(results.last().unwrap().data, data(&[1, 2, 3]));
    // On the way: the seeds that were whole then, and no half ones.
    for on_the_way in &results {
        let seeds: Vec<u64> = serde_json::from_value(on_the_way.data["seeds"].clone()).unwrap();
        assert_eq!(on_the_way.data, data(&seeds), "{seeds:?}");
    }
    let study = server.get("/api/runs/1").json();
    assert_eq!(study["results"], data(&[1, 2, 3]));
    let head = json!({ "id": 1, "state": "done", "done": 6, "total": 6, "seeds": 3 });
    head.as_object().unwrap().iter().for_each(|(key, value)| assert_eq!(study[key], *value, "{key}"));
    // crates/airtab/tests/it/serve.rs holds the files against those of the command line.
    let json = server.get("/api/runs/1/results.json");
    let expected = serde_json::to_string_pretty(&compared(&[1, 2, 3]).data(BUILD)).unwrap() + "\n";
    assert_eq!((json.text(), json.header("content-type")), (expected, Some("application/json")));
    let batch = frame(&compared(&[1, 2, 3]));
    let mut csv = Csv::new(Vec::new(), &batch.schema()).unwrap();
    csv.write(&batch).unwrap();
    assert_eq!(server.get("/api/runs/1/results.csv").body, csv.close().unwrap());
    assert!(server.get("/api/runs/1/results.parquet").body.starts_with(b"PAR1"));
    let report = server.get("/api/runs/1/report.html");
    assert!(report.text().starts_with("<!DOCTYPE html>"));
    for (name, kind) in [
        ("report.html", "text/html; charset=utf-8"),
        ("results.parquet", "application/vnd.apache.parquet"),
        ("results.csv", "text/csv; charset=utf-8"),
        ("results.json", "application/json"),
    ] {
        let file = server.get(&format!("/api/runs/1/{name}"));
        let disposition = format!("attachment; filename=\"{name}\"");
        let expected = (Some(kind), Some(disposition.as_str()));
        assert_eq!((file.header("content-type"), file.header("content-disposition")), expected);
    }
    for (path, status) in
        [("1/other", 404), ("2", 404), ("2/events", 404), ("x", 400), ("-1", 400), ("1/results", 404)]
    {
        assert_eq!(server.get(&format!("/api/runs/{path}")).status, status, "{path}");
    }
}

/// A discipline has what its label says, else what `[queue]` of the file does.
#[test]
fn disciplines_are_those_of_the_file_and_the_labels() {
    let server = Running::start(options());
    let text = format!("{SHORT}[queue]\nlimit = 50\nchap.increment = \"10ms\"\n");
    let id = server.run(&text, &["fifo", "fifo:limit=9", "chap:limit=70", " spq"], 1).json()["id"].as_u64();
    let results = server.finished(id.unwrap())["results"].clone();
    let of =
        |queue: usize, param: &str| results["queues"][queue]["params"][param].as_str().unwrap().to_string();
    let limits = [0, 1, 2, 3].map(|queue| of(queue, "limit"));
    assert_eq!(limits, ["50", "9", "70", "50"]);
    assert_eq!(of(2, "increment"), "10ms");
    let labels = [0, 1, 2, 3].map(|queue| results["queues"][queue]["label"].as_str().unwrap().to_string());
    assert_eq!(labels, ["fifo", "fifo:limit=9", "chap:limit=70", "spq"]);
}

/// `short` divides all times by 10, and so has other results.
#[test]
fn a_short_study_is_the_short_comparison() {
    let server = Running::start(options());
    let text = SHORT.replace("\"2s\"", "\"6s\"");
    let file = ScenarioFile::parse("scenario.toml", &text).unwrap();
    let queues = ["fifo"]
        .map(|label| (label.to_string(), label.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap()));
    let results = [false, true].map(|short| {
        let body = json!({ "text": text, "queues": ["fifo"], "seeds": 2, "short": short });
        let id = server.post("/api/runs", &body).json()["id"].as_u64().unwrap();
        let results = server.finished(id)["results"].clone();
        let stop = Default::default();
        let options =
            Compare { seeds: &[1, 2], short, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
        let own = compare(&file.scenario, &queues, &options).unwrap();
        assert_eq!(results, serde_json::to_value(own.data(BUILD)).unwrap(), "short: {short}");
        results
    });
    assert_ne!(results[0], results[1]);
    // One that is over stays so, also for a client that stops it.
    assert_eq!(server.delete("/api/runs/2").status, 204);
    assert_eq!(server.get("/api/runs/2").json()["state"], "done");
    assert_eq!(server.delete("/api/runs/3").status, 404);
    // 64 disciplines at most, and one more is refused for its number, not its names.
    let many = |n| vec!["fifo"; n];
    let told = |n| server.run(&text, &many(n), 1).json()["error"].as_str().unwrap().to_string();
    assert_eq!((told(64), told(65)), ("queues: names fifo twice".into(), "queues: 65: give 1 to 64".into()));
}

#[test]
fn whoever_comes_again_gets_what_it_missed() {
    let server = Running::start(options());
    server.run(SHORT, &QUEUES, 4);
    server.finished(1);
    let all: Vec<Event> = server.events("/api/runs/1/events", None).collect();
    assert!(all.len() >= 10, "{all:?}");
    for seen in [0, 1, 3, all.len() - 1, all.len()] {
        let last = if seen == 0 { 0 } else { all[seen - 1].id.unwrap() };
        let rest: Vec<Event> = server.events("/api/runs/1/events", Some(last)).collect();
        assert_eq!(rest, all[seen..], "after {last}");
    }
    let head = server.head("GET", "/api/runs/1/events");
    assert_eq!(server.send(format!("{head}Last-Event-ID: x\r\n\r\n").as_bytes()).status, 400);
    // While it runs, by a connection that was cut.
    let id = server.run(&SHORT.replace("\"2s\"", "\"40s\""), &QUEUES, 8).json()["id"].as_u64().unwrap();
    let path = format!("/api/runs/{id}/events");
    let first: Vec<Event> = server.events(&path, None).take(3).collect();
    let rest: Vec<Event> = server.events(&path, first[2].id).collect();
    let steps = first.iter().chain(&rest).filter(|event| event.name == "step").count();
    assert_eq!(steps, 16, "no step is lost, none comes twice");
    assert_eq!(rest.last().unwrap().name, "done");
}

#[test]
fn what_cannot_be_run_is_told() {
    let server = Running::start(options());
    let wrong = |body: Value| {
        let answer = server.post("/api/runs", &body);
        assert_eq!(answer.status, 422, "{}", answer.text());
        // The error has all of them, a line each.
        let json = answer.json();
        let all = json["problems"].as_array().expect("a list");
        let lines: Vec<&str> =
            all.iter().map(|problem| problem["message"].as_str().expect("a text")).collect();
        assert_eq!(json["error"], lines.join("\n"));
        answer.json()["problems"][0]["message"].as_str().unwrap().to_string()
    };
    let with = |queues: Value, seeds: u64| wrong(json!({ "text": SHORT, "queues": queues, "seeds": seeds }));
    assert_eq!(
        wrong(json!({ "text": "", "queues": ["fifo"], "seeds": 1 })),
        "the file lacks the key `duration`"
    );
    assert!(with(json!(["chapp"]), 1).starts_with("queues: no discipline 'chapp'; did you mean `chap`?"));
    assert!(with(json!(["chap:limit=0"]), 1).starts_with("queues: chap: limit: "));
    assert_eq!(with(json!(["fifo", "fifo"]), 1), "queues: names fifo twice");
    assert_eq!(with(json!([]), 1), "queues: 0: give 1 to 64");
    assert_eq!(with(json!(["fifo"]), 0), "seeds: 0: give 1 to 100000");
    assert_eq!(with(json!(["fifo"]), 100_001), "seeds: 100001: give 1 to 100000");
    for seeds in [json!(-1), json!(1.5), json!("3"), Value::Null] {
        let body = json!({ "text": SHORT, "queues": ["fifo"], "seeds": seeds });
        assert_eq!(server.post("/api/runs", &body).status, 400, "{seeds}");
    }
}

#[test]
fn two_run_eight_wait_and_the_next_is_refused() {
    let server = Running::start(options());
    let ids: Vec<u64> =
        (0..10).map(|_| server.run(&long(), &["fifo"], 2).json()["id"].as_u64().expect("taken")).collect();
    let refused = server.run(&long(), &["fifo"], 1);
    let told = "2 studies run and 8 wait: ask again later";
    assert_eq!((refused.status, refused.json()["error"].as_str()), (429, Some(told)));
    let state =
        |id: u64| server.get(&format!("/api/runs/{id}")).json()["state"].as_str().unwrap().to_string();
    let states = |ids: &[u64]| ids.iter().map(|id| state(*id)).collect::<Vec<_>>();
    assert_eq!(states(&ids[..2]), ["running"; 2]);
    assert_eq!(states(&ids[2..]), ["waiting"; 8]);
    let early = server.get(&format!("/api/runs/{}/results.json", ids[0]));
    let told = format!("study {} is running: files are there when it is done", ids[0]);
    assert_eq!((early.status, early.json()["error"].as_str()), (409, Some(told.as_str())));
    // How far each is, by its own numbers.
    let waits = server.get(&format!("/api/runs/{}", ids[9])).json();
    let expected =
        json!({ "id": ids[9], "state": "waiting", "done": 0, "total": 2, "seeds": 2, "results": null });
    assert_eq!(waits, expected);
    // One that waits, then one that runs.
    assert_eq!(server.delete(&format!("/api/runs/{}", ids[2])).status, 204);
    assert_eq!(state(ids[2]), "stopped");
    let start = Instant::now();
    assert_eq!(server.delete(&format!("/api/runs/{}", ids[0])).status, 204);
    assert_eq!(server.finished(ids[0])["state"], "stopped");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let events: Vec<Event> = server.events(&format!("/api/runs/{}/events", ids[0]), None).collect();
    assert_eq!(events.last().map(|event| event.name.as_str()), Some("stopped"));
    // The next one has its turn.
    thread::sleep(Duration::from_millis(300));
    assert_eq!(states(&ids[3..5]), ["running", "waiting"]);
    assert_eq!(server.run(&long(), &["fifo"], 1).status, 202);
    // A server ends at once, whatever runs.
    let start = Instant::now();
    drop(server);
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[test]
fn a_study_ends_after_its_last_reader() {
    let unread = Duration::from_millis(1500);
    let server = limited(Limits { unread, ..Limits::default() });
    let id = server.run(&long(), &["fifo"], 1).json()["id"].as_u64().unwrap();
    let mut reader = server.connect();
    let path = format!("/api/runs/{id}/events");
    std::io::Write::write_all(&mut reader, format!("{}\r\n", server.head("GET", &path)).as_bytes()).unwrap();
    // Nothing is asked, as that would be looking; the next study waits behind no other.
    thread::sleep(unread * 2);
    let looked = server.get(&format!("/api/runs/{id}")).json();
    assert_eq!(looked["state"], "running", "somebody reads");
    drop(reader);
    let start = Instant::now();
    let events: Vec<Event> = {
        thread::sleep(unread * 2);
        server.events(&path, None).collect()
    };
    assert_eq!(events.last().map(|event| event.name.as_str()), Some("stopped"));
    assert!(start.elapsed() < unread * 4);
    // And one that nobody ever read.
    let id = server.run(&long(), &["fifo"], 1).json()["id"].as_u64().unwrap();
    thread::sleep(unread * 2);
    assert_eq!(server.get(&format!("/api/runs/{id}")).json()["state"], "stopped");
}

#[test]
fn processor_time_is_limited() {
    let processor = Duration::from_millis(500);
    let server = limited(Limits { processor, ..Limits::default() });
    let start = Instant::now();
    let id = server.run(&long(), &["fifo"], 5).json()["id"].as_u64().unwrap();
    let events: Vec<Event> = server.events(&format!("/api/runs/{id}/events"), None).collect();
    let last = events.last().unwrap();
    let told = last.data["error"].as_str().unwrap_or_default();
    assert_eq!(last.name, "failed");
    assert!(
        told.starts_with("stopped after 0 of 5 runs: 0.")
            || told.starts_with("stopped after 0 of 5 runs: 1 s of processor time"),
        "{told}"
    );
    assert!(told.contains("`airtab compare` has no such limit"), "{told}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(server.get(&format!("/api/runs/{id}")).json()["state"], "failed");
}

#[test]
fn results_are_limited_and_the_oldest_make_room() {
    // One study of one seed takes about 60 kB, most of it the report.
    let server = limited(Limits { result_bytes: 400 << 10, ..Limits::default() });
    for id in 1..=12 {
        server.run(SHORT, &["fifo"], 1);
        assert_eq!(server.finished(id)["state"], "done");
    }
    assert_eq!(server.get("/api/runs/1").status, 404, "forgotten");
    let told = server.get("/api/runs/1").json()["error"].as_str().unwrap().to_string();
    assert_eq!(told, "there is no study 1, or it is forgotten: ask for it anew");
    assert_eq!(server.get("/api/runs/12/results.json").status, 200);
    // One that is too large by itself.
    let server = limited(Limits { result_bytes: 64 << 10, ..Limits::default() });
    server.run(SHORT, &["fifo"], 500);
    let study = server.finished(1);
    assert_eq!(study["state"], "failed");
    let last = server.events("/api/runs/1/events", None).last().unwrap();
    assert!(
        last.data["error"].as_str().unwrap().contains("results of more than 0 MiB: ask for fewer seeds"),
        "{last:?}"
    );
}

/// A panic in a run is the study's end and not the server's.
#[test]
fn the_server_outlives_a_store_that_panics() {
    struct Broken;
    impl airtab_lab::store::Store for Broken {
        fn get(&self, _: airtab_lab::plan::RunKey) -> Option<airtab_scenario::Measured> {
            None
        }
        fn has(&self, _: airtab_lab::plan::RunKey) -> bool {
            false
        }
        fn put(&self, _: airtab_lab::plan::RunKey, _: &airtab_scenario::Measured) {
            panic!("a store that cannot be written to, as a test");
        }
    }
    let server = Running::start(Options { store: Arc::new(Broken), jobs: 1, ..options() });
    server.run(SHORT, &["fifo"], 1);
    assert_eq!(server.finished(1)["state"], "failed");
    let last = server.events("/api/runs/1/events", None).last().unwrap();
    assert_eq!(last.data["error"], "this is a bug of airtab's: see its terminal");
    assert_eq!(server.run(SHORT, &["fifo"], 1).status, 202);
}
