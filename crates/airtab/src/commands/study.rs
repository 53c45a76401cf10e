// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What `airtab compare --out` writes: `docs/report.md` lists the files.

use std::collections::BTreeMap;
use std::path::Path;

use airtab_core::Params;
use airtab_lab::flent::{Document, Plan};
use airtab_lab::{
    Capture, Comparison, Manifest, Options, Origin, Report, Stopped, Story, compare_command, figures, frame,
    html, scenario_hash, study, write_parquet,
};
use airtab_scenario::{ScenarioFile, rename_files};
use anyhow::Context;

use crate::args::Compare;
use crate::files::{FIGURE, Files, MANIFEST, PAGE, Part, SCENARIO};
use crate::inputs::Inputs;
use crate::output;

/// A comparison whose files are wanted.
pub struct Job<'a> {
    /// How long captures are, ns, if they are wanted.
    pcap: Option<u64>,
    /// The command line that repeats it there.
    command: String,
    /// The scenario's text as it is there, and a hash of each file that it names.
    text: String,
    inputs: BTreeMap<String, String>,
    /// What is run.
    file: &'a ScenarioFile,
    queues: &'a [(String, Params)],
    files: Files,
    stories: Vec<Story>,
    /// One for each discipline, if captures are wanted, and what came of writing it.
    captures: Vec<Part>,
    captured: Vec<std::io::Result<u64>>,
}

impl<'a> Job<'a> {
    /// Begins the files that are written while it runs. What the scenario names is looked for in `folder`.
    ///
    /// # Errors
    /// Names the file that cannot be, or that is somebody's.
    pub fn new(
        (command, pcap): (String, Option<u64>),
        (file, folder): (&'a ScenarioFile, &Path),
        queues: &'a [(String, Params)],
        mut files: Files,
    ) -> anyhow::Result<Job<'a>> {
        let mut inputs = Inputs::default();
        let text = rename_files(&file.text, &mut |name| inputs.rename(&folder.join(name), name))?;
        files.spare(SCENARIO, text.as_bytes())?;
        let inputs = inputs.copy(&mut files)?;
        let wanted = if pcap.is_some() { queues } else { &[] };
        let begin = |(label, _): &(String, Params)| files.begin(format!("air-{}.pcapng", file_name(label)));
        let captures = wanted.iter().map(begin).collect::<Result<_, _>>()?;
        Ok(Job {
            pcap,
            command,
            text,
            inputs,
            file,
            queues,
            files,
            stories: Vec::new(),
            captures,
            captured: Vec::new(),
        })
    }

    /// Runs it: each discipline once with each seed. Gives the files for flent, too, if there is a plan.
    ///
    /// # Errors
    /// [`Stopped`]: none of the files is there then.
    pub fn run(
        &mut self,
        options: &Options,
        plan: Option<&Plan>,
    ) -> Result<(Comparison, Vec<Document>), Stopped> {
        // What is run: the short schedule, if it was asked for.
        let run = if options.short {
            airtab_scenario::short(&self.file.scenario)
        } else {
            self.file.scenario.clone()
        };
        let start = run.measure_ns.start;
        let span = start..start.saturating_add(self.pcap.unwrap_or(0)).min(run.duration_ns);
        let parts = self.captures.iter_mut();
        let captures = parts.map(|part| Capture { span: span.clone(), out: &mut part.buffer }).collect();
        let study = study(&self.file.scenario, self.queues, options, captures, plan, None)?;
        (self.stories, self.captured) = (study.stories, study.captured);
        Ok((study.comparison, study.documents))
    }

