// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An experiment's file for a folder of its own: with its base in it, and with the names that files have there.
//!
//! What it does not do: no file is copied here.

use std::path::{Path, PathBuf};

use airtab_scenario::{is_file, named_files, names_file, rename_files};
use toml::{Table, Value};

use super::Experiment;
use super::workload::Kind;

/// Gives a file its new name: where it is, and how it is named now; None where it keeps that.
pub type Rename<'a> = &'a mut dyn FnMut(&Path, &str) -> Option<String>;

impl Experiment {
    /// A file of that name beside it.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Its text by itself. Where it has no base and no file gets another name, that is the text of its file; else it is
    /// without comments. Values of an axis that are files keep their names in results.
    ///
    /// # Panics
    /// Never: what was read can be read again, and written.
    pub fn alone(&self, rename: Rename) -> String {
        let mut rename = |name: &str| rename(&self.folder.join(name), name);
        if self.plain {
            return rename_files(&self.toml, &mut rename).expect("it was read");
        }
        let mut table: Table = toml::from_str(&self.toml).expect("it was read");
        let mut changed = table.remove("base").is_some();
        if self.kind == Kind::Home {
            let mut scenario = self.scenario.clone();
            named_files(&mut scenario, &mut |_, name| changed |= renamed(name, &mut rename));
            changed |= rename_axes(&mut table, &mut rename);
            table.insert("scenario".into(), scenario.into());
        }
        match changed {
            true => toml::to_string(&table).expect("what was read can be written"),
            false => self.toml.clone(),
        }
    }
}

/// Whether it has another name then.
fn renamed(name: &mut String, rename: &mut dyn FnMut(&str) -> Option<String>) -> bool {
    let new = rename(name);
    new.is_some_and(|new| std::mem::replace(name, new) != *name)
}

