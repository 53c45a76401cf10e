// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A run, simulated or live, as a data file of flent, so that its plots draw it beside measurements of real networks.
//!
//! Source: flent 2.1.1, its tests `rrul` and `rtt_fair_var`; `docs/measures.md` says what becomes which series. A
//! [`Plan`] says what a scenario's files will have; a run of [`Plan::scenario`] leaves it in its trace.
//!
//! What it does not do: no files are made here ([`Document::write`] takes any writer); one-way streams over UDP have no
//! series.

mod document;

use std::ops::Range;

use airtab_scenario::{About, Direction, Metric, greedy};
use airtab_sim::address::Protocol;
use airtab_sim::{App, AppTrace, MeasureWindow, Scenario, StreamTrace, Trace};

pub use document::{Document, SUFFIX, Series, Sort};

/// Each value of goodput is the mean of so long, ns.
const STEP_NS: u64 = 200_000_000;
/// flent's plots leave out the first and the last 5 s, in which its tests have no load.
pub const IDLE_NS: u64 = 5_000_000_000;

/// What stands for the other end.
const HOST: &str = "airtab";

/// Series of flent's test `rrul`.
const RRUL: [&str; 12] = [
    "TCP download BE",
    "TCP download BK",
    "TCP download CS5",
    "TCP download EF",
    "TCP upload BE",
    "TCP upload BK",
    "TCP upload CS5",
    "TCP upload EF",
    "Ping (ms) ICMP",
    "Ping (ms) UDP BE",
    "Ping (ms) UDP BK",
    "Ping (ms) UDP EF",
];

/// Why there is no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritten {
    /// No application has a series.
    #[error(
        "no application of this scenario goes over TCP or sends both ways, so there is nothing to write: add one of kind \
         download, upload or ping"
    )]
    Nothing,
    /// The plots would be empty.
    #[error(
        "flent's plots leave out the first and last 5 s, and this run has no more than these: take a longer one, or \
         leave --short out"
    )]
    Short,
}

/// What is written of a scenario.
pub struct Plan {
    scenario: Scenario,
    /// What part of the run, ns.
    span: Range<u64>,
    /// Those of flent's `rrul`, and no others.
    rrul: bool,
    /// Number of the application, and what of it.
    series: Vec<(usize, Sort)>,
}

/// A run of which a document is.
pub struct Origin<'a> {
    /// What tells it from others: mostly its discipline.
    pub title: &'a str,
    /// What one should know of it, such as its seed.
    pub note: &'a str,
    /// When it began, ns since 1970; 0 of a simulated one.
    pub start_unix_ns: u64,
}

impl Plan {
    /// Of a scenario as it is run: its measured part, and up to 5 s before and after it.
    ///
    /// # Errors
    /// There would be nothing to see.
    pub fn of(scenario: &Scenario) -> Result<Plan, Unwritten> {
        let all = scenario.apps.iter().enumerate();
        let series: Vec<(usize, Sort)> =
            all.flat_map(|(i, app)| sorts(app).into_iter().map(move |sort| (i, sort))).collect();
        if series.is_empty() {
            return Err(Unwritten::Nothing);
        }
        let measured = &scenario.measure_ns;
        let span = measured.start.saturating_sub(IDLE_NS)..(measured.end + IDLE_NS).min(scenario.duration_ns);
        if span.end - span.start <= 2 * IDLE_NS {
            return Err(Unwritten::Short);
        }
        let known = |(i, sort): &(usize, Sort)| {
            let name = scenario.apps[*i].name.as_str();
            RRUL.contains(&name) && name.starts_with(sort.word())
        };
        let rrul = series.iter().all(known);
        let mut scenario = scenario.clone();
        let name = "flent".into();
        scenario.windows.push(MeasureWindow { name, part_ns: span.clone(), step_ns: Some(STEP_NS) });
        Ok(Plan { scenario, span, rrul, series })
    }

