// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Rounds of seeds: how many a point has at first, and how many after each further round.
//!
//! What it does not do: whether a point needs another round is somebody else's to say.

/// Rounds of `first`, twice as many, four times, ... `most` seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Seeds of the first.
    pub first: usize,
    /// Seeds of the last.
    pub most: usize,
}

impl Rounds {
    /// One round, of so many seeds.
    pub fn one(seeds: usize) -> Rounds {
        Rounds { first: seeds, most: seeds }
    }

    /// Seeds of the round after the one of so many; None if that was the last.
    pub fn after(&self, seeds: usize) -> Option<usize> {
        (seeds < self.most).then(|| (2 * seeds).min(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_double_up_to_the_most() {
        let all = |first, most| {
            let rounds = Rounds { first, most };
            std::iter::successors(Some(first), |seeds| rounds.after(*seeds)).collect::<Vec<_>>()
        };
        assert_eq!(all(10, 320), [10, 20, 40, 80, 160, 320]);
        assert_eq!(all(10, 50), [10, 20, 40, 50], "the last is cut");
        assert_eq!(all(3, 3), [3]);
        assert_eq!(Rounds::one(7).after(7), None);
    }
}
