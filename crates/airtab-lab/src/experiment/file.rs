// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The TOML files of experiments. Nothing that is wrong or unknown passes;
//! `docs/experiments.md` lists every key.
//!
//! What it does not do: the scenario is put together and checked by `compose`.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use airtab_core::{Discipline, Unit};
use airtab_scenario::reader::{
    Document, Form, Section, Value, flag, instead, instead_of_many, quantity, text, unused,
};
use airtab_scenario::{ACCESS_POINT, FileError, Metric, QueueSpec, USUAL_QUEUES, named_files, read_text};
use toml::Value as Toml;
use toml::de::{DeTable, DeValue};

use super::sweep::most_points;
use super::workload::Kind;
use super::{
    Axis, AxisValue, DEFAULT_SEEDS, Experiment, ModelTask, ServerTask, check, compose, course, figure, range,
    scatter, until,
};
use crate::compare::NODE;

/// Far above any experiment.
const MAX_FILE_MIB: u64 = 4;
/// Points of one experiment: more than anybody looks at.
pub(super) const MAX_POINTS: usize = 10_000;
/// Bases of one experiment, each the base of the next.
const MOST_BASES: u8 = 4;

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be held against a source.
    Judge,
    /// To be swept.
    Sweep,
}

/// Gives the text of a file.
type Read<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

