// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model dnb`: one buffer for the hops of a collision domain.

use std::process::ExitCode;

use airtab_model::sizing::backlog::{overflow_saturated, receive_backlogged, receive_empty, win};
use airtab_model::sizing::dnb::{Neighborhood, Origin, Rule, floored};
use airtab_model::sizing::domain::{Link, THRESHOLD, alone_mbps, utilisation};
use airtab_model::sizing::exchange::Constants;
use airtab_model::sizing::split::{Split, cost};
use airtab_model::sizing::{SizingError, chain};
use serde_json::{Map, Value};

use super::super::sheet::{Cell, Drawn, Sheet, column};
use super::{args, checked, us};

/// The highest rate of 802.11b, Mb/s.
const FASTEST_11B: f64 = 11.0;

/// A row for each hop of each split.
pub fn dnb(args: &args::Dnb) -> anyhow::Result<ExitCode> {
    let drawn = Drawn {
        over: "hop".into(),
        lines: vec!["limit_packets".into()],
        label: "share of the buffer, packets".into(),
        cure: "several hops, such as --rates 11,11,11,11",
    };
    super::super::show("dnb", sheet(args), &args.form, &drawn)
}

fn sheet(args: &args::Dnb) -> Result<Sheet, String> {
    checked(args.rates.len() * args.split.len())?;
    if let Some(fast) = args.rates.iter().find(|rate| args.phy == args::Exchange::B && **rate > FASTEST_11B) {
        return Err(format!("--rates: {fast} Mb/s is no rate of 802.11b (dnb-11b); give --phy wqm-11n"));
    }
    let rule = Rule {
        packet_bytes: args.packet as f64,
        rounding: args.rounding.into(),
        extra_us: us(args.extra),
        origin: args.origin.into(),
        ..Rule::new(Constants { rts_cts: args.rts, ..args.phy.constants() })
    };
    let domain = rule.neighborhood(&args.rates).map_err(|e| match (e, rule.origin) {
        (SizingError::Value { .. }, Origin::FirstRelay) if args.rates.len() == 1 => {
            "--origin relay: one hop has no relay; give two rates, or --origin queue".into()
        }
        (e, _) => format!("--rates: {e}"),
    })?;
    let packets = args.buffer.unwrap_or(domain.packets);
    let made = filled(args, &rule, &domain, packets);
    made.map_err(|e| match e {
        SizingError::Scarce { .. } => format!("--buffer: {e}"),
        e => e.to_string(),
    })
}

fn filled(args: &args::Dnb, rule: &Rule, domain: &Neighborhood, packets: u32) -> Result<Sheet, SizingError> {
    let several = args.split.len() > 1;
    let us = |name: &str, heading: &str| column(name, heading, 1).times(1e6);
    let mut columns = vec![
        column("split", "split\n", 0),
        column("hop", "hop\n", 0),
        column("rate_bps", "rate\nMb/s", 0).times(1e-6).whole(),
        us("data_s", "data\nus"),
        us("ack_s", "ACK\nus"),
        us("exchange_s", "both\nus"),
        column("limit_packets", "b\npackets", 0),
        column("cost", "cost\ni/(b+1)", 4),
        column("overflow", "overflow\n", 4),
    ];
    if !several {
        columns.remove(0);
    }
    let about = format!(
        "{} hops that share one channel, {} nodes that share B = {packets} packets{}.",
        domain.hops.len(),
        domain.nodes,
        if several { String::new() } else { format!(" by {}", args.split[0].name()) }
    );
    let mut sheet = Sheet::new("hops", about, if several { 2 } else { 1 }, columns);
    let mut costs = Vec::new();
    for split in &args.split {
        let mut limits = split.of(packets, domain.nodes)?;
        if let Some(least) = args.least {
            limits = floored(&limits, least)?;
        }
        let total = cost(&limits.iter().map(|limit| f64::from(*limit)).collect::<Vec<_>>());
        costs.push((split.name(), total));
        rows(&mut sheet, domain, *split, &limits, several)?;
    }
    notes(args, rule, domain, &costs, &mut sheet)?;
    for (name, value) in [
        ("buffer_packets", Value::from(packets)),
        ("nodes", domain.nodes.into()),
        ("round_trip_s", (domain.round_trip_us / 1e6).into()),
        ("rate_packets_per_s", domain.packets_per_s.into()),
        ("round_trip_packets", domain.product.into()),
        (
            "cost",
            costs.into_iter().map(|(name, cost)| (name.into(), cost.into())).collect::<Map<_, _>>().into(),
        ),
    ] {
        sheet.more.insert(name.into(), value);
    }
    Ok(sheet)
}

