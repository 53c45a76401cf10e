// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab htbench --merge`: results of several machines as one (Starzetz 2006, 6.3.2).

use std::path::Path;
use std::process::ExitCode;

use airtab_probe::htbench::analysis::Series;
use airtab_probe::htbench::files;
use airtab_probe::htbench::merge::{Part, merge as merged, requests};
use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::args::Htbench;
use crate::output;

/// Machines that one datagram started, whose clocks say more than this, ns, were perhaps started by two.
const APART_NS: u64 = 60_000_000_000;

/// What the summary of a directory says.
struct Summary {
    part: Part,
    /// Whether a datagram began it.
    together: bool,
    started_ns: u64,
    classes: Vec<Value>,
}

/// Reads all directories, and writes one.
pub fn merge(args: &Htbench) -> anyhow::Result<ExitCode> {
    let outdir = args.out.as_deref().unwrap_or(Path::new(""));
    let mut summaries = Vec::new();
    for dir in &args.merge {
        summaries.push(read(dir)?);
    }
    if let Some(name) = super::super::twice(&summaries.iter().map(|s| &s.part.name).collect::<Vec<_>>()) {
        bail!("two directories are called {name}, and their classes would be, too: rename one");
    }
    let together = place(&mut summaries);
    files::prepare(outdir).with_context(|| format!("cannot use {}", outdir.display()))?;
    let parts: Vec<Part> = summaries.iter().map(|summary| summary.part.clone()).collect();
    let (names, outcome) = merged(&parts);
    let series = Series::new(&outcome);
    let json = summary_json(&summaries, together, outcome.duration_ns, &series);
    let written = files::write_series(outdir, &names, &series)
        .and_then(|()| std::fs::write(outdir.join("summary.json"), format!("{json:#}\n")));
    written.with_context(|| format!("cannot write into {}", outdir.display()))?;
    output::print(&if args.form.is_json() { format!("{json}\n") } else { text(&json, &series) })?;
    Ok(ExitCode::SUCCESS)
}

fn read(dir: &Path) -> anyhow::Result<Summary> {
    let path = dir.join("summary.json");
    let told = || format!("{} is no result of htbench, or was not finished: there is no", dir.display());
    let text = std::fs::read_to_string(&path).with_context(|| format!("{} {}", told(), path.display()))?;
    let json: Value =
        serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))?;
    let (Some(started_ns), Some(duration_ns), Some(start), Some(classes)) = (
        json["started_ns"].as_u64(),
        json["duration_ns"].as_u64(),
        json["start"].as_str(),
        json["classes"].as_array(),
    ) else {
        bail!(
            "{} does not say when it began (started_ns, start): an older airtab wrote it, or it is merged already",
            path.display()
        );
    };
    let name = |class: &Value| class["class"].as_str().map(str::to_string);
    let names: Option<Vec<String>> = classes.iter().map(name).collect();
    let names = names.with_context(|| format!("{}: a class has no name", path.display()))?;
    // The name of `results/` and of `.` too.
    let whole = dir.canonicalize().with_context(|| format!("cannot use {}", dir.display()))?;
    let label = whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned();
    let requests = requests(dir, &names)?;
    let part = Part { name: label, classes: names, offset_ns: 0, duration_ns, requests };
    Ok(Summary { part, together: start.starts_with("broadcast:"), started_ns, classes: classes.clone() })
}

/// Gives each its place on the clock; whether one datagram began them all.
fn place(summaries: &mut [Summary]) -> bool {
    let first = summaries.iter().map(|summary| summary.started_ns).min().unwrap_or(0);
    let last = summaries.iter().map(|summary| summary.started_ns).max().unwrap_or(0);
    if summaries.iter().all(|summary| summary.together) {
        if last - first > APART_NS {
            output::warn(&format!(
                "by their system clocks the runs began {:.0} s apart; they are merged as started by one datagram",
                (last - first) as f64 / 1e9
            ));
        }
        return true;
    }
    output::note("Not all were started by a datagram: placed by their system clocks, which have to agree.");
    summaries.iter_mut().for_each(|summary| summary.part.offset_ns = summary.started_ns - first);
    false
}

