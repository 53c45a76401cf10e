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

#[cfg(test)]
mod tests {
    use super::super::file::Purpose;
    use super::super::made::{HOME, parse, read};
    use super::*;

    /// Two disciplines, an axis, a check with these lines.
    fn text(lines: &str) -> String {
        format!(
            "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\", \"spq\"]\n{}\n{HOME}\n\
             [[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [20, 40, 80]\n\
             [[check]]\nwhat = \"w\"\nsection = \"1\"\n{}\n",
            lines.split_once('#').map_or("", |(_, top)| top),
            lines.split('#').next().unwrap()
        )
    }

    fn check(lines: &str) -> Check {
        parse(&text(lines)).checks.remove(0)
    }

    const OF: &str = "of = \"g.game_mos\"\nqueue = \"fifo\"\n";

    /// The class of a check: its own key, else the file's, else the one that its words suggest.
    #[test]
    fn a_check_has_a_class() {
        for (lines, class) in [
            ("reported = \"4.27\"", Class::Published),
            ("reported = \"133 ms\"", Class::Published),
            ("reported = \"alike\"", Class::Claim),
            ("reported = \"a third\"\npublished = 0.3", Class::Published),
            ("reported = \"a third\"\nrerun = 0.3", Class::Claim),
            ("reported = \"4.27\"\nclass = \"oracle\"", Class::Oracle),
            ("reported = \"4.27\"#class = \"question\"", Class::Question),
            ("reported = \"alike\"\nclass = \"oracle\"#class = \"question\"", Class::Oracle),
        ] {
            assert_eq!(check(&format!("{OF}least = 1\n{lines}")).class, class, "{lines}");
        }
    }

    #[test]
    fn a_check_is_read_as_it_is_written() {
        let plain = check(&format!("{OF}reported = \"r\"\nmost = 7"));
        assert_eq!(
            (plain.expect, plain.quick, plain.cause_shown),
            (Expect::Within(f64::NEG_INFINITY..=7.0), true, false)
        );
        assert_eq!((plain.known, plain.published, plain.rerun), (None, None, None));
        assert_eq!((plain.term.at, plain.term.seconds, plain.term.pages), (vec![], None, None));
        assert!(matches!(plain.compared, Compared::Value));
        let full = check(&format!(
            "{OF}reported = \"r\"\nleast = -2\nknown = \" because \"\ncause = \"shown\"\nquick = false\n\
             published = [3, 4.5]\nrerun = 6\nat = {{ q = [80, 20] }}"
        ));
        assert_eq!(
            (full.expect, full.quick, full.cause_shown),
            (Expect::Within(-2.0..=f64::INFINITY), false, true)
        );
        assert_eq!(
            (full.known.as_deref(), full.published, full.rerun),
            (Some("because"), Some((3.0, 4.5)), Some((6.0, 6.0)))
        );
        assert_eq!(full.term.at, [(0, vec![2, 0])]);
        let open = check(&format!(
            "{OF}reported = \"r\"\nleast = 3\nmost = 3\nknown = \"k\"\ncause = \"open\"\npublished = 5"
        ));
        assert_eq!(
            (open.expect, open.cause_shown, open.published),
            (Expect::Within(3.0..=3.0), false, Some((5.0, 5.0)))
        );
        let order = |order: &str| check(&format!("{OF}reported = \"r\"\norder = \"{order}\"")).expect;
        assert_eq!([order("rises"), order("falls")], [Expect::Rises, Expect::Falls]);
    }

