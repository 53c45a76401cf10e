// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A sweep: an experiment without checks, or any scenario, along axes of a command line.
//!
//! Its points may be many: they are handed over one by one, in their order, and need not fit into memory. It may be dealt
//! to several machines ([`RunOptions::part`]), each of which fills a folder of packs, and put together from these
//! ([`RunOptions::only_stored`]).
//!
//! What it does not do: no verdicts, no files (`crate::frame`).

use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::Path;

use airtab_scenario::{FileError, QueueSpec};
use siphasher::sip128::{Hasher128, SipHasher24};
use toml::{Table, Value as Toml};

use super::file::{MAX_POINTS, Names, read_values};
use super::run::{RunError, RunOptions, each_point, each_run};
use super::scores::PointScores;
use super::task::Task;
use super::until::{self, Asked};
use super::workload::Kind;
use super::{Axis, Experiment, compose};
use crate::frame::{AxisColumn, COLUMNS};

/// Points of one sweep.
pub const MAX_SWEEP: usize = 100_000;

/// What cannot be said of an experiment; one or more lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SweepError(String);

impl Experiment {
    /// Any scenario, to be varied by [`Experiment::vary`]. `file` is its name in messages, and where what it names is
    /// looked for.
    ///
    /// # Errors
    /// It is no TOML, or no scenario.
    pub fn of_scenario(file: impl AsRef<Path>, text: &str) -> Result<Experiment, FileError> {
        let path = file.as_ref();
        let named = path.display().to_string();
        let unreadable = |reason: String| FileError::Unreadable { file: named.clone(), reason };
        let scenario: Table =
            toml::from_str(text).map_err(|e| unreadable(e.message().replace('\n', ", ")))?;
        let id = path.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let title = scenario.get("name").and_then(Toml::as_str).unwrap_or(&id).to_string();
        let e = Experiment {
            title,
            toml: text.into(),
            scenario,
            plain: true,
            folder: path.parent().unwrap_or(Path::new("")).into(),
            named: named.clone(),
            ..Experiment::empty(id)
        };
        // What is wrong in it is so at every point: it is told with its lines.
        airtab_scenario::ScenarioFile::parse(path, text)?;
        Ok(e)
    }

    /// Without what only judges and draws.
    #[must_use]
    pub fn without_checks(self) -> Experiment {
        Experiment {
            checks: Vec::new(),
            figures: Vec::new(),
            courses: Vec::new(),
            scatters: Vec::new(),
            remarks: BTreeMap::new(),
            ..self
        }
    }

