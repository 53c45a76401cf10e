// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt burst`.

use std::process::ExitCode;

use airtab_model::cbt::study::BULK_MPEG;
use airtab_model::cbt::threshold::Allocation;
use airtab_model::cbt::{CbtError, KIB, burst};

use super::classes::{Member, Members};
use super::sheet::{Cell, Drawn, Sheet, column};
use super::{args, show};

/// A row for each latency and class.
pub fn burst(args: &args::Burst) -> anyhow::Result<ExitCode> {
    let drawn = Drawn {
        over: "latency_s".into(),
        lines: vec!["burst_packets".into()],
        label: "let in at once, packets".into(),
        cure: "several latencies, such as --latency 20ms,40ms",
    };
    show(sheet(args), &args.form, &drawn)
}

pub(super) fn sheet(args: &args::Burst) -> Result<Sheet, String> {
    let mut members = Members::of(&args.classes, Some(args.link), BULK_MPEG, KIB)?;
    members.weigh(&args.weight)?;
    let mut columns = vec![
        column("class", "class", 0),
        column("latency_s", "L\nms", 0).times(1e3).whole(),
        column("weight", "w\n", 5),
        column("threshold_packets", "threshold\npackets", 2),
        column("burst_packets", "at once\npackets", 0),
        column("average_packets", "average\nthen", 2),
        column("mean_wait_s", "mean wait\nms", 2).times(1e3),
    ];
    if args.every.is_some() {
        columns.push(column("intensity", "of the\nlink, %", 1).times(1e2));
    }
    let about = "What a class lets in at once before its first forced drop, empty until then; the mean wait in such a burst.";
    let mut sheet = Sheet::new("burst", about, 2, columns);
    for ns in &args.latency {
        let latency_s = *ns as f64 / 1e9;
        let allocation = Allocation::new(&members.classes(), latency_s).map_err(|e| e.to_string())?;
        for (i, member) in members.all.iter().enumerate() {
            let figures = figures(args, member, allocation.threshold(i)).map_err(|e| e.to_string())?;
            let packets = figures[2];
            if packets > args.limit.into() {
                let (name, limit) = (&member.name, args.limit);
                sheet.notes.push(format!(
                    "{name} at {} ms: the queue's limit of {limit} packets bites first.",
                    latency_s * 1e3
                ));
            }
            let head = [member.name.as_str().into(), latency_s.into()];
            sheet.rows.push(head.into_iter().chain(figures.into_iter().map(Cell::from)).collect());
        }
    }
    Ok(sheet)
}

fn figures(args: &args::Burst, member: &Member, threshold: f64) -> Result<Vec<f64>, CbtError> {
    let (weight, packet) = (member.weight, member.class.packet);
    let packets = burst::accepted(weight, threshold, args.guard)?;
    let mut figures = vec![
        weight,
        threshold,
        packets as f64,
        burst::average_after(packets, weight)?,
        burst::mean_wait_s(packets, packet, args.link)?,
    ];
    if let Some(every) = args.every {
        figures.push(burst::intensity(packets as f64 / (every as f64 / 1e9), packet, args.link)?);
    }
    Ok(figures)
}
