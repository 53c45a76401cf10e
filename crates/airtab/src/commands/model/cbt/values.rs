// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Values as they are written on the command line: of a class (`call=2Mb/s`), rates in bits or bytes, loads, weights.
//!
//! What it does not do: which classes there are is not known here.

use airtab_core::Unit;
use airtab_model::cbt::study::{MIXES, Mix};
use airtab_scenario::reader::instead;

/// Something of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T> {
    pub name: String,
    pub value: T,
}

/// What a class is to have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allocation {
    /// Bytes/s.
    Rate(f64),
    /// A part of the link, 0 to 1.
    Part(f64),
    /// What others leave.
    Rest,
    /// The largest mean of 2 s in a capture.
    Peak,
}

/// Reads NAME=VALUE.
pub fn named<T>(
    read: fn(&str) -> Result<T, String>,
) -> impl Fn(&str) -> Result<Named<T>, String> + Clone + Send + Sync {
    move |text| {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("'{text}' names no class: write NAME=VALUE, such as call=..."))?;
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(known) {
            return Err(format!("'{name}' is no name of a class: letters, digits, - and _, such as call"));
        }
        Ok(Named { name: name.into(), value: read(value)? })
    }
}

/// A name of a network device: no longer than Linux has them.
pub fn device(text: &str) -> Result<String, String> {
    let good = |c: char| {
        c.is_ascii_graphic() && !matches!(c, '/' | ':' | '\'' | '"' | '$' | '`' | '\\' | ';' | '&' | '|')
    };
    match (1..=15).contains(&text.len()) && text.chars().all(good) {
        true => Ok(text.into()),
        false => Err(format!("'{text}' is no name of a network device: up to 15 characters, such as eth0")),
    }
}

/// A rate above 0, bytes/s.
pub fn rate(text: &str) -> Result<f64, String> {
    match any_rate(text)? {
        0.0 => Err(format!("'{text}' is nothing; give more than 0")),
        rate => Ok(rate),
    }
}

/// A rate in bits or bytes, as bytes/s.
fn any_rate(text: &str) -> Result<f64, String> {
    let Some(bytes) = text.trim().strip_suffix("B/s") else {
        return Unit::Bps.parse(text).map(|bits| bits as f64 / 8.0).map_err(|e| e.to_string());
    };
    // The source writes KB.
    let bytes = bytes.strip_suffix('K').map_or_else(|| format!("{bytes}B"), |number| format!("{number}kB"));
    let wrong = |_| format!("'{text}' is not a rate, such as 2Mb/s, 870KB/s (1000 bytes) or 870KiB/s (1024)");
    Unit::Bytes.parse(&bytes).map(|bytes| bytes as f64).map_err(wrong)
}

/// The same, or `peak`.
pub fn planned(text: &str) -> Result<Allocation, String> {
    if text.trim() == "peak" { Ok(Allocation::Peak) } else { allocation(text) }
}

/// A rate, a percentage of the link, or `rest`.
pub fn allocation(text: &str) -> Result<Allocation, String> {
    match text.trim() {
        "rest" => Ok(Allocation::Rest),
        percent if percent.ends_with('%') => match Unit::Ppm.parse(percent) {
            Ok(0) => Err(format!("'{text}' is nothing; give more than 0%")),
            Ok(ppm @ 1..=1_000_000) => Ok(Allocation::Part(ppm as f64 / 1e6)),
            Ok(_) => Err(format!("'{text}' is more than the link: at most 100%")),
            Err(e) => Err(e.to_string()),
        },
        text => rate(text).map(Allocation::Rate),
    }
}

/// Rates from 0 on and `busy`, with commas; infinite where a class always has a packet.
pub fn loads(text: &str) -> Result<Vec<f64>, String> {
    let one = |text: &str| match text.trim() {
        "busy" => Ok(f64::INFINITY),
        "0" => Ok(0.0),
        text => {
            any_rate(text).map_err(|e| format!("{e}; or 0, or busy for a class that always has a packet"))
        }
    };
    text.split(',').map(one).collect()
}

/// `1/256` or `0.1`, above 0 and at most 1.
pub fn weight(text: &str) -> Result<f64, String> {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let number = |part: &str| part.trim().parse::<f64>().ok();
    let ratio = number(above).zip(number(below)).map(|(a, b)| a / b).filter(|x| *x > 0.0 && *x <= 1.0);
    ratio.ok_or_else(|| format!("'{text}' is no weight: above 0 and at most 1, such as 1/256"))
}

/// Packets, above 0.
pub fn packets(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0);
    number.ok_or_else(|| format!("'{text}' is no number of packets: above 0, such as 14.28"))
}

/// Packets, 0 or more.
pub fn packets_or_none(text: &str) -> Result<f64, String> {
    if text.trim() == "0" { Ok(0.0) } else { packets(text) }
}

/// A mix of the study.
pub fn mix(text: &str) -> Result<&'static Mix, String> {
    let names = MIXES.each_ref().map(|mix| mix.name);
    let found = MIXES.iter().find(|mix| mix.name == text);
    found.ok_or_else(|| format!("no mix '{text}'{}", instead(text, &names)))
}

/// Losses of a video: packets/s, or a percentage of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Packets/s.
    Packets(f64),
    /// 0 to 1.
    Part(f64),
}

/// `19` or `5%`.
pub fn loss(text: &str) -> Result<Loss, String> {
    let wrong = || format!("'{text}' is no loss: packets/s, such as 2.6, or 0% to 100% of them");
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    match text.strip_suffix('%') {
        Some(percent) => {
            number(percent).filter(|x| *x <= 100.0).map(|x| Loss::Part(x / 100.0)).ok_or_else(wrong)
        }
        None => number(text).map(Loss::Packets).ok_or_else(wrong),
    }
}

/// A share of packets above 0, at most 1: `0.01` or `1%`.
pub fn part(text: &str) -> Result<f64, String> {
    match Unit::Ppm.parse(text) {
        Ok(ppm @ 1..=1_000_000) => Ok(ppm as f64 / 1e6),
        Ok(_) => Err(format!("'{text}' is no loss of TCP: above 0 and at most 100%, such as 1%")),
        Err(e) => Err(e.to_string()),
    }
}
