// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Contention of saturated stations: how long they wait, how often they collide, how evenly they win.
//!
//! Source: P. Starzetz, doctoral thesis, INPG Grenoble 2006, chapters 2, 7, 8 and 9, with its equation numbers. What
//! is not in it says how it is derived.
//!
//! | module | section | what |
//! |---|---|---|
//! | [`airtime`] | 9.2 | 9.1 to 9.4: mean contention time, time of a packet, cost of a packet and of what an ACK proves |
//! | [`automaton`] | 2.2, 8.2 | the contention cycle, any access method, with noise |
//! | [`methods`] | 8.1, 8.2 | 802.11, 802.11-M, Idle Sense, HASH1, H as rules of the automaton |
//! | [`law`] | 8.1, 8.2 | which slot a station draws: uniform, ramp, weights, hazards |
//! | [`hash`] | 8.1.1 | the H scheme of any slot law, exact |
//! | [`effective`] | 8.1.1 | the H window of the same collision probability; "better than H" |
//! | [`cost`] | 8.1.2 | 8.8, wasted slots, the best windows, the best hazard, the best law of a window |
//! | [`density`] | 8.1.2 | 8.15 to 8.20: the continuous form of the same question |
//! | [`idle_sense`] | 8.2 | the window that Idle Sense aims at, and its control |
//! | [`correlation`] | 8.2 | p_s: how soon a station has sent again |
//! | [`jain`] | 8.2 | Jain's index of the last so many successes |
//! | [`schedule`] | 2.2, 8.1.2 | stations that go through fixed slots: TCF, permutations |
//! | [`shares`], [`regimes`] | 7.1 | uploads against downloads; small, middling and large pipes |
//! | [`link`] | 3.3.2 | corruption by bit errors, range by slot time |
//!
//! Slots are backoff slots; N counts the stations that contend, the access point among them.
//!
//! What it does not do: no frames, no retry limit, no load: every station always has something to send. Random
//! numbers are the caller's, a stream for each station.

pub mod airtime;
pub mod automaton;
pub mod correlation;
pub mod cost;
pub mod density;
pub mod effective;
pub mod hash;
pub mod idle_sense;
pub mod jain;
pub mod law;
pub mod link;
pub mod methods;
pub mod regimes;
pub mod schedule;
pub mod shares;

/// The widest window, slots.
pub const MAX_WINDOW: u32 = 65_536;
/// The most stations.
pub const MAX_STATIONS: u32 = 1_000;

/// Why there is no answer. Each names the value, what it may be, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ContentionError {
    /// Too few or too many contend.
    #[error("stations {0}: 2 to 1000 contend here")]
    Stations(u64),
    /// A window without slots, or too wide.
    #[error("window {0}: 1 to 65536 slots")]
    Window(f64),
    /// The largest window is below the smallest.
    #[error("windows from {least} to {most}: the largest is at least the smallest; give a larger cw_max")]
    Windows {
        /// Smallest window.
        least: u32,
        /// Largest window.
        most: u32,
    },
    /// No hazard.
    #[error("hazard {0}: above 0 and below 1, such as 0.1 of those who still wait")]
    Hazard(f64),
    /// Weights that make no law.
    #[error("weight {value} of slot {slot}: weights are finite, and 0 or more")]
    Weight {
        /// Which slot, from 0.
        slot: usize,
        /// Its weight.
        value: f64,
    },
    /// There is no slot to draw.
    #[error("all {0} weights are 0: give one slot a weight above 0")]
    NoWeight(usize),
    /// No cost of a transmission.
    #[error("lost time {0}: slots above 0, such as 68 for 1500 bytes at 11 Mb/s")]
    LostTime(f64),
    /// No probability of a collision that a window could have.
    #[error(
        "collision probability {value}: above {least:.2e} (a window of 65536) and at most 1 (a window of 1)"
    )]
    Collision {
        /// What was asked for.
        value: f64,
        /// The least that there is.
        least: f64,
    },
    /// Nothing would ever get through.
    #[error("noise {0}: 0 (clean) to below 1; at 1 nothing gets through")]
    Noise(f64),
    /// No offset.
    #[error("offset {0}: 1 to 65536 slots; for none, take 802.11 without an offset")]
    Offset(u32),
    /// A shortened window is known for uniform draws only.
    #[error(
        "a redraw in the shortened window is for uniform draws without offset: take those, or keep the rest"
    )]
    Shortened,
    /// No sequences of slots.
    #[error("{0}: give 2 or more sequences of slots, such as 1:2:3:4/2:3:4:1")]
    Sequences(&'static str),
    /// Too few successes for what is looked at.
    #[error("{successes} successes: more than the {window} that are looked at together")]
    Successes {
        /// How many there are.
        successes: usize,
        /// How many are looked at.
        window: usize,
    },
    /// Nothing shares.
    #[error("0 uploads and 0 downloads: give one of them")]
    NoFlows,
    /// No position within a window.
    #[error("time {0}: 0 to 1 of the window")]
    Time(f64),
    /// No probability.
    #[error("probability {0}: 0 to 1")]
    Probability(f64),
}

/// N, checked.
fn stations(n: u64) -> Result<u32, ContentionError> {
    let known = u32::try_from(n).ok().filter(|n| (2..=MAX_STATIONS).contains(n));
    known.ok_or(ContentionError::Stations(n))
}

/// T, checked.
fn lost_time(slots: f64) -> Result<f64, ContentionError> {
    if slots.is_finite() && slots > 0.0 { Ok(slots) } else { Err(ContentionError::LostTime(slots)) }
}

#[cfg(test)]
mod tests;