    /// Keys that the other term leaves out are those of the check; seconds and pages always are.
    #[test]
    fn the_other_term_is_as_its_own_where_it_says_nothing() {
        let other = |lines: &str| match check(&format!("reported = \"r\"\nleast = 0\n{lines}")).compared {
            Compared::DividedBy(term) => ("divided", term),
            Compared::Times(term) => ("times", term),
            Compared::Minus(term) => ("minus", term),
            compared => panic!("{compared:?}"),
        };
        let figure = |app: &str, metric| vec![(app.to_string(), metric)];
        let (how, term) = other(&format!("{OF}at = {{ q = 40 }}\ndivided_by = {{ queue = \"chap\" }}"));
        assert_eq!((how, term.queue.as_str(), term.at), ("divided", "chap", vec![]));
        assert_eq!((term.of, term.seconds, term.pages), (figure("g", Metric::GameMos), None, None));
        let chap = OF.replace("fifo", "chap");
        let (how, term) = other(&format!("{chap}at = {{ q = 40 }}\ntimes = {{ at = {{ q = 20 }} }}"));
        assert_eq!((how, term.queue.as_str(), term.at), ("times", "chap", vec![(0, vec![0])]));
        let (how, term) = other(&format!("{OF}minus = {{ of = \"v.voip_mos\" }}"));
        assert_eq!((how, term.queue.as_str(), term.of), ("minus", "fifo", figure("v", Metric::VoipMos)));
        let of =
            |metric: &str| format!("of = \"v.{metric}\"\nqueue = \"fifo\"\nminus = {{ queue = \"chap\" }}\n");
        let (_, term) = other(&format!("{}seconds = {{ above = 2.6 }}", of("playable_frames_per_second")));
        assert_eq!((term.seconds, term.pages), (Some(Seconds::Above(2.6)), None));
        let (_, term) = other(&format!("{}pages = \"larger\"", of("page_seconds")));
        assert_eq!((term.seconds, term.pages), (None, Some(Pages::Larger)));
        let below = "of = \"v.playable_frames_per_second\"\nqueue = \"fifo\"\nreported = \"r\"\nleast = 0\nseconds = { below = 2 }";
        assert_eq!(check(below).term.seconds, Some(Seconds::Below(2.0)));
        let spread = check("of = \"g.game_mos\"\nspread = [\"chap\", \"fifo\"]\nreported = \"r\"\nmost = 1");
        assert!(matches!(&spread.compared, Compared::Spread(queues) if queues == &["chap", "fifo"]));
        assert_eq!(spread.term.queue, "chap");
    }

    #[test]
    fn what_a_check_cannot_be_is_told() {
        for (lines, said) in [
            ("minus = { queue = \"fifo\" }", "compares a figure with itself"),
            ("at = { q = 20 }\nminus = { at = { q = 20 } }", "compares a figure with itself"),
            ("minus = { of = \"g.game_mos\" }", "compares a figure with itself"),
            ("minus = { at = { q = [20, 40] } }", "name one value of an axis"),
            (
                "minus = { queue = \"chap\" }\ntimes = { queue = \"chap\" }",
                "give one of spread, divided_by, minus and times",
            ),
            ("seconds = { below = 2, above = 3 }", "give one of below, above and correlation"),
            ("seconds = { correlation = false }", "give one of below, above and correlation"),
            ("published = [4, 4]", "is neither a number nor a range"),
        ] {
            let wrong =
                read("mine", &text(&format!("{OF}reported = \"r\"\nleast = 0\n{lines}")), Purpose::Judge);
            let wrong = wrong.map(|_| ()).expect_err(lines);
            assert!(wrong.contains(said), "{lines}: {wrong}");
        }
        check(&format!(
            "{OF}reported = \"r\"\nleast = 0\nat = {{ q = 40 }}\nminus = {{ at = {{ q = 20 }} }}"
        ));
        // What has one wrong part is wrong.
        for (lines, said) in [
            ("of = \"g.game_mos\"\nspread = [\"chap\", \"chap\"]", "one discipline does not differ"),
            (
                "of = [\"v.page_seconds\", \"g.game_mos\"]\nqueue = \"fifo\"\npages = \"larger\"",
                "is for page_seconds only",
            ),
            (
                "of = [\"v.playable_frames_per_second\", \"g.game_mos\"]\nqueue = \"fifo\"\nseconds = { below = 2 }",
                "is for playable_frames_per_second only",
            ),
        ] {
            let wrong = read("mine", &text(&format!("reported = \"r\"\nleast = 0\n{lines}")), Purpose::Judge);
            let wrong = wrong.map(|_| ()).expect_err(lines);
            assert!(wrong.contains(said), "{lines}: {wrong}");
        }
        // An order needs one axis along which it is.
        let order = format!("{OF}reported = \"r\"\norder = \"falls\"\nat = {{ q = 20 }}");
        let wrong = read("mine", &text(&order), Purpose::Judge).map(|_| ()).expect_err("one point");
        assert!(wrong.contains("is along one axis"), "{wrong}");
    }
}
