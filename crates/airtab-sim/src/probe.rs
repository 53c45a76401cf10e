// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A run that is looked at: observers say when they want to look, one loop moves
//! the run from look to look.
//!
//! ```
//! # use airtab_sim::{Probe, Quantity, Scenario, Simulation, watch};
//! # fn example(scenario: &Scenario, queue: &airtab_core::Params) {
//! let second = 1_000_000_000;
//! let quantities = [Quantity::Received, Quantity::named("window", queue.discipline()).unwrap()];
//! let mut probe = Probe::new(second, second..scenario.duration_ns + 1, &quantities);
//! let trace = watch(Simulation::new(scenario, queue, 1), scenario.duration_ns, &mut [&mut probe]);
//! let windows = &probe.series()[1].values[0]; // of the first application, one a second
//! # }
//! ```
//!
//! Looking changes nothing: the trace is that of [`crate::run`]. Any number of
//! observers share one run.
//!
//! What it does not do: no rates, no averages over time, no drawing (`airtab-lab`).

use std::ops::Range;

use airtab_core::{CLASS, Column, Discipline, FLOW, URGENT};

use crate::engine::NEVER;
use crate::simulation::Simulation;
use crate::trace::Trace;

/// Somebody who looks at a run.
pub trait Observer {
    /// When it wants to look, ns, later than its last look; [`NEVER`] if it has seen enough.
    fn next_at(&self) -> u64;

    /// A look at that time.
    fn look(&mut self, now: u64, simulation: &mut Simulation);

    /// Whether the run is to go no further: asked after each of its looks.
    fn ends(&self) -> bool {
        false
    }
}

/// Runs a simulation up to `end`, ns, and lets the observers look. At equal times each sees the same.
///
/// # Panics
/// If one of them ends the run: that is for [`watch_or_end`].
pub fn watch(simulation: Simulation, end: u64, observers: &mut [&mut dyn Observer]) -> Trace {
    watch_or_end(simulation, end, observers).expect("no observer ends the run")
}

/// The same; None if an observer ended the run before `end`.
pub fn watch_or_end(
    mut simulation: Simulation,
    end: u64,
    observers: &mut [&mut dyn Observer],
) -> Option<Trace> {
    loop {
        let at = observers.iter().map(|observer| observer.next_at()).min().unwrap_or(NEVER);
        if at > end {
            simulation.advance(end);
            return Some(simulation.finish());
        }
        simulation.advance(at);
        for observer in observers.iter_mut().filter(|observer| observer.next_at() == at) {
            observer.look(at, &mut simulation);
            if observer.ends() {
                return None;
            }
        }
    }
}

/// What a [`Probe`] notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// IP bytes that each application has received at its station since the start.
    Received,
    /// IP bytes that each application has received at its server since the start.
    Uploaded,
    /// Congestion window of the server of each application's first flow, bytes; none without a TCP connection.
    Window,
    /// Bytes of each application's TCP flows that were acknowledged since the start, all flows together, both ways.
    Volume,
    /// The same flow by flow, application by application.
    FlowVolumes,
    /// Smoothed round-trip time of each application's first flow, s; none without a TCP connection.
    Srtt,
    /// Packets in the access point's queue.
    Queue,
    /// The limit that the access point's discipline sets itself, packets, where its statistics have a `limit`; of each node of a
    /// mesh.
    Limit,
    /// The drain time that it goes by, s, where they have a `drain`; of each node of a mesh.
    Drain,
    /// The average queue of all packets that the access point's discipline goes by, packets, where it keeps one alone; of each
    /// node of a mesh.
    Average,
    /// A column of the discipline's table of classes in its base unit: of each class, but not of urgent packets; queue after
    /// queue where there are several. Numbers of 2^-16 are of what the statistic `unit` says, where there is one.
    Class(Column),
    /// That statistic: averages and thresholds are packets (0), bytes (1) or ns of airtime (2); none where the discipline has
    /// no such choice: then they are packets.
    Unit,
    /// Channel time of all uplink frames since the start, ns.
    UplinkAir,
    /// What the discipline's table says of each application's flows, in base units: the mean over those that
    /// it knows, none if it knows none.
    Column(Column),
}

impl Quantity {
    /// Names of those that are no columns.
    pub const NAMES: [&str; 14] = [
        "received",
        "uploaded",
        "queue",
        "window",
        "uplink_air",
        "volume",
        "jain",
        "srtt",
        "limit",
        "drain",
        "average",
        "mode",
        "th_max",
        "backlog",
    ];

    /// The quantity of that name under a discipline: one of [`Quantity::NAMES`], of which those of its statistics and of its
    /// classes are not every discipline's, or a column of its table of flows.
    pub fn named(name: &str, discipline: Discipline) -> Option<Quantity> {
        let has = |name| discipline.stats().iter().any(|stat| stat.name == name);
        match name {
            "received" => Some(Quantity::Received),
            "uploaded" => Some(Quantity::Uploaded),
            "window" => Some(Quantity::Window),
            "queue" => Some(Quantity::Queue),
            "uplink_air" => Some(Quantity::UplinkAir),
            "volume" => Some(Quantity::Volume),
            "jain" => Some(Quantity::FlowVolumes),
            "srtt" => Some(Quantity::Srtt),
            "limit" => has("limit").then_some(Quantity::Limit),
            "drain" => has("drain").then_some(Quantity::Drain),
            "average" => {
                let class = discipline.class_column(name).map(Quantity::Class);
                class.or(has("average").then_some(Quantity::Average))
            }
            "mode" | "th_max" | "backlog" => discipline.class_column(name).map(Quantity::Class),
            _ => discipline.flow_columns().into_iter().find(|c| c.name == name).map(Quantity::Column),
        }
    }
}

