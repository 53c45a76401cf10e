// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Comparisons of a few short runs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_core::Discipline;
use airtab_lab::plan::Step;
use airtab_lab::store::NoStore;
use airtab_lab::{Comparison, Options, Stopped, compare};
use airtab_scenario::{Metric, QueueSpec, ScenarioFile};
use airtab_sim::Users;
use airtab_sim::traffic::Web;
use airtab_sim::traffic::web::{Client, Pages, Site};

fn home() -> ScenarioFile {
    let text = include_str!("../../../../scenarios/game-call-download.toml");
    ScenarioFile::parse("home.toml", text).unwrap()
}

fn queues(names: &[&str]) -> Vec<(String, airtab_core::Params)> {
    let settings = home().queues;
    let one = |name: &&str| {
        let spec: QueueSpec = name.parse().unwrap();
        (spec.label.clone(), spec.build(&settings).unwrap())
    };
    names.iter().map(one).collect()
}

fn brief(names: &[&str], jobs: usize) -> Comparison {
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1, 2, 3], short: true, jobs, stop: &stop, store: &NoStore, progress: &|_| () };
    compare(&home().scenario, &queues(names), &options).unwrap()
}

#[test]
fn jobs_do_not_change_a_byte() {
    let one = serde_json::to_string(&brief(&["fifo", "chap"], 1)).unwrap();
    let three = serde_json::to_string(&brief(&["fifo", "chap"], 3)).unwrap();
    assert_eq!(one, three);
}

#[test]
fn other_queues_in_the_comparison_do_not_matter() {
    let all: Vec<_> = airtab_core::disciplines().map(Discipline::name).collect();
    let together = brief(&all, 2);
    let alone = brief(&["chap"], 2);
    assert_eq!(together.queue("chap"), alone.queue("chap"));
}

#[test]
fn every_metric_can_be_reached() {
    let c = brief(&["fifo", "chap:limit=70"], 2);
    assert_eq!((c.seeds.as_slice(), c.duration_ns, c.short), (&[1, 2, 3][..], 33_000_000_000, true));
    let chap = c.queue("chap:limit=70").unwrap();
    assert_eq!((chap.discipline, chap.params["limit"].as_str()), ("chap", "70"));
    for (app, metric) in [
        ("game", Metric::GameMos),
        ("game", Metric::GameMosWindow),
        ("game", Metric::Ping),
        ("call", Metric::VoipMos),
        ("call", Metric::VoipRG107),
        ("call", Metric::VoipMosG107),
        ("call", Metric::Loss),
        ("download", Metric::Goodput),
        ("download", Metric::QueueDelay),
        ("download", Metric::Attempts(1)),
        ("game", Metric::GivenUp),
        ("download", Metric::QueueDelayP99),
        ("download", Metric::Air),
        ("ap", Metric::QueueMax),
        ("ap", Metric::Idle),
    ] {
        let s = c.get("fifo", app, metric).unwrap_or_else(|| panic!("{app} has no {}", metric.name()));
        assert_eq!(s.values.len(), 3);
        let mean = s.values.iter().map(|v| v.unwrap()).sum::<f64>() / 3.0;
        assert!((s.mean - mean).abs() <= 1e-12 * mean.abs() && s.half_width_95.is_some());
    }
    assert!(c.get("fifo", "download", Metric::GameMos).is_none());
    // A full queue: the download lives near 0, and who waits for nothing near 2 I = 50 ms.
    let mean = Metric::named("credit_mean_seconds").unwrap();
    assert!(c.get("fifo", "game", mean).is_none());
    let credit = |app| c.mean("chap:limit=70", app, mean).unwrap();
    assert!(credit("game") > 0.045 && credit("game") <= 0.050, "{}", credit("game"));
    assert!((0.0..0.025).contains(&credit("download")), "{}", credit("download"));
    assert!(c.get("red", "game", Metric::GameMos).is_none());
    assert!(c.get("fifo", "video", Metric::GameMos).is_none());
    let places: f64 =
        ["game", "call", "download"].iter().map(|a| c.mean("fifo", a, Metric::QueuePackets).unwrap()).sum();
    assert!((places - c.mean("fifo", "ap", Metric::QueuePackets).unwrap()).abs() < 1e-9);
}