    /// Sets a key of the scenario, such as `queue.chap.limit`, at all points: by [`airtab_scenario::set`], as `airtab compare`
    /// does. Servers and models have tables of their own.
    ///
    /// # Errors
    /// There is no such place, or an axis sets it.
    ///
    /// # Panics
    /// Never: what was read can be written, and read again.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), SweepError> {
        let wrong = |reason: String| SweepError(format!("--set {path}={value}: {reason}"));
        self.free(path).map_err(wrong)?;
        if self.kind != Kind::Home {
            compose::set(&mut self.scenario, path, read_value(value));
            return Ok(());
        }
        let text = toml::to_string(&self.scenario).expect("what was read can be written");
        let text = airtab_scenario::set(&text, path, value).map_err(|e| wrong(e.message))?;
        self.scenario = toml::from_str(&text).expect("it is TOML, with another value");
        Ok(())
    }

    /// Adds an axis of that name, which sets that key to these values.
    ///
    /// # Errors
    /// There is no such place, another axis sets it, or there are no values, or too many.
    pub fn vary(&mut self, path: &str, values: &[&str]) -> Result<(), SweepError> {
        let wrong = |reason: String| SweepError(format!("--axis {path}: {reason}"));
        self.free(path).map_err(wrong)?;
        if self.axes.iter().any(|axis| axis.name == path) {
            return Err(wrong("there is an axis of that name".into()));
        }
        if values.iter().any(|value| value.trim().is_empty()) {
            let example = format!("give values, as in --axis {path}=1,2,3");
            return Err(wrong(format!("an axis needs at least one value, and none is empty: {example}")));
        }
        let items = values.iter().map(|value| read_value(value)).collect();
        let keys = vec![path.to_string()];
        let values = read_values(items, &keys, &[], None).map_err(wrong)?;
        self.axes.push(Axis { name: path.into(), label: path.into(), log: false, keys, values });
        Ok(())
    }

    /// Whether that key is there to be set.
    fn free(&self, path: &str) -> Result<(), String> {
        compose::find(&self.scenario, path)?;
        match self.axes.iter().find(|axis| axis.keys.iter().any(|key| key == path)) {
            Some(axis) => Err(format!("axis `{}` sets it already", axis.name)),
            None => Ok(()),
        }
    }

    /// Gives every point as many seeds as that asks for, in place of what the file says of it.
    ///
    /// # Errors
    /// There is no such figure, or a number cannot be.
    pub fn ask_until(&mut self, asked: &Asked) -> Result<(), SweepError> {
        self.until = until::put(asked, self.until.take(), &Names::of(self)).map_err(SweepError)?;
        Ok(())
    }

    /// Other disciplines.
    ///
    /// # Errors
    /// One is there twice.
    pub fn under(&mut self, queues: &[QueueSpec]) -> Result<(), SweepError> {
        for (i, q) in queues.iter().enumerate() {
            if queues[..i].iter().any(|other| other.label == q.label) {
                return Err(SweepError(format!("--queues names {} twice", q.label)));
            }
        }
        self.queues = queues.to_vec();
        Ok(())
    }

    /// Its axes as columns of results.
    ///
    /// # Errors
    /// An axis has the name of another column, or there are too many points.
    pub fn columns(&self) -> Result<Vec<AxisColumn>, SweepError> {
        if let Some(axis) = self.axes.iter().find(|axis| COLUMNS.contains(&axis.name.as_str())) {
            return Err(SweepError(format!(
                "axis '{}': results have a column of that name; give the axis another one",
                axis.name
            )));
        }
        let points = self.axes.iter().map(|axis| axis.values.len() as u128).product::<u128>();
        if points > MAX_SWEEP as u128 {
            return Err(SweepError(format!(
                "{points} points: at most {MAX_SWEEP}; make several sweeps, with --set for what one of the axes has"
            )));
        }
        let column = |axis: &Axis| AxisColumn::new(&axis.name, axis.values.iter().map(|v| v.text.as_str()));
        Ok(self.axes.iter().map(column).collect())
    }
}

/// A value of a command line: TOML, if it is, else text. `5ms` is text.
fn read_value(written: &str) -> Toml {
    let written = written.trim();
    let read = toml::from_str::<Table>(&format!("v = {written}")).ok().filter(|table| table.len() == 1);
    read.and_then(|mut table| table.remove("v")).unwrap_or_else(|| written.into())
}

/// A sweep that can be run: everything that is wrong in it has been said.
pub struct Sweep<'a> {
    experiment: &'a Experiment,
    options: &'a RunOptions<'a>,
    task: Task<'a>,
}

