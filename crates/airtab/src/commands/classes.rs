// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab classes`: what classes of packets send, from a capture (M. Parris, dissertation, UNC 2001, A.3, A.7).
//!
//! Reading and counting is `airtab-lab`'s; here are files, a table, JSON and a figure.

pub mod args;

use std::path::Path;
use std::process::ExitCode;

use airtab_lab::class_load::{BIN_NS, ClassLoad, Loads, Rules, of_capture};
use airtab_lab::draw::{Axis, Content, Figure, Kind, Line, Look, Panel, Plot, Point};
use airtab_lab::table;
use anyhow::Context;
use serde_json::{Map, Value, json};

use super::reading::{Reading, named};
use crate::args::USAGE;
use crate::output;

/// Points of a line of the figure, about.
const POINTS: usize = 1500;

/// Says what each class sends.
pub fn classes(args: &args::Classes) -> anyhow::Result<ExitCode> {
    let names: Vec<&str> = args.names.iter().map(String::as_str).collect();
    let twice = super::twice(&names)
        .map(|name| format!("--names {name}: it is there twice; give each class its own"));
    let rules = match twice.map_or_else(|| rules(&args.rules, &names), Err) {
        Ok(rules) => rules,
        Err(message) => {
            output::error(&message);
            return Ok(ExitCode::from(USAGE));
        }
    };
    let found = read(&args.file, &rules)?;
    let before = args.before.as_ref().map(|path| read(path, &rules)).transpose()?;
    if let Some(path) = &args.form.out {
        output::Drawing::open(path)?.write(&figure(&names, &found))?;
    }
    let file = named(&args.file);
    let text = text(&file, &names, &found, before.as_ref());
    let json = as_json(&file, &names, &found, before.as_ref());
    output::print(&if args.form.printed.is_json() { format!("{json:#}\n") } else { text })?;
    Ok(ExitCode::SUCCESS)
}

/// Rules for classes of these names.
///
/// # Errors
/// A rule that is none.
pub fn rules(text: &str, names: &[&str]) -> Result<Rules, String> {
    Rules::parse(text, names).map_err(|e| format!("--rules: {e}"))
}

/// Reads a capture; warns of its end, of frames that are not decoded, and of rules that took nothing.
///
/// # Errors
/// The file, and what is wrong with it.
pub fn read(path: &Path, rules: &Rules) -> anyhow::Result<Loads> {
    let named = || named(path);
    let mut reading = Reading::open(path, 1).with_context(named)?;
    let loads = of_capture(&mut || reading.begin(), rules).with_context(named)?;
    reading.end();
    let warnings = loads.end.warning().into_iter().chain(loads.unread.words());
    for why in warnings.chain(rules.unreached(&loads.matched)) {
        output::warn(&format!("{}: {why}", named()));
    }
    Ok(loads)
}

fn text(file: &str, names: &[&str], found: &Loads, before: Option<&Loads>) -> String {
    let kb = |rate: f64| format!("{:.1}", rate / 1000.0);
    let mut headings = vec!["\nclass", "\npackets"];
    headings.extend(before.map(|_| "load\nKB/s"));
    headings.extend(["throughput\nKB/s", "goodput\nKB/s", "packet\nbytes", "peak of 2 s\nKB/s"]);
    let headings: Vec<String> = headings.into_iter().map(String::from).collect();
    let row = |(i, class): (usize, &ClassLoad)| {
        let mut row = vec![names[i].to_string(), class.packets.to_string()];
        row.extend(before.map(|before| kb(before.rate(before.classes[i].bytes))));
        row.extend([
            kb(found.rate(class.bytes)),
            class.new_tcp_bytes.map_or("-".into(), |bytes| kb(found.rate(bytes))),
            class.packet_bytes().map_or("-".into(), |bytes| format!("{bytes:.0}")),
            kb(found.peak(i)),
        ]);
        row
    };
    let rows: Vec<Vec<String>> = found.classes.iter().enumerate().map(row).collect();
    let style = output::stdout_style();
    let mut text = format!(
        "{file}: {} frames in {:.1} s\n\n{}",
        found.frames,
        found.span_ns as f64 / 1e9,
        table::figures(&headings, &rows, style)
    );
    let mut notes = vec![
        "Bytes are those of frames without FCS; KB are 1000. goodput: payload of TCP, for the first time."
            .to_string(),
    ];
    if found.unmatched > 0 {
        let (n, last) = (found.unmatched, names[names.len() - 1]);
        notes.push(format!("{n} packets were taken by no rule: they are of {last}, the last class."));
    }
    text += "\n";
    for note in notes {
        text += &(table::wrap(&note, style.width) + "\n");
    }
    text
}

