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

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits or bytes; the source's KB are 1000 bytes, KiB 1024.
    #[test]
    fn rates_in_bits_and_bytes() {
        for (text, bytes) in [
            ("2Mb/s", 250_000.0),
            ("1kb/s", 125.0),
            ("870KB/s", 870_000.0),
            ("870kB/s", 870_000.0),
            ("870KiB/s", 890_880.0),
            ("2MB/s", 2_000_000.0),
            ("77B/s", 77.0),
        ] {
            assert_eq!(rate(text), Ok(bytes), "{text}");
            assert_eq!(allocation(text), Ok(Allocation::Rate(bytes)), "{text}");
            assert_eq!(loads(text), Ok(vec![bytes]), "{text}");
        }
        assert_eq!(loads("0, busy,1KB/s"), Ok(vec![0.0, f64::INFINITY, 1000.0]));
        assert!(rate("0Mb/s").is_err() && loads("0Mb/s") == Ok(vec![0.0]) && loads("1,2").is_err());
    }

    #[test]
    fn parts_of_a_link() {
        for (text, what) in [
            ("rest", Some(Allocation::Rest)),
            ("20%", Some(Allocation::Part(0.2))),
            ("100%", Some(Allocation::Part(1.0))),
            ("0.5%", Some(Allocation::Part(0.005))),
            ("100.1%", None),
            ("0%", None),
            ("peak", None),
        ] {
            assert_eq!(allocation(text).ok(), what, "{text}");
        }
        assert_eq!((planned("peak"), planned("rest")), (Ok(Allocation::Peak), Ok(Allocation::Rest)));
        assert_eq!(part("1%"), Ok(0.01));
        assert_eq!(part("100%"), Ok(1.0));
        assert!(part("0%").is_err() && part("101%").is_err());
    }

    #[test]
    fn numbers_within_their_ranges() {
        assert_eq!((weight("1/256"), weight("1"), weight("0.25")), (Ok(1.0 / 256.0), Ok(1.0), Ok(0.25)));
        assert!(weight("0").is_err() && weight("257/256").is_err() && weight("1/0").is_err());
        assert_eq!(
            (packets("14.28"), packets_or_none("0"), packets_or_none("3")),
            (Ok(14.28), Ok(0.0), Ok(3.0))
        );
        assert!(packets("0").is_err() && packets("-1").is_err() && packets("inf").is_err());
        assert_eq!((loss("19"), loss("5%")), (Ok(Loss::Packets(19.0)), Ok(Loss::Part(0.05))));
        assert_eq!((loss("0"), loss("100%")), (Ok(Loss::Packets(0.0)), Ok(Loss::Part(1.0))));
        assert_eq!(loss("101"), Ok(Loss::Packets(101.0)));
        assert!(loss("100.5%").is_err() && loss("-1").is_err());
        assert_eq!(mix("ramp").map(|mix| mix.name), Ok("ramp"));
        assert_eq!(device("wlan0-123456789"), Ok("wlan0-123456789".into()));
        assert!(device("wlan0-1234567890").is_err() && device("a b").is_err() && device("a;b").is_err());
        let one = named(weight);
        assert_eq!(one("a-b_1=1/4"), Ok(Named { name: "a-b_1".into(), value: 0.25 }));
        assert!(one("a b=1").is_err() && one("=1").is_err() && one("1/4").is_err());
    }
}