impl Experiment {
    /// Reads a file; the one that it is based on is looked for beside it, then among those of the repository.
    ///
    /// # Errors
    /// It cannot be read, or something in it is wrong: then all problems are
    /// listed with their places.
    pub fn load(path: &Path) -> Result<Experiment, FileError> {
        let text = text_of(path, "an experiment (TOML)")?;
        Experiment::of_text(path, &text)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// As [`Experiment::load`].
    pub fn of_text(path: &Path, text: &str) -> Result<Experiment, FileError> {
        Experiment::parse_beside(path, text, Purpose::Judge)
    }

    /// Reads a file to be swept: it needs neither a title nor a source, and may have more points. One that is a scenario
    /// is one without axes.
    ///
    /// # Errors
    /// As [`Experiment::load`].
    pub fn load_sweep(path: &Path) -> Result<Experiment, FileError> {
        let text = text_of(path, "an experiment or a scenario (TOML)")?;
        Experiment::sweep_of_text(path, &text)
    }

    /// Reads the text of a file to be swept.
    ///
    /// # Errors
    /// As [`Experiment::load`].
    pub fn sweep_of_text(path: &Path, text: &str) -> Result<Experiment, FileError> {
        // What only scenarios have at their top, where experiments have it in a table.
        let scenario = |table: &toml::Table| {
            !["scenario", "base", "server", "model"]
                .iter()
                .any(|key| table.get(*key).is_some_and(|v| !v.is_array()))
                && ["app", "station", "duration"].iter().any(|key| table.contains_key(*key))
        };
        match toml::from_str::<toml::Table>(text).is_ok_and(|table| scenario(&table)) {
            true => Experiment::of_scenario(path, text),
            false => Ok(Experiment::parse_beside(path, text, Purpose::Sweep)?.without_checks()),
        }
    }

    /// Reads the text of a file; the one that it is based on is looked for beside it.
    fn parse_beside(path: &Path, text: &str, purpose: Purpose) -> Result<Experiment, FileError> {
        let file = path.display().to_string();
        let folder = path.parent().unwrap_or(Path::new(""));
        let own = |path: &Path| super::embedded(path.strip_prefix(folder).unwrap_or(path)).ok();
        let beside = |path: &Path| read_text(path, MAX_FILE_MIB, "an experiment (TOML)");
        let read = |path: &Path| beside(path).or_else(|reason| own(path).ok_or(reason));
        let read = Experiment::parse(path, &id_of(path), text, &read, purpose)?;
        Ok(Experiment { named: file, ..read })
    }

    /// Reads the text of `file`; `read` gives the texts of files beside it.
    pub(super) fn parse(
        file: impl AsRef<Path>,
        id: &str,
        text: &str,
        read: Read,
        purpose: Purpose,
    ) -> Result<Experiment, FileError> {
        let file = file.as_ref();
        let name = file.display().to_string();
        let document = Document::new(&name, text);
        let found = match DeTable::parse(text) {
            Ok(table) => read_file(file, id, text, &Section::top(&document, table.get_ref()), read, purpose),
            Err(e) => {
                document.problem(e.span().unwrap_or(0..0), e.message().replace('\n', ", "));
                None
            }
        };
        match (found, document.into_problems()) {
            (Some(experiment), problems) if problems.is_empty() => Ok(experiment),
            (_, problems) => Err(FileError::Wrong(problems)),
        }
    }
}

/// The text of a file that should be `what`.
fn text_of(path: &Path, what: &str) -> Result<String, FileError> {
    let unreadable = |reason| FileError::Unreadable { file: path.display().to_string(), reason };
    read_text(path, MAX_FILE_MIB, what).map_err(unreadable)
}

/// The name of the file; one of the repository's families has its folder in front.
fn id_of(path: &Path) -> String {
    let name = |path: &Path| path.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    // What `experiment run --out` leaves of NAME.toml is NAME.experiment.toml, and is the same experiment.
    let name = |path: &Path| name(path).trim_end_matches(".experiment").to_string();
    let family = path.parent().filter(|family| family.parent().is_some_and(|f| f.ends_with("experiments")));
    family.map_or(name(path), |family| format!("{}/{}", name(family), name(path)))
}

/// None where something that must be there is missing; every problem is noted.
pub(super) fn read_file(
    file: &Path,
    id: &str,
    toml: &str,
    top: &Section,
    read: Read,
    purpose: Purpose,
) -> Option<Experiment> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let said = |key, otherwise: &str| match purpose {
        Purpose::Judge => top.require(key, text),
        Purpose::Sweep => Some(top.read(key, text).unwrap_or_else(|| otherwise.into())),
    };
    let title = said("title", id);
    let source = said("source", "");
    let about = top.read("about", text).unwrap_or_default();
    let study = top.read("study", text);
    let class = top.read("class", check::class);
    let live = top.read("live", flag).unwrap_or(false);
    let seeds = top.read("seeds", quantity(Unit::Count, 1..=100_000)).unwrap_or(DEFAULT_SEEDS);
    let quick_seeds = top.read("quick_seeds", quantity(Unit::Count, 1..=seeds)).unwrap_or(seeds.min(2));
    let queues = top.read("queues", |v| read_queues(v));
    let queues = queues.unwrap_or_else(usual_queues);
    let server = top.read("server", table);
    let model = top.read("model", table);
    let base = top.read("base", |v| read_base(folder, &text(v)?, read, MOST_BASES));
    let own = top.read("scenario", table);
    let home = own.is_some() || base.is_some();
    let given = [home, server.is_some(), model.is_some()].into_iter().filter(|given| *given).count();
    if given != 1 && top.is_fine() {
        let message = "no scenario: name a file as `base`, write a table [scenario], or both; or a table [server] or [model]";
        top.problem(if given > 1 {
            "give one of a scenario, [server] and [model]".into()
        } else {
            message.into()
        });
    }
    let (kind, scenario) = match (server, model) {
        (Some(server), _) => (Kind::Server, server),
        (_, Some(model)) => (Kind::Model, model),
        _ => (Kind::Home, compose::merged(base.unwrap_or_default(), own.unwrap_or_default())),
    };
    if live && kind != Kind::Home {
        top.problem_of("live", "is about a scenario: servers and models have no clock");
    }
    let axes = read_axes(top, &scenario, most_points(purpose == Purpose::Sweep));
    let names = Names { apps: apps(top, &scenario, kind), queues: &queues, axes: &axes };
    let remarks = top.section("remarks").map(|s| read_remarks(&s, &names)).unwrap_or_default();
    let figures = top.sections("figure");
    let figures = figures.iter().filter_map(|s| figure::read(s, &names)).collect();
    let courses = top.sections("course");
    let courses = courses.iter().filter_map(|s| course::read(s, &names)).collect();
    let scatters = top.sections("scatter");
    let scatters = scatters.iter().filter_map(|s| scatter::read(s, &names)).collect();
    let checks = top.sections("check");
    let checks = checks.iter().filter_map(|s| check::read(s, &names, class)).collect();
    let until = (purpose == Purpose::Sweep).then(|| top.section("until")).flatten();
    let until = until.and_then(|s| until::read(&s, &names));
    top.finish();
    Some(Experiment {
        id: id.into(),
        title: title?,
        source: source?,
        about: about.trim().into(),
        study: study.unwrap_or_else(|| id.split_once('/').map_or(String::new(), |(family, _)| family.into())),
        remarks,
        live,
        seeds,
        quick_seeds,
        queues,
        axes,
        figures,
        courses,
        scatters,
        checks,
        until,
        toml: toml.into(),
        scenario,
        kind,
        plain: false,
        folder: folder.into(),
        named: id.into(),
    })
}

/// Key of a remark that compares several disciplines.
const COMPARISON: &str = "comparison";

/// `[remarks]`: paragraphs by the discipline or metric that they are about, or `comparison`.
fn read_remarks(s: &Section, names: &Names) -> BTreeMap<String, String> {
    s.asks_any(text);
    let mut remarks = BTreeMap::new();
    for key in s.keys() {
        let remark = s.read(key, text);
        let labels = names.labels();
        let subjects: Vec<&str> = labels.iter().map(String::as_str).chain([COMPARISON]).collect();
        let known = subjects.contains(&key) || airtab_core::disciplines().any(|d| d.name() == key);
        if known || Metric::named(key).is_some() {
            remarks.extend(remark.map(|remark| (key.to_string(), remark.trim().to_string())));
        } else {
            s.problem_of(
                key,
                &format!("is not a discipline, a metric or {COMPARISON}{}", instead(key, &subjects)),
            );
        }
    }
    s.finish();
    remarks
}

