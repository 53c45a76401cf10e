// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt thresholds`.

use std::process::ExitCode;

use airtab_model::cbt::KIB;
use airtab_model::cbt::study::BULK_MPEG;
use airtab_model::cbt::threshold::Allocation;

use super::classes::Members;
use super::sheet::{Cell, Drawn, Sheet, column};
use super::{args, show};

/// A row for each latency and class.
pub fn thresholds(args: &args::Thresholds) -> anyhow::Result<ExitCode> {
    let drawn = Drawn {
        over: "latency_s".into(),
        lines: vec!["threshold_packets".into()],
        label: "threshold, packets".into(),
        cure: "several latencies, such as --latency 20ms,40ms",
    };
    show(sheet(args), &args.form, &drawn)
}

pub(super) fn sheet(args: &args::Thresholds) -> Result<Sheet, String> {
    let members = Members::of(&args.classes, args.link, BULK_MPEG, KIB)?;
    let columns = vec![
        column("class", "class", 0),
        column("latency_s", "L\nms", 0).times(1e3).whole(),
        members.rate_column("rate_bytes_per_s", "rate"),
        column("packet_bytes", "packet\nbytes", 0),
        column("share", "share\n%", 1).times(1e2),
        column("threshold_packets", "threshold\npackets", 2),
        column("threshold_bytes", "\nbytes", 0),
        column("drain_packets_per_s", "drain\npackets/s", 1),
    ];
    let mut sheet = Sheet::new("thresholds", "Thresholds: Th = B L / P (eq. 4.1).", 2, columns);
    for ns in &args.latency {
        let latency_s = *ns as f64 / 1e9;
        let allocation = Allocation::new(&members.classes(), latency_s).map_err(|e| e.to_string())?;
        for (i, member) in members.all.iter().enumerate() {
            let figures = [
                latency_s,
                member.class.rate,
                member.class.packet,
                member.class.rate / allocation.capacity(),
                allocation.threshold(i),
                allocation.threshold_bytes(i),
                allocation.drain_rate(i),
            ];
            sheet
                .rows
                .push([member.name.as_str().into()].into_iter().chain(figures.map(Cell::from)).collect());
        }
    }
    Ok(sheet)
}
