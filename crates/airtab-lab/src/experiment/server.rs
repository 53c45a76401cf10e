// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[server]` of an experiment's file: a queue before a server that takes the same
//! time for every packet, where theory has exact answers.
//!
//! What it does not do: no air, no TCP (`airtab_sim::server`).

use airtab_core::{Column, Params, Unit};
use airtab_scenario::reader::{Document, Section, Value, choice, instead, number, quantity};
use airtab_scenario::{Figures, FileError, LONGEST_NS, Measured, Metric, Of, QueueSettings, read_queues};
use airtab_sim::server::{FlowTrace, Server, starve};
use toml::de::DeTable;

use super::workload::measured;

/// A queue before a server that takes the same time for every packet.
#[derive(Clone, Debug)]
pub struct ServerTask {
    pub(super) task: Task,
    pub(super) service_ns: u64,
    pub(super) queues: QueueSettings,
}

/// Who comes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Task {
    /// Two Poisson flows: load of the server, rate of the slow one by that of
    /// the fast one, length of the run, ns.
    TwoFlows { rho: f64, kappa: f64, duration_ns: u64 },
    /// So many idle flows burst while another waits with nothing left.
    Bursts(u16),
    /// One batch: packets of each flow and what is charged for one, ns.
    Batch { packets: Vec<u32>, costs_ns: Vec<u64> },
    /// Shares of the server, the last flow backlogged.
    Shares(Vec<f64>),
}

/// Applications of each task, by which checks name them.
const TWO_FLOWS: [&str; 2] = ["slow", "fast"];
const BURSTS: [&str; 1] = ["waiting"];
const FLOWS: [&str; 4] = ["flow1", "flow2", "flow3", "flow4"];
/// How long shares run, services; columns count from the half on.
const SERVICES: u64 = 40_000;

impl ServerTask {
    /// Names of the applications that a table `[server]` may name.
    ///
    /// # Errors
    /// There is no such task.
    pub(super) fn apps_of(table: &toml::Table) -> Result<Vec<String>, String> {
        let apps: &[&str] = match table.get("task").and_then(toml::Value::as_str).unwrap_or_default() {
            "two-flows" => &TWO_FLOWS,
            "bursts" => &BURSTS,
            "batch" | "shares" => &FLOWS,
            task => return Err(format!("no task '{task}'{}", instead(task, &KEYS.map(|(name, _)| name)))),
        };
        Ok(apps.iter().map(|name| (*name).into()).collect())
    }

    pub(super) fn apps(&self) -> &'static [&'static str] {
        match &self.task {
            Task::TwoFlows { .. } => &TWO_FLOWS,
            Task::Bursts(_) => &BURSTS,
            Task::Batch { packets: of, .. } => &FLOWS[..of.len()],
            Task::Shares(of) => &FLOWS[..of.len()],
        }
    }

    pub(super) fn run(&self, params: &Params, seed: u64) -> Measured {
        let service = self.service_ns;
        let columns = params.discipline().flow_columns();
        let record = columns.iter().map(|column| column.name).collect();
        match &self.task {
            Task::TwoFlows { rho, kappa, duration_ns } => {
                let server = Server::two_flows(*rho, *kappa, service, *duration_ns);
                of_flows(&server.run(params, seed), &[], 0)
            }
            Task::Bursts(bursts) => {
                let starved = starve(*bursts, service, params).expect("the queue is made large enough");
                let wait = starved.wait_ns as f64 * 1e-9;
                measured(vec![Figures::from([(Metric::QueueDelay, wait)])], Figures::new())
            }
            Task::Batch { packets, costs_ns } => {
                let server = Server::batches(packets, costs_ns, service, 1);
                of_flows(&Server { record, ..server }.run(params, seed), &columns, 0)
            }
            Task::Shares(shares) => {
                let server = Server { record, ..Server::shares(shares, service, SERVICES) };
                of_flows(&server.run(params, seed), &columns, SERVICES / 2 * service)
            }
        }
    }

    /// Reads the text of a table `[server]`; `file` is its name in messages.
    ///
    /// # Errors
    /// Everything that is wrong in it.
    pub(super) fn parse(file: &str, text: &str) -> Result<ServerTask, FileError> {
        let document = Document::new(file, text);
        let table = DeTable::parse(text).expect("what was written by `compose` can be read");
        let read = read_server(&Section::top(&document, table.get_ref()));
        match (read, document.into_problems()) {
            (Some(server), problems) if problems.is_empty() => Ok(server),
            (_, problems) => Err(FileError::Wrong(problems)),
        }
    }
}

