// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the two homes must show: the findings of the CHAP study (6.5, 6.8), at
//! q = 35, 1 m, one download. Bands are its figures with what a substitute
//! video and another TCP may change. fq_codel is no part of the study: what it
//! does is reported by `make demo`, not judged.

use std::sync::atomic::AtomicBool;

use airtab_lab::store::NoStore;
use airtab_lab::{Comparison, Options, compare};
use airtab_scenario::{Metric, QueueSpec, ScenarioFile};
use airtab_sim::AppKind;
use airtab_sim::traffic::Video;
use airtab_sim::traffic::video::{Fec, Frames};

const STUDY: [&str; 3] = ["spq", "chap", "fifo"];

fn run(home: &ScenarioFile, queues: &[&str], seeds: u64) -> Comparison {
    let build = |name: &&str| {
        let spec: QueueSpec = name.parse().unwrap();
        (spec.label.clone(), spec.build(&home.queues).unwrap())
    };
    let queues: Vec<_> = queues.iter().map(build).collect();
    let seeds: Vec<u64> = (1..=seeds).collect();
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &seeds, short: false, jobs: 0, stop: &stop, store: &NoStore, progress: &|_| {} };
    compare(&home.scenario, &queues, &options).unwrap()
}

fn within(what: &str, value: f64, least: f64, most: f64) {
    assert!((least..=most).contains(&value), "{what}: {value}, not {least} to {most}");
}

/// Most by least of a figure over the disciplines of the study.
fn spread(c: &Comparison, app: &str, metric: Metric) -> f64 {
    let means = STUDY.map(|queue| c.mean(queue, app, metric).unwrap());
    means.iter().copied().fold(0.0, f64::max) / means.iter().copied().fold(f64::MAX, f64::min)
}

#[test]
fn a_download_harms_neither_game_nor_call() {
    let text = include_str!("../../../../scenarios/game-call-download.toml");
    let c = run(&ScenarioFile::parse("game-call-download.toml", text).unwrap(), &STUDY, 5);
    let game = |queue| c.mean(queue, "game", Metric::GameMos).unwrap();
    within("game under fifo", game("fifo"), 3.2, 3.8);
    within("game under spq", game("spq"), 4.20, 4.37);
    within("game under chap", game("chap"), 4.20, 4.37);
    within("call under chap", c.mean("chap", "call", Metric::VoipMos).unwrap(), 4.40, 4.50);
    within("downloads", spread(&c, "download", Metric::IpThroughput), 1.0, 1.03);
}

#[test]
fn five_applications_share_a_home() {
    let c = run(&ScenarioFile::home(), &STUDY, 8);
    let mean = |queue, app, metric| c.mean(queue, app, metric).unwrap();
    within("game under fifo", mean("fifo", "game", Metric::GameMos), 3.3, 3.8);
    within("game under spq", mean("spq", "game", Metric::GameMos), 4.20, 4.37);
    within("game under chap", mean("chap", "game", Metric::GameMos), 4.20, 4.37);
    within("call under fifo", mean("fifo", "call", Metric::VoipMos), 4.20, 4.40);
    within("call under chap", mean("chap", "call", Metric::VoipMos), 4.40, 4.50);
    within("video under chap", mean("chap", "video", Metric::FrameRate), 29.5, 30.1);
    within("video under fifo", mean("fifo", "video", Metric::FrameRate), 0.0, 22.0);
    let page = |queue| mean(queue, "web", Metric::PageTime);
    within("page, chap by fifo", page("chap") / page("fifo"), 0.3, 0.65);
    within("page, chap by spq", page("chap") / page("spq"), 0.0, 1.7);
    within("downloads", spread(&c, "download", Metric::IpThroughput), 1.0, 1.03);
    within("download under chap", mean("chap", "download", Metric::IpThroughput) / 1e6, 22.0, 24.0);
}

#[test]
fn redundancy_helps_a_video_that_shares_its_queue() {
    let fps = Fec::NAMES.map(|(_, fec)| {
        let mut home = ScenarioFile::home();
        home.scenario.apps[2].kind = AppKind::Video(Video { frames: Frames::synthetic(), fec });
        run(&home, &["fifo"], 8).mean("fifo", "video", Metric::FrameRate).unwrap()
    });
    assert!(fps[0] < fps[1] && fps[1] < fps[2], "none, small, large: {fps:?}");
    // The study has 15.58, 17.44 and 23.16, with a video of its own.
    for (fps, study) in fps.into_iter().zip([15.58, 17.44, 23.16]) {
        within("frames a second", fps, study - 5.0, study + 5.0);
    }
}
