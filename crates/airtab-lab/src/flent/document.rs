// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A data file of flent: series of measured values, as its own plots read them.
//!
//! Source: flent 2.1.1, `resultset.py` (format version 4) and `aggregators.py` (how values come to equal steps); names
//! of averages and sums are those of its tests `rrul` and `rtt_fair_var`.
//!
//! What it does not do: it knows no scenario and no run ([`super::Plan`] does); whoever measures something else fills a
//! [`Document`] himself.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value, json};

/// What names of data files end with.
pub const SUFFIX: &str = ".flent.gz";
/// From one value of every series to the next, s: flent's usual step.
const STEP_S: f64 = 0.2;
/// Values are interpolated between measured ones that are at most so far from a step, s (flent's five steps).
const REACH_S: f64 = 5.0 * STEP_S;

/// What a series is about: the beginning of its name, and its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// What TCP brings, Mbit/s.
    Download,
    /// What TCP takes, Mbit/s.
    Upload,
    /// Round trips, ms.
    Ping,
}

impl Sort {
    /// All of them.
    pub const ALL: [Sort; 3] = [Sort::Download, Sort::Upload, Sort::Ping];

    /// What names of its series begin with.
    pub fn word(self) -> &'static str {
        match self {
            Sort::Download => "TCP download",
            Sort::Upload => "TCP upload",
            Sort::Ping => "Ping (ms)",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Sort::Ping => "ms",
            _ => "Mbits/s",
        }
    }
}

/// One series.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is about.
    pub sort: Sort,
    /// Its name: [`Sort::word`], a blank, and whatever tells it from the others.
    pub name: String,
    /// When each value was measured, s from the start, ascending; and the value, in its unit. Values are written to a
    /// millionth.
    pub points: Vec<(f64, f64)>,
}

/// One data file.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The name of flent's test that its plots are.
    pub test: &'static str,
    /// The host that it was measured against.
    pub host: String,
    /// Hosts of the test; of `rtt_fair_var` the ends of the names of its series.
    pub hosts: Vec<String>,
    /// What tells it from others in a plot's legend.
    pub title: String,
    /// What one should know of it.
    pub note: String,
    /// When it started, ns since 1970 (UTC).
    pub start_unix_ns: u64,
    /// For how long the network was loaded, s.
    pub loaded_s: f64,
    /// For how long it was measured, s.
    pub total_s: f64,
    /// What was measured.
    pub series: Vec<Series>,
}

