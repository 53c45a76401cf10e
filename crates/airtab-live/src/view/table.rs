// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Columns of the two tables: which there are, which fit, which sorts. Flows
//! have those of the discipline's own table among them, by their names there.
//!
//! What it does not do: no colours, no place on the screen (`draw`).

use std::borrow::Cow;

use crate::snapshot::{ColumnView, FlowView, StationView};
use crate::text::{megabits, millis, percent};

/// One column.
pub struct Column<T: 'static> {
    /// Its head, with the unit.
    pub head: Cow<'static, str>,
    /// Its width in characters.
    pub width: u16,
    /// Columns of small rank are shown first where there is little room.
    rank: u8,
    /// What stands in it.
    pub text: Box<dyn Fn(&T) -> String>,
    /// What it sorts by, largest first; None: by its text, as in a dictionary.
    key: Option<Key<T>>,
}

type Key<T> = Box<dyn Fn(&T) -> f64>;

impl<T> Column<T> {
    /// Whether it holds names, not numbers.
    pub fn is_name(&self) -> bool {
        self.key.is_none()
    }
}

fn column<T>(
    head: &'static str,
    width: u16,
    rank: u8,
    text: fn(&T) -> String,
    key: fn(&T) -> f64,
) -> Column<T> {
    Column { head: head.into(), width, rank, text: Box::new(text), key: Some(Box::new(key)) }
}

fn name<T>(head: &'static str, width: u16, rank: u8, text: fn(&T) -> String) -> Column<T> {
    Column { head: head.into(), width, rank, text: Box::new(text), key: None }
}

/// One that has ended is known by it.
fn station_name(s: &StationView) -> String {
    if s.ended.is_some() { format!("{} (ended)", s.name) } else { s.name.clone() }
}

fn station_air(s: &StationView) -> f64 {
    s.rates.down_air_ratio + s.rates.up_air_ratio
}

fn flow_air(f: &FlowView) -> f64 {
    f.rates.down_air_ratio + f.rates.up_air_ratio
}

fn attempts(mean: f64) -> String {
    if mean == 0.0 { "-".into() } else { format!("{mean:.2}") }
}

fn flow_name(f: &FlowView) -> String {
    f.app.clone().unwrap_or_else(|| f.tuple.clone())
}

/// How many columns stations have.
pub const STATION_COLUMNS: usize = 11;
/// The column of [`stations`] with their share of the air.
pub const STATION_AIR: usize = 3;
/// The column of [`flows`] with theirs.
pub const FLOW_AIR: usize = 4;

/// Columns of stations; the first is their name.
pub fn stations() -> [Column<StationView>; STATION_COLUMNS] {
    [
        name("station", 12, 0, station_name),
        column("down Mb/s", 9, 2, |s| megabits(s.rates.down_bps), |s| s.rates.down_bps),
        column("up Mb/s", 7, 4, |s| megabits(s.rates.up_bps), |s| s.rates.up_bps),
        column("air", 5, 1, |s| percent(station_air(s)), station_air),
        column("p50 ms", 6, 5, |s| millis(s.rates.sojourn_p50_s), |s| s.rates.sojourn_p50_s),
        column("p99 ms", 6, 3, |s| millis(s.rates.sojourn_p99_s), |s| s.rates.sojourn_p99_s),
        column("queue", 5, 6, |s| s.backlog_packets.to_string(), |s| s.backlog_packets.into()),
        column("tries", 5, 7, |s| attempts(s.rates.attempts_mean), |s| s.rates.attempts_mean),
        column("drops/s", 7, 8, |s| format!("{:.0}", s.rates.drops_per_s), |s| s.rates.drops_per_s),
        column("PHY Mb/s", 8, 9, |s| megabits(f64::from(s.rate_kbps) * 1e3), |s| s.rate_kbps.into()),
        column("lost", 6, 10, |s| s.totals.lost.to_string(), |s| s.totals.lost as f64),
    ]
}

