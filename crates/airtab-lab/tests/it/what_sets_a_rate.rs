// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What Why says sets the rate of bulk data does: taken away, it lets the rate rise. Each house differs from the one
//! beside it in that alone.

use std::sync::atomic::AtomicBool;

use airtab_lab::store::NoStore;
use airtab_lab::{Comparison, Options, compare, why};
use airtab_scenario::{Metric, QueueSpec, ScenarioFile};

const STATION: &str = "[[station]]\nname = \"a\"\nrate = \"54Mb/s\"\n";

/// One house under fifo.
fn run(keys: &str, station: &str, apps: &[(&str, &str, &str)]) -> Comparison {
    let mut text = format!("duration = \"12s\"\nmeasure = [\"2s\", \"12s\"]\n{keys}\n{STATION}{station}\n");
    for (name, kind, latency) in apps {
        text += &format!(
            "[[app]]\nname = \"{name}\"\nkind = \"{kind}\"\nstation = \"a\"\nlatency = \"{latency}\"\n"
        );
    }
    let file = ScenarioFile::parse("house.toml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let params = "fifo".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1, 2, 3], short: false, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    compare(&file.scenario, &[("fifo".into(), params)], &options).unwrap()
}

/// What is said of application `it`, and its rate, Mb/s.
fn said(c: &Comparison) -> (String, f64) {
    let sentence = why(c).into_iter().find(|sentence| sentence.starts_with("it ")).expect("one for each");
    let up = c.mean("fifo", "it", Metric::UplinkGoodput);
    (sentence, up.or(c.mean("fifo", "it", Metric::Goodput)).unwrap() / 1e6)
}

/// The sentence about the first house has these words, and the second one's rate is so much higher at least.
#[track_caller]
fn sets_the_rate(with: &Comparison, words: &str, without: &Comparison, times: f64) {
    let ((sentence, rate), (other, more)) = (said(with), said(without));
    assert!(sentence.contains(words), "{words}: {sentence}");
    assert!(more > times * rate, "{more} Mb/s instead of {rate}: {sentence}; {other}");
}

#[test]
fn losses_on_the_air() {
    for kind in ["download", "upload"] {
        let house = |fer| run("wifi.attempts = 3\nqueue.limit = 500", fer, &[("it", kind, "40ms")]);
        sets_the_rate(&house("fer = 0.15"), "losses cut its window: the channel on the way", &house(""), 2.0);
    }
}

#[test]
fn losses_in_a_queue_that_is_seldom_used() {
    let house = |limit| run(&format!("queue.limit = {limit}"), "", &[("it", "download", "150ms")]);
    let words = "losses cut its window: the access point's queue, which drops";
    sets_the_rate(&house(35), words, &house(1000), 1.3);
    let house = |packets| run(&format!("wifi.uplink_packets = {packets}"), "", &[("it", "upload", "150ms")]);
    sets_the_rate(&house(20), "losses cut its window: its station's uplink queue", &house(1000), 1.3);
}

#[test]
fn a_narrow_wire() {
    let house = |mbps| run(&format!("wired.rate = \"{mbps}Mb/s\""), "", &[("it", "download", "5ms")]);
    sets_the_rate(&house(4), "losses cut its window: the wired line on the way down", &house(100), 2.0);
}

#[test]
fn a_window_and_its_round_trip() {
    for kind in ["download", "upload"] {
        let house = |segments, ms: u32| {
            let keys = format!("tcp.receive_window = {segments}\nqueue.limit = 1000");
            run(&keys, "", &[("it", kind, &format!("{ms}ms"))])
        };
        let (small, words) =
            (house(11, 50), "nothing is lost and it seldom queues: its window sets its rate; ");
        sets_the_rate(&small, words, &house(44, 50), 3.0);
        sets_the_rate(&small, " of its round trip of 10", &house(11, 25), 1.8);
    }
}

#[test]
fn the_air() {
    let alone = [("it", "download", "5ms")];
    let beside = |kind| run("queue.limit = 100", "", &[alone[0], ("other", kind, "5ms")]);
    let all = run("queue.limit = 100", "", &alone);
    sets_the_rate(&beside("download"), " of the air", &all, 1.5);
    sets_the_rate(&beside("upload"), " of the air", &all, 1.5);
}
