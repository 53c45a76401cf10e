// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Units of parameters and statistics: from text to integers and back.
//!
//! Every front end reads and prints values through this page, so that `25ms`
//! means the same in a scenario file and on the command line.

use crate::rules::Rule;

/// What an integer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A plain number.
    Count,
    /// Bytes.
    Bytes,
    /// Nanoseconds.
    Ns,
    /// Bits per second.
    Bps,
    /// Parts per million.
    Ppm,
    /// A 16.16 fixed-point number.
    Q16,
    /// 0 or 1.
    Bool,
    /// Index into the parameter's choices.
    Choice,
    /// Nanoseconds, two's complement.
    SignedNs,
    /// An identifier, shown in hexadecimal.
    Hex,
    /// Of which class a packet is: [`crate::Rule`].
    Rule,
    /// What a sample weighs in an average, of 2^-32.
    Weight,
}

/// Why a text is no value of a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnitError(pub String);

const NS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
];
const BYTES: &[(&str, u64)] = &[
    ("B", 1),
    ("b", 1),
    ("", 1),
    ("kB", 1000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];
const BPS: &[(&str, u64)] = &[
    ("bit", 1),
    ("bit/s", 1),
    ("b/s", 1),
    ("kbit", 1000),
    ("kb/s", 1000),
    ("kbit/s", 1000),
    ("Mbit", 1_000_000),
    ("Mb/s", 1_000_000),
    ("Mbit/s", 1_000_000),
    ("Gbit", 1_000_000_000),
    ("Gb/s", 1_000_000_000),
];
const PPM: &[(&str, u64)] = &[("ppm", 1), ("%", 10_000), ("", 1_000_000)];
const COUNT: &[(&str, u64)] = &[("", 1)];
const Q16: &[(&str, u64)] = &[("", 1 << 16)];
const WEIGHT: &[(&str, u64)] = &[("", ONE)];
/// A weight of 1.
const ONE: u64 = 1 << 32;

impl Unit {
    pub(crate) fn from_c(unit: u8) -> Unit {
        match unit {
            0 => Unit::Count,
            1 => Unit::Bytes,
            2 => Unit::Ns,
            3 => Unit::Bps,
            4 => Unit::Ppm,
            5 => Unit::Q16,
            6 => Unit::Bool,
            7 => Unit::Choice,
            8 => Unit::SignedNs,
            9 => Unit::Hex,
            10 => Unit::Rule,
            11 => Unit::Weight,
            _ => panic!("the core's tables use unit {unit}, which this binding does not know"),
        }
    }

    fn scales(self) -> &'static [(&'static str, u64)] {
        match self {
            Unit::Bytes => BYTES,
            Unit::Ns | Unit::SignedNs => NS,
            Unit::Bps => BPS,
            Unit::Ppm => PPM,
            Unit::Q16 => Q16,
            Unit::Weight => WEIGHT,
            Unit::Count | Unit::Bool | Unit::Choice | Unit::Hex | Unit::Rule => COUNT,
        }
    }

    /// What may stand behind a number of it; empty: nothing has to.
    pub fn suffixes(self) -> impl Iterator<Item = &'static str> {
        self.scales().iter().map(|(suffix, _)| *suffix)
    }

    /// Whether its values are an amount of something, and not a plain number, a choice or a name.
    pub fn has_dimension(self) -> bool {
        match self {
            Unit::Bytes | Unit::Ns | Unit::SignedNs | Unit::Bps | Unit::Ppm | Unit::Q16 | Unit::Weight => {
                true
            }
            Unit::Count | Unit::Bool | Unit::Choice | Unit::Hex | Unit::Rule => false,
        }
    }

    /// The base unit in which results are given, as names end in it; empty for a plain number.
    pub fn base(self) -> &'static str {
        match self {
            Unit::Ns | Unit::SignedNs => "seconds",
            Unit::Bytes => "bytes",
            Unit::Bps => "bits_per_second",
            Unit::Ppm => "ratio",
            Unit::Q16 | Unit::Count | Unit::Bool | Unit::Choice | Unit::Hex | Unit::Rule | Unit::Weight => "",
        }
    }

    /// Factor from its values to [`Unit::base`].
    pub fn scale(self) -> f64 {
        match self {
            Unit::Ns | Unit::SignedNs => 1e-9,
            Unit::Ppm => 1e-6,
            Unit::Q16 => 1.0 / 65536.0,
            Unit::Weight => 1.0 / ONE as f64,
            Unit::Bytes | Unit::Bps | Unit::Count | Unit::Bool | Unit::Choice | Unit::Hex | Unit::Rule => 1.0,
        }
    }

    /// How a value of this unit is written, for messages.
    pub fn example(self) -> &'static str {
        match self {
            Unit::Count => "a whole number such as 35",
            Unit::Bytes => "a size such as 1500, 64KiB or 4MiB",
            Unit::Ns | Unit::SignedNs => "a time with its unit, such as 25ms, 100us or 120s",
            Unit::Bps => "a rate with its unit, such as 54Mb/s or 300kbit",
            Unit::Ppm => "a share such as 0.01, 1% or 10000ppm",
            Unit::Q16 => "a number such as 0.5",
            Unit::Bool => "on or off",
            Unit::Choice => "one of the names listed",
            Unit::Hex => "a hexadecimal number",
            Unit::Rule => "PATTERN=CLASS, such as udp:6000-6010=1",
            Unit::Weight => "a weight such as 1/256 or 0.004",
        }
    }

    /// The suffix that somebody meant who spells it as elsewhere: `Mbps`, `msec`, `KB`.
    fn meant(self, suffix: &str) -> Option<&'static str> {
        let spelt = |suffix: &str| {
            let small = suffix.to_lowercase();
            match self {
                Unit::Bps => small.replace("/sec", "/s").replace("bps", "b/s").replace("bits", "bit"),
                Unit::Ns | Unit::SignedNs => match small.split_once("sec") {
                    Some((scale, "" | "s" | "ond" | "onds")) => format!("{scale}s"),
                    _ => small,
                },
                _ => small,
            }
        };
        // Bytes a second are eight times as much.
        let bytes = self == Unit::Bps && suffix.contains('B');
        self.scales().iter().map(|(known, _)| *known).find(|known| !bytes && spelt(known) == spelt(suffix))
    }

    /// Reads a value. Decimal fractions are exact as far as the unit goes
    /// (`0.5us` is 500 ns; `0.3ns` is refused); a plain number is the nearest.
    ///
    /// # Errors
    /// Names the text and shows how a value of this unit is written.
    pub fn parse(self, text: &str) -> Result<u64, UnitError> {
        let wrong = || UnitError(format!("'{text}' is not {}", self.example()));
        let text = text.trim();
        if self == Unit::Bool {
            return match text {
                "on" | "true" | "yes" | "1" => Ok(1),
                "off" | "false" | "no" | "0" => Ok(0),
                _ => Err(wrong()),
            };
        }
        if self == Unit::Rule {
            return text.parse::<Rule>().map(|rule| rule.word()).map_err(|e| UnitError(e.to_string()));
        }
        if let (Unit::Weight, Some(n)) = (self, text.strip_prefix("1/")) {
            let n = digits(n).filter(|n| *n > 0);
            return n.map(|n| nth(n.into())).ok_or_else(wrong);
        }
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let scale = self.scales().iter().find(|(s, _)| *s == suffix.trim()).map(|(_, scale)| *scale);
        let scale = scale.ok_or_else(|| match self.meant(suffix.trim()).filter(|_| !number.is_empty()) {
            Some(meant) => UnitError(format!("{}; did you mean {number}{meant}?", wrong().0)),
            None => wrong(),
        })?;
        let number = number.replace('_', "");
        let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
        if whole.is_empty() || (number.contains('.') && fraction.is_empty()) || fraction.len() > 18 {
            return Err(wrong());
        }
        let whole: u64 = whole.parse().map_err(|_| wrong())?;
        let mut value = whole.checked_mul(scale).ok_or_else(wrong)?;
        if !fraction.is_empty() {
            let digits: u64 = fraction.parse().map_err(|_| wrong())?;
            let parts = u128::from(digits) * u128::from(scale);
            let unit = 10u128.pow(fraction.len() as u32);
            let nearest = matches!(self, Unit::Q16 | Unit::Weight);
            let half = if nearest { unit / 2 } else { 0 };
            if parts % unit != 0 && !nearest {
                return Err(wrong());
            }
            value = value.checked_add(((parts + half) / unit) as u64).ok_or_else(wrong)?;
        }
        Ok(value)
    }

    /// Writes a value as [`Unit::parse`] reads it, in the largest unit that
    /// needs no fraction.
    pub fn format(self, value: u64) -> String {
        match self {
            Unit::Bool => (if value == 0 { "off" } else { "on" }).into(),
            Unit::Hex => format!("{value:08x}"),
            Unit::Rule => Rule::of(value).map_or_else(|| format!("{value:x}"), |rule| rule.to_string()),
            Unit::Q16 => format!("{}", value as f64 / 65536.0),
            Unit::Weight => {
                let n = (ONE + value / 2).checked_div(value).unwrap_or(0);
                match n > 1 && n <= u32::MAX.into() && nth(n) == value {
                    true => format!("1/{n}"),
                    // ten decimals are enough to read it again
                    false => {
                        let text = format!("{:.10}", value as f64 / ONE as f64);
                        text.trim_end_matches('0').trim_end_matches('.').into()
                    }
                }
            }
            Unit::SignedNs if (value as i64) < 0 => {
                format!("-{}", Unit::Ns.format((value as i64).unsigned_abs()))
            }
            Unit::Ppm if value.is_multiple_of(10_000) => format!("{}%", value / 10_000),
            Unit::Ppm => format!("{value}ppm"),
            _ => {
                let best = self
                    .scales()
                    .iter()
                    .filter(|(s, m)| {
                        !matches!(*s, "" | "b" | "min") && value.is_multiple_of(*m) && value != 0
                    })
                    .fold(
                        ("", 1),
                        |best, &(s, m)| if m > best.1 || best.0.is_empty() { (s, m) } else { best },
                    );
                if best.0.is_empty() && value == 0 && matches!(self, Unit::Ns | Unit::SignedNs) {
                    return "0ns".into();
                }
                format!("{}{}", value / best.1, best.0)
            }
        }
    }
}