/// The hops with what each queue has; a sender whose own queue does not count has none.
fn rows(
    sheet: &mut Sheet,
    domain: &Neighborhood,
    split: Split,
    limits: &[u32],
    several: bool,
) -> Result<(), SizingError> {
    let outside = domain.hops.len() - domain.nodes;
    for (i, hop) in domain.hops.iter().enumerate() {
        let limit = i.checked_sub(outside).map(|i| (i, limits[i]));
        let overflow = limit.map(|(_, b)| overflow_saturated(domain.nodes, b)).transpose()?;
        let mut row: Vec<Cell> = vec![
            split.name().into(),
            (i as f64 + 1.0).into(),
            (hop.rate_mbps * 1e6).into(),
            (hop.data_us / 1e6).into(),
            (hop.ack_us / 1e6).into(),
            (hop.round_us() / 1e6).into(),
            limit.map(|(_, b)| f64::from(b)).into(),
            limit.map(|(i, b)| (i as f64 + 1.0) / (f64::from(b) + 1.0)).into(),
            overflow.into(),
        ];
        if !several {
            row.remove(0);
        }
        sheet.rows.push(row);
    }
    Ok(())
}

/// What is of the domain, not of a hop.
fn notes(
    args: &args::Dnb,
    rule: &Rule,
    domain: &Neighborhood,
    costs: &[(&str, f64)],
    sheet: &mut Sheet,
) -> Result<(), SizingError> {
    let costs: Vec<String> = costs.iter().map(|(name, cost)| format!("{name} {cost:.4}")).collect();
    sheet.notes.push(format!(
        "A round trip without a queue takes {:.2} ms, in which the slowest hop sends {:.2} packets of {} bytes: B = {}. What \
         drops cost, the sum of i/(b+1): {}.",
        domain.round_trip_us / 1e3,
        domain.product,
        args.packet,
        domain.packets,
        costs.join(", ")
    ));
    let (nodes, idle) = (domain.nodes, args.idle);
    let contention = [win(nodes, idle)?, receive_empty(nodes, idle)?, receive_backlogged(nodes, idle)?];
    sheet.notes.push(format!(
        "Of {nodes} nodes that have nothing to send with probability {idle}, one that has something sends next with {:.6}; \
         one whose queue is empty receives with {:.6}, one whose queue is not with {:.6}. Overflow is of nodes that always \
         have a packet.",
        contention[0], contention[1], contention[2]
    ));
    for (name, value) in ["p_win", "p_receive_empty", "p_receive_backlogged"].iter().zip(contention) {
        sheet.more.insert((*name).into(), value.into());
    }
    sheet.more.insert("p_idle".into(), idle.into());
    let acks = rule.exchange.acks_per_segment;
    let [serial, strict] = [chain::serial_mbps, chain::strict_mbps]
        .map(|mbps| mbps(&rule.exchange, &args.rates, rule.packet_bytes, acks));
    let (serial, strict) = (serial?, strict?);
    sheet.notes.push(format!(
        "TCP gets about {:.3} Mb/s if each hop waits for its own backoff, and {:.3} at most.",
        serial, strict
    ));
    sheet.more.insert("goodput_serial_bps".into(), (serial * 1e6).into());
    sheet.more.insert("goodput_most_bps".into(), (strict * 1e6).into());
    if let Some(load) = args.load {
        let links: Vec<Link> =
            args.rates.iter().map(|rate| Link { load_mbps: load, rate_mbps: *rate }).collect();
        let used = utilisation(&links)?;
        let state = match used {
            used if used > 1.0 => "more than it carries",
            used if used >= THRESHOLD => "a bottleneck",
            _ => "no bottleneck",
        };
        sheet.notes.push(format!(
            "At {load} Mb/s the domain is used for {:.1} % of the time, {state}; {:.3} Mb/s would fill it, without headers.",
            used * 1e2,
            alone_mbps(&args.rates)?
        ));
        sheet.more.insert("utilisation".into(), used.into());
    }
    Ok(())
}
