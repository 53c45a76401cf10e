// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Stored results of the repository's experiments: one JSON file each, `experiments/results/FAMILY/NAME.json`.
//!
//! A [`Record`] has the verdict and the values of each check. It also has the hash of the simulator
//! ([`sources`]) and that of the experiment with the code of its verdicts ([`Experiment::number`]). A record is stale if one of
//! them differs from the program's. Hashes that are not known are null, and their record is stale.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use airtab_sources::{of_table, together};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::judge::{State, Verdict};
use super::workload::Kind;
use super::{Experiment, Outcome};
use crate::store::sources;

/// Name of the directory of results, in that of the experiments.
pub const RESULTS: &str = "results";

/// Version of the files.
const FORMAT: u64 = 1;

/// Result of one experiment, in full.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of the file, 1.
    pub schema: u64,
    /// Id of the experiment.
    pub id: String,
    /// Commit that airtab was built from.
    pub commit: String,
    /// Date of the last run, UTC, `2026-11-23`.
    pub date: String,
    /// Hash of the simulator; None if it is not known.
    pub sources: Option<String>,
    /// Hash of the experiment; None if it is not known.
    pub experiment: Option<String>,
    /// Number of runs.
    pub runs: usize,
    /// Number of seeds, from 1 on.
    pub seeds: u64,
    /// Verdicts, in the order of the experiment's checks.
    pub checks: Vec<CheckRecord>,
}

/// Verdict of one check.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRecord {
    /// Name of the check.
    pub what: String,
    /// Section of the source.
    pub section: String,
    /// Statement of the source.
    pub reported: String,
    /// Bounds of the value, as tables print them.
    pub expected: String,
    /// Measured values, as tables print them.
    pub measured: String,
    /// Distance to the number of the source, as tables print it; empty without a number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub off: String,
    /// Distance to the number of the source, %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_percent: Option<f64>,
    /// Result of another program and distance to it, as tables print them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub off_rerun: String,
    /// Verdict of the run.
    pub state: State,
    /// Cause of the verdict, if it is not "holds".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Value of each point; empty if only the printed ones are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueRecord>,
}

/// Value of a check at one point.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ValueRecord {
    /// Point, `q = 35`.
    pub at: String,
    /// Mean over the seeds, 6 digits.
    pub mean: Option<f64>,
    /// Half width of the 95 % interval, 3 digits; None with one seed.
    pub half_width_95: Option<f64>,
}

/// State of an experiment's stored result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Simulator and experiment are those of the program.
    Current,
    /// Simulator or experiment has changed.
    Stale,
    /// There is no result.
    Missing,
}

impl Standing {
    /// Returns the word for tables.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Current => "current",
            Standing::Stale => "stale",
            Standing::Missing => "none",
        }
    }
}

/// Reason why results cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file or directory cannot be read.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// A file is not a result.
    #[error("{0}: not a result of an experiment: {1}; restore it, or remove it and run {2}")]
    Malformed(PathBuf, serde_json::Error, String),
    /// A file is of another version.
    #[error("{0}: version {1} of the format, known is {FORMAT}: use the airtab that wrote it")]
    Version(PathBuf, u64),
    /// A result has the hash of its experiment, and other checks.
    #[error("{0}: its checks are not those of the experiment: restore it, or remove it and run {1}")]
    Mixed(PathBuf, String),
    /// A file has the name of another experiment.
    #[error("{0}: has the result of {1}: rename it to {2}")]
    Misnamed(PathBuf, String, PathBuf),
    /// No experiment has the name of a file.
    #[error("{0}: no experiment '{1}': remove the file, or add experiments/{1}.toml")]
    Unknown(PathBuf, String),
}

/// Results by the ids of their experiments.
pub type Records = BTreeMap<String, Record>;