impl Document {
    /// Writes it; `file` is its name without folders. The same document gives the same bytes.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&self, file: &str, out: &mut dyn Write) -> io::Result<()> {
        let mut gzip = GzBuilder::new().mtime(0).write(out, Compression::default());
        serde_json::to_writer(&mut gzip, &self.json(file))?;
        gzip.finish().map(drop)
    }

    /// Its contents; `file` is its name.
    fn json(&self, file: &str) -> Value {
        let start_s = self.start_unix_ns as f64 / 1e9;
        let steps = (self.total_s / STEP_S).ceil() as usize;
        let x_values: Vec<f64> = (0..steps).map(|i| STEP_S * i as f64).collect();
        let at_steps: Vec<(Sort, &str, Vec<Option<f64>>)> = self
            .series
            .iter()
            .map(|s| (s.sort, s.name.as_str(), x_values.iter().map(|x| at(&s.points, *x)).collect()))
            .collect();
        let mut results: Map<String, Value> =
            at_steps.iter().map(|(_, name, values)| ((*name).into(), json!(values))).collect();
        let mut add = |name: String, of: &dyn Fn(Sort) -> bool, mean: bool| {
            let members: Vec<&Vec<Option<f64>>> =
                at_steps.iter().filter(|(sort, ..)| of(*sort)).map(|(.., values)| values).collect();
            let at_step = |i: usize| {
                let there: Vec<f64> = members.iter().filter_map(|values| values[i]).collect();
                let sum = there.iter().sum::<f64>();
                (!there.is_empty())
                    .then(|| if mean { rounded(sum / there.len() as f64) } else { rounded(sum) })
            };
            if !members.is_empty() {
                results.insert(name, (0..steps).map(at_step).collect::<Vec<_>>().into());
            }
        };
        for sort in Sort::ALL {
            add(format!("{} avg", sort.word()), &|of| of == sort, true);
        }
        for sort in [Sort::Download, Sort::Upload] {
            add(format!("{} sum", sort.word()), &|of| of == sort, false);
        }
        add("TCP totals".into(), &|of| of != Sort::Ping, false);
        let raw = |s: &Series| {
            let value =
                |(t, value): &(f64, f64)| json!({ "t": rounded(start_s + t), "val": rounded(*value) });
            (s.name.clone(), s.points.iter().map(value).collect::<Vec<_>>().into())
        };
        let meta = |s: &Series| {
            let sum: f64 = s.points.iter().map(|point| point.1).sum();
            let mean = (!s.points.is_empty()).then(|| rounded(sum / s.points.len() as f64));
            (s.name.clone(), json!({ "MEAN_VALUE": mean, "UNITS": s.sort.unit() }))
        };
        let time = iso(self.start_unix_ns);
        json!({
            "version": 4,
            "x_values": x_values,
            "results": results,
            "raw_values": self.series.iter().map(raw).collect::<Map<_, _>>(),
            "metadata": {
                "NAME": self.test,
                "TITLE": self.title,
                "NOTE": self.note,
                "TIME": time,
                "T0": time,
                "LENGTH": self.loaded_s,
                "TOTAL_LENGTH": self.total_s,
                "STEP_SIZE": STEP_S,
                "HOST": self.host,
                "HOSTS": self.hosts,
                "LOCAL_HOST": "airtab",
                "IP_VERSION": 4,
                "FLENT_VERSION": concat!("airtab ", env!("CARGO_PKG_VERSION")),
                "FAILED_RUNNERS": 0,
                "TEST_PARAMETERS": {},
                "SERIES_META": self.series.iter().map(meta).collect::<Map<_, _>>(),
                "DATA_FILENAME": file,
                "BATCH_NAME": null,
                "BATCH_TIME": null,
                "BATCH_TITLE": null,
                "BATCH_UUID": null,
                "HTTP_GETTER_DNS": null,
                "HTTP_GETTER_URLLIST": null,
                "HTTP_GETTER_WORKERS": null,
            },
        })
    }
}

/// To a millionth: no measured value is more exact, and no time has to be.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The value at a step: that of its time, or between those before and after it; None where they are too far.
fn at(points: &[(f64, f64)], x: f64) -> Option<f64> {
    // Times are multiples of the step but for their last bit.
    let after = points.partition_point(|(t, _)| *t <= x + 1e-9);
    let before = after.checked_sub(1).map(|i| points[i]);
    match (before, points.get(after)) {
        (Some((t, value)), _) if x - t < 1e-9 => Some(rounded(value)),
        (Some((t, value)), Some((next_t, next))) => {
            let near = next_t - x <= REACH_S && x - t <= REACH_S;
            near.then(|| rounded(value + (next - value) * (x - t) / (next_t - t)))
        }
        (None, Some((t, value))) => (t - x <= STEP_S / 2.0).then_some(rounded(*value)),
        (Some((t, value)), None) => (x - t < STEP_S).then_some(rounded(value)),
        (None, None) => None,
    }
}

