// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model anomaly`.

use std::process::ExitCode;

use airtab_core::Unit;
use airtab_lab::table;
use airtab_model::anomaly::{Costs, Share, Station, fair, in_turn};
use serde_json::json;

use super::{Answer, args, wrong_usage};
use crate::output;

/// Air and throughput of each station, in turn and with equal air.
pub fn anomaly(args: &args::Anomaly) -> anyhow::Result<ExitCode> {
    for (option, given) in [("--aggregates", &args.aggregates), ("--fair-aggregates", &args.fair_aggregates)]
    {
        if given.len() != args.rates.len() {
            let (sizes, rates) = (given.len(), args.rates.len());
            return wrong_usage(format!("{option}: {sizes} sizes for {rates} --rates; give one for each"));
        }
    }
    let stations = |aggregates: &[u64]| -> Vec<Station> {
        let both = args.rates.iter().zip(aggregates);
        both.map(|(&rate_bps, &aggregate_bytes)| Station { rate_bps, aggregate_bytes }).collect()
    };
    let costs = Costs { phy_ns: args.preamble, overhead_ns: args.overhead };
    let (slow, equal) = (stations(&args.aggregates), stations(&args.fair_aggregates));
    let (turns, shares) = (in_turn(&slow, costs), fair(&equal, costs));

    let percent = |share: &Share| format!("{:.1}", share.air * 100.0);
    let mbps = |bps: f64| format!("{:.2}", bps / 1e6);
    let mut rows: Vec<_> = (0..args.rates.len())
        .map(|i| {
            vec![
                format!("{}", args.rates[i] as f64 / 1e6),
                args.aggregates[i].to_string(),
                percent(&turns[i]),
                mbps(turns[i].goodput_bps),
                args.fair_aggregates[i].to_string(),
                percent(&shares[i]),
                mbps(shares[i].goodput_bps),
            ]
        })
        .collect();
    let blank = String::new;
    rows.push(vec!["all".into(), blank(), blank(), mbps(sum(&turns)), blank(), blank(), mbps(sum(&shares))]);
    let headings =
        ["rate,\nMb/s", "in turn:\nbytes", "\nair, %", "\nMb/s", "equal air:\nbytes", "\nair, %", "\nMb/s"]
            .map(String::from);
    let mut text = format!(
        "Stations that always have something to receive:\n\
         one aggregate each in turn, and equal air for each.\n\
         {} of preamble and {} of overhead for an aggregate.\n\n",
        Unit::Ns.format(args.preamble),
        Unit::Ns.format(args.overhead)
    );
    text += &table::figures(&headings, &rows, output::stdout_style());
    let as_json = |stations: &[Station], shares: &[Share]| {
        let each = stations.iter().zip(shares).map(|(station, share)| {
            json!({
                "rate_bps": station.rate_bps,
                "aggregate_bytes": station.aggregate_bytes,
                "air": share.air,
                "goodput_bps": share.goodput_bps,
                "alone_bps": costs.alone_bps(station),
            })
        });
        json!({ "stations": each.collect::<Vec<_>>(), "goodput_bps": sum(shares) })
    };
    let json = json!({
        "model": "anomaly",
        "preamble_ns": args.preamble,
        "overhead_ns": args.overhead,
        "in_turn": as_json(&slow, &turns),
        "fair": as_json(&equal, &shares),
    });
    Answer { text, json }.print(args.form.is_json())
}

fn sum(shares: &[Share]) -> f64 {
    shares.iter().map(|share| share.goodput_bps).sum()
}
