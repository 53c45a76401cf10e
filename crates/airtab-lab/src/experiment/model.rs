// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[model]` of an experiment's file: figures from formulas. Nothing is simulated; a
//! page and the scoreboard show them as they show what is.
//!
//! What it does not do: no formula is here (`airtab_model`, the core's airtime, the cell's link).

use airtab_core::{Phy, Unit};
use airtab_model::chap::burst::increment_range_s;
use airtab_model::chap::two_flows::two_flows;
use airtab_sim::wifi::Loss;
use toml::de::DeTable;

use airtab_scenario::reader::{Document, Section, choice, instead, number, quantity};
use airtab_scenario::{Figures, FileError, Metric, QueueSettings};

use super::classes::Classes;
use super::contention::Contention;

/// Formulas to work out.
#[derive(Clone, Debug)]
pub struct ModelTask {
    pub(super) task: Task,
    /// None: formulas have no queue.
    pub(super) queues: QueueSettings,
}

/// Which.
#[derive(Clone, Debug)]
pub(super) enum Task {
    /// Mean waits of a slow and a fast flow under CHAP: load, rate of the slow one by that of the fast one,
    /// length of a service, ns.
    Waits { rho: f64, kappa: f64, service_ns: u64 },
    /// [`constants`].
    Constants,
    /// A subject of the contention models.
    Contention(Contention),
    /// The CBT study's.
    Classes(Classes),
}

const WAITS: [&str; 2] = ["slow", "fast"];
const CONTENTION: &str = "contention";
const CBT: &str = "cbt";
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
    const TASKS: [&'static str; 4] = ["waits", "constants", CONTENTION, CBT];

    /// Names of the applications that a table `[model]` has.
    ///
    /// # Errors
    /// There is no such task, or no such subject of it.
    pub(super) fn apps_of(table: &toml::Table) -> Result<Vec<String>, String> {
        match table.get("task").and_then(toml::Value::as_str).unwrap_or_default() {
            "waits" => Ok(WAITS.map(String::from).into()),
            "constants" => Ok(constants().into_iter().map(|(name, _)| name.into()).collect()),
            CONTENTION => Contention::read(table).map(|task| task.names()),
            CBT => Classes::names_of(table),
            task => Err(format!("no task '{task}'{}", instead(task, &ModelTask::TASKS))),
        }
    }

    pub(super) fn apps(&self) -> Vec<String> {
        match &self.task {
            Task::Waits { .. } => WAITS.map(String::from).into(),
            Task::Constants => constants().into_iter().map(|(name, _)| name.into()).collect(),
            Task::Contention(task) => task.names(),
            Task::Classes(task) => task.names(),
        }
    }

    /// Of each application; `seed` is of those with chance in them.
    ///
    /// # Errors
    /// What parameters cannot be together.
    pub(super) fn figures(&self, seed: u64) -> Result<Vec<Figures>, String> {
        Ok(match &self.task {
            Task::Waits { rho, kappa, service_ns } => {
                let queue = two_flows(*rho, *kappa).expect("checked when the table was read");
                let wait = |i| {
                    queue.wait(i).map(|services| (Metric::QueueDelay, services * *service_ns as f64 * 1e-9))
                };
                (0..2).map(|i| wait(i).into_iter().collect()).collect()
            }
            Task::Constants => {
                constants().into_iter().map(|(_, v)| Figures::from([(Metric::Value, v)])).collect()
            }
            Task::Contention(task) => task.figures(seed)?,
            Task::Classes(task) => task.figures()?,
        })
    }

    /// Reads the text of a table `[model]`; `file` is its name in messages.
    ///
    /// # Errors
    /// Everything that is wrong in it.
    pub(super) fn parse(file: &str, text: &str) -> Result<ModelTask, FileError> {
        let document = Document::new(file, text);
        let table = DeTable::parse(text).expect("what was written by `compose` can be read");
        let read = read_model(&Section::top(&document, table.get_ref()), text);
        match (read, document.into_problems()) {
            (Some(task), problems) if problems.is_empty() => {
                Ok(ModelTask { task, queues: QueueSettings::default() })
            }
            (_, problems) => Err(FileError::Wrong(problems)),
        }
    }
}