fn summary_json(summaries: &[Summary], together: bool, duration_ns: u64, series: &Series) -> Value {
    let classes = summaries.iter().flat_map(|summary| {
        summary.classes.iter().map(|class| {
            let mut class = class.clone();
            let name = class["class"].as_str().unwrap_or_default().to_string();
            class["class"] = format!("{}/{name}", summary.part.name).into();
            class
        })
    });
    let parts = summaries.iter().map(|summary| {
        json!({ "name": summary.part.name, "started_ns": summary.started_ns, "offset_ns": summary.part.offset_ns,
            "duration_ns": summary.part.duration_ns })
    });
    let (connections, between) = series.mean_jain();
    json!({
        "schema": 1,
        "event": "merged",
        "clock": if together { "datagram" } else { "system" },
        "parts": parts.collect::<Vec<_>>(),
        "duration_ns": duration_ns,
        "flows": series.flows.len(),
        "classes": classes.collect::<Vec<_>>(),
        "mean_jain_connections_ratio": connections,
        "mean_jain_classes_ratio": between,
    })
}

fn text(json: &Value, series: &Series) -> String {
    let mut text = format!("{:<20} {:>6} {:>6} {:>10} {:>9}\n", "class", "done", "failed", "MB", "Mb/s");
    for class in json["classes"].as_array().into_iter().flatten() {
        let name = class["class"].as_str().unwrap_or_default();
        let megabytes = class["bytes"].as_f64().unwrap_or(0.0) / 1e6;
        let rate = class["bits_per_second"].as_f64().map_or("-".into(), |bps| format!("{:.3}", bps / 1e6));
        let count = |key: &str| class[key].as_u64().unwrap_or(0);
        let (done, failed) = (count("done"), count("failed"));
        text += &format!("{name:<20} {done:>6} {failed:>6} {megabytes:>10.3} {rate:>9}\n");
    }
    let (connections, between) = series.mean_jain();
    let index = |what: String, index: Option<f64>| {
        index.map_or(String::new(), |j| format!("Jain's index between {what}, mean over time: {j:.3}\n"))
    };
    text += &index(format!("all {} flows", series.flows.len()), connections);
    text + &index("classes".into(), between)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(name: &str, together: bool, started_ns: u64, duration_ns: u64) -> Summary {
        let part = Part {
            name: name.into(),
            classes: vec!["dl".into()],
            offset_ns: 0,
            duration_ns,
            requests: Vec::new(),
        };
        let class = json!({ "class": "dl", "done": 3, "failed": 2, "bytes": 4_500_000, "bits_per_second": 1_250_000.0 });
        Summary { part, together, started_ns, classes: vec![class] }
    }

    fn offsets(summaries: &[Summary]) -> Vec<u64> {
        summaries.iter().map(|summary| summary.part.offset_ns).collect()
    }

    /// One datagram starts all at 0; otherwise the system clocks place each behind the first.
    #[test]
    fn clocks_place_what_no_datagram_started() {
        let mut all =
            [summary("p", true, 5_000, 1), summary("q", true, 2_000, 2), summary("r", true, 9_000, 3)];
        assert!(place(&mut all));
        assert_eq!(offsets(&all), [0, 0, 0]);
        all[2].together = false;
        assert!(!place(&mut all));
        assert_eq!(offsets(&all), [3_000, 0, 7_000]);
    }

    /// Indices of 0.5 and 0.75 between flows, of 0.9 between classes at one of both times.
    #[test]
    fn a_table_has_the_figures_of_each_class() {
        let mut all = [summary("p", true, 0, 1), summary("q", true, 0, 1)];
        all[1].classes = vec![
            json!({ "class": "ul", "done": 7, "failed": 0, "bytes": 250_000, "bits_per_second": null }),
            json!({ "class": "dl", "done": 0, "failed": 9, "bytes": 0, "bits_per_second": 0.0 }),
        ];
        let row = |connections, classes| airtab_probe::htbench::analysis::Row {
            t_ns: 1,
            bps: Vec::new(),
            jain_connections: Some(connections),
            jain_classes: classes,
        };
        let rows = vec![row(0.5, Some(0.9)), row(0.75, None)];
        let series = Series { flows: vec![(0, 1), (1, 1), (2, 2)], rows };
        let json = summary_json(&all, true, 3_033, &series);
        let names: Vec<&Value> =
            json["classes"].as_array().expect("classes").iter().map(|class| &class["class"]).collect();
        assert_eq!(names, ["p/dl", "q/ul", "q/dl"]);
        assert_eq!((&json["classes"][1]["done"], &json["classes"][2]["failed"]), (&json!(7), &json!(9)));
        assert_eq!(
            (&json["mean_jain_connections_ratio"], &json["mean_jain_classes_ratio"]),
            (&json!(0.625), &json!(0.9))
        );
        let text = text(&json, &series);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["class", "done", "failed", "MB", "Mb/s"]);
        assert_eq!(lines[1], ["p/dl", "3", "2", "4.500", "1.250"]);
        assert_eq!(lines[2], ["q/ul", "7", "0", "0.250", "-"]);
        assert_eq!(lines[3], ["q/dl", "0", "9", "0.000", "0.000"]);
        assert!(
            text.ends_with(
                "Jain's index between all 3 flows, mean over time: 0.625\n\
                 Jain's index between classes, mean over time: 0.900\n"
            ),
            "{text}"
        );
    }

    /// A directory is named by its own name, however its path is written.
    #[test]
    fn a_result_is_read_from_its_directory() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = folder.path().join("one");
        std::fs::create_dir_all(one.join("sub")).expect("made");
        let write = |summary: &Value| {
            std::fs::write(one.join("summary.json"), summary.to_string()).expect("written");
        };
        let whole = json!({ "started_ns": 77, "duration_ns": 88, "start": "broadcast:9",
            "classes": [{ "class": "dl", "done": 1 }, { "class": "ul", "done": 2 }] });
        write(&whole);
        let request = "# class ul, request 1, connection 2, done; connected 0.001000000 s after the start\n\
                       # t[s] V[bytes]\n0.000000000 0\n1.000000000 500\n";
        std::fs::write(one.join("ul-0001.txt"), request).expect("written");
        for (dir, start, together) in [
            (one.clone(), "broadcast:9", true),
            (one.join("."), "now", false),
            (one.join("sub/.."), "now", false),
        ] {
            let mut summary = whole.clone();
            summary["start"] = start.into();
            write(&summary);
            let read = read(&dir).expect("it is whole");
            let part = &read.part;
            assert_eq!(
                (part.name.as_str(), part.classes.as_slice()),
                ("one", &["dl".to_string(), "ul".into()][..])
            );
            assert_eq!((read.together, read.started_ns, part.duration_ns), (together, 77, 88), "{start}");
            assert_eq!((part.offset_ns, part.requests.len()), (0, 1));
            assert_eq!((part.requests[0].class, part.requests[0].volume_bytes), (1, 500));
            assert_eq!(read.classes[1]["done"], 2);
        }
        let said = |dir: &Path| read(dir).map(|_| ()).map_err(|e| crate::output::message(&e)).err();
        for (key, wrong) in [
            ("started_ns", json!("77")),
            ("duration_ns", Value::Null),
            ("start", json!(1)),
            ("classes", json!({})),
        ] {
            let mut summary = whole.clone();
            summary[key] = wrong;
            write(&summary);
            let told = said(&one).expect("it is wrong");
            assert!(told.contains("does not say when it began (started_ns, start)"), "{key}: {told}");
        }
        let mut summary = whole.clone();
        summary["classes"][1] = json!({ "done": 2 });
        write(&summary);
        let told = said(&one).expect("it is wrong");
        assert!(told.ends_with("one/summary.json: a class has no name"), "{told}");
        std::fs::write(one.join("summary.json"), "{").expect("written");
        assert!(said(&one).is_some_and(|told| told.starts_with("cannot read ")));
        let none = said(&folder.path().join("two")).expect("there is none");
        assert!(none.contains("two is no result of htbench, or was not finished: there is no"), "{none}");
    }

    #[test]
    fn each_part_keeps_its_own_figures() {
        let mut all = [summary("p", false, 5_000, 11), summary("q", false, 2_000, 22)];
        place(&mut all);
        let series = Series { flows: vec![(0, 1), (1, 1), (1, 2)], rows: Vec::new() };
        let class = |name: &str| json!({ "class": name, "done": 3, "failed": 2, "bytes": 4_500_000, "bits_per_second": 1_250_000.0 });
        let json = summary_json(&all, false, 3_033, &series);
        assert_eq!(
            json,
            json!({ "schema": 1, "event": "merged", "clock": "system", "duration_ns": 3_033, "flows": 3,
                "parts": [
                    { "name": "p", "started_ns": 5_000, "offset_ns": 3_000, "duration_ns": 11 },
                    { "name": "q", "started_ns": 2_000, "offset_ns": 0, "duration_ns": 22 },
                ],
                "classes": [class("p/dl"), class("q/dl")],
                "mean_jain_connections_ratio": null, "mean_jain_classes_ratio": null })
        );
        assert_eq!(summary_json(&all, true, 1, &series)["clock"], "datagram");
        let words: Vec<String> =
            text(&json, &series).lines().nth(2).expect("q").split_whitespace().map(String::from).collect();
        assert_eq!(words, ["q/dl", "3", "2", "4.500", "1.250"]);
    }
}
