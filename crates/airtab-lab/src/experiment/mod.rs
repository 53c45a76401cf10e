// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Experiments: a scenario, what varies in it, and what a source says should
//! come out. Each is one TOML file of `experiments/`; `docs/experiments.md`
//! describes the files.
//!
//! - [`Experiment`]: a file, read; [`all`]: those of the repository
//! - [`run()`]: every run that is not in the [`Store`](crate::store::Store) yet, to an [`Outcome`]
//! - [`judge`]: the outcome against what was expected
//! - [`text`], [`page`]: the result for a terminal, and as a page
//! - [`record`]: stored results of the repository's experiments; [`scoreboard`]: their pages
//!
//! What it does not do: no experiment has a line of code here.

mod alone;
mod check;
mod classes;
mod columns;
mod compose;
mod contention;
mod course;
mod curves;
mod distance;
mod figure;
mod file;
mod judge;
mod live;
#[cfg(test)]
pub(crate) mod made;
mod model;
mod page;
mod pages;
mod range;
pub mod record;
mod results;
mod run;
mod scatter;
mod schema;
pub mod scoreboard;
mod scores;
mod seconds;
mod server;
mod sum;
mod sweep;
mod task;
pub mod text;
pub(crate) mod told;
mod until;
mod workload;

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use flate2::read::GzDecoder;

pub use compose::Point;
pub use course::Course;
pub use figure::Figure;
pub use judge::{PointValue, State, Verdict, judge};
pub use live::LiveHost;
pub use model::ModelTask;
pub use page::{figures, index, is_index, page, sweep_figures};
pub use record::{Record, RecordError, Records, Standing, read_records, record_path};
pub use results::{AxisValues, PointResults, SweepResults, UntilPoint, UntilReached, sweep_results_schema};
pub use run::{Done, Outcome, RunError, RunOptions, jobs, run};
pub use scatter::Scatter;
pub use schema::{schema, sweep_schema};
pub use scores::PointScores;
pub use server::ServerTask;
pub use sweep::{MAX_SWEEP, Sweep, SweepError};
pub use until::{Asked, Settled, Until};
pub(crate) use workload::Kind;
pub use workload::Workload;

use file::Purpose;

use airtab_scenario::reader::nearest;
use airtab_scenario::{FileError, Metric, QueueSpec};

/// Path without its ending, and text, of every TOML file of `experiments/`, as the build script packed them.
fn files() -> &'static [(String, String)] {
    static FILES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let packed: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/experiments.gz"));
        let mut all = String::new();
        GzDecoder::new(packed).read_to_string(&mut all).expect("packed by the build script");
        let parts: Vec<&str> = all.split_terminator('\0').collect();
        parts.chunks_exact(2).map(|pair| (pair[0].into(), pair[1].into())).collect()
    });
    &FILES
}

/// The first experiment below the directory `experiments` whose text is not that which the program was built with.
pub fn differing(experiments: &Path) -> Option<PathBuf> {
    let differs = |(name, text): &(String, String)| {
        let path = experiments.join(format!("{name}.toml"));
        std::fs::read_to_string(&path).is_ok_and(|there| there != *text).then_some(path)
    };
    files().iter().find_map(differs)
}

/// Runs of each point and discipline, where a file says nothing.
const DEFAULT_SEEDS: u64 = 5;

/// One experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// `family/name`, or the path of the file that it comes from.
    pub id: String,
    /// What it shows, in a line.
    pub title: String,
    /// Where it comes from.
    pub source: String,
    /// What is done and what there is to see.
    pub about: String,
    /// Name of the study that it is from, `Lee 2010`; that of its family, if the file has none.
    pub study: String,
    /// Remarks on the result, by the discipline or metric that they are about, or `comparison`.
    pub remarks: BTreeMap<String, String>,
    /// Whether it is run in real time, by a [`LiveHost`].
    pub live: bool,
    /// Runs of each point and discipline.
    pub seeds: u64,
    /// The same of a quick look.
    pub quick_seeds: u64,
    /// Disciplines.
    pub queues: Vec<QueueSpec>,
    /// What varies; every combination is a point.
    pub axes: Vec<Axis>,
    /// What is drawn.
    pub figures: Vec<Figure>,
    /// What is drawn over time.
    pub courses: Vec<Course>,
    /// What is drawn as a cloud of points.
    pub scatters: Vec<Scatter>,
    /// What should come out.
    pub checks: Vec<Check>,
    /// Of a sweep: how many seeds a point gets, where that depends on what comes out.
    pub until: Option<Until>,
    /// Its text, as in its file.
    pub toml: String,
    /// A scenario, or a table `[server]` or `[model]`.
    scenario: toml::Table,
    kind: workload::Kind,
    /// Whether its text is that of a scenario.
    plain: bool,
    folder: PathBuf,
    /// What a command line calls it: its id, or the path of its file as given.
    named: String,
}

