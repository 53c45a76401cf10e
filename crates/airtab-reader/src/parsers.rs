// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the value of a key may be: quantities with their units, numbers, words, names. Each parser says what it takes
//! ([`Value::takes`]), and in its message what was written and what is allowed.
//!
//! What it does not do: it knows no key.

use std::ops::RangeInclusive;

use airtab_core::Unit;

use super::{Form, Value};

/// "; did you mean ...? known: ..." for a name that is none of `known`.
pub fn instead(name: &str, known: &[&str]) -> String {
    let guess = nearest(name, known).map_or(String::new(), |k| format!("; did you mean `{k}`?"));
    format!("{guess} (known: {})", known.join(", "))
}

/// The one of `known` that may have been meant, in whichever case it is written; None if none is near.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let distance = |k: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &k.to_lowercase());
    let close = known.iter().map(|k| (distance(k), *k)).filter(|(distance, k)| *distance <= 1 + k.len() / 4);
    close.min_by_key(|(distance, _)| *distance).map(|(_, k)| k)
}

/// A number with its unit as text, such as `"25ms"`, within a range.
pub fn quantity<'s, 'a>(
    unit: Unit,
    range: RangeInclusive<u64>,
) -> impl Fn(&Value<'s, 'a>) -> Result<u64, String> {
    move |v| {
        v.takes(|| Form::Quantity(unit, range.clone()));
        let number = match unit {
            // Plain numbers stand without quotes.
            Unit::Count if !v.value.is_integer() => Err(unit.parse("").map_or_else(
                |_| format!("'{}' is not {}", v.written, unit.example()),
                |_| unreachable!("an empty text is no number"),
            )),
            _ => unit.parse(&v.written).map_err(|e| e.to_string()),
        };
        let (low, high) = (unit.format(*range.start()), unit.format(*range.end()));
        match number {
            Ok(n) if range.contains(&n) => Ok(n),
            Ok(_) => Err(format!("'{}' is outside {low} to {high}", v.written)),
            Err(message) => Err(format!("{message} ({low} to {high})")),
        }
    }
}

/// A plain number, possibly with a fraction, within a range.
pub fn number<'s, 'a>(
    range: RangeInclusive<f64>,
    what: &'static str,
) -> impl Fn(&Value<'s, 'a>) -> Result<f64, String> {
    move |v| {
        v.takes(|| Form::Number(range.clone()));
        let plain = v.value.is_float() || v.value.is_integer();
        match v.written.replace('_', "").parse::<f64>() {
            Ok(x) if plain && range.contains(&x) => Ok(x),
            Ok(_) if plain => Err(format!("'{}' is outside {} to {}", v.written, range.start(), range.end())),
            _ => Err(format!("'{}' is not {what} ({} to {})", v.written, range.start(), range.end())),
        }
    }
}

/// true or false.
pub fn flag(v: &Value<'_, '_>) -> Result<bool, String> {
    v.takes(|| Form::Flag);
    v.value.as_bool().ok_or_else(|| format!("'{}' is not true or false", v.written))
}

/// Any text.
pub fn text(v: &Value<'_, '_>) -> Result<String, String> {
    v.takes(|| Form::Text);
    v.value.as_str().map(str::to_string).ok_or_else(|| format!("'{}' is not a text in quotes", v.written))
}

/// Characters of a name.
const LONGEST_NAME: u64 = 40;

/// A short text.
pub fn label(v: &Value<'_, '_>) -> Result<String, String> {
    v.takes(|| Form::Name(LONGEST_NAME));
    let text = v.value.as_str().ok_or_else(|| format!("'{}' is not a text in quotes", v.written))?;
    let length = text.chars().count();
    if !(1..=LONGEST_NAME as usize).contains(&length)
        || text.trim() != text
        || text.contains(char::is_control)
    {
        return Err(format!(
            "'{}' is not a name: 1 to 40 characters, without control characters or spaces at its ends",
            text.escape_debug()
        ));
    }
    Ok(text.into())
}

/// A name that none of `others` has.
pub fn unused<T>(v: &Value, others: &[T], name: impl Fn(&T) -> &String) -> Result<String, String> {
    let text = label(v)?;
    match others.iter().any(|other| *name(other) == text) {
        true => Err(format!("'{text}' is used twice; names must differ")),
        false => Ok(text),
    }
}

/// One of some names.
pub fn choice<'s, 'a, T: Copy>(
    choices: Vec<(&'static str, T)>,
) -> impl Fn(&Value<'s, 'a>) -> Result<T, String> {
    move |v| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        v.takes(|| Form::Words(names.iter().map(|name| (*name).into()).collect()));
        let found = v.value.as_str().and_then(|text| choices.iter().find(|(name, _)| *name == text));
        match found {
            Some((_, choice)) => Ok(*choice),
            None => Err(format!("'{}' is not known{}", v.written, instead(&v.written, &names))),
        }
    }
}
