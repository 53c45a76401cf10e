// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Numbers in words: an estimate with as many digits as its interval bears, two of the half width; a number of
//! things.
//!
//! What it does not do: it estimates nothing (`airtab_quality::Interval`).

/// `1390 ± 140`, `24.8 ± 2.1`: mean and half width to the second digit of the half width, with `most`
/// decimals at most; a mean alone has `most`.
pub fn estimate(mean: f64, half_width: Option<f64>, most: usize) -> String {
    match half_width {
        Some(half) => format!("{} ± {}", rounded(mean, half_width, most), rounded(half, half_width, most)),
        None => rounded(mean, None, most),
    }
}

/// `1 run`, `20 runs`.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A value as exact as an interval of that half width lets it be told, with `most` decimals at most.
pub fn rounded(value: f64, half_width: Option<f64>, most: usize) -> String {
    let place = half_width.and_then(second_digit).unwrap_or(most as i32).min(most as i32);
    let text = match usize::try_from(place) {
        Ok(decimals) => format!("{value:.decimals$}"),
        Err(_) => {
            let unit = 10f64.powi(-place);
            format!("{:.0}", (value / unit).round() * unit)
        }
    };
    match text.strip_prefix('-') {
        // No nought has a sign.
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.into(),
        _ => text,
    }
}

/// Decimals at which the second digit of `half` stands (negative: before the point); None for nought.
fn second_digit(half: f64) -> Option<i32> {
    // Rounded first: 0.996 is 1.0, whose second digit is the first decimal.
    let written = format!("{half:.1e}");
    let exponent: i32 = written.split_once('e')?.1.parse().ok()?;
    (half > 0.0 && half.is_finite()).then_some(1 - exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_digits_as_the_interval_bears() {
        for (mean, half, most, shown) in [
            (1386.64, 143.80, 2, "1390 ± 140"),
            (1386.64, 14.38, 2, "1387 ± 14"),
            (24.837, 2.149, 2, "24.8 ± 2.1"),
            (24.837, 0.2149, 2, "24.84 ± 0.21"),
            (24.837, 0.0021, 2, "24.84 ± 0.00"),
            (9.99, 0.996, 2, "10.0 ± 1.0"),
            (12_345.0, 995.0, 0, "12300 ± 1000"),
            (61.2, 0.7, 0, "61 ± 1"),
            (-0.004, 0.0, 2, "0.00 ± 0.00"),
            (-0.04, 1.3, 2, "0.0 ± 1.3"),
            (-3.0, 20.0, 1, "-3 ± 20"),
        ] {
            assert_eq!(estimate(mean, Some(half), most), shown);
        }
        assert_eq!(estimate(1386.64, None, 2), "1386.64", "nothing is known of its spread");
        assert_eq!(estimate(2.0, Some(f64::NAN), 1), "2.0 ± NaN");
    }
}