fn table(v: &Value) -> Result<toml::Table, String> {
    v.takes(|| Form::Table);
    match from_de(v.value) {
        Toml::Table(table) => Ok(table),
        _ => Err("is not a table".into()),
    }
}

/// Names of the applications, which for a server or a model are those of its task.
fn apps(top: &Section, scenario: &toml::Table, kind: Kind) -> Vec<String> {
    names_of_apps(scenario, kind).map_err(|e| top.problem(e)).unwrap_or_default()
}

/// The same without a place to tell a problem of.
fn names_of_apps(scenario: &toml::Table, kind: Kind) -> Result<Vec<String>, String> {
    match kind {
        Kind::Home => {
            let apps = compose::names(scenario, "app");
            let windows = scenario.get("windows").and_then(Toml::as_table);
            let windows = windows.into_iter().flat_map(|windows| windows.keys());
            let inside = windows.flat_map(|window| apps.iter().map(move |app| format!("{app}@{window}")));
            Ok(apps.iter().cloned().chain(inside).collect())
        }
        Kind::Server => ServerTask::apps_of(scenario),
        Kind::Model => ModelTask::apps_of(scenario),
    }
}

/// What the rest of a file may refer to.
pub(super) struct Names<'a> {
    apps: Vec<String>,
    queues: &'a [QueueSpec],
    pub(super) axes: &'a [Axis],
}

/// Metrics of applications.
pub(super) type Figures = Vec<(String, Metric)>;

impl<'n> Names<'n> {
    /// Those of an experiment that was read.
    pub(super) fn of(experiment: &'n Experiment) -> Names<'n> {
        let apps = names_of_apps(&experiment.scenario, experiment.kind).unwrap_or_default();
        Names { apps, queues: &experiment.queues, axes: &experiment.axes }
    }

    fn known<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        what: &str,
        name: &str,
    ) -> Result<usize, String> {
        let names: Vec<&str> = names.collect();
        let found = names.iter().position(|known| *known == name);
        found.ok_or_else(|| format!("no {what} '{name}'{}", instead(name, &names)))
    }

    pub(super) fn queue(&self, v: &Value) -> Result<String, String> {
        let i =
            self.known(self.queues.iter().map(|q| q.label.as_str()), "discipline in `queues`", &v.written)?;
        Ok(self.queues[i].label.clone())
    }

    /// All disciplines.
    pub(super) fn labels(&self) -> Vec<String> {
        self.queues.iter().map(|q| q.label.clone()).collect()
    }

    /// What a label names.
    pub(super) fn discipline(&self, label: &str) -> Option<Discipline> {
        self.queues.iter().find(|q| q.label == label).map(QueueSpec::discipline)
    }

    pub(super) fn axis(&self, name: &str) -> Result<usize, String> {
        self.known(self.axes.iter().map(|a| a.name.as_str()), "axis", name)
    }

    /// Name of an application.
    pub(super) fn app(&self, v: &Value) -> Result<String, String> {
        let i = self.known(self.apps.iter().map(String::as_str), "application", &v.written)?;
        Ok(self.apps[i].clone())
    }

    /// `"game.game_mos"`; `"node/n1.drop_share_ratio"` of a mesh; `"game@late.game_mos"`: in a window; `"tcp*.goodput_bits_per_second"`: of each application whose
    /// name begins so, and `"tcp*@late.goodput_bits_per_second"` in a window.
    pub(super) fn metric(&self, written: &str) -> Result<Figures, String> {
        let wrong = || format!("'{written}' is not application.metric, such as \"game.game_mos\"");
        let (app, metric) = written.split_once('.').ok_or_else(wrong)?;
        let apps = self.apps.iter().map(String::as_str).chain([ACCESS_POINT]);
        let some = match app.split_once('*') {
            Some((begin, window)) => {
                let fits = |app: &&String| {
                    let (name, inside) = app.split_at(app.find('@').unwrap_or(app.len()));
                    name.starts_with(begin) && inside == window
                };
                self.apps.iter().filter(fits).cloned().collect()
            }
            None => Vec::new(),
        };
        // Which nodes there are may be an axis.
        if some.is_empty() && !app.starts_with(NODE) {
            self.known(apps, "application", app)?;
        }
        let metric = Metric::named(metric).ok_or_else(|| {
            let known: Vec<&str> = Metric::usual().map(Metric::name).collect();
            format!("no metric '{metric}'{}", instead_of_many(metric, &known, "airtab schema results"))
        })?;
        Ok(match some.is_empty() {
            true => vec![(app.into(), metric)],
            false => some.into_iter().map(|app| (app, metric)).collect(),
        })
    }

