// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What `airtab sweep` shows and writes: `docs/sweeps.md` lists the files.
//!
//! Nothing in a file says how its runs came about (jobs, shards, interrupts), so that equal sweeps are equal files.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Stdout};

use airtab_lab::experiment::{
    Experiment, Outcome, PointScores, Settled, SweepResults, UntilPoint, UntilReached, page, sweep_figures,
    text,
};
use airtab_lab::frame::{AxisColumn, Csv, Parquet, Rows};
use airtab_lab::store::sources;
use airtab_lab::{count, quoted, text_hash};
use airtab_scenario::digits::rounded;
use airtab_scenario::{is_file, names_file};
use anyhow::Context;
use tempfile::NamedTempFile;

use super::args::Sweep;
use crate::commands::experiment::built;
use crate::files::{FIGURE, Files, INPUT, MANIFEST, PAGE, Part};
use crate::form::Format;
use crate::inputs::Inputs;
use crate::output;

/// Version of the columns and of the manifest; grows when a reader of the older form would be misled.
const SCHEMA: u32 = 1;
const PARQUET: &str = "results.parquet";
const CSV: &str = "results.csv";
const JSON: &str = "results.json";

type File = BufWriter<NamedTempFile>;
/// A path and its value, or values.
type Pair = (String, String);

/// Points of a sweep that has its numbers on a page, at most.
const MOST_DRAWN: usize = 500;

/// What was written.
pub struct Finished {
    /// Names of the files.
    pub names: Vec<String>,
    /// What there is to be said of it, by the line.
    pub said: Vec<String>,
}

/// Results on their way.
pub struct Results<'a> {
    args: &'a Sweep,
    experiment: &'a Experiment,
    seeds: &'a [u64],
    /// What makes the same in the folder of its files.
    command: String,
    /// A hash of each file that was copied, by its name.
    inputs: BTreeMap<String, String>,
    /// Whether its points go into a page.
    drawn: bool,
    /// Seeds that some point has.
    used: usize,
    runs: usize,
    /// Of a sweep with `until`: how far each point came.
    settled: Vec<(Vec<usize>, usize, Settled)>,
    rows: Rows<'a>,
    files: Option<Files>,
    parquet: Option<Parquet<File>>,
    csv: Option<Csv<File>>,
    /// The same for standard output.
    shown: Option<Csv<Stdout>>,
    /// What tables and JSON are made of.
    points: Vec<PointScores>,
}

