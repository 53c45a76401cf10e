// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What applications need of a network, by name: those that are shipped, and those of a file of one's own.
//!
//! Sources of the shipped ones: the lines of `requirements.toml`. `docs/measures.md` has the format.
//!
//! What it does not do: scores are `airtab-quality`'s (`qoo`), who is judged by which is each application's.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use airtab_core::Unit;
use airtab_core::time::SECOND;
use airtab_quality::qoo::{Percentile, Requirement, Span};
use toml::de::DeTable;

use crate::named_file::Folder;
use crate::reader::{Document, Problem, Section, Value, instead, label, quantity, text};

const SHIPPED: &str = include_str!("requirements.toml");

/// Far above any file of requirements.
const MAX_MIB: u64 = 1;
/// The longest latency, ns.
const LONGEST_NS: u64 = 3600 * SECOND;
/// In place of a name: it is judged by none.
const NONE: &str = "none";

static OF_AIRTAB: LazyLock<Requirements> = LazyLock::new(|| {
    let read = Requirements::parse("requirements.toml", SHIPPED);
    Requirements { all: read.expect("the shipped ones are checked by a test"), complete: true }
});

/// The requirement of that name that is shipped: for what no scenario file speaks of.
pub fn shipped_requirement(name: &str) -> Option<Arc<Requirement>> {
    OF_AIRTAB.named(name)
}

/// Requirements by name.
#[derive(Clone)]
pub(crate) struct Requirements {
    all: Vec<Arc<Requirement>>,
    /// All that the file has are among them: any other name is a mistake.
    complete: bool,
}

impl Requirements {
    /// Those that are shipped.
    pub(crate) fn shipped() -> Requirements {
        OF_AIRTAB.clone()
    }

    /// The same with those of the file that the key `requirements` names, which go before.
    pub(crate) fn read(top: &Section, folder: &Folder) -> Requirements {
        let mut requirements = Requirements::shipped();
        let Some(written) = top.read("requirements", text) else { return requirements };
        let path = folder.path(&written);
        let file = path.display().to_string();
        let own = match folder.text(&path, MAX_MIB, "a file of requirements (TOML)") {
            Ok(own) => Requirements::parse(&file, &own),
            Err(reason) => {
                top.problem_of("requirements", &format!("{}: {reason}", Path::new(&written).display()));
                Err(Vec::new())
            }
        };
        requirements.complete = own.is_ok();
        match own {
            Ok(own) => requirements.all.splice(0..0, own).for_each(drop),
            Err(problems) => problems.into_iter().for_each(|p| top.problem_elsewhere("requirements", p)),
        }
        requirements
    }

    /// The one of that name.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<Requirement>> {
        self.all.iter().find(|requirement| requirement.name == name).cloned()
    }

    /// What a key says: a name, or `none`. Of names that a file with problems may have nothing is said.
    pub(crate) fn chosen(&self, v: &Value) -> Result<Option<Arc<Requirement>>, String> {
        let name = text(v)?;
        if name == NONE {
            return Ok(None);
        }
        let names: Vec<&str> = self.all.iter().map(|r| r.name.as_str()).chain([NONE]).collect();
        let unknown = || format!("no requirement '{name}'{}", instead(&name, &names));
        match self.named(&name) {
            None if self.complete => Err(unknown()),
            known => Ok(known),
        }
    }

    /// Reads a file; `file` is its name in messages.
    fn parse(file: &str, text: &str) -> Result<Vec<Arc<Requirement>>, Vec<Problem>> {
        let document = Document::new(file, text);
        let mut all: Vec<Arc<Requirement>> = Vec::new();
        match DeTable::parse(text) {
            Ok(table) => {
                let top = Section::top(&document, table.get_ref());
                if top.lacks("requirement") {
                    top.problem("no requirement: at least one [[requirement]] is needed".into());
                }
                for s in top.sections("requirement") {
                    let read = requirement(&s, &all);
                    s.finish();
                    all.extend(read.map(Arc::new));
                }
                top.finish();
            }
            Err(e) => document.problem(e.span().unwrap_or(0..0), e.message().replace('\n', ", ")),
        }
        match document.into_problems() {
            problems if problems.is_empty() => Ok(all),
            problems => Err(problems),
        }
    }
}

fn requirement(s: &Section, others: &[Arc<Requirement>]) -> Option<Requirement> {
    let name = s.require("name", |v| match label(v)? {
        name if name == NONE => Err(format!("'{NONE}' says that an application has no requirement")),
        name if others.iter().any(|other| other.name == name) => {
            Err(format!("'{name}' is used twice; names must differ"))
        }
        name => Ok(name),
    });
    s.read("about", text);
    let mut latency = Vec::new();
    let mut before: Option<Percentile> = None;
    for part in s.sections("latency") {
        let read = part.require("percentile", percentile);
        if let (Some(new), Some(last)) = (read, before)
            && new <= last
        {
            let order = "percentiles stand in order, each once";
            part.problem_of("percentile", &format!("{new} is behind {last}: {order}"));
        }
        before = read.or(before);
        let span = span(&part, Unit::Ns, LONGEST_NS);
        part.finish();
        latency.extend(read.zip(span));
    }
    let loss = s.section("loss").and_then(|part| {
        let span = span(&part, Unit::Ppm, 1_000_000);
        part.finish();
        span
    });
    let rate_bps = s.read("throughput", quantity(Unit::Bps, 1..=1_000_000_000_000)).map(|bps| bps as f64);
    if s.lacks("latency") && s.get("loss").is_none() {
        s.problem("[[requirement]] has neither latency nor loss: nothing would be judged".into());
    }
    Some(Requirement { name: name?, latency, loss, rate_bps })
}

