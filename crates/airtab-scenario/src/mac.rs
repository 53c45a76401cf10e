// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What `[wifi]` says of a cell whose rates are by MCS (802.11n, ac, ax): what goes out at
//! once, who goes first, and what is between a queue and the air (`[wifi.driver]`).
//!
//! What it does not do: the profile and its constants are `wifi`'s; how a cell works is
//! `airtab_sim::wifi`'s.

use std::ops::RangeInclusive;

use airtab_core::{Format, PPDU_MAX_NS, Phy, Unit};
use airtab_sim::wifi::{
    Aggregation, Category, CategoryChange, CellConfig, Completions, DriverConfig, Edca, GovernorConfig,
    LostBar, Order,
};

use crate::reader::{Section, Value, choice, flag, number, quantity};

/// Keys that only a cell has.
pub(crate) const KEYS: [&str; 18] = [
    "aggregation",
    "block_ack_window",
    "ampdu_frames",
    "ampdu_bytes",
    "ampdu_time",
    "amsdu",
    "bar",
    "lost_bar",
    "rts",
    "rts_rate",
    "capture",
    "ofdma",
    "edca",
    "category",
    "announced",
    "txop",
    "control_rate",
    "driver",
];

/// What is put together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    Off,
    Ampdu,
    Amsdu,
}

/// Longest A-MSDU of IEEE 802.11-2020, bytes; the first one alone fits in an MPDU of an HT A-MPDU (9.7.1).
const AMSDU: [u64; 2] = [3839, 7935];
/// Where nothing is said: one PPDU, ns.
const AMPDU_NS: u32 = 4_000_000;
/// Largest TXOP limit: 255 units of 32 us (IEEE 802.11-2020 9.4.2.28), ns.
const TXOP_MOST_NS: u64 = 255 * 32_000;
/// Airtime that may be outstanding, ns.
const INFLIGHT_NS: RangeInclusive<u64> = 100_000..=1_000_000_000;

/// All of it; `phy` is the cell's profile, and `meshed` says that its transmitters are the nodes of a mesh.
pub(crate) fn read_mac(s: &Section, (phy, meshed): (&Phy, bool), cell: &mut CellConfig) {
    cell.aggregation = read_aggregation(s, phy);
    let names =
        vec![("repeat", LostBar::Repeat), ("after_success", LostBar::AfterSuccess), ("data", LostBar::Data)];
    cell.lost_bar = s.read("lost_bar", choice(names)).unwrap_or_default();
    cell.rts_bytes = s.read("rts", rts).flatten();
    cell.rts_kbps = s.read("rts_rate", rate);
    if cell.rts_kbps.is_some() && cell.rts_bytes.is_none() {
        s.problem_of("rts_rate", "only with an RTS: rts = 500 has one before frames of more than 500 bytes");
    }
    cell.capture_db = s.read("capture", capture).flatten();
    cell.ofdma = read_ofdma(s, phy, cell.aggregation.is_some());
    let default = if phy.has_mcs() { Edca::Ieee2012 } else { Edca::Off };
    let edca = s.read("edca", choice(Edca::NAMES.to_vec())).unwrap_or(default);
    if edca != Edca::Off && !phy.has_mcs() {
        s.problem_of("edca", &old(phy, "\"off\""));
    }
    cell.edca = edca;
    let txop = s.read("txop", flag);
    cell.txop = txop.unwrap_or(edca != Edca::Off);
    if cell.txop && edca == Edca::Off {
        s.problem_of("txop", &format!("only access categories have one: with {CATEGORIES}"));
    }
    read_categories(s, cell);
    cell.driver = read_driver(s, (phy, meshed), cell.aggregation.as_ref());
}

/// Parameter sets with access categories.
const CATEGORIES: &str = "edca = \"ieee2012\", \"ieee2016\" or \"hostapd\"";

/// `[wifi.category.be]` and `[wifi.announced.be]`, and the tables of the other categories.
fn read_categories(s: &Section, cell: &mut CellConfig) {
    read_changes(s, "category", cell, |cell| &mut cell.categories);
    read_changes(s, "announced", cell, |cell| &mut cell.announced);
}

