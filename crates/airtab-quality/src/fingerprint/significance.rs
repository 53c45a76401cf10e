// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How likely a figure is by chance, with an allowance for what is not the card's fault.
//!
//! Chi-squared with an allowance is noncentral, by Patnaik's approximation (Biometrika 36, 1949); the rest is
//! exact (binomial) or normal. Quantiles come from `statrs`.
//!
//! What it does not do: no level is chosen (`judge`).

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal};

/// Relative deviation of a mass from what is expected that noise may make: of time stamps, and of frames that
/// a monitor missed. The thesis's own masses are 1/32 within 2 % (Starzetz 2006, figure 6.2).
pub(super) const ALLOWED: f64 = 0.02;
/// Serial correlation that noise may make.
const ALLOWED_CORRELATION: f64 = 0.01;

/// Pearson's sum over cells: counts against what is expected of each.
pub(super) fn chi_squared(cells: impl Iterator<Item = (f64, f64)>) -> f64 {
    cells.filter(|(_, expected)| *expected > 0.0).map(|(n, e)| (n - e) * (n - e) / e).sum()
}

/// Chance of a chi-squared sum of `n` samples at least as great, where masses may deviate by [`ALLOWED`].
pub(super) fn chi_squared_p(sum: f64, freedom: usize, n: f64) -> f64 {
    let allowed = n * ALLOWED * ALLOWED;
    let freedom = freedom as f64;
    let scale = (freedom + 2.0 * allowed) / (freedom + allowed);
    let fitted = (freedom + allowed) * (freedom + allowed) / (freedom + 2.0 * allowed);
    ChiSquared::new(fitted).map_or(1.0, |chi| chi.sf(sum / scale))
}

/// Chance of a correlation of `n` pairs at least as far from 0.
pub(super) fn correlation_p(r: f64, n: f64) -> f64 {
    let far = (r.abs() - ALLOWED_CORRELATION).max(0.0) * n.sqrt();
    (2.0 * Normal::standard().sf(far)).min(1.0)
}

/// Chance of at least `hits` of `n`, each with `share`.
pub(super) fn at_least_p(hits: u64, n: u64, share: f64) -> f64 {
    match hits {
        0 => 1.0,
        hits => Binomial::new(share.clamp(0.0, 1.0), n).map_or(1.0, |b| b.sf(hits - 1)),
    }
}

/// Chance of at most `hits` of `n`, each with `share`.
pub(super) fn at_most_p(hits: u64, n: u64, share: f64) -> f64 {
    Binomial::new(share, n).map_or(1.0, |b| b.cdf(hits))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed tables: 61.1 is the 0.1 % point of 31 degrees of freedom, 44.99 the 5 % point.
    #[test]
    fn printed_quantiles() {
        for (sum, p) in [(61.098, 0.001), (44.985, 0.05)] {
            assert!((chi_squared_p(sum, 31, 0.0) / p - 1.0).abs() < 1e-3, "{sum}");
        }
        assert!((correlation_p(0.01 + 1.959964 / 10.0, 100.0) - 0.05).abs() < 1e-6);
        assert_eq!(correlation_p(-0.005, 1e6), 1.0);
        assert!((at_most_p(0, 20, 0.5) - 0.5f64.powi(20)).abs() < 1e-15);
        assert!((at_least_p(20, 20, 0.5) - 0.5f64.powi(20)).abs() < 1e-15);
        assert_eq!(at_least_p(0, 20, 0.5), 1.0);
    }

    #[test]
    fn pearson_by_hand() {
        // 12, 8, 10 where 10 are expected: 0.4 + 0.4 + 0.
        assert!((chi_squared([(12.0, 10.0), (8.0, 10.0), (10.0, 10.0)].into_iter()) - 0.8).abs() < 1e-15);
    }

    /// A million draws whose masses are 2 % off, every other one up and down, are no fault: their sum is
    /// 31 + 400 on average.
    #[test]
    fn what_is_allowed_is_not_held_against_a_card() {
        assert!(chi_squared_p(431.0, 31, 1e6) > 0.3);
        assert!(chi_squared_p(700.0, 31, 1e6) < 1e-6);
        assert!(chi_squared_p(431.0, 31, 0.0) < 1e-12);
    }
}
