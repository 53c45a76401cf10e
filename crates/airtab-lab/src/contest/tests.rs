// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Counts of made-up figures by hand, the scenario of each driver, and a small contest against `compare`.

use std::sync::atomic::AtomicBool;

use Metric::{Air, GameMos, Goodput, UplinkAir};
use airtab_scenario::{QueueList, set};

use super::*;
use crate::compare::{Options, compare};
use crate::made;
use crate::store::NoStore;

/// A game on a phone; a download on a laptop; an update of four flows and a download on a console; pages.
const TEXT: &str = r#"
    duration = "2s"
    measure = ["1s", "2s"]
    station = [
      { name = "phone", mcs = 7 },
      { name = "laptop", mcs = 5 },
      { name = "console", mcs = 3 },
    ]
    app = [
      { name = "game", kind = "game", station = "phone" },
      { name = "download", kind = "download", station = "laptop" },
      { name = "update", kind = "p2p", flows = 4, station = "console" },
      { name = "second", kind = "download", station = "console" },
      { name = "pages", kind = "web", station = "phone", site = "cnn" },
    ]
    [wifi]
    phy = "std-11ac"
"#;
const BUILD: Build = Build { version: "1.2.3", git: "abc" };

fn with(settings: &[(&str, &str)]) -> Result<ScenarioFile, String> {
    let text = settings.iter().fold(TEXT.to_string(), |text, (key, value)| set(&text, key, value).unwrap());
    ScenarioFile::parse("small.toml", &text).map_err(|e| e.to_string())
}

fn entries(queues: &str) -> Vec<Entry> {
    Entry::of_home("small", &queues.parse::<QueueList>().unwrap(), with).unwrap()
}

/// Made-up scores of the applications: three equal values each, and no page.
fn under(label: &str, mos: f64, bulk: [(f64, f64); 3]) -> QueueScores {
    let [download, update, second] = bulk.map(|(mbps, air)| {
        vec![(Goodput, [mbps * 1e6; 3]), (Air, [air / 2.0; 3]), (UplinkAir, [air / 2.0; 3])]
    });
    made::queue(
        label,
        vec![
            made::app("game", "game", &[(GameMos, [mos; 3]), (Air, [0.01; 3])]),
            made::app("download", "download", &download),
            made::app("update", "p2p", &update),
            made::app("second", "download", &second),
            made::app("pages", "web", &[]),
        ],
    )
}

/// Counts (worse, of these by airtime share, same, better, homes without a loss) and the names of losses by airtime share.
fn counts(new: QueueScores, old: QueueScores) -> ([usize; 5], Vec<String>) {
    let entries = entries("fifo,cake");
    let c = made::comparison(vec![new, old]);
    let contest = Contest::of(&entries, &[1, 2, 3], &[c.clone(), c.clone(), c], BUILD);
    let against = &contest.drivers[2].against[0];
    let Against { worse, by_airtime_share, same, better, homes_without_loss, .. } = against;
    let shared = against.applications.iter().filter(|app| app.by_airtime_share).map(|app| app.name.clone());
    ([*worse, *by_airtime_share, *same, *better, *homes_without_loss], shared.collect())
}

#[test]
fn losses_by_airtime_share_are_told_apart() {
    // The laptop had 0.6 of 0.8 and has half; the console moves 10 Mb/s as before, of which "second" has its fifth.
    let old = || under("old", 4.0, [(20.0, 0.6), (1.0, 0.1), (9.0, 0.1)]);
    let of = |mos, update, second, air| under("new", mos, [(10.0, 0.4), (update, air), (second, 0.2)]);
    let new = |mos, second, air| of(mos, 8.0, second, air);
    let told = |pays: &[&str]| pays.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(counts(new(3.0, 2.0, 0.2), old()), ([3, 2, 1, 1, 0], told(&["download", "second"])));
    assert_eq!(counts(new(4.0, 2.0, 0.2), old()), ([2, 2, 2, 1, 0], told(&["download", "second"])));
    // 9.75 of 10 Mb/s, and 1.75 of it is less than 0.95 of a fifth.
    assert_eq!(counts(new(4.0, 1.75, 0.2), old()).1, told(&["download"]));
    // 9.75 and 9.65 of 10 Mb/s, of which 1.9 is 0.95 of a fifth.
    assert_eq!(counts(of(4.0, 7.85, 1.9, 0.2), old()).1, told(&["download", "second"]));
    assert_eq!(counts(of(4.0, 7.75, 1.9, 0.2), old()).1, told(&["download"]));
    // 0.4 of 0.86 is 0.93 of an equal share.
    assert_eq!(counts(new(4.0, 2.0, 0.26), old()).1, told(&["second"]));
    assert_eq!(counts(old(), old()), ([0, 0, 5, 0, 1], told(&[])));
    // Exchanged, the game and both downloads are better; the update is not above its share and its station moves as much.
    assert_eq!(counts(old(), new(3.0, 2.0, 0.2)).0, [1, 0, 1, 3, 0]);
}

