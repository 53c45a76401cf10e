// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How fast the simulator is: `cargo bench -p airtab-sim --bench sim`.
//!
//! - `home`: 330 s of a home, under every discipline: a game, a call and a CUBIC
//!   download at 1 m of an access point with a queue of 35 packets. CPU time
//!   per frame exchange, all of it: TCP, wired hops, traffic.
//! - `whole home`: the same with a video and web pages.
//! - `saturated`: stations that always have a 1500-byte packet for the access
//!   point, straight on the cell: simulated time over CPU time.
//! - `saturated`, by contention rule: the same under each of the others, as a part of what it is under DCF.
//! - `ht20-3sta-udp`, `vht80-3sta-tcp`, `he80-10sta-tcp`: cells that aggregate (`modern`), under disciplines and with rate
//!   control: CPU time per simulated second.
//! - `mesh-chain4-11b`, `mesh-cross`: TCP through nodes that pass packets on (`mesh`).
//!
//! `cargo bench -p airtab-sim --bench sim -- he80` takes only what has that in its name.
//!
//! Each figure is the median of several runs of the same seed, in CPU time of
//! the thread. Peak memory is the resident set's high-water mark (VmHWM, Linux)
//! of a process that does one run of the home and nothing else.

mod mesh;
mod modern;

use std::process::Command;

use airtab_core::time::SECOND as S;
use airtab_core::{Discipline, Meta, Params, Phy, Pool, Qdisc, disciplines};
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::video::{Fec, Frames};
use airtab_sim::traffic::web::{Client, Pages};
use airtab_sim::traffic::{Download, Game, Video, Voip, Web};
use airtab_sim::wifi::{AccessRule, Category, Cell, CellConfig, Loss, Output, RateAlgorithm};
use airtab_sim::{App, AppKind, Latency, Scenario, Servers, Station, Users, Wired};
use mesh::MESHES;
use modern::{MODERN, Modern, SECONDS};
use rustix::time::{ClockId, clock_gettime};

/// Argument of the process whose memory is measured; home and discipline follow.
const ONE_RUN: &str = "--one-home-run";

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// CPU seconds of one run, median of `runs`, and its result.
fn median<T>(runs: usize, mut run: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let start = cpu_seconds();
        let result = run();
        (cpu_seconds() - start, result)
    };
    let mut all: Vec<_> = (0..runs).map(|_| timed()).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.swap_remove(runs / 2)
}

fn home() -> Scenario {
    let station = |name: &str| Station {
        name: name.into(),
        speed: 54_000.into(),
        loss: Loss::at(1.0),
        uplink: None,
        asleep: None,
        walk: None,
        access: None,
    };
    let app = |name: &str, kind, station, active_ns, class| App {
        name: name.into(),
        kind,
        station,
        active_ns,
        class,
        users: Users::ONE,
        measure_ns: None,
        servers: Servers::Own(Latency::both(1_000_000)),
        access: Category::default(),
        computer: 1,
        tunnel: false,
        arrivals: false,
        phase_ns: None,
        requirement: None,
        tcp: None,
    };
    let download = AppKind::Download(Download::endless(Algorithm::Cubic));
    Scenario {
        name: "home".into(),
        duration_ns: 330 * S,
        measure_ns: 90 * S..270 * S,
        medium: CellConfig::new(Phy::named("phy-a").expect("the studies' profile")).into(),
        wired: Wired::default(),
        servers: Vec::new(),
        tcp: Config::home(),
        scored: Default::default(),
        windows: Vec::new(),
        changes: Vec::new(),
        stations: ["console", "phone", "laptop"].map(station).to_vec(),
        apps: vec![
            app("game", AppKind::Game(Game), 0, 30 * S..330 * S, 0),
            app("call", AppKind::Voip(Voip), 1, 30 * S..330 * S, 0),
            app("download", download, 2, 90 * S..270 * S, 1),
        ],
    }
}

/// [`home`] with a video and web pages.
fn whole_home() -> Scenario {
    let mut home = home();
    let kinds = [
        AppKind::Video(Video { frames: Frames::synthetic(), fec: Fec::None }),
        AppKind::Web(Web { pages: Pages::Drawn, client: Client::Loader }),
    ];
    for kind in kinds {
        let (station, game) = (home.stations.len(), home.apps[0].clone());
        home.stations.push(Station { name: kind.name().into(), ..home.stations[0].clone() });
        home.apps.push(App { name: kind.name().into(), kind, station, ..game });
    }
    home
}

