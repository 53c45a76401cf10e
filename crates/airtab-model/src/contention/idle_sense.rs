// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Idle Sense: every station aims at the window that is best for many (M. Heusse, F. Rousseau, R. Guillier, A. Duda,
//! SIGCOMM 2005; Starzetz 2006, 8.2 takes its optimum as a fixed window).
//!
//! With many stations, zeta = N P_e attempts a slot are best where 1 - zeta = eta e^-zeta, eta = 1 - slot / T_c, T_c
//! being what a collision takes. Then there are n* = 1 / (e^zeta - 1) idle slots between two transmissions, and a
//! uniform window with residual backoff that attempts so often is 2 N / zeta - 1.
//!
//! What it does not do: no classes of stations, no rates.

use super::{ContentionError, lost_time, stations};

/// T_c of 802.11b in slots: what the paper takes for 1500 bytes at 11 Mb/s.
pub const COLLISION_SLOTS: f64 = 68.2;

/// zeta: the best number of attempts in a slot, where a collision takes `collision` slots.
///
/// # Errors
/// A time of a slot or less, or no number.
pub fn attempts(collision: f64) -> Result<f64, ContentionError> {
    let collision = lost_time(collision)?;
    if collision <= 1.0 {
        return Err(ContentionError::LostTime(collision));
    }
    let eta = 1.0 - 1.0 / collision;
    // 1 - zeta falls faster than eta e^-zeta from 1 > eta on: one crossing.
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let zeta = f64::midpoint(low, high);
        if zeta <= low || zeta >= high {
            return Ok(low);
        }
        if 1.0 - zeta > eta * libm::exp(-zeta) { low = zeta } else { high = zeta }
    }
}

/// n*: idle slots between two transmissions at `zeta` attempts a slot.
pub fn idle_slots(zeta: f64) -> f64 {
    1.0 / libm::expm1(zeta)
}

/// The window of `n` stations that make `zeta` attempts a slot, slots.
///
/// # Errors
/// Fewer than 2 stations, or too many.
pub fn window(zeta: f64, n: u64) -> Result<f64, ContentionError> {
    Ok(2.0 * f64::from(stations(n)?) / zeta - 1.0)
}

/// The control loop: after [`Control::EVENTS`] transmissions that a station saw, the window grows by a part if there
/// were fewer idle slots than n*, else its inverse grows by a constant.
///
/// The constants are the paper's as it is quoted; the thesis does not simulate the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// n*.
    target: f64,
    events: u32,
    idle: u64,
}

impl Control {
    /// Transmissions between two changes.
    pub const EVENTS: u32 = 5;
    /// Growth where there were too few idle slots.
    const GROWTH: f64 = 1.0666;
    /// What is added to 2 / window where there were too many.
    const STEP: f64 = 0.001;

    /// One that aims at `target` idle slots between two transmissions.
    pub fn new(target: f64) -> Control {
        Control { target, events: 0, idle: 0 }
    }

    /// A transmission, or a collision, after `idle` slots; the new window, if it changes.
    pub fn observe(&mut self, idle: u64, window: f64) -> Option<f64> {
        (self.events, self.idle) = (self.events + 1, self.idle + idle);
        if self.events < Control::EVENTS {
            return None;
        }
        let mean = self.idle as f64 / f64::from(self.events);
        (self.events, self.idle) = (0, 0);
        Some(match mean < self.target {
            true => Control::GROWTH * window,
            false => 2.0 * window / (2.0 + Control::STEP * window),
        })
    }
}
