// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt fred`.

use std::process::ExitCode;

use airtab_model::cbt::{CbtError, KB, fifo, fred, red};

use super::sheet::{Drawn, Sheet, column};
use super::{args, show};

/// A row for each pair of thresholds.
pub fn fred(args: &args::Fred) -> anyhow::Result<ExitCode> {
    let over = if args.th_max.len() >= args.th_min.len() { "th_max_packets" } else { "th_min_packets" };
    let drawn = Drawn {
        over: over.into(),
        lines: vec!["rate_bytes_per_s".into()],
        label: "a flow that does not yield, KB/s".into(),
        cure: "several thresholds, such as --th-max 40,60,80",
    };
    show(sheet(args).map_err(|e| e.to_string()), &args.form, &drawn)
}

pub(super) fn sheet(args: &args::Fred) -> Result<Sheet, CbtError> {
    let columns = vec![
        column("th_min_packets", "Th_min\npackets", 0).whole(),
        column("th_max_packets", "Th_max\npackets", 0).whole(),
        column("share", "share\n%", 1).times(1e2),
        column("rate_bytes_per_s", "rate\nKB/s", 1).times(1.0 / KB),
        column("wait_at_th_max_s", "wait at\nTh_max, ms", 1).times(1e3),
    ];
    let about = "FRED: the most that a flow that does not yield gets, Th_min / Th_max.";
    let mut sheet = Sheet::new("fred", about, 2, columns);
    let packet = args.queue.packet as f64;
    for min in &args.th_min {
        for max in &args.th_max {
            let share = fred::share(*min, *max)?;
            let wait = red::latency_s(packet, *max, args.queue.link)?;
            sheet.rows.push([*min, *max, share, share * args.queue.link, wait].map(Into::into).into());
        }
    }
    let flows = fred::flows_that_fill(args.queue.limit.into())?;
    let full = fifo::latency_s(packet, args.queue.limit.into(), args.queue.link)?;
    sheet.notes.push(format!(
        "From {flows} active flows on, two packets of each fill the queue of {}: {:.1} ms, whatever the thresholds.",
        args.queue.limit,
        full * 1e3
    ));
    sheet.more.insert("flows_that_fill".into(), flows.into());
    sheet.more.insert("wait_full_s".into(), full.into());
    Ok(sheet)
}
