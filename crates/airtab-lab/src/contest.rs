// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Counts of applications that one discipline serves better or worse than others, over many scenarios and three drivers.
//!
//! A scenario and a driver give one comparison. Each discipline in it has its own variant of the scenario, because the limit
//! below the queue is a governor or the discipline's own ([`Driver`]). Verdicts are those of [`Comparison::changes`].
//!
//! Limits: an application with several scored figures is worse if one of them is, else better if one of them is. An
//! application at several stations counts for the first. Without figures of both disciplines it counts as the same.

mod page;

use std::collections::BTreeSet;
use std::convert::Infallible;

use airtab_core::Params;
use airtab_scenario::{About, Direction, Measured, Metric, OfPath, QueueScores, QueueSpec, ScenarioFile};
use airtab_sim::Scenario;
use serde::Serialize;

use crate::change::{AppChange, Change, Verdict};
use crate::compare::{Comparison, comparison, needed};
use crate::measure;
use crate::plan::{Brake, Cell, Halt, Job, Pace, Plan, Stopped, Whole, Work, execute};
use crate::results::Build;
use crate::store::Store;

/// Version of the serialised form of [`Contest`].
const SCHEMA: u32 = 1;

/// Airtime of a station under the other discipline, in equal shares, above which a loss can be one by airtime share.
const MORE_AIR: f64 = 1.1;
/// Airtime that it keeps then, and data that a flow has of its station's, in equal shares.
const KEPT: f64 = 0.95;
/// Data that a station moves, of what it moved under the other discipline, from which the loss is one within the station.
const MOVED: f64 = 0.97;

/// Limit of the airtime below the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// Two aggregates, under every discipline.
    A,
    /// AQL of a discipline that has it, the governor under others; the driver has no limit.
    B,
    /// The governor under every discipline; the driver has no limit.
    C,
}

impl Driver {
    /// Every driver, in order of letters.
    pub const ALL: [Driver; 3] = [Driver::A, Driver::B, Driver::C];

    /// Letter and limit, for headings.
    pub fn title(self) -> &'static str {
        match self {
            Driver::A => "a: two aggregates below the queue",
            Driver::B => "b: unlimited driver queue, governor or AQL",
            Driver::C => "c: unlimited driver queue, governor",
        }
    }

    /// Values of a scenario for this driver, under a discipline with AQL or without.
    fn settings(self, aql: bool) -> &'static [(&'static str, &'static str)] {
        const UNLIMITED: (&str, &str) = ("wifi.driver.stop", "false");
        match (self, aql) {
            (Driver::A, _) => &[("wifi.driver.aggregates", "2")],
            (Driver::B, true) => &[UNLIMITED],
            (Driver::B, false) | (Driver::C, _) => &[UNLIMITED, ("wifi.driver.inflight", "8ms")],
        }
    }
}

/// A discipline in a comparison.
struct Column {
    label: String,
    /// True for the null test.
    null: bool,
    params: Params,
    scenario: Scenario,
}

/// A scenario under one driver: the evaluated discipline, those that it is compared with, and the null test.
pub struct Entry {
    home: String,
    driver: Driver,
    columns: Vec<Column>,
}

impl Entry {
    /// A scenario under each driver; `read` gives it with these values set.
    ///
    /// # Errors
    /// Those of `read`, and of a discipline whose parameters are wrong.
    pub fn of_home(
        home: &str,
        queues: &[QueueSpec],
        read: impl Fn(&[(&str, &str)]) -> Result<ScenarioFile, String>,
    ) -> Result<Vec<Entry>, String> {
        let entry = |driver: Driver| {
            let column = |spec: &QueueSpec| {
                let build = |file: &ScenarioFile| {
                    spec.build(&file.queues).map_err(|e| format!("queue {}: {e}", spec.label))
                };
                let aql = build(&read(driver.settings(true))?)?.get("aql") == Some(&[1]);
                let file = read(driver.settings(aql))?;
                let mut params = build(&file)?;
                if driver == Driver::C && aql {
                    params.set("aql", "off").map_err(|e| e.to_string())?;
                }
                Ok(Column { label: spec.label.clone(), null: false, params, scenario: file.scenario })
            };
            let mut columns = queues.iter().map(column).collect::<Result<Vec<_>, String>>()?;
            columns.extend(columns.first().and_then(null));
            Ok(Entry { home: home.into(), driver, columns })
        };
        Driver::ALL.map(entry).into_iter().collect()
    }
}

