// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model wqm`: what the law starts with at a rate, and how it goes on.

use std::process::ExitCode;

use airtab_core::{Phy, Rate, RateSpec};
use airtab_lab::table::wrap;
use airtab_model::sizing::aggregate::{ATH9K, Bounds};
use airtab_model::sizing::wqm::law::{Look, Most, Params, Steady, Wqm};
use airtab_model::sizing::{SizingError, wqm};

use super::super::sheet::{Cell, Drawn, Sheet, column};
use super::super::{Answer, wrong_usage};
use super::{args, checked, us};
use crate::output;

/// Looks that are shown of one rate.
const LOOKS: usize = 12;
/// Bytes that the last frame of an aggregate of 1500-byte packets is not padded by.
const UNPADDED: u32 = 2;

/// One rate of those asked for.
struct At {
    rate_mbps: f64,
    frames: u32,
    law: Wqm,
}

/// A table of rates, and one of looks.
pub fn wqm(args: &args::Wqm) -> anyhow::Result<ExitCode> {
    let made = made(args).and_then(|(limits, looks)| {
        let drawn = Drawn {
            over: "look".into(),
            lines: vec!["limit_packets".into()],
            label: "limit, packets".into(),
            cure: "several looks, such as --ticks 60",
        };
        let figure = args.form.out.as_ref().map(|_| looks.figure(&drawn)).transpose()?;
        Ok((limits, looks, figure))
    });
    let (limits, looks, figure) = match made {
        Ok(made) => made,
        Err(message) => return wrong_usage(message),
    };
    if let Some((path, figure)) = args.form.out.as_ref().zip(figure) {
        output::Drawing::open(path)?.write(&figure)?;
    }
    let style = output::stdout_style();
    let mut text = limits.text(style);
    let mut json = limits.json("wqm");
    json["looks"] = looks.json_rows().into();
    if !looks.rows.is_empty() {
        text += &format!("{}\n\n{}", wrap(&looks.about, style.width), looks.table(style));
    }
    Answer { text, json }.print(args.form.printed.is_json())
}

fn made(args: &args::Wqm) -> Result<(Sheet, Sheet), String> {
    let looks = args.ticks.unwrap_or(if args.rate.len() == 1 { LOOKS } else { 0 });
    checked(args.rate.len() * looks.max(1))?;
    let params = params(args);
    let at = |rate: &f64| -> Result<At, String> {
        let frames = frames(args, *rate)?;
        let law = Wqm::new(params, *rate, frames).map_err(|e| of_rate(args, *rate, e))?;
        Ok(At { rate_mbps: *rate, frames, law })
    };
    let all: Vec<At> = args.rate.iter().map(at).collect::<Result<_, _>>()?;
    let limits = limits(args, &params, &all).map_err(|e| e.to_string())?;
    let looks = trace(args, all, looks).map_err(|e| e.to_string())?;
    Ok((limits, looks))
}

/// What is wrong, and of several rates at which.
fn of_rate(args: &args::Wqm, rate: f64, wrong: SizingError) -> String {
    // Their messages begin with the option.
    let option = matches!(wrong, SizingError::First { .. } | SizingError::Bounds { .. });
    let at = if args.rate.len() > 1 { format!(" (at {rate} Mb/s)") } else { String::new() };
    format!("{}{wrong}{at}", if option { "--" } else { "" })
}

fn params(args: &args::Wqm) -> Params {
    let profile = args.profile.params();
    Params {
        drain_us: args.drain.map_or(profile.drain_us, us),
        least: args.least,
        most: args.most.map_or(profile.most, Most::Packets),
        first: args.first,
        confirm: args.confirm,
        law: args.law,
        kavg: args.kavg.is_some(),
        ..profile
    }
}

/// K, given or of a rate.
fn frames(args: &args::Wqm, mbps: f64) -> Result<u32, String> {
    let bounds = Bounds { driver: Some(args.cap), ..ATH9K };
    let by_rate = match (args.frames, args.phy) {
        (Some(frames), _) => return Ok(frames),
        (None, args::Frames::Formula) => bounds.frames(mbps),
        (None, args::Frames::Exact) => {
            let phy = Phy::named("std-11n").ok_or("the core has no std-11n")?;
            let rate = of_11n(&phy, mbps)?;
            bounds.frames_within(mbps, UNPADDED, |bytes| phy.ppdu_ns(&rate, bytes) as f64 / 1e3)
        }
    };
    by_rate.map_err(|e| e.to_string())
}

/// The rate of 802.11n that is written so, to a tenth: of several the one of the fewest streams, the narrowest channel and the
/// longest guard interval.
fn of_11n(phy: &Phy, mbps: f64) -> Result<Rate, String> {
    let mut nearest = f64::INFINITY;
    for streams in 1..=4 {
        for (width, gi) in [(20, 800), (20, 400), (40, 800), (40, 400)] {
            for mcs in 0..=7 {
                let spec = RateSpec {
                    mcs,
                    streams: Some(streams),
                    width: Some(width),
                    gi: Some(gi),
                    ..RateSpec::default()
                };
                let Ok(rate) = phy.rate(&spec) else { continue };
                let found = f64::from(rate.kbps()) / 1e3;
                if (found - mbps).abs() < 0.06 {
                    return Ok(rate);
                }
                if (found - mbps).abs() < (nearest - mbps).abs() {
                    nearest = found;
                }
            }
        }
    }
    Err(format!(
        "--rate: 802.11n has no rate of {mbps} Mb/s; the nearest is {}, or give --phy wqm-11n or --frames",
        (nearest * 10.0).round() / 10.0
    ))
}