impl<'a> Results<'a> {
    /// Begins what is written while it runs.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn begin(
        args: &'a Sweep,
        experiment: &'a Experiment,
        columns: &'a [AxisColumn],
        seeds: &'a [u64],
    ) -> anyhow::Result<Results<'a>> {
        let rows = Rows::new(columns, seeds);
        let mut files = args.out.as_deref().map(Files::new).transpose()?;
        let (command, inputs) = alone(args, experiment, files.as_mut())?;
        let drawn = files.is_some() && experiment.size() <= MOST_DRAWN;
        let (mut parquet, mut csv, mut shown) = (None, None, None);
        if let Some(files) = &files {
            let about = [
                ("airtab.schema", SCHEMA.to_string()),
                ("airtab.version", env!("CARGO_PKG_VERSION").into()),
                ("airtab.git", env!("AIRTAB_GIT").into()),
                ("airtab.command", command.clone()),
                ("airtab.scenario", experiment.title.clone()),
                ("airtab.sources", sources().into()),
            ];
            let file = Parquet::new(files.begin(PARQUET)?.buffer, rows.schema(), &about);
            parquet = Some(file.with_context(|| files.cannot(PARQUET))?);
        }
        match (&files, args.form.get()) {
            (Some(files), Format::Csv) => {
                let file = Csv::new(files.begin(CSV)?.buffer, &rows.schema());
                csv = Some(file.with_context(|| files.cannot(CSV))?);
            }
            (None, Format::Csv) => shown = Some(Csv::new(io::stdout(), &rows.schema()).map_err(unshown)?),
            _ => {}
        }
        Ok(Results {
            args,
            experiment,
            seeds,
            command,
            inputs,
            drawn,
            used: 0,
            runs: 0,
            settled: Vec::new(),
            rows,
            files,
            parquet,
            csv,
            shown,
            points: Vec::new(),
        })
    }

    /// Adds a point.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn add(&mut self, point: PointScores) -> anyhow::Result<()> {
        self.used = self.used.max(point.seeds);
        self.runs += point.seeds * point.queues.len();
        self.settled.extend(point.settled.clone().map(|settled| (point.at.clone(), point.seeds, settled)));
        if self.parquet.is_some() || self.csv.is_some() || self.shown.is_some() {
            point.queues.iter().for_each(|q| self.rows.add(&point.at, q));
            let batch = self.rows.batch();
            let cannot = |name| self.files.as_ref().map_or(String::new(), |files| files.cannot(name));
            if let Some(file) = &mut self.parquet {
                file.write(&batch).with_context(|| cannot(PARQUET))?;
            }
            if let Some(file) = &mut self.csv {
                file.write(&batch).with_context(|| cannot(CSV))?;
            }
            if let Some(out) = &mut self.shown {
                out.write(&batch).map_err(unshown)?;
            }
        }
        if self.drawn || matches!(self.args.form.get(), Format::Table | Format::Json) {
            self.points.push(point);
        }
        Ok(())
    }

    /// What `--format json` prints of the points so far.
    ///
    /// # Errors
    /// None that is known.
    pub fn json_text(&mut self) -> anyhow::Result<String> {
        let outcome = self.outcome();
        self.json(&outcome)
    }

    /// Takes the points so far.
    fn outcome(&mut self) -> Outcome {
        let points = std::mem::take(&mut self.points);
        Outcome { quick: false, seeds: self.used as u64, runs: self.runs, points }
    }

    /// Ends the files, which are all there then, and prints the rest.
    ///
    /// # Errors
    /// Names the file that cannot be written; none is there then.
    pub fn finish(mut self) -> anyhow::Result<Finished> {
        let mut done = Finished { names: Vec::new(), said: Vec::new() };
        let outcome = self.outcome();
        let json = match self.args.form.get() {
            Format::Json => Some(self.json(&outcome)?),
            _ => None,
        };
        if let Some(mut files) = self.files.take() {
            let mut end = |name: &str, closed: Option<io::Result<File>>| -> anyhow::Result<()> {
                let Some(closed) = closed else { return Ok(()) };
                let buffer = closed.with_context(|| files.cannot(name))?;
                files.end(Part { buffer, name: name.into() }, Ok(()))
            };
            end(PARQUET, self.parquet.take().map(Parquet::close))?;
            end(CSV, self.csv.take().map(Csv::close))?;
            if let Some(json) = &json {
                files.add(JSON, |out| out.write_all(json.as_bytes()))?;
            }
            self.draw(&mut files, &outcome)?;
            let mut names = files.names();
            names.push(MANIFEST.into());
            names.sort_unstable();
            let about =
                SweepResults { files: Some(names.clone()), inputs: self.inputs.clone(), ..self.about() };
            let manifest = printed(&about)?;
            files.add(MANIFEST, |out| out.write_all(manifest.as_bytes()))?;
            files.finish()?;
            let dir = self.args.out.as_deref().map_or(String::new(), |dir| dir.display().to_string());
            done.said.push(format!("Wrote {} into {dir}: open {dir}/{PAGE}.", named(&names)));
            done.names = names;
        } else if let Some(json) = &json {
            output::print(json)?;
        }
        done.said.extend(self.short());
        if let Some(out) = self.shown.take() {
            out.close().map_err(unshown)?;
        }
        if self.args.form.get() == Format::Table {
            output::print(&text::sweep(self.experiment, &outcome, output::stdout_style()))?;
        }
        Ok(done)
    }

    /// The page, and its figures.
    fn draw(&self, files: &mut Files, outcome: &Outcome) -> anyhow::Result<()> {
        let none = Outcome { quick: false, seeds: outcome.seeds, runs: outcome.runs, points: Vec::new() };
        let outcome = if self.drawn { outcome } else { &none };
        let figures = sweep_figures(self.experiment, outcome);
        let page = page(self.experiment, outcome, &[], &figures, &self.command, &built());
        files.add(PAGE, |out| out.write_all(page.as_bytes()))?;
        files.add_figures(FIGURE, &figures)
    }

    /// What is said of points whose intervals are wider than asked for.
    pub fn short(&self) -> Option<String> {
        let until = self.experiment.until.as_ref()?;
        let short = || self.settled.iter().filter(|(_, _, settled)| !settled.met);
        let (at, seeds, settled) = short().reduce(|a, b| if b.2.is_wider_than(&a.2) { b } else { a })?;
        let place = [self.experiment.place(at), settled.widest.0.clone()];
        let place: Vec<&str> = place.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        let width = settled.widest.1.map_or("no interval".into(), |half| {
            // To its third digit: it is held against what was asked for.
            format!("± {}", rounded(half, Some(half / 10.0), 15))
        });
        Some(format!(
            "warning: {} of {} with {} wider than ± {} of {}; the widest: {}: {width}. Allow more seeds (--most, --seeds), \
             or more width",
            short().count(),
            count(self.settled.len(), "point"),
            count(*seeds, "seed"),
            until.half_width,
            until.metric,
            place.join(", "),
        ))
    }

    /// What was asked for with `until`, and how far each point came.
    fn until(&self) -> Option<UntilReached<'_>> {
        let until = self.experiment.until.as_ref()?;
        let points = self.settled.iter().map(|(at, seeds, settled)| UntilPoint {
            at: self.experiment.at(at),
            seeds: *seeds,
            widest: &settled.widest.0,
            half_width: settled.widest.1,
            met: settled.met,
        });
        Some(UntilReached {
            metric: &until.metric,
            half_width: until.half_width,
            first: until.rounds.first,
            most: self.seeds.len(),
            points: points.collect(),
        })
    }

    /// What there is to say of it, without points and files.
    fn about(&self) -> SweepResults<'_> {
        SweepResults {
            schema: SCHEMA,
            build: output::BUILD,
            sources: sources(),
            command: self.command.clone(),
            title: &self.experiment.title,
            axes: self.experiment.axis_values(),
            queues: self.experiment.queues.iter().map(|q| q.label.as_str()).collect(),
            seeds: &self.seeds[..self.used],
            runs: self.runs,
            until: self.until(),
            points: None,
            files: None,
            inputs: BTreeMap::new(),
        }
    }

    fn json(&self, outcome: &Outcome) -> anyhow::Result<String> {
        let points = Some(self.experiment.point_results(&outcome.points));
        printed(&SweepResults { points, ..self.about() })
    }
}

