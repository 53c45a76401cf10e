// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt rate`.

use std::process::ExitCode;

use airtab_model::cbt::{CbtError, rate};

use super::sheet::{Drawn, Sheet, column};
use super::{args, show};

/// A row for each round trip and loss.
pub fn rate(args: &args::Rate) -> anyhow::Result<ExitCode> {
    let over = if args.rtt.len() >= args.loss.len() { "round_trip_s" } else { "loss" };
    let drawn = Drawn {
        over: over.into(),
        lines: vec!["friendly_bytes_per_s".into()],
        label: "rate, Mb/s".into(),
        cure: "several round trips or losses, such as --rtt 20ms,50ms,100ms",
    };
    show(sheet(args).map_err(|e| e.to_string()), &args.form, &drawn)
}

pub(super) fn sheet(args: &args::Rate) -> Result<Sheet, CbtError> {
    let mbps = |name: &str, heading: &str| column(name, heading, 3).times(8e-6);
    let columns = vec![
        column("round_trip_s", "RTT\nms", 0).times(1e3).whole(),
        column("loss", "loss\n%", 0).times(1e2).whole(),
        mbps("friendly_bytes_per_s", "eq. 2.1\nMb/s"),
        mbps("at_most_bytes_per_s", "eq. 3.1\nMb/s"),
        mbps("window_bytes_per_s", "window\nMb/s"),
        column("flows_that_fill", "flows that\nfill the link", 1),
    ];
    let about = "What a TCP flow gets: by its losses (eq. 2.1; 3.1 at most), and by its window.";
    let mut sheet = Sheet::new("rate", about, 2, columns);
    let (segment, window) = (args.segment as f64, args.window as f64);
    for ns in &args.rtt {
        let trip = *ns as f64 / 1e9;
        for loss in &args.loss {
            let figures = [
                trip,
                *loss,
                rate::friendly(segment, trip, *loss)?,
                rate::at_most(segment, trip, *loss)?,
                rate::by_window(window, trip)?,
                rate::flows_that_fill(args.link, window, trip)?,
            ];
            sheet.rows.push(figures.map(Into::into).into());
        }
    }
    let browsers = rate::browsers(args.browsers.into());
    sheet.notes.push(format!(
        "flows that fill the link: by their window. {} browsers of the study ask for {:.0} kb/s.",
        args.browsers,
        browsers * 8.0 / 1e3
    ));
    sheet.more.insert("browsers_bytes_per_s".into(), browsers.into());
    Ok(sheet)
}
