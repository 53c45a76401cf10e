// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Names, units and senses of all figures: the name says the unit, the label the
//! one that is shown, and the factor between them must be that of the two. Senses
//! are written down a second time, apart from the table that they judge.

use std::collections::HashSet;

use Metric::*;
use airtab_scenario::Metric;

/// Of the unit that a name ends in, by the one that the label does.
fn factor(name: &str, label: &str) -> f64 {
    let shown = |unit: &str| label.split([',', ' ']).any(|word| word == unit);
    match name {
        "cpu_seconds_per_packet" if shown("us") => 1e6,
        _ if name.contains("_gap_") && name.ends_with("_seconds") && shown("us") => 1e6,
        _ if name.ends_with("_jain_ratio") => 1.0,
        _ if name.ends_with("bits_per_second") && shown("Mb/s") => 1e-6,
        _ if name.ends_with("bytes_per_second") && shown("kB/s") => 1e-3,
        _ if name.ends_with("_seconds") && shown("ms") => 1e3,
        _ if name.ends_with("_seconds") && shown("s") => 1.0,
        _ if name.ends_with("_ratio") && shown("%") => 100.0,
        _ if name.ends_with("_bytes") && shown("kB") => 1e-3,
        // Counts, opinion scores, and frames in a second.
        _ if ["seconds", "ratio", "bytes"].iter().all(|unit| !name.ends_with(unit)) => 1.0,
        _ => panic!("{name} is shown as {label}"),
    }
}

#[test]
fn every_label_has_the_unit_of_its_factor() {
    let (mut names, mut labels) = (HashSet::new(), HashSet::new());
    // 255 of attempts, four of each column that says something of a flow, whose ever it is, 27 of each direction, and 13 of its outcome.
    let columns = airtab_core::disciplines().flat_map(|d| d.flow_columns()).map(|column| column.name);
    let columns = columns.collect::<HashSet<_>>().len();
    for metric in Metric::all() {
        let (name, label) = (metric.name(), metric.label());
        assert_eq!(metric.shown(1.0), factor(name, label), "{name}, shown as {label}");
        assert_eq!(metric.shown(3.0), 3.0 * factor(name, label));
        assert!(names.insert(name), "{name} is there twice");
        assert!(labels.insert(label) || label == "MOS", "{label} is there twice");
        assert_eq!(Metric::named(name), Some(metric));
        assert_eq!(serde_json::to_string(&metric).unwrap(), format!("\"{name}\""));
    }
    assert_eq!((names.len(), Metric::named("nonesuch")), (118 + 255 + 2 * (27 + 13) + 4 * columns, None));
}

#[test]
fn more_is_better_or_less_is() {
    let more = [
        GameMos,
        GameMosWindow,
        VoipMos,
        VoipRG107,
        VoipMosG107,
        VoipMosDownlink,
        VoipMosUplink,
        FrameRate,
        WholeFrameRate,
        FramesWhole,
        IFramesWhole,
        PFramesWhole,
        BFramesWhole,
        Goodput,
        UplinkGoodput,
        IpThroughput,
        UplinkIpThroughput,
        Throughput,
        FrameGoodput,
        Efficiency,
        BitRate,
        Rpm,
        RpmDown,
        RpmUp,
        LoadedGoodput,
        UplinkLoadedGoodput,
        Qoo,
        Attempts(1),
        Fairness,
        PingPlayable,
    ];
    let less = [
        PageTime,
        PageTimeWithHandshake,
        Stalled,
        Stalls,
        Switches,
        Startup,
        IdleLatency,
        LoadedLatency,
        Ping,
        Delay,
        UplinkDelay,
        Jitter,
        UplinkJitter,
        ArrivalSpread,
        Loss,
        LossRate,
        Latency,
        UplinkLoss,
        WorseDelayP99,
        WorseLoss,
        QueueDelay,
        QueueDelayP50,
        QueueDelayP99,
        BelowDelay,
        BelowDelayP99,
        GivenUp,
        RetransmitRatio,
        Rtt,
        RttP95,
        RttMax,
        PingMedian,
        CpuPerPacket,
        Behind,
        LateP99,
    ];
    for metric in Metric::all() {
        let sense = match metric {
            m if more.contains(&m) => 1.0,
            m if less.contains(&m) => -1.0,
            Outcome(_) => 1.0,
            // Percentiles, losses, attempts and shares sent again of a direction.
            Path(_)
                if ["_p50_", "_p90_", "_p95_", "_p99_", "_loss_", "_attempts_", "_retransmit_ratio"]
                    .iter()
                    .any(|of| metric.name().contains(of)) =>
            {
                -1.0
            }
            _ => 0.0,
        };
        assert_eq!(metric.sense(), sense, "{}", metric.name());
    }
}

#[test]
fn attempts_are_in_their_order() {
    let all: Vec<_> = Metric::all().filter(|metric| matches!(metric, Attempts(_))).collect();
    assert_eq!(all, (1..=255).map(Attempts).collect::<Vec<_>>());
    let names: Vec<_> = all.iter().map(|metric| metric.name()).collect();
    assert_eq!(names, (1..=255).map(|n| format!("attempts_{n}_ratio")).collect::<Vec<_>>());
    let labels = [1, 2, 3, 255].map(|n| Attempts(n).label());
    assert_eq!(labels, ["sent once, %", "sent twice, %", "sent 3 times, %", "sent 255 times, %"]);
    assert_eq!(Metric::PLAYABLE_PING_S, 0.150);
}
