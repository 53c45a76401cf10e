// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt`: what Class-Based Thresholds give classes, and what its study sets beside it.
//!
//! One file for each subject: what it takes comes from `args`, classes with their rates from `classes`, and a `Sheet` makes
//! text, JSON and a figure of its rows.
//!
//! What it does not do: no formula is here (`airtab_model::cbt`).

pub mod args;
mod borrow;
mod burst;
mod captured;
mod classes;
mod frames;
mod fred;
mod latency;
mod plan;
mod rate;
mod red;
mod shares;
mod tc;
mod thresholds;
mod values;
mod verify;

use std::process::ExitCode;

use args::CbtCommand;

use super::args::Form;
use super::sheet::{self, Drawn, Sheet};

/// Works out one subject and shows it.
pub fn cbt(args: &args::Cbt) -> anyhow::Result<ExitCode> {
    match &args.command {
        CbtCommand::Thresholds(args) => thresholds::thresholds(args),
        CbtCommand::Shares(args) => shares::shares(args),
        CbtCommand::Borrow(args) => borrow::borrow(args),
        CbtCommand::Latency(args) => latency::latency(args),
        CbtCommand::Burst(args) => burst::burst(args),
        CbtCommand::Red(args) => red::red(args),
        CbtCommand::Fred(args) => fred::fred(args),
        CbtCommand::Frames(args) => frames::frames(args),
        CbtCommand::Rate(args) => rate::rate(args),
        CbtCommand::Plan(args) => plan::plan(args),
    }
}