fn read_changes(
    s: &Section,
    table: &'static str,
    cell: &mut CellConfig,
    changes: fn(&mut CellConfig) -> &mut [CategoryChange; 4],
) {
    let Some(all) = s.section(table) else { return };
    if table == "announced" {
        cell.adapts_announced = all.read("adapt", flag).unwrap_or(false);
        if cell.adapts_announced && !cell.txop && cell.edca != Edca::Off {
            all.problem_of("adapt", "each category has one exchange at a time with txop = false");
        }
    }
    for category in Category::ALL {
        let Some(own) = all.section(Category::NAMES[category as usize]) else { continue };
        let change = CategoryChange {
            aifsn: own.read("aifsn", quantity(Unit::Count, 1..=15)).map(|n| n as u8),
            cw_min: own.read("cw_min", window),
            cw_max: own.read("cw_max", window),
            txop_ns: own.read("txop", quantity(Unit::Ns, 0..=TXOP_MOST_NS)),
        };
        changes(cell)[category as usize] = change;
        own.finish();
        if cell.edca != Edca::Off
            && let Err(message) = cell.check_category(category)
        {
            let key = ["txop", "cw_max", "cw_min"]
                .into_iter()
                .find(|key| own.get(key).is_some() && message.contains(key));
            own.problem_of(key.unwrap_or("cw_min"), message.trim_start_matches("txop: "));
        }
    }
    all.finish();
    if cell.edca == Edca::Off {
        s.problem_of(table, &format!("only with access categories: {CATEGORIES}"));
    }
}

/// Refuses keys of DCF that access categories do not use.
pub(crate) fn refuse_with_categories(s: &Section, cell: &CellConfig) {
    if cell.edca == Edca::Off {
        return;
    }
    for key in ["cw_min", "cw_max"].into_iter().filter(|key| s.get(key).is_some()) {
        let message = format!(
            "each access category has windows of its own: write {key} in [wifi.category.be] (or bk, vi, vo), or edca = \
             \"off\""
        );
        s.problem_of(key, &message);
    }
    if s.get("backoff").is_some() {
        s.problem_of(
            "backoff",
            "access categories count down by one rule, IEEE 802.11-2020 10.23.2.4: write aifsn, cw_min or cw_max in \
             [wifi.category.be] (or bk, vi, vo), or edca = \"off\"",
        );
    }
}

/// The largest draw of a backoff.
pub(crate) fn window(v: &Value) -> Result<u16, String> {
    let slots = quantity(Unit::Count, 1..=32_767)(v)?;
    match (slots + 1).is_power_of_two() {
        true => Ok(slots as u16),
        false => {
            let above = (slots + 1).next_power_of_two() - 1;
            Err(format!("{slots} is not one less than a power of two, such as {} or {above}", above / 2))
        }
    }
}

/// The rate of frames that are not data, kb/s: no profile says which there may be.
pub(crate) fn rate(v: &Value) -> Result<u32, String> {
    let bps = quantity(Unit::Bps, 1_000_000..=600_000_000)(v)?;
    match bps % 1000 {
        0 => Ok((bps / 1000) as u32),
        _ => Err(format!("{} is not a whole number of kb/s", v.written)),
    }
}

/// None: one packet at a time.
fn read_aggregation(s: &Section, phy: &Phy) -> Option<Aggregation> {
    let names = vec![("off", Together::Off), ("ampdu", Together::Ampdu), ("ampdu+amsdu", Together::Amsdu)];
    let default = if phy.has_mcs() { Together::Ampdu } else { Together::Off };
    let together = s.read("aggregation", choice(names)).unwrap_or(default);
    let longest = phy.window().max(1);
    let window = s.read("block_ack_window", quantity(Unit::Count, 1..=longest.into()));
    let window = window.map_or(longest, |n| n as u16);
    let frames = s.read("ampdu_frames", quantity(Unit::Count, 1..=window.into()));
    let bytes = s.read("ampdu_bytes", quantity(Unit::Bytes, 1..=phy.ampdu_bytes().max(1).into()));
    let time = s.read("ampdu_time", quantity(Unit::Ns, 1_000..=PPDU_MAX_NS.into()));
    let amsdu = s.read("amsdu", |v| amsdu(v, phy));
    let bar = s.read("bar", flag);
    if !phy.has_mcs() {
        if together != Together::Off {
            s.problem_of("aggregation", &old(phy, "\"off\""));
        }
        for key in ["block_ack_window", "ampdu_bytes", "ampdu_time", "amsdu", "bar", "lost_bar"]
            .into_iter()
            .filter(|key| s.get(key).is_some())
        {
            s.problem_of(key, &format!("only for profiles with rates by MCS; this is {}", phy.name()));
        }
        return None;
    }
    for key in ["block_ack_window", "ampdu_frames", "ampdu_bytes", "ampdu_time", "bar", "lost_bar"] {
        if s.get(key).is_some() && together == Together::Off {
            s.problem_of(key, "only with aggregation = \"ampdu\" or \"ampdu+amsdu\"");
        }
    }
    if s.get("amsdu").is_some() && together != Together::Amsdu {
        s.problem_of("amsdu", "only with aggregation = \"ampdu+amsdu\"");
    }
    (together != Together::Off).then(|| Aggregation {
        frames: frames.map_or(window, |n| n as u16),
        bytes: bytes.map_or(phy.ampdu_bytes(), |n| n as u32),
        time_ns: time.map_or(AMPDU_NS, |ns| ns as u32),
        window,
        amsdu_bytes: if together == Together::Amsdu { amsdu.unwrap_or(AMSDU[0] as u32) } else { 0 },
        bar: bar.unwrap_or(false),
    })
}