    /// Writes everything; gives the names of the files. `json` and `text` are the comparison as such; `csv`: whether its
    /// rows are wanted as CSV, too.
    ///
    /// # Errors
    /// Names the file that could not be written; none is there then.
    pub fn write(
        mut self,
        comparison: &Comparison,
        (json, text, csv): (&str, &str, bool),
    ) -> anyhow::Result<Vec<String>> {
        let (scenario, files) = (&self.file.scenario, &mut self.files);
        let origin = Origin {
            version: env!("CARGO_PKG_VERSION").into(),
            git: env!("AIRTAB_GIT").into(),
            command: self.command,
            scenario_hash: scenario_hash(scenario),
        };
        let report = Report { comparison, scenario, stories: &self.stories, origin: &origin };
        files.add("results.json", |out| out.write_all(json.as_bytes()))?;
        files.add("report.txt", |out| out.write_all(text.as_bytes()))?;
        // Earlier versions called it so; for one version more.
        for name in [PAGE, "report.html"] {
            files.add(name, |out| out.write_all(html(&report).as_bytes()))?;
        }
        files.add_figures(FIGURE, &figures(&report))?;
        files.add("results.parquet", |out| write_parquet(comparison, &origin, out))?;
        if csv {
            files.add("results.csv", |out| output::write_csv(&frame(comparison), out))?;
        }
        files.add(SCENARIO, |out| out.write_all(self.text.as_bytes()))?;
        for (part, captured) in self.captures.into_iter().zip(self.captured) {
            files.end(part, captured.map(|_| ()))?;
        }
        let mut names = files.names();
        names.push(MANIFEST.into());
        let manifest = Manifest::new(comparison, &origin, names.clone(), (&self.text, self.inputs));
        let manifest = serde_json::to_string_pretty(&manifest).context("manifest as JSON")? + "\n";
        files.add(MANIFEST, |out| out.write_all(manifest.as_bytes()))?;
        self.files.finish()?;
        Ok(names)
    }
}

/// `chap:limit=70` as `chap-limit=70`: part of a file's name on every system.
pub fn file_name(label: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "=._+%".contains(c);
    label.chars().map(|c| if allowed(c) { c } else { '-' }).collect()
}

/// What makes the same in the folder of its files. What `--set` sets is in the scenario there.
pub fn command(args: &Compare) -> String {
    let Compare { queues, seeds, short, .. } = args;
    let labels: Vec<&str> = queues.iter().map(|q| q.label.as_str()).collect();
    compare_command(Some(SCENARIO), &labels, &seeds.text, *short)
}

/// One line about the files, for standard error.
pub fn summary(names: &[String], dir: &Path, pcap: Option<u64>) -> String {
    let (figures, others): (Vec<&str>, Vec<&str>) =
        names.iter().map(String::as_str).partition(|name| name.starts_with(FIGURE));
    let figures = figures.len() / 2;
    let mut text = format!(
        "Wrote {} and {figures} figures ({FIGURE}*.svg, each with its data as .csv) into {}.",
        others.join(", "),
        dir.display()
    );
    if let Some(length_ns) = pcap {
        let length = airtab_core::Unit::Ns.format(length_ns);
        text.push_str(&format!(
            "\nThe captures hold the first {length} of the measured part (--pcap=TIME for more)."
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        assert_eq!(file_name("chap:increment=0.5ms:limit=70"), "chap-increment=0.5ms-limit=70");
        assert_eq!(file_name("../x y"), "..-x-y");
    }

    /// Files by their names, figures by their number; the length of captures only where there are some.
    #[test]
    fn the_summary_names_files_and_counts_figures() {
        let names =
            ["index.html", "figure-a.csv", "figure-a.svg", "figure-b.csv", "figure-b.svg", "results.json"];
        let names = names.map(String::from);
        let wrote = "Wrote index.html, results.json and 2 figures (figure-*.svg, each with its data as .csv) into d/out.";
        assert_eq!(summary(&names, Path::new("d/out"), None), wrote);
        assert_eq!(
            summary(&names, Path::new("d/out"), Some(1_500_000)),
            format!(
                "{wrote}\nThe captures hold the first 1500us of the measured part (--pcap=TIME for more)."
            )
        );
    }
}
