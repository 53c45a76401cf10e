// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packet delays: mean, percentiles, extremes.
//!
//! A histogram with three significant digits (hdrhistogram): percentiles are within 0.1 % whatever the
//! range, and memory grows with the logarithm of the largest delay (about 120 KB at 10 ms, 170 KB at 1 s),
//! not with the number of packets. Mean, minimum and maximum are exact. It keeps no order in time: for bins
//! use [`crate::gmodel`].

use hdrhistogram::Histogram;

/// A collection of delays in ns, from 0 upwards.
#[derive(Clone, Debug)]
pub struct Delays {
    histogram: Histogram<u64>,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Delays {
    /// An empty collection.
    pub fn new() -> Self {
        let histogram = Histogram::new(3).expect("three digits are supported");
        Self { histogram, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }

    /// Adds one delay, in ns.
    pub fn record_ns(&mut self, delay_ns: u64) {
        self.histogram.record(delay_ns).expect("the histogram resizes up to any u64");
        self.sum_ns += u128::from(delay_ns);
        self.min_ns = self.min_ns.min(delay_ns);
        self.max_ns = self.max_ns.max(delay_ns);
    }

    /// Adds all delays of `other`, as if each had been recorded here.
    pub fn merge(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("both have three digits, and the sum resizes");
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// How many delays were recorded.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Mean in ns, exact; `None` if empty.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum_ns as f64 / self.count() as f64)
    }

    /// Smallest delay in ns, exact; `None` if empty.
    pub fn min_ns(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.min_ns)
    }

    /// Largest delay in ns, exact; `None` if empty.
    pub fn max_ns(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.max_ns)
    }

    /// The smallest delay that at least the fraction `q` (0 to 1, else `None`) of the packets did not
    /// exceed, in ns and at most 0.1 % too great; `None` if empty.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        let valid = self.count() > 0 && (0.0..=1.0).contains(&q);
        valid.then(|| self.histogram.value_at_quantile(q).clamp(self.min_ns, self.max_ns))
    }

    /// Median in ns; as [`Self::quantile_ns`].
    pub fn p50_ns(&self) -> Option<u64> {
        self.quantile_ns(0.50)
    }

    /// 99th percentile in ns; as [`Self::quantile_ns`].
    pub fn p99_ns(&self) -> Option<u64> {
        self.quantile_ns(0.99)
    }

    /// Fraction (0 to 1) of the delays up to `limit_ns`, where the limit may be up to 0.1 % off; `None` if
    /// empty.
    pub fn share_within_ns(&self, limit_ns: u64) -> Option<f64> {
        (self.count() > 0).then(|| self.histogram.quantile_below(limit_ns))
    }
}

impl Default for Delays {
    fn default() -> Self {
        Self::new()
    }
}

impl Extend<u64> for Delays {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, delays_ns: I) {
        delays_ns.into_iter().for_each(|d| self.record_ns(d));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn delays(ns: impl IntoIterator<Item = u64>) -> Delays {
        let mut d = Delays::new();
        d.extend(ns);
        d
    }

    #[test]
    fn empty_has_no_figures() {
        let d = Delays::default();
        assert_eq!(d.count(), 0);
        assert_eq!((d.mean_ns(), d.min_ns(), d.max_ns()), (None, None, None));
        assert_eq!((d.p50_ns(), d.p99_ns(), d.share_within_ns(1)), (None, None, None));
    }

    #[test]
    fn small_values_are_exact() {
        let d = delays(1..=100);
        assert_eq!((d.mean_ns(), d.min_ns(), d.max_ns()), (Some(50.5), Some(1), Some(100)));
        assert_eq!((d.p50_ns(), d.p99_ns()), (Some(50), Some(99)));
        assert_eq!((d.quantile_ns(0.0), d.quantile_ns(1.0)), (Some(1), Some(100)));
        assert_eq!((d.quantile_ns(1.5), d.quantile_ns(f64::NAN)), (None, None));
        assert_eq!(d.share_within_ns(70), Some(0.7));
    }

    #[test]
    fn the_whole_range_of_u64_is_accepted() {
        let d = delays([0, u64::MAX]);
        assert_eq!((d.min_ns(), d.max_ns()), (Some(0), Some(u64::MAX)));
        assert_eq!(d.mean_ns(), Some(u64::MAX as f64 / 2.0));
    }

    #[test]
    fn a_single_delay_is_every_percentile() {
        let d = delays([123_456_789]);
        assert_eq!((d.p50_ns(), d.p99_ns()), (Some(123_456_789), Some(123_456_789)));
    }

    proptest! {
        #[test]
        fn percentiles_follow_the_sorted_samples(
            mut ns in prop::collection::vec(0u64..10_000_000_000, 1..300), q in 0.0..1.0f64,
        ) {
            let d = delays(ns.iter().copied());
            ns.sort_unstable();
            let rank = ((q * ns.len() as f64).ceil() as usize).clamp(1, ns.len());
            let exact = ns[rank - 1];
            let got = d.quantile_ns(q).unwrap();
            prop_assert!(got >= exact && got as f64 <= exact as f64 * 1.001, "{got} for {exact}");
        }

        #[test]
        fn merging_equals_recording_together(
            a in prop::collection::vec(0u64..10_000_000_000, 0..50),
            b in prop::collection::vec(0u64..10_000_000_000, 0..50),
        ) {
            let both = delays(a.iter().chain(&b).copied());
            let mut merged = delays(a);
            merged.merge(&delays(b));
            prop_assert_eq!(merged.count(), both.count());
            prop_assert_eq!(merged.mean_ns(), both.mean_ns());
            prop_assert_eq!((merged.min_ns(), merged.max_ns()), (both.min_ns(), both.max_ns()));
            prop_assert_eq!((merged.p50_ns(), merged.p99_ns()), (both.p50_ns(), both.p99_ns()));
        }
    }
}