/// With its keys in alphabetical order.
fn printed(results: &SweepResults) -> anyhow::Result<String> {
    let value = serde_json::to_value(results).context("results as JSON")?;
    Ok(format!("{value:#}\n"))
}

/// As other writers of standard output say it.
fn unshown(e: io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("cannot write to standard output: {e}"))
}

/// Puts what is swept into the folder, with the files that it names; gives the command that makes the same there, and a hash
/// of each file. Without a folder the command is that of the file itself.
fn alone(
    args: &Sweep,
    experiment: &Experiment,
    files: Option<&mut Files>,
) -> anyhow::Result<(String, BTreeMap<String, String>)> {
    let Some(files) = files else {
        return Ok((command(args, &args.file.to_string_lossy(), &args.axis, &args.set), BTreeMap::new()));
    };
    let mut inputs = Inputs::default();
    let text = experiment.alone(&mut |path, name| inputs.rename(path, name));
    let (mut axes, mut sets) = (args.axis.clone(), args.set.clone());
    let mut name = |value: &str| match is_file(value) {
        true => inputs.rename(&experiment.beside(value), value).unwrap_or_else(|| value.into()),
        false => value.to_string(),
    };
    for (_, values) in axes.iter_mut().filter(|(path, _)| names_file(path)) {
        *values = values.split(',').map(&mut name).collect::<Vec<String>>().join(",");
    }
    for (_, value) in sets.iter_mut().filter(|(path, _)| names_file(path)) {
        *value = name(value.trim().trim_matches(['"', '\'']));
    }
    files.spare(INPUT, text.as_bytes())?;
    files.add(INPUT, |out| out.write_all(text.as_bytes()))?;
    let mut hashes = inputs.copy(files)?;
    hashes.insert(INPUT.into(), text_hash(text.as_bytes()));
    Ok((command(args, INPUT, &axes, &sets), hashes))
}

