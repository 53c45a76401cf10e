// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The key `course`: values at times of the run, with straight lines between them.
//!
//! What it does not do: what they are values of is their kind's, what they do `airtab_sim::traffic`'s.

use airtab_core::Unit;
use airtab_sim::traffic::Points;

use crate::reader::{Section, Value};

/// `[["90s", "0b/s"], ["176s", "4Mb/s"]]`, values as `parse` has them; `example`: how it is written.
pub(super) fn read_points<'s, 'a>(
    s: &Section<'s, 'a>,
    v: &Value<'s, 'a>,
    duration_ns: u64,
    example: &str,
    parse: impl Fn(&str) -> Result<u64, String>,
) -> Result<Points, String> {
    let wrong = || format!("{} is not a list of times and values such as {example}", v.written);
    let pairs = v.value.as_array().ok_or_else(wrong)?.iter().map(|pair| {
        let value = Value::part(pair, String::new());
        let written = value.value.as_array().map_or_else(Vec::new, |_| s.items(&value));
        let [time, value] = <[String; 2]>::try_from(written).map_err(|_| wrong())?;
        let at_ns = Unit::Ns.parse(&time).map_err(|e| e.to_string())?;
        match at_ns > duration_ns {
            true => Err(format!("{time} is past the end of the run ({})", Unit::Ns.format(duration_ns))),
            false => Ok((at_ns, parse(&value)?)),
        }
    });
    let points = Points::new(pairs.collect::<Result<Vec<_>, String>>()?);
    points.check("course").map_err(|broken| broken.message)?;
    Ok(points)
}
