//! What is simulated at a point: a home behind an access point, or a queue
//! before a server of fixed times, where theory has exact answers.
//!
//! What it does not do: it puts no scenario together (`compose`).

use std::hash::Hasher;

use airtab_core::{Params, Unit};
use airtab_sim::Scenario;
use airtab_sim::server::{Server, starve};
use siphasher::sip128::{Hasher128, SipHasher24};
use toml::de::DeTable;

use crate::measure::{self, Figures, Measured};
use crate::metric::Metric;
use crate::reader::{Document, Section, choice, number, quantity};
use crate::scenario_file::{DAY, FileError, read_queues};
use crate::{QueueSettings, ScenarioFile};

/// What is simulated.
#[derive(Clone, Debug)]
pub enum Workload {
    /// A home, as in scenario files.
    Home(Box<ScenarioFile>),
    /// One queue, one server of fixed times.
    Server(ServerTask),
}

/// A queue before a server that takes the same time for every packet.
#[derive(Clone, Debug)]
pub struct ServerTask {
    task: Task,
    service_ns: u64,
    queues: QueueSettings,
}

/// Who comes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Task {
    /// Two Poisson flows: load of the server, rate of the slow one by that of
    /// the fast one, length of the run, ns.
    TwoFlows { rho: f64, kappa: f64, duration_ns: u64 },
    /// So many idle flows burst while another waits with no credit.
    Bursts(u16),
}

/// Applications of each task, by which checks name them.
const TWO_FLOWS: [&str; 2] = ["slow", "fast"];
const BURSTS: [&str; 1] = ["waiting"];
/// What results call their kind.
const KIND: &str = "flow";

impl Workload {
    /// Parameters of the disciplines.
    pub(super) fn queues(&self) -> &QueueSettings {
        match self {
            Workload::Home(file) => &file.queues,
            Workload::Server(server) => &server.queues,
        }
    }

    /// The home, if it is one.
    pub(super) fn home(&self) -> Option<&Scenario> {
        match self {
            Workload::Home(file) => Some(&file.scenario),
            Workload::Server(_) => None,
        }
    }

    /// Name and kind of each application.
    pub(super) fn apps(&self) -> Vec<(String, &'static str)> {
        match self {
            Workload::Home(file) => {
                file.scenario.apps.iter().map(|a| (a.name.clone(), a.kind.name())).collect()
            }
            Workload::Server(server) => server.apps().iter().map(|name| ((*name).into(), KIND)).collect(),
        }
    }

    /// One run.
    pub(super) fn run(&self, params: &Params, seed: u64) -> Measured {
        match self {
            Workload::Home(file) => measure::run(&file.scenario, params, seed),
            Workload::Server(server) => server.run(params, seed),
        }
    }

    /// A number for everything that it says but its name, which no figure depends on.
    pub(super) fn number(&self) -> u128 {
        let text = match self {
            Workload::Home(file) => {
                format!("{:?}", Scenario { name: String::new(), ..file.scenario.clone() })
            }
            Workload::Server(server) => format!("{:?} {}", server.task, server.service_ns),
        };
        let mut hasher = SipHasher24::new();
        hasher.write(text.as_bytes());
        hasher.finish128().as_u128()
    }
}

impl ServerTask {
    /// Names of the applications of a task that a table `[server]` may name.
    pub(super) fn apps_of(task: &str) -> &'static [&'static str] {
        match task {
            "bursts" => &BURSTS,
            _ => &TWO_FLOWS,
        }
    }

    fn apps(&self) -> &'static [&'static str] {
        match self.task {
            Task::TwoFlows { .. } => &TWO_FLOWS,
            Task::Bursts(_) => &BURSTS,
        }
    }

    fn run(&self, params: &Params, seed: u64) -> Measured {
        let waits: Vec<f64> = match self.task {
            Task::TwoFlows { rho, kappa, duration_ns } => {
                let server = Server::two_flows(rho, kappa, self.service_ns, duration_ns);
                server.run(params, seed).iter().map(|flow| flow.mean_wait_ns()).collect()
            }
            Task::Bursts(bursts) => {
                let starved =
                    starve(bursts, self.service_ns, params).expect("the queue is made large enough");
                vec![starved.wait_ns as f64]
            }
        };
        let apps: Vec<Figures> =
            waits.iter().map(|wait| Figures::from([(Metric::QueueDelay, wait * 1e-9)])).collect();
        let none = apps.len();
        Measured { apps, pages: vec![Vec::new(); none], seconds: vec![Vec::new(); none], ap: Figures::new() }
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

fn read_server(top: &Section) -> Option<ServerTask> {
    let service = top.require("service", quantity(Unit::Ns, 1..=1_000_000_000));
    let queues = top.section("queue").map_or_else(QueueSettings::default, read_queues);
    let bursts = top.read("bursts", quantity(Unit::Count, 1..=64));
    let share = |key| top.read(key, number(0.0..=1.0, "a share such as 0.5"));
    let (rho, kappa) = (share("rho"), share("kappa"));
    let duration = top.read("duration", quantity(Unit::Ns, 1_000_000..=DAY));
    let task = top.require("task", choice(vec![("two-flows", true), ("bursts", false)]));
    let two_flows = ["rho", "kappa", "duration"];
    let (needed, foreign) = match task? {
        true => (&two_flows[..], &["bursts"][..]),
        false => (&["bursts"][..], &two_flows[..]),
    };
    for key in needed.iter().filter(|key| top.get(key).is_none()) {
        top.problem(format!("[server] lacks the key `{key}`"));
    }
    for key in foreign.iter().filter(|key| top.get(key).is_some()) {
        top.problem_of(key, "is for the other task");
    }
    for (key, value) in [("rho", rho), ("kappa", kappa)] {
        if value == Some(0.0) || (key == "rho" && value == Some(1.0)) {
            top.problem_of(key, "must be above 0, and a load below 1");
        }
    }
    top.finish();
    let task = match task? {
        true => Task::TwoFlows { rho: rho?, kappa: kappa?, duration_ns: duration? },
        false => Task::Bursts(bursts? as u16),
    };
    Some(ServerTask { task, service_ns: service?, queues })
}
