// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `count` of a `[[station]]`: several that are equal, each with a name of its own.
//!
//! What it does not do: which of them an application is at is `apps`'s.

use airtab_core::Unit;
use airtab_sim::{MAX_STATIONS, Station};

use crate::reader::{Section, quantity};

/// The station and the others of its kind, `phone`, `phone 2`, `phone 3`; `others` are those of the file so far.
pub(crate) fn read(s: &Section, station: Station, others: &[Station]) -> Vec<Station> {
    let left = MAX_STATIONS.saturating_sub(others.len()).max(1);
    let count = s.read("count", quantity(Unit::Count, 1..=left as u64)).unwrap_or(1);
    let name = |number: u64| match number {
        1 => station.name.clone(),
        more => format!("{} {more}", station.name),
    };
    let all: Vec<Station> = (1..=count).map(|n| Station { name: name(n), ..station.clone() }).collect();
    if let Some(twice) = all[1..].iter().find(|copy| others.iter().any(|other| other.name == copy.name)) {
        s.problem_of("count", &format!("there is a station '{}' already; names must differ", twice.name));
    }
    all
}