    /// One, or a list of them, each with its application as written: what `*` stands for is one of them.
    pub(super) fn metrics_as_written(&self, v: &Value) -> Result<Vec<(String, Figures)>, String> {
        let app = |written: &String| written.split('.').next().unwrap_or_default().to_string();
        some_items(v)?.iter().map(|written| Ok((app(written), self.metric(written)?))).collect()
    }

    /// One, or a list of them, one by one.
    pub(super) fn metrics(&self, v: &Value) -> Result<Vec<(String, Metric)>, String> {
        let all = some_items(v)?.iter().map(|written| self.metric(written)).collect::<Result<Vec<_>, _>>()?;
        let all = all.concat();
        match all.iter().find(|(_, metric)| metric.quotient().is_some()) {
            Some((_, quotient)) if all.iter().any(|(_, metric)| metric != quotient) => Err(format!(
                "sums {} and another metric: a quotient goes with others of its kind alone",
                quotient.name()
            )),
            _ => Ok(all),
        }
    }

    pub(super) fn queues(&self, v: &Value) -> Result<Vec<String>, String> {
        let one = |label: &String| match self.queues.iter().any(|q| q.label == *label) {
            true => Ok(label.clone()),
            false => Err(format!("no discipline '{label}' in `queues`")),
        };
        some_items(v)?.iter().map(one).collect()
    }

    /// `at = { q = [35, 70] }`: axes and the numbers of their values.
    pub(super) fn at(&self, s: &Section) -> Option<Vec<(usize, Vec<usize>)>> {
        let Some(at) = s.section("at") else { return Some(Vec::new()) };
        at.asks_any(some_items);
        let mut chosen = Vec::new();
        for key in at.keys() {
            let Ok(axis) = self.axis(key) else {
                let known: Vec<&str> = self.axes.iter().map(|a| a.name.as_str()).collect();
                at.unknown(key, "no such axis", &known);
                continue;
            };
            let values = &self.axes[axis].values;
            let one = |written: &String| {
                let known: Vec<&str> = values.iter().map(|v| v.text.as_str()).collect();
                // Where the axis itself is wrong, that is problem enough.
                let found = known.iter().position(|text| text == written).or(known.is_empty().then_some(0));
                found.ok_or_else(|| {
                    format!("'{written}' is no value of that axis{}", instead(written, &known))
                })
            };
            let read = at.read(key, |v| some_items(v)?.iter().map(one).collect::<Result<Vec<_>, _>>());
            chosen.push((axis, read?));
        }
        Some(chosen)
    }
}

/// Where nothing else is asked for.
pub(super) fn usual_queues() -> Vec<QueueSpec> {
    USUAL_QUEUES.iter().map(|name| name.parse().expect("the name of a discipline")).collect()
}

fn read_queues(v: &Value) -> Result<Vec<QueueSpec>, String> {
    let queues: Vec<QueueSpec> = items(v).iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    for (i, q) in queues.iter().enumerate() {
        if queues[..i].iter().any(|other| other.label == q.label) {
            return Err(format!("names '{}' twice", q.label));
        }
    }
    match queues.is_empty() {
        true => Err("is empty: name at least one discipline".into()),
        false => Ok(queues),
    }
}

/// Reads the file `written` in `folder`, on top of its own base; at most `most` files.
fn read_base(folder: &Path, written: &str, read: Read, most: u8) -> Result<toml::Table, String> {
    let path = folder.join(written);
    let place = path.display();
    let text = read(&path).map_err(|reason| format!("{place}: {reason}"))?;
    let mut own: toml::Table =
        toml::from_str(&text).map_err(|e| format!("{place}: {}", e.message().replace('\n', ", ")))?;
    let below = match own.remove("base") {
        None => toml::Table::new(),
        Some(_) if most <= 1 => {
            return Err(format!("{place}: base: more than {MOST_BASES} bases, one on the other"));
        }
        Some(Toml::String(base)) => read_base(path.parent().unwrap_or(Path::new("")), &base, read, most - 1)?,
        Some(other) => return Err(format!("{place}: base: {other} is not the name of a file")),
    };
    let mut base = compose::merged(below, own);
    // What it names is beside it, as where it is run by itself.
    if let Some(beside) = Path::new(written).parent() {
        named_files(&mut base, &mut |_, name| *name = beside.join(&*name).display().to_string());
    }
    Ok(base)
}

