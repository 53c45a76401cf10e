// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Applications and beacons of one instant: they begin apart, so that what repeats after equal times does not collide for
//! ever.

use airtab_core::time::{MS, SECOND as S};
use airtab_core::{Discipline, Params};
use airtab_scenario::{Metric, ScenarioFile, measure};

/// One attempt for each frame, none of which is lost but by collisions.
const CELL: &str = "duration = \"10s\"\n[wifi]\nphy = \"phy-a\"\nattempts = 1\nerrors = \"fer\"\n";

fn parse(text: &str) -> ScenarioFile {
    ScenarioFile::parse("starts.toml", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Goodput of each download, bit/s, with this seed.
fn goodputs(file: &ScenarioFile, seed: u64) -> Vec<f64> {
    let fifo = Params::new(Discipline::named("fifo").expect("registered"));
    let measured = measure(&file.scenario, &airtab_sim::run(&file.scenario, &fifo, seed));
    measured.apps.iter().map(|app| app[&Metric::Goodput]).collect()
}

/// Stations with a download each from 1 s on, and these keys of each application.
fn downloads(stations: usize, wifi: &str, keys: &str) -> ScenarioFile {
    let mut text = format!("{CELL}{wifi}\n");
    for i in 0..stations {
        text += &format!(
            "[[station]]\nname = \"s{i}\"\nrate = \"54Mb/s\"\nfer = 0\n\
             [[app]]\nname = \"d{i}\"\nkind = \"download\"\nstation = \"s{i}\"\nstart = \"1s\"\n{keys}\n"
        );
    }
    parse(&text)
}

/// Beacons and the segments that open a connection: the first one, and its repetitions after 1, 2 and 4 s.
#[test]
fn a_handshake_does_not_collide_with_beacons_for_ever() {
    let file = downloads(1, "", "");
    for seed in 1..=10 {
        let goodput = goodputs(&file, seed)[0];
        assert!(goodput > 1e6, "seed {seed}: {goodput} bit/s");
    }
    // At one instant each time: 1 s is a multiple of the interval.
    let together = downloads(1, "beacon_interval = \"100ms\"\nbeacon_phase = \"0s\"", "within = \"0s\"");
    assert_eq!(goodputs(&together, 1), [0.0]);
}

#[test]
fn handshakes_of_two_stations_do_not_collide_for_ever() {
    let file = downloads(2, "beacon_interval = \"off\"", "");
    for seed in 1..=10 {
        let both = goodputs(&file, seed);
        assert!(both.iter().all(|goodput| *goodput > 0.5e6), "seed {seed}: {both:?} bit/s");
    }
    assert_eq!(goodputs(&downloads(2, "beacon_interval = \"off\"", "within = \"0s\""), 1), [0.0; 2]);
}

/// Kinds that draw a phase for their streams need no other random time; users of an application that is short begin in
/// the first half of it.
#[test]
fn users_begin_within_some_milliseconds() {
    let within = |kind: &str, rest: &str| {
        let text = format!(
            "duration = \"10s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nstation = \"s\"\nkind = \"{kind}\"\n{rest}"
        );
        parse(&text).scenario.apps[0].users.within_ns
    };
    for kind in ["web", "streaming", "download", "upload", "p2p", "responsiveness"] {
        assert_eq!(within(kind, ""), 10 * MS, "{kind}");
    }
    for kind in ["game", "voip", "video", "ping"] {
        assert_eq!(within(kind, ""), 0, "{kind}");
    }
    assert_eq!(within("udp", "rate = \"1Mb/s\""), 0);
    assert_eq!(within("download", "start = \"9s\"\nstop = \"9.004s\""), 2 * MS);
    assert_eq!(within("download", "within = \"0s\""), 0);
    assert_eq!(within("game", "within = \"3s\""), 3 * S);
}

#[test]
fn beacons_have_their_interval_and_a_phase() {
    let beacon = |keys: &str| {
        let text = format!(
            "duration = \"1s\"\n[wifi]\n{keys}\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nstation = \"s\"\nkind = \"game\"\n"
        );
        parse(&text).scenario.medium.cell().and_then(|cell| cell.beacon).map(|b| (b.interval_ns, b.first_ns))
    };
    assert_eq!(beacon(""), Some((102_400_000, None)));
    assert_eq!(
        beacon("beacon_interval = \"100ms\"\nbeacon_phase = \"30ms\""),
        Some((100 * MS, Some(30 * MS)))
    );
    assert_eq!(beacon("beacon_interval = \"off\""), None);
}