/// Something that varies.
#[derive(Clone, Debug)]
pub struct Axis {
    /// By which checks name it.
    pub name: String,
    /// With its unit, for figures.
    pub label: String,
    /// Whether figures show its logarithm.
    pub log: bool,
    /// Keys of the scenario that it sets.
    keys: Vec<String>,
    /// Its values.
    pub values: Vec<AxisValue>,
}

/// One value of an axis.
#[derive(Clone, Debug)]
pub struct AxisValue {
    /// By which checks name it.
    pub text: String,
    /// Where figures put it; None if it is no number.
    pub x: Option<f64>,
    /// One for each key.
    set: Vec<toml::Value>,
}

/// A number of the source and what must hold here.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is looked at.
    pub what: String,
    /// Where the source says so.
    pub section: String,
    /// What the source says.
    pub reported: String,
    /// The number in it, or both ends of a range, in the unit of tables: figures show it.
    pub published: Option<(f64, f64)>,
    /// What a simulation of the same by somebody else gave: a number, or both ends of a range, in the unit of tables.
    pub rerun: Option<(f64, f64)>,
    /// What is measured.
    pub term: Term,
    /// And what that is compared with.
    pub compared: Compared,
    /// What must hold.
    pub expect: Expect,
    /// Why it is known not to hold.
    pub known: Option<String>,
    /// True if a trial confirms the cause that `known` gives.
    pub cause_shown: bool,
    /// Kind of statement that it compares with.
    pub class: Class,
    /// Whether a quick look looks at it, too.
    pub quick: bool,
}

/// Kind of statement that a check compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The source prints a number.
    Published,
    /// The source states it without a number.
    Claim,
    /// Another program or a closed form gives it.
    Oracle,
    /// No source says it: a question of this project.
    Question,
}

impl Class {
    /// All classes, in the order of tables.
    pub const ALL: [Class; 4] = [Class::Published, Class::Claim, Class::Oracle, Class::Question];

    /// Returns its name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Class::Published => "published",
            Class::Claim => "claim",
            Class::Oracle => "oracle",
            Class::Question => "question",
        }
    }
}

/// A figure, under some disciplines, at some points.
#[derive(Clone, Debug)]
pub struct Term {
    /// Application (or `ap`) and metric; several are summed.
    pub of: Vec<(String, Metric)>,
    /// The discipline's label.
    pub queue: String,
    /// Of videos: only these seconds of them, or how they go together.
    pub seconds: Option<Seconds>,
    /// Of web pages: only those of some sizes.
    pub pages: Option<Pages>,
    /// Axis and values of it, by their numbers; an axis that is not named is
    /// looked at as a whole.
    pub at: Vec<(usize, Vec<usize>)>,
}

/// What is taken of the seconds of a video, by the rate at which it is sent, Mb/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seconds {
    /// Playable frames a second, of those in which less is sent.
    Below(f64),
    /// The same of those in which more is sent.
    Above(f64),
    /// Spearman's rank correlation of rate and playable frames.
    Correlation,
}

/// What is taken of web pages, by their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Time of those up to the median size.
    Smaller,
    /// Time of those above it.
    Larger,
}

/// What a [`Term`] is compared with.
#[derive(Clone, Debug)]
pub enum Compared {
    /// Nothing: its value counts.
    Value,
    /// Its quotient by another.
    DividedBy(Term),
    /// Its product with another.
    Times(Term),
    /// Its difference to another.
    Minus(Term),
    /// By how much these disciplines differ: (most - least) / most.
    Spread(Vec<String>),
}

