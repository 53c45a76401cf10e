// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[wifi]`: the medium between access point and stations, its 802.11 constants by
//! profile and what is to differ from it, and what frames are lost by (`links`).
//! `docs/scenarios.md` lists every key.
//!
//! What it does not do: no key for a single station; those are of `[[station]]`.

use airtab_core::time::{MS, SECOND};
use airtab_core::{Phy, PhyChange, Unit};
use airtab_sim::wifi::{Backoff, Beacon, CellConfig, DeliverOn, Edca, MediumConfig};

use crate::access::{check_access, read_access};
use crate::links::Errors;
use crate::mac::{self, rate, read_mac, refuse_with_categories, window};
use crate::phy_rates::any_profile;
use crate::reader::{Section, choice, flag, quantity};

/// Without the table.
pub(crate) fn default_wifi() -> (Option<MediumConfig>, Option<Errors>) {
    (Some(CellConfig::new(home_phy()).into()), Some(Errors::default()))
}

fn home_phy() -> Phy {
    Phy::named("phy-a").expect("the default profile exists")
}

/// No medium where the name of one, or of a profile, is wrong: that is problem enough.
/// `meshed`: the topology is a mesh's. True: it is a mesh, whose cell the medium is.
pub(crate) fn read_wifi(s: Section, meshed: bool) -> (Option<MediumConfig>, Option<Errors>, bool) {
    const OWNERS: [(&str, &str); 15] = [
        ("backoff", "dcf"),
        ("eifs", "dcf"),
        ("eifs_rate", "dcf"),
        ("cw_min", "dcf"),
        ("cw_max", "dcf"),
        ("deliver_on", "dcf"),
        ("uplink_packets", "dcf"),
        ("beacon_interval", "dcf"),
        ("beacon_phase", "dcf"),
        ("beacon_bytes", "dcf"),
        ("beacon_rate", "dcf"),
        ("access", "dcf"),
        ("ap_access", "dcf"),
        ("winners", "dcf"),
        ("extra_delay", "emulator"),
    ];
    let media = vec![("dcf", "dcf"), ("emulator", "emulator"), ("mesh", "mesh")];
    let usual = Some(if meshed { "mesh" } else { "dcf" });
    let medium = if s.get("medium").is_some() { s.read("medium", choice(media)) } else { usual };
    if let (true, Some(other)) = (meshed, medium.filter(|medium| *medium != "mesh")) {
        s.problem_of(
            "medium",
            &format!("the topology is a mesh, and this is {other}: leave one of them out"),
        );
    }
    let is_mesh = medium == Some("mesh");
    let emulator = medium == Some("emulator");
    let default = Phy::named(if emulator { "d7.1" } else { "phy-a" });
    let phy = if s.get("phy").is_some() {
        s.read("phy", |v| any_profile(v.value.as_str().unwrap_or(&v.written)))
    } else {
        default
    };
    if emulator && phy.is_some_and(|phy| phy.has_mcs()) {
        s.problem_of("phy", "its rates are by MCS: only for medium dcf; this is emulator");
    }
    let change = read_change(&s, phy.as_ref());
    let phy = phy.map(|phy| phy.with(&change));
    let extra_ns = s.read("extra_delay", quantity(Unit::Ns, 0..=10 * SECOND)).unwrap_or(0);
    let mut cell = CellConfig::new(phy.unwrap_or_else(home_phy));
    let rules = vec![("standard", Backoff::Standard), ("bianchi", Backoff::Bianchi)];
    cell.backoff = s.read("backoff", choice(rules)).unwrap_or(cell.backoff);
    cell.eifs = s.read("eifs", flag).unwrap_or(cell.eifs);
    let rules = vec![("data", DeliverOn::Data), ("ack", DeliverOn::Ack)];
    cell.deliver_on = s.read("deliver_on", choice(rules)).unwrap_or(cell.deliver_on);
    let attempts = s.read("attempts", quantity(Unit::Count, 1..=255)).map(|n| n as u8);
    cell.attempts = attempts.unwrap_or(cell.attempts);
    let packets = s.read("uplink_packets", quantity(Unit::Count, 1..=1_000_000));
    cell.uplink_packets = packets.map_or(cell.uplink_packets, |n| n as usize);
    cell.access = read_access(&s, "access").unwrap_or_default();
    cell.ap_access = read_access(&s, "ap_access");
    cell.winners = s.read("winners", flag).unwrap_or(false);
    match phy.filter(|_| !emulator) {
        Some(phy) => {
            read_mac(&s, (&phy, is_mesh), &mut cell);
            if !is_mesh {
                refuse_with_categories(&s, &cell);
            }
            check_access(&s, "access", &cell, Some(&cell.access));
            check_access(&s, "ap_access", &cell, cell.ap_access.as_ref());
        }
        None => mac::KEYS.iter().for_each(|key| drop(s.get(key))),
    }
    cell.beacon = cell.beacon.filter(|_| !emulator).and_then(|beacon| read_beacon(&s, beacon));
    let errors = if is_mesh && s.get("errors").is_none() {
        Some(Errors::Fer)
    } else {
        Errors::read(&s, phy.as_ref().filter(|_| !emulator))
    };
    if emulator && matches!(errors, Some(Errors::Snr { .. })) {
        s.problem_of("errors", "\"snr\" is only for medium dcf; this is emulator");
    }
    if errors == Some(Errors::Fer) && cell.capture_db.is_some() && !is_mesh {
        s.problem_of(
            "capture",
            "signals follow from distances: with errors = \"shadowing\" or \"snr\", and a distance or snr of each station",
        );
    }
    if is_mesh {
        refuse_in_mesh(&s, &mut cell);
    } else {
        refuse_hidden(&s, &OF_HIDDEN);
    }
    let medium = if is_mesh { Some("dcf") } else { medium };
    for (key, owner) in OWNERS.into_iter().chain(mac::KEYS.map(|key| (key, "dcf"))) {
        if let (Some(_), Some(medium)) = (s.get(key), medium.filter(|medium| *medium != owner)) {
            s.problem_of(key, &format!("only for medium {owner}; this is {medium}"));
        }
    }
    s.finish();
    let medium = phy.map(|phy| match emulator {
        true => MediumConfig::emulator(phy, extra_ns),
        false => cell.into(),
    });
    let medium = medium.map(|mut medium| {
        if let (MediumConfig::Emulator(link), Some(attempts)) = (&mut medium, attempts) {
            link.attempts = attempts;
        }
        medium
    });
    (medium, errors, is_mesh)
}