/// Reads all results in `experiments`, the directory of the repository's experiments.
///
/// # Errors
/// A file cannot be read, is not a result, or belongs to no experiment.
pub fn read_records(experiments: &Path) -> Result<Records, RecordError> {
    let known: BTreeMap<String, Experiment> = super::all().into_iter().map(|e| (e.id.clone(), e)).collect();
    let mut records = Records::new();
    for path in json_files(&experiments.join(RESULTS))? {
        let own = path.strip_prefix(experiments.join(RESULTS)).expect("it was found there");
        let id = own.with_extension("").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).map_err(|e| RecordError::Unreadable(path.clone(), e))?;
        let version =
            serde_json::from_str::<serde_json::Value>(&text).ok().and_then(|v| v["schema"].as_u64());
        if let Some(version) = version.filter(|version| *version != FORMAT) {
            return Err(RecordError::Version(path, version));
        }
        let record: Record =
            serde_json::from_str(&text).map_err(|e| RecordError::Malformed(path.clone(), e, id.clone()))?;
        if record.id != id {
            let right = experiments.join(record_path(&record.id));
            return Err(RecordError::Misnamed(path, record.id, right));
        }
        let Some(e) = known.get(&id) else { return Err(RecordError::Unknown(path, id)) };
        let told = |checks: &[CheckRecord]| checks.iter().map(|c| c.reported.clone()).collect::<Vec<_>>();
        let same = record.experiment.as_ref() == Some(&e.number());
        if same && told(&record.checks) != e.checks.iter().map(|c| c.reported.clone()).collect::<Vec<_>>() {
            return Err(RecordError::Mixed(path, id));
        }
        records.insert(id, record);
    }
    Ok(records)
}

/// JSON files below a directory; none if it does not exist.
fn json_files(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let unreadable = |e| RecordError::Unreadable(folder.into(), e);
    let mut found = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries.map_err(unreadable)?,
    };
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            found.extend(json_files(&path)?);
        } else if path.extension().is_some_and(|e| e == "json") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Path of the result of an experiment, in the directory of the experiments.
pub fn record_path(id: &str) -> PathBuf {
    Path::new(RESULTS).join(format!("{id}.json"))
}

impl Record {
    /// Result of a full run. `commit` is that of airtab, `date` the day of the run.
    pub fn new(e: &Experiment, outcome: &Outcome, verdicts: &[Verdict], commit: &str, date: &str) -> Record {
        let value = |v: &super::PointValue| ValueRecord {
            at: v.at.clone(),
            mean: v.mean.map(|mean| digits(mean, 6)),
            half_width_95: v.half_width_95.map(|half| digits(half, 3)),
        };
        let check = |v: &Verdict| CheckRecord {
            what: v.what.clone(),
            section: v.section.clone(),
            reported: v.reported.clone(),
            expected: v.expected.clone(),
            measured: v.measured.clone(),
            off: v.off.clone(),
            off_percent: v.off_percent.map(|percent| digits(percent, 3)),
            off_rerun: v.off_rerun.clone(),
            state: v.state,
            cause: v.cause.clone(),
            values: v.values.iter().map(value).collect(),
        };
        Record {
            schema: FORMAT,
            id: e.id.clone(),
            commit: commit.into(),
            date: date.into(),
            sources: Some(sources().into()),
            experiment: Some(e.number()),
            runs: outcome.runs,
            seeds: outcome.seeds,
            checks: verdicts.iter().map(check).collect(),
        }
    }

    /// Returns the text of its file.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("it has text keys and finite numbers") + "\n"
    }
}

/// Rounds a value to `most` significant digits.
fn digits(value: f64, most: usize) -> f64 {
    format!("{value:.*e}", most - 1).parse().expect("it was written as a number")
}

/// Keys of an experiment that no verdict depends on.
const PROSE: [&str; 11] = [
    "title",
    "source",
    "study",
    "about",
    "remarks",
    "class",
    "quick_seeds",
    "base",
    "figure",
    "course",
    "scatter",
];
/// Keys of a check that no verdict depends on.
const PROSE_OF_CHECK: [&str; 6] = ["what", "section", "known", "cause", "class", "quick"];
/// Keys of an axis that no verdict depends on.
const PROSE_OF_AXIS: [&str; 3] = ["label", "log", "x"];

