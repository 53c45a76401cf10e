// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The values of a verdict, and what was expected, in words: with as many digits as their intervals bear, and as
//! many as tell on which side of the bounds they are.
//!
//! What it does not do: it judges nothing (`judge`).

use airtab_scenario::digits;

use super::Expect;
use super::judge::{PointValue, REST};

/// With so many decimals, or as many as tell on which side of the bounds it is.
pub(super) fn number(value: Option<f64>, expect: &Expect, decimals: usize) -> String {
    value.map_or("no value".into(), |v| format!("{v:.0$}", telling(v, expect, decimals).unwrap_or(decimals)))
}

/// With its interval, if it has one; one that would be noughts has a decimal more.
pub(super) fn shown(v: &PointValue, expect: &Expect, decimals: usize) -> String {
    let Some(mean) = v.mean else { return "no value".into() };
    let half = v.half_width_95;
    let told = |most: usize| digits::estimate(mean, half, most);
    let one_more = half.is_some_and(|half| first_decimal(half, mean) == decimals + 1);
    let usual = told(decimals + usize::from(one_more));
    let read = usual.split(' ').next().and_then(|text| text.parse().ok());
    if read.is_some_and(|read| tells(read, mean, expect)) {
        return usual;
    }
    // Closer to the bound than its interval is wide: more digits than that bears, as the verdict is the mean's.
    match (telling(mean, expect, decimals), half) {
        (Some(decimals), Some(half)) => format!("{mean:.decimals$} ± {half:.decimals$}"),
        (Some(decimals), None) => format!("{mean:.decimals$}"),
        (None, _) => usual,
    }
}

/// Whether a rounded value is on the same side of the bounds as the value.
fn tells(rounded: f64, value: f64, expect: &Expect) -> bool {
    match expect {
        Expect::Within(bounds) => bounds.contains(&rounded) == bounds.contains(&value),
        Expect::Rises | Expect::Falls => true,
    }
}

/// The least decimals, from `least` on, with which a value is seen to be on its side of the bounds; None where
/// nothing but a rest of floating point is between them.
fn telling(value: f64, expect: &Expect, least: usize) -> Option<usize> {
    let told = |decimals: &usize| {
        let written: f64 = format!("{value:.0$}", *decimals).parse().unwrap_or(value);
        tells(written, value, expect)
    };
    (least..=MOST_DECIMALS).find(told)
}

/// More than these no sum of floating point bears.
const MOST_DECIMALS: usize = 9;

/// The decimal at which a half width has its first digit; 0 of one that is no spread but a rest of floating point.
fn first_decimal(half: f64, mean: f64) -> usize {
    let spread = half.is_finite() && half > REST * mean.abs();
    if spread && half < 1.0 { (-half.log10()).ceil() as usize } else { 0 }
}

/// All of them: those of a few points one by one, of more the least and the greatest.
pub(super) fn measured(expect: &Expect, values: &[PointValue], decimals: usize) -> String {
    match (values, expect) {
        ([], _) => "not run".into(),
        ([value], _) => shown(value, expect, decimals),
        (values, Expect::Within(_)) if values.len() > 4 => {
            let present = || values.iter().filter_map(|v| v.mean);
            let (least, most) = (present().fold(f64::MAX, f64::min), present().fold(f64::MIN, f64::max));
            let missing = values.iter().filter(|v| v.mean.is_none()).count();
            let none = if missing > 0 { format!(", {missing} without value") } else { String::new() };
            match missing == values.len() {
                true => "no value".into(),
                false => {
                    let [least, most] = [least, most].map(|x| number(Some(x), expect, decimals));
                    format!("{least} to {most} at {} points{none}", values.len())
                }
            }
        }
        (values, _) => values.iter().map(|v| number(v.mean, expect, decimals)).collect::<Vec<_>>().join(", "),
    }
}

