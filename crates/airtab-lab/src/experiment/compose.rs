// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! From an experiment to scenarios: the shared base, what the experiment says
//! on top of it, and the values of a point on top of that. What comes out is
//! read as any scenario file is, with all of its checks.
//!
//! What it does not do: no key is known here, but that `[[station]]` and
//! `[[app]]` have names, and `live`, which is the runner's.

use std::path::PathBuf;

use airtab_scenario::reader::{Problem, instead};
use airtab_scenario::{FileError, open_file, path_words};
use toml::{Table, Value};

use super::Experiment;
use super::workload::{Kind, Workload};

/// Key of an axis that sets who runs a point of a live experiment: `true` the
/// live access point, `false` the simulator.
const LIVE: &str = "live";

/// One combination of the axes' values.
#[derive(Clone, Debug)]
pub struct Point {
    /// The number of the value of each axis.
    pub at: Vec<usize>,
    /// What is run there.
    pub workload: Workload,
    /// Whether in real time.
    pub live: bool,
}

/// The text of what is run at a point.
pub(super) struct Written {
    /// In messages; its folder is where files that it names are looked for.
    pub(super) file: PathBuf,
    /// TOML.
    pub(super) text: String,
}

impl Experiment {
    /// Every combination of the axes' values, the last axis fastest.
    ///
    /// # Errors
    /// A value that the scenario does not take, with the point where it is.
    pub fn points(&self) -> Result<Vec<Point>, FileError> {
        self.combinations().map(|at| self.point(at)).collect()
    }