/// `2012-11-24T12:00:00.000000Z`.
fn iso(unix_ns: u64) -> String {
    let (s, us) = (unix_ns / 1_000_000_000, unix_ns % 1_000_000_000 / 1000);
    let (mut day, mut year) = (s / 86_400, 1970);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (s / 3600 % 24, s / 60 % 60, s % 60);
    format!("{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{us:06}Z", month + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    fn document() -> Document {
        let series = |sort: Sort, name: &str, points: &[(f64, f64)]| Series {
            sort,
            name: format!("{} {name}", sort.word()),
            points: points.to_vec(),
        };
        Document {
            test: "rrul",
            host: "house".into(),
            hosts: vec!["house".into(), "other".into()],
            title: "fifo".into(),
            note: "seed 1".into(),
            start_unix_ns: 1_353_758_400_250_000_000,
            loaded_s: 0.6,
            total_s: 1.0,
            series: vec![
                series(Sort::Download, "BE", &[(0.2, 4.0), (0.4, 8.0)]),
                series(Sort::Download, "BK", &[(0.4, 2.0)]),
                series(Sort::Ping, "ICMP", &[(0.1, 10.0), (0.3, 30.0), (0.7, 10.0)]),
            ],
        }
    }

    /// All of it, as text: whoever changes a byte of it changes what others read.
    #[test]
    fn exact() {
        let expected = json!({
            "version": 4,
            "x_values": [0.0, 0.2, 0.4, 0.2 * 3.0, 0.8],
            "results": {
                "TCP download BE": [null, 4.0, 8.0, null, null],
                "TCP download BK": [null, null, 2.0, null, null],
                "TCP download avg": [null, 4.0, 5.0, null, null],
                "TCP download sum": [null, 4.0, 10.0, null, null],
                "TCP totals": [null, 4.0, 10.0, null, null],
                "Ping (ms) ICMP": [10.0, 20.0, 25.0, 15.0, 10.0],
                "Ping (ms) avg": [10.0, 20.0, 25.0, 15.0, 10.0],
            },
            "raw_values": {
                "TCP download BE": [{ "t": 1_353_758_400.25 + 0.2, "val": 4.0 }, { "t": 1_353_758_400.25 + 0.4, "val": 8.0 }],
                "TCP download BK": [{ "t": 1_353_758_400.25 + 0.4, "val": 2.0 }],
                "Ping (ms) ICMP": [
                    { "t": 1_353_758_400.25 + 0.1, "val": 10.0 },
                    { "t": 1_353_758_400.25 + 0.3, "val": 30.0 },
                    { "t": 1_353_758_400.25 + 0.7, "val": 10.0 },
                ],
            },
            "metadata": {
                "NAME": "rrul",
                "TITLE": "fifo",
                "NOTE": "seed 1",
                "TIME": "2012-11-24T12:00:00.250000Z",
                "T0": "2012-11-24T12:00:00.250000Z",
                "LENGTH": 0.6,
                "TOTAL_LENGTH": 1.0,
                "STEP_SIZE": 0.2,
                "HOST": "house",
                "HOSTS": ["house", "other"],
                "LOCAL_HOST": "airtab",
                "IP_VERSION": 4,
                "FLENT_VERSION": format!("airtab {}", env!("CARGO_PKG_VERSION")),
                "FAILED_RUNNERS": 0,
                "TEST_PARAMETERS": {},
                "SERIES_META": {
                    "TCP download BE": { "MEAN_VALUE": 6.0, "UNITS": "Mbits/s" },
                    "TCP download BK": { "MEAN_VALUE": 2.0, "UNITS": "Mbits/s" },
                    "Ping (ms) ICMP": { "MEAN_VALUE": 16.666667, "UNITS": "ms" },
                },
                "DATA_FILENAME": "out.flent.gz",
                "BATCH_NAME": null,
                "BATCH_TIME": null,
                "BATCH_TITLE": null,
                "BATCH_UUID": null,
                "HTTP_GETTER_DNS": null,
                "HTTP_GETTER_URLLIST": null,
                "HTTP_GETTER_WORKERS": null,
            },
        });
        let mut file = Vec::new();
        document().write("out.flent.gz", &mut file).unwrap();
        assert_eq!(file[..8], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0], "gzip, without a name and a time");
        let mut text = String::new();
        GzDecoder::new(&file[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, expected.to_string());
        // flent refuses series of another length than its steps.
        let read: Value = serde_json::from_str(&text).unwrap();
        let results = read["results"].as_object().unwrap();
        assert!(results.values().all(|values| values.as_array().unwrap().len() == 5));
    }

    #[test]
    fn between_values_that_are_near_and_nowhere_else() {
        let points = [(1.0, 10.0), (2.0, 20.0), (4.5, 0.0)];
        let values = [0.8, 0.95, 1.0, 1.4, 2.0, 2.2, 4.4, 4.5, 4.6, 4.8];
        let expected =
            [None, Some(10.0), Some(10.0), Some(14.0), Some(20.0), None, None, Some(0.0), Some(0.0), None];
        assert_eq!(values.map(|x| at(&points, x)), expected);
        assert_eq!(at(&[], 0.0), None);
    }

    #[test]
    fn times_of_day_and_year() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(iso(951_782_400_000_001_999), "2000-02-29T00:00:00.000001Z");
        assert_eq!(iso(1_767_225_599_999_999_999), "2025-12-31T23:59:59.999999Z");
    }
}
