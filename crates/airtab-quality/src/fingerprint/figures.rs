// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What draws come to: masses of the slots, and how one draw follows from another.
//!
//! Source: Starzetz 2006, 6.4.1 (masses, missing slots, greatest over least, chi-squared). Of the order of draws
//! it says only that it has to be tested; steps and repetitions are derived: of independent draws every step
//! modulo the window is as likely as the masses make it, and so is every repetition.
//!
//! What it does not do: nothing is judged (`judge`).

use super::draws::{Draws, LAGS};
use super::significance::{ALLOWED, at_least_p, chi_squared, chi_squared_p, correlation_p};

/// A slot with less than this part of its due is missing (Starzetz 2006, 6.4.1).
const MISSING: f64 = 0.25;
/// A window that ends below this part of the standard's is a smaller window; above, its last slots are missing.
const SMALLER: f64 = 0.75;

/// The least count of a slot that is there, where `n` draws have `window` slots.
pub(super) fn least(n: u64, window: usize) -> f64 {
    (MISSING * n as f64 / window as f64).max(1.0)
}

/// Figures of a card's draws.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Draws of first attempts.
    pub n: u64,
    /// Slots of the window that they show.
    pub window: usize,
    /// Those of the standard's.
    pub standard: usize,
    /// Share of the draws that are beyond the window.
    pub beyond: f64,
    /// Share of each slot in the draws within.
    pub masses: Vec<f64>,
    /// Slots with less than a quarter of their due.
    pub missing: Vec<usize>,
    /// Greatest mass over the least; `None` if that is 0.
    pub ratio: Option<f64>,
    /// Chi-squared of all masses against equal ones.
    pub chi_squared: f64,
    /// Its degrees of freedom.
    pub freedom: usize,
    /// Chance of that, or of more, with the allowance for noise.
    pub p: f64,
    /// The same of those slots alone that are not missing.
    pub p_present: f64,
    /// Serial correlation of draws that follow each other; `None` if there are none, or all are equal.
    pub correlation: Option<f64>,
    /// Pairs of draws that follow each other.
    pub pairs: u64,
    /// Chance of such a correlation, or of one farther from 0.
    pub p_correlation: f64,
    /// The commonest difference of a draw from the one before, modulo the window, and its share of the pairs.
    pub step: Option<(usize, f64)>,
    /// Chance of differences at least as uneven.
    pub p_steps: f64,
    /// How far apart draws are most often the same (2 to 64 draws), and the share of those that are.
    pub repeat: Option<(usize, f64)>,
    /// Chance of that in any of the distances.
    pub p_repeat: f64,
}

impl Figures {
    /// Of draws so far; `None` without draws in the standard's window or its neighbourhood.
    pub fn of(draws: &Draws) -> Option<Figures> {
        let standard = draws.window();
        let window = window(draws.counts(), standard)?;
        let counts = &draws.counts()[..window];
        let within: u64 = counts.iter().sum();
        let n = within as f64;
        let masses: Vec<f64> = counts.iter().map(|&count| count as f64 / n).collect();
        let floor = least(within, window);
        let missing: Vec<usize> = (0..window).filter(|&slot| (counts[slot] as f64) < floor).collect();
        let smallest = masses.iter().copied().fold(1.0, f64::min);
        let largest = masses.iter().copied().fold(0.0, f64::max);
        let sum = |expected: f64, slots: &mut dyn Iterator<Item = usize>| {
            chi_squared(slots.map(|slot| (counts[slot] as f64, expected)))
        };
        let all = sum(n / window as f64, &mut (0..window));
        let mut present = (0..window).filter(|slot| !missing.contains(slot));
        let present_n: u64 = present.clone().map(|slot| counts[slot]).sum();
        let there = window - missing.len();
        let rest = sum(present_n as f64 / there as f64, &mut present);
        let mut figures = Figures {
            n: draws.len(),
            window,
            standard,
            beyond: (draws.len() - within) as f64 / draws.len() as f64,
            masses,
            ratio: (smallest > 0.0).then(|| largest / smallest),
            chi_squared: all,
            freedom: window - 1,
            p: chi_squared_p(all, window - 1, n),
            p_present: chi_squared_p(rest, there - 1, present_n as f64),
            missing,
            correlation: None,
            pairs: 0,
            p_correlation: 1.0,
            step: None,
            p_steps: 1.0,
            repeat: None,
            p_repeat: 1.0,
        };
        figures.follow(draws);
        figures.repeat(draws);
        Some(figures)
    }