/// Figures of each flow, and of all packets together; of the columns that were noted, what they were from
/// `from_ns` on.
fn of_flows(traces: &[FlowTrace], columns: &[Column], from_ns: u64) -> Measured {
    // Of those served; nobody waits 0 who was not.
    let wait = |sum_ns: u64, served: u64| {
        (served > 0).then(|| (Metric::QueueDelay, sum_ns as f64 / served as f64 * 1e-9))
    };
    let of_flow = |t: &FlowTrace| {
        let mut f: Figures = wait(t.wait_sum_ns, t.served).into_iter().collect();
        for (i, column) in columns.iter().enumerate() {
            let figure = |of, value: i64| (Metric::of_column(column, of), value as f64 * column.unit.scale());
            let range =
                t.range(i, from_ns).map(|(least, most)| [figure(Of::Least, least), figure(Of::Most, most)]);
            f.extend(range.into_iter().flatten());
            f.extend(t.columns[i].last().map(|noted| figure(Of::Last, noted.value)));
        }
        f
    };
    let sum = |of: fn(&FlowTrace) -> u64| traces.iter().map(of).sum::<u64>();
    let all = wait(sum(|t| t.wait_sum_ns), sum(|t| t.served)).into_iter().collect();
    measured(traces.iter().map(of_flow).collect(), all)
}

/// Keys of each task, all of them required.
const KEYS: [(&str, &[&str]); 4] = [
    ("two-flows", &["rho", "kappa", "duration"]),
    ("bursts", &["bursts"]),
    ("batch", &["packets", "costs"]),
    ("shares", &["shares"]),
];

fn read_server(top: &Section) -> Option<ServerTask> {
    let service = top.require("service", quantity(Unit::Ns, 1..=1_000_000_000));
    let queues = top.section("queue").map_or_else(QueueSettings::default, read_queues);
    let bursts = top.read("bursts", quantity(Unit::Count, 1..=64));
    let share = |key| top.read(key, number(0.0..=1.0, "a share such as 0.5"));
    let (rho, kappa) = (share("rho"), share("kappa"));
    let duration = top.read("duration", quantity(Unit::Ns, 1_000_000..=LONGEST_NS));
    let packets = top.read("packets", |v| list(top, v, |s| Unit::Count.parse(s).ok().filter(|n| *n < 1000)));
    let costs = top.read("costs", |v| list(top, v, |s| Unit::Ns.parse(s).ok().filter(|n| *n > 0)));
    let shares = top.read("shares", |v| list(top, v, |s| s.parse().ok().filter(|x| *x > 0.0 && *x <= 1.0)));
    let task =
        top.require("task", choice(KEYS.iter().enumerate().map(|(i, (name, _))| (*name, i)).collect()))?;
    for (i, (_, keys)) in KEYS.iter().enumerate() {
        for key in *keys {
            match (i == task, top.get(key).is_some()) {
                (true, false) => top.problem(format!("[server] lacks the key `{key}`")),
                (false, true) => top.problem_of(key, "is for another task"),
                _ => {}
            }
        }
    }
    for (key, value) in [("rho", rho), ("kappa", kappa)] {
        if value == Some(0.0) || (key == "rho" && value == Some(1.0)) {
            top.problem_of(key, "must be above 0, and a load below 1");
        }
    }
    if packets.as_ref().zip(costs.as_ref()).is_some_and(|(packets, costs)| packets.len() != costs.len()) {
        top.problem_of("costs", "must be as many as packets: one for each flow");
    }
    top.finish();
    let task = match task {
        0 => Task::TwoFlows { rho: rho?, kappa: kappa?, duration_ns: duration? },
        1 => Task::Bursts(bursts? as u16),
        2 => Task::Batch { packets: packets?.into_iter().map(|n| n as u32).collect(), costs_ns: costs? },
        _ => Task::Shares(shares?),
    };
    Some(ServerTask { task, service_ns: service?, queues })
}

/// One value for each flow.
fn list<'s, 'a, T>(
    top: &Section<'s, 'a>,
    v: &Value<'s, 'a>,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, String> {
    let items = top.items(v);
    if !(1..=FLOWS.len()).contains(&items.len()) {
        return Err(format!("has {} values: one for each of 1 to {} flows", items.len(), FLOWS.len()));
    }
    let one = |item: &String| parse(item).ok_or_else(|| format!("'{item}' cannot be used"));
    items.iter().map(one).collect()
}