fn read_driver(s: &Section, (phy, meshed): (&Phy, bool), aggregation: Option<&Aggregation>) -> DriverConfig {
    let frames = aggregation.map_or(1, |a| usize::from(a.frames));
    let default = DriverConfig::default();
    // Two finished aggregates as ath9k has them; later generations' firmware builds each when it wins the channel.
    let (usual, aggregates) = match phy.format() {
        Format::Legacy => (default.ring, default.aggregates),
        Format::Ht => (2 * frames, 2),
        Format::Vht | Format::He => (2 * frames, 0),
    };
    let mut driver = DriverConfig { ring: usual, aggregates, ..default };
    let Some(own) = s.section("driver") else { return driver };
    let count = |key, range| own.read(key, quantity(Unit::Count, range)).map(|n| n as usize);
    driver.ring = count("ring", 1..=1_000_000).unwrap_or(driver.ring);
    driver.aggregates = count("aggregates", 0..=64).unwrap_or(driver.aggregates);
    let names = vec![("fifo", Order::Fifo), ("round_robin", Order::RoundRobin)];
    driver.order = own.read("order", choice(names)).unwrap_or(driver.order);
    driver.lifetime_ns = own.read("lifetime", lifetime).flatten();
    driver.stop = own.read("stop", flag).unwrap_or(driver.stop);
    let names = vec![("each", Completions::Each), ("aggregate", Completions::Aggregate)];
    driver.completions = own.read("completions", choice(names)).unwrap_or(driver.completions);
    let delay = own.read("completion_delay", quantity(Unit::Ns, 0..=1_000_000_000));
    driver.completion_delay_ns = delay.unwrap_or(driver.completion_delay_ns);
    let lost = own.read("completions_lost", number(0.0..=1.0, "a share of reports such as 0.1"));
    driver.completions_lost = lost.unwrap_or(driver.completions_lost);
    driver.orphan = own.read("orphan", flag).unwrap_or(driver.orphan);
    driver.governor = read_governor(&own);
    own.finish();
    let waits = meshed || phy.has_mcs() || driver.ring > 1 || !driver.stop;
    let unused = [
        ("aggregates", driver.aggregates != default.aggregates),
        ("order", driver.order != default.order),
        ("lifetime", driver.lifetime_ns.is_some()),
    ];
    for (key, _) in unused.into_iter().filter(|(_, other)| *other && !waits) {
        own.problem_of(
            key,
            "only where packets wait at the driver: a profile with rates by MCS, or a ring above 1",
        );
    }
    let aggregates = aggregation.is_some_and(|a| a.frames > 1 || a.amsdu_bytes > 0);
    if driver.completions == Completions::Aggregate && !aggregates {
        own.problem_of("completions", "\"aggregate\" only with aggregates: here each packet is sent alone");
    }
    if !driver.stop && own.get("ring").is_some() {
        own.warn_of(
            "ring",
            "with stop = false the access point's driver takes everything: only stations have this ring",
        );
    }
    if driver.ring < frames && driver.stop {
        let ring = driver.ring;
        own.warn_of(
            "ring",
            &format!(
                "{ring} packets are less than one aggregate of {frames} (ampdu_frames): none is ever full"
            ),
        );
    }
    driver
}

/// `"off"`, or how long a packet may wait.
fn lifetime(v: &Value) -> Result<Option<u64>, String> {
    match v.is("off") {
        true => Ok(None),
        false => match quantity(Unit::Ns, 1_000_000..=60_000_000_000)(v) {
            Ok(ns) => Ok(Some(ns)),
            Err(e) => Err(format!("{e}, or \"off\"")),
        },
    }
}

