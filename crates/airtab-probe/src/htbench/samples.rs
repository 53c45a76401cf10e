// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! V(t) of one connection, sampled densely at first and sparser later (Starzetz 6.3.2).
//!
//! The distance between two samples is a hundredth of the connection's age, within bounds: a fresh
//! connection, whose window still opens, is seen in detail, and a long one does not fill the disk.

/// Bounds for the distance of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// At first, ns.
    pub min_ns: u64,
    /// In the end, ns.
    pub max_ns: u64,
}

impl Default for Sampling {
    /// 1 ms and 50 ms: reached at ages of 0.1 s and 5 s.
    fn default() -> Sampling {
        Sampling { min_ns: 1_000_000, max_ns: 50_000_000 }
    }
}

/// Points of a curve that never falls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Samples {
    sampling: Sampling,
    points: Vec<(u64, u64)>,
    last_bytes: u64,
    next_ns: u64,
}

impl Samples {
    /// Begins with (0, 0).
    pub fn new(sampling: Sampling) -> Samples {
        // Enough for two minutes: no allocation while one measures, as a rule.
        let mut points = Vec::with_capacity(4096);
        points.push((0, 0));
        Samples { sampling, points, last_bytes: 0, next_ns: 0 }
    }

    /// When the next point is wanted, ns.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// At age `t_ns` the volume is `bytes`; kept if it is time for a point.
    pub fn offer(&mut self, t_ns: u64, bytes: u64) {
        if t_ns >= self.next_ns {
            self.keep(t_ns, bytes);
        }
        self.last_bytes = self.last_bytes.max(bytes);
    }

    /// As [`Self::offer`], and kept in any case: the last point.
    pub fn keep(&mut self, t_ns: u64, bytes: u64) {
        let (t_ns, bytes) = (t_ns.max(self.points[self.points.len() - 1].0), bytes.max(self.last_bytes));
        // Nothing had moved for long: a step, and not a slope from the last point.
        if t_ns >= self.next_ns + self.sampling.max_ns && bytes > self.last_bytes {
            self.points.push((t_ns, self.last_bytes));
        }
        self.points.push((t_ns, bytes));
        self.last_bytes = bytes;
        self.next_ns = t_ns + (t_ns / 100).clamp(self.sampling.min_ns, self.sampling.max_ns);
    }

    /// Age in ns and volume in bytes, neither ever falls; of points with the same age the last one holds
    /// from there on.
    pub fn points(&self) -> &[(u64, u64)] {
        &self.points
    }
}

/// Volume at `t_ns` of such points, bytes: on the line between two of them; that of the first before it,
/// that of the last after it.
pub fn volume_at(points: &[(u64, u64)], t_ns: u64) -> f64 {
    let after = points.partition_point(|p| p.0 <= t_ns);
    let bytes = |i: usize| points[i].1 as f64;
    match after {
        0 => points.first().map_or(0.0, |p| p.1 as f64),
        n if n == points.len() => bytes(n - 1),
        n => {
            let (from, to) = (points[n - 1].0, points[n].0);
            bytes(n - 1) + (bytes(n) - bytes(n - 1)) * (t_ns - from) as f64 / (to - from) as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtab_core::time::MS;

    #[test]
    fn dense_at_first_sparser_later() {
        let mut samples = Samples::new(Sampling::default());
        for us in 0..20_000_000u64 / 100 {
            samples.offer(us * 100_000, us * 10);
        }
        let gap = |at_ms: u64| {
            let i = samples.points().partition_point(|p| p.0 < at_ms * MS);
            samples.points()[i + 1].0 - samples.points()[i].0
        };
        assert_eq!((gap(10), gap(90)), (MS, MS));
        assert!((10 * MS..=11 * MS).contains(&gap(1000)), "{}", gap(1000));
        assert_eq!((gap(6000), gap(19_000)), (50 * MS, 50 * MS));
        assert!(samples.points().len() < 900, "{}", samples.points().len());
    }

    #[test]
    fn a_stall_is_a_step() {
        let mut samples = Samples::new(Sampling::default());
        samples.offer(2 * MS, 100);
        samples.offer(2 * MS + 1, 200);
        samples.offer(900 * MS, 300);
        assert_eq!(samples.points(), [(0, 0), (2 * MS, 100), (900 * MS, 200), (900 * MS, 300)]);
        assert_eq!(volume_at(samples.points(), 900 * MS - 1).round(), 200.0);
        assert_eq!(volume_at(samples.points(), 900 * MS), 300.0);
        assert_eq!(volume_at(samples.points(), u64::MAX), 300.0);
        assert_eq!(volume_at(samples.points(), MS), 50.0);
        assert_eq!(volume_at(&[], MS), 0.0);
    }

    #[test]
    fn the_curve_never_falls() {
        let mut samples = Samples::new(Sampling::default());
        samples.offer(5 * MS, 100);
        samples.keep(3 * MS, 50);
        assert_eq!(samples.points().last(), Some(&(5 * MS, 100)));
    }
}