/// The same of values of axes whose keys name files.
fn rename_axes(top: &mut Table, rename: &mut dyn FnMut(&str) -> Option<String>) -> bool {
    let axes = top.get_mut("axis").and_then(Value::as_array_mut);
    let mut changed = false;
    for axis in axes.into_iter().flatten().filter_map(Value::as_table_mut) {
        let keys = match axis.get("keys") {
            Some(Value::String(key)) => vec![key.clone()],
            Some(Value::Array(keys)) => keys.iter().filter_map(Value::as_str).map(str::to_string).collect(),
            _ => Vec::new(),
        };
        let Some(values) = axis.get_mut("values").and_then(Value::as_array_mut) else { continue };
        let named =
            |value: &Value| value.as_array().map_or(value, |each| each.first().unwrap_or(value)).clone();
        let names: Vec<Value> = values.iter().map(named).collect();
        let mut of_axis = false;
        for value in values {
            // One value is that of all keys.
            let own: Vec<&mut Value> = match value {
                Value::Array(each) => each
                    .iter_mut()
                    .zip(&keys)
                    .filter(|(_, key)| names_file(key))
                    .map(|(own, _)| own)
                    .collect(),
                one => keys.iter().any(|key| names_file(key)).then_some(one).into_iter().collect(),
            };
            for own in own {
                if let Value::String(name) = own
                    && is_file(name)
                {
                    of_axis |= renamed(name, rename);
                }
            }
        }
        if of_axis && !axis.contains_key("names") {
            axis.insert("names".into(), names.into());
        }
        changed |= of_axis;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::super::file::Purpose;
    use super::*;

    const BASE: &str = "station = [{ name = \"s\" }]\napp = [{ name = \"film\", kind = \"video\", station = \"s\", trace = \"base.txt\" }]\n";
    const TEXT: &str = r#"# A comment.
        title = "t"
        source = "s"
        base = "base.toml"
        [scenario]
        app = [
          { name = "film", class = 1 },
          { name = "second", kind = "video", station = "s", trace = "own.txt" },
          { name = "third", kind = "video", station = "s" },
        ]
        [[axis]]
        name = "both"
        keys = ["app.film.trace", "app.film.class"]
        values = [["a.txt", 1], ["kept.txt", 2]]
        [[axis]]
        name = "named"
        keys = "app.second.trace"
        values = ["c.txt", "d.txt"]
        names = ["c", "d"]
        [[axis]]
        name = "all"
        keys = ["app.third.trace", "app.third.start"]
        values = ["0s"]
        [[axis]]
        name = "no file"
        keys = "app.third.class"
        values = ["1", "2"]
    "#;

    fn read(file: &str, text: &str) -> Experiment {
        let base = |_: &Path| Ok(BASE.to_string());
        Experiment::parse(file, "mine", text, &base, Purpose::Judge).unwrap_or_else(|e| panic!("{e}"))
    }

    fn table(text: &str) -> Table {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn an_experiment_alone_has_its_base_and_other_names_of_files() {
        let e = read("folder/mine.toml", TEXT);
        let mut seen = Vec::new();
        let text = e.alone(&mut |path, name| {
            assert_eq!(path, Path::new("folder").join(name));
            seen.push(name.to_string());
            (name != "kept.txt").then(|| format!("new-{name}"))
        });
        assert_eq!(seen, ["base.txt", "own.txt", "a.txt", "kept.txt", "c.txt", "d.txt", "0s"]);
        let mut expected = table(TEXT);
        expected.remove("base");
        let scenario = format!(
            "{}{}",
            BASE.replace("base.txt\" }]", "new-base.txt\", class = 1 },"),
            "{ name = \"second\", kind = \"video\", station = \"s\", trace = \"new-own.txt\" },\n\
             { name = \"third\", kind = \"video\", station = \"s\" }]\n"
        );
        expected.insert("scenario".into(), table(&scenario).into());
        let axes = r#"
            [[axis]]
            name = "both"
            keys = ["app.film.trace", "app.film.class"]
            values = [["new-a.txt", 1], ["kept.txt", 2]]
            names = ["a.txt", "kept.txt"]
            [[axis]]
            name = "named"
            keys = "app.second.trace"
            values = ["new-c.txt", "new-d.txt"]
            names = ["c", "d"]
            [[axis]]
            name = "all"
            keys = ["app.third.trace", "app.third.start"]
            values = ["new-0s"]
            names = ["0s"]
            [[axis]]
            name = "no file"
            keys = "app.third.class"
            values = ["1", "2"]
        "#;
        expected.insert("axis".into(), table(axes)["axis"].clone());
        assert_eq!(table(&text), expected);
        // The values of its axes are called as before.
        let again = read("mine.toml", &text);
        for (old, new) in e.axes.iter().zip(&again.axes) {
            let texts =
                |axis: &super::super::Axis| axis.values.iter().map(|v| v.text.clone()).collect::<Vec<_>>();
            assert_eq!(texts(old), texts(new));
        }
    }

    #[test]
    fn what_is_alone_keeps_its_text() {
        let alone = TEXT
            .replace("base = \"base.toml\"\n", "")
            .replace("class = 1 }", "kind = \"video\", station = \"s\" }");
        let e = read("mine.toml", &alone);
        assert_eq!(e.alone(&mut |_, _| None), alone, "comments and all");
        assert_eq!(e.alone(&mut |_, name| Some(name.into())), alone, "the same name is none");
        let renamed = e.alone(&mut |_, name| (name == "d.txt").then(|| "e.txt".into()));
        assert!(!renamed.contains("A comment") && renamed.contains("e.txt") && !renamed.contains("d.txt"));
        let with_base = read("mine.toml", TEXT).alone(&mut |_, _| None);
        assert!(with_base.contains("base.txt") && !with_base.contains("base.toml"), "{with_base}");
        // A scenario stays one.
        let scenario = "# Mine.\nduration = \"9s\"\nstation = [{ name = \"s\" }]\napp = [{ name = \"g\", kind = \"game\", station = \"s\" }]\n";
        let plain = Experiment::of_scenario("a/b.toml", scenario).unwrap();
        assert_eq!(plain.alone(&mut |_, _| Some("x".into())), scenario);
        assert_eq!(plain.beside("c.txt"), Path::new("a/c.txt"));
    }
}