/// The bounds.
pub(crate) fn expected(expect: &Expect) -> String {
    match expect {
        Expect::Within(bounds) => match (*bounds.start(), *bounds.end()) {
            (least, f64::INFINITY) => format!("at least {least}"),
            (f64::NEG_INFINITY, most) => format!("at most {most}"),
            (least, most) => format!("{least} to {most}"),
        },
        Expect::Rises => "rises".into(),
        Expect::Falls => "falls".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(bound: f64, mean: f64, half: Option<f64>) -> String {
        let v = PointValue { at: String::new(), mean: Some(mean), half_width_95: half, holds: false };
        measured(&Expect::Within(bound..=f64::INFINITY), &[v], 2)
    }

    #[test]
    fn a_value_is_told_from_its_bound() {
        assert_eq!(at_least(0.99, 0.9896, Some(0.012)), "0.9896 ± 0.0120", "0.990 would hold");
        assert_eq!(at_least(0.99, 0.98996, Some(0.0021)), "0.98996 ± 0.00210");
        assert_eq!(at_least(0.99, 0.9904, Some(0.012)), "0.99 ± 0.01", "it holds");
        assert_eq!(at_least(0.99, 0.981, Some(0.012)), "0.98 ± 0.01");
        assert_eq!(at_least(0.99, 0.9896, None), "0.9896");
        assert_eq!(at_least(24.0, 23.97, Some(1.3)), "23.97 ± 1.30");
        assert_eq!(at_least(24.0, 23.4, Some(1.3)), "23.4 ± 1.3");
        assert_eq!(at_least(24.0, 24.0, Some(1.3)), "24.0 ± 1.3");
        let next = f64::from_bits(0.99f64.to_bits() - 1);
        assert_eq!(at_least(0.99, next, None), "0.99", "no digit tells them apart");
    }

    #[test]
    fn a_narrow_interval_is_no_nought() {
        assert_eq!(at_least(0.5, 0.9871, Some(0.0021)), "0.987 ± 0.002");
        assert_eq!(at_least(0.5, 0.9871, Some(0.000_4)), "0.99 ± 0.00", "two more say nothing");
        assert_eq!(at_least(0.5, 0.9871, Some(0.0)), "0.99 ± 0.00", "all seeds are equal");
        assert_eq!(at_least(0.5, 0.9871, Some(1e-12)), "0.99 ± 0.00", "equal but for the last bits");
        assert_eq!(at_least(0.5, 0.9871, Some(0.021)), "0.99 ± 0.02");
    }

    #[test]
    fn ends_of_a_range_and_values_of_a_few_points_are_told_too() {
        let values = |means: &[f64]| {
            let value = |mean: &f64| PointValue {
                at: String::new(),
                mean: Some(*mean),
                half_width_95: Some(0.1),
                holds: false,
            };
            measured(&Expect::Within(0.0..=0.2), &means.iter().map(value).collect::<Vec<_>>(), 2)
        };
        assert_eq!(values(&[0.1, 0.2004]), "0.10, 0.2004");
        assert_eq!(values(&[0.1, 0.2, 0.15, 0.12, 0.2004]), "0.10 to 0.2004 at 5 points");
        let falls = [0.1, 0.2004].map(|mean| PointValue {
            at: String::new(),
            mean: Some(mean),
            half_width_95: None,
            holds: false,
        });
        assert_eq!(measured(&Expect::Falls, &falls, 2), "0.10, 0.20", "an order has no bound");
    }

    #[test]
    fn values_are_told_one_by_one_or_by_their_ends() {
        let value = |mean: Option<f64>| PointValue {
            at: String::new(),
            mean,
            half_width_95: Some(0.5),
            holds: false,
        };
        let told = |expect: &Expect, means: &[Option<f64>]| {
            measured(expect, &means.iter().map(|mean| value(*mean)).collect::<Vec<_>>(), 1)
        };
        let within = Expect::Within(0.0..=9.0);
        let five = [3.0, 1.0, 5.0, 1.5, 4.0].map(Some);
        assert_eq!(told(&within, &five), "1.0 to 5.0 at 5 points");
        assert_eq!(told(&within, &five[..4]), "3.0, 1.0, 5.0, 1.5");
        assert_eq!(told(&Expect::Rises, &five), "3.0, 1.0, 5.0, 1.5, 4.0", "of an order each");
        assert_eq!(
            told(&within, &[five[0], None, None, five[2], five[4]]),
            "3.0 to 5.0 at 5 points, 2 without value"
        );
        assert_eq!(told(&within, &[None; 5]), "no value");
        assert_eq!(told(&within, &[None, five[0]]), "no value, 3.0");
        assert_eq!((told(&within, &[]), told(&within, &five[..1])), ("not run".into(), "3.0 ± 0.5".into()));
        assert_eq!((expected(&Expect::Rises), expected(&Expect::Falls)), ("rises".into(), "falls".into()));
        assert_eq!(expected(&Expect::Within(f64::NEG_INFINITY..=-2.5)), "at most -2.5");
        assert_eq!(expected(&Expect::Within(-1.0..=f64::INFINITY)), "at least -1");
        assert_eq!(expected(&Expect::Within(-1.0..=2.0)), "-1 to 2");
    }
}