/// Name, scenario, targets: CPU time of an exchange in ns, of a run in seconds, peak memory in MB.
type Home = (&'static str, fn() -> Scenario, f64, f64, f64);
const HOMES: [Home; 2] = [("home", home, 120.0, 0.8, 32.0), ("whole home", whole_home, 1000.0, 1.0, 48.0)];

/// A queue of 35 packets; Linux's defaults for fq_codel.
fn queue(name: &str) -> Params {
    let mut params = Params::new(Discipline::named(name).expect("a discipline of the core"));
    if name != "fq_codel" {
        params.set("limit", "35").expect("in range");
    }
    params
}

/// Frame exchanges of one run.
fn run_home(scenario: &Scenario, discipline: &str) -> u64 {
    let trace = airtab_sim::run(scenario, &queue(discipline), 1);
    assert!(trace.apps[2].down.bytes > 0, "the download runs");
    trace.exchanges
}

/// Peak memory of a process that runs a home once, bytes; None where the
/// system does not tell.
fn peak_memory(home: &str, discipline: &str) -> Option<u64> {
    let this = std::env::current_exe().ok()?;
    let child = Command::new(this).args([ONE_RUN, home, discipline]).output().ok()?;
    String::from_utf8(child.stdout).ok()?.trim().parse().ok()
}

fn print_peak_memory() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    if let Some(kib) = line.and_then(|l| l.trim().strip_suffix(" kB")?.parse::<u64>().ok()) {
        println!("{}", kib * 1024);
    }
}

/// `seconds` of saturated 802.11g uplink by a contention rule: packets that arrived.
fn run_saturated(stations: usize, seconds: u64, rule: &str) -> u64 {
    let names: Vec<_> = (0..stations).map(|i| format!("station {i}")).collect();
    let links: Vec<_> = names.iter().map(|name| (name.as_str(), 54_000, Loss::None)).collect();
    let mut pool = Pool::new();
    let qdisc = Qdisc::new(&pool, &queue("fifo"), 1, 0);
    let mut config = CellConfig::new(Phy::named("std-11g").expect("a profile of the core"));
    config.access.rule = AccessRule::named(rule).expect("a rule by that name");
    if let AccessRule::Slots(law) = &mut config.access.rule {
        // As many as its window, each by its own weight, none kept.
        law.weights = (1..=256u16).rev().map(f64::from).collect();
        law.residual = false;
    }
    let mut cell = Cell::new(config, &links, qdisc, 1);
    for station in 0..stations {
        for _ in 0..2 {
            let packet = pool.insert(Meta { bytes: 1500, sta: station as u16, ..Meta::default() }, 0u32);
            cell.send_up(&mut pool, station, packet, 0);
        }
    }
    let mut arrived = 0;
    while cell.next_event() < seconds * S {
        let now = cell.next_event();
        cell.advance(&mut pool, now);
        while let Some(output) = cell.poll() {
            if let Output::Up(packet) | Output::Lost(packet) = output {
                arrived += u64::from(matches!(output, Output::Up(_)));
                let station = usize::from(pool.sta(packet));
                cell.send_up(&mut pool, station, packet, now);
            }
        }
    }
    arrived
}

/// What is measured of a cell that aggregates: discipline, rate control, by how much it may exceed the target.
const VARIANTS: [(&str, RateAlgorithm, f64); 4] = [
    ("fifo", RateAlgorithm::Fixed, 1.0),
    ("fq_codel", RateAlgorithm::Fixed, 1.0),
    ("airtime_fq", RateAlgorithm::Fixed, 1.5),
    ("fq_codel", RateAlgorithm::Minstrel, 1.5),
];

/// One run of a cell that aggregates: bit/s that arrived.
fn run_modern(cell: &Modern, discipline: &str, control: RateAlgorithm) -> f64 {
    let params = Params::new(Discipline::named(discipline).expect("a discipline of the core"));
    let trace = airtab_sim::run(&cell.scenario(control), &params, 1);
    let bytes: u64 = trace.apps.iter().map(|app| app.down.bytes).sum();
    bytes as f64 * 8.0 / (SECONDS - 1) as f64
}

fn modern_cells(table: &Table, runs: usize, wanted: impl Fn(&str) -> bool) {
    for cell in MODERN.iter().filter(|cell| wanted(cell.name)) {
        for (discipline, control, factor) in VARIANTS {
            let (seconds, bps) = median(runs, || run_modern(cell, discipline, control));
            // The name has 44 columns.
            let what = if control == RateAlgorithm::Minstrel { "minstrel" } else { discipline };
            let figure = format!("{}, {what} ({:.0} Mb/s)", cell.name, bps / 1e6);
            let milliseconds = seconds * 1e3 / SECONDS as f64;
            table.row(&figure, Some(milliseconds), "ms/s", cell.target * 1e3 * factor, true);
        }
        let memory = peak_memory(cell.name, "fq_codel").map(|bytes| bytes as f64 / 1e6);
        table.row(&format!("{}, peak memory", cell.name), memory, "MB", 64.0, true);
    }
}

