//! What `airtab compare --out` writes: `docs/report.md` lists the files.

use std::ops::ControlFlow;
use std::path::Path;

use airtab_core::Params;
use airtab_lab::report::{self, Report};
use airtab_lab::results::{self, Manifest, Origin};
use airtab_lab::{Comparison, capture, story};
use airtab_sim::Scenario;
use anyhow::Context;

use crate::args::Compare;
use crate::files::{Files, MANIFEST};

/// A comparison and what it was made from.
pub struct Study<'a> {
    pub args: &'a Compare,
    /// As in its file.
    pub scenario: &'a Scenario,
    pub queues: &'a [(String, Params)],
    pub comparison: &'a Comparison,
    pub json: &'a str,
    pub text: &'a str,
    /// Called after each further run, from any thread; says whether to go on.
    pub done: &'a (dyn Fn() -> ControlFlow<()> + Sync),
}

/// Writes everything; gives the names of the files. None if it was told to stop:
/// none of them is there then.
///
/// # Errors
/// Names the file that could not be written; none is there then.
pub fn write(study: &Study, mut files: Files) -> anyhow::Result<Option<Vec<String>>> {
    let Study { args, comparison, .. } = study;
    let origin = Origin {
        version: env!("CARGO_PKG_VERSION").into(),
        git: env!("AIRTAB_GIT").into(),
        command: command(args),
        scenario_hash: results::scenario_hash(study.scenario),
    };
    // What was run: the short schedule, if it was asked for.
    let run = if args.quick { airtab_scenario::quick(study.scenario) } else { study.scenario.clone() };
    let seed = comparison.seeds[0];
    let jobs = args.jobs.map_or(0, usize::from);
    let Some(stories) = story::stories(&run, study.queues, seed, jobs, study.done) else { return Ok(None) };
    let report = Report { comparison, scenario: study.scenario, stories: &stories, origin: &origin };
    files.add("results.json", |out| out.write_all(study.json.as_bytes()))?;
    files.add("report.txt", |out| out.write_all(study.text.as_bytes()))?;
    files.add("report.html", |out| out.write_all(report::html(&report).as_bytes()))?;
    files.add("results.parquet", |out| results::write_parquet(comparison, &origin, out))?;
    if let Some(length_ns) = args.pcap {
        let start = run.measure_ns.start;
        let span = start..start.saturating_add(length_ns).min(run.duration_ns);
        for (label, params) in study.queues {
            let name = format!("air-{}.pcapng", file_name(label));
            files.add(&name, |out| capture::capture(&run, label, params, seed, &span, out).map(|_| ()))?;
            if (study.done)().is_break() {
                return Ok(None);
            }
        }
    }
    let mut names = files.names();
    names.push(MANIFEST.into());
    let manifest = Manifest::new(comparison, &origin, names.clone());
    let manifest = serde_json::to_string_pretty(&manifest).context("manifest as JSON")? + "\n";
    files.add(MANIFEST, |out| out.write_all(manifest.as_bytes()))?;
    files.finish()?;
    Ok(Some(names))
}

/// `chap:limit=70` as `chap-limit=70`: part of a file's name on every system.
fn file_name(label: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "=._+%".contains(c);
    label.chars().map(|c| if allowed(c) { c } else { '-' }).collect()
}

/// The options that decide on the figures.
fn command(args: &Compare) -> String {
    let mut words = vec!["airtab".to_string(), "compare".into()];
    words.extend(args.scenario.as_deref().map(|path| quoted(&path.to_string_lossy())));
    let queues: Vec<&str> = args.queues.iter().map(|q| q.label.as_str()).collect();
    words.extend(["--queues".into(), quoted(&queues.join(",")), "--seeds".into(), args.seeds.to_string()]);
    words.extend(args.quick.then(|| "--quick".into()));
    words.join(" ")
}

/// For a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// One line about the files, for standard error.
pub fn summary(names: &[String], dir: &Path, pcap: Option<u64>) -> String {
    let mut text = format!("Wrote {} into {}.", names.join(", "), dir.display());
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
    fn names_and_words_are_safe() {
        assert_eq!(file_name("chap:increment=0.5ms:limit=70"), "chap-increment=0.5ms-limit=70");
        assert_eq!(file_name("../x y"), "..-x-y");
        assert_eq!(
            [quoted("a/b.toml"), quoted("my home"), quoted("it's")],
            ["a/b.toml", "'my home'", "'it'\\''s'"]
        );
    }
}
