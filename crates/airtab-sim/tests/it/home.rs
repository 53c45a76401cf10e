// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Whole runs: reproducible to the bit, nothing lost from the books, and the
//! published level of a single download.

use crate::common;

use airtab_core::Params;
use airtab_quality::emodel;
use airtab_sim::tcp::Algorithm;
use airtab_sim::traffic::{Download, Game, Voip};
use airtab_sim::wifi::{Category, CellConfig, Loss, Mean, RateAlgorithm, Signal, Walk};
use airtab_sim::{App, AppKind, AppTrace, Latency, Scenario, Servers, Simulation, Trace, Users, run};
use common::{
    MS, S, cell, disciplines, emulated_home, home, other_home, phy, queue, quick, quick_home, station,
    study_home, whole_home,
};

fn row(name: &str, discipline: &str, fingerprint: &str, exchanges: &str, figures: [&str; 4]) -> String {
    let [goodput, mos, p99, drops] = figures;
    format!(
        "{name:<24}{discipline:<23}{fingerprint:<16}{exchanges:>10}{goodput:>8}{mos:>6}{p99:>8}{drops:>7}\n"
    )
}

/// A run's fingerprint, and what one sees of it: all downlinks together, the call's
/// opinion score (E-model), the largest p99 of the applications' waits in the queue,
/// and packets dropped there.
fn figures(name: &str, discipline: &str, trace: &Trace) -> String {
    let seconds = |app: &AppTrace| (app.measure_ns.end - app.measure_ns.start) as f64 / 1e9;
    let goodput: f64 = trace.apps.iter().map(|a| a.down.bytes as f64 * 8e-6 / seconds(a)).sum();
    let call = trace.apps.iter().find(|app| app.name == "call").map(|app| {
        let arrived = &app.down.deliveries;
        let delay: u64 = arrived.iter().map(|d| d.received_ns - d.sent_ns).sum();
        let loss = 1.0 - arrived.len() as f64 / app.down.sent as f64;
        emodel::mos(emodel::simple_r(delay as f64 / arrived.len() as f64 / 1e6, loss))
    });
    let p99 = trace.apps.iter().map(|a| a.queue.delay_ns.value_at_quantile(0.99)).max().unwrap_or(0);
    let drops: u64 = trace.apps.iter().map(|a| a.queue.dropped).sum();
    row(
        name,
        discipline,
        &format!("{:016x}", trace.fingerprint),
        &trace.exchanges.to_string(),
        [
            &format!("{goodput:.2}"),
            &call.map_or("-".into(), |mos| format!("{mos:.2}")),
            &format!("{:.1}", p99 as f64 / 1e6),
            &drops.to_string(),
        ],
    )
}

