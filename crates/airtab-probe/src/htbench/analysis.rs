// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What comes out of a run: throughput over time, Jain's index over time, figures of each class.
//!
//! Throughput is the derivative of V(t) over a window (Starzetz 6.3.2). Jain's index is its volume form
//! (Starzetz eq. 7.1): of what each connection, or each class, gained in (t - T, t].
//!
//! A *flow* is one of the concurrent connections of a class with all its requests, one after the other. It
//! counts in a window if it was there for all of it: between its first and its last moment.
//!
//! What it does not do: no drawing, no files.

use std::collections::BTreeMap;

use airtab_quality::jain;

use super::config::Config;
use super::engine::{End, Outcome, Request};
use super::samples::volume_at;

/// T, ns.
pub const WINDOW_NS: u64 = 1_000_000_000;
/// From one point of a series to the next, ns.
const STEP_NS: u64 = 100_000_000;
/// Points of a series at most.
const MAX_POINTS: u64 = 10_000;

/// A connection with its requests.
struct Flow<'a> {
    class: usize,
    connection: u32,
    /// Start, volume before it, and the request.
    pieces: Vec<(u64, u64, &'a Request)>,
}

impl Flow<'_> {
    fn volume(&self, t_ns: u64) -> f64 {
        let after = self.pieces.partition_point(|(t0, ..)| *t0 <= t_ns);
        let Some((t0, before, request)) = after.checked_sub(1).map(|i| self.pieces[i]) else { return 0.0 };
        before as f64 + volume_at(&request.points, t_ns - t0)
    }

    fn was_there(&self, from_ns: u64, to_ns: u64) -> bool {
        let last = self.pieces.last().map_or(0, |(.., request)| request.end_ns);
        self.pieces.first().is_some_and(|(t0, ..)| *t0 <= from_ns) && to_ns <= last
    }
}

fn flows(requests: &[Request]) -> Vec<Flow<'_>> {
    let mut flows: BTreeMap<(usize, u32), Vec<(u64, &Request)>> = BTreeMap::new();
    for request in requests {
        if let Some(t0) = request.t0_ns {
            flows.entry((request.class, request.connection)).or_default().push((t0, request));
        }
    }
    let flow = |((class, connection), mut requests): ((usize, u32), Vec<(u64, _)>)| {
        requests.sort_by_key(|(t0, _)| *t0);
        let mut before = 0;
        let pieces = requests.into_iter().map(|(t0, request): (u64, &Request)| {
            let piece = (t0, before, request);
            before += request.volume_bytes;
            piece
        });
        Flow { class, connection, pieces: pieces.collect() }
    };
    flows.into_iter().map(flow).collect()
}

/// Throughput and fairness over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Class and connection of each flow.
    pub flows: Vec<(usize, u32)>,
    /// One for each moment.
    pub rows: Vec<Row>,
}

/// One moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The end of the window, ns from the start of the run.
    pub t_ns: u64,
    /// Throughput of each flow in the window, b/s; none if it was not there.
    pub bps: Vec<Option<f64>>,
    /// Jain's index of the flows that were there, if two or more were.
    pub jain_connections: Option<f64>,
    /// Jain's index of the classes, each with the sum of its flows.
    pub jain_classes: Option<f64>,
}

impl Series {
    /// Of a run, with windows of [`WINDOW_NS`].
    pub fn new(outcome: &Outcome) -> Series {
        let flows = flows(&outcome.requests);
        let step = outcome.duration_ns.div_ceil(MAX_POINTS).next_multiple_of(STEP_NS);
        let mut rows = Vec::new();
        let mut t_ns = WINDOW_NS;
        while t_ns <= outcome.duration_ns {
            rows.push(row(&flows, t_ns));
            t_ns += step;
        }
        Series { flows: flows.iter().map(|f| (f.class, f.connection)).collect(), rows }
    }

