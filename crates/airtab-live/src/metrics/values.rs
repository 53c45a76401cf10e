// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every sample of a snapshot in which no two numbers are equal: each value is read
//! from its own place.

use std::collections::BTreeMap;

use super::{Format, encode};
use crate::snapshot::{
    AirTotals, AirView, AppView, Books, ClassColumn, ClassView, Classes, ColumnView, FlowView, Hops,
    OutcomeView, Pace, QdiscView, Quantiles, Rates, Score, ScoreOfLate, Snapshot, StatView, StationView,
    Totals,
};

/// Totals of which times are `from`, `from + 1` s and the rest `from + 2` and so on.
fn totals(from: u64) -> Totals {
    Totals {
        down_air_ns: from * 1_000_000_000,
        up_air_ns: (from + 1) * 1_000_000_000,
        down_bytes: from + 2,
        up_bytes: from + 3,
        frames: from + 4,
        attempts: from + 5,
        dropped: from + 6,
        lost: from + 7,
        uplink_dropped: from + 8,
    }
}

fn rates(from: f64) -> Rates {
    Rates {
        sojourn_p50_s: from,
        sojourn_p99_s: from + 1.0,
        // Not exported.
        down_bps: -1.0,
        up_bps: -2.0,
        down_air_ratio: -3.0,
        up_air_ratio: -4.0,
        attempts_mean: -5.0,
        drops_per_s: -6.0,
    }
}

fn stat(name: &str, unit: &str, counter: bool, value: f64) -> StatView {
    StatView { name: name.into(), help: "help".into(), unit: unit.into(), counter, value }
}

fn class_column(name: &str, unit: &str, counter: bool) -> ClassColumn {
    ClassColumn { name: name.into(), help: "help".into(), unit: unit.into(), counter }
}

fn snapshot() -> Snapshot {
    let quantiles = |from: u64| Quantiles { p50_s: from as f64, p99_s: from as f64 + 1.0, count: from + 2 };
    Snapshot {
        house: "h".into(),
        queue: "q".into(),
        medium: "m".into(),
        now_s: 1.0,
        interval_s: -1.0,
        qdisc: QdiscView {
            packets: 2,
            bytes: 3,
            dropped: BTreeMap::from([("limit".into(), 4), ("aqm".into(), 5)]),
            stats: vec![
                stat("a", "ns", false, 6e9),
                stat("b", "bytes", true, 7.0),
                stat("c", "bit/s", false, 8.0),
                stat("d", "ratio", false, 9.0),
                stat("e", "", true, 10.0),
            ],
            columns: [("left", "ns"), ("sojourn", "ns"), ("deficit", "bytes"), ("unknown", "ratio")]
                .map(|(name, unit)| ColumnView { name: name.into(), help: "help".into(), unit: unit.into() })
                .into(),
            classes: Classes {
                columns: vec![
                    class_column("waited", "ns", true),
                    class_column("sent_bytes", "bytes", true),
                    class_column("share", "ratio", false),
                    class_column("backlog", "", false),
                ],
                classes: vec![
                    ClassView {
                        class: "0".into(),
                        values: vec![1024e9, 1002.0, 1003.0, 1004.0],
                        ..ClassView::default()
                    },
                    ClassView {
                        class: "urgent".into(),
                        category: "vi".into(),
                        values: vec![2048e9, 1006.0, 1007.0, 1008.0],
                        ..ClassView::default()
                    },
                ],
            },
        },
        air: AirView {
            down_ratio: 11.0,
            up_ratio: 12.0,
            collision_ratio: 13.0,
            beacon_ratio: 14.0,
            idle_ratio: 15.0,
            stations_jain_ratio: Some(0.5),
            won_again_ratio: Some(0.25),
        },
        air_totals: AirTotals {
            down_ns: 16_000_000_000,
            up_ns: 17_000_000_000,
            collision_ns: 18_000_000_000,
            beacon_ns: 19_000_000_000,
            idle_ns: 20_500_000_000,
        },
        stations: vec![StationView {
            name: "s".into(),
            rate_kbps: 21,
            frame_error_rate: 22.0,
            backlog_packets: 23,
            totals: totals(30),
            rates: rates(40.0),
            ended: Some("gone".into()),
        }],
        flows: vec![FlowView {
            app: Some("a".into()),
            tuple: "t".into(),
            station: "s".into(),
            columns: [
                ("left_s", Some(-50.5)),
                ("sojourn_s", Some(50.75)),
                ("deficit_bytes", Some(52.0)),
                ("unknown_ratio", None),
            ]
            .map(|(key, value)| (key.into(), value))
            .into(),
            backlog_packets: 51,
            totals: totals(60),
            rates: rates(70.0),
        }],
        hops: Hops {
            server: quantiles(80),
            wired: quantiles(83),
            queue: quantiles(86),
            ring: quantiles(136),
            air: quantiles(89),
            uplink_queue: quantiles(92),
            uplink_air: quantiles(130),
            uplink_wired: quantiles(133),
        },
        books: Books {
            taken: 100,
            made: 109,
            given: 101,
            dropped: 102,
            lost: 103,
            uplink_dropped: 104,
            wired_dropped: 105,
            refused: BTreeMap::from([("no_route".into(), 106)]),
            inside: 107,
            unwritten: 108,
        },
        pace: Pace {
            late_p50_s: 110.0,
            late_p99_s: 111.0,
            late_max_s: 112.0,
            behind: 113,
            overflowed: 114,
            cpu_ratio: 115.0,
        },
        apps: vec![AppView {
            name: "a".into(),
            kind: "k".into(),
            station: "s".into(),
            score: Some(Score {
                metric: "page_seconds".into(),
                value: 120.0,
                text: "x".into(),
                ..Score::default()
            }),
            ..AppView::default()
        }],
        outcomes: vec![OutcomeView {
            station: "s".into(),
            kind: "k".into(),
            requirement: "r".into(),
            last_10_s: Some(ScoreOfLate { score: 140.0, decided: "x".into() }),
            last_60_s: Some(ScoreOfLate { score: 141.0, decided: "y".into() }),
        }],
    }
}