/// What must hold at every point of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// It is within these bounds, in the unit of tables.
    Within(RangeInclusive<f64>),
    /// The last value along the axis is above the first, and no step falls by
    /// more than the intervals explain, or by a tenth of the whole change.
    Rises,
    /// The same downwards.
    Falls,
}

impl Experiment {
    /// Labels of its disciplines.
    fn labels(&self) -> Vec<String> {
        self.queues.iter().map(|queue| queue.label.clone()).collect()
    }

    /// Of nothing, under the usual disciplines.
    fn empty(id: String) -> Experiment {
        Experiment {
            title: id.clone(),
            named: id.clone(),
            id,
            source: String::new(),
            about: String::new(),
            study: String::new(),
            remarks: BTreeMap::new(),
            live: false,
            seeds: DEFAULT_SEEDS,
            quick_seeds: DEFAULT_SEEDS.min(2),
            queues: file::usual_queues(),
            axes: Vec::new(),
            figures: Vec::new(),
            courses: Vec::new(),
            scatters: Vec::new(),
            checks: Vec::new(),
            until: None,
            toml: String::new(),
            scenario: toml::Table::new(),
            kind: workload::Kind::Home,
            plain: false,
            folder: PathBuf::new(),
        }
    }

    /// What the source printed of a figure under a discipline at a point, from and to, in the unit of tables.
    fn published(&self, of: &[(String, Metric)], queue: &str, at: &[usize]) -> Option<(f64, f64)> {
        let about = |check: &&Check| {
            let term = &check.term;
            let here = term.at.iter().all(|(axis, values)| values.contains(&at[*axis]));
            here && term.queue == queue && term.of == of
        };
        // Of several checks of one figure the first has the word.
        self.checks.iter().filter(about).find_map(|check| check.published)
    }

    /// What a command line calls it: its id, or the path of its file as it was given.
    pub fn named(&self) -> &str {
        &self.named
    }

    /// Family, the directory of its file in the repository; its id, if it is not of the repository.
    pub fn family(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(family, _)| family)
    }

    /// Its text for another place: a base of the repository is named by its whole path.
    pub fn portable_toml(&self) -> String {
        match self.id.split_once('/') {
            Some((family, _)) => self.toml.replacen("\nbase = \"", &format!("\nbase = \"{family}/"), 1),
            None => self.toml.clone(),
        }
    }
}

/// The experiments of the repository, in the order of their names.
///
/// # Panics
/// If a file is wrong; a test reads them all.
pub fn all() -> Vec<Experiment> {
    // Files deeper down are scenarios that several experiments share.
    let own = files().iter().filter(|(name, _)| name.matches('/').count() == 1);
    own.map(|(name, text)| {
        let read =
            Experiment::parse(format!("experiments/{name}.toml"), name, text, &embedded, Purpose::Judge);
        read.unwrap_or_else(|e| panic!("{e}"))
    })
    .collect()
}

/// The experiment of that id, or that of a file if it ends in `.toml`.
///
/// # Errors
/// There is none of that id, or the file cannot be used.
pub fn find(name: &str) -> Result<Experiment, FindError> {
    if name.ends_with(".toml") {
        return Ok(Experiment::load(Path::new(name))?);
    }
    let ids: Vec<&str> =
        files().iter().map(|(id, _)| id.as_str()).filter(|id| id.matches('/').count() == 1).collect();
    let text = files().iter().find(|(id, _)| id == name && ids.contains(&name));
    let (id, text) = text.ok_or_else(|| FindError::Unknown(unknown(name, &ids)))?;
    Ok(Experiment::parse(format!("experiments/{id}.toml"), id, text, &embedded, Purpose::Judge)?)
}

/// Says that there is none of that name, and which may be meant: one so named in whichever family, or one near it.
fn unknown(name: &str, ids: &[&str]) -> String {
    let own = |id: &&&str| id.rsplit('/').next().is_some_and(|own| own.eq_ignore_ascii_case(name));
    let meant: Vec<String> = ids.iter().filter(own).map(|id| format!("`{id}`")).collect();
    let meant = match (meant.is_empty(), nearest(name, ids)) {
        (false, _) => meant.join(" or "),
        (true, Some(near)) => format!("`{near}`"),
        (true, None) => return format!("no experiment '{name}'; airtab experiment list has them all"),
    };
    format!("no experiment '{name}'; did you mean {meant}? airtab experiment list has them all")
}

