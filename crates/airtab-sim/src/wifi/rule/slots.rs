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
    /// Of as many equal parts of the unit interval the first slot that a number in it can mean (Chen and Asau, JACM 21(4),
    /// 1974), so that a draw looks at two of them on the mean, however many there are.
    guide: Vec<u16>,
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
        let up_to: Vec<f64> = up_to.collect();
        let parts = up_to.len();
        let guide = (0..parts).map(|part| {
            let begin = part as f64 / parts as f64;
            up_to.partition_point(|up_to| *up_to <= begin) as u16 // at most 1024 weights
        });
        let copies = (u64::from(largest) + 1) / law.weights.len() as u64;
        Slots {
            guide: guide.collect(),
            up_to,
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
        let slot = self.slot_of(random.unit()) as u64;
        match self.stage {
            0 => slot,
            stage => slot + slots * u64::from(random.masked((1 << stage) - 1)),
        }
    }

    /// The first slot up to which the probability is above `below`, which is less than 1.
    fn slot_of(&self, below: f64) -> usize {
        let mut slot = usize::from(self.guide[(below * self.guide.len() as f64) as usize]);
        // The product may have been rounded up into the next part.
        while slot > 0 && self.up_to[slot - 1] > below {
            slot -= 1;
        }
        while self.up_to[slot] <= below {
            slot += 1;
        }
        slot
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that mean another slot than the next lower ones, those around them, and a fine grid: as the definition has it.
    #[test]
    fn a_draw_inverts_the_distribution() {
        let laws: [Vec<f64>; 5] = [
            vec![1.0; 32],
            vec![0.0, 0.0, 1.0, 0.0, 1e-12, 3.0, 0.0],
            (1..=1024).rev().map(f64::from).collect(),
            vec![5.0],
            vec![1e12, 0.0, 0.0, 0.0, 1.0],
        ];
        for weights in laws {
            let law = SlotLaw { weights, residual: true, doubles: false, counter: false };
            let slots = Slots::new(&law, 1023);
            let grid = (0..10_000).map(|i| f64::from(i) / 1e4);
            let edges = slots.up_to.iter().flat_map(|x| [x.next_down(), *x, x.next_up()]);
            for below in grid.chain(edges).filter(|x| (0.0..1.0).contains(x)) {
                let slot = slots.up_to.partition_point(|up_to| *up_to <= below);
                assert_eq!(slots.slot_of(below), slot, "{below} of {law:?}");
                assert!(law.weights[slot] > 0.0);
            }
        }
    }
}
