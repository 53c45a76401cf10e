// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One file per command.

#[cfg(not(all(target_os = "linux", has_live, has_probe)))]
mod absent;
#[cfg(target_os = "linux")]
pub mod airsim;
pub mod airtime;
pub mod cache;
#[cfg(has_probe)]
pub mod cbr;
pub mod classes;
pub mod compare;
pub mod contest;
pub mod disciplines;
#[cfg(target_os = "linux")]
pub mod drain;
#[cfg(has_probe)]
pub mod equal_access;
pub mod experiment;
pub mod fingerprint;
mod flent;
#[cfg(has_probe)]
pub mod htbench;
pub mod kept;
#[cfg(has_live)]
pub mod live;
pub mod mesh;
pub mod model;
pub mod pages;
mod progress;
mod reading;
#[cfg(has_probe)]
pub mod rpm;
pub mod run;
pub mod scenario;
pub mod schema;
#[cfg(has_serve)]
pub mod serve;
pub mod study;
pub mod sweep;
pub mod tcp;

#[cfg(not(all(target_os = "linux", has_live, has_probe)))]
pub use absent::*;

use std::collections::HashSet;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use airtab_scenario::reader::instead;
use airtab_scenario::{FileError, HOME, QueueSettings, QueueSpec, ScenarioFile, scenario_text, set};
use anyhow::Context;

use crate::args::USAGE;
use crate::output;
use reading::is_piped;

/// The scenarios of the directory `scenarios`: name and text.
static SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// All bundled scenarios, the built-in home first: name and text.
fn bundled() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    [("home", HOME)].iter().chain(SHIPPED)
}

/// The bundled scenario that is meant, where no file of that name is.
fn shipped(path: &Path) -> Option<&'static (&'static str, &'static str)> {
    bundled().find(|(name, _)| Path::new(name) == path && !path.exists())
}

/// The text of a scenario, and how it is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// In messages; its folder is where files that it names are looked for.
    pub name: PathBuf,
    /// TOML.
    pub text: String,
    /// Airtab brings it.
    pub ours: bool,
}

impl Found {
    /// That of a file, or of the repository by its name; without either the built-in home.
    ///
    /// # Errors
    /// It cannot be read, or nothing has that name.
    pub fn of(path: Option<&Path>) -> Result<Found, FileError> {
        let Some(path) = path else { return Ok(Found::ours("home", HOME)) };
        if is_piped(path) {
            return Found::piped(path, "a scenario");
        }
        match (shipped(path), path.to_str()) {
            (Some((name, text)), _) => Ok(Found::ours(name, text)),
            (None, Some(name)) if !name.contains(['.', '/', '\\']) && !path.exists() => {
                let known: Vec<&str> = bundled().map(|(name, _)| *name).collect();
                let reason =
                    format!("no such file, and no scenario that airtab brings{}", instead(name, &known));
                Err(FileError::Unreadable { file: name.into(), reason })
            }
            _ => Ok(Found { name: path.into(), text: scenario_text(path)?, ours: false }),
        }
    }

    /// Text of standard input or of a pipe, which should be `what`. Files that it names are looked for in the current
    /// directory.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn piped(path: &Path, what: &str) -> Result<Found, FileError> {
        let file = reading::named(path);
        match reading::text(path, what) {
            Ok(text) => Ok(Found { name: file.into(), text, ours: false }),
            Err(reason) => Err(FileError::Unreadable { file, reason }),
        }
    }

    fn ours(name: &str, text: &str) -> Found {
        Found { name: format!("{name}.toml").into(), text: text.into(), ours: true }
    }

    /// What it says.
    ///
    /// # Errors
    /// All that is wrong in it.
    pub fn parse(&self) -> Result<ScenarioFile, FileError> {
        let none = |_: &Path, _: &str| Err("a scenario that airtab brings names no file".into());
        match self.ours {
            true => ScenarioFile::parse_with(&self.name, &self.text, &none),
            false => ScenarioFile::parse(&self.name, &self.text),
        }
    }

    /// What is most likely not meant is told.
    fn read(&self) -> Result<ScenarioFile, FileError> {
        let file = self.parse()?;
        tell_warnings(&file);
        Ok(file)
    }
}

