// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How fast a station's frames go, as a file says it: a `rate` in Mb/s under a profile that
//! has such rates (`phy_rates`), else by `mcs`, `streams`, `gi` and `width`.
//!
//! What it does not do: which rates by MCS there are is the core's (`core/include/airtab/rates.h`).

use airtab_core::{Format, Phy, Rate, RateError, RateSpec, Unit};
use airtab_sim::wifi::Speed;

use crate::phy_rates::Rates;
use crate::reader::Section;

/// Keys of a rate by MCS.
const BY_MCS: [&str; 4] = ["mcs", "streams", "gi", "width"];

/// The rates of a profile.
pub(crate) struct Speeds {
    phy: Phy,
    /// Stations of 802.11a or g may be in a cell whose rates are by MCS.
    older: bool,
}

impl Speeds {
    /// Keys of a station that say how fast it is.
    pub(crate) const KEYS: [&'static str; 5] = ["rate", "mcs", "streams", "gi", "width"];

    pub(crate) fn of(phy: &Phy) -> Speeds {
        Speeds { phy: *phy, older: false }
    }

    /// Rates of the stations of a cell.
    pub(crate) fn of_stations(phy: &Phy) -> Speeds {
        Speeds { phy: *phy, older: true }
    }

    /// The fastest there is.
    pub(crate) fn fastest(&self) -> Speed {
        match self.phy.has_mcs() {
            true => fastest(&self.phy, &RateSpec::default()).map_or(Speed::from(UNKNOWN_KBPS), Speed::from),
            false => Rates::of(&self.phy).highest().into(),
        }
    }

    /// A station's; without a profile, or after a problem, any.
    pub(crate) fn read(speeds: Option<&Speeds>, s: &Section) -> Speed {
        let older = speeds.is_some_and(|speeds| speeds.older) && s.get("rate").is_some();
        let by_mcs = speeds.is_some_and(|speeds| speeds.phy.has_mcs()) && !older;
        for key in Speeds::KEYS {
            if let (Some(_), Some(Speeds { phy, .. })) = (s.get(key), speeds)
                && by_mcs == (key == "rate")
            {
                match phy.has_mcs() && older {
                    true => s.problem_of(key, OLDER),
                    false => s.problem_of(key, &other_keys(phy)),
                }
            }
        }
        let Some(Speeds { phy, .. }) = speeds else { return Speed::from(UNKNOWN_KBPS) };
        if by_mcs {
            return read_by_mcs(phy, s).unwrap_or_else(|| Speed::from(UNKNOWN_KBPS));
        }
        let rates = Rates::of(phy);
        s.read("rate", |v| rates.read(v)).unwrap_or(rates.highest()).into()
    }

    /// With another value of one of [`Speeds::KEYS`].
    pub(crate) fn change(&self, speed: Speed, key: &str, value: &str) -> Result<Speed, String> {
        let phy = &self.phy;
        if phy.has_mcs() && speed.rate.format() == Format::Legacy {
            return match key {
                "rate" => Ok(Rates::of(phy).parse(value)?.into()),
                _ => Err(format!("{key}: {OLDER}")),
            };
        }
        if phy.has_mcs() == (key == "rate") {
            return Err(format!("{key}: {}", other_keys(phy)));
        }
        if key == "rate" {
            return Ok(Rates::of(phy).parse(value)?.into());
        }
        let old = speed.rate;
        let mut spec = RateSpec {
            mcs: old.mcs(),
            streams: Some(old.streams()),
            width: Some(old.width_mhz()),
            gi: Some(old.gi_ns()),
            ..RateSpec::default()
        };
        let n = part(key, value).map_err(|e| format!("{key}: {e}"))?;
        match key {
            "mcs" => spec.mcs = n as u8,
            "streams" => spec.streams = Some(n as u8),
            "gi" => spec.gi = Some(n),
            _ => spec.width = Some(n),
        }
        let told = |mut e: RateError| {
            if e.part.key() == key {
                e.value = value.into();
            }
            e.to_string()
        };
        let all = |errors: Vec<RateError>| errors.into_iter().map(told).collect::<Vec<_>>().join("; ");
        Ok(Speed { rate: phy.rate(&spec).map_err(all)?, ..speed })
    }
}

/// In the place of a rate that is not known: the file has a problem already.
const UNKNOWN_KBPS: u32 = 6_000;

/// Problem of a key by MCS at a station with a rate in Mb/s, in a cell whose rates are by MCS.
const OLDER: &str = "a rate in Mb/s makes it a station of 802.11a or g, whose only key of these is rate";

fn other_keys(phy: &Phy) -> String {
    match phy.has_mcs() {
        true => format!("the rates of {} are by MCS: write mcs, streams, gi, width", phy.name()),
        false => format!("the rates of {} are in Mb/s: write rate", phy.name()),
    }
}

/// None: it has a problem. Which numbers there are is the core's to say, of each part.
fn read_by_mcs(phy: &Phy, s: &Section) -> Option<Speed> {
    let read = |key| {
        s.read(key, |v| match v.value.is_integer() || matches!(key, "gi" | "width") {
            true => part(key, &v.written),
            false => Err(format!("'{}' is not a whole number (write it without quotes)", v.written)),
        })
    };
    let [mcs, streams, gi, width] = BY_MCS.map(read);
    let spec = RateSpec { streams: streams.map(|n| n as u8), gi, width, ..RateSpec::default() };
    let rate = match mcs {
        Some(mcs) => phy.rate(&RateSpec { mcs: mcs as u8, ..spec }),
        None => fastest(phy, &spec),
    };
    let told = |e: &RateError| {
        let key = e.part.key();
        let value = s.get(key).map_or(e.value.clone(), |v| v.written);
        s.problem_of(key, &format!("{value}: {}", e.allowed));
    };
    rate.map(Speed::from).map_err(|errors| errors.iter().for_each(told)).ok()
}

/// Of the highest MCS that there is.
fn fastest(phy: &Phy, spec: &RateSpec) -> Result<Rate, Vec<RateError>> {
    let at = |mcs| phy.rate(&RateSpec { mcs, ..*spec });
    (1..=MCS_MOST).rev().find_map(|mcs| at(mcs).ok()).map_or_else(|| at(0), Ok)
}

/// Of HE.
const MCS_MOST: u8 = 11;

/// A number as a rate by MCS has it, the most that there can be in the place of a larger one; which there are is the core's
/// to say.
fn part(key: &str, written: &str) -> Result<u16, String> {
    let megahertz = || written.strip_suffix("MHz").map_or(written, str::trim_end);
    let (unit, text, most) = match key {
        "mcs" | "streams" => (Unit::Count, written, u8::MAX.into()),
        "gi" => (Unit::Ns, written, u16::MAX),
        _ => (Unit::Count, megahertz(), u16::MAX),
    };
    let n = unit.parse(text).map_err(|e| e.to_string())?;
    Ok(u16::try_from(n).map_or(most, |n| n.min(most)))
}
