// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Spearman's rank correlation: whether two things grow together, in a straight line or not.
//!
//! Source: C. Spearman 1904. The CHAP dissertation's section 6.10 draws frames shown against the rate sent and
//! response times against sizes; this is the number to such a picture.
//!
//! What it does not do: no test of significance.

/// The rank correlation of pairs, -1 to 1: Pearson's of their ranks, equal values sharing the mean of theirs.
/// `None` for fewer than two pairs, if one side does not vary, and for NaN.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.iter().any(|(x, y)| x.is_nan() || y.is_nan()) {
        return None;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    pearson(&ranks(&x), &ranks(&y))
}

/// The place of each value in ascending order, from 1; equal ones share the mean of theirs.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let shared = first as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|i| ranks[*i] = shared);
        first += equal.len();
    }
    ranks
}

fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        xx += (x - mean_x) * (x - mean_x);
        yy += (y - mean_y) * (y - mean_y);
        xy += (x - mean_x) * (y - mean_y);
    }
    (xx > 0.0 && yy > 0.0).then(|| xy / libm::sqrt(xx * yy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of<const N: usize>(x: [f64; N], y: [f64; N]) -> Option<f64> {
        spearman(&x.into_iter().zip(y).collect::<Vec<_>>())
    }

    #[test]
    fn closed_forms() {
        // Any growing function is 1, any falling one -1.
        assert_eq!(of([1.0, 2.0, 3.0, 4.0], [1.0, 8.0, 27.0, 64.0]), Some(1.0));
        assert_eq!(of([1.0, 2.0, 3.0, 4.0], [0.1, 0.0, -7.0, -8.0]), Some(-1.0));
        // Without equal values 1 - 6 sum d^2 / (n (n^2 - 1)); places differ by 0, 1, 1, 1, 1: 1 - 24 / 120.
        assert_eq!(of([1.0, 2.0, 3.0, 4.0, 5.0], [10.0, 30.0, 20.0, 50.0, 40.0]), Some(0.8));
        // The textbook's ten (IQ and hours of television): sum d^2 = 194, so 1 - 1164 / 990 = -29/165.
        let iq = [106.0, 86.0, 100.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0];
        let hours = [7.0, 0.0, 27.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
        assert!((of(iq, hours).unwrap() + 29.0 / 165.0).abs() < 1e-15);
        // Equal values: ranks 1, 2.5, 2.5, 4 and 4, 3, 2, 1: -4.5 / sqrt(4.5 * 5).
        let tied = of([1.0, 2.0, 2.0, 4.0], [4.0, 3.0, 2.0, 1.0]).unwrap();
        assert!((tied + 4.5 / 22.5_f64.sqrt()).abs() < 1e-15, "{tied}");
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 3.0]), [3.0, 1.0, 3.0, 3.0]);
    }

    #[test]
    fn what_does_not_vary_has_none() {
        assert_eq!(of([1.0, 2.0], [3.0, 3.0]), None);
        assert_eq!(of([1.0], [3.0]), None);
        assert_eq!(spearman(&[]), None);
        assert_eq!(of([1.0, f64::NAN], [3.0, 4.0]), None);
    }

    proptest! {
        #[test]
        fn only_the_order_counts(pairs in prop::collection::vec((-50i32..50, -50i32..50), 2..40)) {
            let of = |f: fn(f64) -> f64| {
                spearman(&pairs.iter().map(|(x, y)| (f(f64::from(*x)), f64::from(*y))).collect::<Vec<_>>())
            };
            let found = of(|x| x);
            prop_assert_eq!(found, of(|x| x * x * x + 7.0));
            prop_assert!(found.is_none_or(|r| r.abs() <= 1.0 + 1e-12));
            // Falling turns the sign.
            let turned = of(|x| -x);
            prop_assert!(found.zip(turned).is_none_or(|(a, b)| (a + b).abs() < 1e-12));
        }
    }
}