fn read_axes(top: &Section, scenario: &toml::Table, most: usize) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for s in top.sections("axis") {
        let name = s.require("name", |v| unused(v, &axes, |axis: &Axis| &axis.name)).unwrap_or_default();
        let shown = s.read("label", text).unwrap_or_else(|| name.clone());
        let log = s.read("log", flag).unwrap_or(false);
        let keys = s.require("keys", |v| {
            let keys = some_items(v)?;
            keys.iter().try_for_each(|key| compose::find(scenario, key).map(|_| ()))?;
            Ok(keys)
        });
        let keys = keys.unwrap_or_default();
        let texts = s.read("names", |v| Ok(items(v))).unwrap_or_default();
        let xs = s.read("x", |v| {
            let number = |x: &String| x.parse::<f64>().map_err(|_| format!("'{x}' is not a number"));
            items(v).iter().map(number).collect::<Result<Vec<f64>, _>>()
        });
        let range = s.section("range").and_then(|range| range::read(&range, most));
        let values = match range {
            Some(items) => {
                if s.get("values").is_some() {
                    s.problem_of("values", "is there beside `range`: give one of them");
                }
                let items = items.iter().map(|item| of_range(item)).collect();
                read_values(items, &keys, &texts, xs.as_deref()).map_err(|e| s.problem_of("range", &e)).ok()
            }
            // Where a range is wrong, that is problem enough.
            None if s.get("range").is_some() => None,
            None => s.require("values", |v| {
                let list = v.value.as_array().ok_or("is not a list of values")?;
                let items = list.iter().map(|item| from_de(item.get_ref())).collect();
                read_values(items, &keys, &texts, xs.as_deref())
            }),
        };
        s.finish();
        axes.push(Axis { name, label: shown, log, keys, values: values.unwrap_or_default() });
    }
    let points: u128 = axes.iter().map(|axis| axis.values.len() as u128).product();
    if points > most as u128 {
        top.problem(format!("{points} points: at most {most}"));
    }
    axes
}

/// A value of a range: a number, or text if it has a unit.
fn of_range(item: &str) -> Toml {
    let whole = item.parse().map(Toml::Integer);
    whole.or_else(|_| item.parse().map(Toml::Float)).unwrap_or_else(|_| item.into())
}

pub(super) fn read_values(
    list: Vec<Toml>,
    keys: &[String],
    names: &[String],
    xs: Option<&[f64]>,
) -> Result<Vec<AxisValue>, String> {
    if list.is_empty() {
        return Err("is empty: an axis needs at least one value".into());
    }
    let wrong_length = |what: &str, n: usize| Err(format!("has {} values, `{what}` has {n}", list.len()));
    if !names.is_empty() && names.len() != list.len() {
        return wrong_length("names", names.len());
    }
    if let Some(xs) = xs.filter(|xs| xs.len() != list.len()) {
        return wrong_length("x", xs.len());
    }
    let mut values: Vec<AxisValue> = Vec::with_capacity(list.len());
    let mut known = HashSet::new();
    for (i, value) in list.into_iter().enumerate() {
        let set = match value {
            Toml::Array(each) if keys.len() > 1 && each.len() == keys.len() => each,
            Toml::Array(each) if keys.len() > 1 => {
                return Err(format!("value {}: {} of them for {} keys", i + 1, each.len(), keys.len()));
            }
            // Where a key is wrong, that is problem enough.
            one => vec![one; keys.len().max(1)],
        };
        let written = set.first().map_or(String::new(), written);
        let text = names.get(i).cloned().unwrap_or(written);
        if !known.insert(text.clone()) {
            return Err(format!("'{text}' is there twice; give the values different `names`"));
        }
        let x = xs.map_or_else(|| position(&text), |xs| Some(xs[i]));
        values.push(AxisValue { text, x, set });
    }
    Ok(values)
}

/// The elements of a list, or the value itself, without quotes.
pub(super) fn items(v: &Value) -> Vec<String> {
    match from_de(v.value) {
        Toml::Array(list) => list.iter().map(written).collect(),
        one => vec![written(&one)],
    }
}

/// The same, where at least one is needed.
fn some_items(v: &Value) -> Result<Vec<String>, String> {
    Some(items(v)).filter(|items| !items.is_empty()).ok_or_else(|| "is empty: it names nothing".into())
}

/// As in the file, without quotes.
fn written(value: &Toml) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// The number in front of a unit.
fn position(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/' || c == ' ');
    digits.parse().ok()
}