/// Null test: the discipline with 1 us more in the first of these parameters that is not 0.
fn null(of: &Column) -> Option<Column> {
    ["increment", "target", "interval"].into_iter().find_map(|name| {
        let ns = of.params.get(name)?.first().filter(|ns| **ns > 0)?;
        let mut params = of.params.clone();
        params.set(name, &format!("{}ns", ns + 1000)).ok()?;
        let label = format!("null test: {name} + 1 us");
        Some(Column { label, null: true, params, scenario: of.scenario.clone() })
    })
}

/// Number of runs of a contest.
pub fn runs(entries: &[Entry], seeds: &[u64]) -> usize {
    entries.iter().map(|entry| entry.columns.len()).sum::<usize>() * seeds.len()
}

struct Runs<'a>(&'a [Entry]);

impl Work for Runs<'_> {
    type Error = Infallible;

    fn run(&self, job: &Job, brake: &mut Brake) -> Result<Option<Measured>, Infallible> {
        let Column { params, scenario, .. } = &self.0[job.point].columns[job.queue];
        let made = measure::run_watched(scenario, scenario, params, job.seed, &mut [brake]);
        Ok(made.map(|(measured, _)| measured))
    }
}

/// Result of a contest.
#[derive(Clone, Debug, Serialize)]
pub struct Contest<'a> {
    schema: u32,
    #[serde(flatten)]
    build: Build<'a>,
    seeds: Vec<u64>,
    /// Number of scenarios.
    homes: usize,
    /// Number of applications of all scenarios.
    applications: usize,
    drivers: Vec<UnderDriver>,
}

/// All scenarios under one driver.
#[derive(Clone, Debug, Serialize)]
struct UnderDriver {
    driver: Driver,
    /// Figures of each discipline, the evaluated one first, the null test last.
    disciplines: Vec<Means>,
    /// The first discipline against each of the others.
    against: Vec<Against>,
}

/// Means of a discipline over the scenarios. The opinion score is an arithmetic mean, the others are geometric means.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Means {
    discipline: String,
    /// Data of all applications of a scenario.
    goodput_bits_per_second: Option<f64>,
    /// 99th percentile of the downlink delay, of the call where it is longest.
    worst_call_p99_seconds: Option<f64>,
    /// Mean over all games.
    game_mos: Option<f64>,
    /// Over all applications with pages.
    page_seconds: Option<f64>,
}

/// The first discipline against another one.
#[derive(Clone, Debug, Serialize)]
struct Against {
    discipline: String,
    /// True for the null test.
    null: bool,
    worse: usize,
    /// Number of the worse ones that are losses by airtime share ([`by_share`]).
    by_airtime_share: usize,
    same: usize,
    better: usize,
    /// Scenarios in which no application is worse.
    homes_without_loss: usize,
    applications: Vec<Judged>,
}

/// An application under the first discipline and another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Judged {
    home: String,
    name: String,
    /// The figure that decided.
    metric: Metric,
    /// Means of the first discipline and of the other one.
    means: [Option<f64>; 2],
    verdict: Verdict,
    change: Option<Change>,
    by_airtime_share: bool,
}