/// One quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is.
    pub quantity: Quantity,
    /// One list of samples for each application, in the order of the scenario; of the access point one alone, or one for each
    /// node of a mesh; of [`Quantity::FlowVolumes`] one for each TCP flow; of [`Quantity::Class`] one for each class.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Notes quantities at equal steps. A sample is what holds at its time; what happens between two of them is
/// not seen.
#[derive(Clone, Debug)]
pub struct Probe {
    every_ns: u64,
    until_ns: u64,
    next_ns: u64,
    at_ns: Vec<u64>,
    series: Vec<Series>,
}

impl Probe {
    /// Looks at the start of `times` and every `every_ns` after it, up to their end and not at it.
    ///
    /// # Panics
    /// If `every_ns` is 0.
    pub fn new(every_ns: u64, times: Range<u64>, quantities: &[Quantity]) -> Probe {
        assert!(every_ns > 0, "the step of a probe must be above 0");
        let idle = quantities.is_empty() || times.is_empty();
        let series = quantities.iter().map(|quantity| Series { quantity: *quantity, values: Vec::new() });
        Probe {
            every_ns,
            until_ns: times.end,
            next_ns: if idle { NEVER } else { times.start },
            at_ns: Vec::new(),
            series: series.collect(),
        }
    }

    /// Times of the samples, ns.
    pub fn at_ns(&self) -> &[u64] {
        &self.at_ns
    }

    /// What was noted, in the order in which it was asked for.
    pub fn series(&self) -> &[Series] {
        &self.series
    }
}

impl Observer for Probe {
    fn next_at(&self) -> u64 {
        self.next_ns
    }

    fn look(&mut self, now: u64, simulation: &mut Simulation) {
        self.at_ns.push(now);
        for series in &mut self.series {
            let sample = sample(series.quantity, simulation);
            series.values.resize(sample.len(), Vec::new());
            series.values.iter_mut().zip(sample).for_each(|(values, value)| values.push(value));
        }
        let next = now.saturating_add(self.every_ns);
        self.next_ns = if next < self.until_ns { next } else { NEVER };
    }
}

/// A value for each application, or one of the access point, or of each node.
fn sample(quantity: Quantity, simulation: &Simulation) -> Vec<Option<f64>> {
    let apps = 0..simulation.app_count();
    match quantity {
        Quantity::Received => apps.map(|app| Some(simulation.received_bytes(app, false) as f64)).collect(),
        Quantity::Uploaded => apps.map(|app| Some(simulation.received_bytes(app, true) as f64)).collect(),
        Quantity::Window => {
            let window = |app| simulation.senders(app).next().flatten().map(|sender| sender.cwnd() as f64);
            apps.map(window).collect()
        }
        Quantity::Volume => {
            let volume = |app| simulation.acked_bytes(app).reduce(|a, b| a + b).map(|bytes| bytes as f64);
            apps.map(volume).collect()
        }
        Quantity::FlowVolumes => {
            apps.flat_map(|app| simulation.acked_bytes(app)).map(|bytes| Some(bytes as f64)).collect()
        }
        Quantity::Srtt => apps.map(|app| simulation.srtt_ns(app).map(|ns| ns as f64 * 1e-9)).collect(),
        Quantity::Queue => vec![Some(simulation.queue_packets().into())],
        Quantity::Limit => simulation.stat("limit"),
        Quantity::Drain => simulation.stat("drain"),
        Quantity::Average => simulation.stat("average"),
        Quantity::Unit => simulation.stat("unit"),
        Quantity::Class(column) => {
            let rows = |name| simulation.column(name).into_iter().flatten();
            let classes = rows(CLASS).zip(rows(column.name)).filter(|(class, _)| *class != i64::from(URGENT));
            classes.map(|(_, value)| Some(value as f64 * column.unit.scale())).collect()
        }
        Quantity::UplinkAir => vec![Some(simulation.air().up_ns as f64)],
        Quantity::Column(column) => {
            let rows = |name| simulation.column(name).into_iter().flatten();
            let mut known: Vec<(i64, i64)> = rows(FLOW).zip(rows(column.name)).collect();
            known.sort_unstable();
            let value = |flow: u32| {
                known.binary_search_by_key(&i64::from(flow), |(f, _)| *f).map(|i| known[i].1).ok()
            };
            let mean = |app| {
                let (mut sum, mut n) = (0, 0);
                simulation.flows(app).filter_map(value).for_each(|value| (sum, n) = (sum + value, n + 1));
                (n > 0).then(|| sum as f64 * column.unit.scale() / f64::from(n))
            };
            apps.map(mean).collect()
        }
    }
}
