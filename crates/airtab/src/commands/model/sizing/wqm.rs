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

#[cfg(test)]
mod tests {
    use super::super::super::args::ModelCommand;
    use super::super::super::given;
    use super::*;

    fn parsed(words: &[&str]) -> args::Wqm {
        match given::command(&[&["wqm"], words].concat()) {
            ModelCommand::Wqm(args) => args,
            _ => panic!("another model"),
        }
    }

    /// Rows of limits and of looks.
    fn of(words: &[&str]) -> (Vec<serde_json::Value>, Vec<serde_json::Value>) {
        let (limits, looks) = made(&parsed(words)).unwrap_or_else(|e| panic!("{words:?}: {e}"));
        (limits.json_rows(), looks.json_rows())
    }

    /// Among equal 802.11n rates: the fewest streams, then the narrowest channel, then the longest guard interval.
    #[test]
    fn a_rate_is_that_of_the_simplest_radio() {
        let phy = Phy::named("std-11n").expect("a profile");
        for (mbps, streams, width, gi, mcs) in [
            (6.5, 1, 20, 800, 0),
            (7.2, 1, 20, 400, 0),
            (65.0, 1, 20, 800, 7),
            (72.2, 1, 20, 400, 7),
            (13.5, 1, 40, 800, 0),
            (135.0, 1, 40, 800, 7),
            (150.0, 1, 40, 400, 7),
            (39.0, 1, 20, 800, 4),
            (78.0, 2, 20, 800, 4),
            (120.0, 1, 40, 400, 5),
            (144.4, 2, 20, 400, 7),
            (300.0, 2, 40, 400, 7),
            (600.0, 4, 40, 400, 7),
        ] {
            let rate = of_11n(&phy, mbps).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(
                (rate.streams(), rate.width_mhz(), rate.gi_ns(), rate.mcs()),
                (streams, width, gi, mcs),
                "{mbps}"
            );
        }
        for (mbps, nearest) in [(66.0, "65"), (1.0, "6.5"), (700.0, "600"), (144.0, "144.4")] {
            let said = of_11n(&phy, mbps).map(|_| ()).expect_err("there is none");
            let expected =
                format!("--rate: 802.11n has no rate of {mbps} Mb/s; the nearest is {nearest}, or");
            assert!(said.starts_with(&expected), "{said}");
        }
    }

