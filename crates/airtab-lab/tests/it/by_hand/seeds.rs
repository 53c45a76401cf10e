// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs of several seeds to means, intervals and the pages that all completed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use Metric::*;
use airtab_core::time::MS;
use airtab_core::{Discipline, Params};
use airtab_lab::plan::Step;
use airtab_lab::store::NoStore;
use airtab_lab::{Comparison, Options, Stopped, compare, comparison};
use airtab_quality::web::Page;
use airtab_scenario::{Figures, Measured, Metric, ScenarioFile};
use airtab_sim::{MeasureWindow, Scenario};

use super::near;

/// A browser and a ping; short, as some of it is simulated.
fn home() -> Scenario {
    let text = "name = \"small\"\nduration = \"300ms\"\nmeasure = [\"100ms\", \"200ms\"]\n[[station]]\nname = \"a\"\n\
                [[app]]\nname = \"web\"\nkind = \"web\"\nstation = \"a\"\n\
                [[app]]\nname = \"echo\"\nkind = \"ping\"\nstation = \"a\"\ninterval = \"7ms\"\n";
    ScenarioFile::parse("small.toml", text).unwrap().scenario
}

fn queues() -> Vec<(String, Params)> {
    let of = |name: &str, label: &str| {
        let mut params = Params::new(Discipline::named(name).unwrap());
        params.set("limit", "17").unwrap();
        (label.to_string(), params)
    };
    vec![of("fifo", "fifo:limit=17"), of("chap", "chap:limit=17")]
}

fn run(echo: &[(Metric, f64)], ap: &[(Metric, f64)], pages: &[(u32, u64)]) -> Measured {
    // Number and time from request to end, ms; opened 3 ms before, of as many bytes as its number says.
    let page = |(number, took): &(u32, u64)| Page {
        number: *number,
        opened_ns: 97 * MS,
        requested_ns: 100 * MS,
        done_ns: (100 + took) * MS,
        bytes: 1000 * u64::from(*number),
    };
    Measured {
        apps: vec![Figures::new(), echo.iter().copied().collect()],
        pages: vec![pages.iter().map(page).collect(), Vec::new()],
        seconds: vec![Vec::new(); 2],
        ap: ap.iter().copied().collect(),
        nodes: Vec::new(),
    }
}

/// Pages that every discipline completed are found for each window by itself.
#[test]
fn pages_of_a_window_are_compared_with_those_of_that_window() {
    let mut scenario = home();
    let window = |name: &str| MeasureWindow { name: name.into(), part_ns: 0..1, step_ns: None };
    scenario.windows = vec![window("early"), window("late")];
    let pages = |whole: &[(u32, u64)], early: &[(u32, u64)], late: &[(u32, u64)]| {
        let [whole, early, late] = [whole, early, late].map(|pages| run(&[], &[], pages));
        let apps = [&whole, &early, &late].map(|part| part.apps.clone()).concat();
        let pages = [&whole, &early, &late].map(|part| part.pages.clone()).concat();
        Measured { apps, pages, ..whole }
    };
    let runs = vec![
        pages(&[(1, 10), (2, 20), (3, 60)], &[(1, 10), (2, 20)], &[(3, 60)]),
        pages(&[(2, 4), (3, 8), (4, 90)], &[(2, 4)], &[(3, 8), (4, 90)]),
    ];
    let c = comparison(&scenario, &queues(), &[4], false, runs);
    for (label, expected) in [("fifo:limit=17", [40.0, 20.0, 60.0]), ("chap:limit=17", [6.0, 4.0, 8.0])] {
        for ((app, pages), ms) in
            [("web", 2.0), ("web@early", 1.0), ("web@late", 1.0)].into_iter().zip(expected)
        {
            near(c.mean(label, app, PageTime).unwrap(), ms * 1e-3);
            assert_eq!(c.mean(label, app, PagesCompared), Some(pages), "{app}");
        }
        near(c.mean(label, "web@late", PageBytes).unwrap(), 3000.0);
    }
}

/// Three seeds under each of two disciplines.
fn compared(runs: [Measured; 6]) -> Comparison {
    comparison(&home(), &queues(), &[4, 5, 9], false, runs.into())
}

/// Under fifo 2, 4 and 9 ms, under chap 1 ms and twice nothing.
fn delays() -> Comparison {
    let of = |ms: f64, backlog: f64| run(&[(Delay, ms * 1e-3)], &[(QueueMax, backlog)], &[]);
    let none = || run(&[], &[(QueueMax, 8.0)], &[]);
    compared([of(2.0, 3.0), of(4.0, 3.0), of(9.0, 3.0), none(), of(1.0, 7.0), none()])
}

