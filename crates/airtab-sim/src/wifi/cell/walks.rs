// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Stations that walk: their link changes with the distance, a step at a time.
//!
//! What it does not do: between two steps a station stands; what is on the air goes its way.

use super::*;
use crate::wifi::walk::Walk;

/// From one step to the next, ns: 10 cm of a pedestrian.
const STEP_NS: u64 = 100_000_000;

/// A station on its way.
pub(super) struct Walking {
    station: usize,
    speed: Speed,
    loss: Loss,
    walk: Walk,
    /// When the next step is due, ns.
    at_ns: u64,
}

impl Cell {
    /// A station with this speed and these losses, which are those of the start of its walk, walks: every 100 ms from
    /// then to its end its distance is that of the time.
    ///
    /// # Panics
    /// If its losses do not follow from a distance.
    pub fn set_walk(&mut self, station: usize, (speed, loss): (Speed, Loss), walk: Walk) {
        assert!(loss.at_distance(1.0).is_some(), "{loss:?} has no distance");
        let at_ns = next_step(&walk, walk.times().0);
        self.walks.push(Walking { station, speed, loss, walk, at_ns });
        self.set_alarm();
        self.look_ahead();
    }

    /// Time of the first planned event, ns: power save, a step of a walk, the end of an interval of the announcement.
    pub(super) fn next_plan(&self) -> u64 {
        let nap = self.naps.last().map_or(NEVER, |nap| nap.at_ns);
        let announcement = self.announcement.as_ref().map_or(NEVER, |own| own.until());
        self.walks.iter().map(|walking| walking.at_ns).min().unwrap_or(NEVER).min(nap).min(announcement)
    }

    /// The step that is due now. False: none is.
    pub(super) fn step(&mut self, now: u64) -> bool {
        let Some(walking) = self.walks.iter_mut().find(|walking| walking.at_ns == now) else { return false };
        let Walking { station, speed, loss, ref walk, .. } = *walking;
        let there = loss.at_distance(walk.at(now)).expect("it has a distance");
        walking.at_ns = next_step(walk, now);
        self.set_station(station, speed, there, now);
        self.set_alarm();
        true
    }
}

/// After one at that time.
fn next_step(walk: &Walk, now: u64) -> u64 {
    match walk.times().1 {
        end if now >= end => NEVER,
        end => (now + STEP_NS).min(end),
    }
}