    /// Means over time of both indices.
    pub fn mean_jain(&self) -> (Option<f64>, Option<f64>) {
        let mean = |of: fn(&Row) -> Option<f64>| {
            let values: Vec<f64> = self.rows.iter().filter_map(of).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        (mean(|row| row.jain_connections), mean(|row| row.jain_classes))
    }
}

fn row(flows: &[Flow<'_>], t_ns: u64) -> Row {
    let from_ns = t_ns - WINDOW_NS;
    let gained = |flow: &Flow| {
        flow.was_there(from_ns, t_ns).then(|| (flow.volume(t_ns) - flow.volume(from_ns)).max(0.0))
    };
    let gains: Vec<Option<f64>> = flows.iter().map(gained).collect();
    let connections: Vec<f64> = gains.iter().copied().flatten().collect();
    let mut classes: BTreeMap<usize, f64> = BTreeMap::new();
    for (flow, gain) in flows.iter().zip(&gains) {
        if let Some(gain) = gain {
            *classes.entry(flow.class).or_default() += gain;
        }
    }
    let index = |gains: &[f64]| jain(gains).filter(|_| gains.len() > 1);
    let scale = 8e9 / WINDOW_NS as f64;
    Row {
        t_ns,
        bps: gains.iter().map(|gain| gain.map(|bytes| bytes * scale)).collect(),
        jain_connections: index(&connections),
        jain_classes: index(&classes.into_values().collect::<Vec<_>>()),
    }
}

/// How a figure is spread over the requests that were done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// What a tenth does not exceed.
    pub p10: f64,
    /// Median.
    pub p50: f64,
    /// What nine tenths do not exceed.
    pub p90: f64,
    /// What 99 of 100 do not exceed.
    pub p99: f64,
    /// Greatest.
    pub max: f64,
}

impl Spread {
    /// Percentiles are values that occur: the smallest that so many do not exceed.
    fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        let n = values.len();
        let quantile = |percent: usize| values[(n * percent).div_ceil(100).max(1) - 1];
        Some(Spread {
            mean: values.iter().sum::<f64>() / n as f64,
            min: *values.first()?,
            p10: quantile(10),
            p50: quantile(50),
            p90: quantile(90),
            p99: quantile(99),
            max: *values.last()?,
        })
    }
}

/// Figures of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassFigures {
    /// Its name.
    pub name: String,
    /// Requests done.
    pub done: u64,
    /// Requests failed.
    pub failed: u64,
    /// Requests under way at the end.
    pub unfinished: u64,
    /// Volume of all of them, bytes.
    pub bytes: u64,
    /// That, from the first connection to the last end, b/s.
    pub bps: Option<f64>,
    /// Throughput of each request that was done: its volume by its time, b/s.
    pub request_bps: Option<Spread>,
    /// Time of each request that was done, from connection to end, ns.
    pub request_ns: Option<Spread>,
    /// What went wrong, and how often.
    pub errors: BTreeMap<String, u64>,
}

/// Figures of each class, in the order of the configuration.
pub fn classes(config: &Config, outcome: &Outcome) -> Vec<ClassFigures> {
    let figures = |(i, class): (usize, &super::config::Class)| {
        let requests: Vec<&Request> = outcome.requests.iter().filter(|r| r.class == i).collect();
        let count = |wanted: fn(&End) -> bool| requests.iter().filter(|r| wanted(&r.end)).count() as u64;
        let done = requests.iter().filter(|r| r.end == End::Done);
        let times: Vec<(f64, f64)> =
            done.filter_map(|r| Some(((r.end_ns - r.t0_ns?).max(1) as f64, r.volume_bytes as f64))).collect();
        let bytes = requests.iter().map(|r| r.volume_bytes).sum();
        let first = requests.iter().filter_map(|r| r.t0_ns).min();
        let last = requests.iter().map(|r| r.end_ns).max().unwrap_or(0);
        let mut errors = BTreeMap::new();
        for request in &requests {
            if let End::Failed(failure) = &request.end {
                *errors.entry(failure.to_string()).or_default() += 1;
            }
        }
        ClassFigures {
            name: class.name.clone(),
            done: count(|end| *end == End::Done),
            failed: count(|end| matches!(end, End::Failed(_))),
            unfinished: count(|end| *end == End::Unfinished),
            bytes,
            bps: first.filter(|t0| *t0 < last).map(|t0| bytes as f64 * 8e9 / (last - t0) as f64),
            request_bps: Spread::of(times.iter().map(|(ns, bytes)| bytes * 8e9 / ns).collect()),
            request_ns: Spread::of(times.iter().map(|(ns, _)| *ns).collect()),
            errors,
        }
    };
    config.classes.iter().enumerate().map(figures).collect()
}

#[cfg(test)]
mod tests {
    use super::super::connection::Failure;
    use super::*;
    use airtab_core::time::SECOND;

