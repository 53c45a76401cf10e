// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model chap burst`.

use std::process::ExitCode;

use airtab_core::Unit;
use airtab_lab::table;
use airtab_model::chap::burst::starvation;
use airtab_scenario::QueueSettings;
use airtab_sim::server::starve;
use serde_json::json;

use super::{Answer, args, ms, wrong_usage};
use crate::output;

/// The bound, and the wait of the discipline itself.
pub fn burst(args: &args::Burst) -> anyhow::Result<ExitCode> {
    let params = args.queue.build(&QueueSettings::default())?;
    let name = params.discipline().name();
    let Some(&[increment]) = params.get("increment") else {
        return wrong_usage(format!("--queue {name}: it has no credits to burst with; take chap"));
    };
    if args.service > increment {
        let (service, increment) = (Unit::Ns.format(args.service), Unit::Ns.format(increment));
        return wrong_usage(format!(
            "--service {service}: a packet costs at most the increment, {increment}"
        ));
    }
    let (mut rows, mut waits) = (Vec::new(), Vec::new());
    // The largest first: if it does not fit, nothing is computed in vain.
    for n in (1..=args.flows).rev() {
        let bound = starvation(n.into(), increment as f64);
        let found = match starve(n, args.service, &params) {
            Ok(found) => found,
            Err(e) => {
                return wrong_usage(format!("{n} bursts of {} packets: {e}", 2 * increment / args.service));
            }
        };
        let packets = found.wait_ns / args.service;
        rows.push(vec![n.to_string(), ms(bound), ms(found.wait_ns as f64), packets.to_string()]);
        waits.push(json!({
            "bursts": n,
            "bound_ns": bound,
            "wait_ns": found.wait_ns,
            "credit_ns": found.left_ns,
        }));
    }
    rows.reverse();
    waits.reverse();
    let style = output::stdout_style();
    let mut text = String::new();
    for line in [
        "Idle flows burst together, each with 2I; another is backlogged and has no credit.".to_string(),
        format!(
            "I = {}, {} a packet, {}.",
            Unit::Ns.format(increment),
            Unit::Ns.format(args.service),
            args.queue.label
        ),
        String::new(),
    ] {
        text += &(table::wrap(&line, style.width) + "\n");
    }
    let headings = ["\nbursts", "bound 2nI\nms", "its wait\nms", "packets\nbefore it"].map(String::from);
    text += &table::figures(&headings, &rows, style);
    let json = json!({
        "model": "chap burst",
        "queue": args.queue.label,
        "increment_ns": increment,
        "service_ns": args.service,
        "waits": waits,
    });
    Answer { text, json }.print(args.form.is_json())
}
