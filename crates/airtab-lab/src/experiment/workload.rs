// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is simulated at a point: a home behind an access point, a queue before a
//! server of fixed times, or nothing, where formulas are worked out.
//!
//! What it does not do: it puts no scenario together (`compose`).

use std::path::Path;

use airtab_core::Params;
use airtab_scenario::{Figures, FileError, Measured, OpenFile, QueueSettings, ScenarioFile};
use airtab_sim::Scenario;
use serde::{Deserialize, Serialize};

use super::model::ModelTask;
use super::server::ServerTask;
use crate::compare::named;
use crate::measure;
use crate::plan::Brake;

/// What is simulated.
#[derive(Clone, Debug)]
pub enum Workload {
    /// A home, as in scenario files.
    Home(Box<ScenarioFile>),
    /// One queue, one server of fixed times.
    Server(ServerTask),
    /// Formulas.
    Model(ModelTask),
}

/// Which of them a file is about.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// `[scenario]`, or a base.
    Home,
    /// `[server]`.
    Server,
    /// `[model]`.
    Model,
}

/// What results call the kind of a server's and a model's applications.
const KIND: &str = "flow";

impl Workload {
    /// Reads the text of what is run at a point; `file` is its name in messages, `open` opens what it names.
    ///
    /// # Errors
    /// What is wrong in it.
    pub(crate) fn read(kind: Kind, file: &Path, text: &str, open: OpenFile) -> Result<Workload, FileError> {
        let name = file.display().to_string();
        match kind {
            Kind::Server => ServerTask::parse(&name, text).map(Workload::Server),
            Kind::Model => ModelTask::parse(&name, text).map(Workload::Model),
            Kind::Home => {
                ScenarioFile::parse_with(file, text, open).map(|file| Workload::Home(Box::new(file)))
            }
        }
    }

    /// Parameters of the disciplines.
    pub(crate) fn queues(&self) -> &QueueSettings {
        match self {
            Workload::Home(file) => &file.queues,
            Workload::Server(server) => &server.queues,
            Workload::Model(model) => &model.queues,
        }
    }

    /// The home, if it is one.
    pub(super) fn home(&self) -> Option<&Scenario> {
        match self {
            Workload::Home(file) => Some(&file.scenario),
            Workload::Server(_) | Workload::Model(_) => None,
        }
    }

    /// Name, kind and station of each application.
    pub(super) fn apps(&self) -> Vec<(String, &'static str, String)> {
        let at_none = |name: &str| (name.into(), KIND, String::new());
        match self {
            Workload::Home(file) => named(&file.scenario),
            Workload::Server(server) => server.apps().iter().map(|name| at_none(name)).collect(),
            Workload::Model(model) => model.apps().iter().map(|name| at_none(name)).collect(),
        }
    }

    /// One run; None if the brake ended it.
    ///
    /// # Errors
    /// What values of a model cannot be together.
    pub(crate) fn run(
        &self,
        params: &Params,
        seed: u64,
        brake: &mut Brake,
    ) -> Result<Option<Measured>, String> {
        Ok(match self {
            Workload::Home(file) => {
                let scenario = &file.scenario;
                let made = measure::run_watched(scenario, scenario, params, seed, &mut [brake]);
                made.map(|(measured, _)| measured)
            }
            Workload::Server(server) => Some(server.run(params, seed)),
            Workload::Model(model) => Some(measured(model.figures(seed)?, Figures::new())),
        })
    }

    /// A number for everything that it says but its name, which no figure depends on.
    pub(crate) fn number(&self) -> u128 {
        match self {
            Workload::Home(file) => measure::number(&file.scenario),
            Workload::Server(server) => {
                measure::text_number(&format!("{:?} {}", server.task, server.service_ns))
            }
            Workload::Model(model) => measure::text_number(&format!("{:?}", model.task)),
        }
    }
}

