// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Draws by any law of slots, by inverting its distribution: Starzetz 2006, 8.2 (generic PDF), 8.3 (one for each
//! class), and the defective cards of 6.4.1. A window that doubles is the law again and again: of equal weights
//! that is DCF. Contenders of one law share its table: fifty of their own would not stay in a processor's nearest cache.
//!
//! What it does not do: laws of infinitely many slots; of `Geometric` it has those that come nearly always.

use std::sync::Arc;

use crate::engine::Stream;
use crate::wifi::access::SlotLaw;

/// Slots of a geometric law that are in its table, at most.
const MOST_GEOMETRIC: usize = 1024;
/// Parts of the unit interval for each slot: how often a draw goes on from the first one is what a processor cannot foresee.
const PARTS: usize = 4;

/// A distribution that is to be inverted.
#[derive(Debug, PartialEq)]
pub(in crate::wifi) struct Table {
    /// Probability of a slot up to each.
    up_to: Vec<f64>,
    /// Of as many equal parts of the unit interval the first slot that a number in it can mean (Chen and Asau, JACM 21(4),
    /// 1974), so that a draw goes on from it a quarter of a slot on the mean, however many there are.
    guide: Vec<u16>,
}

impl Table {
    fn new(up_to: Vec<f64>) -> Table {
        let parts = PARTS * up_to.len();
        let guide = (0..parts).map(|part| {
            let begin = part as f64 / parts as f64;
            up_to.partition_point(|up_to| *up_to <= begin) as u16 // at most 1024 of them
        });
        Table { guide: guide.collect(), up_to }
    }

    /// As likely in every slot as in the one before; slots that come less often than once in a thousand draws are not in it.
    pub(super) fn geometric(hazard: f64) -> Table {
        let up_to = (1..=MOST_GEOMETRIC).map(|slots| -libm::expm1(slots as f64 * libm::log1p(-hazard)));
        let mut rare = false;
        Table::new(up_to.take_while(|up_to| !std::mem::replace(&mut rare, *up_to > 0.999)).collect())
    }

    /// The first slot up to which the probability is above `below`, which is less than 1; None: it is not in the table.
    #[inline]
    pub(super) fn slot_of(&self, below: f64) -> Option<usize> {
        let mut slot = usize::from(self.guide[(below * self.guide.len() as f64) as usize]);
        // The product may have been rounded up into the next part.
        while slot > 0 && self.up_to[slot - 1] > below {
            slot -= 1;
        }
        while *self.up_to.get(slot)? <= below {
            slot += 1;
        }
        Some(slot)
    }
}

/// A law, and where a card is with it.
#[derive(Clone, Debug)]
pub(in crate::wifi) struct Slots {
    /// Its last probability is 1.
    pub(super) table: Arc<Table>,
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
        let table = Arc::new(Table::new(up_to.collect()));
        let copies = (u64::from(largest) + 1) / law.weights.len() as u64;
        Slots {
            table,
            stage: 0,
            most: if law.doubles { copies.max(1).ilog2() } else { 0 },
            counter: law.counter.then_some(None),
            residual: law.residual,
        }
    }

    pub(super) fn draw(&mut self, random: &mut Stream) -> u64 {
        let slots = self.table.up_to.len() as u64;
        let window = slots << self.stage;
        if let Some(counted) = self.counter {
            let mut next = counted.map_or_else(|| random.below(window), |counted| (counted + 1) % window);
            while !self.has((next % slots) as usize) {
                next = (next + 1) % window;
            }
            self.counter = Some(Some(next));
            return next;
        }
        let slot = self.table.slot_of(random.unit()).expect("the last probability is 1") as u64;
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
        let up_to = &self.table.up_to;
        up_to[slot] > slot.checked_sub(1).map_or(0.0, |before| up_to[before])
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
            let up_to = &slots.table.up_to;
            let edges = up_to.iter().flat_map(|x| [x.next_down(), *x, x.next_up()]);
            for below in grid.chain(edges).filter(|x| (0.0..1.0).contains(x)) {
                let slot = up_to.partition_point(|up_to| *up_to <= below);
                assert_eq!(slots.table.slot_of(below), Some(slot), "{below} of {law:?}");
                assert!(law.weights[slot] > 0.0);
            }
        }
    }

    /// The table and the logarithm that stands for it beyond its end say the same.
    #[test]
    fn a_geometric_law_is_its_logarithm() {
        for hazard in [0.9, 0.3, 0.0324, 0.00324, 1e-6] {
            let table = Table::geometric(hazard);
            let mut beyond = 0;
            for i in 0..100_000 {
                let below = (f64::from(i) + 0.5) / 1e5;
                let slot = (libm::log1p(-below) / libm::log1p(-hazard)) as usize;
                match table.slot_of(below) {
                    Some(found) => assert_eq!(found, slot, "{below}, hazard {hazard}"),
                    None => beyond += 1,
                }
            }
            assert!(beyond <= 100 || table.up_to.len() == MOST_GEOMETRIC, "{beyond} beyond, hazard {hazard}");
        }
    }
}