/// Figures are many.
fn named(names: &[String]) -> String {
    let (figures, others): (Vec<&str>, Vec<&str>) =
        names.iter().map(String::as_str).partition(|name| name.starts_with(FIGURE));
    match figures.len() / 2 {
        0 => others.join(", "),
        n => format!(
            "{} and {} ({FIGURE}*.svg, each with its data as .csv)",
            others.join(", "),
            count(n, "figure")
        ),
    }
}

/// The options that decide on the figures.
fn command(args: &Sweep, file: &str, axes: &[Pair], sets: &[Pair]) -> String {
    let mut words = vec!["airtab".to_string(), "sweep".into(), quoted(file)];
    let pairs = axes.iter().map(|pair| ("--axis", pair)).chain(sets.iter().map(|pair| ("--set", pair)));
    words.extend(
        pairs.flat_map(|(option, (path, value))| [option.to_string(), quoted(&format!("{path}={value}"))]),
    );
    if let Some(queues) = &args.queues {
        let labels: Vec<&str> = queues.iter().map(|q| q.label.as_str()).collect();
        words.extend(["--queues".into(), quoted(&labels.join(","))]);
    }
    if let Some(seeds) = &args.seeds {
        words.extend(["--seeds".into(), seeds.text.clone()]);
    }
    if let Some((metric, half_width)) = &args.until {
        words.extend(["--until".into(), quoted(&format!("{metric}={half_width}"))]);
    }
    for (option, seeds) in [("--first", args.first), ("--most", args.most)] {
        words.extend(seeds.into_iter().flat_map(|n| [option.to_string(), n.to_string()]));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn parsed(words: &[&str]) -> Sweep {
        match Args::try_parse_from([&["airtab", "sweep"], words].concat())
            .unwrap_or_else(|e| panic!("{e}"))
            .command
        {
            Command::Sweep(args) => args,
            _ => panic!("another command"),
        }
    }

    /// Options that change figures are part of the command, as given; others are not.
    #[test]
    fn the_command_repeats_what_decides_on_the_figures() {
        let line = |words: &[&str]| {
            let args = parsed(words);
            command(&args, "input.toml", &args.axis, &args.set)
        };
        let base = "airtab sweep input.toml";
        assert_eq!(line(&["x.toml"]), base);
        for words in [
            ["--axis", "wifi.attempts=4,7"],
            ["--set", "duration=3s"],
            ["--queues", "fifo,chap:limit=7"],
            ["--seeds", "3-5"],
            ["--seeds", "1,5,9"],
            ["--until", "game.game_mos=0.05"],
            ["--first", "7"],
            ["--most", "77"],
        ] {
            assert_eq!(line(&[&["x.toml"][..], &words].concat()), format!("{base} {}", words.join(" ")));
        }
        for words in
            [&["--jobs", "3"][..], &["--no-cache"], &["--json"], &["--out", "d"], &["--budget", "3s"]]
        {
            assert_eq!(line(&[&["x.toml"][..], words].concat()), base, "{words:?}");
        }
        let all = "x.toml --axis a.b=1,2 --axis c.d=3 --set e.f=4 --set g.h=5 --queues fifo --seeds 2 --until m.n=0.5 --first 3 --most 9";
        let all: Vec<&str> = all.split(' ').collect();
        assert_eq!(line(&all), format!("{base} {}", all[1..].join(" ")));
        assert_eq!(
            line(&["x.toml", "--set", "app.\"our film\".start=2s"]),
            format!("{base} --set 'app.\"our film\".start=2s'")
        );
    }

    /// A call of 50 ms for a station at four distances, until its score is known to 0.05.
    const SWEEP: &str = r#"
queues = ["fifo", "chap"]

[scenario]
duration = "60ms"
measure = ["10ms", "60ms"]
station = [{ name = "far" }]
app = [{ name = "call", kind = "voip", station = "far" }]

[[axis]]
name = "distance"
keys = "station.far.distance"
values = [1, 4, 8, 12]

[until]
metric = "call.voip_mos"
half_width = 0.05
first = 2
most = 4
"#;

    /// Runs `test` on the results of a sweep without points, and on its experiment.
    fn begun<T>(text: &str, words: &[&str], test: impl FnOnce(&Experiment, Results) -> T) -> T {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("sweep.toml");
        std::fs::write(&file, text).expect("written");
        let args = parsed(&[&[file.to_str().expect("UTF-8")], words].concat());
        let experiment = crate::commands::sweep::asked(&args).unwrap_or_else(|e| panic!("{e}"));
        let columns = experiment.columns().expect("columns");
        let results = Results::begin(&args, &experiment, &columns, &[7, 5, 3, 1]);
        test(&experiment, results.unwrap_or_else(|e| panic!("{e}")))
    }

    /// A point of axis value `at`.
    fn settled(
        at: usize,
        seeds: usize,
        met: bool,
        (queue, half): (&str, Option<f64>),
    ) -> (Vec<usize>, usize, Settled) {
        (vec![at], seeds, Settled { widest: (queue.into(), half), met })
    }

    /// Points that are narrow enough are counted among all, but are neither short nor the widest.
    #[test]
    fn the_warning_counts_points_that_are_too_wide_and_names_the_widest() {
        begun(SWEEP, &[], |_, mut results| {
            assert_eq!(results.short(), None);
            results.settled =
                vec![settled(0, 2, true, ("fifo", Some(0.04))), settled(3, 4, true, ("fifo", Some(2.0)))];
            assert_eq!(results.short(), None);
            let place = |results: &Results| {
                let said = results.short().expect("some are short");
                let end = ". Allow more seeds (--most, --seeds), or more width";
                said.strip_suffix(end).unwrap_or_else(|| panic!("{said}")).to_string()
            };
            results.settled.extend([
                settled(1, 3, false, ("fifo", Some(0.25))),
                settled(2, 4, false, ("chap", Some(0.75))),
                settled(3, 2, false, ("fifo", Some(0.75))),
            ]);
            assert_eq!(
                place(&results),
                "warning: 3 of 5 points with 4 seeds wider than ± 0.05 of call.voip_mos; the widest: distance = 8, chap: \
                 ± 0.750"
            );
            results.settled.push(settled(0, 1, false, ("fifo", None)));
            assert_eq!(
                place(&results),
                "warning: 4 of 6 points with 1 seed wider than ± 0.05 of call.voip_mos; the widest: distance = 1, fifo: \
                 no interval"
            );
            results.settled = vec![settled(1, 2, false, ("chap", Some(0.123_456)))];
            assert_eq!(
                place(&results),
                "warning: 1 of 1 point with 2 seeds wider than ± 0.05 of call.voip_mos; the widest: distance = 4, chap: \
                 ± 0.123"
            );
        });
    }

    /// The manifest has what was asked for of the intervals, and how far each point came.
    #[test]
    fn the_manifest_tells_how_far_each_point_came() {
        begun(SWEEP, &[], |_, mut results| {
            results.settled =
                vec![settled(2, 3, true, ("chap", Some(0.04))), settled(1, 4, false, ("fifo", None))];
            (results.used, results.runs) = (3, 14);
            let about = serde_json::to_value(results.about()).expect("JSON");
            assert_eq!(
                about["until"],
                serde_json::json!({ "metric": "call.voip_mos", "half_width": 0.05, "first": 2, "most": 4, "points": [
                    { "at": { "distance": "8" }, "seeds": 3, "widest": "chap", "half_width": 0.04, "met": true },
                    { "at": { "distance": "4" }, "seeds": 4, "widest": "fifo", "half_width": null, "met": false },
                ] })
            );
            assert_eq!(about["seeds"], serde_json::json!([7, 5, 3]));
            assert_eq!((&about["runs"], &about["title"]), (&14.into(), &"sweep".into()));
            assert_eq!(about["queues"], serde_json::json!(["fifo", "chap"]));
            assert_eq!(about["axes"][0]["values"], serde_json::json!(["1", "4", "8", "12"]));
            assert_eq!(about["sources"], airtab_lab::store::sources());
            assert!(about["command"].as_str().is_some_and(|command| {
                command.starts_with("airtab sweep /") && command.ends_with("/sweep.toml")
            }));
        });
    }

    /// Seeds are those of the point that has most, runs those of all points.
    #[test]
    fn points_sum_to_runs_and_the_most_seeds() {
        let (text, _) = SWEEP.split_once("[until]").expect("it has one");
        begun(&format!("seeds = 2\n{text}"), &[], |experiment, mut results| {
            let stop = std::sync::atomic::AtomicBool::new(false);
            let store = airtab_lab::store::NoStore;
            let options = airtab_lab::experiment::RunOptions::new(&store, &stop);
            let sweep = airtab_lab::experiment::Sweep::new(experiment, &options).expect("a sweep");
            let mut seeds = [1, 4, 3, 2].into_iter();
            let ran = sweep.run(&|| (), &mut |mut point| {
                point.seeds = seeds.next().expect("four points");
                results.add(point).expect("added");
            });
            ran.expect("it runs");
            assert_eq!((results.used, results.runs), (4, 2 * (1 + 4 + 3 + 2)));
            let outcome = results.outcome();
            assert_eq!((outcome.seeds, outcome.runs, outcome.points.len()), (4, 20, 4));
            assert!(results.short().is_none() && results.until().is_none(), "nothing was asked for");
        });
    }

    #[test]
    fn a_page_draws_at_most_500_points() {
        for (points, drawn) in [(499, true), (500, true), (501, false)] {
            let text = SWEEP
                .replace(
                    "values = [1, 4, 8, 12]",
                    &format!("range = {{ from = 1, to = {points}, step = 1 }}"),
                )
                .replace("station.far.distance", "queue.fifo.limit");
            let out = tempfile::tempdir().expect("a directory");
            begun(&text, &["--out", out.path().to_str().expect("UTF-8")], |experiment, results| {
                assert_eq!((experiment.size(), results.drawn), (points, drawn));
            });
            begun(&text, &[], |_, results| assert!(!results.drawn, "without a directory there is no page"));
        }
    }

    #[test]
    fn figures_are_counted_and_others_named() {
        let names = |all: &[&str]| named(&all.iter().map(|name| name.to_string()).collect::<Vec<_>>());
        assert_eq!(names(&["index.html", "results.csv"]), "index.html, results.csv");
        assert_eq!(
            names(&["figure-a.csv", "figure-a.svg", "figure-b.csv", "figure-b.svg", "index.html"]),
            "index.html and 2 figures (figure-*.svg, each with its data as .csv)"
        );
    }
}