#[test]
fn a_stop_is_heeded_and_counted() {
    let stop = AtomicBool::new(false);
    let progress = |step: Step| stop.store(step.done == 2, Ordering::Relaxed);
    let options = Options {
        seeds: &[1, 2, 3],
        short: true,
        jobs: 1,
        stop: &stop,
        store: &NoStore,
        progress: &progress,
    };
    let stopped = compare(&home().scenario, &queues(&["fifo", "chap"]), &options).unwrap_err();
    assert_eq!(stopped, Stopped { done: 2, total: 6 });
    assert_eq!(stopped.to_string(), "stopped after 2 of 6 runs");
}

#[test]
fn progress_counts_every_run_once() {
    let seen = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    let progress = |step: Step| seen.lock().unwrap().push(step.done);
    let options =
        Options { seeds: &[1, 2], short: true, jobs: 2, stop: &stop, store: &NoStore, progress: &progress };
    compare(&home().scenario, &queues(&["fifo", "chap"]), &options).unwrap();
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, [1, 2, 3, 4]);
}

#[test]
fn an_application_outside_the_measured_time_has_no_figures() {
    let mut scenario = home().scenario;
    scenario.apps[0].active_ns = 300_000_000_000..330_000_000_000;
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: true, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let c = compare(&scenario, &queues(&["chap"]), &options).unwrap();
    assert!(c.queues[0].apps[0].metrics.is_empty());
    assert_eq!(airtab_lab::why(&c)[0], "game under chap: it sent nothing while measured");
    assert!(c.get("chap", "call", Metric::VoipMos).unwrap().half_width_95.is_none(), "one seed");
}

/// Three downloads, one after the other.
const IN_TURN: &str = r#"
duration = "60s"
measure = ["0s", "60s"]
[[station]]
name = "a"
[[app]]
name = "first"
kind = "download"
station = "a"
stop = "20s"
[[app]]
name = "second"
kind = "download"
station = "a"
start = "20s"
stop = "40s"
[[app]]
name = "third"
kind = "download"
station = "a"
start = "40s"
"#;

#[test]
fn airtime_of_applications_that_take_turns_can_be_added() {
    let scenario = ScenarioFile::parse("turns.toml", IN_TURN).unwrap().scenario;
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: true, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let c = compare(&scenario, &queues(&["fifo"]), &options).unwrap();
    let air = ["first", "second", "third"].map(|app| c.mean("fifo", app, Metric::Air).unwrap());
    // Each has the channel for a third of the time, and two thirds of it for its downlink.
    assert!(air.iter().all(|air| (0.18..0.25).contains(air)), "{air:?}");
    let up: f64 = c.queues[0].apps.iter().filter_map(|a| a.mean(Metric::UplinkAir)).sum();
    let sum = air.iter().sum::<f64>() + up;
    assert!((0.7..=1.0).contains(&sum), "{sum}");
    // Its rate is about the time in which it ran.
    assert!(c.mean("fifo", "second", Metric::Goodput).unwrap() > 20e6);
    let reasons = airtab_lab::why(&c);
    assert!(reasons.iter().all(|r| r.contains(": it has 3") && !r.contains("uses")), "{reasons:?}");
}

#[test]
fn what_sent_nothing_has_no_score() {
    let mut scenario = home().scenario;
    // Before its first packet is sent.
    (scenario.duration_ns, scenario.measure_ns) = (1_000_000, 0..1_000_000);
    for app in &mut scenario.apps {
        (app.active_ns, app.users.within_ns) = (0..1_000_000, 0);
    }
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: false, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let c = compare(&scenario, &queues(&["fifo"]), &options).unwrap();
    for (app, metric) in [("game", Metric::GameMos), ("call", Metric::VoipMos)] {
        assert_eq!(c.mean("fifo", app, Metric::Loss), None, "{app} sent nothing");
        assert_eq!(c.mean("fifo", app, metric), None, "{app}");
    }
}

/// The built-in home, short: with a video and web pages.
fn whole_home(names: &[&str], seeds: &[u64]) -> Comparison {
    let stop = AtomicBool::new(false);
    let options = Options { seeds, short: true, jobs: 2, stop: &stop, store: &NoStore, progress: &|_| () };
    compare(&ScenarioFile::home().scenario, &queues(names), &options).unwrap()
}