/// Columns of flows, with the discipline's own; the first is their name.
pub fn flows(own: &[ColumnView]) -> Vec<Column<FlowView>> {
    let mut columns = vec![
        name("flow", 12, 0, flow_name),
        name("station", 8, 9, |f| f.station.clone()),
        column("down Mb/s", 9, 2, |f| megabits(f.rates.down_bps), |f| f.rates.down_bps),
        column("up Mb/s", 7, 6, |f| megabits(f.rates.up_bps), |f| f.rates.up_bps),
        column("air", 5, 1, |f| percent(flow_air(f)), flow_air),
    ];
    columns.extend(own.iter().map(discipline));
    let waits: [Column<FlowView>; 5] = [
        column("p50 ms", 6, 4, |f| millis(f.rates.sojourn_p50_s), |f| f.rates.sojourn_p50_s),
        column("p99 ms", 6, 3, |f| millis(f.rates.sojourn_p99_s), |f| f.rates.sojourn_p99_s),
        column("queue", 5, 5, |f| f.backlog_packets.to_string(), |f| f.backlog_packets.into()),
        column("tries", 5, 8, |f| attempts(f.rates.attempts_mean), |f| f.rates.attempts_mean),
        column("drops/s", 7, 10, |f| format!("{:.0}", f.rates.drops_per_s), |f| f.rates.drops_per_s),
    ];
    columns.extend(waits);
    columns
}

/// A column of the discipline's table; flows that it does not know come last.
fn discipline(of: &ColumnView) -> Column<FlowView> {
    let (unit, shown): (_, fn(f64) -> String) = match &*of.unit {
        "ns" => (" ms", |s| format!("{:.1}", s * 1e3)),
        "bytes" => (" kB", |bytes| format!("{:.1}", bytes * 1e-3)),
        "bit/s" => (" Mb/s", megabits),
        "ratio" => ("", percent),
        _ => ("", |number| format!("{number:.1}")),
    };
    let head = format!("{}{unit}", of.name);
    let width = head.chars().count().clamp(7, 20) as u16;
    let value = |key: String| move |f: &FlowView| f.columns.get(&key).copied().flatten();
    let (text, key) = (value(of.key()), value(of.key()));
    Column {
        head: head.into(),
        width,
        rank: 7,
        text: Box::new(move |f| text(f).map_or("-".into(), shown)),
        key: Some(Box::new(move |f| key(f).unwrap_or(f64::NEG_INFINITY))),
    }
}

/// Indices of the columns that fit into `width`, in their order, the first
/// always, and the one that sorts before the others.
pub fn fitting<T>(columns: &[Column<T>], width: u16, sort: usize) -> Vec<usize> {
    let mut by_rank: Vec<usize> = (0..columns.len()).collect();
    by_rank.sort_by_key(|&i| (columns[i].rank != 0, i != sort, columns[i].rank));
    let mut left = i32::from(width) + 1;
    let fits = |i: &usize| {
        left -= i32::from(columns[*i].width) + 1;
        left >= 0
    };
    let mut chosen: Vec<usize> = by_rank.into_iter().take_while(fits).collect();
    if chosen.is_empty() {
        chosen.push(0);
    }
    chosen.sort();
    chosen
}

