// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Draws as they come: how many of each, and what each has to do with those before.
//!
//! Memory does not grow with the number of draws.
//!
//! What it does not do: nothing is judged.

/// How far back a draw is held against earlier ones.
pub(super) const LAGS: usize = 64;
/// Draws are counted one by one up to so many windows.
const WINDOWS: usize = 4;
/// The largest window whose draws are followed, slots.
const LARGEST: usize = 256;
/// Attempts that are told apart; later ones count as the last.
const ATTEMPTS: usize = 8;
/// Bit lengths of draws that are told apart: up to 2047 slots.
const LENGTHS: usize = 12;

/// Draws of first attempts, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Draws {
    window: usize,
    counts: Vec<u64>,
    beyond: u64,
    /// How often the second draw followed the first, both below twice the window.
    pairs: Vec<u32>,
    /// The last draws without a break.
    recent: [u16; LAGS],
    run: usize,
    same: [u64; LAGS],
    compared: [u64; LAGS],
}

impl Draws {
    /// None yet, of a card that the standard gives `window` slots: `CWmin` + 1, from 2 to 256.
    ///
    /// # Panics
    /// If it gives fewer or more.
    pub fn new(window: u32) -> Draws {
        let window = window as usize;
        assert!((2..=LARGEST).contains(&window), "a window of {window} slots");
        Draws {
            window,
            counts: vec![0; WINDOWS * window],
            beyond: 0,
            pairs: vec![0; 4 * window * window],
            recent: [0; LAGS],
            run: 0,
            same: [0; LAGS],
            compared: [0; LAGS],
        }
    }

    /// The next draw, slots.
    pub fn push(&mut self, draw: u64) {
        let Some(count) = usize::try_from(draw).ok().and_then(|draw| self.counts.get_mut(draw)) else {
            self.beyond += 1;
            return self.pause();
        };
        *count += 1;
        let draw = draw as u16;
        for lag in 1..=self.run.min(LAGS) {
            let before = self.recent[(self.run - lag) % LAGS];
            self.compared[lag - 1] += 1;
            self.same[lag - 1] += u64::from(before == draw);
        }
        let side = 2 * self.window;
        let before = self.run.checked_sub(1).map(|last| usize::from(self.recent[last % LAGS]));
        if let Some(before) = before
            && before < side
            && usize::from(draw) < side
        {
            self.pairs[before * side + usize::from(draw)] += 1;
        }
        self.recent[self.run % LAGS] = draw;
        self.run += 1;
    }

    /// The next draw does not follow the last one: something was drawn or missed in between.
    pub fn pause(&mut self) {
        self.run = 0;
    }

    /// Draws so far.
    pub fn len(&self) -> u64 {
        self.beyond + self.counts.iter().sum::<u64>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Slots of the standard's window.
    pub fn window(&self) -> usize {
        self.window
    }

    /// How often each slot was drawn, up to four windows.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How often `second` followed `first`; 0 from two windows on.
    pub(super) fn pairs(&self, first: usize, second: usize) -> u64 {
        let side = 2 * self.window;
        if first < side && second < side { self.pairs[first * side + second].into() } else { 0 }
    }

    /// Of draws `lag` (from 1 to [`LAGS`]) apart: how many are the same, and how many there are.
    pub(super) fn same(&self, lag: usize) -> (u64, u64) {
        (self.same[lag - 1], self.compared[lag - 1])
    }
}

/// Draws after failures, by attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retries {
    /// By attempt, from the second, and by bit length of the draw.
    lengths: [[u64; LENGTHS]; ATTEMPTS],
    sums: [u64; ATTEMPTS],
    most: [u64; ATTEMPTS],
}

impl Retries {
    /// A draw before that attempt, the second or a later one.
    ///
    /// # Panics
    /// If it is the first.
    pub fn push(&mut self, attempt: u32, draw: u64) {
        assert!(attempt > 1, "attempt {attempt} is no repetition");
        let row = (attempt as usize - 2).min(ATTEMPTS - 1);
        let length = (u64::BITS - draw.leading_zeros()) as usize;
        self.lengths[row][length.min(LENGTHS - 1)] += 1;
        self.sums[row] += draw;
        self.most[row] = self.most[row].max(draw);
    }

    /// Attempt, draws, their mean and the largest, of each attempt that has some.
    pub fn attempts(&self) -> impl Iterator<Item = (u32, u64, f64, u64)> {
        (0..ATTEMPTS).filter_map(|row| {
            let n: u64 = self.lengths[row].iter().sum();
            (n > 0).then(|| (row as u32 + 2, n, self.sums[row] as f64 / n as f64, self.most[row]))
        })
    }

    /// Draws in the upper half of what a window that doubles from `window` (rounded up to a power of two) to
    /// `most` slots has at each attempt, and all draws. Half of them should be.
    pub(super) fn upper(&self, window: usize, most: usize) -> (u64, u64) {
        let (mut upper, mut all) = (0, 0);
        for (row, lengths) in self.lengths.iter().enumerate() {
            let doubled = (window.next_power_of_two() << (row + 1)).min(most.next_power_of_two());
            // 2^j slots: the upper half are the draws of j bits.
            let bits = doubled.trailing_zeros() as usize;
            upper += lengths.iter().skip(bits).sum::<u64>();
            all += lengths.iter().sum::<u64>();
        }
        (upper, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_within_a_run() {
        let mut draws = Draws::new(4);
        [0, 1, 2, 3, 0, 1].into_iter().for_each(|draw| draws.push(draw));
        draws.pause();
        draws.push(2);
        assert_eq!(draws.counts()[..4], [2, 2, 2, 1]);
        assert_eq!((draws.pairs(0, 1), draws.pairs(3, 0), draws.pairs(1, 2)), (2, 1, 1));
        assert_eq!((draws.same(4), draws.same(1)), ((2, 2), (0, 5)));
        draws.push(16);
        assert_eq!((draws.len(), draws.counts().len()), (8, 16));
        draws.push(3);
        assert_eq!(draws.pairs(2, 3), 1, "what is beyond breaks the run");
    }

    #[test]
    fn a_run_longer_than_it_remembers() {
        let mut draws = Draws::new(32);
        (0..1000).for_each(|i| draws.push(i % 32));
        for lag in 1..=LAGS {
            let expected = if lag % 32 == 0 { 1000 - lag as u64 } else { 0 };
            assert_eq!(draws.same(lag), (expected, 1000 - lag as u64), "{lag}");
        }
    }

    #[test]
    fn upper_halves_by_attempt() {
        let mut retries = Retries::default();
        for (attempt, draw) in [(2, 31), (2, 32), (2, 63), (3, 63), (3, 64), (9, 511), (9, 512), (20, 1023)] {
            retries.push(attempt, draw);
        }
        assert_eq!(retries.upper(32, 1024), (5, 8));
        // Half the window: 31 is in the upper half of 32 slots, 63 in that of 64.
        assert_eq!(retries.upper(16, 1024), (7, 8));
        let rows: Vec<_> = retries.attempts().collect();
        assert_eq!(rows, [(2, 3, 42.0, 63), (3, 2, 63.5, 64), (9, 3, 682.0, 1023)]);
    }
}
