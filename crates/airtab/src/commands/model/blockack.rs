// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model blockack`.

use std::process::ExitCode;

use airtab_core::Unit;
use airtab_lab::table;
use airtab_model::blockack::{BlockAck, EXACT_WINDOW};
use serde_json::json;

use super::exchange::{Exchange, profile};
use super::{Answer, args, wrong_usage};
use crate::output;

/// Lengths and goodput for each error rate.
pub fn blockack(args: &args::Blockack) -> anyhow::Result<ExitCode> {
    let made = profile(&args.profile).and_then(|phy| {
        let exchange = Exchange::new(&phy, &args.mcs, args.size)?;
        let window = args.window.unwrap_or(phy.window().into());
        let frames = args.frames.unwrap_or(exchange.most_frames().min(window));
        exchange.check(frames)?;
        Ok((exchange, window, frames))
    });
    let (exchange, window, frames) = match made {
        Ok(made) => made,
        Err(message) => return wrong_usage(message),
    };
    let bits = args.size * 8;
    let (mut rows, mut cells) = (Vec::new(), Vec::new());
    for &args::ErrorRate(error) in &args.error {
        let solved = match (BlockAck { window, frames, error, attempts: args.attempts }).solve() {
            Ok(solved) => solved,
            Err(wrong) => return wrong_usage(wrong),
        };
        let goodput = solved.goodput_bps(bits, exchange.bar_ns(window), |n| exchange.cycle_ns(n));
        let given_up = solved.given_up / (solved.given_up + solved.delivered);
        rows.push(vec![
            format!("{}", error * 100.0),
            format!("{:.2}", solved.mean_frames()),
            format!("{:.2}", solved.lengths[frames as usize] * 100.0),
            format!("{:.3}", given_up * 100.0),
            format!("{:.3}", goodput / 1e6),
        ]);
        cells.push(json!({
            "error": error,
            "mean_frames": solved.mean_frames(),
            "lengths": solved.lengths,
            "delivered_per_aggregate": solved.delivered,
            "given_up": given_up,
            "bars_per_aggregate": solved.bars,
            "goodput_bps": goodput,
        }));
    }
    let mut text = format!(
        "{}: a window of {window},\naggregates of at most {frames} frames of {}, one sender that is always busy.\n\n",
        exchange.rate,
        Unit::Bytes.format(args.size)
    );
    let headings =
        ["lost,\n%", "mean length,\nframes", "full,\n%", "given up,\n%", "goodput,\nMb/s"].map(String::from);
    text += &table::figures(&headings, &rows, output::stdout_style());
    if window > EXACT_WINDOW {
        text += "\nThe chain of a window this wide is an approximation.\n";
    }
    let json = json!({
        "model": "blockack",
        "profile": args.profile,
        "rate": exchange.rate.to_string(),
        "window": window,
        "frames": frames,
        "attempts": args.attempts,
        "exact": window <= EXACT_WINDOW,
        "cells": cells,
    });
    Answer { text, json }.print(args.form.is_json())
}
