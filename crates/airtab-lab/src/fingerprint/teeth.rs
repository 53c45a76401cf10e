// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A histogram of times in quarters of slots, which becomes one in slots when the comb's phase is known.

/// Parts of a slot.
const PARTS: i64 = 4;

/// Times from `from` slots on, in quarters of slots.
#[derive(Clone, Debug)]
pub(super) struct Teeth {
    slot_ns: i64,
    from: i64,
    counts: Vec<u64>,
    n: u64,
}

impl Teeth {
    /// Of `slots` slots.
    pub(super) fn new(slot_ns: u64, from: i64, slots: usize) -> Teeth {
        Teeth { slot_ns: slot_ns as i64, from, counts: vec![0; slots * PARTS as usize], n: 0 }
    }

    /// One more; what is outside counts in the number alone.
    pub(super) fn add(&mut self, ns: i64) {
        self.n += 1;
        let part = (ns * PARTS).div_euclid(self.slot_ns) - self.from * PARTS;
        if let Some(count) = usize::try_from(part).ok().and_then(|part| self.counts.get_mut(part)) {
            *count += 1;
        }
    }

    /// How many lie on each tooth, the first of which is at `from` slots, and `phase` ns beyond.
    pub(super) fn counts(&self, phase: i64) -> Vec<u64> {
        let mut teeth = vec![0; self.counts.len() / PARTS as usize];
        for (part, count) in self.counts.iter().enumerate() {
            // The middle of that part.
            let ns = (2 * part as i64 + 1) * self.slot_ns / (2 * PARTS) - phase;
            let tooth = (ns + self.slot_ns / 2).div_euclid(self.slot_ns);
            if let Some(sum) = usize::try_from(tooth).ok().and_then(|tooth| teeth.get_mut(tooth)) {
                *sum += count;
            }
        }
        teeth
    }

    /// The first tooth that is no noise, slots.
    pub(super) fn lowest(&self, phase: i64) -> Option<i64> {
        let least = (self.n / 500).max(3);
        let first = self.counts(phase).iter().position(|&count| count >= least)?;
        Some(self.from + first as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teeth_where_they_are() {
        for phase in [-9_000, -300, 0, 400, 7_270, 9_000] {
            let mut teeth = Teeth::new(20_000, -2, 40);
            for slot in 1..32 {
                (0..50).for_each(|noise| teeth.add(slot * 20_000 + phase + (noise - 25) * 40));
            }
            teeth.add(10_000_000);
            let counts = teeth.counts(phase);
            assert_eq!((counts[2], counts[3], counts[33], counts[34]), (0, 50, 50, 0), "{phase}");
            assert_eq!((teeth.lowest(phase), teeth.n), (Some(1), 31 * 50 + 1));
        }
    }

    /// Three, and one in 500 of all, are no noise.
    #[test]
    fn a_tooth_is_no_noise() {
        let lowest = |early: u32, others: u32| {
            let mut teeth = Teeth::new(20_000, -2, 40);
            (0..early).for_each(|_| teeth.add(-20_000));
            (0..others).for_each(|_| teeth.add(100_000));
            teeth.lowest(0)
        };
        assert_eq!(
            [lowest(2, 100), lowest(3, 100), lowest(9, 4991), lowest(10, 4990)],
            [5, -1, 5, -1].map(Some)
        );
        assert_eq!(lowest(2, 0), None);
    }
}
