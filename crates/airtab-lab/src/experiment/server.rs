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

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;

    use super::*;

    fn task(text: &str) -> Result<ServerTask, String> {
        ServerTask::parse("x", text).map_err(|e| e.to_string())
    }

    fn chap() -> Params {
        let mut params = Params::new(Discipline::named("chap").unwrap());
        params.set("profile", "faithful").unwrap();
        params
    }

    /// Waits of each flow over those that were served, and of all packets together.
    #[test]
    fn waits_are_over_packets_and_not_over_flows() {
        let trace = |wait_sum_ns, served| FlowTrace { wait_sum_ns, served, ..FlowTrace::default() };
        let all = of_flows(&[trace(6_000_000, 3), trace(0, 0), trace(10_000_000, 1)], &[], 0);
        let wait = |figures: &Figures| figures.get(&Metric::QueueDelay).map(|s| (s * 1e9).round() / 1e6);
        assert_eq!(all.apps.iter().map(wait).collect::<Vec<_>>(), [Some(2.0), None, Some(10.0)]);
        assert_eq!(wait(&all.ap), Some(4.0));
        assert_eq!((all.pages.len(), all.seconds.len(), all.nodes.len()), (3, 3, 0));
    }

    /// Columns are of the second half of the run, its last value of its end.
    #[test]
    fn columns_of_shares_are_of_the_second_half() {
        let of = |text: &str| task(text).unwrap();
        let made = of("task = \"shares\"\nservice = \"306us\"\nshares = [0.25, 0.5]\n");
        assert_eq!(made.apps(), ["flow1", "flow2"]);
        let (params, service) = (chap(), 306_000);
        let server = Server { record: vec!["credit"], ..Server::shares(&[0.25, 0.5], service, SERVICES) };
        let traces = server.run(&params, 4);
        let measured = made.run(&params, 4);
        let named = |of: &str| Metric::named(&format!("credit_{of}_seconds")).unwrap();
        let mut whole_differs = false;
        for (trace, figures) in traces.iter().zip(&measured.apps) {
            let (least, most) = trace.range(0, SERVICES / 2 * service).unwrap();
            let last = trace.columns[0].last().unwrap().value;
            for (of, ns) in [("least", least), ("most", most), ("last", last)] {
                let value = figures[&named(of)];
                assert!((value - ns as f64 * 1e-9).abs() < 1e-12, "{of}: {value}, not {ns} ns");
            }
            whole_differs |= trace.range(0, 0) != Some((least, most));
        }
        assert!(whole_differs, "the first half has other values");
    }

    #[test]
    fn each_task_is_that_server() {
        let fifo = Params::new(Discipline::named("fifo").unwrap());
        let two =
            task("task = \"two-flows\"\nservice = \"1ms\"\nrho = 0.6\nkappa = 0.25\nduration = \"2s\"\n")
                .unwrap();
        assert_eq!(two.apps(), ["slow", "fast"]);
        let traces = Server::two_flows(0.6, 0.25, 1_000_000, 2_000_000_000).run(&fifo, 5);
        let measured = two.run(&fifo, 5);
        for (trace, figures) in traces.iter().zip(&measured.apps) {
            assert!((figures[&Metric::QueueDelay] - trace.mean_wait_ns() * 1e-9).abs() < 1e-12);
        }
        assert!(traces[0].served < traces[1].served && traces[0].mean_wait_ns() != traces[1].mean_wait_ns());
        assert_ne!(two.run(&fifo, 6).apps, measured.apps, "the seed is passed on");
        let bursts = task("task = \"bursts\"\nservice = \"7ms\"\nbursts = 3\n").unwrap();
        assert_eq!(bursts.apps(), ["waiting"]);
        let mut params = chap();
        params.set("limit", "1000").unwrap();
        let wait = starve(3, 7_000_000, &params).unwrap().wait_ns;
        assert_eq!(bursts.run(&params, 1).apps[0][&Metric::QueueDelay], wait as f64 * 1e-9);
        let batch = task(
            "task = \"batch\"\nservice = \"1ms\"\npackets = [1, 2, 3]\ncosts = [\"1ms\", \"2ms\", \"3ms\"]\n",
        )
        .unwrap();
        assert_eq!(batch.apps(), ["flow1", "flow2", "flow3"]);
        let table = toml::from_str("task = \"batch\"").unwrap();
        assert_eq!(ServerTask::apps_of(&table).map(|apps| apps.len()), Ok(4), "as many as there may be");
    }

    #[test]
    fn bounds_of_keys_are_kept() {
        let flows = |rho: &str, kappa: &str| {
            format!(
                "task = \"two-flows\"\nservice = \"1ms\"\nrho = {rho}\nkappa = {kappa}\nduration = \"1ms\"\n"
            )
        };
        let batch = |packets: &str, costs: &str| {
            format!("task = \"batch\"\nservice = \"1ms\"\npackets = {packets}\ncosts = {costs}\n")
        };
        let shares = |shares: &str| format!("task = \"shares\"\nservice = \"1s\"\nshares = {shares}\n");
        let bursts = |n: u32| format!("task = \"bursts\"\nservice = \"1ns\"\nbursts = {n}\n");
        for text in [
            flows("0.99", "1.0"),
            flows("0.01", "0.01"),
            batch("[999, 0]", "[\"1ns\", \"1s\"]"),
            shares("[1.0]"),
            shares("[0.1, 0.2, 0.3, 0.4]"),
            bursts(1),
            bursts(64),
        ] {
            assert!(task(&text).is_ok(), "{text}: {:?}", task(&text).err());
        }
        for (text, said) in [
            (flows("1.0", "0.5"), "must be above 0, and a load below 1"),
            (flows("0.0", "0.5"), "must be above 0, and a load below 1"),
            (flows("0.5", "0.0"), "must be above 0, and a load below 1"),
            (flows("0.5", "1.1"), "kappa"),
            (batch("[1000]", "[\"1ms\"]"), "'1000' cannot be used"),
            (batch("[1, 2]", "[\"1ms\"]"), "must be as many as packets"),
            (shares("[1.1]"), "'1.1' cannot be used"),
            (shares("[0.0, 0.5]"), "cannot be used"),
            (shares("[]"), "has 0 values: one for each of 1 to 4 flows"),
            (bursts(65), "65"),
            (format!("{}shares = [1.0]\n", bursts(2)), "is for another task"),
            ("task = \"bursts\"\nservice = \"1ms\"\n".into(), "[server] lacks the key `bursts`"),
        ] {
            let wrong = task(&text).map(|_| ()).expect_err(&text);
            assert!(wrong.contains(said), "{text}: {wrong}");
        }
    }
}