#[test]
fn a_mean_has_its_interval_and_the_values_of_its_seeds() {
    let c = delays();
    let fifo = c.get("fifo:limit=17", "echo", Delay).unwrap();
    // (2 + 4 + 9) / 3 = 5; s^2 = (9 + 1 + 16) / 2 = 13; t(0.975, 2) = 4.302653: 4.302653 sqrt(13 / 3) = 8.9567
    near(fifo.mean, 5e-3);
    assert_eq!(format!("{:.4}", fifo.half_width_95.unwrap() * 1e3), "8.9567");
    let in_ms: Vec<_> = fifo.values.iter().map(|v| v.map(|s| (s * 1e6).round() / 1e3)).collect();
    assert_eq!(in_ms, [Some(2.0), Some(4.0), Some(9.0)], "in the order of the seeds");
    let ap = c.get("chap:limit=17", "ap", QueueMax).unwrap();
    near(ap.mean, 23.0 / 3.0); // 8, 7, 8
    assert_eq!(c.mean("fifo:limit=17", "ap", QueueMax), Some(3.0));
}

/// Without packets that wait in the queue no discipline can differ, unless a figure is better or worse all the same.
#[test]
fn a_difference_takes_the_reason_against_it_away() {
    let of = |ping_ms: [f64; 3]| {
        let empty = [(QueueDelay, 1e-4), (QueueDelayP99, 1e-3), (QueueDropped, 0.0)];
        ping_ms.map(|ms| run(&[&[(Ping, ms * 1e-3)], &empty[..]].concat(), &[], &[])).to_vec()
    };
    let under = |chap_ms| {
        let runs = [of([300.0, 301.0, 302.0]), of(chap_ms)].concat();
        let Ok(runs) = runs.try_into() else { panic!("six runs") };
        compared(runs).no_difference
    };
    assert!(under([300.0, 301.0, 302.0]).is_some_and(|why| why.starts_with("No discipline can differ here")));
    assert_eq!(under([10.0, 11.0, 12.0]), None);
}

#[test]
fn a_value_that_is_missing_is_none_and_no_nought() {
    let c = delays();
    let chap = c.get("chap:limit=17", "echo", Delay).unwrap();
    assert_eq!((chap.mean, chap.half_width_95), (1e-3, None), "of the one seed that has a value");
    assert_eq!(chap.values, [None, Some(1e-3), None], "of the second seed");
    assert_eq!(c.mean("chap:limit=17", "echo", Jitter), None, "nobody has it");
    // Of two values: (2 + 9) / 2 = 5.5; s^2 = 24.5, t(0.975, 1) = 12.7062: 12.7062 sqrt(24.5 / 2) = 44.4717
    let of = |ms: f64| run(&[(Delay, ms * 1e-3)], &[], &[]);
    let none = || run(&[], &[], &[]);
    let c = compared([of(2.0), none(), of(9.0), none(), none(), none()]);
    let fifo = c.get("fifo:limit=17", "echo", Delay).unwrap();
    near(fifo.mean, 5.5e-3);
    assert_eq!(format!("{:.4}", fifo.half_width_95.unwrap() * 1e3), "44.4717");
}

#[test]
fn what_was_compared_is_said() {
    let c = delays();
    assert_eq!((c.schema, c.scenario.as_str(), c.short), (1, "small", false));
    assert_eq!((c.duration_ns, c.measure_ns), (300 * MS, [100 * MS, 200 * MS]));
    assert_eq!(c.seeds, [4, 5, 9]);
    let labels: Vec<_> = c.queues.iter().map(|q| (q.label.as_str(), q.discipline)).collect();
    assert_eq!(labels, [("fifo:limit=17", "fifo"), ("chap:limit=17", "chap")]);
    assert_eq!(c.queues[0].params["limit"], "17");
    let apps: Vec<_> = c.queues[1].apps.iter().map(|a| (a.name.as_str(), a.kind)).collect();
    assert_eq!(apps, [("web", "web"), ("echo", "ping")]);
    assert_eq!((c.queues[0].ap.name.as_str(), c.queues[0].ap.kind), ("ap", "ap"));
    assert!(c.queue("chap").is_none() && c.get("fifo:limit=17", "nobody", Delay).is_none());
}

