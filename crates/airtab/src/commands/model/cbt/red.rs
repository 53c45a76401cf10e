// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt red`.

use std::process::ExitCode;

use airtab_model::cbt::red::{self, Band};
use airtab_model::cbt::{CbtError, burst, fifo};

use super::sheet::{Drawn, Sheet, column};
use super::{args, show};

/// A row for each average and count.
pub fn red(args: &args::Red) -> anyhow::Result<ExitCode> {
    let over = if args.average.len() >= args.count.len() { "average_packets" } else { "count" };
    let drawn = Drawn {
        over: over.into(),
        lines: vec!["p_drop".into()],
        label: "probability of a drop".into(),
        cure: "several averages or counts, such as --average 5,10,20,30,40",
    };
    show(sheet(args).map_err(|e| e.to_string()), &args.form, &drawn)
}

pub(super) fn sheet(args: &args::Red) -> Result<Sheet, CbtError> {
    let band = Band::new(args.th_min, args.th_max, args.max_p)?;
    let columns = vec![
        column("average_packets", "average\npackets", 0).whole(),
        column("count", "count\n", 0),
        column("p_base", "p_b\n", 6),
        column("p_drop", "p_a\n", 6),
        column("certain_at_count", "certain\nat count", 0),
    ];
    let about = format!(
        "RED from {} to {} packets, max_p {}: drops by the average and by what came since the last one.",
        args.th_min, args.th_max, args.max_p
    );
    let mut sheet = Sheet::new("red", about, 2, columns);
    for average in &args.average {
        for count in &args.count {
            sheet.rows.push(vec![
                (*average).into(),
                (*count as f64).into(),
                band.base(*average)?.into(),
                band.early(*average, *count)?.into(),
                band.certain(*average)?.map(|count| count as f64).into(),
            ]);
        }
    }
    let packet = args.queue.packet as f64;
    let at_threshold = red::latency_s(packet, args.th_max, args.queue.link)?;
    let full = fifo::latency_s(packet, args.queue.limit.into(), args.queue.link)?;
    let packets = burst::accepted(args.weight, args.th_max, 1)?;
    let average = burst::average_after(packets, args.weight)?;
    sheet.notes = vec![
        format!(
            "Packets of {packet} bytes wait {:.1} ms while the average is at the upper threshold (eq. B.3), and {:.1} ms \
             behind a full queue of {} (eq. B.1), which FIFO has under overload.",
            at_threshold * 1e3,
            full * 1e3,
            args.queue.limit
        ),
        format!(
            "An empty queue lets in {packets} packets at once; the average is {average:.2} then (eq. B.2)."
        ),
    ];
    for (name, value) in [
        ("wait_at_th_max_s", at_threshold),
        ("wait_full_s", full),
        ("burst_packets", packets as f64),
        ("burst_average_packets", average),
    ] {
        sheet.more.insert(name.into(), value.into());
    }
    Ok(sheet)
}
