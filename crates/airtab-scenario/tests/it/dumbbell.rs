// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `topology = "dumbbell"` and `[bottleneck]`: what is read, and all that makes no sense there, with its place and what to
//! do about it. The messages are frozen in `snapshots/`.

use airtab_scenario::{Errors, ScenarioFile};
use airtab_sim::wifi::{Loss, WireConfig};

/// A dumbbell, with lines at the top, in its station and in its application.
fn text(top: &str, station: &str, app: &str, end: &str) -> String {
    format!(
        "duration = \"9s\"\n{top}\n[[station]]\nname = \"s\"\n{station}\n\
         [[app]]\nname = \"a\"\nkind = \"udp\"\nstation = \"s\"\n{app}\n{end}\n"
    )
}

const DUMBBELL: &str = "topology = \"dumbbell\"";
const BOTTLENECK: &str = "[bottleneck]\nrate = \"10Mb/s\"";

#[test]
fn a_dumbbell_is_read() {
    let file = text(
        DUMBBELL,
        "count = 3",
        "rate = \"1Mb/s\"\nserver = \"source\"\naccess = \"vi\"",
        &format!(
            "{BOTTLENECK}\n[wired]\nrate = \"1Gb/s\"\ntrunk_latency = \"500us\"\n\
         [[server]]\nname = \"source\"\nrate = \"10Mb/s\"\nlatency = \"250us\"\nlatency_up = \"98ms\""
        ),
    );
    let file = ScenarioFile::parse("bell.toml", &file).unwrap_or_else(|e| panic!("{e}"));
    let scenario = &file.scenario;
    assert_eq!(scenario.medium.wire(), Some(WireConfig { rate_bps: 10_000_000, overhead: 38 }));
    assert!(scenario.medium.cell().is_none() && scenario.medium.phy().is_none());
    assert_eq!(file.errors, Errors::Fer);
    let stations: Vec<_> =
        scenario.stations.iter().map(|s| (s.name.as_str(), s.speed.kbps(), s.loss)).collect();
    assert_eq!(stations, ["s", "s 2", "s 3"].map(|name| (name, 10_000, Loss::None)));
    assert_eq!(scenario.servers[0].access.rate_bps, 10_000_000);
    let bare = text(DUMBBELL, "", "rate = \"max\"", "[bottleneck]\nrate = \"300kb/s\"\noverhead = 0");
    let bare = ScenarioFile::parse("bell.toml", &bare).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(bare.scenario.medium.wire(), Some(WireConfig { rate_bps: 300_000, overhead: 0 }));
    assert_eq!((bare.scenario.wired.hops, scenario.servers[0].access.hop), (0, 0));
    let row =
        format!("{BOTTLENECK}\nhops = 3\n[[server]]\nname = \"near\"\nhop = 3\n[[server]]\nname = \"far\"");
    let row =
        ScenarioFile::parse("bell.toml", &text(DUMBBELL, "", "rate = \"1Mb/s\"\nserver = \"near\"", &row));
    let row = row.unwrap_or_else(|e| panic!("{e}")).scenario;
    assert_eq!((row.wired.hops, row.wired.rate_bps), (2, 100_000_000));
    assert_eq!([0, 1].map(|i| row.servers[i].access.hop), [2, 0]);
    // What [wired] says leaves the narrow wires as they are, and the other way round.
    let wired = format!("{BOTTLENECK}\nhops = 3\n[wired]\nrate = \"1Gb/s\"\nqueue = 7");
    let wired = ScenarioFile::parse("bell.toml", &text(DUMBBELL, "", "rate = \"1Mb/s\"", &wired));
    let wired = wired.unwrap_or_else(|e| panic!("{e}")).scenario.wired;
    assert_eq!((wired.hops, wired.rate_bps, wired.queue_packets), (2, 1_000_000_000, 7));
    let home = text("topology = \"home\"", "", "rate = \"max\"", "");
    assert!(ScenarioFile::parse("home.toml", &home).unwrap().scenario.medium.cell().is_some());
}

#[test]
fn every_message() {
    const APP: &str = "rate = \"1Mb/s\"";
    let radio = "rate = \"54Mb/s\"\nmcs = 7\nstreams = 1\ngi = \"800ns\"\nwidth = 20\nrate_control = \"aarf\"\ndistance = 1\n\
                 walk = [[\"0s\", 1], [\"9s\", 2]]\nfer = 0.1\nsnr = 20\nasleep = [\"1s\", \"2s\"]\naccess = \"h\"\nuplink = \"fifo\"";
    let cases = [
        ("unknown topology", text("topology = \"star\"", "", APP, BOTTLENECK)),
        ("topology is a number", text("topology = 2", "", APP, "[wifi]\nattempts = 3")),
        ("no bottleneck", text(DUMBBELL, "", APP, "")),
        ("bottleneck is no table", text(&format!("{DUMBBELL}\nbottleneck = 7"), "", APP, "")),
        ("a cell beside it", text(DUMBBELL, "", APP, &format!("{BOTTLENECK}\n[wifi]\nattempts = 7"))),
        ("a bottleneck at home", text("", "", APP, BOTTLENECK)),
        ("no rate", text(DUMBBELL, "", APP, "[bottleneck]\noverhead = 38")),
        ("rate 0", text(DUMBBELL, "", APP, "[bottleneck]\nrate = \"0b/s\"")),
        ("rate without unit", text(DUMBBELL, "", APP, "[bottleneck]\nrate = 10")),
        ("too much overhead", text(DUMBBELL, "", APP, &format!("{BOTTLENECK}\noverhead = \"2KB\""))),
        ("a latency of its own", text(DUMBBELL, "", APP, &format!("{BOTTLENECK}\nlatency = \"3ms\""))),
        ("no narrow wire", text(DUMBBELL, "", APP, &format!("{BOTTLENECK}\nhops = 0"))),
        ("too many of them", text(DUMBBELL, "", APP, &format!("{BOTTLENECK}\nhops = 17"))),
        (
            "behind the last of them",
            text(DUMBBELL, "", APP, &format!("{BOTTLENECK}\nhops = 2\n[[server]]\nname = \"far\"\nhop = 3")),
        ),
        ("unknown key", text(DUMBBELL, "", APP, &format!("{BOTTLENECK}\nqueue = 60"))),
        ("a radio", text(DUMBBELL, radio, APP, BOTTLENECK)),
        ("too many stations", text(DUMBBELL, "count = 2008", APP, BOTTLENECK)),
        ("a full queue on the way back", text(DUMBBELL, "", "rate = \"max\"\nupload = true", BOTTLENECK)),
    ];
    let mut all = String::new();
    for (case, text) in cases {
        let message = ScenarioFile::parse("bell.toml", &text).expect_err(case);
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    insta::assert_snapshot!(all);
}
