// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is exported of a snapshot: names, units, help, and where the values are.
//!
//! What it does not do: the discipline's own statistics have their table in the core.

use crate::snapshot::{FlowView, Quantiles, Rates, Snapshot, StationView, Totals};

/// Reads a value; None: there is none.
type Get<T> = fn(&T) -> Option<f64>;

/// One name, without `airtab_`, the part, the unit and `_total`.
pub struct Row<T: 'static> {
    /// What is counted.
    pub name: &'static str,
    /// Base unit, or empty.
    pub unit: &'static str,
    /// Never decreases while the access point runs.
    pub counter: bool,
    /// One line.
    pub help: &'static str,
    /// Label that tells several values apart, or empty.
    pub label: &'static str,
    /// Values of that label, and how to read each.
    pub values: &'static [(&'static str, Get<T>)],
}

const fn counter<T>(
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    label: &'static str,
    values: &'static [(&'static str, Get<T>)],
) -> Row<T> {
    Row { name, unit, counter: true, help, label, values }
}

const fn gauge<T>(
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    label: &'static str,
    values: &'static [(&'static str, Get<T>)],
) -> Row<T> {
    Row { name, unit, counter: false, help, label, values }
}

fn s(ns: u64) -> Option<f64> {
    Some(ns as f64 / 1e9)
}

fn n(count: u64) -> Option<f64> {
    Some(count as f64)
}

/// The labels are the message.
pub const INFO: &[Row<Snapshot>] =
    &[gauge("info", "", "Always 1: house, queue and medium that run", "", &[("", |_| Some(1.0))])];

/// The access point as a whole.
pub const HOUSE: &[Row<Snapshot>] = &[
    counter("uptime", "seconds", "Time since the start", "", &[("", |v| Some(v.now_s))]),
    gauge(
        "queue_packets",
        "",
        "Packets in the access point's queue",
        "",
        &[("", |v| n(v.qdisc.packets.into()))],
    ),
    gauge("queue_bytes", "", "Bytes in the access point's queue", "", &[("", |v| n(v.qdisc.bytes))]),
    counter(
        "air",
        "seconds",
        "Time of the channel, by use",
        "use",
        &[
            ("down", |v| s(v.air_totals.down_ns)),
            ("up", |v| s(v.air_totals.up_ns)),
            ("collision", |v| s(v.air_totals.collision_ns)),
            ("beacon", |v| s(v.air_totals.beacon_ns)),
            ("idle", |v| s(v.air_totals.idle_ns)),
        ],
    ),
    gauge(
        "air",
        "ratio",
        "Share of the channel's time in the last interval, by use",
        "use",
        &[
            ("down", |v| Some(v.air.down_ratio)),
            ("up", |v| Some(v.air.up_ratio)),
            ("collision", |v| Some(v.air.collision_ratio)),
            ("beacon", |v| Some(v.air.beacon_ratio)),
            ("idle", |v| Some(v.air.idle_ratio)),
        ],
    ),
    gauge(
        "stations_air_jain",
        "ratio",
        "How evenly the stations that used any shared the channel's time in the last interval: Jain's index",
        "",
        &[("", |v| v.air.stations_jain_ratio)],
    ),
    gauge(
        "won_again",
        "ratio",
        "How often a frame exchange was of the contender that had the one before, where the house counts winners",
        "",
        &[("", |v| v.air.won_again_ratio)],
    ),
    counter("taken_packets", "", "Packets read from the house", "", &[("", |v| n(v.books.taken))]),
    counter(
        "ended_packets",
        "",
        "Packets by how they ended; refused ones apart",
        "end",
        &[
            ("given", |v| n(v.books.given)),
            ("dropped", |v| n(v.books.dropped)),
            ("lost", |v| n(v.books.lost)),
            ("uplink_dropped", |v| n(v.books.uplink_dropped)),
            ("wired_dropped", |v| n(v.books.wired_dropped)),
        ],
    ),
    counter(
        "made_packets",
        "",
        "Acknowledgements that the discipline made",
        "",
        &[("", |v| n(v.books.made))],
    ),
    gauge("inside_packets", "", "Packets on their way", "", &[("", |v| n(v.books.inside))]),
    counter(
        "unwritten_packets",
        "",
        "Packets given that the receiving kernel did not take",
        "",
        &[("", |v| n(v.books.unwritten))],
    ),
    gauge(
        "pace_late",
        "seconds",
        "How late packets were handed over in the last interval",
        "quantile",
        &[("0.5", |v| Some(v.pace.late_p50_s)), ("0.99", |v| Some(v.pace.late_p99_s))],
    ),
    gauge("pace_late_max", "seconds", "The latest so far", "", &[("", |v| Some(v.pace.late_max_s))]),
    counter("pace_behind_packets", "", "Packets more than 2 ms late", "", &[("", |v| n(v.pace.behind))]),
    counter(
        "pace_overflowed_packets",
        "",
        "Packets lost before they were read",
        "",
        &[("", |v| n(v.pace.overflowed))],
    ),
    gauge(
        "pace_cpu",
        "ratio",
        "Share of one processor that the access point used in the last interval",
        "",
        &[("", |v| Some(v.pace.cpu_ratio))],
    ),
];