fn as_json(file: &str, names: &[&str], found: &Loads, before: Option<&Loads>) -> Value {
    let class = |(i, class): (usize, &ClassLoad)| {
        json!({
            "class": names[i],
            "packets": class.packets,
            "bytes": class.bytes,
            "load_bytes_per_s": before.map(|before| before.rate(before.classes[i].bytes)),
            "throughput_bytes_per_s": found.rate(class.bytes),
            "goodput_bytes_per_s": class.new_tcp_bytes.map(|bytes| found.rate(bytes)),
            "packet_bytes": class.packet_bytes(),
            "peak_2s_bytes_per_s": found.peak(i),
            "bin_bytes": class.bins,
        })
    };
    json!({
        "schema": 1,
        "file": file,
        "frames": found.frames,
        "whole_until_byte": found.end.offset(),
        "span_s": found.span_ns as f64 / 1e9,
        "bin_s": BIN_NS as f64 / 1e9,
        "unmatched_packets": found.unmatched,
        "unread_frames": found.unread.iter().map(|(unread, n)| (unread.to_string(), n.into())).collect::<Map<_, _>>(),
        "rule_packets": found.matched,
        "classes": found.classes.iter().enumerate().map(class).collect::<Vec<_>>(),
    })
}

/// Throughput over time.
fn figure(names: &[&str], found: &Loads) -> Figure {
    let bins = (found.span_ns / BIN_NS + 1) as usize;
    let together = bins.div_ceil(POINTS);
    let step_s = together as f64 * BIN_NS as f64 / 1e9;
    let line = |(i, class): (usize, &ClassLoad)| {
        let kb = |k: usize| {
            let bytes = |bin: usize| class.bins.get(bin).copied().unwrap_or(0);
            (k * together..(k + 1) * together).map(bytes).sum::<u64>() as f64 / step_s / 1000.0
        };
        let point = |k: usize| Some(Point::new((k as f64 + 0.5) * step_s, kb(k)));
        let points = (0..bins.div_ceil(together)).map(point).collect();
        Line { name: names[i].into(), look: Look::of_app(i), kind: Kind::Course, points }
    };
    let lines: Vec<Line> = found.classes.iter().enumerate().map(line).collect();
    let most = lines.iter().flat_map(|line| line.points.iter().flatten()).map(|point| point.y);
    let x = Axis::new("time, s").exact().covering([0.0, found.span_ns as f64 / 1e9]);
    let y = Axis::new("throughput, KB/s").covering([0.0]).covering(most.collect::<Vec<_>>());
    let title = "Throughput of each class";
    let content = Content::Plot(Plot { x, y, lines, mark: None });
    let caption = format!("in steps of {step_s} s");
    Figure::new(
        "classes",
        title,
        "",
        vec![Panel { name: String::new(), caption, alt: title.into(), content }],
    )
}

#[cfg(test)]
mod tests {
    use airtab_lab::class_load::{End, UnreadCounts};

    use super::*;

    /// 10 s of two classes; of the second no segment of TCP.
    fn loads(bytes: [u64; 2]) -> Loads {
        let class = |packets, bytes, new_tcp_bytes, bins: &[u64]| ClassLoad {
            packets,
            bytes,
            new_tcp_bytes,
            bins: bins.to_vec(),
        };
        Loads {
            frames: 555,
            span_ns: 10_000_000_000,
            classes: vec![
                class(40, bytes[0], Some(30_000), &[1_000, 0, 7_000]),
                class(8, bytes[1], None, &[0, 500]),
            ],
            matched: vec![33, 15],
            unmatched: 6,
            unread: UnreadCounts::default(),
            end: End::Whole,
        }
    }

    #[test]
    fn each_figure_of_a_class_has_its_key_and_its_column() {
        let (found, before) = (loads([50_000, 2_000]), loads([90_000, 7_000]));
        let json = as_json("a.pcap", &["tcp", "call"], &found, Some(&before));
        let peak = |class: usize| found.peak(class);
        assert_eq!(
            json,
            json!({ "schema": 1, "file": "a.pcap", "frames": 555, "span_s": 10.0, "bin_s": BIN_NS as f64 / 1e9,
                "whole_until_byte": null, "unmatched_packets": 6, "unread_frames": {}, "rule_packets": [33, 15],
                "classes": [
                    { "class": "tcp", "packets": 40, "bytes": 50_000, "load_bytes_per_s": 9_000.0,
                        "throughput_bytes_per_s": 5_000.0, "goodput_bytes_per_s": 3_000.0, "packet_bytes": 1_250.0,
                        "peak_2s_bytes_per_s": peak(0), "bin_bytes": [1_000, 0, 7_000] },
                    { "class": "call", "packets": 8, "bytes": 2_000, "load_bytes_per_s": 700.0,
                        "throughput_bytes_per_s": 200.0, "goodput_bytes_per_s": null, "packet_bytes": 250.0,
                        "peak_2s_bytes_per_s": peak(1), "bin_bytes": [0, 500] },
                ] })
        );
        // 8000 bytes in 2 s, and 500.
        assert_eq!([peak(0), peak(1)], [4_000.0, 250.0]);
        let alone = as_json("a.pcap", &["tcp", "call"], &found, None);
        assert!(alone["classes"][0]["load_bytes_per_s"].is_null());
        let text = text("a.pcap", &["tcp", "call"], &found, Some(&before));
        let words = |name: &str| -> Vec<String> {
            let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
            line.split_whitespace().map(String::from).collect()
        };
        assert_eq!(words("tcp"), ["tcp", "40", "9.0", "5.0", "3.0", "1250", "4.0"]);
        assert_eq!(words("call"), ["call", "8", "0.7", "0.2", "-", "250", "0.2"]);
        assert!(text.starts_with("a.pcap: 555 frames in 10.0 s\n"), "{text}");
        assert!(
            text.contains("6 packets were taken by no rule: they are of call, the last class."),
            "{text}"
        );
    }