#[test]
fn means_are_over_homes() {
    let page = |seconds: f64| made::app("pages", "web", &[(Metric::PageTime, [seconds; 3])]);
    let p99 = Metric::of_path(Direction::Down, OfPath::Percentile(99));
    let call = |ms: f64| made::app("call", "voip", &[(p99, [ms / 1e3; 3]), (Goodput, [0.0; 3])]);
    let game = |mos: f64| made::app("game", "game", &[(GameMos, [mos; 3])]);
    let bulk = |mbps: f64| made::app("bulk", "download", &[(Goodput, [mbps * 1e6; 3])]);
    let first = made::queue("q", vec![page(1.0), call(10.0), call(40.0), game(2.0), bulk(30.0), bulk(70.0)]);
    let second = made::queue("q", vec![page(4.0), call(90.0), game(3.0), game(4.0), bulk(400.0)]);
    let means = Means::of("q", &[&first, &second]);
    let near = |value: Option<f64>, by: f64| value.is_some_and(|value| (value - by).abs() < 1e-9 * by);
    assert!(near(means.goodput_bits_per_second, 200e6), "{means:?}");
    assert!(near(means.worst_call_p99_seconds, 0.06) && near(means.game_mos, 3.0), "{means:?}");
    assert!(near(means.page_seconds, 2.0), "{means:?}");
}

/// Limits below the queue by driver and discipline; the null test is at the end.
#[test]
fn each_driver_has_its_scenario() {
    let told = |entry: &Entry| {
        let told = |column: &Column| {
            let driver = column.scenario.medium.cell().unwrap().driver;
            let governor = driver.governor.map_or(0, |governor| governor.inflight_ns / 1_000_000);
            let aql = column.params.get("aql").map_or(9, |aql| aql[0]);
            (driver.aggregates, driver.stop, governor, aql)
        };
        entry.columns.iter().map(told).collect::<Vec<_>>()
    };
    let entries = entries("chap,airtime_fq,airtime_fq:aql=off");
    assert_eq!(told(&entries[0]), [(2, true, 0, 9), (2, true, 0, 1), (2, true, 0, 0), (2, true, 0, 9)]);
    assert_eq!(told(&entries[1]), [(0, false, 8, 9), (0, false, 0, 1), (0, false, 8, 0), (0, false, 8, 9)]);
    assert_eq!(told(&entries[2]), [(0, false, 8, 9), (0, false, 8, 0), (0, false, 8, 0), (0, false, 8, 9)]);
    assert_eq!(runs(&entries, &[1, 2]), 24);
    let columns = &entries[0].columns;
    let [own, null] = [&columns[0], &columns[3]].map(|column| column.params.get("increment").unwrap()[0]);
    assert_eq!((null - own, columns[3].null, columns[0].null), (1000, true, false));
    assert_eq!(columns[3].label, "null test: increment + 1 us");
}

/// Every verdict is that of `compare` on the scenario with the driver's values; the null test has all applications.
#[test]
fn verdicts_are_those_of_a_comparison() {
    let (stop, seeds) = (AtomicBool::new(false), [1, 2]);
    let entries = entries("chap,fifo");
    let pace = Pace { jobs: 1, stop: &stop, budget: None, progress: &|_| () };
    let contest = Contest::hold(&entries, &seeds, &NoStore, &pace, BUILD).unwrap();
    let options =
        Options { seeds: &seeds, short: false, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    for (under, settings) in contest.drivers.iter().zip([
        &[("wifi.driver.aggregates", "2")][..],
        &[("wifi.driver.stop", "false"), ("wifi.driver.inflight", "8ms")],
        &[("wifi.driver.stop", "false"), ("wifi.driver.inflight", "8ms")],
    ]) {
        let file = with(settings).unwrap();
        let queues = ["fifo", "chap"]
            .map(|name| (name.to_string(), Params::new(airtab_core::Discipline::named(name).unwrap())));
        let c = compare(&file.scenario, &queues, &options).unwrap();
        let expected: Vec<_> =
            c.changes()[0].apps.iter().map(|app| (app.name.to_string(), app.metric, app.change)).collect();
        let judged: Vec<_> = under.against[0]
            .applications
            .iter()
            .map(|app| (app.name.clone(), app.metric, app.change))
            .collect();
        assert_eq!(judged, expected);
        let null = &under.against[1];
        assert!(null.null && null.worse + null.same + null.better == 5, "{null:?}");
    }
    assert_eq!((contest.homes, contest.applications), (1, 5));
    let page = contest.page();
    let row = page.lines().find(|line| line.starts_with("| fifo |")).unwrap();
    assert_eq!(row.matches('|').count(), 11, "{page}");
    assert!(page.starts_with("1 home, 5 applications, 2 seeds\n\n### Driver a"), "{page}");
}
