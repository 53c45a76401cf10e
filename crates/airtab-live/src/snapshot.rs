// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the access point shows of itself, once a second: the one source of the
//! terminal view, the JSON lines and the Prometheus endpoint.
//!
//! Totals count since the start; rates, shares and quantiles are of the last
//! [`Snapshot::interval_s`]. What it does not do: it draws nothing, and it
//! judges nothing (`blame`).

mod app;
mod classes;
mod outcome;
mod path;

use std::collections::BTreeMap;
use std::ops::AddAssign;

use airtab_core::{Column, Stat, Unit};
use airtab_sim::Histogram;
use serde::{Deserialize, Serialize};

pub use app::{AppView, Score};
pub use classes::{ClassColumn, ClassView, Classes};
pub use outcome::{OutcomeView, ScoreOfLate};
pub use path::{Parts, PathView};

/// The access point at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Name of the house.
    pub house: String,
    /// The discipline with its parameters, as `--queue` takes it.
    pub queue: String,
    /// `dcf` or `emulator`.
    pub medium: String,
    /// Time since the start, s.
    pub now_s: f64,
    /// What rates, shares and quantiles are about: the time before `now_s`, s.
    pub interval_s: f64,
    /// The discipline.
    pub qdisc: QdiscView,
    /// Where the channel's time went.
    pub air: AirView,
    /// The same since the start: who looks every 15 s would miss most intervals.
    pub air_totals: AirTotals,
    /// Stations, in the order of the house.
    pub stations: Vec<StationView>,
    /// Flows that sent anything in the interval, most airtime first, at most [`Snapshot::FLOWS`].
    pub flows: Vec<FlowView>,
    /// Where downlink packets spent their time.
    pub hops: Hops,
    /// Where all packets went, since the start.
    pub books: Books,
    /// How well the wall clock was kept.
    pub pace: Pace,
    /// Applications that the access point was started with, and what they feel.
    pub apps: Vec<AppView>,
    /// Quality of Outcome by station and kind of application.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutcomeView>,
}

impl Snapshot {
    /// Flows in a snapshot.
    pub const FLOWS: usize = 20;
}

/// The discipline's counters, by the names of its tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QdiscView {
    /// Packets queued.
    pub packets: u32,
    /// Bytes queued.
    pub bytes: u64,
    /// Packets dropped since the start, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Its own statistics.
    pub stats: Vec<StatView>,
    /// What its table says of a flow: what is in [`FlowView::columns`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnView>,
    /// Its classes.
    #[serde(default, skip_serializing_if = "Classes::is_empty")]
    pub classes: Classes,
}

/// One statistic of a discipline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StatView {
    /// Name in its table.
    pub name: String,
    /// What it says.
    pub help: String,
    /// Unit of the value: `ns`, `bytes`, `bit/s` or `ratio`; empty for a plain number.
    pub unit: String,
    /// Grows only; else a gauge.
    pub counter: bool,
    /// In that unit.
    pub value: f64,
}

/// A column of a discipline's table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnView {
    /// Name in its table.
    pub name: String,
    /// What it says.
    pub help: String,
    /// As [`StatView::unit`]. Values of flows are in s where it is `ns`.
    pub unit: String,
}

impl ColumnView {
    /// A column as the core's tables give it.
    pub fn new(column: &Column) -> ColumnView {
        let (name, help) = (column.name.into(), column.help.into());
        ColumnView { name, help, unit: unit_of(column.unit).into() }
    }

    /// Its key in [`FlowView::columns`]: `credit_s`.
    pub fn key(&self) -> String {
        let unit = match &*self.unit {
            "ns" => "_s",
            "bytes" => "_bytes",
            "bit/s" => "_bps",
            "ratio" => "_ratio",
            _ => "",
        };
        format!("{}{unit}", self.name)
    }
}

