// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Subjects that run a channel access method: waits and collisions, short-term fairness, self-correlation.
//!
//! What it does not do: no rule of a method is here (`airtab_model::contention::methods`).

use std::rc::Rc;

use airtab_model::contention::automaton::{Decrement, Rules};
use airtab_model::contention::hash::Hash;
use airtab_model::contention::law::SlotLaw;
use airtab_model::contention::{
    ContentionError, airtime, correlation, cost, effective, idle_sense, jain, methods,
};

use super::given::Given;
use super::runs::{Run, Runs};

/// Names of the methods.
pub(super) const METHODS: [&str; 10] = [
    "dcf",
    "dcf-m",
    "dcf-shortened",
    "idle-sense",
    "idle-sense-aimd",
    "hash1",
    "h",
    "best-uniform",
    "best-ramp",
    "optimal",
];

/// The run that is asked for.
fn run(given: &Given, runs: &mut Runs) -> Result<Rc<Run>, ContentionError> {
    let rules = rules(given, runs)?;
    runs.run(&rules, given.count("n"), given.count("successes"), given.count("seed"))
}

fn rules(given: &Given, runs: &mut Runs) -> Result<Rules, ContentionError> {
    let (least, most) = (given.small("cwmin"), given.small("cwmax"));
    let (n, lost) = (given.count("n"), given.number("lost"));
    let zeta = || idle_sense::attempts(lost);
    let rules = match given.word("method") {
        "dcf" => methods::dcf(least, most),
        "dcf-m" => {
            let offset = given.maybe("offset").map_or(2 * n as u32, |m| m as u32);
            methods::dcf_offset(least, most, offset)?
        }
        "dcf-shortened" => methods::dcf_shortened(least, most),
        "idle-sense" => idle_sense_rules(given)?,
        "idle-sense-aimd" => methods::idle_sense_control(idle_sense::idle_slots(zeta()?)),
        "hash1" => methods::hash1(window(given, runs, effective::ramp)?),
        "h" => methods::h(window(given, runs, effective::effective)?),
        "best-uniform" => methods::h(cost::best_window(SlotLaw::uniform, n, lost)?.0.into()),
        "best-ramp" => methods::hash1(cost::best_window(SlotLaw::ramp, n, lost)?.0.into()),
        _ => methods::memoryless(SlotLaw::geometric(cost::best_hazard(n, lost)?.0)?),
    };
    let decrement = match given.word("decrement") {
        "m" => Decrement::Slots,
        _ => Decrement::SlotsAndOne,
    };
    Ok(Rules { decrement, noise: given.number("noise"), ..rules })
}

fn idle_sense_rules(given: &Given) -> Result<Rules, ContentionError> {
    Ok(methods::idle_sense(given.maybe("window").map_or_else(|| idle_sense_window(given), Ok)?))
}

fn idle_sense_window(given: &Given) -> Result<f64, ContentionError> {
    idle_sense::window(idle_sense::attempts(given.number("lost"))?, given.count("n"))
}

/// The window asked for, or the whole one with which a law collides as often as Idle Sense does.
fn window(
    given: &Given,
    runs: &mut Runs,
    matched: fn(f64, u64) -> Result<effective::Matched, ContentionError>,
) -> Result<f64, ContentionError> {
    if let Some(window) = given.maybe("window") {
        return Ok(window);
    }
    let rules = methods::idle_sense(idle_sense_window(given)?);
    let run = runs.run(&rules, given.count("n"), given.count("successes"), given.count("seed"))?;
    Ok(matched(run.tally.p_collision(), given.count("n"))?.window.round())
}

/// Outputs of `access`.
pub(super) fn access(given: &Given, runs: &mut Runs) -> Result<Vec<f64>, ContentionError> {
    let tally = run(given, runs)?.tally;
    let n = given.count("n");
    let own = Hash {
        p_collision: tally.p_collision(),
        wait_success: tally.wait_success(),
        wait_collision: tally.wait_collision(),
    };
    // Who never collides has no window to compare with.
    let none = Hash { p_collision: f64::NAN, wait_success: f64::NAN, wait_collision: f64::NAN };
    let (matched, better) = match tally.collisions {
        0 => (effective::Matched { window: f64::NAN, hash: none }, f64::NAN),
        _ => (
            effective::effective(own.p_collision, n)?,
            f64::from(u8::from(effective::better_than_h(&own, n)?)),
        ),
    };
    Ok(vec![
        tally.collisions_per_success(),
        own.p_collision,
        own.wait_success,
        own.wait_collision,
        matched.window,
        matched.hash.wait_success,
        matched.hash.wait_collision,
        better,
        airtime::contention(n as u32)?,
        tally.window(),
        tally.idle(),
        tally.wasted(given.number("lost")),
        cost::best_hazard(n.max(2), given.number("lost"))?.1,
    ])
}

/// Outputs of `fairness`.
pub(super) fn fairness(given: &Given, runs: &mut Runs) -> Result<Vec<f64>, ContentionError> {
    let n = given.count("n");
    let window = given.count("k") * n;
    let measured = jain::sliding(&run(given, runs)?.winners, n, window as usize)?;
    Ok(vec![measured, jain::memoryless(n, window)?])
}

/// Outputs of `correlation`.
pub(super) fn correlated(given: &Given, runs: &mut Runs) -> Result<Vec<f64>, ContentionError> {
    let (n, d) = (given.count("n"), given.count("d"));
    let window = (8 * n).max(d) as usize;
    let again = correlation::measured(&run(given, runs)?.winners, window)?;
    Ok(vec![again[d as usize - 1], correlation::memoryless(n, d as u32)?, d as f64 / (8 * n) as f64])
}
