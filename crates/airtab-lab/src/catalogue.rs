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
