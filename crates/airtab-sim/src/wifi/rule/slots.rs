// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Draws by any law of slots, by inverting its distribution: Starzetz 2006, 8.2 (generic PDF), 8.3 (one for each
//! class), and the defective cards of 6.4.1. A window that doubles is the law again and again: of equal weights
//! that is DCF.
//!
//! What it does not do: laws of infinitely many slots (`Geometric` is one).

use crate::engine::Stream;
use crate::wifi::access::SlotLaw;

/// A law, and where a card is with it.
#[derive(Clone, Debug)]
pub(in crate::wifi) struct Slots {
    /// Probability of a slot up to each; the last one is 1.
    up_to: Vec<f64>,
    /// Failures in a row that count, and the most of them.
    stage: u32,
    most: u32,
    /// Slots that were counted, of a card that draws none; None before the first.
    counter: Option<Option<u64>>,
    pub(super) residual: bool,
}

impl Slots {
    /// `largest`: draw of a window that has doubled to its end.
    pub(super) fn new(law: &SlotLaw, largest: u32) -> Slots {
        let total: f64 = law.weights.iter().sum();
        let mut sum = 0.0;
        let up_to = law.weights.iter().map(|weight| {
            sum += weight;
            sum / total
        });
        let copies = (u64::from(largest) + 1) / law.weights.len() as u64;
        Slots {
            up_to: up_to.collect(),
            stage: 0,
            most: if law.doubles { copies.max(1).ilog2() } else { 0 },
            counter: law.counter.then_some(None),
            residual: law.residual,
        }
    }

    pub(super) fn draw(&mut self, random: &mut Stream) -> u64 {
        let slots = self.up_to.len() as u64;
        let window = slots << self.stage;
        if let Some(counted) = self.counter {
            let mut next = counted.map_or_else(|| random.below(window), |counted| (counted + 1) % window);
            while !self.has((next % slots) as usize) {
                next = (next + 1) % window;
            }
            self.counter = Some(Some(next));
            return next;
        }
        let below = random.unit();
        let slot = self.up_to.partition_point(|up_to| *up_to <= below) as u64;
        match self.stage {
            0 => slot,
            stage => slot + slots * u64::from(random.masked((1 << stage) - 1)),
        }
    }

    pub(super) fn failed(&mut self) {
        self.stage = (self.stage + 1).min(self.most);
    }

    pub(super) fn done(&mut self) {
        self.stage = 0;
    }

    /// Whether a slot can be drawn at all.
    fn has(&self, slot: usize) -> bool {
        self.up_to[slot] > slot.checked_sub(1).map_or(0.0, |before| self.up_to[before])
    }
}
