// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Values of the sizing rules as they are written on the command line.
//!
//! What it does not do: what goes together is the rules' to say.

use airtab_core::Unit;
use airtab_model::sizing::split::Split;
use airtab_model::sizing::wqm::law::Law;
use airtab_scenario::reader::instead;

/// A rate above 0, Mb/s: with its unit, or a plain number of Mb/s.
pub fn mbps(text: &str) -> Result<f64, String> {
    let bps = match text.trim().parse::<f64>() {
        Ok(mbps) if mbps.is_finite() && mbps >= 0.0 => return some(mbps, text),
        Ok(_) => None,
        Err(_) => Some(Unit::Bps.parse(text).map_err(|e| e.to_string())?),
    };
    let wrong = || format!("'{text}' is no rate: above 0, such as 300Mb/s, or 5.5 for Mb/s");
    some(bps.ok_or_else(wrong)? as f64 / 1e6, text)
}

fn some(mbps: f64, text: &str) -> Result<f64, String> {
    if mbps > 0.0 { Ok(mbps) } else { Err(format!("'{text}' is nothing; give more than 0")) }
}

/// A number as `0.5`, `1/2` or `50%`.
fn number(text: &str) -> Option<f64> {
    let (text, scale) = text.trim().strip_suffix('%').map_or((text.trim(), 1.0), |text| (text, 1e2));
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let part = |text: &str| text.trim().parse::<f64>().ok();
    part(above).zip(part(below)).map(|(a, b)| a / b / scale).filter(|x| x.is_finite())
}

/// A share of time above 0, at most 1.
pub fn free(text: &str) -> Result<f64, String> {
    let share = number(text).filter(|x| *x > 0.0 && *x <= 1.0);
    share.ok_or_else(|| {
        format!("'{text}' is no free share: above 0 and at most 1, such as 0.5, or 1/3 beside two others")
    })
}

/// A share above 0 and below 1.
pub fn part(text: &str) -> Result<f64, String> {
    let share = number(text).filter(|x| *x > 0.0 && *x < 1.0);
    share.ok_or_else(|| format!("'{text}' is no part of a link: above 0 and below 1, such as 0.9 or 85%"))
}

/// A probability.
pub fn idle(text: &str) -> Result<f64, String> {
    let share = number(text).filter(|x| (0.0..=1.0).contains(x));
    share.ok_or_else(|| {
        format!("'{text}' is no idle share: 0 (every node always has a packet) to 1, such as 0.25")
    })
}

/// Packets, 0 or more.
pub fn packets(text: &str) -> Result<f64, String> {
    let packets = text.trim().parse().ok().filter(|x: &f64| (0.0..=1e6).contains(x));
    packets.ok_or_else(|| format!("'{text}' is no number of packets: 0 to 1000000, such as 100"))
}

/// Packets that come and go in a second, 0 or more.
pub fn gain(text: &str) -> Result<f64, String> {
    let gain = text.trim().parse().ok().filter(|x: &f64| (0.0..=1e6).contains(x));
    gain.ok_or_else(|| format!("'{text}' is no gain: 0 to 1000000 packets/s, such as 10"))
}

/// Frames of a mean aggregate.
pub fn mean_frames(text: &str) -> Result<f64, String> {
    let frames = text.trim().parse().ok().filter(|x: &f64| (1.0..=1024.0).contains(x));
    frames.ok_or_else(|| format!("'{text}' is no mean aggregate: 1 to 1024 frames, such as 17.6"))
}

/// A time from 0 on, ns.
pub fn time_or_none(text: &str) -> Result<u64, String> {
    if text.trim() == "0" { Ok(0) } else { Unit::Ns.parse(text).map_err(|e| e.to_string()) }
}

/// How nodes share a buffer.
pub fn split(text: &str) -> Result<Split, String> {
    let names = Split::ALL.map(Split::name);
    text.parse().map_err(|_| format!("no split '{text}'{}", instead(text, &names)))
}

/// How a limit moves.
pub fn law(text: &str) -> Result<Law, String> {
    let names = Law::ALL.map(Law::name);
    text.parse().map_err(|_| format!("no law '{text}'{}", instead(text, &names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_plain_numbers_of_megabits_or_have_a_unit() {
        for (text, rate) in [
            ("5.5", Some(5.5)),
            ("300Mb/s", Some(300.0)),
            ("1kb/s", Some(0.001)),
            ("1.5Gb/s", Some(1500.0)),
            (" 65 ", Some(65.0)),
            ("0", None),
            ("-1", None),
            ("inf", None),
            ("nan", None),
            ("0Mb/s", None),
        ] {
            assert_eq!(mbps(text).ok(), rate, "{text}");
        }
    }

    /// Shares as numbers, fractions and percentages, each with its own range.
    #[test]
    fn shares_have_ranges() {
        for (text, as_free, as_part, as_idle) in [
            ("0", None, None, Some(0.0)),
            ("0.25", Some(0.25), Some(0.25), Some(0.25)),
            ("1/4", Some(0.25), Some(0.25), Some(0.25)),
            ("25%", Some(0.25), Some(0.25), Some(0.25)),
            ("1", Some(1.0), None, Some(1.0)),
            ("100%", Some(1.0), None, Some(1.0)),
            ("101%", None, None, None),
            ("4/3", None, None, None),
            ("-0.1", None, None, None),
            ("1/0", None, None, None),
            ("x", None, None, None),
        ] {
            assert_eq!(
                (free(text).ok(), part(text).ok(), idle(text).ok()),
                (as_free, as_part, as_idle),
                "{text}"
            );
        }
    }

    #[test]
    fn numbers_have_ranges() {
        for (text, as_packets, as_frames) in [
            ("0", Some(0.0), None),
            ("0.99", Some(0.99), None),
            ("1", Some(1.0), Some(1.0)),
            ("17.6", Some(17.6), Some(17.6)),
            ("1024", Some(1024.0), Some(1024.0)),
            ("1025", Some(1025.0), None),
            ("1000000", Some(1e6), None),
            ("1000001", None, None),
            ("-1", None, None),
        ] {
            assert_eq!((packets(text).ok(), gain(text).ok()), (as_packets, as_packets), "{text}");
            assert_eq!(mean_frames(text).ok(), as_frames, "{text}");
        }
        assert_eq!((time_or_none("0"), time_or_none("5ms")), (Ok(0), Ok(5_000_000)));
        assert!(time_or_none("5").is_err());
        assert_eq!((split("greedy"), law("miad")), (Ok(Split::Greedy), Ok(Law::Miad)));
    }
}