#[test]
fn page_times_are_those_of_pages_that_all_completed() {
    let seeds = [1, 2, 3, 4, 5, 6, 7, 8];
    let c = whole_home(&["spq", "fifo"], &seeds);
    let get = |queue, metric| &c.get(queue, "web", metric).unwrap().values;
    assert_eq!(get("fifo", Metric::PagesCompared), get("spq", Metric::PagesCompared), "the same pages");
    assert_eq!(get("fifo", Metric::PageBytes), get("spq", Metric::PageBytes), "of the same sizes");
    let alone = whole_home(&["fifo"], &seeds);
    let (mut with, mut without) = (0, 0);
    for (i, common) in get("fifo", Metric::PagesCompared).iter().enumerate() {
        let all = get("fifo", Metric::Pages)[i].unwrap();
        assert_eq!(alone.get("fifo", "web", Metric::Pages).unwrap().values[i], Some(all));
        let compared_alone = alone.get("fifo", "web", Metric::PagesCompared).unwrap().values[i];
        assert_eq!(compared_alone.unwrap_or(0.0), all, "alone, a discipline keeps all of its pages");
        match common {
            Some(n) => {
                assert!(*n >= 1.0 && *n <= all);
                with += 1;
                let open = get("fifo", Metric::PageTimeWithHandshake)[i].unwrap();
                assert!(open > get("fifo", Metric::PageTime)[i].unwrap());
            }
            None => {
                without += 1;
                assert_eq!(get("fifo", Metric::PageTime)[i], None, "dropped, not 0");
            }
        }
    }
    assert!(with > 0 && without > 0, "{with} {without}: the test sees both cases");
}

#[test]
fn frames_of_the_video() {
    let c = whole_home(&["fifo", "chap"], &[1, 2]);
    let get = |queue, metric| c.mean(queue, "video", metric).unwrap();
    assert!(get("chap", Metric::FrameRate) > 29.0 && get("chap", Metric::FrameRate) <= 30.1);
    assert!(get("fifo", Metric::FrameRate) < 25.0);
    // Large frames are more packets: each kind breaks more often than the smaller.
    let whole = [Metric::IFramesWhole, Metric::PFramesWhole, Metric::BFramesWhole].map(|m| get("fifo", m));
    assert!(whole.is_sorted(), "{whole:?}");
    assert!(get("fifo", Metric::FramesWhole) > get("fifo", Metric::FrameRate) / 30.0);
    assert!(c.mean("fifo", "video", Metric::Delay).is_none());
}

#[test]
fn a_station_out_of_reach_hears_nothing() {
    let text = include_str!("../../../../scenarios/game-call-download.toml");
    let far = text.replace("distance = 1.0", "distance = \"1000 m\"");
    let file = ScenarioFile::parse("far.toml", &far).unwrap();
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: true, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let c = compare(&file.scenario, &queues(&["chap"]), &options).unwrap();
    assert_eq!(c.mean("chap", "call", Metric::Loss), Some(1.0));
    assert_eq!(c.mean("chap", "call", Metric::VoipMos), Some(1.0));
    assert_eq!(c.mean("chap", "game", Metric::GameMos), Some(1.0));
    assert_eq!(c.mean("chap", "download", Metric::Goodput), Some(0.0));
    let reasons = airtab_lab::why(&c).join("\n");
    assert!(
        reasons.contains(
            "nothing arrives on the way down: the channel on the way down, on which 100 % of its packets"
        ),
        "{reasons}"
    );
}

/// Alone, a discipline is compared over all the pages that it completed, in whichever order its users completed them.
#[test]
fn pages_of_several_users_are_compared() {
    let mut scenario = home().scenario;
    let pages = Pages::Site { site: Site::ALL[0], reading_ns: 500_000_000 };
    scenario.apps[0].kind = Web { pages, client: Client::Loader }.into();
    scenario.apps[0].users = Users::at_one(2, 5_000_000_000);
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: true, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let c = compare(&scenario, &queues(&["chap"]), &options).unwrap();
    let mean = |metric| c.mean("chap", &scenario.apps[0].name, metric).unwrap();
    assert!(mean(Metric::Pages) > 20.0);
    assert_eq!(mean(Metric::PagesCompared), mean(Metric::Pages));
}