/// A row for each rate.
fn limits(args: &args::Wqm, params: &Params, all: &[At]) -> Result<Sheet, SizingError> {
    let us = |name: &str, heading: &str| column(name, heading, 1).times(1e6);
    let ms = |name: &str, heading: &str| column(name, heading, 2).times(1e3);
    let whole = |name: &str, heading: &str| column(name, heading, 0);
    let columns = vec![
        column("rate_bps", "R\nMb/s", 0).times(1e-6).whole(),
        whole("frames", "K\n"),
        us("data_s", "data\nus"),
        us("ack_s", "ACKs\nus"),
        us("round_trip_s", "ARTT\nus"),
        column("round_trip_packets", "R ARTT\n", 2),
        whole("first_packets", "first\nB"),
        whole("least_packets", "least\nB"),
        whole("most_packets", "most\nB"),
        ms("aim_s", "aim\nms"),
        column("aim_packets", "drain\nin aim", 2),
        whole("queue_packets", "queue\n"),
        ms("drain_s", "T\nms"),
    ];
    let about = format!(
        "Limits of WQM, {}: K frames of an aggregate{}, ARTT a round trip over one hop without a queue, B packets that \
         may wait, T how long those of the queue take at a free share of {}.",
        match args.profile {
            args::Profile::Hardened => "hardened",
            args::Profile::Faithful => "faithful",
        },
        match (args.frames, args.phy) {
            (Some(_), _) => "",
            (None, args::Frames::Formula) => " (bytes in 4 ms)",
            (None, args::Frames::Exact) => " (exact times in 4 ms)",
        },
        round(args.free)
    );
    let mut sheet = Sheet::new("limits", about, 2, columns);
    for At { rate_mbps: rate, frames, law } in all {
        let exchange = &params.exchange;
        let (data, acks) = (exchange.data_us(*rate, *frames)?, exchange.ack_us(*rate, *frames)?);
        let (least, most) = params.bounds(*rate, *frames)?;
        let aim = params.aim_us(*rate, *frames)?;
        let queue = args.queue.unwrap_or(law.limit());
        let drain = match args.kavg {
            Some(mean) => wqm::drain_aggregated_us(exchange, queue, mean, *rate, args.free)?,
            None => wqm::drain_us(f64::from(queue) * exchange.packet_bits(), *rate, args.free)?,
        };
        let row = [
            rate * 1e6,
            (*frames).into(),
            data / 1e6,
            acks / 1e6,
            (data + acks) / 1e6,
            wqm::bound(exchange, *rate, *frames)?,
            law.limit().into(),
            least.into(),
            most.into(),
            aim / 1e6,
            wqm::packets_within(aim, *rate, args.free, exchange.packet_bytes)?,
            queue.into(),
            drain / 1e6,
        ];
        sheet.rows.push(row.map(Cell::Number).into());
    }
    sheet.more.insert("free".into(), args.free.into());
    Ok(sheet)
}

/// A row for each look at each rate.
fn trace(args: &args::Wqm, all: Vec<At>, looks: usize) -> Result<Sheet, SizingError> {
    let several = all.len() > 1;
    let mut columns = vec![
        column("rate_bps", "R\nMb/s", 0).times(1e-6).whole(),
        column("look", "look\n", 0),
        column("drain_s", "T\nms", 3).times(1e3),
        column("aim_s", "aim\nms", 3).times(1e3),
        column("action", "what\n", 0),
        column("limit_packets", "B\npackets", 0),
    ];
    if !several {
        columns.remove(0);
    }
    let queue = match args.queue {
        Some(packets) => format!("{packets} packets wait, or as many as the limit lets"),
        None => "the queue is full".into(),
    };
    let about = format!("A look every 100 ms; each time {queue}.");
    let mut sheet = Sheet::new("looks", about, if several { 2 } else { 1 }, columns);
    for At { rate_mbps, frames, mut law } in all {
        let steady =
            Steady { rate_mbps, frames, free: args.free, packets: args.queue, mean_frames: args.kavg };
        for (i, look) in law.trace(&steady, looks)?.into_iter().enumerate() {
            let Look { drain_us, aim_us, action, limit } = look;
            let mut row = vec![
                (rate_mbps * 1e6).into(),
                (i as f64 + 1.0).into(),
                (drain_us / 1e6).into(),
                (aim_us / 1e6).into(),
                action.name().into(),
                f64::from(limit).into(),
            ];
            if !several {
                row.remove(0);
            }
            sheet.rows.push(row);
        }
    }
    Ok(sheet)
}

/// Without the digits that a third has.
fn round(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}