    /// Without a capture in front of the queue there is no load, and rules that take every packet leave no note.
    #[test]
    fn what_is_not_known_is_not_told() {
        let mut found = loads([50_000, 2_000]);
        found.unmatched = 0;
        found.classes[1] = ClassLoad { packets: 0, bytes: 0, new_tcp_bytes: None, bins: Vec::new() };
        let text = text("a.pcap", &["tcp", "call"], &found, None);
        let words = |name: &str| -> Vec<String> {
            let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
            line.split_whitespace().map(String::from).collect()
        };
        assert_eq!(words("tcp"), ["tcp", "40", "5.0", "3.0", "1250", "4.0"]);
        assert_eq!(words("call"), ["call", "0", "0.0", "-", "-", "0.0"]);
        assert!(!text.contains(" load") && !text.contains("by no rule"), "{text}");
        let json = as_json("a.pcap", &["tcp", "call"], &found, None);
        let call = &json["classes"][1];
        assert!(call["packet_bytes"].is_null() && call["goodput_bytes_per_s"].is_null(), "{json:#}");
        assert_eq!((&json["unmatched_packets"], &call["bin_bytes"]), (&json!(0), &json!([])));
    }

    /// A long capture has at most 1500 points: of 4000 bins of 100 ms each is the mean of three.
    #[test]
    fn a_long_line_has_means_of_several_bins() {
        let mut found = loads([0, 0]);
        found.span_ns = 399_900_000_000;
        assert_eq!((BIN_NS, POINTS), (100_000_000, 1_500));
        let mut bins = vec![0; 4_000];
        for (bin, bytes) in [(0, 3_000), (2, 6_000), (3, 300), (3_999, 600)] {
            bins[bin] = bytes;
        }
        found.classes[1].bins = bins;
        let figure = figure(&["tcp", "call"], &found);
        assert_eq!(figure.panels()[0].caption, "in steps of 0.3 s");
        let Content::Plot(plot) = &figure.panels()[0].content else { panic!("it is a plot") };
        let points: Vec<(f64, f64)> = plot.lines[1].points.iter().flatten().map(|p| (p.x, p.y)).collect();
        assert_eq!(points.len(), 1_334);
        // 9000 bytes in 300 ms are 30 KB/s.
        for (k, x, y) in [(0, 0.15, 30.0), (1, 0.45, 1.0), (2, 0.75, 0.0), (1_333, 400.05, 2.0)] {
            let point = points[k];
            assert!((point.0 - x).abs() < 1e-9 && (point.1 - y).abs() < 1e-9, "{k}: {point:?}");
        }
        assert_eq!(plot.lines[0].points.len(), 1_334, "as long as the capture");
    }

    #[test]
    fn names_and_rules_belong_to_each_other() {
        let said = |text: &str, names: &[&str]| rules(text, names).err().unwrap_or_default();
        assert_eq!(said("tcp=0,*=1", &["a", "b"]), "");
        assert!(
            said("tcp=0,*=2", &["a", "b"]).starts_with("--rules: "),
            "{}",
            said("tcp=0,*=2", &["a", "b"])
        );
        assert!(said("tcp", &["a"]).starts_with("--rules: "));
        assert_eq!(said(args::RULES, &["tcp", "mm", "other"]), "");
    }

    /// Points are means of bins, at their middle.
    #[test]
    fn a_line_has_the_mean_of_its_bins() {
        let figure = figure(&["tcp", "call"], &loads([50_000, 2_000]));
        let Content::Plot(plot) = &figure.panels()[0].content else { panic!("it is a plot") };
        let step_s = BIN_NS as f64 / 1e9;
        let points: Vec<(f64, f64)> = plot.lines[0].points.iter().flatten().map(|p| (p.x, p.y)).collect();
        assert_eq!(points.len() as u64, 10_000_000_000 / BIN_NS + 1);
        let expected = [(0.5, 1.0), (1.5, 0.0), (2.5, 7.0), (3.5, 0.0)];
        for ((x, y), (at, kb)) in points.into_iter().zip(expected) {
            assert!((x - at * step_s).abs() < 1e-12 && (y - kb / step_s).abs() < 1e-9, "{x} {y}");
        }
        assert_eq!(plot.lines[1].name, "call");
    }
}