    /// Packets of 1500 bytes at 300 Mb/s and half of the time are 80 us each.
    #[test]
    fn each_option_reaches_the_law() {
        let base = ["--rate=300", "--frames=32", "--free=0.5", "--ticks=3"];
        let own = [
            "--drain=4ms",
            "--least=40",
            "--most=90",
            "--first=60",
            "--confirm=1",
            "--law=aiad",
            "--queue=200",
        ];
        let (limits, looks) = of(&[&base[..], &own].concat());
        let value = |row: &serde_json::Value, key: &str| {
            row[key].as_f64().unwrap_or_else(|| panic!("{key} of {row}"))
        };
        for (key, expected) in [
            ("rate_bps", 300e6),
            ("frames", 32.0),
            ("first_packets", 60.0),
            ("least_packets", 40.0),
            ("most_packets", 90.0),
            ("aim_s", 0.004),
            ("aim_packets", 50.0),
            ("queue_packets", 200.0),
            ("drain_s", 200.0 * 80e-6),
        ] {
            assert!((value(&limits[0], key) / expected - 1.0).abs() < 1e-9, "{key}: {}", limits[0]);
        }
        let (sheet, _) = made(&parsed(&[&base[..], &own].concat())).expect("rows");
        assert_eq!(sheet.more["free"], 0.5);
        let parts = ["data_s", "ack_s"].map(|key| value(&limits[0], key));
        assert!((value(&limits[0], "round_trip_s") - parts.iter().sum::<f64>()).abs() < 1e-12);
        assert!(parts[0] > 2.0 * parts[1]);
        // R ARTT, in packets.
        let packets = value(&limits[0], "round_trip_s") * 300e6 / 12_000.0;
        assert!((value(&limits[0], "round_trip_packets") / packets - 1.0).abs() < 1e-9);
        // The queue is as long as the limit lets: longer than 50 packets drain in 4 ms, so that each look takes one.
        let steps: Vec<_> =
            looks.iter().map(|row| (value(row, "look"), value(row, "limit_packets"))).collect();
        assert_eq!(steps, [(1.0, 59.0), (2.0, 58.0), (3.0, 57.0)]);
        for (row, packets) in looks.iter().zip([60.0, 59.0, 58.0]) {
            assert!((value(row, "drain_s") / (packets * 80e-6) - 1.0).abs() < 1e-9, "{row}");
            assert!((value(row, "aim_s") / 0.004 - 1.0).abs() < 1e-9, "{row}");
            assert!(row["rate_bps"].is_null() && row["action"] == "cut", "{row}");
        }
        // What is around aggregates of 4 frames takes longer than that of 32, at each look as well.
        let drains = [[].as_slice(), &["--kavg=32"], &["--kavg=4"]].map(|kavg| {
            let (limits, looks) = of(&[&base[..], kavg].concat());
            let drains = [&limits[0], &looks[0]].map(|row| value(row, "drain_s"));
            assert!(
                (drains[0] / drains[1] - 1.0).abs() < 1e-9,
                "the queue is as long as the limit: {drains:?}"
            );
            drains[0]
        });
        assert!(drains[0] < drains[1] && drains[1] < drains[2], "{drains:?}");
        // Two looks until it moves, and by half, are the defaults.
        let usual = [&base[..], &["--drain=4ms", "--first=60", "--queue=200"]].concat();
        let limit: Vec<f64> = of(&usual).1.iter().map(|row| value(row, "limit_packets")).collect();
        assert_eq!(limit[..2], [60.0, 32.0], "never below an aggregate");
    }

    /// Looks are 12 of a lone rate and none of several, unless there are to be more; those of several are told apart.
    #[test]
    fn looks_are_those_of_each_rate() {
        let count = |words: &[&str]| of(words).1.len();
        assert_eq!((count(&["--rate=65"]), count(&["--rate=65,300"])), (12, 0));
        assert_eq!((count(&["--rate=65", "--ticks=0"]), count(&["--rate=65,300", "--ticks=3"])), (0, 6));
        let (_, looks) = of(&["--rate=65,300", "--ticks=2"]);
        let of_row = |row: &serde_json::Value| (row["rate_bps"].as_f64(), row["look"].as_f64());
        let rows: Vec<_> = looks.iter().map(of_row).collect();
        let row = |mbps: f64, look: f64| (Some(mbps * 1e6), Some(look));
        assert_eq!(rows, [row(65.0, 1.0), row(65.0, 2.0), row(300.0, 1.0), row(300.0, 2.0)]);
        let about = |words: &[&str]| {
            let (limits, looks) = made(&parsed(words)).expect("rows");
            (limits.about, looks.about)
        };
        let (limits, looks) = about(&["--free=1/3", "--queue=7"]);
        assert!(
            limits.starts_with("Limits of WQM, hardened: K frames of an aggregate (bytes in 4 ms), "),
            "{limits}"
        );
        assert!(limits.ends_with("at a free share of 0.3333."), "{limits}");
        assert_eq!(looks, "A look every 100 ms; each time 7 packets wait, or as many as the limit lets.");
        let (limits, looks) = about(&["--profile=faithful", "--phy=std-11n"]);
        assert!(
            limits.starts_with("Limits of WQM, faithful: K frames of an aggregate (exact times in 4 ms), "),
            "{limits}"
        );
        assert_eq!(looks, "A look every 100 ms; each time the queue is full.");
        assert!(about(&["--frames=3"]).0.contains("aggregate, ARTT"));
    }
}