/// A scenario's event trace, hashed, per discipline. A change here is a change
/// of behaviour: say in the commit which one and why.
#[test]
fn fingerprints() {
    let mut far = quick_home();
    for s in &mut far.stations {
        s.loss = Loss::at(10.0);
    }
    let mut slow = quick_home();
    slow.medium = CellConfig::new(phy("std-11b")).into();
    slow.stations.iter_mut().for_each(|s| s.speed = 11_000.into());
    let mut classes = quick(other_home());
    for (class, app) in (0..).zip(&mut classes.apps) {
        app.class = class % 2;
    }
    let homes = [
        ("home", quick_home()),
        ("home, 10 m", far),
        ("home on 11b", slow),
        ("whole home", quick(whole_home())),
        ("other home", quick(other_home())),
        ("other home, two classes", classes),
        ("emulated home", emulated_home()),
        ("study home", quick(study_home())),
    ];
    let mut table =
        row("scenario", "discipline", "fingerprint", "exchanges", ["Mb/s", "MOS", "p99 ms", "drops"]);
    for (name, scenario) in homes {
        for discipline in disciplines() {
            table += &figures(name, discipline, &run(&scenario, &queue(discipline, 35), 1));
        }
    }
    for (key, value) in [("profile", "faithful"), ("uplink", "on"), ("target", "off")] {
        let mut params = queue("chap", 35);
        params.set(key, value).expect("in range");
        let trace = run(&quick(whole_home()), &params, 1);
        table += &figures("whole home", &format!("chap {key}={value}"), &trace);
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_run_depends_on_its_seed_only() {
    let print = |scenario: &Scenario, seed| run(scenario, &queue("chap", 35), seed).fingerprint;
    assert_eq!(print(&quick_home(), 1), print(&quick_home(), 1));
    assert_ne!(print(&quick_home(), 1), print(&quick_home(), 2));
    let mut guest = quick_home();
    guest.stations.push(station("guest", 6_000, 20.0));
    assert_eq!(print(&quick_home(), 1), print(&guest, 1), "a silent station changes no draw of another");
}

/// Every packet made is received, lost, dropped or inside, at any moment; and
/// the channel's time sums to the clock.
#[test]
fn no_packet_disappears() {
    let mut rough = quick_home();
    for s in &mut rough.stations {
        s.loss = Loss::at(12.0);
    }
    cell(&mut rough).uplink_packets = 3;
    rough.wired.queue_packets = 5;
    let mut own = quick(other_home());
    own.stations.iter_mut().zip(disciplines()).for_each(|(s, name)| s.uplink = Some(queue(name, 10)));
    for scenario in [
        quick_home(),
        quick(whole_home()),
        quick(other_home()),
        quick(study_home()),
        rough,
        emulated_home(),
        own,
    ] {
        for discipline in disciplines() {
            let mut simulation = Simulation::new(&scenario, &queue(discipline, 35), 1);
            for step in 1..=330 {
                simulation.advance(step * 100 * MS);
                let p = simulation.packets();
                let gone = p.received + p.lost + p.dropped_ap + p.dropped_uplink + p.dropped_wired;
                assert_eq!(p.made, gone + p.inside, "{discipline}: {p:?}");
            }
            let p = simulation.packets();
            assert!(p.received > 1000, "{p:?}");
            let trace = simulation.finish();
            let air = trace.ap.air;
            let sum = air.down_ns + air.up_ns + air.collision_ns + air.beacon_ns + air.idle_ns;
            assert_eq!(sum, scenario.duration_ns);
        }
    }
}

/// One CUBIC download at 1 m over 54 Mb/s: 25 to 27.5 Mb/s at IP level on the
/// calibrated channel, about 25.1 on the standard's.
#[test]
fn a_download_alone() {
    let rate = |profile: &str| {
        let mut alone = home();
        alone.medium = CellConfig::new(phy(profile)).into();
        alone.apps.retain(|app| app.name == "download");
        let trace = run(&alone, &queue("fifo", 35), 1);
        trace.apps[0].down.bytes as f64 * 8.0 / 180.0 / 1e6
    };
    let calibrated = rate("phy-a");
    assert!((25.0..=27.5).contains(&calibrated), "{calibrated} Mb/s");
    let standard = rate("std-11g");
    assert!((24.6..=25.6).contains(&standard), "{standard} Mb/s");
}

/// Little's law: places held = arrivals that stay x mean delay.
#[test]
fn littles_law_holds_in_the_queue() {
    for (medium, home) in [("cell", home()), ("emulator", emulated_home())] {
        let seconds = (home.measure_ns.end - home.measure_ns.start) as f64 / 1e9;
        for discipline in disciplines() {
            let trace = run(&home, &queue(discipline, 35), 1);
            for app in &trace.apps {
                let rate = app.queue.delay_ns.len() as f64 / seconds;
                let places = rate * app.queue.delay_ns.mean() / 1e9;
                // What is dropped after a wait (push-out) holds places too.
                let slack = 0.01 * places + app.queue.dropped as f64 / seconds * 0.02;
                assert!(
                    (places - app.queue.mean_packets).abs() <= slack + 0.001,
                    "{medium} {discipline} {}: {places} and {}",
                    app.name,
                    app.queue.mean_packets
                );
            }
        }
    }
}

#[test]
fn a_station_out_of_range_gets_nothing_and_harms_nobody() {
    let mut home = quick_home();
    home.stations[2].loss = Loss::Fer(1.0);
    let trace = run(&home, &queue("chap", 35), 1);
    assert_eq!(trace.apps[2].down.bytes, 0);
    assert_eq!(trace.apps[0].down.received, trace.apps[0].down.sent);
}

#[test]
fn rules_are_checked_before_a_run() {
    let broken = |f: &dyn Fn(&mut Scenario)| {
        let mut scenario = home();
        f(&mut scenario);
        scenario.check().unwrap_err()
    };
    for (message, said) in [
        (broken(&|s| s.stations.clear()), "0 stations"),
        (broken(&|s| s.apps[0].station = 9), "no station number 9"),
        (broken(&|s| s.measure_ns = 10 * S..400 * S), "inside the run"),
        (broken(&|s| s.stations[0].speed = 999.into()), "999 kb/s: 1000 to"),
        (broken(&|s| s.stations[0].loss = Loss::Fer(1.5)), "frame error rate 1.5"),
        (
            broken(&|s| s.stations[0].loss = Loss::Signal(Signal::steady(Mean::Given(20.0)))),
            "has no losses by the signal",
        ),
        (broken(&|s| s.stations[0].speed.control = RateAlgorithm::Aarf), "aarf: only for rates by MCS"),
        (
            broken(&|s| {
                (s.stations[0].loss, s.stations[0].walk) = (Loss::None, Walk::new(vec![(0, 1.0)]).ok())
            }),
            "walk: only in a cell where",
        ),
        (broken(&|s| s.apps[1].name = "game".into()), "the name is taken"),
        (broken(&|s| s.apps[1].active_ns = 5..5), "stop must be after start"),
    ] {
        assert!(message.contains(said), "{message}");
    }
}

/// The pages of a run do not depend on how long they take to load: every
/// discipline sees the same ones, in the same order.
#[test]
fn every_discipline_sees_the_same_pages() {
    let pages = |discipline| {
        let trace = run(&whole_home(), &queue(discipline, 35), 2);
        let web = trace.apps.into_iter().find(|app| app.name == "web").expect("there is one");
        assert!(web.pages.iter().all(|p| p.opened_ns < p.requested_ns && p.requested_ns < p.done_ns));
        web.pages.iter().map(|p| (p.number, p.bytes)).collect::<Vec<_>>()
    };
    let [fifo, chap] = ["fifo", "chap"].map(pages);
    let common = fifo.len().min(chap.len());
    assert!(common >= 3, "{common} pages");
    assert_eq!(fifo[..common], chap[..common]);
}

/// Many applications on many stations, started at once, run to the end.
#[test]
fn a_crowd() {
    let mut crowd = quick_home();
    crowd.stations = (0..60).map(|i| station(&format!("sta{i}"), 54_000, 3.0)).collect();
    let kinds =
        [AppKind::Game(Game), AppKind::Voip(Voip), AppKind::Download(Download::endless(Algorithm::NewReno))];
    crowd.apps = (0..120)
        .map(|i| App {
            name: format!("app{i}"),
            kind: kinds[i % 3].clone(),
            station: i % 60,
            active_ns: 0..33 * S,
            class: 0,
            users: Users::ONE,
            measure_ns: None,
            servers: Servers::Own(Latency::both(MS)),
            access: Category::default(),
            computer: 1,
            tunnel: false,
            arrivals: false,
            phase_ns: None,
            requirement: None,
            tcp: None,
        })
        .collect();
    // With its uplink charged, a call whose packets upwards take more than its station's share gets none downwards.
    let mut chap = Params::new(airtab_core::Discipline::named("chap").unwrap());
    chap.set("uplink", "off").unwrap();
    let trace = run(&crowd, &chap, 1);
    assert!(trace.apps.iter().all(|app| app.down.received > 0), "nobody starves");
}