impl<'a> Contest<'a> {
    /// Executes the runs that are not stored, and counts verdicts.
    ///
    /// # Errors
    /// [`Stopped`] if the pace stops it.
    ///
    /// # Panics
    /// If there is no entry or no seed, or threads cannot be started.
    pub fn hold(
        entries: &[Entry],
        seeds: &[u64],
        store: &dyn Store,
        pace: &Pace,
        build: Build<'a>,
    ) -> Result<Contest<'a>, Stopped> {
        let cells = |entry: &Entry| {
            let cell = |column: &Column| Cell::new(measure::number(&column.scenario), &column.params);
            entry.columns.iter().map(cell).collect::<Vec<_>>()
        };
        let cells: Vec<Cell> = entries.iter().flat_map(cells).collect();
        let plan = Plan::new(cells, entries[0].columns.len(), seeds.to_vec());
        let (mut whole, mut compared) = (Whole::new(&plan), Vec::new());
        execute(&plan, &Runs(entries), store, pace, &mut |job, measured| {
            whole.add(&job, needed(measured));
            whole.hand_over(|point, runs| {
                let columns = &entries[point].columns;
                let queues: Vec<_> = columns.iter().map(|c| (c.label.clone(), c.params.clone())).collect();
                compared.push(comparison(&columns[0].scenario, &queues, seeds, false, runs));
            });
        })
        .map_err(|halt| match halt {
            Halt::Stopped(stopped) => stopped,
            Halt::Failed(never) => match never {},
        })?;
        Ok(Contest::of(entries, seeds, &compared, build))
    }

    fn of(entries: &[Entry], seeds: &[u64], compared: &[Comparison], build: Build<'a>) -> Contest<'a> {
        let under = |driver| {
            let all = || entries.iter().zip(compared).filter(|(entry, _)| entry.driver == driver);
            let columns = 0..entries[0].columns.len();
            let means = |queue: usize| {
                let of = all().map(|(_, c)| &c.queues[queue]).collect::<Vec<_>>();
                Means::of(&entries[0].columns[queue].label, &of)
            };
            let against = |queue: usize| {
                let judged = all().flat_map(|(entry, c)| judge(entry, c, queue)).collect();
                Against::of(&entries[0].columns[queue], judged)
            };
            let against = columns.clone().skip(1).map(against).collect();
            UnderDriver { driver, disciplines: columns.map(means).collect(), against }
        };
        let homes: Vec<&Entry> = entries.iter().filter(|entry| entry.driver == Driver::A).collect();
        Contest {
            schema: SCHEMA,
            build,
            seeds: seeds.to_vec(),
            homes: homes.len(),
            applications: homes.iter().map(|entry| entry.columns[0].scenario.apps.len()).sum(),
            drivers: Driver::ALL.map(under).into(),
        }
    }
}

impl Means {
    /// `of`: the discipline in each scenario.
    fn of(label: &str, of: &[&QueueScores]) -> Means {
        let p99 = Metric::of_path(Direction::Down, OfPath::Percentile(99));
        let of_kind = |q: &QueueScores, kind: &str, metric: Metric| {
            let own = q.apps.iter().filter(|app| app.kind == kind);
            own.filter_map(|app| app.mean(metric)).collect::<Vec<f64>>()
        };
        let worst = |q: &&QueueScores| of_kind(q, "voip", p99).into_iter().reduce(f64::max);
        let games: Vec<f64> = of.iter().flat_map(|q| of_kind(q, "game", Metric::GameMos)).collect();
        Means {
            discipline: label.into(),
            goodput_bits_per_second: geometric(of.iter().map(|q| q.apps.iter().map(data).sum())),
            worst_call_p99_seconds: geometric(of.iter().filter_map(worst)),
            game_mos: (!games.is_empty()).then(|| games.iter().sum::<f64>() / games.len() as f64),
            page_seconds: geometric(of.iter().flat_map(|q| of_kind(q, "web", Metric::PageTime))),
        }
    }
}

