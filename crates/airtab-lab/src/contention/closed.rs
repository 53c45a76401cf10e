// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Subjects that are formulas.
//!
//! What it does not do: no random numbers; the exchange of a lone sender is the core's.

use airtab_core::Phy;
use airtab_model::contention::airtime::{Ack, Airtime, contention};
use airtab_model::contention::law::SlotLaw;
use airtab_model::contention::regimes::{Regime, regime};
use airtab_model::contention::{
    ContentionError, correlation, cost, density, effective, hash, idle_sense, link, schedule, shares,
};
use airtab_quality::jain;

use super::given::Given;
use super::runs::Runs;

type Answer = Result<Vec<f64>, ContentionError>;

/// Names of the slot laws.
pub(super) const LAWS: [&str; 6] = ["uniform", "ramp", "geometric", "weights", "best", "density"];
/// Profiles of 802.11b: MAC ACK at 1 and at 2 Mb/s.
pub(super) const PROFILES: [&str; 2] = ["starzetz-11b", "std-11b"];

fn law(given: &Given) -> Result<SlotLaw, ContentionError> {
    let (window, lost) = (given.small("window"), given.number("lost"));
    match given.word("law") {
        "uniform" => SlotLaw::uniform(window),
        "ramp" => SlotLaw::ramp(window),
        "geometric" => SlotLaw::geometric(given.number("hazard")),
        "weights" => SlotLaw::weights(given.numbers("weights")),
        "best" => Ok(cost::fixed_window(window, lost)?.0),
        _ => {
            let time = density::effective_time(lost, window)?;
            // Of a checked time every t in 0 to 1 has a value.
            SlotLaw::distribution(window, |t| density::distribution(t, time).unwrap_or(1.0))
        }
    }
}

/// Outputs of `slots`.
pub(super) fn slots(given: &Given, _: &mut Runs) -> Answer {
    let (law, n, lost) = (law(given)?, given.count("n"), given.number("lost"));
    let h = hash::hash(&law, n)?;
    let (cycle, success) = (cost::per_cycle(&law, n, lost)?, cost::per_success(&law, n, lost)?);
    let slot = law.p().get(given.count("slot") as usize).copied().unwrap_or(0.0);
    Ok(vec![h.p_collision, h.wait_success, h.wait_collision, h.collisions(), cycle, success, slot])
}

/// Outputs of `windows`.
pub(super) fn windows(given: &Given, _: &mut Runs) -> Answer {
    let (p, n) = (given.number("collision"), given.count("n"));
    let (uniform, ramp) = (effective::effective(p, n)?, effective::ramp(p, n)?);
    let waits = |m: &effective::Matched| [m.window, m.hash.wait_success, m.hash.wait_collision];
    Ok([waits(&uniform), waits(&ramp)].concat())
}

/// Outputs of `waste`.
pub(super) fn waste(given: &Given, _: &mut Runs) -> Answer {
    let (n, lost) = (given.count("n"), given.number("lost"));
    let (window, uniform) = cost::best_window(SlotLaw::uniform, n, lost)?;
    let (cw, ramp) = cost::best_window(SlotLaw::ramp, n, lost)?;
    let (hazard, optimum) = cost::best_hazard(n, lost)?;
    Ok(vec![window.into(), uniform, cw.into(), ramp, hazard, optimum, n as f64 * hazard, lost.sqrt()])
}

/// Outputs of `density`.
pub(super) fn of_density(given: &Given, _: &mut Runs) -> Answer {
    let (t, time) = (given.number("t"), given.number("time"));
    Ok(vec![density::density(t, time)?, density::distribution(t, time)?])
}

/// Outputs of `airtime`.
pub(super) fn airtime(given: &Given, _: &mut Runs) -> Answer {
    let phy = Phy::named(given.word("profile")).expect("is a profile");
    let kbps = (given.number("rate") * 1000.0) as u32;
    let lone = |bytes: u32| phy.difs_ns() + phy.data_ns(kbps, bytes) + phy.sifs_ns() + phy.ack_ns(kbps);
    let n = given.small("n");
    let cell = Airtime::new(n, phy.slot_ns(), lone)?;
    let (bytes, ack) = (given.small("bytes"), given.small("ack"));
    let covers = Ack {
        bytes: ack,
        covered: given.small("covered"),
        mtu: given.small("mtu"),
        header: given.small("header"),
    };
    let us = |ns: f64| ns / 1e3;
    Ok(vec![
        contention(n)?,
        us(cell.packet_ns(bytes)),
        us(cell.data_ns(bytes, ack)),
        us(cell.ack_ns(&covers)),
    ])
}

/// Outputs of `turns`.
pub(super) fn turns(given: &Given, _: &mut Runs) -> Answer {
    let turns = schedule::round(given.sequences("slots"))?;
    let share = turns.shares.get(given.count("station") as usize - 1).copied().unwrap_or(f64::NAN);
    Ok(vec![share, turns.p_collision, turns.winners.len() as f64])
}

/// Outputs of `tcf`.
pub(super) fn tcf(given: &Given, _: &mut Runs) -> Answer {
    /// Rounds enough to look ahead by eight of them.
    const ROUNDS: u64 = 16;
    let (n, d) = (given.count("n"), given.count("d"));
    let turns = schedule::turns(&schedule::tcf(n)?, (ROUNDS * n + d) as usize)?;
    let winners: Vec<u16> = turns.winners.iter().flatten().copied().collect();
    let again = correlation::measured(&winners, (8 * n).max(d) as usize)?;
    Ok(vec![again[d as usize - 1], turns.p_collision, d as f64 / (8 * n) as f64])
}

/// Outputs of `uploads`.
pub(super) fn uploads(given: &Given, _: &mut Runs) -> Answer {
    let (up, down) = (given.small("uploads"), given.small("downloads"));
    let shares = shares::shares(up, down)?;
    let flows = shares.flows(up, down);
    let index = jain(&flows).unwrap_or(f64::NAN);
    Ok(vec![
        100.0 * shares.upload,
        100.0 * shares.download,
        shares.ratio(),
        index,
        100.0 * flows.iter().sum::<f64>(),
    ])
}

/// Outputs of `pipe`; the number of the word.
pub(super) fn pipe(given: &Given, _: &mut Runs) -> Answer {
    let number = match regime(given.small("flows"), given.small("packets")) {
        Regime::Small => 0.0,
        Regime::Intermediate => 1.0,
        Regime::Large => 2.0,
    };
    Ok(vec![number])
}

/// Outputs of `idle-sense`.
pub(super) fn aims(given: &Given, _: &mut Runs) -> Answer {
    let n = given.count("n");
    let zeta = idle_sense::attempts(given.number("lost"))?;
    Ok(vec![zeta, idle_sense::idle_slots(zeta), zeta / n as f64, idle_sense::window(zeta, n)?])
}

/// Outputs of `link`.
pub(super) fn of_link(given: &Given, _: &mut Runs) -> Answer {
    let corrupted = link::corrupted(given.number("ber"), given.small("bytes"))?;
    Ok(vec![corrupted, link::range_m((given.number("slot") * 1e3) as u64)])
}
