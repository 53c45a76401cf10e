// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Throughput of TCP downloads in cells whose aggregates are built when the channel is won, against ns-3 3.44 in the same cells.

use airtab_scenario::{Metric, QueueSpec, ScenarioFile, measure};

/// Throughput of all downloads, IP packets, Mb/s: mean of three seeds.
fn downloads(text: &str) -> f64 {
    let file = ScenarioFile::parse("cell.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let queue = "fifo:limit=1000".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
    let one = |seed| {
        let apps = measure(&file.scenario, &airtab_sim::run(&file.scenario, &queue, seed)).apps;
        let downloads =
            apps.iter().zip(&file.scenario.apps).filter(|(_, app)| app.name.starts_with("download"));
        downloads.map(|(figures, _)| figures[&Metric::IpThroughput]).sum::<f64>() / 1e6
    };
    (1..=3).map(one).sum::<f64>() / 3.0
}

/// MCS 7, one stream: a game and a download at one station, a download at another.
fn with_a_game(congestion: &str, wifi: &str, station: &str) -> f64 {
    let mut text = format!(
        "duration = \"12s\"\nmeasure = [\"2s\", \"12s\"]\nwired.rate = \"1Gb/s\"\n[wifi]\nphy = \"std-11n\"\n{wifi}\
         driver = {{ ring = 350, order = \"fifo\", aggregates = 0 }}\n\
         [[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"a\"\n"
    );
    for name in ["a", "b"] {
        text += &format!(
            "[[station]]\nname = \"{name}\"\nmcs = 7\n{station}[[app]]\nname = \"download {name}\"\nkind = \"download\"\n\
             station = \"{name}\"\nlatency = \"10ms\"\ncongestion = \"{congestion}\"\n"
        );
    }
    downloads(&text)
}

/// ns-3, in which a frame survives a collision with a weaker one, has 54.9 Mb/s.
#[test]
fn two_downloads_and_a_game_at_mcs_7() {
    for congestion in ["reno", "cubic"] {
        let all_lost = with_a_game(congestion, "errors = \"fer\"\n", "fer = 0\n");
        assert!((52.0..54.9).contains(&all_lost), "{congestion}: {all_lost} Mb/s");
        let captured = with_a_game(congestion, "capture = 4\nlink_margin = 150\n", "distance = 5\n");
        assert!((54.0..56.0).contains(&captured), "{congestion}, with capture: {captured} Mb/s");
        assert!(captured > all_lost, "{congestion}");
    }
}

/// Three stations at 80 MHz, MCS 9, one stream. ns-3, with capture, has 301 Mb/s.
#[test]
fn three_downloads_of_802_11ac() {
    let mut text =
        "duration = \"6s\"\nmeasure = [\"2s\", \"6s\"]\n[wifi]\nphy = \"std-11ac\"\nerrors = \"fer\"\n"
            .to_owned();
    for name in ["a", "b", "c"] {
        text += &format!(
            "[[station]]\nname = \"{name}\"\nmcs = 9\nfer = 0\n[[app]]\nname = \"download {name}\"\nkind = \"download\"\n\
             station = \"{name}\"\nlatency = \"10ms\"\n"
        );
    }
    let sum = downloads(&text);
    assert!((285.0..301.0).contains(&sum), "{sum} Mb/s");
}
