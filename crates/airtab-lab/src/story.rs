// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One run in its course: what each application received, what the discipline's
//! table said of its flows, how long its packets queued.
//!
//! A story is about one seed: it shows how a discipline works. What a discipline
//! is worth is a matter of many seeds (`compare`).
//!
//! What it does not do: no drawing (`report`).

use std::ops::Range;

use airtab_core::{Column, Params};
use airtab_scenario::About;
use airtab_sim::{Histogram, Observer, Probe, Quantity, Scenario, Simulation, Trace, watch};

/// Smallest step of the received rates, ns.
const STEP_NS: u64 = 100_000_000;
/// Steps of a run that a reader can tell apart.
const STEPS: u64 = 150;
/// Time between two values of a column, ns: a frame of 1500 bytes at 54 Mb/s takes about
/// half of it.
pub(crate) const COLUMN_STEP_NS: u64 = 1_000_000;
/// Columns are kept from so long before [`Story::busy_ns`] to so long after, ns.
pub(crate) const COLUMN_SPAN_NS: [u64; 2] = [100_000_000, 500_000_000];

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The discipline, as asked for.
    pub label: String,
    /// Seed of the run.
    pub seed: u64,
    /// Time between two values of [`AppStory::received_bps`], ns.
    pub step_ns: u64,
    /// Around which time columns are kept, ns: where the first bulk transfer of
    /// the measured part starts; without one, where the measured part does.
    pub busy_ns: u64,
    /// What the discipline's table says of flows.
    pub columns: Vec<Column>,
    /// Times of the values of [`AppStory::columns`], ns; none without columns.
    pub columns_at_ns: Vec<u64>,
    /// One entry per application, in the order of the scenario.
    pub apps: Vec<AppStory>,
}

/// One application.
#[derive(Clone, Debug, PartialEq)]
pub struct AppStory {
    /// Its name.
    pub name: String,
    /// IP bits received at the station, per second, in each step from 0 on.
    pub received_bps: Vec<f64>,
    /// The same of its server.
    pub uploaded_bps: Vec<f64>,
    /// For each of [`Story::columns`] the mean of its flows over time, in the base
    /// unit; None while none is known.
    pub columns: Vec<Vec<Option<f64>>>,
    /// Time in the queue, s, against the share of packets that waited so long
    /// or less; ascending. Measured part.
    pub queue_delay: Vec<(f64, f64)>,
}

/// Runs `scenario` once and keeps its course.
///
/// # Panics
/// As [`airtab_sim::run`] does.
pub fn story(scenario: &Scenario, label: &str, params: &Params, seed: u64) -> Story {
    let mut teller = Teller::new(scenario, params);
    let simulation = Simulation::new(scenario, params, seed);
    let trace = watch(simulation, scenario.duration_ns, &mut teller.observers());
    teller.tell(label, seed, &trace)
}

/// Looks at a run for its [`Story`].
pub(crate) struct Teller<'a> {
    scenario: &'a Scenario,
    step_ns: u64,
    received: Probe,
    columns: Probe,
}

