// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Means of a table's columns over the time in which an application is measured and active; mean limit of a queue; RED's
//! average and drops.

use airtab_core::{Discipline, Params};
use airtab_scenario::{Metric, QueueSpec, ScenarioFile};

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
    let [one, four] = ["off", "ieee2012"].map(|edca| mean(&text(edca), "wqm", Metric::LimitMean, None));
    assert!(one.is_some_and(|packets| packets >= 1.0) && four.is_none(), "{one:?} {four:?}");
}

/// A flow of twice the rate of the link loses only what RED drops, as the limit is out of reach. Both kinds of drops in the
/// measured time sum to the packets lost in it, and the average is about `max`, from which on all are dropped.
#[test]
fn red_counts_its_drops_in_the_measured_time() {
    let text = |from: &str| {
        format!(
            "duration = \"5s\"\nmeasure = [\"{from}\", \"4s\"]\ntopology = \"dumbbell\"\n[bottleneck]\nrate = \"10Mb/s\"\n\
             [[station]]\nname = \"sink\"\n\
             [[app]]\nname = \"flood\"\nkind = \"udp\"\nstation = \"sink\"\nrate = \"20Mb/s\"\n"
        )
    };
    let run = |text: &str, queue: &str| {
        let file = ScenarioFile::parse("mine.toml", text).unwrap_or_else(|e| panic!("{e}"));
        let params = queue.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        airtab_lab::run(&file.scenario, &params, 3)
    };
    for (from, seconds) in [("1s", 3.0), ("3s", 1.0)] {
        let red = run(&text(from), "red:limit=1000");
        let of = |metric: Metric| red.ap.get(&metric).copied().unwrap_or_else(|| panic!("no {metric:?}"));
        let lost = red.apps[0][&Metric::LossRate] * seconds;
        let (early, forced) = (of(Metric::EarlyDrops), of(Metric::ForcedDrops));
        assert!(early > 20.0 && forced > 200.0, "{early} early, {forced} forced");
        assert!((early + forced - lost).abs() < 10.0, "{early} early, {forced} forced, {lost} lost");
        let average = of(Metric::AverageMean);
        assert!((35.0..42.0).contains(&average), "{average}");
    }
    // A min of max leaves none to chance.
    let steep = run(&text("1s"), "red:limit=1000:min=40").ap;
    assert!(steep[&Metric::EarlyDrops] == 0.0 && steep[&Metric::ForcedDrops] > 1000.0, "{steep:?}");
    let fifo = run(&text("1s"), "fifo").ap;
    let of_red = [Metric::AverageMean, Metric::EarlyDrops, Metric::ForcedDrops];
    assert!(of_red.iter().all(|metric| !fifo.contains_key(metric)), "{fifo:?}");
}
