// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[model] task = "contention"`: a subject of the contention models, with its parameters as keys. Each output is an
//! application; where a parameter is a list, an output has its value behind its name. A parameter that is not there has
//! its default, of several the first.
//!
//! What it does not do: no subject is known here (`crate::contention`).

use airtab_scenario::{Figures, Metric};
use toml::{Table, Value};

use crate::contention::{Cell, Runs, Subject};

/// Keys that are no parameters.
const OWN: [&str; 2] = ["task", "subject"];

/// What is asked, one cell for each combination of values.
#[derive(Clone, Debug)]
pub(super) struct Contention(Vec<Cell>);

impl Contention {
    /// Of a table `[model]`.
    ///
    /// # Errors
    /// What is wrong in it.
    pub(super) fn read(table: &Table) -> Result<Contention, String> {
        let named = table.get("subject").and_then(Value::as_str);
        let subject = Subject::named(named.ok_or("[model] lacks the key `subject`, such as \"access\"")?)?;
        let params = table.iter().filter(|(key, _)| !OWN.contains(&key.as_str()));
        let mut lists: Vec<(String, Vec<String>)> =
            params.map(|(key, value)| (key.clone(), items(value))).collect();
        // Only what is written varies: of a default that is a list the first.
        let missing = subject.params().filter(|param| !table.contains_key(param.name));
        lists.extend(missing.map(|param| (param.name.into(), param.defaults()[..1].to_vec())));
        subject.cells(&lists).map(Contention)
    }

    /// A name for each figure.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().flat_map(Cell::names).collect()
    }

    /// With that seed, where there is chance; a figure that has no value is left out.
    ///
    /// # Errors
    /// What parameters cannot be together.
    pub(super) fn figures(&self, seed: u64) -> Result<Vec<Figures>, String> {
        let mut runs = Runs::default();
        let figure =
            |value: f64| Some((Metric::Value, value)).filter(|_| !value.is_nan()).into_iter().collect();
        let of = |cell: &Cell| {
            let seeded = Cell { given: cell.given.clone().with_seed(seed), ..cell.clone() };
            let values = seeded.figures(&mut runs).map_err(|e| format!("{}: {e}", cell.subject.name))?;
            Ok(values.into_iter().map(figure).collect::<Vec<Figures>>())
        };
        let all: Result<Vec<_>, String> = self.0.iter().map(of).collect();
        Ok(all?.concat())
    }
}

fn items(value: &Value) -> Vec<String> {
    let one = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    value.as_array().map_or_else(|| vec![one(value)], |list| list.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(text: &str) -> Result<Contention, String> {
        Contention::read(&toml::from_str(text).unwrap())
    }

    /// A figure for each output and each value of each list, the last parameter fastest; a default is one value.
    #[test]
    fn each_combination_has_its_figures() {
        let short = "task = \"contention\"\nsubject = \"access\"\nsuccesses = 300\nwindow = 16\n";
        let names = |more: &str| task(&format!("{short}{more}")).unwrap().names();
        let plain = names("method = \"dcf\"\nn = 2\n");
        let several = names("method = [\"dcf\", \"h\"]\nn = [2, 5]\n");
        assert_eq!(several.len(), 4 * plain.len());
        let first: Vec<&str> = several.iter().step_by(plain.len()).map(String::as_str).collect();
        let behind = |name: &str| name.strip_prefix(plain[0].as_str()).unwrap().to_string();
        let mut order: Vec<String> = first.iter().map(|name| behind(name)).collect();
        order.sort();
        assert!(
            order == ["_2_dcf", "_2_h", "_5_dcf", "_5_h"] || order == ["_dcf_2", "_dcf_5", "_h_2", "_h_5"],
            "{order:?}"
        );
        assert_eq!(names("n = 2\n").len(), plain.len(), "of methods the first");
        // Each is that of its own values, with the seed.
        let figures = |more: &str, seed| task(&format!("{short}{more}")).unwrap().figures(seed).unwrap();
        let both = figures("method = [\"dcf\", \"h\"]\nn = 3\n", 5);
        let each = [figures("method = \"dcf\"\nn = 3\n", 5), figures("method = \"h\"\nn = 3\n", 5)].concat();
        assert_eq!(both, each);
        assert_ne!(figures("method = \"dcf\"\nn = 3\n", 6), each[..plain.len()]);
        assert!(both.iter().all(|f| f.len() <= 1 && f.keys().all(|metric| *metric == Metric::Value)));
        // Of a parameter that usually has several values the first.
        let usual = |subject: &&Subject| subject.params().any(|param| param.defaults().len() > 1);
        let subject = crate::contention::SUBJECTS.iter().find(usual).expect("one has a list");
        let one = task(&format!("task = \"contention\"\nsubject = \"{}\"\n", subject.name)).unwrap();
        assert_eq!(one.names(), subject.outputs.iter().map(|output| output.name).collect::<Vec<_>>());
        let none = task("task = \"contention\"\n").map(|_| ()).unwrap_err();
        assert_eq!(none, "[model] lacks the key `subject`, such as \"access\"");
    }
}
