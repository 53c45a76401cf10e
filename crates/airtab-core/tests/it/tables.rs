// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The tables that every front end is made from, and the words of their errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use airtab_core::{Discipline, Params, Pool, Qdisc, Rule, Stat, Unit, disciplines};

fn lower_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')
}

fn ascending(ids: impl Iterator<Item = u16>) -> bool {
    let ids: Vec<_> = ids.collect();
    ids.first().is_none_or(|&first| first > 0) && ids.windows(2).all(|w| w[0] < w[1])
}

fn unique<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let mut names: Vec<_> = names.collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    names.len() == all
}

#[test]
fn every_discipline_has_a_name_and_a_line() {
    assert!(unique(disciplines().map(Discipline::name)));
    for d in disciplines() {
        assert!(lower_case(d.name()) && !d.about().is_empty(), "{}", d.name());
        assert_eq!(Discipline::named(d.name()), Some(d));
    }
    for name in ["spq", "chap", "fifo"] {
        assert!(Discipline::named(name).is_some(), "{name}");
    }
    assert_eq!(Discipline::named("nonesuch"), None);
}

#[test]
fn parameter_tables_are_sane() {
    for d in disciplines() {
        let table = d.params();
        assert!(
            ascending(table.iter().map(|p| p.id)) && unique(table.iter().map(|p| p.name)),
            "{}",
            d.name()
        );
        for p in table {
            let name = format!("{} {}", d.name(), p.name);
            assert!(lower_case(p.name), "{name}");
            assert!(p.min <= p.default && p.default <= p.max, "{name}: default within its range");
            assert!(!p.help.is_empty() && !p.source.is_empty(), "{name}: help and source");
            assert_eq!(p.unit == Unit::Choice, !p.choices.is_empty(), "{name}: choices");
            if p.unit == Unit::Choice {
                assert_eq!((p.min, p.max), (0, p.choices.len() as u64 - 1), "{name}");
                assert!(
                    p.choices.iter().all(|c| lower_case(&c.replace(['-', '.'], "_")))
                        && unique(p.choices.iter().copied()),
                    "{name}"
                );
            }
        }
        Params::new(d).check().expect("the defaults are accepted");
    }
}

#[test]
fn statistics_tables_are_sane() {
    for d in disciplines() {
        for table in [d.stats(), d.row_stats()] {
            let named = |s: &Stat| lower_case(s.name) && !s.help.is_empty();
            assert!(ascending(table.iter().map(|s| s.id)), "{}", d.name());
            assert!(unique(table.iter().map(|s| s.name)) && table.iter().all(named), "{}", d.name());
        }
    }
}

/// Gauges with a unit, where a column says which flow a row is about.
#[test]
fn columns_of_flows_go_by_name() {
    let shown = |name: &str| -> Vec<&str> {
        let discipline = Discipline::named(name).expect("it is there");
        discipline.flow_columns().iter().map(|column| column.name).collect()
    };
    assert_eq!((shown("chap"), shown("fq_codel")), (vec!["credit"], vec!["sojourn"]));
    // Rows of classes say nothing of a flow; no table says nothing at all.
    assert_eq!((shown("spq").len(), shown("fifo").len()), (0, 0));
    for d in disciplines() {
        for (place, stat) in d.row_stats().iter().enumerate() {
            let column = d.column(stat.name).expect("it has it");
            assert_eq!((column.place, column.unit, column.help), (place, stat.unit, stat.help));
        }
        assert_eq!(d.column("nonesuch"), None);
    }
}

#[test]
fn a_value_that_is_shown_can_be_written() {
    for d in disciplines() {
        for p in d.params() {
            let values = [p.min, p.default, p.max, p.min + (p.max - p.min) / 7 * 3];
            for value in values.into_iter().filter(|v| p.unit != Unit::Rule || Rule::of(*v).is_some()) {
                let mut params = Params::new(d);
                params.set(p.name, &p.format(value)).unwrap();
                assert_eq!(params.get(p.name), Some(&[value][..]), "{} {}", d.name(), p.name);
            }
        }
    }
}