/// The unit in which a value is shown.
fn unit_of(unit: Unit) -> &'static str {
    match unit {
        Unit::Ns | Unit::SignedNs => "ns",
        Unit::Bytes => "bytes",
        Unit::Bps => "bit/s",
        Unit::Ppm => "ratio",
        Unit::Q16 | Unit::Count | Unit::Bool | Unit::Choice | Unit::Hex | Unit::Rule | Unit::Weight => "",
    }
}

impl StatView {
    /// A value as [`airtab_core::Qdisc::stats`] gives it, with its row of the table.
    pub fn new(stat: &Stat, value: u64) -> StatView {
        let value = match stat.unit {
            Unit::SignedNs => value as i64 as f64,
            Unit::Ppm => value as f64 / 1e6,
            Unit::Q16 => value as f64 / 65536.0,
            Unit::Weight => value as f64 / 4_294_967_296.0,
            _ => value as f64,
        };
        StatView {
            name: stat.name.into(),
            help: stat.help.into(),
            unit: unit_of(stat.unit).into(),
            counter: stat.counter,
            value,
        }
    }
}

/// Shares of the channel's time in the interval; the first five sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AirView {
    /// Frames to stations.
    pub down_ratio: f64,
    /// Frames from stations.
    pub up_ratio: f64,
    /// Collisions.
    pub collision_ratio: f64,
    /// Beacons.
    pub beacon_ratio: f64,
    /// Nobody sending.
    pub idle_ratio: f64,
    /// How evenly the stations that used any shared it, down and up: Jain's index; None of fewer than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stations_jain_ratio: Option<f64>,
    /// How often, since the start, a frame exchange was of the contender that had the one before: p_s of N contenders
    /// that are equal is 1/N; None unless the house counts `winners`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub won_again_ratio: Option<f64>,
}

/// The channel's time since the start; the sum is all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AirTotals {
    /// Frames to stations, ns.
    pub down_ns: u64,
    /// Frames from stations, ns.
    pub up_ns: u64,
    /// Collisions, ns.
    pub collision_ns: u64,
    /// Beacons, ns.
    pub beacon_ns: u64,
    /// Nobody sending, ns.
    pub idle_ns: u64,
}

/// What packets of a station or a flow did, since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// IP bytes that reached the station.
    pub down_bytes: u64,
    /// IP bytes from the station that reached the access point.
    pub up_bytes: u64,
    /// Channel time of downlink frames, ns.
    pub down_air_ns: u64,
    /// Channel time of uplink frames, ns.
    pub up_air_ns: u64,
    /// Downlink frames that ended.
    pub frames: u64,
    /// Attempts that they took.
    pub attempts: u64,
    /// Packets dropped by the discipline.
    pub dropped: u64,
    /// Packets lost on the air, both ways.
    pub lost: u64,
    /// Packets that a full uplink queue refused.
    pub uplink_dropped: u64,
}

impl Totals {
    /// Channel time of both ways, ns.
    pub fn air_ns(&self) -> u64 {
        self.down_air_ns + self.up_air_ns
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        let Totals {
            down_bytes,
            up_bytes,
            down_air_ns,
            up_air_ns,
            frames,
            attempts,
            dropped,
            lost,
            uplink_dropped,
        } = other;
        self.down_bytes += down_bytes;
        self.up_bytes += up_bytes;
        self.down_air_ns += down_air_ns;
        self.up_air_ns += up_air_ns;
        self.frames += frames;
        self.attempts += attempts;
        self.dropped += dropped;
        self.lost += lost;
        self.uplink_dropped += uplink_dropped;
    }
}

/// Rates, shares and quantiles of the interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// To the station, bit/s.
    pub down_bps: f64,
    /// From the station, bit/s.
    pub up_bps: f64,
    /// Share of the channel's time, downlink.
    pub down_air_ratio: f64,
    /// Share of the channel's time, uplink.
    pub up_air_ratio: f64,
    /// Attempts per downlink frame; 0 if there was none.
    pub attempts_mean: f64,
    /// Packets dropped per second, by the discipline and by the station's own queue.
    pub drops_per_s: f64,
    /// Median time in the access point's queue, s; 0 if nothing left it.
    pub sojourn_p50_s: f64,
    /// The 99th percentile of it, s.
    pub sojourn_p99_s: f64,
}