/// `optimal` and `unusable`: ns to seconds, ppm to a share.
fn span(s: &Section, unit: Unit, most: u64) -> Option<Span> {
    let optimal = s.require("optimal", quantity(unit, 0..=most));
    let unusable = s.require("unusable", quantity(unit, 0..=most));
    let (optimal, unusable) = (optimal?, unusable?);
    let part = if unit == Unit::Ppm { 1e-6 } else { 1e-9 };
    let span = Span::new(optimal as f64 * part, unusable as f64 * part);
    if span.is_none() {
        let (optimal, unusable) = (unit.format(optimal), unit.format(unusable));
        let cure = format!("must be above what is optimal, {optimal}");
        s.problem_of("unusable", &format!("{unusable} {cure}"));
    }
    span
}

fn percentile(v: &Value) -> Result<Percentile, String> {
    let plain = v.value.is_float() || v.value.is_integer();
    let read = v.written.parse().ok().filter(|_| plain).and_then(Percentile::of_percent);
    let all = Percentile::ALL.map(|p| p.to_string()).join(", ");
    read.ok_or_else(|| format!("'{}' is none of {all}", v.written))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let problems = Requirements::parse("own.toml", text).err().unwrap_or_default();
        problems.iter().map(|p| format!("{}: {}", p.line, p.message)).collect()
    }

    #[test]
    fn the_shipped_ones() {
        let names: Vec<String> = Requirements::shipped().all.iter().map(|r| r.name.clone()).collect();
        let all = ["voice", "video-conference", "competitive-game", "cloud-game", "web"];
        assert_eq!(names, all);
        let voice = Requirements::shipped().named("voice").unwrap();
        let (percentile, span) = voice.latency[0];
        assert_eq!((percentile.percent(), span.optimal(), span.unusable()), (98.0, 0.1, 0.4));
        assert_eq!(voice.loss.map(|loss| (loss.optimal(), loss.unusable())), Some((0.01, 0.03)));
        let rate = |name: &str| shipped_requirement(name).expect(name).rate_bps;
        assert_eq!([rate("voice"), rate("cloud-game")], [None, Some(15e6)]);
        assert!(shipped_requirement("none").is_none());
    }

    /// Each percentile in its place with its own times, a rate, and two requirements in one file.
    #[test]
    fn an_own_file_is_read_to_its_end() {
        let text = r#"
[[requirement]]
name = "a"
about = "first"
latency = [{ percentile = 50, optimal = "10ms", unusable = "20ms" },
           { percentile = 99.9, optimal = "40ms", unusable = "1s" }]
[[requirement]]
name = "b"
loss = { optimal = "0%", unusable = "3%" }
throughput = "64kb/s"
"#;
        let read = Requirements::parse("own.toml", text).map_err(|problems| problems.len()).unwrap();
        let names: Vec<&str> = read.iter().map(|requirement| requirement.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let latency: Vec<_> =
            read[0].latency.iter().map(|(p, s)| (p.percent(), s.optimal(), s.unusable())).collect();
        assert_eq!(latency, [(50.0, 0.01, 0.02), (99.9, 0.04, 1.0)]);
        assert_eq!((read[0].loss.is_none(), read[0].rate_bps, read[1].latency.len()), (true, None, 0));
        let loss = read[1].loss.map(|loss| (loss.optimal(), loss.unusable()));
        assert_eq!((loss, read[1].rate_bps), (Some((0.0, 0.03)), Some(64e3)));
        let twice = "[[requirement]]\nname = \"a\"\nlatency = [{ percentile = 90, optimal = \"1ms\", unusable = \"2ms\" }, \
                     { percentile = 90, optimal = \"3ms\", unusable = \"4ms\" }]\n";
        let order = "3: [[latency]] percentile: 90 is behind 90: percentiles stand in order, each once";
        assert_eq!(messages(twice), [order]);
    }

    #[test]
    fn all_that_is_wrong_is_said() {
        let text = r#"
[[requirement]]
name = "a"
latency = [{ percentile = 99, optimal = "30ms", unusable = "20ms" },
           { percentile = 90, optimal = "30ms", unusable = "40ms" },
           { percentile = 97, optimal = "30ms", unusable = "40ms" }]
loss = { optimal = "1%", unusable = "1%" }
[[requirement]]
name = "a"
throughput = "0b/s"
[[requirement]]
name = "b"
latency = []
[[requirement]]
name = "none"
loss = { optimal = "1%", unuseable = "2%" }
"#;
        assert_eq!(
            messages(text),
            [
                "4: [[latency]] unusable: 20ms must be above what is optimal, 30ms",
                "5: [[latency]] percentile: 90 is behind 99: percentiles stand in order, each once",
                "6: [[latency]] percentile: '97' is none of 0, 10, 25, 50, 75, 90, 95, 98, 99, 99.9, 100",
                "7: [requirement.loss] unusable: 1% must be above what is optimal, 1%",
                "8: [[requirement]] has neither latency nor loss: nothing would be judged",
                "9: [[requirement]] name: 'a' is used twice; names must differ",
                "10: [[requirement]] throughput: '0b/s' is outside 1bit to 1000Gbit",
                "11: [[requirement]] has neither latency nor loss: nothing would be judged",
                "15: [[requirement]] name: 'none' says that an application has no requirement",
                "16: [requirement.loss] lacks the key `unusable`",
                "16: [requirement.loss] unuseable: no such key; did you mean `unusable`? (known: optimal, unusable)",
            ]
        );
    }
}