    /// What is to be run: the same with one more window, the last one. It has the same events and figures.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The file of a run of [`Plan::scenario`].
    ///
    /// # Panics
    /// If the trace is another scenario's.
    pub fn document(&self, trace: &Trace, origin: &Origin) -> Document {
        let apps = &self.scenario.apps;
        let series = self.series.iter().map(|(i, sort)| {
            let (name, window) = (&apps[*i].name, &trace.apps[*i].windows[self.scenario.windows.len() - 1]);
            let name = match (self.rrul, sort) {
                (true, _) => name.clone(),
                (false, Sort::Ping) => format!("{} ICMP {name}", sort.word()),
                (false, _) => format!("{} BE {name}", sort.word()),
            };
            let points = match sort {
                Sort::Ping => round_trips(window, self.span.start),
                Sort::Download => goodput(window, Direction::Down, &apps[*i], &self.span),
                Sort::Upload => goodput(window, Direction::Up, &apps[*i], &self.span),
            };
            Series { sort: *sort, name, points }
        });
        let mut hosts: Vec<String> = self.series.iter().map(|(i, _)| apps[*i].name.clone()).collect();
        hosts.dedup();
        Document {
            test: if self.rrul { "rrul" } else { "rtt_fair_var" },
            host: HOST.into(),
            hosts: if self.rrul { vec![HOST.into()] } else { hosts },
            title: origin.title.into(),
            note: origin.note.into(),
            start_unix_ns: origin.start_unix_ns + self.span.start,
            loaded_s: seconds(self.scenario.measure_ns.end - self.scenario.measure_ns.start),
            total_s: seconds(self.span.end - self.span.start),
            series: series.collect(),
        }
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Which series an application has.
fn sorts(app: &App) -> Vec<Sort> {
    if app.kind.protocol() == Protocol::Tcp {
        let down = About::of(&app.kind).data.0.contains(&Metric::Goodput);
        let up = greedy(&app.kind, Direction::Up);
        return [(down, Sort::Download), (up, Sort::Upload)]
            .into_iter()
            .filter_map(|(has, sort)| has.then_some(sort))
            .collect();
    }
    // Packets of several users say nothing of the round trip of one.
    let both = [false, true].iter().all(|up| app.kind.constant(*up).is_some());
    if both && app.users.count == 1 { vec![Sort::Ping] } else { Vec::new() }
}

/// Mbit/s of payload received in each step, at its end, while the application is active, as netperf counts it.
fn goodput(seen: &AppTrace, direction: Direction, app: &App, span: &Range<u64>) -> Vec<(f64, f64)> {
    let course = seen.course.as_ref().expect("the plan's window keeps a course");
    let bytes = course.payload_bytes[usize::from(direction == Direction::Up)].iter();
    let step = |(i, bytes): (usize, &u64)| {
        let from = span.start + i as u64 * course.step_ns;
        let until = (from + course.step_ns).min(span.end);
        let active = app.active_ns.start < until && from < app.active_ns.end;
        let rate = *bytes as f64 * 8e3 / (until - from) as f64;
        active.then(|| (seconds(until - span.start), rate))
    };
    bytes.enumerate().filter_map(step).collect()
}

/// Of each packet that came down, when it did, and what it took together with the last one that had come up by the time
/// it was sent, ms: of an echo the way there and back, without the server's own time.
fn round_trips(seen: &AppTrace, start_ns: u64) -> Vec<(f64, f64)> {
    let mut up = in_order(&seen.up).into_iter().peekable();
    let mut asked = None;
    let mut down = in_order(&seen.down);
    down.sort_unstable_by_key(|packet| packet.0);
    let mut trips: Vec<(u64, u64)> = Vec::new();
    for (sent_ns, received_ns) in down {
        while let Some((sent, received)) = up.next_if(|(_, received)| *received <= sent_ns) {
            asked = Some(received - sent);
        }
        trips.extend(asked.map(|asked| (received_ns, asked + received_ns - sent_ns)));
    }
    trips.sort_unstable();
    trips.into_iter().map(|(at, ns)| (seconds(at - start_ns), ns as f64 * 1e-6)).collect()
}

/// When packets were sent and received, in order of reception.
fn in_order(stream: &StreamTrace) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = stream.deliveries.iter().map(|d| (d.sent_ns, d.received_ns)).collect();
    all.sort_by_key(|packet| packet.1);
    all
}

#[cfg(test)]
mod tests;
