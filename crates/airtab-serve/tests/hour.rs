// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Memory of the server for a long recording, printed:
//! `cargo test -p airtab-serve --test hour -- --nocapture`. Only `--test hour` runs it (`test = false`).

#[path = "it/common/mod.rs"]
#[allow(dead_code)]
mod common;

use std::time::{Duration, Instant};

use airtab_serve::{Options, Replay};
use common::{Running, options};
use serde_json::Value;

/// An hour of 60 stations is read in parts: the server never holds all of it as text.
#[test]
fn memory_of_an_hour_of_sixty_stations() {
    let folder = tempfile::tempdir().unwrap();
    let one: Value = serde_json::from_str(
        include_str!("../../airtab-live/fixtures/evening.jsonl").lines().next().unwrap(),
    )
    .unwrap();
    let path = folder.path().join("hour.jsonl");
    let mut text = String::new();
    let mut out = std::fs::File::create(&path).unwrap();
    for now in 1..=3600 {
        let mut snapshot = one.clone();
        snapshot["now_s"] = (now as f64).into();
        snapshot["house"] = "home".into();
        let station = snapshot["stations"][0].clone();
        let stations: Vec<Value> = (0..60)
            .map(|i| {
                let mut station = station.clone();
                station["name"] = format!("station-{i}").into();
                let rates = station["rates"].as_object_mut().unwrap();
                rates.values_mut().enumerate().for_each(|(j, rate)| {
                    *rate = (((now * 7919 + i * 104_729 + j * 1_299_709) % 1_000_003) as f64 / 1e3).into();
                });
                station
            })
            .collect();
        snapshot["stations"] = stations.into();
        text.clear();
        text.push_str(&snapshot.to_string());
        text.push('\n');
        std::io::Write::write_all(&mut out, text.as_bytes()).unwrap();
    }
    let rss = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap().to_string();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let line_bytes = text.len();
    let before = rss();
    let server = Running::start(Options { replay: vec![Replay::open(&path, 1e6).unwrap()], ..options() });
    let events = server.events("/api/live/home/events", None);
    events.take_while(|event| event.name != "down").for_each(drop);
    let after = rss();
    println!("{line_bytes} bytes a snapshot; {before} kB before, {after} kB after an hour");
    let mut stream = server.connect();
    std::io::Write::write_all(
        &mut stream,
        format!("{}\r\n", server.head("GET", "/api/live/home/events")).as_bytes(),
    )
    .unwrap();
    let (mut bytes, mut buffer) = (0, vec![0; 1 << 16]);
    let start = Instant::now();
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    while let Ok(n) = std::io::Read::read(&mut stream, &mut buffer) {
        bytes += n;
        if n == 0 {
            break;
        }
    }
    let took = start.elapsed() - Duration::from_secs(2);
    println!("history of {bytes} bytes in {took:?}, then {} kB", rss());
}