/// The items in the order of a column.
pub fn sorted<'a, T>(items: &'a [T], columns: &[Column<T>], sort: usize) -> Vec<&'a T> {
    let mut items: Vec<&T> = items.iter().collect();
    if let Some(column) = columns.get(sort) {
        match &column.key {
            Some(key) => items.sort_by(|a, b| key(b).total_cmp(&key(a))),
            None => items.sort_by_cached_key(|item| (column.text)(item)),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::snapshot::{Rates, Totals};

    fn view(name: &str, unit: &str) -> ColumnView {
        ColumnView { name: name.into(), help: String::new(), unit: unit.into() }
    }

    /// No two numbers of a row are equal: each column has its own, also to sort by.
    #[test]
    fn every_column_has_its_own_value() {
        let rates = Rates {
            down_bps: 1e6,
            up_bps: 2e6,
            down_air_ratio: 0.5,
            up_air_ratio: 0.125,
            attempts_mean: 1.5,
            drops_per_s: 7.0,
            sojourn_p50_s: 0.011,
            sojourn_p99_s: 0.012,
        };
        let station = StationView {
            name: "s".into(),
            rate_kbps: 13_000,
            backlog_packets: 14,
            totals: Totals { lost: 15, dropped: 16, uplink_dropped: 17, ..Totals::default() },
            rates,
            ..StationView::default()
        };
        let of = |c: Column<StationView>| (c.head, (c.text)(&station), c.key.map(|key| key(&station)));
        let expected = [
            ("station", "s", None),
            ("down Mb/s", "1.00", Some(1e6)),
            ("up Mb/s", "2.00", Some(2e6)),
            ("air", "62 %", Some(0.625)),
            ("p50 ms", "11.0", Some(0.011)),
            ("p99 ms", "12.0", Some(0.012)),
            ("queue", "14", Some(14.0)),
            ("tries", "1.50", Some(1.5)),
            ("drops/s", "7", Some(7.0)),
            ("PHY Mb/s", "13.0", Some(13_000.0)),
            ("lost", "15", Some(15.0)),
        ];
        let expected = expected.map(|(head, text, key)| (head.into(), text.to_string(), key));
        assert_eq!(stations().map(of), expected);
        let flow = FlowView {
            app: Some("a".into()),
            tuple: "t".into(),
            station: "s".into(),
            columns: BTreeMap::from([("left_s".into(), Some(-0.0185))]),
            backlog_packets: 19,
            rates,
            ..FlowView::default()
        };
        let of = |c: Column<FlowView>| (c.head, (c.text)(&flow), c.key.map(|key| key(&flow)));
        let expected = [
            ("flow", "a", None),
            ("station", "s", None),
            ("down Mb/s", "1.00", Some(1e6)),
            ("up Mb/s", "2.00", Some(2e6)),
            ("air", "62 %", Some(0.625)),
            ("left ms", "-18.5", Some(-0.0185)),
            ("p50 ms", "11.0", Some(0.011)),
            ("p99 ms", "12.0", Some(0.012)),
            ("queue", "19", Some(19.0)),
            ("tries", "1.50", Some(1.5)),
            ("drops/s", "7", Some(7.0)),
        ];
        let expected = expected.map(|(head, text, key)| (head.into(), text.to_string(), key));
        let columns = || flows(&[view("left", "ns")]);
        assert_eq!(columns().into_iter().map(of).collect::<Vec<_>>(), expected);
        let bare = FlowView { tuple: "t".into(), ..FlowView::default() };
        let texts: Vec<String> = columns().iter().map(|c| (c.text)(&bare)).collect();
        assert_eq!((texts[0].as_str(), texts[5].as_str(), texts[9].as_str()), ("t", "-", "-"));
        assert_eq!((&*stations()[STATION_AIR].head, &*columns()[FLOW_AIR].head), ("air", "air"));
    }

    /// Largest first, names in alphabetical order, and flows last of which the discipline knows nothing.
    #[test]
    fn rows_are_in_the_order_of_their_column() {
        let flow = |name: &str, credit: Option<f64>, packets| FlowView {
            app: Some(name.into()),
            columns: BTreeMap::from([("credit_s".into(), credit)]),
            backlog_packets: packets,
            ..FlowView::default()
        };
        let items = [flow("b", None, 3), flow("c", Some(-0.5), 1), flow("a", Some(0.25), 2)];
        let columns = flows(&[view("credit", "ns")]);
        let order = |sort| {
            let sorted = sorted(&items, &columns, sort);
            sorted.iter().map(|f| f.app.clone().unwrap()).collect::<String>()
        };
        assert_eq!([order(0), order(FLOW_AIR + 1), order(FLOW_AIR + 4)], ["abc", "acb", "bac"]);
        assert_eq!(order(99), "bca", "no such column");
        let gone = |ended: Option<&str>| StationView {
            name: "tv".into(),
            ended: ended.map(String::from),
            ..StationView::default()
        };
        let shown = [None, Some("its device is gone")].map(|ended| (stations()[0].text)(&gone(ended)));
        assert_eq!(shown, ["tv", "tv (ended)"]);
    }

    /// Columns come in one after the other as there is more room: the name, the one that sorts, then by rank.
    #[test]
    fn columns_fit_by_rank_and_the_sorting_one_first() {
        let heads = |own: &[ColumnView], sort, width| -> Vec<String> {
            let columns = flows(own);
            fitting(&columns, width, sort).iter().map(|i| columns[*i].head.to_string()).collect()
        };
        // A name of 12, then 5 and 9, with a space before each.
        let own = [view("credit", "ns")];
        assert_eq!(heads(&own, 4, 0), ["flow"], "the first always");
        assert_eq!(heads(&own, 4, 17), ["flow"]);
        assert_eq!(heads(&own, 4, 18), ["flow", "air"]);
        assert_eq!(heads(&own, 4, 27), ["flow", "air"]);
        assert_eq!(heads(&own, 4, 28), ["flow", "down Mb/s", "air"]);
        // Ten characters of drops/s have the last rank, unless they sort.
        let all = ["flow", "station", "down Mb/s", "up Mb/s", "air", "credit ms"];
        let all = [&all[..], &["p50 ms", "p99 ms", "queue", "tries", "drops/s"]].concat();
        let widths = [12, 8, 9, 7, 5, 9, 6, 6, 5, 5, 7];
        let full = widths.iter().sum::<u16>() + 10;
        assert_eq!(heads(&own, 4, full), all);
        assert_eq!(heads(&own, 4, full - 1), all[..10]);
        assert_eq!(heads(&own, 10, full - 1), [&all[..1], &all[2..]].concat(), "the station goes next");
        assert_eq!(heads(&own, 10, 20), ["flow", "drops/s"]);
        let stations = stations();
        let first =
            |width| fitting(&stations, width, 0).iter().map(|i| &*stations[*i].head).collect::<Vec<_>>();
        let by_rank = [
            "air",
            "down Mb/s",
            "p99 ms",
            "up Mb/s",
            "p50 ms",
            "queue",
            "tries",
            "drops/s",
            "PHY Mb/s",
            "lost",
        ];
        let mut width = 12;
        for (n, head) in by_rank.iter().enumerate() {
            let column = stations.iter().find(|column| column.head == *head).unwrap();
            assert!(!first(width + column.width).contains(head), "{head}");
            width += column.width + 1;
            assert_eq!((first(width).contains(head), first(width).len()), (true, n + 2), "{head}");
        }
    }

    /// Whatever a discipline calls them.
    #[test]
    fn a_disciplines_columns_are_shown_in_their_units() {
        for (name, unit, key, value, head, text) in [
            ("sojourn", "ns", "sojourn_s", 0.0042, "sojourn ms", "4.2"),
            ("deficit", "bytes", "deficit_bytes", -1500.0, "deficit kB", "-1.5"),
            ("rate", "bit/s", "rate_bps", 2.5e6, "rate Mb/s", "2.50"),
            ("drop", "ratio", "drop_ratio", 0.125, "drop", "12 %"),
            ("weight", "", "weight", 1.5, "weight", "1.5"),
        ] {
            let columns = flows(&[view(name, unit)]);
            let flow =
                FlowView { columns: BTreeMap::from([(key.into(), Some(value))]), ..FlowView::default() };
            let column = &columns[FLOW_AIR + 1];
            assert_eq!((&*column.head, &*(column.text)(&flow)), (head, text));
            assert_eq!(column.key.as_ref().map(|key| key(&flow)), Some(value));
            assert!(usize::from(column.width) >= head.len());
        }
        assert_eq!(flows(&[]).len() + 1, flows(&[view("x", "")]).len());
    }
}
