// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How well a driver keeps to the wall clock: what becomes of each packet's delay
//! and of the thread's time, second by second and over the run.
//!
//! What it does not do: no clock is read here.

use crate::flows::Spread;
use crate::snapshot::Pace;

/// Counts what a [`Pace`] shows.
#[derive(Default)]
pub(crate) struct Pacing {
    late: Spread,
    late_max_ns: u64,
    behind: u64,
    cpu_ns: u64,
}

impl Pacing {
    /// A packet was handed over so long after its time, ns.
    pub(crate) fn handed_over(&mut self, late_ns: u64) {
        self.late.record(late_ns);
        self.late_max_ns = self.late_max_ns.max(late_ns);
        self.behind += u64::from(late_ns as f64 * 1e-9 > Pace::BEHIND_S);
    }

    /// The figures of the interval that ends, `interval_s` long. `cpu_ns`: what the
    /// thread has used of the processor since it began; `overflowed`: packets that
    /// found a device's queue full, whole run.
    pub(crate) fn take(&mut self, cpu_ns: u64, interval_s: f64, overflowed: u64) -> Pace {
        let late = self.late.take();
        let used_ns = cpu_ns - self.cpu_ns;
        self.cpu_ns = cpu_ns;
        Pace {
            late_p50_s: late.p50_s,
            late_p99_s: late.p99_s,
            late_max_s: self.late_max_ns as f64 * 1e-9,
            behind: self.behind,
            overflowed,
            cpu_ratio: used_ns as f64 * 1e-9 / interval_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 0.01
    }

    /// 1 to 100 times 50 us: the median is 2.5 ms, and 60 are later than 2 ms.
    #[test]
    fn quantiles_are_of_an_interval_and_counts_of_the_run() {
        let mut pacing = Pacing::default();
        for i in 1..=100 {
            pacing.handed_over(i * 50_000);
        }
        let pace = pacing.take(250_000_000, 1.0, 7);
        assert!(near(pace.late_p50_s, 2.5e-3) && near(pace.late_p99_s, 4.95e-3), "{pace:?}");
        assert!(near(pace.late_max_s, 5e-3), "{pace:?}");
        assert_eq!((pace.behind, pace.overflowed, pace.cpu_ratio), (60, 7, 0.25));
        pacing.handed_over(1_000_000);
        pacing.handed_over(3_000_000);
        let pace = pacing.take(350_000_000, 0.5, 9);
        assert!(near(pace.late_p50_s, 1e-3) && near(pace.late_p99_s, 3e-3), "{pace:?}");
        assert!(near(pace.late_max_s, 5e-3) && near(pace.cpu_ratio, 0.2), "{pace:?}");
        assert_eq!((pace.behind, pace.overflowed), (61, 9));
        let pace = pacing.take(350_000_000, 1.0, 9);
        assert_eq!((pace.late_p50_s, pace.late_p99_s, pace.cpu_ratio), (0.0, 0.0, 0.0));
    }

    /// 2 ms is not behind, the next nanosecond is.
    #[test]
    fn behind_is_more_than_its_bound() {
        let mut pacing = Pacing::default();
        pacing.handed_over(2_000_000);
        assert_eq!(pacing.take(0, 1.0, 0).behind, 0);
        pacing.handed_over(2_000_001);
        assert_eq!(pacing.take(0, 1.0, 0).behind, 1);
    }
}