const SAMPLES: &str = r#"
info{house="h",queue="q",medium="m"} 1.0
uptime_seconds_total 1.0
queue_packets 2.0
queue_bytes 3.0
air_seconds_total{use="down"} 16.0
air_seconds_total{use="up"} 17.0
air_seconds_total{use="collision"} 18.0
air_seconds_total{use="beacon"} 19.0
air_seconds_total{use="idle"} 20.5
air_ratio{use="down"} 11.0
air_ratio{use="up"} 12.0
air_ratio{use="collision"} 13.0
air_ratio{use="beacon"} 14.0
air_ratio{use="idle"} 15.0
stations_air_jain_ratio 0.5
won_again_ratio 0.25
taken_packets_total 100.0
ended_packets_total{end="given"} 101.0
ended_packets_total{end="dropped"} 102.0
ended_packets_total{end="lost"} 103.0
ended_packets_total{end="uplink_dropped"} 104.0
ended_packets_total{end="wired_dropped"} 105.0
made_packets_total 109.0
inside_packets 107.0
unwritten_packets_total 108.0
pace_late_seconds{quantile="0.5"} 110.0
pace_late_seconds{quantile="0.99"} 111.0
pace_late_max_seconds 112.0
pace_behind_packets_total 113.0
pace_overflowed_packets_total 114.0
pace_cpu_ratio 115.0
queue_dropped_packets_total{reason="aqm"} 5.0
queue_dropped_packets_total{reason="limit"} 4.0
refused_packets_total{reason="no_route"} 106.0
qdisc_a_seconds 6.0
qdisc_b_bytes_total 7.0
qdisc_c_bits_per_second 8.0
qdisc_d_ratio 9.0
qdisc_e_total 10.0
class_waited_seconds_total{class="0"} 1024.0
class_waited_seconds_total{class="urgent",category="vi"} 2048.0
class_sent_bytes_total{class="0"} 1002.0
class_sent_bytes_total{class="urgent",category="vi"} 1006.0
class_share_ratio{class="0"} 1003.0
class_share_ratio{class="urgent",category="vi"} 1007.0
class_backlog{class="0"} 1004.0
class_backlog{class="urgent",category="vi"} 1008.0
station_up{station="s"} 0.0
station_phy_rate_bits_per_second{station="s"} 21000.0
station_frame_error_ratio{station="s"} 22.0
station_backlog_packets{station="s"} 23.0
station_bytes_total{station="s",direction="down"} 32.0
station_bytes_total{station="s",direction="up"} 33.0
station_airtime_seconds_total{station="s",direction="down"} 30.0
station_airtime_seconds_total{station="s",direction="up"} 31.0
station_frames_total{station="s"} 34.0
station_attempts_total{station="s"} 35.0
station_dropped_packets_total{station="s"} 36.0
station_lost_packets_total{station="s"} 37.0
station_uplink_dropped_packets_total{station="s"} 38.0
station_sojourn_seconds{station="s",quantile="0.5"} 40.0
station_sojourn_seconds{station="s",quantile="0.99"} 41.0
flow_left_seconds{flow="t",station="s",app="a"} -50.5
flow_qdisc_sojourn_seconds{flow="t",station="s",app="a"} 50.75
flow_deficit_bytes{flow="t",station="s",app="a"} 52.0
flow_backlog_packets{flow="t",station="s",app="a"} 51.0
flow_bytes_total{flow="t",station="s",app="a",direction="down"} 62.0
flow_bytes_total{flow="t",station="s",app="a",direction="up"} 63.0
flow_airtime_seconds_total{flow="t",station="s",app="a",direction="down"} 60.0
flow_airtime_seconds_total{flow="t",station="s",app="a",direction="up"} 61.0
flow_frames_total{flow="t",station="s",app="a"} 64.0
flow_attempts_total{flow="t",station="s",app="a"} 65.0
flow_dropped_packets_total{flow="t",station="s",app="a"} 66.0
flow_lost_packets_total{flow="t",station="s",app="a"} 67.0
flow_uplink_dropped_packets_total{flow="t",station="s",app="a"} 68.0
flow_sojourn_seconds{flow="t",station="s",app="a",quantile="0.5"} 70.0
flow_sojourn_seconds{flow="t",station="s",app="a",quantile="0.99"} 71.0
hop_delay_seconds{hop="server",quantile="0.5"} 80.0
hop_delay_seconds{hop="server",quantile="0.99"} 81.0
hop_delay_seconds{hop="wired",quantile="0.5"} 83.0
hop_delay_seconds{hop="wired",quantile="0.99"} 84.0
hop_delay_seconds{hop="queue",quantile="0.5"} 86.0
hop_delay_seconds{hop="queue",quantile="0.99"} 87.0
hop_delay_seconds{hop="ring",quantile="0.5"} 136.0
hop_delay_seconds{hop="ring",quantile="0.99"} 137.0
hop_delay_seconds{hop="air",quantile="0.5"} 89.0
hop_delay_seconds{hop="air",quantile="0.99"} 90.0
hop_delay_seconds{hop="uplink_queue",quantile="0.5"} 92.0
hop_delay_seconds{hop="uplink_queue",quantile="0.99"} 93.0
hop_delay_seconds{hop="uplink_air",quantile="0.5"} 130.0
hop_delay_seconds{hop="uplink_air",quantile="0.99"} 131.0
hop_delay_seconds{hop="uplink_wired",quantile="0.5"} 133.0
hop_delay_seconds{hop="uplink_wired",quantile="0.99"} 134.0
hop_packets{hop="server"} 82.0
hop_packets{hop="wired"} 85.0
hop_packets{hop="queue"} 88.0
hop_packets{hop="ring"} 138.0
hop_packets{hop="air"} 91.0
hop_packets{hop="uplink_queue"} 94.0
hop_packets{hop="uplink_air"} 132.0
hop_packets{hop="uplink_wired"} 135.0
app_page_seconds{app="a",kind="k",station="s"} 120.0
qoo_score{station="s",kind="k",requirement="r",window="10s"} 140.0
qoo_score{station="s",kind="k",requirement="r",window="60s"} 141.0
"#;

