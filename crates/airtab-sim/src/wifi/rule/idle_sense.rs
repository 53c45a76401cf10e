// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Idle Sense's window: Heusse, Rousseau, Guillier, Duda, "Idle Sense: an optimal access method for high throughput
//! and fairness in rate diverse wireless LANs" (SIGCOMM 2005), as Starzetz 2006, 8.2 compares with it. It is
//! fixed, or each contender finds it from the idle slots that it counts: after every fifth busy period its attempt
//! probability is raised by a constant or cut by a factor.
//!
//! What it does not do: the target is not worked out from the profile.

use crate::wifi::access::{Contest, IdleWindow};

/// Busy periods after which the window is looked at.
const LOOK: u64 = 5;
/// 1 / alpha of the paper, and its epsilon.
const GROWTH: f64 = 1.0666;
const STEP: f64 = 0.001;
/// Where what is found ends, slots: nobody contends; as many as a cell may have.
const RANGE: [f64; 2] = [2.0, 65_536.0];

/// A window, and what was heard since it was set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::wifi) struct IdleSense {
    /// Draws are below it, slots.
    pub(in crate::wifi) window: f64,
    /// Idle slots to aim at; None: the window is fixed.
    target: Option<f64>,
    heard: u64,
    idle: u64,
}

impl IdleSense {
    pub(super) fn new(window: IdleWindow, contest: &Contest) -> IdleSense {
        let (window, target) = match window {
            IdleWindow::Optimum => (2.0 / contest.attempt_probability() - 1.0, None),
            IdleWindow::Fixed(window) => (window, None),
            IdleWindow::Adapt(target) => {
                (f64::from(contest.windows(Default::default())[0] + 1), Some(target))
            }
        };
        IdleSense { window, target, heard: 0, idle: 0 }
    }

    /// Whether it listens.
    pub(super) fn adapts(&self) -> bool {
        self.target.is_some()
    }

    /// A busy period begins after so many idle slots.
    pub(super) fn hear(&mut self, idle: u64) {
        let Some(target) = self.target else { return };
        (self.heard, self.idle) = (self.heard + 1, self.idle + idle);
        if self.heard == LOOK {
            let window = match (self.idle as f64) < target * LOOK as f64 {
                true => GROWTH * self.window,
                false => 2.0 * self.window / (2.0 + STEP * self.window),
            };
            self.window = window.clamp(RANGE[0], RANGE[1]);
            (self.heard, self.idle) = (0, 0);
        }
    }
}
