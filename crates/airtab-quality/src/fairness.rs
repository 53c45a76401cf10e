// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Jain's fairness index: how evenly something is shared.
//!
//! Source: CHAP dissertation eq. 6.4 (Jain, Chiu and Hawe 1984). It says nothing about how much there is to
//! share, nor whether the parties asked for equal shares.

/// Jain's index (sum x)^2 / (n sum x^2) of non-negative shares in any one unit: 1 if all are equal, 1/n if
/// one has it all. `None` for no shares, for shares that are all 0, and if one is negative or not finite.
pub fn jain(shares: &[f64]) -> Option<f64> {
    if !shares.iter().all(|x| x.is_finite() && *x >= 0.0) {
        return None;
    }
    let largest = shares.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    // In units of the largest share: the squares can then neither overflow nor all vanish.
    let sum: f64 = shares.iter().map(|x| x / largest).sum();
    let squares: f64 = shares.iter().map(|x| (x / largest) * (x / largest)).sum();
    Some(sum * sum / (shares.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn closed_forms() {
        assert_eq!(jain(&[7.0]), Some(1.0));
        assert_eq!(jain(&[3.0; 10]), Some(1.0));
        assert_eq!(jain(&[5.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[1.0, 2.0]), Some(0.9));
        // Three uploads at a quarter of the rate, three downloads at a quarter of that: 25/34.
        let uploads = [4.0, 4.0, 4.0, 1.0, 1.0, 1.0];
        assert_eq!(format!("{:.3}", jain(&uploads).unwrap()), "0.735");
    }

    #[test]
    fn nothing_to_share_has_no_index() {
        for shares in [&[][..], &[0.0, 0.0], &[1.0, -1.0], &[1.0, f64::NAN], &[1.0, f64::INFINITY]] {
            assert_eq!(jain(shares), None);
        }
    }

    #[test]
    fn extreme_units_are_harmless() {
        assert_eq!(jain(&[1e300, 2e300]), jain(&[1.0, 2.0]));
        assert_eq!(jain(&[1e-300, 2e-300]), jain(&[1.0, 2.0]));
    }

    proptest! {
        #[test]
        fn lies_between_one_nth_and_one(shares in prop::collection::vec(0.0..1e9f64, 1..40)) {
            prop_assume!(shares.iter().any(|x| *x > 0.0));
            let index = jain(&shares).unwrap();
            prop_assert!(index <= 1.0 + 1e-12 && index >= 1.0 / shares.len() as f64 - 1e-12);
        }
    }
}