    /// How a draw follows from the one before.
    fn follow(&mut self, draws: &Draws) {
        let window = self.window;
        let (mut n, mut x, mut y, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        let mut steps = vec![0u64; window];
        for first in 0..window {
            for second in 0..window {
                let count = draws.pairs(first, second);
                let (w, a, b) = (count as f64, first as f64, second as f64);
                (n, x, y, xx, yy, xy) =
                    (n + w, x + w * a, y + w * b, xx + w * a * a, yy + w * b * b, xy + w * a * b);
                steps[(second + window - first) % window] += count;
            }
        }
        self.pairs = steps.iter().sum();
        let spread = (n * xx - x * x) * (n * yy - y * y);
        self.correlation = (spread > 0.0).then(|| (n * xy - x * y) / libm::sqrt(spread));
        self.p_correlation = self.correlation.map_or(1.0, |r| correlation_p(r, n));
        self.step = (0..window)
            .max_by_key(|&step| (steps[step], window - step))
            .filter(|_| n > 0.0)
            .map(|step| (step, steps[step] as f64 / n));
        let due = |step: usize| {
            n * (0..window).map(|slot| self.masses[slot] * self.masses[(slot + step) % window]).sum::<f64>()
        };
        let sum = chi_squared((0..window).map(|step| (steps[step] as f64, due(step))));
        self.p_steps = if n > 0.0 { chi_squared_p(sum, window - 1, n) } else { 1.0 };
    }

    /// How often draws are the same as earlier ones.
    fn repeat(&mut self, draws: &Draws) {
        let due = self.masses.iter().map(|mass| mass * mass).sum::<f64>() * (1.0 + ALLOWED);
        let excess = |lag: &usize| {
            let (same, n) = draws.same(*lag);
            (same as f64 - due * n as f64) / (n as f64).sqrt()
        };
        let compared = (2..=LAGS).filter(|&lag| draws.same(lag).1 > 0);
        let Some(lag) = compared.max_by(|a, b| excess(a).total_cmp(&excess(b))) else { return };
        let (same, n) = draws.same(lag);
        let (p, share) = (at_least_p(same, n, due), same as f64 / n as f64);
        self.repeat = Some((lag, share));
        self.p_repeat = (p * (LAGS - 1) as f64).min(1.0);
    }
}

/// Slots of the window that draws show: the standard's, unless they reach beyond it or end far below.
fn window(counts: &[u64], standard: usize) -> Option<usize> {
    let floor = least(counts.iter().sum(), standard);
    let end = counts.iter().rposition(|&count| count as f64 >= floor)? + 1;
    let smaller = (end as f64) <= SMALLER * standard as f64;
    Some(if end > standard || smaller { end.max(2) } else { standard })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(standard: u32, draws: impl Iterator<Item = u64>) -> Figures {
        let mut all = Draws::new(standard);
        draws.for_each(|draw| all.push(draw));
        Figures::of(&all).expect("there are draws")
    }

    /// By hand: 30, 10, 20, 20 of four slots: 2 * 10^2 / 20 = 10.
    #[test]
    fn masses_by_hand() {
        let counts = [30, 10, 20, 20];
        let draws = counts.iter().enumerate().flat_map(|(slot, n)| vec![slot as u64; *n]);
        let f = of(4, draws);
        assert_eq!((f.n, f.window, f.missing.len(), f.freedom), (80, 4, 0, 3));
        assert_eq!(f.masses, [0.375, 0.125, 0.25, 0.25]);
        assert_eq!((f.ratio, f.chi_squared), (Some(3.0), 10.0));
        assert_eq!(f.pairs, 79);
        assert_eq!(f.step.unwrap().0, 0);
    }

    #[test]
    fn a_counter_steps_by_one_and_repeats() {
        let f = of(32, (0..3200).map(|i| i % 32));
        assert_eq!((f.chi_squared, f.p, f.ratio), (0.0, 1.0, Some(1.0)));
        assert_eq!((f.step, f.repeat), (Some((1, 1.0)), Some((32, 1.0))));
        assert!(f.p_steps < 1e-12 && f.p_repeat < 1e-12 && f.p_correlation < 1e-12);
        // Pearson's r of (i, i + 1 mod 32): 1 - 96/341 but for the pair that the end leaves out.
        assert!((f.correlation.unwrap() - (1.0 - 6.0 * 31.0 / (32.0 * 32.0 - 1.0))).abs() < 2e-3);
    }

    #[test]
    fn windows_that_are_not_the_standards() {
        for (slots, window) in [(16, 16), (24, 24), (28, 32), (32, 32), (64, 64)] {
            assert_eq!(of(32, (0..6400).map(|i| i % slots)).window, window, "{slots}");
        }
        let f = of(32, (0..2800).map(|i| i % 28));
        assert_eq!(f.missing, [28, 29, 30, 31]);
        assert!(f.p < 1e-12 && f.p_present == 1.0);
    }

    #[test]
    fn no_draws_have_no_figures() {
        assert_eq!(Figures::of(&Draws::new(16)), None);
        let mut far = Draws::new(16);
        far.push(1000);
        assert_eq!(Figures::of(&far), None);
    }
}