    fn request(class: usize, connection: u32, t0: u64, end: u64, bytes: u64) -> Request {
        Request {
            class,
            number: 1,
            connection,
            t0_ns: Some(t0 * SECOND),
            end_ns: end * SECOND,
            end: End::Done,
            status: Some(200),
            volume_bytes: bytes,
            points: vec![(0, 0), ((end - t0) * SECOND, bytes)],
        }
    }

    fn outcome(requests: Vec<Request>) -> Outcome {
        let duration_ns = requests.iter().map(|r| r.end_ns).max().unwrap_or(0);
        Outcome { started_ns: 0, duration_ns, stopped: false, requests }
    }

    #[test]
    fn shares_of_three_to_one() {
        let series = Series::new(&outcome(vec![request(0, 1, 0, 4, 12_000), request(1, 1, 0, 4, 4_000)]));
        assert_eq!((series.flows.as_slice(), series.rows.len()), ([(0, 1), (1, 1)].as_slice(), 31));
        for row in &series.rows {
            // 3000 and 1000 bytes a second: 16 / (2 * 10).
            let near =
                |value: Option<f64>, expected: f64| (value.expect("a value") / expected - 1.0).abs() < 1e-9;
            assert!(near(row.bps[0], 24_000.0) && near(row.bps[1], 8_000.0), "{row:?}");
            assert!(near(row.jain_connections, 0.8) && near(row.jain_classes, 0.8), "{row:?}");
        }
        assert!((series.mean_jain().0.expect("two flows") - 0.8).abs() < 1e-12);
    }

    #[test]
    fn a_class_is_the_sum_of_its_flows() {
        let series = Series::new(&outcome(vec![
            request(0, 1, 0, 2, 2_000),
            request(0, 2, 0, 2, 2_000),
            request(1, 1, 0, 2, 4_000),
        ]));
        let row = &series.rows[0];
        assert_eq!(row.jain_classes, Some(1.0));
        assert!((row.jain_connections.expect("three flows") - 16.0 / 18.0).abs() < 1e-12);
        let (connections, between) = series.mean_jain();
        assert!((connections.expect("some") - 16.0 / 18.0).abs() < 1e-12 && between == Some(1.0));
    }

    #[test]
    fn requests_of_a_connection_follow_each_other() {
        let series = Series::new(&outcome(vec![
            request(0, 1, 3, 5, 2_000),
            request(0, 1, 0, 2, 2_000),
            request(1, 1, 2, 5, 3_000),
        ]));
        let at = |s: u64| series.rows.iter().find(|r| r.t_ns == s * SECOND).expect("a row");
        assert_eq!(at(2).bps, [Some(8_000.0), None], "the second was not there");
        assert_eq!(at(3).bps, [Some(0.0), Some(8_000.0)], "between two requests");
        assert_eq!((at(2).jain_connections, at(3).jain_connections), (None, Some(0.5)));
        assert_eq!(at(4).bps, [Some(8_000.0), Some(8_000.0)]);
    }

    #[test]
    fn a_window_may_see_two_requests() {
        let series = Series::new(&outcome(vec![request(0, 1, 0, 2, 2_000), request(0, 1, 2, 4, 4_000)]));
        let row = series.rows.iter().find(|r| r.t_ns == SECOND * 5 / 2).expect("a row");
        // Half a second at 1000 bytes a second, half a second at 2000.
        assert_eq!(row.bps, [Some(12_000.0)]);
    }

    #[test]
    fn figures_of_a_class() {
        let text = "[[class]]\nname = 'a'\nserver = '192.0.2.1'\npath = '/'\ncount = 'background'\n\
         [[class]]\nname = 'b'\nserver = '192.0.2.1'\npath = '/'";
        let config = Config::parse("x", text).expect("good");
        let mut requests: Vec<Request> = (1..=10).map(|i| request(0, 1, i, i + 1, i * 1000)).collect();
        requests.push(Request { end: End::Unfinished, ..request(0, 1, 11, 12, 500) });
        let lost = Failure::Status(404);
        requests.push(Request { end: End::Failed(lost), ..request(0, 1, 12, 13, 500) });
        let figures = classes(&config, &outcome(requests));
        let a = &figures[0];
        assert_eq!((a.done, a.failed, a.unfinished, a.bytes), (10, 1, 1, 56_000));
        assert_eq!(a.bps, Some(56_000.0 * 8.0 / 12.0));
        let spread = a.request_bps.expect("ten");
        assert_eq!((spread.min, spread.p10, spread.p50), (8_000.0, 8_000.0, 40_000.0));
        assert_eq!(
            (spread.p90, spread.p99, spread.max, spread.mean),
            (72_000.0, 80_000.0, 80_000.0, 44_000.0)
        );
        assert_eq!(a.request_ns.expect("ten").max, 1e9);
        assert_eq!(a.errors, BTreeMap::from([("the server answered with status 404".into(), 1)]));
        assert_eq!((figures[1].done, figures[1].bps, figures[1].request_bps), (0, None, None));
    }

