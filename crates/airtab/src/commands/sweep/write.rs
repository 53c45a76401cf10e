// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What `airtab sweep` shows and writes: `docs/sweeps.md` lists the files.
//!
//! Nothing in a file says how its runs came about (jobs, shards, interrupts), so that equal sweeps are equal files.

use std::io::{self, BufWriter, Stdout};

use airtab_lab::experiment::{Experiment, Outcome, PointScores, Settled, text};
use airtab_lab::frame::{AxisColumn, Csv, Parquet, Rows};
use airtab_lab::store::sources;
use airtab_lab::{count, quoted};
use airtab_scenario::digits::rounded;
use anyhow::Context;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::args::Sweep;
use crate::args::Format;
use crate::files::{Files, MANIFEST, Part};
use crate::output;

/// Version of the columns and of the manifest; grows when a reader of the older form would be misled.
const SCHEMA: u32 = 1;
const PARQUET: &str = "results.parquet";
const CSV: &str = "results.csv";
const JSON: &str = "results.json";

type File = BufWriter<NamedTempFile>;

/// Results on their way.
pub struct Results<'a> {
    args: &'a Sweep,
    experiment: &'a Experiment,
    seeds: &'a [u64],
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
        let files = args.out.as_deref().map(Files::new).transpose()?;
        let (mut parquet, mut csv, mut shown) = (None, None, None);
        if let Some(files) = &files {
            let about = [
                ("airtab.schema", SCHEMA.to_string()),
                ("airtab.version", env!("CARGO_PKG_VERSION").into()),
                ("airtab.git", env!("AIRTAB_GIT").into()),
                ("airtab.command", command(args)),
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
        if matches!(self.args.form.get(), Format::Table | Format::Json) {
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
        Ok(serde_json::to_string_pretty(&self.json(&outcome)).context("results as JSON")? + "\n")
    }

    /// Takes the points so far.
    fn outcome(&mut self) -> Outcome {
        let points = std::mem::take(&mut self.points);
        Outcome { quick: false, seeds: self.used as u64, runs: self.runs, points }
    }

    /// Ends the files, which are all there then, and prints the rest. Gives what there is to be said of it, by the line.
    ///
    /// # Errors
    /// Names the file that cannot be written; none is there then.
    pub fn finish(mut self) -> anyhow::Result<Vec<String>> {
        let mut said = Vec::new();
        let outcome = self.outcome();
        let json = match self.args.form.get() {
            Format::Json => {
                Some(serde_json::to_string_pretty(&self.json(&outcome)).context("results as JSON")? + "\n")
            }
            _ => None,
        };
        let (manifest, short) = (self.manifest(), self.short());
        if let Some(mut files) = self.files {
            let mut end = |name: &str, closed: Option<io::Result<File>>| -> anyhow::Result<()> {
                let Some(closed) = closed else { return Ok(()) };
                let buffer = closed.with_context(|| files.cannot(name))?;
                files.end(Part { buffer, name: name.into() }, Ok(()))
            };
            end(PARQUET, self.parquet.map(Parquet::close))?;
            end(CSV, self.csv.map(Csv::close))?;
            if let Some(json) = &json {
                files.add(JSON, |out| out.write_all(json.as_bytes()))?;
            }
            let mut names = files.names();
            names.push(MANIFEST.into());
            names.sort_unstable();
            let dir = self.args.out.as_deref().map_or(String::new(), |dir| dir.display().to_string());
            let mut manifest = manifest;
            manifest["files"] = json!(names);
            let manifest = serde_json::to_string_pretty(&manifest).context("manifest as JSON")? + "\n";
            files.add(MANIFEST, |out| out.write_all(manifest.as_bytes()))?;
            files.finish()?;
            said.push(format!("Wrote {} into {dir}.", names.join(", ")));
        } else if let Some(json) = &json {
            output::print(json)?;
        }
        if let Some(out) = self.shown {
            out.close().map_err(unshown)?;
        }
        if self.args.form.get() == Format::Table {
            output::print(&text::sweep(self.experiment, &outcome, output::stdout_style()))?;
        }
        said.extend(short);
        Ok(said)
    }

    /// What is said of points whose intervals are wider than asked for.
    pub fn short(&self) -> Option<String> {
        let until = self.experiment.until.as_ref()?;
        let short = || self.settled.iter().filter(|(_, _, settled)| !settled.met);
        let half = |settled: &Settled| settled.widest.1.unwrap_or(f64::INFINITY);
        let (at, seeds, settled) = short().reduce(|a, b| if half(&b.2) > half(&a.2) { b } else { a })?;
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
    fn until(&self) -> Option<Value> {
        let until = self.experiment.until.as_ref()?;
        let point = |(at, seeds, settled): &(Vec<usize>, usize, Settled)| {
            json!({
                "at": self.at(at),
                "seeds": seeds,
                "widest": settled.widest.0,
                "half_width": settled.widest.1,
                "met": settled.met,
            })
        };
        Some(json!({
            "metric": until.metric,
            "half_width": until.half_width,
            "first": until.rounds.first,
            "most": self.seeds.len(),
            "points": self.settled.iter().map(point).collect::<Vec<_>>(),
        }))
    }

    /// The values of the axes at a point.
    fn at(&self, at: &[usize]) -> serde_json::Map<String, Value> {
        let at = at.iter().zip(&self.experiment.axes);
        at.map(|(i, axis)| (axis.name.clone(), axis.values[*i].text.clone().into())).collect()
    }

    fn axes(&self) -> Value {
        let axis = |axis: &airtab_lab::experiment::Axis| {
            let values: Vec<&str> = axis.values.iter().map(|value| value.text.as_str()).collect();
            json!({ "name": axis.name, "values": values })
        };
        self.experiment.axes.iter().map(axis).collect()
    }

    fn manifest(&self) -> Value {
        let queues: Vec<&str> = self.experiment.queues.iter().map(|q| q.label.as_str()).collect();
        let mut manifest = json!({
            "schema": SCHEMA,
            "version": env!("CARGO_PKG_VERSION"),
            "git": env!("AIRTAB_GIT"),
            "sources": sources(),
            "command": command(self.args),
            "title": self.experiment.title,
            "axes": self.axes(),
            "queues": queues,
            "seeds": self.seeds[..self.used],
            "runs": self.runs,
        });
        if let Some(until) = self.until() {
            manifest["until"] = until;
        }
        manifest
    }

    fn json(&self, outcome: &Outcome) -> Value {
        let point = |point: &PointScores| json!({ "at": self.at(&point.at), "queues": point.queues });
        let mut data = self.manifest();
        data["points"] = outcome.points.iter().map(point).collect();
        data
    }
}

/// As other writers of standard output say it.
fn unshown(e: io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("cannot write to standard output: {e}"))
}

/// The options that decide on the figures.
fn command(args: &Sweep) -> String {
    let mut words = vec!["airtab".to_string(), "sweep".into(), quoted(&args.file.to_string_lossy())];
    let pairs =
        args.axis.iter().map(|pair| ("--axis", pair)).chain(args.set.iter().map(|pair| ("--set", pair)));
    words.extend(
        pairs.flat_map(|(option, pair)| {
            [option.to_string(), quoted(&format!("{}={}", pair.path, pair.value))]
        }),
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
