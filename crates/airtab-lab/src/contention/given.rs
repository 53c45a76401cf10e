// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Parameters of subjects: names, ranges, defaults, and values read from text.
//!
//! What it does not do: it knows no subject.

use std::collections::BTreeMap;
use std::ops::Bound::{self, Excluded, Included, Unbounded};

use airtab_scenario::reader::instead;

/// Something that a subject takes.
pub struct Param {
    /// A key of experiments, an option of the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// With commas, if several; empty where it may be left out.
    pub default: &'static str,
}

/// What a parameter may be.
pub enum Kind {
    /// A whole number, from and to.
    Count(u64, u64),
    /// A number between two bounds.
    Number(Bound<f64>, Bound<f64>),
    /// One of these.
    Word(&'static [&'static str]),
    /// Numbers with colons, 1:2:3.
    Numbers,
    /// Lists of whole numbers, 1:2:3/3:2:1.
    Sequences,
}

/// A value, read.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    None,
    Count(u64),
    Number(f64),
    Word(&'static str),
    Numbers(Vec<f64>),
    Sequences(Vec<Vec<u32>>),
}

/// A value for each parameter of a subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given(BTreeMap<&'static str, Value>);

impl Param {
    /// Its default as a list.
    pub fn defaults(&self) -> Vec<String> {
        self.default.split(',').map(String::from).collect()
    }

    /// What stands for its value in help.
    pub fn value_name(&self) -> &'static str {
        match self.kind {
            Kind::Count(..) | Kind::Number(..) => "LIST",
            Kind::Word(_) => "NAMES",
            Kind::Numbers => "X:X:...",
            Kind::Sequences => "SLOT:.../SLOT:...",
        }
    }

    /// What it may be, for help.
    pub fn range(&self) -> String {
        match &self.kind {
            Kind::Count(low, high) => format!("{low} to {high}"),
            Kind::Number(low, high) => range(*low, *high),
            Kind::Word(words) => words.join(", "),
            Kind::Numbers => "numbers with colons".into(),
            Kind::Sequences => "a list for each station".into(),
        }
    }

    /// Whether that text can be its value.
    ///
    /// # Errors
    /// The text, and what there may be.
    pub fn check(&self, text: &str) -> Result<String, String> {
        self.read(text).map(|_| text.to_string())
    }

    fn read(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        if text.is_empty() && self.default.is_empty() {
            return Ok(Value::None);
        }
        match &self.kind {
            Kind::Count(low, high) => {
                let wrong = || format!("'{text}' is not a whole number from {low} to {high}");
                let number = text.replace('_', "").parse::<u64>().ok().filter(|n| (low..=high).contains(&n));
                number.map(Value::Count).ok_or_else(wrong)
            }
            Kind::Number(low, high) => {
                let within = |x: &f64| x.is_finite() && std::ops::RangeBounds::contains(&(*low, *high), x);
                let wrong = || format!("'{text}' is not a number {}", range(*low, *high));
                text.parse().ok().filter(within).map(Value::Number).ok_or_else(wrong)
            }
            Kind::Word(words) => {
                let found = words.iter().find(|word| **word == text);
                found
                    .map(|word| Value::Word(word))
                    .ok_or_else(|| format!("no '{text}'{}", instead(text, words)))
            }
            Kind::Numbers => numbers(text).map(Value::Numbers),
            Kind::Sequences => text.split('/').map(sequence).collect::<Result<_, _>>().map(Value::Sequences),
        }
    }
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| {
        let parsed = part.trim().parse().ok().filter(|x: &f64| x.is_finite());
        parsed.ok_or_else(|| format!("'{part}' is not a number; write numbers with colons, as 3:2:1"))
    };
    text.split(':').map(number).collect()
}

fn sequence(text: &str) -> Result<Vec<u32>, String> {
    let slot = |part: &str| {
        part.trim().parse().map_err(|_| format!("'{part}' is no slot; write sequences as 1:2:3:4/2:3:4:1"))
    };
    text.split(':').map(slot).collect()
}

fn range(low: Bound<f64>, high: Bound<f64>) -> String {
    let low = match low {
        Included(low) => format!("from {low}"),
        Excluded(low) => format!("above {low}"),
        Unbounded => String::new(),
    };
    let high = match high {
        Included(high) => format!("to {high}"),
        Excluded(high) => format!("below {high}"),
        Unbounded => String::new(),
    };
    let and = if high.starts_with("below") && !low.is_empty() { "and " } else { "" };
    format!("{low} {and}{high}").trim().into()
}

impl Given {
    /// Reads a parameter.
    pub(super) fn set(&mut self, param: &'static Param, text: &str) -> Result<(), String> {
        let value = param.read(text).map_err(|e| format!("{}: {e}", param.name))?;
        self.0.insert(param.name, value);
        Ok(())
    }

    /// A number that has a default.
    pub(super) fn number(&self, name: &str) -> f64 {
        self.maybe(name).expect("has a default")
    }

    /// A whole number that has a default.
    pub(super) fn count(&self, name: &str) -> u64 {
        match self.0.get(name) {
            Some(Value::Count(n)) => *n,
            _ => unreachable!("{name} is a whole number"),
        }
    }

    /// The same where the range is one of 32 bits.
    pub(super) fn small(&self, name: &str) -> u32 {
        self.count(name) as u32
    }

    /// A number that may be left out.
    pub(super) fn maybe(&self, name: &str) -> Option<f64> {
        match self.0.get(name) {
            Some(Value::Number(x)) => Some(*x),
            Some(Value::Count(n)) => Some(*n as f64),
            _ => None,
        }
    }

    pub(super) fn word(&self, name: &str) -> &'static str {
        match self.0.get(name) {
            Some(Value::Word(word)) => word,
            _ => unreachable!("{name} is one of some words"),
        }
    }

    pub(super) fn numbers(&self, name: &str) -> &[f64] {
        match self.0.get(name) {
            Some(Value::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    pub(super) fn sequences(&self, name: &str) -> &[Vec<u32>] {
        match self.0.get(name) {
            Some(Value::Sequences(sequences)) => sequences,
            _ => &[],
        }
    }

    /// With another seed, where the subject has one.
    pub fn with_seed(mut self, seed: u64) -> Given {
        if let Some(Value::Count(own)) = self.0.get_mut("seed") {
            *own = seed;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SEED: Param = Param { name: "seed", help: "", kind: Kind::Count(0, u64::MAX), default: "1" };

    /// A number of 64 bits is not one of those that a double can be.
    #[test]
    fn seeds_are_whole() {
        let mut given = Given::default();
        for seed in [u64::MAX, (1 << 53) + 1] {
            given.set(&SEED, &seed.to_string()).unwrap();
            assert_eq!(given.count("seed"), seed);
            assert_eq!(given.clone().with_seed(seed - 1).count("seed"), seed - 1);
        }
    }
}
