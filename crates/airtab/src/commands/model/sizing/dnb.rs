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

#[cfg(test)]
mod tests {
    use super::super::super::args::ModelCommand;
    use super::super::super::given;
    use super::*;

    fn of(words: &[&str]) -> Sheet {
        match given::command(&[&["dnb"], words].concat()) {
            ModelCommand::Dnb(args) => sheet(&args).unwrap_or_else(|e| panic!("{words:?}: {e}")),
            _ => panic!("another model"),
        }
    }

    fn figures(sheet: &Sheet, key: &str) -> Vec<Option<f64>> {
        sheet.json_rows().iter().map(|row| row[key].as_f64()).collect()
    }

    fn more(sheet: &Sheet, key: &str) -> f64 {
        sheet.more[key].as_f64().unwrap_or_else(|| panic!("{key}"))
    }

    /// If the first relay is node 1, the sender's hop has no share, and nodes are counted from the second hop on.
    #[test]
    fn a_sender_beside_the_domain_has_no_share() {
        let sheet = of(&["--rates", "11,5.5,2", "--origin", "relay", "--buffer", "9", "--split", "equal"]);
        let limits = figures(&sheet, "limit_packets");
        let [None, Some(first), Some(second)] = limits[..] else { panic!("{limits:?}") };
        assert_eq!((first + second, more(&sheet, "nodes")), (9.0, 2.0));
        assert_eq!(figures(&sheet, "cost"), [None, Some(1.0 / (first + 1.0)), Some(2.0 / (second + 1.0))]);
        assert_eq!(figures(&sheet, "hop"), [Some(1.0), Some(2.0), Some(3.0)]);
        assert!(figures(&sheet, "overflow")[0].is_none() && figures(&sheet, "overflow")[1].is_some());
        assert!(
            sheet
                .about
                .starts_with("3 hops that share one channel, 2 nodes that share B = 9 packets by equal.")
        );
    }

    /// Delay outside the domain lengthens the round trip; more of smaller packets fit into it; RTS and CTS lengthen both
    /// accesses of a hop by 34 bytes, two preambles of 192 us and two SIFS of 10 us.
    #[test]
    fn each_option_reaches_the_rule() {
        let plain = of(&["--rates", "11,11"]);
        let trip = more(&plain, "round_trip_s");
        let extra = of(&["--rates", "11,11", "--extra", "10ms"]);
        assert!((more(&extra, "round_trip_s") - trip - 0.01).abs() < 1e-9);
        assert!((more(&extra, "round_trip_packets") / ((trip + 0.01) * 11e6 / 11_680.0) - 1.0).abs() < 1e-9);
        let small = of(&["--rates", "11,11", "--packet", "730B"]);
        assert!((more(&small, "rate_packets_per_s") / (11e6 / 5_840.0) - 1.0).abs() < 1e-9);
        assert!((more(&small, "round_trip_s") - trip).abs() < 1e-12);
        let rts = of(&["--rates", "11,11", "--rts"]);
        let before_us = 34.0 * 8.0 / 11.0 + 2.0 * 192.0 + 2.0 * 10.0;
        for key in ["data_s", "ack_s"] {
            let [plain, rts] = [&plain, &rts].map(|sheet| figures(sheet, key)[1].expect("a time"));
            assert!((rts - plain - before_us * 1e-6).abs() < 1e-9, "{key}: {plain} {rts}");
        }
        let fast = of(&["--rates", "65,65", "--phy", "wqm-11n"]);
        assert!(more(&fast, "round_trip_s") < trip / 2.0);
        let splits = of(&["--rates", "11,11", "--buffer", "9", "--split", "greedy,equal", "--least", "3"]);
        let words: Vec<_> = splits.json_rows().iter().map(|row| row["split"].clone()).collect();
        assert_eq!(words, ["greedy", "greedy", "equal", "equal"]);
        assert!(
            figures(&splits, "limit_packets").iter().all(|limit| limit.is_some_and(|limit| limit >= 3.0))
        );
        assert!(splits.about.ends_with("share B = 9 packets."), "{}", splits.about);
        // A floor of 8 packets is what drops cost then, too: 1/9 and 2/9.
        let floored = of(&["--rates", "11,11", "--buffer", "4", "--least", "8"]);
        assert_eq!(figures(&floored, "limit_packets"), [Some(8.0), Some(8.0)]);
        let cost = floored.more["cost"]["ratio"].as_f64().expect("a cost");
        assert!((cost - 3.0 / 9.0).abs() < 1e-12, "{cost}");
    }