/// Keys by which a file might describe stations that do not sense each other.
const OF_HIDDEN: [&str; 9] = [
    "hidden",
    "hidden_nodes",
    "hidden_stations",
    "sense",
    "sense_range",
    "carrier_sense_range",
    "tx_range",
    "interference",
    "interference_range",
];

/// Refuses keys of hidden stations; no schema has them.
pub(crate) fn refuse_hidden(s: &Section, keys: &[&'static str]) {
    for key in keys.iter().filter(|key| s.keys().any(|own| own == **key)) {
        s.get(key);
        s.problem_of(
            key,
            "all stations of a cell sense each other: for hidden stations write medium = \"mesh\" in [wifi], with [[node]] \
             instead of [[station]]",
        );
    }
}

/// What the nodes of a mesh do not have.
fn refuse_in_mesh(s: &Section, cell: &mut CellConfig) {
    const NOT: [(&str, &str); 15] = [
        ("access", "all nodes of a mesh draw by DCF"),
        ("ap_access", "a mesh has no access point"),
        ("winners", "who wins after whom is counted in a cell alone"),
        ("uplink_packets", "every node has the discipline that is run, or its own: queue of its [[node]]"),
        ("beacon_interval", "a mesh has no beacons"),
        ("beacon_phase", "a mesh has no beacons"),
        ("beacon_bytes", "a mesh has no beacons"),
        ("beacon_rate", "a mesh has no beacons"),
        ("txop", "a mesh has no access categories"),
        ("category", "a mesh has no access categories"),
        ("announced", "a mesh has no access point"),
        ("capture", "it is a key of [mesh], where nodes have places"),
        ("ofdma", "only an access point sends to several at once"),
        ("coherence", "frames of a mesh are lost by fer of their [[link]], and by others"),
        ("shadowing_deviation", "frames of a mesh are lost by fer of their [[link]], and by others"),
    ];
    for (key, why) in NOT.into_iter().filter(|(key, _)| s.get(key).is_some()) {
        s.problem_of(key, &format!("not in a mesh: {why}; leave it out"));
    }
    if s.get("edca").is_some() && cell.edca != Edca::Off {
        s.problem_of("edca", "a mesh has no access categories: only \"off\"");
    }
    if let Some(errors) = s.get("errors").filter(|errors| errors.written != "fer") {
        let message = format!(
            "\"{}\": frames of a mesh are lost by fer of their [[link]], and by others: \"fer\"",
            errors.written
        );
        s.problem_of("errors", &message);
    }
    (cell.edca, cell.txop, cell.ofdma) = (Edca::Off, false, None);
    (cell.categories, cell.announced, cell.capture_db) = (Default::default(), Default::default(), None);
    cell.adapts_announced = false;
}

/// What is to differ from the profile.
fn read_change(s: &Section, phy: Option<&Phy>) -> PhyChange {
    let time = |key, least| s.read(key, quantity(Unit::Ns, least..=MS)).map(|ns| ns as u32);
    let change = PhyChange {
        slot_ns: time("slot", 1_000),
        sifs_ns: time("sifs", 1_000),
        preamble_ns: time("preamble", 0),
        cw_min: s.read("cw_min", window),
        cw_max: s.read("cw_max", window),
        ack_kbps: read_answers(s, phy),
        eifs_kbps: s.read("eifs_rate", rate),
        ccmp: s.read("ccmp", flag).unwrap_or(false),
    };
    if let Some(phy) = phy.map(|phy| phy.with(&change))
        && phy.cw_min() > phy.cw_max()
    {
        let key = if change.cw_max.is_some() { "cw_max" } else { "cw_min" };
        s.problem_of(key, &format!("cw_min is {} and cw_max {}: give both", phy.cw_min(), phy.cw_max()));
    }
    change
}

/// Rate of what answers: `ack_rate` where rates are in Mb/s, `control_rate`, of other control
/// frames too, where they are by MCS.
fn read_answers(s: &Section, phy: Option<&Phy>) -> Option<u32> {
    let [ack, control] = ["ack_rate", "control_rate"].map(|key| s.read(key, rate));
    let (own, others) = match phy.is_some_and(Phy::has_mcs) {
        true => ("control_rate", "ack_rate"),
        false => ("ack_rate", "control_rate"),
    };
    if let (Some(_), Some(phy)) = (s.get(others), phy) {
        s.problem_of(others, &format!("{} has {own} in its place", phy.name()));
    }
    ack.or(control)
}

fn read_beacon(s: &Section, default: Beacon) -> Option<Beacon> {
    let bytes = s.read("beacon_bytes", quantity(Unit::Bytes, 50..=2304));
    let kbps = s.read("beacon_rate", rate).unwrap_or(default.kbps);
    let interval = s.read("beacon_interval", |v| match v.is("off") {
        true => Ok(None),
        false => quantity(Unit::Ns, MS..=60 * SECOND)(v).map(Some).map_err(|e| format!("{e}, or \"off\"")),
    });
    let first_ns = s.read("beacon_phase", quantity(Unit::Ns, 0..=60 * SECOND));
    let interval_ns = interval.unwrap_or(Some(default.interval_ns))?;
    Some(Beacon { interval_ns, first_ns, bytes: bytes.map_or(default.bytes, |n| n as u32), kbps })
}