impl Teller<'_> {
    pub(crate) fn new<'a>(scenario: &'a Scenario, params: &Params) -> Teller<'a> {
        let step_ns = (scenario.duration_ns.div_ceil(STEPS)).next_multiple_of(STEP_NS);
        let columns: Vec<Quantity> =
            params.discipline().flow_columns().into_iter().map(Quantity::Column).collect();
        Teller {
            scenario,
            step_ns,
            received: Probe::new(
                step_ns,
                step_ns..scenario.duration_ns + 1,
                &[Quantity::Received, Quantity::Uploaded],
            ),
            columns: Probe::new(COLUMN_STEP_NS, column_span(scenario), &columns),
        }
    }

    pub(crate) fn observers(&mut self) -> [&mut dyn Observer; 2] {
        [&mut self.received, &mut self.columns]
    }

    /// The story of the run that left this trace.
    pub(crate) fn tell(&self, label: &str, seed: u64, trace: &Trace) -> Story {
        let bytes = |series: usize, app: usize| self.received.series()[series].values.get(app);
        let column = |quantity| match quantity {
            Quantity::Column(column) => Some(column),
            _ => None,
        };
        let app = |(i, seen): (usize, &airtab_sim::AppTrace)| AppStory {
            name: seen.name.clone(),
            received_bps: rates(bytes(0, i), self.step_ns),
            uploaded_bps: rates(bytes(1, i), self.step_ns),
            columns: self.columns.series().iter().filter_map(|s| s.values.get(i).cloned()).collect(),
            queue_delay: distribution(&seen.queue.delay_ns),
        };
        Story {
            label: label.into(),
            seed,
            step_ns: self.step_ns,
            busy_ns: busy_from(self.scenario),
            columns: self.columns.series().iter().filter_map(|s| column(s.quantity)).collect(),
            columns_at_ns: self.columns.at_ns().to_vec(),
            apps: trace.apps.iter().enumerate().map(app).collect(),
        }
    }
}

/// Bits per second in each step, of the bytes so far at its end.
fn rates(bytes: Option<&Vec<Option<f64>>>, step_ns: u64) -> Vec<f64> {
    let mut before = 0.0;
    let ends = bytes.into_iter().flatten().map(|bytes| bytes.unwrap_or(0.0));
    ends.map(|bytes| (bytes - std::mem::replace(&mut before, bytes)) * 8e9 / step_ns as f64).collect()
}

/// When columns are looked at.
pub(crate) fn column_span(scenario: &Scenario) -> Range<u64> {
    let (busy, [before, after]) = (busy_from(scenario), COLUMN_SPAN_NS);
    busy.saturating_sub(before)..(busy + after).min(scenario.duration_ns)
}

/// Where the queue begins to fill, within the measured part.
fn busy_from(scenario: &Scenario) -> u64 {
    let bulk = scenario.apps.iter().filter(|app| About::of(&app.kind).bulk);
    let starts = bulk.map(|app| app.active_ns.start).filter(|at| scenario.measure_ns.contains(at));
    starts.min().unwrap_or(scenario.measure_ns.start)
}

