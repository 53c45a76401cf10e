// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the kernel's virtual cell is held against (`docs/airsim.md`): the houses of `kernel/test/houses`, each
//! as the kernel is told of it and with the simulator's figures, are the table beside them. The guest reads that;
//! here it is made anew, and must be the same.
//!
//! `AIRTAB_WRITE=1 cargo test -p airtab-scenario --test it airsim_houses::` writes it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use airtab_core::{Discipline, Format, Params};
use airtab_scenario::ScenarioFile;
use airtab_sim::wifi::{CellConfig, Loss};
use airtab_sim::{App, AppKind, AppTrace, Station, Trace, run};

const SEEDS: u64 = 6;
const HEAD: &str = "# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Cells as airsim is told of them, and what the simulator's cell does in each: bits of IP a second and channel
# time, parts in a million, of what goes to a station and what comes from it, and bytes of a packet; of n equal
# stations their sum; then the medium's time. Made by crates/airtab-scenario/tests/it/airsim_houses.rs.
";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/test/houses")
}

/// Its attributes as `kernel/test/src/air.c` takes them.
fn cell(config: &CellConfig) -> String {
    let mut words = format!("phy={} attempts={}", config.phy.name(), config.attempts);
    if let Some(a) = &config.aggregation {
        let _ = write!(words, " ampdu={} ampdu_ns={} ring={}", a.frames, a.time_ns, config.driver.ring);
    }
    words
}

/// Equal stations are one line, `n` of them.
fn station(station: &Station, n: u32) -> String {
    let rate = station.speed.rate;
    let mut words = format!("{} {n}", station.name);
    let _ = match rate.format() {
        Format::Legacy => write!(words, " kbps={}", rate.kbps()),
        _ => write!(words, " mcs={}", rate.mcs()),
    };
    if let Loss::Fer(fer) = station.loss {
        let _ = write!(words, " fer={:.0}", fer * 1e6);
    }
    words
}

/// Mean of a figure over runs, rounded.
fn mean(traces: &[Trace], of: impl Fn(&Trace) -> f64) -> f64 {
    (traces.iter().map(of).sum::<f64>() / traces.len() as f64).round()
}

/// What an application's packets have, and how long they are.
fn figures(app: &App, traces: &[Trace], of: impl Fn(&Trace) -> &AppTrace) -> String {
    let AppKind::Udp(udp) = &app.kind else { panic!("{}: only UDP here", app.name) };
    let ns = |t: &Trace| (t.measure_ns.end - t.measure_ns.start) as f64;
    let bytes = |t: &Trace| if udp.upload { of(t).up.bytes } else { of(t).down.bytes };
    let air = |t: &Trace| if udp.upload { of(t).up_air_ns } else { of(t).air_ns };
    let way = if udp.upload { "up" } else { "down" };
    format!(
        " {way}={} {way}_air={} size={}",
        mean(traces, |t| bytes(t) as f64 * 8e9 / ns(t)),
        mean(traces, |t| air(t) as f64 * 1e6 / ns(t)),
        udp.bytes
    )
}

/// The lines of one house.
fn house(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("readable");
    let file = ScenarioFile::parse(path.display().to_string(), &text).unwrap_or_else(|e| panic!("{e}"));
    let scenario = &file.scenario;
    let queue = Params::new(Discipline::named("fifo").expect("registered"));
    let traces: Vec<_> = (1..=SEEDS).map(|seed| run(scenario, &queue, seed)).collect();
    let mut lines = format!("\nhouse {} {}\n", scenario.name, cell(scenario.medium.cell().expect("a cell")));
    for (i, at) in scenario.stations.iter().enumerate() {
        let apps = || scenario.apps.iter().enumerate().filter(|(_, app)| app.station == i);
        let Some((_, first)) = apps().next() else { continue };
        let ways: String = apps().map(|(k, app)| figures(app, &traces, |t| &t.apps[k])).collect();
        let _ = writeln!(lines, "station {} :{ways}", station(at, first.users.stations));
    }
    let of_run = 1e6 / scenario.duration_ns as f64;
    let part = |of: fn(&Trace) -> u64| mean(&traces, |t| of(t) as f64 * of_run);
    let _ = writeln!(
        lines,
        "medium down={} up={} collision={} idle={}",
        part(|t| t.ap.air.down_ns),
        part(|t| t.ap.air.up_ns),
        part(|t| t.ap.air.collision_ns),
        part(|t| t.ap.air.idle_ns)
    );
    lines
}

#[test]
fn the_table_is_what_the_simulator_says() {
    let mut houses: Vec<_> = std::fs::read_dir(folder())
        .expect("it is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    houses.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    houses.sort();
    assert!(houses.len() >= 8, "{houses:?}");
    let made = houses.iter().fold(HEAD.to_string(), |text, path| text + &house(path));
    let table = folder().join("table.txt");
    if std::env::var_os("AIRTAB_WRITE").is_some() {
        std::fs::write(&table, &made).expect("writable");
    }
    let kept = std::fs::read_to_string(&table).expect("it is there");
    assert_eq!(kept, made, "AIRTAB_WRITE=1 makes the table anew");
}