/// One station.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StationView {
    /// Its name in the house.
    pub name: String,
    /// PHY rate, kb/s; with rate control that of what goes down now.
    pub rate_kbps: u32,
    /// Probability that one frame to or from it is lost; by the signal: that an MPDU with 1500 bytes of IP is at this
    /// rate, without shadows.
    pub frame_error_rate: f64,
    /// Packets for it in the access point's queue.
    pub backlog_packets: u32,
    /// Since the start.
    pub totals: Totals,
    /// Of the interval.
    pub rates: Rates,
    /// Why it is there no more; None while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// One flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowView {
    /// The application of the house it belongs to, if any.
    pub app: Option<String>,
    /// Protocol and both ends, station first: `tcp 10.0.0.1:50000 198.18.0.2:80`.
    pub tuple: String,
    /// Its station's name.
    pub station: String,
    /// What the discipline's table says of it, by [`ColumnView::key`], in base units; None while it does not
    /// know the flow.
    #[serde(flatten)]
    pub columns: BTreeMap<String, Option<f64>>,
    /// Its packets in the access point's queue.
    pub backlog_packets: u32,
    /// Since the start.
    pub totals: Totals,
    /// Of the interval.
    pub rates: Rates,
}

/// How long packets took at each hop in the interval, s; downlink but for the last three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hops {
    /// From a request's arrival at the server to the first byte of the answer.
    pub server: Quantiles,
    /// Wired links, their queues included.
    pub wired: Quantiles,
    /// The access point's queue.
    pub queue: Quantiles,
    /// The driver's ring below it: until the first attempt; no packets where the cell has none.
    #[serde(default)]
    pub ring: Quantiles,
    /// Contention, attempts and backoffs; below a ring from the first attempt to the last one's end.
    pub air: Quantiles,
    /// The other way: a station's own queue.
    pub uplink_queue: Quantiles,
    /// From leaving that queue to the access point: contention, attempts and backoffs.
    pub uplink_air: Quantiles,
    /// From the access point to the server: wired links, their queues included.
    pub uplink_wired: Quantiles,
}

/// Of one distribution, s; all 0 if it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Median.
    pub p50_s: f64,
    /// 99th percentile.
    pub p99_s: f64,
    /// How many values.
    pub count: u64,
}

impl Quantiles {
    pub(crate) fn of(times: &Histogram) -> Quantiles {
        let at = |q| times.value_at_quantile(q) as f64 * 1e-9;
        Quantiles { p50_s: at(0.5), p99_s: at(0.99), count: times.len() }
    }
}

/// Where packets went since the start:
/// `taken == given + dropped + lost + uplink_dropped + wired_dropped + refused + inside`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    /// Packets read from namespaces.
    pub taken: u64,
    /// Acknowledgements that the access point's discipline made.
    #[serde(default)]
    pub made: u64,
    /// Packets that reached their end.
    pub given: u64,
    /// Dropped by the access point's discipline.
    pub dropped: u64,
    /// Given up by a MAC after its last attempt.
    pub lost: u64,
    /// Refused by a full uplink queue.
    pub uplink_dropped: u64,
    /// Refused by a full wired queue.
    pub wired_dropped: u64,
    /// Read, and not sent on, by reason: malformed, no route, multicast.
    pub refused: BTreeMap<String, u64>,
    /// On their way.
    pub inside: u64,
    /// Of `given`: the namespace's kernel did not take it.
    pub unwritten: u64,
}

impl Books {
    /// Whether every packet is accounted for.
    pub fn balanced(&self) -> bool {
        let out = self.given + self.dropped + self.lost + self.uplink_dropped + self.wired_dropped;
        self.taken + self.made == out + self.refused.values().sum::<u64>() + self.inside
    }
}

