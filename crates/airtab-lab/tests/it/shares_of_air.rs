// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Airtime of five saturated stations of 802.11ac, from 65 to 780 Mb/s. Jain's index of equal shares is 1.

use std::sync::atomic::AtomicBool;

use airtab_lab::store::NoStore;
use airtab_lab::{Options, compare};
use airtab_scenario::{Metric, QueueSpec, ScenarioFile};

const RATES: [&str; 5] =
    ["mcs = 8, streams = 2", "mcs = 7, streams = 2", "mcs = 5, streams = 2", "mcs = 4", "mcs = 1"];
const DRIVERS: [&str; 2] = ["aggregates = 2", "stop = false\ninflight = \"8ms\""];

/// Jain's index of the stations' airtime, each with one transfer of that kind.
fn jain(kind: &str, queue: &str, driver: &str, announced: &str) -> f64 {
    let stations: String = (RATES.iter().zip(1..))
        .map(|(rate, n)| format!("  {{ name = \"s{n}\", {rate}, uplink = \"fq_codel\" }},\n"))
        .collect();
    let apps: String = (1..=RATES.len())
        .map(|n| {
            format!("  {{ name = \"a{n}\", kind = \"{kind}\", station = \"s{n}\", latency = \"10ms\" }},\n")
        })
        .collect();
    let text = format!(
        "duration = \"22s\"\nmeasure = [\"5s\", \"20s\"]\nstation = [\n{stations}]\napp = [\n{apps}]\n\
         [wifi]\nphy = \"std-11ac\"\n[wifi.driver]\n{driver}\n{announced}"
    );
    let file = ScenarioFile::parse("stations.toml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let params = queue.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1, 2, 3], short: false, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let comparison = compare(&file.scenario, &[(queue.into(), params)], &options).unwrap();
    comparison.mean(queue, "ap", Metric::StationsAirJain).expect("measured")
}

#[test]
fn chap_shares_the_downlink_by_station() {
    for driver in DRIVERS {
        let (chap, by_flow) =
            (jain("download", "chap", driver, ""), jain("download", "fq_codel", driver, ""));
        assert!(chap >= 0.98 && by_flow < 0.9, "{driver}: chap {chap:.3}, fq_codel {by_flow:.3}");
    }
}

/// Stations take a turn each; the queue of the access point holds their ACKs alone, and it runs empty.
#[test]
fn announced_turns_of_one_length_share_the_uplink() {
    for driver in DRIVERS {
        let announced = jain("upload", "chap", driver, "[wifi.announced]\nadapt = true\n");
        let without = jain("upload", "chap", driver, "");
        assert!(
            announced >= 0.95 && without < 0.8,
            "{driver}: announced {announced:.3}, without {without:.3}"
        );
    }
}