impl Experiment {
    /// Hash of all that its verdicts depend on, except for the simulator: scenario with base, disciplines, seeds, axes and
    /// checks, and the code that computes verdicts. Comments, white space, titles, remarks and figures do not change it.
    ///
    /// # Panics
    /// Never: the file was read before.
    pub fn number(&self) -> String {
        let mut table: Table = toml::from_str(&self.toml).expect("it was read");
        PROSE.iter().for_each(|key| _ = table.remove(*key));
        for (list, keys) in [("check", &PROSE_OF_CHECK[..]), ("axis", &PROSE_OF_AXIS)] {
            let items = table.get_mut(list).and_then(Value::as_array_mut);
            for item in items.into_iter().flatten().filter_map(Value::as_table_mut) {
                keys.iter().for_each(|key| _ = item.remove(*key));
            }
        }
        if self.kind == Kind::Home {
            table.insert("scenario".into(), self.scenario.clone().into());
        }
        // Defaults are in other files of this crate.
        table.insert("seeds".into(), Value::Integer(self.seeds as i64));
        table.entry("queues").or_insert_with(|| self.labels().into());
        together(&[&of_table(&table), env!("AIRTAB_JUDGE")])
    }

    /// Whether the simulator makes some of its runs: in real time it makes those of an axis `live`.
    fn simulates(&self) -> bool {
        !self.live || self.axes.iter().any(|axis| axis.keys.iter().any(|key| key == "live"))
    }