fn read_model(top: &Section, text: &str) -> Option<Task> {
    let task = top.require("task", choice(ModelTask::TASKS.map(|name| (name, name)).into()))?;
    let task = match task {
        "waits" => read_waits(top)?,
        "constants" => Task::Constants,
        CBT => return Classes::read(top).map(Task::Classes),
        // Its keys are those of the subject.
        _ => return read_contention(top, text),
    };
    top.finish();
    Some(task)
}

fn read_waits(top: &Section) -> Option<Task> {
    let service = top.require("service", quantity(Unit::Ns, 1..=1_000_000_000));
    let share = |key| top.require(key, number(0.0..=1.0, "a share such as 0.5"));
    let (rho, kappa) = (share("rho"), share("kappa"));
    two_flows(rho?, kappa?).map_err(|e| top.problem(e.to_string())).ok()?;
    Some(Task::Waits { rho: rho?, kappa: kappa?, service_ns: service? })
}

fn read_contention(top: &Section, text: &str) -> Option<Task> {
    let table: toml::Table = toml::from_str(text).expect("it was read before");
    Contention::read(&table).map_err(|e| top.problem(e)).ok().map(Task::Contention)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(text: &str) -> Result<ModelTask, String> {
        ModelTask::parse("x", text).map_err(|e| e.to_string())
    }

    /// Waiting times of the model's queue at this load and these rates, s.
    #[test]
    fn waits_are_of_the_slow_and_the_fast_flow() {
        let task = task("task = \"waits\"\nrho = 0.8\nkappa = 0.25\nservice = \"2ms\"\n").unwrap();
        assert_eq!(task.apps(), ["slow", "fast"]);
        let queue = two_flows(0.8, 0.25).unwrap();
        let waits = [0, 1].map(|i| queue.wait(i).unwrap() * 0.002);
        assert!(waits[0] < waits[1], "the slow flow goes first: {waits:?}");
        for (figures, wait) in task.figures(1).unwrap().iter().zip(waits) {
            assert_eq!(figures.len(), 1);
            assert!((figures[&Metric::QueueDelay] - wait).abs() < 1e-12);
        }
    }

    #[test]
    fn what_the_tables_of_models_cannot_be_is_told() {
        for (text, said) in [
            ("task = \"waits\"\nrho = 1.0\nkappa = 0.5\nservice = \"1ms\"", "1"),
            ("task = \"waits\"\nrho = 0.5\nkappa = 0.0\nservice = \"1ms\"", "0"),
            ("task = \"waits\"\nrho = 0.5\nkappa = 0.5", "`service`"),
            ("task = \"waits\"\nrho = 0.5\nkappa = 0.5\nservice = \"1ms\"\nloss = 1", "loss"),
            ("task = \"constants\"\nrho = 0.5", "rho"),
        ] {
            let wrong = task(text).map(|_| ()).expect_err(text);
            assert!(wrong.contains(said), "{text}: {wrong}");
        }
        let none: toml::Table = toml::from_str("task = \"wait\"").unwrap();
        let wrong = ModelTask::apps_of(&none).unwrap_err();
        assert!(wrong.starts_with("no task 'wait'; did you mean `waits`?"), "{wrong}");
    }

    /// The distance at which the link loses half of the frames, against the link's own error rate there.
    #[test]
    fn distances_are_those_of_the_link() {
        let all: std::collections::BTreeMap<_, _> = constants().into_iter().collect();
        let at = |name: &str| Loss::at(all[name]).frame_error_rate();
        for (share, name) in [
            (0.1, "distance_of_10_percent_m"),
            (0.5, "distance_of_50_percent_m"),
            (0.75, "distance_of_75_percent_m"),
        ] {
            assert!((at(name) - share).abs() < 0.001, "{name}: {}", at(name));
        }
        assert!(all["exchange_7_1_0_bytes_us"] < all["exchange_7_1_1500_bytes_us"]);
        assert!(all["increment_least_ms"] < all["increment_most_ms"]);
    }
}
