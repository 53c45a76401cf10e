// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is simulated at a point: a home behind an access point, a queue before a
//! server of fixed times, or nothing, where formulas are worked out.
//!
//! What it does not do: it puts no scenario together (`compose`).

use std::hash::Hasher;

use airtab_core::Params;
use airtab_scenario::{Figures, Measured, QueueSettings, ScenarioFile};
use airtab_sim::Scenario;
use siphasher::sip128::{Hasher128, SipHasher24};

use super::model::ModelTask;
use super::server::ServerTask;
use crate::compare::named;
use crate::measure;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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
    /// Parameters of the disciplines.
    pub(super) fn queues(&self) -> &QueueSettings {
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

    /// One run.
    ///
    /// # Errors
    /// What values of a model cannot be together.
    pub(super) fn run(&self, params: &Params, seed: u64) -> Result<Measured, String> {
        Ok(match self {
            Workload::Home(file) => measure::run(&file.scenario, params, seed),
            Workload::Server(server) => server.run(params, seed),
            Workload::Model(model) => measured(model.figures(seed)?, Figures::new()),
        })
    }

    /// A number for everything that it says but its name, which no figure depends on.
    pub(super) fn number(&self) -> u128 {
        let text = match self {
            Workload::Home(file) => {
                format!("{:?}", Scenario { name: String::new(), ..file.scenario.clone() })
            }
            Workload::Server(server) => format!("{:?} {}", server.task, server.service_ns),
            Workload::Model(model) => format!("{:?}", model.task),
        };
        let mut hasher = SipHasher24::new();
        hasher.write(text.as_bytes());
        hasher.finish128().as_u128()
    }
}

/// A run of applications that have no pages and no seconds.
pub(super) fn measured(apps: Vec<Figures>, ap: Figures) -> Measured {
    let none = apps.len();
    Measured { apps, pages: vec![Vec::new(); none], seconds: vec![Vec::new(); none], ap, nodes: Vec::new() }
}
