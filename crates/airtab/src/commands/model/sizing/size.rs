// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model size bdp`, `sqrt` and `tiny`: sizes that do not change.

use std::process::ExitCode;

use airtab_model::sizing::{SizingError, bdp};

use super::super::sheet::{Column, Drawn, Sheet, column};
use super::{args, cells, checked, show_size, us};

pub(super) fn packets(name: &str, heading: &str) -> Column {
    column(name, heading, 1)
}

/// Columns of a bottleneck.
fn pipe() -> [Column; 2] {
    [
        column("rate_bps", "rate\nMb/s", 0).times(1e-6).whole(),
        column("round_trip_s", "RTT\nms", 0).times(1e3).whole(),
    ]
}

/// Which of the lists has the most values.
fn longest(lists: &[(&str, usize)]) -> String {
    let most = lists.iter().rev().max_by_key(|(_, values)| *values);
    most.map_or_else(String::new, |(name, _)| (*name).into())
}

/// A row for each rate and round trip.
pub fn bdp(args: &args::Bdp) -> anyhow::Result<ExitCode> {
    let args::Pipe { rate, rtt, .. } = &args.pipe;
    let drawn = Drawn {
        over: longest(&[("rate_bps", rate.len()), ("round_trip_s", rtt.len())]),
        lines: vec!["buffer_packets".into()],
        label: "buffer, packets".into(),
        cure: "several rates or round trips, such as --rate 6.5,65,300,600",
    };
    let made = || -> Result<Sheet, String> {
        checked(rate.len() * rtt.len())?;
        let packet = args.pipe.packet as f64;
        let columns = [&pipe()[..], &[packets("buffer_packets", "buffer\npackets")]].concat();
        let about =
            format!("Round trip times rate, in packets of {packet} bytes: one TCP flow, or several in step.");
        let mut sheet = Sheet::new("bdp", about, 2, columns);
        for mbps in rate {
            for ns in rtt {
                let size = bdp::product(*mbps, us(*ns), packet).map_err(|e| e.to_string())?;
                sheet.rows.push(cells([mbps * 1e6, *ns as f64 / 1e9, size]));
            }
        }
        Ok(sheet)
    };
    show_size(made(), &args.form, &drawn)
}

/// A row for each rate, round trip and number of flows.
pub fn sqrt(args: &args::Sqrt) -> anyhow::Result<ExitCode> {
    let args::Pipe { rate, rtt, .. } = &args.pipe;
    let lists = [("rate_bps", rate.len()), ("round_trip_s", rtt.len()), ("flows", args.flows.len())];
    let drawn = Drawn {
        over: longest(&lists),
        lines: vec!["buffer_packets".into()],
        label: "buffer, packets".into(),
        cure: "several numbers of flows, such as --flows 1,4,16,64",
    };
    let made = || -> Result<Sheet, String> {
        checked(lists.iter().map(|(_, values)| values).product())?;
        let packet = args.pipe.packet as f64;
        let more = [column("flows", "flows\n", 0), packets("buffer_packets", "buffer\npackets")];
        let about = format!(
            "Round trip times rate over the square root of the flows, in packets of {packet} bytes: flows whose windows \
             have nothing to do with each other."
        );
        let mut sheet = Sheet::new("sqrt", about, 3, [&pipe()[..], &more].concat());
        for mbps in rate {
            for ns in rtt {
                for flows in &args.flows {
                    let flows = f64::from(*flows);
                    let size = bdp::many_flows(*mbps, us(*ns), packet, flows).map_err(|e| e.to_string())?;
                    sheet.rows.push(cells([mbps * 1e6, *ns as f64 / 1e9, flows, size]));
                }
            }
        }
        Ok(sheet)
    };
    show_size(made(), &args.form, &drawn)
}

/// A row for each window and utilisation.
pub fn tiny(args: &args::Tiny) -> anyhow::Result<ExitCode> {
    let drawn = Drawn {
        over: longest(&[("window_packets", args.window.len()), ("utilisation", args.utilisation.len())]),
        lines: vec!["buffer_packets".into()],
        label: "buffer, packets".into(),
        cure: "several windows, such as --window 16,64,256",
    };
    let made = || -> Result<Sheet, String> {
        checked(args.window.len() * args.utilisation.len())?;
        let columns = vec![
            column("window_packets", "window\npackets", 0),
            column("utilisation", "used\n%", 0).times(1e2).whole(),
            packets("buffer_packets", "buffer\npackets"),
        ];
        let about = format!(
            "The logarithm of a window, where all flows at their largest windows send {} % of what the link carries.",
            args.load * 1e2
        );
        let mut sheet = Sheet::new("tiny", about, 2, columns);
        for window in &args.window {
            for used in &args.utilisation {
                let size = |e: SizingError| e.to_string();
                let size = bdp::tiny(f64::from(*window), *used, args.load).map_err(size)?;
                sheet.rows.push(cells([f64::from(*window), *used, size]));
            }
        }
        sheet.notes.push(
            "The dissertation has the order alone, and 10 to 20 packets for 85 to 90 %: the constant is the original \
             paper's."
                .into(),
        );
        Ok(sheet)
    };
    show_size(made(), &args.form, &drawn)
}

#[cfg(test)]
mod tests {
    use super::longest;

    #[test]
    fn the_longest_list_is_drawn_over_and_the_first_of_equal_ones() {
        assert_eq!(longest(&[("a", 1), ("b", 3), ("c", 2)]), "b");
        assert_eq!(longest(&[("a", 2), ("b", 3), ("c", 3)]), "b");
        assert_eq!(longest(&[("a", 1), ("b", 1)]), "a");
        assert_eq!(longest(&[]), "");
    }
}