fn meshes(table: &Table, runs: usize, wanted: impl Fn(&str) -> bool) {
    for mesh in MESHES.iter().filter(|mesh| wanted(mesh.name)) {
        let (seconds, (exchanges, bps)) = median(runs, || mesh.run());
        let figure = format!("{}, 100 s ({:.2} Mb/s)", mesh.name, bps / 1e6);
        table.row(&figure, Some(seconds), "s", mesh.seconds, true);
        let nanoseconds = seconds * 1e9 / exchanges as f64;
        table.row(&format!("{}, per exchange", mesh.name), Some(nanoseconds), "ns", mesh.exchange_ns, true);
        let memory = peak_memory(mesh.name, "fifo").map(|bytes| bytes as f64 / 1e6);
        table.row(&format!("{}, peak memory", mesh.name), memory, "MB", 64.0, true);
    }
}

struct Table;

impl Table {
    fn row(&self, figure: &str, value: Option<f64>, unit: &str, target: f64, at_most: bool) {
        let met = value.map(|v| if at_most { v <= target } else { v >= target });
        let met = met.map_or("-", |met| if met { "met" } else { "NOT MET" });
        let value = value.map_or("-".into(), |v| format!("{v:.*}", if v < 10.0 { 2 } else { 0 }));
        let bound = if at_most { "<=" } else { ">=" };
        println!(
            "{figure:<44}{value:>8} {unit:<8} {:>12}  {met}",
            format!("{bound} {}", (target * 1e3).round() / 1e3)
        );
    }
}

fn main() {
    let args: Vec<_> = std::env::args().collect();
    if let Some(i) = args.iter().position(|a| a == ONE_RUN) {
        let (name, discipline) = (&args[i + 1], &args[i + 2]);
        let mesh = MESHES.iter().find(|mesh| mesh.name == name);
        match MODERN.iter().find(|cell| cell.name == name) {
            Some(cell) => drop(run_modern(cell, discipline, RateAlgorithm::Fixed)),
            None if mesh.is_some() => drop(mesh.map(|mesh| mesh.run())),
            None => {
                let (_, scenario, ..) = HOMES.iter().find(|h| h.0 == name).expect("one of HOMES");
                run_home(&scenario(), discipline);
            }
        }
        print_peak_memory();
        return;
    }
    // `cargo test --benches` only wants to see it run.
    let runs = if args.iter().any(|a| a == "--bench") { 9 } else { 1 };
    let table = Table;
    println!("{:<44}{:>8} {:<8} {:>12}", "figure", "measured", "", "target");
    // `cargo bench ... -- he80`: what has that in its name.
    let some: Vec<_> = args[1..].iter().filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |name: &str| some.is_empty() || some.iter().any(|part| name.contains(part.as_str()));
    for (home, scenario, most_nanoseconds, most_seconds, most_megabytes) in
        HOMES.iter().copied().filter(|home| wanted(home.0))
    {
        for name in disciplines().map(Discipline::name) {
            let (seconds, exchanges) = median(runs, || run_home(&scenario(), name));
            let figure = |what| format!("{home} 330 s, {name}, {what}");
            let nanoseconds = seconds * 1e9 / exchanges as f64;
            table.row(&figure("per exchange"), Some(nanoseconds), "ns", most_nanoseconds, true);
            table.row(&figure("CPU time"), Some(seconds), "s", most_seconds, true);
            let memory = peak_memory(home, name).map(|bytes| bytes as f64 / 1e6);
            table.row(&figure("peak memory"), memory, "MB", most_megabytes, true);
        }
    }
    modern_cells(&table, runs, wanted);
    meshes(&table, runs, wanted);
    for (stations, target) in [(10, 300.0), (50, 100.0)] {
        if !wanted("saturated") {
            break;
        }
        let simulated = 60;
        let (seconds, arrived) = median(runs, || run_saturated(stations, simulated, "dcf"));
        let rate = arrived as f64 * 1500.0 * 8.0 / simulated as f64 / 1e6;
        let figure = format!("saturated, {stations} stations ({rate:.1} Mb/s)");
        table.row(&figure, Some(simulated as f64 / seconds), "s/s", target, false);
        for rule in AccessRule::NAMES.into_iter().filter(|rule| *rule != "dcf") {
            let (own, _) = median(runs, || run_saturated(stations, simulated, rule));
            let figure = format!("saturated, {stations} stations, {rule}");
            table.row(&figure, Some(seconds / own), "of dcf", 1.0 / 3.0, false);
        }
    }
}