/// The scenario of a file, or of the repository by its name; what is most likely not meant is told.
fn load(path: &Path) -> Result<ScenarioFile, FileError> {
    Found::of(Some(path))?.read()
}

/// The same, or the built-in home, with values set: `(path, value)` each.
fn load_set(path: Option<&Path>, sets: &[(String, String)]) -> anyhow::Result<ScenarioFile> {
    let mut found = Found::of(path)?;
    for (path, value) in sets {
        found.text =
            set(&found.text, path, value).with_context(|| format!("--set in {}", found.name.display()))?;
    }
    if !sets.is_empty() {
        // Lines in messages are those of the text with its new values.
        found.name.as_mut_os_string().push(" with --set");
    }
    Ok(found.read()?)
}

/// Why a value of `--set` is nothing to these disciplines.
fn unread(sets: &[(String, String)], queues: &[QueueSpec]) -> Option<String> {
    let said = |(path, value): &(String, String)| {
        Some(format!("--set {path}={value}: {}", airtab_scenario::unread(path, queues)?))
    };
    sets.iter().find_map(said)
}

/// Wrong usage that only what is in files shows.
fn refused(message: &str) -> ExitCode {
    output::error(message);
    ExitCode::from(USAGE)
}

fn tell_warnings(file: &ScenarioFile) {
    for warning in &file.warnings {
        output::warn(&warning.to_string());
    }
}

/// The first that is there twice.
pub fn twice<T: Eq + Hash>(all: &[T]) -> Option<&T> {
    let mut seen = HashSet::new();
    all.iter().find(|one| !seen.insert(*one))
}

/// The parameters of each queue, with its column's name.
fn build(
    queues: &[QueueSpec],
    settings: &QueueSettings,
) -> anyhow::Result<Vec<(String, airtab_core::Params)>> {
    let one = |q: &QueueSpec| {
        let params = q.build(settings).with_context(|| format!("queue {}", q.label))?;
        params.warnings().iter().for_each(|warning| output::warn(&warning.to_string()));
        Ok((q.label.clone(), params))
    };
    queues.iter().map(one).collect()
}