/// A second station, flow and application, and a third without a score: each has its own values and labels.
#[test]
fn later_ones_have_their_own_values_too() {
    let mut s = snapshot();
    let station =
        StationView { name: "s2".into(), rate_kbps: 5, totals: totals(300), ..StationView::default() };
    s.stations.push(station);
    let columns = [("left_s".into(), Some(7.5)), ("sojourn_s".into(), None)].into();
    s.flows.push(FlowView { tuple: "t2".into(), columns, totals: totals(400), ..FlowView::default() });
    let scored = |name: &str, metric: &str, value| AppView {
        name: name.into(),
        score: Some(Score { metric: metric.into(), value, ..Score::default() }),
        ..AppView::default()
    };
    s.apps.push(scored("b", "game_mos", 4.5));
    s.apps.push(AppView { name: "c".into(), ..AppView::default() });
    s.apps.push(scored("d", "page_seconds", 8.5));
    let only_minute = Some(ScoreOfLate { score: 31.5, ..ScoreOfLate::default() });
    s.outcomes.push(OutcomeView { station: "s2".into(), last_60_s: only_minute, ..OutcomeView::default() });
    let text = encode(Some(s.into()), Format::OpenMetrics);
    for line in [
        r#"station_up{station="s"} 0.0"#,
        r#"station_up{station="s2"} 1.0"#,
        r#"station_phy_rate_bits_per_second{station="s2"} 5000.0"#,
        r#"station_bytes_total{station="s2",direction="up"} 303.0"#,
        r#"flow_left_seconds{flow="t",station="s",app="a"} -50.5"#,
        r#"flow_left_seconds{flow="t2",station="",app=""} 7.5"#,
        r#"flow_lost_packets_total{flow="t2",station="",app=""} 407.0"#,
        r#"app_page_seconds{app="a",kind="k",station="s"} 120.0"#,
        r#"app_page_seconds{app="d",kind="",station=""} 8.5"#,
        r#"app_game_mos{app="b",kind="",station=""} 4.5"#,
        r#"qoo_score{station="s2",kind="",requirement="",window="60s"} 31.5"#,
    ] {
        assert!(text.lines().any(|l| l == format!("airtab_{line}")), "{line}\n{text}");
    }
    for (name, count) in [("app_page_seconds{", 2), ("app_game_mos{", 1), ("qoo_score{", 3)] {
        assert_eq!(text.matches(&format!("\nairtab_{name}")).count(), count, "{name}");
    }
    assert_eq!(text.matches("airtab_flow_qdisc_sojourn_seconds{").count(), 1, "the second flow is unknown");
    // Help and type of a score, and of a counter.
    for line in [
        "# HELP airtab_app_page_seconds What the application's user feels, as airtab compare computes page_seconds",
        "# TYPE airtab_app_page_seconds gauge",
        "# UNIT airtab_app_page_seconds seconds",
        "# TYPE airtab_station_bytes counter",
        "# TYPE airtab_class_waited_seconds counter",
        "# TYPE airtab_class_share_ratio gauge",
        "# TYPE airtab_qdisc_a_seconds gauge",
        "# TYPE airtab_qdisc_b_bytes counter",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
}

#[test]
fn every_sample_has_its_own_value() {
    let text = encode(Some(snapshot().into()), Format::OpenMetrics);
    let samples: Vec<&str> = text
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.strip_prefix("airtab_").expect("ours"))
        .collect();
    let expected: Vec<&str> = SAMPLES.trim().lines().collect();
    for (sample, expected) in samples.iter().zip(&expected) {
        assert_eq!(sample, expected);
    }
    assert_eq!(samples.len(), expected.len());
}
