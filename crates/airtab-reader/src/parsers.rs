// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the value of a key may be: quantities with their units, numbers, words, names. Each parser says what it takes
//! ([`Value::takes`]), and in its message what was written and what is allowed.
//!
//! What it does not do: it knows no key.

use std::ops::RangeInclusive;

use airtab_core::Unit;

use super::{Form, Value, harmless};

/// "; did you mean ...? known: ..." for a name that is none of `known`.
pub fn instead(name: &str, known: &[&str]) -> String {
    let guess = nearest(name, known).map_or(String::new(), |k| format!("; did you mean `{k}`?"));
    format!("{guess} (known: {})", known.join(", "))
}

/// Names that other programs and standards use, and what scenarios call the same.
const SYNONYMS: [(&str, &str); 9] = [
    ("nss", "streams"),
    ("spatial_streams", "streams"),
    ("dscp", "access"),
    ("tos", "access"),
    ("channel_width", "width"),
    ("guard_interval", "gi"),
    ("retries", "attempts"),
    ("retry_limit", "attempts"),
    ("channel_model", "errors"),
];

/// Names that a message lists where there are too many for all.
const LISTED: usize = 10;

/// Text like that of [`instead`] for a long list: the nearest names of `known`, at most ten, and the source of all names.
/// Names that share a word with `name` are nearer than others, which are listed only if no name does.
pub fn instead_of_many(name: &str, known: &[&str], all: &str) -> String {
    let words = |k: &str| k.split('_').map(str::to_lowercase).collect::<Vec<_>>();
    let own = words(name);
    let shared = |k: &str| words(k).iter().filter(|word| own.contains(word)).count();
    let mut near: Vec<&str> = known.iter().copied().filter(|k| shared(k) > 0).collect();
    if near.is_empty() {
        near = known.to_vec();
    }
    near.sort_by_cached_key(|k| (std::cmp::Reverse(shared(k)), strsim::damerau_levenshtein(name, k)));
    near.truncate(LISTED);
    let guess = nearest(name, known).map_or(String::new(), |k| format!("; did you mean `{k}`?"));
    format!("{guess} (near: {}; all {}: {all})", near.join(", "), known.len())
}

/// The one of `known` that may have been meant, in whichever case it is written; None if none is near.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    // Amendments of 802.11 name the profiles.
    let profile = name
        .to_lowercase()
        .trim_start_matches("ieee")
        .trim_start()
        .strip_prefix("802.")
        .map(|n| format!("std-{n}"));
    let other = SYNONYMS.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, own)| *own);
    if let Some(meant) = profile.as_deref().or(other).and_then(|meant| known.iter().find(|k| **k == meant)) {
        return Some(meant);
    }
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
        || harmless(text) != text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_programs_are_known() {
        let known = ["streams", "access", "width", "std-11ac", "std-11n"];
        for (other, own) in [
            ("nss", "streams"),
            ("NSS", "streams"),
            ("dscp", "access"),
            ("channel_width", "width"),
            ("802.11ac", "std-11ac"),
            ("IEEE 802.11n", "std-11n"),
        ] {
            assert_eq!(nearest(other, &known), Some(own), "{other}");
        }
        assert_eq!(nearest("nss", &["width"]), None);
        assert_eq!(nearest("802.11be", &["access"]), None);
    }

    /// Names with a word in common are listed, the nearest first; without such names ten.
    #[test]
    fn of_many_names_the_nearest_are_listed() {
        let many: Vec<String> = (0..50).map(|i| format!("other_{i}")).collect();
        let known: Vec<&str> =
            many.iter().map(String::as_str).chain(["game_mos_window", "call_mos"]).collect();
        let said = |name: &str| instead_of_many(name, &known, "a page");
        assert_eq!(said("mos"), " (near: call_mos, game_mos_window; all 52: a page)");
        let guess = "; did you mean `call_mos`? (near: call_mos, game_mos_window; all 52: a page)";
        assert_eq!(said("cal_mos"), guess);
        for name in ["delay", "other"] {
            assert_eq!(said(name).matches(", ").count(), 9, "{}", said(name));
        }
        assert_eq!(said("othr_7"), "; did you mean `other_7`? (near: other_7; all 52: a page)");
    }
}