/// Geometric mean; None of no values.
fn geometric(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// Bits of data of an application, each second.
fn data(app: &airtab_scenario::Scores) -> f64 {
    let metrics = About::named(app.kind).map_or(&[][..], |about| about.data.0);
    metrics.iter().filter_map(|metric| app.mean(*metric)).sum()
}

impl Against {
    fn of(column: &Column, applications: Vec<Judged>) -> Against {
        let count = |verdict| applications.iter().filter(|app| app.verdict == verdict).count();
        let homes = |lost: bool| {
            let of = applications.iter().filter(|app| !lost || app.verdict == Verdict::Worse);
            of.map(|app| &app.home).collect::<BTreeSet<_>>().len()
        };
        Against {
            discipline: column.label.clone(),
            null: column.null,
            worse: count(Verdict::Worse),
            by_airtime_share: applications.iter().filter(|app| app.by_airtime_share).count(),
            same: count(Verdict::Same),
            better: count(Verdict::Better),
            homes_without_loss: homes(false) - homes(true),
            applications,
        }
    }
}

/// Every application of a scenario under the first discipline against one of the others.
fn judge(entry: &Entry, c: &Comparison, queue: usize) -> Vec<Judged> {
    let pair = Comparison { queues: vec![c.queues[queue].clone(), c.queues[0].clone()], ..c.clone() };
    let [old, new] = &pair.queues[..] else { unreachable!("two were put in") };
    let changes = pair.changes();
    let scenario = &entry.columns[0].scenario;
    let judged = |(number, app): (usize, &airtab_sim::App)| {
        let verdict = |change: &AppChange| change.change.map_or(Verdict::Same, |change| change.verdict);
        let weight = |change: &&AppChange| match verdict(change) {
            Verdict::Worse => 2,
            Verdict::Better => 1,
            Verdict::Same => 0,
        };
        // The last of equals: the score, in this order.
        let own = changes[0].apps.iter().rev().filter(|change| change.name == app.name);
        let decides = own.max_by_key(weight)?;
        let verdict = verdict(decides);
        Some(Judged {
            home: entry.home.clone(),
            name: app.name.clone(),
            metric: decides.metric,
            means: [new, old].map(|q| q.apps[number].mean(decides.metric)),
            verdict,
            change: decides.change,
            by_airtime_share: verdict == Verdict::Worse && by_share(scenario, new, old, number),
        })
    };
    scenario.apps.iter().enumerate().filter_map(judged).collect()
}

/// True if the loss of an application follows from equal shares of airtime. Only a bulk transfer has such a loss, for one of two
/// reasons. Its station had more than an equal share under the other discipline, and keeps one. Or its station moves as much data
/// as under the other discipline, of which the transfer has the share of its flows. Equal shares divide the airtime of all stations
/// with bulk transfers.
fn by_share(scenario: &Scenario, new: &QueueScores, old: &QueueScores, number: usize) -> bool {
    let is_bulk = |app: &airtab_sim::App| About::of(&app.kind).bulk;
    let app = &scenario.apps[number];
    if !is_bulk(app) {
        return false;
    }
    let sum = |q: &QueueScores, station: usize, of: &dyn Fn(&airtab_scenario::Scores) -> f64| -> f64 {
        let own = scenario.apps.iter().zip(&q.apps).filter(|(app, _)| app.station == station);
        own.map(|(_, scores)| of(scores)).sum()
    };
    let air = |q: &QueueScores, station: usize| {
        sum(q, station, &|app| {
            [Metric::Air, Metric::UplinkAir].iter().filter_map(|metric| app.mean(*metric)).sum()
        })
    };
    let stations: BTreeSet<usize> =
        scenario.apps.iter().filter(|app| is_bulk(app)).map(|app| app.station).collect();
    let share = |q: &QueueScores| {
        let all: f64 = stations.iter().map(|station| air(q, *station)).sum();
        air(q, app.station) * stations.len() as f64 / all
    };
    let moved = |q: &QueueScores| sum(q, app.station, &data);
    let beside = scenario.apps.iter().filter(|other| is_bulk(other) && other.station == app.station);
    let flows = app.flows() as f64 / beside.map(|app| app.flows()).sum::<usize>() as f64;
    let fair = data(&new.apps[number]) >= KEPT * moved(new) * flows;
    share(old) > MORE_AIR && share(new) >= KEPT || moved(new) >= MOVED * moved(old) && fair
}

#[cfg(test)]
mod tests;
