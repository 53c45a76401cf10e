// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model bianchi`.

use std::process::ExitCode;

use airtab_core::{Phy, Unit};
use airtab_lab::table;
use airtab_model::bianchi::BianchiInput;
use airtab_scenario::phy_rate;
use serde_json::json;

use super::exchange::{Exchange, profile};
use super::{Answer, args, wrong_usage};
use crate::output;

/// What stations send, and how long it keeps the medium from counting idle slots.
struct Busy {
    what: String,
    success_ns: u64,
    collision_ns: u64,
    payload_bits: u64,
}

/// Frames at a rate in Mb/s, one each time. Others wait for DIFS after a collision, as its senders do.
fn single(phy: &Phy, args: &args::Bianchi) -> Result<Busy, String> {
    let asked = [
        ("--frames", args.frames.is_some_and(|frames| frames > 1)),
        ("--mcs", args.mcs.mcs.is_some()),
        ("--streams", args.mcs.streams.is_some()),
        ("--width", args.mcs.width.is_some()),
        ("--gi", args.mcs.gi.is_some()),
    ];
    if let Some((option, _)) = asked.iter().find(|(_, given)| *given) {
        return Err(format!("{option}: {} has no rates by MCS, and no aggregates", phy.name()));
    }
    let kbps = phy_rate(phy, args.rate.as_deref()).map_err(|message| format!("--rate: {message}"))?;
    let Ok(bytes @ 1..=65_535) = u32::try_from(args.size) else {
        return Err(format!("--size: {} is not 1 to 65535 bytes", Unit::Bytes.format(args.size)));
    };
    let busy_ns = phy.data_ns(kbps, bytes) + phy.sifs_ns() + phy.ack_ns(kbps) + phy.difs_ns();
    let rate = Unit::Bps.format(u64::from(kbps) * 1000);
    Ok(Busy {
        what: format!("frames of {} at {rate}", Unit::Bytes.format(args.size)),
        success_ns: busy_ns,
        collision_ns: busy_ns,
        payload_bits: args.size * 8,
    })
}

/// Aggregates at a rate by MCS.
fn aggregates(phy: &Phy, args: &args::Bianchi) -> Result<Busy, String> {
    if args.rate.is_some() {
        return Err(format!("--rate: {} has rates by MCS; give --mcs", phy.name()));
    }
    let exchange = Exchange::new(phy, &args.mcs, args.size)?;
    let frames = args.frames.unwrap_or(1);
    exchange.check(frames)?;
    let of = if frames > 1 { format!("aggregates of {frames} frames") } else { "frames".into() };
    Ok(Busy {
        what: format!("{of} of {} at {}", Unit::Bytes.format(args.size), exchange.rate),
        success_ns: exchange.success_ns(frames),
        collision_ns: exchange.collision_ns(frames),
        payload_bits: u64::from(frames) * args.size * 8,
    })
}

/// Throughput and collisions for each number of stations.
pub fn bianchi(args: &args::Bianchi) -> anyhow::Result<ExitCode> {
    let made = profile(&args.profile).and_then(|phy| {
        let busy = if phy.has_mcs() { aggregates(&phy, args) } else { single(&phy, args) };
        Ok((phy, busy?))
    });
    let (phy, busy) = match made {
        Ok(made) => made,
        Err(message) => return wrong_usage(message),
    };
    let (mut rows, mut cells) = (Vec::new(), Vec::new());
    for &n in &args.stations {
        let cell = BianchiInput {
            n,
            cw_min: phy.cw_min(),
            cw_max: phy.cw_max(),
            slot_ns: phy.slot_ns(),
            t_success_ns: busy.success_ns,
            t_collision_ns: busy.collision_ns,
            payload_bits: busy.payload_bits,
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
    let mut text = format!("{}: {},\nall stations always busy, no errors.\n\n", phy.name(), busy.what);
    let headings = [
        "\nstations",
        "all together\nMb/s",
        "attempts that\ncollide, %",
        "busy periods that\nare collisions, %",
        "sends in a slot\ntau",
    ]
    .map(String::from);
    text += &table::figures(&headings, &rows, output::stdout_style());
    let json = json!({
        "model": "bianchi",
        "phy": phy.name(),
        "busy_ns": busy.success_ns,
        "collision_ns": busy.collision_ns,
        "cells": cells,
    });
    Answer { text, json }.print(args.form.is_json())
}
