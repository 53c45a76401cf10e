// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[[check]]` of an experiment's file.
//!
//! What it does not do: no verdict (`judge`).

use std::ops::RangeInclusive;

use airtab_scenario::Metric;
use airtab_scenario::reader::{Section, Value, choice, flag, number, text};

use super::file::{Names, items};
use super::{Check, Class, Compared, Expect, Pages, Seconds, Term, distance};

/// Reads the key `class`.
pub(super) fn class(v: &Value) -> Result<Class, String> {
    choice(Class::ALL.map(|class| (class.name(), class)).into())(v)
}

/// Reads it. `of_file` is the class of all checks of the file, if it names one.
pub(super) fn read(s: &Section, names: &Names, of_file: Option<Class>) -> Option<Check> {
    let what = s.require("what", text);
    let section = s.require("section", text);
    let reported = s.require("reported", text);
    let published = s.read("published", read_published);
    let rerun = s.read("rerun", read_published);
    let of = s.require("of", |v| names.metrics(v));
    let spread = s.read("spread", |v| names.queues(v));
    if spread.as_ref().is_some_and(|queues| queues.iter().all(|queue| *queue == queues[0])) {
        s.problem_of("spread", "one discipline does not differ: name two or more");
    }
    let queue = match &spread {
        Some(queues) if s.get("queue").is_none() => queues.first().cloned(),
        Some(_) => {
            s.problem_of("queue", "give queue or spread, not both: spread is about several disciplines");
            None
        }
        None => s.require("queue", |v| names.queue(v)),
    };
    let seconds = s.section("seconds").and_then(|s| read_seconds(&s));
    if s.get("seconds").is_some()
        && of.as_ref().is_some_and(|of| of[..].iter().any(|o| o.1 != Metric::FrameRate))
    {
        s.problem_of("seconds", &format!("is for {} only", Metric::FrameRate.name()));
    }
    let pages = s.read("pages", choice(vec![("smaller", Pages::Smaller), ("larger", Pages::Larger)]));
    if s.get("pages").is_some()
        && of.as_ref().is_some_and(|of| of[..].iter().any(|o| o.1 != Metric::PageTime))
    {
        s.problem_of("pages", &format!("is for {} only", Metric::PageTime.name()));
    }
    let term = Term { of: of?, queue: queue?, seconds, pages, at: names.at(s)? };
    let other = |key| s.section(key).map(|other| read_other(&other, names, &term));
    let divided_by = other("divided_by");
    let minus = other("minus");
    let times = other("times");
    let compared = match (spread, divided_by, minus, times) {
        (None, None, None, None) => Compared::Value,
        (Some(queues), None, None, None) => Compared::Spread(queues),
        (None, Some(term), None, None) => Compared::DividedBy(term?),
        (None, None, Some(term), None) => Compared::Minus(term?),
        (None, None, None, Some(term)) => Compared::Times(term?),
        _ => {
            s.problem("give one of spread, divided_by, minus and times".into());
            return None;
        }
    };
    if published.is_some() {
        let plain = matches!(compared, Compared::Value) && term.seconds.is_none() && term.pages.is_none();
        if !plain {
            s.problem_of("published", "is for a check of a figure as such: others are not drawn");
        }
    }
    let bound = |key| s.read(key, number(-1e12..=1e12, "a number"));
    let (least, most) = (bound("least"), bound("most"));
    let order = s.read("order", |v| match (v.is("rises"), v.is("falls")) {
        (true, _) => Ok(Expect::Rises),
        (_, true) => Ok(Expect::Falls),
        _ => Err(format!("'{}' is neither \"rises\" nor \"falls\"", v.written)),
    });
    let known = s.read("known", text).map(|known| known.trim().into());
    let cause = s.read("cause", choice(vec![("shown", true), ("open", false)]));
    if cause.is_some() && s.get("known").is_none() {
        s.problem_of("cause", "is of the text in `known`, which is missing: write it, or leave `cause` out");
    }
    let class = s.read("class", class).or(of_file);
    let quick = s.read("quick", flag).unwrap_or(true);
    let expect = expectation(s, least, most, order);
    if rerun.is_some() && !matches!(expect, None | Some(Expect::Within(_))) {
        s.problem_of("rerun", "is a number, and an order has none: give least, most or both");
    }
    if matches!(expect, Some(Expect::Rises | Expect::Falls)) && free(&term, names).len() != 1 {
        s.problem_of("order", "is along one axis: name a value of every other one in `at`");
    }
    s.finish();
    let reported = reported?;
    let number = published.is_some() || distance::prints_number(&reported);
    Some(Check {
        what: what?,
        section: section?,
        class: class.unwrap_or(if number { Class::Published } else { Class::Claim }),
        cause_shown: cause.unwrap_or(false),
        reported,
        published,
        rerun,
        term,
        compared,
        expect: expect?,
        known,
        quick,
    })
}