/// Shows a sheet that is drawn as lines.
fn show(made: Result<Sheet, String>, form: &Form, drawn: &Drawn) -> anyhow::Result<ExitCode> {
    super::show("cbt", made, form, drawn)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::args::ModelCommand;
    use super::super::given;
    use super::args::{Cbt, CbtCommand};
    use super::*;

    /// The JSON for these arguments of `airtab model cbt`, and the notes below the table.
    fn of(words: &[&str]) -> (Value, String) {
        let ModelCommand::Cbt(Cbt { command }) = given::command(&[&["cbt"], words].concat()) else {
            panic!("another model")
        };
        let sheet = match &command {
            CbtCommand::Thresholds(args) => thresholds::sheet(args),
            CbtCommand::Latency(args) => latency::sheet(args),
            CbtCommand::Burst(args) => burst::sheet(args),
            CbtCommand::Red(args) => red::sheet(args).map_err(|e| e.to_string()),
            CbtCommand::Fred(args) => fred::sheet(args).map_err(|e| e.to_string()),
            CbtCommand::Frames(args) => frames::sheet(args),
            CbtCommand::Rate(args) => rate::sheet(args).map_err(|e| e.to_string()),
            _ => panic!("it has more than a sheet"),
        };
        let sheet = sheet.unwrap_or_else(|e| panic!("{words:?}: {e}"));
        (sheet.json("cbt"), sheet.notes.join("\n"))
    }

    fn near(of: &Value, key: &str, expected: f64) {
        let found = of[key].as_f64().unwrap_or_else(|| panic!("{key} of {of}"));
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
            "{key}: {found}, not {expected}"
        );
    }

    /// Th = B L / P of each class, for each latency.
    #[test]
    fn thresholds_by_hand() {
        let own =
            ["--class", "a=300KB/s", "--class", "b=100KB/s", "--packet", "b=500B", "--latency", "20ms,50ms"];
        let (json, _) = of(&[&["thresholds"], &own[..]].concat());
        let rows = json["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 4);
        for (i, (latency_s, name, rate, packet)) in [
            (0.02, "a", 300e3, 1500.0),
            (0.02, "b", 100e3, 500.0),
            (0.05, "a", 300e3, 1500.0),
            (0.05, "b", 100e3, 500.0),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(rows[i]["class"], name);
            for (key, value) in [
                ("latency_s", latency_s),
                ("rate_bytes_per_s", rate),
                ("packet_bytes", packet),
                ("share", rate / 400e3),
                ("threshold_packets", rate * latency_s / packet),
                ("threshold_bytes", rate * latency_s),
                ("drain_packets_per_s", rate / packet),
            ] {
                near(&rows[i], key, value);
            }
        }
    }

    /// Classes of 300 and 100 KB/s fill their queue for the latency; alone on the link a class waits for what it holds.
    #[test]
    fn latencies_by_hand() {
        let own = [
            "latency",
            "--class",
            "a=300KB/s",
            "--class",
            "b=100KB/s",
            "--packet",
            "b=500B",
            "--latency",
            "20ms,50ms",
        ];
        let (json, note) = of(&own);
        assert!(note.is_empty() && json["rows"][0]["wait_s"].is_null(), "{json}");
        for (i, latency_s) in [0.02, 0.05].into_iter().enumerate() {
            near(&json["rows"][i], "latency_s", latency_s);
            near(&json["rows"][i], "busy_s", latency_s);
            near(&json["rows"][i], "queued_bytes", 400e3 * latency_s);
        }
        let (json, _) = of(&[&own[..], &["--path", "7ms", "--link", "800KB/s"]].concat());
        near(&json["rows"][1], "busy_s", 0.025);
        near(&json["rows"][1], "with_path_s", 0.032);
        let (json, note) =
            of(&[&own[..], &["--load", "a=0", "--load", "b=busy,900KB/s", "--path", "7ms"]].concat());
        let rows = json["rows"].as_array().expect("rows");
        assert_eq!((rows.len(), &rows[0]["load_b_bytes_per_s"]), (4, &"busy".into()));
        near(&rows[3], "load_b_bytes_per_s", 900e3);
        for (i, latency_s) in [(1, 0.02), (3, 0.05)] {
            near(&rows[i], "wait_s", 100e3 * latency_s / 400e3);
            near(&rows[i], "with_path_s", 100e3 * latency_s / 400e3 + 0.007);
            near(&rows[i], "own_queue_a_s", 0.0);
            // 60 packets of 500 bytes at all of the link.
            near(&rows[i], "own_queue_b_s", 60.0 * 500.0 / 400e3);
        }
        assert!(note.contains("one of its own of 60 packets"), "{note}");
        // Frames of 1500 and 500 bytes are 1524 and 524 on the wire of 10 Mb/s.
        let (json, _) = of(&[&own[..], &["--wire", "ethernet"]].concat());
        near(&json["rows"][0], "queued_bytes", 4.0 * 1524.0 + 4.0 * 524.0);
        near(&json["rows"][0], "busy_s", (4.0 * 1524.0 + 4.0 * 524.0) / 1.25e6);
    }

    /// With a weight of 1/2 an average of n packets in an empty queue is a sum of halves: the first above 3 packets is that of 4.
    #[test]
    fn bursts_by_hand() {
        let own = [
            "burst",
            "--class",
            "a=300KB/s",
            "--weight",
            "a=1/2",
            "--latency",
            "15ms,20ms",
            "--link",
            "1MB/s",
        ];
        let (json, notes) = of(&own);
        assert!(notes.is_empty() && json["rows"][0]["intensity"].is_null());
        for (i, threshold) in [3.0, 4.0].into_iter().enumerate() {
            let row = &json["rows"][i];
            near(row, "weight", 0.5);
            near(row, "threshold_packets", threshold);
            // After the packet that finds q: half of the average before it, and half of q.
            let (mut average, mut packets) = (0.0, 0.0);
            while average <= threshold {
                packets += 1.0;
                average = average / 2.0 + packets / 2.0;
            }
            near(row, "burst_packets", packets);
            near(row, "average_packets", average);
        }
        let packets = json["rows"][0]["burst_packets"].as_f64().expect("packets");
        let (json, notes) = of(&[&own[..], &["--every", "500ms", "--limit", "3"]].concat());
        near(&json["rows"][0], "intensity", packets * 1500.0 / 0.5 / 1e6);
        // As many as the queue holds are let in: 4 and 5 packets.
        for (limit, bitten) in [("4", 1), ("5", 0)] {
            assert_eq!(of(&[&own[..], &["--limit", limit]].concat()).1.lines().count(), bitten, "{limit}");
        }
        let lines: Vec<&str> = notes.lines().collect();
        assert_eq!(
            lines,
            [15, 20].map(|ms| format!("a at {ms} ms: the queue's limit of 3 packets bites first."))
        );
    }

    /// Between 10 and 30 packets the probability rises to a tenth; after n packets without a drop it is p / (1 - n p).
    #[test]
    fn red_by_hand() {
        let own = [
            "red",
            "--th-min",
            "10",
            "--th-max",
            "30",
            "--max-p",
            "0.2",
            "--average",
            "20,25",
            "--count",
            "0,4",
        ];
        let queue = ["--packet", "500B", "--limit", "100", "--link", "4Mb/s"];
        let (json, notes) = of(&[&own[..], &queue].concat());
        for (i, (average, count)) in
            [(20.0, 0.0), (20.0, 4.0), (25.0, 0.0), (25.0, 4.0)].into_iter().enumerate()
        {
            let row = &json["rows"][i];
            let base = 0.2 * (average - 10.0) / 20.0;
            near(row, "average_packets", average);
            near(row, "count", count);
            near(row, "p_base", base);
            near(row, "p_drop", base / (1.0 - count * base));
        }
        near(&json, "wait_at_th_max_s", 30.0 * 500.0 / 500e3);
        near(&json, "wait_full_s", 100.0 * 500.0 / 500e3);
        assert!(
            notes.contains("Packets of 500 bytes wait 30.0 ms while the average is at the upper threshold"),
            "{notes}"
        );
        assert!(notes.contains("and 100.0 ms behind a full queue of 100 (eq. B.1)"), "{notes}");
        let [packets, average] =
            ["burst_packets", "burst_average_packets"].map(|key| json[key].as_f64().expect(key));
        assert!(average > 30.0 && packets > average, "{json}");
        assert!(
            notes.contains(&format!("lets in {packets} packets at once; the average is {average:.2} then")),
            "{notes}"
        );
        // A larger weight lets in less at once.
        let (heavy, _) = of(&[&own[..], &["--weight", "1/4"]].concat());
        assert!(heavy["burst_packets"].as_f64().expect("packets") < packets / 2.0);
    }

    /// A flow that does not yield has the lower threshold over the upper one of the link.
    #[test]
    fn fred_by_hand() {
        let own = [
            "fred", "--th-min", "2,5", "--th-max", "40,80", "--packet", "500B", "--limit", "100", "--link",
            "4Mb/s",
        ];
        let (json, notes) = of(&own);
        for (i, (min, max)) in [(2.0, 40.0), (2.0, 80.0), (5.0, 40.0), (5.0, 80.0)].into_iter().enumerate() {
            let row = &json["rows"][i];
            near(row, "th_min_packets", min);
            near(row, "th_max_packets", max);
            near(row, "share", min / max);
            near(row, "rate_bytes_per_s", 500e3 * min / max);
            near(row, "wait_at_th_max_s", max * 500.0 / 500e3);
        }
        near(&json, "flows_that_fill", 50.0);
        near(&json, "wait_full_s", 0.1);
        assert!(
            notes.contains("From 50 active flows on, two packets of each fill the queue of 100: 100.0 ms"),
            "{notes}"
        );
    }

    /// A loss as packets and as a percentage is the same.
    #[test]
    fn losses_of_frames_in_both_units() {
        let (json, _) = of(&["frames", "--loss", "0,20%,10.95,100%,54.75"]);
        let rows = json["rows"].as_array().expect("rows");
        near(&rows[1], "loss_packets_per_s", 0.2 * 54.75);
        near(&rows[2], "loss", 0.2);
        near(&rows[0], "whole_per_s", 30.0);
        near(&rows[0], "playable_per_s", 30.0);
        near(&rows[3], "playable_per_s", 0.0);
        near(&rows[4], "loss", 1.0);
        let [whole, playable] =
            ["whole_per_s", "playable_per_s"].map(|key| rows[1][key].as_f64().expect(key));
        assert!(playable < whole, "frames that others refer to are lost: {json}");
        near(&rows[2], "whole_per_s", whole);
    }

    /// Rates of a segment of 1000 bytes, a window of 20 KB, and a link of 8 Mb/s.
    #[test]
    fn rates_by_hand() {
        let own = ["--segment", "1000B", "--window", "20kB", "--link", "8Mb/s", "--browsers", "300"];
        let (json, notes) = of(&[&["rate", "--rtt", "50ms,200ms", "--loss", "1%,4%"], &own[..]].concat());
        for (i, (trip, loss)) in
            [(0.05, 0.01), (0.05, 0.04), (0.2, 0.01), (0.2, 0.04)].into_iter().enumerate()
        {
            let row = &json["rows"][i];
            near(row, "round_trip_s", trip);
            near(row, "loss", loss);
            near(row, "window_bytes_per_s", 20e3 / trip);
            near(row, "flows_that_fill", 1e6 * trip / 20e3);
            // Both formulas have the segment over the round trip and the root of the loss.
            let root = f64::sqrt(loss) * trip / 1000.0;
            for (key, at) in [("friendly_bytes_per_s", 0), ("at_most_bytes_per_s", 1)] {
                let [factor, first] = [row, &json["rows"][0]].map(|row| row[key].as_f64().expect(key));
                near(&serde_json::json!({ "x": factor * root }), "x", first * 0.1 * 0.05 / 1000.0);
                assert!(at == 0 || factor > row["friendly_bytes_per_s"].as_f64().expect("a rate"), "{row}");
            }
        }
        let browsers = json["browsers_bytes_per_s"].as_f64().expect("a rate");
        // 2.9546 kb/s each, less 53.596.
        near(&json, "browsers_bytes_per_s", (2.9546 * 300.0 - 53.596) * 125.0);
        assert!(
            notes.contains(&format!("300 browsers of the study ask for {:.0} kb/s.", browsers * 8e-3)),
            "{notes}"
        );
    }
}