/// Why there is no such experiment.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// No id of that name.
    #[error("{0}")]
    Unknown(String),
    /// Its file is wrong.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The text of a file of `experiments/`, by its path there.
fn embedded(path: &Path) -> Result<String, String> {
    let mut name = PathBuf::new();
    for part in path.strip_prefix("experiments").unwrap_or(path).with_extension("").components() {
        match part {
            Component::ParentDir => _ = name.pop(),
            part => name.push(part),
        }
    }
    let text = files().iter().find(|(known, _)| Path::new(known) == name);
    text.map(|(_, text)| text.clone()).ok_or_else(|| "is not there".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_of_the_repository_is_right() {
        let all = all();
        assert!(!all.is_empty());
        for experiment in &all {
            let points = experiment.points().unwrap_or_else(|e| panic!("{e}"));
            let product: usize = experiment.axes.iter().map(|axis| axis.values.len()).product();
            assert_eq!(points.len(), product, "{}", experiment.id);
            assert!(!experiment.checks.is_empty(), "{}: nothing is expected", experiment.id);
            for check in &experiment.checks {
                // Figures draw what the source says, to the digit.
                let Some((low, high)) = check.published else { continue };
                let words = check.reported.split(|c: char| !(c.is_ascii_digit() || c == '.'));
                let said: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
                let place = format!("{}: {}", experiment.id, check.what);
                assert!([low, high].iter().all(|end| said.contains(end)), "{place}: {}", check.reported);
            }
        }
    }

    /// No result depends on defaults of chap or of the governor: each experiment names the values. A column `chap:defaults` is
    /// the exception.
    #[test]
    fn chap_and_governor_have_named_values_in_each_experiment() {
        const CHAP: [&str; 4] = ["share", "uplink", "target", "increment"];
        const GOVERNOR: [&str; 2] = ["inflight_station", "stale"];
        let mut seen = (0, 0);
        for e in all().iter().filter(|e| e.kind != workload::Kind::Model) {
            let keys = |way: &[&str]| {
                let mut table = Some(&e.scenario);
                for key in way {
                    table = table.and_then(|table| table.get(*key)).and_then(toml::Value::as_table);
                }
                let of_axes = e.axes.iter().flat_map(|axis| &axis.keys);
                let of_axes = of_axes
                    .filter_map(|key| key.strip_prefix(&format!("{}.", way.join("."))))
                    .map(String::from);
                table.into_iter().flat_map(|table| table.keys().cloned()).chain(of_axes).collect::<Vec<_>>()
            };
            let of_file = keys(&["queue", "chap"]);
            for label in e.labels() {
                let words: Vec<&str> = label.split(':').collect();
                let faithful =
                    e.scenario.get("queue").is_some_and(|queue| queue.to_string().contains("faithful"));
                if words[0] != "chap" || words.contains(&"defaults") || faithful {
                    continue;
                }
                seen.0 += 1;
                let named = |key: &str| {
                    let given = words[1..].iter().any(|word| word.split('=').next() == Some(key));
                    given || of_file.iter().any(|own| own == key)
                };
                let open: Vec<_> = CHAP.into_iter().filter(|key| !named(key)).collect();
                assert!(open.is_empty(), "{}: {label} has the default of {open:?}", e.id);
            }
            let driver = keys(&["wifi", "driver"]);
            if driver.iter().any(|key| key == "inflight") {
                seen.1 += 1;
                let open: Vec<_> =
                    GOVERNOR.into_iter().filter(|key| !driver.iter().any(|own| own == key)).collect();
                assert!(open.is_empty(), "{}: its governor has the default of {open:?}", e.id);
            }
        }
        assert!(seen.0 > 80 && seen.1 > 5, "{seen:?}");
    }

    /// The published value of a figure is that of its first check with a number, for the check's discipline and points.
    #[test]
    fn what_is_published_is_of_its_figure_and_place() {
        let check = |lines: &str| {
            format!("[[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"r\"\nleast = 0\n{lines}\n")
        };
        let of = "of = \"g.game_mos\"\nqueue = ";
        let checks = [
            check(&format!("{of}\"fifo\"")),
            check(&format!("{of}\"fifo\"\nat = {{ q = 40 }}\npublished = 1")),
            check(&format!("{of}\"fifo\"\nat = {{ q = [20, 40] }}\npublished = [2, 3]")),
            check(&format!("{of}\"chap\"\nat = {{ n = 2 }}\npublished = 4")),
            check("of = [\"g.game_mos\", \"v.voip_mos\"]\nqueue = \"fifo\"\npublished = 5"),
        ];
        let text = format!(
            "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\"]\n{}\n\
             [[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [20, 40, 80]\n\
             [[axis]]\nname = \"n\"\nkeys = \"app.g.class\"\nvalues = [1, 2]\n{}",
            made::HOME,
            checks.concat()
        );
        let e = made::parse(&text);
        let game = [("g".to_string(), Metric::GameMos)];
        let both = [game[0].clone(), ("v".into(), Metric::VoipMos)];
        assert_eq!(e.published(&game, "fifo", &[1, 0]), Some((1.0, 1.0)), "the first of two");
        assert_eq!(e.published(&game, "fifo", &[0, 1]), Some((2.0, 3.0)));
        assert_eq!(e.published(&game, "fifo", &[2, 0]), None);
        assert_eq!([0, 1].map(|n| e.published(&game, "chap", &[0, n])), [None, Some((4.0, 4.0))]);
        assert_eq!(e.published(&both, "fifo", &[2, 1]), Some((5.0, 5.0)));
        assert_eq!(e.published(&both, "chap", &[2, 1]), None);
        assert_eq!((e.family(), e.named()), ("mine", "mine"));
        assert_eq!(find("chap/link").unwrap().family(), "chap");
    }

    /// Names that are none: one so called in each family, one that is near, or none.
    #[test]
    fn what_may_be_meant_is_told() {
        let ids = ["chap/fair", "live/fair", "chap/link"];
        let all = "airtab experiment list has them all";
        assert_eq!(
            unknown("FAIR", &ids),
            format!("no experiment 'FAIR'; did you mean `chap/fair` or `live/fair`? {all}")
        );
        assert_eq!(
            unknown("chap/lin", &ids),
            format!("no experiment 'chap/lin'; did you mean `chap/link`? {all}")
        );
        assert_eq!(unknown("nothing like it", &ids), format!("no experiment 'nothing like it'; {all}"));
    }

    /// A copy of an experiment of the repository finds its base there, too.
    #[test]
    fn a_copy_names_its_base_by_its_whole_path() {
        let text = "title = \"t\"\nbase = \"base/b.toml\"\nabout = \"\"\"\nbase = \"x\"\"\"\"\n";
        let of = |id: &str| Experiment { toml: text.into(), ..Experiment::empty(id.into()) }.portable_toml();
        assert_eq!(of("chap/it"), text.replace("\"base/b.toml\"", "\"chap/base/b.toml\""));
        assert_eq!(of("it"), text, "it is of no family");
    }

    #[test]
    fn files_of_the_repository_are_found_by_any_path() {
        let (name, text) = files().iter().find(|(name, _)| name.matches('/').count() > 1).expect("a base");
        let path = format!("experiments/{name}.toml");
        assert_eq!(embedded(Path::new(&path)).as_ref(), Ok(text));
        let (family, rest) = name.split_once('/').unwrap();
        assert_eq!(embedded(Path::new(&format!("{family}/other/../{rest}.toml"))).as_ref(), Ok(text));
        assert_eq!(embedded(Path::new("experiments/none.toml")), Err("is not there".into()));
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(differing(folder.path()), None, "what is not there does not differ");
        let own = folder.path().join(format!("{name}.toml"));
        std::fs::create_dir_all(own.parent().unwrap()).unwrap();
        std::fs::write(&own, text).unwrap();
        assert_eq!(differing(folder.path()), None);
        std::fs::write(&own, format!("{text} ")).unwrap();
        assert_eq!(differing(folder.path()), Some(own));
    }
}