impl<'a> Sweep<'a> {
    /// Puts every point together once.
    ///
    /// # Errors
    /// A value of an axis is wrong, a discipline does not take its parameters, or it was stopped.
    pub fn new(experiment: &'a Experiment, options: &'a RunOptions) -> Result<Sweep<'a>, RunError> {
        Ok(Sweep { experiment, options, task: Task::new(experiment, options)? })
    }

    /// How many runs are this machine's, and how many of them are stored; of rounds the first.
    pub fn counts(&self) -> (usize, usize) {
        self.task.counts()
    }

    /// Seeds, in their order: those that a point has at most.
    pub fn seeds(&self) -> &[u64] {
        self.task.plan.seeds()
    }

    /// Values of an axis with which the same is run wherever the others are, under every discipline: most likely its key means
    /// nothing there. A sentence for each axis.
    pub fn without_effect(&self) -> Vec<String> {
        let axes = &self.experiment.axes;
        let mut apart = 1;
        let mut said = Vec::new();
        for axis in axes.iter().rev() {
            let mut of = vec![SipHasher24::new(); axis.values.len()];
            for point in 0..self.task.plan.points() {
                self.task.plan.cells(point).hash(&mut of[point / apart % axis.values.len()]);
            }
            apart *= axis.values.len();
            let of: Vec<u128> = of.into_iter().map(|hasher| hasher.finish128().as_u128()).collect();
            let same = (1..of.len()).find_map(|b| Some((of[..b].iter().position(|a| *a == of[b])?, b)));
            if let Some((a, b)) = same {
                let [a, b] = [a, b].map(|i| &axis.values[i].text);
                said.push(format!(
                    "axis {}: with {a} and {b} the same is run, under every discipline: does anything read what it sets?",
                    axis.name
                ));
            }
        }
        said.reverse();
        said
    }

    /// How many runs (of rounds: of the first) are not stored, and where the first of them is; None if all are.
    pub fn missing(&self) -> Option<(usize, String)> {
        let plan = &self.task.plan;
        let mut missing = plan.jobs().filter(|job| !self.options.store.has(plan.key(job)));
        let first = missing.next()?;
        Some((missing.count() + 1, self.task.place(&first)))
    }

    /// Makes what is not stored, and hands over every point, in their order. `progress` is called after each run that is
    /// made, from any thread.
    ///
    /// # Errors
    /// [`RunError`].
    ///
    /// # Panics
    /// If threads cannot be started.
    pub fn run(
        &self,
        progress: &(dyn Fn() + Sync),
        each: &mut dyn FnMut(PointScores),
    ) -> Result<(), RunError> {
        each_point(self.experiment, &RunOptions { progress, ..*self.options }, &self.task, each)
    }

    /// Makes what is not stored, and no more: a part of a sweep need have no whole points. Returns how many runs the part has.
    ///
    /// # Errors
    /// [`RunError`].
    ///
    /// # Panics
    /// If threads cannot be started.
    pub fn fill(&self, progress: &(dyn Fn() + Sync)) -> Result<usize, RunError> {
        each_run(self.experiment, &RunOptions { progress, ..*self.options }, &self.task)
    }
}

