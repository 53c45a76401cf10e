// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A house with its applications through the access point, judged as a run of
//! the simulator is. Needs root and `tools/require live`.

use std::sync::atomic::AtomicBool;

use airtab_live::{House, trial};
use airtab_scenario::{Metric, ScenarioFile, measure};

use crate::common::require_houses;

#[test]
#[ignore = "needs root: network namespaces"]
fn applications_of_a_house_are_judged_like_those_of_the_simulator() {
    require_houses();
    let text = format!(
        "name = \"test-{}-trial\"\nduration = \"10s\"\nmeasure = [\"2s\", \"9s\"]\n\
         [[station]]\nname = \"console\"\n[[station]]\nname = \"laptop\"\n\
         [[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"console\"\n\
         [[app]]\nname = \"get\"\nkind = \"download\"\nstation = \"laptop\"\nstart = \"1s\"\n\
         [[app]]\nname = \"web\"\nkind = \"web\"\nsite = \"google-news\"\nreading = \"1s\"\nstation = \"console\"\n",
        std::process::id()
    );
    let file = ScenarioFile::parse("trial.toml", &text).unwrap();
    let house = House::new(file.clone()).unwrap();
    let queue = "chap".parse().unwrap();
    let stop = AtomicBool::new(false);
    let mut views = Vec::new();
    let ran = trial::run(house, &queue, 1, &stop, &mut |s| views = s.apps.clone(), &mut |_| {});
    let trial = ran.unwrap().expect("nobody stopped it");
    println!("{:?}\n{:?}\n{views:?}", trial.reports, trial.slippage);
    let figures = measure(&file.scenario, &trial.trace).apps;
    println!("{figures:?}");
    assert!(trial.books.balanced(), "{:?}", trial.books);
    // 25 packets a second and 7 s, both ways; a busy machine may spoil the score, not the count.
    let game = &trial.trace.apps[0];
    assert!((174..=176).contains(&game.down.sent) && (174..=176).contains(&game.up.sent));
    assert!(game.down.deliveries.iter().all(|d| d.received_ns > d.sent_ns + 2_000_000), "wires take 2 ms");
    assert!(figures[0][&Metric::GameMos] > 3.5, "{}", figures[0][&Metric::GameMos]);
    assert!(figures[1][&Metric::Goodput] > 10e6, "{}", figures[1][&Metric::Goodput]);
    let pages = &trial.trace.apps[2].pages;
    assert!(pages.len() >= 3 && pages.iter().all(|p| p.bytes == 155_000), "{pages:?}");
    // The page itself, then its objects: two rounds of 4 ms of wires at the least.
    assert!(pages.iter().all(|p| p.done_ns - p.requested_ns > 8_000_000));
}

/// One house in both: the course of the test, and the queue, are the same code; TCP, TLS and the clock are not.
#[test]
#[ignore = "needs root: network namespaces"]
fn a_test_of_responsiveness_comes_to_what_is_simulated() {
    require_houses();
    let text = include_str!("../../../../../scenarios/rpm-emulated.toml");
    let name = format!("test-{}-rpm", std::process::id());
    let file = ScenarioFile::parse("rpm.toml", &text.replace("rpm-emulated", &name)).unwrap();
    let queue: airtab_scenario::QueueSpec = "chap".parse().unwrap();
    let params = queue.build(&file.queues).unwrap();
    let simulated = measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1)).apps.remove(0);
    let ran = trial::run(
        House::new(file.clone()).unwrap(),
        &queue,
        1,
        &AtomicBool::new(false),
        &mut |_| {},
        &mut |_| {},
    );
    let trial = ran.unwrap().expect("nobody stopped it");
    let live = measure(&file.scenario, &trial.trace).apps.remove(0);
    println!("live {live:?}\nsimulated {simulated:?}\n{:?}", trial.slippage);
    for (metric, most) in [(Metric::IdleLatency, 0.1), (Metric::LoadedLatency, 0.15), (Metric::Rpm, 0.15)] {
        let ratio = live[&metric] / simulated[&metric];
        assert!(
            (ratio - 1.0).abs() < most,
            "{}: {} live, {} simulated",
            metric.name(),
            live[&metric],
            simulated[&metric]
        );
    }
    assert_eq!(trial.reports[0].failed, 0);
}
