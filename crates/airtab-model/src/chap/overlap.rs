// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How often a flow's credit is above those of all faster flows (CHAP dissertation 5.2.2).
//!
//! The assumption: each credit is uniform over its range, whatever the others are. It is a pessimistic one.
//! Between two boosts all credits fall together, so that without randomness of arrivals the slower flow
//! always has more (`docs/model-chap.md`).

use super::credit::Credits;

/// p_i, the probability that the credit of flow `i` exceeds that of every faster flow (eq. 5.31 to 5.36);
/// 1 for the fastest, and where ranges do not meet. Of two equally fast flows the one given first counts as
/// the slower one.
///
/// Seen from the credit c of flow i, p_i is the mean of the product of the chances (c - alpha_j^l) / d_j that
/// flow j is below c, where d_j is the width of its range. A chance is 1 above the range, and so the sum of
/// eq. 5.36 has one integral for each number of ranges that hold c. With x the distance from c up to the
/// lowest upper bound above it, the integrand is a polynomial.
///
/// Eq. 5.36 is printed with alpha_i^h in the limit of its last integral; it is alpha_i^l as in eq. 5.33 to
/// 5.35, since c ends at flow i's own lower bound.
pub fn outranks(credits: &Credits, i: usize) -> f64 {
    let order = credits.by_rate();
    let place = order.iter().position(|&j| j == i).expect("the order has every flow");
    let (own, faster) = (credits.range(i), &order[place + 1..]);
    let width = credits.drain(i);
    if faster.is_empty() || width == 0.0 {
        return 1.0;
    }
    // Above the first of the faster ones' ranges (eq. 5.31).
    let first = credits.high(faster[0]).max(own.low);
    let mut p = (own.high - first) / width;
    // Where the ranges of the first w of them hold c.
    for w in 1..=faster.len() {
        let top = credits.high(faster[w - 1]);
        let below = faster.get(w).map_or(own.low, |&next| credits.high(next).max(own.low));
        if top <= own.low {
            break;
        }
        let mut product = vec![1.0 / width];
        for &j in &faster[..w] {
            let d = credits.drain(j);
            // (d_j - x - (alpha_j^h - top)) / d_j
            product = times(&product, (d - (credits.high(j) - top)) / d, -1.0 / d);
        }
        p += integral(&product, top - below);
    }
    p
}

/// A polynomial, lowest power first, times `a + b x`.
fn times(polynomial: &[f64], a: f64, b: f64) -> Vec<f64> {
    let mut product = vec![0.0; polynomial.len() + 1];
    for (k, c) in polynomial.iter().enumerate() {
        product[k] += a * c;
        product[k + 1] += b * c;
    }
    product
}

/// Its integral from 0 to `end`.
fn integral(polynomial: &[f64], end: f64) -> f64 {
    let mut sum = 0.0;
    for (k, c) in polynomial.iter().enumerate().rev() {
        sum = sum * end + c / (k + 1) as f64;
    }
    sum * end
}
