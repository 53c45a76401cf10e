// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The PHY rates that a station can have under a profile: those of IEEE
//! 802.11-2020, clauses 15 and 16 (DSSS), 17 and 18 (OFDM), 19 (HT).
//!
//! What it does not do: no modulation, no rate control; how long a frame takes
//! at a rate is `airtab-core`'s.

use airtab_core::{Phy, Unit};

use crate::reader::{Value, instead};

const DSSS: [u32; 4] = [1_000, 2_000, 5_500, 11_000];
const OFDM: [u32; 8] = [6_000, 9_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
/// 802.11b and 802.11g stations of one cell.
const MIXED: [u32; 12] =
    [1_000, 2_000, 5_500, 6_000, 9_000, 11_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
/// One stream, 20 MHz, BPSK 1/2; four streams, 40 MHz, short guard interval.
/// There are dozens between them: any is taken.
const HT: [u32; 2] = [6_500, 600_000];

/// The rates of one profile, kb/s.
pub(crate) struct Rates {
    profile: &'static str,
    /// Ascending.
    kbps: &'static [u32],
    /// Not only these, but all from the first to the last.
    between: bool,
}

/// The profile of that name.
///
/// # Errors
/// There is none; says which there are.
pub(crate) fn any_profile(name: &str) -> Result<Phy, String> {
    let known: Vec<_> = Phy::all().map(|phy| phy.name()).collect();
    Phy::named(name).ok_or_else(|| format!("'{name}' is not known{}", instead(name, &known)))
}

/// The profile of that name, whose rates are in Mb/s.
///
/// # Errors
/// There is none, or its rates are by MCS; says which there are.
pub fn profile(name: &str) -> Result<Phy, String> {
    let known: Vec<_> = Phy::all().filter(|phy| !phy.has_mcs()).map(|phy| phy.name()).collect();
    match Phy::named(name) {
        Some(phy) if !phy.has_mcs() => Ok(phy),
        Some(_) => Err(format!("'{name}' has rates by MCS: take one of {}", known.join(", "))),
        None => Err(format!("'{name}' is not known{}", instead(name, &known))),
    }
}

/// A rate such as `54Mb/s`, one of those that stations can have under that profile, kb/s; without one, the highest.
///
/// # Errors
/// It is none of them; says which they are.
pub fn phy_rate(phy: &Phy, written: Option<&str>) -> Result<u32, String> {
    let rates = Rates::of(phy);
    written.map_or(Ok(rates.highest()), |written| rates.parse(written))
}

impl Rates {
    pub(crate) fn of(phy: &Phy) -> Rates {
        let profile = phy.name();
        let (kbps, between): (&[u32], bool) = match profile {
            // Its stations of 802.11a or g.
            _ if phy.has_mcs() => (&OFDM, false),
            _ if profile.ends_with("-11b") => (&DSSS, false),
            _ if profile.ends_with("-11bg") => (&MIXED, false),
            _ if profile.ends_with("-11n") => (&HT, true),
            _ => (&OFDM, false),
        };
        Rates { profile, kbps, between }
    }

    /// What a station has that names no rate.
    pub(crate) fn highest(&self) -> u32 {
        self.kbps[self.kbps.len() - 1]
    }

    /// `6, 9 or 12Mb/s`, `6.5 to 600Mb/s`.
    fn allowed(&self) -> String {
        let mbps: Vec<String> = self.kbps.iter().map(|k| (f64::from(*k) / 1e3).to_string()).collect();
        let (last, others) = mbps.split_last().expect("every profile has rates");
        let or = if self.between { "to" } else { "or" };
        format!("{} {or} {last}Mb/s", others.join(", "))
    }

    /// A rate as a file has it.
    pub(crate) fn read(&self, v: &Value) -> Result<u32, String> {
        self.parse(&v.written)
    }

    /// A rate such as `54Mb/s`, kb/s.
    pub(crate) fn parse(&self, written: &str) -> Result<u32, String> {
        let bps =
            Unit::Bps.parse(written).map_err(|e| format!("{e} ({}: {})", self.profile, self.allowed()))?;
        let kbps = u32::try_from(bps / 1000).ok().filter(|_| bps.is_multiple_of(1000));
        let known = |kbps: &u32| match self.between {
            true => (self.kbps[0]..=self.highest()).contains(kbps),
            false => self.kbps.contains(kbps),
        };
        kbps.filter(known).ok_or_else(|| {
            let whole = if self.between { ", whole kb/s" } else { "" };
            format!("'{written}' is no rate of {}: {}{whole}", self.profile, self.allowed())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_with_rates_in_mbps_are_told_from_those_by_mcs() {
        assert_eq!(profile("std-11b").map(|phy| phy.name()), Ok("std-11b"));
        let by_mcs = profile("std-11ac").unwrap_err();
        assert!(by_mcs.starts_with("'std-11ac' has rates by MCS: take one of "), "{by_mcs}");
        assert!(by_mcs.contains("phy-a") && !by_mcs.contains("std-11ax"), "{by_mcs}");
        let unknown = profile("std-11h").unwrap_err();
        assert!(unknown.starts_with("'std-11h' is not known"), "{unknown}");
        assert!(any_profile("std-11ac").is_ok_and(|phy| phy.has_mcs()));
    }

    #[test]
    fn a_rate_that_is_not_given_is_the_highest() {
        for (name, written, expected) in [
            ("std-11b", None, Ok(11_000)),
            ("std-11b", Some("5.5Mb/s"), Ok(5_500)),
            ("std-11bg", None, Ok(54_000)),
            ("wqm-11n", None, Ok(600_000)),
            ("wqm-11n", Some("600Mb/s"), Ok(600_000)),
            ("wqm-11n", Some("6500kb/s"), Ok(6_500)),
            ("std-11b", Some("1000500b/s"), Err("1, 2, 5.5 or 11Mb/s")),
            ("wqm-11n", Some("6499kb/s"), Err("6.5 to 600Mb/s, whole kb/s")),
        ] {
            let found = phy_rate(&Phy::named(name).unwrap(), written);
            match expected {
                Ok(kbps) => assert_eq!(found, Ok(kbps), "{name} {written:?}"),
                Err(allowed) => {
                    let expected = format!("'{}' is no rate of {name}: {allowed}", written.unwrap());
                    assert_eq!(found, Err(expected));
                }
            }
        }
    }
}