    /// A flow uses each of the links in turn; of two links of 11 Mb/s half of the rate is all.
    #[test]
    fn the_state_of_a_domain_is_that_of_its_load() {
        for (load, used, state) in [
            ("1.1", 0.2, "20.0 % of the time, no bottleneck;"),
            ("4.9", 4.9 / 5.5, "89.1 % of the time, no bottleneck;"),
            ("5", 5.0 / 5.5, "90.9 % of the time, a bottleneck;"),
            ("5.5", 1.0, "100.0 % of the time, a bottleneck;"),
            ("6", 6.0 / 5.5, "109.1 % of the time, more than it carries;"),
        ] {
            let sheet = of(&["--rates", "11,11", "--load", load]);
            assert!((more(&sheet, "utilisation") - used).abs() < 1e-12, "{load}");
            let note = sheet.notes.last().expect("a note");
            let begins = format!("At {load} Mb/s the domain is used for {state}");
            assert!(
                note.starts_with(&begins) && note.ends_with("5.500 Mb/s would fill it, without headers."),
                "{note}"
            );
        }
        let sheet = of(&["--rates", "11,5.5", "--load", "1"]);
        assert!((more(&sheet, "utilisation") - 3.0 / 11.0).abs() < 1e-12);
        assert!(!of(&["--rates", "11,5.5"]).more.contains_key("utilisation"));
        // Hops that wait for each other get less.
        let [serial, most] = ["goodput_serial_bps", "goodput_most_bps"].map(|key| more(&sheet, key));
        assert!(serial < most);
        let said = format!(
            "TCP gets about {:.3} Mb/s if each hop waits for its own backoff, and {:.3} at most.",
            serial / 1e6,
            most / 1e6
        );
        assert!(sheet.notes.contains(&said), "{:?}", sheet.notes);
    }

    /// The sentence on the round trip has ms and packets, that on contention the probabilities of the JSON in their order.
    #[test]
    fn notes_have_the_figures_of_the_json() {
        let sheet =
            of(&["--rates", "11,5.5,2,11", "--idle", "0.25", "--buffer", "40", "--split", "ratio,greedy"]);
        let costs = sheet.more["cost"].as_object().expect("costs").clone();
        let cost = |name: &str| format!("{name} {:.4}", costs[name].as_f64().expect("a cost"));
        let trip = format!(
            "A round trip without a queue takes {:.2} ms, in which the slowest hop sends {:.2} packets of 1460 bytes: B = {}. \
             What drops cost, the sum of i/(b+1): {}, {}.",
            more(&sheet, "round_trip_s") * 1e3,
            more(&sheet, "round_trip_packets"),
            more(&sheet, "round_trip_packets").round().max(4.0),
            cost("ratio"),
            cost("greedy")
        );
        assert_eq!(sheet.notes[0], trip);
        let [win, empty, backlogged] = ["p_win", "p_receive_empty", "p_receive_backlogged"]
            .map(|key| format!("{:.6}", more(&sheet, key)));
        assert!(win != empty && empty != backlogged);
        let said = format!(
            "Of 4 nodes that have nothing to send with probability 0.25, one that has something sends next with {win}; one \
             whose queue is empty receives with {empty}, one whose queue is not with {backlogged}."
        );
        assert!(sheet.notes[1].starts_with(&said), "{}", sheet.notes[1]);
        assert_eq!(more(&sheet, "p_idle"), 0.25);
    }
}