/// Points that an experiment's file may have, where it is read for this.
pub(super) fn most_points(sweep: bool) -> usize {
    if sweep { MAX_SWEEP } else { MAX_POINTS }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::AtomicBool;

    use airtab_scenario::Measured;

    use super::*;
    use crate::plan::RunKey;
    use crate::store::{NoStore, Store};

    const SCENARIO: &str = "duration = \"60ms\"\nmeasure = [\"0s\", \"60ms\"]\nstation = [{ name = \"s\" }]\n\
                            app = [{ name = \"g\", kind = \"game\", station = \"s\" }]\n";

    /// Under these disciplines, along these axes.
    fn experiment(queues: &[&str], axes: &[(&str, &[&str])]) -> Experiment {
        let mut e = Experiment::of_scenario("folder/small.toml", SCENARIO).unwrap_or_else(|e| panic!("{e}"));
        e.under(&queues.iter().map(|label| label.parse().unwrap()).collect::<Vec<_>>()).unwrap();
        axes.iter().for_each(|(path, values)| e.vary(path, values).unwrap());
        e
    }

    /// Has the runs of these keys, as far as can be seen.
    struct Has(HashSet<RunKey>);

    impl Store for Has {
        fn get(&self, _: RunKey) -> Option<Measured> {
            None
        }

        fn has(&self, run: RunKey) -> bool {
            self.0.contains(&run)
        }

        fn put(&self, _: RunKey, _: &Measured) {}
    }

    /// Wherever an axis stands, and whichever of its values are alike.
    #[test]
    fn axes_without_effect_are_told_in_their_order() {
        let stop = AtomicBool::new(false);
        let options = RunOptions { seeds: Some(&[1]), ..RunOptions::new(&NoStore, &stop) };
        let said = |axes: &[(&str, &[&str])]| {
            let e = experiment(&["fifo"], axes);
            Sweep::new(&e, &options).unwrap_or_else(|e| panic!("{e}")).without_effect()
        };
        let told = |axis: &str, a: &str, b: &str| {
            format!(
                "axis {axis}: with {a} and {b} the same is run, under every discipline: does anything read what it sets?"
            )
        };
        let limit = ("queue.fifo.limit", &["20", "30"][..]);
        let start = ("app.g.start", &["0s", "5ms", "0ms"][..]);
        let interval = ("queue.codel.interval", &["1ms", "2ms"][..]);
        let target = ("queue.codel.target", &["3ms", "4ms", "5ms"][..]);
        let interval_told = told("queue.codel.interval", "1ms", "2ms");
        assert_eq!(said(&[limit]), [""; 0]);
        for axes in [[interval, limit], [limit, interval]] {
            assert_eq!(said(&axes), vec![interval_told.clone()]);
        }
        assert_eq!(said(&[limit, start]), [told("app.g.start", "0s", "0ms")], "the first and the third");
        let target_told = told("queue.codel.target", "3ms", "4ms");
        assert_eq!(said(&[target, limit, interval]), [target_told, interval_told]);
    }

    #[test]
    fn runs_that_are_missing_are_counted_and_the_first_is_placed() {
        let e =
            experiment(&["fifo", "chap"], &[("queue.limit", &["20", "30"]), ("app.g.start", &["0s", "5ms"])]);
        let (stop, seeds) = (AtomicBool::new(false), [7, 9]);
        let of = |store: &dyn Store, look: &dyn Fn(&Sweep)| {
            let options = RunOptions { seeds: Some(&seeds), ..RunOptions::new(store, &stop) };
            look(&Sweep::new(&e, &options).unwrap());
        };
        let mut keys = Vec::new();
        let options = RunOptions { seeds: Some(&seeds), ..RunOptions::new(&NoStore, &stop) };
        let sweep = Sweep::new(&e, &options).unwrap();
        keys.extend(sweep.task.plan.jobs().map(|job| sweep.task.plan.key(&job)));
        assert_eq!((keys.len(), sweep.seeds()), (16, &seeds[..]));
        // All but the sixth and three others.
        let some: HashSet<RunKey> = keys
            .iter()
            .enumerate()
            .filter(|(i, _)| ![5, 6, 12, 15].contains(i))
            .map(|(_, key)| *key)
            .collect();
        of(&Has(some), &|sweep| {
            assert_eq!(sweep.counts(), (16, 12));
            let place = "queue.limit = 20, app.g.start = 5ms, fifo, seed 9";
            assert_eq!(sweep.missing(), Some((4, place.into())));
        });
        of(&Has(keys.iter().copied().collect()), &|sweep| {
            assert_eq!((sweep.counts(), sweep.missing()), ((16, 16), None));
        });
        of(&NoStore, &|sweep| {
            let place = "queue.limit = 20, app.g.start = 0s, fifo, seed 7";
            assert_eq!(sweep.missing(), Some((16, place.into())));
        });
    }

    #[test]
    fn a_scenario_is_an_experiment_of_one_point() {
        let e = experiment(&["fifo"], &[]);
        assert_eq!((e.id.as_str(), e.title.as_str(), e.named()), ("small", "small", "folder/small.toml"));
        assert_eq!((e.seeds, e.quick_seeds, e.size(), e.toml.as_str()), (5, 2, 1, SCENARIO));
        assert_eq!(e.beside("x.txt"), Path::new("folder/x.txt"));
        let named = Experiment::of_scenario("a.toml", &format!("name = \"house\"\n{SCENARIO}")).unwrap();
        assert_eq!((named.id.as_str(), named.title.as_str()), ("a", "house"));
        assert!(Experiment::of_scenario("a.toml", "duration = 1\n").is_err());
        let usual = Experiment::of_scenario("a.toml", SCENARIO).unwrap();
        assert_eq!(
            usual.queues.iter().map(|q| q.label.as_str()).collect::<Vec<_>>(),
            airtab_scenario::USUAL_QUEUES
        );
    }

    #[test]
    fn values_of_a_command_line_are_toml_or_text() {
        let text = |text: &str| Toml::from(text);
        for (written, value) in [
            ("3", Toml::Integer(3)),
            (" 7 ", Toml::Integer(7)),
            ("1.5", Toml::Float(1.5)),
            ("true", Toml::Boolean(true)),
            ("5ms", text("5ms")),
            (" 5ms ", text("5ms")),
            ("\"5ms\"", text("5ms")),
            ("[1, 2]", Toml::Array(vec![1.into(), 2.into()])),
            ("1\nw = 2", text("1\nw = 2")),
            ("two words", text("two words")),
        ] {
            assert_eq!(read_value(written), value, "{written}");
        }
        let mut e = experiment(&["fifo"], &[("app.g.start", &["1ms", "2"])]);
        let axis = &e.axes[0];
        assert_eq!(
            (axis.name.as_str(), axis.label.as_str(), axis.log),
            ("app.g.start", "app.g.start", false)
        );
        let values: Vec<_> = axis.values.iter().map(|v| (v.text.as_str(), v.x)).collect();
        assert_eq!(values, [("1ms", Some(1.0)), ("2", Some(2.0))]);
        // What an axis sets is not set by anything else.
        let said = |result: Result<(), SweepError>| result.unwrap_err().to_string();
        assert_eq!(
            said(e.set("app.g.start", "3ms")),
            "--set app.g.start=3ms: axis `app.g.start` sets it already"
        );
        assert_eq!(
            said(e.vary("app.g.start", &["3ms"])),
            "--axis app.g.start: axis `app.g.start` sets it already"
        );
        assert!(
            said(e.vary("app.g.latency", &["3ms", " "]))
                .starts_with("--axis app.g.latency: an axis needs at least one")
        );
        assert!(
            said(e.set("app.x.start", "3ms"))
                .starts_with("--set app.x.start=3ms: 'app.x.start': no [[app]] 'x'")
        );
        e.set("app.g.latency", "30ms").unwrap();
        assert_eq!(e.scenario["app"][0]["latency"].as_str(), Some("30ms"));
        e.set("queue.fifo.limit", "77").unwrap();
        assert_eq!(e.scenario["queue"]["fifo"]["limit"].as_integer(), Some(77));
        let twice = ["fifo", "red", "fifo"].map(|label| label.parse().unwrap());
        assert_eq!(said(e.under(&twice)), "--queues names fifo twice");
        assert_eq!(e.queues.len(), 1, "as before");
        let server =
            "title = \"t\"\nsource = \"s\"\n[server]\ntask = \"bursts\"\nservice = \"1ms\"\nbursts = 2\n";
        let mut server = super::super::made::parse(server);
        server.set("bursts", "3").unwrap();
        server.set("service", "2ms").unwrap();
        assert_eq!(server.scenario["bursts"].as_integer(), Some(3));
        assert_eq!(server.scenario["service"].as_str(), Some("2ms"));
    }

    #[test]
    fn axes_are_columns_of_results() {
        let e = experiment(&["fifo"], &[("app.g.start", &["1ms", "x"]), ("queue.fifo.limit", &["3", "4"])]);
        assert_eq!(e.columns().map(|columns| columns.len()), Ok(2));
        let of = |name: &str, e: &Experiment| {
            let mut e = e.clone();
            e.axes[1].name = name.into();
            e.columns().map(|_| ()).unwrap_err().to_string()
        };
        for name in COLUMNS {
            assert!(of(name, &e).starts_with(&format!("axis '{name}': results have a column of that name")));
        }
        let mut many = e;
        let value = many.axes[0].values[0].clone();
        many.axes[0].values = vec![value.clone(); 50_000];
        assert!(many.columns().is_ok(), "50,000 x 2");
        many.axes[0].values.push(value);
        assert!(
            many.columns().map(|_| ()).unwrap_err().to_string().starts_with("100002 points: at most 100000")
        );
    }
}
