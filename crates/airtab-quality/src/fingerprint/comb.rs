// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The comb of a histogram of gaps: its phase and contrast, the straight line through its teeth, and where it
//! begins (Starzetz 2006, 6.4.1).
//!
//! The phase is a circular mean, so that no bin is chosen and half a slot of noise on either side is the
//! same; the thesis reads it off a plot.
//!
//! What it does not do: the length of a slot is not searched for, but measured once it is nearly known.

use std::f64::consts::TAU;

/// Where times lie within a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phase {
    n: u64,
    cos: f64,
    sin: f64,
}

impl Phase {
    /// One more time, ns, where slots last `slot_ns`.
    pub fn add(&mut self, time_ns: i64, slot_ns: u64) {
        let angle = TAU * time_ns.rem_euclid(slot_ns as i64) as f64 / slot_ns as f64;
        self.n += 1;
        self.cos += libm::cos(angle);
        self.sin += libm::sin(angle);
    }

    /// How far the teeth lie beyond whole slots, ns, from minus half a slot to half a slot; 0 of nothing.
    pub fn ns(&self, slot_ns: u64) -> i64 {
        libm::round(libm::atan2(self.sin, self.cos) / TAU * slot_ns as f64) as i64
    }

    /// How sharp the comb is: 1 if all times lie on its teeth, about 1/sqrt(n) if they lie anywhere.
    pub fn contrast(&self) -> Option<f64> {
        (self.n > 0).then(|| libm::sqrt(self.cos * self.cos + self.sin * self.sin) / self.n as f64)
    }
}

/// The straight line through gaps over their slots, by least squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    n: f64,
    slots: f64,
    ns: f64,
    squares: f64,
    products: f64,
}

impl Line {
    /// A gap of so many slots, and of so many ns.
    pub fn add(&mut self, slots: i64, ns: i64) {
        let (x, y) = (slots as f64, ns as f64);
        self.n += 1.0;
        self.slots += x;
        self.ns += y;
        self.squares += x * x;
        self.products += x * y;
    }

    /// Gap of no slot, and length of a slot, ns; `None` if all gaps have the same number of slots.
    pub fn base_and_slot_ns(&self) -> Option<(f64, f64)> {
        let spread = self.n * self.squares - self.slots * self.slots;
        (spread > 0.0).then(|| {
            let slot = (self.n * self.products - self.slots * self.ns) / spread;
            ((self.ns - slot * self.slots) / self.n, slot)
        })
    }
}

/// Which tooth of `counts` is the first of a window of so many slots: the window with the most gaps on teeth
/// that are no noise, and of several such the one that begins with a tooth. `None` without such a tooth.
pub fn first_tooth(counts: &[u64], window: usize) -> Option<usize> {
    let floor = super::figures::least(counts.iter().sum(), window);
    let kept: Vec<u64> = counts.iter().map(|&n| if n as f64 >= floor { n } else { 0 }).collect();
    let mass = |first: usize| kept[first..].iter().take(window).sum::<u64>();
    (0..kept.len()).filter(|&first| kept[first] > 0).max_by_key(|&first| (mass(first), first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phase_and_contrast() {
        let mut phase = Phase::default();
        assert_eq!((phase.ns(20_000), phase.contrast()), (0, None));
        for k in 0..32 {
            phase.add(1_347_270 + 20_000 * k, 20_000);
        }
        assert_eq!(phase.ns(20_000), 7_270);
        assert!((phase.contrast().unwrap() - 1.0).abs() < 1e-12);
        // Before zero, and on both sides of it.
        let mut phase = Phase::default();
        [-20_500, 500, 39_000, 1_000].into_iter().for_each(|ns| phase.add(ns, 20_000));
        assert_eq!(phase.ns(20_000), 0);
        // Anywhere: 20 000 times, a nanosecond apart.
        let mut phase = Phase::default();
        (0..20_000).for_each(|ns| phase.add(ns, 20_000));
        assert!(phase.contrast().unwrap() < 1e-9);
    }

    #[test]
    fn a_line_through_teeth() {
        let mut line = Line::default();
        line.add(3, 1_407_270);
        assert_eq!(line.base_and_slot_ns(), None);
        (0..32).for_each(|k| line.add(k, 1_347_270 + 20_000 * k));
        let (base, slot) = line.base_and_slot_ns().unwrap();
        assert!((base - 1_347_270.0).abs() < 1e-6 && (slot - 20_000.0).abs() < 1e-6, "{base} {slot}");
    }

    #[test]
    fn the_window_begins_with_a_tooth() {
        let mut counts = vec![0; 100];
        counts[40..72].fill(50);
        assert_eq!(first_tooth(&counts, 32), Some(40));
        // Noise does not move it, nor does half a window.
        (counts[3], counts[75]) = (2, 1);
        assert_eq!(first_tooth(&counts, 32), Some(40));
        counts[56..72].fill(0);
        assert_eq!(first_tooth(&counts, 32), Some(40));
        assert_eq!(first_tooth(&[0; 5], 32), None);
    }
}