    /// State of its result.
    pub fn standing(&self, record: Option<&Record>) -> Standing {
        match record {
            None => Standing::Missing,
            Some(record) if self.simulates() && record.sources.as_deref() != Some(sources()) => {
                Standing::Stale
            }
            Some(record) if record.experiment.as_ref() != Some(&self.number()) => Standing::Stale,
            Some(_) => Standing::Current,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::experiment::file::Purpose;

    const TEXT: &str = "title = \"t\"\nsource = \"s\"\nseeds = 3\nbase = \"base.toml\"\n[scenario]\nduration = \"6s\"\n\
                        [[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"2\"\nof = \"a.game_mos\"\nqueue = \"fifo\"\nleast = 1.5\n";
    const BASE: &str = "app = [{ name = \"a\", kind = \"game\" }]\n";

    fn number(text: &str, base: &str) -> String {
        let read = |_: &Path| Ok(base.to_string());
        Experiment::parse("x.toml", "x", text, &read, Purpose::Judge)
            .unwrap_or_else(|e| panic!("{e}"))
            .number()
    }

    #[test]
    fn comments_and_texts_do_not_change_the_hash_of_an_experiment() {
        let first = number(TEXT, BASE);
        let texts = [
            format!("# A comment.\n{}", TEXT.replace("seeds = 3", "seeds   = 3 # three")),
            TEXT.replace(
                "title = \"t\"",
                "title = \"u\"\nabout = \"more\"\nremarks = { fifo = \"long\" }\nquick_seeds = 1",
            ),
            TEXT.replace(
                "what = \"w\"",
                "what = \"v\"\nknown = \"because\"\ncause = \"shown\"\nclass = \"claim\"",
            ),
            format!("{TEXT}[[figure]]\ntitle = \"f\"\ny = \"a.game_mos\"\n"),
        ];
        for text in texts {
            assert_eq!(number(&text, BASE), first, "{text}");
        }
        assert_eq!(number(TEXT, &format!("# Another.\n{BASE}")), first);
        let whole = TEXT
            .replace("base = \"base.toml\"\n", "")
            .replace("[scenario]\n", &format!("[scenario]\n{BASE}"));
        assert_eq!(number(&whole, ""), first, "with its base in it");
        let usual = TEXT.replace(
            "seeds = 3",
            "seeds = 3\nqueues = [\"fifo\", \"fq_codel\", \"cake\", \"airtime_fq\", \"chap\"]",
        );
        assert_eq!(number(&usual, BASE), first, "defaults written out");
    }

    #[test]
    fn values_change_the_hash_of_an_experiment() {
        let first = number(TEXT, BASE);
        for (from, to) in [
            ("= 3", "= 4"),
            ("\"6s\"", "\"7s\""),
            ("1.5", "1.6"),
            ("\"2\"", "\"3\""),
            ("queue = \"fifo\"", "queue = \"chap\""),
        ] {
            assert!(TEXT.contains(from));
            assert_ne!(number(&TEXT.replace(from, to), BASE), first, "{from} to {to}");
        }
        assert_ne!(number(TEXT, &BASE.replace("kind", "latency = \"9ms\", kind")), first);
    }

    #[test]
    fn a_result_is_stale_if_a_hash_differs() {
        let e = crate::experiment::find("chap/constants").unwrap();
        let outcome = Outcome { quick: false, seeds: 1, runs: 1, points: Vec::new() };
        let record = Record::new(&e, &outcome, &[], "c", "2026-11-28");
        assert_eq!(e.standing(Some(&record)), Standing::Current);
        assert_eq!(e.standing(None), Standing::Missing);
        for (simulator, experiment) in [(None, record.experiment.clone()), (record.sources.clone(), None)] {
            let other = Record { sources: simulator, experiment, ..record.clone() };
            assert_eq!(e.standing(Some(&other)), Standing::Stale);
        }
        let live = Experiment { live: true, ..e };
        let other = Record { sources: None, ..record };
        assert_eq!(live.standing(Some(&other)), Standing::Current, "in real time");
        let both = crate::experiment::find("live/sim-vs-live").unwrap();
        let other = Record { experiment: Some(both.number()), ..other };
        assert_eq!(both.standing(Some(&other)), Standing::Stale, "half of its points are simulated");
    }

    #[test]
    fn numbers_are_rounded() {
        assert_eq!(
            [digits(123_456.789, 6), digits(-0.012_345, 3), digits(0.0, 3)],
            [123_457.0, -0.0123, 0.0]
        );
    }

    /// An experiment in which every key is there once.
    const WHOLE: &str = r#"
        title = "t"
        source = "s"
        study = "st"
        about = "ab"
        class = "claim"
        seeds = 5
        quick_seeds = 1
        queues = ["fifo", "chap"]
        remarks = { fifo = "re" }
        [scenario]
        duration = "6s"
        app = [{ name = "a", kind = "game" }, { name = "b", kind = "video" }]
        [[axis]]
        name = "q"
        label = "la"
        log = false
        keys = ["queue.fifo.limit"]
        values = [20, 40]
        x = [1, 2]
        [[figure]]
        title = "fi"
        y = "a.game_mos"
        [[course]]
        title = "co"
        y = "queue"
        [[scatter]]
        title = "sc"
        app = "b"
        y = "frames"
        [[check]]
        what = "wh"
        section = "se"
        reported = "rp"
        of = "a.game_mos"
        queue = "fifo"
        at = { q = 20 }
        divided_by = { queue = "chap" }
        least = 1.5
        most = 2.5
        rerun = 3
        known = "kn"
        cause = "open"
        class = "oracle"
        quick = true
    "#;

    /// A result stays current when a text changes, and does not when a number does that its verdicts rest on.
    #[test]
    fn each_key_of_an_experiment_is_text_or_value() {
        let first = number(WHOLE, "");
        let changed = |from: &str, to: &str| {
            assert_eq!(WHOLE.matches(from).count(), 1, "{from}");
            number(&WHOLE.replace(from, to), "")
        };
        for (from, to) in [
            ("\"t\"\n        source", "\"u\"\n        source"),
            ("source = \"s\"", "source = \"u\""),
            ("\"st\"", "\"su\""),
            ("\"ab\"", "\"ac\""),
            ("class = \"claim\"", "class = \"question\""),
            ("quick_seeds = 1", "quick_seeds = 2"),
            ("\"re\"", "\"rf\""),
            ("\"la\"", "\"lb\""),
            ("log = false", "log = true"),
            ("x = [1, 2]", "x = [1, 3]"),
            ("\"fi\"", "\"fj\""),
            ("\"co\"", "\"cp\""),
            ("\"sc\"", "\"sd\""),
            ("\"wh\"", "\"wi\""),
            ("\"se\"", "\"sf\""),
            ("\"kn\"", "\"ko\""),
            ("cause = \"open\"", "cause = \"shown\""),
            ("\"oracle\"", "\"published\""),
            ("quick = true", "quick = false"),
        ] {
            assert_eq!(changed(from, to), first, "{from} to {to}");
        }
        let mut seen = vec![first];
        for (from, to) in [
            ("seeds = 5", "seeds = 6"),
            ("[\"fifo\", \"chap\"]", "[\"chap\", \"fifo\"]"),
            ("[\"fifo\", \"chap\"]", "[\"fifo\", \"chap\", \"red\"]"),
            ("\"6s\"", "\"7s\""),
            ("kind = \"video\"", "kind = \"voip\""),
            ("queue.fifo.limit", "queue.chap.limit"),
            ("values = [20, 40]", "values = [20, 50]"),
            ("\"rp\"", "\"rq\""),
            ("\"a.game_mos\"\n        queue", "\"a.delay_seconds\"\n        queue"),
            ("queue = \"fifo\"", "queue = \"chap\"\n        pages = \"larger\""),
            ("{ q = 20 }", "{ q = 40 }"),
            ("divided_by = { queue = \"chap\" }", "minus = { queue = \"chap\" }"),
            ("least = 1.5", "least = 1.4"),
            ("most = 2.5", "most = 2.6"),
            ("rerun = 3", "rerun = 4"),
        ] {
            let text = WHOLE.replacen(from, to, 1);
            assert_ne!(text, WHOLE, "{from}");
            let read = |_: &Path| Ok(String::new());
            // A change that another rule refuses is none.
            let Ok(e) = Experiment::parse("x.toml", "x", &text, &read, Purpose::Judge) else {
                assert!(to.contains("pages"), "{to}");
                continue;
            };
            let other = e.number();
            assert!(!seen.contains(&other), "{from} to {to}");
            seen.push(other);
        }
        // What is not said is as what is said.
        let without = WHOLE.replace("seeds = 5\n        quick_", "quick_");
        assert_ne!(without, WHOLE);
        assert_eq!(number(&without, ""), seen[0], "five seeds are usual");
        let server = "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\"]\n[server]\ntask = \"bursts\"\nservice = \"1ms\"\nbursts = 2\n";
        assert_ne!(number(server, ""), number(&server.replace("bursts = 2", "bursts = 3"), ""));
        assert_ne!(number(server, ""), number(&server.replace("1ms", "2ms"), ""));
    }

    /// Each field has its own value, rounded where it is a number.
    #[test]
    fn a_record_has_what_its_verdicts_have() {
        let e = super::super::made::parse(
            "title = \"t\"\nsource = \"s\"\n[scenario]\nduration = \"6s\"\napp = [{ name = \"a\", kind = \"game\" }]\n",
        );
        let values = vec![
            super::super::PointValue {
                at: "q = 20".into(),
                mean: Some(1.234_567_89),
                half_width_95: Some(0.123_456),
                holds: true,
            },
            super::super::PointValue { at: "q = 40".into(), mean: None, half_width_95: None, holds: false },
        ];
        let verdict = Verdict {
            what: "what".into(),
            section: "section".into(),
            reported: "reported".into(),
            expected: "expected".into(),
            measured: "measured".into(),
            values,
            distance: Some(7.0),
            off: "off".into(),
            off_percent: Some(-12.3456),
            rerun_distance: Some(8.0),
            off_rerun: "rerun".into(),
            state: State::Undecided,
            cause: Some("cause".into()),
        };
        let outcome = Outcome { quick: false, seeds: 4, runs: 9, points: Vec::new() };
        let record = Record::new(&e, &outcome, &[verdict], "commit", "date");
        let expected = serde_json::json!({
            "schema": 1,
            "id": "mine",
            "commit": "commit",
            "date": "date",
            "sources": sources(),
            "experiment": e.number(),
            "runs": 9,
            "seeds": 4,
            "checks": [{
                "what": "what",
                "section": "section",
                "reported": "reported",
                "expected": "expected",
                "measured": "measured",
                "off": "off",
                "off_percent": -12.3,
                "off_rerun": "rerun",
                "state": "undecided",
                "cause": "cause",
                "values": [
                    { "at": "q = 20", "mean": 1.23457, "half_width_95": 0.123 },
                    { "at": "q = 40", "mean": null, "half_width_95": null },
                ],
            }],
        });
        let text = record.json();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expected);
        assert!(text.ends_with("}\n"));
        assert_eq!(record_path("chap/it"), Path::new("results/chap/it.json"));
        // A hash that is known and one that is not.
        let of = |sources: Option<&str>, experiment: Option<String>| {
            e.standing(Some(&Record { sources: sources.map(String::from), experiment, ..record.clone() }))
                .word()
        };
        assert_eq!(of(Some(sources()), Some(e.number())), "current");
        assert_eq!(of(Some("0123456789abcdef"), Some(e.number())), "stale");
        assert_eq!(of(Some(sources()), Some("0123456789abcdef".into())), "stale");
        assert_eq!((of(None, Some(e.number())), of(Some(sources()), None)), ("stale", "stale"));
        assert_eq!(e.standing(None).word(), "none");
    }
}
