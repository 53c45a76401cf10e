// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Mean and 95 % confidence interval over replications with different seeds.
//!
//! Student's t interval, for independent replications with results close enough to normal, and its paired
//! form for two disciplines that ran on the same seeds. It is not for samples within one run, which are
//! correlated, and it does not decide how many replications are enough.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean with its 95 % interval, in the unit of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The sample mean.
    pub mean: f64,
    /// Half the width of the interval: the mean of the population lies in `mean` plus or minus this with 95
    /// % confidence. `None` for a single sample, which says nothing about its spread.
    pub half_width: Option<f64>,
    /// How many samples.
    pub n: usize,
}

impl Interval {
    /// Mean and interval of independent samples; `None` for no samples, or if one is not finite.
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() || !samples.iter().all(|x| x.is_finite()) {
            return None;
        }
        let n = samples.len();
        let mean = samples.iter().sum::<f64>() / n as f64;
        let half_width = (n > 1).then(|| {
            let squares: f64 = samples.iter().map(|x| (x - mean) * (x - mean)).sum();
            let variance = squares / (n - 1) as f64;
            t_quantile_975(n - 1) * (variance / n as f64).sqrt()
        });
        Some(Self { mean, half_width, n })
    }

    /// Mean and interval of `a[i] - b[i]`, where both ran on the same seed `i`: what the seeds have in
    /// common falls out, so a difference shows with far fewer replications. `None` as in [`Self::of`], and
    /// if the lengths differ.
    pub fn of_differences(a: &[f64], b: &[f64]) -> Option<Self> {
        if a.len() != b.len() {
            return None;
        }
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        Self::of(&differences)
    }
}

/// The 0.975 quantile of Student's t with `freedom` (at least 1) degrees of freedom.
fn t_quantile_975(freedom: usize) -> f64 {
    StudentsT::new(0.0, 1.0, freedom as f64).expect("at least one degree of freedom").inverse_cdf(0.975)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms for 1, 2 and 4 degrees of freedom; the rest from printed tables.
    #[test]
    fn quantiles() {
        let close = |freedom, exact: f64| {
            let got = t_quantile_975(freedom);
            assert!((got - exact).abs() <= 1e-9 * exact, "{freedom}: {got}, not {exact}");
        };
        let upper = 0.975f64;
        let alpha = 4.0 * upper * (1.0 - upper);
        close(1, (std::f64::consts::PI * (upper - 0.5)).tan());
        close(2, 2.0 * (upper - 0.5) * (2.0 / alpha).sqrt());
        close(4, 2.0 * ((alpha.sqrt().acos() / 3.0).cos() / alpha.sqrt() - 1.0).sqrt());
        for (freedom, printed) in [(9, "2.2622"), (19, "2.0930"), (29, "2.0452"), (120, "1.9799")] {
            assert_eq!(format!("{:.4}", t_quantile_975(freedom)), printed, "{freedom}");
        }
    }

    #[test]
    fn a_worked_example() {
        // Mean 3, sample variance 2.5, five samples: 2.776445 * sqrt(2.5 / 5).
        let i = Interval::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!((i.mean, i.n), (3.0, 5));
        assert_eq!(format!("{:.4}", i.half_width.unwrap()), "1.9632");
    }

    #[test]
    fn equal_samples_have_no_width_and_a_single_one_no_interval() {
        assert_eq!(Interval::of(&[4.25; 6]), Some(Interval { mean: 4.25, half_width: Some(0.0), n: 6 }));
        assert_eq!(Interval::of(&[4.25]), Some(Interval { mean: 4.25, half_width: None, n: 1 }));
        assert_eq!(Interval::of(&[]), None);
        assert_eq!(Interval::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn pairs_take_out_what_the_seeds_share() {
        let fifo = [100.0, 300.0, 200.0, 900.0];
        let chap = [50.0, 251.0, 149.0, 850.0];
        let paired = Interval::of_differences(&fifo, &chap).unwrap();
        assert_eq!(paired.mean, 50.0);
        assert!(paired.half_width.unwrap() < 2.0);
        assert!(Interval::of(&fifo).unwrap().half_width.unwrap() > 500.0);
        assert_eq!(Interval::of_differences(&fifo, &chap[1..]), None);
        assert_eq!(Interval::of_differences(&[], &[]), None);
    }

    /// The interval must hold the true mean in 95 % of the cases: 20,000 draws of five normal samples. The
    /// share of hits has a standard error of 0.15 points, and the draws are the same in every run.
    #[test]
    fn covers_the_true_mean_as_often_as_it_says() {
        let mut state = 1u64;
        let mut uniform = move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut normal = move || {
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - uniform()));
            radius * libm::cos(2.0 * std::f64::consts::PI * uniform())
        };
        let draws = 20_000;
        let hits = (0..draws)
            .filter(|_| {
                let samples: Vec<f64> = (0..5).map(|_| 10.0 + 3.0 * normal()).collect();
                let i = Interval::of(&samples).unwrap();
                (i.mean - 10.0).abs() <= i.half_width.unwrap()
            })
            .count();
        let share = hits as f64 / f64::from(draws);
        assert!((share - 0.95).abs() < 0.0045, "{share}");
    }
}
