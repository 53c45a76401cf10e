//! What the built-in home must show: the CHAP study's findings, at q = 35, 1 m,
//! one download. Five seeds here; `airtab compare` takes twenty.

use std::sync::atomic::AtomicBool;

use airtab_lab::{Comparison, Metric, Options, QueueSpec, ScenarioFile, compare};

fn home() -> Comparison {
    let home = ScenarioFile::home();
    let queues: Vec<_> = ["fifo", "spq", "chap"]
        .map(|name| (name.to_string(), name.parse::<QueueSpec>().unwrap().build(&home.queues).unwrap()))
        .into();
    let options = Options {
        seeds: &[1, 2, 3, 4, 5],
        quick: false,
        jobs: 0,
        stop: &AtomicBool::new(false),
        progress: &|_| {},
    };
    compare(&home.scenario, &queues, &options).unwrap()
}

#[test]
fn a_download_harms_neither_game_nor_call() {
    let result = home();
    let mean = |queue, app, metric| result.mean(queue, app, metric).unwrap();
    let game = |queue| mean(queue, "game", Metric::GameMos);
    assert!((3.2..=3.8).contains(&game("fifo")), "game under fifo: {}", game("fifo"));
    assert!(game("spq") >= 4.20, "game under spq: {}", game("spq"));
    assert!(game("chap") >= 4.20, "game under chap: {}", game("chap"));
    let call = mean("chap", "call", Metric::VoipMos);
    assert!(call >= 4.40, "call under chap: {call}");
    let rates = ["fifo", "spq", "chap"].map(|queue| mean(queue, "download", Metric::Goodput));
    let (least, most) =
        (rates.iter().copied().fold(f64::MAX, f64::min), rates.iter().copied().fold(0.0, f64::max));
    assert!(most / least <= 1.03, "downloads: {rates:?}");
}