/// A value with its places forgotten.
fn from_de(value: &DeValue) -> Toml {
    match value {
        DeValue::Table(table) => {
            let entries =
                table.iter().map(|(key, value)| (key.get_ref().to_string(), from_de(value.get_ref())));
            Toml::Table(entries.collect())
        }
        DeValue::Array(list) => Toml::Array(list.iter().map(|item| from_de(item.get_ref())).collect()),
        DeValue::Boolean(flag) => Toml::Boolean(*flag),
        DeValue::Datetime(time) => Toml::Datetime(*time),
        DeValue::String(text) => Toml::String(text.to_string()),
        // As the text says; what is too large for the type stays text, and is refused where it is used.
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Toml::String(number.as_str().into()), Toml::Integer),
        DeValue::Float(number) => {
            number.as_str().parse().map_or_else(|_| Toml::String(number.as_str().into()), Toml::Float)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{HOME, parse, read};
    use super::*;

    fn text(lines: &str) -> String {
        format!("title = \"t\"\nsource = \"s\"\n{lines}\n{HOME}")
    }

    #[test]
    fn an_experiment_is_called_as_its_file() {
        for (path, id) in [
            ("mine.toml", "mine"),
            ("a/mine.experiment.toml", "mine"),
            ("experiments/chap/link.toml", "chap/link"),
            ("/root/experiments/chap/link.toml", "chap/link"),
            ("experiments/link.toml", "link"),
            ("experiments/chap/base/link.toml", "link"),
            ("chap/link.toml", "link"),
        ] {
            assert_eq!(id_of(Path::new(path)), id, "{path}");
        }
    }

    #[test]
    fn what_a_file_does_not_say_has_its_default() {
        let e = parse(&text(""));
        assert_eq!((e.seeds, e.quick_seeds, e.live), (5, 2, false));
        assert_eq!(e.queues.iter().map(|q| q.label.as_str()).collect::<Vec<_>>(), USUAL_QUEUES);
        assert_eq!((e.about.as_str(), e.study.as_str(), e.id.as_str(), e.named()), ("", "", "mine", "mine"));
        assert_eq!(parse(&text("seeds = 1")).quick_seeds, 1);
        assert_eq!(parse(&text("seeds = 9")).quick_seeds, 2);
        let full = parse(&text("seeds = 9\nquick_seeds = 4\nabout = \" what \"\nstudy = \"Lee 2010\""));
        assert_eq!((full.seeds, full.quick_seeds), (9, 4));
        assert_eq!((full.about.as_str(), full.study.as_str()), ("what", "Lee 2010"));
        let of = |text: &str, purpose| read("chap/x", text, purpose).map(|e| (e.title, e.source, e.study));
        let told = |words: [&str; 3]| {
            Ok::<_, String>((words[0].to_string(), words[1].to_string(), words[2].to_string()))
        };
        assert_eq!(of(&text(""), Purpose::Judge), told(["t", "s", "chap"]));
        assert_eq!(of(HOME, Purpose::Sweep), told(["chap/x", "", "chap"]));
        assert_eq!(of(&text(""), Purpose::Sweep), told(["t", "s", "chap"]));
        for table in
            ["[model]\ntask = \"constants\"", "[server]\ntask = \"bursts\"\nservice = \"1ms\"\nbursts = 2"]
        {
            let wrong = of(&format!("title = \"t\"\nsource = \"s\"\nlive = true\n{table}\n"), Purpose::Judge);
            assert!(wrong.expect_err(table).contains("servers and models have no clock"), "{table}");
        }
        let wrong = of(HOME, Purpose::Judge).expect_err("it has no title");
        assert!(wrong.contains("`title`") && wrong.contains("`source`"), "{wrong}");
    }

    /// Values as they are set, by which checks name them, and where figures put them.
    #[test]
    fn values_of_an_axis_are_numbers_and_texts() {
        let axis = |lines: &str| {
            let text = format!("{}\n[[axis]]\nname = \"a\"\n{lines}\n", text(""));
            let axis = read("mine", &text, Purpose::Judge)?.axes.remove(0);
            Ok::<_, String>(axis.values.into_iter().map(|v| (v.text, v.x, v.set)).collect::<Vec<_>>())
        };
        let one = |text: &str, x, set: Toml| (text.to_string(), x, vec![set]);
        assert_eq!(
            axis("keys = \"app.g.start\"\nvalues = [0x10, 1_000, 1.5, \"5ms\", true, \"1.5 Mb/s\", \"-2\"]")
                .unwrap(),
            [
                one("16", Some(16.0), 16.into()),
                one("1000", Some(1000.0), 1000.into()),
                one("1.5", Some(1.5), 1.5.into()),
                one("5ms", Some(5.0), "5ms".into()),
                one("true", None, true.into()),
                one("1.5 Mb/s", Some(1.5), "1.5 Mb/s".into()),
                one("-2", Some(-2.0), "-2".into()),
            ]
        );
        let two = "keys = [\"app.g.start\", \"app.v.start\"]\n";
        assert_eq!(
            axis(&format!("{two}values = [[\"1s\", \"2s\"], \"3s\", [4, 5]]")).unwrap(),
            [
                ("1s".into(), Some(1.0), vec!["1s".into(), "2s".into()]),
                ("3s".into(), Some(3.0), vec!["3s".into(), "3s".into()]),
                ("4".into(), Some(4.0), vec![4.into(), 5.into()]),
            ]
        );
        let named =
            axis(&format!("{two}values = [[1, 2], [1, 3]]\nnames = [\"two\", \"3\"]\nx = [7, 8.5]")).unwrap();
        assert_eq!(named[0], ("two".into(), Some(7.0), vec![1.into(), 2.into()]));
        assert_eq!(named[1], ("3".into(), Some(8.5), vec![1.into(), 3.into()]));
        for (lines, said) in [
            ("values = [[1, 2], [1, 3]]", "'1' is there twice"),
            ("values = [[1, 2], [1, 2, 3]]\nnames = [\"a\", \"b\"]", "value 2: 3 of them for 2 keys"),
            ("values = [1, 2]\nx = [3]", "has 2 values, `x` has 1"),
            ("values = [1, 2]\nx = [3, \"four\"]", "'four' is not a number"),
            ("values = [1, 2]\nnames = [\"a\", \"b\", \"c\"]", "has 2 values, `names` has 3"),
        ] {
            let wrong = axis(&format!("{two}{lines}")).expect_err(lines);
            assert!(wrong.contains(said), "{lines}: {wrong}");
        }
        // A range makes numbers, or texts where there is a unit.
        let range = |range: &str| axis(&format!("keys = \"app.g.start\"\nrange = {{ {range} }}")).unwrap();
        assert_eq!(range("from = 1, to = 2, count = 2")[1].2, [2.into()]);
        assert_eq!(range("from = 1.5, to = 2.5, count = 2")[1].2, [2.5.into()]);
        assert_eq!(range("from = \"1s\", to = \"2s\", count = 2")[1].2, ["2s".into()]);
    }

    #[test]
    fn what_is_asked_of_names_is_found_or_told() {
        let e = parse(&text(
            "queues = [\"chap:limit=70\", \"fifo\"]\n[[axis]]\nname = \"a\"\nkeys = \"app.g.start\"\nvalues = [1]\n",
        ));
        let names = Names::of(&e);
        let figure = |app: &str, metric| vec![(app.to_string(), metric)];
        assert_eq!(names.metric("g.game_mos"), Ok(figure("g", Metric::GameMos)));
        let windows =
            HOME.replace("measure", "windows = { a = [\"0s\", \"1ms\"], b = [\"0s\", \"2ms\"] }\nmeasure");
        let windows = parse(&text("").replace(HOME, &windows));
        let of = |written: &str| {
            Names::of(&windows)
                .metric(written)
                .map(|of| of.into_iter().map(|(app, _)| app).collect::<Vec<_>>())
        };
        assert_eq!(of("*.loss_ratio"), Ok(vec!["g".into(), "v".into()]));
        assert_eq!(of("*@b.loss_ratio"), Ok(vec!["g@b".into(), "v@b".into()]));
        assert_eq!(of("v*@a.loss_ratio"), Ok(vec!["v@a".into()]));
        assert!(of("*@c.loss_ratio").is_err() && of("x*.loss_ratio").is_err());
        assert_eq!(names.metric("ap.idle_ratio"), Ok(figure("ap", Metric::Idle)));
        assert_eq!(
            names.metric("node/n1.queue_drop_ratio"),
            names.metric("node/n9.queue_drop_ratio").map(|_| figure("node/n1", Metric::QueueDropped))
        );
        let all = names.metric("*.loss_ratio");
        assert_eq!(all, Ok([figure("g", Metric::Loss), figure("v", Metric::Loss)].concat()));
        let wrong = names.metric("g.gane_mos").unwrap_err();
        assert!(wrong.starts_with("no metric 'gane_mos'; did you mean `game_mos`?"), "{wrong}");
        assert_eq!(
            (names.axis("a"), names.labels()),
            (Ok(0), vec!["chap:limit=70".to_string(), "fifo".into()])
        );
        assert_eq!(names.discipline("chap:limit=70").map(|d| d.name()), Some("chap"));
        assert_eq!(names.discipline("chap"), None);
    }

    #[test]
    fn remarks_are_by_discipline_or_metric() {
        let e = parse(&text(
            "queues = [\"chap:limit=70\", \"fifo\"]\n\
             remarks = { \"chap:limit=70\" = \" a \", red = \"b\", game_mos = \"c\", comparison = \"d\" }",
        ));
        let remarks: Vec<(&str, &str)> =
            e.remarks.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        assert_eq!(remarks, [("chap:limit=70", "a"), ("comparison", "d"), ("game_mos", "c"), ("red", "b")]);
    }

    /// A file of a base is where the base is; what an experiment names itself is beside it.
    #[test]
    fn files_of_a_base_are_beside_it() {
        let text = "title = \"t\"\nsource = \"s\"\nbase = \"base/b.toml\"\n[scenario]\n\
                    app = [{ name = \"own\", kind = \"video\", trace = \"own.txt\", station = \"s\" }]\n";
        let base = "app = [{ name = \"film\", kind = \"video\", trace = \"t.txt\", station = \"s\" }]\n";
        let read = |path: &Path| match path == Path::new("folder/base/b.toml") {
            true => Ok(base.to_string()),
            false => Err(format!("no {}", path.display())),
        };
        let e = Experiment::parse("folder/x.toml", "x", text, &read, Purpose::Judge)
            .unwrap_or_else(|e| panic!("{e}"));
        let traces: Vec<&str> =
            e.scenario["app"].as_array().unwrap().iter().map(|app| app["trace"].as_str().unwrap()).collect();
        assert_eq!(traces, ["base/t.txt", "own.txt"]);
    }

    /// A base on top of a base: the upper one wins, and files of each are beside it. Bases in a circle end.
    #[test]
    fn a_base_can_have_a_base() {
        let parse = |base: &str, top: &str| {
            let text = format!("title = \"t\"\nsource = \"s\"\nbase = \"{base}\"\n[scenario]\n{top}\n");
            let read = |path: &Path| {
                match path.to_str() {
                Some("a/base/home.toml") => Ok("base = \"../../b/base/chap.toml\"\nduration = \"2s\"\n\
                    queue.chap = { limit = 35 }\napp = [{ name = \"film\", kind = \"video\", trace = \"t.txt\" }]"
                    .into()),
                Some("a/base/../../b/base/chap.toml") => Ok("duration = \"1s\"\nqueue.chap = { target = \"5ms\", \
                    limit = 70 }\napp = [{ name = \"other\", kind = \"video\", trace = \"u.txt\" }]"
                    .into()),
                Some("a/base/number.toml") => Ok("base = 3".into()),
                Some(path) if path.ends_with("circle.toml") => Ok("base = \"circle.toml\"".into()),
                _ => Err(format!("no {}", path.display())),
            }
            };
            let e = Experiment::parse("a/x.toml", "x", &text, &read, Purpose::Judge);
            e.map(|e| e.scenario).map_err(|e| e.to_string())
        };
        let expected = "duration = \"2s\"\nqueue.chap = { limit = 35, target = \"20ms\" }\napp = [\
            { name = \"other\", kind = \"video\", trace = \"base/../../b/base/u.txt\" },\
            { name = \"film\", kind = \"video\", trace = \"base/t.txt\" }]";
        let on_top = parse("base/home.toml", "queue.chap.target = \"20ms\"").unwrap();
        assert_eq!(on_top, toml::from_str(expected).unwrap());
        for (base, said) in [
            ("base/number.toml", "a/base/number.toml: base: 3 is not the name of a file"),
            ("base/none.toml", "no a/base/none.toml"),
            ("base/circle.toml", "a/base/circle.toml: base: more than 4 bases, one on the other"),
        ] {
            let wrong = parse(base, "").unwrap_err();
            assert!(wrong.contains(said), "{wrong}");
        }
    }

    /// A scenario is swept as one, also if it has servers; a file of an experiment loses what only judges and draws.
    #[test]
    fn what_is_swept_is_a_scenario_or_an_experiment() {
        let folder = tempfile::tempdir().unwrap();
        let load = |text: &str| {
            let path = folder.path().join("it.toml");
            std::fs::write(&path, text).unwrap();
            let e = Experiment::load_sweep(&path).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!((e.named(), e.id.as_str()), (path.to_str().unwrap(), "it"));
            e
        };
        let own = "name = \"mine\"\nduration = \"9s\"\nstation = [{ name = \"s\" }]\nserver = [{ name = \"far\" }]\n\
                   app = [{ name = \"g\", kind = \"game\", station = \"s\", server = \"far\" }]\n";
        let scenario = load(own);
        assert_eq!((scenario.plain, scenario.title.as_str(), scenario.toml.as_str()), (true, "mine", own));
        // What lacks a key of a scenario is one nevertheless, and told so.
        let path = folder.path().join("short.toml");
        std::fs::write(&path, own.replace("duration = \"9s\"\n", "")).unwrap();
        let wrong = Experiment::load_sweep(&path).map(|_| ()).unwrap_err().to_string();
        assert!(wrong.contains("the file lacks the key `duration`"), "{wrong}");
        let check = "[[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"r\"\nof = \"g.game_mos\"\nqueue = \"fifo\"\nleast = 0\n\
                     [[figure]]\ntitle = \"f\"\ny = \"g.game_mos\"\n[[course]]\ntitle = \"c\"\ny = \"queue\"\n\
                     [[scatter]]\ntitle = \"c\"\ny = \"pages\"\napp = \"g\"\n[remarks]\nfifo = \"r\"\n";
        let experiment = load(&format!("{}{check}", text("")));
        assert_eq!((experiment.plain, experiment.title.as_str()), (false, "t"));
        let left = [
            experiment.checks.len(),
            experiment.figures.len(),
            experiment.courses.len(),
            experiment.scatters.len(),
            experiment.remarks.len(),
        ];
        assert_eq!(left, [0; 5]);
        let server = "[server]\ntask = \"bursts\"\nservice = \"1ms\"\nbursts = 2\n";
        assert!(
            load(server).kind == Kind::Server && load("[model]\ntask = \"constants\"\n").kind == Kind::Model
        );
    }
}