/// Of a station only.
pub const STATION: &[Row<StationView>] = &[
    gauge("up", "", "Whether its device is there: 1, or 0", "", &[("", |v| n(v.ended.is_none().into()))]),
    gauge(
        "phy_rate",
        "bits_per_second",
        "Rate of its frames",
        "",
        &[("", |v| n(u64::from(v.rate_kbps) * 1000))],
    ),
    gauge(
        "frame_error",
        "ratio",
        "Probability that one frame to or from it is lost",
        "",
        &[("", |v| Some(v.frame_error_rate))],
    ),
    gauge("backlog_packets", "", "Packets for it in the queue", "", &[("", |v| n(v.backlog_packets.into()))]),
];

/// Of a flow only.
pub const FLOW: &[Row<FlowView>] =
    &[gauge("backlog_packets", "", "Its packets in the queue", "", &[("", |v| n(v.backlog_packets.into()))])];

/// Of stations and flows alike.
pub const TOTALS: &[Row<Totals>] = &[
    counter(
        "",
        "bytes",
        "IP bytes that arrived",
        "direction",
        &[("down", |v| n(v.down_bytes)), ("up", |v| n(v.up_bytes))],
    ),
    counter(
        "airtime",
        "seconds",
        "Time of the channel that its frames took",
        "direction",
        &[("down", |v| s(v.down_air_ns)), ("up", |v| s(v.up_air_ns))],
    ),
    counter("frames", "", "Downlink frames that ended", "", &[("", |v| n(v.frames))]),
    counter("attempts", "", "Attempts that downlink frames took", "", &[("", |v| n(v.attempts))]),
    counter("dropped_packets", "", "Packets that the queue dropped", "", &[("", |v| n(v.dropped))]),
    counter("lost_packets", "", "Packets lost on the air, both ways", "", &[("", |v| n(v.lost))]),
    counter(
        "uplink_dropped_packets",
        "",
        "Packets that a full uplink queue refused",
        "",
        &[("", |v| n(v.uplink_dropped))],
    ),
];

/// Of stations and flows alike: what totals do not give.
pub const RATES: &[Row<Rates>] = &[gauge(
    "sojourn",
    "seconds",
    "Time in the queue of the packets that left it in the last interval; 0 if none did",
    "quantile",
    &[("0.5", |v| Some(v.sojourn_p50_s)), ("0.99", |v| Some(v.sojourn_p99_s))],
)];

/// Of a hop.
pub const HOP: &[Row<Quantiles>] = &[
    gauge(
        "delay",
        "seconds",
        "Time at each hop of the downlink in the last interval; 0 if no packet passed",
        "quantile",
        &[("0.5", |v| Some(v.p50_s)), ("0.99", |v| Some(v.p99_s))],
    ),
    gauge("packets", "", "Packets that it is about", "", &[("", |v| n(v.count))]),
];

/// Names of what is measured of flows, whatever the discipline.
pub fn of_flows() -> impl Iterator<Item = &'static str> {
    let totals = TOTALS.iter().map(|row| row.name);
    FLOW.iter().map(|row| row.name).chain(totals).chain(RATES.iter().map(|row| row.name))
}
