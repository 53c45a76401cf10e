// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model bianchi`.

use std::process::ExitCode;

use airtab_core::Unit;
use airtab_lab::table;
use airtab_model::bianchi::BianchiInput;
use airtab_scenario::{phy_rate, profile};
use serde_json::json;

use super::{Answer, args, wrong_usage};
use crate::output;

/// Throughput and collisions for each number of stations.
pub fn bianchi(args: &args::Bianchi) -> anyhow::Result<ExitCode> {
    let phy = match profile(&args.phy) {
        Ok(phy) => phy,
        Err(message) => return wrong_usage(format!("--phy: {message}")),
    };
    let kbps = match phy_rate(&phy, args.rate.as_deref()) {
        Ok(kbps) => kbps,
        Err(message) => return wrong_usage(format!("--rate: {message}")),
    };
    let Ok(bytes @ 1..=65_535) = u32::try_from(args.size) else {
        return wrong_usage(format!("--size: {} is not 1 to 65535 bytes", Unit::Bytes.format(args.size)));
    };
    let busy_ns = phy.data_ns(kbps, bytes) + phy.sifs_ns() + phy.ack_ns(kbps) + phy.difs_ns();
    let (mut rows, mut cells) = (Vec::new(), Vec::new());
    for &n in &args.stations {
        let cell = BianchiInput {
            n,
            cw_min: phy.cw_min(),
            cw_max: phy.cw_max(),
            slot_ns: phy.slot_ns(),
            t_success_ns: busy_ns,
            t_collision_ns: busy_ns,
            payload_bits: u64::from(bytes) * 8,
        }
        .solve()?;
        rows.push(vec![
            n.to_string(),
            format!("{:.3}", cell.throughput_bps / 1e6),
            format!("{:.2}", cell.p * 100.0),
            format!("{:.2}", (1.0 - cell.p_success) * 100.0),
            format!("{:.4}", cell.tau),
        ]);
        cells.push(json!({
            "stations": n,
            "throughput_bps": cell.throughput_bps,
            "p_attempt_collides": cell.p,
            "p_busy_is_collision": 1.0 - cell.p_success,
            "tau": cell.tau,
        }));
    }
    let mut text = format!(
        "{}: frames of {} at {}, all stations always busy, no errors.\n\n",
        phy.name(),
        Unit::Bytes.format(bytes.into()),
        Unit::Bps.format(u64::from(kbps) * 1000)
    );
    let headings = [
        "\nstations",
        "all together\nMb/s",
        "attempts that\ncollide, %",
        "busy periods that\nare collisions, %",
        "sends in a slot\ntau",
    ]
    .map(String::from);
    text += &table::figures(&headings, &rows, output::stdout_style());
    let json = json!({ "model": "bianchi", "phy": phy.name(), "busy_ns": busy_ns, "cells": cells });
    Answer { text, json }.print(args.json)
}