    /// How many points there are.
    pub fn size(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// The numbers of the values of each point.
    pub(super) fn combinations(&self) -> impl Iterator<Item = Vec<usize>> {
        (0..self.size()).map(|number| {
            let mut rest = number;
            let mut at = vec![0; self.axes.len()];
            for (place, axis) in at.iter_mut().zip(&self.axes).rev() {
                (*place, rest) = (rest % axis.values.len(), rest / axis.values.len());
            }
            at
        })
    }

    pub(super) fn point(&self, at: Vec<usize>) -> Result<Point, FileError> {
        let (written, live) = self.written(&at)?;
        let workload = Workload::read(self.kind, &written.file, &written.text, &open_file);
        let workload = workload.map_err(|e| match e {
            // Lines of a text that nobody wrote say nothing: what is wrong in them does.
            FileError::Wrong(problems) => {
                let place = self.point_of(&at);
                FileError::Wrong(
                    problems.into_iter().map(|p| Problem::of_file(&place, message(&p))).collect(),
                )
            }
            unreadable => unreadable,
        })?;
        Ok(Point { at, workload, live })
    }

    /// Itself, and the values of a point.
    fn point_of(&self, at: &[usize]) -> String {
        match self.place(at) {
            place if place.is_empty() => self.id.clone(),
            place => format!("{}, at {place}", self.id),
        }
    }

    /// What is run at a point, as text, and whether in real time.
    pub(super) fn written(&self, at: &[usize]) -> Result<(Written, bool), FileError> {
        let mut scenario = self.scenario.clone();
        for (axis, i) in self.axes.iter().zip(at) {
            for (key, value) in axis.keys.iter().zip(&axis.values[*i].set) {
                set(&mut scenario, key, value.clone());
            }
        }
        let place = self.point_of(at);
        // Not the scenario's: who runs it.
        let live = match self.live.then(|| scenario.remove(LIVE)).flatten() {
            None => self.live,
            Some(Value::Boolean(live)) => live,
            Some(other) => {
                let message = format!("{LIVE}: {other} is neither true nor false");
                return Err(FileError::Wrong(vec![Problem::of_file(&place, message)]));
            }
        };
        let file = match self.kind {
            Kind::Server | Kind::Model => place.into(),
            Kind::Home => {
                scenario
                    .entry("name")
                    .or_insert_with(|| self.id.rsplit('/').next().unwrap_or(&self.id).into());
                self.folder.join("scenario.toml")
            }
        };
        let text = toml::to_string(&scenario).expect("what was read can be written");
        Ok((Written { file, text }, live))
    }

    /// `q = 35, d = 10`.
    pub fn place(&self, at: &[usize]) -> String {
        let of = |(axis, i): (&super::Axis, &usize)| format!("{} = {}", axis.name, axis.values[*i].text);
        self.axes.iter().zip(at).map(of).collect::<Vec<_>>().join(", ")
    }
}

fn message(problem: &Problem) -> String {
    match problem.text.is_empty() {
        true => problem.message.clone(),
        false => format!("{} (`{}`)", problem.message, problem.text),
    }
}

/// One table on top of another: tables are merged, and so are lists of tables
/// with names, name by name; everything else is replaced.
pub(super) fn merged(mut base: Table, top: Table) -> Table {
    for (key, value) in top {
        let value = match (base.remove(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => Value::Table(merged(below, above)),
            (Some(Value::Array(below)), Value::Array(above)) if has_names(&below) && has_names(&above) => {
                Value::Array(merged_lists(below, above))
            }
            (_, value) => value,
        };
        base.insert(key, value);
    }
    base
}

fn merged_lists(mut below: Vec<Value>, above: Vec<Value>) -> Vec<Value> {
    for entry in above {
        match below.iter_mut().find(|other| other.get("name") == entry.get("name")) {
            Some(other) => {
                if let (Value::Table(old), Value::Table(new)) = (other.clone(), entry) {
                    *other = Value::Table(merged(old, new));
                }
            }
            None => below.push(entry),
        }
    }
    below
}

fn has_names(list: &[Value]) -> bool {
    list.iter().all(|entry| entry.get("name").is_some())
}

/// Names of `[[station]]` or `[[app]]`.
pub(super) fn names(scenario: &Table, list: &str) -> Vec<String> {
    let entries = scenario.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    entries.iter().filter_map(|e| e.get("name")?.as_str()).map(str::to_string).collect()
}

/// The tables on the way to a key such as `app.game.latency` or
/// `queue.chap.limit`, and its last word.
pub(super) fn find(scenario: &Table, key: &str) -> Result<(Vec<String>, String), String> {
    // A name with spaces may go without quotes here.
    let words = path_words(key).unwrap_or_else(|| key.split('.').map(str::to_string).collect());
    let Some((last, way)) = words.split_last().filter(|_| words.iter().all(|w| !w.is_empty())) else {
        return Err(format!("'{key}' is no key of a scenario, such as \"queue.chap.limit\""));
    };
    let in_list = |word: &str| matches!(word, "app" | "station");
    let entries = |list: &str| {
        scenario.get(list).and_then(Value::as_array).filter(|list| list.iter().all(Value::is_table))
    };
    if let [list, number, ..] = words.as_slice()
        && !in_list(list)
        && let Some(entries) = entries(list)
        && entry_at(entries, number).is_none()
    {
        return Err(format!("'{key}': no [[{list}]] '{number}': they have numbers, 1 to {}", entries.len()));
    }
    if let [list, name] = way
        && in_list(list)
    {
        let known = names(scenario, list);
        if !known.iter().any(|n| n == name) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(format!("'{key}': no [[{list}]] '{name}'{}", instead(name, &known)));
        }
    } else if in_list(&words[0]) {
        return Err(format!("'{key}': name the {0}, as in \"{0}.NAME.key\"", words[0]));
    }
    Ok((way.to_vec(), last.clone()))
}

/// Place of an entry by its name, or by its number from 1 on where entries have no names.
fn entry_at(list: &[Value], name: &str) -> Option<usize> {
    let named = list.iter().position(|entry| entry.get("name").and_then(Value::as_str) == Some(name));
    let number = || name.parse::<usize>().ok().filter(|n| (1..=list.len()).contains(n));
    named.or_else(|| number().filter(|_| list.iter().all(|entry| entry.get("name").is_none())).map(|n| n - 1))
}

/// Sets a key that [`find`] has accepted.
pub(super) fn set(scenario: &mut Table, key: &str, value: Value) {
    let (way, last) = find(scenario, key).expect("checked when the axis was read");
    let mut table = scenario;
    let mut words = way.into_iter();
    while let Some(word) = words.next() {
        let next = table.entry(word).or_insert_with(|| Value::Table(Table::new()));
        let next = match next {
            Value::Array(list) => {
                let name = words.next();
                let at = entry_at(list, &name.unwrap_or_default());
                at.map(|at| &mut list[at])
            }
            other => Some(other),
        };
        // What stands in the way of a key, a number say, is replaced: the reader then says what is missing.
        let Some(next) = next else { return };
        if !next.is_table() {
            *next = Value::Table(Table::new());
        }
        table = next.as_table_mut().expect("made sure above");
    }
    table.insert(last, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn entries_without_names_have_numbers() {
        let mut t = table("[[link]]\nfer = 0\n[[link]]\nfer = 0\n[[app]]\nname = \"a\"\n");
        assert_eq!(find(&t, "link.2.fer"), Ok((vec!["link".into(), "2".into()], "fer".into())));
        set(&mut t, "link.2.fer", 0.5.into());
        assert_eq!(t["link"][0]["fer"], 0.into());
        assert_eq!(t["link"][1]["fer"], 0.5.into());
        for number in ["0", "3", "x"] {
            let said = find(&t, &format!("link.{number}.fer")).unwrap_err();
            assert!(said.ends_with(&format!("no [[link]] '{number}': they have numbers, 1 to 2")), "{said}");
        }
        assert!(find(&t, "app.1.start").is_err(), "that one has a name");
    }

    #[test]
    fn what_is_on_top_wins_name_by_name() {
        let base = table(
            "duration = \"1s\"\nqueue.chap = {limit = 35, flows = 9}\napp = [{name = \"a\", class = 1}, {name = \"b\"}]",
        );
        let top = table("queue.chap.limit = 70\napp = [{name = \"a\", kind = \"game\"}, {name = \"c\"}]");
        let both = merged(base, top);
        assert_eq!(
            both,
            table(
                "duration = \"1s\"\nqueue.chap = {limit = 70, flows = 9}\napp = [{name = \"a\", class = 1, kind = \"game\"}, {name = \"b\"}, {name = \"c\"}]"
            )
        );
    }

    #[test]
    fn keys_reach_every_place() {
        let mut t = table("app = [{name = \"a\"}, {name = \"b\"}]\nqueue = 3");
        set(&mut t, "app.b.latency", "5ms".into());
        set(&mut t, "queue.chap.limit", 70.into());
        set(&mut t, "duration", "9s".into());
        assert_eq!(
            t,
            table(
                "app = [{name = \"a\"}, {name = \"b\", latency = \"5ms\"}]\nqueue.chap.limit = 70\nduration = \"9s\""
            )
        );
        for (key, message) in [
            ("app.nobody.latency", "'app.nobody.latency': no [[app]] 'nobody' (known: a, b)"),
            ("app.latency", "'app.latency': name the app, as in \"app.NAME.key\""),
            ("queue..limit", "'queue..limit' is no key of a scenario, such as \"queue.chap.limit\""),
        ] {
            assert_eq!(find(&t, key).unwrap_err(), message);
        }
    }

    #[test]
    fn lists_without_names_are_replaced() {
        for (base, top, both) in [
            ("v = [1, 2]", "v = [3]", "v = [3]"),
            ("v = [{ name = \"a\", x = 1 }]", "v = [{ y = 2 }]", "v = [{ y = 2 }]"),
            ("v = [{ x = 1 }]", "v = [{ name = \"a\" }]", "v = [{ name = \"a\" }]"),
            ("v = { x = 1 }", "v = 3", "v = 3"),
            ("a = { b = { c = 1, d = 2 } }", "a = { b = { d = 3 } }", "a = { b = { c = 1, d = 3 } }"),
            (
                "v = [{ name = \"a\", t = { x = 1, y = 2 } }]",
                "v = [{ name = \"a\", t = { y = 3 } }]",
                "v = [{ name = \"a\", t = { x = 1, y = 3 } }]",
            ),
        ] {
            assert_eq!(merged(table(base), table(top)), table(both), "{base} {top}");
        }
    }

    /// An axis of two keys sets each to its own value, or both to one; a later axis has the last word.
    #[test]
    fn a_point_has_the_values_of_its_axes() {
        let e = super::super::made::parse(
            r#"
            title = "t"
            source = "s"
            live = true
            [scenario]
            duration = "9s"
            station = [{ name = "s" }]
            app = [{ name = "the game", kind = "game", station = "s" }, { name = "v", kind = "voip", station = "s" }]
            [[axis]]
            name = "classes"
            keys = ["app.the game.class", "app.\"v\".class"]
            values = [[1, 2], 3, 4]
            names = ["apart", "alike", "more"]
            [[axis]]
            name = "host"
            keys = "live"
            values = [true, false]
            [[axis]]
            name = "again"
            keys = ["app.v.class", "queue.chap.limit"]
            values = [[5, 35], [6, 70]]
            names = ["a", "b"]
            "#,
        );
        let at = [1, 0, 1];
        assert_eq!(e.place(&at), "classes = alike, host = true, again = b");
        assert_eq!((e.size(), e.combinations().nth(5)), (12, Some(at.to_vec())), "the last axis fastest");
        let written = |at: &[usize]| {
            let (written, live) = e.written(at).unwrap();
            let read = table(&written.text);
            let class = |i: usize| read["app"][i].get("class").and_then(Value::as_integer);
            let limit = read["queue"]["chap"]["limit"].as_integer();
            assert!(read.get("live").is_none() && read["name"].as_str() == Some("mine"));
            (class(0), class(1), limit, live)
        };
        assert_eq!(written(&at), (Some(3), Some(6), Some(70), true));
        assert_eq!(written(&[0, 1, 0]), (Some(1), Some(5), Some(35), false));
        assert_eq!(e.written(&at).unwrap().0.file, PathBuf::from("scenario.toml"));
        let point = e.point(vec![0, 1, 1]).unwrap();
        assert_eq!((point.at.as_slice(), point.live), (&[0, 1, 1][..], false));
        let Workload::Home(home) = point.workload else { panic!("a home") };
        assert_eq!((home.scenario.apps[0].class, home.scenario.apps[1].class), (1, 6));
    }

    #[test]
    fn a_scenario_is_called_as_it_says_or_as_its_experiment() {
        let text = "title = \"t\"\nsource = \"s\"\n[scenario]\nduration = \"9s\"\nstation = [{ name = \"s\" }]\n\
                    app = [{ name = \"g\", kind = \"game\", station = \"s\" }]\n";
        let name = |text: &str| {
            let e = super::super::made::read("chap/mine", text, super::super::file::Purpose::Judge).unwrap();
            let (written, live) = e.written(&[]).unwrap();
            assert!(!live);
            (table(&written.text)["name"].as_str().map(String::from), written.file)
        };
        assert_eq!(name(text), (Some("mine".into()), "chap/scenario.toml".into()));
        assert_eq!(name(&format!("{text}name = \"own\"")).0.as_deref(), Some("own"));
        // What is wrong has the place of its point, and the words that are wrong.
        let e = super::super::made::parse(&format!(
            "{text}[[axis]]\nname = \"q\"\nkeys = \"queue.fifo.limit\"\nvalues = [\"35\", \"many\"]\n"
        ));
        let wrong = e.points().unwrap_err().to_string();
        assert!(wrong.starts_with("mine, at q = many: ") && wrong.contains("many"), "{wrong}");
        // Each problem of a point is told.
        let e = super::super::made::parse(&format!(
            "{text}[[axis]]\nname = \"q\"\nkeys = [\"app.g.start\", \"app.g.stop\"]\nvalues = [[\"early\", \"late\"]]\n"
        ));
        let wrong = e.points().unwrap_err().to_string();
        assert_eq!(wrong.matches("mine, at q = early: ").count(), 2, "{wrong}");
        assert!(wrong.contains("'early'") && wrong.contains("'late'"), "{wrong}");
    }
}
