// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[mesh.dnb]`: limits of the nodes' `dnb` queues follow flows, rates and channel (Distributed Neighborhood Buffer).
//!
//! What it does not do: how they follow is the simulator's (`wifi/dnb`), the formulas `airtab-model`'s.

use airtab_core::Unit;
use airtab_model::sizing::dnb::{Origin, Rounding, Rule};
use airtab_model::sizing::split::Split;
use airtab_sim::wifi::{CellConfig, DnbConfig, Interference};

use crate::reader::{Section, choice, flag, number, quantity};

/// An hour.
const LONGEST_INTERVAL_NS: u64 = 3_600_000_000_000;
/// What a queue of the discipline holds at the most, for each of so many nodes.
const MOST_PACKETS: u64 = 65_535;
/// Beyond any line behind a mesh, ns.
const MOST_EXTRA_NS: u64 = 10_000_000_000;

/// Of nodes with that radio; None: limits stay as they are set up.
pub(crate) fn read(s: &Section, cell: &CellConfig) -> Option<DnbConfig> {
    let usual = DnbConfig::new(&cell.phy);
    let control = s.read("control", flag).unwrap_or(true);
    let splits = Split::ALL.into_iter().map(|split| (split.name(), split)).collect();
    let threshold = s.read("threshold", number(0.01..=1.0, "a share of time such as 0.9"));
    let packet = s.read("packet", quantity(Unit::Bytes, 1..=2304));
    let rounding = choice(vec![("nearest", Rounding::Nearest), ("up", Rounding::Up)]);
    let origin = choice(vec![("queue", Origin::FirstQueue), ("relay", Origin::FirstRelay)]);
    let extra = s.read("extra", quantity(Unit::Ns, 0..=MOST_EXTRA_NS));
    let mut exchange = usual.rule.exchange;
    exchange.rts_cts = cell.rts_bytes.is_some();
    let rule = Rule {
        exchange,
        packet_bytes: packet.map_or(usual.rule.packet_bytes, |bytes| bytes as f64),
        rounding: s.read("rounding", rounding).unwrap_or(usual.rule.rounding),
        extra_us: extra.unwrap_or(0) as f64 / 1e3,
        origin: s.read("origin", origin).unwrap_or(usual.rule.origin),
    };
    let config = DnbConfig {
        interference: s
            .read("interference", choice(Interference::NAMES.to_vec()))
            .unwrap_or(usual.interference),
        threshold: threshold.unwrap_or(usual.threshold),
        buffer: s.read("buffer", quantity(Unit::Count, 1..=MOST_PACKETS)).map(|packets| packets as u32),
        split: s.read("split", choice(splits)).unwrap_or(usual.split),
        floor_to_ampdu: s.read("floor_to_ampdu", flag).unwrap_or(usual.floor_to_ampdu),
        interval_ns: s
            .read("interval", quantity(Unit::Ns, usual.interval_ns..=LONGEST_INTERVAL_NS))
            .unwrap_or(usual.interval_ns),
        rule,
    };
    s.finish();
    control.then_some(config)
}