#[test]
fn pages_are_compared_that_all_completed_with_the_same_seed() {
    let of = |pages: &[(u32, u64)]| run(&[], &[], pages);
    let c = compared([
        // fifo: two of its three pages were completed by chap, too; none; its only one.
        of(&[(1, 50), (2, 90), (4, 500)]),
        of(&[(7, 10)]),
        of(&[(3, 40)]),
        of(&[(1, 20), (2, 30), (3, 1)]),
        of(&[(8, 10)]),
        of(&[(3, 10), (5, 99)]),
    ]);
    let of = |queue, metric| c.get(queue, "web", metric).unwrap();
    // (50 + 90) / 2 = 70 and 40 ms under fifo, (20 + 30) / 2 = 25 and 10 ms under chap.
    let times = |queue, metric| -> Vec<Option<f64>> {
        of(queue, metric).values.iter().map(|v| v.map(|s| (s * 1e6).round() / 1e3)).collect()
    };
    assert_eq!(times("fifo:limit=17", PageTime), [Some(70.0), None, Some(40.0)]);
    assert_eq!(times("chap:limit=17", PageTime), [Some(25.0), None, Some(10.0)]);
    near(of("fifo:limit=17", PageTime).mean, 0.055);
    near(of("chap:limit=17", PageTime).mean, 0.0175);
    assert_eq!(times("fifo:limit=17", PageTimeWithHandshake), [Some(73.0), None, Some(43.0)]);
    assert_eq!(of("fifo:limit=17", PageBytes).values, [Some(1500.0), None, Some(3000.0)]);
    assert_eq!(of("fifo:limit=17", PagesCompared).values, [Some(2.0), None, Some(1.0)]);
    assert_eq!(of("chap:limit=17", PagesCompared).values, [Some(2.0), None, Some(1.0)]);
    assert!(c.get("fifo:limit=17", "echo", PageTime).is_none());
}

#[test]
#[should_panic(expected = "a run for each discipline and seed")]
fn a_run_is_there_for_each() {
    comparison(&home(), &queues(), &[1, 2], false, vec![run(&[], &[], &[]); 3]);
}

#[test]
fn each_discipline_runs_once_with_each_seed() {
    let (stop, seen) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let progress = |step: Step| seen.lock().unwrap().push(step.done);
    let options = Options {
        seeds: &[3, 8, 5],
        short: false,
        jobs: 1,
        stop: &stop,
        store: &NoStore,
        progress: &progress,
    };
    let c = compare(&home(), &queues(), &options).unwrap();
    for ((label, params), q) in queues().iter().zip(&c.queues) {
        assert_eq!(*label, q.label);
        for (i, seed) in [3, 8, 5].into_iter().enumerate() {
            let alone = airtab_lab::run(&home(), params, seed);
            let of = |metric: Metric| q.apps[1].metrics[&metric].values[i];
            for metric in [Ping, Delay, Goodput, Air] {
                assert_eq!(of(metric), alone.apps[1].get(&metric).copied(), "{} {seed}", metric.name());
            }
        }
    }
    let pings = &c.queues[0].apps[1].metrics[&Ping].values;
    assert!(pings[0] != pings[1] && pings[1] != pings[2], "seeds differ: {pings:?}");
    assert_eq!(seen.into_inner().unwrap(), [1, 2, 3, 4, 5, 6]);
    // What its table says of flows is looked at while it runs.
    let run = airtab_lab::run(&home(), &queues()[1].1, 3);
    let plain = airtab_scenario::measure(&home(), &airtab_sim::run(&home(), &queues()[1].1, 3));
    let mut without = run.apps[1].clone();
    assert!(
        without.remove(&Metric::named("credit_mean_seconds").unwrap()).is_some_and(|s| s > 0.0 && s <= 0.05),
        "{:?}",
        run.apps[1]
    );
    assert_eq!((&without, &run.ap), (&plain.apps[1], &plain.ap));
}

#[test]
fn short_divides_the_schedule_by_ten() {
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: true, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let c = compare(&home(), &queues(), &options).unwrap();
    assert_eq!((c.duration_ns, c.measure_ns, c.short), (30 * MS, [10 * MS, 20 * MS], true));
}

#[test]
fn a_stop_ends_it_and_says_how_far_it_was() {
    let stop = AtomicBool::new(false);
    let progress = |step: Step| stop.store(step.done == 4, Ordering::Relaxed);
    let options = Options {
        seeds: &[1, 2, 3],
        short: false,
        jobs: 1,
        stop: &stop,
        store: &NoStore,
        progress: &progress,
    };
    let stopped = compare(&home(), &queues(), &options).unwrap_err();
    assert_eq!(stopped, Stopped { done: 4, total: 6 });
}
