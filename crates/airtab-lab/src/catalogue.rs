// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What there is, for programs: disciplines, experiments, and forms of files, as `--json` prints them.
//!
//! Source: the tables of the core, the files of `experiments/`, and the readers.
//!
//! What it does not do: nothing is known here that they do not say.

use airtab_core::{Discipline, Param, Stat};
use serde_json::{Map, Value, json};

use crate::change::results_schema;
use crate::experiment::{self, Compared, Experiment, Term, told};

/// Forms that have a schema: the names of [`schema`].
pub const SCHEMAS: [&str; 5] = ["scenario", "experiment", "sweep", "results", "sweep-results"];

/// The JSON Schema of a form; None if there is none of that name.
pub fn schema(name: &str) -> Option<Value> {
    match name {
        "scenario" => Some(airtab_scenario::schema::scenario()),
        "experiment" => Some(experiment::schema()),
        "sweep" => Some(experiment::sweep_schema()),
        "results" => Some(results_schema()),
        "sweep-results" => Some(experiment::sweep_results_schema()),
        _ => None,
    }
}

/// Every discipline of the core.
pub fn disciplines() -> Value {
    airtab_core::disciplines().map(discipline).collect()
}

/// A discipline: what it is, its parameters, its statistics, and the columns of its table of flows.
pub fn discipline(d: Discipline) -> Value {
    json!({
        "name": d.name(),
        "about": d.about(),
        "params": d.params().iter().map(param).collect::<Vec<_>>(),
        "stats": d.stats().iter().map(stat).collect::<Vec<_>>(),
        "columns": d.row_stats().iter().map(stat).collect::<Vec<_>>(),
    })
}

fn param(p: &Param) -> Value {
    json!({
        "id": p.id,
        "name": p.name,
        "unit": format!("{:?}", p.unit).to_lowercase(),
        "default": p.format(p.default),
        "allowed": p.allowed(),
        "values": p.max_len,
        "fixed": p.fixed,
        "help": p.help,
        "source": p.source,
    })
}

fn stat(s: &Stat) -> Value {
    json!({
        "id": s.id,
        "name": s.name,
        "unit": format!("{:?}", s.unit).to_lowercase(),
        "counter": s.counter,
        "help": s.help,
    })
}

/// The experiments of the repository, each in short.
pub fn experiments() -> Value {
    let one = |e: &Experiment| json!({ "id": e.id, "title": e.title, "source": e.source, "live": e.live, "checks": e.checks.len() });
    experiment::all().iter().map(one).collect()
}

