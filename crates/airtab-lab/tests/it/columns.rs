// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Means of a table's columns over the time in which an application is measured and active; mean limit of a queue.

use airtab_core::{Discipline, Params};
use airtab_scenario::{Metric, ScenarioFile};

fn mean(text: &str, queue: &str, metric: Metric, app: Option<usize>) -> Option<f64> {
    let scenario = ScenarioFile::parse("mine.toml", text).unwrap_or_else(|e| panic!("{e}")).scenario;
    let params = Params::new(Discipline::named(queue).unwrap());
    let run = airtab_lab::run(&scenario, &params, 3);
    app.map_or(&run.ap, |app| &run.apps[app]).get(&metric).copied()
}

/// Samples of a flow after the stop of its application are in no mean.
#[test]
fn columns_are_of_the_time_in_which_an_application_is_active() {
    let text = |until: &str, other: &str| {
        format!(
            "duration = \"9s\"\nmeasure = [\"0s\", \"{until}\"]\n[[station]]\nname = \"s\"\n\
             [[app]]\nname = \"load\"\nkind = \"download\"\nstation = \"s\"\nstart = \"1s\"\nstop = \"3s\"\n{other}"
        )
    };
    let credit = Metric::named("credit_mean_seconds").unwrap();
    let other = "[[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"s\"\n";
    for other in ["", other] {
        let [whole, part] = ["9s", "3s"].map(|until| mean(&text(until, other), "chap", credit, Some(0)));
        assert!(whole.is_some() && whole == part, "{whole:?} {part:?}");
    }
}

/// With a queue for each access category there is no one limit of the access point.
#[test]
fn a_limit_is_of_one_queue() {
    let text = |edca: &str| {
        format!(
            "duration = \"1s\"\n[wifi]\nphy = \"std-11n\"\nedca = \"{edca}\"\n[[station]]\nname = \"s\"\n\
             [[app]]\nname = \"load\"\nkind = \"download\"\nstation = \"s\"\n"
        )
    };
    let [one, four] = ["off", "standard"].map(|edca| mean(&text(edca), "wqm", Metric::LimitMean, None));
    assert!(one.is_some_and(|packets| packets >= 1.0) && four.is_none(), "{one:?} {four:?}");
}
