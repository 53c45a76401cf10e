// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Slow start and airtime of downloads in a cell of 802.11n under fq_codel, against ns-3 3.44 and the standard's arithmetic.

use airtab_scenario::{Figures, Metric, QueueSpec, ScenarioFile, measure};

/// One stream for an access point whose driver is ns-3's: 500 packets in order of arrival, aggregates built at the win, 5.484 ms.
const CELL: &str = "duration = \"4s\"\n[wifi]\nphy = \"std-11n\"\nampdu_time = \"5484us\"\n\
    driver = { ring = 500, aggregates = 0, order = \"fifo\" }\n\
    [wired]\nrate = \"1Gb/s\"\nqueue = 100000\n\
    [[station]]\nname = \"fast\"\nmcs = 7\nfer = 0\n";

fn figures(rest: &str, seed: u64) -> Vec<Figures> {
    let text = format!("{CELL}{rest}");
    let file = ScenarioFile::parse("cell.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    let queue = "fq_codel".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
    measure(&file.scenario, &airtab_sim::run(&file.scenario, &queue, seed)).apps
}

/// Mean of five seeds: packets that a download from 10 ms away loses in 3 s, its first slow start included.
fn losses(congestion: &str, tcp: &str) -> f64 {
    let rest = format!(
        "[[app]]\nname = \"d\"\nkind = \"download\"\nstation = \"fast\"\nstart = \"1s\"\nlatency = \"9ms\"\n\
         congestion = \"{congestion}\"\ntcp = {{ initial_window = 10, receive_window = 4100, min_rto = \"1s\", \
         rto = \"rfc6298\", delayed_ack = \"200ms\"{tcp} }}\n"
    );
    let lost = |seed| {
        let figures = &figures(&rest, seed)[0];
        assert_eq!(figures[&Metric::Timeouts], 0.0, "{congestion}, seed {seed}");
        figures[&Metric::Retransmits]
    };
    (1..=5).map(lost).sum::<f64>() / 5.0
}

/// ns-3's means of eight runs: `TcpNewReno` and `TcpLinuxReno` with RFC 6937's PRR in 64 bits, and with its own, which overflows and
/// sends nothing for half a round trip.
#[test]
fn slow_start_under_fq_codel_loses_as_many_packets_as_in_ns3() {
    let rows = [
        ("reno", "", 8.4),
        ("newreno", "", 26.4),
        ("reno", ", prr = false", 4.9),
        ("newreno", ", prr = false", 23.5),
    ];
    for (congestion, tcp, expected) in rows {
        let found = losses(congestion, tcp);
        let within = f64::max(0.15 * expected, 1.0);
        assert!((found - expected).abs() < within, "{congestion}{tcp}: {found} packets, {expected} in ns-3");
    }
}

/// Equal bytes take the air of their exchanges: PPDU, SIFS, BLOCK ACK, AIFS and 7.5 slots, of 28 MPDUs at MCS 7, 2 at MCS 0 and 5
/// at MCS 1.
#[test]
fn the_slow_station_takes_the_air_of_its_exchanges_under_fq_codel() {
    let wait = 16.0 + 43.0 + 67.5;
    let fast = (36.0 + 5324.0 + 32.0 + wait) / 28.0;
    for (mcs, slow) in [(0, (36.0 + 3804.0 + 68.0 + wait) / 2.0), (1, (36.0 + 4756.0 + 44.0 + wait) / 5.0)] {
        let app = |name: &str| {
            format!("[[app]]\nname = \"{name}\"\nkind = \"udp\"\nstation = \"{name}\"\nrate = \"20Mb/s\"\n")
        };
        let rest =
            format!("[[station]]\nname = \"slow\"\nmcs = {mcs}\nfer = 0\n{}{}", app("fast"), app("slow"));
        let f = figures(&rest, 1);
        let rate = f[0][&Metric::IpThroughput] / f[1][&Metric::IpThroughput];
        let air = f[1][&Metric::Air] / f[0][&Metric::Air];
        assert!((rate - 1.0).abs() < 0.02, "MCS {mcs}: rates as {rate}");
        let expected = slow / fast;
        assert!((air / expected - 1.0).abs() < 0.015, "MCS {mcs}: air as {air}, not {expected}");
    }
}