/// A number of digits alone.
fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The weight 1/n, to the nearest; n is not 0.
fn nth(n: u64) -> u64 {
    (ONE + n / 2) / n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (unit, text, value) in [
            (Unit::Ns, "25ms", 25_000_000),
            (Unit::Ns, "2.5 ms", 2_500_000),
            (Unit::Ns, "120s", 120_000_000_000),
            (Unit::Bytes, "4MiB", 4 << 20),
            (Unit::Bytes, "1500", 1500),
            (Unit::Bps, "54Mb/s", 54_000_000),
            (Unit::Bps, "5.5Mbit", 5_500_000),
            (Unit::Ppm, "1%", 10_000),
            (Unit::Ppm, "0.25", 250_000),
            (Unit::Count, "1_000", 1000),
            (Unit::Q16, "14.28", 935_854),
            (Unit::Q16, "0.99999", 65_535),
            (Unit::Q16, "0.999999", 65_536),
            (Unit::Weight, "1/256", 1 << 24),
            (Unit::Weight, "0.00390625", 1 << 24),
            (Unit::Weight, "1/500", 8_589_935),
            (Unit::Weight, "0.002", 8_589_935),
            (Unit::Weight, "1", 1 << 32),
            (Unit::Weight, "0", 0),
            (Unit::Weight, "0.7", 3_006_477_107),
            (Unit::Bool, "on", 1),
        ] {
            assert_eq!(unit.parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn refuses_with_an_example() {
        for (unit, text) in [
            (Unit::Ns, "25"),
            (Unit::Ns, "-1ms"),
            (Unit::Ns, "0.3ns"),
            (Unit::Count, "3.5"),
            (Unit::Count, ""),
            (Unit::Bytes, "1e3"),
            (Unit::Bps, "54"),
            (Unit::Weight, "1/0"),
            (Unit::Weight, "1/+4"),
            (Unit::Weight, "2/3"),
            (Unit::Weight, "1/2.5"),
            (Unit::Bool, "maybe"),
            (Unit::Ns, "99999999999999s"),
        ] {
            let error = unit.parse(text).unwrap_err().to_string();
            assert!(error.contains(&format!("'{text}'")) && error.contains(unit.example()), "{error}");
        }
    }

    #[test]
    fn who_spells_a_unit_as_elsewhere_is_told_ours() {
        for (unit, text, ours) in [
            (Unit::Bps, "54Mbps", "54Mb/s"),
            (Unit::Bps, "5.5 mbit/sec", "5.5Mbit/s"),
            (Unit::Bps, "300Kbits", "300kbit"),
            (Unit::Ns, "25msec", "25ms"),
            (Unit::Ns, "2 seconds", "2s"),
            (Unit::Ns, "5MS", "5ms"),
            (Unit::Bytes, "64KB", "64kB"),
        ] {
            let error = unit.parse(text).unwrap_err().to_string();
            assert!(error.ends_with(&format!("; did you mean {ours}?")), "{error}");
        }
        for (unit, text) in
            [(Unit::Bps, "5MBps"), (Unit::Bps, "5M"), (Unit::Ns, "5sects"), (Unit::Bps, "Mbps")]
        {
            let error = unit.parse(text).unwrap_err().to_string();
            assert!(!error.contains("did you mean"), "{error}");
        }
    }

    #[test]
    fn prints_what_it_reads() {
        for (unit, value, text) in [
            (Unit::Ns, 25_000_000, "25ms"),
            (Unit::Ns, 0, "0ns"),
            (Unit::Ns, 1_500, "1500ns"),
            (Unit::SignedNs, (-5_000_000i64) as u64, "-5ms"),
            (Unit::Bytes, 4 << 20, "4MiB"),
            (Unit::Bytes, 1500, "1500B"),
            (Unit::Count, 35, "35"),
            (Unit::Count, 0, "0"),
            (Unit::Bps, 54_000_000, "54Mbit"),
            (Unit::Weight, 1 << 24, "1/256"),
            (Unit::Weight, 8_589_935, "1/500"),
            (Unit::Weight, 1 << 32, "1"),
            (Unit::Weight, 0, "0"),
            (Unit::Weight, 3_006_477_107, "0.7"),
            (Unit::Weight, 3_006_477_108, "0.7000000002"),
        ] {
            assert_eq!(unit.format(value), text);
            assert!(unit == Unit::SignedNs || unit.parse(text) == Ok(value), "{text}");
        }
    }
}