/// How well the access point kept to the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// How long after its time a packet was handed over: median of the interval, s.
    pub late_p50_s: f64,
    /// 99th percentile of the interval, s.
    pub late_p99_s: f64,
    /// Largest of the whole run, s.
    pub late_max_s: f64,
    /// Packets handed over more than [`Pace::BEHIND_S`] late, whole run.
    pub behind: u64,
    /// Packets that overflowed a device's queue before they were read, whole
    /// run: nobody's books have them.
    #[serde(default)]
    pub overflowed: u64,
    /// Share of one processor that the access point's thread used in the interval.
    pub cpu_ratio: f64,
}

impl Pace {
    /// Later than this and what applications feel is no longer the cell's doing, s.
    pub const BEHIND_S: f64 = 0.002;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_are_balanced_when_every_end_is_counted() {
        let mut books = Books { inside: 1, ..Books::default() };
        assert!(!books.balanced());
        books.taken = 1;
        assert!(books.balanced());
        let ends: [fn(&mut Books) -> &mut u64; 6] = [
            |b| &mut b.given,
            |b| &mut b.dropped,
            |b| &mut b.lost,
            |b| &mut b.uplink_dropped,
            |b| &mut b.wired_dropped,
            |b| b.refused.entry("multicast".into()).or_default(),
        ];
        for end in ends {
            *end(&mut books) += 2;
            assert!(!books.balanced());
            books.taken += 2;
            assert!(books.balanced());
        }
        books.made = 1;
        books.given += 1;
        assert!(books.balanced());
        // What the kernel did not take was given.
        books.unwritten = 1;
        assert!(books.balanced());
    }

    #[test]
    fn totals_are_summed_each_to_its_own() {
        let of = |n: u64| Totals {
            down_bytes: n,
            up_bytes: 2 * n,
            down_air_ns: 3 * n,
            up_air_ns: 4 * n,
            frames: 5 * n,
            attempts: 6 * n,
            dropped: 7 * n,
            lost: 8 * n,
            uplink_dropped: 9 * n,
        };
        let mut sum = of(1);
        sum += of(10);
        sum += of(100);
        assert_eq!((sum, sum.air_ns()), (of(111), 777));
    }

    /// 1 to 100 ms, and one of 90 s: values are s.
    #[test]
    fn quantiles_are_in_seconds() {
        let mut times = Histogram::new(100_000_000_000, 3);
        assert_eq!(Quantiles::of(&times), Quantiles::default());
        (1..=100).for_each(|ms| times.record(ms * 1_000_000));
        times.record(90_000_000_000);
        let of = Quantiles::of(&times);
        assert!((of.p50_s / 0.051 - 1.0).abs() < 2e-3 && (of.p99_s / 0.1 - 1.0).abs() < 2e-3, "{of:?}");
        assert_eq!(of.count, 101);
    }

    /// Values of the core's units: times stay ns, shares and fixed-point numbers become numbers.
    #[test]
    fn statistics_are_in_their_units() {
        let of = |unit, value| {
            let stat = Stat { id: 1, name: "x", help: "y", unit, counter: true };
            let view = StatView::new(&stat, value);
            assert_eq!((view.name.as_str(), view.help.as_str(), view.counter), ("x", "y", true));
            (view.unit, view.value)
        };
        assert_eq!(of(Unit::Ns, 25), ("ns".into(), 25.0));
        assert_eq!(of(Unit::SignedNs, -25i64 as u64), ("ns".into(), -25.0));
        assert_eq!(of(Unit::Bytes, 7), ("bytes".into(), 7.0));
        assert_eq!(of(Unit::Bps, 8), ("bit/s".into(), 8.0));
        assert_eq!(of(Unit::Ppm, 250_000), ("ratio".into(), 0.25));
        assert_eq!(of(Unit::Q16, 3 << 15), (String::new(), 1.5));
        assert_eq!(of(Unit::Weight, 3 << 31), (String::new(), 1.5));
        for unit in [Unit::Count, Unit::Bool, Unit::Choice, Unit::Hex, Unit::Rule] {
            assert_eq!(of(unit, 3), (String::new(), 3.0));
        }
    }
}