/// Warns of each discipline whose own limit is above the governor of the scenario.
fn warn_limited_twice(scenario: &airtab_sim::Scenario, queues: &[(String, airtab_core::Params)]) {
    let said = queues.iter().filter_map(|(_, params)| airtab_scenario::limited_twice(scenario, params));
    said.for_each(|warning| output::warn(&warning));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values are set in their order, and messages say where.
    #[test]
    fn values_are_set_in_their_order() {
        let load = |sets: &[(&str, &str)]| {
            let sets: Vec<(String, String)> =
                sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
            load_set(None, &sets).map(|file| file.scenario).map_err(|e| crate::output::message(&e))
        };
        assert_eq!(load(&[]).map(|s| s.name), Ok("home".into()));
        let both = load(&[("name", "first"), ("duration", "400s"), ("name", "second")]).expect("right");
        assert_eq!((both.name.as_str(), both.duration_ns), ("second", 400_000_000_000));
        let said = load(&[("name", "first"), ("wfi.attempts", "5")]).expect_err("no table");
        assert!(said.starts_with("--set in home.toml: wfi.attempts: "), "{said}");
        let said = load(&[("duration", "3")]).expect_err("no time");
        assert!(said.starts_with("home.toml with --set:"), "{said}");
        let rrul = load_set(Some(Path::new("rrul")), &[("name".into(), "mine".into())]).expect("right");
        assert_eq!((rrul.scenario.name.as_str(), rrul.scenario.apps.len()), ("mine", 12));
    }

    #[test]
    fn a_value_that_nothing_reads_is_told_of_the_first() {
        let queues: Vec<QueueSpec> =
            ["fifo", "chap:limit=9"].map(|label| label.parse().expect("a discipline")).into();
        let said = |sets: &[(&str, &str)]| {
            let sets: Vec<_> =
                sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
            unread(&sets, &queues)
        };
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[("queue.fifo.limit", "5"), ("wifi.attempts", "4")]), None);
        let of_chap = said(&[("queue.fifo.limit", "5"), ("queue.chap.limit", "6"), ("queue.pie.limit", "7")]);
        let expected = "--set queue.chap.limit=6: nothing reads it: chap:limit=9 says itself what limit is; set it there";
        assert_eq!(of_chap.as_deref(), Some(expected));
    }

    /// Scripts tell results by these; the help names them.
    #[test]
    fn exit_codes_are_those_of_the_help() {
        use clap::{CommandFactory, Parser};
        let help = crate::args::Args::command().render_long_help().to_string();
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let interrupted = progress::INTERRUPTED;
        let mut told = vec![format!(" {USAGE} wrong usage,"), format!(" {interrupted} interrupted")];
        #[cfg(has_live)]
        told.push(format!(" {} live run on too busy a machine,", crate::args::BUSY));
        told.push(" 0 fine, 1 problem found or run failed,".into());
        for code in told {
            assert!(words.contains(&code), "{code}: {words}");
        }
        let refused = crate::args::Args::try_parse_from(["airtab", "compare", "--fast"]);
        assert_eq!(refused.err().map(|e| e.exit_code()), Some(i32::from(USAGE)));
    }

    #[test]
    fn each_queue_has_its_label_and_its_parameters() {
        let of_file =
            |path: &str, value: &str| load_set(None, &[(path.into(), value.into())]).expect("right").queues;
        let labels = ["chap:limit=9", "fifo", "chap"];
        let queues: Vec<QueueSpec> = labels.map(|label| label.parse().expect("a discipline")).into();
        let built = build(&queues, &of_file("queue.fifo.limit", "7")).expect("right");
        let limits: Vec<_> =
            built.iter().map(|(label, params)| (label.as_str(), params.get("limit"))).collect();
        assert_eq!(limits[..2], [("chap:limit=9", Some(&[9][..])), ("fifo", Some(&[7][..]))]);
        assert!(limits[2].0 == "chap" && limits[2].1 != Some(&[9]), "{limits:?}");
        let wrong: QueueSpec = "chap:limit=3000".parse().expect("right by itself");
        let said = build(&[wrong], &of_file("queue.chap.flows", "2048")).expect_err("together wrong");
        assert!(crate::output::message(&said).starts_with("queue chap:limit=3000: "), "{said:#}");
    }

    /// A name is that of a bundled scenario, anything like a path that of a file.
    #[test]
    fn a_path_is_a_file() {
        assert_eq!(
            Found::of(None).map(|found| (found.name, found.ours)).ok(),
            Some(("home.toml".into(), true))
        );
        let rrul = Found::of(Some(Path::new("rrul"))).expect("it is brought");
        assert_eq!((rrul.name, rrul.ours), ("rrul.toml".into(), true));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rrul");
        std::fs::write(&path, "x = 1").expect("written");
        let found = Found::of(Some(&path)).expect("it is there");
        assert_eq!((found.name, found.text.as_str(), found.ours), (path.clone(), "x = 1", false));
        for name in ["./rrul", "x/rrul", "rrul.toml"] {
            let said = Found::of(Some(Path::new(name))).map(|_| ()).expect_err("no such file").to_string();
            assert!(!said.contains("that airtab brings"), "{name}: {said}");
        }
        // A bundled scenario names no file, whatever is beside the caller.
        let film = HOME.replacen("trace = \"synthetic\"", "trace = \"film.txt\"", 1);
        assert_ne!(film, HOME);
        let said = |ours| {
            Found { name: "x.toml".into(), text: film.clone(), ours }.parse().map(|_| ()).expect_err("none")
        };
        assert!(
            said(true).to_string().contains("a scenario that airtab brings names no file"),
            "{}",
            said(true)
        );
        assert!(!said(false).to_string().contains("names no file"), "{}", said(false));
    }

    /// The home by its name, as without one.
    #[test]
    fn the_built_in_home_has_a_name() {
        let found = Found::of(Some(Path::new("home"))).expect("it is brought");
        assert_eq!(Found::of(None).ok(), Some(found));
        let said = load(Path::new("hme")).map(|_| ()).expect_err("there is none").to_string();
        assert!(said.contains("did you mean `home`? (known: home, anomaly, "), "{said}");
    }

    /// Every one can be read without its folder, and one that is misspelt is guessed.
    #[test]
    fn scenarios_by_name() {
        for (name, _) in SHIPPED {
            load(Path::new(name)).unwrap_or_else(|e| panic!("{e}"));
        }
        assert_eq!(load(Path::new("rrul")).map(|file| file.scenario.apps.len()).ok(), Some(12));
        let said = load(Path::new("rull")).map(|_| ()).expect_err("there is none").to_string();
        let expected = "rull: no such file, and no scenario that airtab brings; did you mean `rrul`? (known: home, anomaly, ";
        assert!(said.starts_with(expected), "{said}");
        let said = load(Path::new("rull.toml")).map(|_| ()).expect_err("there is none").to_string();
        assert!(!said.contains("rrul"), "a file was meant: {said}");
    }

    #[test]
    fn a_scenario_may_be_piped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        let name = path.display().to_string();
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("written");
            Found::piped(&path, "a scenario").and_then(|found| found.read())
        };
        let home = read(HOME.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(home.scenario.name, "home");
        let unnamed = HOME.replacen("name = \"home\"\n", "", 1);
        assert_eq!(read(unnamed.as_bytes()).map(|file| file.scenario.name).ok().as_deref(), Some("pipe"));
        let said = |bytes: &[u8]| read(bytes).map(|_| ()).expect_err("it is none").to_string();
        assert!(said(b"x = 1").starts_with(&name), "{}", said(b"x = 1"));
        assert_eq!(said(b"\xff"), format!("{name}: is not UTF-8 text: byte 0 (line 1)"));
        let long = vec![b' '; 5 << 20];
        assert_eq!(said(&long), format!("{name}: is larger than 4 MiB; is it a scenario?"));
    }

    #[test]
    fn the_first_that_is_there_twice() {
        for (all, found) in [
            (&["a", "b", "c"][..], None),
            (&["a", "b", "b", "a"], Some("b")),
            (&["a", "b", "c", "a", "c"], Some("a")),
            (&["a", "a", "a"], Some("a")),
            (&[], None),
        ] {
            assert_eq!(twice(all).copied(), found, "{all:?}");
        }
    }

    /// Parameters of a discipline are those of its label, else those of the file, else its own.
    #[test]
    fn labels_go_before_the_file_and_that_before_defaults() {
        let file = set(HOME, "queue.chap.limit", "77").expect("set");
        let file = set(&file, "queue.chap.increment", "3ms").expect("set");
        let file = ScenarioFile::parse("home.toml", &file).unwrap_or_else(|e| panic!("{e}"));
        let queues: Vec<QueueSpec> =
            ["chap", "chap:limit=9", "red"].map(|label| label.parse().expect("a discipline")).into();
        let built = build(&queues, &file.queues).expect("parameters");
        let labels: Vec<&str> = built.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, ["chap", "chap:limit=9", "red"]);
        let of = |i: usize, name| built[i].1.get(name).map(<[u64]>::to_vec);
        assert_eq!((of(0, "limit"), of(0, "increment")), (Some(vec![77]), Some(vec![3_000_000])));
        assert_eq!((of(1, "limit"), of(1, "increment")), (Some(vec![9]), Some(vec![3_000_000])));
        assert_eq!(
            of(2, "limit"),
            airtab_core::Params::new(built[2].1.discipline()).get("limit").map(<[u64]>::to_vec)
        );
    }
}
