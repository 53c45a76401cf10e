// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[model]` of an experiment's file: figures from formulas. Nothing is simulated; a
//! page and the scoreboard show them as they show what is.
//!
//! What it does not do: no formula is here (`airtab_model::chap`, the core's airtime, the cell's link).

use airtab_core::{Phy, Unit};
use airtab_model::chap::burst::increment_range_s;
use airtab_model::chap::two_flows::two_flows;
use airtab_sim::wifi::Loss;
use toml::de::DeTable;

use airtab_scenario::reader::{Document, Section, choice, number, quantity};
use airtab_scenario::{Figures, FileError, Metric, QueueSettings};

/// Formulas to work out.
#[derive(Clone, Debug)]
pub struct ModelTask {
    pub(super) task: Task,
    /// None: formulas have no queue.
    pub(super) queues: QueueSettings,
}

/// Which.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Task {
    /// Mean waits of a slow and a fast flow under CHAP: load, rate of the slow one by that of the fast one,
    /// length of a service, ns.
    Waits { rho: f64, kappa: f64, service_ns: u64 },
    /// [`constants`].
    Constants,
}

const WAITS: [&str; 2] = ["slow", "fast"];
/// Frames lost of a hundred, and what a constant calls the distance where that many are.
const LOSSES: [(f64, &str); 4] = [
    (0.10, "distance_of_10_percent_m"),
    (0.25, "distance_of_25_percent_m"),
    (0.50, "distance_of_50_percent_m"),
    (0.75, "distance_of_75_percent_m"),
];

/// Numbers that the CHAP dissertation prints, by names that end in their units.
fn constants() -> Vec<(&'static str, f64)> {
    // DIFS and an exchange at 54 Mb/s, as sections 6.3 and 7.1 have it.
    let exchange_us = |profile: &str, bytes: u32| {
        let phy = Phy::named(profile).expect("is a profile");
        let ns = phy.difs_ns() + phy.data_ns(54_000, bytes) + phy.sifs_ns() + phy.ack_ns(54_000);
        ns as f64 / 1e3
    };
    let (least, most) = increment_range_s();
    let mut all = vec![
        ("increment_least_ms", least * 1e3),
        ("increment_most_ms", most * 1e3),
        ("exchange_6_3_1500_bytes_us", exchange_us("d6.3", 1500)),
        ("exchange_7_1_0_bytes_us", exchange_us("d7.1", 0)),
        ("exchange_7_1_1500_bytes_us", exchange_us("d7.1", 1500)),
    ];
    all.extend(LOSSES.map(|(share, name)| (name, distance_m(share))));
    all
}

/// Where so many frames are lost: the cell's link turned round, by bisection to a millimetre.
fn distance_m(share: f64) -> f64 {
    let (mut near, mut far) = (1.0, 100.0);
    while far - near > 1e-3 {
        let distance_m = (near + far) / 2.0;
        match Loss::at(distance_m).frame_error_rate() < share {
            true => near = distance_m,
            false => far = distance_m,
        }
    }
    (near + far) / 2.0
}

impl ModelTask {
    /// Names of the tasks.
    pub(super) const TASKS: [&'static str; 2] = ["waits", "constants"];

    /// Names of the applications of a task that a table `[model]` may name; None if there is no such task.
    pub(super) fn apps_of(task: &str) -> Option<Vec<&'static str>> {
        match task {
            "waits" => Some(WAITS.into()),
            "constants" => Some(constants().into_iter().map(|(name, _)| name).collect()),
            _ => None,
        }
    }

    pub(super) fn apps(&self) -> Vec<&'static str> {
        match self.task {
            Task::Waits { .. } => WAITS.into(),
            Task::Constants => constants().into_iter().map(|(name, _)| name).collect(),
        }
    }

    /// Of each application.
    pub(super) fn figures(&self) -> Vec<Figures> {
        match self.task {
            Task::Waits { rho, kappa, service_ns } => {
                let queue = two_flows(rho, kappa).expect("checked when the table was read");
                let wait = |i| {
                    queue.wait(i).map(|services| (Metric::QueueDelay, services * service_ns as f64 * 1e-9))
                };
                (0..2).map(|i| wait(i).into_iter().collect()).collect()
            }
            Task::Constants => {
                constants().into_iter().map(|(_, v)| Figures::from([(Metric::Value, v)])).collect()
            }
        }
    }

    /// Reads the text of a table `[model]`; `file` is its name in messages.
    ///
    /// # Errors
    /// Everything that is wrong in it.
    pub(super) fn parse(file: &str, text: &str) -> Result<ModelTask, FileError> {
        let document = Document::new(file, text);
        let table = DeTable::parse(text).expect("what was written by `compose` can be read");
        let read = read_model(&Section::top(&document, table.get_ref()));
        match (read, document.into_problems()) {
            (Some(task), problems) if problems.is_empty() => {
                Ok(ModelTask { task, queues: QueueSettings::default() })
            }
            (_, problems) => Err(FileError::Wrong(problems)),
        }
    }
}

fn read_model(top: &Section) -> Option<Task> {
    let waits = top.require("task", choice(vec![("waits", true), ("constants", false)]))?;
    let task = if waits {
        let service = top.require("service", quantity(Unit::Ns, 1..=1_000_000_000));
        let share = |key| top.require(key, number(0.0..=1.0, "a share such as 0.5"));
        let (rho, kappa) = (share("rho"), share("kappa"));
        two_flows(rho?, kappa?).map_err(|e| top.problem(e.to_string())).ok()?;
        Task::Waits { rho: rho?, kappa: kappa?, service_ns: service? }
    } else {
        Task::Constants
    };
    top.finish();
    Some(task)
}
