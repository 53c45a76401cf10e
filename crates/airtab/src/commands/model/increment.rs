// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model chap increment`.

use std::process::ExitCode;

use airtab_core::Unit;
use airtab_lab::table;
use airtab_model::chap::burst;
use serde_json::json;

use super::{Answer, args, ms};
use crate::output;

/// The bounds of I, and how likely bursts in a row are.
pub fn increment(args: &args::Increment) -> anyhow::Result<ExitCode> {
    let noticed_s = args.noticed as f64 / 1e9;
    let low_s = burst::increment_at_least(args.page as f64, args.throughput as f64);
    let high_s = burst::increment_at_most(noticed_s, args.bursts.into());
    let verdict = if low_s <= high_s {
        format!("So I is from {} to {} ms.", ms(low_s * 1e9), ms(high_s * 1e9))
    } else {
        "No I does both: the burst needs more than the bound allows.".to_string()
    };
    let style = output::stdout_style();
    let mut text = String::new();
    for line in [
        format!(
            "A burst of {}, in packets of {} bytes at {}, takes {} ms: I covers it (eq. 5.40).",
            Unit::Bytes.format(args.page),
            burst::PACKET_BYTES,
            Unit::Bps.format(args.throughput),
            ms(low_s * 1e9)
        ),
        format!(
            "{} idle flows that burst hold up one without credit for {} I, within {}: I is {} ms at most.",
            args.bursts,
            2 * u32::from(args.bursts),
            Unit::Ns.format(args.noticed),
            ms(high_s * 1e9)
        ),
        verdict,
        String::new(),
        "How likely a second and a third burst follow, with the source's figures:".into(),
    ] {
        text += &(table::wrap(&line, style.width) + "\n");
    }
    let largest = burst::LARGEST_FRAMES.iter().map(|f| f.1).fold(0.0, f64::max);
    let activities = [("web", burst::PAGE.activity()), ("video", burst::video_activity(largest))];
    let headings = ["\ntraffic", "active\np", "second\np(2), 5.38", "third\np(3), 5.39"].map(String::from);
    let row = |(name, p): &(&str, f64)| {
        let (second, third) = (burst::second_burst(*p), burst::third_burst(*p));
        vec![name.to_string(), format!("{p:.4}"), format!("{second:.2e}"), format!("{third:.2e}")]
    };
    text += &table::figures(&headings, &activities.iter().map(row).collect::<Vec<_>>(), style);
    let probabilities = activities.map(|(name, p)| {
        json!({ "traffic": name, "p": p, "second": burst::second_burst(p), "third": burst::third_burst(p) })
    });
    let json = json!({
        "model": "chap increment",
        "low_ns": low_s * 1e9,
        "high_ns": high_s * 1e9,
        "activity": probabilities,
    });
    Answer { text, json }.print(args.form.is_json())
}
