// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `range = { from, to, count or step, log }` of an axis: values at equal distances, or at equal quotients.
//!
//! Where `from` and `to` (and `step`) are whole numbers, all values are: they are rounded, and each is there once.
//! Otherwise they are written with as many digits as they have, up to [`DIGITS`].
//!
//! What it does not do: no unit is known here; a value is read where it is set.

use airtab_core::Unit;
use airtab_scenario::reader::{Section, Value, flag, quantity};

/// Significant digits of a value: one less than would show that 0.1 + 0.2 is not 0.3.
const DIGITS: usize = 12;

/// A number with a unit behind it, as it was written.
#[derive(Clone, Debug, PartialEq)]
struct Amount {
    number: f64,
    whole: bool,
    unit: String,
}

fn amount(v: &Value) -> Result<Amount, String> {
    let text = v.written.as_str();
    // The longest beginning that is a number: `1e3` is one, `5m` of `5ms` is none.
    let number = |at: &usize| text.get(..*at)?.replace('_', "").parse::<f64>().ok().filter(|x| x.is_finite());
    let found = (1..=text.len()).rev().find_map(|at| Some((number(&at)?, at)));
    let (number, at) = found.ok_or_else(|| format!("'{text}' does not begin with a number"))?;
    let whole = text[..at].bytes().all(|b| b.is_ascii_digit() || b"+-_".contains(&b));
    Ok(Amount { number, whole, unit: text[at..].into() })
}

/// The values as they would be written in a list; None if the range is wrong, which is noted.
pub(super) fn read(s: &Section, most: usize) -> Option<Vec<String>> {
    let (from, to) = (s.require("from", amount), s.require("to", amount));
    let count = s.read("count", quantity(Unit::Count, 2..=most as u64));
    let step = s.read("step", amount);
    let log = s.read("log", flag).unwrap_or(false);
    let given = [count.is_some(), step.is_some()];
    if s.get("count").is_some() == s.get("step").is_some() {
        s.problem("a range has either a `count` of values or a `step` from one to the next".into());
    }
    s.finish();
    let (from, to) = (from?, to?);
    if given == [false, false] || given == [true, true] {
        return None;
    }
    let units = [Some(&from), Some(&to), step.as_ref().filter(|_| !log)];
    if units.into_iter().flatten().any(|amount| amount.unit != from.unit) {
        s.problem_of("to", "must have the unit of `from`");
        return None;
    }
    if log && (from.number <= 0.0 || to.number <= 0.0) {
        s.problem_of("from", "must be above 0, as `to`, where values are at equal quotients");
        return None;
    }
    let whole = from.whole && to.whole && step.as_ref().is_none_or(|step| step.whole);
    let (a, b) = (from.number, to.number);
    let values: Vec<f64> = match (count, step) {
        (Some(count), _) => {
            let last = (count - 1) as f64;
            let share = |i: u64| i as f64 / last;
            let at = |i: u64| match (log, i == count - 1) {
                (_, true) => b,
                (true, _) => a * (b / a).powf(share(i)),
                (false, _) => a + (b - a) * share(i),
            };
            (0..count).map(at).collect()
        }
        (None, step) => {
            let step = step?.number;
            let steps = if log { (b / a).ln() / step.ln() } else { (b - a) / step };
            if !(steps >= 0.0 && steps.is_finite()) || (log && step <= 0.0) {
                s.problem_of("step", "never comes from `from` to `to`");
                return None;
            }
            // What is but a rest of floating point beyond the end is at it.
            let steps = (steps * (1.0 + 1e-12) + 1e-9).floor();
            if steps >= most as f64 {
                s.problem_of("step", &format!("makes {} values: at most {most}", steps + 1.0));
                return None;
            }
            let at = |i: u64| if log { a * step.powi(i as i32) } else { a + step * i as f64 };
            (0..=steps as u64).map(at).collect()
        }
    };
    let written = |value: &f64| match whole {
        true => format!("{:.0}{}", value, from.unit),
        false => {
            let rounded: f64 = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(*value);
            format!("{rounded}{}", from.unit)
        }
    };
    let mut texts: Vec<String> = values.iter().map(written).collect();
    texts.dedup();
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::super::file::Purpose;
    use super::super::made::{HOME, read};

    /// The values of such a range, joined.
    fn values(range: &str) -> Result<String, String> {
        let text = format!(
            "title = \"t\"\nsource = \"s\"\n{HOME}[[axis]]\nname = \"a\"\nkeys = \"app.g.start\"\nrange = {{ {range} }}\n"
        );
        let e = read("mine", &text, Purpose::Judge)?;
        Ok(e.axes[0].values.iter().map(|v| v.text.as_str()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn ranges_have_equal_steps_or_quotients() {
        for (range, expected) in [
            ("from = 1, to = 5, count = 2", "1 5"),
            ("from = 5, to = 1, count = 3", "5 3 1"),
            ("from = -2, to = 2, step = 2", "-2 0 2"),
            ("from = 0, to = 1, step = 0.25", "0 0.25 0.5 0.75 1"),
            ("from = 1, to = 2.5, step = 1", "1 2"),
            ("from = 0.1, to = 0.5, count = 5", "0.1 0.2 0.3 0.4 0.5"),
            ("from = 1e3, to = 3e3, count = 3", "1000 2000 3000"),
            ("from = 1_000, to = 3_000, step = 1_000", "1000 2000 3000"),
            ("from = 1, to = 4, count = 4, log = false", "1 2 3 4"),
            ("from = 1, to = 1, step = 1", "1"),
            ("from = 1, to = 3, count = 9", "1 2 3"),
            ("from = \"10ms\", to = \"1ms\", step = \"-3ms\"", "10ms 7ms 4ms 1ms"),
            // A quotient has no unit.
            ("from = \"1ms\", to = \"8ms\", step = 2, log = true", "1ms 2ms 4ms 8ms"),
            ("from = \"1ms\", to = \"100ms\", count = 3, log = true", "1ms 10ms 100ms"),
            ("from = 8, to = 1, step = 0.5, log = true", "8 4 2 1"),
            ("from = 1, to = 7, step = 2, log = true", "1 2 4"),
            ("from = 1, to = 10, count = 3, log = true", "1 3 10"),
            ("from = 1.0, to = 10, count = 3, log = true", "1 3.16227766017 10"),
        ] {
            assert_eq!(values(range).as_deref(), Ok(expected), "{range}");
        }
    }

    /// The largest number of points, and one more.
    #[test]
    fn a_range_has_an_end() {
        let many = values("from = 1, to = 10000, step = 1").unwrap();
        assert!(many.starts_with("1 2 3 ") && many.ends_with(" 9999 10000"));
        for (range, said) in [
            ("from = 1, to = 10001, step = 1", "makes 10001 values: at most 10000"),
            ("from = \"1ms\", to = \"2ms\", step = 1", "must have the unit of `from`"),
            ("from = \"1ms\", to = \"2s\", count = 2", "must have the unit of `from`"),
            ("from = 1, to = 8, step = -2, log = true", "never comes from `from` to `to`"),
            ("from = 1, to = 8, step = 0.5, log = true", "never comes from `from` to `to`"),
            ("from = 1, to = -8, count = 2, log = true", "must be above 0"),
        ] {
            let wrong = values(range).expect_err(range);
            assert!(wrong.contains(said), "{range}: {wrong}");
        }
    }
}
