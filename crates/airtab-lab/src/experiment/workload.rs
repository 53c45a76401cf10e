// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is simulated at a point: a home behind an access point, a queue before a
//! server of fixed times, or nothing, where formulas are worked out.
//!
//! What it does not do: it puts no scenario together (`compose`).

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
    pub(crate) fn read(kind: Kind, file: &str, text: &str, open: OpenFile) -> Result<Workload, FileError> {
        match kind {
            Kind::Server => ServerTask::parse(file, text).map(Workload::Server),
            Kind::Model => ModelTask::parse(file, text).map(Workload::Model),
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