/// Discipline, parameter, the value at fault and what is allowed.
#[test]
fn errors_name_parameter_value_and_range() {
    for d in disciplines() {
        for p in d.params() {
            let mut params = Params::new(d);
            let mut wrong = vec!["nonesuch".to_owned(), String::new()];
            if !matches!(p.unit, Unit::Bool | Unit::Choice | Unit::Rule) {
                wrong.push(p.unit.format(p.max + 1));
                wrong.extend(p.min.checked_sub(1).map(|v| p.unit.format(v)));
            }
            for value in wrong {
                let error = params.set(p.name, &value).unwrap_err().to_string();
                assert!(error.starts_with(&format!("{}: {}: ", d.name(), p.name)), "{error}");
                assert!(error.contains(&format!("'{value}'")), "{error}");
                let example = p.unit.example();
                assert!(error.contains(&p.allowed()) || error.contains(example), "{error}");
            }
            let list = vec![p.format(p.default); p.max_len + 1].join(",");
            let error = params.set(p.name, &list).unwrap_err().to_string();
            assert!(error.contains(&format!("{} values, at most {}", p.max_len + 1, p.max_len)), "{error}");
            assert_eq!(params.get(p.name), Some(&[p.default][..]), "a refused value changes nothing");
        }
    }
}

#[test]
fn errors_in_full() {
    let set = |name, key, value| {
        Params::new(Discipline::named(name).unwrap()).set(key, value).unwrap_err().to_string()
    };
    assert_eq!(set("fifo", "limit", "0"), "fifo: limit: '0' is outside 1 to 1048576");
    // Shares are of 1, or have the sign of percents.
    assert!(
        set("cbq", "share", "72,16,12").ends_with("; did you mean 72%?"),
        "{}",
        set("cbq", "share", "72")
    );
    assert!(!set("cbq", "share", "101").contains("did you mean"), "no share is 101 %");
    assert_eq!(set("fifo", "limt", "1"), "fifo: limt: no such parameter; there are limit, bytes");
    assert_eq!(set("chap", "increment", "11s"), "chap: increment: '11s' is outside 10us to 10s");
    assert_eq!(
        set("chap", "increment", "25"),
        "chap: increment: '25' is not a time with its unit, such as 25ms, 100us or 120s"
    );
    assert_eq!(set("chap", "profile", "paper"), "chap: profile: 'paper' is not default or faithful");
}

/// A time that may be 0 can be written `off`, or 0 without a unit; no other can.
#[test]
fn no_time_needs_no_unit() {
    let mut params = Params::new(Discipline::named("chap").unwrap());
    for off in ["off", "0", "0ms"] {
        params.set("target", "5ms").unwrap();
        params.set("target", off).unwrap();
        assert_eq!(params.get("target"), Some(&[0][..]), "{off}");
        let refused = params.set("increment", off).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("chap: increment: '{off}' is ")), "{refused}");
    }
}

#[test]
fn rules_between_parameters_are_worded_too() {
    let chap = |pairs: &[(&str, &str)]| {
        let mut params = Params::new(Discipline::named("chap").unwrap());
        pairs.iter().for_each(|(name, value)| params.set(name, value).unwrap());
        params.check()
    };
    assert_eq!(
        chap(&[("limit", "5000")]).unwrap_err().to_string(),
        "chap: flows: must be more than limit, so that every queued packet can have its flow \
         (flows is 4096, limit is 5000)"
    );
    assert!(chap(&[("flows", "35"), ("limit", "35")]).is_err());
    assert_eq!(chap(&[("flows", "36"), ("limit", "35")]), Ok(()));
    assert_eq!(
        chap(&[("profile", "faithful"), ("limit", "1")]).unwrap_err().to_string(),
        "chap: limit: the faithful profile holds limit - 1 packets: at least 2 (limit is 1, profile is faithful)"
    );
    assert_eq!(chap(&[("profile", "faithful"), ("limit", "2")]), Ok(()));
}

#[test]
fn a_fixed_parameter_cannot_change() {
    let mut fixed = 0;
    for d in disciplines() {
        for p in d.params().iter().filter(|p| p.fixed) {
            fixed += 1;
            let old = Params::new(d);
            let mut new = old.clone();
            let other = if p.default < p.max { p.default + 1 } else { p.default - 1 };
            new.set(p.name, &p.format(other)).unwrap();
            assert_eq!(old.fixed_change(&new), Some(p.name));
            let mut pool = Pool::<()>::new();
            let mut q = Qdisc::new(&pool, &old, 0, 0);
            let change = catch_unwind(AssertUnwindSafe(|| q.change(&mut pool, &new, 0)));
            let message = *change.unwrap_err().downcast::<String>().unwrap();
            assert!(message.contains("fixed at the start"), "{message}");
        }
    }
    assert!(fixed >= 3, "classes of spq, profile and flows of chap");
}
