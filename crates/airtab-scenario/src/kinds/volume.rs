// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How much a transfer brings: the keys `volume` and `repeat` of downloads and uploads.
//!
//! What it does not do: the transfers are `airtab_sim::traffic`'s.

use airtab_core::Unit;
use airtab_sim::traffic::Volume;

use crate::reader::{Section, flag, quantity};

/// Bytes of a transfer at most: a day at 100 Mb/s.
const MOST: u64 = 1 << 40;

/// What they say; endless without a volume.
pub(super) fn read(s: &Section) -> Volume {
    let bytes = s.read("volume", quantity(Unit::Bytes, 1..=MOST));
    let repeat = s.read("repeat", flag);
    if repeat.is_some() && s.get("volume").is_none() {
        s.problem_of("repeat", "only with volume: without one a transfer never ends");
    }
    match bytes {
        None => Volume::Endless,
        Some(bytes) if repeat == Some(true) => Volume::Repeated(bytes),
        Some(bytes) => Volume::Once(bytes),
    }
}

/// "endless download", "download of 10MB, again and again".
pub(super) fn words(what: &str, volume: Volume) -> String {
    match volume {
        Volume::Endless => format!("endless {what}"),
        Volume::Once(bytes) => format!("{what} of {}", Unit::Bytes.format(bytes)),
        Volume::Repeated(bytes) => format!("{what} of {}, again and again", Unit::Bytes.format(bytes)),
    }
}