/// An experiment in full: what varies, and what its source says should come out. Numbers of `published` are in the unit
/// of tables.
pub fn experiment(e: &Experiment) -> Value {
    let axes = e.axes.iter().map(|axis| {
        let values = axis.values.iter().map(|value| json!({ "text": value.text, "x": value.x }));
        json!({ "name": axis.name, "label": axis.label, "log": axis.log, "values": values.collect::<Vec<_>>() })
    });
    let term = |term: &Term| {
        let of = term.of.iter().map(|(app, metric)| json!({ "app": app, "metric": metric.name() }));
        let at = term.at.iter().map(|(axis, values)| {
            let axis = &e.axes[*axis];
            let values = values.iter().map(|value| axis.values[*value].text.as_str());
            (axis.name.clone(), values.collect::<Value>())
        });
        json!({ "of": of.collect::<Vec<_>>(), "queue": term.queue, "at": at.collect::<Map<_, _>>() })
    };
    let checks = e.checks.iter().map(|check| {
        json!({
            "what": check.what,
            "section": check.section,
            "reported": check.reported,
            "published": check.published,
            "rerun": check.rerun,
            "expected": told::expected(&check.expect),
            "term": term(&check.term),
            "plain": matches!(check.compared, Compared::Value),
            "known": check.known,
            "class": check.class.name(),
        })
    });
    let queues = e.queues.iter().map(|queue| queue.label.as_str());
    json!({
        "id": e.id,
        "title": e.title,
        "source": e.source,
        "about": e.about,
        "study": e.study,
        "remarks": e.remarks,
        "live": e.live,
        "seeds": e.seeds,
        "quick_seeds": e.quick_seeds,
        "queues": queues.collect::<Vec<_>>(),
        "axes": axes.collect::<Vec<_>>(),
        "checks": checks.collect::<Vec<_>>(),
        "toml": e.portable_toml(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_is_that_of_its_name() {
        let begins = ["Scenario", "Experiment", "Sweep", "Results of airtab", "Results of a sweep"];
        let pages = ["scenarios", "experiments", "sweeps", "report", "sweeps"];
        for (name, (begin, page)) in SCHEMAS.into_iter().zip(begins.into_iter().zip(pages)) {
            let schema = schema(name).expect("it is there");
            let title = schema["title"].as_str().unwrap();
            assert!(title.starts_with(begin), "{name}: {title}");
            assert_eq!(schema["description"], format!("docs/{page}.md says what each key means"), "{name}");
        }
        assert_eq!(schema("result"), None);
    }

    /// Each key has what the table of the core has of it.
    #[test]
    fn disciplines_are_told_as_their_tables_have_them() {
        let all = disciplines();
        assert_eq!(all.as_array().map(Vec::len), Some(airtab_core::disciplines().count()));
        for (told, d) in all.as_array().unwrap().iter().zip(airtab_core::disciplines()) {
            assert_eq!((&told["name"], &told["about"]), (&json!(d.name()), &json!(d.about())));
            assert_eq!(told["params"].as_array().map(Vec::len), Some(d.params().len()));
            for (told, p) in told["params"].as_array().unwrap().iter().zip(d.params()) {
                let texts =
                    ["name", "help", "source", "allowed", "default"].map(|key| told[key].as_str().unwrap());
                assert_eq!(texts, [p.name, p.help, p.source, &p.allowed(), &p.format(p.default)]);
                let numbers = ["id", "values"].map(|key| told[key].as_u64().unwrap());
                assert_eq!((numbers, &told["fixed"]), ([p.id.into(), p.max_len as u64], &json!(p.fixed)));
            }
            for (key, stats) in [("stats", d.stats()), ("columns", d.row_stats())] {
                assert_eq!(told[key].as_array().map(Vec::len), Some(stats.len()));
                for (told, s) in told[key].as_array().unwrap().iter().zip(stats) {
                    let unit = &told["unit"];
                    let expected = json!({ "id": s.id, "name": s.name, "help": s.help, "counter": s.counter, "unit": unit });
                    assert_eq!(*told, expected);
                }
            }
        }
        let chap = discipline(Discipline::named("chap").unwrap());
        let units = |key: &str| -> Vec<&str> {
            chap[key].as_array().unwrap().iter().map(|of| of["unit"].as_str().unwrap()).collect()
        };
        assert!(
            units("params").contains(&"ns") && units("params").contains(&"count"),
            "{:?}",
            units("params")
        );
        assert!(units("columns").contains(&"signedns"), "{:?}", units("columns"));
    }

    #[test]
    fn an_experiment_is_told_in_full() {
        let e = experiment::made::parse(
            r#"
            title = "a title"
            source = "a source"
            about = "what is done"
            study = "Somebody 2010"
            seeds = 7
            quick_seeds = 3
            queues = ["fifo", "chap:limit=70"]
            remarks = { chap = "a remark" }
            [scenario]
            duration = "6s"
            station = [{ name = "s" }]
            app = [{ name = "a", kind = "game", station = "s" }, { name = "b", kind = "voip", station = "s" }]
            [[axis]]
            name = "q"
            label = "limit, packets"
            log = true
            keys = ["queue.fifo.limit"]
            values = [20, 40]
            [[axis]]
            name = "b is there"
            keys = ["app.b.kind"]
            values = ["voip", "ping"]
            names = ["yes", "no"]
            [[check]]
            what = "first"
            section = "1.1"
            reported = "about 4"
            of = "a.game_mos"
            queue = "chap:limit=70"
            at = { q = 40 }
            published = [3, 4]
            rerun = 2
            least = 2
            most = 5
            [[check]]
            what = "second"
            section = "2.2"
            reported = "falls"
            of = ["a.game_mos", "b.voip_mos"]
            queue = "fifo"
            at = { "b is there" = "yes", q = [20, 40] }
            minus = { queue = "chap:limit=70" }
            order = "falls"
            known = "because"
            class = "question"
            "#,
        );
        let mut told = experiment(&e);
        assert_eq!(told["toml"].take(), json!(e.toml));
        let expected = json!({
            "id": "mine",
            "title": "a title",
            "source": "a source",
            "about": "what is done",
            "study": "Somebody 2010",
            "remarks": { "chap": "a remark" },
            "live": false,
            "seeds": 7,
            "quick_seeds": 3,
            "queues": ["fifo", "chap:limit=70"],
            "axes": [
                { "name": "q", "label": "limit, packets", "log": true, "values": [
                    { "text": "20", "x": 20.0 }, { "text": "40", "x": 40.0 },
                ] },
                { "name": "b is there", "label": "b is there", "log": false, "values": [
                    { "text": "yes", "x": null }, { "text": "no", "x": null },
                ] },
            ],
            "checks": [
                {
                    "what": "first",
                    "section": "1.1",
                    "reported": "about 4",
                    "published": [3.0, 4.0],
                    "rerun": [2.0, 2.0],
                    "expected": "2 to 5",
                    "term": {
                        "of": [{ "app": "a", "metric": "game_mos" }],
                        "queue": "chap:limit=70",
                        "at": { "q": ["40"] },
                    },
                    "plain": true,
                    "known": null,
                    "class": "published",
                },
                {
                    "what": "second",
                    "section": "2.2",
                    "reported": "falls",
                    "published": null,
                    "rerun": null,
                    "expected": "falls",
                    "term": {
                        "of": [{ "app": "a", "metric": "game_mos" }, { "app": "b", "metric": "voip_mos" }],
                        "queue": "fifo",
                        "at": { "b is there": ["yes"], "q": ["20", "40"] },
                    },
                    "plain": false,
                    "known": "because",
                    "class": "question",
                },
            ],
            "toml": null,
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn experiments_are_told_in_short() {
        let all = experiments();
        let one =
            |id: &str| all.as_array().unwrap().iter().find(|e| e["id"] == id).expect("it is there").clone();
        let e = experiment::find("chap/constants").unwrap();
        let (id, checks) = ("chap/constants", e.checks.len());
        let expected =
            json!({ "id": id, "title": e.title, "source": e.source, "live": false, "checks": checks });
        assert_eq!(one(id), expected);
        assert_eq!(one("live/lnx-cpu")["live"], true);
    }
}