    /// Figures of skewed values differ from each other; percentiles are values of the sample.
    #[test]
    fn each_figure_of_a_spread_is_its_own() {
        assert_eq!(Spread::of(Vec::new()), None);
        let spread = |n: u32| Spread::of((1..=n).rev().map(|i| f64::from(i * i)).collect()).expect("values");
        let Spread { mean, min, p10, p50, p90, p99, max } = spread(150);
        // Ranks 15, 75, 135 and 149 of 150; the mean of squares is (n + 1) (2n + 1) / 6.
        assert_eq!([min, p10, p50, p90, p99, max], [1.0, 225.0, 5_625.0, 18_225.0, 22_201.0, 22_500.0]);
        assert_eq!(mean, 151.0 * 301.0 / 6.0);
        let one = spread(1);
        assert_eq!([one.min, one.p10, one.p50, one.p90, one.p99, one.max, one.mean], [1.0; 7]);
        assert_eq!([spread(11).p10, spread(10).p10, spread(11).p50], [4.0, 1.0, 36.0]);
    }

    /// Bytes of the whole class over the time from the first connection to the last end; a request without a connection
    /// has no time.
    #[test]
    fn a_class_lasts_from_its_first_connection_to_its_last_end() {
        let text = "[[class]]\nname = 'a'\nserver = '192.0.2.1'\npath = '/'";
        let config = Config::parse("x", text).expect("good");
        let refused =
            Request { t0_ns: None, end: End::Failed(Failure::Status(500)), ..request(0, 3, 0, 9, 0) };
        let of = |requests: Vec<Request>| classes(&config, &outcome(requests))[0].clone();
        let figures = of(vec![request(0, 2, 4, 6, 5_000), request(0, 1, 2, 7, 1_000), refused.clone()]);
        // The refused one ended last, at 9 s: (9 - 2) s.
        assert_eq!((figures.bytes, figures.bps), (6_000, Some(48_000.0 / 7.0)));
        assert_eq!((figures.done, figures.failed), (2, 1));
        let spread = figures.request_ns.expect("two");
        assert_eq!((spread.min, spread.max, spread.mean), (2e9, 5e9, 3.5e9));
        assert_eq!(figures.request_bps.expect("two").max, 20_000.0);
        assert_eq!(of(vec![refused]).bps, None);
    }

    /// A flow counts from the first moment on at which it was there for a whole window, and until its last.
    #[test]
    fn a_flow_counts_where_it_was_there_for_the_whole_window() {
        let mut late = request(1, 1, 1, 4, 6_000);
        late.t0_ns = Some(SECOND * 11 / 10);
        late.points = vec![(0, 0), (SECOND * 29 / 10, 5_800)];
        let series = Series::new(&outcome(vec![request(0, 1, 0, 5, 5_000), late]));
        let there: Vec<u64> =
            series.rows.iter().filter(|row| row.bps[1].is_some()).map(|row| row.t_ns * 10 / SECOND).collect();
        assert_eq!(there, (21..=40).collect::<Vec<_>>());
        let at =
            |tenths: u64| series.rows.iter().find(|row| row.t_ns * 10 / SECOND == tenths).expect("a row");
        // 1000 and 2000 bytes a second: 9 / (2 * 5).
        assert!((at(21).jain_connections.expect("two") - 0.9).abs() < 1e-9);
        assert_eq!((at(20).jain_connections, at(41).jain_connections), (None, None));
        let (connections, between) = series.mean_jain();
        assert!((connections.expect("some") - 0.9).abs() < 1e-9 && between == connections);
        assert_eq!(Series::new(&outcome(Vec::new())).mean_jain(), (None, None));
    }
}