/// A run of applications that have no pages and no seconds.
pub(super) fn measured(apps: Vec<Figures>, ap: Figures) -> Measured {
    let none = apps.len();
    Measured { apps, pages: vec![Vec::new(); none], seconds: vec![Vec::new(); none], ap, nodes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use airtab_core::Discipline;
    use airtab_scenario::{Metric, open_file};

    use super::*;

    fn read(kind: Kind, text: &str) -> Workload {
        Workload::read(kind, Path::new("x.toml"), text, &open_file).unwrap_or_else(|e| panic!("{e}"))
    }

    const BATCH: &str = "task = \"batch\"\nservice = \"1ms\"\npackets = [2, 3]\ncosts = [\"1ms\", \"2ms\"]\nqueue = { chap = { limit = 77 } }\n";
    const WAITS: &str = "task = \"waits\"\nservice = \"1ms\"\nrho = 0.5\nkappa = 0.25\n";

    /// Servers and models have flows without a station, and no pages; their queues are as their tables say.
    #[test]
    fn applications_are_those_of_the_task() {
        let flow = |name: &str| (name.to_string(), "flow", String::new());
        let (server, model) = (read(Kind::Server, BATCH), read(Kind::Model, WAITS));
        assert_eq!(server.apps(), [flow("flow1"), flow("flow2")]);
        assert_eq!(model.apps(), [flow("slow"), flow("fast")]);
        assert!(server.home().is_none() && model.home().is_none());
        let limit = |workload: &Workload| {
            let spec: airtab_scenario::QueueSpec = "chap".parse().unwrap();
            spec.build(workload.queues()).unwrap().get("limit").unwrap()[0]
        };
        let usual = Params::new(Discipline::named("chap").unwrap()).get("limit").unwrap()[0];
        assert_eq!((limit(&server), limit(&model)), (77, usual));
        let fifo = Params::new(Discipline::named("fifo").unwrap());
        let stop = AtomicBool::new(true);
        let run = |workload: &Workload| workload.run(&fifo, 1, &mut Brake::new(&stop, None)).unwrap();
        // They take less than a moment: a stop does not end them.
        let (served, waits) = (run(&server).unwrap(), run(&model).unwrap());
        // By turns: 1 2 1 2 2: 0 and 2, 1, 3 and 4 ms.
        let mean = |figures: &Figures| (figures[&Metric::QueueDelay] * 1e6).round() / 1e3;
        assert_eq!((mean(&served.apps[0]), mean(&served.apps[1]), mean(&served.ap)), (1.0, 2.667, 2.0));
        assert_eq!((waits.apps.len(), waits.pages.len(), waits.seconds.len(), waits.ap.len()), (2, 2, 2, 0));
        let home = "duration = \"60ms\"\nstation = [{ name = \"s\" }]\napp = [{ name = \"g\", kind = \"game\", station = \"s\" }]\n";
        let home = read(Kind::Home, home);
        assert_eq!(home.apps(), [("g".to_string(), "game", "s".to_string())]);
        assert!(home.home().is_some() && run(&home).is_none(), "a stop ends a run of a home");
    }

    /// The hash of a workload changes with each input of its figures, and with nothing else.
    #[test]
    fn a_workload_is_known_by_what_it_says() {
        let mut numbers = Vec::new();
        let kinds = [
            (
                Kind::Server,
                BATCH,
                &["service = \"2ms\"", "packets = [3, 2]", "costs = [\"1ms\", \"3ms\"]"][..],
            ),
            (Kind::Model, WAITS, &["service = \"2ms\"", "rho = 0.25", "kappa = 0.5"]),
        ];
        for (kind, text, changes) in kinds {
            numbers.push(read(kind, text).number());
            for change in changes {
                let key = change.split(' ').next().unwrap();
                let line = text.lines().find(|line| line.starts_with(key)).unwrap();
                numbers.push(read(kind, &text.replace(line, change)).number());
            }
        }
        // Parameters of disciplines are in the number of a queue.
        assert_eq!(read(Kind::Server, &BATCH.replace("77", "78")).number(), numbers[0]);
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 8);
    }
}