/// The points of a distribution function that can be told apart in a figure.
fn distribution(delay_ns: &Histogram) -> Vec<(f64, f64)> {
    const POINTS: u64 = 200;
    if delay_ns.is_empty() {
        return Vec::new();
    }
    let point = |i: u64| {
        let share = i as f64 / POINTS as f64;
        (delay_ns.value_at_quantile(share) as f64 * 1e-9, share)
    };
    (0..=POINTS).map(point).collect()
}

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;

    use super::*;
    use airtab_scenario::ScenarioFile;

    /// 3 s, of which 1 s to 2 s are measured; `apps`: kind and start of each.
    fn home(apps: &[(&str, &str)]) -> Scenario {
        let mut text =
            "duration = \"3s\"\nmeasure = [\"1s\", \"2s\"]\n[[station]]\nname = \"s\"\n".to_string();
        for (i, (kind, start)) in apps.iter().enumerate() {
            text.push_str(&format!(
                "[[app]]\nname = \"a{i}\"\nkind = \"{kind}\"\nstart = \"{start}\"\nstation = \"s\"\n"
            ));
        }
        ScenarioFile::parse("short.toml", &text).unwrap_or_else(|e| panic!("{e}")).scenario
    }

    #[test]
    fn the_queue_fills_with_the_first_bulk_transfer_of_the_measured_part() {
        let of = |apps: &[(&str, &str)]| busy_from(&home(apps)) / 1_000_000;
        assert_eq!(
            of(&[("download", "1800ms"), ("p2p", "1500ms"), ("upload", "1600ms"), ("game", "1200ms")]),
            1500
        );
        assert_eq!(of(&[("download", "900ms"), ("upload", "1600ms")]), 1600, "one began before");
        assert_eq!(of(&[("download", "2s"), ("game", "1200ms")]), 1000, "none: its start");
    }

    /// Tenths of a second, 150 steps at most; columns from 100 ms before the queue fills to 500 ms after it, within the run.
    #[test]
    fn steps_and_columns_fit_the_run() {
        let chap = Params::new(Discipline::named("chap").unwrap());
        let of = |duration_ms: u64, measure_ms: u64| {
            let mut scenario = home(&[("game", "0s")]);
            scenario.duration_ns = duration_ms * 1_000_000;
            scenario.measure_ns = measure_ms * 1_000_000..scenario.duration_ns;
            let span = column_span(&scenario);
            (Teller::new(&scenario, &chap).step_ns / 1_000_000, span.start / 1_000_000, span.end / 1_000_000)
        };
        assert_eq!(of(3000, 1000), (100, 900, 1500));
        assert_eq!(of(15_000, 1000), (100, 900, 1500));
        assert_eq!(of(15_001, 60), (200, 0, 560));
        assert_eq!(of(330_000, 329_700), (2200, 329_600, 330_000));
    }

    /// Bytes so far to bits per second of each step; the first from nothing on.
    #[test]
    fn rates_are_those_of_each_step() {
        let so_far = vec![Some(1000.0), Some(1500.0), Some(1500.0), Some(4000.0)];
        assert_eq!(rates(Some(&so_far), 200_000_000), [40_000.0, 20_000.0, 0.0, 100_000.0]);
        assert_eq!(rates(None, 200_000_000), [0.0; 0]);
    }

    #[test]
    fn shares_of_packets_are_those_that_waited_so_long() {
        // A quarter waits 1 ms, a quarter 2 ms, half 8 ms.
        let mut delays = Histogram::new(1_000_000_000, 3);
        for (ms, packets) in [(1, 25), (2, 25), (8, 50)] {
            (0..packets).for_each(|_| delays.record(ms * 1_000_000));
        }
        let points = distribution(&delays);
        let at = |i: usize| ((points[i].0 * 1e3).round(), points[i].1);
        assert_eq!([40, 80, 110, 160].map(at), [(1.0, 0.2), (2.0, 0.4), (8.0, 0.55), (8.0, 0.8)]);
    }

    #[test]
    fn what_is_received_counts_once() {
        let fifo = Params::new(Discipline::named("fifo").unwrap());
        let told = story(&home(&[("ping", "0s")]), "mine", &fifo, 1);
        assert_eq!(
            (told.label.as_str(), told.seed, told.busy_ns, told.apps.len()),
            ("mine", 1, 1_000_000_000, 1)
        );
        assert_eq!(story(&home(&[("ping", "0s")]), "mine", &fifo, 7).seed, 7);
        // Echoes of 84 bytes after 0, 1 and 2 s: 6720 bit/s in a tenth of a second each.
        let rates = told.apps[0].received_bps.iter().map(|bps| bps.round() as u64);
        assert_eq!(rates.filter(|bps| *bps > 0).collect::<Vec<_>>(), [6720; 3]);
    }

    #[test]
    fn an_upload_has_its_data_at_the_server_and_its_acks_at_the_station() {
        let fifo = Params::new(Discipline::named("fifo").unwrap());
        let told = story(&home(&[("upload", "0s")]), "fifo", &fifo, 1);
        assert_eq!((told.step_ns, told.apps[0].received_bps.len()), (100_000_000, 30));
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64 / 1e6;
        let (down, up) = (mean(&told.apps[0].received_bps), mean(&told.apps[0].uploaded_bps));
        // An ACK of 40 or 52 bytes for each two segments of 1500.
        assert!((15.0..30.0).contains(&up) && (0.01..0.05).contains(&(down / up)), "{down} {up}");
        // More packets wait less than a longer time.
        let delay = &told.apps[0].queue_delay;
        assert!(delay.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1) && delay[0].0 < delay[200].0, "{delay:?}");
        assert_eq!((delay[0].1, delay[100].1, delay[200].1), (0.0, 0.5, 1.0));
    }
}
