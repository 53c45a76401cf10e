// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `aarf`: adaptive auto rate fallback (M. Lacage, M. H. Manshaei, T. Turletti, "IEEE 802.11 rate adaptation: a
//! practical approach", MSWiM 2004). A step up after 10 attempts in succession that succeed; if the first one there
//! fails, a step back, and the next try needs twice as many, up to 60. Two that fail in
//! succession: a step down, and 10 are enough again.
//!
//! The paper stops at 50; 60 is the usual bound of simulators. An aggregate succeeds
//! if at least half of its MPDUs are acknowledged: the paper knows single frames.
//!
//! What it does not do: no timer (the paper's counts packets, not time).

use super::Outcome;

/// Attempts in succession that bring a step up: at first, and at most.
const NEEDED: u32 = 10;
const NEEDED_MOST: u32 = 60;
/// Failures in succession that bring a step down.
const FAILURES: u32 = 2;

pub(super) struct Aarf {
    /// Rates, the slowest first.
    steps: Vec<usize>,
    at: usize,
    /// In succession, since the last step.
    successes: u32,
    failures: u32,
    needed: u32,
    /// The next attempt is the first after a step up.
    trying: bool,
}

impl Aarf {
    pub(super) fn new(steps: Vec<usize>) -> Aarf {
        assert!(!steps.is_empty(), "at least one rate");
        Aarf { steps, at: 0, successes: 0, failures: 0, needed: NEEDED, trying: false }
    }

    #[inline]
    pub(super) fn choose(&self) -> usize {
        self.steps[self.at]
    }

    #[inline]
    pub(super) fn result(&mut self, outcome: &Outcome) {
        let tried = std::mem::take(&mut self.trying);
        if 2 * outcome.acked >= outcome.sent {
            self.failures = 0;
            self.successes += 1;
            if self.successes >= self.needed && self.at + 1 < self.steps.len() {
                self.step(self.at + 1);
                self.trying = true;
            }
        } else {
            self.successes = 0;
            self.failures += 1;
            if tried {
                self.needed = NEEDED_MOST.min(2 * self.needed);
                self.step(self.at - 1);
            } else if self.failures == FAILURES {
                self.needed = NEEDED;
                self.step(self.at.saturating_sub(1));
            }
        }
    }

    fn step(&mut self, to: usize) {
        (self.at, self.successes, self.failures) = (to, 0, 0);
    }
}