/// `4.27`, or `[15, 25]`: from, to.
fn read_published(v: &Value) -> Result<(f64, f64), String> {
    let number = |written: &String| match written.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("'{written}' is not a number")),
    };
    match items(v).iter().map(number).collect::<Result<Vec<f64>, _>>()?[..] {
        [value] => Ok((value, value)),
        [low, high] if low < high => Ok((low, high)),
        _ => Err("is neither a number nor a range, such as 4.27 or [15, 25]".into()),
    }
}

/// The axes of which a term takes several values.
fn free(term: &Term, names: &Names) -> Vec<usize> {
    let fixed = |axis: &usize| term.at.iter().any(|(a, values)| a == axis && values.len() == 1);
    (0..names.axes.len()).filter(|axis| !fixed(axis)).collect()
}

/// `{ queue = "fifo" }`: what is not named is as in the check's own term.
fn read_other(s: &Section, names: &Names, term: &Term) -> Option<Term> {
    let of = s.read("of", |v| names.metrics(v)).unwrap_or_else(|| term.of.clone());
    let queue = s.read("queue", |v| names.queue(v)).unwrap_or_else(|| term.queue.clone());
    let at = names.at(s)?;
    s.finish();
    if at.iter().any(|(_, values)| values.len() != 1) {
        s.problem_of("at", "name one value of an axis: each point is compared with one other");
    }
    if of == term.of && queue == term.queue && at.iter().all(|named| term.at.contains(named)) {
        s.problem("compares a figure with itself: name another `of`, `queue` or `at`".into());
    }
    Some(Term { of, queue, seconds: term.seconds, pages: term.pages, at })
}

/// `{ below = 2.2 }`, `{ above = 2.6 }` or `{ correlation = true }`.
fn read_seconds(s: &Section) -> Option<Seconds> {
    let rate = |key| s.read(key, number(0.0..=1e5, "a rate in Mb/s"));
    let found = [
        rate("below").map(Seconds::Below),
        rate("above").map(Seconds::Above),
        s.read("correlation", flag).filter(|wanted| *wanted).map(|_| Seconds::Correlation),
    ];
    s.finish();
    let mut found = found.into_iter().flatten();
    let seconds = found.next();
    if seconds.is_none() || found.next().is_some() {
        s.problem("give one of below, above and correlation = true".into());
    }
    seconds
}

fn expectation(s: &Section, least: Option<f64>, most: Option<f64>, order: Option<Expect>) -> Option<Expect> {
    match (least, most, order) {
        (None, None, Some(order)) => Some(order),
        (Some(least), Some(most), None) if least > most => {
            s.problem_of("most", &format!("{most} is below least = {least}: nothing could be in between"));
            None
        }
        (None, None, None) => {
            if ["least", "most", "order"].iter().all(|key| s.get(key).is_none()) {
                s.problem("expects nothing: give least, most or both, or an order".into());
            }
            None
        }
        (least, most, None) => {
            let range: RangeInclusive<f64> =
                least.unwrap_or(f64::NEG_INFINITY)..=most.unwrap_or(f64::INFINITY);
            Some(Expect::Within(range))
        }
        (.., Some(_)) => {
            s.problem_of("order", "give an order, or least and most, not both");
            None
        }
    }
}