/// None: nothing holds packets back but the ring. One of its keys is enough to have it.
fn read_governor(own: &Section) -> Option<GovernorConfig> {
    let budget = |v: &Value| match v.is("off") {
        true => Ok(None),
        false => match quantity(Unit::Ns, INFLIGHT_NS)(v) {
            Ok(ns) => Ok(Some(ns as u32)),
            Err(e) => Err(format!("{e}, or \"off\"")),
        },
    };
    let inflight = own.read("inflight", budget);
    let time = || quantity(Unit::Ns, INFLIGHT_NS);
    let station = own.read("inflight_station", time()).map(|ns| ns as u32);
    let stale = own.read("stale", time()).map(|ns| ns as u32);
    let others = own.get("inflight_station").or(own.get("stale"));
    let default = GovernorConfig::default();
    let inflight_ns = match (inflight, others) {
        // Off, also with the other keys: an axis can switch the governor.
        (Some(None), _) | (None, None) => return None,
        (Some(Some(ns)), _) => ns,
        (None, Some(_)) => default.inflight_ns,
    };
    let config = GovernorConfig {
        inflight_ns,
        inflight_station_ns: station.unwrap_or(default.inflight_station_ns.min(inflight_ns)),
        stale_ns: stale.unwrap_or(default.stale_ns.max(inflight_ns)),
    };
    let all = Unit::Ns.format(inflight_ns.into());
    if config.inflight_station_ns > inflight_ns {
        own.problem_of("inflight_station", &format!("more than inflight, which is {all}: that or less"));
    }
    if config.stale_ns < inflight_ns {
        own.problem_of("stale", &format!("less than inflight, which is {all}: that or more"));
    }
    Some(config)
}

/// `"off"`, or how many stations the access point may send to at once.
fn read_ofdma(s: &Section, phy: &Phy, aggregates: bool) -> Option<u8> {
    let users = s.read("ofdma", |v| match v.value.as_str() {
        Some("off") => Ok(None),
        _ => match Unit::Count.parse(&v.written) {
            Ok(users @ (2 | 4 | 8 | 16)) => Ok(Some(users as u8)),
            _ => Err(format!("'{}' is not 2, 4, 8 or 16 stations at once, or \"off\"", v.written)),
        },
    });
    let users = users.flatten()?;
    if phy.format() != Format::He {
        let name = phy.name();
        s.problem_of("ofdma", &format!("only for profiles of 802.11ax; this is {name}: \"off\""));
    } else if !aggregates {
        s.problem_of("ofdma", "only with aggregation = \"ampdu\" or \"ampdu+amsdu\"");
    }
    Some(users)
}

/// `"off"`, or the dB by which a frame has to be stronger than others.
pub(crate) fn capture(v: &Value) -> Result<Option<f64>, String> {
    match v.is("off") {
        true => Ok(None),
        false => number(0.0..=60.0, "a number of dB such as 10")(v)
            .map(Some)
            .map_err(|e| format!("{e}, or \"off\"")),
    }
}

/// `"off"`, or the MAC bytes above which DATA has an RTS before it.
fn rts(v: &Value) -> Result<Option<u32>, String> {
    match v.is("off") {
        true => Ok(None),
        false => match quantity(Unit::Bytes, 0..=1 << 22)(v) {
            Ok(bytes) => Ok(Some(bytes as u32)),
            Err(e) => Err(format!("{e}, or \"off\"")),
        },
    }
}

fn amsdu(v: &Value, phy: &Phy) -> Result<u32, String> {
    let bytes = Unit::Bytes.parse(&v.written).map_err(|e| format!("{e} ({} or {})", AMSDU[0], AMSDU[1]))?;
    match bytes {
        bytes if !AMSDU.contains(&bytes) => {
            Err(format!("'{}' is no longest A-MSDU: {} or {} bytes", v.written, AMSDU[0], AMSDU[1]))
        }
        bytes if bytes > AMSDU[0] && phy.format() == Format::Ht => {
            Err(format!("an MPDU of an HT A-MPDU has at most 4095 bytes: {}", AMSDU[0]))
        }
        bytes => Ok(bytes as u32),
    }
}

/// An old profile has one value of the key.
fn old(phy: &Phy, allowed: &str) -> String {
    format!("only for profiles with rates by MCS; this is {}: {allowed}", phy.name())
}
